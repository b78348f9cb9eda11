/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world of paths that exists nowhere, and lines whose facts are compared as
 * text.  Each fact is one line:
 *
 *   C rm -rf /home/me/x          a command: its words; `C? ` when it may not run
 *   E delete /home/me/x home     an effect: kind[:action], target, place
 *   O code                       an opaque mark's reason
 *   S /tmp/x.sh                  a script that is left behind
 *
 * A row of a test names facts that must be there (want) and begin so, or must
 * not (never).
 */
#ifndef BELAY_TESTS_EFFECTS_TEST_H
#define BELAY_TESTS_EFFECTS_TEST_H

#include "effects/effects.h"
#include "tap.h"

struct row {
	const char *line;
	const char *want[4];
	const char *never[2];
};

static const struct {
	const char *path;
	enum bl_effects_file file;
	const char *text; /* of a link, a file; names of a folder */
} world_paths[] = {
	{ "/home", BL_EFFECTS_FILE_FOLDER, "me" },
	{ "/home/me", BL_EFFECTS_FILE_FOLDER, "work x .ssh .gitconfig" },
	{ "/home/me/.gitconfig", BL_EFFECTS_FILE_REGULAR,
	  "[alias]\n\tfp = push --force\n\twipe = !rm -rf ~/x\n" },
	{ "/home/me/.ssh", BL_EFFECTS_FILE_FOLDER, "id_ed25519" },
	{ "/home/me/.ssh/id_ed25519", BL_EFFECTS_FILE_REGULAR, "KEY" },
	{ "/home/me/x", BL_EFFECTS_FILE_FOLDER, "keep" },
	{ "/home/me/work", BL_EFFECTS_FILE_FOLDER,
	  "a.c b.c .env out sub wipe.sh Makefile package.json" },
	{ "/home/me/work/a.c", BL_EFFECTS_FILE_REGULAR, "int a;" },
	{ "/home/me/work/b.c", BL_EFFECTS_FILE_REGULAR, "int b;" },
	{ "/home/me/work/.env", BL_EFFECTS_FILE_REGULAR, "K=1" },
	{ "/home/me/work/out", BL_EFFECTS_FILE_LINK, "../x" },
	{ "/home/me/work/sub", BL_EFFECTS_FILE_FOLDER, "" },
	/* main is as origin has it; topic is what origin once had */
	{ "/home/me/repo", BL_EFFECTS_FILE_FOLDER, ".git" },
	{ "/home/me/repo/.git", BL_EFFECTS_FILE_FOLDER, "HEAD packed-refs" },
	{ "/home/me/repo/.git/HEAD", BL_EFFECTS_FILE_REGULAR,
	  "ref: refs/heads/main\n" },
	{ "/home/me/repo/.git/packed-refs", BL_EFFECTS_FILE_REGULAR,
	  "# pack-refs with: peeled\n"
	  "1111111111111111111111111111111111111111 refs/heads/main\n"
	  "2222222222222222222222222222222222222222 refs/heads/main2\n"
	  "1111111111111111111111111111111111111111 "
	  "refs/remotes/origin/main\n"
	  "3333333333333333333333333333333333333333 "
	  "refs/remotes/origin/topic\n" },
	/* what is not a repository, and one with a pipe for its HEAD */
	{ "/home/me/odd", BL_EFFECTS_FILE_FOLDER, ".git" },
	{ "/home/me/odd/.git", BL_EFFECTS_FILE_REGULAR, "x" },
	{ "/home/me/piped", BL_EFFECTS_FILE_FOLDER, ".git" },
	{ "/home/me/piped/.git", BL_EFFECTS_FILE_FOLDER, "HEAD" },
	{ "/home/me/piped/.git/HEAD", BL_EFFECTS_FILE_OTHER, NULL },
	/* no commit of the branch, and packed-refs too large to read */
	{ "/home/me/huge", BL_EFFECTS_FILE_FOLDER, ".git" },
	{ "/home/me/huge/.git", BL_EFFECTS_FILE_FOLDER, "HEAD packed-refs" },
	{ "/home/me/huge/.git/HEAD", BL_EFFECTS_FILE_REGULAR,
	  "ref: refs/heads/main\n" },
	{ "/home/me/huge/.git/packed-refs", BL_EFFECTS_FILE_REGULAR, NULL },
	/* one that was never pushed */
	{ "/home/me/own", BL_EFFECTS_FILE_FOLDER, ".git" },
	{ "/home/me/own/.git", BL_EFFECTS_FILE_FOLDER, "HEAD" },
	{ "/home/me/own/.git/HEAD", BL_EFFECTS_FILE_REGULAR,
	  "ref: refs/heads/main\n" },
	{ "/home/me/own/.git/refs/heads/main", BL_EFFECTS_FILE_REGULAR,
	  "1111111111111111111111111111111111111111\n" },
	/* a linked work tree, on topic */
	{ "/home/me/tree", BL_EFFECTS_FILE_FOLDER, ".git" },
	{ "/home/me/tree/.git", BL_EFFECTS_FILE_REGULAR,
	  "gitdir: /home/me/repo/.git/worktrees/tree\n" },
	{ "/home/me/repo/.git/worktrees/tree/HEAD", BL_EFFECTS_FILE_REGULAR,
	  "ref: refs/heads/topic\n" },
	{ "/home/me/repo/.git/worktrees/tree/commondir",
	  BL_EFFECTS_FILE_REGULAR, "../..\n" },
	{ "/home/me/repo/.git/refs/heads/topic", BL_EFFECTS_FILE_REGULAR,
	  "4444444444444444444444444444444444444444\n" },
	{ "/home/me/repo/.git/logs/refs/remotes/origin/topic",
	  BL_EFFECTS_FILE_REGULAR,
	  "0 4444444444444444444444444444444444444444 me push\n"
	  "4444444444444444444444444444444444444444 "
	  "3333333333333333333333333333333333333333 you push\n" },
	{ "/home/me/work/wipe.sh", BL_EFFECTS_FILE_REGULAR,
	  "#!/bin/sh\nrm -rf \"$HOME/$1\"\n" },
	{ "/home/me/work/Makefile", BL_EFFECTS_FILE_REGULAR,
	  "D = x\nall: nuke\n\t@echo done\nnuke:\n\trm -rf ~/$(D)\n" },
	{ "/home/me/work/package.json", BL_EFFECTS_FILE_REGULAR,
	  "{\"scripts\": {\"nuke\": \"rm -rf ~/x\", \"ok\": \"tsc\"}}" },
};

static size_t world_find(struct bl_str path)
{
	size_t i = 0;

	while (i < BL_COUNT(world_paths) &&
	       !bl_str_is(path, world_paths[i].path))
		i++;
	return i;
}

static enum bl_effects_file world_look(void *context, struct bl_str path)
{
	size_t i = world_find(path);

	(void)context;
	return i < BL_COUNT(world_paths) ? world_paths[i].file
					 : BL_EFFECTS_FILE_MISSING;
}

static struct bl_str world_text(void *context, struct bl_arena *arena,
				struct bl_str path)
{
	size_t i = world_find(path);

	(void)context;
	(void)arena;
	if (i == BL_COUNT(world_paths) || !world_paths[i].text)
		return (struct bl_str){ NULL, 0 };
	return bl_str(world_paths[i].text);
}

static struct bl_str world_read(void *context, struct bl_arena *arena,
				struct bl_str path, size_t max)
{
	(void)max;
	return world_text(context, arena, path);
}

static bool world_list(void *context, struct bl_arena *arena,
		       struct bl_str path, size_t max,
		       const struct bl_str **out_names, size_t *out_count)
{
	struct bl_str text = world_text(context, arena, path);
	struct bl_str *names = bl_arena_new_array(arena, struct bl_str, max);
	size_t at = 0;

	if (world_look(context, path) != BL_EFFECTS_FILE_FOLDER)
		return false;
	*out_count = 0;
	*out_names = names;
	while (at < text.len) {
		size_t end = bl_str_find(text, BL_STR(" "), at);

		if (end == SIZE_MAX)
			end = text.len;
		names[(*out_count)++] = bl_str_slice(text, at, end);
		at = end + 1;
	}
	return true;
}

static const struct bl_effects_world world = { NULL, world_look, world_text,
					       world_list, world_read };
static const struct bl_str workspaces[] = { { "/home/me/work", 13 } };

static const struct bl_effects_input usual = {
	.cwd = { "/home/me/work", 13 },
	.home = { "/home/me", 8 },
	.user = { "me", 2 },
	.workspaces = workspaces,
	.workspace_count = 1,
	.world = &world,
};

static void put_facts(struct bl_buf *out, const struct bl_facts *facts)
{
	for (size_t i = 0; i < facts->command_count; i++) {
		const struct bl_fact_command *c = &facts->commands[i];

		bl_buf_puts(out, c->runs == BL_FACT_ALWAYS ? "C" : "C?");
		for (size_t n = 0; n < c->argc; n++)
			bl_buf_printf(out, " %.*s",
				      BL_STR_ARG(c->argv[n].text));
		bl_buf_puts(out, "\n");
	}
	for (size_t i = 0; i < facts->effect_count; i++) {
		const struct bl_fact_effect *e = &facts->effects[i];

		bl_buf_printf(out, "E %s", bl_fact_kind_name(e->kind));
		if (e->action.len)
			bl_buf_printf(out, ":%.*s", BL_STR_ARG(e->action));
		if (e->has_target)
			bl_buf_printf(out, " %.*s", BL_STR_ARG(e->target.text));
		if (e->is_path)
			bl_buf_printf(out, " %s", bl_fact_place_name(e->place));
		if (e->secret.len)
			bl_buf_printf(out, " secret=%.*s",
				      BL_STR_ARG(e->secret));
		if (e->guard.len)
			bl_buf_printf(out, " guard=%.*s", BL_STR_ARG(e->guard));
		for (uint32_t n = 0; n < BL_FACT_ORIGIN_COUNT; n++) {
			if (e->origins >> n & 1)
				bl_buf_printf(out, " <%s",
					      bl_fact_origin_name(n));
		}
		if (e->details & BL_FACT_IS_LINKED)
			bl_buf_puts(out, " linked");
		bl_buf_puts(out, "\n");
	}
	for (size_t i = 0; i < facts->staged_count; i++)
		bl_buf_printf(out, "S %.*s\n",
			      BL_STR_ARG(facts->staged[i].path));
	for (size_t i = 0; i < facts->opaque_count; i++)
		bl_buf_printf(out, "O %s\n",
			      bl_fact_reason_name(facts->opaque[i].reason));
}

/* Does a line of text begin with fact, and end there or at a blank? */
static bool has_fact(struct bl_str text, const char *fact)
{
	size_t len = strlen(fact);
	size_t at = 0;

	while ((at = bl_str_find(text, bl_str(fact), at)) != SIZE_MAX) {
		bool starts = !at || text.ptr[at - 1] == '\n';
		char next = at + len < text.len ? text.ptr[at + len] : '\n';

		if (starts && (next == '\n' || next == ' '))
			return true;
		at++;
	}
	return false;
}

static void check_row(const struct row *row)
{
	struct bl_effects_input input = usual;
	struct bl_facts facts;
	struct bl_arena arena;
	struct bl_buf text;
	size_t i;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&text, 0);
	input.line = bl_str(row->line);
	CHECK_STATUS(bl_effects_find(&arena, &input, &facts, NULL), BL_OK);
	put_facts(&text, &facts);
	for (i = 0; i < BL_COUNT(row->want) && row->want[i]; i++) {
		if (!has_fact(bl_buf_str(&text), row->want[i])) {
			CHECK(!"a fact is missing");
			TAP_NOTE("`%s` lacks `%s`; it has\n%s", row->line,
				 row->want[i], text.ptr);
		}
	}
	for (i = 0; i < BL_COUNT(row->never) && row->never[i]; i++) {
		if (has_fact(bl_buf_str(&text), row->never[i])) {
			CHECK(!"a fact is wrong");
			TAP_NOTE("`%s` has `%s`", row->line, row->never[i]);
		}
	}
	bl_buf_clear(&text);
	bl_arena_clear(&arena);
}

static inline void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_row(&rows[i]);
}

#define CHECK_ROWS(rows) check_rows(rows, BL_COUNT(rows))

#endif

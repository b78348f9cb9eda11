/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.c: texts of ours that are not entries of a JSON file: a plugin, a
 * script named after its event or in the place of a command line, and a block at
 * the end of somebody's TOML or YAML.
 *
 *   colour = "red"
 *
 *   # belay init: begin
 *   [[hooks]]
 *   ...
 *   # belay init: end
 *
 * Taking the block out gives the bytes of before: the line break in front of
 * its first line is ours, too.
 */
#include "os/os.h"
#include "setup/private.h"

static const char script_head[] =
	"#!/bin/sh\n"
	"# Made by belay init; belay init --remove takes it away.\n"
	"# It runs: ";
static const char block_begin[] = "# belay init: begin\n";
static const char block_end[] = "# belay init: end\n";

/* ---- which ---------------------------------------------------------------- */

const struct bl_registration_entry *
bl_setup_script_entry(const struct bl_registration *agent, struct bl_str path)
{
	struct bl_str base = bl_path_base(path);

	if (agent->script && bl_str_is(base, agent->script))
		return &agent->entries[0];
	if (agent->form != BL_REGISTRATION_SCRIPTS)
		return NULL;
	for (size_t i = 0; i < BL_REGISTRATION_MAX_ENTRIES; i++)
		if (agent->entries[i].event &&
		    bl_str_is(base, agent->entries[i].event))
			return &agent->entries[i];
	return NULL;
}

bool bl_setup_is_text(const struct bl_registration *agent, struct bl_str path)
{
	return agent->form == BL_REGISTRATION_PLUGIN ||
	       agent->form == BL_REGISTRATION_BLOCK ||
	       bl_setup_script_entry(agent, path) != NULL;
}

/* ---- making --------------------------------------------------------------- */

static struct bl_str put_together(struct bl_arena *arena,
				  const struct bl_str *parts, size_t count)
{
	struct bl_str text = { NULL, 0 };
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	for (size_t i = 0; i < count; i++)
		bl_buf_put_str(&buf, parts[i]);
	if (!bl_buf_status(&buf))
		text = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}

static struct bl_str make_script(const struct bl_setup *setup,
				 const struct bl_registration_entry *entry,
				 struct bl_arena *arena)
{
	const struct bl_registration *agent = setup->agent->registration;
	struct bl_str command = bl_setup_command(setup, arena);
	const struct setup_word words[] = { { "@command", command, false } };
	struct bl_str body = bl_setup_fill(
		arena,
		entry->fails_closed && agent->script_text ? agent->script_text
							  : "@command\n",
		words, BL_COUNT(words));
	const struct bl_str parts[] = { bl_str(script_head), command,
					BL_STR("\n"), body };

	if (!command.ptr || !body.ptr)
		return (struct bl_str){ NULL, 0 };
	return put_together(arena, parts, BL_COUNT(parts));
}

static struct bl_str make_filled(const struct bl_setup *setup,
				 struct bl_arena *arena)
{
	struct bl_str command = bl_setup_command(setup, arena);
	const struct setup_word words[] = {
		{ "@program", setup->program, .is_json = true },
		{ "@dir",
		  setup->scope == BL_SCOPE_PROJECT
			  ? bl_path_base(setup->policy_dir)
			  : setup->policy_dir,
		  .is_json = true },
		{ "@agent", bl_str(setup->agent->name), .is_json = true },
		{ "@command", command, .is_json = true },
		{ "@closing",
		  bl_arena_printf(arena, "%.*s" SETUP_CLOSING,
				  BL_STR_ARG(command)),
		  .is_json = true },
	};

	return bl_setup_fill(arena, setup->agent->registration->plugin, words,
			     BL_COUNT(words));
}

static struct bl_str make_text(const struct bl_setup *setup, struct bl_str path,
			       struct bl_arena *arena)
{
	const struct bl_registration_entry *entry =
		bl_setup_script_entry(setup->agent->registration, path);

	return entry ? make_script(setup, entry, arena)
		     : make_filled(setup, arena);
}

/* ---- a whole file ----------------------------------------------------------- */

/* The lines by which a file of ours is known: the first, of a script two. */
static struct bl_str head_of(const struct bl_registration *agent,
			     struct bl_str path)
{
	struct bl_str head = bl_str(agent->plugin);

	if (bl_setup_script_entry(agent, path))
		return bl_str(script_head);
	return bl_str_slice(head, 0, bl_str_find(head, BL_STR("\n"), 0));
}

bool bl_setup_is_our_file(const struct bl_registration *agent,
			  struct bl_str path, struct bl_str text)
{
	return bl_str_has_prefix(text, head_of(agent, path));
}

struct bl_str bl_setup_script_line(struct bl_str text)
{
	size_t start = strlen(script_head);

	if (!bl_str_has_prefix(text, bl_str(script_head)))
		return (struct bl_str){ NULL, 0 };
	return bl_str_slice(text, start,
			    bl_str_find(text, BL_STR("\n"), start));
}

/* ---- a block ---------------------------------------------------------------- */

/* The place of our block; false: the text is without one. */
static bool find_block(struct bl_str text, size_t *out_start, size_t *out_end)
{
	size_t start = bl_str_find(text, bl_str(block_begin), 0);
	size_t end;

	if (start == SIZE_MAX)
		return false;
	end = bl_str_find(text, bl_str(block_end), start);
	if (end == SIZE_MAX)
		return false;
	*out_start = start && text.ptr[start - 1] == '\n' ? start - 1 : start;
	*out_end = end + strlen(block_end);
	return true;
}

struct bl_str bl_setup_block(struct bl_str text)
{
	size_t start;
	size_t end;

	if (!find_block(text, &start, &end))
		return (struct bl_str){ NULL, 0 };
	return bl_str_slice(text, start, end);
}

/* A line "hooks:" or "hooks =", which cannot stand beside ours. */
static bool is_excluded(struct bl_str text, const char *key)
{
	for (size_t at = 0, end; key && at < text.len; at = end + 1) {
		struct bl_str line;

		end = bl_str_find(text, BL_STR("\n"), at);
		if (end == SIZE_MAX)
			end = text.len;
		line = bl_str_slice(text, at, end);
		if (!bl_str_has_prefix(line, bl_str(key)))
			continue;
		line = bl_str_trim(bl_str_slice(line, strlen(key), SIZE_MAX));
		if (line.len && (line.ptr[0] == ':' || line.ptr[0] == '='))
			return true;
	}
	return false;
}

static struct bl_str without_block(struct bl_arena *arena, struct bl_str text)
{
	size_t start;
	size_t end;
	struct bl_str parts[2];

	if (!find_block(text, &start, &end))
		return text;
	parts[0] = bl_str_slice(text, 0, start);
	parts[1] = bl_str_slice(text, end, SIZE_MAX);
	return put_together(arena, parts, BL_COUNT(parts));
}

static enum bl_status add_block(const struct bl_setup *setup,
				struct bl_str path, struct bl_str text,
				struct bl_arena *arena, struct bl_str *out_text,
				struct bl_error *err)
{
	const char *key = setup->agent->registration->excludes;
	struct bl_str rest = without_block(arena, text);
	struct bl_str lines = make_text(setup, path, arena);
	const struct bl_str parts[] = {
		rest,
		rest.len ? BL_STR("\n") : BL_STR(""),
		bl_str(block_begin),
		lines,
		bl_str(block_end),
	};

	if (is_excluded(rest, key))
		return bl_fail(err, BL_INVALID,
			       "%.*s is left alone: it has '%s' already; put "
			       "belay's lines there by hand",
			       BL_STR_ARG(path), key);
	if (lines.ptr)
		*out_text = put_together(arena, parts, BL_COUNT(parts));
	return lines.ptr && out_text->ptr ? BL_OK : bl_arena_fail(arena, err);
}

/* ---- both ------------------------------------------------------------------- */

static enum bl_status check_head(const struct bl_setup *setup,
				 struct bl_str path, struct bl_str text,
				 struct bl_error *err)
{
	if (!text.ptr ||
	    bl_setup_is_our_file(setup->agent->registration, path, text))
		return BL_OK;
	return bl_fail(err, BL_INVALID,
		       "%.*s is left alone: it was not made by belay",
		       BL_STR_ARG(path));
}

enum bl_status bl_setup_register_text(const struct bl_setup *setup,
				      struct bl_str path, struct bl_str text,
				      struct bl_arena *arena,
				      struct bl_str *out_text,
				      struct bl_error *err)
{
	enum bl_status status;

	if (setup->agent->registration->form == BL_REGISTRATION_BLOCK)
		return add_block(setup, path, text, arena, out_text, err);
	status = check_head(setup, path, text, err);
	if (status)
		return status;
	*out_text = make_text(setup, path, arena);
	return out_text->ptr ? BL_OK : bl_arena_fail(arena, err);
}

enum bl_status bl_setup_unregister_text(const struct bl_setup *setup,
					struct bl_str path, struct bl_str text,
					struct bl_arena *arena,
					struct bl_str *out_text,
					struct bl_error *err)
{
	enum bl_status status;

	if (setup->agent->registration->form == BL_REGISTRATION_BLOCK) {
		*out_text = without_block(arena, text);
		if (!bl_str_trim(*out_text).len)
			*out_text = (struct bl_str){ NULL, 0 };
		return bl_arena_status(arena) ? bl_arena_fail(arena, err)
					      : BL_OK;
	}
	status = check_head(setup, path, text, err);
	if (!status)
		*out_text = (struct bl_str){ NULL, 0 };
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c: walks the chain of all files, oldest first.  For what that proves
 * see docs/formats/journal.md "The chain".
 */
#include "journal/private.h"

enum { MAX_TRIES = 3 };

struct walk {
	struct bl_journal_check *check;
	struct bl_str noted;
	struct bl_chain chain; /* of the line before */
	uint32_t file;
	uint64_t line;  /* in the file, from 1 */
	bool may_begin; /* a chain may begin anew here */
};

static void take_line(struct walk *walk, struct bl_str line)
{
	static const struct bl_chain nothing = { "" };
	struct bl_journal_check *check = walk->check;
	struct bl_chain said;
	bool is_first = !check->lines;

	walk->line++;
	if (!bl_chain_find(line, &said)) {
		check->unchained += line.len > 0;
		walk->may_begin = walk->may_begin || line.len > 0;
		return;
	}
	if (bl_chain_holds(&nothing, line) && (is_first || walk->may_begin)) {
		check->chains++;
	} else if (is_first) {
		/* The lines before the oldest that is kept are gone. */
		check->chains++;
		check->begins_within = true;
	} else if (!bl_chain_holds(&walk->chain, line) && !check->is_broken) {
		check->is_broken = true;
		check->broken_file = walk->file;
		check->broken_line = walk->line;
	}
	check->lines++;
	check->has_noted =
		check->has_noted || bl_str_is(walk->noted, said.digest);
	walk->chain = said;
	walk->may_begin = false;
}

static enum bl_status read_file(struct bl_str dir, uint32_t number,
				struct bl_arena *arena, struct bl_str *out_text,
				struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_str path = bl_journal_file(arena, dir, number);

	if (!path.ptr)
		return bl_arena_fail(arena, err);
	return bl_os_read_file(path, BL_OPEN_NO_LINK,
			       limits.journal_file_bytes +
				       limits.journal_line_bytes,
			       arena, out_text, NULL, err);
}

static enum bl_status walk_file(struct walk *walk, struct bl_str dir,
				struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_str text = { NULL, 0 };
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	walk->line = 0;
	status = read_file(dir, walk->file, &arena, &text, err);
	for (size_t at = 0, end; status == BL_OK && at < text.len;
	     at = end + 1) {
		end = bl_str_find(text, BL_STR("\n"), at);
		if (end == SIZE_MAX)
			end = text.len;
		take_line(walk, bl_str_slice(text, at, end));
	}
	bl_arena_clear(&arena);
	return status;
}

/* The inode of the current file; 0: it is missing.  *out_oldest: the last number. */
static uint64_t look(struct bl_str dir, uint32_t *out_oldest)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_file_info info;
	uint64_t current = 0;
	struct bl_arena arena;

	*out_oldest = 0;
	bl_arena_init(&arena, NULL, 0, 0);
	for (uint32_t i = 0; i <= limits.journal_files; i++) {
		struct bl_str path = bl_journal_file(&arena, dir, i);

		if (!path.ptr || bl_os_info_path(path, &info, NULL) != BL_OK)
			continue;
		*out_oldest = i;
		if (i == 0)
			current = info.inode;
	}
	bl_arena_clear(&arena);
	return current;
}

static enum bl_status walk_all(struct bl_str dir, uint32_t oldest,
			       struct bl_str noted,
			       struct bl_journal_check *check,
			       struct bl_error *err)
{
	struct walk walk = { .check = check, .noted = noted };
	enum bl_status status = BL_OK;

	*check = (struct bl_journal_check){ .lines = 0 };
	for (uint32_t i = oldest + 1; status == BL_OK && i-- > 0;) {
		walk.file = i;
		status = walk_file(&walk, dir, err);
		if (status == BL_NOT_FOUND)
			status = BL_OK;
	}
	memcpy(check->last, walk.chain.digest, sizeof(check->last));
	return status;
}

enum bl_status bl_journal_verify(struct bl_str dir, struct bl_str noted,
				 struct bl_journal_check *out_check,
				 struct bl_error *err)
{
	/* While we read, a writer may rename the files. */
	for (int tries = 0; tries < MAX_TRIES; tries++) {
		uint32_t oldest;
		uint32_t again;
		uint64_t before = look(dir, &oldest);
		enum bl_status status =
			walk_all(dir, oldest, noted, out_check, err);

		if (status != BL_OK || look(dir, &again) == before)
			return status;
	}
	return bl_fail(err, BL_TIMEOUT,
		       "the journal is renamed faster than it can be read");
}

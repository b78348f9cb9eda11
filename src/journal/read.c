/* SPDX-License-Identifier: Apache-2.0 */
/* Reading back: the newest entries, or one by its id. */
#include "journal/private.h"

#include "json/json.h"

enum { FIRST_BYTES = 64 * 1024 };

/* ---- one file ----------------------------------------------------------- */

struct file {
	int fd;
	struct bl_file_info info;
};

/* File number of dir; NOT_FOUND past the last. */
static enum bl_status open_file(struct bl_str dir, uint32_t number,
				struct file *file, struct bl_error *err)
{
	char memory[1024];
	struct bl_arena arena;
	struct bl_str path;
	enum bl_status status;

	bl_arena_init(&arena, memory, sizeof(memory), 0);
	path = bl_journal_file(&arena, dir, number);
	if (path.ptr)
		status = bl_os_open(path, BL_OPEN_NO_LINK, &file->fd, err);
	else
		status = bl_arena_fail(&arena, err);
	bl_arena_clear(&arena);
	if (status != BL_OK)
		return status;
	status = bl_os_info(file->fd, &file->info, err);
	if (status == BL_OK && file->info.type != BL_FILE_REGULAR)
		status = bl_fail(err, BL_INVALID,
				 "%.*s: the journal is not a regular file",
				 BL_STR_ARG(dir));
	if (status != BL_OK)
		file->fd = bl_os_close(file->fd);
	return status;
}

/* The last len bytes of a file, in arena. */
static enum bl_status read_tail(const struct file *file, size_t len,
				struct bl_arena *arena, struct bl_str *out_text,
				struct bl_error *err)
{
	char *text = bl_arena_alloc_aligned(arena, len + 1, 1);
	size_t got = 0;
	enum bl_status status;

	if (!text)
		return bl_arena_fail(arena, err);
	status = bl_os_read_at(file->fd, file->info.size_bytes - len, text, len,
			       &got, err);
	*out_text = (struct bl_str){ text, got };
	return status;
}

/* ---- walking over files, newest first ----------------------------------- */

typedef enum bl_status visit_file(void *context, const struct file *file,
				  bool *out_enough, struct bl_error *err);

/*
 * While we walk a writer may rotate: a file comes by a second time under the
 * next number, and is known by its inode; and for a moment there is a gap of
 * one number, since the last file is renamed first.
 */
static enum bl_status each_file(struct bl_str dir, visit_file *visit,
				void *context, struct bl_error *err)
{
	struct file before = { .fd = -1 };
	bool enough = false;
	uint32_t missing = 0;

	for (uint32_t number = 0; !enough && missing < 2; number++) {
		struct file file = { .fd = -1 };
		enum bl_status status = open_file(dir, number, &file, err);

		missing = status == BL_NOT_FOUND ? missing + 1 : 0;
		if (missing)
			continue;
		if (status == BL_OK && (file.info.inode != before.info.inode ||
					file.info.device != before.info.device))
			status = visit(context, &file, &enough, err);
		bl_os_close(file.fd);
		if (status != BL_OK)
			return status;
		before = file;
	}
	return BL_OK;
}

/* ---- the newest entries ------------------------------------------------- */

struct newest {
	struct bl_value *entries; /* filled from the end */
	size_t room;              /* free at the front */
	size_t bad;
	struct bl_arena *arena;
};

/*
 * Takes lines from the end of text until there is no more room.  When text is
 * not the whole file its first line is only a part, and is not taken.
 */
static void take_lines(struct newest *newest, struct bl_str text, bool whole)
{
	while (text.len > 0 && newest->room > 0) {
		const char *feed;
		struct bl_str line;
		struct bl_value value;

		if (text.ptr[text.len - 1] == '\n')
			text.len--;
		feed = memrchr(text.ptr, '\n', text.len);
		if (!feed && !whole)
			return;
		line = bl_str_slice(text,
				    feed ? (size_t)(feed - text.ptr) + 1 : 0,
				    text.len);
		text.len = text.len - line.len;
		if (line.len == 0)
			continue;
		if (bl_json_read(newest->arena, line, NULL, &value, NULL, NULL,
				 NULL) == BL_OK &&
		    bl_value_is(value, BL_KIND_OBJECT))
			newest->entries[--newest->room] = value;
		else
			newest->bad++;
	}
}

/* Reads twice as much of the end until that holds enough lines. */
static enum bl_status newest_of_file(void *context, const struct file *file,
				     bool *out_enough, struct bl_error *err)
{
	struct newest *newest = context;
	const struct newest before = *newest;
	size_t size = (size_t)file->info.size_bytes;
	size_t len = size < FIRST_BYTES ? size : FIRST_BYTES;

	for (;;) {
		struct bl_str text = { NULL, 0 };
		enum bl_status status =
			read_tail(file, len, newest->arena, &text, err);

		if (status != BL_OK)
			return status;
		*newest = before;
		take_lines(newest, text, len == size);
		if (bl_arena_status(newest->arena) != BL_OK)
			return bl_arena_fail(newest->arena, err);
		if (newest->room == 0 || len == size)
			break;
		len = len > size / 2 ? size : len * 2;
	}
	*out_enough = newest->room == 0;
	return BL_OK;
}

enum bl_status bl_journal_read_last(struct bl_str dir, size_t max,
				    struct bl_arena *arena,
				    struct bl_value **out_entries,
				    size_t *out_count, size_t *out_bad,
				    struct bl_error *err)
{
	struct newest newest = {
		.entries = bl_arena_new_array(arena, struct bl_value, max),
		.room = max,
		.arena = arena,
	};
	enum bl_status status;

	if (!newest.entries)
		return bl_arena_fail(arena, err);
	status = each_file(dir, newest_of_file, &newest, err);
	if (status != BL_OK)
		return status;
	*out_entries = newest.entries + newest.room;
	*out_count = max - newest.room;
	if (out_bad)
		*out_bad = newest.bad;
	return BL_OK;
}

/* ---- one entry ---------------------------------------------------------- */

struct search;

/* A way to look for a line. */
struct search_kind {
	const char *mark; /* the text in front of it in a line */
	/* Is this line one?  Then found, and exact when it is the only one. */
	bool (*fits)(struct search *search, struct bl_value line);
	bool takes_last; /* the newest counts, not the first */
};

struct search {
	const struct search_kind *kind;
	struct bl_str text; /* what stands behind the mark */
	size_t found;
	bool exact;
	struct bl_value entry;
	struct bl_arena *arena; /* of the caller */
};

/* Looks at the one line that holds the mark and the text. */
static enum bl_status look_at(struct search *search, struct bl_str line,
			      struct bl_arena *scratch, struct bl_error *err)
{
	struct bl_value value;

	if (bl_json_read(scratch, line, NULL, &value, NULL, NULL, NULL) !=
		    BL_OK ||
	    !search->kind->fits(search, value))
		return BL_OK;
	search->found++;
	if (search->found == 1 || search->exact || search->kind->takes_last) {
		search->entry = bl_value_copy(search->arena, value);
		if (!bl_value_is_defined(search->entry))
			return bl_arena_fail(search->arena, err);
	}
	return BL_OK;
}

static enum bl_status search_text(struct search *search, struct bl_str text,
				  struct bl_arena *scratch,
				  struct bl_error *err)
{
	struct bl_str mark =
		bl_arena_printf(scratch, "\"%s\":\"%.*s", search->kind->mark,
				BL_STR_ARG(search->text));
	enum bl_status status = BL_OK;
	size_t at = 0;

	if (!mark.ptr)
		return bl_arena_fail(scratch, err);
	while (status == BL_OK && !search->exact) {
		const char *start, *end;
		struct bl_str line;

		at = bl_str_find(text, mark, at);
		if (at == SIZE_MAX)
			break;
		start = memrchr(text.ptr, '\n', at);
		start = start ? start + 1 : text.ptr;
		end = memchr(text.ptr + at, '\n', text.len - at);
		line = (struct bl_str){
			start,
			(size_t)((end ? end : text.ptr + text.len) - start)
		};
		status = look_at(search, line, scratch, err);
		at = (size_t)(start - text.ptr) + line.len;
	}
	return status;
}

static enum bl_status search_file(void *context, const struct file *file,
				  bool *out_enough, struct bl_error *err)
{
	struct search *search = context;
	struct bl_arena scratch;
	struct bl_str text = { NULL, 0 };
	enum bl_status status;

	bl_arena_init(&scratch, NULL, 0, 0);
	status = read_tail(file, (size_t)file->info.size_bytes, &scratch, &text,
			   err);
	if (status == BL_OK && text.len > 0)
		status = search_text(search, text, &scratch, err);
	bl_arena_clear(&scratch);
	*out_enough =
		search->exact || (search->found && search->kind->takes_last);
	return status;
}

static bool has_id(struct search *search, struct bl_value line)
{
	struct bl_str id = bl_value_text(bl_object_find(line, BL_STR("id")));

	if (!bl_str_has_prefix(id, search->text))
		return false;
	search->exact = id.len == search->text.len;
	return true;
}

enum bl_status bl_journal_find(struct bl_str dir, struct bl_str id,
			       struct bl_arena *arena,
			       struct bl_value *out_entry, struct bl_error *err)
{
	static const struct search_kind kind = { "id", has_id, false };
	struct search search = { .kind = &kind, .text = id, .arena = arena };
	enum bl_status status = BL_OK;

	if (id.len > 0 && id.len < BL_JOURNAL_ID_BYTES)
		status = each_file(dir, search_file, &search, err);
	if (status != BL_OK)
		return status;
	if (search.found == 0)
		return bl_fail(err, BL_NOT_FOUND, "no entry has the id %.*s",
			       BL_STR_ARG(id));
	if (search.found > 1 && !search.exact)
		return bl_fail(err, BL_INVALID, "%zu entries begin with %.*s",
			       search.found, BL_STR_ARG(id));
	*out_entry = search.entry;
	return BL_OK;
}

/* Hooks choose their answers, but not this member of the line. */
static bool has_offer(struct search *search, struct bl_value line)
{
	struct bl_value offer = bl_object_find(line, BL_STR("allowance"));

	return bl_str_is(bl_value_text(bl_object_find(offer, BL_STR("state"))),
			 "offered") &&
	       bl_str_equal(
		       bl_value_text(bl_object_find(offer, BL_STR("code"))),
		       search->text);
}

enum bl_status bl_journal_find_offer(struct bl_str dir, struct bl_str code,
				     struct bl_arena *arena,
				     struct bl_value *out_entry,
				     struct bl_error *err)
{
	static const struct search_kind kind = { "code", has_offer, true };
	struct search search = { .kind = &kind, .text = code, .arena = arena };
	enum bl_status status = each_file(dir, search_file, &search, err);

	if (!status && !search.found)
		status = bl_fail(err, BL_NOT_FOUND,
				 "no refusal in the log has the code %.*s",
				 BL_STR_ARG(code));
	if (!status)
		*out_entry = search.entry;
	return status;
}

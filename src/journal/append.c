/* SPDX-License-Identifier: Apache-2.0 */
/* Appending: lock, rotate, close off a torn line, chain, one write. */
#include "journal/private.h"

enum { DIR_MODE = 0700, FILE_MODE = 0600, USUAL_LINE_BYTES = 1024 };

struct append {
	struct bl_str dir;
	size_t max_file_bytes;
	uint32_t max_files;
	struct bl_arena *arena;
	struct bl_str path;
	int fd;
	uint64_t size_bytes; /* before we append */
};

static enum bl_status inspect(struct append *append, struct bl_error *err)
{
	struct bl_file_info info;
	enum bl_status status = bl_os_info(append->fd, &info, err);

	if (status == BL_OK)
		append->size_bytes = info.size_bytes;
	return status;
}

/* The folder is made only when the file cannot be opened without it. */
static enum bl_status open_current(struct append *append, struct bl_error *err)
{
	enum bl_status status = bl_os_open_locked(
		append->path, FILE_MODE, BL_JOURNAL_LOCK_MS, &append->fd, err);

	if (status == BL_NOT_FOUND) {
		status = bl_os_make_dirs(append->dir, DIR_MODE, err);
		if (status == BL_OK)
			status = bl_os_open_locked(append->path, FILE_MODE,
						   BL_JOURNAL_LOCK_MS,
						   &append->fd, err);
	}
	if (status == BL_OK)
		status = inspect(append, err);
	return status;
}

/*
 * Renames every file to the next number; the last one falls off.  We hold the
 * lock of the current file, and it is renamed at the end, so nobody else can
 * be doing the same.
 */
static enum bl_status rotate(struct append *append, struct bl_error *err)
{
	for (uint32_t i = append->max_files; i-- > 0;) {
		struct bl_str from =
			bl_journal_file(append->arena, append->dir, i);
		struct bl_str to =
			bl_journal_file(append->arena, append->dir, i + 1);
		enum bl_status status;

		if (!from.ptr || !to.ptr)
			return bl_arena_fail(append->arena, err);
		status = bl_os_rename(from, to, err);
		if (status != BL_OK && status != BL_NOT_FOUND)
			return status;
	}
	return BL_OK;
}

/* A fresh current file when this one is full. */
static enum bl_status make_room(struct append *append, size_t len,
				struct bl_error *err)
{
	/* Others may have filled the new one already, but not for ever. */
	for (int tries = 0; tries < 3; tries++) {
		enum bl_status status;

		if (append->size_bytes == 0 ||
		    append->size_bytes + len <= append->max_file_bytes)
			return BL_OK;
		status = rotate(append, err);
		append->fd = bl_os_close(append->fd);
		if (status == BL_OK)
			status = open_current(append, err);
		if (status != BL_OK)
			return status;
	}
	return BL_OK;
}

/* How the lines so far end. */
struct end {
	bool is_torn; /* within a line, left by a writer that was killed */
	struct bl_chain chain; /* "": it begins anew */
};

/* The last bytes of the file: of a whole line they are its link. */
static enum bl_status read_end(int fd, uint64_t size_bytes, struct end *out_end,
			       struct bl_error *err)
{
	char tail[BL_CHAIN_TAIL_BYTES + 1];
	size_t len =
		size_bytes < sizeof(tail) ? (size_t)size_bytes : sizeof(tail);
	size_t got = 0;
	enum bl_status status = BL_OK;

	*out_end = (struct end){ .is_torn = false };
	if (len)
		status = bl_os_read_at(fd, size_bytes - len, tail, len, &got,
				       err);
	if (status != BL_OK || !got)
		return status;
	out_end->is_torn = tail[got - 1] != '\n';
	if (!out_end->is_torn)
		(void)bl_chain_find((struct bl_str){ tail, got - 1 },
				    &out_end->chain);
	return BL_OK;
}

/* The chain of a new file goes on from the one that was renamed. */
static enum bl_status read_end_before(const struct append *append,
				      struct end *out_end, struct bl_error *err)
{
	struct bl_str path = bl_journal_file(append->arena, append->dir, 1);
	struct bl_file_info info;
	enum bl_status status = BL_OK;
	int fd = -1;

	*out_end = (struct end){ .is_torn = false };
	if (!path.ptr)
		return bl_arena_fail(append->arena, err);
	if (bl_os_open(path, BL_OPEN_NO_LINK, &fd, NULL) != BL_OK)
		return BL_OK;
	if (bl_os_info(fd, &info, NULL) == BL_OK &&
	    info.type == BL_FILE_REGULAR)
		status = read_end(fd, info.size_bytes, out_end, err);
	bl_os_close(fd);
	out_end->is_torn = false;
	return status;
}

/* text begins with a line feed of its own, for closing off a torn line. */
static enum bl_status write_lines(struct append *append, struct bl_buf *text,
				  struct bl_error *err)
{
	struct bl_str lines = bl_str_slice(bl_buf_str(text), 1, text->len);
	struct end end;
	enum bl_status status = make_room(append, lines.len, err);

	if (status == BL_OK && append->size_bytes)
		status = read_end(append->fd, append->size_bytes, &end, err);
	else if (status == BL_OK)
		status = read_end_before(append, &end, err);
	if (status != BL_OK)
		return status;
	bl_chain_fill(text->ptr + 1, lines.len, &end.chain);
	status = bl_os_write_all(append->fd,
				 end.is_torn ? bl_buf_str(text) : lines, err);
	if (status != BL_OK)
		bl_os_truncate(append->fd, append->size_bytes, NULL);
	return status;
}

static enum bl_status append_text(const struct bl_journal_options *options,
				  struct bl_buf *text, struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	char memory[2048];
	struct bl_arena arena;
	struct append append = {
		.dir = options->dir,
		.max_file_bytes = options->max_file_bytes
					  ? options->max_file_bytes
					  : limits.journal_file_bytes,
		.max_files = options->max_files
				     ? options->max_files
				     : (uint32_t)limits.journal_files,
		.arena = &arena,
		.fd = -1,
	};
	enum bl_status status;

	bl_arena_init(&arena, memory, sizeof(memory), 0);
	append.path = bl_journal_file(&arena, append.dir, 0);
	if (!append.path.ptr)
		status = bl_arena_fail(&arena, err);
	else
		status = open_current(&append, err);
	if (status == BL_OK)
		status = write_lines(&append, text, err);
	bl_os_close(append.fd);
	bl_arena_clear(&arena);
	return status;
}

enum bl_status bl_journal_append(const struct bl_journal_options *options,
				 enum bl_event_kind kind,
				 const struct bl_journal_entry *entries,
				 size_t count, struct bl_error *err)
{
	struct bl_journal_event event = {
		.kind = kind,
		.full = options->full_payload,
	};
	struct bl_buf text;
	enum bl_status status;

	if (count == 0)
		return BL_OK;
	bl_journal_action_id(kind, entries[0].payload, event.action_id);
	bl_buf_init(&text, 0);
	bl_buf_reserve(&text, USUAL_LINE_BYTES * count);
	bl_buf_put_char(&text, '\n');
	for (size_t i = 0; i < count; i++)
		bl_journal_put_line(&text, &entries[i], &event);
	status = bl_buf_status(&text);
	if (status == BL_OK)
		status = append_text(options, &text, err);
	else
		status = bl_fail(err, status, "the journal's lines: %s",
				 bl_status_text(status));
	bl_buf_clear(&text);
	if (status != BL_OK)
		bl_error_context(err, "journal");
	return status;
}

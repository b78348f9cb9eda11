/* SPDX-License-Identifier: Apache-2.0 */
/* Appending: lock, close off a torn line, rotate, one write. */
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

/* Does the file end within a line, left by a writer that was killed? */
static enum bl_status is_torn(const struct append *append, bool *out_torn,
			      struct bl_error *err)
{
	char last = '\n';
	size_t got;
	enum bl_status status = BL_OK;

	if (append->size_bytes > 0)
		status = bl_os_read_at(append->fd, append->size_bytes - 1,
				       &last, 1, &got, err);
	*out_torn = last != '\n';
	return status;
}

/* text begins with a line feed of its own, for closing off a torn line. */
static enum bl_status write_lines(struct append *append, struct bl_str text,
				  struct bl_error *err)
{
	bool torn = false;
	enum bl_status status = make_room(append, text.len, err);

	if (status == BL_OK)
		status = is_torn(append, &torn, err);
	if (status != BL_OK)
		return status;
	status = bl_os_write_all(
		append->fd, torn ? text : bl_str_slice(text, 1, text.len), err);
	if (status != BL_OK)
		bl_os_truncate(append->fd, append->size_bytes, NULL);
	return status;
}

static enum bl_status append_text(const struct bl_journal_options *options,
				  struct bl_str text, struct bl_error *err)
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
		status = append_text(options, bl_buf_str(&text), err);
	else
		status = bl_fail(err, status, "the journal's lines: %s",
				 bl_status_text(status));
	bl_buf_clear(&text);
	if (status != BL_OK)
		bl_error_context(err, "journal");
	return status;
}

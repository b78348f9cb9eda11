/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following: look for new bytes every TICK_MS.  When the current file has been
 * renamed, the old one is read to its end, then those after it.
 */
#include "journal/private.h"

enum { TICK_MS = 100, READ_BYTES = 64 * 1024 };

struct follow {
	struct bl_str dir;
	bool (*visit)(void *context, struct bl_str line);
	void *context;
	int fd; /* -1: absent yet */
	struct bl_file_info info;
	uint64_t offset;
	struct bl_buf pending; /* the start of a line */
	bool too_long;         /* what pending had was dropped */
	bool stopped;
};

static enum bl_status open_number(struct follow *follow, uint32_t number,
				  int *out_fd, struct bl_file_info *out_info,
				  struct bl_error *err)
{
	char memory[1024];
	struct bl_arena arena;
	struct bl_str path;
	enum bl_status status;

	bl_arena_init(&arena, memory, sizeof(memory), 0);
	path = bl_journal_file(&arena, follow->dir, number);
	if (path.ptr)
		status = bl_os_open(path, BL_OPEN_NO_LINK, out_fd, err);
	else
		status = bl_arena_fail(&arena, err);
	bl_arena_clear(&arena);
	if (status == BL_OK)
		status = bl_os_info(*out_fd, out_info, err);
	return status;
}

/* ---- lines -------------------------------------------------------------- */

static void end_line(struct follow *follow, struct bl_str rest)
{
	struct bl_str line = rest;

	if (follow->pending.len > 0) {
		bl_buf_put_str(&follow->pending, rest);
		line = bl_buf_str(&follow->pending);
	}
	if (line.len > 0 && !follow->too_long &&
	    bl_buf_status(&follow->pending) == BL_OK)
		follow->stopped = !follow->visit(follow->context, line);
	follow->too_long = false;
	bl_buf_reset(&follow->pending);
}

static void take(struct follow *follow, struct bl_str text)
{
	while (text.len > 0 && !follow->stopped) {
		const char *feed = memchr(text.ptr, '\n', text.len);
		size_t len = feed ? (size_t)(feed - text.ptr) : text.len;
		struct bl_str part = bl_str_slice(text, 0, len);

		text = bl_str_slice(text, len + (feed != NULL), text.len);
		if (feed) {
			end_line(follow, part);
			continue;
		}
		bl_buf_put_str(&follow->pending, part);
		if (bl_buf_status(&follow->pending) != BL_OK) {
			bl_buf_reset(&follow->pending);
			follow->too_long = true;
		}
	}
}

/* All that the file has beyond offset. */
static enum bl_status drain(struct follow *follow, struct bl_error *err)
{
	char block[READ_BYTES];
	size_t got = sizeof(block);

	while (got == sizeof(block) && !follow->stopped) {
		enum bl_status status =
			bl_os_read_at(follow->fd, follow->offset, block,
				      sizeof(block), &got, err);

		if (status != BL_OK)
			return status;
		follow->offset += got;
		take(follow, (struct bl_str){ block, got });
	}
	return BL_OK;
}

/* ---- files -------------------------------------------------------------- */

static bool is_same(const struct bl_file_info *a, const struct bl_file_info *b)
{
	return a->inode == b->inode && a->device == b->device;
}

/*
 * The number that our file has now; 0 when it is gone, or was never there.
 * Files are renamed from the last to the first, so for a moment there is a gap
 * of one, and what we look for only ever moves away from us.
 */
static enum bl_status find_number(struct follow *follow, uint32_t *out_number,
				  struct bl_error *err)
{
	uint32_t missing = 0;

	*out_number = 0;
	for (uint32_t i = 1; follow->fd >= 0 && missing < 2; i++) {
		struct bl_file_info info = { 0 };
		int fd = -1;
		enum bl_status status = open_number(follow, i, &fd, &info, err);

		bl_os_close(fd);
		if (status == BL_OK && is_same(&info, &follow->info)) {
			*out_number = i;
			break;
		}
		if (status != BL_OK && status != BL_NOT_FOUND)
			return status;
		missing = status == BL_OK ? 0 : missing + 1;
	}
	return BL_OK;
}

/*
 * Opens the file after ours: *out_fd stays -1 when a renaming came in between,
 * which is so when ours has another number afterwards.
 */
static enum bl_status open_next(struct follow *follow, int *out_fd,
				struct bl_file_info *out_info,
				struct bl_error *err)
{
	uint32_t before = 0;
	uint32_t after = 0;
	enum bl_status status = find_number(follow, &before, err);

	if (status == BL_OK)
		status = open_number(follow, before ? before - 1 : 0, out_fd,
				     out_info, err);
	if (status == BL_OK)
		status = find_number(follow, &after, err);
	if (status != BL_OK || before != after)
		*out_fd = bl_os_close(*out_fd);
	return status == BL_NOT_FOUND ? BL_OK : status;
}

static void switch_to(struct follow *follow, int fd,
		      const struct bl_file_info *info)
{
	bl_os_close(follow->fd);
	follow->fd = fd;
	follow->info = *info;
	follow->offset = 0;
	end_line(follow, BL_STR("")); /* of a file that nobody adds to */
}

/* Reads on, in the file after ours when there is one; *out_more says so. */
static enum bl_status step(struct follow *follow, bool *out_more,
			   struct bl_error *err)
{
	struct bl_file_info info = { 0 };
	int fd = -1;
	enum bl_status status = open_number(follow, 0, &fd, &info, err);
	bool moved = status == BL_OK &&
		     (follow->fd < 0 || !is_same(&info, &follow->info));

	bl_os_close(fd);
	*out_more = moved;
	if (status == BL_NOT_FOUND)
		status = BL_OK;
	/* After the look at the name: nobody adds to a file that has moved. */
	if (status == BL_OK && follow->fd >= 0)
		status = drain(follow, err);
	if (status != BL_OK || !moved || follow->stopped)
		return status;
	fd = -1;
	status = open_next(follow, &fd, &info, err);
	if (status == BL_OK && fd >= 0)
		switch_to(follow, fd, &info);
	return status;
}

enum bl_status bl_journal_follow(struct bl_str dir, int stop_fd,
				 bool (*visit)(void *context,
					       struct bl_str line),
				 void *context, struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	struct follow follow = {
		.dir = dir, .visit = visit, .context = context, .fd = -1
	};
	enum bl_status status =
		open_number(&follow, 0, &follow.fd, &follow.info, err);

	if (status == BL_OK)
		follow.offset = follow.info.size_bytes;
	else if (status == BL_NOT_FOUND)
		status = BL_OK;
	bl_buf_init(&follow.pending, limits.journal_line_bytes);
	while (status == BL_OK && !follow.stopped) {
		bool more = false;

		status = step(&follow, &more, err);
		if (status == BL_OK && !follow.stopped && !more)
			follow.stopped = bl_os_wait_readable(stop_fd, TICK_MS);
	}
	bl_os_close(follow.fd);
	bl_buf_clear(&follow.pending);
	return status;
}

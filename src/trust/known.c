/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.c: HOME/.local/state/belay/trusted, the workspaces that were trusted at
 * some time, each as the SHA-256 of its path, a line each.
 *
 * It stands beside the trust store since that can be removed: without this
 * list, a project whose guards somebody relied on would look like one that was
 * never trusted, and its guards would be ignored.
 */
#include "trust/trust.h"

enum {
	LINE_BYTES = BL_SHA256_HEX_BYTES, /* with its newline */
	LIST_MAX_BYTES = 4 * BL_TRUST_MAX_RECORDS * LINE_BYTES,
	LIST_FILE_MODE = 0600,
	LIST_DIR_MODE = 0700,
	LIST_LOCK_MS = 10000,
};

#define LIST_DIR  ".local/state/belay"
#define LIST_FILE "trusted"

/* The list of a home, and the line of one workspace. */
struct list {
	struct bl_arena arena;
	struct bl_str dir;
	struct bl_str path;
	struct bl_str text; /* empty: no workspace */
	char line[LINE_BYTES + 1];
};

static enum bl_status open_list(struct list *list, struct bl_str home,
				struct bl_str workspace, struct bl_error *err)
{
	*list = (struct list){ 0 };
	bl_arena_init(&list->arena, NULL, 0, 0);
	bl_sha256_hex(workspace, list->line);
	list->line[LINE_BYTES - 1] = '\n';
	list->line[LINE_BYTES] = '\0';
	list->dir = bl_path_join(&list->arena, home, BL_STR(LIST_DIR));
	list->path = bl_path_join(&list->arena, list->dir, BL_STR(LIST_FILE));
	if (!list->dir.ptr || !list->path.ptr)
		return bl_arena_fail(&list->arena, err);
	return BL_OK;
}

static enum bl_status read_list(struct list *list, struct bl_error *err)
{
	enum bl_status status =
		bl_os_read_file(list->path, BL_OPEN_NO_LINK, LIST_MAX_BYTES,
				&list->arena, &list->text, NULL, err);

	return status == BL_NOT_FOUND ? BL_OK : status;
}

static size_t find_line(const struct list *list)
{
	return bl_str_find(list->text, bl_str(list->line), 0);
}

bool bl_trust_was_known(struct bl_str home, struct bl_str workspace)
{
	struct list list;
	enum bl_status status = open_list(&list, home, workspace, NULL);
	bool was_known;

	if (!status)
		status = read_list(&list, NULL);
	was_known = status || find_line(&list) != SIZE_MAX;
	bl_arena_clear(&list.arena);
	return was_known;
}

/* The list with the line or without it; NOT_FOUND: without, and it was not. */
static enum bl_status rewrite(struct list *list, bool with,
			      struct bl_error *err)
{
	struct bl_str text;
	struct bl_str rest;
	size_t at;
	enum bl_status status = read_list(list, err);

	if (status)
		return status;
	at = find_line(list);
	if (with && at != SIZE_MAX)
		return BL_OK;
	if (!with && at == SIZE_MAX)
		return bl_fail(err, BL_NOT_FOUND, "it was never trusted");
	if (with) {
		text = bl_arena_printf(&list->arena, "%.*s%s",
				       BL_STR_ARG(list->text), list->line);
	} else {
		rest = bl_str_slice(list->text, at + LINE_BYTES, SIZE_MAX);
		text = bl_arena_printf(&list->arena, "%.*s%.*s", (int)at,
				       list->text.ptr, BL_STR_ARG(rest));
	}
	if (!text.ptr)
		return bl_arena_fail(&list->arena, err);
	if (text.len > LIST_MAX_BYTES)
		return bl_fail(err, BL_LIMIT,
			       "the list of trusted workspaces is full");
	return bl_os_replace_file(list->path, text, LIST_FILE_MODE, err);
}

static enum bl_status change(struct bl_str home, struct bl_str workspace,
			     bool with, struct bl_error *err)
{
	struct list list;
	struct bl_str lock;
	int fd = -1;
	enum bl_status status = open_list(&list, home, workspace, err);

	lock = bl_path_join(&list.arena, list.dir, BL_STR(LIST_FILE ".lock"));
	if (!status && !lock.ptr)
		status = bl_arena_fail(&list.arena, err);
	if (!status)
		status = bl_os_make_dirs(list.dir, LIST_DIR_MODE, err);
	if (!status)
		status = bl_os_open_locked(lock, LIST_FILE_MODE, LIST_LOCK_MS,
					   &fd, err);
	if (!status)
		status = rewrite(&list, with, err);
	bl_os_close(fd);
	if (status && status != BL_NOT_FOUND)
		bl_error_context(err, "%.*s", BL_STR_ARG(list.path));
	bl_arena_clear(&list.arena);
	return status;
}

enum bl_status bl_trust_remember(struct bl_str home, struct bl_str workspace,
				 struct bl_error *err)
{
	return change(home, workspace, true, err);
}

enum bl_status bl_trust_forget(struct bl_str home, struct bl_str workspace,
			       struct bl_error *err)
{
	return change(home, workspace, false, err);
}

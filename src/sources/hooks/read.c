/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c: the bytes of one hook file, by descriptor.
 *
 * Links (C18, profile's refuse_linked_file): a repository can commit a link,
 * so project files may not be one; people who keep their dotfiles in a
 * repository link their own file, so that is allowed as long as link and
 * target are theirs or root's; a plugin's file may be a link inside the plugin.
 * Links are looked for in the file itself and in the folder that holds it.
 */
#include "sources/hooks/private.h"

enum { MAX_ATTEMPTS = 3 };

enum link_policy {
	LINK_FOLLOW, /* as any other file */
	LINK_REFUSE,
	LINK_OWN,    /* when it belongs to the user or root */
	LINK_INSIDE, /* when it stays inside the plugin */
};

/* By refuse_linked_file. */
static const uint8_t link_policies[2][BL_SOURCE_COUNT] = {
	[false] = { LINK_FOLLOW, LINK_FOLLOW, LINK_FOLLOW, LINK_FOLLOW,
		    LINK_INSIDE },
	[true] = {
		[BL_SOURCE_ENTERPRISE] = LINK_REFUSE,
		[BL_SOURCE_TEAM] = LINK_REFUSE,
		[BL_SOURCE_PROJECT] = LINK_REFUSE,
		[BL_SOURCE_USER] = LINK_OWN,
		[BL_SOURCE_PLUGIN] = LINK_INSIDE,
	},
};

/* One file being read. */
struct reader {
	const struct bl_hook_options *options;
	struct bl_hook_file *file;
	struct bl_diags *diags;
	struct bl_arena *arena;
	struct bl_str text;
	struct bl_file_info info;
};

/* ---- findings ----------------------------------------------------- */

static bool report(struct reader *reader, enum bl_hook_rule rule,
		   struct bl_str subject)
{
	struct bl_diag_source source = { .file = reader->file->path };
	struct bl_hook_finding finding = { .subject = subject };

	return bl_hook_report(reader->diags, reader->options->profile, &source,
			      rule, &finding);
}

/* The file contributes nothing, for a reason. */
static void refuse(struct reader *reader, enum bl_file_state state,
		   enum bl_hook_rule rule, struct bl_str subject)
{
	struct bl_diag **last = reader->diags->tail;

	report(reader, rule, subject);
	reader->file->state = state;
	reader->file->why = *last ? (*last)->message : subject;
}

/* ---- opening -------------------------------------------------------- */

/* Opens folder and file step by step: DENIED when one of them is a link. */
static enum bl_status open_unlinked(struct bl_str path, int *out_fd,
				    struct bl_error *err)
{
	struct bl_str folder = bl_path_dir(path);
	int above = -1;
	int dir = -1;
	enum bl_status status =
		bl_os_open(bl_path_dir(folder), BL_OPEN_DIRECTORY, &above, err);

	if (status == BL_OK)
		status = bl_os_open_at(above, bl_path_base(folder),
				       BL_OPEN_NO_LINK | BL_OPEN_DIRECTORY,
				       &dir, err);
	if (status == BL_OK)
		status = bl_os_open_at(dir, bl_path_base(path), BL_OPEN_NO_LINK,
				       out_fd, err);
	bl_os_close(dir);
	bl_os_close(above);
	return status;
}

/* For the message only: is it a link that keeps the file from being opened? */
static bool is_linked(struct bl_str path)
{
	struct bl_file_info info;

	if (bl_os_info_path(path, &info, NULL) == BL_OK &&
	    info.type == BL_FILE_LINK)
		return true;
	return bl_os_info_path(bl_path_dir(path), &info, NULL) == BL_OK &&
	       info.type == BL_FILE_LINK;
}

static bool is_ours(const struct bl_file_info *info)
{
	return info->uid == 0 || info->uid == bl_os_user_id();
}

/* Are the links on the way, and what they lead to, the user's or root's? */
static bool links_are_ours(struct bl_str path, int fd)
{
	struct bl_file_info info;

	if (bl_os_info(fd, &info, NULL) != BL_OK || !is_ours(&info))
		return false;
	if (bl_os_info_path(path, &info, NULL) != BL_OK || !is_ours(&info))
		return false;
	return bl_os_info_path(bl_path_dir(path), &info, NULL) == BL_OK &&
	       is_ours(&info);
}

static bool is_inside(struct reader *reader, struct bl_str path,
		      struct bl_str folder)
{
	struct bl_str real;
	struct bl_str start;

	if (bl_path_resolve(reader->arena, path, &real, NULL) != BL_OK ||
	    bl_path_resolve(reader->arena, folder, &start, NULL) != BL_OK)
		return false;
	return real.len > start.len && bl_str_has_prefix(real, start) &&
	       (real.ptr[start.len] == '/' || start.len == 1);
}

/* A file whose way has links, under a policy that allows them at times. */
static enum bl_status open_linked(struct reader *reader,
				  enum link_policy policy, int *out_fd,
				  struct bl_error *err)
{
	struct bl_str path = reader->file->path;
	struct bl_str none = { NULL, 0 };
	enum bl_status status = bl_os_open(path, 0, out_fd, err);

	if (status == BL_NOT_FOUND)
		report(reader, BL_RULE_LINK_DANGLING, none);
	if (status != BL_OK)
		return status;
	if (policy == LINK_INSIDE &&
	    !is_inside(reader, path, reader->file->plugin))
		refuse(reader, BL_HOOK_FILE_BROKEN, BL_RULE_LINK_OUTSIDE, none);
	else if (policy == LINK_OWN && !links_are_ours(path, *out_fd))
		refuse(reader, BL_HOOK_FILE_BROKEN, BL_RULE_LINK_FOREIGN, none);
	else if (policy == LINK_OWN)
		report(reader, BL_RULE_LINK_NOTED, none);
	return BL_OK;
}

static enum bl_status open_file(struct reader *reader, int *out_fd,
				struct bl_error *err)
{
	struct bl_str path = reader->file->path;
	enum bl_source source = reader->file->source;
	enum link_policy policy = (enum link_policy)
		link_policies[reader->options->profile->refuse_linked_file]
			     [source];
	enum bl_status status;

	if (policy == LINK_FOLLOW)
		return bl_os_open(path, 0, out_fd, err);
	status = open_unlinked(path, out_fd, err);
	if (status != BL_DENIED || !is_linked(path))
		return status;
	if (policy != LINK_REFUSE)
		return open_linked(reader, policy, out_fd, err);
	refuse(reader,
	       bl_source_is_managed(source) ? BL_HOOK_FILE_UNSAFE
					    : BL_HOOK_FILE_BROKEN,
	       BL_RULE_LINK_REFUSED, (struct bl_str){ NULL, 0 });
	return BL_OK;
}

/* ---- reading -------------------------------------------------------- */

static struct bl_str size_limit(const struct reader *reader)
{
	return bl_arena_printf(
		reader->arena, "%llu",
		(unsigned long long)reader->options->limits->config_bytes);
}

/* Did somebody write the file in between? */
static bool is_same_state(const struct bl_file_info *a,
			  const struct bl_file_info *b)
{
	return a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns &&
	       a->ctime_ns == b->ctime_ns;
}

/* One attempt; *out_stable is false when the file changed meanwhile. */
static enum bl_status read_once(struct reader *reader, int fd, bool *out_stable,
				struct bl_error *err)
{
	struct bl_str none = { NULL, 0 };
	struct bl_file_info after;
	enum bl_status status = bl_os_info(fd, &reader->info, err);

	*out_stable = true;
	if (status != BL_OK)
		return status;
	if (reader->info.type != BL_FILE_REGULAR) {
		refuse(reader, BL_HOOK_FILE_BROKEN, BL_RULE_NOT_REGULAR, none);
		return BL_OK;
	}
	if (reader->info.size_bytes > reader->options->limits->config_bytes) {
		refuse(reader, BL_HOOK_FILE_BROKEN, BL_RULE_TOO_LARGE,
		       size_limit(reader));
		return BL_OK;
	}
	status = bl_os_read_all(fd, reader->options->limits->config_bytes,
				reader->arena, &reader->text, err);
	if (status == BL_OK)
		status = bl_os_info(fd, &after, err);
	if (status == BL_OK)
		*out_stable = is_same_state(&reader->info, &after);
	return status;
}

/*
 * Opens and reads, again when the file was being written.  OK with state still
 * MISSING and text set when all is well.
 */
static enum bl_status read_stable(struct reader *reader, struct bl_error *err)
{
	for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
		bool stable = true;
		int fd = -1;
		enum bl_status status = open_file(reader, &fd, err);

		if (status == BL_OK &&
		    reader->file->state == BL_HOOK_FILE_MISSING)
			status = read_once(reader, fd, &stable, err);
		bl_os_close(fd);
		if (status != BL_OK || stable)
			return status;
	}
	refuse(reader, BL_HOOK_FILE_BROKEN, BL_RULE_UNSTABLE,
	       (struct bl_str){ NULL, 0 });
	return BL_OK;
}

/* ---- owners --------------------------------------------------------- */

/*
 * Root's files only, for the enterprise; where the system's folders were
 * redirected (by the user, on the command line), the user's as well.
 */
static bool is_enterprise_owner(const struct reader *reader)
{
	return reader->info.uid == 0 || reader->options->system_root.len > 0;
}

static void check_owner(struct reader *reader)
{
	struct bl_hook_file *file = reader->file;
	struct bl_str why;

	if (bl_trust_check_owner(file->path, &reader->info, reader->arena,
				 &why) == BL_OWNER_OK) {
		if (file->source != BL_SOURCE_ENTERPRISE ||
		    is_enterprise_owner(reader))
			return;
		why = BL_STR("it does not belong to root");
	}
	if (bl_source_is_managed(file->source))
		refuse(reader, BL_HOOK_FILE_UNSAFE, BL_RULE_UNSAFE, why);
	else
		report(reader, BL_RULE_OTHERS_WRITE, why);
}

enum bl_status bl_hook_read(const struct bl_hook_options *options,
			    struct bl_hook_file *file, struct bl_diags *diags,
			    struct bl_arena *arena, struct bl_str *out_text,
			    struct bl_error *err)
{
	struct reader reader = {
		.options = options, .file = file, .diags = diags, .arena = arena
	};
	struct bl_error why = { 0 };
	enum bl_status status = read_stable(&reader, &why);

	if (bl_arena_status(arena) != BL_OK)
		return bl_arena_fail(arena, err);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(err);
	if (status == BL_NOT_FOUND)
		return BL_OK;
	if (status == BL_LIMIT)
		refuse(&reader, BL_HOOK_FILE_BROKEN, BL_RULE_TOO_LARGE,
		       size_limit(&reader));
	else if (status != BL_OK)
		refuse(&reader, BL_HOOK_FILE_BROKEN, BL_RULE_UNREADABLE,
		       bl_arena_printf(arena, "%s", why.message));
	if (file->state != BL_HOOK_FILE_MISSING)
		return BL_OK;
	file->state = BL_HOOK_FILE_LOADED;
	check_owner(&reader);
	*out_text = reader.text;
	return BL_OK;
}

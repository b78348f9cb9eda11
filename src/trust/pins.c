/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pins.c: the files whose content is part of the trust in a workspace.
 *
 * A word of a command becomes a path as the shell would read it where belay
 * starts it: relative to dir, with the few variables that belay itself or
 * every login sets.
 */
#include "trust/trust.h"

#include <errno.h>

enum { MAX_WORDS = 4096 }; /* of one hook file: each costs a look at a file */

/* The prefixes of words, with their meanings. */
static const struct {
	const char *text;
	bool is_home; /* else the working directory */
} expansions[] = {
	{ "~", true },
	{ "$HOME", true },
	{ "${HOME}", true },
	{ "$PWD", false },
	{ "${PWD}", false },
	{ "$CURSOR_PROJECT_DIR", false },
	{ "${CURSOR_PROJECT_DIR}", false },
	{ "$CLAUDE_PROJECT_DIR", false },
	{ "${CLAUDE_PROJECT_DIR}", false },
	{ "$CURSOR_PLUGIN_ROOT", false },
	{ "${CURSOR_PLUGIN_ROOT}", false },
	{ "$CLAUDE_PLUGIN_ROOT", false },
	{ "${CLAUDE_PLUGIN_ROOT}", false },
};

/* Folders whose root-owned files are the system's, not the workspace's. */
static const char *const system_folders[] = {
	"/bin/", "/lib/", "/lib64/", "/sbin/", "/usr/", "/dev/", "/proc/",
};

/* The state of a walk over the words of the commands. */
struct walk {
	struct bl_str dir;
	struct bl_str home;
	struct bl_arena *arena;
	enum bl_status (*look)(struct walk *walk, struct bl_str path,
			       bool must_report);
	size_t word_count;
	enum bl_status status;
	struct bl_error *err;
};

/* Where the shell's own HOME leads, since it is the shell that expands it. */
static struct bl_str find_home(struct bl_arena *arena)
{
	struct bl_str home = bl_os_getenv("HOME");

	if (bl_path_is_absolute(home))
		return home;
	if (bl_os_home(arena, &home, NULL) != BL_OK)
		return (struct bl_str){ NULL, 0 };
	return home;
}

/* The rest of the word behind an expansion, with its folder in *out_base. */
static struct bl_str expand(const struct walk *walk, struct bl_str word,
			    struct bl_str *out_base)
{
	*out_base = walk->dir;
	for (size_t i = 0; i < BL_COUNT(expansions); i++) {
		struct bl_str text = bl_str(expansions[i].text);

		if (!bl_str_has_prefix(word, text) || word.len == text.len ||
		    word.ptr[text.len] != '/')
			continue;
		if (expansions[i].is_home)
			*out_base = walk->home;
		return bl_str_slice(word, text.len + 1, SIZE_MAX);
	}
	return word;
}

static void visit_word(void *context, struct bl_str word)
{
	struct walk *walk = context;
	struct bl_str base;
	struct bl_str rest = expand(walk, word, &base);
	struct bl_str path;
	bool has_slash = word.len > 0 && memchr(word.ptr, '/', word.len);

	if (walk->status != BL_OK || memchr(word.ptr, '\0', word.len))
		return;
	if (++walk->word_count > MAX_WORDS) {
		walk->status = bl_fail(walk->err, BL_LIMIT,
				       "the commands have more than %d words",
				       MAX_WORDS);
		return;
	}
	while (bl_str_has_prefix(rest, BL_STR("./")))
		rest = bl_str_slice(rest, 2, SIZE_MAX);
	path = bl_path_join(walk->arena, base, rest);
	if (!path.ptr)
		walk->status = bl_arena_fail(walk->arena, walk->err);
	else
		walk->status = walk->look(walk, path, has_slash);
}

static enum bl_status walk_commands(struct walk *walk,
				    const struct bl_trust_commands *commands)
{
	walk->dir = commands->dir;
	walk->home = find_home(walk->arena);
	for (size_t i = 0; i < commands->count && walk->status == BL_OK; i++) {
		enum bl_status status = bl_trust_each_script(commands->items[i],
							     visit_word, walk);

		if (status != BL_OK && walk->status == BL_OK)
			walk->status = bl_fail(
				walk->err, status,
				"the words of a command cannot be told apart: "
				"%s",
				bl_status_text(status));
	}
	return walk->status;
}

/*
 * Opens a file that a word names.  NOT_FOUND when absent, or it is not a
 * regular file, or lies where this user does not come; another failure when it
 * is there, or nobody can say, and it cannot be read: a hook may still run it.
 */
static enum bl_status open_script(struct bl_str path, int *out_fd,
				  struct bl_file_info *out_info,
				  struct bl_error *err)
{
	struct bl_error why, info_err = { 0 };
	enum bl_status status = bl_os_open(path, 0, out_fd, &why);
	bool is_there;

	if (status == BL_OK) {
		status = bl_os_info(*out_fd, out_info, err);
		if (status == BL_OK && out_info->type == BL_FILE_REGULAR)
			return BL_OK;
		*out_fd = bl_os_close(*out_fd);
		return status == BL_OK ? BL_NOT_FOUND : status;
	}
	is_there = bl_os_info_target(path, out_info, &info_err) == BL_OK
			   ? out_info->type == BL_FILE_REGULAR
			   : info_err.sys_errno == EIO;
	return is_there ? bl_fail(err, status, "%s", why.message)
			: BL_NOT_FOUND;
}

/* A program of the system: only root can change it. */
static bool is_system_file(struct bl_str path, struct bl_str dir,
			   const struct bl_file_info *info)
{
	if (info->uid != 0 || (info->mode & 022) ||
	    bl_str_has_prefix(path, dir))
		return false;
	for (size_t i = 0; i < BL_COUNT(system_folders); i++) {
		if (bl_str_has_prefix(path, bl_str(system_folders[i])))
			return true;
	}
	return false;
}

/* ---- making pins ---------------------------------------------------- */

struct pinning {
	struct walk walk; /* first: look gets its address */
	struct bl_trust_pin *pins;
	size_t count;
};

static enum bl_status add_pin(struct pinning *pinning, struct bl_str path,
			      const struct bl_str *content)
{
	struct bl_trust_pin *pin;

	for (size_t i = 0; i < pinning->count; i++) {
		if (bl_str_equal(pinning->pins[i].path, path))
			return BL_OK;
	}
	if (pinning->count == BL_TRUST_MAX_PINS)
		return bl_fail(pinning->walk.err, BL_LIMIT,
			       "the commands name more than %d files",
			       BL_TRUST_MAX_PINS);
	pin = &pinning->pins[pinning->count++];
	pin->path = path;
	if (content)
		bl_sha256_hex(*content, pin->sha256);
	else
		pin->sha256[0] = '\0';
	return BL_OK;
}

/* Hashes the file in a scratch arena, since only its digest stays. */
static enum bl_status pin_open_file(struct pinning *pinning, struct bl_str path,
				    int fd)
{
	struct bl_arena scratch;
	struct bl_str content;
	enum bl_status status;

	bl_arena_init(&scratch, NULL, 0, 0);
	status = bl_os_read_all(fd, BL_TRUST_MAX_PIN_BYTES, &scratch, &content,
				pinning->walk.err);
	if (status == BL_OK)
		status = add_pin(pinning, path, &content);
	else
		bl_error_context(pinning->walk.err, "%.*s", BL_STR_ARG(path));
	bl_arena_clear(&scratch);
	return status;
}

static enum bl_status pin_word(struct walk *walk, struct bl_str path,
			       bool must_report)
{
	struct pinning *pinning = (struct pinning *)walk;
	struct bl_file_info info;
	enum bl_status status;
	int fd = -1;

	status = open_script(path, &fd, &info, walk->err);
	if (status == BL_NOT_FOUND)
		return must_report ? add_pin(pinning, path, NULL) : BL_OK;
	if (status != BL_OK)
		return status;
	if (!is_system_file(path, walk->dir, &info))
		status = pin_open_file(pinning, path, fd);
	bl_os_close(fd);
	return status;
}

enum bl_status bl_trust_make_pins(struct bl_str hook_file,
				  struct bl_str content,
				  const struct bl_trust_commands *commands,
				  struct bl_arena *arena,
				  struct bl_trust_pins *out_pins,
				  struct bl_error *err)
{
	struct pinning pinning = {
		.walk = { .arena = arena, .look = pin_word, .err = err },
	};
	enum bl_status status;

	pinning.pins = bl_arena_new_array(arena, struct bl_trust_pin,
					  BL_TRUST_MAX_PINS);
	if (!pinning.pins)
		return bl_arena_fail(arena, err);
	status = add_pin(&pinning, hook_file, &content);
	if (status == BL_OK)
		status = walk_commands(&pinning.walk, commands);
	if (status != BL_OK)
		return status;
	out_pins->items = pinning.pins;
	out_pins->count = pinning.count;
	return BL_OK;
}

/* ---- owners of scripts ---------------------------------------------- */

struct owner_walk {
	struct walk walk; /* first: look gets its address */
	enum bl_owner_verdict verdict;
	struct bl_str why;
};

static enum bl_status check_word(struct walk *walk, struct bl_str path,
				 bool must_report)
{
	struct owner_walk *owners = (struct owner_walk *)walk;
	struct bl_file_info info;
	int fd = -1;

	enum bl_status status;

	(void)must_report;
	if (owners->verdict != BL_OWNER_OK)
		return BL_OK;
	status = open_script(path, &fd, &info, walk->err);
	if (status != BL_OK)
		return status == BL_NOT_FOUND ? BL_OK : status;
	owners->verdict =
		bl_trust_check_owner(path, &info, walk->arena, &owners->why);
	bl_os_close(fd);
	return BL_OK;
}

enum bl_status bl_trust_check_scripts(const struct bl_trust_commands *commands,
				      struct bl_arena *arena,
				      enum bl_owner_verdict *out_verdict,
				      struct bl_str *out_why,
				      struct bl_error *err)
{
	struct owner_walk owners = {
		.walk = { .arena = arena, .look = check_word, .err = err },
		.verdict = BL_OWNER_OK,
	};
	enum bl_status status = walk_commands(&owners.walk, commands);

	if (status != BL_OK)
		return status;
	*out_verdict = owners.verdict;
	*out_why = owners.why;
	return BL_OK;
}

/* ---- comparing ---------------------------------------------------- */

static const struct bl_trust_pin *find_pin(const struct bl_trust_pin *pins,
					   size_t count, struct bl_str path)
{
	for (size_t i = 0; i < count; i++) {
		if (bl_str_equal(pins[i].path, path))
			return &pins[i];
	}
	return NULL;
}

/* The change of a file between the two pins, or NULL without one. */
static const char *difference(const struct bl_trust_pin *before,
			      const struct bl_trust_pin *now)
{
	if (!before)
		return "was added since it was trusted";
	if (!now)
		return "is no longer used since it was trusted";
	if (!strcmp(before->sha256, now->sha256))
		return NULL;
	if (before->sha256[0] == '\0')
		return "appeared since it was trusted";
	if (now->sha256[0] == '\0')
		return "is gone since it was trusted";
	return "changed since it was trusted";
}

static enum bl_trust_state changed(struct bl_str path, const char *what,
				   struct bl_arena *arena,
				   struct bl_str *out_what)
{
	if (out_what)
		*out_what = bl_arena_printf(arena, "%.*s %s", BL_STR_ARG(path),
					    what);
	return BL_TRUST_CHANGED;
}

enum bl_trust_state bl_trust_compare(const struct bl_trust_record *record,
				     const struct bl_trust_pin *pins,
				     size_t pin_count, struct bl_arena *arena,
				     struct bl_str *out_what)
{
	if (out_what)
		*out_what = (struct bl_str){ NULL, 0 };
	if (!record)
		return BL_TRUST_UNKNOWN;
	if (record->mode == BL_TRUST_FOLDER)
		return BL_TRUST_TRUSTED;
	for (size_t i = 0; i < pin_count; i++) {
		const char *what = difference(
			find_pin(record->pins, record->pin_count, pins[i].path),
			&pins[i]);

		if (what)
			return changed(pins[i].path, what, arena, out_what);
	}
	for (size_t i = 0; i < record->pin_count; i++) {
		if (!find_pin(pins, pin_count, record->pins[i].path))
			return changed(record->pins[i].path,
				       difference(&record->pins[i], NULL),
				       arena, out_what);
	}
	return BL_TRUST_TRUSTED;
}

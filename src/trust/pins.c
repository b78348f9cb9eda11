/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pins.c: the files whose content is part of the trust in a workspace.
 *
 * A word of a command becomes a path as the shell would read it where belay
 * starts it: relative to dir, with the few variables that belay itself or
 * every login sets.
 */
#include "base/hex.h"
#include "trust/trust.h"

#include <errno.h>

enum {
	MAX_WORDS = 4096, /* of one hook file: each costs a look at a file */
	MAX_FOLDERS = 16, /* that one command may change to */
	MAX_MODULE_FOLDERS = 256,
	MAX_MODULE_DEPTH = 16,
	MAX_NAMES = 4096,       /* in one folder of modules */
	MAX_INTERPRETERS = 4,   /* of one another: as many as Linux takes */
	PIECE_BYTES = 64 << 10, /* of a file, to be hashed */
};

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

/*
 * The state of a walk over the words of the commands.  A command may change its
 * folder (cd, env -C): then each folder that it names counts as one to which its
 * words may be relative.
 */
struct walk {
	struct bl_str dir;
	struct bl_str folders[MAX_FOLDERS]; /* the first is dir */
	size_t folder_count;
	bool moves;          /* the command may change its folder */
	bool is_python;      /* it runs Python, which loads what is beside */
	bool loads_from_dir; /* and what is in the working folder (-m, -c) */
	struct bl_str home;
	struct bl_arena *arena;
	enum bl_status (*look)(struct walk *walk, struct bl_str path,
			       bool must_report);
	enum bl_status (*end)(struct walk *walk); /* of a command; or NULL */
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

/* By the name of a program or of a script. */
static bool is_python(struct bl_str name)
{
	return bl_str_has_prefix(name, BL_STR("python")) ||
	       bl_str_has_prefix(name, BL_STR("pypy")) ||
	       bl_str_has_suffix(name, BL_STR(".py"));
}

static struct bl_str without_dots(struct bl_str path)
{
	while (bl_str_has_prefix(path, BL_STR("./")))
		path = bl_str_slice(path, 2, SIZE_MAX);
	return path;
}

static bool count_word(struct walk *walk, struct bl_str word)
{
	if (walk->status != BL_OK || memchr(word.ptr, '\0', word.len))
		return false;
	if (++walk->word_count > MAX_WORDS)
		walk->status = bl_fail(walk->err, BL_LIMIT,
				       "the commands have more than %d words",
				       MAX_WORDS);
	return walk->status == BL_OK;
}

/* Takes what a word says of its command. */
static void note_word(void *context, struct bl_str word)
{
	static const char *const moves[] = { "cd", "pushd", "chdir" };
	static const char *const options[] = { "-C", "--chdir", "--directory",
					       "--cwd", "--prefix" };
	struct bl_str name = bl_path_base(word);
	struct walk *walk = context;

	for (size_t i = 0; i < BL_COUNT(moves); i++)
		walk->moves |= bl_str_is(word, moves[i]);
	for (size_t i = 0; i < BL_COUNT(options); i++)
		walk->moves |= bl_str_has_prefix(word, bl_str(options[i]));
	walk->is_python |= is_python(name);
	walk->loads_from_dir |= bl_str_is(word, "-m") || bl_str_is(word, "-c");
}

/* A folder that the command may change to. */
static void note_folder(void *context, struct bl_str word)
{
	struct walk *walk = context;
	struct bl_file_info info;
	struct bl_str base;
	struct bl_str rest = expand(walk, word, &base);
	size_t known = walk->folder_count;

	if (memchr(word.ptr, '\0', word.len))
		return;
	for (size_t i = 0; i < known && walk->status == BL_OK; i++) {
		struct bl_str path =
			bl_path_join(walk->arena, i ? walk->folders[i] : base,
				     without_dots(rest));

		if (!path.ptr)
			walk->status = bl_arena_fail(walk->arena, walk->err);
		else if (bl_os_info_target(path, &info, NULL) != BL_OK ||
			 info.type != BL_FILE_DIRECTORY)
			continue;
		else if (walk->folder_count == MAX_FOLDERS)
			walk->status = bl_fail(
				walk->err, BL_LIMIT,
				"a command names more than %d folders that it "
				"may change to",
				MAX_FOLDERS);
		else
			walk->folders[walk->folder_count++] = path;
		if (bl_path_is_absolute(rest))
			return;
	}
}

static void visit_word(void *context, struct bl_str word)
{
	struct walk *walk = context;
	struct bl_str base;
	struct bl_str rest = without_dots(expand(walk, word, &base));
	struct bl_str path;
	bool has_slash = word.len > 0 && memchr(word.ptr, '/', word.len);

	if (!count_word(walk, word))
		return;
	for (size_t i = 0; i < walk->folder_count; i++) {
		path = bl_path_join(walk->arena, i ? walk->folders[i] : base,
				    rest);
		if (!path.ptr)
			walk->status = bl_arena_fail(walk->arena, walk->err);
		else
			walk->status =
				walk->look(walk, path, has_slash && i == 0);
		if (walk->status != BL_OK || bl_path_is_absolute(rest))
			return;
	}
}

static enum bl_status walk_command(struct walk *walk, struct bl_str command)
{
	enum bl_status status;

	walk->folders[0] = walk->dir;
	walk->folder_count = 1;
	walk->moves = walk->is_python = walk->loads_from_dir = false;
	status = bl_trust_each_script(command, note_word, walk);
	if (status == BL_OK && walk->moves)
		status = bl_trust_each_script(command, note_folder, walk);
	if (status == BL_OK)
		status = bl_trust_each_script(command, visit_word, walk);
	return status;
}

static enum bl_status walk_commands(struct walk *walk,
				    const struct bl_trust_commands *commands)
{
	walk->dir = commands->dir;
	walk->home = find_home(walk->arena);
	for (size_t i = 0; i < commands->count && walk->status == BL_OK; i++) {
		enum bl_status status = walk_command(walk, commands->items[i]);

		if (status != BL_OK && walk->status == BL_OK)
			walk->status = bl_fail(
				walk->err, status,
				"the words of a command cannot be told apart: "
				"%s",
				bl_status_text(status));
		if (walk->status == BL_OK && walk->end)
			walk->status = walk->end(walk);
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
	if (status == BL_NOT_FOUND)
		return status;
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
	unsigned depth;           /* of interpreters of interpreters */
	struct bl_str modules_of; /* the folder whose modules are pinned */
	size_t module_folder_count;
};

static enum bl_status pin_word(struct walk *walk, struct bl_str path,
			       bool must_report);

static bool is_pinned(const struct pinning *pinning, struct bl_str path)
{
	for (size_t i = 0; i < pinning->count; i++)
		if (bl_str_equal(pinning->pins[i].path, path))
			return true;
	return false;
}

static enum bl_status fail_modules(struct pinning *pinning)
{
	return bl_fail(pinning->walk.err, BL_LIMIT,
		       "there are more modules in and below %.*s than can be "
		       "pinned: put the script into a folder of its own, or "
		       "trust the whole folder (belay trust add --folder)",
		       BL_STR_ARG(pinning->modules_of));
}

/* sha256 is its digest in hexadecimal; NULL: the file is missing. */
static enum bl_status add_pin(struct pinning *pinning, struct bl_str path,
			      const char *sha256)
{
	struct bl_trust_pin *pin;

	if (is_pinned(pinning, path))
		return BL_OK;
	if (pinning->count == BL_TRUST_MAX_PINS)
		return pinning->modules_of.len
			       ? fail_modules(pinning)
			       : bl_fail(pinning->walk.err, BL_LIMIT,
					 "the commands name more than %d files",
					 BL_TRUST_MAX_PINS);
	pin = &pinning->pins[pinning->count++];
	*pin = (struct bl_trust_pin){ .path = path };
	if (sha256)
		memcpy(pin->sha256, sha256, sizeof(pin->sha256));
	return BL_OK;
}

/* ---- what scripts load ------------------------------------------------ */

static bool is_module(struct bl_str name)
{
	static const char *const suffixes[] = { ".py", ".pyc", ".so" };

	for (size_t i = 0; i < BL_COUNT(suffixes); i++)
		if (bl_str_has_suffix(name, bl_str(suffixes[i])))
			return true;
	return false;
}

static enum bl_status pin_modules(struct pinning *pinning, struct bl_str folder,
				  unsigned depth);

/* A module is pinned, a folder may be a package. */
static enum bl_status pin_module(struct pinning *pinning, struct bl_str folder,
				 struct bl_str name, unsigned depth)
{
	struct bl_arena *arena = pinning->walk.arena;
	struct bl_file_info info;
	struct bl_str path;

	if (!is_module(name) &&
	    (memchr(name.ptr, '.', name.len) || bl_str_is(name, "__pycache__")))
		return BL_OK;
	path = bl_path_join(arena, folder, name);
	if (!path.ptr)
		return bl_arena_fail(arena, pinning->walk.err);
	if (is_module(name))
		return pin_word(&pinning->walk, path, false);
	if (bl_os_info_target(path, &info, NULL) != BL_OK ||
	    info.type != BL_FILE_DIRECTORY)
		return BL_OK;
	return pin_modules(pinning, path, depth + 1);
}

/*
 * Python loads a module from beside its script, or from the working folder,
 * before its own of that name: all that are there, and none that comes.
 */
static enum bl_status pin_modules(struct pinning *pinning, struct bl_str folder,
				  unsigned depth)
{
	struct bl_str *names;
	size_t count;
	enum bl_status status;

	if (depth == MAX_MODULE_DEPTH ||
	    ++pinning->module_folder_count > MAX_MODULE_FOLDERS)
		return fail_modules(pinning);
	status = bl_os_list_dir(folder, MAX_NAMES, pinning->walk.arena, &names,
				&count, pinning->walk.err);
	if (status != BL_OK)
		return status == BL_NOT_FOUND ? BL_OK : status;
	for (size_t i = 0; status == BL_OK && i < count; i++)
		status = pin_module(pinning, folder, names[i], depth);
	return status;
}

/* The modules of one folder, unless they are being pinned. */
static enum bl_status pin_folder(struct pinning *pinning, struct bl_str folder)
{
	enum bl_status status;

	if (pinning->modules_of.len)
		return BL_OK;
	pinning->modules_of = folder;
	status = pin_modules(pinning, folder, 0);
	pinning->modules_of = BL_STR("");
	return status;
}

/* The files that the first line of a script names: #!./run, #!env -S ./run */
static enum bl_status pin_interpreter(struct pinning *pinning,
				      struct bl_str line, bool *out_is_python)
{
	struct walk *walk = &pinning->walk;
	enum bl_status status = BL_OK;

	if (pinning->depth == MAX_INTERPRETERS)
		return BL_OK;
	pinning->depth++;
	while (line.len && status == BL_OK) {
		size_t end = 0;
		struct bl_str word, path;

		while (end < line.len && !strchr(" \t\r", line.ptr[end]))
			end++;
		word = bl_str_slice(line, 0, end);
		line = bl_str_slice(line, end + 1, SIZE_MAX);
		*out_is_python |= is_python(bl_path_base(word));
		path = bl_path_join(walk->arena, walk->dir, without_dots(word));
		if (!path.ptr)
			return bl_arena_fail(walk->arena, walk->err);
		if (word.len)
			status = pin_word(walk, path, false);
	}
	pinning->depth--;
	return status;
}

/* The line of a script behind its "#!"; empty: the file does not begin so. */
static struct bl_str interpreter_line(struct bl_str start)
{
	if (!bl_str_has_prefix(start, BL_STR("#!")))
		return BL_STR("");
	return bl_str_slice(start, 2, bl_str_find(start, BL_STR("\n"), 0));
}

/*
 * Hashes a file piece by piece: a program may be large, and every event pays for
 * the pages that it fills.
 */
static enum bl_status hash_file(int fd, struct bl_arena *scratch,
				char out_sha256[BL_SHA256_HEX_BYTES],
				struct bl_str *out_line, struct bl_error *err)
{
	char *piece = bl_arena_alloc(scratch, PIECE_BYTES);
	uint8_t digest[BL_SHA256_BYTES];
	struct bl_sha256 sha;
	size_t size = 0;
	size_t got = PIECE_BYTES;
	enum bl_status status;

	bl_sha256_init(&sha);
	while (piece && got == PIECE_BYTES) {
		status = bl_os_read_at(fd, size, piece, PIECE_BYTES, &got, err);
		if (status)
			return status;
		bl_sha256_update(&sha, piece, got);
		if (!size)
			*out_line = bl_arena_copy_str(
				scratch, interpreter_line((struct bl_str){
						 piece, got }));
		size += got;
		if (size > BL_TRUST_MAX_PIN_BYTES)
			return bl_fail(err, BL_LIMIT,
				       "more than %d bytes to read",
				       BL_TRUST_MAX_PIN_BYTES);
	}
	bl_sha256_end(&sha, digest);
	bl_hex_encode(digest, sizeof(digest), out_sha256);
	return bl_arena_status(scratch) ? bl_arena_fail(scratch, err) : BL_OK;
}

static enum bl_status pin_open_file(struct pinning *pinning, struct bl_str path,
				    int fd)
{
	bool loads = pinning->walk.is_python || is_python(bl_path_base(path));
	char sha256[BL_SHA256_HEX_BYTES];
	struct bl_arena scratch;
	struct bl_str line = BL_STR("");
	enum bl_status status;

	if (is_pinned(pinning, path))
		return BL_OK;
	bl_arena_init(&scratch, NULL, 0, 0);
	status = hash_file(fd, &scratch, sha256, &line, pinning->walk.err);
	if (status == BL_OK)
		status = add_pin(pinning, path, sha256);
	else
		bl_error_context(pinning->walk.err, "%.*s", BL_STR_ARG(path));
	if (status == BL_OK)
		status = pin_interpreter(pinning, line, &loads);
	bl_arena_clear(&scratch);
	if (status == BL_OK && loads)
		status = pin_folder(pinning, bl_path_dir(path));
	return status;
}

static enum bl_status pin_word(struct walk *walk, struct bl_str path,
			       bool must_report)
{
	struct pinning *pinning = (struct pinning *)walk;
	struct bl_file_info info = { 0 };
	enum bl_status status;
	int fd = -1;

	status = open_script(path, &fd, &info, walk->err);
	if (status == BL_NOT_FOUND && walk->is_python &&
	    info.type == BL_FILE_DIRECTORY &&
	    !is_system_file(path, walk->dir, &info))
		status = pin_folder(pinning, path);
	if (status == BL_NOT_FOUND)
		return must_report ? add_pin(pinning, path, NULL) : BL_OK;
	if (status != BL_OK || fd < 0)
		return status;
	if (!is_system_file(path, walk->dir, &info))
		status = pin_open_file(pinning, path, fd);
	bl_os_close(fd);
	return status;
}

/* python3 -m MODULE and -c TEXT load from the working folder. */
static enum bl_status end_command(struct walk *walk)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; walk->is_python && walk->loads_from_dir &&
			   i < walk->folder_count && status == BL_OK;
	     i++)
		status = pin_folder((struct pinning *)walk, walk->folders[i]);
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
		.walk = { .arena = arena,
			  .look = pin_word,
			  .end = end_command,
			  .err = err },
	};
	char sha256[BL_SHA256_HEX_BYTES];
	enum bl_status status;

	pinning.pins = bl_arena_new_array(arena, struct bl_trust_pin,
					  BL_TRUST_MAX_PINS);
	if (!pinning.pins)
		return bl_arena_fail(arena, err);
	bl_sha256_hex(content, sha256);
	status = add_pin(&pinning, hook_file, sha256);
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

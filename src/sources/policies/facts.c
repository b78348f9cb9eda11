/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.c: what an event's command line or files mean, as facts for policies
 * (docs/reference/facts.md).  The module effects finds them and does no I/O;
 * here are its questions to the file system, and what the event says of its
 * world.  It stands apart because it is the only place of the policies that
 * looks at files that an agent names.
 */
#include "base/hex.h"
#include "effects/effects.h"
#include "sources/policies/private.h"

/* ---- the file system ------------------------------------------------------- */

static enum bl_effects_file look(void *context, struct bl_str path)
{
	static const enum bl_effects_file kinds[] = {
		[BL_FILE_REGULAR] = BL_EFFECTS_FILE_REGULAR,
		[BL_FILE_DIRECTORY] = BL_EFFECTS_FILE_FOLDER,
		[BL_FILE_LINK] = BL_EFFECTS_FILE_LINK,
		[BL_FILE_OTHER] = BL_EFFECTS_FILE_OTHER,
	};
	struct bl_file_info info;
	enum bl_status status = bl_os_info_path(path, &info, NULL);

	(void)context;
	if (status == BL_NOT_FOUND)
		return BL_EFFECTS_FILE_MISSING;
	return status ? BL_EFFECTS_FILE_UNKNOWN : kinds[info.type];
}

static struct bl_str follow(void *context, struct bl_arena *arena,
			    struct bl_str path)
{
	struct bl_str target;

	(void)context;
	if (bl_os_read_link(path, arena, &target, NULL))
		target = (struct bl_str){ NULL, 0 };
	return target;
}

static bool list(void *context, struct bl_arena *arena, struct bl_str path,
		 size_t max, const struct bl_str **out_names, size_t *out_count)
{
	struct bl_str *names;

	(void)context;
	if (bl_os_list_dir(path, max, arena, &names, out_count, NULL))
		return false;
	*out_names = names;
	return true;
}

static struct bl_str read_file(void *context, struct bl_arena *arena,
			       struct bl_str path, size_t max)
{
	struct bl_str text;

	(void)context;
	if (bl_os_read_file(path, 0, max, arena, &text, NULL, NULL))
		text = (struct bl_str){ NULL, 0 };
	return text;
}

static const struct bl_effects_world this_machine = {
	.look = look,
	.follow = follow,
	.list = list,
	.read = read_file,
};

const struct bl_effects_world *bl_policy_world(void)
{
	return &this_machine;
}

/* ---- the event ------------------------------------------------------------- */

enum { MAX_ROOTS = 64, MAX_REPOSITORY_DEPTH = 64 };

/* The repository that holds a folder; the folder itself when absent. */
static struct bl_str repository_of(struct bl_arena *arena, struct bl_str folder)
{
	struct bl_str at = folder;

	for (int i = 0; i < MAX_REPOSITORY_DEPTH && at.len > 1; i++) {
		struct bl_str git = bl_path_join(arena, at, BL_STR(".git"));

		if (git.ptr && look(NULL, git) != BL_EFFECTS_FILE_MISSING)
			return at;
		at = bl_path_dir(at);
	}
	return folder;
}

/* The workspace: what the agent calls its roots, and its folder's repository. */
static enum bl_status find_workspaces(struct policy_run *run,
				      struct bl_effects_input *input)
{
	struct bl_value roots = policy_at(run->event->belay, "where.roots");
	size_t count = bl_value_count(roots);
	struct bl_str *list;

	if (count > MAX_ROOTS)
		count = MAX_ROOTS;
	list = bl_arena_new_array(run->arena, struct bl_str, count + 1);
	if (!list)
		return bl_arena_fail(run->arena, run->err);
	input->workspaces = list;
	for (size_t i = 0; i < count; i++) {
		struct bl_str root = bl_value_text(bl_value_item(roots, i));

		if (bl_path_is_absolute(root))
			list[input->workspace_count++] = root;
	}
	if (bl_path_is_absolute(input->cwd))
		list[input->workspace_count++] =
			repository_of(run->arena, input->cwd);
	return BL_OK;
}

static struct bl_value protected_by(const struct bl_policy_dir *dir,
				    const char *what)
{
	return bl_object_find(
		bl_object_find(dir->rulebook.own, BL_STR("protect")),
		bl_str(what));
}

struct bl_str policy_workspace(struct policy_run *run, struct bl_str cwd)
{
	struct bl_value roots = policy_at(run->event->belay, "where.roots");
	struct bl_str root = bl_value_text(bl_value_item(roots, 0));
	struct bl_str real;

	if (!bl_path_is_absolute(root))
		root = repository_of(run->arena, cwd);
	return bl_path_resolve(run->arena, root, &real, NULL) ? root : real;
}

/* Folders of the user's that a variable may have moved: what lies in belay/. */
static const struct {
	const char *variable;
	const char *what;
} moved[] = {
	{ "XDG_CONFIG_HOME", "config" },
	{ "XDG_CACHE_HOME", "config" },
	{ "XDG_STATE_HOME", "log" },
	{ "XDG_DATA_HOME", "config" },
};

static void add_guard(struct bl_effects_input *input,
		      struct bl_effects_guard *guards, struct bl_str path,
		      const char *what)
{
	if (path.len)
		guards[input->guard_count++] =
			(struct bl_effects_guard){ path, bl_str(what) };
}

/* The program that decides, and belay's folders and records. */
static void add_own_guards(struct policy_run *run,
			   struct bl_effects_input *input,
			   struct bl_effects_guard *guards)
{
	struct bl_str program;

	for (size_t i = 0; i < BL_COUNT(moved); i++) {
		struct bl_str folder = bl_os_getenv(moved[i].variable);

		if (bl_path_is_absolute(folder))
			add_guard(input, guards,
				  bl_path_join(run->arena, folder,
					       BL_STR("belay")),
				  moved[i].what);
	}
	add_guard(input, guards, run->options->state_dir, "log");
	if (!bl_os_self_path(run->arena, &program, NULL))
		add_guard(input, guards, program, "program");
}

/*
 * The policy directories in use guard themselves, wherever they are, and so does
 * what belongs to belay; and what rulebooks protect.
 */
static enum bl_status find_guards(struct policy_run *run,
				  struct bl_effects_input *input)
{
	struct bl_effects_guard *guards;
	size_t room = BL_POLICY_ORIGINS + BL_COUNT(moved) + 2;

	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		room += bl_value_count(
			protected_by(&run->set->dirs[i], "paths"));
	guards = bl_arena_new_array(run->arena, struct bl_effects_guard, room);
	if (!guards)
		return bl_arena_fail(run->arena, run->err);
	input->guards = guards;
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		const struct bl_policy_dir *dir = &run->set->dirs[i];
		struct bl_value paths = protected_by(dir, "paths");

		add_guard(input, guards, dir->path, "config");
		for (size_t j = 0; j < bl_value_count(paths); j++)
			add_guard(input, guards,
				  bl_value_text(bl_value_item(paths, j)),
				  "protected");
	}
	add_own_guards(run, input, guards);
	return bl_arena_status(run->arena) ? bl_arena_fail(run->arena, run->err)
					   : BL_OK;
}

/* The branches that rulebooks protect, as input.belay.protected_branches. */
static struct bl_value find_branches(struct policy_run *run)
{
	struct bl_array_builder made;

	bl_array_builder_init(&made, run->arena);
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		struct bl_value list =
			protected_by(&run->set->dirs[i], "branches");

		for (size_t j = 0; j < bl_value_count(list); j++)
			bl_array_builder_add(&made, bl_value_item(list, j));
	}
	return made.count ? bl_array_builder_end(&made) : bl_value_undefined();
}

static enum bl_status describe(struct policy_run *run,
			       struct bl_effects_input *input)
{
	struct bl_value shell = policy_at(run->event->belay, "tool.shell");
	struct bl_str cwd = bl_value_text(bl_object_find(shell, BL_STR("cwd")));
	enum bl_status status = BL_OK;

	input->cwd = cwd.len ? cwd : run->event->cwd;
	input->home = policy_home(run);
	input->world = &this_machine;
	if (!bl_path_is_absolute(input->cwd))
		status = bl_path_current(run->arena, &input->cwd, run->err);
	if (!status)
		status = find_workspaces(run, input);
	return status ? status : find_guards(run, input);
}

/* ---- files that a tool names ------------------------------------------------- */

/* The operation that a tool's word stands for. */
static const struct {
	const char *op;
	enum bl_fact_kind kind;
	uint32_t details;
} operations[] = {
	{ "read", BL_FACT_READ, BL_FACT_IS_SHOWN },
	{ "write", BL_FACT_WRITE, 0 },
	{ "create", BL_FACT_WRITE, 0 },
	{ "edit", BL_FACT_WRITE, BL_FACT_IS_EDIT },
	{ "move", BL_FACT_WRITE, 0 },
	{ "delete", BL_FACT_DELETE, 0 },
};

/*
 * The touches of one event in the making.  Their number is bounded by the
 * payload, and past its limit of effects bl_effects_find says so.
 */
struct touching {
	struct bl_arena *arena;
	struct bl_effects_touch *items;
	size_t count;
	size_t cap;
};

static void touch(struct touching *t, enum bl_fact_kind kind,
		  struct bl_str path, uint32_t details)
{
	struct bl_effects_touch *items;

	if (!path.len)
		return;
	items = bl_arena_room(t->arena, t->items, t->count, &t->cap,
			      sizeof(*items));
	if (!items)
		return;
	t->items = items;
	items[t->count++] = (struct bl_effects_touch){ .kind = kind,
						       .path = path,
						       .details = details };
}

static void touch_file(struct touching *t, struct bl_value file)
{
	struct bl_str op = bl_value_text(bl_object_find(file, BL_STR("op")));
	struct bl_str path =
		bl_value_text(bl_object_find(file, BL_STR("path")));

	for (size_t i = 0; i < BL_COUNT(operations); i++)
		if (bl_str_is(op, operations[i].op))
			touch(t, operations[i].kind, path,
			      operations[i].details);
}

/* ---- tools that belay does not know ------------------------------------------ */

/* The path of a file: URI, with its %XX decoded; ptr NULL: it is not one. */
static struct bl_str path_of_uri(struct bl_arena *arena, struct bl_str text)
{
	struct bl_str scheme = BL_STR("file:");
	char *out;
	size_t len = 0;

	if (!bl_str_has_prefix(text, scheme))
		return (struct bl_str){ NULL, 0 };
	text = bl_str_slice(text, scheme.len, SIZE_MAX);
	if (bl_str_has_prefix(text, BL_STR("//")))
		text = bl_str_slice(text, bl_str_find(text, BL_STR("/"), 2),
				    SIZE_MAX);
	out = bl_arena_alloc_aligned(arena, text.len + 1, 1);
	for (size_t i = 0; out && i < text.len; i++) {
		int32_t byte =
			text.ptr[i] == '%' ? bl_hex_read(text, i + 1, 2) : -1;

		out[len++] = byte < 0 ? text.ptr[i] : (char)byte;
		if (byte >= 0)
			i += 2;
	}
	return (struct bl_str){ out, out ? len : 0 };
}

/* One line that has a slash or begins with a dot: it may name a file. */
static bool may_be_path(struct bl_str text)
{
	return text.len && text.len < 4096 &&
	       !memchr(text.ptr, '\n', text.len) &&
	       (memchr(text.ptr, '/', text.len) || text.ptr[0] == '.' ||
		text.ptr[0] == '~');
}

static struct bl_str in_home(struct bl_arena *arena,
			     const struct bl_effects_input *input,
			     struct bl_str text)
{
	if (!bl_str_has_prefix(text, BL_STR("~/")) || !input->home.len)
		return text;
	return bl_path_join(arena, input->home,
			    bl_str_slice(text, 2, SIZE_MAX));
}

/*
 * Every text of the tool's input that may name a file; the reader of JSON
 * bounds the depth.
 */
static void touch_texts(struct touching *t,
			const struct bl_effects_input *input,
			struct bl_value value, enum bl_fact_kind kind)
{
	struct bl_str text = bl_value_text(value);
	struct bl_str path;

	if (bl_value_is(value, BL_KIND_STRING)) {
		path = path_of_uri(t->arena, text);
		if (!path.ptr && may_be_path(text))
			path = in_home(t->arena, input, text);
		touch(t, kind, path, 0);
		return;
	}
	for (size_t i = 0; i < bl_value_count(value); i++)
		touch_texts(t, input,
			    bl_value_is(value, BL_KIND_OBJECT)
				    ? bl_object_value(value, i)
				    : bl_value_item(value, i),
			    kind);
}

/* A tool whose name has a word for reading, and none for changing. */
static enum bl_fact_kind kind_of_tool(struct bl_str name)
{
	static const char *const reading[] = {
		"read", "get",  "list", "search", "view", "find", "fetch",
		"grep", "show", "stat", "open",   "cat",  "Read", "Fetch"
	};
	static const char *const changing[] = {
		"write",  "edit",   "delete", "create",  "move",
		"update", "append", "insert", "patch",   "remove",
		"rename", "copy",   "put",    "set_",    "save",
		"exec",   "run",    "apply",  "replace",
	};
	bool reads = false;

	for (size_t i = 0; i < BL_COUNT(changing); i++)
		if (bl_str_find(name, bl_str(changing[i]), 0) != SIZE_MAX)
			return BL_FACT_WRITE;
	for (size_t i = 0; i < BL_COUNT(reading); i++)
		reads |= bl_str_find(name, bl_str(reading[i]), 0) != SIZE_MAX;
	return reads ? BL_FACT_READ : BL_FACT_WRITE;
}

static bool is_unknown_tool(struct bl_str kind)
{
	return bl_str_is(kind, "mcp") || bl_str_is(kind, "other") ||
	       bl_str_is(kind, "web.fetch");
}

/* ---- tools that search --------------------------------------------------------- */

static struct bl_str text_of(struct bl_value input, const char *key)
{
	return bl_value_text(bl_object_find(input, bl_str(key)));
}

/* The folder that a pattern of a search starts from: src of src/lib*.c. */
static struct bl_str start_of_pattern(struct bl_str pattern)
{
	size_t end = 0;

	for (size_t i = 0; i < pattern.len; i++) {
		if (strchr("*?[{", pattern.ptr[i]))
			return bl_str_slice(pattern, 0, end);
		if (pattern.ptr[i] == '/')
			end = i;
	}
	return pattern;
}

/* The name behind the folders of a glob. */
static struct bl_str last_name(struct bl_str glob)
{
	size_t at = glob.len;

	while (at && glob.ptr[at - 1] != '/')
		at--;
	return bl_str_slice(glob, at, SIZE_MAX);
}

/* A name without the stars at its end: .env* is .env at least. */
static struct bl_str without_stars(struct bl_str name)
{
	while (name.len && name.ptr[name.len - 1] == '*')
		name.len--;
	return name;
}

/* A search of texts prints what it finds, or names or numbers alone. */
static bool shows_matches(struct bl_str tool, struct bl_value input)
{
	struct bl_str mode = text_of(input, "output_mode");

	return bl_str_is(tool, "Grep") &&
	       !bl_str_is(mode, "files_with_matches") &&
	       !bl_str_is(mode, "count");
}

/*
 * A search: its folder with all below it, the start of its pattern, and, where
 * it prints what it finds, the names that the pattern is about: as it stands
 * (*.pem is as secret as x.pem), and without its stars.
 */
static void touch_search(struct touching *t,
			 const struct bl_effects_input *input,
			 struct bl_str tool, struct bl_value given)
{
	/* The pattern of Grep is of texts. */
	static const char *const keys[] = { "glob", "glob_pattern", "include",
					    "include_pattern", "pattern" };
	static const char *const folders[] = { "path", "dir_path", "SearchPath",
					       "DirectoryPath" };
	size_t count = BL_COUNT(keys) - bl_str_is(tool, "Grep");
	bool shows = shows_matches(tool, given);
	uint32_t details =
		BL_FACT_IS_RECURSIVE |
		(shows ? BL_FACT_IS_SHOWN : (uint32_t)BL_FACT_IS_NAMES);
	struct bl_str folder = BL_STR("");

	for (size_t i = 0; i < BL_COUNT(folders); i++) {
		struct bl_str one =
			in_home(t->arena, input, text_of(given, folders[i]));

		touch(t, BL_FACT_READ, one, details);
		if (!folder.len)
			folder = one;
	}
	if (!folder.len)
		folder = BL_STR(".");
	for (size_t i = 0; i < count; i++) {
		struct bl_str glob =
			in_home(t->arena, input, text_of(given, keys[i]));
		struct bl_str start = start_of_pattern(glob);
		struct bl_str name = last_name(glob);

		if (start.len)
			touch(t, BL_FACT_READ,
			      bl_path_join(t->arena, folder, start),
			      BL_FACT_IS_NAMES);
		if (!shows || !name.len)
			continue;
		touch(t, BL_FACT_READ, bl_path_join(t->arena, folder, name),
		      details);
		touch(t, BL_FACT_READ,
		      bl_path_join(t->arena, folder, without_stars(name)),
		      details);
	}
}

/* All that a tool writes to its one file. */
static void note_content(struct touching *t, struct bl_value given)
{
	static const char *const keys[] = { "content", "contents",
					    "file_text" };

	if (t->count != 1 || t->items[0].kind != BL_FACT_WRITE ||
	    t->items[0].details)
		return;
	for (size_t i = 0; i < BL_COUNT(keys) && !t->items[0].content.ptr; i++)
		t->items[0].content = text_of(given, keys[i]);
}

static enum bl_status add_files(struct policy_run *run,
				struct bl_effects_input *input)
{
	struct touching t = { .arena = run->arena };
	struct bl_value files = policy_at(run->event->belay, "tool.files");
	struct bl_value given = policy_at(run->event->belay, "tool.input");
	struct bl_str tool =
		bl_value_text(policy_at(run->event->belay, "tool.mcp.tool"));
	bool searches = bl_str_is(run->event->tool_kind, "search");

	if (!tool.len)
		tool = run->event->tool;
	for (size_t i = 0; !searches && i < bl_value_count(files); i++)
		touch_file(&t, bl_value_item(files, i));
	note_content(&t, given);
	if (searches)
		touch_search(&t, input,
			     bl_value_text(
				     policy_at(run->event->belay, "tool.name")),
			     given);
	/* Also of a tool of files without a file that is known. */
	if (is_unknown_tool(run->event->tool_kind) ||
	    (!bl_value_count(files) &&
	     bl_str_has_prefix(run->event->tool_kind, BL_STR("file."))))
		touch_texts(&t, input, given, kind_of_tool(tool));
	input->touches = t.items;
	input->touch_count = t.count;
	return bl_arena_status(run->arena) ? bl_arena_fail(run->arena, run->err)
					   : BL_OK;
}

/* ---- commands ------------------------------------------------------------------ */

/* The words of an array of texts behind first, when that has one. */
static bool line_of_words(struct bl_arena *arena, struct bl_str first,
			  struct bl_value list, struct bl_str *out_line)
{
	size_t count = bl_value_count(list);
	struct bl_str *words =
		bl_arena_new_array(arena, struct bl_str, count + 1);
	size_t used = 0;

	if (!words || !bl_value_is(list, BL_KIND_ARRAY))
		return false;
	if (first.len)
		words[used++] = first;
	for (size_t i = 0; i < count; i++) {
		if (!bl_value_is(bl_value_item(list, i), BL_KIND_STRING))
			return false;
		words[used++] = bl_value_text(bl_value_item(list, i));
	}
	*out_line = bl_effects_line(arena, words, used);
	return used && out_line->ptr;
}

/* A command as agents send it: a text, or a list of words; false: neither. */
static bool read_command(struct bl_arena *arena, struct bl_value command,
			 struct bl_str *out_line)
{
	*out_line = bl_value_text(command);
	return bl_value_is(command, BL_KIND_STRING) ||
	       line_of_words(arena, (struct bl_str){ NULL, 0 }, command,
			     out_line);
}

/*
 * A tool that belay does not know may be a known command by another name, or run
 * what it calls a command.
 */
static void read_unknown_tool(struct policy_run *run,
			      struct bl_effects_input *input)
{
	static const char *const names[] = { "command", "cmd", "commandLine",
					     "command_line", "shell_command" };
	struct bl_value tool = policy_at(run->event->belay, "tool.input");
	struct bl_value args = bl_object_find(tool, BL_STR("args"));
	struct bl_str name =
		bl_value_text(policy_at(run->event->belay, "tool.mcp.tool"));

	if (policy_line_of_tool(run->arena, name.len ? name : run->event->tool,
				tool, &input->line))
		return;
	for (size_t i = 0; i < BL_COUNT(names); i++) {
		struct bl_value command =
			bl_object_find(tool, bl_str(names[i]));

		if (!read_command(run->arena, command, &input->line))
			continue;
		line_of_words(run->arena, input->line, args, &input->line);
		return;
	}
}

/* The line that a shell's tool runs must be there, or a person is asked. */
static void read_line(struct policy_run *run, struct bl_effects_input *input)
{
	struct bl_value shell = policy_at(run->event->belay, "tool.shell");

	if (is_unknown_tool(run->event->tool_kind))
		read_unknown_tool(run, input);
	else if (bl_value_is(shell, BL_KIND_OBJECT) &&
		 !read_command(run->arena,
			       bl_object_find(shell, BL_STR("command")),
			       &input->line))
		input->unread = BL_STR("the tool's command is not a text");
}

static enum bl_status find_facts(struct policy_run *run,
				 struct bl_value *out_facts)
{
	enum bl_status status = describe(run, &run->world);

	if (!status)
		status = add_files(run, &run->world);
	if (status)
		return status;
	read_line(run, &run->world);
	status =
		bl_effects_find(run->arena, &run->world, &run->found, run->err);
	if (status)
		return status;
	*out_facts = bl_effects_encode(run->arena, &run->found);
	return bl_value_is_defined(*out_facts)
		       ? BL_OK
		       : bl_arena_fail(run->arena, run->err);
}

/* Once an event: policies of both directories and the packs share them. */
static enum bl_status join_facts(struct policy_run *run)
{
	struct bl_value belay = run->event->belay;
	struct bl_value branches;
	struct bl_value facts;
	enum bl_status status = find_facts(run, &facts);

	if (status)
		return status;
	run->report->facts = facts;
	branches = find_branches(run);
	if (bl_value_is_defined(branches))
		belay = policy_put(run->arena, belay,
				   BL_STR("protected_branches"), branches);
	for (size_t i = 0; i < bl_value_count(facts); i++)
		belay = policy_put(run->arena, belay,
				   bl_value_text(bl_object_key(facts, i)),
				   bl_object_value(facts, i));
	run->facts = belay;
	return bl_value_is_defined(belay) ? BL_OK
					  : bl_arena_fail(run->arena, run->err);
}

enum bl_status policy_add_facts(struct policy_run *run, struct bl_value *input)
{
	enum bl_status status = BL_OK;

	if (!bl_value_is_defined(run->facts))
		status = join_facts(run);
	if (status)
		return status;
	*input = policy_put(run->arena, *input, BL_STR("belay"), run->facts);
	return bl_value_is_defined(*input)
		       ? BL_OK
		       : bl_arena_fail(run->arena, run->err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event in words that are the same for every agent: input.belay.  It
 * stands alone since it only reads what decode.c found.
 */
#include "agents/private.h"
#include "json/json.h"

/* An object in the making, with the decoder at hand. */
struct record {
	const struct decoder *decoder;
	struct bl_object_builder builder;
};

static struct record begin(const struct decoder *decoder)
{
	struct record record = { .decoder = decoder };

	bl_object_builder_init(&record.builder, decoder->arena);
	return record;
}

/* Unknown values are null, so that every event has the same keys. */
static void add(struct record *record, const char *key, struct bl_value value)
{
	if (!bl_value_is_defined(value))
		value = bl_value_null();
	bl_object_builder_add(&record->builder, bl_str(key), value);
}

static void add_text(struct record *record, const char *key, struct bl_str text)
{
	add(record, key,
	    text.len ? bl_value_string(text) : bl_value_undefined());
}

static void add_name(struct record *record, const char *key, const char *name)
{
	add(record, key, bl_value_string(bl_str(name)));
}

static void add_field(struct record *record, const char *key,
		      enum payload_field field)
{
	add(record, key, bl_agent_get(record->decoder, field));
}

static struct bl_value end(struct record *record)
{
	return bl_object_builder_end(&record->builder);
}

/* ---- who and where ------------------------------------------------------ */

static struct bl_value harness(const struct decoder *decoder)
{
	struct record record = begin(decoder);
	const char *by = decoder->facts->detected_by;

	add_name(&record, "id", decoder->agent->name);
	add_field(&record, "version", PAYLOAD_VERSION);
	add_name(&record, "dialect", decoder->agent->payload->dialect);
	add_name(&record, "detected_by", by ? by : "argv");
	return end(&record);
}

/* The agents' names of modes, reduced to three words. */
static const struct {
	const char *native;
	const char *mode;
} modes[] = {
	{ "default", "default" },  { "agent", "default" },
	{ "acceptEdits", "auto" }, { "auto", "auto" },
	{ "auto-low", "auto" },    { "auto-medium", "auto" },
	{ "auto-high", "auto" },   { "bypassPermissions", "bypass" },
	{ "dontAsk", "bypass" },   { "yolo", "bypass" },
	{ "auto_edit", "auto" },   { "plan", "plan" },
	{ "spec", "plan" },        { "ask", "plan" },
	{ "off", "default" },
};

static struct bl_value session(const struct decoder *decoder)
{
	struct record record = begin(decoder);
	struct bl_value native = bl_agent_get(decoder, PAYLOAD_MODE);
	const char *mode = NULL;

	for (size_t i = 0; i < BL_COUNT(modes) && !mode; i++)
		if (bl_str_is(bl_value_text(native), modes[i].native))
			mode = modes[i].mode;
	add_text(&record, "id", decoder->request->session_id);
	add_field(&record, "turn", PAYLOAD_TURN);
	add_field(&record, "transcript", PAYLOAD_TRANSCRIPT);
	add_text(&record, "mode", bl_str(mode));
	add(&record, "mode_native", native);
	add(&record, "interactive", bl_value_undefined());
	return end(&record);
}

static struct bl_value agent(const struct decoder *decoder)
{
	struct record record = begin(decoder);
	struct bl_value id = bl_agent_get(decoder, PAYLOAD_AGENT_ID);

	add(&record, "id", id);
	add_field(&record, "type", PAYLOAD_AGENT_TYPE);
	add(&record, "is_subagent",
	    bl_value_boolean(bl_value_text(id).len > 0));
	return end(&record);
}

static struct bl_value where(const struct decoder *decoder)
{
	struct record record = begin(decoder);
	struct bl_str root = decoder->facts->project_root;
	struct bl_value roots = bl_agent_get(decoder, PAYLOAD_ROOTS);
	bool is_payload =
		bl_value_text(bl_agent_get(decoder, PAYLOAD_CWD)).len ||
		bl_value_text(bl_value_item(roots, 0)).len;

	if (!root.len)
		root = bl_value_text(bl_value_item(roots, 0));
	if (!bl_value_is(roots, BL_KIND_ARRAY)) {
		struct bl_value only = bl_value_string(root);

		roots = bl_array_make(decoder->arena, &only, root.len > 0);
	}
	add_text(&record, "cwd", decoder->request->cwd);
	add_text(&record, "project_root", root);
	add(&record, "roots", roots);
	add_name(&record, "source", is_payload ? "payload" : "process");
	return end(&record);
}

/* ---- files -------------------------------------------------------------- */

/* The list of files in the making; they are counted beyond the limit. */
struct files {
	const struct decoder *decoder;
	struct bl_array_builder builder;
	size_t count;
};

static void add_file(struct files *files, const char *op, struct bl_str path)
{
	const struct decoder *decoder = files->decoder;
	struct bl_str cwd = decoder->request->cwd;
	struct record record = begin(decoder);
	struct bl_agent_path resolved;

	if (!path.len || files->count++ >= MAX_PATHS)
		return;
	resolved = bl_agent_resolve(decoder->facts, cwd, path, decoder->arena);
	add_name(&record, "op", op);
	add_text(&record, "path_native", path);
	add_text(&record, "path", bl_agent_join(decoder->arena, cwd, path));
	add_text(&record, "real", resolved.real);
	add(&record, "is_link", bl_value_boolean(resolved.is_link));
	bl_array_builder_add(&files->builder, end(&record));
}

static const char *const operations[BL_TOOL_KIND_COUNT] = {
	[BL_TOOL_FILE_READ] = "read", [BL_TOOL_FILE_WRITE] = "write",
	[BL_TOOL_FILE_EDIT] = "edit", [BL_TOOL_FILE_DELETE] = "delete",
	[BL_TOOL_SEARCH] = "read",
};

/* The lines of an apply_patch text that name files. */
static const struct {
	const char *start;
	const char *op;
} patch_lines[] = {
	{ "*** Add File: ", "create" },
	{ "*** Update File: ", "edit" },
	{ "*** Delete File: ", "delete" },
	{ "*** Move to: ", "move" },
};

static void add_patched(struct files *files, struct bl_str patch)
{
	for (size_t at = 0, next; at < patch.len; at = next + 1) {
		struct bl_str line;

		next = bl_str_find(patch, BL_STR("\n"), at);
		if (next == SIZE_MAX)
			next = patch.len;
		line = bl_str_trim(bl_str_slice(patch, at, next));
		for (size_t i = 0; i < BL_COUNT(patch_lines); i++) {
			struct bl_str start = bl_str(patch_lines[i].start);

			if (bl_str_has_prefix(line, start))
				add_file(files, patch_lines[i].op,
					 bl_str_trim(bl_str_slice(
						 line, start.len, SIZE_MAX)));
		}
	}
}

/* Names under which tools take paths, edits of several files, and patches. */
static const char *const path_fields[] = { "file_path",     "path",
					   "notebook_path", "filePath",
					   "target_file",   "target_notebook",
					   "TargetFile",    "AbsolutePath",
					   "filepath" };
static const char *const patch_fields[] = { "patchText", "patch", "input",
					    "command" };

/* Lists of files: of their names, or of objects that name them. */
static const char *const list_fields[] = { "edits",       "files",
					   "operations",  "paths",
					   "file_paths",  "include",
					   "replacements" };

/* A list, or the one item that would be in it. */
static void add_listed(struct files *files, struct bl_value list,
		       const char *op)
{
	static const char *const names[] = { "file_path", "path", "filePath" };
	bool is_list = bl_value_is(list, BL_KIND_ARRAY);
	size_t count = is_list ? bl_value_count(list) : 1;

	for (size_t i = 0; i < count; i++) {
		struct bl_value item = is_list ? bl_value_item(list, i) : list;

		add_file(files, op, bl_value_text(item));
		for (size_t j = 0; j < BL_COUNT(names); j++)
			add_file(files, op,
				 bl_value_text(bl_object_find(
					 item, bl_str(names[j]))));
	}
}

static void add_files_of(struct files *files, struct bl_value object,
			 const char *op)
{
	for (size_t i = 0; i < BL_COUNT(path_fields); i++) {
		struct bl_str path = bl_value_text(
			bl_object_find(object, bl_str(path_fields[i])));

		add_file(files, op, path); /* the tool may take any of them */
	}
	for (size_t i = 0; i < BL_COUNT(list_fields); i++)
		add_listed(files,
			   bl_object_find(object, bl_str(list_fields[i])), op);
	for (size_t i = 0; i < BL_COUNT(patch_fields); i++)
		add_patched(files, bl_value_text(bl_object_find(
					   object, bl_str(patch_fields[i]))));
}

static struct bl_value files(const struct decoder *decoder, size_t *out_count)
{
	struct files files = { .decoder = decoder };
	struct bl_value input = decoder->request->tool_input;
	const char *op = operations[decoder->request->tool_kind];

	bl_array_builder_init(&files.builder, decoder->arena);
	if (op)
		add_files_of(&files,
			     bl_value_is(input, BL_KIND_OBJECT)
				     ? input
				     : decoder->request->payload,
			     op);
	*out_count = files.count;
	return bl_array_builder_end(&files.builder);
}

/* ---- tools -------------------------------------------------------------- */

/* As it came, or from an input that was a text itself. */
static struct bl_value shell_command(const struct decoder *decoder,
				     struct bl_value input)
{
	if (bl_value_is_defined(decoder->command))
		return decoder->command;
	return bl_object_find(input, BL_STR("command"));
}

static struct bl_value shell(const struct decoder *decoder,
			     struct bl_value input)
{
	/* Of agents whose documents do not say. */
	static const char *const folders[] = { "workdir", "dir_path", "Cwd",
					       "cwd" };
	struct record record = begin(decoder);
	const char *folder = decoder->agent->payload->folder_field;
	struct bl_str cwd = BL_STR("");
	bool is_posix = !bl_str_is(decoder->tool.name, "PowerShell");

	if (decoder->request->tool_kind != BL_TOOL_SHELL)
		return bl_value_null();
	if (folder)
		cwd = bl_value_text(bl_object_find(input, bl_str(folder)));
	for (size_t i = 0; !folder && i < BL_COUNT(folders) && !cwd.len; i++)
		cwd = bl_value_text(bl_object_find(input, bl_str(folders[i])));
	cwd = bl_agent_join(decoder->arena, decoder->request->cwd, cwd);
	add_name(&record, "dialect", is_posix ? "posix" : "powershell");
	add(&record, "command", shell_command(decoder, input));
	add_text(&record, "cwd", cwd);
	add(&record, "background",
	    bl_value_boolean(bl_value_is_true(
		    bl_object_find(input, BL_STR("run_in_background")))));
	return end(&record);
}

static struct bl_value mcp(const struct decoder *decoder)
{
	struct record record = begin(decoder);
	struct bl_value server = bl_agent_get(decoder, PAYLOAD_SERVER);
	struct bl_str tool =
		bl_value_text(bl_agent_get(decoder, PAYLOAD_SERVER_TOOL));

	if (decoder->request->tool_kind != BL_TOOL_MCP)
		return bl_value_null();
	if (!bl_value_text(server).len && decoder->tool.server.len)
		server = bl_value_string(decoder->tool.server);
	add(&record, "server", server);
	if (!tool.len)
		tool = decoder->tool.tool.len ? decoder->tool.tool
					      : decoder->tool.name;
	add_text(&record, "tool", tool);
	return end(&record);
}

/* Some agents send the input as the text of its JSON. */
static struct bl_value parsed_input(const struct decoder *decoder)
{
	struct bl_value input = decoder->request->tool_input;
	struct bl_value value;

	if (bl_value_is(input, BL_KIND_STRING) &&
	    !bl_json_read(decoder->arena, bl_value_text(input), NULL, &value,
			  NULL, NULL, NULL))
		return value;
	return input;
}

/* The common name of the tool that an event of its own stands for. */
static const char *const default_names[BL_TOOL_KIND_COUNT] = {
	[BL_TOOL_SHELL] = "Bash",
	[BL_TOOL_FILE_READ] = "Read",
	[BL_TOOL_FILE_EDIT] = "Edit",
	[BL_TOOL_FILE_WRITE] = "Write",
};

static struct bl_value tool(const struct decoder *decoder,
			    size_t *out_file_count)
{
	struct bl_value input = parsed_input(decoder);
	struct bl_value url = bl_object_find(input, BL_STR("url"));
	enum bl_tool_kind kind = decoder->request->tool_kind;
	struct record record = begin(decoder);

	*out_file_count = 0;
	if (kind == BL_TOOL_NONE)
		return bl_value_null();
	if (!bl_value_is_defined(url))
		url = bl_agent_get(decoder, PAYLOAD_URL);
	add_name(&record, "kind", bl_tool_kind_name(kind));
	add_text(&record, "name",
		 decoder->tool.name.len ? decoder->tool.name
					: bl_str(default_names[kind]));
	add_field(&record, "name_native", PAYLOAD_TOOL_NAME);
	add_field(&record, "call_id", PAYLOAD_CALL_ID);
	add(&record, "shell", shell(decoder, input));
	add(&record, "files", files(decoder, out_file_count));
	add(&record, "mcp", mcp(decoder));
	add(&record, "url", url);
	add(&record, "query", bl_object_find(input, BL_STR("query")));
	add(&record, "input", input);
	return end(&record);
}

/* ---- what came of it ---------------------------------------------------- */

static struct bl_value result(const struct decoder *decoder)
{
	struct record record = begin(decoder);

	if (bl_event_kind_phase(decoder->request->kind) != BL_PHASE_AFTER)
		return bl_value_null();
	add_field(&record, "output", PAYLOAD_OUTPUT);
	add_field(&record, "error", PAYLOAD_ERROR);
	add(&record, "failed",
	    bl_value_boolean(decoder->request->kind == BL_EVENT_TOOL_FAILED));
	return end(&record);
}

static struct bl_value stop(const struct decoder *decoder)
{
	struct record record = begin(decoder);

	if (decoder->request->kind != BL_EVENT_STOP &&
	    decoder->request->kind != BL_EVENT_SUBAGENT_STOP)
		return bl_value_null();
	add_field(&record, "status", PAYLOAD_STATUS);
	add_field(&record, "loop_count", PAYLOAD_LOOPS);
	add_field(&record, "active", PAYLOAD_STOP_ACTIVE);
	add_field(&record, "message", PAYLOAD_MESSAGE);
	return end(&record);
}

struct bl_value bl_agent_canonical(const struct decoder *decoder,
				   size_t *out_file_count)
{
	struct record record = begin(decoder);

	add(&record, "v", bl_value_integer(1));
	add_name(&record, "event", bl_event_kind_name(decoder->request->kind));
	add_text(&record, "event_native", decoder->request->event_name);
	add(&record, "harness", harness(decoder));
	add(&record, "session", session(decoder));
	add(&record, "agent", agent(decoder));
	add(&record, "where", where(decoder));
	add(&record, "tool", tool(decoder, out_file_count));
	add(&record, "result", result(decoder));
	add_field(&record, "prompt", PAYLOAD_PROMPT);
	add(&record, "stop", stop(decoder));
	add(&record, "raw", decoder->request->payload);
	return end(&record);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_trust.c: belay trust add, remove, list and status. */
#include "cli/cli.h"

#include "os/os.h"
#include "trust/trust.h"

enum { OPT_FOLDER = CLI_OPT_SETUP_COUNT };
enum { LIST_OPT_HOME, LIST_OPT_JSON };
enum { REMOVE_OPT_HOME, REMOVE_OPT_FORGET };

static const struct cli_option add_options[] = {
	CLI_SETUP_ROWS,
	[OPT_FOLDER] = { "folder", 0, CLI_FLAG, NULL,
			 "trust whatever it holds, now and later" },
};

static const struct cli_option list_options[] = {
	[LIST_OPT_HOME] = CLI_HOME_ROW,
	[LIST_OPT_JSON] = CLI_JSON_ROW,
};

static const struct cli_option remove_options[] = {
	[REMOVE_OPT_HOME] = CLI_HOME_ROW,
	[REMOVE_OPT_FORGET] = { "forget", 0, CLI_FLAG, NULL,
				"and ignore its guards, as if it had never "
				"been trusted" },
};

/* An engine that looks at one workspace: operand 0, or the current folder. */
struct look {
	struct bl_str home;
	struct bl_str workspace; /* resolved */
	struct bl_engine *engine;
	const struct bl_snapshot *snapshot;
	const struct bl_hook_file *file; /* the project's */
};

static void end_look(struct look *look)
{
	bl_snapshot_unref(look->snapshot);
	bl_engine_free(look->engine);
}

static enum bl_status find_workspace(struct cli *cli, struct bl_str *out_path,
				     struct bl_error *err)
{
	struct bl_str dir = cli_operand(cli, 0);

	if (!dir.ptr)
		return bl_path_current(&cli->arena, out_path, err);
	return bl_path_resolve(&cli->arena, dir, out_path, err);
}

static enum bl_status look_at(struct cli *cli, struct look *look,
			      struct bl_error *err)
{
	struct bl_engine_options setup;
	const struct bl_hook_set *set;
	enum bl_status status = find_workspace(cli, &look->workspace, err);

	if (!status)
		status = cli_setup(cli, BL_STR(""), &setup, err);
	if (status)
		return status;
	look->home = setup.home;
	setup.workspaces = &look->workspace;
	setup.workspace_count = 1;
	status = bl_engine_new(&setup, &look->engine, err);
	if (status)
		return status;
	look->snapshot = bl_engine_snapshot(look->engine);
	set = bl_snapshot_set(look->snapshot);
	for (size_t i = 0; i < set->file_count; i++) {
		if (set->files[i].source == BL_SOURCE_PROJECT)
			look->file = &set->files[i];
	}
	return BL_OK;
}

/* One line: words, then a path. */
static void put_line(struct bl_buf *out, const char *words, struct bl_str path)
{
	bl_buf_puts(out, words);
	cli_put_text(out, 2, path);
	bl_buf_put_char(out, '\n');
}

/* Shows the person who grants trust the content to trust. */
static void put_pins(struct cli *cli, const struct look *look)
{
	const struct bl_hook_set *set = bl_snapshot_set(look->snapshot);

	for (size_t i = 0; i < set->hook_count; i++) {
		const struct bl_hook *hook = &set->hooks[i];

		if (hook->file != look->file)
			continue;
		bl_buf_printf(&cli->out, "  %s ", hook->hook_event->name);
		put_line(&cli->out, "runs: ", hook->command);
	}
	for (size_t i = 0; i < look->file->pin_count; i++)
		put_line(&cli->out,
			 look->file->pins[i].sha256[0]
				 ? "  as it is now: "
				 : "  which is not there: ",
			 look->file->pins[i].path);
}

static enum bl_status add(struct cli *cli, struct look *look,
			  struct bl_error *err)
{
	bool whole = cli_has(cli, OPT_FOLDER);
	enum bl_status status = look_at(cli, look, err);

	if (!status)
		status = bl_engine_trust(look->engine, look->workspace, whole,
					 err);
	if (status)
		return status;
	put_line(&cli->out, "trusted: ", look->workspace);
	if (!whole)
		put_pins(cli, look);
	return BL_OK;
}

static int run_add(struct cli *cli)
{
	struct look look = { 0 };
	struct bl_error err;
	int code = add(cli, &look, &err) ? cli_fail(cli, &err) : 0;

	end_look(&look);
	return code;
}

/* The meaning of a state of the project's file for its workspace. */
static const struct {
	const char *words;
	const char *remedy; /* before the workspace; NULL: none needed */
	bool says_why;
	bool waits;
} statuses[BL_HOOK_FILE_STATE_COUNT] = {
	[BL_HOOK_FILE_MISSING] = { "no hooks: ", NULL, false, false },
	[BL_HOOK_FILE_LOADED] = { "trusted: ", NULL, true, false },
	[BL_HOOK_FILE_BROKEN] = { "not usable: ",
				  "  to see all: belay hooks validate", true,
				  false },
	[BL_HOOK_FILE_UNSAFE] = { "not safe: ", NULL, true, false },
	[BL_HOOK_FILE_UNTRUSTED] = { "not trusted: ",
				     "  look at its hooks, then: "
				     "belay trust add",
				     false, true },
	[BL_HOOK_FILE_CHANGED] = { "changed since it was trusted: ",
				   "  look at its hooks, then: "
				   "belay trust add",
				   true, true },
	[BL_HOOK_FILE_GATED] = { "switched off: ", NULL, true, false },
};

static void put_status(struct bl_buf *out, const struct look *look)
{
	const struct bl_hook_file *file = look->file;
	bool waits = statuses[file->state].waits;
	const char *remedy = statuses[file->state].remedy;

	put_line(out, statuses[file->state].words, look->workspace);
	if (statuses[file->state].says_why && file->why.len)
		put_line(out, "  ", file->why);
	if (!remedy)
		return;
	bl_buf_printf(out, "%s ", remedy);
	put_line(out, "", waits ? look->workspace : file->path);
}

static int run_status(struct cli *cli)
{
	struct look look = { 0 };
	struct bl_error err;
	int code = 0;

	if (look_at(cli, &look, &err)) {
		code = cli_fail(cli, &err);
	} else if (!look.file) {
		put_line(&cli->out, "no hooks: ", look.workspace);
	} else {
		put_status(&cli->out, &look);
		if (statuses[look.file->state].waits)
			code = bl_status_exit_code(BL_DENIED);
	}
	end_look(&look);
	return code;
}

/* A workspace may be in one of the two lists alone. */
static enum bl_status remove_trust(struct cli *cli, struct bl_str home,
				   struct bl_str workspace,
				   struct bl_error *err)
{
	enum bl_status forgotten = BL_NOT_FOUND;
	enum bl_status status;

	if (cli_has(cli, REMOVE_OPT_FORGET))
		forgotten = bl_trust_forget(home, workspace, err);
	if (forgotten && forgotten != BL_NOT_FOUND)
		return forgotten;
	status = bl_trust_remove(home, workspace, err);
	return status == BL_NOT_FOUND && !forgotten ? BL_OK : status;
}

/* The workspace may be gone already: then its path as it was given. */
static int run_remove(struct cli *cli)
{
	struct bl_str workspace;
	struct bl_str home;
	struct bl_error err;
	enum bl_status status = cli_home(cli, REMOVE_OPT_HOME, &home, &err);

	if (!status && find_workspace(cli, &workspace, &err))
		status = cli_absolute(cli, cli_operand(cli, 0), &workspace,
				      &err);
	if (!status)
		status = remove_trust(cli, home, workspace, &err);
	if (status)
		return cli_fail(cli, &err);
	put_line(&cli->out, "no longer trusted: ", workspace);
	return 0;
}

static struct bl_value record_value(const struct bl_trust_record *record,
				    struct bl_arena *arena)
{
	struct bl_object_builder object;
	struct bl_array_builder pins;
	char added[BL_OS_TIME_TEXT_BYTES];

	bl_array_builder_init(&pins, arena);
	for (size_t i = 0; i < record->pin_count; i++)
		bl_array_builder_add(&pins,
				     bl_value_string(record->pins[i].path));
	bl_os_format_time(record->added_ms, added);
	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("workspace"),
			      bl_value_string(record->workspace));
	bl_object_builder_add(
		&object, BL_STR("mode"),
		bl_value_string(bl_str(bl_trust_mode_name(record->mode))));
	bl_object_builder_add(&object, BL_STR("added"),
			      bl_value_printf(arena, "%s", added));
	bl_object_builder_add(&object, BL_STR("files"),
			      bl_array_builder_end(&pins));
	return bl_object_builder_end(&object);
}

static void put_record(struct bl_buf *out, const struct bl_trust_record *record)
{
	char added[BL_OS_TIME_TEXT_BYTES];

	bl_os_format_time(record->added_ms, added);
	cli_put_text(out, 2, record->workspace);
	bl_buf_printf(out, "\n  %s, %zu file%s, added %s\n",
		      bl_trust_mode_name(record->mode), record->pin_count,
		      record->pin_count == 1 ? "" : "s", added);
}

static int run_list(struct cli *cli)
{
	struct bl_trust_store store;
	struct bl_array_builder records;
	struct bl_str home;
	struct bl_error err;
	enum bl_status status = cli_home(cli, LIST_OPT_HOME, &home, &err);

	if (!status)
		status = bl_trust_read(&cli->arena, home, &store, &err);
	if (status)
		return cli_fail(cli, &err);
	bl_array_builder_init(&records, &cli->arena);
	for (size_t i = 0; i < store.record_count; i++) {
		if (cli_has(cli, LIST_OPT_JSON))
			bl_array_builder_add(
				&records,
				record_value(&store.records[i], &cli->arena));
		else
			put_record(&cli->out, &store.records[i]);
	}
	if (cli_has(cli, LIST_OPT_JSON))
		cli_put_json(cli, bl_array_builder_end(&records));
	return 0;
}

const struct cli_code cli_code_trust_add = {
	.options = add_options,
	.option_count = BL_COUNT(add_options),
	.most_operands = 1,
	.details = "Trust is pinned to the content of the hook file and of the "
		   "scripts that it names; when they change, the hooks wait.\n",
	.run = run_add,
};

const struct cli_code cli_code_trust_status = {
	.options = add_options,
	.option_count = OPT_FOLDER,
	.most_operands = 1,
	.details = "Exit status: 77 while the hooks wait for trust.\n",
	.run = run_status,
};

const struct cli_code cli_code_trust_remove = {
	.options = remove_options,
	.option_count = BL_COUNT(remove_options),
	.most_operands = 1,
	.details = "The hooks of the workspace no longer run.  Guards "
		   "(failClosed) of it are not ignored: what they would have "
		   "judged is asked about, until the workspace is trusted "
		   "again or forgotten.\n",
	.run = run_remove,
};

const struct cli_code cli_code_trust_list = {
	.options = list_options,
	.option_count = BL_COUNT(list_options),
	.run = run_list,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_init.c: belay init: policies for agents, and their hooks. */
#include <sys/stat.h>

#include "cli/guard.h"
#include "cli/init_level.h"
#include "cli/registrations.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_HARNESS,
	OPT_GLOBAL,
	OPT_REMOVE,
	OPT_DIR,
	OPT_PROGRAM,
	OPT_PROFILE,
	OPT_NO_CANARY,
	OPT_HOME,
	OPT_MANAGED,
	OPT_ROOT,
	OPT_STATE_DIR,
	OPT_LEVEL,
};

static const struct cli_option options[] = {
	[OPT_HARNESS] = { "harness", 0, CLI_LIST, "AGENT",
			  "the agent (default: those whose folder is there)" },
	[OPT_GLOBAL] = { "global", 0, CLI_FLAG, NULL,
			 "for all your projects, not for this one" },
	[OPT_REMOVE] = { "remove", 0, CLI_FLAG, NULL,
			 "take belay out of the agents' files again" },
	[OPT_DIR] = { "dir", 0, CLI_VALUE, "DIR",
		      "the project (default: the one around the current "
		      "folder)" },
	[OPT_PROGRAM] = { "program", 0, CLI_VALUE, "FILE",
			  "the program to register (default: this one)" },
	[OPT_PROFILE] = CLI_PROFILE_ROW,
	[OPT_NO_CANARY] = { "no-canary", 0, CLI_FLAG, NULL,
			    "do not try it out" },
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_MANAGED] = { "managed", 0, CLI_FLAG, NULL,
			  "for all users of this machine (as root)" },
	[OPT_ROOT] = { "root", 0, CLI_VALUE, "DIR",
		       "folder to put before system paths" },
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_LEVEL] = { "level", 0, CLI_VALUE, "LEVEL",
			"how much the rule packs stop: off, relaxed, standard "
			"(the default) or strict" },
};

enum { MAX_FILE_BYTES = 4 * 1024 * 1024, MAX_EDITS = 2 * BL_AGENT_MAX };

/* The edit of one agent's file, worked out before anything is written. */
struct edit {
	struct bl_setup setup;
	struct bl_str path;   /* as the agent names it */
	struct bl_str target; /* the same, links followed */
	struct bl_str old;    /* ptr NULL: there is no file */
	struct bl_str new;    /* ptr NULL: the file goes */
	uint32_t mode;
};

struct init {
	struct cli *cli;
	struct bl_setup setup; /* what all agents share */
	struct cli_guard_places places;
	enum bl_level level;
	bool says_path; /* the line names belay by its path: say so */
	struct edit edits[MAX_EDITS];
	size_t count;
	struct bl_error *err;
};

static void say(struct init *init, const char *what, struct bl_str path)
{
	bl_buf_puts(&init->cli->out, what);
	cli_put_text(&init->cli->out, 2, path);
	bl_buf_put_char(&init->cli->out, '\n');
}

/* ---- what to do --------------------------------------------------------- */

/* Becomes the program when it is a link to belay, or to this program. */
static bool take_link(struct init *init, struct bl_str self, struct bl_str link)
{
	struct bl_arena *arena = &init->cli->arena;
	struct bl_str target;

	if (bl_path_resolve(arena, link, &target, NULL) ||
	    (!bl_str_equal(target, init->setup.program) &&
	     !bl_str_equal(target, self)))
		return false;
	init->setup.program = link;
	return true;
}

/* The program that Cupcake's hooks call: the link that was called, or one beside belay. */
static enum bl_status take_cupcake(struct init *init, struct bl_str self)
{
	struct bl_arena *arena = &init->cli->arena;
	struct bl_str belay = init->setup.program;
	struct bl_str called = bl_str(init->cli->argv[0]);
	struct bl_str beside =
		bl_path_join(arena, bl_path_dir(belay), BL_STR("cupcake"));
	struct bl_str dir;

	if (bl_str_find(called, BL_STR("/"), 0) != SIZE_MAX &&
	    !bl_path_resolve(arena, bl_path_dir(called), &dir, NULL)) {
		called = bl_path_join(arena, dir, bl_path_base(called));
		if (called.ptr && take_link(init, self, called))
			return BL_OK;
	}
	if (beside.ptr && take_link(init, self, beside))
		return BL_OK;
	return bl_fail(init->err, BL_NOT_FOUND,
		       "there is no link 'cupcake' beside %.*s that agents "
		       "could call; name it with --program",
		       BL_STR_ARG(belay));
}

/*
 * The name alone where PATH leads everybody to this very file and only root
 * can change that; else the path, since a name that an agent can put something
 * else in front of guards nothing.
 */
static void prefer_name(struct init *init, const char *name)
{
	struct bl_arena *arena = &init->cli->arena;
	bool is_safe = false;
	struct bl_str found = bl_setup_find_program(arena, name, &is_safe);
	struct bl_str real;
	struct bl_str own;

	if (is_safe && !bl_path_resolve(arena, found, &real, NULL) &&
	    !bl_path_resolve(arena, init->setup.program, &own, NULL) &&
	    bl_str_equal(real, own))
		init->setup.program = bl_str(name);
	else
		init->says_path = init->setup.scope == BL_SCOPE_PROJECT;
}

/* belay-tools runs this; what agents call is the belay that it belongs to. */
static enum bl_status find_program(struct init *init)
{
	struct cli *cli = init->cli;
	struct bl_str self = { NULL, 0 };
	enum bl_status status;

	if (cli_has(cli, OPT_PROGRAM))
		return cli_absolute(cli, cli_value(cli, OPT_PROGRAM),
				    &init->setup.program, init->err);
	status = bl_os_self_path(&cli->arena, &self, init->err);
	if (!status)
		status = cli_guard_find_belay(cli, &init->setup.program,
					      init->err);
	if (status)
		return status;
	if (cli->is_cupcake)
		status = take_cupcake(init, self);
	if (!status)
		prefer_name(init, cli->is_cupcake ? "cupcake" : "belay");
	return status;
}

static struct bl_str name_of_dir(const struct cli *cli, const char *belay,
				 const char *cupcake)
{
	return bl_str(cli->is_cupcake ? cupcake : belay);
}

static void find_global(struct init *init)
{
	init->setup.root = init->places.setup.home;
	init->setup.policy_dir =
		bl_path_join(&init->cli->arena, init->places.config_home,
			     name_of_dir(init->cli, "belay", "cupcake"));
}

static void find_managed(struct init *init)
{
	init->setup.root = init->places.setup.system_root;
	init->setup.policy_dir = bl_path_join(
		&init->cli->arena, init->setup.root, BL_STR("etc/belay"));
	/* Whatever the umask: all users' agents read what is made here. */
	umask(022);
}

/* The project around the current folder; with --dir, that folder alone. */
static enum bl_status find_project(struct init *init)
{
	struct cli *cli = init->cli;
	struct bl_setup *setup = &init->setup;
	enum bl_status status = BL_OK;
	struct bl_str here;

	setup->root = init->places.setup.project;
	if (cli_has(cli, OPT_DIR))
		status = bl_path_resolve(&cli->arena, cli_value(cli, OPT_DIR),
					 &setup->root, init->err);
	else if (!bl_path_current(&cli->arena, &here, NULL) &&
		 !bl_str_equal(here, setup->root))
		say(init, "the project is ", setup->root);
	init->places.setup.project = setup->root;
	setup->policy_dir =
		bl_path_join(&cli->arena, setup->root,
			     name_of_dir(cli, ".belay", ".cupcake"));
	return status;
}

static enum bl_status find_places(struct init *init)
{
	struct cli *cli = init->cli;
	enum bl_status status =
		cli_guard_find_places(cli, cli_value(cli, OPT_DIR), OPT_HOME,
				      OPT_STATE_DIR, &init->places, init->err);

	if (!status && cli_has(cli, OPT_ROOT))
		status = cli_absolute(cli, cli_value(cli, OPT_ROOT),
				      &init->places.setup.system_root,
				      init->err);
	if (status)
		return status;
	if (init->setup.scope == BL_SCOPE_MANAGED)
		find_managed(init);
	else if (init->setup.scope == BL_SCOPE_USER)
		find_global(init);
	else
		status = find_project(init);
	if (!status && !init->setup.policy_dir.ptr)
		return bl_arena_fail(&cli->arena, init->err);
	return status;
}

/* All files of an agent, one of them at least, so that what is missing is said. */
static void add_agent(struct init *init, const struct bl_agent *agent)
{
	size_t files;

	init->setup.agent = agent;
	files = bl_setup_file_count(&init->setup);
	for (size_t i = 0; i < init->count; i++)
		if (init->edits[i].setup.agent == agent)
			return;
	for (size_t i = 0; i < (files ? files : 1) && init->count < MAX_EDITS;
	     i++) {
		struct edit *edit = &init->edits[init->count++];

		edit->setup = init->setup;
		edit->setup.file = i;
	}
}

static enum bl_status find_agents(struct init *init)
{
	const struct cli_given *given = &init->cli->given[OPT_HARNESS];

	for (size_t i = 0; i < given->count; i++) {
		const struct bl_agent *agent;

		if (cli_get_agent(given->values[i], &agent, init->err))
			return init->err->status;
		if (!agent->registration)
			return bl_fail(init->err, BL_USAGE, CLI_NOT_REGISTERED,
				       agent->title);
		add_agent(init, agent);
	}
	for (size_t i = 0; !given->count && bl_agents[i]; i++) {
		if (!bl_agents[i]->registration)
			continue;
		init->setup.agent = bl_agents[i];
		if (init->setup.scope == BL_SCOPE_MANAGED
			    ? bl_setup_file_count(&init->setup) > 0
			    : bl_setup_is_used(&init->setup, &init->cli->arena))
			add_agent(init, bl_agents[i]);
	}
	if (!init->count)
		return bl_fail(
			init->err, BL_USAGE,
			"no agent's folder is in '%.*s'; say which agent: "
			"belay init --harness claude ('belay status --all' "
			"names them)",
			BL_STR_ARG(init->setup.root));
	return BL_OK;
}

/* ---- the agents' files -------------------------------------------------- */

static enum bl_status read_old(struct init *init, struct edit *edit)
{
	struct bl_arena *arena = &init->cli->arena;
	struct bl_file_info info;
	struct bl_str resolved;
	enum bl_status status =
		bl_setup_file(&edit->setup, arena, &edit->path, init->err);

	if (status)
		return status;
	edit->mode = bl_setup_file_mode(&edit->setup, edit->path);
	/* A link stays one, also when its file is not there yet. */
	edit->target = edit->path;
	if (!bl_path_follow(arena, edit->path, &resolved, NULL, NULL))
		edit->target = resolved;
	status = bl_os_read_file(edit->target, 0, MAX_FILE_BYTES, arena,
				 &edit->old, &info, init->err);
	if (!status)
		edit->mode = info.mode;
	return status == BL_NOT_FOUND ? BL_OK : status;
}

static enum bl_status plan(struct init *init, struct edit *edit)
{
	struct bl_arena *arena = &init->cli->arena;
	enum bl_status status = read_old(init, edit);

	if (status)
		return status;
	if (!cli_has(init->cli, OPT_REMOVE))
		edit->setup.agent_version =
			bl_setup_agent_version(edit->setup.agent, arena);
	if (!cli_has(init->cli, OPT_REMOVE))
		return bl_setup_register(&edit->setup, edit->path, edit->old,
					 arena, &edit->new, init->err);
	if (!edit->old.ptr)
		return BL_OK;
	return bl_setup_unregister(&edit->setup, edit->path, edit->old, arena,
				   &edit->new, init->err);
}

/* The steps left to the person, and the features that the installed agent lacks. */
static void say_left_out(struct init *init, const struct edit *edit)
{
	const struct bl_setup *setup = &edit->setup;
	const char *event;

	if (setup->agent->registration->afterwards)
		bl_buf_printf(&init->cli->out, "%s\n",
			      setup->agent->registration->afterwards);
	for (size_t i = 0; (event = bl_setup_left_out(setup, i)); i++)
		bl_buf_printf(&init->cli->out,
			      "%s %.*s does not know %s and would drop all "
			      "hooks for it: not registered, update %s\n",
			      setup->agent->title,
			      BL_STR_ARG(setup->agent_version), event,
			      setup->agent->title);
}

static enum bl_status carry_out(struct init *init, struct edit *edit)
{
	bool removes = cli_has(init->cli, OPT_REMOVE);
	enum bl_status status = BL_OK;

	if (bl_str_equal(edit->old, edit->new) &&
	    !edit->old.ptr == !edit->new.ptr) {
		say(init,
		    removes ? "not registered in " : "registered already in ",
		    edit->target);
		return BL_OK;
	}
	if (!edit->new.ptr) {
		status = bl_os_remove_file(edit->target, init->err);
	} else {
		status = bl_os_make_dirs(bl_path_dir(edit->target), 0755,
					 init->err);
		if (!status)
			status = bl_os_replace_file(edit->target, edit->new,
						    edit->mode, init->err);
	}
	if (!status)
		say(init, removes ? "taken out of " : "registered in ",
		    edit->target);
	return status;
}

/* So that `belay uninstall --everywhere` finds it again. */
static enum bl_status keep_list(struct init *init, const struct edit *edit)
{
	const struct cli_registration one = {
		.agent = edit->setup.agent,
		.scope = edit->setup.scope,
		.file = cli_registered_file(init->cli, edit->path),
		.root = edit->setup.root,
		.policy_dir = edit->setup.policy_dir,
	};

	return cli_has(init->cli, OPT_REMOVE)
		       ? cli_registrations_remove(init->cli,
						  init->places.state_dir, &one,
						  init->err)
		       : cli_registrations_add(init->cli,
					       init->places.state_dir, &one,
					       init->err);
}

/* ---- the policy directory ----------------------------------------------- */

static enum bl_status make_file(struct init *init, struct bl_str path,
				struct bl_str text)
{
	/* Cupcake's directory is private (docs/contracts/cupcake.md). */
	bool is_private =
		init->setup.scope == BL_SCOPE_USER || init->cli->is_cupcake;
	enum bl_status status = bl_os_make_dirs(
		bl_path_dir(path), is_private ? 0700 : 0755, init->err);

	if (!status)
		status = bl_os_create_file(path, text, 0644, init->err);
	if (status && status != BL_EXISTS)
		return status;
	if (!status)
		say(init, "made ", path);
	return BL_OK;
}

/* The schema by which editors check the rulebook beside it. */
static enum bl_status make_schema(struct init *init, const struct edit *edit)
{
	struct bl_arena *arena = &init->cli->arena;
	struct bl_str path = bl_path_join(arena, edit->setup.policy_dir,
					  BL_STR("rulebook.schema.json"));
	struct bl_str text;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_json_write(&buf, bl_rulebook_schema(arena), BL_JSON_PRETTY);
	bl_buf_put_char(&buf, '\n');
	text = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	if (!path.ptr || !text.ptr)
		return bl_arena_fail(arena, init->err);
	return make_file(init, path, text);
}

static enum bl_status make_policies(struct init *init, struct edit *edit)
{
	struct bl_arena *arena = &init->cli->arena;
	struct bl_setup_template template;
	enum bl_status status = BL_OK;

	for (size_t i = 0;
	     !status && bl_setup_template(&edit->setup, i, arena, &template);
	     i++) {
		struct bl_str path = { NULL, 0 };

		if (template.name.ptr && template.text.ptr)
			path = bl_path_join(arena, edit->setup.policy_dir,
					    template.name);
		if (!path.ptr)
			return bl_arena_fail(arena, init->err);
		status = make_file(init, path, template.text);
	}
	return status ? status : make_schema(init, edit);
}

/* ---- the canary --------------------------------------------------------- */

static void put_result(struct init *init, const struct edit *edit,
		       const struct bl_canary_result *result)
{
	struct bl_buf *out = &init->cli->out;

	bl_buf_printf(out, "%s, '", edit->setup.agent->name);
	cli_put_text(out, 2, result->what);
	bl_buf_puts(out, result->is_refused ? "': refused" : "': passes");
	if (bl_canary_is_good(result)) {
		bl_buf_puts(out, result->must_be_refused ? ", as it should be\n"
							 : ", as it should\n");
		return;
	}
	bl_buf_puts(out, result->is_understood
				 ? ", which is wrong; the answer was: "
				 : ", without an answer: ");
	cli_put_text(out, 2, result->saw);
	bl_buf_put_char(out, '\n');
}

static const struct bl_registered *
find_registered(const struct bl_inspection *found, const struct edit *edit)
{
	struct bl_str base = bl_path_base(edit->path);

	/* The file may be a link: its last part is the agent's, or the target's. */
	for (size_t i = 0; i < found->count; i++) {
		const struct bl_registered *one = &found->registered[i];

		if (one->scope == edit->setup.scope &&
		    (bl_str_equal(one->file, edit->path) ||
		     bl_str_equal(bl_path_base(one->file), base)))
			return one;
	}
	for (size_t i = 0; i < found->count; i++)
		if (found->registered[i].scope == edit->setup.scope)
			return &found->registered[i];
	return NULL;
}

/*
 * The registered line as the agent has it, for the canary; fails when the agent
 * would not run it, whatever the line does.
 */
static enum bl_status read_as_agent(struct init *init, const struct edit *edit,
				    struct bl_str *out_command)
{
	struct bl_inspection found;
	const struct bl_agent *agent = edit->setup.agent;
	const struct bl_registered *one;
	enum bl_status status =
		bl_setup_inspect(agent, &init->places.setup, &init->cli->arena,
				 &found, init->err);

	if (status)
		return status;
	one = find_registered(&found, edit);
	if (!one)
		return bl_fail(init->err, BL_CONFIG,
			       "%s does not find belay in %.*s", agent->title,
			       BL_STR_ARG(edit->path));
	*out_command = one->command;
	if (one->needs_consent)
		bl_buf_printf(&init->cli->out,
			      "%s, not yet guarded: %.*s; %.*s\n", agent->name,
			      BL_STR_ARG(one->problem),
			      BL_STR_ARG(one->remedy));
	else if (one->problem.len)
		return bl_fail(init->err, BL_CONFIG,
			       "belay is registered with %s, and %s does not "
			       "run it: %.*s; %.*s",
			       agent->name, agent->title,
			       BL_STR_ARG(one->problem),
			       BL_STR_ARG(one->remedy));
	return BL_OK;
}

static enum bl_status try_out(struct init *init, const struct edit *edit)
{
	struct bl_canary_result results[BL_CANARY_COUNT];
	struct bl_str command = BL_STR("");
	enum bl_status status = read_as_agent(init, edit, &command);
	bool is_good = true;

	if (!status)
		status = bl_setup_canary(&edit->setup, command,
					 &init->cli->arena, results, init->err);
	for (size_t i = 0; !status && i < BL_CANARY_COUNT; i++) {
		put_result(init, edit, &results[i]);
		is_good = is_good && bl_canary_is_good(&results[i]);
	}
	if (!status && !is_good)
		return bl_fail(init->err, BL_CONFIG,
			       "belay is registered with %s, and does not "
			       "guard it: see above",
			       edit->setup.agent->name);
	return status;
}

/* ---- the command -------------------------------------------------------- */

static enum bl_status check_options(const struct init *init)
{
	const struct cli *cli = init->cli;
	bool is_managed = cli_has(cli, OPT_MANAGED);

	if (cli_has(cli, OPT_GLOBAL) && cli_has(cli, OPT_DIR))
		return bl_fail(init->err, BL_USAGE,
			       "--global and --dir exclude each other");
	if (is_managed && (cli_has(cli, OPT_GLOBAL) || cli_has(cli, OPT_DIR)))
		return bl_fail(init->err, BL_USAGE,
			       "--managed excludes --global and --dir");
	if (is_managed && bl_os_user_id() != 0 && !cli_has(cli, OPT_ROOT))
		return bl_fail(init->err, BL_DENIED,
			       "--managed writes what no user may change: run "
			       "it as root");
	return BL_OK;
}

static enum bl_status prepare(struct init *init)
{
	const struct bl_profile *profile;
	enum bl_status status =
		cli_profile(init->cli, OPT_PROFILE, &profile, init->err);

	if (status)
		return status;
	init->setup.scope = cli_has(init->cli, OPT_MANAGED)  ? BL_SCOPE_MANAGED
			    : cli_has(init->cli, OPT_GLOBAL) ? BL_SCOPE_USER
							     : BL_SCOPE_PROJECT;
	init->setup.is_old_cursor = profile->dialect == BL_DIALECT_CURSOR_2_3;
	status = check_options(init);
	if (!status)
		status = cli_init_level(init->cli, OPT_LEVEL, &init->level,
					init->err);
	init->setup.level = bl_str(bl_level_name(init->level));
	if (!status)
		status = find_program(init);
	if (!status)
		status = find_places(init);
	if (!status && cli_has(init->cli, OPT_HOME))
		init->setup.home = init->places.setup.home;
	if (!status)
		status = find_agents(init);
	for (size_t i = 0; !status && i < init->count; i++)
		status = plan(init, &init->edits[i]);
	return status;
}

/* A file that others share names a path that they may not have. */
static void say_path(struct init *init)
{
	bool is_new = false;

	for (size_t i = 0; i < init->count; i++)
		is_new = is_new ||
			 !bl_str_equal(init->edits[i].old, init->edits[i].new);
	if (!init->says_path || !is_new)
		return;
	say(init,
	    init->cli->is_cupcake ? "cupcake is called by its path, "
				  : "belay is called by its path, ",
	    init->setup.program);
	bl_buf_printf(&init->cli->out,
		      "  (not by name: no %s is on PATH in a place that only "
		      "root can change)\n",
		      init->cli->is_cupcake ? "cupcake" : "belay");
}

static enum bl_status run_all(struct init *init)
{
	bool removes = cli_has(init->cli, OPT_REMOVE);
	enum bl_status status = prepare(init);

	for (size_t i = 0; !status && !removes && i < init->count; i++)
		status = make_policies(init, &init->edits[i]);
	for (size_t i = 0; !status && i < init->count; i++) {
		status = carry_out(init, &init->edits[i]);
		if (!status && keep_list(init, &init->edits[i])) {
			cli_note("belay: not on the list for 'belay uninstall "
				 "--everywhere': %s\n",
				 init->err->message);
		}
		if (!status && !removes && !init->edits[i].setup.file)
			say_left_out(init, &init->edits[i]);
	}
	if (!status && !removes)
		say_path(init);
	if (!status && !removes && !init->cli->is_cupcake)
		cli_init_put_level(init->cli, init->setup.policy_dir,
				   cli_has(init->cli, OPT_LEVEL)
					   ? init->level
					   : BL_LEVEL_UNSET);
	if (!status && removes)
		say(init, "policies are kept: ", init->setup.policy_dir);
	if (removes || cli_has(init->cli, OPT_NO_CANARY))
		return status;
	for (size_t i = 0; !status && i < init->count; i++)
		if (!init->edits[i].setup.file)
			status = try_out(init, &init->edits[i]);
	return status;
}

static int run_init(struct cli *cli)
{
	struct bl_error err;
	struct init init = { .cli = cli, .err = &err };

	if (run_all(&init))
		return cli_fail(cli, &err);
	return 0;
}

const struct cli_code cli_code_init = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"Makes the policy directory (.belay, or belay in the folder of "
		"configurations with --global), with a rulebook that protects "
		"it, and adds one line per event to the agent's own "
		"configuration. What is there already stays, byte for byte.\n\n"
		"Then it runs that line with an event that must be refused and "
		"one that must pass, and says what came of them.\n",
	.run = run_init,
};

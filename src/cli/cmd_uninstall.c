/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_uninstall.c: belay uninstall: what `belay init` wrote is taken back: the
 * entries in agents' files, and on request policies that nobody changed, the
 * cache, the log.  One file that cannot be mended does not keep the others.
 */
#include "cli/guard.h"
#include "cli/policy_setup.h"
#include "cli/init_level.h"
#include "cli/registrations.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_HOME,
	OPT_STATE_DIR,
	OPT_AGENT,
	OPT_DIR,
	OPT_EVERYWHERE,
	OPT_POLICIES,
	OPT_CACHE,
	OPT_STATE,
	OPT_ROOT,
};

static const struct cli_option options[] = {
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_AGENT] = { "agent", 0, CLI_LIST, "AGENT",
			"only this agent (default: all)" },
	[OPT_DIR] = { "dir", 0, CLI_VALUE, "DIR",
		      "a folder of the project (default: the current one)" },
	[OPT_EVERYWHERE] = { "everywhere", 0, CLI_FLAG, NULL,
			     "every file in which this user has registered "
			     "belay" },
	[OPT_POLICIES] = { "policies", 0, CLI_FLAG, NULL,
			   "the policy files too that are as init made them" },
	[OPT_CACHE] = { "cache", 0, CLI_FLAG, NULL,
			"the compiled policies too" },
	[OPT_STATE] = { "state", 0, CLI_FLAG, NULL,
			"the log too, and what else is in its folder" },
	[OPT_ROOT] = { "root", 0, CLI_VALUE, "DIR",
		       "folder to put before system paths" },
};

enum { MAX_FILE_BYTES = 4 * 1024 * 1024, MAX_FILES = 4096 };

struct uninstall {
	struct cli *cli;
	struct cli_guard_places places;
	struct cli_registration targets[MAX_FILES];
	size_t count;
	size_t failures;
};

/* ---- where ---------------------------------------------------------------- */

static bool is_wanted(const struct cli *cli, const struct bl_agent *agent)
{
	const struct cli_given *given = &cli->given[OPT_AGENT];

	for (size_t i = 0; i < given->count; i++)
		if (bl_str_is(given->values[i], agent->name))
			return true;
	return !given->count;
}

/* The file without links; as it is where it does not lead anywhere. */
static struct bl_str real_of(struct uninstall *un, struct bl_str file)
{
	struct bl_str resolved;

	return bl_path_resolve(&un->cli->arena, file, &resolved, NULL)
		       ? file
		       : resolved;
}

static void add(struct uninstall *un, const struct cli_registration *one)
{
	struct bl_str real = real_of(un, one->file);

	if (un->count >= MAX_FILES || !is_wanted(un->cli, one->agent))
		return;
	for (size_t i = 0; i < un->count; i++)
		if (un->targets[i].agent == one->agent &&
		    bl_str_equal(real_of(un, un->targets[i].file), real))
			return;
	un->targets[un->count] = *one;
	un->targets[un->count++].file = cli_registered_file(un->cli, one->file);
}

static struct bl_str root_of(const struct uninstall *un, enum bl_scope scope)
{
	const struct bl_setup_places *setup = &un->places.setup;
	const struct bl_str roots[BL_SCOPE_COUNT] = {
		[BL_SCOPE_PROJECT] = setup->project,
		[BL_SCOPE_USER] = setup->home,
		[BL_SCOPE_MANAGED] = setup->system_root,
	};

	return roots[scope];
}

/* The policy directory that a line names, or that init makes for the scope. */
static struct bl_str policies_of(const struct uninstall *un,
				 const struct bl_registered *one)
{
	struct bl_arena *arena = &un->cli->arena;

	if (one->scope != BL_SCOPE_PROJECT ||
	    bl_path_is_absolute(one->policy_dir))
		return one->policy_dir;
	return bl_path_join(arena, un->places.setup.project,
			    bl_path_base(one->policy_dir));
}

/* The registrations in the agents' files of the project, the user and the machine. */
static enum bl_status add_found(struct uninstall *un, struct bl_error *err)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && bl_agents[i]; i++) {
		struct bl_inspection found;

		if (!bl_agents[i]->registration)
			continue;
		status = bl_setup_inspect(bl_agents[i], &un->places.setup,
					  &un->cli->arena, &found, err);
		for (size_t j = 0; !status && j < found.count; j++) {
			const struct bl_registered *one = &found.registered[j];
			const struct cli_registration target = {
				.agent = bl_agents[i],
				.scope = one->scope,
				.file = one->file,
				.root = root_of(un, one->scope),
				.policy_dir = policies_of(un, one),
			};

			/* Nobody but root may change the machine's. */
			if (one->scope != BL_SCOPE_MANAGED ||
			    !bl_os_user_id() || cli_has(un->cli, OPT_ROOT))
				add(un, &target);
		}
	}
	return status;
}

static enum bl_status find_targets(struct uninstall *un, struct bl_error *err)
{
	struct cli *cli = un->cli;
	struct cli_registration *list;
	const struct bl_agent *unused;
	size_t count = 0;
	enum bl_status status;

	for (size_t i = 0; i < cli->given[OPT_AGENT].count; i++)
		if (cli_get_agent(cli->given[OPT_AGENT].values[i], &unused,
				  err))
			return err->status;
	status = cli_guard_find_places(cli, cli_value(cli, OPT_DIR), OPT_HOME,
				       OPT_STATE_DIR, &un->places, err);
	if (!status && cli_has(cli, OPT_ROOT))
		status = cli_absolute(cli, cli_value(cli, OPT_ROOT),
				      &un->places.setup.system_root, err);
	if (!status)
		status = add_found(un, err);
	if (!status && cli_has(cli, OPT_EVERYWHERE))
		status = cli_registrations_read(cli, un->places.state_dir,
						&list, &count, err);
	for (size_t i = 0; !status && i < count; i++)
		add(un, &list[i]);
	return status;
}

/* ---- the agents' files ---------------------------------------------------- */

static void say(struct uninstall *un, const char *what, struct bl_str path)
{
	bl_buf_puts(&un->cli->out, what);
	cli_put_text(&un->cli->out, 2, path);
	bl_buf_put_char(&un->cli->out, '\n');
}

static void complain(struct uninstall *un, const struct bl_error *err)
{
	cli_note("belay: %s\n", err->message);
	un->failures++;
}

/* The text without our entries, whichever name belay was called by. */
static enum bl_status take_out(struct uninstall *un,
			       const struct cli_registration *target,
			       struct bl_str *text, struct bl_error *err)
{
	static const char *const names[] = { "belay", "cupcake" };
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && text->ptr && i < BL_COUNT(names); i++) {
		const struct bl_setup setup = {
			.agent = target->agent,
			.scope = target->scope,
			.program = bl_str(names[i]),
			.root = target->root,
			.policy_dir = target->policy_dir,
		};

		status = bl_setup_unregister(&setup, target->file, *text,
					     &un->cli->arena, text, err);
	}
	return status;
}

static enum bl_status change_file(struct uninstall *un,
				  const struct cli_registration *target,
				  struct bl_error *err)
{
	struct bl_file_info info;
	struct bl_str file = real_of(un, target->file);
	struct bl_str old;
	struct bl_str text;
	enum bl_status status = bl_os_read_file(
		file, 0, MAX_FILE_BYTES, &un->cli->arena, &old, &info, err);

	if (status == BL_NOT_FOUND) {
		say(un, "gone already: ", target->file);
		return BL_OK;
	}
	text = old;
	if (!status)
		status = take_out(un, target, &text, err);
	if (status)
		return status;
	if (!text.ptr)
		status = bl_os_remove_file(file, err);
	else if (!bl_str_equal(text, old))
		status = bl_os_replace_file(file, text, info.mode, err);
	if (!status)
		say(un, "taken out of ", target->file);
	return status;
}

/* ---- policies, cache, log ------------------------------------------------- */

/* Removes the file when it is as init made it. */
static void remove_template(struct uninstall *un,
			    const struct bl_setup_template *template,
			    struct bl_str policy_dir)
{
	struct bl_arena *arena = &un->cli->arena;
	struct bl_str path = bl_path_join(arena, policy_dir, template->name);
	struct bl_str text;
	struct bl_error err;

	if (!path.ptr || bl_os_read_file(path, BL_OPEN_NO_LINK, MAX_FILE_BYTES,
					 arena, &text, NULL, NULL))
		return;
	if (!bl_str_equal(text, template->text))
		say(un, "kept, since somebody changed it: ", path);
	else if (bl_os_remove_file(path, &err))
		complain(un, &err);
	else
		say(un, "removed ", path);
	(void)bl_os_remove_dir(bl_path_dir(path), NULL);
}

/* The schema stays as long as there is a rulebook that names it. */
static void remove_schema(struct uninstall *un, struct bl_str policy_dir)
{
	struct bl_arena *arena = &un->cli->arena;
	struct bl_setup_template schema = {
		.name = BL_STR("rulebook.schema.json"),
	};
	struct bl_str rulebook =
		bl_path_join(arena, policy_dir, BL_STR("rulebook.yml"));
	struct bl_file_info info;
	struct bl_buf text;

	if (!rulebook.ptr || !bl_os_info_path(rulebook, &info, NULL))
		return;
	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_rulebook_schema(arena), BL_JSON_PRETTY);
	bl_buf_put_char(&text, '\n');
	schema.text = bl_buf_str(&text);
	remove_template(un, &schema, policy_dir);
	bl_buf_clear(&text);
}

static void remove_policies(struct uninstall *un,
			    const struct cli_registration *target)
{
	struct bl_arena *arena = &un->cli->arena;
	struct bl_setup setup = {
		.agent = target->agent,
		.scope = target->scope,
		.root = target->root,
		.policy_dir = target->policy_dir,
	};
	struct bl_setup_template template;
	struct bl_str policies =
		bl_path_join(arena, target->policy_dir, BL_STR("policies"));

	if (!target->policy_dir.len || !policies.ptr)
		return;
	/* init may have been told any level. */
	setup.level = bl_str(
		bl_level_name(cli_init_level_of(un->cli, target->policy_dir)));
	for (size_t i = 0; bl_setup_template(&setup, i, arena, &template); i++)
		if (template.name.ptr && template.text.ptr)
			remove_template(un, &template, target->policy_dir);
	remove_schema(un, target->policy_dir);
	(void)bl_os_remove_dir(policies, NULL);
	(void)bl_os_remove_dir(target->policy_dir, NULL);
}

/* The files of a folder, and those of its folders; then the empty folders. */
static void remove_tree(struct uninstall *un, struct bl_str dir, int levels)
{
	struct bl_arena *arena = &un->cli->arena;
	struct bl_str *names;
	size_t count = 0;

	if (bl_os_list_dir(dir, MAX_FILES, arena, &names, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++) {
		struct bl_str path = bl_path_join(arena, dir, names[i]);
		struct bl_file_info info;
		struct bl_error err;

		if (!path.ptr || bl_os_info_path(path, &info, NULL))
			continue;
		if (info.type == BL_FILE_DIRECTORY && levels > 1)
			remove_tree(un, path, levels - 1);
		else if (info.type != BL_FILE_DIRECTORY &&
			 bl_os_remove_file(path, &err))
			complain(un, &err);
	}
	if (!bl_os_remove_dir(dir, NULL))
		say(un, "removed ", dir);
}

/*
 * The folders above, as far as nothing else is in them: on a machine without
 * them belay made ~/.cache, ~/.local and ~/.local/state.
 */
static void remove_empty_above(struct uninstall *un, struct bl_str dir)
{
	struct bl_str home = un->places.setup.home;

	for (dir = bl_path_dir(dir);
	     bl_path_is_in(dir, home) && !bl_str_equal(dir, home);
	     dir = bl_path_dir(dir))
		if (bl_os_remove_dir(dir, NULL))
			return;
}

static void remove_cache(struct uninstall *un)
{
	struct bl_policy_cache cache;

	if (!cli_policy_cache(un->cli, &cache))
		return;
	remove_tree(un, cache.dir, 1);
	remove_empty_above(un, cache.dir);
}

static void remove_all(struct uninstall *un)
{
	struct cli *cli = un->cli;
	struct bl_error err;

	for (size_t i = 0; i < un->count; i++) {
		const struct cli_registration *target = &un->targets[i];

		if (change_file(un, target, &err)) {
			complain(un, &err);
			continue;
		}
		if (cli_registrations_remove(cli, un->places.state_dir, target,
					     &err))
			complain(un, &err);
		if (cli_has(cli, OPT_POLICIES))
			remove_policies(un, target);
		else if (target->policy_dir.len)
			say(un, "policies are kept: ", target->policy_dir);
	}
	if (!un->count)
		bl_buf_puts(&cli->out, "belay is not registered here\n");
	if (cli_has(cli, OPT_CACHE))
		remove_cache(un);
	if (cli_has(cli, OPT_STATE))
		remove_tree(un, un->places.state_dir, 2);
	if (cli_has(cli, OPT_STATE) && !cli_has(cli, OPT_STATE_DIR))
		remove_empty_above(un, un->places.state_dir);
}

static int run_uninstall(struct cli *cli)
{
	struct uninstall *un = bl_arena_new(&cli->arena, struct uninstall);
	struct bl_error err;

	if (!un) {
		bl_arena_fail(&cli->arena, &err);
		return cli_fail(cli, &err);
	}
	*un = (struct uninstall){ .cli = cli };
	if (find_targets(un, &err))
		return cli_fail(cli, &err);
	remove_all(un);
	if (!un->failures)
		return 0;
	bl_fail(&err, BL_CONFIG,
		"%zu thing%s could not be taken back: see above", un->failures,
		un->failures == 1 ? "" : "s");
	return cli_fail(cli, &err);
}

const struct cli_code cli_code_uninstall = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"Takes belay out of the agents' files of this project and of "
		"this user (as root, of the machine too); with --everywhere "
		"out of every file on the list that 'belay init' keeps. All "
		"else in these files stays, byte for byte. Policies, the cache "
		"and the log are kept unless asked for; policy files that "
		"somebody changed are kept always.\n"
		"\n"
		"The programs themselves are taken away as they came: by the "
		"package, or by 'make uninstall'.\n",
	.run = run_uninstall,
};

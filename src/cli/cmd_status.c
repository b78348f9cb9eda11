/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_status.c: belay status, for people, for scripts (its exit status), and
 * for programs that manage machines (--json).
 */
#include "cli/guard.h"

#include "os/os.h"

enum {
	OPT_HOME,
	OPT_STATE_DIR,
	OPT_JSON,
	OPT_AGENT,
	OPT_DIR,
	OPT_BRIEF,
	OPT_ALL,
	OPT_ROOT
};

enum { EXIT_GUARDED = 0, EXIT_NOT_GUARDED = 1 };

static const struct cli_option options[] = {
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_JSON] = CLI_JSON_ROW,
	[OPT_AGENT] = { "agent", 0, CLI_LIST, "AGENT",
			"the agent (default: those that are found here)" },
	[OPT_DIR] = { "dir", 0, CLI_VALUE, "DIR",
		      "a folder of the project (default: the current one)" },
	[OPT_BRIEF] = { "brief", 0, CLI_FLAG, NULL, "one line an agent" },
	[OPT_ALL] = { "all", 0, CLI_FLAG, NULL,
		      "name the agents that are not found here, too" },
	[OPT_ROOT] = { "root", 0, CLI_VALUE, "DIR",
		       "folder to put before system paths" },
};

struct status {
	struct cli *cli;
	struct cli_guard_places places;
	struct cli_guard guards[BL_AGENT_MAX];
	size_t count;
	struct bl_buf absent; /* names of agents that are not here */
	size_t absent_count;
};

/* ---- for people --------------------------------------------------------- */

static void put_label(struct cli *cli, const char *label)
{
	bl_buf_printf(&cli->out, "  %-12s", label);
}

static void put_row(struct cli *cli, const char *label, struct bl_str text)
{
	if (!text.len)
		return;
	put_label(cli, label);
	cli_put_text(&cli->out, 14, text);
	bl_buf_put_char(&cli->out, '\n');
}

static void put_installed(struct cli *cli, const struct cli_guard *guard)
{
	const struct bl_inspection *found = &guard->found;
	const struct bl_registration *agent = found->agent->registration;

	put_label(cli, "installed");
	if (found->program.len)
		cli_put_text(&cli->out, 14, found->program);
	else
		bl_buf_puts(&cli->out, "not on PATH");
	if (found->is_in_project)
		bl_buf_printf(&cli->out, "; %s", agent->folder);
	if (found->is_in_home)
		bl_buf_printf(&cli->out, "; ~/%s", agent->global_folder);
	bl_buf_put_char(&cli->out, '\n');
}

static void put_registered(struct cli *cli, const struct bl_registered *one)
{
	put_label(cli, "registered");
	bl_buf_printf(&cli->out, "%s: ", bl_scope_name(one->scope));
	cli_put_text(&cli->out, 14, one->file);
	if (one->events)
		bl_buf_printf(&cli->out, ", %zu event%s", one->events,
			      one->events == 1 ? "" : "s");
	if (one->problem.len) {
		bl_buf_puts(&cli->out, "; does not count: ");
		cli_put_text(&cli->out, 14, one->problem);
	}
	bl_buf_put_char(&cli->out, '\n');
}

static void put_policies(struct cli *cli, const struct cli_guard *guard)
{
	const struct cli_guard_policies *policies = &guard->policies;

	if (!guard->by)
		return;
	put_row(cli, "policies", policies->dir);
	put_row(cli, "", policies->global);
	put_row(cli, "", policies->team);
	put_label(cli, "rules");
	if (policies->problem.len)
		cli_put_text(&cli->out, 14, policies->problem);
	else
		cli_guard_put_level(&cli->out, policies);
	bl_buf_put_char(&cli->out, '\n');
}

static void put_events(struct cli *cli, const struct cli_guard *guard)
{
	char since[BL_OS_TIME_TEXT_BYTES];

	put_label(cli, "events");
	if (!guard->last_ms) {
		bl_buf_puts(&cli->out, "none has come yet\n");
		return;
	}
	bl_os_format_time(guard->since_ms, since);
	bl_buf_printf(&cli->out, "the last one ");
	cli_put_age(&cli->out, guard->last_ms);
	bl_buf_printf(&cli->out, ", the first one %s\n", since);
}

static void put_agent(struct cli *cli, const struct cli_guard *guard)
{
	const struct bl_agent *agent = guard->found.agent;
	struct bl_buf cannot;

	bl_buf_printf(&cli->out, "\n%s (%s): ", agent->title, agent->name);
	cli_guard_put_verdict(cli, guard);
	bl_buf_put_char(&cli->out, '\n');
	put_row(cli, "why", guard->reason);
	put_row(cli, "remedy", guard->remedy);
	put_row(cli, "note", guard->note);
	put_installed(cli, guard);
	for (size_t i = 0; i < guard->found.count; i++)
		put_registered(cli, &guard->found.registered[i]);
	put_row(cli, "program", guard->program);
	put_policies(cli, guard);
	put_events(cli, guard);
	bl_buf_init(&cannot, 0);
	cli_guard_put_cannot(&cannot, agent);
	put_row(cli, "cannot", bl_buf_str(&cannot));
	bl_buf_clear(&cannot);
}

/* The agents that are not here: most of them, so they are only counted. */
static void put_absent(struct status *status)
{
	struct bl_buf *out = &status->cli->out;
	size_t count = status->absent_count;

	if (!count)
		return;
	if (cli_has(status->cli, OPT_ALL)) {
		bl_buf_puts(out, "\nnot found here:\n  ");
		cli_put_wrapped(out, bl_buf_str(&status->absent), 2, 2,
				BL_STR(" "));
		return;
	}
	bl_buf_printf(out,
		      "\n%zu %sagent%s that belay knows %s not found here "
		      "(belay status --all)\n",
		      count, status->count ? "other " : "",
		      count == 1 ? "" : "s", count == 1 ? "is" : "are");
}

static void put_people(struct status *status, bool is_brief)
{
	struct cli *cli = status->cli;

	bl_buf_puts(&cli->out,
		    status->places.is_project ? "project " : "folder ");
	cli_put_text(&cli->out, 2, status->places.setup.project);
	bl_buf_puts(&cli->out, "\n");
	for (size_t i = 0; i < status->count; i++) {
		if (is_brief)
			cli_guard_put_brief(cli, &status->guards[i]);
		else
			put_agent(cli, &status->guards[i]);
	}
	if (!status->count)
		bl_buf_puts(&cli->out,
			    "no agent is found here; to register belay with "
			    "one: belay init --harness claude\n");
	if (!is_brief)
		put_absent(status);
	if (is_brief)
		bl_buf_puts(&cli->out, "More: belay status; what was stopped: "
				       "belay log --denied; all commands: "
				       "belay --help\n");
}

/* ---- JSON --------------------------------------------------------------- */

static void add_text(struct bl_object_builder *out, const char *key,
		     struct bl_str text)
{
	if (text.len)
		bl_object_builder_add(out, bl_str(key), bl_value_string(text));
}

static void add_count(struct bl_object_builder *out, const char *key,
		      size_t count)
{
	bl_object_builder_add(out, bl_str(key),
			      bl_value_integer((int64_t)count));
}

static void add_flag(struct bl_object_builder *out, const char *key, bool flag)
{
	bl_object_builder_add(out, bl_str(key), bl_value_boolean(flag));
}

static void add_time(struct cli *cli, struct bl_object_builder *out,
		     const char *key, int64_t ms)
{
	char text[BL_OS_TIME_TEXT_BYTES];

	if (!ms)
		return;
	bl_os_format_time(ms, text);
	add_text(out, key, bl_arena_copy_str(&cli->arena, bl_str(text)));
}

static struct bl_value registered_value(struct cli *cli,
					const struct bl_registered *one)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, &cli->arena);
	add_text(&out, "scope", bl_str(bl_scope_name(one->scope)));
	add_text(&out, "file", one->file);
	add_text(&out, "command", one->command);
	add_count(&out, "events", one->events);
	add_text(&out, "problem", one->problem);
	add_text(&out, "remedy", one->remedy);
	add_text(&out, "note", one->note);
	return bl_object_builder_end(&out);
}

static struct bl_value registrations_value(struct cli *cli,
					   const struct bl_inspection *found)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; i < found->count; i++)
		bl_array_builder_add(
			&list, registered_value(cli, &found->registered[i]));
	return bl_array_builder_end(&list);
}

static struct bl_value obstacles_value(struct cli *cli,
				       const struct bl_inspection *found)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; i < found->obstacle_count; i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, &cli->arena);
		add_text(&one, "file", found->obstacles[i].file);
		add_text(&one, "what", found->obstacles[i].what);
		add_text(&one, "remedy", found->obstacles[i].remedy);
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value policies_value(struct cli *cli,
				      const struct cli_guard *guard)
{
	const struct cli_guard_policies *policies = &guard->policies;
	struct bl_object_builder out;

	if (!guard->by)
		return bl_value_undefined();
	bl_object_builder_init(&out, &cli->arena);
	add_text(&out, "dir", policies->dir);
	add_text(&out, "global", policies->global);
	add_text(&out, "team", policies->team);
	add_text(&out, "level",
		 bl_str(policies->level ? bl_level_name(policies->level)
					: "off"));
	add_count(&out, "pack_rules", policies->pack_rules);
	add_count(&out, "overrides", policies->overrides);
	add_count(&out, "policies", policies->count);
	add_flag(&out, "compile", !policies->problem.len);
	add_text(&out, "problem", policies->problem);
	return bl_object_builder_end(&out);
}

static struct bl_value agent_value(struct cli *cli,
				   const struct cli_guard *guard)
{
	const struct bl_inspection *found = &guard->found;
	struct bl_object_builder out;
	struct bl_buf cannot;

	bl_object_builder_init(&out, &cli->arena);
	add_text(&out, "agent", bl_str(found->agent->name));
	add_flag(&out, "guarded", cli_guard_is_good(guard));
	add_text(&out, "reason", guard->reason);
	add_text(&out, "remedy", guard->remedy);
	add_text(&out, "note", guard->note);
	add_text(&out, "installed", found->program);
	add_flag(&out, "in_project", found->is_in_project);
	add_flag(&out, "in_home", found->is_in_home);
	bl_object_builder_add(&out, BL_STR("registered"),
			      registrations_value(cli, found));
	bl_object_builder_add(&out, BL_STR("obstacles"),
			      obstacles_value(cli, found));
	add_text(&out, "program", guard->program);
	if (guard->by)
		bl_object_builder_add(&out, BL_STR("policies"),
				      policies_value(cli, guard));
	add_time(cli, &out, "guarded_since", guard->since_ms);
	add_time(cli, &out, "last_event", guard->last_ms);
	bl_buf_init(&cannot, 0);
	cli_guard_put_cannot(&cannot, found->agent);
	add_text(&out, "cannot",
		 bl_arena_copy_str(&cli->arena, bl_buf_str(&cannot)));
	bl_buf_clear(&cannot);
	return bl_object_builder_end(&out);
}

static void put_json(struct status *status, bool is_guarded)
{
	struct cli *cli = status->cli;
	struct bl_object_builder out;
	struct bl_array_builder agents;

	bl_array_builder_init(&agents, &cli->arena);
	for (size_t i = 0; i < status->count; i++)
		bl_array_builder_add(&agents,
				     agent_value(cli, &status->guards[i]));
	bl_object_builder_init(&out, &cli->arena);
	add_flag(&out, "guarded", is_guarded);
	add_text(&out, "project", status->places.setup.project);
	add_text(&out, "belay", status->places.belay);
	add_text(&out, "version", BL_STR(BELAY_VERSION));
	bl_object_builder_add(&out, BL_STR("agents"),
			      bl_array_builder_end(&agents));
	cli_put_json(cli, bl_object_builder_end(&out));
}

/* ---- the command -------------------------------------------------------- */

static bool is_wanted(const struct cli *cli, const struct bl_agent *agent)
{
	const struct cli_given *given = &cli->given[OPT_AGENT];

	for (size_t i = 0; i < given->count; i++)
		if (bl_str_is(given->values[i], agent->name))
			return true;
	return !given->count && agent->registration;
}

static enum bl_status check_names(const struct cli *cli, struct bl_error *err)
{
	const struct cli_given *given = &cli->given[OPT_AGENT];

	for (size_t i = 0; i < given->count; i++) {
		const struct bl_agent *agent;

		if (cli_get_agent(given->values[i], &agent, err))
			return err->status;
		if (!agent->registration)
			return bl_fail(err, BL_USAGE, CLI_NOT_REGISTERED,
				       agent->title);
	}
	return BL_OK;
}

static enum bl_status look(struct status *status, struct bl_error *err)
{
	struct cli *cli = status->cli;
	enum bl_status result = check_names(cli, err);

	if (!result)
		result = cli_guard_find_places(cli, cli_value(cli, OPT_DIR),
					       OPT_HOME, OPT_STATE_DIR,
					       &status->places, err);
	if (!result && cli_has(cli, OPT_ROOT))
		result = cli_absolute(cli, cli_value(cli, OPT_ROOT),
				      &status->places.setup.system_root, err);
	for (size_t i = 0; !result && bl_agents[i]; i++) {
		struct cli_guard *guard = &status->guards[status->count];

		if (!is_wanted(cli, bl_agents[i]))
			continue;
		result = cli_guard_look(cli, bl_agents[i], &status->places,
					guard, err);
		if (cli_guard_is_present(guard) ||
		    cli->given[OPT_AGENT].count) {
			status->count++;
			continue;
		}
		bl_buf_printf(&status->absent, "%s%s",
			      status->absent_count++ ? ", " : "",
			      bl_agents[i]->name);
	}
	return result;
}

static int run_status(struct cli *cli)
{
	struct status status = { .cli = cli };
	bool is_guarded;
	struct bl_error err;
	enum bl_status result;

	bl_buf_init(&status.absent, 0);
	result = look(&status, &err);
	is_guarded = status.count > 0;
	for (size_t i = 0; i < status.count; i++)
		is_guarded = is_guarded && cli_guard_is_good(&status.guards[i]);
	if (!result && cli_has(cli, OPT_JSON))
		put_json(&status, is_guarded);
	else if (!result)
		put_people(&status, cli_has(cli, OPT_BRIEF));
	bl_buf_clear(&status.absent);
	if (result)
		return cli_fail(cli, &err);
	return is_guarded ? EXIT_GUARDED : EXIT_NOT_GUARDED;
}

const struct cli_code cli_code_status = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"For each agent that is found on PATH, by its folder in the "
		"project or the home, or since belay is registered with it: is "
		"the hook in the agent's configuration as the agent itself "
		"reads it, does its program exist, do the policies load, and "
		"when did the last event come. An agent is guarded when all of "
		"that holds; a reason and a remedy say what does not.\n"
		"\n"
		"Events are counted from heartbeats in the folder of the log, "
		"which every program of this user can write: they show that "
		"belay is called; they do not prove it against a program that "
		"forges them.\n"
		"\n"
		"Exit status:\n"
		"  0      every agent that is found here is guarded\n"
		"  1      one is not, or no agent is found\n"
		"  other  it could not be told\n",
	.run = run_status,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c: looks at one agent; see guard.h. */
#include "cli/guard.h"

#include "os/os.h"
#include "packs/packs.h"
#include "team/team.h"

/* ---- places ------------------------------------------------------------- */

enum bl_status cli_guard_find_belay(struct cli *cli, struct bl_str *out_path,
				    struct bl_error *err)
{
	static const char *const places[] = { "belay", "../../bin/belay" };
	struct bl_str self = { NULL, 0 };
	enum bl_status status = bl_os_self_path(&cli->arena, &self, err);

	for (size_t i = 0; !status && i < BL_COUNT(places); i++) {
		struct bl_str path = bl_path_join(
			&cli->arena, bl_path_dir(self), bl_str(places[i]));

		if (!path.ptr)
			return bl_arena_fail(&cli->arena, err);
		if (!bl_path_resolve(&cli->arena, path, out_path, NULL))
			return BL_OK;
	}
	return status ? status
		      : bl_fail(err, BL_NOT_FOUND,
				"belay is not beside this program; name it "
				"with --program");
}

/* As eval looks for them: environment first, unless --home says otherwise. */
static enum bl_status find_home(struct cli *cli, size_t home_option,
				struct cli_guard_places *places,
				struct bl_error *err)
{
	struct bl_str config = bl_os_getenv("XDG_CONFIG_HOME");
	enum bl_status status = BL_OK;

	places->setup.home = bl_os_getenv("HOME");
	if (cli_has(cli, home_option) ||
	    !bl_path_is_absolute(places->setup.home))
		status = cli_home(cli, home_option, &places->setup.home, err);
	if (cli_has(cli, home_option) || !bl_path_is_absolute(config))
		config = bl_path_join(&cli->arena, places->setup.home,
				      BL_STR(".config"));
	places->config_home = config;
	return status;
}

enum bl_status cli_guard_find_places(struct cli *cli, struct bl_str dir,
				     size_t home_option, size_t state_option,
				     struct cli_guard_places *out_places,
				     struct bl_error *err)
{
	struct cli_guard_places *places = out_places;
	enum bl_status status;

	*places = (struct cli_guard_places){
		.setup = { .system_root = BL_STR("/"),
			   .check_file = cli_guard_check_file },
	};
	status = bl_setup_find_root(&cli->arena, dir.len ? dir : BL_STR("."),
				    &places->setup.project, &places->is_project,
				    err);
	if (!status)
		status = find_home(cli, home_option, places, err);
	if (!status)
		status = cli_journal_dir(cli, state_option, home_option,
					 &places->state_dir, err);
	if (!status && cli_guard_find_belay(cli, &places->belay, NULL))
		places->belay = BL_STR("");
	return status;
}

/* ---- files that an agent drops as a whole ------------------------------- */

struct bl_str cli_guard_check_file(const struct bl_agent *agent,
				   enum bl_scope scope, struct bl_str path,
				   struct bl_str text, struct bl_arena *arena)
{
	static const enum bl_source sources[BL_SCOPE_COUNT] = {
		[BL_SCOPE_PROJECT] = BL_SOURCE_PROJECT,
		[BL_SCOPE_USER] = BL_SOURCE_USER,
		[BL_SCOPE_MANAGED] = BL_SOURCE_ENTERPRISE,
	};
	const struct bl_profile *profile = bl_profile_at(0);
	const struct bl_diag_source source = { .file = path, .text = text };
	struct bl_diags diags;
	struct bl_error err;

	if (strcmp(bl_contract_get(profile->dialect)->agent, agent->name) != 0)
		return BL_STR("");
	bl_diags_init(&diags, arena);
	if (bl_hook_file_validate(profile, sources[scope], &source, &diags,
				  &err))
		return bl_arena_copy_str(arena, bl_str(err.message));
	for (const struct bl_diag *one = diags.first; one; one = one->next)
		if (one->severity == BL_SEVERITY_ERROR)
			return bl_arena_printf(
				arena, "%s drops this file: line %u: %.*s",
				agent->title, (unsigned)one->place.line,
				BL_STR_ARG(one->message));
	return BL_STR("");
}

/* ---- policies ----------------------------------------------------------- */

/* The directory that a line names; in a project by its last part. */
static struct bl_str dir_of(struct cli *cli,
			    const struct cli_guard_places *places,
			    const struct bl_registered *by)
{
	if (!by->policy_dir.len)
		return places->setup.project;
	if (bl_path_is_absolute(by->policy_dir))
		return by->policy_dir;
	return bl_path_join(&cli->arena, places->setup.project,
			    bl_path_base(by->policy_dir));
}

/* The rules of the packs that are on at a level, before any exception. */
static size_t count_rules(struct cli *cli, enum bl_level level)
{
	struct bl_value rules;
	size_t count = 0;

	if (level <= BL_LEVEL_OFF || bl_packs_rules(&cli->arena, &rules, NULL))
		return 0;
	for (size_t i = 0; i < bl_value_count(rules); i++) {
		struct bl_pack_rule rule = bl_pack_rule_of(
			rules, bl_value_text(bl_object_key(rules, i)));

		count +=
			!bl_str_is(rule.modes[level - BL_LEVEL_RELAXED], "off");
	}
	return count;
}

static void take_set(struct cli *cli, const struct bl_policy_set *set,
		     struct cli_guard_policies *out)
{
	for (size_t i = 0; i < BL_POLICY_ORIGINS; i++) {
		const struct bl_policy_dir *dir = &set->dirs[i];

		if (dir->rulebook.level > out->level)
			out->level = dir->rulebook.level;
		out->overrides += bl_value_count(dir->rulebook.modes);
		out->count += dir->policy_count;
		if (dir->problem_count && !out->problem.len)
			out->problem = dir->problems[0].text;
	}
	out->pack_rules = count_rules(cli, out->level);
}

static enum bl_status find_team(struct cli *cli,
				const struct cli_guard_places *places,
				struct bl_policy_place *out,
				struct bl_error *err)
{
	struct bl_str root = places->setup.system_root;

	/* Another root need not be root's. */
	if (bl_str_is(root, "/"))
		root = BL_STR("");
	return bl_team_find_policies(root, places->setup.home,
				     bl_os_wall_ms() / 1000, &cli->arena,
				     &out->path, err);
}

static void note_missing(struct cli *cli, const struct bl_error *why,
			 struct bl_policy_place *place)
{
	place->missing = bl_arena_copy_str(&cli->arena, bl_str(why->message));
}

static enum bl_status load_policies(struct cli *cli,
				    const struct bl_agent *agent,
				    const struct cli_guard_places *places,
				    const struct bl_registered *by,
				    struct cli_guard_policies *out,
				    struct bl_error *err)
{
	struct bl_policy_load_options options = {
		.agent = bl_str(agent->name),
		.agent_at = bl_agent_name_at,
	};
	struct bl_policy_place *team = &options.places[BL_POLICY_TEAM];
	struct bl_policy_place *global = &options.places[BL_POLICY_GLOBAL];
	struct bl_policy_place *project = &options.places[BL_POLICY_PROJECT];
	const struct bl_policy_set *set;
	struct bl_error why = { 0 };
	struct bl_diags diags;
	enum bl_status status;

	status = find_team(cli, places, team, &why);
	if (status && status != BL_NOT_FOUND)
		note_missing(cli, &why, team);
	if (bl_policy_find_global(BL_STR(""), places->config_home, &cli->arena,
				  &global->path, &why))
		note_missing(cli, &why, global);
	if (bl_policy_find_dir(dir_of(cli, places, by), &cli->arena,
			       &project->path, &why))
		note_missing(cli, &why, project);
	if (bl_str_equal(global->path, project->path))
		global->path = BL_STR("");
	out->dir = project->path;
	out->global = global->path;
	out->team = team->path;
	bl_diags_init(&diags, &cli->arena);
	status = bl_policy_load(&options, &cli->arena, &diags, &set, err);
	if (!status)
		take_set(cli, set, out);
	return status;
}

/* ---- the verdict -------------------------------------------------------- */

static void set_reason(struct cli_guard *guard, struct bl_str reason,
		       struct bl_str remedy)
{
	guard->reason = reason;
	guard->remedy = remedy;
}

/* The program that a registered line starts, or why none. */
static void check_program(struct cli *cli,
			  const struct cli_guard_places *places,
			  struct cli_guard *guard)
{
	struct bl_str name = guard->by->program;
	struct bl_str real;
	struct bl_str path = name;

	if (!bl_path_is_absolute(name))
		path = bl_setup_find_program(&cli->arena, name.ptr, NULL);
	if (!bl_setup_can_run(path)) {
		set_reason(guard,
			   bl_arena_printf(&cli->arena,
					   "%.*s, which %.*s starts, is not a "
					   "program",
					   BL_STR_ARG(name),
					   BL_STR_ARG(guard->by->file)),
			   BL_STR("install belay there, or run belay init"));
		return;
	}
	guard->program = path;
	if (places->belay.len &&
	    (bl_path_resolve(&cli->arena, path, &real, NULL) ||
	     !bl_str_equal(real, places->belay)))
		guard->note = bl_arena_printf(
			&cli->arena, "it starts %.*s; this is %.*s",
			BL_STR_ARG(path), BL_STR_ARG(places->belay));
}

/* Nothing is registered: a broken file may be why. */
static void say_unregistered(struct cli *cli, struct cli_guard *guard)
{
	const struct bl_inspection *found = &guard->found;

	if (found->obstacle_count) {
		set_reason(
			guard,
			bl_arena_printf(&cli->arena, "%.*s: %.*s",
					BL_STR_ARG(found->obstacles[0].file),
					BL_STR_ARG(found->obstacles[0].what)),
			found->obstacles[0].remedy);
		return;
	}
	set_reason(guard, BL_STR("belay is not registered"),
		   bl_arena_printf(&cli->arena, "belay init --harness %s",
				   found->agent->name));
}

/* The first registration that the agent runs, else the first. */
static void choose(struct cli_guard *guard)
{
	const struct bl_inspection *found = &guard->found;

	for (size_t i = 0; i < found->count && !guard->by; i++)
		if (!found->registered[i].problem.len)
			guard->by = &found->registered[i];
	if (!guard->by && found->count)
		guard->by = &found->registered[0];
}

static enum bl_status judge(struct cli *cli,
			    const struct cli_guard_places *places,
			    struct cli_guard *guard, struct bl_error *err)
{
	enum bl_status status;

	choose(guard);
	if (!guard->by) {
		say_unregistered(cli, guard);
		return BL_OK;
	}
	check_program(cli, places, guard);
	status = load_policies(cli, guard->found.agent, places, guard->by,
			       &guard->policies, err);
	if (guard->by->problem.len)
		set_reason(guard, guard->by->problem, guard->by->remedy);
	else if (!guard->reason.len && guard->policies.problem.len)
		set_reason(guard, guard->policies.problem,
			   BL_STR("belay validate"));
	else if (!guard->reason.len && !guard->policies.pack_rules &&
		 !guard->policies.count)
		set_reason(guard, BL_STR("no rule is in force"),
			   BL_STR("set level: standard in rulebook.yml"));
	if (guard->by->note.len)
		guard->note = guard->by->note;
	return status;
}

/* The events of this agent in the project, or below it. */
static enum bl_status take_beats(struct cli *cli,
				 const struct cli_guard_places *places,
				 struct cli_guard *guard, struct bl_error *err)
{
	struct bl_heartbeat *beats;
	size_t count;
	enum bl_status status = bl_heartbeat_list(
		places->state_dir, &cli->arena, &beats, &count, err);

	for (size_t i = 0; !status && i < count; i++) {
		if (!bl_str_is(beats[i].agent, guard->found.agent->name) ||
		    !bl_path_is_in(beats[i].workspace, places->setup.project))
			continue;
		if (!guard->since_ms || beats[i].since_ms < guard->since_ms)
			guard->since_ms = beats[i].since_ms;
		if (beats[i].last_ms > guard->last_ms)
			guard->last_ms = beats[i].last_ms;
	}
	return status;
}

enum bl_status cli_guard_look(struct cli *cli, const struct bl_agent *agent,
			      const struct cli_guard_places *places,
			      struct cli_guard *out_guard, struct bl_error *err)
{
	enum bl_status status;

	*out_guard = (struct cli_guard){ .by = NULL };
	status = bl_setup_inspect(agent, &places->setup, &cli->arena,
				  &out_guard->found, err);
	if (!status)
		status = judge(cli, places, out_guard, err);
	if (!status)
		status = take_beats(cli, places, out_guard, err);
	/* Whatever the approval was, it has been given. */
	if (out_guard->by && out_guard->by->is_unseen && out_guard->last_ms &&
	    bl_str_equal(out_guard->reason, out_guard->by->problem))
		set_reason(out_guard, BL_STR(""), BL_STR(""));
	return status;
}

/* ---- words -------------------------------------------------------------- */

void cli_put_age(struct bl_buf *out, int64_t then_ms)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" } };
	int64_t age = (bl_os_wall_ms() - then_ms) / 1000;

	for (size_t i = 0; i < BL_COUNT(units); i++) {
		int64_t count = age / units[i].seconds;

		if (count < 1)
			continue;
		bl_buf_printf(out, "%lld %s%s ago", (long long)count,
			      units[i].name, count == 1 ? "" : "s");
		return;
	}
	bl_buf_puts(out, "just now");
}

/* The event before a tool is used, as the agent has it. */
static const struct bl_hook_event *before_tool(const struct bl_agent *agent)
{
	for (size_t i = 0; i < agent->event_count; i++)
		if (bl_hook_event_policy_kind(&agent->events[i], NULL) ==
		    BL_EVENT_TOOL_BEFORE)
			return &agent->events[i];
	return NULL;
}

void cli_guard_put_cannot(struct bl_buf *out, const struct bl_agent *agent)
{
	static const struct {
		const char *name;
		enum bl_verb verb;
	} verbs[] = { { "deny", BL_VERB_DENY },
		      { "ask", BL_VERB_ASK },
		      { "modify", BL_VERB_MODIFY } };
	const struct bl_response_options options = { .is_strict = false };
	const struct bl_hook_event *event = before_tool(agent);
	const char *comma = "";

	for (size_t i = 0; event && i < BL_COUNT(verbs); i++) {
		enum bl_verb effect =
			bl_agent_preview(event, verbs[i].verb, false, &options)
				.effect;

		if (bl_verb_verdict(effect) == bl_verb_verdict(verbs[i].verb))
			continue;
		bl_buf_printf(out, "%s%s (%s instead)", comma, verbs[i].name,
			      bl_verb_name(effect));
		comma = ", ";
	}
	if (event && !(event->capabilities & BL_CAN_CONTEXT))
		bl_buf_printf(out, "%sadd context before a tool", comma);
}

void cli_guard_put_verdict(struct cli *cli, const struct cli_guard *guard)
{
	if (cli_guard_is_good(guard))
		cli_put_styled(cli, CLI_GREEN, "guarded");
	else
		cli_put_styled(cli, CLI_RED, "NOT GUARDED");
}

void cli_guard_put_why(struct cli *cli, const struct cli_guard *guard)
{
	cli_put_text(&cli->out, 14, guard->reason);
	if (guard->remedy.len) {
		bl_buf_puts(&cli->out, "; ");
		cli_put_text(&cli->out, 14, guard->remedy);
	}
	bl_buf_put_char(&cli->out, '\n');
}

void cli_guard_put_level(struct bl_buf *out,
			 const struct cli_guard_policies *policies)
{
	bl_buf_printf(out, "level %s, %zu rule%s of packs",
		      policies->level ? bl_level_name(policies->level) : "off",
		      policies->pack_rules,
		      policies->pack_rules == 1 ? "" : "s");
	if (policies->overrides)
		bl_buf_printf(out, " (%zu changed)", policies->overrides);
	bl_buf_printf(out, ", %zu polic%s", policies->count,
		      policies->count == 1 ? "y" : "ies");
}

void cli_guard_put_brief(struct cli *cli, const struct cli_guard *guard)
{
	bl_buf_printf(&cli->out, "  %-10s", guard->found.agent->name);
	cli_guard_put_verdict(cli, guard);
	bl_buf_puts(&cli->out, ": ");
	if (!cli_guard_is_good(guard)) {
		cli_guard_put_why(cli, guard);
		return;
	}
	cli_guard_put_level(&cli->out, &guard->policies);
	if (guard->last_ms) {
		bl_buf_puts(&cli->out, "; last event ");
		cli_put_age(&cli->out, guard->last_ms);
	} else {
		bl_buf_puts(&cli->out, "; no event yet");
	}
	bl_buf_put_char(&cli->out, '\n');
}

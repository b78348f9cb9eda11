/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event, from routing to the decision. The other files of the module each
 * know one stage; the order of the stages is here.
 */
#include "sources/policies/private.h"

bool policy_has_refused(const struct bl_policy_report *report)
{
	for (size_t i = 0; i < report->finding_count; i++)
		if (bl_verb_refuses(report->findings[i].verb))
			return true;
	for (size_t i = 0; i < report->trouble_count; i++)
		if (report->troubles[i].verdict == BL_VERDICT_DENY)
			return true;
	return false;
}

/*
 * Whatever the rulebook calls them: the directories that are in use, by their
 * real paths, belong to what guards them.
 */
static struct bl_value with_own_folders(const struct policy_run *run,
					struct bl_value config)
{
	const struct bl_str name = BL_STR("rulebook_security_guardrails");
	const struct bl_str key = BL_STR("protected_paths");
	struct bl_value section = bl_object_find(config, name);
	struct bl_value given = bl_object_find(section, key);
	struct bl_array_builder paths;

	if (!bl_value_is_defined(section))
		return config;
	bl_array_builder_init(&paths, run->arena);
	for (size_t i = 0; i < bl_value_count(given); i++)
		bl_array_builder_add(&paths, bl_value_item(given, i));
	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		if (run->set->dirs[i].path.len)
			bl_array_builder_add(
				&paths,
				bl_value_string(run->set->dirs[i].path));
	section = policy_put(run->arena, section, key,
			     bl_array_builder_end(&paths));
	return policy_put(run->arena, config, name, section);
}

struct bl_str policy_home(const struct policy_run *run)
{
	struct bl_str home = run->options->home;

	if (!home.len && bl_os_home(run->arena, &home, NULL) != BL_OK)
		return BL_STR("");
	return home;
}

/*
 * The options of builtins: those of the directory, with those of the directories
 * before it in place of its own of the same name; the first one's win.
 */
static struct bl_value builtin_config(const struct policy_run *run)
{
	struct bl_value config = run->dir->rulebook.builtin_config;

	for (int i = (int)run->dir->origin - 1; i >= 0; i--) {
		struct bl_value above =
			run->set->dirs[i].rulebook.builtin_config;

		for (size_t j = 0; j < bl_value_count(above); j++)
			config = policy_put(
				run->arena, config,
				bl_value_text(bl_object_key(above, j)),
				bl_object_value(above, j));
	}
	return with_own_folders(run, config);
}

static enum bl_status make_input(struct policy_run *run, size_t first,
				 struct bl_value *out_input)
{
	struct bl_value input = run->event->input;
	struct bl_value config = builtin_config(run);
	struct bl_value signals;
	enum bl_status status = policy_place_paths(run, &config);

	if (!status && run->dir->rulebook.inspect_scripts)
		status = policy_inspect_script(run, &input);
	if (!status && run->dir->wants_facts)
		status = policy_add_facts(run, &input);
	if (!status)
		status = policy_run_signals(run, first, &signals);
	if (status)
		return status;
	if (bl_value_is_defined(signals))
		input = policy_put(run->arena, input, BL_STR("signals"),
				   signals);
	input = policy_put(run->arena, input, BL_STR("builtin_config"), config);
	*out_input = input;
	return bl_arena_status(run->arena) ? bl_arena_fail(run->arena, run->err)
					   : BL_OK;
}

static enum bl_status decide_in(struct policy_run *run,
				const struct bl_policy_dir *dir, bool *out_ran)
{
	enum bl_status status = BL_OK;
	bool is_decided = policy_has_refused(run->report);
	bool any;
	size_t first;
	struct bl_value input;

	run->dir = dir;
	for (size_t i = 0; !status && i < dir->problem_count; i++)
		status = policy_trouble(run, dir->problems[i].failure, NULL,
					dir->problems[i].text);
	if (!status)
		status = policy_route(run, is_decided, &first, &any);
	if (status || !any || !dir->rego)
		return status;
	*out_ran = true;
	status = make_input(run, first, &input);
	if (status)
		return status;
	run->report->input = input;
	return policy_evaluate(run, first, input);
}

/* One directory, with what it took and gave. */
static enum bl_status run_phase(struct policy_run *run, int origin)
{
	struct bl_policy_report *report = run->report;
	struct bl_policy_phase *phase = &report->phases[origin];
	enum bl_status status;

	phase->started_ns = bl_os_monotonic_ns();
	phase->first_finding = report->finding_count;
	phase->first_signal = report->signal_count;
	status = decide_in(run, &run->set->dirs[origin], &phase->has_run);
	phase->finding_count = report->finding_count - phase->first_finding;
	phase->signal_count = report->signal_count - phase->first_signal;
	phase->ended_ns = bl_os_monotonic_ns();
	return status;
}

enum bl_status bl_policy_decide(const struct bl_policy_set *set,
				const struct bl_policy_event *event,
				const struct bl_policy_options *options,
				struct bl_arena *arena,
				struct bl_policy_report *out_report,
				struct bl_error *err)
{
	struct policy_run run = { .set = set,
				  .event = event,
				  .options = options,
				  .arena = arena,
				  .report = out_report,
				  .err = err };
	enum bl_status status = BL_OK;

	*out_report = (struct bl_policy_report){ 0 };
	if (options->timeout_ms)
		run.deadline_ns = bl_os_monotonic_ns() +
				  (int64_t)options->timeout_ms * 1000000;
	for (int i = 0; !status && i < BL_POLICY_ORIGINS; i++)
		status = run_phase(&run, i);
	if (!status)
		status = policy_judge_by_packs(&run, event->input);
	if (!status)
		status = policy_ask_allowances(&run);
	return status ? status : policy_synthesise(&run);
}

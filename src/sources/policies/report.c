/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report about an event as a value, for the log, --json and people: one
 * shape for all three.
 */
#include "sources/policies/private.h"

static void add_text(struct bl_object_builder *out, const char *name,
		     struct bl_str text)
{
	if (text.len)
		bl_object_builder_add(out, bl_str(name), bl_value_string(text));
}

struct bl_names bl_policy_unmet(const struct bl_policy_routed *routed)
{
	if (routed->route == BL_ROUTE_EVENT)
		return routed->policy->events;
	if (routed->route == BL_ROUTE_TOOL || routed->route == BL_ROUTE_NO_TOOL)
		return routed->policy->tools;
	return (struct bl_names){ NULL, 0 };
}

static struct bl_value unmet(const struct bl_policy_routed *routed,
			     struct bl_arena *arena)
{
	struct bl_names names = bl_policy_unmet(routed);
	struct bl_array_builder list;

	if (!names.count)
		return bl_value_undefined();
	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < names.count; i++)
		bl_array_builder_add(&list, bl_value_string(names.items[i]));
	return bl_array_builder_end(&list);
}

static struct bl_value routes(const struct bl_policy_report *report,
			      struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < report->route_count; i++) {
		const struct bl_policy_routed *routed = &report->routes[i];
		struct bl_object_builder one;

		bl_object_builder_init(&one, arena);
		add_text(&one, "package", routed->policy->package);
		add_text(&one, "file", routed->policy->file);
		add_text(&one, "origin",
			 bl_str(bl_policy_origin_name(routed->dir->origin)));
		bl_object_builder_add(
			&one, BL_STR("runs"),
			bl_value_boolean(bl_route_runs(routed->route)));
		add_text(&one, "why", bl_str(bl_route_text(routed->route)));
		bl_object_builder_add(&one, BL_STR("wants"),
				      unmet(routed, arena));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

/* The members of a finding that the full and the brief report share. */
static void begin_finding(const struct bl_policy_finding *finding,
			  struct bl_str reason, struct bl_object_builder *out)
{
	add_text(out, "verb", bl_str(bl_verb_name(finding->verb)));
	add_text(out, "rule_id", finding->rule_id);
	add_text(out, "severity", finding->severity);
	add_text(out, "reason", reason);
	if (finding->policy)
		add_text(out, "package", finding->policy->package);
}

static struct bl_value findings(const struct bl_policy_report *report,
				struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct bl_policy_finding *finding = &report->findings[i];
		struct bl_object_builder one;

		bl_object_builder_init(&one, arena);
		begin_finding(finding, finding->reason, &one);
		if (finding->document) {
			add_text(&one, "file", finding->document->file);
			bl_object_builder_add(
				&one, BL_STR("line"),
				bl_value_integer(finding->document->line));
		}
		bl_object_builder_add(&one, BL_STR("counted"),
				      bl_value_boolean(finding->counted));
		bl_object_builder_add(&one, BL_STR("why"), finding->why);
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value troubles(const struct bl_policy_report *report,
				struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < report->trouble_count; i++) {
		const struct bl_policy_trouble *trouble = &report->troubles[i];
		struct bl_object_builder one;

		bl_object_builder_init(&one, arena);
		add_text(&one, "failure",
			 bl_str(bl_policy_failure_name(trouble->failure)));
		add_text(&one, "text", trouble->text);
		add_text(&one, "verdict",
			 bl_str(bl_verdict_name(trouble->verdict)));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value signals(const struct bl_policy_report *report,
			       struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < report->signal_count; i++) {
		const struct bl_signal_result *result = &report->signals[i];
		struct bl_object_builder one;

		bl_object_builder_init(&one, arena);
		add_text(&one, "name", result->name);
		bl_object_builder_add(&one, BL_STR("value"), result->value);
		add_text(&one, "problem", result->problem);
		bl_object_builder_add(
			&one, BL_STR("elapsed_ms"),
			bl_value_integer(result->elapsed_ns / 1000000));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

/* Those that decided nothing, for one reason; undefined: none. */
static struct bl_value spared(const struct bl_policy_report *report,
			      enum bl_spared why, struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < report->spared_count; i++) {
		struct bl_object_builder one;

		if (report->spared[i].spared != why)
			continue;
		bl_object_builder_init(&one, arena);
		begin_finding(&report->spared[i], BL_STR(""), &one);
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

static void add_spared(struct bl_object_builder *out,
		       const struct bl_policy_report *report,
		       struct bl_arena *arena)
{
	bl_object_builder_add(out, BL_STR("monitored"),
			      spared(report, BL_SPARED_MONITORED, arena));
	bl_object_builder_add(out, BL_STR("allowed"),
			      spared(report, BL_SPARED_ALLOWED, arena));
	bl_object_builder_add(out, BL_STR("excepted"),
			      spared(report, BL_SPARED_EXCEPTED, arena));
}

struct bl_value bl_policy_report_value(const struct bl_policy_report *report,
				       struct bl_arena *arena)
{
	const struct bl_decision *decision = &report->decision;
	struct bl_object_builder all;

	bl_object_builder_init(&all, arena);
	add_text(&all, "verb",
		 bl_str(decision->verdict == BL_VERDICT_NONE
				? "none"
				: bl_verb_name(bl_decision_verb(decision))));
	add_text(&all, "reason", decision->user_message);
	bl_object_builder_add(&all, BL_STR("agent_messages"),
			      decision->agent_messages);
	bl_object_builder_add(&all, BL_STR("context"),
			      decision->additional_context);
	bl_object_builder_add(&all, BL_STR("updated_input"),
			      decision->updated_input);
	bl_object_builder_add(&all, BL_STR("policies"), routes(report, arena));
	bl_object_builder_add(&all, BL_STR("findings"),
			      findings(report, arena));
	add_spared(&all, report, arena);
	bl_object_builder_add(&all, BL_STR("troubles"),
			      troubles(report, arena));
	bl_object_builder_add(&all, BL_STR("signals"), signals(report, arena));
	return bl_object_builder_end(&all);
}

/* ---- in brief ------------------------------------------------------------- */

static struct bl_value brief_routes(const struct bl_policy_report *report,
				    struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < report->route_count; i++) {
		const struct bl_policy_routed *routed = &report->routes[i];

		if (bl_route_runs(routed->route))
			bl_array_builder_add(
				&list,
				bl_value_string(routed->policy->package));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value brief_findings(const struct bl_policy_report *report,
				      struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < report->finding_count; i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, arena);
		begin_finding(&report->findings[i], BL_STR(""), &one);
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value brief_troubles(const struct bl_policy_report *report,
				      struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < report->trouble_count; i++) {
		enum bl_policy_failure failure = report->troubles[i].failure;

		bl_array_builder_add(&list,
				     bl_value_string(bl_str(
					     bl_policy_failure_name(failure))));
	}
	return bl_array_builder_end(&list);
}

struct bl_value bl_policy_report_brief(const struct bl_policy_report *report,
				       struct bl_arena *arena)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, arena);
	bl_object_builder_add(&all, BL_STR("policies"),
			      brief_routes(report, arena));
	bl_object_builder_add(&all, BL_STR("findings"),
			      brief_findings(report, arena));
	add_spared(&all, report, arena);
	bl_object_builder_add(&all, BL_STR("troubles"),
			      brief_troubles(report, arena));
	return bl_object_builder_end(&all);
}

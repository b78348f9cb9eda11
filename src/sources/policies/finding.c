/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading decisions (docs/contracts/cupcake.md "Decision objects"), each by
 * itself: what is missing but can be told otherwise is filled in; what makes no
 * sense refuses, with the name of the policy.
 */
#include "sources/policies/private.h"

/* One decision at hand. */
struct reading {
	struct policy_run *run;
	const struct bl_policy *policy;
	const struct bl_policy_document *document;
	const char *problem; /* of the first malformed one */
	size_t malformed;
	enum bl_status status;
};

static struct bl_policy_finding *new_finding(struct reading *at)
{
	struct bl_policy_report *report = at->run->report;
	struct bl_policy_finding *finding;

	report->findings = bl_arena_room(
		at->run->arena, report->findings, report->finding_count,
		&at->run->finding_cap, sizeof(*report->findings));
	if (!report->findings) {
		at->status = bl_arena_fail(at->run->arena, at->run->err);
		return NULL;
	}
	finding = &report->findings[report->finding_count++];
	*finding = (struct bl_policy_finding){
		.verb = at->document->verb,
		.policy = at->policy,
		.document = at->document,
		.severity = at->policy->severity,
		.rule_id = at->policy->id,
		.priority = 50,
	};
	if (!finding->severity.len)
		finding->severity = BL_STR("MEDIUM");
	if (!finding->rule_id.len)
		finding->rule_id = at->policy->package;
	return finding;
}

static void malformed(struct reading *at, const char *problem)
{
	if (!at->malformed++)
		at->problem = problem;
}

/* One trouble, however many are malformed. */
static enum bl_status report_malformed(struct reading *at)
{
	struct bl_arena *arena = at->run->arena;
	struct bl_str more = BL_STR("");

	if (at->status || !at->malformed)
		return at->status;
	if (at->malformed > 1)
		more = bl_arena_printf(arena, ", and %zu more",
				       at->malformed - 1);
	return policy_trouble(
		at->run, BL_FAILURE_MALFORMED, at->policy,
		bl_arena_printf(arena,
				"policy %.*s gave a malformed %s decision "
				"(%s)%.*s; fix %.*s:%u",
				BL_STR_ARG(at->policy->package),
				bl_verb_name(at->document->verb), at->problem,
				BL_STR_ARG(more),
				BL_STR_ARG(at->document->file),
				at->document->line));
}

/* ---- fields --------------------------------------------------------------- */

/* The texts of a decision: the first name that is there counts. */
static const struct {
	const char *names[3];
	size_t offset; /* of the struct bl_str */
} text_fields[] = {
	{ { "reason" }, offsetof(struct bl_policy_finding, reason) },
	{ { "reason_user", "user_message" },
	  offsetof(struct bl_policy_finding, user) },
	{ { "agent_context", "reason_model", "agent_message" },
	  offsetof(struct bl_policy_finding, agent) },
	{ { "safe_alternative" },
	  offsetof(struct bl_policy_finding, safe_alternative) },
	{ { "rule_id" }, offsetof(struct bl_policy_finding, rule_id) },
	{ { "severity" }, offsetof(struct bl_policy_finding, severity) },
};

/* NULL, or what is wrong. */
static const char *read_text_fields(struct bl_value object,
				    struct bl_policy_finding *finding,
				    struct bl_arena *arena)
{
	for (size_t i = 0; i < BL_COUNT(text_fields); i++) {
		struct bl_value value = bl_value_undefined();
		size_t n = 0;
		struct bl_str text;

		for (; n < 3 && text_fields[i].names[n]; n++) {
			value = bl_object_find(object,
					       bl_str(text_fields[i].names[n]));
			if (bl_value_is_defined(value))
				break;
		}
		if (!bl_value_is_defined(value))
			continue;
		if (!bl_value_is(value, BL_KIND_STRING))
			return bl_arena_printf(arena, "%s must be a text",
					       text_fields[i].names[n])
				.ptr;
		text = bl_value_text(value);
		memcpy((char *)finding + text_fields[i].offset, &text,
		       sizeof(text));
	}
	return NULL;
}

static const char *read_modification(struct bl_value object,
				     struct bl_policy_finding *finding)
{
	struct bl_value priority = bl_object_find(object, BL_STR("priority"));

	finding->updated_input =
		bl_object_find(object, BL_STR("updated_input"));
	if (!bl_value_is(finding->updated_input, BL_KIND_OBJECT))
		return "updated_input must be an object";
	if (bl_value_is_defined(priority) &&
	    (!bl_number_to_integer(priority, &finding->priority) ||
	     finding->priority < 0 || finding->priority > 255))
		return "priority must be a whole number from 0 to 255";
	return NULL;
}

static void read_object(struct reading *at, struct bl_value object)
{
	struct bl_policy_finding *finding = new_finding(at);
	const char *problem;

	if (!finding)
		return;
	finding->raw = object;
	problem = read_text_fields(object, finding, at->run->arena);
	if (!problem && finding->verb == BL_VERB_MODIFY)
		problem = read_modification(object, finding);
	if (!problem && !bl_str_trim(finding->reason).len)
		problem = "it has no reason";
	if (problem) {
		at->run->report->finding_count--;
		malformed(at, problem);
	}
}

static void read_text(struct reading *at, struct bl_value text)
{
	struct bl_policy_finding *finding;

	if (at->document->verb == BL_VERB_MODIFY) {
		malformed(at, "it is not an object");
		return;
	}
	finding = new_finding(at);
	if (!finding)
		return;
	finding->raw = text;
	finding->reason = bl_value_text(text);
}

static void read_one(struct reading *at, struct bl_value value)
{
	bool is_context = at->document->verb == BL_VERB_ADD_CONTEXT;

	if (bl_value_is(value, BL_KIND_STRING))
		read_text(at, value);
	else if (bl_value_is(value, BL_KIND_OBJECT) && !is_context)
		read_object(at, value);
	else
		malformed(at, is_context ? "a context must be a text"
					 : "it is neither object nor text");
}

/* A set, a list, one decision, or (as `default deny := false`) none. */
enum bl_status policy_read_findings(struct policy_run *run,
				    const struct bl_policy *policy,
				    const struct bl_policy_document *document,
				    struct bl_value value)
{
	struct reading at = { .run = run,
			      .policy = policy,
			      .document = document };

	if (bl_value_is(value, BL_KIND_SET) ||
	    bl_value_is(value, BL_KIND_ARRAY)) {
		for (size_t i = 0; !at.status && i < bl_value_count(value); i++)
			read_one(&at, bl_value_item(value, i));
		return report_malformed(&at);
	}
	if (bl_value_is_defined(value) && !bl_value_is(value, BL_KIND_NULL) &&
	    !(bl_value_is(value, BL_KIND_BOOLEAN) && !bl_value_is_true(value)))
		read_one(&at, value);
	return report_malformed(&at);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and texts, and the table of failures: the verdict that each leads to, by
 * class of event.
 */
#include "sources/policies/policies.h"

static const struct {
	const char *name;
	const char *text;
	enum bl_verdict verdicts[BL_CLASS_COUNT];
} failures[] = {
#define FAILURE(name, text, permission, prompt, observe, what)                 \
	[BL_FAILURE_##name] = {                                                \
		text,                                                          \
		what,                                                          \
		{                                                              \
			[BL_CLASS_PERMISSION] = BL_VERDICT_##permission,       \
			[BL_CLASS_PROMPT] = BL_VERDICT_##prompt,               \
			[BL_CLASS_OBSERVE] = BL_VERDICT_##observe,             \
		}                                                              \
	},
#include "sources/policies/failures.def"
#undef FAILURE
};

const char *bl_policy_failure_name(enum bl_policy_failure failure)
{
	return failures[failure].name;
}

const char *bl_policy_failure_text(enum bl_policy_failure failure)
{
	return failures[failure].text;
}

enum bl_verdict bl_policy_failure_verdict(enum bl_policy_failure failure,
					  enum bl_event_class class)
{
	return failures[failure].verdicts[class];
}

const char *bl_policy_origin_name(enum bl_policy_origin origin)
{
	static const char *const names[] = {
		[BL_POLICY_TEAM] = "team",
		[BL_POLICY_GLOBAL] = "global",
		[BL_POLICY_PROJECT] = "project",
	};

	return names[origin];
}

const char *bl_route_text(enum bl_route route)
{
	static const char *const texts[] = {
		[BL_ROUTE_MATCHED] = "matched",
		[BL_ROUTE_JOINED] = "routes on nothing: joins the others",
		[BL_ROUTE_EVENT] = "for another event",
		[BL_ROUTE_TOOL] = "for another tool",
		[BL_ROUTE_NO_TOOL] = "for a tool, but the event has no tool",
		[BL_ROUTE_ALONE] = "routes on nothing, and no other matched",
		[BL_ROUTE_DECIDED] = "earlier policies had refused",
	};

	return texts[route];
}

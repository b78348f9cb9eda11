/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which policies take part in an event (docs/contracts/cupcake.md "Routing",
 * mended).
 */
#include "sources/policies/private.h"
#include "text/text.h"

static bool matches_any(struct bl_names patterns, struct bl_str a,
			struct bl_str b)
{
	for (size_t i = 0; i < patterns.count; i++)
		if (bl_wildcard_match(patterns.items[i], a, 0) ||
		    (b.len && bl_wildcard_match(patterns.items[i], b, 0)))
			return true;
	return false;
}

enum bl_route policy_route_of(const struct bl_policy *policy,
			      const struct bl_policy_event *event)
{
	if (!policy->events.count && !policy->tools.count)
		return BL_ROUTE_ALONE;
	if (policy->events.count &&
	    !matches_any(policy->events, event->name, event->canonical))
		return BL_ROUTE_EVENT;
	if (!policy->tools.count)
		return BL_ROUTE_MATCHED;
	if (!event->tool.len && !event->tool_kind.len)
		return BL_ROUTE_NO_TOOL;
	return matches_any(policy->tools, event->tool, event->tool_kind)
		       ? BL_ROUTE_MATCHED
		       : BL_ROUTE_TOOL;
}

/* Policies of an image share lists: many ask for the same. */
static bool has_names_of(const struct bl_policy *a, const struct bl_policy *b)
{
	return a->events.items == b->events.items &&
	       a->events.count == b->events.count &&
	       a->tools.items == b->tools.items &&
	       a->tools.count == b->tools.count;
}

enum bl_status policy_route(struct policy_run *run, bool is_decided,
			    size_t *out_first, bool *out_any)
{
	struct bl_policy_report *report = run->report;
	size_t first = report->route_count;
	enum bl_route route = BL_ROUTE_DECIDED;
	bool any = false;

	for (size_t i = 0; i < run->dir->policy_count; i++) {
		const struct bl_policy *policy = &run->dir->policies[i];

		if (!i || !has_names_of(policy, policy - 1))
			route = policy_route_of(policy, run->event);
		if (is_decided)
			route = BL_ROUTE_DECIDED;

		report->routes = bl_arena_room(
			run->arena, report->routes, report->route_count,
			&run->route_cap, sizeof(*report->routes));
		if (!report->routes)
			return bl_arena_fail(run->arena, run->err);
		report->routes[report->route_count++] =
			(struct bl_policy_routed){ run->dir, policy, route };
		any |= route == BL_ROUTE_MATCHED;
	}
	for (size_t i = first; any && i < report->route_count; i++)
		if (report->routes[i].route == BL_ROUTE_ALONE)
			report->routes[i].route = BL_ROUTE_JOINED;
	*out_first = first;
	*out_any = any;
	return BL_OK;
}

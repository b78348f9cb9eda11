/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which sources are asked, and the one decision of them all.
 *
 * For instance, by the profile cursor: hooks first.  One of them rewrites the
 * command of a shell call from "npm install" to "npm ci": policies are then
 * asked about "npm ci", since that is what would run.  The hooks allow, a
 * policy denies: the decision is deny with the policy's reason, and the journal
 * has a line of the hook and one of the policies, with the same action.
 */
#include "engine/private.h"

static const enum bl_outcome_source origins[] = {
	[BL_ASK_HOOKS] = BL_FROM_HOOK,
	[BL_ASK_POLICIES] = BL_FROM_POLICY,
};

static enum bl_status ask(struct bl_event *event, const enum bl_asked *source,
			  const struct bl_request *request,
			  struct bl_error *err)
{
	bool is_last = source[1] == BL_ASK_NOBODY;
	struct bl_decision *decision = &event->decisions[event->decided];
	bool asked = false;
	enum bl_status status =
		*source == BL_ASK_HOOKS
			? bl_event_ask_hooks(event, &asked, decision, err)
			: bl_event_ask_policies(event, request, &asked,
						decision, err);

	if (status != BL_OK || !asked)
		return status;
	event->outcomes[event->decided++] =
		bl_outcome_of_decision(origins[*source], decision);
	if (is_last || !bl_value_is_defined(decision->updated_input))
		return BL_OK;
	return bl_event_rewrite(event, decision->updated_input, err);
}

/* One source alone decides as it does; several are combined. */
static enum bl_status combine(struct bl_event *event, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	enum bl_event_class class = event->hook_event ? event->hook_event->class
						      : BL_CLASS_PERMISSION;
	enum bl_status status;

	if (event->decided == 1)
		reply->decision = event->decisions[0];
	if (event->decided <= 1)
		return BL_OK;
	status = bl_decision_combine(&bl_combine_sources, class, true,
				     event->outcomes, event->decided,
				     event->arena, &reply->decision, err);
	/* Between sources none is lost: each was made from the one before. */
	reply->decision.lost_updates = 0;
	for (size_t i = 0; i < event->decided; i++)
		reply->decision.lost_updates +=
			event->decisions[i].lost_updates;
	return status;
}

/* Is the whole refusal, or question, one of policies that can be allowed? */
static bool can_be_allowed(const struct bl_event *event)
{
	const struct bl_reply *reply = event->reply;
	const struct bl_allowance *allowance = &reply->report.allowance;
	size_t deciders = 0;

	for (size_t i = 0; i < event->decided; i++)
		deciders += event->decisions[i].verdict >= BL_VERDICT_ASK;
	return allowance->action.digest.len && !allowance->granted_ms &&
	       deciders == 1 && reply->decision.verdict >= BL_VERDICT_ASK &&
	       bl_str_equal(reply->report.decision.user_message,
			    reply->decision.user_message) &&
	       !event->engine->no_journal;
}

enum bl_status bl_event_offer(struct bl_event *event, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	struct bl_decision *decision = &reply->decision;
	enum bl_status status;

	if (!can_be_allowed(event))
		return BL_OK;
	status = bl_allowance_new_code(reply->code, err);
	if (status)
		return status;
	decision->way_out = bl_arena_printf(
		event->arena,
		"To let this one action pass, a person runs in a terminal of "
		"their own: belay allow %s",
		reply->code);
	/* Enforced as it is: what the encoder of a hook's answer adds. */
	if (event->engine->form == BL_FORM_SERVICE &&
	    decision->verdict == BL_VERDICT_DENY)
		decision->user_message =
			bl_arena_printf(event->arena, "%.*s %.*s",
					BL_STR_ARG(decision->user_message),
					BL_STR_ARG(decision->way_out));
	return decision->way_out.ptr && decision->user_message.ptr
		       ? BL_OK
		       : bl_arena_fail(event->arena, err);
}

enum bl_status bl_event_decide(struct bl_event *event,
			       const struct bl_request *request,
			       struct bl_error *err)
{
	const enum bl_asked *sources = event->engine->sources;
	enum bl_status status = BL_OK;

	for (size_t i = 0; status == BL_OK && sources[i] != BL_ASK_NOBODY; i++)
		status = ask(event, &sources[i], request, err);
	if (status == BL_OK)
		status = combine(event, err);
	return status == BL_OK ? bl_event_offer(event, err) : status;
}

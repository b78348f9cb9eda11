/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the decision to the response, in the form that the engine has: what the
 * hook service tells its agent to enforce, or what a hook of the agent prints.
 */
#include "engine/private.h"

/* A value could not be made; never OK. */
static enum bl_status fail_making(const struct bl_event *event,
				  struct bl_error *err)
{
	if (bl_arena_status(event->arena) == BL_OK)
		return bl_fail_memory(err);
	return bl_arena_fail(event->arena, err);
}

/* The message of a program that reports this decision. */
static void set_effect(struct bl_reply *reply)
{
	enum bl_verdict verdict = reply->enforcement.verdict;

	reply->response.effect =
		bl_verb_of(verdict, reply->decision.attributes);
	reply->response.exit_code = bl_verdict_exit_code(verdict);
}

static enum bl_status enforce_chain(struct bl_event *event,
				    struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	const struct bl_everruns_chain *chain = event->chain;

	reply->enforcement = (struct bl_enforcement){
		.verdict = reply->decision.verdict,
		.user_text = chain->user_message,
		.model_text = chain->reason,
	};
	set_effect(reply);
	reply->answer = bl_event_chain_answer(event);
	return bl_value_is_defined(reply->answer) ? BL_OK
						  : fail_making(event, err);
}

static enum bl_status enforce(struct bl_event *event, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	enum bl_status status;

	if (event->chain)
		return enforce_chain(event, err);
	status = bl_hook_event_enforce(event->hook_event, &reply->decision,
				       event->payload, event->arena,
				       &reply->enforcement, err);
	if (status != BL_OK)
		return status;
	set_effect(reply);
	reply->answer = bl_agent_output_encode(event->hook_event,
					       &reply->decision, event->arena);
	return bl_value_is_defined(reply->answer) ? BL_OK
						  : fail_making(event, err);
}

static enum bl_status encode(struct bl_event *event, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	const struct bl_engine_agent *agent = &event->engine->agent;
	struct bl_response_options options = {
		.is_strict = agent->is_strict,
		.passes_unmodified = agent->passes_unmodified,
	};

	if (reply->policies)
		options.passes_unmodified = bl_policy_passes_unmodified(
			reply->policies, agent->passes_unmodified);
	return bl_agent_encode(&reply->request, &reply->decision, &options,
			       event->arena, &reply->response, err);
}

typedef enum bl_status respond_fn(struct bl_event *event, struct bl_error *err);

static respond_fn *const forms[] = {
	[BL_FORM_SERVICE] = enforce,
	[BL_FORM_HOOK] = encode,
};

enum bl_status bl_event_respond(struct bl_event *event, struct bl_error *err)
{
	return forms[event->engine->form](event, err);
}

/* Can the event do no harm, so that a failure lets it pass, with words? */
static bool goes_on(struct bl_event *event, const struct bl_error *why)
{
	const struct bl_agent_request *request = &event->reply->request;
	struct bl_reply *reply = event->reply;

	if (!request->event || !request->is_known ||
	    bl_hook_event_fails_closed(request->event))
		return false;
	reply->decision = (struct bl_decision){ .verdict = BL_VERDICT_NONE };
	if (encode(event, NULL) != BL_OK)
		return false;
	bl_event_notice(event, "%.*s goes on undecided: %s",
			BL_STR_ARG(request->event_name), why->message);
	return true;
}

void bl_event_refuse(struct bl_event *event, const struct bl_error *why)
{
	struct bl_reply *reply = event->reply;

	if (!goes_on(event, why)) {
		bl_buf_reset(&reply->text);
		bl_agent_emergency(event->engine->agent.agent,
				   bl_str(why->message), &reply->text,
				   &reply->response);
		reply->decision = (struct bl_decision){
			.verdict = BL_VERDICT_DENY,
		};
	}
	/* Memory may be out: then the words are in reply->text alone. */
	reply->failure = bl_arena_copy_str(event->arena, bl_str(why->message));
	if (!reply->failure.len)
		reply->failure = BL_STR("out of memory");
}

const char *bl_reply_word(const struct bl_reply *reply)
{
	return bl_verb_name(bl_decision_verb(&reply->decision));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "eval/eval.h"

#include "json/json.h"
#include "os/os.h"

/* ---- finding -------------------------------------------------------------- */

static struct bl_str copy_message(struct bl_arena *arena,
				  const struct bl_error *err)
{
	return bl_arena_copy_str(arena, bl_str(err->message));
}

enum bl_status bl_eval_begin(const struct bl_eval_options *options,
			     struct bl_arena *arena, struct bl_eval *out_eval,
			     struct bl_error *err)
{
	struct bl_policy_load_options *load = &out_eval->load;
	struct bl_error problem = { 0 };
	enum bl_status status;

	*out_eval = (struct bl_eval){ 0 };
	bl_buf_init(&out_eval->text, 0);
	load->harness = bl_str(options->agent->name);
	load->cache = options->cache;
	load->observe = options->explain;
	status = bl_policy_find_dir(options->policy_dir, arena,
				    &load->project_dir, &problem);
	if (status)
		load->project_missing = copy_message(arena, &problem);
	status = bl_policy_find_global(options->global_config,
				       options->config_home, arena,
				       &load->global_dir, &problem);
	if (status)
		load->global_missing = copy_message(arena, &problem);
	/* Global policies alone are enough where nobody named a directory. */
	if (load->global_dir.len && !options->policy_dir.len)
		load->project_missing = BL_STR("");
	return bl_arena_status(arena) ? bl_arena_fail(arena, err) : BL_OK;
}

void bl_eval_clear(struct bl_eval *eval)
{
	if (eval->set)
		bl_policy_close(eval->set);
	bl_buf_clear(&eval->text);
}

/* ---- the event ------------------------------------------------------------ */

static bool resolve(void *context, struct bl_str path, struct bl_arena *arena,
		    struct bl_agent_path *out_path)
{
	(void)context;
	return !bl_path_follow(arena, path, &out_path->real, &out_path->is_link,
			       NULL);
}

static enum bl_event_class class_of(const struct bl_hook_event *event)
{
	if (bl_hook_event_fails_closed(event))
		return BL_CLASS_PERMISSION;
	return event->kind == BL_EVENT_PROMPT ? BL_CLASS_PROMPT
					      : BL_CLASS_OBSERVE;
}

static enum bl_status decode(const struct bl_eval_options *options,
			     struct bl_value payload, struct bl_arena *arena,
			     struct bl_eval *eval, struct bl_error *err)
{
	struct bl_agent_facts facts = {
		.detected_by = options->detected_by,
		.resolve = resolve,
	};
	struct bl_str dir = eval->load.project_dir;
	enum bl_status status = bl_path_current(arena, &facts.cwd, err);

	if (status)
		return status;
	facts.project_root = dir.len ? bl_path_dir(dir) : facts.cwd;
	return bl_agent_decode(options->agent, payload, &facts, arena,
			       &eval->request, err);
}

/* ---- the ruling ----------------------------------------------------------- */

static const enum bl_ruling_verb ruling_verbs[] = {
	[BL_VERB_HALT] = BL_RULING_HALT,
	[BL_VERB_DENY] = BL_RULING_DENY,
	[BL_VERB_BLOCK] = BL_RULING_BLOCK,
	[BL_VERB_ASK] = BL_RULING_ASK,
	[BL_VERB_MODIFY] = BL_RULING_MODIFY,
	[BL_VERB_ADD_CONTEXT] = BL_RULING_ALLOW,
	[BL_VERB_ALLOW] = BL_RULING_ALLOW,
};

static struct bl_ruling make_ruling(const struct bl_policy_report *report)
{
	const struct bl_decision *decision = &report->decision;

	return (struct bl_ruling){
		.verb = ruling_verbs[bl_decision_verb(decision)],
		.reason = decision->user_message,
		.agent_reason = decision->agent_message,
		.context = decision->additional_context,
		.updated_input = decision->updated_input,
	};
}

/* ---- all of it ------------------------------------------------------------ */

/* There is no event to answer: refuses, and says why. */
static enum bl_status refuse(const struct bl_eval_options *options,
			     struct bl_arena *arena, const struct bl_error *why,
			     struct bl_eval *eval)
{
	eval->complaint = copy_message(arena, why);
	bl_agent_emergency(options->agent, bl_str(why->message), &eval->text,
			   &eval->answer);
	return BL_OK;
}

/* The event as policies have it. */
static struct bl_policy_event
policy_event(const struct bl_agent_request *request)
{
	return (struct bl_policy_event){
		.name = request->event_name,
		.canonical = bl_str(bl_event_kind_name(request->kind)),
		.tool = request->tool_name,
		.tool_kind = bl_str(bl_tool_kind_name(request->tool_kind)),
		.class = class_of(request->event),
		.input = request->input,
		.belay = request->canonical,
		.cwd = request->cwd,
	};
}

enum bl_status bl_eval_read(const struct bl_eval_options *options,
			    struct bl_str payload, struct bl_arena *arena,
			    struct bl_eval *eval, struct bl_error *err)
{
	const struct bl_json_options json = { .allow_bom = true };
	struct bl_error problem = { 0 };
	struct bl_place place = { 0 };
	struct bl_value value;
	enum bl_status status;

	status = bl_json_read(arena, payload, &json, &value, NULL, &place,
			      &problem);
	if (status) {
		bl_error_context(&problem,
				 "the event is no JSON: line %u, column %u",
				 place.line, place.column);
		return refuse(options, arena, &problem, eval);
	}
	status = decode(options, value, arena, eval, &problem);
	if (status == BL_INVALID)
		return refuse(options, arena, &problem, eval);
	if (status && err)
		*err = problem;
	return status;
}

enum bl_status bl_eval_open(struct bl_arena *arena, struct bl_eval *eval,
			    struct bl_error *err)
{
	const struct bl_policy_event event = policy_event(&eval->request);

	return bl_policy_open(&eval->load, &event, arena, &eval->set, err);
}

enum bl_status bl_eval_decide(const struct bl_eval_options *options,
			      struct bl_arena *arena, struct bl_eval *eval,
			      struct bl_error *err)
{
	const struct bl_agent_request *request = &eval->request;
	struct bl_response_options answer = { .is_strict = options->is_strict };
	struct bl_policy_event event;
	enum bl_status status;

	if (eval->complaint.len)
		return BL_OK;
	event = policy_event(request);
	answer.passes_unmodified = bl_policy_passes_unmodified(
		eval->set, options->passes_unmodified);
	status = bl_policy_decide(eval->set, &event, &options->policy, arena,
				  &eval->report, err);
	if (status)
		return status;
	eval->ruling = make_ruling(&eval->report);
	return bl_agent_encode(request, &eval->ruling, &answer, arena,
			       &eval->answer, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source "hooks" of the profiles of Everruns: hooks one after the other,
 * each of which sees what earlier ones have rewritten; policy gates after all
 * others; the first block ends it (docs/contracts/everruns.md "Chains").
 */
#include "engine/private.h"

struct chain {
	const struct bl_everruns_set *set;
	struct bl_str workspace;
	struct bl_execution_context context;
	struct bl_arena *arena;
	struct bl_array_builder *notices;
	struct bl_everruns_chain *reply;
};

static bool is_muted(const struct bl_everruns_set *set, struct bl_str id)
{
	for (size_t i = 0; i < set->muted.count; i++) {
		if (bl_str_equal(bl_value_text(set->muted.items[i]), id))
			return true;
	}
	return false;
}

/* The id in the payload: in the original, its place in the filtered list. */
static struct bl_str id_of(const struct chain *chain,
			   const struct bl_everruns_hook *hook, size_t place)
{
	if (!chain->set->rules->ids_drift || hook->given_id.ptr ||
	    hook->capability.len > 0)
		return hook->id;
	return bl_arena_printf(chain->arena, "user:%s_%zu",
			       bl_everruns_event_name(hook->event), place);
}

/* Appends the event's hooks, gates or others, with their ids. */
static enum bl_status select_hooks(struct chain *chain, bool gates,
				   struct bl_error *err)
{
	const struct bl_everruns_set *set = chain->set;
	struct bl_everruns_chain *reply = chain->reply;
	size_t place = 0;

	for (size_t i = 0; i < set->hook_count; i++) {
		const struct bl_everruns_hook *hook = &set->hooks[i];
		struct bl_everruns_execution *execution =
			&reply->executions[reply->execution_count];
		bool is_next = hook->event == reply->facts.event &&
			       hook->is_gate == gates;

		if (is_muted(set, hook->id)) {
			if (is_next)
				bl_everruns_note(chain->notices,
						 "hook %.*s is muted",
						 BL_STR_ARG(hook->id));
			continue;
		}
		if (is_next) {
			execution->hook = hook;
			execution->id = id_of(chain, hook, place);
			reply->execution_count++;
			if (!execution->id.ptr)
				return bl_arena_fail(chain->arena, err);
		}
		place++;
	}
	return BL_OK;
}

/* A guard that cannot be run stops the chain. */
static void refuse_broken(struct chain *chain,
			  struct bl_everruns_execution *execution)
{
	const struct bl_everruns_hook *hook = execution->hook;

	if (chain->set->rules->drops_broken ||
	    !bl_everruns_event_can_block(hook->event)) {
		execution->effect = BL_EVERRUNS_IGNORED;
		bl_everruns_note(chain->notices,
				 "hook %.*s is not valid and is left out: %.*s",
				 BL_STR_ARG(execution->id),
				 BL_STR_ARG(hook->broken));
		return;
	}
	execution->run.outcome = (struct bl_everruns_outcome){
		.kind = BL_EVERRUNS_BLOCKED,
		.reason = bl_arena_printf(
			chain->arena, "hook %.*s is not valid: %.*s",
			BL_STR_ARG(execution->id), BL_STR_ARG(hook->broken)),
	};
	bl_everruns_apply(chain->reply, execution, chain->arena,
			  chain->notices);
}

/* The data as hooks get it: every key of the contract is there. */
static struct bl_everruns_event_facts view(const struct chain *chain)
{
	struct bl_everruns_event_facts facts = chain->reply->facts;

	if (facts.event == BL_EVERRUNS_POST_TOOL_USE &&
	    !bl_value_is_defined(bl_object_find(facts.data, BL_STR("result"))))
		facts.data = bl_everruns_with(chain->arena, facts.data,
					      "result", bl_value_null());
	return facts;
}

/* Does it fire?  A path that leads nowhere is said. */
static bool fires(struct chain *chain,
		  const struct bl_everruns_execution *execution)
{
	enum bl_everruns_match match =
		bl_everruns_match(&execution->hook->matcher,
				  chain->reply->facts.data, chain->arena);
	struct bl_str path =
		execution->hook->matcher.text[BL_EVERRUNS_ARGS_JSONPATH];

	if (match == BL_EVERRUNS_UNRESOLVED && !chain->set->rules->silent_paths)
		bl_everruns_note(chain->notices,
				 "hook %.*s was not run: the arguments have no "
				 "%.*s",
				 BL_STR_ARG(execution->id), BL_STR_ARG(path));
	return match == BL_EVERRUNS_FIRES;
}

static enum bl_status step(struct chain *chain,
			   struct bl_everruns_execution *execution,
			   bool *out_counts, struct bl_error *err)
{
	struct bl_everruns_event_facts facts;
	struct bl_everruns_job job = {
		.hook = execution->hook,
		.id = execution->id,
		.facts = &facts,
		.workspace = chain->workspace,
	};
	enum bl_status status;

	*out_counts = true;
	if (execution->hook->broken.len > 0) {
		refuse_broken(chain, execution);
		return BL_OK;
	}
	*out_counts = fires(chain, execution);
	if (!*out_counts)
		return BL_OK;
	facts = view(chain);
	if (!bl_value_is_defined(facts.data))
		return bl_fail_memory(err);
	status = bl_run_everruns(&chain->context, &job, chain->arena,
				 chain->notices, &execution->run, err);
	if (status == BL_OK)
		bl_everruns_apply(chain->reply, execution, chain->arena,
				  chain->notices);
	return status;
}

static enum bl_status run_hooks(struct chain *chain, struct bl_error *err)
{
	struct bl_everruns_chain *reply = chain->reply;
	size_t count = 0;

	for (size_t i = 0; i < reply->execution_count && !reply->is_blocked;
	     i++) {
		struct bl_everruns_execution execution = reply->executions[i];
		bool counts;
		enum bl_status status = step(chain, &execution, &counts, err);

		if (status != BL_OK)
			return status;
		if (!bl_value_is_defined(reply->facts.data) ||
		    (reply->is_blocked && !reply->reason.ptr))
			return bl_fail_memory(err);
		if (counts)
			reply->executions[count++] = execution;
	}
	reply->execution_count = count;
	return BL_OK;
}

/* A configuration that was not read may have held the very guard. */
static void judge_set(struct chain *chain)
{
	struct bl_everruns_chain *reply = chain->reply;
	struct bl_str broken = chain->set->broken;

	if (!broken.ptr)
		return;
	bl_everruns_note(chain->notices, "%.*s", BL_STR_ARG(broken));
	if (chain->set->rules->drops_broken ||
	    !bl_everruns_event_can_block(reply->facts.event))
		return;
	reply->is_blocked = true;
	reply->blocked_by = BL_STR("user_hooks");
	reply->reason = broken;
}

static enum bl_status select_all(struct chain *chain, struct bl_error *err)
{
	uint64_t most = bl_limits_default().hooks_per_event;
	struct bl_everruns_chain *reply = chain->reply;
	enum bl_status status;

	reply->executions =
		bl_arena_new_array(chain->arena, struct bl_everruns_execution,
				   chain->set->hook_count + 1);
	if (!reply->executions)
		return bl_arena_fail(chain->arena, err);
	status = select_hooks(chain, false, err);
	if (status == BL_OK)
		status = select_hooks(chain, true, err);
	if (status == BL_OK && reply->execution_count > most)
		return bl_fail(err, BL_LIMIT,
			       "%zu hooks are more than %llu for one event",
			       reply->execution_count,
			       (unsigned long long)most);
	return status;
}

/* Before any hook has run: another program is to run all of them. */
static enum bl_status check_tools(const struct chain *chain,
				  struct bl_error *err)
{
	const struct bl_everruns_chain *reply = chain->reply;

	for (size_t i = 0; i < reply->execution_count; i++) {
		if (reply->executions[i].hook->is_webhook &&
		    !bl_http_is_linked())
			return bl_fail(err, BL_UNSUPPORTED,
				       "hook %.*s needs belay-tools",
				       BL_STR_ARG(reply->executions[i].id));
	}
	return BL_OK;
}

/* The arguments that the tool runs with, where hooks have changed them. */
static enum bl_status keep_arguments(struct chain *chain,
				     struct bl_value before,
				     struct bl_error *err)
{
	struct bl_everruns_chain *reply = chain->reply;
	struct bl_value now =
		bl_object_find(reply->facts.data, BL_STR("arguments"));

	if (reply->is_blocked ||
	    reply->facts.event != BL_EVERRUNS_PRE_TOOL_USE ||
	    bl_value_equal(before, now))
		return BL_OK;
	reply->executed_arguments = bl_everruns_redact(now, chain->arena);
	return bl_value_is_defined(reply->executed_arguments)
		       ? BL_OK
		       : bl_fail_memory(err);
}

/* ---- the decision ------------------------------------------------------------- */

/*
 * The result of the chain as a decision: of all outcomes,
 * of which at most the last refuses.
 */
static enum bl_status combine(struct bl_event *event,
			      struct bl_decision *out_decision,
			      struct bl_error *err)
{
	const struct bl_everruns_chain *chain = event->chain;
	size_t count = chain->execution_count;
	struct bl_outcome *outcomes =
		bl_arena_new_array(event->arena, struct bl_outcome, count + 1);
	struct bl_outcome *blocked = &outcomes[count];

	if (!outcomes)
		return bl_arena_fail(event->arena, err);
	for (size_t i = 0; i < count; i++) {
		bool rewrote =
			chain->executions[i].effect == BL_EVERRUNS_REWROTE;

		outcomes[i].kind = BL_OUTCOME_ANSWERED;
		outcomes[i].answer.attributes = rewrote ? BL_REWRITES : 0;
	}
	blocked->kind = BL_OUTCOME_ANSWERED;
	blocked->answer = (struct bl_answer){
		.permission =
			chain->is_blocked ? BL_VERDICT_DENY : BL_VERDICT_NONE,
		.user_message = chain->user_message,
		.agent_message = chain->reason,
		.updated_input = chain->executed_arguments,
	};
	return bl_decision_combine(&event->profile->combine,
				   BL_CLASS_PERMISSION, false, outcomes,
				   count + 1, event->arena, out_decision, err);
}

enum bl_status bl_event_ask_chain(struct bl_event *event,
				  struct bl_decision *out_decision,
				  struct bl_error *err)
{
	const struct bl_everruns_set *set = &event->snapshot->everruns;
	struct chain chain = {
		.set = set,
		.workspace = event->places->hooks.workspaces[0],
		.context = { .profile = event->profile,
			     .http = event->engine->http,
			     .stop = event->stop,
			     .own = event->engine->own.run ? &event->engine->own
							   : NULL },
		.arena = event->arena,
		.notices = &event->notices,
		.reply = event->chain,
	};
	struct bl_value before;
	enum bl_status status;

	for (size_t i = 0; i < set->notices.count; i++)
		bl_array_builder_add(chain.notices, set->notices.items[i]);
	before = bl_object_find(event->chain->facts.data, BL_STR("arguments"));
	judge_set(&chain);
	status = select_all(&chain, err);
	if (status == BL_OK)
		status = check_tools(&chain, err);
	if (status == BL_OK)
		status = run_hooks(&chain, err);
	if (status == BL_OK)
		status = keep_arguments(&chain, before, err);
	return status == BL_OK ? combine(event, out_decision, err) : status;
}

/* ---- the request and the set ------------------------------------------------ */

enum bl_status bl_event_begin_chain(struct bl_event *event,
				    const struct bl_request *request,
				    struct bl_error *err)
{
	const struct bl_everruns_rules *rules = event->profile->everruns;

	event->chain = bl_arena_new(event->arena, struct bl_everruns_chain);
	if (!event->chain)
		return bl_arena_fail(event->arena, err);
	event->chain->rules = rules;
	event->payload_text = request->payload;
	event->first_text = request->payload;
	event->reply->chain = event->chain;
	return bl_everruns_read_request(rules, request->event_name,
					request->payload, event->arena,
					&event->chain->facts, err);
}

/*
 * Everruns runs a hook where nothing is but its workspace, so that a hook which
 * does not say otherwise is in a sandbox; what the engine asks for at least
 * ("none" too) is its caller's word on that.
 */
static void confine(const struct bl_engine *engine,
		    const struct bl_everruns_rules *rules,
		    struct bl_everruns_set *set)
{
	const struct bl_sandbox_request *least = &engine->least_sandbox;
	struct bl_sandbox_request usual = { 0 };

	if (rules->confines && !least->profile)
		bl_sandbox_parse(BL_STR("workspace"), &usual);
	for (size_t i = 0; i < set->hook_count; i++) {
		struct bl_everruns_hook *hook = &set->hooks[i];

		if (hook->is_webhook)
			continue;
		if (!hook->sandbox.profile)
			hook->sandbox = usual;
		bl_sandbox_raise(least, &hook->sandbox.profile,
				 &hook->sandbox.network);
	}
}

enum bl_status bl_engine_load_chain(const struct bl_engine *engine,
				    struct bl_snapshot *snapshot,
				    struct bl_error *err)
{
	const struct bl_hook_options *hooks = &snapshot->places.hooks;
	struct bl_everruns_options options = {
		.rules = hooks->profile->everruns,
		.config = engine->config,
		.home = hooks->home,
		.trust_all = hooks->trust_all,
		.system_root = hooks->system_root,
	};

	enum bl_status status;

	if (hooks->workspace_count != 1)
		return bl_fail(err, BL_USAGE,
			       "hooks of Everruns run in one workspace");
	options.workspace = hooks->workspaces[0];
	bl_diags_init(&snapshot->set.diags, &snapshot->arena);
	snapshot->set.profile = hooks->profile;
	status = bl_everruns_load(&options, &snapshot->arena,
				  &snapshot->set.diags, &snapshot->everruns,
				  err);
	if (status == BL_OK)
		confine(engine, options.rules, &snapshot->everruns);
	return status;
}

bool bl_snapshot_has_chain(const struct bl_snapshot *snapshot,
			   struct bl_str event)
{
	const struct bl_everruns_set *set = &snapshot->everruns;
	enum bl_everruns_event found;

	if (!bl_everruns_event_parse(event, &found))
		return false;
	for (size_t i = 0; i < set->hook_count; i++)
		if (set->hooks[i].event == found)
			return true;
	return set->broken.ptr && bl_everruns_event_can_block(found);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices beside the decision, as messages: hooks that failed and did not count,
 * files that were left out, answers that the agent cannot keep.
 */
#include "engine/private.h"

void bl_event_notice(struct bl_event *event, const char *fmt, ...)
{
	struct bl_value notice = bl_value_undefined();
	struct bl_buf text;
	va_list args;

	bl_buf_init(&text, 0);
	va_start(args, fmt);
	bl_buf_vprintf(&text, fmt, args);
	va_end(args);
	if (bl_buf_status(&text) == BL_OK) {
		struct bl_str copy =
			bl_arena_copy_str(event->arena, bl_buf_str(&text));

		if (copy.ptr)
			notice = bl_value_string(copy);
	}
	bl_buf_clear(&text);
	bl_array_builder_add(&event->notices, notice);
}

/* ---- files -------------------------------------------------------------- */

static bool has_execution_of(const struct bl_event *event,
			     const struct bl_hook_file *file)
{
	for (size_t i = 0; i < event->reply->execution_count; i++) {
		if (event->reply->executions[i].hook->file == file)
			return true;
	}
	return false;
}

/* The state of the team, unless its newest set is in force and runs. */
static void notice_team(struct bl_event *event)
{
	const struct bl_team_use *team = event->set->team;
	struct bl_str detail = { NULL, 0 };
	enum bl_team_state state;

	if (!team)
		return;
	state = bl_team_use_state(team, event->wall_ms / 1000);
	if (bl_team_state_in_force(state) == BL_TEAM_NEWEST)
		return;
	if (state == team->state)
		detail = team->detail;
	bl_event_notice(event, "team %.*s: %s: %s%s%.*s",
			BL_STR_ARG(team->team_id), bl_team_state_name(state),
			bl_team_state_text(state), detail.len ? ": " : "",
			BL_STR_ARG(detail));
}

static void notice_file(struct bl_event *event, const struct bl_hook_file *file)
{
	if (file->team && file->state != BL_HOOK_FILE_UNSAFE)
		return; /* notice_team */
	switch (file->state) {
	case BL_HOOK_FILE_BROKEN:
	case BL_HOOK_FILE_UNSAFE:
		bl_event_notice(event, "%.*s: none of its hooks count: %.*s",
				BL_STR_ARG(file->path), BL_STR_ARG(file->why));
		break;
	case BL_HOOK_FILE_UNTRUSTED:
		if (has_execution_of(event, file))
			bl_event_notice(event,
					"%.*s: its hooks were not run, since "
					"the workspace is not trusted. To "
					"trust it: belay trust add %.*s",
					BL_STR_ARG(file->path),
					BL_STR_ARG(file->workspace));
		break;
	case BL_HOOK_FILE_CHANGED:
		if (has_execution_of(event, file))
			bl_event_notice(event,
					"%.*s: its hooks were not run: %.*s. "
					"Look at them, then: belay trust add "
					"%.*s",
					BL_STR_ARG(file->path),
					BL_STR_ARG(file->why),
					BL_STR_ARG(file->workspace));
		break;
	case BL_HOOK_FILE_MISSING:
	case BL_HOOK_FILE_LOADED:
	case BL_HOOK_FILE_GATED:
	case BL_HOOK_FILE_STATE_COUNT:
		break;
	}
}

void bl_event_notice_files(struct bl_event *event)
{
	notice_team(event);
	for (size_t i = 0; i < event->set->file_count; i++)
		notice_file(event, &event->set->files[i]);
}

/* ---- executions --------------------------------------------------------- */

/*
 * A refusal that was printed by a hook that then failed does not count in
 * today's Cursor; its author may think that it does (docs/contracts/cursor.md
 * "Edge behaviour").
 */
static void notice_lost_refusal(struct bl_event *event,
				const struct bl_reply_execution *execution)
{
	struct bl_reply_execution said = { .effect = BL_EFFECT_USE };
	enum bl_verdict verdict;

	if (execution->outcome.kind != BL_OUTCOME_EXIT_CODE ||
	    event->profile->failure_output_counts ||
	    bl_executor_read_answer(event->profile, event->hook_event,
				    execution->child.output, event->arena,
				    &said.outcome, &said.response,
				    NULL) != BL_OK ||
	    said.outcome.kind != BL_OUTCOME_ANSWERED)
		return;
	verdict = bl_engine_execution_verdict(event->hook_event, &said);
	if (verdict >= BL_VERDICT_ASK)
		bl_event_notice(event,
				"hook \"%.*s\" answered %s, which does not "
				"count, since it ended with exit code %d",
				BL_STR_ARG(execution->hook->command),
				bl_verdict_name(verdict),
				execution->child.code);
}

/* A refusal that counts for nothing, since it is in another agent's words. */
static void notice_foreign_words(struct bl_event *event,
				 const struct bl_reply_execution *execution)
{
	bool has_refused =
		bl_engine_execution_verdict(event->hook_event, execution) >=
		BL_VERDICT_ASK;
	const char *meant = bl_agent_output_refusal(event->hook_event);
	const char *words;

	if (execution->outcome.kind != BL_OUTCOME_ANSWERED)
		return;
	words = bl_agent_output_foreign(event->hook_event, execution->response,
					has_refused);
	if (!words)
		return;
	bl_event_notice(event,
			"hook \"%.*s\" answered with %s, which counts for "
			"nothing at %s%s%s",
			BL_STR_ARG(execution->hook->command), words,
			event->hook_event->name,
			has_refused ? ": write \"user_message\""
			: meant     ? ": to refuse, write "
				    : ", where nothing can be refused",
			has_refused || !meant ? "" : meant);
}

static void notice_execution(struct bl_event *event,
			     const struct bl_reply_execution *execution)
{
	if (execution->match == BL_MATCH_RUNS_LIMIT)
		bl_event_notice(event,
				"hook \"%.*s\" was run without its matcher, "
				"which reached a limit",
				BL_STR_ARG(execution->hook->command));
	if (execution->outcome.kind == BL_OUTCOME_NOT_SUPPORTED)
		bl_event_notice(event, "%.*s",
				BL_STR_ARG(execution->outcome.reason));
	if (execution->ran) {
		notice_lost_refusal(event, execution);
		notice_foreign_words(event, execution);
	}
}

/* Once for the event, however many hooks are sandboxed in the same way. */
static void notice_sandbox(struct bl_event *event)
{
	const struct bl_reply *reply = event->reply;
	struct bl_str said = BL_STR("");

	for (size_t i = 0; i < reply->execution_count; i++) {
		struct bl_str missing = reply->executions[i].missing_layers;

		if (missing.len == 0 || bl_str_equal(missing, said))
			continue;
		said = missing;
		bl_event_notice(event, "the sandbox of hooks is without %.*s",
				BL_STR_ARG(missing));
	}
}

/* Once for the event: the limit of 2.3.41 is one for all hooks. */
static void notice_loop_limit(struct bl_event *event)
{
	for (size_t i = 0; i < event->reply->execution_count; i++) {
		const struct bl_reply_execution *execution =
			&event->reply->executions[i];

		if (execution->outcome.kind != BL_OUTCOME_LOOP_LIMIT)
			continue;
		bl_event_notice(event, "%.*s",
				BL_STR_ARG(execution->outcome.reason));
		if (event->profile->loop_limit_is_global)
			return;
	}
}

void bl_event_notice_executions(struct bl_event *event)
{
	const struct bl_reply *reply = event->reply;

	notice_loop_limit(event);
	notice_sandbox(event);
	for (size_t i = 0; i < reply->execution_count; i++)
		notice_execution(event, &reply->executions[i]);
	if (reply->decision.lost_updates > 0)
		bl_event_notice(event,
				"%zu other answers with updated_input do not "
				"count: the first in the order of sources won",
				reply->decision.lost_updates);
	if (event->engine->form == BL_FORM_SERVICE &&
	    reply->decision.verdict != reply->enforcement.verdict &&
	    reply->decision.verdict >= BL_VERDICT_ASK)
		bl_event_notice(event, "%s cannot do what was decided: %s",
				event->hook_event->name,
				bl_verdict_name(reply->decision.verdict));
}

/* ---- policies ----------------------------------------------------------- */

/*
 * Failures on the way.  A builtin that failed and decided nothing is
 * Rego's everyday "undefined": the log and belay explain have it.
 */
void bl_event_notice_policies(struct bl_event *event)
{
	const struct bl_policy_report *report = &event->reply->report;
	struct bl_value found = event->places->notices;

	const struct bl_agent_request *request = &event->reply->request;

	for (size_t i = 0; i < bl_value_count(found); i++)
		bl_array_builder_add(&event->notices, bl_value_item(found, i));
	if (request->event && !request->is_known)
		bl_event_notice(
			event, "%s has no event '%.*s' that belay knows",
			request->agent->title, BL_STR_ARG(request->event_name));
	if (report->allowance.granted_ms)
		bl_event_notice(event,
				"it passes by the allowance %.*s of %.*s",
				BL_STR_ARG(report->allowance.code),
				BL_STR_ARG(report->allowance.by));
	if (report->allowance_problem.len)
		bl_event_notice(event, "%.*s",
				BL_STR_ARG(report->allowance_problem));
	for (size_t i = 0; i < report->trouble_count; i++) {
		const struct bl_policy_trouble *trouble = &report->troubles[i];

		if (trouble->failure == BL_FAILURE_BUILTIN &&
		    trouble->verdict == BL_VERDICT_NONE)
			continue;
		bl_event_notice(event, "%s: %.*s",
				bl_policy_failure_name(trouble->failure),
				BL_STR_ARG(trouble->text));
	}
}

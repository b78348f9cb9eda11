/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers: docs/contracts/cursor-2.3.41.md "Hook output",
 * docs/contracts/cursor.md "Events", "Hook output".
 */
#include "agents_test.h"

#define BAD_PERMISSION                                                         \
	"Invalid permission value. Expected one of: allow, deny, ask, or "     \
	"undefined"
#define BAD_READ_PERMISSION                                                    \
	"Invalid permission value. Expected one of: allow, deny, or undefined"
#define BAD_USER     "Invalid user_message value. Expected a string if provided"
#define BAD_AGENT    "Invalid agent_message value. Expected a string if provided"
#define BAD_CONTINUE "Invalid continue value. Expected a boolean if provided"
#define BAD_FOLLOWUP                                                           \
	"Invalid followup_message value. Expected a string if provided"
#define BAD_CONTEXT                                                            \
	"Invalid additional_context value. Expected a string if provided"
#define BAD_INPUT "Invalid updated_input value. Expected an object if provided"
#define BAD_ENV   "Invalid env value. Expected an object of strings if provided"
#define BAD_PLUGINS                                                            \
	"Invalid pluginPaths value. Expected an array of strings if provided"

/* ---- validation -----------------------------------------------------------
 */

static const struct {
	int dialect;
	const char *event;
	const char *json;
	const char *errors[4]; /* none: valid */
} check_rows[] = {
	/* command */
	{ OLD, "beforeShellExecution", "{}", { NULL } },
	{ OLD, "beforeShellExecution", "{\"permission\":\"allow\"}", { NULL } },
	{ OLD, "beforeShellExecution", "{\"permission\":\"deny\"}", { NULL } },
	{ OLD, "beforeShellExecution", "{\"permission\":\"ask\"}", { NULL } },
	{ OLD,
	  "beforeShellExecution",
	  "{\"permission\":\"maybe\"}",
	  { BAD_PERMISSION } },
	{ OLD,
	  "beforeShellExecution",
	  "{\"permission\":\"Deny\"}",
	  { BAD_PERMISSION } },
	{ OLD,
	  "beforeShellExecution",
	  "{\"permission\":null}",
	  { BAD_PERMISSION } },
	{ OLD,
	  "beforeShellExecution",
	  "{\"permission\":\"none\"}",
	  { BAD_PERMISSION } },
	{ OLD,
	  "beforeShellExecution",
	  "{\"user_message\":null}",
	  { BAD_USER } },
	{ OLD, "beforeShellExecution", "{\"user_message\":\"\"}", { NULL } },
	{ OLD, "beforeShellExecution", "{\"agent_message\":1}", { BAD_AGENT } },
	{ OLD,
	  "beforeShellExecution",
	  "{\"agent_message\":[],\"user_message\":{},\"permission\":true}",
	  { BAD_PERMISSION, BAD_USER, BAD_AGENT } },
	{ OLD,
	  "beforeMCPExecution",
	  "{\"permission\":1,\"agent_message\":0}",
	  { BAD_PERMISSION, BAD_AGENT } },
	/* the keys of 1.7 are unknown, and unknown keys are ignored */
	{ OLD,
	  "beforeShellExecution",
	  "{\"userMessage\":1,\"agentMessage\":null,\"decision\":\"block\"}",
	  { NULL } },
	/* read */
	{ OLD, "beforeReadFile", "{\"permission\":\"allow\"}", { NULL } },
	{ OLD, "beforeReadFile", "{\"permission\":\"deny\"}", { NULL } },
	{ OLD,
	  "beforeReadFile",
	  "{\"permission\":\"ask\"}",
	  { BAD_READ_PERMISSION } },
	{ OLD, "beforeReadFile", "{\"user_message\":1}", { NULL } },
	{ OLD,
	  "beforeTabFileRead",
	  "{\"permission\":null}",
	  { BAD_READ_PERMISSION } },
	/* prompt */
	{ OLD, "beforeSubmitPrompt", "{\"continue\":false}", { NULL } },
	{ OLD,
	  "beforeSubmitPrompt",
	  "{\"continue\":\"false\"}",
	  { BAD_CONTINUE } },
	{ OLD,
	  "beforeSubmitPrompt",
	  "{\"user_message\":1,\"continue\":null}",
	  { BAD_CONTINUE, BAD_USER } },
	{ OLD, "beforeSubmitPrompt", "{\"additional_context\":1}", { NULL } },
	/* stop */
	{ OLD, "stop", "{\"followup_message\":\"go on\"}", { NULL } },
	{ OLD, "stop", "{\"followup_message\":null}", { BAD_FOLLOWUP } },
	{ OLD, "stop", "{\"permission\":\"maybe\"}", { NULL } },
	/* object */
	{ OLD, "afterShellExecution", "{\"permission\":1}", { NULL } },
	{ OLD, "afterMCPExecution", "{\"a\":1}", { NULL } },
	{ OLD, "afterFileEdit", "{}", { NULL } },
	{ OLD, "afterTabFileEdit", "{}", { NULL } },
	{ OLD, "afterAgentResponse", "{}", { NULL } },
	{ OLD, "afterAgentThought", "{}", { NULL } },

	/* today: the same shapes, plus user_message on reads (C16) */
	{ NEW,
	  "beforeShellExecution",
	  "{\"permission\":\"maybe\"}",
	  { BAD_PERMISSION } },
	{ NEW, "beforeMCPExecution", "{\"agent_message\":1}", { BAD_AGENT } },
	{ NEW,
	  "beforeReadFile",
	  "{\"permission\":\"ask\",\"user_message\":1}",
	  { BAD_READ_PERMISSION, BAD_USER } },
	{ NEW, "beforeTabFileRead", "{\"user_message\":null}", { BAD_USER } },
	{ NEW,
	  "beforeSubmitPrompt",
	  "{\"additional_context\":1,\"user_message\":1,\"continue\":1}",
	  { BAD_CONTINUE, BAD_USER, BAD_CONTEXT } },
	{ NEW, "beforeSubmitPrompt", "{\"updated_input\":1}", { NULL } },
	{ NEW, "preToolUse", "{\"permission\":\"ask\"}", { NULL } },
	{ NEW,
	  "preToolUse",
	  "{\"permission\":\"x\",\"user_message\":1,\"updated_input\":\"s\","
	  "\"additional_context\":[]}",
	  { BAD_PERMISSION, BAD_USER, BAD_INPUT, BAD_CONTEXT } },
	{ NEW, "preToolUse", "{\"updated_input\":null}", { BAD_INPUT } },
	{ NEW, "preToolUse", "{\"agent_message\":null}", { BAD_AGENT } },
	{ NEW,
	  "preToolUse",
	  "{\"decision\":\"block\",\"reason\":1}",
	  { NULL } },
	{ NEW,
	  "postToolUse",
	  "{\"additional_context\":null}",
	  { BAD_CONTEXT } },
	{ NEW, "postToolUse", "{\"updated_mcp_tool_output\":null}", { NULL } },
	{ NEW,
	  "postToolUseFailure",
	  "{\"additional_context\":1}",
	  { BAD_CONTEXT } },
	{ NEW, "subagentStart", "{\"permission\":\"ask\"}", { NULL } },
	{ NEW,
	  "subagentStart",
	  "{\"permission\":\"no\",\"user_message\":2}",
	  { BAD_PERMISSION, BAD_USER } },
	{ NEW, "subagentStop", "{\"followup_message\":1}", { BAD_FOLLOWUP } },
	{ NEW, "stop", "{\"followup_message\":1}", { BAD_FOLLOWUP } },
	{ NEW,
	  "sessionStart",
	  "{\"env\":{\"A\":1},\"additional_context\":1,\"continue\":\"no\","
	  "\"user_message\":1}",
	  { BAD_ENV, BAD_CONTEXT, BAD_CONTINUE, BAD_USER } },
	{ NEW, "sessionStart", "{\"env\":[]}", { BAD_ENV } },
	{ NEW, "sessionStart", "{\"env\":{}}", { NULL } },
	{ NEW, "sessionEnd", "{\"continue\":1}", { NULL } },
	{ NEW, "preCompact", "{\"user_message\":1}", { BAD_USER } },
	{ NEW,
	  "workspaceOpen",
	  "{\"pluginPaths\":[\"/a\",1]}",
	  { BAD_PLUGINS } },
	{ NEW, "workspaceOpen", "{\"pluginPaths\":\"/a\"}", { BAD_PLUGINS } },
	{ NEW, "workspaceOpen", "{\"pluginPaths\":[]}", { NULL } },
	{ NEW, "afterShellExecution", "{\"permission\":1}", { NULL } },
	{ NEW, "afterMCPExecution", "{\"permission\":1}", { NULL } },
	{ NEW, "afterFileEdit", "{\"permission\":1}", { NULL } },
	{ NEW, "afterTabFileEdit", "{\"permission\":1}", { NULL } },
	{ NEW, "afterAgentResponse", "{\"permission\":1}", { NULL } },
	{ NEW, "afterAgentThought", "{\"permission\":1}", { NULL } },
};

static void answers_are_checked(void)
{
	for (size_t i = 0; i < BL_COUNT(check_rows); i++) {
		const char *const *errors = check_rows[i].errors;
		struct bl_output_errors found;
		struct bl_answer answer;
		size_t count = 0;

		CHECK_STATUS(bl_agent_output_decode(
				     find_event(check_rows[i].dialect,
						check_rows[i].event),
				     json(check_rows[i].json), &answer, &found),
			     errors[0] ? BL_INVALID : BL_OK);
		while (count < BL_COUNT(check_rows[i].errors) && errors[count])
			count++;
		if (found.count != count)
			TAP_NOTE("row %zu: %s", i, check_rows[i].json);
		CHECK_INT(found.count, count);
		for (size_t e = 0; e < count && e < found.count; e++)
			CHECK_STR(found.text[e], errors[e]);
	}
}

static void answers_must_be_objects(void)
{
	static const char *const wrong[] = { "null", "[]",   "[{}]",  "true",
					     "1",    "\"\"", "\"{}\"" };

	for (int dialect = 0; dialect < BL_DIALECT_COUNT; dialect++) {
		const struct bl_contract *contract =
			bl_contract_get((enum bl_dialect)dialect);

		for (size_t s = 0; s < contract->event_count; s++) {
			for (size_t i = 0; i < BL_COUNT(wrong); i++) {
				struct bl_output_errors errors;
				struct bl_answer answer = { .stops = true };

				CHECK_STATUS(bl_agent_output_decode(
						     &contract->events[s],
						     json(wrong[i]), &answer,
						     &errors),
					     BL_INVALID);
				CHECK_INT(errors.count, 1);
				CHECK_STR(errors.text[0], "Expected an object");
				CHECK(answer.stops);
			}
		}
	}
}

/* ---- decoding --------------------------------------------------------------
 */

static struct bl_answer decode(int dialect, const char *event, const char *text)
{
	struct bl_output_errors errors;
	struct bl_answer answer = { 0 };

	CHECK_STATUS(bl_agent_output_decode(find_event(dialect, event),
					    json(text), &answer, &errors),
		     BL_OK);
	check_json(answer.raw, text);
	return answer;
}

static void permissions_decode(void)
{
	static const struct {
		int dialect;
		const char *event;
		const char *json;
		enum bl_verdict verdict;
	} rows[] = {
		{ OLD, "beforeShellExecution", "{}", BL_VERDICT_NONE },
		{ OLD, "beforeShellExecution", "{\"permission\":\"allow\"}",
		  BL_VERDICT_ALLOW },
		{ OLD, "beforeShellExecution", "{\"permission\":\"ask\"}",
		  BL_VERDICT_ASK },
		{ OLD, "beforeMCPExecution", "{\"permission\":\"deny\"}",
		  BL_VERDICT_DENY },
		{ OLD, "beforeReadFile", "{\"permission\":\"deny\"}",
		  BL_VERDICT_DENY },
		{ NEW, "preToolUse", "{\"permission\":\"ask\"}",
		  BL_VERDICT_ASK },
		{ NEW, "subagentStart", "{\"permission\":\"ask\"}",
		  BL_VERDICT_DENY },
		{ NEW, "subagentStart", "{\"permission\":\"allow\"}",
		  BL_VERDICT_ALLOW },
		{ NEW, "stop", "{\"permission\":\"deny\"}", BL_VERDICT_NONE },
		{ NEW, "postToolUse", "{\"permission\":\"deny\"}",
		  BL_VERDICT_NONE },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		CHECK_INT(decode(rows[i].dialect, rows[i].event, rows[i].json)
				  .permission,
			  rows[i].verdict);
}

static void continue_decodes(void)
{
	CHECK(decode(OLD, "beforeSubmitPrompt", "{\"continue\":false}").stops);
	CHECK(!decode(OLD, "beforeSubmitPrompt", "{\"continue\":true}").stops);
	CHECK(!decode(NEW, "beforeSubmitPrompt", "{}").stops);
	/* accepted, not enforced */
	CHECK(!decode(NEW, "sessionStart", "{\"continue\":false}").stops);
	CHECK(!decode(NEW, "stop", "{\"continue\":false}").stops);
}

static void texts_decode(void)
{
	struct bl_answer answer =
		decode(NEW, "preToolUse",
		       "{\"user_message\":\"u\",\"agent_message\":\"\","
		       "\"additional_context\":\"c\","
		       "\"followup_message\":\"f\"}");

	CHECK_STR(answer.user_message, "u");
	CHECK_STR(answer.agent_message, "");
	CHECK_STR(answer.additional_context, "c");
	CHECK(!answer.followup_message.ptr);
	CHECK_STR(decode(OLD, "stop", "{\"followup_message\":\"f\"}")
			  .followup_message,
		  "f");
	CHECK(!decode(OLD, "beforeReadFile", "{\"user_message\":\"u\"}")
		       .user_message.ptr);
	CHECK_STR(decode(NEW, "beforeReadFile", "{\"user_message\":\"u\"}")
			  .user_message,
		  "u");
	CHECK(!decode(NEW, "sessionStart", "{\"user_message\":\"u\"}")
		       .user_message.ptr);
	CHECK(!decode(NEW, "beforeShellExecution", "{\"userMessage\":\"u\"}")
		       .user_message.ptr);
}

static void values_decode(void)
{
	check_json(decode(NEW, "preToolUse", "{\"updated_input\":{\"a\":1}}")
			   .updated_input,
		   "{\"a\":1}");
	check_json(
		decode(NEW, "postToolUse", "{\"updated_mcp_tool_output\":null}")
			.updated_output,
		"null");
	check_json(decode(NEW, "sessionStart", "{\"env\":{\"A\":\"1\"}}").env,
		   "{\"A\":\"1\"}");
	check_json(decode(NEW, "workspaceOpen", "{\"pluginPaths\":[\"/a\"]}")
			   .plugin_paths,
		   "[\"/a\"]");
	check_json(decode(NEW, "preToolUse", "{}").updated_input, NULL);
	check_json(decode(NEW, "beforeShellExecution",
			  "{\"updated_input\":{\"a\":1}}")
			   .updated_input,
		   NULL);
}

/* ---- encoding ---------------------------------------------------------------
 */

/* A decision in which everything is set. */
static struct bl_decision full_decision(enum bl_verdict verdict)
{
	return (struct bl_decision){
		.verdict = verdict,
		.user_message = BL_STR("u"),
		.agent_message = BL_STR("a"),
		.followup_message = BL_STR("f"),
		.additional_context = json("[\"c1\",\"c2\"]"),
		.updated_input = json("{\"i\":1}"),
		.updated_output = json("[\"o\"]"),
		.env = json("{\"A\":\"1\"}"),
		.plugin_paths = json("[\"/p\"]"),
	};
}

static void answers_are_encoded_by_shape(void)
{
	static const struct {
		int dialect;
		const char *event;
		enum bl_verdict verdict;
		const char *json;
	} rows[] = {
		{ NEW, "beforeShellExecution", BL_VERDICT_DENY,
		  "{\"permission\":\"deny\",\"user_message\":\"u\","
		  "\"agent_message\":\"a\"}" },
		{ NEW, "beforeMCPExecution", BL_VERDICT_ASK,
		  "{\"permission\":\"ask\",\"user_message\":\"u\","
		  "\"agent_message\":\"a\"}" },
		{ NEW, "beforeReadFile", BL_VERDICT_DENY,
		  "{\"permission\":\"deny\",\"user_message\":\"u\"}" },
		{ NEW, "beforeSubmitPrompt", BL_VERDICT_DENY,
		  "{\"continue\":false,\"user_message\":\"u\","
		  "\"additional_context\":\"c1\\n\\nc2\"}" },
		{ NEW, "preToolUse", BL_VERDICT_ALLOW,
		  "{\"permission\":\"allow\",\"user_message\":\"u\","
		  "\"agent_message\":\"a\",\"updated_input\":{\"i\":1},"
		  "\"additional_context\":\"c1\\n\\nc2\"}" },
		{ NEW, "postToolUse", BL_VERDICT_NONE,
		  "{\"additional_context\":\"c1\\n\\nc2\","
		  "\"updated_mcp_tool_output\":[\"o\"]}" },
		{ NEW, "postToolUseFailure", BL_VERDICT_NONE,
		  "{\"additional_context\":\"c1\\n\\nc2\"}" },
		{ NEW, "subagentStart", BL_VERDICT_DENY,
		  "{\"permission\":\"deny\",\"user_message\":\"u\"}" },
		{ NEW, "subagentStop", BL_VERDICT_NONE,
		  "{\"followup_message\":\"f\"}" },
		{ NEW, "stop", BL_VERDICT_NONE,
		  "{\"followup_message\":\"f\"}" },
		{ NEW, "sessionStart", BL_VERDICT_NONE,
		  "{\"env\":{\"A\":\"1\"},"
		  "\"additional_context\":\"c1\\n\\nc2\"}" },
		{ NEW, "preCompact", BL_VERDICT_NONE,
		  "{\"user_message\":\"u\"}" },
		{ NEW, "workspaceOpen", BL_VERDICT_NONE,
		  "{\"pluginPaths\":[\"/p\"]}" },
		{ NEW, "sessionEnd", BL_VERDICT_NONE, "{}" },
		{ NEW, "afterFileEdit", BL_VERDICT_NONE, "{}" },
		/* no answer won in 2.3, a source refused */
		{ OLD, "beforeReadFile", BL_VERDICT_DENY,
		  "{\"permission\":\"deny\"}" },
		{ OLD, "beforeSubmitPrompt", BL_VERDICT_DENY,
		  "{\"continue\":false,\"user_message\":\"u\"}" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_decision decision = full_decision(rows[i].verdict);

		check_json(bl_agent_output_encode(
				   find_event(rows[i].dialect, rows[i].event),
				   &decision, &arena),
			   rows[i].json);
	}
}

static void nothing_decided_is_an_empty_object(void)
{
	const struct bl_decision decision = { 0 };

	for (int dialect = 0; dialect < BL_DIALECT_COUNT; dialect++) {
		const struct bl_contract *contract =
			bl_contract_get((enum bl_dialect)dialect);

		for (size_t s = 0; s < contract->event_count; s++)
			check_json(bl_agent_output_encode(&contract->events[s],
							  &decision, &arena),
				   "{}");
	}
}

static void the_winning_answer_is_handed_on(void)
{
	struct bl_decision decision = full_decision(BL_VERDICT_ALLOW);

	decision.first_answer = json("{\"x\":1,\"permission\":\"allow\"}");
	check_json(
		bl_agent_output_encode(find_event(OLD, "beforeShellExecution"),
				       &decision, &arena),
		"{\"x\":1,\"permission\":\"allow\"}");
}

/* Decode reads back the output of encode. */
static void encode_and_decode_agree(void)
{
	const struct bl_contract *contract = bl_contract_get(NEW);

	for (size_t s = 0; s < contract->event_count; s++) {
		const struct bl_hook_event *event = &contract->events[s];
		struct bl_decision decision = full_decision(BL_VERDICT_DENY);
		struct bl_output_errors errors;
		struct bl_answer answer;

		CHECK_STATUS(bl_agent_output_decode(
				     event,
				     bl_agent_output_encode(event, &decision,
							    &arena),
				     &answer, &errors),
			     BL_OK);
		CHECK_INT(answer.permission, event->class == BL_CLASS_PERMISSION
						     ? BL_VERDICT_DENY
						     : BL_VERDICT_NONE);
		CHECK_INT(answer.stops, event->class == BL_CLASS_PROMPT);
	}
}

static void encode_without_memory_is_undefined(void)
{
	struct bl_decision decision = full_decision(BL_VERDICT_DENY);
	size_t failures = 0;
	size_t limit = 1;

	for (;; limit++) {
		struct bl_value value;
		struct bl_arena tiny;
		bool done;

		REQUIRE(limit < 100000);
		bl_arena_init(&tiny, NULL, 0, limit);
		value = bl_agent_output_encode(find_event(NEW, "preToolUse"),
					       &decision, &tiny);
		done = bl_value_is_defined(value);
		CHECK(done == (bl_arena_status(&tiny) == BL_OK));
		bl_arena_clear(&tiny);
		if (done)
			break;
		failures++;
	}
	CHECK(failures > 10);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(answers_are_checked);
	RUN(answers_must_be_objects);
	RUN(permissions_decode);
	RUN(continue_decodes);
	RUN(texts_decode);
	RUN(values_decode);
	RUN(answers_are_encoded_by_shape);
	RUN(nothing_decided_is_an_empty_object);
	RUN(the_winning_answer_is_handed_on);
	RUN(encode_and_decode_agree);
	RUN(encode_without_memory_is_undefined);
	bl_arena_clear(&arena);
	return tap_end();
}

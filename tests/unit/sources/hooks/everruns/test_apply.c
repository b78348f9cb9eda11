/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outcomes, policies and rewrites, event by event (docs/contracts/everruns.md
 * "Outcomes").
 */
#include "sources/hooks/everruns/private.h"
#include "everruns_test.h"

static struct bl_everruns_chain reply;
static struct bl_everruns_execution execution;

static void apply(const char *event, const char *data, const char *outcome,
		  const char *patch, enum bl_everruns_on_error on_error)
{
	static struct bl_everruns_hook hook;
	struct bl_array_builder notices;

	bl_array_builder_init(&notices, &arena);
	hook = (struct bl_everruns_hook){ .on_error = on_error };
	reply = (struct bl_everruns_chain){ .rules = rules("everruns") };
	CHECK(bl_everruns_event_parse(bl_str(event), &reply.facts.event));
	reply.facts.data = json(data);
	execution = (struct bl_everruns_execution){
		.hook = &hook,
		.id = BL_STR("user:x"),
	};
	for (size_t i = 0; i < BL_EVERRUNS_OUTCOME_COUNT; i++) {
		enum bl_everruns_outcome_kind kind =
			(enum bl_everruns_outcome_kind)i;

		if (!strcmp(bl_everruns_outcome_name(kind), outcome))
			execution.run.outcome.kind = kind;
	}
	execution.run.outcome.reason = BL_STR("why");
	execution.run.outcome.user_message = BL_STR("sorry");
	if (patch)
		execution.run.outcome.patch = json(patch);
	bl_everruns_apply(&reply, &execution, &arena, &notices);
}

static void check_data(const char *expected)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_json_write(&text, reply.facts.data, BL_JSON_COMPACT);
	CHECK_STR(bl_buf_str(&text), expected);
	bl_buf_clear(&text);
}

#define POST "{\"tool_name\":\"t\",\"error\":null,\"success\":true}"
#define B    BL_EVERRUNS_BLOCK
#define A    BL_EVERRUNS_ALLOW
#define W    BL_EVERRUNS_WARN

static const struct {
	const char *event;
	const char *outcome;
	enum bl_everruns_on_error on_error;
	const char *effect;
	const char *reason; /* NULL: not blocked */
} policies[] = {
	{ "pre_tool_use", "allow", B, "nothing", NULL },
	{ "pre_tool_use", "allow", A, "nothing", NULL },
	{ "pre_tool_use", "allow", W, "nothing", NULL },
	{ "pre_tool_use", "block", B, "blocked", "why" },
	{ "pre_tool_use", "block", A, "blocked", "why" },
	{ "pre_tool_use", "block", W, "blocked", "why" },
	{ "pre_tool_use", "error", B, "blocked", "hook user:x errored: why" },
	{ "pre_tool_use", "error", A, "nothing", NULL },
	{ "pre_tool_use", "error", W, "warned", NULL },
	{ "user_prompt_submit", "allow", B, "nothing", NULL },
	{ "user_prompt_submit", "block", W, "blocked", "why" },
	{ "user_prompt_submit", "error", B, "blocked",
	  "hook user:x errored: why" },
	{ "user_prompt_submit", "error", A, "nothing", NULL },
	{ "user_prompt_submit", "error", W, "warned", NULL },
	{ "post_tool_use", "allow", B, "nothing", NULL },
	{ "post_tool_use", "block", B, "ignored", NULL },
	{ "post_tool_use", "block", A, "ignored", NULL },
	{ "post_tool_use", "block", W, "ignored", NULL },
	{ "post_tool_use", "error", B, "error", NULL },
	{ "post_tool_use", "error", A, "nothing", NULL },
	{ "post_tool_use", "error", W, "warned", NULL },
	{ "session_start", "block", B, "ignored", NULL },
	{ "session_end", "mutate", B, "ignored", NULL },
	{ "turn_end", "block", W, "ignored", NULL },
	{ "turn_end", "mutate", W, "ignored", NULL },
	{ "turn_end", "error", B, "warned", NULL },
	{ "turn_end", "error", W, "warned", NULL },
	{ "turn_end", "error", A, "nothing", NULL },
};

static void policies_by_event(void)
{
	for (size_t i = 0; i < BL_COUNT(policies); i++) {
		int before = tap_failures;
		const char *reason = policies[i].reason;

		apply(policies[i].event, POST, policies[i].outcome, "{}",
		      policies[i].on_error);
		CHECK_STR(bl_str(bl_everruns_effect_name(execution.effect)),
			  policies[i].effect);
		CHECK_INT(reply.is_blocked, reason != NULL);
		if (reason)
			CHECK_STR(reply.reason, reason);
		if (tap_failures != before)
			TAP_NOTE("in row %zu", i);
	}
}

static void user_messages(void)
{
	apply("pre_tool_use", POST, "block", NULL, W);
	CHECK_STR(reply.user_message, "sorry");
	apply("pre_tool_use", POST, "error", NULL, B);
	CHECK(!reply.user_message.ptr);
	apply("user_prompt_submit", POST, "block", NULL, W);
	CHECK_STR(reply.user_message, "sorry");
}

/* The changed data; expected NULL: no change, and a notice says so. */
static const struct {
	const char *event;
	const char *data;
	const char *patch;
	const char *expected;
} rewrites[] = {
	{ "pre_tool_use", "{\"arguments\":{\"a\":{\"b\":1},\"c\":2}}",
	  "{\"arguments\":{\"a\":{\"d\":3},\"e\":4}}",
	  "{\"arguments\":{\"a\":{\"d\":3},\"c\":2,\"e\":4}}" },
	{ "pre_tool_use", "{\"arguments\":{\"a\":1}}",
	  "{\"arguments\":{\"a\":null}}", "{\"arguments\":{\"a\":null}}" },
	{ "pre_tool_use", "{\"arguments\":null}", "{\"arguments\":{\"a\":1}}",
	  "{\"arguments\":{\"a\":1}}" },
	{ "pre_tool_use", "{\"arguments\":[1]}", "{\"arguments\":{}}",
	  "{\"arguments\":{}}" },
	{ "pre_tool_use", "{\"x\":1}", "{\"arguments\":{\"a\":1}}",
	  "{\"x\":1,\"arguments\":{\"a\":1}}" },
	{ "pre_tool_use", "{\"arguments\":{}}", "{\"arguments\":null}", NULL },
	{ "pre_tool_use", "{\"arguments\":{}}", "{\"arguments\":[1]}", NULL },
	{ "pre_tool_use", "{\"arguments\":{}}", "{\"name\":\"x\",\"id\":1}",
	  NULL },
	{ "pre_tool_use", "{\"arguments\":{}}", "7", NULL },
	{ "pre_tool_use", "{\"arguments\":{}}", "[]", NULL },
	{ "user_prompt_submit", "{\"message\":\"a\"}", "{\"message\":\"b\"}",
	  "{\"message\":\"b\"}" },
	{ "user_prompt_submit", "{\"message\":\"a\"}", "{\"message\":1}",
	  NULL },
	{ "user_prompt_submit", "{\"message\":\"a\"}", "{\"text\":\"b\"}",
	  NULL },
	{ "post_tool_use", "{\"result\":1}", "{\"result\":null}",
	  "{\"result\":null}" },
	{ "post_tool_use", "{\"result\":1}", "{\"result\":{\"a\":1}}",
	  "{\"result\":{\"a\":1}}" },
	{ "post_tool_use", "{\"result\":1,\"error\":null,\"success\":true}",
	  "{\"error\":\"bad\"}",
	  "{\"result\":1,\"error\":\"bad\",\"success\":false}" },
	{ "post_tool_use", "{\"error\":\"e\"}", "{\"error\":null}", NULL },
	{ "post_tool_use", "{\"error\":\"e\"}", "{\"error\":5}", NULL },
	{ "post_tool_use", "{\"result\":{\"a\":1}}",
	  "{\"additional_context\":\"c\"}",
	  "{\"result\":{\"a\":1,\"hook_context\":\"c\"}}" },
	{ "post_tool_use", "{\"result\":{\"hook_context\":\"old\"}}",
	  "{\"additional_context\":\"c\"}",
	  "{\"result\":{\"hook_context\":\"c\"}}" },
	{ "post_tool_use", "{\"result\":\"s\"}",
	  "{\"additional_context\":\"c\"}",
	  "{\"result\":{\"value\":\"s\",\"hook_context\":\"c\"}}" },
	{ "post_tool_use", "{\"result\":[1]}", "{\"additional_context\":\"c\"}",
	  "{\"result\":{\"value\":[1],\"hook_context\":\"c\"}}" },
	{ "post_tool_use", "{\"result\":null}",
	  "{\"additional_context\":\"c\"}",
	  "{\"result\":{\"value\":null,\"hook_context\":\"c\"}}" },
	{ "post_tool_use", "{}", "{\"additional_context\":\"c\"}",
	  "{\"result\":{\"hook_context\":\"c\"}}" },
	{ "post_tool_use", "{}", "{\"additional_context\":1}", NULL },
	{ "post_tool_use", "{\"result\":1}",
	  "{\"additional_context\":\"c\",\"error\":\"e\",\"result\":\"r\"}",
	  "{\"result\":{\"value\":\"r\",\"hook_context\":\"c\"},"
	  "\"error\":\"e\",\"success\":false}" },
};

static void rewrites_by_event(void)
{
	for (size_t i = 0; i < BL_COUNT(rewrites); i++) {
		int before = tap_failures;
		const char *expected = rewrites[i].expected;

		apply(rewrites[i].event, rewrites[i].data, "mutate",
		      rewrites[i].patch, W);
		CHECK_STR(bl_str(bl_everruns_effect_name(execution.effect)),
			  expected ? "rewrote" : "ignored");
		check_data(expected ? expected : rewrites[i].data);
		if (tap_failures != before)
			TAP_NOTE("in row %zu", i);
	}
}

static void error_marks_the_result(void)
{
	apply("post_tool_use", "{\"result\":1,\"error\":null,\"success\":true}",
	      "error", NULL, B);
	check_data("{\"result\":1,\"error\":\"hook user:x: why\","
		   "\"success\":false}");
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(policies_by_event);
	RUN(user_messages);
	RUN(rewrites_by_event);
	RUN(error_marks_the_result);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An agent is added by one file and a row of agents.def: this program has such
 * a file (wren.c) and a list with one more row, and nothing else of belay is
 * changed.  The table below is all the test that an agent needs; its values
 * are those of the agent's own description, at the head of wren.c.
 */
#include "agents_test.h"
#include "setup/setup.h"

#undef AGENT
#define AGENT(name) extern const struct bl_agent bl_agent_##name;
#include "agents/agents.def"
AGENT(wren)
#undef AGENT

/* In the place of src/agents/list.c. */
const struct bl_agent *const bl_agents[] = {
#define AGENT(name) &bl_agent_##name,
#include "agents/agents.def"
	AGENT(wren)
#undef AGENT
		NULL,
};

static const struct bl_agent *wren;

#define TOOL                                                                   \
	"{\"event\":\"tool\",\"wren\":1,\"dir\":\"/w\",\"tool\":\"bash\","     \
	"\"arguments\":{\"command\":\"rm  x\",\"quiet\":true}}"
#define DONE      "{\"event\":\"done\",\"wren\":1,\"dir\":\"/w\"}"
#define NEW_EVENT "{\"event\":\"nap\",\"wren\":1,\"dir\":\"/w\"}"
#define NEW_CALL                                                               \
	"{\"event\":\"nap\",\"wren\":1,\"dir\":\"/w\",\"tool\":\"bash\","      \
	"\"arguments\":{\"command\":\"ls\"}}"

/* payload, decision, what Wren is sent, what it does, what is said of it */
static const struct {
	const char *payload;
	enum bl_verb verb;
	const char *output;
	enum bl_verb effect;
	unsigned degradations;
} rows[] = {
	{ TOOL, BL_VERB_ALLOW, "{}\n", BL_VERB_ALLOW, 0 },
	{ TOOL, BL_VERB_DENY, "{\"verdict\":\"stop\",\"why\":\"R\"}\n",
	  BL_VERB_DENY, 0 },
	{ TOOL, BL_VERB_ASK, "{\"verdict\":\"stop\",\"why\":\"R\"}\n",
	  BL_VERB_DENY, 1U << BL_DEGRADED_ASK_DENIED },
	{ TOOL, BL_VERB_MODIFY,
	  "{\"arguments\":{\"command\":\"ls\",\"quiet\":true}}\n",
	  BL_VERB_MODIFY, 0 },
	{ DONE, BL_VERB_BLOCK, "{\"verdict\":\"stop\",\"why\":\"R\"}\n",
	  BL_VERB_DENY, 0 },
	{ DONE, BL_VERB_ASK, "{}\n", BL_VERB_ALLOW,
	  1U << BL_DEGRADED_ASK_DROPPED },
	{ NEW_EVENT, BL_VERB_DENY, "{\"verdict\":\"stop\",\"why\":\"R\"}\n",
	  BL_VERB_DENY, 0 },
};

static bool decode(const char *payload, struct bl_agent_request *out_request)
{
	const struct bl_agent_facts facts = { .cwd = BL_STR("/") };
	struct bl_error err;

	return !bl_agent_decode(wren, json(payload), &facts, &arena,
				out_request, &err);
}

static void decisions_become_responses(void)
{
	const struct bl_response_options options = { .is_strict = false };

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		const struct bl_decision decision = {
			.verdict = bl_verb_verdict(rows[i].verb),
			.attributes = bl_verb_attributes(rows[i].verb),
			.user_message = BL_STR("R"),
			.updated_input = json("{\"command\":\"ls\"}"),
		};
		struct bl_agent_request request;
		struct bl_response response;
		struct bl_response_preview preview;

		REQUIRE(decode(rows[i].payload, &request));
		REQUIRE(!bl_agent_encode(&request, &decision, &options, &arena,
					 &response, NULL));
		CHECK_STR(response.output, rows[i].output);
		CHECK_INT(response.effect, rows[i].effect);
		CHECK_INT(response.degradations, rows[i].degradations);
		preview = bl_agent_preview(request.event, rows[i].verb, false,
					   &options);
		CHECK_INT(preview.effect, rows[i].effect);
		CHECK_INT(preview.degradations, rows[i].degradations);
	}
}

static void payloads_become_requests(void)
{
	struct bl_agent_request request;

	REQUIRE(decode(TOOL, &request));
	CHECK(request.is_known);
	CHECK_INT(request.kind, BL_EVENT_TOOL_BEFORE);
	CHECK_INT(request.tool_kind, BL_TOOL_SHELL);
	CHECK_STR(request.command, "rm x");
	CHECK_STR(request.cwd, "/w");
	REQUIRE(decode(DONE, &request));
	CHECK_INT(request.kind, BL_EVENT_STOP);
	REQUIRE(decode(NEW_EVENT, &request));
	CHECK(!request.is_known);
	CHECK(bl_hook_event_fails_closed(request.event));
	CHECK(!decode(NEW_CALL, &request));
}

static struct bl_str no_variable(const char *name)
{
	(void)name;
	return (struct bl_str){ NULL, 0 };
}

static void it_is_found(void)
{
	REQUIRE(wren);
	const char *evidence = NULL;

	CHECK(wren == &bl_agent_wren);
	CHECK(bl_agent_index(wren) + 1 < BL_AGENT_MAX);
	CHECK(bl_agent_detect(json(TOOL), no_variable, &evidence) == wren);
	CHECK_STR(bl_str(evidence), "payload: wren");
}

static void it_is_registered(void)
{
	const struct bl_setup setup = {
		.agent = wren,
		.program = BL_STR("/opt/belay"),
		.root = BL_STR("/p"),
		.policy_dir = BL_STR("/p/.belay"),
	};
	struct bl_str path;
	struct bl_str text;
	struct bl_error err;

	REQUIRE(!bl_setup_file(&setup, &arena, &path, &err));
	CHECK_STR(path, "/p/.wren/hooks.json");
	REQUIRE(!bl_setup_register(&setup, path, (struct bl_str){ NULL, 0 },
				   &arena, &text, &err));
	CHECK(bl_value_equal(
		json(bl_arena_printf(&arena, "%.*s", BL_STR_ARG(text)).ptr),
		json("{\"hooks\":{\"tool\":[{\"command\":\"/opt/belay eval "
		     "--harness wren --policy-dir .belay\"}],\"done\":[{"
		     "\"command\":\"/opt/belay eval --harness wren "
		     "--policy-dir .belay\"}]}}")));
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	wren = bl_agent_find(BL_STR("wren"));
	RUN(it_is_found);
	RUN(payloads_become_requests);
	RUN(decisions_become_responses);
	RUN(it_is_registered);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* From an agent's bytes to its answer, where cases of the cli do not look. */
#include <stdlib.h>
#include <unistd.h>

#include "engine/engine.h"
#include "os/os.h"
#include "tap.h"

static char dir[64] = "/tmp/belay-response-XXXXXX";
static struct bl_arena arena;
static struct bl_error error;
static struct bl_reply reply;

static void policy(const char *path, const char *events, const char *rules)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "# METADATA\n# custom:\n#   routing:\n"
		 "#     required_events: [%s]\n"
		 "package cupcake.policies.p\nimport rego.v1\n%s\n",
		 events, rules);
	if (bl_os_make_dirs(bl_path_dir(bl_str(path)), 0755, &error) ||
	    bl_os_replace_file(bl_str(path), bl_str(text), 0644, &error))
		abort();
}

static struct bl_str answer(const char *agent, const char *payload)
{
	static const enum bl_asked policies[] = { BL_ASK_POLICIES,
						  BL_ASK_NOBODY };
	const struct bl_engine_options options = {
		.sources = policies,
		.form = BL_FORM_HOOK,
		.agent.agent = bl_agent_find(bl_str(agent)),
		.policies.compile = bl_policy_load,
		.no_journal = true,
	};
	const struct bl_request request = { .payload = bl_str(payload) };
	static struct bl_engine *engine;

	bl_reply_clear(&reply);
	engine = bl_engine_free(engine);
	CHECK_STATUS(bl_engine_new(&options, &engine, &error), BL_OK);
	CHECK_STATUS(
		bl_engine_dispatch(engine, &request, &arena, &reply, &error),
		BL_OK);
	return bl_str_trim(reply.response.output);
}

/* stop policies continue the agent, and can count the rounds. */
static void stop(void)
{
	policy(".belay/policies/cursor/p.rego", "stop",
	       "block contains {\"reason\": \"run the tests\", \"severity\": "
	       "\"LOW\", \"rule_id\": \"T\"} if input.loop_count < 2\n");
	CHECK_STR(answer("cursor", "{\"hook_event_name\":\"stop\",\"status\":"
				   "\"completed\",\"loop_count\":0}"),
		  "{\"followup_message\":\"run the tests\"}");
	CHECK_STR(answer("cursor", "{\"hook_event_name\":\"stop\",\"status\":"
				   "\"completed\",\"loop_count\":2}"),
		  "{}");
}

/* One policy of policies/all, whatever the agent calls things. */
static void every_agent(void)
{
	policy(".belay/policies/all/p.rego", "tool.before",
	       "deny contains \"no push\" if "
	       "contains(input.belay.tool.shell.command, \"git push\")\n");
	answer("cursor",
	       "{\"hook_event_name\":\"beforeShellExecution\",\"command\":"
	       "\"git push\",\"cwd\":\"/\"}");
	CHECK_STR(bl_str(bl_reply_word(&reply)), "deny");
	answer("claude",
	       "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\","
	       "\"tool_input\":{\"command\":\"git push\"}}");
	CHECK_STR(bl_str(bl_reply_word(&reply)), "deny");
	answer("factory",
	       "{\"hookEventName\":\"PreToolUse\",\"tool_name\":\"Execute\","
	       "\"tool_input\":{\"command\":\"git push\"}}");
	CHECK_STR(bl_str(bl_reply_word(&reply)), "deny");
	answer("opencode",
	       "{\"hook_event_name\":\"PreToolUse\",\"tool\":\"bash\","
	       "\"args\":{\"command\":\"git push\"}}");
	CHECK_STR(bl_str(bl_reply_word(&reply)), "deny");
}

/* A payload that is not an event is refused without one. */
static void no_event(void)
{
	static const char *const payloads[] = { "",
						"nope",
						"[1]",
						"{}",
						"{\"a\":1} {\"b\":2}",
						"{\"a\":\"\xff\"}" };

	for (size_t i = 0; i < BL_COUNT(payloads); i++) {
		answer("claude", payloads[i]);
		CHECK_INT(reply.response.exit_code, 2);
		CHECK(reply.response.errors.len > 0);
		CHECK(reply.failure.len > 0);
		CHECK(!reply.request.event);
	}
}

/* Events that belay does not know are routed by their name all the same. */
static void unknown_event(void)
{
	policy(".belay/policies/claude/p.rego", "BrandNew",
	       "add_context contains \"seen\"\n");
	answer("claude", "{\"hook_event_name\":\"BrandNew\"}");
	CHECK_INT(bl_value_count(reply.report.decision.additional_context), 1);
}

static void zones(void)
{
	struct bl_str zone;
	char bytes[8] = { 0 };

	CHECK(!bl_engine_read_zone(NULL, &arena, BL_STR("No/Where"), &zone));
	CHECK(bl_engine_fill_random(NULL, bytes, sizeof(bytes)));
}

int main(void)
{
	char command[128];

	bl_arena_init(&arena, NULL, 0, 0);
	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	RUN(stop);
	RUN(every_agent);
	RUN(no_event);
	RUN(unknown_event);
	RUN(zones);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (chdir("/") || system(command))
		return 1;
	bl_reply_clear(&reply);
	bl_arena_clear(&arena);
	return tap_end();
}

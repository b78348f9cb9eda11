/* SPDX-License-Identifier: Apache-2.0 */
/* Events that hooks and policies decide together. */
#include "tap.h"

#include "worlds.h"

#define POLICY  "w1/.belay/policies/cursor/p.rego"
#define ALLOWS  "echo '{\"permission\":\"allow\"}'"
#define ASKS    "echo '{\"permission\":\"ask\",\"user_message\":\"sure?\"}'"
#define DENIES  "echo '{\"permission\":\"deny\",\"user_message\":\"never\"}'"
#define DENY_LS "deny contains \"no ls\" if input.command == \"ls\"\n"

#define TOOL                                                                   \
	"{\"hook_event_name\":\"preToolUse\",\"conversation_id\":\"c\","       \
	"\"tool_name\":\"Shell\",\"tool_input\":{\"command\":\"npm install\"," \
	"\"cwd\":\"/w\"}}"

/* A policy for an event, with these rules. */
static void put_policy(const char *event, const char *rules)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_printf(&text,
		      "# METADATA\n# custom:\n#   routing:\n"
		      "#     required_events: [%s]\n"
		      "package cupcake.policies.p\nimport rego.v1\n%s\n",
		      event, rules);
	put(POLICY, text.ptr);
	bl_buf_clear(&text);
}

/* One hook and one policy about shell commands. */
static void new_pair(const char *profile, const char *command,
		     const char *rules)
{
	new_world(profile);
	options.policies.compile = bl_policy_load;
	put_hooks(USER, "beforeShellExecution", HOOKS(command));
	put_policy("beforeShellExecution", rules);
	CHECK_STATUS(open_engine(), BL_OK);
}

static void hook_allows_policy_denies(void)
{
	new_pair("cursor", ALLOWS, DENY_LS);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_DENY);
	CHECK_STR(reply.decision.user_message, "no ls");
	CHECK_STR(text_of(reply.answer, "permission"), "deny");
	CHECK(has(reply.enforcement.user_text, "no ls"));
	CHECK_STR(bl_str(bl_reply_word(&reply)), "deny");
}

static void hook_asks_policy_allows(void)
{
	new_pair("cursor", ASKS, "deny contains \"x\" if false\n");
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK(reply.policies);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_ASK);
	CHECK_STR(reply.decision.user_message, "sure?");
}

static void both_refuse(void)
{
	new_pair("cursor", DENIES, DENY_LS);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_STR(reply.decision.user_message, "never\n\n---\n\nno ls");
}

/* The policy judges, and changes, what the hook has made of the input. */
static void both_rewrite(void)
{
	new_world("cursor");
	options.policies.compile = bl_policy_load;
	put_hooks(USER, "preToolUse",
		  HOOKS("echo '{\"permission\":\"allow\",\"updated_input\":"
			"{\"command\":\"npm ci\",\"cwd\":\"/w\"}}'"));
	put_policy("preToolUse",
		   "modify contains {\"reason\": \"no scripts\", "
		   "\"severity\": \"LOW\", \"rule_id\": \"S\", "
		   "\"updated_input\": {\"command\": concat(\"\", ["
		   "input.tool_input.command, \" --ignore-scripts\"])}}\n");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(TOOL), BL_OK);
	CHECK_STR(
		json_of(bl_object_find(reply.answer, BL_STR("updated_input"))),
		"{\"command\":\"npm ci --ignore-scripts\",\"cwd\":\"/w\"}");
	CHECK_STR(bl_str(bl_reply_word(&reply)), "modify");
}

/* A harmless command that a hook made dangerous is refused. */
static void rewritten_input_is_judged(void)
{
	new_world("cursor");
	options.policies.compile = bl_policy_load;
	put_hooks(USER, "preToolUse",
		  HOOKS("echo '{\"updated_input\":{\"command\":\"ls\"}}'"));
	put_policy("preToolUse", "deny contains \"no ls\" if "
				 "input.tool_input.command == \"ls\"\n");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(TOOL), BL_OK);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_DENY);
}

static void either_fails(void)
{
	new_pair("cursor", "echo nonsense", "deny contains \"x\" if false\n");
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_DENY);
	CHECK(has(reply.decision.user_message, "not JSON"));

	new_pair("cursor", ALLOWS, "deny contains {{{\n");
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_DENY);
	CHECK(noticed("compile"));
}

/* Two lines of one action, with what each wanted and what came of it. */
static void both_are_recorded(void)
{
	struct bl_value *entries;

	new_pair("cursor", ALLOWS, DENY_LS);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK(reply.recorded);
	REQUIRE(read_journal(&entries) == 2);
	CHECK_STR(text_of(entries[0], "command"), ALLOWS);
	CHECK_STR(text_of(entries[0], "asked"), "allow");
	CHECK_STR(text_of(entries[0], "enforced"), "deny");
	CHECK_STR(text_of(entries[1], "source"), "policies");
	CHECK_STR(text_of(entries[1], "id"), reply.policy_id);
	CHECK_STR(text_of(entries[1], "decision"), "deny");
	CHECK_STR(text_of(entries[1], "reason"), "no ls");
	CHECK_STR(text_of(entries[1], "asked"), "deny");
	CHECK_STR(text_of(entries[1], "enforced"), "deny");
	CHECK(bl_str_equal(text_of(entries[0], "action"),
			   text_of(entries[1], "action")));
}

/* Cursor 2.3.41 knows hooks alone. */
static void profile_without_policies(void)
{
	new_pair("cursor-2.3", ALLOWS, DENY_LS);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK(!reply.policies);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_ALLOW);
}

/* A repository brings policies along, and with them programs to run. */
static void untrusted_policies(void)
{
	new_pair("cursor", ALLOWS, DENY_LS);
	options.trust_all = false;
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK(!reply.policies);
	CHECK(noticed("belay trust add --folder"));
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_ALLOW);
}

/* preToolUse cannot ask: what a policy asks about is refused, and said. */
static void policy_asks_where_nobody_can(void)
{
	new_world("cursor");
	options.policies.compile = bl_policy_load;
	put_policy("preToolUse", "ask contains \"really?\" if true\n");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(TOOL), BL_OK);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_DENY);
	CHECK(noticed("cannot ask"));
}

/* A caller that skips dispatch without hooks must not skip policies. */
static void policies_count_as_hooks(void)
{
	new_world("cursor");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK(!bl_engine_has_hook(engine, BL_STR("stop")));
	options.policies.compile = bl_policy_load;
	put_policy("stop", "block contains \"x\" if false\n");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK(bl_engine_has_hook(engine, BL_STR("stop")));
}

/* Without a compiler, and without an image, another program must decide. */
static void policies_need_tools(void)
{
	new_pair("cursor", ALLOWS, DENY_LS);
	options.policies.compile = NULL;
	options.no_reload = true;
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_UNSUPPORTED);
}

static const enum bl_asked hooks_first[] = { BL_ASK_HOOKS, BL_ASK_POLICIES,
					     BL_ASK_NOBODY };

/* As the agent's hook: the same decision, in the agent's own format. */
static void as_a_hook(void)
{
	new_pair("cursor", DENIES, "deny contains \"x\" if false\n");
	options.form = BL_FORM_HOOK;
	options.sources = hooks_first;
	options.agent.agent = bl_agent_find(BL_STR("cursor"));
	options.policies.dir = at("w1/.belay");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_STR(reply.response.output,
		  "{\"agent_message\":\"never\",\"permission\":\"deny\","
		  "\"user_message\":\"never\"}\n");
	CHECK_INT(reply.execution_count, 1);
	CHECK_INT(reply.response.exit_code, 0);
}

/* An event of which hook files know nothing is for policies alone. */
static void as_a_hook_of_an_unknown_event(void)
{
	new_pair("cursor", DENIES, "");
	put_policy("brandNew", "add_context contains \"seen\"\n");
	options.form = BL_FORM_HOOK;
	options.sources = hooks_first;
	options.agent.agent = bl_agent_find(BL_STR("cursor"));
	options.policies.dir = at("w1/.belay");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"brandNew\"}"), BL_OK);
	CHECK(!reply.hook_event);
	CHECK_INT(bl_value_count(reply.decision.additional_context), 1);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(hook_allows_policy_denies);
	RUN(hook_asks_policy_allows);
	RUN(both_refuse);
	RUN(both_rewrite);
	RUN(rewritten_input_is_judged);
	RUN(either_fails);
	RUN(both_are_recorded);
	RUN(profile_without_policies);
	RUN(untrusted_policies);
	RUN(policy_asks_where_nobody_can);
	RUN(policies_count_as_hooks);
	RUN(policies_need_tools);
	RUN(as_a_hook);
	RUN(as_a_hook_of_an_unknown_event);
	CLOSE_WORLD();
	return tap_end();
}

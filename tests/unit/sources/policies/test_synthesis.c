/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From decision objects to one decision (docs/contracts/cupcake.md "Combining
 * decisions", "Behaviours").
 */
#include "world.h"

#define ANY "#     required_events: [\"*\"]\n"

static void rules(const char *text)
{
	world_begin();
	world_policy("p", ANY, text);
	world_load();
	if (diags.error_count)
		print_diags();
	world_decide("E", "tool.before", "T", "other", "{}");
}

/* NAME contains {ID, reason R, severity S} */
#define RULE(verb, id, severity)                                               \
	verb " contains {\"rule_id\": \"" id "\", \"reason\": \"r" id          \
	     "\", \"severity\": \"" severity "\"}\n"

static void order_of_verbs(void)
{
	static const char *const texts[] = {
		RULE("halt", "1", "LOW"),
		RULE("deny", "2", "LOW"),
		RULE("block", "3", "LOW"),
		RULE("ask", "4", "LOW"),
		("modify contains {\"rule_id\": \"5\", \"reason\": \"r5\", "
		 "\"updated_input\": {\"a\": 1}}\n"),
	};
	static const char *const verbs[] = { "halt", "deny", "block", "ask",
					     "modify" };

	for (size_t i = 0; i < 5; i++) {
		char all[2048] = "";

		for (size_t j = i; j < 5; j++)
			strncat(all, texts[j], sizeof(all) - strlen(all) - 1);
		rules(all);
		CHECK_STR(verb(), verbs[i]);
		CHECK_INT(report.decision.user_message.ptr[1], '1' + (int)i);
		CHECK_INT(report.decision.user_message.len, 2);
	}
	rules("");
	CHECK_STR(verb(), "none");
	CHECK_INT(report.decision.user_message.len, 0);
}

static void reasons(void)
{
	rules(RULE("deny", "A", "HIGH") RULE("deny", "B", "CRITICAL")
		      RULE("deny", "C", "MEDIUM"));
	CHECK_STR(report.decision.user_message,
		  "Multiple high-severity policy violations detected: [A] rA; "
		  "[B] rB");
	rules(RULE("deny", "A", "MEDIUM") RULE("deny", "B", "moderate")
		      RULE("deny", "C", "LOW"));
	CHECK_STR(report.decision.user_message,
		  "Multiple policy violations detected: [A] rA; [B] rB");
	rules(RULE("deny", "A", "LOW") RULE("deny", "B", "strange"));
	CHECK_STR(report.decision.user_message, "Policy guidelines: rA; rB");
	rules(RULE("deny", "A", "high") RULE("deny", "B", "LOW"));
	CHECK_STR(report.decision.user_message, "rA");
}

static void messages(void)
{
	rules("deny contains {\"rule_id\": \"A\", \"reason\": \"a\", "
	      "\"severity\": \"LOW\", \"agent_context\": \"for model a\"}\n"
	      "deny contains {\"rule_id\": \"B\", \"reason\": \"b\", "
	      "\"severity\": \"HIGH\", \"reason_user\": \"person b\", "
	      "\"reason_model\": \"for model b\", \"safe_alternative\": "
	      "\"make clean\"}\n"
	      "add_context contains \"note\"\n"
	      "ask contains {\"rule_id\": \"C\", \"reason\": \"c\", "
	      "\"severity\": \"HIGH\", \"agent_context\": \"not told\"}\n");
	CHECK_STR(report.decision.user_message, "person b");
	REQUIRE(bl_value_count(report.decision.agent_messages) == 2);
	CHECK_STR(
		bl_value_text(bl_value_item(report.decision.agent_messages, 0)),
		"for model a");
	CHECK_STR(
		bl_value_text(bl_value_item(report.decision.agent_messages, 1)),
		"for model b Instead: make clean");
	CHECK_INT(bl_value_count(report.decision.additional_context), 1);
}

static void modifications(void)
{
	struct bl_value expected;

	rules("modify contains {\"rule_id\": \"A\", \"reason\": \"a\", "
	      "\"updated_input\": {\"x\": 1, \"deep\": {\"p\": 1, \"q\": 1}}}\n"
	      "modify contains {\"rule_id\": \"B\", \"reason\": \"b\", "
	      "\"priority\": 90, \"updated_input\": {\"x\": 2, \"deep\": "
	      "{\"q\": 2}}}\n"
	      "ask contains {\"rule_id\": \"C\", \"reason\": \"c\", "
	      "\"severity\": \"LOW\"} if input.ask\n");
	CHECK_STR(verb(), "modify");
	CHECK_STR(report.decision.user_message,
		  "Multiple modifications applied: [B] b; [A] a");
	expected = world_json("{\"x\":2,\"deep\":{\"q\":2,\"p\":1}}");
	CHECK(bl_value_equal(report.decision.updated_input, expected));
	/* A question does not lose them. */
	world_decide("E", "tool.before", "T", "other", "{\"ask\":true}");
	CHECK_STR(verb(), "ask");
	CHECK(bl_value_equal(report.decision.updated_input, expected));
}

/* Missing members are filled in; a text alone is a reason. */
static void filled_in(void)
{
	rules("deny contains \"just text\"\n");
	CHECK_STR(verb(), "deny");
	CHECK_STR(report.decision.user_message, "just text");
	CHECK_STR(report.findings[0].rule_id, "cupcake.policies.p");
	CHECK_STR(report.findings[0].severity, "MEDIUM");
	rules("deny := {\"reason\": \"one\"}\n");
	CHECK_STR(report.decision.user_message, "one");
	rules("default deny := false\n");
	CHECK_STR(verb(), "none");
	rules("checks.deny contains {\"reason\": \"nested\"}\n");
	CHECK_STR(report.decision.user_message, "nested");
}

/* A malformed decision refuses, and names the policy; others still speak. */
static void malformed(void)
{
	static const char *const rows[] = {
		"deny contains {\"rule_id\": \"A\", \"severity\": \"HIGH\"}\n",
		"deny contains {\"reason\": 17}\n",
		"deny contains {\"reason\": \" \"}\n",
		"deny contains {\"reason\": \"x\", \"severity\": 3}\n",
		"deny contains {\"reason\": \"x\", \"agent_context\": [1]}\n",
		"deny := true\n",
		"ask contains 3\n",
		"add_context contains {\"a\": 1}\n",
		"modify contains \"x\"\n",
		"modify contains {\"reason\": \"x\"}\n",
		"modify contains {\"reason\": \"x\", \"updated_input\": 1}\n",
		("modify contains {\"reason\": \"x\", \"updated_input\": {}, "
		 "\"priority\": 256}\n"),
		("modify contains {\"reason\": \"x\", \"updated_input\": {}, "
		 "\"priority\": \"high\"}\n"),
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "%shalt contains \"good\" if input.good\n", rows[i]);
		rules(text);
		if (!bl_str_is(verb(), "deny") ||
		    !has_text(report.decision.user_message,
			      "cupcake.policies.p")) {
			tap_failures++;
			TAP_NOTE("%s: %.*s", rows[i],
				 BL_STR_ARG(report.decision.user_message));
		}
		world_decide("E", "tool.before", "T", "other",
			     "{\"good\":true}");
		CHECK_STR(verb(), "halt");
		CHECK_STR(report.decision.user_message, "good");
	}
}

int main(void)
{
	RUN(order_of_verbs);
	RUN(reasons);
	RUN(messages);
	RUN(modifications);
	RUN(filled_in);
	RUN(malformed);
	world_end();
	return tap_end();
}

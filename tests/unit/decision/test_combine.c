/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <stdlib.h>

#include "decision/decision.h"
#include "json/json.h"

#define ALL(effect)                                                            \
	{                                                                      \
		effect, effect, effect                                         \
	}
#define NOTHING BL_EFFECT_NOTHING
#define USE     BL_EFFECT_USE
#define DENY    BL_EFFECT_DENY

/*
 * The last two columns of docs/contracts/cursor.md "Failures"; classes:
 * observe, permission, prompt.
 */
static const struct bl_combine_rules today = {
	.update = BL_UPDATE_FIRST,
	.outcome = {
		[BL_OUTCOME_ANSWERED] = { ALL(USE), ALL(USE) },
		[BL_OUTCOME_NO_OUTPUT] = { ALL(NOTHING),
					   { NOTHING, DENY, DENY } },
		[BL_OUTCOME_NOT_JSON] = { { NOTHING, DENY, NOTHING },
					  { NOTHING, DENY, DENY } },
		[BL_OUTCOME_INVALID] = { { NOTHING, DENY, NOTHING },
					 { NOTHING, DENY, DENY } },
		[BL_OUTCOME_EXIT_2] = { { NOTHING, DENY, DENY },
					{ NOTHING, DENY, DENY } },
		[BL_OUTCOME_TIMEOUT] = { ALL(NOTHING), { NOTHING, DENY, DENY } },
		[BL_OUTCOME_CANNOT_START] = { ALL(BL_EFFECT_ASK), ALL(DENY) },
		/* not in the spec: a failure must never count as an answer */
		[BL_OUTCOME_SIGNAL] = { ALL(USE), ALL(USE) },
	},
};

static const struct bl_combine_rules first_wins = {
	.pick = BL_PICK_FIRST,
	.outcome = {
		[BL_OUTCOME_ANSWERED] = { ALL(USE), ALL(USE) },
		[BL_OUTCOME_BROKEN_SOURCE] = { { NOTHING, DENY, DENY },
					       { NOTHING, DENY, DENY } },
	},
};

static struct bl_arena arena;

static struct bl_value json(const char *text)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(&arena, bl_str(text), NULL, &value, NULL,
				  NULL, NULL),
		     BL_OK);
	return value;
}

/* Is value this JSON?  NULL: undefined. */
static void check_json(struct bl_value value, const char *expected)
{
	struct bl_buf buf;

	if (!expected) {
		CHECK_INT(value.kind, BL_KIND_UNDEFINED);
		return;
	}
	CHECK(bl_value_is_defined(value));
	bl_buf_init(&buf, 0);
	bl_json_write(&buf, value, BL_JSON_COMPACT);
	CHECK_STR(bl_buf_str(&buf), expected);
	bl_buf_clear(&buf);
}

static struct bl_outcome answer(enum bl_verdict permission, const char *user,
				const char *agent)
{
	return (struct bl_outcome){
		.kind = BL_OUTCOME_ANSWERED,
		.answer = { .permission = permission,
			    .user_message = bl_str(user),
			    .agent_message = bl_str(agent) },
	};
}

static struct bl_outcome failure(enum bl_outcome_kind kind, const char *reason,
				 bool fail_closed)
{
	return (struct bl_outcome){ .kind = kind,
				    .reason = bl_str(reason),
				    .fail_closed = fail_closed };
}

static struct bl_decision combine_with(const struct bl_combine_rules *rules,
				       enum bl_event_class class, bool can_ask,
				       const struct bl_outcome *outcomes,
				       size_t count)
{
	struct bl_decision decision;
	struct bl_error err;

	memset(&decision, 0xa5, sizeof(decision));
	CHECK_STATUS(bl_decision_combine(rules, class, can_ask, outcomes, count,
					 &arena, &decision, &err),
		     BL_OK);
	return decision;
}

static struct bl_decision fold(enum bl_event_class class,
			       const struct bl_outcome *outcomes, size_t count)
{
	return combine_with(&today, class, true, outcomes, count);
}

/* ---- verdicts ------------------------------------------------------------ */

static void no_outcomes_is_none(void)
{
	struct bl_decision decision = fold(BL_CLASS_PERMISSION, NULL, 0);

	CHECK_INT(decision.verdict, BL_VERDICT_NONE);
	CHECK_INT(decision.user_message.len, 0);
	CHECK_INT(decision.agent_message.len, 0);
	CHECK(!decision.followup_message.ptr);
	check_json(decision.additional_context, NULL);
	check_json(decision.updated_input, NULL);
	check_json(decision.updated_output, NULL);
	check_json(decision.env, NULL);
	check_json(decision.plugin_paths, NULL);
	check_json(decision.first_answer, NULL);
	CHECK_INT(decision.lost_updates, 0);
}

/* The messages of those that equal the verdict, by the rule of 2.12. */
static void expected_messages(const enum bl_verdict *verdicts, size_t count,
			      enum bl_verdict final, char *out)
{
	out[0] = '\0';
	if (final < BL_VERDICT_ASK)
		return;
	for (size_t i = 0; i < count; i++) {
		if (verdicts[i] != final)
			continue;
		if (out[0])
			strcat(out, "\n\n---\n\n");
		strcat(out, (const char *[]){ "m0", "m1", "m2" }[i]);
	}
}

/* Every sequence of up to three outcomes: its verdict is the largest. */
static void small_model_of_permission(void)
{
	static const char *const texts[] = { "m0", "m1", "m2" };
	size_t combinations = 1;

	for (size_t count = 0; count <= 3; count++, combinations *= 4) {
		for (size_t c = 0; c < combinations; c++) {
			enum bl_verdict verdicts[3] = { 0 };
			struct bl_outcome outcomes[3];
			enum bl_verdict max = BL_VERDICT_NONE;
			struct bl_decision decision;
			char expected[64];
			size_t rest = c;

			for (size_t i = 0; i < count; i++, rest /= 4) {
				verdicts[i] = (enum bl_verdict)(rest % 4);
				outcomes[i] =
					answer(verdicts[i], texts[i], texts[i]);
				if (verdicts[i] > max)
					max = verdicts[i];
			}
			decision = fold(BL_CLASS_PERMISSION, outcomes, count);
			expected_messages(verdicts, count, max, expected);
			CHECK_INT(decision.verdict, max);
			CHECK_STR(decision.user_message, expected);
			CHECK_STR(decision.agent_message, expected);
		}
	}
}

/* As above with "continue": any stop refuses. */
static void small_model_of_prompt(void)
{
	for (unsigned int c = 0; c < 8; c++) {
		struct bl_outcome outcomes[3];
		struct bl_decision decision;

		for (unsigned int i = 0; i < 3; i++) {
			outcomes[i] = answer(BL_VERDICT_NONE, NULL, NULL);
			outcomes[i].answer.stops = c >> i & 1;
		}
		decision = fold(BL_CLASS_PROMPT, outcomes, 3);
		CHECK_INT(decision.verdict,
			  c ? BL_VERDICT_DENY : BL_VERDICT_NONE);
	}
}

/* Verdicts do not depend on the order, failures and all. */
static void order_does_not_matter(void)
{
	static const size_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 },
					    { 1, 0, 2 }, { 1, 2, 0 },
					    { 2, 0, 1 }, { 2, 1, 0 } };
	const struct bl_outcome kinds[] = {
		answer(BL_VERDICT_NONE, NULL, NULL),
		answer(BL_VERDICT_ALLOW, NULL, NULL),
		answer(BL_VERDICT_ASK, NULL, NULL),
		answer(BL_VERDICT_DENY, NULL, NULL),
		failure(BL_OUTCOME_EXIT_2, "no", false),
		failure(BL_OUTCOME_TIMEOUT, "late", false),
		failure(BL_OUTCOME_TIMEOUT, "late", true),
		failure(BL_OUTCOME_CANNOT_START, "gone", false),
	};
	enum { N = BL_COUNT(kinds) };

	for (size_t c = 0; c < N * N * N; c++) {
		const size_t pick[3] = { c % N, c / N % N, c / N / N };
		enum bl_verdict first = BL_VERDICT_NONE;

		for (size_t o = 0; o < BL_COUNT(orders); o++) {
			struct bl_outcome outcomes[3];
			struct bl_decision decision;

			for (size_t i = 0; i < 3; i++)
				outcomes[i] = kinds[pick[orders[o][i]]];
			decision = fold(BL_CLASS_PERMISSION, outcomes, 3);
			if (o == 0)
				first = decision.verdict;
			CHECK_INT(decision.verdict, first);
		}
		bl_arena_reset(&arena);
	}
}

static void classes_ignore_what_they_do_not_know(void)
{
	struct bl_outcome deny = answer(BL_VERDICT_DENY, "u", "a");
	struct bl_outcome stops = answer(BL_VERDICT_NONE, "u", "a");

	stops.answer.stops = true;
	CHECK_INT(fold(BL_CLASS_OBSERVE, &deny, 1).verdict, BL_VERDICT_NONE);
	CHECK_INT(fold(BL_CLASS_OBSERVE, &stops, 1).verdict, BL_VERDICT_NONE);
	CHECK_INT(fold(BL_CLASS_PROMPT, &deny, 1).verdict, BL_VERDICT_NONE);
	CHECK_INT(fold(BL_CLASS_PERMISSION, &stops, 1).verdict,
		  BL_VERDICT_NONE);
}

static void effects_by_class_and_fail_closed(void)
{
	static const struct {
		enum bl_outcome_kind kind;
		bool fail_closed;
		enum bl_event_class class;
		enum bl_effect effect;
	} rows[] = {
		{ BL_OUTCOME_NO_OUTPUT, false, BL_CLASS_PERMISSION, NOTHING },
		{ BL_OUTCOME_NO_OUTPUT, true, BL_CLASS_PERMISSION, DENY },
		{ BL_OUTCOME_NO_OUTPUT, true, BL_CLASS_PROMPT, DENY },
		{ BL_OUTCOME_NO_OUTPUT, true, BL_CLASS_OBSERVE, NOTHING },
		{ BL_OUTCOME_NOT_JSON, false, BL_CLASS_PERMISSION, DENY },
		{ BL_OUTCOME_NOT_JSON, false, BL_CLASS_PROMPT, NOTHING },
		{ BL_OUTCOME_NOT_JSON, false, BL_CLASS_OBSERVE, NOTHING },
		{ BL_OUTCOME_INVALID, false, BL_CLASS_PERMISSION, DENY },
		{ BL_OUTCOME_EXIT_2, false, BL_CLASS_PERMISSION, DENY },
		{ BL_OUTCOME_EXIT_2, false, BL_CLASS_PROMPT, DENY },
		{ BL_OUTCOME_EXIT_2, false, BL_CLASS_OBSERVE, NOTHING },
		{ BL_OUTCOME_TIMEOUT, false, BL_CLASS_PERMISSION, NOTHING },
		{ BL_OUTCOME_TIMEOUT, true, BL_CLASS_PERMISSION, DENY },
		{ BL_OUTCOME_CANNOT_START, false, BL_CLASS_PERMISSION,
		  BL_EFFECT_ASK },
		{ BL_OUTCOME_SIGNAL, false, BL_CLASS_PERMISSION, NOTHING },
		{ BL_OUTCOME_ANSWERED, false, BL_CLASS_OBSERVE, USE },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_outcome outcome =
			failure(rows[i].kind, "why", rows[i].fail_closed);
		struct bl_decision decision = fold(rows[i].class, &outcome, 1);
		enum bl_effect effect = rows[i].effect;

		CHECK_INT(decision.effects[0], effect);
		CHECK_INT(decision.verdict, effect == DENY ? BL_VERDICT_DENY
					    : effect == BL_EFFECT_ASK
						    ? BL_VERDICT_ASK
						    : BL_VERDICT_NONE);
		CHECK_STR(decision.user_message, effect >= DENY ? "why" : "");
		CHECK_INT(decision.agent_message.len, 0);
	}
}

static void ask_effect_needs_a_step_that_asks(void)
{
	struct bl_outcome outcome =
		failure(BL_OUTCOME_CANNOT_START, "why", false);
	struct bl_outcome asks = answer(BL_VERDICT_ASK, "sure?", NULL);
	struct bl_decision decision =
		combine_with(&today, BL_CLASS_PERMISSION, false, &outcome, 1);

	CHECK_INT(decision.verdict, BL_VERDICT_NONE);
	CHECK_INT(decision.effects[0], NOTHING);
	CHECK_INT(decision.user_message.len, 0);

	/* An answer stays what it was decoded to. */
	decision = combine_with(&today, BL_CLASS_PERMISSION, false, &asks, 1);
	CHECK_INT(decision.verdict, BL_VERDICT_ASK);
	CHECK_STR(decision.user_message, "sure?");
}

/* ---- messages ------------------------------------------------------------ */

static void refusals_are_joined_in_order(void)
{
	const struct bl_outcome outcomes[] = {
		answer(BL_VERDICT_DENY, "one", "for the model"),
		answer(BL_VERDICT_ALLOW, "not this", "nor this"),
		answer(BL_VERDICT_DENY, "", NULL),
		failure(BL_OUTCOME_EXIT_2, "two", false),
		answer(BL_VERDICT_ASK, "not that", NULL),
		failure(BL_OUTCOME_TIMEOUT, "open", false),
		answer(BL_VERDICT_DENY, "three", "again"),
	};
	struct bl_decision decision =
		fold(BL_CLASS_PERMISSION, outcomes, BL_COUNT(outcomes));

	CHECK_STR(decision.user_message, "one\n\n---\n\ntwo\n\n---\n\nthree");
	CHECK_STR(decision.agent_message, "for the model\n\n---\n\nagain");
}

static void prompt_messages_only_when_refused(void)
{
	struct bl_outcome outcomes[2] = {
		answer(BL_VERDICT_NONE, "hello", NULL),
		answer(BL_VERDICT_NONE, "stop it", NULL),
	};

	CHECK_STR(fold(BL_CLASS_PROMPT, outcomes, 2).user_message, "");
	outcomes[1].answer.stops = true;
	CHECK_STR(fold(BL_CLASS_PROMPT, outcomes, 2).user_message, "stop it");
}

static void observing_hooks_all_speak(void)
{
	const struct bl_outcome outcomes[] = {
		answer(BL_VERDICT_NONE, "one", NULL),
		failure(BL_OUTCOME_EXIT_2, "not this", false),
		answer(BL_VERDICT_NONE, "two", NULL),
	};

	CHECK_STR(fold(BL_CLASS_OBSERVE, outcomes, 3).user_message,
		  "one\n\n---\n\ntwo");
}

static void messages_keep_every_byte(void)
{
	struct bl_outcome outcomes[2] = {
		answer(BL_VERDICT_DENY, NULL, NULL),
		answer(BL_VERDICT_DENY, "end", NULL),
	};
	struct bl_str message;

	outcomes[0].answer.user_message = BL_STR("a\0b");
	message = fold(BL_CLASS_PERMISSION, outcomes, 2).user_message;
	CHECK_INT(message.len, 3 + 7 + 3);
	CHECK(message.len == 13 &&
	      !memcmp(message.ptr, "a\0b\n\n---\n\nend", 13));
}

/* ---- the other fields ---------------------------------------------------- */

static void one_winner(void)
{
	struct bl_combine_rules last = today;
	struct bl_outcome outcomes[4] = {
		answer(BL_VERDICT_ALLOW, NULL, NULL),
		answer(BL_VERDICT_ALLOW, NULL, NULL),
		failure(BL_OUTCOME_TIMEOUT, NULL, false),
		answer(BL_VERDICT_ALLOW, NULL, NULL),
	};
	struct bl_decision decision;

	last.update = BL_UPDATE_LAST;
	outcomes[1].answer.updated_input = json("{\"n\":1}");
	outcomes[2].answer.updated_input = json("{\"n\":2}");
	outcomes[3].answer.updated_input = json("{\"n\":3}");
	outcomes[1].answer.updated_output = json("null");
	outcomes[3].answer.updated_output = json("[3]");
	outcomes[0].answer.followup_message = BL_STR("f0");
	outcomes[3].answer.followup_message = BL_STR("f3");

	decision = fold(BL_CLASS_PERMISSION, outcomes, 4);
	check_json(decision.updated_input, "{\"n\":1}");
	check_json(decision.updated_output, "null");
	CHECK_STR(decision.followup_message, "f0");
	CHECK_INT(decision.lost_updates, 1);

	decision = combine_with(&last, BL_CLASS_PERMISSION, true, outcomes, 4);
	check_json(decision.updated_input, "{\"n\":3}");
	check_json(decision.updated_output, "[3]");
	CHECK_STR(decision.followup_message, "f3");
	CHECK_INT(decision.lost_updates, 1);

	decision = fold(BL_CLASS_PERMISSION, outcomes, 2);
	CHECK_INT(decision.lost_updates, 0);
}

static void contexts_are_all_kept(void)
{
	struct bl_outcome outcomes[4] = {
		answer(BL_VERDICT_NONE, NULL, NULL),
		answer(BL_VERDICT_NONE, NULL, NULL),
		failure(BL_OUTCOME_TIMEOUT, NULL, false),
		answer(BL_VERDICT_NONE, NULL, NULL),
	};

	outcomes[0].answer.additional_context = BL_STR("S1");
	outcomes[2].answer.additional_context = BL_STR("not this");
	outcomes[3].answer.additional_context = BL_STR("P1");
	check_json(fold(BL_CLASS_OBSERVE, outcomes, 4).additional_context,
		   "[\"S1\",\"P1\"]");
}

static void env_is_merged_by_key(void)
{
	struct bl_outcome outcomes[3] = {
		answer(BL_VERDICT_NONE, NULL, NULL),
		answer(BL_VERDICT_NONE, NULL, NULL),
		failure(BL_OUTCOME_TIMEOUT, NULL, false),
	};

	outcomes[0].answer.env = json("{\"A\":\"1\",\"B\":\"1\"}");
	outcomes[1].answer.env = json("{\"C\":\"2\",\"A\":\"2\"}");
	outcomes[2].answer.env = json("{\"A\":\"3\",\"D\":\"3\"}");
	check_json(fold(BL_CLASS_OBSERVE, outcomes, 3).env,
		   "{\"A\":\"2\",\"B\":\"1\",\"C\":\"2\"}");
}

static void plugin_paths_are_a_union(void)
{
	struct bl_outcome outcomes[3] = {
		answer(BL_VERDICT_NONE, NULL, NULL),
		answer(BL_VERDICT_NONE, NULL, NULL),
		failure(BL_OUTCOME_TIMEOUT, NULL, false),
	};

	outcomes[0].answer.plugin_paths = json("[\"/b\",\"/a\",\"/b\"]");
	outcomes[1].answer.plugin_paths = json("[\"/c\",\"/a\"]");
	outcomes[2].answer.plugin_paths = json("[\"/d\"]");
	check_json(fold(BL_CLASS_OBSERVE, outcomes, 3).plugin_paths,
		   "[\"/b\",\"/a\",\"/c\"]");
}

/* ---- first valid answer wins (C1) -----------------------------------------
 */

static void first_answer_is_everything(void)
{
	struct bl_outcome outcomes[4] = {
		failure(BL_OUTCOME_NOT_JSON, "garbage", true),
		answer(BL_VERDICT_ALLOW, "u1", "a1"),
		answer(BL_VERDICT_DENY, "u2", "a2"),
		answer(BL_VERDICT_ASK, "u3", "a3"),
	};
	struct bl_decision decision;

	for (size_t i = 1; i < 4; i++) {
		outcomes[i].answer.updated_input = json("{}");
		outcomes[i].answer.raw = json(i == 1 ? "{\"x\":1}" : "{}");
	}
	decision = combine_with(&first_wins, BL_CLASS_PERMISSION, true,
				outcomes, 4);
	CHECK_INT(decision.verdict, BL_VERDICT_ALLOW);
	check_json(decision.first_answer, "{\"x\":1}");
	CHECK_INT(decision.lost_updates, 0);
	CHECK_INT(decision.effects[0], NOTHING);
	CHECK_INT(decision.effects[1], USE);
	CHECK_INT(decision.effects[2], NOTHING);
	CHECK_INT(decision.effects[3], NOTHING);
}

static void first_deny_is_kept(void)
{
	struct bl_outcome outcomes[2] = {
		answer(BL_VERDICT_DENY, "u1", "a1"),
		answer(BL_VERDICT_DENY, "u2", "a2"),
	};
	struct bl_decision decision;

	outcomes[0].answer.raw = json("{\"x\":1}");
	decision = combine_with(&first_wins, BL_CLASS_PERMISSION, true,
				outcomes, 2);
	CHECK_INT(decision.verdict, BL_VERDICT_DENY);
	CHECK_STR(decision.user_message, "u1");
	CHECK_STR(decision.agent_message, "a1");
	check_json(decision.first_answer, "{\"x\":1}");
}

static void no_valid_answer_is_none(void)
{
	struct bl_outcome outcomes[2] = {
		failure(BL_OUTCOME_NOT_JSON, "garbage", false),
		failure(BL_OUTCOME_EXIT_2, "no", true),
	};
	struct bl_decision decision = combine_with(
		&first_wins, BL_CLASS_PERMISSION, true, outcomes, 2);

	CHECK_INT(decision.verdict, BL_VERDICT_NONE);
	check_json(decision.first_answer, NULL);
}

/* An answer that says allow is not handed on when a source refuses. */
static void refusal_by_a_source_beats_the_first_answer(void)
{
	struct bl_outcome outcomes[2] = {
		answer(BL_VERDICT_ALLOW, "u1", "a1"),
		failure(BL_OUTCOME_BROKEN_SOURCE, "broken", false),
	};
	struct bl_decision decision;

	outcomes[0].answer.raw = json("{\"x\":1}");
	decision = combine_with(&first_wins, BL_CLASS_PERMISSION, true,
				outcomes, 2);
	CHECK_INT(decision.verdict, BL_VERDICT_DENY);
	CHECK_STR(decision.user_message, "broken");
	check_json(decision.first_answer, NULL);
}

static void all_combine_without_first_wins_has_no_first_answer(void)
{
	struct bl_outcome outcome = answer(BL_VERDICT_ALLOW, NULL, NULL);

	outcome.answer.raw = json("{}");
	check_json(fold(BL_CLASS_PERMISSION, &outcome, 1).first_answer, NULL);
}

/* ---- memory ---------------------------------------------------------------
 */

static void out_of_memory_is_reported(void)
{
	struct bl_outcome outcomes[2] = {
		answer(BL_VERDICT_DENY, "one", "model"),
		answer(BL_VERDICT_DENY, "two", "model"),
	};
	size_t failures = 0;
	size_t limit = 1;

	for (size_t i = 0; i < 2; i++) {
		outcomes[i].answer.additional_context = BL_STR("context");
		outcomes[i].answer.env = json("{\"A\":\"1\",\"B\":\"1\"}");
		outcomes[i].answer.plugin_paths = json("[\"/a\",\"/b\"]");
	}
	for (;; limit++) {
		struct bl_decision decision = { .lost_updates = 77 };
		struct bl_error err = { 0 };
		struct bl_arena tiny;
		enum bl_status status;

		REQUIRE(limit < 100000);
		bl_arena_init(&tiny, NULL, 0, limit);
		status = bl_decision_combine(&today, BL_CLASS_PERMISSION, true,
					     outcomes, 2, &tiny, &decision,
					     &err);
		bl_arena_clear(&tiny);
		if (status == BL_OK)
			break;
		failures++;
		CHECK_STATUS(status, BL_LIMIT);
		CHECK_STATUS(err.status, BL_LIMIT);
		CHECK(err.message[0] != '\0');
		CHECK_INT(decision.lost_updates, 77);
	}
	CHECK(failures > 10);
}

/* ---- several sources ---------------------------------------------------- */

static struct bl_decision both(struct bl_decision hooks,
			       struct bl_decision policies)
{
	struct bl_outcome outcomes[] = {
		bl_outcome_of_decision(BL_FROM_HOOK, &hooks),
		bl_outcome_of_decision(BL_FROM_POLICY, &policies),
	};

	return combine_with(&bl_combine_sources, BL_CLASS_PERMISSION, true,
			    outcomes, 2);
}

/* Each verdict of the one with each of the other: the strictest. */
static void sources_strictest_wins(void)
{
	for (int i = 0; i < BL_VERDICT_COUNT; i++) {
		for (int j = 0; j < BL_VERDICT_COUNT; j++) {
			struct bl_decision made = both(
				(struct bl_decision){
					.verdict = (enum bl_verdict)i,
					.user_message = BL_STR("hooks") },
				(struct bl_decision){
					.verdict = (enum bl_verdict)j,
					.user_message = BL_STR("policies") });

			CHECK_INT(made.verdict, i > j ? i : j);
			if (made.verdict < BL_VERDICT_ASK || i == j)
				CHECK_STR(made.user_message,
					  "hooks\n\n---\n\npolicies");
			else
				CHECK_STR(made.user_message,
					  i > j ? "hooks" : "policies");
		}
	}
}

/* A refusal is as strong as the strongest: halt, deny, block. */
static void sources_keep_attributes(void)
{
	struct bl_decision deny = { .verdict = BL_VERDICT_DENY };
	struct bl_decision halt = { .verdict = BL_VERDICT_DENY,
				    .attributes = BL_HALTS };
	struct bl_decision block = { .verdict = BL_VERDICT_DENY,
				     .attributes = BL_FEEDBACK };
	struct bl_decision made = both(deny, halt);

	CHECK_INT(bl_decision_verb(&made), BL_VERB_HALT);
	made = both(block, deny);
	CHECK_INT(bl_decision_verb(&made), BL_VERB_DENY);
	made = both(deny, block);
	CHECK_INT(bl_decision_verb(&made), BL_VERB_DENY);
	made = both(block, (struct bl_decision){ .verdict = BL_VERDICT_ALLOW });
	CHECK_INT(bl_decision_verb(&made), BL_VERB_BLOCK);
}

/* The later source was given the input of the earlier one. */
static void sources_last_rewrite_counts(void)
{
	struct bl_decision made = both(
		(struct bl_decision){
			.verdict = BL_VERDICT_ALLOW,
			.updated_input = json("{\"command\":\"one\"}"),
			.additional_context = json("[\"a\",\"b\"]") },
		(struct bl_decision){ .updated_input =
					      json("{\"command\":\"two\"}"),
				      .additional_context = json("[\"c\"]") });

	CHECK_INT(bl_decision_verb(&made), BL_VERB_MODIFY);
	check_json(made.updated_input, "{\"command\":\"two\"}");
	check_json(made.additional_context, "[\"a\",\"b\",\"c\"]");
	made = both((struct bl_decision){ .updated_input = json(
						  "{\"command\":\"one\"}") },
		    (struct bl_decision){ .verdict = BL_VERDICT_NONE });
	check_json(made.updated_input, "{\"command\":\"one\"}");
}

static void inputs_merge_deep(void)
{
	check_json(bl_decision_merge_input(
			   &arena, json("{\"a\":{\"b\":1,\"c\":2},\"d\":3}"),
			   json("{\"a\":{\"c\":4},\"e\":5}")),
		   "{\"a\":{\"c\":4,\"b\":1},\"e\":5,\"d\":3}");
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(no_outcomes_is_none);
	RUN(small_model_of_permission);
	RUN(small_model_of_prompt);
	RUN(order_does_not_matter);
	RUN(classes_ignore_what_they_do_not_know);
	RUN(effects_by_class_and_fail_closed);
	RUN(ask_effect_needs_a_step_that_asks);
	RUN(refusals_are_joined_in_order);
	RUN(prompt_messages_only_when_refused);
	RUN(observing_hooks_all_speak);
	RUN(messages_keep_every_byte);
	RUN(one_winner);
	RUN(contexts_are_all_kept);
	RUN(env_is_merged_by_key);
	RUN(plugin_paths_are_a_union);
	RUN(first_answer_is_everything);
	RUN(first_deny_is_kept);
	RUN(no_valid_answer_is_none);
	RUN(refusal_by_a_source_beats_the_first_answer);
	RUN(all_combine_without_first_wins_has_no_first_answer);
	RUN(out_of_memory_is_reported);
	RUN(sources_strictest_wins);
	RUN(sources_keep_attributes);
	RUN(sources_last_rewrite_counts);
	RUN(inputs_merge_deep);
	bl_arena_clear(&arena);
	return tap_end();
}

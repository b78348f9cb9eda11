/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is foretold of an event (`belay explain --capabilities`,
 * docs/reference/capabilities.md) is what the answers say: for every agent,
 * event and ruling the answer is encoded, its bytes are read as the agent reads
 * them (docs/contracts/agents.md "Claude Code: responses", "Factory Droid",
 * "OpenCode"; docs/contracts/cursor.md "Events"), and compared.
 */
#include "agents_test.h"

#define REASON  "the-reason"
#define CONTEXT "the-context"
#define CHANGED "the-changed-command"

/* ---- one answer ------------------------------------------------------------ */

struct asked {
	enum bl_agent agent;
	const struct bl_guest_event *event;
	enum bl_ruling_verb verb;
	bool has_context;
	bool passes_unmodified;
};

/* A payload with every field that answers depend on. */
static struct bl_value payload_of(const struct asked *asked)
{
	const char *name = asked->event->name[0] ? asked->event->name : "New";
	struct bl_value payload = bl_value_undefined();
	struct bl_str text = bl_arena_printf(
		&arena,
		"{\"hook_event_name\":\"%s\",\"hookEventName\":\"%s\","
		"\"transcript_path\":\"/t\",\"takes_input\":true,"
		"\"tool_name\":\"Bash\",\"tool\":\"bash\","
		"\"tool_input\":{\"command\":\"old\"},"
		"\"args\":{\"command\":\"old\"}}",
		name, name);

	CHECK(!bl_json_read(&arena, text, NULL, &payload, NULL, NULL, NULL));
	return payload;
}

static struct bl_guest_options options_of(const struct asked *asked)
{
	return (struct bl_guest_options){
		.passes_unmodified = asked->passes_unmodified,
	};
}

static bool encode(const struct asked *asked, struct bl_guest_answer *answer)
{
	const struct bl_guest_facts facts = { .detected_by = NULL };
	const struct bl_guest_options options = options_of(asked);
	struct bl_guest_request request;
	struct bl_ruling ruling = { .verb = asked->verb };

	if (asked->verb != BL_RULING_ALLOW)
		ruling.reason = BL_STR(REASON);
	if (asked->has_context)
		ruling.context = json("[\"" CONTEXT "\"]");
	if (asked->verb == BL_RULING_MODIFY)
		ruling.updated_input = json("{\"command\":\"" CHANGED "\"}");
	return !bl_guest_decode(asked->agent, payload_of(asked), &facts, &arena,
				&request, NULL) &&
	       request.event == asked->event &&
	       !bl_guest_encode(&request, &ruling, &options, &arena, answer,
				NULL);
}

/* ---- reading it as the agent does ----------------------------------------- */

static bool has(struct bl_str text, const char *part)
{
	return bl_str_find(text, bl_str(part), 0) != SIZE_MAX;
}

static bool is_any(struct bl_str text, const char *const *parts)
{
	while (*parts && !has(text, *parts))
		parts++;
	return *parts != NULL;
}

static const char *const refusals[] = { "\"permission\":\"deny\"",
					"\"permissionDecision\":\"deny\"",
					"\"decision\":\"deny\"",
					"\"decision\":\"block\"",
					"\"behavior\":\"deny\"",
					"\"action\":\"decline\"",
					"\"continue\":false",
					"\"followup_message\"",
					NULL };
static const char *const questions[] = { "\"permission\":\"ask\"",
					 "\"permissionDecision\":\"ask\"",
					 "\"decision\":\"ask\"", NULL };
static const char *const changes[] = { "\"updated_input\"", "\"updatedInput\"",
				       NULL };

/* Where silence has the user asked by the agent itself. */
static bool asks_by_itself(const struct asked *asked)
{
	return asked->agent == BL_AGENT_CLAUDE &&
	       (!strcmp(asked->event->name, "PermissionRequest") ||
		!strcmp(asked->event->name, "Elicitation"));
}

static void complain(const struct asked *asked, const char *what,
		     struct bl_str output)
{
	tap_failures++;
	TAP_NOTE("%s %s, %s%s%s: %s: %.*s", bl_agent_name(asked->agent),
		 asked->event->name, bl_ruling_verb_name(asked->verb),
		 asked->has_context ? " with context" : "",
		 asked->passes_unmodified ? ", passing" : "", what,
		 BL_STR_ARG(output));
}

#define EXPECT(condition)                                                      \
	do {                                                                   \
		if (!(condition))                                              \
			complain(asked, #condition, output);                   \
	} while (0)
#define LOSES(name) ((foretold.losses >> BL_GUEST_LOSS_##name & 1) != 0)

/* What the foretold effect must look like. */
static void check_effect(const struct asked *asked,
			 struct bl_guest_effect foretold,
			 const struct bl_guest_answer *answer)
{
	struct bl_str output = answer->output;
	bool refuses = is_any(output, refusals) || answer->exit_code == 2;
	bool asks = is_any(output, questions);
	bool reason_is_there =
		has(output, REASON) || has(answer->errors, REASON);

	switch (foretold.effect) {
	case BL_RULING_HALT:
	case BL_RULING_DENY:
		/* OpenCode's plugin throws when it is told to ask. */
		EXPECT(refuses || (asks && asked->agent == BL_AGENT_OPENCODE));
		EXPECT(reason_is_there != LOSES(REASON_DROPPED));
		break;
	case BL_RULING_ASK:
		EXPECT(!refuses);
		EXPECT(asks != asks_by_itself(asked));
		EXPECT(!asks || reason_is_there);
		break;
	case BL_RULING_MODIFY:
		EXPECT(!refuses && !asks);
		EXPECT(is_any(output, changes) && has(output, CHANGED));
		break;
	case BL_RULING_ALLOW:
		EXPECT(asked->verb == BL_RULING_ALLOW || foretold.losses);
		EXPECT(!asks || LOSES(ASK_TOLD));
		EXPECT(!refuses || LOSES(REFUSAL) || LOSES(REFUSAL_FEEDBACK));
		break;
	case BL_RULING_BLOCK:
	case BL_RULING_COUNT:
		complain(asked, "no effect of an answer", output);
		break;
	}
}

static void check_losses(const struct asked *asked,
			 struct bl_guest_effect foretold,
			 const struct bl_guest_answer *answer)
{
	struct bl_str output = answer->output;

	EXPECT(!LOSES(ASK_DENIED) || foretold.effect >= BL_RULING_DENY);
	EXPECT(!LOSES(ASK_TOLD) || has(output, REASON));
	EXPECT(!LOSES(REFUSAL_FEEDBACK) || has(output, REASON));
	EXPECT(!LOSES(REWRITE_TOLD) || has(output, REASON));
	EXPECT(!LOSES(REWRITE_DENIED) ||
	       (foretold.effect >= BL_RULING_DENY && has(output, CHANGED)));
	EXPECT(!LOSES(REWRITE_DROPPED) || !has(output, CHANGED));
	EXPECT(!LOSES(HALT_DENIED) || asked->verb == BL_RULING_HALT);
	EXPECT(asked->verb != BL_RULING_HALT ||
	       foretold.effect == BL_RULING_HALT || LOSES(HALT_DENIED) ||
	       LOSES(REFUSAL) || LOSES(REFUSAL_FEEDBACK));
	if (asked->has_context)
		EXPECT(has(output, CONTEXT) != LOSES(CONTEXT_DROPPED));
	if (LOSES(CONTEXT_USER))
		EXPECT(has(output, CONTEXT) &&
		       !has(output, "dditionalContext") &&
		       !has(output, "additional_context"));
}

static void check_one(const struct asked *asked)
{
	const struct bl_guest_options options = options_of(asked);
	struct bl_guest_effect foretold = bl_guest_foretell(
		asked->event, asked->verb, asked->has_context, &options);
	struct bl_guest_answer answer;

	if (!encode(asked, &answer)) {
		complain(asked, "no answer", BL_STR(""));
		return;
	}
	if (foretold.effect != answer.effect ||
	    foretold.losses != answer.losses)
		complain(asked, "the answer differs", answer.output);
	check_effect(asked, foretold, &answer);
	check_losses(asked, foretold, &answer);
}

/* ---- all of them ------------------------------------------------------------- */

static void check_event(enum bl_agent agent, const struct bl_guest_event *event)
{
	for (enum bl_ruling_verb verb = 0; verb < BL_RULING_COUNT; verb++)
		for (int i = 0; i < 4; i++)
			check_one(&(struct asked){ agent, event, verb, i & 1,
						   i & 2 });
}

static void answers_are_as_foretold(void)
{
	for (enum bl_agent agent = 0; agent < BL_AGENT_COUNT; agent++) {
		size_t count;
		const struct bl_guest_event *events =
			bl_guest_events(agent, &count);

		for (size_t i = 0; i < count; i++)
			check_event(agent, &events[i]);
		check_event(agent, bl_guest_unknown_event(agent));
	}
}

/* ---- the abilities of the rows ------------------------------------------------ */

static struct bl_guest_effect effect_of(const struct bl_guest_event *event,
					enum bl_ruling_verb verb, bool context)
{
	return bl_guest_foretell(event, verb, context,
				 &(struct bl_guest_options){ 0 });
}

static void check_abilities(enum bl_agent agent,
			    const struct bl_guest_event *event)
{
	const struct asked row = { .agent = agent, .event = event };
	const struct asked *asked = &row;
	struct bl_str output = BL_STR("");
	struct bl_guest_effect foretold =
		effect_of(event, BL_RULING_DENY, false);
	unsigned can = event->abilities;
	bool stops =
		foretold.effect >= BL_RULING_DENY && !LOSES(REFUSAL_FEEDBACK);

	EXPECT(stops == ((can & (BL_GUEST_CAN_REFUSE | BL_GUEST_CAN_CONTINUE |
				 BL_GUEST_CAN_HALT)) != 0));
	EXPECT(!LOSES(REFUSAL_FEEDBACK) ||
	       (can & (BL_GUEST_CAN_FEEDBACK | BL_GUEST_CAN_CONTEXT)) != 0);
	foretold = effect_of(event, BL_RULING_HALT, false);
	EXPECT((foretold.effect == BL_RULING_HALT) ==
	       ((can & BL_GUEST_CAN_HALT) != 0));
	foretold = effect_of(event, BL_RULING_ASK, false);
	EXPECT((foretold.effect == BL_RULING_ASK) ==
	       ((can & BL_GUEST_CAN_ASK) != 0));
	foretold = effect_of(event, BL_RULING_MODIFY, false);
	EXPECT((foretold.effect == BL_RULING_MODIFY) ==
	       ((can & BL_GUEST_CAN_REWRITE) != 0));
	foretold = effect_of(event, BL_RULING_ALLOW, true);
	EXPECT((!LOSES(CONTEXT_USER) && !LOSES(CONTEXT_DROPPED)) ==
	       ((can & BL_GUEST_CAN_CONTEXT) != 0));
}

static void abilities_are_as_foretold(void)
{
	for (enum bl_agent agent = 0; agent < BL_AGENT_COUNT; agent++) {
		size_t count;
		const struct bl_guest_event *events =
			bl_guest_events(agent, &count);

		for (size_t i = 0; i < count; i++)
			check_abilities(agent, &events[i]);
		check_abilities(agent, bl_guest_unknown_event(agent));
	}
}

/* 20.3: under bypass or dontAsk, "ask" takes the fallback, which denies. */
static void nobody_to_ask(void)
{
	const char *const *modes = bl_guest_unattended_modes(BL_AGENT_CLAUDE);

	REQUIRE(modes != NULL);
	CHECK_STR(bl_str(modes[0]), "bypassPermissions");
	CHECK_STR(bl_str(modes[1]), "dontAsk");
	CHECK(!modes[2]);
	CHECK(!bl_guest_unattended_modes(BL_AGENT_CURSOR));
	CHECK(!bl_guest_unattended_modes(BL_AGENT_OPENCODE));
}

/* Fields of answers that not every version of a sender takes. */
static void some_depend_on_the_payload(void)
{
	static const struct {
		enum bl_agent agent;
		const char *event;
		enum bl_ruling_verb verb;
		const char *field; /* NULL: none */
	} rows[] = {
		{ BL_AGENT_CURSOR, "beforeReadFile", BL_RULING_DENY,
		  "transcript_path" },
		{ BL_AGENT_CURSOR, "beforeReadFile", BL_RULING_ALLOW, NULL },
		{ BL_AGENT_CURSOR, "preToolUse", BL_RULING_MODIFY, NULL },
		{ BL_AGENT_OPENCODE, "PreToolUse", BL_RULING_MODIFY,
		  "takes_input" },
		{ BL_AGENT_OPENCODE, "PreToolUse", BL_RULING_DENY, NULL },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		size_t count;
		const struct bl_guest_event *events =
			bl_guest_events(rows[i].agent, &count);
		const char *field = "none";

		for (size_t j = 0; j < count; j++)
			if (!strcmp(events[j].name, rows[i].event))
				field = effect_of(&events[j], rows[i].verb,
						  false)
						.only_with;
		CHECK_STR(bl_str(field ? field : ""),
			  rows[i].field ? rows[i].field : "");
	}
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(answers_are_as_foretold);
	RUN(abilities_are_as_foretold);
	RUN(nobody_to_ask);
	RUN(some_depend_on_the_payload);
	bl_arena_clear(&arena);
	return tap_end();
}

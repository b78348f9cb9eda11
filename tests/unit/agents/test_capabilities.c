/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preview of a decision (`belay explain --capabilities`,
 * docs/reference/capabilities.md) is what the responses say: for every agent,
 * event and decision the response is encoded, its bytes are read as the agent
 * reads them, and compared.
 */
#include "agents_test.h"

#define REASON  "the-reason"
#define CONTEXT "the-context"
#define CHANGED "the-changed-command"

/* ---- one answer ------------------------------------------------------------ */

struct asked {
	const struct bl_agent *agent;
	const struct bl_hook_event *event;
	enum bl_verb verb;
	bool has_context;
	bool passes_unmodified;
};

/* A payload with every field that answers depend on. */
static struct bl_value payload_of(const struct asked *asked)
{
	const char *name = asked->event->name[0] ? asked->event->name : "New";
	struct bl_value payload = bl_value_undefined();
	const char *tool = asked->event->name[0]
				   ? ",\"tool_name\":\"Bash\",\"tool\":"
				     "\"bash\",\"tool_input\":{\"command\":"
				     "\"old\"},\"args\":{\"command\":\"old\"},"
				     "\"tool_call\":{\"name\":\"bash\","
				     "\"input\":{\"command\":\"old\"}},"
				     "\"toolCall\":{\"name\":\"bash\","
				     "\"args\":{\"command\":\"old\"}}"
				   : "";
	struct bl_str text = bl_arena_printf(
		&arena,
		"{\"hook_event_name\":\"%s\",\"hookEventName\":\"%s\","
		"\"transcript_path\":\"/t\",\"takes_input\":true%s}",
		name, name, tool);

	CHECK(!bl_json_read(&arena, text, NULL, &payload, NULL, NULL, NULL));
	return payload;
}

static struct bl_response_options options_of(const struct asked *asked)
{
	return (struct bl_response_options){
		.passes_unmodified = asked->passes_unmodified,
	};
}

/* A decision in one of the words for it. */
static struct bl_decision decision_of(enum bl_verb verb)
{
	return (struct bl_decision){
		.verdict = bl_verb_verdict(verb),
		.attributes = bl_verb_attributes(verb),
	};
}

static bool encode(const struct asked *asked, struct bl_response *answer)
{
	const struct bl_agent_facts facts = { .detected_by = NULL };
	const struct bl_response_options options = options_of(asked);
	struct bl_agent_request request;
	struct bl_decision decision = decision_of(asked->verb);

	if (asked->verb != BL_VERB_ALLOW)
		decision.user_message = BL_STR(REASON);
	if (asked->has_context)
		decision.additional_context = json("[\"" CONTEXT "\"]");
	if (asked->verb == BL_VERB_MODIFY)
		decision.updated_input = json("{\"command\":\"" CHANGED "\"}");
	return !bl_agent_decode(asked->agent, payload_of(asked), &facts, &arena,
				&request, NULL) &&
	       request.event == asked->event &&
	       !bl_agent_encode(&request, &decision, &options, &arena, answer,
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
					"\"cancel\":true",
					"\"action\":\"block\"",
					"\"decision\":\"continue\"",
					"{\"reason\":",
					"],\"reason\":",
					NULL };
static const char *const questions[] = { "\"permission\":\"ask\"",
					 "\"permissionDecision\":\"ask\"",
					 "\"decision\":\"ask\"",
					 "\"decision\":\"force_ask\"", NULL };
static const char *const changes[] = { "\"updated_input\"",
				       "\"updatedInput\"",
				       "\"tool_input\"",
				       "\"overrideInput\"",
				       "\"action\":\"modify\"",
				       "\"arguments\"",
				       NULL };

/* Where silence has the user asked by the agent itself. */
static bool asks_by_itself(const struct asked *asked)
{
	return !strcmp(asked->event->name, "PermissionRequest") ||
	       !strcmp(asked->event->name, "Elicitation");
}

static void complain(const struct asked *asked, const char *what,
		     struct bl_str output)
{
	tap_failures++;
	TAP_NOTE("%s %s, %s%s%s: %s: %.*s", asked->agent->name,
		 asked->event->name, bl_verb_name(asked->verb),
		 asked->has_context ? " with context" : "",
		 asked->passes_unmodified ? ", passing" : "", what,
		 BL_STR_ARG(output));
}

#define EXPECT(condition)                                                      \
	do {                                                                   \
		if (!(condition))                                              \
			complain(asked, #condition, output);                   \
	} while (0)
#define DEGRADES(name) ((preview.degradations >> BL_DEGRADED_##name & 1) != 0)

/* belay's plugins throw when they are told to ask. */
static bool has_plugin(const struct bl_agent *agent)
{
	return agent->registration &&
	       agent->registration->form == BL_REGISTRATION_PLUGIN;
}

/* The expected form of the preview effect. */
static void check_effect(const struct asked *asked,
			 struct bl_response_preview preview,
			 const struct bl_response *answer)
{
	struct bl_str output = answer->output;
	bool refuses = is_any(output, refusals) || answer->exit_code == 2;
	bool asks = is_any(output, questions);
	bool reason_is_there =
		has(output, REASON) || has(answer->errors, REASON);

	switch (preview.effect) {
	case BL_VERB_HALT:
	case BL_VERB_DENY:
		/* OpenCode's plugin throws when it is told to ask. */
		EXPECT(refuses || (asks && has_plugin(asked->agent)));
		EXPECT(reason_is_there != DEGRADES(REASON_DROPPED));
		break;
	case BL_VERB_ASK:
		EXPECT(!refuses);
		EXPECT(asks != asks_by_itself(asked));
		EXPECT(!asks || reason_is_there);
		break;
	case BL_VERB_MODIFY:
		EXPECT(!refuses && !asks);
		EXPECT(is_any(output, changes) && has(output, CHANGED));
		break;
	case BL_VERB_ALLOW:
		EXPECT(asked->verb == BL_VERB_ALLOW || preview.degradations);
		EXPECT(!asks || DEGRADES(ASK_TOLD));
		EXPECT(!refuses || DEGRADES(REFUSAL) ||
		       DEGRADES(REFUSAL_FEEDBACK));
		break;
	case BL_VERB_BLOCK:
	case BL_VERB_ADD_CONTEXT:
	case BL_VERB_COUNT:
		complain(asked, "no effect of an answer", output);
		break;
	}
}

static void check_degradations(const struct asked *asked,
			       struct bl_response_preview preview,
			       const struct bl_response *answer)
{
	struct bl_str output = answer->output;

	EXPECT(!DEGRADES(ASK_DENIED) || preview.effect >= BL_VERB_DENY);
	EXPECT(!DEGRADES(ASK_TOLD) || has(output, REASON));
	EXPECT(!DEGRADES(REFUSAL_FEEDBACK) || has(output, REASON) ||
	       has(answer->errors, REASON));
	EXPECT(!DEGRADES(REWRITE_TOLD) || has(output, REASON));
	EXPECT(!DEGRADES(REWRITE_DENIED) ||
	       (preview.effect >= BL_VERB_DENY &&
		(has(output, CHANGED) || has(answer->errors, CHANGED))));
	EXPECT(!DEGRADES(REWRITE_DROPPED) || !has(output, CHANGED));
	EXPECT(!DEGRADES(HALT_DENIED) || asked->verb == BL_VERB_HALT);
	EXPECT(asked->verb != BL_VERB_HALT || preview.effect == BL_VERB_HALT ||
	       DEGRADES(HALT_DENIED) || DEGRADES(REFUSAL) ||
	       DEGRADES(REFUSAL_FEEDBACK));
	if (asked->has_context)
		EXPECT((has(output, CONTEXT) || has(answer->errors, CONTEXT)) !=
		       DEGRADES(CONTEXT_DROPPED));
	if (DEGRADES(CONTEXT_USER))
		EXPECT(has(output, CONTEXT) &&
		       !has(output, "dditionalContext") &&
		       !has(output, "additional_context"));
}

/*
 * Whatever belay says may not loosen what the agent would do alone: a word that
 * grants is never said to an agent that takes it for one (Claude Code and Droid
 * skip their own question then; docs/contracts/agents.md "Measured").  Cursor's
 * "allow" grants nothing, and without it a failClosed hook refuses; OpenCode's
 * is read by belay's plugin, which then does nothing; Codex's sandbox and
 * approvals decide all the same, and it takes no change without the word.
 * Kilo's and Amp's plugins read it as OpenCode's does; Antigravity's documents
 * say that it suppresses no question of its own, and that an answer must be there.
 */
static const char *const grants[] = {
	"\"permissionDecision\":\"allow\"", "\"behavior\":\"allow\"",
	"\"decision\":\"allow\"",           "\"decision\":\"approve\"",
	"\"permission\":\"allow\"",         NULL
};
static const char *const grants_nothing[] = {
	"cursor", "opencode", "codex", "kilo", "amp", "antigravity", NULL
};

static void check_grant(const struct asked *asked,
			const struct bl_response *answer)
{
	struct bl_str output = answer->output;
	bool is_free = false;

	for (size_t i = 0; grants_nothing[i]; i++)
		is_free |= !strcmp(asked->agent->name, grants_nothing[i]);
	EXPECT(is_free || !is_any(output, grants));
	/* A refused or asked event does not pass where it can be stopped. */
	EXPECT(asked->verb < BL_VERB_ASK ||
	       !bl_hook_event_fails_closed(asked->event) ||
	       answer->effect >= BL_VERB_ASK);
	EXPECT(asked->verb != BL_VERB_MODIFY || asked->passes_unmodified ||
	       bl_hook_event_policy_kind(asked->event, NULL) !=
		       BL_EVENT_TOOL_BEFORE ||
	       answer->effect >= BL_VERB_MODIFY);
}

static void check_one(const struct asked *asked)
{
	const struct bl_response_options options = options_of(asked);
	struct bl_response_preview preview = bl_agent_preview(
		asked->event, asked->verb, asked->has_context, &options);
	struct bl_response answer;

	if (!encode(asked, &answer)) {
		complain(asked, "no answer", BL_STR(""));
		return;
	}
	if (preview.effect != answer.effect ||
	    preview.degradations != answer.degradations)
		complain(asked, "the answer differs", answer.output);
	check_effect(asked, preview, &answer);
	check_degradations(asked, preview, &answer);
	check_grant(asked, &answer);
}

/* ---- all of them ------------------------------------------------------------- */

static void check_event(const struct bl_agent *agent,
			const struct bl_hook_event *event)
{
	for (enum bl_verb verb = 0; verb < BL_VERB_COUNT; verb++)
		/* Context comes with any of the others. */
		for (int i = 0; verb != BL_VERB_ADD_CONTEXT && i < 4; i++)
			check_one(&(struct asked){ agent, event, verb, i & 1,
						   i & 2 });
}

static void responses_are_as_previewed(void)
{
	for (size_t i = 0; bl_agents[i]; i++) {
		const struct bl_agent *agent = bl_agents[i];

		for (size_t j = 0; j < agent->event_count; j++)
			check_event(agent, &agent->events[j]);
		check_event(agent, &agent->unknown);
	}
}

/* ---- the capabilities of the rows ------------------------------------------------ */

static struct bl_response_preview effect_of(const struct bl_hook_event *event,
					    enum bl_verb verb, bool context)
{
	return bl_agent_preview(event, verb, context,
				&(struct bl_response_options){ 0 });
}

static void check_capabilities(const struct bl_agent *agent,
			       const struct bl_hook_event *event)
{
	const struct asked row = { .agent = agent, .event = event };
	const struct asked *asked = &row;
	struct bl_str output = BL_STR("");
	struct bl_response_preview preview =
		effect_of(event, BL_VERB_DENY, false);
	unsigned can = event->capabilities;
	bool stops =
		preview.effect >= BL_VERB_DENY && !DEGRADES(REFUSAL_FEEDBACK);

	EXPECT(stops ==
	       ((can & (BL_CAN_REFUSE | BL_CAN_CONTINUE | BL_CAN_HALT)) != 0));
	EXPECT(!DEGRADES(REFUSAL_FEEDBACK) ||
	       (can & (BL_CAN_FEEDBACK | BL_CAN_CONTEXT)) != 0);
	preview = effect_of(event, BL_VERB_HALT, false);
	EXPECT((preview.effect == BL_VERB_HALT) == ((can & BL_CAN_HALT) != 0));
	preview = effect_of(event, BL_VERB_ASK, false);
	EXPECT((preview.effect == BL_VERB_ASK) == ((can & BL_CAN_ASK) != 0));
	preview = effect_of(event, BL_VERB_MODIFY, false);
	EXPECT((preview.effect == BL_VERB_MODIFY) ==
	       ((can & BL_CAN_REWRITE) != 0));
	preview = effect_of(event, BL_VERB_ALLOW, true);
	EXPECT((!DEGRADES(CONTEXT_USER) && !DEGRADES(CONTEXT_DROPPED)) ==
	       ((can & BL_CAN_CONTEXT) != 0));
}

static void capabilities_are_as_previewed(void)
{
	for (size_t i = 0; bl_agents[i]; i++) {
		const struct bl_agent *agent = bl_agents[i];

		for (size_t j = 0; j < agent->event_count; j++)
			check_capabilities(agent, &agent->events[j]);
		check_capabilities(agent, &agent->unknown);
	}
}

/* 20.3: under bypass or dontAsk, "ask" takes the fallback, which denies. */
static void nobody_to_ask(void)
{
	const char *const *modes = AGENT("claude")->unattended_modes;

	REQUIRE(modes != NULL);
	CHECK_STR(bl_str(modes[0]), "bypassPermissions");
	CHECK_STR(bl_str(modes[1]), "dontAsk");
	CHECK(!modes[2]);
	CHECK(!AGENT("cursor")->unattended_modes);
	CHECK(!AGENT("opencode")->unattended_modes);
}

/* Fields of answers that not every version of a sender takes. */
static void some_depend_on_the_payload(void)
{
	static const struct {
		const char *agent;
		const char *event;
		enum bl_verb verb;
		const char *field; /* NULL: none */
	} rows[] = {
		{ "cursor", "beforeReadFile", BL_VERB_DENY, "transcript_path" },
		{ "cursor", "beforeReadFile", BL_VERB_ALLOW, NULL },
		{ "cursor", "preToolUse", BL_VERB_MODIFY, NULL },
		{ "opencode", "PreToolUse", BL_VERB_MODIFY, "takes_input" },
		{ "opencode", "PreToolUse", BL_VERB_DENY, NULL },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		const struct bl_hook_event *event = bl_agent_find_event(
			bl_agent_find(bl_str(rows[i].agent)),
			bl_str(rows[i].event));
		const char *field;

		REQUIRE(event);
		field = effect_of(event, rows[i].verb, false).only_with;
		CHECK_STR(bl_str(field ? field : ""),
			  rows[i].field ? rows[i].field : "");
	}
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(responses_are_as_previewed);
	RUN(capabilities_are_as_previewed);
	RUN(nobody_to_ask);
	RUN(some_depend_on_the_payload);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* docs/contracts/cursor.md "Matchers", "Loop limits"; trust. */
#include "tap.h"

#include "json/json.h"
#include "world.h"

static const struct bl_hook_event *step_of(const char *name)
{
	return bl_contract_find(set.contract, bl_str(name));
}

static struct bl_value json(const char *text)
{
	struct bl_value value;

	CHECK_STATUS(bl_json_read(&arena, bl_str(text), NULL, &value, NULL,
				  NULL, &error),
		     BL_OK);
	return value;
}

static enum bl_match match_first(const char *event_name, const char *payload)
{
	return bl_hook_match(&set, &set.hooks[0], step_of(event_name),
			     json(payload), &arena);
}

static void load_text(const char *text)
{
	put(USER, text);
	CHECK_STATUS(load(), BL_OK);
	CHECK_INT(set.hook_count, 1);
}

/* One hook of step with that matcher (JSON), against a payload. */
static const struct {
	const char *hook_event;
	const char *matcher;
	const char *payload;
	enum bl_match expected;
} cases[] = {
	{ "preToolUse", "Shell", "{\"tool_name\":\"Shell\"}", BL_MATCH_RUNS },
	{ "preToolUse", "Shell", "{\"tool_name\":\"Read\"}",
	  BL_MATCH_NO_MATCH },
	{ "preToolUse", "hell", "{\"tool_name\":\"Shell\"}", BL_MATCH_RUNS },
	{ "preToolUse", "^hell", "{\"tool_name\":\"Shell\"}",
	  BL_MATCH_NO_MATCH },
	{ "preToolUse", "Shell|Write", "{\"tool_name\":\"Write\"}",
	  BL_MATCH_RUNS },
	{ "preToolUse", "(s|S)hell", "{\"tool_name\":\"Shell\"}",
	  BL_MATCH_RUNS },
	{ "preToolUse", "sh.*", "{\"tool_name\":\"Shell\"}",
	  BL_MATCH_NO_MATCH }, /* case counts */
	{ "preToolUse", "MCP:git", "{\"tool_name\":\"MCP:github\"}",
	  BL_MATCH_RUNS },
	/* No subject in the payload: the hook runs. */
	{ "preToolUse", "Shell", "{}", BL_MATCH_RUNS },
	{ "preToolUse", "Shell", "{\"tool_name\":5}", BL_MATCH_RUNS },
	{ "beforeShellExecution", "git", "{\"command\":\"cat digit\"}",
	  BL_MATCH_RUNS },
	{ "beforeShellExecution", "\\\\bgit\\\\s+push",
	  "{\"command\":\"git  push -f\"}", BL_MATCH_RUNS },
	{ "beforeShellExecution", "\\\\bgit\\\\s+push",
	  "{\"command\":\"digit push\"}", BL_MATCH_NO_MATCH },
	{ "beforeShellExecution", "gh ", "{\"command\":\"gh\"}",
	  BL_MATCH_NO_MATCH },
	{ "beforeMCPExecution", "^MCP:search$", "{\"tool_name\":\"search\"}",
	  BL_MATCH_RUNS },
	{ "beforeMCPExecution", "^search$", "{\"tool_name\":\"search\"}",
	  BL_MATCH_NO_MATCH },
	{ "beforeReadFile", "Read", "{\"file_path\":\"/x\"}", BL_MATCH_RUNS },
	{ "afterFileEdit", "Write", "{\"file_path\":\"/x\"}", BL_MATCH_RUNS },
	{ "beforeTabFileRead", "TabRead", "{}", BL_MATCH_RUNS },
	{ "afterTabFileEdit", "TabWrite", "{}", BL_MATCH_RUNS },
	{ "beforeSubmitPrompt", "UserPromptSubmit", "{\"prompt\":\"x\"}",
	  BL_MATCH_RUNS },
	{ "stop", "Stop", "{\"status\":\"completed\"}", BL_MATCH_RUNS },
	{ "stop", "completed", "{\"status\":\"completed\"}",
	  BL_MATCH_NO_MATCH },
	{ "afterAgentResponse", "AgentResponse", "{}", BL_MATCH_RUNS },
	{ "afterAgentThought", "AgentThought", "{}", BL_MATCH_RUNS },
	{ "subagentStart", "explore|shell", "{\"subagent_type\":\"shell\"}",
	  BL_MATCH_RUNS },
	{ "subagentStop", "explore", "{\"subagent_type\":\"shell\"}",
	  BL_MATCH_NO_MATCH },
	/* Steps without a subject: recorded for sessionStart. */
	{ "sessionStart", "never", "{}", BL_MATCH_RUNS },
	{ "sessionEnd", "never", "{}", BL_MATCH_RUNS },
	{ "preCompact", "never", "{}", BL_MATCH_RUNS },
	{ "workspaceOpen", "never", "{}", BL_MATCH_RUNS },
	{ "stop", "", "{}", BL_MATCH_RUNS },
	{ "stop", "*", "{}", BL_MATCH_RUNS },
	{ "stop", ".*", "{}", BL_MATCH_RUNS },
	/* Not regular. */
	{ "preToolUse", "^(?!Shell)", "{\"tool_name\":\"Shell\"}",
	  BL_MATCH_NO_MATCH },
	{ "preToolUse", "^(?!Shell)", "{\"tool_name\":\"Read\"}",
	  BL_MATCH_RUNS },
	{ "beforeShellExecution", "(a)\\\\1", "{\"command\":\"xaay\"}",
	  BL_MATCH_RUNS },
	/* Catastrophic where a backtracking engine would run it. */
	{ "beforeShellExecution", "^(a+)+$",
	  "{\"command\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"}",
	  BL_MATCH_NO_MATCH },
	{ "beforeShellExecution", "^(a+)+\\\\1?$",
	  "{\"command\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"}",
	  BL_MATCH_RUNS_LIMIT },
};

static void matchers(void)
{
	new_world("cursor");
	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		enum bl_match match;

		load_text(bl_arena_printf(
				  &arena,
				  "{\"version\":1,\"hooks\":{\"%s\":[{"
				  "\"command\":\"x\",\"matcher\":\"%s\"}]}}",
				  cases[i].hook_event, cases[i].matcher)
				  .ptr);
		if (set.hook_count != 1)
			continue;
		match = match_first(cases[i].hook_event, cases[i].payload);
		if (match != cases[i].expected) {
			tap_failures++;
			TAP_NOTE("%s %s %s: %s, not %s", cases[i].hook_event,
				 cases[i].matcher, cases[i].payload,
				 bl_match_name(match),
				 bl_match_name(cases[i].expected));
		}
		bl_hook_set_clear(&set);
	}
}

static void other_step(void)
{
	new_world("cursor");
	load_text(ONE_STOP("x"));
	CHECK_INT(match_first("subagentStop", "{}"), BL_MATCH_OTHER_EVENT);
	CHECK_INT(match_first("stop", "{}"), BL_MATCH_RUNS);
}

/* Memory that runs out during the search lets the hook run. */
static void no_memory_for_the_search(void)
{
	char tiny[16];
	struct bl_arena none;
	struct bl_buf payload;

	new_world("cursor");
	load_text(FILE_WITH("beforeShellExecution",
			    "{\"command\":\"x\",\"matcher\":"
			    "\"(a|b)*c[0-9]{90}\"}"));
	bl_arena_init(&none, tiny, sizeof(tiny), 1);
	bl_buf_init(&payload, 0);
	/* Long enough for a search that needs memory. */
	bl_buf_puts(&payload, "{\"command\":\"");
	for (int i = 0; i < 1000; i++)
		bl_buf_puts(&payload, "ab");
	bl_buf_puts(&payload, "\"}");
	CHECK_INT(bl_hook_match(&set, &set.hooks[0],
				step_of("beforeShellExecution"),
				json(payload.ptr), &none),
		  BL_MATCH_RUNS_LIMIT);
	bl_buf_clear(&payload);
	bl_arena_clear(&none);
}

/* loop_limit and loop_count, under both profiles. */
static const struct {
	const char *option; /* of the stop hook */
	const char *payload;
	enum bl_match today;
	enum bl_match old;
} loops[] = {
	{ "", "{}", BL_MATCH_RUNS, BL_MATCH_RUNS },
	{ "", "{\"loop_count\":0}", BL_MATCH_RUNS, BL_MATCH_RUNS },
	{ "", "{\"loop_count\":4}", BL_MATCH_RUNS, BL_MATCH_RUNS },
	{ "", "{\"loop_count\":5}", BL_MATCH_LOOP_LIMIT, BL_MATCH_LOOP_LIMIT },
	{ "", "{\"loop_count\":5.0}", BL_MATCH_LOOP_LIMIT,
	  BL_MATCH_LOOP_LIMIT },
	{ "", "{\"loop_count\":4.5}", BL_MATCH_RUNS, BL_MATCH_RUNS },
	{ "", "{\"loop_count\":1e30}", BL_MATCH_LOOP_LIMIT,
	  BL_MATCH_LOOP_LIMIT },
	{ "", "{\"loop_count\":\"5\"}", BL_MATCH_RUNS, BL_MATCH_RUNS },
	{ "", "{\"loop_count\":null}", BL_MATCH_RUNS, BL_MATCH_RUNS },
	{ ",\"loop_limit\":2", "{\"loop_count\":1}", BL_MATCH_RUNS,
	  BL_MATCH_RUNS },
	{ ",\"loop_limit\":2", "{\"loop_count\":2}", BL_MATCH_LOOP_LIMIT,
	  BL_MATCH_RUNS },
	{ ",\"loop_limit\":8", "{\"loop_count\":7}", BL_MATCH_RUNS,
	  BL_MATCH_LOOP_LIMIT },
	{ ",\"loop_limit\":null", "{\"loop_count\":1000}", BL_MATCH_RUNS,
	  BL_MATCH_LOOP_LIMIT },
};

static void loop_limits(void)
{
	for (size_t i = 0; i < 2 * BL_COUNT(loops); i++) {
		size_t k = i / 2;

		new_world(profile_names[i % 2]);
		load_text(bl_arena_printf(&arena,
					  "{\"version\":1,\"hooks\":{\"stop\":"
					  "[{\"command\":\"x\"%s}]}}",
					  loops[k].option)
				  .ptr);
		CHECK_INT(match_first("stop", loops[k].payload),
			  i % 2 ? loops[k].old : loops[k].today);
	}
}

static void loop_limit_elsewhere(void)
{
	new_world("cursor");
	load_text(FILE_WITH("afterFileEdit",
			    "{\"command\":\"x\",\"loop_limit\":1}"));
	CHECK_INT(match_first("afterFileEdit", "{\"loop_count\":9}"),
		  BL_MATCH_RUNS);
	load_text(FILE_WITH("subagentStop",
			    "{\"command\":\"x\",\"loop_limit\":1}"));
	CHECK_INT(match_first("subagentStop", "{\"loop_count\":1}"),
		  BL_MATCH_LOOP_LIMIT);
}

static void prompt_hooks(void)
{
	new_world("cursor");
	load_text(FILE_WITH("preToolUse",
			    "{\"type\":\"prompt\",\"prompt\":\"p\","
			    "\"matcher\":\"Shell\"}"));
	CHECK_INT(match_first("preToolUse", "{\"tool_name\":\"Shell\"}"),
		  BL_MATCH_PROMPT);
	CHECK_INT(match_first("preToolUse", "{\"tool_name\":\"Read\"}"),
		  BL_MATCH_NO_MATCH);
}

/* ---- trust ---------------------------------------------------------- */

static void waiting_files(void)
{
	struct bl_trust_record record = { .added_ms = 1 };

	new_world("cursor");
	options.trust_all = false;
	put(PROJECT_1, FILE_WITH("preToolUse", "{\"command\":\"x\","
					       "\"matcher\":\"Shell\"}"));
	REQUIRE(load() == BL_OK);
	CHECK_INT(match_first("preToolUse", "{\"tool_name\":\"Shell\"}"),
		  BL_MATCH_UNTRUSTED);
	CHECK_INT(match_first("preToolUse", "{\"tool_name\":\"Read\"}"),
		  BL_MATCH_NO_MATCH);
	CHECK_INT(match_first("postToolUse", "{}"), BL_MATCH_OTHER_EVENT);

	record.workspace = at("w1");
	record.pins = file_at(PROJECT_1)->pins;
	record.pin_count = file_at(PROJECT_1)->pin_count;
	REQUIRE(bl_trust_add(options.home, &record, &error) == BL_OK);
	REQUIRE(load() == BL_OK);
	CHECK_INT(match_first("preToolUse", "{\"tool_name\":\"Shell\"}"),
		  BL_MATCH_RUNS);

	/* A matcher of a changed file is not believed either. */
	put(PROJECT_1, FILE_WITH("preToolUse", "{\"command\":\"x\","
					       "\"matcher\":\"Delete\"}"));
	REQUIRE(load() == BL_OK);
	CHECK_INT(match_first("preToolUse", "{\"tool_name\":\"Shell\"}"),
		  BL_MATCH_CHANGED);
}

/* A stranger's pattern is not run where that can take long. */
static void untrusted_backtracking(void)
{
	new_world("cursor");
	options.trust_all = false;
	put(PROJECT_1, FILE_WITH("preToolUse", "{\"command\":\"x\","
					       "\"matcher\":\"(?!S)R\"}"));
	REQUIRE(load() == BL_OK);
	CHECK_INT(match_first("preToolUse", "{\"tool_name\":\"Shell\"}"),
		  BL_MATCH_UNTRUSTED);
	bl_hook_set_clear(&set);
}

/* Where PCRE2 is not linked the event goes to belay-tools. */
static void needs_tools(void)
{
	struct bl_hook hook;

	new_world("cursor");
	load_text(FILE_WITH("preToolUse", "{\"command\":\"x\",\"matcher\":"
					  "\"^(?!Shell)\"}"));
	hook = set.hooks[0];
	hook.backtrack = NULL;
	hook.needs_tools = true;
	CHECK_INT(bl_hook_match(&set, &hook, step_of("preToolUse"),
				json("{\"tool_name\":\"Shell\"}"), &arena),
		  BL_MATCH_NEEDS_TOOLS);
	bl_hook_set_clear(&set);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(matchers);
	RUN(other_step);
	RUN(no_memory_for_the_search);
	RUN(loop_limits);
	RUN(loop_limit_elsewhere);
	RUN(prompt_hooks);
	RUN(waiting_files);
	RUN(untrusted_backtracking);
	RUN(needs_tools);
	place_close();
	return tap_end();
}

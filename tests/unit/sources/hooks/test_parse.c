/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edge inputs of docs/contracts/cursor.md "Edge inputs", under both
 * profiles.
 */
#include "tap.h"

#include "findings.h"

/* ---- verdicts ----------------------------------------------------- */

/* In a text, # stands for the rest of a good file around the part. */
struct edge {
	const char *text;
	const char *today; /* findings under cursor */
	const char *old;   /* under cursor-2.3; NULL: the same */
};

static void check_edge(const char *name, enum bl_source source,
		       struct bl_str text, const char *expected)
{
	struct bl_arena arena;
	struct bl_diags diags;
	struct bl_str begin = bl_str_slice(text, 0, 200);
	struct bl_buf found;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&found, 0);
	CHECK_STATUS(validate_as(name, source, text, &arena, &diags), BL_OK);
	put_findings(&found, &diags, false);
	if (!bl_str_is(bl_buf_str(&found), expected)) {
		tap_failures++;
		TAP_NOTE("%s: %.*s gives %s, not %s", name, BL_STR_ARG(begin),
			 found.ptr, expected);
	}
	bl_buf_clear(&found);
	bl_arena_clear(&arena);
}

/* Each text with its # filled in: before, text, after. */
static void check_edges(const struct edge *edges, size_t count,
			const char *before, const char *after)
{
	for (size_t i = 0; i < count; i++) {
		const struct edge *edge = &edges[i];
		struct bl_buf text;

		bl_buf_init(&text, 0);
		bl_buf_printf(&text, "%s%s%s", before, edge->text, after);
		check_edge("cursor", BL_SOURCE_USER, bl_buf_str(&text),
			   edge->today);
		check_edge("cursor-2.3", BL_SOURCE_USER, bl_buf_str(&text),
			   edge->old ? edge->old : edge->today);
		bl_buf_clear(&text);
	}
}

static const struct edge documents[] = {
	{ "{\"version\":1,\"hooks\":{}}", "ok", NULL },
	{ "null", "E config-object", NULL },
	{ "[]", "E config-object", NULL },
	{ "1", "E config-object", NULL },
	{ "\"x\"", "E config-object", NULL },
	{ "{}", "E version E hooks-object", NULL },
	{ "", "E syntax", NULL },
	{ " ", "E syntax", NULL },
	{ "{\"version\":1,\"hooks\":{}} x", "E syntax", NULL },
	{ "{\"version\":1,\"hooks\":{},}", "E syntax", NULL },
	{ "{'version':1,'hooks':{}}", "E syntax", NULL },
	{ "\xEF\xBB\xBF{\"version\":1,\"hooks\":{}}", "ok", NULL },
	{ "{\r\n\t\"version\":1,\r\n\t\"hooks\":{}\r\n}\r\n", "ok", NULL },
	{ "{\"version\":1,\"hooks\":{},\"$schema\":\"x\",\"_comment\":1,"
	  "\"description\":null}",
	  "ok", NULL },
	{ "{\"version\":1,\"hooks\":{},\"stop_hook_loop_limit\":5}",
	  "W deprecated", "ok" },
	{ "{\"version\":1,\"version\":1,\"hooks\":{}}", "W repeated-key",
	  NULL },
	{ "{\"version\":\"x\",\"version\":1,\"hooks\":{}}", "W repeated-key",
	  NULL },
	{ "{\"Version\":1,\"hooks\":{}}", "E version W misspelt-key", NULL },
	{ "{\"version\":1,\"hook\":{}}", "W misspelt-key E hooks-object",
	  NULL },
	{ "{\"version\":1,\"stop\":[]}", "E hooks-object", NULL },
};

static void document(void)
{
	check_edges(documents, BL_COUNT(documents), "", "");
}

static const struct edge versions[] = {
	{ "\"x\":1", "E version", NULL },
	{ "\"version\":null", "E version E version", NULL },
	{ "\"version\":0", "E version", NULL },
	{ "\"version\":-1", "E version", NULL },
	{ "\"version\":1", "ok", NULL },
	{ "\"version\":1.0", "ok", NULL },
	{ "\"version\":1e0", "ok", NULL },
	{ "\"version\":10e-1", "ok", NULL },
	{ "\"version\":1.5", "E version", NULL },
	{ "\"version\":0.5", "E version", NULL },
	{ "\"version\":\"1\"", "E version E version", NULL },
	{ "\"version\":true", "E version E version", NULL },
	{ "\"version\":[1]", "E version E version", NULL },
	{ "\"version\":2", "ok", NULL },
	/* JavaScript reads Infinity, which is not an integer. */
	{ "\"version\":1e400", "E version", NULL },
};

static void version(void)
{
	check_edges(versions, BL_COUNT(versions), "{", ",\"hooks\":{}}");
}

static const struct edge events[] = {
	{ "\"hooks\":{}", "ok", NULL },
	{ "\"hooks\":[]", "E hooks-object", NULL },
	{ "\"hooks\":null", "E hooks-object", NULL },
	{ "\"hooks\":\"x\"", "E hooks-object", NULL },
	{ "\"x\":1", "E hooks-object", NULL },
	{ "\"hooks\":{\"stop\":[]}", "ok", NULL },
	{ "\"hooks\":{\"stop\":{}}", "E step-array", NULL },
	{ "\"hooks\":{\"stop\":null}", "E step-array", NULL },
	{ "\"hooks\":{\"stop\":\"./x\"}", "E step-array", NULL },
	{ "\"hooks\":{\"Stop\":[]}", "E unknown-step", NULL },
	{ "\"hooks\":{\"STOP\":[],\"x\":[]}", "E unknown-step E unknown-step",
	  NULL },
	{ "\"hooks\":{\"beforeshellexecution\":[]}", "E unknown-step", NULL },
	{ "\"hooks\":{\"\":[]}", "E unknown-step", NULL },
	{ "\"hooks\":{\"nope\":5}", "E unknown-step E step-array", NULL },
	{ "\"hooks\":{\"nope\":[null]}", "E unknown-step E entry-object",
	  NULL },
	{ "\"hooks\":{\"sessionStart\":[]}", "ok", "E unknown-step" },
	{ "\"hooks\":{\"workspaceOpen\":[{\"command\":\"x\"}]}", "ok",
	  "E unknown-step" },
};

static void hook_event(void)
{
	check_edges(events, BL_COUNT(events), "{\"version\":1,", "}");
}

static const struct edge entries[] = {
	{ "null", "E entry-object", NULL },
	{ "\"x\"", "E entry-object", NULL },
	{ "[]", "E entry-object", NULL },
	{ "5", "E entry-object", NULL },
	{ "{}", "E command", NULL },
	{ "{\"hooks\":[{\"command\":\"x\"}]}", "E command", NULL },
	{ "{\"bash\":\"x\"}", "E command", NULL },
	{ "{\"Command\":\"x\"}", "E command W misspelt-key", NULL },
	{ "{\"command\":null}", "E command", NULL },
	{ "{\"command\":5}", "E command", NULL },
	{ "{\"command\":[\"x\"]}", "E command", NULL },
	{ "{\"command\":\"\"}", "E command-empty", "W command-empty" },
	{ "{\"command\":\" \"}", "E command-empty", "W command-empty" },
	{ "{\"command\":\"a\\nb\"}", "ok", NULL },
	{ "{\"command\":\"a\\u0000b\"}", "E command-nul", NULL },
	{ "{\"command\":\"\\ud800\"}", "W lone-surrogate", NULL },
	{ "{\"command\":\"x\"},{\"command\":\"y\"}", "ok", NULL },
	{ "null,{\"command\":1},{\"command\":\"y\"},7",
	  "E entry-object E command E entry-object", NULL },
	{ "{\"command\":\"x\",\"description\":1,\"event\":1,"
	  "\"_apm_source\":1,\"__failproofai_hook__\":1,\"env\":{},"
	  "\"ultrathink-managed\":true,\"name\":null}",
	  "ok", NULL },
	{ "{\"command\":\"x\",\"operating_systems\":5}", "ok", NULL },
};

static void entry(void)
{
	check_edges(entries, BL_COUNT(entries),
		    "{\"version\":1,\"hooks\":{\"stop\":[", "]}}");
}

/* Under 2.3 the options mean nothing, which is said, and nothing is checked. */
#define NONE "W no-effect"

static const struct edge options[] = {
	{ "\"type\":\"command\"", "ok", NONE },
	{ "\"type\":\"prompt\"", "E prompt", NONE },
	{ "\"type\":\"prompt\",\"prompt\":5", "E prompt", NONE " " NONE },
	{ "\"type\":\"prompt\",\"prompt\":\"is it?\",\"model\":\"m\"",
	  "W prompt-not-run", NONE " " NONE " " NONE },
	{ "\"type\":null", "E type", NONE },
	{ "\"type\":\"Command\"", "E type", NONE },
	{ "\"type\":1", "E type", NONE },
	{ "\"model\":null", "E model", NONE },
	{ "\"model\":\"m\"", "ok", NONE },

	{ "\"timeout\":0", "E timeout", NONE },
	{ "\"timeout\":-1", "E timeout", NONE },
	{ "\"timeout\":0.5", "ok", NONE },
	{ "\"timeout\":1e-9", "ok", NONE },
	{ "\"timeout\":30", "ok", NONE },
	{ "\"timeout\":999", "ok", NONE },
	{ "\"timeout\":1000", "N timeout-unit", NONE },
	{ "\"timeout\":3600", "N timeout-unit", NONE },
	{ "\"timeout\":3601", "W timeout-long", NONE },
	{ "\"timeout\":60000", "W timeout-long", NONE },
	{ "\"timeout\":1e400", "W timeout-long", NONE },
	{ "\"timeout\":\"30s\"", "E timeout", NONE },
	{ "\"timeout\":null", "E timeout", NONE },
	{ "\"timeout\":true", "E timeout", NONE },
	{ "\"timeout\":NaN", "E syntax", NULL },

	{ "\"loop_limit\":null", "ok", NONE },
	{ "\"loop_limit\":0", "E loop-limit", NONE },
	{ "\"loop_limit\":-2", "E loop-limit", NONE },
	{ "\"loop_limit\":1", "ok", NONE },
	{ "\"loop_limit\":2.0", "ok", NONE },
	{ "\"loop_limit\":2.5", "E loop-limit", NONE },
	{ "\"loop_limit\":1e400", "E loop-limit", NONE },
	{ "\"loop_limit\":false", "E loop-limit", NONE },
	{ "\"loop_limit\":\"5\"", "E loop-limit", NONE },

	{ "\"failClosed\":true", "ok", NONE },
	{ "\"failClosed\":false", "ok", NONE },
	{ "\"failClosed\":\"true\"", "E fail-closed", NONE },
	{ "\"failClosed\":null", "E fail-closed", NONE },
	{ "\"failClosed\":1", "E fail-closed", NONE },

	{ "\"sandbox\":\"none\"", "ok", "ok" },
	{ "\"sandbox\":\"workspace\"", "ok", "ok" },
	{ "\"sandbox\":\"strict+network\"", "ok", "ok" },
	{ "\"sandbox\":\"workspaces\"", "E sandbox", "E sandbox" },
	{ "\"sandbox\":\"\"", "E sandbox", "E sandbox" },
	{ "\"sandbox\":true", "E sandbox", "E sandbox" },
	{ "\"sandbox\":null", "E sandbox", "E sandbox" },

	{ "\"matcher\":\"\"", "ok", NONE },
	{ "\"matcher\":\"*\"", "ok", NONE },
	{ "\"matcher\":\".*\"", "ok", NONE },
	{ "\"matcher\":\"(\"", "E matcher-syntax", NONE },
	{ "\"matcher\":\"(?i)x\"", "E matcher-syntax", NONE },
	{ "\"matcher\":\"a++\"", "E matcher-syntax", NONE },
	{ "\"matcher\":\"(?>a)\"", "E matcher-syntax", NONE },
	{ "\"matcher\":\"(?P<n>a)\"", "E matcher-syntax", NONE },
	{ "\"matcher\":\"**\"", "E matcher-syntax", NONE },
	/* Without the u flag this is the letter p and a quantifier-like text.
	 */
	{ "\"matcher\":\"\\\\p{L}|.*\"", "ok", NONE },
	{ "\"matcher\":\"(?=S)Stop\"", "ok", NONE },
	{ "\"matcher\":\"(S)\\\\1|.*\"", "ok", NONE },
	{ "\"matcher\":\"(a+)+$\"", "ok", NONE },
	{ "\"matcher\":null", "E matcher", NONE },
	{ "\"matcher\":[]", "E matcher", NONE },
	{ "\"matcher\":5", "E matcher", NONE },

	{ "\"failclosed\":true", "W misspelt-key", "ok" },
	{ "\"fail_closed\":true", "W misspelt-key", "ok" },
	{ "\"time_out\":5", "W misspelt-key", "ok" },
	{ "\"timeoutSec\":5", "W misspelt-key", "ok" },
	{ "\"pattern\":\"x\"", "W misspelt-key", "ok" },
	{ "\"looplimit\":5", "W misspelt-key", "ok" },
	{ "\"Matcher\":\"x\"", "W misspelt-key", "ok" },
	{ "\"comand\":\"x\"", "W misspelt-key", NULL },
	{ "\"timeout\":5,\"timeout\":6", "W repeated-key",
	  "W repeated-key W no-effect" },
	{ "\"timeout\":0,\"failClosed\":1,\"matcher\":null,\"type\":1",
	  "E type E timeout E fail-closed E matcher",
	  NONE " " NONE " " NONE " " NONE },
};

static void option(void)
{
	check_edges(options, BL_COUNT(options),
		    "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"x\",",
		    "}]}}");
}

/* Where a matcher or a limit means nothing, or can never match. */
static const struct edge on_steps[] = {
	{ "\"sessionStart\":[{\"command\":\"x\",\"matcher\":\"x\"}]",
	  "W matcher-ignored", "E unknown-step W no-effect" },
	{ "\"sessionStart\":[{\"command\":\"x\",\"matcher\":\"*\"}]", "ok",
	  "E unknown-step W no-effect" },
	{ "\"sessionStart\":[{\"command\":\"x\",\"matcher\":\"(\"}]",
	  "E matcher-syntax", "E unknown-step W no-effect" },
	{ "\"afterFileEdit\":[{\"command\":\"x\",\"loop_limit\":3}]",
	  "W loop-limit-step", NONE },
	{ "\"afterFileEdit\":[{\"command\":\"x\",\"loop_limit\":null}]",
	  "W loop-limit-step", NONE },
	{ "\"subagentStop\":[{\"command\":\"x\",\"loop_limit\":3}]", "ok",
	  "E unknown-step W no-effect" },
#define TOOL(matcher)                                                          \
	"\"preToolUse\":[{\"command\":\"x\",\"matcher\":\"" matcher "\"}]"
#define UNKNOWN "E unknown-step W no-effect"
	{ TOOL("Shell"), "ok", UNKNOWN },
	{ TOOL("Edit|Write"), "ok", UNKNOWN },
	{ TOOL("hell"), "ok", UNKNOWN },
	{ TOOL("^Shell$"), "ok", UNKNOWN },
	{ TOOL("Edit"), "W matcher-never", UNKNOWN },
	{ TOOL("Edit|MultiEdit"), "W matcher-never", UNKNOWN },
	{ TOOL("^(Edit|TodoWrite)$"), "W matcher-never", UNKNOWN },
	{ TOOL("shell"), "W matcher-never", UNKNOWN },
	{ TOOL("MCP:github"), "ok", UNKNOWN },
	{ TOOL("MCP"), "ok", UNKNOWN },
	{ TOOL("sdd-.*"), "ok", UNKNOWN }, /* not only literals */
	{ TOOL("Edit.*"), "ok", UNKNOWN },
	/* A command line can be anything. */
	{ "\"beforeShellExecution\":[{\"command\":\"x\",\"matcher\":\"Edit\"}]",
	  "ok", NONE },
	{ "\"beforeReadFile\":[{\"command\":\"x\",\"matcher\":\"Read\"}]", "ok",
	  NONE },
	{ "\"afterFileEdit\":[{\"command\":\"x\",\"matcher\":\"\\\\.ts\"}]",
	  "W matcher-never", NONE },
	{ "\"stop\":[{\"command\":\"x\",\"matcher\":\"Stop\"}]", "ok", NONE },
	{ "\"stop\":[{\"command\":\"x\",\"matcher\":\"completed\"}]",
	  "W matcher-never", NONE },
	/* A prompt hook needs no command, but may not have a wrong one. */
	{ "\"stop\":[{\"type\":\"prompt\",\"prompt\":\"p\"}]",
	  "W prompt-not-run", "E command " NONE " " NONE },
	{ "\"stop\":[{\"type\":\"prompt\",\"prompt\":\"p\",\"command\":5}]",
	  "E command W prompt-not-run", "E command " NONE " " NONE },
};

static void where_it_matters(void)
{
	check_edges(on_steps, BL_COUNT(on_steps), "{\"version\":1,\"hooks\":{",
		    "}}");
}

static const struct edge comments[] = {
	{ "// first\n{\"version\":1,\"hooks\":{}}", "ok", "E syntax" },
	{ "{/* a */\"version\"/**/:1,\"hooks\":{}}//end", "ok", "E syntax" },
	{ "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":"
	  "\"curl http://x // no\"}]}}",
	  "ok", NULL },
	{ "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":"
	  "\"a /* b\"},{\"command\":\"c */\"}]}}",
	  "ok", NULL },
	{ "{\"version\":1,/* \"hooks\":{}}", "E syntax", NULL },
	{ "{\"version\":1,# x\n\"hooks\":{}}", "E syntax", NULL },
	{ "// only", "E syntax", NULL },
};

static void comment(void)
{
	check_edges(comments, BL_COUNT(comments), "", "");
}

/* ---- large and hostile ---------------------------------------------- */

static void check_both(struct bl_str text, const char *today, const char *old)
{
	check_edge("cursor", BL_SOURCE_USER, text, today);
	check_edge("cursor-2.3", BL_SOURCE_USER, text, old);
}

static void repeat(struct bl_buf *out, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		bl_buf_puts(out, text);
}

#define START "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\""
#define END   "\"}]}}"

static void large_texts(void)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, START);
	repeat(&text, "0123456789abcdef", 65536);
	bl_buf_puts(&text, END);
	check_both(bl_buf_str(&text), "ok", "ok");

	bl_buf_reset(&text);
	bl_buf_puts(&text, START "x\",\"timeout\":");
	repeat(&text, "7", 400);
	bl_buf_puts(&text, "}]}}");
	check_both(bl_buf_str(&text), "W timeout-long", NONE);

	bl_buf_reset(&text);
	bl_buf_puts(&text, START "x\",\"a\":");
	repeat(&text, "[", 10000);
	repeat(&text, "]", 10000);
	bl_buf_puts(&text, "}]}}");
	check_both(bl_buf_str(&text), "E syntax", "E syntax");

	/* Not UTF-8. */
	bl_buf_reset(&text);
	bl_buf_puts(&text, START "\xff\xfe" END);
	check_both(bl_buf_str(&text), "E syntax", "E syntax");
	bl_buf_clear(&text);
}

static void large_matchers(void)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, START "x\",\"matcher\":\"");
	repeat(&text, "(", 5120);
	repeat(&text, ")", 5120);
	bl_buf_puts(&text, END);
	check_both(bl_buf_str(&text), "E matcher-limit", NONE);

	bl_buf_reset(&text);
	bl_buf_puts(&text, START "x\",\"matcher\":\"");
	repeat(&text, "a", 70000);
	bl_buf_puts(&text, END);
	check_both(bl_buf_str(&text), "E matcher-limit", NONE);

	bl_buf_reset(&text);
	bl_buf_puts(&text,
		    START "x\",\"matcher\":\"((a{1000}){1000}){1000}" END);
	check_both(bl_buf_str(&text), "E matcher-limit", NONE);
	bl_buf_clear(&text);
}

static void put_hooks(struct bl_buf *text, const char *event_name, size_t count)
{
	bl_buf_printf(text, "\"%s\":[", event_name);
	for (size_t i = 0; i < count; i++)
		bl_buf_printf(text, "%s{\"command\":\"x\"}", i ? "," : "");
	bl_buf_puts(text, "]");
}

static void too_many_hooks(void)
{
	static const char *const names[] = { "stop", "afterFileEdit",
					     "beforeReadFile",
					     "afterAgentThought" };
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "{\"version\":1,\"hooks\":{");
	put_hooks(&text, "stop", 256);
	bl_buf_puts(&text, "}}");
	check_both(bl_buf_str(&text), "ok", "ok");

	bl_buf_reset(&text);
	bl_buf_puts(&text, "{\"version\":1,\"hooks\":{");
	put_hooks(&text, "stop", 257);
	bl_buf_puts(&text, "}}");
	check_both(bl_buf_str(&text), "E too-many", "E too-many");

	bl_buf_reset(&text);
	bl_buf_puts(&text, "{\"version\":1,\"hooks\":{");
	for (size_t i = 0; i < BL_COUNT(names); i++) {
		bl_buf_puts(&text, i ? "," : "");
		put_hooks(&text, names[i], 251);
	}
	bl_buf_puts(&text, "}}");
	check_both(bl_buf_str(&text), "E too-many", "E too-many");
	bl_buf_clear(&text);
}

/* A file with more errors than are kept never looks clean. */
static void more_errors_than_are_kept(void)
{
	struct bl_arena arena;
	struct bl_diags diags;
	struct bl_buf text;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "{\"version\":1,\"hooks\":{\"stop\":[null");
	repeat(&text, ",null", 240);
	bl_buf_puts(&text, "]}}");
	CHECK_STATUS(validate_as("cursor", BL_SOURCE_USER, bl_buf_str(&text),
				 &arena, &diags),
		     BL_OK);
	CHECK_INT(diags.error_count, 241);
	CHECK(diags.dropped_count > 0);
	bl_buf_clear(&text);
	bl_arena_clear(&arena);
}

/* ---- team files ----------------------------------------------------- */

static const struct edge systems[] = {
	{ "[]", "ok", NULL },
	{ "[\"Linux\"]", "ok", NULL },
	{ "[\"Windows\",\"Macintosh\",\"Linux\"]", "ok", NULL },
	{ "[\"linux\"]", "W operating-systems-name", NULL },
	{ "[\"BeOS\",\"Linux\"]", "W operating-systems-name", NULL },
	{ "\"Linux\"", "E operating-systems", NULL },
	{ "[1]", "E operating-systems", NULL },
	{ "null", "E operating-systems", NULL },
};

static void team_systems(void)
{
	for (size_t i = 0; i < BL_COUNT(systems); i++) {
		for (size_t p = 0; p < BL_COUNT(profile_names); p++) {
			struct bl_buf text;

			bl_buf_init(&text, 0);
			bl_buf_printf(&text,
				      "{\"version\":1,\"hooks\":{\"stop\":[{"
				      "\"command\":\"x\","
				      "\"operating_systems\":%s}]}}",
				      systems[i].text);
			check_edge(profile_names[p], BL_SOURCE_TEAM,
				   bl_buf_str(&text), systems[i].today);
			check_edge(profile_names[p], BL_SOURCE_ENTERPRISE,
				   bl_buf_str(&text), "ok");
			bl_buf_clear(&text);
		}
	}
}

int main(void)
{
	RUN(document);
	RUN(version);
	RUN(hook_event);
	RUN(entry);
	RUN(option);
	RUN(where_it_matters);
	RUN(comment);
	RUN(large_texts);
	RUN(large_matchers);
	RUN(too_many_hooks);
	RUN(more_errors_than_are_kept);
	RUN(team_systems);
	return tap_end();
}

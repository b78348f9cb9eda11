/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads: docs/contracts/cursor-2.3.41.md "Payload", docs/contracts/cursor.md
 * "Payload", "Events".
 */
#include "agents_test.h"

static const struct bl_str roots[] = { { "/w/a", 4 }, { "/w/b", 4 } };

static const struct bl_payload_facts facts = {
	.version = "2.3.41",
	.workspaces = roots,
	.workspace_count = 2,
};

static const struct bl_payload_facts no_facts = { 0 };

static enum bl_status complete(int dialect, const char *event,
			       const char *payload,
			       const struct bl_payload_facts *known,
			       struct bl_value *out, struct bl_error *err)
{
	return bl_hook_event_complete(find_event(dialect, event), json(payload),
				      known, &arena, out, err);
}

#define VERSION "\"cursor_version\":\"2.3.41\""
#define ROOTS   "\"workspace_roots\":[\"/w/a\",\"/w/b\"]"
#define IDS     "\"conversation_id\":\"\",\"generation_id\":\"\",\"model\":\"\""

static const struct {
	int dialect;
	const char *event;
	const char *payload;
	bool has_facts;
	const char *completed;
} complete_rows[] = {
	{ OLD, "beforeShellExecution", "{}", true,
	  "{\"command\":\"UNKNOWN\",\"cwd\":\"\",\"sandbox\":false,"
	  "\"hook_event_name\":\"beforeShellExecution\"," VERSION "," ROOTS
	  "," IDS "}" },
	{ OLD, "beforeShellExecution", "{}", false,
	  "{\"command\":\"UNKNOWN\",\"cwd\":\"\",\"sandbox\":false,"
	  "\"hook_event_name\":\"beforeShellExecution\","
	  "\"cursor_version\":\"\",\"workspace_roots\":[]," IDS "}" },
	/* the caller's order and extra keys stay */
	{ OLD, "beforeShellExecution",
	  "{\"zz\":[1.0,null],\"model\":\"m\",\"sandbox\":true,"
	  "\"command\":\"ls\",\"workspace_roots\":[]}",
	  true,
	  "{\"zz\":[1.0,null],\"model\":\"m\",\"sandbox\":true,"
	  "\"command\":\"ls\",\"workspace_roots\":[],\"cwd\":\"\","
	  "\"hook_event_name\":\"beforeShellExecution\"," VERSION ","
	  "\"conversation_id\":\"\",\"generation_id\":\"\"}" },
	{ OLD, "afterShellExecution", "{\"output\":\"x\"}", true,
	  "{\"output\":\"x\",\"command\":\"UNKNOWN\",\"cwd\":\"\","
	  "\"sandbox\":false,\"hook_event_name\":"
	  "\"afterShellExecution\"," VERSION "," ROOTS "," IDS "}" },
	/* what is the caller's is not made up */
	{ OLD, "beforeReadFile", "{}", true,
	  "{\"hook_event_name\":\"beforeReadFile\"," VERSION "," ROOTS "," IDS
	  "}" },
	{ OLD, "stop", "{\"user_email\":null}", true,
	  "{\"user_email\":null,\"hook_event_name\":\"stop\"," VERSION "," ROOTS
	  "," IDS "}" },
	{ NEW, "beforeShellExecution", "{\"command\":\"ls\"}", true,
	  "{\"command\":\"ls\",\"cwd\":\"\",\"sandbox\":false,"
	  "\"hook_event_name\":\"beforeShellExecution\"," VERSION "," ROOTS
	  "," IDS "}" },
	/* the launch line of an MCP server is not an UNKNOWN command */
	{ NEW, "beforeMCPExecution", "{\"tool_name\":\"t\"}", true,
	  "{\"tool_name\":\"t\",\"hook_event_name\":"
	  "\"beforeMCPExecution\"," VERSION "," ROOTS "," IDS "}" },
	{ NEW, "workspaceOpen", "{}", true,
	  "{\"hook_event_name\":\"workspaceOpen\"," VERSION "," ROOTS "}" },
	{ NEW, "sessionStart", "{\"hook_event_name\":\"sessionStart\"}", true,
	  "{\"hook_event_name\":\"sessionStart\"," VERSION "," ROOTS "," IDS
	  "}" },
};

static void missing_fields_are_filled(void)
{
	for (size_t i = 0; i < BL_COUNT(complete_rows); i++) {
		struct bl_value out = bl_value_undefined();
		struct bl_error err;

		CHECK_STATUS(complete(complete_rows[i].dialect,
				      complete_rows[i].event,
				      complete_rows[i].payload,
				      complete_rows[i].has_facts ? &facts
								 : &no_facts,
				      &out, &err),
			     BL_OK);
		check_json(out, complete_rows[i].completed);
	}
}

static void completing_twice_changes_nothing(void)
{
	for (int dialect = 0; dialect < BL_DIALECT_COUNT; dialect++) {
		for (size_t s = 0; event_names[dialect][s]; s++) {
			const struct bl_hook_event *event =
				find_event(dialect, event_names[dialect][s]);
			struct bl_value once = bl_value_undefined();
			struct bl_value twice = bl_value_undefined();
			struct bl_buf buf;

			CHECK_STATUS(bl_hook_event_complete(event, json("{}"),
							    &facts, &arena,
							    &once, NULL),
				     BL_OK);
			CHECK_STATUS(bl_hook_event_complete(event, once,
							    &no_facts, &arena,
							    &twice, NULL),
				     BL_OK);
			bl_buf_init(&buf, 0);
			bl_json_write(&buf, once, BL_JSON_COMPACT);
			check_json(twice, buf.ptr);
			bl_buf_clear(&buf);
		}
	}
}

static const struct {
	int dialect;
	const char *event;
	const char *payload;
	const char *message;
} wrong_rows[] = {
	{ OLD, "stop", "[]", "the payload is not an object" },
	{ OLD, "stop", "null", "the payload is not an object" },
	{ NEW, "stop", "\"{}\"", "the payload is not an object" },
	{ NEW, "stop", "{\"hook_event_name\":\"stopped\"}",
	  "the payload is of stopped, not of stop" },
	{ NEW, "preToolUse", "{\"hook_event_name\":\"postToolUse\"}",
	  "the payload is of postToolUse, not of preToolUse" },
	{ NEW, "stop", "{\"hook_event_name\":1}",
	  "stop: field hook_event_name is not of type string" },
};

static void wrong_payloads_are_refused(void)
{
	for (size_t i = 0; i < BL_COUNT(wrong_rows); i++) {
		struct bl_value out = bl_value_undefined();
		struct bl_error err = { 0 };

		CHECK_STATUS(
			complete(wrong_rows[i].dialect, wrong_rows[i].event,
				 wrong_rows[i].payload, &facts, &out, &err),
			BL_INVALID);
		CHECK_STR(bl_str(err.message), wrong_rows[i].message);
		CHECK(!bl_value_is_defined(out));
	}
}

/* Hooks get what was sent; the first field of another type is named. */
static const struct {
	int dialect;
	const char *event;
	const char *payload;
	const char *odd;
} odd_rows[] = {
	{ OLD, "beforeShellExecution", "{\"command\":null}", "command" },
	{ OLD, "beforeShellExecution", "{\"sandbox\":\"false\"}", "sandbox" },
	{ OLD, "stop", "{\"loop_count\":\"5\"}", "loop_count" },
	{ OLD, "stop", "{\"conversation_id\":[1]}", "conversation_id" },
	{ NEW, "preToolUse", "{\"tool_input\":\"{}\"}", "tool_input" },
	{ NEW, "beforeMCPExecution", "{\"tool_input\":{}}", "tool_input" },
	{ NEW, "stop", "{\"user_email\":1}", "user_email" },
	{ NEW, "afterFileEdit", "{\"edits\":{}}", "edits" },
	{ NEW, "stop", "{\"status\":\"completed\"}", NULL },
};

static void odd_fields_are_passed_on(void)
{
	for (size_t i = 0; i < BL_COUNT(odd_rows); i++) {
		struct bl_value out = bl_value_undefined();
		struct bl_value sent = json(odd_rows[i].payload);
		struct bl_error err = { 0 };
		const struct bl_field *odd;

		CHECK_STATUS(complete(odd_rows[i].dialect, odd_rows[i].event,
				      odd_rows[i].payload, &facts, &out, &err),
			     BL_OK);
		CHECK(bl_value_equal(
			bl_object_find(out,
				       bl_value_text(bl_object_key(sent, 0))),
			bl_object_value(sent, 0)));
		odd = bl_hook_event_odd_field(
			bl_contract_find(bl_contract_get(odd_rows[i].dialect),
					 bl_str(odd_rows[i].event)),
			out);
		CHECK_STR(bl_str(odd ? odd->name : "none"),
			  odd_rows[i].odd ? odd_rows[i].odd : "none");
	}
}

/* What the service knows itself, the payload cannot say otherwise. */
static void own_facts_win(void)
{
	static const char payload[] =
		"{\"cursor_version\":\"9\",\"workspace_roots\":[\"/evil\"]}";
	struct bl_payload_facts own = facts;
	struct bl_value out = bl_value_undefined();
	struct bl_error err = { 0 };

	own.version = "2.3.41";
	own.has_roots = true;
	CHECK_STATUS(complete(OLD, "stop", payload, &own, &out, &err), BL_OK);
	CHECK_STR(bl_value_text(bl_object_find(out, BL_STR("cursor_version"))),
		  "2.3.41");
	CHECK(!bl_value_equal(bl_object_find(out, BL_STR("workspace_roots")),
			      json("[\"/evil\"]")));
	own.version = NULL;
	own.has_roots = false;
	CHECK_STATUS(complete(OLD, "stop", payload, &own, &out, &err), BL_OK);
	CHECK_STR(bl_value_text(bl_object_find(out, BL_STR("cursor_version"))),
		  "9");
	CHECK(bl_value_equal(bl_object_find(out, BL_STR("workspace_roots")),
			     json("[\"/evil\"]")));
}

static void out_of_memory_is_reported(void)
{
	struct bl_value payload = json("{\"command\":\"ls\"}");
	size_t failures = 0;

	for (size_t limit = 1;; limit++) {
		struct bl_value out = bl_value_undefined();
		struct bl_error err = { 0 };
		enum bl_status status;
		struct bl_arena tiny;

		REQUIRE(limit < 100000);
		bl_arena_init(&tiny, NULL, 0, limit);
		status = bl_hook_event_complete(
			find_event(OLD, "beforeShellExecution"), payload,
			&facts, &tiny, &out, &err);
		bl_arena_clear(&tiny);
		if (status == BL_OK)
			break;
		failures++;
		CHECK_STATUS(status, BL_LIMIT);
		CHECK_STATUS(err.status, BL_LIMIT);
		CHECK(!bl_value_is_defined(out));
	}
	CHECK(failures > 10);
}

/* ---- subjects --------------------------------------------------------------
 */

static const struct {
	int dialect;
	const char *event;
	const char *payload;
	const char *subject; /* NULL: none */
} subject_rows[] = {
	{ NEW, "preToolUse", "{\"tool_name\":\"Shell\"}", "Shell" },
	{ NEW, "postToolUse", "{\"tool_name\":\"MCP:t\"}", "MCP:t" },
	{ NEW, "postToolUseFailure", "{\"tool_name\":\"Read\"}", "Read" },
	{ NEW, "subagentStart", "{\"subagent_type\":\"explore\"}", "explore" },
	{ NEW, "subagentStop", "{\"subagent_type\":\"shell\"}", "shell" },
	{ NEW, "beforeShellExecution", "{\"command\":\"gh  pr\"}", "gh  pr" },
	{ NEW, "afterShellExecution", "{\"command\":\"ls\"}", "ls" },
	{ NEW, "beforeMCPExecution", "{\"tool_name\":\"search\"}",
	  "MCP:search" },
	{ NEW, "afterMCPExecution", "{\"tool_name\":\"\"}", "MCP:" },
	{ NEW, "beforeReadFile", "{}", "Read" },
	{ NEW, "afterFileEdit", "{}", "Write" },
	{ NEW, "beforeTabFileRead", "{}", "TabRead" },
	{ NEW, "afterTabFileEdit", "{}", "TabWrite" },
	{ NEW, "beforeSubmitPrompt", "{}", "UserPromptSubmit" },
	{ NEW, "stop", "{}", "Stop" },
	{ NEW, "afterAgentResponse", "{}", "AgentResponse" },
	{ NEW, "afterAgentThought", "{}", "AgentThought" },
	{ NEW, "sessionStart", "{}", NULL },
	{ NEW, "sessionEnd", "{}", NULL },
	{ NEW, "preCompact", "{\"trigger\":\"auto\"}", NULL },
	{ NEW, "workspaceOpen", "{}", NULL },
	/* an empty field is a subject, a missing one is not */
	{ NEW, "beforeShellExecution", "{\"command\":\"\"}", "" },
	{ NEW, "beforeShellExecution", "{}", NULL },
	{ NEW, "beforeShellExecution", "{\"command\":1}", NULL },
	{ NEW, "beforeMCPExecution", "{}", NULL },
	/* matchers mean nothing in 2.3.41 (C21) */
	{ OLD, "beforeShellExecution", "{\"command\":\"ls\"}", NULL },
	{ OLD, "beforeReadFile", "{}", NULL },
};

static void subjects(void)
{
	for (size_t i = 0; i < BL_COUNT(subject_rows); i++) {
		const char *expected = subject_rows[i].subject;
		struct bl_str subject = bl_hook_event_subject(
			find_event(subject_rows[i].dialect,
				   subject_rows[i].event),
			json(subject_rows[i].payload), &arena);

		CHECK((subject.ptr != NULL) == (expected != NULL));
		CHECK_STR(subject, expected ? expected : "");
	}
}

static void subjects_keep_every_byte(void)
{
	struct bl_str subject = bl_hook_event_subject(
		find_event(NEW, "beforeMCPExecution"),
		json("{\"tool_name\":\"a\\u0000b\"}"), &arena);

	CHECK_INT(subject.len, 7);
	CHECK(subject.len == 7 && !memcmp(subject.ptr, "MCP:a\0b", 7));
}

/* Without memory there is no subject: then every matcher matches. */
static void subject_without_memory_is_none(void)
{
	struct bl_arena tiny;

	bl_arena_init(&tiny, NULL, 0, 1);
	CHECK(!bl_hook_event_subject(find_event(NEW, "beforeMCPExecution"),
				     json("{\"tool_name\":\"t\"}"), &tiny)
		       .ptr);
	CHECK_STATUS(bl_arena_status(&tiny), BL_LIMIT);
	bl_arena_clear(&tiny);
}

/* ---- payloads as Cursor sends them
 * ------------------------------------------- */

#define SHAPES "../shared/corpus/cursor-payload-shapes.jsonl"

static void check_real_payload(const char *line)
{
	struct bl_value payload = json(line);
	struct bl_str name = bl_value_text(
		bl_object_find(payload, BL_STR("hook_event_name")));
	const struct bl_hook_event *event =
		bl_contract_find(bl_contract_get(NEW), name);
	struct bl_value out = bl_value_undefined();
	struct bl_error err = { 0 };

	REQUIRE(event);
	CHECK_STATUS(bl_hook_event_complete(event, payload, &facts, &arena,
					    &out, &err),
		     BL_OK);
	if (err.message[0])
		TAP_NOTE("%s", err.message);
	/* A complete payload is passed on as it is, but for cwd (see below). */
	for (size_t i = 0; i < bl_value_count(payload); i++) {
		CHECK(bl_value_equal(bl_object_key(payload, i),
				     bl_object_key(out, i)));
		CHECK(bl_value_equal(bl_object_value(payload, i),
				     bl_object_value(out, i)));
	}
	CHECK_INT(bl_value_count(out), bl_value_count(payload));
	if (event->subject != BL_SUBJECT_NONE)
		CHECK(bl_hook_event_subject(event, out, &arena).len > 0);
	for (size_t i = 0; i < event->field_count; i++)
		if (event->fields[i].presence == BL_FIELD_REQUIRED)
			CHECK(bl_value_is_defined(bl_object_find(
				out, bl_str(event->fields[i].name))));
}

static void real_payloads(void)
{
	static char line[1 << 16];
	FILE *file = fopen(SHAPES, "r");
	size_t count = 0;

	REQUIRE(file);
	while (fgets(line, sizeof(line), file)) {
		char *copy = bl_arena_alloc(&arena, strlen(line) + 1);

		REQUIRE(copy);
		check_real_payload(strcpy(copy, line));
		count++;
	}
	fclose(file);
	CHECK_INT(count, 26);
}

int main(void)
{
	FILE *file = fopen(SHAPES, "r");

	bl_arena_init(&arena, NULL, 0, 0);
	RUN(missing_fields_are_filled);
	RUN(completing_twice_changes_nothing);
	RUN(wrong_payloads_are_refused);
	RUN(odd_fields_are_passed_on);
	RUN(own_facts_win);
	RUN(out_of_memory_is_reported);
	RUN(subjects);
	RUN(subjects_keep_every_byte);
	RUN(subject_without_memory_is_none);
	if (file) {
		fclose(file);
		RUN(real_payloads);
	} else {
		printf("ok %d # SKIP ../shared not found\n", ++tap_count);
	}
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of the Model Context Protocol, line by line: what each side gets is
 * written by hand from the specification (2025-06-18 and 2025-11-25, "Tools" and
 * "Base protocol") and JSON-RPC 2.0.
 */
#include "sessions.h"

/* Lines of the client; what the server gets, and what the client. */
static const struct {
	const char *what;
	const char *line;
	const char *to_server;
	const char *to_client;
} client_lines[] = {
	{ "a ping, with white space of its own",
	  " {\"jsonrpc\" : \"2.0\",\"id\":1.0,\"method\":\"ping\"}\r", SAME,
	  "" },
	{ "a notification",
	  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
	  SAME, "" },
	{ "an answer to the server",
	  "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}", SAME, "" },
	{ "an empty line", "", "", "" },
	{ "a call", CALL("1", "plain"), SAME, "" },
	{ "a call without arguments",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
	  "\"params\":{\"name\":\"echo\"}}",
	  SAME, "" },
	{ "a refused call", CALL("\"a b\"", "refuse-me"), "",
	  REFUSED("\"a b\"", "R") },
	{ "an id of any number keeps its spelling",
	  CALL("12345678901234567890", "refuse-me"), "",
	  REFUSED("12345678901234567890", "R") },
	{ "a refused call with context", CALL("1", "refuse-and-tell"), "",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":["
	  "{\"type\":\"text\",\"text\":\"R\"},"
	  "{\"type\":\"text\",\"text\":\"C\"}],\"isError\":true}}" },
	{ "a refusal on standard error", CALL("1", "emergency"), "",
	  REFUSED("1", "E") },
	{ "no decision refuses", CALL("1", "broken"), "", REFUSED("1", "F") },
	{ "an answer that is not JSON refuses", CALL("1", "garbled"), "",
	  REFUSED("1", "refused") },
	{ "a changed call", CALL("1", "change-me"), CALL("1", "changed"), "" },
	{ "a key twice is passed on as it was read",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
	  "{\"name\":\"echo\",\"arguments\":{\"t\":\"refuse-me\",\"t\":\"b\"}}"
	  "}",
	  CALL("1", "b"), "" },
	{ "a method twice",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":"
	  "\"tools/call\",\"params\":{\"name\":\"e\",\"arguments\":{\"t\":"
	  "\"refuse-me\"}}}",
	  "", REFUSED("1", "R") },
	{ "half a surrogate pair is passed on as it was read",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":"
	  "\"\\ud800\"}}",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":"
	  "\"\xef\xbf\xbd\"}}",
	  "" },
	{ "an escaped name of the method",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools\\/c\\u0061ll\","
	  "\"params\":{\"name\":\"e\",\"arguments\":{\"t\":\"refuse-me\"}}}",
	  "", REFUSED("1", "R") },
	{ "a member that a careless reader takes for another",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"Method\":"
	  "\"tools/call\"}",
	  "",
	  ERROR("1", "-32600",
		"a message has members that JSON-RPC does not have: servers "
		"could read them in another way") },
	{ "a parameter likewise",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
	  "{\"name\":\"e\",\"Arguments\":{}}}",
	  "",
	  ERROR("1", "-32602",
		"a parameter of tools/call is almost one that it has: servers "
		"could read it so") },
	{ "and in letters that fold to it",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
	  "{\"name\":\"e\",\"argument\xc5\xbf\":{}}}",
	  "",
	  ERROR("1", "-32602",
		"a parameter of tools/call is almost one that it has: servers "
		"could read it so") },
	{ "a call without an id",
	  "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":"
	  "\"e\"}}",
	  "",
	  ERROR("null", "-32600",
		"tools/call needs an id, which is a text or a number") },
	{ "a call with the id null", CALL("null", "plain"), "",
	  ERROR("null", "-32600",
		"tools/call needs an id, which is a text or a number") },
	{ "a call with an object as id", CALL("{}", "plain"), "",
	  ERROR("null", "-32600",
		"tools/call needs an id, which is a text or a number") },
	{ "a call without a tool",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
	  "{}}",
	  "", ERROR("1", "-32602", "tools/call must name a tool") },
	{ "a call of a tool with a NUL in its name",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
	  "{\"name\":\"e\\u0000x\"}}",
	  "", ERROR("1", "-32602", "the name of a tool must not have a NUL") },
	{ "a call with a list of parameters",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
	  "[\"e\"]}",
	  "", ERROR("1", "-32602", "params of tools/call must be an object") },
	{ "a call with a text as arguments",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
	  "{\"name\":\"e\",\"arguments\":\"x\"}}",
	  "",
	  ERROR("1", "-32602", "arguments of tools/call must be an object") },
	{ "a method that is not a text",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":[\"tools/call\"]}", "",
	  ERROR("1", "-32600", "method must be a text") },
	{ "a number", "7", "",
	  ERROR("null", "-32600", "a message must be an object") },
	{ "an empty batch", "[]", "",
	  ERROR("null", "-32600", "there is nothing in the batch") },
	{ "a batch", "[" CALL("1", "a") "," CALL("2", "b") "]", SAME, "" },
	{ "a batch with a refused call",
	  "[" CALL("1", "a") "," CALL(
		  "2", "refuse-me") ",{\"jsonrpc\":\"2.0\","
				    "\"id\":3,\"method\":\"ping\"},{"
				    "\"jsonrpc\":\"2.0\",\"method\":"
				    "\"notifications/x\"}]",
	  "",
	  "[" REFUSED(
		  "1",
		  "belay: not passed on, since another message of its "
		  "batch was refused") "," REFUSED("2",
						   "R") "," ERROR("3", "-32600",
								  "not "
								  "passed "
								  "on, "
								  "since "
								  "another"
								  " messag"
								  "e of "
								  "its "
								  "batch "
								  "was "
								  "refuse"
								  "d") "]" },
	{ "a batch with a changed call",
	  "[" CALL("1", "a") ", " CALL("2", "change-me") "]",
	  "[" CALL("1", "a") "," CALL("2", "changed") "]", "" },
	{ "a batch in a batch", "[[" CALL("1", "refuse-me") "]]", "",
	  "[" ERROR("null", "-32600", "a message must be an object") "]" },
	{ "text that is not JSON", "nonsense", "",
	  ERROR("null", "-32700", "'n', where a value was expected") },
	{ "a carriage return inside",
	  "{\"jsonrpc\":\"2.0\",\"id\":1,\"params\":[\r" CALL(
		  "1", "refuse-me") "\r],\"method\":\"ping\"}",
	  "",
	  ERROR("null", "-32700", "there is a carriage return in the line") },
};

static void test_client_lines(void)
{
	for (size_t i = 0; i < BL_COUNT(client_lines); i++) {
		struct bl_mcp *mcp = open_session();
		struct bl_buf server, client;

		bl_buf_init(&server, 0);
		bl_buf_init(&client, 0);
		CHECK_STATUS(bl_mcp_from_client(mcp,
						bl_str(client_lines[i].line),
						&server, &client, NULL),
			     BL_OK);
		check_out(client_lines[i].what, &server,
			  client_lines[i].to_server, client_lines[i].line);
		check_out(client_lines[i].what, &client,
			  client_lines[i].to_client, client_lines[i].line);
		bl_buf_clear(&server);
		bl_buf_clear(&client);
		bl_mcp_free(mcp);
	}
}

/* ---- what is decided about ------------------------------------------------ */

static void test_payloads(void)
{
	struct bl_mcp *mcp = open_session();

	send(mcp,
	     "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
	     "\"params\":{\"clientInfo\":{\"name\":\"c\",\"version\":\"2\"}}}",
	     SAME, "");
	CHECK_INT(asked.len, 0);
	send(mcp, CALL("\"i\"", "x"), SAME, "");
	CHECK_STR(bl_buf_str(&asked),
		  "{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s1\","
		  "\"cwd\":\"/w\",\"mcp_server\":\"srv\",\"mcp_client\":"
		  "{\"name\":\"c\",\"version\":\"2\"},\"tool_name\":"
		  "\"mcp__srv__echo\",\"tool_input\":{\"t\":\"x\"},"
		  "\"tool_use_id\":\"\\\"i\\\"\"}\n");
	bl_buf_reset(&asked);
	answer(mcp, RESULT("\"i\"", "y"), SAME);
	CHECK_STR(
		bl_buf_str(&asked),
		"{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"s1\","
		"\"cwd\":\"/w\",\"mcp_server\":\"srv\",\"mcp_client\":"
		"{\"name\":\"c\",\"version\":\"2\"},\"tool_name\":"
		"\"mcp__srv__echo\",\"tool_input\":{\"t\":\"x\"},"
		"\"tool_use_id\":\"\\\"i\\\"\",\"tool_response\":{\"content\":"
		"[{\"type\":\"text\",\"text\":\"y\"}]}}\n");
	bl_mcp_free(mcp);
}

static void test_results(void)
{
	struct bl_mcp *mcp = open_session();

	send(mcp, CALL("1", "a"), SAME, "");
	answer(mcp, RESULT("1", "refuse-me"), REFUSED("1", "R"));
	/* It has its answer: this one is to nothing. */
	answer(mcp, RESULT("1", "refuse-me"), SAME);
	send(mcp, CALL("2", "a"), SAME, "");
	answer(mcp,
	       "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1,"
	       "\"message\":\"refuse-me\"}}",
	       REFUSED("2", "R"));
	/* Context of the call and of its result. */
	send(mcp, CALL("3", "tell-me"), SAME, "");
	answer(mcp, RESULT("3", "y"),
	       "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":["
	       "{\"type\":\"text\",\"text\":\"y\"},"
	       "{\"type\":\"text\",\"text\":\"C1\"},"
	       "{\"type\":\"text\",\"text\":\"C2\"},"
	       "{\"type\":\"text\",\"text\":\"C1\"},"
	       "{\"type\":\"text\",\"text\":\"C2\"}]}}");
	/*
	 * 1 and "1" are two ids; 1 and 1.0 are one.  A client that never sent a
	 * text as id gets no answer to one: it could read "1" as 1.
	 */
	send(mcp, CALL("1", "a"), SAME, "");
	answer(mcp, RESULT("\"1\"", "refuse-me"), "");
	answer(mcp, RESULT("1.0", "refuse-me"), REFUSED("1.0", "R"));
	/* A batch of answers, one of them to nothing. */
	send(mcp, "[" CALL("1", "a") "," CALL("2", "b") "]", SAME, "");
	answer(mcp,
	       "[" RESULT("1", "y") "," RESULT("2", "refuse-me") "," RESULT(
		       "9", "refuse-me") "]",
	       "[" RESULT("1", "y") "," REFUSED("2", "R") "," RESULT(
		       "9", "refuse-me") "]");
	bl_mcp_free(mcp);
}

/* Answers that two clients could read in two ways. */
static void test_doubtful_answers(void)
{
	struct bl_mcp *mcp = open_session();

	bl_buf_reset(&noted);
	send(mcp, CALL("1", "a"), SAME, "");
	answer(mcp,
	       "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{"
	       "\"code\":1,\"message\":\"refuse-me\"}}",
	       "");
	CHECK(bl_str_find(bl_buf_str(&noted), BL_STR("was not passed on"), 0) !=
	      SIZE_MAX);
	bl_buf_reset(&noted);
	answer(mcp,
	       "{\"jsonrpc\":\"2.0\",\"id\":1,\"Result\":{\"content\":[]}}",
	       "");
	answer(mcp, "{\"jsonrpc\":\"2.0\",\"id\":1,\"re\xc5\xbfult\":{}}", "");
	answer(mcp, "7", "");
	answer(mcp, "[" RESULT("1", "y") ",{\"ID\":2,\"result\":{}}]", "");
	/* A method that names nothing does not make a request of an answer. */
	answer(mcp,
	       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null,\"result\":{"
	       "\"content\":[{\"type\":\"text\",\"text\":\"refuse-me\"}]}}",
	       REFUSED("1", "R"));
	/* Once the client has sent a text as id, texts are its own. */
	send(mcp, CALL("\"a\"", "a"), SAME, "");
	answer(mcp, RESULT("\"b\"", "y"), SAME);
	answer(mcp, RESULT("\"a\"", "refuse-me"), REFUSED("\"a\"", "R"));
	bl_mcp_free(mcp);
}

static void test_servers_own_messages(void)
{
	struct bl_mcp *mcp = open_session();

	send(mcp, CALL("1", "a"), SAME, "");
	bl_buf_reset(&asked);
	/* A request of the server may have the id of a call. */
	answer(mcp, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"} ",
	       SAME);
	answer(mcp,
	       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}",
	       SAME);
	answer(mcp, "", "");
	CHECK_INT(asked.len, 0);
	answer(mcp, "listening on port 1", "");
	answer(mcp, "and more", "");
	CHECK_STR(bl_buf_str(&noted),
		  "the server printed what is not a message, and it was not "
		  "passed on: listening on port 1");
	bl_mcp_free(mcp);
}

static void test_calls_without_answer(void)
{
	struct bl_mcp *mcp = open_session();

	send(mcp, CALL("1", "a"), SAME, "");
	send(mcp, CALL("1.0", "a"), "",
	     ERROR("1.0", "-32600", "a call with this id has no answer yet"));
	send(mcp, CALL("2", "a"), SAME, "");
	send(mcp, CALL("3", "a"), SAME, "");
	send(mcp, CALL("4", "a"), "",
	     REFUSED("4", "belay: too many calls have no answer yet"));
	/* A cancelled call may be answered all the same... */
	send(mcp,
	     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	     "\"params\":{\"requestId\":2}}",
	     SAME, "");
	answer(mcp, RESULT("2", "refuse-me"), REFUSED("2", "R"));
	send(mcp, CALL("2", "a"), SAME, "");
	/* ... until its place is needed. */
	send(mcp,
	     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	     "\"params\":{\"requestId\":1}}",
	     SAME, "");
	send(mcp, CALL("4", "a"), SAME, "");
	answer(mcp, RESULT("1", "refuse-me"), SAME);
	answer(mcp, RESULT("4", "refuse-me"), REFUSED("4", "R"));
	/* A refused batch leaves nothing behind. */
	send(mcp, "[" CALL("5", "a") "," CALL("6", "refuse-me") "]", "",
	     "[" REFUSED("5",
			 "belay: not passed on, since another message of "
			 "its batch was refused") "," REFUSED("6", "R") "]");
	send(mcp, CALL("5", "a"), SAME, "");
	bl_mcp_free(mcp);
}

static void test_names(void)
{
	static const struct {
		const char *name;
		const char *expected;
	} rows[] = {
		{ "github", "github" }, { "My Server!", "My_Server" },
		{ "a__b", "a_b" },      { "__x", "x" },
		{ "\xc3\xa9", "" },     { "mcp-server.js", "mcp-server_js" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_buf out;

		bl_buf_init(&out, 0);
		bl_mcp_put_name(&out, bl_str(rows[i].name));
		CHECK_STR(bl_buf_str(&out), rows[i].expected);
		bl_buf_clear(&out);
	}
}

int main(void)
{
	bl_buf_init(&asked, 0);
	bl_buf_init(&noted, 0);
	RUN(test_client_lines);
	RUN(test_payloads);
	RUN(test_results);
	RUN(test_doubtful_answers);
	RUN(test_servers_own_messages);
	RUN(test_calls_without_answer);
	RUN(test_names);
	bl_buf_clear(&asked);
	bl_buf_clear(&noted);
	return tap_end();
}

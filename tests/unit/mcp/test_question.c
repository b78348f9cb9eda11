/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to the person at the client: what each side gets is written by hand
 * from the specification (2025-06-18 and 2025-11-25, "Elicitation" and
 * "Cancellation").
 */
#include "sessions.h"

#define INITIALIZE(capabilities)                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{" \
	"\"protocolVersion\":\"2025-06-18\",\"capabilities\":" capabilities    \
	",\"clientInfo\":{\"name\":\"c\"}}}"
#define QUESTION(number, arguments)                                            \
	"{\"jsonrpc\":\"2.0\",\"id\":\"Z-" number                              \
	"\",\"method\":\"elicitation/create\",\"params\":{\"message\":"        \
	"\"belay asks: Q\\n\\nTool: echo, of the server "                      \
	"srv\\nArguments: " arguments                                          \
	"\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"         \
	"\"allow\":{\"type\":\"boolean\",\"title\":\"Let this call pass\","    \
	"\"default\":false}},\"required\":[\"allow\"]}}}"
#define SAID(number, result)                                                   \
	"{\"jsonrpc\":\"2.0\",\"id\":\"Z-" number "\",\"result\":" result "}"
#define YES "{\"action\":\"accept\",\"content\":{\"allow\":true}}"
#define CANCELLED(id)                                                          \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","         \
	"\"params\":{\"requestId\":" id "}}"

static struct bl_mcp *open_asking(const char *initialize)
{
	struct bl_mcp *mcp = open_session_with("Z-");

	clock_ms = 5000;
	send(mcp, initialize, SAME, "");
	bl_buf_reset(&asked);
	return mcp;
}

static struct bl_mcp *open_form(void)
{
	return open_asking(INITIALIZE("{\"elicitation\":{}}"));
}

static void test_a_yes(void)
{
	struct bl_mcp *mcp = open_form();

	send(mcp, CALL("1.0", "ask-me"), "",
	     QUESTION("1", "{\\\"t\\\":\\\"ask-me\\\"}"));
	CHECK(bl_str_find(bl_buf_str(&asked),
			  BL_STR("\"permission_mode\":\"attended\""),
			  0) != SIZE_MAX);
	/* Everything else passes meanwhile, and the server has not got the call. */
	send(mcp, CALL("2", "plain"), SAME, "");
	answer(mcp, RESULT("2", "y"), SAME);
	answer(mcp, RESULT("1", "forged"), "");
	send(mcp, CALL("1", "plain"), "",
	     ERROR("1", "-32600", "a call with this id has no answer yet"));
	send(mcp, SAID("1", YES), CALL("1.0", "ask-me"), "");
	/* Once. */
	send(mcp, SAID("1", YES), "", "");
	answer(mcp, RESULT("1.0", "refuse-me"), REFUSED("1.0", "R"));
	/* The next one has another id. */
	send(mcp, CALL("3", "ask-me"), "",
	     QUESTION("2", "{\\\"t\\\":\\\"ask-me\\\"}"));
	send(mcp, SAID("1", YES), "", "");
	send(mcp, SAID("2", YES), CALL("3", "ask-me"), "");
	bl_mcp_free(mcp);
}

/* Answers that are not a yes, and what the client gets for the call. */
static const struct {
	const char *answer;
	const char *why;
} noes[] = {
	{ SAID("1", "{\"action\":\"decline\"}"),
	  "R The person who was asked refused it." },
	{ SAID("1", "{\"action\":\"cancel\"}"),
	  "R The person who was asked did not decide." },
	{ SAID("1", "{\"action\":\"accept\"}"),
	  "R The person who was asked did not let it pass." },
	{ SAID("1", "{\"action\":\"accept\",\"content\":{\"allow\":false}}"),
	  "R The person who was asked did not let it pass." },
	{ SAID("1", "{\"action\":\"accept\",\"content\":{\"allow\":\"true\"}}"),
	  "R The person who was asked did not let it pass." },
	{ SAID("1", "{\"action\":\"accept\",\"content\":{\"allow\":1}}"),
	  "R The person who was asked did not let it pass." },
	{ SAID("1", "{\"action\":\"Accept\",\"content\":{\"allow\":true}}"),
	  "R The client could not ask a person." },
	{ SAID("1", "{\"action\":\"decline\",\"content\":{\"allow\":true}}"),
	  "R The person who was asked refused it." },
	{ SAID("1", "{\"content\":{\"allow\":true}}"),
	  "R The client could not ask a person." },
	{ "{\"jsonrpc\":\"2.0\",\"id\":\"Z-1\",\"error\":{\"code\":-32601,"
	  "\"message\":\"Method not found\"}}",
	  "R The client could not ask a person." },
	{ "{\"jsonrpc\":\"2.0\",\"id\":\"Z-1\"}",
	  "R The client could not ask a person." },
};

static void test_a_no(void)
{
	for (size_t i = 0; i < BL_COUNT(noes); i++) {
		struct bl_mcp *mcp = open_form();
		char refusal[256];

		send(mcp, CALL("7", "ask-me"), "",
		     QUESTION("1", "{\\\"t\\\":\\\"ask-me\\\"}"));
		snprintf(refusal, sizeof(refusal), REFUSED("7", "%s"),
			 noes[i].why);
		send(mcp, noes[i].answer, "", refusal);
		/* A yes that comes after it changes nothing. */
		send(mcp, SAID("1", YES), "", "");
		send(mcp, CALL("7", "plain"), SAME, "");
		bl_mcp_free(mcp);
	}
}

static void test_what_is_asked(void)
{
	struct bl_mcp *mcp = open_form();

	/* About what the server would get; and that is what it gets. */
	send(mcp, CALL("1", "ask-changed"), "",
	     QUESTION("1", "{\\\"t\\\":\\\"changed\\\"}"));
	send(mcp, SAID("1", YES), CALL("1", "changed"), "");
	/* Nothing hides in it. */
	send(mcp, CALL("2", "ask-me\xe2\x80\xae"), "",
	     QUESTION("2", "{\\\"t\\\":\\\"ask-me\\\\u{202E}\\\"}"));
	send(mcp, SAID("2", "{\"action\":\"decline\"}"), "",
	     REFUSED("2", "R The person who was asked refused it."));
	/* Context stands behind the refusal, as it does elsewhere. */
	send(mcp, CALL("3", "ask-and-tell"), "",
	     QUESTION("3", "{\\\"t\\\":\\\"ask-and-tell\\\"}"));
	send(mcp, SAID("3", "{\"action\":\"decline\"}"), "",
	     "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":["
	     "{\"type\":\"text\",\"text\":"
	     "\"R The person who was asked refused it.\"},"
	     "{\"type\":\"text\",\"text\":\"C\"}],\"isError\":true}}");
	bl_mcp_free(mcp);
}

/* Long arguments are cut, and the person is told so. */
static void test_long_arguments(void)
{
	struct bl_mcp *mcp = open_form();
	struct bl_buf line, server, client;

	bl_buf_init(&line, 0);
	bl_buf_init(&server, 0);
	bl_buf_init(&client, 0);
	bl_buf_puts(&line,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call"
		    "\",\"params\":{\"name\":\"e\",\"arguments\":{\"t\":"
		    "\"ask-me");
	for (int i = 0; i < 3000; i++)
		bl_buf_put_char(&line, 'x');
	bl_buf_puts(&line, "\"}}}");
	CHECK_STATUS(bl_mcp_from_client(mcp, bl_buf_str(&line), &server,
					&client, NULL),
		     BL_OK);
	CHECK_INT(server.len, 0);
	/* {"t":"ask-me and "}: 14 bytes, and 3000. */
	CHECK(bl_str_find(bl_buf_str(&client),
			  BL_STR("(1014 more bytes are not shown)"),
			  0) != SIZE_MAX);
	bl_buf_clear(&line);
	bl_buf_clear(&server);
	bl_buf_clear(&client);
	bl_mcp_free(mcp);
}

/* Clients that show no questions, and calls that none is about. */
static void test_nobody_is_asked(void)
{
	static const char *const clients[] = {
		INITIALIZE("{}"),
		INITIALIZE("{\"elicitation\":true}"),
		INITIALIZE("{\"elicitation\":{\"url\":{}}}"),
	};
	struct bl_mcp *mcp;

	for (size_t i = 0; i < BL_COUNT(clients); i++) {
		mcp = open_asking(clients[i]);
		send(mcp, CALL("1", "ask-me"), "", REFUSED("1", "R"));
		CHECK(bl_str_find(bl_buf_str(&asked), BL_STR("attended"), 0) ==
		      SIZE_MAX);
		/* The ids are not belay's here. */
		send(mcp, SAID("1", YES), SAME, "");
		bl_mcp_free(mcp);
	}
	mcp = open_session(); /* it was not switched on */
	send(mcp, INITIALIZE("{\"elicitation\":{}}"), SAME, "");
	send(mcp, CALL("1", "ask-me"), "", REFUSED("1", "R"));
	bl_mcp_free(mcp);
	mcp = open_asking(
		INITIALIZE("{\"elicitation\":{\"form\":{},\"url\":{}}}"));
	send(mcp, "[" CALL("1", "ask-me") "]", "", "[" REFUSED("1", "R") "]");
	send(mcp, CALL("2", "plain"), SAME, "");
	answer(mcp, RESULT("2", "ask-me"), REFUSED("2", "R"));
	/* More than may be open. */
	send(mcp, CALL("3", "ask-me"), "",
	     QUESTION("1", "{\\\"t\\\":\\\"ask-me\\\"}"));
	send(mcp, CALL("4", "ask-me"), "",
	     QUESTION("2", "{\\\"t\\\":\\\"ask-me\\\"}"));
	send(mcp, CALL("5", "ask-me"), "", REFUSED("5", "R"));
	/* An answer in a batch is still not the server's. */
	send(mcp, "[" SAID("2", YES) ",{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]",
	     CALL("4", "ask-me") "\n[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]",
	     "");
	send(mcp, "[" SAID("1", YES) "]", CALL("3", "ask-me"), "");
	bl_mcp_free(mcp);
}

static void test_questions_that_end(void)
{
	struct bl_mcp *mcp = open_form();
	struct bl_buf client;
	int wait_ms = 0;

	bl_buf_init(&client, 0);
	CHECK_STATUS(bl_mcp_end_late_questions(mcp, &client, &wait_ms, NULL),
		     BL_OK);
	CHECK_INT(wait_ms, -1);
	send(mcp, CALL("1", "ask-me"), "",
	     QUESTION("1", "{\\\"t\\\":\\\"ask-me\\\"}"));
	clock_ms += 400;
	send(mcp, CALL("2", "ask-me"), "",
	     QUESTION("2", "{\\\"t\\\":\\\"ask-me\\\"}"));
	CHECK_STATUS(bl_mcp_end_late_questions(mcp, &client, &wait_ms, NULL),
		     BL_OK);
	CHECK_INT(wait_ms, 600);
	CHECK_INT(client.len, 0);
	clock_ms += 600;
	CHECK_STATUS(bl_mcp_end_late_questions(mcp, &client, &wait_ms, NULL),
		     BL_OK);
	CHECK_INT(wait_ms, 400);
	check_out("a late question", &client,
		  CANCELLED("\"Z-1\"") "\n" REFUSED(
			  "1", "R Nobody answered the question in time."),
		  "");
	/* The client gives up a call that waits: the server never heard of it. */
	send(mcp, CANCELLED("2"), "", CANCELLED("\"Z-2\""));
	send(mcp, SAID("2", YES), "", "");
	bl_buf_reset(&client);
	CHECK_STATUS(bl_mcp_end_late_questions(mcp, &client, &wait_ms, NULL),
		     BL_OK);
	CHECK_INT(wait_ms, -1);
	CHECK_INT(client.len, 0);
	bl_buf_clear(&client);
	bl_mcp_free(mcp);
}

int main(void)
{
	bl_buf_init(&asked, 0);
	bl_buf_init(&noted, 0);
	RUN(test_a_yes);
	RUN(test_a_no);
	RUN(test_what_is_asked);
	RUN(test_long_arguments);
	RUN(test_nobody_is_asked);
	RUN(test_questions_that_end);
	bl_buf_clear(&asked);
	bl_buf_clear(&noted);
	return tap_end();
}

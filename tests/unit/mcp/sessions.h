/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session of the Model Context Protocol, line by line.  The decision is the
 * test's: a word in the arguments or in the result says which.
 */
#ifndef BELAY_TESTS_MCP_SESSIONS_H
#define BELAY_TESTS_MCP_SESSIONS_H

#include "tap.h"

#include "json/json.h"
#include "mcp/mcp.h"

enum { MOST_CALLS = 3, MOST_QUESTIONS = 2, QUESTION_MS = 1000 };

static struct bl_buf asked; /* the payloads of the decisions, a line each */
static struct bl_buf noted;
static int64_t clock_ms;

/* Words in a payload, and what is decided then. */
static const struct {
	const char *word;
	enum bl_verb effect;
	const char *output;
	const char *errors;
	enum bl_status status;
} decisions[] = {
	{ "refuse-me", BL_VERB_DENY, "{\"reason\":\"R\"}\n", "", BL_OK },
	{ "refuse-and-tell", BL_VERB_DENY,
	  "{\"context\":[\"C\"],\"reason\":\"R\"}\n", "", BL_OK },
	{ "emergency", BL_VERB_DENY, "", "E\n", BL_OK },
	{ "broken", BL_VERB_ALLOW, "", "", BL_UNSUPPORTED },
	{ "garbled", BL_VERB_ALLOW, "{\n", "", BL_OK },
	{ "change-me", BL_VERB_MODIFY, "{\"arguments\":{\"t\":\"changed\"}}\n",
	  "", BL_OK },
	{ "ask-me", BL_VERB_ASK, "{\"question\":\"Q\",\"reason\":\"R\"}\n", "",
	  BL_OK },
	{ "ask-and-tell", BL_VERB_ASK,
	  "{\"context\":[\"C\"],\"question\":\"Q\",\"reason\":\"R\"}\n", "",
	  BL_OK },
	{ "ask-changed", BL_VERB_ASK,
	  "{\"arguments\":{\"t\":\"changed\"},\"question\":\"Q\",\"reason\":"
	  "\"R\"}\n",
	  "", BL_OK },
	{ "tell-me", BL_VERB_ADD_CONTEXT, "{\"context\":[\"C1\",\"C2\"]}\n", "",
	  BL_OK },
};

static inline enum bl_status decide(void *context, struct bl_str payload,
				    struct bl_arena *arena,
				    struct bl_response *out_response,
				    struct bl_error *err)
{
	(void)context;
	(void)arena;
	bl_buf_put_str(&asked, payload);
	bl_buf_put_char(&asked, '\n');
	*out_response = (struct bl_response){ .output = BL_STR("{}\n") };
	for (size_t i = 0; i < BL_COUNT(decisions); i++) {
		if (bl_str_find(payload, bl_str(decisions[i].word), 0) ==
		    SIZE_MAX)
			continue;
		if (decisions[i].status)
			return bl_fail(err, decisions[i].status, "F");
		out_response->effect = decisions[i].effect;
		out_response->output = bl_str(decisions[i].output);
		out_response->errors = bl_str(decisions[i].errors);
		break;
	}
	return BL_OK;
}

static inline void note(void *context, const char *text)
{
	(void)context;
	bl_buf_puts(&noted, text);
}

static inline int64_t now_ms(void *context)
{
	(void)context;
	return clock_ms;
}

static inline struct bl_mcp *open_session_with(const char *question_prefix)
{
	const struct bl_mcp_options options = {
		.server = BL_STR("srv"),
		.session = BL_STR("s1"),
		.cwd = BL_STR("/w"),
		.max_depth = 16,
		.most_calls = MOST_CALLS,
		.decide = decide,
		.note = note,
		.question_prefix = bl_str(question_prefix),
		.question_ms = QUESTION_MS,
		.most_questions = MOST_QUESTIONS,
		.now_ms = now_ms,
	};
	struct bl_mcp *mcp = NULL;

	bl_buf_reset(&asked);
	bl_buf_reset(&noted);
	CHECK_STATUS(bl_mcp_new(&options, &mcp, NULL), BL_OK);
	return mcp;
}

static inline struct bl_mcp *open_session(void)
{
	return open_session_with("");
}

/* ---- one line, both ways ------------------------------------------------- */

#define CALL(id, text)                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                      \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","            \
	"\"arguments\":{\"t\":\"" text "\"}}}"
#define RESULT(id, text)                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                      \
	",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text        \
	"\"}]}}"
#define REFUSED(id, text)                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                      \
	",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text        \
	"\"}],\"isError\":true}}"
#define ERROR(id, code, text)                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code         \
	",\"message\":\"belay: " text "\"}}"
#define SAME "same"

static inline void check_out(const char *what, const struct bl_buf *out,
			     const char *expected, const char *line)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, strcmp(expected, SAME) ? expected : line);
	if (text.len || !strcmp(expected, SAME))
		bl_buf_put_char(&text, '\n');
	if (!bl_str_equal(bl_buf_str(out), bl_buf_str(&text))) {
		tap_failures++;
		TAP_NOTE("%s: got %s", what, out->ptr);
		TAP_NOTE("not %s", text.ptr);
	}
	bl_buf_clear(&text);
}

static inline void send(struct bl_mcp *mcp, const char *line,
			const char *to_server, const char *to_client)
{
	struct bl_buf server, client;

	bl_buf_init(&server, 0);
	bl_buf_init(&client, 0);
	CHECK_STATUS(
		bl_mcp_from_client(mcp, bl_str(line), &server, &client, NULL),
		BL_OK);
	check_out("to the server", &server, to_server, line);
	check_out("to the client", &client, to_client, line);
	bl_buf_clear(&server);
	bl_buf_clear(&client);
}

static inline void answer(struct bl_mcp *mcp, const char *line,
			  const char *to_client)
{
	struct bl_buf client;

	bl_buf_init(&client, 0);
	CHECK_STATUS(bl_mcp_from_server(mcp, bl_str(line), &client, NULL),
		     BL_OK);
	check_out("the answer", &client, to_client, line);
	bl_buf_clear(&client);
}

#endif

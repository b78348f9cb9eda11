/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/private.h: what the files of this module share. */
#ifndef BELAY_MCP_PRIVATE_H
#define BELAY_MCP_PRIVATE_H

#include "mcp/mcp.h"
#include "value/value.h"

/* ---- messages (message.c) ----------------------------------------------- */

/* The errors of JSON-RPC that are said here. */
enum bl_rpc_error {
	BL_RPC_PARSE = -32700,
	BL_RPC_INVALID_REQUEST = -32600,
	BL_RPC_INVALID_PARAMS = -32602,
};

/* {"jsonrpc":"2.0","id":ID,"error":{...}}; an undefined id is null. */
struct bl_value bl_mcp_error(struct bl_arena *arena, struct bl_value id,
			     enum bl_rpc_error code, struct bl_str text);

/* {"jsonrpc":"2.0","id":ID,"result":{"content":[TEXT],"isError":true}} */
struct bl_value bl_mcp_refusal(struct bl_arena *arena, struct bl_value id,
			       struct bl_str text);

/* The object with one member replaced, or added. */
struct bl_value bl_mcp_with(struct bl_arena *arena, struct bl_value object,
			    const char *key, struct bl_value value);

/* The answer with these texts behind its content; as it is without any. */
struct bl_value bl_mcp_with_context(struct bl_arena *arena,
				    struct bl_value message,
				    struct bl_value first,
				    struct bl_value second);

/*
 * Why a message of the client cannot be passed on: NULL, it can.  *out_code is
 * the error's.
 */
const char *bl_mcp_fault(struct bl_value message, enum bl_rpc_error *out_code);

bool bl_mcp_is_call(struct bl_value message);

/* Of a server: could a reader take the message for an answer? */
bool bl_mcp_is_answer(struct bl_value message);
/* Of a server: could two readers take it for two things? */
bool bl_mcp_is_doubtful(struct bl_value message);

/* ---- calls without an answer (calls.c) ---------------------------------- */

struct bl_mcp_call {
	struct bl_buf id;      /* canonical JSON; empty: a free place */
	struct bl_buf payload; /* of the decision about it */
	struct bl_buf context; /* JSON of what is to be put behind the result */
	/* While a person is asked, before the server gets the call: */
	struct bl_buf question; /* its id; empty: nobody is asked */
	struct bl_buf held;     /* the line that the server gets on a yes */
	struct bl_buf reason;   /* of the refusal on anything else */
	int64_t deadline_ms;
	bool is_cancelled;
	uint64_t order; /* the smallest is the oldest */
};

struct bl_mcp_calls {
	struct bl_mcp_call *list;
	uint32_t most;
	uint64_t made;
};

/* The call of that id; NULL: none. */
struct bl_mcp_call *bl_mcp_calls_find(const struct bl_mcp_calls *calls,
				      struct bl_value id);

/*
 * A new call of that id, in a free place or in that of the oldest that was
 * cancelled; NULL without one.
 */
struct bl_mcp_call *bl_mcp_calls_add(struct bl_mcp_calls *calls,
				     struct bl_value id);
void bl_mcp_call_clear(struct bl_mcp_call *call);

/* Calls that wait for a person: their number; the one of that question, or NULL. */
uint32_t bl_mcp_calls_count_asked(const struct bl_mcp_calls *calls);
struct bl_mcp_call *bl_mcp_calls_find_question(const struct bl_mcp_calls *calls,
					       struct bl_str id);

/* ---- the session (session.c) -------------------------------------------- */

struct bl_mcp {
	struct bl_mcp_options options;
	struct bl_arena kept;  /* the options' texts */
	struct bl_arena arena; /* of one line */
	struct bl_mcp_calls calls;
	struct bl_buf client; /* JSON of clientInfo; empty: not known yet */
	uint64_t asked;       /* questions so far */
	bool can_ask;         /* the client shows questions to a person */
	bool has_noted_text;  /* that the server prints other things */
	bool has_text_ids;    /* among those of the client's requests */
};

/* Tells a person, in one line. */
void bl_mcp_note(struct bl_mcp *mcp, const char *fmt, ...) BL_PRINTF(2, 3);

/* A line as it was read: as it came where there is one way to read it. */
struct bl_mcp_line {
	struct bl_str text;
	struct bl_value value;
	bool is_changed;
};

enum bl_status bl_mcp_read_line(struct bl_mcp *mcp, struct bl_str text,
				struct bl_mcp_line *out_line,
				struct bl_error *err);
void bl_mcp_put_read(struct bl_buf *out, const struct bl_mcp_line *line);
void bl_mcp_put_line(struct bl_buf *out, struct bl_value message);

/* The messages of a line: those of a batch, or the one. */
size_t bl_mcp_message_count(struct bl_value value);
struct bl_value bl_mcp_message_at(struct bl_value value, size_t i);

/* The new messages of a line: an array where the line was one. */
struct bl_value bl_mcp_like(struct bl_value value,
			    struct bl_array_builder *messages);

/* The end of a line: NO_MEMORY or LIMIT where it could not be handled. */
enum bl_status bl_mcp_finish(struct bl_mcp *mcp, struct bl_error *err);

/* The decision about an event, read. */
struct bl_mcp_decided {
	struct bl_str reason;   /* ptr NULL: it may pass */
	struct bl_str question; /* a person may let it pass; empty: nobody */
	struct bl_value arguments;
	struct bl_value context;
};

/* Refuses where no decision can be had. */
void bl_mcp_decide(struct bl_mcp *mcp, const struct bl_buf *payload,
		   struct bl_mcp_decided *out_decided);

/* The context that goes behind the answer to a call; undefined: none. */
struct bl_value bl_mcp_call_context(struct bl_mcp *mcp,
				    const struct bl_mcp_call *call);

/* The answer to a refused call. */
struct bl_value bl_mcp_refuse(struct bl_mcp *mcp, struct bl_value id,
			      const struct bl_mcp_decided *decided);

/* ---- questions (question.c) --------------------------------------------- */

/* Does a client with these parameters of initialize show questions? */
bool bl_mcp_shows_questions(struct bl_value params);

/*
 * Asks the person at the client about a call: *out_question is what the client
 * gets, and the call waits.  False: memory is out, and nothing waits.
 */
bool bl_mcp_ask(struct bl_mcp *mcp, struct bl_mcp_call *call,
		struct bl_value message, const struct bl_mcp_decided *decided,
		struct bl_value *out_question);

/* Did the person say yes: accepted, with a tick?  And if not, in words. */
bool bl_mcp_says_yes(struct bl_value answer);
const char *bl_mcp_why_not(struct bl_value answer);

/* The line that the server gets; the call is from now on like any other. */
struct bl_str bl_mcp_release(struct bl_mcp *mcp, struct bl_mcp_call *call);

/* The refusal of a call that waited; the call is over. */
struct bl_value bl_mcp_end_question(struct bl_mcp *mcp,
				    struct bl_mcp_call *call, const char *why);

/* Tells the client that its question is not open any more. */
struct bl_value bl_mcp_take_back(struct bl_mcp *mcp,
				 const struct bl_mcp_call *call);

#endif

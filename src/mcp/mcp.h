/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/mcp.h: what passes between a client and a server of the Model Context
 * Protocol, over standard input and output: one JSON-RPC message a line
 * (docs/guide/mcp.md).  `belay mcp-proxy` is this module and the relay of lib/os.
 *
 * Lines pass byte for byte, but for these:
 *
 *  - tools/call: the call is decided first.  Refused, the client gets a result
 *    with "isError" and the reason, which the specification has for errors that
 *    the model is to read; the server hears nothing.  Changed, the server gets
 *    the new arguments.
 *  - a call that a person is to be asked about: with options.question_prefix, and a
 *    client that has the capability "elicitation", it waits, and the client gets
 *    an elicitation/create of belay's own.  A yes (accepted, and its tick set)
 *    passes it on; no, silence, a failure refuse it.  Elsewhere it is refused
 *    at once.
 *  - its result: decided, too.  Refused, the client gets the reason in its place;
 *    context is put behind its content.
 *  - what could be read in two ways (a key twice, half a surrogate pair) is passed
 *    on as it was read here.
 *  - what is not a message is not passed on: the client gets an error of
 *    JSON-RPC, a server's is noted.
 *
 * A batch (an array) passes as a whole or not at all.
 *
 * A struct bl_mcp is one session; one thread uses it.
 */
#ifndef BELAY_MCP_MCP_H
#define BELAY_MCP_MCP_H

#include "agents/agents.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

struct bl_mcp; /* heap */

struct bl_mcp_options {
	struct bl_str server;  /* its name in the names of tools */
	struct bl_str session; /* id of this session */
	struct bl_str cwd;
	uint32_t max_depth;     /* of JSON */
	uint32_t most_calls;    /* without an answer; more are refused */
	size_t max_arena_bytes; /* of memory for one line */
	/*
	 * Decides an event of the agent "mcp" (agents/mcp.c): payload is its
	 * JSON, the response lives in arena.  A failure refuses.
	 */
	enum bl_status (*decide)(void *context, struct bl_str payload,
				 struct bl_arena *arena,
				 struct bl_response *out_response,
				 struct bl_error *err);
	/* Tells a person, in one line. */
	void (*note)(void *context, const char *text);
	/*
	 * The ids of questions to a person begin with it.  A server that guessed
	 * it could pass its own question off as ours: it is random.  Empty:
	 * nobody is asked, and the rest is not used.
	 */
	struct bl_str question_prefix;
	uint32_t question_ms;    /* then an open question is a refusal */
	uint32_t most_questions; /* open at a time; more are refusals */
	int64_t (*now_ms)(void *context); /* of a clock that only goes on */
	void *context;
};

/* Texts are copied.  NO_MEMORY. */
enum bl_status bl_mcp_new(const struct bl_mcp_options *options,
			  struct bl_mcp **out_mcp, struct bl_error *err);
struct bl_mcp *bl_mcp_free(struct bl_mcp *mcp); /* NULL */

/*
 * One line of the client, without its newline: appends what the server gets, or
 * what the client gets for it, with newlines.  Fails when memory is out alone.
 */
enum bl_status bl_mcp_from_client(struct bl_mcp *mcp, struct bl_str text,
				  struct bl_buf *to_server,
				  struct bl_buf *to_client,
				  struct bl_error *err);

/* One line of the server. */
enum bl_status bl_mcp_from_server(struct bl_mcp *mcp, struct bl_str text,
				  struct bl_buf *to_client,
				  struct bl_error *err);

/*
 * Refuses the calls whose question has been open for too long.  *out_wait_ms: call
 * it again then; -1: no question is open.
 */
enum bl_status bl_mcp_end_late_questions(struct bl_mcp *mcp,
					 struct bl_buf *to_client,
					 int *out_wait_ms,
					 struct bl_error *err);

/* The name of a server in the names of tools: letters, digits, - and _. */
void bl_mcp_put_name(struct bl_buf *out, struct bl_str name);

#endif

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

#endif

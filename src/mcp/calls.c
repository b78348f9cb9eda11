/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c: the calls that have no answer yet.  Their number is small, so they
 * are looked through.  A cancelled call keeps its place as long as there is
 * room: its server may answer all the same.
 */
#include "json/json.h"
#include "mcp/private.h"

struct bl_mcp_call *bl_mcp_calls_find(const struct bl_mcp_calls *calls,
				      struct bl_value id)
{
	struct bl_mcp_call *found = NULL;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_json_write(&text, id, BL_JSON_CANONICAL);
	for (uint32_t i = 0; i < calls->most && !found; i++)
		if (text.len && bl_str_equal(bl_buf_str(&calls->list[i].id),
					     bl_buf_str(&text)))
			found = &calls->list[i];
	bl_buf_clear(&text);
	return found;
}

static struct bl_mcp_call *find_place(const struct bl_mcp_calls *calls)
{
	struct bl_mcp_call *oldest = NULL;

	for (uint32_t i = 0; i < calls->most; i++) {
		struct bl_mcp_call *call = &calls->list[i];

		if (!call->id.len)
			return call;
		if (call->is_cancelled &&
		    (!oldest || call->order < oldest->order))
			oldest = call;
	}
	return oldest;
}

struct bl_mcp_call *bl_mcp_calls_add(struct bl_mcp_calls *calls,
				     struct bl_value id)
{
	struct bl_mcp_call *call = find_place(calls);

	if (!call)
		return NULL;
	bl_mcp_call_clear(call);
	bl_json_write(&call->id, id, BL_JSON_CANONICAL);
	call->order = calls->made++;
	return call;
}

void bl_mcp_call_clear(struct bl_mcp_call *call)
{
	bl_buf_clear(&call->id);
	bl_buf_clear(&call->payload);
	bl_buf_clear(&call->context);
	bl_buf_clear(&call->question);
	bl_buf_clear(&call->held);
	bl_buf_clear(&call->reason);
	*call = (struct bl_mcp_call){ .is_cancelled = false };
	bl_buf_init(&call->id, 0);
	bl_buf_init(&call->payload, 0);
	bl_buf_init(&call->context, 0);
	bl_buf_init(&call->question, 0);
	bl_buf_init(&call->held, 0);
	bl_buf_init(&call->reason, 0);
}

uint32_t bl_mcp_calls_count_asked(const struct bl_mcp_calls *calls)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < calls->most; i++)
		count += calls->list[i].question.len > 0;
	return count;
}

struct bl_mcp_call *bl_mcp_calls_find_question(const struct bl_mcp_calls *calls,
					       struct bl_str id)
{
	for (uint32_t i = 0; i < calls->most; i++)
		if (calls->list[i].question.len &&
		    bl_str_equal(bl_buf_str(&calls->list[i].question), id))
			return &calls->list[i];
	return NULL;
}

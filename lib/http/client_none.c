/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that are static have no HTTP client: belay, and belay-tools where
 * that is linked with nothing at run time (-Dstatic_tools).
 */
#include "http/http.h"

bool bl_http_is_linked(void)
{
	return false;
}

enum bl_status bl_http_client_new(struct bl_http_client **out_client,
				  struct bl_error *err)
{
	(void)err;
	*out_client = NULL;
	return BL_OK;
}

struct bl_http_client *bl_http_client_free(struct bl_http_client *client)
{
	(void)client;
	return NULL;
}

enum bl_status bl_http_run(struct bl_http_client *client,
			   const struct bl_http_request *requests, size_t count,
			   struct bl_arena *arena,
			   struct bl_http_result *results, struct bl_error *err)
{
	(void)client;
	(void)requests;
	(void)count;
	(void)arena;
	(void)results;
	return bl_fail(err, BL_UNSUPPORTED, "this program sends no requests");
}

enum bl_status bl_http_exchange(struct bl_http_client *client,
				const struct bl_http_call *call,
				struct bl_arena *arena,
				struct bl_http_reply *out_reply,
				struct bl_error *err)
{
	(void)client;
	(void)call;
	(void)arena;
	(void)out_reply;
	return bl_fail(err, BL_UNSUPPORTED, "this program sends no requests");
}

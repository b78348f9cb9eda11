/* SPDX-License-Identifier: Apache-2.0 */
/* The static program has no HTTP client. */
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.c: the pages, which are a part of the program (src/server/pages/, and
 * src/pages/, which belay ui has, too).  They hold no data, so browsers may keep them.
 */
#include "server/app.h"

static const char *const paths[] = {
	"machines", "hooks",  "sets",   "executions", "exceptions",
	"audit",    "tokens", "device", NULL,
};

static const struct bl_server_pages pages = { server_files, paths };

/* The reply's file, unless the browser has it: by the digest of its text. */
static enum bl_status send_changed(struct call *call)
{
	struct bl_str had = bl_server_header(call->request, "If-None-Match");
	struct bl_server_reply *reply = call->reply;
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_str etag;

	bl_sha256_hex(reply->body, digest);
	etag = bl_arena_printf(call->arena, "\"%.32s\"", digest);
	if (!etag.ptr)
		return bl_fail_memory(&call->err);
	bl_server_reply_header(reply, "ETag", etag.ptr);
	bl_server_reply_header(reply, "Cache-Control", "no-cache");
	if (bl_str_equal(had, etag)) {
		reply->status = 304;
		reply->type = NULL;
		reply->body = BL_STR("");
	}
	return BL_OK;
}

/* GET /assets/NAME */
enum bl_status route_asset(struct call *call)
{
	enum bl_status status = bl_server_reply_asset(
		call->request, call->reply, &pages, &call->err);

	return status ? status : send_changed(call);
}

/* GET / and the paths of pages */
enum bl_status route_page(struct call *call)
{
	enum bl_status status = bl_server_reply_page(call->request, call->reply,
						     &pages, &call->err);

	return status ? status : send_changed(call);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.c: the pages, which are a part of the program: one document, its style and
 * its modules (src/server/pages/).  They hold no data.
 */
#include "server/pages.h"

#include "server/app.h"

static const struct {
	const char *name;
	const char *type;
	const char *text;
} assets[] = {
#define ASSET(file, constant, media) { file, media, constant },
#include "server/pages/pages.def"
#undef ASSET
};

/* Paths of pages; all of them are the one document. */
static const char *const pages[] = {
	"machines", "hooks",  "executions", "exceptions", "audit",
	"tokens",   "device", "sets",       "opa",
};

/* By the digest of the program: all of the pages change with it. */
static enum bl_status send(struct call *call, size_t asset)
{
	struct bl_str text = bl_str(assets[asset].text);
	struct bl_str had = bl_server_header(call->request, "If-None-Match");
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_str etag;

	bl_sha256_hex(text, digest);
	etag = bl_arena_printf(call->arena, "\"%.32s\"", digest);
	if (!etag.ptr)
		return bl_fail_memory(&call->err);
	bl_server_reply_header(call->reply, "ETag", etag.ptr);
	bl_server_reply_header(call->reply, "Cache-Control", "no-cache");
	if (bl_str_equal(had, etag)) {
		call->reply->status = 304;
		return BL_OK;
	}
	call->reply->type = assets[asset].type;
	call->reply->body = text;
	return BL_OK;
}

/* GET /assets/NAME */
enum bl_status route_asset(struct call *call)
{
	for (size_t i = 0; i < BL_COUNT(assets); i++)
		if (bl_str_is(call->request->parts[0], assets[i].name))
			return send(call, i);
	return bl_fail(&call->err, BL_NOT_FOUND, "there is no such asset");
}

/* GET / and the paths of pages */
enum bl_status route_page(struct call *call)
{
	struct bl_str part = call->request->parts[0];

	if (!part.len)
		return send(call, 0);
	for (size_t i = 0; i < BL_COUNT(pages); i++)
		if (bl_str_is(part, pages[i]))
			return send(call, 0);
	return bl_fail(&call->err, BL_NOT_FOUND, "there is no such page");
}

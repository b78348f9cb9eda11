/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.c: the pages, which are a part of the program (src/ui/pages/, and
 * src/pages/, which belay-server has, too).  They hold no data.
 */
#include "ui/pages.h"

#include "ui/app.h"

static const struct {
	const char *name;
	const char *type;
	const char *text;
} assets[] = {
#define ASSET(file, constant, media) { file, media, constant },
#include "ui/pages/pages.def"
#undef ASSET
};

/* Paths of pages; all of them are the one document. */
static const char *const pages[] = { "hooks", "rules", "log", "try" };

static enum bl_status send(struct call *call, size_t asset)
{
	call->reply->type = assets[asset].type;
	call->reply->body = bl_str(assets[asset].text);
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

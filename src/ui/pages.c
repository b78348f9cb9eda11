/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.c: the pages, which are a part of the program (src/ui/pages/, and
 * src/pages/, which belay-server has, too).  They hold no data.
 */
#include "ui/app.h"

static const char *const paths[] = { "hooks", "rules", "log", "try", NULL };

static const struct bl_server_pages pages = { ui_files, paths };

/* GET /assets/NAME */
enum bl_status route_asset(struct call *call)
{
	return bl_server_reply_asset(call->request, call->reply, &pages,
				     &call->err);
}

/* GET / and the paths of pages */
enum bl_status route_page(struct call *call)
{
	return bl_server_reply_page(call->request, call->reply, &pages,
				    &call->err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ui/routes.h: the table of routes, and the server that answers by it. */
#ifndef BELAY_UI_ROUTES_H
#define BELAY_UI_ROUTES_H

#include "ui/app.h"

struct ui_route {
	unsigned method;
	unsigned flags; /* enum ui_route_flags */
	const char *path;
	size_t max_body;
	enum bl_status (*run)(struct call *call);
};

extern const struct ui_route ui_routes[];
extern const size_t ui_route_count;

/* Listens, and makes the secrets: app->server, app->session. */
enum bl_status ui_serve(struct app *app, const char *listen,
			struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* server/routes.h: what the program asks of the routes and of the clock. */
#ifndef BELAY_SERVER_ROUTES_H
#define BELAY_SERVER_ROUTES_H

#include "server/app.h"

/* The authorisation as a Markdown table. */
void app_routes_print(struct bl_buf *out);

/* Does what is due: call it about once a second. */
void app_tick(struct app *app);

#endif

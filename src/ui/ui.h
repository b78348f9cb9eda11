/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui/ui.h: how belay-tools starts belay-ui, the program behind `belay ui`.
 *
 * belay-ui is a program of its own because it links an HTTP server, which the
 * commands need not carry.  Nobody else starts it: its arguments are as many
 * texts, in this order.
 */
#ifndef BELAY_UI_UI_H
#define BELAY_UI_UI_H

enum bl_ui_argument {
	BL_UI_PROGRAM,
	BL_UI_PROJECT, /* folder, absolute */
	BL_UI_HOME,    /* of the user, absolute */
	BL_UI_CONFIG,  /* folder of the user's configurations, absolute */
	BL_UI_STATE,   /* folder of the log, absolute */
	BL_UI_PORT,    /* 0: a free one */
	BL_UI_IDLE_S,  /* seconds without a request after which it ends */
	BL_UI_OPEN,    /* "open": in a browser; "print": the address alone */
	BL_UI_ARGUMENTS
};

#endif

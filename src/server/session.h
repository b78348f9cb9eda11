/* SPDX-License-Identifier: Apache-2.0 */
/* server/session.h: what the two ways of people to sign in share. */
#ifndef BELAY_SERVER_SESSION_H
#define BELAY_SERVER_SESSION_H

#include "server/app.h"

struct session_wish {
	struct bl_str name;
	enum app_role role;
	struct bl_str by; /* the token, or the person, that it ends with */
	int64_t until; /* it is over then at the latest; 0: nothing says so */
};

/* A new session, with its entry in the audit trail, and its cookie. */
enum bl_status session_begin(struct call *call, struct bl_db *db,
			     const struct session_wish *wish);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* server/enrol.h: what the two ways to enrol a machine share. */
#ifndef BELAY_SERVER_ENROL_H
#define BELAY_SERVER_ENROL_H

#include "server/app.h"

struct enrol_wish {
	struct bl_str name;     /* of the machine */
	struct bl_str labels;   /* JSON */
	struct bl_str by;       /* for the audit trail */
	const char *token_name; /* of the token's member in the reply */
};

/* Makes the machine and its token, and replies with them. */
enum bl_status enrol_machine(struct call *call, const struct enrol_wish *wish);

/* At most 128 printable characters. */
struct bl_str enrol_clean_name(struct bl_arena *arena, struct bl_str name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statuses, versions, and errors as callers get them.  Separate, since every
 * other file of this module ends its calls here.
 */
#include <string.h>

#include "api/private.h"

#define STATUS(name, exit_code, text)                                          \
	_Static_assert(BELAY_##name == (exit_code), #name);
#include "base/status.def"
#undef STATUS

/* An older caller's struct may be shorter, and then the message is. */
belay_status bl_api_fail(const struct bl_error *from, belay_error *to)
{
	size_t room;

	if (to && to->struct_size > offsetof(belay_error, message)) {
		room = to->struct_size - offsetof(belay_error, message);
		if (room > sizeof(to->message))
			room = sizeof(to->message);
		to->status = bl_status_exit_code(from->status);
		room = strnlen(from->message, room - 1);
		memcpy(to->message, from->message, room);
		to->message[room] = '\0';
	}
	return bl_status_exit_code(from->status);
}

belay_status bl_api_fail_null(belay_error *to, const char *what)
{
	struct bl_error err;

	bl_fail(&err, BL_USAGE, "%s is NULL", what);
	return bl_api_fail(&err, to);
}

belay_status bl_api_fail_profile(belay_error *to, const char *name)
{
	struct bl_error err;

	bl_fail(&err, BL_NOT_FOUND, "there is no profile '%s'", name);
	return bl_api_fail(&err, to);
}

const char *belay_version(void)
{
	return BELAY_VERSION;
}

const char *belay_status_text(belay_status status)
{
	for (enum bl_status i = 0; i < BL_STATUS_COUNT; i++) {
		if (bl_status_exit_code(i) == status)
			return bl_status_text(i);
	}
	return "unknown status";
}

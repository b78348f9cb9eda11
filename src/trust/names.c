/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: the words for modes and states, as files and people see them. */
#include "trust/trust.h"

static const char *const state_names[] = {
	[BL_TRUST_UNKNOWN] = "unknown",
	[BL_TRUST_TRUSTED] = "trusted",
	[BL_TRUST_CHANGED] = "changed",
};

static const char *const mode_names[] = {
	[BL_TRUST_PINNED] = "pinned",
	[BL_TRUST_FOLDER] = "folder",
};

const char *bl_trust_state_name(enum bl_trust_state state)
{
	return (size_t)state < BL_COUNT(state_names) ? state_names[state] : "";
}

const char *bl_trust_mode_name(enum bl_trust_mode mode)
{
	return (size_t)mode < BL_COUNT(mode_names) ? mode_names[mode] : "";
}

bool bl_trust_mode_parse(struct bl_str text, enum bl_trust_mode *out_mode)
{
	for (size_t i = 0; i < BL_COUNT(mode_names); i++) {
		if (bl_str_is(text, mode_names[i])) {
			*out_mode = (enum bl_trust_mode)i;
			return true;
		}
	}
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "trust/trust.h"

static void names(void)
{
	CHECK(!strcmp(bl_trust_state_name(BL_TRUST_UNKNOWN), "unknown"));
	CHECK(!strcmp(bl_trust_state_name(BL_TRUST_TRUSTED), "trusted"));
	CHECK(!strcmp(bl_trust_state_name(BL_TRUST_CHANGED), "changed"));
	CHECK(!strcmp(bl_trust_state_name((enum bl_trust_state)9), ""));
	CHECK(!strcmp(bl_trust_mode_name(BL_TRUST_PINNED), "pinned"));
	CHECK(!strcmp(bl_trust_mode_name(BL_TRUST_FOLDER), "folder"));
	CHECK(!strcmp(bl_trust_mode_name((enum bl_trust_mode)9), ""));
}

static void modes_from_text(void)
{
	enum bl_trust_mode mode = BL_TRUST_PINNED;

	CHECK(bl_trust_mode_parse(BL_STR("folder"), &mode));
	CHECK_INT(mode, BL_TRUST_FOLDER);
	CHECK(bl_trust_mode_parse(BL_STR("pinned"), &mode));
	CHECK_INT(mode, BL_TRUST_PINNED);
	CHECK(!bl_trust_mode_parse(BL_STR("Pinned"), &mode));
	CHECK(!bl_trust_mode_parse(BL_STR(""), &mode));
}

int main(void)
{
	RUN(names);
	RUN(modes_from_text);
	return tap_end();
}

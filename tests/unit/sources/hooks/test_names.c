/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "sources/hooks/hooks.h"

static void sources(void)
{
	static const char *const names[] = { "enterprise", "team", "project",
					     "user", "plugin" };

	for (size_t i = 0; i < BL_SOURCE_COUNT; i++) {
		CHECK(!strcmp(bl_source_name((enum bl_source)i), names[i]));
		CHECK(bl_source_is_managed((enum bl_source)i) == (i < 2));
	}
	CHECK(!strcmp(bl_source_name(BL_SOURCE_COUNT), ""));
	CHECK(!bl_source_is_managed(BL_SOURCE_COUNT));
}

static void states(void)
{
	static const char *const names[] = { "missing", "loaded",    "broken",
					     "unsafe",  "untrusted", "changed",
					     "gated" };

	CHECK_INT(BL_COUNT(names), BL_HOOK_FILE_STATE_COUNT);
	for (size_t i = 0; i < BL_COUNT(names); i++)
		CHECK(!strcmp(bl_file_state_name((enum bl_file_state)i),
			      names[i]));
	CHECK(!strcmp(bl_file_state_name(BL_HOOK_FILE_STATE_COUNT), ""));
}

/* Every result has a name of its own and a sentence. */
static void matches(void)
{
	for (size_t i = 0; i < BL_MATCH_COUNT; i++) {
		const char *name = bl_match_name((enum bl_match)i);

		CHECK(name && name[0] != '\0');
		CHECK(bl_match_text((enum bl_match)i)[0] != '\0');
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(name, bl_match_name((enum bl_match)k)));
	}
	CHECK(!strcmp(bl_match_name(BL_MATCH_RUNS), "runs"));
	CHECK(!strcmp(bl_match_name(BL_MATCH_COUNT), ""));
	CHECK(!strcmp(bl_match_text(BL_MATCH_COUNT), ""));
}

int main(void)
{
	RUN(sources);
	RUN(states);
	RUN(matches);
	return tap_end();
}

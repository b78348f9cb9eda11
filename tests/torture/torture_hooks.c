/* SPDX-License-Identifier: Apache-2.0 */
/* Every source, without memory: no set that silently lacks hooks. */
#include "../unit/tap.h"

#include "../unit/sources/hooks/world.h"
#include "torture.h"

#define STEP(text) FILE_WITH("beforeShellExecution", COMMAND(text))
#define MATCHING                                                               \
	FILE_WITH("beforeShellExecution",                                      \
		  "{\"command\":\"./user.sh\",\"matcher\":\"a(b|c){2,90}\"}")

static void put_world(const char *profile_name)
{
	new_world(profile_name);
	put(ENTERPRISE, STEP("./enterprise.sh"));
	put(TEAM, STEP("./team.sh"));
	put(PROJECT_1, STEP("./project1.sh"));
	put(PROJECT_2, STEP("./project2.sh"));
	put(USER, MATCHING);
}

static enum bl_status load_set(void)
{
	struct bl_hook_set own_set = { 0 };
	struct bl_arena own;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_hook_set_load(&options, &own, &own_set, &error);
	if (!status) {
		/* All of them, or an error that says otherwise. */
		CHECK((own_set.hook_count == 5) ==
		      (own_set.diags.error_count == 0));
		CHECK(torture_has_struck() || own_set.hook_count == 5);
		CHECK(own_set.hook_count < 5 || own_set.hooks[4].regex);
		if (torture_has_struck())
			status = BL_NO_MEMORY;
		bl_hook_set_clear(&own_set);
	}
	bl_arena_clear(&own);
	return status;
}

static enum bl_status stamp(void)
{
	uint64_t value;

	return bl_hook_stamp(&options, &value, &error);
}

static void all_sources_without_memory(void)
{
	put_world("cursor");
	CHECK(torture_run(TORTURE_ALLOCATIONS, load_set, BL_NO_MEMORY) > 1);
	CHECK(torture_run(TORTURE_ALLOCATIONS, stamp, BL_NO_MEMORY) >= 0);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(all_sources_without_memory);
	place_close();
	return tap_end();
}

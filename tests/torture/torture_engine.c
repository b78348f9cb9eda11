/* SPDX-License-Identifier: Apache-2.0 */
/* One event, a hook that denies, no memory: never weaker than deny. */
#include "../unit/tap.h"

#include "../unit/engine/worlds.h"
#include "torture.h"

/* A failing event has any status; torture_run wants one. */
static enum bl_status decide(void)
{
	struct bl_request request = { BL_STR(""), BL_STR(SHELL) };
	struct bl_engine *own_engine = NULL;
	struct bl_reply own_reply = { 0 };
	struct bl_arena own;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_engine_new(&options, &own_engine, &error);
	CHECK((own_engine != NULL) == (status == BL_OK));
	if (!status)
		status = bl_engine_dispatch(own_engine, &request, &own,
					    &own_reply, &error);
	if (!status) {
		CHECK_INT(own_reply.decision.verdict, BL_VERDICT_DENY);
		CHECK_INT(own_reply.enforcement.verdict, BL_VERDICT_DENY);
		bl_reply_to_value(&own_reply, &own);
		bl_reply_clear(&own_reply);
	}
	bl_arena_clear(&own);
	bl_engine_free(own_engine);
	return status && status != BL_NO_MEMORY ? status
	       : torture_has_struck()           ? BL_NO_MEMORY
						: status;
}

static void put_hooks_of_all(void)
{
	new_world("cursor");
	put_hooks(ENTERPRISE, "beforeShellExecution",
		  HOOKS("echo '{\"permission\":\"allow\"}'"));
	put_hooks(USER, "beforeShellExecution",
		  HOOKS("cat >/dev/null; echo '{\"permission\":\"deny\"}'",
			"head -c 50000 /dev/zero | tr '\\0' ' '; echo {}"));
}

static void denied_without_memory(void)
{
	put_hooks_of_all();
	CHECK(torture_run(TORTURE_ALLOCATIONS, decide, BL_NO_MEMORY) > 5);
}

static enum bl_status decide_full(void)
{
	enum bl_status status = decide();

	/* A full disk loses the record, which the reply says, not the no. */
	return status == BL_NO_MEMORY ? BL_OK : status;
}

static void denied_on_a_full_disk(void)
{
	put_hooks_of_all();
	CHECK(torture_run(TORTURE_WRITES, decide_full, BL_OK) > 0);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(denied_without_memory);
	RUN(denied_on_a_full_disk);
	CLOSE_WORLD();
	return tap_end();
}

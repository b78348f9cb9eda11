/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces and trust of an engine that is in use. */
#include "tap.h"

#include "worlds.h"

#define DENY  "echo '{\"permission\":\"deny\"}'"
#define ALLOW "echo '{\"permission\":\"allow\"}'"

static enum bl_verdict decided(void)
{
	if (dispatch(SHELL) != BL_OK)
		return BL_VERDICT_COUNT;
	return reply.decision.verdict;
}

static void test_add_and_remove(void)
{
	const struct bl_snapshot *before;

	new_world("cursor");
	options.workspace_count = 0;
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(DENY));
	put_hooks(PROJECT_2, "beforeShellExecution", HOOKS(ALLOW));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_INT(decided(), BL_VERDICT_NONE);
	CHECK_STATUS(bl_engine_add_workspace(engine, at("w1"), &error), BL_OK);
	CHECK_INT(decided(), BL_VERDICT_DENY);
	/* a snapshot that somebody holds stays what it was */
	before = bl_engine_snapshot(engine);
	CHECK_STATUS(bl_engine_add_workspace(engine, at("w2"), &error), BL_OK);
	CHECK_INT(bl_snapshot_set(before)->hook_count, 1);
	CHECK_INT(reply.execution_count, 1);
	CHECK_INT(decided(), BL_VERDICT_DENY);
	CHECK_INT(reply.execution_count, 2);
	/* the same once more, by a link */
	CHECK_INT(symlink(at("w2").ptr, at("link").ptr), 0);
	CHECK_STATUS(bl_engine_add_workspace(engine, at("link"), &error),
		     BL_OK);
	CHECK_INT(decided(), BL_VERDICT_DENY);
	CHECK_INT(reply.execution_count, 2);
	CHECK_STATUS(bl_engine_remove_workspace(engine, at("w1"), &error),
		     BL_OK);
	CHECK_INT(decided(), BL_VERDICT_ALLOW);
	CHECK_STATUS(bl_engine_remove_workspace(engine, at("w1"), &error),
		     BL_NOT_FOUND);
	CHECK_STATUS(bl_engine_add_workspace(engine, at("w3"), &error),
		     BL_INVALID);
	CHECK_INT(decided(), BL_VERDICT_ALLOW);
	bl_snapshot_unref(before);
}

static void test_remove_one_that_is_gone(void)
{
	new_world("cursor");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_INT(rmdir(at("w2").ptr), 0);
	CHECK_STATUS(bl_engine_remove_workspace(engine, at("w2"), &error),
		     BL_OK);
	CHECK_STATUS(bl_engine_remove_workspace(engine, at("w2"), &error),
		     BL_NOT_FOUND);
}

static void test_limit(void)
{
	struct bl_limits limits = bl_limits_default();

	new_world("cursor");
	CHECK_STATUS(open_engine(), BL_OK);
	for (size_t i = 2; i < limits.workspaces; i++) {
		struct bl_str path =
			bl_arena_printf(&arena, "%s/m%zu", place, i);

		CHECK_STATUS(bl_os_make_dirs(path, 0755, &error), BL_OK);
		CHECK_STATUS(bl_engine_add_workspace(engine, path, &error),
			     BL_OK);
	}
	CHECK_STATUS(bl_engine_add_workspace(engine, at("sys"), &error),
		     BL_LIMIT);
}

static void test_trust(void)
{
	new_world("cursor");
	options.trust_all = false;
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(DENY));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_INT(decided(), BL_VERDICT_NONE);
	CHECK_STATUS(bl_engine_trust(engine, at("w1"), false, &error), BL_OK);
	CHECK_INT(decided(), BL_VERDICT_DENY);
	/* pinned: another content is not trusted, and asks */
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(ALLOW));
	CHECK_STATUS(bl_engine_reload(engine, &error), BL_OK);
	CHECK_INT(decided(), BL_VERDICT_ASK);
	CHECK_STATUS(bl_engine_trust(engine, at("w1"), true, &error), BL_OK);
	CHECK_INT(decided(), BL_VERDICT_ALLOW);
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(DENY));
	CHECK_STATUS(bl_engine_reload(engine, &error), BL_OK);
	CHECK_INT(decided(), BL_VERDICT_DENY);
	CHECK_STATUS(bl_engine_untrust(engine, at("w1"), &error), BL_OK);
	CHECK_INT(decided(), BL_VERDICT_NONE);
	CHECK_STATUS(bl_engine_untrust(engine, at("w1"), &error), BL_NOT_FOUND);
}

static void test_trust_that_cannot_be(void)
{
	new_world("cursor");
	options.trust_all = false;
	options.workspace_count = 1;
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(bl_engine_trust(engine, at("w1"), false, &error),
		     BL_NOT_FOUND);
	CHECK(has(bl_str(error.message), "has no hook file"));
	CHECK_STATUS(bl_engine_trust(engine, at("w2"), true, &error),
		     BL_NOT_FOUND);
	CHECK(has(bl_str(error.message), "is not a workspace of this engine"));
	put(PROJECT_1, "{");
	CHECK_STATUS(bl_engine_reload(engine, &error), BL_OK);
	CHECK_STATUS(bl_engine_trust(engine, at("w1"), false, &error),
		     BL_INVALID);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_add_and_remove);
	RUN(test_remove_one_that_is_gone);
	RUN(test_limit);
	RUN(test_trust);
	RUN(test_trust_that_cannot_be);
	CLOSE_WORLD();
	return tap_end();
}

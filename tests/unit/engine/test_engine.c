/* SPDX-License-Identifier: Apache-2.0 */
/* Options, snapshots, reloading, threads. */
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>

#include "worlds.h"

#define DENY  "echo '{\"permission\":\"deny\"}'"
#define ALLOW "echo '{\"permission\":\"allow\"}'"

static void test_options(void)
{
	struct bl_str missing[1];

	new_world("cursor");
	missing[0] = at("w3");
	options.workspaces = missing;
	options.workspace_count = 1;
	CHECK_STATUS(open_engine(), BL_INVALID);
	CHECK(engine == NULL);
	CHECK(has(bl_str(error.message), "w3"));
	put("w3", "a file\n");
	CHECK_STATUS(open_engine(), BL_INVALID);
	options.workspace_count = 65;
	CHECK_STATUS(open_engine(), BL_LIMIT);
}

/* Nothing of the caller's is kept; links are resolved; NULL is the default. */
static void test_options_are_copied(void)
{
	struct bl_str roots[1];

	new_world("cursor");
	CHECK_INT(symlink(at("w1").ptr, at("link").ptr), 0);
	roots[0] = at("link");
	options.workspaces = roots;
	options.workspace_count = 1;
	options.profile = NULL;
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(DENY));
	CHECK_STATUS(open_engine(), BL_OK);
	roots[0] = BL_STR("/nowhere");
	memset(&options.home, 0, sizeof(options.home));
	CHECK_STATUS(bl_engine_reload(engine, &error), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
	CHECK_STR(bl_str(reply.profile->name), "cursor");
	CHECK_STR(reply.executions[0].hook->file->workspace, at("w1").ptr);
}

static void test_gate(void)
{
	new_world("cursor-2.3");
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(DENY));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
	options.no_project_gate = true;
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_NONE);
}

static void test_reload(void)
{
	bool changed = true;

	new_world("cursor");
	put_hooks(USER, "beforeShellExecution", HOOKS(ALLOW));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(bl_engine_reload_if_changed(engine, &changed, &error),
		     BL_OK);
	CHECK(!changed);
	put_hooks(USER, "beforeShellExecution", HOOKS(DENY, DENY));
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_ALLOW);
	CHECK_STATUS(bl_engine_reload_if_changed(engine, &changed, &error),
		     BL_OK);
	CHECK(changed);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
	CHECK_STATUS(bl_engine_reload_if_changed(engine, NULL, &error), BL_OK);
}

static void test_one_event(void)
{
	new_world("cursor");
	options.no_reload = true;
	put_hooks(USER, "beforeShellExecution", HOOKS(ALLOW));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_STATUS(bl_engine_reload_if_changed(engine, NULL, &error),
		     BL_UNSUPPORTED);
}

/* A trust store that cannot be read is an error of the whole. */
static void test_reload_that_fails_keeps_the_old_set(void)
{
	new_world("cursor");
	options.trust_all = false;
	put_hooks(USER, "beforeShellExecution", HOOKS(DENY));
	CHECK_STATUS(open_engine(), BL_OK);
	put("home/.config/belay/trust.json", "broken");
	put_hooks(USER, "beforeShellExecution", HOOKS(ALLOW));
	CHECK_STATUS(bl_engine_reload(engine, &error), BL_INVALID);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
	/* and it is tried again, not taken for read */
	CHECK_STATUS(bl_engine_reload_if_changed(engine, NULL, &error),
		     BL_INVALID);
	CHECK_STATUS(bl_engine_reload_if_changed(engine, NULL, &error),
		     BL_INVALID);
	unlink(at("home/.config/belay/trust.json").ptr);
	CHECK_STATUS(bl_engine_reload_if_changed(engine, NULL, &error), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_ALLOW);
}

/* A snapshot outlives the reload that replaced it. */
static void test_snapshots(void)
{
	const struct bl_snapshot *before;
	const struct bl_hook_set *set;

	new_world("cursor");
	put_hooks(USER, "beforeShellExecution", HOOKS("one"));
	CHECK_STATUS(open_engine(), BL_OK);
	before = bl_engine_snapshot(engine);
	put_hooks(USER, "beforeShellExecution", HOOKS("two", "three"));
	CHECK_STATUS(bl_engine_reload(engine, &error), BL_OK);
	set = bl_snapshot_set(before);
	CHECK_INT(set->hook_count, 1);
	CHECK_STR(set->hooks[0].command, "one");
	before = bl_snapshot_unref(before);
	CHECK(before == NULL);
	before = bl_engine_snapshot(engine);
	engine = bl_engine_free(engine);
	CHECK_INT(bl_snapshot_set(before)->hook_count, 2);
	bl_snapshot_unref(before);
	CHECK(bl_engine_free(NULL) == NULL);
}

static void test_small_arena(void)
{
	struct bl_request request = { .payload = BL_STR(SHELL) };
	struct bl_arena small;

	new_world("cursor");
	put_hooks(USER, "beforeShellExecution", HOOKS(ALLOW));
	CHECK_STATUS(open_engine(), BL_OK);
	bl_arena_init(&small, NULL, 0, 16);
	CHECK_STATUS(
		bl_engine_dispatch(engine, &request, &small, &reply, &error),
		BL_LIMIT);
	bl_arena_clear(&small);
}

/* ---- threads ------------------------------------------------------------ */

enum { THREADS = 4, EVENTS = 15 };

static atomic_int wrong;
static atomic_bool done;

/* Both hooks of a set agree, so a mixture of two sets shows. */
static void *dispatch_many(void *data)
{
	(void)data;
	for (int i = 0; i < EVENTS; i++) {
		struct bl_request request = { .payload = BL_STR(SHELL) };
		struct bl_reply own = { .profile = NULL };
		struct bl_arena memory;
		enum bl_status status;

		bl_arena_init(&memory, NULL, 0, 0);
		status = bl_engine_dispatch(engine, &request, &memory, &own,
					    NULL);
		if (status != BL_OK || own.execution_count != 2 ||
		    own.executions[0].outcome.kind != BL_OUTCOME_ANSWERED ||
		    own.executions[0].outcome.answer.permission !=
			    own.executions[1].outcome.answer.permission)
			wrong++;
		bl_reply_clear(&own);
		bl_arena_clear(&memory);
	}
	return NULL;
}

static void *reload_many(void *data)
{
	(void)data;
	for (int i = 0; !done; i++) {
		bool changed;

		if (i % 2 ? bl_engine_reload(engine, NULL)
			  : bl_engine_reload_if_changed(engine, &changed, NULL))
			wrong++;
		usleep(1000);
	}
	return NULL;
}

static void replace_hooks(const char *command)
{
	put_hooks("home/.cursor/next.json", "beforeShellExecution",
		  HOOKS(command, command));
	rename(at("home/.cursor/next.json").ptr, at(USER).ptr);
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	pthread_t reloader;
	struct bl_value *entries;

	new_world("cursor");
	replace_hooks(ALLOW);
	CHECK_STATUS(open_engine(), BL_OK);
	wrong = 0;
	done = false;
	CHECK_INT(pthread_create(&reloader, NULL, reload_many, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK_INT(
			pthread_create(&threads[i], NULL, dispatch_many, NULL),
			0);
	for (int i = 0; i < 40; i++) {
		replace_hooks(i % 2 ? ALLOW : DENY);
		usleep(3000);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	done = true;
	pthread_join(reloader, NULL);
	CHECK_INT(wrong, 0);
	CHECK_INT(read_journal(&entries), THREADS * EVENTS * 2);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_options);
	RUN(test_options_are_copied);
	RUN(test_gate);
	RUN(test_reload);
	RUN(test_one_event);
	RUN(test_reload_that_fails_keeps_the_old_set);
	RUN(test_snapshots);
	RUN(test_small_arena);
	RUN(test_threads);
	CLOSE_WORLD();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Heartbeats: the first event, the last, no more than are kept, no links. */
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "logs.h"

#define WORKSPACE_DIGITS "d1bb8ca354673cd5"

static struct bl_heartbeat *beats;
static size_t count;

static enum bl_status beat(const char *agent, const char *workspace, int64_t ms)
{
	const struct bl_heartbeat one = { .agent = bl_str(agent),
					  .workspace = bl_str(workspace),
					  .since_ms = ms };

	return bl_heartbeat_note(options.dir, &one, &error);
}

static void list(void)
{
	CHECK_STATUS(
		bl_heartbeat_list(options.dir, &arena, &beats, &count, &error),
		BL_OK);
}

static void test_first_and_last(void)
{
	int64_t before_ms = bl_os_wall_ms();

	new_journal();
	list();
	CHECK_INT(count, 0);
	CHECK_STATUS(beat("claude", "/w", 1000), BL_OK);
	CHECK_STATUS(beat("claude", "/w", 2000), BL_OK);
	CHECK_STATUS(beat("claude", "/v", 3000), BL_OK);
	CHECK_STATUS(beat("cursor", "/w", 4000), BL_OK);
	list();
	CHECK_INT(count, 3);
	for (size_t i = 0; i < count; i++) {
		CHECK(beats[i].last_ms >= before_ms - 1000);
		if (bl_str_is(beats[i].agent, "claude") &&
		    bl_str_is(beats[i].workspace, "/w"))
			CHECK_INT(beats[i].since_ms, 1000);
	}
}

/* The one that was not heard of for longest goes, not the newest. */
static void test_bound(void)
{
	new_journal();
	CHECK_STATUS(beat("claude", "/kept", 1), BL_OK);
	for (int i = 0; i < 300; i++) {
		struct bl_str workspace = bl_arena_printf(&arena, "/w%d", i);

		CHECK_STATUS(beat("claude", workspace.ptr, 1), BL_OK);
		usleep(100);
		CHECK_STATUS(beat("claude", "/kept", 2), BL_OK);
	}
	list();
	CHECK(count <= 256);
	CHECK(count > 200);
	for (size_t i = 0; i < count; i++)
		if (bl_str_is(beats[i].workspace, "/kept"))
			CHECK_INT(beats[i].since_ms, 1);
}

/* A link in the place of a heartbeat leads nowhere. */
static void test_links(void)
{
	struct bl_str name;
	struct bl_str path;
	struct bl_str victim;
	struct bl_str text;
	struct stat st;
	const struct timespec old[2] = { { .tv_sec = 1000 },
					 { .tv_sec = 1000 } };

	new_journal();
	CHECK_STATUS(beat("claude", "/w", 1), BL_OK);
	/* sha256 of "/w" */
	name = BL_STR("state/belay/seen/claude-" WORKSPACE_DIGITS);
	path = at(name.ptr);
	victim = at("victim");
	CHECK_STATUS(bl_os_create_file(victim, BL_STR("{\"agent\":\"x\"}"),
				       0600, &error),
		     BL_OK);
	CHECK_INT(utimensat(AT_FDCWD, victim.ptr, old, 0), 0);
	CHECK_INT(unlink(path.ptr), 0);
	CHECK_INT(symlink(victim.ptr, path.ptr), 0);
	CHECK_STATUS(beat("claude", "/w", 2), BL_OK);
	CHECK_INT(stat(victim.ptr, &st), 0);
	CHECK_INT(st.st_mtim.tv_sec, 1000);
	CHECK_STATUS(
		bl_os_read_file(victim, 0, 100, &arena, &text, NULL, &error),
		BL_OK);
	CHECK_STR(text, "{\"agent\":\"x\"}");
	list();
	CHECK_INT(count, 0);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_first_and_last);
	RUN(test_bound);
	RUN(test_links);
	place_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "os/child_private.h"
#include "scratch.h"

static bool left;

/* A shell that leads a group of its own, and is ready when it has said so. */
static pid_t start_leader(const char *script)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		execl("/bin/sh", "sh", "-c", script, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		pid = -1;
	close(ends[0]);
	return pid;
}

static size_t count_seen(const struct bl_tree *tree)
{
	return tree->seen.len / sizeof(struct bl_process);
}

static void open_tree(struct bl_tree *tree, const char *script)
{
	*tree = (struct bl_tree){ .leader = start_leader(script) };
	bl_buf_init(&tree->seen, 0);
}

static void close_tree(struct bl_tree *tree)
{
	int status = 0;

	CHECK_INT(waitpid(tree->leader, &status, 0), tree->leader);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	bl_buf_clear(&tree->seen);
}

static void notes_all_generations(void)
{
	struct bl_tree tree;

	open_tree(&tree, "sh -c 'setsid sleep 63.1 & echo; wait' & wait");
	REQUIRE(tree.leader > 0);
	usleep(50000); /* for setsid */
	CHECK_STATUS(bl_tree_note(&tree, &error), BL_OK);
	CHECK_INT(count_seen(&tree), 3);
	CHECK_STATUS(bl_tree_note(&tree, &error), BL_OK);
	CHECK_INT(count_seen(&tree), 3);
	CHECK_STATUS(bl_tree_kill(&tree, false, &left, &error), BL_OK);
	CHECK(!find_own("sleep 63.1"));
	close_tree(&tree);
}

/* The middle dies between note and kill; what it left is still known. */
static void known_orphans_are_killed(void)
{
	struct bl_tree tree;

	open_tree(&tree, "sh -c 'setsid sleep 63.2 & echo; exec sleep 63.3' & "
			 "wait; sleep 63.4");
	REQUIRE(tree.leader > 0);
	usleep(50000);
	CHECK_STATUS(bl_tree_note(&tree, &error), BL_OK);
	REQUIRE(find_own("sleep 63.3"));
	CHECK_INT(kill(find_own("sleep 63.3"), SIGKILL), 0);
	usleep(50000);
	CHECK_STATUS(bl_tree_kill(&tree, false, &left, &error), BL_OK);
	CHECK(!find_own("sleep 63.2") && !find_own("sleep 63.4"));
	close_tree(&tree);
}

/* An orphan nobody knows is ours only when the caller says so. */
static void unknown_orphans_need_adoption(void)
{
	struct bl_tree tree;

	open_tree(&tree, "setsid sh -c 'sleep 63.5 >/dev/null & exit'; echo; "
			 "sleep 63.6");
	REQUIRE(tree.leader > 0);
	CHECK_STATUS(bl_tree_kill(&tree, false, &left, &error), BL_OK);
	for (int i = 0; i < 100 && !find_own("sleep 63.5"); i++)
		usleep(10000); /* until it is what it is to become */
	CHECK(find_own("sleep 63.5"));
	CHECK_STATUS(bl_tree_kill(&tree, true, &left, &error), BL_OK);
	CHECK(!find_own("sleep 63.5"));
	close_tree(&tree);
}

/* A name that looks like the rest of the line. */
static void hostile_names(void)
{
	struct bl_tree tree;

	REQUIRE(!symlink("/bin/sleep", "a) Z 1 1 (b"));
	open_tree(&tree, "setsid './a) Z 1 1 (b' 63.7 & echo; wait");
	REQUIRE(tree.leader > 0);
	usleep(50000);
	CHECK_STATUS(bl_tree_note(&tree, &error), BL_OK);
	CHECK_INT(count_seen(&tree), 2);
	CHECK_STATUS(bl_tree_kill(&tree, false, &left, &error), BL_OK);
	CHECK(!find_own("b 63.7"));
	close_tree(&tree);
}

/* A child that starts processes as fast as it can. */
static void storm(void)
{
	struct bl_tree tree;
	int64_t start;

	open_tree(&tree, "echo; i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); "
			 "setsid sh -c 'sleep 63.8 & sleep 63.8 & wait' & "
			 "done; wait");
	REQUIRE(tree.leader > 0);
	usleep(150000);
	start = bl_os_monotonic_ns();
	CHECK_STATUS(bl_tree_kill(&tree, true, &left, &error), BL_OK);
	CHECK(bl_os_monotonic_ns() - start < 8000000000);
	CHECK(!find_own("sleep 63.8"));
	close_tree(&tree);
}

static int subreaper(void)
{
	int value = -1;

	prctl(PR_GET_CHILD_SUBREAPER, &value, 0, 0, 0);
	return value;
}

static void subreaper_is_counted(void)
{
	bl_subreaper_hold();
	CHECK_INT(subreaper(), 1);
	bl_subreaper_hold();
	bl_subreaper_release();
	CHECK_INT(subreaper(), 1);
	bl_subreaper_release();
	CHECK_INT(subreaper(), 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	bl_subreaper_hold();
	bl_subreaper_release();
	CHECK_INT(subreaper(), 1); /* the program was one before */
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

int main(void)
{
	if (!scratch_open())
		return 1;
	RUN(subreaper_is_counted);
	bl_subreaper_hold();
	RUN(notes_all_generations);
	RUN(known_orphans_are_killed);
	RUN(unknown_orphans_need_adoption);
	RUN(hostile_names);
	RUN(storm);
	bl_subreaper_release();
	scratch_close();
	return tap_end();
}

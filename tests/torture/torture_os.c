/* SPDX-License-Identifier: Apache-2.0 */
/* base and os without memory, and on a full disk. */
#include "../unit/tap.h"

#include <sys/wait.h>

#include "../unit/os/scratch.h"
#include "torture.h"

static int descriptors;

/* After each operation: nothing open, nobody left, the directory as told. */
static void check_nothing_left(const char *dir, int entries)
{
	CHECK_INT(open_descriptors(), descriptors);
	CHECK(waitpid(-1, NULL, WNOHANG) <= 0);
	if (dir)
		CHECK_INT(count_entries(dir), entries);
}

static enum bl_status use_arena(void)
{
	struct bl_arena own;
	enum bl_status status = BL_OK;

	bl_arena_init(&own, NULL, 0, 0);
	for (int i = 0; i < 10 && !status; i++) {
		struct bl_str text = bl_arena_printf(&own, "%d %60000s", i, "");

		if (!text.ptr)
			status = bl_arena_fail(&own, &error);
	}
	bl_arena_clear(&own);
	return status;
}

static enum bl_status use_buf(void)
{
	struct bl_buf buf;
	enum bl_status status;
	char *taken;

	bl_buf_init(&buf, 0);
	for (int i = 0; i < 1000; i++)
		bl_buf_printf(&buf, "line %d\n", i);
	status = bl_buf_status(&buf);
	taken = bl_buf_take(&buf);
	if (status && taken)
		CHECK(!strncmp(taken, "line 0\n", 7) || !taken[0]);
	free(taken);
	return status;
}

static enum bl_status read_file(void)
{
	struct bl_arena own;
	struct bl_str text = { NULL, 0 };
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_os_read_file(BL_STR("/proc/self/smaps"), 0, 1 << 20, &own,
				 &text, NULL, &error);
	CHECK((text.ptr != NULL) == (status == BL_OK));
	bl_arena_clear(&own);
	check_nothing_left(NULL, 0);
	return status;
}

static enum bl_status list_dir(void)
{
	struct bl_arena own;
	struct bl_str *names = NULL;
	size_t count = 0;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_os_list_dir(BL_STR("/etc"), 10000, &own, &names, &count,
				&error);
	CHECK((count > 0) == (status == BL_OK));
	bl_arena_clear(&own);
	check_nothing_left(NULL, 0);
	return status;
}

static enum bl_status run_children(void)
{
	const char *const argv[] = { "sh", "-c",
				     "cat; head -c 50000 /dev/zero; "
				     "echo error >&2",
				     NULL };
	const struct bl_child_spec specs[2] = {
		{ .argv = argv, .input = BL_STR("input"), .timeout_ms = 9000 },
		{ .argv = argv, .kill_leftovers = true, .timeout_ms = 9000 },
	};
	struct bl_child_result results[2];
	struct bl_arena own;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_child_run(specs, 2, &own, results, &error);
	if (!status) {
		CHECK_INT(results[0].output.len, 50005);
		CHECK_STR(results[1].errors, "error\n");
	}
	bl_arena_clear(&own);
	check_nothing_left(NULL, 0);
	return status;
}

static enum bl_status run_to_the_deadline(void)
{
	const char *const argv[] = { "sh", "-c", "sleep 62.1 & sleep 62.2",
				     NULL };
	const struct bl_child_spec spec = { .argv = argv, .timeout_ms = 20 };
	struct bl_child_result result;
	struct bl_arena own;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_child_run(&spec, 1, &own, &result, &error);
	if (!status)
		CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	bl_arena_clear(&own);
	check_nothing_left(NULL, 0);
	return status;
}

static enum bl_status replace_file(void)
{
	enum bl_status status;

	write_text("w/file", "old");
	status = bl_os_replace_file(BL_STR("w/file"), BL_STR("new"), 0600,
				    &error);
	CHECK_STR(read_text("w/file"), status ? "old" : "new");
	check_nothing_left("w", 1);
	return status;
}

static enum bl_status create_file(void)
{
	enum bl_status status;

	unlink("c/file");
	status = bl_os_create_file(BL_STR("c/file"), BL_STR("new"), 0600,
				   &error);
	check_nothing_left("c", status ? 0 : 1);
	return status;
}

static void without_memory(void)
{
	CHECK(torture_run(TORTURE_ALLOCATIONS, use_arena, BL_NO_MEMORY) > 2);
	CHECK(torture_run(TORTURE_ALLOCATIONS, use_buf, BL_NO_MEMORY) > 5);
	CHECK(torture_run(TORTURE_ALLOCATIONS, read_file, BL_NO_MEMORY) > 0);
	CHECK(torture_run(TORTURE_ALLOCATIONS, list_dir, BL_NO_MEMORY) > 0);
}

static void children_without_memory(void)
{
	CHECK(torture_run(TORTURE_ALLOCATIONS, run_children, BL_NO_MEMORY) > 4);
	CHECK(torture_run(TORTURE_ALLOCATIONS, run_to_the_deadline,
			  BL_NO_MEMORY) > 1);
	CHECK(!find_own("sleep 62"));
}

static void full_disk(void)
{
	CHECK_INT(torture_run(TORTURE_WRITES, replace_file, BL_SYSTEM), 1);
	CHECK_INT(torture_run(TORTURE_WRITES, create_file, BL_SYSTEM), 1);
}

int main(void)
{
	if (!scratch_open() || mkdir("w", 0755) || mkdir("c", 0755))
		return 1;
	descriptors = open_descriptors();
	RUN(without_memory);
	RUN(children_without_memory);
	RUN(full_disk);
	scratch_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A writer in a process of its own, followed in this one. */
#include "tap.h"

#include <signal.h>
#include <sys/wait.h>

#include "logs.h"

static int stop_pipe[2];
static int lines;
static int wanted;
static int out_of_order;

/* Lines have their number as command. */
static bool visit(void *context, struct bl_str line)
{
	struct bl_value value = bl_value_undefined();
	struct bl_str command;

	(void)context;
	bl_json_read(&arena, line, NULL, &value, NULL, NULL, NULL);
	command = bl_arena_copy_str(&arena, text_of(value, "command"));
	out_of_order += atoi(command.ptr) != lines;
	return ++lines < wanted;
}

/* Starts a writer of count lines after a moment, with pauses. */
static pid_t start_writer(int count, int pause_us)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	usleep(150000);
	for (int i = 0; i < count; i++) {
		entry.command = bl_arena_printf(&arena, "%d", i);
		if (append_new() != BL_OK)
			_exit(1);
		usleep((useconds_t)pause_us);
	}
	_exit(0);
}

static void follow(int count, int pause_us)
{
	pid_t pid = start_writer(count, pause_us);
	int status = -1;

	lines = out_of_order = 0;
	wanted = count;
	alarm(20);
	CHECK_STATUS(bl_journal_follow(options.dir, -1, visit, NULL, &error),
		     BL_OK);
	alarm(0);
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	CHECK_INT(lines, count);
	CHECK_INT(out_of_order, 0);
}

static void test_new_lines_only(void)
{
	new_journal();
	entry.command = BL_STR("999");
	CHECK_STATUS(append_new(), BL_OK);
	follow(20, 5000);
}

static void test_journal_that_is_not_there_yet(void)
{
	new_journal();
	follow(3, 1000);
}

static void test_across_rotation(void)
{
	new_journal();
	options.max_file_bytes = 2000;
	options.max_files = 200;
	CHECK_STATUS(append_new(), BL_OK);
	follow(400, 500);
}

static void test_stop(void)
{
	new_journal();
	CHECK_INT(pipe(stop_pipe), 0);
	CHECK(write(stop_pipe[1], "x", 1) == 1);
	alarm(20);
	CHECK_STATUS(bl_journal_follow(options.dir, stop_pipe[0], visit, NULL,
				       &error),
		     BL_OK);
	alarm(0);
	close(stop_pipe[0]);
	close(stop_pipe[1]);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_new_lines_only);
	RUN(test_journal_that_is_not_there_yet);
	RUN(test_across_rotation);
	RUN(test_stop);
	place_close();
	return tap_end();
}

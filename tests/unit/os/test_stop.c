/* SPDX-License-Identifier: Apache-2.0 */
/* Flags and deadlines, and children that they end. */
#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "scratch.h"

#define MS 1000000LL

static struct bl_flag flag;

static void test_reasons(void)
{
	struct bl_stop stop = { 0 };

	CHECK_INT(bl_stop_ask(NULL), BL_STOP_NONE);
	CHECK_INT(bl_stop_fd(NULL), -1);
	CHECK(bl_stop_deadline_ns(NULL) == INT64_MAX);
	CHECK_INT(bl_stop_ask(&stop), BL_STOP_NONE);
	stop.deadline_ns = bl_os_monotonic_ns() + 60000 * MS;
	CHECK_INT(bl_stop_ask(&stop), BL_STOP_NONE);
	CHECK(bl_stop_deadline_ns(&stop) == stop.deadline_ns);
	stop.deadline_ns = 1;
	CHECK_INT(bl_stop_ask(&stop), BL_STOP_DEADLINE);
	REQUIRE(!bl_flag_init(&flag, &error));
	stop.flag = &flag;
	CHECK_INT(bl_stop_fd(&stop), flag.fd);
	CHECK(!bl_os_wait_readable(flag.fd, 0));
	bl_flag_raise(&flag);
	bl_flag_raise(&flag);
	CHECK(bl_os_wait_readable(flag.fd, 0));
	CHECK_INT(bl_stop_ask(&stop), BL_STOP_CANCELLED);
	bl_flag_clear(&flag);
}

static struct bl_child_result result;
static int64_t took_ms;

static enum bl_status run_sh(const char *script, const struct bl_stop *stop)
{
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };
	const struct bl_child_spec spec = {
		.argv = argv,
		.timeout_ms = 20000,
		.stop = stop,
	};
	int64_t from = bl_os_monotonic_ns();
	enum bl_status status = bl_child_run(&spec, 1, &arena, &result, &error);

	took_ms = (bl_os_monotonic_ns() - from) / MS;
	return status;
}

static void test_deadline_kills_the_tree(void)
{
	struct bl_stop stop = { NULL, bl_os_monotonic_ns() + 200 * MS };
	pid_t pid;

	CHECK_STATUS(run_sh("trap '' TERM; sleep 20 & echo $!; wait", &stop),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_STOPPED);
	CHECK_INT(result.code, BL_STOP_DEADLINE);
	CHECK(took_ms >= 200 && took_ms < 3000);
	pid = atoi(result.output.ptr);
	REQUIRE(pid > 0);
	for (int i = 0; i < 200 && !kill(pid, 0); i++)
		usleep(10000);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH);
}

static void *raise_soon(void *context)
{
	usleep(200000);
	bl_flag_raise(context);
	return NULL;
}

static void test_cancelled_by_another_thread(void)
{
	struct bl_stop stop = { &flag, 0 };
	pthread_t thread;

	REQUIRE(!bl_flag_init(&flag, &error));
	pthread_create(&thread, NULL, raise_soon, &flag);
	CHECK_STATUS(run_sh("echo some; exec sleep 20", &stop), BL_OK);
	pthread_join(thread, NULL);
	CHECK_INT(result.end, BL_CHILD_STOPPED);
	CHECK_INT(result.code, BL_STOP_CANCELLED);
	CHECK_STR(result.output, "some\n");
	CHECK(took_ms < 3000);
}

/* The flag is still up. */
static void test_stopped_before_it_starts(void)
{
	struct bl_stop stop = { &flag, 0 };

	CHECK_STATUS(run_sh("touch started", &stop), BL_OK);
	CHECK_INT(result.end, BL_CHILD_STOPPED);
	CHECK_INT(result.code, BL_STOP_CANCELLED);
	CHECK(access("started", F_OK) != 0);
	bl_flag_clear(&flag);
}

static void test_not_stopped(void)
{
	struct bl_stop stop = { NULL, bl_os_monotonic_ns() + 60000 * MS };

	CHECK_STATUS(run_sh("exit 3", &stop), BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK_INT(result.code, 3);
}

int main(void)
{
	if (!scratch_open())
		return 1;
	RUN(test_reasons);
	RUN(test_deadline_kills_the_tree);
	RUN(test_cancelled_by_another_thread);
	RUN(test_stopped_before_it_starts);
	RUN(test_not_stopped);
	scratch_close();
	return tap_end();
}

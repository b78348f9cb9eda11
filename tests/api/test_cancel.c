/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines, cancelling, and operations in the background. */
#include <belay.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "tap.h"

#include "home.h"

/* A hook that notes the number of a descendant, and waits for a minute. */
#define SLOW "sleep 60 & echo $! >$HOME_OF_TEST/pid; wait"

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static belay_engine *slow_engine(void)
{
	setenv("HOME_OF_TEST", home, 1);
	write_hooks(SLOW);
	return new_engine(0);
}

static bool is_gone(void)
{
	char path[128];
	int pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/pid", home);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%d", &pid) != 1)
		pid = 0;
	if (file)
		fclose(file);
	unlink(path);
	for (int i = 0; pid > 0 && i < 300; i++) {
		if (kill(pid, 0) && errno == ESRCH)
			return true;
		usleep(10000);
	}
	return false;
}

static void wait_for_hook(void)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/pid", home);
	for (int i = 0; i < 1000 && (stat(path, &st) || !st.st_size); i++)
		usleep(10000);
}

static void check_refused(const belay_reply *reply, const char *outcome)
{
	char text[64];

	snprintf(text, sizeof(text), "\"outcome\":\"%s\"", outcome);
	CHECK_INT(belay_reply_verdict(reply), BELAY_DENY);
	CHECK(reply && strstr(belay_reply_json(reply), text));
}

static void test_deadline(void)
{
	belay_dispatch_options options = BELAY_DISPATCH_OPTIONS_INIT;
	belay_engine *engine = slow_engine();
	belay_reply *reply = NULL;
	belay_text *log = NULL;
	int64_t from = now_ms();

	options.timeout_ms = 500;
	CHECK_INT(belay_engine_dispatch_with(engine, &options, shell,
					     strlen(shell), &reply, NULL),
		  BELAY_OK);
	CHECK(now_ms() - from >= 500 && now_ms() - from < 10000);
	check_refused(reply, "deadline");
	CHECK(strstr(belay_reply_user_text(reply), "the time for the decision "
						   "was up"));
	CHECK(is_gone());
	CHECK_INT(belay_reply_recorded(reply), 1);
	belay_reply_free(reply);
	CHECK_INT(belay_engine_log_json(engine, 1, &log, NULL), BELAY_OK);
	CHECK(strstr(belay_text_data(log), "\"outcome\":\"deadline\""));
	belay_text_free(log);
	belay_engine_free(engine);
}

static void *cancel_soon(void *cancel)
{
	wait_for_hook();
	belay_cancel_set(cancel);
	return NULL;
}

static void test_cancel(void)
{
	belay_dispatch_options options = BELAY_DISPATCH_OPTIONS_INIT;
	belay_engine *engine = slow_engine();
	belay_reply *reply = NULL;
	pthread_t thread;

	REQUIRE(!belay_cancel_new(&options.cancel, NULL));
	pthread_create(&thread, NULL, cancel_soon, options.cancel);
	CHECK_INT(belay_engine_dispatch_with(engine, &options, shell,
					     strlen(shell), &reply, NULL),
		  BELAY_OK);
	pthread_join(thread, NULL);
	check_refused(reply, "cancelled");
	CHECK(is_gone());
	belay_reply_free(reply);
	/* once and for all */
	CHECK_INT(belay_engine_dispatch_with(engine, &options, shell,
					     strlen(shell), &reply, NULL),
		  BELAY_OK);
	check_refused(reply, "cancelled");
	belay_reply_free(reply);
	belay_cancel_free(options.cancel);
	belay_engine_free(engine);
}

/* ---- operations ------------------------------------------------------------- */

static bool poll_for(belay_operation *operation, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = belay_operation_fd(operation),
				  .events = POLLIN };

	return poll(&poll_fd, 1, timeout_ms) == 1 && poll_fd.revents == POLLIN;
}

static belay_operation *start(belay_engine *engine)
{
	belay_operation *operation = NULL;

	CHECK_INT(belay_dispatch_start(engine, NULL, shell, strlen(shell),
				       &operation, NULL),
		  BELAY_OK);
	return operation;
}

static void test_operation(void)
{
	belay_operation *operation;
	belay_engine *engine;
	belay_reply *reply = NULL;
	belay_error error = BELAY_ERROR_INIT;

	write_hooks(DENY);
	engine = new_engine(0);
	operation = start(engine);
	REQUIRE(operation);
	CHECK(poll_for(operation, 20000));
	CHECK(poll_for(operation, 0)); /* and stays so */
	CHECK_INT(belay_operation_is_done(operation), 1);
	CHECK_INT(belay_operation_collect(operation, &reply, NULL), BELAY_OK);
	CHECK_INT(belay_reply_verdict(reply), BELAY_DENY);
	belay_reply_free(reply);
	reply = NULL;
	CHECK_INT(belay_operation_collect(operation, &reply, &error),
		  BELAY_USAGE);
	CHECK(!reply && strstr(error.message, "collected"));
	belay_operation_free(operation);
	/* a failure comes with collecting */
	CHECK_INT(belay_dispatch_start(engine, NULL, "{", 1, &operation, NULL),
		  BELAY_OK);
	CHECK_INT(belay_operation_collect(operation, &reply, &error),
		  BELAY_SYNTAX);
	belay_operation_free(operation);
	belay_engine_free(engine);
}

static void test_operation_is_cancelled(void)
{
	belay_engine *engine = slow_engine();
	belay_operation *operation = start(engine);
	belay_reply *reply = NULL;

	REQUIRE(operation);
	wait_for_hook();
	CHECK(!poll_for(operation, 0));
	CHECK_INT(belay_operation_is_done(operation), 0);
	belay_operation_cancel(operation);
	CHECK(poll_for(operation, 10000));
	CHECK_INT(belay_operation_collect(operation, &reply, NULL), BELAY_OK);
	check_refused(reply, "cancelled");
	CHECK(is_gone());
	belay_reply_free(reply);
	belay_operation_free(operation);
	/* one that nobody collects ends with its hooks */
	operation = start(engine);
	wait_for_hook();
	belay_operation_free(operation);
	CHECK(is_gone());
	belay_engine_free(engine);
}

static void test_many_operations(void)
{
	belay_operation *operations[BELAY_MAX_OPERATIONS] = { NULL };
	belay_operation *more = NULL;
	belay_engine *engine = slow_engine();
	int64_t from = now_ms();

	for (int i = 0; i < BELAY_MAX_OPERATIONS; i++)
		operations[i] = start(engine);
	CHECK_INT(belay_dispatch_start(engine, NULL, shell, strlen(shell),
				       &more, NULL),
		  BELAY_LIMIT);
	CHECK(!more);
	for (int i = 0; i < BELAY_MAX_OPERATIONS; i++)
		belay_operation_cancel(operations[i]);
	for (int i = 0; i < BELAY_MAX_OPERATIONS; i++) {
		belay_reply *reply = NULL;

		CHECK(poll_for(operations[i], 30000));
		CHECK_INT(belay_operation_collect(operations[i], &reply, NULL),
			  BELAY_OK);
		CHECK_INT(belay_reply_verdict(reply), BELAY_DENY);
		belay_reply_free(reply);
		belay_operation_free(operations[i]);
	}
	CHECK(now_ms() - from < 50000);
	more = start(engine); /* there is room again */
	belay_operation_free(more);
	belay_engine_free(engine);
}

static void test_usage(void)
{
	belay_dispatch_options options = BELAY_DISPATCH_OPTIONS_INIT;
	belay_engine *engine = new_engine(BELAY_NO_LOG);
	belay_operation *operation = NULL;
	belay_reply *reply = NULL;
	belay_cancel *cancel = NULL;

	options.struct_size = sizeof(size_t);
	CHECK_INT(belay_engine_dispatch_with(engine, &options, "{}", 2, &reply,
					     NULL),
		  BELAY_USAGE);
	options.struct_size = sizeof(options);
	REQUIRE(!belay_cancel_new(&cancel, NULL));
	options.cancel = cancel;
	CHECK_INT(belay_dispatch_start(engine, &options, "{}", 2, &operation,
				       NULL),
		  BELAY_USAGE);
	CHECK(!operation && !reply);
	CHECK_INT(belay_cancel_new(NULL, NULL), BELAY_USAGE);
	CHECK_INT(belay_dispatch_start(NULL, NULL, "{}", 2, &operation, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_engine_dispatch_with(NULL, NULL, "{}", 2, &reply, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_operation_collect(NULL, &reply, NULL), BELAY_USAGE);
	CHECK_INT(belay_operation_fd(NULL), -1);
	CHECK_INT(belay_operation_is_done(NULL), 0);
	belay_operation_cancel(NULL);
	belay_operation_free(NULL);
	belay_cancel_set(NULL);
	belay_cancel_free(NULL);
	belay_cancel_free(cancel);
	belay_engine_free(engine);
}

int main(void)
{
	make_home();
	RUN(test_deadline);
	RUN(test_cancel);
	RUN(test_operation);
	RUN(test_operation_is_cancelled);
	RUN(test_many_operations);
	RUN(test_usage);
	return remove_home() ? tap_end() : 1;
}

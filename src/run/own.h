/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/own.h: the executor of an embedder, who has a way of his own to run a
 * hook: a container, another machine, a shell inside his process.  A function
 * is handed in; it gets what there is to run and says how it ended, by
 * bl_own_exit or bl_own_fail.  An executor that calls neither has failed.
 */
#ifndef BELAY_RUN_OWN_H
#define BELAY_RUN_OWN_H

#include "base/arena.h"
#include "base/error.h"
#include "os/os.h"
#include "value/value.h"

/* One run of one hook. */
struct bl_own_call {
	const char *event;
	struct bl_str command;
	struct bl_value definition; /* the hook as an object */
	struct bl_str payload;      /* for its standard input */
	struct bl_str dir;          /* where it runs */
	uint32_t timeout_ms;        /* 0: none */
	size_t max_output_bytes;
	size_t max_error_bytes;
	const struct bl_stop *stop; /* may be NULL */

	/* Set by bl_own_run and the function. */
	int64_t started_ns;
	bool is_ended;
	int exit_code;
	struct bl_buf output;
	struct bl_buf errors;
	struct bl_buf failure; /* in words; empty: it ran */
};

/*
 * run may be called by several threads at once, each with a call of its own.
 * It should come back soon after bl_own_is_over says so.
 */
struct bl_own_executor {
	void (*run)(void *context, struct bl_own_call *call);
	void *context;
};

/* For the function: has its time passed, or is the event given up? */
bool bl_own_is_over(const struct bl_own_call *call);

/* For the function: the hook ended.  Texts are copied, as far as there is room. */
void bl_own_exit(struct bl_own_call *call, int exit_code, struct bl_str output,
		 struct bl_str errors);

/* For the function: the hook could not be run, for a reason in words. */
void bl_own_fail(struct bl_own_call *call, struct bl_str why);

/*
 * Runs one call on this thread, and says how it ended as if it had been a
 * child: one that came back too late is TIMED_OUT or STOPPED whatever it said,
 * more output than allowed is TOO_MUCH, and a failure is CANNOT_START with
 * stage "executor" and its words in errors.  result's texts borrow from the
 * call until bl_own_clear.
 */
void bl_own_run(const struct bl_own_executor *own, struct bl_own_call *call,
		struct bl_child_result *result);
void bl_own_clear(struct bl_own_call *call);

#endif

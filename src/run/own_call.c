/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of an embedder's executor, and how it ended.  Separate from the
 * executor "own", since hooks of every profile are handed to it.
 */
#include "base/buf.h"
#include "run/own.h"

enum { FAILURE_BYTES = 4096 };

#define MS_NS 1000000LL

bool bl_own_is_over(const struct bl_own_call *call)
{
	int64_t most_ns = (int64_t)call->timeout_ms * MS_NS;

	return bl_stop_ask(call->stop) ||
	       (call->timeout_ms &&
		bl_os_monotonic_ns() - call->started_ns >= most_ns);
}

/* One byte over the cap shows that it was passed. */
static void keep(struct bl_buf *buf, struct bl_str text, size_t most)
{
	bl_buf_reset(buf);
	bl_buf_put_str(buf, bl_str_slice(text, 0, most));
}

void bl_own_exit(struct bl_own_call *call, int exit_code, struct bl_str output,
		 struct bl_str errors)
{
	call->is_ended = true;
	call->exit_code = exit_code;
	bl_buf_reset(&call->failure);
	keep(&call->output, output, call->max_output_bytes + 1);
	keep(&call->errors, errors, call->max_error_bytes + 1);
}

void bl_own_fail(struct bl_own_call *call, struct bl_str why)
{
	call->is_ended = true;
	keep(&call->failure, why.len ? why : BL_STR("for no reason given"),
	     FAILURE_BYTES);
}

static void fail_in_words(struct bl_child_result *result, struct bl_str why)
{
	result->end = BL_CHILD_CANNOT_START;
	result->stage = "executor";
	result->output = BL_STR("");
	result->errors = why;
}

static void take_result(const struct bl_own_call *call,
			struct bl_child_result *result)
{
	enum bl_stop_reason stopped = bl_stop_ask(call->stop);

	result->output = bl_str_slice(bl_buf_str(&call->output), 0,
				      call->max_output_bytes);
	result->errors = bl_str_slice(bl_buf_str(&call->errors), 0,
				      call->max_error_bytes);
	result->errors_cut = call->errors.len > call->max_error_bytes;
	result->end = BL_CHILD_EXITED;
	result->code = call->exit_code;
	if (stopped) {
		result->end = BL_CHILD_STOPPED;
		result->code = (int)stopped;
	} else if (bl_own_is_over(call)) {
		result->end = BL_CHILD_TIMED_OUT;
	} else if (!call->is_ended) {
		fail_in_words(result, BL_STR("it gave no result"));
	} else if (call->failure.len) {
		fail_in_words(result, bl_buf_str(&call->failure));
	} else if (bl_buf_status(&call->output) ||
		   bl_buf_status(&call->errors)) {
		fail_in_words(result, BL_STR("out of memory"));
	} else if (call->output.len > call->max_output_bytes) {
		result->end = BL_CHILD_TOO_MUCH;
	}
}

void bl_own_run(const struct bl_own_executor *own, struct bl_own_call *call,
		struct bl_child_result *result)
{
	enum bl_stop_reason stopped = bl_stop_ask(call->stop);

	bl_buf_init(&call->output, 0);
	bl_buf_init(&call->errors, 0);
	bl_buf_init(&call->failure, 0);
	*result = (struct bl_child_result){
		.end = BL_CHILD_STOPPED,
		.code = (int)stopped,
		.output = BL_STR(""),
		.errors = BL_STR(""),
		.started_ns = bl_os_monotonic_ns(),
	};
	if (stopped)
		return;
	call->started_ns = result->started_ns;
	call->is_ended = false;
	own->run(own->context, call);
	take_result(call, result);
	result->elapsed_ns = bl_os_monotonic_ns() - call->started_ns;
}

void bl_own_clear(struct bl_own_call *call)
{
	bl_buf_clear(&call->output);
	bl_buf_clear(&call->errors);
	bl_buf_clear(&call->failure);
}

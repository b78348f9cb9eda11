/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/trace.h: runs one program under ptrace, with one of its system
 * calls failing.
 *
 * Processes are numbered in the order in which they appear, the program itself
 * being 0, and their system calls from 0.  A process is followed as long as its
 * program is belay or belay-tools; what another program does is its own.
 */
#ifndef BELAY_TESTS_FAULTS_TRACE_H
#define BELAY_TESTS_FAULTS_TRACE_H

#include <stdbool.h>
#include <stddef.h>

enum { TRACE_SHORT = -1, TRACE_STAY = -2 };

struct trace_call {
	unsigned process;
	unsigned call;
	long number;
	bool is_log; /* on a file below log_path */
};

struct trace_calls {
	struct trace_call *items; /* the caller frees it */
	size_t count;
};

/* Which call fails, and with which of the errors that it has. */
struct trace_fault {
	unsigned process;
	unsigned call;
	unsigned error;
};

struct trace_options {
	char *const *argv;
	char *const *env;
	const char *dir;
	const char *input;
	const char *log_path;    /* a part of paths; NULL: none */
	unsigned deadline_ms;    /* then it hangs, and is killed */
	struct trace_calls *out; /* NULL: calls are not listed */
};

struct trace_result {
	int status; /* exit status, or minus a signal */
	bool is_hung;
	bool is_reached; /* the call that was to fail has failed */
	bool is_log;     /* it was on a file below log_path */
	bool is_loader;  /* the system's loader made it, not the program */
	long number;     /* the call that failed, */
	int error;       /* and how */
	int left;        /* processes that were left behind, killed now */
	char *out;       /* both end in NUL; trace_clear frees them */
	char *err;
};

/* How many ways a call has to fail; 0: it never fails. */
unsigned trace_errors(long number);
const char *trace_call_name(long number);
const char *trace_error_name(int error);

/*
 * fault may be NULL.  False: tracing itself failed, which was said on standard
 * error; the result is cleared then.
 */
bool trace_run(const struct trace_options *options,
	       const struct trace_fault *fault, struct trace_result *out);
void trace_clear(struct trace_result *result);

#endif

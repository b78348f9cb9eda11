/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/torture/torture.h: making the nth allocation or the nth write fail.
 *
 * The linker sends malloc, calloc, realloc and write of the program to
 * torture.c (--wrap), which counts them and lets one fail.  torture_run
 * repeats an operation with n = 1, 2, ... until none of its calls is the one
 * to fail, so that every call has failed once.
 */
#ifndef BELAY_TESTS_TORTURE_H
#define BELAY_TESTS_TORTURE_H

#include "base/error.h"

enum torture_kind { TORTURE_ALLOCATIONS, TORTURE_WRITES };

/*
 * One operation of a module.  Returns its status; has to free all that it
 * took, also after a failure, and may CHECK things (tap.h).
 */
typedef enum bl_status torture_op(void);

/*
 * Runs op with the nth call of this kind failing, for each n until op makes
 * fewer than n calls.  A run with a failed call has to return expected, the
 * last run OK.  The number of calls, or -1 when this was not so (which is then
 * said on standard output).
 */
enum { TORTURE_LIMIT = 10000 };
int torture_run(enum torture_kind kind, torture_op *op,
		enum bl_status expected);

/* One run with the nth call failing. */
enum bl_status torture_once(enum torture_kind kind, int n, torture_op *op);

/* Whether, in the present run, the call to fail has been made. */
bool torture_has_struck(void);

#endif

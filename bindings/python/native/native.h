/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native.h: what the hand-written part of belay._rego shares.  cffi makes the rest
 * of that module; here is what has to be quick, in C on values of Python.
 */
#ifndef NATIVE_H
#define NATIVE_H

/* One module for every Python from 3.10 on. */
#ifndef Py_LIMITED_API
#	define Py_LIMITED_API 0x030A0000
#endif
#include <Python.h>
#include <stdbool.h>

/* Text that is being written; short ones need no memory of their own. */
struct text {
	char *bytes; /* small, or from malloc */
	size_t size;
	size_t room;
	char small[4096];
};

void text_init(struct text *text);
void text_clear(struct text *text);

/*
 * Writes value as JSON.  False, with no exception: it is not made of exactly
 * None, True, False, str, int, float, list, tuple, and dict by str, or is too
 * large or too deep for here: the module json knows what to do.
 */
bool text_write(struct text *text, PyObject *value);

#endif

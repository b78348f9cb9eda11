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
#include <rego.h>
#include <stdbool.h>

enum { SMALL_ITEMS = 256, SPELLING_BYTES = 1024 };

/*
 * A value as a row of items (rego.h); few need no memory of their own.  Their texts
 * are those of Python's strings, which are held.
 */
struct items {
	rego_item *row;
	PyObject **held; /* the string of each item, or NULL */
	size_t count;
	size_t room;
	size_t spelled; /* bytes of spellings in use */
	rego_item small_row[SMALL_ITEMS];
	PyObject *small_held[SMALL_ITEMS];
	char spellings[SPELLING_BYTES]; /* of floats */
};

void items_init(struct items *items);
void items_clear(struct items *items);

/*
 * Makes items of value.  False, with no exception: it is not made of exactly None,
 * True, False, str, int, float, list, tuple, and dict by str, or is too large or
 * too deep for here: the module json knows what to do.
 */
bool items_read(struct items *items, PyObject *value);

/* The value that items of librego's are; NULL, with an exception. */
PyObject *items_value(const rego_item *items);

#endif

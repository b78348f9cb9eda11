/* SPDX-License-Identifier: Apache-2.0 */
/*
 * items.c: values of Python as items of librego, and back, several times quicker
 * than by the module json, to which everything unusual is left.  No code in Python runs
 * meanwhile, so that nothing changes under the hands of the reader; afterwards
 * any may, and other threads, so the strings are held.
 */
#include "native.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

void items_init(struct items *items)
{
	items->row = items->small_row;
	items->held = items->small_held;
	items->count = 0;
	items->room = SMALL_ITEMS;
	items->spelled = 0;
}

void items_clear(struct items *items)
{
	for (size_t i = 0; i < items->count; i++)
		Py_XDECREF(items->held[i]);
	if (items->row != items->small_row) {
		free(items->row);
		free(items->held);
	}
	items_init(items);
}

/* A copy of what is there, with more room; NULL: no memory. */
static void *copy(const void *from, size_t count, size_t room, size_t size)
{
	void *made = room <= SIZE_MAX / size ? malloc(room * size) : NULL;

	return made ? memcpy(made, from, count * size) : NULL;
}

static bool grow(struct items *items)
{
	size_t room = items->room * 2;
	rego_item *row = copy(items->row, items->count, room, sizeof(*row));
	PyObject **held = copy(items->held, items->count, room, sizeof(*held));

	if (!row || !held) {
		free(row);
		free(held);
		return false;
	}
	if (items->row != items->small_row) {
		free(items->row);
		free(items->held);
	}
	items->row = row;
	items->held = held;
	items->room = room;
	return true;
}

/* A new item at the end, without a string; NULL: no memory. */
static inline rego_item *add(struct items *items, int32_t kind, size_t size)
{
	rego_item *item;

	if (size > UINT32_MAX || (items->count == items->room && !grow(items)))
		return NULL;
	items->held[items->count] = NULL;
	item = &items->row[items->count++];
	item->kind = kind;
	item->size = (uint32_t)size;
	return item;
}

static bool add_integer(struct items *items, int32_t kind, int64_t integer)
{
	rego_item *item = add(items, kind, 0);

	if (item)
		item->as.integer = integer;
	return item;
}

static bool add_string(struct items *items, PyObject *string)
{
	Py_ssize_t size = 0;
	const char *text = PyUnicode_AsUTF8AndSize(string, &size);
	rego_item *item;

	if (!text) { /* half of a surrogate pair */
		PyErr_Clear();
		return false;
	}
	item = add(items, REGO_TEXT, (size_t)size);
	if (!item)
		return false;
	item->as.text = text;
	Py_INCREF(string);
	items->held[items->count - 1] = string;
	return true;
}

static bool add_int(struct items *items, PyObject *number)
{
	int is_over = 0;
	long long value = PyLong_AsLongLongAndOverflow(number, &is_over);

	return !is_over && add_integer(items, REGO_INTEGER, value);
}

/* As json spells it: 1.0 is not 1.  Infinity and NaN are not JSON. */
static bool add_float(struct items *items, PyObject *number)
{
	double value = PyFloat_AsDouble(number);
	char *digits, *to = items->spellings + items->spelled;
	size_t size;
	rego_item *item = NULL;

	if (value - value != 0)
		return false;
	digits = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
	if (!digits) {
		PyErr_Clear();
		return false;
	}
	size = strlen(digits);
	if (size <= SPELLING_BYTES - items->spelled)
		item = add(items, REGO_NUMBER, size);
	if (item) {
		item->as.text = memcpy(to, digits, size);
		items->spelled += size;
	}
	PyMem_Free(digits);
	return item;
}

static bool add_value(struct items *items, PyObject *value, int depth);

static bool add_dict(struct items *items, PyObject *dict, int depth)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;

	if (!add(items, REGO_OBJECT, (size_t)PyDict_Size(dict)))
		return false;
	while (PyDict_Next(dict, &at, &key, &value)) {
		if (Py_TYPE(key) != &PyUnicode_Type ||
		    !add_string(items, key) || !add_value(items, value, depth))
			return false;
	}
	return true;
}

static bool add_list(struct items *items, PyObject *list, int depth)
{
	Py_ssize_t count = PyList_Size(list);
	bool is_added = add(items, REGO_ARRAY, (size_t)count);

	for (Py_ssize_t i = 0; i < count && is_added; i++)
		is_added = add_value(items, PyList_GetItem(list, i), depth);
	return is_added;
}

static bool add_tuple(struct items *items, PyObject *tuple, int depth)
{
	Py_ssize_t count = PyTuple_Size(tuple);
	bool is_added = add(items, REGO_ARRAY, (size_t)count);

	for (Py_ssize_t i = 0; i < count && is_added; i++)
		is_added = add_value(items, PyTuple_GetItem(tuple, i), depth);
	return is_added;
}

static bool add_value(struct items *items, PyObject *value, int depth)
{
	PyTypeObject *type = Py_TYPE(value);

	if (type == &PyUnicode_Type)
		return add_string(items, value);
	if (type == &PyLong_Type)
		return add_int(items, value);
	if (type == &PyBool_Type)
		return add_integer(items, REGO_BOOLEAN, value == Py_True);
	if (value == Py_None)
		return add(items, REGO_NULL, 0);
	if (type == &PyFloat_Type)
		return add_float(items, value);
	if (depth == MAX_DEPTH) /* of a circle, too */
		return false;
	if (type == &PyDict_Type)
		return add_dict(items, value, depth + 1);
	if (type == &PyList_Type)
		return add_list(items, value, depth + 1);
	return type == &PyTuple_Type && add_tuple(items, value, depth + 1);
}

bool items_read(struct items *items, PyObject *value)
{
	return add_value(items, value, 0);
}

/* ---- back ---------------------------------------------------------------- */

/* librego made the items, so they are one value. */
static PyObject *take(const rego_item **next);

static PyObject *text_of(const rego_item *item)
{
	return PyUnicode_FromStringAndSize(item->as.text,
					   (Py_ssize_t)item->size);
}

/* As json reads it: an int where it has no dot and no exponent. */
static PyObject *number_of(const rego_item *item)
{
	bool is_float = memchr(item->as.text, '.', item->size) ||
			memchr(item->as.text, 'e', item->size) ||
			memchr(item->as.text, 'E', item->size);
	PyObject *type = (PyObject *)(is_float ? &PyFloat_Type : &PyLong_Type);
	PyObject *text = text_of(item);
	PyObject *number =
		text ? PyObject_CallFunctionObjArgs(type, text, NULL) : NULL;

	Py_XDECREF(text);
	return number;
}

static PyObject *list_of(const rego_item **next, uint32_t count)
{
	PyObject *list = PyList_New(count);
	PyObject *value;

	for (uint32_t i = 0; i < count && list; i++) {
		value = take(next);
		if (!value || PyList_SetItem(list, i, value))
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *dict_of(const rego_item **next, uint32_t count)
{
	PyObject *dict = PyDict_New();

	for (uint32_t i = 0; i < count && dict; i++) {
		PyObject *key = text_of((*next)++);
		PyObject *value = key ? take(next) : NULL;

		if (!value || PyDict_SetItem(dict, key, value))
			Py_CLEAR(dict);
		Py_XDECREF(key);
		Py_XDECREF(value);
	}
	return dict;
}

static PyObject *take(const rego_item **next)
{
	const rego_item *item = (*next)++;

	switch (item->kind) {
	case REGO_BOOLEAN:
		return PyBool_FromLong(item->as.integer != 0);
	case REGO_INTEGER:
		return PyLong_FromLongLong(item->as.integer);
	case REGO_NUMBER:
		return number_of(item);
	case REGO_TEXT:
		return text_of(item);
	case REGO_ARRAY:
		return list_of(next, item->size);
	case REGO_OBJECT:
		return dict_of(next, item->size);
	default:
		Py_INCREF(Py_None);
		return Py_None;
	}
}

PyObject *items_value(const rego_item *items)
{
	return take(&items);
}

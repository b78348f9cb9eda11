/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c: values of Python as JSON, several times quicker than the module json,
 * to which everything unusual is left.  No code in Python runs meanwhile, so that
 * nothing changes under the hands of the writer.
 */
#include "native.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, NUMBER_BYTES = 32 };

void text_init(struct text *text)
{
	text->bytes = text->small;
	text->size = 0;
	text->room = sizeof(text->small);
}

void text_clear(struct text *text)
{
	if (text->bytes != text->small)
		free(text->bytes);
	text_init(text);
}

static bool grow(struct text *text, size_t size)
{
	bool is_small = text->bytes == text->small;
	size_t room = text->room;
	char *bytes;

	while (size > room - text->size) {
		if (room > SIZE_MAX / 2)
			return false;
		room *= 2;
	}
	bytes = realloc(is_small ? NULL : text->bytes, room);
	if (!bytes)
		return false;
	if (is_small)
		memcpy(bytes, text->small, text->size);
	text->bytes = bytes;
	text->room = room;
	return true;
}

/* Room for size more bytes; false: no memory. */
static inline bool reserve(struct text *text, size_t size)
{
	return size <= text->room - text->size || grow(text, size);
}

static inline bool put(struct text *text, const char *bytes, size_t size)
{
	if (!reserve(text, size))
		return false;
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	return true;
}

static inline bool put_char(struct text *text, char c)
{
	if (!reserve(text, 1))
		return false;
	text->bytes[text->size++] = c;
	return true;
}

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\';
}

/*
 * Are all eight bytes plain?  A subtraction that borrows from the next byte only
 * does so below a byte that is not plain itself; one of no ASCII is looked at
 * again by itself.
 */
static bool are_plain(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u;
	const uint64_t quotes = word ^ ones * '"';
	const uint64_t backslashes = word ^ ones * '\\';

	return !(((word - ones * ' ') | (quotes - ones) | (backslashes - ones) |
		  word) &
		 ones * 0x80);
}

/* Writes byte as it stands within a string; returns where that ends. */
static char *put_escaped(char *to, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";

	*to++ = '\\';
	if (byte >= 0x20) {
		*to++ = (char)byte;
		return to;
	}
	*to++ = 'u';
	*to++ = '0';
	*to++ = '0';
	*to++ = digits[byte >> 4];
	*to++ = digits[byte & 15];
	return to;
}

/* The bytes of a string as JSON; to has room for all of them escaped. */
static char *put_bytes(char *to, const char *at, const char *end)
{
	uint64_t word;

	for (; (size_t)(end - at) >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (!are_plain(word))
			break;
		memcpy(to, &word, sizeof(word));
		to += sizeof(word);
	}
	for (; at < end; at++) {
		if (is_plain((unsigned char)*at))
			*to++ = *at;
		else
			to = put_escaped(to, (unsigned char)*at);
	}
	return to;
}

static bool put_string(struct text *text, PyObject *string)
{
	Py_ssize_t size = 0;
	const char *bytes = PyUnicode_AsUTF8AndSize(string, &size);
	char *to;

	if (!bytes) { /* half of a surrogate pair */
		PyErr_Clear();
		return false;
	}
	/* every byte may need six, and there are the quotes */
	if ((size_t)size > (SIZE_MAX - 2) / 6 ||
	    !reserve(text, (size_t)size * 6 + 2))
		return false;
	to = text->bytes + text->size;
	*to++ = '"';
	to = put_bytes(to, bytes, bytes + size);
	*to++ = '"';
	text->size = (size_t)(to - text->bytes);
	return true;
}

static bool put_integer(struct text *text, PyObject *number)
{
	int is_over = 0;
	long long value = PyLong_AsLongLongAndOverflow(number, &is_over);
	unsigned long long rest = value < 0 ? 0ULL - (unsigned long long)value
					    : (unsigned long long)value;
	char digits[NUMBER_BYTES], *at = digits + sizeof(digits);

	if (is_over)
		return false;
	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		*--at = '-';
	return put(text, at, (size_t)(digits + sizeof(digits) - at));
}

/* Infinity and NaN are not JSON. */
static bool put_float(struct text *text, PyObject *number)
{
	double value = PyFloat_AsDouble(number);
	char *digits;
	bool is_put;

	if (value - value != 0)
		return false;
	digits = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
	if (!digits) {
		PyErr_Clear();
		return false;
	}
	is_put = put(text, digits, strlen(digits));
	PyMem_Free(digits);
	return is_put;
}

static bool put_value(struct text *text, PyObject *value, int depth);

static bool put_object(struct text *text, PyObject *object, int depth)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;
	char before = '{';

	while (PyDict_Next(object, &at, &key, &value)) {
		if (Py_TYPE(key) != &PyUnicode_Type ||
		    !put_char(text, before) || !put_string(text, key) ||
		    !put_char(text, ':') || !put_value(text, value, depth))
			return false;
		before = ',';
	}
	return before == ',' ? put_char(text, '}') : put(text, "{}", 2);
}

static bool put_array(struct text *text, PyObject *array, bool is_list,
		      int depth)
{
	Py_ssize_t count = is_list ? PyList_Size(array) : PyTuple_Size(array);

	if (!put_char(text, '['))
		return false;
	for (Py_ssize_t i = 0; i < count; i++) {
		PyObject *item = is_list ? PyList_GetItem(array, i)
					 : PyTuple_GetItem(array, i);

		if ((i && !put_char(text, ',')) ||
		    !put_value(text, item, depth))
			return false;
	}
	return put_char(text, ']');
}

static bool put_value(struct text *text, PyObject *value, int depth)
{
	PyTypeObject *type = Py_TYPE(value);

	if (type == &PyUnicode_Type)
		return put_string(text, value);
	if (type == &PyLong_Type)
		return put_integer(text, value);
	if (value == Py_True)
		return put(text, "true", 4);
	if (value == Py_False)
		return put(text, "false", 5);
	if (value == Py_None)
		return put(text, "null", 4);
	if (type == &PyFloat_Type)
		return put_float(text, value);
	if (depth == MAX_DEPTH) /* of a circle, too */
		return false;
	if (type == &PyDict_Type)
		return put_object(text, value, depth + 1);
	if (type == &PyList_Type || type == &PyTuple_Type)
		return put_array(text, value, type == &PyList_Type, depth + 1);
	return false;
}

bool text_write(struct text *text, PyObject *value)
{
	return put_value(text, value, 0);
}

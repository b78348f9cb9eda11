/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native.h: what the files of the module share.  JavaScript holds each object of
 * C as an external value with a struct handle, which is freed with it.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_ARGUMENTS = 8, ERROR_BYTES = 512 };

enum kind { KIND_ENGINE, KIND_CANCEL, KIND_POLICIES, KIND_QUERY };

struct handle {
	enum kind kind;
	void *object;   /* NULL: closed */
	uint32_t users; /* dispatches that are under way */
	bool is_closed; /* freed when users is 0 */
};

/* Arguments of one call from JavaScript. */
struct call {
	napi_env env;
	size_t count;
	napi_value values[MAX_ARGUMENTS];
};

/* The arguments; those that were not given are undefined. */
struct call call_begin(napi_env env, napi_callback_info info);

/*
 * Argument i as text in UTF-8 that ends with NUL, from malloc; NULL for null,
 * undefined and what is not a text (or no memory).  *out_size may be NULL.
 */
char *call_text(const struct call *call, size_t i, size_t *out_size);
/*
 * As call_text, but NULL for null alone.  False, with an exception: it is not a
 * text, or memory is out.
 */
bool call_text_or_null(const struct call *call, size_t i, char **out_text,
		       size_t *out_size);
uint32_t call_number(const struct call *call, size_t i);

/* The object of a handle of this kind; NULL, and an exception, when it is not. */
void *call_object(const struct call *call, size_t i, enum kind kind);
struct handle *call_handle(const struct call *call, size_t i, enum kind kind);

/* A new external value; frees object when there is no memory. */
napi_value handle_new(napi_env env, enum kind kind, void *object);

/* Frees the object of a handle that is closed and that nobody uses. */
void handle_settle(struct handle *handle);

/* Text, or null for NULL. */
napi_value text_value(napi_env env, const char *text);
napi_value text_value_sized(napi_env env, const char *text, size_t size);
void set(napi_env env, napi_value object, const char *name, napi_value value);
napi_value number_value(napi_env env, double number);
napi_value bool_value(napi_env env, bool is_true);

/* An Error with status and, where there are some, diagnostics (JSON). */
napi_value error_value(napi_env env, int32_t status, const char *message,
		       const char *diagnostics);
napi_value throw_error(napi_env env, int32_t status, const char *message,
		       const char *diagnostics);

/* Puts the functions of a file into exports. */
struct entry {
	const char *name;
	napi_callback function;
};
void add_functions(napi_env env, napi_value exports,
		   const struct entry *entries, size_t count);
void add_engine_functions(napi_env env, napi_value exports);
void add_dispatch_functions(napi_env env, napi_value exports);
void add_rego_functions(napi_env env, napi_value exports);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif

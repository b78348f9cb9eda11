/* SPDX-License-Identifier: Apache-2.0 */
/* values.c: between values of JavaScript and those of C, and the module's start. */
#include "native.h"

#include <belay.h>
#include <rego.h>
#include <stdlib.h>

static void free_engine(void *object)
{
	belay_engine_free(object);
}
static void free_cancel(void *object)
{
	belay_cancel_free(object);
}
static void free_policies(void *object)
{
	rego_policies_free(object);
}
static void free_query(void *object)
{
	rego_query_free(object);
}

static const struct {
	const char *complaint;
	void (*free)(void *object);
} kinds[] = {
	[KIND_ENGINE] = { "this is not an engine", free_engine },
	[KIND_CANCEL] = { "this is not a cancellation", free_cancel },
	[KIND_POLICIES] = { "this is not policies", free_policies },
	[KIND_QUERY] = { "this is not a query", free_query },
};

struct call call_begin(napi_env env, napi_callback_info info)
{
	struct call call = { .env = env, .count = MAX_ARGUMENTS };

	napi_get_cb_info(env, info, &call.count, call.values, NULL, NULL);
	return call;
}

char *call_text(const struct call *call, size_t i, size_t *out_size)
{
	size_t size = 0;
	char *text;

	if (napi_get_value_string_utf8(call->env, call->values[i], NULL, 0,
				       &size) != napi_ok)
		return NULL;
	text = malloc(size + 1);
	if (!text)
		return NULL;
	napi_get_value_string_utf8(call->env, call->values[i], text, size + 1,
				   &size);
	if (out_size)
		*out_size = size;
	return text;
}

bool call_text_or_null(const struct call *call, size_t i, char **out_text,
		       size_t *out_size)
{
	napi_valuetype type = napi_undefined;

	napi_typeof(call->env, call->values[i], &type);
	*out_text = type == napi_null ? NULL : call_text(call, i, out_size);
	if (*out_text || type == napi_null)
		return true;
	if (type == napi_string)
		throw_error(call->env, BELAY_NO_MEMORY, "out of memory", NULL);
	else
		throw_error(call->env, BELAY_USAGE,
			    "an argument is neither a text nor null", NULL);
	return false;
}

uint32_t call_number(const struct call *call, size_t i)
{
	uint32_t number = 0;

	return napi_get_value_uint32(call->env, call->values[i], &number) ==
			       napi_ok
		       ? number
		       : 0;
}

struct handle *call_handle(const struct call *call, size_t i, enum kind kind)
{
	void *data = NULL;
	struct handle *handle;

	if (napi_get_value_external(call->env, call->values[i], &data) !=
	    napi_ok)
		data = NULL;
	handle = data;
	if (!handle || handle->kind != kind || handle->is_closed) {
		napi_throw_type_error(call->env, NULL,
				      handle && handle->kind == kind
					      ? "it is closed"
					      : kinds[kind].complaint);
		return NULL;
	}
	return handle;
}

void *call_object(const struct call *call, size_t i, enum kind kind)
{
	struct handle *handle = call_handle(call, i, kind);

	return handle ? handle->object : NULL;
}

void handle_settle(struct handle *handle)
{
	if (!handle->is_closed || handle->users || !handle->object)
		return;
	kinds[handle->kind].free(handle->object);
	handle->object = NULL;
}

/* Nobody can use it now: a dispatch keeps a reference. */
static void finalize(napi_env env, void *data, void *hint)
{
	struct handle *handle = data;

	(void)env;
	(void)hint;
	handle->is_closed = true;
	handle->users = 0;
	handle_settle(handle);
	free(handle);
}

napi_value handle_new(napi_env env, enum kind kind, void *object)
{
	struct handle *handle = calloc(1, sizeof(*handle));
	napi_value value = NULL;

	if (!handle) {
		kinds[kind].free(object);
		return throw_error(env, BELAY_NO_MEMORY, "out of memory", NULL);
	}
	*handle = (struct handle){ .kind = kind, .object = object };
	if (napi_create_external(env, handle, finalize, NULL, &value) !=
	    napi_ok) {
		finalize(env, handle, NULL);
		return NULL;
	}
	return value;
}

napi_value text_value_sized(napi_env env, const char *text, size_t size)
{
	napi_value value = NULL;

	if (text)
		napi_create_string_utf8(env, text, size, &value);
	else
		napi_get_null(env, &value);
	return value;
}

napi_value text_value(napi_env env, const char *text)
{
	return text_value_sized(env, text, NAPI_AUTO_LENGTH);
}

napi_value number_value(napi_env env, double number)
{
	napi_value value = NULL;

	napi_create_double(env, number, &value);
	return value;
}

napi_value bool_value(napi_env env, bool is_true)
{
	napi_value value = NULL;

	napi_get_boolean(env, is_true, &value);
	return value;
}

void set(napi_env env, napi_value object, const char *name, napi_value value)
{
	napi_set_named_property(env, object, name, value);
}

napi_value error_value(napi_env env, int32_t status, const char *message,
		       const char *diagnostics)
{
	napi_value error = NULL;

	napi_create_error(env, NULL, text_value(env, message), &error);
	set(env, error, "status", number_value(env, status));
	set(env, error, "diagnostics",
	    text_value(env, diagnostics ? diagnostics : "[]"));
	return error;
}

napi_value throw_error(napi_env env, int32_t status, const char *message,
		       const char *diagnostics)
{
	napi_throw(env, error_value(env, status, message, diagnostics));
	return NULL;
}

void add_functions(napi_env env, napi_value exports,
		   const struct entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		napi_value function = NULL;

		napi_create_function(env, entries[i].name, NAPI_AUTO_LENGTH,
				     entries[i].function, NULL, &function);
		set(env, exports, entries[i].name, function);
	}
}

NAPI_MODULE_INIT()
{
	add_engine_functions(env, exports);
	add_dispatch_functions(env, exports);
	add_rego_functions(env, exports);
	set(env, exports, "version", text_value(env, belay_version()));
	return exports;
}

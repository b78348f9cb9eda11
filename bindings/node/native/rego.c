/* SPDX-License-Identifier: Apache-2.0 */
/* rego.c: the policy language: compile once, ask often. */
#include "native.h"

#include <rego.h>
#include <stdlib.h>

/* throw_error, with what a compiler found; frees it. */
static napi_value refuse(napi_env env, rego_status status,
			 const rego_error *error, rego_text *found)
{
	throw_error(env, status, error->message,
		    found ? rego_text_data(found) : NULL);
	rego_text_free(found);
	return NULL;
}

static napi_value give(napi_env env, rego_status status, rego_text *text,
		       const rego_error *error)
{
	napi_value value;

	if (status)
		return refuse(env, status, error, NULL);
	value = text_value_sized(env, rego_text_data(text),
				 rego_text_size(text));
	rego_text_free(text);
	return value;
}

/* Adds the texts of list, an array of [name, text] or of paths. */
static rego_status add_all(napi_env env, rego_compiler *compiler,
			   napi_value list, bool are_bundles, rego_error *error)
{
	uint32_t count = 0;
	rego_status status = REGO_OK;

	napi_get_array_length(env, list, &count);
	for (uint32_t i = 0; i < count && !status; i++) {
		struct call row = { .env = env };
		size_t size = 0;
		char *name, *text;

		napi_get_element(env, list, i, &row.values[2]);
		napi_get_element(env, row.values[2], 0, &row.values[0]);
		napi_get_element(env, row.values[2], 1, &row.values[1]);
		name = call_text(&row, 0, NULL);
		text = call_text(&row, 1, &size);
		status = are_bundles
				 ? rego_compiler_add_bundle(compiler, name,
							    error)
				 : rego_compiler_add_module(compiler, name,
							    text, size, error);
		free(name);
		free(text);
	}
	return status;
}

/* compile(modules, data, bundles, flags, capabilities, schemas) */
static napi_value compile(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	rego_compiler_options options = REGO_COMPILER_OPTIONS_INIT;
	rego_error error = REGO_ERROR_INIT;
	rego_compiler *compiler = NULL;
	rego_policies *policies = NULL;
	rego_text *found = NULL;
	size_t size = 0;
	char *data = call_text(&call, 1, &size);
	char *capabilities = call_text(&call, 4, NULL);
	char *schemas = call_text(&call, 5, NULL);
	rego_status status;

	options.flags = call_number(&call, 3);
	options.capabilities = capabilities;
	options.schemas = schemas;
	status = rego_compiler_new(&options, &compiler, &error);
	if (!status)
		status = add_all(env, compiler, call.values[0], false, &error);
	if (!status && data)
		status = rego_compiler_add_data(compiler, data, size, &error);
	if (!status)
		status = add_all(env, compiler, call.values[2], true, &error);
	if (!status)
		status = rego_compile(compiler, &policies, &found, &error);
	rego_compiler_free(compiler);
	free(data);
	free(capabilities);
	free(schemas);
	if (status)
		return refuse(env, status, &error, found);
	rego_text_free(found);
	return handle_new(env, KIND_POLICIES, policies);
}

static napi_value query(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	rego_policies *policies = call_object(&call, 0, KIND_POLICIES);
	rego_error error = REGO_ERROR_INIT;
	rego_query *made = NULL;
	rego_text *found = NULL;
	rego_status status;
	char *text;

	if (!policies)
		return NULL;
	text = call_text(&call, 1, NULL);
	status = rego_query_new(policies, text, &made, &found, &error);
	free(text);
	if (status)
		return refuse(env, status, &error, found);
	rego_text_free(found);
	return handle_new(env, KIND_QUERY, made);
}

enum { SHORT_BYTES = 4096 };

/*
 * Runs the query of argument 0 on argument 1; NULL, and an exception, when it
 * fails.  Most inputs are short: they need no memory of their own.
 */
static rego_result *run_query(struct call *call,
			      const rego_run_options *options)
{
	rego_query *asked = call_object(call, 0, KIND_QUERY);
	rego_error error = REGO_ERROR_INIT;
	rego_result *result = NULL;
	char short_text[SHORT_BYTES], *text = short_text;
	size_t size = 0;
	rego_status status;

	if (!asked)
		return NULL;
	if (napi_get_value_string_utf8(call->env, call->values[1], short_text,
				       sizeof(short_text), &size) != napi_ok ||
	    size >= sizeof(short_text) - 4) { /* it may be cut */
		size = 0;
		if (!call_text_or_null(call, 1, &text, &size))
			return NULL;
	}
	status = rego_query_run(asked, options, text, size, &result, &error);
	if (text != short_text)
		free(text);
	if (status)
		throw_error(call->env, status, error.message, NULL);
	return status ? NULL : result;
}

/* isTrue(query, input) */
static napi_value is_true(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	rego_result *result = run_query(&call, NULL);
	napi_value value;

	if (!result)
		return NULL;
	value = bool_value(env, rego_result_is_true(result));
	rego_result_free(result);
	return value;
}

/* run(query, input, flags, timeoutMs, maxSteps, maxBytes) */
static napi_value run(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	rego_run_options options = REGO_RUN_OPTIONS_INIT;
	rego_result *result;
	napi_value object = NULL;

	options.flags = call_number(&call, 2);
	options.timeout_ms = call_number(&call, 3);
	options.max_steps = call_number(&call, 4);
	options.max_bytes = call_number(&call, 5);
	result = run_query(&call, &options);
	if (!result)
		return NULL;
	napi_create_object(env, &object);
	set(env, object, "isTrue",
	    bool_value(env, rego_result_is_true(result)));
	set(env, object, "valueJson",
	    text_value(env, rego_result_value(result)));
	set(env, object, "solutionsJson",
	    text_value(env, rego_result_solutions(result)));
	set(env, object, "explanationJson",
	    text_value(env, rego_result_explanation(result)));
	rego_result_free(result);
	return object;
}

static napi_value with_data(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	rego_policies *policies = call_object(&call, 0, KIND_POLICIES);
	rego_error error = REGO_ERROR_INIT;
	rego_policies *other = NULL;
	size_t size = 0;
	rego_status status;
	char *data;

	if (!policies)
		return NULL;
	data = call_text(&call, 1, &size);
	status = rego_policies_with_data(policies, data, size, &other, &error);
	free(data);
	return status ? refuse(env, status, &error, NULL)
		      : handle_new(env, KIND_POLICIES, other);
}

static napi_value image(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	rego_policies *policies = call_object(&call, 0, KIND_POLICIES);
	rego_error error = REGO_ERROR_INIT;
	rego_text *bytes = NULL;
	napi_value buffer = NULL;
	rego_status status;

	if (!policies)
		return NULL;
	status = rego_policies_image(policies, &bytes, &error);
	if (status)
		return refuse(env, status, &error, NULL);
	napi_create_buffer_copy(env, rego_text_size(bytes),
				rego_text_data(bytes), NULL, &buffer);
	rego_text_free(bytes);
	return buffer;
}

static napi_value open_image(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	rego_error error = REGO_ERROR_INIT;
	rego_policies *policies = NULL;
	void *data = NULL;
	size_t size = 0;
	rego_status status;

	napi_get_buffer_info(env, call.values[0], &data, &size);
	status = rego_policies_open(data, size, &policies, &error);
	return status ? refuse(env, status, &error, NULL)
		      : handle_new(env, KIND_POLICIES, policies);
}

/* text(isTree, name, text, flags): laid out, or its syntax tree */
static napi_value rewrite(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	rego_error error = REGO_ERROR_INIT;
	rego_text *made = NULL;
	size_t size = 0;
	char *name = call_text(&call, 1, NULL);
	char *input = call_text(&call, 2, &size);
	uint32_t flags = call_number(&call, 3);
	rego_status status =
		call_number(&call, 0)
			? rego_parse(name, input, size, flags, &made, &error)
			: rego_format(name, input, size, flags, &made, &error);

	free(name);
	free(input);
	return give(env, status, made, &error);
}

void add_rego_functions(napi_env env, napi_value exports)
{
	static const struct entry entries[] = {
		{ "compile", compile },    { "query", query },
		{ "isTrue", is_true },     { "run", run },
		{ "withData", with_data }, { "image", image },
		{ "open", open_image },    { "text", rewrite },
	};

	add_functions(env, exports, entries, COUNT(entries));
}

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

/* Runs query; NULL, and an exception, when it fails. */
static rego_result *run_query(napi_env env, const rego_query *query,
			      const rego_run_options *options,
			      const char *input, size_t size)
{
	rego_error error; /* message is set with a status, and large */
	rego_result *result = NULL;
	rego_status status;

	error.struct_size = sizeof(error);
	status = rego_query_run(query, options, input, size, &result, &error);
	if (status)
		throw_error(env, status, error.message, NULL);
	return status ? NULL : result;
}

/* As run_query, on argument i: text, or null. */
static rego_result *run_query_on(const struct call *call, size_t i,
				 const rego_query *query,
				 const rego_run_options *options)
{
	rego_result *result;
	size_t size = 0;
	char *text;

	if (!call_text_or_null(call, i, &text, &size))
		return NULL;
	result = run_query(call->env, query, options, text, size);
	free(text);
	return result;
}

/* As in ../items.js. */
enum { MAX_ITEMS = 1024, MAX_TEXT = 16384, KINDS = 8 };

/* A query, and where its inputs are written. */
struct asker {
	const rego_query *query;
	const int32_t *words;
};

static void free_asker(napi_env env, void *data, void *hint)
{
	(void)env;
	(void)hint;
	free(data);
}

/* The items that ../items.js wrote; false: their texts are not size bytes. */
static bool read_items(const int32_t *words, size_t count, const char *texts,
		       size_t size, rego_item *row)
{
	for (size_t i = 0; i < count; i++) {
		rego_item *item = &row[i];

		item->kind = words[i] & (KINDS - 1);
		item->size = (uint32_t)words[i] / KINDS;
		item->as.integer = words[i] >> 3;
		if (item->kind != REGO_TEXT && item->kind != REGO_NUMBER)
			continue;
		if (item->size > size)
			return false;
		item->as.text = texts;
		texts += item->size;
		size -= item->size;
	}
	return size == 0;
}

/*
 * (number of items, their texts); count 0: no input.  Undefined when texts are not
 * ASCII, so that their sizes differ.
 */
static napi_value ask_items(const struct call *call, const struct asker *asker,
			    size_t count)
{
	char texts[MAX_TEXT + 1];
	rego_item row[MAX_ITEMS];
	rego_error error; /* message is set with a status, and large */
	rego_status status;
	int32_t is_true = 0;
	size_t size = 0;

	napi_get_value_string_utf8(call->env, call->values[1], texts,
				   sizeof(texts), &size);
	if (count > MAX_ITEMS ||
	    !read_items(asker->words, count, texts, size, row))
		return NULL;
	error.struct_size = sizeof(error);
	status = rego_query_ask(asker->query, NULL, count ? row : NULL, count,
				&is_true, &error);
	return status ? throw_error(call->env, status, error.message, NULL)
		      : bool_value(call->env, is_true);
}

/* The function that asker makes: (number of items, texts) or (JSON) => boolean. */
static napi_value is_true(napi_env env, napi_callback_info info)
{
	struct call call = { .env = env, .count = 2 };
	const struct asker *asker;
	void *data = NULL;
	rego_result *result;
	uint32_t count = 0;
	napi_value value;

	napi_get_cb_info(env, info, &call.count, call.values, NULL, &data);
	asker = data;
	if (napi_get_value_uint32(env, call.values[0], &count) == napi_ok)
		return ask_items(&call, asker, count);
	result = run_query_on(&call, 0, asker->query, NULL);
	if (!result)
		return NULL;
	value = bool_value(env, rego_result_is_true(result));
	rego_result_free(result);
	return value;
}

/*
 * asker(query, words): a function that asks it, without looking for these
 * each time.  It borrows them, from the one who calls it.
 */
static napi_value asker(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	const rego_query *query = call_object(&call, 0, KIND_QUERY);
	struct asker *made = query ? calloc(1, sizeof(*made)) : NULL;
	napi_value function = NULL;
	void *words = NULL;

	if (!made)
		return query ? throw_error(env, REGO_NO_MEMORY, "out of memory",
					   NULL)
			     : NULL;
	napi_get_typedarray_info(env, call.values[1], NULL, NULL, &words, NULL,
				 NULL);
	made->query = query;
	made->words = words;
	if (napi_create_function(env, "isTrue", NAPI_AUTO_LENGTH, is_true, made,
				 &function) != napi_ok ||
	    napi_add_finalizer(env, function, made, free_asker, NULL, NULL) !=
		    napi_ok) {
		free(made);
		return throw_error(env, REGO_NO_MEMORY, "out of memory", NULL);
	}
	return function;
}

/* run(query, input, flags, timeoutMs, maxSteps, maxBytes) */
static napi_value run(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	rego_query *query = call_object(&call, 0, KIND_QUERY);
	rego_run_options options = REGO_RUN_OPTIONS_INIT;
	rego_result *result;
	napi_value object = NULL;

	if (!query)
		return NULL;
	options.flags = call_number(&call, 2);
	options.timeout_ms = call_number(&call, 3);
	options.max_steps = call_number(&call, 4);
	options.max_bytes = call_number(&call, 5);
	result = run_query_on(&call, 1, query, &options);
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
		{ "asker", asker },        { "run", run },
		{ "withData", with_data }, { "image", image },
		{ "open", open_image },    { "text", rewrite },
	};

	add_functions(env, exports, entries, COUNT(entries));
}

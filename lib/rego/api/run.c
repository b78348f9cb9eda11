/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries, their runs and results.  A run has one arena, which becomes that of
 * its result.
 */
#include <stdlib.h>

#include "os/os.h"
#include "rego/api/private.h"

enum { MAX_ZONE_BYTES = 1 << 20, ASK_BYTES = 1 << 14 };

static const size_t usual_bytes = (size_t)1 << 30;

struct rego_query {
	atomic_size_t references; /* one of them is each result's */
	struct rego_policies *policies;
	struct bl_arena arena;
	uint32_t document; /* BL_REGO_NO_DOCUMENT: prepared counts */
	const struct bl_rego_prepared *prepared;
};

struct rego_result {
	rego_query *query; /* whose texts and constants the values have */
	struct bl_arena arena;
	struct bl_value solutions; /* of a query */
	struct bl_value value;     /* of a document, or of the first solution */
	bool is_document;
	const char *value_text; /* made when asked for */
	const char *solutions_text;
	const char *explanation;
};

/* ---- queries ------------------------------------------------------------- */

/* "data.a.b", where there is a rule or package, needs no code of its own. */
static uint32_t find_document(const struct rego_policies *policies,
			      struct bl_str text)
{
	struct bl_str path = bl_str_slice(text, 5, SIZE_MAX);
	uint32_t document;

	if (policies->is_explainable ||
	    !bl_str_has_prefix(text, BL_STR("data.")) || !bl_rego_is_path(path))
		return BL_REGO_NO_DOCUMENT;
	document = bl_rego_find(policies->compiled, path);
	return document != BL_REGO_NO_DOCUMENT &&
			       !bl_rego_is_function(policies->compiled,
						    document)
		       ? document
		       : BL_REGO_NO_DOCUMENT;
}

static void prepare(struct rego_query *query, struct bl_str text,
		    rego_text **out_diagnostics, struct bl_error *err)
{
	struct bl_str copy = bl_arena_copy_str(&query->arena, text);
	struct bl_diags diags;

	if (!copy.ptr) {
		bl_arena_fail(&query->arena, err);
		return;
	}
	bl_diags_init(&diags, &query->arena);
	bl_rego_prepare(query->policies->compiled, copy, &query->arena, &diags,
			&query->prepared, err);
	api_give_diags(&diags, out_diagnostics);
	if (err->status)
		api_take_first(&diags, err);
}

rego_status rego_query_new(const rego_policies *policies, const char *text,
			   rego_query **out_query, rego_text **out_diagnostics,
			   rego_error *error)
{
	struct bl_error err = { 0 };
	rego_query *query;

	if (!policies || !text || !out_query)
		return api_fail_null(error, !policies ? "policies"
					    : !text   ? "text"
						      : "out_query");
	query = calloc(1, sizeof(*query));
	if (!query)
		return api_fail_memory(error);
	atomic_init(&query->references, 1);
	query->policies = (struct rego_policies *)(uintptr_t)policies;
	atomic_fetch_add(&query->policies->references, 1);
	bl_arena_init(&query->arena, NULL, 0, usual_bytes);
	query->document = find_document(policies, bl_str(text));
	if (out_diagnostics)
		*out_diagnostics = NULL;
	if (query->document == BL_REGO_NO_DOCUMENT)
		prepare(query, bl_str(text), out_diagnostics, &err);
	if (err.status) {
		rego_query_free(query);
		return api_fail(&err, error);
	}
	*out_query = query;
	return REGO_OK;
}

void rego_query_free(rego_query *query)
{
	if (!query || atomic_fetch_sub(&query->references, 1) != 1)
		return;
	bl_arena_clear(&query->arena);
	rego_policies_free(query->policies);
	free(query);
}

/* ---- what an evaluation asks of us --------------------------------------- */

struct run {
	rego_run_options options;
	int64_t deadline_ns; /* 0: none */
	bool is_over;
	struct bl_rego_explainer *explainer; /* NULL: not explained */
};

static bool is_over(void *context)
{
	struct run *run = context;
	const int32_t *cancelled = run->options.cancelled;

	run->is_over =
		run->is_over ||
		(cancelled && __atomic_load_n(cancelled, __ATOMIC_RELAXED)) ||
		(run->deadline_ns && bl_os_monotonic_ns() > run->deadline_ns);
	return run->is_over;
}

static bool read_zone(void *context, struct bl_arena *arena, struct bl_str name,
		      struct bl_str *out_tzif)
{
	struct bl_str path =
		bl_path_join(arena, BL_STR("/usr/share/zoneinfo"), name);

	(void)context;
	return path.ptr && !bl_os_read_file(path, 0, MAX_ZONE_BYTES, arena,
					    out_tzif, NULL, NULL);
}

static bool fill_random(void *context, void *out, size_t len)
{
	(void)context;
	return !bl_os_random(out, len, NULL);
}

static void notice(void *context, const struct bl_rego_event *event)
{
	const struct run *run = context;

	if (event->kind == BL_REGO_PRINT && run->options.print)
		run->options.print(run->options.print_context, event->text.ptr,
				   event->text.len);
	if (run->explainer)
		bl_rego_explainer_notice(run->explainer, event);
}

/* ---- runs ---------------------------------------------------------------- */

/* Members that an older caller's struct lacks are 0. */
static void read_options(struct run *run, const rego_run_options *options)
{
	size_t size = options ? options->struct_size : 0;

	if (size > sizeof(run->options))
		size = sizeof(run->options);
	if (options)
		memcpy(&run->options, options, size);
	if (run->options.timeout_ms)
		run->deadline_ns = bl_os_monotonic_ns() +
				   (int64_t)run->options.timeout_ms * 1000000;
}

/* The evaluation failed: as it is told to the caller. */
static void fail_with(const struct run *run, const struct bl_arena *arena,
		      const struct bl_rego_result *found, struct bl_error *err)
{
	bool is_ended = !strcmp(found->fault_code, "eval_cancel_error");

	if (bl_arena_status(arena))
		bl_arena_fail(arena, err);
	else
		bl_fail(err,
			run->is_over ? BL_TIMEOUT
			: is_ended   ? BL_LIMIT
				     : BL_INVALID,
			"%.*s", BL_STR_ARG(found->fault));
}

static void explain(const struct run *run, rego_result *result,
		    struct bl_error *err)
{
	const struct bl_rego_explain_options whole = { 0 };
	struct bl_value tree;

	if (bl_rego_explain(run->explainer, &whole, &result->arena, &tree, err))
		return;
	result->explanation = api_json(&result->arena, tree);
	if (!result->explanation)
		bl_arena_fail(&result->arena, err);
}

static void evaluate(const rego_query *query, struct run *run,
		     struct bl_value input, rego_result *result,
		     struct bl_error *err)
{
	const struct bl_rego_observer observer = { run, notice, true };
	const struct bl_rego_options options = {
		.input = input,
		.data = query->policies->data,
		.strict_builtin_errors =
			run->options.flags & REGO_STRICT_ERRORS,
		.max_steps = run->options.max_steps,
		.host = { .now_ns = run->options.now_ns
					    ? run->options.now_ns
					    : bl_os_wall_ms() * 1000000,
			  .read_zone = read_zone,
			  .fill_random = fill_random },
		.is_over = is_over,
		.is_over_context = run,
		.observer =
			run->explainer || run->options.print ? &observer : NULL,
	};
	struct bl_rego_result found = { 0 };
	struct bl_value first;

	result->is_document = !query->prepared;
	if (result->is_document)
		bl_rego_document(query->policies->compiled, query->document,
				 &options, &result->arena, &found, err);
	else
		bl_rego_run(query->prepared, &options, &result->arena, &found,
			    err);
	if (!err->status && found.fault_code)
		fail_with(run, &result->arena, &found, err);
	if (err->status)
		return;
	first = bl_value_item(found.solutions, 0);
	result->solutions = found.solutions;
	result->value =
		result->is_document
			? found.document
			: bl_value_item(
				  bl_object_find(first, BL_STR("expressions")),
				  0);
	if (run->explainer)
		explain(run, result, err);
}

static void run_query(const rego_query *query, struct run *run,
		      struct bl_value input, rego_result *result,
		      struct bl_error *err)
{
	if (run->options.flags & REGO_EXPLAIN &&
	    !query->policies->is_explainable) {
		bl_fail(err, BL_USAGE,
			"the policies were compiled without REGO_EXPLAINABLE");
		return;
	}
	if (run->options.flags & REGO_EXPLAIN &&
	    bl_rego_explainer_new(&result->arena, &run->explainer, err))
		return;
	evaluate(query, run, input, result, err);
}

/* An input in one of its two forms. */
struct input {
	struct bl_str text; /* ptr is NULL: none, or items */
	const rego_item *items;
	size_t count;
	bool are_texts_copied;
};

static void run_on(const rego_query *query, struct run *run,
		   const struct input *input, rego_result *result,
		   struct bl_error *err)
{
	struct bl_value value = bl_value_undefined();
	enum bl_status status = BL_OK;

	if (input->items)
		status = api_read_items(&result->arena, input->items,
					input->count, input->are_texts_copied,
					&value, err);
	else if (input->text.ptr)
		status =
			api_read_json(&result->arena, input->text, &value, err);
	if (status)
		bl_error_context(err, "the input");
	else
		run_query(query, run, value, result, err);
}

static size_t bytes_of(const struct run *run)
{
	return run->options.max_bytes ? run->options.max_bytes : usual_bytes;
}

static rego_status run_kept(const rego_query *query,
			    const rego_run_options *options,
			    const struct input *input, rego_result **out_result,
			    rego_error *error)
{
	struct bl_error err = { 0 };
	struct run run = { 0 };
	rego_result *result;

	if (!query || !out_result)
		return api_fail_null(error, query ? "out_result" : "query");
	result = calloc(1, sizeof(*result));
	if (!result)
		return api_fail_memory(error);
	result->query = (rego_query *)(uintptr_t)query;
	atomic_fetch_add(&result->query->references, 1);
	read_options(&run, options);
	bl_arena_init(&result->arena, NULL, 0, bytes_of(&run));
	run_on(query, &run, input, result, &err);
	if (err.status) {
		rego_result_free(result);
		return api_fail(&err, error);
	}
	*out_result = result;
	return REGO_OK;
}

rego_status rego_query_run(const rego_query *query,
			   const rego_run_options *options, const char *input,
			   size_t size, rego_result **out_result,
			   rego_error *error)
{
	return run_kept(query, options,
			&(struct input){ .text = { input, size } }, out_result,
			error);
}

rego_status rego_query_run_items(const rego_query *query,
				 const rego_run_options *options,
				 const rego_item *items, size_t count,
				 rego_result **out_result, rego_error *error)
{
	const struct input input = { .items = items,
				     .count = count,
				     .are_texts_copied = true };

	return run_kept(query, options, &input, out_result, error);
}

/* Nothing is kept, so what is small enough lives on the stack alone. */
rego_status rego_query_ask(const rego_query *query,
			   const rego_run_options *options,
			   const rego_item *items, size_t count,
			   int32_t *out_is_true, rego_error *error)
{
	const struct input input = { .items = items, .count = count };
	_Alignas(max_align_t) char first[ASK_BYTES];
	rego_result result = { .query = NULL };
	struct run run = { 0 };
	struct bl_error err;

	if (!query || !out_is_true)
		return api_fail_null(error, query ? "out_is_true" : "query");
	err.status = BL_OK;
	read_options(&run, options);
	bl_arena_init(&result.arena, first, sizeof(first), bytes_of(&run));
	run_on(query, &run, &input, &result, &err);
	if (!err.status)
		*out_is_true = bl_value_is_true(result.value);
	bl_arena_clear(&result.arena);
	return err.status ? api_fail(&err, error) : REGO_OK;
}

/* ---- results ------------------------------------------------------------- */

void rego_result_free(rego_result *result)
{
	if (!result)
		return;
	bl_arena_clear(&result->arena);
	rego_query_free(result->query);
	free(result);
}

const char *rego_result_value(rego_result *result)
{
	if (!result || !bl_value_is_defined(result->value))
		return NULL;
	if (!result->value_text)
		result->value_text = api_json(&result->arena, result->value);
	return result->value_text;
}

rego_status rego_result_items(rego_result *result, const rego_item **out_items,
			      size_t *out_count, rego_error *error)
{
	struct bl_error err = { 0 };

	if (!result || !out_items || !out_count)
		return api_fail_null(error, !result      ? "result"
					    : !out_items ? "out_items"
							 : "out_count");
	*out_items = NULL;
	*out_count = 0;
	if (!bl_value_is_defined(result->value) ||
	    !api_make_items(&result->arena, result->value, out_items, out_count,
			    &err))
		return REGO_OK;
	return api_fail(&err, error);
}

int32_t rego_result_is_true(const rego_result *result)
{
	return result && bl_value_is_true(result->value);
}

/* [{"expressions": [value], "bindings": {}}] of a document. */
static struct bl_value document_solutions(struct bl_arena *arena,
					  struct bl_value value)
{
	struct bl_object_builder solution;
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	if (bl_value_is_defined(value)) {
		bl_object_builder_init(&solution, arena);
		bl_object_builder_add(&solution, BL_STR("expressions"),
				      bl_array_make(arena, &value, 1));
		bl_object_builder_add(&solution, BL_STR("bindings"),
				      bl_object_make(arena, NULL, 0, NULL));
		bl_array_builder_add(&list, bl_object_builder_end(&solution));
	}
	return bl_array_builder_end(&list);
}

const char *rego_result_solutions(rego_result *result)
{
	if (!result)
		return NULL;
	if (result->is_document && !bl_value_is_defined(result->solutions))
		result->solutions =
			document_solutions(&result->arena, result->value);
	if (!result->solutions_text)
		result->solutions_text =
			api_json(&result->arena, result->solutions);
	return result->solutions_text;
}

const char *rego_result_explanation(rego_result *result)
{
	return result ? result->explanation : NULL;
}

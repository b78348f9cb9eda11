/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilers and the policies that they make, of sources or of an image.  A
 * compiler's arena becomes that of its policies: what was added stays where it
 * is.
 */
#include <stdlib.h>

#include "rego/api/private.h"
#include "rego/bundle/bundle.h"

enum { MAX_SOURCES = 100000 };

static const size_t usual_bytes = (size_t)4 << 30;

struct rego_compiler {
	struct rego_policies *policies; /* being made; NULL: they are */
	uint32_t flags;
	struct bl_rego_source *sources;
	size_t source_count;
	size_t source_cap;
	struct bl_rego_function *functions;
	size_t function_count;
	size_t function_cap;
	struct bl_rego_compile_options options;
};

/* ---- policies ------------------------------------------------------------ */

static struct rego_policies *new_policies(size_t max_bytes)
{
	struct rego_policies *policies = calloc(1, sizeof(*policies));

	if (!policies)
		return NULL;
	atomic_init(&policies->references, 1);
	bl_arena_init(&policies->arena, NULL, 0,
		      max_bytes ? max_bytes : usual_bytes);
	return policies;
}

void rego_policies_free(rego_policies *policies)
{
	struct rego_policies *base;

	while (policies && atomic_fetch_sub(&policies->references, 1) == 1) {
		base = policies->base;
		bl_arena_clear(&policies->arena);
		free(policies);
		policies = base;
	}
}

static enum bl_status read_data(struct bl_arena *arena, const char *json,
				size_t size, struct bl_value *out_data,
				struct bl_error *err)
{
	struct bl_str text = { json, size };
	enum bl_status status = api_read_json(arena, text, out_data, err);

	if (!status && !bl_value_is(*out_data, BL_KIND_OBJECT))
		status = bl_fail(err, BL_INVALID, "it is not a JSON object");
	if (status)
		bl_error_context(err, "the data");
	return status;
}

rego_status rego_policies_with_data(const rego_policies *policies,
				    const char *json, size_t size,
				    rego_policies **out_policies,
				    rego_error *error)
{
	struct bl_error err = { 0 };
	struct rego_policies *made;
	struct bl_diags diags;

	if (!policies || !json || !out_policies)
		return api_fail_null(error, !policies ? "policies"
					    : !json   ? "json"
						      : "out_policies");
	made = new_policies(0);
	if (!made)
		return api_fail_memory(error);
	bl_diags_init(&diags, &made->arena);
	if (read_data(&made->arena, json, size, &made->data, &err) ||
	    bl_rego_check_data(policies->compiled, made->data, &diags, &err)) {
		api_take_first(&diags, &err);
		rego_policies_free(made);
		return api_fail(&err, error);
	}
	made->compiled = policies->compiled;
	made->is_explainable = policies->is_explainable;
	made->base = (struct rego_policies *)(uintptr_t)policies;
	atomic_fetch_add(&made->base->references, 1);
	*out_policies = made;
	return REGO_OK;
}

/* ---- compilers ----------------------------------------------------------- */

static enum bl_status read_options(struct rego_compiler *compiler,
				   const rego_compiler_options *options,
				   struct bl_error *err)
{
	struct bl_arena *arena = &compiler->policies->arena;
	struct bl_rego_compile_options *to = &compiler->options;
	struct bl_value file;
	enum bl_status status = BL_OK;

	if (!options)
		return BL_OK;
	compiler->flags = options->flags;
	to->strict = options->flags & REGO_STRICT;
	to->print = options->flags & REGO_KEEP_PRINT;
	to->observe = options->flags & REGO_EXPLAINABLE;
	if (API_HAS(options, rego_compiler_options, capabilities) &&
	    options->capabilities) {
		status = api_read_json(arena, bl_str(options->capabilities),
				       &file, err);
		if (!status)
			status = bl_rego_read_capabilities(
				arena, file, &to->capabilities, err);
		if (status)
			bl_error_context(err, "the capabilities");
	}
	if (!status && API_HAS(options, rego_compiler_options, schemas) &&
	    options->schemas) {
		status = api_read_json(arena, bl_str(options->schemas),
				       &to->schemas, err);
		if (status)
			bl_error_context(err, "the schemas");
	}
	return status;
}

rego_status rego_compiler_new(const rego_compiler_options *options,
			      rego_compiler **out_compiler, rego_error *error)
{
	bool has_limit =
		options && API_HAS(options, rego_compiler_options, max_bytes);
	struct bl_error err = { 0 };
	rego_compiler *compiler;

	if (!out_compiler)
		return api_fail_null(error, "out_compiler");
	compiler = calloc(1, sizeof(*compiler));
	if (compiler)
		compiler->policies =
			new_policies(has_limit ? options->max_bytes : 0);
	if (!compiler || !compiler->policies) {
		free(compiler);
		return api_fail_memory(error);
	}
	if (read_options(compiler, options, &err)) {
		rego_compiler_free(compiler);
		return api_fail(&err, error);
	}
	*out_compiler = compiler;
	return REGO_OK;
}

void rego_compiler_free(rego_compiler *compiler)
{
	if (compiler)
		rego_policies_free(compiler->policies);
	free(compiler);
}

/* The arena of a compiler that can still be added to; NULL: reported. */
static struct bl_arena *open_arena(const rego_compiler *compiler,
				   struct bl_error *err)
{
	if (compiler && compiler->policies)
		return &compiler->policies->arena;
	bl_fail(err, BL_USAGE,
		compiler ? "the compiler has compiled already"
			 : "compiler is NULL");
	return NULL;
}

static enum bl_status add_source(rego_compiler *compiler,
				 const struct bl_rego_source *source,
				 struct bl_error *err)
{
	struct bl_arena *arena = &compiler->policies->arena;
	struct bl_rego_source *sources;

	if (compiler->source_count >= MAX_SOURCES)
		return bl_fail(err, BL_LIMIT, "there are more than %d modules",
			       MAX_SOURCES);
	sources =
		bl_arena_room(arena, compiler->sources, compiler->source_count,
			      &compiler->source_cap, sizeof(*source));
	if (!sources)
		return bl_arena_fail(arena, err);
	compiler->sources = sources;
	sources[compiler->source_count++] = *source;
	return BL_OK;
}

rego_status rego_compiler_add_module(rego_compiler *compiler, const char *name,
				     const char *text, size_t size,
				     rego_error *error)
{
	struct bl_error err = { 0 };
	struct bl_arena *arena = open_arena(compiler, &err);
	struct bl_rego_source source = { 0 };

	if (!arena)
		return api_fail(&err, error);
	if (!name || !text)
		return api_fail_null(error, name ? "text" : "name");
	source.file = bl_arena_copy_str(arena, bl_str(name));
	source.text = bl_arena_copy_str(arena, (struct bl_str){ text, size });
	source.v0 = compiler->flags & REGO_V0;
	if (!source.file.ptr || !source.text.ptr)
		bl_arena_fail(arena, &err);
	else
		add_source(compiler, &source, &err);
	return err.status ? api_fail(&err, error) : REGO_OK;
}

static enum bl_status merge(rego_compiler *compiler, struct bl_value data,
			    struct bl_error *err)
{
	struct rego_policies *policies = compiler->policies;

	if (!bl_value_is_defined(policies->data)) {
		policies->data = data;
		return BL_OK;
	}
	return bl_bundle_merge(&policies->arena, policies->data, data,
			       &policies->data, err);
}

rego_status rego_compiler_add_data(rego_compiler *compiler, const char *json,
				   size_t size, rego_error *error)
{
	struct bl_error err = { 0 };
	struct bl_arena *arena = open_arena(compiler, &err);
	struct bl_value data;

	if (!arena)
		return api_fail(&err, error);
	if (!json)
		return api_fail_null(error, "json");
	if (read_data(arena, json, size, &data, &err) ||
	    merge(compiler, data, &err))
		return api_fail(&err, error);
	return REGO_OK;
}

static enum bl_status add_bundle(rego_compiler *compiler, struct bl_str path,
				 struct bl_error *err)
{
	struct bl_arena *arena = &compiler->policies->arena;
	const struct bl_bundle_options options = {
		.v0 = compiler->flags & REGO_V0,
	};
	struct bl_bundle bundle;
	struct bl_bundle_joined joined;
	enum bl_status status =
		bl_bundle_read(arena, path, &options, &bundle, err);

	if (!status)
		status = bl_bundle_join(arena, &bundle, 1, &joined, err);
	if (!status && bl_value_is_defined(joined.plan))
		status = bl_fail(err, BL_UNSUPPORTED,
				 "bundle %.*s: it has a plan and no policies",
				 BL_STR_ARG(path));
	if (!status)
		status = merge(compiler, joined.data, err);
	for (size_t i = 0; !status && i < joined.source_count; i++)
		status = add_source(compiler, &joined.sources[i], err);
	return status;
}

rego_status rego_compiler_add_bundle(rego_compiler *compiler, const char *path,
				     rego_error *error)
{
	struct bl_error err = { 0 };
	struct bl_arena *arena = open_arena(compiler, &err);
	struct bl_str copy;

	if (!arena)
		return api_fail(&err, error);
	if (!path)
		return api_fail_null(error, "path");
	copy = bl_arena_copy_str(arena, bl_str(path));
	if (!copy.ptr)
		bl_arena_fail(arena, &err);
	else
		add_bundle(compiler, copy, &err);
	return err.status ? api_fail(&err, error) : REGO_OK;
}

/* ---- functions ----------------------------------------------------------- */

static enum bl_status add_function(rego_compiler *compiler,
				   const rego_function *function,
				   struct bl_error *err)
{
	struct bl_arena *arena = &compiler->policies->arena;
	struct api_function *made = bl_arena_new(arena, struct api_function);
	struct bl_rego_function *functions = bl_arena_room(
		arena, compiler->functions, compiler->function_count,
		&compiler->function_cap, sizeof(*functions));
	enum bl_status status;

	if (!made || !functions)
		return bl_arena_fail(arena, err);
	compiler->functions = functions;
	made->call = function->call;
	made->context = function->context;
	made->function = (struct bl_rego_function){
		.name = bl_arena_copy_str(arena, bl_str(function->name)),
		.is_nondeterministic = function->is_nondeterministic,
		.call = api_call_function,
		.own = made,
	};
	if (!made->function.name.ptr)
		return bl_arena_fail(arena, err);
	status = api_read_json(arena, bl_str(function->declaration),
			       &made->function.declaration, err);
	if (status)
		bl_error_context(err, "the declaration of %s", function->name);
	else
		functions[compiler->function_count++] = made->function;
	return status;
}

rego_status rego_compiler_add_function(rego_compiler *compiler,
				       const rego_function *function,
				       rego_error *error)
{
	struct bl_error err = { 0 };

	if (!open_arena(compiler, &err))
		return api_fail(&err, error);
	if (!function || function->struct_size < sizeof(*function))
		return api_fail_null(error, "function");
	if (!function->name || !function->declaration || !function->call)
		return api_fail_null(error, "a member of the function");
	if (add_function(compiler, function, &err))
		return api_fail(&err, error);
	return REGO_OK;
}

/* ---- compiling ----------------------------------------------------------- */

rego_status rego_compile(rego_compiler *compiler, rego_policies **out_policies,
			 rego_text **out_diagnostics, rego_error *error)
{
	struct bl_error err = { 0 };
	struct bl_arena *arena = open_arena(compiler, &err);
	struct rego_policies *policies;
	struct bl_diags diags;

	if (!arena)
		return api_fail(&err, error);
	if (!out_policies)
		return api_fail_null(error, "out_policies");
	policies = compiler->policies;
	compiler->options.functions = compiler->functions;
	compiler->options.function_count = compiler->function_count;
	bl_diags_init(&diags, arena);
	if (!bl_rego_compile(arena, compiler->sources, compiler->source_count,
			     &compiler->options, &diags, &policies->compiled,
			     &err))
		bl_rego_check_data(policies->compiled, policies->data, &diags,
				   &err);
	api_give_diags(&diags, out_diagnostics);
	compiler->policies = NULL;
	if (err.status) {
		api_take_first(&diags, &err);
		rego_policies_free(policies);
		return api_fail(&err, error);
	}
	policies->is_explainable = compiler->options.observe;
	*out_policies = policies;
	return REGO_OK;
}

/* ---- images -------------------------------------------------------------- */

rego_status rego_policies_image(const rego_policies *policies,
				rego_text **out_image, rego_error *error)
{
	struct bl_error err = { 0 };
	struct bl_object_builder extra;
	struct bl_arena arena;
	struct bl_buf image;

	if (!policies || !out_image)
		return api_fail_null(error,
				     policies ? "out_image" : "policies");
	bl_arena_init(&arena, NULL, 0, 0);
	bl_object_builder_init(&extra, &arena);
	if (bl_value_is_defined(policies->data))
		bl_object_builder_add(&extra, BL_STR("data"), policies->data);
	bl_buf_init(&image, 0);
	if (bl_rego_image_write(policies->compiled,
				bl_object_builder_end(&extra), &image, &err)) {
		bl_buf_clear(&image);
	} else {
		rego_text *text = api_text(&image);

		if (text)
			*out_image = text;
		else
			bl_fail_memory(&err);
	}
	bl_arena_clear(&arena);
	return err.status ? api_fail(&err, error) : REGO_OK;
}

rego_status rego_policies_open(const void *image, size_t size,
			       rego_policies **out_policies, rego_error *error)
{
	struct bl_error err = { 0 };
	struct rego_policies *policies;
	struct bl_value extra = bl_value_undefined();
	char *copy;

	if (!image || !out_policies)
		return api_fail_null(error, image ? "out_policies" : "image");
	policies = new_policies(0);
	if (!policies)
		return api_fail_memory(error);
	copy = bl_arena_alloc(&policies->arena, size + 1);
	if (copy) {
		memcpy(copy, image, size);
		bl_rego_image_open((struct bl_str){ copy, size },
				   &policies->arena, &policies->compiled,
				   &extra, &err);
	} else {
		bl_arena_fail(&policies->arena, &err);
	}
	if (err.status) {
		rego_policies_free(policies);
		return api_fail(&err, error);
	}
	policies->data = bl_object_find(extra, BL_STR("data"));
	*out_policies = policies;
	return REGO_OK;
}

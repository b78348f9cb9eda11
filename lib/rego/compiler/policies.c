/* SPDX-License-Identifier: Apache-2.0 */
/* From sources to policies, and from the text of a query to what can be run. */
#include "rego/compiler/emit/compile.h"
#include "rego/runtime/private.h"

/* A package of one name is a variable. */
static struct bl_value package_part(const struct bl_rego_term *part)
{
	return part->kind == BL_TERM_VAR ? bl_value_string(part->as.name)
					 : part->as.value;
}

struct bl_value bl_rego_package_path(struct bl_arena *arena,
				     const struct bl_rego_module *module)
{
	const struct bl_rego_term *path = module->package;
	struct bl_array_builder parts;

	bl_array_builder_init(&parts, arena);
	if (path->kind != BL_TERM_REF)
		bl_array_builder_add(&parts, package_part(path));
	for (size_t i = 0; path->kind == BL_TERM_REF && i < path->count; i++)
		bl_array_builder_add(&parts, package_part(path->as.items[i]));
	return bl_array_builder_end(&parts);
}

const struct bl_rego_body *
bl_rego_first_body(const struct bl_rego_module *module)
{
	return module->rule_count ? module->rules[0]->body : NULL;
}

static enum bl_status parse_source(struct bl_arena *arena,
				   const struct bl_rego_source *source,
				   struct bl_diags *diags,
				   const struct bl_rego_module **out_module)
{
	enum bl_status status =
		bl_rego_parse_all(arena, source, diags, out_module, NULL);

	return status == BL_SYNTAX || status == BL_LIMIT ? BL_OK : status;
}

enum bl_status bl_rego_compile(struct bl_arena *arena,
			       const struct bl_rego_source *sources,
			       size_t source_count,
			       const struct bl_rego_compile_options *options,
			       struct bl_diags *diags,
			       const struct bl_rego_policies **out_policies,
			       struct bl_error *err)
{
	const struct bl_rego_module **modules = bl_arena_new_array(
		arena, const struct bl_rego_module *, source_count + 1);
	struct bl_rego_policies *policies =
		bl_arena_new(arena, struct bl_rego_policies);
	size_t errors = diags->error_count;
	enum bl_status status;

	if (!modules || !policies)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < source_count; i++)
		if (parse_source(arena, &sources[i], diags, &modules[i]))
			return bl_arena_fail(arena, err);
	if (diags->error_count > errors)
		return bl_fail(err, BL_INVALID, "the policies do not parse");
	status = bl_program_compile(modules, source_count, options, arena,
				    diags, &policies->program, err);
	if (!status)
		*out_policies = policies;
	return status;
}

/* The text of a query, and the module whose names it sees. */
struct asked {
	struct bl_str query;
	const struct bl_rego_module *scope;
};

static enum bl_status
compile_query(struct bl_program *program, const struct asked *asked,
	      struct bl_arena *arena, struct bl_diags *diags,
	      uint32_t *out_function, struct bl_error *err)
{
	struct bl_str query = asked->query;
	const struct bl_diag_source place = { BL_STR("query"), query };
	size_t offset = 0;
	struct bl_rego_body *body;
	enum bl_status status =
		bl_rego_parse_query(arena, query, &body, &offset, err);

	if (status == BL_SYNTAX)
		bl_diags_add(diags, BL_SEVERITY_ERROR, "rego_parse_error",
			     &place, bl_place_at(query, offset), NULL, "%s",
			     err ? err->message : "");
	if (status)
		return status;
	return bl_program_add_query(
		program, &(struct bl_query){ place, body, asked->scope }, arena,
		diags, out_function, err);
}

/* ---- tests --------------------------------------------------------------- */

void bl_rego_each_test(const struct bl_rego_policies *policies,
		       void (*visit)(void *context,
				     const struct bl_rego_test *test),
		       void *context)
{
	for (size_t i = 0; i < policies->program.test_count; i++)
		visit(context, &policies->program.tests[i]);
}

/* ---- queries --------------------------------------------------------------- */

static enum bl_status prepare(const struct bl_rego_policies *policies,
			      const struct asked *asked, struct bl_arena *arena,
			      struct bl_diags *diags,
			      const struct bl_rego_prepared **out_prepared,
			      struct bl_error *err)
{
	struct bl_rego_prepared *prepared =
		bl_arena_new(arena, struct bl_rego_prepared);
	struct bl_error failure = { 0 };
	enum bl_status status;

	if (!prepared)
		return bl_arena_fail(arena, err);
	/* The query's function and constants go into a copy of the tables. */
	prepared->program = policies->program;
	prepared->program.query = asked->query;
	status = compile_query(&prepared->program, asked, arena, diags,
			       &prepared->function, &failure);
	if (!status)
		*out_prepared = prepared;
	else if (err)
		*err = failure;
	return status;
}

enum bl_status bl_rego_prepare(const struct bl_rego_policies *policies,
			       struct bl_str query, struct bl_arena *arena,
			       struct bl_diags *diags,
			       const struct bl_rego_prepared **out_prepared,
			       struct bl_error *err)
{
	return bl_rego_prepare_in(policies, NULL, query, arena, diags,
				  out_prepared, err);
}

enum bl_status bl_rego_prepare_in(const struct bl_rego_policies *policies,
				  const struct bl_rego_module *scope,
				  struct bl_str query, struct bl_arena *arena,
				  struct bl_diags *diags,
				  const struct bl_rego_prepared **out_prepared,
				  struct bl_error *err)
{
	struct asked asked = { .query = query, .scope = scope };

	return prepare(policies, &asked, arena, diags, out_prepared, err);
}

enum bl_status bl_rego_query(const struct bl_rego_policies *policies,
			     struct bl_str query,
			     const struct bl_rego_options *options,
			     struct bl_arena *arena, struct bl_diags *diags,
			     struct bl_rego_result *out_result,
			     struct bl_error *err)
{
	const struct bl_rego_prepared *prepared = NULL;
	struct asked asked = { .query = query, .scope = options->scope };
	enum bl_status status =
		prepare(policies, &asked, arena, diags, &prepared, err);

	if (status || !prepared)
		return status;
	return bl_rego_run(prepared, options, arena, out_result, err);
}

/* ---- images --------------------------------------------------------------------- */

enum bl_status bl_rego_image_write(const struct bl_rego_policies *policies,
				   struct bl_value extra, struct bl_buf *out,
				   struct bl_error *err)
{
	return bl_program_write_image(&policies->program, extra, out, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: from sources and entry points to the whole. */
#include "rego/analysis/checks.h"
#include "rego/plan/writer.h"

static void put(struct bl_object_builder *to, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(to, bl_str(key), value);
}

static struct bl_value object_with(struct plan_writer *w, const char *key,
				   struct bl_value value)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put(&out, key, value);
	return bl_object_builder_end(&out);
}

/* ---- entry points ------------------------------------------------------------------- */

/* The value of data.a.b for "a/b". */
static struct plan_operand entry_value(struct plan_writer *w,
				       struct bl_str entrypoint)
{
	const struct bl_rego_range none = { 0, 0 };
	struct bl_resolver resolver = { .compiler = w->compiler };
	struct bl_rego_term *ref = bl_make_term(&resolver, BL_TERM_REF, none);
	size_t at = 0;

	w->resolver = &resolver;
	w->bound = bl_bound_new(w->arena, 0);
	if (ref)
		ref->as.items = bl_arena_new_array(
			w->arena, struct bl_rego_term *, entrypoint.len + 2);
	if (!ref || !ref->as.items)
		return plan_local_operand(PLAN_DATA);
	ref->as.items[ref->count++] =
		bl_make_var(&resolver, BL_STR("data"), BL_SLOT_NONE, none);
	while (at != SIZE_MAX) {
		size_t slash = bl_str_find(entrypoint, BL_STR("/"), at);
		struct bl_str name = bl_str_slice(entrypoint, at, slash);

		ref->as.items[ref->count++] =
			bl_make_scalar(&resolver, bl_value_string(name), none);
		at = slash == SIZE_MAX ? slash : slash + 1;
	}
	return plan_value(w, ref);
}

/* {"result": value} */
static struct bl_value make_plan(struct plan_writer *w,
				 struct bl_str entrypoint)
{
	struct bl_object_builder plan;
	struct plan_operand key = plan_string_operand(w, BL_STR("result"));
	struct plan_operand value;
	struct bl_value block;
	uint32_t result;

	w->generation = 0;
	w->next_local = PLAN_FIRST_LOCAL;
	plan_open(w);
	value = entry_value(w, entrypoint);
	result = plan_new_local(w);
	PLAN_ADD(w, "MakeObjectStmt", { "target", PLAN_NUMBER(result) });
	PLAN_ADD(w, "ObjectInsertStmt", { "key", plan_operand_value(w, key) },
		 { "value", plan_operand_value(w, value) },
		 { "object", PLAN_NUMBER(result) });
	PLAN_ADD(w, "ResultSetAddStmt", { "value", PLAN_NUMBER(result) });
	block = plan_close(w);
	bl_object_builder_init(&plan, w->arena);
	put(&plan, "name", bl_value_string(entrypoint));
	put(&plan, "blocks", bl_array_make(w->arena, &block, 1));
	return bl_object_builder_end(&plan);
}

/* ---- what is fixed -------------------------------------------------------------------- */

static struct bl_value files(struct plan_writer *w)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < w->compiler->module_count; i++)
		bl_array_builder_add(
			&list,
			object_with(w, "value",
				    bl_value_string(
					    w->compiler->modules[i]->file)));
	return bl_array_builder_end(&list);
}

/* The builtins that are called, by their names. */
static struct bl_value builtins(struct plan_writer *w)
{
	const struct bl_builtin *row;
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; (row = bl_builtin_at(i)); i++) {
		bool used = w->used_builtins[i / 64] >> (i % 64) & 1;

		if (used)
			bl_array_builder_add(
				&list, object_with(w, "name",
						   bl_value_string(
							   bl_str(row->name))));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value whole(struct plan_writer *w, struct bl_value plans,
			     struct bl_value funcs)
{
	struct bl_object_builder fixed;
	struct bl_object_builder out;

	bl_object_builder_init(&fixed, w->arena);
	put(&fixed, "strings", bl_array_builder_end(&w->strings));
	put(&fixed, "builtin_funcs", builtins(w));
	put(&fixed, "files", files(w));
	bl_object_builder_init(&out, w->arena);
	put(&out, "static", bl_object_builder_end(&fixed));
	put(&out, "plans", object_with(w, "plans", plans));
	put(&out, "funcs", object_with(w, "funcs", funcs));
	return bl_object_builder_end(&out);
}

static enum bl_status make(struct plan_writer *w,
			   const struct bl_str *entrypoints, size_t count,
			   struct bl_value *out_plan)
{
	static const struct plan_generation none;
	struct bl_array_builder plans;
	struct bl_array_builder funcs;

	w->generations[w->generation_count++] = &none;
	bl_array_builder_init(&w->strings, w->arena);
	bl_array_builder_init(&plans, w->arena);
	bl_array_builder_init(&funcs, w->arena);
	for (size_t i = 0; i < count && !w->status; i++)
		bl_array_builder_add(&plans, make_plan(w, entrypoints[i]));
	/* Making one may ask for more. */
	for (size_t i = 0; i < w->wanted_count && !w->status; i++)
		bl_array_builder_add(&funcs,
				     plan_make_function(w, w->wanted[i]));
	if (w->status)
		return w->status;
	*out_plan = whole(w, bl_array_builder_end(&plans),
			  bl_array_builder_end(&funcs));
	return bl_arena_status(w->arena) ? bl_arena_fail(w->arena, w->err)
					 : BL_OK;
}

static enum bl_status parse_all(struct bl_arena *arena,
				const struct bl_rego_source *sources,
				size_t count,
				const struct bl_rego_module **modules,
				struct bl_error *err)
{
	enum bl_status status = BL_OK;
	size_t offset;

	for (size_t i = 0; !status && i < count; i++)
		status =
			bl_rego_parse(arena, sources[i].file, sources[i].text,
				      sources[i].v0, &modules[i], &offset, err);
	return status;
}

enum bl_status bl_rego_write_plan(struct bl_arena *arena,
				  const struct bl_rego_plan_request *request,
				  struct bl_value *out_plan,
				  struct bl_error *err)
{
	size_t count = request->source_count;
	const struct bl_rego_module **modules = bl_arena_new_array(
		arena, const struct bl_rego_module *, count + 1);
	struct plan_writer *w = bl_arena_new(arena, struct plan_writer);
	struct bl_diags diags;
	struct bl_compiler compiler = { .arena = arena,
					.diags = &diags,
					.modules = modules,
					.module_count = count };
	enum bl_status status;

	if (!modules || !w)
		return bl_arena_fail(arena, err);
	bl_diags_init(&diags, arena);
	status = parse_all(arena, request->sources, count, modules, err);
	if (status)
		return status;
	if (!bl_check_names(&compiler) || !bl_analysis_build_tree(&compiler))
		return bl_fail(err, BL_INVALID, "the policies do not compile");
	w->compiler = &compiler;
	w->arena = arena;
	w->err = err;
	return make(w, request->entrypoints, request->entrypoint_count,
		    out_plan);
}

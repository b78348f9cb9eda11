/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: from sources and entry points to the whole. */
#include "rego/compiler/check/checks.h"
#include "rego/compiler/types/types.h"
#include "rego/tools/plan_writer.h"

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

/* The node that an entry point names, or the one above what it names. */
static const struct bl_node *entry_node(const struct plan_writer *w,
					struct bl_str entrypoint)
{
	const struct bl_node *node = w->compiler->root;
	size_t at = 0;

	while (at != SIZE_MAX) {
		size_t slash = bl_str_find(entrypoint, BL_STR("/"), at);
		const struct bl_node *child = bl_node_find_child(
			node,
			bl_value_string(bl_str_slice(entrypoint, at, slash)));

		if (!child)
			break;
		node = child;
		at = slash == SIZE_MAX ? slash : slash + 1;
	}
	return node;
}

/* The value of data.a.b for "a/b". */
static struct plan_operand entry_value(struct plan_writer *w,
				       struct bl_str entrypoint)
{
	const struct bl_rego_range none = { 0, 0 };
	const struct bl_node *node = entry_node(w, entrypoint);
	struct bl_resolver *resolver =
		bl_arena_new(w->arena, struct bl_resolver);
	struct bl_rego_term *ref;
	size_t at = 0;

	if (!resolver)
		return plan_local_operand(PLAN_DATA);
	resolver->compiler = w->compiler;
	ref = bl_make_term(resolver, BL_TERM_REF, none);
	w->resolver = resolver;
	w->making = PLAN_ROOT;
	w->bound = bl_bound_new(w->arena, 0);
	if (ref)
		ref->as.items = bl_arena_new_array(
			w->arena, struct bl_rego_term *, entrypoint.len + 2);
	if (node->kind == BL_RULE_FUNCTION)
		plan_writer_fail(w, BL_INVALID,
				 "entrypoint \"%.*s\" is a function",
				 BL_STR_ARG(entrypoint));
	if (!ref || !ref->as.items)
		return plan_local_operand(PLAN_DATA);
	ref->as.items[ref->count++] =
		bl_make_var(resolver, BL_STR("data"), BL_SLOT_NONE, none);
	while (at != SIZE_MAX) {
		size_t slash = bl_str_find(entrypoint, BL_STR("/"), at);
		struct bl_str name = bl_str_slice(entrypoint, at, slash);

		ref->as.items[ref->count++] =
			bl_make_scalar(resolver, bl_value_string(name), none);
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

static struct bl_value declaration(struct plan_writer *w,
				   const struct bl_builtin *row)
{
	struct bl_signatures signatures = { .arena = w->arena,
					    .callables =
						    w->compiler->callables };

	return bl_declaration_write(
		w->arena, row,
		bl_signature_find(&signatures, bl_str(row->name)), false);
}

/* The builtins that are called, by their names, with what they take. */
static struct bl_value builtins(struct plan_writer *w)
{
	const struct bl_builtin *row;
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; (row = bl_callables_at(w->compiler->callables, i));
	     i++) {
		struct bl_object_builder one;

		if (!(w->used_builtins[i / 64] >> (i % 64) & 1))
			continue;
		bl_object_builder_init(&one, w->arena);
		put(&one, "name", bl_value_string(bl_str(row->name)));
		put(&one, "decl", declaration(w, row));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	if (w->prints)
		bl_array_builder_add(&list, plan_print_declaration(w));
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

/* ---- who depends on an entry point ---------------------------------------------------- */

static bool is_below(const struct bl_node *node, const struct bl_node *top)
{
	while (node && node != top)
		node = node->parent;
	return node != NULL;
}

static bool is_document(const struct bl_node *node)
{
	return node->kind == BL_RULE_COMPLETE || node->kind == BL_RULE_PARTIAL;
}

/* Every document of rules, so that it is known what its function calls. */
static void want_all(struct plan_writer *w, const struct bl_node *node)
{
	if (is_document(node))
		plan_want(w, (struct plan_wanted){ node, 0,
						   node->first_child != NULL });
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		want_all(w, child);
}

/* *depends: by function, whether it calls one of the entry points' rules. */
static void find_dependents(const struct plan_writer *w,
			    const struct bl_rego_plan_request *request,
			    bool *depends)
{
	bool *given = depends + w->wanted_count;
	bool progress = true;

	for (size_t i = 0; i < w->wanted_count; i++)
		for (size_t j = 0; j < request->entrypoint_count; j++)
			given[i] |= is_below(
				w->wanted[i].node,
				entry_node(w, request->entrypoints[j]));
	while (progress) {
		progress = false;
		for (size_t i = 0; i < w->edge_count; i++) {
			struct plan_edge edge = w->edges[i];

			if (edge.from == PLAN_ROOT || depends[edge.from] ||
			    !(given[edge.to] || depends[edge.to]))
				continue;
			depends[edge.from] = progress = true;
		}
	}
}

/* "a/b" of data.a.b; ptr NULL: a part of it is no string. */
static struct bl_str slash_path(struct plan_writer *w,
				const struct bl_node *node)
{
	struct bl_str path = BL_STR("");

	for (; node->parent; node = node->parent) {
		struct bl_str name = bl_value_text(node->key);

		if (!bl_value_is(node->key, BL_KIND_STRING))
			return (struct bl_str){ 0 };
		path = bl_arena_printf(w->arena, "%.*s%s%.*s", BL_STR_ARG(name),
				       path.len ? "/" : "", BL_STR_ARG(path));
	}
	return path;
}

static bool is_entrypoint(const struct bl_rego_plan_request *request,
			  struct bl_str path)
{
	for (size_t i = 0; i < request->entrypoint_count; i++)
		if (bl_str_equal(request->entrypoints[i], path))
			return true;
	return false;
}

/* Plans for the documents that depend on entry points, too. */
static void add_dependents(struct plan_writer *w,
			   const struct bl_rego_plan_request *request,
			   struct bl_array_builder *plans)
{
	size_t count = w->wanted_count;
	bool *depends = bl_arena_new_array(w->arena, bool, count * 2 + 1);

	if (!depends) {
		plan_writer_fail(w, bl_arena_why(w->arena),
				 "there is no memory for it");
		return;
	}
	find_dependents(w, request, depends);
	for (size_t i = 0; i < count && !w->status; i++) {
		struct bl_str path = slash_path(w, w->wanted[i].node);

		if (depends[i] && !w->wanted[i].generation && path.ptr &&
		    is_document(w->wanted[i].node) &&
		    !is_entrypoint(request, path))
			bl_array_builder_add(plans, make_plan(w, path));
	}
}

/* Those functions that a plan calls, or one of those. */
static struct bl_value called_functions(struct plan_writer *w,
					const struct bl_value *functions)
{
	bool *called = bl_arena_new_array(w->arena, bool, w->wanted_count + 1);
	struct bl_array_builder list;
	bool progress = called != NULL;

	bl_array_builder_init(&list, w->arena);
	while (progress) {
		progress = false;
		for (size_t i = 0; i < w->edge_count; i++) {
			struct plan_edge edge = w->edges[i];

			if (called[edge.to] ||
			    (edge.from != PLAN_ROOT && !called[edge.from]))
				continue;
			called[edge.to] = progress = true;
		}
	}
	for (size_t i = 0; called && i < w->wanted_count; i++)
		if (called[i])
			bl_array_builder_add(&list, functions[i]);
	return bl_array_builder_end(&list);
}

/* ---- the whole -------------------------------------------------------------------------- */

/* The functions that are not yet made, by number; one may ask for more. */
static void make_functions(struct plan_writer *w,
			   struct bl_array_builder *functions)
{
	while (functions->count < w->wanted_count && !w->status) {
		w->making = (uint32_t)functions->count;
		bl_array_builder_add(
			functions, plan_make_function(w, w->wanted[w->making]));
	}
}

static enum bl_status make(struct plan_writer *w,
			   const struct bl_rego_plan_request *request,
			   struct bl_value *out_plan)
{
	static const struct plan_generation none;
	struct bl_array_builder plans;
	struct bl_array_builder functions;

	w->generations[w->generation_count++] = &none;
	bl_array_builder_init(&w->strings, w->arena);
	bl_array_builder_init(&plans, w->arena);
	bl_array_builder_init(&functions, w->arena);
	for (size_t i = 0; i < request->entrypoint_count && !w->status; i++)
		bl_array_builder_add(&plans,
				     make_plan(w, request->entrypoints[i]));
	if (request->with_dependents)
		want_all(w, w->compiler->root);
	make_functions(w, &functions);
	if (request->with_dependents && !w->status)
		add_dependents(w, request, &plans);
	make_functions(w, &functions);
	if (w->status)
		return w->status;
	*out_plan = whole(w, bl_array_builder_end(&plans),
			  called_functions(w, functions.items));
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
	status = bl_callables_make(arena, request->options, &compiler.callables,
				   err);
	if (status)
		return status;
	bl_diags_init(&diags, arena);
	status = parse_all(arena, request->sources, count, modules, err);
	if (status)
		return status;
	if (!bl_check_names(&compiler) || !bl_analysis_build_tree(&compiler))
		return bl_fail(err, BL_INVALID, "the policies do not compile");
	w->compiler = &compiler;
	w->arena = arena;
	w->err = err;
	w->lines = bl_arena_new_array(arena, struct plan_lines, count + 1);
	if (!w->lines)
		return bl_arena_fail(arena, err);
	return make(w, request, out_plan);
}

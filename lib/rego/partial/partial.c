/* SPDX-License-Identifier: Apache-2.0 */
/* Partial evaluation: from a query and policies to what is left of it. */
#include "rego/partial/private.h"
#include "rego/runtime/private.h"

/* ---- what is given ------------------------------------------------------------------ */

/* A reference to input or data, of constants. */
static bool read_ref(struct bl_partial *pe, struct bl_str text,
		     const char *what, struct bl_rego_term **out_ref)
{
	struct bl_rego_body *body = NULL;
	struct bl_error ignored;
	size_t offset;
	struct bl_rego_term *ref;
	bool ok;

	ok = !bl_rego_parse_query(pe->arena, text, &body, &offset, &ignored) &&
	     body->count == 1 && body->exprs[0]->kind == BL_EXPR_TERM;
	ref = ok ? body->exprs[0]->terms[0] : NULL;
	if (ref && ref->kind == BL_TERM_VAR) {
		struct bl_rego_term *whole =
			bl_partial_term(pe, BL_TERM_REF, 1);

		if (!whole)
			return false;
		whole->as.items[0] = ref;
		ref = whole;
	}
	ok = ref && ref->kind == BL_TERM_REF;
	for (uint32_t i = 1; ok && i < ref->count; i++)
		ok = ref->as.items[i]->kind == BL_TERM_SCALAR;
	if (ok) {
		ref->as.items[0]->slot = BL_SLOT_NONE;
		ok = bl_term_is_root(ref->as.items[0], "input") ||
		     bl_term_is_root(ref->as.items[0], "data");
	}
	if (!ok) {
		pe->status = bl_fail(pe->err, BL_INVALID,
				     "%s '%.*s' is not a reference to input "
				     "or data, such as input.user",
				     what, BL_STR_ARG(text));
		return false;
	}
	*out_ref = ref;
	return true;
}

static bool read_refs(struct bl_partial *pe)
{
	const struct bl_rego_partial_options *options = pe->options;
	static const struct bl_str input = { "input", 5 };
	const struct bl_str *texts =
		options->unknown_count ? options->unknowns : &input;
	size_t count = options->unknown_count ? options->unknown_count : 1;

	pe->unknowns =
		bl_arena_new_array(pe->arena, struct bl_rego_term *, count);
	if (!pe->unknowns)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < count; i++)
		if (!read_ref(pe, texts[i], "unknown", &pe->unknowns[i]))
			return false;
	pe->unknown_count = count;
	for (size_t i = 0; i < options->disable_count; i++) {
		struct bl_rego_term *ref;

		if (!read_ref(pe, options->disable_inlining[i],
			      "path without inlining", &ref) ||
		    !bl_partial_disable(pe, ref, false))
			return false;
	}
	return true;
}

/* Parsed once more, and resolved as they were written. */
static bool read_policies(struct bl_partial *pe, struct bl_diags *diags)
{
	const struct bl_rego_partial_options *options = pe->options;
	const struct bl_rego_module **modules =
		bl_arena_new_array(pe->arena, const struct bl_rego_module *,
				   options->source_count + 1);

	if (!modules)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < options->source_count; i++) {
		pe->status = bl_rego_parse_all(pe->arena, &options->sources[i],
					       diags, &modules[i], pe->err);
		if (pe->status)
			return false;
	}
	pe->compiler = (struct bl_compiler){
		.arena = pe->arena,
		.diags = diags,
		.options = options->compile
				   ? *options->compile
				   : (struct bl_rego_compile_options){ 0 },
		.callables = pe->policies->program.callables,
		.modules = modules,
		.module_count = options->source_count,
	};
	/* Statements stay as they are. */
	pe->compiler.options.observe = true;
	if (!bl_analysis_build_tree(&pe->compiler))
		return bl_partial_no_memory(pe);
	pe->rules = bl_arena_new_array(pe->arena, struct bl_partial_rules *,
				       pe->compiler.node_count + 1);
	return pe->rules || bl_partial_no_memory(pe);
}

/* Names that a rule or package has are not given to variables. */
static bool note_taken(struct bl_partial *pe, const struct bl_node *node,
		       struct bl_object_builder *taken)
{
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling) {
		if (bl_value_is(child->key, BL_KIND_STRING))
			bl_object_builder_add(taken, bl_value_text(child->key),
					      bl_value_null());
		note_taken(pe, child, taken);
	}
	return true;
}

/* ---- the query -------------------------------------------------------------------------- */

static bool declares(const struct bl_rego_term *pattern, struct bl_str name)
{
	if (pattern->kind == BL_TERM_VAR)
		return bl_str_equal(pattern->as.name, name);
	if (pattern->kind != BL_TERM_ARRAY && pattern->kind != BL_TERM_OBJECT)
		return false;
	for (uint32_t i = 0; i < pattern->count; i++)
		if (declares(pattern->as.items[i], name))
			return true;
	return false;
}

/* Does a statement declare it, so that it is nobody's but the query's? */
static bool is_declared(const struct bl_rego_body *query, struct bl_str name)
{
	for (size_t i = 0; i < query->count; i++) {
		const struct bl_rego_expr *one = query->exprs[i];
		uint32_t count = one->kind == BL_EXPR_SOME ? one->term_count
				 : one->kind == BL_EXPR_SOME_IN
					 ? one->term_count - 1
					 : 0;

		if (bl_expr_is_assignment(one) &&
		    declares(one->terms[0]->as.items[1], name))
			return true;
		for (uint32_t j = 0; j < count; j++)
			if (declares(one->terms[j], name))
				return true;
	}
	return false;
}

static bool is_kept(const struct bl_partial_live *live, int32_t id);

struct top {
	struct bl_partial_next next;
	struct bl_partial_live live;
	struct bl_partial *pe;
	int32_t query_count; /* variables of the query */
	size_t cap;
	struct bl_rego_partial_query *queries;
};

static bool is_kept(const struct bl_partial_live *live, int32_t id)
{
	const struct top *top =
		(const struct top *)((const char *)live -
				     offsetof(struct top, live));

	return top->pe->vars[id].is_kept;
}

/* The values that the query's variables have found. */
static bool add_bindings(struct bl_partial *pe, int32_t count,
			 struct bl_partial_list *list)
{
	for (int32_t id = 0; id < count; id++) {
		struct bl_rego_term *value = pe->vars[id].value;
		struct bl_rego_term *name;

		if (!value || !pe->vars[id].is_kept)
			continue;
		value = bl_partial_plug(pe, value);
		name = bl_partial_var(pe, id);
		if (!value || !name ||
		    !bl_partial_add(pe, list,
				    bl_partial_equality(pe, name, value)))
			return false;
	}
	return true;
}

/* One way to the end: what is saved is a query. */
static bool take_query(struct bl_partial *pe,
		       const struct bl_partial_next *next)
{
	struct top *top = (struct top *)(uintptr_t)next;
	struct bl_partial_list list;
	struct bl_rego_partial_query *queries;

	if (pe->out->query_count == BL_PARTIAL_MAX_QUERIES) {
		pe->status = bl_fail(pe->err, BL_LIMIT,
				     "partial evaluation gives more than %d "
				     "queries",
				     BL_PARTIAL_MAX_QUERIES);
		return false;
	}
	if (!bl_partial_take_saved(pe, &list) ||
	    !add_bindings(pe, top->query_count, &list) ||
	    !bl_partial_propagate(pe, &top->live, false, &list))
		return false;
	queries = bl_partial_grow(pe, top->queries, pe->out->query_count,
				  &top->cap, sizeof(*queries));
	if (!queries)
		return false;
	top->queries = queries;
	pe->out->queries = queries;
	return bl_partial_put_query(pe, &list,
				    &queries[pe->out->query_count++]);
}

static bool run_query(struct bl_partial *pe, struct bl_rego_body *body)
{
	struct bl_resolver resolver = {
		.compiler = &pe->compiler,
		.query_scope = pe->options->run.scope,
		.package = pe->options->run.scope
				   ? bl_package_node(&pe->compiler,
						     pe->options->run.scope)
				   : NULL,
	};
	struct top top = { .next = { take_query },
			   .live = { is_kept },
			   .pe = pe };
	struct bl_partial_list list = { 0 };
	struct bl_bound bound;
	struct bl_str *names;
	int32_t *slots;
	size_t count;
	struct bl_rego_body *resolved =
		bl_resolve_query(&resolver, body, &names, &slots, &count);

	if (!resolved)
		return bl_partial_no_memory(pe);
	bound = bl_bound_new(pe->arena, resolver.slot_count);
	if (!bound.words)
		return bl_partial_no_memory(pe);
	bl_order_body(&resolver, resolved, &bound);
	top.query_count = resolver.slot_count;
	if (bl_partial_new_vars(pe, (size_t)resolver.slot_count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		pe->vars[slots[i]].name = names[i];
		pe->vars[slots[i]].is_kept = !bl_str_is(names[i], "_") &&
					     !is_declared(body, names[i]);
	}
	return bl_partial_flatten(pe, resolved, 0, false, &list) &&
	       bl_partial_statements(pe, &list, &top.next);
}

enum bl_status
bl_rego_partial_run(const struct bl_rego_policies *policies,
		    const struct bl_rego_partial_options *options,
		    struct bl_str query, struct bl_arena *arena,
		    struct bl_diags *diags, struct bl_rego_partial *out_partial,
		    struct bl_error *err)
{
	struct bl_error own_err = { 0 };
	struct bl_partial pe = { .arena = arena,
				 .policies = policies,
				 .options = options,
				 .err = err ? err : &own_err,
				 .out = out_partial };
	const struct bl_rego_prepared *prepared;
	struct bl_object_builder taken;
	struct bl_rego_body *body;
	size_t offset;

	*out_partial = (struct bl_rego_partial){ 0 };
	pe.status = bl_rego_prepare_in(policies, options->run.scope, query,
				       arena, diags, &prepared, pe.err);
	if (!pe.status)
		pe.status = bl_rego_parse_query(arena, query, &body, &offset,
						pe.err);
	if (pe.status || !read_policies(&pe, diags) || !read_refs(&pe))
		return pe.status;
	bl_object_builder_init(&taken, arena);
	note_taken(&pe, pe.compiler.root, &taken);
	pe.taken = bl_object_builder_end(&taken);
	if (run_query(&pe, body))
		bl_partial_put_support(&pe);
	return out_partial->fault_code ? BL_OK : pe.status;
}

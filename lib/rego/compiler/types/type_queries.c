/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of queries, and of calls that cannot be made whatever their operands
 * are.  The types of rules are known of compiled policies; of an image or a plan
 * only which rules there are, and those may be of any type.
 */
#include "rego/compiler/types/check_types.h"

static const struct bl_type *unknown_type(struct checker *checker,
					  const struct bl_node *node)
{
	struct bl_type type = { .kind = BL_TYPE_FUNCTION,
				.count = node->arity,
				.rest = &bl_type_any };

	if (node->kind != BL_RULE_FUNCTION)
		return &bl_type_any;
	type.items = bl_types_alloc(checker, type.count, sizeof(*type.items));
	for (size_t i = 0; type.items && i < type.count; i++)
		type.items[i] = &bl_type_any;
	return type.items ? bl_type_make(checker->arena, &type) : &bl_type_any;
}

/* Rules of which only names and kinds are known; true: there are some. */
static bool fill_unknown(struct checker *checker, const struct bl_node *node)
{
	bool found = node->kind != BL_RULE_NONE;

	if (found)
		checker->results[node->index] = unknown_type(checker, node);
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		found |= fill_unknown(checker, child);
	checker->present[node->index] = found;
	return found;
}

static void make_tables(struct checker *checker)
{
	uint32_t count = checker->compiler->node_count;

	checker->results =
		bl_types_alloc(checker, count, sizeof(*checker->results));
	checker->present =
		bl_types_alloc(checker, count, sizeof(*checker->present));
}

static void take_types(struct checker *checker,
		       const struct bl_rule_types *types)
{
	struct bl_compiler *compiler = checker->compiler;

	if (types) {
		checker->results = types->results;
		checker->present = types->present;
		compiler->needs = types->needs;
		compiler->order = types->order;
		checker->layers = types->layers;
		return;
	}
	make_tables(checker);
	if (!compiler->failed_memory)
		fill_unknown(checker, compiler->root);
}

void bl_check_query_types(struct bl_resolver *resolver,
			  const struct bl_rego_body *body,
			  const struct bl_rule_types *types)
{
	struct bl_compiler *compiler = resolver->compiler;
	struct checker checker = {
		.compiler = compiler,
		.arena = compiler->arena,
		.signatures = { .arena = compiler->arena,
				.callables = compiler->callables },
		.is_query = true
	};

	take_types(&checker, types);
	if (!compiler->failed_memory &&
	    bl_types_begin_vars(&checker, resolver->slot_count))
		bl_types_check_body(&checker, body);
}

/* ---- arity --------------------------------------------------------------- */

/* Facts known before any statement is looked at. */
static void give_types(struct checker *checker, struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_REF)
		term->type = bl_types_of_ref(checker, term);
	if (term->kind >= BL_TERM_ARRAY_COMPREHENSION)
		bl_types_check_closures(checker, term);
	if (term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_SET ||
	    term->kind == BL_TERM_OBJECT)
		for (uint32_t i = 0; i < term->count; i++)
			give_types(checker, term->as.items[i]);
}

static void report_plainly(struct checker *checker,
			   const struct bl_rego_term *call)
{
	struct bl_compiler *compiler = checker->compiler;
	const struct bl_node *node = bl_call_node(compiler, call);
	struct bl_str path = bl_node_path(compiler, node);

	bl_compiler_error(compiler, checker->module, call->range.from,
			  BL_FINDING_FUNCTION,
			  "function %.*s has arity %zu, got %u argument%s",
			  BL_STR_ARG(path), node->arity, call->count - 1,
			  call->count == 2 ? "" : "s");
}

void bl_check_arity(const struct bl_arity_check *check,
		    const struct bl_rego_term *call, bool nested)
{
	struct bl_compiler *compiler = check->compiler;
	struct checker checker = { .compiler = compiler,
				   .arena = compiler->arena,
				   .module = check->module,
				   .signatures = {
					   .arena = compiler->arena,
					   .callables = compiler->callables } };
	struct bl_signature own;
	struct bl_rego_term copy = *call; /* not changed by looking it up */
	struct bl_wrong_call wrong = { .call = call,
				       .nested = nested,
				       .arity = true };
	struct bl_findings findings = compiler->findings;
	const struct bl_type **have =
		bl_types_alloc(&checker, call->count, sizeof(*have));

	if (check->types)
		take_types(&checker, check->types);
	else
		make_tables(&checker);
	if (compiler->failed_memory ||
	    !bl_types_begin_vars(&checker, check->slot_count))
		return;
	/* Errors inside are reported when it is looked at itself. */
	for (uint32_t i = 1; i < call->count; i++) {
		give_types(&checker, call->as.items[i]);
		have[i - 1] = bl_types_of(&checker, call->as.items[i]);
	}
	compiler->findings = findings;
	wrong.have = have;
	wrong.signature = bl_types_signature(&checker, &copy, &own);
	if (wrong.signature)
		bl_types_report_args(&checker, &wrong);
	else
		report_plainly(&checker, call);
}

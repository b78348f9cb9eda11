/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls, references and "with" of resolved rules (docs/contracts/rego.md
 * "Compile checks", "With").
 */
#include "rego/compiler/check/checks.h"

struct checker {
	struct bl_compiler *compiler;
	const struct bl_rego_module *module; /* NULL: a query */
	const struct bl_node *node;          /* whose needs are noted */
	const struct bl_rule *rule;
	struct bl_known known; /* by the statements before this one */
	struct bl_arity_check arity;
	struct bl_reached *reached; /* rule by rule; NULL: by nodes */
};

static void check_term(struct checker *checker,
		       const struct bl_rego_term *term);
static void check_body(struct checker *checker,
		       const struct bl_rego_body *body);

static struct bl_str text_of(const struct checker *checker,
			     const struct bl_rego_term *term)
{
	return checker->module ? bl_str_slice(checker->module->text,
					      term->range.from, term->range.to)
			       : BL_STR("it");
}

/* ---- references --------------------------------------------------------- */

bool bl_rule_is_reached(struct bl_compiler *compiler,
			const struct bl_resolved_rule *rule,
			struct bl_rego_term *const *parts, size_t count,
			const struct bl_known *known)
{
	for (size_t i = 0; i < count && i < rule->key_count; i++) {
		const struct bl_rego_term *key = rule->keys[i];
		const struct bl_rego_term *part = parts[i];
		struct bl_known_name name = { .terms = &part, .count = 1 };
		bool found = false;

		if (key->kind != BL_TERM_SCALAR ||
		    (part->kind != BL_TERM_SCALAR &&
		     (!known ||
		      !bl_known_values(compiler, known, part, &name) ||
		      !name.count)))
			continue;
		for (size_t j = 0; !found && j < name.count; j++)
			found = name.terms[j]->kind == BL_TERM_SCALAR &&
				bl_value_equal(name.terms[j]->as.value,
					       key->as.value);
		if (!found)
			return false;
	}
	return true;
}

/* A reference needs node, with the parts behind it. */
static void need(struct checker *checker, const struct bl_node *node,
		 struct bl_rego_term *const *parts, size_t count)
{
	if (!checker->node || node->kind == BL_RULE_NONE)
		return;
	if (!checker->reached) {
		bl_needs_add(checker->compiler, checker->node, node,
			     checker->rule);
		return;
	}
	for (const struct bl_checked_rule *rule =
		     checker->compiler->checked[node->index];
	     rule; rule = rule->next)
		if (bl_rule_is_reached(checker->compiler, rule->resolved, parts,
				       count, &checker->known))
			checker->reached->reach(checker->reached, rule);
}

static void need_all(struct checker *checker, const struct bl_node *node)
{
	need(checker, node, NULL, 0);
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		need_all(checker, child);
}

/* Everything that the parts of a reference can reach, seen from node. */
static void follow(struct checker *checker, struct bl_rego_term *const *parts,
		   size_t count, const struct bl_node *node, size_t width)
{
	for (size_t i = 0; i < count; i++) {
		struct bl_known_name name = { 0 };
		const struct bl_node *child;

		need(checker, node, parts + i, count - i);
		if (parts[i]->kind == BL_TERM_SCALAR) {
			node = bl_node_find_child(node, parts[i]->as.value);
			if (!node)
				return;
			continue;
		}
		if (bl_known_values(checker->compiler, &checker->known,
				    parts[i], &name) &&
		    name.count && width * name.count <= BL_KNOWN_MAX) {
			for (size_t j = 0; j < name.count; j++) {
				const struct bl_rego_term *key = name.terms[j];

				child = key->kind == BL_TERM_SCALAR
						? bl_node_find_child(
							  node, key->as.value)
						: NULL;
				if (child)
					follow(checker, parts + i + 1,
					       count - i - 1, child,
					       width * name.count);
			}
			return;
		}
		for (child = node->first_child; child;
		     child = child->next_sibling)
			follow(checker, parts + i + 1, count - i - 1, child,
			       width);
		return;
	}
	need_all(checker, node);
}

static void check_ref(struct checker *checker, const struct bl_rego_term *ref)
{
	bool rooted = bl_term_is_root(ref->as.items[0], "data");

	if (rooted)
		follow(checker, ref->as.items + 1, ref->count - 1,
		       checker->compiler->root, 1);
	for (uint32_t i = rooted; i < ref->count; i++)
		check_term(checker, ref->as.items[i]);
}

/* ---- calls -------------------------------------------------------------- */

/* The calls in a term, outside of closures. */
static void check_calls(struct checker *checker,
			const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_CALL) {
		check_term(checker, term);
		return;
	}
	for (uint32_t i = 0; term->kind >= BL_TERM_REF &&
			     term->kind <= BL_TERM_OBJECT && i < term->count;
	     i++)
		check_calls(checker, term->as.items[i]);
}

static bool has_arity(const struct checker *checker,
		      const struct bl_rego_term *call, bool as_statement)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_node *node = bl_call_node(checker->compiler, call);
	size_t count = call->count - 1;
	size_t arity;

	if (builtin ? builtin->flags & BL_BUILTIN_VOID : !node)
		return true;
	arity = builtin ? builtin->arity : node->arity;
	return count == arity || (as_statement && count == arity + 1);
}

static void check_call(struct checker *checker, const struct bl_rego_term *call,
		       bool as_statement)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_rego_term *callee = call->as.items[0];

	if (builtin && builtin->flags & BL_BUILTIN_VOID && !as_statement) {
		struct bl_str text = text_of(checker, call);

		bl_compiler_error(checker->compiler, checker->module,
				  call->range.from, BL_FINDING_VOID_CALL,
				  "%.*s used as value", BL_STR_ARG(text));
	}

	if (builtin && builtin->flags & BL_BUILTIN_DEPRECATED &&
	    checker->module &&
	    (!checker->module->v0 || checker->compiler->options.strict))
		bl_compiler_error(checker->compiler, checker->module,
				  call->range.from, BL_FINDING_DEPRECATED,
				  "deprecated built-in function calls in "
				  "expression: %s",
				  builtin->name);
	if (!has_arity(checker, call, as_statement)) {
		bl_check_arity(&checker->arity, call, !as_statement);
		for (uint32_t i = 1; i < call->count; i++)
			check_calls(checker, call->as.items[i]);
		return;
	}
	if (callee->kind == BL_TERM_REF)
		check_ref(checker, callee);
	for (uint32_t i = 1; i < call->count; i++)
		check_term(checker, call->as.items[i]);
}

bool bl_rego_is_shown_statement(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_CALL && term->count == 3 &&
	       term->as.items[1]->kind == BL_TERM_VAR &&
	       bl_str_has_prefix(term->as.items[1]->as.name, BL_STR("$"));
}

static const struct bl_rego_term *
shown_call(const struct bl_rego_term *statement)
{
	const struct bl_rego_term *last =
		statement->as.items[statement->count - 1];

	return bl_rego_is_shown_statement(statement) &&
			       last->kind == BL_TERM_CALL
		       ? last
		       : statement;
}

static void check_term(struct checker *checker, const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
		return;
	case BL_TERM_VAR:
		if (bl_term_is_root(term, "data"))
			need_all(checker, checker->compiler->root);
		return;
	case BL_TERM_REF:
		check_ref(checker, term);
		return;
	case BL_TERM_CALL:
		check_call(checker, term, false);
		return;
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		break;
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		check_body(checker, term->body);
		break;
	}
	for (uint32_t i = 0; i < term->count; i++)
		check_term(checker, term->as.items[i]);
}

/* ---- with --------------------------------------------------------------- */

static const char builtin_prefix[] = "with keyword replacing built-in function";

static void check_builtin_target(struct checker *checker,
				 const struct bl_rego_term *target,
				 const struct bl_builtin *builtin)
{
	const char *name = builtin->name;
	struct bl_str text = bl_str(name);
	bool internal = bl_str_has_prefix(text, BL_STR("internal."));
	uint32_t from = target->range.from;

	if (bl_str_is(text, "eq") ||
	    bl_str_has_prefix(text, BL_STR("rego.metadata.")) || internal)
		bl_compiler_error(checker->compiler, checker->module, from,
				  BL_FINDING_WITH,
				  "%s: replacement of %s\"%s\" invalid",
				  builtin_prefix,
				  internal ? "internal function " : "", name);
	else if (builtin->flags & BL_BUILTIN_RELATION)
		bl_compiler_error(checker->compiler, checker->module, from,
				  BL_FINDING_WITH,
				  "%s: target must not be a relation",
				  builtin_prefix);
	else if (builtin->flags & BL_BUILTIN_VOID)
		bl_compiler_error(checker->compiler, checker->module, from,
				  BL_FINDING_WITH,
				  "%s: target must not be a void function",
				  builtin_prefix);
}

/* A target below a rule would replace a part of what the rule gives. */
static void check_data_target(struct checker *checker,
			      const struct bl_rego_term *target)
{
	const struct bl_node *node = checker->compiler->root;

	for (uint32_t i = 1; node && i + 1 < target->count; i++) {
		if (target->as.items[i]->kind != BL_TERM_SCALAR)
			return;
		node = bl_node_find_child(node, target->as.items[i]->as.value);
		if (!node || node->kind == BL_RULE_NONE)
			continue;
		bl_compiler_error(checker->compiler, checker->module,
				  target->range.from, BL_FINDING_WITH,
				  "with keyword cannot partially replace "
				  "virtual document(s)");
		return;
	}
}

/* Below data: what is there then is not known from its rules. */
static void note_target(struct bl_compiler *compiler,
			const struct bl_rego_term *target)
{
	struct bl_with_target *noted =
		bl_arena_new(compiler->arena, struct bl_with_target);

	if (!noted) {
		compiler->failed_memory = true;
		return;
	}
	*noted = (struct bl_with_target){ target, compiler->with_targets };
	compiler->with_targets = noted;
}

static void check_with(struct checker *checker, const struct bl_rego_with *with)
{
	const struct bl_rego_term *target = with->target;
	const struct bl_rego_term *head =
		target->kind == BL_TERM_REF ? target->as.items[0] : target;
	const struct bl_builtin *builtin =
		target->kind == BL_TERM_VAR && target->slot == BL_SLOT_NONE
			? target->builtin
			: NULL;

	if (bl_term_is_root(head, "data")) {
		check_data_target(checker, target);
		note_target(checker->compiler, target);
	} else if (builtin) {
		check_builtin_target(checker, target, builtin);
	} else if (!bl_term_is_root(head, "input")) {
		bl_compiler_error(checker->compiler, checker->module,
				  target->range.from, BL_FINDING_WITH_TARGET,
				  "with keyword target must reference existing "
				  "input, data, or a function");
	}
	if (target->kind == BL_TERM_REF)
		check_ref(checker, target);
	check_term(checker, with->value);
}

/* "some "a", x in data.b" needs what data.b["a"] does. */
static bool check_some(struct checker *checker, const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *domain = expr->terms[expr->term_count - 1];
	struct bl_rego_term ref = *domain;

	if (expr->kind != BL_EXPR_SOME_IN || expr->term_count < 3 ||
	    expr->terms[0]->kind != BL_TERM_SCALAR ||
	    domain->kind != BL_TERM_REF ||
	    !bl_term_is_root(domain->as.items[0], "data"))
		return false;
	ref.as.items =
		bl_arena_new_array(checker->compiler->arena,
				   struct bl_rego_term *, domain->count + 1);
	if (!ref.as.items) {
		checker->compiler->failed_memory = true;
		return true;
	}
	memcpy(ref.as.items, domain->as.items,
	       domain->count * sizeof(*ref.as.items));
	ref.as.items[ref.count++] = expr->terms[0];
	check_term(checker, expr->terms[1]);
	check_ref(checker, &ref);
	return true;
}

/* ---- statements and rules ----------------------------------------------- */

static void check_expr(struct checker *checker, const struct bl_rego_expr *expr)
{
	bool done = expr->term_count && check_some(checker, expr);

	for (uint32_t j = 0; !done && j < expr->term_count; j++)
		if (expr->kind == BL_EXPR_TERM &&
		    expr->terms[j]->kind == BL_TERM_CALL)
			check_call(checker, shown_call(expr->terms[j]), true);
		else
			check_term(checker, expr->terms[j]);
	for (uint32_t j = 0; j < expr->body_count; j++)
		check_body(checker, expr->bodies[j]);
	for (uint32_t j = 0; j < expr->with_count; j++)
		check_with(checker, &expr->withs[j]);
}

static void check_body(struct checker *checker, const struct bl_rego_body *body)
{
	for (size_t i = 0; i < body->count; i++)
		check_expr(checker, body->exprs[i]);
}

/* The body of a rule itself, whose statements all have to hold. */
static void check_rule_body(struct checker *checker,
			    const struct bl_rego_body *body)
{
	checker->known.count = 0;
	for (size_t i = 0; i < body->count; i++) {
		check_expr(checker, body->exprs[i]);
		bl_known_learn(checker->compiler, &checker->known,
			       body->exprs[i]);
	}
}

/* Keeps the rule for the checker of types. */
static void note_rule(struct bl_compiler *compiler, const struct bl_node *node,
		      const struct bl_rule *rule,
		      const struct bl_resolved_rule *resolved)
{
	struct bl_checked_rule *noted =
		bl_arena_new(compiler->arena, struct bl_checked_rule);

	if (!compiler->checked)
		compiler->checked = bl_arena_new_array(compiler->arena,
						       struct bl_checked_rule *,
						       compiler->node_count);
	if (!noted || !compiler->checked) {
		compiler->failed_memory = true;
		return;
	}
	*noted = (struct bl_checked_rule){
		.module = rule->module,
		.syntax = rule->syntax,
		.resolved = resolved,
		.is_set = rule->is_set,
		.next = compiler->checked[node->index],
	};
	compiler->checked[node->index] = noted;
}

static void check_chain(struct checker *checker,
			const struct bl_resolved_rule *resolved)
{
	for (; resolved; resolved = resolved->else_rule) {
		if (resolved->body)
			check_rule_body(checker, resolved->body);
		for (size_t i = 0; i < resolved->arg_count; i++)
			check_term(checker, resolved->args[i]);
		for (size_t i = 0; i < resolved->key_count; i++)
			check_term(checker, resolved->keys[i]);
		if (resolved->value)
			check_term(checker, resolved->value);
	}
}

void bl_each_reached(struct bl_compiler *compiler, const struct bl_node *node,
		     const struct bl_checked_rule *from,
		     struct bl_reached *reached)
{
	/* All that is wrong was told when the rule was checked. */
	struct checker checker = { .compiler = compiler,
				   .module = from->module,
				   .node = node,
				   .reached = reached };

	check_chain(&checker, from->resolved);
}

void bl_check_rule(struct bl_compiler *compiler, const struct bl_node *node,
		   const struct bl_rule *rule,
		   const struct bl_resolved_rule *resolved)
{
	struct checker checker = {
		.compiler = compiler,
		.module = rule->module,
		.node = node,
		.rule = rule,
		.arity = { compiler, rule->module, NULL, resolved->slot_count },
	};

	note_rule(compiler, node, rule, resolved);
	check_chain(&checker, resolved);
}

void bl_check_query(struct bl_resolver *resolver,
		    const struct bl_rego_body *body,
		    const struct bl_rule_types *types)
{
	struct checker checker = {
		.compiler = resolver->compiler,
		.arity = { resolver->compiler, NULL, types,
			   resolver->slot_count },
	};

	check_body(&checker, body);
}

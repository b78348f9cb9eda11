/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks which names are declared where (docs/contracts/rego.md "Checks after
 * parsing", "Scopes"): checked on the tree as written, before anything is
 * resolved.
 */
#include "rego/compiler/check/checks.h"
#include "rego/compiler/parse/visit.h"

/* How a body came to know a name. */
enum occurrence { SEEN, ASSIGNED, DECLARED, ARGUMENT };

static const struct {
	const char *noun;
	const char *what;
} complaints[] = {
	[SEEN] = { "var", "referenced above" },
	[ASSIGNED] = { "var", "assigned above" },
	[DECLARED] = { "var", "declared above" },
	[ARGUMENT] = { "arg", "redeclared" },
};

struct known_name {
	struct bl_str name;
	enum occurrence occurrence;
	uint32_t seen;   /* how often; its declaration counts */
	uint32_t offset; /* of the statement that declares it */
};

/* The names of one body; those of the bodies around it through outer. */
struct names {
	struct names *outer;
	struct known_name *items;
	size_t count;
	size_t cap;
};

struct checker {
	struct bl_compiler *compiler;
	const struct bl_rego_module *module;
	struct names *names;
	uint32_t statement; /* offset of the present one */
	bool *used_imports; /* by index; of one name: the first's */
	bool told_unused;   /* one body of a rule is enough */
};

/* Terms in front of a body that use names of the body. */
struct head {
	struct bl_rego_term *const *terms;
	size_t count;
};

static void check_body(struct checker *checker, const struct bl_rego_body *body,
		       struct head head);

/* ---- names -------------------------------------------------------------- */

static struct known_name *find_here(const struct names *names,
				    struct bl_str name)
{
	for (size_t i = 0; i < names->count; i++)
		if (bl_str_equal(names->items[i].name, name))
			return &names->items[i];
	return NULL;
}

static struct known_name *find_known(const struct names *names,
				     struct bl_str name)
{
	struct known_name *known = NULL;

	for (; names && !known; names = names->outer)
		known = find_here(names, name);
	return known;
}

static void add_name(struct checker *checker, struct bl_str name,
		     enum occurrence occurrence)
{
	struct names *names = checker->names;
	void *room =
		bl_arena_room(checker->compiler->arena, names->items,
			      names->count, &names->cap, sizeof(*names->items));

	if (!room) {
		checker->compiler->failed_memory = true;
		return;
	}
	names->items = room;
	names->items[names->count++] =
		(struct known_name){ name, occurrence, 1, checker->statement };
}

static void report(const struct checker *checker, uint32_t offset,
		   const char *text)
{
	bl_compiler_error(checker->compiler, checker->module, offset,
			  BL_FINDING_NAME, "%s", text);
}

/* A new name of the present body, which must not know it yet. */
static void declare(struct checker *checker, const struct bl_rego_term *var,
		    uint32_t offset, enum occurrence occurrence)
{
	const struct known_name *known;

	if (bl_str_is(var->as.name, "_"))
		return;
	known = find_here(checker->names, var->as.name);
	if (!known) {
		add_name(checker, var->as.name, occurrence);
		return;
	}
	bl_compiler_error(
		checker->compiler, checker->module, offset, BL_FINDING_NAME,
		"%s %.*s %s", complaints[known->occurrence].noun,
		BL_STR_ARG(var->as.name), complaints[known->occurrence].what);
}

/* ---- terms -------------------------------------------------------------- */

/* Notes that the import of that name, if there is one, is needed. */
static void use_import(struct checker *checker, struct bl_str name)
{
	const struct bl_rego_module *module = checker->module;
	const struct bl_rego_import *import =
		checker->used_imports ? bl_rego_scope_find_import(module, name)
				      : NULL;

	if (import)
		checker->used_imports[import - module->imports] = true;
}

static void see_name(struct checker *checker, struct bl_str name)
{
	struct known_name *known = find_known(checker->names, name);

	if (bl_str_is(name, "_"))
		return;
	if (known)
		known->seen++;
	else
		add_name(checker, name, SEEN);
	if (!known || known->occurrence == SEEN)
		use_import(checker, name);
}

/* A name of the body is not a function. */
static void check_callee(struct checker *checker,
			 const struct bl_rego_term *call)
{
	const struct bl_rego_term *callee = call->as.items[0];
	const struct bl_rego_term *head =
		callee->kind == BL_TERM_REF ? callee->as.items[0] : callee;
	const struct known_name *known =
		!call->infix && head->kind == BL_TERM_VAR
			? find_known(checker->names, head->as.name)
			: NULL;
	struct bl_str name = bl_str_slice(checker->module->text,
					  callee->range.from, callee->range.to);

	if (known && known->occurrence != SEEN)
		bl_compiler_error(checker->compiler, checker->module,
				  call->range.from, BL_FINDING_NAME,
				  "called function %.*s shadowed",
				  BL_STR_ARG(name));
}

/* Operators are functions that have names, too. */
static void see_function(struct checker *checker,
			 const struct bl_rego_term *callee)
{
	if (callee->kind == BL_TERM_REF)
		callee = callee->as.items[0];
	if (callee->kind == BL_TERM_VAR)
		see_name(checker, callee->as.name);
}

static void check_term(struct checker *checker,
		       const struct bl_rego_term *term);

/* The target of a "with": an import, and the terms in brackets. */
static void see_target(struct checker *checker,
		       const struct bl_rego_term *target)
{
	const struct bl_rego_term *head =
		target->kind == BL_TERM_REF ? target->as.items[0] : target;

	if (head->kind == BL_TERM_VAR)
		use_import(checker, head->as.name);
	for (uint32_t i = 1; target->kind == BL_TERM_REF && i < target->count;
	     i++)
		check_term(checker, target->as.items[i]);
}

/* Is the name anywhere in term, closures included? */
struct name_finder {
	struct bl_visitor visitor; /* first: find_name is given this */
	struct bl_str name;
	bool in_closures;
	bool is_found;
};

static bool find_name(struct bl_visitor *visitor,
		      const struct bl_rego_term *term)
{
	struct name_finder *finder = (struct name_finder *)visitor;

	if (term->kind == BL_TERM_VAR)
		finder->is_found |= bl_str_equal(term->as.name, finder->name);
	visitor->is_done = finder->is_found;
	return finder->in_closures ||
	       (term->kind >= BL_TERM_REF && !bl_term_is_comprehension(term));
}

static bool mentions(const struct bl_rego_term *term, struct bl_str name,
		     bool in_closures)
{
	struct name_finder finder = { .visitor.term = find_name,
				      .name = name,
				      .in_closures = in_closures };

	bl_visit_term(&finder.visitor, term);
	return finder.is_found;
}

static bool head_mentions(struct head head, struct bl_str name)
{
	for (size_t i = 0; i < head.count; i++)
		if (mentions(head.terms[i], name, true))
			return true;
	return false;
}

/* Reports the names of a body that nothing needs. */
static void report_unused(struct checker *checker, enum occurrence occurrence,
			  struct head head)
{
	bool told = false;

	for (size_t i = 0; i < checker->names->count; i++) {
		const struct known_name *known = &checker->names->items[i];

		/* OPA takes names like these for its own. */
		if (known->occurrence != occurrence || known->seen > 1 ||
		    bl_str_has_prefix(known->name, BL_STR("__local")) ||
		    head_mentions(head, known->name))
			continue;
		bl_compiler_error(
			checker->compiler, checker->module, known->offset,
			BL_FINDING_UNUSED_NAME, "%s var %.*s unused",
			occurrence == ASSIGNED ? "assigned" : "declared",
			BL_STR_ARG(known->name));
		told = true;
	}
	checker->told_unused |= told;
}

static void check_expr(struct checker *checker,
		       const struct bl_rego_expr *expr);

static void check_term(struct checker *checker, const struct bl_rego_term *term)
{
	struct names inner = { .outer = checker->names };

	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		return;
	case BL_TERM_VAR:
		see_name(checker, term->as.name);
		return;
	case BL_TERM_TEMPLATE:
		for (size_t i = 0; i < term->body->count; i++)
			check_expr(checker, term->body->exprs[i]);
		return;
	case BL_TERM_REF:
	case BL_TERM_CALL:
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		if (term->kind == BL_TERM_CALL) {
			check_callee(checker, term);
			see_function(checker, term->as.items[0]);
		}
		for (uint32_t i = term->kind == BL_TERM_CALL; i < term->count;
		     i++)
			check_term(checker, term->as.items[i]);
		return;
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		checker->names = &inner;
		check_body(checker, term->body,
			   (struct head){ term->as.items, term->count });
		for (uint32_t i = 0; i < term->count; i++)
			check_term(checker, term->as.items[i]);
		checker->names = inner.outer;
		return;
	}
}

/* The function that a statement itself calls is looked for later. */
static void check_statement(struct checker *checker,
			    const struct bl_rego_term *term)
{
	if (term->kind != BL_TERM_CALL) {
		check_term(checker, term);
		return;
	}
	see_function(checker, term->as.items[0]);
	for (uint32_t i = 1; i < term->count; i++)
		check_term(checker, term->as.items[i]);
}

static const char *const kind_words[] = {
	[BL_TERM_TEMPLATE] = "templatestring",
	[BL_TERM_REF] = "ref",
	[BL_TERM_CALL] = "call",
	[BL_TERM_SET] = "set",
	[BL_TERM_ARRAY_COMPREHENSION] = "arraycomprehension",
	[BL_TERM_SET_COMPREHENSION] = "setcomprehension",
	[BL_TERM_OBJECT_COMPREHENSION] = "objectcomprehension",
};

/* The left side of ":=": names, and arrays and values of objects of them. */
static void assign_pattern(struct checker *checker,
			   const struct bl_rego_term *term)
{
	const char *word;

	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_VAR:
		declare(checker, term, term->range.from, ASSIGNED);
		return;
	case BL_TERM_ARRAY:
		for (uint32_t i = 0; i < term->count; i++)
			assign_pattern(checker, term->as.items[i]);
		return;
	case BL_TERM_OBJECT:
		for (uint32_t i = 1; i < term->count; i += 2)
			assign_pattern(checker, term->as.items[i]);
		return;
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
	case BL_TERM_REF:
	case BL_TERM_CALL:
	case BL_TERM_SET:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		break;
	}
	word = term->kind == BL_TERM_SCALAR
		       ? bl_kind_name(bl_value_kind(term->as.value))
		       : kind_words[term->kind];
	bl_compiler_error(checker->compiler, checker->module, term->range.from,
			  BL_FINDING_NAME, "cannot assign to %s", word);
}

/* The left side of "some ... in": its plain names are new. */
static void declare_pattern(struct checker *checker,
			    const struct bl_rego_term *term, uint32_t offset)
{
	bool pairs = term->kind == BL_TERM_OBJECT;

	if (term->kind == BL_TERM_VAR)
		declare(checker, term, offset, DECLARED);
	if (term->kind == BL_TERM_ARRAY || pairs)
		for (uint32_t i = pairs; i < term->count; i += pairs ? 2 : 1)
			declare_pattern(checker, term->as.items[i], offset);
}

/* ---- statements --------------------------------------------------------- */

/* Strict mode forbids in v0 as well whatever v1 forbids. */
static bool is_strict(const struct checker *checker)
{
	return !checker->module->v0 || checker->compiler->options.strict;
}

static void check_assignment(struct checker *checker,
			     const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *call = expr->terms[0];
	const struct bl_rego_term *left = call->as.items[1];

	if (expr->negated) {
		report(checker, expr->range.from,
		       "cannot assign vars inside negated expression");
		return;
	}
	if (left->kind == BL_TERM_VAR && is_strict(checker) &&
	    bl_rego_scope_is_root_name(left->as.name))
		bl_compiler_error(checker->compiler, checker->module,
				  expr->range.from, BL_FINDING_SHADOWED_ROOT,
				  "variables must not shadow %.*s (use a "
				  "different variable name)",
				  BL_STR_ARG(left->as.name));
	check_term(checker, call->as.items[2]);
	for (uint32_t i = 0; i < expr->with_count; i++)
		check_term(checker, expr->withs[i].value);
	assign_pattern(checker, left);
}

static void check_every(struct checker *checker,
			const struct bl_rego_expr *expr)
{
	struct names inner = { .outer = checker->names };
	uint32_t last = expr->term_count - 1;

	check_term(checker, expr->terms[last]);
	checker->names = &inner;
	if (expr->bodies[0]->count) /* where an unused one is reported */
		checker->statement = expr->bodies[0]->exprs[0]->range.from;
	for (uint32_t i = 0; i < last; i++)
		declare_pattern(checker, expr->terms[i], expr->range.from);
	check_body(checker, expr->bodies[0], (struct head){ 0 });
	checker->names = inner.outer;
}

/* An operand of "and" or "or" that is not in braces declares nothing. */
static void check_operands(struct checker *checker,
			   const struct bl_rego_expr *expr)
{
	for (uint32_t i = 0; i < expr->body_count; i++) {
		const struct bl_rego_body *body = expr->bodies[i];
		struct names inner = { .outer = checker->names };
		bool braced = body->braced || expr->kind == BL_EXPR_NOT_BODY;

		if (!braced && body->count == 1 &&
		    bl_expr_is_assignment(body->exprs[0])) {
			report(checker, body->exprs[0]->range.from,
			       expr->is_or
				       ? "cannot assign vars inside implicit "
					 "or operand"
				       : "cannot assign vars inside implicit "
					 "and operand");
			continue;
		}
		if (!braced) {
			for (size_t j = 0; j < body->count; j++)
				check_expr(checker, body->exprs[j]);
			continue;
		}
		checker->names = &inner;
		check_body(checker, body, (struct head){ 0 });
		checker->names = inner.outer;
	}
}

/*
 * "some x in [x]": what is gone through cannot need a name of the pattern,
 * brackets in it included.
 */
static bool refuse_shared(struct checker *checker,
			  const struct bl_rego_expr *expr,
			  const struct bl_rego_term *pattern)
{
	const struct bl_rego_term *domain = expr->terms[expr->term_count - 1];
	bool pairs = pattern->kind == BL_TERM_OBJECT;
	bool refused = false;

	if (pattern->kind == BL_TERM_VAR && !bl_str_is(pattern->as.name, "_") &&
	    mentions(domain, pattern->as.name, false)) {
		bl_compiler_error(checker->compiler, checker->module,
				  expr->range.from, BL_FINDING_NAME,
				  "var %.*s assigned before",
				  BL_STR_ARG(pattern->as.name));
		return true;
	}
	/* Not the keys of objects, nor what a reference begins with. */
	for (uint32_t i = pairs || pattern->kind == BL_TERM_REF ||
			  pattern->kind == BL_TERM_CALL;
	     pattern->kind >= BL_TERM_REF && pattern->kind <= BL_TERM_OBJECT &&
	     i < pattern->count;
	     i += 1 + pairs)
		refused |= refuse_shared(checker, expr, pattern->as.items[i]);
	return refused;
}

static bool refuse_own_domain(struct checker *checker,
			      const struct bl_rego_expr *expr)
{
	bool refused = false;

	for (uint32_t i = 0; i + 1 < expr->term_count; i++)
		refused |= refuse_shared(checker, expr, expr->terms[i]);
	return refused;
}

static void check_expr(struct checker *checker, const struct bl_rego_expr *expr)
{
	uint32_t last = expr->term_count - 1;

	checker->statement = expr->range.from;
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		if (bl_expr_is_assignment(expr))
			check_assignment(checker, expr);
		else
			check_statement(checker, expr->terms[0]);
		break;
	case BL_EXPR_SOME:
		for (uint32_t i = 0; i < expr->term_count; i++)
			declare(checker, expr->terms[i], expr->range.from,
				DECLARED);
		break;
	case BL_EXPR_SOME_IN:
		if (refuse_own_domain(checker, expr))
			return;
		for (uint32_t i = 0; i < last; i++)
			declare_pattern(checker, expr->terms[i],
					expr->range.from);
		for (uint32_t i = 0; i < expr->term_count; i++)
			check_term(checker, expr->terms[i]);
		break;
	case BL_EXPR_EVERY:
		check_every(checker, expr);
		break;
	case BL_EXPR_NOT_BODY:
	case BL_EXPR_LOGICAL:
		check_operands(checker, expr);
		break;
	}
	for (uint32_t i = 0; i < expr->with_count; i++) {
		see_target(checker, expr->withs[i].target);
		check_term(checker, expr->withs[i].value);
	}
}

static void check_body(struct checker *checker, const struct bl_rego_body *body,
		       struct head head)
{
	struct bl_compiler *compiler = checker->compiler;
	size_t errors = compiler->findings.ending_count;

	for (size_t i = 0; i < body->count; i++)
		check_expr(checker, body->exprs[i]);
	if (compiler->findings.ending_count > errors || checker->told_unused)
		return;
	if (compiler->options.strict)
		report_unused(checker, ASSIGNED, head);
	if (!checker->told_unused)
		report_unused(checker, DECLARED, head);
}

/* ---- rules and modules -------------------------------------------------- */

static void check_argument(struct checker *checker,
			   const struct bl_rego_term *term)
{
	bool pairs = term->kind == BL_TERM_OBJECT;

	if (term->kind == BL_TERM_VAR && !bl_str_is(term->as.name, "_")) {
		/* A second time: both have to be equal, so it is used. */
		struct known_name *known =
			find_here(checker->names, term->as.name);

		if (known)
			known->seen++;
		else
			add_name(checker, term->as.name, ARGUMENT);
		return;
	}
	if (term->kind == BL_TERM_CALL)
		report(checker, term->range.from,
		       "rule arguments cannot contain calls");
	if (term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_SET || pairs)
		for (uint32_t i = pairs; i < term->count; i += pairs ? 2 : 1)
			check_argument(checker, term->as.items[i]);
}

/* offset: of what is reported, which inside of patterns is the rule. */
static void check_arg_shadowing(struct checker *checker,
				const struct bl_rego_rule *rule,
				const struct bl_rego_term *arg, uint32_t offset)
{
	bool pairs = arg->kind == BL_TERM_OBJECT;

	if (arg->kind == BL_TERM_VAR &&
	    bl_rego_scope_is_root_name(arg->as.name))
		bl_compiler_error(checker->compiler, checker->module, offset,
				  checker->module->v0
					  ? BL_FINDING_SHADOWED_ROOT
					  : BL_FINDING_SHADOWED_BY_ARGUMENT,
				  "args must not shadow %.*s (use a different "
				  "variable name)",
				  BL_STR_ARG(arg->as.name));
	if (arg->kind == BL_TERM_ARRAY || pairs)
		for (uint32_t i = pairs; i < arg->count; i += 1 + pairs)
			check_arg_shadowing(checker, rule, arg->as.items[i],
					    rule->range.from);
}

static void check_shadowing(struct checker *checker,
			    const struct bl_rego_rule *rule)
{
	const struct bl_rego_term *name = rule->name->kind == BL_TERM_VAR
						  ? rule->name
						  : rule->name->as.items[0];

	if (!is_strict(checker))
		return;
	if (bl_rego_scope_is_root_name(name->as.name))
		bl_compiler_error(checker->compiler, checker->module,
				  rule->range.from, BL_FINDING_SHADOWED_ROOT,
				  "rules must not shadow %.*s (use a different "
				  "rule name)",
				  BL_STR_ARG(name->as.name));
	for (size_t i = 0; i < rule->arg_count; i++)
		check_arg_shadowing(checker, rule, rule->args[i],
				    checker->module->v0
					    ? rule->range.from
					    : rule->args[i]->range.from);
}

/* The arguments that no rule of the chain needs. */
static void check_unused_args(struct checker *checker,
			      const struct bl_rego_rule *rule,
			      const struct names *args)
{
	for (size_t i = 0; i < args->count; i++)
		if (args->items[i].seen <= 1)
			bl_compiler_error(
				checker->compiler, checker->module,
				rule->range.from, BL_FINDING_UNUSED_NAME,
				"unused argument %.*s. (hint: use _ (wildcard "
				"variable) instead)",
				BL_STR_ARG(args->items[i].name));
}

/* One rule of a chain; its arguments are known outside of it. */
static void check_branch(struct checker *checker,
			 const struct bl_rego_rule *rule)
{
	struct bl_rego_term *heads[3];
	struct head head = { heads, 0 };

	if (rule->contains)
		heads[head.count++] = rule->contains;
	if (rule->value)
		heads[head.count++] = rule->value;
	if (rule->name)
		heads[head.count++] = rule->name;
	checker->told_unused = false;
	if (rule->body)
		check_body(checker, rule->body, head);
	for (size_t i = 0; i < head.count; i++)
		if (heads[i] != rule->name)
			check_term(checker, heads[i]);
	for (uint32_t i = 1; rule->name && rule->name->kind == BL_TERM_REF &&
			     i < rule->name->count;
	     i++)
		check_term(checker, rule->name->as.items[i]);
}

static void check_rule(struct checker *checker, const struct bl_rego_rule *rule)
{
	struct names args = { 0 };

	check_shadowing(checker, rule);
	for (const struct bl_rego_rule *at = rule; at; at = at->else_rule) {
		struct names names = { 0 };

		checker->names = &names;
		for (size_t i = 0; i < rule->arg_count; i++)
			check_argument(checker, rule->args[i]);
		check_branch(checker, at);
		/* An argument is used when one rule of the chain uses it. */
		for (size_t i = 0; i < names.count; i++)
			if (names.items[i].occurrence == ARGUMENT &&
			    args.count == i) {
				checker->names = &args;
				add_name(checker, names.items[i].name,
					 ARGUMENT);
				checker->names = &names;
			}
		for (size_t i = 0; i < args.count && i < names.count; i++)
			args.items[i].seen += names.items[i].seen - 1;
		checker->names = NULL;
	}
	if (checker->compiler->options.strict)
		check_unused_args(checker, rule, &args);
}

static struct bl_str text_of_range(const struct bl_rego_module *module,
				   struct bl_rego_range range)
{
	return bl_str_slice(module->text, range.from, range.to);
}

/* "import rego.v1", "import future.keywords.in" */
static bool is_of_language(const struct bl_rego_import *import)
{
	const struct bl_rego_term *path = import->path;
	struct bl_str head = path->kind == BL_TERM_REF
				     ? path->as.items[0]->as.name
				     : path->as.name;

	return bl_str_is(head, "rego") || bl_str_is(head, "future");
}

/* As OPA writes it: a keyword in a path is in brackets. */
static struct bl_str import_text(struct bl_arena *arena,
				 const struct bl_rego_module *module,
				 const struct bl_rego_import *import)
{
	const struct bl_rego_term *path = import->path;
	struct bl_str last = bl_import_name(import);

	if (!is_of_language(import) || path->count < 3 || import->alias.len)
		return text_of_range(module, import->range);
	return bl_arena_printf(arena, "import future.keywords[\"%.*s\"]",
			       BL_STR_ARG(last));
}

/* The import before number i that has its name; NULL: none has. */
static const struct bl_rego_import *
find_earlier(const struct bl_rego_module *module, size_t i)
{
	struct bl_str name = bl_import_name(&module->imports[i]);

	for (size_t j = 0; j < i; j++)
		if (bl_str_equal(bl_import_name(&module->imports[j]), name))
			return &module->imports[j];
	return NULL;
}

static void check_unused_imports(const struct checker *checker)
{
	const struct bl_rego_module *module = checker->module;

	for (size_t i = 0; i < module->import_count; i++) {
		const struct bl_rego_import *import = &module->imports[i];
		const struct bl_rego_import *first = bl_rego_scope_find_import(
			module, bl_import_name(import));
		struct bl_str text = text_of_range(module, import->range);

		/* Those that look-up does not know are of the language. */
		if (!first || is_of_language(import) ||
		    checker->used_imports[first - module->imports])
			continue;
		bl_compiler_error(checker->compiler, module, import->range.from,
				  BL_FINDING_UNUSED_IMPORT, "%.*s unused",
				  BL_STR_ARG(text));
	}
}

static void check_imports(struct checker *checker)
{
	const struct bl_rego_module *module = checker->module;

	for (size_t i = 0; i < module->import_count && is_strict(checker);
	     i++) {
		const struct bl_rego_import *first = find_earlier(module, i);
		struct bl_str text;

		if (!first)
			continue;
		text = import_text(checker->compiler->arena, module, first);
		bl_compiler_error(checker->compiler, module,
				  module->imports[i].range.from,
				  BL_FINDING_REPEATED_IMPORT,
				  "import must not shadow %.*s",
				  BL_STR_ARG(text));
	}
}

bool bl_check_names(struct bl_compiler *compiler)
{
	for (size_t i = 0; i < compiler->module_count; i++) {
		struct checker checker = { .compiler = compiler,
					   .module = compiler->modules[i] };

		check_imports(&checker);
		if (compiler->options.strict)
			checker.used_imports = bl_arena_new_array(
				compiler->arena, bool,
				checker.module->import_count + 1);
		for (size_t j = 0; j < checker.module->rule_count; j++)
			for (const struct bl_rego_rule *rule =
				     checker.module->rules[j];
			     rule; rule = rule->chained)
				check_rule(&checker, rule);
		if (checker.used_imports)
			check_unused_imports(&checker);
		else
			compiler->failed_memory |= compiler->options.strict;
	}
	return !compiler->failed_memory && !compiler->findings.ending_count;
}

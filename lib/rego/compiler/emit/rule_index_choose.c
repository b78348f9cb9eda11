/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the conditions of a rule: statements that compare a value that is known
 * outside of the rule with constants.
 *
 *     deny if {
 *         cmd := input.args.command        # cmd means input.args.command
 *         startswith(cmd, "rm ")           # condition: PREFIX "rm " of it
 *         contains(cmd, "/tmp/")           # condition: PART "/tmp/" of it
 *         data.mode.strict                 # calls a rule: it may end with an error
 *         input.user == "ann"              # no condition
 *     }
 *
 * Names are replaced by what they mean outside ("outside" below), so both conditions
 * have one subject, input.args.command, and one key, by which rules with the same
 * subject find each other.  Behind the call of a rule nothing counts: leaving out the
 * rule because of input.user would leave out an error of data.mode.strict, too.
 * emit_node.c then takes, of each rule, the condition whose items the fewest rules
 * share: with a hundred rules on startswith(cmd, "rm ") and one on "/tmp/", the
 * second one tells more.
 */
#include "rego/compiler/emit/rule_index_choose.h"

#include "json/json.h"
#include "rego/builtins/functions.h"
#include "text/text.h"

enum { ITEMS_MAX = 1000, SUBJECT_DEPTH_MAX = 16 };

struct finder {
	struct bl_emitter *e;
	struct bl_arena *arena;
	struct bl_rego_term **meanings; /* of slots, outside of the rule */
	struct bl_condition *first;
	struct bl_condition **tail;
	uint32_t depth;
};

/* ---- subjects --------------------------------------------------------------- */

static struct bl_rego_term *outside(struct finder *finder,
				    struct bl_rego_term *term);

static struct bl_rego_term *copy_of(struct finder *finder,
				    const struct bl_rego_term *term,
				    uint32_t item_count)
{
	struct bl_rego_term *copy =
		bl_arena_new(finder->arena, struct bl_rego_term);

	if (!copy)
		return NULL;
	*copy = *term;
	copy->count = item_count;
	copy->as.items = bl_arena_new_array(
		finder->arena, struct bl_rego_term *, item_count + 1);
	return copy->as.items ? copy : NULL;
}

/* x.a.b where x is known outside and the parts are constants. */
static struct bl_rego_term *ref_outside(struct finder *finder,
					struct bl_rego_term *ref)
{
	struct bl_rego_term *head = outside(finder, ref->as.items[0]);
	bool nested = head && head->kind == BL_TERM_REF;
	uint32_t above = nested ? head->count : 1;
	struct bl_rego_term *copy;

	if (!head || (head->kind != BL_TERM_REF && head->kind != BL_TERM_VAR))
		return NULL;
	for (uint32_t i = 1; i < ref->count; i++)
		if (ref->as.items[i]->kind != BL_TERM_SCALAR)
			return NULL;
	copy = copy_of(finder, ref, above + ref->count - 1);
	if (!copy)
		return NULL;
	for (uint32_t i = 0; i < above; i++)
		copy->as.items[i] = nested ? head->as.items[i] : head;
	for (uint32_t i = 1; i < ref->count; i++)
		copy->as.items[above + i - 1] = ref->as.items[i];
	return copy;
}

static bool is_plain_builtin(const struct bl_builtin *builtin)
{
	return builtin && builtin->function &&
	       !(builtin->flags &
		 (BL_BUILTIN_NONDETERMINISTIC | BL_BUILTIN_RELATION |
		  BL_BUILTIN_VOID | BL_BUILTIN_FOREIGN));
}

static struct bl_rego_term *call_outside(struct finder *finder,
					 struct bl_rego_term *call)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	struct bl_rego_term *copy;

	if (!is_plain_builtin(builtin) || call->count != builtin->arity + 1u)
		return NULL;
	copy = copy_of(finder, call, call->count);
	if (!copy)
		return NULL;
	copy->as.items[0] = call->as.items[0];
	for (uint32_t i = 1; i < call->count; i++) {
		copy->as.items[i] = outside(finder, call->as.items[i]);
		if (!copy->as.items[i])
			return NULL;
	}
	return copy;
}

/* The term with what its variables mean outside of the rule; NULL: it means
 * nothing there. */
static struct bl_rego_term *outside(struct finder *finder,
				    struct bl_rego_term *term)
{
	struct bl_rego_term *found = NULL;

	if (finder->depth >= SUBJECT_DEPTH_MAX)
		return NULL;
	finder->depth++;
	if (bl_term_is_constant(term) || bl_term_is_root(term, "input") ||
	    (term->kind == BL_TERM_VAR && term->slot < BL_SLOT_NONE))
		found = term;
	else if (term->kind == BL_TERM_VAR && term->slot >= 0)
		found = finder->meanings[term->slot];
	else if (term->kind == BL_TERM_REF)
		found = ref_outside(finder, term);
	else if (term->kind == BL_TERM_CALL)
		found = call_outside(finder, term);
	finder->depth--;
	return found;
}

static void put_key(struct finder *finder, struct bl_buf *out,
		    const struct bl_rego_term *term)
{
	if (bl_term_is_constant(term)) {
		bl_json_write(out, bl_emit_make_constant(finder->e, term),
			      BL_JSON_COMPACT);
		return;
	}
	if (term->kind == BL_TERM_VAR) {
		bl_buf_put_str(out, term->as.name);
		bl_buf_put_char(out, '#');
		bl_buf_put(out, &term->slot, sizeof(term->slot));
		return;
	}
	bl_buf_put_char(out, term->kind == BL_TERM_CALL ? '(' : '[');
	for (uint32_t i = 0; i < term->count; i++) {
		put_key(finder, out, term->as.items[i]);
		bl_buf_put_char(out, ' ');
	}
	bl_buf_put_char(out, term->kind == BL_TERM_CALL ? ')' : ']');
}

/* ---- conditions ----------------------------------------------------------------- */

static struct bl_condition *new_condition(struct finder *finder,
					  struct bl_rego_term *subject,
					  size_t item_cap)
{
	struct bl_rego_term *term = outside(finder, subject);
	struct bl_condition *condition;
	struct bl_buf key;

	if (!term || bl_term_is_constant(term) || !item_cap ||
	    item_cap > ITEMS_MAX)
		return NULL;
	condition = bl_arena_new(finder->arena, struct bl_condition);
	if (!condition)
		return NULL;
	condition->items = bl_arena_new_array(
		finder->arena, struct bl_condition_item, item_cap);
	bl_buf_init(&key, 0);
	put_key(finder, &key, term);
	condition->key = bl_arena_copy_str(finder->arena, bl_buf_str(&key));
	bl_buf_clear(&key);
	condition->subject = term;
	return condition->items && condition->key.ptr ? condition : NULL;
}

static void add_condition(struct finder *finder, struct bl_condition *condition)
{
	*finder->tail = condition;
	finder->tail = &condition->next;
}

static void note_equal(struct finder *finder, struct bl_rego_term *subject,
		       struct bl_value constant)
{
	struct bl_condition *condition = new_condition(finder, subject, 1);

	if (!condition)
		return;
	condition->items[condition->item_count++] =
		(struct bl_condition_item){ BL_CONDITION_EQUAL, constant };
	add_condition(finder, condition);
}

/* Each member of the collection, as something that may hold. */
static void note_each(struct finder *finder, struct bl_rego_term *subject,
		      enum bl_condition_kind kind, struct bl_value members)
{
	size_t count = bl_value_count(members);
	bool single = bl_value_is(members, BL_KIND_STRING);
	struct bl_condition *condition =
		new_condition(finder, subject, single ? 1 : count);

	if (!condition)
		return;
	for (size_t i = 0; i < (single ? 1 : count); i++) {
		struct bl_value item = single ? members
				       : bl_value_is(members, BL_KIND_OBJECT)
					       ? bl_object_value(members, i)
					       : bl_value_item(members, i);

		if (kind != BL_CONDITION_EQUAL && !bl_value_text(item).len)
			return;
		condition->items[condition->item_count++] =
			(struct bl_condition_item){ kind, item };
	}
	add_condition(finder, condition);
}

/* The conditions of one pattern: one for each choice of texts. */
struct pattern_conditions {
	struct finder *finder;
	struct bl_rego_term *subject;
	struct bl_condition *condition; /* of the choice at hand */
	uint32_t choice;
};

static void note_required(void *context, uint32_t choice, struct bl_str text,
			  bool leads)
{
	enum { TEXTS_MAX = 64 };
	struct pattern_conditions *conditions = context;

	if (!conditions->condition || conditions->choice != choice) {
		conditions->choice = choice;
		conditions->condition = new_condition(
			conditions->finder, conditions->subject, TEXTS_MAX);
		if (conditions->condition)
			add_condition(conditions->finder,
				      conditions->condition);
	}
	if (conditions->condition &&
	    conditions->condition->item_count < TEXTS_MAX)
		conditions->condition
			->items[conditions->condition->item_count++] =
			(struct bl_condition_item){ leads ? BL_CONDITION_PREFIX
							  : BL_CONDITION_PART,
						    bl_value_string(text) };
}

static void note_pattern(struct finder *finder, struct bl_rego_term *subject,
			 struct bl_str pattern)
{
	struct pattern_conditions conditions = { .finder = finder,
						 .subject = subject };

	bl_regex_each_required(finder->arena, pattern, BL_REGEX_RE2,
			       note_required, &conditions);
}

static void note_glob(struct finder *finder, const struct bl_rego_term *call)
{
	struct bl_builtin_state state = { 0 };
	struct bl_value args[2];
	struct bl_builtin_call glob = { .arena = finder->arena,
					.state = &state,
					.args = args,
					.arg_count = 2 };
	struct bl_str pattern;

	for (uint32_t i = 0; i < 2; i++)
		if (!bl_fold(finder->e, call->as.items[i + 1], &args[i]))
			return;
	if (bl_value_is(args[0], BL_KIND_STRING) &&
	    (bl_value_is(args[1], BL_KIND_NULL) ||
	     bl_value_is(args[1], BL_KIND_ARRAY)) &&
	    bl_builtin_glob_pattern(&glob, &pattern))
		note_pattern(finder, call->as.items[3], pattern);
}

/* Builtins that are conditions: which operand is the subject, which decides. */
enum condition_form { FORM_EACH, FORM_REGEX, FORM_GLOB };

static const struct condition_row {
	const char *builtin;
	enum condition_form form;
	enum bl_condition_kind kind;
	uint8_t subject;
	uint8_t constant;
} condition_rows[] = {
	{ "startswith", FORM_EACH, BL_CONDITION_PREFIX, 1, 2 },
	{ "endswith", FORM_EACH, BL_CONDITION_SUFFIX, 1, 2 },
	{ "contains", FORM_EACH, BL_CONDITION_PART, 1, 2 },
	{ "strings.any_prefix_match", FORM_EACH, BL_CONDITION_PREFIX, 1, 2 },
	{ "strings.any_suffix_match", FORM_EACH, BL_CONDITION_SUFFIX, 1, 2 },
	{ "internal.member_2", FORM_EACH, BL_CONDITION_EQUAL, 1, 2 },
	{ "regex.match", FORM_REGEX, BL_CONDITION_PART, 2, 1 },
	{ "glob.match", FORM_GLOB, BL_CONDITION_PART, 3, 1 },
};

static void note_call(struct finder *finder, const struct bl_rego_term *call,
		      const struct bl_builtin *builtin)
{
	const struct condition_row *row = NULL;
	struct bl_value constant;
	struct bl_rego_term **items = call->as.items;

	for (size_t i = 0; !row && i < BL_COUNT(condition_rows); i++)
		if (!strcmp(condition_rows[i].builtin, builtin->name))
			row = &condition_rows[i];
	if (!row || call->count != builtin->arity + 1u ||
	    !bl_fold(finder->e, items[row->constant], &constant))
		return;
	switch (row->form) {
	case FORM_EACH:
		note_each(finder, items[row->subject], row->kind, constant);
		break;
	case FORM_REGEX:
		if (bl_value_is(constant, BL_KIND_STRING))
			note_pattern(finder, items[2], bl_value_text(constant));
		break;
	case FORM_GLOB:
		note_glob(finder, call);
		break;
	}
}

/* ---- statements ------------------------------------------------------------- */

bool bl_emit_can_fail(struct bl_emitter *e, const struct bl_rego_term *term)
{
	const struct bl_builtin *builtin;
	struct bl_value value;
	uint32_t from;

	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		return false;
	case BL_TERM_VAR:
		return bl_term_is_root(term, "data");
	case BL_TERM_CALL:
		builtin = bl_call_builtin(term);
		if (!builtin || (builtin->flags & BL_BUILTIN_VOID))
			return true;
		for (uint32_t i = 1; i < term->count; i++)
			if (bl_emit_can_fail(e, term->as.items[i]))
				return true;
		return false;
	case BL_TERM_REF:
		from = bl_fold_parts(e, term, &value);
		for (uint32_t i = from; i < term->count; i++)
			if (bl_emit_can_fail(e, term->as.items[i]))
				return true;
		return false;
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		for (uint32_t i = 0; i < term->count; i++)
			if (bl_emit_can_fail(e, term->as.items[i]))
				return true;
		return false;
	case BL_TERM_TEMPLATE:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return true;
	}
	return true;
}

bool bl_emit_can_end(struct bl_emitter *e, const struct bl_rego_expr *expr)
{
	if (expr->kind != BL_EXPR_TERM && expr->kind != BL_EXPR_SOME &&
	    expr->kind != BL_EXPR_SOME_IN)
		return true;
	for (uint32_t i = 0; i < expr->term_count; i++)
		if (bl_emit_can_fail(e, expr->terms[i]))
			return true;
	return false;
}

static void note_meaning(struct finder *finder, const struct bl_rego_term *var,
			 struct bl_rego_term *term)
{
	if (var->kind == BL_TERM_VAR && var->slot >= 0 &&
	    !finder->meanings[var->slot])
		finder->meanings[var->slot] = outside(finder, term);
}

static bool is_equality(struct bl_str name)
{
	return bl_str_is(name, "eq") || bl_str_is(name, "assign") ||
	       bl_str_is(name, "equal");
}

static void look_at(struct finder *finder, const struct bl_rego_term *term)
{
	const struct bl_builtin *builtin;
	struct bl_rego_term **items = term->as.items;
	struct bl_value constant;

	if (term->kind != BL_TERM_CALL)
		return;
	if (term->count == 3 && items[0]->kind == BL_TERM_VAR &&
	    is_equality(items[0]->as.name)) {
		if (bl_fold(finder->e, items[2], &constant))
			note_equal(finder, items[1], constant);
		else if (bl_fold(finder->e, items[1], &constant))
			note_equal(finder, items[2], constant);
		note_meaning(finder, items[1], items[2]);
		note_meaning(finder, items[2], items[1]);
		return;
	}
	builtin = bl_call_builtin(term);
	if (builtin)
		note_call(finder, term, builtin);
}

static void look_at_args(struct finder *finder,
			 const struct bl_resolved_rule *rule)
{
	for (size_t i = 0; i < rule->arg_count; i++) {
		struct bl_rego_term *arg = rule->args[i];
		struct bl_rego_term *outer =
			bl_arena_new(finder->arena, struct bl_rego_term);

		if (!outer)
			return;
		outer->kind = BL_TERM_VAR;
		outer->range = arg->range;
		outer->slot = bl_register_slot((bl_register)i);
		if (arg->kind == BL_TERM_VAR && arg->slot >= 0 &&
		    !finder->meanings[arg->slot])
			finder->meanings[arg->slot] = outer;
		else if (bl_term_is_constant(arg))
			note_equal(finder, outer,
				   bl_emit_make_constant(finder->e, arg));
	}
}

struct bl_condition *bl_conditions_of(struct bl_emitter *e,
				      const struct bl_resolved_rule *rule)
{
	struct finder finder = { .e = e, .arena = e->builder->compiler->arena };

	finder.tail = &finder.first;
	finder.meanings =
		bl_arena_new_array(finder.arena, struct bl_rego_term *,
				   (size_t)e->resolver->slot_count + 1);
	if (!finder.meanings)
		return NULL;
	look_at_args(&finder, rule);
	for (size_t i = 0; rule->body && i < rule->body->count; i++) {
		const struct bl_rego_expr *expr = rule->body->exprs[i];

		if (expr->with_count)
			break;
		if (expr->kind == BL_EXPR_TERM && !expr->negated)
			look_at(&finder, expr->terms[0]);
		if (bl_emit_can_end(e, expr))
			break;
	}
	return finder.first;
}

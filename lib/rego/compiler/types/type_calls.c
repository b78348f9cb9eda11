/* SPDX-License-Identifier: Apache-2.0 */
/* Types of calls (docs/contracts/rego.md "Types"). */
#include "rego/compiler/types/check_types.h"

/* Of what a call or a "with" names; NULL: not known, or no function. */
static const struct bl_signature *signature_of(struct checker *checker,
					       struct bl_rego_term *callee,
					       struct bl_signature *own)
{
	const struct bl_builtin *builtin =
		callee->kind == BL_TERM_VAR ? callee->builtin : NULL;
	const struct bl_type *type;

	if (builtin)
		return bl_signature_find(&checker->signatures,
					 bl_str(builtin->name));
	if (callee->kind != BL_TERM_REF)
		return NULL;
	type = bl_types_of_ref(checker, callee);
	*own = (struct bl_signature){ .type = type };
	return type && type->kind == BL_TYPE_FUNCTION ? own : NULL;
}

const struct bl_signature *bl_types_signature(struct checker *checker,
					      struct bl_rego_term *call,
					      struct bl_signature *own)
{
	return bl_call_builtin(call) || bl_call_node(checker->compiler, call)
		       ? signature_of(checker, call->as.items[0], own)
		       : NULL;
}

bool bl_types_check_withs(struct checker *checker,
			  const struct bl_rego_expr *expr)
{
	for (uint32_t i = 0; i < expr->with_count; i++) {
		const struct bl_rego_with *with = &expr->withs[i];
		struct bl_signature target;
		struct bl_signature value;
		const struct bl_signature *wanted =
			signature_of(checker, with->target, &target);
		const struct bl_signature *have =
			wanted ? signature_of(checker, with->value, &value)
			       : NULL;

		if (!have || bl_type_unifies(wanted->type, have->type))
			continue;
		bl_types_report_stand_in(checker, with->target, have->type,
					 wanted);
		return false;
	}
	return true;
}

/* have: as it was before any operand was looked at; NULL: as it is now. */
static void report_args(struct checker *checker, struct bl_rego_term *call,
			const struct bl_type *const *have,
			const struct bl_signature *signature, bool nested)
{
	const struct bl_type **now =
		bl_types_alloc(checker, call->count, sizeof(*now));

	for (uint32_t i = 1; now && i < call->count; i++)
		now[i - 1] = bl_types_of(checker, call->as.items[i]);
	if (!now)
		return;
	bl_types_report_args(checker, &(struct bl_wrong_call){
					      .call = call,
					      .have = have ? have : now,
					      .signature = signature,
					      .nested = nested,
				      });
}

/* "x in xs": what may be found depends on what is looked through. */
static bool check_member(struct checker *checker,
			 const struct bl_rego_term *call,
			 struct bl_rego_term *wanted,
			 const struct bl_type *type)
{
	const struct bl_type *have = bl_types_of(checker, wanted);

	if (bl_type_is_unknown(type))
		return true;
	if ((bl_type_is_unknown(have) || bl_type_unifies(have, type)) &&
	    bl_types_unify_term(checker, wanted, type, false))
		return true;
	bl_types_report_match(checker, call->range.from, have, type);
	return false;
}

static bool check_members(struct checker *checker,
			  const struct bl_rego_term *call)
{
	struct bl_str name = call->as.items[0]->as.name;
	bool keyed = bl_str_is(name, "internal.member_3");
	uint32_t last = keyed ? 3 : 2;
	const struct bl_type *type;
	const struct bl_type *values;

	if (!keyed && !bl_str_is(name, "internal.member_2"))
		return true;
	type = bl_types_of(checker, call->as.items[last]);
	values = bl_type_values(checker->arena, type);
	return !values ||
	       ((!keyed || check_member(checker, call, call->as.items[1],
					bl_type_keys(checker->arena, type))) &&
		check_member(checker, call, call->as.items[last - 1], values));
}

bool bl_types_is_equation(const struct checker *checker,
			  const struct bl_rego_term *term)
{
	const struct bl_rego_term *callee;

	if (term->kind != BL_TERM_CALL || term->count != 3)
		return false;
	callee = term->as.items[0];
	return callee->kind == BL_TERM_VAR &&
	       (bl_str_is(callee->as.name, "eq") ||
		bl_str_is(callee->as.name, "assign") ||
		(!checker->is_query && bl_str_is(callee->as.name, "equal")));
}

/*
 * A name in a hole of a template string is an item of a set to OPA, which takes
 * it for a value of any type from then on.
 */
static void open_holes(struct checker *checker, const struct bl_rego_term *call)
{
	if (!bl_str_is(call->as.items[0]->as.name, "internal.template_string"))
		return;
	for (uint32_t i = 0; call->count > 1 && i < call->as.items[1]->count;
	     i++) {
		const struct bl_rego_term *part =
			call->as.items[1]->as.items[i];
		const struct bl_rego_term *term;

		if (part->kind != BL_TERM_SET_COMPREHENSION)
			continue;
		term = part->body->exprs[part->body->count - 1]->terms[0];
		if (bl_types_is_equation(checker, term) &&
		    term->as.items[2]->kind == BL_TERM_VAR &&
		    term->as.items[2]->slot >= 0)
			bl_types_unify_term(checker, term->as.items[2],
					    &bl_type_any, true);
	}
}

/* Operands were hoisted; nested: the call's value is wanted. */
void bl_types_check_call(struct checker *checker, struct bl_rego_term *call,
			 bool nested)
{
	struct bl_signature own;
	const struct bl_signature *signature;
	const struct bl_type *few[8];
	const struct bl_type **have;
	const struct bl_type *type;
	uint32_t given = call->count - 1;

	call->type = NULL;
	if (call->as.items[0]->kind == BL_TERM_VAR) {
		if (!check_members(checker, call))
			return;
		open_holes(checker, call);
	}
	signature = bl_types_signature(checker, call, &own);
	type = signature ? signature->type : NULL;
	if (!type || given < type->count || given > type->count + !nested)
		return;
	have = given <= BL_COUNT(few)
		       ? few
		       : bl_types_alloc(checker, given, sizeof(*have));
	for (uint32_t i = 0; have && i < given; i++)
		have[i] = bl_types_of(checker, call->as.items[i + 1]);
	for (uint32_t i = 0; have && i < given; i++) {
		const struct bl_type *wanted =
			i < type->count ? type->items[i] : type->rest;

		if (!bl_type_is_unknown(have[i]) &&
		    !bl_type_unifies(have[i], wanted)) {
			report_args(checker, call, have, signature, nested);
			return;
		}
		if (!bl_types_unify_term(checker, call->as.items[i + 1], wanted,
					 false)) {
			report_args(checker, call, NULL, signature, nested);
			return;
		}
	}
	if (nested)
		bl_types_give(checker, &call->type, type->rest);
}

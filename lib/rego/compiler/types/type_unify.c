/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of terms, and what makes two terms equal (docs/contracts/rego.md
 * "Types").
 */
#include "rego/compiler/types/check_types.h"

/* ---- places -------------------------------------------------------------- */

static bool is_comprehension(const struct bl_rego_term *term)
{
	return term->kind >= BL_TERM_ARRAY_COMPREHENSION;
}

const struct bl_type **bl_types_place(struct checker *checker,
				      struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR)
		return term->slot >= 0 ? &checker->vars[term->slot] : NULL;
	if (term->kind == BL_TERM_REF || term->kind == BL_TERM_CALL)
		return &term->type;
	return is_comprehension(term) ? &term->body->type : NULL;
}

void bl_types_give(struct checker *checker, const struct bl_type **place,
		   const struct bl_type *type)
{
	if (checker->closures) {
		struct given_type *given = bl_arena_room(
			checker->arena, checker->given, checker->given_count,
			&checker->given_cap, sizeof(*given));

		if (!given) {
			checker->compiler->failed_memory = true;
			return;
		}
		checker->given = given;
		given[checker->given_count++] =
			(struct given_type){ place, *place };
	}
	*place = type;
}

void bl_types_take_back(struct checker *checker, size_t given_count)
{
	while (checker->given_count > given_count) {
		const struct given_type *given =
			&checker->given[--checker->given_count];

		*given->place = given->before;
	}
}

/* ---- types of terms ------------------------------------------------------ */

static const struct bl_type *type_of_items(struct checker *checker,
					   const struct bl_rego_term *term)
{
	bool pairs = term->kind == BL_TERM_OBJECT;
	struct bl_type type = { .kind = pairs ? BL_TYPE_OBJECT
					      : BL_TYPE_ARRAY };

	type.items = bl_types_alloc(checker, term->count, sizeof(*type.items));
	if (pairs)
		type.keys = bl_types_alloc(checker, term->count,
					   sizeof(*type.keys));
	if (!type.items || (pairs && !type.keys))
		return &bl_type_any;
	for (uint32_t i = 0; i < term->count; i += pairs ? 2 : 1) {
		struct bl_rego_term *key = term->as.items[i];
		const struct bl_type *value =
			bl_types_of(checker, term->as.items[i + pairs]);

		if (!pairs || key->kind == BL_TERM_SCALAR) {
			if (pairs)
				type.keys[type.count] = key->as.value;
			type.items[type.count++] = value;
			continue;
		}
		type.key = bl_types_of(checker, key);
		type.rest = value;
	}
	return bl_type_make(checker->arena, &type);
}

static const struct bl_type *type_of_set(struct checker *checker,
					 const struct bl_rego_term *term)
{
	struct bl_type type = { .kind = BL_TYPE_SET };

	for (uint32_t i = 0; i < term->count; i++)
		type.rest = bl_type_or(checker->arena, type.rest,
				       bl_types_of(checker, term->as.items[i]));
	return bl_type_make(checker->arena, &type);
}

const struct bl_type *bl_types_of(struct checker *checker,
				  struct bl_rego_term *term)
{
	const struct bl_type **place = bl_types_place(checker, term);

	if (place)
		return *place;
	if (term->kind == BL_TERM_SCALAR)
		return bl_type_of_scalar(term->as.value);
	if (term->kind == BL_TERM_VAR)
		return bl_types_is_root(term) ? bl_types_of_ref(checker, term)
					      : &bl_type_any;
	return term->kind == BL_TERM_SET ? type_of_set(checker, term)
					 : type_of_items(checker, term);
}

/* ---- a term and a type --------------------------------------------------- */

static bool unify_array(struct checker *checker,
			const struct bl_rego_term *term,
			const struct bl_type *type, bool join)
{
	if (term->count != type->count && !type->rest)
		return false;
	for (uint32_t i = 0; i < term->count; i++)
		if (!bl_types_unify_term(checker, term->as.items[i],
					 i < type->count ? type->items[i]
							 : type->rest,
					 join))
			return false;
	return true;
}

static bool unify_object(struct checker *checker,
			 const struct bl_rego_term *term,
			 const struct bl_type *type, bool join)
{
	if (term->count / 2 != type->count && !type->rest)
		return false;
	for (uint32_t i = 0; i < term->count; i += 2) {
		const struct bl_rego_term *key = term->as.items[i];
		struct bl_rego_term *value = term->as.items[i + 1];
		const struct bl_type *wanted;

		/* Any member may be meant by a key that is not constant. */
		if (key->kind != BL_TERM_SCALAR) {
			bl_types_unify_term(checker, value, &bl_type_any, join);
			continue;
		}
		wanted = bl_type_select(checker->arena, type, key->as.value);
		if (!wanted ||
		    !bl_types_unify_term(checker, value, wanted, join))
			return false;
	}
	return true;
}

static bool unify_set(struct checker *checker, const struct bl_rego_term *term,
		      const struct bl_type *type, bool join)
{
	for (uint32_t i = 0; i < term->count; i++)
		if (!bl_types_unify_term(checker, term->as.items[i], type->rest,
					 join))
			return false;
	return true;
}

static bool unify_one_of(struct checker *checker, struct bl_rego_term *term,
			 const struct bl_type *type)
{
	bool found = !type->count;

	for (uint32_t i = 0; !type->count && i < term->count; i++)
		bl_types_unify_term(checker, term->as.items[i], type, true);
	for (size_t i = 0; i < type->count; i++)
		if (bl_types_unify_term(checker, term, type->items[i], true))
			found = true;
	return found;
}

static bool unify_place(struct checker *checker, const struct bl_type **place,
			const struct bl_type *type, bool join)
{
	if (!join && *place)
		return bl_type_unifies(*place, type);
	bl_types_give(checker, place, bl_type_or(checker->arena, *place, type));
	return true;
}

bool bl_types_unify_term(struct checker *checker, struct bl_rego_term *term,
			 const struct bl_type *type, bool join)
{
	const struct bl_type **place = bl_types_place(checker, term);

	if (place)
		return unify_place(checker, place, type, join);
	if (term->kind < BL_TERM_ARRAY || term->kind > BL_TERM_OBJECT)
		return bl_type_unifies(bl_types_of(checker, term), type);
	type = bl_type_open(type);
	if (!type)
		return false;
	if (type->kind == BL_TYPE_ANY)
		return unify_one_of(checker, term, type);
	if (term->kind == BL_TERM_ARRAY)
		return type->kind == BL_TYPE_ARRAY &&
		       unify_array(checker, term, type, join);
	if (term->kind == BL_TERM_SET)
		return type->kind == BL_TYPE_SET &&
		       unify_set(checker, term, type, join);
	return type->kind == BL_TYPE_OBJECT &&
	       unify_object(checker, term, type, join);
}

/* ---- two terms ----------------------------------------------------------- */

static bool is_variable(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_VAR && term->slot >= 0;
}

static bool unify_arrays(struct checker *checker, const struct bl_rego_term *a,
			 const struct bl_rego_term *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (!bl_types_unify(checker, a->as.items[i], b->as.items[i]))
			return false;
	return true;
}

static bool is_same_key(const struct bl_rego_term *a,
			const struct bl_rego_term *b)
{
	if (a->kind == BL_TERM_SCALAR && b->kind == BL_TERM_SCALAR)
		return bl_value_equal(a->as.value, b->as.value);
	return is_variable(a) && is_variable(b) && a->slot == b->slot;
}

static bool unify_objects(struct checker *checker, const struct bl_rego_term *a,
			  const struct bl_rego_term *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i += 2) {
		uint32_t j = 0;

		while (j < b->count &&
		       !is_same_key(a->as.items[i], b->as.items[j]))
			j += 2;
		if (j == b->count)
			return false;
	}
	for (uint32_t i = 0; i < a->count; i += 2)
		for (uint32_t j = 0; j < b->count; j += 2)
			if (is_same_key(a->as.items[i], b->as.items[j]) &&
			    !bl_types_unify(checker, a->as.items[i + 1],
					    b->as.items[j + 1]))
				return false;
	return true;
}

/* Does a variable stand there, to OPA?  So it does for calls. */
static bool is_open(const struct bl_rego_term *term)
{
	return is_variable(term) || term->kind == BL_TERM_CALL;
}

static bool is_composite(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_OBJECT;
}

/* The first is anything, and the second what that makes of it. */
static bool unify_as_any(struct checker *checker, struct bl_rego_term *a,
			 struct bl_rego_term *b)
{
	return bl_types_unify_term(checker, a, &bl_type_any, false) &&
	       bl_types_unify_term(checker, b, bl_types_of(checker, a), false);
}

/* Neither is known, and the first is an array or an object. */
static bool unify_composite(struct checker *checker, struct bl_rego_term *a,
			    struct bl_rego_term *b)
{
	if (is_open(b))
		return unify_as_any(checker, a, b);
	if (a->kind != b->kind)
		return false;
	return a->kind == BL_TERM_ARRAY ? unify_arrays(checker, a, b)
					: unify_objects(checker, a, b);
}

static bool unify_unknown(struct checker *checker, struct bl_rego_term *a,
			  struct bl_rego_term *b)
{
	const struct bl_type *left = bl_types_of(checker, a);
	const struct bl_type *right = bl_types_of(checker, b);

	if (is_composite(a))
		return unify_composite(checker, a, b);
	if (is_open(a) && is_composite(b))
		return unify_composite(checker, b, a);
	if (is_open(a) && is_open(b))
		return unify_as_any(checker, a, b);
	if (is_open(a) && b->kind == BL_TERM_REF)
		return bl_types_unify_term(checker, a, &bl_type_any, false);
	if (is_open(b) && a->kind == BL_TERM_REF)
		return bl_types_unify_term(checker, b, &bl_type_any, false);
	if (is_open(a) && !left && right)
		return bl_types_unify_term(checker, a, right, false);
	return is_open(b) && !right && left &&
	       bl_types_unify_term(checker, b, left, false);
}

bool bl_types_unify(struct checker *checker, struct bl_rego_term *a,
		    struct bl_rego_term *b)
{
	const struct bl_type *left = bl_types_of(checker, a);
	const struct bl_type *right = bl_types_of(checker, b);
	bool left_open = bl_type_is_unknown(left);
	bool right_open = bl_type_is_unknown(right);

	if (!left_open && !right_open)
		return bl_type_unifies(left, right);
	if (left_open && right_open)
		return unify_unknown(checker, a, b);
	return bl_types_unify_term(checker, left_open ? a : b,
				   left_open ? right : left, false);
}

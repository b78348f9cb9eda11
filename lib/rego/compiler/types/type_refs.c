/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of references, and the values of their brackets
 * (docs/contracts/rego.md "Types").
 */
#include "rego/compiler/types/check_types.h"

bool bl_types_is_root(const struct bl_rego_term *term)
{
	return bl_term_is_root(term, "data") || bl_term_is_root(term, "input");
}

static const struct bl_rego_term *head_of(const struct bl_rego_term *ref)
{
	return ref->kind == BL_TERM_REF ? ref->as.items[0] : ref;
}

static uint32_t count_of(const struct bl_rego_term *ref)
{
	return ref->kind == BL_TERM_REF ? ref->count : 1;
}

/* ---- what is behind ------------------------------------------------------ */

static const struct bl_type *select_ref(struct checker *checker,
					const struct bl_type *type,
					const struct bl_rego_term *ref,
					uint32_t at)
{
	for (; type && at < count_of(ref); at++) {
		const struct bl_rego_term *part = ref->as.items[at];

		if (part->kind == BL_TERM_SCALAR)
			type = bl_type_select(checker->arena, type,
					      part->as.value);
		else if (bl_type_is_empty(type))
			return &bl_type_any;
		else
			type = bl_type_values(checker->arena, type);
	}
	return type;
}

/* False when nothing is known here, and the next layer has to tell. */
static bool follow(struct checker *checker, struct place place,
		   const struct bl_rego_term *ref,
		   const struct bl_type **out_type)
{
	for (uint32_t at = 1; at < count_of(ref); at++) {
		const struct bl_rego_term *part = ref->as.items[at];
		const struct bl_type *type = bl_type_place_type(checker, place);
		struct place child = { NULL, NULL };

		if (part->kind == BL_TERM_SCALAR)
			child = bl_type_place_child(checker, place,
						    part->as.value);
		if (!bl_type_place_exists(child)) {
			if (!type && part->kind == BL_TERM_SCALAR)
				return false;
			*out_type = select_ref(
				checker, bl_type_place_extent(checker, place),
				ref, at);
			return true;
		}
		place = child;
	}
	*out_type = bl_type_place_extent(checker, place);
	return true;
}

const struct bl_type *bl_types_of_ref(struct checker *checker,
				      struct bl_rego_term *ref)
{
	const struct bl_rego_term *head = head_of(ref);
	const struct layer *layer = checker->layers;
	const struct bl_type *type = NULL;

	if (!bl_types_is_root(head))
		return select_ref(checker,
				  bl_types_of(checker, ref->as.items[0]), ref,
				  1);
	for (;; layer = layer->outer) {
		struct place place = bl_type_place_root(checker, layer, head);

		if (bl_type_place_exists(place) &&
		    follow(checker, place, ref, &type))
			return type;
		if (!layer)
			return &bl_type_any;
	}
}

/* ---- what can be in brackets --------------------------------------------- */

/* A name, or something that OPA has put a name in place of. */
static bool is_name(const struct bl_rego_term *part)
{
	return part->kind != BL_TERM_SCALAR && part->kind != BL_TERM_ARRAY &&
	       part->kind != BL_TERM_OBJECT && part->kind != BL_TERM_SET;
}

/* A name in brackets: is it of the type of keys?  It is so from now on. */
static bool match_name(struct checker *checker, struct bl_rego_term *part,
		       const struct bl_type *keys)
{
	const struct bl_type **place = bl_types_place(checker, part);
	const struct bl_type *have = bl_types_of(checker, part);

	if (have)
		return bl_type_unifies(have, keys);
	if (place)
		bl_types_give(checker, place, keys);
	return true;
}

/* Of something empty: no constant is in it, and gone through is nothing. */
static void check_empty(struct checker *checker, struct bl_rego_term *ref,
			uint32_t at, const struct bl_type *type)
{
	struct bl_rego_term *part = ref->as.items[at];
	const struct bl_type *keys = bl_type_keys(checker->arena, type);
	const struct bl_type *have = bl_types_of(checker, part);

	if (part->kind == BL_TERM_SCALAR)
		bl_types_report_part(checker, ref, at, type, NULL);
	else if (is_name(part) && !have)
		match_name(checker, part, &bl_type_any);
	else if (is_name(part) && keys && !bl_type_unifies(have, keys))
		bl_types_report_part(checker, ref, at, type, have);
}

/* The parts from `at` on, behind something of that type. */
static void check_parts(struct checker *checker, struct bl_rego_term *ref,
			uint32_t at, const struct bl_type *type)
{
	for (; at < ref->count; at++) {
		struct bl_rego_term *part = ref->as.items[at];
		const struct bl_type *keys;
		const struct bl_type *found;

		if (bl_type_is_any(type) && part->kind == BL_TERM_SCALAR)
			continue;
		if (bl_type_is_empty(type)) {
			check_empty(checker, ref, at, type);
			return;
		}
		keys = bl_type_keys(checker->arena, type);
		if (!keys) {
			bl_types_report_no_parts(checker, ref, at, type);
			return;
		}
		if (part->kind == BL_TERM_SCALAR) {
			found = bl_type_select(checker->arena, type,
					       part->as.value);
			if (!found) {
				bl_types_report_part(checker, ref, at, type,
						     NULL);
				return;
			}
			type = found;
			continue;
		}
		if (is_name(part) ? !match_name(checker, part, keys)
				  : !bl_types_unify_term(checker, part, keys,
							 false)) {
			bl_types_report_part(checker, ref, at, type,
					     bl_types_of(checker, part));
			return;
		}
		type = bl_type_values(checker->arena, type);
	}
}

/* As follow; false: the next layer has to tell. */
static bool check_below(struct checker *checker, struct place place,
			struct bl_rego_term *ref)
{
	for (uint32_t at = 1; at < ref->count; at++) {
		struct bl_rego_term *part = ref->as.items[at];
		const struct bl_type *type = bl_type_place_type(checker, place);
		struct place child = { NULL, NULL };

		if (type) {
			check_parts(checker, ref, at, type);
			return true;
		}
		if (part->kind == BL_TERM_SCALAR)
			child = bl_type_place_child(checker, place,
						    part->as.value);
		else
			type = bl_type_place_extent(checker, place);
		/* The names of packages and of the rules in them are texts. */
		if ((at <= 2 && !is_name(part) &&
		     !(part->kind == BL_TERM_SCALAR &&
		       bl_value_is(part->as.value, BL_KIND_STRING))) ||
		    (is_name(part) &&
		     !match_name(checker, part,
				 bl_type_keys(checker->arena, type)))) {
			bl_types_report_part(
				checker, ref, at,
				bl_type_place_extent(checker, place),
				bl_types_of(checker, part));
			return true;
		}
		if (!bl_type_place_exists(child))
			return false;
		place = child;
	}
	return true;
}

static void check_rooted(struct checker *checker, struct bl_rego_term *ref)
{
	const struct layer *layer = checker->layers;

	for (;; layer = layer->outer) {
		struct place place =
			bl_type_place_root(checker, layer, ref->as.items[0]);

		if (bl_type_place_exists(place) &&
		    check_below(checker, place, ref))
			return;
		if (!layer)
			break;
	}
	check_parts(checker, ref, 1, &bl_type_any);
}

void bl_types_check_ref(struct checker *checker, struct bl_rego_term *ref)
{
	struct bl_rego_term *head = ref->as.items[0];
	const struct bl_type **place = bl_types_place(checker, head);

	if (bl_types_is_root(head)) {
		const struct bl_type *type = bl_types_of_ref(checker, ref);

		if (type && type->kind == BL_TYPE_FUNCTION)
			bl_types_report_no_parts(checker, ref, ref->count,
						 type);
		else
			check_rooted(checker, ref);
		return;
	}
	if (place && !*place)
		bl_types_give(checker, place, &bl_type_any);
	check_parts(checker, ref, 1,
		    head->kind == BL_TERM_SCALAR ? &bl_type_any
						 : bl_types_of(checker, head));
}

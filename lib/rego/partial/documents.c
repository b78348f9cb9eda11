/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: references.  One to data goes down the tree of packages
 * and rules, and on in the values of data or of rules; where a part is not known,
 * each key is tried.
 */
#include "rego/partial/private.h"

/* ---- in values ---------------------------------------------------------------- */

struct walk {
	struct bl_partial_next next;
	const struct bl_partial_ref *asked;
	uint32_t at;
	struct bl_rego_term *value; /* of the parts before at */
	const struct bl_node *node; /* or the place in the tree */
};

/* As far as it is known now. */
static bool save_ref(struct bl_partial *pe, const struct bl_partial_ref *asked)
{
	struct bl_rego_term *ref = bl_partial_plug(pe, asked->ref);

	return ref &&
	       bl_partial_save_equality(pe, ref, asked->other, asked->next);
}

/* The item at a key; NULL: nothing is there (or memory is out, see status). */
static struct bl_rego_term *item_at(struct bl_partial *pe,
				    struct bl_rego_term *value,
				    const struct bl_rego_term *key)
{
	int64_t index;
	struct bl_value found;

	if (value->kind != BL_TERM_SCALAR) {
		for (size_t i = 0; i < bl_partial_item_count(value); i++)
			if (bl_partial_equal(
				    bl_partial_deref(
					    pe, bl_partial_key(pe, value, i)),
				    key))
				return bl_partial_item(pe, value, i);
		return NULL;
	}
	found = value->as.value;
	if (bl_partial_is_array(value)) {
		if (!bl_value_is(key->as.value, BL_KIND_NUMBER) ||
		    !bl_number_is_plain(key->as.value, &index) || index < 0 ||
		    (uint64_t)index >= bl_value_count(found))
			return NULL;
		return bl_partial_item(pe, value, (size_t)index);
	}
	if (bl_partial_is_object(value))
		found = bl_object_find_value(found, key->as.value);
	else if (bl_value_is(found, BL_KIND_SET) &&
		 bl_set_has(found, key->as.value))
		found = key->as.value;
	else
		return NULL;
	return bl_value_is_defined(found) ? bl_partial_constant(pe, found)
					  : NULL;
}

/* Part `at` is a constant. */
static bool go_in(struct bl_partial *pe, const struct bl_partial_ref *asked,
		  uint32_t at, struct bl_rego_term *value)
{
	struct bl_rego_term *key =
		bl_partial_deref(pe, asked->ref->as.items[at]);
	struct bl_rego_term *item;

	key = bl_partial_plug(pe, key);
	if (!key)
		return false;
	if (bl_partial_covers(pe, asked->ref, at + 1))
		return save_ref(pe, asked);
	item = item_at(pe, value, key);
	return item ? bl_partial_unify_value(pe, asked, at + 1, item)
		    : !pe->status;
}

static bool key_found(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct walk *one = (const struct walk *)next;

	if (bl_partial_covers(pe, one->asked->ref, one->at + 1))
		return save_ref(pe, one->asked);
	return bl_partial_unify_value(pe, one->asked, one->at + 1, one->value);
}

static bool unknown_key_found(struct bl_partial *pe,
			      const struct bl_partial_next *next)
{
	const struct walk *one = (const struct walk *)next;

	return save_ref(pe, one->asked);
}

/* Keys that only something unknown may have. */
static bool each_unknown_key(struct bl_partial *pe,
			     const struct bl_partial_ref *asked, uint32_t at,
			     struct bl_rego_term *value)
{
	struct walk one = { { unknown_key_found }, asked, at, value, NULL };

	for (size_t i = 0; i < pe->unknown_count; i++) {
		struct bl_rego_term *key;
		struct bl_rego_term *prefix = pe->unknowns[i];

		if (prefix->count <= at ||
		    !bl_partial_may_be_unknown(pe, asked->ref))
			continue;
		key = prefix->as.items[at];
		if (!item_at(pe, value, key) &&
		    !bl_partial_unify(pe, key, asked->ref->as.items[at],
				      &one.next))
			return false;
	}
	return !pe->status;
}

static bool each_key(struct bl_partial *pe, const struct bl_partial_ref *asked,
		     uint32_t at, struct bl_rego_term *value)
{
	for (size_t i = 0; i < bl_partial_item_count(value); i++) {
		struct walk one = { { key_found },
				    asked,
				    at,
				    bl_partial_item(pe, value, i),
				    NULL };
		struct bl_rego_term *key = bl_partial_key(pe, value, i);

		if (!one.value || !key ||
		    !bl_partial_unify(pe, key, asked->ref->as.items[at],
				      &one.next))
			return false;
	}
	return each_unknown_key(pe, asked, at, value);
}

struct replaced {
	struct bl_partial_next next;
	const struct bl_partial_ref *asked;
	uint32_t at;
	struct bl_rego_term *name;
};

/* "name = value" is saved: the rest is of the name. */
static bool go_on(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct replaced *one = (const struct replaced *)next;
	const struct bl_rego_term *ref = one->asked->ref;
	uint32_t rest = ref->count - one->at;
	struct bl_rego_term *of_name =
		bl_partial_term(pe, BL_TERM_REF, rest + 1);

	if (!of_name)
		return false;
	of_name->as.items[0] = one->name;
	memcpy(of_name->as.items + 1, ref->as.items + one->at,
	       rest * sizeof(*ref->as.items));
	return bl_partial_unify(pe, of_name, one->asked->other,
				one->asked->next);
}

bool bl_partial_unify_value(struct bl_partial *pe,
			    const struct bl_partial_ref *asked, uint32_t at,
			    struct bl_rego_term *value)
{
	struct bl_rego_term *part;
	struct bl_rego_term *known;

	value = bl_partial_deref(pe, value);
	if (at == asked->ref->count)
		return asked->is_base
			       ? bl_partial_unify(pe, asked->other, value,
						  asked->next)
			       : bl_partial_unify(pe, value, asked->other,
						  asked->next);
	if (bl_partial_is_unknown(pe, value)) {
		struct replaced one = {
			{ go_on }, asked, at, bl_partial_fresh(pe)
		};

		return one.name &&
		       bl_partial_unify(pe, value, one.name, &one.next);
	}
	part = bl_partial_deref(pe, asked->ref->as.items[at]);
	known = bl_partial_plug(pe, part);
	if (!known)
		return false;
	return known->kind == BL_TERM_SCALAR ? go_in(pe, asked, at, value)
					     : each_key(pe, asked, at, value);
}

/* ---- in the tree of documents --------------------------------------------------- */

static bool go_down(struct bl_partial *pe, const struct bl_partial_ref *asked,
		    uint32_t at, const struct bl_node *node);

/* Part `at` is the constant key. */
static bool go_down_key(struct bl_partial *pe,
			const struct bl_partial_ref *asked, uint32_t at,
			const struct bl_node *node, struct bl_value key)
{
	const struct bl_node *child = bl_node_find_child(node, key);
	struct bl_partial_ref in_data = *asked;
	struct bl_rego_term *ref;
	struct bl_rego_term *value;
	bool ok;

	if (child && (child->rules || child->default_rule))
		return bl_partial_unify_rules(pe, asked, at, child);
	if (child)
		return go_down(pe, asked, at + 1, child);
	if (bl_partial_covers(pe, asked->ref, at + 1))
		return save_ref(pe, asked);
	ref = bl_partial_plug(pe, asked->ref);
	value = ref ? bl_partial_known_value(pe, ref, at + 1, &ok) : NULL;
	if (!value)
		return ref && ok;
	in_data.is_base = true;
	return bl_partial_unify_value(pe, &in_data, at + 1, value);
}

static bool child_found(struct bl_partial *pe,
			const struct bl_partial_next *next)
{
	const struct walk *one = (const struct walk *)next;

	return go_down_key(pe, one->asked, one->at, one->node,
			   one->value->as.value);
}

/* Base data at a node of the tree. */
static struct bl_value base_at(const struct bl_partial *pe,
			       const struct bl_node *node)
{
	if (!node->parent)
		return pe->options->run.data;
	return bl_object_find_value(base_at(pe, node->parent), node->key);
}

/* Each key of data, and each of rules that data does not have. */
static bool each_child(struct bl_partial *pe,
		       const struct bl_partial_ref *asked, uint32_t at,
		       const struct bl_node *node)
{
	struct bl_value base = base_at(pe, node);
	struct bl_rego_term *part = asked->ref->as.items[at];
	struct walk one = { { child_found }, asked, at, NULL, node };

	if (!bl_value_is(base, BL_KIND_OBJECT))
		base = bl_value_undefined();
	for (size_t i = 0;
	     bl_value_is_defined(base) && i < bl_value_count(base); i++) {
		one.value = bl_partial_constant(
			pe,
			bl_object_key(base, bl_object_sorted_index(base, i)));
		if (!one.value ||
		    !bl_partial_unify(pe, one.value, part, &one.next))
			return false;
	}
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling) {
		if (bl_value_is_defined(base) &&
		    bl_value_is_defined(bl_object_find_value(base, child->key)))
			continue;
		one.value = bl_partial_constant(pe, child->key);
		if (!one.value ||
		    !bl_partial_unify(pe, one.value, part, &one.next))
			return false;
	}
	return true;
}

static bool go_down(struct bl_partial *pe, const struct bl_partial_ref *asked,
		    uint32_t at, const struct bl_node *node)
{
	struct bl_rego_term *ref = bl_partial_plug(pe, asked->ref);
	struct bl_rego_term prefix;
	bool ok;

	if (!ref)
		return false;
	if (at == ref->count) {
		struct bl_rego_term *value;

		if (bl_partial_term_depends(pe, ref))
			return save_ref(pe, asked);
		value = bl_partial_known_value(pe, ref, at, &ok);
		return value ? bl_partial_unify(pe, asked->other, value,
						asked->next)
			     : ok;
	}
	if (ref->as.items[at]->kind == BL_TERM_SCALAR)
		return go_down_key(pe, asked, at, node,
				   ref->as.items[at]->as.value);
	prefix = *ref;
	prefix.count = at;
	if (bl_partial_is_disabled(pe, ref, at, true) ||
	    bl_partial_is_unknown(pe, &prefix))
		return save_ref(pe, asked);
	return each_child(pe, asked, at, node);
}

bool bl_partial_unify_ref(struct bl_partial *pe, struct bl_rego_term *ref,
			  struct bl_rego_term *other,
			  const struct bl_partial_next *next)
{
	const struct bl_partial_ref asked = { ref, other, next, false };
	struct bl_rego_term *head = bl_partial_deref(pe, ref->as.items[0]);
	bool ok;

	if (bl_term_is_root(head, "data"))
		return go_down(pe, &asked, 1, pe->compiler.root);
	if (bl_term_is_root(head, "input")) {
		head = bl_partial_known_value(pe, ref, 1, &ok);
		if (!head)
			return ok;
	}
	if (bl_partial_is_var(head))
		return true;
	return bl_partial_unify_value(pe, &asked, 1, head);
}

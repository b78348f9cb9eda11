/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types below data and input: those of rules, and the effect of "with"
 * (docs/contracts/rego.md "Types").
 */
#include "rego/compiler/types/check_types.h"

/* ---- places -------------------------------------------------------------- */

static const struct place nowhere = { NULL, NULL };

bool bl_type_place_exists(struct place place)
{
	return place.layer || place.node;
}

const struct bl_type *bl_type_place_type(const struct checker *checker,
					 struct place place)
{
	return place.layer ? place.layer->type
			   : checker->results[place.node->index];
}

/* The first of siblings below which something is known. */
static struct place first_present(const struct checker *checker,
				  const struct bl_node *node)
{
	while (node && !checker->present[node->index])
		node = node->next_sibling;
	return (struct place){ NULL, node };
}

struct place bl_type_place_child(const struct checker *checker,
				 struct place place, struct bl_value key)
{
	const struct bl_node *node;

	if (place.layer) {
		const struct layer_node *at = place.layer->first_child;

		while (at && !bl_value_equal(at->key, key))
			at = at->next_sibling;
		return (struct place){ at, NULL };
	}
	node = bl_node_find_child(place.node, key);
	return node && checker->present[node->index]
		       ? (struct place){ NULL, node }
		       : nowhere;
}

struct place bl_type_place_first(const struct checker *checker,
				 struct place place)
{
	return place.layer ? (struct place){ place.layer->first_child, NULL }
			   : first_present(checker, place.node->first_child);
}

struct place bl_type_place_next(const struct checker *checker,
				struct place place)
{
	return place.layer ? (struct place){ place.layer->next_sibling, NULL }
			   : first_present(checker, place.node->next_sibling);
}

struct place bl_type_place_root(const struct checker *checker,
				const struct layer *layer,
				const struct bl_rego_term *root)
{
	const struct bl_node *top = checker->compiler->root;
	bool data = bl_term_is_root(root, "data");

	if (layer)
		return (struct place){ data ? layer->data : layer->input,
				       NULL };
	return data && checker->present[top->index]
		       ? (struct place){ NULL, top }
		       : nowhere;
}

static struct bl_value key_of(struct place place)
{
	return place.layer ? place.layer->key : place.node->key;
}

const struct bl_type *bl_type_place_extent(struct checker *checker,
					   struct place place)
{
	const struct bl_type *type = bl_type_place_type(checker, place);
	struct bl_type made = { .kind = BL_TYPE_OBJECT,
				.key = &bl_type_string,
				.rest = &bl_type_any };
	size_t count = 0;

	if (type)
		return type;
	for (struct place at = bl_type_place_first(checker, place);
	     bl_type_place_exists(at); at = bl_type_place_next(checker, at))
		count++;
	if (count > BL_TYPE_MAX_SIZE)
		return &bl_type_any;
	made.items = bl_types_alloc(checker, count, sizeof(*made.items));
	made.keys = bl_types_alloc(checker, count, sizeof(*made.keys));
	if (!made.items || !made.keys)
		return &bl_type_any;
	for (struct place at = bl_type_place_first(checker, place);
	     bl_type_place_exists(at); at = bl_type_place_next(checker, at)) {
		made.keys[made.count] = key_of(at);
		made.items[made.count++] = bl_type_place_extent(checker, at);
	}
	return bl_type_make(checker->arena, &made);
}

/* ---- what rules give ----------------------------------------------------- */

/* An object that has that at the path from node `from` to node `to`, too. */
static const struct bl_type *add_at(struct checker *checker,
				    const struct bl_type *object,
				    const struct bl_node *from,
				    const struct bl_node *to,
				    const struct bl_type *type)
{
	struct bl_type made = *object;

	/* From the end of the path inwards: one object around the other. */
	for (; to->parent != from; to = to->parent)
		type = bl_type_make(
			checker->arena,
			&(struct bl_type){ .kind = BL_TYPE_OBJECT,
					   .key = bl_type_of_scalar(to->key),
					   .rest = type });
	made.key = bl_type_or(checker->arena, object->key,
			      bl_type_of_scalar(to->key));
	made.rest = bl_type_or(checker->arena, object->rest, type);
	return bl_type_make(checker->arena, &made);
}

/* The types below `at` become members of the object at node. */
static void take_in(struct checker *checker, const struct bl_node *node,
		    const struct bl_node *at)
{
	const struct bl_type **object = &checker->results[node->index];

	for (const struct bl_node *child = at->first_child; child;
	     child = child->next_sibling) {
		const struct bl_type *type = checker->results[child->index];

		if (!type)
			take_in(checker, node, child);
		else if ((*object)->kind == BL_TYPE_OBJECT)
			*object = add_at(checker, *object, node, child, type);
	}
}

void bl_types_insert(struct checker *checker, const struct bl_node *node,
		     const struct bl_type *type)
{
	const struct bl_type **result = &checker->results[node->index];

	for (const struct bl_node *at = node->parent; at; at = at->parent) {
		const struct bl_type **above = &checker->results[at->index];

		if (*above && (*above)->kind == BL_TYPE_OBJECT)
			*above = add_at(checker, *above, at, node, type);
	}
	*result = bl_type_merge(checker->arena, *result, type);
	if (type->kind == BL_TYPE_OBJECT && node->first_child)
		take_in(checker, node, node);
	for (const struct bl_node *at = node;
	     at && !checker->present[at->index]; at = at->parent)
		checker->present[at->index] = true;
}

/* ---- with ---------------------------------------------------------------- */

struct layer_node *bl_types_step_to(struct checker *checker,
				    struct layer_node **first,
				    struct bl_value key)
{
	struct layer_node *at = *first;

	while (at && !bl_value_equal(at->key, key))
		at = at->next_sibling;
	if (at)
		return at;
	at = bl_types_alloc(checker, 1, sizeof(*at));
	if (!at)
		return NULL;
	at->key = key;
	at->next_sibling = *first;
	*first = at;
	return at;
}

/* The node that the constant parts of a target lead to; NULL: none. */
static const struct bl_node *target_node(const struct checker *checker,
					 const struct bl_rego_term *target)
{
	const struct bl_node *node = checker->compiler->root;
	uint32_t count = target->kind == BL_TERM_REF ? target->count : 1;

	if (!bl_term_is_root(count > 1 || target->kind == BL_TERM_REF
				     ? target->as.items[0]
				     : target,
			     "data"))
		return NULL;
	for (uint32_t i = 1; node && i < count; i++) {
		if (target->as.items[i]->kind != BL_TERM_SCALAR)
			break;
		node = bl_node_find_child(node, target->as.items[i]->as.value);
	}
	return node;
}

static void mark_all(bool *marks, const struct bl_node *node)
{
	marks[node->index] = true;
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		mark_all(marks, child);
}

/* Marks every node that needs a marked one. */
static void mark_dependents(const struct checker *checker, bool *marks)
{
	const struct bl_compiler *compiler = checker->compiler;

	/* Those that nothing needs come first in order. */
	for (uint32_t i = compiler->node_count; compiler->needs && i > 0; i--) {
		uint32_t index = compiler->order[i - 1]->index;

		for (const struct bl_need *need = compiler->needs[index];
		     need && !marks[index]; need = need->next)
			marks[index] = marks[need->to];
	}
}

/* A copy of the marked nodes with rules below node, of any type. */
static bool copy_marked(struct checker *checker, const bool *marks,
			const struct bl_node *node, struct layer_node *copy)
{
	bool found = marks[node->index] && node->kind != BL_RULE_NONE;

	copy->key = node->key;
	copy->type = found ? &bl_type_any : NULL;
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling) {
		struct layer_node *below =
			bl_types_alloc(checker, 1, sizeof(*below));

		if (!below || !copy_marked(checker, marks, child, below))
			continue;
		below->next_sibling = copy->first_child;
		copy->first_child = below;
		found = true;
	}
	return found;
}

/* The names of any type while node is replaced; NULL: nothing. */
static struct layer_node *relax(struct checker *checker,
				const struct bl_node *node)
{
	struct relaxed *known = checker->relaxed;
	bool *marks;

	while (known && known->node != node)
		known = known->next;
	if (known)
		return known->data;
	known = bl_types_alloc(checker, 1, sizeof(*known));
	marks = bl_types_alloc(checker, checker->compiler->node_count,
			       sizeof(*marks));
	if (!known || !marks)
		return NULL;
	*known = (struct relaxed){ node, NULL, checker->relaxed };
	checker->relaxed = known;
	mark_all(marks, node);
	mark_dependents(checker, marks);
	/* That another function stands in changes nothing for its callers. */
	if (node->kind == BL_RULE_FUNCTION)
		marks[node->index] = false;
	known->data = bl_types_alloc(checker, 1, sizeof(*known->data));
	if (known->data &&
	    !copy_marked(checker, marks, checker->compiler->root, known->data))
		known->data = NULL;
	return known->data;
}

bool bl_types_push(struct checker *checker, struct layer_node *data,
		   struct layer_node *input)
{
	struct layer *layer = bl_types_alloc(checker, 1, sizeof(*layer));

	if (!layer)
		return false;
	*layer = (struct layer){ data, input, checker->layers };
	checker->layers = layer;
	return true;
}

/* The type of target while value stands there. */
static const struct bl_type *replaced_type(struct checker *checker,
					   struct bl_rego_term *target,
					   struct bl_rego_term *value)
{
	const struct bl_type *type = bl_types_of_ref(checker, target);
	const struct bl_type *other = bl_types_of(checker, value);

	for (uint32_t i = 1; target->kind == BL_TERM_REF && i < target->count;
	     i++)
		if (target->as.items[i]->kind != BL_TERM_SCALAR)
			return &bl_type_any;
	type = type && other ? bl_type_or(checker->arena, type, other) : NULL;
	return type ? type : &bl_type_any;
}

static bool put_target(struct checker *checker, struct layer_node **data,
		       struct layer_node **input,
		       const struct bl_rego_with *with)
{
	const struct bl_rego_term *target = with->target;
	bool is_ref = target->kind == BL_TERM_REF;
	const struct bl_rego_term *head = is_ref ? target->as.items[0] : target;
	struct layer_node **root = bl_term_is_root(head, "data") ? data : input;
	struct layer_node *at =
		bl_types_step_to(checker, root, bl_value_null());

	for (uint32_t i = 1; at && is_ref && i < target->count &&
			     target->as.items[i]->kind == BL_TERM_SCALAR;
	     i++)
		at = bl_types_step_to(checker, &at->first_child,
				      target->as.items[i]->as.value);
	if (at)
		at->type = replaced_type(checker, with->target, with->value);
	return at != NULL;
}

/* A builtin, or a function of the policies. */
static bool is_function(const struct checker *checker,
			const struct bl_rego_term *target)
{
	const struct bl_node *node = target_node(checker, target);
	const struct bl_rego_term *head =
		target->kind == BL_TERM_REF ? target->as.items[0] : target;

	return !bl_types_is_root(head) ||
	       (node && node->kind == BL_RULE_FUNCTION);
}

bool bl_types_push_withs(struct checker *checker,
			 const struct bl_rego_expr *expr)
{
	const struct layer *outer = checker->layers;
	struct layer_node *data = NULL;
	struct layer_node *input = NULL;

	for (uint32_t i = 0; i < expr->with_count; i++) {
		const struct bl_rego_with *with = &expr->withs[i];

		if (!is_function(checker, with->target) &&
		    !put_target(checker, &data, &input, with))
			return false;
	}
	for (uint32_t i = 0; i < expr->with_count; i++) {
		const struct bl_node *node =
			target_node(checker, expr->withs[i].target);
		struct layer_node *relaxed = node ? relax(checker, node) : NULL;

		if (relaxed && !bl_types_push(checker, relaxed, NULL)) {
			checker->layers = outer;
			return false;
		}
	}
	return (!data && !input) || bl_types_push(checker, data, input);
}

bool bl_types_is_replaced(struct checker *checker, const struct bl_node *node)
{
	if (!checker->compiler->with_targets)
		return false;
	if (!checker->replaced) {
		checker->replaced = bl_types_alloc(
			checker, checker->compiler->node_count, sizeof(bool));
		for (const struct bl_with_target *at =
			     checker->compiler->with_targets;
		     checker->replaced && at; at = at->next) {
			const struct bl_node *target =
				target_node(checker, at->target);

			if (target)
				mark_all(checker->replaced, target);
		}
	}
	return checker->replaced && checker->replaced[node->index];
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of which one must occur wherever a pattern matches. */
#include "text/ast.h"

enum {
	TEXTS_MAX = 32,
	DEPTH_MAX = 24, /* deeper down nothing is looked for */
};

/* One of the texts must occur; at the beginning when `leads`. */
struct required {
	struct bl_str texts[TEXTS_MAX];
	uint32_t count;  /* 0: nothing is known */
	size_t shortest; /* of texts, in bytes */
	bool leads;
};

struct finder {
	struct bl_arena *arena;
	uint32_t depth;
	bool failed;
};

static void find(struct finder *finder, const struct node *node,
		 struct required *out);

static void keep_better(struct required *best, const struct required *other)
{
	if (other->count && other->shortest > best->shortest)
		*best = *other;
}

static bool is_plain(const struct node *node)
{
	return node->kind == NODE_CHAR && node->value != BL_REPLACEMENT_CHAR;
}

/* The text of the plain characters from `last` back to behind `stop`. */
static void find_run(struct finder *finder, const struct node *last,
		     const struct node *stop, struct required *out)
{
	char encoded[BL_UTF8_MAX_BYTES];
	size_t bytes = 0;
	char *text;

	for (const struct node *node = last; node != stop; node = node->prev)
		bytes += bl_utf8_encode(node->value, encoded);
	text = bl_arena_alloc(finder->arena, bytes + 1);
	if (!text) {
		finder->failed = true;
		return;
	}
	out->texts[0] = (struct bl_str){ text, bytes };
	out->count = 1;
	out->shortest = bytes;
	out->leads = stop && !stop->prev && stop->kind == NODE_ASSERT &&
		     stop->value == AT_TEXT_BEGIN;
	for (const struct node *node = last; node != stop; node = node->prev) {
		size_t len = bl_utf8_encode(node->value, encoded);

		bytes -= len;
		memcpy(text + bytes, encoded, len);
	}
}

/*
 * The text that the piece of a sequence that ends with node requires: a run of plain
 * characters, or one item.  Gives the item before the piece.
 */
static const struct node *
find_piece(struct finder *finder, const struct node *node, struct required *out)
{
	const struct node *stop = node;

	while (stop && is_plain(stop))
		stop = stop->prev;
	if (stop != node) {
		find_run(finder, node, stop, out);
		return stop;
	}
	find(finder, node, out);
	out->leads = false;
	return node->prev;
}

/* The best of what its pieces need. */
static void find_in_sequence(struct finder *finder, const struct node *cat,
			     struct required *best)
{
	const struct node *node = cat->last;

	while (node && !finder->failed) {
		struct required one = { 0 };

		node = find_piece(finder, node, &one);
		keep_better(best, &one);
	}
}

/* The text that one of the alternatives requires: known only when each needs something. */
static void find_in_alternatives(struct finder *finder, const struct node *alt,
				 struct required *out)
{
	struct required all = { .shortest = SIZE_MAX, .leads = true };

	for (const struct node *node = alt->last; node; node = node->prev) {
		struct required one = { 0 };

		find(finder, node, &one);
		if (!one.count || all.count + one.count > TEXTS_MAX)
			return;
		memcpy(all.texts + all.count, one.texts,
		       one.count * sizeof(one.texts[0]));
		all.count += one.count;
		all.leads &= one.leads;
		if (one.shortest < all.shortest)
			all.shortest = one.shortest;
	}
	if (all.count)
		*out = all;
}

static void find_in_node(struct finder *finder, const struct node *node,
			 struct required *out)
{
	switch ((enum node_kind)node->kind) {
	case NODE_CHAR:
		if (is_plain(node))
			find_run(finder, node, node->prev, out);
		out->leads = false;
		return;
	case NODE_GROUP:
		find(finder, node->last, out);
		return;
	case NODE_REPEAT:
		if (node->min)
			find(finder, node->last, out);
		out->leads = false;
		return;
	case NODE_CAT:
		find_in_sequence(finder, node, out);
		return;
	case NODE_ALT:
		find_in_alternatives(finder, node, out);
		return;
	case NODE_EMPTY:
	case NODE_SET:
	case NODE_ASSERT:
	case NODE_LOOK:
	case NODE_BACKREF:
		return;
	}
}

static void find(struct finder *finder, const struct node *node,
		 struct required *out)
{
	if (finder->depth >= DEPTH_MAX)
		return;
	finder->depth++;
	find_in_node(finder, node, out);
	finder->depth--;
}

/* Goes into groups: what stands in one has to occur as a whole. */
static const struct node *unwrap(const struct node *node)
{
	while (node->kind == NODE_GROUP ||
	       (node->kind == NODE_CAT && node->last && !node->last->prev))
		node = node->last;
	return node;
}

struct visitor {
	void (*visit)(void *context, uint32_t choice, struct bl_str text,
		      bool leads);
	void *context;
	uint32_t choice;
};

static void give(struct visitor *visitor, const struct required *required)
{
	for (uint32_t i = 0; i < required->count; i++)
		visitor->visit(visitor->context, visitor->choice,
			       required->texts[i], required->leads);
	visitor->choice += required->count > 0;
}

/* Each piece of a sequence is a choice. */
static void give_sequence(struct finder *finder, struct visitor *visitor,
			  const struct node *cat)
{
	const struct node *node = cat->last;

	while (node && visitor->choice < BL_REGEX_MAX_CHOICES) {
		struct required one = { 0 };

		node = find_piece(finder, node, &one);
		if (finder->failed)
			return;
		give(visitor, &one);
	}
}

bool bl_regex_each_required(struct bl_arena *arena, struct bl_str pattern,
			    enum bl_regex_dialect dialect,
			    void (*visit)(void *context, uint32_t choice,
					  struct bl_str text, bool leads),
			    void *context)
{
	struct finder finder = { .arena = arena };
	struct visitor visitor = { visit, context, 0 };
	struct required required = { 0 };
	struct parser parser;
	const struct node *tree =
		regex_parse(&parser, arena, pattern, dialect, NULL);

	if (!tree)
		return false;
	tree = unwrap(tree);
	if (tree->kind == NODE_CAT) {
		give_sequence(&finder, &visitor, tree);
	} else {
		find(&finder, tree, &required);
		if (!finder.failed)
			give(&visitor, &required);
	}
	return visitor.choice > 0;
}

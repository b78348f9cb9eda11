/* SPDX-License-Identifier: Apache-2.0 */
/* Types as OPA writes them: in full, or as much as a message has room for. */
#include "rego/compiler/types/types.h"

#include "rego/builtins/runes.h"
#include "json/json.h"

enum {
	MAX_SHORT =
		32,    /* characters of a type that is no matter of a message */
	MAX_DEPTH = 8, /* to which two are compared */
	IN_FULL = 0,   /* depths of put_to */
	OUTERMOST = 1,
	WITH_ITEMS = 2,
};

static void put_key(struct bl_buf *out, struct bl_value key)
{
	struct bl_str text = bl_value_text(key);

	if (text.ptr)
		bl_buf_put_str(out, text);
	else
		bl_json_write(out, key, BL_JSON_COMPACT);
}

static void put_to(struct bl_buf *out, const struct bl_type *type,
		   unsigned depth);

/* The depth of the parts of a type printed to that depth. */
static void put_inside(struct bl_buf *out, const struct bl_type *type,
		       unsigned depth)
{
	if (depth == OUTERMOST)
		bl_buf_puts(out, "...");
	else
		put_to(out, type, depth ? depth - 1 : IN_FULL);
}

static void put_items(struct bl_buf *out, const struct bl_type *type,
		      unsigned depth)
{
	if (depth == OUTERMOST && type->count) {
		bl_buf_puts(out, "...");
		return;
	}
	for (size_t i = 0; i < type->count; i++) {
		bl_buf_puts(out, i ? ", " : "");
		if (type->kind == BL_TYPE_OBJECT) {
			put_key(out, type->keys[i]);
			bl_buf_puts(out, ": ");
		}
		put_inside(out, type->items[i], depth);
	}
}

static void put_to(struct bl_buf *out, const struct bl_type *type,
		   unsigned depth)
{
	static const char *const names[] = {
		[BL_TYPE_NULL] = "null",     [BL_TYPE_BOOLEAN] = "boolean",
		[BL_TYPE_NUMBER] = "number", [BL_TYPE_STRING] = "string",
		[BL_TYPE_ARRAY] = "array",   [BL_TYPE_OBJECT] = "object",
		[BL_TYPE_SET] = "set",       [BL_TYPE_ANY] = "any",
		[BL_TYPE_FUNCTION] = "",     [BL_TYPE_BOX] = "",
	};
	bool function;

	if (type && type->kind == BL_TYPE_BOX && type->keys) {
		bl_buf_puts(out, "recursive(");
		bl_buf_put_str(out, bl_value_text(type->keys[0]));
		bl_buf_put_char(out, ')');
		return;
	}
	type = bl_type_open(type);
	function = type && type->kind == BL_TYPE_FUNCTION;
	if (!type) {
		bl_buf_puts(out, "???");
		return;
	}
	bl_buf_puts(out, names[type->kind]);
	if (type->count || function) {
		bl_buf_put_char(out, function ? '(' : '<');
		put_items(out, type, depth);
		bl_buf_put_char(out, function ? ')' : '>');
	}
	if (function) {
		bl_buf_puts(out, " => ");
		put_inside(out, type->rest, type->rest ? depth : IN_FULL);
		return;
	}
	if (!type->rest && !type->key)
		return;
	bl_buf_put_char(out, '[');
	if (type->kind == BL_TYPE_OBJECT && depth != OUTERMOST) {
		put_inside(out, type->key, depth);
		bl_buf_puts(out, ": ");
	}
	put_inside(out, type->rest, depth);
	bl_buf_put_char(out, ']');
}

void bl_type_put(struct bl_buf *out, const struct bl_type *type)
{
	put_to(out, type, IN_FULL);
}

void bl_type_put_short(struct bl_buf *out, const struct bl_type *type)
{
	size_t from = out->len;

	put_to(out, type, IN_FULL);
	if (bl_rune_count(bl_str_slice(bl_buf_str(out), from, out->len)) <=
	    MAX_SHORT)
		return;
	out->len = from;
	put_to(out, type, OUTERMOST);
}

/* ---- two types ----------------------------------------------------------- */

struct side {
	struct bl_buf *out;
	size_t parts;
};

static void put_diff(struct bl_buf *left, struct bl_buf *right,
		     const struct bl_type *a, const struct bl_type *b,
		     unsigned depth);

static void begin_part(struct side *side, const char *open)
{
	bl_buf_puts(side->out, side->parts++ ? ", " : open);
}

static void begin_member(struct side *side, struct bl_value key)
{
	begin_part(side, "<");
	put_key(side->out, key);
	bl_buf_puts(side->out, ": ");
}

static void put_member(struct side *side, const struct bl_type *type, size_t i)
{
	begin_member(side, type->keys[i]);
	bl_type_put_short(side->out, type->items[i]);
}

/* "..." where both have the same, and the end of the parts. */
static void end_parts(struct side sides[2], bool same)
{
	for (size_t i = 0; i < 2; i++) {
		if (same) {
			begin_part(&sides[i], "<");
			bl_buf_puts(sides[i].out, "...");
		}
		if (sides[i].parts)
			bl_buf_put_char(sides[i].out, '>');
	}
}

/* The type of further members, items or elements, in brackets. */
static void put_rests(struct side sides[2], const struct bl_type *a,
		      const struct bl_type *b, unsigned depth)
{
	const struct bl_type *types[] = { a, b };

	for (size_t i = 0; i < 2; i++)
		if (types[i]->rest)
			bl_buf_put_char(sides[i].out, '[');
	if (a->rest && b->rest) {
		if (a->kind == BL_TYPE_OBJECT) {
			put_diff(sides[0].out, sides[1].out, a->key, b->key,
				 depth + 1);
			for (size_t i = 0; i < 2; i++)
				bl_buf_puts(sides[i].out, ": ");
		}
		put_diff(sides[0].out, sides[1].out, a->rest, b->rest,
			 depth + 1);
	}
	for (size_t i = 0; i < 2; i++) {
		if (!types[i]->rest)
			continue;
		if (!a->rest || !b->rest) {
			bl_type_put_short(sides[i].out, types[i]->key);
			bl_buf_puts(sides[i].out, ": ");
			bl_type_put_short(sides[i].out, types[i]->rest);
		}
		bl_buf_put_char(sides[i].out, ']');
	}
}

static void diff_objects(struct side sides[2], const struct bl_type *a,
			 const struct bl_type *b, unsigned depth)
{
	bool same = false;
	size_t i = 0;
	size_t j = 0;

	while (i < a->count || j < b->count) {
		int order = j == b->count ? -1
			    : i == a->count
				    ? 1
				    : bl_value_compare(a->keys[i], b->keys[j]);

		if (order < 0) {
			put_member(&sides[0], a, i++);
			continue;
		}
		if (order > 0) {
			put_member(&sides[1], b, j++);
			continue;
		}
		if (!bl_type_compare(a->items[i], b->items[j])) {
			same = true;
		} else {
			begin_member(&sides[0], a->keys[i]);
			begin_member(&sides[1], b->keys[j]);
			put_diff(sides[0].out, sides[1].out, a->items[i],
				 b->items[j], depth + 1);
		}
		i++;
		j++;
	}
	end_parts(sides, same);
	put_rests(sides, a, b, depth);
}

/* Arrays of the same length, and functions: part by part. */
static void diff_parts(struct side sides[2], const struct bl_type *a,
		       const struct bl_type *b, unsigned depth)
{
	for (size_t i = 0; i < a->count; i++) {
		begin_part(&sides[0], "<");
		begin_part(&sides[1], "<");
		put_diff(sides[0].out, sides[1].out, a->items[i], b->items[i],
			 depth + 1);
	}
	end_parts(sides, false);
	put_rests(sides, a, b, depth);
}

static bool is_among(const struct bl_type *any, const struct bl_type *type)
{
	for (size_t i = 0; i < any->count; i++)
		if (!bl_type_compare(any->items[i], type))
			return true;
	return false;
}

static void diff_unions(struct side sides[2], const struct bl_type *a,
			const struct bl_type *b)
{
	const struct bl_type *types[] = { a, b };
	bool same = false;

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < types[side]->count; i++) {
			const struct bl_type *item = types[side]->items[i];

			if (is_among(types[!side], item)) {
				same = true;
				continue;
			}
			begin_part(&sides[side], "<");
			bl_type_put_short(sides[side].out, item);
		}
	end_parts(sides, same);
}

static void diff_functions(struct bl_buf *left, struct bl_buf *right,
			   const struct bl_type *a, const struct bl_type *b,
			   unsigned depth)
{
	struct bl_buf *outs[] = { left, right };

	for (size_t i = 0; i < 2; i++)
		bl_buf_put_char(outs[i], '(');
	for (size_t i = 0; i < a->count; i++) {
		for (size_t j = 0; i && j < 2; j++)
			bl_buf_puts(outs[j], ", ");
		put_diff(left, right, a->items[i], b->items[i], depth + 1);
	}
	for (size_t i = 0; i < 2; i++)
		bl_buf_puts(outs[i], ") => ");
	put_diff(left, right, a->rest, b->rest, depth + 1);
}

static void put_diff(struct bl_buf *left, struct bl_buf *right,
		     const struct bl_type *a, const struct bl_type *b,
		     unsigned depth)
{
	struct side sides[] = { { left, 0 }, { right, 0 } };
	bool comparable;

	a = bl_type_shown(a);
	b = bl_type_shown(b);
	comparable = depth < MAX_DEPTH && a && b && a->kind == b->kind &&
		     bl_type_compare(a, b) != 0;
	if (comparable && a->kind == BL_TYPE_OBJECT) {
		bl_buf_puts(left, "object");
		bl_buf_puts(right, "object");
		diff_objects(sides, a, b, depth);
	} else if (comparable && a->kind == BL_TYPE_ANY) {
		bl_buf_puts(left, "any");
		bl_buf_puts(right, "any");
		diff_unions(sides, a, b);
	} else if (comparable && a->kind == BL_TYPE_SET && a->rest && b->rest) {
		bl_buf_puts(left, "set");
		bl_buf_puts(right, "set");
		put_rests(sides, a, b, depth);
	} else if (comparable && a->kind == BL_TYPE_FUNCTION &&
		   a->count == b->count) {
		diff_functions(left, right, a, b, depth);
	} else if (comparable && a->kind == BL_TYPE_ARRAY &&
		   a->count == b->count && !a->rest == !b->rest) {
		bl_buf_puts(left, "array");
		bl_buf_puts(right, "array");
		diff_parts(sides, a, b, depth);
	} else if (comparable && a->kind == BL_TYPE_ARRAY) {
		put_to(left, a, WITH_ITEMS);
		put_to(right, b, WITH_ITEMS);
	} else {
		bl_type_put_short(left, a);
		bl_type_put_short(right, b);
	}
}

void bl_type_put_difference(struct bl_buf *left, struct bl_buf *right,
			    const struct bl_type *a, const struct bl_type *b)
{
	put_diff(left, right, a, b, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonc.c: a JSON text with comments, its values with their places, and edits of it.
 * The reader of lib/json gives values; here the bytes between them count, too, since
 * they are a person's.
 */
#include "setup/jsonc.h"

/* ---- the tree ----------------------------------------------------------- */

/* A text that is known to be right, read for the places of its parts. */
struct scanner {
	struct bl_arena *arena;
	struct bl_str text;
	size_t at;
	struct jsonc_node *open; /* the innermost container */
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The first byte from at on that is neither white space nor comment. */
static size_t skip_filling(struct bl_str text, size_t at)
{
	while (at < text.len) {
		struct bl_str rest = bl_str_slice(text, at, SIZE_MAX);

		if (bl_str_has_prefix(rest, BL_STR("//")))
			at = bl_str_find(text, BL_STR("\n"), at);
		else if (bl_str_has_prefix(rest, BL_STR("/*")))
			at = bl_str_find(text, BL_STR("*/"), at + 2) + 2;
		else if (bl_str_has_prefix(rest, BL_STR("\xEF\xBB\xBF")))
			at += 3;
		else if (is_space(text.ptr[at]))
			at++;
		else
			return at;
		if (at == SIZE_MAX)
			return text.len;
	}
	return at;
}

/* The end of the string or word that starts at at. */
static size_t skip_scalar(struct bl_str text, size_t at)
{
	bool is_string = text.ptr[at] == '"';

	for (at++; at < text.len; at++) {
		char c = text.ptr[at];

		if (is_string && c == '\\')
			at++;
		else if (is_string && c == '"')
			return at + 1;
		else if (!is_string && (is_space(c) || strchr(",:]}/", c)))
			return at;
	}
	return text.len;
}

/* Hangs a node that starts here below the open container. */
static struct jsonc_node *add_node(struct scanner *scanner)
{
	struct jsonc_node *node =
		bl_arena_new(scanner->arena, struct jsonc_node);
	struct jsonc_node *parent = scanner->open;

	if (!node)
		return NULL;
	node->start = scanner->at;
	node->parent = parent;
	if (!parent)
		return node;
	node->previous = parent->last;
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	return node;
}

/* Reads a key and its colon; the node's value starts behind them. */
static void take_key(struct scanner *scanner, struct jsonc_node *node,
		     struct bl_str *out_key)
{
	size_t end = skip_scalar(scanner->text, scanner->at);

	node->key_start = scanner->at;
	*out_key = bl_str_slice(scanner->text, scanner->at, end);
	scanner->at = skip_filling(scanner->text,
				   skip_filling(scanner->text, end) + 1);
	node->start = scanner->at;
}

static struct jsonc_node *take_value(struct scanner *scanner)
{
	struct jsonc_node *node = add_node(scanner);
	struct bl_str key;
	struct bl_value name;
	char c;

	if (!node)
		return NULL;
	if (node->parent && node->parent->kind == BL_KIND_OBJECT) {
		take_key(scanner, node, &key);
		if (bl_json_read(scanner->arena, key, NULL, &name, NULL, NULL,
				 NULL))
			return NULL;
		node->key = bl_value_text(name);
	}
	c = scanner->text.ptr[scanner->at];
	node->kind = c == '{'   ? BL_KIND_OBJECT
		     : c == '[' ? BL_KIND_ARRAY
				: BL_KIND_NULL;
	if (node->kind == BL_KIND_NULL) {
		scanner->at = skip_scalar(scanner->text, scanner->at);
		node->end = scanner->at;
	} else {
		scanner->at++;
		scanner->open = node;
	}
	return node;
}

/* False: memory. */
static bool scan(struct scanner *scanner, struct jsonc_node **out_root)
{
	scanner->at = skip_filling(scanner->text, 0);
	*out_root = take_value(scanner);
	if (!*out_root)
		return false;
	while (scanner->open) {
		char c;

		scanner->at = skip_filling(scanner->text, scanner->at);
		c = scanner->text.ptr[scanner->at];
		if (c == ',') {
			scanner->at++;
		} else if (c == ']' || c == '}') {
			scanner->open->end = ++scanner->at;
			scanner->open = scanner->open->parent;
		} else if (!take_value(scanner)) {
			return false;
		}
	}
	return true;
}

/* Gives the nodes the values that belong to them. */
static void add_values(struct jsonc_node *root, struct bl_value value)
{
	struct jsonc_node *node = root;
	size_t i = 0;

	root->value = value;
	for (node = root->first; node; node = node->next, i++)
		add_values(node, root->kind == BL_KIND_ARRAY
					 ? bl_value_item(value, i)
					 : bl_object_value(value, i));
}

enum bl_status bl_jsonc_parse(struct bl_arena *arena, struct bl_str text,
			      struct jsonc_node **out_root,
			      struct bl_place *out_place, struct bl_error *err)
{
	const struct bl_json_options options = {
		.allow_comments = true,
		.allow_bom = true,
		.max_depth = JSONC_MAX_DEPTH,
		.max_bytes = JSONC_MAX_BYTES,
	};
	struct scanner scanner = { .arena = arena, .text = text };
	struct bl_json_report report;
	struct bl_value value;
	enum bl_status status = bl_json_read(arena, text, &options, &value,
					     &report, out_place, err);

	if (status)
		return status;
	if (report.repeated_key_count) {
		*out_place = report.repeated_place;
		return bl_fail(err, BL_INVALID, "the key '%.*s' is there twice",
			       BL_STR_ARG(report.repeated_key));
	}
	if (!scan(&scanner, out_root))
		return bl_arena_fail(arena, err);
	add_values(*out_root, value);
	return BL_OK;
}

struct jsonc_node *bl_jsonc_find(const struct jsonc_node *object,
				 const char *key)
{
	if (!object || object->kind != BL_KIND_OBJECT)
		return NULL;
	for (struct jsonc_node *node = object->first; node; node = node->next)
		if (bl_str_is(node->key, key))
			return node;
	return NULL;
}

/* ---- layout ------------------------------------------------------------- */

static size_t node_start(const struct jsonc_node *node)
{
	return node->parent && node->parent->kind == BL_KIND_OBJECT
		       ? node->key_start
		       : node->start;
}

/* The white space at the start of the line that at is in. */
static struct bl_str line_indent(struct bl_str text, size_t at)
{
	size_t start = at;
	size_t end;

	while (start > 0 && text.ptr[start - 1] != '\n')
		start--;
	for (end = start; end < at; end++)
		if (text.ptr[end] != ' ' && text.ptr[end] != '\t')
			break;
	return bl_str_slice(text, start, end);
}

/* One step of the text's indentation; two blanks when it shows none. */
static struct bl_str indent_unit(struct bl_str text,
				 const struct jsonc_node *container)
{
	for (; container; container = container->parent) {
		struct bl_str outer = line_indent(text, node_start(container));
		struct bl_str inner;

		if (!container->first)
			continue;
		inner = line_indent(text, node_start(container->first));
		if (inner.len > outer.len)
			return bl_str_slice(inner, outer.len, SIZE_MAX);
	}
	return BL_STR("  ");
}

static const char *newline(struct bl_str text)
{
	return bl_str_find(text, BL_STR("\r\n"), 0) != SIZE_MAX ? "\r\n" : "\n";
}

/* Appends value over several lines, all but the first behind indent. */
static void put_pretty(struct bl_buf *out, struct bl_value value,
		       struct bl_str text, struct bl_str indent,
		       struct bl_str unit)
{
	struct bl_buf pretty;

	bl_buf_init(&pretty, 0);
	bl_json_write(&pretty, value, BL_JSON_PRETTY);
	for (size_t at = 0; at < pretty.len;) {
		size_t end = bl_str_find(bl_buf_str(&pretty), BL_STR("\n"), at);
		size_t blanks = 0;

		if (end == SIZE_MAX)
			end = pretty.len;
		if (at > 0) {
			bl_buf_puts(out, newline(text));
			bl_buf_put_str(out, indent);
		}
		while (pretty.ptr[at + blanks] == ' ')
			blanks++;
		for (size_t i = 0; i < blanks / 2; i++)
			bl_buf_put_str(out, unit);
		bl_buf_put(out, pretty.ptr + at + blanks, end - at - blanks);
		at = end + 1;
	}
	if (bl_buf_status(&pretty))
		out->status = bl_buf_status(&pretty);
	bl_buf_clear(&pretty);
}

static struct bl_str take(struct bl_arena *arena, struct bl_buf *buf)
{
	struct bl_str result = { NULL, 0 };

	if (!bl_buf_status(buf))
		result = bl_arena_copy_str(arena, bl_buf_str(buf));
	bl_buf_clear(buf);
	return result;
}

/* ---- edits -------------------------------------------------------------- */

/* Where children of container begin: the indent of the first, or a new one. */
static struct bl_str child_indent(struct bl_arena *arena, struct bl_str text,
				  const struct jsonc_node *container)
{
	struct bl_str outer = line_indent(text, node_start(container));
	struct bl_str unit = indent_unit(text, container);

	if (container->first) {
		size_t start = node_start(container->first);
		struct bl_str inner = line_indent(text, start);

		if (inner.ptr + inner.len == text.ptr + start)
			return inner;
	}
	return bl_arena_printf(arena, "%.*s%.*s", BL_STR_ARG(outer),
			       BL_STR_ARG(unit));
}

static bool has_newline(struct bl_str text, size_t from, size_t to)
{
	return bl_str_find(bl_str_slice(text, from, to), BL_STR("\n"), 0) !=
	       SIZE_MAX;
}

/* The end of what container holds, comments included. */
static size_t filled_end(struct bl_str text, const struct jsonc_node *container)
{
	size_t end = container->end - 1;

	while (is_space(text.ptr[end - 1]))
		end--;
	return end;
}

struct bl_str bl_jsonc_append(struct bl_arena *arena, struct bl_str text,
			      const struct jsonc_node *container,
			      const char *key, struct bl_value value)
{
	struct bl_str inner = child_indent(arena, text, container);
	size_t bracket = container->end - 1;
	size_t filled = filled_end(text, container);
	size_t head = container->last ? container->last->end : filled;
	bool is_inline = container->first &&
			 !has_newline(text, container->start, bracket);
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_buf_put(&buf, text.ptr, head);
	if (container->last)
		bl_buf_put_char(&buf, ',');
	bl_buf_put(&buf, text.ptr + head, filled - head);
	bl_buf_puts(&buf, is_inline ? " " : newline(text));
	if (!is_inline)
		bl_buf_put_str(&buf, inner);
	if (key) {
		bl_json_write_string(&buf, bl_str(key));
		bl_buf_puts(&buf, ": ");
	}
	if (is_inline)
		bl_json_write(&buf, value, BL_JSON_COMPACT);
	else
		put_pretty(&buf, value, text, inner,
			   indent_unit(text, container));
	/* A bracket behind the last child stays behind the last child. */
	if (container->first || has_newline(text, filled, bracket)) {
		bl_buf_put(&buf, text.ptr + filled, bracket - filled);
	} else {
		bl_buf_puts(&buf, newline(text));
		bl_buf_put_str(&buf, line_indent(text, node_start(container)));
	}
	bl_buf_put_str(&buf, bl_str_slice(text, bracket, SIZE_MAX));
	if (!inner.ptr)
		buf.status = BL_NO_MEMORY;
	return take(arena, &buf);
}

struct bl_str bl_jsonc_replace(struct bl_arena *arena, struct bl_str text,
			       const struct jsonc_node *node,
			       struct bl_value value)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_buf_put(&buf, text.ptr, node->start);
	if (has_newline(text, node->start, node->end))
		put_pretty(&buf, value, text, line_indent(text, node->start),
			   indent_unit(text, node));
	else
		bl_json_write(&buf, value, BL_JSON_COMPACT);
	bl_buf_put_str(&buf, bl_str_slice(text, node->end, SIZE_MAX));
	return take(arena, &buf);
}

/* The part that remove takes away: text[from..to), and a comma before that. */
struct gap {
	size_t comma; /* SIZE_MAX: none */
	size_t from;
	size_t to;
};

/* Does a comment that ends with its line reach up to to? */
static bool is_in_comment(struct bl_str text, size_t at, size_t to)
{
	while (at < to) {
		struct bl_str rest = bl_str_slice(text, at, to);
		bool is_line = bl_str_has_prefix(rest, BL_STR("//"));

		if (is_line || bl_str_has_prefix(rest, BL_STR("/*"))) {
			at = bl_str_find(text,
					 is_line ? BL_STR("\n") : BL_STR("*/"),
					 at + 2);
			if (is_line && at >= to)
				return true;
		}
		at++;
	}
	return false;
}

/* Is there nothing more in the line but blanks? */
static bool ends_line(struct bl_str text, size_t at)
{
	while (text.ptr[at] == ' ' || text.ptr[at] == '\t')
		at++;
	return text.ptr[at] == '\n' || text.ptr[at] == '\r';
}

static struct gap find_gap(struct bl_str text, const struct jsonc_node *node)
{
	struct gap gap = { SIZE_MAX, node_start(node), node->end };
	const struct jsonc_node *parent = node->parent;
	size_t lead = gap.from;

	while (is_space(text.ptr[lead - 1]))
		lead--;
	if (node->next) {
		gap.to = skip_filling(text, node->end) + 1;
		if (node->previous)
			gap.from = lead;
		while (!node->previous && is_space(text.ptr[gap.to]))
			gap.to++;
		return gap;
	}
	if (node->previous)
		gap.comma = skip_filling(text, node->previous->end);
	else if (lead == parent->start + 1)
		while (is_space(text.ptr[gap.to]))
			gap.to++;
	if (ends_line(text, gap.to) || lead == parent->start + 1 ||
	    !is_in_comment(text,
			   node->previous ? node->previous->end
					  : parent->start + 1,
			   lead))
		gap.from = lead;
	return gap;
}

struct bl_str bl_jsonc_remove(struct bl_arena *arena, struct bl_str text,
			      const struct jsonc_node *node)
{
	struct gap gap;
	struct bl_buf buf;

	while (node->parent->parent && node->parent->first == node &&
	       node->parent->last == node)
		node = node->parent;
	gap = find_gap(text, node);
	bl_buf_init(&buf, 0);
	for (size_t i = 0; i < gap.from; i++)
		if (i != gap.comma)
			bl_buf_put_char(&buf, text.ptr[i]);
	bl_buf_put_str(&buf, bl_str_slice(text, gap.to, SIZE_MAX));
	return take(arena, &buf);
}

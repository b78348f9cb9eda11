/* SPDX-License-Identifier: Apache-2.0 */
/*
 * METADATA of modules, found and printed as `opa inspect -a` has it.  Used by inspect
 * and by build, whose entry points may stand there.
 */
#include "cli/rego/annotations.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "json/json.h"

enum { PAGE_WIDTH = 80 };

static struct bl_value member(struct bl_value object, const char *name)
{
	return bl_object_find(object, bl_str(name));
}

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(member(object, name));
}

static int64_t number_in(struct bl_value node, const char *name)
{
	int64_t number = 0;

	bl_number_to_integer(member(member(node, "location"), name), &number);
	return number;
}

/* {"type": type, "value": text} */
static struct bl_value term(struct bl_arena *arena, const char *type,
			    struct bl_str text)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, arena);
	bl_object_builder_add(&out, BL_STR("type"),
			      bl_value_string(bl_str(type)));
	bl_object_builder_add(&out, BL_STR("value"), bl_value_string(text));
	return bl_object_builder_end(&out);
}

/* ---- collecting --------------------------------------------------------------- */

/* Terms without their places. */
static struct bl_value bare(struct bl_arena *arena, struct bl_value terms)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < bl_value_count(terms); i++) {
		struct bl_value one = bl_value_item(terms, i);
		struct bl_object_builder out;

		bl_object_builder_init(&out, arena);
		bl_object_builder_add(&out, BL_STR("type"),
				      member(one, "type"));
		bl_object_builder_add(&out, BL_STR("value"),
				      member(one, "value"));
		bl_array_builder_add(&list, bl_object_builder_end(&out));
	}
	return bl_array_builder_end(&list);
}

/* The references in a member of an annotation, without their places. */
static struct bl_value bare_refs(struct bl_arena *arena, struct bl_value value)
{
	static const char *const lists[] = { "path", "schema", "mask_rule" };
	struct bl_object_builder out;
	struct bl_array_builder list;

	if (bl_value_is(value, BL_KIND_ARRAY)) { /* of schemas, of unknowns */
		bl_array_builder_init(&list, arena);
		for (size_t i = 0; i < bl_value_count(value); i++) {
			struct bl_value item = bl_value_item(value, i);

			bl_array_builder_add(&list,
					     bl_value_is(item, BL_KIND_ARRAY)
						     ? bare(arena, item)
						     : bare_refs(arena, item));
		}
		return bl_array_builder_end(&list);
	}
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return value;
	bl_object_builder_init(&out, arena);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_str key = bl_value_text(bl_object_key(value, i));
		struct bl_value one = bl_object_value(value, i);

		if (bl_str_is(key, "unknowns"))
			one = bare_refs(arena, one);
		for (size_t j = 0; j < BL_COUNT(lists); j++)
			if (bl_str_is(key, lists[j]) &&
			    bl_value_is(one, BL_KIND_ARRAY))
				one = bare(arena, one);
		bl_object_builder_add(&out, key, one);
	}
	return bl_object_builder_end(&out);
}

/* Without places. */
static struct bl_value clean(struct bl_arena *arena, struct bl_value annotation)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, arena);
	for (size_t i = 0; i < bl_value_count(annotation); i++) {
		struct bl_str key = bl_value_text(bl_object_key(annotation, i));
		struct bl_value value = bl_object_value(annotation, i);

		if (bl_str_is(key, "schemas") || bl_str_is(key, "compile"))
			value = bare_refs(arena, value);
		if (!bl_str_is(key, "location"))
			bl_object_builder_add(&out, key, value);
	}
	return bl_object_builder_end(&out);
}

/* The package, and the names of the rule's head up to the first variable. */
static struct bl_value path_of(struct bl_arena *arena, struct bl_value package,
			       struct bl_value rule)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < bl_value_count(package); i++)
		bl_array_builder_add(&list, bl_value_item(package, i));
	for (size_t i = 0; i < bl_value_count(rule); i++) {
		struct bl_value one = bl_value_item(rule, i);

		if (!i)
			one = term(arena, "string", text_of(one, "value"));
		else if (bl_str_is(text_of(one, "type"), "var"))
			break;
		bl_array_builder_add(&list, one);
	}
	return bl_array_builder_end(&list);
}

static enum bl_status add(struct cli *cli, struct cli_annotations *all,
			  const struct cli_annotation *one,
			  struct bl_error *err)
{
	if (all->count == all->cap) {
		size_t cap = all->cap ? all->cap * 2 : 16;
		struct cli_annotation *bigger = bl_arena_new_array(
			&cli->arena, struct cli_annotation, cap);

		if (!bigger)
			return bl_arena_fail(&cli->arena, err);
		for (size_t i = 0; i < all->count; i++)
			bigger[i] = all->items[i];
		all->items = bigger;
		all->cap = cap;
	}
	all->items[all->count++] = *one;
	return BL_OK;
}

/* Those of one rule; "document" counts where the block stands. */
static enum bl_status add_rule(struct cli *cli, struct bl_value tree,
			       struct bl_value rule,
			       struct cli_annotations *all,
			       const struct cli_annotation *like,
			       struct bl_error *err)
{
	struct bl_arena *arena = &cli->arena;
	struct bl_value list = member(rule, "annotations");
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < bl_value_count(list); i++) {
		struct bl_value annotation = bl_value_item(list, i);
		struct cli_annotation one = *like;
		struct bl_value rules = member(tree, "rules");
		int64_t nearest = INT64_MAX;

		one.block_row = number_in(annotation, "row");
		one.row = number_in(rule, "row");
		one.column = number_in(rule, "col");
		for (size_t j = 0; j < bl_value_count(rules); j++) {
			int64_t row = number_in(bl_value_item(rules, j), "row");

			if (row > one.block_row && row < nearest)
				nearest = row;
		}
		if (one.row != nearest)
			continue;
		one.rule = bare(arena, member(member(rule, "head"), "ref"));
		one.path = path_of(arena, one.package, one.rule);
		one.value = clean(arena, annotation);
		status = add(cli, all, &one, err);
	}
	return status;
}

static enum bl_status add_package(struct cli *cli, struct bl_value tree,
				  struct cli_annotations *all,
				  const struct cli_annotation *like,
				  struct bl_error *err)
{
	struct bl_value package = member(tree, "package");
	struct bl_value list = member(tree, "annotations");
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < bl_value_count(list); i++) {
		struct bl_value annotation = bl_value_item(list, i);
		struct cli_annotation one = *like;

		one.block_row = number_in(annotation, "row");
		one.row = number_in(package, "row");
		one.column = number_in(package, "col");
		if (one.block_row > one.row)
			break;
		one.path = one.package;
		one.value = clean(&cli->arena, annotation);
		status = add(cli, all, &one, err);
	}
	return status;
}

enum bl_status cli_add_annotations(struct cli *cli,
				   const struct bl_rego_module *module,
				   struct bl_str file,
				   struct cli_annotations *all,
				   struct bl_error *err)
{
	struct bl_value tree = bl_rego_ast_json(
		module, BL_REGO_AST_ANNOTATIONS | BL_REGO_AST_LOCATIONS,
		&cli->arena);
	struct bl_value rules = member(tree, "rules");
	struct cli_annotation like = { .file = file };
	enum bl_status status;

	if (!bl_value_is_defined(tree))
		return bl_arena_fail(&cli->arena, err);
	like.package =
		bare(&cli->arena, member(member(tree, "package"), "path"));
	status = add_package(cli, tree, all, &like, err);
	for (size_t i = 0; !status && i < bl_value_count(rules); i++)
		status = add_rule(cli, tree, bl_value_item(rules, i), all,
				  &like, err);
	if (status)
		return status;
	return bl_arena_status(&cli->arena) ? bl_arena_fail(&cli->arena, err)
					    : BL_OK;
}

/* Paths are compared name by name; the shorter comes first. */
static int by_path(const void *a, const void *b)
{
	const struct cli_annotation *one = a;
	const struct cli_annotation *other = b;
	size_t count = bl_value_count(one->path);
	size_t other_count = bl_value_count(other->path);
	int order = 0;

	for (size_t i = 0; !order && i < count && i < other_count; i++)
		order = bl_value_compare(
			member(bl_value_item(one->path, i), "value"),
			member(bl_value_item(other->path, i), "value"));
	if (!order)
		order = (count > other_count) - (count < other_count);
	if (!order)
		order = bl_str_compare(one->file, other->file);
	if (order)
		return order;
	return (one->block_row > other->block_row) -
	       (one->block_row < other->block_row);
}

void cli_sort_annotations(struct cli_annotations *all)
{
	if (all->count)
		qsort(all->items, all->count, sizeof(*all->items), by_path);
}

/* ---- JSON ---------------------------------------------------------------------- */

static struct bl_value location(struct bl_arena *arena,
				const struct cli_annotation *one)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, arena);
	bl_object_builder_add(&out, BL_STR("file"), bl_value_string(one->file));
	bl_object_builder_add(&out, BL_STR("row"), bl_value_integer(one->row));
	bl_object_builder_add(&out, BL_STR("col"),
			      bl_value_integer(one->column));
	return bl_object_builder_end(&out);
}

struct bl_value cli_annotations_value(struct bl_arena *arena,
				      const struct cli_annotations *all)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < all->count; i++) {
		struct bl_object_builder out;

		bl_object_builder_init(&out, arena);
		bl_object_builder_add(&out, BL_STR("annotations"),
				      all->items[i].value);
		bl_object_builder_add(&out, BL_STR("location"),
				      location(arena, &all->items[i]));
		bl_object_builder_add(&out, BL_STR("path"), all->items[i].path);
		bl_array_builder_add(&list, bl_object_builder_end(&out));
	}
	return bl_array_builder_end(&list);
}

/* ---- for people ------------------------------------------------------------------ */

static bool is_name(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '_' && !isalnum((unsigned char)text.ptr[i]))
			return false;
	return text.len && !isdigit((unsigned char)text.ptr[0]);
}

/* Terms from index first on: a.b["c d"][x]. */
static void put_ref(struct bl_buf *out, struct bl_value terms, size_t first)
{
	for (size_t i = first; i < bl_value_count(terms); i++) {
		struct bl_value one = bl_value_item(terms, i);
		struct bl_value value = member(one, "value");
		struct bl_str text = bl_value_text(value);
		bool is_var = bl_str_is(text_of(one, "type"), "var");

		if (i == first) {
			bl_buf_put_str(out, text);
		} else if (!is_var && is_name(text)) {
			bl_buf_put_char(out, '.');
			bl_buf_put_str(out, text);
		} else {
			bl_buf_put_char(out, '[');
			if (is_var)
				bl_buf_put_str(out, text);
			else
				bl_json_write(out, value, BL_JSON_COMPACT);
			bl_buf_put_char(out, ']');
		}
	}
}

/* The text for members of a list: a key, and its value. */
struct line {
	struct bl_buf key;
	struct bl_buf value;
};

static void write_schema(struct line *line, struct bl_value item)
{
	struct bl_value path = member(item, "schema");

	put_ref(&line->key, member(item, "path"), 0);
	if (bl_value_is_defined(path))
		put_ref(&line->value, path, 0);
	else
		bl_json_write(&line->value, member(item, "definition"),
			      BL_JSON_CANONICAL);
}

static void write_author(struct line *line, struct bl_value item)
{
	struct bl_str name = text_of(item, "name");
	struct bl_str email = text_of(item, "email");

	bl_buf_put_str(&line->key, name);
	if (email.len)
		bl_buf_printf(&line->key, "%s<%.*s>", name.len ? " " : "",
			      BL_STR_ARG(email));
}

static void write_organization(struct line *line, struct bl_value item)
{
	bl_buf_put_str(&line->key, bl_value_text(item));
}

static void write_resource(struct line *line, struct bl_value item)
{
	bl_buf_put_str(&line->key, text_of(item, "ref"));
	bl_buf_put_str(&line->value, text_of(item, "description"));
}

static void write_custom(struct line *line, struct bl_value pair)
{
	bl_buf_put_str(&line->key, bl_value_text(bl_value_item(pair, 0)));
	bl_json_write(&line->value, bl_value_item(pair, 1), BL_JSON_CANONICAL);
}

static const struct {
	const char *key;
	const char *title;
	const char *between;
	void (*write)(struct line *line, struct bl_value item);
} lists[] = {
	{ "organizations", "Organizations", "", write_organization },
	{ "authors", "Authors", "", write_author },
	{ "schemas", "Schemas", ": ", write_schema },
	{ "related_resources", "Related Resources", " ", write_resource },
	{ "custom", "Custom", ": ", write_custom },
};

/* One line, cut where the page ends. */
static void put_line(struct bl_buf *out, const struct line *line,
		     const char *between, size_t width)
{
	struct bl_str key = bl_buf_str(&line->key);
	struct bl_str value = bl_buf_str(&line->value);
	struct bl_buf text;
	struct bl_str all;

	bl_buf_init(&text, 0);
	bl_buf_put_char(&text, ' ');
	bl_buf_put_str(&text, key);
	if (value.len) {
		bl_buf_puts(&text, between);
		for (size_t i = key.len; i < width; i++)
			bl_buf_put_char(&text, ' ');
		bl_buf_put_str(&text, value);
	}
	all = bl_buf_str(&text);
	if (all.len >= PAGE_WIDTH) {
		all = bl_str_slice(all, 0, PAGE_WIDTH - 3);
		all.len = bl_utf8_valid_prefix(all);
	}
	cli_put_text(out, 0, all);
	if (all.len < bl_buf_str(&text).len)
		bl_buf_puts(out, "...");
	bl_buf_put_char(out, '\n');
	bl_buf_clear(&text);
}

/* The members of an object in order as pairs; arrays as they are. */
static struct bl_value items_of(struct bl_arena *arena, struct bl_value list)
{
	struct bl_array_builder out;

	if (!bl_value_is(list, BL_KIND_OBJECT))
		return list;
	bl_array_builder_init(&out, arena);
	for (size_t rank = 0; rank < bl_value_count(list); rank++) {
		size_t i = bl_object_sorted_index(list, rank);
		struct bl_value pair[2] = { bl_object_key(list, i),
					    bl_object_value(list, i) };

		bl_array_builder_add(&out, bl_array_make(arena, pair, 2));
	}
	return bl_array_builder_end(&out);
}

static void put_list(struct cli *cli, size_t kind, struct bl_value list)
{
	struct bl_value items = items_of(&cli->arena, list);
	size_t width = 0;

	if (!bl_value_count(items))
		return;
	bl_buf_printf(&cli->out, "%s:\n", lists[kind].title);
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < bl_value_count(items); i++) {
			struct line line;

			bl_buf_init(&line.key, 0);
			bl_buf_init(&line.value, 0);
			lists[kind].write(&line, bl_value_item(items, i));
			if (pass)
				put_line(&cli->out, &line, lists[kind].between,
					 width);
			else if (bl_buf_str(&line.key).len > width)
				width = bl_buf_str(&line.key).len;
			bl_buf_clear(&line.key);
			bl_buf_clear(&line.value);
		}
	}
	bl_buf_put_char(&cli->out, '\n');
}

/* The title, underlined, and the description. */
static void put_title(struct bl_buf *out, const struct cli_annotation *one)
{
	struct bl_str description = text_of(one->value, "description");
	struct bl_str title = bl_str_trim(text_of(one->value, "title"));
	struct bl_buf text;

	bl_buf_init(&text, 0);
	if (title.len)
		bl_buf_put_str(&text, title);
	else
		put_ref(&text, one->path, 1);
	title = bl_buf_str(&text);
	cli_put_text(out, 0, title);
	bl_buf_put_char(out, '\n');
	for (size_t i = 0; i < title.len && i < PAGE_WIDTH; i++)
		bl_buf_put_char(out, '=');
	bl_buf_puts(out, "\n\n");
	bl_buf_clear(&text);
	if (description.len) {
		cli_put_text(out, 0, description);
		bl_buf_puts(out, "\n\n");
	}
}

static void put_ref_line(struct bl_buf *out, const char *name,
			 struct bl_value terms, size_t first)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	put_ref(&text, terms, first);
	bl_buf_puts(out, name);
	cli_put_text(out, 0, bl_buf_str(&text));
	bl_buf_put_char(out, '\n');
	bl_buf_clear(&text);
}

void cli_put_annotations(struct cli *cli, const struct cli_annotations *all)
{
	struct bl_buf *out = &cli->out;

	if (all->count)
		bl_buf_puts(out, "ANNOTATIONS:\n");
	for (size_t i = 0; i < all->count; i++) {
		const struct cli_annotation *one = &all->items[i];

		put_title(out, one);
		put_ref_line(out, "Package:  ", one->package, 1);
		if (bl_value_is_defined(one->rule))
			put_ref_line(out, "Rule:     ", one->rule, 0);
		bl_buf_puts(out, "Location: ");
		cli_put_text(out, 0, one->file);
		bl_buf_printf(out, ":%lld\nScope: ", (long long)one->row);
		cli_put_text(out, 0, text_of(one->value, "scope"));
		bl_buf_put_char(out, '\n');
		if (bl_value_is_true(member(one->value, "entrypoint")))
			bl_buf_puts(out, "Entrypoint: true\n");
		bl_buf_put_char(out, '\n');
		for (size_t kind = 0; kind < BL_COUNT(lists); kind++)
			put_list(cli, kind,
				 member(one->value, lists[kind].key));
	}
}

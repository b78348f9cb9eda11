/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego eval --partial: asks, and prints queries and support as JSON, as text or as a
 * table, each as `opa eval --partial` has it.
 */
#include "cli/rego/partial.h"

#include "base/utf8.h"
#include "json/json.h"

static const char *const formats[] = { "json", "pretty", "source" };

enum bl_status cli_partial_check(struct bl_str format, struct bl_error *err)
{
	for (size_t i = 0; i < BL_COUNT(formats); i++)
		if (bl_str_is(format, formats[i]))
			return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "--partial prints json, pretty or source, not '%.*s'",
		       BL_STR_ARG(format));
}

enum bl_status cli_partial_ask(struct cli *cli, size_t at,
			       const struct cli_partial *asked,
			       struct bl_diags *diags,
			       struct bl_rego_partial *out_partial,
			       struct bl_error *err)
{
	const struct cli_given *unknowns =
		&cli->given[at + CLI_PARTIAL_UNKNOWNS];
	const struct cli_given *disable = &cli->given[at + CLI_PARTIAL_DISABLE];
	const struct bl_rego_partial_options options = {
		.sources = asked->files->sources,
		.source_count = asked->files->source_count,
		.compile = asked->how,
		.run = *asked->options,
		.unknowns = unknowns->values,
		.unknown_count = unknowns->count,
		.disable_inlining = disable->values,
		.disable_count = disable->count,
		.shallow = cli_has(cli, at + CLI_PARTIAL_SHALLOW),
		.nondeterministic =
			cli_has(cli, at + CLI_PARTIAL_NONDETERMINISTIC),
	};

	if (bl_value_is_defined(asked->files->plan) || asked->files->is_image)
		return bl_fail(err, BL_USAGE,
			       "--partial needs the sources of policies, which "
			       "plans and images do not have");
	return bl_rego_partial_run(asked->policies, &options, asked->query,
				   &cli->arena, diags, out_partial, err);
}

/* ---- JSON ------------------------------------------------------------------- */

/* A tree without what only tells how something was written. */
static struct bl_value plain_tree(struct cli *cli, struct bl_value tree)
{
	struct bl_array_builder items;
	struct bl_object_builder members;

	if (bl_value_is(tree, BL_KIND_ARRAY)) {
		bl_array_builder_init(&items, &cli->arena);
		for (size_t i = 0; i < bl_value_count(tree); i++)
			bl_array_builder_add(
				&items,
				plain_tree(cli, bl_value_item(tree, i)));
		return bl_array_builder_end(&items);
	}
	if (!bl_value_is(tree, BL_KIND_OBJECT))
		return tree;
	bl_object_builder_init(&members, &cli->arena);
	for (size_t i = 0; i < bl_value_count(tree); i++) {
		struct bl_str key = bl_value_text(bl_object_key(tree, i));

		if (!bl_str_is(key, "assign") && !bl_str_is(key, "generated"))
			bl_object_builder_add(
				&members, key,
				plain_tree(cli, bl_object_value(tree, i)));
	}
	return bl_object_builder_end(&members);
}

static const struct bl_rego_body *
parse_query(struct cli *cli, const struct bl_rego_partial_query *query,
	    struct bl_error *err)
{
	const struct bl_rego_module *module;
	struct bl_rego_body *body;
	size_t offset;
	struct bl_str whole;

	if (!query->needs_imports)
		return bl_rego_parse_query(&cli->arena, query->text, &body,
					   &offset, err)
			       ? NULL
			       : body;
	whole = bl_arena_printf(&cli->arena,
				"package query\nimport future.keywords.and\n"
				"import future.keywords.not\n"
				"import future.keywords.or\nq if {\n%.*s\n}\n",
				BL_STR_ARG(query->text));
	if (!whole.ptr || bl_rego_parse(&cli->arena, BL_STR("query"), whole,
					false, &module, &offset, err))
		return NULL;
	return bl_rego_first_body(module);
}

/* An array of them; undefined: err says why. */
static struct bl_value queries_json(struct cli *cli,
				    const struct bl_rego_partial *partial,
				    struct bl_error *err)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; i < partial->query_count; i++) {
		const struct bl_rego_body *body = NULL;

		if (partial->queries[i].text.len) {
			body = parse_query(cli, &partial->queries[i], err);
			if (!body)
				return bl_value_undefined();
		}
		bl_array_builder_add(
			&list, body ? bl_rego_query_json(body, &cli->arena)
				    : bl_array_make(&cli->arena, NULL, 0));
	}
	return bl_array_builder_end(&list);
}

static const struct bl_rego_module *
parse_support(struct cli *cli, struct bl_str text, struct bl_error *err)
{
	const struct bl_rego_module *module;
	size_t offset;

	return bl_rego_parse(&cli->arena, BL_STR("support.rego"), text, false,
			     &module, &offset, err)
		       ? NULL
		       : module;
}

/* Imports and comments are not there, and OPA writes no empty lists of them. */
static struct bl_value support_json(struct cli *cli, struct bl_str text,
				    struct bl_error *err)
{
	const struct bl_rego_module *module = parse_support(cli, text, err);
	struct bl_object_builder out;
	struct bl_value tree;

	if (!module)
		return bl_value_undefined();
	tree = bl_rego_ast_json(module, 0, &cli->arena);
	bl_object_builder_init(&out, &cli->arena);
	bl_object_builder_add(&out, BL_STR("package"),
			      bl_object_find(tree, BL_STR("package")));
	bl_object_builder_add(
		&out, BL_STR("rules"),
		plain_tree(cli, bl_object_find(tree, BL_STR("rules"))));
	return bl_object_builder_end(&out);
}

static struct bl_value support_list(struct cli *cli,
				    const struct bl_rego_partial *partial,
				    struct bl_error *err)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; i < partial->support_count; i++) {
		struct bl_value one =
			support_json(cli, partial->support[i], err);

		if (!bl_value_is_defined(one))
			return one;
		bl_array_builder_add(&list, one);
	}
	return bl_array_builder_end(&list);
}

static enum bl_status put_json(struct cli *cli,
			       const struct bl_rego_partial *partial,
			       struct bl_error *err)
{
	struct bl_object_builder all;
	struct bl_object_builder parts;
	struct bl_value queries = queries_json(cli, partial, err);
	struct bl_value support = support_list(cli, partial, err);

	if (!bl_value_is_defined(queries) || !bl_value_is_defined(support))
		return err->status ? err->status
				   : bl_arena_fail(&cli->arena, err);
	bl_object_builder_init(&parts, &cli->arena);
	if (partial->query_count)
		bl_object_builder_add(&parts, BL_STR("queries"), queries);
	if (partial->support_count)
		bl_object_builder_add(&parts, BL_STR("modules"), support);
	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("partial"),
			      bl_object_builder_end(&parts));
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
	return BL_OK;
}

/* ---- text ------------------------------------------------------------------- */

/* As `rego fmt` lays it out. */
static struct bl_str support_text(struct cli *cli, struct bl_str text)
{
	const struct bl_rego_module *module = parse_support(cli, text, NULL);
	struct bl_buf laid_out;

	bl_buf_init(&laid_out, 0);
	if (module && !bl_rego_format(&cli->arena, module, &laid_out, NULL)) {
		struct bl_str copy =
			bl_arena_copy_str(&cli->arena, bl_buf_str(&laid_out));

		text = copy.ptr ? copy : text;
	}
	bl_buf_clear(&laid_out);
	return text;
}

static struct bl_str query_text(struct cli *cli,
				const struct bl_rego_partial_query *query)
{
	const struct bl_rego_body *body =
		query->text.len ? parse_query(cli, query, NULL) : NULL;
	struct bl_buf written;
	struct bl_str text;

	if (!body)
		return query->text;
	bl_buf_init(&written, 0);
	bl_rego_print_query(&written, body);
	text = bl_arena_copy_str(&cli->arena, bl_buf_str(&written));
	bl_buf_clear(&written);
	return text;
}

static void put_source(struct cli *cli, const struct bl_rego_partial *partial)
{
	for (size_t i = 0; i < partial->query_count; i++) {
		struct bl_str text = query_text(cli, &partial->queries[i]);

		bl_buf_printf(&cli->out, "# Query %zu\n%.*s\n\n", i + 1,
			      BL_STR_ARG(text));
	}
	for (size_t i = 0; i < partial->support_count; i++) {
		struct bl_str text = support_text(cli, partial->support[i]);

		bl_buf_printf(&cli->out, "# Module %zu\n%.*s%s", i + 1,
			      BL_STR_ARG(text),
			      i + 1 < partial->support_count ? "\n" : "");
	}
}

/* ---- a table ---------------------------------------------------------------- */

struct row {
	struct bl_str name;
	struct bl_str text; /* of several lines */
};

static size_t width_of(struct bl_str text)
{
	size_t width = 0;
	size_t at = 0;

	while (at < text.len) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);
		struct bl_str line = bl_str_slice(text, at, end);
		size_t len = 0;

		for (size_t i = 0; i < line.len; i++)
			len += line.ptr[i] == '\t'
				       ? 2
				       : ((unsigned char)line.ptr[i] & 0xC0) !=
						 0x80;
		width = len > width ? len : width;
		at = end == SIZE_MAX ? text.len : end + 1;
	}
	return width;
}

static void put_rule(struct bl_buf *out, const char *const marks[3],
		     const size_t widths[2])
{
	bl_buf_puts(out, marks[0]);
	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < widths[i] + 2; j++)
			bl_buf_puts(out, "─");
		bl_buf_puts(out, marks[i + 1]);
	}
	bl_buf_put_char(out, '\n');
}

static void put_cell(struct bl_buf *out, struct bl_str text, size_t width)
{
	size_t len = width_of(text);

	bl_buf_puts(out, "│ ");
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\t')
			bl_buf_puts(out, "  ");
		else
			bl_buf_put_char(out, text.ptr[i]);
	for (; len < width; len++)
		bl_buf_put_char(out, ' ');
	bl_buf_put_char(out, ' ');
}

static void put_row(struct bl_buf *out, const struct row *row,
		    const size_t widths[2])
{
	size_t at = 0;
	struct bl_str name = row->name;

	do {
		size_t end = bl_str_find(row->text, BL_STR("\n"), at);

		put_cell(out, name, widths[0]);
		put_cell(out, bl_str_slice(row->text, at, end), widths[1]);
		bl_buf_puts(out, "│\n");
		name = BL_STR("");
		at = end == SIZE_MAX ? row->text.len : end + 1;
	} while (at < row->text.len);
}

static struct row make_row(struct cli *cli, const char *what, size_t number,
			   struct bl_str text)
{
	while (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	return (struct row){
		bl_arena_printf(&cli->arena, "%s %zu", what, number), text
	};
}

static enum bl_status put_table(struct cli *cli,
				const struct bl_rego_partial *partial,
				struct bl_error *err)
{
	static const char *const top[] = { "┌", "┬", "┐" };
	static const char *const middle[] = { "├", "┼", "┤" };
	static const char *const bottom[] = { "└", "┴", "┘" };
	size_t count = partial->query_count + partial->support_count;
	struct row *rows =
		bl_arena_new_array(&cli->arena, struct row, count + 1);
	size_t widths[2] = { 0, 0 };

	if (!rows)
		return bl_arena_fail(&cli->arena, err);
	if (!partial->query_count) {
		bl_buf_puts(&cli->out, "undefined\n");
		return BL_OK;
	}
	for (size_t i = 0; i < count; i++) {
		size_t support = i - partial->query_count;

		rows[i] =
			i < partial->query_count
				? make_row(
					  cli, "Query", i + 1,
					  query_text(cli, &partial->queries[i]))
				: make_row(cli, "Support", support + 1,
					   support_text(
						   cli,
						   partial->support[support]));
		if (rows[i].name.len > widths[0])
			widths[0] = rows[i].name.len;
		if (width_of(rows[i].text) > widths[1])
			widths[1] = width_of(rows[i].text);
	}
	for (size_t i = 0; i < count; i++) {
		put_rule(&cli->out, i ? middle : top, widths);
		put_row(&cli->out, &rows[i], widths);
	}
	put_rule(&cli->out, bottom, widths);
	return BL_OK;
}

enum bl_status cli_partial_put(struct cli *cli, struct bl_str format,
			       const struct bl_rego_partial *partial,
			       struct bl_error *err)
{
	if (bl_str_is(format, "pretty"))
		return put_table(cli, partial, err);
	if (bl_str_is(format, "source"))
		put_source(cli, partial);
	else
		return put_json(cli, partial, err);
	return BL_OK;
}

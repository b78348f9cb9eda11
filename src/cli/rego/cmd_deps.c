/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_deps.c: belay rego deps, the documents that a query needs. */
#include "cli/rego/bundle_options.h"
#include "cli/rego/errors.h"
#include "cli/rego/files.h"
#include "cli/rego/opa_options.h"
#include "json/json.h"

enum { OPT_DATA, OPT_BUNDLE, OPT_FORMAT, OPT_IGNORE, OPT_V0 };

enum { EXIT_ERROR = 1 /* as opa has it */ };

static const struct cli_option options[] = {
	[OPT_DATA] = { "data", 'd', CLI_LIST, "PATH",
		       "policies (.rego), or folders of them" },
	[OPT_BUNDLE] = { "bundle", 'b', CLI_LIST, "PATH",
			 "bundle: a folder or a .tar.gz" },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "DEPS_FORMAT",
			 "pretty (the default) or json" },
	[OPT_IGNORE] = { "ignore", 0, CLI_LIST, "PATTERN",
			 "leave out files and folders so named ('.*', "
			 "'*_test.rego')" },
	[OPT_V0] = CLI_V0_ROW,
};

/* ---- a table ---------------------------------------------------------------- */

static struct bl_str path_text(struct cli *cli, struct bl_value path)
{
	struct bl_buf text;
	struct bl_str copy;

	bl_buf_init(&text, 0);
	bl_buf_put_str(&text, bl_value_text(bl_value_item(path, 0)));
	for (size_t i = 1; i < bl_value_count(path); i++)
		bl_rego_put_key(&text, bl_value_item(path, i));
	copy = bl_arena_copy_str(&cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

struct column {
	struct bl_str title;
	struct bl_value paths;
	size_t width;
};

static void put_rule(struct bl_buf *out, const struct column *columns,
		     size_t count, const char *const marks[3])
{
	for (size_t i = 0; i < count; i++) {
		bl_buf_puts(out, marks[i > 0]);
		for (size_t j = 0; j < columns[i].width + 2; j++)
			bl_buf_puts(out, "─");
	}
	bl_buf_puts(out, marks[2]);
	bl_buf_put_char(out, '\n');
}

/* centred: spaces on both sides, one more behind. */
static void put_cell(struct bl_buf *out, struct bl_str text, size_t width,
		     bool centred)
{
	size_t before = centred ? (width - text.len) / 2 : 0;

	bl_buf_printf(out, "│ %*s%.*s%*s ", (int)before, "", BL_STR_ARG(text),
		      (int)(width - text.len - before), "");
}

static void put_columns(struct cli *cli, const struct column *columns,
			size_t count)
{
	static const char *const top[] = { "┌", "┬", "┐" };
	static const char *const middle[] = { "├", "┼", "┤" };
	static const char *const bottom[] = { "└", "┴", "┘" };
	size_t rows = 0;

	for (size_t i = 0; i < count; i++)
		if (bl_value_count(columns[i].paths) > rows)
			rows = bl_value_count(columns[i].paths);
	put_rule(&cli->out, columns, count, top);
	for (size_t i = 0; i < count; i++)
		put_cell(&cli->out, columns[i].title, columns[i].width, true);
	bl_buf_puts(&cli->out, "│\n");
	put_rule(&cli->out, columns, count, middle);
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = 0; i < count; i++)
			put_cell(&cli->out,
				 row < bl_value_count(columns[i].paths)
					 ? path_text(cli,
						     bl_value_item(
							     columns[i].paths,
							     row))
					 : BL_STR(""),
				 columns[i].width, false);
		bl_buf_puts(&cli->out, "│\n");
	}
	put_rule(&cli->out, columns, count, bottom);
}

static void put_pretty(struct cli *cli,
		       const struct bl_rego_dependencies *found)
{
	const struct column all[] = {
		{ BL_STR("BASE DOCUMENTS"), found->base, 0 },
		{ BL_STR("VIRTUAL DOCUMENTS"), found->virtual, 0 },
	};
	struct column columns[2];
	size_t count = 0;

	for (size_t i = 0; i < BL_COUNT(all); i++) {
		if (!bl_value_count(all[i].paths))
			continue;
		columns[count] = all[i];
		columns[count].width = all[i].title.len;
		for (size_t j = 0; j < bl_value_count(all[i].paths); j++) {
			struct bl_str text =
				path_text(cli, bl_value_item(all[i].paths, j));

			if (text.len > columns[count].width)
				columns[count].width = text.len;
		}
		count++;
	}
	if (count)
		put_columns(cli, columns, count);
}

/* ---- JSON ------------------------------------------------------------------- */

/* A path as the references of syntax trees are. */
static struct bl_value ref_json(struct cli *cli, struct bl_value path)
{
	struct bl_array_builder parts;

	bl_array_builder_init(&parts, &cli->arena);
	for (size_t i = 0; i < bl_value_count(path); i++) {
		struct bl_value key = bl_value_item(path, i);
		const char *type = bl_kind_name(bl_value_kind(key));
		struct bl_object_builder part;

		bl_object_builder_init(&part, &cli->arena);
		bl_object_builder_add(
			&part, BL_STR("type"),
			bl_value_string(i ? bl_str(type) : BL_STR("var")));
		bl_object_builder_add(&part, BL_STR("value"), key);
		bl_array_builder_add(&parts, bl_object_builder_end(&part));
	}
	return bl_array_builder_end(&parts);
}

static void add_refs(struct cli *cli, struct bl_object_builder *to,
		     const char *key, struct bl_value paths)
{
	struct bl_array_builder refs;

	if (!bl_value_count(paths))
		return;
	bl_array_builder_init(&refs, &cli->arena);
	for (size_t i = 0; i < bl_value_count(paths); i++)
		bl_array_builder_add(&refs,
				     ref_json(cli, bl_value_item(paths, i)));
	bl_object_builder_add(to, bl_str(key), bl_array_builder_end(&refs));
}

static void put_json(struct cli *cli, const struct bl_rego_dependencies *found)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	add_refs(cli, &all, "base", found->base);
	add_refs(cli, &all, "virtual", found->virtual);
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

/* ---- the command ------------------------------------------------------------ */

static enum bl_status find(struct cli *cli, struct bl_diags *diags,
			   struct bl_rego_dependencies *out_found,
			   struct bl_error *err)
{
	const struct bl_bundle_options bundle_options = {
		.skip_verify = true,
		.ignored = cli->given[OPT_IGNORE].values,
		.ignored_count = cli->given[OPT_IGNORE].count,
		.v0 = cli_has(cli, OPT_V0),
	};
	const struct cli_rego_paths paths = {
		.files = cli->given[OPT_DATA].values,
		.file_count = cli->given[OPT_DATA].count,
		.bundles = cli->given[OPT_BUNDLE].values,
		.bundle_count = cli->given[OPT_BUNDLE].count,
		.bundle_options = &bundle_options,
		.modules_only = true,
	};
	const struct bl_rego_policies *policies;
	struct cli_rego_files files;
	enum bl_status status =
		cli_compile_rego(cli, &paths, &files, diags, &policies, err);

	if (status)
		return status;
	return bl_rego_find_dependencies(
		&cli->arena, files.sources, files.source_count,
		cli_operand(cli, 0), diags, out_found, err);
}

static int run_deps(struct cli *cli)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);
	bool json = bl_str_is(format, "json");
	struct bl_rego_dependencies found;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	if (!json && format.ptr && !bl_str_is(format, "pretty")) {
		bl_fail(&err, BL_USAGE, "there is no format '%.*s'",
			BL_STR_ARG(format));
		return cli_fail(cli, &err);
	}
	bl_diags_init(&diags, &cli->arena);
	if (find(cli, &diags, &found, &err)) {
		cli_note_diags(cli, &diags);
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	if (json)
		put_json(cli, &found);
	else
		put_pretty(cli, &found);
	return 0;
}

const struct cli_code cli_code_rego_deps = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
	.details = "Base documents are parts of input and data that no rule "
		   "makes; virtual ones are\n"
		   "rules.  They are found in the text of the query and of the "
		   "rules that it leads\n"
		   "to, as 'opa deps' does; nothing is evaluated.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  they are listed\n"
		   "  1  the query or a policy does not compile\n",
	.run = run_deps,
	.foreign = cli_opa_options,
};

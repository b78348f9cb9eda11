/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_parse.c: belay rego parse, the syntax tree of a policy. */
#include "cli/rego/bundle_options.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/errors.h"
#include "cli/rego/files.h"
#include "cli/rego/tree.h"
#include "json/json.h"
#include "os/os.h"

enum { OPT_FORMAT, OPT_INCLUDE, OPT_V0 };

enum { EXIT_ERROR = 1, MAX_FILE_BYTES = 64 << 20 };

static const struct cli_option options[] = {
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "TREE_FORMAT",
			 "pretty (the default) or json" },
	[OPT_INCLUDE] = { "json-include", 0, CLI_VALUE, "LIST",
			  "what else is in the JSON: locations, comments (the "
			  "default), with '-' before what is not wanted" },
	[OPT_V0] = CLI_V0_ROW,
};

static enum bl_status include(struct bl_str word, unsigned *parts,
			      struct bl_error *err)
{
	static const struct {
		const char *name;
		unsigned part;
	} words[] = {
		{ "locations", BL_REGO_AST_LOCATIONS },
		{ "comments", BL_REGO_AST_COMMENTS },
	};
	bool leave_out = bl_str_has_prefix(word, BL_STR("-"));
	struct bl_str name = leave_out ? bl_str_slice(word, 1, SIZE_MAX) : word;

	for (size_t i = 0; i < BL_COUNT(words); i++) {
		if (!bl_str_is(name, words[i].name))
			continue;
		if (leave_out)
			*parts &= ~words[i].part;
		else
			*parts |= words[i].part;
		return BL_OK;
	}
	return bl_fail(err, BL_USAGE,
		       "--json-include knows locations and comments, not "
		       "'%.*s'",
		       BL_STR_ARG(word));
}

static enum bl_status read_parts(struct cli *cli, unsigned *out_parts,
				 struct bl_error *err)
{
	struct bl_str list = cli_value(cli, OPT_INCLUDE);
	enum bl_status status = BL_OK;
	size_t from = 0;

	*out_parts = BL_REGO_AST_COMMENTS | BL_REGO_AST_ANNOTATIONS;
	while (!status && from < list.len) {
		size_t to = bl_str_find(list, BL_STR(","), from);

		status = include(bl_str_slice(list, from, to), out_parts, err);
		from = to == SIZE_MAX ? list.len : to + 1;
	}
	return status;
}

static enum bl_status read_tree(struct cli *cli, unsigned parts,
				struct bl_value *out_tree,
				struct bl_diags *diags, struct bl_error *err)
{
	struct bl_rego_source source = { .file = cli_operand(cli, 0),
					 .v0 = cli_has(cli, OPT_V0) };
	const struct bl_rego_module *module;
	enum bl_status status =
		bl_os_read_file(source.file, 0, MAX_FILE_BYTES, &cli->arena,
				&source.text, NULL, err);

	if (!status)
		status = bl_rego_parse_all(&cli->arena, &source, diags, &module,
					   err);
	if (status)
		return status;
	*out_tree = bl_rego_ast_json(module, parts, &cli->arena);
	return bl_value_is_defined(*out_tree) ? BL_OK
					      : bl_arena_fail(&cli->arena, err);
}

static int run_parse(struct cli *cli)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);
	bool json = bl_str_is(format, "json");
	struct bl_value tree;
	struct bl_diags diags;
	struct bl_error err;
	unsigned parts;

	if (!json && format.ptr && !bl_str_is(format, "pretty")) {
		bl_fail(&err, BL_USAGE, "there is no format '%.*s'",
			BL_STR_ARG(format));
		return cli_fail(cli, &err);
	}
	if (read_parts(cli, &parts, &err))
		return cli_fail(cli, &err);
	bl_diags_init(&diags, &cli->arena);
	if (read_tree(cli, parts, &tree, &diags, &err)) {
		if (json)
			cli_put_rego_errors(cli, cli_rego_errors(&cli->arena,
								 &diags, &err));
		cli_note_diags(cli, &diags);
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	if (json) {
		bl_json_write(&cli->out, tree, BL_JSON_PRETTY);
		bl_buf_put_char(&cli->out, '\n');
	} else {
		cli_put_rego_tree(&cli->out, tree);
	}
	return 0;
}

const struct cli_code cli_code_rego_parse = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
	.details = "Prints the syntax tree of a policy as 'opa parse' does: "
		   "for people, or as JSON.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  it is a policy\n"
		   "  1  it is not a policy, or cannot be read\n",
	.run = run_parse,
	.foreign = cli_opa_options,
};

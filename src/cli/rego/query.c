/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of commands that ask a query: the query, its input, its limits.
 */
#include "cli/rego/query.h"

enum bl_status cli_read_query(struct cli *cli, struct bl_str *out_query,
			      struct bl_error *err)
{
	*out_query = cli_operand(cli, 0);
	if (cli_check_target(cli, CLI_QUERY_TARGET, err))
		return err->status;
	if (cli_has(cli, CLI_QUERY_STDIN) == (cli->operand_count > 0))
		return bl_fail(err, BL_USAGE,
			       "give a query or --stdin, one of them");
	if (!cli_has(cli, CLI_QUERY_STDIN))
		return BL_OK;
	if (cli_has(cli, CLI_QUERY_STDIN_INPUT))
		return bl_fail(err, BL_USAGE,
			       "--stdin and --stdin-input exclude each other");
	return cli_read_input(cli, out_query, err);
}

enum bl_status cli_read_scope(struct cli *cli,
			      const struct bl_rego_module **out_scope,
			      struct bl_diags *diags, struct bl_error *err)
{
	const struct cli_given *imports = &cli->given[CLI_QUERY_IMPORT];
	struct bl_diag_source source = { .file = BL_STR("scope") };
	struct bl_buf text;
	size_t offset = 0;
	enum bl_status status;

	*out_scope = NULL;
	if (!cli_has(cli, CLI_QUERY_PACKAGE) && !imports->count)
		return BL_OK;
	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "package ");
	bl_buf_put_str(&text, cli_has(cli, CLI_QUERY_PACKAGE)
				      ? cli_value(cli, CLI_QUERY_PACKAGE)
				      : BL_STR("query[\"\"]"));
	for (size_t i = 0; i < imports->count; i++) {
		bl_buf_puts(&text, "\nimport ");
		bl_buf_put_str(&text, imports->values[i]);
	}
	source.text = bl_arena_copy_str(&cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	if (!source.text.ptr)
		return bl_arena_fail(&cli->arena, err);
	status = bl_rego_parse(&cli->arena, source.file, source.text, false,
			       out_scope, &offset, err);
	if (status == BL_SYNTAX)
		bl_diags_add(diags, BL_SEVERITY_ERROR, "rego_parse_error",
			     &source, bl_place_at(source.text, offset), NULL,
			     "%s", err->message);
	return status;
}

struct cli_rego_paths cli_query_paths(const struct cli *cli)
{
	return (struct cli_rego_paths){
		.files = cli->given[CLI_QUERY_DATA].values,
		.file_count = cli->given[CLI_QUERY_DATA].count,
		.bundles = cli->given[CLI_QUERY_BUNDLE].values,
		.bundle_count = cli->given[CLI_QUERY_BUNDLE].count,
	};
}

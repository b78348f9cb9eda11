/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_validate.c: belay validate, a policy directory's faults. */
#include "cli/policy_setup.h"
#include "json/json.h"

enum { OPT_POLICY_DIR, OPT_JSON, OPT_SARIF };

static const struct cli_option options[] = {
	[OPT_POLICY_DIR] = { "policy-dir", 0, CLI_VALUE, "DIR",
			     "policy directory (default: .belay or .cupcake "
			     "here)" },
	[OPT_JSON] = { "json", 0, CLI_FLAG, NULL,
		       "print JSON, by file, as Cupcake does" },
	[OPT_SARIF] = { "sarif", 0, CLI_FLAG, NULL, "print a SARIF log" },
};

/* ---- printing ------------------------------------------------------------- */

static const char *rule_id(const struct bl_diag *diag)
{
	const char *slash = strchr(diag->code, '/');

	return slash ? slash + 1 : diag->code;
}

static struct bl_value issue(struct cli *cli, const struct bl_diag *diag)
{
	struct bl_object_builder one;

	bl_object_builder_init(&one, &cli->arena);
	bl_object_builder_add(
		&one, BL_STR("severity"),
		bl_value_string(diag->severity == BL_SEVERITY_ERROR
					? BL_STR("Error")
					: BL_STR("Warning")));
	bl_object_builder_add(&one, BL_STR("rule_id"),
			      bl_value_string(bl_str(rule_id(diag))));
	bl_object_builder_add(&one, BL_STR("message"),
			      bl_value_string(diag->message));
	bl_object_builder_add(&one, BL_STR("line"),
			      diag->place.line
				      ? bl_value_integer(diag->place.line)
				      : bl_value_null());
	return bl_object_builder_end(&one);
}

static bool is_first_of_file(const struct bl_diags *diags,
			     const struct bl_diag *diag)
{
	const struct bl_diag *other = diags->first;

	while (other != diag && !bl_str_equal(other->file, diag->file))
		other = other->next;
	return other == diag;
}

static struct bl_value file_value(struct cli *cli, const struct bl_diag *first)
{
	struct bl_object_builder one;
	struct bl_array_builder issues;
	int64_t errors = 0;
	int64_t warnings = 0;

	bl_array_builder_init(&issues, &cli->arena);
	for (const struct bl_diag *diag = first; diag; diag = diag->next) {
		if (!bl_str_equal(diag->file, first->file))
			continue;
		errors += diag->severity == BL_SEVERITY_ERROR;
		warnings += diag->severity == BL_SEVERITY_WARNING;
		bl_array_builder_add(&issues, issue(cli, diag));
	}
	bl_object_builder_init(&one, &cli->arena);
	bl_object_builder_add(&one, BL_STR("path"),
			      bl_value_string(first->file));
	bl_object_builder_add(&one, BL_STR("error_count"),
			      bl_value_integer(errors));
	bl_object_builder_add(&one, BL_STR("warning_count"),
			      bl_value_integer(warnings));
	bl_object_builder_add(&one, BL_STR("issues"),
			      bl_array_builder_end(&issues));
	return bl_object_builder_end(&one);
}

static void put_json(struct cli *cli, const struct bl_diags *diags,
		     size_t files)
{
	struct bl_object_builder all;
	struct bl_array_builder policies;

	bl_array_builder_init(&policies, &cli->arena);
	for (const struct bl_diag *diag = diags->first; diag; diag = diag->next)
		if (is_first_of_file(diags, diag))
			bl_array_builder_add(&policies, file_value(cli, diag));
	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("total_files"),
			      bl_value_integer((int64_t)files));
	bl_object_builder_add(&all, BL_STR("total_errors"),
			      bl_value_integer((int64_t)diags->error_count));
	bl_object_builder_add(&all, BL_STR("total_warnings"),
			      bl_value_integer((int64_t)diags->warning_count));
	bl_object_builder_add(&all, BL_STR("policies"),
			      bl_array_builder_end(&policies));
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

static void put_people(struct cli *cli, const struct bl_diags *diags,
		       size_t files)
{
	const char *s = files == 1 ? "" : "s";

	bl_diags_print(diags, cli->colour, &cli->out);
	if (!diags->error_count && !diags->warning_count)
		bl_buf_printf(&cli->out, "%zu file%s: nothing to complain of\n",
			      files, s);
	else
		bl_buf_printf(
			&cli->out, "%zu error%s, %zu warning%s in %zu file%s\n",
			diags->error_count, diags->error_count == 1 ? "" : "s",
			diags->warning_count,
			diags->warning_count == 1 ? "" : "s", files, s);
}

static int run_validate(struct cli *cli)
{
	struct bl_str dir;
	struct bl_diags diags;
	struct bl_error err;
	size_t files = 0;
	enum bl_status status =
		cli_named_policies(cli, OPT_POLICY_DIR, &dir, &err);

	bl_diags_init(&diags, &cli->arena);
	if (!status)
		status = cli_check_policies(cli, dir, BL_STR(""), &diags,
					    &files, &err);
	if (status) {
		cli_fail(cli, &err);
		return 1;
	}
	if (cli_has(cli, OPT_SARIF))
		bl_json_write_sarif(&cli->out, &diags, BELAY_VERSION);
	else if (cli_has(cli, OPT_JSON))
		put_json(cli, &diags, files);
	else
		put_people(cli, &diags, files);
	return diags.error_count > 0;
}

const struct cli_code cli_code_validate = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"Checks the rulebook, the metadata of every policy, and that "
		"the policies of each agent compile together; and looks for "
		"what is well formed but not meant: a verb that has no effect "
		"at its event, a policy that never runs.\n"
		"\n"
		"Exit status: 0, or 1 when there are errors.\n",
	.run = run_validate,
};

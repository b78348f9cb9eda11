/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_inspect.c: belay inspect, the policies of a directory. */
#include "base/utf8.h"
#include "cli/policy_setup.h"
#include "cli/rego/files.h"
#include "json/json.h"

enum { OPT_POLICY_DIR, OPT_JSON, OPT_TABLE };

static const struct cli_option options[] = {
	[OPT_POLICY_DIR] = { "policy-dir", 0, CLI_VALUE, "DIR",
			     "policy directory (default: .belay or .cupcake "
			     "here)" },
	[OPT_JSON] = CLI_JSON_ROW,
	[OPT_TABLE] = { "table", 't', CLI_FLAG, NULL, "print a table" },
};

enum { MAX_TITLE = 40 };

static struct bl_value at(struct bl_value value, const char *a, const char *b,
			  const char *c)
{
	value = bl_object_find(value, bl_str(a));
	if (b)
		value = bl_object_find(value, bl_str(b));
	return c ? bl_object_find(value, bl_str(c)) : value;
}

/* The lists of the routing, by their names. */
static const char *const lists[] = { "required_events", "required_tools",
				     "required_signals" };

static struct bl_value list_or_empty(struct cli *cli, struct bl_value value)
{
	return bl_value_is(value, BL_KIND_ARRAY)
		       ? value
		       : bl_array_make(&cli->arena, NULL, 0);
}

static struct bl_value policy_value(struct cli *cli,
				    const struct bl_policy_info *info)
{
	static const char *const fields[] = { "title", "authors",
					      "organizations", "scope" };
	struct bl_object_builder one;

	bl_object_builder_init(&one, &cli->arena);
	bl_object_builder_add(&one, BL_STR("path"),
			      bl_value_string(info->path));
	bl_object_builder_add(&one, BL_STR("package"),
			      bl_value_string(info->package));
	bl_object_builder_add(&one, BL_STR("is_builtin"),
			      bl_value_boolean(info->is_builtin));
	for (size_t i = 0; i < BL_COUNT(lists); i++)
		bl_object_builder_add(
			&one, bl_str(lists[i]),
			list_or_empty(cli, at(info->metadata, "custom",
					      "routing", lists[i])));
	for (size_t i = 0; i < BL_COUNT(fields); i++)
		bl_object_builder_add(
			&one, bl_str(fields[i]),
			at(info->metadata, fields[i], NULL, NULL));
	return bl_object_builder_end(&one);
}

static void put_json(struct cli *cli, const struct bl_policy_info *list,
		     size_t count)
{
	struct bl_array_builder all;

	bl_array_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&all, policy_value(cli, &list[i]));
	bl_json_write(&cli->out, bl_array_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

/* "a, b", or "-". */
static struct bl_str joined(struct cli *cli, struct bl_value list)
{
	struct bl_str text = BL_STR("");

	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_str item = bl_value_text(bl_value_item(list, i));

		text = bl_arena_printf(&cli->arena, "%.*s%s%.*s",
				       BL_STR_ARG(text), i ? ", " : "",
				       BL_STR_ARG(item));
	}

	return text.len ? text : BL_STR("-");
}

static struct bl_str routing(struct cli *cli, const struct bl_policy_info *info,
			     const char *name)
{
	return joined(cli, at(info->metadata, "custom", "routing", name));
}

static void put_people(struct cli *cli, const struct bl_policy_info *list,
		       size_t count)
{
	static const char *const labels[] = { "events", "tools", "signals" };

	for (size_t i = 0; i < count; i++) {
		struct bl_str title = bl_value_text(
			at(list[i].metadata, "title", NULL, NULL));

		cli_put_text(&cli->out, 0, list[i].package);
		bl_buf_puts(&cli->out, "\n  file: ");
		cli_put_text(&cli->out, 2, list[i].path);
		if (title.len) {
			bl_buf_puts(&cli->out, "\n  title: ");
			cli_put_text(&cli->out, 2, title);
		}
		for (size_t j = 0; j < BL_COUNT(lists); j++) {
			bl_buf_printf(&cli->out, "\n  %s: ", labels[j]);
			cli_put_text(&cli->out, 2,
				     routing(cli, &list[i], lists[j]));
		}
		bl_buf_puts(&cli->out, "\n");
	}
	bl_buf_printf(&cli->out, "%zu polic%s\n", count,
		      count == 1 ? "y" : "ies");
}

/* ---- the table ------------------------------------------------------------ */

enum { COLUMNS = 5 };

static struct bl_str short_title(struct cli *cli, struct bl_str title)
{
	if (title.len <= MAX_TITLE)
		return title.len ? title : BL_STR("-");
	title.len = MAX_TITLE - 3;
	title.len = bl_utf8_valid_prefix(title);
	return bl_arena_printf(&cli->arena, "%.*s...", BL_STR_ARG(title));
}

static void fill_row(struct cli *cli, const struct bl_policy_info *info,
		     struct bl_str row[COLUMNS])
{
	struct bl_str prefix = BL_STR("cupcake.");

	row[0] = bl_str_has_prefix(info->package, prefix)
			 ? bl_str_slice(info->package, prefix.len, SIZE_MAX)
			 : info->package;
	row[1] = routing(cli, info, lists[0]);
	row[2] = routing(cli, info, lists[1]);
	row[3] = short_title(
		cli, bl_value_text(at(info->metadata, "title", NULL, NULL)));
	row[4] = info->is_builtin ? BL_STR("builtin") : BL_STR("custom");
}

static void put_table(struct cli *cli, const struct bl_policy_info *list,
		      size_t count)
{
	static const char *const titles[COLUMNS] = { "Package", "Events",
						     "Tools", "Title", "Type" };
	struct bl_str(*rows)[COLUMNS] =
		bl_arena_zalloc(&cli->arena, count + 1, sizeof(*rows));
	size_t widths[COLUMNS] = { 0 };

	if (!rows)
		return;
	for (size_t column = 0; column < COLUMNS; column++)
		rows[0][column] = bl_str(titles[column]);
	for (size_t i = 0; i < count; i++)
		fill_row(cli, &list[i], rows[i + 1]);
	for (size_t i = 0; i <= count; i++)
		for (size_t column = 0; column < COLUMNS; column++)
			if (rows[i][column].len > widths[column])
				widths[column] = rows[i][column].len;
	for (size_t i = 0; i <= count; i++) {
		for (size_t column = 0; column < COLUMNS; column++) {
			size_t pad = column + 1 == COLUMNS
					     ? 0
					     : widths[column] + 2 -
						       rows[i][column].len;

			cli_put_text(&cli->out, 0, rows[i][column]);
			bl_buf_printf(&cli->out, "%*s", (int)pad, "");
		}
		bl_buf_puts(&cli->out, "\n");
	}
}

/* The rules that the rulebook itself holds. */
static enum bl_status put_rules(struct cli *cli, struct bl_str dir,
				struct bl_error *err)
{
	struct bl_rulebook book;
	struct bl_diags diags; /* note_errors tells them */
	struct bl_value rules;
	enum bl_status status;

	bl_diags_init(&diags, &cli->arena);
	status = bl_rulebook_read(dir, &cli->arena, &diags, &book, err);
	if (status)
		return status;
	rules = bl_object_find(book.own, BL_STR("rules"));
	for (size_t i = 0; i < bl_value_count(rules); i++) {
		struct bl_value rule = bl_value_item(rules, i);
		int64_t line = 0;

		(void)bl_number_to_integer(bl_object_find(rule, BL_STR("line")),
					   &line);
		cli_put_text(&cli->out, 0,
			     bl_value_text(at(rule, "id", NULL, NULL)));
		bl_buf_puts(&cli->out, "\n  file: ");
		cli_put_text(&cli->out, 2, book.path);
		bl_buf_printf(&cli->out, ":%lld\n  rule: ", (long long)line);
		cli_put_text(&cli->out, 2,
			     bl_value_text(at(rule, "verb", NULL, NULL)));
		bl_buf_put_char(&cli->out, ' ');
		cli_put_text(&cli->out, 2,
			     bl_value_text(at(rule, "subject", NULL, NULL)));
		bl_buf_puts(&cli->out, ": ");
		cli_put_text(&cli->out, 2,
			     bl_value_text(at(rule, "text", NULL, NULL)));
		bl_buf_put_char(&cli->out, '\n');
	}
	if (bl_value_count(rules))
		bl_buf_printf(&cli->out, "%zu rule%s of the rulebook\n",
			      bl_value_count(rules),
			      bl_value_count(rules) == 1 ? "" : "s");
	return BL_OK;
}

/* The errors of the directory, as `belay validate` has them. */
static enum bl_status note_errors(struct cli *cli, struct bl_str dir,
				  size_t *out_errors, struct bl_error *err)
{
	struct bl_diags diags;
	struct bl_diags errors;
	size_t files;
	enum bl_status status;

	bl_diags_init(&diags, &cli->arena);
	bl_diags_init(&errors, &cli->arena);
	status = cli_check_policies(cli, dir, BL_STR(""), &diags, &files, err);
	for (const struct bl_diag *one = diags.first; !status && one;
	     one = one->next) {
		const struct bl_diag_source source = { one->file, BL_STR("") };

		if (one->severity == BL_SEVERITY_ERROR)
			bl_diags_add(&errors, one->severity, one->code, &source,
				     one->place, NULL, "%.*s",
				     BL_STR_ARG(one->message));
	}
	if (errors.first)
		cli_note_diags(cli, &errors);
	*out_errors = errors.error_count;
	return status;
}

static int run_inspect(struct cli *cli)
{
	struct bl_policy_validate_options wanted = {
		.agent_at = bl_agent_name_at,
	};
	struct bl_policy_infos list = { 0 };
	struct bl_diags diags;
	size_t errors = 0;
	struct bl_error err;
	enum bl_status status =
		cli_named_policies(cli, OPT_POLICY_DIR, &wanted.dir, &err);

	if (!status && cli_has(cli, OPT_JSON) && cli_has(cli, OPT_TABLE)) {
		bl_fail(&err, BL_USAGE,
			"--json and --table do not go together");
		return cli_fail(cli, &err);
	}
	bl_diags_init(&diags, &cli->arena);
	if (!status)
		status = bl_policy_list(&wanted, &cli->arena, &diags, &list,
					&err);
	if (!status)
		status = note_errors(cli, wanted.dir, &errors, &err);
	if (status) {
		cli_fail(cli, &err);
		return 1;
	}
	if (cli_has(cli, OPT_JSON))
		put_json(cli, list.items, list.count);
	else if (cli_has(cli, OPT_TABLE))
		put_table(cli, list.items, list.count);
	else
		put_people(cli, list.items, list.count);
	if (!cli_has(cli, OPT_JSON) && !cli_has(cli, OPT_TABLE) &&
	    put_rules(cli, wanted.dir, &err)) {
		cli_fail(cli, &err);
		return 1;
	}
	return errors > 0;
}

const struct cli_code cli_code_inspect = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Lists every policy that is loaded, of all agents, with "
		   "what it routes on; also those whose metadata is broken. "
		   "Errors, such as a file that is not loaded, are told on "
		   "standard error.\n"
		   "\n"
		   "Exit status: 0, or 1 when there are errors.\n",
	.run = run_inspect,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/rego/quick_eval.c: belay rego eval of an image, without belay-tools.
 *
 * The plainest question is answered at once: one image, one document, input of
 * JSON.  Whatever else is asked, and whatever goes wrong, is left to the
 * command itself (cmd_eval.c): errors are explained in one place.
 */
#include "cli/rego/eval_options.h"
#include "cli/rego/formats.h"
#include "cli/rego/image.h"
#include "json/json.h"
#include "os/os.h"

enum { OPT_BUNDLE, OPT_INPUT, OPT_FORMAT };

static const struct cli_option options[] = {
	[OPT_BUNDLE] = { "bundle", 'b', CLI_VALUE, "PATH", NULL },
	[OPT_INPUT] = { "input", 'i', CLI_VALUE, "FILE", NULL },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "FORMAT", NULL },
};

static const struct cli_code code = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
};

/* "data.a.b": what else Rego reads as a document is not as plain. */
static bool read_path(struct bl_str query, struct bl_str *out_path)
{
	static const struct bl_str prefix = { "data.", 5 };

	*out_path = bl_str_slice(query, prefix.len, SIZE_MAX);
	return bl_str_has_prefix(query, prefix) && bl_rego_is_path(*out_path);
}

static bool read_input(struct cli *cli, struct bl_value *out_input)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_str text;

	*out_input = bl_value_undefined();
	if (!cli_has(cli, OPT_INPUT))
		return true;
	return !bl_os_read_file(cli_value(cli, OPT_INPUT), 0,
				limits.payload_bytes, &cli->arena, &text, NULL,
				NULL) &&
	       !bl_json_read(&cli->arena, text, NULL, out_input, NULL, NULL,
			     NULL);
}

/* The document, undefined where it has no value. */
static bool evaluate(struct cli *cli, struct bl_str path,
		     struct bl_value *out_document)
{
	const struct bl_rego_policies *policies;
	struct bl_rego_result result = { 0 };
	struct bl_rego_options asked;
	struct bl_value data;
	uint32_t document;

	if (cli_open_rego_image(cli, cli_value(cli, OPT_BUNDLE), &policies,
				&data, NULL))
		return false;
	document = bl_rego_find(policies, path);
	if (document == BL_REGO_NO_DOCUMENT ||
	    bl_rego_is_function(policies, document))
		return false;
	asked = cli_rego_eval_options(data);
	if (!read_input(cli, &asked.input) ||
	    bl_rego_document(policies, document, &asked, &cli->arena, &result,
			     NULL) ||
	    result.fault_code)
		return false;
	*out_document = result.document;
	return true;
}

/* An answer of one statement, or of none. */
static struct bl_value answer_of(struct cli *cli, struct bl_str query,
				 struct bl_value document)
{
	struct bl_array_builder list;
	struct bl_object_builder one;
	struct bl_value expression;

	bl_array_builder_init(&list, &cli->arena);
	if (bl_value_is_defined(document)) {
		expression = cli_rego_expression(
			&cli->arena, query, bl_place_at(query, 0), document);
		bl_object_builder_init(&one, &cli->arena);
		bl_object_builder_add(
			&one, BL_STR("expressions"),
			bl_array_make(&cli->arena, &expression, 1));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

/* The answer is in cli->out; false: something is not as simple as that. */
static bool run(struct cli *cli)
{
	struct bl_str name = cli_value(cli, OPT_FORMAT);
	const struct cli_rego_form *form =
		cli_rego_form_find(name.ptr ? name : BL_STR("json"));
	struct bl_str query = cli_operand(cli, 0);
	struct cli_rego_shown shown = { 0 };
	struct bl_value document;
	struct bl_str path;

	if (!form || !read_path(query, &path) ||
	    !cli_is_rego_image(cli_value(cli, OPT_BUNDLE)) ||
	    !evaluate(cli, path, &document))
		return false;
	shown.answer = answer_of(cli, query, document);
	if (!bl_value_is_defined(shown.answer))
		return false;
	form->put(cli, &shown);
	return true;
}

bool cli_quick_rego_eval(struct cli *cli, int used)
{
	const struct cli_command *command = cli->command;
	const struct cli_command plain = { .name = command->name,
					   .code = &code };
	struct bl_error err;
	bool done;

	cli->command = &plain;
	done = cli_parse(cli, used + 1, &err) == CLI_PARSED && run(cli);
	cli->command = command;
	return done;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hooks_explain.c: belay hooks explain: match, but run nothing. */
#include "cli/cli.h"
#include "cli/summary.h"

enum { OPT_JSON = CLI_OPT_SETUP_COUNT };

static const struct cli_option options[] = {
	CLI_SETUP_ROWS,
	[OPT_JSON] = CLI_JSON_ROW,
};

static bool runs(const struct bl_reply_execution *execution)
{
	return execution->match <= BL_MATCH_RUNS_LIMIT;
}

static void put_reply(struct cli *cli, const struct bl_reply *reply)
{
	size_t others = 0;

	bl_buf_printf(&cli->out, "%s:\n", reply->step->name);
	for (size_t i = 0; i < reply->execution_count; i++) {
		const struct bl_reply_execution *execution =
			&reply->executions[i];

		if (execution->match == BL_MATCH_OTHER_STEP) {
			others++;
			continue;
		}
		cli_put_hook(&cli->out, 2, execution->hook);
		bl_buf_puts(&cli->out, "    ");
		cli_put_styled(cli, runs(execution) ? CLI_GREEN : CLI_YELLOW,
			       runs(execution) ? "runs" : "does not run");
		if (execution->match != BL_MATCH_RUNS)
			bl_buf_printf(&cli->out, ": %s",
				      bl_match_text(execution->match));
		bl_buf_put_char(&cli->out, '\n');
	}
	bl_buf_printf(&cli->out, "  %zu hook%s for other events\n", others,
		      others == 1 ? " is" : "s are");
	cli_put_notices(&cli->out, reply->notices);
}

static struct bl_value to_value(const struct bl_reply *reply,
				struct bl_arena *arena)
{
	struct bl_object_builder object;
	struct bl_array_builder hooks;

	bl_array_builder_init(&hooks, arena);
	for (size_t i = 0; i < reply->execution_count; i++) {
		const struct bl_reply_execution *execution =
			&reply->executions[i];
		const struct bl_hook *hook = execution->hook;

		bl_object_builder_init(&object, arena);
		bl_object_builder_add(&object, BL_STR("source"),
				      bl_value_string(bl_str(bl_source_name(
					      hook->file->source))));
		bl_object_builder_add(&object, BL_STR("file"),
				      bl_value_string(hook->file->path));
		bl_object_builder_add(
			&object, BL_STR("step"),
			bl_value_string(bl_str(hook->step->name)));
		if (hook->command.len)
			bl_object_builder_add(&object, BL_STR("command"),
					      bl_value_string(hook->command));
		bl_object_builder_add(&object, BL_STR("runs"),
				      bl_value_boolean(runs(execution)));
		bl_object_builder_add(&object, BL_STR("match"),
				      bl_value_string(bl_str(bl_match_name(
					      execution->match))));
		bl_array_builder_add(&hooks, bl_object_builder_end(&object));
	}
	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("event"),
			      bl_value_string(bl_str(reply->step->name)));
	bl_object_builder_add(&object, BL_STR("hooks"),
			      bl_array_builder_end(&hooks));
	bl_object_builder_add(&object, BL_STR("notices"), reply->notices);
	return bl_object_builder_end(&object);
}

static int run(struct cli *cli)
{
	struct bl_engine_options setup;
	struct bl_engine *engine = NULL;
	struct bl_request request = { .step = cli_operand(cli, 0) };
	struct bl_reply reply;
	struct bl_error err;
	enum bl_status status = cli_read_payload(cli, &request.payload, &err);

	if (!status)
		status = cli_setup(cli, request.payload, &setup, &err);
	if (!status)
		status = bl_engine_new(&setup, &engine, &err);
	if (!status)
		status = bl_engine_explain(engine, &request, &cli->arena,
					   &reply, &err);
	if (status) {
		bl_engine_free(engine);
		return cli_fail(cli, &err);
	}
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli, to_value(&reply, &cli->arena));
	else
		put_reply(cli, &reply);
	bl_reply_clear(&reply);
	bl_engine_free(engine);
	return 0;
}

const struct cli_code cli_code_hooks_explain = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.details = "The event is one JSON object on standard input, as for "
		   "'belay dispatch'.\n",
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hooks_list.c: belay hooks list. */
#include "cli/cli.h"
#include "cli/summary.h"

enum { OPT_JSON = CLI_OPT_SETUP_COUNT };

static const struct cli_option options[] = {
	CLI_SETUP_ROWS,
	[OPT_JSON] = CLI_JSON_ROW,
};

static void put_file(struct bl_buf *out, const struct bl_hook_file *file)
{
	bl_buf_printf(out, "%s: ", bl_source_name(file->source));
	cli_put_text(out, 2, file->path);
	bl_buf_printf(out, " (%s)\n", bl_file_state_name(file->state));
	if (file->why.len && file->state != BL_HOOK_FILE_MISSING) {
		bl_buf_puts(out, "  ");
		cli_put_text(out, 4, file->why);
		bl_buf_put_char(out, '\n');
	}
}

static void put_option(struct bl_buf *out, const char *name,
		       struct bl_str value)
{
	bl_buf_printf(out, ", %s ", name);
	cli_put_text(out, 6, value);
}

static void put_webhook(struct cli *cli, const struct bl_webhook *webhook)
{
	struct bl_buf *out = &cli->out;

	put_option(out, "signed with",
		   bl_webhook_print_secret(webhook, &cli->arena));
	for (size_t i = 0; i < bl_value_count(webhook->addresses); i++)
		put_option(out, "may reach",
			   bl_value_text(bl_value_item(webhook->addresses, i)));
}

static void put_hook(struct cli *cli, const struct bl_hook *hook)
{
	struct bl_buf *out = &cli->out;
	bool is_prompt = hook->type == BL_HOOK_PROMPT;
	const char *why = bl_hook_why_not(hook);
	struct bl_script_fault fault = { 0 };

	if (!why)
		fault = bl_hook_check_start(hook, &cli->arena);
	bl_buf_printf(out, "  %s: ", hook->hook_event->name);
	if (is_prompt)
		bl_buf_puts(out, "(prompt) ");
	cli_put_text(out, 4, is_prompt ? hook->prompt : hook->command);
	bl_buf_puts(out, "\n    ");
	cli_put_styled(cli, why || fault.text.len ? CLI_YELLOW : CLI_GREEN,
		       why              ? "does not run"
		       : fault.text.len ? "cannot start"
					: "runs");
	if (why)
		bl_buf_printf(out, ": %s", why);
	if (hook->matcher.len)
		put_option(out, "matcher", hook->matcher);
	if (hook->timeout_ms)
		bl_buf_printf(out, ", timeout %g s", hook->timeout_ms / 1e3);
	if (hook->hook_event->has_loop_limit && hook->has_loop_limit)
		bl_buf_printf(out, ", loop limit %u", hook->loop_limit);
	if (hook->fail_closed)
		bl_buf_puts(out, ", fails closed");
	if (hook->webhook)
		put_webhook(cli, hook->webhook);
	if (fault.text.len) {
		bl_buf_puts(out, "\n    ");
		cli_put_text(out, 6, fault.text);
	}
	bl_buf_put_char(out, '\n');
}

static void put_set(struct cli *cli, const struct bl_hook_set *set)
{
	for (size_t i = 0; i < set->file_count; i++) {
		put_file(&cli->out, &set->files[i]);
		for (size_t j = 0; j < set->hook_count; j++) {
			if (set->hooks[j].file == &set->files[i])
				put_hook(cli, &set->hooks[j]);
		}
	}
	bl_diags_print(&set->diags, cli->colour, &cli->out);
}

static int run_hooks_list(struct cli *cli)
{
	struct bl_engine_options setup;
	struct bl_engine *engine = NULL;
	const struct bl_snapshot *snapshot;
	struct bl_error err;
	enum bl_status status = cli_setup(cli, BL_STR(""), &setup, &err);

	if (!status)
		status = bl_engine_new(&setup, &engine, &err);
	if (status)
		return cli_fail(cli, &err);
	snapshot = bl_engine_snapshot(engine);
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli,
			     bl_hook_set_to_value(bl_snapshot_set(snapshot),
						  &cli->arena));
	else
		put_set(cli, bl_snapshot_set(snapshot));
	bl_snapshot_unref(snapshot);
	bl_engine_free(engine);
	return 0;
}

const struct cli_code cli_code_hooks_list = {
	.options = options,
	.option_count = BL_COUNT(options),
	.run = run_hooks_list,
};

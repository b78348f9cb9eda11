/* SPDX-License-Identifier: Apache-2.0 */
/* everruns.c: events and hooks of the profiles of Everruns. */
#include "cli/everruns.h"

#include "cli/summary.h"
#include "os/os.h"

const struct bl_everruns_rules *cli_everruns(const struct cli *cli)
{
	return bl_everruns_rules_find(cli_value(cli, CLI_OPT_PROFILE));
}

static enum bl_status find_workspace(struct cli *cli, struct bl_str *out_path,
				     struct bl_error *err)
{
	struct bl_str given = BL_STR(".");
	enum bl_status status;

	if (cli->given[CLI_OPT_WORKSPACE].count > 1)
		return bl_fail(err, BL_USAGE,
			       "hooks of Everruns run in one workspace");
	if (cli_has(cli, CLI_OPT_WORKSPACE))
		given = cli_value(cli, CLI_OPT_WORKSPACE);
	status = bl_path_resolve(&cli->arena, given, out_path, err);
	if (status)
		bl_error_context(err, "workspace");
	return status;
}

static enum bl_status set_up(struct cli *cli, struct bl_str config,
			     struct bl_everruns_options *options,
			     struct bl_error *err)
{
	enum bl_status status = find_workspace(cli, &options->workspace, err);

	if (!status)
		status = cli_home(cli, CLI_OPT_HOME, &options->home, err);
	if (!status && cli_has(cli, CLI_OPT_ROOT))
		status = cli_absolute(cli, cli_value(cli, CLI_OPT_ROOT),
				      &options->system_root, err);
	if (!status && config.len)
		status = cli_absolute(cli, config, &options->config, err);
	return status;
}

/* An error of the journal is reported, and changes no decision. */
static void record(struct cli *cli, const struct cli_everruns_options *own,
		   struct bl_str payload, struct bl_everruns_reply *reply)
{
	struct bl_error err = { 0 };

	if (own->no_log)
		return;
	reply->is_recorded = cli_log_everruns(&own->journal, reply, payload,
					      &cli->arena, &err) == BL_OK;
	if (!reply->is_recorded)
		cli_note("belay: not recorded: %s\n", err.message);
}

enum bl_status cli_everruns_dispatch(struct cli *cli,
				     const struct bl_everruns_rules *rules,
				     const struct cli_everruns_options *own,
				     struct bl_everruns_reply *out_reply,
				     struct bl_error *err)
{
	struct bl_everruns_options options = {
		.rules = rules,
		.trust_all = cli_has(cli, CLI_OPT_TRUST_ALL),
	};
	struct bl_everruns_request request = { .event = cli_operand(cli, 0) };
	struct bl_everruns_set set;
	enum bl_status status = cli_read_payload(cli, &request.payload, err);

	if (!status)
		status = set_up(cli, own->config, &options, err);
	if (!status)
		status = bl_everruns_load(&options, &cli->arena, NULL, &set,
					  err);
	if (status)
		return status;
	request.workspace = options.workspace;
	status = bl_http_client_new(&request.http, err);
	if (!status)
		status = bl_everruns_dispatch(&set, &request, &cli->arena,
					      out_reply, err);
	bl_http_client_free(request.http);
	if (status == BL_UNSUPPORTED && !cli_is_tools)
		cli_become_tools(cli, request.payload, err);
	if (!status)
		record(cli, own, request.payload, out_reply);
	return status;
}

enum bl_status cli_validate_everruns(struct cli *cli,
				     const struct bl_everruns_rules *rules,
				     struct bl_diags *diags,
				     struct bl_error *err)
{
	struct bl_everruns_options options = {
		.rules = rules,
		.trust_all = true,
	};
	struct bl_everruns_set set;
	enum bl_status status = set_up(cli, BL_STR(""), &options, err);

	if (!status)
		status = bl_everruns_load(&options, &cli->arena, diags, &set,
					  err);
	return status;
}

/* ---- for people --------------------------------------------------------- */

static void put_execution(struct cli *cli,
			  const struct bl_everruns_execution *execution)
{
	const struct bl_everruns_run *run = &execution->run;
	struct bl_str why = execution->hook->broken;

	bl_buf_puts(&cli->out, "  ");
	cli_put_text(&cli->out, 4, execution->id);
	if (why.len)
		bl_buf_puts(&cli->out, ": not valid");
	else
		bl_buf_printf(&cli->out, ": %s",
			      bl_everruns_outcome_name(run->outcome.kind));
	bl_buf_printf(&cli->out, " (%s)",
		      bl_everruns_effect_name(execution->effect));
	if (run->ran)
		bl_buf_printf(&cli->out, " after %.1f ms",
			      (double)run->child.elapsed_ns / 1e6);
	if (!why.len)
		why = run->outcome.reason;
	if (why.len) {
		bl_buf_puts(&cli->out, ": ");
		cli_put_text(&cli->out, 4, why);
	}
	bl_buf_put_char(&cli->out, '\n');
}

static void put_line(struct cli *cli, const char *name, struct bl_str text)
{
	if (!text.len)
		return;
	bl_buf_printf(&cli->out, "  %s: ", name);
	cli_put_text(&cli->out, 4, text);
	bl_buf_put_char(&cli->out, '\n');
}

void cli_put_everruns(struct cli *cli, const struct bl_everruns_reply *reply)
{
	bl_buf_printf(&cli->out,
		      "%s: ", bl_everruns_event_name(reply->facts.event));
	cli_put_styled(cli, reply->is_blocked ? CLI_RED : CLI_GREEN,
		       reply->is_blocked ? "deny" : "allow");
	bl_buf_put_char(&cli->out, '\n');
	put_line(cli, "by", reply->blocked_by);
	put_line(cli, "reason", reply->reason);
	put_line(cli, "to the user", reply->user_message);
	if (reply->execution_count)
		bl_buf_puts(&cli->out, "hooks:\n");
	for (size_t i = 0; i < reply->execution_count; i++)
		put_execution(cli, &reply->executions[i]);
	cli_put_notices(&cli->out, reply->notices);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_opa_sync.c: belay opa sync: one sync with OPA's control plane, or one after
 * the other until a signal or belay opa leave ends it.
 */
#include <signal.h>

#include "cli/opa.h"
#include "engine/engine.h"
#include "journal/journal.h"

enum { OPT_FOLLOW = OPA_OPT_COUNT, OPT_JSON };

static const struct cli_option options[] = {
	OPA_ROWS,
	[OPT_FOLLOW] = { "follow", 'f', CLI_FLAG, NULL,
			 "go on, with the configuration's delays" },
	[OPT_JSON] = CLI_JSON_ROW,
};

static volatile sig_atomic_t was_signalled;

static void on_signal(int number)
{
	(void)number;
	was_signalled = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

static bool is_over(void *of)
{
	(void)of;
	return was_signalled != 0;
}

static void show(struct cli *cli, const struct bl_opa_state *state)
{
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli, bl_opa_state_value(state, &cli->arena));
	else
		cli_put_opa_state(&cli->out, state);
}

static void say_waiting(const struct bl_error *waiting)
{
	if (waiting->status == BL_LIMIT)
		cli_note("belay: the decision log has a gap: %s\n",
			 waiting->message);
	else if (waiting->status)
		cli_note("belay: what goes back waits: %s\n", waiting->message);
}

/* While it follows, only what has changed. */
static void told(void *of, const struct bl_opa_state *state,
		 const struct bl_error *waiting)
{
	struct cli *cli = of;
	size_t position = bl_arena_position(&cli->arena);

	say_waiting(waiting);
	if (!state->has_changed)
		return;
	show(cli, state);
	(void)cli_flush(cli, NULL);
	bl_arena_rewind(&cli->arena, position);
}

static void warn(const struct bl_opa_config *config)
{
	for (size_t i = 0; i < bl_value_count(config->warnings); i++) {
		struct bl_str text =
			bl_value_text(bl_value_item(config->warnings, i));

		cli_note("belay: %.*s\n", BL_STR_ARG(text));
	}
}

static enum bl_status prepare_client(struct cli *cli, struct bl_opa_client *out,
				     struct bl_opa_config *config,
				     struct bl_error *err)
{
	enum bl_status status;

	*out = (struct bl_opa_client){ .prepare = bl_engine_prepare_policies,
				       .context = &cli->arena,
				       .is_over = is_over,
				       .of = cli };
	status = cli_opa_place(cli, &out->place, err);
	if (!status)
		status = bl_opa_read_config(&out->place, &cli->arena, config,
					    err);
	if (!status)
		status = bl_journal_dir(&cli->arena, out->place.home,
					&out->journal_dir, err);
	return status ? status : bl_http_client_new(&out->http, err);
}

static int run_opa_sync(struct cli *cli)
{
	struct bl_opa_client client;
	struct bl_opa_config config;
	struct bl_opa_state state = { .state = BL_TEAM_CURRENT };
	struct bl_error waiting = { 0 };
	struct bl_error err = { 0 };
	enum bl_status status = prepare_client(cli, &client, &config, &err);

	if (status)
		return cli_fail(cli, &err);
	warn(&config);
	catch_signals();
	if (cli_has(cli, OPT_FOLLOW)) {
		status = bl_opa_follow(&client, told, &err);
		if (!status && !was_signalled)
			cli_note("belay: the bundle is out of force (belay opa "
				 "leave), and is not followed any longer\n");
	} else {
		status = bl_opa_sync(&client, &config, &cli->arena, &state,
				     &waiting, &err);
		say_waiting(&waiting);
		if (!status)
			show(cli, &state);
	}
	bl_http_client_free(client.http);
	return status ? cli_fail(cli, &err) : cli_opa_exit(&state);
}

const struct cli_code cli_code_opa_sync = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"Reads OPA's own configuration file, fetches the bundle that "
		"it "
		"names, verifies it, and puts it in force as the policies of a "
		"team are; then posts status and decisions where the "
		"configuration says so.  Whatever fails, the last good bundle "
		"stays in force ('belay opa status').\n"
		"\n"
		"Exit status: 0 when the newest bundle is in force, 1 in "
		"another state; with --follow 0 when a signal or 'belay opa "
		"leave' ends it.\n",
	.run = run_opa_sync,
};

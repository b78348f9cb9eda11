/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_team_login.c: belay team login: this machine joins a team.  Secrets come on
 * standard input, never as arguments, which every user of the machine can see.
 */
#include "cli/opa.h"
#include "cli/team.h"

#include "os/os.h"

enum {
	OPT_ENROL = TEAM_OPT_COUNT,
	OPT_CA_FILE,
	OPT_MAX_AGE,
	OPT_AGED,
	OPT_TOKEN_IN,
	OPT_COUNT
};

static const struct cli_option options[] = {
	TEAM_ROWS,
	[OPT_ENROL] = { "enrol", 0, CLI_FLAG, NULL,
			"with an enrolment token, which is read from standard "
			"input" },
	[OPT_CA_FILE] = { "ca-file", 0, CLI_VALUE, "FILE",
			  "certificates to trust instead of the system's" },
	[OPT_MAX_AGE] = { "max-age", 0, CLI_DURATION, "TIME",
			  "how old a set may become when the server is not "
			  "reached (default: 336h; 0: any age)" },
	[OPT_AGED] = { "aged", 0, CLI_VALUE, "AGED",
		       "what becomes of actions then: keep, ask or deny "
		       "(default: ask)" },
	[OPT_TOKEN_IN] = { "token-in", 0, CLI_VALUE, "PLACE",
			   "keep the token in the desktop's keyring, or in a "
			   "file of mode 0600: keyring or file (default: the "
			   "keyring, if there is one)" },
};

/* Another home is not the one that the desktop's keyring belongs to. */
static enum bl_status read_keeping(struct cli *cli, enum bl_team_keeping *out,
				   struct bl_error *err)
{
	struct bl_str place = cli_value(cli, OPT_TOKEN_IN);

	*out = BL_TEAM_IN_FILE;
	if (!cli_has(cli, OPT_TOKEN_IN)) {
		if (!cli_has(cli, TEAM_OPT_HOME) &&
		    !cli_has(cli, TEAM_OPT_ROOT) && bl_team_has_keyring())
			*out = BL_TEAM_IN_KEYRING_OR;
		return BL_OK;
	}
	if (bl_str_is(place, "keyring"))
		*out = BL_TEAM_IN_KEYRING;
	else if (!bl_str_is(place, "file"))
		return bl_fail(err, BL_USAGE, "--token-in is keyring or file");
	return BL_OK;
}

static enum bl_status read_options(struct cli *cli, struct bl_team_login *login,
				   struct bl_error *err)
{
	char host[256] = "";
	enum bl_status status = bl_team_check_server(
		cli_operand(cli, 0), &cli->arena, &login->server, err);

	if (!status)
		status = read_keeping(cli, &login->keeping, err);
	if (!status && cli_has(cli, OPT_CA_FILE))
		status = cli_absolute(cli, cli_value(cli, OPT_CA_FILE),
				      &login->ca_file, err);
	if (!status)
		status = bl_os_user_name(&cli->arena, &login->user, err);
	if (status)
		return status;
	bl_os_host_name(host, sizeof(host));
	login->host = bl_arena_copy_str(&cli->arena, bl_str(host));
	login->max_age_s = BL_TEAM_MAX_AGE_S;
	login->aged = BL_TEAM_AGED_ASK;
	if (cli_has(cli, OPT_MAX_AGE))
		login->max_age_s =
			(int64_t)(cli->given[OPT_MAX_AGE].number / 1000000000);
	if (cli_has(cli, OPT_AGED) &&
	    !bl_team_aged_find(cli_value(cli, OPT_AGED), &login->aged))
		return bl_fail(err, BL_USAGE, "--aged is keep, ask or deny");
	return login->host.ptr ? BL_OK : bl_arena_fail(&cli->arena, err);
}

static enum bl_status wait_for_person(struct cli *cli,
				      const struct bl_team_client *client,
				      const struct bl_team_login *login,
				      struct bl_error *err)
{
	struct bl_team_device device;
	bool done = false;
	int64_t end_ms;
	enum bl_status status =
		bl_team_device_begin(client, login, &cli->arena, &device, err);

	if (status)
		return status;
	cli_note("Open %.*s in a browser, and enter the code %.*s.\n"
		 "Only confirm a code that you have asked for yourself.\n",
		 BL_STR_ARG(device.uri), BL_STR_ARG(device.user_code));
	end_ms = bl_os_wall_ms() + device.expires_s * 1000;
	while (!status && !done) {
		if (bl_os_wall_ms() > end_ms)
			return bl_fail(err, BL_TIMEOUT,
				       "the code has expired: start again");
		bl_os_wait_readable(-1, (uint32_t)(device.interval_s * 1000));
		status = bl_team_device_poll(client, login, &device,
					     &cli->arena, &done, err);
	}
	return status;
}

static enum bl_status sign_in(struct cli *cli,
			      const struct bl_team_client *client,
			      struct bl_error *err)
{
	struct bl_team_login login = { .max_age_s = 0 };
	struct bl_str token = { NULL, 0 };
	enum bl_status status = read_options(cli, &login, err);

	if (status)
		return status;
	if (!cli_has(cli, OPT_ENROL))
		return wait_for_person(cli, client, &login, err);
	status = cli_team_read_secret(cli, "Enrolment token", &token, err);
	return status ? status
		      : bl_team_enrol(client, &login, token, &cli->arena, err);
}

static enum bl_status login(struct cli *cli, struct bl_team_report *report,
			    struct bl_error *err)
{
	struct bl_team_client client;
	enum bl_status status = cli_team_client(cli, &client, err);

	if (status)
		return status;
	status = cli_opa_check_free(cli, TEAM_OPT_HOME, TEAM_OPT_ROOT, err);
	if (!status)
		status = sign_in(cli, &client, err);
	if (!status)
		status = cli_team_sync(cli, &client, report, err);
	if (!status)
		cli_put_team_state(cli, report);
	if (!status && report->is_pending && report->fingerprint.len)
		status = cli_team_notice(cli, &client.place, report, err);
	bl_http_client_free(client.http);
	return status;
}

static int run_team_login(struct cli *cli)
{
	struct bl_team_report report;
	struct bl_error err = { 0 };

	return login(cli, &report, &err) ? cli_fail(cli, &err)
					 : cli_team_exit(&report);
}

const struct cli_code cli_code_team_login = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
	.details =
		"Signs this machine in at the team's server and fetches the "
		"team's set: a person confirms a code in a browser, or "
		"--enrol reads an enrolment token.  With 'TOKEN#DIGEST' the "
		"team's keys are pinned from the start; else those that the "
		"server has at first are.\n"
		"\n"
		"The team's hooks run once the first-time notice is answered: "
		"'belay team accept'.  On a managed machine "
		"(/etc/belay/team.json) nobody is asked.\n"
		"\n"
		"Exit status: 0 when the newest set is in force, 1 in another "
		"state.\n",
	.run = run_team_login,
};

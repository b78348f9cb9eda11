/* SPDX-License-Identifier: Apache-2.0 */
/* team.c: what the commands of belay team have in common: place, words, notice. */
#include "cli/team.h"

#include "cli/policy_setup.h"
#include "os/os.h"
#include "rego/bundle/bundle.h"

enum { FINGERPRINT_GROUP = 4, FINGERPRINT_SHOWN = 32 };

enum bl_status cli_team_folders(struct cli *cli, size_t home_option,
				size_t root_option, struct bl_str *out_home,
				struct bl_str *out_root, struct bl_error *err)
{
	enum bl_status status = cli_home(cli, home_option, out_home, err);

	*out_root = BL_STR("");
	if (!status && cli_has(cli, root_option))
		status = cli_absolute(cli, cli_value(cli, root_option),
				      out_root, err);
	return status;
}

enum bl_status cli_team_place(struct cli *cli, struct bl_team_place *out,
			      struct bl_error *err)
{
	struct bl_str root;
	struct bl_str home;
	enum bl_status status = cli_team_folders(
		cli, TEAM_OPT_HOME, TEAM_OPT_ROOT, &home, &root, err);

	return status ? status
		      : bl_team_find_place(root, home, &cli->arena, out, err);
}

enum bl_status cli_team_client(struct cli *cli, struct bl_team_client *out,
			       struct bl_error *err)
{
	enum bl_status status;

	*out = (struct bl_team_client){ .prepare = bl_engine_prepare_policies,
					.context = &cli->arena,
					.pack = bl_bundle_gzip };
	status = cli_team_place(cli, &out->place, err);
	return status ? status : bl_http_client_new(&out->http, err);
}

/* ---- words ------------------------------------------------------------------------- */

int cli_team_exit(const struct bl_team_report *report)
{
	return bl_team_state_in_force(report->state) == BL_TEAM_NEWEST ? 0 : 1;
}

void cli_put_time(struct bl_buf *out, const char *label, int64_t time)
{
	char text[BL_OS_TIME_TEXT_BYTES];

	if (!time)
		return;
	bl_os_format_time(time * 1000, text);
	/* "2026-11-28T02:42:41.123Z" without its milliseconds */
	bl_buf_printf(out, "  %-12s%.10s %.5s UTC\n", label, text, text + 11);
}

void cli_put_state(struct bl_buf *out, enum bl_team_state state,
		   struct bl_str detail)
{
	bl_buf_printf(out, "%s: %s\n", bl_team_state_name(state),
		      bl_team_state_text(state));
	if (!detail.len)
		return;
	bl_buf_puts(out, "  ");
	cli_put_text(out, 2, detail);
	bl_buf_put_char(out, '\n');
}

void cli_put_team_state(struct cli *cli, const struct bl_team_report *report)
{
	struct bl_buf *out = &cli->out;

	cli_put_state(out, report->state, report->detail);
	if (report->version)
		bl_buf_printf(out, "  %-12s%lld\n", "set",
			      (long long)report->version);
	cli_put_time(out, "checked", report->checked);
	cli_put_time(out, "good until", report->fresh_until);
	cli_put_time(out, "next try", report->next_try);
	if (report->is_pending)
		bl_buf_printf(out, "  %-12s%s\n", "notice",
			      bl_team_state_text(BL_TEAM_NOTICE_PENDING));
}

/* ---- the notice --------------------------------------------------------------------- */

static void put_fingerprint(struct bl_buf *out, struct bl_str fingerprint)
{
	for (size_t i = 0; i < FINGERPRINT_SHOWN && i < fingerprint.len;
	     i += FINGERPRINT_GROUP)
		bl_buf_printf(out, "%s%.*s", i ? " " : "",
			      (int)FINGERPRINT_GROUP, fingerprint.ptr + i);
}

static void put_notice(struct bl_buf *out, const struct bl_team_report *report)
{
	bl_buf_puts(out, "This team uses admin-enabled hooks: programs that "
			 "its administrators chose will\n"
			 "run on this machine when an agent acts.  Until you "
			 "answer, they do not run.\n"
			 "Fingerprint of team, server and keys, to compare "
			 "with what the team published:\n  ");
	put_fingerprint(out, report->fingerprint);
	bl_buf_put_char(out, '\n');
}

/* The letter that was typed; 0 for nothing that is an answer. */
static char ask(struct bl_error *err)
{
	enum { MOST = 64, PATIENCE_MS = 300000 };
	char line[MOST];
	size_t got = 0;
	struct bl_str answer;

	cli_note("[c]ontinue, [v]iew hooks, [l]ogout? ");
	if (bl_os_read_piece(0, PATIENCE_MS, line, sizeof(line), &got, err))
		return 0;
	answer = bl_str_trim((struct bl_str){ line, got });
	return answer.len ? answer.ptr[0] : 0;
}

static enum bl_status act_on(struct cli *cli, const struct bl_team_place *place,
			     char letter, struct bl_error *err)
{
	enum bl_status status = BL_OK;

	switch (letter) {
	case 'c':
		status = bl_team_accept(place, &cli->arena, err);
		if (!status)
			bl_buf_puts(&cli->out, "The team's hooks run.\n");
		return status;
	case 'l':
		status = bl_team_logout(place, &cli->arena, err);
		if (!status)
			bl_buf_puts(&cli->out, "Signed out of the team.\n");
		return status;
	case 'v':
		bl_buf_puts(&cli->out, "To see them: belay hooks list.  Then: "
				       "belay team accept, or belay team "
				       "logout\n");
		return BL_OK;
	default:
		bl_buf_puts(&cli->out, "Nothing was answered: belay team "
				       "accept, when you want to\n");
		return BL_OK;
	}
}

enum bl_status cli_team_notice(struct cli *cli,
			       const struct bl_team_place *place,
			       const struct bl_team_report *report,
			       struct bl_error *err)
{
	struct bl_buf text;
	char letter;

	if (bl_os_check_terminal(NULL)) {
		put_notice(&cli->out, report);
		bl_buf_puts(&cli->out,
			    "  Continue:   belay team accept --yes\n"
			    "  View Hooks: belay hooks list\n"
			    "  Logout:     belay team logout --yes\n");
		return BL_OK;
	}
	bl_buf_init(&text, 0);
	put_notice(&text, report);
	cli_note("%.*s", (int)text.len, text.ptr);
	bl_buf_clear(&text);
	letter = ask(err);
	return act_on(cli, place, letter, err);
}

/* ---- syncing ------------------------------------------------------------------------- */

enum bl_status cli_team_sync(struct cli *cli,
			     const struct bl_team_client *client,
			     struct bl_team_report *out_report,
			     struct bl_error *err)
{
	struct bl_error why = { 0 };
	struct bl_str dir;
	enum bl_status status =
		bl_journal_dir(&cli->arena, client->place.home, &dir, err);

	if (!status)
		status = bl_team_refresh(client, dir, &cli->arena, out_report,
					 &why, err);
	if (!status && why.status && !client->is_background)
		cli_note("belay: records wait: %s\n", why.message);
	return status;
}

enum bl_status cli_team_read_secret(struct cli *cli, const char *prompt,
				    struct bl_str *out, struct bl_error *err)
{
	enum { MOST = 512, PATIENCE_MS = 300000 };
	char line[MOST];
	size_t got = 0;
	enum bl_status status;

	if (!bl_os_check_terminal(NULL))
		cli_note("%s: ", prompt);
	status =
		bl_os_read_piece(0, PATIENCE_MS, line, sizeof(line), &got, err);
	if (status)
		return status;
	*out = bl_arena_copy_str(&cli->arena,
				 bl_str_trim((struct bl_str){ line, got }));
	memset(line, 0, sizeof(line));
	if (!out->ptr)
		return bl_arena_fail(&cli->arena, err);
	return out->len ? BL_OK
			: bl_fail(err, BL_USAGE,
				  "there is nothing on standard input");
}

enum bl_status cli_confirm(const char *warning, const char *question,
			   const char *otherwise, struct bl_error *err)
{
	enum { MOST = 64, PATIENCE_MS = 120000 };
	char line[MOST];
	size_t got = 0;
	struct bl_str answer;
	enum bl_status status = bl_os_check_terminal(NULL);

	if (status)
		return bl_fail(err, BL_DENIED,
			       "without a terminal say --yes: %s", warning);
	cli_note("%s  %s [y/N] ", warning, question);
	status =
		bl_os_read_piece(0, PATIENCE_MS, line, sizeof(line), &got, err);
	if (status)
		return status;
	answer = bl_str_trim((struct bl_str){ line, got });
	if (bl_str_is(answer, "y") || bl_str_is(answer, "yes"))
		return BL_OK;
	return bl_fail(err, BL_DENIED, "%s", otherwise);
}

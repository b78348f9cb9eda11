/* SPDX-License-Identifier: Apache-2.0 */
/* opa.c: what the commands of belay opa have in common: place, words. */
#include "cli/opa.h"

#include "os/os.h"

static enum bl_status find_root(struct cli *cli, size_t option,
				struct bl_str *out, struct bl_error *err)
{
	*out = BL_STR("");
	return cli_has(cli, option)
		       ? cli_absolute(cli, cli_value(cli, option), out, err)
		       : BL_OK;
}

enum bl_status cli_opa_place(struct cli *cli, struct bl_opa_place *out,
			     struct bl_error *err)
{
	struct bl_str config = BL_STR("");
	struct bl_str root;
	struct bl_str home;
	enum bl_status status = cli_home(cli, OPA_OPT_HOME, &home, err);

	if (!status)
		status = find_root(cli, OPA_OPT_ROOT, &root, err);
	if (!status && cli_has(cli, OPA_OPT_CONFIG))
		status = cli_absolute(cli, cli_value(cli, OPA_OPT_CONFIG),
				      &config, err);
	return status ? status
		      : bl_opa_find_place(root, home, config, &cli->arena, out,
					  err);
}

enum bl_status cli_opa_check_free(struct cli *cli, size_t home_option,
				  size_t root_option, struct bl_error *err)
{
	struct bl_str root;
	struct bl_str home;
	enum bl_status status = cli_home(cli, home_option, &home, err);

	if (!status)
		status = find_root(cli, root_option, &root, err);
	if (!status && bl_opa_is_in_force(root, home, &cli->arena))
		status = bl_fail(err, BL_EXISTS,
				 "a bundle of OPA's control plane is in force "
				 "here: belay opa leave, first");
	return status;
}

int cli_opa_exit(const struct bl_opa_state *state)
{
	return bl_team_state_in_force(state->state) == BL_TEAM_NEWEST ? 0 : 1;
}

static void put_time(struct bl_buf *out, const char *label, int64_t time)
{
	char text[BL_OS_TIME_TEXT_BYTES];

	if (!time)
		return;
	bl_os_format_time(time * 1000, text);
	/* "2026-11-28T02:42:41.123Z" without its milliseconds */
	bl_buf_printf(out, "  %-12s%.10s %.5s UTC\n", label, text, text + 11);
}

static void put_row(struct bl_buf *out, const char *label, struct bl_str text)
{
	if (!text.len)
		return;
	bl_buf_printf(out, "  %-12s", label);
	cli_put_text(out, 14, text);
	bl_buf_put_char(out, '\n');
}

void cli_put_opa_state(struct bl_buf *out, const struct bl_opa_state *state)
{
	bl_buf_printf(out, "%s: %s\n", bl_team_state_name(state->state),
		      bl_team_state_text(state->state));
	if (state->detail.len) {
		bl_buf_puts(out, "  ");
		cli_put_text(out, 2, state->detail);
		bl_buf_put_char(out, '\n');
	}
	put_row(out, "bundle", state->name);
	put_row(out, "from", state->url);
	put_row(out, "revision", state->revision);
	if (state->version)
		put_row(out, "signature",
			state->key.len
				? BL_STR("verified; an old bundle sent again "
					 "would pass, since OPA's signatures "
					 "have no version")
				: BL_STR("unsigned: the server alone is "
					 "trusted (bundles.NAME.signing)"));
	put_time(out, "in force", state->activated);
	put_time(out, "checked", state->checked);
	put_time(out, "good until", state->fresh_until);
	put_time(out, "next try", state->next_try);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opa.c: what the commands of belay opa have in common: place, words.  team.c has
 * the functions that belay team needs, too.
 */
#include "cli/opa.h"

#include "cli/team.h"

enum bl_status cli_opa_place(struct cli *cli, struct bl_opa_place *out,
			     struct bl_error *err)
{
	struct bl_str config = BL_STR("");
	struct bl_str root;
	struct bl_str home;
	enum bl_status status = cli_team_folders(
		cli, OPA_OPT_HOME, OPA_OPT_ROOT, &home, &root, err);

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
	enum bl_status status = cli_team_folders(cli, home_option, root_option,
						 &home, &root, err);

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
	cli_put_state(out, state->state, state->detail);
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
	cli_put_time(out, "in force", state->activated);
	cli_put_time(out, "checked", state->checked);
	cli_put_time(out, "good until", state->fresh_until);
	cli_put_time(out, "next try", state->next_try);
}

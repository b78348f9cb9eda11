/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_team_keygen.c: belay team keygen: a key to sign a team's documents with. */
#include "cli/team_keys.h"

#include "os/os.h"

static enum bl_status make(struct cli *cli, struct bl_error *err)
{
	struct bl_ed25519_secret secret;
	struct bl_ed25519_public key;
	enum bl_status status = bl_ed25519_generate(&secret, &key, err);

	if (!status)
		status = cli_team_write_key(cli_operand(cli, 0), &secret, err);
	bl_ed25519_wipe(&secret);
	if (!status)
		cli_team_put_key(cli, &key);
	return status;
}

static int run_team_keygen(struct cli *cli)
{
	struct bl_error err = { 0 };

	return make(cli, &err) ? cli_fail(cli, &err) : 0;
}

const struct cli_code cli_code_team_keygen = {
	.least_operands = 1,
	.most_operands = 1,
	.details = "Writes a new secret key to FILE (mode 0600, never over a "
		   "file that is there) and prints the public key, and its "
		   "id, which is what a root document names.\n",
	.run = run_team_keygen,
};

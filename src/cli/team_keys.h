/* SPDX-License-Identifier: Apache-2.0 */
/* cli/team_keys.h: keys and documents of a team's administrator. */
#ifndef BELAY_CLI_TEAM_KEYS_H
#define BELAY_CLI_TEAM_KEYS_H

#include "cli/cli.h"
#include "team/team.h"

/* Writes a secret key; EXISTS when the file is there. */
enum bl_status cli_team_write_key(struct bl_str path,
				  const struct bl_ed25519_secret *secret,
				  struct bl_error *err);

/* Reads one; DENIED when others can read the file. */
enum bl_status cli_team_read_key(struct cli *cli, struct bl_str path,
				 struct bl_ed25519_secret *out,
				 struct bl_error *err);

/* "ID KEY" and a newline. */
void cli_team_put_key(struct cli *cli, const struct bl_ed25519_public *key);

/* The documents that belay team sign makes. */
struct cli_team_making {
	struct bl_str from; /* the folder of a set; of others unused */
	struct bl_str out;  /* the folder of a site: OUT/v1/... */
	struct bl_str team_id;
	int64_t version;
	int64_t floor; /* 0: version */
	int64_t life_s;
	const struct bl_ed25519_secret *keys;
	size_t key_count;
	/* Of a root: public keys for the roles; none: those of keys. */
	struct bl_team_role roles[BL_TEAM_ROLE_COUNT];
};

/* team_make.c: each writes OUT/v1/..., signed by all keys. */
enum bl_status cli_team_make_root(struct cli *cli,
				  const struct cli_team_making *making,
				  struct bl_error *err);
enum bl_status cli_team_make_set(struct cli *cli,
				 const struct cli_team_making *making,
				 struct bl_error *err);
enum bl_status cli_team_make_fresh(struct cli *cli,
				   const struct cli_team_making *making,
				   struct bl_error *err);

#endif

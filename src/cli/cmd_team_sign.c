/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_team_sign.c: belay team sign: an administrator's signature, made where the
 * secret key is and not on the server.
 */
#include "base/hex.h"
#include "cli/team_keys.h"

#include "os/os.h"

enum {
	OPT_KEY,
	OPT_MAKE,
	OPT_OUT,
	OPT_TEAM,
	OPT_VERSION,
	OPT_FLOOR,
	OPT_LIFE,
	OPT_SET_KEY,
	OPT_FRESH_KEY,
	OPT_COUNT
};

enum {
	DAY_S = 24 * 3600,
	SIGNED_FILE_MODE = 0644,
	MAX_DOCUMENT_BYTES = BL_TEAM_MAX_MANIFEST_BYTES,
};

static const struct cli_option options[] = {
	[OPT_KEY] = { "key", 0, CLI_LIST, "FILE",
		      "secret key of belay team keygen; several sign one "
		      "after the other" },
	[OPT_MAKE] = { "make", 0, CLI_VALUE, "DOCUMENT",
		       "make one instead of signing what is there: root, set "
		       "(of the folder PATH) or fresh" },
	[OPT_OUT] = { "out", 0, CLI_VALUE, "DIR",
		      "folder of the site that --make writes to" },
	[OPT_TEAM] = { "team", 0, CLI_VALUE, "TEAM", "the team's id" },
	[OPT_VERSION] = { "version", 0, CLI_NUMBER, "N",
			  "of the root or the set that is made (default: 1)" },
	[OPT_FLOOR] = { "floor", 0, CLI_NUMBER, "N",
			"the lowest version that machines may go back to "
			"(default: that of the set)" },
	[OPT_LIFE] = { "life", 0, CLI_DURATION, "TIME",
		       "until it expires (default: root 1 year, set 90 days, "
		       "fresh 24 hours)" },
	[OPT_SET_KEY] = { "set-key", 0, CLI_LIST, "HEX",
			  "public key for sets in a root (default: those that "
			  "sign it)" },
	[OPT_FRESH_KEY] = { "fresh-key", 0, CLI_LIST, "HEX",
			    "public key for fresh statements in a root" },
};

static const struct making_row {
	const char *name;
	enum bl_team_document kind;
	int64_t life_s;
	enum bl_status (*make)(struct cli *cli,
			       const struct cli_team_making *making,
			       struct bl_error *err);
} makings[] = {
	{ "root", BL_TEAM_ROOT, 365 * DAY_S, cli_team_make_root },
	{ "set", BL_TEAM_MANIFEST, 90 * DAY_S, cli_team_make_set },
	{ "fresh", BL_TEAM_FRESH, DAY_S, cli_team_make_fresh },
};

static enum bl_status read_keys(struct cli *cli, struct bl_ed25519_secret **out,
				struct bl_error *err)
{
	const struct cli_given *given = &cli->given[OPT_KEY];
	enum bl_status status = BL_OK;

	if (!given->count || given->count > BL_TEAM_MAX_KEYS)
		return bl_fail(err, BL_USAGE, "give 1 to %d keys: --key FILE",
			       (int)BL_TEAM_MAX_KEYS);
	*out = bl_arena_new_array(&cli->arena, struct bl_ed25519_secret,
				  given->count);
	if (!*out)
		return bl_arena_fail(&cli->arena, err);
	for (size_t i = 0; !status && i < given->count; i++)
		status = cli_team_read_key(cli, given->values[i], &(*out)[i],
					   err);
	return status;
}

static enum bl_status read_role(struct cli *cli, size_t option,
				struct bl_team_role *out, struct bl_error *err)
{
	const struct cli_given *given = &cli->given[option];

	if (given->count > BL_TEAM_MAX_KEYS)
		return bl_fail(err, BL_USAGE, "more than %d keys of a role",
			       (int)BL_TEAM_MAX_KEYS);
	for (size_t i = 0; i < given->count; i++)
		if (!bl_hex_decode(given->values[i], out->keys[i].bytes,
				   sizeof(out->keys[i].bytes)))
			return bl_fail(err, BL_USAGE,
				       "'%.*s' is not a public key of 64 "
				       "hexadecimal digits",
				       BL_STR_ARG(given->values[i]));
	out->key_count = given->count;
	out->threshold = given->count ? 1 : 0;
	return BL_OK;
}

/* ---- making ---------------------------------------------------------------------------- */

static enum bl_status make(struct cli *cli,
			   const struct bl_ed25519_secret *keys,
			   struct bl_error *err)
{
	struct bl_str wanted = cli_value(cli, OPT_MAKE);
	struct cli_team_making making = {
		.from = cli_operand(cli, 0),
		.out = cli_value(cli, OPT_OUT),
		.team_id = cli_value(cli, OPT_TEAM),
		.version = cli_has(cli, OPT_VERSION)
				   ? (int64_t)cli->given[OPT_VERSION].number
				   : 1,
		.floor = (int64_t)cli->given[OPT_FLOOR].number,
		.keys = keys,
		.key_count = cli->given[OPT_KEY].count,
	};
	enum bl_status status = read_role(cli, OPT_SET_KEY,
					  &making.roles[BL_TEAM_ROLE_SET], err);

	if (!status)
		status = read_role(cli, OPT_FRESH_KEY,
				   &making.roles[BL_TEAM_ROLE_FRESH], err);
	if (!status && !making.out.len)
		status = bl_fail(err, BL_USAGE, "--make needs --out DIR");
	if (!status && !making.team_id.len && !bl_str_is(wanted, "fresh"))
		status = bl_fail(err, BL_USAGE, "--make needs --team TEAM");
	if (!status && !making.from.len && bl_str_is(wanted, "set"))
		status = bl_fail(err, BL_USAGE,
				 "--make set needs the folder of the set");
	for (size_t i = 0; !status && i < BL_COUNT(makings); i++) {
		if (!bl_str_is(wanted, makings[i].name))
			continue;
		making.life_s =
			cli_has(cli, OPT_LIFE)
				? (int64_t)(cli->given[OPT_LIFE].number /
					    1000000000)
				: makings[i].life_s;
		return makings[i].make(cli, &making, err);
	}
	return status ? status
		      : bl_fail(err, BL_USAGE, "--make is root, set or fresh");
}

/* ---- signing --------------------------------------------------------------------------- */

/* The kind that a document says it is. */
static enum bl_status kind_of(struct cli *cli, struct bl_str text,
			      enum bl_team_document *out, struct bl_error *err)
{
	struct bl_team_root root;
	struct bl_team_manifest manifest;
	struct bl_team_fresh fresh;

	if (!bl_team_read_root(text, &cli->arena, &root, NULL))
		*out = BL_TEAM_ROOT;
	else if (!bl_team_read_manifest(text, &cli->arena, &manifest, NULL))
		*out = BL_TEAM_MANIFEST;
	else if (!bl_team_read_fresh(text, &cli->arena, &fresh, NULL))
		*out = BL_TEAM_FRESH;
	else
		return bl_fail(err, BL_INVALID,
			       "it is neither a root nor a manifest nor a "
			       "fresh statement");
	return BL_OK;
}

static enum bl_status sign(struct cli *cli,
			   const struct bl_ed25519_secret *keys,
			   struct bl_error *err)
{
	struct bl_str path = cli_operand(cli, 0);
	enum bl_team_document kind = BL_TEAM_ROOT;
	struct bl_str before;
	struct bl_buf text;
	enum bl_status status;

	if (!path.len)
		return bl_fail(err, BL_USAGE, "give the document to sign");
	status = bl_os_read_file(path, 0, MAX_DOCUMENT_BYTES, &cli->arena,
				 &before, NULL, err);
	if (!status)
		status = kind_of(cli, before, &kind, err);
	bl_buf_init(&text, 0);
	bl_buf_put_str(&text, before);
	for (size_t i = 0; !status && i < cli->given[OPT_KEY].count; i++)
		status = bl_team_sign(kind, &keys[i], &text, err);
	if (!status)
		status = bl_os_replace_file(path, bl_buf_str(&text),
					    SIGNED_FILE_MODE, err);
	bl_buf_clear(&text);
	if (status)
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
	else
		bl_buf_printf(&cli->out, "signed: %s\n",
			      bl_team_document_name(kind));
	return status;
}

static int run_team_sign(struct cli *cli)
{
	struct bl_ed25519_secret *keys = NULL;
	struct bl_error err = { 0 };
	enum bl_status status = read_keys(cli, &keys, &err);

	if (!status)
		status = cli_has(cli, OPT_MAKE) ? make(cli, keys, &err)
						: sign(cli, keys, &err);
	for (size_t i = 0; keys && i < cli->given[OPT_KEY].count; i++)
		bl_ed25519_wipe(&keys[i]);
	return status ? cli_fail(cli, &err) : 0;
}

const struct cli_code cli_code_team_sign = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.details =
		"Adds signatures to the document PATH: a root, a manifest or "
		"a fresh statement.  With --make it makes one and signs it, "
		"as files of a site that any web server can serve.\n"
		"\n"
		"The folder of a set has hooks/hooks.json with its scripts "
		"('command' is './NAME'; 'operating_systems' where it is not "
		"for all), and policies/, a policy directory.\n",
	.run = run_team_sign,
};

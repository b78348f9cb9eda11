/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team_keys.c: files of secret keys: one line, "belay-ed25519-secret" and 64
 * hexadecimal digits, mode 0600.
 */
#include "base/hex.h"
#include "cli/team_keys.h"

#include "os/os.h"

enum { KEY_MODE = 0600, MAX_KEY_BYTES = 256, READABLE_BY_OTHERS = 077 };

#define KEY_WORD "belay-ed25519-secret "

enum bl_status cli_team_write_key(struct bl_str path,
				  const struct bl_ed25519_secret *secret,
				  struct bl_error *err)
{
	char line[sizeof(KEY_WORD) + 2 * BL_ED25519_KEY_BYTES + 1] = KEY_WORD;
	size_t at = sizeof(KEY_WORD) - 1;
	enum bl_status status;

	bl_hex_encode(secret->bytes, sizeof(secret->bytes), line + at);
	at += 2 * BL_ED25519_KEY_BYTES;
	line[at++] = '\n';
	status = bl_os_create_file(path, (struct bl_str){ line, at }, KEY_MODE,
				   err);
	memset(line, 0, sizeof(line));
	return status;
}

enum bl_status cli_team_read_key(struct cli *cli, struct bl_str path,
				 struct bl_ed25519_secret *out,
				 struct bl_error *err)
{
	struct bl_file_info info;
	struct bl_str text;
	enum bl_status status = bl_os_read_file(path, 0, MAX_KEY_BYTES,
						&cli->arena, &text, &info, err);

	if (status)
		return status;
	if (info.mode & READABLE_BY_OTHERS)
		return bl_fail(err, BL_DENIED,
			       "%.*s: others can read it (chmod 600)",
			       BL_STR_ARG(path));
	text = bl_str_trim(text);
	if (!bl_str_has_prefix(text, BL_STR(KEY_WORD)) ||
	    !bl_hex_decode(bl_str_slice(text, sizeof(KEY_WORD) - 1, SIZE_MAX),
			   out->bytes, sizeof(out->bytes)))
		return bl_fail(err, BL_INVALID,
			       "%.*s is not a key of belay team keygen",
			       BL_STR_ARG(path));
	return BL_OK;
}

void cli_team_put_key(struct cli *cli, const struct bl_ed25519_public *key)
{
	char id[BL_SHA256_HEX_BYTES];
	char digits[2 * BL_ED25519_KEY_BYTES + 1];

	bl_team_key_id(key, id);
	bl_hex_encode(key->bytes, sizeof(key->bytes), digits);
	bl_buf_printf(&cli->out, "%s %s\n", id, digits);
}

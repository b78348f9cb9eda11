/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token.c: tokens: "blt_", a letter for the kind, 32 random bytes in base 62, and
 * six characters of checksum.  The checksum lets scanners of secrets find them, and
 * a typing error costs no question to the database.  Stored is the SHA-256 of the
 * token: 256 random bits need no slower one, and a look-up by it tells nothing
 * by its time.
 */
#include "base/hex.h"
#include "server/app.h"

#include <stdio.h>
#include <zlib.h>

enum { RANDOM_BYTES = 32, DIGITS = 43, CHECK_DIGITS = 6, MAX_LABELS = 16 };

static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz";

/* The number in bytes, in base 62, with leading zeros. */
static void put_number(uint8_t bytes[RANDOM_BYTES], char out[DIGITS])
{
	for (size_t i = DIGITS; i-- > 0;) {
		unsigned rest = 0;

		for (size_t j = 0; j < RANDOM_BYTES; j++) {
			unsigned value = rest * 256 + bytes[j];

			bytes[j] = (uint8_t)(value / 62);
			rest = value % 62;
		}
		out[i] = base62[rest];
	}
}

static void put_check(struct bl_str text, char out[CHECK_DIGITS])
{
	unsigned long sum = crc32(0, (const Bytef *)text.ptr, (uInt)text.len);

	for (size_t i = CHECK_DIGITS; i-- > 0; sum /= 62)
		out[i] = base62[sum % 62];
}

enum bl_status token_make(char kind, char out[APP_TOKEN_BYTES],
			  char out_hash[BL_SHA256_HEX_BYTES],
			  struct bl_error *err)
{
	uint8_t bytes[RANDOM_BYTES];
	enum bl_status status = bl_os_random(bytes, sizeof(bytes), err);

	if (status)
		return status;
	memcpy(out, "blt_", 4);
	out[4] = kind;
	put_number(bytes, out + 5);
	put_check((struct bl_str){ out, 5 + DIGITS }, out + 5 + DIGITS);
	out[APP_TOKEN_BYTES - 1] = '\0';
	bl_sha256_hex(bl_str(out), out_hash);
	return BL_OK;
}

bool token_is_whole(struct bl_str token, char out_hash[BL_SHA256_HEX_BYTES])
{
	char check[CHECK_DIGITS];

	if (token.len != APP_TOKEN_BYTES - 1 ||
	    !bl_str_has_prefix(token, BL_STR("blt_")))
		return false;
	put_check(bl_str_slice(token, 0, 5 + DIGITS), check);
	if (memcmp(check, token.ptr + 5 + DIGITS, CHECK_DIGITS) != 0)
		return false;
	bl_sha256_hex(token, out_hash);
	return true;
}

enum bl_status app_new_id(char out[APP_ID_BYTES], struct bl_error *err)
{
	uint8_t bytes[(APP_ID_BYTES - 1) / 2];
	enum bl_status status = bl_os_random(bytes, sizeof(bytes), err);

	if (!status)
		bl_hex_encode(bytes, sizeof(bytes), out);
	return status;
}

enum bl_status token_insert(struct bl_db *db, const struct token_row *row,
			    char out[APP_TOKEN_BYTES],
			    char out_id[APP_ID_BYTES], struct bl_error *err)
{
	char hash[BL_SHA256_HEX_BYTES];
	char kind[2] = { row->kind, '\0' };
	enum bl_status status = token_make(row->kind, out, hash, err);

	if (!status)
		status = app_new_id(out_id, err);
	if (status)
		return status;
	return bl_db_run(
		db,
		BL_DB_QUERY(
			"INSERT INTO token (id, hash, kind, name, role, "
			"machine, labels, uses_left, created, created_by, "
			"expires, replaces) VALUES ($1, $2, $3, $4, $5, $6, "
			"$7, $8, $9, $10, $11, $12)",
			bl_db_text(bl_str(out_id)), bl_db_text(bl_str(hash)),
			bl_db_text(bl_str(kind)), bl_db_text(row->name),
			bl_db_text(bl_str(app_role_name(row->role))),
			bl_db_text(row->machine),
			bl_db_text(row->labels.ptr ? row->labels
						   : BL_STR("[]")),
			row->uses ? bl_db_integer(row->uses) : bl_db_null(),
			bl_db_integer(bl_os_wall_ms()),
			bl_db_text(row->created_by),
			row->expires ? bl_db_integer(row->expires)
				     : bl_db_null(),
			bl_db_text(row->replaces)),
		NULL, err);
}

enum bl_status app_check_labels(struct bl_arena *arena, struct bl_value labels,
				struct bl_str *out_json, struct bl_error *err)
{
	size_t count = bl_value_count(labels);

	if (!bl_value_is_defined(labels)) {
		*out_json = BL_STR("[]");
		return BL_OK;
	}
	if (count > MAX_LABELS)
		return bl_fail(err, BL_INVALID, "more than %d labels",
			       MAX_LABELS);
	for (size_t i = 0; i < count; i++) {
		struct bl_str label = bl_value_text(bl_value_item(labels, i));

		if (!bl_team_id_is_good(label))
			return bl_fail(err, BL_INVALID,
				       "a label has 1 to %d of [A-Za-z0-9._-]",
				       (int)BL_TEAM_ID_BYTES);
	}
	*out_json = app_json(arena, bl_set_of(arena, labels));
	return out_json->ptr ? BL_OK : bl_fail_memory(err);
}

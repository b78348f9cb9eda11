/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envelope.c: the signatures of a document: made, and counted.
 *
 * The number of *keys* of the role that have signed counts.  The id on a line only
 * says which key to try: it is computed here from the key's bytes, so a key under
 * two ids, or two lines of one key, count once.
 */
#include "base/hex.h"
#include "team/document.h"

#define ALGORITHM "ed25519"

enum {
	ID_DIGITS = BL_SHA256_HEX_BYTES - 1,
	SIGNATURE_DIGITS = 2 * BL_ED25519_SIGNATURE_BYTES,
	LINE_BYTES = sizeof(ALGORITHM " ") - 1 + ID_DIGITS + 1 +
		     SIGNATURE_DIGITS + 1,
};

struct signature_line {
	struct bl_str id;
	struct bl_ed25519_signature signature;
};

/* A document in its parts. */
struct envelope {
	enum bl_team_document kind;
	struct bl_str line;
	struct signature_line signatures[BL_TEAM_MAX_SIGNATURES];
	size_t count;
};

/* One line of a known length; takes it from *rest. */
static bool next_line(struct bl_str *rest, struct signature_line *out)
{
	struct bl_str line = bl_str_slice(*rest, 0, LINE_BYTES);
	size_t at = sizeof(ALGORITHM);
	uint8_t id[BL_SHA256_BYTES];

	if (line.len < LINE_BYTES || line.ptr[LINE_BYTES - 1] != '\n' ||
	    !bl_str_has_prefix(line, BL_STR(ALGORITHM " ")) ||
	    line.ptr[at + ID_DIGITS] != ' ')
		return false;
	out->id = bl_str_slice(line, at, at + ID_DIGITS);
	at += ID_DIGITS + 1;
	if (!bl_hex_decode(out->id, id, sizeof(id)) ||
	    !bl_hex_decode(bl_str_slice(line, at, at + SIGNATURE_DIGITS),
			   out->signature.bytes, sizeof(out->signature.bytes)))
		return false;
	*rest = bl_str_slice(*rest, LINE_BYTES, SIZE_MAX);
	return true;
}

static enum bl_status open_envelope(enum bl_team_document kind,
				    struct bl_str text, struct envelope *out,
				    struct bl_error *err)
{
	enum bl_status status = team_document_line(kind, text, &out->line, err);
	struct bl_str rest;

	out->kind = kind;
	out->count = 0;
	if (status)
		return status;
	rest = bl_str_slice(text, out->line.len + 1, SIZE_MAX);
	for (; rest.len; out->count++) {
		if (out->count == BL_TEAM_MAX_SIGNATURES)
			return bl_fail(err, BL_LIMIT,
				       "%s: more than %d signatures",
				       bl_team_document_name(kind),
				       (int)BL_TEAM_MAX_SIGNATURES);
		if (!next_line(&rest, &out->signatures[out->count]))
			return bl_fail(err, BL_SYNTAX,
				       "%s: signature %zu is not a line "
				       "'" ALGORITHM " KEYID SIGNATURE'",
				       bl_team_document_name(kind),
				       out->count + 1);
	}
	return BL_OK;
}

/* ---- verifying ---------------------------------------------------------------- */

/* Is this key's bytes among the first ones of the role? */
static bool is_repeated(const struct bl_team_role *role, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!memcmp(role->keys[i].bytes, role->keys[at].bytes,
			    sizeof(role->keys[i].bytes)))
			return true;
	return false;
}

/* Has key signed by one of the lines?  *out_wrong: a line of it is not good. */
static bool key_signed(const struct bl_ed25519_public *key,
		       const struct envelope *envelope,
		       struct bl_str signed_text, bool *out_wrong)
{
	char id[BL_SHA256_HEX_BYTES];
	bool good = false;

	bl_team_key_id(key, id);
	*out_wrong = false;
	for (size_t i = 0; i < envelope->count; i++) {
		const struct signature_line *line = &envelope->signatures[i];

		if (!bl_str_is(line->id, id))
			continue;
		if (bl_ed25519_verify(key, signed_text, &line->signature))
			good = true;
		else
			*out_wrong = true;
	}
	return good;
}

static enum bl_status count_keys(const struct envelope *envelope,
				 struct bl_str signed_text,
				 const struct bl_team_role *role,
				 enum bl_team_state *out_state,
				 struct bl_error *err)
{
	const char *name = bl_team_document_name(envelope->kind);
	size_t signers = 0;

	for (size_t i = 0; i < role->key_count; i++) {
		char id[BL_SHA256_HEX_BYTES];
		bool wrong;

		if (is_repeated(role, i))
			continue;
		if (key_signed(&role->keys[i], envelope, signed_text, &wrong))
			signers++;
		if (!wrong)
			continue;
		bl_team_key_id(&role->keys[i], id);
		*out_state = BL_TEAM_SIGNATURE_INVALID;
		return bl_fail(err, BL_DENIED,
			       "%s: the signature of key %.16s is wrong", name,
			       id);
	}
	if (signers >= role->threshold && role->threshold)
		return BL_OK;
	*out_state = BL_TEAM_WRONG_KEY;
	return bl_fail(err, BL_DENIED,
		       "%s: signed by %zu of the known keys, and %zu are "
		       "needed (the first signature is of key %.16s)",
		       name, signers, role->threshold,
		       envelope->count ? envelope->signatures[0].id.ptr
				       : "none");
}

enum bl_status bl_team_verify(enum bl_team_document kind, struct bl_str text,
			      const struct bl_team_role *role,
			      enum bl_team_state *out_state,
			      struct bl_error *err)
{
	struct envelope envelope;
	struct bl_buf signed_text;
	enum bl_status status = open_envelope(kind, text, &envelope, err);

	if (status) {
		*out_state = BL_TEAM_SIGNATURE_INVALID;
		return status;
	}
	bl_buf_init(&signed_text, 0);
	team_signed_text(kind, envelope.line, &signed_text);
	status = bl_buf_status(&signed_text)
			 ? bl_fail_memory(err)
			 : count_keys(&envelope, bl_buf_str(&signed_text), role,
				      out_state, err);
	bl_buf_clear(&signed_text);
	return status;
}

/* ---- signing ------------------------------------------------------------------ */

static enum bl_status add_line(const struct envelope *envelope,
			       const struct bl_ed25519_secret *secret,
			       const char *id, struct bl_buf *text,
			       struct bl_error *err)
{
	char digits[SIGNATURE_DIGITS + 1];
	struct bl_ed25519_signature signature;
	struct bl_buf signed_text;
	enum bl_status status;

	bl_buf_init(&signed_text, 0);
	team_signed_text(envelope->kind, envelope->line, &signed_text);
	status = bl_buf_status(&signed_text)
			 ? bl_fail_memory(err)
			 : bl_ed25519_sign(secret, bl_buf_str(&signed_text),
					   &signature, err);
	bl_buf_clear(&signed_text);
	if (status)
		return status;
	bl_hex_encode(signature.bytes, sizeof(signature.bytes), digits);
	bl_buf_printf(text, ALGORITHM " %s %s\n", id, digits);
	return bl_buf_status(text) ? bl_fail_memory(err) : BL_OK;
}

enum bl_status bl_team_sign(enum bl_team_document kind,
			    const struct bl_ed25519_secret *secret,
			    struct bl_buf *text, struct bl_error *err)
{
	char id[BL_SHA256_HEX_BYTES];
	struct bl_ed25519_public key;
	struct envelope envelope;
	enum bl_status status =
		open_envelope(kind, bl_buf_str(text), &envelope, err);

	if (!status)
		status = bl_ed25519_public_of(secret, &key, err);
	if (status)
		return status;
	bl_team_key_id(&key, id);
	for (size_t i = 0; i < envelope.count; i++)
		if (bl_str_is(envelope.signatures[i].id, id))
			return bl_fail(err, BL_EXISTS,
				       "%s: key %.16s has signed it already",
				       bl_team_document_name(kind), id);
	if (envelope.count == BL_TEAM_MAX_SIGNATURES ||
	    text->len + LINE_BYTES > bl_team_document_max(kind))
		return bl_fail(err, BL_LIMIT, "%s: no room for a signature",
			       bl_team_document_name(kind));
	return add_line(&envelope, secret, id, text, err);
}

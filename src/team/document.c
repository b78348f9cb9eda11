/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document.c: the form that the signed documents share.
 *
 * Canonical: written again, it gives the bytes that were read.
 * So there is one text for each document, and no two readers can differ on what
 * a repeated name or an odd number means.
 */
#include "base/hex.h"
#include "team/document.h"

#include "json/json.h"

enum { MAX_DEPTH = 16 };

static const int64_t max_integer = (int64_t)1 << 53;

static const struct {
	const char *name;
	const char *type;
	const char *prefix; /* of what is signed, with its NUL */
	size_t max_bytes;
} rows[] = {
	[BL_TEAM_ROOT] = { "root", "belay-root", "belay-root-v1",
			   BL_TEAM_MAX_ROOT_BYTES },
	[BL_TEAM_MANIFEST] = { "manifest", "belay-manifest",
			       "belay-manifest-v1",
			       BL_TEAM_MAX_MANIFEST_BYTES },
	[BL_TEAM_FRESH] = { "fresh", "belay-fresh", "belay-fresh-v1",
			    BL_TEAM_MAX_FRESH_BYTES },
};

size_t bl_team_document_max(enum bl_team_document kind)
{
	return rows[kind].max_bytes;
}

const char *bl_team_document_name(enum bl_team_document kind)
{
	return rows[kind].name;
}

const char *team_document_type(enum bl_team_document kind)
{
	return rows[kind].type;
}

void team_signed_text(enum bl_team_document kind, struct bl_str line,
		      struct bl_buf *out)
{
	bl_buf_put(out, rows[kind].prefix, strlen(rows[kind].prefix) + 1);
	bl_buf_put_str(out, line);
}

enum bl_status team_document_line(enum bl_team_document kind,
				  struct bl_str text, struct bl_str *out_line,
				  struct bl_error *err)
{
	size_t end;

	if (text.len > rows[kind].max_bytes)
		return bl_fail(err, BL_LIMIT, "%s: more than %zu bytes",
			       rows[kind].name, rows[kind].max_bytes);
	end = bl_str_find(text, BL_STR("\n"), 0);
	if (end == SIZE_MAX)
		return bl_fail(err, BL_SYNTAX, "%s: its line has no end",
			       rows[kind].name);
	*out_line = bl_str_slice(text, 0, end);
	return BL_OK;
}

/* ---- reading ---------------------------------------------------------------- */

static enum bl_status check_canonical(struct bl_str line, struct bl_value value,
				      struct bl_error *err)
{
	enum bl_status status = BL_OK;
	struct bl_buf again;

	bl_buf_init(&again, line.len);
	bl_json_write(&again, value, BL_JSON_CANONICAL);
	if (bl_buf_status(&again) == BL_NO_MEMORY)
		status = bl_fail_memory(err);
	else if (!bl_str_equal(line, bl_buf_str(&again)))
		status = bl_fail(err, BL_SYNTAX,
				 "it is not in the canonical form");
	bl_buf_clear(&again);
	return status;
}

static enum bl_status check_head(enum bl_team_document kind,
				 struct bl_value value, struct bl_error *err)
{
	struct bl_str type = { NULL, 0 };
	struct bl_str team = { NULL, 0 };
	int64_t spec = 0;
	enum bl_status status;

	if (!bl_value_is(value, BL_KIND_OBJECT))
		return bl_fail(err, BL_INVALID, "it is not an object");
	status = team_get_text(value, "type", &type, err);
	if (!status && !bl_str_is(type, rows[kind].type))
		status =
			bl_fail(err, BL_INVALID, "its type is '%.*s', not '%s'",
				BL_STR_ARG(type), rows[kind].type);
	if (!status)
		status = team_get_integer(value, "spec", 1, &spec, err);
	if (!status && spec != TEAM_SPEC)
		status = bl_fail(err, BL_UNSUPPORTED,
				 "it is of form %lld, and this belay knows "
				 "form %d",
				 (long long)spec, (int)TEAM_SPEC);
	if (!status)
		status = team_get_text(value, "team_id", &team, err);
	if (!status && !bl_team_id_is_good(team))
		status = bl_fail(err, BL_INVALID, "its team_id is not a name");
	return status;
}

enum bl_status team_document_value(enum bl_team_document kind,
				   struct bl_str text, struct bl_arena *arena,
				   struct bl_value *out, struct bl_error *err)
{
	struct bl_json_options options = { .max_depth = MAX_DEPTH };
	struct bl_str line;
	struct bl_value value;
	enum bl_status status = team_document_line(kind, text, &line, err);

	if (status)
		return status;
	status = bl_json_read(arena, line, &options, &value, NULL, NULL, err);
	if (!status)
		status = check_canonical(line, value, err);
	if (!status)
		status = check_head(kind, value, err);
	if (status)
		bl_error_context(err, "%s", rows[kind].name);
	else
		*out = value;
	return status;
}

enum bl_status team_get_integer(struct bl_value object, const char *name,
				int64_t least, int64_t *out,
				struct bl_error *err)
{
	struct bl_value value = bl_object_find(object, bl_str(name));
	int64_t integer;

	if (!bl_number_is_plain(value, &integer) || integer < least ||
	    integer > max_integer)
		return bl_fail(err, BL_INVALID,
			       "its %s is not an integer from %lld on", name,
			       (long long)least);
	*out = integer;
	return BL_OK;
}

enum bl_status team_get_text(struct bl_value object, const char *name,
			     struct bl_str *out, struct bl_error *err)
{
	struct bl_value value = bl_object_find(object, bl_str(name));

	if (!bl_value_is(value, BL_KIND_STRING))
		return bl_fail(err, BL_INVALID, "its %s is not text", name);
	*out = bl_value_text(value);
	return BL_OK;
}

enum bl_status team_get_digest(struct bl_value object, const char *name,
			       char out[BL_SHA256_HEX_BYTES],
			       struct bl_error *err)
{
	uint8_t bytes[BL_SHA256_BYTES];
	struct bl_str text;
	enum bl_status status = team_get_text(object, name, &text, err);

	if (status)
		return status;
	if (!bl_hex_decode(text, bytes, sizeof(bytes)))
		return bl_fail(err, BL_INVALID,
			       "its %s is not 64 hexadecimal digits", name);
	bl_hex_encode(bytes, sizeof(bytes), out);
	return BL_OK;
}

enum bl_status team_get_list(struct bl_value object, const char *name,
			     size_t most, struct bl_value *out,
			     struct bl_error *err)
{
	struct bl_value value = bl_object_find(object, bl_str(name));

	if (!bl_value_is(value, BL_KIND_ARRAY))
		return bl_fail(err, BL_INVALID, "its %s is not a list", name);
	if (bl_value_count(value) > most)
		return bl_fail(err, BL_LIMIT, "it has more than %zu %s", most,
			       name);
	*out = value;
	return BL_OK;
}

bool bl_team_id_is_good(struct bl_str id)
{
	if (!id.len || id.len > BL_TEAM_ID_BYTES || id.ptr[0] == '.' ||
	    id.ptr[0] == '-')
		return false;
	for (size_t i = 0; i < id.len; i++) {
		char c = id.ptr[i];

		if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') &&
		    (c < '0' || c > '9') && c != '.' && c != '_' && c != '-')
			return false;
	}
	return true;
}

/* ---- writing ---------------------------------------------------------------- */

void team_begin(struct bl_object_builder *object, struct bl_arena *arena,
		enum bl_team_document kind, struct bl_str team_id)
{
	bl_object_builder_init(object, arena);
	bl_object_builder_add(object, BL_STR("type"),
			      bl_value_string(bl_str(rows[kind].type)));
	bl_object_builder_add(object, BL_STR("spec"),
			      bl_value_integer(TEAM_SPEC));
	bl_object_builder_add(object, BL_STR("team_id"),
			      bl_value_string(team_id));
}

enum bl_status team_end(struct bl_object_builder *object,
			enum bl_team_document kind, team_check check,
			struct bl_buf *out, struct bl_error *err)
{
	struct bl_value value = bl_object_builder_end(object);
	struct bl_buf line;
	enum bl_status status;

	if (!bl_value_is_defined(value))
		return bl_fail_memory(err);
	bl_buf_init(&line, rows[kind].max_bytes);
	bl_json_write(&line, value, BL_JSON_CANONICAL);
	bl_buf_put_char(&line, '\n');
	status = bl_buf_status(&line);
	if (status)
		status = bl_fail(err, status, "%s: more than %zu bytes",
				 rows[kind].name, rows[kind].max_bytes);
	else
		status = check(bl_buf_str(&line), object->arena, err);
	if (!status)
		bl_buf_put_str(out, bl_buf_str(&line));
	bl_buf_clear(&line);
	if (!status && bl_buf_status(out))
		status =
			bl_fail(err, bl_buf_status(out), "%s", rows[kind].name);
	return status;
}

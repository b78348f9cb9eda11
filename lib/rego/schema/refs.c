/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refs.c: where the "$ref" of a JSON schema leads (RFC 3986, RFC 6901): what
 * schemas are called is found before any is read, pointers are followed as they
 * are met.
 */
#include "base/hex.h"
#include "base/url.h"
#include "rego/schema/schema.h"

/* ---- what schemas are called -------------------------------------------- */

static struct bl_str without_fragment(struct bl_str ref)
{
	size_t mark = bl_str_find(ref, BL_STR("#"), 0);

	return mark == SIZE_MAX ? ref : bl_str_slice(ref, 0, mark);
}

struct bl_str bl_schema_absolute(struct bl_arena *arena, struct bl_str base,
				 struct bl_str ref)
{
	return bl_url_resolve(arena, without_fragment(base), ref);
}

static struct bl_value find_id(const struct bl_schema_reader *reader,
			       struct bl_str id)
{
	for (const struct bl_schema_id *at = reader->ids; at; at = at->next)
		if (bl_str_equal(at->id, id))
			return at->schema;
	return bl_value_undefined();
}

static bool note_id(struct bl_schema_reader *reader, struct bl_value schema,
		    struct bl_str id)
{
	struct bl_schema_id *noted =
		bl_arena_new(reader->arena, struct bl_schema_id);

	if (!noted || !id.ptr)
		return false;
	if (bl_value_is_defined(find_id(reader, id)))
		return bl_schema_refuse(reader,
					"Reference already exists: \"%.*s\"",
					BL_STR_ARG(id));
	if (reader->id_count++ == BL_SCHEMA_MAX_IDS)
		return bl_schema_refuse(reader,
					"it has more than %d schemas with $id",
					BL_SCHEMA_MAX_IDS);
	*noted = (struct bl_schema_id){ id, schema, reader->ids };
	reader->ids = noted;
	return true;
}

/* Values that are not schemas, whatever they look like. */
static bool is_literal(struct bl_str key)
{
	return bl_str_is(key, "const") || bl_str_is(key, "enum");
}

/* Names in there are those of properties. */
static bool has_schemas_only(struct bl_str key)
{
	return bl_str_is(key, "properties") || bl_str_is(key, "dependencies") ||
	       bl_str_is(key, "patternProperties");
}

static bool note_inside(struct bl_schema_reader *reader, struct bl_value object,
			struct bl_str base)
{
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str key = bl_value_text(bl_object_key(object, i));
		struct bl_value value = bl_object_value(object, i);
		bool map = has_schemas_only(key) &&
			   bl_value_is(value, BL_KIND_OBJECT);

		if (is_literal(key))
			continue;
		if (!map && !bl_schema_note_ids(reader, value, base))
			return false;
		for (size_t j = 0; map && j < bl_value_count(value); j++)
			if (!bl_schema_note_ids(
				    reader, bl_object_value(value, j), base))
				return false;
	}
	return true;
}

bool bl_schema_note_ids(struct bl_schema_reader *reader, struct bl_value value,
			struct bl_str base)
{
	bool is_object = bl_value_is(value, BL_KIND_OBJECT);
	struct bl_str id = { NULL, 0 };
	bool ok = true;

	if (!is_object && !bl_value_is(value, BL_KIND_ARRAY))
		return true;
	if (reader->nesting == BL_SCHEMA_MAX_NESTING)
		return bl_schema_refuse(reader,
					"schemas are nested more than %d deep",
					BL_SCHEMA_MAX_NESTING);
	if (is_object) {
		id = bl_value_text(bl_object_find(value, BL_STR("id")));
		if (!id.ptr)
			id = bl_value_text(
				bl_object_find(value, BL_STR("$id")));
	}
	if (id.ptr) {
		base = bl_schema_absolute(reader->arena, base, id);
		if (!note_id(reader, value, base))
			return false;
	}
	reader->nesting++;
	for (size_t i = 0; ok && !is_object && i < bl_value_count(value); i++)
		ok = bl_schema_note_ids(reader, bl_value_item(value, i), base);
	if (is_object)
		ok = note_inside(reader, value, base);
	reader->nesting--;
	return ok;
}

/* ---- pointers ------------------------------------------------------------ */

/* A part of a pointer in an address; ptr NULL: no memory. */
static struct bl_str decode_part(struct bl_arena *arena, struct bl_str part)
{
	char *out = bl_arena_alloc(arena, part.len + 1);
	size_t len = 0;

	for (size_t i = 0; out && i < part.len; i++) {
		int32_t byte =
			part.ptr[i] == '%' ? bl_hex_read(part, i + 1, 2) : -1;

		out[len++] = byte < 0 ? part.ptr[i] : (char)byte;
		if (byte >= 0)
			i += 2;
		if (len > 1 && out[len - 2] == '~' &&
		    (out[len - 1] == '0' || out[len - 1] == '1')) {
			out[len - 2] = out[len - 1] == '0' ? '~' : '/';
			len--;
		}
	}
	return (struct bl_str){ out, len };
}

static struct bl_value step_into(struct bl_schema_reader *reader,
				 struct bl_value value, struct bl_str part)
{
	struct bl_value found = bl_value_undefined();
	size_t index = 0;
	bool digits = part.len > 0 && part.len < 9;

	if (bl_value_is(value, BL_KIND_OBJECT)) {
		found = bl_object_find(value, part);
		if (!bl_value_is_defined(found))
			bl_schema_refuse(reader, "Object has no key '%.*s'",
					 BL_STR_ARG(part));
		return found;
	}
	if (!bl_value_is(value, BL_KIND_ARRAY)) {
		bl_schema_refuse(reader, "Invalid token reference '%.*s'",
				 BL_STR_ARG(part));
		return found;
	}
	for (size_t i = 0; digits && i < part.len; i++) {
		digits = part.ptr[i] >= '0' && part.ptr[i] <= '9';
		index = index * 10 + (size_t)(part.ptr[i] - '0');
	}
	if (!digits)
		bl_schema_refuse(reader, "Invalid array index '%.*s'",
				 BL_STR_ARG(part));
	else if (index >= bl_value_count(value))
		bl_schema_refuse(reader,
				 "Out of bound array[0,%zu] index '%zu'",
				 bl_value_count(value), index);
	else
		found = bl_value_item(value, index);
	return found;
}

static bool follow_pointer(struct bl_schema_reader *reader,
			   struct bl_value value, struct bl_str pointer,
			   struct bl_value *out_schema)
{
	/* To OPA a fragment that does not begin with "/" is the whole schema. */
	for (size_t at = 0; at < pointer.len && pointer.ptr[0] == '/';) {
		size_t end = bl_str_find(pointer, BL_STR("/"), at + 1);
		struct bl_str part;

		if (end == SIZE_MAX)
			end = pointer.len;
		part = decode_part(reader->arena,
				   bl_str_slice(pointer, at + 1, end));
		if (!part.ptr)
			return false;
		value = step_into(reader, value, part);
		if (!bl_value_is_defined(value))
			return false;
		at = end;
	}
	*out_schema = value;
	return true;
}

bool bl_schema_follow(struct bl_schema_reader *reader, struct bl_str ref,
		      struct bl_value *out_schema)
{
	struct bl_str document = without_fragment(ref);
	struct bl_value found = find_id(reader, ref);

	if (bl_value_is_defined(found)) {
		*out_schema = found;
		return true;
	}
	found = document.len ? find_id(reader, document) : reader->root;
	if (bl_value_is_defined(found))
		return follow_pointer(
			reader, found,
			bl_str_slice(ref, document.len + 1, ref.len),
			out_schema);
	if (!bl_url_split(document).scheme.ptr)
		return bl_schema_refuse(reader,
					"Reference %.*s must be canonical",
					BL_STR_ARG(ref));
	return bl_schema_refuse(reader,
				"%.*s is not part of it, and nothing is "
				"fetched",
				BL_STR_ARG(ref));
}

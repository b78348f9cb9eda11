/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_json.c: the messages in ProtoJSON (protobuf.dev, "ProtoJSON format").
 * int64 is text on the way out, and text or an exact number on the way in, never
 * a double.
 */
#include <inttypes.h>

#include "json/json.h"
#include "team/fields.h"

enum { MAX_DEPTH = 32, MAX_INTEGER_BYTES = 64 };

struct json_reader {
	struct bl_arena *arena;
	struct bl_error *err;
	bool ignore_unknown;
};

static enum bl_status wrong(struct json_reader *reader,
			    const struct field *field, const char *what)
{
	return bl_fail(reader->err, BL_INVALID, "%s is not %s",
		       field->json_name, what);
}

static enum bl_status read_integer(struct json_reader *reader,
				   const struct field *field,
				   struct bl_value value, int64_t *out)
{
	struct bl_value number = value;
	struct bl_str text = bl_value_text(value);

	if (bl_value_is(value, BL_KIND_STRING) &&
	    (text.len > MAX_INTEGER_BYTES ||
	     bl_number_from_text(text, &number)))
		return wrong(reader, field, "a number");
	if (!bl_value_is(number, BL_KIND_NUMBER) ||
	    !bl_number_to_integer(number, out))
		return wrong(reader, field, "an integer of 64 bits");
	return BL_OK;
}

static enum bl_status read_object(struct json_reader *reader,
				  enum bl_team_message kind,
				  struct bl_value value, void *out);

static enum bl_status read_string(struct json_reader *reader,
				  const struct field *field,
				  struct bl_value value, void *at)
{
	struct bl_str text = bl_value_text(value);

	if (!bl_value_is(value, BL_KIND_STRING))
		return wrong(reader, field, "text");
	memcpy(at, &text, sizeof(text));
	return team_check_text(text, field, reader->err);
}

static enum bl_status read_items(struct json_reader *reader,
				 const struct field *field,
				 struct bl_value value, void *out)
{
	size_t size = team_item_size(field);
	struct list list = { NULL, bl_value_count(value) };
	enum bl_status status = BL_OK;

	if (!bl_value_is(value, BL_KIND_ARRAY))
		return wrong(reader, field, "a list");
	if (list.count > field->most)
		return bl_fail(reader->err, BL_LIMIT,
			       "there are more than %zu %s", field->most,
			       field->json_name);
	if (!list.count)
		return BL_OK;
	list.items = bl_arena_zalloc(reader->arena, list.count, size);
	if (!list.items)
		return bl_arena_fail(reader->arena, reader->err);
	for (size_t i = 0; !status && i < list.count; i++) {
		void *item = (char *)list.items + i * size;

		if (field->type == FIELD_STRINGS) {
			status = read_string(reader, field,
					     bl_value_item(value, i), item);
			continue;
		}
		status = read_object(reader, field->message,
				     bl_value_item(value, i), item);
		if (status)
			bl_error_context(reader->err, "%s %zu",
					 field->json_name, i + 1);
	}
	team_list_set(out, field, list);
	return status;
}

static enum bl_status read_member(struct json_reader *reader,
				  const struct field *field,
				  struct bl_value value, void *out)
{
	void *at = team_field_at(out, field);
	enum bl_status status;
	int64_t number;

	switch (field->type) {
	case FIELD_BOOL:
		if (!bl_value_is(value, BL_KIND_BOOLEAN))
			return wrong(reader, field, "true or false");
		memcpy(at, &value.as.boolean, sizeof(bool));
		return BL_OK;
	case FIELD_INT64:
		status = read_integer(reader, field, value, &number);
		if (!status)
			memcpy(at, &number, sizeof(number));
		return status;
	case FIELD_STRING:
		return read_string(reader, field, value, at);
	case FIELD_STRINGS:
	case FIELD_MESSAGES:
		break;
	}
	return read_items(reader, field, value, out);
}

/* Recursion: as deep as messages hold messages, which is twice. */
static enum bl_status read_object(struct json_reader *reader,
				  enum bl_team_message kind,
				  struct bl_value value, void *out)
{
	const struct message *message = team_message(kind);
	bool seen[TEAM_MAX_FIELDS] = { false };
	enum bl_status status = BL_OK;

	memset(out, 0, message->size);
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return bl_fail(reader->err, BL_INVALID, "%s is not an object",
			       message->name);
	for (size_t i = 0; !status && i < bl_value_count(value); i++) {
		struct bl_str name = bl_value_text(bl_object_key(value, i));
		struct bl_value member = bl_object_value(value, i);
		size_t at = team_field_named(message, name);

		if (at == SIZE_MAX && reader->ignore_unknown)
			continue;
		if (at == SIZE_MAX)
			return bl_fail(reader->err, BL_INVALID,
				       "%s has no field '%.*s'", message->name,
				       BL_STR_ARG(name));
		if (seen[at])
			return bl_fail(reader->err, BL_SYNTAX,
				       "%s is given twice",
				       message->fields[at].json_name);
		seen[at] = true;
		if (!bl_value_is(member, BL_KIND_NULL))
			status = read_member(reader, &message->fields[at],
					     member, out);
	}
	return status;
}

enum bl_status bl_team_decode_json(enum bl_team_message message,
				   struct bl_str text, bool ignore_unknown,
				   struct bl_arena *arena, void *out,
				   struct bl_error *err)
{
	struct bl_json_options options = { .max_depth = MAX_DEPTH,
					   .max_bytes =
						   BL_TEAM_MAX_MESSAGE_BYTES };
	struct json_reader reader = { .arena = arena,
				      .err = err,
				      .ignore_unknown = ignore_unknown };
	struct bl_json_report report = { 0 };
	struct bl_value value;
	enum bl_status status =
		bl_json_read(arena, text, &options, &value, &report, NULL, err);

	if (!status && report.repeated_key_count)
		status = bl_fail(err, BL_SYNTAX, "'%.*s' is given twice",
				 BL_STR_ARG(report.repeated_key));
	if (!status && report.had_lone_surrogate)
		status = bl_fail(err, BL_SYNTAX, "half a surrogate pair");
	if (!status)
		status = read_object(&reader, message, value, out);
	if (status)
		bl_error_context(err, "%s", team_message(message)->name);
	return status;
}

/* ---- writing ------------------------------------------------------------------ */

static void put_object(struct bl_buf *out, const struct message *message,
		       const void *in);

static void put_items(struct bl_buf *out, const struct field *field,
		      const void *in)
{
	struct list list = team_list_get(in, field);
	size_t size = team_item_size(field);

	bl_buf_put_char(out, '[');
	for (size_t i = 0; i < list.count; i++) {
		const char *item = (const char *)list.items + i * size;
		struct bl_str text;

		if (i)
			bl_buf_put_char(out, ',');
		if (field->type == FIELD_STRINGS) {
			memcpy(&text, item, sizeof(text));
			bl_json_write_string(out, text);
		} else {
			put_object(out, team_message(field->message), item);
		}
	}
	bl_buf_put_char(out, ']');
}

static bool is_default(const struct field *field, const void *in)
{
	const char *at = (const char *)in + field->offset;
	struct bl_str text;
	int64_t number;
	bool truth;

	switch (field->type) {
	case FIELD_BOOL:
		memcpy(&truth, at, sizeof(truth));
		return !truth;
	case FIELD_INT64:
		memcpy(&number, at, sizeof(number));
		return !number;
	case FIELD_STRING:
		memcpy(&text, at, sizeof(text));
		return !text.len;
	case FIELD_STRINGS:
	case FIELD_MESSAGES:
		break;
	}
	return !team_list_get(in, field).count;
}

/* A value that is not the default. */
static void put_member(struct bl_buf *out, const struct field *field,
		       const void *in)
{
	const char *at = (const char *)in + field->offset;
	struct bl_str text;
	int64_t number;

	switch (field->type) {
	case FIELD_BOOL:
		bl_buf_puts(out, "true");
		return;
	case FIELD_INT64:
		memcpy(&number, at, sizeof(number));
		bl_buf_printf(out, "\"%" PRId64 "\"", number);
		return;
	case FIELD_STRING:
		memcpy(&text, at, sizeof(text));
		bl_json_write_string(out, text);
		return;
	case FIELD_STRINGS:
	case FIELD_MESSAGES:
		put_items(out, field, in);
		return;
	}
}

static void put_object(struct bl_buf *out, const struct message *message,
		       const void *in)
{
	bool first = true;

	bl_buf_put_char(out, '{');
	for (size_t i = 0; i < message->field_count; i++) {
		const struct field *field = &message->fields[i];

		if (is_default(field, in))
			continue;
		bl_buf_printf(out, "%s\"%s\":", first ? "" : ",",
			      field->json_name);
		put_member(out, field, in);
		first = false;
	}
	bl_buf_put_char(out, '}');
}

void bl_team_encode_json(enum bl_team_message message, const void *in,
			 struct bl_buf *out)
{
	put_object(out, team_message(message), in);
}

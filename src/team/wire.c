/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.c: the messages in protobuf's binary form.
 *
 * A message is a row of fields, each a key and a value; the key is the field's
 * number and the type on the wire: 0 a varint, 2 a length and as many bytes.
 * `08 07` is field 1, varint 7; `1a 01 61` is field 3, one byte, "a".
 *
 * Written by hand and not by protobuf-c, which accepts text that is not UTF-8,
 * loses what follows a NUL in it, and makes 50 bytes of memory of one byte of
 * input.  A list is counted before memory is taken for it.
 */
#include "team/fields.h"

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

enum {
	WIRE_TYPE_BITS = 3,
	VARINT_BYTES = 10,
	MAX_UNKNOWN = 64,
	MAX_FIELD_NUMBER = (1 << 29) - 1,
};

/* The rest of a message. */
struct reader {
	struct bl_str rest;
	struct bl_arena *arena;
	struct bl_error *err;
};

/* One field as it lies there. */
struct piece {
	uint32_t number;
	enum wire_type type;
	uint64_t varint;
	struct bl_str bytes;
};

static enum bl_status bad(struct reader *reader, const char *what)
{
	return bl_fail(reader->err, BL_SYNTAX, "%s", what);
}

static enum bl_status read_varint(struct reader *reader, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < VARINT_BYTES && i < reader->rest.len; i++) {
		uint8_t byte = (uint8_t)reader->rest.ptr[i];

		if (i == VARINT_BYTES - 1 && byte > 1)
			return bad(reader, "a number has more than 64 bits");
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			reader->rest =
				bl_str_slice(reader->rest, i + 1, SIZE_MAX);
			*out = value;
			return BL_OK;
		}
	}
	return bad(reader, "a number is cut short");
}

static enum bl_status take(struct reader *reader, uint64_t len,
			   struct bl_str *out)
{
	if (len > reader->rest.len)
		return bad(reader, "a field is cut short");
	*out = bl_str_slice(reader->rest, 0, (size_t)len);
	reader->rest = bl_str_slice(reader->rest, (size_t)len, SIZE_MAX);
	return BL_OK;
}

static enum bl_status read_value(struct reader *reader, struct piece *out)
{
	uint64_t len;
	enum bl_status status;

	switch (out->type) {
	case WIRE_VARINT:
		return read_varint(reader, &out->varint);
	case WIRE_FIXED64:
		return take(reader, 8, &out->bytes);
	case WIRE_FIXED32:
		return take(reader, 4, &out->bytes);
	case WIRE_BYTES:
		status = read_varint(reader, &len);
		return status ? status : take(reader, len, &out->bytes);
	}
	return bad(reader, "a field has a type that is not accepted");
}

static enum bl_status read_piece(struct reader *reader, struct piece *out)
{
	uint64_t key;
	enum bl_status status = read_varint(reader, &key);

	if (status)
		return status;
	if (key >> WIRE_TYPE_BITS == 0 ||
	    key >> WIRE_TYPE_BITS > MAX_FIELD_NUMBER)
		return bad(reader, "a field has a number that there cannot be");
	*out = (struct piece){
		.number = (uint32_t)(key >> WIRE_TYPE_BITS),
		.type = (enum wire_type)(key & ((1 << WIRE_TYPE_BITS) - 1)),
	};
	return read_value(reader, out);
}

static bool is_list(const struct field *field)
{
	return field->type == FIELD_STRINGS || field->type == FIELD_MESSAGES;
}

static enum wire_type wire_type_of(const struct field *field)
{
	return field->type == FIELD_BOOL || field->type == FIELD_INT64
		       ? WIRE_VARINT
		       : WIRE_BYTES;
}

/* Goes over a message and counts its fields; counts has one for each row. */
static enum bl_status count_fields(struct reader reader,
				   const struct message *message,
				   size_t counts[TEAM_MAX_FIELDS])
{
	size_t unknown = 0;

	while (reader.rest.len) {
		struct piece piece;
		enum bl_status status = read_piece(&reader, &piece);
		size_t i;

		if (status)
			return status;
		i = team_field_index(message, piece.number);
		if (i == SIZE_MAX) {
			if (++unknown > MAX_UNKNOWN)
				return bl_fail(reader.err, BL_LIMIT,
					       "there are more than %d unknown "
					       "fields",
					       (int)MAX_UNKNOWN);
			continue;
		}
		if (piece.type != wire_type_of(&message->fields[i]))
			return bl_fail(reader.err, BL_SYNTAX,
				       "%s has the wrong type on the wire",
				       message->fields[i].name);
		counts[i]++;
	}
	return BL_OK;
}

/* Makes room for the lists, and refuses what is there too often. */
static enum bl_status make_lists(struct reader *reader,
				 const struct message *message,
				 const size_t counts[TEAM_MAX_FIELDS],
				 void *out)
{
	for (size_t i = 0; i < message->field_count; i++) {
		const struct field *field = &message->fields[i];
		struct list list = { NULL, 0 };

		if (!is_list(field) && counts[i] > 1)
			return bl_fail(reader->err, BL_SYNTAX,
				       "%s is given twice", field->name);
		if (!is_list(field) || !counts[i])
			continue;
		if (counts[i] > field->most)
			return bl_fail(reader->err, BL_LIMIT,
				       "there are more than %zu %s",
				       field->most, field->name);
		list.items = bl_arena_zalloc(reader->arena, counts[i],
					     team_item_size(field));
		if (!list.items)
			return bl_arena_fail(reader->arena, reader->err);
		team_list_set(out, field, list);
	}
	return BL_OK;
}

static enum bl_status read_message(struct reader *reader,
				   enum bl_team_message kind, void *out);

/* The next item of a list, for which there is room. */
static enum bl_status read_item(struct reader *reader,
				const struct field *field, struct bl_str bytes,
				void *out)
{
	struct list list = team_list_get(out, field);
	char *item = (char *)list.items + list.count * team_item_size(field);
	struct reader inner = *reader;
	enum bl_status status;

	list.count++;
	team_list_set(out, field, list);
	if (field->type == FIELD_STRINGS) {
		memcpy(item, &bytes, sizeof(bytes));
		return team_check_text(bytes, field, reader->err);
	}
	inner.rest = bytes;
	status = read_message(&inner, field->message, item);
	if (status)
		bl_error_context(reader->err, "%s %zu", field->name,
				 list.count);
	return status;
}

static enum bl_status read_field(struct reader *reader,
				 const struct field *field,
				 const struct piece *piece, void *out)
{
	void *at = team_field_at(out, field);
	int64_t number = (int64_t)piece->varint;
	bool truth = piece->varint != 0;

	switch (field->type) {
	case FIELD_BOOL:
		memcpy(at, &truth, sizeof(truth));
		return BL_OK;
	case FIELD_INT64:
		memcpy(at, &number, sizeof(number));
		return BL_OK;
	case FIELD_STRING:
		memcpy(at, &piece->bytes, sizeof(piece->bytes));
		return team_check_text(piece->bytes, field, reader->err);
	case FIELD_STRINGS:
	case FIELD_MESSAGES:
		break;
	}
	return read_item(reader, field, piece->bytes, out);
}

/* Recursion: as deep as messages hold messages, which is twice. */
static enum bl_status read_message(struct reader *reader,
				   enum bl_team_message kind, void *out)
{
	const struct message *message = team_message(kind);
	size_t counts[TEAM_MAX_FIELDS] = { 0 };
	enum bl_status status = count_fields(*reader, message, counts);

	memset(out, 0, message->size);
	if (!status)
		status = make_lists(reader, message, counts, out);
	while (!status && reader->rest.len) {
		struct piece piece;
		size_t i;

		status = read_piece(reader, &piece);
		if (status)
			break;
		i = team_field_index(message, piece.number);
		if (i != SIZE_MAX)
			status = read_field(reader, &message->fields[i], &piece,
					    out);
	}
	return status;
}

enum bl_status bl_team_decode(enum bl_team_message message, struct bl_str bytes,
			      struct bl_arena *arena, void *out,
			      struct bl_error *err)
{
	struct reader reader = { .rest = bytes, .arena = arena, .err = err };
	enum bl_status status;

	if (bytes.len > BL_TEAM_MAX_MESSAGE_BYTES)
		return bl_fail(err, BL_LIMIT, "%s has more than %d bytes",
			       team_message(message)->name,
			       (int)BL_TEAM_MAX_MESSAGE_BYTES);
	status = read_message(&reader, message, out);
	if (status)
		bl_error_context(err, "%s", team_message(message)->name);
	return status;
}

/* ---- writing ------------------------------------------------------------------ */

static void put_varint(struct bl_buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		bl_buf_put_char(out, (char)(value | 0x80));
	bl_buf_put_char(out, (char)value);
}

static void put_key(struct bl_buf *out, const struct field *field)
{
	put_varint(out, (uint64_t)field->number << WIRE_TYPE_BITS |
				(uint64_t)wire_type_of(field));
}

static void put_bytes(struct bl_buf *out, const struct field *field,
		      struct bl_str bytes)
{
	put_key(out, field);
	put_varint(out, bytes.len);
	bl_buf_put_str(out, bytes);
}

static void put_message(struct bl_buf *out, const struct message *message,
			const void *in);

static void put_list(struct bl_buf *out, const struct field *field,
		     const void *in)
{
	struct list list = team_list_get(in, field);
	size_t size = team_item_size(field);

	for (size_t i = 0; i < list.count; i++) {
		const char *item = (const char *)list.items + i * size;
		struct bl_str text;
		struct bl_buf inner;

		if (field->type == FIELD_STRINGS) {
			memcpy(&text, item, sizeof(text));
			put_bytes(out, field, text);
			continue;
		}
		bl_buf_init(&inner, 0);
		put_message(&inner, team_message(field->message), item);
		put_bytes(out, field, bl_buf_str(&inner));
		if (bl_buf_status(&inner))
			out->status = bl_buf_status(&inner);
		bl_buf_clear(&inner);
	}
}

static void put_varint_field(struct bl_buf *out, const struct field *field,
			     uint64_t value)
{
	if (!value)
		return;
	put_key(out, field);
	put_varint(out, value);
}

static void put_field(struct bl_buf *out, const struct field *field,
		      const void *in)
{
	const char *at = (const char *)in + field->offset;
	struct bl_str text;
	int64_t number;
	bool truth;

	switch (field->type) {
	case FIELD_BOOL:
		memcpy(&truth, at, sizeof(truth));
		put_varint_field(out, field, truth);
		return;
	case FIELD_INT64:
		memcpy(&number, at, sizeof(number));
		put_varint_field(out, field, (uint64_t)number);
		return;
	case FIELD_STRING:
		memcpy(&text, at, sizeof(text));
		if (text.len)
			put_bytes(out, field, text);
		return;
	case FIELD_STRINGS:
	case FIELD_MESSAGES:
		put_list(out, field, in);
		return;
	}
}

static void put_message(struct bl_buf *out, const struct message *message,
			const void *in)
{
	for (size_t i = 0; i < message->field_count; i++)
		put_field(out, &message->fields[i], in);
}

void bl_team_encode(enum bl_team_message message, const void *in,
		    struct bl_buf *out)
{
	put_message(out, team_message(message), in);
}

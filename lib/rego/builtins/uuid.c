/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builtins uuid.*: random ones (one a query for each name), and the fields of a
 * text (RFC 9562).
 */
#include "base/hex.h"
#include "rego/builtins/functions.h"

enum { UUID_BYTES = 16, UUID_TEXT = 36 };

static bool is_dash_place(size_t at)
{
	return at == 8 || at == 13 || at == 18 || at == 23;
}

/* With dashes, without them, in braces, or after "urn:uuid:". */
static bool read_uuid(struct bl_str text, uint8_t out[UUID_BYTES])
{
	static const char urn[] = "urn:uuid:";
	bool dashes = text.len != 2 * UUID_BYTES;
	size_t count = 0;

	if (text.len == UUID_TEXT + sizeof(urn) - 1 &&
	    !strncasecmp(text.ptr, urn, sizeof(urn) - 1))
		text = bl_str_slice(text, sizeof(urn) - 1, text.len);
	else if (text.len == UUID_TEXT + 2)
		text = bl_str_slice(text, 1, UUID_TEXT + 1);
	if (dashes && text.len != UUID_TEXT)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		int digit;

		if (dashes && is_dash_place(i)) {
			if (text.ptr[i] != '-')
				return false;
			continue;
		}
		digit = bl_hex_value(text.ptr[i]);
		if (digit < 0)
			return false;
		out[count / 2] = (uint8_t)(out[count / 2] << 4 | digit);
		count++;
	}
	return true;
}

static void put_uuid(struct bl_buf *out, const uint8_t uuid[UUID_BYTES])
{
	for (size_t i = 0; i < UUID_BYTES; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			bl_buf_put_char(out, '-');
		bl_buf_printf(out, "%02x", (unsigned)uuid[i]);
	}
}

bool bl_fn_uuid_rfc4122(struct bl_builtin_call *call)
{
	struct bl_builtin_state *state = call->state;
	struct bl_value key = bl_array_make(
		call->arena,
		(struct bl_value[]){ bl_value_string(BL_STR("uuid.rfc4122")),
				     call->args[0] },
		2);
	struct bl_value known = bl_builtin_memo_find(call, key);
	uint8_t uuid[UUID_BYTES];
	struct bl_buf out;

	if (bl_value_is_defined(known))
		return bl_builtin_return(call, known);
	if (!state->host.fill_random ||
	    !state->host.fill_random(state->host.context, uuid, sizeof(uuid)))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"no random numbers");
	uuid[6] = (uint8_t)((uuid[6] & 0x0F) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3F) | 0x80);
	bl_buf_init(&out, 0);
	put_uuid(&out, uuid);
	return bl_builtin_return_buf(call, &out) &&
	       bl_builtin_memo_add(call, key, call->result);
}

/* ---- parts -------------------------------------------------------------- */

static const char *variant_of(uint8_t byte)
{
	if ((byte & 0xC0) == 0x80)
		return "RFC4122";
	if ((byte & 0xE0) == 0xC0)
		return "Microsoft";
	return (byte & 0xE0) == 0xE0 ? "Future" : "Reserved";
}

static const char *mac_variables_of(uint8_t byte)
{
	static const char *const names[] = {
		"global:unicast",
		"global:multicast",
		"local:unicast",
		"local:multicast",
	};

	return names[byte & 3];
}

static uint64_t big_endian(const uint8_t *bytes, size_t count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < count; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* Nanoseconds since 1970 of the 100 ns steps since 1582-10-15. */
static int64_t time_of(const uint8_t uuid[UUID_BYTES])
{
	static const int64_t epoch = INT64_C(122192928000000000);
	uint64_t steps = big_endian(uuid, 4) | big_endian(uuid + 4, 2) << 32 |
			 (big_endian(uuid + 6, 2) & 0xFFF) << 48;

	/* Wraps around as in Go for years that nanoseconds cannot hold. */
	return (int64_t)(((uint64_t)(int64_t)(steps - (uint64_t)epoch)) * 100);
}

static void add_text(struct bl_object_builder *object, const char *key,
		     const char *text)
{
	bl_object_builder_add(object, bl_str(key),
			      bl_value_string(bl_str(text)));
}

static void add_integer(struct bl_object_builder *object, const char *key,
			int64_t integer)
{
	bl_object_builder_add(object, bl_str(key), bl_value_integer(integer));
}

static void add_time_parts(struct bl_builtin_call *call,
			   struct bl_object_builder *object,
			   const uint8_t uuid[UUID_BYTES])
{
	static const char *const domains[] = { "Person", "Group", "Org" };
	const uint8_t *node = uuid + 10;
	struct bl_value node_id = bl_value_printf(
		call->arena, "%02x-%02x-%02x-%02x-%02x-%02x", (unsigned)node[0],
		(unsigned)node[1], (unsigned)node[2], (unsigned)node[3],
		(unsigned)node[4], (unsigned)node[5]);

	add_integer(object, "time", time_of(uuid));
	bl_object_builder_add(object, BL_STR("nodeid"), node_id);
	add_text(object, "macvariables", mac_variables_of(node[0]));
	add_integer(object, "clocksequence",
		    (int64_t)(big_endian(uuid + 8, 2) & 0x3FFF));
	if (uuid[6] >> 4 != 2)
		return;
	add_integer(object, "id", (int64_t)big_endian(uuid, 4));
	if (uuid[9] < BL_COUNT(domains))
		add_text(object, "domain", domains[uuid[9]]);
	else
		bl_object_builder_add(object, BL_STR("domain"),
				      bl_value_printf(call->arena, "Domain%u",
						      (unsigned)uuid[9]));
}

bool bl_fn_uuid_parse(struct bl_builtin_call *call)
{
	struct bl_object_builder object;
	uint8_t uuid[UUID_BYTES] = { 0 };
	unsigned version;

	if (!read_uuid(bl_builtin_text(call, 0), uuid))
		return true; /* undefined */
	version = uuid[6] >> 4;
	bl_object_builder_init(&object, call->arena);
	add_integer(&object, "version", version);
	add_text(&object, "variant", variant_of(uuid[8]));
	if (version == 1 || version == 2)
		add_time_parts(call, &object, uuid);
	return bl_builtin_return(call, bl_object_builder_end(&object));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The envelope, and the name of the file that holds it
 * (docs/contracts/everruns.md "Payload", "Payload file").
 */
#include "base/utf8.h"
#include "sources/hooks/everruns/private.h"

static struct bl_value text_value(struct bl_str text)
{
	return bl_value_string(text.ptr ? text : BL_STR(""));
}

struct bl_str bl_everruns_payload(const struct bl_everruns_event_facts *facts,
				  struct bl_str hook_id, struct bl_arena *arena)
{
	struct bl_str event = bl_str(bl_everruns_event_name(facts->event));
	const struct {
		struct bl_str name;
		struct bl_value value;
	} members[] = {
		{ BL_STR("event"), bl_value_string(event) },
		{ BL_STR("hook_id"), text_value(hook_id) },
		{ BL_STR("session_id"), text_value(facts->session_id) },
		{ BL_STR("turn_id"), facts->turn_id },
		{ BL_STR("org_id"), facts->org_id },
		{ BL_STR("agent_id"), facts->agent_id },
		{ BL_STR("ts"), text_value(facts->ts) },
		{ BL_STR("data"), facts->data },
	};
	struct bl_str text = { NULL, 0 };
	struct bl_object_builder builder;
	struct bl_value whole;
	struct bl_buf buf;

	bl_object_builder_init(&builder, arena);
	for (size_t i = 0; i < BL_COUNT(members); i++)
		bl_object_builder_add(&builder, members[i].name,
				      members[i].value);
	whole = bl_object_builder_end(&builder);
	if (!bl_value_is_defined(whole))
		return text;
	bl_buf_init(&buf, 0);
	bl_json_write(&buf, whole, BL_JSON_COMPACT);
	if (bl_buf_status(&buf) == BL_OK)
		text = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}

static bool is_safe(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_';
}

enum {
	UUID_BYTES = 16,
	/* Names have 255 bytes at most; the UUID and ".json" take 42. */
	MAX_ID_BYTES = 200
};

static void put_safe(struct bl_buf *out, struct bl_str id)
{
	for (size_t at = 0; at < id.len && out->len < MAX_ID_BYTES;) {
		uint32_t rune;
		size_t len = bl_utf8_decode(id, at, &rune);

		bl_buf_put_char(out, is_safe(id.ptr[at]) ? id.ptr[at] : '_');
		at += len > 0 ? len : 1;
	}
}

/* RFC 9562: 48 bits of milliseconds, version 7, 74 random bits. */
static void put_uuid(struct bl_buf *out, int64_t wall_ms,
		     unsigned char bytes[UUID_BYTES])
{
	uint64_t ms = (uint64_t)wall_ms;

	for (size_t i = 0; i < 6; i++)
		bytes[i] = (unsigned char)(ms >> (40 - 8 * i));
	bytes[6] = (unsigned char)(0x70 | (bytes[6] & 0x0F));
	bytes[8] = (unsigned char)(0x80 | (bytes[8] & 0x3F));
	for (size_t i = 0; i < UUID_BYTES; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			bl_buf_put_char(out, '-');
		bl_buf_printf(out, "%02x", bytes[i]);
	}
}

enum bl_status bl_everruns_file_name(struct bl_str hook_id, int64_t wall_ms,
				     struct bl_arena *arena,
				     struct bl_str *out_name,
				     struct bl_error *err)
{
	unsigned char bytes[UUID_BYTES];
	enum bl_status status = bl_os_random(bytes, sizeof(bytes), err);
	struct bl_str name = { NULL, 0 };
	struct bl_buf buf;

	if (status != BL_OK)
		return status;
	bl_buf_init(&buf, 0);
	put_safe(&buf, hook_id);
	bl_buf_put_char(&buf, '-');
	put_uuid(&buf, wall_ms, bytes);
	bl_buf_puts(&buf, ".json");
	if (bl_buf_status(&buf) == BL_OK)
		name = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	if (!name.ptr)
		return bl_arena_fail(arena, err);
	*out_name = name;
	return BL_OK;
}

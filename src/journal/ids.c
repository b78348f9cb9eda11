/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ids.c: where the journal is, and the ids of its lines.  Events of one action
 * get one id, made of what they have in common (docs/contracts/cursor.md "One
 * action").
 */
#include "base/hex.h"
#include "journal/private.h"

#include "json/json.h"

enum bl_status bl_journal_dir(struct bl_arena *arena, struct bl_str home,
			      struct bl_str *out_dir, struct bl_error *err)
{
	struct bl_str base = bl_os_getenv("XDG_STATE_HOME");
	struct bl_str dir;

	if (bl_path_is_absolute(base))
		dir = bl_path_join(arena, base, BL_STR("belay"));
	else
		dir = bl_path_join(arena, home, BL_STR(".local/state/belay"));
	if (!dir.ptr)
		return bl_arena_fail(arena, err);
	*out_dir = dir;
	return BL_OK;
}

struct bl_str bl_journal_file(struct bl_arena *arena, struct bl_str dir,
			      uint32_t number)
{
	struct bl_str file = BL_STR("journal.jsonl");

	if (number == 0)
		return bl_path_join(arena, dir, file);
	return bl_arena_printf(arena, "%.*s/journal.jsonl.%u", BL_STR_ARG(dir),
			       (unsigned)number);
}

/* ---- ids of lines ------------------------------------------------------- */

enum {
	TIME_DIGITS = 9, /* of base 36, until the year 5188 */
	RANDOM_BYTES = 10,
	RANDOM_DIGITS = 16, /* of base 32 */
};

_Static_assert(TIME_DIGITS + 1 + RANDOM_DIGITS < BL_JOURNAL_ID_BYTES,
	       "an id fits");

enum bl_status bl_journal_new_id(char out[BL_JOURNAL_ID_BYTES],
				 struct bl_error *err)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	uint8_t chance[RANDOM_BYTES];
	uint64_t time = (uint64_t)bl_os_wall_ms();
	uint32_t bits = 0;
	unsigned bit_count = 0;
	size_t at = TIME_DIGITS + 1;
	enum bl_status status = bl_os_random(chance, sizeof(chance), err);

	if (status != BL_OK)
		return status;
	for (size_t i = TIME_DIGITS; i-- > 0; time /= 36)
		out[i] = digits[time % 36];
	out[TIME_DIGITS] = '-';
	for (size_t i = 0; i < sizeof(chance); i++) {
		bits = bits << 8 | chance[i];
		for (bit_count += 8; bit_count >= 5; bit_count -= 5)
			out[at++] = digits[bits >> (bit_count - 5) & 31];
	}
	out[at] = '\0';
	return BL_OK;
}

/* ---- ids of actions ----------------------------------------------------- */

/* The subject of an event of a kind. */
enum about {
	ABOUT_EVENT, /* itself alone */
	ABOUT_COMMAND,
	ABOUT_FILE,
	ABOUT_TOOL,
	ABOUT_MCP_TOOL,
};

static const uint8_t about_kind[BL_EVENT_KIND_COUNT] = {
	[BL_EVENT_TOOL_BEFORE] = ABOUT_TOOL,
	[BL_EVENT_TOOL_AFTER] = ABOUT_TOOL,
	[BL_EVENT_TOOL_FAILED] = ABOUT_TOOL,
	[BL_EVENT_SHELL_BEFORE] = ABOUT_COMMAND,
	[BL_EVENT_SHELL_AFTER] = ABOUT_COMMAND,
	[BL_EVENT_MCP_BEFORE] = ABOUT_MCP_TOOL,
	[BL_EVENT_MCP_AFTER] = ABOUT_MCP_TOOL,
	[BL_EVENT_READ_BEFORE] = ABOUT_FILE,
	[BL_EVENT_EDIT_AFTER] = ABOUT_FILE,
};

static const struct {
	enum about about;
	const char *field;
} subjects[] = {
	{ ABOUT_COMMAND, "command" },
	{ ABOUT_FILE, "file_path" },
};

/* Each part with its length, so that no two lists of parts look the same. */
static void add_part(struct bl_sha256 *sha, struct bl_str part)
{
	uint64_t len = part.len;

	bl_sha256_update(sha, &len, sizeof(len));
	bl_sha256_update(sha, part.ptr, part.len);
}

static struct bl_str text_of(struct bl_value object, const char *field)
{
	return bl_value_text(bl_object_find(object, bl_str(field)));
}

/* A command or file, when object has that field. */
static bool add_subject(struct bl_sha256 *sha, struct bl_value object,
			enum about about)
{
	for (size_t i = 0; i < BL_COUNT(subjects); i++) {
		struct bl_str text = text_of(object, subjects[i].field);

		if ((about != subjects[i].about && about != ABOUT_TOOL) ||
		    text.len == 0)
			continue;
		add_part(sha, bl_str(subjects[i].field));
		add_part(sha, text);
		return true;
	}
	return false;
}

/* The arguments in their one form, whether they came as object or as text. */
static void add_arguments(struct bl_sha256 *sha, struct bl_value input)
{
	struct bl_str text = bl_value_text(input);
	struct bl_value parsed = input;
	struct bl_arena arena;
	struct bl_buf buf;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&buf, 0);
	if (text.ptr && bl_json_read(&arena, text, NULL, &parsed, NULL, NULL,
				     NULL) != BL_OK)
		parsed = input;
	bl_json_write(&buf, parsed, BL_JSON_CANONICAL);
	add_part(sha, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	bl_arena_clear(&arena);
}

static void add_tool(struct bl_sha256 *sha, struct bl_value payload,
		     enum about about)
{
	struct bl_value input = bl_object_find(payload, BL_STR("tool_input"));
	struct bl_str name = text_of(payload, "tool_name");
	struct bl_str prefix = BL_STR("MCP:");
	bool has_prefix = bl_str_has_prefix(name, prefix);
	bool is_mcp = has_prefix || about == ABOUT_MCP_TOOL;

	if (has_prefix)
		name = bl_str_slice(name, prefix.len, name.len);
	/* A server's member "command" need not hold a command. */
	if (!is_mcp && bl_value_is(input, BL_KIND_OBJECT) &&
	    add_subject(sha, input, ABOUT_TOOL))
		return;
	add_part(sha, BL_STR("tool"));
	add_part(sha, name);
	add_arguments(sha, input);
}

void bl_journal_action_id(enum bl_event_kind kind, struct bl_value payload,
			  char out[BL_JOURNAL_ID_BYTES])
{
	enum about about = (enum about)about_kind[kind];
	uint8_t digest[BL_SHA256_BYTES];
	struct bl_sha256 sha;

	bl_sha256_init(&sha);
	add_part(&sha, text_of(payload, "conversation_id"));
	if (about >= ABOUT_TOOL) {
		add_tool(&sha, payload, about);
	} else if (about == ABOUT_EVENT || !add_subject(&sha, payload, about)) {
		add_part(&sha, bl_str(bl_event_kind_name(kind)));
		add_part(&sha, text_of(payload, "generation_id"));
	}
	bl_sha256_end(&sha, digest);
	bl_hex_encode(digest, sizeof(digest) / 2, out);
}

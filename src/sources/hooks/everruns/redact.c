/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removes from a tool's arguments the values that may not be recorded
 * (docs/contracts/everruns.md "Chains").
 */
#include "sources/hooks/everruns/private.h"

#define REDACTED "[REDACTED]"

/* In lower case, "_" and "-" left out, a key holds one of them. */
static const char *const credential_words[] = {
	"password",      "passwd",    "passphrase", "secret",
	"apikey",        "accesskey", "privatekey", "credential",
	"authorization", "token",     "cookie",
};

enum { MAX_TEXT_BYTES = 4096, MAX_KEY_BYTES = 128 };

static bool names_credential(struct bl_str key)
{
	char plain[MAX_KEY_BYTES + 1];
	size_t len = 0;

	for (size_t i = 0; i < key.len && len < MAX_KEY_BYTES; i++) {
		char c = key.ptr[i];

		if (c == '_' || c == '-')
			continue;
		plain[len++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	for (size_t i = 0; i < BL_COUNT(credential_words); i++) {
		if (bl_str_find((struct bl_str){ plain, len },
				bl_str(credential_words[i]), 0) != SIZE_MAX)
			return true;
	}
	return false;
}

struct scrubbing {
	struct bl_arena *arena;
	const struct bl_regex *secrets;
};

static bool put_scrubbed(const struct scrubbing *scrubbing, struct bl_str text,
			 struct bl_buf *out)
{
	size_t from = 0;
	struct bl_span span;
	bool found;

	for (;;) {
		if (bl_regex_search(scrubbing->secrets, scrubbing->arena, text,
				    from, &span, 1, &found) != BL_OK)
			return false;
		if (!found || span.to == span.from)
			break;
		bl_buf_put_str(out, bl_str_slice(text, from, span.from));
		/* Of a URL only the part between "://" and "@". */
		bl_buf_puts(out, text.ptr[span.from] == ':' ? "://" REDACTED "@"
							    : REDACTED);
		from = span.to;
	}
	bl_buf_put_str(out, bl_str_slice(text, from, text.len));
	return true;
}

/* After scrubbing, lest a cut leaves half a secret that no pattern knows. */
static void cut(struct bl_buf *buf)
{
	size_t end = MAX_TEXT_BYTES;

	if (buf->len <= end)
		return;
	while (end > 0 && ((unsigned char)buf->ptr[end] & 0xC0) == 0x80)
		end--;
	buf->len = end;
	bl_buf_puts(buf, "...");
}

static struct bl_value scrub_text(const struct scrubbing *scrubbing,
				  struct bl_str text)
{
	struct bl_value value = bl_value_undefined();
	struct bl_str copy = { NULL, 0 };
	struct bl_buf buf;

	if (text.len == 0)
		return bl_value_string(BL_STR(""));
	bl_buf_init(&buf, 0);
	if (!put_scrubbed(scrubbing, text, &buf)) {
		bl_buf_reset(&buf);
		bl_buf_puts(&buf, REDACTED);
	}
	cut(&buf);
	if (bl_buf_status(&buf) == BL_OK)
		copy = bl_arena_copy_str(scrubbing->arena, bl_buf_str(&buf));
	if (copy.ptr)
		value = bl_value_string(copy);
	bl_buf_clear(&buf);
	return value;
}

static struct bl_value scrub(const struct scrubbing *scrubbing,
			     struct bl_value value);

static struct bl_value scrub_object(const struct scrubbing *scrubbing,
				    struct bl_value value)
{
	struct bl_object_builder builder;

	bl_object_builder_init(&builder, scrubbing->arena);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_str key = bl_value_text(bl_object_key(value, i));
		struct bl_value safe = bl_value_string(BL_STR(REDACTED));

		if (!names_credential(key))
			safe = scrub(scrubbing, bl_object_value(value, i));
		if (!bl_value_is_defined(safe))
			return safe;
		bl_object_builder_add(&builder, key, safe);
	}
	return bl_object_builder_end(&builder);
}

/* As deep as the payload's limit of levels lets values be. */
static struct bl_value scrub(const struct scrubbing *scrubbing,
			     struct bl_value value)
{
	struct bl_array_builder builder;

	if (bl_value_is(value, BL_KIND_STRING))
		return scrub_text(scrubbing, bl_value_text(value));
	if (bl_value_is(value, BL_KIND_OBJECT))
		return scrub_object(scrubbing, value);
	if (!bl_value_is(value, BL_KIND_ARRAY))
		return value;
	bl_array_builder_init(&builder, scrubbing->arena);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_value safe =
			scrub(scrubbing, bl_value_item(value, i));

		if (!bl_value_is_defined(safe))
			return safe;
		bl_array_builder_add(&builder, safe);
	}
	return bl_array_builder_end(&builder);
}

struct bl_value bl_everruns_redact(struct bl_value value,
				   struct bl_arena *arena)
{
	struct scrubbing scrubbing = { .arena = arena };

	if (bl_regex_compile(arena,
			     BL_STR("(?i:bearer)\\s+[A-Za-z0-9._~+/=-]+|"
				    "\\bsk-[A-Za-z0-9_-]{8,}|"
				    "\\bAKIA[0-9A-Z]{16}|"
				    "://[^/\\s@]+@"),
			     BL_REGEX_RE2, &scrubbing.secrets, NULL, NULL))
		return bl_value_undefined();
	return scrub(&scrubbing, value);
}

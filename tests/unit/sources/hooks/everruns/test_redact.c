/* SPDX-License-Identifier: Apache-2.0 */
#include "everruns_test.h"

static void check(const char *text, const char *expected)
{
	struct bl_buf got;

	bl_buf_init(&got, 0);
	bl_json_write(&got, bl_everruns_redact(json(text), &arena),
		      BL_JSON_COMPACT);
	CHECK_STR(bl_buf_str(&got), expected);
	bl_buf_clear(&got);
}

static void keys(void)
{
	check("{\"api_key\":1,\"API-Key\":[2],\"apiKey\":\"x\",\"key\":3,"
	      "\"n\":{\"clientSecret\":\"s\"},\"access_token\":\"t\"}",
	      "{\"api_key\":\"[REDACTED]\",\"API-Key\":\"[REDACTED]\","
	      "\"apiKey\":\"[REDACTED]\",\"key\":3,"
	      "\"n\":{\"clientSecret\":\"[REDACTED]\"},"
	      "\"access_token\":\"[REDACTED]\"}");
}

static void texts(void)
{
	check("[\"curl -H 'Authorization: bearer abc.def' x\"]",
	      "[\"curl -H 'Authorization: [REDACTED]' x\"]");
	check("\"a sk-abcdefgh1234 AKIAABCDEFGHIJKLMNOP z\"",
	      "\"a [REDACTED] [REDACTED] z\"");
	check("\"git clone https://me:pw@host/x.git\"",
	      "\"git clone https://[REDACTED]@host/x.git\"");
	check("\"task-abcdefgh12 https://host/a@b\"",
	      "\"task-abcdefgh12 https://host/a@b\"");
	check("\"\"", "\"\"");
}

/* Cut at 4096 bytes after scrubbing, so that no half of a secret stays. */
static void long_texts(void)
{
	static const char secret[] = "sk-0123456789abcdef";
	char text[4200];
	struct bl_str got;
	struct bl_value value;

	memset(text, ' ', sizeof(text));
	for (size_t i = 0; secret[i]; i++)
		text[4090 + i] = secret[i];
	value = bl_value_string((struct bl_str){ text, sizeof(text) });
	got = bl_value_text(bl_everruns_redact(value, &arena));
	CHECK_INT(got.len, 4096 + 3);
	CHECK(bl_str_has_suffix(got, BL_STR("[REDAC...")));
	value = bl_value_string((struct bl_str){ text, 4090 });
	CHECK_INT(bl_value_text(bl_everruns_redact(value, &arena)).len, 4090);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(keys);
	RUN(texts);
	RUN(long_texts);
	bl_arena_clear(&arena);
	return tap_end();
}

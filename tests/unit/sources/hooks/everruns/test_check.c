/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits of a hook at their edges (docs/contracts/everruns.md
 * "Validation").
 */
#include "everruns_test.h"

static char text[20000];

/* len bytes of c, NUL-ended. */
static struct bl_str filled(char c, size_t len)
{
	memset(text, c, len);
	text[len] = '\0';
	return (struct bl_str){ text, len };
}

static struct bl_everruns_hook hook(void)
{
	return (struct bl_everruns_hook){
		.event = BL_EVERRUNS_PRE_TOOL_USE,
		.command = BL_STR("true"),
		.timeout_ms = 5000,
	};
}

static struct bl_str check(struct bl_everruns_hook hook)
{
	return bl_everruns_check(rules("everruns"), &hook, &arena);
}

static void timeouts(void)
{
	static const uint32_t good[] = { 100, 5000, 30000 };
	static const uint32_t bad[] = { 0, 50, 99, 30001, 60000, UINT32_MAX };
	struct bl_everruns_hook h = hook();

	for (size_t i = 0; i < BL_COUNT(good); i++) {
		h.timeout_ms = good[i];
		CHECK_STR(check(h), "");
	}
	for (size_t i = 0; i < BL_COUNT(bad); i++) {
		char expected[100];

		snprintf(expected, sizeof(expected),
			 "hook timeout_ms %u is out of range (100..=30000)",
			 (unsigned)bad[i]);
		h.timeout_ms = bad[i];
		CHECK_STR(check(h), expected);
	}
}

static void matchers_of_other_events(void)
{
	static const char *const refusing[] = {
		"session_start",
		"user_prompt_submit",
		"turn_end",
		"session_end",
	};
	struct bl_everruns_hook h = hook();

	h.matcher.text[BL_EVERRUNS_TOOL_NAME] = BL_STR("bash");
	CHECK_STR(check(h), "");
	h.event = BL_EVERRUNS_POST_TOOL_USE;
	CHECK_STR(check(h), "");
	for (size_t i = 0; i < BL_COUNT(refusing); i++) {
		char expected[100];

		snprintf(expected, sizeof(expected),
			 "hook event `%s` does not accept a matcher",
			 refusing[i]);
		REQUIRE(bl_everruns_event_parse(bl_str(refusing[i]), &h.event));
		CHECK_STR(check(h), expected);
	}
}

/* Values are those of test_webhook.c of hooks; the words are these. */
static void webhooks(void)
{
	static const struct {
		const char *url;
		const char *secret;
		const char *ca_file; /* NULL: none */
		const char *says;
	} cases[] = {
		{ "https://a.example/", "env:KEY", NULL, "" },
		{ "https://a.example/", "file:/etc/key", "/etc/ca.pem", "" },
		{ "http://localhost:9/", "env:KEY", NULL, "" },
		{ "http://a.example/", "env:KEY", NULL,
		  "hook webhook url cannot be used: http is for this machine "
		  "only (localhost): use https" },
		{ "", "env:KEY", NULL,
		  "hook webhook url cannot be used: a URL begins with "
		  "https://" },
		{ "https://a.example/", "hunter2hunter2hunter2", NULL,
		  "hook webhook hmac_secret_ref is neither `file:/PATH` nor "
		  "`env:NAME`" },
		{ "https://a.example/", "file:key", NULL,
		  "hook webhook hmac_secret_ref is neither `file:/PATH` nor "
		  "`env:NAME`" },
		{ "https://a.example/", "env:KEY", "ca.pem",
		  "hook webhook ca_file must be an absolute path without "
		  "spaces "
		  "and quotes" },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_everruns_hook h = hook();

		h.is_webhook = true;
		h.command = bl_str(cases[i].url);
		h.secret_ref = bl_str(cases[i].secret);
		h.ca_file = bl_str(cases[i].ca_file);
		CHECK_STR(check(h), cases[i].says);
	}
}

static void commands(void)
{
	struct bl_everruns_hook h = hook();

	h.command = BL_STR("");
	CHECK_STR(check(h), "hook bash command is empty");
	h.command = BL_STR(" \t\n\xC2\xA0");
	CHECK_STR(check(h), "hook bash command is empty");
	h.command = filled('x', 16384);
	CHECK_STR(check(h), "");
	h.command = filled('x', 16385);
	CHECK_STR(check(h), "hook bash command is longer than 16384 bytes");
	for (size_t i = 0; i < 8193; i++) {
		text[2 * i] = '\xC3';
		text[2 * i + 1] = '\xA9';
	}
	h.command = (struct bl_str){ text, (size_t)8192 * 2 };
	CHECK_STR(check(h), "");
	h.command = (struct bl_str){ text, (size_t)8193 * 2 };
	CHECK_STR(check(h), "hook bash command is longer than 16384 bytes");
	h.command = BL_STR("a\0b");
	CHECK_STR(check(h), "hook bash command holds a NUL character");
}

static struct bl_value env_of(size_t count)
{
	struct bl_object_builder builder;

	bl_object_builder_init(&builder, &arena);
	for (size_t i = 0; i < count; i++)
		bl_object_builder_add(&builder,
				      bl_arena_printf(&arena, "V%zu", i),
				      bl_value_string(BL_STR("x")));
	return bl_object_builder_end(&builder);
}

static void environment(void)
{
	struct bl_everruns_hook h = hook();

	h.env = env_of(16);
	CHECK_STR(check(h), "");
	h.env = env_of(17);
	CHECK_STR(check(h), "hook has more than 16 env vars");
}

static void matcher_lengths(void)
{
	for (size_t i = 0; i < BL_EVERRUNS_FIELD_COUNT; i++) {
		struct bl_everruns_hook h = hook();
		char expected[100];

		h.matcher.text[BL_EVERRUNS_ARGS_JSONPATH] = BL_STR("$.a");
		h.matcher.text[i] = filled('x', 2048);
		CHECK_STR(check(h), "");
		/* A bad pattern too: the length is complained of first. */
		h.matcher.text[i] = filled('(', 2049);
		snprintf(expected, sizeof(expected),
			 "hook matcher field `%s` is longer than 2048 bytes",
			 bl_everruns_field_name((enum bl_everruns_field)i));
		CHECK_STR(check(h), expected);
	}
}

static void regexes(void)
{
	struct bl_everruns_hook h = hook();
	struct bl_str *field = h.matcher.text;
	struct bl_str said;

	field[BL_EVERRUNS_MATCH_REGEX] = BL_STR("a");
	CHECK_STR(check(h), "hook regex never fires without args_jsonpath");
	CHECK_STR(bl_everruns_check(rules("everruns-original"), &h, &arena),
		  "");
	field[BL_EVERRUNS_ARGS_JSONPATH] = BL_STR("$.a");
	CHECK_STR(check(h), "");
	field[BL_EVERRUNS_MATCH_REGEX] = BL_STR("(");
	said = check(h);
	CHECK(bl_str_has_prefix(said,
				BL_STR("hook regex `(` failed to compile: ")));
	field[BL_EVERRUNS_DENY_REGEX] = BL_STR("a");
	CHECK_STR(check(h), "hook has both match_regex and deny_regex set; "
			    "choose one");
}

static void globs(void)
{
	static const char *const good[] = { "bash",   "bash*", "*",
					    "a | b*", "a||b",  "" };
	static const char *const bad[] = { "[abc]*", "a?",     "{a,b}",
					   "ba*sh",  "bash**", "***" };
	struct bl_everruns_hook h = hook();

	for (size_t i = 0; i < BL_COUNT(good); i++) {
		h.matcher.text[BL_EVERRUNS_TOOL_NAME_GLOB] = bl_str(good[i]);
		CHECK_STR(check(h), "");
	}
	for (size_t i = 0; i < BL_COUNT(bad); i++) {
		char expected[100];

		snprintf(expected, sizeof(expected),
			 "hook tool_name_glob `%s` contains unsupported syntax",
			 bad[i]);
		h.matcher.text[BL_EVERRUNS_TOOL_NAME_GLOB] = bl_str(bad[i]);
		CHECK_STR(check(h), expected);
	}
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(timeouts);
	RUN(matchers_of_other_events);
	RUN(webhooks);
	RUN(commands);
	RUN(environment);
	RUN(matcher_lengths);
	RUN(regexes);
	RUN(globs);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* src/sources/hooks/webhook.c: the keys of a webhook, and what is said of them. */
#include "findings.h"
#include "tap.h"

#define URL    "\"url\":\"https://a.example/x\""
#define SECRET "\"secret\":\"file:/etc/belay/key\""
#define GOOD   URL "," SECRET

/* The members of an entry beside "type": "webhook". */
static const struct {
	const char *members;
	const char *findings;
} entries[] = {
	{ GOOD, "ok" },
	{ URL ",\"secret\":\"env:HOOK_KEY2\"", "ok" },
	{ GOOD ",\"ca_file\":\"/etc/ssl/ca.pem\"", "ok" },
	{ GOOD ",\"allow_addresses\":[]", "ok" },
	{ GOOD ",\"allow_addresses\":[\"loopback\",\"10.0.0.0/8\"]", "ok" },
	{ GOOD ",\"timeout\":3,\"failClosed\":true,\"matcher\":\"Stop\"",
	  "ok" },

	{ SECRET, "E url" },
	{ SECRET ",\"url\":5", "E url" },
	{ SECRET ",\"url\":\"\"", "E url" },
	{ SECRET ",\"url\":\"http://a.example/\"", "E url" },
	{ SECRET ",\"url\":\"https://me:pw@a.example/\"", "E url" },
	{ SECRET ",\"url\":\"http://localhost:80/\"", "ok" },

	{ URL, "E secret" },
	{ URL ",\"secret\":null", "E secret" },
	{ URL ",\"secret\":\"\"", "E secret" },
	{ URL ",\"secret\":\"hunter2\"", "E secret" },
	{ URL ",\"secret\":\"file:\"", "E secret" },
	{ URL ",\"secret\":\"file:key\"", "E secret" },
	{ URL ",\"secret\":\"file:/a\\u0000b\"", "E secret" },
	{ URL ",\"secret\":\"env:\"", "E secret" },
	{ URL ",\"secret\":\"env:2X\"", "E secret" },
	{ URL ",\"secret\":\"env:A=B\"", "E secret" },
	{ URL ",\"secret\":\"FILE:/etc/key\"", "E secret" },
	{ URL ",\"secret\":{\"file\":\"/etc/key\"}", "E secret" },

	{ GOOD ",\"ca_file\":5", "E ca-file" },
	{ GOOD ",\"ca_file\":\"ca.pem\"", "E ca-file" },
	{ GOOD ",\"ca_file\":\"/etc/my ca.pem\"", "E ca-file" },
	{ GOOD ",\"ca_file\":\"/etc/$x.pem\"", "E ca-file" },
	{ GOOD ",\"ca_file\":\"/etc/\\u0000\"", "E ca-file" },
	{ GOOD ",\"allow_addresses\":\"loopback\"", "E allow-addresses" },
	{ GOOD ",\"allow_addresses\":[1]", "E allow-addresses" },
	{ GOOD ",\"allow_addresses\":[\"all\"]", "E allow-addresses" },
	{ GOOD ",\"allow_addresses\":[\"10.0.0.1/8\",\"x\"]",
	  "E allow-addresses" },

	{ GOOD ",\"command\":\"x\"", "E webhook" },
	{ GOOD ",\"sandbox\":\"strict\"", "W webhook-key" },
	{ GOOD ",\"hmac_secret\":\"x\"", "W misspelt-key" },
	{ GOOD ",\"Url\":\"x\"", "W misspelt-key" },
	{ GOOD ",\"ca-file\":\"x\"", "W misspelt-key" },
	{ GOOD ",\"allow_address\":[]", "W misspelt-key" },
};

static void check(const char *profile_name, const char *entry,
		  const char *expected)
{
	struct bl_arena arena;
	struct bl_diags diags;
	struct bl_buf found;
	struct bl_str text;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&found, 0);
	text = bl_arena_printf(
		&arena, "{\"version\":1,\"hooks\":{\"stop\":[{%s}]}}", entry);
	CHECK_STATUS(
		validate_as(profile_name, BL_SOURCE_USER, text, &arena, &diags),
		BL_OK);
	put_findings(&found, &diags, false);
	if (!bl_str_is(bl_buf_str(&found), expected)) {
		tap_failures++;
		TAP_NOTE("%s gives %s, not %s", entry, found.ptr, expected);
	}
	bl_buf_clear(&found);
	bl_arena_clear(&arena);
}

static void every_key(void)
{
	for (size_t i = 0; i < BL_COUNT(entries); i++) {
		char entry[512];

		snprintf(entry, sizeof(entry), "\"type\":\"webhook\",%s",
			 entries[i].members);
		check("cursor", entry, entries[i].findings);
	}
}

/* The keys of a webhook on a command, and the other way round. */
static void on_other_hooks(void)
{
	check("cursor", "\"command\":\"x\"," URL, "W webhook-key");
	check("cursor", "\"command\":\"x\"," SECRET, "W webhook-key");
	check("cursor", "\"command\":\"x\",\"ca_file\":\"/x\"",
	      "W webhook-key");
	check("cursor", "\"command\":\"x\",\"allow_addresses\":[]",
	      "W webhook-key");
	check("cursor", URL "," SECRET,
	      "E command W webhook-key W webhook-key");
	/* 2.3.41 knows no types. */
	check("cursor-2.3", "\"type\":\"webhook\"," GOOD,
	      "E command W no-effect W no-effect W no-effect");
}

/* Neither in the message, nor as a place whose line would be shown. */
static void a_literal_secret_is_not_repeated(void)
{
	static const char *const literals[] = {
		"{\"version\":1,\"hooks\":{\"stop\":[{\"type\":\"webhook\"," URL
		",\"secret\":\"hunter2hunter2hunter2\"}]}}",
		"{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"x\","
		"\"secret\":\"hunter2hunter2hunter2\"}]}}",
	};

	for (size_t i = 0; i < BL_COUNT(literals); i++) {
		struct bl_arena arena;
		struct bl_diags diags;
		struct bl_buf printed;

		bl_arena_init(&arena, NULL, 0, 0);
		bl_buf_init(&printed, 0);
		CHECK_STATUS(validate_as("cursor", BL_SOURCE_USER,
					 bl_str(literals[i]), &arena, &diags),
			     BL_OK);
		CHECK(diags.first);
		bl_diags_print(&diags, false, &printed);
		CHECK(printed.len > 0);
		CHECK_INT(
			bl_str_find(bl_buf_str(&printed), BL_STR("hunter2"), 0),
			SIZE_MAX);
		bl_buf_clear(&printed);
		bl_arena_clear(&arena);
	}
}

int main(void)
{
	RUN(every_key);
	RUN(on_other_hooks);
	RUN(a_literal_secret_is_not_repeated);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* lib/http/url.c */
#include "http/http.h"
#include "tap.h"

static const struct {
	const char *text;
	const char *as; /* in its one form */
	const char *host;
	unsigned port;
	bool is_plain;
} good[] = {
	{ "https://a.example", "https://a.example/", "a.example", 443, false },
	{ "https://A.Example/Hook?x=Y", "https://a.example/Hook?x=Y",
	  "a.example", 443, false },
	{ "https://a.example?x", "https://a.example/?x", "a.example", 443,
	  false },
	{ "https://a.example:443/", "https://a.example/", "a.example", 443,
	  false },
	{ "https://a.example:8443/%20", "https://a.example:8443/%20",
	  "a.example", 8443, false },
	{ "https://a:65535", "https://a:65535/", "a", 65535, false },
	{ "https://192.0.2.1/", "https://192.0.2.1/", "192.0.2.1", 443, false },
	{ "https://[2001:DB8::1]:9/", "https://[2001:db8::1]:9/", "2001:db8::1",
	  9, false },
	{ "https://hook_a.x-y.example/@b", "https://hook_a.x-y.example/@b",
	  "hook_a.x-y.example", 443, false },
	{ "http://localhost:8080/x", "http://localhost:8080/x", "localhost",
	  8080, true },
	{ "http://127.0.0.1", "http://127.0.0.1/", "127.0.0.1", 80, true },
	{ "http://[::1]:1/", "http://[::1]:1/", "::1", 1, true },
};

static void good_urls_have_one_form(void)
{
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; i < BL_COUNT(good); i++) {
		struct bl_http_url url = { 0 };
		struct bl_error err = { 0 };

		if (bl_http_url_parse(bl_str(good[i].text), &arena, &url,
				      &err) != BL_OK) {
			TAP_NOTE("%s: %s", good[i].text, err.message);
			CHECK(false);
			continue;
		}
		CHECK_STR(url.text, good[i].as);
		CHECK_INT(strlen(url.text.ptr), url.text.len);
		CHECK_STR(url.host, good[i].host);
		CHECK_INT(url.port, good[i].port);
		CHECK_INT(url.is_plain, good[i].is_plain);
	}
	bl_arena_clear(&arena);
}

static const struct {
	const char *text;
	const char *says;
} bad[] = {
	{ "", "begins with https://" },
	{ "a.example", "begins with https://" },
	{ "HTTPS://a.example", "begins with https://" },
	{ "ftp://a.example/", "begins with https://" },
	{ "file:///etc/passwd", "begins with https://" },
	{ " https://a.example", "begins with https://" },
	{ "https://", "no host" },
	{ "https:///x", "no host" },
	{ "https://user@a.example/", "user name" },
	{ "https://user:secret@a.example/", "user name" },
	{ "https://a.example\\@b.example/", "user name" },
	{ "https://a..example/", "no host" },
	{ "https://a.example./", "no host" },
	{ "https://-a.example/", "no host" },
	{ "https://a b/", "no host" },
	{ "https://b\xc3\xbc"
	  "cher.example/",
	  "no host" },
	{ "https://127.1/", "no host" },
	{ "https://2130706433/", "no host" },
	{ "https://0x7f000001/", "no host" },
	{ "https://0177.0.0.1/", "no host" },
	{ "https://127.0.0.1.2/", "no host" },
	{ "https://[::1/", "no host" },
	{ "https://[127.0.0.1]/", "no host" },
	{ "https://[fe80::1%25eth0]/", "no host" },
	{ "https://a.example:0/", "port" },
	{ "https://a.example:/", "port" },
	{ "https://a.example:65536/", "port" },
	{ "https://a.example:443443/", "port" },
	{ "https://a.example:8x/", "port" },
	{ "https://a.example/#x", "path" },
	{ "https://a.example/a b", "path" },
	{ "https://a.example/\r\nX: y", "path" },
	{ "https://a.example/\xc3\xbc", "path" },
	{ "https://[::1]x/", "host" },
	{ "http://a.example/", "localhost" },
	{ "http://127.0.0.2/", "localhost" },
	{ "http://localhost.example/", "localhost" },
	{ "http://10.0.0.1/", "localhost" },
};

static void bad_urls_are_refused_with_a_reason(void)
{
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; i < BL_COUNT(bad); i++) {
		struct bl_http_url url;
		struct bl_error err = { 0 };
		enum bl_status status = bl_http_url_parse(bl_str(bad[i].text),
							  &arena, &url, &err);

		if (status != BL_INVALID || !strstr(err.message, bad[i].says)) {
			TAP_NOTE("%s: %s", bad[i].text, err.message);
			CHECK(false);
		}
		/* A password must not come out again. */
		CHECK(!strstr(err.message, "secret"));
	}
	bl_arena_clear(&arena);
}

static void the_length_of_a_url_has_a_limit(void)
{
	char text[BL_HTTP_MAX_URL_BYTES + 2] = "https://a.example/";
	struct bl_arena arena;
	struct bl_http_url url;

	bl_arena_init(&arena, NULL, 0, 0);
	memset(text + strlen(text), 'x', sizeof(text) - 1 - strlen(text));
	CHECK_STATUS(
		bl_http_url_parse((struct bl_str){ text, sizeof(text) - 2 },
				  &arena, &url, NULL),
		BL_OK);
	CHECK_STATUS(
		bl_http_url_parse((struct bl_str){ text, sizeof(text) - 1 },
				  &arena, &url, NULL),
		BL_INVALID);
	bl_arena_clear(&arena);
}

static const struct {
	const char *pattern;
	const char *url;
	bool matches;
} patterns[] = {
	{ "a.example", "https://a.example/", true },
	{ "A.Example", "https://a.example/", true },
	{ "a.example", "https://a.example:9/", true },
	{ "a.example:9", "https://a.example:9/", true },
	{ "a.example:443", "https://a.example/", true },
	{ "a.example:443", "https://a.example:9/", false },
	{ "a.example:", "https://a.example/", false },
	{ "a.example:9x", "https://a.example:9/", false },
	{ "example", "https://a.example/", false },
	{ "a.example", "https://b.a.example/", false },
	{ "*.example", "https://a.example/", true },
	{ "*.example", "https://b.a.example/", true },
	{ "*.example:443", "https://a.example/", true },
	{ "*.example", "https://example/", false },
	{ "*.example", "https://aexample/", false },
	{ "*", "https://a.example/", false },
	{ "", "https://a.example/", false },
	{ "[::1]", "https://[::1]/", true },
	{ "[::1]:443", "https://[::1]/", true },
	{ "[::1]:1", "https://[::1]/", false },
	{ "[::1", "https://[::1]/", false },
};

static void patterns_cover_hosts(void)
{
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; i < BL_COUNT(patterns); i++) {
		struct bl_http_url url = { 0 };

		REQUIRE(bl_http_url_parse(bl_str(patterns[i].url), &arena, &url,
					  NULL) == BL_OK);
		if (bl_http_host_matches(bl_str(patterns[i].pattern), &url) !=
		    patterns[i].matches) {
			TAP_NOTE("%s, %s", patterns[i].pattern,
				 patterns[i].url);
			CHECK(false);
		}
	}
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(good_urls_have_one_form);
	RUN(bad_urls_are_refused_with_a_reason);
	RUN(the_length_of_a_url_has_a_limit);
	RUN(patterns_cover_hosts);
	return tap_end();
}

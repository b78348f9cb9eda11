/* SPDX-License-Identifier: Apache-2.0 */
/* lib/base/url.c against the examples of RFC 3986, sections 3 and 5.4. */
#include "base/base.h"
#include "base/url.h"
#include "tap.h"

static const char *part(struct bl_str s)
{
	static char texts[8][64];
	static size_t next;
	char *text = texts[next++ % 8];

	if (!s.ptr)
		return "-";
	snprintf(text, sizeof(texts[0]), "%.*s", BL_STR_ARG(s));
	return text;
}

/* scheme user host port path query fragment; "-": absent */
static const char *const splits[][2] = {
	{ "foo://example.com:8042/over/there?name=ferret#nose",
	  "foo - example.com 8042 /over/there name=ferret nose" },
	{ "urn:example:animal:ferret:nose",
	  "urn - - - example:animal:ferret:nose - -" },
	{ "ldap://[2001:db8::7]/c=GB?objectClass?one",
	  "ldap - [2001:db8::7] - /c=GB objectClass?one -" },
	{ "telnet://192.0.2.16:80/", "telnet - 192.0.2.16 80 / - -" },
	{ "http://u:p@a@h:1", "http u:p@a h 1  - -" },
	{ "http://[::1]:65", "http - [::1] 65  - -" },
	{ "http://h:?#", "http - h    " },
	{ "//h/p", "- - h - /p - -" },
	{ "a/b:c?d/e#f?g", "- - - - a/b:c d/e f?g" },
	{ "1a:b", "- - - - 1a:b - -" },
	{ "", "- - - -  - -" },
	{ "http:///p", "http -  - /p - -" },
};

static void split(void)
{
	for (size_t i = 0; i < BL_COUNT(splits); i++) {
		struct bl_url url = bl_url_split(bl_str(splits[i][0]));
		char text[256];

		snprintf(text, sizeof(text), "%s %s %s %s %s %s %s",
			 part(url.scheme), part(url.user), part(url.host),
			 part(url.port), part(url.path), part(url.query),
			 part(url.fragment));
		CHECK_STR(bl_str(text), splits[i][1]);
	}
}

/* Of http://a/b/c/d;p?q */
static const char *const references[][2] = {
	{ "g:h", "g:h" },
	{ "g", "http://a/b/c/g" },
	{ "./g", "http://a/b/c/g" },
	{ "g/", "http://a/b/c/g/" },
	{ "/g", "http://a/g" },
	{ "//g", "http://g" },
	{ "?y", "http://a/b/c/d;p?y" },
	{ "g?y", "http://a/b/c/g?y" },
	{ "#s", "http://a/b/c/d;p?q#s" },
	{ "g#s", "http://a/b/c/g#s" },
	{ "g?y#s", "http://a/b/c/g?y#s" },
	{ ";x", "http://a/b/c/;x" },
	{ "g;x", "http://a/b/c/g;x" },
	{ "", "http://a/b/c/d;p?q" },
	{ ".", "http://a/b/c/" },
	{ "./", "http://a/b/c/" },
	{ "..", "http://a/b/" },
	{ "../", "http://a/b/" },
	{ "../g", "http://a/b/g" },
	{ "../..", "http://a/" },
	{ "../../g", "http://a/g" },
	{ "../../../../g", "http://a/g" },
	{ "/./g", "http://a/g" },
	{ "/../g", "http://a/g" },
	{ "g.", "http://a/b/c/g." },
	{ "..g", "http://a/b/c/..g" },
	{ "./../g", "http://a/b/g" },
	{ "./g/.", "http://a/b/c/g/" },
	{ "g/./h", "http://a/b/c/g/h" },
	{ "g/../h", "http://a/b/c/h" },
	{ "g;x=1/../y", "http://a/b/c/y" },
	{ "g?y/../x", "http://a/b/c/g?y/../x" },
	{ "g#s/../x", "http://a/b/c/g#s/../x" },
};

static void resolve(void)
{
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 1 << 20);
	for (size_t i = 0; i < BL_COUNT(references); i++)
		CHECK_STR(bl_url_resolve(&arena, BL_STR("http://a/b/c/d;p?q"),
					 bl_str(references[i][0])),
			  references[i][1]);
	CHECK_STR(bl_url_resolve(&arena, BL_STR("http://a"), BL_STR("b")),
		  "http://a/b");
	CHECK_STR(bl_url_resolve(&arena, BL_STR(""), BL_STR("#/x")), "#/x");
	/* As Go has it, and so OPA: "Reference /b.json must be canonical". */
	CHECK_STR(bl_url_resolve(&arena, BL_STR(""), BL_STR("b.json")),
		  "/b.json");
	CHECK_STR(bl_url_resolve(&arena, BL_STR("x/y#z"), BL_STR("w")), "x/w");
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(split);
	RUN(resolve);
	return tap_end();
}

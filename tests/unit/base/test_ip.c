/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib/base/ip.c: RFC 4291 section 2.2 and RFC 5952, and inet_pton as a peer where
 * the two mean to agree.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ip.h"
#include "tap.h"

/* Forms of RFC 4291, and how RFC 5952 writes them. */
static const struct {
	const char *text;
	const char *canonical; /* NULL: not an address */
} rows[] = {
	{ "192.0.2.1", "192.0.2.1" },
	{ "0.0.0.0", "0.0.0.0" },
	{ "255.255.255.255", "255.255.255.255" },
	{ "256.0.0.1", NULL },
	{ "1.2.3", NULL },
	{ "1.2.3.4.5", NULL },
	{ "1.2.3.4 ", NULL },
	{ "1.2.3.04", NULL },
	{ "1..2.3", NULL },
	{ "0x1.2.3.4", NULL },
	{ "", NULL },
	{ "2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a" },
	{ "FF01::101", "ff01::101" },
	{ "::1", "::1" },
	{ "::", "::" },
	{ "1::", "1::" },
	{ "0:0:0:0:0:0:13.1.68.3", "::d01:4403" },
	{ "::FFFF:129.144.52.38", "::ffff:129.144.52.38" },
	{ "2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1" },
	{ "2001:0:0:1:0:0:0:1", "2001:0:0:1::1" },
	{ "2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1" },
	{ "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0" },
	{ "1:2:3:4:5:6:7:8:9", NULL },
	{ "1:2:3:4:5:6:7", NULL },
	{ "::1::", NULL },
	{ ":1", NULL },
	{ "1:", NULL },
	{ ":::", NULL },
	{ "12345::", NULL },
	{ "fe80::1%eth0", NULL },
	{ "1:2:3:4:5:6:7:1.2.3.4", NULL },
	{ "::1.2.3.4:5", NULL },
	{ "::1.2.3.256", NULL },
};

static void texts(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_ip ip = { .len = 7 };
		char text[BL_IP_TEXT_BYTES];
		bool ok = bl_ip_parse(bl_str(rows[i].text), &ip);

		CHECK(ok == (rows[i].canonical != NULL));
		if (!ok) {
			CHECK(ip.len == 7);
			continue;
		}
		bl_ip_print(&ip, text);
		CHECK_STR(bl_str(text), rows[i].canonical);
	}
}

/* Texts of these letters are to both an address, or to neither. */
static void as_inet_pton(void)
{
	static const char letters[] = "01f:.";
	char text[32];

	srandom(7);
	for (int i = 0; i < 200000; i++) {
		size_t len = (size_t)random() % 18;
		struct bl_ip ip = { .len = 0 };
		uint8_t v4[4], v6[16];
		bool is_v4, is_v6, ok;

		for (size_t k = 0; k < len; k++)
			text[k] = letters[random() % 5];
		text[len] = '\0';
		is_v4 = inet_pton(AF_INET, text, v4) == 1;
		is_v6 = inet_pton(AF_INET6, text, v6) == 1;
		ok = bl_ip_parse(bl_str(text), &ip);
		if (ok != (is_v4 || is_v6) ||
		    (is_v4 && memcmp(ip.bytes, v4, 4) != 0) ||
		    (is_v6 && memcmp(ip.bytes, v6, 16) != 0))
			CHECK_STR(bl_str(text), "as inet_pton has it");
	}
	CHECK(true);
}

int main(void)
{
	RUN(texts);
	RUN(as_inet_pton);
	return tap_end();
}

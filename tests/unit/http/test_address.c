/* SPDX-License-Identifier: Apache-2.0 */
/* lib/http/address.c against IANA's registries of special-purpose addresses. */
#include "http/http.h"
#include "tap.h"

/* First and last address of each block, and the neighbours outside. */
static const struct {
	const char *text;
	const char *kind; /* NULL: of the internet */
} addresses[] = {
	{ "0.0.0.0", "unspecified" },
	{ "0.255.255.255", "unspecified" },
	{ "1.0.0.0", NULL },
	{ "9.255.255.255", NULL },
	{ "10.0.0.0", "private" },
	{ "10.255.255.255", "private" },
	{ "11.0.0.0", NULL },
	{ "100.63.255.255", NULL },
	{ "100.64.0.0", "shared" },
	{ "100.127.255.255", "shared" },
	{ "100.128.0.0", NULL },
	{ "126.255.255.255", NULL },
	{ "127.0.0.0", "loopback" },
	{ "127.255.255.255", "loopback" },
	{ "128.0.0.0", NULL },
	{ "169.253.255.255", NULL },
	{ "169.254.0.0", "link-local" },
	{ "169.254.169.254", "link-local" },
	{ "169.254.255.255", "link-local" },
	{ "169.255.0.0", NULL },
	{ "172.15.255.255", NULL },
	{ "172.16.0.0", "private" },
	{ "172.31.255.255", "private" },
	{ "172.32.0.0", NULL },
	{ "192.0.0.8", "reserved" },
	{ "192.0.1.0", NULL },
	{ "192.0.2.1", "reserved" },
	{ "192.88.99.1", "reserved" },
	{ "192.167.255.255", NULL },
	{ "192.168.0.0", "private" },
	{ "192.168.255.255", "private" },
	{ "192.169.0.0", NULL },
	{ "198.17.255.255", NULL },
	{ "198.18.0.0", "reserved" },
	{ "198.19.255.255", "reserved" },
	{ "198.20.0.0", NULL },
	{ "198.51.100.7", "reserved" },
	{ "203.0.113.7", "reserved" },
	{ "223.255.255.255", NULL },
	{ "224.0.0.0", "multicast" },
	{ "239.255.255.255", "multicast" },
	{ "240.0.0.0", "reserved" },
	{ "255.255.255.254", "reserved" },
	{ "255.255.255.255", "multicast" },
	{ "8.8.8.8", NULL },

	{ "::", "unspecified" },
	{ "::1", "loopback" },
	{ "::2", "unspecified" }, /* 0.0.0.2, as a compatible address */
	{ "::127.0.0.1", "loopback" },
	{ "::ffff:127.0.0.1", "loopback" },
	{ "::ffff:10.0.0.1", "private" },
	{ "::ffff:169.254.169.254", "link-local" },
	{ "::ffff:8.8.8.8", NULL },
	{ "::ffff:0:192.168.1.1", "private" },
	{ "64:ff9b::127.0.0.1", "loopback" },
	{ "64:ff9b::a9fe:a9fe", "link-local" },
	{ "64:ff9b::8.8.8.8", NULL },
	{ "64:ff9b:1::8.8.8.8", "reserved" },
	{ "100::1", "reserved" },
	{ "2002:7f00:1::", "loopback" },
	{ "2002:c0a8:101::1", "private" },
	{ "2002:808:808::1", NULL },
	{ "2001::1", "reserved" },
	{ "2001:1ff:ffff::1", "reserved" },
	{ "2001:200::1", NULL },
	{ "2001:db8::1", "reserved" },
	{ "2001:4860:4860::8888", NULL },
	{ "2606:4700::1111", NULL },
	{ "3ffe::1", NULL },
	{ "3fff::1", "reserved" },
	{ "4000::1", "reserved" },
	{ "fbff::1", "reserved" },
	{ "fc00::1", "private" },
	{ "fdff:ffff::1", "private" },
	{ "fe80::1", "link-local" },
	{ "febf::1", "link-local" },
	{ "fec0::1", "private" },
	{ "ff02::1", "multicast" },
	{ "ffff::1", "multicast" },
};

static void every_block_has_its_kind(void)
{
	for (size_t i = 0; i < BL_COUNT(addresses); i++) {
		struct bl_ip ip;
		const char *kind;

		if (!bl_ip_parse(bl_str(addresses[i].text), &ip)) {
			TAP_NOTE("not read: %s", addresses[i].text);
			CHECK(false);
			continue;
		}
		kind = bl_network_kind(&ip);
		if (strcmp(kind ? kind : "",
			   addresses[i].kind ? addresses[i].kind : "") != 0) {
			TAP_NOTE("%s is %s", addresses[i].text,
				 kind ? kind : "of the internet");
			CHECK(false);
		}
	}
}

static void odd_spellings_are_no_addresses(void)
{
	static const char *const odd[] = {
		"",           "127.1",      "2130706433", "0x7f.0.0.1",
		"0177.0.0.1", "127.0.0.01", "127.0.0.1 ", "1.2.3.4.5",
		"1.2.3.256",  "::1%lo",     "[::1]",      "fe80::1%eth0",
		":::",        "1:2:3",      "localhost",  "::ffff:1.2.3",
	};
	struct bl_ip ip;

	for (size_t i = 0; i < BL_COUNT(odd); i++) {
		if (bl_ip_parse(bl_str(odd[i]), &ip)) {
			TAP_NOTE("was read: %s", odd[i]);
			CHECK(false);
		}
	}
	CHECK(!bl_ip_parse((struct bl_str){ "127.0.0.1\0", 10 }, &ip));
}

static void addresses_are_printed(void)
{
	static const char *const texts[] = { "192.0.2.1", "::1",
					     "2001:db8::8:800:200c:417a" };
	char out[BL_IP_TEXT_BYTES];
	struct bl_ip ip;

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		REQUIRE(bl_ip_parse(bl_str(texts[i]), &ip));
		bl_ip_print(&ip, out);
		CHECK_STR(bl_str(out), texts[i]);
	}
}

static bool allows(const char *network, const char *address)
{
	struct bl_network item;
	struct bl_networks networks = { &item, 1 };
	struct bl_ip ip;

	if (!bl_ip_parse(bl_str(address), &ip)) {
		TAP_NOTE("not read: %s", address);
		return false;
	}
	if (!network)
		networks.count = 0;
	else if (bl_network_parse(bl_str(network), &item, NULL) != BL_OK)
		TAP_NOTE("not read: %s", network);
	return bl_network_allows(&ip, &networks);
}

static void only_the_internet_is_allowed_without_more(void)
{
	CHECK(allows(NULL, "8.8.8.8"));
	CHECK(allows(NULL, "2606:4700::1111"));
	CHECK(!allows(NULL, "127.0.0.1"));
	CHECK(!allows(NULL, "::1"));
	CHECK(!allows(NULL, "::ffff:127.0.0.1"));
	CHECK(!allows(NULL, "192.168.1.1"));
	CHECK(!allows(NULL, "169.254.169.254"));
	CHECK(!allows(NULL, "fd00::1"));
	CHECK(!allows(NULL, "198.18.0.1"));
	CHECK(!allows(NULL, "4000::1"));
}

static void networks_allow_what_is_in_them(void)
{
	CHECK(allows("loopback", "127.9.9.9"));
	CHECK(allows("loopback", "::1"));
	CHECK(allows("loopback", "::ffff:127.0.0.1"));
	CHECK(!allows("loopback", "10.0.0.1"));
	CHECK(allows("private", "fd12::1"));
	CHECK(allows("private", "172.20.0.1"));
	CHECK(!allows("private", "100.64.0.1"));
	CHECK(allows("shared", "100.64.0.1"));
	CHECK(allows("link-local", "169.254.1.1"));
	CHECK(allows("10.1.0.0/16", "10.1.255.255"));
	CHECK(allows("10.1.0.0/16", "::ffff:10.1.0.1"));
	/* A translator's address is not the one behind it. */
	CHECK(!allows("10.1.0.0/16", "64:ff9b::10.1.0.1"));
	CHECK(!allows("private", "64:ff9b::10.1.0.1"));
	CHECK(!allows("loopback", "2002:7f00:1::"));
	CHECK(allows("64:ff9b::/96", "64:ff9b::10.1.0.1"));
	CHECK(!allows("10.1.0.0/16", "10.2.0.0"));
	CHECK(allows("10.128.0.0/9", "10.255.0.1"));
	CHECK(!allows("10.128.0.0/9", "10.127.255.255"));
	CHECK(allows("10.1.2.3", "10.1.2.3"));
	CHECK(!allows("10.1.2.3", "10.1.2.2"));
	CHECK(allows("fd00:1::/32", "fd00:1:ffff::1"));
	CHECK(!allows("fd00:1::/32", "fd00:2::1"));
	CHECK(!allows("fd00:1::/32", "10.0.0.1"));
	CHECK(allows("192.0.2.0/24", "192.0.2.9"));
}

static void some_addresses_are_never_allowed(void)
{
	CHECK(!allows("0.0.0.0/0", "0.0.0.0"));
	CHECK(!allows("0.0.0.0/0", "224.0.0.1"));
	CHECK(!allows("0.0.0.0/0", "255.255.255.255"));
	CHECK(!allows("::/0", "ff02::1"));
	CHECK(!allows("::/0", "::"));
	CHECK(!allows("0.0.0.0/0", "::ffff:224.0.0.1"));
	CHECK(allows("0.0.0.0/0", "127.0.0.1"));
}

static void bad_networks_are_refused(void)
{
	static const char *const bad[] = {
		"",
		"all",
		"reserved",
		"multicast",
		"unspecified",
		"10.0.0.0/",
		"10.0.0.0/33",
		"10.0.0.0/-1",
		"10.0.0.1/8",
		"fd00::1/8",
		"::/129",
		"10.0.0.0/8/8",
		"Loopback",
		"10.0.0.0/0x8",
		"10.0.0.0/0008",
	};

	for (size_t i = 0; i < BL_COUNT(bad); i++) {
		struct bl_network network;
		struct bl_error err;

		if (bl_network_parse(bl_str(bad[i]), &network, &err) !=
		    BL_INVALID) {
			TAP_NOTE("was read: %s", bad[i]);
			CHECK(false);
		}
	}
}

int main(void)
{
	RUN(every_block_has_its_kind);
	RUN(odd_spellings_are_no_addresses);
	RUN(addresses_are_printed);
	RUN(only_the_internet_is_allowed_without_more);
	RUN(networks_allow_what_is_in_them);
	RUN(some_addresses_are_never_allowed);
	RUN(bad_networks_are_refused);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.c: which addresses are whose (IANA's special-purpose registries,
 * RFC 6890 and its updates).
 */
#include "http/http.h"

enum { NOT_EMBEDDED = 255 };

static const char loopback[] = "loopback";
static const char private_use[] = "private";
static const char shared[] = "shared";
static const char link_local[] = "link-local";
static const char reserved[] = "reserved";
static const char multicast[] = "multicast";
static const char unspecified[] = "unspecified";

/* The kinds that can be allowed by name, and by nobody. */
static const char *const nameable[] = { loopback, private_use, shared,
					link_local };
static const char *const forbidden[] = { multicast, unspecified };

struct row {
	uint8_t len;
	uint8_t bits;
	uint8_t v4_at;  /* where an IPv4 address is in it, or NOT_EMBEDDED */
	bool is_mapped; /* it is that address, and no way to it */
	uint8_t first[BL_IP_V6_BYTES];
	const char *kind; /* NULL: of the internet */
};

#define ROW(len_, bits_, at, mapped, kind_, ...)                               \
	{                                                                      \
		.len = len_, .bits = bits_, .v4_at = at, .is_mapped = mapped,  \
		.first = { __VA_ARGS__ }, .kind = kind_                        \
	}
#define V4(a, b, c, d, bits, kind)                                             \
	ROW(BL_IP_V4_BYTES, bits, NOT_EMBEDDED, false, kind, a, b, c, d)
#define V6(bits, kind, ...)                                                    \
	ROW(BL_IP_V6_BYTES, bits, NOT_EMBEDDED, false, kind, __VA_ARGS__)
#define V4_IN_V6(bits, at, ...)                                                \
	ROW(BL_IP_V6_BYTES, bits, at, false, NULL, __VA_ARGS__)
#define V4_MAPPED(bits, at, ...)                                               \
	ROW(BL_IP_V6_BYTES, bits, at, true, NULL, __VA_ARGS__)

/* The first that fits counts. */
static const struct row rows[] = {
	V4(0, 0, 0, 0, 8, unspecified),
	V4(10, 0, 0, 0, 8, private_use),
	V4(100, 64, 0, 0, 10, shared),
	V4(127, 0, 0, 0, 8, loopback),
	V4(169, 254, 0, 0, 16, link_local),
	V4(172, 16, 0, 0, 12, private_use),
	V4(192, 0, 0, 0, 24, reserved),   /* protocol assignments */
	V4(192, 0, 2, 0, 24, reserved),   /* documentation */
	V4(192, 88, 99, 0, 24, reserved), /* 6to4 relays, once */
	V4(192, 168, 0, 0, 16, private_use),
	V4(198, 18, 0, 0, 15, reserved),   /* benchmarks */
	V4(198, 51, 100, 0, 24, reserved), /* documentation */
	V4(203, 0, 113, 0, 24, reserved),  /* documentation */
	V4(224, 0, 0, 0, 4, multicast),
	V4(255, 255, 255, 255, 32, multicast), /* broadcast */
	V4(240, 0, 0, 0, 4, reserved),
	V4(0, 0, 0, 0, 0, NULL),

	V6(128, unspecified, 0),
	V6(128, loopback, [15] = 1),
	V4_MAPPED(96, 12, [10] = 0xff, [11] = 0xff),
	V4_IN_V6(96, 12, [8] = 0xff, [9] = 0xff), /* translated */
	V4_IN_V6(96, 12, 0, 0x64, 0xff, 0x9b),    /* NAT64 */
	V4_IN_V6(96, 12, 0),                      /* compatible */
	V4_IN_V6(16, 2, 0x20, 0x02),              /* 6to4 */
	V6(23, reserved, 0x20, 0x01),             /* Teredo, ORCHID, ... */
	V6(32, reserved, 0x20, 0x01, 0x0d, 0xb8), /* documentation */
	V6(20, reserved, 0x3f, 0xff),             /* documentation */
	V6(7, private_use, 0xfc),
	V6(10, link_local, 0xfe, 0x80),
	V6(10, private_use, 0xfe, 0xc0), /* site-local, once */
	V6(8, multicast, 0xff),
	V6(3, NULL, 0x20), /* all that was ever given out */
	V6(0, reserved, 0),
};

/* ---- kinds -------------------------------------------------------------- */

static bool begins_with(const struct bl_ip *ip, const uint8_t *first,
			unsigned bits)
{
	unsigned whole = bits / 8;
	unsigned rest = bits % 8;
	uint8_t mask = (uint8_t)(0xff00U >> rest);

	return !memcmp(ip->bytes, first, whole) &&
	       (rest == 0 || ((ip->bytes[whole] ^ first[whole]) & mask) == 0);
}

static const struct row *find_row(const struct bl_ip *ip)
{
	size_t i = 0;

	/* The last of each family fits all. */
	while (rows[i].len != ip->len ||
	       !begins_with(ip, rows[i].first, rows[i].bits))
		i++;
	return &rows[i];
}

/* The IPv4 address that an IPv6 address stands for; else itself. */
static struct bl_ip meant(const struct bl_ip *ip)
{
	const struct row *row = find_row(ip);
	struct bl_ip inner = { .len = BL_IP_V4_BYTES };

	if (row->v4_at == NOT_EMBEDDED)
		return *ip;
	memcpy(inner.bytes, ip->bytes + row->v4_at, BL_IP_V4_BYTES);
	return inner;
}

const char *bl_network_kind(const struct bl_ip *ip)
{
	struct bl_ip what = meant(ip);

	return find_row(&what)->kind;
}

/* ---- networks ----------------------------------------------------------- */

static bool has_host_bits(const struct bl_network *network)
{
	struct bl_ip ip = network->first;

	for (unsigned bit = network->bits; bit < ip.len * 8U; bit++) {
		if (ip.bytes[bit / 8] & (0x80U >> bit % 8))
			return true;
	}
	return false;
}

/* Up to three digits. */
static bool read_bits(struct bl_str text, unsigned most, unsigned *out_bits)
{
	unsigned bits = 0;

	if (text.len == 0 || text.len > 3)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		bits = bits * 10 + (unsigned)(text.ptr[i] - '0');
	}
	*out_bits = bits;
	return bits <= most;
}

enum bl_status bl_network_parse(struct bl_str text,
				struct bl_network *out_network,
				struct bl_error *err)
{
	struct bl_network network = { .kind = NULL };
	size_t slash = bl_str_find(text, BL_STR("/"), 0);

	for (size_t i = 0; i < BL_COUNT(nameable); i++) {
		if (bl_str_is(text, nameable[i])) {
			out_network->kind = nameable[i];
			return BL_OK;
		}
	}
	if (!bl_ip_parse(bl_str_slice(text, 0, slash), &network.first))
		return bl_fail(err, BL_INVALID,
			       "'%.*s' is neither loopback, private, shared, "
			       "link-local nor an address or network",
			       BL_STR_ARG(text));
	network.bits = network.first.len * 8U;
	if (slash != SIZE_MAX &&
	    !read_bits(bl_str_slice(text, slash + 1, SIZE_MAX), network.bits,
		       &network.bits))
		return bl_fail(err, BL_INVALID,
			       "the network '%.*s' has no good prefix length",
			       BL_STR_ARG(text));
	if (has_host_bits(&network))
		return bl_fail(err, BL_INVALID,
			       "the network '%.*s' has bits beyond its prefix",
			       BL_STR_ARG(text));
	*out_network = network;
	return BL_OK;
}

static bool is_in(const struct bl_ip *ip, const char *kind,
		  const struct bl_network *network)
{
	if (network->kind)
		return network->kind == kind;
	return network->first.len == ip->len &&
	       begins_with(ip, network->first.bytes, network->bits);
}

bool bl_network_allows(const struct bl_ip *ip,
		       const struct bl_networks *networks)
{
	const struct row *row = find_row(ip);
	struct bl_ip what = row->is_mapped ? meant(ip) : *ip;
	const char *kind = bl_network_kind(ip);

	if (!kind)
		return true;
	for (size_t i = 0; i < BL_COUNT(forbidden); i++) {
		if (kind == forbidden[i])
			return false;
	}
	/* A way to such an address is not the address: no name covers it. */
	if (row->v4_at != NOT_EMBEDDED && !row->is_mapped)
		kind = NULL;
	for (size_t i = 0; i < networks->count; i++) {
		if (is_in(&what, kind, &networks->items[i]))
			return true;
	}
	return false;
}

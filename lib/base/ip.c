/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip.c: addresses as text.  Our own reader rather than inet_pton, since systems
 * differ in what that takes, and policies must decide alike on all of them.
 *
 * An IPv6 address is read from the left into bytes; a "::" is noted as the gap,
 * and at the end all behind it moves to the right:
 *
 *	"fe80::1"   fe 80 | 00 01        gap = 2, count = 4
 *	            fe 80 00 ... 00 00 01
 */
#include "base/ip.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"

enum { NO_GAP = 255, GROUP_DIGITS = 4 };

/* ---- reading ------------------------------------------------------------ */

/* A decimal number up to 255 at *at, which moves on; -1 when it is not there. */
static int take_number(struct bl_str text, size_t *at)
{
	size_t from = *at;
	int value = 0;

	while (*at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9' &&
	       *at - from < 3)
		value = value * 10 + (text.ptr[(*at)++] - '0');
	if (*at == from || value > 255 ||
	    (*at - from > 1 && text.ptr[from] == '0'))
		return -1;
	return value;
}

static bool read_v4(struct bl_str text, uint8_t *out)
{
	size_t at = 0;

	for (size_t i = 0; i < BL_IP_V4_BYTES; i++) {
		int value;

		if (i && (at >= text.len || text.ptr[at++] != '.'))
			return false;
		value = take_number(text, &at);
		if (value < 0)
			return false;
		out[i] = (uint8_t)value;
	}
	return at == text.len;
}

struct groups {
	struct bl_str text;
	size_t at;
	uint8_t bytes[BL_IP_V6_BYTES];
	size_t count; /* bytes read */
	size_t gap;   /* where "::" is among them; NO_GAP: not yet */
};

/* The last four bytes as an IPv4 address, where the text goes on as one. */
static bool take_v4(struct groups *g)
{
	if (g->count > BL_IP_V6_BYTES - BL_IP_V4_BYTES ||
	    !read_v4(bl_str_slice(g->text, g->at, g->text.len),
		     g->bytes + g->count))
		return false;
	g->count += BL_IP_V4_BYTES;
	g->at = g->text.len;
	return true;
}

static bool take_group(struct groups *g)
{
	unsigned value = 0;
	size_t end = g->at;

	while (end < g->text.len && bl_hex_value(g->text.ptr[end]) >= 0 &&
	       end - g->at <= GROUP_DIGITS)
		value = value << 4 | (unsigned)bl_hex_value(g->text.ptr[end++]);
	if (end < g->text.len && g->text.ptr[end] == '.')
		return take_v4(g);
	if (end == g->at || end - g->at > GROUP_DIGITS ||
	    g->count == BL_IP_V6_BYTES)
		return false;
	g->at = end;
	g->bytes[g->count++] = (uint8_t)(value >> 8);
	g->bytes[g->count++] = (uint8_t)value;
	return true;
}

/* The colons between two groups, or at the end; false: the text is wrong. */
static bool take_colons(struct groups *g)
{
	if (g->text.ptr[g->at++] != ':' || g->at == g->text.len)
		return false;
	if (g->text.ptr[g->at] != ':')
		return true;
	if (g->gap != NO_GAP)
		return false;
	g->gap = g->count;
	g->at++;
	return true;
}

static bool read_v6(struct bl_str text, uint8_t out[BL_IP_V6_BYTES])
{
	struct groups g = { .text = text, .gap = NO_GAP };
	size_t behind;

	if (bl_str_has_prefix(text, BL_STR("::"))) {
		g.gap = 0;
		g.at = 2;
	}
	while (g.at < text.len)
		if (!take_group(&g) || (g.at < text.len && !take_colons(&g)))
			return false;
	if (g.gap == NO_GAP ? g.count != BL_IP_V6_BYTES
			    : g.count == BL_IP_V6_BYTES)
		return false;
	behind = g.gap == NO_GAP ? 0 : g.count - g.gap;
	memset(out, 0, BL_IP_V6_BYTES);
	memcpy(out, g.bytes, g.count - behind);
	memcpy(out + BL_IP_V6_BYTES - behind, g.bytes + g.count - behind,
	       behind);
	return true;
}

bool bl_ip_parse(struct bl_str text, struct bl_ip *out_ip)
{
	struct bl_ip ip = { .len = BL_IP_V4_BYTES };

	if (!read_v4(text, ip.bytes)) {
		ip.len = BL_IP_V6_BYTES;
		if (!read_v6(text, ip.bytes))
			return false;
	}
	*out_ip = ip;
	return true;
}

bool bl_ip_is_mapped(const struct bl_ip *ip)
{
	static const uint8_t first[] = { [10] = 0xFF, [11] = 0xFF };

	return ip->len == BL_IP_V6_BYTES &&
	       !memcmp(ip->bytes, first, sizeof(first));
}

/* ---- writing ------------------------------------------------------------ */

/* The longest run of zero groups, from two on. */
static void find_zeros(const uint8_t *bytes, size_t *out_from, size_t *out_to)
{
	*out_from = *out_to = BL_IP_V6_BYTES;
	for (size_t i = 0; i < BL_IP_V6_BYTES; i += 2) {
		size_t end = i;

		while (end < BL_IP_V6_BYTES && !bytes[end] && !bytes[end + 1])
			end += 2;
		if (end > i + 2 && end - i > *out_to - *out_from) {
			*out_from = i;
			*out_to = end;
		}
	}
}

static int print_v4(const uint8_t *bytes, char *out, size_t size)
{
	return snprintf(out, size, "%u.%u.%u.%u", (unsigned)bytes[0],
			(unsigned)bytes[1], (unsigned)bytes[2],
			(unsigned)bytes[3]);
}

static void print_v6(const uint8_t *bytes, char *out)
{
	size_t from, to, len = 0;

	find_zeros(bytes, &from, &to);
	for (size_t i = 0; i < BL_IP_V6_BYTES; i += 2) {
		if (i == from) {
			len += (size_t)snprintf(out + len,
						BL_IP_TEXT_BYTES - len, "::");
			i = to;
			if (i >= BL_IP_V6_BYTES)
				break;
		} else if (i) {
			out[len++] = ':';
		}
		len += (size_t)snprintf(out + len, BL_IP_TEXT_BYTES - len, "%x",
					(unsigned)bytes[i] << 8 | bytes[i + 1]);
	}
}

void bl_ip_print(const struct bl_ip *ip, char out[BL_IP_TEXT_BYTES])
{
	static const char mapped[] = "::ffff:";

	if (ip->len == BL_IP_V4_BYTES) {
		print_v4(ip->bytes, out, BL_IP_TEXT_BYTES);
	} else if (bl_ip_is_mapped(ip)) {
		memcpy(out, mapped, sizeof(mapped));
		print_v4(ip->bytes + 12, out + sizeof(mapped) - 1,
			 BL_IP_TEXT_BYTES - sizeof(mapped));
	} else {
		print_v6(ip->bytes, out);
	}
}

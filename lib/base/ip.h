/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/ip.h: addresses of the Internet Protocol as text.  One reader, so that no
 * part of belay takes for an address what another does not.
 */
#ifndef BELAY_BASE_IP_H
#define BELAY_BASE_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
	BL_IP_V4_BYTES = 4,
	BL_IP_V6_BYTES = 16,
	BL_IP_TEXT_BYTES = 46, /* the longest text of one, with its NUL */
};

/* IPv4 (len 4) or IPv6 (len 16), in network order. */
struct bl_ip {
	uint8_t len;
	uint8_t bytes[BL_IP_V6_BYTES];
};

/*
 * Only the usual forms: four decimal numbers without leading zeros, which some read
 * as octal; groups of hexadecimal digits without a zone (RFC 4291, section 2.2).
 * False: it is neither, and *out_ip is untouched.
 */
bool bl_ip_parse(struct bl_str text, struct bl_ip *out_ip);

/* As RFC 5952 has it: lower case, the longest run of zero groups as "::". */
void bl_ip_print(const struct bl_ip *ip, char out[BL_IP_TEXT_BYTES]);

/* Is it an IPv6 address that stands for an IPv4 address (::ffff:a.b.c.d)? */
bool bl_ip_is_mapped(const struct bl_ip *ip);

#endif

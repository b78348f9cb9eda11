/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/url.h: the parts of a URL (RFC 3986), and where a reference in a document
 * leads.  Splitting never fails, and judges nothing: which parts are good is for
 * those who use them.  There is one splitter, so that a host that was checked is the
 * host that is used.
 *
 *	https://ann@Example.com:8443/a/b?x=1#top
 *	scheme  user host       port path query fragment
 */
#ifndef BELAY_BASE_URL_H
#define BELAY_BASE_URL_H

#include "base/arena.h"
#include "base/str.h"

/* Slices of the text, as they are written; ptr NULL: the part is absent. */
struct bl_url {
	struct bl_str scheme;
	struct bl_str authority; /* user, host and port as a whole */
	struct bl_str user;
	struct bl_str host; /* an IPv6 address with its brackets */
	struct bl_str port;
	struct bl_str path; /* never absent; may be empty */
	struct bl_str query;
	struct bl_str fragment;
};

struct bl_url bl_url_split(struct bl_str text);

/* Sets user, host and port by the authority, for what is written without a scheme. */
void bl_url_split_authority(struct bl_url *url);

/* The host without the brackets of an IPv6 address. */
struct bl_str bl_url_host(const struct bl_url *url);

/*
 * A reference, as seen from a document with an address of its own: relative
 * paths, "//host", "?query" and "#part" (RFC 3986, section 5.2).  Of a base
 * without a scheme the rest counts just so.  ptr NULL: the arena is full.
 */
struct bl_str bl_url_resolve(struct bl_arena *arena, struct bl_str base,
			     struct bl_str reference);

#endif

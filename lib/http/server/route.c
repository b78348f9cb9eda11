/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.c: from method and path to a row of the table.  Pure, so that a test can
 * ask every row, and apart from libmicrohttpd.
 */
#include "http/server/server.h"

static bool is_part_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/* How many bytes from `at` on are an open part; 0: it is not acceptable. */
static size_t part_bytes(struct bl_str path, size_t at)
{
	size_t len = 0;

	if (at < path.len && path.ptr[at] == '.')
		return 0;
	while (at + len < path.len && is_part_char(path.ptr[at + len]))
		len++;
	return len <= BL_SERVER_MAX_PART_BYTES ? len : 0;
}

static bool matches(const char *pattern, struct bl_str path,
		    struct bl_str parts[BL_SERVER_MAX_PARTS])
{
	size_t at = 0;
	size_t part = 0;

	while (*pattern) {
		if (pattern[0] == '{' && pattern[1] == '}') {
			size_t len = part_bytes(path, at);

			if (!len || part == BL_SERVER_MAX_PARTS)
				return false;
			parts[part++] = bl_str_slice(path, at, at + len);
			at += len;
			pattern += 2;
		} else if (at < path.len && path.ptr[at] == *pattern) {
			at++;
			pattern++;
		} else {
			return false;
		}
	}
	return at == path.len;
}

const struct bl_server_route *
bl_server_route_find(const struct bl_server_route *routes, size_t count,
		     unsigned method, struct bl_str path,
		     struct bl_str parts[BL_SERVER_MAX_PARTS],
		     unsigned *out_methods)
{
	*out_methods = 0;
	for (size_t i = 0; i < count; i++) {
		if (!matches(routes[i].path, path, parts))
			continue;
		if (routes[i].method == method)
			return &routes[i];
		*out_methods |= routes[i].method;
	}
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a path and as a query: what a route leaves open is a part of the
 * path that can be a name, and a field is text, whatever was sent.
 */
#include <string.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "http/server/server.h"

static const struct bl_server_route routes[] = {
	{ BL_SERVER_GET, 0, "/", 0, NULL, 0 },
	{ BL_SERVER_GET, 0, "/{}", 0, NULL, 0 },
	{ BL_SERVER_POST, 0, "/v1/{}/x/{}", 0, NULL, 0 },
	{ BL_SERVER_GET, 0, "/v1/{}/x/{}", 0, NULL, 0 },
	{ BL_SERVER_PUT, 0, "/v1/{}{}", 0, NULL, 0 },
};

static void check_part(struct bl_str path, struct bl_str part)
{
	MUST(part.len >= 1 && part.len <= BL_SERVER_MAX_PART_BYTES);
	MUST(part.ptr >= path.ptr &&
	     part.ptr + part.len <= path.ptr + path.len);
	MUST(part.ptr[0] != '.');
	for (size_t i = 0; i < part.len; i++)
		MUST(part.ptr[i] > ' ' && !strchr("/%?#\\", part.ptr[i]));
}

static void check_path(struct bl_str path, unsigned method)
{
	struct bl_str parts[BL_SERVER_MAX_PARTS] = { { NULL, 0 } };
	unsigned others = 0;
	const struct bl_server_route *found =
		bl_server_route_find(routes, sizeof(routes) / sizeof(*routes),
				     method, path, parts, &others);
	size_t open = 0;

	if (!found)
		return;
	MUST(found->method == method);
	for (const char *at = found->path; (at = strstr(at, "{}")); at += 2)
		check_part(path, parts[open++]);
}

static void check_field(struct bl_str form)
{
	struct bl_server_request request = { .method = BL_SERVER_GET };
	struct bl_str field;

	bl_arena_init(&request.arena, NULL, 0, 1 << 20);
	field = bl_server_field(&request, form, "a");
	if (field.ptr) {
		MUST(field.len <= form.len);
		MUST(bl_utf8_is_valid(field));
		MUST(!memchr(field.ptr, '\0', field.len) ||
		     memchr(form.ptr, '\0', form.len));
		MUST(bl_str_find(form, BL_STR("a="), 0) != SIZE_MAX);
	}
	bl_arena_clear(&request.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bl_str text = { size ? (const char *)data : "", size };

	for (unsigned method = BL_SERVER_GET; method <= BL_SERVER_DELETE;
	     method *= 2)
		check_path(text, method);
	check_field(text);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c: URLs, split at their marks.  From both ends to the middle: what is behind
 * the first "#" is the fragment, what of the rest is behind the first "?" the
 * query; then a scheme, then an authority, and the path is what is left.
 */
#include "base/ascii.h"
#include "base/url.h"

#include <string.h>

/* ---- splitting ---------------------------------------------------------- */

/* Cuts *text at the first c; *out_rest is what is behind it, or absent. */
static void cut(struct bl_str *text, const char *c, struct bl_str *out_rest)
{
	size_t at = bl_str_find(*text, bl_str(c), 0);

	if (at == SIZE_MAX)
		return;
	*out_rest = bl_str_slice(*text, at + 1, text->len);
	*text = bl_str_slice(*text, 0, at);
}

static bool may_be_in_scheme(char c)
{
	return bl_ascii_is_alnum(c) || c == '+' || c == '-' || c == '.';
}

static void take_scheme(struct bl_str *text, struct bl_str *out_scheme)
{
	size_t end = 0;

	while (end < text->len && may_be_in_scheme(text->ptr[end]))
		end++;
	if (end == 0 || end == text->len || text->ptr[end] != ':' ||
	    !bl_ascii_is_letter(text->ptr[0]))
		return;
	*out_scheme = bl_str_slice(*text, 0, end);
	*text = bl_str_slice(*text, end + 1, text->len);
}

static size_t find_last(struct bl_str text, char c)
{
	size_t at = text.len;

	while (at && text.ptr[at - 1] != c)
		at--;
	return at ? at - 1 : SIZE_MAX;
}

void bl_url_split_authority(struct bl_url *url)
{
	struct bl_str rest = url->authority;
	size_t at = find_last(rest, '@');
	size_t close;
	size_t colon;

	if (at != SIZE_MAX) {
		url->user = bl_str_slice(rest, 0, at);
		rest = bl_str_slice(rest, at + 1, rest.len);
	}
	close = rest.len && rest.ptr[0] == '[' ? find_last(rest, ']')
					       : SIZE_MAX;
	colon = close == SIZE_MAX ? find_last(rest, ':') : close + 1;
	if (colon >= rest.len || rest.ptr[colon] != ':')
		colon = SIZE_MAX;
	else
		url->port = bl_str_slice(rest, colon + 1, rest.len);
	url->host = bl_str_slice(rest, 0, colon);
}

struct bl_str bl_url_host(const struct bl_url *url)
{
	struct bl_str host = url->host;

	return host.len > 1 && host.ptr[0] == '[' &&
			       host.ptr[host.len - 1] == ']'
		       ? bl_str_slice(host, 1, host.len - 1)
		       : host;
}

struct bl_url bl_url_split(struct bl_str text)
{
	struct bl_url url = { .path = { "", 0 } };

	cut(&text, "#", &url.fragment);
	cut(&text, "?", &url.query);
	take_scheme(&text, &url.scheme);
	if (bl_str_has_prefix(text, BL_STR("//"))) {
		size_t slash = bl_str_find(text, BL_STR("/"), 2);

		url.authority = bl_str_slice(text, 2, slash);
		bl_url_split_authority(&url);
		text = bl_str_slice(text, slash, text.len);
	}
	if (text.len)
		url.path = text;
	return url;
}

/* ---- resolving ---------------------------------------------------------- */

/* Takes the last "/NAME" off. */
static size_t without_last(const char *path, size_t len)
{
	while (len && path[len - 1] != '/')
		len--;
	return len ? len - 1 : 0;
}

/*
 * Without "." and ".." (RFC 3986, section 5.2.4), in place, for paths that begin
 * with "/": "/a/b/../c/." becomes "/a/c/".
 */
static size_t remove_dots(char *path, size_t len)
{
	size_t out = 0;

	for (size_t at = 0; at < len;) {
		size_t end = at + 1;
		struct bl_str name;
		bool is_last;

		while (end < len && path[end] != '/')
			end++;
		name = (struct bl_str){ path + at + 1, end - at - 1 };
		is_last = end == len;
		if (bl_str_equal(name, BL_STR(".."))) {
			out = without_last(path, out);
		} else if (!bl_str_equal(name, BL_STR("."))) {
			memmove(path + out, path + at, end - at);
			out += end - at;
			is_last = false;
		}
		if (is_last)
			path[out++] = '/';
		at = end;
	}
	return out;
}

/* The text before the path: "https://host". */
static struct bl_str before_path(struct bl_str text, const struct bl_url *url)
{
	const char *end =
		url->authority.ptr ? url->authority.ptr + url->authority.len
		: url->scheme.ptr  ? url->scheme.ptr + url->scheme.len + 1
				   : text.ptr;

	return bl_str_slice(text, 0, (size_t)(end - text.ptr));
}

/* The path of a reference that has one, beside that of the base (none is "/"). */
static struct bl_str merged_path(struct bl_arena *arena,
				 const struct bl_url *base, struct bl_str path)
{
	struct bl_str folder = base->path;
	char *copy;

	if (path.ptr[0] == '/')
		folder.len = 0;
	else if (!folder.len)
		folder = BL_STR("/");
	while (folder.len && folder.ptr[folder.len - 1] != '/')
		folder.len--;
	copy = bl_arena_alloc_aligned(arena, folder.len + path.len + 1, 1);
	if (!copy)
		return (struct bl_str){ NULL, 0 };
	memcpy(copy, folder.ptr, folder.len);
	memcpy(copy + folder.len, path.ptr, path.len);
	path = (struct bl_str){ copy, folder.len + path.len };
	if (copy[0] == '/')
		path.len = remove_dots(copy, path.len);
	return path;
}

struct bl_str bl_url_resolve(struct bl_arena *arena, struct bl_str base,
			     struct bl_str reference)
{
	struct bl_url from = bl_url_split(base);
	struct bl_url to = bl_url_split(reference);
	struct bl_str start = before_path(base, &from);
	struct bl_str path = from.path;

	if (to.scheme.ptr)
		return reference;
	if (to.authority.ptr)
		return bl_arena_printf(
			arena, "%.*s%s%.*s", BL_STR_ARG(from.scheme),
			from.scheme.ptr ? ":" : "", BL_STR_ARG(reference));
	if (to.path.len)
		path = merged_path(arena, &from, to.path);
	else if (!to.query.ptr)
		to.query = from.query;
	if (!path.ptr)
		return path;
	return bl_arena_printf(arena, "%.*s%.*s%s%.*s%s%.*s", BL_STR_ARG(start),
			       BL_STR_ARG(path), to.query.ptr ? "?" : "",
			       BL_STR_ARG(to.query), to.fragment.ptr ? "#" : "",
			       BL_STR_ARG(to.fragment));
}

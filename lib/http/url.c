/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c: the URLs that may be posted to.
 *
 * Few forms, so that no two readers can take one for two things: what is kept
 * is put together again from its parts.
 */
#include <stdio.h>

#include "http/http.h"

enum { MAX_HOST_BYTES = 253, MAX_LABEL_BYTES = 63 };

static const struct {
	const char *prefix;
	uint16_t port;
	bool is_plain;
} schemes[] = {
	{ "https://", 443, false },
	{ "http://", 80, true },
};

static const char *const own_hosts[] = { "localhost", "127.0.0.1", "::1" };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- hosts -------------------------------------------------------------- */

static bool is_label(struct bl_str label)
{
	if (label.len == 0 || label.len > MAX_LABEL_BYTES ||
	    label.ptr[0] == '-' || label.ptr[label.len - 1] == '-')
		return false;
	for (size_t i = 0; i < label.len; i++) {
		char c = label.ptr[i];

		if (!is_letter(c) && !is_digit(c) && c != '-' && c != '_')
			return false;
	}
	return true;
}

/*
 * A name whose last label begins with a digit is an address in some spelling
 * ("127.1", "0x7f.0x1"): only the usual one is taken.
 */
static bool is_host_name(struct bl_str host)
{
	size_t at = 0;
	struct bl_ip ip;

	if (host.len == 0 || host.len > MAX_HOST_BYTES)
		return false;
	for (;;) {
		size_t dot = bl_str_find(host, BL_STR("."), at);
		struct bl_str label = bl_str_slice(host, at, dot);

		if (!is_label(label))
			return false;
		if (dot == SIZE_MAX)
			return !is_digit(label.ptr[0]) ||
			       bl_ip_parse(host, &ip);
		at = dot + 1;
	}
}

/* The end of the host that begins at text, and what it is without brackets. */
static bool take_host(struct bl_str text, struct bl_str *out_host,
		      size_t *out_end)
{
	struct bl_ip ip;

	if (text.len > 0 && text.ptr[0] == '[') {
		size_t close = bl_str_find(text, BL_STR("]"), 0);

		if (close == SIZE_MAX)
			return false;
		*out_host = bl_str_slice(text, 1, close);
		*out_end = close + 1;
		return bl_ip_parse(*out_host, &ip) && ip.len == 16;
	}
	*out_end = 0;
	while (*out_end < text.len && text.ptr[*out_end] != ':' &&
	       text.ptr[*out_end] != '/' && text.ptr[*out_end] != '?')
		++*out_end;
	*out_host = bl_str_slice(text, 0, *out_end);
	return is_host_name(*out_host);
}

static bool is_own_host(struct bl_str host)
{
	for (size_t i = 0; i < BL_COUNT(own_hosts); i++) {
		if (bl_str_is(host, own_hosts[i]))
			return true;
	}
	return false;
}

/* ---- the rest ----------------------------------------------------------- */

/* ":PORT" or nothing at the start of *rest, which moves on. */
static bool take_port(struct bl_str *rest, uint16_t *port)
{
	unsigned value = 0;
	size_t end = 1;

	if (rest->len == 0 || rest->ptr[0] != ':')
		return true;
	while (end < rest->len && is_digit(rest->ptr[end]) && end <= 6)
		value = value * 10 + (unsigned)(rest->ptr[end++] - '0');
	*rest = bl_str_slice(*rest, end, SIZE_MAX);
	*port = (uint16_t)value;
	return value > 0 && value <= UINT16_MAX;
}

/* Path and query: what RFC 3986 has in them, and nothing else. */
static bool is_target(struct bl_str text)
{
	static const char others[] = "-._~%!$&'()*+,;=:@/?";

	if (text.len > 0 && text.ptr[0] != '/' && text.ptr[0] != '?')
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!is_letter(c) && !is_digit(c) &&
		    !memchr(others, c, sizeof(others) - 1))
			return false;
	}
	return true;
}

static void lower(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] >= 'A' && text[i] <= 'Z')
			text[i] = (char)(text[i] - 'A' + 'a');
	}
}

/* Puts the parts together again; host must be lower case. */
static enum bl_status assemble(size_t scheme, struct bl_str host,
			       struct bl_str target, struct bl_arena *arena,
			       struct bl_http_url *url, struct bl_error *err)
{
	bool brackets = host.len > 0 && memchr(host.ptr, ':', host.len);
	char port[16] = "";

	if (url->port != schemes[scheme].port)
		snprintf(port, sizeof(port), ":%u", (unsigned)url->port);
	url->text = bl_arena_printf(
		arena, "%s%s%.*s%s%s%s%.*s", schemes[scheme].prefix,
		brackets ? "[" : "", BL_STR_ARG(host), brackets ? "]" : "",
		port, target.len == 0 || target.ptr[0] == '?' ? "/" : "",
		BL_STR_ARG(target));
	return url->text.ptr ? BL_OK : bl_arena_fail(arena, err);
}

static size_t find_scheme(struct bl_str text)
{
	size_t i = 0;

	while (i < BL_COUNT(schemes) &&
	       !bl_str_has_prefix(text, bl_str(schemes[i].prefix)))
		i++;
	return i;
}

static enum bl_status read_parts(struct bl_str rest, struct bl_str *out_host,
				 struct bl_str *out_target, uint16_t *port,
				 struct bl_error *err)
{
	size_t end;

	if (bl_str_find(
		    bl_str_slice(rest, 0, bl_str_find(rest, BL_STR("/"), 0)),
		    BL_STR("@"), 0) != SIZE_MAX)
		return bl_fail(err, BL_INVALID,
			       "a URL may hold no user name or password");
	if (!take_host(rest, out_host, &end))
		return bl_fail(err, BL_INVALID,
			       "the URL has no host in a usual form");
	rest = bl_str_slice(rest, end, SIZE_MAX);
	if (!take_port(&rest, port))
		return bl_fail(err, BL_INVALID,
			       "the URL's port is not a number up to 65535");
	if (!is_target(rest))
		return bl_fail(err, BL_INVALID,
			       "the URL's path holds what a URL may not (%s)",
			       "a fragment, a space, a letter beyond ASCII");
	*out_target = rest;
	return BL_OK;
}

enum bl_status bl_http_url_parse(struct bl_str text, struct bl_arena *arena,
				 struct bl_http_url *out_url,
				 struct bl_error *err)
{
	struct bl_http_url url = { .port = 0 };
	size_t scheme = find_scheme(text);
	struct bl_str host = { NULL, 0 };
	struct bl_str target = { NULL, 0 };
	struct bl_str rest;
	char *copy;
	enum bl_status status;

	if (scheme == BL_COUNT(schemes))
		return bl_fail(err, BL_INVALID, "a URL begins with https://");
	if (text.len > BL_HTTP_MAX_URL_BYTES)
		return bl_fail(err, BL_INVALID,
			       "the URL is longer than %d bytes",
			       BL_HTTP_MAX_URL_BYTES);
	rest = bl_str_slice(text, strlen(schemes[scheme].prefix), SIZE_MAX);
	url.port = schemes[scheme].port;
	url.is_plain = schemes[scheme].is_plain;
	status = read_parts(rest, &host, &target, &url.port, err);
	if (status != BL_OK)
		return status;
	copy = bl_arena_alloc_aligned(arena, host.len + 1, 1);
	if (!copy)
		return bl_arena_fail(arena, err);
	memcpy(copy, host.ptr, host.len);
	copy[host.len] = '\0';
	lower(copy, host.len);
	url.host = (struct bl_str){ copy, host.len };
	if (url.is_plain && !is_own_host(url.host))
		return bl_fail(err, BL_INVALID,
			       "http is for this machine only (localhost): "
			       "use https");
	status = assemble(scheme, url.host, target, arena, &url, err);
	if (status == BL_OK)
		*out_url = url;
	return status;
}

/* ---- patterns ----------------------------------------------------------- */

static bool equal_ignoring_case(struct bl_str a, struct bl_str lower_case)
{
	if (a.len != lower_case.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		char c = a.ptr[i];

		lower(&c, 1);
		if (c != lower_case.ptr[i])
			return false;
	}
	return true;
}

bool bl_http_host_matches(struct bl_str pattern, const struct bl_http_url *url)
{
	struct bl_str host = url->host;
	struct bl_str name = pattern;
	struct bl_str rest = { NULL, 0 };
	uint16_t port = url->port;
	size_t colon;

	if (name.len > 0 && name.ptr[0] == '[') {
		size_t close = bl_str_find(name, BL_STR("]"), 0);

		if (close == SIZE_MAX)
			return false;
		name = bl_str_slice(pattern, 1, close);
		rest = bl_str_slice(pattern, close + 1, SIZE_MAX);
	} else {
		colon = bl_str_find(name, BL_STR(":"), 0);
		rest = bl_str_slice(pattern, colon, SIZE_MAX);
		name = bl_str_slice(pattern, 0, colon);
	}
	if (!take_port(&rest, &port) || rest.len > 0 || port != url->port)
		return false;
	if (!bl_str_has_prefix(name, BL_STR("*.")))
		return equal_ignoring_case(name, host);
	name = bl_str_slice(name, 1, SIZE_MAX);
	return host.len > name.len &&
	       equal_ignoring_case(
		       name, bl_str_slice(host, host.len - name.len, SIZE_MAX));
}

void bl_http_put_escaped(struct bl_buf *out, struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9') || (c && strchr("-._~", c)))
			bl_buf_put_char(out, (char)c);
		else
			bl_buf_printf(out, "%%%02X", c);
	}
}

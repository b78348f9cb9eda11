/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c: the URLs that may be posted to.
 *
 * Few forms, so that no two readers can take one for two things: what is kept
 * is put together again from its parts.
 */
#include <stdio.h>

#include "base/ascii.h"
#include "base/url.h"
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

/* ---- hosts -------------------------------------------------------------- */

static bool is_label(struct bl_str label)
{
	if (label.len == 0 || label.len > MAX_LABEL_BYTES ||
	    label.ptr[0] == '-' || label.ptr[label.len - 1] == '-')
		return false;
	for (size_t i = 0; i < label.len; i++) {
		char c = label.ptr[i];

		if (!bl_ascii_is_letter(c) && !bl_ascii_is_digit(c) &&
		    c != '-' && c != '_')
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
			return !bl_ascii_is_digit(label.ptr[0]) ||
			       bl_ip_parse(host, &ip);
		at = dot + 1;
	}
}

static bool is_host(const struct bl_url *url)
{
	bool has_brackets = url->host.len && url->host.ptr[0] == '[';
	struct bl_ip ip;

	return has_brackets ? bl_ip_parse(bl_url_host(url), &ip) &&
				      ip.len == BL_IP_V6_BYTES
			    : is_host_name(url->host);
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

/* 1 to 65535; without digits *port stays. */
static bool read_port(struct bl_str digits, uint16_t *port)
{
	unsigned value = 0;

	if (!digits.ptr)
		return true;
	for (size_t i = 0; i < digits.len; i++) {
		if (!bl_ascii_is_digit(digits.ptr[i]) || i == 5)
			return false;
		value = value * 10 + (unsigned)(digits.ptr[i] - '0');
	}
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

		if (!bl_ascii_is_letter(c) && !bl_ascii_is_digit(c) &&
		    !memchr(others, c, sizeof(others) - 1))
			return false;
	}
	return true;
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

/* The text before the path decides who is asked: no "@" there, whatever it is in. */
static bool has_user(struct bl_str text)
{
	size_t slash = bl_str_find(text, BL_STR("/"), strlen("https://"));

	return bl_str_find(bl_str_slice(text, 0, slash), BL_STR("@"), 0) !=
	       SIZE_MAX;
}

/* *out_target: path and query, as they are written. */
static enum bl_status read_parts(struct bl_str text, struct bl_str *out_host,
				 struct bl_str *out_target, uint16_t *port,
				 struct bl_error *err)
{
	struct bl_url parts = bl_url_split(text);
	const char *end = parts.authority.ptr + parts.authority.len;

	if (has_user(text))
		return bl_fail(err, BL_INVALID,
			       "a URL may hold no user name or password");
	if (!is_host(&parts))
		return bl_fail(err, BL_INVALID,
			       "the URL has no host in a usual form");
	if (!read_port(parts.port, port))
		return bl_fail(err, BL_INVALID,
			       "the URL's port is not a number up to 65535");
	*out_target = bl_str_slice(text, (size_t)(end - text.ptr), SIZE_MAX);
	if (!is_target(*out_target))
		return bl_fail(err, BL_INVALID,
			       "the URL's path holds what a URL may not (%s)",
			       "a fragment, a space, a letter beyond ASCII");
	*out_host = bl_url_host(&parts);
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
	char *copy;
	enum bl_status status;

	if (scheme == BL_COUNT(schemes))
		return bl_fail(err, BL_INVALID, "a URL begins with https://");
	if (text.len > BL_HTTP_MAX_URL_BYTES)
		return bl_fail(err, BL_INVALID,
			       "the URL is longer than %d bytes",
			       BL_HTTP_MAX_URL_BYTES);
	url.port = schemes[scheme].port;
	url.is_plain = schemes[scheme].is_plain;
	status = read_parts(text, &host, &target, &url.port, err);
	if (status != BL_OK)
		return status;
	copy = bl_arena_alloc_aligned(arena, host.len + 1, 1);
	if (!copy)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < host.len; i++)
		copy[i] = bl_ascii_lower(host.ptr[i]);
	copy[host.len] = '\0';
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

bool bl_http_host_matches(struct bl_str pattern, const struct bl_http_url *url)
{
	struct bl_url parts = { .authority = pattern };
	struct bl_str host = url->host;
	struct bl_str name;
	uint16_t port = url->port;

	bl_url_split_authority(&parts);
	name = bl_url_host(&parts);
	if (parts.user.ptr || !read_port(parts.port, &port) ||
	    port != url->port)
		return false;
	if (!bl_str_has_prefix(name, BL_STR("*.")))
		return bl_ascii_equal(name, host);
	name = bl_str_slice(name, 1, SIZE_MAX);
	return host.len > name.len &&
	       bl_ascii_equal(
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

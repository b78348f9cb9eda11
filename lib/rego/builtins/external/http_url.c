/* SPDX-License-Identifier: Apache-2.0 */
/* URLs of http.send, and the hosts that may be reached. */
#include "rego/builtins/external/http_request.h"

enum { MAX_URL_BYTES = 16384 };

/* ---- hosts ----------------------------------------------------------------- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool bl_http_is_same(struct bl_str a, struct bl_str b)
{
	for (size_t i = 0; a.len == b.len && i < a.len; i++)
		if (lower(a.ptr[i]) != lower(b.ptr[i]))
			return false;
	return a.len == b.len;
}

bool bl_http_is_allowed(struct bl_builtin_call *call, struct bl_str host)
{
	const struct bl_rego_network *network = call->state->host.network;

	for (size_t i = 0; i < network->host_count; i++) {
		struct bl_str allowed = network->hosts[i];

		if (allowed.len > 2 && allowed.ptr[0] == '[')
			allowed = bl_str_slice(allowed, 1, allowed.len - 1);
		if (bl_http_is_same(host, allowed))
			return true;
	}
	return bl_builtin_fault(call, BL_FAULT_BUILTIN, "disallowed host: %.*s",
				BL_STR_ARG(host));
}

/* Letters, digits and what names and IPv6 addresses have besides. */
static bool is_host_byte(char c, bool in_brackets)
{
	return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
	       c == '.' || (in_brackets ? c == ':' : c == '-' || c == '_');
}

/* HOST[:PORT] of an URL. */
static bool read_authority(struct bl_arena *arena, struct bl_str text,
			   struct bl_rego_http_request *request)
{
	bool brackets = text.len && text.ptr[0] == '[';
	size_t from = brackets;
	size_t end = from;
	struct bl_str port;
	char *host = bl_arena_alloc_aligned(arena, text.len + 1, 1);

	while (end < text.len && is_host_byte(text.ptr[end], brackets))
		end++;
	if (!host || end == from ||
	    (brackets && (end == text.len || text.ptr[end] != ']')))
		return false;
	for (size_t i = from; i < end; i++)
		host[i - from] = lower(text.ptr[i]);
	request->host = (struct bl_str){ host, end - from };
	end += brackets;
	port = bl_str_slice(text, end, text.len);
	if (port.len && port.ptr[0] != ':')
		return false;
	request->port = port.len ? bl_str_slice(port, 1, port.len) : port;
	for (size_t i = 0; i < request->port.len; i++)
		if (request->port.ptr[i] < '0' || request->port.ptr[i] > '9')
			return false;
	return request->port.len <= 5;
}

/* ---- URLs ------------------------------------------------------------------ */

static bool refuse(struct bl_builtin_call *call, struct bl_str text,
		   const char *why)
{
	return bl_builtin_fault(call, BL_FAULT_BUILTIN, "parse \"%.*s\": %s",
				BL_STR_ARG(text), why);
}

static bool has_prefix(struct bl_str text, const char *prefix)
{
	return bl_http_is_same(bl_str_slice(text, 0, strlen(prefix)),
			       bl_str(prefix));
}

/* Path and query, what may not stand in a request escaped. */
static void put_target(struct bl_buf *out, struct bl_str text)
{
	static const char digits[] = "0123456789ABCDEF";

	if (!text.len || text.ptr[0] != '/')
		bl_buf_put_char(out, '/');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c > ' ' && c < 0x7f && c != '"' && c != '<' && c != '>' &&
		    c != '\\' && c != '^' && c != '`') {
			bl_buf_put_char(out, (char)c);
			continue;
		}
		bl_buf_put_char(out, '%');
		bl_buf_put_char(out, digits[c >> 4]);
		bl_buf_put_char(out, digits[c & 15]);
	}
}

static size_t find_any(struct bl_str text, size_t from, const char *bytes)
{
	while (from < text.len &&
	       (!text.ptr[from] || !strchr(bytes, text.ptr[from])))
		from++;
	return from;
}

bool bl_http_read_url(struct bl_builtin_call *call, struct bl_str text,
		      struct bl_rego_http_request *request)
{
	bool tls = has_prefix(text, "https://");
	size_t from = tls ? 8 : 7;
	struct bl_str rest;
	struct bl_buf out;
	size_t end;

	if (text.len > MAX_URL_BYTES)
		return refuse(call, BL_STR("..."), "it is too long");
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return refuse(call, BL_STR("..."),
				      "net/url: invalid control character in "
				      "URL");
	if (!tls && !has_prefix(text, "http://"))
		return refuse(call, text, "unsupported protocol scheme");
	end = find_any(text, from, "/?#");
	rest = bl_str_slice(text, end, find_any(text, end, "#"));
	if (!read_authority(call->arena, bl_str_slice(text, from, end),
			    request))
		return refuse(call, BL_STR("..."),
			      "its host is invalid, or it has a user name");
	bl_buf_init(&out, 0);
	bl_buf_put_str(&out, tls ? BL_STR("https://") : BL_STR("http://"));
	bl_buf_put_str(&out, bl_str_slice(text, from, end));
	put_target(&out, rest);
	request->is_tls = tls;
	request->url = bl_arena_copy_str(call->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return request->url.ptr || bl_builtin_memory_fault(call);
}

struct bl_str bl_http_follow(struct bl_arena *arena, struct bl_str url,
			     struct bl_str to)
{
	size_t scheme = bl_str_find(url, BL_STR("://"), 0);
	size_t path = find_any(url, scheme + 3, "/?#");
	size_t query = find_any(url, path, "?#");
	size_t colon = find_any(to, 0, ":/?#");

	if (colon < to.len && to.ptr[colon] == ':')
		return to;
	if (bl_str_has_prefix(to, BL_STR("//")))
		return bl_arena_printf(arena, "%.*s%.*s", (int)scheme + 1,
				       url.ptr, BL_STR_ARG(to));
	if (bl_str_has_prefix(to, BL_STR("/")))
		query = path;
	else if (!bl_str_has_prefix(to, BL_STR("?")))
		while (query > path && url.ptr[query - 1] != '/')
			query--;
	return bl_arena_printf(arena, "%.*s%.*s", (int)query, url.ptr,
			       BL_STR_ARG(to));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* URLs of http.send, and the hosts that may be reached. */
#include "base/ascii.h"
#include "base/url.h"
#include "rego/builtins/external/http_request.h"

enum { MAX_URL_BYTES = 16384 };

/* ---- hosts ----------------------------------------------------------------- */

bool bl_rego_http_is_allowed(struct bl_builtin_call *call, struct bl_str host)
{
	const struct bl_rego_network *network = call->state->host.network;

	for (size_t i = 0; i < network->host_count; i++) {
		struct bl_str allowed = network->hosts[i];

		if (allowed.len > 2 && allowed.ptr[0] == '[')
			allowed = bl_str_slice(allowed, 1, allowed.len - 1);
		if (bl_ascii_equal(host, allowed))
			return true;
	}
	return bl_builtin_fault(call, BL_FAULT_BUILTIN, "disallowed host: %.*s",
				BL_STR_ARG(host));
}

/* Letters, digits and what names and IPv6 addresses have besides. */
static bool is_host_byte(char c, bool in_brackets)
{
	return (bl_ascii_lower(c) >= 'a' && bl_ascii_lower(c) <= 'z') ||
	       (c >= '0' && c <= '9') || c == '.' ||
	       (in_brackets ? c == ':' : c == '-' || c == '_');
}

/* Host and port of request; false where they are not of a usual form. */
static bool take_authority(struct bl_arena *arena, const struct bl_url *url,
			   struct bl_rego_http_request *request)
{
	struct bl_str from = bl_url_host(url);
	bool has_brackets = from.ptr != url->host.ptr;
	char *host = bl_arena_alloc_aligned(arena, from.len + 1, 1);

	if (!host || !from.len || url->user.ptr || url->port.len > 5)
		return false;
	for (size_t i = 0; i < from.len; i++) {
		if (!is_host_byte(from.ptr[i], has_brackets))
			return false;
		host[i] = bl_ascii_lower(from.ptr[i]);
	}
	for (size_t i = 0; i < url->port.len; i++)
		if (url->port.ptr[i] < '0' || url->port.ptr[i] > '9')
			return false;
	request->host = (struct bl_str){ host, from.len };
	request->port = url->port;
	return true;
}

/* ---- URLs ------------------------------------------------------------------ */

static bool refuse(struct bl_builtin_call *call, struct bl_str text,
		   const char *why)
{
	return bl_builtin_fault(call, BL_FAULT_BUILTIN, "parse \"%.*s\": %s",
				BL_STR_ARG(text), why);
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

/* Path and query with its mark, as they are written. */
static struct bl_str target_of(const struct bl_url *url)
{
	struct bl_str target = url->path;

	if (!url->query.ptr)
		return target;
	if (!target.len)
		target.ptr = url->query.ptr - 1;
	target.len = (size_t)(url->query.ptr - target.ptr) + url->query.len;
	return target;
}

static struct bl_str put_together(struct bl_arena *arena,
				  const struct bl_url *url, bool is_tls)
{
	struct bl_buf out;
	struct bl_str text;

	bl_buf_init(&out, 0);
	bl_buf_put_str(&out, is_tls ? BL_STR("https://") : BL_STR("http://"));
	bl_buf_put_str(&out, url->authority);
	put_target(&out, target_of(url));
	text = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

bool bl_rego_http_read_url(struct bl_builtin_call *call, struct bl_str text,
			   struct bl_rego_http_request *request)
{
	struct bl_url url = bl_url_split(text);
	bool tls = bl_ascii_equal(url.scheme, BL_STR("https"));

	if (text.len > MAX_URL_BYTES)
		return refuse(call, BL_STR("..."), "it is too long");
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return refuse(call, BL_STR("..."),
				      "net/url: invalid control character in "
				      "URL");
	if (!url.authority.ptr ||
	    (!tls && !bl_ascii_equal(url.scheme, BL_STR("http"))))
		return refuse(call, text, "unsupported protocol scheme");
	if (!take_authority(call->arena, &url, request))
		return refuse(call, BL_STR("..."),
			      "its host is invalid, or it has a user name");
	request->is_tls = tls;
	request->url = put_together(call->arena, &url, tls);
	return request->url.ptr || bl_builtin_memory_fault(call);
}

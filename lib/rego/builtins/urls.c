/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and parts of URLs, as Go's net/url has them. */
#include <stdio.h>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/url.h"
#include "rego/builtins/functions.h"

enum part { PART_QUERY, PART_PATH, PART_HOST, PART_USER };

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c) != NULL;
}

static bool is_unreserved(char c)
{
	return bl_ascii_is_alnum(c) || is_one_of(c, "-_.~");
}

/*
 * Appends text with "%XX" (and, in a query, "+") decoded.  False, with the
 * offset of a bad escape or character in *out_offset.
 */
static bool unescape(struct bl_buf *out, struct bl_str text, enum part part,
		     size_t *out_offset)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		int32_t byte;

		*out_offset = i;
		if (c != '%') {
			if (part == PART_HOST && (uint8_t)c < 0x80 &&
			    !is_unreserved(c) &&
			    !is_one_of(c, "!$&'()*+,;=:[]<>\""))
				return false;
			bl_buf_put_char(
				out, c == '+' && part == PART_QUERY ? ' ' : c);
			continue;
		}
		byte = bl_hex_read(text, i + 1, 2);
		if (byte < 0 ||
		    (part == PART_HOST && byte < 0x80 && byte != '%'))
			return false;
		bl_buf_put_char(out, (char)byte);
		i += 2;
	}
	return true;
}

static bool escape_fault(struct bl_builtin_call *call, struct bl_str text,
			 size_t offset)
{
	struct bl_buf quoted;

	bl_buf_init(&quoted, 0);
	bl_builtin_form_quote(&quoted, bl_str_slice(text, offset, offset + 3));
	bl_builtin_fault(call, BL_FAULT_BUILTIN, "invalid URL escape %s",
			 quoted.ptr);
	bl_buf_clear(&quoted);
	return false;
}

/* ---- queries ------------------------------------------------------------ */

static void put_escaped(struct bl_buf *out, struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (is_unreserved(c))
			bl_buf_put_char(out, c);
		else if (c == ' ')
			bl_buf_put_char(out, '+');
		else
			bl_buf_printf(out, "%%%02X", (unsigned)(uint8_t)c);
	}
}

bool bl_fn_urlquery_encode(struct bl_builtin_call *call)
{
	struct bl_buf out;

	bl_buf_init(&out, UINT32_MAX);
	put_escaped(&out, bl_builtin_text(call, 0));
	return bl_builtin_return_buf(call, &out);
}

static bool decode(struct bl_builtin_call *call, struct bl_str text,
		   struct bl_value *out_value)
{
	struct bl_buf out;
	size_t offset;
	bool ok;

	bl_buf_init(&out, UINT32_MAX);
	ok = unescape(&out, text, PART_QUERY, &offset);
	*out_value = bl_builtin_string(call, bl_buf_str(&out));
	bl_buf_clear(&out);
	if (!ok)
		return escape_fault(call, text, offset);
	return bl_value_is_defined(*out_value) || bl_builtin_memory_fault(call);
}

bool bl_fn_urlquery_decode(struct bl_builtin_call *call)
{
	return decode(call, bl_builtin_text(call, 0), &call->result);
}

static void put_parameter(struct bl_buf *out, struct bl_str key,
			  struct bl_str value)
{
	if (out->len)
		bl_buf_put_char(out, '&');
	put_escaped(out, key);
	bl_buf_put_char(out, '=');
	put_escaped(out, value);
}

static bool put_parameters(struct bl_buf *out, struct bl_value key,
			   struct bl_value values)
{
	struct bl_str name = bl_value_text(key);

	if (!bl_value_is(key, BL_KIND_STRING))
		return false;
	if (bl_value_is(values, BL_KIND_STRING)) {
		put_parameter(out, name, bl_value_text(values));
		return true;
	}
	if (!bl_value_is(values, BL_KIND_ARRAY) &&
	    !bl_value_is(values, BL_KIND_SET))
		return false;
	for (size_t i = 0; i < bl_value_count(values); i++) {
		struct bl_value value = bl_value_item(values, i);

		if (!bl_value_is(value, BL_KIND_STRING))
			return false;
		put_parameter(out, name, bl_value_text(value));
	}
	return true;
}

bool bl_fn_urlquery_encode_object(struct bl_builtin_call *call)
{
	struct bl_value object = call->args[0];
	struct bl_buf out;

	bl_buf_init(&out, UINT32_MAX);
	for (size_t rank = 0; rank < bl_value_count(object); rank++) {
		size_t i = bl_object_sorted_index(object, rank);

		if (put_parameters(&out, bl_object_key(object, i),
				   bl_object_value(object, i)))
			continue;
		bl_buf_clear(&out);
		return bl_builtin_fault(call, BL_FAULT_TYPE,
					"operand 1 values must be string, "
					"array[string], or set[string]");
	}
	return bl_builtin_return_buf(call, &out);
}

/* The parameters of a query in their order; count of them in *out_count. */
static bool read_query(struct bl_builtin_call *call, struct bl_member *members,
		       size_t *out_count)
{
	struct bl_str query = bl_builtin_text(call, 0);

	for (size_t from = 0, to; from < query.len; from = to + 1) {
		struct bl_member *member = &members[*out_count];
		struct bl_str piece;
		size_t equals;

		to = bl_str_find(query, BL_STR("&"), from);
		to = to == SIZE_MAX ? query.len : to;
		piece = bl_str_slice(query, from, to);
		if (!piece.len)
			continue;
		if (memchr(piece.ptr, ';', piece.len))
			return bl_builtin_fault(
				call, BL_FAULT_BUILTIN,
				"invalid semicolon separator in query");
		equals = bl_str_find(piece, BL_STR("="), 0);
		if (!decode(call, bl_str_slice(piece, 0, equals),
			    &member->key) ||
		    !decode(call,
			    bl_str_slice(piece,
					 equals == SIZE_MAX ? piece.len
							    : equals + 1,
					 piece.len),
			    &member->value))
			return false;
		++*out_count;
	}
	return true;
}

bool bl_fn_urlquery_decode_object(struct bl_builtin_call *call)
{
	size_t most = bl_builtin_text(call, 0).len / 2 + 2, count = 0;
	struct bl_member *members =
		bl_arena_new_array(call->arena, struct bl_member, most);
	struct bl_value object;

	if (!members)
		return bl_builtin_memory_fault(call);
	if (!read_query(call, members, &count))
		return false;
	/* The object of last values has all keys; then each gets its list. */
	object = bl_object_make(call->arena, members, count, NULL);
	most = bl_value_count(object);
	struct bl_array_builder *lists = bl_arena_new_array(
		call->arena, struct bl_array_builder, most + 1);
	if (!bl_value_is_defined(object) || !lists)
		return bl_builtin_memory_fault(call);
	for (size_t i = 0; i < most; i++)
		bl_array_builder_init(&lists[i], call->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(
			&lists[bl_object_find_index(object, members[i].key)],
			members[i].value);
	for (size_t i = 0; i < most; i++) {
		members[i].key = bl_object_key(object, i);
		members[i].value = bl_array_builder_end(&lists[i]);
		if (!bl_value_is_defined(members[i].value))
			return bl_builtin_memory_fault(call);
	}
	return bl_builtin_return(
		call, bl_object_make(call->arena, members, most, NULL));
}

/* ---- URIs --------------------------------------------------------------- */

struct uri {
	struct bl_url parts;
	char problem[200]; /* of parse, as Go words it */
};

static bool is_number(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return true;
}

/* text, when it has any, is quoted between the two. */
static bool refuse(struct uri *uri, const char *before, struct bl_str text,
		   const char *after)
{
	struct bl_buf quoted;

	bl_buf_init(&quoted, 0);
	if (text.ptr)
		bl_builtin_form_quote(&quoted, text);
	snprintf(uri->problem, sizeof(uri->problem), "%s%s%s", before,
		 quoted.ptr ? quoted.ptr : "", after);
	bl_buf_clear(&quoted);
	return false;
}

static bool say(struct uri *uri, const char *problem)
{
	return refuse(uri, problem, (struct bl_str){ 0 }, "");
}

static bool check_escapes(struct uri *uri, struct bl_str text, enum part part)
{
	struct bl_buf out;
	size_t offset = 0;
	bool ok;

	bl_buf_init(&out, 0);
	ok = unescape(&out, text, part, &offset);
	bl_buf_clear(&out);
	if (ok)
		return true;
	if (offset < text.len && text.ptr[offset] != '%')
		return refuse(uri, "invalid character ",
			      bl_str_slice(text, offset, offset + 1),
			      " in host name");
	return refuse(uri, "invalid URL escape ",
		      bl_str_slice(text, offset, offset + 3), "");
}

static bool check_user(struct uri *uri, struct bl_str user)
{
	for (size_t i = 0; i < user.len; i++) {
		if (!is_unreserved(user.ptr[i]) &&
		    !is_one_of(user.ptr[i], ":!$&'()*+,;=%@"))
			return say(uri, "net/url: invalid userinfo");
	}
	return check_escapes(uri, user, PART_USER);
}

/* ":80", or what else is behind "]". */
static struct bl_str port_text(const struct bl_url *url)
{
	size_t close = bl_str_find(url->host, BL_STR("]"), 0);

	if (url->port.ptr)
		return (struct bl_str){ url->port.ptr - 1, url->port.len + 1 };
	return url->host.len && url->host.ptr[0] == '['
		       ? bl_str_slice(url->host, close + 1, url->host.len)
		       : (struct bl_str){ "", 0 };
}

static bool check_authority(struct uri *uri)
{
	const struct bl_url *url = &uri->parts;
	size_t from = url->user.ptr ? url->user.len + 1 : 0;
	struct bl_str host = bl_str_slice(url->authority, from, SIZE_MAX);
	struct bl_str port = port_text(url);

	if (host.len && host.ptr[0] == '[' &&
	    bl_str_find(host, BL_STR("]"), 0) == SIZE_MAX)
		return say(uri, "missing ']' in host");
	if (port.len && (port.ptr[0] != ':' || !is_number(url->port)))
		return refuse(uri, "invalid port ", port, " after host");
	return check_escapes(uri, host, PART_HOST) &&
	       (!url->user.ptr || check_user(uri, url->user));
}

/* A path without an authority; after a scheme it may begin with any letter. */
static bool check_opaque(struct uri *uri)
{
	struct bl_url *url = &uri->parts;
	size_t slash = bl_str_find(url->path, BL_STR("/"), 0);

	if (url->scheme.ptr)
		url->path = BL_STR(""); /* mailto:name and such */
	else if (bl_str_find(bl_str_slice(url->path, 0, slash), BL_STR(":"),
			     0) != SIZE_MAX)
		return say(uri, "first path segment in URL cannot contain "
				"colon");
	return true;
}

/* As Go's url.Parse. */
static bool parse(struct bl_str text, struct uri *uri)
{
	struct bl_url *url = &uri->parts;

	*uri = (struct uri){ .parts = bl_url_split(text) };
	for (size_t i = 0; i < text.len; i++) {
		if ((uint8_t)text.ptr[i] < ' ' || text.ptr[i] == 0x7F)
			return say(uri, "net/url: invalid control character "
					"in URL");
	}
	if (!check_escapes(uri, url->fragment, PART_PATH))
		return false;
	if (text.len && text.ptr[0] == ':')
		return say(uri, "missing protocol scheme");
	if (url->authority.ptr && !url->scheme.ptr && !url->authority.len &&
	    url->path.len) {
		url->path.ptr -= 2; /* to Go "///a" is a path */
		url->path.len += 2;
		url->authority.ptr = NULL;
	}
	if (url->authority.ptr ? !check_authority(uri)
			       : !bl_str_has_prefix(url->path, BL_STR("/")) &&
					 !check_opaque(uri))
		return false;
	return check_escapes(uri, url->path, PART_PATH);
}

/* The path as Go would escape what it means. */
static bool is_usual_path(struct bl_str path)
{
	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];
		int code;

		if (c != '%') {
			if (!is_unreserved(c) && !is_one_of(c, "$&+,/:;=@"))
				return false;
			continue;
		}
		code = bl_hex_read(path, i + 1, 2);
		if (is_unreserved((char)code) ||
		    is_one_of((char)code, "$&+,/:;=@") ||
		    (path.ptr[i + 1] >= 'a' || path.ptr[i + 2] >= 'a'))
			return false;
		i += 2;
	}
	return true;
}

struct uri_writer {
	struct bl_builtin_call *call;
	struct bl_object_builder object;
};

static void add_part(struct uri_writer *writer, const char *key,
		     struct bl_str text, enum part part)
{
	struct bl_value value;
	struct bl_buf out;
	size_t offset;

	if (!text.len)
		return;
	bl_buf_init(&out, UINT32_MAX);
	unescape(&out, text, part, &offset);
	value = bl_builtin_string(writer->call, bl_buf_str(&out));
	bl_buf_clear(&out);
	writer->object.failed |= !bl_value_is_defined(value);
	bl_object_builder_add(&writer->object, bl_str(key), value);
}

static void add_text(struct uri_writer *writer, const char *key,
		     struct bl_str text)
{
	if (text.len)
		bl_object_builder_add(&writer->object, bl_str(key),
				      bl_value_string(text));
}

static struct bl_value lower(struct bl_builtin_call *call, struct bl_str text)
{
	char *copy = bl_arena_alloc_aligned(call->arena, text.len + 1, 1);

	if (!copy)
		return bl_value_undefined();
	for (size_t i = 0; i < text.len; i++)
		copy[i] = (char)(text.ptr[i] >= 'A' && text.ptr[i] <= 'Z'
					 ? text.ptr[i] + ('a' - 'A')
					 : text.ptr[i]);
	return bl_value_string((struct bl_str){ copy, text.len });
}

bool bl_fn_uri_parse(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);
	struct uri_writer writer = { .call = call };
	struct uri uri;

	if (!parse(text, &uri))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"parse \"%.*s\": %s", BL_STR_ARG(text),
					uri.problem);
	bl_object_builder_init(&writer.object, call->arena);
	if (uri.parts.scheme.len)
		bl_object_builder_add(&writer.object, BL_STR("scheme"),
				      lower(call, uri.parts.scheme));
	add_part(&writer, "hostname", bl_url_host(&uri.parts), PART_HOST);
	add_text(&writer, "port", uri.parts.port);
	add_part(&writer, "path", uri.parts.path, PART_PATH);
	/* Go keeps the written path only where it is not the usual one. */
	if (is_usual_path(uri.parts.path))
		add_part(&writer, "raw_path", uri.parts.path, PART_PATH);
	else
		add_text(&writer, "raw_path", uri.parts.path);
	add_text(&writer, "raw_query", uri.parts.query);
	add_part(&writer, "fragment", uri.parts.fragment, PART_PATH);
	return bl_builtin_return(call, bl_object_builder_end(&writer.object));
}

bool bl_builtin_is_url(struct bl_str text, bool needs_scheme)
{
	struct uri uri;

	return parse(text, &uri) && (!needs_scheme || uri.parts.scheme.len);
}

bool bl_fn_uri_is_valid(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);

	return bl_builtin_return_boolean(
		call, text.len && bl_builtin_is_url(text, false));
}

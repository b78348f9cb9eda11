/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and parts of URLs, as Go's net/url has them. */
#include <stdio.h>

#include "rego/builtins/functions.h"

enum part { PART_QUERY, PART_PATH, PART_HOST, PART_USER };

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c) != NULL;
}

static bool is_unreserved(char c)
{
	return is_alnum(c) || is_one_of(c, "-_.~");
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
		int high, low;

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
		high = i + 2 < text.len ? bl_hex_value(text.ptr[i + 1]) : -1;
		low = i + 2 < text.len ? bl_hex_value(text.ptr[i + 2]) : -1;
		if (high < 0 || low < 0)
			return false;
		if (part == PART_HOST && high < 8 && !(high == 2 && low == 5))
			return false;
		bl_buf_put_char(out, (char)(high << 4 | low));
		i += 2;
	}
	return true;
}

static bool escape_fault(struct bl_builtin_call *call, struct bl_str text,
			 size_t offset)
{
	struct bl_buf quoted;

	bl_buf_init(&quoted, 0);
	bl_text_form_quote(&quoted, bl_str_slice(text, offset, offset + 3));
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

/* Parts as they are written. */
struct uri {
	struct bl_str scheme;
	struct bl_str host; /* with its port */
	struct bl_str path;
	struct bl_str query;
	struct bl_str fragment;
	char problem[200]; /* of parse, as Go words it */
};

/* Cuts text at the first c; false when absent. */
static bool cut(struct bl_str *text, const char *c, struct bl_str *out_rest)
{
	size_t at = bl_str_find(*text, bl_str(c), 0);

	if (at == SIZE_MAX)
		return false;
	*out_rest = bl_str_slice(*text, at + 1, text->len);
	*text = bl_str_slice(*text, 0, at);
	return true;
}

/* Takes "scheme:" off.  False for ":" at the very start. */
static bool take_scheme(struct bl_str *text, struct bl_str *out_scheme)
{
	for (size_t i = 0; i < text->len; i++) {
		char c = text->ptr[i];

		if (c == ':') {
			*out_scheme = bl_str_slice(*text, 0, i);
			*text = bl_str_slice(*text, i + 1, text->len);
			return i > 0;
		}
		if (!is_alnum(c) && !is_one_of(c, "+-."))
			return true;
		if (i == 0 && (is_one_of(c, "+-.") || (c >= '0' && c <= '9')))
			return true;
	}
	return true;
}

static bool is_optional_port(struct bl_str port)
{
	if (!port.len)
		return true;
	for (size_t i = 1; i < port.len; i++) {
		if (port.ptr[i] < '0' || port.ptr[i] > '9')
			return false;
	}
	return port.ptr[0] == ':';
}

static size_t find_last(struct bl_str text, char c)
{
	size_t at = text.len;

	while (at && text.ptr[at - 1] != c)
		at--;
	return at ? at - 1 : SIZE_MAX;
}

/* Where the port with its colon begins: the length when absent. */
static size_t port_at(struct bl_str host)
{
	size_t close = find_last(host, ']'), colon = find_last(host, ':');

	if (host.len && host.ptr[0] == '[' && close != SIZE_MAX)
		return close + 1;
	return colon == SIZE_MAX ? host.len : colon;
}

/* text, when it has any, is quoted between the two. */
static bool refuse(struct uri *uri, const char *before, struct bl_str text,
		   const char *after)
{
	struct bl_buf quoted;

	bl_buf_init(&quoted, 0);
	if (text.ptr)
		bl_text_form_quote(&quoted, text);
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

static bool take_authority(struct bl_str authority, struct uri *uri)
{
	size_t at = find_last(authority, '@');
	struct bl_str user = { NULL, 0 }, port;

	if (at != SIZE_MAX)
		user = bl_str_slice(authority, 0, at);
	uri->host = bl_str_slice(authority, at + 1, authority.len);
	port = bl_str_slice(uri->host, port_at(uri->host), uri->host.len);
	if (uri->host.len && uri->host.ptr[0] == '[' &&
	    find_last(uri->host, ']') == SIZE_MAX)
		return say(uri, "missing ']' in host");
	if (!is_optional_port(port))
		return refuse(uri, "invalid port ", port, " after host");
	return check_escapes(uri, uri->host, PART_HOST) &&
	       check_user(uri, user);
}

/* As Go's url.Parse. */
static bool parse(struct bl_str text, struct uri *uri)
{
	struct bl_str first, rest;

	*uri = (struct uri){ 0 };
	for (size_t i = 0; i < text.len; i++) {
		if ((uint8_t)text.ptr[i] < ' ' || text.ptr[i] == 0x7F)
			return say(uri, "net/url: invalid control character "
					"in URL");
	}
	if (cut(&text, "#", &uri->fragment) &&
	    !check_escapes(uri, uri->fragment, PART_PATH))
		return false;
	if (!take_scheme(&text, &uri->scheme))
		return say(uri, "missing protocol scheme");
	cut(&text, "?", &uri->query);
	if (!bl_str_has_prefix(text, BL_STR("/"))) {
		if (uri->scheme.len)
			return true; /* mailto:name and such */
		first = text;
		cut(&first, "/", &rest);
		if (bl_str_find(first, BL_STR(":"), 0) != SIZE_MAX)
			return say(uri, "first path segment in URL cannot "
					"contain colon");
	}
	if (bl_str_has_prefix(text, BL_STR("//")) &&
	    (uri->scheme.len || !bl_str_has_prefix(text, BL_STR("///")))) {
		size_t slash = bl_str_find(text, BL_STR("/"), 2);

		if (!take_authority(bl_str_slice(text, 2, slash), uri))
			return false;
		text = bl_str_slice(text, slash == SIZE_MAX ? text.len : slash,
				    text.len);
	}
	uri->path = text;
	return check_escapes(uri, text, PART_PATH);
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
		code = bl_hex_value(path.ptr[i + 1]) * 16 +
		       bl_hex_value(path.ptr[i + 2]);
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
	struct bl_str text = bl_builtin_text(call, 0), name;
	struct uri_writer writer = { .call = call };
	struct uri uri;
	size_t port;

	if (!parse(text, &uri))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"parse \"%.*s\": %s", BL_STR_ARG(text),
					uri.problem);
	bl_object_builder_init(&writer.object, call->arena);
	port = port_at(uri.host);
	name = bl_str_slice(uri.host, 0, port);
	if (name.len > 1 && name.ptr[0] == '[')
		name = bl_str_slice(name, 1, name.len - 1);
	if (uri.scheme.len)
		bl_object_builder_add(&writer.object, BL_STR("scheme"),
				      lower(call, uri.scheme));
	add_part(&writer, "hostname", name, PART_HOST);
	add_text(&writer, "port",
		 bl_str_slice(uri.host, port + 1, uri.host.len));
	add_part(&writer, "path", uri.path, PART_PATH);
	/* Go keeps the written path only where it is not the usual one. */
	if (is_usual_path(uri.path))
		add_part(&writer, "raw_path", uri.path, PART_PATH);
	else
		add_text(&writer, "raw_path", uri.path);
	add_text(&writer, "raw_query", uri.query);
	add_part(&writer, "fragment", uri.fragment, PART_PATH);
	return bl_builtin_return(call, bl_object_builder_end(&writer.object));
}

bool bl_fn_uri_is_valid(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);
	struct uri uri;

	return bl_builtin_return_boolean(call, text.len && parse(text, &uri));
}

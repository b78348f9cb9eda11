/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body.c: what a request carries: bodies packed by gzip, bodies in JSON, fields
 * of forms and queries, cookies.  Each byte of it is a stranger's.
 */
#include "http/server/private.h"

#include <zlib.h>

#include "base/hex.h"
#include "base/utf8.h"
#include "json/json.h"

enum { PIECE_BYTES = 16384, GZIP_WINDOW_BITS = 15 + 16 };

/* Inflates into out until the end, an error, or more than out may hold. */
static int inflate_into(z_stream *stream, struct bl_buf *out)
{
	char piece[PIECE_BYTES];
	int result = Z_OK;

	while (result == Z_OK) {
		stream->next_out = (Bytef *)piece;
		stream->avail_out = sizeof(piece);
		result = inflate(stream, Z_NO_FLUSH);
		bl_buf_put(out, piece, sizeof(piece) - stream->avail_out);
		if (bl_buf_status(out))
			return 413;
	}
	/* A second member, or rubbish behind the first, is not taken. */
	return result == Z_STREAM_END && !stream->avail_in ? 0 : 400;
}

int server_unzip(struct server_request *request)
{
	struct bl_str encoding =
		bl_server_header(&request->open, "Content-Encoding");
	struct bl_str body = request->open.body;
	z_stream stream = { 0 };
	struct bl_buf out;
	int refused;

	if (!encoding.len || bl_str_is(encoding, "identity"))
		return 0;
	if (!bl_str_is(encoding, "gzip"))
		return 415;
	if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK)
		return 503;
	bl_buf_init(&out, request->open.route->max_body);
	stream.next_in = (Bytef *)(uintptr_t)body.ptr;
	stream.avail_in = (uInt)body.len;
	refused = inflate_into(&stream, &out);
	inflateEnd(&stream);
	if (refused) {
		bl_buf_clear(&out);
		return refused;
	}
	bl_buf_clear(&request->taken);
	request->taken = out;
	request->open.body = bl_buf_str(&request->taken);
	return 0;
}

/* ---- JSON ----------------------------------------------------------------- */

bool bl_server_is_json(const struct bl_server_request *request)
{
	struct bl_str type = bl_server_header(request, "Content-Type");
	size_t end = bl_str_find(type, BL_STR(";"), 0);

	return bl_str_is(bl_str_trim(bl_str_slice(type, 0, end)),
			 "application/json");
}

enum bl_status bl_server_read_object(struct bl_server_request *request,
				     struct bl_value *out_object,
				     struct bl_error *err)
{
	struct bl_json_report report;
	struct bl_value body;
	enum bl_status status = bl_json_read(&request->arena, request->body,
					     NULL, &body, &report, NULL, err);

	if (status)
		return status;
	if (report.repeated_key_count)
		return bl_fail(err, BL_INVALID, "\"%.*s\" is given twice",
			       BL_STR_ARG(report.repeated_key));
	if (!bl_value_is(body, BL_KIND_OBJECT))
		return bl_fail(err, BL_INVALID,
			       "the body is not a JSON object");
	*out_object = body;
	return BL_OK;
}

/* ---- fields --------------------------------------------------------------- */

/* Decodes one value into out (of at least len bytes); SIZE_MAX: malformed. */
static size_t decode(struct bl_str text, char *out)
{
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '%') {
			int32_t byte = bl_hex_read(text, i + 1, 2);

			if (byte <= 0)
				return SIZE_MAX;
			c = (char)byte;
			i += 2;
		} else if (c == '+') {
			c = ' ';
		}
		out[len++] = c;
	}
	return len;
}

static struct bl_str decode_field(struct bl_server_request *request,
				  struct bl_str text)
{
	struct bl_str field = { NULL, 0 };
	char *out = bl_arena_alloc(&request->arena, text.len + 1);

	if (!out)
		return field;
	field.len = decode(text, out);
	if (field.len == SIZE_MAX)
		return (struct bl_str){ NULL, 0 };
	out[field.len] = '\0';
	field.ptr = out;
	if (!bl_utf8_is_valid(field))
		return (struct bl_str){ NULL, 0 };
	return field;
}

struct bl_str bl_server_field(struct bl_server_request *request,
			      struct bl_str form, const char *name)
{
	struct bl_str wanted = bl_str(name);
	struct bl_str found = { NULL, 0 };
	size_t at = 0;

	while (at < form.len) {
		size_t end = bl_str_find(form, BL_STR("&"), at);
		struct bl_str pair = bl_str_slice(form, at, end);
		size_t equal = bl_str_find(pair, BL_STR("="), 0);

		at = end == SIZE_MAX ? form.len : end + 1;
		if (equal == SIZE_MAX ||
		    !bl_str_equal(bl_str_slice(pair, 0, equal), wanted))
			continue;
		if (found.ptr)
			return (struct bl_str){ NULL, 0 };
		found = bl_str_slice(pair, equal + 1, SIZE_MAX);
		if (!found.ptr)
			found.ptr = "";
	}
	return found.ptr ? decode_field(request, found) : found;
}

struct bl_str bl_server_cookie(const struct bl_server_request *request,
			       const char *name)
{
	struct bl_str header = bl_server_header(request, "Cookie");
	struct bl_str wanted = bl_str(name);
	size_t at = 0;

	while (at < header.len) {
		size_t end = bl_str_find(header, BL_STR(";"), at);
		struct bl_str pair = bl_str_trim(bl_str_slice(header, at, end));

		at = end == SIZE_MAX ? header.len : end + 1;
		if (pair.len > wanted.len && bl_str_has_prefix(pair, wanted) &&
		    pair.ptr[wanted.len] == '=')
			return bl_str_slice(pair, wanted.len + 1, SIZE_MAX);
	}
	return (struct bl_str){ NULL, 0 };
}

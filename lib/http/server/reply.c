/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.c: what programs with pages answer: texts, failures as JSON, and the files
 * of the pages, which are a part of the program and hold no data.
 */
#include "http/server/private.h"

#include "json/json.h"

/* ---- texts and failures --------------------------------------------------- */

enum bl_status bl_server_reply_text(struct bl_server_request *request,
				    struct bl_server_reply *reply,
				    const char *type, const struct bl_buf *text,
				    struct bl_error *err)
{
	if (bl_buf_status(text))
		return bl_fail_memory(err);
	reply->type = type;
	reply->body = bl_arena_copy_str(&request->arena, bl_buf_str(text));
	return reply->body.ptr ? BL_OK : bl_fail_memory(err);
}

int bl_server_http_status(enum bl_status status)
{
	static const struct {
		enum bl_status status;
		int http;
	} statuses[] = {
		{ BL_OK, 200 },          { BL_USAGE, 400 },
		{ BL_SYNTAX, 400 },      { BL_INVALID, 400 },
		{ BL_CONFIG, 400 },      { BL_NOT_FOUND, 404 },
		{ BL_EXISTS, 409 },      { BL_DENIED, 403 },
		{ BL_UNSUPPORTED, 501 }, { BL_NO_MEMORY, 503 },
		{ BL_SYSTEM, 503 },      { BL_LIMIT, 507 },
		{ BL_TIMEOUT, 503 },
	};

	for (size_t i = 0; i < BL_COUNT(statuses); i++)
		if (statuses[i].status == status)
			return statuses[i].http;
	return 500;
}

/* Connect's words. */
static const char *word_of(int http_status)
{
	static const struct {
		int http;
		const char *word;
	} words[] = {
		{ 400, "invalid_argument" },   { 401, "unauthenticated" },
		{ 403, "permission_denied" },  { 404, "not_found" },
		{ 405, "unimplemented" },      { 409, "already_exists" },
		{ 413, "resource_exhausted" }, { 415, "unimplemented" },
		{ 429, "resource_exhausted" }, { 501, "unimplemented" },
		{ 503, "unavailable" },        { 507, "unavailable" },
	};

	for (size_t i = 0; i < BL_COUNT(words); i++)
		if (words[i].http == http_status)
			return words[i].word;
	return "unknown";
}

void bl_server_reply_error(struct bl_server_request *request,
			   struct bl_server_reply *reply, int http_status,
			   const char *message)
{
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_buf_printf(&out,
		      "{\"code\":\"%s\",\"message\":", word_of(http_status));
	bl_json_write_string(&out, bl_str(message));
	bl_buf_puts(&out, "}\n");
	reply->status = http_status;
	if (bl_server_reply_text(request, reply, "application/json", &out,
				 NULL))
		reply->is_out_of_memory = true;
	bl_buf_clear(&out);
	if (http_status == 503 || http_status == 507)
		bl_server_reply_header(reply, "Retry-After", "30");
}

/* ---- pages ---------------------------------------------------------------- */

static enum bl_status send_file(struct bl_server_reply *reply,
				const struct bl_server_file *file)
{
	static const struct {
		const char *ending;
		const char *type;
	} types[] = {
		{ ".html", "text/html; charset=utf-8" },
		{ ".css", "text/css; charset=utf-8" },
		{ ".js", "text/javascript; charset=utf-8" },
	};

	for (size_t i = 0; i < BL_COUNT(types); i++)
		if (bl_str_has_suffix(bl_str(file->name),
				      bl_str(types[i].ending)))
			reply->type = types[i].type;
	reply->body = bl_str(file->text);
	return BL_OK;
}

static enum bl_status send_named(struct bl_server_reply *reply,
				 const struct bl_server_pages *pages,
				 struct bl_str name, struct bl_error *err)
{
	const struct bl_server_file *file = pages->files;

	while (file->name && !bl_str_is(name, file->name))
		file++;
	return file->name
		       ? send_file(reply, file)
		       : bl_fail(err, BL_NOT_FOUND, "there is no such asset");
}

enum bl_status bl_server_reply_asset(const struct bl_server_request *request,
				     struct bl_server_reply *reply,
				     const struct bl_server_pages *pages,
				     struct bl_error *err)
{
	return send_named(reply, pages, request->parts[0], err);
}

enum bl_status bl_server_reply_page(const struct bl_server_request *request,
				    struct bl_server_reply *reply,
				    const struct bl_server_pages *pages,
				    struct bl_error *err)
{
	struct bl_str part = request->parts[0];
	const char *const *path = pages->paths;

	while (*path && !bl_str_is(part, *path))
		path++;
	return *path || !part.len
		       ? send_named(reply, pages, BL_STR("index.html"), err)
		       : bl_fail(err, BL_NOT_FOUND, "there is no such page");
}

void bl_server_reply_page_headers(struct bl_server_reply *reply)
{
	static const struct {
		const char *name;
		const char *value;
	} headers[] = {
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Permissions-Policy",
		  "camera=(), geolocation=(), microphone=()" },
	};

	for (size_t i = 0; i < BL_COUNT(headers); i++)
		bl_server_reply_header(reply, headers[i].name,
				       headers[i].value);
}

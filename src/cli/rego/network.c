/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How policies of rego eval, test and bench reach other machines: by lib/http.
 * Any number of threads may send at once.
 */
#include "cli/rego/network.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <time.h>

#include "cli/rego/files.h"
#include "http/http.h"
#include "json/json.h"
#include "os/os.h"

enum {
	MAX_PEM_BYTES = 1 << 20,
	MAX_FILE_BYTES = 16 << 20,
	MAX_ADDRESSES = 1024,
	FIRST_DELAY_MS = 100,
	SLICE_MS = 50,
	MS_NS = 1000000,
};

/* ---- capabilities ------------------------------------------------------------ */

/* A file; or, where there is no such file, a release of OPA. */
static enum bl_status read_capabilities_value(struct cli *cli,
					      struct bl_str path,
					      struct bl_value *out_value,
					      struct bl_error *err)
{
	struct bl_str text;
	enum bl_status status = bl_os_read_file(path, 0, MAX_FILE_BYTES,
						&cli->arena, &text, NULL, err);

	if (status == BL_NOT_FOUND && bl_rego_is_release(path))
		return bl_rego_release_capabilities(&cli->arena, path,
						    out_value, err);
	if (status == BL_NOT_FOUND)
		return bl_fail(err, BL_NOT_FOUND,
			       "--capabilities takes a file or a release "
			       "('v1.22.3'), and '%.*s' is neither ('belay "
			       "rego capabilities' prints one to start from)",
			       BL_STR_ARG(path));
	return status ? status
		      : cli_parse_data(cli, path, text, out_value, err);
}

enum bl_status
cli_read_capabilities(struct cli *cli, size_t option,
		      const struct bl_rego_capabilities **out_capabilities,
		      struct bl_error *err)
{
	struct bl_str path = cli_value(cli, option);
	struct bl_value value;
	struct bl_error why = { 0 };
	enum bl_status status;

	*out_capabilities = NULL;
	if (!cli_has(cli, option))
		return BL_OK;
	status = read_capabilities_value(cli, path, &value, err);
	if (status)
		return status;
	status = bl_rego_read_capabilities(&cli->arena, value, out_capabilities,
					   &why);
	return status ? bl_fail(err, status, "%.*s: %s", BL_STR_ARG(path),
				why.message)
		      : BL_OK;
}

/* ---- PEM --------------------------------------------------------------------- */

/* A request that cannot be sent as it is, or memory. */
static bool refuse(struct bl_rego_http_answer *answer, struct bl_str error)
{
	answer->end = error.ptr ? BL_REGO_HTTP_INVALID : BL_REGO_HTTP_NO_MEMORY;
	answer->error = error;
	return false;
}

/* "\n" in a text stands for a line end, as for OPA. */
static struct bl_str with_line_ends(struct bl_arena *arena, struct bl_str text)
{
	struct bl_buf out;
	struct bl_str copy;

	bl_buf_init(&out, 0);
	for (size_t i = 0; i < text.len; i++) {
		bool escaped = text.ptr[i] == '\\' && i + 1 < text.len &&
			       text.ptr[i + 1] == 'n';

		bl_buf_put_char(&out, escaped ? '\n' : text.ptr[i]);
		i += escaped;
	}
	copy = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return copy;
}

static bool read_pem_file(struct bl_arena *arena, struct bl_str path,
			  struct bl_str *out_text,
			  struct bl_rego_http_answer *answer)
{
	struct bl_error err = { 0 };

	if (!bl_os_read_file(path, 0, MAX_PEM_BYTES, arena, out_text, NULL,
			     &err))
		return true;
	return refuse(answer, bl_arena_printf(arena, "%s", err.message));
}

static struct bl_str read_variable(struct bl_arena *arena, struct bl_str name)
{
	struct bl_str copy = bl_arena_copy_str(arena, name);

	return copy.ptr ? bl_os_getenv(copy.ptr) : copy;
}

/* Certificates from all places that are given, one after the other. */
static bool read_authorities(struct bl_arena *arena,
			     const struct bl_rego_pem *pem,
			     struct bl_str *out_text,
			     struct bl_rego_http_answer *answer)
{
	struct bl_str parts[3] = { with_line_ends(arena, pem->text) };

	*out_text = (struct bl_str){ 0 };
	if (!pem->text.len && !pem->file.len && !pem->variable.len)
		return true;
	if (pem->file.len &&
	    !read_pem_file(arena, pem->file, &parts[1], answer))
		return false;
	if (pem->variable.len)
		parts[2] = read_variable(arena, pem->variable);
	*out_text =
		bl_arena_printf(arena, "%.*s\n%.*s\n%.*s", BL_STR_ARG(parts[0]),
				BL_STR_ARG(parts[1]), BL_STR_ARG(parts[2]));
	if (!out_text->ptr)
		return refuse(answer, *out_text);
	if (bl_str_find(*out_text, BL_STR("-----BEGIN"), 0) == SIZE_MAX)
		return refuse(answer, BL_STR("could not append certificates"));
	return true;
}

/* The first place that both are given in: text, file, variable. */
static bool read_identity(struct bl_arena *arena,
			  const struct bl_rego_http_request *request,
			  struct bl_http_call *call,
			  struct bl_rego_http_answer *answer)
{
	const struct bl_rego_pem *cert = &request->client_cert;
	const struct bl_rego_pem *key = &request->client_key;

	if (cert->text.len && key->text.len) {
		call->client_cert = cert->text;
		call->client_key = key->text;
	} else if (cert->file.len && key->file.len) {
		return read_pem_file(arena, cert->file, &call->client_cert,
				     answer) &&
		       read_pem_file(arena, key->file, &call->client_key,
				     answer);
	} else if (cert->variable.len && key->variable.len) {
		call->client_cert = read_variable(arena, cert->variable);
		call->client_key = read_variable(arena, key->variable);
		if (!call->client_cert.len || !call->client_key.len)
			return refuse(
				answer,
				bl_arena_printf(
					arena,
					"cannot extract public/private key "
					"pair from envvars \"%.*s\", \"%.*s\"",
					BL_STR_ARG(cert->variable),
					BL_STR_ARG(key->variable)));
	}
	return true;
}

/* ---- headers ------------------------------------------------------------------- */

static bool is_name(struct bl_str a, const char *name)
{
	size_t i = 0;

	for (; i < a.len && name[i]; i++) {
		char c = a.ptr[i];

		if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != name[i])
			return false;
	}
	return i == a.len && !name[i];
}

/* Headers that libcurl would add by itself, with their values unless given. */
static const struct {
	const char *name;
	const char *line;
} usual[] = {
	{ "accept", "Accept:" },
	{ "content-type", "Content-Type:" },
	{ "expect", "Expect:" },
	{ "user-agent", "User-Agent: belay/" BELAY_VERSION },
};

/* Where the message ends is not for policies to say (as in Go). */
static bool is_framing(struct bl_str name)
{
	return is_name(name, "content-length") ||
	       is_name(name, "transfer-encoding") || is_name(name, "trailer");
}

static bool has_header(const struct bl_rego_http_request *request,
		       const char *name)
{
	for (size_t i = 0; i < request->header_count; i++)
		if (is_name(request->headers[i].name, name))
			return true;
	return false;
}

/* NULL: no memory.  host: a line to be added, or NULL. */
static const char *const *
header_lines(struct bl_arena *arena, const struct bl_rego_http_request *request,
	     const char *host)
{
	const char **lines = bl_arena_new_array(arena, const char *,
						request->header_count + 8);
	size_t count = 0;

	for (size_t i = 0; lines && i < request->header_count; i++) {
		const struct bl_rego_header *header = &request->headers[i];
		struct bl_str line =
			header->value.len
				? bl_arena_printf(arena, "%.*s: %.*s",
						  BL_STR_ARG(header->name),
						  BL_STR_ARG(header->value))
				: bl_arena_printf(arena, "%.*s;",
						  BL_STR_ARG(header->name));

		if (is_framing(header->name))
			continue;
		if (!line.ptr)
			return NULL;
		lines[count++] = line.ptr;
	}
	for (size_t i = 0; lines && i < BL_COUNT(usual); i++)
		if (!has_header(request, usual[i].name))
			lines[count++] = usual[i].line;
	if (lines && host && !has_header(request, "host"))
		lines[count++] = host;
	return lines;
}

/* ---- a server by another name ---------------------------------------------------- */

static bool is_server_name(struct bl_str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '_')
			return false;
	}
	return name.len > 0 && name.len < 256;
}

/*
 * libcurl verifies the host of the URL: so that is the name that the policy
 * wants to see, and the connection goes to the host that it asked for.
 */
static bool rename_server(struct bl_arena *arena,
			  const struct bl_rego_http_request *request,
			  struct bl_http_call *call, const char **out_host)
{
	struct bl_str name = request->server_name;
	bool v6 = bl_str_find(request->host, BL_STR(":"), 0) != SIZE_MAX;
	size_t path =
		bl_str_find(request->url, BL_STR("/"), strlen("https://"));
	struct bl_str authority =
		bl_str_slice(request->url, strlen("https://"), path);
	struct bl_str host;
	struct bl_str place;
	struct bl_str url;
	struct bl_str target;

	/* The name may come from a "Host" header, with a port. */
	name = bl_str_slice(name, 0, bl_str_find(name, BL_STR(":"), 0));
	if (!request->is_tls || !is_server_name(name) ||
	    bl_str_equal(name, request->host))
		return true;
	host = bl_arena_printf(arena, "Host: %.*s", BL_STR_ARG(authority));
	place = bl_arena_printf(arena, v6 ? "[%.*s]" : "%.*s",
				BL_STR_ARG(request->host));
	target = bl_str_slice(request->url, path, SIZE_MAX);
	url = bl_arena_printf(arena, "https://%.*s%s%.*s%.*s", BL_STR_ARG(name),
			      request->port.len ? ":" : "",
			      BL_STR_ARG(request->port), BL_STR_ARG(target));
	*out_host = host.ptr;
	call->connect_to = place.ptr;
	call->url = url.ptr;
	return host.ptr && place.ptr && url.ptr;
}

/* ---- sending ---------------------------------------------------------------------- */

static bool make_call(struct bl_arena *arena,
		      const struct bl_rego_http_request *request,
		      struct bl_http_call *call,
		      struct bl_rego_http_answer *answer)
{
	struct bl_str method = bl_arena_copy_str(arena, request->method);
	struct bl_str url = bl_arena_copy_str(arena, request->url);
	const char *host = NULL;

	*call = (struct bl_http_call){
		.method = method.ptr,
		.url = url.ptr,
		.body = request->body,
		.timeout_ms =
			(uint32_t)((request->timeout_ns + MS_NS - 1) / MS_NS),
		.max_answer_bytes = request->max_answer_bytes,
		.system_certs = request->system_certs,
		.skip_verify = request->skip_verify,
		.is_over = request->is_over,
		.context = request->is_over_context,
	};
	if (!read_authorities(arena, &request->ca, &call->ca, answer) ||
	    !read_identity(arena, request, call, answer))
		return false;
	if (!method.ptr || !url.ptr ||
	    !rename_server(arena, request, call, &host))
		return refuse(answer, (struct bl_str){ 0 });
	call->headers = header_lines(arena, request, host);
	return call->headers || refuse(answer, (struct bl_str){ 0 });
}

/* Status line and headers. */
static bool read_head(struct bl_arena *arena, struct bl_str head,
		      struct bl_rego_http_answer *answer)
{
	struct bl_rego_header *headers = bl_arena_new_array(
		arena, struct bl_rego_header, BL_REGO_HTTP_MAX_HEADERS);
	size_t at = bl_str_find(head, BL_STR("\n"), 0);
	struct bl_str line = bl_str_trim(bl_str_slice(head, 0, at));
	size_t space = bl_str_find(line, BL_STR(" "), 0);

	if (!headers)
		return false;
	space = bl_str_find(line, BL_STR(" "), space + 1);
	if (space != SIZE_MAX)
		answer->reason = bl_str_slice(line, space + 1, line.len);
	while (at < head.len &&
	       answer->header_count < BL_REGO_HTTP_MAX_HEADERS) {
		size_t end = bl_str_find(head, BL_STR("\n"), at + 1);
		size_t colon;

		line = bl_str_trim(bl_str_slice(head, at + 1, end));
		colon = bl_str_find(line, BL_STR(":"), 0);
		at = end;
		if (colon == SIZE_MAX)
			continue;
		headers[answer->header_count++] = (struct bl_rego_header){
			bl_str_slice(line, 0, colon),
			bl_str_trim(bl_str_slice(line, colon + 1, line.len)),
		};
	}
	answer->headers = headers;
	return true;
}

static void note_reply(struct bl_arena *arena,
		       const struct bl_http_reply *reply,
		       struct bl_rego_http_answer *answer)
{
	static const enum bl_rego_http_end ends[] = {
		[BL_HTTP_ANSWERED] = BL_REGO_HTTP_ANSWERED,
		[BL_HTTP_TIMED_OUT] = BL_REGO_HTTP_TIMED_OUT,
		[BL_HTTP_TOO_MUCH] = BL_REGO_HTTP_TOO_LARGE,
		[BL_HTTP_NOT_ALLOWED] = BL_REGO_HTTP_FAILED,
		[BL_HTTP_NOT_CONNECTED] = BL_REGO_HTTP_FAILED,
		[BL_HTTP_BROKEN] = BL_REGO_HTTP_FAILED,
		[BL_HTTP_NO_CLIENT] = BL_REGO_HTTP_FAILED,
	};

	*answer = (struct bl_rego_http_answer){
		.end = reply->is_over ? BL_REGO_HTTP_OVER : ends[reply->end],
		.error = bl_arena_copy_str(arena, bl_str(reply->error)),
		.status = (uint32_t)reply->status,
		.body = reply->body,
	};
	if (reply->end == BL_HTTP_ANSWERED &&
	    !read_head(arena, reply->head, answer))
		answer->end = BL_REGO_HTTP_NO_MEMORY;
}

/* Waits; false when the evaluation is over meanwhile. */
static bool wait_ms(const struct bl_rego_http_request *request, int64_t ms)
{
	const struct timespec slice = { .tv_nsec = (long)SLICE_MS * MS_NS };

	for (; ms > 0; ms -= SLICE_MS) {
		if (request->is_over &&
		    request->is_over(request->is_over_context))
			return false;
		nanosleep(&slice, NULL);
	}
	return true;
}

static void send_request(void *context,
			 const struct bl_rego_http_request *request,
			 struct bl_arena *arena,
			 struct bl_rego_http_answer *answer)
{
	const struct cli_network *network = context;
	struct bl_http_call call;
	struct bl_http_reply reply;
	struct bl_error err = { 0 };
	int64_t delay_ms = FIRST_DELAY_MS;

	if (!make_call(arena, request, &call, answer))
		return;
	for (uint32_t tried = 0;; tried++) {
		enum bl_status status = bl_http_exchange(network->client, &call,
							 arena, &reply, &err);

		if (status) {
			struct bl_str why = { 0 };

			if (status != BL_NO_MEMORY)
				why = bl_arena_copy_str(arena,
							bl_str(err.message));
			refuse(answer, why);
			return;
		}
		note_reply(arena, &reply, answer);
		if ((answer->end != BL_REGO_HTTP_FAILED &&
		     answer->end != BL_REGO_HTTP_TIMED_OUT) ||
		    tried == request->retries)
			return;
		if (!wait_ms(request, delay_ms)) {
			answer->end = BL_REGO_HTTP_OVER;
			return;
		}
		delay_ms *= 2;
	}
}

/* ---- names ------------------------------------------------------------------------ */

static struct bl_value address_value(struct bl_arena *arena,
				     const struct addrinfo *found)
{
	char text[NI_MAXHOST];

	if (getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof(text),
			NULL, 0, NI_NUMERICHOST))
		return bl_value_undefined();
	return bl_value_printf(arena, "%s", text);
}

static bool lookup(void *context, struct bl_str name, struct bl_arena *arena,
		   struct bl_value *out_set, struct bl_str *out_error)
{
	static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct bl_str copy = bl_arena_copy_str(arena, name);
	struct addrinfo *found = NULL;
	struct bl_array_builder list;
	size_t count = 0;

	(void)context;
	*out_error = BL_STR("no such host");
	if (!copy.ptr || getaddrinfo(copy.ptr, NULL, &hints, &found) != 0)
		return false;
	bl_array_builder_init(&list, arena);
	for (struct addrinfo *at = found; at && count < MAX_ADDRESSES;
	     at = at->ai_next, count++) {
		struct bl_value text = address_value(arena, at);

		if (bl_value_is_defined(text))
			bl_array_builder_add(&list, text);
	}
	freeaddrinfo(found);
	*out_set = bl_set_make(arena, list.items, list.count);
	*out_error = BL_STR("out of memory");
	return bl_value_is_defined(*out_set);
}

/* ---- on and off -------------------------------------------------------------------- */

enum bl_status cli_network_init(struct cli_network *network, struct cli *cli,
				size_t option,
				const struct bl_rego_capabilities *capabilities,
				struct bl_error *err)
{
	const struct cli_given *given = &cli->given[option];
	size_t count;
	const struct bl_str *more = bl_rego_allowed_hosts(capabilities, &count);
	struct bl_str *hosts = bl_arena_new_array(&cli->arena, struct bl_str,
						  count + given->count + 1);
	enum bl_status status;

	*network = (struct cli_network){ .use = NULL };
	if (!hosts)
		return bl_arena_fail(&cli->arena, err);
	for (size_t i = 0; i < given->count; i++)
		hosts[i] = given->values[i];
	if (count)
		memcpy(hosts + given->count, more, count * sizeof(*hosts));
	if (!count && !given->count)
		return BL_OK;
	status = bl_http_client_new(&network->client, err);
	if (status)
		return status;
	network->network = (struct bl_rego_network){
		.hosts = hosts,
		.host_count = count + given->count,
		.context = network,
		.send = send_request,
		.lookup = lookup,
	};
	network->use = &network->network;
	return BL_OK;
}

void cli_network_clear(struct cli_network *network)
{
	network->client = bl_http_client_free(network->client);
	network->use = NULL;
}

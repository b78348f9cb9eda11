/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci.c: a bundle from a registry, by OCI's distribution API.
 *
 *     HEAD /v2/NAME/manifests/TAG            the manifest's digest: the ETag
 *     GET  /v2/NAME/manifests/sha256:DIGEST  its layers
 *     GET  /v2/NAME/blobs/sha256:DIGEST      the first layer that is an archive
 *
 * All bytes are compared with the digest that names them, so a blob may come from
 * wherever the registry sends us.  A registry that answers 401 says where to get a
 * token (the distribution project's "token authentication"): it is asked for with the
 * service's credentials, and good for this one sync.
 */
#include "base/hex.h"
#include "opa/private.h"

enum {
	OCI_TIMEOUT_MS = 30 * 1000,
	MAX_MANIFEST_BYTES = 4 * 1024 * 1024,
	MAX_TOKEN_ANSWER_BYTES = 256 * 1024,
	MAX_NAME_BYTES = 255,
	MAX_TAG_BYTES = 128,
	MAX_HOPS = 3, /* to where a blob is */
	HTTP_OK = 200,
	HTTP_UNAUTHORIZED = 401,
};

#define ARCHIVE_TYPE "application/vnd.oci.image.layer.v1.tar+gzip"
#define MANIFEST_ACCEPT                                                        \
	"Accept: application/vnd.oci.image.manifest.v1+json, "                 \
	"application/vnd.docker.distribution.manifest.v2+json"
#define DIGEST_PREFIX "sha256:"

struct registry {
	struct opa_sync *sync;
	struct opa_oci_name name;
	const char *authorization; /* what the token server gave; NULL: none */
};

/* ---- names ---------------------------------------------------------------------- */

static bool has_only(struct bl_str text, const char *marks)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		      (c && strchr(marks, c))))
			return false;
	}
	return true;
}

static bool is_digest(struct bl_str text)
{
	uint8_t bytes[BL_SHA256_BYTES];

	return bl_str_has_prefix(text, BL_STR(DIGEST_PREFIX)) &&
	       text.len ==
		       sizeof(DIGEST_PREFIX) - 1 + BL_SHA256_HEX_BYTES - 1 &&
	       bl_hex_decode(
		       bl_str_slice(text, sizeof(DIGEST_PREFIX) - 1, SIZE_MAX),
		       bytes, sizeof(bytes));
}

static bool is_tag(struct bl_str text)
{
	return text.len && text.len <= MAX_TAG_BYTES && text.ptr[0] != '.' &&
	       text.ptr[0] != '-' &&
	       has_only(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-");
}

bool opa_oci_parse(struct bl_str resource, struct opa_oci_name *out)
{
	size_t slash = bl_str_find(resource, BL_STR("/"), 0);
	struct bl_str rest;
	size_t mark;

	if (slash == SIZE_MAX || !slash)
		return false;
	rest = bl_str_slice(resource, slash + 1, SIZE_MAX);
	mark = bl_str_find(rest, BL_STR("@"), 0);
	if (mark == SIZE_MAX)
		mark = bl_str_find(rest, BL_STR(":"), 0);
	if (mark == SIZE_MAX)
		return false;
	out->repository = bl_str_slice(rest, 0, mark);
	out->reference = bl_str_slice(rest, mark + 1, SIZE_MAX);
	return out->repository.len && out->repository.len <= MAX_NAME_BYTES &&
	       has_only(out->repository, "._-/") &&
	       bl_str_find(out->repository, BL_STR(".."), 0) == SIZE_MAX &&
	       (rest.ptr[mark] == '@' ? is_digest(out->reference)
				      : is_tag(out->reference));
}

/* ---- a token -------------------------------------------------------------------- */

/* The value of NAME="VALUE" in a challenge; ptr NULL: it is not there. */
static struct bl_str parameter(struct bl_str challenge, const char *name)
{
	struct bl_str wanted = bl_str(name);
	size_t at = 0;

	for (;;) {
		size_t end;
		struct bl_str rest;

		at = bl_str_find(challenge, wanted, at);
		if (at == SIZE_MAX)
			return (struct bl_str){ NULL, 0 };
		rest = bl_str_slice(challenge, at + wanted.len, SIZE_MAX);
		if ((at == 0 || challenge.ptr[at - 1] == ' ' ||
		     challenge.ptr[at - 1] == ',') &&
		    bl_str_has_prefix(rest, BL_STR("=\""))) {
			end = bl_str_find(rest, BL_STR("\""), 2);
			return end == SIZE_MAX ? (struct bl_str){ NULL, 0 }
					       : bl_str_slice(rest, 2, end);
		}
		at += wanted.len;
	}
}

/* May we go there?  TLS, unless the registry itself is this machine. */
static bool is_safe_url(const struct registry *registry, struct bl_str url)
{
	struct bl_http_url parsed;
	bool is_plain = bl_str_has_prefix(registry->sync->config->service->url,
					  BL_STR("http://"));

	return !bl_http_url_parse(url, registry->sync->arena, &parsed, NULL) &&
	       (!parsed.is_plain || is_plain);
}

static struct bl_str token_url(const struct registry *registry,
			       struct bl_str challenge)
{
	struct bl_str realm = parameter(challenge, "realm");
	struct bl_str service = parameter(challenge, "service");
	bool has_query = bl_str_find(realm, BL_STR("?"), 0) != SIZE_MAX;
	struct bl_str url = { NULL, 0 };
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_buf_printf(&out, "%.*s%cscope=repository%%3A", BL_STR_ARG(realm),
		      has_query ? '&' : '?');
	bl_http_put_escaped(&out, registry->name.repository);
	bl_buf_puts(&out, "%3Apull");
	if (service.len) {
		bl_buf_puts(&out, "&service=");
		bl_http_put_escaped(&out, service);
	}
	if (!bl_buf_status(&out))
		url = bl_arena_copy_str(registry->sync->arena,
					bl_buf_str(&out));
	bl_buf_clear(&out);
	return url;
}

static enum bl_status take_token(struct registry *registry,
				 const struct bl_http_reply *reply)
{
	struct opa_sync *sync = registry->sync;
	struct bl_value answer = bl_value_undefined();
	struct bl_str token;

	if (reply->end != BL_HTTP_ANSWERED || reply->status != HTTP_OK)
		return opa_judge_failure(sync, reply);
	(void)bl_json_read(sync->arena, reply->body, NULL, &answer, NULL, NULL,
			   NULL);
	token = bl_value_text(bl_object_find(answer, BL_STR("token")));
	if (!token.len)
		token = bl_value_text(
			bl_object_find(answer, BL_STR("access_token")));
	if (!token.len || !opa_is_one_word(token))
		return opa_refuse(sync, BL_TEAM_UNREACHABLE,
				  "%.*s: its token server answers without a "
				  "token",
				  BL_STR_ARG(sync->state->url));
	registry->authorization =
		bl_arena_printf(sync->arena, "Authorization: Bearer %.*s",
				BL_STR_ARG(token))
			.ptr;
	return registry->authorization ? BL_OK
				       : bl_arena_fail(sync->arena, sync->err);
}

/* The service's own credentials go to the token server: USER:PASSWORD. */
static enum bl_status sign_in(struct registry *registry,
			      struct bl_str challenge)
{
	struct opa_sync *sync = registry->sync;
	const char *const headers[] = { "Accept: application/json", NULL };
	struct opa_request request = {
		.service = sync->config->service,
		.url = token_url(registry, challenge),
		.is_shown = true,
		.method = "GET",
		.headers = headers,
		.max_bytes = MAX_TOKEN_ANSWER_BYTES,
		.timeout_ms = OCI_TIMEOUT_MS,
	};
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status;

	if (!request.url.ptr)
		return bl_arena_fail(sync->arena, sync->err);
	if (!is_safe_url(registry, request.url))
		return opa_refuse(sync, BL_TEAM_UNREACHABLE,
				  "%.*s: its token server is not one with "
				  "https",
				  BL_STR_ARG(sync->state->url));
	status = opa_call(sync->client, &request, sync->arena, &reply,
			  sync->err);
	return status ? status : take_token(registry, &reply);
}

/* ---- requests ------------------------------------------------------------------- */

struct question {
	const char *method;
	const char *kind; /* "manifests", "blobs" */
	struct bl_str reference;
	size_t max_bytes;
};

static enum bl_status ask(struct registry *registry,
			  const struct question *question,
			  struct bl_http_reply *out)
{
	struct opa_sync *sync = registry->sync;
	const char *const headers[] = { MANIFEST_ACCEPT, NULL };
	struct opa_request request = {
		.service = sync->config->service,
		.resource = bl_arena_printf(
			sync->arena, "v2/%.*s/%s/%.*s",
			BL_STR_ARG(registry->name.repository), question->kind,
			BL_STR_ARG(question->reference)),
		.authorization = registry->authorization,
		.method = question->method,
		.headers = headers,
		.max_bytes = question->max_bytes,
		.timeout_ms = OCI_TIMEOUT_MS,
	};

	return request.resource.ptr ? opa_call(sync->client, &request,
					       sync->arena, out, sync->err)
				    : bl_arena_fail(sync->arena, sync->err);
}

static bool is_redirect(const struct bl_http_reply *reply)
{
	static const int statuses[] = { 301, 302, 303, 307, 308 };

	for (size_t i = 0; i < BL_COUNT(statuses); i++)
		if (reply->end == BL_HTTP_ANSWERED &&
		    reply->status == statuses[i])
			return true;
	return false;
}

/* Where a blob really is; nobody there is shown who we are. */
static enum bl_status follow(struct registry *registry, size_t max_bytes,
			     struct bl_http_reply *reply)
{
	struct opa_sync *sync = registry->sync;
	enum bl_status status = BL_OK;

	for (int hop = 0; !status && hop < MAX_HOPS && is_redirect(reply);
	     hop++) {
		const char *const headers[] = { NULL };
		struct opa_request request = {
			.service = sync->config->service,
			.url = bl_arena_copy_str(
				sync->arena,
				bl_team_header(reply->head, "location")),
			.method = "GET",
			.headers = headers,
			.max_bytes = max_bytes,
			.timeout_ms = OCI_TIMEOUT_MS,
		};

		if (!is_safe_url(registry, request.url))
			return opa_refuse(sync, BL_TEAM_UNREACHABLE,
					  "%.*s sends us to an address without "
					  "https",
					  BL_STR_ARG(sync->state->url));
		status = opa_call(sync->client, &request, sync->arena, reply,
				  sync->err);
	}
	return status;
}

/* OK with status 200, after signing in if need be. */
static enum bl_status get(struct registry *registry,
			  const struct question *question,
			  struct bl_http_reply *out)
{
	enum bl_status status = ask(registry, question, out);
	struct bl_str challenge;

	if (!status && out->end == BL_HTTP_ANSWERED &&
	    out->status == HTTP_UNAUTHORIZED && !registry->authorization) {
		challenge = bl_team_header(out->head, "www-authenticate");
		if (bl_str_has_prefix(challenge, BL_STR("Bearer "))) {
			status = sign_in(registry, challenge);
			if (!status)
				status = ask(registry, question, out);
		}
	}
	if (!status)
		status = follow(registry, question->max_bytes, out);
	if (status)
		return status;
	return out->end == BL_HTTP_ANSWERED && out->status == HTTP_OK
		       ? BL_OK
		       : opa_judge_failure(registry->sync, out);
}

/* ---- the manifest ------------------------------------------------------------------ */

static enum bl_status check_digest(struct registry *registry,
				   struct bl_str bytes, struct bl_str digest,
				   const char *what)
{
	char hex[BL_SHA256_HEX_BYTES];

	bl_sha256_hex(bytes, hex);
	return bl_str_is(bl_str_slice(digest, sizeof(DIGEST_PREFIX) - 1,
				      SIZE_MAX),
			 hex)
		       ? BL_OK
		       : opa_refuse(registry->sync, BL_TEAM_INCOMPLETE,
				    "the %s that %.*s serves does not have the "
				    "digest %.*s",
				    what,
				    BL_STR_ARG(registry->sync->state->url),
				    BL_STR_ARG(digest));
}

/* The digest that the tag stands for now. */
static enum bl_status find_digest(struct registry *registry, struct bl_str *out)
{
	struct opa_sync *sync = registry->sync;
	const struct question question = { "HEAD", "manifests",
					   registry->name.reference,
					   MAX_MANIFEST_BYTES };
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status;

	*out = registry->name.reference;
	if (is_digest(*out))
		return BL_OK;
	status = get(registry, &question, &reply);
	if (status)
		return status;
	*out = bl_arena_copy_str(
		sync->arena,
		bl_team_header(reply.head, "docker-content-digest"));
	return is_digest(*out)
		       ? BL_OK
		       : opa_refuse(sync, BL_TEAM_REFUSED_CONTENT,
				    "%.*s does not say the manifest's digest "
				    "by SHA-256 (Docker-Content-Digest)",
				    BL_STR_ARG(sync->state->url));
}

struct layer {
	struct bl_str digest;
	int64_t size;
};

static enum bl_status find_layer(struct registry *registry,
				 struct bl_value manifest, struct layer *out)
{
	struct opa_sync *sync = registry->sync;
	struct bl_value layers = bl_object_find(manifest, BL_STR("layers"));

	for (size_t i = 0; i < bl_value_count(layers); i++) {
		struct bl_value layer = bl_value_item(layers, i);
		struct bl_value size = bl_object_find(layer, BL_STR("size"));

		if (!bl_str_is(bl_value_text(bl_object_find(
				       layer, BL_STR("mediaType"))),
			       ARCHIVE_TYPE))
			continue;
		out->digest =
			bl_value_text(bl_object_find(layer, BL_STR("digest")));
		if (!is_digest(out->digest) ||
		    !bl_number_is_plain(size, &out->size) || out->size < 0)
			break;
		return out->size <= BL_OPA_MAX_BUNDLE_BYTES
			       ? BL_OK
			       : opa_refuse(sync, BL_TEAM_REFUSED_CONTENT,
					    "the bundle has more than %d bytes",
					    (int)BL_OPA_MAX_BUNDLE_BYTES);
	}
	return opa_refuse(sync, BL_TEAM_REFUSED_CONTENT,
			  "%.*s: the manifest has no layer of the type "
			  "%s with size and SHA-256 digest",
			  BL_STR_ARG(sync->state->url), ARCHIVE_TYPE);
}

static enum bl_status read_manifest(struct registry *registry,
				    struct bl_str digest, struct layer *out)
{
	struct opa_sync *sync = registry->sync;
	const struct question question = { "GET", "manifests", digest,
					   MAX_MANIFEST_BYTES };
	struct bl_http_reply reply = { .status = 0 };
	struct bl_value manifest = bl_value_undefined();
	enum bl_status status = get(registry, &question, &reply);

	if (!status)
		status = check_digest(registry, reply.body, digest, "manifest");
	if (!status && bl_json_read(sync->arena, reply.body, NULL, &manifest,
				    NULL, NULL, sync->err))
		status = opa_refuse(sync, BL_TEAM_REFUSED_CONTENT,
				    "%.*s: the manifest is not JSON",
				    BL_STR_ARG(sync->state->url));
	return status ? status : find_layer(registry, manifest, out);
}

static enum bl_status fetch_layer(struct registry *registry,
				  const struct layer *layer)
{
	const struct question question = { "GET", "blobs", layer->digest,
					   (size_t)layer->size };
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status = get(registry, &question, &reply);

	if (!status)
		status = check_digest(registry, reply.body, layer->digest,
				      "archive");
	registry->sync->archive = reply.body;
	return status;
}

enum bl_status opa_oci_fetch(struct opa_sync *sync)
{
	struct registry registry = { .sync = sync };
	struct layer layer = { .size = 0 };
	enum bl_status status;

	if (!opa_oci_parse(sync->config->resource, &registry.name))
		return opa_refuse(sync, BL_TEAM_UNREACHABLE,
				  "%.*s is not a name in a registry",
				  BL_STR_ARG(sync->config->resource));
	sync->state->is_long_poll = false;
	status = find_digest(&registry, &sync->etag);
	if (status)
		return status;
	sync->is_unmodified = bl_str_equal(sync->etag, sync->state->etag);
	if (sync->is_unmodified)
		return BL_OK;
	status = read_manifest(&registry, sync->etag, &layer);
	return status ? status : fetch_layer(&registry, &layer);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c: the services of a configuration, and how belay shows each who it is.
 * Apart from config.c, since OPA has more kinds of credentials than of anything
 * else; those that belay lacks are refused by name.
 */
#include "opa/reader.h"

enum { MAX_SERVICES = 64, MAX_SCOPES = 32 };

static const struct opa_key service_keys[] = {
	{ "name", OPA_KEY_READ, NULL },
	{ "url", OPA_KEY_READ, NULL },
	{ "credentials", OPA_KEY_READ, NULL },
	{ "tls", OPA_KEY_READ, NULL },
	{ "headers", OPA_KEY_READ, NULL },
	{ "type", OPA_KEY_READ, NULL },
	{ "allow_insecure_tls", OPA_KEY_READ, NULL },
};

/* ---- credentials ---------------------------------------------------------------- */

struct text_member {
	const char *name;
	struct bl_str *out;
};

static enum bl_status get_texts(struct opa_reader *r, const char *place,
				struct bl_value object,
				const struct text_member *members, size_t count)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = opa_get_text(r, place, object, members[i].name,
				      members[i].out);
	return status;
}

static enum bl_status read_bearer(struct opa_reader *r, struct bl_value bearer,
				  struct bl_opa_service *out)
{
	const char *place = "services.credentials.bearer.";
	const struct text_member members[] = {
		{ "token", &out->token },
		{ "token_path", &out->token_path },
		{ "scheme", &out->scheme },
	};
	enum bl_status status =
		get_texts(r, place, bearer, members, BL_COUNT(members));

	if (status)
		return status;
	out->credentials = BL_OPA_BEARER;
	if (out->token.len && out->token_path.len)
		return opa_config_fail(r, place, BL_STR("token"),
				       "token and token_path do not go "
				       "together");
	/* A registry gets it in base64. */
	return opa_is_one_word(out->scheme) &&
			       (out->is_oci || opa_is_one_word(out->token))
		       ? BL_OK
		       : opa_config_fail(r, place, BL_STR("token"),
					 "a token and its scheme have no "
					 "blanks");
}

/* A list of words as one text, as OAuth has it. */
static enum bl_status read_scopes(struct opa_reader *r, struct bl_value list,
				  struct bl_opa_service *out)
{
	size_t count = bl_value_count(list);

	out->scopes = BL_STR("");
	for (size_t i = 0; i < count; i++) {
		struct bl_str scope = bl_value_text(bl_value_item(list, i));

		if (count > MAX_SCOPES || !scope.len || !opa_is_one_word(scope))
			return opa_config_fail(
				r, "services.credentials.oauth2.",
				BL_STR("scopes"),
				"this is not a list of up to 32 words");
		out->scopes = bl_arena_printf(r->arena, "%.*s%s%.*s",
					      BL_STR_ARG(out->scopes),
					      i ? " " : "", BL_STR_ARG(scope));
		if (!out->scopes.ptr)
			return bl_arena_fail(r->arena, r->err);
	}
	return BL_OK;
}

static enum bl_status read_oauth2(struct opa_reader *r, struct bl_value oauth2,
				  struct bl_opa_service *out)
{
	static const struct opa_key keys[] = {
		{ "token_url", OPA_KEY_READ, NULL },
		{ "client_id", OPA_KEY_READ, NULL },
		{ "client_secret", OPA_KEY_READ, NULL },
		{ "scopes", OPA_KEY_READ, NULL },
		{ "grant_type", OPA_KEY_READ, NULL },
	};
	const char *place = "services.credentials.oauth2.";
	struct bl_str grant = BL_STR("client_credentials");
	const struct text_member members[] = {
		{ "token_url", &out->token_url },
		{ "client_id", &out->client_id },
		{ "client_secret", &out->client_secret },
		{ "grant_type", &grant },
	};
	enum bl_status status =
		opa_check_keys(r, place, oauth2, keys, BL_COUNT(keys));

	if (!status)
		status =
			get_texts(r, place, oauth2, members, BL_COUNT(members));
	if (!status)
		status = read_scopes(r, opa_member(oauth2, "scopes"), out);
	if (status)
		return status;
	out->credentials = BL_OPA_OAUTH2;
	out->cached = bl_arena_new(r->arena, struct bl_opa_token);
	if (!out->cached)
		return bl_arena_fail(r->arena, r->err);
	*out->cached = (struct bl_opa_token){ .until = 0 };
	if (!out->client_id.len || !out->client_secret.len ||
	    !bl_str_is(grant, "client_credentials"))
		return opa_config_fail(r, place, BL_STR("client_secret"),
				       "belay knows the grant "
				       "client_credentials, with client_id and "
				       "client_secret");
	if (!opa_is_one_word(out->token_url) ||
	    (!bl_str_has_prefix(out->token_url, BL_STR("https://")) &&
	     !opa_is_private_line(out->token_url)))
		return opa_config_fail(r, place, BL_STR("token_url"),
				       "this is not an address with https");
	return BL_OK;
}

static enum bl_status read_client_tls(struct opa_reader *r, struct bl_value tls,
				      struct bl_opa_service *out)
{
	const char *place = "services.credentials.client_tls.";
	const struct text_member members[] = {
		{ "cert", &out->cert_file },
		{ "private_key", &out->key_file },
		{ "ca_cert", &out->ca_file },
	};
	enum bl_status status =
		get_texts(r, place, tls, members, BL_COUNT(members));

	if (status)
		return status;
	if (bl_value_is_defined(opa_member(tls, "private_key_passphrase")))
		return opa_config_fail(
			r, place, BL_STR("private_key_passphrase"),
			"belay reads a key without a passphrase, "
			"in a file that only its owner can read");
	out->system_certs =
		bl_value_is_true(opa_member(tls, "system_ca_required"));
	return out->cert_file.len && out->key_file.len
		       ? BL_OK
		       : opa_config_fail(r, place, BL_STR("cert"),
					 "cert and private_key name a file "
					 "each");
}

static enum bl_status read_s3(struct opa_reader *r, struct bl_value signing,
			      struct bl_opa_service *out)
{
	static const struct opa_key keys[] = {
		{ "environment_credentials", OPA_KEY_READ, NULL },
		{ "service", OPA_KEY_READ, NULL },
		{ "signature_version", OPA_KEY_READ, NULL },
	};
	const char *place = "services.credentials.s3_signing.";
	struct bl_str version = BL_STR("4");
	enum bl_status status =
		opa_check_keys(r, place, signing, keys, BL_COUNT(keys));

	out->aws_service = BL_STR("s3");
	if (!status)
		status = opa_get_text(r, place, signing, "service",
				      &out->aws_service);
	if (!status)
		status = opa_get_text(r, place, signing, "signature_version",
				      &version);
	if (status)
		return status;
	out->credentials = BL_OPA_S3_SIGNING;
	if (!bl_value_is(opa_member(signing, "environment_credentials"),
			 BL_KIND_OBJECT))
		return opa_config_fail(r, place,
				       BL_STR("environment_credentials"),
				       "belay takes the key from the "
				       "environment alone: "
				       "environment_credentials: {}, and "
				       "AWS_ACCESS_KEY_ID, "
				       "AWS_SECRET_ACCESS_KEY, AWS_REGION");
	return bl_str_is(version, "4")
		       ? BL_OK
		       : opa_config_fail(r, place, BL_STR("signature_version"),
					 "belay knows version 4 alone");
}

static const struct {
	const char *name;
	enum bl_status (*read)(struct opa_reader *r, struct bl_value value,
			       struct bl_opa_service *out);
} kinds[] = {
	{ "bearer", read_bearer },
	{ "oauth2", read_oauth2 },
	{ "client_tls", read_client_tls },
	{ "s3_signing", read_s3 },
};

static enum bl_status read_credentials(struct opa_reader *r,
				       struct bl_value credentials,
				       struct bl_opa_service *out)
{
	const char *place = "services.credentials.";
	struct bl_str name;
	struct bl_value value;

	if (!bl_value_is_defined(credentials))
		return BL_OK;
	if (bl_value_count(credentials) != 1)
		return opa_config_fail(r, place, BL_STR(""),
				       "this is not one kind of credentials");
	name = bl_value_text(bl_object_key(credentials, 0));
	value = bl_object_value(credentials, 0);
	for (size_t i = 0; i < BL_COUNT(kinds); i++)
		if (bl_str_is(name, kinds[i].name))
			return bl_value_is(value, BL_KIND_OBJECT)
				       ? kinds[i].read(r, value, out)
				       : opa_config_fail(r, place, name,
							 "this is not an "
							 "object");
	return opa_config_fail(r, place, name,
			       "belay knows bearer, oauth2, client_tls and "
			       "s3_signing");
}

/* ---- the rest of a service -------------------------------------------------------- */

static bool is_one_line(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return false;
	return true;
}

static enum bl_status read_headers(struct opa_reader *r,
				   struct bl_value headers,
				   struct bl_opa_service *out)
{
	size_t count = bl_value_count(headers);
	const char **list =
		bl_arena_new_array(r->arena, const char *, count + 1);

	if (!list)
		return bl_arena_fail(r->arena, r->err);
	out->headers = list;
	if (count > BL_OPA_MAX_HEADERS)
		return opa_config_fail(r, "services.headers", BL_STR(""),
				       "there are more than 32");
	for (size_t i = 0; i < count; i++) {
		struct bl_str name = bl_value_text(bl_object_key(headers, i));
		struct bl_str text = bl_value_text(bl_object_value(headers, i));

		if (!name.len || !opa_is_one_word(name) || !is_one_line(text))
			return opa_config_fail(r, "services.headers.", name,
					       "this cannot be a header");
		list[i] = bl_arena_printf(r->arena, "%.*s: %.*s",
					  BL_STR_ARG(name), BL_STR_ARG(text))
				  .ptr;
		if (!list[i])
			return bl_arena_fail(r->arena, r->err);
	}
	return BL_OK;
}

bool opa_is_private_line(struct bl_str url)
{
	struct bl_http_url parsed;
	struct bl_arena arena;
	bool good;

	bl_arena_init(&arena, NULL, 0, 0);
	good = !bl_http_url_parse(url, &arena, &parsed, NULL);
	bl_arena_clear(&arena);
	return good;
}

static enum bl_status check_url(struct opa_reader *r,
				struct bl_opa_service *out)
{
	bool is_http = bl_str_has_prefix(out->url, BL_STR("http://"));

	while (out->url.len && out->url.ptr[out->url.len - 1] == '/')
		out->url.len--;
	if ((!is_http && !bl_str_has_prefix(out->url, BL_STR("https://"))) ||
	    !opa_is_one_word(out->url) ||
	    out->url.len > BL_HTTP_MAX_URL_BYTES ||
	    bl_str_find(out->url, BL_STR("@"), 0) != SIZE_MAX ||
	    bl_str_find(out->url, BL_STR("?"), 0) != SIZE_MAX ||
	    bl_str_find(out->url, BL_STR("#"), 0) != SIZE_MAX ||
	    (!is_http && !opa_is_private_line(out->url)))
		return opa_config_fail(
			r, "services.", out->name,
			"its url is not http[s]://HOST[:PORT][/PATH]");
	if (is_http && (out->credentials || out->cert_file.len) &&
	    !opa_is_private_line(out->url))
		return opa_config_fail(
			r, "services.", out->name,
			"its credentials would be read on the way: use "
			"https");
	return BL_OK;
}

static enum bl_status read_tls(struct opa_reader *r, struct bl_value service,
			       struct bl_opa_service *out)
{
	struct bl_value tls = opa_member(service, "tls");

	if (bl_value_is_true(opa_member(service, "allow_insecure_tls")))
		return opa_config_fail(
			r, "services.", BL_STR("allow_insecure_tls"),
			"belay always checks certificates: name the "
			"authority with tls.ca_cert");
	if (bl_value_is_true(opa_member(tls, "system_ca_required")))
		out->system_certs = true;
	return opa_get_text(r, "services.tls.", tls, "ca_cert", &out->ca_file);
}

/* A registry is shown a user and a password, or a token of its own. */
static enum bl_status check_oci(struct opa_reader *r,
				const struct bl_opa_service *service)
{
	return !service->is_oci || service->credentials <= BL_OPA_BEARER
		       ? BL_OK
		       : opa_config_fail(r, "services.credentials.",
					 service->name,
					 "a registry is shown bearer (scheme: "
					 "Basic, token: USER:PASSWORD), or "
					 "client_tls");
}

static enum bl_status read_service(struct opa_reader *r, struct bl_str name,
				   struct bl_value service)
{
	struct bl_opa_service *out = &r->services[r->service_count];
	struct bl_str type = { NULL, 0 };
	enum bl_status status = opa_check_keys(
		r, "services.", service, service_keys, BL_COUNT(service_keys));

	*out = (struct bl_opa_service){ .name = name,
					.scheme = BL_STR("Bearer") };
	if (!status)
		status = opa_get_text(r, "services.", service, "name",
				      &out->name);
	if (!status)
		status =
			opa_get_text(r, "services.", service, "url", &out->url);
	if (!status)
		status = opa_get_text(r, "services.", service, "type", &type);
	if (!status && type.len && !bl_str_is(type, "oci"))
		status = opa_config_fail(r, "services.", BL_STR("type"),
					 "belay knows the type oci, and "
					 "services without a type");
	out->is_oci = bl_str_is(type, "oci");
	if (!status)
		status = read_credentials(r, opa_member(service, "credentials"),
					  out);
	if (!status)
		status = check_oci(r, out);
	if (!status)
		status = read_headers(r, opa_member(service, "headers"), out);
	if (!status)
		status = read_tls(r, service, out);
	if (!status)
		status = check_url(r, out);
	r->service_count++;
	return status;
}

enum bl_status opa_read_services(struct opa_reader *r, struct bl_value services)
{
	size_t count = bl_value_count(services);
	bool is_list = bl_value_is(services, BL_KIND_ARRAY);
	enum bl_status status = BL_OK;

	if (!count || count > MAX_SERVICES ||
	    (!is_list && !bl_value_is(services, BL_KIND_OBJECT)))
		return opa_config_fail(
			r, "services", BL_STR(""),
			"name 1 to 64 services, each with its url");
	r->services =
		bl_arena_new_array(r->arena, struct bl_opa_service, count);
	if (!r->services)
		return bl_arena_fail(r->arena, r->err);
	for (size_t i = 0; !status && i < count; i++)
		status = is_list ? read_service(r, BL_STR(""),
						bl_value_item(services, i))
				 : read_service(r,
						bl_value_text(bl_object_key(
							services, i)),
						bl_object_value(services, i));
	return status;
}

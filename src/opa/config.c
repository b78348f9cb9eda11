/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c: OPA's own configuration file, as far as belay follows it.  A key that
 * is left out is named: in an error where policies would be lost, else in a warning.
 */
#include "opa/private.h"

#include "yaml/yaml.h"

enum {
	USUAL_MIN_DELAY_S = 60,
	USUAL_MAX_DELAY_S = 120,
	MAX_SERVICES = 64,
	MAX_SIGNING_EXCLUDED = 64,
};

struct reader {
	struct bl_str file;
	struct bl_arena *arena;
	struct bl_opa_config *out;
	struct bl_opa_service *services;
	size_t service_count;
	struct bl_array_builder warnings;
	struct bl_error *err;
};

/* ---- keys ----------------------------------------------------------------------- */

enum use { READ, REFUSED };

struct key {
	const char *name;
	enum use use;
	const char *remedy;
};

static const struct key top_keys[] = {
	{ "services", READ, NULL },
	{ "bundles", READ, NULL },
	{ "keys", READ, NULL },
	{ "labels", READ, NULL },
	{ "decision_logs", READ, NULL },
	{ "status", READ, NULL },
	{ "discovery", REFUSED,
	  "belay does not follow discovery: name the bundle below bundles" },
	{ "bundle", REFUSED, "this is OPA's old form: use bundles" },
};

static const struct key service_keys[] = {
	{ "name", READ, NULL },
	{ "url", READ, NULL },
	{ "credentials", READ, NULL },
	{ "tls", READ, NULL },
	{ "headers", READ, NULL },
	{ "type", READ, NULL },
	{ "allow_insecure_tls", READ, NULL },
};

static const struct key bundle_keys[] = {
	{ "service", READ, NULL }, { "resource", READ, NULL },
	{ "signing", READ, NULL }, { "polling", READ, NULL },
	{ "persist", READ, NULL }, /* belay always does */
};

static const struct key post_keys[] = {
	{ "service", READ, NULL },
	{ "resource", READ, NULL },
	{ "partition_name", READ, NULL },
};

static enum bl_status fail(struct reader *r, const char *place,
			   struct bl_str key, const char *remedy)
{
	return bl_fail(r->err, BL_INVALID, "%.*s: %s%.*s: %s",
		       BL_STR_ARG(r->file), place, BL_STR_ARG(key), remedy);
}

static void warn(struct reader *r, const char *place, struct bl_str key,
		 const char *what)
{
	bl_array_builder_add(&r->warnings,
			     bl_value_printf(r->arena, "%.*s: %s%.*s: %s",
					     BL_STR_ARG(r->file), place,
					     BL_STR_ARG(key), what));
}

/* object must be one (or undefined), with keys of the table. */
static enum bl_status check_keys(struct reader *r, const char *place,
				 struct bl_value object,
				 const struct key *table, size_t count)
{
	if (bl_value_is_defined(object) && !bl_value_is(object, BL_KIND_OBJECT))
		return fail(r, place, BL_STR(""), "this is not an object");
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str name = bl_value_text(bl_object_key(object, i));
		const struct key *row = NULL;

		for (size_t j = 0; j < count; j++)
			if (bl_str_is(name, table[j].name))
				row = &table[j];
		if (row && row->use == REFUSED)
			return fail(r, place, name, row->remedy);
		if (!row)
			warn(r, place, name, "belay does not follow this");
	}
	return BL_OK;
}

static struct bl_value member(struct bl_value object, const char *name)
{
	return bl_object_find(object, bl_str(name));
}

/* A missing one leaves *out as it is. */
static enum bl_status get_text(struct reader *r, const char *place,
			       struct bl_value object, const char *name,
			       struct bl_str *out)
{
	struct bl_value value = member(object, name);

	if (!bl_value_is_defined(value))
		return BL_OK;
	if (!bl_value_is(value, BL_KIND_STRING))
		return fail(r, place, bl_str(name), "this is not a text");
	*out = bl_value_text(value);
	return BL_OK;
}

static enum bl_status get_seconds(struct reader *r, const char *place,
				  struct bl_value object, const char *name,
				  int64_t *out)
{
	struct bl_value value = member(object, name);

	if (!bl_value_is_defined(value))
		return BL_OK;
	if (!bl_number_is_plain(value, out) || *out < 1 ||
	    *out > BL_OPA_MAX_WAIT_S)
		return fail(r, place, bl_str(name),
			    "this is not a number of seconds from 1 to 86400");
	return BL_OK;
}

/* Can the text be a word of a header, or a path of a URL? */
static bool is_one_word(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] <= ' ' ||
		    (unsigned char)text.ptr[i] >= 0x7f)
			return false;
	return true;
}

static bool is_one_line(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return false;
	return true;
}

/* ---- services ------------------------------------------------------------------- */

static enum bl_status read_bearer(struct reader *r, struct bl_value credentials,
				  struct bl_opa_service *out)
{
	const char *place = "services.credentials.bearer.";
	struct bl_value bearer = member(credentials, "bearer");
	enum bl_status status;

	for (size_t i = 0; i < bl_value_count(credentials); i++)
		if (!bl_str_is(bl_value_text(bl_object_key(credentials, i)),
			       "bearer"))
			return fail(
				r, "services.credentials.",
				bl_value_text(bl_object_key(credentials, i)),
				"belay knows bearer alone");
	status = get_text(r, place, bearer, "token", &out->token);
	if (!status)
		status = get_text(r, place, bearer, "token_path",
				  &out->token_path);
	if (!status)
		status = get_text(r, place, bearer, "scheme", &out->scheme);
	if (status)
		return status;
	if (out->token.len && out->token_path.len)
		return fail(r, place, BL_STR("token"),
			    "token and token_path do not go together");
	return is_one_word(out->scheme) && is_one_word(out->token)
		       ? BL_OK
		       : fail(r, place, BL_STR("token"),
			      "a token and its scheme have no blanks");
}

static enum bl_status read_headers(struct reader *r, struct bl_value headers,
				   struct bl_opa_service *out)
{
	size_t count = bl_value_count(headers);
	const char **list =
		bl_arena_new_array(r->arena, const char *, count + 1);

	if (!list)
		return bl_arena_fail(r->arena, r->err);
	out->headers = list;
	if (count > BL_OPA_MAX_HEADERS)
		return fail(r, "services.headers", BL_STR(""),
			    "there are more than 32");
	for (size_t i = 0; i < count; i++) {
		struct bl_str name = bl_value_text(bl_object_key(headers, i));
		struct bl_str text = bl_value_text(bl_object_value(headers, i));

		if (!name.len || !is_one_word(name) || !is_one_line(text))
			return fail(r, "services.headers.", name,
				    "this cannot be a header");
		list[i] = bl_arena_printf(r->arena, "%.*s: %.*s",
					  BL_STR_ARG(name), BL_STR_ARG(text))
				  .ptr;
		if (!list[i])
			return bl_arena_fail(r->arena, r->err);
	}
	return BL_OK;
}

/* http://localhost, 127.0.0.1 and [::1] are this machine; others need TLS. */
static bool is_private_line(struct bl_str url)
{
	struct bl_http_url parsed;
	struct bl_arena arena;
	bool good;

	bl_arena_init(&arena, NULL, 0, 0);
	good = !bl_http_url_parse(url, &arena, &parsed, NULL);
	bl_arena_clear(&arena);
	return good;
}

static enum bl_status check_url(struct reader *r, struct bl_opa_service *out)
{
	bool is_http = bl_str_has_prefix(out->url, BL_STR("http://"));

	while (out->url.len && out->url.ptr[out->url.len - 1] == '/')
		out->url.len--;
	if ((!is_http && !bl_str_has_prefix(out->url, BL_STR("https://"))) ||
	    !is_one_word(out->url) || out->url.len > BL_HTTP_MAX_URL_BYTES ||
	    bl_str_find(out->url, BL_STR("@"), 0) != SIZE_MAX ||
	    bl_str_find(out->url, BL_STR("?"), 0) != SIZE_MAX ||
	    bl_str_find(out->url, BL_STR("#"), 0) != SIZE_MAX ||
	    (!is_http && !is_private_line(out->url)))
		return fail(r, "services.", out->name,
			    "its url is not http[s]://HOST[:PORT][/PATH]");
	if (is_http && (out->token.len || out->token_path.len) &&
	    !is_private_line(out->url))
		return fail(r, "services.", out->name,
			    "its token would be read on the way: use https");
	return BL_OK;
}

static enum bl_status read_tls(struct reader *r, struct bl_value service,
			       struct bl_opa_service *out)
{
	struct bl_value tls = member(service, "tls");

	if (bl_value_is_true(member(service, "allow_insecure_tls")))
		return fail(r, "services.", BL_STR("allow_insecure_tls"),
			    "belay always checks certificates: name the "
			    "authority with tls.ca_cert");
	out->system_certs = bl_value_is_true(member(tls, "system_ca_required"));
	return get_text(r, "services.tls.", tls, "ca_cert", &out->ca_file);
}

static enum bl_status read_service(struct reader *r, struct bl_str name,
				   struct bl_value service)
{
	struct bl_opa_service *out = &r->services[r->service_count];
	struct bl_str type = { NULL, 0 };
	enum bl_status status = check_keys(
		r, "services.", service, service_keys, BL_COUNT(service_keys));

	*out = (struct bl_opa_service){ .name = name,
					.scheme = BL_STR("Bearer") };
	if (!status)
		status = get_text(r, "services.", service, "name", &out->name);
	if (!status)
		status = get_text(r, "services.", service, "url", &out->url);
	if (!status)
		status = get_text(r, "services.", service, "type", &type);
	if (!status && bl_str_is(type, "oci"))
		status = fail(r, "services.", BL_STR("type"),
			      "belay does not fetch from OCI registries: serve "
			      "the bundle over HTTP");
	if (!status)
		status = read_bearer(r, member(service, "credentials"), out);
	if (!status)
		status = read_headers(r, member(service, "headers"), out);
	if (!status)
		status = read_tls(r, service, out);
	if (!status)
		status = check_url(r, out);
	r->service_count++;
	return status;
}

static enum bl_status read_services(struct reader *r, struct bl_value services)
{
	size_t count = bl_value_count(services);
	bool is_list = bl_value_is(services, BL_KIND_ARRAY);
	enum bl_status status = BL_OK;

	if (!count || count > MAX_SERVICES ||
	    (!is_list && !bl_value_is(services, BL_KIND_OBJECT)))
		return fail(r, "services", BL_STR(""),
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

/* The service that an object names; without a name the only one. */
static enum bl_status find_service(struct reader *r, const char *place,
				   struct bl_value object,
				   const struct bl_opa_service **out)
{
	struct bl_str name = { NULL, 0 };
	enum bl_status status = get_text(r, place, object, "service", &name);

	if (status)
		return status;
	if (!name.len && r->service_count == 1)
		*out = &r->services[0];
	for (size_t i = 0; name.len && i < r->service_count; i++)
		if (bl_str_equal(r->services[i].name, name))
			*out = &r->services[i];
	return *out ? BL_OK
		    : fail(r, place, BL_STR("service"),
			   "name one of the services");
}

/* ---- the bundle ----------------------------------------------------------------- */

static enum bl_status find_key(struct reader *r, struct bl_value keys,
			       struct bl_str id, struct bl_value *out)
{
	if (!id.len && bl_value_count(keys) == 1)
		*out = bl_object_value(keys, 0);
	else if (id.len)
		*out = bl_object_find(keys, id);
	return bl_value_is(*out, BL_KIND_OBJECT)
		       ? BL_OK
		       : fail(r, "bundles.signing.", BL_STR("keyid"),
			      "name one of the keys");
}

static enum bl_status read_excluded(struct reader *r, struct bl_value list,
				    struct bl_bundle_verification *out)
{
	size_t count = bl_value_count(list);
	struct bl_str *items =
		bl_arena_new_array(r->arena, struct bl_str, count + 1);

	if (!items)
		return bl_arena_fail(r->arena, r->err);
	if (count > MAX_SIGNING_EXCLUDED)
		return fail(r, "bundles.signing.", BL_STR("exclude_files"),
			    "there are more than 64");
	for (size_t i = 0; i < count; i++)
		items[i] = bl_value_text(bl_value_item(list, i));
	out->excluded = items;
	out->excluded_count = count;
	return BL_OK;
}

static enum bl_status read_signing(struct reader *r, struct bl_value signing,
				   struct bl_value keys)
{
	struct bl_bundle_verification *how =
		bl_arena_new(r->arena, struct bl_bundle_verification);
	struct bl_str id = { NULL, 0 };
	struct bl_value key = bl_value_undefined();
	enum bl_status status;

	if (!how)
		return bl_arena_fail(r->arena, r->err);
	how->scope = BL_STR("");
	how->key.algorithm = BL_STR("RS256");
	status = get_text(r, "bundles.signing.", signing, "keyid", &id);
	if (!status)
		status = find_key(r, keys, id, &key);
	if (!status)
		status = get_text(r, "keys.", key, "algorithm",
				  &how->key.algorithm);
	if (!status)
		status = get_text(r, "keys.", key, "key", &how->key.text);
	if (!status)
		status = get_text(r, "keys.", key, "scope", &how->scope);
	if (!status)
		status = get_text(r, "bundles.signing.", signing, "scope",
				  &how->scope);
	if (!status && !how->key.text.len)
		status = fail(r, "keys.", BL_STR("key"),
			      "the key's PEM text, or its secret, is missing");
	if (!status)
		status =
			read_excluded(r, member(signing, "exclude_files"), how);
	r->out->verification = how;
	return status;
}

static enum bl_status read_polling(struct reader *r, struct bl_value polling)
{
	const char *place = "bundles.polling.";
	struct bl_opa_config *out = r->out;
	enum bl_status status;

	out->min_delay_s = USUAL_MIN_DELAY_S;
	out->max_delay_s = USUAL_MAX_DELAY_S;
	status = get_seconds(r, place, polling, "min_delay_seconds",
			     &out->min_delay_s);
	if (!status && out->max_delay_s < out->min_delay_s)
		out->max_delay_s = out->min_delay_s;
	if (!status)
		status = get_seconds(r, place, polling, "max_delay_seconds",
				     &out->max_delay_s);
	if (!status)
		status = get_seconds(r, place, polling,
				     "long_polling_timeout_seconds",
				     &out->long_poll_s);
	if (!status && out->max_delay_s < out->min_delay_s)
		status = fail(r, place, BL_STR("max_delay_seconds"),
			      "this is less than min_delay_seconds");
	return status;
}

static struct bl_str without_slash(struct bl_str path)
{
	while (path.len && path.ptr[0] == '/')
		path = bl_str_slice(path, 1, SIZE_MAX);
	return path;
}

/* Unsigned bytes must come over a line that nobody can change them on. */
static enum bl_status check_trust(struct reader *r)
{
	const struct bl_opa_config *out = r->out;

	if (out->verification || is_private_line(out->service->url))
		return BL_OK;
	return fail(r, "bundles.", out->name,
		    "an unsigned bundle over http can be changed on the way: "
		    "use https, or signing");
}

static enum bl_status read_bundle(struct reader *r, struct bl_value bundles,
				  struct bl_value keys)
{
	struct bl_value bundle = bl_object_value(bundles, 0);
	struct bl_opa_config *out = r->out;
	enum bl_status status;

	if (!bl_value_is(bundles, BL_KIND_OBJECT) ||
	    bl_value_count(bundles) != 1)
		return fail(r, "bundles", BL_STR(""),
			    "belay follows exactly one bundle: join them with "
			    "opa build, and name that one");
	out->name = bl_value_text(bl_object_key(bundles, 0));
	status = check_keys(r, "bundles.", bundle, bundle_keys,
			    BL_COUNT(bundle_keys));
	if (!status)
		status = find_service(r, "bundles.", bundle, &out->service);
	out->resource = bl_arena_printf(r->arena, "bundles/%.*s",
					BL_STR_ARG(out->name));
	if (!out->resource.ptr)
		return bl_arena_fail(r->arena, r->err);
	if (!status)
		status = get_text(r, "bundles.", bundle, "resource",
				  &out->resource);
	out->resource = without_slash(out->resource);
	if (!status && (!out->resource.len || !is_one_word(out->resource)))
		status = fail(r, "bundles.", BL_STR("resource"),
			      "this is not a path of a URL");
	if (!status)
		status = read_polling(r, member(bundle, "polling"));
	if (!status && bl_value_is_defined(member(bundle, "signing")))
		status = read_signing(r, member(bundle, "signing"), keys);
	return status ? status : check_trust(r);
}

/* ---- where to post -------------------------------------------------------------- */

/* decision_logs or status; NAME[/PARTITION] is the resource. */
static enum bl_status read_post(struct reader *r, const char *place,
				struct bl_value object, const char *name,
				struct bl_opa_target *out)
{
	struct bl_str partition = { NULL, 0 };
	enum bl_status status;

	if (!bl_value_is_defined(object))
		return BL_OK;
	status = check_keys(r, place, object, post_keys, BL_COUNT(post_keys));
	if (!status)
		status = find_service(r, place, object, &out->service);
	if (!status)
		status = get_text(r, place, object, "partition_name",
				  &partition);
	out->resource = partition.len
				? bl_arena_printf(r->arena, "%s/%.*s", name,
						  BL_STR_ARG(partition))
				: bl_str(name);
	if (!out->resource.ptr)
		return bl_arena_fail(r->arena, r->err);
	if (!status)
		status = get_text(r, place, object, "resource", &out->resource);
	out->resource = without_slash(out->resource);
	if (!status && !is_one_word(out->resource))
		status = fail(r, place, BL_STR("resource"),
			      "this is not a path of a URL");
	return status;
}

static enum bl_status read_labels(struct reader *r, struct bl_value labels)
{
	if (!bl_value_is_defined(labels)) {
		struct bl_object_builder none;

		bl_object_builder_init(&none, r->arena);
		labels = bl_object_builder_end(&none);
	}
	if (!bl_value_is(labels, BL_KIND_OBJECT))
		return fail(r, "labels", BL_STR(""), "this is not an object");
	for (size_t i = 0; i < bl_value_count(labels); i++)
		if (!bl_value_is(bl_object_value(labels, i), BL_KIND_STRING))
			return fail(r, "labels.",
				    bl_value_text(bl_object_key(labels, i)),
				    "this is not a text");
	r->out->labels = labels;
	return BL_OK;
}

/* ---- the file ------------------------------------------------------------------- */

static enum bl_status read_all(struct reader *r, struct bl_value config)
{
	struct bl_opa_config *out = r->out;
	enum bl_status status;

	if (!bl_value_is(config, BL_KIND_OBJECT))
		return fail(r, "the file", BL_STR(""), "this is not an object");
	status = check_keys(r, "", config, top_keys, BL_COUNT(top_keys));
	if (!status)
		status = read_services(r, member(config, "services"));
	if (!status)
		status = read_bundle(r, member(config, "bundles"),
				     member(config, "keys"));
	if (!status)
		status = read_labels(r, member(config, "labels"));
	if (!status)
		status = read_post(r, "decision_logs.",
				   member(config, "decision_logs"), "logs",
				   &out->log);
	if (!status)
		status = read_post(r, "status.", member(config, "status"),
				   "status", &out->status);
	return status;
}

enum bl_status bl_opa_parse_config(struct bl_str file, struct bl_str text,
				   struct bl_arena *arena,
				   struct bl_opa_config *out,
				   struct bl_error *err)
{
	struct reader r = {
		.file = file, .arena = arena, .out = out, .err = err
	};
	struct bl_value config;
	enum bl_status status;

	*out = (struct bl_opa_config){ .file = file };
	bl_array_builder_init(&r.warnings, arena);
	if (bl_str_find(text, BL_STR("${"), 0) != SIZE_MAX)
		return fail(&r, "", BL_STR("${...}"),
			    "belay does not put the environment in: write the "
			    "value, or name a file with token_path");
	status = bl_yaml_read(arena, text, &config, NULL, NULL, err);
	if (status) {
		bl_error_context(err, "%.*s", BL_STR_ARG(file));
		return status;
	}
	status = read_all(&r, config);
	out->warnings = bl_array_builder_end(&r.warnings);
	if (!status && !bl_value_is_defined(out->warnings))
		status = bl_arena_fail(arena, err);
	return status;
}

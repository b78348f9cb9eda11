/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c: OPA's own configuration file, as far as belay follows it.  A key that
 * is left out is named: in an error where policies would be lost, else in a warning.
 */
#include "opa/reader.h"

#include "yaml/yaml.h"

enum {
	USUAL_MIN_DELAY_S = 60,
	USUAL_MAX_DELAY_S = 120,
	MAX_SIGNING_EXCLUDED = 64,
};

/* ---- keys ----------------------------------------------------------------------- */

static const struct opa_key top_keys[] = {
	{ "services", OPA_KEY_READ, NULL },
	{ "bundles", OPA_KEY_READ, NULL },
	{ "keys", OPA_KEY_READ, NULL },
	{ "labels", OPA_KEY_READ, NULL },
	{ "decision_logs", OPA_KEY_READ, NULL },
	{ "status", OPA_KEY_READ, NULL },
	{ "discovery", OPA_KEY_REFUSED,
	  "belay does not follow discovery: name the bundle below bundles" },
	{ "bundle", OPA_KEY_REFUSED, "this is OPA's old form: use bundles" },
};

static const struct opa_key bundle_keys[] = {
	{ "service", OPA_KEY_READ, NULL }, { "resource", OPA_KEY_READ, NULL },
	{ "signing", OPA_KEY_READ, NULL }, { "polling", OPA_KEY_READ, NULL },
	{ "persist", OPA_KEY_READ, NULL }, /* belay always does */
};

static const struct opa_key post_keys[] = {
	{ "service", OPA_KEY_READ, NULL },
	{ "resource", OPA_KEY_READ, NULL },
	{ "partition_name", OPA_KEY_READ, NULL },
};

enum bl_status opa_config_fail(struct opa_reader *r, const char *place,
			       struct bl_str key, const char *remedy)
{
	return bl_fail(r->err, BL_INVALID, "%.*s: %s%.*s: %s",
		       BL_STR_ARG(r->file), place, BL_STR_ARG(key), remedy);
}

static void warn(struct opa_reader *r, const char *place, struct bl_str key,
		 const char *what)
{
	bl_array_builder_add(&r->warnings,
			     bl_value_printf(r->arena, "%.*s: %s%.*s: %s",
					     BL_STR_ARG(r->file), place,
					     BL_STR_ARG(key), what));
}

enum bl_status opa_check_keys(struct opa_reader *r, const char *place,
			      struct bl_value object,
			      const struct opa_key *table, size_t count)
{
	if (bl_value_is_defined(object) && !bl_value_is(object, BL_KIND_OBJECT))
		return opa_config_fail(r, place, BL_STR(""),
				       "this is not an object");
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str name = bl_value_text(bl_object_key(object, i));
		const struct opa_key *row = NULL;

		for (size_t j = 0; j < count; j++)
			if (bl_str_is(name, table[j].name))
				row = &table[j];
		if (row && row->use == OPA_KEY_REFUSED)
			return opa_config_fail(r, place, name, row->remedy);
		if (!row)
			warn(r, place, name, "belay does not follow this");
	}
	return BL_OK;
}

struct bl_value opa_member(struct bl_value object, const char *name)
{
	return bl_object_find(object, bl_str(name));
}

enum bl_status opa_get_text(struct opa_reader *r, const char *place,
			    struct bl_value object, const char *name,
			    struct bl_str *out)
{
	struct bl_value value = opa_member(object, name);

	if (!bl_value_is_defined(value))
		return BL_OK;
	if (!bl_value_is(value, BL_KIND_STRING))
		return opa_config_fail(r, place, bl_str(name),
				       "this is not a text");
	*out = bl_value_text(value);
	return BL_OK;
}

static enum bl_status get_seconds(struct opa_reader *r, const char *place,
				  struct bl_value object, const char *name,
				  int64_t *out)
{
	struct bl_value value = opa_member(object, name);

	if (!bl_value_is_defined(value))
		return BL_OK;
	if (!bl_number_is_plain(value, out) || *out < 1 ||
	    *out > BL_OPA_MAX_WAIT_S)
		return opa_config_fail(
			r, place, bl_str(name),
			"this is not a number of seconds from 1 to 86400");
	return BL_OK;
}

bool opa_is_one_word(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] <= ' ' ||
		    (unsigned char)text.ptr[i] >= 0x7f)
			return false;
	return true;
}

/* ---- services ------------------------------------------------------------------- */

/* The service that an object names; without a name the only one. */
static enum bl_status find_service(struct opa_reader *r, const char *place,
				   struct bl_value object,
				   const struct bl_opa_service **out)
{
	struct bl_str name = { NULL, 0 };
	enum bl_status status =
		opa_get_text(r, place, object, "service", &name);

	if (status)
		return status;
	if (!name.len && r->service_count == 1)
		*out = &r->services[0];
	for (size_t i = 0; name.len && i < r->service_count; i++)
		if (bl_str_equal(r->services[i].name, name))
			*out = &r->services[i];
	return *out ? BL_OK
		    : opa_config_fail(r, place, BL_STR("service"),
				      "name one of the services");
}

/* ---- the bundle ----------------------------------------------------------------- */

static enum bl_status find_key(struct opa_reader *r, struct bl_value keys,
			       struct bl_str id, struct bl_value *out)
{
	if (!id.len && bl_value_count(keys) == 1)
		*out = bl_object_value(keys, 0);
	else if (id.len)
		*out = bl_object_find(keys, id);
	return bl_value_is(*out, BL_KIND_OBJECT)
		       ? BL_OK
		       : opa_config_fail(r, "bundles.signing.", BL_STR("keyid"),
					 "name one of the keys");
}

static enum bl_status read_excluded(struct opa_reader *r, struct bl_value list,
				    struct bl_bundle_verification *out)
{
	size_t count = bl_value_count(list);
	struct bl_str *items =
		bl_arena_new_array(r->arena, struct bl_str, count + 1);

	if (!items)
		return bl_arena_fail(r->arena, r->err);
	if (count > MAX_SIGNING_EXCLUDED)
		return opa_config_fail(r, "bundles.signing.",
				       BL_STR("exclude_files"),
				       "there are more than 64");
	for (size_t i = 0; i < count; i++)
		items[i] = bl_value_text(bl_value_item(list, i));
	out->excluded = items;
	out->excluded_count = count;
	return BL_OK;
}

static enum bl_status read_signing(struct opa_reader *r,
				   struct bl_value signing,
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
	status = opa_get_text(r, "bundles.signing.", signing, "keyid", &id);
	if (!status)
		status = find_key(r, keys, id, &key);
	if (!status)
		status = opa_get_text(r, "keys.", key, "algorithm",
				      &how->key.algorithm);
	if (!status)
		status = opa_get_text(r, "keys.", key, "key", &how->key.text);
	if (!status)
		status = opa_get_text(r, "keys.", key, "scope", &how->scope);
	if (!status)
		status = opa_get_text(r, "bundles.signing.", signing, "scope",
				      &how->scope);
	if (!status && !how->key.text.len)
		status = opa_config_fail(
			r, "keys.", BL_STR("key"),
			"the key's PEM text, or its secret, is missing");
	if (!status)
		status = read_excluded(r, opa_member(signing, "exclude_files"),
				       how);
	r->out->verification = how;
	return status;
}

static enum bl_status read_polling(struct opa_reader *r,
				   struct bl_value polling)
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
		status = opa_config_fail(r, place, BL_STR("max_delay_seconds"),
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
static enum bl_status check_trust(struct opa_reader *r)
{
	const struct bl_opa_config *out = r->out;

	if (out->verification || opa_is_private_line(out->service->url))
		return BL_OK;
	return opa_config_fail(
		r, "bundles.", out->name,
		"an unsigned bundle over http can be changed on the way: "
		"use https, or signing");
}

static enum bl_status check_oci_resource(struct opa_reader *r,
					 struct bl_str resource)
{
	struct opa_oci_name name;

	return opa_oci_parse(resource, &name)
		       ? BL_OK
		       : opa_config_fail(r, "bundles.", BL_STR("resource"),
					 "of a registry this is "
					 "HOST[:PORT]/NAME:TAG or "
					 "HOST[:PORT]/NAME@sha256:DIGEST");
}

static enum bl_status read_bundle(struct opa_reader *r, struct bl_value bundles,
				  struct bl_value keys)
{
	struct bl_value bundle = bl_object_value(bundles, 0);
	struct bl_opa_config *out = r->out;
	enum bl_status status;

	if (!bl_value_is(bundles, BL_KIND_OBJECT) ||
	    bl_value_count(bundles) != 1)
		return opa_config_fail(
			r, "bundles", BL_STR(""),
			"belay follows exactly one bundle: join them with "
			"opa build, and name that one");
	out->name = bl_value_text(bl_object_key(bundles, 0));
	status = opa_check_keys(r, "bundles.", bundle, bundle_keys,
				BL_COUNT(bundle_keys));
	if (!status)
		status = find_service(r, "bundles.", bundle, &out->service);
	out->resource = bl_arena_printf(r->arena, "bundles/%.*s",
					BL_STR_ARG(out->name));
	if (!out->resource.ptr)
		return bl_arena_fail(r->arena, r->err);
	if (!status)
		status = opa_get_text(r, "bundles.", bundle, "resource",
				      &out->resource);
	out->resource = without_slash(out->resource);
	if (!status && (!out->resource.len || !opa_is_one_word(out->resource)))
		status = opa_config_fail(r, "bundles.", BL_STR("resource"),
					 "this is not a path of a URL");
	if (!status && out->service->is_oci)
		status = check_oci_resource(r, out->resource);
	if (!status)
		status = read_polling(r, opa_member(bundle, "polling"));
	if (!status && bl_value_is_defined(opa_member(bundle, "signing")))
		status = read_signing(r, opa_member(bundle, "signing"), keys);
	return status ? status : check_trust(r);
}

/* ---- where to post -------------------------------------------------------------- */

/* decision_logs or status; NAME[/PARTITION] is the resource. */
static enum bl_status read_post(struct opa_reader *r, const char *place,
				struct bl_value object, const char *name,
				struct bl_opa_target *out)
{
	struct bl_str partition = { NULL, 0 };
	enum bl_status status;

	if (!bl_value_is_defined(object))
		return BL_OK;
	status = opa_check_keys(r, place, object, post_keys,
				BL_COUNT(post_keys));
	if (!status)
		status = find_service(r, place, object, &out->service);
	if (!status && out->service->is_oci)
		status = opa_config_fail(
			r, place, BL_STR("service"),
			"a registry takes neither status nor decisions");
	if (!status)
		status = opa_get_text(r, place, object, "partition_name",
				      &partition);
	out->resource = partition.len
				? bl_arena_printf(r->arena, "%s/%.*s", name,
						  BL_STR_ARG(partition))
				: bl_str(name);
	if (!out->resource.ptr)
		return bl_arena_fail(r->arena, r->err);
	if (!status)
		status = opa_get_text(r, place, object, "resource",
				      &out->resource);
	out->resource = without_slash(out->resource);
	if (!status && !opa_is_one_word(out->resource))
		status = opa_config_fail(r, place, BL_STR("resource"),
					 "this is not a path of a URL");
	return status;
}

static enum bl_status read_labels(struct opa_reader *r, struct bl_value labels)
{
	if (!bl_value_is_defined(labels)) {
		struct bl_object_builder none;

		bl_object_builder_init(&none, r->arena);
		labels = bl_object_builder_end(&none);
	}
	if (!bl_value_is(labels, BL_KIND_OBJECT))
		return opa_config_fail(r, "labels", BL_STR(""),
				       "this is not an object");
	for (size_t i = 0; i < bl_value_count(labels); i++)
		if (!bl_value_is(bl_object_value(labels, i), BL_KIND_STRING))
			return opa_config_fail(
				r, "labels.",
				bl_value_text(bl_object_key(labels, i)),
				"this is not a text");
	r->out->labels = labels;
	return BL_OK;
}

/* ---- the file ------------------------------------------------------------------- */

static enum bl_status read_all(struct opa_reader *r, struct bl_value config)
{
	struct bl_opa_config *out = r->out;
	enum bl_status status;

	if (!bl_value_is(config, BL_KIND_OBJECT))
		return opa_config_fail(r, "the file", BL_STR(""),
				       "this is not an object");
	status = opa_check_keys(r, "", config, top_keys, BL_COUNT(top_keys));
	if (!status)
		status = opa_read_services(r, opa_member(config, "services"));
	if (!status)
		status = read_bundle(r, opa_member(config, "bundles"),
				     opa_member(config, "keys"));
	if (!status)
		status = read_labels(r, opa_member(config, "labels"));
	if (!status)
		status = read_post(r, "decision_logs.",
				   opa_member(config, "decision_logs"), "logs",
				   &out->log);
	if (!status)
		status = read_post(r, "status.", opa_member(config, "status"),
				   "status", &out->status);
	return status;
}

enum bl_status bl_opa_parse_config(struct bl_str file, struct bl_str text,
				   struct bl_arena *arena,
				   struct bl_opa_config *out,
				   struct bl_error *err)
{
	struct opa_reader r = {
		.file = file, .arena = arena, .out = out, .err = err
	};
	struct bl_value config;
	enum bl_status status;

	*out = (struct bl_opa_config){ .file = file };
	bl_array_builder_init(&r.warnings, arena);
	if (bl_str_find(text, BL_STR("${"), 0) != SIZE_MAX)
		return opa_config_fail(
			&r, "", BL_STR("${...}"),
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

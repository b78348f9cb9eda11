/* SPDX-License-Identifier: Apache-2.0 */
/* Is a bundle what was signed?  Messages are OPA's where it has one. */
#include "rego/bundle/private.h"
#include "json/json.h"
#include "os/os.h"

struct verifier {
	struct bl_arena *arena;
	const struct bl_bundle_verification *how;
	struct bl_value named; /* files of the signature, by their names */
	bool *seen;
	struct bl_error *err;
};

static struct bl_value member(struct bl_value object, const char *name)
{
	return bl_object_find(object, bl_str(name));
}

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(member(object, name));
}

/* The one token. */
static enum bl_status find_token(struct verifier *v, struct bl_value signatures,
				 struct bl_str *out_token)
{
	struct bl_value list = member(signatures, "signatures");
	struct bl_str plugin = text_of(signatures, "plugin");

	if (plugin.len && !bl_str_is(plugin, "_default"))
		return bl_fail(v->err, BL_INVALID,
			       "no verifier exists under id %.*s",
			       BL_STR_ARG(plugin));
	if (bl_value_count(list) > 1)
		return bl_fail(v->err, BL_INVALID,
			       ".signatures.json: multiple JWTs not supported "
			       "(expected exactly one)");
	*out_token = bl_value_text(bl_value_item(list, 0));
	if (out_token->len)
		return BL_OK;
	return bl_fail(v->err, BL_INVALID,
		       ".signatures.json: missing JWT (expected exactly one)");
}

/* Takes the files that a genuine token names. */
static enum bl_status take_payload(struct verifier *v, struct bl_str text)
{
	struct bl_value payload = bl_value_undefined();
	struct bl_value files;
	struct bl_object_builder named;
	enum bl_status status = bl_json_read(v->arena, text, NULL, &payload,
					     NULL, NULL, v->err);

	if (status) {
		bl_error_context(v->err, "payload of the JWT");
		return status;
	}
	if (!bl_str_equal(text_of(payload, "scope"), v->how->scope))
		return bl_fail(v->err, BL_INVALID, "scope mismatch");
	files = member(payload, "files");
	bl_object_builder_init(&named, v->arena);
	for (size_t i = 0; i < bl_value_count(files); i++) {
		struct bl_value file = bl_value_item(files, i);
		struct bl_str name = text_of(file, "name");

		if (name.len)
			bl_object_builder_add(&named, name, file);
	}
	v->named = bl_object_builder_end(&named);
	v->seen = bl_arena_new_array(v->arena, bool,
				     bl_value_count(v->named) + 1);
	return v->seen && bl_value_is_defined(v->named)
		       ? BL_OK
		       : bl_arena_fail(v->arena, v->err);
}

static bool is_excluded(const struct verifier *v, struct bl_str name)
{
	for (size_t i = 0; i < v->how->excluded_count; i++)
		if (bundle_match(v->arena, v->how->excluded[i], name))
			return true;
	return false;
}

static bool same_digest(struct bl_str a, struct bl_str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if ((a.ptr[i] | 0x20) != (b.ptr[i] | 0x20))
			return false;
	return true;
}

static enum bl_status check_digest(struct verifier *v, struct bl_value file,
				   struct bl_str name, struct bl_str text)
{
	struct bl_str algorithm = text_of(file, "algorithm");
	struct bl_str wanted = text_of(file, "hash");
	struct bl_buf hex;
	enum bl_status status;

	if (!algorithm.len)
		return bl_fail(v->err, BL_INVALID,
			       "no hashing algorithm provided for file %.*s",
			       BL_STR_ARG(name));
	bl_buf_init(&hex, 0);
	status = bundle_digest(v->arena, algorithm, name, text, &hex, v->err);
	if (!status && !same_digest(wanted, bl_buf_str(&hex)))
		status = bl_fail(v->err, BL_INVALID,
				 "%.*s: digest mismatch (want: %.*s, got: %s)",
				 BL_STR_ARG(name), BL_STR_ARG(wanted), hex.ptr);
	bl_buf_clear(&hex);
	return status;
}

static enum bl_status check_file(struct verifier *v, struct bl_str name,
				 struct bl_str text)
{
	size_t i = bl_object_find_index(v->named, bl_value_string(name));
	bool excluded = is_excluded(v, name);

	if (i < bl_value_count(v->named))
		v->seen[i] = true;
	if (excluded)
		return BL_OK;
	if (i >= bl_value_count(v->named))
		return bl_fail(v->err, BL_INVALID,
			       "file %.*s not included in bundle signature",
			       BL_STR_ARG(name));
	return check_digest(v, bl_object_value(v->named, i), name, text);
}

/* Every signed file has to be there. */
static enum bl_status check_all_seen(struct verifier *v)
{
	for (size_t i = 0; i < bl_value_count(v->named); i++) {
		struct bl_str name = bl_value_text(bl_object_key(v->named, i));

		if (!v->seen[i])
			return bl_fail(
				v->err, BL_INVALID,
				"file(s) [%.*s] specified in bundle signatures "
				"but not found in the target bundle",
				BL_STR_ARG(name));
	}

	return BL_OK;
}

static enum bl_status check_files(struct verifier *v, struct bl_str folder,
				  const struct bl_bundle_files *files)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < files->count; i++) {
		struct bl_str path = files->items[i].path;
		struct bl_str name = bundle_signed_name(v->arena, folder, path);

		if (!name.ptr)
			return bl_arena_fail(v->arena, v->err);
		if (!bl_str_is(bl_path_base(path), BUNDLE_SIGNATURES))
			status = check_file(v, name, files->items[i].text);
	}
	return status ? status : check_all_seen(v);
}

/* A file of signatures with neither list nor plugin does not count. */
static bool is_signed(struct bl_value signatures)
{
	return bl_value_is_defined(member(signatures, "signatures")) ||
	       text_of(signatures, "plugin").len;
}

enum bl_status bundle_verify(struct bl_arena *arena,
			     const struct bl_bundle_verification *how,
			     struct bl_value signatures, struct bl_str name,
			     const struct bl_bundle_files *files,
			     struct bl_error *err)
{
	struct verifier v = { .arena = arena, .how = how, .err = err };
	struct bl_str token;
	struct bl_str payload;
	enum bl_status status;

	if (!is_signed(signatures))
		return how ? bl_fail(err, BL_INVALID,
				     "bundle missing .signatures.json file")
			   : BL_OK;
	if (!how)
		return bl_fail(err, BL_INVALID,
			       "verification key not provided");
	status = find_token(&v, signatures, &token);
	if (!status)
		status = bl_rego_verify_token(arena, &how->key, token, &payload,
					      err);
	if (!status)
		status = take_payload(&v, payload);
	return status ? status : check_files(&v, name, files);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* .manifest: what it says, and what it may not. */
#include "rego/bundle/private.h"
#include "json/json.h"

enum { MAX_ROOTS = 10000 };

static enum bl_status not_a(struct bl_error *err, const char *member,
			    const char *what)
{
	return bl_fail(err, BL_INVALID,
		       "bundle load failed on manifest decode: '%s' is not %s",
		       member, what);
}

/* Without "/" at both ends. */
static struct bl_str trim(struct bl_str root)
{
	while (root.len && root.ptr[0] == '/')
		root = bl_str_slice(root, 1, SIZE_MAX);
	while (root.len && root.ptr[root.len - 1] == '/')
		root.len--;
	return root;
}

static enum bl_status set_roots(struct bl_arena *arena, struct bl_value roots,
				struct bl_bundle_manifest *manifest,
				struct bl_error *err)
{
	size_t count = bl_value_count(roots);

	if (count > MAX_ROOTS)
		return bl_fail(err, BL_LIMIT, "manifest: more than %d roots",
			       MAX_ROOTS);
	manifest->roots = bl_arena_new_array(arena, struct bl_str, count + 1);
	if (!manifest->roots)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++) {
		struct bl_value root = bl_value_item(roots, i);

		if (!bl_value_is(root, BL_KIND_STRING))
			return not_a(err, "roots", "an array of strings");
		manifest->roots[i] = trim(bl_value_text(root));
	}
	manifest->root_count = count;
	return bundle_check_own_roots(manifest, err);
}

enum bl_status bundle_default_manifest(struct bl_arena *arena,
				       struct bl_bundle_manifest *out_manifest,
				       struct bl_error *err)
{
	struct bl_value all = bl_value_string(BL_STR(""));

	*out_manifest = (struct bl_bundle_manifest){
		.revision = BL_STR(""), .rego_version = BL_BUNDLE_NO_VERSION
	};
	all = bl_array_make(arena, &all, 1);
	if (!bl_value_is_defined(all))
		return bl_arena_fail(arena, err);
	return set_roots(arena, all, out_manifest, err);
}

/* ---- versions ------------------------------------------------------------- */

static enum bl_status read_version(struct bl_value value, int *out_version,
				   struct bl_str file, struct bl_error *err)
{
	int64_t number;

	if (!bl_number_to_integer(value, &number))
		return not_a(err,
			     file.ptr ? "file_rego_versions" : "rego_version",
			     "made of integers");
	*out_version = number == 0 ? 0 : 1;
	if (number == 0 || number == 1)
		return BL_OK;
	if (file.ptr)
		return bl_fail(err, BL_INVALID,
			       "manifest has unknown rego-version %lld for "
			       "file '%.*s'",
			       (long long)number, BL_STR_ARG(file));
	return bl_fail(err, BL_INVALID,
		       "manifest has unknown rego-version %lld",
		       (long long)number);
}

static enum bl_status check_file_versions(struct bl_value versions,
					  struct bl_error *err)
{
	enum bl_status status = BL_OK;
	int version;

	for (size_t i = 0; !status && i < bl_value_count(versions); i++)
		status = read_version(bl_object_value(versions, i), &version,
				      bl_value_text(bl_object_key(versions, i)),
				      err);
	return status;
}

/*
 * Rego has OPA's globs, so the patterns are asked there: the first in order
 * that matches.
 */
static enum bl_status ask_globs(struct bl_arena *arena,
				struct bl_value versions, struct bl_str path,
				struct bl_value *out_version,
				struct bl_error *err)
{
	static const char query[] =
		"v := [n | some p in sort(object.keys(input.globs)); "
		"glob.match(p, null, input.path); n := input.globs[p]][0]";
	struct bl_member members[] = {
		{ bl_value_string(BL_STR("globs")), versions },
		{ bl_value_string(BL_STR("path")), bl_value_string(path) },
	};
	struct bl_rego_options options = {
		.input = bl_object_make(arena, members, BL_COUNT(members), NULL)
	};
	const struct bl_rego_policies *none;
	struct bl_rego_result result;
	struct bl_diags diags;
	enum bl_status status;

	bl_diags_init(&diags, arena);
	status = bl_rego_compile(arena, NULL, 0, NULL, &diags, &none, err);
	if (!status)
		status = bl_rego_query(none, bl_str(query), &options, arena,
				       &diags, &result, err);
	if (status)
		return status;
	*out_version = bl_object_find(
		bl_object_find(bl_value_item(result.solutions, 0),
			       BL_STR("bindings")),
		BL_STR("v"));
	return BL_OK;
}

enum bl_status bundle_module_version(struct bl_arena *arena,
				     const struct bl_bundle_manifest *manifest,
				     struct bl_str path, int *out_version,
				     struct bl_error *err)
{
	struct bl_value version = bl_value_undefined();
	enum bl_status status = BL_OK;

	*out_version = manifest->rego_version;
	if (bl_value_count(manifest->file_rego_versions))
		status = ask_globs(arena, manifest->file_rego_versions, path,
				   &version, err);
	if (status || !bl_value_is_defined(version))
		return status;
	return read_version(version, out_version, path, err);
}

/* ---- the whole ------------------------------------------------------------ */

/* A member of a kind, undefined when it is missing or null. */
static enum bl_status take(struct bl_value object, const char *name,
			   enum bl_kind kind, struct bl_value *out_value,
			   struct bl_error *err)
{
	*out_value = bl_object_find(object, bl_str(name));
	if (bl_value_is(*out_value, BL_KIND_NULL))
		*out_value = bl_value_undefined();
	if (!bl_value_is_defined(*out_value) || bl_value_is(*out_value, kind))
		return BL_OK;
	return bl_fail(err, BL_INVALID,
		       "bundle load failed on manifest decode: '%s' is not %s "
		       "%s",
		       name,
		       kind == BL_KIND_ARRAY || kind == BL_KIND_OBJECT ? "an"
								       : "a",
		       bl_kind_name(kind));
}

enum bl_status bundle_read_manifest(struct bl_arena *arena, struct bl_str text,
				    struct bl_bundle_manifest *out_manifest,
				    struct bl_error *err)
{
	struct bl_bundle_manifest *m = out_manifest;
	struct bl_value all, roots, revision, version;
	enum bl_status status =
		bl_json_read(arena, text, NULL, &all, NULL, NULL, err);

	if (status) {
		bl_error_context(err, "bundle load failed on manifest decode");
		return status;
	}
	status = bundle_default_manifest(arena, m, err);
	if (status || bl_value_is(all, BL_KIND_NULL))
		return status;
	if (!bl_value_is(all, BL_KIND_OBJECT))
		return not_a(err, ".manifest", "an object");
	const struct {
		const char *name;
		enum bl_kind kind;
		struct bl_value *value;
	} rows[] = {
		{ "revision", BL_KIND_STRING, &revision },
		{ "roots", BL_KIND_ARRAY, &roots },
		{ "rego_version", BL_KIND_NUMBER, &version },
		{ "file_rego_versions", BL_KIND_OBJECT,
		  &m->file_rego_versions },
		{ "metadata", BL_KIND_OBJECT, &m->metadata },
		{ "wasm", BL_KIND_ARRAY, &m->wasm },
	};
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		status = take(all, rows[i].name, rows[i].kind, rows[i].value,
			      err);
		if (status)
			return status;
	}
	if (bl_value_is_defined(revision))
		m->revision = bl_value_text(revision);
	if (bl_value_is_defined(roots))
		status = set_roots(arena, roots, m, err);
	if (!status && bl_value_is_defined(version))
		status = read_version(version, &m->rego_version,
				      (struct bl_str){ 0 }, err);
	return status ? status
		      : check_file_versions(m->file_rego_versions, err);
}

struct bl_value
bl_bundle_manifest_value(struct bl_arena *arena,
			 const struct bl_bundle_manifest *manifest)
{
	struct bl_object_builder all;
	struct bl_array_builder roots;

	bl_array_builder_init(&roots, arena);
	for (size_t i = 0; i < manifest->root_count; i++)
		bl_array_builder_add(&roots,
				     bl_value_string(manifest->roots[i]));
	bl_object_builder_init(&all, arena);
	bl_object_builder_add(&all, BL_STR("revision"),
			      bl_value_string(manifest->revision));
	bl_object_builder_add(&all, BL_STR("roots"),
			      bl_array_builder_end(&roots));
	bl_object_builder_add(&all, BL_STR("wasm"), manifest->wasm);
	if (manifest->rego_version != BL_BUNDLE_NO_VERSION)
		bl_object_builder_add(&all, BL_STR("rego_version"),
				      bl_value_integer(manifest->rego_version));
	if (bl_value_count(manifest->file_rego_versions))
		bl_object_builder_add(&all, BL_STR("file_rego_versions"),
				      manifest->file_rego_versions);
	if (bl_value_count(manifest->metadata))
		bl_object_builder_add(&all, BL_STR("metadata"),
				      manifest->metadata);
	return bl_object_builder_end(&all);
}

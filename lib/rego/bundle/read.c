/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder or an archive as a bundle: each file to what it is, by its name.
 * Where the files come from is folder.c's and unpack.c's matter.
 */
#include "rego/bundle/private.h"
#include "json/json.h"
#include "os/os.h"
#include "yaml/yaml.h"

struct reader {
	struct bl_arena *arena;
	struct bl_bundle *bundle;
	struct bl_str name; /* of the bundle, as it is shown before paths */
	struct bl_bundle_files files;
	const struct bl_bundle_options *options;
	struct bl_str manifest_shown; /* ptr NULL: none yet */
	struct bl_error *err;
};

static enum bl_status no_memory(const struct reader *r)
{
	return bl_arena_fail(r->arena, r->err);
}

/* ---- what files are -------------------------------------------------------- */

/* Puts value under the names of the folders that the file is in. */
static struct bl_value wrap(const struct reader *r, struct bl_str path,
			    struct bl_value value)
{
	for (struct bl_str folder = bl_path_dir(path); !bl_str_is(folder, ".");
	     folder = bl_path_dir(folder)) {
		struct bl_object_builder outer;

		bl_object_builder_init(&outer, r->arena);
		bl_object_builder_add(&outer, bl_path_base(folder), value);
		value = bl_object_builder_end(&outer);
	}
	return value;
}

static enum bl_status add_data(struct reader *r,
			       const struct bl_bundle_file *file,
			       enum bl_status status, struct bl_value value)
{
	struct bl_bundle *bundle = r->bundle;

	if (status) {
		bl_error_context(r->err, "bundle load failed on %.*s",
				 BL_STR_ARG(file->shown));
		return status;
	}
	value = wrap(r, file->path, value);
	if (!bl_value_is_defined(value))
		return no_memory(r);
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return bl_fail(r->err, BL_INVALID,
			       "bundle load failed on %.*s: root value must be "
			       "object",
			       BL_STR_ARG(file->shown));
	status = bl_bundle_merge(r->arena, bundle->data, value, &bundle->data,
				 r->err);
	if (status == BL_INVALID)
		return bl_fail(r->err, status,
			       "bundle load failed on %.*s: failed to insert "
			       "data file: what it gives is there already",
			       BL_STR_ARG(file->shown));
	return status;
}

static struct bl_bundle_entry entry_of(const struct reader *r,
				       const struct bl_bundle_file *file)
{
	struct bl_bundle_entry entry = { .path = file->path,
					 .shown = file->shown };

	entry.url = bl_arena_printf(r->arena, "%.*s/%.*s", BL_STR_ARG(r->name),
				    BL_STR_ARG(file->path));
	if (r->files.is_folder)
		entry.shown = bl_str_is(r->name, ".") ? file->path : entry.url;
	if (r->files.is_folder)
		entry.url = entry.shown;
	return entry;
}

static enum bl_status list_data(struct reader *r,
				const struct bl_bundle_file *file)
{
	struct bl_bundle_entry entry = entry_of(r, file);

	r->bundle->data_files[r->bundle->data_file_count++] = entry;
	return entry.url.ptr ? BL_OK : no_memory(r);
}

static enum bl_status take_json(struct reader *r,
				const struct bl_bundle_file *file)
{
	static const struct bl_json_options deep = {
		.max_depth = BL_JSON_MAX_DEPTH
	};
	struct bl_value value = bl_value_undefined();
	enum bl_status status = list_data(r, file);

	if (status || r->options->list_data)
		return status;
	status = bl_json_read(r->arena, file->text, &deep, &value, NULL, NULL,
			      r->err);
	return add_data(r, file, status, value);
}

static enum bl_status take_yaml(struct reader *r,
				const struct bl_bundle_file *file)
{
	struct bl_value value = bl_value_undefined();
	enum bl_status status = list_data(r, file);

	if (status || r->options->list_data)
		return status;
	status = bl_yaml_read(r->arena, file->text, &value, NULL, NULL, r->err);
	return add_data(r, file, status, value);
}

static enum bl_status take_module(struct reader *r,
				  const struct bl_bundle_file *file)
{
	struct bl_bundle_entry entry = entry_of(r, file);

	r->bundle->modules[r->bundle->module_count++] =
		(struct bl_bundle_module){
			.shown = entry.shown,
			.url = entry.url,
			.text = file->text,
		};
	return entry.url.ptr ? BL_OK : no_memory(r);
}

static enum bl_status take_manifest(struct reader *r,
				    const struct bl_bundle_file *file)
{
	if (r->manifest_shown.ptr)
		return bl_fail(r->err, BL_INVALID,
			       "bundle contains multiple manifest files: "
			       "\"%.*s\" and \"%.*s\"",
			       BL_STR_ARG(r->manifest_shown),
			       BL_STR_ARG(file->shown));
	r->manifest_shown = file->shown;
	return bundle_read_manifest(r->arena, file->text, &r->bundle->manifest,
				    r->err);
}

static enum bl_status take_plan(struct reader *r,
				const struct bl_bundle_file *file)
{
	enum bl_status status;

	if (bl_value_is_defined(r->bundle->plan))
		return bl_fail(r->err, BL_INVALID, "it has two plans");
	status = bl_json_read(r->arena, file->text, NULL, &r->bundle->plan,
			      NULL, NULL, r->err);
	if (status)
		bl_error_context(r->err, "%.*s", BL_STR_ARG(file->shown));
	return status;
}

static enum bl_status take_wasm(struct reader *r,
				const struct bl_bundle_file *file)
{
	struct bl_bundle_entry entry = entry_of(r, file);

	r->bundle->wasm_files[r->bundle->wasm_file_count++] = entry;
	return entry.url.ptr ? BL_OK : no_memory(r);
}

static enum bl_status refuse_delta(struct reader *r,
				   const struct bl_bundle_file *file)
{
	(void)file;
	return bl_fail(r->err, BL_UNSUPPORTED,
		       "it is a delta (patch.json); only whole bundles are "
		       "read");
}

static enum bl_status refuse_proto(struct reader *r,
				   const struct bl_bundle_file *file)
{
	return bl_fail(r->err, BL_UNSUPPORTED,
		       "%.*s: protobuf is not read; build the bundle with "
		       "JSON",
		       BL_STR_ARG(file->shown));
}

/* It was read before all others. */
static enum bl_status leave_out(struct reader *r,
				const struct bl_bundle_file *file)
{
	(void)r;
	(void)file;
	return BL_OK;
}

/* The first row that fits counts; all other files are left out. */
static const struct {
	const char *end; /* of the name */
	bool is_name;    /* and nothing before it but folders */
	bool has_text;   /* it is of use to read the file */
	enum bl_status (*take)(struct reader *r,
			       const struct bl_bundle_file *file);
} kinds[] = {
	{ ".rego", false, true, take_module },
	{ "policy.wasm", true, false, take_wasm },
	{ "plan.json", true, true, take_plan },
	{ "plan.pb", true, false, refuse_proto },
	{ "data.json", true, true, take_json },
	{ "data.yaml", true, true, take_yaml },
	{ "data.yml", true, true, take_yaml },
	{ BUNDLE_SIGNATURES, true, true, leave_out },
	{ "patch.json", true, false, refuse_delta },
	{ ".manifest.pb", false, false, refuse_proto },
	{ ".manifest", false, true, take_manifest },
};

static size_t kind_of(struct bl_str path)
{
	struct bl_str base = bl_path_base(path);
	size_t i = 0;

	while (i < BL_COUNT(kinds) &&
	       !(kinds[i].is_name
			 ? bl_str_is(base, kinds[i].end)
			 : bl_str_has_suffix(base, bl_str(kinds[i].end))))
		i++;
	return i;
}

enum bundle_use bundle_use_of(struct bl_str path)
{
	size_t kind = kind_of(path);

	if (kind == BL_COUNT(kinds))
		return BUNDLE_UNUSED;
	return kinds[kind].has_text ? BUNDLE_READ : BUNDLE_LISTED;
}

/* ---- the whole -------------------------------------------------------------- */

static enum bl_status parse_module(struct reader *r,
				   struct bl_bundle_module *module,
				   struct bl_str path)
{
	const struct bl_rego_module *tree;
	size_t offset = 0;
	int version;
	enum bl_status status = bundle_module_version(
		r->arena, &r->bundle->manifest, path, &version, r->err);

	if (status)
		return status;
	module->v0 =
		version == BL_BUNDLE_NO_VERSION ? r->options->v0 : version == 0;
	status = bl_rego_parse(r->arena, module->shown, module->text,
			       module->v0, &tree, &offset, r->err);
	if (status == BL_SYNTAX || status == BL_LIMIT) {
		bl_error_context(r->err, "%.*s:%u: rego_parse_error",
				 BL_STR_ARG(module->shown),
				 bl_place_at(module->text, offset).line);
		return status;
	}
	if (status)
		return status;
	module->package = bl_rego_package_path(r->arena, tree);
	return bl_value_is_defined(module->package) ? BL_OK : no_memory(r);
}

/* Modules come behind the manifest, which says their version. */
static enum bl_status parse_modules(struct reader *r)
{
	size_t at = 0;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < r->files.count; i++) {
		const struct bl_bundle_file *file = &r->files.items[i];
		size_t kind = kind_of(file->path);
		struct bl_str path = file->shown;

		if (kind == BL_COUNT(kinds) || kinds[kind].take != take_module)
			continue;
		if (r->files.is_folder)
			path = bl_arena_printf(r->arena, "/%.*s",
					       BL_STR_ARG(file->path));
		status = path.ptr ? parse_module(r, &r->bundle->modules[at++],
						 path)
				  : no_memory(r);
	}
	return status;
}

/* The WebAssembly file that a name in the manifest means. */
static struct bl_str wasm_named(const struct bl_bundle *bundle,
				struct bl_str name)
{
	while (name.len && name.ptr[0] == '/')
		name = bl_str_slice(name, 1, SIZE_MAX);
	for (size_t i = 0; i < bundle->wasm_file_count; i++)
		if (bl_str_equal(bundle->wasm_files[i].path, name))
			return bundle->wasm_files[i].shown;
	return (struct bl_str){ 0 };
}

/* The manifest names WebAssembly files as the bundle shows them. */
static enum bl_status resolve_wasm(struct reader *r)
{
	struct bl_value old = r->bundle->manifest.wasm;
	struct bl_array_builder list;

	if (!bl_value_is_defined(old))
		return BL_OK;
	bl_array_builder_init(&list, r->arena);
	for (size_t i = 0; i < bl_value_count(old); i++) {
		struct bl_value row = bl_value_item(old, i);
		struct bl_str name =
			bl_value_text(bl_object_find(row, BL_STR("module")));
		struct bl_str shown = wasm_named(r->bundle, name);
		struct bl_object_builder one;

		if (!shown.ptr)
			return bl_fail(r->err, BL_INVALID,
				       "manifest references wasm module "
				       "'%.*s' but the module file does not "
				       "exist",
				       BL_STR_ARG(name));
		bl_object_builder_init(&one, r->arena);
		bl_object_builder_add(
			&one, BL_STR("entrypoint"),
			bl_object_find(row, BL_STR("entrypoint")));
		bl_object_builder_add(&one, BL_STR("module"),
				      bl_value_string(shown));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	r->bundle->manifest.wasm = bl_array_builder_end(&list);
	return bl_value_is_defined(r->bundle->manifest.wasm) ? BL_OK
							     : no_memory(r);
}

static enum bl_status take_signatures(struct reader *r,
				      const struct bl_bundle_file *file)
{
	struct bl_value *signatures = &r->bundle->signatures;
	enum bl_status status;

	if (bl_value_is_defined(*signatures))
		return bl_fail(r->err, BL_INVALID,
			       "bundle contains multiple signatures files");
	status = bl_json_read(r->arena, file->text, NULL, signatures, NULL,
			      NULL, r->err);
	if (status)
		bl_error_context(r->err,
				 "bundle load failed on signatures decode");
	return status;
}

/* They come before all that they vouch for. */
static enum bl_status check_signatures(struct reader *r)
{
	const struct bl_bundle_options *options = r->options;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < r->files.count; i++)
		if (bl_str_is(bl_path_base(r->files.items[i].path),
			      BUNDLE_SIGNATURES))
			status = take_signatures(r, &r->files.items[i]);
	if (status || options->skip_verify)
		return status;
	return bundle_verify(
		r->arena, options->verification, r->bundle->signatures,
		r->files.is_folder ? r->name : BL_STR(""), &r->files, r->err);
}

static enum bl_status take_files(struct reader *r)
{
	struct bl_bundle *bundle = r->bundle;
	size_t count = r->files.count + 1;
	enum bl_status status =
		bundle_default_manifest(r->arena, &bundle->manifest, r->err);

	if (status)
		return status;
	bundle->data = bl_object_make(r->arena, NULL, 0, NULL);
	bundle->modules =
		bl_arena_new_array(r->arena, struct bl_bundle_module, count);
	bundle->data_files =
		bl_arena_new_array(r->arena, struct bl_bundle_entry, count);
	bundle->wasm_files =
		bl_arena_new_array(r->arena, struct bl_bundle_entry, count);
	if (!bundle->modules || !bundle->data_files || !bundle->wasm_files)
		return no_memory(r);
	status = check_signatures(r);
	for (size_t i = 0; !status && i < r->files.count; i++) {
		const struct bl_bundle_file *file = &r->files.items[i];
		size_t kind = kind_of(file->path);

		if (kind < BL_COUNT(kinds))
			status = kinds[kind].take(r, file);
	}
	if (!status)
		status = resolve_wasm(r);
	if (!status)
		status = parse_modules(r);
	return status ? status : bundle_check_content(r->arena, bundle, r->err);
}

static enum bl_status read_archive(struct bl_arena *arena, struct bl_str path,
				   const struct bl_bundle_options *options,
				   struct bl_bundle_files *files,
				   struct bl_error *err)
{
	struct bl_str archive;
	size_t kept = 0;
	enum bl_status status = bl_os_read_file(path, 0, BL_BUNDLE_MAX_BYTES,
						arena, &archive, NULL, err);

	if (!status)
		status = bl_bundle_unpack(arena, archive, 0, files, err);
	for (size_t i = 0; !status && i < files->count; i++)
		if (!bl_bundle_is_ignored(arena, options, files->items[i].path))
			files->items[kept++] = files->items[i];
	files->count = kept;
	return status;
}

struct bl_str bundle_clean_name(struct bl_str path)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	if (path.len > 2 && bl_str_has_prefix(path, BL_STR("./")))
		path = bl_str_slice(path, 2, SIZE_MAX);
	return path;
}

enum bl_status bundle_read_files(struct bl_arena *arena, struct bl_str path,
				 const struct bl_bundle_options *options,
				 bool all, struct bl_bundle_files *out_files,
				 struct bl_error *err)
{
	struct bl_str inside = bl_path_join(arena, path, BL_STR("."));
	struct bl_file_info info;
	enum bl_status status;

	if (!inside.ptr)
		return bl_arena_fail(arena, err);
	status = bl_os_info_path(path, &info, err);
	if (!status && info.type == BL_FILE_LINK)
		/* the path that was given may be a link */
		out_files->is_folder =
			bl_os_info_path(inside, &info, NULL) == BL_OK;
	else
		out_files->is_folder =
			!status && info.type == BL_FILE_DIRECTORY;
	if (status)
		return status;
	return out_files->is_folder
		       ? bundle_read_folder(arena, inside, options, all,
					    out_files, err)
		       : read_archive(arena, path, options, out_files, err);
}

enum bl_status bl_bundle_read(struct bl_arena *arena, struct bl_str path,
			      const struct bl_bundle_options *options,
			      struct bl_bundle *out_bundle,
			      struct bl_error *err)
{
	static const struct bl_bundle_options none;
	struct reader r = { .arena = arena,
			    .bundle = out_bundle,
			    .name = bundle_clean_name(path),
			    .options = options ? options : &none,
			    .err = err };
	enum bl_status status;

	*out_bundle = (struct bl_bundle){ .name = path };
	status = bundle_read_files(arena, path, r.options,
				   r.options->verification != NULL, &r.files,
				   err);
	if (!status)
		status = take_files(&r);
	if (status)
		bl_error_context(err, "bundle %.*s", BL_STR_ARG(path));
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Policies and data from files, folders, bundles and images. */
#include "cli/rego/files.h"

#include <unistd.h>

#include "cli/rego/image.h"
#include "json/json.h"
#include "os/os.h"
#include "yaml/yaml.h"

enum {
	MAX_FILE_BYTES = 64 << 20,
	LARGE_DATA_BYTES = 64 << 10, /* worth being compact */
	MAX_NAMES = 10000,           /* in one folder */
	MAX_DEPTH = 32,              /* of folders */
	MAX_DATA_DEPTH = 1000,       /* that a conflict is looked for */
};

/* A file of data, for messages about those that disagree. */
struct data_file {
	struct data_file *older;
	struct bl_str path;
	struct bl_value value;
};

struct reader {
	struct cli *cli;
	struct cli_rego_files *files;
	size_t source_cap;
	/* names of the prefix and the folders on the way */
	struct bl_str keys[MAX_DEPTH];
	size_t depth;
	struct data_file *data_files; /* newest first; those that agree */
	bool has_conflict;
	struct bl_diags *diags; /* NULL: only the last conflict is told */
	bool modules_only;
	const struct bl_bundle_options *options; /* may be NULL */
	struct bl_error *err;
};

static enum bl_status out_of_memory(struct reader *reader)
{
	return bl_arena_fail(&reader->cli->arena, reader->err);
}

static enum bl_status read_text(struct reader *reader, struct bl_str path,
				struct bl_str *out_text)
{
	enum bl_status status =
		bl_os_read_file(path, 0, MAX_FILE_BYTES, &reader->cli->arena,
				out_text, NULL, reader->err);

	if (status)
		bl_error_context(reader->err, "%.*s", BL_STR_ARG(path));
	return status;
}

/* Makes room for count more modules. */
static enum bl_status reserve(struct reader *reader, size_t count)
{
	struct cli_rego_files *files = reader->files;
	size_t needed = files->source_count + count;
	size_t cap = reader->source_cap ? reader->source_cap * 2 : 16;
	struct bl_rego_source *bigger;

	if (needed <= reader->source_cap)
		return BL_OK;
	if (cap < needed)
		cap = needed;
	bigger = bl_arena_new_array(&reader->cli->arena, struct bl_rego_source,
				    cap);
	if (!bigger)
		return out_of_memory(reader);
	if (files->source_count)
		memcpy(bigger, files->sources,
		       files->source_count * sizeof(*bigger));
	files->sources = bigger;
	reader->source_cap = cap;
	return BL_OK;
}

static enum bl_status add_module(struct reader *reader, struct bl_str path)
{
	struct cli_rego_files *files = reader->files;
	enum bl_status status = reserve(reader, 1);

	if (status)
		return status;
	files->sources[files->source_count].file = path;
	files->sources[files->source_count].v0 =
		reader->options && reader->options->v0;
	return read_text(reader, path,
			 &files->sources[files->source_count++].text);
}

/* Where two documents disagree first, into out as a reference; do they? */
static bool find_conflict(struct bl_value a, struct bl_value b, int depth,
			  struct bl_buf *out)
{
	size_t len = out->len;

	if (!bl_value_is(a, BL_KIND_OBJECT) ||
	    !bl_value_is(b, BL_KIND_OBJECT) || depth == MAX_DATA_DEPTH)
		return !bl_value_equal(a, b);
	for (size_t i = 0; i < bl_value_count(b); i++) {
		struct bl_value key = bl_object_key(b, i);
		struct bl_value other = bl_object_find_value(a, key);

		if (!bl_value_is_defined(other))
			continue;
		bl_rego_put_key(out, key);
		if (find_conflict(other, bl_object_value(b, i), depth + 1, out))
			return true;
		out->len = len;
	}
	return false;
}

/* Every file whose data disagrees with that of an older one is told. */
static void name_conflict(struct reader *reader, const struct data_file *newest)
{
	static const struct bl_place nowhere = { 0 };
	const struct data_file *file = newest->older;
	struct bl_diag_source source = { .file = newest->path };
	struct bl_buf path;

	bl_buf_init(&path, 0);
	bl_buf_puts(&path, "data");
	while (file && !find_conflict(file->value, newest->value, 0, &path))
		file = file->older;
	if (file) {
		bl_fail(reader->err, BL_INVALID,
			"%.*s: merge error: conflicting values at %.*s, also "
			"defined in %.*s",
			BL_STR_ARG(newest->path), BL_STR_ARG(path),
			BL_STR_ARG(file->path));
		if (reader->diags)
			bl_diags_add(reader->diags, BL_SEVERITY_ERROR,
				     "data/merge", &source, nowhere, NULL,
				     "merge error: conflicting values at "
				     "%.*s, also defined in %.*s",
				     BL_STR_ARG(path), BL_STR_ARG(file->path));
	}
	bl_buf_clear(&path);
}

static bool is_yaml(struct bl_str path)
{
	return bl_str_has_suffix(path, BL_STR(".yaml")) ||
	       bl_str_has_suffix(path, BL_STR(".yml"));
}

enum bl_status cli_parse_data(struct cli *cli, struct bl_str path,
			      struct bl_str text, struct bl_value *out_value,
			      struct bl_error *err)
{
	static const struct bl_json_options deep = {
		.max_depth = BL_JSON_MAX_DEPTH
	};
	struct bl_place place;
	enum bl_status status;

	if (is_yaml(path)) {
		status = bl_yaml_read(&cli->arena, text, out_value, NULL, NULL,
				      err);
		if (status)
			bl_error_context(err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	status = bl_json_read(&cli->arena, text, &deep, out_value, NULL, &place,
			      err);
	if (status)
		bl_error_context(err, "%.*s:%u:%u", BL_STR_ARG(path),
				 place.line, place.column);
	return status;
}

enum bl_status cli_read_rego_input(struct cli *cli, bool from_stdin,
				   struct bl_str path,
				   struct bl_value *out_input,
				   struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_str text;
	enum bl_status status;

	*out_input = bl_value_undefined();
	if (from_stdin) {
		path = BL_STR("standard input");
		status = cli_read_input(cli, &text, err);
	} else if (path.ptr) {
		status = bl_os_read_file(path, 0, limits.payload_bytes,
					 &cli->arena, &text, NULL, err);
		if (status)
			bl_error_context(err, "%.*s", BL_STR_ARG(path));
	} else {
		return BL_OK;
	}
	return status ? status
		      : cli_parse_data(cli, path, text, out_input, err);
}

/* Puts value under the keys of the reader. */
static struct bl_value wrap(struct reader *reader, struct bl_value value)
{
	for (size_t i = reader->depth; i > 0; i--) {
		struct bl_object_builder outer;

		bl_object_builder_init(&outer, &reader->cli->arena);
		bl_object_builder_add(&outer, reader->keys[i - 1], value);
		value = bl_object_builder_end(&outer);
	}
	return value;
}

/* Data of a file, whose text nobody needs any more. */
static enum bl_status take_data(struct reader *reader, struct bl_str path,
				struct bl_str text, struct bl_value *out_value)
{
	static const struct bl_json_options large = {
		.compact = true,
		.give_back_text = true,
		.max_depth = BL_JSON_MAX_DEPTH,
	};
	struct bl_place place;
	enum bl_status status;

	if (is_yaml(path) || text.len < LARGE_DATA_BYTES)
		return cli_parse_data(reader->cli, path, text, out_value,
				      reader->err);
	status = bl_json_read(&reader->cli->arena, text, &large, out_value,
			      NULL, &place, reader->err);
	if (status)
		bl_error_context(reader->err, "%.*s:%u:%u", BL_STR_ARG(path),
				 place.line, place.column);
	return status;
}

static enum bl_status add_data(struct reader *reader, struct bl_str path)
{
	struct data_file *file =
		bl_arena_new(&reader->cli->arena, struct data_file);
	struct bl_str text;
	struct bl_value value;
	enum bl_status status = read_text(reader, path, &text);

	if (!status)
		status = take_data(reader, path, text, &value);
	if (status)
		return status;
	value = wrap(reader, value);
	if (!file || !bl_value_is_defined(value))
		return out_of_memory(reader);
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return bl_fail(reader->err, BL_INVALID,
			       "%.*s: data at the root must be an object",
			       BL_STR_ARG(path));
	*file = (struct data_file){ reader->data_files, path, value };
	status = bl_bundle_merge(&reader->cli->arena, reader->files->data,
				 value, &reader->files->data, reader->err);
	if (status == BL_INVALID) {
		name_conflict(reader, file);
		reader->has_conflict = true;
		return BL_OK;
	}
	reader->data_files = file;
	return status;
}

static enum bl_status add_path(struct reader *reader, struct bl_str path,
			       bool given);

static enum bl_status add_folder(struct reader *reader, struct bl_str path)
{
	struct bl_str *names;
	size_t count;
	enum bl_status status =
		bl_os_list_dir(path, MAX_NAMES, &reader->cli->arena, &names,
			       &count, reader->err);

	for (size_t i = 0; !status && i < count; i++) {
		struct bl_str child =
			bl_str_is(path, ".") ? names[i]
					     : bl_path_join(&reader->cli->arena,
							    path, names[i]);

		if (!child.ptr)
			return out_of_memory(reader);
		status = add_path(reader, child, false);
	}
	return status;
}

/* A folder below the one that was given: its name is a key of data. */
static enum bl_status add_inner_folder(struct reader *reader,
				       struct bl_str path)
{
	enum bl_status status;

	if (reader->depth == MAX_DEPTH)
		return bl_fail(reader->err, BL_LIMIT,
			       "%.*s: folders are nested more than %d deep",
			       BL_STR_ARG(path), MAX_DEPTH);
	reader->keys[reader->depth++] = bl_path_base(path);
	status = add_folder(reader, path);
	reader->depth--;
	return status;
}

/* Of a folder, as opa shows it: without "./" in front and "/" behind. */
static struct bl_str clean_path(struct bl_str path)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	while (bl_str_has_prefix(path, BL_STR("./")) && path.len > 2)
		path = bl_str_slice(path, 2, SIZE_MAX);
	return path;
}

static enum bl_status add_path(struct reader *reader, struct bl_str path,
			       bool given)
{
	struct bl_file_info info;
	enum bl_status status = bl_os_info_path(path, &info, reader->err);

	if (status) {
		bl_error_context(reader->err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	if (!given && reader->options &&
	    bl_bundle_is_ignored(&reader->cli->arena, reader->options,
				 bl_path_base(path)))
		return BL_OK;
	if (info.type == BL_FILE_DIRECTORY)
		return given ? add_folder(reader, clean_path(path))
			     : add_inner_folder(reader, path);
	if (bl_str_has_suffix(path, BL_STR(".rego")))
		return add_module(reader, path);
	if (reader->modules_only)
		return BL_OK;
	if (bl_str_has_suffix(path, BL_STR(".json")) || is_yaml(path))
		return add_data(reader, path);
	if (!given)
		return BL_OK;
	return bl_fail(reader->err, BL_INVALID,
		       "%.*s: neither a folder nor a .rego, .json or .yaml "
		       "file",
		       BL_STR_ARG(path));
}

/* "a.b:PATH": what is at PATH, under data.a.b. */
static enum bl_status add_given(struct reader *reader, struct bl_str path)
{
	size_t colon = bl_str_find(path, BL_STR(":"), 0);
	enum bl_status status;

	reader->depth = 0;
	if (colon != SIZE_MAX && colon > 0) {
		struct bl_str prefix = bl_str_slice(path, 0, colon);
		size_t at = 0;

		while (at != SIZE_MAX) {
			size_t dot = bl_str_find(prefix, BL_STR("."), at);

			if (reader->depth == MAX_DEPTH)
				return bl_fail(reader->err, BL_LIMIT,
					       "%.*s: the prefix has more than "
					       "%d parts",
					       BL_STR_ARG(path), MAX_DEPTH);
			reader->keys[reader->depth++] =
				bl_str_slice(prefix, at, dot);
			at = dot == SIZE_MAX ? dot : dot + 1;
		}
		path = bl_str_slice(path, colon + 1, SIZE_MAX);
	}
	status = add_path(reader, path, true);
	reader->depth = 0;
	return status;
}

static enum bl_status read_paths(struct reader *reader,
				 const struct bl_str *paths, size_t count)
{
	enum bl_status status = BL_OK;

	*reader->files = (struct cli_rego_files){
		.data = bl_object_make(&reader->cli->arena, NULL, 0, NULL)
	};
	for (size_t i = 0; !status && i < count; i++)
		status = add_given(reader, paths[i]);
	return !status && reader->has_conflict ? reader->err->status : status;
}

/* Bundles, beside what files gave. */
static enum bl_status add_bundles(struct reader *reader,
				  const struct cli_rego_paths *paths)
{
	struct bl_arena *arena = &reader->cli->arena;
	struct cli_rego_files *files = reader->files;
	struct bl_bundle_joined joined;
	enum bl_status status = BL_OK;

	files->bundles = bl_arena_new_array(arena, struct bl_bundle,
					    paths->bundle_count + 1);
	if (!files->bundles)
		return out_of_memory(reader);
	for (size_t i = 0; !status && i < paths->bundle_count; i++)
		status = bl_bundle_read(
			arena, paths->bundles[i], paths->bundle_options,
			&files->bundles[files->bundle_count++], reader->err);
	if (!status)
		status = bl_bundle_join(arena, files->bundles,
					files->bundle_count, &joined,
					reader->err);
	if (!status)
		status = reserve(reader, joined.source_count);
	if (status)
		return status;
	if (joined.source_count)
		memcpy(files->sources + files->source_count, joined.sources,
		       joined.source_count * sizeof(*joined.sources));
	files->source_count += joined.source_count;
	files->plan = joined.plan;
	if (bl_value_is_defined(files->plan) && files->source_count)
		return bl_fail(reader->err, BL_INVALID,
			       "a plan cannot be joined with other policies");
	return bl_bundle_merge(arena, files->data, joined.data, &files->data,
			       reader->err);
}

struct cli_rego_paths cli_rego_operands(const struct cli *cli, bool as_bundles)
{
	return as_bundles
		       ? (struct cli_rego_paths){ .bundles = cli->operands,
						  .bundle_count =
							  cli->operand_count }
		       : (struct cli_rego_paths){ .files = cli->operands,
						  .file_count =
							  cli->operand_count };
}

enum bl_status cli_read_rego(struct cli *cli,
			     const struct cli_rego_paths *paths,
			     struct cli_rego_files *out_files,
			     struct bl_error *err)
{
	struct reader reader = { .cli = cli,
				 .files = out_files,
				 .options = paths->bundle_options,
				 .diags = paths->diags,
				 .modules_only = paths->modules_only,
				 .err = err };
	enum bl_status status =
		read_paths(&reader, paths->files, paths->file_count);

	return status || !paths->bundle_count ? status
					      : add_bundles(&reader, paths);
}

enum bl_status cli_read_rego_sources(struct cli *cli,
				     const struct bl_str *paths, size_t count,
				     struct cli_rego_files *out_files,
				     struct bl_error *err)
{
	struct reader reader = {
		.cli = cli, .files = out_files, .modules_only = true, .err = err
	};

	return read_paths(&reader, paths, count);
}

void cli_note_diags(struct cli *cli, const struct bl_diags *diags)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_diags_print(diags, cli->colour, &text);
	(void)!bl_os_write_all(STDERR_FILENO, bl_buf_str(&text), NULL);
	bl_buf_clear(&text);
}

/* Reads an image of belay rego build -t image instead of a bundle. */
static bool is_image(const struct cli_rego_paths *paths)
{
	return paths->bundle_count == 1 && !paths->file_count &&
	       cli_is_rego_image(paths->bundles[0]);
}

static enum bl_status open_image(struct cli *cli, struct bl_str path,
				 struct cli_rego_files *out_files,
				 const struct bl_rego_policies **out_policies,
				 struct bl_error *err)
{
	int64_t start = bl_os_monotonic_ns();

	*out_files = (struct cli_rego_files){ .is_image = true };
	if (cli_open_rego_image(cli, path, out_policies, &out_files->data, err))
		return err->status;
	out_files->read_ns = bl_os_monotonic_ns() - start;
	return BL_OK;
}

enum bl_status cli_compile_rego(struct cli *cli,
				const struct cli_rego_paths *paths,
				struct cli_rego_files *out_files,
				struct bl_diags *diags,
				const struct bl_rego_policies **out_policies,
				struct bl_error *err)
{
	struct cli_rego_paths read = *paths;
	int64_t start = bl_os_monotonic_ns();
	struct bl_diags found;
	enum bl_status status;

	if (is_image(paths) && paths->how &&
	    bl_value_is_defined(paths->how->schemas))
		return bl_fail(err, BL_USAGE,
			       "an image has no rules that a schema could be "
			       "checked against");
	if (is_image(paths) && paths->how && paths->how->capabilities)
		return bl_fail(err, BL_USAGE,
			       "--capabilities is for what is compiled, and an "
			       "image is already");
	if (is_image(paths))
		return open_image(cli, paths->bundles[0], out_files,
				  out_policies, err);
	read.diags = diags;
	status = cli_read_rego(cli, &read, out_files, err);
	if (status)
		return status;
	out_files->read_ns = bl_os_monotonic_ns() - start;
	if (bl_value_is_defined(out_files->plan))
		return bl_rego_load_plan(&cli->arena, out_files->plan,
					 paths->how, out_policies, err);
	bl_diags_init(&found, &cli->arena);
	status = bl_rego_compile(&cli->arena, out_files->sources,
				 out_files->source_count, paths->how,
				 diags ? diags : &found, out_policies, err);
	if (!status)
		status = bl_rego_check_data(*out_policies, out_files->data,
					    diags ? diags : &found, err);
	if (found.first)
		cli_note_diags(cli, &found);
	return status;
}

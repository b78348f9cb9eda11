/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_build.c: belay rego build, policies and data as one file. */
#include <stdlib.h>

#include "cli/rego/bundle_options.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/annotations.h"
#include "cli/rego/files.h"
#include "cli/rego/network.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_BUNDLE,
	OPT_OUTPUT,
	OPT_ENTRYPOINT,
	OPT_REVISION,
	OPT_TARGET,
	OPT_OPTIMIZE,
	OPT_SIGNING_KEY,
	OPT_CLAIMS_FILE,
	OPT_CAPABILITIES,
	OPT_BUNDLES, /* CLI_BUNDLE_READ_ROWS from here */
};

enum { OUTPUT_MODE = 0644, EXIT_ERROR = 1 /* as opa has it */ };

static const struct cli_option options[] = {
	[OPT_BUNDLE] = CLI_BUNDLE_ROW,
	[OPT_OUTPUT] = { "output", 'o', CLI_VALUE, "FILE",
			 "what to write (default: bundle.tar.gz, bundle.image "
			 "with -t image)" },
	[OPT_ENTRYPOINT] = { "entrypoint", 'e', CLI_LIST, "PATH",
			     "a rule or package (pkg/rule) that has to be "
			     "there; an image keeps the list" },
	[OPT_REVISION] = { "revision", 'r', CLI_VALUE, "TEXT",
			   "revision of the bundle" },
	[OPT_TARGET] = { "target", 't', CLI_VALUE, "TARGET",
			 "rego (the default), a bundle, or image, compiled "
			 "policies" },
	[OPT_OPTIMIZE] = CLI_OPTIMIZE_ROW,
	[OPT_SIGNING_KEY] = CLI_SIGNING_KEY_ROW,
	[OPT_CLAIMS_FILE] = CLI_CLAIMS_FILE_ROW,
	[OPT_CAPABILITIES] = CLI_CAPABILITIES_ROW,
	CLI_BUNDLE_READ_ROWS(OPT_BUNDLES),
};

struct build {
	struct cli *cli;
	struct cli_rego_files files;
	const struct bl_rego_policies *policies;
	struct bl_bundle_manifest manifest;
	struct bl_value entrypoints; /* array of strings, each once */
	struct bl_bundle_options options;
	struct bl_rego_compile_options how;
	struct bl_bundle_signing signing; /* key.ptr NULL: unsigned */
	struct bl_error *err;
};

static enum bl_status no_memory(const struct build *b)
{
	return bl_arena_fail(&b->cli->arena, b->err);
}

/* ---- what is checked ------------------------------------------------------ */

/* As opa says it when a folder looks like a bundle and is not taken as one. */
static void note_manifests(struct cli *cli)
{
	for (size_t i = 0; i < cli->operand_count; i++) {
		struct bl_file_info info;
		struct bl_str path = bl_path_join(&cli->arena, cli->operands[i],
						  BL_STR(".manifest"));

		if (path.ptr && !bl_os_info_path(path, &info, NULL))
			cli_note("Warning: .manifest file found in \"%.*s\" "
				 "but -b flag not specified. Manifest will be "
				 "ignored.\n",
				 BL_STR_ARG(cli->operands[i]));
	}
}

/* "pkg/rule" must be there. */
static enum bl_status check_entrypoint(const struct build *b,
				       struct bl_str entrypoint)
{
	struct bl_arena *arena = &b->cli->arena;
	struct bl_str path = bl_arena_copy_str(arena, entrypoint);
	char *text = (char *)(uintptr_t)path.ptr;

	if (!text)
		return no_memory(b);
	for (size_t i = 0; i < path.len; i++)
		if (text[i] == '/')
			text[i] = '.';
	if (bl_rego_find(b->policies, path) != BL_REGO_NO_DOCUMENT)
		return BL_OK;
	return bl_fail(b->err, BL_INVALID,
		       "entrypoint \"%.*s\" does not refer to a rule or policy "
		       "decision",
		       BL_STR_ARG(entrypoint));
}

static void add_once(struct bl_array_builder *list, struct bl_str entrypoint)
{
	struct bl_value value = bl_value_string(entrypoint);

	for (size_t i = 0; i < list->count; i++)
		if (bl_value_equal(list->items[i], value))
			return;
	bl_array_builder_add(list, value);
}

/* "a/b/allow" of the terms of data.a.b.allow. */
static struct bl_str slash_path(struct build *b, struct bl_value terms)
{
	struct bl_str path = BL_STR("");

	for (size_t i = 1; i < bl_value_count(terms); i++) {
		struct bl_str name = bl_value_text(bl_object_find(
			bl_value_item(terms, i), BL_STR("value")));

		path = bl_arena_printf(&b->cli->arena, "%.*s%s%.*s",
				       BL_STR_ARG(path), path.len ? "/" : "",
				       BL_STR_ARG(name));
	}

	return path;
}

/* METADATA can declare entry points, too. */
static enum bl_status add_annotated(struct build *b,
				    struct bl_array_builder *list)
{
	struct cli_annotations found = { 0 };
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < b->files.source_count; i++) {
		const struct bl_rego_source *one = &b->files.sources[i];
		const struct bl_rego_module *module;
		size_t offset;

		status = bl_rego_parse(&b->cli->arena, one->file, one->text,
				       one->v0, &module, &offset, b->err);
		if (!status)
			status = cli_add_annotations(b->cli, module, one->file,
						     &found, b->err);
	}
	for (size_t i = 0; !status && i < found.count; i++)
		if (bl_value_is_true(bl_object_find(found.items[i].value,
						    BL_STR("entrypoint"))))
			add_once(list, slash_path(b, found.items[i].path));
	return status;
}

static enum bl_status take_entrypoints(struct build *b)
{
	const struct cli_given *given = &b->cli->given[OPT_ENTRYPOINT];
	struct bl_array_builder list;
	enum bl_status status = BL_OK;

	bl_array_builder_init(&list, &b->cli->arena);
	for (size_t i = 0; !status && i < given->count; i++) {
		status = check_entrypoint(b, given->values[i]);
		add_once(&list, given->values[i]);
	}
	if (!status)
		status = add_annotated(b, &list);
	b->entrypoints = bl_array_builder_end(&list);
	return status;
}

/* ---- the manifest ----------------------------------------------------------- */

/* The roots of all bundles; "" without bundles. */
static enum bl_status join_roots(struct build *b)
{
	const struct cli_rego_files *files = &b->files;
	struct bl_bundle_manifest *own = &b->manifest;
	size_t total = 1;

	for (size_t i = 0; i < files->bundle_count; i++)
		total += files->bundles[i].manifest.root_count;
	own->roots = bl_arena_new_array(&b->cli->arena, struct bl_str, total);
	if (!own->roots)
		return no_memory(b);
	if (!files->bundle_count)
		own->roots[own->root_count++] = BL_STR("");
	for (size_t i = 0; i < files->bundle_count; i++) {
		const struct bl_bundle_manifest *one =
			&files->bundles[i].manifest;

		for (size_t j = 0; j < one->root_count; j++)
			own->roots[own->root_count++] = one->roots[j];
	}
	return BL_OK;
}

/* A path as a glob that matches itself alone. */
static struct bl_str quote(struct build *b, struct bl_str path)
{
	struct bl_buf text;
	struct bl_str copy = { 0 };

	bl_buf_init(&text, 0);
	bl_buf_put_char(&text, '/');
	for (size_t i = 0; i < path.len; i++) {
		if (bl_str_find(BL_STR("\\*?[]{}!,-"),
				bl_str_slice(path, i, i + 1), 0) != SIZE_MAX)
			bl_buf_put_char(&text, '\\');
		bl_buf_put_char(&text, path.ptr[i]);
	}
	if (!bl_buf_status(&text))
		copy = bl_arena_copy_str(&b->cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

/*
 * Of one bundle its own manifest, of several a new one, as opa does.  Modules
 * by the rules before v1 are named one by one; NULL: no modules.
 */
static enum bl_status make_manifest(struct build *b,
				    const struct bl_bundle_file *modules)
{
	const struct cli_rego_files *files = &b->files;
	struct bl_bundle_manifest *own = &b->manifest;
	struct bl_object_builder others;
	enum bl_status status = join_roots(b);

	own->revision = BL_STR("");
	own->rego_version = !b->options.v0;
	if (files->bundle_count == 1) {
		own->revision = files->bundles[0].manifest.revision;
		own->metadata = files->bundles[0].manifest.metadata;
	}
	if (cli_has(b->cli, OPT_REVISION))
		own->revision = cli_value(b->cli, OPT_REVISION);
	bl_object_builder_init(&others, &b->cli->arena);
	for (size_t i = 0; !status && modules && i < files->source_count; i++) {
		struct bl_str name;

		if (files->sources[i].v0 == b->options.v0)
			continue;
		name = quote(b, modules[i].path);
		if (!name.ptr)
			return no_memory(b);
		bl_object_builder_add(&others, name,
				      bl_value_integer(!files->sources[i].v0));
	}
	own->file_rego_versions = bl_object_builder_end(&others);
	return status;
}

/* ---- files of the archive ---------------------------------------------------- */

static enum bl_status keep(struct build *b, struct bl_buf *text,
			   struct bl_str *out_text)
{
	enum bl_status status = bl_buf_status(text);

	if (!status)
		*out_text = bl_arena_copy_str(&b->cli->arena, bl_buf_str(text));
	bl_buf_clear(text);
	return !status && out_text->ptr ? BL_OK : bl_fail_memory(b->err);
}

static enum bl_status json_text(struct build *b, struct bl_value value,
				enum bl_json_style style,
				struct bl_str *out_text)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_json_write(&text, value, style);
	bl_buf_put_char(&text, '\n');
	return keep(b, &text, out_text);
}

/* As rego fmt lays it out; as it is where that cannot be done. */
static enum bl_status module_text(struct build *b,
				  const struct bl_rego_source *source,
				  struct bl_str *out_text)
{
	const struct bl_rego_module *module;
	struct bl_buf text;
	size_t offset;
	enum bl_status status =
		bl_rego_parse(&b->cli->arena, source->file, source->text,
			      source->v0, &module, &offset, b->err);

	if (status)
		return status;
	bl_buf_init(&text, 0);
	status = bl_rego_format(&b->cli->arena, module, &text, b->err);
	if (status == BL_UNSUPPORTED) {
		bl_buf_clear(&text);
		*out_text = source->text;
		return BL_OK;
	}
	if (status) {
		bl_buf_clear(&text);
		return status;
	}
	return keep(b, &text, out_text);
}

/* "./x/../p.rego" is "p.rego", and no path leads out. */
static enum bl_status inner_path(struct build *b, struct bl_str file,
				 struct bl_str *out_path)
{
	char *path = bl_arena_alloc_aligned(&b->cli->arena, file.len + 1, 1);
	size_t len = 0;
	size_t at = 0;

	if (!path)
		return no_memory(b);
	while (at < file.len) {
		size_t slash = bl_str_find(file, BL_STR("/"), at);
		size_t end = slash == SIZE_MAX ? file.len : slash;
		struct bl_str part = bl_str_slice(file, at, end);

		at = end + 1;
		if (bl_str_is(part, "..")) {
			while (len && path[--len] != '/')
				;
		} else if (part.len && !bl_str_is(part, ".")) {
			if (len)
				path[len++] = '/';
			memcpy(path + len, part.ptr, part.len);
			len += part.len;
		}
	}
	*out_path = (struct bl_str){ path, len };
	return BL_OK;
}

static int by_path(const void *a, const void *b)
{
	const struct bl_bundle_file *one = a;
	const struct bl_bundle_file *other = b;

	return bl_str_compare(one->path, other->path);
}

static enum bl_status sort_modules(struct build *b,
				   struct bl_bundle_file *modules, size_t count)
{
	qsort(modules, count, sizeof(*modules), by_path);
	for (size_t i = 1; i < count; i++)
		if (bl_str_equal(modules[i - 1].path, modules[i].path))
			return bl_fail(b->err, BL_INVALID,
				       "two modules would be '%.*s' in the "
				       "bundle",
				       BL_STR_ARG(modules[i].path));
	return BL_OK;
}

/* Adds the signature, if one is wanted; all has room for it. */
static enum bl_status pack(struct build *b, struct bl_bundle_file *all,
			   size_t count, struct bl_buf *out)
{
	struct bl_bundle_file *last = &all[count];
	enum bl_status status;

	if (b->signing.key.text.ptr) {
		last->path = BL_STR(".signatures.json");
		status = bl_bundle_sign(&b->cli->arena, all, count, &b->signing,
					&last->text, b->err);
		if (status)
			return status;
		count++;
	}
	return bl_bundle_pack(all, count, out, b->err);
}

/* data.json, the modules in order, .manifest, .signatures.json. */
static enum bl_status write_bundle(struct build *b, struct bl_buf *out)
{
	const struct cli_rego_files *files = &b->files;
	size_t count = files->source_count;
	struct bl_bundle_file *all = bl_arena_new_array(
		&b->cli->arena, struct bl_bundle_file, count + 3);
	enum bl_status status;

	if (!all)
		return no_memory(b);
	all[0].path = BL_STR("data.json");
	status = json_text(b, files->data, BL_JSON_CANONICAL, &all[0].text);
	for (size_t i = 0; !status && i < count; i++) {
		status =
			inner_path(b, files->sources[i].file, &all[i + 1].path);
		if (!status)
			status = module_text(b, &files->sources[i],
					     &all[i + 1].text);
	}
	if (!status)
		status = make_manifest(b, all + 1);
	if (!status)
		status = sort_modules(b, all + 1, count);
	all[count + 1].path = BL_STR(".manifest");
	if (!status)
		status = json_text(
			b,
			bl_bundle_manifest_value(&b->cli->arena, &b->manifest),
			BL_JSON_COMPACT, &all[count + 1].text);
	return status ? status : pack(b, all, count + 2, out);
}

/* Data, entry points and revision go along as the value of the image. */
static enum bl_status write_image(struct build *b, struct bl_buf *out)
{
	struct bl_object_builder extra;

	if (b->signing.key.text.ptr)
		return bl_fail(b->err, BL_USAGE,
			       "an image has no signature; sign a bundle");
	bl_object_builder_init(&extra, &b->cli->arena);
	bl_object_builder_add(&extra, BL_STR("data"), b->files.data);
	bl_object_builder_add(&extra, BL_STR("entrypoints"), b->entrypoints);
	bl_object_builder_add(
		&extra, BL_STR("revision"),
		bl_value_string(cli_has(b->cli, OPT_REVISION)
					? cli_value(b->cli, OPT_REVISION)
					: BL_STR("")));
	return bl_rego_image_write(b->policies, bl_object_builder_end(&extra),
				   out, b->err);
}

static const struct target {
	const char *name;
	const char *output;
	enum bl_status (*write)(struct build *b, struct bl_buf *out);
} targets[] = {
	{ "rego", "bundle.tar.gz", write_bundle },
	{ "image", "bundle.image", write_image },
};

static const struct target *find_target(struct cli *cli, struct bl_error *err)
{
	struct bl_str name = cli_value(cli, OPT_TARGET);

	if (!name.ptr)
		return &targets[0];
	for (size_t i = 0; i < BL_COUNT(targets); i++)
		if (bl_str_is(name, targets[i].name))
			return &targets[i];
	bl_fail(err, BL_USAGE,
		"there is no target '%.*s', but rego and image (for belay)",
		BL_STR_ARG(name));
	return NULL;
}

/* The options about signatures; a key's name goes into the signature. */
static enum bl_status take_signing(struct build *b)
{
	static const struct cli_signing_rows rows = {
		.key = OPT_SIGNING_KEY,
		.algorithm = OPT_BUNDLES + CLI_BUNDLE_SIGNING_ALG,
		.claims_file = OPT_CLAIMS_FILE,
	};
	struct cli *cli = b->cli;
	bool as_bundles = cli_has(cli, OPT_BUNDLE);
	struct bl_str key_id =
		cli_value(cli, OPT_BUNDLES + CLI_BUNDLE_VERIFICATION_KEY_ID);
	enum bl_status status = cli_bundle_options(cli, OPT_BUNDLES, as_bundles,
						   &b->options, b->err);

	if (!status)
		status = cli_bundle_signing(cli, &rows, &b->signing, b->err);
	if (!status && b->signing.key.text.ptr && !as_bundles)
		return bl_fail(b->err, BL_USAGE,
			       "only bundles are signed: give --bundle");
	/* As opa: claims of one's own say themselves whose key it is. */
	if (!cli_has(cli, OPT_CLAIMS_FILE))
		b->signing.key_id = key_id.ptr ? key_id : BL_STR("default");
	return status;
}

static enum bl_status build_all(struct build *b, const struct target *target)
{
	struct cli *cli = b->cli;
	struct cli_rego_paths paths =
		cli_rego_operands(cli, cli_has(cli, OPT_BUNDLE));
	struct bl_str output = cli_value(cli, OPT_OUTPUT);
	struct bl_buf out;
	enum bl_status status;

	if (!cli_has(cli, OPT_BUNDLE))
		note_manifests(cli);
	status = cli_check_level(cli, OPT_OPTIMIZE, b->err);
	if (!status)
		status = take_signing(b);
	paths.bundle_options = &b->options;
	paths.how = &b->how;
	if (!status)
		status = cli_read_capabilities(cli, OPT_CAPABILITIES,
					       &b->how.capabilities, b->err);
	if (!status)
		status = cli_compile_rego(cli, &paths, &b->files, NULL,
					  &b->policies, b->err);
	if (!status &&
	    (b->files.is_image || bl_value_is_defined(b->files.plan)))
		status = bl_fail(
			b->err, BL_UNSUPPORTED,
			"a plan or an image has no sources to build from");
	if (!status)
		status = take_entrypoints(b);
	if (status)
		return status;
	if (!output.ptr)
		output = bl_str(target->output);
	bl_buf_init(&out, 0);
	status = target->write(b, &out);
	if (!status)
		status = bl_os_replace_file(output, bl_buf_str(&out),
					    OUTPUT_MODE, b->err);
	bl_buf_clear(&out);
	return status;
}

static int run_build(struct cli *cli)
{
	struct bl_error err = { 0 };
	struct build build = { .cli = cli, .err = &err };
	const struct target *target = find_target(cli, &err);

	return target && !build_all(&build, target)
		       ? 0
		       : cli_fail_with(cli, &err, EXIT_ERROR);
}

const struct cli_code cli_code_rego_build = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = CLI_MAX_OPERANDS,
	.details = "Compiles policies, and writes them with their data as a "
		   "bundle that opa reads\n"
		   "too, or as an image.  The same files give the same bytes.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  it is written\n"
		   "  1  the policies do not compile, the bundles do not go "
		   "together, and so on\n",
	.run = run_build,
	.foreign = cli_opa_options,
};

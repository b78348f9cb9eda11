/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_inspect.c: belay rego inspect, what is in a bundle. */
#include <stdlib.h>

#include "base/utf8.h"
#include "cli/rego/bundle_options.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/annotations.h"
#include "json/json.h"
#include "os/os.h"

enum { OPT_ANNOTATIONS, OPT_FORMAT, OPT_BUNDLES };

enum {
	MAX_MODULE_BYTES = 64 << 20,
	MAX_CELL_BYTES = 50,
	EXIT_ERROR = 1, /* as opa has it */
};

static const struct cli_option options[] = {
	[OPT_ANNOTATIONS] = { "annotations", 'a', CLI_FLAG, NULL,
			      "list the METADATA of packages and rules" },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "TREE_FORMAT",
			 "pretty (the default) or json" },
	CLI_BUNDLE_READ_ROWS(OPT_BUNDLES),
};

/* A line of a table: what belongs to key. */
struct row {
	struct bl_str key;
	struct bl_str value;
	size_t order; /* as they came */
};

struct rows {
	struct row *items;
	size_t count;
};

struct inspect {
	struct cli *cli;
	struct bl_bundle_options options;
	struct bl_bundle bundle;
	bool has_manifest;
	struct rows namespaces;
	struct cli_annotations annotations;
	struct bl_error *err;
};

static enum bl_status no_memory(const struct inspect *in)
{
	return bl_arena_fail(&in->cli->arena, in->err);
}

/* ---- namespaces -------------------------------------------------------------- */

static void add_row(struct rows *rows, struct bl_str key, struct bl_str value)
{
	rows->items[rows->count] =
		(struct row){ key, value, .order = rows->count };
	rows->count++;
}

/* "x/y/data.json" is of "data.x.y". */
static struct bl_str data_namespace(struct bl_arena *arena, struct bl_str path)
{
	struct bl_str folder = bl_path_dir(path);
	struct bl_str name = bl_arena_printf(
		arena, "data%s%.*s", bl_str_is(folder, ".") ? "" : ".",
		bl_str_is(folder, ".") ? 0 : (int)folder.len, folder.ptr);
	char *text = (char *)(uintptr_t)name.ptr;

	for (size_t i = 0; text && i < name.len; i++)
		if (text[i] == '/')
			text[i] = '.';
	return name;
}

static int by_key(const void *a, const void *b)
{
	const struct row *one = a;
	const struct row *other = b;
	int order = bl_str_compare(one->key, other->key);

	if (order)
		return order;
	return (one->order > other->order) - (one->order < other->order);
}

static enum bl_status collect(struct inspect *in)
{
	const struct bl_bundle *bundle = &in->bundle;
	struct bl_arena *arena = &in->cli->arena;
	struct rows *rows = &in->namespaces;
	size_t wasm_count = bl_value_count(bundle->manifest.wasm);

	rows->items = bl_arena_new_array(arena, struct row,
					 bundle->module_count +
						 bundle->data_file_count +
						 wasm_count + 1);
	if (!rows->items)
		return no_memory(in);
	for (size_t i = 0; i < bundle->module_count; i++)
		add_row(rows,
			bl_bundle_path_text(arena, "data",
					    bundle->modules[i].package),
			bundle->modules[i].shown);
	for (size_t i = 0; i < bundle->data_file_count; i++)
		add_row(rows, data_namespace(arena, bundle->data_files[i].path),
			bundle->data_files[i].shown);
	for (size_t i = 0; i < wasm_count; i++) {
		struct bl_value one = bl_value_item(bundle->manifest.wasm, i);
		struct bl_str entrypoint = bl_value_text(
			bl_object_find(one, BL_STR("entrypoint")));

		add_row(rows,
			data_namespace(arena,
				       bl_arena_printf(arena, "%.*s/.",
						       BL_STR_ARG(entrypoint))),
			bl_value_text(bl_object_find(one, BL_STR("module"))));
	}
	qsort(rows->items, rows->count, sizeof(*rows->items), by_key);
	return bl_arena_status(arena) ? no_memory(in) : BL_OK;
}

/* ---- JSON --------------------------------------------------------------------- */

static struct bl_value namespaces_value(const struct inspect *in)
{
	const struct rows *rows = &in->namespaces;
	struct bl_object_builder all;

	bl_object_builder_init(&all, &in->cli->arena);
	for (size_t i = 0; i < rows->count;) {
		struct bl_str key = rows->items[i].key;
		struct bl_array_builder files;

		bl_array_builder_init(&files, &in->cli->arena);
		for (; i < rows->count && bl_str_equal(rows->items[i].key, key);
		     i++)
			bl_array_builder_add(
				&files, bl_value_string(rows->items[i].value));
		bl_object_builder_add(&all, key, bl_array_builder_end(&files));
	}
	return bl_object_builder_end(&all);
}

/* The paths below data of the entry points of one WebAssembly file. */
static struct bl_value wasm_entrypoints(const struct inspect *in,
					const struct bl_bundle_entry *file)
{
	struct bl_value wasm = in->bundle.manifest.wasm;
	struct bl_array_builder list;

	bl_array_builder_init(&list, &in->cli->arena);
	for (size_t i = 0; i < bl_value_count(wasm); i++) {
		struct bl_value one = bl_value_item(wasm, i);
		struct bl_str module =
			bl_value_text(bl_object_find(one, BL_STR("module")));
		struct bl_str entrypoint = bl_value_text(
			bl_object_find(one, BL_STR("entrypoint")));

		if (bl_str_equal(module, file->shown))
			bl_array_builder_add(
				&list,
				bl_value_string(data_namespace(
					&in->cli->arena,
					bl_arena_printf(
						&in->cli->arena, "%.*s/.",
						BL_STR_ARG(entrypoint)))));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value wasm_value(const struct inspect *in)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, &in->cli->arena);
	for (size_t i = 0; i < in->bundle.wasm_file_count; i++) {
		const struct bl_bundle_entry *file = &in->bundle.wasm_files[i];
		struct bl_object_builder one;

		bl_object_builder_init(&one, &in->cli->arena);
		bl_object_builder_add(&one, BL_STR("entrypoints"),
				      wasm_entrypoints(in, file));
		bl_object_builder_add(&one, BL_STR("path"),
				      bl_value_string(file->shown));
		bl_object_builder_add(&one, BL_STR("url"),
				      bl_value_string(file->url));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

static void put_json(struct inspect *in)
{
	struct bl_arena *arena = &in->cli->arena;
	struct bl_value signatures = in->bundle.signatures;
	struct bl_object_builder all;

	if (!bl_value_is_defined(signatures))
		signatures = bl_object_make(arena, NULL, 0, NULL);
	bl_object_builder_init(&all, arena);
	if (in->has_manifest)
		bl_object_builder_add(
			&all, BL_STR("manifest"),
			bl_bundle_manifest_value(arena, &in->bundle.manifest));
	bl_object_builder_add(&all, BL_STR("signatures_config"), signatures);
	if (in->bundle.wasm_file_count)
		bl_object_builder_add(&all, BL_STR("wasm_modules"),
				      wasm_value(in));
	if (in->namespaces.count)
		bl_object_builder_add(&all, BL_STR("namespaces"),
				      namespaces_value(in));
	if (in->annotations.count)
		bl_object_builder_add(
			&all, BL_STR("annotations"),
			cli_annotations_value(arena, &in->annotations));
	bl_json_write(&in->cli->out, bl_object_builder_end(&all),
		      BL_JSON_PRETTY);
	bl_buf_put_char(&in->cli->out, '\n');
}

/* ---- tables --------------------------------------------------------------------- */

/* Characters, near enough to columns. */
static size_t width_of(struct bl_str text)
{
	size_t width = 0;

	for (size_t i = 0; i < text.len; i++)
		width += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
	return width;
}

static void repeat(struct bl_buf *out, const char *text, size_t count)
{
	while (count--)
		bl_buf_puts(out, text);
}

static void put_rule(struct bl_buf *out, const size_t *widths,
		     const char *const *corners)
{
	bl_buf_puts(out, corners[0]);
	repeat(out, "─", widths[0] + 2);
	bl_buf_puts(out, corners[1]);
	repeat(out, "─", widths[1] + 2);
	bl_buf_puts(out, corners[2]);
	bl_buf_put_char(out, '\n');
}

static void put_cell(struct bl_buf *out, struct bl_str text, size_t width,
		     bool centred)
{
	size_t blanks = width - width_of(text);
	size_t left = centred ? blanks / 2 : 0;

	bl_buf_puts(out, "│ ");
	repeat(out, " ", left);
	cli_put_text(out, 0, text);
	repeat(out, " ", blanks - left + 1);
}

static void put_table(struct inspect *in, const char *title, struct row head,
		      const struct rows *rows)
{
	static const char *const top[] = { "┌", "┬", "┐" };
	static const char *const middle[] = { "├", "┼", "┤" };
	static const char *const bottom[] = { "└", "┴", "┘" };
	struct bl_buf *out = &in->cli->out;
	size_t widths[] = { width_of(head.key), width_of(head.value) };

	if (!rows->count)
		return;
	for (size_t i = 0; i < rows->count; i++) {
		size_t key = width_of(rows->items[i].key);
		size_t value = width_of(rows->items[i].value);

		widths[0] = key > widths[0] ? key : widths[0];
		widths[1] = value > widths[1] ? value : widths[1];
	}
	bl_buf_printf(out, "%s:\n", title);
	put_rule(out, widths, top);
	put_cell(out, head.key, widths[0], true);
	put_cell(out, head.value, widths[1], true);
	bl_buf_puts(out, "│\n");
	put_rule(out, widths, middle);
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->items[i];
		bool again = i && bl_str_equal(row[-1].key, row->key);

		put_cell(out, again ? BL_STR("") : row->key, widths[0], false);
		put_cell(out, row->value, widths[1], false);
		bl_buf_puts(out, "│\n");
	}
	put_rule(out, widths, bottom);
}

/* Text longer than opa shows ends with "...". */
static struct bl_str cut(const struct inspect *in, struct bl_str text)
{
	struct bl_str start = bl_str_slice(text, 0, MAX_CELL_BYTES - 3);

	if (text.len < MAX_CELL_BYTES)
		return text;
	start.len = bl_utf8_valid_prefix(start);
	return bl_arena_printf(&in->cli->arena, "%.*s...", BL_STR_ARG(start));
}

static struct bl_str compact(const struct inspect *in, struct bl_value value)
{
	struct bl_buf text;
	struct bl_str copy;

	bl_buf_init(&text, 0);
	bl_json_write(&text, value, BL_JSON_CANONICAL);
	copy = bl_arena_copy_str(&in->cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

static int by_value(const void *a, const void *b)
{
	const struct row *one = a;
	const struct row *other = b;

	return bl_str_compare(one->value, other->value);
}

static enum bl_status put_manifest(struct inspect *in)
{
	const struct bl_bundle_manifest *m = &in->bundle.manifest;
	struct bl_arena *arena = &in->cli->arena;
	struct rows rows = { .items = bl_arena_new_array(arena, struct row,
							 m->root_count + 3) };
	size_t first_root;

	if (!rows.items)
		return no_memory(in);
	if (m->rego_version != BL_BUNDLE_NO_VERSION)
		add_row(&rows, BL_STR("Rego Version"),
			m->rego_version ? BL_STR("1") : BL_STR("0"));
	if (m->revision.len)
		add_row(&rows, BL_STR("Revision"), cut(in, m->revision));
	first_root = rows.count;
	for (size_t i = 0; i < m->root_count; i++)
		if (m->root_count > 1 || m->roots[i].len)
			add_row(&rows, BL_STR("Roots"), m->roots[i]);
	qsort(rows.items + first_root, rows.count - first_root,
	      sizeof(*rows.items), by_value);
	if (bl_value_count(m->metadata))
		add_row(&rows, BL_STR("Metadata"),
			cut(in, compact(in, m->metadata)));
	if (bl_arena_status(arena))
		return no_memory(in);
	put_table(in, "MANIFEST",
		  (struct row){ BL_STR("FIELD"), BL_STR("VALUE"), 0 }, &rows);
	return BL_OK;
}

/* ---- the command ------------------------------------------------------------------ */

/* A module alone, as a bundle without a manifest. */
static enum bl_status read_module(struct inspect *in, struct bl_str path)
{
	struct bl_arena *arena = &in->cli->arena;
	struct bl_bundle_module *module =
		bl_arena_new(arena, struct bl_bundle_module);
	const struct bl_rego_module *tree;
	size_t offset = 0;
	enum bl_status status;

	if (!module)
		return no_memory(in);
	in->bundle = (struct bl_bundle){ .name = path,
					 .modules = module,
					 .module_count = 1 };
	module->shown = path;
	status = bl_os_read_file(path, 0, MAX_MODULE_BYTES, arena,
				 &module->text, NULL, in->err);
	if (!status) {
		module->v0 = in->options.v0;
		status = bl_rego_parse(arena, path, module->text, module->v0,
				       &tree, &offset, in->err);
		if (status)
			bl_error_context(
				in->err, "%.*s:%u: rego_parse_error",
				BL_STR_ARG(path),
				bl_place_at(module->text, offset).line);
	}
	if (status)
		return status;
	module->package = bl_rego_package_path(arena, tree);
	return BL_OK;
}

static enum bl_status read_annotations(struct inspect *in)
{
	const struct bl_bundle *bundle = &in->bundle;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < bundle->module_count; i++) {
		const struct bl_bundle_module *one = &bundle->modules[i];
		const struct bl_rego_module *module;
		size_t offset;

		status = bl_rego_parse(&in->cli->arena, one->shown, one->text,
				       one->v0, &module, &offset, in->err);
		if (!status)
			status =
				cli_add_annotations(in->cli, module, one->shown,
						    &in->annotations, in->err);
	}
	cli_sort_annotations(&in->annotations);
	return status;
}

static enum bl_status inspect(struct inspect *in, bool as_json)
{
	struct bl_str path = cli_operand(in->cli, 0);
	enum bl_status status;

	in->has_manifest = !bl_str_has_suffix(path, BL_STR(".rego"));
	status = cli_bundle_options(in->cli, OPT_BUNDLES, in->has_manifest,
				    &in->options, in->err);
	if (status)
		return status;
	/* Looking is allowed; who gives a key wants to know. */
	in->options.skip_verify = !in->options.verification;
	in->options.list_data = true;
	status = in->has_manifest
			 ? bl_bundle_read(&in->cli->arena, path, &in->options,
					  &in->bundle, in->err)
			 : read_module(in, path);
	if (!status)
		status = collect(in);
	if (!status && cli_has(in->cli, OPT_ANNOTATIONS))
		status = read_annotations(in);
	if (!status && as_json)
		put_json(in);
	if (status || as_json)
		return status;
	status = in->has_manifest ? put_manifest(in) : BL_OK;
	put_table(in, "NAMESPACES",
		  (struct row){ BL_STR("NAMESPACE"), BL_STR("FILE"), 0 },
		  &in->namespaces);
	cli_put_annotations(in->cli, &in->annotations);
	return status;
}

static int run_inspect(struct cli *cli)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);
	struct bl_error err = { 0 };
	struct inspect in = { .cli = cli, .err = &err };
	bool as_json = bl_str_is(format, "json");

	if (format.ptr && !as_json && !bl_str_is(format, "pretty")) {
		bl_fail(&err, BL_USAGE, "there is no format '%.*s'",
			BL_STR_ARG(format));
		return cli_fail(cli, &err);
	}
	return inspect(&in, as_json) ? cli_fail_with(cli, &err, EXIT_ERROR) : 0;
}

const struct cli_code cli_code_rego_inspect = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
	.details = "PATH is a bundle (a folder or a .tar.gz) or a .rego file.  "
		   "Shown are the\n"
		   "manifest, and which file gives which part of data.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  it is shown\n"
		   "  1  it cannot be read\n",
	.run = run_inspect,
	.foreign = cli_opa_options,
};

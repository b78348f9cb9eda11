/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiler.c: the build's own program that turns the modules of packs/ into C:
 * an image of lib/rego as an array, with the table of rules that their METADATA
 * makes.  It stands apart from the module's header because it runs while belay
 * is built, never in belay.
 * Usage: packs-compiler OUTPUT.c MODULE.rego...
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/diag.h"
#include "json/json.h"
#include "os/os.h"
#include "rego/rego.h"
#include "value/value.h"

enum { MAX_MODULES = 100, MAX_MODULE_BYTES = 1 << 20 };

/* The documents that are asked for, and the functions that give their numbers. */
static const struct {
	const char *path;
	const char *function;
} documents[] = {
	{ "belay.packs.all_hits", "bl_packs_hits" },
	{ "belay.packs.guard_hits", "bl_packs_guard_hits" },
};

/* The rules in the making. */
struct table {
	struct bl_arena *arena;
	struct bl_object_builder rules;
	struct bl_str file;
	struct bl_value seen; /* object: the ids so far */
	size_t count;
	bool failed;
};

static void complain(const struct table *table, uint32_t line, const char *what,
		     struct bl_str id)
{
	fprintf(stderr, "%.*s:%" PRIu32 ": %s %.*s\n", BL_STR_ARG(table->file),
		line, what, BL_STR_ARG(id));
}

/* "git/force-push" in packs/git.rego. */
static bool has_own_prefix(const struct table *table, struct bl_str id)
{
	struct bl_str name = bl_path_base(table->file);

	name.len -= strlen(".rego");
	return bl_str_has_prefix(id, name) && id.len > name.len + 1 &&
	       id.ptr[name.len] == '/';
}

static bool has_modes(struct bl_value custom)
{
	static const char *const words[] = { "off", "monitor", "ask", "deny" };
	struct bl_value modes = bl_object_find(custom, BL_STR("modes"));
	size_t known = 0;

	for (size_t i = 0; i < bl_value_count(modes); i++)
		for (size_t j = 0; j < BL_COUNT(words); j++)
			known += bl_str_is(
				bl_value_text(bl_value_item(modes, i)),
				words[j]);
	return bl_value_count(modes) == 3 && known == 3;
}

static void take_annotation(void *context, const struct bl_rego_annotation *one)
{
	struct table *table = context;
	struct bl_value custom = bl_object_find(one->value, BL_STR("custom"));
	struct bl_str id = bl_value_text(bl_object_find(custom, BL_STR("id")));
	const char *wrong = NULL;

	if (one->problem.len)
		wrong = "the METADATA is not YAML:";
	else if (!id.len)
		return;
	else if (!has_own_prefix(table, id))
		wrong = "the id does not begin with the name of its pack:";
	else if (!has_modes(custom))
		wrong = "custom.modes must be three of off, monitor, ask, "
			"deny:";
	else if (!bl_value_text(bl_object_find(one->value, BL_STR("title")))
			  .len)
		wrong = "the rule has no title:";
	if (wrong) {
		complain(table, one->line, wrong, id.len ? id : one->problem);
		table->failed = true;
		return;
	}
	bl_object_builder_add(&table->rules, id, one->value);
	table->count++;
}

static enum bl_status read_rules(struct table *table,
				 const struct bl_rego_source *source,
				 struct bl_error *err)
{
	const struct bl_rego_module *module;
	size_t offset;
	enum bl_status status =
		bl_rego_parse(table->arena, source->file, source->text, false,
			      &module, &offset, err);

	table->file = source->file;
	if (!status)
		status = bl_rego_each_annotation(module, table->arena,
						 take_annotation, table, err);
	return status;
}

static enum bl_status read_sources(struct bl_arena *arena, char **paths,
				   struct bl_rego_source *sources, size_t count,
				   struct bl_error *err)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < count; i++) {
		struct bl_str path = bl_str(paths[i]);

		/* By its name alone: the build's folders are nobody's concern. */
		sources[i].file = bl_arena_printf(arena, "packs/%.*s",
						  (int)bl_path_base(path).len,
						  bl_path_base(path).ptr);
		status = bl_os_read_file(path, 0, MAX_MODULE_BYTES, arena,
					 &sources[i].text, NULL, err);
	}
	return status;
}

static enum bl_status compile(struct bl_arena *arena,
			      const struct bl_rego_source *sources,
			      size_t count,
			      const struct bl_rego_policies **out_policies,
			      struct bl_error *err)
{
	const struct bl_rego_compile_options options = { .strict = true };
	struct bl_diags diags;
	struct bl_buf text;
	enum bl_status status;

	bl_diags_init(&diags, arena);
	status = bl_rego_compile(arena, sources, count, &options, &diags,
				 out_policies, err);
	bl_buf_init(&text, 0);
	bl_diags_print(&diags, false, &text);
	fwrite(text.ptr, 1, text.len, stderr);
	bl_buf_clear(&text);
	return status;
}

/* Eight bytes a number: the machine that runs it has the same order of bytes. */
static void print_image(FILE *out, struct bl_str image, const uint32_t *numbers)
{
	fprintf(out, "/* Made from packs/ by packs-compiler. */\n"
		     "#include \"packs/packs.h\"\n\n"
		     "static _Alignas(16) const uint64_t image[] = {");
	for (size_t at = 0; at < image.len; at += 8) {
		uint64_t word = 0;
		size_t left = image.len - at;

		memcpy(&word, image.ptr + at, left < 8 ? left : 8);
		fprintf(out, "%s0x%" PRIx64 ",", at % 64 ? "" : "\n", word);
	}
	fprintf(out,
		"\n};\n\nstruct bl_str bl_packs_image(void)\n{\n"
		"\treturn (struct bl_str){ (const char *)image, %zu };\n}\n",
		image.len);
	for (size_t i = 0; i < BL_COUNT(documents); i++)
		fprintf(out,
			"\nuint32_t %s(void)\n{\n\treturn %" PRIu32 ";\n}\n",
			documents[i].function, numbers[i]);
}

static enum bl_status make_image(struct bl_arena *arena,
				 const struct bl_rego_source *sources,
				 size_t count, struct bl_buf *out,
				 uint32_t *numbers, struct bl_error *err)
{
	const struct bl_rego_policies *policies;
	struct table table = { .arena = arena };
	struct bl_object_builder extra;
	enum bl_status status = compile(arena, sources, count, &policies, err);

	bl_object_builder_init(&table.rules, arena);
	for (size_t i = 0; !status && i < count; i++)
		status = read_rules(&table, &sources[i], err);
	if (status)
		return status;
	if (table.failed)
		return bl_fail(err, BL_INVALID, "see above");
	for (size_t i = 0; i < BL_COUNT(documents); i++) {
		numbers[i] = bl_rego_find(policies, bl_str(documents[i].path));
		if (numbers[i] == BL_REGO_NO_DOCUMENT)
			return bl_fail(err, BL_INVALID, "data.%s is missing",
				       documents[i].path);
	}
	bl_object_builder_init(&extra, arena);
	bl_object_builder_add(&extra, BL_STR("rules"),
			      bl_object_builder_end(&table.rules));
	return bl_rego_image_write(policies, bl_object_builder_end(&extra), out,
				   err);
}

int main(int argc, char **argv)
{
	struct bl_rego_source sources[MAX_MODULES] = { 0 };
	size_t count = argc > 2 ? (size_t)argc - 2 : 0;
	struct bl_error err = { 0 };
	struct bl_arena arena;
	struct bl_buf image;
	uint32_t numbers[BL_COUNT(documents)] = { 0 };
	FILE *out;
	enum bl_status status;

	if (!count || count > MAX_MODULES) {
		fprintf(stderr,
			"usage: packs-compiler OUTPUT.c MODULE.rego...\n");
		return 64;
	}
	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&image, 0);
	status = read_sources(&arena, argv + 2, sources, count, &err);
	if (!status)
		status = make_image(&arena, sources, count, &image, numbers,
				    &err);
	out = status ? NULL : fopen(argv[1], "w");
	if (out) {
		print_image(out, bl_buf_str(&image), numbers);
		if (fclose(out))
			status = bl_fail(&err, BL_SYSTEM, "cannot write %s",
					 argv[1]);
	} else if (!status) {
		status = bl_fail(&err, BL_SYSTEM, "cannot open %s", argv[1]);
	}
	if (status)
		fprintf(stderr, "packs-compiler: %s\n", err.message);
	bl_buf_clear(&image);
	bl_arena_clear(&arena);
	return bl_status_exit_code(status);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego_stages [--accept] FILE...: what each stage of the compiler makes of
 * small modules.  A file has cases:
 *
 *   === title
 *   --- module        (or "--- module v0",
 *                     and "strict" behind it for strict mode)
 *   --- tokens        kind and text of each, one a line
 *   --- printed       the canonical text
 *   --- bytecode      the code of every rule
 *   --- schema        given: the JSON schema of input
 *   --- schemas       given: those that annotations name, as JSON
 *   --- error         line:column: code: message, one a line, sorted as reported
 *   --- query         given: it is asked of the module
 *   --- refused       what is wrong with the query
 *
 * Only the sections that a case has are made and compared; without a section
 * "error" it must compile.  --accept writes the files anew with what came out:
 * for review, never for belief.
 */
#include <stdio.h>
#include <string.h>

#include "json/json.h"
#include "os/os.h"
#include "rego/rego.h"
#include "rego/compiler/parse/lexer.h"

enum { MAX_FILE_BYTES = 1 << 20, MAX_SECTIONS = 8 };

struct section {
	struct bl_str name;
	struct bl_str text;
};

struct runner {
	bool accept;
	size_t points;
	size_t bad;
	struct bl_buf accepted; /* the file as it came out */
};

/* ---- what the stages make ----------------------------------------------- */

static void put_tokens(struct bl_arena *arena, struct bl_str module,
		       struct bl_buf *out)
{
	struct bl_rego_tokens tokens;
	struct bl_error err = { 0 };
	size_t offset;

	if (bl_rego_lex(arena, module, 0, module.len, &tokens, &offset, &err)) {
		bl_buf_printf(out, "%s\n", err.message);
		return;
	}
	for (size_t i = 0; i < tokens.count; i++) {
		const struct bl_rego_token *token = &tokens.tokens[i];
		struct bl_str text =
			bl_str_slice(module, token->from, token->to);

		bl_buf_printf(out, "%s%s%.*s\n",
			      bl_rego_token_name(token->kind),
			      text.len ? " " : "", BL_STR_ARG(text));
	}
}

static void put_printed(struct bl_arena *arena, struct bl_str module, bool v0,
			struct bl_buf *out)
{
	const struct bl_rego_module *tree;
	struct bl_error err = { 0 };
	size_t offset;

	if (bl_rego_parse(arena, BL_STR("m.rego"), module, v0, &tree, &offset,
			  &err))
		bl_buf_printf(out, "%s\n", err.message);
	else
		bl_rego_print(out, tree);
}

static struct bl_str find_given(const struct section *sections, size_t count,
				const char *name)
{
	for (size_t i = 1; i < count; i++)
		if (bl_str_is(sections[i].name, name))
			return sections[i].text;
	return (struct bl_str){ 0 };
}

static bool is_given(struct bl_str name)
{
	return bl_str_is(name, "schema") || bl_str_is(name, "schemas") ||
	       bl_str_is(name, "query");
}

static struct bl_value read_schemas(struct bl_arena *arena,
				    const struct section *sections,
				    size_t count)
{
	struct bl_str one = find_given(sections, count, "schema");
	struct bl_str all = find_given(sections, count, "schemas");
	struct bl_object_builder schemas;
	struct bl_value read = bl_value_undefined();

	if (!one.ptr && !all.ptr)
		return read;
	if (bl_json_read(arena, one.ptr ? one : all, NULL, &read, NULL, NULL,
			 NULL) ||
	    all.ptr)
		return read;
	bl_object_builder_init(&schemas, arena);
	bl_object_builder_add(&schemas, BL_STR(""), read);
	return bl_object_builder_end(&schemas);
}

static void put_diags(struct bl_buf *out, const struct bl_diags *diags)
{
	for (const struct bl_diag *diag = diags->first; diag; diag = diag->next)
		bl_buf_printf(out, "%u:%u: %s: %.*s\n", diag->place.line,
			      diag->place.column, diag->code,
			      BL_STR_ARG(diag->message));
}

/* The output of the stages for a module. */
struct made {
	struct bl_buf errors;
	struct bl_buf code;
	struct bl_buf refused; /* of the query */
};

static void put_query(struct bl_arena *arena,
		      const struct bl_rego_policies *policies,
		      struct bl_str query, struct bl_buf *out)
{
	const struct bl_rego_prepared *prepared;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	bl_diags_init(&diags, arena);
	if (query.ptr)
		bl_rego_prepare(policies, bl_str_trim(query), arena, &diags,
				&prepared, &err);
	put_diags(out, &diags);
}

/* Compiles, and asks the query if there is one. */
static void put_compiled(struct bl_arena *arena, const struct section *sections,
			 size_t count, struct made *made)
{
	struct bl_str module = sections[0].text;
	struct bl_str mode = sections[0].name;
	struct bl_rego_compile_options options = {
		.strict = bl_str_has_suffix(mode, BL_STR(" strict")),
		.schemas = read_schemas(arena, sections, count),
	};
	struct bl_rego_source source = { BL_STR("m.rego"), module,
					 bl_str_has_prefix(
						 mode, BL_STR("module v0")) };
	const struct bl_rego_policies *policies;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	bl_diags_init(&diags, arena);
	if (!bl_rego_compile(arena, &source, 1, &options, &diags, &policies,
			     &err)) {
		bl_rego_disassemble(&made->code, policies);
		put_query(arena, policies, find_given(sections, count, "query"),
			  &made->refused);
	}
	put_diags(&made->errors, &diags);
}

/* ---- one case ----------------------------------------------------------- */

static void compare(struct runner *runner, struct bl_str title,
		    const struct section *section, struct bl_str actual)
{
	if (runner->accept) {
		bl_buf_printf(&runner->accepted, "--- %.*s\n%.*s",
			      BL_STR_ARG(section->name), BL_STR_ARG(actual));
		return;
	}
	runner->points++;
	if (bl_str_equal(section->text, actual)) {
		printf("ok %zu - %.*s: %.*s\n", runner->points,
		       BL_STR_ARG(title), BL_STR_ARG(section->name));
		return;
	}
	runner->bad++;
	printf("not ok %zu - %.*s: %.*s\n# expected\n%.*s# actual\n%.*s",
	       runner->points, BL_STR_ARG(title), BL_STR_ARG(section->name),
	       BL_STR_ARG(section->text), BL_STR_ARG(actual));
}

static void run_case(struct runner *runner, struct bl_str title,
		     const struct section *sections, size_t count)
{
	struct bl_str module = sections[0].text;
	bool v0 = bl_str_has_prefix(sections[0].name, BL_STR("module v0"));
	struct made all;
	struct bl_buf made;
	bool wants_error = false;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, (size_t)64 << 20);
	bl_buf_init(&all.errors, 0);
	bl_buf_init(&all.code, 0);
	bl_buf_init(&all.refused, 0);
	put_compiled(&arena, sections, count, &all);
	for (size_t i = 1; i < count; i++) {
		if (is_given(sections[i].name)) {
			if (runner->accept)
				compare(runner, title, &sections[i],
					sections[i].text);
			continue;
		}
		bl_buf_init(&made, 0);
		if (bl_str_is(sections[i].name, "tokens"))
			put_tokens(&arena, module, &made);
		else if (bl_str_is(sections[i].name, "printed"))
			put_printed(&arena, module, v0, &made);
		else if (bl_str_is(sections[i].name, "bytecode"))
			bl_buf_put_str(&made, bl_buf_str(&all.code));
		else if (bl_str_is(sections[i].name, "error"))
			bl_buf_put_str(&made, bl_buf_str(&all.errors));
		else
			bl_buf_put_str(&made, bl_buf_str(&all.refused));
		wants_error |= bl_str_is(sections[i].name, "error");
		compare(runner, title, &sections[i], bl_buf_str(&made));
		bl_buf_clear(&made);
	}
	if (!wants_error && bl_buf_str(&all.errors).len) {
		runner->bad++;
		printf("not ok %zu - %.*s: compiles\n%s", ++runner->points,
		       BL_STR_ARG(title), all.errors.ptr);
	}
	bl_buf_clear(&all.errors);
	bl_buf_clear(&all.code);
	bl_buf_clear(&all.refused);
	bl_arena_clear(&arena);
}

/* ---- files -------------------------------------------------------------- */

/* The offset of the next line that begins with mark, or the end. */
static size_t find_line(struct bl_str text, size_t from, const char *mark)
{
	struct bl_str wanted = bl_str(mark);

	while (from < text.len) {
		size_t end = bl_str_find(text, BL_STR("\n"), from);

		if (bl_str_has_prefix(bl_str_slice(text, from, text.len),
				      wanted))
			return from;
		if (end == SIZE_MAX)
			break;
		from = end + 1;
	}
	return text.len;
}

/* The rest of the line at *at, which then is the next line. */
static struct bl_str take_line(struct bl_str text, size_t *at, size_t skip)
{
	size_t end = bl_str_find(text, BL_STR("\n"), *at);
	struct bl_str line;

	if (end == SIZE_MAX)
		end = text.len;
	line = bl_str_slice(text, *at + skip, end);
	*at = end < text.len ? end + 1 : end;
	return line;
}

static void read_case(struct runner *runner, struct bl_str text)
{
	struct section sections[MAX_SECTIONS];
	size_t count = 0;
	size_t at = 0;
	struct bl_str title = take_line(text, &at, 4);

	while (at < text.len && count < MAX_SECTIONS) {
		struct section *section = &sections[count++];
		size_t end;

		section->name = take_line(text, &at, 4);
		end = find_line(text, at, "--- ");
		section->text = bl_str_slice(text, at, end);
		at = end;
	}
	if (runner->accept && count)
		bl_buf_printf(&runner->accepted, "=== %.*s\n--- %.*s\n%.*s",
			      BL_STR_ARG(title), BL_STR_ARG(sections[0].name),
			      BL_STR_ARG(sections[0].text));
	if (count < 1 || !bl_str_has_prefix(sections[0].name, BL_STR("module")))
		printf("not ok %zu - %.*s: has no module\n", ++runner->points,
		       BL_STR_ARG(title)),
			runner->bad++;
	else
		run_case(runner, title, sections, count);
}

static void run_file(struct runner *runner, const char *path)
{
	struct bl_arena arena;
	struct bl_error err = { 0 };
	struct bl_str text;
	size_t at;
	FILE *file;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&runner->accepted, 0);
	if (bl_os_read_file(bl_str(path), 0, MAX_FILE_BYTES, &arena, &text,
			    NULL, &err)) {
		printf("not ok %zu - %s: %s\n", ++runner->points, path,
		       err.message);
		runner->bad++;
		bl_arena_clear(&arena);
		return;
	}
	at = find_line(text, 0, "=== ");
	bl_buf_put_str(&runner->accepted, bl_str_slice(text, 0, at));
	while (at < text.len) {
		size_t end = find_line(text, at + 1, "=== ");

		read_case(runner, bl_str_slice(text, at, end));
		at = end;
	}
	file = runner->accept ? fopen(path, "w") : NULL;
	if (file) {
		fwrite(bl_buf_str(&runner->accepted).ptr, 1,
		       bl_buf_str(&runner->accepted).len, file);
		fclose(file);
	}
	bl_buf_clear(&runner->accepted);
	bl_arena_clear(&arena);
}

int main(int argc, char **argv)
{
	struct runner runner = { 0 };
	int first = 1;

	if (argc > 1 && strcmp(argv[1], "--accept") == 0) {
		runner.accept = true;
		first++;
	}
	for (int i = first; i < argc; i++)
		run_file(&runner, argv[i]);
	printf("1..%zu\n", runner.points);
	return runner.bad > 0;
}

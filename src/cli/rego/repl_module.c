/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module of rego run: which lines are rules and which are queries, and the text of
 * all rules so far.  Apart from cmd_run.c, which asks and answers.
 */
#include "cli/rego/repl_module.h"

#include <stdlib.h>
#include <string.h>

static char *copy_of(struct bl_str text)
{
	return strndup(text.ptr ? text.ptr : "", text.len);
}

void repl_module_init(struct repl_module *module)
{
	*module = (struct repl_module){ .package = copy_of(BL_STR("repl")) };
}

void repl_module_shorten(struct repl_module *module, size_t count)
{
	while (module->count > count) {
		struct repl_part *part = &module->parts[--module->count];

		free(part->text);
		free(part->name);
	}
}

void repl_module_clear(struct repl_module *module)
{
	repl_module_shorten(module, 0);
	free(module->parts);
	free(module->package);
}

static void drop(struct repl_module *module, size_t i)
{
	free(module->parts[i].text);
	free(module->parts[i].name);
	memmove(&module->parts[i], &module->parts[i + 1],
		(module->count - i - 1) * sizeof(*module->parts));
	module->count--;
}

bool repl_module_unset(struct repl_module *module, struct bl_str name)
{
	bool found = false;

	for (size_t i = module->count; i-- > 0;)
		if (module->parts[i].name &&
		    bl_str_is(name, module->parts[i].name)) {
			drop(module, i);
			found = true;
		}
	return found;
}

static bool add(struct repl_module *module, struct bl_str text,
		struct bl_str name, struct bl_error *err)
{
	struct repl_part *parts;

	if (module->count == REPL_MAX_PARTS)
		return !bl_fail(
			err, BL_LIMIT,
			"there are %d rules and imports, the most there "
			"may be",
			REPL_MAX_PARTS);
	parts = realloc(module->parts, (module->count + 1) * sizeof(*parts));
	if (!parts)
		return !bl_fail_memory(err);
	module->parts = parts;
	module->parts[module->count++] =
		(struct repl_part){ copy_of(text),
				    name.len ? copy_of(name) : NULL };
	return true;
}

struct bl_str repl_module_text(const struct repl_module *module,
			       struct bl_arena *arena)
{
	struct bl_buf text;
	struct bl_str copy;

	bl_buf_init(&text, 0);
	bl_buf_printf(&text, "package %s\n", module->package);
	for (int rules = 0; rules <= 1; rules++)
		for (size_t i = 0; i < module->count; i++)
			if ((module->parts[i].name != NULL) == (bool)rules)
				bl_buf_printf(&text, "\n%s\n",
					      module->parts[i].text);
	copy = bl_arena_copy_str(arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

/* ---- reading a line ---------------------------------------------------------- */

/* The head of the first rule in it. */
struct seen {
	struct bl_str name;
	bool is_plain; /* no default, no set, no function */
	size_t count;
	bool wants_more; /* the parser missed something at the end */
};

static void see_head(void *context, const struct bl_rego_head *head)
{
	struct seen *seen = context;

	if (!seen->count++) {
		seen->name = head->name;
		seen->is_plain = !head->is_default && !head->is_set &&
				 !head->is_function;
	}
}

/* Does the parser miss something at the end? */
static bool wants_more(struct bl_str line, size_t offset)
{
	return !bl_str_trim(bl_str_slice(line, offset, SIZE_MAX)).len;
}

static enum bl_status read_rules(struct repl_module *module,
				 struct bl_arena *arena, struct bl_str line,
				 struct seen *out_seen, struct bl_error *err)
{
	struct bl_buf text;
	struct bl_str whole;
	const struct bl_rego_module *parsed;
	size_t offset = 0;
	enum bl_status status;

	bl_buf_init(&text, 0);
	bl_buf_printf(&text, "package %s\n%.*s\n", module->package,
		      BL_STR_ARG(line));
	whole = bl_arena_copy_str(arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	*out_seen = (struct seen){ 0 };
	if (!whole.ptr)
		return bl_arena_fail(arena, err);
	status = bl_rego_parse(arena, BL_STR("input"), whole, false, &parsed,
			       &offset, err);
	if (!status)
		bl_rego_each_head(parsed, see_head, out_seen);
	else
		out_seen->wants_more = wants_more(whole, offset);
	return status;
}

static bool begins_with(struct bl_str line, const char *word)
{
	size_t len = strlen(word);

	return bl_str_has_prefix(line, bl_str(word)) && line.len > len &&
	       (line.ptr[len] == ' ' || line.ptr[len] == '\t');
}

/* "NAME := ..." or "NAME = ..."; *out_assigns: the former. */
static bool is_definition(struct bl_str line, bool *out_assigns)
{
	size_t at = 0;

	while (at < line.len &&
	       ((line.ptr[at] >= 'a' && line.ptr[at] <= 'z') ||
		(line.ptr[at] >= 'A' && line.ptr[at] <= 'Z') ||
		(line.ptr[at] >= '0' && line.ptr[at] <= '9' && at) ||
		line.ptr[at] == '_'))
		at++;
	if (!at)
		return false;
	while (at < line.len && line.ptr[at] == ' ')
		at++;
	line = bl_str_slice(line, at, SIZE_MAX);
	*out_assigns = bl_str_has_prefix(line, BL_STR(":="));
	return *out_assigns || (bl_str_has_prefix(line, BL_STR("=")) &&
				!bl_str_has_prefix(line, BL_STR("==")));
}

static bool has_rule(const struct repl_module *module, struct bl_str name)
{
	for (size_t i = 0; i < module->count; i++)
		if (module->parts[i].name &&
		    bl_str_is(name, module->parts[i].name))
			return true;
	return false;
}

static enum repl_line add_rules(struct repl_module *module, struct bl_str line,
				const struct seen *seen, bool replaces,
				struct bl_buf *out, struct bl_error *err)
{
	bool again = replaces && repl_module_unset(module, seen->name);

	if (!add(module, line, seen->name, err))
		return REPL_WRONG;
	bl_buf_printf(out,
		      "Rule '%.*s' %s in package %s. Type 'show' to see "
		      "rules.\n",
		      BL_STR_ARG(seen->name), again ? "re-defined" : "defined",
		      module->package);
	return REPL_CHANGED;
}

static enum repl_line set_package(struct repl_module *module,
				  struct bl_arena *arena, struct bl_str name,
				  struct bl_error *err)
{
	const struct bl_rego_module *parsed;
	struct bl_str text =
		bl_arena_printf(arena, "package %.*s\n", BL_STR_ARG(name));
	size_t offset;

	if (!text.ptr || bl_rego_parse(arena, BL_STR("input"), text, false,
				       &parsed, &offset, err))
		return REPL_WRONG;
	if (!bl_str_is(name, module->package)) {
		repl_module_shorten(module, 0);
		free(module->package);
		module->package = copy_of(name);
	}
	return REPL_CHANGED;
}

enum repl_line repl_module_add(struct repl_module *module,
			       struct bl_arena *arena, struct bl_str line,
			       struct bl_buf *out, struct bl_error *err)
{
	struct bl_rego_body *body;
	struct seen seen;
	struct bl_error of_rules = { 0 };
	bool assigns = false;
	size_t offset = 0;
	bool is_set;

	if (begins_with(line, "package"))
		return set_package(module, arena,
				   bl_str_trim(bl_str_slice(line, 8, SIZE_MAX)),
				   err);
	if (begins_with(line, "import"))
		return read_rules(module, arena, line, &seen, err) ||
				       !add(module, line, BL_STR(""), err)
			       ? REPL_WRONG
			       : REPL_CHANGED;
	if (!read_rules(module, arena, line, &seen, &of_rules) && seen.count) {
		is_set = is_definition(line, &assigns);
		if (!is_set || assigns || !has_rule(module, seen.name))
			return add_rules(module, line, &seen,
					 is_set && seen.is_plain, out, err);
	}
	if (!bl_rego_parse_query(arena, line, &body, &offset, err))
		return REPL_QUERY;
	return seen.wants_more || wants_more(line, offset) ? REPL_INCOMPLETE
							   : REPL_WRONG;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/make.c: what a project's own files say would run: the recipes of a
 * Makefile, the scripts of a package.json.
 *
 * Of a Makefile are read: rules with their recipes and prerequisites, variables
 * that are set to plain text, $(shell TEXT).  Functions, patterns and includes
 * are not followed: a target without a recipe here is opaque.
 */
#include "effects/private.h"

enum { RULES_MAX = 256, REFERENCES_DEPTH = 8, VALUE_BYTES = 16 << 10 };

struct makefile {
	struct effects_run *run;
	struct bl_str text;
	struct bl_str made[RULES_MAX]; /* targets: make runs each once */
	uint32_t made_count;
	struct bl_shell_span span;
};

bool bl_effects_make_line(struct bl_str text, size_t *at, struct bl_str *out)
{
	size_t end;

	if (*at >= text.len)
		return false;
	end = bl_str_find(text, BL_STR("\n"), *at);
	while (end != SIZE_MAX && end && text.ptr[end - 1] == '\\')
		end = bl_str_find(text, BL_STR("\n"), end + 1);
	if (end == SIZE_MAX)
		end = text.len;
	*out = bl_str_slice(text, *at, end);
	*at = end + 1;
	return true;
}

struct bl_str bl_effects_make_value(struct bl_str text, struct bl_str name)
{
	struct bl_str line;
	size_t at = 0;

	while (bl_effects_make_line(text, &at, &line)) {
		size_t equals = bl_str_find(line, BL_STR("="), 0);
		size_t end = equals;

		if (equals == SIZE_MAX || (line.len && line.ptr[0] == '\t'))
			continue;
		while (end && strchr(":?+ \t", line.ptr[end - 1]))
			end--;
		if (bl_str_equal(bl_str_trim(bl_str_slice(line, 0, end)), name))
			return bl_str_trim(
				bl_str_slice(line, equals + 1, SIZE_MAX));
	}
	return (struct bl_str){ NULL, 0 };
}

static void put_expanded(const struct makefile *m, struct effects_builder *out,
			 struct bl_str text, uint32_t depth);

/* $(NAME), ${NAME}, $(shell TEXT): what stands for it. */
static void put_reference(const struct makefile *m, struct effects_builder *out,
			  struct bl_str name, uint32_t depth)
{
	struct effects_walk *walk = m->run->walk;
	struct effects_text set;
	struct bl_str value = bl_effects_make_value(m->text, name);

	if (bl_str_has_prefix(name, BL_STR("shell "))) {
		effects_run_text(walk, &m->run->inside,
				 effects_text(bl_str_slice(name, 6, SIZE_MAX)),
				 true, NULL, m->span);
		effects_put_text(out,
				 effects_hole(walk, BL_STR("$(shell)"),
					      BL_FACT_FROM_GENERATED, true));
		return;
	}
	for (size_t i = 0; i < m->run->parsed.operands.count; i++) {
		struct effects_text word =
			m->run->parsed.operands.items[i].text;

		if (word.len > name.len && word.ptr[name.len] == '=' &&
		    !memcmp(word.ptr, name.ptr, name.len)) {
			effects_put_text(
				out, effects_cut(word, name.len + 1, word.len));
			return;
		}
	}
	if (value.ptr)
		put_expanded(m, out, value, depth + 1);
	else if (effects_value(walk, &m->run->inside, name, &set))
		effects_put_text(out, set);
}

static void put_expanded(const struct makefile *m, struct effects_builder *out,
			 struct bl_str text, uint32_t depth)
{
	for (size_t i = 0; i < text.len; i++) {
		char next = i + 1 < text.len ? text.ptr[i + 1] : 0;
		size_t end;

		if (text.ptr[i] != '$') {
			effects_put(out, text.ptr + i, 1);
			continue;
		}
		if (next == '$') {
			effects_put(out, "$", 1);
			i++;
			continue;
		}
		if (next != '(' && next != '{') {
			i++; /* $@, $<: names of targets */
			effects_put_text(out,
					 effects_hole(m->run->walk,
						      BL_STR("$@"), 0, false));
			continue;
		}
		end = bl_str_find(text, next == '(' ? BL_STR(")") : BL_STR("}"),
				  i);
		if (end == SIZE_MAX)
			return;
		if (depth > REFERENCES_DEPTH)
			effects_put_text(
				out, effects_hole(m->run->walk,
						  bl_str_slice(text, i, end), 0,
						  false));
		else
			put_reference(m, out, bl_str_slice(text, i + 2, end),
				      depth);
		i = end;
	}
}

static void run_recipe_line(const struct makefile *m, struct bl_str line)
{
	struct effects_builder text;

	while (line.len && strchr("@-+\t ", line.ptr[0]))
		line = bl_str_slice(line, 1, SIZE_MAX);
	if (!line.len)
		return;
	effects_builder_init(&text, m->run->walk->arena, VALUE_BYTES);
	put_expanded(m, &text, line, 0);
	effects_run_text(m->run->walk, &m->run->inside, effects_built(&text),
			 true, NULL, m->span);
}

static bool has_target(struct bl_str line, struct bl_str target,
		       size_t *out_colon)
{
	size_t colon = bl_str_find(line, BL_STR(":"), 0);
	size_t at = 0;

	if (colon == SIZE_MAX ||
	    (colon + 1 < line.len && line.ptr[colon + 1] == '='))
		return false;
	*out_colon = colon;
	while (at < colon) {
		size_t from;

		while (at < colon && line.ptr[at] == ' ')
			at++;
		from = at;
		while (at < colon && line.ptr[at] != ' ')
			at++;
		if (at > from &&
		    bl_str_equal(bl_str_slice(line, from, at), target))
			return true;
	}
	return false;
}

static bool run_target(struct makefile *m, struct bl_str target);

static void run_prerequisites(struct makefile *m, struct bl_str names)
{
	size_t at = 0;

	while (at < names.len) {
		size_t from;

		while (at < names.len && names.ptr[at] == ' ')
			at++;
		from = at;
		while (at < names.len && names.ptr[at] != ' ')
			at++;
		if (at > from)
			run_target(m, bl_str_slice(names, from, at));
	}
}

/* The rule of target, after those of what it needs; false: absent. */
static bool run_target(struct makefile *m, struct bl_str target)
{
	struct bl_str line;
	size_t at = 0;
	bool is_own = false;
	bool found = false;
	size_t colon, end;

	for (uint32_t i = 0; i < m->made_count; i++)
		if (bl_str_equal(m->made[i], target))
			return true;
	if (m->made_count == RULES_MAX) {
		effects_opaque(
			m->run->walk, BL_FACT_OPAQUE_LIMIT,
			effects_text(BL_STR("too many rules of a Makefile")),
			m->span);
		return true;
	}
	m->made[m->made_count++] = target;
	while (bl_effects_make_line(m->text, &at, &line) &&
	       !m->run->walk->is_over) {
		if (line.len && line.ptr[0] == '\t') {
			if (is_own)
				run_recipe_line(m, line);
			continue;
		}
		if (!line.len || line.ptr[0] == '#')
			continue;
		is_own = has_target(line, target, &colon);
		if (!is_own)
			continue;
		found = true;
		end = bl_str_find(line, BL_STR(";"), colon);
		run_prerequisites(m, bl_str_slice(line, colon + 1, end));
		if (end != SIZE_MAX) /* the first line of the recipe */
			run_recipe_line(m,
					bl_str_slice(line, end + 1, SIZE_MAX));
	}
	return found;
}

/* The first rule of the file, which is made when no target is named. */
static struct bl_str first_target(struct bl_str text)
{
	struct bl_str line;
	size_t at = 0;

	while (bl_effects_make_line(text, &at, &line)) {
		size_t colon = bl_str_find(line, BL_STR(":"), 0);
		size_t space;

		if (!line.len || strchr("\t#. ", line.ptr[0]) ||
		    colon == SIZE_MAX ||
		    (colon + 1 < line.len && line.ptr[colon + 1] == '='))
			continue;
		line = bl_str_trim(bl_str_slice(line, 0, colon));
		space = bl_str_find(line, BL_STR(" "), 0);
		return bl_str_slice(line, 0, space);
	}
	return (struct bl_str){ NULL, 0 };
}

static bool find_makefile(struct effects_run *run, struct effects_text *out)
{
	static const char *const names[] = { "GNUmakefile", "makefile",
					     "Makefile" };
	struct effects_path path;

	for (size_t i = 0; i < run->parsed.word_count; i++) {
		if (bl_str_is(run->parsed.words[i].option, "makefile")) {
			struct effects_text file = run->parsed.words[i].text;
			bool is_known;

			*out = effects_is(file, "-")
				       ? effects_input(run->walk, &run->inside,
						       &is_known)
				       : effects_read(run, file);
			return effects_is_known(*out);
		}
	}
	for (size_t i = 0; i < BL_COUNT(names); i++) {
		effects_path(run->walk, &run->inside,
			     effects_text(bl_str(names[i])), 0, &path);
		if (effects_content(run->walk, &path, out))
			return true;
	}
	return false;
}

static void run_eval_options(struct makefile *m)
{
	struct effects_builder ignored;

	effects_builder_init(&ignored, m->run->walk->arena, VALUE_BYTES);
	for (size_t i = 0; i < m->run->parsed.word_count; i++) {
		if (bl_str_is(m->run->parsed.words[i].option, "eval"))
			put_expanded(m, &ignored,
				     effects_str(m->run->parsed.words[i].text),
				     0);
	}
}

bool effects_make(struct effects_run *run)
{
	struct makefile m = { .run = run, .span = run->span };
	struct effects_text content = { "", 0, 0 };
	bool has_file = find_makefile(run, &content);
	bool is_done = false;

	m.text = effects_str(content);
	effects_wrap(run->walk, BL_STR("make"));
	run_eval_options(&m);
	/* -n prints the recipes; $(shell) of --eval has run. */
	if (effects_has(&run->parsed, "recon")) {
		effects_unwrap(run->walk);
		return true;
	}
	for (size_t i = 0; has_file && i < run->parsed.operands.count; i++) {
		struct effects_text target = run->parsed.operands.items[i].text;

		if (target.len && memchr(target.ptr, '=', target.len))
			continue;
		is_done = true;
		if (!run_target(&m, effects_str(target)))
			effects_opaque(run->walk, BL_FACT_OPAQUE_SCRIPT, target,
				       run->span);
	}
	if (has_file && !is_done)
		is_done = run_target(&m, first_target(m.text));
	effects_unwrap(run->walk);
	if (!is_done)
		effects_opaque(run->walk, BL_FACT_OPAQUE_SCRIPT,
			       effects_text(BL_STR("Makefile")), run->span);
	return true;
}

/* ---- package.json --------------------------------------------------------------- */

/* The string at text[at] of JSON, with its escapes decoded; behind it. */
static size_t read_json_string(struct effects_run *run, struct bl_str text,
			       size_t at, struct bl_str *out)
{
	struct effects_builder value;

	effects_builder_init(&value, run->walk->arena, VALUE_BYTES);
	for (at++; at < text.len && text.ptr[at] != '"'; at++) {
		char c = text.ptr[at];

		if (c == '\\' && at + 1 < text.len) {
			c = text.ptr[++at];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		effects_put(&value, &c, 1);
	}
	*out = effects_str(effects_built(&value));
	return at + 1;
}

/* "scripts": {... "NAME": "TEXT" ...}: TEXT; ptr NULL: it is not there. */
static struct bl_str script_of(struct effects_run *run, struct bl_str text,
			       struct bl_str name)
{
	size_t at = bl_str_find(text, BL_STR("\"scripts\""), 0);
	struct bl_str key, value;

	if (at == SIZE_MAX)
		return (struct bl_str){ NULL, 0 };
	at += strlen("\"scripts\"");
	while (at < text.len && text.ptr[at] != '}') {
		if (text.ptr[at] != '"') {
			at++;
			continue;
		}
		at = read_json_string(run, text, at, &key);
		while (at < text.len && text.ptr[at] != '"' &&
		       text.ptr[at] != '}')
			at++;
		if (at >= text.len || text.ptr[at] == '}')
			break;
		at = read_json_string(run, text, at, &value);
		if (bl_str_equal(key, name))
			return value;
	}
	return (struct bl_str){ NULL, 0 };
}

/* npm run NAME, and what runs before and after it. */
bool effects_package_script(struct effects_run *run)
{
	static const char *const around[] = { "pre", "", "post" };
	struct effects_path path;
	struct effects_text content;
	struct effects_text name;

	if (!run->parsed.operands.count)
		return true;
	name = run->parsed.operands.items[0].text;
	effects_path(run->walk, &run->inside,
		     effects_text(BL_STR("package.json")), 0, &path);
	if (!effects_content(run->walk, &path, &content) ||
	    !effects_is_known(content)) {
		effects_opaque(run->walk, BL_FACT_OPAQUE_SCRIPT, name,
			       run->span);
		return true;
	}
	effects_wrap(run->walk, BL_STR("npm"));
	for (size_t i = 0; i < BL_COUNT(around); i++) {
		struct bl_str script = script_of(
			run, effects_str(content),
			bl_arena_printf(run->walk->arena, "%s%.*s", around[i],
					(int)name.len, name.ptr));

		if (script.ptr)
			effects_run_text(run->walk, &run->inside,
					 effects_text(script), true, NULL,
					 run->span);
	}
	effects_unwrap(run->walk);
	return true;
}

/*
 * npm install runs what package.json says must run around it.  Scripts that were
 * there before the line are the project's own; those that the line wrote are its doing.
 */
bool effects_lifecycle(struct effects_run *run)
{
	static const char *const verbs[] = { "i", "install", "ci", "add" };
	static const char *const scripts[] = { "preinstall", "install",
					       "postinstall", "prepare" };
	const struct effects_args *args = &run->parsed.operands;
	const struct effects_file *file;
	struct effects_path path;
	bool installs = !args->count;

	for (size_t i = 0; i < BL_COUNT(verbs) && !installs; i++)
		installs = effects_is(args->items[0].text, verbs[i]);
	effects_path(run->walk, &run->inside,
		     effects_text(BL_STR("package.json")), 0, &path);
	file = path.state == BL_FACT_KNOWN
		       ? effects_file_find(run->walk, effects_str(path.text))
		       : NULL;
	if (!installs || !file || !file->is_mine || !file->count ||
	    effects_has(&run->parsed, "ignore-scripts"))
		return false;
	effects_wrap(run->walk, BL_STR("npm"));
	for (size_t i = 0; i < BL_COUNT(scripts); i++) {
		struct bl_str script = script_of(
			run, effects_str(file->contents[file->count - 1]),
			bl_str(scripts[i]));

		if (script.ptr)
			effects_run_text(run->walk, &run->inside,
					 effects_text(script), true, NULL,
					 run->span);
	}
	effects_unwrap(run->walk);
	return false;
}

/* npm pkg set KEY=VALUE: from here on package.json is another one. */
bool effects_package_edit(struct effects_run *run)
{
	struct effects_text file = effects_text(BL_STR("package.json"));
	const struct effects_args *args = &run->parsed.operands;
	struct effects_path path;

	if (!args->count || effects_is(args->items[0].text, "get"))
		return false;
	effects_add_path(run->walk, &run->inside, BL_FACT_WRITE,
			 BL_STR("manifest"), file, BL_FACT_IS_EDIT, 0,
			 run->span);
	effects_path(run->walk, &run->inside, file, 0, &path);
	if (path.state == BL_FACT_KNOWN)
		effects_file_put(run->walk, effects_str(path.text),
				 effects_hole(run->walk, BL_STR("package.json"),
					      BL_FACT_FROM_WRITTEN, false),
				 false);
	return false;
}

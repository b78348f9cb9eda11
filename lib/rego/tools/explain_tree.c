/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of what explain.c remembers, from the result down and within limits.
 */
#include "json/json.h"
#include "rego/tools/explain.h"

enum cut {
	CUT_DEPTH,       /* rules within rules */
	CUT_NODES,       /* rules and statements of the tree */
	CUT_VALUE,       /* bytes of a value or a text */
	CUT_DERIVATIONS, /* what was remembered */
	CUT_COUNT
};

static const char *const cut_names[CUT_COUNT] = {
	[CUT_DEPTH] = "depth",
	[CUT_NODES] = "nodes",
	[CUT_VALUE] = "value",
	[CUT_DERIVATIONS] = "derivations",
};

struct tree {
	const struct bl_rego_explainer *x;
	struct bl_arena *arena;
	struct bl_rego_explain_options options;
	bool *shown; /* derivations that are in it */
	uint32_t nodes;
	uint32_t depth;
	unsigned cuts; /* 1 << enum cut */
	enum bl_status status;
};

static bool build_rule(struct tree *tree, size_t number,
		       struct bl_value *out_rule);

/* ---- texts and values ------------------------------------------------------- */

static void add_text(struct bl_object_builder *out, const char *name,
		     struct bl_str text)
{
	if (text.len)
		bl_object_builder_add(out, bl_str(name), bl_value_string(text));
}

/* The bytes of text that are shown, whole characters. */
static size_t shown_bytes(struct tree *tree, struct bl_str text)
{
	size_t len = tree->options.value_bytes;

	if (text.len <= len)
		return text.len;
	tree->cuts |= 1U << CUT_VALUE;
	while (len && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
		len--;
	return len;
}

/* Source on one line, at most so long. */
static struct bl_str source_text(struct tree *tree, struct bl_str text)
{
	struct bl_buf line;
	struct bl_str copy;
	size_t len = shown_bytes(tree, text);
	bool blank = false;

	bl_buf_init(&line, 0);
	for (size_t i = 0; i < len; i++) {
		char c = text.ptr[i];
		bool is_blank = c == '\n' || c == '\t' || c == '\r';

		if (is_blank && !blank)
			bl_buf_put_char(&line, ' ');
		else if (!is_blank)
			bl_buf_put_char(&line, c);
		blank = is_blank || (blank && c == ' ');
	}
	if (len < text.len)
		bl_buf_puts(&line, "...");
	copy = bl_arena_copy_str(tree->arena, bl_buf_str(&line));
	if (bl_buf_status(&line))
		tree->status = bl_buf_status(&line);
	bl_buf_clear(&line);
	return copy;
}

/* As "value"; of one that is too long "value_start" and "value_bytes". */
static void add_value(struct tree *tree, struct bl_value value,
		      struct bl_object_builder *out)
{
	struct bl_buf text;
	struct bl_str written;
	size_t len;

	if (!bl_value_is_defined(value)) {
		bl_object_builder_add(out, BL_STR("undefined"),
				      bl_value_boolean(true));
		return;
	}
	bl_buf_init(&text, 0);
	bl_json_write(&text, value, BL_JSON_CANONICAL);
	if (bl_buf_status(&text))
		tree->status = bl_buf_status(&text);
	written = bl_buf_str(&text);
	len = shown_bytes(tree, written);
	if (len == written.len) {
		bl_object_builder_add(out, BL_STR("value"),
				      bl_value_copy(tree->arena, value));
	} else {
		add_text(out, "value_start",
			 bl_arena_copy_str(tree->arena,
					   bl_str_slice(written, 0, len)));
		bl_object_builder_add(out, BL_STR("value_bytes"),
				      bl_value_integer((int64_t)written.len));
	}
	bl_buf_clear(&text);
}

static void add_place(struct bl_object_builder *out,
		      const struct bl_rego_mark *mark)
{
	add_text(out, "file", mark->file);
	bl_object_builder_add(out, BL_STR("line"),
			      bl_value_integer(mark->line));
}

/* ---- nodes -------------------------------------------------------------------- */

static bool take_node(struct tree *tree)
{
	if (tree->nodes >= tree->options.nodes) {
		tree->cuts |= 1U << CUT_NODES;
		return false;
	}
	tree->nodes++;
	return true;
}

static void add_cut(struct bl_object_builder *out, enum cut cut)
{
	add_text(out, "cut", bl_str(cut_names[cut]));
}

static void add_facts(struct tree *tree, const struct explain_found *found,
		      struct bl_object_builder *out)
{
	struct bl_array_builder list;

	if (!found->fact_count)
		return;
	bl_array_builder_init(&list, tree->arena);
	for (size_t i = 0; i < found->fact_count; i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, tree->arena);
		add_text(&one, "name", source_text(tree, found->facts[i].name));
		add_value(tree, found->facts[i].value, &one);
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	bl_object_builder_add(out, BL_STR("values"),
			      bl_array_builder_end(&list));
}

static void add_rules(struct tree *tree, const size_t *numbers, size_t count,
		      struct bl_object_builder *out)
{
	struct bl_array_builder list;

	if (!count)
		return;
	if (tree->depth >= tree->options.depth) {
		tree->cuts |= 1U << CUT_DEPTH;
		add_cut(out, CUT_DEPTH);
		return;
	}
	bl_array_builder_init(&list, tree->arena);
	tree->depth++;
	for (size_t i = 0; i < count; i++) {
		struct bl_value rule;

		if (!build_rule(tree, numbers[i], &rule)) {
			add_cut(out, CUT_NODES);
			break;
		}
		bl_array_builder_add(&list, rule);
	}
	tree->depth--;
	bl_object_builder_add(out, BL_STR("rules"),
			      bl_array_builder_end(&list));
}

/* The values that a statement or a head names, and the rules that it needs. */
static void add_reasons(struct tree *tree, const struct explain_derivation *of,
			const struct explain_note *note,
			struct bl_object_builder *out)
{
	struct explain_found found;

	if (!explain_statement(tree->x, of, note, tree->arena, &found)) {
		tree->status = bl_arena_why(tree->arena);
		return;
	}
	add_facts(tree, &found, out);
	add_rules(tree, found.children, found.child_count, out);
}

static struct bl_value build_statement(struct tree *tree,
				       const struct explain_derivation *of,
				       const struct explain_note *note)
{
	const struct bl_rego_mark *mark =
		&tree->x->program->marks[note->mark].shown;
	struct bl_object_builder out;

	bl_object_builder_init(&out, tree->arena);
	add_text(&out, "text", source_text(tree, mark->text));
	bl_object_builder_add(&out, BL_STR("line"),
			      bl_value_integer(mark->line));
	add_reasons(tree, of, note, &out);
	return bl_object_builder_end(&out);
}

/* Does a statement stand before another one in its file? */
static bool is_before(const struct tree *tree, uint32_t a, uint32_t b)
{
	const struct bl_program_mark *marks = tree->x->program->marks;

	if (marks[a].shown.line != marks[b].shown.line)
		return marks[a].shown.line < marks[b].shown.line;
	if (marks[a].shown.column != marks[b].shown.column)
		return marks[a].shown.column < marks[b].shown.column;
	return a < b;
}

/* The statement after `last` (NULL: the first one) in order of the file. */
static const struct explain_note *next_note(const struct tree *tree,
					    const struct explain_derivation *of,
					    const struct explain_note *last)
{
	const struct explain_note *next = NULL;

	for (size_t i = 0; i < of->note_count; i++) {
		const struct explain_note *note = &of->notes[i];

		if ((!last || is_before(tree, last->mark, note->mark)) &&
		    (!next || is_before(tree, note->mark, next->mark)))
			next = note;
	}
	return next;
}

/* A statement of a query stands there twice: with its name, and its test. */
static bool is_same_place(const struct tree *tree, const struct explain_note *a,
			  const struct explain_note *b)
{
	const struct bl_program_mark *marks = tree->x->program->marks;

	return a &&
	       marks[a->mark].shown.text.ptr == marks[b->mark].shown.text.ptr;
}

static void add_statements(struct tree *tree,
			   const struct explain_derivation *of,
			   struct bl_object_builder *out)
{
	const struct explain_note *note = NULL;
	const struct explain_note *last = NULL;
	struct bl_array_builder list;

	if (!of->note_count)
		return;
	bl_array_builder_init(&list, tree->arena);
	while ((note = next_note(tree, of, last))) {
		bool is_again = is_same_place(tree, last, note);

		last = note;
		if (is_again)
			continue;
		if (!take_node(tree)) {
			add_cut(out, CUT_NODES);
			break;
		}
		bl_array_builder_add(&list, build_statement(tree, of, note));
	}
	bl_object_builder_add(out, BL_STR("because"),
			      bl_array_builder_end(&list));
}

static void add_keys(struct tree *tree, const struct explain_derivation *of,
		     struct bl_object_builder *out)
{
	struct bl_array_builder list;

	bool is_set = tree->x->program->marks[of->mark].is_set;
	uint32_t count = of->key_count - is_set;

	if (is_set)
		bl_object_builder_add(out, BL_STR("contains"),
				      bl_value_boolean(true));
	if (!count)
		return;
	bl_array_builder_init(&list, tree->arena);
	for (uint32_t i = 0; i < count; i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, tree->arena);
		add_value(tree, of->keys[i], &one);
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	bl_object_builder_add(out, BL_STR("keys"), bl_array_builder_end(&list));
}

/* False: there is no room for it. */
static bool build_rule(struct tree *tree, size_t number,
		       struct bl_value *out_rule)
{
	const struct explain_derivation *of = &tree->x->derivations[number];
	struct bl_object_builder out;

	if (!take_node(tree))
		return false;
	bl_object_builder_init(&out, tree->arena);
	if (of->mark != EXPLAIN_NO_MARK) {
		const struct bl_rego_mark *mark =
			&tree->x->program->marks[of->mark].shown;

		add_text(&out, "rule", mark->path);
		add_place(&out, mark);
		add_text(&out, "text", source_text(tree, mark->text));
		add_keys(tree, of, &out);
		add_value(tree, of->value, &out);
	}
	if (of->more)
		bl_object_builder_add(&out, BL_STR("more"),
				      bl_value_integer((int64_t)of->more));
	if (tree->shown[number]) {
		bl_object_builder_add(&out, BL_STR("repeated"),
				      bl_value_boolean(true));
	} else {
		tree->shown[number] = true;
		add_statements(tree, of, &out);
		if (of->mark != EXPLAIN_NO_MARK)
			add_reasons(tree, of, &of->head, &out);
	}
	*out_rule = bl_object_builder_end(&out);
	return true;
}

/* ---- all of it ---------------------------------------------------------------- */

/* Is the derivation of what was asked about? */
static bool is_asked(const struct tree *tree, size_t number)
{
	const struct bl_rego_explainer *x = tree->x;
	struct bl_str path = tree->options.path;
	struct bl_value element = tree->options.element;
	const struct explain_derivation *of = &x->derivations[number];
	struct bl_str own;

	if (of->mark == EXPLAIN_NO_MARK || !path.len)
		return of->mark == EXPLAIN_NO_MARK && !path.len;
	own = x->program->marks[of->mark].shown.path;
	if (!bl_str_has_prefix(own, path) ||
	    (own.len > path.len && own.ptr[path.len] != '.'))
		return false;
	if (!bl_value_is_defined(element) || !of->key_count)
		return true;
	return bl_value_equal(element, x->program->marks[of->mark].is_set
					       ? of->value
					       : of->keys[0]);
}

static bool find_asked(struct tree *tree, size_t **out_numbers,
		       size_t *out_count)
{
	size_t *numbers =
		bl_arena_new_array(tree->arena, size_t, tree->x->count + 1);
	size_t count = 0;

	if (!numbers)
		return false;
	for (size_t i = 0; i < tree->x->count; i++)
		if (is_asked(tree, i))
			numbers[count++] = i;
	*out_numbers = numbers;
	*out_count = count;
	return true;
}

static void add_cuts(const struct tree *tree, struct bl_object_builder *out)
{
	struct bl_array_builder list;

	if (!tree->cuts)
		return;
	bl_array_builder_init(&list, tree->arena);
	for (unsigned cut = 0; cut < CUT_COUNT; cut++)
		if (tree->cuts & (1U << cut))
			bl_array_builder_add(
				&list, bl_value_string(bl_str(cut_names[cut])));
	bl_object_builder_add(out, BL_STR("cuts"), bl_array_builder_end(&list));
}

static struct bl_rego_explain_options
with_usual(const struct bl_rego_explain_options *options)
{
	struct bl_rego_explain_options all = *options;

	if (!all.depth)
		all.depth = EXPLAIN_USUAL_DEPTH;
	if (!all.nodes)
		all.nodes = EXPLAIN_USUAL_NODES;
	if (!all.value_bytes)
		all.value_bytes = EXPLAIN_USUAL_BYTES;
	return all;
}

enum bl_status bl_rego_explain(const struct bl_rego_explainer *explainer,
			       const struct bl_rego_explain_options *options,
			       struct bl_arena *arena,
			       struct bl_value *out_tree, struct bl_error *err)
{
	struct tree tree = { .x = explainer,
			     .arena = arena,
			     .options = with_usual(options),
			     .cuts = explainer->is_full ? 1U << CUT_DERIVATIONS
							: 0 };
	struct bl_object_builder out;
	size_t *numbers;
	size_t count;

	tree.shown = bl_arena_new_array(arena, bool, explainer->count + 1);
	if (explainer->no_memory)
		return bl_arena_fail(explainer->arena, err);
	if (!tree.shown || !find_asked(&tree, &numbers, &count))
		return bl_arena_fail(arena, err);
	bl_object_builder_init(&out, arena);
	add_rules(&tree, numbers, count, &out);
	add_cuts(&tree, &out);
	*out_tree = bl_object_builder_end(&out);
	if (tree.status)
		return bl_fail(err, tree.status, "out of memory");
	return bl_arena_status(arena) ? bl_arena_fail(arena, err) : BL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules named test_..., as they are tested (docs/contracts/rego.md "Tests"): each rule is a test of its own.  Rules of one name together have one
 * value, so that one that holds would hide one that does not; the second of
 * them gets the name "test_x#01", the third "test_x#02", before they are put
 * into the tree.  Apart from the tree, which nobody else asks to do so.
 */
#include "rego/compiler/resolve/analysis.h"

static bool is_test(struct bl_str name)
{
	return bl_str_has_prefix(name, BL_STR("test_"));
}

static bool is_todo(struct bl_str name)
{
	return bl_str_has_prefix(name, BL_STR("todo_test_"));
}

static struct bl_str part_name(const struct bl_rego_term *name, uint32_t i)
{
	return bl_value_text(bl_rego_path_key(name, i));
}

bool bl_test_find_part(const struct bl_rego_term *name, uint32_t *out_part)
{
	for (uint32_t i = 0; i < bl_rego_path_length(name); i++) {
		if (i > 0 && bl_rego_path_part(name, i)->kind != BL_TERM_SCALAR)
			return false;
		if (is_test(part_name(name, i)) ||
		    is_todo(part_name(name, i))) {
			*out_part = i;
			return true;
		}
	}
	return false;
}

/* The name with "#01" behind a part of it; NULL without memory. */
static struct bl_rego_term *number_name(struct bl_arena *arena,
					const struct bl_rego_term *name,
					uint32_t part, uint32_t number)
{
	struct bl_str text = part_name(name, part);
	struct bl_rego_term *copy = bl_arena_new(arena, struct bl_rego_term);
	struct bl_rego_term *step = bl_arena_new(arena, struct bl_rego_term);

	if (!copy || !step)
		return NULL;
	text = bl_arena_printf(arena, "%.*s#%02u", BL_STR_ARG(text), number);
	*copy = *name;
	*step = *bl_rego_path_part(name, part);
	if (step->kind == BL_TERM_VAR)
		step->as.name = text;
	else
		step->as.value = bl_value_string(text);
	if (name->kind == BL_TERM_VAR)
		return text.ptr ? step : NULL;
	copy->as.items =
		bl_arena_new_array(arena, struct bl_rego_term *, name->count);
	if (!copy->as.items || !text.ptr)
		return NULL;
	memcpy(copy->as.items, name->as.items,
	       name->count * sizeof(struct bl_rego_term *));
	copy->as.items[part] = step;
	return copy;
}

static const struct bl_rego_rule *number_rule(struct bl_compiler *compiler,
					      const struct bl_rego_rule *rule,
					      uint32_t part, uint32_t number)
{
	struct bl_rego_rule *copy =
		bl_arena_new(compiler->arena, struct bl_rego_rule);
	struct bl_rego_term *name =
		copy ? number_name(compiler->arena, rule->name, part, number)
		     : NULL;

	if (!name) {
		compiler->failed_memory = true;
		return rule;
	}
	*copy = *rule;
	copy->name = name;
	return copy;
}

/* "foo.test_x", as references are written: "data" is left out. */
static struct bl_str name_text(struct bl_compiler *compiler,
			       const struct bl_rego_term *name, uint32_t part)
{
	struct bl_str text;
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_buf_put_str(&out, part_name(name, 0));
	for (uint32_t i = 1; i <= part; i++)
		bl_rego_put_key(&out, bl_rego_path_key(name, i));
	text = bl_arena_copy_str(compiler->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

static void note_test(struct bl_compiler *compiler,
		      const struct bl_node *package, const struct bl_node *node,
		      const struct bl_rule *rule, uint32_t part)
{
	const struct bl_rego_rule *syntax = rule->syntax;
	uint32_t length = bl_rego_path_length(syntax->name);
	struct bl_rego_test *test;
	struct bl_place place =
		bl_place_at(rule->module->text, syntax->range.from);

	test = bl_arena_room(compiler->arena, compiler->tests,
			     compiler->test_count, &compiler->test_cap,
			     sizeof(*test));
	if (!test) {
		compiler->failed_memory = true;
		return;
	}
	compiler->tests = test;
	test += compiler->test_count++;
	*test = (struct bl_rego_test){
		.path = bl_node_path(compiler, node),
		.package = bl_node_path(compiler, package),
		.name = name_text(compiler, syntax->name, part),
		.file = rule->module->file,
		.line = place.line,
		.column = place.column,
		.is_todo = is_todo(part_name(syntax->name, part)),
	};
	for (uint32_t i = part + 1; i < length && !syntax->contains; i++)
		test->has_cases |= bl_rego_path_part(syntax->name, i)->kind !=
				   BL_TERM_SCALAR;
}

const struct bl_rego_rule *bl_test_add(struct bl_compiler *compiler,
				       struct bl_node *package,
				       const struct bl_rule *rule)
{
	struct bl_rule own = *rule;
	const struct bl_rego_term *name = own.syntax->name;
	struct bl_node *above = package;
	struct bl_node *node;
	uint32_t part;

	if (!bl_test_find_part(name, &part))
		return own.syntax;
	for (uint32_t i = 0; above && i < part; i++)
		above = bl_node_make_child(compiler, above,
					   bl_rego_path_key(name, i));
	node = above ? bl_node_make_child(compiler, above,
					  bl_rego_path_key(name, part))
		     : NULL;
	if (node && node->test_count++ && !is_todo(part_name(name, part))) {
		own.syntax = number_rule(compiler, own.syntax, part,
					 node->test_count - 1);
		node = bl_node_make_child(
			compiler, above,
			bl_rego_path_key(own.syntax->name, part));
	}
	if (node)
		note_test(compiler, package, node, &own, part);
	return own.syntax;
}

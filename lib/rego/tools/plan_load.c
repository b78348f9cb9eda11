/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as a whole: tables, the tree of functions, and the check at the end. */
#include "rego/compiler/check/callables.h"
#include "rego/runtime/private.h"
#include "rego/tools/plan.h"
#include "rego/tools/tools.h"

/* A function or plan and its path in the tree of documents. */
struct entry {
	struct bl_value path; /* array of keys */
	uint32_t function;
};

/* Nodes from and to of the entries below a node, depth keys deep. */
struct span {
	uint32_t from;
	uint32_t to;
	uint32_t depth;
};

struct tree {
	struct plan_loader *loader;
	struct entry *entries;
	struct span *spans; /* by node */
	size_t entry_count;
	size_t cap;
	size_t span_cap;
};

/* ---- static ------------------------------------------------------------------ */

static bool load_strings(struct plan_loader *loader, struct bl_value strings)
{
	for (size_t i = 0; i < bl_value_count(strings); i++) {
		struct bl_value text = bl_object_find(bl_value_item(strings, i),
						      BL_STR("value"));

		if (!bl_value_is(text, BL_KIND_STRING))
			return plan_fail(loader, BL_INVALID,
					 "a string constant is not a string");
		plan_constant(loader, text);
	}
	loader->string_count = bl_value_count(strings);
	return !loader->status;
}

static bool load_files(struct plan_loader *loader, struct bl_value files)
{
	size_t count = bl_value_count(files);

	loader->program->files = bl_arena_new_array(
		loader->arena, struct bl_program_file, count + 1);
	if (!loader->program->files)
		return plan_fail(loader, bl_arena_why(loader->arena),
				 "there is no memory for it");
	for (size_t i = 0; i < count; i++) {
		struct bl_str name = bl_value_text(bl_object_find(
			bl_value_item(files, i), BL_STR("value")));

		loader->program->files[i].name = bl_program_rel(
			loader->program, name.ptr ? name.ptr : "");
		loader->program->files[i].name_len = (uint32_t)name.len;
	}
	loader->program->file_count = loader->file_count = count;
	return true;
}

/* A plan knows rows only: each line of its files is one byte long. */
static bool number_lines(struct plan_loader *loader)
{
	uint32_t count = loader->max_row + 1;
	uint32_t *lines = bl_arena_new_array(loader->arena, uint32_t, count);

	if (!lines)
		return plan_fail(loader, bl_arena_why(loader->arena),
				 "there is no memory for it");
	for (uint32_t i = 0; i < count; i++)
		lines[i] = i;
	for (size_t i = 0; i < loader->file_count; i++) {
		struct bl_program_file *file = &loader->program->files[i];

		file->lines = bl_program_rel(loader->program, lines);
		file->line_count = count;
	}
	return true;
}

/* ---- functions ----------------------------------------------------------------- */

/* Numbers of functions by name; arguments have to be known before calls. */
static bool name_functions(struct plan_loader *loader, struct bl_value funcs,
			   size_t plan_count)
{
	size_t count = bl_value_count(funcs);
	struct bl_object_builder names;
	struct bl_function *functions = bl_arena_new_array(
		loader->arena, struct bl_function, count + plan_count + 1);

	bl_object_builder_init(&names, loader->arena);
	loader->program->functions = functions;
	loader->program->function_count = count + plan_count;
	for (size_t i = 0; functions && i < count; i++) {
		struct bl_value func = bl_value_item(funcs, i);

		functions[i].arity = (uint32_t)bl_value_count(
			bl_object_find(func, BL_STR("params")));
		bl_object_builder_add(
			&names,
			bl_value_text(bl_object_find(func, BL_STR("name"))),
			bl_value_integer((int64_t)i));
	}
	loader->function_names = bl_object_builder_end(&names);
	if (!functions || !bl_value_is_defined(loader->function_names))
		return plan_fail(loader, bl_arena_why(loader->arena),
				 "there is no memory for it");
	if (bl_value_count(loader->function_names) != count)
		return plan_fail(loader, BL_INVALID,
				 "two functions have one name");
	return true;
}

static bool add_entry(struct tree *tree, const struct bl_value *path,
		      size_t count, uint32_t function)
{
	struct entry *entry;

	if (!plan_grow(tree->loader, (void **)&tree->entries, tree->entry_count,
		       &tree->cap, sizeof(*tree->entries)))
		return false;
	entry = &tree->entries[tree->entry_count++];
	entry->path = bl_array_make(tree->loader->arena, path, count);
	entry->function = function;
	return bl_value_is_defined(entry->path) ||
	       plan_fail(tree->loader, bl_arena_why(tree->loader->arena),
			 "there is no memory for it");
}

static bool load_functions(struct tree *tree, struct bl_value funcs)
{
	for (size_t i = 0; i < bl_value_count(funcs); i++) {
		struct bl_value func = bl_value_item(funcs, i);
		struct bl_value path = bl_object_find(func, BL_STR("path"));

		/* Only what has a path can be called by one. */
		if (bl_value_count(path) &&
		    (!bl_value_is(path, BL_KIND_ARRAY) ||
		     !add_entry(tree, path.as.items, bl_value_count(path),
				(uint32_t)i)))
			return plan_fail(tree->loader, BL_INVALID,
					 "a path is not an array");
		if (!plan_function(tree->loader, (uint32_t)i,
				   bl_object_find(func, BL_STR("params")),
				   bl_object_find(func, BL_STR("blocks"))))
			return false;
	}
	return true;
}

static bool load_plans(struct tree *tree, struct bl_value plans, size_t first)
{
	struct bl_value locals[2] = { bl_value_integer(0),
				      bl_value_integer(1) };
	struct bl_value params = bl_array_make(tree->loader->arena, locals, 2);

	tree->loader->is_plan = true;
	for (size_t i = 0; i < bl_value_count(plans); i++) {
		struct bl_value plan = bl_value_item(plans, i);
		struct bl_value path[2] = {
			bl_value_null(), bl_object_find(plan, BL_STR("name"))
		};
		uint32_t index = (uint32_t)(first + i);

		if (!bl_value_is(path[1], BL_KIND_STRING))
			return plan_fail(tree->loader, BL_INVALID,
					 "a plan has no name");
		if (!add_entry(tree, path, 2, index) ||
		    !plan_function(tree->loader, index, params,
				   bl_object_find(plan, BL_STR("blocks"))))
			return false;
	}
	return true;
}

/* ---- the tree of documents ------------------------------------------------------- */

static void sort_entries(struct entry *entries, size_t count,
			 struct entry *spare)
{
	size_t half = count / 2;
	size_t i = 0;
	size_t j = half;

	if (count < 2)
		return;
	sort_entries(entries, half, spare);
	sort_entries(entries + half, count - half, spare);
	for (size_t k = 0; k < count; k++) {
		bool left =
			j >= count ||
			(i < half && bl_value_compare(entries[i].path,
						      entries[j].path) <= 0);

		spare[k] = entries[left ? i++ : j++];
	}
	memcpy(entries, spare, count * sizeof(*entries));
}

static bool add_node(struct tree *tree, size_t *cap, struct bl_value key,
		     uint32_t parent, struct span span)
{
	struct bl_program *program = tree->loader->program;
	size_t count = program->node_count;

	if (!plan_grow(tree->loader, (void **)&program->nodes, count, cap,
		       sizeof(*program->nodes)) ||
	    !plan_grow(tree->loader, (void **)&tree->spans, count,
		       &tree->span_cap, sizeof(*tree->spans)))
		return false;
	tree->spans[count] = span;
	program->nodes[count] = (struct bl_program_node){
		.key = plan_constant(tree->loader, key),
		.parent = parent,
		.function = BL_NO_FUNCTION,
		.place = { UINT32_MAX, 0 },
	};
	program->node_count++;
	return true;
}

/* A function that ends at this node, and its children. */
static bool expand(struct tree *tree, size_t *cap, uint32_t index)
{
	struct bl_program *program = tree->loader->program;
	struct span span = tree->spans[index];
	struct entry *entries = tree->entries;

	program->nodes[index].first_child = (uint32_t)program->node_count;
	if (span.from < span.to &&
	    bl_value_count(entries[span.from].path) == span.depth) {
		uint32_t function = entries[span.from++].function;

		program->nodes[index].kind = BL_RULE_FUNCTION;
		program->nodes[index].function = function;
		program->functions[function].node = index;
		program->nodes[index].arity =
			program->functions[function].arity;
	}
	for (uint32_t from = span.from, to; from < span.to; from = to) {
		struct bl_value key =
			bl_value_item(entries[from].path, span.depth);

		if (!bl_value_is_defined(key))
			return plan_fail(tree->loader, BL_INVALID,
					 "two functions have one path");
		for (to = from + 1; to < span.to; to++)
			if (!bl_value_equal(
				    bl_value_item(entries[to].path, span.depth),
				    key))
				break;
		if (!add_node(tree, cap, key, index,
			      (struct span){ from, to, span.depth + 1 }))
			return false;
		program->nodes[index].child_count++;
	}
	return true;
}

static bool make_tree(struct tree *tree)
{
	struct bl_program *program = tree->loader->program;
	struct entry *spare = bl_arena_new_array(
		tree->loader->arena, struct entry, tree->entry_count + 1);
	size_t cap = 0;
	uint32_t count = (uint32_t)tree->entry_count;

	if (!spare)
		return plan_fail(tree->loader,
				 bl_arena_why(tree->loader->arena),
				 "there is no memory for it");
	sort_entries(tree->entries, tree->entry_count, spare);
	if (!add_node(tree, &cap, bl_value_string(BL_STR("data")), BL_NO_NODE,
		      (struct span){ 0, count, 0 }))
		return false;
	for (uint32_t i = 0; i < program->node_count; i++)
		if (!expand(tree, &cap, i))
			return false;
	return true;
}

/* ---- the whole --------------------------------------------------------------------- */

static bool load(struct tree *tree, struct bl_value plan)
{
	struct plan_loader *loader = tree->loader;
	struct bl_value fixed = bl_object_find(plan, BL_STR("static"));
	struct bl_value funcs = bl_object_find(
		bl_object_find(plan, BL_STR("funcs")), BL_STR("funcs"));
	struct bl_value plans = bl_object_find(
		bl_object_find(plan, BL_STR("plans")), BL_STR("plans"));

	if (!bl_value_is(plans, BL_KIND_ARRAY))
		return plan_fail(loader, BL_INVALID,
				 "there is no array at plans.plans");
	loader->locals = bl_arena_new_array(loader->arena, struct plan_local,
					    PLAN_MAX_LOCALS);
	if (!loader->locals)
		return plan_fail(loader, bl_arena_why(loader->arena),
				 "there is no memory for it");
	return load_strings(loader, bl_object_find(fixed, BL_STR("strings"))) &&
	       load_files(loader, bl_object_find(fixed, BL_STR("files"))) &&
	       name_functions(loader, funcs, bl_value_count(plans)) &&
	       load_functions(tree, funcs) &&
	       load_plans(tree, plans, bl_value_count(funcs)) &&
	       number_lines(loader) && make_tree(tree);
}

enum bl_status bl_plan_load(struct bl_arena *arena, struct bl_value plan,
			    const struct bl_callables *callables,
			    struct bl_program *out_program,
			    struct bl_error *err)
{
	struct plan_loader *loader = bl_arena_new(arena, struct plan_loader);
	struct tree tree = { .loader = loader };
	const char *wrong;

	if (!loader)
		return bl_arena_fail(arena, err);
	*out_program = (struct bl_program){
		.callables = callables,
		.features = bl_callables_features(callables),
	};
	loader->arena = arena;
	loader->err = err;
	loader->program = out_program;
	loader->patterns = (struct bl_pattern_maker){ .program = out_program,
						      .arena = arena };
	if (!load(&tree, plan))
		return loader->status;
	if (loader->status)
		return loader->status;
	wrong = bl_program_verify(out_program, NULL, NULL, arena);
	if (wrong)
		return bl_fail(err, BL_INVALID, "plan: %s is not sound", wrong);
	return BL_OK;
}

uint32_t bl_plan_find(const struct bl_program *program, struct bl_str name)
{
	uint32_t node = bl_program_child(program, 0, bl_value_null());

	if (node != BL_NO_NODE)
		node = bl_program_child(program, node, bl_value_string(name));
	return node == BL_NO_NODE ? BL_NO_FUNCTION
				  : program->nodes[node].function;
}

/* ---- policies --------------------------------------------------------------- */

enum bl_status bl_rego_load_plan(struct bl_arena *arena, struct bl_value plan,
				 const struct bl_rego_compile_options *options,
				 const struct bl_rego_policies **out_policies,
				 struct bl_error *err)
{
	struct bl_rego_policies *policies =
		bl_arena_new(arena, struct bl_rego_policies);
	const struct bl_callables *callables = NULL;
	enum bl_status status;

	if (!policies)
		return bl_arena_fail(arena, err);
	status = bl_callables_make(arena, options, &callables, err);
	if (!status)
		status = bl_plan_load(arena, plan, callables,
				      &policies->program, err);
	if (!status)
		*out_policies = policies;
	return status;
}

enum bl_status bl_rego_run_plan(const struct bl_rego_policies *policies,
				struct bl_str entrypoint,
				const struct bl_rego_options *options,
				struct bl_arena *arena,
				struct bl_rego_result *out_result,
				struct bl_error *err)
{
	uint32_t function = bl_plan_find(&policies->program, entrypoint);
	struct bl_value args[2];
	struct bl_vm vm;
	enum bl_status status;

	*out_result = (struct bl_rego_result){ 0 };
	if (function == BL_NO_FUNCTION)
		return bl_fail(err, BL_NOT_FOUND,
			       "there is no entry point %.*s",
			       BL_STR_ARG(entrypoint));
	status = bl_rego_begin(&vm, &policies->program, options, arena, err);
	if (status)
		return status;
	args[0] = vm.input;
	args[1] = vm.data;
	if (!bl_vm_call(&vm, function, args, 2, &out_result->solutions))
		bl_rego_note_fault(&vm, out_result);
	return BL_OK;
}

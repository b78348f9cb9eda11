/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata of a policy (docs/contracts/cupcake.md "Policy metadata").
 */
#include "sources/policies/private.h"

struct finder {
	struct policy_metadata *out;
	struct bl_arena *arena;
	struct bl_diags *diags;
	struct bl_diag_source source;
	struct bl_str problem; /* of the block that counts */
	bool found;
	enum bl_status status;
};

static const char routing_path[] = "custom.routing";

static void note(struct finder *f, enum bl_severity severity, const char *code,
		 const char *hint, struct bl_str what)
{
	bl_diags_add(f->diags, severity, code, &f->source,
		     policy_place(f->source.text, f->out->line, 1), hint,
		     "%.*s", BL_STR_ARG(what));
	f->out->is_broken |= severity == BL_SEVERITY_ERROR;
}

/* The first block with routing counts, else the first. */
static void take_annotation(void *context, const struct bl_rego_annotation *one)
{
	struct finder *f = context;
	bool has_routing =
		bl_value_is_defined(policy_at(one->value, routing_path));

	if (f->found && (f->out->has_routing || !has_routing))
		return;
	f->found = true;
	f->problem = one->problem;
	f->out->value = one->value;
	f->out->line = one->line;
	f->out->before_package = one->before_package;
	f->out->has_routing = has_routing;
}

/* How the rules of tests are named (`belay rego test`). */
static bool is_test_name(struct bl_str name)
{
	return bl_str_has_prefix(name, BL_STR("test_")) ||
	       bl_str_has_prefix(name, BL_STR("todo_test_"));
}

static void take_head(void *context, const struct bl_rego_head *head)
{
	struct finder *f = context;
	bool is_test = is_test_name(head->name);

	f->out->is_test = is_test && (f->out->is_test || !f->out->has_rules);
	f->out->has_rules = true;
	for (int verb = BL_VERB_HALT; verb > BL_VERB_ALLOW; verb--)
		if (bl_str_is(head->name, bl_verb_name((enum bl_verb)verb))) {
			f->out->names_verbs = true;
			f->out->has_verbs |=
				!head->is_function && !head->is_default;
		}
}

/* ---- lists ---------------------------------------------------------------- */

static bool is_text_list(struct bl_value list)
{
	if (!bl_value_is(list, BL_KIND_ARRAY) ||
	    bl_value_count(list) > POLICY_MAX_NAMES)
		return false;
	for (size_t i = 0; i < bl_value_count(list); i++)
		if (!bl_value_text(bl_value_item(list, i)).len)
			return false;
	return true;
}

static void read_names(struct finder *f, const char *key,
		       struct bl_names *out_names)
{
	struct bl_value list = bl_object_find(
		policy_at(f->out->value, routing_path), bl_str(key));
	struct bl_str *items;
	struct bl_str text;

	if (!bl_value_is_defined(list) || bl_value_is(list, BL_KIND_NULL))
		return;
	if (!is_text_list(list)) {
		text = bl_arena_printf(f->arena,
				       "custom.routing.%s must be a list of "
				       "names",
				       key);
		note(f, BL_SEVERITY_ERROR, "policy/metadata", NULL, text);
		return;
	}
	items = bl_arena_new_array(f->arena, struct bl_str,
				   bl_value_count(list) + 1);
	if (!items) {
		f->status = bl_arena_why(f->arena);
		return;
	}
	for (size_t i = 0; i < bl_value_count(list); i++)
		items[i] = bl_value_text(bl_value_item(list, i));
	*out_names = (struct bl_names){ items, bl_value_count(list) };
}

/* ---- types ---------------------------------------------------------------- */

enum wanted { TEXT, LIST, OBJECT };

static const struct {
	const char *path;
	enum wanted wanted;
} known[] = {
	{ "scope", TEXT },     { "title", TEXT },
	{ "authors", LIST },   { "organizations", LIST },
	{ "custom", OBJECT },  { "custom.severity", TEXT },
	{ "custom.id", TEXT }, { "custom.routing", OBJECT },
};

static void check_types(struct finder *f)
{
	static const struct {
		enum bl_kind kind;
		const char *text;
	} kinds[] = {
		[TEXT] = { BL_KIND_STRING, "a text" },
		[LIST] = { BL_KIND_ARRAY, "a list" },
		[OBJECT] = { BL_KIND_OBJECT, "a mapping" },
	};

	for (size_t i = 0; i < BL_COUNT(known); i++) {
		struct bl_value value = policy_at(f->out->value, known[i].path);

		if (!bl_value_is_defined(value) ||
		    bl_value_is(value, kinds[known[i].wanted].kind))
			continue;
		note(f, BL_SEVERITY_ERROR, "policy/metadata", NULL,
		     bl_arena_printf(f->arena, "%s must be %s", known[i].path,
				     kinds[known[i].wanted].text));
	}
}

static void read_value(struct finder *f)
{
	struct policy_metadata *out = f->out;

	if (!f->found)
		return;
	if (f->problem.len || !bl_value_is(out->value, BL_KIND_OBJECT)) {
		note(f, BL_SEVERITY_ERROR, "policy/metadata",
		     "the lines behind # METADATA are YAML",
		     f->problem.len ? f->problem
				    : BL_STR("the metadata is not a mapping"));
		out->value = bl_value_undefined();
		return;
	}
	check_types(f);
	read_names(f, "required_events", &out->events);
	read_names(f, "required_tools", &out->tools);
	read_names(f, "required_signals", &out->signals);
	read_names(f, "demanded_signals", &out->demanded);
}

bool policy_is_system(struct bl_str package)
{
	static const char *const roots[] = { "cupcake.system",
					     "cupcake.global.system",
					     "belay.system" };

	for (size_t i = 0; i < BL_COUNT(roots); i++) {
		struct bl_str root = bl_str(roots[i]);

		if (bl_str_has_prefix(package, root) &&
		    (package.len == root.len || package.ptr[root.len] == '.'))
			return true;
	}
	return false;
}

enum bl_status policy_read_metadata(const struct policy_file *file,
				    struct bl_arena *arena,
				    struct bl_diags *diags,
				    struct policy_metadata *out_metadata,
				    struct bl_error *err)
{
	struct finder f = { .out = out_metadata,
			    .arena = arena,
			    .diags = diags,
			    .source = { file->path, file->text } };
	const struct bl_rego_module *module;
	size_t offset;
	enum bl_status status = bl_rego_parse(arena, file->path, file->text,
					      false, &module, &offset, err);

	*out_metadata = (struct policy_metadata){ 0 };
	if (status == BL_SYNTAX || status == BL_LIMIT)
		return BL_OK;
	if (status)
		return status;
	out_metadata->package = bl_rego_package(module, arena);
	if (!out_metadata->package.ptr)
		return bl_arena_fail(arena, err);
	status = bl_rego_each_annotation(module, arena, take_annotation, &f,
					 err);
	if (status)
		return status;
	bl_rego_each_head(module, take_head, &f);
	read_value(&f);
	return f.status ? bl_arena_fail(arena, err) : BL_OK;
}

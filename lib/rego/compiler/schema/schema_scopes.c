/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which schemas are of which rules: those of annotations, from the outermost
 * package inwards, then those of the rule itself (docs/contracts/rego.md
 * "Metadata").
 */
#include "rego/compiler/types/check_types.h"

/* The target of a schema, and its type when it is known. */
struct entry {
	const struct bl_rego_term *path; /* "input.a", "data.b" */
	const struct bl_rego_term *name; /* "schema.acl"; NULL: definition */
	struct bl_value definition;
	bool is_read;
	const struct bl_type *type; /* NULL: none, problem says why */
	struct bl_str problem;
	struct entry *next;
};

enum scope { SCOPE_SUBPACKAGES, SCOPE_PACKAGE, SCOPE_DOCUMENT, SCOPE_RULE };

static const char *const scope_names[] = {
	[SCOPE_SUBPACKAGES] = "subpackages",
	[SCOPE_PACKAGE] = "package",
	[SCOPE_DOCUMENT] = "document",
	[SCOPE_RULE] = "rule",
};

/* An annotation with schemas, in the order in which they are written. */
struct bl_schema_scope {
	enum scope scope;
	const struct bl_node *node; /* of the package, or of the rule's path */
	const struct bl_rego_rule *rule;
	const struct bl_rego_module *module;
	uint32_t offset;
	struct entry *entries;
	struct bl_schema_scope *next;
};

struct reading {
	struct checker *checker;
	const struct bl_rego_module *module;
	struct bl_schema_scope *first;
	struct bl_schema_scope **tail;
};

/* Of the constant parts of a rule's head. */
static const struct bl_node *node_of_rule(struct checker *checker,
					  const struct bl_rego_module *module,
					  const struct bl_rego_rule *rule)
{
	const struct bl_node *node = bl_package_node(checker->compiler, module);
	const struct bl_rego_term *name = rule->name;

	for (uint32_t i = 0; node && i < bl_rego_path_length(name); i++) {
		if (i && bl_rego_path_part(name, i)->kind != BL_TERM_SCALAR)
			break;
		node = bl_node_find_child(node, bl_rego_path_key(name, i));
	}
	return node;
}

/* ---- reading annotations -------------------------------------------------- */

static void report(const struct reading *r,
		   const struct bl_rego_annotation *one, const char *text)
{
	bl_compiler_error(r->checker->compiler, r->module, one->from,
			  BL_FINDING_ANNOTATION, "%s", text);
}

/* A name or a reference; NULL: it is neither. */
static const struct bl_rego_term *parse_path(struct checker *checker,
					     struct bl_str text)
{
	struct bl_rego_body *body;
	const struct bl_rego_term *term;
	struct bl_error err = { 0 };
	size_t offset;

	if (!text.ptr ||
	    bl_rego_parse_query(checker->arena, text, &body, &offset, &err) ||
	    body->count != 1 || body->exprs[0]->kind != BL_EXPR_TERM ||
	    body->exprs[0]->negated || body->exprs[0]->with_count)
		return NULL;
	term = body->exprs[0]->terms[0];
	return term->kind == BL_TERM_VAR ||
			       (term->kind == BL_TERM_REF &&
				term->as.items[0]->kind == BL_TERM_VAR)
		       ? term
		       : NULL;
}

static bool has_constants_only(const struct bl_rego_term *path)
{
	for (uint32_t i = 1; path->kind == BL_TERM_REF && i < path->count; i++)
		if (path->as.items[i]->kind != BL_TERM_SCALAR)
			return false;
	return true;
}

static bool is_named(const struct bl_rego_term *term, const char *name)
{
	const struct bl_rego_term *head =
		term->kind == BL_TERM_REF ? term->as.items[0] : term;

	return bl_str_is(head->as.name, name);
}

/* One member of "schemas"; NULL: it is wrong, which is reported. */
static struct entry *read_entry(const struct reading *r,
				const struct bl_rego_annotation *one,
				struct bl_value pair)
{
	struct checker *checker = r->checker;
	struct entry *entry = bl_types_alloc(checker, 1, sizeof(*entry));
	struct bl_str path =
		bl_value_is(pair, BL_KIND_OBJECT) && bl_value_count(pair)
			? bl_value_text(bl_object_key(pair, 0))
			: BL_STR("");
	struct bl_value value =
		path.len ? bl_object_value(pair, 0) : bl_value_undefined();

	if (!entry)
		return NULL;
	entry->path = parse_path(checker, path);
	if (!entry->path || (entry->path->kind == BL_TERM_VAR &&
			     !is_named(entry->path, "input") &&
			     !is_named(entry->path, "data"))) {
		report(r, one, "invalid document reference");
		return NULL;
	}
	entry->definition = value;
	if (bl_value_is(value, BL_KIND_OBJECT))
		return entry;
	if (!bl_value_is(value, BL_KIND_STRING)) {
		bl_compiler_error(checker->compiler, r->module, one->from,
				  BL_FINDING_ANNOTATION,
				  "invalid schema declaration for path "
				  "\"%.*s\"",
				  BL_STR_ARG(path));
		return NULL;
	}
	entry->name = parse_path(checker, bl_value_text(value));
	if (entry->name && is_named(entry->name, "schema") &&
	    has_constants_only(entry->name))
		return entry;
	report(r, one, "invalid schema reference");
	return NULL;
}

static bool read_entries(const struct reading *r,
			 const struct bl_rego_annotation *one,
			 struct bl_schema_scope *scope)
{
	struct bl_value list = bl_object_find(one->value, BL_STR("schemas"));
	struct entry **tail = &scope->entries;

	for (size_t i = 0; i < bl_value_count(list); i++) {
		*tail = read_entry(r, one, bl_value_item(list, i));
		if (!*tail)
			return false;
		tail = &(*tail)->next;
	}
	return scope->entries != NULL;
}

/* The statement right behind the annotation. */
enum target { TARGET_NONE, TARGET_PACKAGE, TARGET_IMPORT, TARGET_RULE };

static enum target find_target(const struct reading *r,
			       const struct bl_rego_annotation *one,
			       const struct bl_rego_rule **out_rule)
{
	const struct bl_rego_module *module = r->module;
	size_t i = 0;

	*out_rule = NULL;
	if (one->before_package)
		return TARGET_PACKAGE;
	for (size_t j = 0; j < module->import_count; j++)
		if (module->imports[j].range.from > one->from)
			return TARGET_IMPORT;
	while (i < module->rule_count &&
	       module->rules[i]->range.from < one->from)
		i++;
	if (i == module->rule_count)
		return TARGET_NONE;
	*out_rule = module->rules[i];
	return TARGET_RULE;
}

/* The default scope. */
static struct bl_str default_scope(enum target target, bool entrypoint)
{
	static const char *const names[] = {
		[TARGET_NONE] = "",
		[TARGET_PACKAGE] = "package",
		[TARGET_IMPORT] = "import",
		[TARGET_RULE] = "rule",
	};

	return entrypoint && target == TARGET_RULE ? BL_STR("document")
						   : bl_str(names[target]);
}

static void report_scope(const struct reading *r,
			 const struct bl_rego_annotation *one,
			 struct bl_str name, enum target target)
{
	struct bl_str have = default_scope(target, false);
	bool of_rule = bl_str_is(name, "rule") || bl_str_is(name, "document");
	bool known = of_rule || bl_str_is(name, "package") ||
		     bl_str_is(name, "subpackages");

	if (!have.len)
		have = BL_STR("<nil>");
	if (known)
		bl_compiler_error(r->checker->compiler, r->module, one->from,
				  BL_FINDING_ANNOTATION,
				  "annotation scope '%.*s' must be applied to "
				  "%s (have %.*s)",
				  BL_STR_ARG(name),
				  of_rule ? "rule" : "package",
				  BL_STR_ARG(have));
	else
		bl_compiler_error(r->checker->compiler, r->module, one->from,
				  BL_FINDING_ANNOTATION,
				  "invalid annotation scope '%.*s'. Use one of "
				  "'rule', 'document', 'package', or "
				  "'subpackages'",
				  BL_STR_ARG(name));
}

/* Its scope, by what it says or where it stands; false: there is no such. */
static bool read_scope(const struct reading *r,
		       const struct bl_rego_annotation *one,
		       struct bl_schema_scope *scope)
{
	struct bl_str name =
		bl_value_text(bl_object_find(one->value, BL_STR("scope")));
	bool entrypoint = bl_value_is_true(
		bl_object_find(one->value, BL_STR("entrypoint")));
	enum target target = find_target(r, one, &scope->rule);
	size_t i = 0;

	if (!name.len)
		name = default_scope(target, entrypoint);
	while (i < BL_COUNT(scope_names) && !bl_str_is(name, scope_names[i]))
		i++;
	scope->scope = (enum scope)i;
	if (i == BL_COUNT(scope_names) ||
	    target != (i >= SCOPE_DOCUMENT ? TARGET_RULE : TARGET_PACKAGE)) {
		report_scope(r, one, name, target);
		return false;
	}
	if (!entrypoint || i == SCOPE_DOCUMENT || i == SCOPE_PACKAGE)
		return true;
	bl_compiler_error(r->checker->compiler, r->module, one->from,
			  BL_FINDING_ANNOTATION,
			  "annotation entrypoint applied to non-document or "
			  "package scope '%.*s'",
			  BL_STR_ARG(name));
	return false;
}

static bool is_declared(const struct reading *r,
			const struct bl_schema_scope *scope)
{
	const struct bl_schema_scope *at = r->first;

	while (at && (at->scope == SCOPE_RULE || at->scope != scope->scope ||
		      at->node != scope->node))
		at = at->next;
	if (at)
		bl_compiler_error(
			r->checker->compiler, r->module, scope->offset,
			BL_FINDING_ANNOTATION_TWICE,
			"%s annotation redeclared: %.*s:%u",
			scope_names[scope->scope], BL_STR_ARG(at->module->file),
			bl_place_at(at->module->text, at->offset).line);
	return at != NULL;
}

/* False also when it is not one that could be read, which is reported. */
static bool speaks_of_schemas(const struct reading *r,
			      const struct bl_rego_annotation *one)
{
	struct bl_value list = bl_object_find(one->value, BL_STR("schemas"));
	struct bl_str text = bl_str_slice(r->module->text, one->from, one->to);

	if (one->problem.len &&
	    bl_str_find(text, BL_STR("schemas"), 0) != SIZE_MAX) {
		bl_compiler_error(r->checker->compiler, r->module, one->from,
				  BL_FINDING_ANNOTATION, "%.*s",
				  BL_STR_ARG(one->problem));
		return false;
	}
	if (!bl_value_is_defined(list) || bl_value_is(list, BL_KIND_NULL))
		return false;
	if (bl_value_is(list, BL_KIND_ARRAY))
		return true;
	report(r, one, "yaml: schemas must be a list of objects");
	return false;
}

static void visit(void *context, const struct bl_rego_annotation *one)
{
	struct reading *r = context;
	struct checker *checker = r->checker;
	struct bl_schema_scope *scope;

	if (!speaks_of_schemas(r, one))
		return;
	scope = bl_types_alloc(checker, 1, sizeof(*scope));
	if (!scope || !read_scope(r, one, scope) ||
	    !read_entries(r, one, scope))
		return;
	scope->module = r->module;
	scope->offset = one->from;
	scope->node = scope->scope >= SCOPE_DOCUMENT
			      ? node_of_rule(checker, r->module, scope->rule)
			      : bl_package_node(checker->compiler, r->module);
	if (is_declared(r, scope))
		return;
	*r->tail = scope;
	r->tail = &scope->next;
}

/* Most modules have no schemas: their comments are not looked at. */
static bool may_have_schemas(const struct bl_rego_module *module)
{
	return module->comment_count &&
	       bl_str_find(module->text, BL_STR("schemas"), 0) != SIZE_MAX;
}

/* ---- types of schemas ------------------------------------------------------ */

static struct bl_value find_schema(struct checker *checker,
				   const struct bl_rego_term *name)
{
	struct bl_value schemas = checker->compiler->options.schemas;
	struct bl_str key = BL_STR("");

	for (uint32_t i = 1; name->kind == BL_TERM_REF && i < name->count;
	     i++) {
		struct bl_str part = bl_value_text(name->as.items[i]->as.value);

		key = bl_arena_printf(checker->arena, "%.*s%s%.*s",
				      BL_STR_ARG(key), i > 1 ? "/" : "",
				      BL_STR_ARG(part));
	}
	return key.ptr ? bl_object_find(schemas, key) : bl_value_undefined();
}

/* Its type is NULL without a problem when there are no schemas at all. */
static void read_type(struct checker *checker, struct entry *entry)
{
	struct bl_value schema = entry->definition;
	struct bl_buf text;

	entry->is_read = true;
	entry->problem = BL_STR("");
	if (!has_constants_only(entry->path)) {
		entry->problem = BL_STR("error getting key from value: var "
					"requires evaluation");
		return;
	}
	if (entry->name &&
	    !bl_value_is_defined(checker->compiler->options.schemas))
		return;
	if (entry->name)
		schema = find_schema(checker, entry->name);
	if (bl_value_is_defined(schema) || !entry->name) {
		entry->type = bl_types_of_schema(checker->arena, schema,
						 &entry->problem);
		return;
	}
	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "undefined schema: ");
	bl_types_put_ref(checker, &text, entry->name,
			 entry->name->kind == BL_TERM_REF ? entry->name->count
							  : 1);
	entry->problem = bl_arena_copy_str(checker->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
}

/* ---- what they make of data and input -------------------------------------- */

struct parts {
	struct bl_rego_term *const *terms;
	uint32_t count;
};

/* One member of an object, beside those of dynamic. */
static const struct bl_type *with_member(struct checker *checker,
					 const struct bl_type *object,
					 struct bl_value key,
					 const struct bl_type *type)
{
	struct bl_type made = *object;
	size_t at = 0;

	made.items =
		bl_types_alloc(checker, object->count + 1, sizeof(*made.items));
	made.keys =
		bl_types_alloc(checker, object->count + 1, sizeof(*made.keys));
	if (!made.items || !made.keys)
		return &bl_type_any;
	for (size_t i = 0; i < object->count; i++) {
		made.items[i] = object->items[i];
		made.keys[i] = object->keys[i];
	}
	while (at < object->count && !bl_value_equal(made.keys[at], key))
		at++;
	made.count = at == object->count ? at + 1 : object->count;
	made.keys[at] = key;
	made.items[at] = type;
	return bl_type_make(checker->arena, &made);
}

/* `object` with another type at the end of a path. */
static const struct bl_type * override(struct checker *checker,
				       struct parts parts,
				       const struct bl_type *object,
				       const struct bl_type *type)
{
	struct bl_type dynamic = { .kind = BL_TYPE_OBJECT,
				   .key = &bl_type_any,
				   .rest = &bl_type_any };
	struct bl_value key = parts.terms[0]->as.value;
	const struct bl_type *inside = NULL;

	object = bl_type_open(object);
	if (!object || object->kind != BL_TYPE_OBJECT) {
		object = &dynamic;
	} else {
		for (size_t i = 0; i < object->count; i++)
			if (bl_value_equal(object->keys[i], key))
				inside = object->items[i];
		dynamic.key = object->key;
		dynamic.rest = object->rest;
	}
	if (parts.count > 1) {
		struct parts rest = { parts.terms + 1, parts.count - 1 };

		type = override(checker, rest, inside ? inside : &dynamic,
				type);
	}
	return with_member(checker, object, key, type);
}

static bool put(struct checker *checker, struct layer *layer,
		const struct entry *entry)
{
	const struct bl_rego_term *path = entry->path;
	bool is_ref = path->kind == BL_TERM_REF;
	struct bl_rego_term *root = bl_types_alloc(checker, 1, sizeof(*root));
	struct layer_node **place =
		is_named(path, "data") ? &layer->data : &layer->input;
	struct layer_node *node;
	const struct bl_type *type = entry->type;

	if (!root)
		return false;
	*root = is_ref ? *path->as.items[0] : *path;
	root->slot = BL_SLOT_NONE;
	if (!bl_types_is_root(root))
		return true;
	if (is_ref && path->count > 1)
		type = override(
			checker,
			(struct parts){ path->as.items + 1, path->count - 1 },
			bl_types_of_ref(checker, root), type);
	node = bl_types_step_to(checker, place, bl_value_null());
	if (node)
		node->type = type;
	return node != NULL;
}

static bool is_within(const struct bl_node *node, const struct bl_node *above)
{
	while (node && node != above)
		node = node->parent;
	return node != NULL;
}

static bool is_of(const struct bl_schema_scope *scope,
		  const struct bl_node *node, const struct bl_node *package,
		  const struct bl_rego_rule *rule)
{
	switch (scope->scope) {
	case SCOPE_SUBPACKAGES:
		return is_within(package, scope->node);
	case SCOPE_PACKAGE:
		return scope->node == package;
	case SCOPE_DOCUMENT:
		return scope->node == node;
	case SCOPE_RULE:
		break;
	}
	return scope->rule == rule;
}

static bool put_scope(struct checker *checker, struct layer *layer,
		      const struct bl_schema_scope *scope, uint32_t offset)
{
	for (struct entry *entry = scope->entries; entry; entry = entry->next) {
		if (!entry->is_read)
			read_type(checker, entry);
		if (entry->type && !put(checker, layer, entry))
			return false;
		if (entry->problem.len)
			bl_compiler_error(checker->compiler, checker->module,
					  offset, BL_FINDING_TYPE, "%.*s",
					  BL_STR_ARG(entry->problem));
	}
	return true;
}

static size_t depth_of(const struct bl_node *node)
{
	size_t depth = 0;

	for (; node; node = node->parent)
		depth++;
	return depth;
}

bool bl_types_push_schemas(struct checker *checker, const struct bl_node *node,
			   const struct bl_checked_rule *rule, bool is_else)
{
	const struct bl_node *package;
	struct layer *layer;

	if (!checker->scopes)
		return true;
	layer = bl_types_alloc(checker, 1, sizeof(*layer));
	package = bl_package_node(checker->compiler, rule->module);
	if (!layer)
		return false;
	layer->outer = checker->layers;
	checker->layers = layer;
	for (size_t kind = 0; kind < BL_COUNT(scope_names); kind++) {
		/* Those of outer packages come first. */
		size_t depths =
			kind == SCOPE_SUBPACKAGES ? depth_of(package) : 1;

		for (size_t depth = 1; depth <= depths; depth++)
			for (const struct bl_schema_scope *at = checker->scopes;
			     at; at = at->next)
				if (at->scope == kind &&
				    (kind != SCOPE_SUBPACKAGES ||
				     depth_of(at->node) == depth) &&
				    is_of(at, node, package,
					  is_else ? NULL : rule->syntax) &&
				    !put_scope(checker, layer, at,
					       rule->syntax->range.from))
					return false;
	}
	return true;
}

/* ---- all ------------------------------------------------------------------- */

static bool read_input(struct checker *checker)
{
	struct bl_value schema =
		bl_object_find(checker->compiler->options.schemas, BL_STR(""));
	struct layer_node *input;
	struct bl_str problem;

	if (!bl_value_is_defined(schema))
		return true;
	input = bl_types_alloc(checker, 1, sizeof(*input));
	if (!input)
		return false;
	input->key = bl_value_null();
	input->type = bl_types_of_schema(checker->arena, schema, &problem);
	if (input->type)
		return bl_types_push(checker, NULL, input);
	checker->compiler->query.file = BL_STR("schema of input");
	bl_compiler_error(checker->compiler, NULL, 0, BL_FINDING_TYPE, "%.*s",
			  BL_STR_ARG(problem));
	return false;
}

bool bl_types_read_schemas(struct checker *checker)
{
	struct bl_compiler *compiler = checker->compiler;
	struct reading r = { .checker = checker, .tail = &r.first };
	size_t errors = compiler->findings.count;

	if (!read_input(checker))
		return false;
	for (size_t i = 0; i < compiler->module_count; i++) {
		r.module = compiler->modules[i];
		if (!may_have_schemas(r.module))
			continue;
		if (bl_rego_each_annotation(r.module, checker->arena, visit, &r,
					    NULL))
			compiler->failed_memory = true;
	}
	checker->scopes = r.first;
	return !compiler->failed_memory && compiler->findings.count == errors;
}

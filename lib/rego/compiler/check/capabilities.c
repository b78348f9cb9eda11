/* SPDX-License-Identifier: Apache-2.0 */
/* OPA's capabilities: read, written, and what they make of the language. */
#include <stdio.h>

#include "rego/compiler/check/private.h"
#include "rego/compiler/types/types.h"
#include "rego/compiler/parse/ast.h"
#include "rego/compiler/parse/operators.h"

/* ---- the language --------------------------------------------------------------- */

/* Features as OPA names them, and ours; others are taken and mean nothing. */
enum feature {
	FEATURE_V1 = 1 << 8,
	FEATURE_V2 = 1 << 9,
	FEATURE_V1_IMPORT = 1 << 10,
	FEATURE_V2_IMPORT = 1 << 11,
	FEATURE_TEMPLATES = 1 << 12,
};

static const struct {
	const char *name;
	unsigned bit;
} features[] = {
	{ "graphql_descriptions", BL_REGO_GRAPHQL_DESCRIPTIONS },
	{ "rego_v1", FEATURE_V1 },
	{ "rego_v1_import", FEATURE_V1_IMPORT },
	{ "rego_v2", FEATURE_V2 },
	{ "rego_v2_import", FEATURE_V2_IMPORT },
	{ "template_strings", FEATURE_TEMPLATES },
};

/* Those of modules of version 0 come first: version 1 has them anyway. */
static const char *const keywords[] = { "contains", "every", "if", "in",
					"and",      "not",   "or" };
enum { OLD_KEYWORDS = 4 };

static unsigned features_of(const struct bl_callables *callables)
{
	return callables && callables->capabilities
		       ? callables->capabilities->features
		       : ~(unsigned)BL_REGO_GRAPHQL_DESCRIPTIONS;
}

unsigned bl_callables_features(const struct bl_callables *callables)
{
	return features_of(callables) & BL_REGO_GRAPHQL_DESCRIPTIONS;
}

bool bl_callables_has_templates(const struct bl_callables *callables)
{
	return features_of(callables) & FEATURE_TEMPLATES;
}

struct checker {
	const struct bl_rego_capabilities *capabilities;
	const struct bl_rego_module *module;
	struct bl_diags *diags;
};

static void refuse(const struct checker *checker, uint32_t offset,
		   const char *fmt, ...) BL_PRINTF(3, 4);

static void refuse(const struct checker *checker, uint32_t offset,
		   const char *fmt, ...)
{
	const struct bl_diag_source source = { checker->module->file,
					       checker->module->text };
	char message[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	bl_diags_add(checker->diags, BL_SEVERITY_ERROR, "rego_parse_error",
		     &source, bl_place_at(source.text, offset), NULL, "%s",
		     message);
}

/* import future.keywords.NAME */
static void check_keyword(const struct checker *checker,
			  const struct bl_rego_term *path)
{
	unsigned allowed = checker->capabilities->keywords;
	struct bl_str name = bl_value_text(path->as.items[2]->as.value);
	char list[128] = "";
	size_t i = 0;

	if (!checker->module->v0 ||
	    checker->capabilities->features & FEATURE_V1)
		allowed |= (1u << OLD_KEYWORDS) - 1;
	for (; i < BL_COUNT(keywords); i++)
		if (bl_str_is(name, keywords[i]) && allowed >> i & 1)
			return;
	for (i = 0; i < BL_COUNT(keywords); i++)
		if (allowed >> i & 1)
			snprintf(list + strlen(list),
				 sizeof(list) - strlen(list), "%s%s",
				 *list ? " " : "", keywords[i]);
	refuse(checker, path->range.from,
	       "unexpected keyword, must be one of [%s]", list);
}

static void check_import(const struct checker *checker,
			 const struct bl_rego_term *path)
{
	unsigned has = checker->capabilities->features;
	struct bl_str root;
	struct bl_str name;

	if (path->kind != BL_TERM_REF || path->count < 2 ||
	    path->as.items[0]->kind != BL_TERM_VAR)
		return;
	root = path->as.items[0]->as.name;
	name = bl_value_text(path->as.items[1]->as.value);
	if (path->count == 3 && bl_str_is(root, "future"))
		check_keyword(checker, path);
	if (!bl_str_is(root, "rego"))
		return;
	if ((bl_str_is(name, "v1") &&
	     !(has & (FEATURE_V1 | FEATURE_V1_IMPORT | FEATURE_V2))) ||
	    (bl_str_is(name, "v2") &&
	     !(has & (FEATURE_V2 | FEATURE_V2_IMPORT))))
		refuse(checker, path->range.from,
		       "invalid import, `rego.%.*s` is not supported by "
		       "current capabilities",
		       BL_STR_ARG(name));
}

static void check_module(const struct checker *checker)
{
	const struct bl_rego_module *module = checker->module;

	if (!module->v0 && !(checker->capabilities->features & FEATURE_V1)) {
		refuse(checker, 0,
		       "illegal capabilities: rego_v1 feature required for "
		       "parsing v1 Rego");
		return;
	}
	if (checker->capabilities->keyword.ptr) {
		refuse(checker, 0,
		       "illegal capabilities: unknown keyword: %.*s",
		       BL_STR_ARG(checker->capabilities->keyword));
		return;
	}
	for (size_t i = 0; i < module->import_count; i++)
		check_import(checker, module->imports[i].path);
}

void bl_callables_check_modules(const struct bl_callables *callables,
				const struct bl_rego_module *const *modules,
				size_t count, struct bl_diags *diags)
{
	struct checker checker = { .diags = diags };

	if (!callables || !callables->capabilities)
		return;
	checker.capabilities = callables->capabilities;
	for (size_t i = 0; i < count; i++) {
		checker.module = modules[i];
		check_module(&checker);
	}
}

enum { MAX_BUILTINS = 4096 };

/* ---- reading a file ---------------------------------------------------------------- */

/* One of "builtins". */
static enum bl_status read_builtin(struct bl_arena *arena,
				   struct bl_rego_capabilities *made,
				   struct bl_value one, struct bl_error *err)
{
	struct bl_rego_function function = {
		.name = bl_value_text(bl_object_find(one, BL_STR("name"))),
		.declaration = bl_object_find(one, BL_STR("decl")),
		.is_nondeterministic = bl_value_is_true(
			bl_object_find(one, BL_STR("nondeterministic"))),
	};
	const struct bl_builtin *row = bl_builtin_find(function.name);
	struct bl_declared declared = { .row = row };
	struct bl_error why = { 0 };
	bool is_void = false;
	enum bl_status status;

	if (!bl_rego_is_path(function.name))
		return bl_fail(err, BL_INVALID,
			       "capabilities: a builtin has no name");
	status = bl_declaration_read(arena, function.declaration,
				     &declared.signature, &is_void, &why);
	if (status)
		return bl_fail(err, status,
			       "capabilities: the declaration of %.*s: %s",
			       BL_STR_ARG(function.name), why.message);
	if (!row)
		return bl_declared_add(arena, &made->builtins, &function,
				       declared.signature, err);
	/* Builtins that the machine does itself have no signature in our tables. */
	if (row->flags & BL_BUILTIN_VOID)
		declared.signature = NULL;
	else if (declared.signature->type->count != row->arity)
		return bl_fail(err, BL_INVALID,
			       "capabilities: %s takes %u operands here",
			       row->name, row->arity);
	if (!bl_declared_insert(&made->builtins, declared))
		return bl_fail(err, BL_INVALID,
			       "capabilities: %s is declared twice", row->name);
	return BL_OK;
}

/* Calls visit with each text of an array; INVALID for anything else. */
static enum bl_status each_text(struct bl_rego_capabilities *made,
				struct bl_value file, const char *key,
				void (*visit)(struct bl_rego_capabilities *made,
					      struct bl_str text),
				struct bl_error *err)
{
	struct bl_value list = bl_object_find(file, bl_str(key));

	if (!bl_value_is_defined(list) || bl_value_is(list, BL_KIND_NULL))
		return BL_OK;
	if (!bl_value_is(list, BL_KIND_ARRAY))
		return bl_fail(err, BL_INVALID,
			       "capabilities: %s is not an array", key);
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_value item = bl_value_item(list, i);

		if (!bl_value_is(item, BL_KIND_STRING))
			return bl_fail(err, BL_INVALID,
				       "capabilities: %s is not of strings",
				       key);
		visit(made, bl_value_text(item));
	}
	return BL_OK;
}

static void add_feature(struct bl_rego_capabilities *made, struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(features); i++)
		if (bl_str_is(name, features[i].name))
			made->features |= features[i].bit;
}

static void add_keyword(struct bl_rego_capabilities *made, struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(keywords); i++)
		if (bl_str_is(name, keywords[i])) {
			made->keywords |= 1u << i;
			return;
		}
	if (!made->keyword.ptr)
		made->keyword = name;
}

static void add_host(struct bl_rego_capabilities *made, struct bl_str name)
{
	made->hosts[made->host_count++] = name;
}

enum bl_status
bl_rego_read_capabilities(struct bl_arena *arena, struct bl_value file,
			  const struct bl_rego_capabilities **out_capabilities,
			  struct bl_error *err)
{
	struct bl_rego_capabilities *made =
		bl_arena_new(arena, struct bl_rego_capabilities);
	struct bl_value builtins = bl_object_find(file, BL_STR("builtins"));
	size_t count = bl_value_count(builtins);
	enum bl_status status = BL_OK;

	if (!made)
		return bl_arena_fail(arena, err);
	if (!bl_value_is(file, BL_KIND_OBJECT))
		return bl_fail(err, BL_INVALID, "capabilities: no object");
	if (bl_value_is_defined(builtins) &&
	    !bl_value_is(builtins, BL_KIND_ARRAY))
		return bl_fail(err, BL_INVALID,
			       "capabilities: builtins is not an array");
	if (count > MAX_BUILTINS)
		return bl_fail(err, BL_LIMIT,
			       "capabilities: more than %d builtins",
			       MAX_BUILTINS);
	made->builtins.items =
		bl_arena_new_array(arena, struct bl_declared, count + 1);
	made->hosts = bl_arena_new_array(
		arena, struct bl_str,
		bl_value_count(bl_object_find(file, BL_STR("allow_net"))) + 1);
	if (!made->builtins.items || !made->hosts)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; !status && i < count; i++)
		status = read_builtin(arena, made, bl_value_item(builtins, i),
				      err);
	if (!status)
		status = each_text(made, file, "features", add_feature, err);
	if (!status)
		status = each_text(made, file, "future_keywords", add_keyword,
				   err);
	if (!status)
		status = each_text(made, file, "allow_net", add_host, err);
	if (!status)
		*out_capabilities = made;
	return status;
}

const struct bl_str *
bl_rego_allowed_hosts(const struct bl_rego_capabilities *capabilities,
		      size_t *out_count)
{
	*out_count = capabilities ? capabilities->host_count : 0;
	return capabilities ? capabilities->hosts : NULL;
}

/* ---- ours ------------------------------------------------------------------- */

static struct bl_value texts(struct bl_arena *arena, const char *const *list,
			     size_t count)
{
	struct bl_array_builder out;

	bl_array_builder_init(&out, arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&out, bl_value_string(bl_str(list[i])));
	return bl_array_builder_end(&out);
}

static struct bl_value describe(struct bl_arena *arena,
				const struct bl_builtin *row)
{
	struct bl_str name = bl_str(row->name);
	const struct bl_rego_operator *operator= bl_rego_operator_of(name);
	struct bl_object_builder out;
	static const struct {
		unsigned flag;
		const char *key;
	} marks[] = {
		{ BL_BUILTIN_RELATION, "relation" },
		{ BL_BUILTIN_DEPRECATED, "deprecated" },
		{ BL_BUILTIN_NONDETERMINISTIC, "nondeterministic" },
	};

	bl_object_builder_init(&out, arena);
	bl_object_builder_add(&out, BL_STR("name"), bl_value_string(name));
	bl_object_builder_add(&out, BL_STR("description"),
			      bl_value_string(bl_str(row->doc)));
	bl_object_builder_add(
		&out, BL_STR("decl"),
		bl_declaration_write(arena, row, bl_signature_of(arena, row)));
	if (operator)
		bl_object_builder_add(&out, BL_STR("infix"),
				      bl_value_string(bl_str(operator->text)));
	for (size_t i = 0; i < BL_COUNT(marks); i++)
		if (row->flags & marks[i].flag)
			bl_object_builder_add(&out, bl_str(marks[i].key),
					      bl_value_boolean(true));
	return bl_object_builder_end(&out);
}

struct bl_value bl_rego_own_capabilities(struct bl_arena *arena)
{
	static const char *const own_features[] = {
		"keywords_in_refs", "rego_v1",          "rego_v2",
		"rego_v2_import",   "template_strings",
	};
	struct bl_array_builder builtins;
	struct bl_object_builder out;
	const struct bl_builtin *row;

	bl_array_builder_init(&builtins, arena);
	for (size_t i = 0; (row = bl_builtin_at(i)); i++)
		bl_array_builder_add(&builtins, describe(arena, row));
	bl_object_builder_init(&out, arena);
	bl_object_builder_add(&out, BL_STR("builtins"),
			      bl_array_builder_end(&builtins));
	bl_object_builder_add(&out, BL_STR("future_keywords"),
			      texts(arena, keywords + OLD_KEYWORDS,
				    BL_COUNT(keywords) - OLD_KEYWORDS));
	bl_object_builder_add(
		&out, BL_STR("features"),
		texts(arena, own_features, BL_COUNT(own_features)));
	return bl_object_builder_end(&out);
}

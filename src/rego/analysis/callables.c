/* SPDX-License-Identifier: Apache-2.0 */
/* What may be called: the embedder's functions, and OPA's capabilities. */
#include "rego/analysis/callables.h"

#include <stdio.h>

#include "rego/analysis/types.h"
#include "rego/syntax/ast.h"
#include "rego/syntax/operators.h"

/* A function that is declared by somebody else than the tables. */
struct declared {
	const struct bl_builtin *row;
	const struct bl_signature *signature; /* NULL: as the tables say */
};

/* One that has a row of its own. */
struct foreign {
	struct bl_builtin row; /* first */
	bool (*call)(struct bl_rego_call *call);
};

/* Sorted by name. */
struct declared_list {
	struct declared *items;
	size_t count;
};

struct bl_rego_capabilities {
	struct declared_list builtins;
	unsigned features;
	struct bl_str keyword; /* that nobody knows; ptr NULL: none */
	unsigned keywords;     /* that may be imported: bits of the table */
	struct bl_str *hosts;
	size_t host_count;
};

struct bl_callables {
	const struct bl_rego_capabilities *capabilities; /* NULL: all */
	struct declared_list functions;
};

/* ---- lists ------------------------------------------------------------------ */

static int compare(const struct declared *a, struct bl_str name)
{
	return bl_str_compare(bl_str(a->row->name), name);
}

static const struct declared *find(const struct declared_list *list,
				   struct bl_str name)
{
	size_t from = 0;
	size_t to = list->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = compare(&list->items[middle], name);

		if (!order)
			return &list->items[middle];
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

/* Puts it where it belongs; false: there is one of that name. */
static bool insert(struct declared_list *list, struct declared one)
{
	struct bl_str name = bl_str(one.row->name);
	size_t at = list->count;

	while (at && compare(&list->items[at - 1], name) > 0)
		at--;
	if (at && !compare(&list->items[at - 1], name))
		return false;
	memmove(list->items + at + 1, list->items + at,
		(list->count - at) * sizeof(*list->items));
	list->items[at] = one;
	list->count++;
	return true;
}

/* ---- rows of their own ------------------------------------------------------ */

/* "string|null, any" for the checks before a call; NULL: no memory. */
static const char *operands_of(struct bl_arena *arena,
			       const struct bl_type *type)
{
	static const char *const names[] = {
		[BL_TYPE_NULL] = "null",     [BL_TYPE_BOOLEAN] = "boolean",
		[BL_TYPE_NUMBER] = "number", [BL_TYPE_STRING] = "string",
		[BL_TYPE_ARRAY] = "array",   [BL_TYPE_OBJECT] = "object",
		[BL_TYPE_SET] = "set",       [BL_TYPE_ANY] = "any",
	};
	struct bl_buf text;
	struct bl_str copy;

	bl_buf_init(&text, 0);
	for (size_t i = 0; i < type->count; i++) {
		const struct bl_type *item = type->items[i];

		bl_buf_puts(&text, i ? ", " : "");
		if (item->kind != BL_TYPE_ANY || !item->count)
			bl_buf_puts(&text, names[item->kind]);
		for (size_t j = 0; item->kind == BL_TYPE_ANY && j < item->count;
		     j++)
			bl_buf_printf(&text, "%s%s", j ? "|" : "",
				      names[item->items[j]->kind]);
	}
	copy = bl_arena_copy_str(arena, bl_buf_str(&text));
	if (bl_buf_status(&text))
		copy.ptr = NULL;
	bl_buf_clear(&text);
	return copy.ptr;
}

static bool call_foreign(struct bl_builtin_call *call)
{
	const struct foreign *foreign = (const void *)call->row;
	struct bl_rego_call asked = { .context = call->state->context,
				      .arena = call->arena,
				      .args = call->args,
				      .arg_count = call->arg_count,
				      .result = bl_value_undefined() };

	/* Only declared; as in OPA never taken for "undefined". */
	if (!foreign->call)
		return bl_builtin_fault(call, BL_FAULT_INTERNAL,
					"unsupported built-in");
	if (!foreign->call(&asked))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%.*s",
					BL_STR_ARG(asked.fault));
	call->result = asked.result;
	return true;
}

static enum bl_status add_foreign(struct bl_arena *arena,
				  struct declared_list *list,
				  const struct bl_rego_function *function,
				  const struct bl_signature *signature,
				  struct bl_error *err)
{
	struct foreign *made = bl_arena_new(arena, struct foreign);
	struct bl_str name = bl_arena_copy_str(arena, function->name);
	const char *operands = operands_of(arena, signature->type);
	unsigned flags = BL_BUILTIN_FOREIGN;

	if (!made || !name.ptr || !operands)
		return bl_arena_fail(arena, err);
	if (function->is_nondeterministic)
		flags |= BL_BUILTIN_NONDETERMINISTIC;
	made->row = (struct bl_builtin){
		.name = name.ptr,
		.arity = (uint8_t)signature->type->count,
		.flags = (uint16_t)flags,
		.function = call_foreign,
		.operands = operands,
		.result = "any",
		.doc = "",
	};
	made->call = function->call;
	if (!insert(list, (struct declared){ &made->row, signature }))
		return bl_fail(err, BL_INVALID, "%.*s is declared twice",
			       BL_STR_ARG(function->name));
	return BL_OK;
}

/* Names with "." between them. */
static bool is_name(struct bl_str text)
{
	bool begins = true;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool letter = (c >= 'a' && c <= 'z') ||
			      (c >= 'A' && c <= 'Z') || c == '_';

		if (c == '.' ? begins
			     : !letter && (begins || c < '0' || c > '9'))
			return false;
		begins = c == '.';
	}
	return !begins;
}

/* ---- the embedder's functions ----------------------------------------------- */

static enum bl_status add_function(struct bl_arena *arena,
				   struct declared_list *list,
				   const struct bl_rego_function *function,
				   struct bl_error *err)
{
	const struct bl_signature *signature = NULL;
	struct bl_error why = { 0 };
	bool is_void = false;
	enum bl_status status;

	if (!is_name(function->name) || !function->call)
		return bl_fail(err, BL_INVALID,
			       "the function '%.*s' has no name or no code",
			       BL_STR_ARG(function->name));
	if (bl_builtin_find(function->name))
		return bl_fail(err, BL_INVALID, "%.*s is a builtin already",
			       BL_STR_ARG(function->name));
	status = bl_declaration_read(arena, function->declaration, &signature,
				     &is_void, &why);
	if (status == BL_INVALID || (!status && is_void))
		return bl_fail(err, BL_INVALID, "the declaration of %.*s: %s",
			       BL_STR_ARG(function->name),
			       status ? why.message : "it has no result");
	if (status)
		return bl_arena_fail(arena, err);
	return add_foreign(arena, list, function, signature, err);
}

enum bl_status bl_callables_make(struct bl_arena *arena,
				 const struct bl_rego_compile_options *options,
				 const struct bl_callables **out_callables,
				 struct bl_error *err)
{
	struct bl_callables *made;
	enum bl_status status = BL_OK;

	*out_callables = NULL;
	if (!options || (!options->function_count && !options->capabilities))
		return BL_OK;
	if (options->function_count > BL_REGO_MAX_FUNCTIONS)
		return bl_fail(err, BL_LIMIT, "more than %d functions",
			       BL_REGO_MAX_FUNCTIONS);
	made = bl_arena_new(arena, struct bl_callables);
	if (made)
		made->functions.items = bl_arena_new_array(
			arena, struct declared, options->function_count + 1);
	if (!made || !made->functions.items)
		return bl_arena_fail(arena, err);
	made->capabilities = options->capabilities;
	for (size_t i = 0; !status && i < options->function_count; i++)
		status = add_function(arena, &made->functions,
				      &options->functions[i], err);
	if (!status)
		*out_callables = made;
	return status;
}

/* ---- asking --------------------------------------------------------------------- */

static const struct declared *
find_declared(const struct bl_callables *callables, struct bl_str name)
{
	const struct declared *found;

	if (!callables)
		return NULL;
	found = find(&callables->functions, name);
	return found || !callables->capabilities
		       ? found
		       : find(&callables->capabilities->builtins, name);
}

const struct bl_builtin *
bl_callables_builtin(const struct bl_callables *callables, struct bl_str name)
{
	const struct declared *found = find_declared(callables, name);

	if (found)
		return found->row;
	return callables && callables->capabilities ? NULL
						    : bl_builtin_find(name);
}

const struct bl_builtin *bl_callables_at(const struct bl_callables *callables,
					 size_t i)
{
	const struct bl_builtin *row = bl_builtin_at(i);

	if (row || !callables)
		return row;
	for (size_t rows = 0; bl_builtin_at(rows); rows++)
		i--;
	return i < callables->functions.count
		       ? callables->functions.items[i].row
		       : NULL;
}

const struct bl_signature *
bl_callables_signature(const struct bl_callables *callables, struct bl_str name)
{
	const struct declared *found = find_declared(callables, name);

	return found ? found->signature : NULL;
}

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
	struct declared declared = { .row = row };
	struct bl_error why = { 0 };
	bool is_void = false;
	enum bl_status status;

	if (!is_name(function.name))
		return bl_fail(err, BL_INVALID,
			       "capabilities: a builtin has no name");
	status = bl_declaration_read(arena, function.declaration,
				     &declared.signature, &is_void, &why);
	if (status)
		return bl_fail(err, status,
			       "capabilities: the declaration of %.*s: %s",
			       BL_STR_ARG(function.name), why.message);
	if (!row)
		return add_foreign(arena, &made->builtins, &function,
				   declared.signature, err);
	/* What the machine does itself has no signature in our tables. */
	if (row->flags & BL_BUILTIN_VOID)
		declared.signature = NULL;
	else if (declared.signature->type->count != row->arity)
		return bl_fail(err, BL_INVALID,
			       "capabilities: %s takes %u operands here",
			       row->name, row->arity);
	if (!insert(&made->builtins, declared))
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
		return bl_fail(err, BL_INVALID, "capabilities: %s is no array",
			       key);
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
			       "capabilities: builtins is no array");
	made->builtins.items =
		bl_arena_new_array(arena, struct declared, count + 1);
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

static struct bl_value describe(struct bl_signatures *signatures,
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

	bl_object_builder_init(&out, signatures->arena);
	bl_object_builder_add(&out, BL_STR("name"), bl_value_string(name));
	bl_object_builder_add(&out, BL_STR("description"),
			      bl_value_string(bl_str(row->doc)));
	bl_object_builder_add(
		&out, BL_STR("decl"),
		bl_declaration_write(signatures->arena, row,
				     bl_signature_find(signatures, name),
				     true));
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
	struct bl_signatures signatures = { .arena = arena };
	struct bl_array_builder builtins;
	struct bl_object_builder out;
	const struct bl_builtin *row;

	bl_array_builder_init(&builtins, arena);
	for (size_t i = 0; (row = bl_builtin_at(i)); i++)
		bl_array_builder_add(&builtins, describe(&signatures, row));
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

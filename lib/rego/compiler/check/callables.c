/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that may be called: the tables, and declarations beside them. */
#include "rego/compiler/check/private.h"
#include "rego/compiler/types/types.h"

/* ---- lists ------------------------------------------------------------------ */

static int compare(const struct bl_declared *a, struct bl_str name)
{
	return bl_str_compare(bl_str(a->row->name), name);
}

static const struct bl_declared *find(const struct bl_declared_list *list,
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
bool bl_declared_insert(struct bl_declared_list *list, struct bl_declared one)
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

/* A builtin with a row of its own. */
struct foreign {
	struct bl_builtin row; /* first */
	void *own;
	bool (*call)(struct bl_rego_call *call);
};

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
	struct bl_rego_call asked = { .context = call->state->host.context,
				      .own = foreign->own,
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

enum bl_status bl_declared_add(struct bl_arena *arena,
			       struct bl_declared_list *list,
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
		.signature = "",
		.doc = "",
	};
	made->call = function->call;
	made->own = function->own;
	if (!bl_declared_insert(list,
				(struct bl_declared){ &made->row, signature }))
		return bl_fail(err, BL_INVALID, "%.*s is declared twice",
			       BL_STR_ARG(function->name));
	return BL_OK;
}

/* ---- the embedder's functions ----------------------------------------------- */

static enum bl_status add_function(struct bl_arena *arena,
				   struct bl_declared_list *list,
				   const struct bl_rego_function *function,
				   struct bl_error *err)
{
	const struct bl_signature *signature = NULL;
	struct bl_error why = { 0 };
	bool is_void = false;
	enum bl_status status;

	if (!bl_rego_is_path(function->name) || !function->call)
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
	return bl_declared_add(arena, list, function, signature, err);
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
			arena, struct bl_declared, options->function_count + 1);
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

static const struct bl_declared *
find_declared(const struct bl_callables *callables, struct bl_str name)
{
	const struct bl_declared *found;

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
	const struct bl_declared *found = find_declared(callables, name);

	if (found)
		return found->row;
	return callables && callables->capabilities ? NULL
						    : bl_builtin_find(name);
}

const struct bl_signature *
bl_callables_signature(const struct bl_callables *callables, struct bl_str name)
{
	const struct bl_declared *found = find_declared(callables, name);

	return found ? found->signature : NULL;
}

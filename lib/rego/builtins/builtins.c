/* SPDX-License-Identifier: Apache-2.0 */
/* Finding builtins in their tables, checking operands, and calling. */
#include "rego/builtins/functions.h"

#include <stdio.h>

static const struct bl_builtin core[] = {
#define BUILTIN(n, fn, a, f, o, s, d)                                          \
	{ .name = n,                                                           \
	  .arity = a,                                                          \
	  .flags = f,                                                          \
	  .function = fn,                                                      \
	  .operands = o,                                                       \
	  .signature = s,                                                      \
	  .doc = d },
#define BUILTIN_VM(n, a, f, o, s, d) BUILTIN(n, NULL, a, f, o, s, d)
#include "rego/builtins/builtins.def"
#undef BUILTIN
#undef BUILTIN_VM
};

const char *bl_rego_fault_code(enum bl_rego_fault fault)
{
	static const char *const codes[] = {
		[BL_FAULT_NONE] = "",
		[BL_FAULT_TYPE] = "eval_type_error",
		[BL_FAULT_BUILTIN] = "eval_builtin_error",
		[BL_FAULT_CONFLICT] = "eval_conflict_error",
		[BL_FAULT_CANCEL] = "eval_cancel_error",
		[BL_FAULT_INTERNAL] = "eval_internal_error",
		[BL_FAULT_WITH_MERGE] = "eval_with_merge_error",
	};

	return codes[fault];
}

/* ---- look-up ------------------------------------------------------------ */

/* <0, 0, >0, as bl_str_compare, of a text that ends with NUL. */
static int compare_name(struct bl_str name, const char *other)
{
	for (size_t i = 0; i < name.len; i++) {
		unsigned char a = (unsigned char)name.ptr[i];
		unsigned char b = (unsigned char)other[i];

		if (a != b)
			return a < b ? -1 : 1;
		if (!b)
			return 1; /* the name has a NUL, the other ends */
	}
	return other[name.len] ? -1 : 0;
}

static const struct bl_builtin *find_in(const struct bl_builtin *rows,
					size_t count, struct bl_str name)
{
	size_t low = 0;

	while (count) {
		size_t half = count / 2;
		int order = compare_name(name, rows[low + half].name);

		if (!order)
			return &rows[low + half];
		if (order > 0) {
			low += half + 1;
			half = count - half - 1;
		}
		count = half;
	}
	return NULL;
}

const struct bl_builtin *bl_builtin_find(struct bl_str name)
{
	const struct bl_builtin_family *family = bl_builtin_external;
	const struct bl_builtin *row = find_in(core, BL_COUNT(core), name);

	for (; !row && family->count; family++)
		row = find_in(family->rows, family->count, name);
	return row;
}

const struct bl_builtin *bl_builtin_at(size_t i)
{
	const struct bl_builtin_family *family = bl_builtin_external;

	if (i < BL_COUNT(core))
		return &core[i];
	i -= BL_COUNT(core);
	for (; family->count && i >= family->count; family++)
		i -= family->count;
	return family->count ? &family->rows[i] : NULL;
}

/* ---- operand types ------------------------------------------------------ */

/* The kind whose name begins at p; KIND_COUNT for "any". */
static enum bl_kind kind_at(const char *p)
{
	switch (p[0]) {
	case 'a':
		return p[1] == 'r' ? BL_KIND_ARRAY : BL_KIND_COUNT;
	case 'b':
		return BL_KIND_BOOLEAN;
	case 'n':
		return p[2] == 'l' ? BL_KIND_NULL : BL_KIND_NUMBER;
	case 'o':
		return BL_KIND_OBJECT;
	default:
		return p[1] == 't' ? BL_KIND_STRING : BL_KIND_SET;
	}
}

/* The kinds that the alternatives at *types take; steps to the next ones. */
static uint16_t read_kinds(const char **types)
{
	const char *p = *types;
	unsigned kinds = 0;

	while (*p && *p != ',') {
		enum bl_kind wanted = kind_at(p);

		kinds |= wanted == BL_KIND_COUNT ? UINT16_MAX : 1u << wanted;
		while (*p && *p != ',' && *p != '|')
			p++;
		p += *p == '|';
	}
	while (*p == ',' || *p == ' ')
		p++;
	*types = p;
	return (uint16_t)kinds;
}

struct bl_builtin_masks bl_builtin_masks_of(const struct bl_builtin *builtin)
{
	struct bl_builtin_masks masks = { { 0 } };
	const char *types = builtin->operands;

	for (size_t i = 0; i < builtin->arity && i < BL_BUILTIN_MASKS; i++)
		masks.wanted[i] = read_kinds(&types);
	return masks;
}

/* Faults with the types from..to ("a|b, "), n counts from 1. */
static bool type_fault(struct bl_builtin_call *call, size_t n, const char *from,
		       const char *to)
{
	const char *kind = bl_kind_name(bl_value_kind(call->args[n - 1]));
	char list[64];
	size_t len = 0;
	bool one = true;

	for (; from < to && *from != ',' && len < sizeof(list) - 3; from++) {
		list[len++] = *from == '|' ? ',' : *from;
		if (*from == '|') {
			list[len++] = ' ';
			one = false;
		}
	}
	list[len] = '\0';
	return bl_builtin_fault(call, BL_FAULT_TYPE,
				one ? "operand %zu must be %s but got %s"
				    : "operand %zu must be one of {%s} but "
				      "got %s",
				n, list, kind);
}

static bool check_operands(const struct bl_builtin *builtin,
			   struct bl_builtin_call *call)
{
	const char *types = builtin->operands;

	for (size_t i = 0; i < builtin->arity && i < call->arg_count; i++) {
		const char *from = types;

		if (!(read_kinds(&types) & 1u << call->args[i].kind))
			return type_fault(call, i + 1, from, types);
	}
	return true;
}

/* As above without reading the row; false when that has to be done. */
static bool takes(const struct bl_builtin *builtin,
		  const struct bl_builtin_masks *masks,
		  const struct bl_builtin_call *call)
{
	if (!masks || builtin->arity > BL_BUILTIN_MASKS)
		return false;
	for (size_t i = 0; i < builtin->arity && i < call->arg_count; i++)
		if (!(masks->wanted[i] & 1u << call->args[i].kind))
			return false;
	return true;
}

/* ---- calls -------------------------------------------------------------- */

/* The name in messages; history made one differ. */
static const char *message_name(const struct bl_builtin *builtin)
{
	return strcmp(builtin->name, "strings.reverse") ? builtin->name
							: "reverse";
}

/* Faults that only make the call undefined, when nobody asks why. */
static bool is_quiet(const struct bl_builtin_call *call)
{
	return call->state->quiet && (call->fault == BL_FAULT_TYPE ||
				      call->fault == BL_FAULT_BUILTIN);
}

bool bl_builtin_run(const struct bl_builtin *builtin,
		    const struct bl_builtin_masks *masks,
		    struct bl_builtin_call *call)
{
	call->row = builtin;
	call->result = bl_value_undefined();
	call->fault = BL_FAULT_NONE;
	if (!builtin->function)
		bl_builtin_fault(call, BL_FAULT_INTERNAL,
				 "has no meaning here");
	else if ((takes(builtin, masks, call) ||
		  check_operands(builtin, call)) &&
		 builtin->function(call))
		return true;
	if (is_quiet(call))
		return false;
	call->message =
		bl_arena_printf(call->arena, "%s: %.*s", message_name(builtin),
				BL_STR_ARG(call->message));
	return false;
}

bool(bl_builtin_fault)(struct bl_builtin_call *call, enum bl_rego_fault fault,
		       const char *fmt, ...)
{
	enum { MESSAGE_BYTES = 4096 };
	char message[MESSAGE_BYTES];
	va_list args;

	call->fault = fault;
	call->result = bl_value_undefined();
	if (is_quiet(call))
		return false;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	call->message = bl_arena_copy_str(call->arena, bl_str(message));
	return false;
}

bool(bl_builtin_operand_fault)(struct bl_builtin_call *call, size_t n,
			       const char *wanted, const char *got)
{
	return bl_builtin_fault(call, BL_FAULT_TYPE,
				"operand %zu must be %s but got %s", n, wanted,
				got);
}

bool bl_builtin_return(struct bl_builtin_call *call, struct bl_value result)
{
	if (!bl_value_is_defined(result))
		return bl_builtin_memory_fault(call);
	call->result = result;
	return true;
}

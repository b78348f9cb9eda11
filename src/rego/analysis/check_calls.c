/* SPDX-License-Identifier: Apache-2.0 */
/* How many arguments calls have (spec/rego.md 1.7), in OPA's words. */
#include "rego/analysis/checks.h"
#include "rego/analysis/types.h"

/* What can be told of a term before any rule has a type; NULL: nothing. */
static const struct bl_type *type_of(struct bl_arena *arena,
				     const struct bl_rego_term *term)
{
	static const enum bl_type_kind kinds[] = {
		[BL_TERM_ARRAY] = BL_TYPE_ARRAY,
		[BL_TERM_SET] = BL_TYPE_SET,
		[BL_TERM_OBJECT] = BL_TYPE_OBJECT,
	};
	const struct bl_rego_term *head =
		term->kind == BL_TERM_REF ? term->as.items[0] : term;
	struct bl_type made = { 0 };
	uint32_t pair = term->kind == BL_TERM_OBJECT;

	if (term->kind == BL_TERM_SCALAR)
		return bl_type_of_scalar(term->as.value);
	if (bl_term_is_root(head, "input"))
		return &bl_type_any;
	if (term->kind < BL_TERM_ARRAY || term->kind > BL_TERM_OBJECT)
		return NULL;
	made.kind = kinds[term->kind];
	if (term->kind == BL_TERM_SET) {
		for (uint32_t i = 0; i < term->count; i++)
			made.rest =
				bl_type_or(arena, made.rest,
					   type_of(arena, term->as.items[i]));
		return bl_type_make(arena, &made);
	}
	made.items = bl_arena_new_array(arena, const struct bl_type *,
					term->count + 1);
	made.keys = bl_arena_new_array(arena, struct bl_value, term->count + 1);
	if (!made.items || !made.keys)
		return NULL;
	for (uint32_t i = 0; i < term->count; i += 1 + pair) {
		if (pair && term->as.items[i]->kind != BL_TERM_SCALAR)
			return NULL;
		if (pair)
			made.keys[made.count] = term->as.items[i]->as.value;
		made.items[made.count++] =
			type_of(arena, term->as.items[i + pair]);
	}
	return bl_type_make(arena, &made);
}

static void put_have(struct bl_buf *out, struct bl_arena *arena,
		     const struct bl_rego_term *call, bool nested)
{
	bl_buf_puts(out, "\n\thave: (");
	for (uint32_t i = 1; i < call->count + nested; i++) {
		bl_buf_puts(out, i > 1 ? ", " : "");
		bl_type_put(out, i < call->count
					 ? type_of(arena, call->as.items[i])
					 : NULL);
	}
	bl_buf_put_char(out, ')');
}

/* The operands of a function; of a rule's (no signature) any values. */
static void put_operands(struct bl_buf *out, const char *word,
			 const struct bl_signature *signature, size_t arity)
{
	bl_buf_printf(out, "\n\t%s: (", word);
	for (size_t i = 0; !signature && i < arity; i++)
		bl_buf_puts(out, i ? ", any" : "any");
	for (size_t i = 0; signature && i < signature->type->count; i++) {
		bl_buf_puts(out, i ? ", " : "");
		if (signature->names && signature->names[i].len && *word == 'w')
			bl_buf_printf(
				out, "%.*s: ", BL_STR_ARG(signature->names[i]));
		bl_type_put(out, signature->type->items[i]);
	}
	bl_buf_put_char(out, ')');
}

static void report(struct bl_compiler *compiler,
		   const struct bl_rego_module *module,
		   const struct bl_rego_term *call, bool nested)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_node *node = bl_call_node(compiler, call);
	struct bl_signatures signatures = { .arena = compiler->arena };
	const struct bl_signature *signature =
		builtin ? bl_signature_find(&signatures, bl_str(builtin->name))
			: NULL;
	struct bl_str name =
		builtin ? bl_str(builtin->name) : bl_node_path(compiler, node);
	struct bl_buf text;

	bl_buf_init(&text, 0);
	if (signature) {
		bl_buf_printf(&text, "%s: arity mismatch", builtin->name);
		put_have(&text, compiler->arena, call, nested);
		put_operands(&text, "want", signature, 0);
	} else {
		bl_buf_printf(&text,
			      "function %.*s has arity %zu, got %u argument%s",
			      BL_STR_ARG(name),
			      builtin ? builtin->arity : node->arity,
			      call->count - 1, call->count == 2 ? "" : "s");
	}
	bl_compiler_error(compiler, module, call->range.from, "rego_type_error",
			  "%.*s", BL_STR_ARG(bl_buf_str(&text)));
	bl_buf_clear(&text);
}

bool bl_check_arity(struct bl_compiler *compiler,
		    const struct bl_rego_module *module,
		    const struct bl_rego_term *call, bool nested)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_node *node =
		builtin ? NULL : bl_call_node(compiler, call);
	size_t arity = builtin ? builtin->arity : node ? node->arity : 0;
	size_t given = call->count - 1;

	if ((builtin && builtin->flags & BL_BUILTIN_VOID) ||
	    (!builtin && !node) || given == arity ||
	    (!nested && given == arity + 1))
		return true;
	report(compiler, module, call, nested);
	return false;
}

/* A function that a "with" names. */
struct named {
	struct bl_str name;
	const struct bl_signature *signature;
	size_t arity;
};

static bool find_named(struct bl_compiler *compiler,
		       struct bl_signatures *signatures,
		       struct bl_rego_term *term, struct named *out_named)
{
	struct bl_rego_term *items[] = { term };
	const struct bl_rego_term call = { .kind = BL_TERM_CALL,
					   .count = 1,
					   .as.items = items };
	const struct bl_builtin *builtin = NULL;
	const struct bl_node *node = NULL;

	if (term->kind == BL_TERM_VAR && term->slot == BL_SLOT_NONE)
		builtin = bl_call_builtin(&call);
	else
		node = bl_call_node(compiler, &call);
	if (builtin)
		*out_named = (struct named){
			bl_str(builtin->name),
			bl_signature_find(signatures, bl_str(builtin->name)),
			builtin->arity
		};
	if (node)
		*out_named = (struct named){ bl_node_path(compiler, node), NULL,
					     node->arity };
	return builtin || node;
}

void bl_check_mock(struct bl_compiler *compiler,
		   const struct bl_rego_module *module,
		   const struct bl_rego_with *with)
{
	struct bl_signatures signatures = { .arena = compiler->arena };
	struct named target;
	struct named value;
	struct bl_buf text;

	if (!find_named(compiler, &signatures, with->target, &target) ||
	    !find_named(compiler, &signatures, with->value, &value) ||
	    target.arity == value.arity)
		return;
	bl_buf_init(&text, 0);
	put_operands(&text, "have", value.signature, value.arity);
	put_operands(&text, "want", target.signature, target.arity);
	bl_compiler_error(compiler, module, with->target->range.from,
			  "rego_type_error", "%.*s: arity mismatch%.*s",
			  BL_STR_ARG(target.name),
			  BL_STR_ARG(bl_buf_str(&text)));
	bl_buf_clear(&text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that take the place of others (spec/rego.md 1.7). */
#include "rego/analysis/checks.h"
#include "rego/analysis/types.h"

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
	struct bl_signatures signatures = { .arena = compiler->arena,
					    .callables = compiler->callables };
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
			  "rego_type_error", "%.*s: arity mismatch%s",
			  BL_STR_ARG(target.name), text.ptr);
	bl_buf_clear(&text);
}

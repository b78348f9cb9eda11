/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of builtins and of opcodes, for the reference pages. */
#include "rego/compiler/types/types.h"
#include "rego/runtime/program.h"
#include "rego/tools/tools.h"

static const struct {
	unsigned flag;
	const char *mark;
} marks[] = {
	{ BL_BUILTIN_INFIX, "operator" },
	{ BL_BUILTIN_RELATION, "relation" },
	{ BL_BUILTIN_VOID, "no value" },
	{ BL_BUILTIN_FIXED, "fixed" },
	{ BL_BUILTIN_DEPRECATED, "deprecated" },
	{ BL_BUILTIN_NONDETERMINISTIC, "non-deterministic" },
	{ BL_BUILTIN_NETWORK, "network" },
	{ BL_BUILTIN_EXTERNAL, "library" },
};

/* "array|set" as "array or set": a bar would end the cell. */
static void put_types(struct bl_buf *out, const char *types)
{
	for (; *types; types++) {
		if (*types == '|')
			bl_buf_puts(out, " or ");
		else
			bl_buf_put_char(out, *types);
	}
}

static void put_result(struct bl_buf *out, struct bl_arena *arena,
		       const struct bl_builtin *row)
{
	const struct bl_signature *signature = bl_signature_of(arena, row);

	if (signature)
		bl_type_put(out, signature->type->rest);
}

void bl_rego_put_builtins(struct bl_buf *out)
{
	const struct bl_builtin *row;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_puts(out,
		    "| builtin | operands | result | what it is | marks |\n"
		    "|---|---|---|---|---|\n");
	for (size_t i = 0; (row = bl_builtin_at(i)); i++) {
		const char *between = "";

		bl_buf_printf(out, "| `%s` | ", row->name);
		put_types(out, row->operands);
		bl_buf_puts(out, " | ");
		put_result(out, &arena, row);
		bl_buf_printf(out, " | %s | ", row->doc);
		for (size_t m = 0; m < BL_COUNT(marks); m++) {
			if (!(row->flags & marks[m].flag))
				continue;
			bl_buf_printf(out, "%s%s", between, marks[m].mark);
			between = ", ";
		}
		bl_buf_puts(out, " |\n");
	}
	bl_arena_clear(&arena);
}

void bl_rego_put_opcodes(struct bl_buf *out)
{
	static const struct {
		const char *name;
		const char *operands;
		const char *meaning;
	} rows[] = {
#define OPCODE(name, operands, checks, meaning) { #name, operands, meaning },
#include "rego/runtime/opcodes.def"
#undef OPCODE
	};

	bl_buf_puts(out, "| opcode | operands | meaning |\n|---|---|---|\n");
	for (size_t i = 0; i < BL_COUNT(rows); i++)
		bl_buf_printf(out, "| `%s` | %s | %s |\n", rows[i].name,
			      rows[i].operands, rows[i].meaning);
}

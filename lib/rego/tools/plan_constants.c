/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant patterns of a function of a plan.
 *
 * A plan has no constants but texts and booleans: others are made by statements,
 * into locals.  So the code of the function is looked through: a local that only
 * one instruction writes has what that wrote, wherever it is defined at all.
 */
#include "rego/tools/plan.h"

enum {
	MAX_STEPS = 16, /* from local to local */
	MAX_BACK = 256, /* instructions that are looked back for a temporary */
	MAX_ITEMS = 64, /* of an array */
	/* Instructions of one plan that are looked through for arrays. */
	MAX_LOOKED_AT = 1 << 27,
};

struct lookout {
	struct plan_loader *loader;
	bool *is_label;    /* by instruction */
	uint32_t *writers; /* by local: instruction + 1; UINT32_MAX: several */
};

/* Instructions whose a is their result; others only read it, or lack it. */
static const bool gives_a[BL_OP_COUNT] = {
	[BL_OP_LOAD_CONSTANT] = true, [BL_OP_MOVE] = true,
	[BL_OP_UNDEFINE] = true,      [BL_OP_INDEX] = true,
	[BL_OP_INDEX_BASE] = true,    [BL_OP_INDEX_PARTIAL] = true,
	[BL_OP_LOOP_BEGIN] = true,    [BL_OP_CALL_FUNCTION] = true,
	[BL_OP_CALL_BUILTIN] = true,  [BL_OP_CALL_BUILTIN_PATTERN] = true,
	[BL_OP_CALL_PATH] = true,     [BL_OP_MOVE_ONCE] = true,
	[BL_OP_MAKE_PARTIAL] = true,  [BL_OP_FREEZE] = true,
	[BL_OP_LENGTH] = true,        [BL_OP_MERGE_OBJECTS] = true,
	[BL_OP_REPLACE_PATH] = true,
};

static bool writes(const struct bl_insn *insn, uint16_t reg)
{
	if (insn->op == BL_OP_LOOP_NEXT)
		return insn->b == reg || insn->c == reg || insn->a == reg;
	return gives_a[insn->op] && insn->a == reg;
}

static void note_writer(struct lookout *look, uint16_t reg, size_t at)
{
	if (reg >= PLAN_TEMPORARY)
		return;
	look->writers[reg] = look->writers[reg] ? UINT32_MAX : (uint32_t)at + 1;
}

static bool begin(struct lookout *look)
{
	const struct plan_loader *loader = look->loader;

	look->is_label =
		bl_arena_new_array(loader->arena, bool, loader->count + 1);
	look->writers = bl_arena_new_array(loader->arena, uint32_t,
					   (size_t)loader->local_count + 1);
	if (!look->is_label || !look->writers)
		return plan_fail(look->loader, bl_arena_why(loader->arena),
				 "there is no memory for it");
	for (size_t i = 0; i < loader->label_count; i++)
		look->is_label[loader->labels[i]] = true;
	/* Arguments have been written by who called. */
	for (uint32_t i = 0; i < loader->arity; i++)
		look->writers[i] = UINT32_MAX;
	for (size_t i = 0; i < loader->count; i++) {
		const struct bl_insn *insn = &loader->code[i];

		if (gives_a[insn->op])
			note_writer(look, insn->a, i);
		if (insn->op == BL_OP_LOOP_NEXT) {
			note_writer(look, insn->b, i);
			note_writer(look, insn->c, i);
		}
	}
	return true;
}

/* The instruction that gave a register what it has at `at`, or SIZE_MAX. */
static size_t writer_of(const struct lookout *look, uint16_t reg, size_t at)
{
	if (reg < PLAN_TEMPORARY)
		return look->writers[reg] == UINT32_MAX
			       ? SIZE_MAX
			       : (size_t)look->writers[reg] - 1;
	for (size_t i = 0; i < MAX_BACK && at > 0; i++) {
		if (look->is_label[at--])
			return SIZE_MAX;
		if (writes(&look->loader->code[at], reg))
			return at;
	}
	return SIZE_MAX;
}

static struct bl_value value_at(const struct lookout *look, uint16_t reg,
				size_t at, size_t steps);

/*
 * May the instruction at i jump away?  Code from `from` on has no labels; there
 * what was written before is defined.
 */
static bool may_leave(const struct lookout *look, size_t from, size_t i)
{
	const struct bl_insn *insn = &look->loader->code[i];
	size_t writer;

	if (!insn->j || insn->op != BL_OP_JUMP_UNLESS_DEFINED)
		return insn->j != 0;
	writer = writer_of(look, insn->b, i);
	return writer == SIZE_MAX || writer < from || writer > i ||
	       look->loader->code[writer].op != BL_OP_LOAD_CONSTANT;
}

/*
 * The array that is built from `at` on: complete before `used`, by one run of
 * instructions, and known under no other name in which it could grow.
 */
static struct bl_value array_at(const struct lookout *look, size_t at,
				size_t used, size_t steps)
{
	struct plan_loader *loader = look->loader;
	uint16_t reg = loader->code[at].a;
	struct bl_value items[MAX_ITEMS];
	bool in_a_row = true;
	size_t count = 0;

	if (loader->count > MAX_LOOKED_AT - loader->looked_at)
		return bl_value_undefined();
	loader->looked_at += loader->count;
	for (size_t i = 0; i < loader->count; i++) {
		const struct bl_insn *insn = &loader->code[i];

		if (i > at && (look->is_label[i] || may_leave(look, at, i)))
			in_a_row = false;
		if (insn->op == BL_OP_APPEND_PARTIAL && insn->a == reg &&
		    insn->b != reg) {
			if (i < at || i > used || !in_a_row ||
			    count == MAX_ITEMS)
				return bl_value_undefined();
			items[count] = value_at(look, insn->b, i, steps);
			if (!bl_value_is_defined(items[count++]))
				return bl_value_undefined();
		} else if (insn->op != BL_OP_FREEZE &&
			   (insn->b == reg || insn->c == reg ||
			    (insn->a == reg && i != at))) {
			return bl_value_undefined();
		}
	}
	return bl_array_make(loader->arena, items, count);
}

/* The constant that a register has at an instruction, or undefined. */
static struct bl_value value_at(const struct lookout *look, uint16_t reg,
				size_t at, size_t steps)
{
	const struct bl_insn *insn;
	size_t writer = writer_of(look, reg, at);

	if (writer == SIZE_MAX || steps == MAX_STEPS)
		return bl_value_undefined();
	insn = &look->loader->code[writer];
	if (insn->op == BL_OP_LOAD_CONSTANT)
		return look->loader->program->constants[insn->n];
	if (insn->op == BL_OP_MOVE || insn->op == BL_OP_FREEZE)
		return value_at(look, insn->b, writer, steps + 1);
	if (insn->op == BL_OP_MAKE_PARTIAL && insn->n == BL_COLLECT_ARRAY &&
	    reg < PLAN_TEMPORARY)
		return array_at(look, writer, at, steps + 1);
	return bl_value_undefined();
}

static void compile_call(const struct lookout *look,
			 const struct plan_call *call)
{
	struct plan_loader *loader = look->loader;
	const struct bl_builtin *row =
		loader->program->builtins[call->builtin].row;
	unsigned operands = bl_builtin_pattern_operands(row);
	struct bl_value args[BL_BUILTIN_MASKS] = { 0 };
	uint32_t pattern;

	for (size_t i = 0; i < row->arity; i++) {
		if (!(operands >> i & 1))
			continue;
		args[i] =
			value_at(look, (uint16_t)(call->from + i), call->at, 0);
		if (!bl_value_is_defined(args[i]))
			return;
	}
	if (!bl_program_add_pattern(&loader->patterns, call->builtin, args,
				    &pattern))
		return;
	loader->code[call->at].op = BL_OP_CALL_BUILTIN_PATTERN;
	loader->code[call->at].n = pattern;
}

bool plan_compile_patterns(struct plan_loader *loader)
{
	struct lookout look = { .loader = loader };

	if (!loader->call_count)
		return true;
	if (!begin(&look))
		return false;
	for (size_t i = 0; i < loader->call_count; i++)
		compile_call(&look, &loader->calls[i]);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine relies on, checked (docs/formats/image.md). */
#include "rego/bytecode/program.h"
#include "text/text.h"

static const char *const check_lists[] = {
#define OPCODE(name, operands, checks, meaning) [BL_OP_##name] = checks,
#include "rego/bytecode/opcodes.def"
#undef OPCODE
};

struct verifier {
	const struct bl_program *program;
	size_t size;
	const struct bl_function *function;
	const struct bl_insn *code;
};

static bool is_inside(const struct verifier *v, bl_rel at, size_t count,
		      size_t size)
{
	return at % 4 == 0 && at <= v->size && count <= (v->size - at) / size;
}

/* ---- code ------------------------------------------------------------------- */

static bool has_registers(const struct verifier *v, uint32_t from,
			  uint32_t count)
{
	return from + count <= v->function->register_count;
}

static bool is_function(const struct verifier *v, uint32_t n, uint32_t arity)
{
	return n < v->program->function_count &&
	       v->program->functions[n].arity == arity;
}

static bool is_builtin(const struct verifier *v, uint32_t n, uint32_t arity)
{
	return n < v->program->builtin_count &&
	       v->program->builtins[n].row->arity == arity;
}

static bool takes_pattern(const struct verifier *v, uint32_t n, uint32_t arity)
{
	return n < v->program->pattern_count &&
	       is_builtin(v, v->program->patterns[n].builtin, arity);
}

/* Arguments of a target of "with"; UINT32_MAX when there is none such. */
static uint32_t target_arity(const struct verifier *v, uint32_t target)
{
	uint32_t n = target & ~BL_TARGET_BUILTIN;

	if (!(target & BL_TARGET_BUILTIN))
		return n < v->program->function_count
			       ? v->program->functions[n].arity
			       : UINT32_MAX;
	return n < v->program->builtin_count
		       ? v->program->builtins[n].row->arity
		       : UINT32_MAX;
}

/* Steps are counted by these, so only they may close a loop. */
static bool is_jump(const struct verifier *v, const struct bl_insn *insn)
{
	const struct bl_insn *to;

	if (insn->j >= v->function->code_count)
		return false;
	to = &v->code[insn->j];
	return to > insn || insn->op == BL_OP_JUMP || to->op == BL_OP_NEXT ||
	       to->op == BL_OP_NEXT_RULE;
}

static bool is_filter(const struct verifier *v, uint32_t n)
{
	const struct bl_filter *filter;
	const uint32_t *targets;

	if (n >= v->program->filter_count)
		return false;
	filter = &v->program->filters[n];
	targets = bl_program_at(v->program, filter->targets);
	for (uint32_t i = 0; i < filter->target_count; i++)
		if (targets[i] >= v->function->code_count)
			return false;
	return true;
}

static bool holds(const struct verifier *v, const struct bl_insn *insn,
		  char check)
{
	switch (check) {
	case 'a':
		return has_registers(v, insn->a, 1);
	case 'b':
		return has_registers(v, insn->b, 1);
	case 'c':
		return has_registers(v, insn->c, 1);
	case 's':
		return has_registers(v, insn->a, 2);
	case 'p':
		return has_registers(v, insn->b, insn->c);
	case 'q':
		return has_registers(v, insn->b, insn->c + 1u);
	case 'r':
		return has_registers(v, insn->b, insn->c * 2u);
	case 'k':
		return insn->n < v->program->constant_count;
	case 'f':
		return is_function(v, insn->n, insn->c);
	case 'u':
		return is_builtin(v, insn->n, insn->c);
	case 'e':
		return takes_pattern(v, insn->n, insn->c);
	case 'd':
		return insn->n < v->program->node_count;
	case 'x':
		return is_filter(v, insn->n);
	case 'm':
		return insn->n <= BL_COLLECT_BELOW_KEYS;
	case 't':
		return target_arity(v, insn->n) != UINT32_MAX;
	case 'F':
		return target_arity(v, insn->j) == target_arity(v, insn->n);
	case 'j':
		return is_jump(v, insn);
	case 'n':
		return insn->n <= insn->c;
	default: /* o */
		return false;
	}
}

static const char *check_code(struct verifier *v)
{
	uint32_t count = v->function->code_count;
	uint16_t last;

	for (uint32_t i = 0; i < count; i++) {
		const struct bl_insn *insn = &v->code[i];

		if (insn->op >= BL_OP_COUNT)
			return "an unknown instruction";
		for (const char *check = check_lists[insn->op]; *check; check++)
			if (!holds(v, insn, *check))
				return "an operand";
	}
	last = count ? v->code[count - 1].op : (uint16_t)BL_OP_COUNT;
	return last == BL_OP_RETURN || last == BL_OP_JUMP
		       ? NULL
		       : "a function without an end";
}

static const char *check_function(struct verifier *v)
{
	const struct bl_function *f = v->function;

	if (f->register_count > BL_MAX_REGISTERS ||
	    f->arity > f->register_count || f->is_rule > 1 ||
	    (f->is_rule && f->arity && f->arity != 2) ||
	    !is_inside(v, f->code, f->code_count, sizeof(struct bl_insn)) ||
	    !is_inside(v, f->places, f->code_count,
		       sizeof(struct bl_insn_place)))
		return "a function";
	v->code = bl_function_code(v->program, f);
	return check_code(v);
}

/* ---- the tree of documents ---------------------------------------------------- */

static bool is_node_function(const struct verifier *v,
			     const struct bl_program_node *node)
{
	if (node->kind == BL_RULE_NONE)
		return node->function == BL_NO_FUNCTION;
	return node->kind <= BL_RULE_PARTIAL &&
	       node->function < v->program->function_count &&
	       v->program->functions[node->function].arity == node->arity &&
	       (node->kind == BL_RULE_FUNCTION || !node->arity);
}

static bool is_node(const struct verifier *v, uint32_t i)
{
	const struct bl_program_node *node = &v->program->nodes[i];
	size_t count = v->program->node_count;

	if (i == 0 ? node->parent != BL_NO_NODE
		   : node->parent >= i ||
			     node->key >= v->program->constant_count)
		return false;
	return node->first_child > i && node->first_child <= count &&
	       node->child_count <= count - node->first_child &&
	       is_node_function(v, node);
}

/* ---- filters ------------------------------------------------------------------ */

/* A table of entry numbers + 1 with at least one empty slot. */
static bool are_slots(const struct verifier *v, const struct bl_filter *filter,
		      bl_rel at, uint32_t mask)
{
	const uint32_t *slots;
	bool has_empty = false;

	if (!mask)
		return true;
	if ((mask & (mask + 1)) ||
	    !is_inside(v, at, (size_t)mask + 1, sizeof(*slots)))
		return false;
	slots = bl_program_at(v->program, at);
	for (size_t i = 0; i <= mask; i++) {
		if (slots[i] > filter->entry_count)
			return false;
		has_empty |= !slots[i];
	}
	return has_empty;
}

static bool is_entry(const struct verifier *v, const struct bl_filter *filter,
		     const struct bl_filter_entry *entry, uint32_t i)
{
	return entry->constant < v->program->constant_count &&
	       entry->parent <= i && entry->gram_len <= 4 &&
	       entry->rules_from <= filter->rules_count &&
	       entry->rule_count <= filter->rules_count - entry->rules_from;
}

static bool are_spans(const struct bl_filter *filter)
{
	return filter->prefix_from <= filter->prefix_to &&
	       filter->prefix_to <= filter->entry_count &&
	       filter->suffix_from <= filter->suffix_to &&
	       filter->suffix_to <= filter->entry_count &&
	       filter->gram_lens < 32;
}

static bool is_sound(const struct verifier *v, const struct bl_filter *filter)
{
	const struct bl_filter_entry *entries;
	const uint32_t *rules;

	if (!is_inside(v, filter->entries, filter->entry_count,
		       sizeof(*entries)) ||
	    !is_inside(v, filter->rules, filter->rules_count, sizeof(*rules)) ||
	    !is_inside(v, filter->targets, filter->target_count,
		       sizeof(uint32_t)) ||
	    !are_spans(filter))
		return false;
	entries = bl_program_at(v->program, filter->entries);
	rules = bl_program_at(v->program, filter->rules);
	for (uint32_t i = 0; i < filter->entry_count; i++)
		if (!is_entry(v, filter, &entries[i], i))
			return false;
	for (uint32_t i = 0; i < filter->rules_count; i++)
		if (rules[i] >= filter->target_count)
			return false;
	return are_slots(v, filter, filter->equal_slots, filter->equal_mask) &&
	       are_slots(v, filter, filter->gram_slots, filter->gram_mask);
}

/* ---- patterns ----------------------------------------------------------------- */

/* Code that names it checks its builtin. */
static bool is_pattern(const struct verifier *v,
		       const struct bl_pattern *pattern)
{
	return pattern->regex % 8 == 0 && pattern->regex <= v->size &&
	       bl_regex_is_sound(bl_program_at(v->program, pattern->regex),
				 v->size - pattern->regex);
}

/* ---- files -------------------------------------------------------------------- */

static bool is_file(const struct verifier *v,
		    const struct bl_program_file *file)
{
	return file->name <= v->size &&
	       file->name_len <= v->size - file->name && file->line_count > 0 &&
	       is_inside(v, file->lines, file->line_count, sizeof(uint32_t));
}

const char *bl_program_verify(const struct bl_program *program, size_t size)
{
	struct verifier v = { .program = program, .size = size };
	const char *wrong = NULL;

	if (!program->node_count)
		return "there are no documents";
	for (size_t i = 0; i < program->filter_count; i++)
		if (!is_sound(&v, &program->filters[i]))
			return "a filter";
	for (size_t i = 0; i < program->pattern_count; i++)
		if (!is_pattern(&v, &program->patterns[i]))
			return "a pattern";
	for (uint32_t i = 0; i < program->node_count; i++)
		if (!is_node(&v, i))
			return "a document";
	for (size_t i = 0; i < program->file_count; i++)
		if (!is_file(&v, &program->files[i]))
			return "a file";
	for (size_t i = 0; !wrong && i < program->function_count; i++) {
		v.function = &program->functions[i];
		wrong = check_function(&v);
	}
	return wrong;
}

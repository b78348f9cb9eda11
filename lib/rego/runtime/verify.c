/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the properties that the machine relies on (docs/formats/image.md): of everything, or
 * of all that the evaluation of some documents can come to.  From a document
 * that is the rules of it and below it; from a rule, what its code names.
 */
#include "rego/runtime/image.h"

static const char *const check_lists[] = {
#define OPCODE(name, operands, checks, meaning) [BL_OP_##name] = checks,
#include "rego/runtime/opcodes.def"
#undef OPCODE
};

/*
 * A check list, so that nearly all instructions are checked without a branch:
 * the registers that one needs are a * a_times + a_plus, and so on.
 */
struct check {
	uint8_t a_times, a_plus;
	uint8_t b_times, b_plus, run; /* b + c * run: registers from b on */
	uint8_t c_times, c_plus;
	bool has_jump;
	bool has_target;
	char operand; /* the letter of what operand n is; 0: nothing */
};

/* Items to look at once, by number. */
enum mark {
	MARK_FUNCTION,
	MARK_NODE, /* the node, and those above */
	MARK_TREE, /* all that is below, too */
	MARK_FILTER,
	MARK_PATTERN,
	MARK_COUNT
};

/* Numbers that are still to be looked at; there is room for all. */
struct pending {
	uint32_t *items;
	size_t count;
};

struct verifier {
	const struct bl_program *program;
	struct bl_image *image; /* NULL: made here, of addresses */
	uint8_t *marks[MARK_COUNT];
	struct pending functions; /* their code */
	struct pending nodes;     /* their children */
	struct check checks[BL_OP_COUNT];
	const struct bl_function *function;
	const struct bl_insn *code;
};

/* True the first time. */
static bool mark(struct verifier *v, enum mark kind, uint32_t n)
{
	uint8_t *byte = &v->marks[kind][n / 8];
	uint8_t bit = (uint8_t)(1u << n % 8);
	bool is_new = !(*byte & bit);

	*byte |= bit;
	return is_new;
}

static void push(struct pending *pending, uint32_t n)
{
	pending->items[pending->count++] = n;
}

static bool is_inside(const struct verifier *v, bl_rel at, size_t count,
		      size_t size)
{
	return !v->image || (at % 4 == 0 && count <= SIZE_MAX / size &&
			     bl_image_holds(v->image, at, count * size));
}

/* Is entry n of a table of records unbroken? */
static bool is_entry_inside(const struct verifier *v, const void *table,
			    uint32_t n, size_t size)
{
	return !v->image ||
	       bl_image_holds(v->image,
			      bl_program_rel(v->program, table) + n * size,
			      size);
}

/* ---- what code names -------------------------------------------------------- */

static bool reach_constant(const struct verifier *v, uint32_t n)
{
	return v->image ? bl_image_take_constant(v->image, n)
			: n < v->program->constant_count;
}

static bool is_node(const struct verifier *v, uint32_t i)
{
	const struct bl_program_node *node = &v->program->nodes[i];
	size_t count = v->program->node_count;

	if (!is_entry_inside(v, v->program->nodes, i, sizeof(*node)))
		return false;
	if (i == 0 ? node->parent != BL_NO_NODE
		   : node->parent >= i || !reach_constant(v, node->key))
		return false;
	return node->first_child > i && node->first_child <= count &&
	       node->child_count <= count - node->first_child;
}

/* A node and those above it: paths are read upwards. */
static bool reach_node(struct verifier *v, uint32_t i)
{
	while (i < v->program->node_count && mark(v, MARK_NODE, i)) {
		if (!is_node(v, i))
			return false;
		i = v->program->nodes[i].parent;
	}
	return i < v->program->node_count || i == BL_NO_NODE;
}

/* NULL: not found. */
static const struct bl_function *reach_function(struct verifier *v, uint32_t n)
{
	const struct bl_function *function = &v->program->functions[n];

	if (n >= v->program->function_count)
		return NULL;
	if (!mark(v, MARK_FUNCTION, n))
		return function;
	push(&v->functions, n);
	if (!is_entry_inside(v, v->program->functions, n, sizeof(*function)) ||
	    (function->node != BL_NO_NODE && !reach_node(v, function->node)))
		return NULL;
	return function;
}

static bool is_function(struct verifier *v, uint32_t n, uint32_t arity)
{
	const struct bl_function *function = reach_function(v, n);

	return function && function->arity == arity;
}

/* The function of FIND_GROUP: keys stand before its arguments. */
static bool is_group_function(struct verifier *v, uint32_t n, uint32_t count)
{
	const struct bl_function *function = reach_function(v, n);

	return function && function->arity <= count;
}

static bool is_builtin(const struct verifier *v, uint32_t n, uint32_t arity)
{
	return n < v->program->builtin_count &&
	       v->program->builtins[n].row->arity == arity;
}

/* Arguments of a target of "with"; UINT32_MAX when not found. */
static uint32_t target_arity(struct verifier *v, uint32_t target)
{
	uint32_t n = target & ~BL_TARGET_BUILTIN;
	const struct bl_function *function;

	if (target & BL_TARGET_BUILTIN)
		return n < v->program->builtin_count
			       ? v->program->builtins[n].row->arity
			       : UINT32_MAX;
	function = reach_function(v, n);
	return function ? function->arity : UINT32_MAX;
}

/* ---- patterns ----------------------------------------------------------------- */

static bool is_pattern(const struct verifier *v, uint32_t n)
{
	const struct bl_pattern *pattern = &v->program->patterns[n];

	if (!v->image)
		return true;
	return is_entry_inside(v, v->program->patterns, n, sizeof(*pattern)) &&
	       pattern->regex % 8 == 0 &&
	       is_inside(v, pattern->regex, pattern->bytes, 1) &&
	       bl_regex_is_sound(bl_program_at(v->program, pattern->regex),
				 pattern->bytes);
}

static bool reach_pattern(struct verifier *v, uint32_t n)
{
	return n < v->program->pattern_count &&
	       (!mark(v, MARK_PATTERN, n) || is_pattern(v, n));
}

static bool takes_pattern(struct verifier *v, uint32_t n, uint32_t arity)
{
	return reach_pattern(v, n) &&
	       is_builtin(v, v->program->patterns[n].builtin, arity);
}

/* ---- rule indexes ------------------------------------------------------------------ */

/* A table of entry numbers + 1 with at least one empty slot. */
static bool are_slots(const struct verifier *v,
		      const struct bl_rule_index *rule_index, bl_rel at,
		      uint32_t mask)
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
		if (slots[i] > rule_index->entry_count)
			return false;
		has_empty |= !slots[i];
	}
	return has_empty;
}

static bool is_entry(const struct verifier *v,
		     const struct bl_rule_index *rule_index,
		     const struct bl_rule_index_entry *entry, uint32_t i)
{
	return reach_constant(v, entry->constant) && entry->parent <= i &&
	       entry->gram_len <= 4 &&
	       entry->rules_from <= rule_index->rules_count &&
	       entry->rule_count <= rule_index->rules_count - entry->rules_from;
}

static bool are_spans(const struct bl_rule_index *rule_index)
{
	return rule_index->prefix_from <= rule_index->prefix_to &&
	       rule_index->prefix_to <= rule_index->entry_count &&
	       rule_index->suffix_from <= rule_index->suffix_to &&
	       rule_index->suffix_to <= rule_index->entry_count &&
	       rule_index->gram_lens < 32;
}

static bool is_sound(const struct verifier *v, uint32_t n)
{
	const struct bl_rule_index *rule_index = &v->program->rule_indexes[n];
	const struct bl_rule_index_entry *entries;
	const uint32_t *rules;

	if (!is_entry_inside(v, v->program->rule_indexes, n,
			     sizeof(*rule_index)) ||
	    !is_inside(v, rule_index->entries, rule_index->entry_count,
		       sizeof(*entries)) ||
	    !is_inside(v, rule_index->rules, rule_index->rules_count,
		       sizeof(*rules)) ||
	    !is_inside(v, rule_index->targets, rule_index->target_count,
		       sizeof(uint32_t)) ||
	    !are_spans(rule_index))
		return false;
	entries = bl_program_at(v->program, rule_index->entries);
	rules = bl_program_at(v->program, rule_index->rules);
	for (uint32_t i = 0; i < rule_index->entry_count; i++)
		if (!is_entry(v, rule_index, &entries[i], i))
			return false;
	for (uint32_t i = 0; i < rule_index->rules_count; i++)
		if (rules[i] >= rule_index->target_count)
			return false;
	return are_slots(v, rule_index, rule_index->equal_slots,
			 rule_index->equal_mask) &&
	       are_slots(v, rule_index, rule_index->gram_slots,
			 rule_index->gram_mask);
}

static bool reach_rule_index(struct verifier *v, uint32_t n)
{
	return n < v->program->rule_index_count &&
	       (!mark(v, MARK_FILTER, n) || is_sound(v, n));
}

static bool is_rule_index(struct verifier *v, uint32_t n)
{
	const struct bl_rule_index *rule_index;
	const uint32_t *targets;

	if (!reach_rule_index(v, n))
		return false;
	rule_index = &v->program->rule_indexes[n];
	targets = bl_program_at(v->program, rule_index->targets);
	for (uint32_t i = 0; i < rule_index->target_count; i++)
		if (targets[i] >= v->function->code_count)
			return false;
	return true;
}

/* ---- the tree of documents ---------------------------------------------------- */

static bool is_node_function(struct verifier *v,
			     const struct bl_program_node *node)
{
	if (node->kind == BL_RULE_NONE)
		return node->function == BL_NO_FUNCTION;
	return node->kind <= BL_RULE_PARTIAL &&
	       is_function(v, node->function, node->arity) &&
	       (node->kind == BL_RULE_FUNCTION || !node->arity);
}

/* A document: the node, and all that is below. */
static bool reach_tree(struct verifier *v, uint32_t i)
{
	if (i >= v->program->node_count)
		return false;
	if (!mark(v, MARK_TREE, i))
		return true;
	push(&v->nodes, i);
	return reach_node(v, i) && is_node_function(v, &v->program->nodes[i]);
}

static bool reach_children(struct verifier *v, uint32_t i)
{
	const struct bl_program_node *node = &v->program->nodes[i];

	for (uint32_t n = 0; n < node->child_count; n++)
		if (!reach_tree(v, node->first_child + n))
			return false;
	return true;
}

/* ---- code ------------------------------------------------------------------- */

static void read_check(const char *letters, struct check *out)
{
	static const struct {
		char letter;
		struct check adds;
	} rows[] = {
		{ 'a', { .a_times = 1, .a_plus = 1 } },
		{ 's', { .a_times = 1, .a_plus = 2 } },
		{ 'b', { .b_times = 1, .b_plus = 1 } },
		{ 'p', { .b_times = 1, .run = 1 } },
		{ 'q', { .b_times = 1, .b_plus = 1, .run = 1 } },
		{ 'r', { .b_times = 1, .run = 2 } },
		{ 'c', { .c_times = 1, .c_plus = 1 } },
		{ 'j', { .has_jump = true } },
		{ 'F', { .has_target = true } },
	};

	*out = (struct check){ 0 };
	for (; *letters; letters++) {
		const struct check *adds = NULL;

		for (size_t i = 0; i < BL_COUNT(rows) && !adds; i++)
			if (rows[i].letter == *letters)
				adds = &rows[i].adds;
		if (!adds) {
			out->operand = *letters;
			continue;
		}
		out->a_times |= adds->a_times;
		out->a_plus |= adds->a_plus;
		out->b_times |= adds->b_times;
		out->b_plus |= adds->b_plus;
		out->run |= adds->run;
		out->c_times |= adds->c_times;
		out->c_plus |= adds->c_plus;
		out->has_jump |= adds->has_jump;
		out->has_target |= adds->has_target;
	}
}

static uint32_t greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static bool has_registers(const struct verifier *v, const struct bl_insn *insn,
			  const struct check *check)
{
	uint32_t a = insn->a * (uint32_t)check->a_times + check->a_plus;
	uint32_t b = insn->b * (uint32_t)check->b_times + check->b_plus +
		     insn->c * (uint32_t)check->run;
	uint32_t c = insn->c * (uint32_t)check->c_times + check->c_plus;

	return greater(greater(a, b), c) <= v->function->register_count;
}

/* Steps are counted by these, so only they may close a loop. */
static bool is_jump(const struct verifier *v, const struct bl_insn *insn)
{
	const struct bl_insn *to;

	if (insn->j >= v->function->code_count)
		return false;
	to = &v->code[insn->j];
	return to > insn || insn->op == BL_OP_JUMP ||
	       to->op == BL_OP_LOOP_NEXT || to->op == BL_OP_JUMP_TO_RULE;
}

static bool is_operand(struct verifier *v, const struct bl_insn *insn,
		       char check)
{
	switch (check) {
	case 'k':
		return reach_constant(v, insn->n);
	case 'f':
		return is_function(v, insn->n, insn->c);
	case 'g':
		return is_group_function(v, insn->n, insn->c);
	case 'u':
		return is_builtin(v, insn->n, insn->c);
	case 'e':
		return takes_pattern(v, insn->n, insn->c);
	case 'd':
		return reach_tree(v, insn->n);
	case 'x':
		return is_rule_index(v, insn->n);
	case 'm':
		return insn->n <= BL_COLLECT_BELOW_KEYS;
	case 't':
		return target_arity(v, insn->n) != UINT32_MAX;
	case 'n':
		return insn->n <= insn->c && reach_tree(v, 0);
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
		const struct check *check;

		if (insn->op >= BL_OP_COUNT)
			return "an unknown instruction";
		check = &v->checks[insn->op];
		if (!has_registers(v, insn, check) ||
		    (check->has_jump && !is_jump(v, insn)) ||
		    (check->operand && !is_operand(v, insn, check->operand)) ||
		    (check->has_target &&
		     target_arity(v, insn->j) != target_arity(v, insn->n)))
			return "an operand";
	}
	last = count ? v->code[count - 1].op : (uint16_t)BL_OP_COUNT;
	return last == BL_OP_RETURN || last == BL_OP_JUMP
		       ? NULL
		       : "a function without an end";
}

/* Places are checked when they are read (program.c). */
static const char *check_function(struct verifier *v)
{
	const struct bl_function *f = v->function;

	if (f->register_count > BL_MAX_REGISTERS ||
	    f->arity > f->register_count || f->is_rule > 1 ||
	    (f->is_rule && f->arity && f->arity != 2) ||
	    !is_inside(v, f->code, f->code_count, sizeof(struct bl_insn)))
		return "a function";
	v->code = bl_function_code(v->program, f);
	return check_code(v);
}

/* ---- all of it ---------------------------------------------------------------- */

static const char *begin(struct verifier *v, struct bl_arena *arena)
{
	const struct bl_program *program = v->program;
	const size_t counts[] = {
		[MARK_FUNCTION] = program->function_count,
		[MARK_NODE] = program->node_count,
		[MARK_TREE] = program->node_count,
		[MARK_FILTER] = program->rule_index_count,
		[MARK_PATTERN] = program->pattern_count,
	};
	bool ok = true;

	for (int i = 0; i < MARK_COUNT; i++) {
		v->marks[i] =
			bl_arena_new_array(arena, uint8_t, counts[i] / 8 + 1);
		ok &= v->marks[i] != NULL;
	}
	/* Not zeroed: most of it is never touched. */
	v->functions.items = bl_arena_alloc(
		arena, (program->function_count + 1) * sizeof(uint32_t));
	v->nodes.items = bl_arena_alloc(arena, (program->node_count + 1) *
						       sizeof(uint32_t));
	for (size_t i = 0; i < BL_OP_COUNT; i++)
		read_check(check_lists[i], &v->checks[i]);
	return ok && v->functions.items && v->nodes.items ? NULL
							  : "memory is out";
}

/* Looks at what was named, and what that names, until nothing is new. */
static const char *follow(struct verifier *v)
{
	const char *wrong = NULL;

	while (!wrong && (v->functions.count || v->nodes.count)) {
		if (v->nodes.count) {
			if (!reach_children(v,
					    v->nodes.items[--v->nodes.count]))
				wrong = "a document";
			continue;
		}
		v->function =
			&v->program->functions
				 [v->functions.items[--v->functions.count]];
		wrong = check_function(v);
	}
	return wrong;
}

/* Names all that there is. */
static const char *reach_all(struct verifier *v)
{
	const struct bl_program *program = v->program;

	for (uint32_t i = 0; i < program->constant_count; i++)
		if (!reach_constant(v, i))
			return "a constant";
	for (uint32_t i = 0; i < program->rule_index_count; i++)
		if (!reach_rule_index(v, i))
			return "a rule_index";
	for (uint32_t i = 0; i < program->pattern_count; i++)
		if (!reach_pattern(v, i))
			return "a pattern";
	for (uint32_t i = 0; i < program->node_count; i++)
		if (!reach_tree(v, i))
			return "a document";
	for (uint32_t i = 0; i < program->function_count; i++)
		if (!reach_function(v, i))
			return "a function";
	return NULL;
}

/* Names what is wanted; every evaluation begins with a look at node 0. */
static const char *reach_part(struct verifier *v,
			      const struct bl_rego_image_part *part)
{
	if (!reach_node(v, 0))
		return "a document";
	for (size_t i = 0; i < part->document_count; i++)
		if (!reach_tree(v, part->documents[i]))
			return "a document";
	return NULL;
}

const char *bl_program_verify(struct bl_program *program,
			      struct bl_image *image,
			      const struct bl_rego_image_part *part,
			      struct bl_arena *arena)
{
	struct verifier v = { .program = program, .image = image };
	const char *wrong = begin(&v, arena);

	if (wrong)
		return wrong;
	if (!program->node_count)
		return "there are no documents";
	wrong = part && part->documents ? reach_part(&v, part) : reach_all(&v);
	if (!wrong)
		wrong = follow(&v);
	program->known_trees = v.marks[MARK_TREE];
	return wrong;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code for a node of the tree: one function for all of its rules.
 *
 * A few rules stand one behind the other, each going on to the next.  With
 * many, those that have conditions on one value (rule_index_choose.h) are tried only when the
 * rule index of that value names them:
 *
 *      JUMP dispatch
 *      rule 0 ... JUMP after 0
 *      rule 1 ... JUMP after 1
 *   dispatch:
 *      the rules without a condition, chained by their "after"
 *      for each value: INDEX_RULES, then JUMP_TO_RULE, which is the "after" of each
 */
#include "rego/compiler/emit/private.h"
#include "rego/compiler/emit/rule_index.h"

enum {
	INDEX_LEAST = 4, /* rules for which an index pays */
	SUBJECTS_MAX = 64,
};

/* A rule of a node with many. */
struct place {
	bl_label entry;
	bl_label after;
	struct bl_condition *conditions;
	struct bl_condition *chosen;
};

/* A value that conditions look at. */
struct subject {
	struct bl_str key;
	const struct bl_rego_term *term;
	size_t rule_count; /* that chose it */
};

struct dispatch {
	struct bl_emitter *e;
	struct place *places;
	size_t count;
	struct subject *subjects;
	size_t subject_count;
	uint32_t *wanted; /* by hash of an item: how many rules want it */
	size_t wanted_mask;
	struct bl_resolver resolver; /* of the rule being compiled */
};

/* ---- choosing conditions ------------------------------------------------------- */

static struct subject *find_subject(struct dispatch *d,
				    const struct bl_condition *condition)
{
	for (size_t i = 0; i < d->subject_count; i++)
		if (bl_str_equal(d->subjects[i].key, condition->key))
			return &d->subjects[i];
	if (d->subject_count == SUBJECTS_MAX)
		return NULL;
	d->subjects[d->subject_count] =
		(struct subject){ .key = condition->key,
				  .term = condition->subject };
	return &d->subjects[d->subject_count++];
}

static uint32_t *wanted_of(const struct dispatch *d,
			   const struct bl_condition *condition, size_t item)
{
	uint64_t h = bl_value_hash(condition->items[item].value) +
		     (uint64_t)condition->items[item].kind * 31 +
		     condition->key.len;

	return &d->wanted[(h ^ h >> 29) & d->wanted_mask];
}

/* How many rules would be tried with this one, about. */
static size_t company_of(const struct dispatch *d,
			 const struct bl_condition *condition)
{
	size_t count = 0;

	for (size_t i = 0; i < condition->item_count; i++)
		count += *wanted_of(d, condition, i);
	return count;
}

/* The condition that the fewest other rules share. */
static void choose(struct dispatch *d, struct place *place)
{
	size_t least = SIZE_MAX;
	struct subject *best = NULL;

	for (struct bl_condition *condition = place->conditions; condition;
	     condition = condition->next) {
		struct subject *subject = find_subject(d, condition);
		size_t company = company_of(d, condition);

		if (!subject || company >= least)
			continue;
		least = company;
		best = subject;
		place->chosen = condition;
	}
	if (best)
		best->rule_count++;
}

static bool choose_conditions(struct dispatch *d)
{
	struct bl_arena *arena = d->e->builder->compiler->arena;
	size_t size = 64;

	while (size < d->count * 8)
		size *= 2;
	d->wanted_mask = size - 1;
	d->wanted = bl_arena_new_array(arena, uint32_t, size);
	d->subjects = bl_arena_new_array(arena, struct subject, SUBJECTS_MAX);
	if (!d->subjects || !d->wanted)
		return false;
	for (size_t i = 0; i < d->count; i++)
		for (struct bl_condition *condition = d->places[i].conditions;
		     condition; condition = condition->next)
			for (size_t j = 0; j < condition->item_count; j++)
				++*wanted_of(d, condition, j);
	for (size_t i = 0; i < d->count; i++)
		choose(d, &d->places[i]);
	return true;
}

/* Is the rule found by the rule index of its condition's value? */
static bool is_indexed(struct dispatch *d, const struct place *place)
{
	const struct subject *subject =
		place->chosen ? find_subject(d, place->chosen) : NULL;

	return subject && subject->rule_count >= INDEX_LEAST;
}

/* ---- dispatch ---------------------------------------------------------------- */

static void same_place(struct bl_emitter *e, bl_label label, bl_label as)
{
	if (!e->failed)
		e->labels[label] = e->labels[as];
}

static void emit_unindexed(struct dispatch *d)
{
	struct bl_emitter *e = d->e;
	bl_label end = bl_emit_new_label(e);
	const struct place *last = NULL;

	for (size_t i = 0; i < d->count; i++) {
		const struct place *place = &d->places[i];

		if (is_indexed(d, place))
			continue;
		if (last)
			same_place(e, last->after, place->entry);
		else
			EMIT(e, JUMP, .j = place->entry);
		last = place;
	}
	bl_emit_place_label(e, end);
	if (last)
		same_place(e, last->after, end);
}

static void emit_group(struct dispatch *d, const struct subject *subject,
		       bl_register state)
{
	struct bl_emitter *e = d->e;
	struct bl_arena *arena = e->builder->compiler->arena;
	bl_label loop = bl_emit_new_label(e);
	bl_label end = bl_emit_new_label(e);
	struct bl_condition **conditions = bl_arena_new_array(
		arena, struct bl_condition *, subject->rule_count);
	size_t count = 0;
	uint32_t *targets;
	bl_register value;
	uint32_t rule_index;

	for (size_t i = 0; conditions && i < d->count; i++)
		if (d->places[i].chosen &&
		    bl_str_equal(d->places[i].chosen->key, subject->key))
			conditions[count++] = d->places[i].chosen;
	if (!conditions ||
	    !bl_rule_index_make(e, conditions, count, &rule_index, &targets)) {
		e->failed = true;
		return;
	}
	EMIT(e, INDEX_ALL_RULES, .a = state, .n = rule_index, .j = loop);
	e->fail = end;
	e->known_from = e->known_count = 0;
	value = bl_emit_value(e, subject->term);
	EMIT(e, INDEX_RULES, .a = state, .b = value, .n = rule_index);
	bl_emit_place_label(e, loop);
	EMIT(e, JUMP_TO_RULE, .a = state, .n = rule_index, .j = end);
	bl_emit_place_label(e, end);
	count = 0;
	for (size_t i = 0; !e->failed && i < d->count; i++) {
		const struct place *place = &d->places[i];

		if (!place->chosen ||
		    !bl_str_equal(place->chosen->key, subject->key))
			continue;
		targets[count++] = e->labels[place->entry];
		same_place(e, place->after, loop);
	}
}

static void emit_dispatch(struct dispatch *d, bl_register state)
{
	if (!choose_conditions(d)) {
		d->e->failed = true;
		return;
	}
	emit_unindexed(d);
	for (size_t i = 0; i < d->subject_count && !d->e->failed; i++)
		if (d->subjects[i].rule_count >= INDEX_LEAST)
			emit_group(d, &d->subjects[i], state);
}

/* ---- nodes ---------------------------------------------------------------------- */

static size_t count_rules(const struct bl_node *node)
{
	size_t count = 0;

	for (const struct bl_rule *rule = node->rules; rule; rule = rule->next)
		count++;
	return count;
}

/* Has every rule the same constant as its value?  Then the first one that
 * holds decides. */
static bool has_one_value(const struct bl_node *node)
{
	const struct bl_rego_term *first = NULL;

	if (node->kind == BL_RULE_PARTIAL || !node->rules)
		return false;
	first = node->rules->syntax->value;
	for (const struct bl_rule *rule = node->rules; rule;
	     rule = rule->next) {
		const struct bl_rego_term *value = rule->syntax->value;

		if (rule->syntax->else_rule || !value != !first)
			return false;
		if (value &&
		    (value->kind != BL_TERM_SCALAR ||
		     first->kind != BL_TERM_SCALAR ||
		     !bl_value_equal(value->as.value, first->as.value)))
			return false;
	}
	return true;
}

/*
 * Errors of one rule do not hide those of the next.  False: memory is out.
 * A failure that nobody reported is that of a rule with too many registers.
 */
static bool goes_on(struct bl_emitter *e, const struct bl_rule *rule,
		    size_t errors)
{
	struct bl_compiler *compiler = e->builder->compiler;

	if (bl_arena_status(compiler->arena) != BL_OK)
		compiler->failed_memory = true;
	if (compiler->failed_memory)
		return false;
	if (compiler->findings.ending_count == errors)
		bl_compiler_error(compiler, rule->module,
				  rule->syntax->range.from, BL_FINDING_LIMIT,
				  "rule is too large: it needs more than %d "
				  "registers",
				  BL_MAX_REGISTERS);
	return true;
}

static void emit_rules(struct dispatch *d, const struct bl_node *node)
{
	struct bl_emitter *e = d->e;
	struct place *place = d->places;

	for (const struct bl_rule *rule = node->rules; rule;
	     rule = rule->next) {
		size_t errors = e->builder->compiler->findings.ending_count;
		struct bl_resolved_rule *resolved;

		if (place) {
			place->entry = bl_emit_new_label(e);
			place->after = bl_emit_new_label(e);
			bl_emit_place_label(e, place->entry);
		}
		resolved = bl_emit_begin_rule(e, &d->resolver, node, rule);
		if (resolved)
			bl_emit_rule(e, node, rule, resolved);
		if (resolved && place && !e->failed) {
			EMIT(e, JUMP, .j = place->after);
			if (!resolved->else_rule)
				place->conditions =
					bl_conditions_of(e, resolved);
		}
		if (e->failed && !goes_on(e, rule, errors))
			return;
		e->failed = false;
		if (place)
			place++;
	}
}

/* Are there keys behind the node, so that its document is an object? */
static bool has_dynamic_keys(const struct bl_rule *rule)
{
	const struct bl_rego_term *name = rule->syntax->name;

	return name->kind == BL_TERM_REF && rule->key_from < name->count;
}

/*
 * Is it below a node with rules for any key?  There OPA sees nothing
 * where no rule holds, not an empty document.
 */
static bool is_below_keys(const struct bl_node *node)
{
	while ((node = node->parent))
		if (node->kind == BL_RULE_PARTIAL)
			return true;
	return false;
}

void bl_emit_node(struct bl_program_builder *builder,
		  const struct bl_node *node)
{
	struct bl_compiler *compiler = builder->compiler;
	size_t errors = compiler->findings.ending_count;
	struct bl_emitter e = { .builder = builder,
				.fixed_count = BL_RULE_FIXED_COUNT };
	struct dispatch d = { .e = &e };
	bool partial = node->kind == BL_RULE_PARTIAL;
	bl_label dispatch = bl_emit_new_label(&e);
	bl_register result = (bl_register)(node->arity + BL_RULE_RESULT);
	bl_register state = (bl_register)(node->arity + e.fixed_count);

	d.count = count_rules(node);
	if (d.count >= INDEX_LEAST && !compiler->options.observe) {
		e.fixed_count++;
		d.places = bl_arena_new_array(compiler->arena, struct place,
					      d.count);
		e.failed = !d.places;
	}
	e.one_value = has_one_value(node);
	e.max_register = (uint32_t)node->arity + e.fixed_count;
	e.next_register = e.max_register;
	if (partial)
		EMIT(&e, COLLECT_BEGIN, .a = BL_RULE_RESULT,
		     .n = is_below_keys(node) ? BL_COLLECT_BELOW_KEYS
					      : BL_COLLECT_DOCUMENT,
		     .b = node->rules && node->rules->is_set &&
			  !has_dynamic_keys(node->rules));
	else
		EMIT(&e, UNDEFINE, .a = result);
	if (d.places)
		EMIT(&e, JUMP, .j = dispatch);
	emit_rules(&d, node);
	bl_emit_place_label(&e, dispatch);
	if (d.places && compiler->findings.ending_count == errors)
		emit_dispatch(&d, state);
	e.one_value = false;
	if (partial) {
		EMIT(&e, COLLECT_END, .a = BL_RULE_CHAIN, .b = BL_RULE_RESULT);
		EMIT(&e, RETURN, .a = BL_RULE_CHAIN);
	} else {
		bl_emit_default(&e, node);
		EMIT(&e, RETURN, .a = result);
	}
	if (e.failed && compiler->findings.ending_count == errors)
		compiler->failed_memory = true;
	bl_emit_finish(&e, node->function, node->arity);
}

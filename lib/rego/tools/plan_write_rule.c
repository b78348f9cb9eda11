/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: one function for the rules of a node, or for all that is below it. */
#include "rego/tools/plan_writer.h"

/* The locals of a function behind its arguments. */
struct results {
	uint32_t result; /* what it gives */
	uint32_t chain;  /* what the rules of one else chain give */
};

static struct bl_value operand_of(struct plan_writer *w, uint32_t number)
{
	return plan_operand_value(w, plan_local_operand(number));
}

/* ---- getting ready ----------------------------------------------------------------- */

/* Resolves a rule, and gives its variables locals. */
static struct bl_resolved_rule *begin_rule(struct plan_writer *w,
					   struct bl_resolver *resolver,
					   const struct bl_rule *rule)
{
	struct bl_resolved_rule *resolved;

	*resolver = (struct bl_resolver){
		.compiler = w->compiler,
		.module = rule->module,
		.package = bl_package_node(w->compiler, rule->module),
	};
	w->resolver = resolver;
	w->rule = rule;
	w->block_not = bl_module_has_block_not(rule->module);
	resolver->block_not = w->block_not;
	plan_at(w, rule->module, rule->syntax->range.from);
	resolved = resolver->package ? bl_resolve_rule(resolver, rule) : NULL;
	w->slot_base = w->next_local;
	w->next_local += resolved ? (uint32_t)resolver->slot_count : 0;
	w->bound = bl_bound_new(w->arena, resolver->slot_count);
	if (!resolved || !w->bound.words)
		plan_writer_fail(w, bl_arena_why(w->arena),
				 "a rule cannot be resolved");
	else if (w->next_local >= PLAN_WRITER_LOCALS)
		plan_new_local(w); /* says that there are too many */
	return w->status ? NULL : resolved;
}

/* ---- one rule ------------------------------------------------------------------------ */

/* What has to be computed from variables of the body is matched behind it. */
static void match_args(struct plan_writer *w,
		       const struct bl_resolved_rule *rule, bool behind_body)
{
	for (size_t i = 0; i < rule->arg_count; i++) {
		const struct bl_rego_term *arg = rule->args[i];

		if ((arg->kind == BL_TERM_CALL) == behind_body)
			plan_match(
				w, arg,
				plan_local_operand(w->first_arg + (uint32_t)i));
	}
}

static struct plan_operand rule_value(struct plan_writer *w,
				      const struct bl_resolved_rule *rule)
{
	if (rule->value)
		return plan_value(w, rule->value);
	return (struct plan_operand){ PLAN_BOOLEAN, true };
}

static void assign_once(struct plan_writer *w, struct plan_operand value,
			uint32_t target)
{
	PLAN_ADD(w, "AssignVarOnceStmt",
		 { "source", plan_operand_value(w, value) },
		 { "target", PLAN_NUMBER(target) });
}

/* The statements of one rule; its solutions go into a local. */
static void put_rule(struct plan_writer *w, const struct bl_resolved_rule *rule,
		     uint32_t target)
{
	struct bl_bound bound = plan_enter(w);

	match_args(w, rule, false);
	if (rule->body)
		plan_body(w, rule->body);
	match_args(w, rule, true);
	plan_at(w, w->resolver->module, rule->syntax->range.from);
	assign_once(w, rule_value(w, rule), target);
	plan_leave(w, bound);
}

/* A rule with its else chain: each is tried when those before gave nothing. */
static void put_chain(struct plan_writer *w, struct bl_array_builder *blocks,
		      const struct bl_resolved_rule *rule,
		      const struct results *to)
{
	uint32_t target = rule->else_rule ? to->chain : to->result;
	bool is_chain = rule->else_rule != NULL;
	bool is_first = true;

	for (; rule && !w->status; rule = rule->else_rule) {
		plan_open(w);
		if (is_chain && is_first)
			PLAN_ADD(w, "ResetLocalStmt",
				 { "target", PLAN_NUMBER(target) });
		else if (is_chain)
			PLAN_ADD(w, "IsUndefinedStmt",
				 { "source", PLAN_NUMBER(target) });
		is_first = false;
		put_rule(w, rule, target);
		bl_array_builder_add(blocks, plan_close(w));
	}
	if (!is_chain)
		return;
	plan_open(w);
	PLAN_ADD(w, "IsDefinedStmt", { "source", PLAN_NUMBER(target) });
	assign_once(w, plan_local_operand(target), to->result);
	bl_array_builder_add(blocks, plan_close(w));
}

/* ---- partial rules -------------------------------------------------------------------- */

/* What object has under key, made when there is nothing. */
static uint32_t get_or_make(struct plan_writer *w, uint32_t object,
			    struct plan_operand key, const char *make)
{
	uint32_t member = plan_new_local(w);
	struct bl_value blocks[2];
	struct bl_value both;

	plan_open(w);
	PLAN_ADD(w, "DotStmt", { "source", operand_of(w, object) },
		 { "key", plan_operand_value(w, key) },
		 { "target", PLAN_NUMBER(member) });
	PLAN_ADD(w, "BreakStmt", { "index", PLAN_NUMBER(1) });
	blocks[0] = plan_close(w);
	plan_open(w);
	PLAN_ADD(w, make, { "target", PLAN_NUMBER(member) });
	PLAN_ADD(w, "ObjectInsertStmt", { "key", plan_operand_value(w, key) },
		 { "value", operand_of(w, member) },
		 { "object", PLAN_NUMBER(object) });
	blocks[1] = plan_close(w);
	plan_open(w);
	both = bl_array_make(w->arena, blocks, 2);
	PLAN_ADD(w, "BlockStmt", { "blocks", both });
	plan_add_block(w, plan_close(w));
	return member;
}

struct member {
	struct plan_operand value;
	bool is_set;
	uint32_t into; /* the document */
};

/* The keys from the node of a document down to one of its own rules. */
struct way {
	const struct bl_node *top;
	const struct bl_node *node;
};

static size_t length_of(struct way way)
{
	size_t length = 0;

	for (; way.node != way.top; way.node = way.node->parent)
		length++;
	return length;
}

/* Puts value into the document under the keys of the way, then under more. */
static void put_member(struct plan_writer *w, struct way way,
		       const struct plan_operand *more, size_t more_count,
		       struct member member)
{
	size_t count = length_of(way) + more_count;
	size_t last = member.is_set ? count : count - 1;
	struct plan_operand *keys =
		bl_arena_new_array(w->arena, struct plan_operand, count + 1);
	uint32_t into = member.into;
	size_t at = count - more_count;

	if (!keys || w->status)
		return;
	for (size_t i = 0; i < more_count; i++)
		keys[at + i] = more[i];
	for (; way.node != way.top; way.node = way.node->parent)
		keys[--at] = plan_constant_operand(w, way.node->key);
	for (size_t i = 0; i < last; i++)
		into = get_or_make(w, into, keys[i],
				   member.is_set && i + 1 == last
					   ? "MakeSetStmt"
					   : "MakeObjectStmt");
	if (member.is_set)
		PLAN_ADD(w, "SetAddStmt",
			 { "value", plan_operand_value(w, member.value) },
			 { "set", PLAN_NUMBER(into) });
	else
		PLAN_ADD(w, "ObjectInsertOnceStmt",
			 { "key", plan_operand_value(w, keys[last]) },
			 { "value", plan_operand_value(w, member.value) },
			 { "object", PLAN_NUMBER(into) });
}

static void put_solution(struct plan_writer *w, struct way way,
			 const struct bl_resolved_rule *rule,
			 struct member member)
{
	struct plan_operand *keys = bl_arena_new_array(
		w->arena, struct plan_operand, rule->key_count + 1);

	if (!keys)
		return;
	for (size_t i = 0; i < rule->key_count; i++)
		keys[i] = plan_value(w, rule->keys[i]);
	member.value = rule_value(w, rule);
	put_member(w, way, keys, rule->key_count, member);
}

/* Each solution of the rule becomes a member like this one. */
static void put_partial(struct plan_writer *w, struct bl_array_builder *blocks,
			struct way way, const struct bl_resolved_rule *rule,
			struct member member)
{
	plan_open(w);
	if (rule->body)
		plan_body(w, rule->body);
	plan_at(w, w->resolver->module, rule->syntax->range.from);
	put_solution(w, way, rule, member);
	bl_array_builder_add(blocks, plan_close(w));
}

/* A set where every rule adds to one, else an object. */
static void begin_partial(struct plan_writer *w,
			  struct bl_array_builder *blocks,
			  const struct bl_resolved_rule *first, bool is_set,
			  uint32_t result)
{
	plan_open(w);
	PLAN_ADD(w,
		 is_set && !first->key_count ? "MakeSetStmt" : "MakeObjectStmt",
		 { "target", PLAN_NUMBER(result) });
	bl_array_builder_add(blocks, plan_close(w));
}

/* ---- functions ------------------------------------------------------------------------- */

static void put_default(struct plan_writer *w, struct bl_array_builder *blocks,
			const struct bl_node *node, uint32_t result)
{
	struct bl_rule rule = { .syntax = node->default_rule,
				.module = node->default_module,
				.key_from = SIZE_MAX };
	struct bl_resolver resolver;
	struct bl_resolved_rule *resolved;

	if (!node->default_rule)
		return;
	resolved = begin_rule(w, &resolver, &rule);
	if (!resolved)
		return;
	plan_open(w);
	PLAN_ADD(w, "IsUndefinedStmt", { "source", PLAN_NUMBER(result) });
	put_rule(w, resolved, result);
	bl_array_builder_add(blocks, plan_close(w));
}

static void put_rules(struct plan_writer *w, struct bl_array_builder *blocks,
		      const struct bl_node *node, const struct results *to)
{
	bool is_partial = node->kind == BL_RULE_PARTIAL;
	bool begun = false;

	for (const struct bl_rule *rule = node->rules; rule && !w->status;
	     rule = rule->next) {
		struct bl_resolver resolver;
		struct bl_resolved_rule *resolved =
			begin_rule(w, &resolver, rule);

		if (!resolved)
			return;
		if (is_partial && !begun)
			begin_partial(w, blocks, resolved, rule->is_set,
				      to->result);
		begun = true;
		if (is_partial)
			put_partial(w, blocks, (struct way){ node, node },
				    resolved,
				    (struct member){ .is_set = rule->is_set,
						     .into = to->result });
		else
			put_chain(w, blocks, resolved, to);
	}
	put_default(w, blocks, node, to->result);
}

/* ---- all below a node --------------------------------------------------------------------- */

static void insert(struct plan_writer *w, struct bl_value key,
		   struct plan_operand value, uint32_t object)
{
	struct plan_operand name = plan_constant_operand(w, key);

	PLAN_ADD(w, "ObjectInsertStmt", { "key", plan_operand_value(w, name) },
		 { "value", plan_operand_value(w, value) },
		 { "object", PLAN_NUMBER(object) });
}

/* A rule that gives one value, as a member of the document. */
static void put_complete(struct plan_writer *w, struct bl_array_builder *blocks,
			 struct way way, uint32_t object)
{
	struct member member = { .into = object };

	plan_open(w);
	member.value = plan_document(w, way.node);
	put_member(w, way, NULL, 0, member);
	bl_array_builder_add(blocks, plan_close(w));
}

/* How many keys lead from the top to what the rule gives. */
static size_t keys_of(struct way way, const struct bl_rule *rule)
{
	const struct bl_rego_term *name = rule->syntax->name;
	size_t count = name->kind == BL_TERM_REF ? name->count : 1;

	return length_of(way) +
	       (rule->key_from < count ? count - rule->key_from : 0);
}

/* The most that any rule from a node down has. */
static size_t most_keys(struct way way)
{
	const struct bl_node *node = way.node;
	size_t most = length_of(way);

	for (const struct bl_rule *rule = node->rules; rule; rule = rule->next)
		if (keys_of(way, rule) > most)
			most = keys_of(way, rule);
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling) {
		size_t below = most_keys((struct way){ way.top, child });

		most = below > most ? below : most;
	}
	return most;
}

/* All rules from a node down with so many keys, as solutions of the top. */
static void put_below(struct plan_writer *w, struct bl_array_builder *blocks,
		      struct way way, size_t keys, uint32_t object)
{
	const struct bl_node *node = way.node;

	if (node->kind == BL_RULE_COMPLETE && length_of(way) == keys)
		put_complete(w, blocks, way, object);
	for (const struct bl_rule *rule = node->rules;
	     node->kind == BL_RULE_PARTIAL && rule && !w->status;
	     rule = rule->next) {
		struct bl_resolver resolver;
		struct bl_resolved_rule *resolved;

		if (keys_of(way, rule) != keys)
			continue;
		resolved = begin_rule(w, &resolver, rule);
		if (resolved)
			put_partial(w, blocks, way, resolved,
				    (struct member){ .is_set = rule->is_set,
						     .into = object });
	}
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		if (child->kind != BL_RULE_FUNCTION)
			put_below(w, blocks, (struct way){ way.top, child },
				  keys, object);
}

/* The longest ways first: a shorter one then meets what it conflicts with. */
static void put_all_below(struct plan_writer *w,
			  struct bl_array_builder *blocks,
			  const struct bl_node *node, uint32_t object)
{
	struct way way = { node, node };

	for (size_t keys = most_keys(way) + 1; keys > 0; keys--)
		put_below(w, blocks, way, keys - 1, object);
}

/* Base data counts where rules give nothing. */
static void put_with_base(struct plan_writer *w,
			  struct bl_array_builder *blocks,
			  const struct bl_node *node, uint32_t object,
			  uint32_t result)
{
	uint32_t base = plan_new_local(w);
	uint32_t merged = plan_new_local(w);
	struct plan_operand found;

	plan_open(w);
	found = plan_base(w, node);
	PLAN_ADD(w, "AssignVarStmt", { "source", plan_operand_value(w, found) },
		 { "target", PLAN_NUMBER(base) });
	PLAN_ADD(w, "ObjectMergeStmt", { "a", PLAN_NUMBER(base) },
		 { "b", PLAN_NUMBER(object) },
		 { "target", PLAN_NUMBER(merged) });
	PLAN_ADD(w, "AssignVarStmt", { "source", operand_of(w, merged) },
		 { "target", PLAN_NUMBER(result) });
	bl_array_builder_add(blocks, plan_close(w));
	plan_open(w);
	PLAN_ADD(w, "IsUndefinedStmt", { "source", PLAN_NUMBER(result) });
	PLAN_ADD(w, "AssignVarStmt", { "source", operand_of(w, object) },
		 { "target", PLAN_NUMBER(result) });
	bl_array_builder_add(blocks, plan_close(w));
}

static void put_extent(struct plan_writer *w, struct bl_array_builder *blocks,
		       const struct bl_node *node, uint32_t result)
{
	uint32_t object = plan_new_local(w);

	plan_open(w);
	PLAN_ADD(w, "MakeObjectStmt", { "target", PLAN_NUMBER(object) });
	bl_array_builder_add(blocks, plan_close(w));
	if (node->kind == BL_RULE_PARTIAL)
		put_all_below(w, blocks, node, object);
	for (const struct bl_node *child = node->first_child;
	     child && node->kind != BL_RULE_PARTIAL;
	     child = child->next_sibling) {
		if (child->kind == BL_RULE_FUNCTION ||
		    plan_replaced(w, NULL, child))
			continue;
		plan_open(w);
		insert(w, child->key, plan_document(w, child), object);
		bl_array_builder_add(blocks, plan_close(w));
	}
	put_with_base(w, blocks, node, object, result);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Replacements by computed values are arguments, before those of the rule. */
static void take_values(struct plan_writer *w)
{
	const struct plan_generation *set = w->generations[w->generation];

	w->next_local = PLAN_FIRST_LOCAL;
	w->handed_on_count = 0;
	for (size_t i = 0; i < set->count; i++)
		if (set->items[i].by_local)
			w->handed_on[w->handed_on_count++] =
				(struct plan_handed_on){ set->items[i],
							 w->next_local++ };
}

struct bl_value plan_make_function(struct plan_writer *w,
				   struct plan_wanted wanted)
{
	const struct bl_node *node = wanted.node;
	uint32_t arity = wanted.is_extent ? 0 : (uint32_t)node->arity;
	struct bl_array_builder blocks;
	struct bl_array_builder params;
	struct bl_object_builder out;
	struct results to;
	uint32_t last_param;
	struct bl_value name = bl_value_string(plan_function_name(w, wanted));

	w->generation = wanted.generation;
	take_values(w);
	w->first_arg = w->next_local;
	w->next_local += arity;
	last_param = w->next_local;
	to.result = plan_new_local(w);
	to.chain = plan_new_local(w);
	bl_array_builder_init(&params, w->arena);
	for (uint32_t i = 0; i < last_param; i++)
		bl_array_builder_add(&params, PLAN_NUMBER(i));
	bl_array_builder_init(&blocks, w->arena);
	if (wanted.is_extent)
		put_extent(w, &blocks, node, to.result);
	else
		put_rules(w, &blocks, node, &to);
	plan_open(w);
	PLAN_ADD(w, "ReturnLocalStmt", { "source", PLAN_NUMBER(to.result) });
	bl_array_builder_add(&blocks, plan_close(w));
	bl_object_builder_init(&out, w->arena);
	bl_object_builder_add(&out, BL_STR("name"), name);
	bl_object_builder_add(&out, BL_STR("params"),
			      bl_array_builder_end(&params));
	bl_object_builder_add(&out, BL_STR("return"), PLAN_NUMBER(to.result));
	bl_object_builder_add(&out, BL_STR("blocks"),
			      bl_array_builder_end(&blocks));
	/* No call of ours looks a function up by its path. */
	bl_object_builder_add(&out, BL_STR("path"),
			      bl_array_make(w->arena, &name, 1));
	return bl_object_builder_end(&out);
}

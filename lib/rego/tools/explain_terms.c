/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subject of a statement: the values that it names, and the rules whose
 * results it uses.  Values of references are looked up again; those that would
 * have to be computed again are left out.
 */
#include "rego/tools/explain.h"

/* A statement at hand. */
struct walk {
	const struct bl_rego_explainer *x;
	const struct explain_derivation *derivation;
	const struct explain_note *note;
	const struct bl_program_mark *mark;
	struct bl_arena *arena;
	struct explain_found *found;
	bool negated;    /* what is undefined is of interest, rules are not */
	bool in_closure; /* its variables had values for a moment */
	bool replaced;   /* "with": input and data are others within */
	bool failed;
};

/* ---- values ----------------------------------------------------------------- */

static bool known_value(const struct walk *w, const struct bl_rego_term *term,
			struct bl_value *out_value);

static bool is_root(const struct bl_rego_term *term, const char *name)
{
	return term->kind == BL_TERM_VAR && term->slot < 0 &&
	       bl_str_is(term->as.name, name);
}

static bool variable(const struct walk *w, const struct bl_rego_term *term,
		     struct bl_value *out_value)
{
	if (term->slot < 0 || w->in_closure)
		return false;
	for (uint32_t i = 0; i < w->note->count; i++) {
		if (!bl_str_equal(w->mark->names[i], term->as.name))
			continue;
		*out_value = w->note->values[i];
		return true;
	}
	return false;
}

/*
 * The rule that a reference leads to, and in *out_next the first part behind
 * its name; BL_NO_NODE when it leads to none.
 */
static uint32_t find_rule(const struct walk *w, const struct bl_rego_term *ref,
			  uint32_t *out_next)
{
	const struct bl_program *program = w->x->program;
	uint32_t node = 0;

	if (ref->kind != BL_TERM_REF || !is_root(ref->as.items[0], "data"))
		return BL_NO_NODE;
	for (uint32_t i = 1; i < ref->count; i++) {
		struct bl_value key;

		if (!known_value(w, ref->as.items[i], &key))
			return BL_NO_NODE;
		node = bl_program_child(program, node, key);
		if (node == BL_NO_NODE)
			return BL_NO_NODE;
		if (program->nodes[node].function == BL_NO_FUNCTION)
			continue;
		*out_next = i + 1;
		return node;
	}
	return BL_NO_NODE;
}

/* The values under the parts of a reference from one on. */
static bool index_from(const struct walk *w, const struct bl_rego_term *ref,
		       uint32_t from, struct bl_value *value)
{
	for (uint32_t i = from; i < ref->count; i++) {
		struct bl_value key;

		if (!known_value(w, ref->as.items[i], &key))
			return false;
		*value = bl_vm_index(*value, key);
	}
	return true;
}

static bool reference(const struct walk *w, const struct bl_rego_term *ref,
		      struct bl_value *out_value)
{
	const struct bl_rego_term *head = ref->as.items[0];
	const struct bl_vm_memo *memo = w->derivation->memo;
	const struct bl_program *program = w->x->program;
	const struct bl_value *known;
	uint32_t next = 1;
	uint32_t node;

	if (head->kind != BL_TERM_VAR || (head->slot < 0 && w->replaced))
		return false;
	if (is_root(head, "input")) {
		*out_value = w->derivation->input;
		return index_from(w, ref, 1, out_value);
	}
	if (!is_root(head, "data"))
		return variable(w, head, out_value) &&
		       index_from(w, ref, 1, out_value);
	node = find_rule(w, ref, &next);
	if (node == BL_NO_NODE) {
		*out_value = w->derivation->data;
		return index_from(w, ref, 1, out_value) &&
		       (w->negated || bl_value_is_defined(*out_value));
	}
	known = bl_vm_recall(memo, program->nodes[node].function);
	if (!known)
		return false;
	*out_value = *known;
	return index_from(w, ref, next, out_value);
}

static bool known_value(const struct walk *w, const struct bl_rego_term *term,
			struct bl_value *out_value)
{
	switch ((unsigned)term->kind) {
	case BL_TERM_SCALAR:
		*out_value = term->as.value;
		return true;
	case BL_TERM_VAR:
		if (!is_root(term, "input") || w->replaced)
			return variable(w, term, out_value);
		*out_value = w->derivation->input;
		return true;
	case BL_TERM_REF:
		return reference(w, term, out_value);
	default:
		return false;
	}
}

/* ---- facts -------------------------------------------------------------------- */

/* As it is written in the statement; empty when it is not of it. */
static struct bl_str text_of(const struct walk *w,
			     const struct bl_rego_term *term)
{
	struct bl_rego_range whole = w->mark->expr->range;
	struct bl_str text = w->mark->shown.text;

	if (term->range.from < whole.from ||
	    term->range.to < term->range.from ||
	    term->range.to - whole.from > text.len)
		return BL_STR("");
	return (struct bl_str){ text.ptr + (term->range.from - whole.from),
				term->range.to - term->range.from };
}

static void add_fact(struct walk *w, struct bl_str name, struct bl_value value)
{
	struct explain_found *found = w->found;

	if (!name.len || w->failed ||
	    (!bl_value_is_defined(value) && !w->negated))
		return;
	for (size_t i = 0; i < found->fact_count; i++)
		if (bl_str_equal(found->facts[i].name, name))
			return;
	found->facts = bl_arena_room(w->arena, found->facts, found->fact_count,
				     &found->fact_cap, sizeof(*found->facts));
	w->failed |= !found->facts;
	if (!w->failed)
		found->facts[found->fact_count++] =
			(struct explain_fact){ name, value };
}

/* ---- children ----------------------------------------------------------------- */

/* Which derivations of a rule a statement can mean. */
struct wanted {
	struct bl_str path;
	const struct bl_rego_term *ref; /* its keys, from next on; NULL: none */
	uint32_t next;
	struct bl_value element; /* undefined: any */
};

static bool has_path(const struct walk *w, size_t number, struct bl_str path)
{
	uint32_t mark = w->x->derivations[number].mark;

	return mark != EXPLAIN_NO_MARK &&
	       bl_str_equal(w->x->program->marks[mark].shown.path, path);
}

static bool is_wanted(const struct walk *w,
		      const struct explain_derivation *derivation,
		      const struct wanted *wanted)
{
	struct bl_value key;

	for (uint32_t i = 0; wanted->ref && i < derivation->key_count &&
			     wanted->next + i < wanted->ref->count;
	     i++)
		if (known_value(w, wanted->ref->as.items[wanted->next + i],
				&key) &&
		    !bl_value_equal(key, derivation->keys[i]))
			return false;
	if (!bl_value_is_defined(wanted->element) || !derivation->key_count)
		return true;
	return bl_value_equal(wanted->element,
			      derivation->keys[derivation->key_count - 1]) ||
	       bl_value_equal(wanted->element, derivation->value);
}

static void add_child(struct walk *w, size_t number)
{
	struct explain_found *found = w->found;

	for (size_t i = 0; i < found->child_count; i++)
		if (found->children[i] == number)
			return;
	found->children =
		bl_arena_room(w->arena, found->children, found->child_count,
			      &found->child_cap, sizeof(*found->children));
	w->failed |= !found->children;
	if (!w->failed)
		found->children[found->child_count++] = number;
}

/*
 * A rule without parameters: what its last evaluation within the statement
 * gave, else what an earlier one did.
 */
static void add_rule(struct walk *w, const struct wanted *wanted)
{
	const struct explain_derivation *all = w->x->derivations;
	const struct explain_note *note = w->note;
	size_t call = 0;

	for (size_t i = note->last_held; i > 0 && !call; i--) {
		bool within = i > note->begin;

		if (has_path(w, i - 1, wanted->path) &&
		    (within ||
		     (!w->replaced && all[i - 1].memo == w->derivation->memo)))
			call = all[i - 1].call;
	}
	for (size_t i = 0; call && i < note->last_held; i++)
		if (all[i].call == call && has_path(w, i, wanted->path) &&
		    is_wanted(w, &all[i], wanted))
			add_child(w, i);
}

/* How often the statement calls a function by itself. */
static size_t count_calls(const struct walk *w, const struct bl_rego_term *term,
			  const struct bl_rego_term *callee)
{
	size_t count = 0;

	if (term->kind != BL_TERM_REF && term->kind != BL_TERM_CALL &&
	    term->kind != BL_TERM_ARRAY && term->kind != BL_TERM_SET &&
	    term->kind != BL_TERM_OBJECT)
		return 0;
	for (uint32_t i = 0; i < term->count; i++)
		count += count_calls(w, term->as.items[i], callee);
	if (term->kind == BL_TERM_CALL) {
		uint32_t next;

		count += find_rule(w, term->as.items[0], &next) ==
			 find_rule(w, callee, &next);
	}
	return count;
}

/*
 * A function: the calls that were the last ones before the statement held, as
 * many as it has; those of a closure all count.
 */
static void add_function(struct walk *w, struct bl_str path,
			 const struct bl_rego_term *callee)
{
	const struct explain_derivation *all = w->x->derivations;
	const struct bl_rego_expr *expr = w->mark->expr;
	size_t end = w->in_closure ? w->note->first_held : w->note->last_held;
	size_t from = w->note->begin;
	size_t calls = 0;
	size_t last = 0;

	for (uint32_t i = 0; !w->in_closure && i < expr->term_count; i++)
		calls += count_calls(w, expr->terms[i], callee);
	for (size_t i = end; calls && i > w->note->begin; i--) {
		if (!has_path(w, i - 1, path) ||
		    all[i - 1].depth != w->derivation->depth + 1)
			continue;
		if (last && all[i - 1].call != last && !--calls)
			break;
		last = all[i - 1].call;
		from = i - 1;
	}
	for (size_t i = from; i < end; i++)
		if (has_path(w, i, path) &&
		    all[i].depth == w->derivation->depth + 1)
			add_child(w, i);
}

static void add_children(struct walk *w, const struct bl_rego_term *ref,
			 struct bl_value element, bool is_call)
{
	struct wanted wanted = { .ref = ref, .element = element };
	uint32_t node = find_rule(w, ref, &wanted.next);

	if (node == BL_NO_NODE || w->negated || w->failed)
		return;
	wanted.path = bl_program_path(w->x->program, w->arena, node);
	w->failed |= !wanted.path.ptr;
	if (is_call)
		add_function(w, wanted.path, ref);
	else
		add_rule(w, &wanted);
}

/* ---- terms ---------------------------------------------------------------------- */

static void walk_term(struct walk *w, const struct bl_rego_term *term);
static void walk_expr(struct walk *w, const struct bl_rego_expr *expr);

static void walk_items(struct walk *w, const struct bl_rego_term *term,
		       uint32_t from)
{
	for (uint32_t i = from; i < term->count; i++)
		walk_term(w, term->as.items[i]);
}

static void walk_body(struct walk *w, const struct bl_rego_body *body)
{
	bool before = w->in_closure;

	w->in_closure = true;
	for (size_t i = 0; body && i < body->count; i++)
		walk_expr(w, body->exprs[i]);
	w->in_closure = before;
}

static void walk_ref(struct walk *w, const struct bl_rego_term *ref,
		     struct bl_value element, bool is_shown)
{
	struct bl_value value;

	if (is_shown && reference(w, ref, &value))
		add_fact(w, text_of(w, ref), value);
	add_children(w, ref, element, false);
	if (ref->as.items[0]->kind != BL_TERM_VAR)
		walk_term(w, ref->as.items[0]);
	walk_items(w, ref, 1);
}

/* A collection of which one member is meant, as far as that is known. */
static void walk_domain(struct walk *w, const struct bl_rego_term *domain,
			const struct bl_rego_term *member)
{
	struct bl_value element = bl_value_undefined();

	if (domain->kind != BL_TERM_REF) {
		walk_term(w, domain);
		return;
	}
	if (!known_value(w, member, &element))
		element = bl_value_undefined();
	walk_ref(w, domain, element, true);
}

static bool is_operator(const struct bl_rego_term *call, const char *name)
{
	return call->infix && call->count >= 3 &&
	       bl_str_is(call->as.items[0]->as.name, name);
}

/* A variable that nobody has written. */
static bool is_hidden(const struct bl_rego_term *variable)
{
	return bl_str_has_prefix(variable->as.name, BL_STR("$"));
}

static void walk_call(struct walk *w, const struct bl_rego_term *call)
{
	struct bl_rego_term *const *items = call->as.items;
	bool binds = is_operator(call, "assign") || is_operator(call, "eq");
	bool is_member = is_operator(call, "internal.member_2") ||
			 is_operator(call, "internal.member_3");

	if (!call->infix)
		add_children(w, items[0], bl_value_undefined(), true);
	if (is_member) {
		for (uint32_t i = 1; i < call->count - 1; i++)
			walk_term(w, items[i]);
		walk_domain(w, items[call->count - 1], items[call->count - 2]);
	} else if (binds && items[1]->kind == BL_TERM_VAR &&
		   items[1]->slot >= 0 && items[2]->kind == BL_TERM_REF) {
		/* The variable shows the value already; "$N" of a query not. */
		walk_term(w, items[1]);
		walk_ref(w, items[2], bl_value_undefined(),
			 is_hidden(items[1]));
	} else {
		walk_items(w, call, 1);
	}
}

static void walk_term(struct walk *w, const struct bl_rego_term *term)
{
	struct bl_value value;
	bool before = w->in_closure;

	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		break;
	case BL_TERM_VAR:
		if (!is_hidden(term) && known_value(w, term, &value))
			add_fact(w, term->as.name, value);
		break;
	case BL_TERM_REF:
		walk_ref(w, term, bl_value_undefined(), true);
		break;
	case BL_TERM_CALL:
		walk_call(w, term);
		break;
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		walk_items(w, term, 0);
		break;
	case BL_TERM_TEMPLATE:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		walk_body(w, term->body);
		w->in_closure = true;
		walk_items(w, term, 0);
		w->in_closure = before;
		break;
	}
}

static void walk_expr(struct walk *w, const struct bl_rego_expr *expr)
{
	bool negated = w->negated;
	bool replaced = w->replaced;

	for (uint32_t i = 0; i < expr->with_count; i++)
		walk_term(w, expr->withs[i].value);
	w->negated |= expr->negated || expr->kind == BL_EXPR_NOT_BODY;
	w->replaced |= expr->with_count > 0;
	for (uint32_t i = 0; i < expr->term_count; i++) {
		if (expr->kind == BL_EXPR_SOME_IN && i == expr->term_count - 1)
			walk_domain(w, expr->terms[i], expr->terms[i - 1]);
		else
			walk_term(w, expr->terms[i]);
	}
	for (uint32_t i = 0; i < expr->body_count; i++)
		walk_body(w, expr->bodies[i]);
	w->negated = negated;
	w->replaced = replaced;
}

bool explain_statement(const struct bl_rego_explainer *explainer,
		       const struct explain_derivation *derivation,
		       const struct explain_note *note, struct bl_arena *arena,
		       struct explain_found *out_found)
{
	struct walk w = {
		.x = explainer,
		.derivation = derivation,
		.note = note,
		.mark = &explainer->program->marks[note->mark],
		.arena = arena,
		.found = out_found,
	};

	*out_found = (struct explain_found){ 0 };
	walk_expr(&w, w.mark->expr);
	return !w.failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: strings, statements, blocks; functions and generations by name. */
#include "rego/tools/plan_writer.h"

#include <stdarg.h>
#include <stdio.h>

bool plan_writer_fail(struct plan_writer *w, enum bl_status status,
		      const char *fmt, ...)
{
	va_list args;
	char text[512];

	if (w->status)
		return false;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	w->status = bl_fail(w->err, status, "plan: %s", text);
	return false;
}

/* ---- strings ------------------------------------------------------------------ */

/* An open table of numbers + 1 by hash. */
static bool grow_table(struct plan_writer *w)
{
	size_t size = w->table_size ? w->table_size * 2 : 256;
	uint32_t *table = bl_arena_new_array(w->arena, uint32_t, size);

	if (!table)
		return plan_writer_fail(w, bl_arena_why(w->arena),
					"there is no memory for it");
	for (size_t i = 0; i < w->strings.count; i++) {
		struct bl_value text =
			bl_object_find(w->strings.items[i], BL_STR("value"));
		size_t at = bl_value_hash(text) & (size - 1);

		while (table[at])
			at = (at + 1) & (size - 1);
		table[at] = (uint32_t)i + 1;
	}
	w->table = table;
	w->table_size = size;
	return true;
}

uint32_t plan_string(struct plan_writer *w, struct bl_str text)
{
	struct bl_value value = bl_value_string(text);
	struct bl_object_builder row;
	size_t at;

	if (w->strings.count * 2 >= w->table_size && !grow_table(w))
		return 0;
	at = bl_value_hash(value) & (w->table_size - 1);
	for (; w->table[at]; at = (at + 1) & (w->table_size - 1)) {
		struct bl_value known = w->strings.items[w->table[at] - 1];

		if (bl_value_equal(bl_object_find(known, BL_STR("value")),
				   value))
			return w->table[at] - 1;
	}
	bl_object_builder_init(&row, w->arena);
	bl_object_builder_add(&row, BL_STR("value"), value);
	bl_array_builder_add(&w->strings, bl_object_builder_end(&row));
	w->table[at] = (uint32_t)w->strings.count;
	return w->table[at] - 1;
}

/* ---- operands ------------------------------------------------------------------ */

struct bl_value plan_operand_value(struct plan_writer *w,
				   struct plan_operand operand)
{
	static const char *const types[] = {
		[PLAN_LOCAL] = "local",
		[PLAN_STRING] = "string_index",
		[PLAN_BOOLEAN] = "bool",
	};
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	bl_object_builder_add(&out, BL_STR("type"),
			      bl_value_string(bl_str(types[operand.kind])));
	bl_object_builder_add(&out, BL_STR("value"),
			      operand.kind == PLAN_BOOLEAN
				      ? bl_value_boolean(operand.number)
				      : PLAN_NUMBER(operand.number));
	return bl_object_builder_end(&out);
}

struct plan_operand plan_string_operand(struct plan_writer *w,
					struct bl_str text)
{
	return (struct plan_operand){ PLAN_STRING, plan_string(w, text) };
}

uint32_t plan_new_local(struct plan_writer *w)
{
	if (w->next_local >= PLAN_WRITER_LOCALS) {
		plan_writer_fail(w, BL_LIMIT,
				 "a function needs more than %d locals",
				 PLAN_WRITER_LOCALS);
		return 0;
	}
	return w->next_local++;
}

uint32_t plan_as_local(struct plan_writer *w, struct plan_operand operand)
{
	uint32_t local;

	if (operand.kind == PLAN_LOCAL)
		return operand.number;
	local = plan_new_local(w);
	PLAN_ADD(w, "AssignVarStmt",
		 { "source", plan_operand_value(w, operand) },
		 { "target", PLAN_NUMBER(local) });
	return local;
}

/* ---- statements ----------------------------------------------------------------- */

static bool find_lines(struct plan_writer *w,
		       const struct bl_rego_module *module,
		       struct plan_lines *lines)
{
	struct bl_str text = module->text;
	size_t count = 1;

	if (lines->starts)
		return true;
	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == '\n';
	lines->starts = bl_arena_new_array(w->arena, uint32_t, count);
	if (!lines->starts)
		return plan_writer_fail(w, bl_arena_why(w->arena),
					"there is no memory for it");
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\n')
			lines->starts[++lines->count] = (uint32_t)i + 1;
	lines->count++;
	return true;
}

void plan_at(struct plan_writer *w, const struct bl_rego_module *module,
	     uint32_t offset)
{
	const struct plan_lines *lines;
	size_t low = 0;
	size_t high;

	w->file = 0;
	while (w->compiler->modules[w->file] != module)
		w->file++;
	if (!find_lines(w, module, &w->lines[w->file]))
		return;
	lines = &w->lines[w->file];
	for (high = lines->count; high - low > 1;) {
		size_t middle = low + (high - low) / 2;

		if (lines->starts[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	w->row = (int64_t)low + 1;
	w->column = (int64_t)(offset - lines->starts[low]) + 1;
}

void plan_add(struct plan_writer *w, const char *type,
	      const struct plan_field *fields, size_t count)
{
	struct bl_object_builder body;
	struct bl_object_builder stmt;

	if (w->status || !w->depth)
		return;
	bl_object_builder_init(&body, w->arena);
	for (size_t i = 0; i < count; i++)
		bl_object_builder_add(&body, bl_str(fields[i].name),
				      fields[i].value);
	bl_object_builder_add(&body, BL_STR("file"), PLAN_NUMBER(w->file));
	bl_object_builder_add(&body, BL_STR("col"), PLAN_NUMBER(w->column));
	bl_object_builder_add(&body, BL_STR("row"), PLAN_NUMBER(w->row));
	bl_object_builder_init(&stmt, w->arena);
	bl_object_builder_add(&stmt, BL_STR("type"),
			      bl_value_string(bl_str(type)));
	bl_object_builder_add(&stmt, BL_STR("stmt"),
			      bl_object_builder_end(&body));
	bl_array_builder_add(&w->frames[w->depth - 1].stmts,
			     bl_object_builder_end(&stmt));
}

/* The last frame is there to be used when there are too many. */
static struct plan_frame *push(struct plan_writer *w)
{
	struct plan_frame *frame = &w->frames[w->depth];

	if (w->depth + 1 == PLAN_WRITER_DEPTH)
		plan_writer_fail(w, BL_LIMIT,
				 "blocks are nested more than %d deep",
				 PLAN_WRITER_DEPTH);
	else
		w->depth++;
	*frame = (struct plan_frame){ 0 };
	bl_array_builder_init(&frame->stmts, w->arena);
	return frame;
}

void plan_open(struct plan_writer *w)
{
	push(w);
}

/* The innermost block. */
static struct bl_value pop(struct plan_writer *w)
{
	struct bl_object_builder block;

	bl_object_builder_init(&block, w->arena);
	if (w->depth)
		bl_object_builder_add(
			&block, BL_STR("stmts"),
			bl_array_builder_end(&w->frames[--w->depth].stmts));
	return bl_object_builder_end(&block);
}

struct bl_value plan_close(struct plan_writer *w)
{
	while (w->depth && w->frames[w->depth - 1].is_scan) {
		struct plan_frame scan = w->frames[w->depth - 1];
		struct bl_value block = pop(w);

		PLAN_ADD(w, "ScanStmt", { "source", PLAN_NUMBER(scan.source) },
			 { "key", PLAN_NUMBER(scan.key) },
			 { "value", PLAN_NUMBER(scan.value) },
			 { "block", block });
	}
	return pop(w);
}

void plan_add_block(struct plan_writer *w, struct bl_value block)
{
	PLAN_ADD(w, "BlockStmt",
		 { "blocks", bl_array_make(w->arena, &block, 1) });
}

void plan_open_scan(struct plan_writer *w, struct plan_operand source,
		    uint32_t *out_key, uint32_t *out_value)
{
	uint32_t local = plan_as_local(w, source);
	struct plan_frame *frame = push(w);

	frame->is_scan = true;
	frame->source = local;
	*out_key = frame->key = plan_new_local(w);
	*out_value = frame->value = plan_new_local(w);
}

/* ---- functions ------------------------------------------------------------------- */

/* Room for one more of size bytes. */
static bool make_room(struct plan_writer *w, void **items, size_t count,
		      size_t *cap, size_t size)
{
	size_t bigger_cap = *cap ? *cap * 2 : 64;
	void *bigger;

	if (count < *cap)
		return true;
	bigger = bl_arena_alloc(w->arena, bigger_cap * size);
	if (!bigger)
		return plan_writer_fail(w, bl_arena_why(w->arena),
					"there is no memory for it");
	if (count)
		memcpy(bigger, *items, count * size);
	*items = bigger;
	*cap = bigger_cap;
	return true;
}

static bool same_wanted(struct plan_wanted a, struct plan_wanted b)
{
	return a.node == b.node && a.generation == b.generation &&
	       a.is_extent == b.is_extent;
}

static size_t hash_of(struct plan_wanted wanted)
{
	uint64_t h = (uintptr_t)wanted.node ^
		     ((uint64_t)wanted.generation << 1 | wanted.is_extent);

	h *= UINT64_C(0x9E3779B97F4A7C15);
	return (size_t)(h ^ h >> 29);
}

/* Twice as much room, with what is in it. */
static bool grow_wanted_table(struct plan_writer *w)
{
	size_t size = w->wanted_table_size ? w->wanted_table_size * 2 : 256;
	uint32_t *table = bl_arena_new_array(w->arena, uint32_t, size);

	if (!table)
		return plan_writer_fail(w, bl_arena_why(w->arena),
					"there is no memory for it");
	for (size_t i = 0; i < w->wanted_count; i++) {
		size_t at = hash_of(w->wanted[i]) & (size - 1);

		while (table[at])
			at = (at + 1) & (size - 1);
		table[at] = (uint32_t)i + 1;
	}
	w->wanted_table = table;
	w->wanted_table_size = size;
	return true;
}

uint32_t plan_want(struct plan_writer *w, struct plan_wanted wanted)
{
	size_t at;

	if (w->wanted_count * 2 >= w->wanted_table_size &&
	    !grow_wanted_table(w))
		return 0;
	at = hash_of(wanted) & (w->wanted_table_size - 1);
	for (; w->wanted_table[at]; at = (at + 1) & (w->wanted_table_size - 1))
		if (same_wanted(w->wanted[w->wanted_table[at] - 1], wanted))
			return w->wanted_table[at] - 1;
	if (w->wanted_count == PLAN_WRITER_FUNCTIONS)
		plan_writer_fail(w, BL_LIMIT, "more than %d functions",
				 PLAN_WRITER_FUNCTIONS);
	if (w->status || !make_room(w, (void **)&w->wanted, w->wanted_count,
				    &w->wanted_cap, sizeof(*w->wanted)))
		return 0;
	w->wanted[w->wanted_count++] = wanted;
	w->wanted_table[at] = (uint32_t)w->wanted_count;
	return (uint32_t)w->wanted_count - 1;
}

struct bl_str plan_function_name(struct plan_writer *w,
				 struct plan_wanted wanted)
{
	struct bl_str path = bl_node_path(w->compiler, wanted.node);

	return bl_arena_printf(w->arena, "%s%u.%.*s",
			       wanted.is_extent ? "all" : "g",
			       wanted.generation, BL_STR_ARG(path));
}

struct bl_str plan_called_name(struct plan_writer *w, struct plan_wanted wanted)
{
	uint32_t number = plan_want(w, wanted);

	if (make_room(w, (void **)&w->edges, w->edge_count, &w->edge_cap,
		      sizeof(*w->edges)))
		w->edges[w->edge_count++] =
			(struct plan_edge){ w->making, number };
	return plan_function_name(w, wanted);
}

/* ---- generations ------------------------------------------------------------------ */

static bool same_target(const struct plan_replacement *a,
			const struct plan_replacement *b)
{
	return a->builtin == b->builtin && a->node == b->node;
}

static bool same_set(const struct plan_generation *a,
		     const struct plan_generation *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		size_t j = 0;

		while (j < b->count &&
		       !(same_target(&a->items[i], &b->items[j]) &&
			 a->items[i].by_builtin == b->items[j].by_builtin &&
			 a->items[i].by_node == b->items[j].by_node &&
			 a->items[i].by_local == b->items[j].by_local &&
			 bl_value_equal(a->items[i].by_value,
					b->items[j].by_value)))
			j++;
		if (j == b->count)
			return false;
	}
	return true;
}

/* The number of a set, which is added when it is new. */
static uint32_t number_of(struct plan_writer *w,
			  const struct plan_generation *set)
{
	struct plan_generation *copy;

	for (size_t i = 0; i < w->generation_count; i++)
		if (same_set(w->generations[i], set))
			return (uint32_t)i;
	copy = bl_arena_new(w->arena, struct plan_generation);
	if (!copy || w->generation_count == PLAN_WRITER_GENERATIONS) {
		plan_writer_fail(w, copy ? BL_LIMIT : bl_arena_why(w->arena),
				 "more than %d sets of replacements by 'with'",
				 PLAN_WRITER_GENERATIONS);
		return 0;
	}
	*copy = *set;
	w->generations[w->generation_count] = copy;
	return (uint32_t)w->generation_count++;
}

/* Is it data that is replaced, not a function? */
static bool is_of_data(const struct plan_replacement *one)
{
	return one->node && one->node->kind != BL_RULE_FUNCTION;
}

uint32_t plan_generation_of_replacements(struct plan_writer *w,
					 uint32_t generation)
{
	struct plan_generation set = *w->generations[generation];
	size_t kept = 0;

	for (size_t i = 0; i < set.count; i++)
		if (is_of_data(&set.items[i]))
			set.items[kept++] = set.items[i];
	set.count = kept;
	return number_of(w, &set);
}

uint32_t plan_generation_with(struct plan_writer *w, uint32_t generation,
			      const struct plan_replacement *more)
{
	struct plan_generation set = *w->generations[generation];
	size_t kept = 0;

	for (size_t i = 0; i < set.count; i++)
		if (!same_target(&set.items[i], more))
			set.items[kept++] = set.items[i];
	set.count = kept;
	if (set.count == PLAN_WRITER_REPLACEMENTS) {
		plan_writer_fail(w, BL_LIMIT, "more than %d replacements",
				 PLAN_WRITER_REPLACEMENTS);
		return 0;
	}
	set.items[set.count++] = *more;
	return number_of(w, &set);
}

uint32_t plan_handed_local(const struct plan_writer *w,
			   const struct plan_replacement *by)
{
	for (size_t i = w->handed_on_count; i > 0; i--)
		if (same_target(&w->handed_on[i - 1].by, by))
			return w->handed_on[i - 1].local;
	return PLAN_INPUT; /* cannot be: the generation says that it is */
}

const struct plan_replacement *plan_replaced(const struct plan_writer *w,
					     const struct bl_builtin *builtin,
					     const struct bl_node *node)
{
	const struct plan_generation *set = w->generations[w->generation];

	for (size_t i = 0; i < set->count; i++)
		if (set->items[i].builtin == builtin &&
		    set->items[i].node == node)
			return &set->items[i];
	return NULL;
}

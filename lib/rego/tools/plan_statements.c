/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of plans, one row each (docs/contracts/rego.md "Plans"). */
#include "rego/tools/plan.h"

#define FIELD(statement, name) bl_object_find(statement, BL_STR(name))

bool plan_local(struct plan_loader *loader, struct bl_value number,
		struct plan_local **out_local)
{
	uint32_t index;
	struct plan_local *local;

	if (!plan_index(loader, number, "a local", PLAN_MAX_LOCALS, &index))
		return false;
	local = &loader->locals[index];
	if (local->function != loader->function + 1) {
		*local = (struct plan_local){
			.function = loader->function + 1,
			.reg = (uint16_t)loader->local_count++,
		};
	}
	*out_local = local;
	return true;
}

static bool target(struct plan_loader *loader, struct bl_value number,
		   uint16_t *out_reg)
{
	struct plan_local *local;

	if (!plan_local(loader, number, &local))
		return false;
	*out_reg = local->reg;
	return true;
}

static uint16_t settled(struct plan_loader *loader,
			const struct plan_local *local)
{
	uint16_t reg = local->reg;

	if (local->may_grow) {
		reg = plan_temporaries(loader, 1);
		plan_emit(loader, BL_OP_FREEZE,
			  (struct bl_insn){ .a = reg, .b = local->reg });
	}
	return reg;
}

/*
 * An operand: *out_local of a local; a constant's is NULL, and its number in
 * *out_constant.
 */
static bool operand(struct plan_loader *loader, struct bl_value value,
		    struct plan_local **out_local, uint32_t *out_constant)
{
	struct bl_str type = bl_value_text(FIELD(value, "type"));
	struct bl_value number = FIELD(value, "value");

	*out_local = NULL;
	if (bl_str_is(type, "local"))
		return plan_local(loader, number, out_local);
	if (bl_str_is(type, "string_index"))
		return plan_index(loader, number, "a string",
				  loader->string_count, out_constant);
	if (!bl_str_is(type, "bool") || !bl_value_is(number, BL_KIND_BOOLEAN))
		return plan_fail(
			loader, BL_INVALID,
			"an operand is not a local, string or boolean");
	*out_constant = plan_constant(loader, number);
	return true;
}

/* The register of an operand's value. */
static bool value_of(struct plan_loader *loader, struct bl_value value,
		     uint16_t *out_reg)
{
	struct plan_local *local;
	uint32_t constant = 0;

	if (!operand(loader, value, &local, &constant))
		return false;
	if (local) {
		*out_reg = settled(loader, local);
		return true;
	}
	*out_reg = plan_temporaries(loader, 1);
	plan_emit(loader, BL_OP_LOAD_CONSTANT,
		  (struct bl_insn){ .a = *out_reg, .n = constant });
	return true;
}

/* As above; the statement fails when it is undefined. */
static bool defined(struct plan_loader *loader, struct bl_value value,
		    uint16_t *out_reg)
{
	if (!value_of(loader, value, out_reg))
		return false;
	if (bl_str_is(bl_value_text(FIELD(value, "type")), "local"))
		plan_emit(loader, BL_OP_JUMP_UNLESS_DEFINED,
			  (struct bl_insn){ .b = *out_reg,
					    .j = plan_end(loader) });
	return true;
}

/* Puts the value of an operand into a register. */
static bool put(struct plan_loader *loader, struct bl_value value, uint16_t reg)
{
	struct plan_local *local;
	uint32_t constant = 0;

	if (!operand(loader, value, &local, &constant))
		return false;
	if (local)
		plan_emit(loader, local->may_grow ? BL_OP_FREEZE : BL_OP_MOVE,
			  (struct bl_insn){ .a = reg, .b = local->reg });
	else
		plan_emit(loader, BL_OP_LOAD_CONSTANT,
			  (struct bl_insn){ .a = reg, .n = constant });
	return true;
}

/* An operand as it is, perhaps growing. */
static bool growing(struct plan_loader *loader, struct bl_value value,
		    uint16_t *out_reg, bool *out_may_grow)
{
	struct plan_local *local;
	uint32_t constant = 0;

	*out_may_grow = false;
	if (!bl_str_is(bl_value_text(FIELD(value, "type")), "local"))
		return value_of(loader, value, out_reg);
	if (!operand(loader, value, &local, &constant))
		return false;
	*out_reg = local->reg;
	*out_may_grow = local->may_grow;
	return true;
}

/* ---- values ------------------------------------------------------------------- */

static bool put_constant(struct plan_loader *loader, struct bl_value statement,
			 struct bl_value value)
{
	uint16_t reg;

	if (!target(loader, FIELD(statement, "target"), &reg))
		return false;
	plan_emit(loader, BL_OP_LOAD_CONSTANT,
		  (struct bl_insn){ .a = reg,
				    .n = plan_constant(loader, value) });
	return true;
}

static bool make_null(struct plan_loader *loader, struct bl_value statement,
		      uint32_t n)
{
	(void)n;
	return put_constant(loader, statement, bl_value_null());
}

static bool make_integer(struct plan_loader *loader, struct bl_value statement,
			 uint32_t n)
{
	struct bl_value value = FIELD(statement, "value");

	(void)n;
	if (!bl_value_is(value, BL_KIND_NUMBER))
		return plan_fail(loader, BL_INVALID,
				 "a number constant is not a number");
	return put_constant(loader, statement, value);
}

static bool make_number(struct plan_loader *loader, struct bl_value statement,
			uint32_t n)
{
	struct bl_value index = FIELD(statement, "Index");
	struct bl_value number;
	uint32_t string;

	(void)n;
	if (!bl_value_is_defined(index))
		index = FIELD(statement, "index");
	if (!plan_index(loader, index, "a number's text", loader->string_count,
			&string))
		return false;
	if (bl_number_from_text(
		    bl_value_text(loader->program->constants[string]), &number))
		return plan_fail(loader, BL_INVALID,
				 "a number constant is not a number");
	return put_constant(loader, statement, number);
}

static bool make_collection(struct plan_loader *loader,
			    struct bl_value statement, uint32_t kind)
{
	struct plan_local *local;

	if (!plan_local(loader, FIELD(statement, "target"), &local))
		return false;
	local->may_grow = true;
	plan_emit(loader, BL_OP_MAKE_PARTIAL,
		  (struct bl_insn){ .a = local->reg, .n = kind });
	return true;
}

static bool assign(struct plan_loader *loader, struct bl_value statement,
		   uint32_t n)
{
	struct bl_value source = FIELD(statement, "source");
	struct plan_local *to;
	bool may_grow;
	uint16_t from;

	(void)n;
	if (!growing(loader, source, &from, &may_grow) ||
	    !plan_local(loader, FIELD(statement, "target"), &to))
		return false;
	to->may_grow |= may_grow;
	plan_emit(loader, BL_OP_MOVE,
		  (struct bl_insn){ .a = to->reg, .b = from });
	return true;
}

static bool assign_once(struct plan_loader *loader, struct bl_value statement,
			uint32_t n)
{
	struct plan_local *to;
	uint16_t from;

	(void)n;
	if (!defined(loader, FIELD(statement, "source"), &from) ||
	    !plan_local(loader, FIELD(statement, "target"), &to))
		return false;
	if (to->may_grow)
		plan_emit(loader, BL_OP_FREEZE,
			  (struct bl_insn){ .a = to->reg, .b = to->reg });
	plan_emit(loader, BL_OP_MOVE_ONCE,
		  (struct bl_insn){
			  .a = to->reg, .b = from, .n = loader->arity > 2 });
	return true;
}

static bool reset(struct plan_loader *loader, struct bl_value statement,
		  uint32_t n)
{
	uint16_t reg;

	(void)n;
	if (!target(loader, FIELD(statement, "target"), &reg))
		return false;
	plan_emit(loader, BL_OP_UNDEFINE, (struct bl_insn){ .a = reg });
	return true;
}

static bool append(struct plan_loader *loader, struct bl_value statement,
		   uint32_t is_set)
{
	uint16_t value;
	uint16_t into;

	if (!defined(loader, FIELD(statement, "value"), &value) ||
	    !target(loader,
		    is_set ? FIELD(statement, "set")
			   : FIELD(statement, "array"),
		    &into))
		return false;
	plan_emit(loader, BL_OP_APPEND_PARTIAL,
		  (struct bl_insn){ .a = into, .b = value });
	return true;
}

static bool insert(struct plan_loader *loader, struct bl_value statement,
		   uint32_t once)
{
	struct bl_value value = FIELD(statement, "value");
	bool may_grow = false;
	uint16_t key;
	uint16_t member;
	uint16_t object;

	if (!defined(loader, FIELD(statement, "key"), &key) ||
	    !(once ? defined(loader, value, &member)
		   : growing(loader, value, &member, &may_grow)) ||
	    !target(loader, FIELD(statement, "object"), &object))
		return false;
	if (!once)
		plan_emit(
			loader, BL_OP_JUMP_UNLESS_PRESENT,
			(struct bl_insn){ .b = member, .j = plan_end(loader) });
	plan_emit(loader,
		  once ? BL_OP_INSERT_PARTIAL_ONCE : BL_OP_INSERT_PARTIAL,
		  (struct bl_insn){ .a = object, .b = key, .c = member });
	return true;
}

static bool merge(struct plan_loader *loader, struct bl_value statement,
		  uint32_t n)
{
	struct bl_value a = FIELD(statement, "a");
	struct bl_value b = FIELD(statement, "b");
	struct plan_local *locals[2];
	uint16_t to;

	(void)n;
	if (!plan_local(loader, a, &locals[0]) ||
	    !plan_local(loader, b, &locals[1]) ||
	    !target(loader, FIELD(statement, "target"), &to))
		return false;
	plan_emit(loader, BL_OP_MERGE_OBJECTS,
		  (struct bl_insn){ .a = to,
				    .b = settled(loader, locals[0]),
				    .c = settled(loader, locals[1]),
				    .j = plan_end(loader) });
	return true;
}

/* ---- questions ------------------------------------------------------------------ */

/*
 * Is it data itself, or a part of it as a reference goes through it?  A value
 * assigned in between is a value like others, as it is for OPA.
 */
static bool is_base(struct plan_loader *loader, struct bl_value source)
{
	struct plan_local *local;
	uint32_t constant;

	return operand(loader, source, &local, &constant) && local &&
	       local->is_base;
}

static bool dot(struct plan_loader *loader, struct bl_value statement,
		uint32_t n)
{
	struct bl_value source = FIELD(statement, "source");
	struct plan_local *to;
	bool may_grow;
	uint16_t from;
	uint16_t key;

	(void)n;
	if (!growing(loader, source, &from, &may_grow) ||
	    !defined(loader, FIELD(statement, "key"), &key) ||
	    !plan_local(loader, FIELD(statement, "target"), &to))
		return false;
	to->may_grow |= may_grow;
	to->is_base = !may_grow && is_base(loader, source);
	plan_emit(loader,
		  may_grow      ? BL_OP_INDEX_PARTIAL
		  : to->is_base ? BL_OP_INDEX_BASE
				: BL_OP_INDEX,
		  (struct bl_insn){ .a = to->reg,
				    .b = from,
				    .c = key,
				    .j = plan_end(loader) });
	return true;
}

static bool compare(struct plan_loader *loader, struct bl_value statement,
		    uint32_t op)
{
	uint16_t a;
	uint16_t b;

	if (!defined(loader, FIELD(statement, "a"), &a) ||
	    !defined(loader, FIELD(statement, "b"), &b))
		return false;
	plan_emit(loader, (enum bl_opcode)op,
		  (struct bl_insn){ .b = a, .c = b, .j = plan_end(loader) });
	return true;
}

/* The field is an operand, or (older) the number of a local. */
static bool source_local(struct plan_loader *loader, struct bl_value source,
			 struct plan_local **out_local)
{
	return plan_local(loader,
			  bl_value_is(source, BL_KIND_OBJECT)
				  ? FIELD(source, "value")
				  : source,
			  out_local);
}

static bool is_defined(struct plan_loader *loader, struct bl_value statement,
		       uint32_t wanted)
{
	struct plan_local *local;
	uint32_t next = plan_new_label(loader);

	if (!source_local(loader, FIELD(statement, "source"), &local))
		return false;
	plan_emit(loader, BL_OP_JUMP_UNLESS_PRESENT,
		  (struct bl_insn){ .b = local->reg,
				    .j = wanted ? plan_end(loader) : next });
	if (!wanted)
		plan_emit(loader, BL_OP_JUMP,
			  (struct bl_insn){ .j = plan_end(loader) });
	plan_place_label(loader, next);
	return true;
}

static bool is_kind(struct plan_loader *loader, struct bl_value statement,
		    uint32_t kind)
{
	uint16_t value;

	if (!value_of(loader, FIELD(statement, "source"), &value))
		return false;
	plan_emit(loader, BL_OP_JUMP_UNLESS_KIND,
		  (struct bl_insn){
			  .b = value, .n = kind, .j = plan_end(loader) });
	return true;
}

static bool length(struct plan_loader *loader, struct bl_value statement,
		   uint32_t n)
{
	uint16_t value;
	uint16_t to;

	(void)n;
	if (!value_of(loader, FIELD(statement, "source"), &value) ||
	    !target(loader, FIELD(statement, "target"), &to))
		return false;
	plan_emit(
		loader, BL_OP_LENGTH,
		(struct bl_insn){ .a = to, .b = value, .j = plan_end(loader) });
	return true;
}

/* ---- calls ------------------------------------------------------------------------ */

static bool find_builtin(struct plan_loader *loader, struct bl_str name,
			 uint32_t *out_index, uint32_t *out_arity)
{
	struct bl_program *program = loader->program;
	const struct bl_builtin *builtin =
		bl_callables_builtin(program->callables, name);

	if (!builtin)
		return plan_fail(loader, BL_UNSUPPORTED,
				 "there is no function or builtin %.*s",
				 (int)(name.len < 100 ? name.len : 100),
				 name.ptr ? name.ptr : "");
	*out_arity = builtin->arity;
	for (size_t i = 0; i < program->builtin_count; i++) {
		*out_index = (uint32_t)i;
		if (program->builtins[i].row == builtin)
			return true;
	}
	if (!plan_grow(loader, (void **)&program->builtins,
		       program->builtin_count, &loader->builtin_cap,
		       sizeof(*program->builtins)))
		return false;
	*out_index = (uint32_t)program->builtin_count;
	program->builtins[program->builtin_count++] =
		(struct bl_builtin_use){ builtin,
					 bl_builtin_masks_of(builtin) };
	return true;
}

/* internal.print: one array, with a set of values for each operand. */
static bool print(struct plan_loader *loader, struct bl_value args)
{
	uint16_t sets;

	if (bl_value_count(args) != 1)
		return plan_fail(loader, BL_INVALID,
				 "a call of internal.print has %zu arguments, "
				 "not 1",
				 bl_value_count(args));
	if (!defined(loader, bl_value_item(args, 0), &sets))
		return false;
	plan_emit(loader, BL_OP_PRINT_ALL, (struct bl_insn){ .b = sets });
	return true;
}

/* Notes the call that comes next, when it has a pattern. */
static bool note_call(struct plan_loader *loader, uint32_t builtin,
		      uint16_t from)
{
	const struct bl_builtin *row = loader->program->builtins[builtin].row;

	if (!bl_builtin_pattern_operands(row) || row->arity > BL_BUILTIN_MASKS)
		return true;
	if (!plan_grow(loader, (void **)&loader->calls, loader->call_count,
		       &loader->call_cap, sizeof(*loader->calls)))
		return false;
	loader->calls[loader->call_count++] =
		(struct plan_call){ loader->count, from, builtin };
	return true;
}

static bool call(struct plan_loader *loader, struct bl_value statement,
		 uint32_t n)
{
	struct bl_str name = bl_value_text(FIELD(statement, "func"));
	struct bl_value known = bl_object_find(loader->function_names, name);
	struct bl_value args = FIELD(statement, "args");
	size_t count = bl_value_count(args);
	bool is_builtin = !bl_value_is_defined(known);
	uint32_t function = 0;
	uint32_t arity = 0;
	uint16_t from;
	uint16_t to;

	(void)n;
	if (is_builtin && bl_str_is(name, "internal.print"))
		return print(loader, args);
	if (is_builtin && !find_builtin(loader, name, &function, &arity))
		return false;
	if (!is_builtin) {
		function = (uint32_t)known.as.integer;
		arity = loader->program->functions[function].arity;
	}
	/*
	 * OPA calls all that is below a package without arguments of its own;
	 * functions are not documents, so there is nothing.
	 */
	if (!is_builtin && count >= 2 && count < arity) {
		plan_emit(loader, BL_OP_JUMP,
			  (struct bl_insn){ .j = plan_end(loader) });
		return true;
	}
	if (count != arity)
		return plan_fail(loader, BL_INVALID,
				 "a call of %.*s has %zu arguments, not %u",
				 (int)(name.len < 100 ? name.len : 100),
				 name.ptr ? name.ptr : "", count, arity);
	from = plan_temporaries(loader, count);
	if (loader->status || !target(loader, FIELD(statement, "result"), &to))
		return false;
	for (size_t i = 0; i < count; i++) {
		uint16_t reg = (uint16_t)(from + i);

		if (!put(loader, bl_value_item(args, i), reg))
			return false;
		if (is_builtin || i >= 2)
			plan_emit(loader, BL_OP_JUMP_UNLESS_DEFINED,
				  (struct bl_insn){ .b = reg,
						    .j = plan_end(loader) });
	}
	if (is_builtin && !note_call(loader, function, from))
		return false;
	plan_emit(loader, is_builtin ? BL_OP_CALL_BUILTIN : BL_OP_CALL_FUNCTION,
		  (struct bl_insn){ .a = to,
				    .b = from,
				    .c = (uint16_t)count,
				    .n = function,
				    .j = plan_end(loader) });
	return true;
}

static bool call_dynamic(struct plan_loader *loader, struct bl_value statement,
			 uint32_t n)
{
	struct bl_value args = FIELD(statement, "args");
	struct bl_value path = FIELD(statement, "path");
	size_t count = bl_value_count(args);
	size_t key_count = bl_value_count(path);
	struct plan_local *local;
	uint16_t from = plan_temporaries(loader, count + key_count);
	uint16_t to;

	(void)n;
	if (loader->status || !target(loader, FIELD(statement, "result"), &to))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!source_local(loader, bl_value_item(args, i), &local))
			return false;
		plan_emit(loader, BL_OP_FREEZE,
			  (struct bl_insn){ .a = (uint16_t)(from + i),
					    .b = local->reg });
	}
	for (size_t i = 0; i < key_count; i++)
		if (!put(loader, bl_value_item(path, i),
			 (uint16_t)(from + count + i)))
			return false;
	plan_emit(loader, BL_OP_CALL_PATH,
		  (struct bl_insn){ .a = to,
				    .b = from,
				    .c = (uint16_t)(count + key_count),
				    .n = (uint32_t)count,
				    .j = plan_end(loader) });
	return true;
}

static bool return_local(struct plan_loader *loader, struct bl_value statement,
			 uint32_t n)
{
	struct plan_local *local;

	(void)n;
	if (!source_local(loader, FIELD(statement, "source"), &local))
		return false;
	for (size_t i = 0; i < loader->with_count; i++)
		plan_emit(loader, BL_OP_WITH_END, (struct bl_insn){ 0 });
	plan_emit(loader, BL_OP_RETURN,
		  (struct bl_insn){ .a = settled(loader, local) });
	return true;
}

static bool add_result(struct plan_loader *loader, struct bl_value statement,
		       uint32_t n)
{
	struct plan_local *local;
	uint16_t value;

	(void)n;
	if (!loader->is_plan)
		return plan_fail(loader, BL_INVALID,
				 "a function adds to the result set");
	if (!source_local(loader, FIELD(statement, "value"), &local))
		return false;
	value = settled(loader, local);
	plan_emit(loader, BL_OP_JUMP_UNLESS_DEFINED,
		  (struct bl_insn){ .b = value, .j = plan_end(loader) });
	plan_emit(loader, BL_OP_APPEND_PARTIAL,
		  (struct bl_insn){ .a = loader->result_set, .b = value });
	return true;
}

/* ---- blocks ------------------------------------------------------------------------- */

static bool nothing(struct plan_loader *loader, struct bl_value statement,
		    uint32_t n)
{
	(void)loader;
	(void)statement;
	(void)n;
	return true;
}

static bool leave(struct plan_loader *loader, struct bl_value statement,
		  uint32_t n)
{
	uint32_t levels;

	(void)n;
	return plan_index(loader, FIELD(statement, "index"), "a break",
			  PLAN_MAX_BLOCKS, &levels) &&
	       plan_break(loader, levels);
}

static bool in_order(struct plan_loader *loader, struct bl_value statement,
		     uint32_t n)
{
	struct bl_value blocks = FIELD(statement, "blocks");

	(void)n;
	for (size_t i = 0; i < bl_value_count(blocks); i++) {
		uint32_t end = plan_new_label(loader);

		if (!plan_block(loader, bl_value_item(blocks, i), end))
			return false;
		plan_place_label(loader, end);
	}
	return true;
}

static bool negate(struct plan_loader *loader, struct bl_value statement,
		   uint32_t n)
{
	uint32_t end = plan_new_label(loader);

	(void)n;
	if (!plan_block(loader, FIELD(statement, "block"), end))
		return false;
	plan_emit(loader, BL_OP_JUMP,
		  (struct bl_insn){ .j = plan_end(loader) });
	plan_place_label(loader, end);
	return true;
}

static bool scan(struct plan_loader *loader, struct bl_value statement,
		 uint32_t n)
{
	uint16_t state = plan_temporaries(loader, 2);
	uint32_t again = plan_new_label(loader);
	uint32_t next = plan_new_label(loader);
	uint32_t after = plan_new_label(loader);
	struct plan_local *local;
	struct plan_local *value;
	uint16_t source;
	uint16_t key;

	(void)n;
	if (!source_local(loader, FIELD(statement, "source"), &local) ||
	    !target(loader, FIELD(statement, "key"), &key) ||
	    !plan_local(loader, FIELD(statement, "value"), &value))
		return false;
	value->is_base = local->is_base;
	source = settled(loader, local);
	plan_emit(loader, BL_OP_JUMP_UNLESS_DEFINED,
		  (struct bl_insn){ .b = source, .j = plan_end(loader) });
	plan_emit(loader, BL_OP_LOOP_BEGIN,
		  (struct bl_insn){ .a = state, .b = source, .j = after });
	plan_place_label(loader, again);
	plan_emit(loader, BL_OP_LOOP_NEXT,
		  (struct bl_insn){
			  .a = state, .b = key, .c = value->reg, .j = after });
	if (!plan_block(loader, FIELD(statement, "block"), next))
		return false;
	plan_place_label(loader, next);
	plan_emit(loader, BL_OP_JUMP, (struct bl_insn){ .j = again });
	plan_place_label(loader, after);
	return true;
}

/* Makes the replacement: keys, then the value behind them. */
static bool replace(struct plan_loader *loader, struct bl_value statement,
		    const struct plan_local *local)
{
	struct bl_value path = FIELD(statement, "path");
	size_t count = bl_value_count(path);
	uint16_t keys = plan_temporaries(loader, count + 1);
	uint16_t last = (uint16_t)(keys + count);

	if (loader->status)
		return false;
	for (size_t i = 0; i < count; i++) {
		uint32_t string;

		if (!plan_index(loader, bl_value_item(path, i), "a string",
				loader->string_count, &string))
			return false;
		plan_emit(loader, BL_OP_LOAD_CONSTANT,
			  (struct bl_insn){ .a = (uint16_t)(keys + i),
					    .n = string });
	}
	if (!put(loader, FIELD(statement, "value"), last))
		return false;
	if (count)
		plan_emit(loader, BL_OP_JUMP_UNLESS_DEFINED,
			  (struct bl_insn){ .b = last, .j = plan_end(loader) });
	plan_emit(loader, BL_OP_REPLACE_PATH,
		  (struct bl_insn){
			  .a = local->reg, .b = keys, .c = (uint16_t)count });
	return true;
}

static void end_with(struct plan_loader *loader, const struct plan_with *with)
{
	plan_emit(loader, BL_OP_WITH_END, (struct bl_insn){ 0 });
	plan_emit(loader, BL_OP_MOVE,
		  (struct bl_insn){ .a = with->local, .b = with->saved });
}

static bool with(struct plan_loader *loader, struct bl_value statement,
		 uint32_t n)
{
	uint32_t failed = plan_new_label(loader);
	uint32_t done = plan_new_label(loader);
	struct plan_with *own;
	struct plan_local *local;
	bool may_grow;

	(void)n;
	if (loader->with_count == PLAN_MAX_BLOCKS)
		return plan_fail(loader, BL_LIMIT, "too many withs");
	if (!plan_local(loader, FIELD(statement, "local"), &local))
		return false;
	may_grow = local->may_grow;
	own = &loader->withs[loader->with_count];
	own->local = local->reg;
	own->saved = plan_temporaries(loader, 1);
	plan_emit(loader, BL_OP_MOVE,
		  (struct bl_insn){ .a = own->saved, .b = own->local });
	if (may_grow)
		plan_emit(loader, BL_OP_FREEZE,
			  (struct bl_insn){ .a = local->reg, .b = local->reg });
	if (!replace(loader, statement, local))
		return false;
	plan_emit(loader, BL_OP_WITH_BEGIN, (struct bl_insn){ 0 });
	loader->with_count++;
	if (!plan_block(loader, FIELD(statement, "block"), failed))
		return false;
	loader->with_count--;
	end_with(loader, own);
	plan_emit(loader, BL_OP_JUMP, (struct bl_insn){ .j = done });
	plan_place_label(loader, failed);
	end_with(loader, own);
	plan_emit(loader, BL_OP_JUMP,
		  (struct bl_insn){ .j = plan_end(loader) });
	plan_place_label(loader, done);
	return true;
}

/* ---- the table --------------------------------------------------------------------------- */

static const struct {
	const char *type;
	bool (*translate)(struct plan_loader *loader, struct bl_value statement,
			  uint32_t n);
	uint32_t n;
} rows[] = {
	{ "ArrayAppendStmt", append, 0 },
	{ "AssignIntStmt", make_integer, 0 },
	{ "AssignVarOnceStmt", assign_once, 0 },
	{ "AssignVarStmt", assign, 0 },
	{ "BlockStmt", in_order, 0 },
	{ "BreakStmt", leave, 0 },
	{ "CallDynamicStmt", call_dynamic, 0 },
	{ "CallStmt", call, 0 },
	{ "DotStmt", dot, 0 },
	{ "EqualStmt", compare, BL_OP_JUMP_UNLESS_EQUAL },
	{ "IsArrayStmt", is_kind, BL_KIND_ARRAY },
	{ "IsDefinedStmt", is_defined, true },
	{ "IsObjectStmt", is_kind, BL_KIND_OBJECT },
	{ "IsSetStmt", is_kind, BL_KIND_SET },
	{ "IsUndefinedStmt", is_defined, false },
	{ "LenStmt", length, 0 },
	{ "MakeArrayStmt", make_collection, BL_COLLECT_ARRAY },
	{ "MakeNullStmt", make_null, 0 },
	{ "MakeNumberIntStmt", make_integer, 0 },
	{ "MakeNumberRefStmt", make_number, 0 },
	{ "MakeObjectStmt", make_collection, BL_COLLECT_OBJECT },
	{ "MakeSetStmt", make_collection, BL_COLLECT_SET },
	{ "NopStmt", nothing, 0 },
	{ "NotEqualStmt", compare, BL_OP_JUMP_IF_EQUAL },
	{ "NotStmt", negate, 0 },
	{ "ObjectInsertOnceStmt", insert, true },
	{ "ObjectInsertStmt", insert, false },
	{ "ObjectMergeStmt", merge, 0 },
	{ "ResetLocalStmt", reset, 0 },
	{ "ResultSetAddStmt", add_result, 0 },
	{ "ReturnLocalStmt", return_local, 0 },
	{ "ScanStmt", scan, 0 },
	{ "SetAddStmt", append, 1 },
	{ "WithStmt", with, 0 },
};

/* Rows from 1 on; a statement without a row or a file has no place. */
static void note_place(struct plan_loader *loader, struct bl_value body)
{
	int64_t file;
	int64_t row;

	if (!bl_number_to_integer(FIELD(body, "file"), &file) ||
	    !bl_number_to_integer(FIELD(body, "row"), &row) || file < 0 ||
	    (uint64_t)file >= loader->file_count || row < 1)
		return;
	if (row > PLAN_MAX_ROW)
		row = PLAN_MAX_ROW;
	if ((uint32_t)row > loader->max_row)
		loader->max_row = (uint32_t)row;
	loader->place =
		(struct bl_insn_place){ (uint32_t)file, (uint32_t)row - 1 };
}

bool plan_statement(struct plan_loader *loader, struct bl_value statement)
{
	struct bl_str type = bl_value_text(FIELD(statement, "type"));
	struct bl_value body = FIELD(statement, "stmt");

	note_place(loader, body);
	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (bl_str_is(type, rows[i].type))
			return rows[i].translate(loader, body, rows[i].n);
	return plan_fail(loader, BL_UNSUPPORTED, "there is no statement %.*s",
			 (int)(type.len < 100 ? type.len : 100),
			 type.ptr ? type.ptr : "");
}

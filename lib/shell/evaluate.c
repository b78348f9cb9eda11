/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/evaluate.c: arithmetic: the value of an expression whose $ are expanded
 * already.  It stands alone because it is a language with a grammar of its own:
 * C's operators on 64-bit numbers, where a name stands for the value of an
 * expression that a variable holds.
 *
 * Precedence climbing over a table.  Example: with x="1+2" the expression
 * `x*2` is 6: the value of x is evaluated on its own.
 */
#include "shell/private.h"

enum { DEPTH_MAX = 100, TEXT_MAX = 64 * 1024 };

struct evaluation {
	const char *at;
	const char *end;
	struct bl_arena *arena;
	const struct bl_shell_variables *variables;
	enum bl_shell_answer answer; /* the first that is not KNOWN */
	uint32_t depth;
	uint32_t skipped; /* > 0: the side that && || ?: leave out */
};

/* Where a value came from, so that it can be assigned to. */
struct operand {
	int64_t value;
	struct bl_str name; /* empty: not a variable */
	struct bl_str subscript;
};

enum operation {
	OP_NONE,
	OP_COMMA,
	OP_OR,
	OP_AND,
	OP_BIT_OR,
	OP_BIT_XOR,
	OP_BIT_AND,
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_LESS,
	OP_GREATER,
	OP_LESS_EQUAL,
	OP_GREATER_EQUAL,
	OP_SHIFT_LEFT,
	OP_SHIFT_RIGHT,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_REMAINDER,
	OP_POWER,
};

/* Longest first where one begins another. */
static const struct binary {
	const char *text;
	int precedence; /* higher binds more */
	enum operation operation;
} binaries[] = {
	{ "**", 12, OP_POWER },
	{ "<<", 9, OP_SHIFT_LEFT },
	{ ">>", 9, OP_SHIFT_RIGHT },
	{ "<=", 8, OP_LESS_EQUAL },
	{ ">=", 8, OP_GREATER_EQUAL },
	{ "==", 7, OP_EQUAL },
	{ "!=", 7, OP_NOT_EQUAL },
	{ "&&", 3, OP_AND },
	{ "||", 2, OP_OR },
	{ "<", 8, OP_LESS },
	{ ">", 8, OP_GREATER },
	{ "&", 6, OP_BIT_AND },
	{ "^", 5, OP_BIT_XOR },
	{ "|", 4, OP_BIT_OR },
	{ "+", 10, OP_ADD },
	{ "-", 10, OP_SUBTRACT },
	{ "*", 11, OP_MULTIPLY },
	{ "/", 11, OP_DIVIDE },
	{ "%", 11, OP_REMAINDER },
	{ ",", 1, OP_COMMA },
};

enum { PRECEDENCE_OR = 2 };

static const struct {
	const char *text;
	enum operation operation;
} assignments[] = {
	{ "<<=", OP_SHIFT_LEFT }, { ">>=", OP_SHIFT_RIGHT },
	{ "*=", OP_MULTIPLY },    { "/=", OP_DIVIDE },
	{ "%=", OP_REMAINDER },   { "+=", OP_ADD },
	{ "-=", OP_SUBTRACT },    { "&=", OP_BIT_AND },
	{ "^=", OP_BIT_XOR },     { "|=", OP_BIT_OR },
	{ "=", OP_NONE },
};

static int64_t stop(struct evaluation *e, enum bl_shell_answer answer)
{
	if (e->answer == BL_SHELL_KNOWN)
		e->answer = answer;
	return 0;
}

static void skip_blanks(struct evaluation *e)
{
	while (e->at < e->end && strchr(" \t\n", *e->at) && *e->at)
		e->at++;
}

static bool looking_at(struct evaluation *e, const char *text)
{
	size_t length = strlen(text);

	skip_blanks(e);
	return (size_t)(e->end - e->at) >= length &&
	       !memcmp(e->at, text, length);
}

static bool accept(struct evaluation *e, const char *text)
{
	if (!looking_at(e, text))
		return false;
	e->at += strlen(text);
	return true;
}

static int64_t power(struct evaluation *e, int64_t base, int64_t exponent)
{
	uint64_t result = 1, factor = (uint64_t)base;

	if (exponent < 0)
		return stop(e, BL_SHELL_FAILS);
	for (uint64_t n = (uint64_t)exponent; n; n >>= 1) {
		if (n & 1)
			result *= factor;
		factor *= factor;
	}
	return (int64_t)result;
}

static int64_t divide(struct evaluation *e, int64_t a, int64_t b,
		      bool remainder)
{
	if (b == 0)
		return e->skipped ? 0 : stop(e, BL_SHELL_FAILS);
	if (b == -1)
		return remainder ? 0 : (int64_t)(0 - (uint64_t)a);
	return remainder ? a % b : a / b;
}

static int64_t compute(struct evaluation *e, enum operation operation,
		       int64_t a, int64_t b)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (operation) {
	case OP_NONE:
	case OP_COMMA:
		return b;
	case OP_OR:
		return a || b;
	case OP_AND:
		return a && b;
	case OP_BIT_OR:
		return a | b;
	case OP_BIT_XOR:
		return a ^ b;
	case OP_BIT_AND:
		return a & b;
	case OP_EQUAL:
		return a == b;
	case OP_NOT_EQUAL:
		return a != b;
	case OP_LESS:
		return a < b;
	case OP_GREATER:
		return a > b;
	case OP_LESS_EQUAL:
		return a <= b;
	case OP_GREATER_EQUAL:
		return a >= b;
	case OP_SHIFT_LEFT:
		return (int64_t)(ua << (ub & 63));
	case OP_SHIFT_RIGHT:
		return a >> (ub & 63);
	case OP_ADD:
		return (int64_t)(ua + ub);
	case OP_SUBTRACT:
		return (int64_t)(ua - ub);
	case OP_MULTIPLY:
		return (int64_t)(ua * ub);
	case OP_DIVIDE:
		return divide(e, a, b, false);
	case OP_REMAINDER:
		return divide(e, a, b, true);
	case OP_POWER:
		return power(e, a, b);
	}
	return 0;
}

static int64_t evaluate(struct evaluation *outer, struct bl_str text);
static int64_t parse_assignment(struct evaluation *e);

/* Digits above 9: a-z, A-Z, @ and _; up to base 36 without case. */
static int digit_of(char c, int base)
{
	int digit = c >= '0' && c <= '9'   ? c - '0'
		    : c >= 'a' && c <= 'z' ? c - 'a' + 10
		    : c >= 'A' && c <= 'Z' ? c - 'A' + (base <= 36 ? 10 : 36)
		    : c == '@'             ? 62
		    : c == '_'             ? 63
					   : 99;

	return digit;
}

static int64_t parse_number(struct evaluation *e)
{
	uint64_t value = 0;
	int base = 10;
	bool explicit_base = false;

	if (*e->at == '0' && e->at + 1 < e->end &&
	    (e->at[1] == 'x' || e->at[1] == 'X')) {
		base = 16;
		e->at += 2;
	} else if (*e->at == '0') {
		base = 8;
		e->at++;
	}
	for (; e->at < e->end; e->at++) {
		int digit = digit_of(*e->at, base);

		if (*e->at == '#' && base == 10 && !explicit_base) {
			if (value < 2 || value > 64)
				return stop(e, BL_SHELL_FAILS);
			base = (int)value;
			value = 0;
			explicit_base = true;
			if (e->at + 1 == e->end ||
			    digit_of(e->at[1], base) == 99)
				return stop(e, BL_SHELL_FAILS);
			continue;
		}
		if (digit == 99)
			break;
		if (digit >= base)
			return stop(e, BL_SHELL_FAILS);
		value = value * (uint64_t)base + (uint64_t)digit;
	}
	return (int64_t)value;
}

static bool is_name_byte(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!first && c >= '0' && c <= '9');
}

/* The value of a variable, which is an expression itself. */
static int64_t value_of(struct evaluation *e, const struct operand *operand)
{
	struct bl_str text = { NULL, 0 };
	enum bl_shell_state state;

	if (e->skipped || e->answer != BL_SHELL_KNOWN)
		return 0;
	state = e->variables && e->variables->find
			? e->variables->find(e->variables->context,
					     operand->name, operand->subscript,
					     &text)
			: BL_SHELL_STATE_UNKNOWN;
	if (state == BL_SHELL_STATE_UNKNOWN)
		return stop(e, BL_SHELL_UNKNOWN);
	return state == BL_SHELL_STATE_UNSET ? 0 : evaluate(e, text);
}

/* A name, with its subscript; the value is not looked up yet. */
static bool parse_name(struct evaluation *e, struct operand *out)
{
	const char *start = e->at;
	int depth = 0;

	while (e->at < e->end && is_name_byte(*e->at, e->at == start))
		e->at++;
	out->name = (struct bl_str){ start, (size_t)(e->at - start) };
	if (e->at == e->end || *e->at != '[')
		return true;
	start = e->at + 1;
	for (; e->at < e->end; e->at++) {
		if (*e->at == '$' || *e->at == '`') {
			/* A subscript is expanded again: it may run code. */
			stop(e, BL_SHELL_UNKNOWN);
			return false;
		}
		depth += *e->at == '[' ? 1 : *e->at == ']' ? -1 : 0;
		if (depth == 0)
			break;
	}
	if (e->at == e->end) {
		stop(e, BL_SHELL_FAILS);
		return false;
	}
	out->subscript = (struct bl_str){ start, (size_t)(e->at - start) };
	e->at++;
	return true;
}

static void store(struct evaluation *e, const struct operand *target,
		  int64_t value)
{
	struct bl_str text;

	if (!target->name.len) {
		stop(e, BL_SHELL_FAILS);
		return;
	}
	if (e->skipped || e->answer != BL_SHELL_KNOWN)
		return;
	text = bl_arena_printf(e->arena, "%lld", (long long)value);
	if (!text.ptr)
		stop(e, BL_SHELL_EXCEEDS);
	else if (!e->variables || !e->variables->set ||
		 !e->variables->set(e->variables->context, target->name,
				    target->subscript, text))
		stop(e, BL_SHELL_UNKNOWN);
}

/* ++ or -- at the front; 0: neither. */
static int parse_step(struct evaluation *e)
{
	return accept(e, "++") ? 1 : accept(e, "--") ? -1 : 0;
}

static struct operand parse_primary(struct evaluation *e)
{
	struct operand out = { 0 };
	int step;

	skip_blanks(e);
	if (accept(e, "(")) {
		out.value = parse_assignment(e);
		while (accept(e, ","))
			out.value = parse_assignment(e);
		if (!accept(e, ")"))
			stop(e, BL_SHELL_FAILS);
	} else if (e->at < e->end && *e->at >= '0' && *e->at <= '9') {
		out.value = parse_number(e);
	} else if (e->at < e->end && is_name_byte(*e->at, true)) {
		if (!parse_name(e, &out))
			return out;
		step = parse_step(e);
		/* An assignment without the old value does not look it up. */
		if (!step && looking_at(e, "=") && !looking_at(e, "=="))
			return out;
		out.value = value_of(e, &out);
		if (step)
			store(e, &out,
			      (int64_t)((uint64_t)out.value + (uint64_t)step));
	} else {
		stop(e, BL_SHELL_FAILS);
	}
	return out;
}

static struct operand parse_unary(struct evaluation *e)
{
	struct operand out = { 0 }, inner;
	int step;

	if (++e->depth > DEPTH_MAX) {
		stop(e, BL_SHELL_EXCEEDS);
		return out;
	}
	step = parse_step(e);
	if (step) {
		skip_blanks(e);
		if (e->at < e->end && is_name_byte(*e->at, true)) {
			inner = parse_primary(e);
			out.value = (int64_t)((uint64_t)inner.value +
					      (uint64_t)step);
			store(e, &inner, out.value);
		} else { /* two signs */
			out.value = parse_unary(e).value;
		}
	} else if (looking_at(e, "!") && !looking_at(e, "!=")) {
		e->at++;
		out.value = !parse_unary(e).value;
	} else if (accept(e, "~")) {
		out.value = ~parse_unary(e).value;
	} else if (accept(e, "-")) {
		out.value = (int64_t)(0 - (uint64_t)parse_unary(e).value);
	} else if (accept(e, "+")) {
		out.value = parse_unary(e).value;
	} else {
		out = parse_primary(e);
	}
	e->depth--;
	return out;
}

/* The binary operator here that binds at least as tightly as least. */
static const struct binary *find_binary(struct evaluation *e, int least)
{
	for (size_t i = 0; i < BL_COUNT(binaries); i++) {
		size_t length = strlen(binaries[i].text);

		if (!looking_at(e, binaries[i].text))
			continue;
		/* Not the = of an assignment. */
		if ((size_t)(e->end - e->at) > length && e->at[length] == '=' &&
		    binaries[i].precedence != 7 &&
		    binaries[i].precedence != 8 && binaries[i].precedence > 3)
			return NULL;
		return binaries[i].precedence >= least ? &binaries[i] : NULL;
	}
	return NULL;
}

/* Operators that bind at least as tightly as least, behind left. */
static struct operand parse_binary(struct evaluation *e, struct operand left,
				   int least)
{
	const struct binary *op;

	while (e->answer == BL_SHELL_KNOWN && (op = find_binary(e, least))) {
		bool skips = (op->operation == OP_AND && !left.value) ||
			     (op->operation == OP_OR && left.value);
		bool right = op->operation == OP_POWER;
		struct operand value;

		e->at += strlen(op->text);
		e->skipped += skips;
		if (++e->depth > DEPTH_MAX)
			stop(e, BL_SHELL_EXCEEDS);
		value = parse_binary(e, parse_unary(e),
				     op->precedence + !right);
		e->depth--;
		left.value = skips ? op->operation == OP_OR
				   : compute(e, op->operation, left.value,
					     value.value);
		e->skipped -= skips;
		left.name.len = 0;
	}
	return left;
}

/* ?: behind its condition. */
static int64_t parse_choice(struct evaluation *e, int64_t condition)
{
	int64_t yes, no;

	e->skipped += !condition;
	yes = parse_assignment(e);
	while (accept(e, ","))
		yes = parse_assignment(e);
	e->skipped -= !condition;
	if (!accept(e, ":"))
		return stop(e, BL_SHELL_FAILS);
	e->skipped += condition != 0;
	no = parse_assignment(e);
	e->skipped -= condition != 0;
	return condition ? yes : no;
}

static int64_t parse_assignment(struct evaluation *e)
{
	struct operand left;
	int64_t value = 0;

	if (++e->depth > DEPTH_MAX)
		return stop(e, BL_SHELL_EXCEEDS);
	left = parse_unary(e);
	for (size_t i = 0; i < BL_COUNT(assignments) && left.name.len; i++) {
		if (!looking_at(e, assignments[i].text) || looking_at(e, "=="))
			continue;
		e->at += strlen(assignments[i].text);
		value = compute(e, assignments[i].operation, left.value,
				parse_assignment(e));
		store(e, &left, value);
		e->depth--;
		return value;
	}
	left = parse_binary(e, left, PRECEDENCE_OR);
	value = left.value;
	if (e->answer == BL_SHELL_KNOWN && accept(e, "?"))
		value = parse_choice(e, value);
	e->depth--;
	return value;
}

static int64_t evaluate(struct evaluation *outer, struct bl_str text)
{
	struct evaluation e = *outer;
	int64_t value;

	e.at = text.len ? text.ptr : "";
	e.end = e.at + text.len;
	skip_blanks(&e);
	if (e.at == e.end)
		return 0;
	if (++e.depth > DEPTH_MAX || text.len > TEXT_MAX)
		return stop(outer, BL_SHELL_EXCEEDS);
	value = parse_assignment(&e);
	while (accept(&e, ","))
		value = parse_assignment(&e);
	skip_blanks(&e);
	if (e.answer == BL_SHELL_KNOWN && e.at < e.end)
		stop(&e, BL_SHELL_FAILS);
	if (e.answer != BL_SHELL_KNOWN)
		return stop(outer, e.answer);
	return value;
}

enum bl_shell_answer
bl_shell_evaluate(struct bl_arena *arena, struct bl_str expression,
		  const struct bl_shell_variables *variables,
		  int64_t *out_value)
{
	struct evaluation e = { .arena = arena, .variables = variables };
	int64_t value = evaluate(&e, expression);

	if (e.answer == BL_SHELL_KNOWN)
		*out_value = value;
	return e.answer;
}

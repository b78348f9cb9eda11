/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/parse/ast.h: the syntax tree of Rego (docs/contracts/rego.md "Grammar",
 * "Parser rules", "Rule heads").
 *
 * Nodes live in one arena and borrow from the module's text.  The tree is what
 * was written: operators are calls with `infix` set, nothing is rewritten.
 */
#ifndef BELAY_REGO_COMPILER_PARSE_AST_H
#define BELAY_REGO_COMPILER_PARSE_AST_H

#include "base/arena.h"
#include "base/str.h"
#include "value/value.h"

/* Bytes from..to of the module's text. */
struct bl_rego_range {
	uint32_t from;
	uint32_t to;
};

enum bl_rego_term_kind {
	BL_TERM_SCALAR,   /* value: null, boolean, number, string */
	BL_TERM_TEMPLATE, /* body: string scalars and holes, in order */
	BL_TERM_VAR,      /* name; "_" is a fresh variable each time */
	BL_TERM_REF,      /* items: head, then parts; x.y is x["y"] */
	BL_TERM_CALL,     /* items: operator (var or ref), then arguments */
	BL_TERM_ARRAY,    /* items */
	BL_TERM_SET,      /* items */
	BL_TERM_OBJECT,   /* items: key, value, key, value, ... */
	BL_TERM_ARRAY_COMPREHENSION,  /* items: head; body */
	BL_TERM_SET_COMPREHENSION,    /* the same */
	BL_TERM_OBJECT_COMPREHENSION, /* items: key, value; body */
};

struct bl_rego_body;
struct bl_type; /* rego/compiler/types/types.h */
struct bl_builtin;

struct bl_rego_term {
	uint8_t kind;   /* enum bl_rego_term_kind */
	bool infix;     /* CALL written as an operator */
	bool raw;       /* string or template in backticks */
	bool grouped;   /* written in parentheses */
	uint32_t count; /* of items */
	int32_t slot; /* VAR, once resolved (rego/compiler/resolve/analysis.h) */
	struct bl_rego_range range;
	union {
		struct bl_value value;
		struct bl_str name;
		struct bl_rego_term **items;
	} as;
	union {
		struct bl_rego_body *body; /* comprehensions, templates */
		/* Resolved REF, CALL: as found by the checker of types. */
		const struct bl_type *type;
		/* Resolved VAR without a slot; NULL: not found. */
		const struct bl_builtin *builtin;
	};
};

/* Of a path, as of packages and heads: a name alone, or a REF. */
static inline uint32_t bl_rego_path_length(const struct bl_rego_term *path)
{
	return path->kind == BL_TERM_VAR ? 1 : path->count;
}

static inline const struct bl_rego_term *
bl_rego_path_part(const struct bl_rego_term *path, uint32_t i)
{
	return path->kind == BL_TERM_VAR ? path : path->as.items[i];
}

/* The text of a name, or of a constant part. */
static inline struct bl_value bl_rego_path_key(const struct bl_rego_term *path,
					       uint32_t i)
{
	const struct bl_rego_term *part = bl_rego_path_part(path, i);

	return part->kind == BL_TERM_VAR ? bl_value_string(part->as.name)
					 : part->as.value;
}

struct bl_rego_with {
	struct bl_rego_term *target;
	struct bl_rego_term *value;
};

enum bl_rego_expr_kind {
	BL_EXPR_TERM,     /* terms[0] */
	BL_EXPR_SOME,     /* terms: the declared variables */
	BL_EXPR_SOME_IN,  /* terms: [key,] value, domain */
	BL_EXPR_EVERY,    /* terms: [key,] value, domain; bodies[0] */
	BL_EXPR_NOT_BODY, /* "not {...}": bodies[0] */
	BL_EXPR_LOGICAL,  /* "and"/"or": operands are bodies of one or more */
};

struct bl_rego_expr {
	uint8_t kind; /* enum bl_rego_expr_kind */
	bool negated;
	bool is_or;   /* LOGICAL: "or", else "and" */
	bool grouped; /* LOGICAL: in parentheses */
	uint32_t term_count;
	uint32_t body_count;
	uint32_t with_count;
	struct bl_rego_range range;
	struct bl_rego_term **terms;
	struct bl_rego_body **bodies;
	struct bl_rego_with *withs;
};

struct bl_rego_body {
	struct bl_rego_expr **exprs;
	size_t count;
	bool braced;       /* written in braces */
	int32_t slot_from; /* resolved closures: the slots of their own */
	int32_t slot_to;
	const struct bl_type
		*type; /* resolved comprehensions: what they give */
	struct bl_rego_range range;
};

struct bl_rego_rule {
	struct bl_rego_range range;
	bool is_default;
	bool is_else;
	bool has_args; /* "f()" has them too */
	bool assigns;  /* ":=", else "=" */
	bool uses_if;
	struct bl_rego_term *name; /* var or ref; NULL for an else */
	struct bl_rego_term **args;
	size_t arg_count;
	struct bl_rego_term *contains; /* "contains KEY" */
	struct bl_rego_term *value;    /* NULL: true */
	struct bl_rego_body *body;     /* NULL: none */
	struct bl_rego_rule *else_rule;
	struct bl_rego_rule *chained; /* a further "{...}" of the same head */
};

struct bl_rego_import {
	struct bl_rego_range range;
	struct bl_rego_term *path; /* var or ref */
	struct bl_str alias;       /* empty: none */
};

/* Bytes from..to of a comment, without the line's end. */
struct bl_rego_comment {
	uint32_t from; /* of its "#" */
	uint32_t to;
};

struct bl_rego_module {
	struct bl_str file;
	struct bl_str text;
	bool v0;                      /* by the rules before v1 */
	struct bl_rego_term *package; /* path without "data" */
	uint32_t package_from;        /* where its statement begins */
	struct bl_rego_import *imports;
	size_t import_count;
	struct bl_rego_rule **rules;
	size_t rule_count;
	const struct bl_rego_comment *comments;
	size_t comment_count;
};

#endif

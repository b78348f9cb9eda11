/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/types/types.h: the types of Rego's values (docs/contracts/rego.md
 * "Types").
 *
 * Types are immutable and live in an arena.  NULL stands for a type that is
 * not known (yet).  A type that would grow beyond BL_TYPE_MAX_SIZE is "any":
 * the checker may miss an error, but no policy makes it slow.
 */
#ifndef BELAY_REGO_COMPILER_TYPES_TYPES_H
#define BELAY_REGO_COMPILER_TYPES_TYPES_H

#include "base/arena.h"
#include "base/buf.h"
#include "value/value.h"

enum { BL_TYPE_MAX_SIZE = 1000 };

enum bl_type_kind {
	BL_TYPE_NULL,
	BL_TYPE_BOOLEAN,
	BL_TYPE_NUMBER,
	BL_TYPE_STRING,
	BL_TYPE_ARRAY,
	BL_TYPE_OBJECT,
	BL_TYPE_SET,
	BL_TYPE_ANY,      /* one of items; any value when absent */
	BL_TYPE_FUNCTION, /* items: its arguments; rest: its result */
	BL_TYPE_BOX,      /* rest, of whatever size; of schemas only */
};

struct bl_type {
	enum bl_type_kind kind;
	uint32_t size;                /* of all that is inside, and itself */
	size_t count;                 /* of items */
	const struct bl_type **items; /* ARRAY and OBJECT: the known ones */
	struct bl_value *keys;        /* OBJECT: of items, in order */
	const struct bl_type *key;    /* OBJECT: of further members */
	const struct bl_type *rest;   /* ARRAY, OBJECT, SET: of further ones */
};

/* The types of a builtin's operands and result. */
struct bl_signature {
	const struct bl_type *type; /* FUNCTION */
	const struct bl_str *names; /* of operands and result; empty: none */
};

extern const struct bl_type bl_type_any;

extern const struct bl_type bl_type_boolean;
extern const struct bl_type bl_type_string;

/* The type of a null, boolean, number or string. */
const struct bl_type *bl_type_of_scalar(struct bl_value value);

/*
 * A composite of count items; keys are an object's, which are put in order.
 * Takes over the arrays.  "any" without memory, which the arena remembers.
 */
const struct bl_type *bl_type_make(struct bl_arena *arena,
				   const struct bl_type *like);

/*
 * A type that counts as one.  With a name (keys has it) it is set later, may
 * have itself inside, and is printed as that name.
 */
static inline const struct bl_type *bl_type_open(const struct bl_type *type)
{
	return type && type->kind == BL_TYPE_BOX ? type->rest : type;
}

/* The detail to print. */
static inline const struct bl_type *bl_type_shown(const struct bl_type *type)
{
	return type && type->keys ? type : bl_type_open(type);
}

bool bl_type_is_any(const struct bl_type *type);

/* An object, array or set that has nothing in it. */
bool bl_type_is_empty(const struct bl_type *type);

/* Is something empty in it, or it itself? */
bool bl_type_has_empty(const struct bl_type *type);

/* With "any" for whatever is empty in it. */
const struct bl_type *bl_type_without_empty(struct bl_arena *arena,
					    const struct bl_type *type);

/*
 * Is it, or something inside, not known?  An empty set counts as such; what is
 * behind "one of" is not looked at.
 */
bool bl_type_is_unknown(const struct bl_type *type);

/*
 * Either of both; NULL counts for nothing.  Two functions are one that takes
 * what either takes; a function and something else are nothing.
 */
const struct bl_type *bl_type_or(struct bl_arena *arena,
				 const struct bl_type *a,
				 const struct bl_type *b);

/*
 * The joint type of two rules of one path: members of sets, and of objects
 * without known keys, are joined.
 */
const struct bl_type *bl_type_merge(struct bl_arena *arena,
				    const struct bl_type *a,
				    const struct bl_type *b);

/* Can there be a value that is of both types?  Not when one is not known. */
bool bl_type_unifies(const struct bl_type *a, const struct bl_type *b);

/* The type of the brackets behind a value; NULL: none are possible. */
const struct bl_type *bl_type_keys(struct bl_arena *arena,
				   const struct bl_type *type);
const struct bl_type *bl_type_values(struct bl_arena *arena,
				     const struct bl_type *type);
const struct bl_type *bl_type_select(struct bl_arena *arena,
				     const struct bl_type *type,
				     struct bl_value key);

/* The order in which unions have their members. */
int bl_type_compare(const struct bl_type *a, const struct bl_type *b);

/* ---- text (type_text.c) -------------------------------------------------- */

/* As OPA writes it: "object<a: number>", "???" for NULL. */
void bl_type_put(struct bl_buf *out, const struct bl_type *type);

/* As above, of a long type the outermost part only: "object<...>". */
void bl_type_put_short(struct bl_buf *out, const struct bl_type *type);

/* Two types, with "..." for what both have. */
void bl_type_put_difference(struct bl_buf *left, struct bl_buf *right,
			    const struct bl_type *a, const struct bl_type *b);

/* Signatures of the tables of builtins, read as they are asked for. */
struct bl_callables;
struct bl_builtin;
struct bl_read_signature;
struct bl_signatures {
	struct bl_arena *arena;
	const struct bl_callables *callables; /* before those; may be NULL */
	struct bl_read_signature *read;       /* newest first */
};

/* The signature of a row; NULL: absent, or no memory. */
const struct bl_signature *bl_signature_of(struct bl_arena *arena,
					   const struct bl_builtin *builtin);

/* The signature of a builtin, or NULL when it takes what it is given. */
const struct bl_signature *bl_signature_find(struct bl_signatures *signatures,
					     struct bl_str name);

#endif

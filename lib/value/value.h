/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value/value.h: immutable values: JSON's types plus sets and undefined.
 *
 * A struct bl_value is 16 bytes and is passed by value.  The data it points to
 * lives in an arena (or in the input text) and is never changed after it was
 * built, so values may be shared freely between threads for as long as that
 * memory lives.  There are no counts; moving a value to another lifetime is
 * an explicit bl_value_copy.
 *
 * Kinds are ordered as Rego orders them: undefined < null < boolean < number
 * < string < array < object < set.  bl_value_compare is a total order, and
 * equal values have equal hashes (1, 1.0 and 1e0 are one number).
 *
 * Numbers are exact: integers of any size and decimals; a number that came
 * from text keeps its spelling.  Objects keep the order in which their keys
 * came; compare, hash and look-up do not depend on it.
 */
#ifndef BELAY_VALUE_VALUE_H
#define BELAY_VALUE_VALUE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

enum bl_kind {
	BL_KIND_UNDEFINED, /* the zero value: absent */
	BL_KIND_NULL,
	BL_KIND_BOOLEAN,
	BL_KIND_NUMBER,
	BL_KIND_STRING,
	BL_KIND_ARRAY,
	BL_KIND_OBJECT,
	BL_KIND_SET,
	BL_KIND_COUNT
};

struct bl_object; /* value/object.c */

/* A value in 8 bytes; only bl_unpack reads it. */
struct bl_packed {
	uint64_t word;
};

struct bl_value {
	uint8_t kind; /* enum bl_kind */
	uint8_t form; /* representation; private to value */
	/*
	 * 0 of scalars; tables of values may mark their entries with 1 to 3.  Of
	 * containers: what bl_value_weight reads.
	 */
	uint16_t reserved;
	uint32_t len; /* bytes of a string, members of a container */
	union {
		bool boolean;
		int64_t integer;  /* small numbers */
		const char *text; /* strings; numbers as they were spelled */
		const struct bl_value *items; /* arrays; sets, sorted */
		const struct bl_object *object;
		const struct bl_packed *packed; /* private to value */
	} as;
};

/* ---- making scalars ----------------------------------------------------- */

static inline struct bl_value bl_value_undefined(void)
{
	return (struct bl_value){ .kind = BL_KIND_UNDEFINED };
}

static inline struct bl_value bl_value_null(void)
{
	return (struct bl_value){ .kind = BL_KIND_NULL };
}

static inline struct bl_value bl_value_boolean(bool boolean)
{
	return (struct bl_value){ .kind = BL_KIND_BOOLEAN,
				  .as.boolean = boolean };
}

static inline struct bl_value bl_value_integer(int64_t integer)
{
	return (struct bl_value){ .kind = BL_KIND_NUMBER,
				  .as.integer = integer };
}

/*
 * A string that borrows str, which must be UTF-8, shorter than 4 GiB and live
 * as long as the value.
 */
static inline struct bl_value bl_value_string(struct bl_str str)
{
	return (struct bl_value){ .kind = BL_KIND_STRING,
				  .len = (uint32_t)str.len,
				  .as.text = str.ptr };
}

/* ---- asking ------------------------------------------------------------- */

/* The value that was packed; it may point into *packed itself. */
struct bl_value bl_unpack(const struct bl_packed *packed);

/* "undefined", "null", "boolean", "number", "string", "array", ... */
const char *bl_kind_name(enum bl_kind kind);

static inline enum bl_kind bl_value_kind(struct bl_value value)
{
	return (enum bl_kind)value.kind;
}

static inline bool bl_value_is(struct bl_value value, enum bl_kind kind)
{
	return value.kind == kind;
}

static inline bool bl_value_is_defined(struct bl_value value)
{
	return value.kind != BL_KIND_UNDEFINED;
}

/* True only for the boolean true. */
static inline bool bl_value_is_true(struct bl_value value)
{
	return value.kind == BL_KIND_BOOLEAN && value.as.boolean;
}

/* The text of a string; the empty string for every other kind. */
static inline struct bl_str bl_value_text(struct bl_value value)
{
	if (value.kind != BL_KIND_STRING)
		return (struct bl_str){ NULL, 0 };
	return (struct bl_str){ value.as.text, value.len };
}

/* Members of an array, object or set; 0 for every other kind. */
static inline size_t bl_value_count(struct bl_value value)
{
	return value.kind >= BL_KIND_ARRAY ? value.len : 0;
}

/* Member i of an array or set; undefined when absent. */
static inline struct bl_value bl_value_item(struct bl_value value, size_t i)
{
	if ((value.kind != BL_KIND_ARRAY && value.kind != BL_KIND_SET) ||
	    i >= value.len)
		return bl_value_undefined();
	if (BL_UNLIKELY(value.form))
		return bl_unpack(&value.as.packed[i]);
	return value.as.items[i];
}

/*
 * Key and value of an object's member i, in the order in which they came;
 * undefined when absent.
 */
struct bl_value bl_object_key(struct bl_value object, size_t i);
struct bl_value bl_object_value(struct bl_value object, size_t i);

/* The value of a string key; undefined when absent, or no object. */
struct bl_value bl_object_find(struct bl_value object, struct bl_str key);

/* As above for a key of any kind. */
struct bl_value bl_object_find_value(struct bl_value object,
				     struct bl_value key);

/* The number i of the member with this key; SIZE_MAX when absent. */
size_t bl_object_find_index(struct bl_value object, struct bl_value key);

/*
 * The number, in the order in which members came, of the member that is at
 * rank in the order of the keys; SIZE_MAX when absent.
 */
size_t bl_object_sorted_index(struct bl_value object, size_t rank);

/* Is item a member of the set? */
bool bl_set_has(struct bl_value set, struct bl_value item);

/*
 * How many values are in it, itself among them: what going through all of it
 * takes.  A part that is shared counts as often as it is met, so a few lines of
 * policy can make a value that nobody can go through:
 *
 *     a1 := [a0, a0]; a2 := [a1, a1]; ...; a40 has 2^41 values
 *
 * Rounded down to 9 significant bits; of packed containers their members alone.
 */
static inline uint64_t bl_value_weight(struct bl_value value)
{
	enum { MANTISSA_BITS = 9 };
	unsigned int code = value.reserved >> 2;

	if (!code)
		return 1 + (uint64_t)bl_value_count(value);
	return (uint64_t)(code & ((1u << MANTISSA_BITS) - 1))
	       << (code >> MANTISSA_BITS);
}

/* ---- order and identity ------------------------------------------------- */

/* <0, 0, >0; a total order over all values. */
int bl_value_compare(struct bl_value a, struct bl_value b);
bool bl_value_equal(struct bl_value a, struct bl_value b);

/* Equal values hash equal.  Not for hostile keys across processes: unkeyed. */
uint64_t bl_value_hash(struct bl_value value);

/* ---- numbers ------------------------------------------------------------ */

/* Digits that one number may have, and the largest exponent magnitude. */
enum { BL_NUMBER_MAX_DIGITS = 100000, BL_NUMBER_MAX_EXPONENT = 1000000 };

/*
 * A number from text in JSON's grammar.  spelling is borrowed when it is kept
 * (it must live as long as the value) .  SYNTAX when it is not a number, LIMIT
 * when it has too many digits or too large an exponent.
 */
enum bl_status bl_number_from_text(struct bl_str spelling,
				   struct bl_value *out_value);

/*
 * The shortest decimal spelling that reads back as this double, copied into
 * arena.  NaN and infinities give undefined; so does memory running out.
 */
struct bl_value bl_number_from_double(struct bl_arena *arena, double number);

/* True and *out_integer when the number is integral and fits. */
bool bl_number_to_integer(struct bl_value number, int64_t *out_integer);

/* Integral by value: 2, 2.0 and 20e-1 are. */
bool bl_number_is_integral(struct bl_value number);

/* The nearest double (infinite when too large); 0 for other kinds. */
double bl_number_to_double(struct bl_value number);

/* Appends the spelling that it came with, or the shortest decimal one. */
void bl_number_put(struct bl_buf *out, struct bl_value number);

/* Appends the one spelling of this numeric value ("1" for 1.0 and 1e0). */
void bl_number_put_canonical(struct bl_buf *out, struct bl_value number);

/* ---- arithmetic --------------------------------------------------------- */

enum bl_number_operator {
	BL_NUMBER_PLUS,
	BL_NUMBER_MINUS,
	BL_NUMBER_TIMES,
	BL_NUMBER_DIVIDED,   /* as floating point, also of integers */
	BL_NUMBER_QUOTIENT,  /* of integers, toward zero */
	BL_NUMBER_REMAINDER, /* of integers, with the sign of a */
	BL_NUMBER_AND,       /* these are of two's complement, without width */
	BL_NUMBER_OR,
	BL_NUMBER_XOR,
	BL_NUMBER_LEFT, /* a shifted by b, which is not negative */
	BL_NUMBER_RIGHT,
};

/*
 * a op b, in arena.  Exact for integral numbers; otherwise as OPA computes:
 * binary floating point with a 64-bit significand (docs/contracts/rego.md
 * "Numbers"). INVALID: a divisor of zero, a negative shift, or a number that is
 * not integral where it has to be; LIMIT: a result of more than 262144 bits.
 */
enum bl_status bl_number_combine(struct bl_arena *arena,
				 enum bl_number_operator op, struct bl_value a,
				 struct bl_value b, struct bl_value *out_value);

enum bl_number_rounding {
	BL_NUMBER_MAGNITUDE, /* no rounding: the absolute value */
	BL_NUMBER_TRUNCATED,
	BL_NUMBER_DOWN,
	BL_NUMBER_UP,
	BL_NUMBER_NEAREST, /* half away from zero */
};

enum bl_status bl_number_round(struct bl_arena *arena,
			       enum bl_number_rounding rounding,
			       struct bl_value number,
			       struct bl_value *out_value);

/*
 * The digits of an integral number in a radix from 2 to 16, lower case, in
 * arena; "-" in front of negative ones.  INVALID, LIMIT as above.
 */
enum bl_status bl_number_radix_text(struct bl_arena *arena,
				    struct bl_value number, uint32_t radix,
				    struct bl_str *out_text);

/* True and *out_integer when it is spelled as an integer, and fits. */
bool bl_number_is_plain(struct bl_value number, int64_t *out_integer);

/* <0, 0, >0 */
int bl_number_sign(struct bl_value number);

/* ---- building containers ------------------------------------------------ */

/*
 * An array whose items are copied (shallow) into arena.  Undefined when
 * memory is out or items has more than UINT32_MAX members.
 */
struct bl_value bl_array_make(struct bl_arena *arena,
			      const struct bl_value *items, size_t count);

/* A set of the items, sorted, without repeats.  Failure as above. */
struct bl_value bl_set_make(struct bl_arena *arena,
			    const struct bl_value *items, size_t count);

/* A set of the items of an array or set. */
struct bl_value bl_set_of(struct bl_arena *arena, struct bl_value list);

struct bl_member {
	struct bl_value key;
	struct bl_value value;
};

/*
 * An object of the members, copied (shallow) into arena, in their order.  Of
 * a repeated key the last value counts, at the place of the first (as in
 * JavaScript); *out_repeat (may be NULL) is then the index of the first
 * member that repeated an earlier one, else SIZE_MAX.  Undefined when memory
 * is out.
 */
struct bl_value bl_object_make(struct bl_arena *arena,
			       const struct bl_member *members, size_t count,
			       size_t *out_repeat);

enum bl_merge_how {
	BL_MERGE_FIRST = 0,  /* where both have a member, the first's counts */
	BL_MERGE_SECOND = 1, /* the second's */
	BL_MERGE_AGREE = 2,  /* they must be equal: else EXISTS */
	BL_MERGE_WHOLE = 4,  /* below `depth` one counts whole: else LIMIT */
};

struct bl_merge {
	unsigned how;   /* of enum bl_merge_how */
	unsigned depth; /* levels that are merged */
};

/*
 * The members of two objects in one: the first's in its order, then the second's that
 * are new.  Members that are objects in both are merged themselves, `depth` levels
 * down.  Of two that are not both objects one counts; an undefined one does not.
 * Also NO_MEMORY.
 */
enum bl_status bl_value_merge(struct bl_arena *arena, struct bl_value a,
			      struct bl_value b, struct bl_merge way,
			      struct bl_value *out_value);

/*
 * A growing list of members, for code that makes objects step by step.  It
 * never fails halfway: look at the result of bl_object_builder_end.
 */
struct bl_object_builder {
	struct bl_arena *arena;
	struct bl_member *members;
	size_t count;
	size_t cap;
	bool failed;
};

void bl_object_builder_init(struct bl_object_builder *builder,
			    struct bl_arena *arena);

/*
 * Room for count members at once, before the first is added, where their number
 * is known.
 */
void bl_object_builder_reserve(struct bl_object_builder *builder, size_t count);

/* key is borrowed.  An undefined value adds nothing. */
void bl_object_builder_add(struct bl_object_builder *builder, struct bl_str key,
			   struct bl_value value);

/* The object; undefined when memory ran out on the way. */
struct bl_value bl_object_builder_end(struct bl_object_builder *builder);

/* As above for arrays. */
struct bl_array_builder {
	struct bl_arena *arena;
	struct bl_value *items;
	size_t count;
	size_t cap;
	bool failed;
};

void bl_array_builder_init(struct bl_array_builder *builder,
			   struct bl_arena *arena);
void bl_array_builder_reserve(struct bl_array_builder *builder, size_t count);
void bl_array_builder_add(struct bl_array_builder *builder,
			  struct bl_value value);
struct bl_value bl_array_builder_end(struct bl_array_builder *builder);

/* ---- large values that stay --------------------------------------------- */

/*
 * Makes containers that need a quarter of the memory, for documents that are
 * large and stay, and are read a little slower: a member is 8 bytes, objects
 * with the same keys share them, and a short text lies where its pointer would
 * be.  Nobody who asks sees a difference.  All that is kept is in the arena,
 * copied; the tables of what can be shared are the packer's own.
 */
struct bl_packer;

/* NULL when memory is out. */
struct bl_packer *bl_packer_new(struct bl_arena *arena);
void bl_packer_free(struct bl_packer *packer);

/*
 * A scalar, or a container whose memory stays as long as the arena's, as it
 * is.  False when memory is out.
 */
bool bl_pack(struct bl_packer *packer, struct bl_value value,
	     struct bl_packed *out_packed);

/* An array of count items, which are copied.  False when memory is out. */
bool bl_pack_array(struct bl_packer *packer, const struct bl_packed *items,
		   size_t count, struct bl_packed *out_packed);

struct bl_packed_member {
	struct bl_packed key;
	struct bl_packed value;
};

/* The first member that repeated a key before it. */
struct bl_packed_repeat {
	size_t index; /* SIZE_MAX: absent */
	struct bl_packed key;
};

/*
 * An object.  Of repeated keys counts what does with bl_object_make; they are
 * taken out of members, whose *count then falls.  False when memory is out.
 */
bool bl_pack_object(struct bl_packer *packer, struct bl_packed_member *members,
		    size_t *count, struct bl_packed_repeat *out_repeat,
		    struct bl_packed *out_packed);

/*
 * A deep copy whose memory is all in arena.  Undefined when memory is out (or
 * when value is undefined).
 */
struct bl_value bl_value_copy(struct bl_arena *arena, struct bl_value value);

/* A string value of printf, in arena; undefined when memory is out. */
struct bl_value bl_value_printf(struct bl_arena *arena, const char *fmt, ...)
	BL_PRINTF(2, 3);

#endif

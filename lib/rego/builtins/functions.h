/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/builtins/functions.h: the functions behind the tables, and what they
 * share.
 *
 * A row is BUILTIN(name, function, arity, flags, operands, signature, doc), or
 * BUILTIN_VM(name, arity, flags, operands, signature, doc) where the compiler or
 * the vm does the work; each table is sorted by name:
 *
 *   builtins.def         the core: needs nothing but the C library, and is
 *                        in every program; included by builtins.c
 *   external/FAMILY.def  families that need a library or are large; included
 *                        by external/external.c
 *
 * Each function is named bl_fn_NAME with "_" for "."; the tables declare
 * them all, here and in external/functions.h.  The shared helpers are declared below and defined
 * in builtins.c, helpers.c and text_form.c.
 */
#ifndef BELAY_REGO_BUILTINS_FUNCTIONS_H
#define BELAY_REGO_BUILTINS_FUNCTIONS_H

#include "base/base64.h"
#include "base/buf.h"
#include "rego/builtins/builtins.h"

/* Rows sorted by name. */
struct bl_builtin_family {
	const struct bl_builtin *rows;
	size_t count;
};

/* The families of this program beside the core; the last one has no rows. */
extern const struct bl_builtin_family bl_builtin_external[];

#define BUILTIN(name, function, arity, flags, operands, signature, doc)        \
	bool function(struct bl_builtin_call *call);
#define BUILTIN_VM(name, arity, flags, operands, signature, doc)
#include "rego/builtins/builtins.def"
#undef BUILTIN
#undef BUILTIN_VM

/* ---- results ------------------------------------------------------------ */

/* The text of operand i (0-based), which the table says is a string. */
static inline struct bl_str bl_builtin_text(const struct bl_builtin_call *call,
					    size_t i)
{
	return bl_value_text(call->args[i]);
}

/*
 * Sets the result to a string with a copy of what out holds and clears out;
 * a fault when out failed, or when memory is out.
 */
bool bl_builtin_return_buf(struct bl_builtin_call *call, struct bl_buf *out);

bool bl_builtin_return_boolean(struct bl_builtin_call *call, bool boolean);
bool bl_builtin_return_integer(struct bl_builtin_call *call, int64_t integer);

/* A string value with a copy of str; undefined when memory is out. */
struct bl_value bl_builtin_string(struct bl_builtin_call *call,
				  struct bl_str str);

/* Fault: memory or a limit of the arena. */
bool bl_builtin_memory_fault(struct bl_builtin_call *call);

#ifdef __clang_analyzer__
#	define bl_builtin_memory_fault(call)                                  \
		((bl_builtin_memory_fault)(call), false)
#endif

/* ---- operands ----------------------------------------------------------- */

/*
 * Operand n (1-based) as an integer that is spelled as one ("plain int" of
 * docs/contracts/rego.md "Numbers").  False: the fault is set.
 */
bool bl_builtin_plain_integer(struct bl_builtin_call *call, size_t n,
			      int64_t *out_integer);

/* Fault: "operand N must be KIND of WANTEDs but got KIND containing KIND". */
bool bl_builtin_element_fault(struct bl_builtin_call *call, size_t n,
			      const char *wanted, struct bl_value element);

/* Are all items of operand n (an array or set) of this kind?  Else: fault. */
bool bl_builtin_wants_items(struct bl_builtin_call *call, size_t n,
			    enum bl_kind kind);

/* The value under key in an object, array (whole numbers) or set (members). */
struct bl_value bl_builtin_child(struct bl_value collection,
				 struct bl_value key);

/* ---- one value a query -------------------------------------------------- */

/* The value remembered under key; undefined when absent. */
struct bl_value bl_builtin_memo_find(const struct bl_builtin_call *call,
				     struct bl_value key);

/*
 * Remembers value under key for the rest of the query.  Both must live in the
 * call's arena or longer.
 */
bool bl_builtin_memo_add(struct bl_builtin_call *call, struct bl_value key,
			 struct bl_value value);

/* ---- regular expressions ------------------------------------------------ */

/*
 * The program of a pattern, made once a query; the pattern must live in the
 * call's arena or longer.  False: a fault is set.
 */
bool bl_builtin_regex(struct bl_builtin_call *call, struct bl_str pattern,
		      const struct bl_regex **out_regex);

/* The pattern of operand i (0-based), or the one compiled before. */
bool bl_builtin_regex_of(struct bl_builtin_call *call, size_t i,
			 const struct bl_regex **out_regex);

/*
 * The regular expression of template args[0] with delimiters args[2] and
 * args[3].  False: a fault is set.
 */
bool bl_builtin_template_pattern(struct bl_builtin_call *call,
				 struct bl_str *out_pattern);

/*
 * The regular expression of glob args[0] with delimiters args[1].  False: a
 * fault is set.
 */
bool bl_builtin_glob_pattern(struct bl_builtin_call *call,
			     struct bl_str *out_pattern);

/* ---- text form (docs/contracts/rego.md "Text form") --------------------- */

/* Appends value as sprintf's %v writes it; a bare string has no quotes. */
void bl_builtin_form_put(struct bl_buf *out, struct bl_value value);

/* Appends str as Go's strconv.Quote writes it. */
void bl_builtin_form_quote(struct bl_buf *out, struct bl_str str);

/* Appends compact JSON with sorted keys, escaped as Go does for HTML. */
void bl_go_json_put(struct bl_buf *out, struct bl_value value);

/*
 * Reads JSON as OPA does (numbers keep their text, of repeated keys the last
 * counts).  The text must live as long as the value.  False: a builtin fault
 * is set.
 */
bool bl_builtin_read_json(struct bl_builtin_call *call, struct bl_str text,
			  struct bl_value *out_value);

/* ---- urls.c --------------------------------------------------------------- */

/* Is it a URL to Go's net/url, with a scheme where that is needed? */
bool bl_builtin_is_url(struct bl_str text, bool needs_scheme);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego.h: Rego, the policy language of the Open Policy Agent, as a library.
 *
 * Give a compiler policies and data, and it makes rego_policies.  Ask them by a
 * query ("data.authz.allow"), which is compiled once and run as often as there
 * are inputs.  Inputs, data and results are JSON; inputs and values can be items
 * instead.
 *
 * Rules for every function in this header
 *   - A pointer named out_* receives something the caller now owns; free it
 *     with the type's own _free function.  On failure it is left untouched.
 *   - Any other pointer is borrowed for the length of the call.
 *   - A returned const pointer is borrowed from the object it came from and
 *     lives as long as that object.  All texts are UTF-8 and end with NUL.
 *   - Every _free function accepts NULL.  A required pointer that is NULL is
 *     REGO_USAGE; a function that returns a text or a number returns NULL or 0
 *     for it.
 *   - error may be NULL.
 *   - Policies and queries do not change: any number of threads may use one at
 *     once.  Any other object may be used from any thread, by one at a time.
 *   - Objects may be freed in any order: what one needs of another stays.
 *   - The library prints nothing, never exits, has no global state, and sends
 *     nothing over the network: http.send and net.lookup_ip_addr end an
 *     evaluation with an error.
 */
#ifndef REGO_H
#define REGO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#	define REGO_API __attribute__((visibility("default")))
#else
#	define REGO_API
#endif

/* ---- statuses and errors -------------------------------------------------- */

typedef int32_t rego_status;

#define REGO_OK        0
#define REGO_USAGE     64 /* the call is not right */
#define REGO_SYNTAX    65 /* JSON or a query that is not well formed */
#define REGO_INVALID   66 /* policies with errors, an evaluation that failed */
#define REGO_NOT_FOUND 67
#define REGO_EXISTS    68
#define REGO_UNSUPPORTED                                                       \
	69 /* of another version, or a builtin that is not here */
#define REGO_NO_MEMORY 70
#define REGO_SYSTEM    71 /* the operating system refused */
#define REGO_LIMIT     75 /* max_bytes, max_steps, a limit of the language */
#define REGO_TIMEOUT   76 /* timeout_ms has passed, or *cancelled was set */

/* The error, as a message for people.  Yours; set struct_size before the call. */
typedef struct rego_error {
	size_t struct_size; /* REGO_ERROR_INIT sets it */
	rego_status status;
	char message[512];
} rego_error;

#define REGO_ERROR_INIT                                                        \
	{                                                                      \
		sizeof(rego_error), REGO_OK, ""                                \
	}

/* The version of the library, "0.1.0". */
REGO_API const char *rego_version(void);

/* ---- texts ---------------------------------------------------------------- */

typedef struct rego_text rego_text;

REGO_API const char *rego_text_data(const rego_text *text);
REGO_API size_t rego_text_size(const rego_text *text); /* without the NUL */
REGO_API void rego_text_free(rego_text *text);

/* ---- compiling ------------------------------------------------------------ */

typedef struct rego_compiler rego_compiler;
typedef struct rego_policies rego_policies;

/* Flags of a compiler. */
#define REGO_V0         1u /* modules are of Rego v0 */
#define REGO_STRICT     2u /* opa's strict mode: unused names are errors, ... */
#define REGO_KEEP_PRINT 4u /* print() counts: see rego_run_options.print */
/*
 * Results can be explained (REGO_EXPLAIN).  Evaluation is slower, and there is no
 * image.
 */
#define REGO_EXPLAINABLE 8u

typedef struct rego_compiler_options {
	size_t struct_size; /* REGO_COMPILER_OPTIONS_INIT sets it */
	uint32_t flags;
	size_t max_bytes; /* of memory, policies and data; 0: 4 GiB */
	/* The builtins that policies may call: the text of OPA's capabilities.json. */
	const char *capabilities; /* NULL: all that there is */
	/* JSON schemas to check types by: an object as `opa --schema` reads. */
	const char *schemas; /* NULL: none */
} rego_compiler_options;

#define REGO_COMPILER_OPTIONS_INIT                                             \
	{                                                                      \
		sizeof(rego_compiler_options), 0, 0, NULL, NULL                \
	}

/* options may be NULL.  SYNTAX or INVALID for bad capabilities or schemas. */
REGO_API rego_status rego_compiler_new(const rego_compiler_options *options,
				       rego_compiler **out_compiler,
				       rego_error *error);
REGO_API void rego_compiler_free(rego_compiler *compiler);

/* A policy; name is for messages ("authz.rego").  text is copied. */
REGO_API rego_status rego_compiler_add_module(rego_compiler *compiler,
					      const char *name,
					      const char *text, size_t size,
					      rego_error *error);

/*
 * An object of data, merged with what is there.  INVALID when it is not an
 * object or conflicts.
 */
REGO_API rego_status rego_compiler_add_data(rego_compiler *compiler,
					    const char *json, size_t size,
					    rego_error *error);

/*
 * A bundle of OPA: a folder, or a .tar.gz file.  A signed bundle is refused: its
 * signature cannot be checked here.
 */
REGO_API rego_status rego_compiler_add_bundle(rego_compiler *compiler,
					      const char *path,
					      rego_error *error);

/* A call of a function of yours. */
typedef struct rego_call rego_call;

REGO_API size_t rego_call_count(const rego_call *call);

/* The operand at index as JSON (sets are arrays); NULL: none, or no memory. */
REGO_API const char *rego_call_operand(rego_call *call, size_t index);

/* The result, one JSON value.  Without one the call is undefined. */
REGO_API rego_status rego_call_return(rego_call *call, const char *json,
				      size_t size);

/* Why it failed, when the function gives another status than REGO_OK. */
REGO_API void rego_call_fail(rego_call *call, const char *message);

typedef struct rego_function {
	size_t struct_size; /* REGO_FUNCTION_INIT sets it */
	const char *name;   /* "acme.lookup"; not that of a builtin */
	/*
	 * The types of its operands and result, as in OPA's capabilities.json: {"type":
	 * "function", "args": [{"type": "string"}], "result": {"type": "any"}}.
	 */
	const char *declaration;
	int32_t is_nondeterministic; /* calls are never made once for many */
	void *context;
	/*
	 * Called while a query runs, by its thread.  Any status but REGO_OK is an
	 * error of a builtin: the call is undefined, or, with
	 * REGO_STRICT_ERRORS, the evaluation ends.
	 */
	rego_status (*call)(void *context, rego_call *call);
} rego_function;

#define REGO_FUNCTION_INIT                                                     \
	{                                                                      \
		sizeof(rego_function), NULL, NULL, 0, NULL, NULL               \
	}

/* It may be called by policies and queries.  There is no image then. */
REGO_API rego_status rego_compiler_add_function(rego_compiler *compiler,
						const rego_function *function,
						rego_error *error);

/*
 * Compiles what was added; afterwards the compiler can only be freed.  INVALID
 * when policies have errors: error has the first, with its place.
 * out_diagnostics may be NULL; it receives, whatever the status, a JSON array of
 * all errors, or NULL without errors:
 * [{"severity", "code", "file", "line", "column", "message"}].
 */
REGO_API rego_status rego_compile(rego_compiler *compiler,
				  rego_policies **out_policies,
				  rego_text **out_diagnostics,
				  rego_error *error);
REGO_API void rego_policies_free(rego_policies *policies);

/* These policies with other data, an object of JSON; nothing is compiled. */
REGO_API rego_status rego_policies_with_data(const rego_policies *policies,
					     const char *json, size_t size,
					     rego_policies **out_policies,
					     rego_error *error);

/*
 * Policies and data as an image, which rego_policies_open opens without
 * compiling: for the same version of the library on the same kind of machine.
 * `belay rego build -t image` writes them, too.  The bytes may hold NUL.
 */
REGO_API rego_status rego_policies_image(const rego_policies *policies,
					 rego_text **out_image,
					 rego_error *error);

/* The bytes are copied.  INVALID: damaged; UNSUPPORTED: of another version. */
REGO_API rego_status rego_policies_open(const void *image, size_t size,
					rego_policies **out_policies,
					rego_error *error);

/* ---- asking --------------------------------------------------------------- */

typedef struct rego_query rego_query;
typedef struct rego_result rego_result;

/*
 * Compiles a query of the language: "data.authz.allow", or "data.a.b[x]; x > 1".
 * A query of "data." and names alone is answered quickest.
 * out_diagnostics: as of rego_compile.
 */
REGO_API rego_status rego_query_new(const rego_policies *policies,
				    const char *text, rego_query **out_query,
				    rego_text **out_diagnostics,
				    rego_error *error);
REGO_API void rego_query_free(rego_query *query);

/* Flags of a run. */
#define REGO_STRICT_ERRORS 1u /* errors of builtins end the evaluation */
#define REGO_EXPLAIN       2u /* policies are REGO_EXPLAINABLE: USAGE if not */

typedef struct rego_run_options {
	size_t struct_size; /* REGO_RUN_OPTIONS_INIT sets it */
	uint32_t flags;
	uint32_t timeout_ms; /* 0: none */
	uint64_t max_steps;  /* calls and rounds of loops; 0: 10^9 */
	size_t max_bytes;    /* of memory; 0: 1 GiB */
	const int32_t
		*cancelled; /* not 0 ends it, from any thread; may be NULL */
	int64_t now_ns;     /* of time.now_ns; 0: the clock */
	void *print_context;
	/* Gets what print() writes, of policies with REGO_KEEP_PRINT. */
	void (*print)(void *context, const char *text, size_t size);
} rego_run_options;

#define REGO_RUN_OPTIONS_INIT                                                  \
	{                                                                      \
		sizeof(rego_run_options), 0, 0, 0, 0, NULL, 0, NULL, NULL      \
	}

/*
 * Runs it on an input, one JSON value; input NULL: no input.  options may be
 * NULL.  An evaluation that fails is INVALID, with OPA's code and text in the
 * message, LIMIT or TIMEOUT.  Take every status but REGO_OK for "no".
 */
REGO_API rego_status rego_query_run(const rego_query *query,
				    const rego_run_options *options,
				    const char *input, size_t size,
				    rego_result **out_result,
				    rego_error *error);
REGO_API void rego_result_free(rego_result *result);

/* Kinds of items. */
#define REGO_NULL    0
#define REGO_BOOLEAN 1
#define REGO_INTEGER 2
#define REGO_NUMBER  3 /* any, as JSON spells it */
#define REGO_TEXT    4
#define REGO_ARRAY   5
#define REGO_OBJECT  6

/*
 * A value as a row of items, for hosts whose values are objects of their own: it
 * saves them the writing of JSON, and the library the reading.  A scalar is one
 * item.  An array is an item with the number of its members, and then these; of an
 * object each member is a text, the key, and then its value.  {"a": [1, true]} is
 *
 *   { REGO_OBJECT, 1 }, { REGO_TEXT, 1, .as.text = "a" },
 *     { REGO_ARRAY, 2 }, { REGO_INTEGER, 0, .as.integer = 1 },
 *                        { REGO_BOOLEAN, 0, .as.integer = 1 }
 *
 * Of a key that repeats the last value counts.
 */
typedef struct rego_item {
	int32_t kind;
	uint32_t size; /* bytes of a text or number; members */
	union {
		int64_t integer;  /* and a boolean, 0 or 1 */
		const char *text; /* UTF-8; a number in ASCII */
	} as;
} rego_item;

/*
 * As rego_query_run on the one value that these items are; items NULL: no input.
 * SYNTAX when they are not one value, LIMIT when it is more than 512 deep.
 */
REGO_API rego_status rego_query_run_items(const rego_query *query,
					  const rego_run_options *options,
					  const rego_item *items, size_t count,
					  rego_result **out_result,
					  rego_error *error);

/*
 * As rego_query_run_items and rego_result_is_true, and the quickest way to ask: a
 * small evaluation takes no memory from the heap.
 */
REGO_API rego_status rego_query_ask(const rego_query *query,
				    const rego_run_options *options,
				    const rego_item *items, size_t count,
				    int32_t *out_is_true, rego_error *error);

/*
 * The value of the query's first statement in its first solution, as JSON; NULL:
 * undefined.  Sets are arrays.
 */
REGO_API const char *rego_result_value(rego_result *result);

/*
 * That value as items, which live as long as the result; *out_items NULL, 0 of them:
 * undefined.  Keys that are not texts are their JSON.  LIMIT when it is more than 512
 * deep.
 */
REGO_API rego_status rego_result_items(rego_result *result,
				       const rego_item **out_items,
				       size_t *out_count, rego_error *error);

/* 1 when that value is true, else 0. */
REGO_API int32_t rego_result_is_true(const rego_result *result);

/*
 * All solutions, as `opa eval` has them: [{"expressions": [value, ...],
 * "bindings": {name: value, ...}}, ...].
 */
REGO_API const char *rego_result_solutions(rego_result *result);

/*
 * Why, as a tree of the rules and statements that contributed, in JSON; NULL
 * without REGO_EXPLAIN.
 */
REGO_API const char *rego_result_explanation(rego_result *result);

/* ---- texts of policies ---------------------------------------------------- */

/* The module as `opa fmt` lays it out.  SYNTAX with the place. */
REGO_API rego_status rego_format(const char *name, const char *text,
				 size_t size, uint32_t flags, /* 0 or REGO_V0 */
				 rego_text **out_text, rego_error *error);

/* Its syntax tree, as `opa parse -f json` prints it. */
REGO_API rego_status rego_parse(const char *name, const char *text, size_t size,
				uint32_t flags, rego_text **out_json,
				rego_error *error);

#ifdef __cplusplus
}
#endif

#endif

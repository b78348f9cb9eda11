/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/runtime/runtime.h: evaluating compiled policies: what is asked, within
 * which limits, who may watch, and images, which hold policies that were
 * compiled before.
 *
 * Pure: no I/O.  Policies are immutable and may be evaluated by several threads
 * at once, each with an arena of its own.
 */
#ifndef BELAY_REGO_RUNTIME_RUNTIME_H
#define BELAY_REGO_RUNTIME_RUNTIME_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/error.h"
#include "rego/builtins/builtins.h"
#include "rego/builtins/host.h"

struct bl_vm;            /* rego/runtime/vm.h */
struct bl_rego_module;   /* rego/compiler/parse/ast.h */
struct bl_rego_policies; /* compiled modules, in the arena they were made in */
struct bl_rego_prepared; /* a compiled query */

/* ---- observing ------------------------------------------------------------ */

/* A rule or a statement, where it is written. */
struct bl_rego_mark {
	struct bl_str path; /* of the rule, "data.p.allow"; empty: the query */
	struct bl_str file; /* empty: the query */
	struct bl_str text;
	uint32_t line;
	uint32_t column;
	bool is_rule;
	bool is_some_in;     /* "some x in xs" */
	bool is_declaration; /* "some x" */
	uint32_t nesting; /* of statements: 1 in the body of a rule or query */
};

enum bl_rego_event_kind {
	BL_REGO_ENTER,    /* a rule begins to be tried */
	BL_REGO_EVAL,     /* a statement begins */
	BL_REGO_OPERANDS, /* what it compares; seen again in its FAIL */
	BL_REGO_HELD,     /* it has a solution; again: one more */
	BL_REGO_FAIL,     /* no solution */
	BL_REGO_EXIT,     /* the rule gives value */
	BL_REGO_CASE,     /* the case of a rule test_x[case] begins: keys */
	BL_REGO_ERROR,    /* a builtin failed, text says why; 10,000 at most */
	BL_REGO_PRINT,    /* print(), text is one line */
	BL_REGO_NOTE,     /* trace() was called with text */
};

/* Everything in it lives until the callback returns, values as the arena. */
struct bl_rego_event {
	enum bl_rego_event_kind kind;
	const struct bl_rego_mark *mark; /* NULL: CASE, ERROR, PRINT */
	uint32_t mark_number;            /* as bl_rego_each_mark counts */
	uint32_t depth;                  /* of calls, from 1 */
	bool again;
	const struct bl_vm *vm; /* ENTER to EXIT: for rego/tools/explain.c */
	struct bl_value value;
	/* EXIT of a rule "p[key]" or "p contains key"; CASE */
	const struct bl_value *keys;
	uint32_t key_count;
	struct bl_value operands[2]; /* FAIL, undefined: not a comparison */
	struct bl_str text;
	const char *code;   /* ERROR: as fault_code of a result */
	struct bl_str file; /* ERROR, PRINT: the place; empty: the query */
	uint32_t line;
	/* EVAL, HELD, FAIL: variables of the statement that have a value */
	const struct bl_str *names;
	const struct bl_value *values;
	uint32_t count;
};

struct bl_rego_observer {
	void *context;
	void (*notice)(void *context, const struct bl_rego_event *event);
	bool skips_errors; /* no ERROR is wanted: none is worded */
};

/*
 * Calls visit with each rule and statement of policies that were compiled to
 * be observed; numbers rise from 0.
 */
void bl_rego_each_mark(const struct bl_rego_policies *policies,
		       void (*visit)(void *context, uint32_t number,
				     const struct bl_rego_mark *mark),
		       void *context);

/* Calls visit with the name of each module. */
void bl_rego_each_file(const struct bl_rego_policies *policies,
		       void (*visit)(void *context, struct bl_str file),
		       void *context);

/* ---- evaluating ----------------------------------------------------------- */

/* The input and the limits of a query. */
struct bl_rego_options {
	struct bl_value input; /* undefined: absent */
	struct bl_value data;  /* an object; undefined: empty */
	/*
	 * Of bl_rego_query: the query sees the imports of this module and the
	 * rules of its package, as if it stood there; NULL: neither.
	 */
	const struct bl_rego_module *scope;
	bool strict_builtin_errors;
	uint64_t
		max_steps; /* rounds of loops and calls; 0: BL_REGO_MAX_STEPS */
	/*
	 * How much garbage rounds of a loop may leave before it is freed; 0: a
	 * quarter of a MiB.
	 */
	size_t garbage_bytes;
	struct bl_rego_host host;

	/* Asked every thousand steps or so; true ends the evaluation. */
	bool (*is_over)(void *context); /* NULL: never */
	void *is_over_context;

	const struct bl_rego_observer *observer; /* NULL: nobody */
};

enum { BL_REGO_MAX_STEPS = 1000000000 };

struct bl_rego_result {
	/*
	 * One object for each solution: "bindings", the named variables, and
	 * "expressions", the values of the statements in order.
	 */
	struct bl_value solutions;
	/* bl_rego_document: the document; undefined when absent. */
	struct bl_value document;
	/* When the evaluation failed: OPA's code, and "file:row: code: text" */
	const char *fault_code;
	struct bl_str fault;
	struct bl_str fault_text; /* without the place and the code */
	struct bl_str fault_file; /* empty: the query, or nowhere */
	uint32_t fault_line;      /* 0: nowhere */
	uint32_t fault_column;
};

/*
 * Runs it: *out_result is in arena.  OK also when the evaluation failed
 * (fault_code is set then); NO_MEMORY or LIMIT of the arena.
 */
enum bl_status bl_rego_run(const struct bl_rego_prepared *prepared,
			   const struct bl_rego_options *options,
			   struct bl_arena *arena,
			   struct bl_rego_result *out_result,
			   struct bl_error *err);

/*
 * Does data that evaluations are to begin with stand at or above no rule?  Each
 * rule that it would overrule goes to diags (rego_compile_error), and the status
 * is INVALID.
 */
enum bl_status bl_rego_check_data(const struct bl_rego_policies *policies,
				  struct bl_value data, struct bl_diags *diags,
				  struct bl_error *err);

#define BL_REGO_NO_DOCUMENT UINT32_MAX

/* One more step of a reference: ".name", or in brackets: ["no name"], [1]. */
void bl_rego_put_key(struct bl_buf *out, struct bl_value key);

/* Names as Rego has them, with "." between: "p.q.allow"? */
bool bl_rego_is_path(struct bl_str text);

/*
 * The number of the document at a path of names ("p.q.allow" is
 * data.p.q.allow), for bl_rego_document: the quickest way to a rule, without a
 * query.  BL_REGO_NO_DOCUMENT when no package or rule is there.
 */
uint32_t bl_rego_find(const struct bl_rego_policies *policies,
		      struct bl_str path);

/* Is it a function, which is called and has no value? */
bool bl_rego_is_function(const struct bl_rego_policies *policies,
			 uint32_t document);

/* Evaluates it: rules and base data.  Results as of bl_rego_run. */
enum bl_status
bl_rego_document(const struct bl_rego_policies *policies, uint32_t document,
		 const struct bl_rego_options *options, struct bl_arena *arena,
		 struct bl_rego_result *out_result, struct bl_error *err);

/*
 * Calls visit with the path ("data.pkg.deny", names with
 * dots between whatever is in them) and the place of each rule
 * whose last name begins with prefix, in the order of the tree.
 */
void bl_rego_each_rule(const struct bl_rego_policies *policies,
		       struct bl_str prefix, struct bl_arena *arena,
		       void (*visit)(void *context, struct bl_str path,
				     struct bl_str file, uint32_t line),
		       void *context);

/*
 * Does the code name this text: as a key, another constant, or an item of one?
 * Of compiled policies, not of an image.
 */
bool bl_rego_names(const struct bl_rego_policies *policies, struct bl_str text);

/* ---- images (docs/formats/image.md) -------------------------------------- */

/*
 * Opens an image, which stays where it is, aligned to 16 bytes, for as long as
 * the policies are used.  It is checked as a whole: INVALID when it is damaged,
 * UNSUPPORTED when it was made by another version or needs a builtin that is
 * not in this program.  Queries work as with compiled policies.
 */
enum bl_status bl_rego_image_open(struct bl_str image, struct bl_arena *arena,
				  const struct bl_rego_policies **out_policies,
				  struct bl_value *out_extra,
				  struct bl_error *err);

/* Some documents of an image, by their numbers. */
struct bl_rego_image_part {
	struct bl_str image;
	const uint32_t *documents;
	size_t document_count;
	/*
	 * The image is a part of this program, made by its build: nothing is
	 * checked, and the value that it carries is given only when no document
	 * is named.  Never for a file.
	 */
	bool is_trusted;
};

/*
 * As above for bl_rego_document with these: only what their evaluation can come
 * to is checked, and read, so that many policies cost no more than those that
 * are asked.  INVALID also when there is no such document.  Nothing else is to
 * be asked of these policies.
 */
enum bl_status
bl_rego_image_open_part(const struct bl_rego_image_part *part,
			struct bl_arena *arena,
			const struct bl_rego_policies **out_policies,
			struct bl_value *out_extra, struct bl_error *err);

#endif

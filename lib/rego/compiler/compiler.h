/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/compiler.h: from the text of policies and queries to programs.
 *
 * Text is parsed (parse), names and the order of statements are found out
 * (resolve), what cannot be right is refused (check, types, schema), and what is
 * left becomes code for the machine of rego/runtime (emit).
 */
#ifndef BELAY_REGO_COMPILER_COMPILER_H
#define BELAY_REGO_COMPILER_COMPILER_H

#include "base/diag.h"
#include "rego/runtime/runtime.h"

struct bl_rego_module; /* rego/compiler/parse/ast.h */
struct bl_rego_body;
struct bl_rego_source; /* below */

/* ---- syntax ------------------------------------------------------------- */

/*
 * Parses one module.  v0 reads it by the rules before Rego v1
 * (docs/contracts/rego.md "v0").  The tree is in arena and borrows text.  SYNTAX (rego_parse_error)
 * with the byte offset of the failure; LIMIT for nesting or size; NO_MEMORY.
 */
enum bl_status bl_rego_parse(struct bl_arena *arena, struct bl_str file,
			     struct bl_str text, bool v0,
			     const struct bl_rego_module **out_module,
			     size_t *out_offset, struct bl_error *err);

/*
 * As above; all errors go to diags (rego_parse_error), and err
 * has the first.
 */
enum bl_status bl_rego_parse_all(struct bl_arena *arena,
				 const struct bl_rego_source *source,
				 struct bl_diags *diags,
				 const struct bl_rego_module **out_module,
				 struct bl_error *err);

/* Parses a query (statements) by the rules of v1. */
enum bl_status bl_rego_parse_query(struct bl_arena *arena, struct bl_str text,
				   struct bl_rego_body **out_body,
				   size_t *out_offset, struct bl_error *err);

/*
 * Calls visit with the text of each statement of a query and where it begins:
 * all those that have a value in a solution, so not "some x".
 */
enum bl_status bl_rego_each_statement(
	struct bl_arena *arena, struct bl_str query,
	void (*visit)(void *context, struct bl_str text, size_t offset),
	void *context, struct bl_error *err);

struct bl_value bl_rego_package_path(struct bl_arena *arena,
				     const struct bl_rego_module *module);

/* Appends the module as canonical text; parsing that gives the same tree. */
void bl_rego_print(struct bl_buf *out, const struct bl_rego_module *module);

/*
 * Appends the statements of a query, one a line; builtins of operators are
 * written as operators: plus(1, 2, x) is "x = 1 + 2".
 */
void bl_rego_print_query(struct bl_buf *out, const struct bl_rego_body *query);

/* ---- what a module says of itself --------------------------------------- */

/*
 * One block of comments that begins with "# METADATA" (docs/contracts/rego.md
 * "Metadata").
 */
struct bl_rego_annotation {
	struct bl_value value; /* its YAML; undefined when it is not YAML */
	struct bl_str problem; /* why not */
	uint32_t line;         /* of "# METADATA" */
	uint32_t from;         /* bytes of the module's text */
	uint32_t to;
	bool before_package;
};

/* Calls visit with each in order; it borrows one.  NO_MEMORY or LIMIT. */
enum bl_status bl_rego_each_annotation(
	const struct bl_rego_module *module, struct bl_arena *arena,
	void (*visit)(void *context, const struct bl_rego_annotation *one),
	void *context, struct bl_error *err);

/* "a.b.c" of "package a.b.c", in arena; ptr NULL: memory. */
struct bl_str bl_rego_package(const struct bl_rego_module *module,
			      struct bl_arena *arena);

/* The body of the first rule; NULL: a rule without one, or no rule. */
const struct bl_rego_body *
bl_rego_first_body(const struct bl_rego_module *module);

/* One rule as it is written. */
struct bl_rego_head {
	struct bl_str name; /* the last one of "a.b.name" */
	bool is_set;        /* contains */
	bool is_default;
	bool is_function;
	uint32_t line;
	struct bl_str text; /* all of the rule */
};

/* Calls visit with each in order. */
void bl_rego_each_head(const struct bl_rego_module *module,
		       void (*visit)(void *context,
				     const struct bl_rego_head *head),
		       void *context);

/* ---- policies ----------------------------------------------------------- */

struct bl_rego_source {
	struct bl_str file; /* for messages */
	struct bl_str text;
	bool v0;
};

/* ---- what policies may call ------------------------------------------------ */

enum { BL_REGO_MAX_FUNCTIONS = 256 };

/* A call of a function of the embedder. */
struct bl_rego_call {
	void *context; /* of struct bl_rego_host */
	void *own;     /* of the function */
	struct bl_arena *arena;
	const struct bl_value *args; /* of the declared kinds, as many */
	size_t arg_count;
	struct bl_value result; /* in arena; undefined: so is the call */
	struct bl_str fault;    /* why it failed, without the name */
};

/*
 * A function of the embedder's own, called in policies and queries like a
 * builtin: its operands are type checked, "with" may replace it.  Nothing is
 * found out while compiling, so it is only called when a query is evaluated; a
 * call with operands that do not change may be made once for a whole loop
 * unless it is non-deterministic.  call gives false for a fault, which is an
 * error of a builtin: the call is undefined unless these are strict.
 */
struct bl_rego_function {
	struct bl_str name; /* "acme.lookup" */
	/*
	 * As in OPA's capabilities.json: {"type": "function", "args": [{"type":
	 * "string"}], "result": {"type": "null"}}.
	 */
	struct bl_value declaration;
	bool is_nondeterministic;
	void *own; /* for call */
	bool (*call)(struct bl_rego_call *call);
};

/* The functions and features that a capabilities.json of OPA allows. */
struct bl_rego_capabilities;

/*
 * Reads one: "builtins" with their declarations, "future_keywords", "features",
 * "allow_net".  INVALID when it is not one, or declares a builtin of ours with
 * another number of operands.  A builtin that we do not have may be called as
 * far as the checks go; its calls end the evaluation.  Beside OPA's features
 * there is "graphql_descriptions": trees of GraphQL queries have "Description"
 * where OPA 1.22 has it.  It is in arena and borrows file.
 */
enum bl_status
bl_rego_read_capabilities(struct bl_arena *arena, struct bl_value file,
			  const struct bl_rego_capabilities **out_capabilities,
			  struct bl_error *err);

/* Ours in the form of OPA's file, in arena; undefined: no memory. */
struct bl_value bl_rego_own_capabilities(struct bl_arena *arena);

/*
 * Those of a release of OPA ("v0.50.0" to "v1.22.3"), as far as it had what we
 * have, in arena.  NOT_FOUND: no such release.
 */
enum bl_status bl_rego_release_capabilities(struct bl_arena *arena,
					    struct bl_str version,
					    struct bl_value *out_capabilities,
					    struct bl_error *err);

/* Is it written as a release is: "v1.2.3"? */
bool bl_rego_is_release(struct bl_str text);

/* "allow_net"; none when the file has no such key, where OPA allows all. */
const struct bl_str *
bl_rego_allowed_hosts(const struct bl_rego_capabilities *capabilities,
		      size_t *out_count);

/* How sources are compiled; all zero is what OPA does without flags. */
struct bl_rego_compile_options {
	bool strict; /* OPA's strict mode: unused names are errors, and so on */
	bool print;  /* calls of print() are kept, for an observer */
	/*
	 * Code tells an observer what it does (see "observing").  It is slower:
	 * every rule is tried, every round of a loop is gone through.  Such
	 * policies have no image.
	 */
	bool observe;
	/*
	 * Each rule test_... is a document of its own, to be found by
	 * bl_rego_each_test: the second one of a name is called "test_x#01".
	 */
	bool tests;
	/*
	 * JSON schemas, by which types are checked: an object that has the one
	 * of input as "", and what annotations call schema.acl or schema.a.b as
	 * "acl" and "a/b".  Undefined: such annotations count for nothing;
	 * schemas that stand in annotations themselves always count.
	 */
	struct bl_value schemas;
	/*
	 * Further functions; policies that call one have no image.  Names of
	 * builtins are INVALID.  They must live as long as the policies.
	 */
	const struct bl_rego_function *functions;
	size_t function_count;
	/* Further functions, and more; NULL: all that there is. */
	const struct bl_rego_capabilities *capabilities;
};

/*
 * Parses and compiles all sources as one set.  options may be NULL.  Every
 * finding goes to diags, with one of OPA's codes; INVALID when there are
 * errors.  Sources must live as long as the policies.
 */
enum bl_status bl_rego_compile(struct bl_arena *arena,
			       const struct bl_rego_source *sources,
			       size_t source_count,
			       const struct bl_rego_compile_options *options,
			       struct bl_diags *diags,
			       const struct bl_rego_policies **out_policies,
			       struct bl_error *err);

/* ---- tests --------------------------------------------------------------- */

/* A rule that is named test_... or todo_test_..., or below such a name. */
struct bl_rego_test {
	struct bl_str path;    /* a query: data.a.test_x, data.a["test_x#01"] */
	struct bl_str package; /* data.a */
	struct bl_str name;    /* test_x, test_x#01 */
	struct bl_str file;
	uint32_t line;
	uint32_t column;
	bool is_todo;
	bool has_cases; /* test_x[case]: an object of its cases */
};

/*
 * Calls visit with each test of policies that were compiled with the option
 * tests, in the order of the sources; tests live as the policies.
 */
void bl_rego_each_test(const struct bl_rego_policies *policies,
		       void (*visit)(void *context,
				     const struct bl_rego_test *test),
		       void *context);

/* ---- queries ----------------------------------------------------------- */

/*
 * Compiles a query, to be run many times.  It is in arena and needs policies
 * to live.  INVALID or SYNTAX when it does not compile (see diags).
 */
enum bl_status bl_rego_prepare(const struct bl_rego_policies *policies,
			       struct bl_str query, struct bl_arena *arena,
			       struct bl_diags *diags,
			       const struct bl_rego_prepared **out_prepared,
			       struct bl_error *err);

/* As above; the query sees what scope does (see bl_rego_options). */
enum bl_status bl_rego_prepare_in(const struct bl_rego_policies *policies,
				  const struct bl_rego_module *scope,
				  struct bl_str query, struct bl_arena *arena,
				  struct bl_diags *diags,
				  const struct bl_rego_prepared **out_prepared,
				  struct bl_error *err);

/* bl_rego_prepare and bl_rego_run in one. */
enum bl_status bl_rego_query(const struct bl_rego_policies *policies,
			     struct bl_str query,
			     const struct bl_rego_options *options,
			     struct bl_arena *arena, struct bl_diags *diags,
			     struct bl_rego_result *out_result,
			     struct bl_error *err);

/* ---- images (docs/formats/image.md) -------------------------------------- */

/*
 * Appends the policies as an image to out, which must be empty, together with
 * a value that the reader gets back.  LIMIT when something does not fit.
 */
enum bl_status bl_rego_image_write(const struct bl_rego_policies *policies,
				   struct bl_value extra, struct bl_buf *out,
				   struct bl_error *err);

#endif

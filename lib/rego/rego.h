/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/rego.h: the policy language: Rego v1, as docs/contracts/rego.md has it.
 *
 * Text is parsed (syntax), analysed (analysis), compiled to code for a
 * register machine (bytecode) and run (vm), with the builtins of builtins.
 * Pure: no I/O.  A compiled set of policies is immutable and may be queried by
 * several threads at once, each with an arena of its own.
 */
#ifndef BELAY_REGO_REGO_H
#define BELAY_REGO_REGO_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/error.h"
#include "value/value.h"

struct bl_rego_module; /* rego/syntax/ast.h */
struct bl_rego_body;
struct bl_rego_source;   /* below */
struct bl_vm;            /* rego/vm/vm.h */
struct bl_rego_policies; /* compiled modules, in the arena they were made in */

/* ---- syntax ------------------------------------------------------------- */

/*
 * Parses one module.  v0 reads it by the rules before Rego v1
 * (docs/contracts/rego.md "v0").  The tree is in arena and borrows text.
 * SYNTAX (rego_parse_error) with the byte offset of the failure; LIMIT for
 * nesting or size; NO_MEMORY.
 */
enum bl_status bl_rego_parse(struct bl_arena *arena, struct bl_str file,
			     struct bl_str text, bool v0,
			     const struct bl_rego_module **out_module,
			     size_t *out_offset, struct bl_error *err);

/*
 * The same; everything that is wrong goes to diags (rego_parse_error), and err
 * has what comes first.
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

enum bl_rego_tree_parts {
	BL_REGO_TREE_COMMENTS = 1,
	BL_REGO_TREE_LOCATIONS = 2,
	BL_REGO_TREE_ANNOTATIONS = 4, /* METADATA */
};

/*
 * The tree as OPA writes it in JSON, with some of enum bl_rego_tree_parts.
 * Undefined when memory is out.
 */
struct bl_value bl_rego_tree(const struct bl_rego_module *module,
			     unsigned parts, struct bl_arena *arena);

/* Its package: an array of names, without "data".  Undefined: no memory. */
struct bl_value bl_rego_package_path(struct bl_arena *arena,
				     const struct bl_rego_module *module);

/* Appends the module as canonical text; parsing that gives the same tree. */
void bl_rego_print(struct bl_buf *out, const struct bl_rego_module *module);

enum bl_rego_version_change {
	/* "import rego.v1" and "future.keywords" are left out; of v1 modules */
	BL_REGO_DROP_V0_IMPORTS,
	/* rules as v1 wants them, and "import rego.v1": right by both */
	BL_REGO_V0_AND_V1,
};

/* A changed copy of a module, for bl_rego_format; NULL: no memory. */
const struct bl_rego_module *
bl_rego_change_version(struct bl_arena *arena,
		       const struct bl_rego_module *module,
		       enum bl_rego_version_change how);

/*
 * Appends the module as `opa fmt` lays it out, with its comments.  What comes
 * out is parsed again and compared: UNSUPPORTED when it is not the same policy
 * with the same comments (out is then of no use), else NO_MEMORY or LIMIT.
 */
enum bl_status bl_rego_format(struct bl_arena *arena,
			      const struct bl_rego_module *module,
			      struct bl_buf *out, struct bl_error *err);

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
	void *context; /* of struct bl_rego_options */
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
	bool (*call)(struct bl_rego_call *call);
};

/* What a capabilities.json of OPA allows. */
struct bl_rego_capabilities;

/*
 * Reads one: "builtins" with their declarations, "future_keywords", "features",
 * "allow_net".  INVALID when it is none, or declares a builtin of ours with
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
	/* What else may be called, and more; NULL: all that there is. */
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

/* ---- observing ------------------------------------------------------------ */

/* A rule or a statement, where it is written. */
struct bl_rego_mark {
	struct bl_str path; /* of the rule, "data.p.allow"; empty: the query */
	struct bl_str file; /* empty: the query */
	struct bl_str text;
	uint32_t line;
	uint32_t column;
	bool is_rule;
	uint32_t nesting; /* of statements: 1 in the body of a rule or query */
};

enum bl_rego_event_kind {
	BL_REGO_ENTER,    /* a rule begins to be tried */
	BL_REGO_EVAL,     /* a statement begins */
	BL_REGO_OPERANDS, /* what it compares; seen again in its FAIL */
	BL_REGO_HELD,     /* it has a solution; again: one more */
	BL_REGO_FAIL,     /* it had none */
	BL_REGO_EXIT,     /* the rule gives value */
	BL_REGO_CASE,     /* the case of a rule test_x[case] begins: value */
	BL_REGO_ERROR,    /* a builtin failed, text says why; 10,000 at most */
	BL_REGO_PRINT,    /* print(), text is one line */
};

/* Everything in it lives until the callback returns, values as the arena. */
struct bl_rego_event {
	enum bl_rego_event_kind kind;
	const struct bl_rego_mark *mark; /* NULL: CASE, ERROR, PRINT */
	uint32_t mark_number;            /* as bl_rego_each_mark counts */
	uint32_t depth;                  /* of calls, from 1 */
	bool again;
	const struct bl_vm *vm; /* ENTER to EXIT: for rego/explain.c */
	struct bl_value value;
	/* EXIT of a rule "p[key]" or "p contains key" */
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
};

/*
 * Calls visit with each rule and statement of policies that were compiled to
 * be observed; numbers rise from 0.
 */
void bl_rego_each_mark(const struct bl_rego_policies *policies,
		       void (*visit)(void *context, uint32_t number,
				     const struct bl_rego_mark *mark),
		       void *context);

/* ---- explaining ----------------------------------------------------------- */

/*
 * Why a result is as it is: an observer that remembers the ways that led to
 * something, and gives them as a tree.  Only what contributed is in it.
 */
struct bl_rego_explainer;

/* What to explain, and within which limits. */
struct bl_rego_explain_options {
	struct bl_str path; /* "data.p.deny", a package; empty: the query */
	/* The one member of a set, or the first key of an object. */
	struct bl_value element; /* undefined: all */
	/* 0: the usual ones */
	uint32_t depth;       /* of rules within rules; usually 8 */
	uint32_t nodes;       /* rules and statements; usually 200 */
	uint32_t value_bytes; /* of one value or text; usually 200 */
};

/* Everything it remembers is in arena, which is that of the evaluation. */
enum bl_status bl_rego_explainer_new(struct bl_arena *arena,
				     struct bl_rego_explainer **out_explainer,
				     struct bl_error *err);

/* For struct bl_rego_observer: the context is the explainer. */
void bl_rego_explainer_notice(void *context, const struct bl_rego_event *event);

/*
 * The tree of what was observed, as JSON's types, in arena (docs/internals/
 * rego.md has its form).  NO_MEMORY or LIMIT.
 */
enum bl_status bl_rego_explain(const struct bl_rego_explainer *explainer,
			       const struct bl_rego_explain_options *options,
			       struct bl_arena *arena,
			       struct bl_value *out_tree, struct bl_error *err);

/* Appends such a tree for people, each line indented by indent blanks. */
void bl_rego_put_explanation(struct bl_buf *out, struct bl_value tree,
			     size_t indent);

/* ---- the network ---------------------------------------------------------- */

enum {
	BL_REGO_HTTP_MAX_HEADERS = 200,
	BL_REGO_HTTP_MAX_REDIRECTS = 10,
	BL_REGO_HTTP_MAX_RETRIES = 10,
	BL_REGO_HTTP_MAX_ANSWER_BYTES = 16 << 20,
	BL_REGO_HTTP_MAX_TIMEOUT_S = 300, /* "no limit" is this one */
};

struct bl_rego_header {
	struct bl_str name;
	struct bl_str value;
};

/* PEM as a text, in a file, in a variable of the environment; ptr NULL: no. */
struct bl_rego_pem {
	struct bl_str text;
	struct bl_str file;
	struct bl_str variable;
};

/* One exchange: neither redirects nor proxies, and no other host. */
struct bl_rego_http_request {
	struct bl_str method; /* a token, in capitals */
	/* "http[s]://HOST[:PORT]/...", of ASCII, without user and fragment */
	struct bl_str url;
	struct bl_str host; /* of url, in lower case, [] left out */
	bool is_tls;        /* https */
	struct bl_str port; /* as it is written; empty: the usual one */
	bool has_body;      /* the policy gave one, perhaps an empty one */
	struct bl_str body;
	/* Without line ends; "Host" is one of them where a policy gave it. */
	const struct bl_rego_header *headers;
	size_t header_count;
	int64_t timeout_ns;
	uint32_t retries; /* when nothing came back */
	size_t max_answer_bytes;
	/* Who the server has to be, when it is not host; empty: host. */
	struct bl_str server_name;
	bool skip_verify;
	bool system_certs; /* beside ca */
	struct bl_rego_pem ca;
	struct bl_rego_pem client_cert;
	struct bl_rego_pem client_key;
	/* Asked now and then; true ends it (BL_REGO_HTTP_OVER). */
	bool (*is_over)(void *context);
	void *is_over_context;
};

enum bl_rego_http_end {
	BL_REGO_HTTP_ANSWERED,
	BL_REGO_HTTP_TIMED_OUT,
	BL_REGO_HTTP_TOO_LARGE, /* more than max_answer_bytes */
	BL_REGO_HTTP_FAILED,    /* on the way: error says why */
	BL_REGO_HTTP_INVALID,   /* it cannot be sent as it is: error says why */
	BL_REGO_HTTP_OVER,
	BL_REGO_HTTP_NO_MEMORY,
};

/* In the arena of the call; errors tell nothing of headers and bodies. */
struct bl_rego_http_answer {
	enum bl_rego_http_end end;
	struct bl_str error;
	uint32_t status;
	struct bl_str reason; /* "OK" */
	const struct bl_rego_header *headers;
	size_t header_count;
	struct bl_str body;
};

/* How policies reach other machines; the functions get context. */
struct bl_rego_network {
	/* Which ones: names or addresses as they stand in a URL or call. */
	const struct bl_str *hosts;
	size_t host_count;
	void *context;
	void (*send)(void *context, const struct bl_rego_http_request *request,
		     struct bl_arena *arena,
		     struct bl_rego_http_answer *out_answer);
	/* *out_set: addresses as strings.  False: *out_error says why. */
	bool (*lookup)(void *context, struct bl_str name,
		       struct bl_arena *arena, struct bl_value *out_set,
		       struct bl_str *out_error);
};

/* ---- evaluating ----------------------------------------------------------- */

/* What a query is asked about, and within which limits. */
struct bl_rego_options {
	struct bl_value input; /* undefined: there is none */
	struct bl_value data;  /* an object; undefined: empty */
	/*
	 * Of bl_rego_query: the query sees the imports of this module and the
	 * rules of its package, as if it stood there; NULL: neither.
	 */
	const struct bl_rego_module *scope;
	bool strict_builtin_errors;
	uint64_t
		max_steps; /* rounds of loops and calls; 0: BL_REGO_MAX_STEPS */
	int64_t now_ns;    /* of time.now_ns */

	/*
	 * What an evaluation cannot know by itself; NULL refuses.  read_zone
	 * gives, in arena, the TZif file of a time zone ("Europe/Paris", never
	 * with ".." or a leading "/"); fill_random fills out.
	 */
	void *context;
	bool (*read_zone)(void *context, struct bl_arena *arena,
			  struct bl_str name, struct bl_str *out_tzif);
	bool (*fill_random)(void *context, void *out, size_t len);

	/* NULL: http.send and net.lookup_ip_addr end the evaluation. */
	const struct bl_rego_network *network;

	/* Asked every thousand steps or so; true ends the evaluation. */
	bool (*is_over)(void *context);

	const struct bl_rego_observer *observer; /* NULL: nobody */
};

enum { BL_REGO_MAX_STEPS = 1000000000 };

struct bl_rego_result {
	/*
	 * One object for each solution: "bindings", the named variables, and
	 * "expressions", the values of the statements in order.
	 */
	struct bl_value solutions;
	/* bl_rego_document: the document; undefined when there is none. */
	struct bl_value document;
	/* When the evaluation failed: OPA's code, and "file:row: code: text" */
	const char *fault_code;
	struct bl_str fault;
};

struct bl_rego_prepared; /* a compiled query */

/*
 * Compiles a query, to be run many times.  It is in arena and needs policies
 * to live.  INVALID or SYNTAX when it does not compile (see diags).
 */
enum bl_status bl_rego_prepare(const struct bl_rego_policies *policies,
			       struct bl_str query, struct bl_arena *arena,
			       struct bl_diags *diags,
			       const struct bl_rego_prepared **out_prepared,
			       struct bl_error *err);

/* The same; the query sees what scope does (see bl_rego_options). */
enum bl_status bl_rego_prepare_in(const struct bl_rego_policies *policies,
				  const struct bl_rego_module *scope,
				  struct bl_str query, struct bl_arena *arena,
				  struct bl_diags *diags,
				  const struct bl_rego_prepared **out_prepared,
				  struct bl_error *err);

/*
 * Runs it: *out_result is in arena.  OK also when the evaluation failed
 * (fault_code is set then); NO_MEMORY or LIMIT of the arena.
 */
enum bl_status bl_rego_run(const struct bl_rego_prepared *prepared,
			   const struct bl_rego_options *options,
			   struct bl_arena *arena,
			   struct bl_rego_result *out_result,
			   struct bl_error *err);

#define BL_REGO_NO_DOCUMENT UINT32_MAX

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

/* bl_rego_prepare and bl_rego_run in one. */
enum bl_status bl_rego_query(const struct bl_rego_policies *policies,
			     struct bl_str query,
			     const struct bl_rego_options *options,
			     struct bl_arena *arena, struct bl_diags *diags,
			     struct bl_rego_result *out_result,
			     struct bl_error *err);

/*
 * Calls visit with the path ("data.pkg.test_x") and the place of each rule
 * whose last name begins with prefix, in the order of the tree.
 */
void bl_rego_each_rule(const struct bl_rego_policies *policies,
		       struct bl_str prefix, struct bl_arena *arena,
		       void (*visit)(void *context, struct bl_str path,
				     struct bl_str file, uint32_t line),
		       void *context);

/* ---- images (docs/formats/image.md) -------------------------------------- */

/*
 * Appends the policies as an image to out, which must be empty, together with
 * a value that the reader gets back.  LIMIT when something does not fit.
 */
enum bl_status bl_rego_image_write(const struct bl_rego_policies *policies,
				   struct bl_value extra, struct bl_buf *out,
				   struct bl_error *err);

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
};

/*
 * The same for bl_rego_document with these: only what their evaluation can come
 * to is checked, and read, so that many policies cost no more than those that
 * are asked.  INVALID also when there is no such document.  Nothing else is to
 * be asked of these policies.
 */
enum bl_status
bl_rego_image_open_part(const struct bl_rego_image_part *part,
			struct bl_arena *arena,
			const struct bl_rego_policies **out_policies,
			struct bl_value *out_extra, struct bl_error *err);

/* ---- plans (OPA's IR, "plan.json" of a bundle) ---------------------------- */

/*
 * Policies from a plan as JSON, which must live as long as they.  INVALID: it
 * is no sound plan; UNSUPPORTED: it needs a builtin that is not here; LIMIT.
 * Of options, which may be NULL, functions and capabilities count.  Such
 * policies are run by bl_rego_run_plan; queries find no rules in them.
 */
enum bl_status bl_rego_load_plan(struct bl_arena *arena, struct bl_value plan,
				 const struct bl_rego_compile_options *options,
				 const struct bl_rego_policies **out_policies,
				 struct bl_error *err);

/*
 * Runs an entry point ("pkg/rule"): solutions are the objects of its result
 * set (of OPA's: {"result": value}).  NOT_FOUND when there is no such plan;
 * otherwise as bl_rego_run.
 */
enum bl_status bl_rego_run_plan(const struct bl_rego_policies *policies,
				struct bl_str entrypoint,
				const struct bl_rego_options *options,
				struct bl_arena *arena,
				struct bl_rego_result *out_result,
				struct bl_error *err);

struct bl_rego_plan_request {
	const struct bl_rego_source *sources;
	size_t source_count;
	const struct bl_str *entrypoints; /* "pkg/rule" or "pkg" */
	size_t entrypoint_count;
	bool with_dependents; /* rules that need them are entry points, too */
	/* As they were compiled; may be NULL. */
	const struct bl_rego_compile_options *options;
};

/*
 * The plan of sources that compile, in arena, for bl_rego_load_plan and for
 * other readers of plan.json.  INVALID: an entry point is not there;
 * UNSUPPORTED: it has something that this writer of plans does not know; LIMIT.
 */
enum bl_status bl_rego_write_plan(struct bl_arena *arena,
				  const struct bl_rego_plan_request *request,
				  struct bl_value *out_plan,
				  struct bl_error *err);

/* Appends the code of every function, one instruction a line. */
void bl_rego_disassemble(struct bl_buf *out,
			 const struct bl_rego_policies *policies);

/* ---- digests and signed texts (RFC 7515), as the builtins have them ------ */

/*
 * Appends the digest of text in hexadecimal digits, by its name in bundles:
 * "SHA-256", "SHA-512-224", "MD5", ...  UNSUPPORTED: there is none so called.
 */
enum bl_status bl_rego_digest(struct bl_str algorithm, struct bl_str text,
			      struct bl_buf *out_hex, struct bl_error *err);

struct bl_rego_key {
	struct bl_str algorithm; /* "RS256", "ES384", "HS512", "EdDSA", ... */
	struct bl_str text;      /* PEM; of HS256, HS384, HS512 the secret */
};

/*
 * HEADER.PAYLOAD.SIGNATURE in arena: header (an object) gets "alg" and "typ".
 * INVALID: no such algorithm, or not the text of a private key that fits.
 */
enum bl_status bl_rego_sign_token(struct bl_arena *arena,
				  const struct bl_rego_key *key,
				  struct bl_value header, struct bl_str payload,
				  struct bl_str *out_token,
				  struct bl_error *err);

/*
 * The payload of a token, in arena, once its signature is found to be that of
 * the key, which may be a public one, a private one or a certificate.  The algorithm that the token names itself does not count.
 * INVALID: no such algorithm, no key, no token, or not signed by the key.
 */
enum bl_status bl_rego_verify_token(struct bl_arena *arena,
				    const struct bl_rego_key *key,
				    struct bl_str token,
				    struct bl_str *out_payload,
				    struct bl_error *err);

/* ---- reference ---------------------------------------------------------- */

/* Append the tables of builtins and of opcodes, as Markdown. */
void bl_rego_put_builtins(struct bl_buf *out);
void bl_rego_put_opcodes(struct bl_buf *out);

#endif

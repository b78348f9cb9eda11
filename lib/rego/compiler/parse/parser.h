/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/parse/parser.h: what the files of the parser share.
 *
 * A recursive descent parser over an array of tokens.  Functions return NULL
 * (or false) on failure and leave the parser at the token that failed.  Faults
 * are a list that only grows; going back to a mark takes the faults since then
 * along, so the reported faults are those of the last way that was tried.  Terms
 * are remembered by the token at which they begin, so that going back never
 * makes nested brackets exponential.
 */
#ifndef BELAY_REGO_COMPILER_PARSE_PARSER_H
#define BELAY_REGO_COMPILER_PARSE_PARSER_H

#include "rego/compiler/parse/ast.h"
#include "rego/compiler/parse/lexer.h"

/* Names that are keywords in a module besides those that always are. */
enum bl_rego_keywords {
	BL_KEYWORD_CONTAINS = 1,
	BL_KEYWORD_EVERY = 2,
	BL_KEYWORD_IF = 4,
	BL_KEYWORD_IN = 8,
	BL_KEYWORDS_V1 = 15,
	BL_KEYWORD_NOT_BODY = 16, /* the richer "not" */
	BL_KEYWORD_AND = 32,
	BL_KEYWORD_OR = 64,
	BL_KEYWORDS_V2 = 112,
};

enum { BL_REGO_MAX_NESTING = 1500 };

/* Something that is wrong: written out only when it is reported. */
struct bl_parser_fault {
	const struct bl_parser_fault *before;
	const struct bl_rego_token *unexpected; /* "unexpected X token: text" */
	const char *text;                       /* NULL: nothing expected */
	const struct bl_parser_hint *hints;     /* the last one first */
	uint32_t from;
	bool keyword; /* unexpected is one */
};

struct bl_parser_hint {
	const struct bl_parser_hint *before;
	const char *text;
};

/* The result for the term at a token; a term may have faults, too. */
struct bl_rego_memo {
	struct bl_rego_term *term;            /* NULL: it is not a term */
	const struct bl_parser_fault *faults; /* all by then; NULL: none came */
	size_t end; /* index of the token behind it and one; 0: not known */
	bool plain; /* a keyword at its beginning counted as a name */
};

struct bl_rego_parser {
	struct bl_arena *arena;
	struct bl_str text;
	const struct bl_rego_token *tokens;
	size_t at; /* index of the next token */
	unsigned keywords;
	bool v0;    /* the module is meant so */
	bool is_v1; /* ... but an import says v1 */
	unsigned depth;
	unsigned operators; /* "and" and "or" that were taken */
	size_t plain;       /* a keyword here is a name; SIZE_MAX: none */
	struct bl_rego_memo *memo; /* one per token */

	const struct bl_parser_fault *faults; /* the last one first */
	struct bl_parser_fault *late;       /* of what parsed well, as above */
	const struct bl_parser_hint *hints; /* for the next fault */
	const char *lex_text; /* what is wrong with the ILLEGAL token */
	/* what faults are about when it is not the next token: inside of it, or
	 * in front of it; NULL: it is */
	const struct bl_rego_token *stuck;

	/* a failure that is no matter of syntax */
	enum bl_status status;
	uint32_t stop_from;
	struct bl_error stop_error;
};

struct bl_parser_mark {
	size_t at;
	const struct bl_parser_fault *faults;
	const struct bl_parser_hint *hints;
};

/* ---- tokens -----------------------------------------------------------------
 */

static inline const struct bl_rego_token *
bl_parser_token(const struct bl_rego_parser *parser)
{
	return &parser->tokens[parser->at];
}

static inline bool bl_parser_is(const struct bl_rego_parser *parser,
				enum bl_rego_token_kind kind)
{
	return parser->tokens[parser->at].kind == kind;
}

static inline struct bl_str bl_parser_text(const struct bl_rego_parser *parser,
					   const struct bl_rego_token *token)
{
	return (struct bl_str){ parser->text.ptr + token->from,
				token->to - token->from };
}

/* Takes the next token when it is of this kind. */
bool bl_parser_accept(struct bl_rego_parser *parser,
		      enum bl_rego_token_kind kind);

/*
 * Is the next token this keyword, used as one (docs/contracts/rego.md
 * "Tokens")?
 */
bool bl_parser_is_keyword(const struct bl_rego_parser *parser,
			  const char *word);
bool bl_parser_accept_keyword(struct bl_rego_parser *parser, const char *word);

/* Is the next token this word, and a keyword, whatever follows? */
bool bl_parser_is_word(const struct bl_rego_parser *parser, const char *word);
bool bl_parser_accept_word(struct bl_rego_parser *parser, const char *word);

/* Does the next token go on at once with "." or "["? */
bool bl_parser_begins_ref(const struct bl_rego_parser *parser);

/* Is word a keyword in this module? */
bool bl_rego_is_keyword(const struct bl_rego_parser *parser,
			struct bl_str word);

/* The range from the token with index first to the last one taken. */
struct bl_rego_range bl_parser_range(const struct bl_rego_parser *parser,
				     size_t first);

/* ---- failures ---------------------------------------------------------------
 */

static inline struct bl_parser_mark
bl_parser_mark(const struct bl_rego_parser *parser)
{
	return (struct bl_parser_mark){ parser->at, parser->faults,
					parser->hints };
}

/* Goes to a mark, back as a rule: what failed since then is forgotten. */
static inline void bl_parser_go(struct bl_rego_parser *parser,
				struct bl_parser_mark mark)
{
	parser->at = mark.at;
	parser->stuck = NULL;
	parser->faults = mark.faults;
	parser->hints = mark.hints;
}

/* Notes a fault at the next token.  Always NULL, for `return`. */
void *bl_parser_fail(struct bl_rego_parser *parser, const char *fmt, ...)
	BL_PRINTF(2, 3);

/* As above at byte from of the text. */
void *bl_parser_fail_at(struct bl_rego_parser *parser, uint32_t from,
			const char *fmt, ...) BL_PRINTF(3, 4);

/* A fault of a statement that parsed well: reported when nothing else is. */
void bl_parser_fail_late(struct bl_rego_parser *parser, uint32_t from,
			 const char *text);

/* As above for a failure that is not a matter of syntax (memory, limits). */
void *bl_parser_stop(struct bl_rego_parser *parser, enum bl_status status,
		     const char *message);

/*
 * "unexpected X token" at the next token, with text (a constant, or in the
 * arena; NULL: none) behind ": ".
 */
void *bl_parser_unexpected(struct bl_rego_parser *parser, const char *text);

/* Adds a hint to the next fault: a constant, or in the arena. */
void bl_parser_hint(struct bl_rego_parser *parser, const char *text);

/* A text in the arena; NULL when there is no room (and the parser stops). */
const char *bl_parser_text_of(struct bl_rego_parser *parser, const char *fmt,
			      ...) BL_PRINTF(2, 3);

/* The text of a fault, in the arena. */
struct bl_str bl_parser_fault_text(const struct bl_rego_parser *parser,
				   const struct bl_parser_fault *fault);

/* One level of nesting more; false (a failure) when there are too many. */
bool bl_parser_enter(struct bl_rego_parser *parser);
void bl_parser_leave(struct bl_rego_parser *parser);

/* ---- lists ------------------------------------------------------------------
 */

/* A growing array of pointers in the arena. */
struct bl_rego_list {
	void **items;
	size_t count;
	size_t cap;
};

bool bl_rego_list_add(struct bl_rego_parser *parser, struct bl_rego_list *list,
		      void *item);

/* ---- the grammar ------------------------------------------------------------
 */

struct bl_rego_term *bl_parse_new_term(struct bl_rego_parser *parser,
				       enum bl_rego_term_kind kind);

/* A new term of this kind with the items of list. */
struct bl_rego_term *bl_parse_list_term(struct bl_rego_parser *parser,
					enum bl_rego_term_kind kind,
					const struct bl_rego_list *list);

/* A scalar of a string value that borrows text. */
struct bl_rego_term *bl_parse_string_term(struct bl_rego_parser *parser,
					  struct bl_str text);

/* parse_term.c: a term with its suffixes, without operators. */
struct bl_rego_term *bl_parse_term(struct bl_rego_parser *parser);

/* As above for the head of a rule: white space may follow its name. */
struct bl_rego_term *bl_parse_head_term(struct bl_rego_parser *parser);

/* parse_expr.c: a term with operators; in_comma allows "a, b in c". */
struct bl_rego_term *bl_parse_expr_term(struct bl_rego_parser *parser,
					bool in_comma);

/* parse_template.c: the TEMPLATE or RAW_TEMPLATE token that is next. */
struct bl_rego_term *bl_parse_template(struct bl_rego_parser *parser);

/*
 * parse_body.c: one statement; a query up to (not with) the closing token; with
 * EOF as that, up to where a further statement follows without ";".
 */
struct bl_rego_expr *bl_parse_literal(struct bl_rego_parser *parser);
struct bl_rego_body *bl_parse_query(struct bl_rego_parser *parser,
				    enum bl_rego_token_kind closing);

/* "{" query "}", at the "{". */
struct bl_rego_body *bl_parse_braced_query(struct bl_rego_parser *parser);

struct bl_rego_expr *bl_parse_new_expr(struct bl_rego_parser *parser,
				       enum bl_rego_expr_kind kind,
				       const struct bl_rego_list *terms);
void bl_parse_set_bodies(struct bl_rego_expr *expr,
			 const struct bl_rego_list *bodies);

/* Terms with ":=" or "=" between them or none; { "with" ... } behind. */
struct bl_rego_expr *bl_parse_plain(struct bl_rego_parser *parser);
bool bl_parse_withs(struct bl_rego_parser *parser, struct bl_rego_expr *expr);

/*
 * parse_logical.c: the chain of one keyword, "or" over "and" over operands;
 * before is the keyword in front of it, NULL: none.
 */
struct bl_rego_expr *bl_parse_logical(struct bl_rego_parser *parser,
				      unsigned keyword, const char *before);

/* "and" or "or" when it is next, else NULL. */
const char *bl_parse_logical_word(const struct bl_rego_parser *parser);

/* Behind "not", at "{" where it begins a block. */
struct bl_rego_expr *bl_parse_not_block(struct bl_rego_parser *parser);

/* The fault of the "with" at from, of an operand of what is next. */
void *bl_parse_refuse_with(struct bl_rego_parser *parser, uint32_t from);

/* A body of these expressions, without a range. */
struct bl_rego_body *bl_parse_new_body(struct bl_rego_parser *parser,
				       const struct bl_rego_list *exprs);

/* The expression that is just a term (NULL gives NULL). */
struct bl_rego_expr *bl_parse_term_expr(struct bl_rego_parser *parser,
					struct bl_rego_term *term);

/* A body of one expression. */
struct bl_rego_body *bl_parse_single_body(struct bl_rego_parser *parser,
					  struct bl_rego_expr *expr);

/*
 * parse_rule.c: a rule that a body, "contains" or "default" marks as one; NULL
 * without a fault when it is not such a rule.
 */
struct bl_rego_rule *bl_parse_rule(struct bl_rego_parser *parser);

/* Is a keyword that is meant as the name of a rule next?  Then a fault. */
bool bl_parse_keyword_name(struct bl_rego_parser *parser, bool is_default);

/* Takes a name apart (a call is a name with arguments); false: it is not one. */
bool bl_parse_set_name(struct bl_rego_rule *rule, struct bl_rego_term *term);

/*
 * parse_head.c: a statement that is a rule by its shape only.  False with a
 * fault; *out_rule NULL (a late fault) when it parses but is not a rule.
 */
bool bl_parse_short_rule(struct bl_rego_parser *parser,
			 struct bl_rego_rule **out_rule);

/* Late faults for what v1 demands of a rule, its "else" and further bodies. */
void bl_parse_check_v1(struct bl_rego_parser *parser,
		       const struct bl_rego_rule *rule);

/* A rule p[x] that has neither value nor "contains" nor "if": a set, in v0. */
bool bl_rego_is_old_set(const struct bl_rego_rule *rule);

/* The kind of a term that depends on names; NULL: it does not. */
const char *bl_rego_variable_kind(const struct bl_rego_term *term);

/* How a term is called in faults: "var", "ref", "number", ... */
const char *bl_rego_term_kind_name(const struct bl_rego_term *term);

#endif

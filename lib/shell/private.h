/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/private.h: what the files of the parser share.
 *
 * bash reads a line in two stages, and so does this module, because the stages
 * disagree about where a quote ends:
 *
 *   1. scan.c and lex.c find where a word ends, by the rules of bash's parser.
 *      $( ) is parsed there and then; ${ }, $(( )), "..." and `...` are only
 *      balanced.  The result is the word's text: backslash-newlines removed,
 *      $'...' decoded, with a list of the substitutions in it.
 *   2. parts.c and parameter.c split that text into parts, by the rules by
 *      which bash expands it when it runs.
 *
 * Example: "${x:-'}'}" is one word for stage 1, in which '}' is quoted.  For
 * stage 2 the first } ends the expansion, and '} is text behind it.
 *
 * Texts that are not slices of the source (the inside of back-quotes, a word
 * with a backslash-newline) carry rows that say where their bytes come from.
 */
#ifndef BELAY_SHELL_PRIVATE_H
#define BELAY_SHELL_PRIVATE_H

#include "shell/shell.h"

/* From offset at of a text on, bytes come from source on. */
struct bl_sh_row {
	uint32_t at;
	uint32_t source;
};

/* A text that knows its places: base + offset, or by rows, ascending. */
struct bl_sh_text {
	const char *ptr;
	uint32_t len;
	uint32_t base;   /* without rows */
	uint32_t origin; /* of the text in the numbers of its rows */
	uint32_t row_count;
	const struct bl_sh_row *rows; /* ascending */
};

enum bl_sh_token_kind {
#define TOKEN(name, text, begins) SH_##name,
#include "shell/tokens.def"
#undef TOKEN
	SH_TOKEN_COUNT
};

struct bl_sh_token {
	enum bl_sh_token_kind kind;
	uint32_t start; /* offsets in the input */
	uint32_t end;
	struct bl_shell_word *word; /* WORD, ASSIGNMENT, VARIABLE, ARITHMETIC */
	int32_t number;             /* NUMBER */
	bool is_quoted;             /* WORD: has quotes, for delimiters */
};

/*
 * The text of the word that is being scanned: a slice of the input as long as
 * nothing in it changes, then a copy on the scratch stacks of the parser.
 */
struct bl_sh_build {
	uint32_t start; /* of the slice, offsets in the input */
	uint32_t end;
	bool is_copied;
	uint32_t bytes_at; /* where it begins on the stacks */
	uint32_t rows_at;
	uint32_t substitutions_at;
};

/* Scratch that grows like a stack; words inside words stand on top. */
struct bl_sh_scratch {
	char *bytes;
	size_t byte_count, byte_cap;
	struct bl_sh_row *rows;
	size_t row_count, row_cap;
	struct bl_shell_substitution *substitutions;
	size_t substitution_count, substitution_cap;
};

/* Which of the lexer's rules hold now. */
struct bl_sh_mode {
	bool case_pattern; /* esac alone is reserved */
	bool expects_in;   /* behind for NAME, case WORD, select NAME */
	bool in_case;      /* what expects_in waits for is the in of a case */
	bool in_condition; /* between [[ and ]] */
	bool in_array;     /* between ( and ) of name=( */
	bool assigns;      /* arguments of declare, export, ... */
	bool prefix;       /* only redirections and assignments so far */
	bool extglob;
	bool regex;         /* the right side of =~ */
	bool function_name; /* a { may follow */
};

struct bl_sh_pending {
	struct bl_sh_pending *next;
	struct bl_shell_here *here;
	bool strips_tabs;
};

/* Where the parser stands in a text; saved while another is read. */
struct bl_sh_input {
	struct bl_sh_text text;
	uint32_t pos;
	uint32_t reach;           /* the furthest pos before a second try */
	uint32_t taken_end;       /* of the last token that was taken */
	struct bl_sh_token token; /* the next one, if has_token */
	bool has_token;
	enum bl_sh_token_kind previous, before_previous;
	struct bl_sh_mode mode;
	struct bl_sh_pending *pending; /* here-documents of this line */
	struct bl_sh_pending **pending_end;
	uint32_t pending_count;
	char closes; /* ')' inside a substitution */
};

struct bl_sh_parser {
	struct bl_arena *arena;
	struct bl_str source; /* what bl_shell_parse was given */
	struct bl_sh_input in;
	struct bl_sh_build build;
	struct bl_sh_scratch scratch;
	struct bl_shell_fault fault; /* the first; stops everything */
	bool is_fatal;               /* a limit or memory: also outside */
	bool extglob;
	bool follows_shopt;
	uint32_t depth, depth_max;
	uint32_t nodes, nodes_max;
	uint64_t work, work_max; /* bytes read a second time */
};

/* The state saved while another text is read; the fault stays. */
struct bl_sh_state {
	struct bl_sh_input in;
	struct bl_sh_build build;
	size_t byte_count, row_count, substitution_count;
	uint32_t depth;
};

static inline struct bl_sh_state bl_sh_save(const struct bl_sh_parser *p)
{
	return (struct bl_sh_state){ p->in,
				     p->build,
				     p->scratch.byte_count,
				     p->scratch.row_count,
				     p->scratch.substitution_count,
				     p->depth };
}

static inline void bl_sh_restore(struct bl_sh_parser *p,
				 const struct bl_sh_state *state)
{
	p->in = state->in;
	p->build = state->build;
	p->scratch.byte_count = state->byte_count;
	p->scratch.row_count = state->row_count;
	p->scratch.substitution_count = state->substitution_count;
	p->depth = state->depth;
}

/* ---- text.c: places, and texts that are built ------------------------------ */

uint32_t bl_sh_place(const struct bl_sh_text *text, uint32_t offset);
/* Where the byte before offset ends. */
uint32_t bl_sh_place_end(const struct bl_sh_text *text, uint32_t offset);
struct bl_shell_span bl_sh_span(const struct bl_sh_text *text, uint32_t start,
				uint32_t end);
struct bl_sh_text bl_sh_slice(const struct bl_sh_text *text, uint32_t start,
			      uint32_t end);

struct bl_sh_build bl_sh_build_begin(struct bl_sh_parser *p);
/* The length so far. */
uint32_t bl_sh_build_length(const struct bl_sh_parser *p);
/* The bytes so far; valid until the next change. */
const char *bl_sh_build_bytes(const struct bl_sh_parser *p);
/* Adds the byte at pos - 1 of the input, which was just read. */
void bl_sh_build_add(struct bl_sh_parser *p);
/* Adds bytes that stand for the source first..last, offsets of the source. */
void bl_sh_build_put(struct bl_sh_parser *p, struct bl_str bytes,
		     uint32_t first, uint32_t last);
void bl_sh_build_cut(struct bl_sh_parser *p, uint32_t length);
/* A $(( at the length at, of which the end is not known yet. */
void bl_sh_build_reserve(struct bl_sh_parser *p, uint32_t at);
/* A substitution ends here; it begins at the length at. */
void bl_sh_build_substitution(struct bl_sh_parser *p, uint32_t at,
			      struct bl_shell_script *script);
/* An array ends here; its ( is at the length at. */
void bl_sh_build_array(struct bl_sh_parser *p, uint32_t at,
		       struct bl_shell_word *elements);
/* The finished text in the arena; outer is built again. */
struct bl_sh_text bl_sh_build_end(struct bl_sh_parser *p,
				  const struct bl_sh_build *outer,
				  const struct bl_shell_substitution **out_list,
				  uint32_t *out_count);

/* A fault, once.  The span is in the input's text. */
void bl_sh_fault(struct bl_sh_parser *p, enum bl_shell_fault_kind kind,
		 uint32_t start, uint32_t end, const char *fmt, ...)
	BL_PRINTF(5, 6) BL_COLD;
void *bl_sh_node(struct bl_sh_parser *p, size_t bytes);
#define bl_sh_new(p, type) ((type *)bl_sh_node((p), sizeof(type)))
/* One level deeper, false with a fault when that is too deep. */
bool bl_sh_enter(struct bl_sh_parser *p);
bool bl_sh_again(struct bl_sh_parser *p, uint32_t bytes);

static inline bool bl_sh_failed(const struct bl_sh_parser *p)
{
	return p->fault.kind != BL_SHELL_NO_FAULT;
}

static inline void bl_sh_leave(struct bl_sh_parser *p)
{
	p->depth--;
}

/* ---- scan.c: balanced text ------------------------------------------------- */

enum bl_sh_scan_flags {
	SCAN_DOUBLE = 1, /* inside double quotes */
	SCAN_BRACE = 2,  /* ${ } */
	SCAN_FIRST = 4,  /* the first closing byte ends it */
	SCAN_ARITHMETIC = 8,
	SCAN_SUBSCRIPT = 16,
	SCAN_ESCAPES = 32, /* $'...': a backslash quotes */
};

/* The byte at pos, behind backslash-newlines, which are skipped; -1: the end. */
int bl_sh_peek(struct bl_sh_parser *p);
/* The byte behind the one at pos, which stays; -1: the end. */
int bl_sh_peek_second(struct bl_sh_parser *p);
/* Reads to the matching close; open was just added.  quote: " ' ` or 0. */
bool bl_sh_scan(struct bl_sh_parser *p, char open, char close, unsigned flags);
/* Behind the $ of $' and $": added; the quote is next.  flags: the context. */
bool bl_sh_scan_dollar_quote(struct bl_sh_parser *p, unsigned flags,
			     bool keeps_quotes);
/* Behind $( <( >(: at is where the $ stands in the build. */
bool bl_sh_scan_substitution(struct bl_sh_parser *p, uint32_t at);

/* ---- lex.c ----------------------------------------------------------------- */

const struct bl_sh_token *bl_sh_token(struct bl_sh_parser *p);
struct bl_sh_token bl_sh_take(struct bl_sh_parser *p);
bool bl_sh_accept(struct bl_sh_parser *p, enum bl_sh_token_kind kind);
bool bl_sh_expect(struct bl_sh_parser *p, enum bl_sh_token_kind kind);
void bl_sh_unexpected(struct bl_sh_parser *p);
void bl_sh_skip_newlines(struct bl_sh_parser *p);
/* A reserved word's row, or SH_WORD. */
enum bl_sh_token_kind bl_sh_find_reserved(struct bl_str text);
bool bl_sh_token_begins(enum bl_sh_token_kind kind);
const char *bl_sh_token_text(enum bl_sh_token_kind kind);
/* Which reserved word text is here; WORD: none. */
enum bl_sh_token_kind bl_sh_reserved(struct bl_sh_parser *p,
				     struct bl_str text);
bool bl_sh_is_name(struct bl_str text);

/* ---- word.c: one word ------------------------------------------------------ */

/*
 * Reads the word at pos into *token: WORD or ASSIGNMENT, NUMBER or VARIABLE, or
 * the reserved word that it is here.
 */
bool bl_sh_read_word(struct bl_sh_parser *p, struct bl_sh_token *token);
/*
 * The expression behind ((, up to )); is_count: the three of for (( ; ; )),
 * linked.  NULL: it is not one, or a fault.
 */
struct bl_shell_word *bl_sh_read_arithmetic(struct bl_sh_parser *p,
					    bool is_count);

/* ---- here.c ---------------------------------------------------------------- */

/* To be read at the next newline. */
bool bl_sh_here_expect(struct bl_sh_parser *p,
		       struct bl_shell_redirection *redirection,
		       bool is_quoted);
/* Reads the bodies that are pending. */
bool bl_sh_here_read(struct bl_sh_parser *p);

/* ---- parse.c, compound.c, condition.c --------------------------------------- */

struct bl_shell_list *bl_sh_parse_list(struct bl_sh_parser *p);
struct bl_shell_command *bl_sh_parse_compound(struct bl_sh_parser *p);
/* A ( ) whose ( at start was taken already. */
struct bl_shell_command *bl_sh_parse_subshell(struct bl_sh_parser *p,
					      uint32_t start);
struct bl_shell_test *bl_sh_parse_condition(struct bl_sh_parser *p);
bool bl_sh_parse_redirections(struct bl_sh_parser *p,
			      struct bl_shell_command *command);
/* first: a word that was read already, or NULL. */
struct bl_shell_command *bl_sh_parse_simple(struct bl_sh_parser *p,
					    struct bl_sh_token *first);
bool bl_sh_is_compound(enum bl_sh_token_kind kind);
/* The script up to closes ( ')' , or 0 for the end of the text). */
struct bl_shell_script *bl_sh_parse_script(struct bl_sh_parser *p, char closes);
/* Another text, on its own: its fault stays in the script. */
struct bl_shell_script *bl_sh_parse_text(struct bl_sh_parser *p,
					 const struct bl_sh_text *text);

/* ---- parts.c, parameter.c --------------------------------------------------- */

enum bl_sh_part_mode {
	PARTS_WORD,       /* quotes quote */
	PARTS_DOUBLE,     /* inside "..." */
	PARTS_HERE,       /* a body: as DOUBLE, but " is text */
	PARTS_ARITHMETIC, /* quotes are text */
	PARTS_BRACE,      /* the word of ${x-word} inside double quotes */
};

/* A text with the substitutions that stage 1 found in it. */
struct bl_sh_source {
	struct bl_sh_text text;
	const struct bl_shell_substitution *substitutions;
	uint32_t substitution_count;
};

/* One text being split; words inside words have one each. */
struct bl_sh_split {
	struct bl_sh_parser *p;
	const struct bl_sh_source *source;
	uint32_t pos;
	uint32_t to;
	enum bl_sh_part_mode mode;
	const char *stops; /* the bytes that end it where they are not quoted */
	char open,
		close; /* a pair that counts: the close inside does not end it */
	struct bl_shell_word *word; /* takes the parts and the flags */
};

/* The first substitution of stage 1 at or behind pos. */
uint32_t bl_sh_find_from(const struct bl_sh_source *source, uint32_t pos);

/* Splits from pos to a stop or the end; pos is there then. */
bool bl_sh_split_run(struct bl_sh_split *split);
/* A new word of what stands from pos to a stop. */
struct bl_shell_word *bl_sh_split_word(const struct bl_sh_split *outer,
				       enum bl_sh_part_mode mode,
				       const char *stops, uint32_t *pos);
/* Splits source from..to into parts of word, and sets its flags. */
bool bl_sh_split(struct bl_sh_parser *p, const struct bl_sh_source *source,
		 uint32_t from, uint32_t to, enum bl_sh_part_mode mode,
		 struct bl_shell_word *word);
/* A word of a piece of source, with its parts. */
struct bl_shell_word *bl_sh_subword(struct bl_sh_parser *p,
				    const struct bl_sh_source *source,
				    uint32_t from, uint32_t to,
				    enum bl_sh_part_mode mode);
/*
 * The ${ at split->pos: NULL when it is not one that bash takes; *end is behind
 * its }, or, for a bad one, where bash would look for it.
 */
struct bl_shell_parameter *bl_sh_split_parameter(struct bl_sh_split *split,
						 uint32_t *end);

#endif

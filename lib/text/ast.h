/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text/ast.h: a parsed pattern, and the pieces of the parser.
 *
 * Nodes live in an arena that ends with the compilation.  The children of
 * NODE_CAT and NODE_ALT are linked from the last to the first, since programs
 * are written backwards.
 */
#ifndef BELAY_TEXT_AST_H
#define BELAY_TEXT_AST_H

#include "text/regex.h"

enum node_kind {
	NODE_EMPTY,
	NODE_CHAR,   /* value: the character */
	NODE_SET,    /* set */
	NODE_ASSERT, /* value: an enum regex_assert bit */
	NODE_GROUP,  /* value: number of the capture group; last: content */
	NODE_CAT,
	NODE_ALT,
	NODE_REPEAT,  /* min, max, lazy; last: content */
	NODE_LOOK,    /* value: enum look; last: content */
	NODE_BACKREF, /* value: number of the group */
};

enum look {
	LOOK_AHEAD,
	LOOK_NOT_AHEAD,
	LOOK_BEHIND,
	LOOK_NOT_BEHIND,
};

#define REPEAT_FOREVER UINT32_MAX /* as max */

/* Rising ranges that do not touch; constant or in the arena. */
struct charset {
	const struct regex_range *ranges;
	uint32_t count;
};

struct node {
	uint8_t kind;
	bool lazy;
	bool nullable; /* can match nothing */
	uint32_t value;
	uint32_t min;
	uint32_t max;
	uint32_t repeats; /* largest product of nested counts */
	const struct charset *set;
	struct node *last; /* last child */
	struct node *prev; /* sibling before */
};

/* ---- sets of characters (charset.c) ------------------------------------- */

/* Ranges on their way to a charset, in any order. */
struct charset_build {
	struct bl_arena *arena;
	struct regex_range *ranges;
	uint32_t count;
	uint32_t room;
	bool fold;   /* add what folds alike, too */
	bool failed; /* out of memory */
};

extern const struct charset charset_digit, charset_word, charset_space_re2,
	charset_space_js, charset_dot_re2, charset_dot_js, charset_all;

void charset_add(struct charset_build *build, uint32_t lo, uint32_t hi);
void charset_add_set(struct charset_build *build, const struct charset *set,
		     bool negate);

/* The set of all that was added, or its complement; NULL: out of memory. */
const struct charset *charset_finish(struct charset_build *build, bool negate);

/* Adds a Unicode group ("L", "Lu", "Greek", "Any"); false: no such. */
bool charset_add_unicode(struct charset_build *build, struct bl_str name);

/* Whether the Unicode group of that name has rune. */
bool charset_unicode_has(struct bl_str name, uint32_t rune);

/* Adds a POSIX class ("alpha"); false: no such. */
bool charset_add_posix(struct charset_build *build, struct bl_str name,
		       bool negate);

/* Whether other characters fold like rune. */
bool charset_folds(uint32_t rune);

/* All that fold like rune; NULL: out of memory. */
const struct charset *charset_folded(struct bl_arena *arena, uint32_t rune);

/* ---- the parser ---------------------------------------------------------- */

enum parse_flag {
	FLAG_FOLD = 1,       /* (?i) */
	FLAG_MULTI_LINE = 2, /* (?m) */
	FLAG_DOT_ALL = 4,    /* (?s) */
	FLAG_SWAP_LAZY = 8,  /* (?U) */
};

struct parser;

/* A backslash in brackets: a character, or a set that was added. */
enum class_item { ITEM_FAILED, ITEM_CHAR, ITEM_SET };

/* How the two dialects differ. */
struct dialect {
	const struct charset *dot;
	const struct charset *space;
	uint32_t max_product;      /* of nested counts */
	enum bl_status over_count; /* what a count above the limit is */
	bool bare_asserts;         /* ^* and the like are allowed */
	bool plain_names;          /* of groups: \w+ */
	bool zero_led_counts;      /* a{01} is a count, not text */
	bool bracket_first;        /* ] is text where a class starts */
	bool sets_end_ranges;      /* [a-\d] is a, - and \d (Annex B) */
	bool posix_classes;
	bool (*escape)(struct parser *parser);
	enum class_item (*item)(struct parser *parser,
				struct charset_build *build,
				uint32_t *out_rune);
	bool (*group)(struct parser *parser); /* after (? */
};

/* An open group: what to go back to at its end. */
struct group_frame {
	struct group_frame *outer;
	struct node *group; /* NULL: (?: */
	struct node *alts;
	struct node *cat;
	uint32_t flags;
	size_t at;
};

struct group_name {
	struct bl_str name;
	uint32_t group;
	struct group_name *next;
};

/* A \k<name> whose group may come later. */
struct name_reference {
	struct bl_str name;
	struct node *node;
	size_t at;
	struct name_reference *next;
};

struct parser {
	const struct dialect *dialect;
	struct bl_arena *arena;
	struct bl_str pattern;
	size_t at;
	uint32_t flags;    /* enum parse_flag */
	struct node *alts; /* finished alternatives, last first */
	struct node *cat;  /* items of the running one, last first */
	struct group_frame *frame;
	uint32_t depth;
	uint32_t group_count;
	struct group_name *names;
	size_t repeat_end; /* where the last count ended */
	/* JavaScript */
	bool counted;          /* the next two are known */
	uint32_t groups_ahead; /* capture groups of the whole pattern */
	bool names_ahead;      /* one of them has a name */
	size_t irregular_at;   /* SIZE_MAX: regular so far */
	const char *irregular; /* what is not regular */
	struct name_reference *references;
	/* the first failure */
	enum bl_status status;
	size_t error_at;
	struct bl_error *err;
};

/* NULL on failure, which is in parser->status. */
struct node *regex_parse(struct parser *parser, struct bl_arena *arena,
			 struct bl_str pattern, enum bl_regex_dialect dialect,
			 struct bl_error *err);

/* Helpers among parse.c, escape.c, class.c: false is failure. */
bool parse_fail(struct parser *parser, enum bl_status status, size_t at,
		const char *fmt, ...) BL_PRINTF(4, 5) BL_COLD;
bool parse_no_memory(struct parser *parser) BL_COLD;
void parse_irregular(struct parser *parser, size_t at, const char *what);
struct node *parse_node(struct parser *parser, enum node_kind kind);
bool parse_push(struct parser *parser, struct node *node);
bool parse_push_char(struct parser *parser, uint32_t rune);
bool parse_push_set(struct parser *parser, const struct charset *set);
bool parse_push_assert(struct parser *parser, enum regex_assert bit);
/* The character at parser->at, which moves behind it. */
uint32_t parse_rune(struct parser *parser);
bool parse_see(const struct parser *parser, const char *text);
bool parse_open(struct parser *parser, struct node *group, size_t at);
/* A name up to >, which is passed; the empty string is a failure. */
struct bl_str parse_name(struct parser *parser);
bool parse_named_group(struct parser *parser, size_t at);

/* Behind (? : a group, or RE2's flags (parse_group.c). */
bool parse_group_re2(struct parser *parser);
bool parse_group_js(struct parser *parser);

/* A backslash and what belongs to it (escape_re2.c, escape_js.c). */
bool parse_escape_re2(struct parser *parser);
bool parse_escape_js(struct parser *parser);

/* As above in brackets: a character, or a set that was added to build. */
enum class_item parse_item_re2(struct parser *parser,
			       struct charset_build *build, uint32_t *out_rune);
enum class_item parse_item_js(struct parser *parser,
			      struct charset_build *build, uint32_t *out_rune);

/* [...]; parser->at is behind the [. */
bool parse_class(struct parser *parser);

#endif

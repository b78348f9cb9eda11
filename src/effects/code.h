/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/code.h: what code_read.c (expressions), code_calls.c (what calls do) and
 * code.c (languages) share.  Private to this module.
 */
#ifndef BELAY_EFFECTS_CODE_H
#define BELAY_EFFECTS_CODE_H

#include "effects/private.h"

enum { EFFECTS_CODE_DEPTH = 16 };

/* One text of code that is read from its start to its end. */
struct effects_reader {
	struct effects_walk *walk;
	struct effects_state *state;
	struct bl_str text;
	size_t at;
	char letter; /* of the language */
	struct bl_str lang;
	struct effects_map names;   /* that were given a known text */
	struct effects_map imports; /* names to what they stand for */
	struct bl_shell_span span;
	uint32_t depth;
};

struct effects_arguments {
	struct effects_args items;
	bool is_list;      /* the first one is a list of words */
	size_t list_start; /* the words of the first list; 0, 0: none */
	size_t list_end;
	uint32_t first_effect; /* of what the arguments themselves do */
};

static inline char effects_code_peek(const struct effects_reader *r,
				     size_t ahead)
{
	return r->at + ahead < r->text.len ? r->text.ptr[r->at + ahead] : 0;
}

static inline bool effects_code_has(const struct effects_reader *r,
				    const char *text)
{
	return bl_str_has_prefix(bl_str_slice(r->text, r->at, SIZE_MAX),
				 bl_str(text));
}

/* A value that is not known; label stands for it. */
static inline struct effects_text effects_code_unknown(struct effects_reader *r,
						       const char *label)
{
	return effects_hole(r->walk, bl_str(label), BL_FACT_FROM_GENERATED,
			    true);
}

/* Blanks and comments. */
void effects_code_skip(struct effects_reader *r);
bool effects_code_is_quote(const struct effects_reader *r, char c);
/* The string at r->at; its value with holes for what is put in. */
struct effects_text effects_code_string(struct effects_reader *r,
					bool is_format);
/* The name at r->at, with its dots. */
struct bl_str effects_code_name(struct effects_reader *r);
/* qw(rm -rf): words without quotes, between any two marks. */
void effects_code_words(struct effects_reader *r, struct effects_args *out);
/* (a, b, [c, d]): the values of the arguments; behind the ). */
void effects_code_arguments(struct effects_reader *r,
			    struct effects_arguments *out);
/* An expression: terms joined, and methods behind them. */
struct effects_text effects_code_value(struct effects_reader *r);
/* Is tail the whole name, or what stands behind its last dots? */
bool effects_code_ends(struct bl_str name, const char *tail);
/* ~ and ~/x as the home folder. */
struct effects_text effects_code_home(struct effects_reader *r,
				      struct effects_text path);
/* Where the effects from first on say that what a call gives comes from. */
uint32_t effects_code_origins(const struct effects_reader *r, uint32_t first);
/* The imports of Python and of JavaScript. */
void effects_code_imports(struct effects_reader *r);
/* The name with its module, as the imports have it. */
struct bl_str effects_code_imported(struct effects_reader *r,
				    struct bl_str name);
/* A call: what the table says that it does. */
void effects_code_call(struct effects_reader *r, struct bl_str name,
		       const struct effects_arguments *arguments);
/* The code touches a path. */
void effects_code_path(struct effects_reader *r, enum bl_fact_kind kind,
		       struct bl_str name, struct effects_text path,
		       uint32_t details);
/* The names of loops, which stand for what is found. */
void effects_code_loops(struct effects_reader *r);
/* Reads on to the end of r->text, and adds what its calls do. */
void effects_code_read(struct effects_reader *r);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/runtime/program.h: compiled policies.
 *
 * A program is a table of functions over registers, constants, the tree of
 * documents, and the builtins that it calls.  Undefined is a value of a
 * register; every test names the place to go to when it does not hold, so that
 * "undefined, try the next" is a plain jump and nothing is unwound.
 *
 * It is a handful of flat tables that know nothing of syntax trees.  The places they
 * point to are counted from program->base: in a program that was compiled here
 * that is address 0; in one that was mapped (image.c) it is the image, so that
 * no table needs to be touched when it is loaded.
 */
#ifndef BELAY_REGO_RUNTIME_PROGRAM_H
#define BELAY_REGO_RUNTIME_PROGRAM_H

#include "base/seal.h"
#include "rego/builtins/builtins.h"
#include "rego/runtime/runtime.h"

enum bl_opcode {
#define OPCODE(name, operands, checks, meaning) BL_OP_##name,
#include "rego/runtime/opcodes.def"
#undef OPCODE
	BL_OP_COUNT
};

const char *bl_opcode_name(enum bl_opcode opcode);

struct bl_callables;  /* rego/compiler/check/callables.h */
struct bl_rego_expr;  /* rego/compiler/parse/ast.h */
struct bl_rego_test;  /* rego/compiler/compiler.h */
struct bl_rule_types; /* rego/compiler/check/checks.h */

enum bl_rule_kind {
	BL_RULE_NONE,     /* a package, or a step on the way */
	BL_RULE_COMPLETE, /* one value */
	BL_RULE_FUNCTION,
	BL_RULE_PARTIAL, /* a set or an object, made of many solutions */
};

struct bl_insn {
	uint16_t op;
	uint16_t a;
	uint16_t b;
	uint16_t c;
	uint32_t n;
	uint32_t j; /* index of an instruction of the same function */
};

/* Where an instruction comes from, for messages. */
struct bl_insn_place {
	uint32_t module;
	uint32_t offset;
};

enum bl_collector_kind {
	BL_COLLECT_ARRAY,
	BL_COLLECT_SET,
	BL_COLLECT_OBJECT,
	BL_COLLECT_DOCUMENT, /* nested, by ADD_PATH */
	/* the same below a node with rules for any key: empty, it is undefined */
	BL_COLLECT_BELOW_KEYS,
};

#define BL_NO_FUNCTION    UINT32_MAX
#define BL_NO_NODE        UINT32_MAX
#define BL_TARGET_BUILTIN UINT32_C(0x80000000) /* in targets of "with" */

enum { BL_MAX_REGISTERS = 60000 };

typedef uint64_t bl_rel; /* an address, counted from program->base */

struct bl_function {
	bl_rel code;   /* struct bl_insn[code_count] */
	bl_rel places; /* struct bl_insn_place[code_count] */
	uint32_t code_count;
	uint32_t register_count;
	uint32_t arity;
	/*
	 * Remembered once a query: has no arguments, or (of a plan) no others
	 * than input and data.
	 */
	uint32_t is_rule;
	uint32_t node; /* whose rules it has, for messages; BL_NO_NODE */
	uint32_t zero; /* no padding: it is written out */
};

/* A step of the tree of documents; node 0 is "data". */
struct bl_program_node {
	uint32_t key; /* constant */
	uint32_t parent;
	uint32_t first_child; /* children are neighbours, in order of keys */
	uint32_t child_count;
	uint16_t kind; /* enum bl_rule_kind */
	uint16_t is_package;
	uint32_t function;
	uint32_t arity;
	uint32_t key_depth; /* how far below it the values of its rules are */
	struct bl_insn_place place; /* of its first rule */
};

/* A module, as far as messages need it. */
struct bl_program_file {
	bl_rel name;
	bl_rel lines; /* uint32_t[line_count]: where each line begins */
	uint32_t name_len;
	uint32_t line_count;
};

/*
 * Which of many rules can hold of one value (runtime/rule_index.c).  An entry is a
 * value or text and the rules that need it; entries of one kind are
 * neighbours.
 *
 *   equal   found by hash: slots of entry numbers + 1, probed in a row
 *   prefix  in the order of their texts; parent is the longest other prefix
 *           that an entry begins with, so those of a text are one chain
 *   suffix  the same of texts read backwards
 *   part    found by the gram of their text: up to four bytes of it, in slots
 *           as above
 */
struct bl_rule_index_entry {
	uint32_t constant;
	uint32_t parent;     /* entry + 1; 0: none */
	uint32_t rules_from; /* in the rule index's rules */
	uint32_t rule_count;
	uint32_t gram; /* part: the first byte is the lowest */
	uint32_t gram_at;
	uint32_t gram_len;
};

struct bl_rule_index {
	bl_rel entries;     /* struct bl_rule_index_entry[entry_count] */
	bl_rel rules;       /* uint32_t[rules_count]: numbers of targets */
	bl_rel targets;     /* uint32_t[target_count]: where each rule begins */
	bl_rel equal_slots; /* uint32_t[equal_mask + 1]; mask 0: none */
	bl_rel gram_slots;
	uint32_t entry_count;
	uint32_t rules_count;
	uint32_t target_count;
	uint32_t equal_mask;
	uint32_t gram_mask;
	uint32_t gram_lens; /* bit n: there are grams of n bytes */
	uint32_t prefix_from;
	uint32_t prefix_to;
	uint32_t suffix_from;
	uint32_t suffix_to;
};

static inline uint32_t bl_gram_hash(uint32_t gram, uint32_t len)
{
	uint32_t h = (gram + len * 0x9E3779B9u) * 0x85EBCA6Bu;

	return h ^ h >> 15;
}

/* A builtin that the code calls. */
struct bl_builtin_use {
	const struct bl_builtin *row;
	struct bl_builtin_masks masks;
};

/* A constant pattern of calls of a builtin. */
struct bl_pattern {
	bl_rel regex; /* struct bl_regex */
	uint32_t builtin;
	uint32_t bytes; /* of the regex */
};

/* reserved of a constant. */
enum bl_constant_mark {
	BL_CONSTANT_PLAIN,
	BL_CONSTANT_TEXT,  /* as.text is counted from base */
	BL_CONSTANT_BOXED, /* as.integer is the number of a boxed one */
};

/* A mark with its variables; those that had a value before come first. */
struct bl_program_mark {
	struct bl_rego_mark shown;
	struct bl_str *names;
	uint16_t *registers;
	uint32_t bound_before;
	uint32_t count;
	uint32_t key_count;              /* partial rules: before the value */
	bool is_set;                     /* the value is a key as well */
	const struct bl_rego_expr *expr; /* resolved; a rule: its head */
};

struct bl_program {
	const char *base;
	struct bl_program_file *files;
	size_t file_count;
	/*
	 * Of a mapped program, marked constants are not the value themselves
	 * (enum bl_constant_mark); bl_program_constant gives it.
	 */
	struct bl_value *constants;
	size_t constant_count;
	const struct bl_value *boxed;
	struct bl_function *functions;
	size_t function_count;
	struct bl_builtin_use *builtins;
	size_t builtin_count;
	struct bl_program_node *nodes;
	size_t node_count;
	struct bl_rule_index *rule_indexes;
	size_t rule_index_count;
	struct bl_pattern *patterns;
	size_t pattern_count;

	/* The types of rules; NULL: not known, as of images and plans. */
	const struct bl_rule_types *types;

	/* of compiled policies and plans; not of images */
	const struct bl_callables *callables; /* NULL: the tables */
	unsigned features;                    /* enum bl_rego_feature */

	/*
	 * Of an image: for what is only read for messages, and the nodes whose
	 * documents may be evaluated, a bit for each.  NULL: it was compiled
	 * here.
	 */
	const struct bl_seal *seal;
	const uint8_t *known_trees;

	/* of policies that are observed; not of images */
	bool is_observed;
	bool has_print;
	struct bl_str query; /* text of the query to be added */
	struct bl_program_mark *marks;
	size_t mark_count;

	/* of policies that are tested (rego/compiler/compiler.h) */
	const struct bl_rego_test *tests;
	size_t test_count;
};

static inline const void *bl_program_at(const struct bl_program *program,
					bl_rel at)
{
	return (const void *)((uintptr_t)program->base + (uintptr_t)at);
}

static inline bl_rel bl_program_rel(const struct bl_program *program,
				    const void *address)
{
	return (uintptr_t)address - (uintptr_t)program->base;
}

static inline const struct bl_insn *
bl_function_code(const struct bl_program *program,
		 const struct bl_function *function)
{
	return bl_program_at(program, function->code);
}

/*
 * One for each instruction, for bl_program_place: places of an image are only
 * read for messages, and not checked before.
 */
static inline const struct bl_insn_place *
bl_function_places(const struct bl_program *program,
		   const struct bl_function *function)
{
	return bl_program_at(program, function->places);
}

static inline struct bl_value
bl_program_constant(const struct bl_program *program, uint32_t n)
{
	struct bl_value value = program->constants[n];

	if (value.reserved == BL_CONSTANT_TEXT) {
		value.reserved = BL_CONSTANT_PLAIN;
		value.as.text =
			bl_program_at(program, (uintptr_t)value.as.text);
	} else if (value.reserved == BL_CONSTANT_BOXED) {
		value = program->boxed[value.as.integer];
	}
	return value;
}

/* The child with this key, or BL_NO_NODE. */
uint32_t bl_program_child(const struct bl_program *program, uint32_t node,
			  struct bl_value key);

/* "data.a.b" of a node, in arena; ptr is NULL when memory is out. */
struct bl_str bl_program_path(const struct bl_program *program,
			      struct bl_arena *arena, uint32_t node);

/* The entry at a place of bl_function_places; NULL, or broken: nowhere. */
struct bl_insn_place bl_program_place(const struct bl_program *program,
				      const struct bl_insn_place *place);

/* File and line of a place; line 0 when absent (a query). */
struct bl_str bl_program_file_name(const struct bl_program *program,
				   uint32_t module);
uint32_t bl_program_line(const struct bl_program *program,
			 struct bl_insn_place place);
/* Of the place in its line, from 1; 0 when absent. */
uint32_t bl_program_column(const struct bl_program *program,
			   struct bl_insn_place place);

/*
 * Opens an image that stays where it is, aligned to 16 bytes, for as long as
 * the program is used.  Data that needs addresses is made in arena.  With documents
 * (NULL: all), only what evaluating these can come to is checked, and only
 * they may be evaluated.  INVALID, UNSUPPORTED as the format says.
 */
enum bl_status bl_program_open_image(const struct bl_rego_image_part *part,
				     struct bl_arena *arena,
				     struct bl_program *out_program,
				     struct bl_value *out_extra,
				     struct bl_error *err);

struct bl_image;

/*
 * Checks what the machine relies on: of an image the part that is wanted, or
 * (both NULL) of a program that was made here all of it.  NULL, or what is
 * wrong.
 */
const char *bl_program_verify(struct bl_program *program,
			      struct bl_image *image,
			      const struct bl_rego_image_part *part,
			      struct bl_arena *arena);

#endif

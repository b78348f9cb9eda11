/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/runtime/vm.h: evaluation.
 *
 * A struct bl_vm is one evaluation: a program (shared, immutable), input, base
 * data, and everything that is made on the way, in one arena.  Nothing is
 * counted or locked; any number of threads may evaluate one program.
 */
#ifndef BELAY_REGO_RUNTIME_VM_H
#define BELAY_REGO_RUNTIME_VM_H

#include "rego/runtime/program.h"

struct bl_rego_limits {
	uint64_t steps; /* rounds of loops, and calls; 0: no limit */
	uint32_t depth; /* of calls; 0: BL_VM_MAX_DEPTH */
};

enum {
	BL_VM_MAX_DEPTH = 1000,
	BL_VM_CLOCK_STEPS = 1024,
	BL_VM_GARBAGE_BYTES = 256 * 1024,
	BL_VM_FAULT_BYTES = 512, /* of a message */
	/* Values heavier than that are not made (bl_value_weight). */
	BL_VM_MAX_WEIGHT = 1 << 26,
	BL_VM_HEAVY = 1 << 14, /* for these the clock is looked at first */
	BL_VM_PINS = 32,
};

/*
 * Memory up to `until` is kept for as long as that at `container` is: something
 * made since stands in it (loops.c).
 */
struct bl_vm_pin {
	size_t container;
	size_t until;
};

struct bl_group_site;
struct bl_grouping;
struct bl_vm_conflicts;
struct bl_vm_memo;
struct bl_replacement;
struct bl_override;
struct bl_vm_stack;

struct bl_vm {
	const struct bl_program *program;
	struct bl_arena *arena;
	struct bl_value input; /* undefined: absent */
	struct bl_value data;
	struct bl_builtin_state state;
	bool strict_builtin_errors;
	struct bl_rego_limits limits;

	/* what went wrong */
	enum bl_rego_fault fault;
	struct bl_str fault_message; /* "builtin: message" */
	struct bl_insn_place fault_place;

	/* private */
	char *fault_room; /* for a message when memory is out */
	size_t garbage_bytes;
	uint32_t pin_count;
	uint64_t steps;
	uint64_t next_check; /* the step at which limits are looked at */
	uint32_t depth;
	bool base_is_apart; /* no base data is where a rule is */
	struct bl_vm_memo *memo;
	const struct bl_replacement *replacements;
	const struct bl_override *overrides;
	struct bl_vm_stack *stack;
	struct bl_join *joins;
	struct bl_group_site **group_sites;      /* groups.c; NULL: none yet */
	const struct bl_grouping *grouping;      /* being made; NULL: none */
	const struct bl_rego_observer *observer; /* NULL: nobody */
	struct bl_vm_watch *watch;               /* open statements */
	uint32_t errors; /* of builtins, that the observer was told */
	struct bl_vm_conflicts *conflicts; /* being listed; conflicts.c */
	/* Both members rise.  The last member: only pin_count of them are set. */
	struct bl_vm_pin pins[BL_VM_PINS];
};

/*
 * Starts an evaluation.  input may be undefined; data must be an object.
 * NO_MEMORY otherwise.
 */
enum bl_status bl_vm_init(struct bl_vm *vm, const struct bl_program *program,
			  struct bl_arena *arena, struct bl_value input,
			  struct bl_value data, struct bl_error *err);

/*
 * Calls a function of the program.  False on a fault (vm->fault and so on);
 * *out_result may be undefined.
 */
bool bl_vm_call(struct bl_vm *vm, uint32_t function,
		const struct bl_value *args, size_t count,
		struct bl_value *out_result);

/* "file:row: code: message" of the fault, into out. */
void bl_vm_put_fault(const struct bl_vm *vm, struct bl_buf *out);

/* ---- between the files of the machine ---------------------------------------------- */

/* The documents of rules that are known, by function. */
enum { BL_MEMO_PAGE = 32 };

struct bl_vm_memo_page {
	uint32_t known; /* a bit for each value */
	struct bl_value values[BL_MEMO_PAGE];
};

struct bl_vm_memo {
	struct bl_vm_memo_page **pages;
	size_t made_at; /* position in the arena */
};

/* NULL: it is not known. */
static inline const struct bl_value *bl_vm_recall(const struct bl_vm_memo *memo,
						  uint32_t function)
{
	const struct bl_vm_memo_page *page =
		memo->pages[function / BL_MEMO_PAGE];
	uint32_t n = function % BL_MEMO_PAGE;

	return page && page->known >> n & 1 ? &page->values[n] : NULL;
}

/* Are functions and rules what they were when the program was made? */
static inline bool bl_vm_is_plain(const struct bl_vm *vm)
{
	return !vm->replacements && !vm->overrides && vm->base_is_apart;
}

/* data.c: is there no base data at a complete rule at or below the node? */
bool bl_vm_is_apart(const struct bl_vm *vm, uint32_t node,
		    struct bl_value base);

/* One replaced function of "with", newest first. */
struct bl_replacement {
	const struct bl_replacement *older;
	uint32_t target;
	uint32_t by; /* BL_NO_FUNCTION: value */
	struct bl_value value;
};

/* A path of data that "with" has replaced: no rules count at or below it. */
struct bl_override {
	const struct bl_override *older;
	const struct bl_value *keys;
	size_t count;
};

/*
 * Things that the machine itself keeps in a register: undefined for everything else, with
 * a mark (reserved) that no value has, so that code cannot pass off one as it.
 */
enum bl_vm_kept {
	BL_KEPT_COLLECTOR = 1,
	BL_KEPT_RULES,
	BL_KEPT_CURSOR,
	BL_KEPT_BUILDER,
};

struct bl_collector {
	enum bl_collector_kind kind;
	bool is_set; /* DOCUMENT: empty is the empty set */
	struct bl_value *items;
	size_t count;
	size_t cap;
	struct bl_document_entry *entries;
	size_t made_at;    /* position in the arena */
	size_t kept_until; /* where something was added last */
	uint64_t *slots;   /* of sets and objects with many: by hash */
	size_t slot_count;
};

/* One solution of a partial rule. */
struct bl_document_entry {
	const struct bl_value *keys;
	uint32_t key_count;
	bool is_set;
	struct bl_value value;
	const struct bl_insn_place *place; /* of its rule */
};

/* Registers of the frames of calls, in blocks that are used again. */
struct bl_vm_stack {
	struct bl_vm_stack *older;
	struct bl_vm_stack *newer;
	struct bl_value *registers;
	size_t count;
	size_t used;
};

/* ---- loops.c: memory that rounds of loops are done with -------------------------- */

/* Memory taken so far is kept for something that was made at this position. */
void bl_vm_pin(struct bl_vm *vm, size_t container);

/*
 * Ends the pins, but for the oldest few, of what was made at this position or
 * later: nobody has it any more.
 */
void bl_vm_unpin(struct bl_vm *vm, size_t container, uint32_t oldest);

/* The frame whose code goes on to the next round of a loop. */
struct bl_vm_round {
	struct bl_value *regs;
	size_t count;
	size_t begun_at; /* the call, and the last replacement of a "with" */
	size_t mark;     /* the loop */
};

/* Frees what was made since the loop began, unless it is kept. */
void bl_vm_free_round(struct bl_vm *vm, const struct bl_vm_round *round);

/* Does a value point to memory that may be freed? */
static inline bool bl_vm_is_made(struct bl_value value)
{
	return value.kind >= BL_KIND_STRING ||
	       (value.kind == BL_KIND_NUMBER && value.form);
}

/* join.c: forgets the tables that were made since. */
void bl_vm_drop_joins(struct bl_vm *vm, size_t position);

/* Rounds of a loop that were looked up (join.c). */
struct bl_join_cursor {
	const struct bl_join *join;
	struct bl_value collection;
	uint32_t hash;
	uint32_t next; /* round + 1; 0: none */
};

/*
 * A cursor over the rounds whose value may have key under the keys of constant
 * path; *out_cursor is NULL when going through all of them is better.  False: a
 * fault.
 */
bool bl_vm_look_up(struct bl_vm *vm, struct bl_value collection,
		   struct bl_value key, uint32_t path,
		   struct bl_join_cursor **out_cursor);

/* The next round, or SIZE_MAX. */
size_t bl_vm_next_round(struct bl_join_cursor *cursor);

/*
 * groups.c.  FIND_GROUP: keys are the registers from b on; *out_value is undefined when
 * the comprehension has to be found out as it is written.  Each is false on a fault.
 */
bool bl_vm_find_group(struct bl_vm *vm, const struct bl_insn *insn,
		      const struct bl_value *keys, struct bl_value *out_value);
bool bl_vm_add_to_group(struct bl_vm *vm, const struct bl_insn *insn,
			const struct bl_value *keys);

/*
 * Before something that others see, or that may have another answer next time: false,
 * with a fault, while groups are made, which may be in vain.
 */
bool bl_vm_shows(struct bl_vm *vm, const struct bl_insn_place *place);

/* Did making groups take all the steps and the memory that it may take? */
bool bl_vm_grouping_is_over(const struct bl_vm *vm);

/* The step at which it has to be asked; UINT64_MAX: nobody makes groups. */
uint64_t bl_vm_grouping_last_step(const struct bl_vm *vm);

/* Forgets the groups that something was added to since. */
void bl_vm_drop_groups(struct bl_vm *vm, size_t position);

/* Rules that are still to be tried (numbers of a rule index's targets). */
struct bl_rule_list {
	uint32_t *rules;
	uint32_t count;
	uint32_t cap;
	uint32_t at;
};

/* rule_index.c: fills an empty list, in rising order; false: a fault. */
bool bl_vm_find_rules(struct bl_vm *vm, const struct bl_rule_index *rule_index,
		      struct bl_value subject, struct bl_rule_list *list);
bool bl_vm_all_rules(struct bl_vm *vm, const struct bl_rule_index *rule_index,
		     struct bl_rule_list *list);

/* observe.c: what an observer is told; false: a fault. */
bool bl_vm_observe(struct bl_vm *vm, const struct bl_insn *insn,
		   const struct bl_value *regs);
bool bl_vm_print(struct bl_vm *vm, const struct bl_insn_place *place,
		 const struct bl_value *sets, size_t count);
void bl_vm_observe_error(struct bl_vm *vm, const struct bl_insn_place *place,
			 const struct bl_builtin_call *call);

void bl_vm_observe_note(struct bl_vm *vm, const struct bl_insn_place *place,
			struct bl_str text);

/* Is an observer to be told of builtins that fail? */
static inline bool bl_vm_hears_errors(const struct bl_vm *vm)
{
	return vm->observer && !vm->observer->skips_errors;
}

/* The call at vm->depth ends; failed: by a fault. */
void bl_vm_observe_end(struct bl_vm *vm, bool failed);

/*
 * conflicts.c: after the fault that a function's document has two values, adds all its
 * values and their places to the message.
 */
void bl_vm_list_conflicts(struct bl_vm *vm, const struct bl_function *function,
			  const struct bl_value *args);

/* Did such a list take the value of a rule, which is then not a result? */
bool bl_vm_lists_conflicts(struct bl_vm *vm, const struct bl_function *function,
			   struct bl_value value,
			   const struct bl_insn_place *place);

/* Notes a fault at a place (NULL: nowhere); always false. */
bool bl_vm_fault(struct bl_vm *vm, enum bl_rego_fault fault,
		 const struct bl_insn_place *place, const char *fmt, ...)
	BL_PRINTF(4, 5);
bool bl_vm_no_memory(struct bl_vm *vm);

/* value[key], or undefined. */
struct bl_value bl_vm_index(struct bl_value value, struct bl_value key);

/*
 * data.c: a step of a path straight into base data: a whole number also finds
 * the key that is its text, and the text of a number an item, as paths of the
 * storage are texts.
 */
bool bl_vm_base_step(struct bl_vm *vm, struct bl_value base,
		     struct bl_value key, struct bl_value *out_value);

/* The document of node under keys. */
bool bl_vm_data(struct bl_vm *vm, uint32_t node, const struct bl_value *keys,
		size_t count, struct bl_value *out_value);

/*
 * The keys that it may have, as a set: those of packages by their names alone, of
 * anything else by its value.  An empty set: it is not a collection.
 */
bool bl_vm_data_keys(struct bl_vm *vm, uint32_t node,
		     const struct bl_value *keys, size_t count,
		     struct bl_value *out_keys);

/* value with what stands under keys replaced (objects are made on the way). */
bool bl_vm_put_path(struct bl_vm *vm, struct bl_value value,
		    const struct bl_value *keys, size_t count,
		    struct bl_value replacement, struct bl_value *out_value);

/* collect.c: what a set or object has already is not added again. */
bool bl_collector_add_member(struct bl_vm *vm, struct bl_collector *collector,
			     struct bl_value key, struct bl_value value);
bool bl_collector_add(struct bl_vm *vm, struct bl_collector *collector,
		      struct bl_value value);
bool bl_collector_add_path(struct bl_vm *vm, struct bl_collector *collector,
			   const struct bl_document_entry *entry);
bool bl_collector_close(struct bl_vm *vm, const struct bl_collector *collector,
			const struct bl_insn_place *place,
			struct bl_value *out_value);

/*
 * build.c: collections under construction, kept in registers.  settle gives
 * the value of one as it is now (and of any other register its own value);
 * look is an index into either; insert with once is a conflict where another
 * value stands.
 */
bool bl_vm_build(struct bl_vm *vm, enum bl_collector_kind kind,
		 struct bl_value *reg);
bool bl_vm_exists(struct bl_value reg);
bool bl_vm_append(struct bl_vm *vm, struct bl_value reg, struct bl_value value);
bool bl_vm_insert(struct bl_vm *vm, struct bl_value reg, struct bl_value key,
		  struct bl_value value, bool once,
		  const struct bl_insn_place *place);
bool bl_vm_settle(struct bl_vm *vm, struct bl_value reg,
		  struct bl_value *out_value);
bool bl_vm_look(struct bl_vm *vm, struct bl_value reg, struct bl_value key,
		struct bl_value *out_value);

/* Two objects as one, a before b; undefined when one is. */
bool bl_vm_merge(struct bl_vm *vm, struct bl_value a, struct bl_value b,
		 struct bl_value *out_value);

/* Calls the function of the node under keys; undefined when absent. */
bool bl_vm_call_path(struct bl_vm *vm, const struct bl_value *args,
		     size_t arg_count, const struct bl_value *keys,
		     size_t key_count, struct bl_value *out_result);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/rego/builtin_test.h: calls of builtins as rows of a table.
 *
 * Operands are a JSON array; {"$set": [...]} stands for a set.  The result
 * is the text form, "undefined", or "CODE: MESSAGE".
 */
#ifndef BELAY_TESTS_BUILTIN_TEST_H
#define BELAY_TESTS_BUILTIN_TEST_H

#include "json/json.h"
#include "rego/builtins/functions.h"
#include "tap.h"

struct builtin_row {
	const char *name;
	const char *operands;
	const char *want;
};

static struct bl_builtin_state test_state;

static inline struct bl_value with_sets(struct bl_arena *arena,
					struct bl_value value)
{
	struct bl_value set = bl_object_find(value, BL_STR("$set"));
	size_t count = bl_value_count(value);
	struct bl_member *members =
		bl_arena_new_array(arena, struct bl_member, count + 1);
	struct bl_value *items =
		bl_arena_new_array(arena, struct bl_value, count + 1);

	if (bl_value_is_defined(set)) {
		set = with_sets(arena, set);
		return bl_set_make(arena, set.as.items, bl_value_count(set));
	}
	for (size_t i = 0; i < count; i++) {
		items[i] = with_sets(arena, bl_value_item(value, i));
		members[i].key = bl_object_key(value, i);
		members[i].value = with_sets(arena, bl_object_value(value, i));
	}
	if (bl_value_is(value, BL_KIND_ARRAY))
		return bl_array_make(arena, items, count);
	if (bl_value_is(value, BL_KIND_OBJECT))
		return bl_object_make(arena, members, count, NULL);
	return value;
}

/* Calls; the answer is copied into out. */
static inline void call_builtin(const char *name, const char *operands,
				struct bl_buf *out)
{
	const struct bl_builtin *builtin = bl_builtin_find(bl_str(name));
	struct bl_builtin_call call = { .state = &test_state };
	struct bl_arena arena;
	struct bl_value args;

	bl_arena_init(&arena, NULL, 0, 0);
	call.arena = &arena;
	test_state.memo = NULL;
	test_state.memo_count = test_state.memo_cap = 0;
	test_state.regexes = NULL;
	if (!builtin || bl_json_read(&arena, bl_str(operands), NULL, &args,
				     NULL, NULL, NULL)) {
		bl_buf_puts(out, "no such builtin, or bad operands");
		bl_arena_clear(&arena);
		return;
	}
	args = with_sets(&arena, args);
	call.args = args.as.items;
	call.arg_count = bl_value_count(args);
	if (!bl_builtin_run(builtin, NULL, &call))
		bl_buf_printf(out, "%s: %.*s", bl_rego_fault_code(call.fault),
			      BL_STR_ARG(call.message));
	else if (!bl_value_is_defined(call.result))
		bl_buf_puts(out, "undefined");
	else
		bl_builtin_form_put(out, call.result);
	bl_arena_clear(&arena);
}

static inline void check_rows(const struct builtin_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct bl_buf out;

		bl_buf_init(&out, 0);
		call_builtin(rows[i].name, rows[i].operands, &out);
		if (!bl_str_is(bl_buf_str(&out), rows[i].want)) {
			tap_failures++;
			TAP_NOTE("%s(%s) is %s, not %s", rows[i].name,
				 rows[i].operands, out.ptr, rows[i].want);
		}
		bl_buf_clear(&out);
	}
}

#define CHECK_ROWS(rows) check_rows(rows, BL_COUNT(rows))

#endif

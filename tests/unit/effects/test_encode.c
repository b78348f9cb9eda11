/* SPDX-License-Identifier: Apache-2.0 */
/* Facts as values: the shape of docs/reference/facts.md. */
#include "effects_test.h"
#include "json/json.h"

static struct bl_value member(struct bl_value value, const char *key)
{
	return bl_object_find(value, bl_str(key));
}

static void shape(void)
{
	struct bl_effects_input input = usual;
	struct bl_facts facts;
	struct bl_arena arena;
	struct bl_value value, command, effect;

	bl_arena_init(&arena, NULL, 0, 0);
	input.line = BL_STR("A=1 rm -rf --rec ~/x 2>/dev/null; $y");
	REQUIRE(!bl_effects_find(&arena, &input, &facts, NULL));
	value = bl_effects_encode(&arena, &facts);
	command = bl_value_item(member(value, "commands"), 0);
	CHECK_STR(bl_value_text(member(command, "program")), "rm");
	CHECK_STR(bl_value_text(member(command, "row")), "rm");
	CHECK_STR(bl_value_text(member(command, "runs")), "always");
	CHECK_STR(bl_value_text(member(command, "where")), "here");
	CHECK_STR(bl_value_text(member(command, "cwd")), "/home/me/work");
	CHECK_INT(bl_value_count(member(command, "argv")), 4);
	CHECK_INT(bl_value_count(member(command, "states")), 4);
	CHECK_INT(bl_value_count(member(command, "options")), 2);
	CHECK(bl_value_is_defined(
		member(member(command, "options"), "recursive")));
	CHECK_STR(bl_value_text(member(member(command, "environment"), "A")),
		  "1");
	CHECK_INT(bl_value_count(member(command, "redirections")), 1);
	effect = bl_value_item(member(value, "effects"), 1);
	CHECK_STR(bl_value_text(member(effect, "kind")), "delete");
	CHECK_STR(bl_value_text(member(effect, "target")), "/home/me/x");
	CHECK_STR(bl_value_text(member(effect, "place")), "home");
	CHECK(bl_value_is_true(member(effect, "certain")));
	CHECK_INT(bl_value_count(member(effect, "details")), 2);
	CHECK_STR(bl_value_text(member(
			  bl_value_item(member(value, "opaque"), 0), "reason")),
		  "program");
	bl_arena_clear(&arena);
}

static void not_utf8(void)
{
	struct bl_effects_input input = usual;
	struct bl_facts facts;
	struct bl_arena arena;
	struct bl_value argv;

	bl_arena_init(&arena, NULL, 0, 0);
	input.line = BL_STR("rm a\xFF");
	REQUIRE(!bl_effects_find(&arena, &input, &facts, NULL));
	argv = member(bl_value_item(member(bl_effects_encode(&arena, &facts),
					   "commands"),
				    0),
		      "argv");
	CHECK_STR(bl_value_text(bl_value_item(argv, 1)), "a\\xFF");
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(shape);
	RUN(not_utf8);
	return tap_end();
}

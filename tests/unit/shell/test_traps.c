/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that other parsers misread: bash's reading of each (traps.def). */
#include "shell_test.h"

static const struct trap {
	int number;
	const char *input;
	const char *commands; /* NULL: refused */
} traps[] = {
#define TRAP(number, input, commands) { number, input, commands },
#include "traps.def"
#undef TRAP
};

static void check_trap(const struct trap *trap)
{
	struct bl_shell_script *script;
	struct bl_arena arena;
	enum bl_status status;
	struct bl_str names;
	struct bl_buf out;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&out, 0);
	status = bl_shell_parse(&arena, bl_str(trap->input), NULL, &script,
				NULL);
	CHECK_STATUS(status, trap->commands ? BL_OK : BL_SYNTAX);
	if (status == BL_OK && trap->commands) {
		names_of_script(&out, script);
		names = bl_str_trim(bl_buf_str(&out));
		CHECK_STR(names, trap->commands);
	}
	if (tap_failures)
		TAP_NOTE("in trap %d: %s", trap->number, trap->input);
	bl_buf_clear(&out);
	bl_arena_clear(&arena);
}

static void test_all_traps(void)
{
	CHECK_INT(BL_COUNT(traps), 166);
	for (size_t i = 0; i < BL_COUNT(traps); i++)
		check_trap(&traps[i]);
}

int main(void)
{
	RUN(test_all_traps);
	return tap_end();
}

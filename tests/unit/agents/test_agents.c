/* SPDX-License-Identifier: Apache-2.0 */
#include "agents_test.h"

static void both_dialects_exist(void)
{
	static const size_t counts[] = { [OLD] = 12, [NEW] = 21 };

	for (int dialect = 0; dialect < BL_DIALECT_COUNT; dialect++) {
		const struct bl_harness *harness =
			bl_harness_get((enum bl_dialect)dialect);

		CHECK_STR(bl_str(harness->agent), "cursor");
		CHECK_INT(harness->dialect, dialect);
		CHECK_INT(harness->step_count, counts[dialect]);
	}
}

static void steps_are_found_by_exact_name(void)
{
	static const char *const wrong[] = { "",
					     "Stop",
					     "stop ",
					     "sto",
					     "stopp",
					     "PreToolUse",
					     "beforeshellexecution" };

	for (int dialect = 0; dialect < BL_DIALECT_COUNT; dialect++) {
		const struct bl_harness *harness =
			bl_harness_get((enum bl_dialect)dialect);

		for (size_t i = 0; i < harness->step_count; i++) {
			const char *name = step_names[dialect][i];

			REQUIRE(name);
			CHECK_STR(bl_str(harness->steps[i].name), name);
			CHECK(bl_harness_find_step(harness, bl_str(name)) ==
			      &harness->steps[i]);
			CHECK_INT(harness->steps[i].dialect, dialect);
		}
		for (size_t i = 0; i < BL_COUNT(wrong); i++)
			CHECK(!bl_harness_find_step(harness, bl_str(wrong[i])));
		CHECK(!bl_harness_find_step(harness, BL_STR("stop\0")));
	}
	CHECK(!bl_harness_find_step(bl_harness_get(OLD), BL_STR("preToolUse")));
}

static void step_names_are_joined(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_harness_put_step_names(bl_harness_get(OLD), &buf);
	CHECK_STR(bl_buf_str(&buf),
		  "beforeShellExecution, beforeMCPExecution, "
		  "afterShellExecution, afterMCPExecution, beforeReadFile, "
		  "afterFileEdit, beforeTabFileRead, afterTabFileEdit, stop, "
		  "beforeSubmitPrompt, afterAgentResponse, afterAgentThought");
	bl_buf_clear(&buf);
}

static void step_names_report_a_full_buffer(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 30);
	bl_harness_put_step_names(bl_harness_get(NEW), &buf);
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	bl_buf_clear(&buf);
}

int main(void)
{
	RUN(both_dialects_exist);
	RUN(steps_are_found_by_exact_name);
	RUN(step_names_are_joined);
	RUN(step_names_report_a_full_buffer);
	return tap_end();
}

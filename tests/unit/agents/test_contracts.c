/* SPDX-License-Identifier: Apache-2.0 */
#include "agents_test.h"

static void both_dialects_exist(void)
{
	static const size_t counts[] = { [OLD] = 12, [NEW] = 21 };

	for (int dialect = 0; dialect < BL_DIALECT_COUNT; dialect++) {
		const struct bl_contract *contract =
			bl_contract_get((enum bl_dialect)dialect);

		CHECK_STR(bl_str(contract->agent), "cursor");
		CHECK_INT(contract->dialect, dialect);
		CHECK_INT(contract->event_count, counts[dialect]);
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
		const struct bl_contract *contract =
			bl_contract_get((enum bl_dialect)dialect);

		for (size_t i = 0; i < contract->event_count; i++) {
			const char *name = event_names[dialect][i];

			REQUIRE(name);
			CHECK_STR(bl_str(contract->events[i].name), name);
			CHECK(bl_contract_find(contract, bl_str(name)) ==
			      &contract->events[i]);
		}
		for (size_t i = 0; i < BL_COUNT(wrong); i++)
			CHECK(!bl_contract_find(contract, bl_str(wrong[i])));
		CHECK(!bl_contract_find(contract, BL_STR("stop\0")));
	}
	CHECK(!bl_contract_find(bl_contract_get(OLD), BL_STR("preToolUse")));
}

static void event_names_are_joined(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_contract_put_names(bl_contract_get(OLD), &buf);
	CHECK_STR(bl_buf_str(&buf),
		  "beforeShellExecution, beforeMCPExecution, "
		  "afterShellExecution, afterMCPExecution, beforeReadFile, "
		  "afterFileEdit, beforeTabFileRead, afterTabFileEdit, stop, "
		  "beforeSubmitPrompt, afterAgentResponse, afterAgentThought");
	bl_buf_clear(&buf);
}

static void event_names_report_a_full_buffer(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 30);
	bl_contract_put_names(bl_contract_get(NEW), &buf);
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	bl_buf_clear(&buf);
}

int main(void)
{
	RUN(both_dialects_exist);
	RUN(steps_are_found_by_exact_name);
	RUN(event_names_are_joined);
	RUN(event_names_report_a_full_buffer);
	return tap_end();
}

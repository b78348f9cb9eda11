/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/harness/harness_test.h: what the tests of harness share.
 */
#ifndef BELAY_TESTS_HARNESS_TEST_H
#define BELAY_TESTS_HARNESS_TEST_H

#include <stdlib.h>

#include "tap.h"

#include "agents/agents.h"
#include "json/json.h"

static struct bl_arena arena;

#define OLD BL_DIALECT_CURSOR_2_3
#define NEW BL_DIALECT_CURSOR

static const char *const step_names[BL_DIALECT_COUNT][22] = {
	/* the order of docs/contracts/cursor-2.3.41.md "Events" */
	[OLD] = { "beforeShellExecution", "beforeMCPExecution",
		  "afterShellExecution", "afterMCPExecution", "beforeReadFile",
		  "afterFileEdit", "beforeTabFileRead", "afterTabFileEdit",
		  "stop", "beforeSubmitPrompt", "afterAgentResponse",
		  "afterAgentThought" },
	/* the order of docs/contracts/cursor.md "Events" */
	[NEW] = { "workspaceOpen",
		  "sessionStart",
		  "sessionEnd",
		  "beforeSubmitPrompt",
		  "preToolUse",
		  "postToolUse",
		  "postToolUseFailure",
		  "subagentStart",
		  "subagentStop",
		  "beforeShellExecution",
		  "afterShellExecution",
		  "beforeMCPExecution",
		  "afterMCPExecution",
		  "beforeReadFile",
		  "afterFileEdit",
		  "beforeTabFileRead",
		  "afterTabFileEdit",
		  "afterAgentResponse",
		  "afterAgentThought",
		  "preCompact",
		  "stop" },
};

static inline const struct bl_step *find_step(int dialect, const char *name)
{
	const struct bl_step *step = bl_harness_find_step(
		bl_harness_get((enum bl_dialect)dialect), bl_str(name));

	if (!step) {
		printf("Bail out! no step %s\n", name);
		exit(1);
	}
	return step;
}

static inline struct bl_value json(const char *text)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(&arena, bl_str(text), NULL, &value, NULL,
				  NULL, NULL),
		     BL_OK);
	return value;
}

/* Is value this JSON?  NULL: undefined. */
static inline void check_json(struct bl_value value, const char *expected)
{
	struct bl_buf buf;

	if (!expected) {
		CHECK_INT(value.kind, BL_KIND_UNDEFINED);
		return;
	}
	CHECK(bl_value_is_defined(value));
	bl_buf_init(&buf, 0);
	bl_json_write(&buf, value, BL_JSON_COMPACT);
	CHECK_STR(bl_buf_str(&buf), expected);
	bl_buf_clear(&buf);
}

#endif

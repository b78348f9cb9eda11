/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/agents/agents_test.h: what the tests of agents share.
 */
#ifndef BELAY_TESTS_AGENTS_TEST_H
#define BELAY_TESTS_AGENTS_TEST_H

#include <stdlib.h>

#include "tap.h"

#include "agents/agents.h"
#include "json/json.h"

static struct bl_arena arena;

/* An agent by its name. */
#define AGENT(name) bl_agent_find(BL_STR(name))

#define OLD BL_DIALECT_CURSOR_2_3
#define NEW BL_DIALECT_CURSOR

static const char *const event_names[BL_DIALECT_COUNT][22] = {
	/* the enumeration order of docs/contracts/cursor-2.3.41.md "Events" */
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

static inline const struct bl_hook_event *find_event(int dialect,
						     const char *name)
{
	const struct bl_hook_event *event = bl_contract_find(
		bl_contract_get((enum bl_dialect)dialect), bl_str(name));

	if (!event) {
		printf("Bail out! no event %s\n", name);
		exit(1);
	}
	return event;
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

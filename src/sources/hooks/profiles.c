/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiles.c: one row for each set of rules by which a host treats hooks.
 *
 * Sources: docs/contracts/cursor.md "Sources", "Options", "Environment", "Hook
 * output", "Failures", "Merging", "Loop limits", "Differences";
 * docs/contracts/cursor-2.3.41.md "Sources", "Running".
 */
#include "sources/hooks/hooks.h"

/* One row of a table of outcomes: by class, then the same with failClosed. */
#define ROW(kind, observe, permission, prompt, closed_permission,              \
	    closed_prompt)                                                     \
	[BL_OUTCOME_##kind] = {                                                \
		.effect = { [BL_CLASS_OBSERVE] = BL_EFFECT_##observe,          \
			    [BL_CLASS_PERMISSION] = BL_EFFECT_##permission,    \
			    [BL_CLASS_PROMPT] = BL_EFFECT_##prompt },          \
		.fail_closed = { [BL_CLASS_OBSERVE] = BL_EFFECT_##observe,     \
				 [BL_CLASS_PERMISSION] =                       \
					 BL_EFFECT_##closed_permission,        \
				 [BL_CLASS_PROMPT] =                           \
					 BL_EFFECT_##closed_prompt },          \
	}

static const struct bl_profile profiles[] = {
	{
		.name = "cursor",
		.summary = "today's Cursor: all matching hooks at once, the "
			   "most restrictive answer wins",
		.sources = { BL_ASK_HOOKS, BL_ASK_POLICIES },
		.dialect = BL_DIALECT_CURSOR,
		.allow_comments = true,
		.has_options = true,
		.has_plugins = true,
		.has_project_gate = false,
		.refuse_linked_file = true,
		.team_folder = { ".cursor", "managed", "active-team-hooks" },
		.work_dir = {
			[BL_SOURCE_ENTERPRISE] = BL_WORK_DIR_FILE,
			[BL_SOURCE_TEAM] = BL_WORK_DIR_FILE,
			[BL_SOURCE_PROJECT] = BL_WORK_DIR_WORKSPACE,
			[BL_SOURCE_USER] = BL_WORK_DIR_FILE,
			[BL_SOURCE_PLUGIN] = BL_WORK_DIR_PLUGIN,
		},
		.sequential = false,
		.default_timeout_ms = 60000,
		.failure_output_counts = false,
		.exit_2_blocks = true,
		.last_object_of_output = true,
		.sets_environment = true,
		.default_loop_limit = 5,
		.loop_limit_is_global = false,
		.combine = {
			.pick = BL_PICK_STRICTEST,
			.update = BL_UPDATE_FIRST,
			.outcome = {
	/* kind, observe, permission, prompt; with failClosed the last two */
	ROW(ANSWERED, USE, USE, USE, USE, USE),
	ROW(NO_OUTPUT, NOTHING, NOTHING, NOTHING, DENY, DENY),
	ROW(NOT_JSON, NOTHING, DENY, NOTHING, DENY, DENY),
	ROW(INVALID, NOTHING, DENY, NOTHING, DENY, DENY),
	ROW(AMBIGUOUS, NOTHING, DENY, DENY, DENY, DENY),
	ROW(EXIT_2, NOTHING, DENY, DENY, DENY, DENY),
	ROW(EXIT_CODE, NOTHING, NOTHING, NOTHING, DENY, DENY),
	ROW(SIGNAL, NOTHING, NOTHING, NOTHING, DENY, DENY),
	ROW(TIMEOUT, NOTHING, NOTHING, NOTHING, DENY, DENY),
	ROW(CANCELLED, NOTHING, DENY, DENY, DENY, DENY),
	ROW(DEADLINE, NOTHING, DENY, DENY, DENY, DENY),
	ROW(TOO_MUCH_OUTPUT, NOTHING, NOTHING, NOTHING, DENY, DENY),
	ROW(UNREADABLE, NOTHING, DENY, DENY, DENY, DENY),
	ROW(CANNOT_START, NOTHING, NOTHING, NOTHING, DENY, DENY),
	/* An agent can bring that about. */
	ROW(NO_RESOURCES, NOTHING, DENY, DENY, DENY, DENY),
	ROW(NO_INTERPRETER, NOTHING, NOTHING, NOTHING, DENY, DENY),
	ROW(HTTP_STATUS, NOTHING, NOTHING, NOTHING, DENY, DENY),
	ROW(NO_CONNECTION, NOTHING, NOTHING, NOTHING, DENY, DENY),
	ROW(UNTRUSTED, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(CHANGED, NOTHING, ASK_OR_DENY, DENY, DENY, DENY),
	ROW(CHANGED_FILE, NOTHING, ASK, NOTHING, ASK, NOTHING),
	ROW(NOT_SUPPORTED, NOTHING, NOTHING, NOTHING, DENY, DENY),
	ROW(LOOP_LIMIT, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(SKIPPED, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(BROKEN_SOURCE, NOTHING, DENY, DENY, DENY, DENY),
			},
		},
	},
	{
		.name = "cursor-2.3",
		.summary = "Cursor 2.3.41: one hook after the other, the "
			   "first valid answer wins",
		.sources = { BL_ASK_HOOKS },
		.dialect = BL_DIALECT_CURSOR_2_3,
		.allow_comments = false,
		.has_options = false,
		.has_plugins = false,
		.has_project_gate = true,
		.refuse_linked_file = false,
		.team_folder = { ".cursor", "managed", "team_*", "hooks" },
		.work_dir = {
			[BL_SOURCE_ENTERPRISE] = BL_WORK_DIR_FILE,
			[BL_SOURCE_TEAM] = BL_WORK_DIR_FILE,
			[BL_SOURCE_PROJECT] = BL_WORK_DIR_WORKSPACE,
			[BL_SOURCE_USER] = BL_WORK_DIR_FILE,
			[BL_SOURCE_PLUGIN] = BL_WORK_DIR_PLUGIN,
		},
		.sequential = true,
		.default_timeout_ms = 0,
		.failure_output_counts = true,
		.exit_2_blocks = false,
		.last_object_of_output = false,
		.sets_environment = false,
		.default_loop_limit = 5,
		.loop_limit_is_global = true,
		.combine = {
			.pick = BL_PICK_FIRST,
			.update = BL_UPDATE_FIRST,
			.outcome = {
	ROW(ANSWERED, USE, USE, USE, USE, USE),
	/* "Running", 4: any other output leads on to the next hook. */
	ROW(NO_OUTPUT, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(NOT_JSON, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(INVALID, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(AMBIGUOUS, NOTHING, DENY, DENY, DENY, DENY),
	ROW(EXIT_2, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(EXIT_CODE, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(SIGNAL, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(TIMEOUT, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(TOO_MUCH_OUTPUT, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(UNREADABLE, NOTHING, DENY, DENY, DENY, DENY),
	ROW(CANNOT_START, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(NO_INTERPRETER, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(HTTP_STATUS, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(NO_CONNECTION, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(UNTRUSTED, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	/* Belay's own, the same everywhere. */
	ROW(CANCELLED, NOTHING, DENY, DENY, DENY, DENY),
	ROW(DEADLINE, NOTHING, DENY, DENY, DENY, DENY),
	ROW(NO_RESOURCES, NOTHING, DENY, DENY, DENY, DENY),
	ROW(CHANGED, NOTHING, ASK_OR_DENY, DENY, DENY, DENY),
	ROW(CHANGED_FILE, NOTHING, ASK, NOTHING, ASK, NOTHING),
	ROW(NOT_SUPPORTED, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(LOOP_LIMIT, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(SKIPPED, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING),
	ROW(BROKEN_SOURCE, NOTHING, DENY, DENY, DENY, DENY),
			},
		},
	},
};

const struct bl_profile *bl_profile_at(size_t i)
{
	return i < BL_COUNT(profiles) ? &profiles[i] : NULL;
}

/*
 * Everruns: a chain of hooks, which the first refusal ends.  Its hooks say
 * themselves what their failures come to, so that only answers are combined.
 */
#define CHAIN(row, title, text)                                                \
	{                                                                      \
		.name = (title), .summary = (text),                            \
		.sources = { BL_ASK_HOOKS },                                   \
		.everruns = &bl_everruns_rows[row], .sequential = true,        \
		.combine = {                                                   \
			.pick = BL_PICK_STRICTEST,                             \
			.update = BL_UPDATE_LAST,                              \
			.wording = BL_WORDING_JOINED,                          \
			.any_class = true,                                     \
			.outcome = { ROW(ANSWERED, USE, USE, USE, USE, USE) }, \
		},                                                             \
	}

static const struct bl_profile chains[BL_EVERRUNS_ROWS] = {
	CHAIN(0, "everruns", "Everruns user hooks, fail closed"),
	CHAIN(1, "everruns-original",
	      "Everruns user hooks, exactly as Everruns has them"),
};

static const struct bl_profile *find_row(const struct bl_profile *rows,
					 size_t count, struct bl_str name)
{
	for (size_t i = 0; i < count; i++) {
		if (bl_str_is(name, rows[i].name))
			return &rows[i];
	}
	return NULL;
}

const struct bl_profile *bl_profile_find(struct bl_str name)
{
	const struct bl_profile *found =
		find_row(profiles, BL_COUNT(profiles), name);

	return found ? found : find_row(chains, BL_COUNT(chains), name);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differences C1 to C21 of docs/contracts/cursor.md "Differences", and its
 * "Failures".
 */
#include "tap.h"

#include "findings.h"

static void rows(void)
{
	CHECK(!strcmp(bl_profile_at(0)->name, "cursor"));
	CHECK(!strcmp(bl_profile_at(1)->name, "cursor-2.3"));
	CHECK(bl_profile_at(2) == NULL);
	CHECK(bl_profile_at(SIZE_MAX) == NULL);
	CHECK(profile("cursor") == bl_profile_at(0));
	CHECK(profile("cursor-2.3") == bl_profile_at(1));
	CHECK(profile("cursor-2") == NULL);
	CHECK(profile("") == NULL);
	CHECK(profile("Cursor") == NULL);
}

static void differences(void)
{
	const struct bl_profile *today = profile("cursor");
	const struct bl_profile *old = profile("cursor-2.3");

	CHECK(!today->sequential && old->sequential);
	CHECK(today->combine.pick == BL_PICK_STRICTEST &&
	      old->combine.pick == BL_PICK_FIRST);
	CHECK(today->exit_2_blocks && !old->exit_2_blocks);
	CHECK(!today->failure_output_counts && old->failure_output_counts);
	CHECK_INT(today->default_timeout_ms, 60000);
	CHECK_INT(old->default_timeout_ms, 0);
	CHECK(today->has_options && !old->has_options);
	CHECK_INT(today->dialect, BL_DIALECT_CURSOR);
	CHECK_INT(old->dialect, BL_DIALECT_CURSOR_2_3);
	CHECK_INT(today->default_loop_limit, 5);
	CHECK_INT(old->default_loop_limit, 5);
	CHECK(!today->loop_limit_is_global && old->loop_limit_is_global);
	CHECK(!today->has_project_gate && old->has_project_gate);
	CHECK(today->allow_comments && !old->allow_comments);
	CHECK(today->refuse_linked_file && !old->refuse_linked_file);
	CHECK(today->has_plugins && !old->has_plugins);
	CHECK(today->sets_environment && !old->sets_environment);
	CHECK(today->last_object_of_output && !old->last_object_of_output);
	CHECK_INT(today->work_dir[BL_SOURCE_USER], BL_WORK_DIR_FILE);
	CHECK_INT(today->work_dir[BL_SOURCE_PROJECT], BL_WORK_DIR_WORKSPACE);
	CHECK_INT(old->work_dir[BL_SOURCE_PROJECT], BL_WORK_DIR_WORKSPACE);
	CHECK_INT(old->work_dir[BL_SOURCE_USER], BL_WORK_DIR_FILE);
}

/*
 * Each row: what the outcome does on a permission step, on a prompt and on an
 * observing step; then the first two with failClosed.  u uses the answer, .
 * is nothing, d denies, a asks, o asks or denies.
 */
static const struct {
	enum bl_outcome_kind kind;
	const char *today;
	const char *old;
} outcomes[] = {
	{ BL_OUTCOME_ANSWERED, "uuuuu", "uuuuu" },
	{ BL_OUTCOME_NO_OUTPUT, "...dd", "....." },
	{ BL_OUTCOME_NOT_JSON, "d..dd", "....." },
	{ BL_OUTCOME_INVALID, "d..dd", "....." },
	{ BL_OUTCOME_AMBIGUOUS, "dd.dd", "dd.dd" },
	{ BL_OUTCOME_EXIT_2, "dd.dd", "....." },
	{ BL_OUTCOME_EXIT_CODE, "...dd", "....." },
	{ BL_OUTCOME_SIGNAL, "...dd", "....." },
	{ BL_OUTCOME_TIMEOUT, "...dd", "....." },
	{ BL_OUTCOME_CANCELLED, "dd.dd", "dd.dd" },
	{ BL_OUTCOME_DEADLINE, "dd.dd", "dd.dd" },
	{ BL_OUTCOME_TOO_MUCH_OUTPUT, "...dd", "....." },
	{ BL_OUTCOME_UNREADABLE, "dd.dd", "dd.dd" },
	{ BL_OUTCOME_NO_RESOURCES, "dd.dd", "dd.dd" },
	{ BL_OUTCOME_CANNOT_START, "...dd", "....." },
	{ BL_OUTCOME_NO_INTERPRETER, "...dd", "....." },
	{ BL_OUTCOME_HTTP_STATUS, "...dd", "....." },
	{ BL_OUTCOME_NO_CONNECTION, "...dd", "....." },
	{ BL_OUTCOME_UNTRUSTED, ".....", "....." },
	{ BL_OUTCOME_CHANGED, "od.dd", "od.dd" },
	{ BL_OUTCOME_CHANGED_FILE, "a..a.", "a..a." },
	{ BL_OUTCOME_NOT_SUPPORTED, "...dd", "....." },
	{ BL_OUTCOME_LOOP_LIMIT, ".....", "....." },
	{ BL_OUTCOME_SKIPPED, ".....", "....." },
	{ BL_OUTCOME_BROKEN_SOURCE, "dd.dd", "dd.dd" },
};

static void check_row(const struct bl_profile *row, enum bl_outcome_kind kind,
		      const char *expected)
{
	static const char letters[] = { [BL_EFFECT_NOTHING] = '.',
					[BL_EFFECT_USE] = 'u',
					[BL_EFFECT_DENY] = 'd',
					[BL_EFFECT_ASK] = 'a',
					[BL_EFFECT_ASK_OR_DENY] = 'o' };
	const struct bl_outcome_rule *rule = &row->combine.outcome[kind];
	char found[6] = {
		letters[rule->effect[BL_CLASS_PERMISSION]],
		letters[rule->effect[BL_CLASS_PROMPT]],
		letters[rule->effect[BL_CLASS_OBSERVE]],
		letters[rule->fail_closed[BL_CLASS_PERMISSION]],
		letters[rule->fail_closed[BL_CLASS_PROMPT]],
	};

	if (strcmp(found, expected) != 0) {
		tap_failures++;
		TAP_NOTE("%s: %s is %s, not %s", row->name,
			 bl_outcome_name(kind), found, expected);
	}
	CHECK_INT(rule->fail_closed[BL_CLASS_OBSERVE],
		  rule->effect[BL_CLASS_OBSERVE]);
}

static void effects(void)
{
	CHECK_INT(BL_COUNT(outcomes), BL_OUTCOME_COUNT);
	for (size_t i = 0; i < BL_COUNT(outcomes); i++) {
		check_row(profile("cursor"), outcomes[i].kind,
			  outcomes[i].today);
		check_row(profile("cursor-2.3"), outcomes[i].kind,
			  outcomes[i].old);
	}
}

int main(void)
{
	RUN(rows);
	RUN(differences);
	RUN(effects);
	return tap_end();
}

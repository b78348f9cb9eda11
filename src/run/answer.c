/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a hook's standard output (docs/contracts/cursor.md "Hook output"). */
#include "base/limits.h"
#include "base/utf8.h"
#include "run/private.h"
#include "json/json.h"

/* ---- JSON --------------------------------------------------------------- */

static struct bl_json_options reading(void)
{
	return (struct bl_json_options){
		.max_depth = (uint32_t)bl_limits_default().json_depth,
	};
}

/* How many bytes a try at text read before it failed; 0: it did not fail. */
static size_t try_object(struct bl_str text)
{
	struct bl_json_options options = reading();
	struct bl_place place = { 0 };
	struct bl_value value;
	struct bl_arena scratch;
	enum bl_status status;

	bl_arena_init(&scratch, NULL, 0, 0);
	status = bl_json_read(&scratch, text, &options, &value, NULL, &place,
			      NULL);
	bl_arena_clear(&scratch);
	return status == BL_OK ? 0 : place.offset + 1;
}

enum { EFFORT = 8, LEAST_EFFORT_BYTES = 64 * 1024, LEAST_COST_BYTES = 16 };

/*
 * The object at the end of text, after noise: the suffix from a "{" that is
 * JSON.  All tries together read at most EFFORT times the text, so output made
 * to be slow is not.
 */
static bool find_last_object(struct bl_str text, struct bl_str *out_object)
{
	size_t effort = text.len * EFFORT + LEAST_EFFORT_BYTES;
	size_t at = 0;

	if (text.len == 0 || text.ptr[text.len - 1] != '}' ||
	    !bl_utf8_is_valid(text))
		return false;
	for (;;) {
		struct bl_str object;
		size_t cost;

		at = bl_str_find(text, BL_STR("{"), at);
		if (at == SIZE_MAX)
			return false;
		object = bl_str_slice(text, at, text.len);
		cost = try_object(object);
		if (cost == 0) {
			*out_object = object;
			return true;
		}
		if (cost < LEAST_COST_BYTES)
			cost = LEAST_COST_BYTES;
		if (cost > effort)
			return false;
		effort -= cost;
		at++;
	}
}

static enum bl_status not_json(struct bl_arena *arena,
			       const struct bl_error *why,
			       const struct bl_place *place,
			       struct bl_outcome *outcome, struct bl_error *err)
{
	outcome->kind = BL_OUTCOME_NOT_JSON;
	outcome->reason = bl_arena_printf(
		arena, "returned output that is not JSON (line %u: %s)",
		(unsigned)place->line, why->message);
	return outcome->reason.ptr ? BL_OK : bl_arena_fail(arena, err);
}

/* ---- the answer --------------------------------------------------------- */

static enum bl_status invalid(struct bl_arena *arena,
			      const struct bl_output_errors *errors,
			      struct bl_outcome *outcome, struct bl_error *err)
{
	struct bl_str reason = BL_STR("returned an invalid answer");

	for (size_t i = 0; i < errors->count && reason.ptr; i++)
		reason = bl_arena_printf(arena, "%.*s%s%.*s",
					 BL_STR_ARG(reason), i ? "; " : ": ",
					 BL_STR_ARG(errors->text[i]));
	outcome->kind = BL_OUTCOME_INVALID;
	outcome->reason = reason;
	return reason.ptr ? BL_OK : bl_arena_fail(arena, err);
}

/* {"permission": "deny", "permission": "allow"}: a refusal may be in it. */
static enum bl_status ambiguous(struct bl_arena *arena, struct bl_str key,
				struct bl_outcome *outcome,
				struct bl_error *err)
{
	outcome->kind = BL_OUTCOME_AMBIGUOUS;
	outcome->reason = bl_arena_printf(
		arena, "returned an answer with the key %.*s twice",
		BL_STR_ARG(key));
	return outcome->reason.ptr ? BL_OK : bl_arena_fail(arena, err);
}

static enum bl_status decode(const struct bl_hook_event *hook_event,
			     struct bl_value value, struct bl_arena *arena,
			     struct bl_outcome *outcome, struct bl_error *err)
{
	struct bl_output_errors errors = { .count = 0 };
	struct bl_answer answer = { 0 };

	if (bl_agent_output_decode(hook_event, value, &answer, &errors) !=
	    BL_OK)
		return invalid(arena, &errors, outcome, err);
	outcome->kind = BL_OUTCOME_ANSWERED;
	outcome->answer = answer;
	return BL_OK;
}

enum bl_status bl_executor_read_answer(const struct bl_profile *profile,
				       const struct bl_hook_event *hook_event,
				       struct bl_str output,
				       struct bl_arena *arena,
				       struct bl_outcome *outcome,
				       struct bl_value *out_response,
				       struct bl_error *err)
{
	struct bl_json_options options = reading();
	struct bl_json_report report = { 0 };
	struct bl_str text = bl_str_trim(output);
	struct bl_place place = { 0 };
	struct bl_error why;
	struct bl_value value;
	enum bl_status status;

	if (text.len == 0) {
		outcome->kind = BL_OUTCOME_NO_OUTPUT;
		outcome->reason = BL_STR("returned no output");
		return BL_OK;
	}
	status = bl_json_read(arena, text, &options, &value, &report, &place,
			      &why);
	if (status != BL_OK && bl_arena_status(arena) == BL_OK &&
	    profile->last_object_of_output && find_last_object(text, &text))
		status = bl_json_read(arena, text, &options, &value, &report,
				      NULL, NULL);
	if (bl_arena_status(arena) != BL_OK)
		return bl_arena_fail(arena, err);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(err);
	if (status != BL_OK)
		return not_json(arena, &why, &place, outcome, err);
	*out_response = value;
	if (report.repeated_key_count)
		return ambiguous(arena, report.repeated_key, outcome, err);
	return decode(hook_event, value, arena, outcome, err);
}

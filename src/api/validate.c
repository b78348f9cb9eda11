/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking hook files and hook outputs without running anything, for editors
 * and for programs that take hooks from their users.
 */
#include "api/private.h"
#include "sources/hooks/everruns/everruns.h"
#include "json/json.h"

#define ADD(object, name, value)                                               \
	bl_object_builder_add(object, BL_STR(name), value)

/* One of the two. */
struct profile {
	const struct bl_profile *own;
	const struct bl_everruns_rules *everruns;
};

static bool find_profile(const char *name, struct profile *out)
{
	const struct bl_profile *found =
		name ? bl_profile_find(bl_str(name)) : bl_profile_at(0);

	*out = (struct profile){ .own = found };
	if (found && found->everruns)
		*out = (struct profile){ .everruns = found->everruns };
	return found != NULL;
}

/* ---- hook files ------------------------------------------------------------ */

static enum bl_status find_source(const char *name, enum bl_source *out_source,
				  struct bl_error *err)
{
	*out_source = BL_SOURCE_USER;
	if (!name)
		return BL_OK;
	for (enum bl_source i = 0; i < BL_SOURCE_COUNT; i++) {
		if (!strcmp(name, bl_source_name(i))) {
			*out_source = i;
			return BL_OK;
		}
	}
	return bl_fail(err, BL_NOT_FOUND, "there is no source '%s'", name);
}

static enum bl_status check_file(const struct profile *profile,
				 const char *source_name,
				 const struct bl_diag_source *text,
				 struct bl_diags *diags, struct bl_error *err)
{
	struct bl_everruns_source configuration = { .text = *text };
	struct bl_everruns_set set;
	enum bl_source source;
	enum bl_status status = find_source(source_name, &source, err);

	if (status)
		return status;
	if (profile->own)
		return bl_hook_file_validate(profile->own, source, text, diags,
					     err);
	bl_everruns_set_init(&set, profile->everruns, diags->arena);
	return bl_everruns_set_add(&set, &configuration, diags, err);
}

belay_status belay_hooks_validate(const char *profile, const char *source,
				  const char *text, size_t text_size,
				  belay_text **out_text, belay_error *error)
{
	struct bl_diag_source file = { .file = BL_STR("hooks.json"),
				       .text = { text, text_size } };
	struct profile found;
	struct bl_diags diags;
	struct bl_arena arena;
	struct bl_error err;
	struct bl_buf out;
	belay_status status;

	if (!text || !out_text)
		return bl_api_fail_null(error, "text or out_text");
	if (!find_profile(profile, &found))
		return bl_api_fail_profile(error, profile);
	bl_arena_init(&arena, NULL, 0, bl_limits_default().event_arena_bytes);
	bl_diags_init(&diags, &arena);
	if (check_file(&found, source, &file, &diags, &err)) {
		status = bl_api_fail(&err, error);
	} else {
		bl_buf_init(&out, 0);
		bl_buf_printf(&out, "{\"valid\":%s,\"diagnostics\":",
			      diags.error_count ? "false" : "true");
		bl_json_write_diags(&out, &diags);
		bl_buf_put_char(&out, '}');
		status = bl_api_take_text(&out, out_text, error);
	}
	bl_arena_clear(&arena);
	return status;
}

/* ---- hook outputs ---------------------------------------------------------- */

static struct bl_value result_value(struct bl_arena *arena, bool is_valid,
				    const char *outcome, const char *verdict,
				    struct bl_str reason)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "valid", bl_value_boolean(is_valid));
	ADD(&object, "outcome", bl_value_string(bl_str(outcome)));
	if (verdict)
		ADD(&object, "verdict", bl_value_string(bl_str(verdict)));
	if (reason.len)
		ADD(&object, "reason", bl_value_string(reason));
	return bl_object_builder_end(&object);
}

static enum bl_verdict verdict_of(const struct bl_hook_event *event,
				  const struct bl_answer *answer)
{
	if (event->class == BL_CLASS_PROMPT)
		return answer->stops ? BL_VERDICT_DENY : BL_VERDICT_NONE;
	return answer->permission;
}

/*
 * The validation as Cursor 2.3.41 has it, beside belay's own words: "success"
 * with "data", or with every text of "errors".
 */
static struct bl_value with_contract_form(struct bl_arena *arena,
					  struct bl_value result,
					  const struct bl_hook_event *event,
					  struct bl_value response,
					  bool is_valid)
{
	struct bl_output_errors errors = { .count = 0 };
	struct bl_object_builder object;
	struct bl_array_builder texts;
	struct bl_answer unused;

	bl_object_builder_init(&object, arena);
	for (size_t i = 0; i < bl_value_count(result); i++)
		bl_object_builder_add(&object,
				      bl_value_text(bl_object_key(result, i)),
				      bl_object_value(result, i));
	ADD(&object, "success", bl_value_boolean(is_valid));
	if (is_valid) {
		ADD(&object, "data", response);
		return bl_object_builder_end(&object);
	}
	bl_array_builder_init(&texts, arena);
	/* Without JSON there is no object either. */
	(void)bl_agent_output_decode(event, response, &unused, &errors);
	for (size_t i = 0; i < errors.count; i++)
		bl_array_builder_add(&texts, bl_value_string(errors.text[i]));
	ADD(&object, "errors", bl_array_builder_end(&texts));
	return bl_object_builder_end(&object);
}

static enum bl_status check_output(const struct bl_profile *profile,
				   const char *name, struct bl_str output,
				   struct bl_arena *arena,
				   struct bl_value *out_value,
				   struct bl_error *err)
{
	const struct bl_hook_event *event = bl_contract_find(
		bl_contract_get(profile->dialect), bl_str(name));
	struct bl_outcome outcome = { 0 };
	struct bl_value response = bl_value_undefined();
	enum bl_status status;
	bool is_valid;

	if (!event)
		return bl_fail(err, BL_NOT_FOUND, "profile %s has no event %s",
			       profile->name, name);
	status = bl_executor_read_answer(profile, event, output, arena,
					 &outcome, &response, err);
	if (status)
		return status;
	is_valid = outcome.kind == BL_OUTCOME_ANSWERED;
	*out_value = result_value(
		arena, is_valid, bl_outcome_name(outcome.kind),
		is_valid ? bl_verdict_name(verdict_of(event, &outcome.answer))
			 : NULL,
		outcome.reason);
	*out_value = with_contract_form(arena, *out_value, event, response,
					is_valid);
	return BL_OK;
}

static enum bl_status check_everruns_output(const char *name,
					    struct bl_str output,
					    struct bl_arena *arena,
					    struct bl_value *out_value,
					    struct bl_error *err)
{
	static const char *const verdicts[BL_EVERRUNS_OUTCOME_COUNT] = {
		[BL_EVERRUNS_ALLOWED] = "none",
		[BL_EVERRUNS_MUTATED] = "none",
		[BL_EVERRUNS_BLOCKED] = "deny",
	};
	struct bl_everruns_outcome outcome;
	enum bl_everruns_event event;
	enum bl_status status;

	if (!bl_everruns_event_parse(bl_str(name), &event))
		return bl_fail(err, BL_NOT_FOUND, "Everruns has no event %s",
			       name);
	status = bl_everruns_parse_output(0, output, BL_STR(""), arena,
					  &outcome, err);
	if (!status)
		*out_value =
			result_value(arena, outcome.kind != BL_EVERRUNS_FAILED,
				     bl_everruns_outcome_name(outcome.kind),
				     verdicts[outcome.kind], outcome.reason);
	return status;
}

belay_status belay_output_validate(const char *profile, const char *event,
				   const char *output, size_t output_size,
				   belay_text **out_text, belay_error *error)
{
	struct bl_str text = { output, output_size };
	struct bl_value value = bl_value_undefined();
	struct profile found;
	struct bl_arena arena;
	struct bl_error err;
	enum bl_status status;
	belay_status result;

	if (!event || !output || !out_text)
		return bl_api_fail_null(error, "event, output or out_text");
	if (!find_profile(profile, &found))
		return bl_api_fail_profile(error, profile);
	bl_arena_init(&arena, NULL, 0, bl_limits_default().event_arena_bytes);
	if (found.own)
		status = check_output(found.own, event, text, &arena, &value,
				      &err);
	else
		status = check_everruns_output(event, text, &arena, &value,
					       &err);
	result = status ? bl_api_fail(&err, error)
			: bl_api_text(value, out_text, error);
	bl_arena_clear(&arena);
	return result;
}

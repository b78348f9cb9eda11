/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hook outputs where belay runs the agent's hooks: from a hook's object to
 * struct bl_answer, and from a decision back to the agent's object.  Both walk
 * the fields of the event's output, and so stand together.
 */
#include "agents/private.h"

#define CONTEXT_SEPARATOR "\n\n"

enum slot_form {
	SLOT_NOTHING,
	SLOT_PERMISSION,
	SLOT_CONTINUE,
	SLOT_CONTEXT, /* a text in outputs, a list of texts in decisions */
	SLOT_TEXT,
	SLOT_VALUE,
};

/* Where a slot is in the two structs. */
struct slot_row {
	enum slot_form form;
	size_t in_answer;
	size_t in_decision;
};

#define BOTH(member)                                                           \
	offsetof(struct bl_answer, member), offsetof(struct bl_decision, member)

static const struct slot_row slots[BL_OUTPUT_SLOT_COUNT] = {
	[BL_OUTPUT_CHECKED] = { SLOT_NOTHING, 0, 0 },
	[BL_OUTPUT_PERMISSION] = { SLOT_PERMISSION, 0, 0 },
	[BL_OUTPUT_CONTINUE] = { SLOT_CONTINUE, 0, 0 },
	[BL_OUTPUT_CONTEXT] = { SLOT_CONTEXT, 0, 0 },
	[BL_OUTPUT_USER_MESSAGE] = { SLOT_TEXT, BOTH(user_message) },
	[BL_OUTPUT_AGENT_MESSAGE] = { SLOT_TEXT, BOTH(agent_message) },
	[BL_OUTPUT_FOLLOWUP] = { SLOT_TEXT, BOTH(followup_message) },
	[BL_OUTPUT_INPUT] = { SLOT_VALUE, BOTH(updated_input) },
	[BL_OUTPUT_OUTPUT] = { SLOT_VALUE, BOTH(updated_output) },
	[BL_OUTPUT_ENV] = { SLOT_VALUE, BOTH(env) },
	[BL_OUTPUT_PLUGIN_PATHS] = { SLOT_VALUE, BOTH(plugin_paths) },
};

/* ---- decoding ----------------------------------------------------------- */

static enum bl_verdict decode_permission(const struct bl_hook_event *event,
					 struct bl_value value)
{
	enum bl_verdict verdict = BL_VERDICT_NONE;

	bl_verdict_parse(bl_value_text(value), &verdict);
	if (verdict == BL_VERDICT_ASK && event->ask_is_deny)
		return BL_VERDICT_DENY;
	return verdict;
}

static void decode_field(const struct bl_hook_event *event,
			 const struct bl_output_field *field,
			 struct bl_value value, struct bl_answer *answer)
{
	const struct slot_row *slot = &slots[field->slot];
	char *at = (char *)answer + slot->in_answer;
	struct bl_str text = bl_value_text(value);

	switch (slot->form) {
	case SLOT_NOTHING:
		break;
	case SLOT_PERMISSION:
		answer->permission = decode_permission(event, value);
		break;
	case SLOT_CONTINUE:
		answer->stops = !bl_value_is_true(value);
		break;
	case SLOT_CONTEXT:
		answer->additional_context = text;
		break;
	case SLOT_TEXT:
		memcpy(at, &text, sizeof(text));
		break;
	case SLOT_VALUE:
		memcpy(at, &value, sizeof(value));
		break;
	}
}

static void add_error(struct bl_output_errors *errors, const char *text)
{
	if (errors->count < BL_COUNT(errors->text))
		errors->text[errors->count++] = bl_str(text);
}

enum bl_status bl_agent_output_decode(const struct bl_hook_event *event,
				      struct bl_value value,
				      struct bl_answer *out_answer,
				      struct bl_output_errors *out_errors)
{
	struct bl_answer answer = { .raw = value };

	out_errors->count = 0;
	if (!bl_value_is(value, BL_KIND_OBJECT)) {
		add_error(out_errors, "Expected an object");
		return BL_INVALID;
	}
	for (size_t i = 0; i < event->output->field_count; i++) {
		const struct bl_output_field *field = &event->output->fields[i];
		struct bl_value held =
			bl_object_find(value, bl_str(field->name));

		if (!bl_value_is_defined(held))
			continue;
		if (bl_field_type_accepts(field->type, held))
			decode_field(event, field, held, &answer);
		else
			add_error(out_errors, field->error);
	}
	if (out_errors->count > 0)
		return BL_INVALID;
	*out_answer = answer;
	return BL_OK;
}

/* ---- other agents' words --------------------------------------------------- */

/* How other agents' hooks refuse: the field, in which object, its value. */
static const struct {
	const char *within; /* NULL: the output itself */
	const char *field;
	const char *value; /* NULL: any text */
	const char *shown;
} refusals[] = {
	{ "hookSpecificOutput", "permissionDecision", "deny",
	  "\"hookSpecificOutput\": {\"permissionDecision\": \"deny\"}" },
	{ "hookSpecificOutput", "permissionDecision", "ask",
	  "\"hookSpecificOutput\": {\"permissionDecision\": \"ask\"}" },
	{ NULL, "permissionDecision", "deny",
	  "\"permissionDecision\": \"deny\"" },
	{ NULL, "decision", "block", "\"decision\": \"block\"" },
	{ NULL, "decision", "deny", "\"decision\": \"deny\"" },
	{ NULL, "decision", "ask", "\"decision\": \"ask\"" },
	{ NULL, "permission", "deny", "\"permission\": \"deny\"" },
	{ NULL, "permission", "block", "\"permission\": \"block\"" },
	{ NULL, "action", "deny", "\"action\": \"deny\"" },
	{ NULL, "action", "block", "\"action\": \"block\"" },
	{ NULL, "behavior", "deny", "\"behavior\": \"deny\"" },
	{ NULL, "stopReason", NULL, "\"stopReason\"" },
	{ NULL, "userMessage", NULL, "\"userMessage\"" },
	{ NULL, "agentMessage", NULL, "\"agentMessage\"" },
};

static bool has_field(const struct bl_hook_event *event, const char *name)
{
	for (size_t i = 0; i < event->output->field_count; i++)
		if (!strcmp(event->output->fields[i].name, name))
			return true;
	return false;
}

const char *bl_agent_output_foreign(const struct bl_hook_event *event,
				    struct bl_value value, bool has_refused)
{
	struct bl_value goes_on = bl_object_find(value, BL_STR("continue"));

	for (size_t i = 0; i < BL_COUNT(refusals); i++) {
		struct bl_value object =
			refusals[i].within
				? bl_object_find(value,
						 bl_str(refusals[i].within))
				: value;
		struct bl_str text = bl_value_text(
			bl_object_find(object, bl_str(refusals[i].field)));

		if (!text.len || (has_refused && refusals[i].value) ||
		    (!refusals[i].within &&
		     has_field(event, refusals[i].field)))
			continue;
		if (!refusals[i].value || bl_str_is(text, refusals[i].value))
			return refusals[i].shown;
	}
	return !has_refused && bl_value_is(goes_on, BL_KIND_BOOLEAN) &&
			       !bl_value_is_true(goes_on) &&
			       !has_field(event, "continue")
		       ? "\"continue\": false"
		       : NULL;
}

const char *bl_agent_output_refusal(const struct bl_hook_event *event)
{
	if (has_field(event, "permission"))
		return "\"permission\": \"deny\"";
	if (has_field(event, "continue"))
		return "\"continue\": false";
	return NULL;
}

/* ---- encoding ----------------------------------------------------------- */

static struct bl_value text_or_nothing(struct bl_str text)
{
	return text.ptr ? bl_value_string(text) : bl_value_undefined();
}

/* All contexts as one text with blank lines between. */
static struct bl_value encode_contexts(struct bl_value contexts,
				       struct bl_arena *arena, bool *failed)
{
	size_t count = bl_value_count(contexts);
	struct bl_str *parts;
	struct bl_str whole;

	if (count == 0)
		return bl_value_undefined();
	parts = bl_arena_new_array(arena, struct bl_str, 2 * count - 1);
	if (!parts) {
		*failed = true;
		return bl_value_undefined();
	}
	for (size_t i = 0; i < count; i++) {
		parts[2 * i] = bl_value_text(bl_value_item(contexts, i));
		if (i > 0)
			parts[2 * i - 1] = BL_STR(CONTEXT_SEPARATOR);
	}
	whole = bl_agent_concat(arena, parts, 2 * count - 1);
	*failed |= !whole.ptr;
	return text_or_nothing(whole);
}

static struct bl_value encode_field(const struct bl_output_field *field,
				    const struct bl_decision *decision,
				    struct bl_arena *arena, bool *failed)
{
	const struct slot_row *slot = &slots[field->slot];
	const char *at = (const char *)decision + slot->in_decision;
	struct bl_value value = bl_value_undefined();
	struct bl_str text;

	switch (slot->form) {
	case SLOT_NOTHING:
		break;
	case SLOT_PERMISSION:
		if (decision->verdict != BL_VERDICT_NONE)
			value = bl_value_string(
				bl_str(bl_verdict_name(decision->verdict)));
		break;
	case SLOT_CONTINUE:
		if (decision->verdict == BL_VERDICT_DENY)
			value = bl_value_boolean(false);
		break;
	case SLOT_CONTEXT:
		value = encode_contexts(decision->additional_context, arena,
					failed);
		break;
	case SLOT_TEXT:
		memcpy(&text, at, sizeof(text));
		value = text_or_nothing(text);
		break;
	case SLOT_VALUE:
		memcpy(&value, at, sizeof(value));
		break;
	}
	return value;
}

struct bl_value bl_agent_output_encode(const struct bl_hook_event *event,
				       const struct bl_decision *decision,
				       struct bl_arena *arena)
{
	struct bl_object_builder builder;
	bool failed = false;

	if (bl_value_is_defined(decision->first_answer))
		return decision->first_answer;
	bl_object_builder_init(&builder, arena);
	for (size_t i = 0; i < event->output->field_count; i++) {
		const struct bl_output_field *field = &event->output->fields[i];

		bl_object_builder_add(
			&builder, bl_str(field->name),
			encode_field(field, decision, arena, &failed));
	}
	if (failed)
		return bl_value_undefined();
	return bl_object_builder_end(&builder);
}

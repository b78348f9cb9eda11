/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions as responses of agents whose hook belay is: chooses the form that
 * the event's rows have for the decision, fills it, and says what it cannot do
 * (degradations).  Worked example: Claude Code's PreToolUse and "ask" in mode
 * bypassPermissions.  The rows have a form that asks, but nobody is there to
 * be asked: choose() takes the form that refuses and notes ASK_DENIED; build()
 * puts its parts into hookSpecificOutput.
 */
#include "agents/private.h"
#include "json/json.h"

/* One response in the making. */
struct encoder {
	const struct bl_hook_event *event;
	const struct bl_agent_request *request; /* NULL: any (preview) */
	const struct bl_decision *decision;
	enum bl_verb verb; /* of the decision */
	struct bl_arena *arena;
	bool has_context;
	struct bl_str
		reason; /* with the corrected input, where refused for it */
	struct bl_str way_out; /* behind the reasons; empty: none */
	bool has_corrected;    /* reason differs from the decision's */
	bool asks_first;       /* refused since nobody can be asked */
	bool has_failed;       /* memory ran out */
};

static const char ask_first[] = "Ask the user before you try this again.";

/* ---- texts -------------------------------------------------------------- */

/* The agent's reason where it says something of its own; else empty. */
static struct bl_str own_agent_reason(const struct encoder *encoder)
{
	struct bl_str text = encoder->decision->agent_message;

	if (!text.ptr || bl_str_equal(text, encoder->decision->user_message))
		return (struct bl_str){ NULL, 0 };
	return text;
}

/* The texts that are not empty, with between between them. */
static struct bl_value join(struct encoder *encoder, const char *between,
			    const struct bl_str *first, size_t first_count,
			    struct bl_value more)
{
	struct bl_buf buf;
	struct bl_value text;
	size_t count = first_count + bl_value_count(more);
	bool is_first = true;

	bl_buf_init(&buf, 0);
	for (size_t i = 0; i < count; i++) {
		struct bl_str piece = first && i < first_count
					      ? first[i]
					      : bl_value_text(bl_value_item(
							more, i - first_count));

		if (i < first_count && !piece.len)
			continue;
		if (!is_first)
			bl_buf_puts(&buf, between);
		is_first = false;
		bl_buf_put_str(&buf, piece);
	}
	text = bl_value_undefined();
	if (!bl_buf_status(&buf) && !is_first)
		text = bl_value_string(
			bl_arena_copy_str(encoder->arena, bl_buf_str(&buf)));
	else if (bl_buf_status(&buf))
		encoder->has_failed = true;
	bl_buf_clear(&buf);
	return text;
}

/* The model's reason (or the user's), and the context, as an array. */
static struct bl_value told_list(struct encoder *encoder)
{
	struct bl_array_builder builder;
	struct bl_value context = encoder->decision->additional_context;

	bl_array_builder_init(&builder, encoder->arena);
	if (encoder->reason.len)
		bl_array_builder_add(&builder,
				     bl_value_string(encoder->reason));
	if (own_agent_reason(encoder).len)
		bl_array_builder_add(
			&builder, bl_value_string(own_agent_reason(encoder)));
	for (size_t i = 0; i < bl_value_count(context); i++)
		bl_array_builder_add(&builder, bl_value_item(context, i));
	return bl_array_builder_end(&builder);
}

/* The model says to the person what the person can do: the way out is in it. */
static struct bl_value agent_reason(struct encoder *encoder, const char *tail)
{
	struct bl_str own = own_agent_reason(encoder);
	struct bl_str way_out = own.len ? encoder->way_out : BL_STR("");
	struct bl_str parts[] = { own.len ? own : encoder->reason, way_out,
				  bl_str(tail) };

	if (own.len && encoder->has_corrected)
		return join(encoder, "\n",
			    (struct bl_str[]){ own, encoder->reason }, 2,
			    bl_value_undefined());
	if (!parts[0].len && !*tail)
		return bl_value_string(BL_STR(""));
	return join(encoder, " ", parts, 3, bl_value_undefined());
}

/* All there is to say to the model, and how to go on where nobody is asked. */
static struct bl_value everything(struct encoder *encoder)
{
	struct bl_str text =
		bl_value_text(join(encoder, "\n", NULL, 0, told_list(encoder)));

	if (!encoder->asks_first)
		return bl_value_string(text);
	return join(encoder, " ", (struct bl_str[]){ text, bl_str(ask_first) },
		    2, bl_value_undefined());
}

/* ---- inputs ------------------------------------------------------------- */

/* The reason, then what would have been let pass. */
static void put_corrected(struct encoder *encoder)
{
	struct bl_value patch = encoder->decision->updated_input;
	struct bl_value command = bl_object_find(patch, BL_STR("command"));
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_buf_put_str(&buf, encoder->reason);
	if (encoder->reason.len)
		bl_buf_puts(&buf, "\n");
	if (bl_value_is(command, BL_KIND_STRING) &&
	    bl_value_count(patch) == 1) {
		bl_buf_puts(&buf, "Run this instead: ");
		bl_buf_put_str(&buf, bl_value_text(command));
	} else {
		bl_buf_puts(&buf, "Use this input instead: ");
		bl_json_write(&buf, patch, BL_JSON_CANONICAL);
	}
	encoder->reason = bl_arena_copy_str(encoder->arena, bl_buf_str(&buf));
	if (bl_buf_status(&buf))
		encoder->has_failed = true;
	bl_buf_clear(&buf);
}

/* Where it is refused, also what was only to be asked about. */
static void put_way_out(struct encoder *encoder)
{
	struct bl_str parts[] = { encoder->reason, encoder->decision->way_out };

	if (!parts[1].len)
		return;
	encoder->way_out = parts[1];
	encoder->reason = bl_value_text(
		join(encoder, " ", parts, 2, bl_value_undefined()));
}

/*
 * The patch as the agent's tool takes it: policies say "command", whatever the
 * agent's name for it is; a list of lines becomes the one line.
 */
static struct bl_value native_patch(struct encoder *encoder)
{
	struct bl_value patch = encoder->decision->updated_input;
	struct bl_value command = bl_object_find(patch, BL_STR("command"));
	const char *key = encoder->request->command_key;
	struct bl_object_builder builder;

	if (!key || !bl_value_is_defined(command))
		return patch;
	if (encoder->request->has_command_list)
		command = bl_array_make(encoder->arena, &command, 1);
	bl_object_builder_init(&builder, encoder->arena);
	for (size_t i = 0; i < bl_value_count(patch); i++) {
		struct bl_str name = bl_value_text(bl_object_key(patch, i));

		if (!bl_str_is(name, "command"))
			bl_object_builder_add(&builder, name,
					      bl_object_value(patch, i));
	}
	bl_object_builder_add(&builder, bl_str(key), command);
	return bl_object_builder_end(&builder);
}

/* ---- parts -------------------------------------------------------------- */

static struct bl_value part_value(struct encoder *encoder,
				  const struct response_part *part)
{
	const struct bl_decision *decision = encoder->decision;
	struct bl_str own = own_agent_reason(encoder);

	switch (part->source) {
	case SAY_TEXT:
		return bl_value_string(bl_str(part->text));
	case SAY_TRUE:
	case SAY_FALSE:
		return bl_value_boolean(part->source == SAY_TRUE);
	case SAY_EVENT:
		return bl_value_string(encoder->request->event_name);
	case SAY_REASON:
		return bl_value_string(encoder->reason);
	case SAY_AGENT_REASON:
		return agent_reason(encoder, "");
	case SAY_ASK_FIRST:
		return agent_reason(encoder, ask_first);
	case SAY_BOTH_REASONS:
		if (!own.len)
			return bl_value_string(encoder->reason);
		return join(encoder, "\n",
			    (struct bl_str[]){ encoder->reason, own }, 2,
			    bl_value_undefined());
	case SAY_CONTEXT:
		return join(encoder, "\n", NULL, 0,
			    decision->additional_context);
	case SAY_CONTEXT_LIST:
		return bl_value_count(decision->additional_context)
			       ? decision->additional_context
			       : bl_value_undefined();
	case SAY_NOTE:
		return join(encoder, "\n", &own, 1,
			    decision->additional_context);
	case SAY_TOLD:
		return join(encoder, "\n", NULL, 0, told_list(encoder));
	case SAY_TOLD_LIST:
		return told_list(encoder);
	case SAY_EVERYTHING:
		return everything(encoder);
	case SAY_PATCH:
		return native_patch(encoder);
	case SAY_FULL_INPUT:
		return bl_agent_merge(encoder->arena,
				      encoder->request->tool_input,
				      native_patch(encoder));
	case SAY_REFUSAL_WORD:
		return bl_value_string(encoder->verb == BL_VERB_DENY
					       ? BL_STR("deny")
					       : BL_STR("block"));
	}
	return bl_value_undefined();
}

static bool is_wanted(const struct encoder *encoder,
		      const struct response_part *part)
{
	return !part->only_with || !encoder->request ||
	       bl_value_is_defined(bl_object_find(encoder->request->payload,
						  bl_str(part->only_with)));
}

static bool has_source(const struct encoder *encoder,
		       const struct response_form *form, unsigned sources)
{
	for (size_t i = 0; i < form->count; i++)
		if ((1U << form->parts[i].source) & sources &&
		    is_wanted(encoder, &form->parts[i]))
			return true;
	return false;
}

static struct bl_value build(struct encoder *encoder,
			     const struct response_form *form)
{
	static const char *const names[PLACE_COUNT] = {
		[PLACE_SPECIFIC] = "hookSpecificOutput",
		[PLACE_DECISION] = "decision",
	};
	struct bl_object_builder places[PLACE_COUNT];
	bool names_event_alone = true;

	for (size_t i = 0; i < PLACE_COUNT; i++)
		bl_object_builder_init(&places[i], encoder->arena);
	for (size_t i = 0; i < form->count; i++) {
		const struct response_part *part = &form->parts[i];

		if (!is_wanted(encoder, part))
			continue;
		struct bl_value value = part_value(encoder, part);

		if (part->place == PLACE_SPECIFIC &&
		    part->source != SAY_EVENT && bl_value_is_defined(value))
			names_event_alone = false;
		bl_object_builder_add(&places[part->place], bl_str(part->key),
				      value);
	}
	for (size_t i = PLACE_COUNT - 1; i > 0; i--) {
		/* an event's name with nothing to it is nothing said */
		if (!places[i].count ||
		    (i == PLACE_SPECIFIC && names_event_alone))
			continue;
		names_event_alone = false;
		bl_object_builder_add(&places[i - 1], bl_str(names[i]),
				      bl_object_builder_end(&places[i]));
	}
	return bl_object_builder_end(&places[PLACE_TOP]);
}

/* ---- which form --------------------------------------------------------- */

/* Is the request's mode one of the agent's attended_modes, unattended_modes? */
static bool is_in_mode(const struct bl_agent_request *request,
		       const char *const *modes)
{
	struct bl_str mode;

	if (!modes)
		return false;
	mode = bl_value_text(
		bl_agent_field(request->agent, request->payload, PAYLOAD_MODE));
	for (size_t i = 0; modes[i]; i++)
		if (bl_str_is(mode, modes[i]))
			return true;
	return false;
}

static bool is_attended(const struct bl_agent_request *request)
{
	return request && is_in_mode(request, request->agent->attended_modes);
}

static bool is_unattended(const struct bl_agent_request *request)
{
	return request && is_in_mode(request, request->agent->unattended_modes);
}

static const enum response_case cases[BL_VERB_COUNT] = {
	[BL_VERB_ALLOW] = CASE_ALLOW,   [BL_VERB_ADD_CONTEXT] = CASE_ALLOW,
	[BL_VERB_MODIFY] = CASE_MODIFY, [BL_VERB_ASK] = CASE_ASK,
	[BL_VERB_BLOCK] = CASE_REFUSE,  [BL_VERB_DENY] = CASE_REFUSE,
	[BL_VERB_HALT] = CASE_REFUSE,
};

#define SOURCE(name) (1U << SAY_##name)

static bool has_input(const struct encoder *encoder,
		      const struct response_form *form)
{
	return has_source(encoder, form, SOURCE(PATCH) | SOURCE(FULL_INPUT));
}

/*
 * Is there a change of the input that the form cannot make: it has no place for
 * one, or the policy's patch is not an object?
 */
static bool loses_change(const struct encoder *encoder,
			 const struct response_form *form)
{
	enum bl_event_kind kind =
		bl_hook_event_policy_kind(encoder->event, NULL);
	struct bl_value patch = encoder->decision->updated_input;
	enum bl_verb verb = encoder->verb;

	if (kind != BL_EVENT_TOOL_BEFORE && kind != BL_EVENT_PERMISSION)
		return false;
	if (verb != BL_VERB_MODIFY &&
	    (verb != BL_VERB_ASK || !bl_value_is_defined(patch)))
		return false;
	return !has_input(encoder, form) ||
	       (bl_value_is_defined(patch) &&
		!bl_value_is(patch, BL_KIND_OBJECT));
}

/* The form of the case, after what cannot be done became what can. */
static const struct response_form *
choose(struct encoder *encoder, const struct bl_response_options *options,
       unsigned *out_degradations)
{
	const struct bl_hook_event *event = encoder->event;
	enum bl_event_kind kind = bl_hook_event_policy_kind(event, NULL);
	enum response_case which = cases[encoder->verb];
	const struct response_form *form = &event->response->form[which];

	*out_degradations = 0;
	if (form->attended && is_attended(encoder->request))
		form = form->attended;
	if (which == CASE_ASK && form->effect == BL_VERB_ASK &&
	    kind == BL_EVENT_TOOL_BEFORE && is_unattended(encoder->request)) {
		*out_degradations = 1U << BL_DEGRADED_ASK_DENIED;
		return &event->response->form[CASE_REFUSE];
	}
	if (loses_change(encoder, form) && form->effect < BL_VERB_BLOCK) {
		if (which == CASE_MODIFY && options->passes_unmodified &&
		    !has_input(encoder, form)) {
			*out_degradations = 1U << BL_DEGRADED_REWRITE_DROPPED;
			return form;
		}
		encoder->has_corrected = true;
		*out_degradations = 1U << BL_DEGRADED_REWRITE_DENIED;
		return &event->response->form[CASE_REFUSE];
	}
	encoder->asks_first =
		which == CASE_ASK && form->effect >= BL_VERB_BLOCK;
	*out_degradations = form->degradations;
	return form;
}

/* Is nothing lost on the model: what standard error or one field takes? */
static bool tells_everything(const struct encoder *encoder,
			     const struct response_form *form)
{
	return (form->exits_2 && form->is_silent) ||
	       has_source(encoder, form, SOURCE(EVERYTHING));
}

/* Parts of a decision that the format has no field for. */
static unsigned missing(const struct encoder *encoder,
			const struct response_form *form)
{
	unsigned degradations = 0;

	if (encoder->has_context && !tells_everything(encoder, form)) {
		if (!has_source(encoder, form,
				SOURCE(CONTEXT) | SOURCE(CONTEXT_LIST) |
					SOURCE(NOTE) | SOURCE(TOLD) |
					SOURCE(TOLD_LIST) | SOURCE(EVERYTHING)))
			degradations |= 1U << BL_DEGRADED_CONTEXT_DROPPED;
		else if (!(encoder->event->capabilities & BL_CAN_CONTEXT))
			degradations |= 1U << BL_DEGRADED_CONTEXT_USER;
	}
	if (form->effect == BL_VERB_DENY && !form->exits_2 &&
	    !has_source(encoder, form,
			SOURCE(REASON) | SOURCE(BOTH_REASONS) |
				SOURCE(AGENT_REASON) | SOURCE(ASK_FIRST) |
				SOURCE(TOLD) | SOURCE(EVERYTHING)))
		degradations |= 1U << BL_DEGRADED_REASON_DROPPED;
	if (encoder->verb == BL_VERB_HALT && form->effect == BL_VERB_DENY)
		degradations |= 1U << BL_DEGRADED_HALT_DENIED;
	return degradations;
}

/* ---- the response --------------------------------------------------------- */

/* The object of the form, or the text of its part, with the end of the line. */
static void put_output(struct encoder *encoder,
		       const struct response_form *form, struct bl_buf *out)
{
	struct bl_value value;

	if (form->is_text)
		value = part_value(encoder, &form->parts[0]);
	else
		value = build(encoder, form);
	if (form->is_text)
		bl_buf_put_str(out, bl_value_text(value));
	else if (!form->is_quiet || bl_value_count(value))
		bl_json_write(out, value, BL_JSON_CANONICAL);
	if (out->len)
		bl_buf_put_char(out, '\n');
}

static enum bl_status write_output(struct encoder *encoder,
				   const struct response_form *form,
				   struct bl_response *response,
				   struct bl_error *err)
{
	struct bl_buf buf;
	enum bl_status status;

	if (form->is_silent)
		return BL_OK;
	bl_buf_init(&buf, 0);
	put_output(encoder, form, &buf);
	status = bl_buf_status(&buf);
	if (!status && buf.len)
		response->output =
			bl_arena_copy_str(encoder->arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	if (status || encoder->has_failed)
		return bl_fail(err, status ? status : BL_NO_MEMORY,
			       "out of memory for the response");
	if (bl_arena_status(encoder->arena))
		return bl_arena_fail(encoder->arena, err);
	return BL_OK;
}

enum bl_status bl_agent_encode(const struct bl_agent_request *request,
			       const struct bl_decision *decision,
			       const struct bl_response_options *options,
			       struct bl_arena *arena,
			       struct bl_response *out_response,
			       struct bl_error *err)
{
	struct encoder encoder = {
		.event = request->event,
		.request = request,
		.decision = decision,
		.verb = bl_decision_verb(decision),
		.arena = arena,
		.has_context = bl_value_count(decision->additional_context) > 0,
		.reason = decision->user_message,
	};
	struct bl_response response = { .output = { NULL, 0 } };
	const struct response_form *form =
		choose(&encoder, options, &response.degradations);
	enum bl_status status;

	if (encoder.has_corrected)
		put_corrected(&encoder);
	if (form->effect >= BL_VERB_BLOCK)
		put_way_out(&encoder);
	status = write_output(&encoder, form, &response, err);
	if (status)
		return status;
	response.degradations |= missing(&encoder, form);
	response.effect = form->effect;
	if (options->is_strict && decision->verdict == BL_VERDICT_DENY)
		response.exit_code = 1;
	if (form->exits_2) {
		response.exit_code = 2;
		response.errors = bl_value_text(everything(&encoder));
		if (encoder.has_failed)
			return bl_fail_memory(err);
	}
	*out_response = response;
	return BL_OK;
}

struct bl_response_preview
bl_agent_preview(const struct bl_hook_event *event, enum bl_verb verb,
		 bool has_context, const struct bl_response_options *options)
{
	const struct bl_decision nothing = { .verdict = BL_VERDICT_NONE };
	struct encoder encoder = { .event = event,
				   .decision = &nothing,
				   .verb = verb,
				   .has_context = has_context };
	struct bl_response_preview preview = { .only_with = NULL };
	const struct response_form *form =
		choose(&encoder, options, &preview.degradations);

	preview.degradations |= missing(&encoder, form);
	preview.effect = form->effect;
	preview.is_silent = form->is_silent || form->is_quiet || form->is_text;
	for (size_t i = 0; i < form->count; i++)
		if (form->parts[i].only_with)
			preview.only_with = form->parts[i].only_with;
	return preview;
}

void bl_agent_emergency(const struct bl_agent *agent, struct bl_str reason,
			struct bl_buf *buf, struct bl_response *out_response)
{
	*out_response =
		(struct bl_response){ .exit_code = 2, .effect = BL_VERB_DENY };
	bl_buf_reset(buf);
	if (agent->payload->emergency) {
		bl_buf_puts(buf, agent->payload->emergency);
		bl_json_write_string(buf, reason);
		bl_buf_puts(buf, "}\n");
		if (!bl_buf_status(buf)) {
			out_response->output = bl_buf_str(buf);
			out_response->exit_code = 0;
		}
		return;
	}
	bl_buf_put_str(buf, reason);
	out_response->errors =
		bl_buf_status(buf) ? BL_STR("out of memory") : bl_buf_str(buf);
}

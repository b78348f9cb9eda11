/* SPDX-License-Identifier: Apache-2.0 */
/* guest_encode.c: rulings to answers, by the rows. */
#include "agents/guest_internal.h"
#include "json/json.h"

/* One answer in the making. */
struct encoder {
	const struct bl_guest_event *event;
	const struct bl_guest_request *request; /* NULL: any (foretelling) */
	const struct bl_ruling *ruling;
	struct bl_arena *arena;
	bool has_context;
	struct bl_str
		reason;     /* with the corrected input, where refused for it */
	bool has_corrected; /* reason differs from the ruling's */
	bool has_failed;    /* memory ran out */
};

/* ---- texts -------------------------------------------------------------- */

/* The agent's reason where it says something of its own; else empty. */
static struct bl_str own_agent_reason(const struct encoder *encoder)
{
	struct bl_str text = encoder->ruling->agent_reason;

	if (!text.ptr || bl_str_equal(text, encoder->ruling->reason))
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
	struct bl_value context = encoder->ruling->context;

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

static struct bl_value agent_reason(struct encoder *encoder, const char *tail)
{
	struct bl_str own = own_agent_reason(encoder);
	struct bl_str parts[2] = { own.len ? own : encoder->reason,
				   bl_str(tail) };

	if (own.len && encoder->has_corrected)
		return join(encoder, "\n",
			    (struct bl_str[]){ own, encoder->reason }, 2,
			    bl_value_undefined());
	if (!parts[0].len && !*tail)
		return bl_value_string(BL_STR(""));
	return join(encoder, " ", parts, 2, bl_value_undefined());
}

/* ---- inputs ------------------------------------------------------------- */

/* The reason, then what would have been let pass. */
static void put_corrected(struct encoder *encoder)
{
	struct bl_value patch = encoder->ruling->updated_input;
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

/* ---- parts -------------------------------------------------------------- */

static struct bl_value part_value(struct encoder *encoder,
				  const struct guest_part *part)
{
	const struct bl_ruling *ruling = encoder->ruling;
	struct bl_str own = own_agent_reason(encoder);

	switch (part->source) {
	case GUEST_TEXT:
		return bl_value_string(bl_str(part->text));
	case GUEST_TRUE:
	case GUEST_FALSE:
		return bl_value_boolean(part->source == GUEST_TRUE);
	case GUEST_EVENT:
		return bl_value_string(encoder->request->event_name);
	case GUEST_REASON:
		return bl_value_string(encoder->reason);
	case GUEST_AGENT_REASON:
		return agent_reason(encoder, "");
	case GUEST_ASK_FIRST:
		return agent_reason(encoder,
				    "Ask the user before you try this again.");
	case GUEST_BOTH_REASONS:
		if (!own.len)
			return bl_value_string(encoder->reason);
		return join(encoder, "\n",
			    (struct bl_str[]){ encoder->reason, own }, 2,
			    bl_value_undefined());
	case GUEST_CONTEXT:
		return join(encoder, "\n", NULL, 0, ruling->context);
	case GUEST_CONTEXT_LIST:
		return bl_value_count(ruling->context) ? ruling->context
						       : bl_value_undefined();
	case GUEST_NOTE:
		return join(encoder, "\n", &own, 1, ruling->context);
	case GUEST_TOLD:
		return join(encoder, "\n", NULL, 0, told_list(encoder));
	case GUEST_TOLD_LIST:
		return told_list(encoder);
	case GUEST_PATCH:
		return ruling->updated_input;
	case GUEST_FULL_INPUT:
		return bl_guest_merge(encoder->arena,
				      encoder->request->tool_input,
				      ruling->updated_input);
	case GUEST_REFUSAL_WORD:
		return bl_value_string(ruling->verb == BL_RULING_DENY
					       ? BL_STR("deny")
					       : BL_STR("block"));
	}
	return bl_value_undefined();
}

static bool is_wanted(const struct encoder *encoder,
		      const struct guest_part *part)
{
	return !part->only_with || !encoder->request ||
	       bl_value_is_defined(bl_object_find(encoder->request->payload,
						  bl_str(part->only_with)));
}

static bool has_source(const struct encoder *encoder,
		       const struct guest_form *form, unsigned sources)
{
	for (size_t i = 0; i < form->count; i++)
		if ((1U << form->parts[i].source) & sources &&
		    is_wanted(encoder, &form->parts[i]))
			return true;
	return false;
}

static struct bl_value build(struct encoder *encoder,
			     const struct guest_form *form)
{
	static const char *const names[GUEST_PLACE_COUNT] = {
		[GUEST_SPECIFIC] = "hookSpecificOutput",
		[GUEST_DECISION] = "decision",
	};
	struct bl_object_builder places[GUEST_PLACE_COUNT];
	bool names_event_alone = true;

	for (size_t i = 0; i < GUEST_PLACE_COUNT; i++)
		bl_object_builder_init(&places[i], encoder->arena);
	for (size_t i = 0; i < form->count; i++) {
		const struct guest_part *part = &form->parts[i];

		if (!is_wanted(encoder, part))
			continue;
		struct bl_value value = part_value(encoder, part);

		if (part->place == GUEST_SPECIFIC &&
		    part->source != GUEST_EVENT && bl_value_is_defined(value))
			names_event_alone = false;
		bl_object_builder_add(&places[part->place], bl_str(part->key),
				      value);
	}
	for (size_t i = GUEST_PLACE_COUNT - 1; i > 0; i--) {
		/* an event's name with nothing to it is nothing said */
		if (!places[i].count ||
		    (i == GUEST_SPECIFIC && names_event_alone))
			continue;
		names_event_alone = false;
		bl_object_builder_add(&places[i - 1], bl_str(names[i]),
				      bl_object_builder_end(&places[i]));
	}
	return bl_object_builder_end(&places[GUEST_TOP]);
}

/* ---- which form --------------------------------------------------------- */

static bool is_unattended(const struct bl_guest_request *request)
{
	const struct guest_agent *agent;
	struct bl_str mode;

	if (!request)
		return false;
	agent = bl_guest_agent(request->agent);
	mode = bl_value_text(
		bl_guest_field(agent, request->payload, GUEST_FIELD_MODE));
	for (size_t i = 0;
	     agent->unattended_modes && agent->unattended_modes[i]; i++)
		if (bl_str_is(mode, agent->unattended_modes[i]))
			return true;
	return false;
}

static const enum guest_case cases[BL_RULING_COUNT] = {
	[BL_RULING_ALLOW] = GUEST_ALLOW, [BL_RULING_MODIFY] = GUEST_MODIFY,
	[BL_RULING_ASK] = GUEST_ASK,     [BL_RULING_BLOCK] = GUEST_REFUSE,
	[BL_RULING_DENY] = GUEST_REFUSE, [BL_RULING_HALT] = GUEST_REFUSE,
};

#define SOURCE(name) (1U << GUEST_##name)

/* The form of the case, after what cannot be done became what can. */
static const struct guest_form *choose(struct encoder *encoder,
				       const struct bl_guest_options *options,
				       unsigned *out_losses)
{
	const struct bl_guest_event *event = encoder->event;
	enum guest_case which = cases[encoder->ruling->verb];
	const struct guest_form *form = &event->shape->form[which];

	*out_losses = 0;
	if (which == GUEST_ASK && form->effect == BL_RULING_ASK &&
	    event->kind == BL_EVENT_TOOL_BEFORE &&
	    is_unattended(encoder->request)) {
		*out_losses = 1U << BL_GUEST_LOSS_ASK_DENIED;
		return &event->shape->form[GUEST_REFUSE];
	}
	if (which == GUEST_MODIFY &&
	    (event->kind == BL_EVENT_TOOL_BEFORE ||
	     event->kind == BL_EVENT_PERMISSION) &&
	    !has_source(encoder, form, SOURCE(PATCH) | SOURCE(FULL_INPUT))) {
		if (options->passes_unmodified) {
			*out_losses = 1U << BL_GUEST_LOSS_REWRITE_DROPPED;
			return form;
		}
		encoder->has_corrected = true;
		*out_losses = 1U << BL_GUEST_LOSS_REWRITE_DENIED;
		return &event->shape->form[GUEST_REFUSE];
	}
	*out_losses = form->losses;
	return form;
}

/* What the form has no field for. */
static unsigned missing(const struct encoder *encoder,
			const struct guest_form *form)
{
	const struct bl_ruling *ruling = encoder->ruling;
	unsigned losses = 0;

	if (encoder->has_context) {
		if (!has_source(encoder, form,
				SOURCE(CONTEXT) | SOURCE(CONTEXT_LIST) |
					SOURCE(NOTE) | SOURCE(TOLD) |
					SOURCE(TOLD_LIST)))
			losses |= 1U << BL_GUEST_LOSS_CONTEXT_DROPPED;
		else if (!(encoder->event->abilities & BL_GUEST_CAN_CONTEXT))
			losses |= 1U << BL_GUEST_LOSS_CONTEXT_USER;
	}
	if (form->effect == BL_RULING_DENY && !form->exits_2 &&
	    !has_source(encoder, form,
			SOURCE(REASON) | SOURCE(BOTH_REASONS) |
				SOURCE(AGENT_REASON) | SOURCE(TOLD)))
		losses |= 1U << BL_GUEST_LOSS_REASON_DROPPED;
	if (ruling->verb == BL_RULING_HALT && form->effect == BL_RULING_DENY)
		losses |= 1U << BL_GUEST_LOSS_HALT_DENIED;
	return losses;
}

/* ---- the answer --------------------------------------------------------- */

static enum bl_status write_output(struct encoder *encoder,
				   const struct guest_form *form,
				   struct bl_guest_answer *answer,
				   struct bl_error *err)
{
	struct bl_buf buf;
	enum bl_status status;

	if (form->is_silent)
		return BL_OK;
	bl_buf_init(&buf, 0);
	bl_json_write(&buf, build(encoder, form), BL_JSON_CANONICAL);
	bl_buf_put_char(&buf, '\n');
	status = bl_buf_status(&buf);
	if (!status)
		answer->output =
			bl_arena_copy_str(encoder->arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	if (status || encoder->has_failed)
		return bl_fail(err, status ? status : BL_NO_MEMORY,
			       "out of memory for the answer");
	if (bl_arena_status(encoder->arena))
		return bl_arena_fail(encoder->arena, err);
	return BL_OK;
}

enum bl_status bl_guest_encode(const struct bl_guest_request *request,
			       const struct bl_ruling *ruling,
			       const struct bl_guest_options *options,
			       struct bl_arena *arena,
			       struct bl_guest_answer *out_answer,
			       struct bl_error *err)
{
	struct encoder encoder = {
		.event = request->event,
		.request = request,
		.ruling = ruling,
		.arena = arena,
		.has_context = bl_value_count(ruling->context) > 0,
		.reason = ruling->reason,
	};
	struct bl_guest_answer answer = { .output = { NULL, 0 } };
	const struct guest_form *form =
		choose(&encoder, options, &answer.losses);
	enum bl_status status;

	if (encoder.has_corrected)
		put_corrected(&encoder);
	status = write_output(&encoder, form, &answer, err);
	if (status)
		return status;
	answer.losses |= missing(&encoder, form);
	answer.effect = form->effect;
	if (options->is_strict && ruling->verb >= BL_RULING_BLOCK)
		answer.exit_code = 1;
	if (form->exits_2) {
		answer.exit_code = 2;
		answer.errors = encoder.reason;
	}
	*out_answer = answer;
	return BL_OK;
}

struct bl_guest_effect bl_guest_foretell(const struct bl_guest_event *event,
					 enum bl_ruling_verb verb,
					 bool has_context,
					 const struct bl_guest_options *options)
{
	const struct bl_ruling ruling = { .verb = verb };
	struct encoder encoder = { .event = event,
				   .ruling = &ruling,
				   .has_context = has_context };
	struct bl_guest_effect foretold = { .only_with = NULL };
	const struct guest_form *form =
		choose(&encoder, options, &foretold.losses);

	foretold.losses |= missing(&encoder, form);
	foretold.effect = form->effect;
	for (size_t i = 0; i < form->count; i++)
		if (form->parts[i].only_with)
			foretold.only_with = form->parts[i].only_with;
	return foretold;
}

/* OpenCode's plugin reads one word, whatever the exit status. */
void bl_guest_emergency(enum bl_agent agent, struct bl_str reason,
			struct bl_buf *buf, struct bl_guest_answer *out_answer)
{
	*out_answer = (struct bl_guest_answer){ .exit_code = 2,
						.effect = BL_RULING_DENY };
	bl_buf_reset(buf);
	if (agent == BL_AGENT_OPENCODE) {
		bl_buf_puts(buf, "{\"decision\":\"block\",\"reason\":");
		bl_json_write_string(buf, reason);
		bl_buf_puts(buf, "}\n");
		if (!bl_buf_status(buf)) {
			out_answer->output = bl_buf_str(buf);
			out_answer->exit_code = 0;
		}
		return;
	}
	bl_buf_put_str(buf, reason);
	out_answer->errors =
		bl_buf_status(buf) ? BL_STR("out of memory") : bl_buf_str(buf);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c: one session, and what both sides need: lines as they are read and
 * written, and decisions.  The sides are client.c and server.c.
 */
#include <stdlib.h>

#include "json/json.h"
#include "mcp/private.h"

enum bl_status bl_mcp_new(const struct bl_mcp_options *options,
			  struct bl_mcp **out_mcp, struct bl_error *err)
{
	struct bl_mcp *mcp = calloc(1, sizeof(*mcp));
	uint32_t most = options->most_calls;

	if (!mcp)
		return bl_fail_memory(err);
	mcp->options = *options;
	bl_arena_init(&mcp->kept, NULL, 0, 0);
	bl_arena_init(&mcp->arena, NULL, 0, options->max_arena_bytes);
	bl_buf_init(&mcp->client, 0);
	mcp->calls.list =
		bl_arena_new_array(&mcp->kept, struct bl_mcp_call, most);
	for (uint32_t i = 0; mcp->calls.list && i < most; i++)
		bl_mcp_call_clear(&mcp->calls.list[mcp->calls.most++]);
	mcp->options.server = bl_arena_copy_str(&mcp->kept, options->server);
	mcp->options.session = bl_arena_copy_str(&mcp->kept, options->session);
	mcp->options.cwd = bl_arena_copy_str(&mcp->kept, options->cwd);
	mcp->options.question_prefix =
		bl_arena_copy_str(&mcp->kept, options->question_prefix);
	if (bl_arena_status(&mcp->kept)) {
		bl_mcp_free(mcp);
		return bl_fail_memory(err);
	}
	*out_mcp = mcp;
	return BL_OK;
}

struct bl_mcp *bl_mcp_free(struct bl_mcp *mcp)
{
	if (!mcp)
		return NULL;
	for (uint32_t i = 0; i < mcp->calls.most; i++)
		bl_mcp_call_clear(&mcp->calls.list[i]);
	bl_buf_clear(&mcp->client);
	bl_arena_clear(&mcp->arena);
	bl_arena_clear(&mcp->kept);
	free(mcp);
	return NULL;
}

void bl_mcp_put_name(struct bl_buf *out, struct bl_str name)
{
	bool is_parted = false;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool is_plain = (c >= 'a' && c <= 'z') ||
				(c >= 'A' && c <= 'Z') ||
				(c >= '0' && c <= '9') || c == '-';

		/* Two _ part the server from the tool: one here, and inside. */
		if (is_plain && is_parted && out->len)
			bl_buf_put_char(out, '_');
		is_parted = !is_plain;
		if (is_plain)
			bl_buf_put_char(out, c);
	}
}

/* ---- lines -------------------------------------------------------------- */

void bl_mcp_note(struct bl_mcp *mcp, const char *fmt, ...)
{
	struct bl_str text;
	va_list args;

	va_start(args, fmt);
	text = bl_arena_vprintf(&mcp->arena, fmt, args);
	va_end(args);
	if (text.ptr)
		mcp->options.note(mcp->options.context, text.ptr);
}

void bl_mcp_put_line(struct bl_buf *out, struct bl_value message)
{
	bl_json_write(out, message, BL_JSON_COMPACT);
	bl_buf_put_char(out, '\n');
}

void bl_mcp_put_read(struct bl_buf *out, const struct bl_mcp_line *line)
{
	if (line->is_changed) {
		bl_mcp_put_line(out, line->value);
		return;
	}
	bl_buf_put_str(out, line->text);
	bl_buf_put_char(out, '\n');
}

/*
 * Readers that end lines at a carriage return, too, would find other messages
 * in the line than we do; at the end of a line it is white space.
 */
static bool has_return(struct bl_str text)
{
	size_t at = bl_str_find(text, BL_STR("\r"), 0);

	return at != SIZE_MAX && at + 1 < text.len;
}

enum bl_status bl_mcp_read_line(struct bl_mcp *mcp, struct bl_str text,
				struct bl_mcp_line *out_line,
				struct bl_error *err)
{
	struct bl_json_options json = { .max_depth = mcp->options.max_depth };
	struct bl_json_report report = { 0 };
	enum bl_status status;

	*out_line = (struct bl_mcp_line){ .text = text };
	if (has_return(text))
		return bl_fail(err, BL_SYNTAX,
			       "there is a carriage return in the line");
	status = bl_json_read(&mcp->arena, text, &json, &out_line->value,
			      &report, NULL, err);
	out_line->is_changed =
		report.repeated_key_count || report.had_lone_surrogate;
	return status;
}

size_t bl_mcp_message_count(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_ARRAY) ? bl_value_count(value) : 1;
}

struct bl_value bl_mcp_message_at(struct bl_value value, size_t i)
{
	return bl_value_is(value, BL_KIND_ARRAY) ? bl_value_item(value, i)
						 : value;
}

struct bl_value bl_mcp_like(struct bl_value value,
			    struct bl_array_builder *messages)
{
	struct bl_value list = bl_array_builder_end(messages);

	return bl_value_is(value, BL_KIND_ARRAY) ? list
						 : bl_value_item(list, 0);
}

enum bl_status bl_mcp_finish(struct bl_mcp *mcp, struct bl_error *err)
{
	enum bl_status status = bl_arena_status(&mcp->arena)
					? bl_arena_fail(&mcp->arena, err)
					: BL_OK;

	bl_arena_reset(&mcp->arena);
	return status;
}

/* ---- decisions ---------------------------------------------------------- */

static struct bl_str refusal_of(const struct bl_response *response,
				struct bl_value said)
{
	struct bl_str reason =
		bl_value_text(bl_object_find(said, BL_STR("reason")));

	if (!reason.len)
		reason = bl_str_trim(response->errors);
	return reason.len ? reason : BL_STR("refused");
}

static void decide(struct bl_mcp *mcp, struct bl_str payload,
		   struct bl_mcp_decided *out_decided)
{
	struct bl_arena *arena = &mcp->arena;
	struct bl_response response = { .exit_code = 0 };
	struct bl_value said = bl_value_undefined();
	struct bl_error err;

	*out_decided = (struct bl_mcp_decided){ .reason = { NULL, 0 } };
	if (mcp->options.decide(mcp->options.context, payload, arena, &response,
				&err)) {
		out_decided->reason =
			bl_arena_copy_str(arena, bl_str(err.message));
		if (!out_decided->reason.len)
			out_decided->reason = BL_STR("out of memory");
		return;
	}
	if (bl_str_trim(response.output).len &&
	    bl_json_read(arena, response.output, NULL, &said, NULL, NULL, NULL))
		response.effect = BL_VERB_DENY;
	/* A question is a refusal until somebody has said yes. */
	if (bl_verb_refuses(response.effect) || response.effect == BL_VERB_ASK)
		out_decided->reason = refusal_of(&response, said);
	if (response.effect == BL_VERB_ASK)
		out_decided->question =
			bl_value_text(bl_object_find(said, BL_STR("question")));
	out_decided->arguments = bl_object_find(said, BL_STR("arguments"));
	out_decided->context = bl_object_find(said, BL_STR("context"));
}

void bl_mcp_decide(struct bl_mcp *mcp, const struct bl_buf *payload,
		   struct bl_mcp_decided *out_decided)
{
	if (bl_buf_status(payload))
		*out_decided = (struct bl_mcp_decided){
			.reason = BL_STR("out of memory")
		};
	else
		decide(mcp, bl_buf_str(payload), out_decided);
}

struct bl_value bl_mcp_refuse(struct bl_mcp *mcp, struct bl_value id,
			      const struct bl_mcp_decided *decided)
{
	return bl_mcp_with_context(
		&mcp->arena, bl_mcp_refusal(&mcp->arena, id, decided->reason),
		decided->context, bl_value_undefined());
}

struct bl_value bl_mcp_call_context(struct bl_mcp *mcp,
				    const struct bl_mcp_call *call)
{
	struct bl_value context;

	if (!call->context.len ||
	    bl_json_read(
		    &mcp->arena,
		    bl_arena_copy_str(&mcp->arena, bl_buf_str(&call->context)),
		    NULL, &context, NULL, NULL, NULL))
		return bl_value_undefined();
	return context;
}

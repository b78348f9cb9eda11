/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c: commands judged by the draft's policies before anybody has them: one that
 * is typed, or those that machines sent lately, beside what was decided then.
 *
 * Nothing of the draft is run: signals count as if they had said nothing, hooks are
 * not asked, and no function of a policy reaches the network.
 */
#include "server/app.h"

#include "agents/agents.h"
#include "engine/engine.h"

enum {
	MAX_COMMANDS = 200,
	MAX_COMMAND_BYTES = 4096,
	TIMEOUT_MS = 2000,
};

/* The event of an agent that is about to run a command. */
static struct bl_str make_event(struct call *call, struct bl_str folder,
				struct bl_str command)
{
	struct bl_str text;
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_buf_puts(&out, "{\"hook_event_name\":\"PreToolUse\",\"session_id\":"
			  "\"try\",\"transcript_path\":\"\",\"cwd\":");
	bl_json_write_string(&out, bl_path_dir(folder));
	bl_buf_puts(&out,
		    ",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":");
	bl_json_write_string(&out, command);
	bl_buf_puts(&out, "}}");
	text = bl_buf_status(&out)
		       ? (struct bl_str){ NULL, 0 }
		       : bl_arena_copy_str(call->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

static enum bl_status make_engine(struct call *call, struct bl_str folder,
				  struct bl_engine **out)
{
	struct bl_engine_options options = {
		.form = BL_FORM_HOOK,
		.agent = { .agent = bl_agent_find(BL_STR("claude")) },
		.policies = { .dir = folder,
			      .compile = bl_policy_load,
			      .options = { .timeout_ms = TIMEOUT_MS,
					   .home = bl_path_dir(folder),
					   .host = { .read_zone =
							     bl_engine_read_zone,
						     .fill_random =
							     bl_engine_fill_random } } },
		.home = bl_path_dir(folder),
		.no_journal = true,
	};

	return bl_engine_new(&options, out, &call->err);
}

struct judged {
	const char *word;
	struct bl_str reason;
};

static enum bl_status judge(struct call *call, struct bl_engine *engine,
			    struct bl_str event, struct judged *out)
{
	struct bl_object_builder none;
	struct bl_request request = { .payload = event };
	struct bl_reply reply;
	enum bl_status status;

	bl_object_builder_init(&none, call->arena);
	request.recorded_signals = bl_object_builder_end(&none);
	status = bl_engine_dispatch(engine, &request, call->arena, &reply,
				    &call->err);
	if (status)
		return status;
	out->word = bl_reply_word(&reply);
	out->reason =
		bl_arena_copy_str(call->arena, reply.decision.user_message);
	bl_reply_clear(&reply);
	return BL_OK;
}

/* The words of records for those of decisions. */
static const char *verdict_of(const char *word)
{
	static const char *const rows[][2] = { { "block", "deny" },
					       { "halt", "deny" },
					       { "modify", "allow" } };

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (!strcmp(word, rows[i][0]))
			return rows[i][1];
	return word;
}

static enum bl_status try_one(struct call *call, struct bl_engine *engine,
			      struct bl_str folder, const struct bl_rows *rows,
			      size_t row)
{
	struct bl_str command = bl_rows_text(rows, row, 0);
	struct bl_str before = bl_rows_text(rows, row, 1);
	struct bl_str event = make_event(call, folder, command);
	struct judged judged = { 0 };
	enum bl_status status;

	if (!event.ptr)
		return bl_fail_memory(&call->err);
	status = judge(call, engine, event, &judged);
	if (status)
		return status;
	bl_buf_puts(&call->out, row ? ",\n{\"command\":" : "{\"command\":");
	bl_json_write_string(&call->out, command);
	bl_buf_puts(&call->out, ",\"before\":");
	if (before.ptr)
		bl_json_write_string(&call->out, before);
	else
		bl_buf_puts(&call->out, "null");
	bl_buf_printf(&call->out, ",\"verdict\":\"%s\",\"reason\":",
		      verdict_of(judged.word));
	bl_json_write_string(&call->out, judged.reason);
	bl_buf_puts(&call->out, "}");
	return BL_OK;
}

/* The commands to try: that of the body, else the last ones that were recorded. */
static enum bl_status find_commands(struct call *call, struct bl_rows *rows)
{
	struct bl_str command = call_text(call, "command");

	if (command.len > MAX_COMMAND_BYTES)
		return bl_fail(&call->err, BL_INVALID,
			       "a command has at most %d bytes",
			       MAX_COMMAND_BYTES);
	if (command.len)
		return call_ask(call,
				BL_DB_QUERY("SELECT CAST($1 AS TEXT), NULL",
					    bl_db_text(command)),
				rows);
	return call_ask(
		call,
		BL_DB_QUERY("SELECT about, MAX(verdict) FROM (SELECT about, "
			    "verdict FROM execution WHERE about <> '' AND step "
			    "IN ('PreToolUse', 'beforeShellExecution', "
			    "'BeforeTool', 'tool.execute.before') AND source = "
			    "'policies' ORDER BY at DESC LIMIT 5000) AS recent "
			    "GROUP BY about ORDER BY about LIMIT $1",
			    bl_db_integer(MAX_COMMANDS)),
		rows);
}

/* POST /api/draft/try {"command"}; without one those of late. */
enum bl_status route_draft_try(struct call *call)
{
	struct bl_engine *engine = NULL;
	struct bl_str folder = { NULL, 0 };
	struct bl_rows rows = { 0 };
	enum bl_status status = find_commands(call, &rows);

	if (!status)
		status = draft_write(call, &folder);
	if (!status)
		status = make_engine(call, folder, &engine);
	bl_buf_puts(&call->out, "{\"tried\":[");
	for (size_t i = 0; !status && i < rows.count; i++)
		status = try_one(call, engine, folder, &rows, i);
	bl_buf_puts(&call->out, "]}\n");
	bl_engine_free(engine);
	draft_remove(call, folder);
	return status ? status : call_send_json(call);
}

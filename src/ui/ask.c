/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c: what belay's own commands say.  Each question of the pages is a row: the
 * words of a command, and which of its options a page may set.  belay-tools
 * runs as a child, with an argv and no shell.
 */
#include "ui/app.h"

enum {
	PATIENCE_MS = 30000,
	MAX_ANSWER_BYTES = 64 << 20,
	MAX_MESSAGE_BYTES = 64 << 10,
	MAX_PARAMETERS = 6,
};

enum { TAKES_HOME = 1, TAKES_STATE = 2, IS_LINES = 4, HAS_OPERAND = 8 };

struct question {
	const char *name;    /* of /api/ask/NAME */
	const char *command; /* its words, one blank between */
	unsigned flags;
	const char *options[MAX_PARAMETERS]; /* ?NAME=VALUE is --NAME=VALUE */
};

static const struct question questions[] = {
	{ "status", "status --json", TAKES_HOME | TAKES_STATE, { NULL } },
	{ "stats",
	  "stats --json",
	  TAKES_HOME | TAKES_STATE,
	  { "since", "agent" } },
	{ "hooks", "hooks list --json", TAKES_HOME, { "profile" } },
	{ "trust", "trust list --json", TAKES_HOME, { NULL } },
	{ "log",
	  "log --json",
	  TAKES_HOME | TAKES_STATE | IS_LINES,
	  { "since", "agent", "rule", "lines", "denied" } },
	{ "entry",
	  "log show --json",
	  TAKES_HOME | TAKES_STATE | HAS_OPERAND,
	  { NULL } },
	{ "allowed",
	  "allow --list --json",
	  TAKES_HOME | TAKES_STATE,
	  { NULL } },
};

/* ---- the command line ----------------------------------------------------- */

void ask_add(struct ask *ask, const char *word)
{
	if (ask->count <= ASK_MAX_WORDS)
		ask->words[ask->count++] = word;
}

enum bl_status ask_add_option(struct call *call, struct ask *ask,
			      const char *name, struct bl_str value)
{
	struct bl_str word;

	/* It would end the word before its end. */
	if (memchr(value.ptr, '\0', value.len))
		return bl_fail(&call->err, BL_INVALID, "%s has a NUL", name);
	word = bl_arena_printf(call->arena, "--%s=%.*s", name,
			       BL_STR_ARG(value));
	if (!word.ptr)
		return bl_fail_memory(&call->err);
	ask_add(ask, word.ptr);
	return BL_OK;
}

/* The words of a constant with blanks between them. */
static enum bl_status add_command(struct call *call, struct ask *ask,
				  const char *command)
{
	struct bl_str all = bl_str(command);

	for (size_t at = 0; at < all.len;) {
		size_t end = bl_str_find(all, BL_STR(" "), at);
		struct bl_str word = bl_arena_copy_str(
			call->arena, bl_str_slice(all, at, end));

		if (!word.ptr)
			return bl_fail_memory(&call->err);
		ask_add(ask, word.ptr);
		at = end == SIZE_MAX ? all.len : end + 1;
	}
	return BL_OK;
}

static enum bl_status add_places(struct call *call, struct ask *ask,
				 unsigned flags)
{
	enum bl_status status = BL_OK;

	if (flags & TAKES_HOME)
		status = ask_add_option(call, ask, "home", call->app->home);
	if (!status && (flags & TAKES_STATE))
		status = ask_add_option(call, ask, "state-dir",
					call->app->state);
	return status;
}

/* ---- running -------------------------------------------------------------- */

/* The words on standard error, without the program's name and its advice. */
static struct bl_str message_of(struct bl_str errors)
{
	struct bl_str text = bl_str_trim(errors);
	size_t advice = bl_str_find(text, BL_STR("\nTry 'belay help"), 0);

	if (bl_str_has_prefix(text, BL_STR("belay: ")))
		text = bl_str_slice(text, strlen("belay: "), SIZE_MAX);
	return advice == SIZE_MAX
		       ? text
		       : bl_str_slice(text, 0, advice - strlen("belay: "));
}

static enum bl_status fail(struct call *call, const struct ask *ask,
			   const struct bl_child_result *result)
{
	struct bl_str message = message_of(result->errors);

	if (result->end == BL_CHILD_EXITED && message.len)
		return bl_fail(&call->err, BL_INVALID, "%.*s",
			       BL_STR_ARG(message));
	if (result->end == BL_CHILD_TIMED_OUT)
		return bl_fail(&call->err, BL_TIMEOUT,
			       "belay %s took more than %d seconds",
			       ask->words[1], PATIENCE_MS / 1000);
	if (result->end == BL_CHILD_TOO_MUCH)
		return bl_fail(&call->err, BL_LIMIT,
			       "belay %s answered more than %d MiB",
			       ask->words[1], MAX_ANSWER_BYTES >> 20);
	return bl_fail(&call->err, BL_SYSTEM, "belay %s gave no answer",
		       ask->words[1]);
}

/* One line of JSON each, as the items of an array. */
static void put_lines(struct bl_buf *out, struct bl_str text)
{
	bool is_first = true;

	bl_buf_put_char(out, '[');
	for (size_t at = 0; at < text.len;) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);
		struct bl_str line = bl_str_slice(text, at, end);

		at = end == SIZE_MAX ? text.len : end + 1;
		if (!line.len)
			continue;
		bl_buf_puts(out, is_first ? "" : ",\n");
		bl_buf_put_str(out, line);
		is_first = false;
	}
	bl_buf_put_char(out, ']');
}

static void put_answer(struct call *call, const struct ask *ask,
		       const struct bl_child_result *result)
{
	bl_buf_printf(&call->out, "{\"code\":%d,\"answer\":", result->code);
	if (ask->is_text)
		bl_json_write_string(&call->out, result->output);
	else if (ask->is_lines)
		put_lines(&call->out, result->output);
	else
		bl_buf_put_str(&call->out, bl_str_trim(result->output));
	bl_buf_puts(&call->out, "}\n");
}

enum bl_status ask_send(struct call *call, struct ask *ask)
{
	const struct app *app = call->app;
	struct bl_child_spec spec = {
		.argv = ask->words,
		.dir = app->project.ptr,
		.input = ask->input,
		.timeout_ms = PATIENCE_MS,
		.max_stdout_bytes = MAX_ANSWER_BYTES,
		.max_stderr_bytes = MAX_MESSAGE_BYTES,
		.kill_leftovers = true,
	};
	struct bl_child_result result;
	enum bl_status status;
	bool is_answer;

	if (ask->count > ASK_MAX_WORDS)
		return bl_fail(&call->err, BL_LIMIT, "too many words");
	ask->words[ask->count] = NULL;
	status = bl_child_run(&spec, 1, call->arena, &result, &call->err);
	if (status)
		return status;
	is_answer = result.output.len || (ask->is_lines && !result.code);
	if (result.end != BL_CHILD_EXITED || !is_answer)
		return fail(call, ask, &result);
	put_answer(call, ask, &result);
	return call_send_json(call);
}

/* ---- questions ------------------------------------------------------------ */

static enum bl_status add_options(struct call *call, struct ask *ask,
				  const struct question *question)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < MAX_PARAMETERS; i++) {
		const char *name = question->options[i];
		struct bl_str value =
			name ? call_query(call, name) : BL_STR("");

		if (value.len)
			status = ask_add_option(call, ask, name, value);
	}
	return status;
}

static enum bl_status add_operand(struct call *call, struct ask *ask)
{
	struct bl_str operand = call_query(call, "id");

	if (!operand.len)
		return bl_fail(&call->err, BL_USAGE, "id is missing");
	ask_add(ask, "--");
	ask_add(ask, operand.ptr);
	return BL_OK;
}

/* GET /api/ask/NAME */
enum bl_status route_ask(struct call *call)
{
	struct ask ask = { .words = { call->app->tools.ptr }, .count = 1 };
	const struct question *question = NULL;
	enum bl_status status;

	for (size_t i = 0; i < BL_COUNT(questions); i++)
		if (bl_str_is(call->request->parts[0], questions[i].name))
			question = &questions[i];
	if (!question)
		return bl_fail(&call->err, BL_NOT_FOUND,
			       "there is no such question");
	ask.is_lines = (question->flags & IS_LINES) != 0;
	status = add_command(call, &ask, question->command);
	if (!status)
		status = add_places(call, &ask, question->flags);
	if (!status)
		status = add_options(call, &ask, question);
	if (!status && (question->flags & HAS_OPERAND))
		status = add_operand(call, &ask);
	return status ? status : ask_send(call, &ask);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_suite responses FILE: every response of agents/responses.txt, byte for byte.
 * agent_suite matrix FILE: what agents did when measured, against their rows.
 * agent_suite events FILE: of every event of agents/events.txt, the values that
 * are listed below it.  The files say what their lines mean.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "agents/agents.h"
#include "json/json.h"
#include "os/os.h"
#include "tap.h"

enum { MAX_FILE_BYTES = 1 << 20, MAX_COLUMNS = 6 };

static struct bl_arena arena;
static size_t line_number;

static void report(bool is_good, struct bl_str name)
{
	tap_failures = !is_good;
	tap_count++;
	tap_failed_tests += tap_failures;
	printf("%s %d - line %zu: %.*s\n", is_good ? "ok" : "not ok", tap_count,
	       line_number, BL_STR_ARG(name));
}

static struct bl_value read_json(struct bl_str text)
{
	struct bl_value value = bl_value_undefined();
	struct bl_error err;

	if (bl_json_read(&arena, text, NULL, &value, NULL, NULL, &err))
		printf("# line %zu: %s\n", line_number, err.message);
	return value;
}

/* The next line of text from *at on; false at the end. */
static bool next_line(struct bl_str text, size_t *at, struct bl_str *out_line)
{
	size_t end;

	if (*at >= text.len)
		return false;
	end = bl_str_find(text, BL_STR("\n"), *at);
	*out_line = bl_str_slice(text, *at, end);
	*at = end == SIZE_MAX ? text.len : end + 1;
	line_number++;
	return true;
}

/* ---- the caller's part -------------------------------------------------- */

/* A file system with one link, /r/link, to /r/real. */
static bool resolve(void *context, struct bl_str path, struct bl_arena *in,
		    struct bl_agent_path *out_path)
{
	(void)context;
	if (!bl_str_has_prefix(path, BL_STR("/r/link")))
		return false;
	*out_path = (struct bl_agent_path){
		.real = bl_arena_printf(in, "/r/real%.*s", (int)path.len - 7,
					path.ptr + 7),
		.is_link = path.len == 7,
	};
	return true;
}

static const struct bl_agent_facts facts = {
	.cwd = { "/process", 8 },
	.resolve = resolve,
};

/* ---- answers ------------------------------------------------------------ */

static size_t split(struct bl_str line, struct bl_str *columns)
{
	size_t count = 0;
	size_t at = 0;

	while (count < MAX_COLUMNS) {
		size_t end = bl_str_find(line, BL_STR("|"), at);

		columns[count++] = bl_str_trim(bl_str_slice(line, at, end));
		if (end == SIZE_MAX)
			break;
		at = end + 1;
	}
	return count;
}

static struct bl_decision read_decision(struct bl_str text,
					struct bl_response_options *options)
{
	struct bl_decision decision = { .user_message = BL_STR("R") };
	enum bl_verb word = BL_VERB_ALLOW;
	size_t end = bl_str_find(text, BL_STR("+"), 0);
	struct bl_str verb = bl_str_slice(text, 0, end);

	for (enum bl_verb i = 0; i < BL_VERB_COUNT; i++)
		if (bl_str_is(verb, bl_verb_name(i)))
			word = i;
	decision.verdict = bl_verb_verdict(word);
	decision.attributes = bl_verb_attributes(word);
	if (word == BL_VERB_ALLOW)
		decision.user_message.len = 0;
	if (word == BL_VERB_MODIFY ||
	    bl_str_find(text, BL_STR("+m"), 0) != SIZE_MAX)
		decision.updated_input =
			read_json(BL_STR("{\"command\":\"new\"}"));
	if (bl_str_find(text, BL_STR("+text"), 0) != SIZE_MAX)
		decision.updated_input = bl_value_string(BL_STR("new"));
	if (bl_str_find(text, BL_STR("+a"), 0) != SIZE_MAX)
		decision.agent_message = BL_STR("A");
	if (bl_str_find(text, BL_STR("+c"), 0) != SIZE_MAX)
		decision.additional_context =
			read_json(BL_STR("[\"C1\",\"C2\"]"));
	options->passes_unmodified =
		bl_str_find(text, BL_STR("+pass"), 0) != SIZE_MAX;
	return decision;
}

/* The payload of an event, with more's members at its end. */
static struct bl_value make_payload(struct bl_str event, struct bl_str more)
{
	struct bl_str inside = bl_str_trim(more);
	bool has_tool = !bl_str_is(event, "Newer") &&
			!bl_str_is(event, "beforeTeleport");

	if (inside.len)
		inside = bl_str_slice(inside, 1, inside.len - 1);
	return read_json(bl_arena_printf(
		&arena, "{\"hook_event_name\":\"%.*s\"%s%s%.*s}",
		BL_STR_ARG(event),
		has_tool ? ",\"tool_name\":\"Bash\",\"tool_input\":{"
			   "\"command\":\"old\",\"timeout\":5}"
			 : "",
		inside.len ? "," : "", BL_STR_ARG(inside)));
}

static struct bl_str degradation_ids(unsigned degradations)
{
	struct bl_str text = BL_STR("-");

	for (enum bl_degradation i = 0; i < BL_DEGRADATION_COUNT; i++) {
		if (!(degradations & (1U << i)))
			continue;
		text = bl_arena_printf(&arena, "%.*s%s%s", BL_STR_ARG(text),
				       text.len > 1 ? " " : "",
				       bl_degradation_id(i));
		if (text.ptr[0] == '-')
			text = bl_str_slice(text, 1, SIZE_MAX);
	}
	return text;
}

static bool same_degradations(struct bl_str expected, unsigned degradations)
{
	unsigned named = 0;

	for (enum bl_degradation i = 0; i < BL_DEGRADATION_COUNT; i++)
		if (bl_str_find(expected, bl_str(bl_degradation_id(i)), 0) !=
		    SIZE_MAX)
			named |= 1U << i;
	return named == degradations;
}

/* The text on one line: a line break is written as in JSON. */
static struct bl_str one_line(struct bl_str text)
{
	struct bl_str line = BL_STR("");

	for (size_t at = 0, end; at <= text.len; at = end + 1) {
		struct bl_str part;

		end = bl_str_find(text, BL_STR("\n"), at);
		if (end == SIZE_MAX)
			end = text.len;
		part = bl_str_slice(text, at, end);
		line = bl_arena_printf(&arena, "%.*s%s%.*s", BL_STR_ARG(line),
				       at ? "\\n" : "", BL_STR_ARG(part));
	}
	return line;
}

static bool check_response(const struct bl_str *columns, size_t count)
{
	struct bl_response_options options = { .is_strict = true };
	struct bl_decision decision = read_decision(columns[2], &options);
	struct bl_agent_request request;
	struct bl_response response;
	const struct bl_agent *agent;
	struct bl_error err;
	struct bl_str degradations;
	struct bl_str got;
	int code = decision.verdict == BL_VERDICT_DENY;

	agent = bl_agent_find(columns[0]);
	if (!agent ||
	    bl_agent_decode(agent,
			    make_payload(columns[1],
					 count > 5 ? columns[5] : BL_STR("")),
			    &facts, &arena, &request, &err) ||
	    bl_agent_encode(&request, &decision, &options, &arena, &response,
			    &err)) {
		printf("# %s\n", err.message);
		return false;
	}
	got = response.output;
	if (response.exit_code == 2) {
		struct bl_str errors = one_line(response.errors);

		got = bl_arena_printf(&arena, "%.*s%sexit 2: %.*s",
				      (int)bl_str_trim(got).len, got.ptr,
				      got.len ? " " : "", BL_STR_ARG(errors));
		code = 2;
	}
	if (got.len && got.ptr[got.len - 1] == '\n')
		got.len--;
	got = one_line(got);
	if (bl_str_equal(got, columns[4]) && response.exit_code == code &&
	    same_degradations(columns[3], response.degradations))
		return true;
	degradations = degradation_ids(response.degradations);
	printf("# got %.*s | %.*s, exit status %d\n", BL_STR_ARG(degradations),
	       BL_STR_ARG(got), response.exit_code);
	return false;
}

static void check_responses(struct bl_str text)
{
	struct bl_str line;

	for (size_t at = 0; next_line(text, &at, &line);) {
		struct bl_str columns[MAX_COLUMNS];
		size_t count;

		if (!line.len || line.ptr[0] == '#')
			continue;
		count = split(line, columns);
		report(count >= 5 && check_response(columns, count), line);
	}
}

/* ---- events ------------------------------------------------------------- */

static struct bl_value find_path(struct bl_value value, struct bl_str path)
{
	for (size_t at = 0; at < path.len;) {
		size_t end = bl_str_find(path, BL_STR("."), at);
		struct bl_str part = bl_str_slice(path, at, end);

		if (bl_value_is(value, BL_KIND_ARRAY))
			value = bl_value_item(value,
					      (size_t)(part.ptr[0] - '0'));
		else
			value = bl_object_find(value, part);
		at = end == SIZE_MAX ? path.len : end + 1;
	}
	return value;
}

/* "path json", or "path" for what must not be there. */
static bool check_value(struct bl_value input, struct bl_str line)
{
	size_t end = bl_str_find(line, BL_STR(" "), 0);
	struct bl_value got = find_path(input, bl_str_slice(line, 0, end));
	struct bl_value expected = bl_value_undefined();
	struct bl_buf buf;

	if (end != SIZE_MAX)
		expected = read_json(bl_str_slice(line, end, SIZE_MAX));
	if (bl_value_equal(got, expected))
		return true;
	bl_buf_init(&buf, 0);
	bl_json_write(&buf, got, BL_JSON_COMPACT);
	printf("# got %s\n", bl_value_is_defined(got) ? buf.ptr : "nothing");
	bl_buf_clear(&buf);
	return false;
}

/* "agent payload" to the input of policies, or the reason why not. */
static struct bl_value decode(struct bl_str line)
{
	size_t end = bl_str_find(line, BL_STR(" "), 0);
	struct bl_agent_request request;
	const struct bl_agent *agent;
	struct bl_error err;

	agent = bl_agent_find(bl_str_slice(line, 0, end));
	if (!agent)
		return bl_value_string(BL_STR("no agent"));
	if (bl_agent_decode(agent, read_json(bl_str_slice(line, end, SIZE_MAX)),
			    &facts, &arena, &request, &err))
		return bl_value_printf(&arena, "%s", err.message);
	return request.input;
}

static void check_events(struct bl_str text)
{
	struct bl_value input = bl_value_undefined();
	struct bl_str line;

	for (size_t at = 0; next_line(text, &at, &line);) {
		if (!line.len || line.ptr[0] == '#')
			continue;
		if (line.ptr[0] != ' ') {
			input = decode(line);
			continue;
		}
		line = bl_str_trim(line);
		if (bl_str_has_prefix(line, BL_STR("error ")))
			report(bl_str_equal(bl_str_slice(line, 6, SIZE_MAX),
					    bl_value_text(input)),
			       line);
		else
			report(check_value(input, line), line);
	}
}

/* ---- what real agents did ------------------------------------------------- */

/* The reactions of one agent to the kinds of answer, as its lines say. */
struct measured {
	bool asks_in_vain; /* the call went on, or the run hung */
	bool denies;
	bool changes;
	bool reads_context;
};

static bool is_variant(struct bl_value row, const char *variant)
{
	return bl_str_is(bl_value_text(bl_object_find(row, BL_STR("variant"))),
			 variant);
}

static bool ran(struct bl_value row, const char *what)
{
	return bl_str_is(bl_value_text(bl_value_item(
				 bl_object_find(row, BL_STR("ran")), 0)),
			 what);
}

static void take_row(struct bl_value row, struct measured *measured)
{
	struct bl_value told = bl_object_find(row, BL_STR("told"));
	struct bl_value exit = bl_object_find(row, BL_STR("exit"));

	if (is_variant(row, "ask"))
		measured->asks_in_vain =
			ran(row, "original") ||
			bl_str_is(bl_value_text(exit), "timed out");
	if (is_variant(row, "deny") || is_variant(row, "cancel"))
		measured->denies = !ran(row, "original");
	if (is_variant(row, "changed") || is_variant(row, "allow, changed"))
		measured->changes |= ran(row, "modified");
	for (size_t i = 0;
	     is_variant(row, "context") && i < bl_value_count(told); i++)
		measured->reads_context |=
			bl_str_find(bl_value_text(bl_value_item(told, i)),
				    BL_STR("R-CONTEXT"), 0) != SIZE_MAX;
}

/* The rows of the event before a tool say what was measured. */
static void compare_agent(const struct bl_agent *agent,
			  const struct measured *measured)
{
	const struct bl_hook_event *event = agent->events;
	struct bl_str name = bl_str(agent->title);

	while (bl_hook_event_policy_kind(event, NULL) != BL_EVENT_TOOL_BEFORE)
		event++;
	report(!!(event->capabilities & BL_CAN_REFUSE) == measured->denies,
	       bl_arena_printf(&arena, "%s refuses", name.ptr));
	report(!(event->capabilities & BL_CAN_ASK) || !measured->asks_in_vain,
	       bl_arena_printf(&arena, "%s is not asked in vain", name.ptr));
	report(!!(event->capabilities & BL_CAN_REWRITE) == measured->changes,
	       bl_arena_printf(&arena, "%s changes inputs", name.ptr));
	report(!!(event->capabilities & BL_CAN_CONTEXT) ==
		       measured->reads_context,
	       bl_arena_printf(&arena, "%s reads context", name.ptr));
}

static void compare_matrix(struct bl_str text)
{
	struct measured measured[BL_AGENT_MAX] = { { .denies = false } };
	bool is_there[BL_AGENT_MAX] = { false };
	struct bl_str line;

	for (size_t at = 0; next_line(text, &at, &line);) {
		struct bl_value row = read_json(line);
		struct bl_str name =
			bl_value_text(bl_object_find(row, BL_STR("agent")));
		const struct bl_agent *agent = bl_agent_find(
			bl_str_is(name, "droid") ? BL_STR("factory") : name);

		if (!agent)
			continue;
		is_there[bl_agent_index(agent)] = true;
		take_row(row, &measured[bl_agent_index(agent)]);
	}
	for (size_t i = 0; bl_agents[i]; i++)
		if (is_there[i])
			compare_agent(bl_agents[i], &measured[i]);
}

int main(int argc, char **argv)
{
	struct bl_error err;
	struct bl_file_info info;
	struct bl_str text;

	if (argc != 3)
		return 2;
	bl_arena_init(&arena, NULL, 0, 0);
	if (!strcmp(argv[1], "matrix") &&
	    bl_os_info_path(bl_str(argv[2]), &info, NULL)) {
		printf("1..1\nok 1 - the matrix # SKIP there is no %s\n",
		       argv[2]);
		return 0;
	}
	if (bl_os_read_file(bl_str(argv[2]), 0, MAX_FILE_BYTES, &arena, &text,
			    NULL, &err)) {
		printf("Bail out! %s\n", err.message);
		return 1;
	}
	if (!strcmp(argv[1], "responses"))
		check_responses(text);
	else if (!strcmp(argv[1], "matrix"))
		compare_matrix(text);
	else
		check_events(text);
	bl_arena_clear(&arena);
	return tap_end();
}

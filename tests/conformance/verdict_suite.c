/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict_suite actions ACTIONS DIALECTS: what agents/actions.txt lists, as
 * events of every agent: the verdict, and that the agent's answer carries it out.
 * verdict_suite corpus FILE...: every command line of the files ({"command":
 * TEXT, "cwd": DIR} a line) as an event of every agent: what the first says, all
 * say.
 * verdict_suite recorded POLICY FOLDER: what real agents told belay, and what it
 * answered (tests/check-agents/run --record): it answers the same.
 * It stands apart from agent_suite.c, since it needs the whole engine.
 */
#include "../unit/trust/place.h"
#include "agents/agents.h"
#include "engine/engine.h"
#include "json/json.h"
#include "setup/private.h"
#include "tap.h"

enum {
	MAX_FILE_BYTES = 4 << 20,
	MAX_COLUMNS = 3,
	MAX_ROWS = 64,
	MAX_FILES = 64
};

static struct bl_engine *engines[BL_AGENT_MAX];
static struct bl_arena event_arena;

static void report(bool is_good, const char *agent, struct bl_str what)
{
	tap_failures = !is_good;
	tap_count++;
	tap_failed_tests += tap_failures;
	printf("%s %d - %s: %.*s\n", is_good ? "ok" : "not ok", tap_count,
	       agent, BL_STR_ARG(what));
}

/* ---- tables ----------------------------------------------------------------- */

struct row {
	struct bl_str columns[MAX_COLUMNS];
};

/* A line "a | b | c": the last column is all that is left. */
static struct row split(struct bl_str line)
{
	struct row row = { 0 };

	for (size_t i = 0; i < MAX_COLUMNS; i++) {
		size_t end = i + 1 < MAX_COLUMNS
				     ? bl_str_find(line, BL_STR(" | "), 0)
				     : SIZE_MAX;

		row.columns[i] = bl_str_trim(bl_str_slice(line, 0, end));
		if (end == SIZE_MAX)
			break;
		line = bl_str_slice(line, end + 3, SIZE_MAX);
	}
	return row;
}

static size_t read_rows(const char *path, struct row *rows)
{
	struct bl_str text = { NULL, 0 };
	size_t count = 0;

	if (bl_os_read_file(bl_str(path), 0, MAX_FILE_BYTES, &arena, &text,
			    NULL, NULL))
		return 0;
	for (size_t at = 0; at < text.len && count < MAX_ROWS;) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);
		struct bl_str line = bl_str_slice(text, at, end);

		if (line.len && line.ptr[0] != '#')
			rows[count++] = split(line);
		at = end == SIZE_MAX ? text.len : end + 1;
	}
	return count;
}

/* ---- the engines ------------------------------------------------------------ */

/* Engines over the packs of a level and a policy (ptr NULL: none). */
static bool open_engines(const char *level, struct bl_str policy)
{
	static const enum bl_asked asked[] = { BL_ASK_POLICIES, BL_ASK_NOBODY };
	struct bl_str rulebook = bl_arena_printf(&arena, "level: %s\n", level);

	if (bl_os_make_dirs(at("work/.belay/policies/all"), 0755, &error) ||
	    bl_os_make_dirs(at("home"), 0755, &error) ||
	    bl_os_replace_file(at("work/.belay/rulebook.yml"), rulebook, 0644,
			       &error) ||
	    (policy.ptr &&
	     bl_os_replace_file(at("work/.belay/policies/all/trial.rego"),
				policy, 0644, &error)))
		return false;
	setenv("HOME", at("home").ptr, 1);
	for (size_t i = 0; bl_agents[i]; i++) {
		const struct bl_engine_options options = {
			.sources = asked,
			.form = BL_FORM_HOOK,
			.home = at("home"),
			.agent.agent = bl_agents[i],
			.policies.compile = bl_policy_load,
			.policies.dir = at("work/.belay"),
			.policies.options.home = at("home"),
			.no_journal = true,
		};

		if (bl_engine_new(&options, &engines[i], &error))
			return false;
	}
	return true;
}

static void close_engines(void)
{
	for (size_t i = 0; i < BL_AGENT_MAX; i++)
		engines[i] = bl_engine_free(engines[i]);
}

/* ---- one event -------------------------------------------------------------- */

/* The verdict of policies, and whether the answer carries it out. */
struct result {
	const char *word; /* "allow", "ask", "deny" */
	bool is_told;     /* the answer holds it up where it has to */
};

static struct result decide(size_t agent, struct bl_str payload)
{
	const struct bl_request request = { .payload = payload };
	struct result result = { "undecided", false };
	struct bl_reply reply = { 0 };
	enum bl_verb effect;

	if (bl_engine_dispatch(engines[agent], &request, &event_arena, &reply,
			       &error)) {
		printf("# %s\n", error.message);
		return result;
	}
	effect = reply.response.effect;
	result.word = bl_verdict_name(reply.decision.verdict);
	if (reply.decision.verdict == BL_VERDICT_NONE)
		result.word = "allow";
	if (reply.failure.len)
		result.word = "failed";
	result.is_told =
		reply.decision.verdict < BL_VERDICT_ASK
			? effect < BL_VERB_ASK && reply.response.exit_code == 0
			: effect >= BL_VERB_ASK;
	if (reply.decision.verdict == BL_VERDICT_DENY)
		result.is_told = effect >= BL_VERB_BLOCK;
	bl_reply_clear(&reply);
	return result;
}

static struct bl_str fill(const char *text, struct bl_str argument,
			  struct bl_str cwd)
{
	const struct setup_word words[] = {
		{ "@command", argument, true },
		{ "@path", argument, true },
		{ "@patch",
		  bl_arena_printf(&event_arena,
				  "*** Begin Patch\n*** Add File: %.*s\n+x\n"
				  "*** End Patch",
				  BL_STR_ARG(argument)),
		  true },
		{ "@cwd", cwd, true },
	};

	return bl_setup_fill(&event_arena, text, words, BL_COUNT(words));
}

static struct bl_str shell_event(size_t agent, struct bl_str command,
				 struct bl_str cwd)
{
	return fill(bl_agents[agent]->registration->canary, command, cwd);
}

/* ---- the twenty actions ----------------------------------------------------- */

/* The argument with the folders in their places. */
static struct bl_str place_in(struct bl_str argument)
{
	const struct setup_word words[] = { { "@cwd", at("work"), false } };
	struct bl_str text = bl_setup_fill(
		&event_arena,
		bl_arena_printf(&event_arena, "%.*s", BL_STR_ARG(argument)).ptr,
		words, BL_COUNT(words));

	if (!bl_str_has_prefix(text, BL_STR("~/")))
		return text;
	text = bl_str_slice(text, 1, SIZE_MAX);
	return bl_arena_printf(&event_arena, "%s%.*s", at("home").ptr,
			       BL_STR_ARG(text));
}

static struct bl_str event_of(size_t agent, const struct row *action,
			      const struct row *dialect)
{
	bool reads = bl_str_is(action->columns[1], "read");
	struct bl_str text;

	if (bl_str_is(action->columns[1], "shell"))
		return shell_event(agent, action->columns[2], at("work"));
	text = dialect->columns[reads ? 1 : 2];
	return fill(bl_arena_printf(&event_arena, "%.*s", BL_STR_ARG(text)).ptr,
		    place_in(action->columns[2]), at("work"));
}

/* No agent may write the files by which belay is registered with it. */
static void check_own_files(size_t agent, const struct row *dialect)
{
	const struct bl_registration *registration =
		bl_agents[agent]->registration;

	for (size_t i = 0; i < BL_REGISTRATION_MAX_FILES; i++) {
		const struct bl_registration_file *file =
			&registration->files[i];
		const struct {
			const char *base;
			const char *name;
		} paths[] = { { "@cwd/", file->project },
			      { "~/", file->global } };

		for (size_t j = 0; j < BL_COUNT(paths); j++) {
			struct row action = { { BL_STR("deny"),
						BL_STR("write") } };
			struct result result;

			if (!paths[j].name)
				continue;
			action.columns[2] = bl_arena_printf(
				&arena, "%s%s", paths[j].base, paths[j].name);
			result = decide(agent,
					event_of(agent, &action, dialect));
			report(!strcmp(result.word, "deny") && result.is_told,
			       bl_agents[agent]->name, action.columns[2]);
			bl_arena_reset(&event_arena);
		}
	}
}

static int run_actions(const char *actions_path, const char *dialects_path)
{
	struct row actions[MAX_ROWS];
	struct row dialects[MAX_ROWS];
	size_t action_count = read_rows(actions_path, actions);
	size_t dialect_count = read_rows(dialects_path, dialects);

	for (size_t i = 0; bl_agents[i]; i++) {
		if (!bl_agents[i]->registration)
			continue; /* not an agent's hook: belay mcp-proxy */
		report(i < dialect_count && bl_str_is(dialects[i].columns[0],
						      bl_agents[i]->name),
		       bl_agents[i]->name, BL_STR("has a dialect"));
		for (size_t j = 0; j < action_count; j++) {
			struct result result = decide(
				i, event_of(i, &actions[j], &dialects[i]));
			bool is_good =
				bl_str_is(actions[j].columns[0], result.word);

			if (!is_good)
				printf("# got %s\n", result.word);
			if (!result.is_told)
				printf("# the answer does not say so\n");
			report(is_good && result.is_told, bl_agents[i]->name,
			       actions[j].columns[2]);
			bl_arena_reset(&event_arena);
		}
		check_own_files(i, &dialects[i]);
	}
	return action_count == 20 ? tap_end() : 1;
}

/* ---- the corpus ------------------------------------------------------------- */

/* How many agents say something else than the first about a line. */
static size_t count_others(struct bl_value line)
{
	struct bl_str command =
		bl_value_text(bl_object_find(line, BL_STR("command")));
	struct bl_str cwd = bl_value_text(bl_object_find(line, BL_STR("cwd")));
	struct result first = decide(0, shell_event(0, command, cwd));
	size_t others = 0;

	for (size_t i = 1; bl_agents[i]; i++) {
		struct result result;

		if (!bl_agents[i]->registration)
			continue;
		result = decide(i, shell_event(i, command, cwd));

		if (!strcmp(first.word, result.word) && result.is_told)
			continue;
		others++;
		printf("# %s says %s, %s says %s: %.*s\n", bl_agents[0]->name,
		       first.word, bl_agents[i]->name, result.word,
		       BL_STR_ARG(command));
	}
	return others;
}

static void run_corpus(const char *path)
{
	struct bl_str text = { NULL, 0 };
	struct bl_str name;
	size_t lines = 0;
	size_t others = 0;

	if (bl_os_read_file(bl_str(path), 0, MAX_FILE_BYTES, &arena, &text,
			    NULL, NULL)) {
		tap_count++;
		printf("ok %d - %s # SKIP it is not there\n", tap_count, path);
		return;
	}
	for (size_t at = 0; at < text.len;) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);
		struct bl_value line = bl_value_undefined();

		if (!bl_json_read(&arena, bl_str_slice(text, at, end), NULL,
				  &line, NULL, NULL, NULL)) {
			others += count_others(line);
			lines++;
		}
		bl_arena_reset(&event_arena);
		at = end == SIZE_MAX ? text.len : end + 1;
	}
	name = bl_path_base(bl_str(path));
	report(lines && !others, "every agent",
	       bl_arena_printf(&arena, "%zu lines of %.*s", lines,
			       BL_STR_ARG(name)));
}

/* ---- recordings ------------------------------------------------------------- */

/* A line of a recording, answered anew: as then? */
static bool answers_as_recorded(struct bl_value line, size_t agent)
{
	struct bl_value payload = bl_object_find(line, BL_STR("payload"));
	struct bl_str answer =
		bl_value_text(bl_object_find(line, BL_STR("answer")));
	struct bl_str errors = bl_str_trim(
		bl_value_text(bl_object_find(line, BL_STR("errors"))));
	struct bl_request request = { .payload = { NULL, 0 } };
	struct bl_reply reply = { 0 };
	int64_t status = -1;
	struct bl_buf text;
	bool is_same;

	bl_buf_init(&text, 0);
	bl_json_write(&text, payload, BL_JSON_COMPACT);
	request.payload = bl_buf_str(&text);
	(void)bl_number_to_integer(bl_object_find(line, BL_STR("status")),
				   &status);
	is_same = !bl_engine_dispatch(engines[agent], &request, &event_arena,
				      &reply, &error) &&
		  bl_str_equal(bl_str_trim(reply.response.output),
			       bl_str_trim(answer)) &&
		  bl_str_equal(bl_str_trim(reply.response.errors), errors) &&
		  reply.response.exit_code == status;
	if (!is_same)
		printf("# got %.*s %.*s\n# for %.*s\n",
		       BL_STR_ARG(reply.response.output),
		       BL_STR_ARG(reply.response.errors),
		       BL_STR_ARG(request.payload));
	bl_reply_clear(&reply);
	bl_buf_clear(&text);
	return is_same;
}

/* The lines of a file that the stop policy answered, or all others. */
static void run_recorded(const char *path, bool stops)
{
	struct bl_str text = { NULL, 0 };
	struct bl_str name = bl_path_base(bl_str(path));

	if (bl_os_read_file(bl_str(path), 0, MAX_FILE_BYTES, &arena, &text,
			    NULL, &error)) {
		report(false, path, bl_str(error.message));
		return;
	}
	for (size_t at = 0; at < text.len;) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);
		struct bl_str row = bl_str_slice(text, at, end);
		bool has_stop = bl_str_find(row, BL_STR("REASON-OF-STOP"), 0) !=
				SIZE_MAX;
		struct bl_value line = bl_value_undefined();
		const struct bl_agent *agent;

		at = end == SIZE_MAX ? text.len : end + 1;
		if (has_stop != stops ||
		    bl_json_read(&arena, row, NULL, &line, NULL, NULL, NULL))
			continue;
		agent = bl_agent_find(
			bl_value_text(bl_object_find(line, BL_STR("agent"))));
		report(agent &&
			       answers_as_recorded(line, bl_agent_index(agent)),
		       agent ? agent->name : "?", name);
		bl_arena_reset(&event_arena);
	}
}

/* Twice: with the rule about the end of a turn, which stands last, and without. */
static int run_recordings(const char *policy_path, struct bl_str folder)
{
	struct bl_str policy = { NULL, 0 };
	struct bl_str *files;
	size_t count;

	if (bl_os_read_file(bl_str(policy_path), 0, MAX_FILE_BYTES, &arena,
			    &policy, NULL, &error) ||
	    bl_os_list_dir(folder, MAX_FILES, &arena, &files, &count, &error))
		return 1;
	for (int stops = 0; stops < 2; stops++) {
		size_t cut = bl_str_find(policy, BL_STR("\nblock contains"), 0);

		close_engines();
		if (!open_engines(
			    "\"off\"",
			    bl_str_slice(policy, 0, stops ? SIZE_MAX : cut)))
			return 1;
		for (size_t i = 0; i < count; i++)
			run_recorded(bl_path_join(&arena, folder, files[i]).ptr,
				     stops == 1);
	}
	return tap_end();
}

int main(int argc, char **argv)
{
	static const struct bl_str no_policy = { NULL, 0 };
	int status = 1;

	if (argc < 3 || !place_open())
		return 2;
	bl_arena_init(&event_arena, NULL, 0, 0);
	if (!open_engines("standard", no_policy)) {
		printf("# %s\n", error.message);
	} else if (!strcmp(argv[1], "recorded") && argc == 4) {
		status = run_recordings(argv[2], bl_str(argv[3]));
	} else if (!strcmp(argv[1], "actions") && argc == 4) {
		status = run_actions(argv[2], argv[3]);
	} else {
		for (int i = 2; i < argc; i++)
			run_corpus(argv[i]);
		status = tap_end();
	}
	close_engines();
	bl_arena_clear(&event_arena);
	place_close();
	return status;
}

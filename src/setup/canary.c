/* SPDX-License-Identifier: Apache-2.0 */
/* canary.c: made-up events through the command line that is registered. */
#include "json/json.h"
#include "os/os.h"
#include "setup/private.h"

/* Fields whose value says that an action is refused, in all agents' answers. */
static const struct {
	const char *object; /* NULL: at the top */
	const char *field;
	const char *refused[2];
} words[] = {
	{ NULL, "permission", { "deny" } },
	{ NULL, "decision", { "deny", "block" } },
	{ NULL, "action", { "block" } },
	{ "hookSpecificOutput", "permissionDecision", { "deny" } },
};

static bool says_no(struct bl_value answer)
{
	for (size_t i = 0; i < BL_COUNT(words); i++) {
		struct bl_value object = answer;
		struct bl_str text;

		if (words[i].object)
			object =
				bl_object_find(answer, bl_str(words[i].object));
		text = bl_value_text(
			bl_object_find(object, bl_str(words[i].field)));
		for (size_t j = 0; j < 2 && words[i].refused[j]; j++)
			if (bl_str_is(text, words[i].refused[j]))
				return true;
	}
	return bl_value_is_true(bl_object_find(answer, BL_STR("cancel")));
}

/* Does the agent take silence for "go on" before a tool? */
static bool is_silence_an_answer(const struct bl_agent *agent)
{
	const struct bl_response_options options = { .is_strict = false };

	for (size_t i = 0; i < agent->event_count; i++)
		if (bl_hook_event_policy_kind(&agent->events[i], NULL) ==
		    BL_EVENT_TOOL_BEFORE)
			return bl_agent_preview(&agent->events[i],
						BL_VERB_ALLOW, false, &options)
				.is_silent;
	return false;
}

/* The agent's reading of how the command ended. */
static void judge(const struct bl_agent *agent,
		  const struct bl_child_result *child, struct bl_arena *arena,
		  struct bl_canary_result *result)
{
	struct bl_value answer;
	struct bl_error err;

	result->saw = bl_str_trim(child->output);
	if (child->end != BL_CHILD_EXITED) {
		result->saw = child->end == BL_CHILD_TIMED_OUT
				      ? BL_STR("it took too long")
				      : BL_STR("it did not run to its end");
		return;
	}
	if (child->code != 0) {
		struct bl_str errors = bl_str_trim(child->errors);

		result->saw = bl_arena_printf(arena, "exit status %d: %.*s",
					      child->code, BL_STR_ARG(errors));
		result->is_refused = result->is_understood = child->code == 2;
		return;
	}
	if (!result->saw.len && is_silence_an_answer(agent)) {
		result->is_understood = true;
		return;
	}
	if (bl_json_read(arena, child->output, NULL, &answer, NULL, NULL,
			 &err) ||
	    !bl_value_is(answer, BL_KIND_OBJECT)) {
		result->saw = bl_arena_printf(arena, "no JSON object: %.*s",
					      BL_STR_ARG(result->saw));
		return;
	}
	result->is_understood = true;
	result->is_refused = says_no(answer);
}

/*
 * The environment with the agent's variable; NULL: memory.  Below a home that was
 * named are its configuration and its log, too.
 */
static const char *const *environment(const struct bl_setup *setup,
				      struct bl_arena *arena)
{
	static const struct {
		const char *name;
		const char *in_home; /* NULL: no folder of the home */
	} kept[] = {
		{ "PATH", NULL },
		{ "LANG", NULL },
		{ "HOME", "" },
		{ "XDG_CONFIG_HOME", "/.config" },
		{ "XDG_STATE_HOME", "/.local/state" },
		{ "XDG_CACHE_HOME", "/.cache" },
	};
	const char *name = setup->agent->registration->variable;
	const char **env =
		bl_arena_new_array(arena, const char *, BL_COUNT(kept) + 2);
	size_t count = 0;

	for (size_t i = 0; env && i < BL_COUNT(kept); i++) {
		bool is_below = setup->home.len && kept[i].in_home;
		struct bl_str value =
			is_below ? setup->home : bl_os_getenv(kept[i].name);

		if (value.ptr)
			env[count++] =
				bl_arena_printf(arena, "%s=%.*s%s",
						kept[i].name, BL_STR_ARG(value),
						is_below ? kept[i].in_home : "")
					.ptr;
	}
	if (env && name)
		env[count] = bl_arena_printf(arena, "%s=%.*s", name,
					     BL_STR_ARG(setup->root))
				     .ptr;
	return env;
}

static struct bl_str make_event(const struct bl_setup *setup,
				struct bl_str command, struct bl_arena *arena)
{
	const struct setup_word fill[] = {
		{ "@command", command, .is_json = true },
		{ "@cwd", setup->root, .is_json = true },
	};

	return bl_setup_fill(arena, setup->agent->registration->canary, fill,
			     BL_COUNT(fill));
}

enum bl_status bl_setup_canary(const struct bl_setup *setup,
			       struct bl_str command, struct bl_arena *arena,
			       struct bl_canary_result *results,
			       struct bl_error *err)
{
	struct bl_str line = bl_arena_copy_str(arena, command);
	struct bl_str root =
		bl_arena_printf(arena, "%.*s", BL_STR_ARG(setup->root));
	const char *argv[] = { "/bin/sh", "-c", line.ptr, NULL };
	const char *const *env = environment(setup, arena);
	struct bl_str policies = setup->scope == BL_SCOPE_PROJECT
					 ? bl_path_base(setup->policy_dir)
					 : setup->policy_dir;
	struct bl_str commands[BL_CANARY_COUNT] = {
		bl_arena_printf(arena, "rm -rf %.*s", BL_STR_ARG(policies)),
		BL_STR("git status"),
	};

	for (size_t i = 0; i < BL_CANARY_COUNT; i++) {
		struct bl_child_spec spec = {
			.argv = argv,
			.env = env,
			.dir = root.ptr,
			.input = make_event(setup, commands[i], arena),
			.timeout_ms = BL_CANARY_TIMEOUT_MS,
		};
		struct bl_child_result child;
		enum bl_status status;

		if (!line.ptr || !root.ptr || !env || !spec.input.ptr)
			return bl_arena_fail(arena, err);
		status = bl_child_run(&spec, 1, arena, &child, err);
		if (status)
			return status;
		results[i] = (struct bl_canary_result){
			.what = commands[i],
			.must_be_refused = i == 0,
		};
		judge(setup->agent, &child, arena, &results[i]);
	}
	return BL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small world of hook files: sys/ is the system's root, home/ the user's
 * home, w1/ and w2/ are workspaces.
 */
#ifndef BELAY_TESTS_HOOKS_WORLD_H
#define BELAY_TESTS_HOOKS_WORLD_H

#include "../../trust/place.h"
#include "findings.h"

#define ENTERPRISE "sys/etc/cursor/hooks.json"
#define USER       "home/.cursor/hooks.json"
#define PROJECT_1  "w1/.cursor/hooks.json"
#define PROJECT_2  "w2/.cursor/hooks.json"
#define TEAM       "home/.cursor/managed/active-team-hooks/hooks.json"

/* A good file with one hook of one step. */
#define FILE_WITH(hook_event, entry)                                           \
	"{\"version\":1,\"hooks\":{\"" hook_event "\":[" entry "]}}"
#define COMMAND(text)  "{\"command\":\"" text "\"}"
#define ONE_STOP(text) FILE_WITH("stop", COMMAND(text))

static struct bl_str workspaces[2];
static struct bl_hook_options options;
static struct bl_hook_set set;

/* Empties the place; two workspaces, no files, profile by name. */
static inline void new_world(const char *profile_name)
{
	place_empty();
	bl_os_make_dirs(at("home"), 0755, NULL);
	bl_os_make_dirs(at("w1"), 0755, NULL);
	bl_os_make_dirs(at("w2"), 0755, NULL);
	workspaces[0] = at("w1");
	workspaces[1] = at("w2");
	options = (struct bl_hook_options){
		.profile = profile(profile_name),
		.system_root = at("sys"),
		.home = at("home"),
		.workspaces = workspaces,
		.workspace_count = 2,
		.project_gate = true,
		.trust_all = true,
	};
}

static inline enum bl_status load(void)
{
	memset(&set, 0, sizeof(set));
	return bl_hook_set_load(&options, &arena, &set, &error);
}

/* The file of that name below the place, or NULL. */
static inline const struct bl_hook_file *file_at(const char *name)
{
	struct bl_str path = at(name);

	for (size_t i = 0; i < set.file_count; i++) {
		if (bl_str_equal(set.files[i].path, path))
			return &set.files[i];
	}
	return NULL;
}

static inline enum bl_file_state state_of(const char *name)
{
	const struct bl_hook_file *file = file_at(name);

	return file ? file->state : BL_HOOK_FILE_STATE_COUNT;
}

/* The commands in their order, joined by blanks. */
static inline struct bl_str commands(void)
{
	struct bl_str all = BL_STR("");

	for (size_t i = 0; i < set.hook_count; i++)
		all = bl_arena_printf(&arena, "%.*s%s%.*s", BL_STR_ARG(all),
				      i ? " " : "",
				      BL_STR_ARG(set.hooks[i].command));
	return all;
}

/* The severities and codes of all findings. */
static inline struct bl_str findings(void)
{
	struct bl_buf out;
	struct bl_str text;

	bl_buf_init(&out, 0);
	put_findings(&out, &set.diags, false);
	text = bl_arena_copy_str(&arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

static inline const struct bl_hook *hook_of(const char *command)
{
	for (size_t i = 0; i < set.hook_count; i++) {
		if (bl_str_is(set.hooks[i].command, command))
			return &set.hooks[i];
	}
	return NULL;
}

#endif

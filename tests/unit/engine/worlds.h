/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine over a small world: sys/ is the system's root, home/ the user's
 * home, w1/ and w2/ are workspaces, state/ has the journal.
 */
#ifndef BELAY_TESTS_ENGINE_WORLDS_H
#define BELAY_TESTS_ENGINE_WORLDS_H

#include "../trust/place.h"
#include "engine/engine.h"
#include "json/json.h"

#define ENTERPRISE "sys/etc/cursor/hooks.json"
#define USER       "home/.cursor/hooks.json"
#define PROJECT_1  "w1/.cursor/hooks.json"
#define PROJECT_2  "w2/.cursor/hooks.json"

static struct bl_str workspaces[2];
static struct bl_engine_options options;
static struct bl_engine *engine;
static struct bl_reply reply;

/* Empties the place; engine_open makes the engine when files are put. */
static inline void new_world(const char *profile)
{
	bl_reply_clear(&reply);
	engine = bl_engine_free(engine);
	place_empty();
	bl_os_make_dirs(at("sys"), 0755, NULL);
	bl_os_make_dirs(at("home"), 0755, NULL);
	bl_os_make_dirs(at("w1"), 0755, NULL);
	bl_os_make_dirs(at("w2"), 0755, NULL);
	workspaces[0] = at("w1");
	workspaces[1] = at("w2");
	options = (struct bl_engine_options){
		.profile = bl_profile_find(bl_str(profile)),
		.system_root = at("sys"),
		.home = at("home"),
		.workspaces = workspaces,
		.workspace_count = 2,
		.trust_all = true,
		.journal.dir = at("state"),
	};
}

/* A hook file with one step; each command becomes a hook. */
static inline void put_hooks(const char *file, const char *hook_event,
			     const char *const *commands)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_printf(&text, "{\"version\":1,\"hooks\":{\"%s\":[", hook_event);
	for (size_t i = 0; commands[i]; i++) {
		bl_buf_puts(&text, i ? ",{\"command\":" : "{\"command\":");
		bl_json_write_string(&text, bl_str(commands[i]));
		bl_buf_puts(&text, "}");
	}
	bl_buf_puts(&text, "]}}");
	put(file, text.ptr);
	bl_buf_clear(&text);
}

#define HOOKS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static inline enum bl_status open_engine(void)
{
	engine = bl_engine_free(engine);
	return bl_engine_new(&options, &engine, &error);
}

static inline enum bl_status dispatch_as(const char *hook_event,
					 struct bl_str payload)
{
	struct bl_request request = { bl_str(hook_event), payload };

	bl_reply_clear(&reply);
	memset(&error, 0, sizeof(error));
	return bl_engine_dispatch(engine, &request, &arena, &reply, &error);
}

static inline enum bl_status dispatch(const char *payload)
{
	return dispatch_as("", bl_str(payload));
}

#define SHELL                                                                  \
	"{\"hook_event_name\":\"beforeShellExecution\",\"command\":\"ls\"}"

static inline struct bl_str json_of(struct bl_value value)
{
	struct bl_buf text;
	struct bl_str copy;

	bl_buf_init(&text, 0);
	bl_json_write(&text, value, BL_JSON_COMPACT);
	copy = bl_arena_copy_str(&arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

static inline bool has(struct bl_str text, const char *part)
{
	return bl_str_find(text, bl_str(part), 0) != SIZE_MAX;
}

/* Is there a notice with this text in it? */
static inline bool noticed(const char *part)
{
	for (size_t i = 0; i < bl_value_count(reply.notices); i++) {
		if (has(bl_value_text(bl_value_item(reply.notices, i)), part))
			return true;
	}
	return false;
}

/* Lines of the journal. */
static inline size_t read_journal(struct bl_value **out_entries)
{
	size_t count = 0;
	size_t bad = 0;

	bl_journal_read_last(options.journal.dir, 1000, &arena, out_entries,
			     &count, &bad, NULL);
	return bad ? SIZE_MAX : count;
}

static inline struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

#define CLOSE_WORLD()                                                          \
	do {                                                                   \
		bl_reply_clear(&reply);                                        \
		engine = bl_engine_free(engine);                               \
		place_close();                                                 \
	} while (0)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a hook (docs/contracts/everruns.md "Environment"): the
 * base, the eight variables in their order, and the spec's own, which may
 * override any of them.
 */
#include "base/limits.h"
#include "run/private.h"

/* ptr NULL: the variable is left out. */
typedef struct bl_str value_of(const struct bl_executor_everruns_env *env);

static struct bl_str some(struct bl_value value)
{
	if (!bl_value_is(value, BL_KIND_STRING))
		return (struct bl_str){ NULL, 0 };
	return value.len > 0 ? bl_value_text(value) : BL_STR("");
}

static struct bl_str home(const struct bl_executor_everruns_env *env)
{
	(void)env;
	return BL_STR("/home/agent");
}

static struct bl_str shell(const struct bl_executor_everruns_env *env)
{
	(void)env;
	return BL_STR("/bin/bash");
}

static struct bl_str path(const struct bl_executor_everruns_env *env)
{
	(void)env;
	return BL_STR("/usr/local/bin:/usr/bin:/bin");
}

static struct bl_str workspace(const struct bl_executor_everruns_env *env)
{
	return env->workspace;
}

static struct bl_str payload(const struct bl_executor_everruns_env *env)
{
	return env->is_too_long ? (struct bl_str){ NULL, 0 } : env->payload;
}

static struct bl_str payload_path(const struct bl_executor_everruns_env *env)
{
	return env->path;
}

static struct bl_str event(const struct bl_executor_everruns_env *env)
{
	return bl_str(bl_everruns_event_name(env->facts->event));
}

static struct bl_str hook_id(const struct bl_executor_everruns_env *env)
{
	return env->id;
}

static struct bl_str session_id(const struct bl_executor_everruns_env *env)
{
	return env->facts->session_id;
}

static struct bl_str turn_id(const struct bl_executor_everruns_env *env)
{
	return some(env->facts->turn_id);
}

static struct bl_str tool_name(const struct bl_executor_everruns_env *env)
{
	return some(bl_object_find(env->facts->data, BL_STR("tool_name")));
}

static struct bl_str tool_call_id(const struct bl_executor_everruns_env *env)
{
	return some(bl_object_find(env->facts->data, BL_STR("tool_call_id")));
}

static const struct {
	const char *name;
	value_of *value;
} variables[] = {
	{ "HOME", home },
	{ "SHELL", shell },
	{ "PATH", path },
	{ "WORKSPACE", workspace },
	{ "EVERRUNS_HOOK_PAYLOAD_JSON", payload },
	{ "EVERRUNS_HOOK_PAYLOAD_PATH", payload_path },
	{ "EVERRUNS_HOOK_EVENT", event },
	{ "EVERRUNS_HOOK_ID", hook_id },
	{ "EVERRUNS_HOOK_SESSION_ID", session_id },
	{ "EVERRUNS_HOOK_TURN_ID", turn_id },
	{ "EVERRUNS_HOOK_TOOL_NAME", tool_name },
	{ "EVERRUNS_HOOK_TOOL_CALL_ID", tool_call_id },
};

static size_t max_bytes(void)
{
	return (size_t)bl_limits_default().env_value_bytes;
}

/* The part of a variable that the system would refuse; NULL: none. */
static const char *what_is_wrong(struct bl_str name, struct bl_str value)
{
	if (name.len + 1 + value.len > max_bytes())
		return "is longer than the system takes (128 KiB)";
	if ((value.len > 0 && memchr(value.ptr, 0, value.len)) ||
	    (name.len > 0 && memchr(name.ptr, 0, name.len)))
		return "would hold a NUL byte";
	if (name.len == 0 || memchr(name.ptr, '=', name.len))
		return "has a name that no variable can have";
	return NULL;
}

/* "NAME=value"; NULL: memory. */
static const char *make(struct bl_executor_everruns_env *env,
			struct bl_str name, struct bl_str value,
			struct bl_arena *arena)
{
	const char *wrong = what_is_wrong(name, value);
	size_t len = name.len + 1 + value.len;
	char *text;

	if (wrong) {
		env->wrong =
			bl_arena_printf(arena, "environment variable %.*s %s",
					BL_STR_ARG(name), wrong);
		return env->wrong.ptr ? "" : NULL;
	}
	text = bl_arena_alloc_aligned(arena, len + 1, 1);
	if (!text)
		return NULL;
	memcpy(text, name.ptr, name.len);
	text[name.len] = '=';
	if (value.len > 0)
		memcpy(text + name.len + 1, value.ptr, value.len);
	text[len] = '\0';
	return text;
}

static bool is_overridden(const struct bl_executor_everruns_env *env,
			  const char *name)
{
	return bl_value_is_defined(
		bl_object_find(env->hook->env, bl_str(name)));
}

const char *const *
bl_executor_everruns_env(struct bl_executor_everruns_env *env,
			 struct bl_arena *arena)
{
	struct bl_value own = env->hook->env;
	const char **strings = bl_arena_new_array(
		arena, const char *,
		BL_COUNT(variables) + bl_value_count(own) + 1);
	size_t count = 0;

	if (!strings)
		return NULL;
	env->is_too_long =
		sizeof("EVERRUNS_HOOK_PAYLOAD_JSON=") - 1 + env->payload.len >
		max_bytes();
	for (size_t i = 0; i < BL_COUNT(variables); i++) {
		struct bl_str value = variables[i].value(env);

		if (!value.ptr || is_overridden(env, variables[i].name))
			continue;
		strings[count] =
			make(env, bl_str(variables[i].name), value, arena);
		if (!strings[count++])
			return NULL;
	}
	/* In the order of their names, as the contract's map has them. */
	for (size_t rank = 0; rank < bl_value_count(own); rank++) {
		size_t i = bl_object_sorted_index(own, rank);

		strings[count] =
			make(env, bl_value_text(bl_object_key(own, i)),
			     bl_value_text(bl_object_value(own, i)), arena);
		if (!strings[count++])
			return NULL;
	}
	return strings;
}

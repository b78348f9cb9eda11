/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of hooks (docs/contracts/cursor.md "Environment"), as a
 * table.
 */
#include "run/private.h"

#include <unistd.h>

#include "base/limits.h"

typedef struct bl_str value_of(const struct bl_execution_context *context,
			       const struct bl_hook *hook);

static struct bl_str payload_text(const struct bl_execution_context *context,
				  const char *field)
{
	return bl_value_text(
		bl_object_find(context->payload_value, bl_str(field)));
}

struct bl_str bl_executor_workspace(const struct bl_execution_context *context,
				    const struct bl_hook *hook)
{
	struct bl_value roots;

	if (hook->file->workspace.len > 0)
		return hook->file->workspace;
	if (context->workspace_count > 0)
		return context->workspaces[0];
	roots = bl_object_find(context->payload_value,
			       BL_STR("workspace_roots"));
	return bl_value_text(bl_value_item(roots, 0));
}

static struct bl_str version(const struct bl_execution_context *context,
			     const struct bl_hook *hook)
{
	(void)hook;
	return payload_text(context, "cursor_version");
}

static struct bl_str user_email(const struct bl_execution_context *context,
				const struct bl_hook *hook)
{
	(void)hook;
	return payload_text(context, "user_email");
}

static struct bl_str transcript(const struct bl_execution_context *context,
				const struct bl_hook *hook)
{
	(void)hook;
	return payload_text(context, "transcript_path");
}

static struct bl_str plugin_root(const struct bl_execution_context *context,
				 const struct bl_hook *hook)
{
	(void)context;
	return hook->file->plugin;
}

/*
 * Where there is no value (no mail, no transcript yet, no plugin) the variable
 * is not set, also when we have inherited one.
 */
static const struct {
	const char *name;
	value_of *value;
} variables[] = {
	{ "CURSOR_PROJECT_DIR", bl_executor_workspace },
	{ "CURSOR_VERSION", version },
	{ "CURSOR_USER_EMAIL", user_email },
	{ "CURSOR_TRANSCRIPT_PATH", transcript },
	{ "CLAUDE_PROJECT_DIR", bl_executor_workspace },
	{ "CURSOR_PLUGIN_ROOT", plugin_root },
	{ "CLAUDE_PLUGIN_ROOT", plugin_root },
};

static bool is_ours(const char *text)
{
	for (size_t i = 0; i < BL_COUNT(variables); i++) {
		size_t len;

		if (text[0] != variables[i].name[0])
			continue;
		len = strlen(variables[i].name);
		if (!strncmp(text, variables[i].name, len) && text[len] == '=')
			return true;
	}
	return false;
}

/* "NAME=value"; *out_bad is set when no program can be given that. */
static const char *make_string(struct bl_arena *arena, const char *name,
			       struct bl_str value, struct bl_str *out_bad)
{
	struct bl_limits limits = bl_limits_default();
	size_t name_len = strlen(name);
	size_t len = name_len + 1 + value.len;
	char *text;

	if (len > limits.env_value_bytes || memchr(value.ptr, 0, value.len)) {
		*out_bad = bl_arena_printf(
			arena, "environment variable %s %s", name,
			len > limits.env_value_bytes
				? "is longer than the system takes (128 KiB)"
				: "would hold a NUL byte");
		return out_bad->ptr ? "" : NULL;
	}
	text = bl_arena_alloc_aligned(arena, len + 1, 1);
	if (!text)
		return NULL;
	memcpy(text, name, name_len);
	text[name_len] = '=';
	memcpy(text + name_len + 1, value.ptr, value.len);
	text[len] = '\0';
	return text;
}

static size_t copy_inherited(const char **env, bool without_ours)
{
	size_t count = 0;

	for (char **string = environ; *string; string++) {
		if (!without_ours || !is_ours(*string))
			env[count++] = *string;
	}
	return count;
}

enum bl_status bl_executor_env(const struct bl_execution_context *context,
			       const struct bl_hook *hook,
			       struct bl_arena *arena,
			       const char *const **out_env,
			       struct bl_str *out_bad, struct bl_error *err)
{
	const char **env;
	size_t count = 0;

	while (environ[count])
		count++;
	env = bl_arena_new_array(arena, const char *,
				 count + BL_COUNT(variables) + 1);
	if (!env)
		return bl_arena_fail(arena, err);
	if (!bl_executor_is_sandboxed(hook))
		count = copy_inherited(env, context->profile->sets_environment);
	else
		count = 0;
	*out_env = env;
	if (!context->profile->sets_environment)
		return BL_OK;
	for (size_t i = 0; i < BL_COUNT(variables) && !out_bad->len; i++) {
		struct bl_str value = variables[i].value(context, hook);

		if (value.len == 0)
			continue;
		env[count] =
			make_string(arena, variables[i].name, value, out_bad);
		if (!env[count++])
			return bl_arena_fail(arena, err);
	}
	return BL_OK;
}

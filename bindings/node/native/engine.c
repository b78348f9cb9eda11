/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: engines, and what is asked of them at once.  Events: dispatch.c. */
#include "native.h"

#include <belay.h>
#include <stdlib.h>

enum { MAX_FOLDERS = 64 };

/* Texts that the options of an engine point to. */
struct texts {
	char *all[2 * MAX_FOLDERS + 16];
	size_t count;
};

static char *keep(struct texts *texts, char *text)
{
	if (texts->count == COUNT(texts->all)) {
		free(text);
		return NULL;
	}
	texts->all[texts->count++] = text;
	return text;
}

static napi_value member(napi_env env, napi_value object, const char *name)
{
	napi_value value = NULL;

	napi_get_named_property(env, object, name, &value);
	return value;
}

static char *text_of(struct texts *texts, napi_env env, napi_value value)
{
	struct call one = { .env = env, .values = { value } };

	return keep(texts, call_text(&one, 0, NULL));
}

static const struct {
	const char *name;
	size_t at;
} words[] = {
#define W(name, member)                                                        \
	{                                                                      \
		name, offsetof(belay_engine_options, member)                   \
	}
	W("profile", profile),
	W("home", home),
	W("stateDir", state_dir),
	W("systemRoot", system_root),
	W("agentVersion", agent_version),
	W("leastSandbox", least_sandbox),
	W("agent", agent),
	W("policyDir", policy_dir),
	W("globalConfig", global_config),
#undef W
};

/* An array of texts into list; how many. */
static size_t read_folders(struct texts *texts, napi_env env, napi_value array,
			   const char **list)
{
	uint32_t count = 0;

	if (napi_get_array_length(env, array, &count) != napi_ok)
		return 0;
	for (uint32_t i = 0; i < count && i < MAX_FOLDERS; i++) {
		napi_value value = NULL;

		napi_get_element(env, array, i, &value);
		list[i] = text_of(texts, env, value);
	}
	return count < MAX_FOLDERS ? count : MAX_FOLDERS;
}

/* engineNew(options): options as in index.d.ts, flags as a number. */
static napi_value engine_new(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_error error = BELAY_ERROR_INIT;
	const char *workspaces[MAX_FOLDERS], *plugins[MAX_FOLDERS];
	struct texts texts = { .count = 0 };
	belay_engine *engine = NULL;
	napi_value given = call.values[0];
	belay_status status;

	for (size_t i = 0; i < COUNT(words); i++) {
		const char *text =
			text_of(&texts, env, member(env, given, words[i].name));

		*(const char **)((char *)&options + words[i].at) = text;
	}
	options.workspaces = workspaces;
	options.workspace_count = read_folders(
		&texts, env, member(env, given, "workspaces"), workspaces);
	options.plugins = plugins;
	options.plugin_count = read_folders(
		&texts, env, member(env, given, "plugins"), plugins);
	call.values[1] = member(env, given, "flags");
	options.flags = call_number(&call, 1);
	call.values[1] = member(env, given, "policyTimeoutMs");
	options.policy_timeout_ms = call_number(&call, 1);
	status = belay_engine_new(&options, &engine, &error);
	for (size_t i = 0; i < texts.count; i++)
		free(texts.all[i]);
	if (status)
		return throw_error(env, status, error.message, NULL);
	return handle_new(env, KIND_ENGINE, engine);
}

static napi_value close_handle(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	struct handle *handle = call_handle(&call, 0, KIND_ENGINE);

	if (handle) {
		handle->is_closed = true;
		handle_settle(handle);
	}
	return NULL;
}

/* The text, which is freed, or an exception. */
static napi_value give(napi_env env, belay_status status, belay_text *text,
		       const belay_error *error)
{
	napi_value value;

	if (status)
		return throw_error(env, status, error->message, NULL);
	value = text_value_sized(env, belay_text_data(text),
				 belay_text_size(text));
	belay_text_free(text);
	return value;
}

/* ask(engine, what, number, text): "reload", ...; the answer as JSON. */
static napi_value ask(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	belay_engine *engine = call_object(&call, 0, KIND_ENGINE);
	uint32_t what = call_number(&call, 1), number = call_number(&call, 2);
	belay_error error = BELAY_ERROR_INIT;
	belay_status status = BELAY_USAGE;
	belay_text *text = NULL;
	int32_t changed = 0;
	char *word;

	if (!engine)
		return NULL;
	word = call_text(&call, 3, NULL);
	switch (what) {
	case 0:
		status = belay_engine_reload(engine, &error);
		break;
	case 1:
		status = belay_engine_reload_if_changed(engine, &changed,
							&error);
		break;
	case 2:
		status = belay_engine_add_workspace(engine, word, &error);
		break;
	case 3:
		status = belay_engine_remove_workspace(engine, word, &error);
		break;
	case 4:
		status = belay_engine_trust(engine, word, (int32_t)number,
					    &error);
		break;
	case 5:
		status = belay_engine_untrust(engine, word, &error);
		break;
	case 6:
		if (!word) /* the status says so */
			break;
		changed = belay_engine_has_hook(engine, word);
		status = BELAY_OK;
		break;
	case 7:
		status = belay_engine_hooks_json(engine, &text, &error);
		break;
	case 8:
		status = belay_engine_log_json(engine, number, &text, &error);
		break;
	default:
		break;
	}
	free(word);
	if (text)
		return give(env, status, text, &error);
	return status ? throw_error(env, status, error.message, NULL)
		      : bool_value(env, changed);
}

/* explain(engine, event, payload) */
static napi_value explain(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	belay_engine *engine = call_object(&call, 0, KIND_ENGINE);
	belay_error error = BELAY_ERROR_INIT;
	belay_text *text = NULL;
	size_t size = 0;
	char *event, *payload;
	belay_status status;

	if (!engine)
		return NULL;
	event = call_text(&call, 1, NULL);
	payload = call_text(&call, 2, &size);
	status = belay_engine_explain_json(engine, event, payload, size, &text,
					   &error);
	free(event);
	free(payload);
	return give(env, status, text, &error);
}

static napi_value profile(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	belay_error error = BELAY_ERROR_INIT;
	belay_text *text = NULL;
	char *name = call_text(&call, 0, NULL);
	belay_status status = belay_profile_json(name, &text, &error);

	free(name);
	return give(env, status, text, &error);
}

static napi_value profiles(napi_env env, napi_callback_info info)
{
	napi_value list = NULL;
	const char *name;

	(void)info;
	napi_create_array(env, &list);
	for (uint32_t i = 0; (name = belay_profile_name(i)); i++)
		napi_set_element(env, list, i, text_value(env, name));
	return list;
}

/* validate(is_output, profile, source or event, text) */
static napi_value validate(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	belay_error error = BELAY_ERROR_INIT;
	belay_text *text = NULL;
	size_t size = 0;
	char *name = call_text(&call, 1, NULL);
	char *word = call_text(&call, 2, NULL);
	char *input = call_text(&call, 3, &size);
	belay_status status =
		call_number(&call, 0)
			? belay_output_validate(name, word, input, size, &text,
						&error)
			: belay_hooks_validate(name, word, input, size, &text,
					       &error);

	free(name);
	free(word);
	free(input);
	return give(env, status, text, &error);
}

void add_engine_functions(napi_env env, napi_value exports)
{
	static const struct entry entries[] = {
		{ "engineNew", engine_new },
		{ "engineClose", close_handle },
		{ "ask", ask },
		{ "explain", explain },
		{ "profile", profile },
		{ "profiles", profiles },
		{ "validate", validate },
	};

	add_functions(env, exports, entries, COUNT(entries));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* to_value.c: a hook set as data, for listing. */
#include "sources/hooks/hooks.h"
#include "json/json.h"

static struct bl_value text_of(const char *text)
{
	return bl_value_string(bl_str(text));
}

/* Undefined for the empty text, so that it is left out. */
static struct bl_value optional(struct bl_str text)
{
	return text.len ? bl_value_string(text) : bl_value_undefined();
}

const char *bl_hook_why_not(const struct bl_hook *hook)
{
	if (hook->type == BL_HOOK_PROMPT)
		return bl_match_text(BL_MATCH_PROMPT);
	if (hook->webhook && hook->webhook->refused.len > 0)
		return hook->webhook->refused.ptr;
	switch (hook->file->state) {
	case BL_HOOK_FILE_LOADED:
		return NULL;
	case BL_HOOK_FILE_UNTRUSTED:
		return bl_match_text(BL_MATCH_UNTRUSTED);
	case BL_HOOK_FILE_CHANGED:
		return bl_match_text(BL_MATCH_CHANGED);
	case BL_HOOK_FILE_MISSING:
	case BL_HOOK_FILE_BROKEN:
	case BL_HOOK_FILE_UNSAFE:
	case BL_HOOK_FILE_GATED:
	case BL_HOOK_FILE_STATE_COUNT:
		break;
	}
	return "its file is not used";
}

static struct bl_value file_value(const struct bl_hook_file *file,
				  struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("source"),
			      text_of(bl_source_name(file->source)));
	bl_object_builder_add(&object, BL_STR("path"),
			      bl_value_string(file->path));
	bl_object_builder_add(&object, BL_STR("state"),
			      text_of(bl_file_state_name(file->state)));
	bl_object_builder_add(&object, BL_STR("why"), optional(file->why));
	bl_object_builder_add(&object, BL_STR("workspace"),
			      optional(file->workspace));
	bl_object_builder_add(&object, BL_STR("plugin"),
			      optional(file->plugin));
	return bl_object_builder_end(&object);
}

static void add_options(struct bl_object_builder *object,
			const struct bl_hook *hook)
{
	struct bl_value loop_limit = bl_value_undefined();

	bl_object_builder_add(object, BL_STR("matcher"),
			      optional(hook->matcher));
	bl_object_builder_add(object, BL_STR("timeout_ms"),
			      hook->timeout_ms
				      ? bl_value_integer(hook->timeout_ms)
				      : bl_value_null());
	if (hook->hook_event->has_loop_limit)
		loop_limit = hook->has_loop_limit
				     ? bl_value_integer(hook->loop_limit)
				     : bl_value_null();
	bl_object_builder_add(object, BL_STR("loop_limit"), loop_limit);
	bl_object_builder_add(object, BL_STR("fail_closed"),
			      bl_value_boolean(hook->fail_closed));
}

static struct bl_value sandbox_value(const struct bl_hook *hook,
				     struct bl_arena *arena)
{
	struct bl_str name;

	if (!hook->sandbox)
		return bl_value_undefined();
	name = bl_arena_printf(arena, "%s%s", hook->sandbox->name,
			       hook->sandbox_network ? "+network" : "");
	return name.ptr ? bl_value_string(name) : bl_value_undefined();
}

static void add_webhook(struct bl_object_builder *object,
			const struct bl_webhook *webhook,
			struct bl_arena *arena)
{
	struct bl_str secret = bl_webhook_print_secret(webhook, arena);

	bl_object_builder_add(object, BL_STR("url"),
			      bl_value_string(webhook->url.text));
	bl_object_builder_add(object, BL_STR("secret"), optional(secret));
	bl_object_builder_add(object, BL_STR("ca_file"),
			      optional(webhook->ca_file));
	bl_object_builder_add(object, BL_STR("allow_addresses"),
			      webhook->addresses);
}

struct bl_value bl_hook_to_value(const struct bl_hook *hook,
				 struct bl_arena *arena)
{
	struct bl_object_builder object;
	const char *why = bl_hook_why_not(hook);

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("step"),
			      text_of(hook->hook_event->name));
	bl_object_builder_add(&object, BL_STR("source"),
			      text_of(bl_source_name(hook->file->source)));
	bl_object_builder_add(&object, BL_STR("file"),
			      bl_value_string(hook->file->path));
	bl_object_builder_add(&object, BL_STR("index"),
			      bl_value_integer((int64_t)hook->index));
	if (hook->webhook)
		add_webhook(&object, hook->webhook, arena);
	else
		bl_object_builder_add(&object, BL_STR("command"),
				      optional(hook->command));
	bl_object_builder_add(&object, BL_STR("prompt"),
			      optional(hook->prompt));
	bl_object_builder_add(&object, BL_STR("model"), optional(hook->model));
	bl_object_builder_add(&object, BL_STR("dir"),
			      optional(hook->file->dir));
	add_options(&object, hook);
	bl_object_builder_add(&object, BL_STR("sandbox"),
			      sandbox_value(hook, arena));
	bl_object_builder_add(&object, BL_STR("runs"), bl_value_boolean(!why));
	if (why)
		bl_object_builder_add(&object, BL_STR("why"), text_of(why));
	return bl_object_builder_end(&object);
}

/* By way of their JSON, so that there is one form of a diagnostic. */
static struct bl_value findings_value(const struct bl_diags *diags,
				      struct bl_arena *arena)
{
	struct bl_value value = bl_value_undefined();
	struct bl_buf text;
	struct bl_str copy;

	bl_buf_init(&text, 0);
	bl_json_write_diags(&text, diags);
	copy = bl_arena_copy_str(arena, bl_buf_str(&text));
	if (bl_buf_status(&text) || !copy.ptr ||
	    bl_json_read(arena, copy, NULL, &value, NULL, NULL, NULL))
		value = bl_value_undefined();
	bl_buf_clear(&text);
	return value;
}

/* Adds a member that must not be missing. */
static bool add(struct bl_object_builder *object, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(object, bl_str(key), value);
	return bl_value_is_defined(value);
}

struct bl_value bl_hook_set_to_value(const struct bl_hook_set *set,
				     struct bl_arena *arena)
{
	struct bl_object_builder object;
	struct bl_array_builder files;
	struct bl_array_builder hooks;
	bool whole;

	bl_object_builder_init(&object, arena);
	bl_array_builder_init(&files, arena);
	bl_array_builder_init(&hooks, arena);
	for (size_t i = 0; i < set->file_count; i++)
		bl_array_builder_add(&files, file_value(&set->files[i], arena));
	for (size_t i = 0; i < set->hook_count; i++)
		bl_array_builder_add(&hooks,
				     bl_hook_to_value(&set->hooks[i], arena));
	whole = add(&object, "profile", text_of(set->profile->name)) &&
		add(&object, "files", bl_array_builder_end(&files)) &&
		add(&object, "hooks", bl_array_builder_end(&hooks)) &&
		add(&object, "findings", findings_value(&set->diags, arena));
	return whole ? bl_object_builder_end(&object) : bl_value_undefined();
}

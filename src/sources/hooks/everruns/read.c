/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the text of a configuration to hooks (docs/contracts/everruns.md
 * "Specs", "Ids").  A wrong type makes the whole configuration unreadable, as a
 * strict parser would have it; a hook that breaks a rule (check.c) stays in the
 * list with its reason.
 */
#include "sources/hooks/everruns/private.h"

struct reading {
	struct bl_everruns_set *set;
	const struct bl_everruns_source *source;
	struct bl_diags *diags; /* may be NULL */
	struct bl_json_places *places;
	struct bl_everruns_hook *hooks;
	size_t count;
	bool failed;
	size_t index; /* of the hook that is read */
};

/* ---- findings ----------------------------------------------------------- */

static void report(struct reading *reading, enum bl_severity severity,
		   const char *code, struct bl_place place,
		   struct bl_str message)
{
	if (reading->diags)
		bl_diags_add(reading->diags, severity, code,
			     &reading->source->text, place, NULL, "%.*s",
			     BL_STR_ARG(message));
}

/* The configuration cannot be read; false, so that it can be returned. */
static bool BL_PRINTF(3, 4) refuse(struct reading *reading,
				   struct bl_place place, const char *fmt, ...)
{
	struct bl_arena *arena = reading->set->arena;
	struct bl_str what;
	struct bl_str message;
	va_list args;

	va_start(args, fmt);
	what = bl_arena_vprintf(arena, fmt, args);
	va_end(args);
	message = bl_arena_printf(arena, "user_hooks config parse failed: %.*s",
				  BL_STR_ARG(what));
	reading->failed = true;
	if (!reading->set->broken.ptr)
		reading->set->broken = message;
	report(reading, BL_SEVERITY_ERROR, "everruns/parse", place, message);
	return false;
}

static struct bl_place place_of(const struct reading *reading,
				struct bl_value object, struct bl_str key)
{
	size_t i = bl_object_find_index(object, bl_value_string(key));

	if (i == SIZE_MAX || !reading->places)
		return (struct bl_place){ 0 };
	return bl_json_value_place(reading->places, object, i);
}

/* ---- fields ------------------------------------------------------------- */

enum presence { OPTIONAL, NULLABLE, REQUIRED };

struct wanted {
	const char *key;
	enum bl_kind kind;
	enum presence presence;
};

/*
 * The member that is wanted.  True with an undefined value when it may be
 * missing and is.
 */
static bool get(struct reading *reading, struct bl_value object,
		struct wanted wanted, struct bl_value *out)
{
	struct bl_str key = bl_str(wanted.key);
	struct bl_value value = bl_object_find(object, key);

	*out = bl_value_undefined();
	if (!bl_value_is_defined(value) && wanted.presence != REQUIRED)
		return true;
	if (bl_value_is(value, BL_KIND_NULL) && wanted.presence == NULLABLE)
		return true;
	if (!bl_value_is_defined(value))
		return refuse(reading, (struct bl_place){ 0 },
			      "hooks[%zu]: missing field `%s`", reading->index,
			      wanted.key);
	if (!bl_value_is(value, wanted.kind))
		return refuse(reading, place_of(reading, object, key),
			      "hooks[%zu]: `%s` is of type %s, not %s",
			      reading->index, wanted.key,
			      bl_kind_name(bl_value_kind(value)),
			      bl_kind_name(wanted.kind));
	*out = value;
	return true;
}

/* ptr NULL when it is missing. */
static bool get_text(struct reading *reading, struct bl_value object,
		     const char *key, enum presence presence,
		     struct bl_str *out)
{
	struct bl_value value;

	if (!get(reading, object,
		 (struct wanted){ key, BL_KIND_STRING, presence }, &value))
		return false;
	*out = (struct bl_str){ NULL, 0 };
	if (bl_value_is_defined(value))
		*out = value.len > 0 ? bl_value_text(value) : BL_STR("");
	return true;
}

static void warn_unknown(struct reading *reading, struct bl_value object,
			 const char *const *known, size_t known_count,
			 const char *where)
{
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str key = bl_value_text(bl_object_key(object, i));
		size_t k = 0;

		while (k < known_count && !bl_str_is(key, known[k]))
			k++;
		if (k == known_count && reading->diags)
			bl_diags_add(
				reading->diags, BL_SEVERITY_WARNING,
				"everruns/unknown-key", &reading->source->text,
				bl_json_key_place(reading->places, object, i),
				NULL, "`%.*s` is not a key of %s",
				BL_STR_ARG(key), where);
	}
}

static bool read_event(struct reading *reading, struct bl_value spec,
		       struct bl_everruns_hook *hook)
{
	struct bl_str text;

	if (!get_text(reading, spec, "event", REQUIRED, &text))
		return false;
	return bl_everruns_event_parse(text, &hook->event) ||
	       refuse(reading, place_of(reading, spec, BL_STR("event")),
		      "hooks[%zu]: unknown event `%.*s`, expected one of "
		      "`session_start`, `user_prompt_submit`, `pre_tool_use`, "
		      "`post_tool_use`, `turn_end`, `session_end`",
		      reading->index, BL_STR_ARG(text));
}

static bool read_matcher(struct reading *reading, struct bl_value spec,
			 struct bl_everruns_hook *hook)
{
	const char *known[BL_EVERRUNS_FIELD_COUNT];
	struct bl_value matcher;

	if (!get(reading, spec,
		 (struct wanted){ "matcher", BL_KIND_OBJECT, OPTIONAL },
		 &matcher))
		return false;
	for (size_t i = 0; i < BL_EVERRUNS_FIELD_COUNT; i++) {
		known[i] = bl_everruns_field_name((enum bl_everruns_field)i);
		if (!get_text(reading, matcher, known[i], NULLABLE,
			      &hook->matcher.text[i]))
			return false;
	}
	warn_unknown(reading, matcher, known, BL_COUNT(known), "a matcher");
	return true;
}

static bool read_env(struct reading *reading, struct bl_value executor,
		     struct bl_everruns_hook *hook)
{
	struct bl_value env;

	if (!get(reading, executor,
		 (struct wanted){ "env", BL_KIND_OBJECT, OPTIONAL }, &env))
		return false;
	for (size_t i = 0; i < bl_value_count(env); i++) {
		if (!bl_value_is(bl_object_value(env, i), BL_KIND_STRING))
			return refuse(
				reading,
				bl_json_value_place(reading->places, env, i),
				"hooks[%zu]: `env` holds a value that is not a "
				"string",
				reading->index);
	}
	hook->env = env;
	return true;
}

/* belay's own: what the hook may reach (sandbox/sandbox.h). */
static bool read_sandbox(struct reading *reading, struct bl_value executor,
			 struct bl_everruns_hook *hook)
{
	struct bl_str text;

	if (!get_text(reading, executor, "sandbox", OPTIONAL, &text))
		return false;
	return !text.ptr || bl_sandbox_parse(text, &hook->sandbox) ||
	       refuse(reading, place_of(reading, executor, BL_STR("sandbox")),
		      "hooks[%zu]: unknown sandbox `%.*s`", reading->index,
		      BL_STR_ARG(text));
}

static bool read_bash(struct reading *reading, struct bl_value executor,
		      struct bl_everruns_hook *hook)
{
	static const char *const known[] = { "type", "command", "env",
					     "sandbox" };

	warn_unknown(reading, executor, known, BL_COUNT(known), "an executor");
	return get_text(reading, executor, "command", REQUIRED,
			&hook->command) &&
	       read_env(reading, executor, hook) &&
	       read_sandbox(reading, executor, hook);
}

/* Its keys are those that Everruns plans, and two of belay's own. */
static bool read_webhook(struct reading *reading, struct bl_value executor,
			 struct bl_everruns_hook *hook)
{
	static const char *const known[] = { "type", "url", "hmac_secret_ref",
					     "ca_file", "allow_addresses" };

	warn_unknown(reading, executor, known, BL_COUNT(known), "an executor");
	hook->is_webhook = true;
	return get_text(reading, executor, "url", REQUIRED, &hook->command) &&
	       get_text(reading, executor, "hmac_secret_ref", REQUIRED,
			&hook->secret_ref) &&
	       get_text(reading, executor, "ca_file", NULLABLE,
			&hook->ca_file) &&
	       get(reading, executor,
		   (struct wanted){ "allow_addresses", BL_KIND_ARRAY,
				    OPTIONAL },
		   &hook->addresses);
}

static bool read_executor(struct reading *reading, struct bl_value spec,
			  struct bl_everruns_hook *hook)
{
	bool has_webhooks = !reading->set->rules->no_webhooks;
	struct bl_value executor;
	struct bl_str type;

	if (!get(reading, spec,
		 (struct wanted){ "executor", BL_KIND_OBJECT, REQUIRED },
		 &executor) ||
	    !get_text(reading, executor, "type", REQUIRED, &type))
		return false;
	if (bl_str_is(type, "bash"))
		return read_bash(reading, executor, hook);
	if (bl_str_is(type, "webhook") && has_webhooks)
		return read_webhook(reading, executor, hook);
	return refuse(reading, place_of(reading, executor, BL_STR("type")),
		      "hooks[%zu]: unknown executor `%.*s`, expected %s",
		      reading->index, BL_STR_ARG(type),
		      has_webhooks ? "one of `bash`, `webhook`" : "`bash`");
}

static bool read_timeout(struct reading *reading, struct bl_value spec,
			 struct bl_everruns_hook *hook)
{
	struct bl_value value;
	int64_t ms = BL_EVERRUNS_USUAL_TIMEOUT_MS;

	if (!get(reading, spec,
		 (struct wanted){ "timeout_ms", BL_KIND_NUMBER, OPTIONAL },
		 &value))
		return false;
	if (bl_value_is_defined(value) &&
	    (!bl_number_is_plain(value, &ms) || ms < 0 || ms > UINT32_MAX))
		return refuse(
			reading, place_of(reading, spec, BL_STR("timeout_ms")),
			"hooks[%zu]: `timeout_ms` is not a whole number of "
			"32 bits",
			reading->index);
	hook->timeout_ms = (uint32_t)ms;
	return true;
}

static const char *const on_error_names[BL_EVERRUNS_ON_ERROR_COUNT] = {
	[BL_EVERRUNS_BLOCK] = "block",
	[BL_EVERRUNS_ALLOW] = "allow",
	[BL_EVERRUNS_WARN] = "warn",
};

/* A guard that fails must not let the event pass: where blocking works, it blocks. */
static enum bl_everruns_on_error
usual_on_error(const struct bl_everruns_rules *rules,
	       enum bl_everruns_event event)
{
	return bl_everruns_event_can_block(event) && !rules->gates_fail_open
		       ? BL_EVERRUNS_BLOCK
		       : BL_EVERRUNS_WARN;
}

static bool read_on_error(struct reading *reading, struct bl_value spec,
			  struct bl_everruns_hook *hook)
{
	struct bl_str text;

	hook->on_error = usual_on_error(reading->set->rules, hook->event);
	if (!get_text(reading, spec, "on_error", OPTIONAL, &text))
		return false;
	if (!text.ptr)
		return true;
	for (size_t i = 0; i < BL_COUNT(on_error_names); i++) {
		if (bl_str_is(text, on_error_names[i])) {
			hook->on_error = (enum bl_everruns_on_error)i;
			return true;
		}
	}
	return refuse(reading, place_of(reading, spec, BL_STR("on_error")),
		      "hooks[%zu]: unknown on_error `%.*s`, expected one of "
		      "`block`, `allow`, `warn`",
		      reading->index, BL_STR_ARG(text));
}

static bool read_rest(struct reading *reading, struct bl_value spec,
		      struct bl_everruns_hook *hook)
{
	struct bl_value gate;

	if (!get_text(reading, spec, "id", NULLABLE, &hook->given_id) ||
	    !get_text(reading, spec, "description", NULLABLE,
		      &hook->description) ||
	    !get(reading, spec,
		 (struct wanted){ "policy_gate", BL_KIND_BOOLEAN, OPTIONAL },
		 &gate))
		return false;
	hook->is_gate = bl_value_is_true(gate);
	return true;
}

/* ---- hooks -------------------------------------------------------------- */

static bool read_hook(struct reading *reading, struct bl_value spec,
		      struct bl_everruns_hook *hook)
{
	static const char *const known[] = {
		"id",          "event",      "matcher",
		"executor",    "timeout_ms", "on_error",
		"description", "source",     "policy_gate",
	};

	*hook = (struct bl_everruns_hook){
		.capability = reading->source->capability,
		.file = reading->source->text.file,
	};
	if (!bl_value_is(spec, BL_KIND_OBJECT))
		return refuse(reading, (struct bl_place){ 0 },
			      "hooks[%zu]: not an object", reading->index);
	warn_unknown(reading, spec, known, BL_COUNT(known), "a hook");
	return read_event(reading, spec, hook) &&
	       read_matcher(reading, spec, hook) &&
	       read_executor(reading, spec, hook) &&
	       read_timeout(reading, spec, hook) &&
	       read_on_error(reading, spec, hook) &&
	       read_rest(reading, spec, hook);
}

static enum bl_status check_hook(struct reading *reading, struct bl_value specs,
				 struct bl_everruns_hook *hook)
{
	struct bl_everruns_set *set = reading->set;
	struct bl_place place = { 0 };
	struct bl_str message;

	/* The line of a webhook may hold the secret that should not be there. */
	if (!hook->is_webhook)
		place = bl_json_value_place(reading->places, specs,
					    reading->index);
	hook->broken = bl_everruns_check(set->rules, hook, set->arena);
	if (!hook->broken.ptr)
		return bl_arena_why(set->arena);
	if (hook->broken.len == 0)
		return BL_OK;
	message = bl_arena_printf(set->arena, "user_hooks.hooks[%zu]: %.*s",
				  reading->index, BL_STR_ARG(hook->broken));
	if (!message.ptr)
		return bl_arena_why(set->arena);
	report(reading, BL_SEVERITY_ERROR, "everruns/invalid", place, message);
	return BL_OK;
}

static enum bl_status read_hooks(struct reading *reading, struct bl_value specs)
{
	size_t count = bl_value_count(specs);

	reading->hooks = bl_arena_new_array(reading->set->arena,
					    struct bl_everruns_hook, count);
	if (!reading->hooks)
		return bl_arena_why(reading->set->arena);
	for (size_t i = 0; i < count; i++) {
		enum bl_status status;

		reading->index = i;
		if (!read_hook(reading, bl_value_item(specs, i),
			       &reading->hooks[i]))
			return BL_OK;
		status = check_hook(reading, specs, &reading->hooks[i]);
		if (status != BL_OK)
			return status;
	}
	reading->count = count;
	return BL_OK;
}

/* ---- the configuration -------------------------------------------------- */

/* A list of the configuration; false when the value is not a list. */
static bool get_list(struct reading *reading, struct bl_value config,
		     const char *key, enum bl_kind of, struct bl_value *out)
{
	struct bl_value list = bl_object_find(config, bl_str(key));

	*out = list;
	if (!bl_value_is_defined(list))
		return true;
	if (!bl_value_is(list, BL_KIND_ARRAY))
		return refuse(reading, place_of(reading, config, bl_str(key)),
			      "`%s` is of type %s, not array", key,
			      bl_kind_name(bl_value_kind(list)));
	for (size_t i = 0; i < bl_value_count(list); i++) {
		if (of != BL_KIND_UNDEFINED &&
		    !bl_value_is(bl_value_item(list, i), of))
			return refuse(
				reading,
				bl_json_value_place(reading->places, list, i),
				"`%s` holds a value that is not a %s", key,
				bl_kind_name(of));
	}
	return true;
}

static bool parse(struct reading *reading, struct bl_value *out_config)
{
	struct bl_json_options options = { .out_places = &reading->places };
	struct bl_json_report met = { 0 };
	struct bl_place place = { 0 };
	struct bl_error why;

	if (bl_json_read(reading->set->arena, reading->source->text.text,
			 &options, out_config, &met, &place, &why) != BL_OK)
		return refuse(reading, place, "%s", why.message);
	if (met.repeated_key_count > 0)
		return refuse(reading, met.repeated_place,
			      "duplicate field `%.*s`",
			      BL_STR_ARG(met.repeated_key));
	return bl_value_is(*out_config, BL_KIND_OBJECT) ||
	       bl_value_is(*out_config, BL_KIND_NULL) ||
	       refuse(reading, bl_json_root_place(reading->places),
		      "it is of type %s, not object",
		      bl_kind_name(bl_value_kind(*out_config)));
}

static bool is_named(struct bl_value names, struct bl_str id)
{
	for (size_t i = 0; i < bl_value_count(names); i++) {
		if (bl_str_equal(bl_value_text(bl_value_item(names, i)), id))
			return true;
	}
	return false;
}

/* Is an earlier hook of the user's replaced or disabled by this one? */
static bool is_superseded(const struct reading *reading,
			  const struct bl_everruns_hook *hook,
			  struct bl_value disabled)
{
	if (!reading->source->is_workspace || hook->capability.len > 0 ||
	    !hook->given_id.ptr)
		return false;
	for (size_t i = 0; i < reading->count; i++) {
		struct bl_str id = reading->hooks[i].given_id;

		if (id.ptr && bl_str_equal(id, hook->given_id))
			return true;
	}
	return is_named(disabled, hook->given_id);
}

/* The set's hooks without those that are superseded, then the new ones. */
static enum bl_status merge(struct reading *reading, struct bl_value disabled,
			    struct bl_error *err)
{
	struct bl_everruns_set *set = reading->set;
	struct bl_everruns_hook *hooks;
	size_t count = 0;

	if (set->hook_count + reading->count > BL_EVERRUNS_MAX_HOOKS)
		return bl_fail(err, BL_LIMIT, "there are more than %d hooks",
			       BL_EVERRUNS_MAX_HOOKS);
	hooks = bl_arena_new_array(set->arena, struct bl_everruns_hook,
				   set->hook_count + reading->count);
	if (!hooks)
		return bl_arena_fail(set->arena, err);
	for (size_t i = 0; i < set->hook_count; i++) {
		if (!is_superseded(reading, &set->hooks[i], disabled))
			hooks[count++] = set->hooks[i];
	}
	for (size_t i = 0; i < reading->count; i++)
		hooks[count++] = reading->hooks[i];
	set->hooks = hooks;
	set->hook_count = count;
	return bl_everruns_name_hooks(set, err);
}

/*
 * Ids, frozen before anything is filtered: a default name counts the hooks of
 * the same contributor, so that a mute list and a payload say the same.
 */
enum bl_status bl_everruns_name_hooks(struct bl_everruns_set *set,
				      struct bl_error *err)
{
	for (size_t i = 0; i < set->hook_count; i++) {
		struct bl_everruns_hook *hook = &set->hooks[i];
		struct bl_str owner = hook->capability;
		size_t index = 0;

		for (size_t k = 0; k < i; k++)
			index += bl_str_equal(set->hooks[k].capability, owner);
		if (owner.len == 0)
			owner = BL_STR("user");
		hook->id = hook->given_id.ptr
				   ? bl_arena_printf(set->arena, "%.*s:%.*s",
						     BL_STR_ARG(owner),
						     BL_STR_ARG(hook->given_id))
				   : bl_arena_printf(set->arena, "%.*s:%s_%zu",
						     BL_STR_ARG(owner),
						     bl_everruns_event_name(
							     hook->event),
						     index);
		if (!hook->id.ptr)
			return bl_arena_fail(set->arena, err);
	}
	return BL_OK;
}

static enum bl_status read_config(struct reading *reading,
				  struct bl_value config, struct bl_error *err)
{
	static const char *const known[] = { "hooks", "disabled_contributions",
					     "disabled" };
	struct bl_value specs;
	struct bl_value muted;
	struct bl_value disabled;
	enum bl_status status;

	warn_unknown(reading, config, known, BL_COUNT(known),
		     "the configuration");
	if (!get_list(reading, config, "hooks", BL_KIND_UNDEFINED, &specs) ||
	    !get_list(reading, config, "disabled_contributions", BL_KIND_STRING,
		      &muted) ||
	    !get_list(reading, config, "disabled", BL_KIND_STRING, &disabled))
		return BL_OK;
	status = read_hooks(reading, specs);
	if (status != BL_OK)
		return bl_arena_fail(reading->set->arena, err);
	if (reading->failed)
		return BL_OK;
	/* Only the user's own configuration may mute. */
	for (size_t i = 0;
	     i < bl_value_count(muted) && reading->source->capability.len == 0;
	     i++)
		bl_array_builder_add(&reading->set->muted,
				     bl_value_item(muted, i));
	return merge(reading, disabled, err);
}

void bl_everruns_set_init(struct bl_everruns_set *set,
			  const struct bl_everruns_rules *rules,
			  struct bl_arena *arena)
{
	*set = (struct bl_everruns_set){ .rules = rules, .arena = arena };
	bl_array_builder_init(&set->muted, arena);
	bl_array_builder_init(&set->notices, arena);
}

enum bl_status bl_everruns_set_add(struct bl_everruns_set *set,
				   const struct bl_everruns_source *source,
				   struct bl_diags *diags, struct bl_error *err)
{
	struct reading reading = {
		.set = set,
		.source = source,
		.diags = diags,
	};
	struct bl_value config;

	if (!parse(&reading, &config)) {
		if (bl_arena_status(set->arena) != BL_OK)
			return bl_arena_fail(set->arena, err);
		return BL_OK;
	}
	return read_config(&reading, config, err);
}

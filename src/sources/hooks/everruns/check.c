/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validates a hook, rule by rule in the contract's order
 * (docs/contracts/everruns.md "Validation").
 */
#include "sources/hooks/everruns/private.h"

static const char *const field_names[BL_EVERRUNS_FIELD_COUNT] = {
	[BL_EVERRUNS_TOOL_NAME] = "tool_name",
	[BL_EVERRUNS_TOOL_NAME_GLOB] = "tool_name_glob",
	[BL_EVERRUNS_ARGS_JSONPATH] = "args_jsonpath",
	[BL_EVERRUNS_MATCH_REGEX] = "match_regex",
	[BL_EVERRUNS_DENY_REGEX] = "deny_regex",
};

const char *bl_everruns_field_name(enum bl_everruns_field field)
{
	return field_names[field];
}

/* One rule: the complaint, or empty; ptr NULL: memory. */
typedef struct bl_str rule(const struct bl_everruns_rules *rules,
			   struct bl_everruns_hook *hook,
			   struct bl_arena *arena);

static struct bl_str check_timeout(const struct bl_everruns_rules *rules,
				   struct bl_everruns_hook *hook,
				   struct bl_arena *arena)
{
	(void)rules;
	if (hook->timeout_ms >= BL_EVERRUNS_MIN_TIMEOUT_MS &&
	    hook->timeout_ms <= BL_EVERRUNS_MAX_TIMEOUT_MS)
		return BL_STR("");
	return bl_arena_printf(
		arena, "hook timeout_ms %u is out of range (%d..=%d)",
		(unsigned)hook->timeout_ms, BL_EVERRUNS_MIN_TIMEOUT_MS,
		BL_EVERRUNS_MAX_TIMEOUT_MS);
}

static struct bl_str check_event(const struct bl_everruns_rules *rules,
				 struct bl_everruns_hook *hook,
				 struct bl_arena *arena)
{
	(void)rules;
	if (bl_everruns_event_is_tool(hook->event))
		return BL_STR("");
	for (size_t i = 0; i < BL_EVERRUNS_FIELD_COUNT; i++) {
		if (hook->matcher.text[i].ptr)
			return bl_arena_printf(
				arena,
				"hook event `%s` does not accept a matcher",
				bl_everruns_event_name(hook->event));
	}
	return BL_STR("");
}

/* No message holds the secret, should it stand where its place is named. */
static struct bl_str check_webhook(struct bl_everruns_hook *hook,
				   struct bl_arena *arena)
{
	struct bl_webhook *webhook = &hook->webhook;
	struct bl_error why = { 0 };

	*webhook = (struct bl_webhook){ .ca_file = hook->ca_file };
	if (bl_http_url_parse(hook->command, arena, &webhook->url, &why) !=
	    BL_OK)
		return bl_arena_printf(arena,
				       "hook webhook url cannot be used: %s",
				       why.message);
	hook->command = webhook->url.text;
	if (!bl_webhook_read_secret(hook->secret_ref, webhook))
		return BL_STR("hook webhook hmac_secret_ref is neither "
			      "`file:/PATH` nor `env:NAME`");
	if (hook->ca_file.ptr && !bl_webhook_is_ca_file(hook->ca_file))
		return BL_STR("hook webhook ca_file must be an absolute path "
			      "without spaces and quotes");
	if (bl_value_is_defined(hook->addresses) &&
	    bl_webhook_read_addresses(hook->addresses, arena, webhook, &why) !=
		    BL_OK)
		return bl_arena_printf(
			arena, "hook webhook allow_addresses: %s", why.message);
	return BL_STR("");
}

static struct bl_str check_command(const struct bl_everruns_rules *rules,
				   struct bl_everruns_hook *hook,
				   struct bl_arena *arena)
{
	(void)rules;
	if (hook->is_webhook)
		return check_webhook(hook, arena);
	if (bl_everruns_trim(hook->command).len == 0)
		return BL_STR("hook bash command is empty");
	if (hook->command.len > BL_EVERRUNS_MAX_COMMAND_BYTES)
		return bl_arena_printf(
			arena, "hook bash command is longer than %d bytes",
			BL_EVERRUNS_MAX_COMMAND_BYTES);
	if (memchr(hook->command.ptr, 0, hook->command.len))
		return BL_STR("hook bash command holds a NUL character");
	return BL_STR("");
}

static struct bl_str check_env(const struct bl_everruns_rules *rules,
			       struct bl_everruns_hook *hook,
			       struct bl_arena *arena)
{
	(void)rules;
	if (bl_value_count(hook->env) <= BL_EVERRUNS_MAX_ENV)
		return BL_STR("");
	return bl_arena_printf(arena, "hook has more than %d env vars",
			       BL_EVERRUNS_MAX_ENV);
}

static struct bl_str check_lengths(const struct bl_everruns_rules *rules,
				   struct bl_everruns_hook *hook,
				   struct bl_arena *arena)
{
	(void)rules;
	for (size_t i = 0; i < BL_EVERRUNS_FIELD_COUNT; i++) {
		if (hook->matcher.text[i].len > BL_EVERRUNS_MAX_MATCHER_BYTES)
			return bl_arena_printf(arena,
					       "hook matcher field `%s` is "
					       "longer than %d bytes",
					       field_names[i],
					       BL_EVERRUNS_MAX_MATCHER_BYTES);
	}
	return BL_STR("");
}

static struct bl_str check_regexes(const struct bl_everruns_rules *rules,
				   struct bl_everruns_hook *hook,
				   struct bl_arena *arena)
{
	const struct bl_str *text = hook->matcher.text;
	struct bl_str pattern = text[BL_EVERRUNS_MATCH_REGEX];
	struct bl_error why;

	if (pattern.ptr && text[BL_EVERRUNS_DENY_REGEX].ptr)
		return BL_STR("hook has both match_regex and deny_regex set; "
			      "choose one");
	if (!pattern.ptr)
		pattern = text[BL_EVERRUNS_DENY_REGEX];
	if (!pattern.ptr)
		return BL_STR("");
	if (bl_regex_compile(arena, pattern, BL_REGEX_RE2, &hook->matcher.regex,
			     NULL, &why) != BL_OK)
		return bl_arena_printf(
			arena, "hook regex `%.*s` failed to compile: %s",
			BL_STR_ARG(pattern), why.message);
	if (!text[BL_EVERRUNS_ARGS_JSONPATH].ptr && !rules->regex_without_path)
		return BL_STR("hook regex never fires without args_jsonpath");
	return BL_STR("");
}

/* One star at the end at most, nothing else that a glob could mean. */
static bool is_simple(struct bl_str part)
{
	static const char special[] = "*?[]{}";

	if (part.ptr[part.len - 1] == '*')
		part.len--;
	for (size_t i = 0; i < part.len; i++) {
		if (part.ptr[i] && strchr(special, part.ptr[i]))
			return false;
	}
	return true;
}

static struct bl_str check_glob(const struct bl_everruns_rules *rules,
				struct bl_everruns_hook *hook,
				struct bl_arena *arena)
{
	struct bl_str glob = hook->matcher.text[BL_EVERRUNS_TOOL_NAME_GLOB];
	struct bl_str rest = glob;
	struct bl_str part;

	(void)rules;
	while (bl_everruns_next_alternative(&rest, &part)) {
		if (!is_simple(part))
			return bl_arena_printf(arena,
					       "hook tool_name_glob `%.*s` "
					       "contains unsupported syntax",
					       BL_STR_ARG(glob));
	}
	return BL_STR("");
}

static rule *const all_rules[] = {
	check_timeout, check_event,   check_command, check_env,
	check_lengths, check_regexes, check_glob,
};

struct bl_str bl_everruns_check(const struct bl_everruns_rules *rules,
				struct bl_everruns_hook *hook,
				struct bl_arena *arena)
{
	struct bl_str complaint = BL_STR("");

	hook->matcher.regex = NULL;
	for (size_t i = 0; i < BL_COUNT(all_rules); i++) {
		complaint = all_rules[i](rules, hook, arena);
		if (!complaint.ptr || complaint.len > 0)
			return complaint;
	}
	return complaint;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c: the text of a hook file: document, version, events. */
#include <float.h>

#include "sources/hooks/private.h"

/* Claude Code's names of events, as people bring them along. */
static const struct {
	const char *name;
	const char *hook_event; /* NULL: no event is like it */
} claude_events[] = {
	{ "PreToolUse", "preToolUse" },
	{ "PostToolUse", "postToolUse" },
	{ "PostToolUseFailure", "postToolUseFailure" },
	{ "UserPromptSubmit", "beforeSubmitPrompt" },
	{ "userPromptSubmit", "beforeSubmitPrompt" },
	{ "Stop", "stop" },
	{ "SubagentStart", "subagentStart" },
	{ "SubagentStop", "subagentStop" },
	{ "SessionStart", "sessionStart" },
	{ "SessionEnd", "sessionEnd" },
	{ "PreCompact", "preCompact" },
	{ "Notification", NULL },
	{ "PermissionRequest", NULL },
};

static const char *const top_keys[] = { "version", "hooks", NULL };

static void report(struct bl_hook_text *text, enum bl_hook_rule rule,
		   struct bl_place place, struct bl_str subject)
{
	struct bl_hook_finding finding = { .place = place, .subject = subject };

	bl_hook_report(text->diags, text->profile, text->text, rule, &finding);
}

static struct bl_str number(const struct bl_hook_text *text, uint64_t value)
{
	return bl_arena_printf(text->arena, "%llu", (unsigned long long)value);
}

/* An error of the file as a whole. */
static void refuse(struct bl_hook_text *text, enum bl_hook_rule rule,
		   struct bl_place place, struct bl_str subject)
{
	report(text, rule, place, subject);
	text->refused = true;
}

/* ---- names -------------------------------------------------------- */

const char *bl_hook_nearest(struct bl_str name, const char *const *names)
{
	const char *best = NULL;
	size_t best_distance = 3;

	for (size_t i = 0; names[i]; i++) {
		size_t distance = bl_str_distance(name, bl_str(names[i]));
		size_t most = strlen(names[i]) > 4 ? 2 : 1;

		if (distance <= most && distance < best_distance) {
			best_distance = distance;
			best = names[i];
		}
	}
	return best;
}

/* The event whose name is nearest, if near enough. */
static const struct bl_hook_event *
nearest_event(const struct bl_contract *contract, struct bl_str name)
{
	const struct bl_hook_event *best = NULL;
	size_t best_distance = 4;

	for (size_t i = 0; i < contract->event_count; i++) {
		const struct bl_hook_event *hook_event = &contract->events[i];
		size_t distance =
			bl_str_distance(name, bl_str(hook_event->name));

		if (distance < best_distance) {
			best_distance = distance;
			best = hook_event;
		}
	}
	return best;
}

/* The name of a profile that knows the event, or NULL. */
static const char *profile_with_event(struct bl_str name)
{
	const struct bl_profile *profile;

	for (size_t i = 0; (profile = bl_profile_at(i)); i++) {
		if (bl_contract_find(bl_contract_get(profile->dialect), name))
			return profile->name;
	}
	return NULL;
}

/* The name that the author of an unknown event may have meant; empty: not known. */
static struct bl_str event_hint(const struct bl_hook_text *text,
				struct bl_str name)
{
	const struct bl_hook_event *near;
	const char *profile = profile_with_event(name);

	if (profile)
		return bl_arena_printf(text->arena,
				       "profile %s knows this event", profile);
	for (size_t i = 0; i < BL_COUNT(claude_events); i++) {
		const char *hook_event = claude_events[i].hook_event;

		if (!bl_str_is(name, claude_events[i].name))
			continue;
		if (!hook_event)
			return BL_STR("it is an event of Claude Code that has "
				      "no counterpart");
		return bl_arena_printf(text->arena,
				       "this is Claude Code's name; here it is "
				       "called %s",
				       hook_event);
	}
	near = nearest_event(text->contract, name);
	if (near)
		return bl_arena_printf(text->arena, "did you mean %s?",
				       near->name);
	return (struct bl_str){ NULL, 0 };
}

/* ---- events -------------------------------------------------------- */

static void unknown_event(struct bl_hook_text *text, struct bl_str name,
			  struct bl_place place)
{
	struct bl_hook_finding finding = { .place = place,
					   .subject = name,
					   .hint = event_hint(text, name) };

	bl_hook_report(text->diags, text->profile, text->text,
		       BL_RULE_UNKNOWN_STEP, &finding);
}

/*
 * All entries of one event.  False when there is an error in the event itself or
 * in one of its entries; the entries of an unknown event are looked at for
 * their errors only.
 */
static bool parse_entries(struct bl_hook_text *text, struct bl_hook_at *at,
			  struct bl_value entries)
{
	size_t count = bl_value_count(entries);
	bool good = true;

	if (count > text->limits->hooks_per_event) {
		text->is_unread = true;
		report(text, BL_RULE_TOO_MANY_OF_STEP, at->place,
		       number(text, text->limits->hooks_per_event));
		return false;
	}
	for (at->index = 0; at->index < count; at->index++) {
		struct bl_hook hook = { .file = text->file,
					.hook_event = at->hook_event,
					.index = at->index };
		struct bl_value entry = bl_value_item(entries, at->index);
		bool skip = false;
		bool is_good;

		at->place =
			bl_json_value_place(text->places, entries, at->index);
		text->entry_count++;
		is_good = bl_hook_parse_entry(text, at, entry, &hook, &skip);
		bl_hook_note_guard(text, at->hook_event, entry, is_good);
		if (!is_good) {
			good = false;
			continue;
		}
		if (!at->hook_event || skip) {
			bl_backtrack_free(hook.backtrack);
			continue;
		}
		if (!bl_hook_list_add(&text->hooks, text->arena, &hook))
			bl_backtrack_free(hook.backtrack);
	}
	return good;
}

static bool parse_event(struct bl_hook_text *text, struct bl_value events,
			size_t i)
{
	struct bl_str name = bl_value_text(bl_object_key(events, i));
	struct bl_value entries = bl_object_value(events, i);
	struct bl_hook_at at = {
		.hook_event = bl_contract_find(text->contract, name),
		.event_name = name,
		.place = bl_json_value_place(text->places, events, i),
	};
	bool good = at.hook_event;

	if (!at.hook_event)
		unknown_event(text, name,
			      bl_json_key_place(text->places, events, i));
	if (!bl_value_is(entries, BL_KIND_ARRAY)) {
		text->is_unread = true;
		report(text, BL_RULE_STEP_ARRAY, at.place, name);
		return false;
	}
	return parse_entries(text, &at, entries) && good;
}

static void parse_events(struct bl_hook_text *text, struct bl_value events,
			 struct bl_place place)
{
	size_t count = bl_value_count(events);

	for (size_t i = 0; i < count; i++) {
		if (!parse_event(text, events, i) && !text->lenient)
			text->refused = true;
		if (text->entry_count > text->limits->hooks_per_file) {
			text->is_unread = true;
			refuse(text, BL_RULE_TOO_MANY_HOOKS, place,
			       number(text, text->limits->hooks_per_file));
			return;
		}
	}
}

/* ---- the document ------------------------------------------------- */

static size_t find_key(struct bl_value object, struct bl_str key)
{
	size_t count = bl_value_count(object);

	for (size_t i = 0; i < count; i++) {
		if (bl_str_equal(bl_value_text(bl_object_key(object, i)), key))
			return i;
	}
	return SIZE_MAX;
}

/* Where a top-level value is; where the document is when it is missing. */
static struct bl_place top_place(const struct bl_hook_text *text,
				 struct bl_value root, const char *key)
{
	size_t i = find_key(root, bl_str(key));

	if (i == SIZE_MAX)
		return bl_json_root_place(text->places);
	return bl_json_value_place(text->places, root, i);
}

bool bl_hook_is_count(struct bl_value value)
{
	double number = bl_number_to_double(value);

	return bl_value_is(value, BL_KIND_NUMBER) &&
	       bl_number_is_integral(value) && number >= 1 && number <= DBL_MAX;
}

static void check_version(struct bl_hook_text *text, struct bl_value root)
{
	struct bl_value version = bl_object_find(root, BL_STR("version"));
	struct bl_place place = top_place(text, root, "version");
	struct bl_str none = { NULL, 0 };

	/* Each rule by itself, as Cursor has them: a text breaks both. */
	if (!bl_value_is(version, BL_KIND_NUMBER))
		refuse(text, BL_RULE_VERSION_NUMBER, place, none);
	if (bl_value_is_defined(version) && !bl_hook_is_count(version))
		refuse(text, BL_RULE_VERSION_INTEGER, place, none);
}

/* An event's name at the top level, where people forget "hooks"; or empty. */
static struct bl_str misplaced_event(const struct bl_hook_text *text,
				     struct bl_value root)
{
	size_t count = bl_value_count(root);

	for (size_t i = 0; i < count; i++) {
		struct bl_str key = bl_value_text(bl_object_key(root, i));

		if (bl_contract_find(text->contract, key))
			return key;
	}
	return (struct bl_str){ NULL, 0 };
}

static void check_hooks(struct bl_hook_text *text, struct bl_value root)
{
	struct bl_value hooks = bl_object_find(root, BL_STR("hooks"));
	struct bl_place place = top_place(text, root, "hooks");
	struct bl_str misplaced = misplaced_event(text, root);

	text->is_unread |= !bl_value_is(hooks, BL_KIND_OBJECT);
	if (bl_value_is(hooks, BL_KIND_OBJECT))
		parse_events(text, hooks, place);
	else if (misplaced.len > 0)
		refuse(text, BL_RULE_HOOKS_MISPLACED, place, misplaced);
	else
		refuse(text, BL_RULE_HOOKS_OBJECT, place, misplaced);
}

/* Keys beside version and hooks: free, unless they look like a mistake. */
static void check_top_keys(struct bl_hook_text *text, struct bl_value root)
{
	size_t count = bl_value_count(root);

	for (size_t i = 0; i < count; i++) {
		struct bl_str key = bl_value_text(bl_object_key(root, i));
		struct bl_place place =
			bl_json_key_place(text->places, root, i);
		const char *near = bl_hook_nearest(key, top_keys);
		struct bl_hook_finding finding = { .place = place,
						   .subject = key };

		if (bl_str_is(key, "stop_hook_loop_limit"))
			report(text, BL_RULE_TOP_DEPRECATED, place, key);
		if (!near || bl_str_is(key, near))
			continue;
		finding.hint =
			bl_arena_printf(text->arena, "did you mean %s?", near);
		bl_hook_report(text->diags, text->profile, text->text,
			       BL_RULE_TOP_MISSPELT, &finding);
	}
}

static void check_root(struct bl_hook_text *text, struct bl_value root)
{
	if (!bl_value_is(root, BL_KIND_OBJECT)) {
		text->is_unread = true;
		refuse(text, BL_RULE_CONFIG_OBJECT,
		       bl_json_root_place(text->places),
		       (struct bl_str){ NULL, 0 });
		return;
	}
	check_version(text, root);
	check_top_keys(text, root);
	check_hooks(text, root);
}

/* ---- the JSON ----------------------------------------------------- */

/* Is it only the comments that make this text unreadable? */
static bool reads_with_comments(const struct bl_hook_text *text)
{
	struct bl_json_options options = { .allow_comments = true,
					   .allow_bom = true };
	struct bl_arena scratch;
	struct bl_value value;
	enum bl_status status;

	bl_arena_init(&scratch, NULL, 0, 0);
	status = bl_json_read(&scratch, text->text->text, &options, &value,
			      NULL, NULL, NULL);
	bl_arena_clear(&scratch);
	return status == BL_OK;
}

static void report_syntax(struct bl_hook_text *text, struct bl_place place,
			  const struct bl_error *err)
{
	enum bl_hook_rule rule = BL_RULE_SYNTAX;

	if (!text->profile->allow_comments && reads_with_comments(text))
		rule = BL_RULE_SYNTAX_COMMENTS;
	refuse(text, rule, place, bl_str(err->message));
}

static void report_oddities(struct bl_hook_text *text,
			    const struct bl_json_report *report_)
{
	struct bl_str none = { NULL, 0 };

	if (report_->repeated_key_count > 0 &&
	    bl_source_is_managed(text->source))
		refuse(text, BL_RULE_REPEATED_KEY_MANAGED,
		       report_->repeated_place, report_->repeated_key);
	else if (report_->repeated_key_count > 0)
		report(text, BL_RULE_REPEATED_KEY, report_->repeated_place,
		       report_->repeated_key);
	if (report_->had_lone_surrogate)
		report(text, BL_RULE_LONE_SURROGATE,
		       bl_json_root_place(text->places), none);
}

enum bl_status bl_hook_parse(struct bl_hook_text *text, struct bl_error *err)
{
	struct bl_json_places *places = NULL;
	struct bl_json_options options = {
		.allow_comments = text->profile->allow_comments,
		.allow_bom = true,
		.out_places = &places,
	};
	struct bl_json_report oddities = { 0 };
	struct bl_place place = { 0 };
	struct bl_error json_err = { 0 };
	struct bl_value root;
	enum bl_status status =
		bl_json_read(text->arena, text->text->text, &options, &root,
			     &oddities, &place, &json_err);

	if (bl_arena_status(text->arena) != BL_OK)
		return bl_arena_fail(text->arena, err);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(err);
	if (status != BL_OK) {
		text->is_unread = true;
		report_syntax(text, place, &json_err);
		return BL_OK;
	}
	text->places = places;
	report_oddities(text, &oddities);
	check_root(text, root);
	if (bl_arena_status(text->arena) != BL_OK)
		return bl_arena_fail(text->arena, err);
	return BL_OK;
}

/* ---- lists of hooks ----------------------------------------------- */

bool bl_hook_list_add(struct bl_hook_list *list, struct bl_arena *arena,
		      const struct bl_hook *hook)
{
	struct bl_hook *items = bl_arena_room(arena, list->items, list->count,
					      &list->cap, sizeof(*items));

	if (!items)
		return false;
	list->items = items;
	list->items[list->count++] = *hook;
	return true;
}

void bl_hook_list_clear(struct bl_hook_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		list->items[i].backtrack =
			bl_backtrack_free(list->items[i].backtrack);
	list->count = 0;
}

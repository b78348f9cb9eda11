/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.c: one hook of a hook file, field by field.
 *
 * Every key that means something is a row of fields[]; the rows' order is the
 * order in which errors are reported.
 */
#include "sources/hooks/private.h"

enum field_scope {
	FIELD_ALWAYS,
	FIELD_OPTION, /* where the profile has options */
	FIELD_TEAM,   /* in files of teams */
};

/* One known key: check gets its value, undefined when the key is absent. */
struct field {
	const char *name;
	void (*check)(struct bl_hook_entry *entry, struct bl_value value,
		      struct bl_place place);
	enum field_scope scope;
};

/* ---- reporting ---------------------------------------------------- */

static struct bl_str entry_name(const struct bl_hook_entry *entry)
{
	return bl_arena_printf(entry->text->arena, "%.*s[%zu]",
			       BL_STR_ARG(entry->at->event_name),
			       entry->at->index);
}

static void report_hint(struct bl_hook_entry *entry, enum bl_hook_rule rule,
			struct bl_place place, struct bl_str subject,
			struct bl_str hint)
{
	struct bl_hook_finding finding = { .place = place,
					   .subject = subject,
					   .at = entry_name(entry),
					   .hint = hint };

	if (bl_hook_report(entry->text->diags, entry->text->profile,
			   entry->text->text, rule, &finding))
		entry->good = false;
}

void bl_hook_entry_report(struct bl_hook_entry *entry, enum bl_hook_rule rule,
			  struct bl_place place, struct bl_str subject)
{
	report_hint(entry, rule, place, subject, (struct bl_str){ NULL, 0 });
}

static struct bl_str event_name(const struct bl_hook_entry *entry)
{
	return entry->at->event_name;
}

/* ---- fields --------------------------------------------------------- */

static void check_type(struct bl_hook_entry *entry, struct bl_value value,
		       struct bl_place place)
{
	struct bl_str text = bl_value_text(value);

	if (!bl_value_is_defined(value) || bl_str_is(text, "command"))
		return;
	if (bl_str_is(text, "prompt"))
		entry->hook->type = BL_HOOK_PROMPT;
	else if (bl_str_is(text, "webhook"))
		bl_hook_entry_begin_webhook(entry);
	else
		bl_hook_entry_report(entry, BL_RULE_TYPE, place, text);
}

/* Keys that people use for command: other tools' names. */
static const char *const command_aliases[] = {
	"cmd", "script", "bash", "powershell", "run", "shell", NULL,
};

/* Why there is no command: the row with the hint that fits. */
static void report_no_command(struct bl_hook_entry *entry,
			      struct bl_place place)
{
	struct bl_value value = entry->value;
	struct bl_str none = { NULL, 0 };

	if (bl_value_is(bl_object_find(value, BL_STR("hooks")),
			BL_KIND_ARRAY)) {
		bl_hook_entry_report(entry, BL_RULE_COMMAND_GROUP, place, none);
		return;
	}
	for (size_t i = 0; command_aliases[i]; i++) {
		struct bl_str alias = bl_str(command_aliases[i]);

		if (bl_value_is(bl_object_find(value, alias), BL_KIND_STRING)) {
			bl_hook_entry_report(entry, BL_RULE_COMMAND_ALIAS,
					     place, alias);
			return;
		}
	}
	bl_hook_entry_report(entry, BL_RULE_COMMAND_STRING, place, none);
}

/* Other tools put the event in there. */
#define PLACEHOLDERS(field) "${" field "}", "{{" field "}}"

static const char *const placeholders[] = {
	PLACEHOLDERS("command"),   PLACEHOLDERS("file_path"),
	PLACEHOLDERS("tool_name"), PLACEHOLDERS("tool_input"),
	PLACEHOLDERS("prompt"),    PLACEHOLDERS("content"),
	PLACEHOLDERS("file"),      PLACEHOLDERS("input"),
};

static void warn_of_placeholder(struct bl_hook_entry *entry,
				struct bl_str command, struct bl_place place)
{
	if (!command.len || !memchr(command.ptr, '{', command.len))
		return;
	for (size_t i = 0; i < BL_COUNT(placeholders); i++) {
		struct bl_str word = bl_str(placeholders[i]);

		if (bl_str_find(command, word, 0) != SIZE_MAX)
			bl_hook_entry_report(entry, BL_RULE_PLACEHOLDER, place,
					     word);
	}
}

static void check_command(struct bl_hook_entry *entry, struct bl_value value,
			  struct bl_place place)
{
	struct bl_str text = bl_value_text(value);
	bool is_prompt = entry->hook->type == BL_HOOK_PROMPT;

	if (entry->hook->type != BL_HOOK_COMMAND && !bl_value_is_defined(value))
		return;
	if (entry->hook->type == BL_HOOK_WEBHOOK) {
		bl_hook_entry_report(entry, BL_RULE_WEBHOOK_COMMAND, place,
				     BL_STR("command"));
		return;
	}
	if (!bl_value_is(value, BL_KIND_STRING)) {
		report_no_command(entry, place);
		return;
	}
	entry->hook->command = text;
	warn_of_placeholder(entry, text, place);
	if (text.len > 0 && memchr(text.ptr, '\0', text.len))
		bl_hook_entry_report(entry, BL_RULE_COMMAND_NUL, place, text);
	else if (!is_prompt && bl_str_trim(text).len == 0)
		bl_hook_entry_report(entry, BL_RULE_COMMAND_EMPTY, place, text);
}

static void check_prompt(struct bl_hook_entry *entry, struct bl_value value,
			 struct bl_place place)
{
	if (entry->hook->type != BL_HOOK_PROMPT)
		return;
	entry->hook->prompt = bl_value_text(value);
	if (bl_value_is(value, BL_KIND_STRING))
		bl_hook_entry_report(entry, BL_RULE_PROMPT_NOT_RUN, place,
				     (struct bl_str){ NULL, 0 });
	else
		bl_hook_entry_report(entry, BL_RULE_PROMPT_STRING, place,
				     (struct bl_str){ NULL, 0 });
}

static void check_model(struct bl_hook_entry *entry, struct bl_value value,
			struct bl_place place)
{
	entry->hook->model = bl_value_text(value);
	if (bl_value_is_defined(value) && !bl_value_is(value, BL_KIND_STRING))
		bl_hook_entry_report(entry, BL_RULE_MODEL, place,
				     (struct bl_str){ NULL, 0 });
}

enum { SUSPICIOUS_TIMEOUT_S = 1000 };

static void check_timeout(struct bl_hook_entry *entry, struct bl_value value,
			  struct bl_place place)
{
	double milliseconds = bl_number_to_double(value) * 1000;
	struct bl_buf spelling;

	entry->hook->timeout_ms = entry->text->profile->default_timeout_ms;
	if (!bl_value_is_defined(value))
		return;
	if (!bl_value_is(value, BL_KIND_NUMBER) || !(milliseconds > 0)) {
		bl_hook_entry_report(entry, BL_RULE_TIMEOUT, place,
				     (struct bl_str){ NULL, 0 });
		return;
	}
	bl_buf_init(&spelling, 0);
	bl_number_put(&spelling, value);
	if (milliseconds > BL_HOOK_MAX_TIMEOUT_MS)
		bl_hook_entry_report(entry, BL_RULE_TIMEOUT_LONG, place,
				     bl_buf_str(&spelling));
	else if (milliseconds >= SUSPICIOUS_TIMEOUT_S * 1000.0)
		bl_hook_entry_report(entry, BL_RULE_TIMEOUT_UNIT, place,
				     bl_buf_str(&spelling));
	bl_buf_clear(&spelling);
	if (milliseconds > BL_HOOK_MAX_TIMEOUT_MS)
		milliseconds = BL_HOOK_MAX_TIMEOUT_MS;
	/* Not 0, which would mean "none". */
	entry->hook->timeout_ms = milliseconds < 1 ? 1 : (uint32_t)milliseconds;
}

static void check_loop_limit(struct bl_hook_entry *entry, struct bl_value value,
			     struct bl_place place)
{
	double number = bl_number_to_double(value);
	bool is_null = bl_value_is(value, BL_KIND_NULL);

	entry->hook->has_loop_limit = !is_null;
	entry->hook->loop_limit = entry->text->profile->default_loop_limit;
	if (!bl_value_is_defined(value))
		return;
	if (!is_null && !bl_hook_is_count(value)) {
		bl_hook_entry_report(entry, BL_RULE_LOOP_LIMIT, place,
				     (struct bl_str){ NULL, 0 });
		return;
	}
	if (!is_null)
		entry->hook->loop_limit =
			number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
	if (entry->at->hook_event && !entry->at->hook_event->has_loop_limit)
		bl_hook_entry_report(entry, BL_RULE_LOOP_LIMIT_STEP, place,
				     event_name(entry));
}

static void check_fail_closed(struct bl_hook_entry *entry,
			      struct bl_value value, struct bl_place place)
{
	entry->hook->fail_closed = bl_value_is_true(value);
	if (bl_value_is_defined(value) && !bl_value_is(value, BL_KIND_BOOLEAN))
		bl_hook_entry_report(entry, BL_RULE_FAIL_CLOSED, place,
				     (struct bl_str){ NULL, 0 });
}

static void check_matcher(struct bl_hook_entry *entry, struct bl_value value,
			  struct bl_place place)
{
	entry->hook->matcher = bl_value_text(value);
	if (!bl_value_is_defined(value))
		return;
	if (!bl_value_is(value, BL_KIND_STRING))
		bl_hook_entry_report(entry, BL_RULE_MATCHER_STRING, place,
				     (struct bl_str){ NULL, 0 });
	else if (!bl_hook_compile_matcher(entry->text, entry->at, place,
					  entry->hook))
		entry->good = false;
}

/* A key of ours: every profile has it, and an unknown name is an error. */
static void check_sandbox(struct bl_hook_entry *entry, struct bl_value value,
			  struct bl_place place)
{
	struct bl_sandbox_request request = { 0 };
	struct bl_buf names;

	if (!bl_value_is_defined(value))
		return;
	if (entry->hook->type == BL_HOOK_WEBHOOK)
		bl_hook_entry_report(entry, BL_RULE_WEBHOOK_SANDBOX, place,
				     BL_STR("sandbox"));
	if (bl_value_is(value, BL_KIND_STRING) &&
	    bl_sandbox_parse(bl_value_text(value), &request)) {
		entry->hook->sandbox = request.profile;
		entry->hook->sandbox_network = request.network;
		return;
	}
	bl_buf_init(&names, 0);
	bl_sandbox_print_names(&names);
	bl_hook_entry_report(entry, BL_RULE_SANDBOX, place, bl_buf_str(&names));
	bl_buf_clear(&names);
}

/*
 * The names of systems in team files (docs/contracts/cursor-2.3.41.md "Sources").
 */
static const char *const system_names[BL_PLATFORM_COUNT] = {
	[BL_PLATFORM_LINUX] = "Linux",
	[BL_PLATFORM_MACOS] = "Macintosh",
	[BL_PLATFORM_WINDOWS] = "Windows",
};

static bool is_system_name(struct bl_str name)
{
	for (size_t i = 0; i < BL_PLATFORM_COUNT; i++) {
		if (bl_str_is(name, system_names[i]))
			return true;
	}
	return false;
}

/* An empty list means all systems. */
static void check_systems(struct bl_hook_entry *entry, struct bl_value value,
			  struct bl_place place)
{
	size_t count = bl_value_count(value);
	const char *here = system_names[bl_os_platform()];
	bool is_for_here = count == 0;

	if (!bl_value_is_defined(value))
		return;
	if (!bl_field_type_accepts(BL_FIELD_STRINGS, value)) {
		bl_hook_entry_report(entry, BL_RULE_SYSTEMS, place,
				     (struct bl_str){ NULL, 0 });
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct bl_str name = bl_value_text(bl_value_item(value, i));

		/* A name that nobody knows may be this system's, misspelt. */
		is_for_here = is_for_here || bl_str_is(name, here) ||
			      !is_system_name(name);
		if (!is_system_name(name))
			bl_hook_entry_report(entry, BL_RULE_SYSTEMS_NAME, place,
					     name);
	}
	entry->skip = !is_for_here;
}

/* type comes first: it says what the others have to be. */
static const struct field fields[] = {
	{ "type", check_type, FIELD_OPTION },
	{ "command", check_command, FIELD_ALWAYS },
	{ "prompt", check_prompt, FIELD_OPTION },
	{ "model", check_model, FIELD_OPTION },
	{ "timeout", check_timeout, FIELD_OPTION },
	{ "loop_limit", check_loop_limit, FIELD_OPTION },
	{ "failClosed", check_fail_closed, FIELD_OPTION },
	{ "matcher", check_matcher, FIELD_OPTION },
	{ "url", bl_hook_entry_check_url, FIELD_OPTION },
	{ "secret", bl_hook_entry_check_secret, FIELD_OPTION },
	{ "ca_file", bl_hook_entry_check_ca_file, FIELD_OPTION },
	{ "allow_addresses", bl_hook_entry_check_addresses, FIELD_OPTION },
	{ "sandbox", check_sandbox, FIELD_ALWAYS },
	{ "operating_systems", check_systems, FIELD_TEAM },
};

/* ---- keys that mean nothing ----------------------------------------- */

/* Other spellings that are too far from the right one for a guess. */
static const struct {
	const char *wrong;
	const char *right;
} aliases[] = {
	{ "pattern", "matcher" },        { "match", "matcher" },
	{ "fail_closed", "failClosed" }, { "timeoutSec", "timeout" },
	{ "timeout_sec", "timeout" },    { "timeoutMs", "timeout" },
	{ "timeout_ms", "timeout" },     { "loopLimit", "loop_limit" },
	{ "endpoint", "url" },           { "hmac_secret", "secret" },
	{ "hmac_secret_ref", "secret" }, { "secret_ref", "secret" },
	{ "cacert", "ca_file" },
};

/* Keys of other tools, and what does here what they do there. */
static const struct {
	const char *name;
	const char *hint;
} foreign[] = {
	{ "args", "put the arguments behind the command, in one line" },
	{ "arguments", "put the arguments behind the command, in one line" },
	{ "enabled", "the hook runs: take the entry away to switch it off" },
	{ "disabled", "the hook runs: take the entry away to switch it off" },
	{ "scripts", "write one entry with a \"command\" for each script" },
	{ "if", "the hook runs whatever it says: use \"matcher\"" },
	{ "async", "belay waits for every hook" },
	{ "cwd", "go there in the command: cd DIR && ..." },
	{ "shell", "/bin/sh runs it: name another shell in the command" },
	{ "onFailure", "\"failClosed\": true refuses when the hook fails" },
	{ "continueOnError", "\"failClosed\" says what a failure means" },
};

static const char *foreign_hint(struct bl_str key)
{
	for (size_t i = 0; i < BL_COUNT(foreign); i++)
		if (bl_str_is(key, foreign[i].name))
			return foreign[i].hint;
	return NULL;
}

/* Is the row one of this file's keys? */
static bool applies(const struct bl_hook_entry *entry,
		    const struct field *field)
{
	switch (field->scope) {
	case FIELD_OPTION:
		return entry->text->profile->has_options;
	case FIELD_TEAM:
		return entry->text->source == BL_SOURCE_TEAM;
	case FIELD_ALWAYS:
		break;
	}
	return true;
}

static const struct field *find_field(struct bl_str key)
{
	for (size_t i = 0; i < BL_COUNT(fields); i++) {
		if (bl_str_is(key, fields[i].name))
			return &fields[i];
	}
	return NULL;
}

/* The known key that was probably meant, or NULL. */
static const char *meant_key(const struct bl_hook_entry *entry,
			     struct bl_str key)
{
	const char *names[BL_COUNT(fields) + 1];
	size_t count = 0;

	for (size_t i = 0; i < BL_COUNT(aliases); i++) {
		const struct field *field =
			find_field(bl_str(aliases[i].right));

		if (bl_str_is(key, aliases[i].wrong) && applies(entry, field))
			return field->name;
	}
	for (size_t i = 0; i < BL_COUNT(fields); i++) {
		if (applies(entry, &fields[i]))
			names[count++] = fields[i].name;
	}
	names[count] = NULL;
	return bl_hook_nearest(key, names);
}

static void check_extra_key(struct bl_hook_entry *entry, struct bl_str key,
			    struct bl_place place)
{
	const struct field *field = find_field(key);
	const char *meant;

	if (field && applies(entry, field))
		return;
	if (field && field->scope == FIELD_OPTION) {
		bl_hook_entry_report(entry, BL_RULE_NO_EFFECT, place, key);
		return;
	}
	meant = foreign_hint(key);
	if (meant) {
		report_hint(entry, BL_RULE_FOREIGN_KEY, place, key,
			    bl_str(meant));
		return;
	}
	meant = meant_key(entry, key);
	if (meant)
		report_hint(entry, BL_RULE_MISSPELT, place, key,
			    bl_arena_printf(entry->text->arena,
					    "did you mean %s?", meant));
}

/* ---- the entry ------------------------------------------------------ */

/* The member's index, or SIZE_MAX. */
static size_t find_member(struct bl_value object, const char *name)
{
	size_t count = bl_value_count(object);

	for (size_t i = 0; i < count; i++) {
		if (bl_str_is(bl_value_text(bl_object_key(object, i)), name))
			return i;
	}
	return SIZE_MAX;
}

static void check_field(struct bl_hook_entry *entry, const struct field *field)
{
	size_t i = find_member(entry->value, field->name);
	struct bl_place place = entry->at->place;
	struct bl_value value = bl_value_undefined();

	if (i != SIZE_MAX && applies(entry, field)) {
		value = bl_object_value(entry->value, i);
		place = bl_json_value_place(entry->text->places, entry->value,
					    i);
	}
	field->check(entry, value, place);
}

bool bl_hook_parse_entry(struct bl_hook_text *text, const struct bl_hook_at *at,
			 struct bl_value value, struct bl_hook *out_hook,
			 bool *out_skip)
{
	struct bl_hook_entry entry = { .text = text,
				       .at = at,
				       .value = value,
				       .hook = out_hook,
				       .good = true };
	size_t count = bl_value_count(value);

	if (!bl_value_is(value, BL_KIND_OBJECT)) {
		bl_hook_entry_report(&entry, BL_RULE_ENTRY_OBJECT, at->place,
				     (struct bl_str){ NULL, 0 });
		return false;
	}
	for (size_t i = 0; i < BL_COUNT(fields); i++)
		check_field(&entry, &fields[i]);
	for (size_t i = 0; i < count; i++)
		check_extra_key(&entry, bl_value_text(bl_object_key(value, i)),
				bl_json_key_place(text->places, value, i));
	if (!entry.good)
		out_hook->backtrack = bl_backtrack_free(out_hook->backtrack);
	*out_skip = entry.skip;
	return entry.good;
}

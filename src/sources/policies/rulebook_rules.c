/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rulebook_rules.c: the sections "rules" and "exceptions" of a rulebook
 * (docs/formats/rulebook.md), checked and compiled to what own_rules.c compares.
 * It stands apart from rulebook.c because what is written here is a language of
 * its own; what is wrong in it is named with its line and what to write.
 */
#include <stdarg.h>

#include "base/ascii.h"
#include "packs/packs.h"
#include "sources/policies/patterns.h"
#include "sources/policies/rulebook_keys.h"

enum { MAX_RULES = 1000, MAX_ID_BYTES = 48 };

/* One entry of a section on its way. */
struct entry {
	struct rulebook_reader *r;
	struct bl_value object; /* as it was written */
	struct bl_value at;     /* the text whose line findings name */
	struct bl_object_builder made;
	bool is_broken;
};

static void BL_PRINTF(3, 4)
	complain(struct entry *e, const char *code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	rulebook_error(e->r, code, e->at, "%s",
		       bl_arena_vprintf(e->r->arena, fmt, args).ptr);
	va_end(args);
	e->is_broken = true;
}

/* The key of the list that text is most like; empty: like none of them. */
static struct bl_str guess_key(struct bl_str text,
			       const struct rulebook_key *keys, size_t count)
{
	struct bl_str best = BL_STR("");
	size_t distance = 3;

	for (size_t i = 0; i < count; i++) {
		size_t edits = bl_str_distance(text, bl_str(keys[i].name));

		if (edits < distance) {
			distance = edits;
			best = bl_str(keys[i].name);
		}
	}
	return best;
}

/* Every key is known, and is a text or what the table says. */
static void check_keys(struct entry *e, struct bl_value object,
		       enum rulebook_owner owner)
{
	size_t count;
	const struct rulebook_key *keys = rulebook_keys_of(owner, &count);

	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_value key = bl_object_key(object, i);
		struct bl_value value = bl_object_value(object, i);
		struct bl_str name = bl_value_text(key);
		struct bl_str near = guess_key(name, keys, count);
		size_t row = 0;

		while (row < count && !bl_str_is(name, keys[row].name))
			row++;
		e->at = key;
		if (row == count)
			complain(e, "rulebook/unknown-key",
				 "%.*s is not a key here%s%.*s%s",
				 BL_STR_ARG(name),
				 near.len ? "; did you mean " : "",
				 BL_STR_ARG(near), near.len ? "?" : "");
		else if (keys[row].shape == RULEBOOK_TEXT &&
			 !bl_str_trim(bl_value_text(value)).len)
			complain(e, "rulebook/type", "%.*s must be a text",
				 BL_STR_ARG(name));
		else if (keys[row].shape == RULEBOOK_FLAG &&
			 !bl_value_is(value, BL_KIND_BOOLEAN))
			complain(e, "rulebook/type",
				 "%.*s must be true or false",
				 BL_STR_ARG(name));
	}
}

static struct bl_value given(const struct entry *e, const char *name)
{
	return bl_object_find(e->object, bl_str(name));
}

static void keep(struct entry *e, const char *name, struct bl_value value)
{
	bl_object_builder_add(&e->made, bl_str(name), value);
}

/* Copies the texts of these keys, those that are there. */
static void keep_texts(struct entry *e, const char *const *names)
{
	for (; *names; names++)
		keep(e, *names, given(e, *names));
}

/* ---- patterns ------------------------------------------------------------------- */

static enum bl_status keep_pattern(struct entry *e, struct bl_value text)
{
	struct bl_error problem = { 0 };
	struct bl_value pattern = bl_value_undefined();
	enum bl_status status = policy_pattern_read(
		e->r->arena, bl_value_text(text),
		bl_value_is_true(given(e, "known")), &pattern, &problem);

	if (status == BL_NO_MEMORY)
		return bl_fail_memory(e->r->err);
	if (status) {
		if (rulebook_line(e->r, text))
			e->at = text;
		complain(e, "rulebook/pattern", "%s", problem.message);
	}
	keep(e, "pattern", pattern);
	return BL_OK;
}

static struct bl_str first_line_of(struct bl_str text)
{
	return bl_str_slice(text, 0, bl_str_find(text, BL_STR("\n"), 0));
}

/* A glob over paths: no `.` and `..`, and not the whole machine by mistake. */
static void check_glob(struct entry *e, struct bl_str subject,
		       struct bl_str glob)
{
	bool is_path =
		!bl_str_is(subject, "mcp") && !bl_str_is(subject, "host");

	if (bl_str_is(subject, "mcp") &&
	    bl_str_find(glob, BL_STR("."), 0) == SIZE_MAX)
		complain(e, "rulebook/pattern",
			 "mcp: \"%.*s\" names no tool: write SERVER.TOOL, as "
			 "in \"%.*s.*\"",
			 BL_STR_ARG(glob), BL_STR_ARG(glob));
	if (bl_str_is(subject, "host") && (memchr(glob.ptr, '/', glob.len) ||
					   memchr(glob.ptr, ' ', glob.len)))
		complain(e, "rulebook/pattern",
			 "host: \"%.*s\" can never match: write the name of "
			 "the host alone, as in \"x.example\"",
			 BL_STR_ARG(glob));
	if (is_path && bl_str_find(glob, BL_STR("$"), 0) != SIZE_MAX)
		complain(e, "rulebook/pattern",
			 "%.*s: \"%.*s\" can never match: a path holds no "
			 "variables; write ~/ for the home folder",
			 BL_STR_ARG(subject), BL_STR_ARG(glob));
}

static struct bl_str mcp_glob(struct bl_arena *arena, struct bl_str glob)
{
	size_t slash = bl_str_find(glob, BL_STR("/"), 0);

	return slash == SIZE_MAX
		       ? glob
		       : bl_arena_printf(arena, "%.*s.%.*s", (int)slash,
					 glob.ptr, (int)(glob.len - slash - 1),
					 glob.ptr + slash + 1);
}

static enum bl_status keep_subject(struct entry *e, struct bl_str subject,
				   struct bl_value text)
{
	struct bl_str glob = bl_str_trim(bl_value_text(text));

	keep(e, "subject", bl_value_string(subject));
	keep(e, "text", bl_value_string(first_line_of(glob)));
	if (bl_str_is(subject, "command"))
		return keep_pattern(e, text);
	if (!glob.len)
		complain(e, "rulebook/pattern", "the pattern of %.*s is empty",
			 BL_STR_ARG(subject));
	if (bl_str_is(subject, "mcp"))
		glob = mcp_glob(e->r->arena, glob);
	else
		check_glob(e, subject, glob);
	if (bl_str_is(subject, "mcp"))
		check_glob(e, subject, glob);
	keep(e, "glob", bl_value_string(glob));
	return BL_OK;
}

/* deny: "terraform destroy", or deny: {write: "migrations"}. */
static enum bl_status read_action(struct entry *e, struct bl_value action)
{
	struct bl_str subject;

	if (bl_value_is(action, BL_KIND_STRING))
		return keep_subject(e, BL_STR("command"), action);
	if (!bl_value_is(action, BL_KIND_OBJECT) ||
	    bl_value_count(action) != 1) {
		complain(e, "rulebook/pattern",
			 "a rule is about one thing: a command as text, or one "
			 "of {command, read, write, delete, mcp, host: "
			 "PATTERN}");
		return BL_OK;
	}
	check_keys(e, action, RULEBOOK_OF_ACTION);
	if (e->is_broken)
		return BL_OK;
	subject = bl_value_text(bl_object_key(action, 0));
	return keep_subject(e, subject, bl_object_value(action, 0));
}

/* ---- rules ------------------------------------------------------------------------ */

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* "own/terraform-destroy": what the log and the refusal call the rule. */
static struct bl_str name_of(struct entry *e, struct bl_str text)
{
	char name[MAX_ID_BYTES];
	size_t len = 0;

	for (size_t i = 0; i < text.len && len < sizeof(name); i++) {
		char c = text.ptr[i];

		c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		if (is_word_char(c))
			name[len++] = c;
		else if (len && name[len - 1] != '-')
			name[len++] = '-';
	}
	while (len && name[len - 1] == '-')
		len--;
	return bl_arena_printf(e->r->arena, "own/%.*s", (int)len, name);
}

/* "write migrations", "terraform destroy". */
static struct bl_str usual_name(struct entry *e, struct bl_value action)
{
	struct bl_str subject;
	struct bl_str text;

	if (!bl_value_is(action, BL_KIND_OBJECT) || !bl_value_count(action))
		return bl_value_text(action);
	subject = bl_value_text(bl_object_key(action, 0));
	text = bl_value_text(bl_object_value(action, 0));
	return bl_arena_printf(e->r->arena, "%.*s %.*s", BL_STR_ARG(subject),
			       BL_STR_ARG(text));
}

static const char *const rule_verbs[] = { "deny", "ask", "allow" };

/* The one key of deny, ask, allow that the entry has; NULL: not one. */
static const char *verb_of(struct entry *e)
{
	const char *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < BL_COUNT(rule_verbs); i++)
		if (bl_value_is_defined(given(e, rule_verbs[i]))) {
			found = rule_verbs[i];
			count++;
		}
	if (count != 1)
		complain(e, "rulebook/rule",
			 "a rule has one of deny, ask and allow, and this one "
			 "has %s",
			 count ? "more" : "none");
	return count == 1 ? found : NULL;
}

static enum bl_status read_rule(struct entry *e)
{
	static const char *const texts[] = { "to", "reason", "instead", NULL };
	const char *verb = verb_of(e);
	struct bl_value action = verb ? given(e, verb) : bl_value_undefined();
	struct bl_str name = bl_value_text(given(e, "name"));
	enum bl_status status;

	if (!verb)
		return BL_OK;
	if (!name.len)
		name = usual_name(e, action);
	keep(e, "verb", bl_value_string(bl_str(verb)));
	keep(e, "id", bl_value_string(name_of(e, name)));
	keep_texts(e, texts);
	status = read_action(e, action);
	if (!status && bl_value_is_defined(given(e, "to")) &&
	    !bl_value_is(action, BL_KIND_STRING) &&
	    !bl_value_is_defined(bl_object_find(action, BL_STR("command"))))
		complain(e, "rulebook/rule",
			 "to: is about a command: write host: for an address");
	return status;
}

/* ---- exceptions --------------------------------------------------------------------- */

/* Is it a rule of the packs, or one of the packs? */
static bool is_rule(struct bl_value rules, struct bl_str name,
		    struct bl_str *out_near)
{
	size_t distance = 4;

	for (size_t i = 0; i < bl_value_count(rules); i++) {
		struct bl_str id = bl_value_text(bl_object_key(rules, i));
		size_t edits = bl_str_distance(name, id);

		if (bl_str_equal(id, name) ||
		    (bl_str_has_prefix(id, name) && id.len > name.len &&
		     id.ptr[name.len] == '/'))
			return true;
		if (edits < distance) {
			distance = edits;
			*out_near = id;
		}
	}
	return false;
}

static enum bl_status check_rule_name(struct entry *e)
{
	struct bl_str name = bl_value_text(given(e, "rule"));
	struct bl_str near = BL_STR("");
	struct bl_value rules;
	enum bl_status status = bl_packs_rules(e->r->arena, &rules, e->r->err);

	if (status || is_rule(rules, name, &near))
		return status;
	if (!near.len)
		complain(e, "rulebook/exception",
			 "there is no rule '%.*s': see 'belay packs list'",
			 BL_STR_ARG(name));
	else
		complain(e, "rulebook/exception",
			 "there is no rule '%.*s'; did you mean '%.*s'?",
			 BL_STR_ARG(name), BL_STR_ARG(near));
	return BL_OK;
}

/* "2026-12-31": a day that there is; through its end, in UTC. */
static bool is_date(struct bl_str text)
{
	static const int days[] = { 31, 29, 31, 30, 31, 30,
				    31, 31, 30, 31, 30, 31 };
	int month;
	int day;

	if (text.len != 10)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (i == 4 || i == 7 ? text.ptr[i] != '-'
				     : !bl_ascii_is_digit(text.ptr[i]))
			return false;
	month = (text.ptr[5] - '0') * 10 + text.ptr[6] - '0';
	day = (text.ptr[8] - '0') * 10 + text.ptr[9] - '0';
	return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

static void check_expiry(struct entry *e)
{
	struct bl_value value = given(e, "expires");
	struct bl_str text = bl_value_text(value);
	char now[BL_OS_TIME_TEXT_BYTES];

	if (!bl_value_is_defined(value))
		return;
	if (rulebook_line(e->r, value))
		e->at = value;
	if (!is_date(text)) {
		complain(e, "rulebook/exception",
			 "expires must be a day, as in 2026-12-31");
		return;
	}
	bl_os_format_time(bl_os_wall_ms(), now);
	if (bl_str_compare(text, (struct bl_str){ now, 10 }) < 0)
		rulebook_warn(e->r, "rulebook/expired", e->at,
			      "this exception ended on %.*s and does not count "
			      "any more: take it out, or give it another day",
			      BL_STR_ARG(text));
}

static enum bl_status read_exception(struct entry *e)
{
	static const char *const texts[] = { "rule",   "path",    "ref", "host",
					     "reason", "expires", NULL };
	struct bl_value command = given(e, "command");
	bool is_narrow = bl_value_is_defined(command) ||
			 bl_value_is_defined(given(e, "path")) ||
			 bl_value_is_defined(given(e, "ref")) ||
			 bl_value_is_defined(given(e, "host"));
	enum bl_status status = BL_OK;

	if (!bl_value_is_defined(given(e, "rule")))
		complain(e, "rulebook/exception",
			 "an exception names its rule, as in rule: "
			 "git/force-push");
	else
		status = check_rule_name(e);
	if (!bl_value_is_defined(given(e, "reason")))
		complain(e, "rulebook/exception",
			 "an exception needs a reason: why is it safe?");
	if (!is_narrow)
		complain(e, "rulebook/exception",
			 "an exception needs one of command, path, ref and "
			 "host; modes: switches a whole rule off");
	keep_texts(e, texts);
	if (!status && bl_value_is_defined(command))
		status = keep_pattern(e, command);
	check_expiry(e);
	return status;
}

/* ---- lists of entries ---------------------------------------------------------------- */

/* The line of the first key of the entry. */
static void keep_line(struct entry *e)
{
	uint32_t line = UINT32_MAX;

	for (size_t i = 0; i < bl_value_count(e->object); i++) {
		uint32_t own = rulebook_line(e->r, bl_object_key(e->object, i));

		line = own && own < line ? own : line;
	}
	keep(e, "line", bl_value_integer(line == UINT32_MAX ? 0 : line));
}

static enum bl_status read_list(struct rulebook_reader *r, struct bl_value key,
				struct bl_value section,
				enum rulebook_owner owner,
				struct bl_value *out_list)
{
	struct bl_array_builder list;
	enum bl_status status = BL_OK;

	bl_array_builder_init(&list, r->arena);
	if (!bl_value_is(section, BL_KIND_ARRAY) ||
	    bl_value_count(section) > MAX_RULES) {
		struct bl_str name = bl_value_text(key);

		rulebook_error(r, "rulebook/type", key,
			       "%.*s must be a list of at most %d entries",
			       BL_STR_ARG(name), MAX_RULES);
		return BL_OK;
	}
	for (size_t i = 0; !status && i < bl_value_count(section); i++) {
		struct entry e = { .r = r,
				   .object = bl_value_item(section, i),
				   .at = key };

		if (!bl_value_is(e.object, BL_KIND_OBJECT)) {
			complain(&e, "rulebook/type",
				 "entry %zu is not a mapping, as in {deny: "
				 "\"terraform destroy\"}",
				 i + 1);
			continue;
		}
		bl_object_builder_init(&e.made, r->arena);
		check_keys(&e, e.object, owner);
		if (e.is_broken)
			continue;
		if (bl_value_count(e.object))
			e.at = bl_object_key(e.object, 0);
		keep_line(&e);
		status = owner == RULEBOOK_OF_RULE ? read_rule(&e)
						   : read_exception(&e);
		if (!e.is_broken)
			bl_array_builder_add(&list,
					     bl_object_builder_end(&e.made));
	}
	*out_list = bl_array_builder_end(&list);
	return status;
}

enum bl_status rulebook_read_rules(struct rulebook_reader *r,
				   struct bl_value key, struct bl_value section)
{
	return read_list(r, key, section, RULEBOOK_OF_RULE, &r->rules);
}

enum bl_status rulebook_read_exceptions(struct rulebook_reader *r,
					struct bl_value key,
					struct bl_value section)
{
	return read_list(r, key, section, RULEBOOK_OF_EXCEPTION,
			 &r->exceptions);
}

/* ---- protect ---------------------------------------------------------------------------- */

/* A folder stands for all in it: "migrations/ **" is "migrations". */
static struct bl_str without_stars(struct bl_str path)
{
	if (bl_str_has_suffix(path, BL_STR("/**")))
		path.len -= 3;
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

static struct bl_value read_texts(struct entry *e, const char *name,
				  bool are_paths)
{
	struct bl_value list = given(e, name);
	struct bl_array_builder made;

	bl_array_builder_init(&made, e->r->arena);
	if (bl_value_is_defined(list) && !bl_value_is(list, BL_KIND_ARRAY))
		complain(e, "rulebook/type",
			 "protect.%s must be a list of texts", name);
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_str text =
			bl_str_trim(bl_value_text(bl_value_item(list, i)));
		struct bl_str path = without_stars(text);

		if (!text.len)
			complain(e, "rulebook/type",
				 "protect.%s: an entry is empty", name);
		else if (are_paths &&
			 bl_str_find(path, BL_STR("**"), 0) != SIZE_MAX)
			complain(e, "rulebook/pattern",
				 "protect.paths: \"%.*s\": ** may only end a "
				 "path; a rule {deny: {write: \"%.*s\"}} takes "
				 "it anywhere",
				 BL_STR_ARG(text), BL_STR_ARG(text));
		bl_array_builder_add(&made,
				     bl_value_string(are_paths ? path : text));
	}
	return bl_array_builder_end(&made);
}

enum bl_status rulebook_read_protect(struct rulebook_reader *r,
				     struct bl_value key,
				     struct bl_value section)
{
	struct entry e = { .r = r, .object = section, .at = key };

	bl_object_builder_init(&e.made, r->arena);
	check_keys(&e, section, RULEBOOK_OF_PROTECT);
	e.at = key;
	keep(&e, "paths", read_texts(&e, "paths", true));
	keep(&e, "branches", read_texts(&e, "branches", false));
	r->protect = bl_object_builder_end(&e.made);
	return BL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* matcher.c: matchers at load: compiled, and looked over for dead ones. */
#include "sources/hooks/private.h"

static bool report(struct bl_hook_text *text, const struct bl_hook_at *at,
		   enum bl_hook_rule rule, struct bl_hook_finding *finding)
{
	finding->at = bl_arena_printf(text->arena, "%.*s[%zu]",
				      BL_STR_ARG(at->event_name), at->index);
	return bl_hook_report(text->diags, text->profile, text->text, rule,
			      finding);
}

/* ---- matchers that can never match -------------------------------- */

struct reach {
	const char *const *values;
	bool found;
	const char *meant; /* what a literal is but for its case; NULL */
};

/*
 * Could a search for literal succeed in this known subject?  A subject that ends in
 * a colon ("MCP:") is the start of many; a literal that does not name that
 * start is taken not to mean it, or nothing could be said of any matcher.
 */
static bool is_reachable(struct bl_str literal, struct bl_str value)
{
	return bl_str_find(value, literal, 0) != SIZE_MAX ||
	       (bl_str_has_suffix(value, BL_STR(":")) &&
		bl_str_has_prefix(literal, value));
}

static void visit_literal(void *context, struct bl_str literal)
{
	struct reach *reach = context;

	for (size_t i = 0; reach->values[i] && !reach->found; i++)
		reach->found = is_reachable(literal, bl_str(reach->values[i]));
}

/* The known subject that is text in letters of another case; NULL: none. */
static const char *recased(struct bl_str text, const char *const *values)
{
	for (size_t i = 0; values[i]; i++) {
		struct bl_str value = bl_str(values[i]);
		size_t at = 0;

		if (value.len != text.len)
			continue;
		while (at < text.len &&
		       (text.ptr[at] | 0x20) == (value.ptr[at] | 0x20))
			at++;
		if (at == text.len)
			return values[i];
	}
	return NULL;
}

static void visit_recased(void *context, struct bl_str literal)
{
	struct reach *reach = context;

	if (!reach->meant)
		reach->meant = recased(literal, reach->values);
}

static struct bl_str known_subjects(struct bl_arena *arena,
				    const char *const *values)
{
	struct bl_str list = BL_STR("known are ");

	for (size_t i = 0; values[i]; i++)
		list = bl_arena_printf(arena, "%.*s%s%s", BL_STR_ARG(list),
				       i > 0 ? ", " : "", values[i]);
	return list;
}

static void warn_of_dead_matcher(struct bl_hook_text *text,
				 const struct bl_hook_at *at,
				 struct bl_place place,
				 const struct bl_regex *regex)
{
	const struct bl_hook_event *hook_event = at->hook_event;
	struct reach reach = { .found = false };
	struct bl_hook_finding finding = { .place = place,
					   .subject = at->event_name };

	if (!hook_event || !hook_event->subject_values)
		return;
	reach.values = hook_event->subject_values;
	if (!bl_regex_each_literal(regex, visit_literal, &reach) || reach.found)
		return;
	bl_regex_each_literal(regex, visit_recased, &reach);
	finding.hint = known_subjects(text->arena, hook_event->subject_values);
	if (reach.meant)
		finding.hint =
			bl_arena_printf(text->arena, "did you mean '%s'?  %.*s",
					reach.meant, BL_STR_ARG(finding.hint));
	report(text, at, BL_RULE_MATCHER_NEVER, &finding);
}

/*
 * "Shell(git commit*)": a rule of the agent's permissions, which as a regular
 * expression is looked for in the command itself, and never found there.
 */
static bool is_permission_rule(struct bl_str matcher, struct bl_str *out_inner)
{
	size_t at = 0;

	while (at < matcher.len &&
	       ((matcher.ptr[at] >= 'a' && matcher.ptr[at] <= 'z') ||
		(matcher.ptr[at] >= 'A' && matcher.ptr[at] <= 'Z')))
		at++;
	if (!at || at + 1 >= matcher.len || matcher.ptr[at] != '(' ||
	    matcher.ptr[0] < 'A' || matcher.ptr[0] > 'Z' ||
	    matcher.ptr[matcher.len - 1] != ')')
		return false;
	*out_inner = bl_str_slice(matcher, at + 1, matcher.len - 1);
	while (out_inner->len &&
	       strchr("*:", out_inner->ptr[out_inner->len - 1]))
		out_inner->len--;
	return out_inner->len > 0 &&
	       !memchr(out_inner->ptr, '|', out_inner->len);
}

static void warn_of_permission_rule(struct bl_hook_text *text,
				    const struct bl_hook_at *at,
				    struct bl_place place,
				    struct bl_str matcher)
{
	struct bl_str inner;
	struct bl_hook_finding finding = { .place = place, .subject = matcher };

	if (!is_permission_rule(matcher, &inner))
		return;
	finding.hint = bl_arena_printf(
		text->arena,
		"for commands that begin so: \"matcher\": \"^%.*s\" at "
		"beforeShellExecution",
		BL_STR_ARG(inner));
	report(text, at, BL_RULE_MATCHER_PERMISSION, &finding);
}

/* ---- compiling ------------------------------------------------------ */

/* JavaScript that is not regular: PCRE2's work, where it is linked. */
static enum bl_status compile_backtrack(struct bl_hook *hook,
					struct bl_error *err)
{
	enum bl_status status = bl_backtrack_compile(
		hook->matcher, &hook->backtrack, NULL, err);

	if (status != BL_UNSUPPORTED)
		return status;
	hook->needs_tools = true;
	return BL_OK;
}

static bool refuse_matcher(struct bl_hook_text *text,
			   const struct bl_hook_at *at, struct bl_place place,
			   enum bl_status status, const struct bl_error *err)
{
	enum bl_hook_rule rule = status == BL_SYNTAX ? BL_RULE_MATCHER_SYNTAX
						     : BL_RULE_MATCHER_LIMIT;
	struct bl_hook_finding finding = { .place = place,
					   .subject = bl_str(err->message) };

	report(text, at, rule, &finding);
	return false;
}

bool bl_hook_compile_matcher(struct bl_hook_text *text,
			     const struct bl_hook_at *at, struct bl_place place,
			     struct bl_hook *hook)
{
	struct bl_error err = { 0 };
	struct bl_hook_finding finding = { .place = place,
					   .subject = at->event_name };
	enum bl_status status;

	if (hook->matcher.len == 0 || bl_str_is(hook->matcher, "*")) {
		hook->matcher = (struct bl_str){ "", 0 };
		return true;
	}
	if (hook->matcher.len > text->limits->matcher_bytes) {
		status = bl_fail(
			&err, BL_LIMIT, "more than %llu bytes",
			(unsigned long long)text->limits->matcher_bytes);
		return refuse_matcher(text, at, place, status, &err);
	}
	status =
		bl_regex_compile(text->arena, hook->matcher,
				 BL_REGEX_JAVASCRIPT, &hook->regex, NULL, &err);
	if (status == BL_UNSUPPORTED)
		status = compile_backtrack(hook, &err);
	if (status == BL_NO_MEMORY) {
		/* No fault of the file: the whole loading fails. */
		text->diags->out_of_memory = true;
		return false;
	}
	if (status != BL_OK)
		return refuse_matcher(text, at, place, status, &err);
	warn_of_permission_rule(text, at, place, hook->matcher);
	if (at->hook_event && at->hook_event->subject == BL_SUBJECT_NONE)
		report(text, at, BL_RULE_MATCHER_IGNORED, &finding);
	else if (hook->regex)
		warn_of_dead_matcher(text, at, place, hook->regex);
	return true;
}

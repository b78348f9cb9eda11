/* SPDX-License-Identifier: Apache-2.0 */
/* One decision out of all findings (spec/cupcake.md 7.2). */
#include "base/utf8.h"
#include "sources/policies/private.h"

/* ---- which verb ----------------------------------------------------------- */

/* A trouble that refuses or asks is a finding of belay's own. */
static enum bl_status add_troubles(struct policy_run *run)
{
	struct bl_policy_report *report = run->report;

	for (size_t i = 0; i < report->trouble_count; i++) {
		const struct bl_policy_trouble *trouble = &report->troubles[i];

		if (trouble->verdict == BL_VERDICT_NONE)
			continue;
		report->findings = bl_arena_room(
			run->arena, report->findings, report->finding_count,
			&run->finding_cap, sizeof(*report->findings));
		if (!report->findings)
			return bl_arena_fail(run->arena, run->err);
		report->findings[report->finding_count++] = (struct bl_finding){
			.verb = trouble->verdict == BL_VERDICT_ASK
					? BL_VERB_ASK
					: BL_VERB_DENY,
			.policy = trouble->policy,
			.reason = trouble->text,
			.rule_id = bl_arena_printf(
				run->arena, "belay/%s",
				bl_policy_failure_name(trouble->failure)),
			.severity = BL_STR("HIGH"),
		};
	}
	return bl_arena_status(run->arena) ? bl_arena_fail(run->arena, run->err)
					   : BL_OK;
}

static void choose_verb(struct bl_policy_report *report)
{
	report->verb = BL_VERB_COUNT;
	for (size_t i = 0; i < report->finding_count; i++) {
		enum bl_verb verb = report->findings[i].verb;

		if (verb < report->verb && verb != BL_VERB_ADD_CONTEXT)
			report->verb = verb;
	}
	for (size_t i = 0; i < report->finding_count; i++)
		report->findings[i].counted =
			report->findings[i].verb == report->verb ||
			report->findings[i].verb == BL_VERB_ADD_CONTEXT;
}

/* ---- how much is said ------------------------------------------------------ */

/*
 * Agents throw away an answer that is too long (a pipe's reader has a limit),
 * and an answer thrown away stops nothing.  What is left out is counted.
 */
enum {
	MAX_REASON_BYTES = 8 << 10,   /* of one reason or message */
	MAX_REASONS_BYTES = 24 << 10, /* of all reasons, of all messages */
	MAX_CONTEXT_BYTES = 64 << 10, /* of one context, and of all */
	MAX_ID_BYTES = 200,
};

/* The text, or its start and how much there is behind it. */
static struct bl_str cut(struct bl_arena *arena, struct bl_str text, size_t max)
{
	struct bl_str start = bl_str_slice(text, 0, max);

	if (text.len <= max)
		return text;
	start.len = bl_utf8_valid_prefix(start);
	return bl_arena_printf(arena, "%.*s... (%zu bytes more)",
			       BL_STR_ARG(start), text.len - start.len);
}

/* A list of texts in the making. */
struct texts {
	struct bl_arena *arena;
	struct bl_array_builder list;
	size_t max_each;
	size_t max_all;
	size_t bytes;
	size_t left_out;
};

static struct texts begin_texts(struct bl_arena *arena, size_t max_each,
				size_t max_all)
{
	struct texts texts = { .arena = arena,
			       .max_each = max_each,
			       .max_all = max_all };

	bl_array_builder_init(&texts.list, arena);
	return texts;
}

static void add_text(struct texts *texts, struct bl_str text)
{
	if (texts->bytes >= texts->max_all) {
		texts->left_out++;
		return;
	}
	text = cut(texts->arena, text, texts->max_each);
	texts->bytes += text.len;
	bl_array_builder_add(&texts->list, bl_value_string(text));
}

static struct bl_value end_texts(struct texts *texts)
{
	if (texts->left_out)
		bl_array_builder_add(&texts->list,
				     bl_value_printf(texts->arena, "(%zu more)",
						     texts->left_out));
	return bl_array_builder_end(&texts->list);
}

/* ---- reasons -------------------------------------------------------------- */

/* Groups of severity, least first. */
enum level { LEVEL_LOW, LEVEL_MEDIUM, LEVEL_HIGH };

static const struct {
	const char *name;
	enum level level;
} levels[] = {
	{ "MEDIUM", LEVEL_MEDIUM },
	{ "MODERATE", LEVEL_MEDIUM },
	{ "HIGH", LEVEL_HIGH },
	{ "CRITICAL", LEVEL_HIGH },
};

static const struct {
	const char *before;
	bool has_ids;
} wordings[] = {
	[LEVEL_LOW] = { "Policy guidelines: ", false },
	[LEVEL_MEDIUM] = { "Multiple policy violations detected: ", true },
	[LEVEL_HIGH] = { "Multiple high-severity policy violations detected: ",
			 true },
};

static bool same_letters(struct bl_str text, const char *upper)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		if (c != upper[i])
			return false;
	}
	return !upper[text.len];
}

static enum level level_of(struct bl_str severity)
{
	for (size_t i = 0; i < BL_COUNT(levels); i++)
		if (same_letters(severity, levels[i].name))
			return levels[i].level;
	return LEVEL_LOW;
}

static struct bl_str user_reason(const struct bl_finding *finding)
{
	return finding->user.ptr ? finding->user : finding->reason;
}

/* Those whose verb counts, of the highest level among them. */
struct group {
	const struct bl_finding **items;
	size_t count;
	enum level level;
};

static bool make_group(const struct bl_policy_report *report,
		       struct bl_arena *arena, enum bl_verb verb,
		       struct group *out_group)
{
	*out_group = (struct group){
		.items = bl_arena_new_array(arena, const struct bl_finding *,
					    report->finding_count + 1),
	};
	if (!out_group->items)
		return false;
	for (size_t i = 0; i < report->finding_count; i++)
		if (report->findings[i].verb == verb)
			out_group->items[out_group->count++] =
				&report->findings[i];
	return true;
}

/* Only those of the highest level stay. */
static void keep_highest(struct group *group)
{
	size_t kept = 0;

	for (size_t i = 0; i < group->count; i++)
		if (level_of(group->items[i]->severity) > group->level)
			group->level = level_of(group->items[i]->severity);
	for (size_t i = 0; i < group->count; i++)
		if (level_of(group->items[i]->severity) == group->level)
			group->items[kept++] = group->items[i];
	group->count = kept;
}

/* By priority, highest first; equal ones as they came. */
static void sort_by_priority(struct group *group)
{
	for (size_t i = 1; i < group->count; i++) {
		const struct bl_finding *moved = group->items[i];
		size_t to = i;

		for (;
		     to > 0 && group->items[to - 1]->priority < moved->priority;
		     to--)
			group->items[to] = group->items[to - 1];
		group->items[to] = moved;
	}
}

static void put_id(struct bl_arena *arena, struct bl_buf *out,
		   const struct bl_finding *finding)
{
	struct bl_str id = cut(arena, finding->rule_id, MAX_ID_BYTES);

	bl_buf_printf(out, "[%.*s] ", BL_STR_ARG(id));
}

static void put_reasons(struct bl_arena *arena, struct bl_buf *out,
			const struct group *group, const char *before,
			bool has_ids)
{
	bool is_one = group->count == 1;

	if (!is_one)
		bl_buf_puts(out, before);
	for (size_t i = 0; i < group->count; i++) {
		const struct bl_finding *finding = group->items[i];

		if (i)
			bl_buf_puts(out, "; ");
		if (out->len > MAX_REASONS_BYTES) {
			bl_buf_printf(out, "and %zu more", group->count - i);
			return;
		}
		if (has_ids && !is_one)
			put_id(arena, out, finding);

		bl_buf_put_str(out, cut(arena, user_reason(finding),
					MAX_REASON_BYTES));
	}
}

static enum bl_status take_text(struct policy_run *run, struct bl_buf *text,
				struct bl_str *out_text)
{
	enum bl_status status = bl_buf_status(text);

	if (!status)
		*out_text = bl_arena_copy_str(run->arena, bl_buf_str(text));
	bl_buf_clear(text);
	if (status)
		return bl_fail(run->err, status, "the reason is too long");
	return out_text->ptr ? BL_OK : bl_arena_fail(run->arena, run->err);
}

static enum bl_status make_reason(struct policy_run *run)
{
	struct bl_policy_report *report = run->report;
	bool modifies = report->verb == BL_VERB_MODIFY;
	struct group group;
	struct bl_buf text;

	if (report->verb == BL_VERB_COUNT)
		return BL_OK;
	if (!make_group(report, run->arena, report->verb, &group))
		return bl_arena_fail(run->arena, run->err);
	if (modifies)
		sort_by_priority(&group);
	else
		keep_highest(&group);
	bl_buf_init(&text, 0);
	if (modifies)
		put_reasons(run->arena, &text, &group,
			    "Multiple modifications applied: ", true);
	else
		put_reasons(run->arena, &text, &group,
			    wordings[group.level].before,
			    wordings[group.level].has_ids);
	return take_text(run, &text, &report->reason);
}

/* ---- what the model is told ------------------------------------------------ */

/* Its own reason and the safe alternative; undefined: neither. */
static struct bl_value agent_message(struct bl_arena *arena,
				     const struct bl_finding *finding)
{
	struct bl_str own = finding->agent;

	if (!finding->safe_alternative.ptr)
		return own.ptr ? bl_value_string(own) : bl_value_undefined();
	if (!own.ptr)
		own = finding->reason;
	return bl_value_printf(arena, "%.*s Instead: %.*s", BL_STR_ARG(own),
			       BL_STR_ARG(finding->safe_alternative));
}

/* All of the verb that counts, whatever their severity, and all contexts. */
static enum bl_status make_messages(struct policy_run *run)
{
	struct bl_policy_report *report = run->report;
	struct texts messages =
		begin_texts(run->arena, MAX_REASON_BYTES, MAX_REASONS_BYTES);
	struct texts contexts =
		begin_texts(run->arena, MAX_CONTEXT_BYTES, MAX_CONTEXT_BYTES);

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct bl_finding *finding = &report->findings[i];
		struct bl_value message;

		if (finding->verb == BL_VERB_ADD_CONTEXT)
			add_text(&contexts, finding->reason);
		if (finding->verb != report->verb)
			continue;
		message = agent_message(run->arena, finding);
		if (bl_value_is_defined(message))
			add_text(&messages, bl_value_text(message));
	}
	report->agent_messages = end_texts(&messages);
	report->contexts = end_texts(&contexts);
	return bl_arena_status(run->arena) ? bl_arena_fail(run->arena, run->err)
					   : BL_OK;
}

/* ---- modifications -------------------------------------------------------- */

enum { MAX_MERGE_DEPTH = 100 };

/* Members of `weak` that `strong` has not; objects are merged. */
static struct bl_value merge(struct bl_arena *arena, struct bl_value strong,
			     struct bl_value weak, int depth)
{
	struct bl_object_builder made;

	if (!bl_value_is(strong, BL_KIND_OBJECT) ||
	    !bl_value_is(weak, BL_KIND_OBJECT) || depth == MAX_MERGE_DEPTH)
		return strong;
	bl_object_builder_init(&made, arena);
	for (size_t i = 0; i < bl_value_count(strong); i++) {
		struct bl_str key = bl_value_text(bl_object_key(strong, i));
		struct bl_value value = bl_object_value(strong, i);
		struct bl_value other = bl_object_find(weak, key);

		bl_object_builder_add(&made, key,
				      merge(arena, value, other, depth + 1));
	}
	for (size_t i = 0; i < bl_value_count(weak); i++) {
		struct bl_str key = bl_value_text(bl_object_key(weak, i));

		if (!bl_value_is_defined(bl_object_find(strong, key)))
			bl_object_builder_add(&made, key,
					      bl_object_value(weak, i));
	}
	return bl_object_builder_end(&made);
}

static enum bl_status make_patch(struct policy_run *run)
{
	struct bl_policy_report *report = run->report;
	struct group group;

	if (!make_group(report, run->arena, BL_VERB_MODIFY, &group))
		return bl_arena_fail(run->arena, run->err);
	sort_by_priority(&group);
	for (size_t i = 0; i < group.count; i++)
		report->patch = i ? merge(run->arena, report->patch,
					  group.items[i]->updated_input, 0)
				  : group.items[i]->updated_input;
	return bl_arena_status(run->arena) ? bl_arena_fail(run->arena, run->err)
					   : BL_OK;
}

enum bl_status policy_synthesise(struct policy_run *run)
{
	enum bl_status status = add_troubles(run);

	if (status)
		return status;
	choose_verb(run->report);
	status = make_messages(run);
	if (!status)
		status = make_reason(run);
	return status ? status : make_patch(run);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of a decision: one after the other, as hooks' are, or as
 * Cupcake words those of policies.
 */
#include "base/utf8.h"
#include "decision/private.h"

/* ---- one after the other ---------------------------------------------------- */

/* Do the messages of outcome i count? */
static bool speaks(const struct combining *c, size_t i)
{
	if (c->decision.verdict >= BL_VERDICT_ASK)
		return combining_verdict(c, i) == c->decision.verdict;
	return (c->rules->any_class || c->class == BL_CLASS_OBSERVE) &&
	       combining_uses(c, i);
}

typedef struct bl_str message_fn(const struct combining *c, size_t i);

static struct bl_str user_message(const struct combining *c, size_t i)
{
	const struct bl_outcome *outcome = &c->outcomes[i];

	return combining_uses(c, i) ? outcome->answer.user_message
				    : outcome->reason;
}

static struct bl_str agent_message(const struct combining *c, size_t i)
{
	if (!combining_uses(c, i))
		return (struct bl_str){ NULL, 0 };
	return c->outcomes[i].answer.agent_message;
}

static struct bl_str spoken(const struct combining *c, size_t i,
			    message_fn *message)
{
	return speaks(c, i) ? message(c, i) : (struct bl_str){ NULL, 0 };
}

/* The length of all messages joined; *out_last is the last of them. */
static bool measure(const struct combining *c, message_fn *message,
		    size_t *out_count, size_t *out_len, struct bl_str *out_last)
{
	const size_t separator_len = sizeof(BL_MESSAGE_SEPARATOR) - 1;

	for (size_t i = 0; i < c->count; i++) {
		struct bl_str part = spoken(c, i, message);

		if (part.len == 0)
			continue;
		if ((*out_count > 0 &&
		     !bl_add_size(*out_len, separator_len, out_len)) ||
		    !bl_add_size(*out_len, part.len, out_len))
			return false;
		*out_last = part;
		*out_count += 1;
	}
	return true;
}

static char *append(char *at, struct bl_str part)
{
	memcpy(at, part.ptr, part.len);
	return at + part.len;
}

/* The messages that count, in order; one alone is borrowed. */
static struct bl_str join(struct combining *c, message_fn *message)
{
	struct bl_str joined = { NULL, 0 };
	size_t count = 0;
	size_t len = 0;
	char *start;
	char *at;

	if (!measure(c, message, &count, &len, &joined)) {
		c->failed = true;
		return (struct bl_str){ NULL, 0 };
	}
	if (count <= 1)
		return joined;
	start = at = bl_arena_alloc_aligned(c->arena, len, 1);
	if (!start) {
		c->failed = true;
		return (struct bl_str){ NULL, 0 };
	}
	for (size_t i = 0; i < c->count; i++) {
		struct bl_str part = spoken(c, i, message);

		if (part.len == 0)
			continue;
		if (at != start)
			at = append(at, BL_STR(BL_MESSAGE_SEPARATOR));
		at = append(at, part);
	}
	return (struct bl_str){ start, len };
}

/* ---- by severity: how much is said ----------------------------------------- */

/*
 * Agents throw away an answer that is too long (a pipe's reader has a limit),
 * and an answer thrown away stops nothing.  Messages left out are counted.
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
struct text_list {
	struct bl_arena *arena;
	struct bl_array_builder items;
	size_t max_each;
	size_t max_all;
	size_t bytes;
	size_t left_out;
};

static struct text_list text_list_begin(struct bl_arena *arena, size_t max_each,
					size_t max_all)
{
	struct text_list made = { .arena = arena,
				  .max_each = max_each,
				  .max_all = max_all };

	bl_array_builder_init(&made.items, arena);
	return made;
}

static void text_list_add(struct text_list *list, struct bl_str text)
{
	if (list->bytes >= list->max_all) {
		list->left_out++;
		return;
	}
	text = cut(list->arena, text, list->max_each);
	list->bytes += text.len;
	bl_array_builder_add(&list->items, bl_value_string(text));
}

static struct bl_value text_list_end(struct text_list *list)
{
	if (list->left_out)
		bl_array_builder_add(&list->items,
				     bl_value_printf(list->arena, "(%zu more)",
						     list->left_out));
	return bl_array_builder_end(&list->items);
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

/* ---- groups ----------------------------------------------------------------- */

static enum bl_verb verb_of(const struct bl_outcome *outcome)
{
	const struct bl_answer *answer = &outcome->answer;

	if (answer->permission == BL_VERDICT_NONE)
		return BL_VERB_ADD_CONTEXT;
	return bl_verb_of(answer->permission, answer->attributes);
}

bool combining_group(struct combining *c, enum bl_verb verb,
		     struct outcome_group *out_group)
{
	out_group->items = bl_arena_new_array(
		c->arena, const struct bl_outcome *, c->count);
	out_group->count = 0;
	if (!out_group->items && c->count) {
		c->failed = true;
		return false;
	}
	for (size_t i = 0; i < c->count; i++)
		if (combining_uses(c, i) && verb_of(&c->outcomes[i]) == verb)
			out_group->items[out_group->count++] = &c->outcomes[i];
	return true;
}

/* By priority, highest first; equal ones as they came. */
void combining_sort(struct outcome_group *group)
{
	for (size_t i = 1; i < group->count; i++) {
		const struct bl_outcome *moved = group->items[i];
		size_t to = i;

		for (;
		     to > 0 && group->items[to - 1]->priority < moved->priority;
		     to--)
			group->items[to] = group->items[to - 1];
		group->items[to] = moved;
	}
}

/* Only those of the highest level stay. */
static enum level keep_highest(struct outcome_group *group)
{
	enum level highest = LEVEL_LOW;
	size_t kept = 0;

	for (size_t i = 0; i < group->count; i++)
		if (level_of(group->items[i]->severity) > highest)
			highest = level_of(group->items[i]->severity);
	for (size_t i = 0; i < group->count; i++)
		if (level_of(group->items[i]->severity) == highest)
			group->items[kept++] = group->items[i];
	group->count = kept;
	return highest;
}

/* ---- what people are told ----------------------------------------------------- */

static void put_id(struct bl_arena *arena, struct bl_buf *out,
		   const struct bl_outcome *outcome)
{
	struct bl_str id = cut(arena, outcome->id, MAX_ID_BYTES);

	bl_buf_printf(out, "[%.*s] ", BL_STR_ARG(id));
}

static void put_reasons(struct bl_arena *arena, struct bl_buf *out,
			const struct outcome_group *group, const char *before,
			bool has_ids)
{
	bool is_one = group->count == 1;

	if (!is_one)
		bl_buf_puts(out, before);
	for (size_t i = 0; i < group->count; i++) {
		const struct bl_outcome *outcome = group->items[i];

		if (i)
			bl_buf_puts(out, "; ");
		if (out->len > MAX_REASONS_BYTES) {
			bl_buf_printf(out, "and %zu more", group->count - i);
			return;
		}
		if (has_ids && !is_one)
			put_id(arena, out, outcome);
		bl_buf_put_str(out, cut(arena, outcome->answer.user_message,
					MAX_REASON_BYTES));
	}
}

static struct bl_str take_text(struct combining *c, struct bl_buf *text)
{
	struct bl_str taken = { NULL, 0 };
	enum bl_status status = bl_buf_status(text);

	if (status != BL_OK)
		c->status = status;
	else
		taken = bl_arena_copy_str(c->arena, bl_buf_str(text));
	bl_buf_clear(text);
	c->failed |= !taken.ptr;
	return taken;
}

static void word_reason(struct combining *c, enum bl_verb verb)
{
	struct outcome_group group = { .items = NULL };
	struct bl_buf text;
	enum level level;

	if (!combining_group(c, verb, &group))
		return;
	bl_buf_init(&text, 0);
	if (verb == BL_VERB_MODIFY) {
		combining_sort(&group);
		put_reasons(c->arena, &text, &group,
			    "Multiple modifications applied: ", true);
	} else {
		level = keep_highest(&group);
		put_reasons(c->arena, &text, &group, wordings[level].before,
			    wordings[level].has_ids);
	}
	c->decision.user_message = take_text(c, &text);
}

/* ---- what the model is told --------------------------------------------------- */

/* As one text; ptr NULL: absent. */
static struct bl_str join_list(struct combining *c, struct bl_value messages)
{
	struct bl_buf text;

	if (!bl_value_count(messages))
		return (struct bl_str){ NULL, 0 };
	bl_buf_init(&text, 0);
	for (size_t i = 0; i < bl_value_count(messages); i++) {
		if (i)
			bl_buf_puts(&text, "; ");
		bl_buf_put_str(&text,
			       bl_value_text(bl_value_item(messages, i)));
	}
	return take_text(c, &text);
}

/* Of the verb that counts, whatever the severity, and all contexts. */
static void list_messages(struct combining *c, enum bl_verb verb)
{
	struct text_list messages =
		text_list_begin(c->arena, MAX_REASON_BYTES, MAX_REASONS_BYTES);
	struct text_list contexts =
		text_list_begin(c->arena, MAX_CONTEXT_BYTES, MAX_CONTEXT_BYTES);

	for (size_t i = 0; i < c->count; i++) {
		const struct bl_answer *answer = &c->outcomes[i].answer;

		if (!combining_uses(c, i))
			continue;
		if (answer->additional_context.ptr)
			text_list_add(&contexts, answer->additional_context);
		if (verb_of(&c->outcomes[i]) == verb &&
		    answer->agent_message.ptr)
			text_list_add(&messages, answer->agent_message);
	}
	c->decision.agent_messages = text_list_end(&messages);
	c->decision.additional_context = text_list_end(&contexts);
	c->decision.agent_message = join_list(c, c->decision.agent_messages);
	c->failed |= bl_arena_status(c->arena) != BL_OK;
}

void combining_messages(struct combining *c)
{
	enum bl_verb verb = bl_decision_verb(&c->decision);

	if (c->rules->wording == BL_WORDING_JOINED) {
		c->decision.user_message = join(c, user_message);
		c->decision.agent_message = join(c, agent_message);
		return;
	}
	list_messages(c, verb);
	if (c->decision.verdict != BL_VERDICT_NONE)
		word_reason(c, verb);
}

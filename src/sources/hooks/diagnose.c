/* SPDX-License-Identifier: Apache-2.0 */
/* diagnose.c: the rules of rules.def as diagnostics. */
#include "base/buf.h"
#include "sources/hooks/private.h"

enum severity {
	OFF = -1,
	NOTE = BL_SEVERITY_NOTE,
	WARNING = BL_SEVERITY_WARNING,
	ERROR = BL_SEVERITY_ERROR
};

enum { MAX_TEXT_BYTES = 8 << 10, MAX_SUBJECT_BYTES = 1 << 10 };

struct rule {
	const char *code;
	int severity[BL_DIALECT_COUNT];
	const char *message;
	const char *hint;
};

static const struct rule rules[BL_RULE_COUNT] = {
#define RULE(name, code_, today, old, message_, hint_)                         \
	[BL_RULE_##name] = { code_,                                            \
			     { [BL_DIALECT_CURSOR] = today,                    \
			       [BL_DIALECT_CURSOR_2_3] = old },                \
			     message_,                                         \
			     hint_ },
#include "sources/hooks/rules.def"
#undef RULE
};

struct filling {
	const struct bl_profile *profile;
	const struct bl_hook_finding *finding;
};

static void put_subject(struct bl_buf *out, const struct filling *filling)
{
	struct bl_str subject = filling->finding->subject;

	if (subject.len > MAX_SUBJECT_BYTES) {
		size_t end = MAX_SUBJECT_BYTES;

		/* Cut between characters. */
		while (end > 0 &&
		       ((unsigned char)subject.ptr[end] & 0xC0) == 0x80)
			end--;
		subject.len = end;
		bl_buf_put_str(out, subject);
		bl_buf_puts(out, "...");
		return;
	}
	bl_buf_put_str(out, subject);
}

static void put_at(struct bl_buf *out, const struct filling *filling)
{
	bl_buf_put_str(out, filling->finding->at);
}

static void put_events(struct bl_buf *out, const struct filling *filling)
{
	bl_contract_put_names(bl_contract_get(filling->profile->dialect), out);
}

static void put_profile(struct bl_buf *out, const struct filling *filling)
{
	bl_buf_puts(out, filling->profile->name);
}

/* The placeholders of a rule's messages and their values. */
static const struct {
	const char *mark;
	void (*put)(struct bl_buf *out, const struct filling *filling);
} marks[] = {
	{ "{it}", put_subject },
	{ "{at}", put_at },
	{ "{events}", put_events },
	{ "{profile}", put_profile },
};

/* Appends text with its marks filled in. */
static void fill(struct bl_buf *out, const char *text,
		 const struct filling *filling)
{
	while (*text != '\0') {
		size_t i = 0;

		while (i < BL_COUNT(marks) &&
		       strncmp(text, marks[i].mark, strlen(marks[i].mark)) != 0)
			i++;
		if (i < BL_COUNT(marks)) {
			marks[i].put(out, filling);
			text += strlen(marks[i].mark);
		} else {
			bl_buf_put_char(out, *text++);
		}
	}
}

bool bl_hook_report(struct bl_diags *diags, const struct bl_profile *profile,
		    const struct bl_diag_source *source, enum bl_hook_rule id,
		    const struct bl_hook_finding *finding)
{
	const struct rule *rule = &rules[id];
	int severity = rule->severity[profile->dialect];
	struct filling filling = { profile, finding };
	struct bl_buf message;
	struct bl_buf hint;

	if (severity == OFF)
		return false;
	bl_buf_init(&message, MAX_TEXT_BYTES);
	bl_buf_init(&hint, MAX_TEXT_BYTES);
	fill(&message, rule->message, &filling);
	if (finding->hint.len > 0)
		bl_buf_put_str(&hint, finding->hint);
	else if (rule->hint)
		fill(&hint, rule->hint, &filling);
	bl_diags_add(diags, (enum bl_severity)severity, rule->code, source,
		     finding->place, hint.len > 0 ? hint.ptr : NULL, "%s",
		     message.ptr);
	bl_buf_clear(&message);
	bl_buf_clear(&hint);
	return severity == ERROR;
}

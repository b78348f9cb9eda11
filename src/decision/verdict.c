/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of verdicts and of the words for them; apart from combining, since
 * agents, the journal and programs read them too.
 */
#include "decision/decision.h"

struct verdict_row {
	const char *name;
	int exit_code;
};

static const struct verdict_row verdicts[BL_VERDICT_COUNT] = {
	[BL_VERDICT_NONE] = { "none", 0 },
	[BL_VERDICT_ALLOW] = { "allow", 0 },
	[BL_VERDICT_ASK] = { "ask", 3 },
	[BL_VERDICT_DENY] = { "deny", 2 },
};

const char *bl_verdict_name(enum bl_verdict verdict)
{
	return verdicts[verdict].name;
}

int bl_verdict_exit_code(enum bl_verdict verdict)
{
	return verdicts[verdict].exit_code;
}

bool bl_verdict_parse(struct bl_str text, enum bl_verdict *out_verdict)
{
	for (size_t i = 0; i < BL_VERDICT_COUNT; i++) {
		if (bl_str_is(text, verdicts[i].name)) {
			*out_verdict = (enum bl_verdict)i;
			return true;
		}
	}
	return false;
}

/* ---- verbs -------------------------------------------------------------- */

static const struct {
	const char *name;
	enum bl_verdict verdict;
	unsigned attributes;
} verbs[BL_VERB_COUNT] = {
#define VERB(name, text, verdict, attributes, what)                            \
	[BL_VERB_##name] = { text, BL_VERDICT_##verdict, attributes },
#include "decision/verbs.def"
#undef VERB
};

const char *bl_verb_name(enum bl_verb verb)
{
	return verbs[verb].name;
}

enum bl_verdict bl_verb_verdict(enum bl_verb verb)
{
	return verbs[verb].verdict;
}

unsigned bl_verb_attributes(enum bl_verb verb)
{
	return verbs[verb].attributes;
}

/* The attributes that words tell apart, by verdict. */
static const unsigned telling[BL_VERDICT_COUNT] = {
	[BL_VERDICT_ALLOW] = BL_REWRITES,
	[BL_VERDICT_DENY] = BL_HALTS | BL_FEEDBACK,
};

enum bl_verb bl_verb_of(enum bl_verdict verdict, unsigned attributes)
{
	if (verdict == BL_VERDICT_NONE)
		verdict = BL_VERDICT_ALLOW;
	attributes &= telling[verdict];
	if (attributes & BL_HALTS)
		attributes = BL_HALTS;
	for (int verb = 0; verb < BL_VERB_COUNT; verb++)
		if (verbs[verb].verdict == verdict &&
		    verbs[verb].attributes == attributes)
			return (enum bl_verb)verb;
	return BL_VERB_DENY; /* never: every verdict has a word */
}

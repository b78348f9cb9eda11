/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "decision/decision.h"

static const struct {
	enum bl_verdict verdict;
	const char *name;
	int exit_code;
} rows[] = {
	{ BL_VERDICT_NONE, "none", 0 },
	{ BL_VERDICT_ALLOW, "allow", 0 },
	{ BL_VERDICT_ASK, "ask", 3 },
	{ BL_VERDICT_DENY, "deny", 2 },
};

static void names_and_exit_codes(void)
{
	CHECK_INT(BL_COUNT(rows), BL_VERDICT_COUNT);
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		CHECK_STR(bl_str(bl_verdict_name(rows[i].verdict)),
			  rows[i].name);
		CHECK_INT(bl_verdict_exit_code(rows[i].verdict),
			  rows[i].exit_code);
	}
}

static void ranks(void)
{
	CHECK(BL_VERDICT_NONE < BL_VERDICT_ALLOW);
	CHECK(BL_VERDICT_ALLOW < BL_VERDICT_ASK);
	CHECK(BL_VERDICT_ASK < BL_VERDICT_DENY);
}

static void parse(void)
{
	static const char *const wrong[] = { "",    "Deny",  "deny ",
					     "den", "denyx", "block" };
	enum bl_verdict verdict;

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		CHECK(bl_verdict_parse(bl_str(rows[i].name), &verdict));
		CHECK_INT(verdict, rows[i].verdict);
	}
	verdict = BL_VERDICT_ASK;
	for (size_t i = 0; i < BL_COUNT(wrong); i++)
		CHECK(!bl_verdict_parse(bl_str(wrong[i]), &verdict));
	CHECK(!bl_verdict_parse((struct bl_str){ "deny\0", 5 }, &verdict));
	CHECK_INT(verdict, BL_VERDICT_ASK);
}

/* Cupcake's words, weakest first, and what each is. */
static void verbs(void)
{
	static const struct {
		const char *name;
		enum bl_verdict verdict;
		unsigned attributes;
	} words[] = {
		{ "allow", BL_VERDICT_ALLOW, 0 },
		{ "add_context", BL_VERDICT_NONE, BL_CONTEXT },
		{ "modify", BL_VERDICT_ALLOW, BL_REWRITES },
		{ "ask", BL_VERDICT_ASK, 0 },
		{ "block", BL_VERDICT_DENY, BL_FEEDBACK },
		{ "deny", BL_VERDICT_DENY, 0 },
		{ "halt", BL_VERDICT_DENY, BL_HALTS },
	};

	CHECK_INT(BL_COUNT(words), BL_VERB_COUNT);
	for (size_t i = 0; i < BL_COUNT(words); i++) {
		enum bl_verb verb = (enum bl_verb)i;

		CHECK_STR(bl_str(bl_verb_name(verb)), words[i].name);
		CHECK_INT(bl_verb_verdict(verb), words[i].verdict);
		CHECK_INT(bl_verb_attributes(verb), words[i].attributes);
		CHECK(bl_verb_refuses(verb) ==
		      (words[i].verdict == BL_VERDICT_DENY));
		if (words[i].verdict != BL_VERDICT_NONE)
			CHECK_INT(bl_verb_of(words[i].verdict,
					     words[i].attributes | BL_CONTEXT),
				  verb);
	}
}

/* The verdict of several attributes, and a verdict that nobody gave. */
static void verbs_of(void)
{
	CHECK_INT(bl_verb_of(BL_VERDICT_DENY, BL_HALTS | BL_FEEDBACK),
		  BL_VERB_HALT);
	CHECK_INT(bl_verb_of(BL_VERDICT_DENY, BL_REWRITES), BL_VERB_DENY);
	CHECK_INT(bl_verb_of(BL_VERDICT_ASK, BL_REWRITES), BL_VERB_ASK);
	CHECK_INT(bl_verb_of(BL_VERDICT_NONE, 0), BL_VERB_ALLOW);
	CHECK_INT(bl_verb_of(BL_VERDICT_NONE, BL_REWRITES), BL_VERB_MODIFY);
}

int main(void)
{
	RUN(names_and_exit_codes);
	RUN(ranks);
	RUN(parse);
	RUN(verbs);
	RUN(verbs_of);
	return tap_end();
}

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

int main(void)
{
	RUN(names_and_exit_codes);
	RUN(ranks);
	RUN(parse);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "allowances.h"

static struct bl_allowance found;

static enum bl_status find(const struct bl_allowance *one, int64_t now_ms)
{
	found = (struct bl_allowance){ 0 };
	return bl_allowance_find(state(), &one->action, now_ms, &arena, &found,
				 &error);
}

static void codes_are_read(void)
{
	static const struct {
		const char *text;
		const char *code; /* NULL: it is not one */
	} rows[] = {
		{ "K7M2QX", "K7M2QX" }, { "k7m2qx", "K7M2QX" },
		{ "000000", "000000" }, { "ZZZZZZ", "ZZZZZZ" },
		{ "", NULL },           { "K7M2Q", NULL },
		{ "K7M2QXX", NULL },    { "K7M2QI", NULL },
		{ "K7M2QL", NULL },     { "K7M2QO", NULL },
		{ "K7M2QU", NULL },     { "K7M2Q ", NULL },
		{ "K7M/QX", NULL },
	};
	char code[BL_ALLOWANCE_CODE_BYTES];

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		bool is_code =
			bl_allowance_read_code(bl_str(rows[i].text), code);

		CHECK_INT(is_code, rows[i].code != NULL);
		if (is_code && rows[i].code)
			CHECK_STR(bl_str(code), rows[i].code);
	}
	CHECK(!bl_allowance_read_code((struct bl_str){ "K7\0M2Q", 6 }, code));
}

static void new_codes_are_codes(void)
{
	char first[BL_ALLOWANCE_CODE_BYTES];
	char next[BL_ALLOWANCE_CODE_BYTES];
	size_t same = 0;

	CHECK_STATUS(bl_allowance_new_code(first, &error), BL_OK);
	for (int i = 0; i < 1000; i++) {
		char read[BL_ALLOWANCE_CODE_BYTES];

		CHECK_STATUS(bl_allowance_new_code(next, &error), BL_OK);
		if (!bl_allowance_read_code(bl_str(next), read) ||
		    strcmp(read, next) != 0)
			CHECK_STR(bl_str(next), "a code");
		same += !strcmp(next, first);
	}
	CHECK(same < 2);
}

static void the_state_is_in_the_home(void)
{
	setenv("XDG_STATE_HOME", "/elsewhere", 1);
	CHECK_STR(bl_allowance_state_dir(&arena, BL_STR("/home/dev")),
		  "/home/dev/.local/state/belay");
	unsetenv("XDG_STATE_HOME");
}

static void there_is_none(void)
{
	struct bl_allowance one = usual();

	place_empty();
	CHECK_STATUS(find(&one, GRANTED), BL_NOT_FOUND);
}

static void one_is_found_in_its_time(void)
{
	struct bl_allowance one = usual();

	place_empty();
	REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	CHECK_STATUS(find(&one, GRANTED - 1), BL_NOT_FOUND);
	CHECK_STATUS(find(&one, GRANTED), BL_OK);
	CHECK_STATUS(find(&one, one.until_ms - 1), BL_OK);
	CHECK_STATUS(find(&one, one.until_ms), BL_NOT_FOUND);
	CHECK_STATUS(find(&one, GRANTED), BL_OK);
	CHECK_STR(found.code, "K7M2QX");
	CHECK_STR(found.by, "dev");
	CHECK_STR(found.what, "A push: `x \"y\"`.");
	CHECK_STR(found.action.agent, "claude");
	CHECK_STR(found.action.workspace, "/w");
	CHECK_INT(found.action.rule_count, 1);
	CHECK_STR(found.action.rules[0], "git/force-push");
	CHECK(found.is_once);
	CHECK_INT(found.granted_ms, GRANTED);
	CHECK_INT(found.until_ms, one.until_ms);
}

/* A rule that did not refuse when the person looked was not allowed. */
static void every_rule_must_be_covered(void)
{
	struct bl_allowance one = usual();

	place_empty();
	REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	one.action.rule_count = 2;
	CHECK_STATUS(find(&one, GRANTED), BL_NOT_FOUND);
	REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	CHECK_STATUS(find(&one, GRANTED), BL_OK);
	one.action.rule_count = 1;
	CHECK_STATUS(find(&one, GRANTED), BL_OK);
	one.action.workspace = BL_STR("/w/x");
	CHECK_STATUS(find(&one, GRANTED), BL_NOT_FOUND);
}

static enum bl_status use(const char *kind, const char *call)
{
	return bl_allowance_use(state(), &found, bl_str(kind), bl_str(call),
				&error);
}

static void once_is_once_for_each_kind(void)
{
	struct bl_allowance one = usual();

	place_empty();
	REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	REQUIRE(find(&one, GRANTED) == BL_OK);
	CHECK_STATUS(use("tool.before", "call1"), BL_OK);
	CHECK_STATUS(use("tool.before", "call1"), BL_OK);
	CHECK_STATUS(use("tool.before", "call2"), BL_DENIED);
	CHECK_STATUS(use("tool.before", ""), BL_DENIED);
	CHECK_STATUS(use("shell.before", ""), BL_OK);
	CHECK_STATUS(use("shell.before", ""), BL_DENIED);
	/* A new yes is a new allowance. */
	REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	CHECK_STATUS(use("tool.before", "call2"), BL_OK);
}

static void for_some_time_is_not_used_up(void)
{
	struct bl_allowance one = usual();

	place_empty();
	one.is_once = false;
	one.until_ms = GRANTED + BL_ALLOWANCE_MAX_MS;
	REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	REQUIRE(find(&one, one.until_ms - 1) == BL_OK);
	for (int i = 0; i < 3; i++)
		CHECK_STATUS(use("tool.before", ""), BL_OK);
}

/* An allowance that cannot be used up lets nothing pass. */
static void a_folder_that_is_gone_allows_nothing(void)
{
	struct bl_allowance one = usual();

	place_empty();
	REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	REQUIRE(find(&one, GRANTED) == BL_OK);
	place_empty();
	CHECK_STATUS(use("tool.before", ""), BL_NOT_FOUND);
}

int main(void)
{
	if (!place_open())
		return 1;
	RUN(codes_are_read);
	RUN(new_codes_are_codes);
	RUN(the_state_is_in_the_home);
	RUN(there_is_none);
	RUN(one_is_found_in_its_time);
	RUN(every_rule_must_be_covered);
	RUN(once_is_once_for_each_kind);
	RUN(for_some_time_is_not_used_up);
	RUN(a_folder_that_is_gone_allows_nothing);
	place_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* src/team/content.c: each rule for the hooks of a team, broken once. */
#include "team/team.h"

#include "tap.h"

static struct bl_error err;

static enum bl_status check(struct bl_team_hook *hooks, size_t count)
{
	struct bl_team_hooks all = { hooks, count };

	return bl_team_check_hooks(&all, bl_contract_get(BL_DIALECT_CURSOR_2_3),
				   &err);
}

static struct bl_team_hook good(int64_t id, const char *name)
{
	return (struct bl_team_hook){ .id = id,
				      .event_name = BL_STR("stop"),
				      .script_name = bl_str(name),
				      .is_active = true,
				      .content = BL_STR("#!/bin/sh\n") };
}

static void what_is_accepted(void)
{
	struct bl_str systems[] = { BL_STR("Windows"), BL_STR("Macintosh"),
				    BL_STR("Linux") };
	struct bl_team_hook hooks[] = { good(1, "a.sh"), good(2, "B-_.9") };

	hooks[0].systems = systems;
	hooks[0].system_count = 3;
	CHECK_STATUS(check(hooks, 2), BL_OK);
	CHECK_STATUS(check(hooks, 0), BL_OK);
}

static void names_that_are_refused(void)
{
	static const char *const names[] = {
		"",         ".x",   "-x",         "a/b",        "../x",
		"a b",      "a\\b", "hooks.json", "HOOKS.JSON", "a\n",
		"\xc3\xa4", "a:b",  "a$b",
	};
	char long_name[130];

	for (size_t i = 0; i < BL_COUNT(names); i++) {
		struct bl_team_hook hook = good(1, names[i]);

		CHECK_STATUS(check(&hook, 1), BL_INVALID);
		CHECK(strstr(err.message, "hook 1: its script name"));
	}
	memset(long_name, 'a', 129);
	long_name[129] = '\0';
	{
		struct bl_team_hook hook = good(1, long_name);

		CHECK_STATUS(check(&hook, 1), BL_INVALID);
		hook.script_name.len = 128;
		CHECK_STATUS(check(&hook, 1), BL_OK);
	}
}

static void the_other_rules(void)
{
	struct bl_str system = BL_STR("linux");
	struct bl_team_hook hooks[] = { good(1, "a"), good(2, "b") };

	hooks[1].id = 0;
	CHECK_STATUS(check(hooks, 2), BL_INVALID);
	CHECK(!strcmp(err.message, "hook 2: its id is not above 0"));
	hooks[1].id = 1;
	CHECK_STATUS(check(hooks, 2), BL_INVALID);
	CHECK(strstr(err.message, "is that of hook 1, too"));
	hooks[1] = good(2, "A");
	CHECK_STATUS(check(hooks, 2), BL_INVALID);
	hooks[1] = good(2, "b");
	hooks[1].event_name =
		BL_STR("sessionStart"); /* not one of the twelve */
	CHECK_STATUS(check(hooks, 2), BL_INVALID);
	CHECK(strstr(err.message, "there is no event 'sessionStart'"));
	hooks[1] = good(2, "b");
	hooks[1].systems = &system;
	hooks[1].system_count = 1;
	CHECK_STATUS(check(hooks, 2), BL_INVALID);
	hooks[1] = good(2, "b");
	hooks[1].content.len = BL_TEAM_MAX_SCRIPT_BYTES + 1;
	CHECK_STATUS(check(hooks, 2), BL_INVALID);
}

static void all_together_are_limited(void)
{
	static struct bl_team_hook hooks[17];
	static char names[17][4];

	for (int i = 0; i < 17; i++) {
		snprintf(names[i], sizeof(names[i]), "s%d", i);
		hooks[i] = good(i + 1, names[i]);
		hooks[i].content.len = BL_TEAM_MAX_SCRIPT_BYTES;
	}
	CHECK_STATUS(check(hooks, 16), BL_OK);
	CHECK_STATUS(check(hooks, 17), BL_INVALID);
}

static void which_hooks_apply(void)
{
	struct bl_str systems[] = { BL_STR("Windows"), BL_STR("Linux") };
	struct bl_team_hook hook = good(1, "a");

	CHECK(bl_team_hook_applies(&hook, "Macintosh"));
	hook.systems = systems;
	hook.system_count = 2;
	CHECK(bl_team_hook_applies(&hook, "Linux"));
	CHECK(!bl_team_hook_applies(&hook, "Macintosh"));
	hook.is_active = false;
	CHECK(!bl_team_hook_applies(&hook, "Linux"));
}

int main(void)
{
	RUN(what_is_accepted);
	RUN(names_that_are_refused);
	RUN(the_other_rules);
	RUN(all_together_are_limited);
	RUN(which_hooks_apply);
	return tap_end();
}

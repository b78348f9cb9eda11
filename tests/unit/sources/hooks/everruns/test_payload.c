/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The envelope, the payload file's name and the environment
 * (docs/contracts/everruns.md "Payload", "Payload file", "Environment").
 */
#include "run/private.h"
#include "sources/hooks/everruns/private.h"
#include "everruns_test.h"

static struct bl_everruns_event_facts facts(const char *data)
{
	return (struct bl_everruns_event_facts){
		.event = BL_EVERRUNS_PRE_TOOL_USE,
		.session_id = BL_STR("session_1"),
		.turn_id = bl_value_null(),
		.org_id = bl_value_null(),
		.agent_id = bl_value_string(BL_STR("a")),
		.ts = BL_STR("2026-11-28T00:00:00Z"),
		.data = json(data),
	};
}

static void envelope(void)
{
	struct bl_everruns_event_facts f = facts("{\"b\":1,\"a\":[]}");

	CHECK_STR(bl_everruns_payload(&f, BL_STR("user:x"), &arena),
		  "{\"event\":\"pre_tool_use\",\"hook_id\":\"user:x\","
		  "\"session_id\":\"session_1\",\"turn_id\":null,"
		  "\"org_id\":null,\"agent_id\":\"a\","
		  "\"ts\":\"2026-11-28T00:00:00Z\","
		  "\"data\":{\"b\":1,\"a\":[]}}");
}

static struct bl_str file_name(struct bl_str id)
{
	struct bl_str name = BL_STR("");

	CHECK_STATUS(
		bl_everruns_file_name(id, 0x0123456789AB, &arena, &name, NULL),
		BL_OK);
	return name;
}

static void file_names(void)
{
	struct bl_str name = file_name(BL_STR("../a:\xCE\xB2\n"));
	struct bl_str other = file_name(BL_STR("../a:\xCE\xB2\n"));
	static char id[400];

	/* 36 characters of a UUID, and ".json". */
	CHECK(bl_str_has_prefix(name, BL_STR("___a___-01234567-89ab-7")));
	CHECK_INT(name.len, 8 + 36 + 5);
	CHECK(bl_str_has_suffix(name, BL_STR(".json")));
	CHECK(strchr("89ab", name.ptr[8 + 19]) != NULL);
	CHECK(!bl_str_equal(name, other));
	CHECK(bl_str_has_prefix(file_name(BL_STR("safe-A_9")),
				BL_STR("safe-A_9-0")));
	memset(id, 'x', sizeof(id));
	CHECK(file_name((struct bl_str){ id, sizeof(id) }).len <= 255);
}

static const char *const *environment(struct bl_executor_everruns_env *env,
				      const char *own, const char *data)
{
	static struct bl_everruns_hook hook;
	static struct bl_everruns_event_facts f;

	f = facts(data);
	hook = (struct bl_everruns_hook){ .env = json(own) };
	env->hook = &hook;
	env->id = BL_STR("user:x");
	env->facts = &f;
	env->workspace = BL_STR("/w");
	env->path = BL_STR("/w/.hooks/f");
	return bl_executor_everruns_env(env, &arena);
}

static void check_strings(const char *const *got, const char *const *expected)
{
	size_t i = 0;

	REQUIRE(got != NULL);
	for (; got[i] && expected[i]; i++)
		CHECK_STR(bl_str(got[i]), expected[i]);
	CHECK(!got[i] && !expected[i]);
}

static void variables_in_order(void)
{
	static const char *const expected[] = {
		"HOME=/home/agent",
		"SHELL=/bin/bash",
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"WORKSPACE=/w",
		"EVERRUNS_HOOK_PAYLOAD_JSON={}",
		"EVERRUNS_HOOK_PAYLOAD_PATH=/w/.hooks/f",
		"EVERRUNS_HOOK_EVENT=pre_tool_use",
		"EVERRUNS_HOOK_ID=user:x",
		"EVERRUNS_HOOK_SESSION_ID=session_1",
		"EVERRUNS_HOOK_TOOL_NAME=bash",
		"EVERRUNS_HOOK_TOOL_CALL_ID=c",
		NULL,
	};
	struct bl_executor_everruns_env env = { .payload = BL_STR("{}") };

	check_strings(environment(&env, "{}",
				  "{\"tool_name\":\"bash\",\"tool_call_id\":"
				  "\"c\"}"),
		      expected);
	CHECK(!env.is_too_long);
	CHECK_STR(env.wrong, "");
}

static void spec_overrides(void)
{
	static const char *const expected[] = {
		"SHELL=/bin/bash",
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"WORKSPACE=/w",
		"EVERRUNS_HOOK_PAYLOAD_JSON={}",
		"EVERRUNS_HOOK_PAYLOAD_PATH=/w/.hooks/f",
		"EVERRUNS_HOOK_ID=user:x",
		"EVERRUNS_HOOK_SESSION_ID=session_1",
		"A=1",
		"EVERRUNS_HOOK_EVENT=mine",
		"HOME=/h",
		NULL,
	};
	struct bl_executor_everruns_env env = { .payload = BL_STR("{}") };

	/* Names that are not texts leave their variables out. */
	check_strings(environment(&env,
				  "{\"HOME\":\"/h\",\"A\":\"1\","
				  "\"EVERRUNS_HOOK_EVENT\":\"mine\"}",
				  "{\"tool_name\":1,\"tool_call_id\":null}"),
		      expected);
}

/* Linux takes 128 KiB with the NUL; the name and "=" count. */
static void payloads_at_the_limit(void)
{
	static char text[131072];
	size_t room = 131071 - strlen("EVERRUNS_HOOK_PAYLOAD_JSON=");
	struct bl_executor_everruns_env env = { .payload = { text, room } };
	const char *const *strings;

	memset(text, 'x', sizeof(text));
	strings = environment(&env, "{}", "{}");
	REQUIRE(strings != NULL);
	CHECK(!env.is_too_long);
	CHECK_INT(strlen(strings[4]), 131071);
	env.payload.len++;
	strings = environment(&env, "{}", "{}");
	REQUIRE(strings != NULL);
	CHECK(env.is_too_long);
	CHECK_STR(bl_str(strings[4]), "EVERRUNS_HOOK_PAYLOAD_PATH=/w/.hooks/f");
	CHECK_STR(env.wrong, "");
}

static void impossible_variables(void)
{
	static const struct {
		const char *own;
		const char *wrong;
	} cases[] = {
		{ "{\"A\":\"x\\u0000\"}",
		  "environment variable A would hold a NUL byte" },
		{ "{\"A=B\":\"x\"}", "environment variable A=B has a name "
				     "that no variable can have" },
		{ "{\"\":\"x\"}", "environment variable  has a name that no "
				  "variable can have" },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_executor_everruns_env env = { .payload =
								BL_STR("{}") };

		CHECK(environment(&env, cases[i].own, "{}") != NULL);
		CHECK_STR(env.wrong, cases[i].wrong);
	}
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(envelope);
	RUN(file_names);
	RUN(variables_in_order);
	RUN(spec_overrides);
	RUN(payloads_at_the_limit);
	RUN(impossible_variables);
	bl_arena_clear(&arena);
	return tap_end();
}

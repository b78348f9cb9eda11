/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations: defaults, ids, merging, and what cannot be read. */
#include "everruns_test.h"

#define SPEC(event)                                                            \
	"{\"event\":\"" event "\",\"executor\":"                               \
	"{\"type\":\"bash\",\"command\":\"true\"}}"

static struct bl_everruns_set fresh(const char *profile)
{
	struct bl_everruns_set set;

	bl_everruns_set_init(&set, rules(profile), &arena);
	return set;
}

static void minimal_spec(void)
{
	struct bl_everruns_set set = fresh("everruns");
	const struct bl_everruns_hook *hook;

	add(&set, "{\"hooks\":[" SPEC("pre_tool_use") "]}");
	REQUIRE(set.hook_count == 1);
	hook = &set.hooks[0];
	CHECK_STR(hook->id, "user:pre_tool_use_0");
	CHECK_INT(hook->timeout_ms, 5000);
	CHECK_INT(hook->on_error, BL_EVERRUNS_BLOCK);
	CHECK(!hook->description.ptr);
	CHECK_STR(hook->command, "true");
	CHECK_STR(hook->broken, "");
	set = fresh("everruns-original");
	add(&set, "{\"hooks\":[" SPEC("pre_tool_use") "]}");
	CHECK_INT(set.hooks[0].on_error, BL_EVERRUNS_WARN);
}

static void usual_on_error(void)
{
	struct bl_everruns_set set = fresh("everruns");

	add(&set, "{\"hooks\":[" SPEC("user_prompt_submit") "," SPEC(
			  "post_tool_use") "," SPEC("turn_end") "]}");
	REQUIRE(set.hook_count == 3);
	CHECK_INT(set.hooks[0].on_error, BL_EVERRUNS_BLOCK);
	CHECK_INT(set.hooks[1].on_error, BL_EVERRUNS_WARN);
	CHECK_INT(set.hooks[2].on_error, BL_EVERRUNS_WARN);
	CHECK_STR(set.hooks[2].id, "user:turn_end_2");
}

static void nothing_is_legal(void)
{
	static const char *const texts[] = { "null", "{}", "{\"hooks\":[]}" };

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		struct bl_everruns_set set = fresh("everruns");

		add(&set, texts[i]);
		CHECK(!set.broken.ptr);
		CHECK_INT(set.hook_count, 0);
	}
}

#define EXEC   "\"executor\":{\"type\":\"bash\",\"command\":\"x\"}"
#define FAILED "user_hooks config parse failed: "

static const struct {
	const char *text;
	const char *why;
} broken[] = {
	{ "[]", "it is of type array, not object" },
	{ "{\"hooks\":{}}", "`hooks` is of type object, not array" },
	{ "{\"hooks\":[1]}", "hooks[0]: not an object" },
	{ "{\"hooks\":[{" EXEC "}]}", "hooks[0]: missing field `event`" },
	{ "{\"hooks\":[{\"event\":\"stop\"," EXEC "}]}",
	  "hooks[0]: unknown event `stop`, expected one of `session_start`, "
	  "`user_prompt_submit`, `pre_tool_use`, `post_tool_use`, `turn_end`, "
	  "`session_end`" },
	{ "{\"hooks\":[{\"event\":\"turn_end\"}]}",
	  "hooks[0]: missing field `executor`" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"executor\":{\"type\":"
	  "\"wasm\"}}]}",
	  "hooks[0]: unknown executor `wasm`, expected one of `bash`, "
	  "`webhook`" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"executor\":{\"type\":"
	  "\"webhook\",\"hmac_secret_ref\":\"env:K\"}}]}",
	  "hooks[0]: missing field `url`" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"executor\":{\"type\":"
	  "\"webhook\",\"url\":\"https://a.example/\"}}]}",
	  "hooks[0]: missing field `hmac_secret_ref`" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"executor\":{\"type\":"
	  "\"webhook\",\"url\":\"https://a.example/\","
	  "\"hmac_secret_ref\":\"env:K\",\"allow_addresses\":\"x\"}}]}",
	  "hooks[0]: `allow_addresses` is of type string, not array" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"executor\":{\"type\":"
	  "\"bash\"}}]}",
	  "hooks[0]: missing field `command`" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"executor\":{\"type\":"
	  "\"bash\",\"command\":\"x\",\"env\":{\"A\":1}}}]}",
	  "hooks[0]: `env` holds a value that is not a string" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"timeout_ms\":-1," EXEC "}]}",
	  "hooks[0]: `timeout_ms` is not a whole number of 32 bits" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"timeout_ms\":4294967296," EXEC
	  "}]}",
	  "hooks[0]: `timeout_ms` is not a whole number of 32 bits" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"on_error\":\"Block\"," EXEC
	  "}]}",
	  "hooks[0]: unknown on_error `Block`, expected one of `block`, "
	  "`allow`, `warn`" },
	{ "{\"hooks\":[{\"event\":\"pre_tool_use\",\"matcher\":{\"tool_name\":"
	  "1}," EXEC "}]}",
	  "hooks[0]: `tool_name` is of type number, not string" },
	{ "{\"hooks\":[{\"event\":\"turn_end\",\"event\":\"turn_end\"," EXEC
	  "}]}",
	  "duplicate field `event`" },
	{ "{\"disabled_contributions\":[1]}",
	  "`disabled_contributions` holds a value that is not a string" },
};

static void unreadable(void)
{
	for (size_t i = 0; i < BL_COUNT(broken); i++) {
		struct bl_everruns_set set = fresh("everruns");
		char expected[300];

		add(&set, broken[i].text);
		snprintf(expected, sizeof(expected), FAILED "%s",
			 broken[i].why);
		CHECK_STR(set.broken, expected);
		CHECK_INT(set.hook_count, 0);
	}
}

static void invalid_hooks_are_reported(void)
{
	static const char text[] = "{\"hooks\":[" SPEC(
		"turn_end") ",\n"
			    "{\"event\":\"turn_end\",\"timeout_ms\":99," EXEC
			    "}]}";
	struct bl_everruns_source source = {
		.text = { BL_STR("h.json"), bl_str(text) },
	};
	struct bl_everruns_set set = fresh("everruns");
	struct bl_diags diags;

	bl_diags_init(&diags, &arena);
	CHECK_STATUS(bl_everruns_set_add(&set, &source, &diags, NULL), BL_OK);
	REQUIRE(diags.error_count == 1);
	CHECK_STR(diags.first->message,
		  "user_hooks.hooks[1]: hook timeout_ms 99 is out of range "
		  "(100..=30000)");
	CHECK_INT(diags.first->place.line, 2);
	CHECK_STR(set.hooks[0].broken, "");
	CHECK_STR(set.hooks[1].broken,
		  "hook timeout_ms 99 is out of range (100..=30000)");
}

static void sources_cannot_be_forged(void)
{
	static const char text[] =
		"{\"hooks\":[{\"id\":\"a\",\"event\":\"turn_end\",\"source\":"
		"{\"kind\":\"user_config\"}," EXEC "}]}";
	struct bl_everruns_source source = {
		.text = { BL_STR("h.json"), bl_str(text) },
		.capability = BL_STR("audit"),
	};
	struct bl_everruns_set set = fresh("everruns");

	CHECK_STATUS(bl_everruns_set_add(&set, &source, NULL, NULL), BL_OK);
	CHECK_STR(set.hooks[0].id, "audit:a");
	/* A capability mutes nobody. */
	source.text.text = BL_STR("{\"disabled_contributions\":[\"user:a\"]}");
	CHECK_STATUS(bl_everruns_set_add(&set, &source, NULL, NULL), BL_OK);
	CHECK_INT(set.muted.count, 0);
}

static void workspaces_replace_by_id(void)
{
	struct bl_everruns_set set = fresh("everruns");
	struct bl_everruns_source workspace = {
		.text = { BL_STR("w.json"),
			  BL_STR("{\"disabled\":[\"b\"],\"hooks\":[{\"id\":"
				 "\"a\",\"event\":\"session_end\"," EXEC
				 "}]}") },
		.is_workspace = true,
	};

	add(&set, "{\"hooks\":[{\"id\":\"a\",\"event\":\"turn_end\"," EXEC
		  "},{\"id\":\"b\",\"event\":\"turn_end\"," EXEC "},"
		  "{\"event\":\"turn_end\"," EXEC "}]}");
	CHECK_STATUS(bl_everruns_set_add(&set, &workspace, NULL, NULL), BL_OK);
	REQUIRE(set.hook_count == 2);
	CHECK_STR(set.hooks[0].id, "user:turn_end_0");
	CHECK_STR(set.hooks[1].id, "user:a");
	CHECK_INT(set.hooks[1].event, BL_EVERRUNS_SESSION_END);
}

static void too_many_hooks(void)
{
	struct bl_everruns_set set = fresh("everruns");
	struct bl_everruns_source source = { .text = { BL_STR("h"), { 0 } } };
	struct bl_error err;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "{\"hooks\":[" SPEC("turn_end"));
	for (int i = 1; i < 1000; i++)
		bl_buf_puts(&text, "," SPEC("turn_end"));
	bl_buf_puts(&text, "]}");
	source.text.text = bl_buf_str(&text);
	CHECK_STATUS(bl_everruns_set_add(&set, &source, NULL, NULL), BL_OK);
	CHECK_INT(set.hook_count, 1000);
	source.text.text = BL_STR("{\"hooks\":[" SPEC("turn_end") "]}");
	CHECK_STATUS(bl_everruns_set_add(&set, &source, NULL, &err), BL_LIMIT);
	CHECK_STR(bl_str(err.message), "there are more than 1000 hooks");
	bl_buf_clear(&text);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(minimal_spec);
	RUN(usual_on_error);
	RUN(nothing_is_legal);
	RUN(unreadable);
	RUN(invalid_hooks_are_reported);
	RUN(sources_cannot_be_forged);
	RUN(workspaces_replace_by_id);
	RUN(too_many_hooks);
	bl_arena_clear(&arena);
	return tap_end();
}

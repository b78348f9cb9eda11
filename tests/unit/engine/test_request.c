/* SPDX-License-Identifier: Apache-2.0 */
/* Invalid payloads, and what hooks get of valid ones. */
#include "tap.h"

#include "worlds.h"

static const struct {
	const char *hook_event;
	const char *payload;
	enum bl_status status;
	const char *message; /* part of it */
} bad[] = {
	{ "", "", BL_SYNTAX, "payload" },
	{ "", "{\"hook_event_name\":", BL_SYNTAX, "payload, line 1, column" },
	{ "", "{}\n{}", BL_SYNTAX, "payload, line 2" },
	{ "", "\"x\"", BL_INVALID, "" },
	{ "stop", "[]", BL_INVALID, "not an object" },
	{ "", "{}", BL_INVALID, "hook_event_name" },
	{ "", "{\"hook_event_name\":null}", BL_INVALID, "hook_event_name" },
	{ "", "{\"hook_event_name\":\"Stop\"}", BL_NOT_FOUND,
	  "profile cursor has no event Stop" },
	{ "nope", "{}", BL_NOT_FOUND, "nope" },
	{ "stop", "{\"hook_event_name\":\"sessionEnd\"}", BL_INVALID,
	  "sessionEnd" },
	{ "stop", "{\"hook_event_name\":5}", BL_INVALID, "hook_event_name" },
	{ "stop", "{\"status\":\"\xFF\"}", BL_SYNTAX, "payload" },
};

static void test_bad(void)
{
	new_world("cursor");
	CHECK_STATUS(open_engine(), BL_OK);
	for (size_t i = 0; i < BL_COUNT(bad); i++) {
		CHECK_STATUS(
			dispatch_as(bad[i].hook_event, bl_str(bad[i].payload)),
			bad[i].status);
		if (has(bl_str(error.message), bad[i].message))
			continue;
		tap_failures++;
		TAP_NOTE("%s: %s", bad[i].payload, error.message);
	}
}

/* A step of today is not one of 2.3.41. */
static void test_step_of_another_profile(void)
{
	new_world("cursor-2.3");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"preToolUse\"}"),
		     BL_NOT_FOUND);
}

static void test_depth(void)
{
	char payload[800];
	size_t len = 0;

	new_world("cursor");
	CHECK_STATUS(open_engine(), BL_OK);
	len += (size_t)sprintf(payload, "{\"hook_event_name\":\"stop\",\"x\":");
	memset(payload + len, '[', 300);
	memset(payload + len + 300, ']', 300);
	strcpy(payload + len + 600, "}");
	CHECK_STATUS(dispatch(payload), BL_LIMIT);
}

static void test_length(void)
{
	struct bl_str payload = { "{", (128 << 20) + 1 };

	new_world("cursor");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch_as("stop", payload), BL_LIMIT);
}

/* The input that the hook read. */
static struct bl_str received(const char *hook_event, const char *payload)
{
	struct bl_str got = { NULL, 0 };

	new_world("cursor");
	options.agent_version = "3.1";
	options.workspace_count = 1;
	put_hooks(USER, "stop", HOOKS("cat >got"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch_as(hook_event, bl_str(payload)), BL_OK);
	bl_os_read_file(at("home/.cursor/got"), 0, 1 << 20, &arena, &got, NULL,
			NULL);
	return got;
}

static void test_completed(void)
{
	struct bl_value value;
	struct bl_str text =
		received("stop", "{\"z\":1.0,\"status\":\"completed\"}");

	CHECK(bl_str_has_prefix(text, BL_STR("{\"z\":1.0,\"status\":"
					     "\"completed\",")));
	CHECK_STATUS(
		bl_json_read(&arena, text, NULL, &value, NULL, NULL, &error),
		BL_OK);
	CHECK_STR(text_of(value, "hook_event_name"), "stop");
	CHECK_STR(text_of(value, "cursor_version"), "3.1");
	CHECK_STR(bl_value_text(bl_value_item(
			  bl_object_find(value, BL_STR("workspace_roots")), 0)),
		  at("w1").ptr);
}

/* The version and the workspace that the engine has. */
#define COMPLETE                                                               \
	"{ \"hook_event_name\" : \"stop\", \"cursor_version\":\"3.1\","        \
	" \"workspace_roots\":[\"%s\"], \"conversation_id\":\"\\u0041\","      \
	" \"generation_id\":\"\", \"model\":\"\", \"user_email\":null,"        \
	" \"transcript_path\":null, \"session_id\":\"\", \"status\":\"x\","    \
	" \"loop_count\":0, \"big\":123456789012345678901234567890"

/* It outlives the world that it is made in. */
static struct bl_str complete(const char *rest)
{
	static char text[1024];

	new_world("cursor");
	snprintf(text, sizeof(text), COMPLETE "%s", at("w1").ptr, rest);
	return bl_str(text);
}

/* Nothing to add: the caller's own bytes. */
static void test_unchanged(void)
{
	struct bl_str text = complete(" }\n");

	CHECK_STR(received("", text.ptr), text.ptr);
}

/*
 * Two readers may take different members of a repeated key; what was decided
 * about must be what the hook sees.
 */
static void test_repeated_key(void)
{
	struct bl_str text = complete(", \"big\":2 }");

	text = received("", text.ptr);

	CHECK(has(text, "\"big\":2"));
	CHECK(!has(text, "123456789012345678901234567890"));
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_bad);
	RUN(test_step_of_another_profile);
	RUN(test_depth);
	RUN(test_length);
	RUN(test_completed);
	RUN(test_unchanged);
	RUN(test_repeated_key);
	CLOSE_WORLD();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles, checks and the sample: what needs no engine. */
#include <belay.h>

#include <string.h>

#include "tap.h"

static belay_text *text;
static belay_error error = BELAY_ERROR_INIT;

/* Is it there?  Frees the text. */
static bool says(const char *part)
{
	bool found = text && strstr(belay_text_data(text), part);

	if (!found)
		TAP_NOTE("%s", text ? belay_text_data(text) : "nothing");
	belay_text_free(text);
	text = NULL;
	return found;
}

static void test_profiles(void)
{
	size_t count = 0;

	CHECK(!strcmp(belay_profile_name(0), "cursor"));
	while (belay_profile_name(count)) {
		CHECK_INT(belay_profile_json(belay_profile_name(count), &text,
					     NULL),
			  BELAY_OK);
		CHECK(says("\"events\":[{\"name\":\""));
		count++;
	}
	CHECK_INT(count, 4);
	CHECK_INT(belay_profile_json(NULL, &text, NULL), BELAY_OK);
	CHECK(says("{\"name\":\"beforeShellExecution\",\"kind\":"
		   "\"shell.before\",\"can_refuse\":true,\"can_ask\":true}"));
	CHECK_INT(belay_profile_json("everruns", &text, NULL), BELAY_OK);
	CHECK(says("{\"name\":\"post_tool_use\",\"can_refuse\":false,"
		   "\"can_ask\":false}"));
	CHECK_INT(belay_profile_json("nonesuch", &text, &error),
		  BELAY_NOT_FOUND);
	CHECK(!text && strstr(error.message, "nonesuch"));
}

static belay_status validate(const char *profile, const char *source,
			     const char *file)
{
	return belay_hooks_validate(profile, source, file, strlen(file), &text,
				    &error);
}

static void test_hook_files(void)
{
	CHECK_INT(validate(NULL, NULL, "{\"version\":1,\"hooks\":{}}"),
		  BELAY_OK);
	CHECK(says("{\"valid\":true,\"diagnostics\":[]"));
	CHECK_INT(validate("cursor", "project", "{\"version\":1,\"hooks\":[]}"),
		  BELAY_OK);
	CHECK(text && strstr(belay_text_data(text), "\"valid\":false"));
	CHECK(says("Config hooks must be an object"));
	CHECK_INT(validate("everruns", NULL, "{}"), BELAY_OK);
	CHECK(says("\"valid\":true"));
	CHECK_INT(validate("everruns", NULL, "[1"), BELAY_OK);
	CHECK(says("\"valid\":false"));
	CHECK_INT(validate(NULL, "nowhere", "{}"), BELAY_NOT_FOUND);
	CHECK_INT(validate("nonesuch", NULL, "{}"), BELAY_NOT_FOUND);
}

static belay_status check(const char *profile, const char *event,
			  const char *output)
{
	return belay_output_validate(profile, event, output, strlen(output),
				     &text, &error);
}

static void test_outputs(void)
{
	CHECK_INT(
		check(NULL, "beforeShellExecution", "{\"permission\":\"ask\"}"),
		BELAY_OK);
	CHECK(says("{\"valid\":true,\"outcome\":\"answered\","
		   "\"verdict\":\"ask\",\"success\":true,"
		   "\"data\":{\"permission\":\"ask\"}}"));
	/* Cursor 2.3.41's own form, with every text. */
	CHECK_INT(check("cursor-2.3", "beforeShellExecution",
			"{\"permission\":\"x\",\"user_message\":1}"),
		  BELAY_OK);
	CHECK(says("\"success\":false,\"errors\":[\"Invalid permission value. "
		   "Expected one of: allow, deny, ask, or undefined\","
		   "\"Invalid user_message value. Expected a string if "
		   "provided\"]}"));
	CHECK_INT(check("cursor-2.3", "stop", "[1]"), BELAY_OK);
	CHECK(says("\"success\":false,\"errors\":[\"Expected an object\"]}"));
	CHECK_INT(check(NULL, "beforeSubmitPrompt", "{\"continue\":false}"),
		  BELAY_OK);
	CHECK(says("\"verdict\":\"deny\""));
	CHECK_INT(check(NULL, "beforeShellExecution",
			"{\"permission\":\"perhaps\"}"),
		  BELAY_OK);
	CHECK(says("{\"valid\":false,\"outcome\":\"invalid\",\"reason\":"));
	CHECK_INT(check(NULL, "beforeShellExecution", " \n"), BELAY_OK);
	CHECK(says("\"outcome\":\"no_output\""));
	CHECK_INT(check("everruns", "pre_tool_use",
			"{\"decision\":\"block\",\"reason\":\"no\"}"),
		  BELAY_OK);
	CHECK(says("\"verdict\":\"deny\""));
	CHECK_INT(check("everruns", "pre_tool_use", "hello"), BELAY_OK);
	CHECK(says("\"valid\":false"));
	CHECK_INT(check(NULL, "nonesuch", "{}"), BELAY_NOT_FOUND);
	CHECK_INT(check("everruns", "nonesuch", "{}"), BELAY_NOT_FOUND);
	CHECK_INT(check("nonesuch", "stop", "{}"), BELAY_NOT_FOUND);
}

static void test_sample(void)
{
	CHECK_INT(belay_sample_json(0, &text, NULL), BELAY_OK);
	CHECK(says("{\"path\":\"hooks/no-publish.sh\",\"mode\":493,\"text\":"
		   "\"#!/bin/sh\\n"));
	CHECK_INT(belay_sample_json(1, &text, NULL), BELAY_OK);
	CHECK(says("./.cursor/hooks/no-publish.sh"));
}

static void test_null(void)
{
	CHECK_INT(belay_profile_json(NULL, NULL, NULL), BELAY_USAGE);
	CHECK_INT(belay_sample_json(0, NULL, NULL), BELAY_USAGE);
	CHECK_INT(belay_hooks_validate(NULL, NULL, NULL, 0, &text, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_hooks_validate(NULL, NULL, "{}", 2, NULL, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_output_validate(NULL, NULL, "{}", 2, &text, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_output_validate(NULL, "stop", NULL, 0, &text, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_output_validate(NULL, "stop", "{}", 2, NULL, NULL),
		  BELAY_USAGE);
}

int main(void)
{
	RUN(test_profiles);
	RUN(test_hook_files);
	RUN(test_outputs);
	RUN(test_sample);
	RUN(test_null);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The subject of an action in its line, and the parts that must stay out. */
#include "tap.h"

#include "journal/private.h"
#include "logs.h"

static struct bl_str about(const char *payload)
{
	struct bl_value value;
	struct bl_buf out;
	struct bl_str text;

	bl_buf_init(&out, 0);
	CHECK_STATUS(bl_json_read(&arena, bl_str(payload), NULL, &value, NULL,
				  NULL, &error),
		     BL_OK);
	bl_journal_put_about(&out, value);
	text = bl_arena_copy_str(&arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

static void test_subjects(void)
{
	static const struct {
		const char *payload;
		const char *about;
	} rows[] = {
		{ "{\"command\":\"ls\"}", "ls" },
		{ "{\"tool_name\":\"Bash\",\"tool_input\":"
		  "{\"command\":\"ls -l\"}}",
		  "ls -l" },
		{ "{\"tool_name\":\"shell\",\"tool_input\":"
		  "{\"command\":[\"ls\",\"-l\"]}}",
		  "ls -l" },
		{ "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}}", "ls" },
		{ "{\"tool_name\":\"Read\",\"tool_input\":"
		  "{\"file_path\":\"/a\"}}",
		  "Read /a" },
		{ "{\"file_path\":\"/a\"}", "/a" },
		{ "{\"tool_name\":\"mcp__x__y\",\"tool_input\":{\"n\":1}}",
		  "mcp__x__y" },
		{ "{\"prompt\":\"tell me\"}", "" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		CHECK_STR(about(rows[i].payload), rows[i].about);
}

/* SECRET must not come out, and what stands around it must. */
static void test_credentials(void)
{
	static const struct {
		const char *command;
		const char *shown;
	} rows[] = {
		{ "PASSWORD=SECRET make x", "PASSWORD=[REDACTED] make x" },
		{ "curl -H 'Authorization: Bearer SECRET' h",
		  "curl -H 'Authorization: [REDACTED]' h" },
		{ "curl -H Authorization:SECRET h",
		  "curl -H Authorization:[REDACTED]" },
		{ "git clone https://u:SECRET@h/r",
		  "git clone https://[REDACTED]@h/r" },
		{ "gh --token SECRET pr", "gh --token [REDACTED] pr" },
		{ "gh --token=SECRET pr", "gh --token=[REDACTED] pr" },
		{ "echo ghp_SECRETSECRETSECRETSECRET", "echo [REDACTED]" },
		{ "echo AKIASECRETSECRETSECRE;ls", "echo [REDACTED];ls" },
		{ "aws_secret_access_key: 'SECRET' x",
		  "aws_secret_access_key: '[REDACTED]' x" },
		{ "make tokens", "make tokens" },
		{ "git config user.email a@b", "git config user.email a@b" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_str payload = bl_arena_printf(
			&arena, "{\"command\":\"%s\"}", rows[i].command);

		CHECK_STR(about(payload.ptr), rows[i].shown);
	}
}

/* Reasons quote the command. */
static void test_reason(void)
{
	new_journal();
	entry.reason = BL_STR("`x --password SECRET` is refused");
	CHECK_STATUS(append_one(), BL_OK);
	CHECK(bl_str_find(content(CURRENT), BL_STR("SECRET"), 0) == SIZE_MAX);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_subjects);
	RUN(test_credentials);
	RUN(test_reason);
	place_close();
	return tap_end();
}

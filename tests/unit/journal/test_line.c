/* SPDX-License-Identifier: Apache-2.0 */
/* Lines as docs/formats/journal.md describes them. */
#include "tap.h"

#include "logs.h"

/* printf '%s' PAYLOAD | sha256sum */
#define PAYLOAD_SHA256                                                         \
	"82be031140b587febefbb3efbd9851d7e038e828b71d13edbeac0f70e6db0363"

/* The only line of the journal. */
static struct bl_value line_of_entry(void)
{
	CHECK_STATUS(append_one(), BL_OK);
	CHECK_STATUS(read_last(1), BL_OK);
	return found_count ? found[0] : bl_value_undefined();
}

static void test_every_field(void)
{
	struct bl_str text;
	char action[BL_JOURNAL_ID_BYTES];
	struct bl_str expected;

	new_journal();
	bl_json_read(&arena, BL_STR("{\"permission\":\"deny\"}"), NULL,
		     &entry.response, NULL, NULL, NULL);
	entry.outcome = BL_OUTCOME_TIMEOUT;
	entry.reason = BL_STR("late");
	entry.duration_ms = 12.3456;
	entry.has_exit_code = true;
	entry.exit_code = 3;
	entry.signal = 9;
	entry.errors = BL_STR("a\nb\xFF");
	entry.asked = BL_VERDICT_DENY;
	entry.enforced = BL_VERDICT_ASK;
	CHECK_STATUS(append_one(), BL_OK);
	bl_journal_action_id(BL_EVENT_SHELL_BEFORE, entry.payload, action);
	text = content(CURRENT);
	expected = bl_arena_printf(
		&arena,
		"{\"v\":1,\"id\":\"%s\",\"time\":\"2025-11-28T02:42:41.123Z\","
		"\"action\":\"%s\",\"step\":\"beforeShellExecution\","
		"\"kind\":\"shell.before\",\"profile\":\"cursor\","
		"\"payload\":{\"sha256\":\"" PAYLOAD_SHA256 "\",\"bytes\":64},"
		"\"asked\":\"deny\",\"enforced\":\"ask\",\"source\":\"user\","
		"\"file\":\"/h/.cursor/hooks.json\","
		"\"command\":\"./guard.sh\",\"about\":\"secret\","
		"\"conversation\":\"c1\","
		"\"generation\":\"g1\","
		"\"response\":{\"permission\":\"deny\"},"
		"\"outcome\":\"timeout\",\"reason\":\"late\","
		"\"duration_ms\":12.346,\"exit_code\":3,\"signal\":9,"
		"\"stderr\":\"a\\nb\xEF\xBF\xBD\"",
		entry_id, action);
	CHECK_STR(bl_str_slice(text, 0, expected.len), expected.ptr);
	/* the link comes last: tests/unit/journal/test_chain.c */
	CHECK_STR(bl_str_slice(text, expected.len, expected.len + 10),
		  ",\"chain\":\"");
	CHECK_INT(text.len, expected.len + 77);
}

static void test_what_has_no_value_is_left_out(void)
{
	struct bl_value line;

	new_journal();
	entry.command = BL_STR("");
	entry.has_outcome = false;
	line = line_of_entry();
	CHECK_INT(bl_value_count(line), 16);
	CHECK(!bl_value_is_defined(bl_object_find(line, BL_STR("command"))));
	CHECK(!bl_value_is_defined(bl_object_find(line, BL_STR("outcome"))));
	CHECK(!bl_value_is_defined(bl_object_find(line, BL_STR("cut"))));
}

static void test_digest_is_the_default(void)
{
	struct bl_value line, payload;

	new_journal();
	line = line_of_entry();
	/* what it is about, and nothing else of the payload */
	CHECK_STR(text_of(line, "about"), "secret");
	CHECK(bl_str_find(content(CURRENT), BL_STR("conversation_id"), 0) ==
	      SIZE_MAX);
	payload = bl_object_find(line, BL_STR("payload"));
	CHECK_STR(text_of(payload, "sha256"), PAYLOAD_SHA256);
	CHECK_INT(bl_value_count(payload), 2);
}

static void test_full(void)
{
	struct bl_value line, payload;

	new_journal();
	options.full_payload = true;
	line = line_of_entry();
	payload = bl_object_find(line, BL_STR("payload"));
	CHECK(bl_value_equal(bl_object_find(payload, BL_STR("value")),
			     entry.payload));
}

static struct bl_str repeated(char c, size_t len)
{
	char *text = bl_arena_alloc(&arena, len);

	if (!text)
		abort();
	memset(text, c, len);
	return (struct bl_str){ text, len };
}

/* Names in the line's "cut", joined by blanks. */
static struct bl_str cut_of(struct bl_value line)
{
	struct bl_value cut = bl_object_find(line, BL_STR("cut"));
	struct bl_str names = BL_STR("");

	for (size_t i = 0; i < bl_value_count(cut); i++) {
		struct bl_str name = bl_value_text(bl_value_item(cut, i));

		names = bl_arena_printf(&arena, "%.*s%s%.*s", BL_STR_ARG(names),
					i ? " " : "", BL_STR_ARG(name));
	}
	return names;
}

static void test_long_texts_are_cut(void)
{
	struct bl_value line;

	new_journal();
	entry.errors = repeated('e', 5000);
	entry.reason = repeated('r', 4096);
	entry.command = repeated('c', 4097);
	line = line_of_entry();
	CHECK_INT(text_of(line, "stderr").len, 4096);
	CHECK_INT(text_of(line, "reason").len, 4096);
	CHECK_INT(text_of(line, "command").len, 4096);
	CHECK_STR(cut_of(line), "command stderr");
}

static void test_cut_between_characters(void)
{
	struct bl_value line;

	new_journal();
	/* the sign of the euro at the end */
	entry.errors = bl_arena_printf(&arena, "%04095d\xE2\x82\xAC", 0);
	line = line_of_entry();
	CHECK_INT(text_of(line, "stderr").len, 4095);
	CHECK_STR(cut_of(line), "stderr");
}

static void test_large_answers_are_left_out(void)
{
	struct bl_value line;

	new_journal();
	entry.response = bl_value_string(repeated('a', 4095));
	line = line_of_entry();
	CHECK_STR(cut_of(line), "response");
	CHECK(!bl_value_is_defined(bl_object_find(line, BL_STR("response"))));
	options.full_payload = true;
	line = line_of_entry();
	CHECK_INT(text_of(line, "response").len, 4095);
}

/* The worst that every field can hold, and still a line within its limit. */
static void test_longest_line(void)
{
	struct bl_str worst = repeated('\x01', 1 << 20);
	struct bl_str text;

	new_journal();
	options.full_payload = true;
	entry.command = entry.source = entry.file = worst;
	entry.conversation = entry.generation = worst;
	entry.reason = entry.errors = worst;
	entry.payload_text = worst;
	entry.payload = bl_value_string(repeated('p', 60000));
	entry.response = bl_value_string(repeated('r', 60000));
	CHECK_STATUS(append_one(), BL_OK);
	text = content(CURRENT);
	CHECK(text.len > 200000 && text.len <= 256 * 1024);
	entry.payload = worst.ptr ? bl_value_string(worst) : entry.payload;
	entry.response = entry.payload;
	CHECK_STATUS(append_one(), BL_OK);
	CHECK_STATUS(read_last(9), BL_OK);
	CHECK_INT(found_count, 2);
	CHECK_INT(found_bad, 0);
	CHECK_STR(cut_of(found[1]),
		  "payload source file command conversation generation "
		  "response reason stderr");
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_every_field);
	RUN(test_what_has_no_value_is_left_out);
	RUN(test_digest_is_the_default);
	RUN(test_full);
	RUN(test_long_texts_are_cut);
	RUN(test_cut_between_characters);
	RUN(test_large_answers_are_left_out);
	RUN(test_longest_line);
	place_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The record of an event in the journal. */
#include "tap.h"

#include "crypto/crypto.h"
#include "worlds.h"

#define EVENT                                                                  \
	"{\"hook_event_name\":\"beforeShellExecution\",\"command\":\"ls\","    \
	"\"conversation_id\":\"c1\",\"generation_id\":\"g1\"}"

static void test_entries(void)
{
	struct bl_value *entries;
	struct bl_str got = { NULL, 0 };
	char sha256[BL_SHA256_HEX_BYTES];
	int64_t number = 0;

	new_world("cursor");
	put_hooks(USER, "beforeShellExecution",
		  HOOKS("cat >got; echo '{\"permission\":\"ask\"}'",
			"sleep 0.01; echo oops >&2; exit 7", "kill -9 $$"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(EVENT), BL_OK);
	CHECK(reply.recorded);
	REQUIRE(read_journal(&entries) == 3);
	for (size_t i = 0; i < 3; i++) {
		CHECK_STR(text_of(entries[i], "id"), reply.executions[i].id);
		CHECK_STR(text_of(entries[i], "source"), "user");
		CHECK_STR(text_of(entries[i], "conversation"), "c1");
		CHECK_STR(text_of(entries[i], "generation"), "g1");
		CHECK_STR(text_of(entries[i], "profile"), "cursor");
		CHECK_STR(text_of(entries[i], "enforced"), "ask");
		CHECK(bl_str_equal(text_of(entries[i], "action"),
				   text_of(entries[0], "action")));
	}
	/* the digest is of the very bytes that the hook read */
	bl_os_read_file(at("home/.cursor/got"), 0, 1 << 20, &arena, &got, NULL,
			NULL);
	bl_sha256_hex(got, sha256);
	CHECK_STR(text_of(bl_object_find(entries[0], BL_STR("payload")),
			  "sha256"),
		  sha256);
	CHECK_STR(json_of(bl_object_find(entries[0], BL_STR("response"))),
		  "{\"permission\":\"ask\"}");
	CHECK_STR(text_of(entries[0], "asked"), "ask");
	CHECK_STR(text_of(entries[1], "outcome"), "exit_code");
	CHECK_STR(text_of(entries[1], "stderr"), "oops\n");
	CHECK_STR(text_of(entries[1], "asked"), "none");
	bl_number_to_integer(bl_object_find(entries[1], BL_STR("exit_code")),
			     &number);
	CHECK_INT(number, 7);
	CHECK(bl_number_to_double(
		      bl_object_find(entries[1], BL_STR("duration_ms"))) >= 10);
	CHECK_STR(text_of(entries[2], "outcome"), "signal");
	bl_number_to_integer(bl_object_find(entries[2], BL_STR("signal")),
			     &number);
	CHECK_INT(number, 9);
}

/* Hooks that an earlier answer kept from running are not executions. */
static void test_skipped(void)
{
	struct bl_value *entries;

	new_world("cursor-2.3");
	put_hooks(USER, "stop", HOOKS("echo '{}'", "echo '{}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"stop\"}"), BL_OK);
	CHECK_INT(reply.execution_count, 2);
	CHECK(reply.executions[0].id[0] != '\0');
	CHECK(reply.executions[1].id[0] == '\0');
	CHECK_INT(read_journal(&entries), 1);
}

static void test_no_journal(void)
{
	struct bl_value *entries;

	new_world("cursor");
	options.no_journal = true;
	put_hooks(USER, "stop", HOOKS("echo '{}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"stop\"}"), BL_OK);
	CHECK(!reply.recorded);
	CHECK_INT(bl_value_count(reply.notices), 0);
	CHECK_INT(read_journal(&entries), 0);
}

/* The decision stands; that it was not recorded is said. */
static void test_journal_that_cannot_be_written(void)
{
	new_world("cursor");
	put("state", "a file\n");
	put_hooks(USER, "beforeShellExecution", HOOKS("exit 2"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(EVENT), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
	CHECK(!reply.recorded);
	CHECK(noticed("not recorded: journal: "));
	CHECK(reply.executions[0].id[0] == '\0');
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_entries);
	RUN(test_skipped);
	RUN(test_no_journal);
	RUN(test_journal_that_cannot_be_written);
	CLOSE_WORLD();
	return tap_end();
}

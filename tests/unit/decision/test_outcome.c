/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "decision/decision.h"

static const char *const names[BL_OUTCOME_COUNT] = {
	[BL_OUTCOME_ANSWERED] = "answered",
	[BL_OUTCOME_NO_OUTPUT] = "no_output",
	[BL_OUTCOME_NOT_JSON] = "not_json",
	[BL_OUTCOME_INVALID] = "invalid",
	[BL_OUTCOME_AMBIGUOUS] = "ambiguous_output",
	[BL_OUTCOME_EXIT_2] = "exit_code",
	[BL_OUTCOME_EXIT_CODE] = "exit_code",
	[BL_OUTCOME_SIGNAL] = "signal",
	[BL_OUTCOME_TIMEOUT] = "timeout",
	[BL_OUTCOME_CANCELLED] = "cancelled",
	[BL_OUTCOME_DEADLINE] = "deadline",
	[BL_OUTCOME_TOO_MUCH_OUTPUT] = "too_much_output",
	[BL_OUTCOME_NO_RESOURCES] = "no_resources",
	[BL_OUTCOME_UNREADABLE] = "unreadable_output",
	[BL_OUTCOME_CANNOT_START] = "cannot_start",
	[BL_OUTCOME_NO_INTERPRETER] = "no_interpreter",
	[BL_OUTCOME_HTTP_STATUS] = "http_status",
	[BL_OUTCOME_NO_CONNECTION] = "no_connection",
	[BL_OUTCOME_UNTRUSTED] = "untrusted",
	[BL_OUTCOME_CHANGED] = "untrusted",
	[BL_OUTCOME_CHANGED_FILE] = "untrusted",
	[BL_OUTCOME_NOT_SUPPORTED] = "not_supported",
	[BL_OUTCOME_LOOP_LIMIT] = "loop_limit",
	[BL_OUTCOME_SKIPPED] = "skipped",
	[BL_OUTCOME_BROKEN_SOURCE] = "broken_source",
};

static void names_and_texts(void)
{
	CHECK_INT(BL_OUTCOME_ANSWERED, 0);
	for (size_t i = 0; i < BL_OUTCOME_COUNT; i++) {
		enum bl_outcome_kind kind = (enum bl_outcome_kind)i;

		REQUIRE(names[i]);
		CHECK_STR(bl_str(bl_outcome_name(kind)), names[i]);
		CHECK(strlen(bl_outcome_text(kind)) > 0);
	}
}

/* Kinds that share a public name are told apart by their texts. */
static void texts_differ(void)
{
	for (size_t i = 0; i < BL_OUTCOME_COUNT; i++)
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(bl_outcome_text((enum bl_outcome_kind)i),
				     bl_outcome_text(
					     (enum bl_outcome_kind)j)) != 0);
}

int main(void)
{
	RUN(names_and_texts);
	RUN(texts_differ);
	return tap_end();
}

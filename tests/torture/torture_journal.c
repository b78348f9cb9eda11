/* SPDX-License-Identifier: Apache-2.0 */
/* The journal without memory and on a full disk: nothing torn, no lie. */
#include "../unit/tap.h"

#include "../unit/journal/logs.h"
#include "torture.h"

static size_t recorded; /* events whose append said OK */

static size_t lines(void)
{
	struct bl_value *entries = NULL;
	struct bl_arena own;
	size_t count = 0;
	size_t bad = 0;

	bl_arena_init(&own, NULL, 0, 0);
	CHECK_STATUS(bl_journal_read_last(options.dir, 20000, &own, &entries,
					  &count, &bad, &error),
		     BL_OK);
	CHECK_INT(bad, 0);
	bl_arena_clear(&own);
	return count;
}

static enum bl_status append_two(void)
{
	struct bl_journal_entry two[2] = { entry, entry };
	enum bl_status status = bl_journal_append(
		&options, BL_EVENT_SHELL_BEFORE, two, 2, &error);

	recorded += status ? 0 : 2;
	return status;
}

static void torture_append(enum torture_kind kind, enum bl_status expected)
{
	int calls;

	new_journal();
	recorded = 0;
	CHECK_STATUS(append_two(), BL_OK);
	calls = torture_run(kind, append_two, expected);
	CHECK(calls > 0);
	CHECK_INT(lines(), recorded);
	CHECK_INT(recorded, 4);
}

static void nothing_torn(void)
{
	torture_append(TORTURE_ALLOCATIONS, BL_NO_MEMORY);
	torture_append(TORTURE_WRITES, BL_SYSTEM);
}

static enum bl_status read_back(void)
{
	struct bl_value *entries = NULL;
	struct bl_arena own;
	size_t count = 0;
	size_t bad = 0;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_journal_read_last(options.dir, 10, &own, &entries, &count,
				      &bad, &error);
	if (!status) {
		CHECK_INT(count, 2);
		CHECK_INT(bad, 0);
	}
	bl_arena_clear(&own);
	return status;
}

static void read_without_memory(void)
{
	new_journal();
	CHECK_STATUS(append_two(), BL_OK);
	CHECK(torture_run(TORTURE_ALLOCATIONS, read_back, BL_NO_MEMORY) > 0);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(nothing_torn);
	RUN(read_without_memory);
	place_close();
	return tap_end();
}

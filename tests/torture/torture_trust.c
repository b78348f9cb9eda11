/* SPDX-License-Identifier: Apache-2.0 */
/* The trust store without memory and on a full disk: whole, or as it was. */
#include "../unit/tap.h"

#include "../unit/trust/place.h"
#include "torture.h"
#include "trust/trust.h"

#define STORE   ".config/belay/trust.json"
#define COMMAND BL_STR("./guard.sh --all 'sub/other.sh x'")

static struct bl_trust_record first;
static struct bl_trust_record second;

/* Which of the two are trusted, as two bits; -1 when it cannot be read. */
static int trusted(void)
{
	struct bl_trust_store store;
	struct bl_arena own;
	int bits = -1;

	bl_arena_init(&own, NULL, 0, 0);
	if (!bl_trust_read(&own, bl_str(place), &store, &error))
		bits = (bl_trust_find(&store, first.workspace) ? 1 : 0) |
		       (bl_trust_find(&store, second.workspace) ? 2 : 0);
	bl_arena_clear(&own);
	return bits;
}

static void begin_with(const struct bl_trust_record *also)
{
	place_empty();
	unlink(STORE);
	CHECK_STATUS(bl_trust_add(bl_str(place), &first, &error), BL_OK);
	if (also)
		CHECK_STATUS(bl_trust_add(bl_str(place), also, &error), BL_OK);
}

static int before;
static bool removes;

static enum bl_status change_store(void)
{
	return removes ? bl_trust_remove(bl_str(place), second.workspace,
					 &error)
		       : bl_trust_add(bl_str(place), &second, &error);
}

/* After a failure of each call: as it was, whole. */
static void torture_change(enum torture_kind kind, enum bl_status expected)
{
	int calls;

	begin_with(removes ? &second : NULL);
	before = trusted();
	calls = torture_run(kind, change_store, expected);
	CHECK(calls > 0);
	CHECK_INT(trusted(), removes ? 1 : 3);
	for (int n = 1; n <= calls; n++) {
		enum bl_status status;

		begin_with(removes ? &second : NULL);
		status = torture_once(kind, n, change_store);
		CHECK_STATUS(status, expected);
		CHECK_INT(trusted(), before);
	}
}

static void added_whole_or_not(void)
{
	removes = false;
	torture_change(TORTURE_ALLOCATIONS, BL_NO_MEMORY);
	torture_change(TORTURE_WRITES, BL_SYSTEM);
}

static void removed_whole_or_not(void)
{
	removes = true;
	torture_change(TORTURE_ALLOCATIONS, BL_NO_MEMORY);
	torture_change(TORTURE_WRITES, BL_SYSTEM);
}

/* A failure to read finds nobody trusted. */
static enum bl_status read_store(void)
{
	struct bl_trust_store store = { 0 };
	struct bl_arena own;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_trust_read(&own, bl_str(place), &store, &error);
	CHECK((bl_trust_find(&store, second.workspace) != NULL) ==
	      (status == BL_OK));
	bl_arena_clear(&own);
	return status;
}

/* A pin too few would leave a script unwatched. */
static enum bl_status make_pins(void)
{
	struct bl_str items[] = { COMMAND };
	struct bl_trust_commands commands = { bl_str(place), items, 1 };
	struct bl_trust_pins pins = { NULL, 0 };
	struct bl_arena own;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_trust_make_pins(BL_STR("/hooks.json"), BL_STR("{}"),
				    &commands, &own, &pins, &error);
	CHECK(status || pins.count >= 3);
	bl_arena_clear(&own);
	return status;
}

static void read_without_memory(void)
{
	begin_with(&second);
	CHECK(torture_run(TORTURE_ALLOCATIONS, read_store, BL_NO_MEMORY) > 0);
	put("guard.sh", "exit 2");
	put("sub/other.sh", "exit 2");
	CHECK(torture_run(TORTURE_ALLOCATIONS, make_pins, BL_NO_MEMORY) > 0);
}

int main(void)
{
	REQUIRE_PLACE();
	first = (struct bl_trust_record){ .workspace = BL_STR("/first"),
					  .mode = BL_TRUST_FOLDER };
	second = (struct bl_trust_record){ .workspace = BL_STR("/second"),
					   .mode = BL_TRUST_FOLDER };
	RUN(added_whole_or_not);
	RUN(removed_whole_or_not);
	RUN(read_without_memory);
	place_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "allowances.h"
#include "json/json.h"

static struct bl_allowances list;

static enum bl_status list_at(int64_t now_ms)
{
	return bl_allowance_list(state(), now_ms, &arena, &list, &error);
}

/* The i-th of many: another action, another code. */
static struct bl_allowance numbered(unsigned i)
{
	struct bl_allowance one = usual();

	one.action.digest = bl_arena_printf(&arena, "%064x", i);
	one.code = bl_arena_printf(&arena, "%06u", i);
	return one;
}

static void granted_are_listed(void)
{
	struct bl_allowance one = numbered(1);
	struct bl_allowance two = numbered(2);

	place_empty();
	CHECK_STATUS(list_at(GRANTED), BL_OK);
	CHECK_INT(list.count, 0);
	CHECK_STATUS(bl_allowance_grant(state(), &two, &error), BL_OK);
	CHECK_STATUS(bl_allowance_grant(state(), &one, &error), BL_OK);
	CHECK_STATUS(bl_allowance_grant(state(), &one, &error), BL_OK);
	CHECK_STATUS(list_at(GRANTED), BL_OK);
	REQUIRE(list.count == 2);
	CHECK_INT(list.damaged_count, 0);
	CHECK_STR(list.items[0].code, "000001");
	CHECK_STR(list.items[1].code, "000002");
	CHECK_STATUS(list_at(one.until_ms), BL_OK);
	CHECK_INT(list.count, 0);
}

static void damaged_are_counted(void)
{
	struct bl_allowance one = numbered(1);

	place_empty();
	REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	REQUIRE(bl_os_replace_file(at("allowances/x.json"), BL_STR("{}"), 0600,
				   &error) == BL_OK);
	CHECK_STATUS(list_at(GRANTED), BL_OK);
	CHECK_INT(list.count, 1);
	CHECK_INT(list.damaged_count, 1);
}

static void there_is_a_most(void)
{
	struct bl_allowance one;

	place_empty();
	for (unsigned i = 0; i < BL_ALLOWANCE_MAX; i++) {
		one = numbered(i);
		REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	}
	/* Once more for one that is there; then one more. */
	CHECK_STATUS(bl_allowance_grant(state(), &one, &error), BL_OK);
	one = numbered(BL_ALLOWANCE_MAX);
	CHECK_STATUS(bl_allowance_grant(state(), &one, &error), BL_LIMIT);
	/* The old ones make room as they expire. */
	one.granted_ms += BL_ALLOWANCE_ONCE_MS;
	one.until_ms += BL_ALLOWANCE_ONCE_MS;
	CHECK_STATUS(bl_allowance_grant(state(), &one, &error), BL_OK);
	CHECK_STATUS(list_at(GRANTED), BL_OK);
	CHECK_INT(list.count, 1);
}

static void too_long_is_refused(void)
{
	static char text[BL_ALLOWANCE_FILE_BYTES + 1];
	struct bl_allowance one = usual();

	place_empty();
	memset(text, 'x', sizeof(text));
	one.what = (struct bl_str){ text, sizeof(text) };
	CHECK_STATUS(bl_allowance_grant(state(), &one, &error), BL_LIMIT);
	CHECK_STATUS(list_at(GRANTED), BL_OK);
	CHECK_INT(list.count, 0);
}

static void revoked_are_gone(void)
{
	struct bl_allowance one = numbered(1);
	struct bl_allowance two = numbered(2);

	place_empty();
	CHECK_STATUS(bl_allowance_revoke(state(), BL_STR("000001"), &error),
		     BL_NOT_FOUND);
	REQUIRE(bl_allowance_grant(state(), &one, &error) == BL_OK);
	REQUIRE(bl_allowance_grant(state(), &two, &error) == BL_OK);
	REQUIRE(bl_allowance_use(state(), &one, BL_STR("tool.before"),
				 BL_STR(""), &error) == BL_OK);
	CHECK_STATUS(bl_allowance_revoke(state(), BL_STR("000001"), &error),
		     BL_OK);
	CHECK_STATUS(list_at(GRANTED), BL_OK);
	CHECK_INT(list.count, 1);
	/* All: damaged ones too. */
	REQUIRE(bl_os_replace_file(at("allowances/x.json"), BL_STR("{}"), 0600,
				   &error) == BL_OK);
	CHECK_STATUS(bl_allowance_revoke(state(), (struct bl_str){ NULL, 0 },
					 &error),
		     BL_OK);
	CHECK_STATUS(list_at(GRANTED), BL_OK);
	CHECK_INT(list.count + list.damaged_count, 0);
	CHECK_STATUS(bl_allowance_revoke(state(), (struct bl_str){ NULL, 0 },
					 &error),
		     BL_NOT_FOUND);
}

/* docs/formats/journal.md, "allowance". */
static void values_are_of_the_journal(void)
{
	struct bl_allowance one = usual();
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_allowance_value(&one, "granted", &arena),
		      BL_JSON_COMPACT);
	CHECK_STR(bl_buf_str(&text),
		  "{\"state\":\"granted\",\"code\":\"K7M2QX\",\"action\":"
		  "\"" DIGEST "\",\"agent\":\"claude\",\"workspace\":\"/w\","
		  "\"rules\":[\"git/force-push\"],\"by\":\"dev\",\"granted\":"
		  "1795836000000,\"until\":1795839600000,\"once\":true}");
	bl_buf_reset(&text);
	one.until_ms = 0;
	bl_json_write(&text, bl_allowance_value(&one, "offered", &arena),
		      BL_JSON_COMPACT);
	CHECK_STR(bl_buf_str(&text),
		  "{\"state\":\"offered\",\"code\":\"K7M2QX\",\"action\":"
		  "\"" DIGEST "\",\"agent\":\"claude\",\"workspace\":\"/w\","
		  "\"rules\":[\"git/force-push\"]}");
	bl_buf_clear(&text);
}

int main(void)
{
	if (!place_open())
		return 1;
	RUN(granted_are_listed);
	RUN(damaged_are_counted);
	RUN(there_is_a_most);
	RUN(too_long_is_refused);
	RUN(revoked_are_gone);
	RUN(values_are_of_the_journal);
	place_close();
	return tap_end();
}

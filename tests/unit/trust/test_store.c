/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <sys/wait.h>

#include "place.h"
#include "trust/trust.h"

#define STORE ".config/belay/trust.json"
#define DIGEST                                                                 \
	"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static struct bl_trust_store store;

static enum bl_status read_store(void)
{
	memset(&store, 0, sizeof(store));
	memset(&error, 0, sizeof(error));
	return bl_trust_read(&arena, bl_str(place), &store, &error);
}

static enum bl_status add(const char *workspace, enum bl_trust_mode mode)
{
	struct bl_trust_pin pins[2] = { { BL_STR("/w/hooks.json"), DIGEST },
					{ BL_STR("/w/gone \"x\""), "" } };
	struct bl_trust_record record = { bl_str(workspace), mode,
					  1795836000123, pins, 2 };

	return bl_trust_add(bl_str(place), &record, &error);
}

static void missing_is_empty(void)
{
	CHECK_STATUS(read_store(), BL_OK);
	CHECK_INT(store.record_count, 0);
	CHECK(bl_trust_find(&store, BL_STR("/w")) == NULL);
	CHECK(bl_str_equal(store.path, at(STORE)));
}

static void added_is_found(void)
{
	const struct bl_trust_record *record;
	struct stat st;

	CHECK_STATUS(add("/w", BL_TRUST_PINNED), BL_OK);
	CHECK_STATUS(add("/v", BL_TRUST_FOLDER), BL_OK);
	REQUIRE(read_store() == BL_OK);
	CHECK_INT(store.record_count, 2);
	record = bl_trust_find(&store, BL_STR("/w"));
	REQUIRE(record);
	CHECK_STR(record->workspace, "/w");
	CHECK_INT(record->mode, BL_TRUST_PINNED);
	CHECK_INT(record->added_ms, 1795836000123);
	REQUIRE(record->pin_count == 2);
	CHECK_STR(record->pins[0].path, "/w/hooks.json");
	CHECK(!strcmp(record->pins[0].sha256, DIGEST));
	CHECK_STR(record->pins[1].path, "/w/gone \"x\"");
	CHECK(!strcmp(record->pins[1].sha256, ""));
	record = bl_trust_find(&store, BL_STR("/v"));
	REQUIRE(record);
	CHECK_INT(record->mode, BL_TRUST_FOLDER);
	REQUIRE(!stat(STORE, &st));
	CHECK_INT(st.st_mode & 07777, 0600);
	REQUIRE(!stat(".config/belay", &st));
	CHECK_INT(st.st_mode & 07777, 0700);
}

static void added_again_is_replaced(void)
{
	CHECK_STATUS(add("/w", BL_TRUST_FOLDER), BL_OK);
	REQUIRE(read_store() == BL_OK);
	CHECK_INT(store.record_count, 2);
	CHECK_INT(bl_trust_find(&store, BL_STR("/w"))->mode, BL_TRUST_FOLDER);
}

static void removed_is_gone(void)
{
	CHECK_STATUS(bl_trust_remove(bl_str(place), BL_STR("/w"), &error),
		     BL_OK);
	REQUIRE(read_store() == BL_OK);
	CHECK_INT(store.record_count, 1);
	CHECK(!bl_trust_find(&store, BL_STR("/w")));
	CHECK_STATUS(bl_trust_remove(bl_str(place), BL_STR("/w"), &error),
		     BL_NOT_FOUND);
	CHECK_STATUS(bl_trust_remove(bl_str(place), BL_STR("/"), &error),
		     BL_NOT_FOUND);
}

static void what_cannot_be_recorded(void)
{
	struct bl_trust_record record = { .workspace = BL_STR("/w\xff") };

	CHECK_STATUS(add("relative", BL_TRUST_PINNED), BL_INVALID);
	CHECK_STATUS(add("", BL_TRUST_PINNED), BL_INVALID);
	CHECK_STATUS(bl_trust_add(bl_str(place), &record, &error),
		     BL_UNSUPPORTED);
	record.workspace = BL_STR("/w");
	record.pin_count = BL_TRUST_MAX_PINS + 1;
	CHECK_STATUS(bl_trust_add(bl_str(place), &record, &error), BL_LIMIT);
	REQUIRE(read_store() == BL_OK);
	CHECK_INT(store.record_count, 1);
}

#define RECORD(path, mode, added, pins)                                        \
	"{\"version\":1,\"workspaces\":[{\"path\":" path ",\"mode\":" mode     \
	",\"added\":" added ",\"pins\":" pins "}]}"

/* A store that belay did not write is not believed. */
static const struct {
	const char *text;
	enum bl_status status;
	const char *message;
} texts[] = {
	{ "{\"version\":1,\"workspaces\":[]}", BL_OK, "" },
	{ RECORD("\"/w\"", "\"pinned\"", "1", "[]"), BL_OK, "" },
	{ RECORD("\"/w\"", "\"folder\"", "-1", "[]"), BL_OK, "" },
	{ RECORD("\"/w\"", "\"pinned\"", "1",
		 "[{\"path\":\"/x\",\"sha256\":\"" DIGEST "\"}]"),
	  BL_OK, "" },
	{ "", BL_SYNTAX, "line 1" },
	{ "{", BL_SYNTAX, "line 1" },
	{ "[]", BL_INVALID, "version" },
	{ "{\"workspaces\":[]}", BL_INVALID, "version" },
	{ "{\"version\":2,\"workspaces\":[]}", BL_INVALID, "version" },
	{ "{\"version\":\"1\",\"workspaces\":[]}", BL_INVALID, "version" },
	{ "{\"version\":1}", BL_INVALID, "workspaces" },
	{ "{\"version\":1,\"workspaces\":{}}", BL_INVALID, "workspaces" },
	{ "{\"version\":1,\"version\":1,\"workspaces\":[]}", BL_INVALID,
	  "twice" },
	{ "{\"version\":1,\"workspaces\":[1]}", BL_INVALID, "path" },
	{ "{\"version\":1,\"workspaces\":[]} x", BL_SYNTAX, "line 1" },
	{ "// x\n{\"version\":1,\"workspaces\":[]}", BL_SYNTAX, "line 1" },
	{ RECORD("\"w\"", "\"pinned\"", "1", "[]"), BL_INVALID, "absolute" },
	{ RECORD("\"/w\\u0000x\"", "\"pinned\"", "1", "[]"), BL_INVALID,
	  "absolute" },
	{ RECORD("null", "\"pinned\"", "1", "[]"), BL_INVALID, "absolute" },
	{ RECORD("\"/w\"", "\"always\"", "1", "[]"), BL_INVALID, "mode" },
	{ RECORD("\"/w\"", "null", "1", "[]"), BL_INVALID, "mode" },
	{ RECORD("\"/w\"", "\"pinned\"", "1.5", "[]"), BL_INVALID, "added" },
	{ RECORD("\"/w\"", "\"pinned\"", "\"1\"", "[]"), BL_INVALID, "added" },
	{ RECORD("\"/w\"", "\"pinned\"", "1", "{}"), BL_INVALID, "pins" },
	{ RECORD("\"/w\"", "\"pinned\"", "1", "null"), BL_INVALID, "pins" },
	{ RECORD("\"/w\"", "\"pinned\"", "1", "[1]"), BL_INVALID, "pin 0" },
	{ RECORD("\"/w\"", "\"pinned\"", "1", "[{\"path\":\"/x\"}]"),
	  BL_INVALID, "pin 0" },
	{ RECORD("\"/w\"", "\"pinned\"", "1",
		 "[{\"path\":\"x\",\"sha256\":null}]"),
	  BL_INVALID, "pin 0" },
	{ RECORD("\"/w\"", "\"pinned\"", "1",
		 "[{\"path\":\"/x\",\"sha256\":\"\"}]"),
	  BL_INVALID, "pin 0" },
	{ RECORD("\"/w\"", "\"pinned\"", "1",
		 "[{\"path\":\"/x\",\"sha256\":\"BA7816bf8f01cfea414140de5dae2"
		 "223b00361a396177a9cb410ff61f20015ad\"}]"),
	  BL_INVALID, "pin 0" },
};

static void strict_reading(void)
{
	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		put(STORE, texts[i].text);
		CHECK_STATUS(read_store(), texts[i].status);
		CHECK(strstr(error.message, texts[i].message));
		if (texts[i].status == BL_OK)
			continue;
		CHECK(strstr(error.message, STORE));
		CHECK_INT(store.record_count, 0);
		/* Nothing is added to a store that cannot be read. */
		CHECK_STATUS(add("/w", BL_TRUST_PINNED), texts[i].status);
	}
}

static void unsafe_store(void)
{
	put(STORE, texts[0].text);
	REQUIRE(!chmod(STORE, 0666));
	CHECK_STATUS(read_store(), BL_DENIED);
	CHECK(strstr(error.message, "others can write"));
	REQUIRE(!chmod(STORE, 0600) && !chmod(".config/belay", 0777));
	CHECK_STATUS(read_store(), BL_DENIED);
	REQUIRE(!chmod(".config/belay", 0700));
	CHECK_STATUS(read_store(), BL_OK);
	REQUIRE(!rename(STORE, "elsewhere") &&
		!symlink("../../elsewhere", STORE));
	CHECK_STATUS(read_store(), BL_DENIED);
	REQUIRE(!unlink(STORE) && !mkdir(STORE, 0700));
	CHECK(read_store() != BL_OK);
	REQUIRE(!rmdir(STORE));
}

enum { WRITERS = 8, ADDS = 12 };

static void write_many(int writer)
{
	char path[32];

	for (int i = 0; i < ADDS; i++) {
		snprintf(path, sizeof(path), "/w/%d/%d", writer, i);
		if (add(path, BL_TRUST_PINNED) != BL_OK)
			_exit(1);
	}
	_exit(0);
}

/* Several processes at once lose nothing. */
static void many_writers(void)
{
	char path[32];
	int status = 0;
	int good = 0;

	for (int i = 0; i < WRITERS; i++) {
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (pid == 0)
			write_many(i);
	}
	for (int i = 0; i < WRITERS; i++)
		good += wait(&status) > 0 && status == 0;
	CHECK_INT(good, WRITERS);
	REQUIRE(read_store() == BL_OK);
	CHECK_INT(store.record_count, WRITERS * ADDS);
	for (int i = 0; i < WRITERS * ADDS; i++) {
		snprintf(path, sizeof(path), "/w/%d/%d", i / ADDS, i % ADDS);
		CHECK(bl_trust_find(&store, bl_str(path)));
	}
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(missing_is_empty);
	RUN(added_is_found);
	RUN(added_again_is_replaced);
	RUN(removed_is_gone);
	RUN(what_cannot_be_recorded);
	RUN(strict_reading);
	RUN(unsafe_store);
	RUN(many_writers);
	place_close();
	return tap_end();
}

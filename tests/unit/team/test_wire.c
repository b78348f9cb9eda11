/* SPDX-License-Identifier: Apache-2.0 */
/*
 * src/team/wire.c and wire_json.c.  Expected bytes: protobuf's encoding
 * guide worked out by hand, and connect-es 2.1.2's request as it was recorded;
 * tests/unit/team/protoc compares with protoc itself.
 */
#include "team/team.h"

#include "tap.h"

static struct bl_arena arena;
static struct bl_error err;

static struct bl_str bytes(const char *text, size_t len)
{
	return (struct bl_str){ text, len };
}

#define BYTES(literal) bytes(literal, sizeof(literal) - 1)

static enum bl_status decode(struct bl_str text, struct bl_team_hooks *out)
{
	return bl_team_decode(BL_TEAM_RESPONSE, text, &arena, out, &err);
}

static void the_recorded_request(void)
{
	struct bl_team_request request = { false };
	struct bl_buf out;

	CHECK_STATUS(bl_team_decode(BL_TEAM_REQUEST, BYTES("\x08\x01"), &arena,
				    &request, &err),
		     BL_OK);
	CHECK(request.active_only);
	bl_buf_init(&out, 0);
	bl_team_encode(BL_TEAM_REQUEST, &request, &out);
	CHECK(bl_str_equal(bl_buf_str(&out), BYTES("\x08\x01")));
	bl_buf_reset(&out);
	bl_team_encode_json(BL_TEAM_REQUEST, &request, &out);
	CHECK_STR(bl_buf_str(&out), "{\"activeOnly\":true}");
	request.active_only = false;
	CHECK_STATUS(bl_team_decode_json(BL_TEAM_REQUEST, bl_buf_str(&out),
					 false, &arena, &request, &err),
		     BL_OK);
	CHECK(request.active_only);
	bl_buf_clear(&out);
}

/* One hook: id 7, "stop", "a.sh", ["Linux", "Macintosh"], active, "x". */
#define ONE_HOOK                                                               \
	"\x0a\x25\x08\x07\x12\x04stop\x1a\x04"                                 \
	"a.sh\x22\x05Linux\x22\x09Macintosh\x28\x01\x32\x01x"

static void a_hook_both_ways(void)
{
	struct bl_team_hooks hooks;
	struct bl_buf out;

	REQUIRE(!decode(BYTES(ONE_HOOK), &hooks));
	REQUIRE(hooks.count == 1);
	CHECK_INT(hooks.items[0].id, 7);
	CHECK_STR(hooks.items[0].event_name, "stop");
	CHECK_STR(hooks.items[0].script_name, "a.sh");
	REQUIRE(hooks.items[0].system_count == 2);
	CHECK_STR(hooks.items[0].systems[1], "Macintosh");
	CHECK(hooks.items[0].is_active);
	CHECK_STR(hooks.items[0].content, "x");
	bl_buf_init(&out, 0);
	bl_team_encode(BL_TEAM_RESPONSE, &hooks, &out);
	CHECK(bl_str_equal(bl_buf_str(&out), BYTES(ONE_HOOK)));
	bl_buf_reset(&out);
	bl_team_encode_json(BL_TEAM_RESPONSE, &hooks, &out);
	CHECK_STR(
		bl_buf_str(&out),
		"{\"hooks\":[{\"id\":\"7\",\"hookStep\":\"stop\","
		"\"scriptName\":\"a.sh\",\"operatingSystems\":[\"Linux\","
		"\"Macintosh\"],\"isActive\":true,\"scriptContent\":\"x\"}]}");
	bl_buf_clear(&out);
}

static void numbers_of_64_bits(void)
{
	static const struct {
		const char *text;
		size_t len;
		int64_t id;
	} cases[] = {
		{ "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13,
		  -1 },
		{ "\x0a\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 12,
		  INT64_MAX },
		{ "\x0a\x03\x08\x80\x01", 5, 128 },
		{ "\x0a\x03\x08\x80\x00", 5, 0 }, /* longer than needed */
		{ "\x0a\x00", 2, 0 },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_team_hooks hooks;

		REQUIRE(!decode(bytes(cases[i].text, cases[i].len), &hooks));
		REQUIRE(hooks.count == 1);
		CHECK_INT(hooks.items[0].id, cases[i].id);
	}
}

static void what_the_wire_must_not_hold(void)
{
	static const struct {
		const char *what;
		const char *text;
		size_t len;
		const char *message; /* a part of it */
	} cases[] = {
		{ "cut number", "\x08", 1, "a number is cut short" },
		{ "cut length", "\x0a\x05\x08", 3, "a field is cut short" },
		{ "11 bytes of number",
		  "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12,
		  "more than 64 bits" },
		{ "65th bit",
		  "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03", 13,
		  "more than 64 bits" },
		{ "wrong type", "\x08\x01", 2,
		  "hooks has the wrong type on the wire" },
		{ "a text as number", "\x0a\x02\x10\x01", 4,
		  "hook_step has the wrong type" },
		{ "group", "\x0b\x0c", 2, "a type that is not accepted" },
		{ "type 6", "\x0e", 1, "a type that is not accepted" },
		{ "field 0", "\x02\x00", 2, "a number that there cannot be" },
		{ "not UTF-8", "\x0a\x03\x12\x01\xff", 5,
		  "hook_step is not UTF-8" },
		{ "NUL",
		  "\x0a\x07\x1a\x05"
		  "a\0/xy",
		  9, "script_name has a NUL in it" },
		{ "NUL in a list", "\x0a\x03\x22\x01\0", 5,
		  "operating_systems has a NUL in it" },
		{ "twice", "\x0a\x04\x08\x01\x08\x02", 6, "id is given twice" },
		{ "17 systems",
		  "\x0a\x22\"\0\"\0\"\0\"\0\"\0\"\0\"\0\"\0\"\0\"\0\"\0\"\0\"\0"
		  "\"\0\"\0\"\0\"\0",
		  36, "there are more than 16 operating_systems" },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_team_hooks hooks;
		enum bl_status status =
			decode(bytes(cases[i].text, cases[i].len), &hooks);

		if (!status || !strstr(err.message, cases[i].message)) {
			tap_failures++;
			TAP_NOTE("%s: %s", cases[i].what,
				 status ? err.message : "accepted");
		}
	}
}

static void a_fault_names_its_hook(void)
{
	struct bl_team_hooks hooks;

	CHECK_STATUS(decode(BYTES("\x0a\x00\x0a\x02\x08"), &hooks), BL_SYNTAX);
	CHECK_STATUS(decode(BYTES("\x0a\x00\x0a\x03\x12\x01\xff"), &hooks),
		     BL_SYNTAX);
	CHECK(!strcmp(err.message, "GetTeamHooksResponse: hooks 2: hook_step "
				   "is not UTF-8"));
}

/* Unknown fields of every type are passed over, and 65 are too many. */
static void fields_of_the_future(void)
{
	struct bl_team_hooks hooks;
	struct bl_buf many;

	CHECK_STATUS(decode(BYTES("\x3a\x01z\x40\x05\x49"
				  "12345678\x55"
				  "1234"
				  "\x0a\x02\x08\x07"),
			    &hooks),
		     BL_OK);
	REQUIRE(hooks.count == 1);
	CHECK_INT(hooks.items[0].id, 7);
	bl_buf_init(&many, 0);
	for (int i = 0; i < 64; i++)
		bl_buf_puts(&many, "\x40\x05");
	CHECK_STATUS(decode(bl_buf_str(&many), &hooks), BL_OK);
	bl_buf_puts(&many, "\x40\x05");
	CHECK_STATUS(decode(bl_buf_str(&many), &hooks), BL_LIMIT);
	bl_buf_clear(&many);
}

/* 1,001 empty hooks: counted before memory is taken. */
static void too_many_hooks(void)
{
	struct bl_arena small;
	struct bl_team_hooks hooks;
	struct bl_buf many;

	bl_arena_init(&small, NULL, 0, 64 * 1024);
	bl_buf_init(&many, 0);
	for (int i = 0; i < 200000; i++)
		bl_buf_put(&many, "\x0a\x00", 2);
	CHECK_STATUS(bl_team_decode(BL_TEAM_RESPONSE, bl_buf_str(&many), &small,
				    &hooks, &err),
		     BL_LIMIT);
	CHECK(strstr(err.message, "more than 1000 hooks"));
	bl_buf_clear(&many);
	bl_arena_clear(&small);
}

static enum bl_status read_json(const char *text, bool ignore_unknown,
				struct bl_team_hooks *out)
{
	return bl_team_decode_json(BL_TEAM_RESPONSE, bl_str(text),
				   ignore_unknown, &arena, out, &err);
}

static void json_in_its_many_forms(void)
{
	static const struct {
		const char *text;
		int64_t id;
	} cases[] = {
		{ "{\"hooks\":[{\"id\":\"9223372036854775807\"}]}", INT64_MAX },
		{ "{\"hooks\":[{\"id\":9223372036854775807}]}", INT64_MAX },
		{ "{\"hooks\":[{\"id\":7}]}", 7 },
		{ "{\"hooks\":[{\"id\":1.0}]}", 1 },
		{ "{\"hooks\":[{\"id\":1e2}]}", 100 },
		{ "{\"hooks\":[{\"id\":\"-5\"}]}", -5 },
		{ "{\"hooks\":[{\"id\":null,\"operating_systems\":null}]}", 0 },
		{ "{\"hooks\":[{\"hook_step\":\"stop\",\"script_name\":\"a\"}]"
		  "}",
		  0 },
	};
	struct bl_team_hooks hooks;

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		CHECK_STATUS(read_json(cases[i].text, false, &hooks), BL_OK);
		REQUIRE(hooks.count == 1);
		CHECK_INT(hooks.items[0].id, cases[i].id);
	}
	CHECK_STR(hooks.items[0].event_name, "stop");
	CHECK_STATUS(read_json("{\"hooks\":null}", false, &hooks), BL_OK);
	CHECK_INT(hooks.count, 0);
	CHECK_STATUS(read_json("{\"more\":1}", true, &hooks), BL_OK);
}

static void json_that_is_refused(void)
{
	static const struct {
		const char *text;
		const char *message;
	} cases[] = {
		{ "[]", "is not an object" },
		{ "{\"more\":1}", "has no field 'more'" },
		{ "{\"hooks\":[{\"id\":1.5}]}", "not an integer of 64 bits" },
		{ "{\"hooks\":[{\"id\":9223372036854775808}]}",
		  "not an integer of 64 bits" },
		{ "{\"hooks\":[{\"id\":\"0x1\"}]}", "id is not a number" },
		{ "{\"hooks\":[{\"id\":\"\"}]}", "id is not a number" },
		{ "{\"hooks\":[{\"id\":true}]}", "not an integer" },
		{ "{\"hooks\":[{\"isActive\":1}]}", "not true or false" },
		{ "{\"hooks\":[{\"isActive\":\"true\"}]}",
		  "not true or false" },
		{ "{\"hooks\":[{\"hookStep\":1}]}", "hookStep is not text" },
		{ "{\"hooks\":[{\"scriptName\":\"a\\u0000b\"}]}",
		  "script_name has a NUL" },
		{ "{\"hooks\":[null]}", "is not an object" },
		{ "{\"hooks\":[{\"operatingSystems\":[null]}]}", "not text" },
		{ "{\"hooks\":[{\"id\":1,\"id\":2}]}", "'id' is given twice" },
		{ "{\"hooks\":[{\"hookStep\":\"a\",\"hook_step\":\"b\"}]}",
		  "hookStep is given twice" },
		{ "{\"hooks\":[{\"scriptContent\":\"\\ud800\"}]}",
		  "half a surrogate pair" },
		{ "{\"hooks\":[]} x", "" },
	};
	struct bl_team_hooks hooks;

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		enum bl_status status = read_json(cases[i].text, false, &hooks);

		if (!status || !strstr(err.message, cases[i].message)) {
			tap_failures++;
			TAP_NOTE("%s: %s", cases[i].text,
				 status ? err.message : "accepted");
		}
	}
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(the_recorded_request);
	RUN(a_hook_both_ways);
	RUN(numbers_of_64_bits);
	RUN(what_the_wire_must_not_hold);
	RUN(a_fault_names_its_hook);
	RUN(fields_of_the_future);
	RUN(too_many_hooks);
	RUN(json_in_its_many_forms);
	RUN(json_that_is_refused);
	bl_arena_clear(&arena);
	return tap_end();
}

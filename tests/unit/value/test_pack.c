/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "value/value.h"

enum { MANY = 400, NAME_BYTES = 24 };

static struct bl_arena arena;
static struct bl_packer *packer;

static struct bl_value text(const char *s)
{
	return bl_value_string(bl_str(s));
}

static struct bl_packed pack(struct bl_value value)
{
	struct bl_packed packed = { 0 };

	CHECK(bl_pack(packer, value, &packed));
	return packed;
}

/* A value is the same after it was packed, and owns its text. */
static void scalars(void)
{
	static const char *const numbers[] = {
		"0",
		"-1",
		"1.5",
		"1e0",
		"123.45",
		"-0.0",
		"1.50",
		"36028797018963967",
		"36028797018963968",
		"-36028797018963968",
		"-36028797018963969",
		"9223372036854775807",
		"-9223372036854775808",
		"9223372036854775808",
		"3.14159265358979323846264338327950288",
	};
	struct bl_packed packed;

	packed = pack(bl_value_null());
	CHECK(bl_value_is(bl_unpack(&packed), BL_KIND_NULL));
	packed = pack(bl_value_undefined());
	CHECK(!bl_value_is_defined(bl_unpack(&packed)));
	packed = pack(bl_value_boolean(true));
	CHECK(bl_value_is_true(bl_unpack(&packed)));
	packed = pack(bl_value_boolean(false));
	CHECK(bl_value_equal(bl_unpack(&packed), bl_value_boolean(false)));
	for (size_t i = 0; i < BL_COUNT(numbers); i++) {
		struct bl_buf spelled;
		struct bl_value number;

		REQUIRE(!bl_number_from_text(bl_str(numbers[i]), &number));
		packed = pack(number);
		CHECK(bl_value_equal(bl_unpack(&packed), number));
		CHECK(bl_value_hash(bl_unpack(&packed)) ==
		      bl_value_hash(number));
		bl_buf_init(&spelled, 0);
		bl_number_put(&spelled, bl_unpack(&packed));
		CHECK_STR(bl_buf_str(&spelled), numbers[i]);
		bl_buf_clear(&spelled);
	}
}

static void integers(void)
{
	static const int64_t values[] = {
		0,
		1,
		-1,
		INT64_MAX,
		INT64_MIN,
		(INT64_C(1) << 55) - 1,
		INT64_C(1) << 55,
		-(INT64_C(1) << 55),
		-(INT64_C(1) << 55) - 1,
	};

	for (size_t i = 0; i < BL_COUNT(values); i++) {
		struct bl_packed packed = pack(bl_value_integer(values[i]));
		int64_t back = 0;

		CHECK(bl_number_to_integer(bl_unpack(&packed), &back));
		CHECK(back == values[i]);
	}
}

/* Texts of every length around those that are kept in different ways. */
static void texts(void)
{
	static char source[5000], expected[5000];
	static const size_t lengths[] = { 0,  1,  6,   7,   8,   9,    16,  63,
					  64, 65, 254, 255, 256, 4096, 5000 };

	for (size_t i = 0; i < BL_COUNT(lengths); i++) {
		size_t len = lengths[i];
		struct bl_packed packed;
		struct bl_value back;

		for (size_t at = 0; at < len; at++)
			expected[at] = (char)('\0' + (char)((at + i) % 120));
		memcpy(source, expected, len);
		packed = pack(bl_value_string((struct bl_str){ source, len }));
		memset(source, '!', sizeof(source));
		back = bl_unpack(&packed);
		CHECK(bl_value_is(back, BL_KIND_STRING));
		CHECK(bl_str_equal(bl_value_text(back),
				   (struct bl_str){ expected, len }));
	}
}

static void equal_texts_are_shared(void)
{
	struct bl_packed a = pack(text("a text of some length"));
	struct bl_packed b, other;

	for (int i = 0; i < 100; i++) {
		char name[NAME_BYTES];

		snprintf(name, sizeof(name), "another text %d", i);
		other = pack(text(name));
		CHECK_STR(bl_value_text(bl_unpack(&other)), name);
	}
	b = pack(text("a text of some length"));
	CHECK(a.word == b.word);
}

static void arrays(void)
{
	static const size_t counts[] = { 0, 1, 2, 255, 256, MANY };
	static struct bl_packed items[MANY];
	static struct bl_value plain[MANY];

	for (size_t i = 0; i < MANY; i++) {
		plain[i] = bl_value_integer((int)(i * i % 100));
		items[i] = pack(plain[i]);
	}
	for (size_t i = 0; i < BL_COUNT(counts); i++) {
		struct bl_packed packed;
		struct bl_value array, same, set;

		REQUIRE(bl_pack_array(packer, items, counts[i], &packed));
		array = bl_unpack(&packed);
		same = bl_array_make(&arena, plain, counts[i]);
		CHECK(bl_value_is(array, BL_KIND_ARRAY));
		CHECK_INT(bl_value_count(array), counts[i]);
		CHECK(bl_value_compare(array, same) == 0);
		CHECK(bl_value_compare(same, array) == 0);
		CHECK(bl_value_equal(same, array));
		CHECK(bl_value_hash(array) == bl_value_hash(same));
		CHECK(bl_value_equal(bl_value_copy(&arena, array), same));
		CHECK(!bl_value_is_defined(bl_value_item(array, counts[i])));
		set = bl_set_of(&arena, array);
		CHECK(bl_value_equal(set,
				     bl_set_make(&arena, plain, counts[i])));
		CHECK(bl_value_equal(bl_set_of(&arena, set), set));
		CHECK(bl_value_equal(bl_set_of(&arena, same), set));
	}
}

/* Short ones with the same words; others with the same beginning or length are not. */
static void equal_arrays_are_shared(void)
{
	struct bl_packed items[16], first, again, other;

	for (size_t i = 0; i < BL_COUNT(items); i++)
		items[i] = pack(bl_value_integer((int)i));
	REQUIRE(bl_pack_array(packer, items, 3, &first));
	REQUIRE(bl_pack_array(packer, items, 2, &other));
	CHECK(bl_value_count(bl_unpack(&other)) == 2);
	REQUIRE(bl_pack_array(packer, items + 1, 3, &other));
	CHECK(bl_value_compare(bl_unpack(&first), bl_unpack(&other)) < 0);
	REQUIRE(bl_pack_array(packer, items, 3, &again));
	CHECK(first.word == again.word);
	REQUIRE(bl_pack_array(packer, items, BL_COUNT(items), &first));
	REQUIRE(bl_pack_array(packer, items, BL_COUNT(items), &again));
	CHECK(bl_value_equal(bl_unpack(&first), bl_unpack(&again)));
}

/* Names of 3 to 20 bytes, in a scattered order. */
static void name_member(size_t i, size_t count, char *name)
{
	snprintf(name, NAME_BYTES, "%s%zu", i % 3 ? "k" : "a longer name ",
		 i * 7 % count);
}

static void check_object(struct bl_value object, struct bl_value plain)
{
	size_t count = bl_value_count(plain);

	CHECK_INT(bl_value_count(object), count);
	CHECK(bl_value_compare(object, plain) == 0);
	CHECK(bl_value_compare(plain, object) == 0);
	CHECK(bl_value_hash(object) == bl_value_hash(plain));
	CHECK(bl_value_equal(bl_value_copy(&arena, object), plain));
	for (size_t i = 0; i < count; i++) {
		struct bl_value key = bl_object_key(plain, i);

		CHECK(bl_value_equal(bl_object_key(object, i), key));
		CHECK_INT(bl_object_find_index(object, key), i);
		CHECK(bl_value_equal(bl_object_value(object, i),
				     bl_object_value(plain, i)));
		CHECK(bl_object_sorted_index(object, i) ==
		      bl_object_sorted_index(plain, i));
	}
	CHECK(!bl_value_is_defined(bl_object_key(object, count)));
	CHECK(!bl_value_is_defined(bl_object_value(object, count)));
	CHECK(!bl_value_is_defined(bl_object_find(object, BL_STR("absent"))));
	CHECK(!bl_value_is_defined(
		bl_object_find(object, BL_STR("absent and long"))));
	CHECK(!bl_value_is_defined(bl_object_find(object, BL_STR(""))));
	CHECK(!bl_value_is_defined(
		bl_object_find_value(object, bl_value_integer(1))));
}

static void objects(void)
{
	static const size_t counts[] = { 0, 1, 2, 15, 16, 17, 100, MANY };
	static struct bl_packed_member members[MANY];
	static struct bl_member plain[MANY];
	static char names[MANY][NAME_BYTES];

	for (size_t c = 0; c < BL_COUNT(counts); c++) {
		struct bl_packed_repeat repeat = { 0 };
		struct bl_packed packed;
		size_t count = counts[c];

		for (size_t i = 0; i < count; i++) {
			name_member(i, count, names[i]);
			plain[i].key = text(names[i]);
			plain[i].value = bl_value_integer((int)i);
			members[i].key = pack(plain[i].key);
			members[i].value = pack(plain[i].value);
		}
		REQUIRE(bl_pack_object(packer, members, &count, &repeat,
				       &packed));
		CHECK(repeat.index == SIZE_MAX);
		CHECK_INT(count, counts[c]);
		check_object(bl_unpack(&packed),
			     bl_object_make(&arena, plain, count, NULL));
	}
}

/* Keys that come in their order need no index. */
static void rising_keys(void)
{
	static struct bl_packed_member members[MANY];
	static struct bl_member plain[MANY];
	static char names[MANY][NAME_BYTES];
	struct bl_packed_repeat repeat;
	struct bl_packed packed;
	size_t count = MANY;

	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], NAME_BYTES, "key %05zu", i);
		plain[i].key = text(names[i]);
		plain[i].value = bl_value_integer((int)i);
		members[i].key = pack(plain[i].key);
		members[i].value = pack(plain[i].value);
	}
	REQUIRE(bl_pack_object(packer, members, &count, &repeat, &packed));
	check_object(bl_unpack(&packed),
		     bl_object_make(&arena, plain, MANY, NULL));
	for (size_t i = 0; i < MANY; i++)
		CHECK_INT(bl_object_sorted_index(bl_unpack(&packed), i), i);
}

/* The second object takes no more than its values and one address. */
static void keys_are_shared(void)
{
	struct bl_packed_member members[20];
	struct bl_packed_repeat repeat;
	struct bl_packed packed;
	char name[NAME_BYTES];
	size_t count = 20, before;

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < count; i++) {
			name_member(i, count, name);
			members[i].key = pack(text(name));
			members[i].value = pack(bl_value_integer(round));
		}
		before = (size_t)(uintptr_t)arena.next;
		REQUIRE(bl_pack_object(packer, members, &count, &repeat,
				       &packed));
		if (round)
			CHECK((size_t)(uintptr_t)arena.next - before <=
			      8 + 20 * 8 + 8);
		CHECK(bl_value_equal(bl_object_value(bl_unpack(&packed), 19),
				     bl_value_integer(round)));
	}
}

static void repeated_keys(void)
{
	static const char *const keys[] = { "a", "b", "a longer one", "b",
					    "a", "c", "a longer one", "a" };
	struct bl_packed_member members[BL_COUNT(keys)];
	struct bl_member plain[BL_COUNT(keys)];
	struct bl_packed_repeat repeat = { 0 };
	struct bl_packed packed;
	size_t count = BL_COUNT(keys), plain_repeat = 0;
	struct bl_value object;

	for (size_t i = 0; i < count; i++) {
		plain[i].key = text(keys[i]);
		plain[i].value = bl_value_integer((int)i);
		members[i].key = pack(plain[i].key);
		members[i].value = pack(plain[i].value);
	}
	object = bl_object_make(&arena, plain, count, &plain_repeat);
	REQUIRE(bl_pack_object(packer, members, &count, &repeat, &packed));
	CHECK_INT(count, 4);
	CHECK_INT(repeat.index, 3);
	CHECK_INT(plain_repeat, 3);
	CHECK_STR(bl_value_text(bl_unpack(&repeat.key)), "b");
	check_object(bl_unpack(&packed), object);
	CHECK(bl_value_equal(
		bl_object_find(bl_unpack(&packed), BL_STR("a longer one")),
		bl_value_integer(6)));
}

/* Containers inside of others, also of those that are not packed. */
static void nested(void)
{
	struct bl_value item = bl_value_integer(7), set, outer;
	struct bl_packed inner, packed[2];

	set = bl_set_make(&arena, &item, 1);
	packed[0] = pack(set);
	inner = pack(text("in"));
	REQUIRE(bl_pack_array(packer, &inner, 1, &packed[1]));
	REQUIRE(bl_pack_array(packer, packed, 2, &inner));
	outer = bl_unpack(&inner);
	CHECK(bl_value_equal(bl_value_item(outer, 0), set));
	CHECK(bl_set_has(bl_value_item(outer, 0), item));
	CHECK_STR(bl_value_text(bl_value_item(bl_value_item(outer, 1), 0)),
		  "in");
}

/* With every limit on the way up: a failure is said, and never half made. */
static void memory_running_out(void)
{
	bool done = false;
	static char long_text[300];

	memset(long_text, 'x', sizeof(long_text) - 1);
	for (size_t limit = 1; !done && limit < 4000; limit += 8) {
		static char first[4096];
		struct bl_arena small;
		struct bl_packer *own;
		struct bl_packed_member member;
		struct bl_packed_repeat repeat;
		struct bl_packed packed;
		size_t count = 1;

		bl_arena_init(&small, first, limit, 1);
		own = bl_packer_new(&small);
		REQUIRE(own);
		done = bl_pack(own, text(long_text), &member.key) &&
		       bl_pack(own, bl_value_integer(INT64_MAX),
			       &member.value) &&
		       bl_pack_object(own, &member, &count, &repeat, &packed) &&
		       bl_pack_array(own, &packed, 1, &packed);
		if (!done)
			CHECK_STATUS(bl_arena_status(&small), BL_LIMIT);
		bl_packer_free(own);
		bl_arena_clear(&small);
	}
	CHECK(done);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	packer = bl_packer_new(&arena);
	if (!packer)
		return 1;
	RUN(scalars);
	RUN(integers);
	RUN(texts);
	RUN(equal_texts_are_shared);
	RUN(arrays);
	RUN(equal_arrays_are_shared);
	RUN(objects);
	RUN(rising_keys);
	RUN(keys_are_shared);
	RUN(repeated_keys);
	RUN(nested);
	RUN(memory_running_out);
	bl_packer_free(packer);
	bl_arena_clear(&arena);
	return tap_end();
}

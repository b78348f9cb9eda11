/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "value/value.h"

enum { DEPTH = 10000, LADDER_MAX = 64 };

static struct bl_arena arena;

static struct bl_value text(const char *s)
{
	return bl_value_string(bl_str(s));
}

static struct bl_value pair(struct bl_value a, struct bl_value b)
{
	struct bl_value items[] = { a, b };

	return bl_array_make(&arena, items, 2);
}

static struct bl_value one_key(const char *key, struct bl_value value)
{
	struct bl_member member = { text(key), value };

	return bl_object_make(&arena, &member, 1, NULL);
}

static struct bl_value two_keys(const char *k1, int v1, const char *k2, int v2)
{
	struct bl_member both[] = { { text(k1), bl_value_integer(v1) },
				    { text(k2), bl_value_integer(v2) } };

	return bl_object_make(&arena, both, 2, NULL);
}

static struct bl_value set_of(int a, int b)
{
	struct bl_value items[] = { bl_value_integer(a), bl_value_integer(b) };

	return bl_set_make(&arena, items, 2);
}

/* Values in ascending order, by the rules of Rego. */
static size_t ladder(struct bl_value *out)
{
	struct bl_value one = bl_value_integer(1);
	size_t n = 0;

	out[n++] = bl_value_undefined();
	out[n++] = bl_value_null();
	out[n++] = bl_value_boolean(false);
	out[n++] = bl_value_boolean(true);
	out[n++] = bl_value_integer(INT64_MIN);
	out[n++] = bl_value_integer(-1);
	out[n++] = bl_value_integer(0);
	out[n++] = one;
	out[n++] = bl_value_integer(INT64_MAX);
	out[n++] = text("");
	out[n++] = text("10");
	out[n++] = text("9");
	out[n++] = text("Z");
	out[n++] = text("a");
	out[n++] = text("ab");
	out[n++] = text("\xC3\xA9");
	out[n++] = text("\xEF\xBF\xBD");
	out[n++] = text("\xF0\x9F\x98\x80");
	out[n++] = bl_array_make(&arena, NULL, 0);
	out[n++] = bl_array_make(&arena, &one, 1);
	out[n++] = pair(one, bl_value_null());
	out[n++] = pair(one, one);
	out[n++] = pair(one, text("x"));
	out[n++] = pair(text("x"), bl_value_null());
	out[n++] = bl_object_make(&arena, NULL, 0, NULL);
	out[n++] = one_key("a", one);
	out[n++] = two_keys("a", 1, "b", 0);
	out[n++] = two_keys("a", 1, "b", 1);
	out[n++] = two_keys("c", 0, "a", 1);
	out[n++] = one_key("a", bl_value_integer(2));
	out[n++] = one_key("b", bl_value_integer(0));
	out[n++] = bl_set_make(&arena, NULL, 0);
	out[n++] = set_of(1, 1);
	out[n++] = set_of(2, 1);
	out[n++] = set_of(1, 3);
	out[n++] = set_of(2, 3);
	return n;
}

static void total_order(void)
{
	struct bl_value values[LADDER_MAX];
	size_t count = ladder(values);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < count; k++) {
			int c = bl_value_compare(values[i], values[k]);

			CHECK_INT((c > 0) - (c < 0), (i > k) - (i < k));
			CHECK(bl_value_equal(values[i], values[k]) == (i == k));
		}
	}
}

static void hashes(void)
{
	struct bl_value values[LADDER_MAX];
	size_t count = ladder(values);

	for (size_t i = 0; i < count; i++) {
		struct bl_value copy = bl_value_copy(&arena, values[i]);

		CHECK(bl_value_hash(copy) == bl_value_hash(values[i]));
		for (size_t k = 0; k < i; k++)
			CHECK(bl_value_hash(values[i]) !=
			      bl_value_hash(values[k]));
	}
}

static void order_of_keys_does_not_matter(void)
{
	struct bl_value a = two_keys("x", 1, "y", 2);
	struct bl_value b = two_keys("y", 2, "x", 1);

	CHECK_INT(bl_value_compare(a, b), 0);
	CHECK(bl_value_equal(a, b));
	CHECK(bl_value_hash(a) == bl_value_hash(b));
}

/* Arrays and objects in turn, DEPTH deep. */
static struct bl_value deep(struct bl_arena *in, struct bl_value core)
{
	for (int i = 0; i < DEPTH; i++) {
		struct bl_member member = { text("k"), core };

		core = i % 2 ? bl_object_make(in, &member, 1, NULL)
			     : bl_array_make(in, &core, 1);
	}
	return core;
}

static void deep_values(void)
{
	struct bl_value a = deep(&arena, bl_value_integer(1));
	struct bl_value b = deep(&arena, bl_value_integer(2));
	struct bl_value copy = bl_value_copy(&arena, a);

	REQUIRE(bl_value_is_defined(copy));
	CHECK(bl_value_compare(a, b) < 0);
	CHECK_INT(bl_value_compare(a, copy), 0);
	CHECK(bl_value_hash(a) == bl_value_hash(copy));
	CHECK(bl_value_hash(a) != bl_value_hash(b));
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(total_order);
	RUN(hashes);
	RUN(order_of_keys_does_not_matter);
	RUN(deep_values);
	bl_arena_clear(&arena);
	return tap_end();
}

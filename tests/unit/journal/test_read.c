/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "logs.h"

static void put_lines(const char *name, int from, int to, size_t padding)
{
	FILE *file;

	bl_os_make_dirs(options.dir, 0700, NULL);
	file = fopen(at(name).ptr, "a");
	if (!file)
		abort();
	for (int i = from; i < to; i++)
		fprintf(file,
			"{\"id\":\"id-%06d\",\"n\":%d,\"pad\":\"%0*d\"}\n", i,
			i, (int)padding + 1, 0);
	fclose(file);
}

static int number(size_t i)
{
	int64_t n = -1;

	bl_number_to_integer(bl_object_find(found[i], BL_STR("n")), &n);
	return (int)n;
}

static void check_numbers(int from, int to)
{
	CHECK_INT(found_count, to - from);
	for (size_t i = 0; i < found_count; i++)
		CHECK_INT(number(i), from + (int)i);
}

static void test_none(void)
{
	new_journal();
	CHECK_STATUS(read_last(10), BL_OK);
	CHECK_INT(found_count, 0);
	put_lines(CURRENT, 0, 0, 0);
	CHECK_STATUS(read_last(10), BL_OK);
	CHECK_INT(found_count, 0);
	put_lines(CURRENT, 0, 1, 0);
	CHECK_STATUS(read_last(0), BL_OK);
	CHECK_INT(found_count, 0);
}

static void test_newest(void)
{
	new_journal();
	put_lines(CURRENT, 0, 5, 0);
	CHECK_STATUS(read_last(3), BL_OK);
	check_numbers(2, 5);
	CHECK_STATUS(read_last(50), BL_OK);
	check_numbers(0, 5);
}

/* Lines around the size of a block, which is 64 KiB. */
static void test_long_lines(void)
{
	static const size_t paddings[] = { 20000, 65490, 65536, 200000 };

	for (size_t i = 0; i < BL_COUNT(paddings); i++) {
		new_journal();
		put_lines(CURRENT, 0, 12, paddings[i]);
		CHECK_STATUS(read_last(7), BL_OK);
		check_numbers(5, 12);
	}
}

static void test_rotated(void)
{
	new_journal();
	put_lines(CURRENT ".2", 0, 1000, 100);
	put_lines(CURRENT ".1", 1000, 2000, 100);
	put_lines(CURRENT, 2000, 2003, 100);
	CHECK_STATUS(read_last(100), BL_OK);
	check_numbers(1903, 2003);
	CHECK_STATUS(read_last(1500), BL_OK);
	check_numbers(503, 2003);
	unlink(at(CURRENT).ptr); /* the moment after the renaming */
	CHECK_STATUS(read_last(10), BL_OK);
	check_numbers(1990, 2000);
}

static void test_bad_lines(void)
{
	FILE *file;

	new_journal();
	put_lines(CURRENT, 0, 2, 0);
	file = fopen(at(CURRENT).ptr, "a");
	REQUIRE(file);
	fputs("{\"id\":\"torn\n\n[]\nnull\n", file);
	fclose(file);
	put_lines(CURRENT, 2, 4, 0);
	file = fopen(at(CURRENT).ptr, "a");
	REQUIRE(file);
	fputs("{\"id\":\"no end", file);
	fclose(file);
	CHECK_STATUS(read_last(4), BL_OK);
	check_numbers(0, 4);
	CHECK_INT(found_bad, 4);
}

static void test_not_a_file(void)
{
	new_journal();
	bl_os_make_dirs(at(CURRENT), 0700, NULL);
	CHECK_STATUS(read_last(4), BL_INVALID);
}

static void test_memory(void)
{
	struct bl_arena small;

	new_journal();
	put_lines(CURRENT, 0, 100, 1000);
	bl_arena_init(&small, NULL, 0, 50000);
	CHECK_STATUS(bl_journal_read_last(options.dir, 10, &small, &found,
					  &found_count, NULL, &error),
		     BL_LIMIT);
	bl_arena_clear(&small);
}

/* ---- by id -------------------------------------------------------------- */

static enum bl_status find(const char *id, int *out_number)
{
	struct bl_value value = bl_value_undefined();
	int64_t n = -1;
	enum bl_status status = bl_journal_find(options.dir, bl_str(id), &arena,
						&value, &error);

	bl_number_to_integer(bl_object_find(value, BL_STR("n")), &n);
	*out_number = (int)n;
	return status;
}

static void test_find(void)
{
	int n;

	new_journal();
	put_lines(CURRENT ".1", 0, 500, 50);
	put_lines(CURRENT, 500, 1000, 50);
	CHECK_STATUS(find("id-000777", &n), BL_OK);
	CHECK_INT(n, 777);
	CHECK_STATUS(find("id-000003", &n), BL_OK);
	CHECK_INT(n, 3);
	CHECK_STATUS(find("id-00077", &n), BL_INVALID);
	CHECK_STATUS(find("id-00", &n), BL_INVALID);
	CHECK_STATUS(find("id-001", &n), BL_NOT_FOUND);
	CHECK_STATUS(find("", &n), BL_NOT_FOUND);
	CHECK_STATUS(find("d-000777", &n), BL_NOT_FOUND);
	CHECK_STATUS(find("id-000777\"", &n), BL_NOT_FOUND);
	put_lines(CURRENT, 12345, 12346, 0);
	CHECK_STATUS(find("id-01", &n), BL_OK);
	CHECK_INT(n, 12345);
}

/* An id in a text of another line is not that line's. */
static void test_find_looks_at_the_id(void)
{
	int n;

	new_journal();
	put_lines(CURRENT, 1, 2, 0);
	{
		FILE *file = fopen(at(CURRENT).ptr, "a");

		REQUIRE(file);
		fputs("{\"id\":\"x\",\"response\":{\"id\":\"id-000009\"}}\n"
		      "{\"id\":\"id-000008\",\"n\":8}\n",
		      file);
		fclose(file);
	}
	CHECK_STATUS(find("id-000009", &n), BL_NOT_FOUND);
	CHECK_STATUS(find("id-000008", &n), BL_OK);
	CHECK_INT(n, 8);
}

/* The newest one, over files too; a hook's answer may look the same. */
static void test_find_offer(void)
{
	struct bl_value line;
	FILE *file;
	int64_t n = 0;

	new_journal();
	put_lines(CURRENT ".1", 0, 1, 0);
	file = fopen(at(CURRENT ".1").ptr, "a");
	REQUIRE(file);
	fputs("{\"id\":\"a\",\"n\":1,\"allowance\":{\"state\":\"offered\","
	      "\"code\":\"K7M2QX\"}}\n{\"id\":\"b\",\"n\":2,\"allowance\":"
	      "{\"state\":\"offered\",\"code\":\"K7M2QX\"}}\n",
	      file);
	fclose(file);
	put_lines(CURRENT, 3, 4, 0);
	file = fopen(at(CURRENT).ptr, "a");
	REQUIRE(file);
	fputs("{\"id\":\"c\",\"n\":4,\"response\":{\"allowance\":{\"state\":"
	      "\"offered\",\"code\":\"K7M2QX\"}}}\n{\"id\":\"d\",\"n\":5,"
	      "\"allowance\":{\"state\":\"granted\",\"code\":\"K7M2QX\"}}\n"
	      "{\"id\":\"e\",\"n\":6,\"allowance\":{\"state\":\"offered\","
	      "\"code\":\"K7M2QXX\"}}\n",
	      file);
	fclose(file);
	CHECK_STATUS(bl_journal_find_offer(options.dir, BL_STR("K7M2QX"),
					   &arena, &line, &error),
		     BL_OK);
	bl_number_to_integer(bl_object_find(line, BL_STR("n")), &n);
	CHECK_INT(n, 2);
	CHECK_STATUS(bl_journal_find_offer(options.dir, BL_STR("K7M2QY"),
					   &arena, &line, &error),
		     BL_NOT_FOUND);
}

static void test_find_without_a_journal(void)
{
	int n;

	new_journal();
	CHECK_STATUS(find("x", &n), BL_NOT_FOUND);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_none);
	RUN(test_newest);
	RUN(test_long_lines);
	RUN(test_rotated);
	RUN(test_bad_lines);
	RUN(test_not_a_file);
	RUN(test_memory);
	RUN(test_find);
	RUN(test_find_looks_at_the_id);
	RUN(test_find_offer);
	RUN(test_find_without_a_journal);
	place_close();
	return tap_end();
}

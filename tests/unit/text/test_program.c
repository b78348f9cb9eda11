/* SPDX-License-Identifier: Apache-2.0 */
/* Limits, and patterns that are made to be slow or large. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "tap.h"
#include "text/text.h"

enum { TEXT_BYTES = 200 * 1000, SLOW_MS = 5000 };

static char text[TEXT_BYTES + 1];

static enum bl_status compile(struct bl_arena *arena, struct bl_str pattern,
			      const struct bl_regex **out_regex)
{
	struct bl_error err;

	return bl_regex_compile(arena, pattern, BL_REGEX_JAVASCRIPT, out_regex,
				NULL, &err);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* head, count times piece, tail. */
static struct bl_str build(char *out, const char *head, const char *piece,
			   size_t count, const char *tail)
{
	char *to = stpcpy(out, head);

	while (count-- > 0)
		to = stpcpy(to, piece);
	to = stpcpy(to, tail);
	return (struct bl_str){ out, (size_t)(to - out) };
}

/* Exponential for backtracking engines; here 200 KB take some ms. */
static void catastrophic(void)
{
	static const char *const patterns[] = {
		"(a+)+$",
		"(a|a)*b",
		"(a*)*b",
		"(?:a|aa)+$",
		"(x+x+)+y|(a.*){5}g$",
		"^(([a-z])+.)+[A-Z]$",
	};
	struct bl_str hostile = build(text, "", "a", TEXT_BYTES - 2, "!");

	for (size_t i = 0; i < BL_COUNT(patterns); i++) {
		const struct bl_regex *regex = NULL;
		struct bl_arena arena;
		struct bl_span spans[3];
		bool found = true, found_groups = true;
		int64_t start = now_ms();

		bl_arena_init(&arena, NULL, 0, 0);
		CHECK_STATUS(compile(&arena, bl_str(patterns[i]), &regex),
			     BL_OK);
		REQUIRE(regex != NULL);
		CHECK_STATUS(bl_regex_search(regex, &arena, hostile, 0, NULL, 0,
					     &found),
			     BL_OK);
		CHECK_STATUS(bl_regex_search(regex, &arena, hostile, 0, spans,
					     3, &found_groups),
			     BL_OK);
		CHECK(!found && !found_groups);
		CHECK(now_ms() - start < SLOW_MS);
		bl_arena_clear(&arena);
	}
}

/* More states than the automaton keeps: the other engine goes on. */
static void many_states(void)
{
	const struct bl_regex *regex = NULL;
	struct bl_arena arena;
	struct bl_str long_text;
	uint32_t random = 1;
	bool found = false;

	bl_arena_init(&arena, NULL, 0, 0);
	REQUIRE(!compile(&arena, BL_STR("a[ab]{14}c"), &regex));
	for (size_t i = 0; i < TEXT_BYTES; i++) {
		random = random * 1664525 + 1013904223;
		text[i] = random >> 31 ? 'a' : 'b';
	}
	long_text = (struct bl_str){ text, TEXT_BYTES };
	CHECK_STATUS(
		bl_regex_search(regex, &arena, long_text, 0, NULL, 0, &found),
		BL_OK);
	CHECK(!found);
	memset(text + TEXT_BYTES - 16, 'b', 16);
	text[TEXT_BYTES - 16] = 'a';
	text[TEXT_BYTES - 1] = 'c';
	CHECK_STATUS(
		bl_regex_search(regex, &arena, long_text, 0, NULL, 0, &found),
		BL_OK);
	CHECK(found);
	CHECK(arena.used_bytes < 4 * 1024 * 1024);
	bl_arena_clear(&arena);
}

static void nesting(void)
{
	const struct bl_regex *regex = NULL;
	struct bl_arena arena;
	bool found = false;
	size_t len;

	bl_arena_init(&arena, NULL, 0, 0);
	len = build(text, "", "(", BL_REGEX_MAX_DEPTH, "a").len;
	build(text + len, "", ")", BL_REGEX_MAX_DEPTH, "");
	CHECK_STATUS(compile(&arena, bl_str(text), &regex), BL_OK);
	REQUIRE(regex != NULL);
	CHECK_INT(bl_regex_group_count(regex), BL_REGEX_MAX_DEPTH);
	CHECK_STATUS(bl_regex_search(regex, &arena, BL_STR("xa"), 0, NULL, 0,
				     &found),
		     BL_OK);
	CHECK(found);
	/* 10 KiB of groups. */
	len = build(text, "", "(", 5 * 1024, "a").len;
	build(text + len, "", ")", 5 * 1024, "");
	CHECK_STATUS(compile(&arena, bl_str(text), &regex), BL_LIMIT);
	bl_arena_clear(&arena);
}

static void sizes(void)
{
	const struct bl_regex *regex = NULL;
	struct bl_arena arena;
	struct bl_str pattern;

	bl_arena_init(&arena, NULL, 0, 0);
	pattern = build(text, "", "a", BL_REGEX_MAX_PATTERN_BYTES, "");
	CHECK_STATUS(compile(&arena, pattern, &regex), BL_OK);
	pattern = build(text, "", "a", BL_REGEX_MAX_PATTERN_BYTES, "b");
	CHECK_STATUS(compile(&arena, pattern, &regex), BL_LIMIT);
	CHECK_STATUS(compile(&arena, BL_STR("(?:a{1000}){99}"), &regex), BL_OK);
	CHECK_STATUS(compile(&arena, BL_STR("(?:a{1000}){101}"), &regex),
		     BL_LIMIT);
	/* Nothing, a thousand million times. */
	CHECK_STATUS(compile(&arena, BL_STR("(?:(?:(?:){1000}){1000}){1000}"),
			     &regex),
		     BL_LIMIT);
	/* Many large classes. */
	pattern = build(text, "(?i)[", "\\PL", 20000, "]");
	CHECK_STATUS(bl_regex_compile(&arena, pattern, BL_REGEX_RE2, &regex,
				      NULL, NULL),
		     BL_LIMIT);
	pattern = build(text, "", "\\pL", 20000, "");
	CHECK_STATUS(bl_regex_compile(&arena, pattern, BL_REGEX_RE2, &regex,
				      NULL, NULL),
		     BL_LIMIT);
	bl_arena_clear(&arena);
}

/* Room for the groups of all threads is limited, too. */
static void many_groups(void)
{
	struct bl_span *spans = calloc(20001, sizeof(*spans));
	const struct bl_regex *regex = NULL;
	struct bl_arena arena;
	bool found = false;

	bl_arena_init(&arena, NULL, 0, 0);
	REQUIRE(!compile(&arena, build(text, "", "()", 20000, ""), &regex));
	CHECK_STATUS(bl_regex_search(regex, &arena, BL_STR("x"), 0, spans,
				     20001, &found),
		     BL_LIMIT);
	CHECK_STATUS(bl_regex_search(regex, &arena, BL_STR("x"), 0, spans, 2,
				     &found),
		     BL_OK);
	CHECK(found && spans[1].from == 0 && spans[1].to == 0);
	bl_arena_clear(&arena);
	free(spans);
}

static void arena_is_full(void)
{
	const struct bl_regex *regex = NULL;
	struct bl_arena arena, small;
	struct bl_span span;
	bool found;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_arena_init(&small, NULL, 0, 64);
	CHECK_STATUS(compile(&small, BL_STR("a+b"), &regex), BL_LIMIT);
	REQUIRE(!compile(&arena, BL_STR("a+b"), &regex));
	CHECK_STATUS(bl_regex_search(regex, &small, BL_STR("aab"), 0, &span, 1,
				     &found),
		     BL_LIMIT);
	bl_arena_clear(&arena);
	bl_arena_clear(&small);
}

/* A program is one piece without pointers. */
static void can_be_moved(void)
{
	const struct bl_regex *regex = NULL;
	struct bl_span spans[2];
	struct bl_arena arena;
	bool found = false;
	void *copy;

	bl_arena_init(&arena, NULL, 0, 0);
	REQUIRE(!compile(&arena, BL_STR("(?<n>[^a]+\\d)"), &regex));
	copy = malloc(bl_regex_bytes(regex));
	REQUIRE(copy != NULL);
	memcpy(copy, regex, bl_regex_bytes(regex));
	CHECK_STATUS(bl_regex_search(copy, &arena, BL_STR("aab\u20ac1"), 0,
				     spans, 2, &found),
		     BL_OK);
	CHECK(found && spans[1].from == 2 && spans[1].to == 7);
	CHECK_STR(bl_regex_group_name(copy, 1), "n");
	free(copy);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(catastrophic);
	RUN(many_states);
	RUN(nesting);
	RUN(sizes);
	RUN(many_groups);
	RUN(arena_is_full);
	RUN(can_be_moved);
	return tap_end();
}

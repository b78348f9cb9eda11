/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that were read from a file.  A program that compiles is sound; with a byte
 * changed it is refused, or every search of it stays within its memory, which
 * the sanitizers watch: each copy is a heap block of its own size.
 */
#include <stdlib.h>

#include "tap.h"
#include "text/regex.h"

static const char *const patterns[] = {
	"",
	"abc",
	"^(?:foo|bar)$",
	"^ba[^r]*$|^ba(?s:.*)\\z",
	"(?P<x>a+)(b*)?c",
	"\\bw[a-z\xc3\xa4-\xc3\xb6]+\\B|^x{2,3}$",
	"(?im)^[^\\p{Ogham}]{3}\\s*$",
};

static const char *const texts[] = {
	"",
	"aabbc foo w\xc3\xa4zz\nxx",
	"bar",
};

static struct bl_arena arena;

static const struct bl_regex *compile(const char *pattern)
{
	const struct bl_regex *regex = NULL;
	struct bl_error err;

	CHECK_STATUS(bl_regex_compile(&arena, bl_str(pattern), BL_REGEX_RE2,
				      &regex, NULL, &err),
		     BL_OK);
	return regex;
}

/* A text long enough for the automaton. */
static struct bl_str long_text(void)
{
	static char text[1024];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "ab wxc\n\xc3\xa4"[i % 9];
	return (struct bl_str){ text, sizeof(text) };
}

/* Groups must be where the text is. */
static bool search(const struct bl_regex *regex, struct bl_str text)
{
	enum { SPANS = 8 };
	struct bl_span spans[SPANS];
	struct bl_arena scratch;
	bool found = false;
	bool good = true;

	bl_arena_init(&scratch, NULL, 0, 0);
	for (size_t count = 0; count <= SPANS; count += SPANS) {
		if (bl_regex_search(regex, &scratch, text, 0, spans, count,
				    &found))
			continue;
		for (size_t i = 0; found && i < count; i++)
			good &= spans[i].from == SIZE_MAX ||
				(spans[i].from <= spans[i].to &&
				 spans[i].to <= text.len);
	}
	for (size_t i = 0; i <= bl_regex_group_count(regex) && i < SPANS; i++)
		good &= bl_regex_group_name(regex, i).len <= regex->bytes;
	bl_arena_clear(&scratch);
	return good;
}

static bool search_all(const struct bl_regex *regex)
{
	bool good = search(regex, long_text());

	for (size_t i = 0; i < BL_COUNT(texts); i++)
		good &= search(regex, bl_str(texts[i]));
	return good;
}

/* How many of the changed programs were refused. */
static size_t change_each_byte(const struct bl_regex *regex, bool *out_good)
{
	static const unsigned char masks[] = { 0x01, 0x08, 0x80, 0xff };
	size_t bytes = bl_regex_bytes(regex);
	unsigned char *copy = malloc(bytes);
	size_t refused = 0;

	*out_good = copy != NULL;
	for (size_t i = 0; copy && i < bytes * BL_COUNT(masks); i++) {
		memcpy(copy, regex, bytes);
		copy[i / BL_COUNT(masks)] ^= masks[i % BL_COUNT(masks)];
		if (bl_regex_is_sound(copy, bytes))
			*out_good &= search_all((const void *)copy);
		else
			refused++;
	}
	free(copy);
	return refused;
}

static void changed(void)
{
	for (size_t i = 0; i < BL_COUNT(patterns); i++) {
		const struct bl_regex *regex = compile(patterns[i]);
		bool good = false;

		REQUIRE(regex);
		CHECK(bl_regex_is_sound(regex, bl_regex_bytes(regex)));
		CHECK(change_each_byte(regex, &good) >
		      bl_regex_bytes(regex) / 2);
		CHECK(good);
	}
}

/* A shorter block than the program says. */
static void cut(void)
{
	const struct bl_regex *regex = compile(patterns[3]);

	REQUIRE(regex);
	for (size_t len = 0; len < bl_regex_bytes(regex); len++) {
		char *copy = malloc(len + 1);

		REQUIRE(copy);
		memcpy(copy, regex, len);
		CHECK(!bl_regex_is_sound(copy, len));
		free(copy);
	}
}

/* Each of these would lead a search out of the program. */
static void broken(void)
{
	const struct bl_regex *regex = compile("(?P<n>[^\xc3\xa4]|b)+\\b");
	size_t bytes = bl_regex_bytes(regex);
	struct bl_regex *copy = bl_arena_alloc(&arena, bytes);
	struct regex_inst *insts =
		(struct regex_inst *)(void *)((char *)copy + regex->insts_at);
	struct regex_name *names =
		(struct regex_name *)(void *)((char *)copy + regex->names_at);
	struct regex_set *sets =
		(struct regex_set *)(void *)((char *)copy + regex->sets_at);

#define REFUSED(change)                                                        \
	do {                                                                   \
		memcpy(copy, regex, bytes);                                    \
		change;                                                        \
		CHECK(!bl_regex_is_sound(copy, bytes));                        \
	} while (0)
	REFUSED(copy->start = copy->inst_count);
	REFUSED(copy->inst_count = 0);
	REFUSED(copy->inst_count += 1000);
	REFUSED(copy->insts_at = copy->bytes);
	REFUSED(copy->insts_at += 4);
	REFUSED(copy->group_count = UINT32_MAX);
	REFUSED(copy->bytes_at = copy->bytes + 8);
	REFUSED(copy->prefix_len = copy->bytes);
	REFUSED(copy->literal_count = UINT32_MAX);
	REFUSED(names[0].len = copy->bytes);
	REFUSED(sets[0].range_count = UINT32_MAX);
	REFUSED(sets[0].range_first = UINT32_MAX);
	for (uint32_t i = 0; i < regex->inst_count; i++) {
		REFUSED(insts[i].next = copy->inst_count);
		REFUSED(insts[i].op = OP_ASSERT + 1);
		if (regex_insts(regex)[i].op == OP_MATCH ||
		    regex_insts(regex)[i].op == OP_CHAR)
			continue;
		REFUSED(insts[i].arg = UINT32_MAX);
		if (regex_insts(regex)[i].op == OP_SAVE)
			REFUSED(insts[i].arg = 0);
	}
	REFUSED(copy->skip_to = copy->inst_count);
	REFUSED(copy->skip_bytes = copy->prefix_len + 1);
	REFUSED(copy->asserts_at ^= 1);
	REFUSED(copy->matches_at ^= 2);
	REFUSED(copy->tail = 1; copy->tail_set = UINT32_MAX);
#undef REFUSED
	memcpy(copy, regex, bytes);
	CHECK(bl_regex_is_sound(copy, bytes));
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(changed);
	RUN(cut);
	RUN(broken);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that are found through rule indexes are those that hold.  With strict
 * builtin errors every rule is tried, so both ways must give one answer.
 */
#include "rego/rego.h"
#include "tap.h"

enum { ROUNDS = 400, RULES = 60 };

static uint64_t seed = 42;

static uint32_t pick(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* Few letters, so that texts are often parts of each other. */
static void put_word(struct bl_buf *out, uint32_t least)
{
	static const char *const letters[] = { "a",        "b", "ab", "ba",
					       "\xc3\xa4", " ", "-" };
	uint32_t count = least + pick(4);

	for (uint32_t i = 0; i < count; i++)
		bl_buf_puts(out, letters[pick(BL_COUNT(letters))]);
}

static void put_quoted(struct bl_buf *out, uint32_t least)
{
	bl_buf_put_char(out, '"');
	put_word(out, least);
	bl_buf_put_char(out, '"');
}

static void put_list(struct bl_buf *out, char open, char close)
{
	bl_buf_put_char(out, open);
	for (uint32_t i = 0, count = 1 + pick(4); i < count; i++) {
		bl_buf_puts(out, i ? ", " : "");
		put_quoted(out, 1);
	}
	bl_buf_put_char(out, close);
}

/* The text before and behind a word. */
struct shape {
	const char *before;
	const char *behind;
};

static void put_shaped(struct bl_buf *out, const struct shape *shapes,
		       size_t count)
{
	const struct shape *shape = &shapes[pick((uint32_t)count)];

	bl_buf_printf(out, "\"%s", shape->before);
	put_word(out, 1);
	bl_buf_printf(out, "%s\"", shape->behind);
}

static void put_pattern(struct bl_buf *out)
{
	static const struct shape shapes[] = {
		{ "^", "" },     { "", "$" },       { "", "" },
		{ "^", "$" },    { "a*", "" },      { "(", ")+" },
		{ "", "|b" },    { "(?:x|", ")b" }, { "[ab]", "a.*" },
		{ "(?i)", "" },  { "", "?a" },      { "^(", "|ab)b" },
		{ "\\\\b", "" },
	};

	put_shaped(out, shapes, BL_COUNT(shapes));
}

static void put_glob(struct bl_buf *out)
{
	static const struct shape shapes[] = {
		{ "", "*" }, { "*", "" },     { "*", "*" },
		{ "", "?" }, { "{", ",b}*" }, { "[ab]", "" },
	};

	put_shaped(out, shapes, BL_COUNT(shapes));
}

static const char *const subjects[] = { "input.c", "x", "lower(input.c)",
					"input.d[\"e\"]" };

static void put_guard(struct bl_buf *out)
{
	const char *subject = subjects[pick(BL_COUNT(subjects))];

	switch (pick(8)) {
	case 0:
		bl_buf_printf(out, "startswith(%s, ", subject);
		put_quoted(out, 0);
		break;
	case 1:
		bl_buf_printf(out, "endswith(%s, ", subject);
		put_quoted(out, 0);
		break;
	case 2:
		bl_buf_printf(out, "contains(%s, ", subject);
		put_quoted(out, 0);
		break;
	case 3:
		bl_buf_puts(out, "regex.match(");
		put_pattern(out);
		bl_buf_printf(out, ", %s", subject);
		break;
	case 4:
		bl_buf_puts(out, "glob.match(");
		put_glob(out);
		bl_buf_printf(out, ", [], %s", subject);
		break;
	case 5:
		bl_buf_printf(out, "strings.any_prefix_match(%s, ", subject);
		put_list(out, '[', ']');
		break;
	case 6:
		bl_buf_printf(out, "(%s in ", subject);
		put_list(out, '{', '}');
		break;
	default:
		bl_buf_printf(out, "(%s == ", subject);
		put_quoted(out, 1);
		break;
	}
	bl_buf_puts(out, ")");
}

static void put_policy(struct bl_buf *out)
{
	bl_buf_puts(out, "package p\n");
	for (uint32_t i = 0; i < RULES; i++) {
		bl_buf_printf(out, "r contains %u if { x := input.c; ",
			      (unsigned)i);
		put_guard(out);
		if (pick(3) == 0) {
			bl_buf_puts(out, "; ");
			put_guard(out);
		}
		bl_buf_puts(out, " }\n");
	}
}

static struct bl_value evaluate(const struct bl_rego_policies *policies,
				struct bl_arena *arena, struct bl_value input,
				bool strict)
{
	struct bl_rego_options options = { .input = input,
					   .strict_builtin_errors = strict };
	struct bl_rego_result result;

	if (bl_rego_document(policies, bl_rego_find(policies, BL_STR("p.r")),
			     &options, arena, &result, NULL) ||
	    result.fault_code)
		return bl_value_undefined();
	return result.document;
}

static struct bl_value make_input(struct bl_arena *arena)
{
	struct bl_object_builder inner;
	struct bl_object_builder input;
	struct bl_buf word;

	bl_object_builder_init(&inner, arena);
	bl_object_builder_init(&input, arena);
	bl_buf_init(&word, 0);
	put_word(&word, 1);
	put_word(&word, 0);
	bl_object_builder_add(
		&input, BL_STR("c"),
		bl_value_string(bl_arena_copy_str(arena, bl_buf_str(&word))));
	put_word(&word, 0);
	bl_object_builder_add(
		&inner, BL_STR("e"),
		bl_value_string(bl_arena_copy_str(arena, bl_buf_str(&word))));
	bl_object_builder_add(&input, BL_STR("d"),
			      bl_object_builder_end(&inner));
	bl_buf_clear(&word);
	return bl_object_builder_end(&input);
}

/* One policy and some inputs; false with the policy as a note. */
static bool run_round(size_t *found)
{
	struct bl_rego_source source = { .file = BL_STR("p.rego") };
	const struct bl_rego_policies *policies;
	struct bl_arena arena;
	struct bl_diags diags;
	struct bl_buf text;
	bool ok;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_diags_init(&diags, &arena);
	bl_buf_init(&text, 0);
	put_policy(&text);
	source.text = bl_buf_str(&text);
	ok = !bl_rego_compile(&arena, &source, 1, NULL, &diags, &policies,
			      NULL);
	for (int i = 0; ok && i < 20; i++) {
		struct bl_value input = make_input(&arena);
		struct bl_value filtered =
			evaluate(policies, &arena, input, false);
		struct bl_value tried = evaluate(policies, &arena, input, true);

		*found += bl_value_count(filtered);
		ok = bl_value_is_defined(tried) &&
		     bl_value_equal(filtered, tried);
	}
	if (!ok)
		printf("# %s\n", text.ptr);
	bl_buf_clear(&text);
	bl_arena_clear(&arena);
	return ok;
}

static void filters_find_what_trying_finds(void)
{
	size_t found = 0;
	bool ok = true;

	for (int i = 0; ok && i < ROUNDS; i++)
		ok = run_round(&found);
	CHECK(ok);
	CHECK(found > ROUNDS);
}

int main(void)
{
	RUN(filters_find_what_trying_finds);
	return tap_end();
}

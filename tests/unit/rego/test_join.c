/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop whose rounds are looked up finds what going through all of them
 * finds.  "true == (x.id == y)" is not a join, "x.id == y" is one.
 */
#include "json/json.h"
#include "rego/rego.h"
#include "tap.h"

enum { ROUNDS = 200 };

static const char module[] =
	"package p\n"
	"join contains [\"some\", i, x] if {\n"
	"  some i in input.keys; some x in input.xs; x.id == i }\n"
	"scan contains [\"some\", i, x] if {\n"
	"  some i in input.keys; some x in input.xs; true == (x.id == i) }\n"
	"join contains [\"ref\", i, k] if {\n"
	"  some i in input.keys; input.xs[k].id == i }\n"
	"scan contains [\"ref\", i, k] if {\n"
	"  some i in input.keys; true == (input.xs[k].id == i) }\n"
	"join contains [\"assigned\", i, x] if {\n"
	"  some i in input.keys; x := input.xs[_]; x.n > 3; i == x.id }\n"
	"scan contains [\"assigned\", i, x] if {\n"
	"  some i in input.keys; x := input.xs[_]; x.n > 3\n"
	"  true == (i == x.id) }\n"
	"join contains [\"whole\", i, k] if {\n"
	"  some i in input.keys; some k, x in input.ids; x == i }\n"
	"scan contains [\"whole\", i, k] if {\n"
	"  some i in input.keys; some k, x in input.ids; true == (x == i) }\n"
	"join contains [\"deep\", i, x] if {\n"
	"  some i in input.keys; some x in input.xs\n"
	"  x.a[0].b == lower(i) }\n"
	"scan contains [\"deep\", i, x] if {\n"
	"  some i in input.keys; some x in input.xs\n"
	"  true == (x.a[0].b == lower(i)) }\n";

static uint64_t seed = 7;

static uint32_t pick(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static const char *const ids[] = { "1",    "1.0", "2",     "\"a\"", "\"A\"",
				   "null", "[1]", "[1.0]", "{}",    "\"\"" };

static const char *any_id(void)
{
	return ids[pick(BL_COUNT(ids))];
}

static void put_row(struct bl_buf *out)
{
	bl_buf_puts(out, "{");
	if (pick(5))
		bl_buf_printf(out, "\"id\": %s, ", any_id());
	if (pick(3))
		bl_buf_printf(out, "\"a\": [{\"b\": %s}], ", any_id());
	bl_buf_printf(out, "\"n\": %u}", (unsigned)pick(8));
}

static void put_input(struct bl_buf *out)
{
	bool object = pick(2);

	bl_buf_puts(out, "{\"keys\": [");
	for (uint32_t i = 0; i < 6; i++)
		bl_buf_printf(out, "%s%s", i ? ", " : "", any_id());
	bl_buf_puts(out, object ? "], \"xs\": {" : "], \"xs\": [");
	for (uint32_t i = 0, n = pick(40); i < n; i++) {
		bl_buf_puts(out, i ? ", " : "");
		if (object)
			bl_buf_printf(out,
				      "\"k%u\": ", (unsigned)(97 * i % 89));
		put_row(out);
	}
	bl_buf_puts(out, object ? "}, \"ids\": [" : "], \"ids\": [");
	for (uint32_t i = 0, n = pick(40); i < n; i++)
		bl_buf_printf(out, "%s%s", i ? ", " : "", any_id());
	bl_buf_puts(out, "]}");
}

static struct bl_value evaluate(const struct bl_rego_policies *policies,
				struct bl_arena *arena, struct bl_value input,
				const char *rule)
{
	struct bl_rego_options options = { .input = input };
	struct bl_rego_result result;

	if (bl_rego_document(policies, bl_rego_find(policies, bl_str(rule)),
			     &options, arena, &result, NULL))
		return bl_value_undefined();
	return result.document;
}

static void joins_find_what_loops_find(void)
{
	struct bl_rego_source source = { .file = BL_STR("p.rego"),
					 .text = bl_str(module) };
	const struct bl_rego_policies *policies;
	struct bl_arena arena;
	struct bl_diags diags;
	size_t found = 0;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_diags_init(&diags, &arena);
	REQUIRE(!bl_rego_compile(&arena, &source, 1, NULL, &diags, &policies,
				 NULL));
	for (int i = 0; i < ROUNDS; i++) {
		struct bl_value input;
		struct bl_value joined;
		struct bl_value scanned;
		struct bl_place place;
		struct bl_buf text;

		bl_buf_init(&text, 0);
		put_input(&text);
		CHECK_STATUS(bl_json_read(&arena, bl_buf_str(&text), NULL,
					  &input, NULL, &place, NULL),
			     BL_OK);
		joined = evaluate(policies, &arena, input, "p.join");
		scanned = evaluate(policies, &arena, input, "p.scan");
		CHECK(bl_value_is_defined(scanned));
		CHECK(bl_value_equal(joined, scanned));
		found += bl_value_count(scanned);
		bl_buf_clear(&text);
	}
	CHECK(found > ROUNDS);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(joins_find_what_loops_find);
	return tap_end();
}

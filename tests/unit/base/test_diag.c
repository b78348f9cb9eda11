/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"
#include "tap.h"

static struct bl_arena arena;
static struct bl_buf out;

static void start(struct bl_diags *diags)
{
	bl_arena_reset(&arena);
	bl_buf_reset(&out);
	bl_diags_init(diags, &arena);
}

static struct bl_str printed(const struct bl_diags *diags)
{
	bl_buf_reset(&out);
	bl_diags_print(diags, false, &out);
	return bl_buf_str(&out);
}

static const struct bl_diag_source hooks_file = {
	.file = { "hooks.json", 10 },
	.text = { "{\n\t\"a\": tru,\r\n\xC3\xA9 x\n}", 21 },
};

static void places_count_lines_and_bytes(void)
{
	struct bl_str text = BL_STR("ab\ncd\n\xC3\xA9x");
	static const struct {
		size_t offset;
		uint32_t line, column;
	} rows[] = {
		{ 0, 1, 1 }, { 1, 1, 2 }, { 2, 1, 3 }, { 3, 2, 1 },
		{ 6, 3, 1 }, { 8, 3, 3 }, { 9, 3, 4 }, { 99, 3, 4 },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_place place = bl_place_at(text, rows[i].offset);

		CHECK_INT(place.line, rows[i].line);
		CHECK_INT(place.column, rows[i].column);
		CHECK(place.offset <= text.len);
	}
	CHECK_INT(bl_place_at(bl_str(NULL), 5).line, 1);
}

static void a_finding_is_kept_with_its_line(void)
{
	struct bl_diags diags;
	struct bl_diag *diag;

	start(&diags);
	diag = bl_diags_add(&diags, BL_SEVERITY_ERROR, "json/syntax",
			    &hooks_file, bl_place_at(hooks_file.text, 8),
			    "write true", "unknown word %s", "tru");
	REQUIRE(diag);
	CHECK(diags.first == diag && !diag->next);
	CHECK_STR(diag->message, "unknown word tru");
	CHECK_STR(diag->hint, "write true");
	CHECK_STR(diag->file, "hooks.json");
	CHECK_STR(diag->source_line, "\t\"a\": tru,");
	CHECK_INT(diags.error_count, 1);
	CHECK_INT(diags.warning_count, 0);
}

static void the_printer_points_at_the_place(void)
{
	struct bl_diags diags;

	start(&diags);
	bl_diags_add(&diags, BL_SEVERITY_ERROR, "json/syntax", &hooks_file,
		     bl_place_at(hooks_file.text, 8), "write true",
		     "unknown word");
	bl_diags_add(&diags, BL_SEVERITY_WARNING, "json/odd", &hooks_file,
		     bl_place_at(hooks_file.text, 17), NULL, "an x");
	CHECK_STR(printed(&diags), "hooks.json:2:7: error: unknown word "
				   "[json/syntax]\n"
				   "  | \t\"a\": tru,\n"
				   "  | \t     ^\n"
				   "  hint: write true\n"
				   "hooks.json:3:4: warning: an x [json/odd]\n"
				   "  | \xC3\xA9 x\n"
				   "  |   ^\n");
}

static void line_zero_is_the_whole_file(void)
{
	struct bl_diags diags;

	start(&diags);
	bl_diags_add(&diags, BL_SEVERITY_NOTE, "file/empty", &hooks_file,
		     (struct bl_place){ 0 }, NULL, "nothing in it");
	CHECK_STR(printed(&diags),
		  "hooks.json: note: nothing in it [file/empty]\n");
	CHECK_INT(diags.error_count + diags.warning_count, 0);
}

static void colour_is_on_request(void)
{
	struct bl_diags diags;

	start(&diags);
	bl_diags_add(&diags, BL_SEVERITY_ERROR, "a/b", &hooks_file,
		     (struct bl_place){ 0 }, NULL, "no");
	bl_diags_print(&diags, true, &out);
	CHECK_STR(bl_buf_str(&out),
		  "hooks.json: \033[31merror\033[0m: no [a/b]\n");
}

static void hostile_text_is_shown_safely(void)
{
	static const struct bl_diag_source hostile = {
		.file = { "a\x1B]0;x", 6 },
		.text = { "\x1B[2Jxy", 6 },
	};
	struct bl_diags diags;

	start(&diags);
	bl_diags_add(&diags, BL_SEVERITY_ERROR, "a/b", &hostile,
		     bl_place_at(hostile.text, 4), "\x07", "\x1B[1m");
	CHECK_STR(printed(&diags), "a\\u{1B}]0;x:1:5: error: \\u{1B}[1m [a/b]\n"
				   "  | \\u{1B}[2Jxy\n"
				   "  |          ^\n"
				   "  hint: \\u{7}\n");
}

static void a_very_long_line_is_not_shown(void)
{
	char text[1000];
	struct bl_diag_source source = { BL_STR("f"), { text, 1000 } };
	struct bl_diags diags;
	struct bl_diag *diag;

	memset(text, 'x', sizeof(text));
	start(&diags);
	diag = bl_diags_add(&diags, BL_SEVERITY_ERROR, "a/b", &source,
			    bl_place_at(source.text, 500), NULL, "no");
	REQUIRE(diag);
	CHECK_INT(diag->source_line.len, 0);
	CHECK_STR(printed(&diags), "f:1:501: error: no [a/b]\n");
}

static void a_full_list_still_counts(void)
{
	struct bl_diags diags;

	start(&diags);
	for (int i = 0; i < BL_DIAGS_MAX; i++)
		bl_diags_add(&diags, BL_SEVERITY_NOTE, "a/b", &hooks_file,
			     (struct bl_place){ 0 }, NULL, "no");
	CHECK_INT(diags.dropped_count, 0);
	CHECK(!bl_diags_add(&diags, BL_SEVERITY_ERROR, "a/b", &hooks_file,
			    (struct bl_place){ 0 }, NULL, "no"));
	CHECK_INT(diags.error_count, 1);
	CHECK_INT(diags.dropped_count, 1);
	CHECK(bl_str_has_suffix(printed(&diags),
				BL_STR("1 more finding is not shown\n")));
	bl_diags_add(&diags, BL_SEVERITY_WARNING, "a/b", &hooks_file,
		     (struct bl_place){ 0 }, NULL, "no");
	CHECK_INT(diags.warning_count, 1);
	CHECK(bl_str_has_suffix(printed(&diags),
				BL_STR("2 more findings are not shown\n")));
}

static void a_list_may_take_more(void)
{
	struct bl_diags diags;

	start(&diags);
	diags.most = BL_DIAGS_MAX + 1;
	for (int i = 0; i < BL_DIAGS_MAX + 2; i++)
		bl_diags_add(&diags, BL_SEVERITY_ERROR, "a/b", &hooks_file,
			     (struct bl_place){ 0 }, NULL, "no");
	CHECK_INT(diags.stored_count, BL_DIAGS_MAX + 1);
	CHECK_INT(diags.dropped_count, 1);
}

static void memory_that_is_out_still_counts(void)
{
	struct bl_arena small;
	struct bl_diags diags;
	size_t stored = 0;

	bl_arena_init(&small, NULL, 0, 16384);
	bl_diags_init(&diags, &small);
	while (stored < BL_DIAGS_MAX &&
	       bl_diags_add(&diags, BL_SEVERITY_ERROR, "a/b", &hooks_file,
			    (struct bl_place){ 0 }, NULL, "%1000s", "no"))
		stored++;
	CHECK(stored > 0 && stored < BL_DIAGS_MAX);
	CHECK(diags.out_of_memory);
	CHECK_INT(diags.error_count, stored + 1);
	CHECK(bl_str_has_suffix(
		printed(&diags),
		BL_STR("memory ran out: findings are missing\n")));
	bl_arena_clear(&small);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&out, 0);
	RUN(places_count_lines_and_bytes);
	RUN(a_finding_is_kept_with_its_line);
	RUN(the_printer_points_at_the_place);
	RUN(line_zero_is_the_whole_file);
	RUN(colour_is_on_request);
	RUN(hostile_text_is_shown_safely);
	RUN(a_very_long_line_is_not_shown);
	RUN(a_full_list_still_counts);
	RUN(a_list_may_take_more);
	RUN(memory_that_is_out_still_counts);
	bl_buf_clear(&out);
	bl_arena_clear(&arena);
	return tap_end();
}

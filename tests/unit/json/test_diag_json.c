/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"
#include "tap.h"

static struct bl_arena arena;

static const struct bl_diag_source source = {
	.file = { "dir/my hooks.json", 17 },
	.text = { "{\n  x\n}", 7 },
};

static void fill(struct bl_diags *diags)
{
	struct bl_place place = { .line = 2, .column = 3, .offset = 4 };
	struct bl_place none = { 0 };

	bl_diags_init(diags, &arena);
	bl_diags_add(diags, BL_SEVERITY_ERROR, "hooks/bad", &source, place,
		     "write \"y\"", "\"%c\" is not known", 'x');
	bl_diags_add(diags, BL_SEVERITY_WARNING, "hooks/odd", &source, none,
		     NULL, "odd");
	bl_diags_add(diags, BL_SEVERITY_NOTE, "hooks/bad", &source, none, NULL,
		     "again");
}

static struct bl_value read_back(struct bl_buf *buf)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_buf_status(buf), BL_OK);
	CHECK_STATUS(bl_json_read(&arena, bl_buf_str(buf), NULL, &value, NULL,
				  NULL, NULL),
		     BL_OK);
	return value;
}

static struct bl_value at(struct bl_value object, const char *key)
{
	return bl_object_find(object, bl_str(key));
}

static void diagnostics(void)
{
	struct bl_diags diags;
	struct bl_value list, one;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	fill(&diags);
	bl_json_write_diags(&buf, &diags);
	list = read_back(&buf);
	REQUIRE(bl_value_count(list) == 3);
	one = bl_value_item(list, 0);
	CHECK_STR(bl_value_text(at(one, "severity")), "error");
	CHECK_STR(bl_value_text(at(one, "code")), "hooks/bad");
	CHECK_STR(bl_value_text(at(one, "file")), "dir/my hooks.json");
	CHECK(bl_value_equal(at(one, "line"), bl_value_integer(2)));
	CHECK(bl_value_equal(at(one, "column"), bl_value_integer(3)));
	CHECK_STR(bl_value_text(at(one, "message")), "\"x\" is not known");
	CHECK_STR(bl_value_text(at(one, "hint")), "write \"y\"");
	one = bl_value_item(list, 1);
	CHECK_STR(bl_value_text(at(one, "severity")), "warning");
	CHECK(!bl_value_is_defined(at(one, "line")));
	CHECK(!bl_value_is_defined(at(one, "hint")));
	bl_buf_clear(&buf);
}

static void no_diagnostics(void)
{
	struct bl_diags diags;
	struct bl_value runs, results;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_diags_init(&diags, &arena);
	bl_json_write_diags(&buf, &diags);
	CHECK_STR(bl_buf_str(&buf), "[]\n");
	bl_buf_reset(&buf);
	bl_json_write_sarif(&buf, &diags, "1.2.3");
	runs = at(read_back(&buf), "runs");
	results = at(bl_value_item(runs, 0), "results");
	CHECK(bl_value_is(results, BL_KIND_ARRAY));
	CHECK_INT(bl_value_count(results), 0);
	bl_buf_clear(&buf);
}

/* The properties that SARIF 2.1.0 requires, by its specification. */
static void sarif(void)
{
	struct bl_diags diags;
	struct bl_value log, run, driver, result, location, region;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	fill(&diags);
	bl_json_write_sarif(&buf, &diags, "1.2.3");
	log = read_back(&buf);
	CHECK_STR(bl_value_text(at(log, "version")), "2.1.0");
	CHECK(bl_value_is(at(log, "$schema"), BL_KIND_STRING));
	REQUIRE(bl_value_count(at(log, "runs")) == 1);
	run = bl_value_item(at(log, "runs"), 0);
	driver = at(at(run, "tool"), "driver");
	CHECK_STR(bl_value_text(at(driver, "name")), "belay");
	CHECK_STR(bl_value_text(at(driver, "version")), "1.2.3");
	CHECK_INT(bl_value_count(at(driver, "rules")), 2);
	CHECK_STR(
		bl_value_text(at(bl_value_item(at(driver, "rules"), 1), "id")),
		"hooks/odd");
	REQUIRE(bl_value_count(at(run, "results")) == 3);
	result = bl_value_item(at(run, "results"), 0);
	CHECK_STR(bl_value_text(at(result, "ruleId")), "hooks/bad");
	CHECK_STR(bl_value_text(at(result, "level")), "error");
	CHECK_STR(bl_value_text(at(at(result, "message"), "text")),
		  "\"x\" is not known\nhint: write \"y\"");
	location = at(bl_value_item(at(result, "locations"), 0),
		      "physicalLocation");
	CHECK_STR(bl_value_text(at(at(location, "artifactLocation"), "uri")),
		  "dir/my%20hooks.json");
	region = at(location, "region");
	CHECK(bl_value_equal(at(region, "startLine"), bl_value_integer(2)));
	CHECK(bl_value_equal(at(region, "startColumn"), bl_value_integer(3)));
	result = bl_value_item(at(run, "results"), 2);
	CHECK_STR(bl_value_text(at(result, "level")), "note");
	location = at(bl_value_item(at(result, "locations"), 0),
		      "physicalLocation");
	CHECK(!bl_value_is_defined(at(location, "region")));
	bl_buf_clear(&buf);
}

static void limits(void)
{
	struct bl_diags diags;
	struct bl_buf buf;

	fill(&diags);
	bl_buf_init(&buf, 40);
	bl_json_write_diags(&buf, &diags);
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	bl_buf_clear(&buf);
	bl_buf_init(&buf, 40);
	bl_json_write_sarif(&buf, &diags, "1");
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	bl_buf_clear(&buf);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(diagnostics);
	RUN(no_diagnostics);
	RUN(sarif);
	RUN(limits);
	bl_arena_clear(&arena);
	return tap_end();
}

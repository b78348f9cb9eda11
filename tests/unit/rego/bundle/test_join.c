/* SPDX-License-Identifier: Apache-2.0 */
#include "rego/bundle/private.h"
#include "json/json.h"
#include "tap.h"

static struct bl_arena arena;
static struct bl_error err;

static struct bl_value json(const char *text)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(&arena, bl_str(text), NULL, &value, NULL,
				  NULL, &err),
		     BL_OK);
	return value;
}

static struct bl_bundle make(const char *manifest, const char *data)
{
	struct bl_bundle bundle = { .name = BL_STR("b"), .data = json(data) };

	CHECK_STATUS(bundle_read_manifest(&arena, bl_str(manifest),
					  &bundle.manifest, &err),
		     BL_OK);
	return bundle;
}

static void merging(void)
{
	struct bl_value merged;

	CHECK_STATUS(bl_bundle_merge(&arena, json("{\"a\":{\"b\":1},\"c\":2}"),
				     json("{\"a\":{\"d\":3},\"c\":2}"), &merged,
				     &err),
		     BL_OK);
	CHECK(bl_value_equal(merged,
			     json("{\"a\":{\"b\":1,\"d\":3},\"c\":2}")));
	CHECK_STATUS(bl_bundle_merge(&arena, json("{\"a\":{\"b\":1}}"),
				     json("{\"a\":[]}"), &merged, &err),
		     BL_INVALID);
	CHECK_STATUS(bl_bundle_merge(&arena, bl_value_undefined(), json("1"),
				     &merged, &err),
		     BL_OK);
	CHECK(bl_value_equal(merged, json("1")));
}

static void together(void)
{
	struct bl_bundle bundles[] = {
		make("{\"roots\":[\"a\"]}", "{\"a\":1}"),
		make("{\"roots\":[\"b\"]}", "{\"b\":2}"),
	};
	struct bl_bundle_module modules[] = {
		{ .url = BL_STR("one"),
		  .text = BL_STR("package a"),
		  .v0 = true },
		{ .url = BL_STR("two"), .text = BL_STR("package b") },
	};
	struct bl_bundle_joined joined;

	bundles[0].modules = &modules[0];
	bundles[1].modules = &modules[1];
	bundles[0].module_count = bundles[1].module_count = 1;
	bundles[0].plan = json("{}"); /* beside sources it does not count */
	CHECK_STATUS(bl_bundle_join(&arena, bundles, 2, &joined, &err), BL_OK);
	REQUIRE(joined.source_count == 2);
	CHECK_STR(joined.sources[0].file, "one");
	CHECK(joined.sources[0].v0);
	CHECK_STR(joined.sources[1].text, "package b");
	CHECK(!joined.sources[1].v0);
	CHECK(!bl_value_is_defined(joined.plan));
	CHECK(bl_value_equal(joined.data, json("{\"a\":1,\"b\":2}")));
	/* A plan and sources: who is to answer? */
	bundles[0].module_count = 0;
	CHECK_STATUS(bl_bundle_join(&arena, bundles, 2, &joined, &err),
		     BL_INVALID);
	bundles[1].module_count = 0;
	CHECK_STATUS(bl_bundle_join(&arena, bundles, 2, &joined, &err), BL_OK);
	CHECK(bl_value_is_defined(joined.plan));
	bundles[1].plan = json("{}");
	CHECK_STATUS(bl_bundle_join(&arena, bundles, 2, &joined, &err),
		     BL_INVALID);
}

static void wasm(void)
{
	struct bl_bundle bundle = make("{}", "{}");
	struct bl_bundle_entry file = { .shown = BL_STR("policy.wasm") };
	struct bl_bundle_module module = { .text = BL_STR("package a") };
	struct bl_bundle_joined joined;

	bundle.wasm_files = &file;
	bundle.wasm_file_count = 1;
	CHECK_STATUS(bl_bundle_join(&arena, &bundle, 1, &joined, &err),
		     BL_UNSUPPORTED);
	CHECK(strstr(err.message, "WebAssembly only (policy.wasm)"));
	bundle.modules = &module;
	bundle.module_count = 1;
	CHECK_STATUS(bl_bundle_join(&arena, &bundle, 1, &joined, &err), BL_OK);
}

static void path_texts(void)
{
	CHECK_STR(bl_bundle_path_text(&arena, "data",
				      json("[\"a\",\"b c\",\"d_1\",\"2\"]")),
		  "data.a[\"b c\"].d_1[\"2\"]");
	CHECK_STR(bl_bundle_path_text(&arena, NULL, json("[\"a\",\"b\"]")),
		  "a.b");
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(merging);
	RUN(together);
	RUN(wasm);
	RUN(path_texts);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The messages are those of opa 1.22.3 for the same bundles. */
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

static struct bl_bundle make(const char *name, const char *manifest,
			     const char *data)
{
	struct bl_bundle bundle = { .name = bl_str(name), .data = json(data) };

	CHECK_STATUS(bundle_read_manifest(&arena, bl_str(manifest),
					  &bundle.manifest, &err),
		     BL_OK);
	return bundle;
}

static void containing(void)
{
	CHECK(bundle_root_contains(BL_STR(""), BL_STR("a/b")));
	CHECK(bundle_root_contains(BL_STR("a"), BL_STR("a")));
	CHECK(bundle_root_contains(BL_STR("a"), BL_STR("a/b")));
	CHECK(!bundle_root_contains(BL_STR("a"), BL_STR("ab")));
	CHECK(!bundle_root_contains(BL_STR("a/b"), BL_STR("a")));
}

static void data(void)
{
	struct bl_bundle bundle = make("a", "{\"roots\":[\"x/y\",\"z\"]}",
				       "{\"x\":{\"y\":1},\"z\":{\"q\":[1]}}");

	CHECK_STATUS(bundle_check_content(&arena, &bundle, &err), BL_OK);
	bundle.data = json("{\"q\":{}}");
	CHECK_STATUS(bundle_check_content(&arena, &bundle, &err), BL_INVALID);
	CHECK_STR(bl_str(err.message),
		  "manifest roots [x/y z] do not permit data at path '/q' "
		  "(hint: check bundle directory structure)");
	bundle.data = json("{\"x\":1}");
	CHECK_STATUS(bundle_check_content(&arena, &bundle, &err), BL_INVALID);
	CHECK(strstr(err.message, "'/x'"));
	bundle = make("a", "{\"roots\":[]}", "{}");
	CHECK_STATUS(bundle_check_content(&arena, &bundle, &err), BL_INVALID);
	CHECK(strstr(err.message, "manifest roots [] do not permit data at "
				  "path '/'"));
}

static void packages(void)
{
	struct bl_bundle bundle = make("a", "{\"roots\":[\"x/y\"]}", "{}");
	struct bl_bundle_module module = { .shown = BL_STR("a/w.rego"),
					   .package = json("[\"x\",\"y\"]") };

	bundle.modules = &module;
	bundle.module_count = 1;
	CHECK_STATUS(bundle_check_content(&arena, &bundle, &err), BL_OK);
	module.package = json("[\"w\"]");
	CHECK_STATUS(bundle_check_content(&arena, &bundle, &err), BL_INVALID);
	CHECK_STR(bl_str(err.message),
		  "manifest roots [x/y] do not permit 'package w' in module "
		  "'a/w.rego'");
}

static void two_bundles(void)
{
	struct bl_bundle bundles[] = {
		make("./a", "{\"roots\":[\"x\",\"roles\"]}", "{}"),
		make("a", "{\"roots\":[\"roles\",\"x/y\",\"z\"]}", "{}"),
		make("c", "{}", "{}"),
	};

	CHECK_STATUS(bundle_check_roots(&arena, bundles, 1, &err), BL_OK);
	CHECK_STATUS(bundle_check_roots(&arena, bundles, 2, &err), BL_INVALID);
	CHECK_STR(bl_str(err.message),
		  "detected overlapping roots in manifests for these bundles: "
		  "[./a, a] (root roles is in multiple bundles, x overlaps "
		  "x/y)");
	CHECK_STATUS(bundle_check_roots(&arena, bundles + 1, 2, &err),
		     BL_INVALID);
	CHECK_STR(bl_str(err.message),
		  "bundles [a, c] have overlapping roots and cannot be "
		  "activated simultaneously because bundle(s) [c] specify "
		  "empty root paths ('') which overlap with any other bundle "
		  "root");
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(containing);
	RUN(data);
	RUN(packages);
	RUN(two_bundles);
	bl_arena_clear(&arena);
	return tap_end();
}

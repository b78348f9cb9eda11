/* SPDX-License-Identifier: Apache-2.0 */
/* Expected texts are OPA's (1.22.3) unless they are about JSON types. */
#include "rego/bundle/private.h"
#include "json/json.h"
#include "tap.h"

static struct bl_arena arena;
static struct bl_bundle_manifest manifest;
static struct bl_error err;

static enum bl_status read_it(const char *text)
{
	return bundle_read_manifest(&arena, bl_str(text), &manifest, &err);
}

static void defaults(void)
{
	CHECK_STATUS(read_it("{}"), BL_OK);
	CHECK_STR(manifest.revision, "");
	REQUIRE(manifest.root_count == 1);
	CHECK_STR(manifest.roots[0], "");
	CHECK_INT(manifest.rego_version, BL_BUNDLE_NO_VERSION);
	CHECK(!bl_value_is_defined(manifest.metadata));
	CHECK_STATUS(read_it("null"), BL_OK);
	CHECK_INT(manifest.root_count, 1);
}

static void all_members(void)
{
	struct bl_buf text;

	CHECK_STATUS(read_it("{\"revision\":\"r1\",\"roots\":[\"/a/b/\",\"c\"],"
			     "\"rego_version\":0,\"metadata\":{\"m\":1},"
			     "\"file_rego_versions\":{\"/a/b/*.rego\":1}}"),
		     BL_OK);
	CHECK_STR(manifest.revision, "r1");
	REQUIRE(manifest.root_count == 2);
	CHECK_STR(manifest.roots[0], "a/b");
	CHECK_STR(manifest.roots[1], "c");
	CHECK_INT(manifest.rego_version, 0);
	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_bundle_manifest_value(&arena, &manifest),
		      BL_JSON_COMPACT);
	CHECK_STR(bl_buf_str(&text),
		  "{\"revision\":\"r1\",\"roots\":[\"a/b\",\"c\"],"
		  "\"rego_version\":0,"
		  "\"file_rego_versions\":{\"/a/b/*.rego\":1},"
		  "\"metadata\":{\"m\":1}}");
	bl_buf_clear(&text);
}

static int version_of(const char *path)
{
	int version = 99;

	CHECK_STATUS(bundle_module_version(&arena, &manifest, bl_str(path),
					   &version, &err),
		     BL_OK);
	return version;
}

static void versions(void)
{
	CHECK_STATUS(read_it("{\"rego_version\":1,\"file_rego_versions\":"
			     "{\"/b/*\":1,\"*/v0.rego\":0,\"/x?.rego\":0}}"),
		     BL_OK);
	/* "*" is first in order, and crosses folders */
	CHECK_INT(version_of("/b/v0.rego"), 0);
	CHECK_INT(version_of("/a/b/v0.rego"), 0);
	CHECK_INT(version_of("/b/v1.rego"), 1);
	CHECK_INT(version_of("/xy.rego"), 0);
	CHECK_INT(version_of("/xyz.rego"), 1);
	CHECK_STATUS(read_it("{}"), BL_OK);
	CHECK_INT(version_of("/a"), BL_BUNDLE_NO_VERSION);
}

static void bad(void)
{
	static const struct {
		const char *text;
		const char *message;
	} rows[] = {
		{ "{\"roots\":[\"a\",\"a/b\"]}",
		  "manifest has overlapped roots: 'a' and 'a/b'" },
		{ "{\"roots\":[\"a\",\"\"]}",
		  "manifest has overlapped roots: 'a' and ''" },
		{ "{\"rego_version\":7}",
		  "manifest has unknown rego-version 7" },
		{ "{\"file_rego_versions\":{\"*.rego\":7}}",
		  "manifest has unknown rego-version 7 for file '*.rego'" },
		{ "[]", "bundle load failed on manifest decode: '.manifest' is "
			"not an object" },
		{ "{\"roots\":\"a\"}", "bundle load failed on manifest decode: "
				       "'roots' is not an array" },
		{ "{\"roots\":[1]}", "bundle load failed on manifest decode: "
				     "'roots' is not an array of strings" },
		{ "{\"revision\":1}", "bundle load failed on manifest decode: "
				      "'revision' is not a string" },
		{ "{\"rego_version\":1.5}",
		  "bundle load failed on manifest decode: 'rego_version' is "
		  "not made of integers" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		CHECK_STATUS(read_it(rows[i].text), BL_INVALID);
		CHECK_STR(bl_str(err.message), rows[i].message);
	}
	CHECK_STATUS(read_it("{"), BL_SYNTAX);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(defaults);
	RUN(all_members);
	RUN(versions);
	RUN(bad);
	bl_arena_clear(&arena);
	return tap_end();
}

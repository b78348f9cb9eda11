/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "rego/bundle/private.h"
#include "json/json.h"
#include "os/os.h"
#include "tap.h"

static struct bl_arena arena;
static struct bl_bundle bundle;
static struct bl_error err;
static char root[] = "/tmp/belay-bundle-XXXXXX";

static struct bl_str path_of(const char *name)
{
	return bl_path_join(&arena, bl_str(root), bl_str(name));
}

static void put(const char *name, const char *text)
{
	struct bl_str path = path_of(name);

	CHECK_STATUS(bl_os_make_dirs(bl_path_dir(path), 0700, &err), BL_OK);
	CHECK_STATUS(bl_os_replace_file(path, bl_str(text), 0600, &err), BL_OK);
}

static enum bl_status read_it(const char *name, bool list_data)
{
	const struct bl_bundle_options options = { .list_data = list_data };

	return bl_bundle_read(&arena, path_of(name), &options, &bundle, &err);
}

/* The message, without the path of this run. */
static struct bl_str message(void)
{
	return bl_str_slice(bl_str(err.message),
			    strlen("bundle ") + sizeof(root), SIZE_MAX);
}

static struct bl_value json(const char *text)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(&arena, bl_str(text), NULL, &value, NULL,
				  NULL, &err),
		     BL_OK);
	return value;
}

static void folder(void)
{
	put("a/.manifest", "{\"revision\":\"r\",\"roots\":[\"x\",\"y\"]}");
	put("a/x/p.rego", "package x.p\n\nv := 1\n");
	put("a/x/data.json", "{\"k\":1}");
	put("a/y/z/data.yaml", "l: [2]\n");
	put("a/y/data.yml", "m: 3\n");
	put("a/y/other.json", "{");
	CHECK(!symlink("/etc/passwd", path_of("a/x/data.yaml").ptr));
	CHECK_STATUS(read_it("a", false), BL_OK);
	CHECK_STR(bundle.manifest.revision, "r");
	CHECK(bl_value_equal(
		bundle.data,
		json("{\"x\":{\"k\":1},\"y\":{\"m\":3,\"z\":{\"l\":[2]}}}")));
	REQUIRE(bundle.module_count == 1);
	CHECK(bl_str_equal(bundle.modules[0].shown, path_of("a/x/p.rego")));
	CHECK(bl_value_equal(bundle.modules[0].package, json("[\"x\",\"p\"]")));
	CHECK(!bundle.modules[0].v0);
	CHECK_INT(bundle.data_file_count, 3);
}

static void list_only(void)
{
	put("l/data.json", "{");
	CHECK_STATUS(read_it("l", true), BL_OK);
	CHECK_INT(bundle.data_file_count, 1);
	CHECK_STATUS(read_it("l", false), BL_SYNTAX);
	CHECK(strstr(err.message, "bundle load failed on data.json: "));
}

static void archive(void)
{
	const struct bl_bundle_file files[] = {
		{ .path = BL_STR("x/data.json"), .text = BL_STR("1") },
		{ .path = BL_STR("v0.rego"),
		  .text = BL_STR("package p\na { 1 }") },
		{ .path = BL_STR(".manifest"),
		  .text = BL_STR("{\"file_rego_versions\":{\"/v0.rego\":0}}") },
		{ .path = BL_STR("plan.json"), .text = BL_STR("{}") },
		{ .path = BL_STR("policy.wasm"), .text = BL_STR("?") },
		{ .path = BL_STR(".signatures.json"),
		  .text = BL_STR("{\"signatures\":[\"s\"]}") },
	};
	static const struct bl_bundle_options unverified = { .skip_verify =
								     true };
	struct bl_buf out;

	bl_buf_init(&out, 0);
	REQUIRE(!bl_bundle_pack(files, BL_COUNT(files), &out, &err));
	REQUIRE(!bl_os_replace_file(path_of("b.tar.gz"), bl_buf_str(&out), 0600,
				    &err));
	bl_buf_clear(&out);
	CHECK_STATUS(read_it("b.tar.gz", false), BL_INVALID);
	CHECK_STR(message(), "b.tar.gz: verification key not provided");
	CHECK_STATUS(bl_bundle_read(&arena, path_of("b.tar.gz"), &unverified,
				    &bundle, &err),
		     BL_OK);
	CHECK(bl_value_equal(bundle.data, json("{\"x\":1}")));
	REQUIRE(bundle.module_count == 1);
	CHECK(bundle.modules[0].v0);
	CHECK_STR(bundle.modules[0].shown, "/v0.rego");
	CHECK(bl_str_equal(bundle.modules[0].url, path_of("b.tar.gz/v0.rego")));
	CHECK(bl_value_is_defined(bundle.plan));
	CHECK_INT(bundle.wasm_file_count, 1);
	CHECK(bl_value_equal(bundle.signatures,
			     json("{\"signatures\":[\"s\"]}")));
}

static void refused(void)
{
	static const struct {
		const char *name;
		const char *text;
		enum bl_status status;
		const char *message;
	} rows[] = {
		{ "1/patch.json", "{}", BL_UNSUPPORTED,
		  "1: it is a delta (patch.json); only whole bundles are "
		  "read" },
		{ "2/plan.pb", "", BL_UNSUPPORTED,
		  "2: plan.pb: protobuf is not read; build the bundle with "
		  "JSON" },
		{ "3/.manifest.pb", "", BL_UNSUPPORTED, NULL },
		{ "4/data.json", "[1]", BL_INVALID,
		  "4: bundle load failed on data.json: root value must be "
		  "object" },
		{ "5/p.rego", "package p\na :=\n", BL_SYNTAX, NULL },
		{ "6/data.yaml", "a: [", BL_SYNTAX, NULL },
		{ "7/plan.json", "[", BL_SYNTAX, NULL },
		{ "8/.signatures.json", "", BL_SYNTAX, NULL },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		char name[2] = { rows[i].name[0] };

		put(rows[i].name, rows[i].text);
		CHECK_STATUS(read_it(name, false), rows[i].status);
		if (rows[i].message)
			CHECK_STR(message(), rows[i].message);
	}
	CHECK_STATUS(read_it("none", false), BL_NOT_FOUND);
}

static void conflicts(void)
{
	put("c/data.json", "{\"a\":{\"b\":1}}");
	put("c/a/data.json", "{\"b\":2}");
	CHECK_STATUS(read_it("c", false), BL_INVALID);
	CHECK(strstr(err.message, "failed to insert data file"));
	put("m/.manifest", "{}");
	put("m/x/.manifest", "{}");
	CHECK_STATUS(read_it("m", false), BL_INVALID);
	CHECK_STR(message(), "m: bundle contains multiple manifest files: "
			     "\".manifest\" and \"x/.manifest\"");
	put("w/.manifest", "{\"roots\":[\"x\"]}");
	put("w/w.rego", "package w\n");
	CHECK_STATUS(read_it("w", false), BL_INVALID);
	CHECK(strstr(err.message,
		     "manifest roots [x] do not permit 'package w' in module"));
}

static void wasm(void)
{
	put("s/policy.wasm", "?");
	put("s/.manifest", "{\"wasm\":[{\"entrypoint\":\"x/allow\","
			   "\"module\":\"/policy.wasm\"}]}");
	CHECK_STATUS(read_it("s", false), BL_OK);
	CHECK(bl_str_equal(bl_value_text(bl_object_find(
				   bl_value_item(bundle.manifest.wasm, 0),
				   BL_STR("module"))),
			   path_of("s/policy.wasm")));
	put("t/.manifest", "{\"wasm\":[{\"entrypoint\":\"x/allow\","
			   "\"module\":\"/policy.wasm\"}]}");
	CHECK_STATUS(read_it("t", false), BL_INVALID);
	CHECK_STR(message(), "t: manifest references wasm module "
			     "'/policy.wasm' but the module file does not "
			     "exist");
}

int main(void)
{
	char command[64];

	bl_arena_init(&arena, NULL, 0, 0);
	if (!mkdtemp(root))
		return 1;
	RUN(folder);
	RUN(list_only);
	RUN(archive);
	RUN(refused);
	RUN(conflicts);
	RUN(wasm);
	snprintf(command, sizeof(command), "rm -r %s", root);
	if (system(command))
		return 1;
	bl_arena_clear(&arena);
	return tap_end();
}

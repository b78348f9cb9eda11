/* SPDX-License-Identifier: Apache-2.0 */
/* src/opa/directory.c: a bundle as a policy directory, and what cannot be one. */
#include "json/json.h"
#include "opa/opa.h"

#include "tap.h"

static struct bl_error err;
static struct bl_arena arena;
static struct bl_team_content content;

static struct bl_value value_of(const char *text)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(&arena, bl_str(text), NULL, &value, NULL,
				  NULL, &err),
		     BL_OK);
	return value;
}

static struct bl_bundle_module module_of(const char *path, const char *package)
{
	return (struct bl_bundle_module){ .shown = bl_str(path),
					  .text = BL_STR("package p\n"),
					  .package = value_of(package) };
}

static enum bl_status make(const struct bl_bundle *bundle)
{
	err = (struct bl_error){ 0 };
	return bl_opa_make_directory(bundle, &arena, &content, &err);
}

static struct bl_str text_at(const char *path)
{
	for (size_t i = 0; i < content.count; i++)
		if (bl_str_is(content.files[i].path, path))
			return content.texts[i];
	return (struct bl_str){ NULL, 0 };
}

static void modules_and_data(void)
{
	struct bl_bundle_module modules[] = {
		module_of("/a/x/p.rego", "[\"belay\",\"policies\",\"p\"]"),
		module_of("odd name$.v1.rego", "[\"lib\"]"),
	};
	struct bl_bundle bundle = {
		.modules = modules,
		.module_count = 2,
		.data = value_of("{\"cfg\":{\"n\":1,\"o\":{\"a b\":[true]}},"
				 "\"belay\":{\"rulebook\":{\"level\":\"off\"},"
				 "\"policies\":{\"p\":{\"list\":[\"x\"]}},"
				 "\"more\":\"m\"}}"),
	};

	CHECK_STATUS(make(&bundle), BL_OK);
	CHECK_INT(content.count, 6);
	CHECK_STR(text_at("policies/all/000-p.rego"), "package p\n");
	CHECK_STR(text_at("policies/all/001-odd-name-.rego"), "package p\n");
	CHECK_STR(text_at("rulebook.yml"), "{\n  \"level\": \"off\"\n}\n");
	CHECK_STR(text_at("policies/all/data-000.rego"),
		  "# data of the bundle\npackage cfg\n\n"
		  "n := 1\no := {\"a b\":[true]}\n");
	/* A package lies below: its data goes into it. */
	CHECK_STR(text_at("policies/all/data-001.rego"),
		  "# data of the bundle\npackage belay.policies.p\n\n"
		  "list := [\"x\"]\n");
	CHECK_STR(text_at("policies/all/data-002.rego"),
		  "# data of the bundle\npackage belay\n\nmore := \"m\"\n");
	for (size_t i = 0; i < content.count; i++) {
		CHECK(bl_team_path_is_good(content.files[i].path));
		CHECK(bl_team_is_signed(content.files, content.count,
					content.files[i].path,
					content.texts[i]));
	}
}

static void a_rulebook_alone(void)
{
	struct bl_bundle bundle = { .data = value_of(
					    "{\"belay\":{\"rulebook\":{}}}") };

	CHECK_STATUS(make(&bundle), BL_OK);
	CHECK_INT(content.count, 1);
}

static const struct {
	const char *data;
	const char *words;
} bad[] = {
	{ "{}", "nothing of it would decide" },
	{ "{\"a\":{\"b\":1}}", "nothing of it would decide" },
	{ "{\"a\":1}", "data.a: this is not an object" },
	{ "{\"a-b\":{}}", "data.a-b: a rule cannot have" },
	{ "{\"a\":{\"1x\":1}}", "data.a.1x: a rule cannot have" },
	{ "{\"a\":{\"\":1}}", "data.a.: a rule cannot have" },
	{ "{\"belay\":{\"rulebook\":[]}}", "data.belay.rulebook" },
};

static void what_cannot_be_said(void)
{
	for (size_t i = 0; i < BL_COUNT(bad); i++) {
		struct bl_bundle bundle = { .data = value_of(bad[i].data) };

		CHECK_STATUS(make(&bundle), BL_INVALID);
		CHECK(strstr(err.message, bad[i].words));
	}
}

/* data.a.b is a list where the package a.b.c of a module has to lie. */
static void data_in_the_way_of_a_package(void)
{
	struct bl_bundle_module module =
		module_of("p.rego", "[\"a\",\"b\",\"c\"]");
	struct bl_bundle bundle = { .modules = &module,
				    .module_count = 1,
				    .data = value_of("{\"a\":{\"b\":[]}}") };

	CHECK_STATUS(make(&bundle), BL_INVALID);
	CHECK(strstr(err.message, "data.a.b: this is not an object"));
}

static void other_kinds_of_policies(void)
{
	struct bl_bundle_module module = module_of("p.rego", "[\"p\"]");
	struct bl_bundle bundle = { .modules = &module,
				    .module_count = 1,
				    .data = value_of("{}") };

	module.v0 = true;
	CHECK_STATUS(make(&bundle), BL_UNSUPPORTED);
	CHECK(strstr(err.message, "p.rego is Rego of version 0"));
	module.v0 = false;
	CHECK_STATUS(make(&bundle), BL_OK);
	bundle.wasm_file_count = 1;
	CHECK_STATUS(make(&bundle), BL_UNSUPPORTED);
	bundle.wasm_file_count = 0;
	bundle.plan = value_of("{}");
	CHECK_STATUS(make(&bundle), BL_UNSUPPORTED);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(modules_and_data);
	RUN(a_rulebook_alone);
	RUN(what_cannot_be_said);
	RUN(data_in_the_way_of_a_package);
	RUN(other_kinds_of_policies);
	bl_arena_clear(&arena);
	return tap_end();
}

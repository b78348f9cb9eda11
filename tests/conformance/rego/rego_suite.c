/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego_suite [OPTIONS] FOLDER KNOWN-FAILURES [PART]: runs OPA's cases
 * (docs/contracts/rego.md "Suite") and prints TAP: one point for each folder of
 * cases, with its totals, and one note for each case that fails.  A case that
 * is listed in KNOWN-FAILURES ("folder/file:index", sorted) must fail.  PART
 * keeps only the folders whose names contain it.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "os/os.h"
#include "rego/rego.h"
#include "suite_host.h"

enum { MAX_FILES = 100000, MAX_FILE_BYTES = 64 << 20 };

struct suite {
	struct bl_arena arena; /* of the run */
	struct bl_str known;   /* text of the list */
	size_t passed;
	size_t failed;
	size_t folder_passed;
	size_t folder_failed;
	size_t folder_known;
	size_t unexpected; /* of the folder */
	size_t points;
	size_t bad_points;
};

/* ---- one case ----------------------------------------------------------------------- */

struct outcome {
	bool ok;
	struct bl_str why;
};

static struct outcome failed(struct bl_arena *arena, const char *what,
			     struct bl_str detail)
{
	struct outcome outcome = { 0 };

	outcome.why =
		bl_arena_printf(arena, "%s: %.*s", what, BL_STR_ARG(detail));
	return outcome;
}

static struct bl_str to_json(struct bl_arena *arena, struct bl_value value)
{
	struct bl_buf out;
	struct bl_str text;

	bl_buf_init(&out, 0);
	bl_json_write(&out, value, BL_JSON_CANONICAL);
	text = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

/* The value as JSON has it: sets as arrays, keys as texts. */
static struct bl_value as_json(struct bl_arena *arena, struct bl_value value)
{
	struct bl_value read = bl_value_undefined();

	if (bl_json_read(arena, to_json(arena, value), NULL, &read, NULL, NULL,
			 NULL))
		return bl_value_undefined();
	return read;
}

static struct bl_value sort_arrays(struct bl_arena *arena,
				   struct bl_value object)
{
	struct bl_object_builder builder;

	bl_object_builder_init(&builder, arena);
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_value value = bl_object_value(object, i);

		if (bl_value_is(value, BL_KIND_ARRAY)) {
			size_t count = bl_value_count(value);
			struct bl_value *items = bl_arena_new_array(
				arena, struct bl_value, count + 1);

			for (size_t j = 0; j < count; j++) {
				size_t k = j;
				struct bl_value item = bl_value_item(value, j);

				for (; k > 0 &&
				       bl_value_compare(items[k - 1], item) > 0;
				     k--)
					items[k] = items[k - 1];
				items[k] = item;
			}
			value = bl_array_make(arena, items, count);
		}
		bl_object_builder_add(&builder,
				      bl_value_text(bl_object_key(object, i)),
				      value);
	}
	return bl_object_builder_end(&builder);
}

/* Bindings as a set, ready to be compared. */
static struct bl_value normalise(struct bl_arena *arena, struct bl_value list,
				 bool sort)
{
	size_t count = bl_value_count(list);
	struct bl_value *items =
		bl_arena_new_array(arena, struct bl_value, count + 1);

	for (size_t i = 0; i < count; i++) {
		struct bl_value item = bl_value_item(list, i);
		struct bl_value bindings =
			bl_object_find(item, BL_STR("bindings"));

		/* Ours are beside the values of the statements. */
		items[i] = as_json(
			arena, bl_value_is_defined(bindings) ? bindings : item);
		if (sort)
			items[i] = sort_arrays(arena, items[i]);
	}
	return bl_set_make(arena, items, count);
}

static bool through_image; /* --image: what runs was written and read back */
static const char *plans_root;                   /* of --plans */
static const char *features[SUITE_MAX_FEATURES]; /* of --feature */
static size_t feature_count;
static struct bl_rego_compile_options how; /* each case is compiled */

/*
 * Those policies, from an image of them; directly where an image is impossible,
 * since they call a function of the embedder's.
 */
static enum bl_status reopen(struct bl_arena *arena,
			     const struct bl_rego_policies **policies,
			     struct bl_error *err)
{
	struct bl_value extra;
	struct bl_buf image;
	char *copy;
	enum bl_status status;

	bl_buf_init(&image, 0);
	status = bl_rego_image_write(*policies, bl_value_null(), &image, err);
	if (status == BL_UNSUPPORTED) {
		bl_buf_clear(&image);
		return BL_OK;
	}
	copy = bl_arena_alloc_aligned(arena, image.len, 16);
	if (!status && !copy)
		status = bl_arena_fail(arena, err);
	if (!status) {
		memcpy(copy, image.ptr, image.len);
		status = bl_rego_image_open((struct bl_str){ copy, image.len },
					    arena, policies, &extra, err);
	}
	bl_buf_clear(&image);
	return status;
}

static struct bl_rego_source *
sources_of(struct bl_arena *arena, struct bl_value test, size_t *out_count)
{
	struct bl_value texts = bl_object_find(test, BL_STR("modules"));
	size_t count = bl_value_count(texts);
	struct bl_rego_source *sources =
		bl_arena_new_array(arena, struct bl_rego_source, count + 1);

	for (size_t i = 0; i < count; i++) {
		sources[i].file = bl_arena_printf(arena, "test-%zu.rego", i);
		sources[i].text = bl_value_text(bl_value_item(texts, i));
	}
	*out_count = count;
	return sources;
}

static enum bl_status compile(struct bl_arena *arena, struct bl_value test,
			      const struct bl_rego_policies **out_policies,
			      struct bl_diags *diags, struct bl_error *err)
{
	size_t count;
	struct bl_rego_source *sources = sources_of(arena, test, &count);
	enum bl_status status;

	status = bl_rego_compile(arena, sources, count, &how, diags,
				 out_policies, err);
	return status || !through_image ? status
					: reopen(arena, out_policies, err);
}

/* The value of "input" or "input_term". */
static bool read_input(struct bl_arena *arena, struct bl_value test,
		       struct bl_value *out_input)
{
	struct bl_str term =
		bl_value_text(bl_object_find(test, BL_STR("input_term")));
	const struct bl_rego_policies *policies;
	struct bl_rego_options options = { 0 };
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err;

	*out_input = bl_object_find(test, BL_STR("input"));
	if (!term.ptr)
		return true;
	bl_diags_init(&diags, arena);
	if (bl_rego_compile(arena, NULL, 0, NULL, &diags, &policies, &err) ||
	    bl_rego_query(policies, term, &options, arena, &diags, &result,
			  &err))
		return false;
	*out_input =
		bl_value_item(bl_object_find(bl_value_item(result.solutions, 0),
					     BL_STR("expressions")),
			      0);
	return bl_value_is_defined(*out_input);
}

static struct outcome check_fault(struct bl_arena *arena, struct bl_value test,
				  const struct bl_rego_result *result)
{
	struct bl_str code =
		bl_value_text(bl_object_find(test, BL_STR("want_error_code")));
	struct bl_str text =
		bl_value_text(bl_object_find(test, BL_STR("want_error")));
	struct outcome outcome = { .ok = true };
	struct bl_str fault = result->fault;

	if (!code.ptr && !text.ptr)
		return failed(arena, "unexpected error", fault);
	if (code.ptr && !bl_str_is(code, result->fault_code))
		return failed(arena, "wrong error code", fault);
	if (text.ptr && bl_str_find(fault, text, 0) == SIZE_MAX)
		return failed(arena, "wrong error text", fault);
	return outcome;
}

static struct outcome check_result(struct bl_arena *arena, struct bl_value test,
				   struct bl_value result)
{
	bool sort =
		bl_value_is_true(bl_object_find(test, BL_STR("sort_bindings")));
	struct bl_value want = bl_object_find(test, BL_STR("want_result"));
	struct bl_value a = normalise(arena, want, sort);
	struct bl_value b = normalise(arena, result, sort);
	struct outcome outcome = { .ok = true };
	struct bl_str expected, found;

	if (bl_value_is_defined(bl_object_find(test, BL_STR("want_error"))) ||
	    bl_value_is_defined(
		    bl_object_find(test, BL_STR("want_error_code"))))
		return failed(arena, "no error, but", to_json(arena, b));
	if (bl_value_equal(a, b))
		return outcome;
	expected = to_json(arena, a);
	found = to_json(arena, b);
	return failed(arena, "wrong result",
		      bl_arena_printf(arena, "%.*s, not %.*s",
				      BL_STR_ARG(found), BL_STR_ARG(expected)));
}

static bool read_zone(void *context, struct bl_arena *arena, struct bl_str name,
		      struct bl_str *out_tzif)
{
	struct bl_str path = bl_arena_printf(arena, "/usr/share/zoneinfo/%.*s",
					     BL_STR_ARG(name));

	(void)context;
	return !bl_os_read_file(path, 0, MAX_FILE_BYTES, arena, out_tzif, NULL,
				NULL);
}

static bool fill_random(void *context, void *out, size_t len)
{
	(void)context;
	return !bl_os_random(out, len, NULL);
}

static struct bl_value put_member(struct bl_arena *arena,
				  struct bl_value object, struct bl_str key,
				  struct bl_value value)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, arena);
	for (size_t i = 0; i < bl_value_count(object); i++)
		if (!bl_str_equal(bl_value_text(bl_object_key(object, i)), key))
			bl_object_builder_add(
				&out, bl_value_text(bl_object_key(object, i)),
				bl_object_value(object, i));
	bl_object_builder_add(&out, key, value);
	return bl_object_builder_end(&out);
}

/*
 * The plan with its files named as those of the case are: who made the plans
 * called them "module-0.rego", the wanted texts are with "test-0.rego".
 */
static struct bl_value with_file_names(struct bl_arena *arena,
				       struct bl_value plan)
{
	struct bl_value fixed = bl_object_find(plan, BL_STR("static"));
	struct bl_value files = bl_object_find(fixed, BL_STR("files"));
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < bl_value_count(files); i++) {
		struct bl_value file = bl_value_item(files, i);
		struct bl_str name =
			bl_value_text(bl_object_find(file, BL_STR("value")));

		struct bl_str number =
			bl_str_slice(name, strlen("module-"), SIZE_MAX);

		if (bl_str_has_prefix(name, BL_STR("module-")))
			file = put_member(arena, file, BL_STR("value"),
					  bl_value_printf(arena, "test-%.*s",
							  BL_STR_ARG(number)));
		bl_array_builder_add(&list, file);
	}
	fixed = put_member(arena, fixed, BL_STR("files"),
			   bl_array_builder_end(&list));
	return put_member(arena, plan, BL_STR("static"), fixed);
}

/* The case through the plan that OPA made of it. */
static struct outcome run_plan(struct bl_arena *arena, struct bl_value test,
			       struct bl_value plan,
			       const struct bl_rego_options *options)
{
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_error err = { 0 };

	if (bl_rego_load_plan(arena, with_file_names(arena, plan), &how,
			      &policies, &err) ||
	    bl_rego_run_plan(policies, BL_STR("eval"), options, arena, &result,
			     &err))
		return failed(arena, "does not load", bl_str(err.message));
	if (result.fault_code)
		return check_fault(arena, test, &result);
	return check_result(arena, test, result.solutions);
}

/* plan: undefined without --plans. */
static struct outcome run_case(struct bl_arena *arena, struct bl_value test,
			       struct bl_value plan)
{
	struct bl_str query =
		bl_value_text(bl_object_find(test, BL_STR("query")));
	struct bl_rego_options options = {
		.data = bl_object_find(test, BL_STR("data")),
		.strict_builtin_errors = bl_value_is_true(
			bl_object_find(test, BL_STR("strict_error"))),
		.host = { .now_ns = bl_os_wall_ms() * 1000000,
			  .read_zone = read_zone,
			  .fill_random = fill_random },
		.max_steps = 200000000,
		/* Every round of a loop that made something is freed. */
		.garbage_bytes = through_image ? 1 : 0,
	};
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	bl_diags_init(&diags, arena);
	if (!read_input(arena, test, &options.input))
		return failed(arena, "input_term", BL_STR("not read"));
	if (!bl_value_is(options.data, BL_KIND_OBJECT))
		options.data = bl_value_undefined();
	if (bl_value_is_defined(plan))
		return run_plan(arena, test, plan, &options);
	if (compile(arena, test, &policies, &diags, &err) ||
	    bl_rego_query(policies, query, &options, arena, &diags, &result,
			  &err))
		return failed(arena, "does not compile",
			      diags.first ? diags.first->message
					  : bl_str(err.message));
	if (result.fault_code)
		return check_fault(arena, test, &result);
	return check_result(arena, test, result.solutions);
}

/* ---- files and folders ----------------------------------------------------------------- */

static bool is_known(const struct suite *suite, const char *id)
{
	struct bl_str rest = suite->known;
	struct bl_str name = bl_str(id);
	size_t at = 0;

	while (at < rest.len) {
		size_t end = bl_str_find(rest, BL_STR("\n"), at);
		struct bl_str line = bl_str_trim(bl_str_slice(rest, at, end));

		if (bl_str_equal(line, name))
			return true;
		if (end == SIZE_MAX)
			break;
		at = end + 1;
	}
	return false;
}

static enum bl_status read_cases(struct bl_arena *arena, struct bl_str dir,
				 struct bl_str file, struct bl_value *out_cases)
{
	struct bl_str path = bl_path_join(arena, dir, file);
	struct bl_str text;
	struct bl_value content;
	struct bl_error err;
	enum bl_status status = bl_os_read_file(path, 0, MAX_FILE_BYTES, arena,
						&text, NULL, &err);

	if (!status)
		status = bl_json_read(arena, text, NULL, &content, NULL, NULL,
				      &err);
	if (status)
		printf("# %.*s: %s\n", BL_STR_ARG(path), err.message);
	else
		*out_cases = bl_object_find(content, BL_STR("cases"));
	return status;
}

static void run_file(struct suite *suite, struct bl_str dir,
		     struct bl_str folder, struct bl_str file)
{
	struct bl_arena arena;
	struct bl_value cases;
	struct bl_value plans = bl_value_undefined();

	bl_arena_init(&arena, NULL, 0, 0);
	if (read_cases(&arena, dir, file, &cases) ||
	    (plans_root &&
	     read_cases(&arena,
			bl_path_join(&arena, bl_str(plans_root), folder), file,
			&plans))) {
		suite->unexpected++;
		bl_arena_clear(&arena);
		return;
	}
	for (size_t i = 0; i < bl_value_count(cases); i++) {
		struct bl_arena scratch;
		struct outcome outcome;
		char id[512];
		bool known;

		snprintf(id, sizeof(id), "%.*s/%.*s:%zu", BL_STR_ARG(folder),
			 BL_STR_ARG(file), i);
		known = is_known(suite, id);
		bl_arena_init(&scratch, NULL, 0, (size_t)2 << 30);
		outcome = run_case(&scratch, bl_value_item(cases, i),
				   bl_object_find(bl_value_item(plans, i),
						  BL_STR("plan")));
		suite->folder_passed += outcome.ok;
		suite->folder_failed += !outcome.ok;
		suite->folder_known += known && !outcome.ok;
		if (outcome.ok == known) {
			struct bl_str why =
				outcome.ok ? BL_STR("passes, but is a known "
						    "failure")
					   : outcome.why;

			suite->unexpected++;
			printf("# %s: %.*s\n", id, BL_STR_ARG(why));
		}
		bl_arena_clear(&scratch);
	}
	bl_arena_clear(&arena);
}

static void run_folder(struct suite *suite, struct bl_str root,
		       struct bl_str folder)
{
	struct bl_str dir = bl_path_join(&suite->arena, root, folder);
	struct bl_str *files;
	size_t count;
	struct bl_error err;
	bool ok;

	suite->folder_passed = suite->folder_failed = 0;
	suite->folder_known = suite->unexpected = 0;
	if (bl_os_list_dir(dir, MAX_FILES, &suite->arena, &files, &count, &err))
		return; /* a file beside the folders */
	for (size_t i = 0; i < count; i++)
		if (bl_str_has_suffix(files[i], BL_STR(".json")))
			run_file(suite, dir, folder, files[i]);
	if (suite->folder_passed + suite->folder_failed == 0)
		return;
	suite->passed += suite->folder_passed;
	suite->failed += suite->folder_failed;
	ok = suite->unexpected == 0;
	suite->points++;
	suite->bad_points += !ok;
	printf("%s %zu - %.*s: %zu of %zu\n", ok ? "ok" : "not ok",
	       suite->points, BL_STR_ARG(folder), suite->folder_passed,
	       suite->folder_passed + suite->folder_failed);
}

/* How many words the option in argv[1] takes; 0: it is not one. */
static int take_option(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--image"))
		through_image = true;
	else if (argc > 2 && !strcmp(argv[1], "--plans"))
		plans_root = argv[2];
	else if (argc > 2 && !strcmp(argv[1], "--feature") &&
		 feature_count < SUITE_MAX_FEATURES)
		features[feature_count++] = argv[2];
	else
		return 0;
	return strcmp(argv[1], "--image") ? 2 : 1;
}

int main(int argc, char **argv)
{
	struct suite suite = { 0 };
	struct bl_str *folders;
	size_t count;
	struct bl_error err;

	for (int used; (used = take_option(argc, argv)); argc -= used) {
		argv[used] = argv[0];
		argv += used;
	}
	if (argc < 3) {
		fprintf(stderr, "usage: rego_suite [--image | "
				"--plans FOLDER] [--feature NAME]... "
				"FOLDER KNOWN-FAILURES [PART]\n");
		return 2;
	}
	bl_arena_init(&suite.arena, NULL, 0, 0);
	if (!suite_compile_options(&suite.arena, features, feature_count, &how))
		return 2;
	if (bl_os_list_dir(bl_str(argv[1]), MAX_FILES, &suite.arena, &folders,
			   &count, &err)) {
		printf("ok 1 # SKIP %s not found\n1..1\n", argv[1]);
		return 0;
	}
	if (bl_os_read_file(bl_str(argv[2]), 0, MAX_FILE_BYTES, &suite.arena,
			    &suite.known, NULL, &err))
		suite.known = (struct bl_str){ 0 };
	run_folder(&suite, bl_str(argv[1]), BL_STR("."));
	for (size_t i = 0; i < count; i++)
		if (argc < 4 ||
		    bl_str_find(folders[i], bl_str(argv[3]), 0) != SIZE_MAX)
			run_folder(&suite, bl_str(argv[1]), folders[i]);
	printf("# %zu of %zu cases pass\n1..%zu\n", suite.passed,
	       suite.passed + suite.failed, suite.points);
	bl_arena_clear(&suite.arena);
	return suite.bad_points > 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant patterns in images: the answers are those of the policies that the
 * image was made of, and whatever is changed in an image, it is refused or runs
 * within its memory (the sanitizers watch).
 */
#include <stdlib.h>

#include "policies.h"
#include "rego/runtime/image.h"
#include "rego/rego.h"

/* One rule for each builtin that takes a pattern; expected in `answers`. */
static const char policy[] =
	"package p\n"
	"m if regex.match(`^rm\\s+-[a-z]+\\b`, input.c)\n"
	"no if regex.match(`^mv`, input.c)\n"
	"g if glob.match(\"rm*x\", null, input.c)\n"
	"r := regex.replace(input.c, `(?P<a>r)(m)`, \"$a-${2}\")\n"
	"s := regex.split(` +`, input.c)\n"
	"f := regex.find_n(`r.`, input.c, -1)\n"
	"h := regex.find_all_string_submatch_n(`(r)(.)`, input.c, 1)\n"
	"t if regex.template_match(`rm <-..> x`, input.c, \"<\", \">\")\n"
	"bad if regex.match(`(`, input.c)\n"
	"w if not m with regex.match as false\n"
	"k := [v | some n in [5, 6, 7]\n"
	"  v := {i | some i in numbers.range(1, 40); i % 9 == n}]\n";

/* As OPA 1.22.3 gives them for {"c": "rm -rf x"}. */
static const char answers[] =
	"{\"f\":[\"rm\",\"rf\"],\"g\":true,\"h\":[[\"rm\",\"r\",\"m\"]],"
	"\"k\":[[5,14,23,32],[6,15,24,33],[7,16,25,34]],"
	"\"m\":true,\"r\":\"r-m -rf x\",\"s\":[\"rm\",\"-rf\",\"x\"],"
	"\"t\":true,\"w\":true}";

/* The image, aligned, in a heap block of its own. */
static char *make_image(const struct bl_rego_policies *policies, size_t *len)
{
	struct bl_error err = { 0 };
	struct bl_buf out;
	char *image;

	bl_buf_init(&out, 0);
	CHECK_STATUS(bl_rego_image_write(policies, bl_value_null(), &out, &err),
		     BL_OK);
	*len = out.len;
	image = aligned_alloc(16, (out.len + 15) / 16 * 16);
	if (image)
		memcpy(image, out.ptr, out.len);
	bl_buf_clear(&out);
	return image;
}

static enum bl_status open_image(struct bl_arena *arena, const char *image,
				 size_t len,
				 const struct bl_rego_policies **out_policies)
{
	struct bl_error err = { 0 };
	struct bl_value extra;

	return bl_rego_image_open((struct bl_str){ image, len }, arena,
				  out_policies, &extra, &err);
}

/* The document as JSON, the text of its fault, or of what is wrong. */
static struct bl_str ask(const struct bl_rego_policies *policies,
			 struct bl_arena *arena, uint32_t document, bool strict)
{
	struct bl_object_builder input;
	struct bl_rego_options options = { .strict_builtin_errors = strict,
					   .max_steps = 20000 };
	struct bl_rego_result result = { 0 };
	struct bl_error err = { 0 };

	bl_object_builder_init(&input, arena);
	bl_object_builder_add(&input, BL_STR("c"),
			      bl_value_string(BL_STR("rm -rf x")));
	options.input = bl_object_builder_end(&input);
	if (bl_rego_document(policies, document, &options, arena, &result,
			     &err))
		return bl_arena_copy_str(arena, bl_str(err.message));
	if (result.fault_code)
		return result.fault;
	return as_json(arena, result.document);
}

/* Of data.p. */
static struct bl_str evaluate(const struct bl_rego_policies *policies,
			      struct bl_arena *arena, bool strict)
{
	uint32_t document = bl_rego_find(policies, BL_STR("p"));

	return document == BL_REGO_NO_DOCUMENT /* its name was changed */
		       ? BL_STR("none")
		       : ask(policies, arena, document, strict);
}

static void same_answers(void)
{
	const struct bl_rego_policies *policies;
	struct bl_arena arena;
	char *image;
	size_t len;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile(&arena, policy, false);
	CHECK(has_code(policies, "CALL_BUILTIN_PATTERN"));
	CHECK_STR(evaluate(policies, &arena, false), answers);
	image = make_image(policies, &len);
	CHECK_STATUS(open_image(&arena, image, len, &policies), BL_OK);
	CHECK(has_code(policies, "CALL_BUILTIN_PATTERN"));
	CHECK_STR(evaluate(policies, &arena, false), answers);
	CHECK(bl_str_has_prefix(evaluate(policies, &arena, true),
				BL_STR("p.rego:10: eval_builtin_error: "
				       "regex.match: ")));
	bl_arena_clear(&arena);
	free(image);
}

/* Equal policies give equal bytes: gaps are zero. */
static void same_bytes(void)
{
	struct bl_arena arena;
	size_t len[2];
	char *images[2];

	bl_arena_init(&arena, NULL, 0, 0);
	for (int i = 0; i < 2; i++) {
		memset(bl_arena_alloc(&arena, 100000), 0x55 << i, 100000);
		bl_arena_reset(&arena);
		images[i] = make_image(compile(&arena, policy, false), &len[i]);
	}
	CHECK_INT(len[0], len[1]);
	CHECK(len[0] == len[1] && !memcmp(images[0], images[1], len[0]));
	free(images[0]);
	free(images[1]);
	bl_arena_clear(&arena);
}

static enum bl_status open_part(struct bl_arena *arena, const char *image,
				size_t len, uint32_t document,
				const struct bl_rego_policies **out_policies)
{
	const struct bl_rego_image_part part = { { image, len }, &document, 1 };
	struct bl_error err = { 0 };
	struct bl_value extra;

	return bl_rego_image_open_part(&part, arena, out_policies, &extra,
				       &err);
}

static void check_changed(char *image, size_t len, uint32_t document,
			  size_t *opened)
{
	const struct bl_rego_policies *policies;
	struct bl_arena arena;

	bl_image_seal(image, len);
	bl_arena_init(&arena, NULL, 0, 16 << 20);
	if (!open_image(&arena, image, len, &policies)) {
		++*opened;
		CHECK(evaluate(policies, &arena, false).len > 0);
	}
	if (!open_part(&arena, image, len, document, &policies))
		CHECK(ask(policies, &arena, document, true).len > 0);
	bl_arena_clear(&arena);
}

static void each_byte_changed(void)
{
	const struct bl_rego_policies *policies;
	struct bl_arena arena;
	size_t len, opened = 0;
	uint32_t document;
	char *image, *copy;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile(&arena,
			   "package p\n"
			   "r := regex.replace(input.c, "
			   "`(a|r)+m\\s`, \"$1\")\n",
			   false);
	document = bl_rego_find(policies, BL_STR("p.r"));
	image = make_image(policies, &len);
	copy = aligned_alloc(16, (len + 15) / 16 * 16);
	REQUIRE(image && copy);
	for (size_t i = 0; i < len; i++) {
		memcpy(copy, image, len);
		copy[i] = (char)~copy[i];
		check_changed(copy, len, document, &opened);
		copy[i] = (char)(image[i] + 1);
		check_changed(copy, len, document, &opened);
	}
	CHECK(opened > len / 8);
	CHECK(opened < 2 * len);
	free(image);
	free(copy);
	bl_arena_clear(&arena);
}

/* ---- images that are opened for some documents -------------------------------- */

enum { LONG_TEXT = 2000 };

/* p.a with what it calls; p.z, which is far away from it; p.e, which fails. */
static const struct bl_rego_policies *compile_far(struct bl_arena *arena)
{
	char z[LONG_TEXT + 1];

	memset(z, 'z', LONG_TEXT);
	z[LONG_TEXT] = '\0';
	return compile(arena,
		       bl_arena_printf(arena,
				       "package p\n"
				       "a := [f(input.c), {\"k\": 1.5e300}]\n"
				       "f(x) := {\"n\": count(x), \"b\": b}\n"
				       "b if input.c == \"rm -rf x\"\n"
				       "e if to_number(input.c)\n"
				       "z := concat(input.c, [\"%s\", \"\"])\n",
				       z)
			       .ptr,
		       false);
}

static const char answer_a[] = "[{\"b\":true,\"n\":8},{\"k\":1.5e+300}]";

static void one_document(void)
{
	const struct bl_rego_policies *policies;
	struct bl_arena arena;
	uint32_t a, z, p;
	char *image;
	size_t len;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile_far(&arena);
	a = bl_rego_find(policies, BL_STR("p.a"));
	z = bl_rego_find(policies, BL_STR("p.z"));
	p = bl_rego_find(policies, BL_STR("p"));
	image = make_image(policies, &len);
	CHECK_STATUS(open_part(&arena, image, len, a, &policies), BL_OK);
	CHECK_STR(ask(policies, &arena, a, true), answer_a);
	CHECK_STR(ask(policies, &arena, z, true),
		  "the image was not opened for this document");
	CHECK_STR(ask(policies, &arena, p, true),
		  "the image was not opened for this document");
	CHECK_STR(ask(policies, &arena, 100000, true),
		  "the image was not opened for this document");
	CHECK_STATUS(open_part(&arena, image, len, p, &policies), BL_OK);
	CHECK_STR(ask(policies, &arena, a, true), answer_a);
	CHECK_STATUS(open_part(&arena, image, len, 100000, &policies),
		     BL_INVALID);
	CHECK_STATUS(
		open_part(&arena, image, len, BL_REGO_NO_DOCUMENT, &policies),
		BL_INVALID);
	free(image);
	bl_arena_clear(&arena);
}

/* Whatever byte is broken, the answer is refused or right. */
static void broken_elsewhere(void)
{
	const struct bl_rego_policies *policies;
	struct bl_arena arena;
	size_t len, refused = 0, right = 0, far;
	uint32_t a, z;
	char *image;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile_far(&arena);
	a = bl_rego_find(policies, BL_STR("p.a"));
	z = bl_rego_find(policies, BL_STR("p.z"));
	image = make_image(policies, &len);
	far = bl_str_find((struct bl_str){ image, len }, BL_STR("zzzz"), 0);
	REQUIRE(far != SIZE_MAX);
	for (size_t i = 0; i < len; i++) {
		struct bl_arena own;

		image[i] ^= 4;
		bl_arena_init(&own, NULL, 0, 0);
		if (open_part(&own, image, len, a, &policies)) {
			refused++;
		} else {
			right++;
			CHECK_STR(ask(policies, &own, a, true), answer_a);
		}
		bl_arena_clear(&own);
		image[i] ^= 4;
	}
	CHECK(refused > 1000);
	CHECK(right > LONG_TEXT / 2);
	far += LONG_TEXT / 2;
	image[far] ^= 4;
	CHECK_STATUS(open_part(&arena, image, len, a, &policies), BL_OK);
	CHECK_STATUS(open_part(&arena, image, len, z, &policies), BL_INVALID);
	CHECK_STATUS(open_image(&arena, image, len, &policies), BL_INVALID);
	free(image);
	bl_arena_clear(&arena);
}

/* Where a fault is from is checked when it is said. */
static void broken_place(void)
{
	const struct bl_rego_policies *policies;
	struct bl_arena arena;
	size_t len, name;
	uint32_t e;
	char *image;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile_far(&arena);
	e = bl_rego_find(policies, BL_STR("p.e"));
	image = make_image(policies, &len);
	CHECK_STATUS(open_part(&arena, image, len, e, &policies), BL_OK);
	CHECK(bl_str_has_prefix(ask(policies, &arena, e, true),
				BL_STR("p.rego:5: eval_builtin_error: ")));
	name = bl_str_find((struct bl_str){ image, len }, BL_STR("p.rego"), 0);
	REQUIRE(name != SIZE_MAX);
	image[name] ^= 4;
	if (!open_part(&arena, image, len, e, &policies))
		CHECK(bl_str_has_prefix(ask(policies, &arena, e, true),
					BL_STR("eval_builtin_error: ")));
	free(image);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(same_answers);
	RUN(same_bytes);
	RUN(each_byte_changed);
	RUN(one_document);
	RUN(broken_elsewhere);
	RUN(broken_place);
	return tap_end();
}

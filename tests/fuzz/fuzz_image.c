/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images that somebody wrote: the image of one of a few modules, with bytes
 * changed and sums that are right again.  An image that opens, as a whole or for one
 * document, runs within memory and limits.  Input: the module's number, then an offset (4 bytes), a number
 * of bytes (1) and these bytes, again and again.
 */
#include "fuzz.h"
#include "rego/runtime/image.h"
#include "rego/rego.h"

enum {
	ARENA_BYTES_MAX = 16 << 20,
	MAX_STEPS = 20000,
};

static const char *const modules[] = {
	"package p\n"
	"default a := false\n"
	"a if { some x in input.xs; x > 1; not b[x] }\n"
	"b contains y if { y := [z | z := data.q[_]][_] }\n"
	"f(x) := {\"k\": 1.5e300} if x != 1 else := {x | x := 1}\n"
	"r := f(2) if every k, v in {\"a\": 1} { v == 1; k }\n"
	"w if a with input.xs as [3] with f as 1\n"
	"o[k].n := v if some k, v in {\"a\": [1, {2}], \"b\": 2}\n",
	"package p\n"
	"d contains 1 if startswith(input.c, \"rm\")\n"
	"d contains 2 if startswith(input.c, \"rm -\")\n"
	"d contains 3 if endswith(input.c, \"x\")\n"
	"d contains 4 if endswith(input.c, \"-x\")\n"
	"d contains 5 if contains(input.c, \"rf\")\n"
	"d contains 6 if regex.match(`a+bcd`, input.c)\n"
	"d contains 7 if input.c in {\"a\", \"rm -rf x\"}\n"
	"d contains 8 if input.c == \"b\"\n",
	"package p\n"
	"d contains 1 if regex.match(`^(?i)rm\\s+-[a-z]+\\b`, input.c)\n"
	"d contains 2 if glob.match(\"rm{*,-\\u00e4?}[!a-c]\", null, input.c)\n"
	"a := regex.replace(input.c, `(?P<x>r)(m)`, \"$x${2}\")\n"
	"o.s := regex.split(` |x{2,}`, input.c)\n"
	"o.f := regex.find_all_string_submatch_n(`(r|(-))+`, input.c, 3)\n"
	"o.n := regex.find_n(`rm|rf`, input.c, -1)\n"
	"o.t := regex.template_match(`rm <.*>`, input.c, \"<\", \">\")\n",
	"package p\n"
	"a := [v | some k in [0, 1, 2, 3]; some m in [[4, 5, 6, 7], [8, 9]]\n"
	"  v := {x: k | some x in m; x % 3 == k}]\n"
	"d contains v if { some k in [\"1\", \"2\", \"3\"]; v := f(k) }\n"
	"f(k) := [y | some x in numbers.range(1, 40)\n"
	"  format_int(x % 5, 10) == k; y := {z | some z in [x, k, 1.0]}]\n",
};

/* Changes bytes as the input says, and makes the checksum right. */
static void edit(char *image, size_t len, const uint8_t *data, size_t size)
{
	while (size >= 5) {
		uint32_t at;
		size_t count = data[4];

		memcpy(&at, data, sizeof(at));
		data += 5;
		size -= 5;
		if (count > size)
			count = size;
		for (size_t i = 0; i < count; i++)
			image[(at + i) % len] = (char)data[i];
		data += count;
		size -= count;
	}
	bl_image_seal(image, len);
}

static struct bl_value make_input(struct bl_arena *arena)
{
	struct bl_value items[] = { bl_value_integer(1), bl_value_integer(5) };
	struct bl_object_builder input;

	bl_object_builder_init(&input, arena);
	bl_object_builder_add(&input, BL_STR("xs"),
			      bl_array_make(arena, items, BL_COUNT(items)));
	bl_object_builder_add(&input, BL_STR("c"),
			      bl_value_string(BL_STR("rm -rf x")));
	return bl_object_builder_end(&input);
}

static const char *const names[] = { "", "p", "p.a", "p.d", "p.o", "p.r" };

/* Where an event is from is read of the image when it is told. */
static void notice(void *context, const struct bl_rego_event *event)
{
	size_t *sum = context;

	for (size_t i = 0; i < event->file.len; i++)
		*sum += (unsigned char)event->file.ptr[i];
	*sum += event->line + event->text.len;
}

static void run_one(const struct bl_rego_policies *policies, uint32_t document,
		    struct bl_arena *arena)
{
	size_t sum = 0;
	const struct bl_rego_observer observer = { &sum, notice };
	struct bl_rego_options options = { .input = make_input(arena),
					   .max_steps = MAX_STEPS,
					   .observer = &observer };
	struct bl_rego_result result;
	struct bl_error err;

	(void)bl_rego_document(policies, document, &options, arena, &result,
			       &err);
}

static void run_whole(struct bl_str image, struct bl_arena *arena)
{
	const struct bl_rego_policies *policies;
	struct bl_error err = { 0 };
	struct bl_value extra;

	if (bl_rego_image_open(image, arena, &policies, &extra, &err)) {
		MUST(err.message[0]);
		return;
	}
	for (size_t i = 0; i < BL_COUNT(names); i++) {
		uint32_t document = bl_rego_find(policies, bl_str(names[i]));

		if (document != BL_REGO_NO_DOCUMENT)
			run_one(policies, document, arena);
	}
}

static void run_part(struct bl_str image, uint32_t document,
		     struct bl_arena *arena)
{
	const struct bl_rego_image_part part = { image, &document, 1 };
	const struct bl_rego_policies *policies;
	struct bl_error err = { 0 };
	struct bl_value extra;

	if (bl_rego_image_open_part(&part, arena, &policies, &extra, &err))
		MUST(err.message[0]);
	else
		run_one(policies, document, arena);
}

/* The image of a module, made once, and the numbers of its documents. */
struct made {
	struct bl_str image;
	uint32_t documents[BL_COUNT(names)];
};

static const struct made *make(size_t module)
{
	static struct made all[BL_COUNT(modules)];
	static struct bl_buf images[BL_COUNT(modules)];
	struct made *made = &all[module];
	struct bl_rego_source source = { .file = BL_STR("f.rego"),
					 .text = bl_str(modules[module]) };
	const struct bl_rego_policies *policies;
	struct bl_error err = { 0 };
	struct bl_arena arena;
	struct bl_diags diags;

	if (made->image.ptr)
		return made;
	bl_arena_init(&arena, NULL, 0, 0);
	bl_diags_init(&diags, &arena);
	MUST(!bl_rego_compile(&arena, &source, 1, NULL, &diags, &policies,
			      &err));
	bl_buf_init(&images[module], 0);
	MUST(!bl_rego_image_write(policies, bl_value_null(), &images[module],
				  &err));
	made->image = bl_buf_str(&images[module]);
	for (size_t i = 0; i < BL_COUNT(names); i++)
		made->documents[i] = bl_rego_find(policies, bl_str(names[i]));
	bl_arena_clear(&arena);
	return made;
}

static void check_image(struct bl_arena *arena, const struct made *made,
			const uint8_t *data, size_t size)
{
	char *copy = bl_arena_alloc_aligned(arena, made->image.len, 16);
	struct bl_str edited = { copy, made->image.len };

	MUST(copy);
	memcpy(copy, made->image.ptr, made->image.len);
	edit(copy, made->image.len, data, size);
	run_whole(edited, arena);
	for (size_t i = 0; i < BL_COUNT(names); i++)
		if (made->documents[i] != BL_REGO_NO_DOCUMENT)
			run_part(edited, made->documents[i], arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bl_arena arena;

	if (!size)
		return 0;
	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	check_image(&arena, make(data[0] % BL_COUNT(modules)), data + 1,
		    size - 1);
	bl_arena_clear(&arena);
	return 0;
}

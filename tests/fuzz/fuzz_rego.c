/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a Rego module: what parses prints as text that prints as
 * itself; what compiles runs within its limits.
 */
#include "fuzz.h"
#include "rego/rego.h"

enum {
	ARENA_BYTES_MAX = 64 << 20,
	MAX_STEPS = 20000,
	MAX_TEXT_BYTES = 16 << 10,
};

static const struct bl_str file = { "fuzz.rego", 9 };

static enum bl_status parse(struct bl_arena *arena, struct bl_str text, bool v0,
			    const struct bl_rego_module **out_module)
{
	struct bl_error err = { 0 };
	size_t offset = 0;
	enum bl_status status =
		bl_rego_parse(arena, file, text, v0, out_module, &offset, &err);

	if (status) {
		MUST(err.message[0]);
		MUST(offset <= text.len);
	}
	return status;
}

/* False when there was no room. */
static bool check_printing(struct bl_arena *arena,
			   const struct bl_rego_module *module, bool v0)
{
	const struct bl_rego_module *again;
	struct bl_buf once, twice;
	enum bl_status status;

	bl_buf_init(&once, 0);
	bl_buf_init(&twice, 0);
	bl_rego_print(&once, module);
	MUST(!bl_buf_status(&once));
	status = parse(arena, bl_buf_str(&once), v0, &again);
	if (status == BL_SYNTAX)
		fprintf(stderr, "printed:\n%s\n", once.ptr);
	MUST(status != BL_SYNTAX);
	if (!status) {
		bl_rego_print(&twice, again);
		MUST(bl_str_equal(bl_buf_str(&once), bl_buf_str(&twice)));
	}
	bl_buf_clear(&once);
	bl_buf_clear(&twice);
	return !status;
}

static void check_running(struct bl_arena *arena, struct bl_str text, bool v0)
{
	struct bl_rego_source source = { .file = file, .text = text, .v0 = v0 };
	struct bl_rego_options options = { .max_steps = MAX_STEPS };
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err = { 0 };
	enum bl_status status;

	bl_diags_init(&diags, arena);
	status = bl_rego_compile(arena, &source, 1, NULL, &diags, &policies,
				 &err);
	MUST(!status == !diags.error_count || status == BL_NO_MEMORY ||
	     status == BL_LIMIT);
	if (status)
		return;
	bl_rego_query(policies, BL_STR("data"), &options, arena, &diags,
		      &result, &err);
}

static void check_text(struct bl_str text, bool v0)
{
	const struct bl_rego_module *module;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	if (!parse(&arena, text, v0, &module)) {
		check_printing(&arena, module, v0);
		check_running(&arena, text, v0);
	}
	bl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bl_str text = { (const char *)data, size };

	if (size > MAX_TEXT_BYTES)
		return 0;
	check_text(text, false);
	check_text(text, true);
	return 0;
}

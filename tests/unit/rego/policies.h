/* SPDX-License-Identifier: Apache-2.0 */
/* Policies for a test: compiled, asked, as text. */
#ifndef BELAY_TESTS_REGO_POLICIES_H
#define BELAY_TESTS_REGO_POLICIES_H

#include "json/json.h"
#include "rego/rego.h"
#include "tap.h"

static __attribute__((unused)) const struct bl_rego_policies *
compile(struct bl_arena *arena, const char *text, bool observe)
{
	struct bl_rego_source source = { .file = BL_STR("p.rego"),
					 .text = bl_str(text) };
	struct bl_rego_compile_options options = { .observe = observe };
	const struct bl_rego_policies *policies = NULL;
	struct bl_error err = { 0 };
	struct bl_diags diags;

	bl_diags_init(&diags, arena);
	CHECK_STATUS(bl_rego_compile(arena, &source, 1, &options, &diags,
				     &policies, &err),
		     BL_OK);
	return policies;
}

/* As canonical JSON. */
static __attribute__((unused)) struct bl_str as_json(struct bl_arena *arena,
						     struct bl_value value)
{
	struct bl_buf out;
	struct bl_str text;

	bl_buf_init(&out, 0);
	bl_json_write(&out, value, BL_JSON_CANONICAL);
	text = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

/* Is an instruction of this name in the code of the policies? */
static __attribute__((unused)) bool
has_code(const struct bl_rego_policies *policies, const char *name)
{
	struct bl_buf out;
	bool found;

	bl_buf_init(&out, 0);
	bl_rego_disassemble(&out, policies);
	found = bl_str_find(bl_buf_str(&out), bl_str(name), 0) != SIZE_MAX;
	bl_buf_clear(&out);
	return found;
}

/*
 * The document of a path when the rules are package p; the code of its fault,
 * "undefined", or what kept it from being evaluated.
 */
static __attribute__((unused)) struct bl_str answer_of(struct bl_arena *arena,
						       const char *rules,
						       const char *path,
						       struct bl_value input)
{
	struct bl_rego_source source = { .file = BL_STR("t.rego") };
	struct bl_rego_options options = { .input = input };
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	source.text = bl_arena_printf(arena, "package p\n%s\n", rules);
	bl_diags_init(&diags, arena);
	if (bl_rego_compile(arena, &source, 1, NULL, &diags, &policies, &err))
		return BL_STR("does not compile");
	if (bl_rego_document(policies, bl_rego_find(policies, bl_str(path)),
			     &options, arena, &result, &err))
		return BL_STR("does not run");
	if (result.fault_code)
		return bl_str(result.fault_code);
	if (!bl_value_is_defined(result.document))
		return BL_STR("undefined");
	return as_json(arena, result.document);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* bl_rego_find: paths with and without a document. */
#include "policies.h"

static void documents(void)
{
	static const struct {
		const char *path;
		bool is_there;
	} cases[] = {
		{ "", true }, /* all of data */
		{ "p", true },
		{ "p.q", true },
		{ "p.allow", true },
		{ "p.q.names", true },
		{ "p.names.deep", true },
		{ "p.names", true },
		{ "p.f", true },
		{ "p.other", false },
		{ "q", false },
		{ "p.allow.more", false },
		{ "p..q", false },
	};
	const struct bl_rego_policies *policies;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile(&arena,
			   "package p\n"
			   "allow if input.x\n"
			   "names.deep := 1\n"
			   "q.names contains 1\n"
			   "f(x) := x\n",
			   false);
	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		uint32_t found = bl_rego_find(policies, bl_str(cases[i].path));

		CHECK_INT(found != BL_REGO_NO_DOCUMENT, cases[i].is_there);
		if ((found != BL_REGO_NO_DOCUMENT) != cases[i].is_there)
			TAP_NOTE("the path is '%s'", cases[i].path);
	}
	CHECK(bl_rego_is_function(policies,
				  bl_rego_find(policies, BL_STR("p.f"))));
	CHECK(!bl_rego_is_function(policies,
				   bl_rego_find(policies, BL_STR("p.allow"))));
	CHECK(!bl_rego_is_function(policies,
				   bl_rego_find(policies, BL_STR(""))));
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(documents);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths that errors name, however deep the package is, as OPA 1.22.3 has
 * them.
 */
#include "rego/rego.h"
#include "tap.h"

enum { NAMES = 60 };

/* Rules of the package n0.n1. ... .n59, which $ stands for. */
static const struct row {
	const char *rules;
	const char *below; /* the package $.below has "s := 1" */
	const char *expected;
} rows[] = {
	{ "p := 1\np contains 2", NULL, "conflicting rules data.$.p found" },
	{ "default p := 1\ndefault p := 2", NULL,
	  "multiple default rules data.$.p found at above.rego:2, "
	  "above.rego:3" },
	{ "p := 1\np.q := 2", NULL,
	  "rule data.$.p conflicts with:\n  rule data.$.p.q at above.rego:3" },
	{ "p[1].q := 1\np[1].q contains 2", NULL,
	  "conflicting rules data.$.p[1].q found" },
	{ "p := 1", "p",
	  "package $.p conflicts with rule p defined at above.rego:2\n"
	  "rule data.$.p conflicts with:\n  rule data.$.p.s at below.rego:2" },
	{ "p := 1", "p.q",
	  "rule data.$.p conflicts with:\n"
	  "  rule data.$.p.q.s at below.rego:2" },
	{ "p := p", NULL, "rule data.$.p is recursive: data.$.p -> data.$.p" },
};

/* text with each $ as the path. */
static void put(struct bl_buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text != '$') {
			bl_buf_put_char(out, *text);
			continue;
		}
		for (int i = 0; i < NAMES; i++)
			bl_buf_printf(out, "%sn%d", i ? "." : "", i);
	}
}

static void put_errors(struct bl_buf *out, const struct bl_diags *diags)
{
	for (const struct bl_diag *at = diags->first; at; at = at->next)
		bl_buf_printf(out, "%s%.*s", at == diags->first ? "" : "\n",
			      BL_STR_ARG(at->message));
}

static void check_row(const struct row *row)
{
	struct bl_rego_source sources[2] = { { .file = BL_STR("above.rego") },
					     { .file = BL_STR("below.rego") } };
	const struct bl_rego_policies *policies;
	struct bl_buf above, below, expected, found;
	struct bl_diags diags;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_diags_init(&diags, &arena);
	bl_buf_init(&above, 0);
	bl_buf_init(&below, 0);
	bl_buf_init(&expected, 0);
	bl_buf_init(&found, 0);
	put(&above, "package $\n");
	put(&above, row->rules);
	put(&below, "package $.");
	bl_buf_printf(&below, "%s\ns := 1", row->below ? row->below : "other");
	sources[0].text = bl_buf_str(&above);
	sources[1].text = bl_buf_str(&below);
	CHECK_STATUS(bl_rego_compile(&arena, sources, 2, NULL, &diags,
				     &policies, NULL),
		     BL_INVALID);
	put_errors(&found, &diags);
	put(&expected, row->expected);
	CHECK_STR(bl_buf_str(&found), expected.ptr);
	bl_buf_clear(&above);
	bl_buf_clear(&below);
	bl_buf_clear(&expected);
	bl_buf_clear(&found);
	bl_arena_clear(&arena);
}

static void deep_paths(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++)
		check_row(&rows[i]);
}

int main(void)
{
	RUN(deep_paths);
	return tap_end();
}

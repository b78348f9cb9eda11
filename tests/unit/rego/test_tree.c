/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths that errors name, however deep the package is.  The paths are as
 * OPA 1.22.3 names them; around them, it words some errors in another way.
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
	  "multiple default rules data.$.p found" },
	{ "p := 1\np.q := 2", NULL,
	  "rule data.$.p conflicts with [data.$.p.q]" },
	{ "p[1].q := 1\np[1].q contains 2", NULL,
	  "conflicting rules data.$.p[1].q found" },
	{ "p := 1", "p", "rule data.$.p conflicts with [data.$.p.s]" },
	{ "p := 1", "p.q", "package data.$.p.q conflicts with rule data.$.p" },
	{ "p := p", NULL, "rule data.$.p is recursive: data.$.p -> data.$.p" },
	{ "f(x) := x\np := f", NULL,
	  "function data.$.f used as reference, not called" },
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

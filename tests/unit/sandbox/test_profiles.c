/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "planning.h"

static void names(void)
{
	struct bl_sandbox_request got = { 0 };

	CHECK(bl_sandbox_parse(BL_STR("workspace"), &got));
	CHECK_STR(bl_str(got.profile->name), "workspace");
	CHECK(!got.network);
	CHECK(bl_sandbox_parse(BL_STR("readonly+network"), &got));
	CHECK_STR(bl_str(got.profile->name), "readonly");
	CHECK(got.network);
}

static void no_names(void)
{
	static const char *const wrong[] = {
		"",           "+network",      "Workspace",
		"workspace ", "workspace+net", "workspace+network+network",
		"strict+",
	};

	for (size_t i = 0; i < BL_COUNT(wrong); i++) {
		struct bl_sandbox_request got = { 0 };

		CHECK(!bl_sandbox_parse(bl_str(wrong[i]), &got));
		CHECK(!got.profile && !got.network);
	}
}

/* The four, in this order; only none is not confined. */
static void rows(void)
{
	bl_buf_reset(&text);
	bl_sandbox_print_names(&text);
	CHECK_STR(bl_buf_str(&text), "none, workspace, readonly, strict");
	for (size_t i = 0; bl_sandbox_profile_at(i); i++) {
		const struct bl_sandbox_profile *row = bl_sandbox_profile_at(i);

		CHECK(row->summary[0]);
		CHECK_INT(row->is_confined, strcmp(row->name, "none") != 0);
		CHECK_INT(row->needs[0] != 0, row->is_confined);
	}
}

static void layers(void)
{
	bl_buf_reset(&text);
	bl_layers_print(&text, BL_LAYER(PID) | BL_LAYER(USER), ", ");
	CHECK_STR(bl_buf_str(&text), "user, pid");
	for (int i = 0; i < BL_LAYER_COUNT; i++)
		CHECK(bl_layer_text((enum bl_sandbox_layer)i)[0]);
}

/* The stricter of both, and no network that one of them does not have. */
static void raised(void)
{
	static const struct {
		const char *asked; /* "": none */
		const char *least;
		const char *becomes;
		bool network;
	} rows[] = {
		{ "", "readonly", "readonly", false },
		{ "none", "workspace+network", "workspace", true },
		{ "workspace", "readonly", "readonly", false },
		{ "workspace+network", "readonly", "readonly", false },
		{ "workspace+network", "readonly+network", "readonly", true },
		{ "strict", "workspace+network", "strict", false },
		{ "readonly", "none", "readonly", false },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_sandbox_request asked = { 0 }, least = { 0 };

		bl_sandbox_parse(bl_str(rows[i].asked), &asked);
		CHECK(bl_sandbox_parse(bl_str(rows[i].least), &least));
		bl_sandbox_raise(&least, &asked.profile, &asked.network);
		REQUIRE(asked.profile);
		CHECK_STR(bl_str(asked.profile->name), rows[i].becomes);
		CHECK_INT(asked.network, rows[i].network);
	}
}

int main(void)
{
	if (!planning_open())
		return 1;
	RUN(names);
	RUN(no_names);
	RUN(rows);
	RUN(raised);
	RUN(layers);
	planning_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans that we write: limits and what is refused, by name; that they give the
 * right answers is what tests/conformance (rego-plan-build) shows.
 */
#include "json/json.h"
#include "rego/rego.h"
#include "tap.h"

static struct bl_arena arena;
static struct bl_error err;

static enum bl_status write(struct bl_str text, const char *entrypoint,
			    struct bl_value *out_plan)
{
	struct bl_rego_source source = { .file = BL_STR("p.rego"),
					 .text = text };
	struct bl_str name = bl_str(entrypoint);
	const struct bl_rego_plan_request request = {
		.sources = &source,
		.source_count = 1,
		.entrypoints = &name,
		.entrypoint_count = 1,
		.with_dependents = true,
	};

	return bl_rego_write_plan(&arena, &request, out_plan, &err);
}

static struct bl_str json(struct bl_value value)
{
	struct bl_buf out;
	struct bl_str text;

	bl_buf_init(&out, 0);
	bl_json_write(&out, value, BL_JSON_COMPACT);
	text = bl_arena_copy_str(&arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

/* head, count times a text in which "#" stands for the number, and after. */
static struct bl_str many(const char *head, const char *before,
			  const char *after, int count)
{
	struct bl_str copy;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, head);
	for (int i = 0; i < count; i++)
		for (const char *p = before; *p; p++)
			if (*p == '#')
				bl_buf_printf(&text, "%d", i);
			else
				bl_buf_put_char(&text, *p);
	bl_buf_puts(&text, after);
	copy = bl_arena_copy_str(&arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

static void same_bytes(void)
{
	struct bl_str text = BL_STR("package p\n"
				    "q contains x if some x in input.a\n"
				    "r if q.b\n");
	struct bl_value first;
	struct bl_value second;

	REQUIRE(!write(text, "p/q", &first));
	REQUIRE(!write(text, "p/q", &second));
	CHECK(bl_str_equal(json(first), json(second)));
}

/* r needs q, s does not: so says opa 1.22.3 build -t plan -e p/q, too. */
static void dependents(void)
{
	struct bl_value plan;
	struct bl_value plans;

	REQUIRE(!write(BL_STR("package p\nq := 1\nr := q + 1\ns := 2\n"), "p/q",
		       &plan));
	plans = bl_object_find(bl_object_find(plan, BL_STR("plans")),
			       BL_STR("plans"));
	CHECK_INT(bl_value_count(plans), 2);
	CHECK_STR(bl_value_text(bl_object_find(bl_value_item(plans, 0),
					       BL_STR("name"))),
		  "p/q");
	CHECK_STR(bl_value_text(bl_object_find(bl_value_item(plans, 1),
					       BL_STR("name"))),
		  "p/r");
}

static void refused(void)
{
	struct bl_value plan;

	CHECK_STATUS(write(BL_STR("package p\nf(x) := x\n"), "p/f", &plan),
		     BL_INVALID);
	CHECK_STR(bl_str(err.message),
		  "plan: entrypoint \"p/f\" is a function");
	CHECK_STATUS(write(BL_STR("package p\nq :=\n"), "p/q", &plan),
		     BL_SYNTAX);
}

static void limits(void)
{
	struct bl_value plan;
	/* Each rule replaces count() by another constant. */
	struct bl_str text = many("package p\nq := count(input)\n",
				  "r# if q == 1 with count as #\n", "", 1024);

	CHECK_STATUS(write(text, "p/q", &plan), BL_LIMIT);
	CHECK_STR(bl_str(err.message),
		  "plan: more than 1024 sets of replacements by 'with'");
	text = many("package p\nq if {\n", "a# := input.x[_][#]\n", "}\n", 200);
	CHECK_STATUS(write(text, "p/q", &plan), BL_LIMIT);
	CHECK_STR(bl_str(err.message),
		  "plan: blocks are nested more than 180 deep");
	text = many("package p\nq := [\n", "[],", "[]]\n", 28000);
	CHECK_STATUS(write(text, "p/q", &plan), BL_LIMIT);
	CHECK_STR(bl_str(err.message),
		  "plan: a function needs more than 28000 locals");
}

/* No memory, wherever it ends: never a plan, never silence. */
static void memory(void)
{
	struct bl_rego_source source = {
		.file = BL_STR("p.rego"),
		.text = BL_STR("package p\n"
			       "q[x] := y if { some x, y in input.a; f(x) }\n"
			       "q.z := 1\n"
			       "f(x) if not input.b[x] with input as {}\n"),
	};
	struct bl_str name = BL_STR("p/q");
	const struct bl_rego_plan_request request = {
		.sources = &source,
		.source_count = 1,
		.entrypoints = &name,
		.entrypoint_count = 1,
	};
	bool done = false;

	for (size_t limit = 4096; limit < (4 << 20) && !done; limit *= 2) {
		struct bl_arena small;
		struct bl_value plan = bl_value_undefined();
		enum bl_status status;

		bl_arena_init(&small, NULL, 0, limit);
		status = bl_rego_write_plan(&small, &request, &plan, &err);
		done = !status;
		CHECK(status || bl_value_is_defined(plan));
		CHECK(!status || status == BL_LIMIT || status == BL_NO_MEMORY);
		bl_arena_clear(&small);
	}
	CHECK(done);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(same_bytes);
	RUN(dependents);
	RUN(refused);
	RUN(limits);
	RUN(memory);
	bl_arena_clear(&arena);
	return tap_end();
}

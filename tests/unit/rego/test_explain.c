/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a result is as it is.  The trees were written by hand, from the policies:
 * what a person who reads rule and input would say made it so.
 */
#include "json/json.h"
#include "rego/rego.h"
#include "tap.h"

static const char policy[] =
	/* 1 */ "package p\n"
		/* 2 */ "import input.tool_input as args\n"
		/* 3 */ "is_shell if input.tool == \"Bash\"\n"
		/* 4 */ "dangerous contains \"mkfs\"\n"
		/* 5 */ "dangerous contains \"rm -rf\"\n"
		/* 6 */ "risky(cmd) := pattern if {\n"
		/* 7 */ "\tsome pattern in dangerous\n"
		/* 8 */ "\tcontains(cmd, pattern)\n"
		/* 9 */ "}\n"
		/* 10 */ "deny contains msg if {\n"
		/* 11 */ "\tis_shell\n"
		/* 12 */ "\tmsg := risky(args.command)\n"
		/* 13 */ "\tnot input.approved\n"
		/* 14 */ "}\n"
		/* 15 */ "deny contains \"root\" if input.user in {\"root\", "
		"\"toor\"}\n"
		/* 16 */ "f(x) := y if y := x * 2\n"
		/* 17 */ "twice if f(input.xs[_]) == 4\n"
		/* 18 */ "both if f(1) + f(2) == 6\n"
		/* 19 */ "pairs[k] := v if { some k, v in input.m; v > 1 }\n"
		/* 20 */ "one := pairs.b\n"
		/* 21 */ "word := \"a\" if { input.nope } else := \"b\" if {\n"
		/* 22 */ "\tinput.tool == \"Bash\"\n"
		/* 23 */ "}\n"
		/* 24 */ "default free := false\n"
		/* 25 */ "free if input.nope\n"
		/* 26 */ "mock if input.tool == \"Edit\" with input.tool as "
		"\"Edit\"\n"
		/* 27 */ "again if { is_shell; twice; is_shell }\n"
		/* 28 */ "many := n if { some x in input.xs; x > 0; n := 1 }\n"
		/* 29 */ "all if every x in input.xs { f(x) > 0 }\n"
		/* 30 */ "none if { not f(5) == 11; not input.nope }\n"
		/* 31 */ "sums[x] := n if { some x in input.xs; n := x + 1 }\n"
		/* 32 */ "second if sums[2] > 2\n"
		/* 33 */ "loop if { some x in input.xs; y := f(x); y > 4 }\n"
		/* 34 */ "head := f(3) if is_shell\n";

static const char input_text[] =
	"{\"tool\":\"Bash\",\"tool_input\":{\"command\":\"rm -rf /\"},"
	"\"user\":\"root\",\"xs\":[1,2,3],\"m\":{\"a\":1,\"b\":2}}";

/* One evaluation with its explainer. */
struct fixture {
	struct bl_arena arena;
	struct bl_rego_explainer *explainer;
	const struct bl_rego_policies *policies;
	struct bl_value input;
	struct bl_rego_result result;
	bool ok;
};

static void set_up(struct fixture *f, const char *text, const char *in)
{
	const struct bl_rego_compile_options observed = { .observe = true };
	struct bl_rego_source source = { .file = BL_STR("p.rego"),
					 .text = bl_str(text) };
	struct bl_diags diags;

	bl_arena_init(&f->arena, NULL, 0, 0);
	bl_diags_init(&diags, &f->arena);
	f->ok = !bl_rego_compile(&f->arena, &source, 1, &observed, &diags,
				 &f->policies, NULL) &&
		!bl_json_read(&f->arena, bl_str(in), NULL, &f->input, NULL,
			      NULL, NULL) &&
		!bl_rego_explainer_new(&f->arena, &f->explainer, NULL);
	CHECK(f->ok);
}

static void evaluate(struct fixture *f, const char *path)
{
	const struct bl_rego_observer observer = { f->explainer,
						   bl_rego_explainer_notice };
	struct bl_rego_options options = { .input = f->input,
					   .observer = &observer };

	f->ok = f->ok &&
		!bl_rego_document(f->policies,
				  bl_rego_find(f->policies, bl_str(path)),
				  &options, &f->arena, &f->result, NULL) &&
		!f->result.fault_code;
	CHECK(f->ok);
}

static struct bl_value explain(struct fixture *f, const char *path,
			       struct bl_value element,
			       const struct bl_rego_explain_options *limits)
{
	struct bl_rego_explain_options options = { 0 };
	struct bl_value tree = bl_value_undefined();

	if (limits)
		options = *limits;
	options.path = bl_str(path);
	options.element = element;
	CHECK_STATUS(
		bl_rego_explain(f->explainer, &options, &f->arena, &tree, NULL),
		BL_OK);
	return tree;
}

static void check_json(struct bl_value tree, const char *expected)
{
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_json_write(&out, tree, BL_JSON_CANONICAL);
	CHECK_STR(bl_buf_str(&out), expected);
	bl_buf_clear(&out);
}

static void check_text(struct bl_value tree, const char *expected)
{
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_rego_put_explanation(&out, tree, 0);
	CHECK_STR(bl_buf_str(&out), expected);
	bl_buf_clear(&out);
}

/* ---- trees as JSON -------------------------------------------------------------- */

static void json_of_a_rule(void)
{
	struct fixture f = { 0 };

	set_up(&f, policy, input_text);
	evaluate(&f, "p.is_shell");
	check_json(explain(&f, "data.p.is_shell", bl_value_undefined(), NULL),
		   "{\"rules\":[{\"because\":[{\"line\":3,"
		   "\"text\":\"input.tool == \\\"Bash\\\"\","
		   "\"values\":[{\"name\":\"input.tool\",\"value\":\"Bash\"}]"
		   "}],\"file\":\"p.rego\",\"line\":3,"
		   "\"rule\":\"data.p.is_shell\",\"text\":\"is_shell\","
		   "\"value\":true}]}");
	bl_arena_clear(&f.arena);
}

static void json_of_an_element(void)
{
	struct fixture f = { 0 };

	set_up(&f, policy, input_text);
	evaluate(&f, "p.deny");
	check_json(
		explain(&f, "data.p.deny", bl_value_string(BL_STR("root")),
			NULL),
		"{\"rules\":[{\"because\":[{\"line\":15,"
		"\"text\":\"input.user in {\\\"root\\\", \\\"toor\\\"}\","
		"\"values\":[{\"name\":\"input.user\",\"value\":\"root\"}]}],"
		"\"contains\":true,\"file\":\"p.rego\",\"line\":15,"
		"\"rule\":\"data.p.deny\","
		"\"text\":\"deny contains \\\"root\\\"\","
		"\"value\":\"root\"}]}");
	bl_arena_clear(&f.arena);
}

static void json_of_keys(void)
{
	struct fixture f = { 0 };

	set_up(&f, policy, input_text);
	evaluate(&f, "p.pairs");
	check_json(explain(&f, "data.p.pairs", bl_value_undefined(), NULL),
		   "{\"rules\":[{\"because\":[{\"line\":19,"
		   "\"text\":\"some k, v in input.m\",\"values\":["
		   "{\"name\":\"k\",\"value\":\"b\"},"
		   "{\"name\":\"v\",\"value\":2},{\"name\":\"input.m\","
		   "\"value\":{\"a\":1,\"b\":2}}]},"
		   "{\"line\":19,\"text\":\"v > 1\",\"values\":["
		   "{\"name\":\"v\",\"value\":2}]}],"
		   "\"file\":\"p.rego\",\"keys\":[{\"value\":\"b\"}],"
		   "\"line\":19,\"rule\":\"data.p.pairs\","
		   "\"text\":\"pairs[k] := v\",\"value\":2}]}");
	bl_arena_clear(&f.arena);
}

/* ---- trees for people ------------------------------------------------------------ */

#define F_OF(indent, x, y)                                                     \
	indent "data.p.f = " y " (p.rego:16)\n" indent "  y := x * 2\n" indent \
	       "    | y = " y "\n" indent "    | x = " x "\n"

#define IS_SHELL(indent)                                                       \
	indent "data.p.is_shell = true (p.rego:3)\n" indent                    \
	       "  input.tool == \"Bash\"\n" indent                             \
	       "    | input.tool = \"Bash\"\n"

static const struct row {
	const char *rule;
	const char *expected;
} rows[] = {
	/* function calls that had come to nothing are not shown */
	{ "twice", "data.p.twice = true (p.rego:17)\n"
		   "  f(input.xs[_]) == 4\n" F_OF("    ", "2", "4") },
	/* two calls of one statement are */
	{ "both", "data.p.both = true (p.rego:18)\n"
		  "  f(1) + f(2) == 6\n" F_OF("    ", "1", "2")
			  F_OF("    ", "2", "4") },
	/* of an object that one member which is used */
	{ "one", "data.p.one = 2 (p.rego:20)\n"
		 "  | pairs.b = 2\n"
		 "  data.p.pairs[\"b\"] = 2 (p.rego:19)\n"
		 "    some k, v in input.m\n"
		 "      | k = \"b\"\n"
		 "      | v = 2\n"
		 "      | input.m = {\"a\":1,\"b\":2}\n"
		 "    v > 1\n"
		 "      | v = 2\n" },
	/* and what the head of a rule calls */
	{ "head",
	  "data.p.head = 6 (p.rego:34)\n"
	  "  is_shell\n"
	  "    | is_shell = true\n" IS_SHELL("    ") F_OF("  ", "3", "6") },
	{ "second", "data.p.second = true (p.rego:32)\n"
		    "  sums[2] > 2\n"
		    "    | sums[2] = 3\n"
		    "    data.p.sums[2] = 3 (p.rego:31)\n"
		    "      some x in input.xs\n"
		    "        | x = 2\n"
		    "        | input.xs = [1,2,3]\n"
		    "      n := x + 1\n"
		    "        | n = 3\n"
		    "        | x = 2\n" },
	{ "word", "data.p.word = \"b\" (p.rego:21)\n"
		  "  input.tool == \"Bash\"\n"
		  "    | input.tool = \"Bash\"\n" },
	{ "free", "data.p.free = false (p.rego:24)\n" },
	/* the input is another one within the statement */
	{ "mock", "data.p.mock = true (p.rego:26)\n"
		  "  input.tool == \"Edit\" with input.tool as \"Edit\"\n" },
	/* what was evaluated before is found, and shown once */
	{ "again", "data.p.again = true (p.rego:27)\n"
		   "  is_shell\n"
		   "    | is_shell = true\n" IS_SHELL(
			   "    ") "  twice\n"
				   "    | twice = true\n"
				   "    data.p.twice = true (p.rego:17)\n"
				   "      f(input.xs[_]) == 4\n" F_OF(
					   "        ", "2",
					   "4") "  is_shell\n"
						"    | is_shell = true\n"
						"    data.p.is_shell = true "
						"(p.rego:3), as above\n" },
	{ "many", "data.p.many = 1 (p.rego:28), in 2 more ways\n"
		  "  some x in input.xs\n"
		  "    | x = 1\n"
		  "    | input.xs = [1,2,3]\n"
		  "  x > 0\n"
		  "    | x = 1\n"
		  "  n := 1\n"
		  "    | n = 1\n" },
	/* every round counts */
	{ "all", "data.p.all = true (p.rego:29)\n"
		 "  every x in input.xs { f(x) > 0 }\n"
		 "    | input.xs = [1,2,3]\n" F_OF("    ", "1", "2")
			 F_OF("    ", "2", "4") F_OF("    ", "3", "6") },
	{ "none", "data.p.none = true (p.rego:30)\n"
		  "  not f(5) == 11\n"
		  "  not input.nope\n"
		  "    | input.nope = undefined\n" },
	/* rounds that failed later are not shown */
	{ "loop", "data.p.loop = true (p.rego:33)\n"
		  "  some x in input.xs\n"
		  "    | x = 3\n"
		  "    | input.xs = [1,2,3]\n"
		  "  y := f(x)\n"
		  "    | y = 6\n"
		  "    | x = 3\n" F_OF("    ", "3", "6") "  y > 4\n"
							 "    | y = 6\n" },
	{ "deny",
	  "data.p.deny contains \"rm -rf\" (p.rego:10)\n"
	  "  is_shell\n"
	  "    | is_shell = true\n" IS_SHELL(
		  "    ") "  msg := risky(args.command)\n"
			  "    | msg = \"rm -rf\"\n"
			  "    | args.command = \"rm -rf /\"\n"
			  "    data.p.risky = \"rm -rf\" (p.rego:6)\n"
			  "      some pattern in dangerous\n"
			  "        | pattern = \"rm -rf\"\n"
			  "        | dangerous = [\"mkfs\",\"rm -rf\"]\n"
			  "        data.p.dangerous contains \"rm -rf\" "
			  "(p.rego:5)\n"
			  "      contains(cmd, pattern)\n"
			  "        | cmd = \"rm -rf /\"\n"
			  "        | pattern = \"rm -rf\"\n"
			  "  not input.approved\n"
			  "    | input.approved = undefined\n"
			  "data.p.deny contains \"root\" (p.rego:15)\n"
			  "  input.user in {\"root\", \"toor\"}\n"
			  "    | input.user = \"root\"\n" },
};

static void texts(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct fixture f = { 0 };
		char path[64];

		snprintf(path, sizeof(path), "data.p.%s", rows[i].rule);
		set_up(&f, policy, input_text);
		evaluate(&f, path + 5);
		check_text(explain(&f, path, bl_value_undefined(), NULL),
			   rows[i].expected);
		bl_arena_clear(&f.arena);
	}
}

/* ---- queries --------------------------------------------------------------------- */

static void query(void)
{
	struct fixture f = { 0 };
	struct bl_diags diags;

	set_up(&f, policy, input_text);
	const struct bl_rego_observer observer = { f.explainer,
						   bl_rego_explainer_notice };
	struct bl_rego_options options = { .input = f.input,
					   .observer = &observer };

	bl_diags_init(&diags, &f.arena);
	CHECK_STATUS(bl_rego_query(f.policies,
				   BL_STR("x := data.p.deny[_]; x == \"root\""),
				   &options, &f.arena, &diags, &f.result, NULL),
		     BL_OK);
	check_text(explain(&f, "", bl_value_undefined(),
			   &(struct bl_rego_explain_options){ .depth = 1 }),
		   "x := data.p.deny[_]\n"
		   "  | x = \"root\"\n"
		   "  ... (cut: depth)\n"
		   "x == \"root\"\n"
		   "  | x = \"root\"\n");
	bl_arena_clear(&f.arena);
}

/* ---- limits ---------------------------------------------------------------------- */

static void depth_is_limited(void)
{
	const struct bl_rego_explain_options limits = { .depth = 1 };
	struct fixture f = { 0 };

	set_up(&f, policy, input_text);
	evaluate(&f, "p.twice");
	check_json(explain(&f, "data.p.twice", bl_value_undefined(), &limits),
		   "{\"cuts\":[\"depth\"],\"rules\":[{\"because\":["
		   "{\"cut\":\"depth\",\"line\":17,"
		   "\"text\":\"f(input.xs[_]) == 4\"}],"
		   "\"file\":\"p.rego\",\"line\":17,\"rule\":\"data.p.twice\","
		   "\"text\":\"twice\",\"value\":true}]}");
	bl_arena_clear(&f.arena);
}

static void nodes_are_limited(void)
{
	const struct bl_rego_explain_options limits = { .nodes = 2 };
	struct fixture f = { 0 };

	set_up(&f, policy, input_text);
	evaluate(&f, "p.loop");
	check_text(explain(&f, "data.p.loop", bl_value_undefined(), &limits),
		   "data.p.loop = true (p.rego:33)\n"
		   "  some x in input.xs\n"
		   "    | x = 3\n"
		   "    | input.xs = [1,2,3]\n"
		   "  ... (cut: nodes)\n");
	bl_arena_clear(&f.arena);
}

/* At a whole character. */
static void values_are_limited(void)
{
	const struct bl_rego_explain_options limits = { .value_bytes = 8 };
	struct fixture f = { 0 };

	set_up(&f, "package p\nr if startswith(input.text, \"a\")\n",
	       "{\"text\":\"abcdef\303\244\303\244\"}");
	evaluate(&f, "p.r");
	check_json(explain(&f, "data.p.r", bl_value_undefined(), &limits),
		   "{\"cuts\":[\"value\"],\"rules\":[{\"because\":[{"
		   "\"line\":2,\"text\":\"startswi...\",\"values\":[{"
		   "\"name\":\"input.te...\",\"value_bytes\":12,"
		   "\"value_start\":\"\\\"abcdef\"}]}],"
		   "\"file\":\"p.rego\",\"line\":2,\"rule\":\"data.p.r\","
		   "\"text\":\"r\",\"value\":true}]}");
	bl_arena_clear(&f.arena);
}

static void memory_is_limited(void)
{
	struct fixture f = { 0 };
	const struct bl_rego_explain_options options = {
		.path = BL_STR("data.p.deny"),
	};
	struct bl_arena small;
	struct bl_value tree;

	set_up(&f, policy, input_text);
	evaluate(&f, "p.deny");
	bl_arena_init(&small, NULL, 0, 64);
	CHECK_STATUS(
		bl_rego_explain(f.explainer, &options, &small, &tree, NULL),
		BL_LIMIT);
	bl_arena_clear(&small);
	bl_arena_clear(&f.arena);
}

/* More than is remembered is said. */
static void derivations_are_limited(void)
{
	struct fixture f = { 0 };

	set_up(&f,
	       "package p\n"
	       "s contains x if { some x in numbers.range(1, 20001) }\n",
	       "{}");
	evaluate(&f, "p.s");
	check_json(explain(&f, "data.p.s", bl_value_integer(20001), NULL),
		   "{\"cuts\":[\"derivations\"]}");
	bl_arena_clear(&f.arena);
}

static void nothing_to_explain(void)
{
	struct fixture f = { 0 };

	set_up(&f, policy, "{}");
	evaluate(&f, "p.deny");
	check_json(explain(&f, "data.p.deny", bl_value_undefined(), NULL),
		   "{}");
	bl_arena_clear(&f.arena);
}

int main(void)
{
	RUN(json_of_a_rule);
	RUN(json_of_an_element);
	RUN(json_of_keys);
	RUN(texts);
	RUN(query);
	RUN(depth_is_limited);
	RUN(nodes_are_limited);
	RUN(values_are_limited);
	RUN(memory_is_limited);
	RUN(derivations_are_limited);
	RUN(nothing_to_explain);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the embedder, and capabilities; texts are OPA's where it has. */
#include "policies.h"

static struct bl_arena arena;

/* ---- the functions of this embedder ------------------------------------------ */

static int calls;

/* acme.join(a, b): "a-b"; "bad" as the first is a fault, "no" undefined. */
static bool join(struct bl_rego_call *call)
{
	struct bl_str a = bl_value_text(call->args[0]);

	calls++;
	if (bl_str_is(a, "bad")) {
		call->fault = BL_STR("no such thing");
		return false;
	}
	if (!bl_str_is(a, "no"))
		call->result = bl_value_printf(
			call->arena, "%.*s-%s", BL_STR_ARG(a),
			bl_kind_name(bl_value_kind(call->args[1])));
	return true;
}

/* acme.context(): the number that the context points to. */
static bool context(struct bl_rego_call *call)
{
	call->result = bl_value_integer(*(const int *)call->context);
	return true;
}

static struct bl_value value_of(const char *text)
{
	struct bl_value value = bl_value_undefined();

	bl_json_read(&arena, bl_str(text), NULL, &value, NULL, NULL, NULL);
	return value;
}

static const char join_declaration[] =
	"{\"type\":\"function\",\"args\":[{\"type\":\"string\"},"
	"{\"type\":\"any\",\"of\":[{\"type\":\"null\"},{\"type\":\"array\","
	"\"dynamic\":{\"type\":\"any\"}}]}],\"result\":{\"type\":\"string\"}}";

static struct bl_rego_function functions[2];

static void init_functions(void)
{
	functions[0] = (struct bl_rego_function){
		.name = BL_STR("acme.join"),
		.declaration = value_of(join_declaration),
		.call = join,
	};
	functions[1] = (struct bl_rego_function){
		.name = BL_STR("acme_context"),
		.declaration = value_of("{\"type\":\"function\",\"result\":{"
					"\"type\":\"number\"}}"),
		.is_nondeterministic = true,
		.call = context,
	};
}

static struct bl_rego_compile_options with_functions(void)
{
	return (struct bl_rego_compile_options){ .functions = functions,
						 .function_count = 2 };
}

/* ---- asking -------------------------------------------------------------------- */

/* NULL: the first finding is in *out_why. */
static const struct bl_rego_policies *
compile_with(const char *rules, const struct bl_rego_compile_options *how,
	     struct bl_str *out_why)
{
	struct bl_rego_source source = { .file = BL_STR("p.rego") };
	const struct bl_rego_policies *policies = NULL;
	struct bl_error err = { 0 };
	struct bl_diags diags;

	source.text = bl_arena_printf(&arena, "package p\n%s\n", rules);
	bl_diags_init(&diags, &arena);
	if (bl_rego_compile(&arena, &source, 1, how, &diags, &policies, &err))
		*out_why = diags.first
				   ? diags.first->message
				   : bl_arena_printf(&arena, "%s", err.message);
	return policies;
}

static int number = 7;

static struct bl_str answer_with(const char *rules, const char *query,
				 const struct bl_rego_compile_options *how,
				 bool strict)
{
	struct bl_rego_options options = { .strict_builtin_errors = strict,
					   .host.context = &number };
	struct bl_str why = BL_STR("");
	const struct bl_rego_policies *policies =
		compile_with(rules, how, &why);
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	if (!policies)
		return why;
	bl_diags_init(&diags, &arena);
	if (bl_rego_query(policies, bl_str(query), &options, &arena, &diags,
			  &result, &err))
		return diags.first ? diags.first->message : bl_str(err.message);
	if (result.fault_code)
		return result.fault;
	return as_json(&arena,
		       bl_object_find(bl_value_item(result.solutions, 0),
				      BL_STR("expressions")));
}

static struct bl_str answer(const char *rules, const char *query)
{
	struct bl_rego_compile_options how = with_functions();

	return answer_with(rules, query, &how, false);
}

static void test_calls(void)
{
	CHECK_STR(answer("q := acme.join(\"a\", null)", "data.p.q"),
		  "[\"a-null\"]");
	CHECK_STR(answer("", "acme.join(\"a\", [])"), "[\"a-array\"]");
	CHECK_STR(answer("", "acme.join(\"a\", [], \"a-array\")"), "[true]");
	CHECK_STR(answer("q contains x if { some i in [\"a\", \"b\"]; "
			 "x := acme.join(i, null) }",
			 "data.p.q"),
		  "[[\"a-null\",\"b-null\"]]");
	CHECK_STR(
		answer("q := [x | x := acme.join([\"a\"][_], [])]", "data.p.q"),
		"[[\"a-array\"]]");
	CHECK_STR(answer("f(x) := acme.join(x, null)", "data.p.f(\"z\")"),
		  "[\"z-null\"]");
	CHECK_STR(answer("q := acme_context()", "data.p.q"), "[7]");
	/* a rule of that name comes before it, and is not a function */
	CHECK_STR(
		answer("acme_context() := 1\nq := acme_context()", "data.p.q"),
		"undefined function data.p.acme_context");
	CHECK_STR(answer("acme_context() := 1\nq := acme_context", "data.p.q"),
		  "[1]");
	calls = 0;
	answer("q if { x := [1, 2, 3][_]; acme.join(\"a\", null) == x }\n"
	       "r if { false; acme.join(\"a\", null) }",
	       "data.p.r");
	CHECK_INT(calls, 0); /* nothing is found out while compiling */
}

static void test_with(void)
{
	CHECK_STR(answer("q := acme.join(\"a\", null)",
			 "data.p.q with acme.join as \"b\""),
		  "[\"b\"]");
	CHECK_STR(answer("f(a, b) := a\nq := acme.join(\"a\", null)",
			 "data.p.q with acme.join as data.p.f"),
		  "[\"a\"]");
	CHECK_STR(answer("q := concat(\"x\", [])",
			 "data.p.q with concat as acme.join"),
		  "[\"x-array\"]");
}

static void test_errors(void)
{
	struct bl_rego_compile_options how = with_functions();

	CHECK_STR(answer("q := acme.join(1, null)", "data.p.q"),
		  "acme.join: invalid argument(s)\n\thave: (number, null, "
		  "?\?\?)\n\twant: (string, any<null, array[any]>, string)");
	CHECK_STR(answer("q := acme.join(\"a\")", "data.p.q"),
		  "acme.join: arity mismatch\n\thave: (string, ?\?\?)\n\t"
		  "want: (string, any<null, array[any]>)");
	CHECK_STR(answer("q := count(acme.join(\"a\", null)) + "
			 "acme.join(\"a\", null)",
			 "data.p.q"),
		  "plus: invalid argument(s)\n\thave: (number, string, "
		  "?\?\?)\n\twant: (x: number, y: number, z: number)");
	/* what the types do not tell */
	CHECK_STR(answer("q := acme.join(input, null)",
			 "data.p.q with input as 1"),
		  "null");
	CHECK_STR(answer_with("q := acme.join(input, null)",
			      "data.p.q with input as 1", &how, true),
		  "p.rego:2: eval_type_error: acme.join: operand 1 must be "
		  "string but got number");
	CHECK_STR(answer_with("q := acme.join(\"a\", input)",
			      "data.p.q with input as 1", &how, true),
		  "p.rego:2: eval_type_error: acme.join: operand 2 must be "
		  "one of {null, array} but got number");
	CHECK_STR(answer("q := acme.join(\"no\", null)", "data.p.q"), "null");
	CHECK_STR(answer("q := acme.join(\"bad\", null)", "data.p.q"), "null");
	CHECK_STR(answer_with("q := acme.join(\"bad\", null)", "data.p.q", &how,
			      true),
		  "p.rego:2: eval_builtin_error: acme.join: no such thing");
	CHECK_STR(answer_with("q := acme.join(\"a\", null)", "1", NULL, false),
		  "undefined function acme.join");
}

static struct bl_str refused(const char *name, const char *declaration)
{
	struct bl_rego_function one = { .name = bl_str(name),
					.declaration = value_of(declaration),
					.call = join };
	struct bl_rego_compile_options how = { .functions = &one,
					       .function_count = 1 };
	struct bl_str why = BL_STR("taken");

	compile_with("", &how, &why);
	return why;
}

static void test_declarations(void)
{
	struct bl_rego_compile_options how = with_functions();
	struct bl_str why = BL_STR("taken");

	CHECK_STR(refused("a.b", join_declaration), "taken");
	CHECK_STR(refused("count", join_declaration),
		  "count is a builtin already");
	CHECK_STR(refused("", join_declaration),
		  "the function '' has no name or no code");
	CHECK_STR(refused("a..b", join_declaration),
		  "the function 'a..b' has no name or no code");
	CHECK_STR(refused("1a", join_declaration),
		  "the function '1a' has no name or no code");
	CHECK_STR(refused("a", "{\"type\":\"function\",\"args\":[]}"),
		  "the declaration of a: it has no result");
	CHECK_STR(refused("a", "{\"type\":\"string\"}"),
		  "the declaration of a: its type is not \"function\"");
	CHECK_STR(refused("a", "{\"type\":\"function\",\"args\":[{\"type\":"
			       "\"text\"}],\"result\":{\"type\":\"any\"}}"),
		  "the declaration of a: there is no such type");
	CHECK_STR(refused("a", "{\"type\":\"function\",\"args\":{},"
			       "\"result\":{\"type\":\"any\"}}"),
		  "the declaration of a: a list of types is not an array");
	functions[1].name = functions[0].name;
	compile_with("", &how, &why);
	CHECK_STR(why, "acme.join is declared twice");
	init_functions();
}

/* ---- plans and images ------------------------------------------------------------ */

/* A plan that answers {"result": acme.join("a", null)}. */
static const char plan_text[] =
	"{\"static\":{\"strings\":[{\"value\":\"result\"},{\"value\":\"a\"}],"
	"\"builtin_funcs\":[{\"name\":\"acme.join\",\"decl\":{\"type\":"
	"\"function\",\"args\":[{\"type\":\"any\"},{\"type\":\"any\"}],"
	"\"result\":{\"type\":\"string\"}}}],\"files\":[{\"value\":\"p.rego\"}]"
	"}"
	",\"plans\":{\"plans\":[{\"name\":\"p/q\",\"blocks\":[{\"stmts\":["
	"{\"type\":\"MakeNullStmt\",\"stmt\":{\"target\":3}},"
	"{\"type\":\"CallStmt\",\"stmt\":{\"func\":\"acme.join\",\"args\":["
	"{\"type\":\"string_index\",\"value\":1},{\"type\":\"local\",\"value\":"
	"3}],\"result\":2}},"
	"{\"type\":\"MakeObjectStmt\",\"stmt\":{\"target\":4}},"
	"{\"type\":\"ObjectInsertStmt\",\"stmt\":{\"key\":{\"type\":"
	"\"string_index\",\"value\":0},\"value\":{\"type\":\"local\",\"value\":"
	"2},\"object\":4}},"
	"{\"type\":\"ResultSetAddStmt\",\"stmt\":{\"value\":4}}]}]}]},"
	"\"funcs\":{\"funcs\":[]}}";

static void test_plans(void)
{
	struct bl_rego_compile_options how = with_functions();
	struct bl_rego_options options = { .host.context = &number };
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_error err = { 0 };
	struct bl_value plan;

	CHECK_STATUS(bl_json_read(&arena, bl_str(plan_text), NULL, &plan, NULL,
				  NULL, &err),
		     BL_OK);
	CHECK_STATUS(bl_rego_load_plan(&arena, plan, NULL, &policies, &err),
		     BL_UNSUPPORTED);
	CHECK_STATUS(bl_rego_load_plan(&arena, plan, &how, &policies, &err),
		     BL_OK);
	CHECK_STATUS(bl_rego_run_plan(policies, BL_STR("p/q"), &options, &arena,
				      &result, &err),
		     BL_OK);
	CHECK_STR(as_json(&arena, result.solutions),
		  "[{\"result\":\"a-null\"}]");
}

static void test_images(void)
{
	struct bl_rego_compile_options how = with_functions();
	struct bl_str why;
	struct bl_error err = { 0 };
	struct bl_buf image;

	bl_buf_init(&image, 0);
	CHECK_STATUS(bl_rego_image_write(
			     compile_with("q := acme_context()", &how, &why),
			     bl_value_null(), &image, &err),
		     BL_UNSUPPORTED);
	CHECK_STR(bl_str(err.message),
		  "policies that call acme_context have no image");
	/* those that call none have one */
	CHECK_STATUS(bl_rego_image_write(compile_with("q := 1", &how, &why),
					 bl_value_null(), &image, &err),
		     BL_OK);
	bl_buf_clear(&image);
}

/* ---- capabilities ------------------------------------------------------------------ */

static struct bl_str under(const char *file, const char *rules,
			   const char *query)
{
	struct bl_rego_compile_options how = { 0 };
	struct bl_error err = { 0 };

	if (bl_rego_read_capabilities(&arena, value_of(file), &how.capabilities,
				      &err))
		return bl_arena_printf(&arena, "%s", err.message);
	return answer_with(rules, query, &how, false);
}

#define COUNT                                                                  \
	"{\"name\":\"count\",\"decl\":{\"type\":\"function\",\"args\":[{"      \
	"\"type\":\"any\",\"name\":\"things\"}],\"result\":{\"type\":"         \
	"\"number\"}}}"
#define OTHER                                                                  \
	"{\"name\":\"other.fn\",\"decl\":{\"type\":\"function\",\"args\":[{"   \
	"\"type\":\"string\"}],\"result\":{\"type\":\"null\"}}}"
#define FILE_OF(builtins, more)                                                \
	"{\"builtins\":[" builtins "],\"features\":[\"rego_v1\"" more "]}"

static void test_builtins(void)
{
	static const char some[] = FILE_OF(COUNT "," OTHER, "");

	CHECK_STR(under(some, "q := count([1])", "data.p.q"), "[1]");
	CHECK_STR(under(some, "q := abs(1)", "data.p.q"),
		  "undefined function abs");
	CHECK_STR(under(some, "q := 1 + 1", "data.p.q"),
		  "undefined function plus");
	CHECK_STR(under(some, "", "abs(1)"), "undefined function abs");
	CHECK_STR(under(some, "", "1 with abs as 1"),
		  "with keyword target must reference existing input, data, "
		  "or a function");
	/* the language's own need no row */
	CHECK_STR(
		under(some, "q := x if { x := [1, 2][_] }\nr := 3", "data.p.r"),
		"[3]");
	/* as the file declares it, not as we do */
	CHECK_STR(under(some, "q := count(1)", "data.p.q"), "null");
	CHECK_STR(under(some, "q := other.fn(1)", "data.p.q"),
		  "other.fn: invalid argument(s)\n\thave: (number, "
		  "?\?\?)\n\twant: (string, null)");
	CHECK_STR(under(some, "q := other.fn(\"a\")", "data.p.q"),
		  "p.rego:2: eval_internal_error: other.fn: unsupported "
		  "built-in");
}

static void test_features(void)
{
	CHECK_STR(under("{}", "", "1"),
		  "illegal capabilities: rego_v1 feature required for parsing "
		  "v1 Rego");
	CHECK_STR(under(FILE_OF("", ""), "q := $\"a\"", "1"),
		  "template strings are not supported by current "
		  "capabilities");
	CHECK_STR(under(FILE_OF("", ",\"template_strings\",\"unheard-of\""),
			"q := $\"a{1}\"", "data.p.q"),
		  "[\"a1\"]");
	CHECK_STR(under(FILE_OF("", ""), "import rego.v2", "1"),
		  "invalid import, `rego.v2` is not supported by current "
		  "capabilities");
	CHECK_STR(under(FILE_OF("", ""), "import future.keywords.not", "1"),
		  "unexpected keyword, must be one of [contains every if in]");
	CHECK_STR(under(FILE_OF("", ""), "import future.keywords.in", "1"),
		  "[1]");
	CHECK_STR(under("{\"features\":[\"rego_v1\"],\"future_keywords\":["
			"\"nonsense\"]}",
			"", "1"),
		  "illegal capabilities: unknown keyword: nonsense");
}

static void test_bad_files(void)
{
	CHECK_STR(under("[]", "", "1"), "capabilities: no object");
	CHECK_STR(under("{\"builtins\":1}", "", "1"),
		  "capabilities: builtins is not an array");
	CHECK_STR(under("{\"builtins\":[1]}", "", "1"),
		  "capabilities: a builtin has no name");
	CHECK_STR(under("{\"builtins\":[{\"name\":\"count\"}]}", "", "1"),
		  "capabilities: the declaration of count: its type is not "
		  "\"function\"");
	CHECK_STR(under("{\"builtins\":[" COUNT "," COUNT "]}", "", "1"),
		  "capabilities: count is declared twice");
	CHECK_STR(under("{\"builtins\":[{\"name\":\"count\",\"decl\":{"
			"\"type\":\"function\"}}]}",
			"", "1"),
		  "capabilities: count takes 1 operands here");
	CHECK_STR(under("{\"allow_net\":[1]}", "", "1"),
		  "capabilities: allow_net is not of strings");
	CHECK_STR(under("{\"features\":\"x\"}", "", "1"),
		  "capabilities: features is not an array");
}

static void test_hosts(void)
{
	const struct bl_rego_capabilities *made = NULL;
	const struct bl_str *hosts;
	size_t count = 9;

	bl_rego_allowed_hosts(NULL, &count);
	CHECK_INT(count, 0);
	CHECK_STATUS(
		bl_rego_read_capabilities(&arena, value_of("{}"), &made, NULL),
		BL_OK);
	bl_rego_allowed_hosts(made, &count);
	CHECK_INT(count, 0); /* where OPA allows all */
	CHECK_STATUS(bl_rego_read_capabilities(
			     &arena, value_of("{\"allow_net\":[\"a\",\"b\"]}"),
			     &made, NULL),
		     BL_OK);
	hosts = bl_rego_allowed_hosts(made, &count);
	CHECK_INT(count, 2);
	CHECK_STR(hosts[1], "b");
}

/* Printed capabilities, read back, change nothing. */
static void test_own(void)
{
	struct bl_rego_compile_options how = { 0 };
	struct bl_value own = bl_rego_own_capabilities(&arena);
	struct bl_error err = { 0 };

	CHECK_STATUS(
		bl_rego_read_capabilities(&arena, own, &how.capabilities, &err),
		BL_OK);
	CHECK_STR(answer_with("q := [x | walk([1], x)]\n"
			      "r if { print(1, 2); $\"{q}\" != \"\" }\n"
			      "s := time.now_ns()",
			      "data.p", &how, false),
		  "[{\"q\":[[[],[1]],[[0],1]],\"r\":true,\"s\":0}]");
	CHECK_STR(answer_with("q := count(1)", "1", &how, false),
		  "count: invalid argument(s)\n\thave: (number, ?\?\?)\n\t"
		  "want: (collection: any<...>, n: number)");
}

#define QUERY                                                                  \
	"graphql.parse_query(`\"d1\" query Q(\"d2\" $x: Int) { a } "           \
	"\"\"\"d3\"\"\" fragment F on T { b }`)"

/* OPA 1.22.3 gives these trees and that text. */
static void test_descriptions(void)
{
	struct bl_rego_compile_options how = { 0 };
	struct bl_value own = bl_rego_own_capabilities(&arena);
	struct bl_str text = as_json(&arena, own);
	size_t at = bl_str_find(text, BL_STR("\"keywords_in_refs\""), 0);
	struct bl_buf image;
	struct bl_error err = { 0 };
	struct bl_str why;

	text = bl_arena_printf(&arena, "%.*s\"graphql_descriptions\",%.*s",
			       (int)at, text.ptr, (int)(text.len - at),
			       text.ptr + at);
	CHECK_STATUS(bl_rego_read_capabilities(&arena, value_of(text.ptr),
					       &how.capabilities, &err),
		     BL_OK);
	CHECK_STR(answer_with("", QUERY, &how, false),
		  "[{\"Fragments\":[{\"Description\":\"d3\",\"Name\":\"F\","
		  "\"SelectionSet\":[{\"Alias\":\"b\",\"Name\":\"b\"}],"
		  "\"TypeCondition\":\"T\"}],\"Operations\":[{"
		  "\"Description\":\"d1\",\"Name\":\"Q\",\"Operation\":"
		  "\"query\",\"SelectionSet\":[{\"Alias\":\"a\",\"Name\":"
		  "\"a\"}],\"VariableDefinitions\":[{\"Description\":\"d2\","
		  "\"Type\":{\"NamedType\":\"Int\",\"NonNull\":false},"
		  "\"Used\":false,\"Variable\":\"x\"}]}]}]");
	CHECK_STR(answer_with("q := graphql.parse_query(`\"d1\" { a }`)",
			      "data.p.q", &how, true),
		  "p.rego:2: eval_builtin_error: graphql.parse_query: "
		  "Unexpected String \"d1\" in GraphQL string at location "
		  "1:2");
	CHECK_STR(answer_with("", "graphql.parse_query(`{ a }`)", NULL, false),
		  "[{\"Operations\":[{\"Name\":\"\",\"Operation\":\"query\","
		  "\"SelectionSet\":[{\"Alias\":\"a\",\"Name\":\"a\"}]}]}]");
	bl_buf_init(&image, 0);
	CHECK_STATUS(bl_rego_image_write(
			     compile_with("q := graphql.parse_query(\"{a}\")",
					  &how, &why),
			     bl_value_null(), &image, &err),
		     BL_UNSUPPORTED);
	bl_buf_clear(&image);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	init_functions();
	RUN(test_calls);
	RUN(test_with);
	RUN(test_errors);
	RUN(test_declarations);
	RUN(test_plans);
	RUN(test_images);
	RUN(test_builtins);
	RUN(test_features);
	RUN(test_bad_files);
	RUN(test_hosts);
	RUN(test_own);
	RUN(test_descriptions);
	bl_arena_clear(&arena);
	return tap_end();
}

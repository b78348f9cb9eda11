/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans that OPA would not make are refused with a reason, or run within their
 * limits; those that it makes are in tests/conformance (rego-plans).
 */
#include "json/json.h"
#include "rego/rego.h"
#include "tap.h"

/* A plan of one entry point "p" with these statements, and functions. */
#define PLAN(statements, functions)                                            \
	"{\"static\":{\"strings\":[{\"value\":\"result\"},{\"value\":\"k\"},"  \
	"{\"value\":\"x1\"}]},\"plans\":{\"plans\":[{\"name\":\"p\","          \
	"\"blocks\":[{\"stmts\":[" statements                                  \
	"]}]}]},\"funcs\":{\"funcs\":[" functions "]}}"
#define STMT(type, fields) "{\"type\":\"" type "\",\"stmt\":{" fields "}}"
#define LOCAL(n)           "{\"type\":\"local\",\"value\":" #n "}"
#define STRING(n)          "{\"type\":\"string_index\",\"value\":" #n "}"
#define MAKE_OBJECT(n)     STMT("MakeObjectStmt", "\"target\":" #n)
#define INSERT(o, k, v)                                                        \
	STMT("ObjectInsertStmt", "\"object\":" #o ",\"key\":" k ",\"value\""   \
				 ":" v)
#define ADD(n) STMT("ResultSetAddStmt", "\"value\":" #n)
#define FUNC(name, path, statements)                                           \
	"{\"name\":\"" name "\",\"path\":[" path "],\"params\":[0,1],"         \
	"\"return\":2,\"blocks\":[{\"stmts\":[" statements "]}]}"
#define CALL(name)                                                             \
	STMT("CallStmt", "\"func\":\"" name "\",\"args\":[" LOCAL(             \
				 0) "," LOCAL(1) "],\"result\":2")
#define RETURN STMT("ReturnLocalStmt", "\"source\":2")

static struct bl_arena arena;

static enum bl_status run(const char *text, struct bl_rego_result *result,
			  struct bl_error *err)
{
	const struct bl_rego_policies *policies;
	struct bl_rego_options options = { .max_steps = 100000 };
	struct bl_value plan;
	enum bl_status status;

	*result = (struct bl_rego_result){ 0 };
	if (bl_json_read(&arena, bl_str(text), NULL, &plan, NULL, NULL, err))
		return BL_SYNTAX;
	status = bl_rego_load_plan(&arena, plan, NULL, &policies, err);
	return status ? status
		      : bl_rego_run_plan(policies, BL_STR("p"), &options,
					 &arena, result, err);
}

static void gives(const char *name, const char *text, const char *want)
{
	struct bl_rego_result result;
	struct bl_error err = { 0 };
	struct bl_buf out;
	bool ok = !run(text, &result, &err) && !result.fault_code;

	bl_buf_init(&out, 0);
	bl_json_write(&out, result.solutions, BL_JSON_COMPACT);
	if (!ok || !bl_str_is(bl_buf_str(&out), want))
		TAP_NOTE("%s: %s", name, err.message);
	CHECK(ok);
	CHECK_STR(bl_buf_str(&out), want);
	bl_buf_clear(&out);
}

static void refused(const char *name, const char *text, enum bl_status want,
		    const char *message)
{
	struct bl_rego_result result;
	struct bl_error err = { 0 };
	enum bl_status status = run(text, &result, &err);

	if (bl_str_find(bl_str(err.message), bl_str(message), 0) == SIZE_MAX) {
		TAP_NOTE("%s: %s", name, err.message);
		CHECK(false);
	}
	CHECK_STATUS(status, want);
}

static void fails(const char *name, const char *text, const char *code)
{
	struct bl_rego_result result;
	struct bl_error err = { 0 };
	enum bl_status status = run(text, &result, &err);

	CHECK_STATUS(status, BL_OK);
	if (!result.fault_code || !bl_str_is(bl_str(result.fault_code), code)) {
		TAP_NOTE("%s: %s", name, err.message);
		CHECK(false);
	}
}

static void check_refused(void)
{
	refused("no plans", "{}", BL_INVALID, "plans.plans");
	refused("no array", "[]", BL_INVALID, "plans.plans");
	refused("a statement", PLAN(STMT("DanceStmt", ""), ""), BL_UNSUPPORTED,
		"no statement DanceStmt");
	refused("a string",
		PLAN(MAKE_OBJECT(3) "," INSERT(3, STRING(9), STRING(0)), ""),
		BL_INVALID, "a string must be a number from 0 to below 3");
	refused("a negative local", PLAN(MAKE_OBJECT(-1), ""), BL_INVALID,
		"a local must be");
	refused("a large local", PLAN(MAKE_OBJECT(4000000000), ""), BL_INVALID,
		"a local must be");
	refused("a break", PLAN(STMT("BreakStmt", "\"index\":1"), ""),
		BL_INVALID, "leaves more blocks");
	refused("a call", PLAN(CALL("no.such"), ""), BL_UNSUPPORTED,
		"no function or builtin no.such");
	refused("arguments", PLAN(CALL("count"), ""), BL_INVALID,
		"a call of count has 2 arguments, not 1");
	refused("a number",
		PLAN(STMT("MakeNumberRefStmt", "\"Index\":2,\"target\":2"), ""),
		BL_INVALID, "a number constant is not a number");
	refused("names",
		PLAN("", FUNC("f", "\"a\"", "") "," FUNC("f", "\"b\"", "")),
		BL_INVALID, "one name");
	refused("paths",
		PLAN("", FUNC("f", "\"a\"", "") "," FUNC("g", "\"a\"", "")),
		BL_INVALID, "one path");
	refused("results", PLAN("", FUNC("f", "\"a\"", ADD(2))), BL_INVALID,
		"adds to the result set");
	refused("an entry point",
		"{\"plans\":{\"plans\":[{\"name\":\"q\",\"blocks\":[]}]}}",
		BL_NOT_FOUND, "no entry point p");
}

static void check_limits(void)
{
	struct bl_buf deep;

	fails("endless calls",
	      PLAN(CALL("f"), FUNC("f", "\"f\"", CALL("g")) "," FUNC(
				      "g", "\"g\"", CALL("f"))),
	      "eval_cancel_error");
	fails("an object inside of itself",
	      PLAN(MAKE_OBJECT(3) "," INSERT(3, STRING(1), LOCAL(3)) "," ADD(3),
		   ""),
	      "eval_cancel_error");
	fails("adding to what is not a collection",
	      PLAN(INSERT(0, STRING(1), STRING(0)), ""), "eval_internal_error");
	bl_buf_init(&deep, 0);
	bl_buf_puts(&deep, "{\"plans\":{\"plans\":[{\"name\":\"p\","
			   "\"blocks\":[{\"stmts\":[");
	for (int i = 0; i < 40; i++)
		bl_buf_puts(&deep, "{\"type\":\"NotStmt\",\"stmt\":{\"block\":"
				   "{\"stmts\":[");
	for (int i = 0; i < 40; i++)
		bl_buf_puts(&deep, "]}}}");
	bl_buf_puts(&deep, "]}]}]}}");
	bl_buf_put_char(&deep, '\0');
	/* Forty times "not" of what succeeds is fine; the last one fails. */
	gives("nested blocks", bl_buf_str(&deep).ptr, "[]");
	bl_buf_clear(&deep);
}

static void check_growing(void)
{
	gives("an object",
	      PLAN(MAKE_OBJECT(3) "," INSERT(3, STRING(0),
					     STRING(1)) "," ADD(3),
		   ""),
	      "[{\"result\":\"k\"}]");
	gives("an object that grows inside of another",
	      PLAN(MAKE_OBJECT(3) "," MAKE_OBJECT(4) "," INSERT(
			   3, STRING(0),
			   LOCAL(4)) "," INSERT(4, STRING(1),
						STRING(2)) "," ADD(3),
		   ""),
	      "[{\"result\":{\"k\":\"x1\"}}]");
	gives("a function called as a document",
	      PLAN(CALL("f") "," ADD(2),
		   "{\"name\":\"f\",\"path\":[\"f\"],\"params\":[0,1,3],"
		   "\"return\":2,\"blocks\":[{\"stmts\":["
		   "" MAKE_OBJECT(2) "," RETURN "]}]}"),
	      "[]");
	refused("too many arguments",
		PLAN(CALL("f"), "{\"name\":\"f\",\"path\":[\"f\"],"
				"\"params\":[0],\"return\":2,\"blocks\":[]}"),
		BL_INVALID, "a call of f has 2 arguments, not 1");
	gives("nothing is undefined",
	      PLAN(CALL("f"), FUNC("f", "\"f\"", RETURN)), "[]");
}

#define STRINGS                                                                \
	"{\"static\":{\"strings\":[{\"value\":\"result\"},"                    \
	"{\"value\":\"^a+$\"},{\"value\":\"aa\"},{\"value\":\"^b\"},"          \
	"{\"value\":\"a*\"},{\"value\":\"a.a\"},{\"value\":\"x\"}]},"
#define MATCHES(statements)                                                    \
	STRINGS "\"plans\":{\"plans\":[{\"name\":\"p\",\"blocks\":[{"          \
		"\"stmts\":[" statements "," MAKE_OBJECT(9) "," INSERT(        \
			9, STRING(0), LOCAL(8)) "," ADD(9) "]}]}]}}"
#define REGEX(pattern)                                                         \
	STMT("CallStmt", "\"func\":\"regex.match\",\"args\":[" pattern         \
			 "," STRING(2) "],\"result\":8")
#define GLOB(pattern, delimiters, text)                                        \
	STMT("CallStmt", "\"func\":\"glob.match\",\"args\":[" pattern          \
			 "," delimiters "," text "],\"result\":8")
#define ASSIGN(to, from)                                                       \
	STMT("AssignVarStmt", "\"source\":" from ",\"target\":" #to)
#define MAKE_ARRAY(n) STMT("MakeArrayStmt", "\"target\":" #n)
#define APPEND(n, value)                                                       \
	STMT("ArrayAppendStmt", "\"array\":" #n ",\"value\":" value)
#define BLOCK(statements)                                                      \
	STMT("BlockStmt", "\"blocks\":[{\"stmts\":[" statements "]}]")

static const char *const yes = "[{\"result\":true}]";
static const char *const no = "[{\"result\":false}]";

/* How many patterns of a plan are compiled when it is loaded, and its answer. */
static void compiles(const char *name, const char *text, int want_count,
		     const char *want)
{
	const struct bl_rego_policies *policies;
	struct bl_value plan;
	struct bl_error err = { 0 };
	struct bl_buf code;
	int count = 0;

	gives(name, text, want);
	bl_buf_init(&code, 0);
	if (!bl_json_read(&arena, bl_str(text), NULL, &plan, NULL, NULL,
			  &err) &&
	    !bl_rego_load_plan(&arena, plan, NULL, &policies, &err))
		bl_rego_disassemble(&code, policies);
	for (size_t at = 0;
	     (at = bl_str_find(bl_buf_str(&code),
			       BL_STR("CALL_BUILTIN_PATTERN"), at)) != SIZE_MAX;
	     at++)
		count++;
	if (count != want_count)
		TAP_NOTE("%s: %s", name, err.message);
	CHECK_INT(count, want_count);
	bl_buf_clear(&code);
}

static void check_patterns(void)
{
	compiles("a text", MATCHES(REGEX(STRING(1))), 1, yes);
	compiles("another text", MATCHES(REGEX(STRING(3))), 1, no);
	compiles("a local with a text",
		 MATCHES(ASSIGN(3, STRING(1)) "," ASSIGN(4, LOCAL(3)) "," REGEX(
			 LOCAL(4))),
		 1, yes);
	compiles("a local that is written twice",
		 MATCHES(ASSIGN(3, STRING(3)) "," ASSIGN(
			 3, STRING(1)) "," REGEX(LOCAL(3))),
		 0, yes);
	compiles("delimiters",
		 MATCHES(MAKE_ARRAY(3) "," APPEND(3, STRING(6)) "," GLOB(
			 STRING(4), LOCAL(3), STRING(5))),
		 1, yes);
	compiles("no delimiters",
		 MATCHES(STMT("MakeNullStmt", "\"target\":3") "," GLOB(
			 STRING(4), LOCAL(3), STRING(5))),
		 1, yes);
	compiles("an array that grows in a block",
		 MATCHES(MAKE_ARRAY(3) "," BLOCK(APPEND(3, STRING(6))) "," GLOB(
			 STRING(4), LOCAL(3), STRING(5))),
		 1, yes);
	/* Delimiters of [] are ["."]. */
	compiles("an array that grows in a block that may be left",
		 MATCHES(MAKE_ARRAY(3) "," BLOCK(
			 STMT("BreakStmt", "\"index\":0") "," APPEND(
				 3, STRING(6))) "," GLOB(STRING(4), LOCAL(3),
							 STRING(5))),
		 0, no);
	compiles(
		"an array of what may be undefined",
		MATCHES(BLOCK(STMT("BreakStmt", "\"index\":0") "," ASSIGN(5, STRING(6))) "," MAKE_ARRAY(
			3) "," BLOCK(APPEND(3, LOCAL(5))) "," GLOB(STRING(4),
								   LOCAL(3),
								   STRING(5))),
		0, no);
	compiles(
		"an array that grows under another name",
		MATCHES(MAKE_ARRAY(3) "," ASSIGN(4, LOCAL(3)) "," APPEND(
			4, STRING(6)) "," GLOB(STRING(4), LOCAL(3), STRING(5))),
		0, yes);
	compiles("an array that grows after its use",
		 MATCHES(MAKE_ARRAY(3) "," GLOB(
			 STRING(4), LOCAL(3), STRING(5)) "," APPEND(3,
								    STRING(6))),
		 0, no);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(check_growing);
	RUN(check_patterns);
	RUN(check_refused);
	RUN(check_limits);
	bl_arena_clear(&arena);
	return tap_end();
}

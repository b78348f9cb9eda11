/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of rego.h, with NULL too, and many threads at once. */
#include <rego.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

#define CHECK_TEXT(actual, expected)                                           \
	do {                                                                   \
		const char *text_a = (actual);                                 \
		const char *text_e = (expected);                               \
		CHECK_STR(bl_str(text_a ? text_a : "(null)"), text_e);         \
	} while (0)

static rego_error error = REGO_ERROR_INIT;

static const char authz[] = "package authz\n"
			    "default allow := false\n"
			    "allow if input.user in data.admins\n"
			    "names contains n if some n in data.admins\n";
static const char admins[] = "{\"admins\": [\"ann\", \"bob\"]}";

/* The compiler with one module, and data where it is not NULL. */
static rego_compiler *compiler_of(const char *text, const char *data,
				  uint32_t flags)
{
	rego_compiler_options options = REGO_COMPILER_OPTIONS_INIT;
	rego_compiler *compiler = NULL;

	options.flags = flags;
	CHECK_INT(rego_compiler_new(&options, &compiler, &error), REGO_OK);
	CHECK_INT(rego_compiler_add_module(compiler, "m.rego", text,
					   strlen(text), &error),
		  REGO_OK);
	if (data)
		CHECK_INT(rego_compiler_add_data(compiler, data, strlen(data),
						 &error),
			  REGO_OK);
	return compiler;
}

static rego_policies *compile(const char *text, const char *data,
			      uint32_t flags)
{
	rego_compiler *compiler = compiler_of(text, data, flags);
	rego_policies *policies = NULL;

	CHECK_INT(rego_compile(compiler, &policies, NULL, &error), REGO_OK);
	rego_compiler_free(compiler);
	return policies;
}

static rego_query *ask(const rego_policies *policies, const char *text)
{
	rego_query *query = NULL;

	CHECK_INT(rego_query_new(policies, text, &query, NULL, &error),
		  REGO_OK);
	return query;
}

/* The status of one run; its result, when there is one. */
static rego_status run(const rego_policies *policies, const char *text,
		       const rego_run_options *options, const char *input,
		       rego_result **out_result)
{
	rego_query *query = ask(policies, text);
	rego_status status =
		rego_query_run(query, options, input, input ? strlen(input) : 0,
			       out_result, &error);

	rego_query_free(query);
	return status;
}

/* ---- asking -------------------------------------------------------------- */

static void values(void)
{
	rego_policies *policies = compile(authz, admins, 0);
	rego_result *result = NULL;

	CHECK_INT(run(policies, "data.authz.allow", NULL, "{\"user\": \"ann\"}",
		      &result),
		  REGO_OK);
	CHECK_TEXT(rego_result_value(result), "true");
	CHECK_INT(rego_result_is_true(result), 1);
	CHECK_TEXT(rego_result_solutions(result),
		   "[{\"expressions\":[true],\"bindings\":{}}]");
	CHECK(!rego_result_explanation(result));
	rego_result_free(result);
	CHECK_INT(run(policies, "data.authz.allow", NULL, NULL, &result),
		  REGO_OK);
	CHECK_TEXT(rego_result_value(result), "false");
	rego_result_free(result);
	CHECK_INT(run(policies, "data.authz.names", NULL, NULL, &result),
		  REGO_OK);
	CHECK_TEXT(rego_result_value(result), "[\"ann\",\"bob\"]");
	rego_result_free(result);
	CHECK_INT(run(policies, "data.admins[i] == input", NULL, "\"bob\"",
		      &result),
		  REGO_OK);
	CHECK_TEXT(rego_result_solutions(result),
		   "[{\"expressions\":[true],\"bindings\":{\"i\":1}}]");
	rego_result_free(result);
	CHECK_INT(run(policies, "data.nothing", NULL, NULL, &result), REGO_OK);
	CHECK(!rego_result_value(result));
	CHECK_INT(rego_result_is_true(result), 0);
	CHECK_TEXT(rego_result_solutions(result), "[]");
	rego_result_free(result);
	rego_policies_free(policies);
}

/* A query keeps its policies. */
static void lifetimes(void)
{
	rego_policies *policies = compile(authz, admins, 0);
	rego_policies *other = NULL;
	rego_query *query;
	rego_result *result = NULL;

	CHECK_INT(rego_policies_with_data(policies, "{\"admins\": [\"eve\"]}",
					  19, &other, &error),
		  REGO_OK);
	rego_policies_free(policies);
	query = ask(other, "data.authz.allow");
	rego_policies_free(other);
	CHECK_INT(rego_query_run(query, NULL, "{\"user\":\"eve\"}", 14, &result,
				 &error),
		  REGO_OK);
	CHECK_TEXT(rego_result_value(result), "true");
	rego_result_free(result);
	rego_query_free(query);
}

/* ---- errors -------------------------------------------------------------- */

static void errors(void)
{
	rego_compiler *compiler =
		compiler_of("package p\nallow if x\n", NULL, 0);
	rego_policies *policies = NULL;
	rego_query *query = NULL;
	rego_text *text = NULL;

	CHECK_INT(rego_compile(compiler, &policies, &text, &error),
		  REGO_INVALID);
	CHECK(!policies);
	CHECK_TEXT(error.message, "m.rego:2:10: rego_unsafe_var_error: var x "
				  "is unsafe");
	CHECK_INT(error.status, REGO_INVALID);
	CHECK(strstr(rego_text_data(text), "\"code\": "
					   "\"rego_unsafe_var_error\""));
	CHECK_INT(rego_text_size(text), strlen(rego_text_data(text)));
	rego_text_free(text);
	CHECK_INT(rego_compile(compiler, &policies, NULL, &error), REGO_USAGE);
	CHECK_TEXT(error.message, "the compiler has compiled already");
	rego_compiler_free(compiler);

	compiler = compiler_of(authz, admins, 0);
	CHECK_INT(rego_compiler_add_data(compiler, "[]", 2, &error),
		  REGO_INVALID);
	CHECK_TEXT(error.message, "the data: it is not a JSON object");
	CHECK_INT(rego_compiler_add_data(compiler, "{", 1, &error),
		  REGO_SYNTAX);
	CHECK_INT(
		rego_compiler_add_data(compiler, "{\"admins\": 1}", 13, &error),
		REGO_INVALID);
	CHECK_INT(rego_compile(compiler, &policies, &text, &error), REGO_OK);
	CHECK(!text);
	rego_compiler_free(compiler);
	CHECK_INT(rego_query_new(policies, "data.authz.allow ==", &query, &text,
				 &error),
		  REGO_SYNTAX);
	CHECK(!query && text);
	rego_text_free(text);
	rego_policies_free(policies);
}

static void failures(void)
{
	rego_policies *policies =
		compile("package p\nv := 1 if input.a\nv := 2 if input.b\n"
			"w := to_number(input.t)\n"
			"s contains n if some n in numbers.range(1, 1000000)\n",
			NULL, 0);
	rego_run_options options = REGO_RUN_OPTIONS_INIT;
	rego_result *result = NULL;
	int32_t cancelled = 1;

	CHECK_INT(run(policies, "data.p.v", NULL, "{\"a\": true, \"b\": true}",
		      &result),
		  REGO_INVALID);
	CHECK(strstr(error.message, "eval_conflict_error"));
	CHECK_INT(run(policies, "data.p.w", NULL, "{\"t\": \"x\"}", &result),
		  REGO_OK);
	CHECK(!rego_result_value(result));
	rego_result_free(result);
	result = NULL;
	options.flags = REGO_STRICT_ERRORS;
	CHECK_INT(
		run(policies, "data.p.w", &options, "{\"t\": \"x\"}", &result),
		REGO_INVALID);
	CHECK(strstr(error.message, "eval_builtin_error"));
	options.flags = 0;
	options.max_steps = 100;
	CHECK_INT(run(policies, "data.p.s", &options, NULL, &result),
		  REGO_LIMIT);
	options.max_steps = 0;
	options.max_bytes = 100000;
	CHECK_INT(run(policies, "data.p.s", &options, NULL, &result),
		  REGO_LIMIT);
	options.max_bytes = 0;
	options.cancelled = &cancelled;
	CHECK_INT(run(policies, "data.p.s", &options, NULL, &result),
		  REGO_TIMEOUT);
	options.cancelled = NULL;
	options.timeout_ms = 1;
	CHECK_INT(run(policies, "data.p.s", &options, NULL, &result),
		  REGO_TIMEOUT);
	CHECK_INT(run(policies, "data.p.s", NULL, "{", &result), REGO_SYNTAX);
	options.timeout_ms = 0;
	options.flags = REGO_EXPLAIN;
	CHECK_INT(run(policies, "data.p.s", &options, NULL, &result),
		  REGO_USAGE);
	CHECK(!result);
	rego_policies_free(policies);
}

/* ---- functions of ours --------------------------------------------------- */

static rego_status join(void *context, rego_call *call)
{
	char text[64];

	if (strcmp(rego_call_operand(call, 0), "\"bad\"") == 0) {
		rego_call_fail(call, "not that one");
		return REGO_INVALID;
	}
	CHECK_INT(rego_call_count(call), 2);
	CHECK(!rego_call_operand(call, 2));
	snprintf(text, sizeof(text), "[%s,%s,\"%s\"]",
		 rego_call_operand(call, 0), rego_call_operand(call, 1),
		 (const char *)context);
	CHECK_INT(rego_call_return(call, "[", 1), REGO_SYNTAX);
	return rego_call_return(call, text, strlen(text));
}

static void functions(void)
{
	char name[] = "ctx";
	rego_function function = REGO_FUNCTION_INIT;
	rego_run_options options = REGO_RUN_OPTIONS_INIT;
	rego_compiler *compiler = compiler_of(
		"package p\nv := acme.join(input, {1, 2})\n", NULL, 0);
	rego_policies *policies = NULL;
	rego_result *result = NULL;
	rego_text *image = NULL;

	function.name = "acme.join";
	function.call = join;
	function.context = name;
	CHECK_INT(rego_compiler_add_function(compiler, &function, &error),
		  REGO_USAGE);
	function.declaration =
		"{\"type\":\"function\",\"args\":[{\"type\":\"string\"},"
		"{\"type\":\"any\"}],\"result\":{\"type\":\"any\"}}";
	CHECK_INT(rego_compiler_add_function(compiler, &function, &error),
		  REGO_OK);
	CHECK_INT(rego_compile(compiler, &policies, NULL, &error), REGO_OK);
	rego_compiler_free(compiler);
	CHECK_INT(run(policies, "data.p.v", NULL, "\"a\"", &result), REGO_OK);
	CHECK_TEXT(rego_result_value(result), "[\"a\",[1,2],\"ctx\"]");
	rego_result_free(result);
	CHECK_INT(run(policies, "data.p.v", NULL, "\"bad\"", &result), REGO_OK);
	CHECK(!rego_result_value(result));
	rego_result_free(result);
	options.flags = REGO_STRICT_ERRORS;
	CHECK_INT(run(policies, "data.p.v", &options, "\"bad\"", &result),
		  REGO_INVALID);
	CHECK(strstr(error.message, "acme.join: not that one"));
	CHECK_INT(rego_policies_image(policies, &image, &error),
		  REGO_UNSUPPORTED);
	rego_policies_free(policies);
}

/* ---- images and bundles -------------------------------------------------- */

static void images(void)
{
	rego_policies *policies = compile(authz, admins, 0);
	rego_policies *opened = NULL;
	rego_text *image = NULL;
	rego_result *result = NULL;

	CHECK_INT(rego_policies_image(policies, &image, &error), REGO_OK);
	rego_policies_free(policies);
	CHECK_INT(rego_policies_open(rego_text_data(image),
				     rego_text_size(image), &opened, &error),
		  REGO_OK);
	CHECK_INT(run(opened, "data.authz.allow", NULL, "{\"user\": \"bob\"}",
		      &result),
		  REGO_OK);
	CHECK_TEXT(rego_result_value(result), "true");
	rego_result_free(result);
	CHECK_INT(run(opened, "x := data.authz.names", NULL, NULL, &result),
		  REGO_OK);
	CHECK_TEXT(rego_result_solutions(result),
		   "[{\"expressions\":[true],\"bindings\":{\"x\":[\"ann\","
		   "\"bob\"]}}]");
	rego_result_free(result);
	rego_policies_free(opened);
	opened = NULL;
	CHECK_INT(rego_policies_open(rego_text_data(image),
				     rego_text_size(image) / 2, &opened,
				     &error),
		  REGO_INVALID);
	CHECK(!opened);
	rego_text_free(image);
}

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	REQUIRE(file);
	fputs(text, file);
	fclose(file);
}

static void bundles(void)
{
	char folder[] = "/tmp/rego-bundle-XXXXXX";
	char command[64];
	rego_compiler *compiler = NULL;
	rego_policies *policies = NULL;
	rego_result *result = NULL;

	REQUIRE(mkdtemp(folder));
	put_file(folder, "authz.rego", authz);
	put_file(folder, "data.json", admins);
	CHECK_INT(rego_compiler_new(NULL, &compiler, &error), REGO_OK);
	CHECK_INT(rego_compiler_add_bundle(compiler, folder, &error), REGO_OK);
	CHECK_INT(rego_compiler_add_bundle(compiler, "/nonexistent", &error),
		  REGO_NOT_FOUND);
	CHECK_INT(rego_compile(compiler, &policies, NULL, &error), REGO_OK);
	rego_compiler_free(compiler);
	CHECK_INT(run(policies, "data.authz.names", NULL, NULL, &result),
		  REGO_OK);
	CHECK_TEXT(rego_result_value(result), "[\"ann\",\"bob\"]");
	rego_result_free(result);
	rego_policies_free(policies);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_INT(system(command), 0);
}

/* ---- options ------------------------------------------------------------- */

static void take_print(void *context, const char *text, size_t size)
{
	snprintf(context, 64, "%.*s", (int)size, text);
}

static void observed(void)
{
	rego_policies *policies =
		compile("package p\nallow if {\n\tprint(\"saw\", input)\n"
			"\tinput == 1\n}\n",
			NULL, REGO_KEEP_PRINT | REGO_EXPLAINABLE);
	rego_run_options options = REGO_RUN_OPTIONS_INIT;
	rego_result *result = NULL;
	char printed[64] = "";

	options.flags = REGO_EXPLAIN;
	options.print = take_print;
	options.print_context = printed;
	CHECK_INT(run(policies, "data.p.allow", &options, "1", &result),
		  REGO_OK);
	CHECK_TEXT(printed, "saw 1");
	CHECK_TEXT(rego_result_value(result), "true");
	CHECK(rego_result_explanation(result) &&
	      strstr(rego_result_explanation(result), "data.p.allow"));
	rego_result_free(result);
	rego_policies_free(policies);
}

static void compiler_options(void)
{
	rego_compiler_options options = REGO_COMPILER_OPTIONS_INIT;
	rego_compiler *compiler = NULL;
	rego_policies *policies = NULL;
	static const char counting[] = "package p\nn := count([1])\n";

	options.capabilities =
		"{\"builtins\": [], \"features\": [\"rego_v1\"]}";
	CHECK_INT(rego_compiler_new(&options, &compiler, &error), REGO_OK);
	rego_compiler_add_module(compiler, "p.rego", counting, strlen(counting),
				 &error);
	CHECK_INT(rego_compile(compiler, &policies, NULL, &error),
		  REGO_INVALID);
	CHECK(strstr(error.message, "undefined function count"));
	rego_compiler_free(compiler);
	options.capabilities = "[]";
	CHECK_INT(rego_compiler_new(&options, &compiler, &error), REGO_INVALID);
	options.capabilities = NULL;
	options.max_bytes = 1000;
	CHECK_INT(rego_compiler_new(&options, &compiler, &error), REGO_OK);
	CHECK_INT(rego_compiler_add_module(compiler, "p.rego", authz, 65536,
					   &error) == REGO_OK,
		  0);
	rego_compiler_free(compiler);
	compiler = compiler_of("package p\np[x] { x := 1 }\n", NULL, REGO_V0);
	CHECK_INT(rego_compile(compiler, &policies, NULL, &error), REGO_OK);
	rego_compiler_free(compiler);
	rego_policies_free(policies);
	compiler =
		compiler_of("package p\nq if { x := 1 }\n", NULL, REGO_STRICT);
	CHECK_INT(rego_compile(compiler, &policies, NULL, &error),
		  REGO_INVALID);
	rego_compiler_free(compiler);
}

/* ---- texts --------------------------------------------------------------- */

static void sources(void)
{
	static const char ugly[] = "package p\nallow   if input.x==1";
	rego_text *text = NULL;

	CHECK_INT(rego_format("p.rego", ugly, strlen(ugly), 0, &text, &error),
		  REGO_OK);
	CHECK_TEXT(rego_text_data(text), "package p\n\nallow if input.x == "
					 "1\n");
	rego_text_free(text);
	text = NULL;
	CHECK_INT(rego_parse("p.rego", ugly, strlen(ugly), 0, &text, &error),
		  REGO_OK);
	CHECK(strstr(rego_text_data(text), "\"rules\""));
	rego_text_free(text);
	text = NULL;
	CHECK_INT(rego_format("p.rego", "package", 7, 0, &text, &error),
		  REGO_SYNTAX);
	CHECK(!strncmp(error.message, "p.rego:1:", 9));
	CHECK(!text);
	CHECK_TEXT(rego_version(), BELAY_VERSION);
}

/* ---- NULL ---------------------------------------------------------------- */

static void nulls(void)
{
	rego_text *text = NULL;

	CHECK_INT(rego_compiler_new(NULL, NULL, NULL), REGO_USAGE);
	CHECK_INT(rego_compiler_add_module(NULL, "", "", 0, NULL), REGO_USAGE);
	CHECK_INT(rego_compiler_add_data(NULL, "{}", 2, NULL), REGO_USAGE);
	CHECK_INT(rego_compiler_add_bundle(NULL, "", NULL), REGO_USAGE);
	CHECK_INT(rego_compiler_add_function(NULL, NULL, NULL), REGO_USAGE);
	CHECK_INT(rego_compile(NULL, NULL, NULL, NULL), REGO_USAGE);
	CHECK_INT(rego_policies_with_data(NULL, "{}", 2, NULL, NULL),
		  REGO_USAGE);
	CHECK_INT(rego_policies_image(NULL, &text, NULL), REGO_USAGE);
	CHECK_INT(rego_policies_open(NULL, 0, NULL, NULL), REGO_USAGE);
	CHECK_INT(rego_query_new(NULL, "1", NULL, NULL, NULL), REGO_USAGE);
	CHECK_INT(rego_query_run(NULL, NULL, NULL, 0, NULL, NULL), REGO_USAGE);
	CHECK_INT(rego_query_run_items(NULL, NULL, NULL, 0, NULL, NULL),
		  REGO_USAGE);
	CHECK_INT(rego_query_ask(NULL, NULL, NULL, 0, NULL, NULL), REGO_USAGE);
	CHECK_INT(rego_format(NULL, "", 0, 0, &text, NULL), REGO_USAGE);
	CHECK_INT(rego_parse("", "", 0, 0, NULL, NULL), REGO_USAGE);
	CHECK_INT(rego_call_return(NULL, "1", 1), REGO_USAGE);
	CHECK(!rego_result_value(NULL) && !rego_result_solutions(NULL) &&
	      !rego_result_explanation(NULL) && !rego_text_data(NULL) &&
	      !rego_call_operand(NULL, 0));
	CHECK_INT(rego_result_is_true(NULL) + (int)rego_text_size(NULL) +
			  (int)rego_call_count(NULL),
		  0);
	rego_call_fail(NULL, NULL);
	rego_compiler_free(NULL);
	rego_policies_free(NULL);
	rego_query_free(NULL);
	rego_result_free(NULL);
	rego_text_free(NULL);
}

/* ---- threads ------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 200 };

static void *ask_often(void *context)
{
	const rego_query *query = context;
	intptr_t wrong = 0;

	for (int i = 0; i < ROUNDS; i++) {
		rego_result *result = NULL;
		const char *input =
			i % 2 ? "{\"user\": \"ann\"}" : "{\"user\": \"eve\"}";

		wrong += rego_query_run(query, NULL, input, strlen(input),
					&result, NULL) != REGO_OK ||
			 rego_result_is_true(result) != i % 2;
		rego_result_free(result);
	}
	return (void *)wrong;
}

static void threads(void)
{
	rego_policies *policies = compile(authz, admins, 0);
	rego_query *query = ask(policies, "data.authz.allow == true");
	pthread_t ids[THREADS];
	void *wrong;

	for (int i = 0; i < THREADS; i++)
		CHECK_INT(pthread_create(&ids[i], NULL, ask_often, query), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(ids[i], &wrong);
		CHECK(!wrong);
	}
	rego_query_free(query);
	rego_policies_free(policies);
}

int main(void)
{
	RUN(values);
	RUN(lifetimes);
	RUN(errors);
	RUN(failures);
	RUN(functions);
	RUN(images);
	RUN(bundles);
	RUN(observed);
	RUN(compiler_options);
	RUN(sources);
	RUN(nulls);
	RUN(threads);
	return tap_end();
}

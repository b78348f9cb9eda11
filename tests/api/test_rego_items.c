/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of rego.h as items: right ones, and whatever a host may get wrong. */
#include <rego.h>

#include <string.h>

#include "tap.h"

#define CHECK_TEXT(actual, expected)                                           \
	do {                                                                   \
		const char *text_a = (actual);                                 \
		CHECK_STR(bl_str(text_a ? text_a : "(null)"), (expected));     \
	} while (0)

static rego_error error = REGO_ERROR_INIT;

static rego_policies *compile(const char *text)
{
	rego_compiler *compiler = NULL;
	rego_policies *policies = NULL;

	CHECK_INT(rego_compiler_new(NULL, &compiler, &error), REGO_OK);
	CHECK_INT(rego_compiler_add_module(compiler, "m.rego", text,
					   strlen(text), &error),
		  REGO_OK);
	CHECK_INT(rego_compile(compiler, &policies, NULL, &error), REGO_OK);
	rego_compiler_free(compiler);
	return policies;
}

static rego_query *query_of(const rego_policies *policies, const char *text)
{
	rego_query *query = NULL;

	CHECK_INT(rego_query_new(policies, text, &query, NULL, &error),
		  REGO_OK);
	return query;
}

#define TEXT(string)                                                           \
	{                                                                      \
		REGO_TEXT, sizeof(string) - 1,                                 \
		{                                                              \
			.text = (string)                                       \
		}                                                              \
	}
#define SPELLED(string)                                                        \
	{                                                                      \
		REGO_NUMBER, sizeof(string) - 1,                               \
		{                                                              \
			.text = (string)                                       \
		}                                                              \
	}
#define INTEGER(number)                                                        \
	{                                                                      \
		REGO_INTEGER, 0,                                               \
		{                                                              \
			.integer = (number)                                    \
		}                                                              \
	}
#define OF(kind, count)                                                        \
	{                                                                      \
		(kind), (count),                                               \
		{                                                              \
			.integer = 0                                           \
		}                                                              \
	}
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Asks the query `input`: the value as JSON, or the status and its message. */
static void check_items(const rego_query *query, const rego_item *items,
			size_t count, rego_status status, const char *expected)
{
	rego_result *result = NULL;
	int32_t is_true = -1;

	CHECK_INT(rego_query_run_items(query, NULL, items, count, &result,
				       &error),
		  status);
	CHECK_TEXT(status ? error.message : rego_result_value(result),
		   expected);
	rego_result_free(result);
	CHECK_INT(rego_query_ask(query, NULL, items, count, &is_true, &error),
		  status);
	CHECK_INT(is_true, status ? -1 : !strcmp(expected, "true"));
}

static void items(void)
{
	static const rego_item whole[] = {
		OF(REGO_OBJECT, 3), TEXT("a"),
		OF(REGO_ARRAY, 4),  INTEGER(-7),
		SPELLED("1.50"),    TEXT("caf\xC3\xA9 \"\n"),
		OF(REGO_NULL, 0),   TEXT("a long key"),
		OF(REGO_OBJECT, 0), TEXT(""),
		OF(REGO_ARRAY, 0),
	};
	static const rego_item yes[] = {
		{ REGO_BOOLEAN, 0, { .integer = 1 } }
	};
	static const rego_item twice[] = { OF(REGO_OBJECT, 2), TEXT("a"),
					   INTEGER(1), TEXT("a"), INTEGER(2) };
	rego_policies *policies = compile("package p\n");
	rego_query *query = query_of(policies, "input");

	check_items(query, whole, COUNT(whole), REGO_OK,
		    "{\"a\":[-7,1.50,\"caf\xC3\xA9 \\\"\\n\",null],"
		    "\"a long key\":{},\"\":[]}");
	check_items(query, yes, 1, REGO_OK, "true");
	check_items(query, twice, COUNT(twice), REGO_OK, "{\"a\":2}");
	check_items(query, NULL, 0, REGO_OK, "(null)");
	rego_query_free(query);
	rego_policies_free(policies);
}

static const struct {
	const char *expected;
	rego_status status;
	uint32_t count;
	rego_item items[3];
} wrong_rows[] = {
	{ "the input: the items end within a value",
	  REGO_SYNTAX,
	  0,
	  { INTEGER(1) } },
	{ "the input: the items end within a value",
	  REGO_SYNTAX,
	  2,
	  { OF(REGO_ARRAY, 2), INTEGER(1) } },
	{ "the input: the items end within a value",
	  REGO_SYNTAX,
	  2,
	  { OF(REGO_OBJECT, UINT32_MAX), TEXT("a") } },
	{ "the input: the items end within a value",
	  REGO_SYNTAX,
	  3,
	  { OF(REGO_ARRAY, 2), OF(REGO_ARRAY, 1), INTEGER(1) } },
	{ "the input: there are items behind the value",
	  REGO_SYNTAX,
	  2,
	  { INTEGER(1), INTEGER(2) } },
	{ "the input: a key is not a text",
	  REGO_SYNTAX,
	  3,
	  { OF(REGO_OBJECT, 1), INTEGER(1), INTEGER(2) } },
	{ "the input: a text is not UTF-8",
	  REGO_SYNTAX,
	  1,
	  { TEXT("\xC0\xAF") } },
	{ "the input: a text is not UTF-8",
	  REGO_SYNTAX,
	  3,
	  { OF(REGO_OBJECT, 1), TEXT("a\xFF"), INTEGER(2) } },
	{ "the input: a text is not UTF-8",
	  REGO_SYNTAX,
	  1,
	  { { REGO_TEXT, 1, { .text = NULL } } } },
	{ "the input: a number is not as JSON spells it",
	  REGO_SYNTAX,
	  1,
	  { SPELLED("0x10") } },
	{ "the input: a number is too large",
	  REGO_LIMIT,
	  1,
	  { SPELLED("1e99999999") } },
	{ "the input: an item has no kind", REGO_SYNTAX, 1, { OF(7, 0) } },
};

static void wrong_items(void)
{
	static rego_item deep[600];
	rego_policies *policies = compile("package p\n");
	rego_query *query = query_of(policies, "input");

	for (size_t i = 0; i < COUNT(wrong_rows); i++)
		check_items(query, wrong_rows[i].items, wrong_rows[i].count,
			    wrong_rows[i].status, wrong_rows[i].expected);
	for (size_t i = 0; i < COUNT(deep); i++)
		deep[i] = (rego_item)OF(REGO_ARRAY, i + 1 < COUNT(deep));
	check_items(query, deep, COUNT(deep), REGO_LIMIT,
		    "the input: it is too deep");
	rego_query_free(query);
	rego_policies_free(policies);
}

/* Whatever went in as items comes out as such, and what only Rego has. */
static void made_items(void)
{
	static const char *const texts[] = {
		"null",
		"[true,false,-7,9007199254740993,1.50,1e400,\"\\u00e9\"]",
		"{\"a\":{\"b\":[[],{}]},\"\":\"x\"}",
	};
	rego_policies *policies =
		compile("package p\nodd := {{1, \"a\"}: {3, 2}, 4: null}\n");
	rego_query *query = query_of(policies, "input");
	const rego_item *made;
	rego_result *result = NULL;
	size_t count = 0;

	for (size_t i = 0; i < COUNT(texts); i++) {
		CHECK_INT(rego_query_run(query, NULL, texts[i],
					 strlen(texts[i]), &result, &error),
			  REGO_OK);
		CHECK_INT(rego_result_items(result, &made, &count, &error),
			  REGO_OK);
		check_items(query, made, count, REGO_OK,
			    rego_result_value(result));
		rego_result_free(result);
	}
	CHECK_INT(rego_query_run(query, NULL, NULL, 0, &result, &error),
		  REGO_OK);
	CHECK_INT(rego_result_items(result, &made, &count, &error), REGO_OK);
	CHECK(!made && !count);
	rego_result_free(result);
	rego_query_free(query);
	query = query_of(policies, "data.p.odd");
	CHECK_INT(rego_query_run(query, NULL, NULL, 0, &result, &error),
		  REGO_OK);
	CHECK_INT(rego_result_items(result, &made, &count, &error), REGO_OK);
	rego_query_free(query);
	query = query_of(policies, "input");
	check_items(query, made, count, REGO_OK, rego_result_value(result));
	rego_result_free(result);
	rego_query_free(query);
	rego_policies_free(policies);
}

/* A policy can put 512 levels of its own around an input of 512. */
static void deep_items(void)
{
	enum { DEEP = 512 };
	rego_policies *policies = compile("package p\nit := [input]\n");
	rego_query *query = query_of(policies, "data.p.it");
	char text[2 * DEEP];
	const rego_item *made = NULL;
	rego_result *result = NULL;
	size_t count = 7;

	memset(text, '[', DEEP);
	memset(text + DEEP, ']', DEEP);
	CHECK_INT(rego_query_run(query, NULL, text, sizeof(text), &result,
				 &error),
		  REGO_OK);
	CHECK_INT(rego_result_items(result, &made, &count, &error), REGO_LIMIT);
	CHECK_TEXT(error.message, "the value is too deep");
	CHECK(!made && !count);
	rego_result_free(result);
	rego_query_free(query);
	rego_policies_free(policies);
	CHECK_INT(rego_result_items(NULL, &made, &count, NULL), REGO_USAGE);
}

/* The options of a run hold for items, too, and what does not fit the stack. */
static void asked(void)
{
	enum { MANY = 5000 };
	static rego_item many[MANY + 1] = { OF(REGO_ARRAY, MANY) };
	rego_policies *policies =
		compile("package p\nlast if input[4999] == 4999\n"
			"endless if { some x in input; some y in input; x + y "
			"== -1 }\n");
	rego_query *query = query_of(policies, "data.p.last");
	rego_run_options options = REGO_RUN_OPTIONS_INIT;
	int32_t is_true = 0;

	for (int i = 0; i < MANY; i++)
		many[i + 1] = (rego_item)INTEGER(i);
	CHECK_INT(rego_query_ask(query, NULL, many, MANY + 1, &is_true, &error),
		  REGO_OK);
	CHECK_INT(is_true, 1);
	options.max_bytes = 10000;
	CHECK_INT(rego_query_ask(query, &options, many, MANY + 1, &is_true,
				 &error),
		  REGO_LIMIT);
	rego_query_free(query);
	query = query_of(policies, "data.p.endless");
	options.max_bytes = 0;
	options.max_steps = 1000;
	CHECK_INT(rego_query_ask(query, &options, many, MANY + 1, &is_true,
				 &error),
		  REGO_LIMIT);
	rego_query_free(query);
	rego_policies_free(policies);
}

int main(void)
{
	RUN(items);
	RUN(wrong_items);
	RUN(made_items);
	RUN(deep_items);
	RUN(asked);
	return tap_end();
}

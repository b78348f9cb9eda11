/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of texts with comments.  Expected texts are written by hand; and what
 * append makes, remove takes away, byte for byte.
 */
#include "tap.h"

#include "setup/jsonc.h"

static struct bl_arena arena;

static struct jsonc_node *parse(struct bl_str text)
{
	struct jsonc_node *root = NULL;
	struct bl_place place;
	struct bl_error err;

	if (bl_jsonc_parse(&arena, text, &root, &place, &err))
		TAP_NOTE("%.*s: %s", BL_STR_ARG(text), err.message);
	return root;
}

static struct bl_value read_json(const char *text)
{
	struct bl_value value = bl_value_undefined();

	bl_json_read(&arena, bl_str(text), NULL, &value, NULL, NULL, NULL);
	return value;
}

/* The value below root at "a.b.0". */
static struct jsonc_node *find(struct jsonc_node *node, const char *path)
{
	while (node && *path) {
		size_t len = strcspn(path, ".");
		char name[32] = "";

		memcpy(name, path, len < sizeof(name) ? len : 0);
		if (node->kind == BL_KIND_ARRAY) {
			size_t i = (size_t)(name[0] - '0');

			for (node = node->first; node && i; i--)
				node = node->next;
		} else {
			node = bl_jsonc_find(node, name);
		}
		path += len + (path[len] == '.');
	}
	return node;
}

/* ---- append, and remove as its reverse ---------------------------------- */

static const struct {
	const char *text;
	const char *path; /* of the container */
	const char *key;  /* of the child; NULL: an item */
	const char *value;
	const char *expected;
	const char *child; /* the path of the new child */
} append_rows[] = {
	{ "{}\n", "", "a", "1", "{\n  \"a\": 1\n}\n", "a" },
	{ "[]", "", NULL, "1", "[\n  1\n]", "0" },
	{ "[1, 2]", "", NULL, "3", "[1, 2, 3]", "2" },
	{ "{\"a\":[{\"b\":1}]}", "a", NULL, "{\"c\":2}",
	  "{\"a\":[{\"b\":1}, {\"c\":2}]}", "a.1" },
	{ "{\n\t\"a\": [\n\t\t1\n\t]\n}\n", "a", NULL, "{\"b\":[2]}",
	  "{\n\t\"a\": [\n\t\t1,\n\t\t{\n\t\t\t\"b\": [\n\t\t\t\t2\n\t\t\t]\n"
	  "\t\t}\n\t]\n}\n",
	  "a.1" },
	{ "{\n    \"a\": []\n}\n", "a", NULL, "1",
	  "{\n    \"a\": [\n        1\n    ]\n}\n", "a.0" },
	{ "{\n    \"a\": 1 // one\n}\n", "", "b", "2",
	  "{\n    \"a\": 1, // one\n    \"b\": 2\n}\n", "b" },
	{ "{\n  \"a\": 1 /* one */\n  // the end\n}\n", "", "b", "2",
	  "{\n  \"a\": 1, /* one */\n  // the end\n  \"b\": 2\n}\n", "b" },
	{ "{\r\n  \"a\": 1\r\n}\r\n", "", "b", "[1]",
	  "{\r\n  \"a\": 1,\r\n  \"b\": [\r\n    1\r\n  ]\r\n}\r\n", "b" },
	{ "\xEF\xBB\xBF{\n  \"a\": \"x,]}\\\"//\"\n}", "", "b", "1",
	  "\xEF\xBB\xBF{\n  \"a\": \"x,]}\\\"//\",\n  \"b\": 1\n}", "b" },
	{ "// head\n{ // open\n}\n", "", "a", "1",
	  "// head\n{ // open\n  \"a\": 1\n}\n", "a" },
	{ "{\"a\": {\n  \"b\": []}}", "a", "c", "1",
	  "{\"a\": {\n  \"b\": [],\n  \"c\": 1}}", NULL },
};

static void children_are_appended(void)
{
	for (size_t i = 0; i < BL_COUNT(append_rows); i++) {
		struct bl_str text = bl_str(append_rows[i].text);
		struct jsonc_node *root = parse(text);
		struct bl_str got;
		struct jsonc_node *child;

		REQUIRE(root);
		got = bl_jsonc_append(
			&arena, text, find(root, append_rows[i].path),
			append_rows[i].key, read_json(append_rows[i].value));
		CHECK_STR(got, append_rows[i].expected);
		root = parse(got);
		REQUIRE(root);
		if (!append_rows[i].child)
			continue;
		child = find(root, append_rows[i].child);
		REQUIRE(child);
		CHECK(bl_value_equal(child->value,
				     read_json(append_rows[i].value)));
	}
}

static void what_was_appended_is_removed(void)
{
	for (size_t i = 0; i < BL_COUNT(append_rows); i++) {
		struct bl_str text = bl_str(append_rows[i].expected);
		struct jsonc_node *root = parse(text);

		/* an empty array goes with its only item: another test */
		if (!append_rows[i].child ||
		    !strcmp(append_rows[i].child, "a.0"))
			continue;
		CHECK_STR(bl_jsonc_remove(&arena, text,
					  find(root, append_rows[i].child)),
			  append_rows[i].text);
	}
}

/* ---- remove ------------------------------------------------------------- */

static void nodes_are_removed(void)
{
	static const struct {
		const char *text;
		const char *path;
		const char *expected;
	} rows[] = {
		{ "[1, 2, 3]", "0", "[2, 3]" },
		{ "[1, 2, 3]", "1", "[1, 3]" },
		{ "[1, 2, 3]", "2", "[1, 2]" },
		{ "[1 /* a */, 2]", "1", "[1 /* a */]" },
		{ "[\n  1, // one\n  2 // two\n]", "1",
		  "[\n  1 // one\n   // two\n]" },
		{ "[\n  1, // one\n  2 ]", "1", "[\n  1 // one\n   ]" },
		{ "{\n  \"a\": 1,\n  \"b\": 2\n}", "a", "{\n  \"b\": 2\n}" },
		/* empty containers go, too */
		{ "{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  },\n  \"c\": "
		  "2\n}",
		  "a.b.0", "{\n  \"c\": 2\n}" },
		{ "{\"a\":{\"b\":[1]}}", "a.b.0", "{}" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct jsonc_node *root = parse(bl_str(rows[i].text));
		struct bl_str got;

		REQUIRE(root && find(root, rows[i].path));
		got = bl_jsonc_remove(&arena, bl_str(rows[i].text),
				      find(root, rows[i].path));
		CHECK_STR(got, rows[i].expected);
		CHECK(parse(got) != NULL);
	}
}

static void values_are_replaced(void)
{
	struct bl_str text = BL_STR(
		"{\n  \"a\": 1, // one\n  \"b\": {\n    \"c\": 2\n  }\n}");
	struct jsonc_node *root = parse(text);

	REQUIRE(root);
	CHECK_STR(
		bl_jsonc_replace(&arena, text, find(root, "a"),
				 read_json("[2,3]")),
		"{\n  \"a\": [2,3], // one\n  \"b\": {\n    \"c\": 2\n  }\n}");
	CHECK_STR(bl_jsonc_replace(&arena, text, find(root, "b"),
				   read_json("{\"d\":3}")),
		  "{\n  \"a\": 1, // one\n  \"b\": {\n    \"d\": 3\n  }\n}");
}

/* ---- what is not touched ------------------------------------------------ */

static void unclear_texts_are_refused(void)
{
	static const struct {
		const char *text;
		enum bl_status status;
	} rows[] = {
		{ "", BL_SYNTAX },
		{ "{", BL_SYNTAX },
		{ "{\"a\":1,}", BL_SYNTAX },
		{ "{} {}", BL_SYNTAX },
		{ "{\"a\":1,\"a\":2}", BL_INVALID },
		{ "{\"a\":{\"b\":1,\"\\u0062\":2}}", BL_INVALID },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct jsonc_node *root = NULL;
		struct bl_place place;
		struct bl_error err;

		CHECK_STATUS(bl_jsonc_parse(&arena, bl_str(rows[i].text), &root,
					    &place, &err),
			     rows[i].status);
		CHECK(!root);
	}
}

static void keys_are_read_as_json(void)
{
	struct jsonc_node *root = parse(BL_STR("{\"\\u0061\":1,\"b\":2}"));

	REQUIRE(root);
	CHECK(bl_jsonc_find(root, "a") == root->first);
	CHECK(!bl_jsonc_find(root, "c"));
	CHECK(!bl_jsonc_find(root->first, "a"));
	CHECK(!bl_jsonc_find(NULL, "a"));
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(children_are_appended);
	RUN(what_was_appended_is_removed);
	RUN(nodes_are_removed);
	RUN(values_are_replaced);
	RUN(unclear_texts_are_refused);
	RUN(keys_are_read_as_json);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Expansion without running: the answers are bash 5.2's. */
#include "shell_test.h"

static struct bl_arena arena;

static const char *const table[][2] = {
	{ "x", "abc" },
	{ "e", "" },
	{ "blanks", " b  c " },
	{ "path", "/usr/lib/a.tar.gz" },
	{ "n", "5" },
	{ "m", "n*2" },
	{ "colons", "1:2::3:" },
	{ "r", "n" },
	{ "HOME", "/home/me" },
};

static enum bl_shell_state find(void *context, struct bl_str name,
				struct bl_str subscript, struct bl_str *out)
{
	const char *ifs = context;

	(void)subscript;
	if (ifs && bl_str_is(name, "IFS")) {
		*out = bl_str(ifs);
		return BL_SHELL_STATE_SET;
	}
	for (size_t i = 0; i < BL_COUNT(table); i++) {
		if (bl_str_is(name, table[i][0])) {
			*out = bl_str(table[i][1]);
			return BL_SHELL_STATE_SET;
		}
	}
	return bl_str_is(name, "unknown") ? BL_SHELL_STATE_UNKNOWN
					  : BL_SHELL_STATE_UNSET;
}

static enum bl_shell_state list(void *context, struct bl_str name,
				const struct bl_str **out_values,
				size_t *out_count)
{
	static const struct bl_str values[] = { { "a b", 3 }, { "c", 1 } };

	(void)context;
	if (!bl_str_is(name, "@"))
		return BL_SHELL_STATE_UNKNOWN;
	*out_values = values;
	*out_count = BL_COUNT(values);
	return BL_SHELL_STATE_SET;
}

static struct bl_str stored;

static bool set(void *context, struct bl_str name, struct bl_str subscript,
		struct bl_str value)
{
	(void)context;
	(void)subscript;
	stored = bl_arena_printf(&arena, "%.*s=%.*s", BL_STR_ARG(name),
				 BL_STR_ARG(value));
	return true;
}

/* The fields of the second word of `c WORD`, each in <>. */
static void check(const char *word, const char *expected, const char *ifs)
{
	struct bl_shell_variables variables = { .find = find, .list = list };
	const char *const answers[] = { "", "UNKNOWN", "FAILS", "EXCEEDS" };
	struct bl_shell_field *field = NULL;
	struct bl_shell_script *script;
	enum bl_shell_answer answer;
	struct bl_buf out;
	struct bl_str text;

	bl_arena_reset(&arena);
	bl_buf_init(&out, 0);
	variables.context = (void *)(uintptr_t)ifs;
	text = bl_arena_printf(&arena, "c %s", word);
	REQUIRE(!bl_shell_parse(&arena, text, NULL, &script, NULL));
	answer = bl_shell_expand_word(
		&arena,
		script->list->chains->pipelines->commands->simple.words->next,
		&variables, false, &field);
	bl_buf_puts(&out, answers[answer]);
	for (; answer == BL_SHELL_KNOWN && field; field = field->next)
		bl_buf_printf(&out, "<%.*s>", BL_STR_ARG(field->text));
	if (!bl_str_is(bl_buf_str(&out), expected))
		TAP_NOTE("word %s", word);
	CHECK_STR(bl_buf_str(&out), expected);
	bl_buf_clear(&out);
}

static void test_quotes(void)
{
	check("a'b c'\"d $x\"\\ e", "<ab cd abc e>", NULL);
	check("$'a\\tb\\x41\\101\\u20ac'", "<a\tbAA\xe2\x82\xac>", NULL);
	check("$'a\\0b'c", "<ac>", NULL);
	check("\"\"", "<>", NULL);
	check("$\"x\"", "<x>", NULL);
}

static void test_splitting(void)
{
	check("a$blanks\"d\"", "<a><b><c><d>", NULL);
	check("$blanks'x'", "<b><c><x>", NULL);
	check("\"$blanks\"", "< b  c >", NULL);
	check("$e", "", NULL);
	check("$colons", "<1><2><><3>", ":");
	check("$blanks", "< b  c >", "");
	check("${none:-p q}", "<p><q>", NULL);
	check("\"$@\"", "<a b><c>", NULL);
	check("x\"$@\"y", "<xa b><cy>", NULL);
	check("$*", "<a><b><c>", NULL);
	check("\"$*\"", "<a b-c>", "-");
}

static void test_parameters(void)
{
	check("${x:-d}${e:-d}${none-d}${e-d}", "<abcdd>", NULL);
	check("${x:+d}${e:+d}", "<d>", NULL);
	check("${none:?no}", "FAILS", NULL);
	check("${path##*/}", "<a.tar.gz>", NULL);
	check("${path%.*}", "</usr/lib/a.tar>", NULL);
	check("${path%%.*}", "</usr/lib/a>", NULL);
	check("${path//\\//-}", "<-usr-lib-a.tar.gz>", NULL);
	check("${x/b/[&]}", "<a[b]c>", NULL);
	check("${x/b/\\&}", "<a&c>", NULL);
	check("${x/#/p}${x/%/s}", "<pabcabcs>", NULL);
	check("${x:1}${x: -1}${x:0:2}${x:0:-1}", "<bccabab>", NULL);
	check("${#x}${#none}", "<30>", NULL);
	check("${x^}${x^^[b-c]}", "<AbcaBC>", NULL);
	check("${!r}", "<5>", NULL);
	check("${x@Q}", "<'abc'>", NULL);
	check("${x y}", "FAILS", NULL);
	check("$unknown", "UNKNOWN", NULL);
	check("$(a)", "UNKNOWN", NULL);
}

static void test_braces(void)
{
	check("a{b,\"c d\"}e", "<abe><ac de>", NULL);
	check("{1..3}{x,y}", "<1x><1y><2x><2y><3x><3y>", NULL);
	check("{01..3}", "<01><02><03>", NULL);
	check("{a..e..2}", "<a><c><e>", NULL);
	check("{3..1}", "<3><2><1>", NULL);
	check("{a},b}", "<a}><b>", NULL);
	check("{a}{b", "<{a}{b>", NULL);
	check("{x,$n}", "<x><5>", NULL);
	check("$x{1,2}", "", NULL); /* $x1 $x2 */
	check("{1..100000}", "EXCEEDS", NULL);
	check("'{a,b}'", "<{a,b}>", NULL);
}

static void test_tildes(void)
{
	check("~/a", "</home/me/a>", NULL);
	check("a=~:~", "<a=/home/me:/home/me>", NULL);
	check("~:x", "</home/me:x>", NULL);
	check("--p=~", "<--p=~>", NULL);
	check("\"~\"", "<~>", NULL);
	check("~bob", "UNKNOWN", NULL);
	check("${none:-~}", "</home/me>", NULL);
}

static void test_arithmetic(void)
{
	check("$((1 + 2 * 3))", "<7>", NULL);
	check("$((m + 1))", "<11>", NULL);
	check("$((-2 ** 2))", "<4>", NULL);
	check("$((2 ** 3 ** 2))", "<512>", NULL);
	check("$((16#ff + 0x1f + 010 + 2#101))", "<299>", NULL);
	check("$((1 ? 2 : 3, 4))", "<4>", NULL);
	check("$((0 && 1 / 0))", "<0>", NULL);
	check("$((1 / 0))", "FAILS", NULL);
	check("$((1 +))", "FAILS", NULL);
	check("$((unknown))", "UNKNOWN", NULL);
	check("$((x = 1))", "UNKNOWN", NULL);
	check("$[n + 1]", "<6>", NULL);
}

static void test_assignments(void)
{
	struct bl_shell_variables variables = { .find = find, .set = set };
	int64_t value = 0;

	bl_arena_reset(&arena);
	CHECK_INT(bl_shell_evaluate(&arena, BL_STR("k = n + 1"), &variables,
				    &value),
		  BL_SHELL_KNOWN);
	CHECK_INT(value, 6);
	CHECK_STR(stored, "k=6");
	CHECK_INT(bl_shell_evaluate(&arena, BL_STR("n++ + 1"), &variables,
				    &value),
		  BL_SHELL_KNOWN);
	CHECK_INT(value, 6);
	CHECK_STR(stored, "n=6");
	CHECK_INT(bl_shell_evaluate(&arena, BL_STR("n <<= 2"), &variables,
				    &value),
		  BL_SHELL_KNOWN);
	CHECK_STR(stored, "n=20");
	CHECK_INT(bl_shell_evaluate(&arena, BL_STR("a[$(x)]"), &variables,
				    &value),
		  BL_SHELL_UNKNOWN);
}

static void test_match(void)
{
	static const struct {
		const char *pattern, *text;
		uint32_t flags;
		bool matches;
	} rows[] = {
		{ "*.c", "a.c", 0, true },
		{ "*.c", "a.h", 0, false },
		{ "a*b*c", "axxbxxbxxc", 0, true },
		{ "[a-c]?[!x]", "bzz", 0, true },
		{ "[[:digit:]]*", "7z", 0, true },
		{ "[]]", "]", 0, true },
		{ "[a", "[a", 0, true },
		{ "\\*", "*", 0, true },
		{ "\\*", "a", 0, false },
		{ "*", "a/b", BL_SHELL_MATCH_PATH, false },
		{ "*", ".a", BL_SHELL_MATCH_PERIOD, false },
		{ ".*", ".a", BL_SHELL_MATCH_PERIOD, true },
		{ "A*", "abc", BL_SHELL_MATCH_NOCASE, true },
		{ "@(a|b)c", "bc", BL_SHELL_MATCH_EXTGLOB, true },
		{ "@(a|b)c", "bc", 0, false },
		{ "!(*.c)", "a.h", BL_SHELL_MATCH_EXTGLOB, true },
		{ "!(*.c)", "a.c", BL_SHELL_MATCH_EXTGLOB, false },
		{ "+(ab)", "abab", BL_SHELL_MATCH_EXTGLOB, true },
		{ "*(a|b)?(c)", "abba", BL_SHELL_MATCH_EXTGLOB, true },
		{ "", "", 0, true },
	};
	bool matches;

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		CHECK_INT(bl_shell_match(bl_str(rows[i].pattern),
					 bl_str(rows[i].text), rows[i].flags,
					 &matches),
			  BL_SHELL_KNOWN);
		if (matches != rows[i].matches)
			TAP_NOTE("%s on %s", rows[i].pattern, rows[i].text);
		CHECK_INT(matches, rows[i].matches);
	}
	CHECK_INT(bl_shell_match(BL_STR("*(*(*(a)))b"),
				 BL_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"),
				 BL_SHELL_MATCH_EXTGLOB, &matches),
		  BL_SHELL_EXCEEDS);
}

static void test_pattern_of_field(void)
{
	struct bl_shell_script *script;
	struct bl_shell_field *field;
	struct bl_str user;
	size_t rest;

	bl_arena_reset(&arena);
	REQUIRE(!bl_shell_parse(&arena, BL_STR("c a'*'*[b] ~bob/x"), NULL,
				&script, NULL));
	CHECK_INT(bl_shell_expand_word(&arena,
				       script->list->chains->pipelines->commands
					       ->simple.words->next,
				       NULL, false, &field),
		  BL_SHELL_KNOWN);
	CHECK_STR(field->pattern, "a\\**[b]");
	CHECK_STR(field->text, "a**[b]");
	CHECK(bl_shell_word_tilde(script->list->chains->pipelines->commands
					  ->simple.words->next->next,
				  &user, &rest));
	CHECK_STR(user, "bob");
	CHECK_INT(rest, 4);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(test_quotes);
	RUN(test_splitting);
	RUN(test_parameters);
	RUN(test_braces);
	RUN(test_tildes);
	RUN(test_arithmetic);
	RUN(test_assignments);
	RUN(test_match);
	RUN(test_pattern_of_field);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/condition.c: [[ ... ]].  It stands alone because inside it words,
 * newlines and operators follow rules of their own: no reserved words but ]],
 * no assignments, < > ( ) and ! are operators, and the right side of =~ and ==
 * is read differently.
 *
 * || binds less than &&, and both group from the right.  A newline may stand
 * behind a whole term, an operator and [[, but not inside a term.
 */
#include "shell/private.h"

static struct bl_shell_test *parse_or(struct bl_sh_parser *p);

/* A malformed [[ ]]: bash prints a message and drops the rest. */
static void malformed(struct bl_sh_parser *p, const char *what)
{
	const struct bl_sh_token *token = bl_sh_token(p);

	if (token->kind == SH_END)
		bl_sh_fault(p, BL_SHELL_INCOMPLETE, token->start, token->end,
			    "the text ends inside [[");
	else
		bl_sh_fault(p, BL_SHELL_CONDITION, token->start, token->end,
			    "[[ ]]: %s", what);
}

static struct bl_shell_test *new_test(struct bl_sh_parser *p,
				      enum bl_shell_test_kind kind)
{
	struct bl_shell_test *test = bl_sh_new(p, struct bl_shell_test);

	if (test)
		test->kind = kind;
	return test;
}

static bool is_unary(struct bl_str text)
{
	return text.len == 2 && text.ptr[0] == '-' && text.ptr[1] &&
	       strchr("abcdefghknoprstuvwxzGLNORS", text.ptr[1]);
}

static bool is_binary(struct bl_str text)
{
	static const char *const operators[] = { "=",   "==",  "!=",  "=~",
						 "-eq", "-ne", "-lt", "-le",
						 "-gt", "-ge", "-nt", "-ot",
						 "-ef" };

	for (size_t i = 0; i < BL_COUNT(operators); i++)
		if (bl_str_is(text, operators[i]))
			return true;
	return false;
}

/* ( or ) */
static struct bl_shell_test *parse_group(struct bl_sh_parser *p)
{
	struct bl_shell_test *test = new_test(p, BL_SHELL_TEST_GROUP);

	bl_sh_take(p);
	if (!test || !(test->first = parse_or(p)))
		return NULL;
	if (!bl_sh_accept(p, SH_CLOSE)) {
		malformed(p, "a ) is missing");
		return NULL;
	}
	return test;
}

static struct bl_shell_test *parse_unary(struct bl_sh_parser *p)
{
	struct bl_shell_test *test = new_test(p, BL_SHELL_TEST_UNARY);
	struct bl_sh_token token = bl_sh_take(p);

	if (!test)
		return NULL;
	test->op = token.word->text;
	if (bl_sh_token(p)->kind != SH_WORD) {
		malformed(p, "the operator has no argument");
		return NULL;
	}
	test->left = bl_sh_take(p).word;
	return test;
}

/* Whether the next token ends a word that stands alone. */
static bool ends_word(enum bl_sh_token_kind kind)
{
	return kind == SH_CONDITION_END || kind == SH_AND || kind == SH_OR ||
	       kind == SH_CLOSE;
}

/* The operator and the word behind it; false: malformed. */
static bool parse_right(struct bl_sh_parser *p, struct bl_shell_test *test)
{
	struct bl_sh_token token = *bl_sh_token(p);

	if (token.kind == SH_LESS || token.kind == SH_GREATER) {
		test->op = bl_str(token.kind == SH_LESS ? "<" : ">");
	} else if (token.kind == SH_WORD && is_binary(token.word->text)) {
		test->op = token.word->text;
	} else {
		malformed(p, "a binary operator is expected");
		return false;
	}
	bl_sh_take(p);
	p->in.mode.regex = bl_str_is(test->op, "=~");
	p->in.mode.extglob = p->extglob || bl_str_is(test->op, "=") ||
			     bl_str_is(test->op, "==") ||
			     bl_str_is(test->op, "!=");
	token = *bl_sh_token(p);
	p->in.mode.regex = false;
	p->in.mode.extglob = p->extglob;
	if (token.kind != SH_WORD) {
		malformed(p, "the operator has no right side");
		return false;
	}
	test->right = bl_sh_take(p).word;
	return true;
}

static struct bl_shell_test *parse_words(struct bl_sh_parser *p)
{
	struct bl_shell_test *test = new_test(p, BL_SHELL_TEST_WORD);

	if (!test)
		return NULL;
	test->left = bl_sh_take(p).word;
	if (ends_word(bl_sh_token(p)->kind))
		return test;
	test->kind = BL_SHELL_TEST_BINARY;
	return parse_right(p, test) ? test : NULL;
}

static struct bl_shell_test *parse_not(struct bl_sh_parser *p);

static struct bl_shell_test *parse_term(struct bl_sh_parser *p)
{
	struct bl_sh_token token;
	struct bl_shell_test *test = NULL;

	bl_sh_skip_newlines(p);
	token = *bl_sh_token(p);
	if (!bl_sh_enter(p))
		return NULL;
	if (token.kind == SH_OPEN)
		test = parse_group(p);
	else if (token.kind != SH_WORD)
		malformed(p, "an expression is expected");
	else if (bl_str_is(token.word->text, "!"))
		test = parse_not(p);
	else if (is_unary(token.word->text))
		test = parse_unary(p);
	else
		test = parse_words(p);
	bl_sh_leave(p);
	if (!test || bl_sh_failed(p))
		return NULL;
	test->span = bl_sh_span(&p->in.text, token.start, p->in.taken_end);
	if (test->kind != BL_SHELL_TEST_WORD)
		bl_sh_skip_newlines(p);
	return test;
}

static struct bl_shell_test *parse_not(struct bl_sh_parser *p)
{
	struct bl_shell_test *test = new_test(p, BL_SHELL_TEST_NOT);

	bl_sh_take(p);
	if (!test)
		return NULL;
	test->first = parse_term(p);
	return test->first ? test : NULL;
}

/* left && right, or the same with ||. */
static struct bl_shell_test *join(struct bl_sh_parser *p,
				  enum bl_shell_test_kind kind,
				  struct bl_shell_test *left,
				  struct bl_shell_test *right)
{
	struct bl_shell_test *test;

	if (!left || !right)
		return NULL;
	test = new_test(p, kind);
	if (!test)
		return NULL;
	test->first = left;
	test->second = right;
	test->span.start = left->span.start;
	test->span.end = right->span.end;
	return test;
}

static struct bl_shell_test *parse_and(struct bl_sh_parser *p)
{
	struct bl_shell_test *left = parse_term(p), *right = NULL;

	if (!left || !bl_sh_accept(p, SH_AND))
		return left;
	if (bl_sh_enter(p))
		right = parse_and(p);
	bl_sh_leave(p);
	return join(p, BL_SHELL_TEST_AND, left, right);
}

static struct bl_shell_test *parse_or(struct bl_sh_parser *p)
{
	struct bl_shell_test *left = parse_and(p), *right = NULL;

	if (!left || !bl_sh_accept(p, SH_OR))
		return left;
	if (bl_sh_enter(p))
		right = parse_or(p);
	bl_sh_leave(p);
	return join(p, BL_SHELL_TEST_OR, left, right);
}

struct bl_shell_test *bl_sh_parse_condition(struct bl_sh_parser *p)
{
	struct bl_sh_mode saved = p->in.mode;
	struct bl_shell_test *test;

	p->in.mode = (struct bl_sh_mode){ .in_condition = true,
					  .extglob = p->extglob };
	test = parse_or(p);
	if (test && !bl_sh_accept(p, SH_CONDITION_END)) {
		malformed(p, "]] is expected");
		return NULL;
	}
	p->in.mode = saved;
	return test;
}

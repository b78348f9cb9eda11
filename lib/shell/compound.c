/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/compound.c: commands that begin with a reserved word or a bracket.
 * They stand alone because each is one small function that follows its line of
 * the grammar; what they have in common is in parse.c.
 */
#include "shell/private.h"

/* do LIST done, or { LIST } */
static struct bl_shell_list *parse_body(struct bl_sh_parser *p)
{
	struct bl_shell_list *list;
	enum bl_sh_token_kind end = SH_DONE;

	p->in.mode.expects_in = false;
	if (bl_sh_accept(p, SH_GROUP))
		end = SH_GROUP_END;
	else if (!bl_sh_expect(p, SH_DO))
		return NULL;
	list = bl_sh_parse_list(p);
	return list && bl_sh_expect(p, end) ? list : NULL;
}

static bool parse_group(struct bl_sh_parser *p, struct bl_shell_command *out)
{
	out->kind = BL_SHELL_GROUP_COMMAND;
	out->list = bl_sh_parse_list(p);
	return out->list && bl_sh_expect(p, SH_GROUP_END);
}

static bool parse_subshell(struct bl_sh_parser *p, struct bl_shell_command *out)
{
	out->kind = BL_SHELL_SUBSHELL_COMMAND;
	out->list = bl_sh_parse_list(p);
	return out->list && bl_sh_expect(p, SH_CLOSE);
}

static bool parse_if(struct bl_sh_parser *p, struct bl_shell_command *out)
{
	struct bl_shell_branch **end = &out->choice.branches;

	out->kind = BL_SHELL_IF_COMMAND;
	do {
		struct bl_shell_branch *branch =
			bl_sh_new(p, struct bl_shell_branch);

		if (!branch)
			return false;
		branch->condition = bl_sh_parse_list(p);
		if (!branch->condition || !bl_sh_expect(p, SH_THEN))
			return false;
		branch->body = bl_sh_parse_list(p);
		if (!branch->body)
			return false;
		*end = branch;
		end = &branch->next;
	} while (bl_sh_accept(p, SH_ELIF));
	if (bl_sh_accept(p, SH_ELSE)) {
		out->choice.otherwise = bl_sh_parse_list(p);
		if (!out->choice.otherwise)
			return false;
	}
	return bl_sh_expect(p, SH_FI);
}

static bool parse_loop(struct bl_sh_parser *p, struct bl_shell_command *out,
		       enum bl_shell_command_kind kind)
{
	out->kind = kind;
	out->loop.condition = bl_sh_parse_list(p);
	if (!out->loop.condition || !bl_sh_expect(p, SH_DO))
		return false;
	out->loop.body = bl_sh_parse_list(p);
	return out->loop.body && bl_sh_expect(p, SH_DONE);
}

/* The words behind in, up to a ; or newline. */
static bool parse_words(struct bl_sh_parser *p, struct bl_shell_command *out)
{
	struct bl_shell_word **end = &out->each.words;

	out->each.has_words = true;
	while (bl_sh_token(p)->kind == SH_WORD) {
		struct bl_sh_token token = bl_sh_take(p);

		*end = token.word;
		end = &token.word->next;
	}
	return bl_sh_accept(p, SH_SEMICOLON) || bl_sh_expect(p, SH_NEWLINE);
}

static bool parse_each(struct bl_sh_parser *p, struct bl_shell_command *out,
		       enum bl_shell_command_kind kind)
{
	out->kind = kind;
	if (bl_sh_token(p)->kind != SH_WORD) {
		bl_sh_unexpected(p);
		return false;
	}
	out->each.name = bl_sh_take(p).word;
	p->in.mode.expects_in = true;
	p->in.mode.in_case = false;
	if (!bl_sh_accept(p, SH_SEMICOLON)) {
		bl_sh_skip_newlines(p);
		if (bl_sh_accept(p, SH_IN) && !parse_words(p, out))
			return false;
	}
	bl_sh_skip_newlines(p);
	out->each.body = parse_body(p);
	return out->each.body != NULL;
}

/* for (( a; b; c )) [;] body: the (( )) is the next token. */
static bool parse_count(struct bl_sh_parser *p, struct bl_shell_command *out)
{
	struct bl_shell_word *start = bl_sh_take(p).word;
	struct bl_shell_word *test = start->next, *step = test->next;

	out->kind = BL_SHELL_ARITHMETIC_FOR_COMMAND;
	start->next = test->next = NULL;
	out->count.start = start->text.len ? start : NULL;
	out->count.test = test->text.len ? test : NULL;
	out->count.step = step->text.len ? step : NULL;
	if (bl_sh_accept(p, SH_SEMICOLON) || bl_sh_token(p)->kind == SH_NEWLINE)
		bl_sh_skip_newlines(p);
	out->count.body = parse_body(p);
	return out->count.body != NULL;
}

static bool parse_for(struct bl_sh_parser *p, struct bl_shell_command *out)
{
	if (bl_sh_token(p)->kind == SH_COUNTING)
		return parse_count(p, out);
	return parse_each(p, out, BL_SHELL_FOR_COMMAND);
}

/* [(] WORD | WORD ) of a clause. */
static bool parse_patterns(struct bl_sh_parser *p,
			   struct bl_shell_clause *clause)
{
	struct bl_shell_word **end = &clause->patterns;

	bl_sh_accept(p, SH_OPEN);
	do {
		struct bl_sh_token token = *bl_sh_token(p);

		if (token.kind != SH_WORD) {
			bl_sh_unexpected(p);
			return false;
		}
		bl_sh_take(p);
		*end = token.word;
		end = &token.word->next;
	} while (bl_sh_accept(p, SH_PIPE));
	p->in.mode.case_pattern = false;
	return bl_sh_expect(p, SH_CLOSE);
}

/* ;; ;& or ;;&; false: absent. */
static bool parse_clause_end(struct bl_sh_parser *p,
			     struct bl_shell_clause *clause)
{
	enum bl_sh_token_kind kind = bl_sh_token(p)->kind;

	if (kind == SH_CLAUSE_FALL)
		clause->end = BL_SHELL_CLAUSE_FALL;
	else if (kind == SH_CLAUSE_TEST)
		clause->end = BL_SHELL_CLAUSE_TEST_ON;
	else if (kind != SH_CLAUSE_BREAK)
		return false;
	bl_sh_take(p);
	p->in.mode.case_pattern = true;
	p->in.mode.in_case = true;
	bl_sh_skip_newlines(p);
	return true;
}

static struct bl_shell_clause *parse_clause(struct bl_sh_parser *p,
					    bool *is_last)
{
	struct bl_shell_clause *clause = bl_sh_new(p, struct bl_shell_clause);
	uint32_t start = bl_sh_token(p)->start;

	if (!clause || !parse_patterns(p, clause))
		return NULL;
	bl_sh_skip_newlines(p);
	switch ((int)bl_sh_token(p)->kind) {
	case SH_CLAUSE_BREAK:
	case SH_CLAUSE_FALL:
	case SH_CLAUSE_TEST:
	case SH_ESAC:
		break;
	default:
		clause->body = bl_sh_parse_list(p);
		if (!clause->body)
			return NULL;
	}
	*is_last = !parse_clause_end(p, clause);
	clause->span = bl_sh_span(&p->in.text, start, p->in.taken_end);
	return clause;
}

static bool parse_case(struct bl_sh_parser *p, struct bl_shell_command *out)
{
	struct bl_shell_clause **end = &out->cases.clauses;
	bool is_last = false;

	out->kind = BL_SHELL_CASE_COMMAND;
	if (bl_sh_token(p)->kind != SH_WORD) {
		bl_sh_unexpected(p);
		return false;
	}
	out->cases.subject = bl_sh_take(p).word;
	p->in.mode.expects_in = true;
	p->in.mode.in_case = true;
	bl_sh_skip_newlines(p);
	if (!bl_sh_expect(p, SH_IN))
		return false;
	bl_sh_skip_newlines(p);
	while (!is_last && bl_sh_token(p)->kind != SH_ESAC) {
		*end = parse_clause(p, &is_last);
		if (!*end)
			return false;
		end = &(*end)->next;
	}
	p->in.mode.case_pattern = false;
	return bl_sh_expect(p, SH_ESAC);
}

static bool parse_arithmetic(struct bl_shell_command *out,
			     const struct bl_sh_token *token)
{
	out->kind = BL_SHELL_ARITHMETIC_COMMAND;
	out->expression = token->word;
	return true;
}

static bool parse_condition(struct bl_sh_parser *p,
			    struct bl_shell_command *out)
{
	out->kind = BL_SHELL_CONDITION_COMMAND;
	out->test = bl_sh_parse_condition(p);
	return out->test != NULL;
}

bool bl_sh_is_compound(enum bl_sh_token_kind kind)
{
	switch ((int)kind) {
	case SH_OPEN:
	case SH_ARITHMETIC:
	case SH_CONDITION:
	case SH_GROUP:
	case SH_CASE:
	case SH_FOR:
	case SH_IF:
	case SH_SELECT:
	case SH_UNTIL:
	case SH_WHILE:
		return true;
	default:
		return false;
	}
}

static bool parse_kind(struct bl_sh_parser *p, struct bl_shell_command *out)
{
	struct bl_sh_token token = bl_sh_take(p);

	switch ((int)token.kind) {
	case SH_OPEN:
		return parse_subshell(p, out);
	case SH_ARITHMETIC:
		return parse_arithmetic(out, &token);
	case SH_CONDITION:
		return parse_condition(p, out);
	case SH_GROUP:
		return parse_group(p, out);
	case SH_CASE:
		return parse_case(p, out);
	case SH_FOR:
		return parse_for(p, out);
	case SH_IF:
		return parse_if(p, out);
	case SH_SELECT:
		return parse_each(p, out, BL_SHELL_SELECT_COMMAND);
	case SH_UNTIL:
		return parse_loop(p, out, BL_SHELL_UNTIL_COMMAND);
	default:
		return parse_loop(p, out, BL_SHELL_WHILE_COMMAND);
	}
}

struct bl_shell_command *bl_sh_parse_compound(struct bl_sh_parser *p)
{
	struct bl_shell_command *out = bl_sh_new(p, struct bl_shell_command);
	uint32_t start = bl_sh_token(p)->start;

	if (!out)
		return NULL;
	if (!bl_sh_is_compound(bl_sh_token(p)->kind)) {
		bl_sh_unexpected(p);
		return NULL;
	}
	if (!bl_sh_enter(p) || !parse_kind(p, out) ||
	    !bl_sh_parse_redirections(p, out))
		return NULL;
	bl_sh_leave(p);
	out->span = bl_sh_span(&p->in.text, start, p->in.taken_end);
	return out;
}

struct bl_shell_command *bl_sh_parse_subshell(struct bl_sh_parser *p,
					      uint32_t start)
{
	struct bl_shell_command *out = bl_sh_new(p, struct bl_shell_command);

	if (!out || !parse_subshell(p, out) ||
	    !bl_sh_parse_redirections(p, out))
		return NULL;
	out->span = bl_sh_span(&p->in.text, start, p->in.taken_end);
	return out;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Accepted and refused texts, places of faults, content of the tree. */
#include <stdlib.h>

#include "shell_test.h"

static struct bl_arena arena;

static struct bl_shell_script *
parse_with(struct bl_str text, const struct bl_shell_options *options,
	   enum bl_status expected)
{
	struct bl_shell_script *script = NULL;
	struct bl_error err = { 0 };
	enum bl_status status;

	bl_arena_reset(&arena);
	status = bl_shell_parse(&arena, text, options, &script, &err);
	CHECK_STATUS(status, expected);
	if (status != expected)
		TAP_NOTE("%.60s: %s", text.ptr, err.message);
	return script;
}

static const struct bl_shell_command *first_command(const char *text)
{
	struct bl_shell_script *script = parse_with(bl_str(text), NULL, BL_OK);

	return script && script->list
		       ? script->list->chains->pipelines->commands
		       : NULL;
}

static void test_accepted(void)
{
	static const char *const texts[] = {
		"",
		"\n\n# only a comment",
		"x=1 if",
		">f if",
		"a=1 [[ x ]]",
		"for 1 in a; do b; done",
		"for $x in c; do d; done",
		"a | time b",
		"a && ! b",
		"!a",
		"! ! ! a",
		"{}",
		"a }",
		"a {",
		"echo {a",
		"case in in in) a;; esac",
		"eval a=(1)",
		"let a=(1)",
		"alias a=(b)",
		"x=1 declare a=(b)",
		"echo $((1+))",
		"time -x a",
		"[[ a =~ b|c ]]",
		"[[ $x =~ [ ]]",
		"[[ a=b ]]",
		"[[ a && if ]]",
		"[[ -f a\n]]",
		"function f ( a )",
		"function f if a; then b; fi",
		"coproc a if b; then c; fi",
		"for x\n{ a; }",
		"echo `if`",
		"a=(1)b",
		"cat <&- >&-x",
		"echo \"${x:-\"'\"}\"",
		"{ !; }",
	};

	for (size_t i = 0; i < BL_COUNT(texts); i++)
		parse_with(bl_str(texts[i]), NULL, BL_OK);
}

static const char *const refused[] = {
	"command declare a=(b)",
	"builtin export a=(b)",
	"\\declare a=(b)",
	"printf a=(b)",
	">f { a; }",
	"(a) b",
	"{ a; } b",
	"[[ a ]] b",
	"((1)) b",
	"a | ! b",
	"( )",
	"{ }",
	"in",
	"coproc",
	"if a; then; fi",
	"case a in (a|) b;; esac",
	"case a in a b) c;; esac",
	"a ;; b",
	"a() b",
	"a=(b c",
	"a=(b (c))",
	"[[ a == ]]",
	"[[ (a ]]",
	"[[ a ) ]]",
	"[[ a ]",
	"[[ a < b > c ]]",
	"[[ a -foo b ]]",
	"[[ -foo b ]]",
	"[[ a & b ]]",
	"[[ a ; b ]]",
	"[[ a =~ ( ]]",
	"[[ ]]",
	"[[ a\n]]",
	"[[ 2>1 ]]",
	"echo $(if)",
	"echo $(( $(if) ))",
	"a[$(if)]=1",
	"echo ${x:-$(if)}",
	"echo \"${x:-'}\"",
	"for ((a;b)) do c; done",
	"for ((a;b;c;d)) do c; done",
	"for x { a; }",
	"a &; b",
	"$(!)",
	"a=1() { b; }",
	"export a=(b) >f c=(d)",
	"if a; then b; fi fi",
	"echo 'a",
	"echo $(",
	"echo ${x",
	"echo `a",
	"f() {",
};

static void test_refused(void)
{
	for (size_t i = 0; i < BL_COUNT(refused); i++) {
		struct bl_shell_script *script =
			parse_with(bl_str(refused[i]), NULL, BL_SYNTAX);

		CHECK(script && script->fault.kind &&
		      script->fault.message.len);
	}
}

/* The place of a fault, and whether more text could mend it. */
static void test_faults(void)
{
	static const struct {
		const char *text;
		enum bl_shell_fault_kind kind;
		uint32_t start, end;
	} rows[] = {
		{ "a ;; b", BL_SHELL_UNEXPECTED, 2, 4 },
		{ "a\nb )", BL_SHELL_UNEXPECTED, 4, 5 },
		{ "if a", BL_SHELL_INCOMPLETE, 4, 4 },
		{ "echo 'a", BL_SHELL_INCOMPLETE, 7, 7 },
		{ "[[ a b ]]", BL_SHELL_CONDITION, 5, 6 },
		{ "a `b` $( ; )", BL_SHELL_UNEXPECTED, 9, 10 },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_shell_script *script =
			parse_with(bl_str(rows[i].text), NULL, BL_SYNTAX);

		REQUIRE(script);
		CHECK_INT(script->fault.kind, rows[i].kind);
		CHECK_INT(script->fault.span.start, rows[i].start);
		CHECK_INT(script->fault.span.end, rows[i].end);
	}
}

/* bash runs the lines before the faulty one. */
static void test_lines_before_a_fault(void)
{
	struct bl_shell_script *script =
		parse_with(BL_STR("a; b\nc\nd | )"), NULL, BL_SYNTAX);
	struct bl_buf out;

	REQUIRE(script && script->list);
	bl_buf_init(&out, 0);
	names_of_list(&out, script->list);
	CHECK_STR(bl_buf_str(&out), "a b c ");
	bl_buf_clear(&out);
}

static void test_nul_byte(void)
{
	struct bl_shell_script *script =
		parse_with((struct bl_str){ "a\0b", 3 }, NULL, BL_SYNTAX);

	REQUIRE(script);
	CHECK_INT(script->fault.kind, BL_SHELL_NUL_BYTE);
	CHECK_INT(script->fault.span.start, 1);
}

/* Bytes that are not UTF-8 are parts of words. */
static void test_any_bytes(void)
{
	const struct bl_shell_command *command =
		first_command("\xff\xc0 \x80'\xfe'");
	struct bl_str text;

	REQUIRE(command && command->simple.words->next);
	CHECK(bl_shell_word_text(&arena, command->simple.words->next, &text));
	CHECK_STR(text, "\x80\xfe");
}

static char *repeat(const char *text, size_t count)
{
	size_t len = strlen(text);
	char *all = malloc(count * len + 1);

	for (size_t i = 0; all && i < count; i++)
		memcpy(all + i * len, text, len);
	if (all)
		all[count * len] = 0;
	return all;
}

static void test_depth(void)
{
	static const char *const rows[][2] = {
		{ "", "( " },       { "", "$(" },    { "", "\"$(" },
		{ "a ", "${x:-" },  { "", "{ " },    { "", "if " },
		{ "", "a $(( $(" }, { "[[ ", "( " }, { "[[ ", "! " },
		{ "[[ ", "a && " },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		char *text = repeat(rows[i][1], 100000);
		struct bl_shell_script *script;
		struct bl_arena own;

		REQUIRE(text);
		bl_arena_init(&own, NULL, 0, 0);
		script = parse_with(
			bl_arena_printf(&own, "%s%s", rows[i][0], text), NULL,
			BL_LIMIT);
		CHECK(script && script->fault.kind == BL_SHELL_TOO_DEEP);
		bl_arena_clear(&own);
		free(text);
	}
}

/* A (( that is not arithmetic is read twice; nested ones must not double each time. */
static void test_second_tries(void)
{
	char *text = repeat("$((", 300);
	char *ends = repeat(") )", 300);
	struct bl_str whole;
	struct bl_arena own;

	REQUIRE(text && ends);
	bl_arena_init(&own, NULL, 0, 0);
	whole = bl_arena_printf(&own, "%s%s", text, ends);
	parse_with(whole, NULL, BL_LIMIT);
	free(text);
	free(ends);
	bl_arena_clear(&own);
}

/* ${ without } in a body: bad from the first one on, and found so once. */
static void test_bad_expansions(void)
{
	char *text = repeat("${x:-$(a ", 200);
	struct bl_shell_script *script;
	struct bl_arena own;
	struct bl_str whole;

	REQUIRE(text);
	bl_arena_init(&own, NULL, 0, 0);
	whole = bl_arena_printf(&own, "c <<E\n%s\nE\n", text);
	script = parse_with(whole, NULL, BL_OK);
	REQUIRE(script && script->list);
	CHECK(script->list->chains->pipelines->commands->redirections->here
		      ->body->flags &
	      BL_SHELL_WORD_BAD);
	free(text);
	bl_arena_clear(&own);
}

static void test_limits(void)
{
	struct bl_shell_options few = { .nodes_max = 10 };
	struct bl_shell_options small = { .bytes_max = 4 };
	struct bl_shell_script *script;

	script = parse_with(BL_STR("a b c d e f g h"), &few, BL_LIMIT);
	CHECK(script && script->fault.kind == BL_SHELL_TOO_MUCH);
	parse_with(BL_STR("abcd"), &small, BL_OK);
	script = parse_with(BL_STR("abcde"), &small, BL_LIMIT);
	CHECK(script && script->fault.kind == BL_SHELL_TOO_MUCH);
	parse_with(BL_STR("<<A <<A <<A <<A <<A <<A <<A <<A <<A <<A <<A <<A "
			  "<<A <<A <<A <<A <<A\n"),
		   NULL, BL_SYNTAX);
}

static void test_no_memory(void)
{
	struct bl_shell_script *script;
	struct bl_arena small;
	char first[64];

	bl_arena_init(&small, first, sizeof(first), 1);
	CHECK_STATUS(
		bl_shell_parse(&small, BL_STR("a b c; d"), NULL, &script, NULL),
		BL_LIMIT);
	CHECK(!script);
	bl_arena_clear(&small);
}

static void check_slice(const char *text, struct bl_shell_span span,
			const char *expected)
{
	struct bl_str piece = bl_str_slice(bl_str(text), span.start, span.end);

	CHECK_STR(piece, expected);
}

static void test_places(void)
{
	static const char text[] = "x=1 ls -l \"a $(b c) d\" 2>&1 | cat\n";
	const struct bl_shell_command *ls = first_command(text);
	const struct bl_shell_word *word;
	const struct bl_shell_part *part;

	REQUIRE(ls && ls->next);
	check_slice(text, ls->span, "x=1 ls -l \"a $(b c) d\" 2>&1");
	check_slice(text, ls->next->span, "cat");
	check_slice(text, ls->simple.assignments->span, "x=1");
	check_slice(text, ls->simple.assignments->assignment->value->span, "1");
	word = ls->simple.words->next->next;
	check_slice(text, word->span, "\"a $(b c) d\"");
	part = word->parts->parts->next;
	check_slice(text, part->span, "$(b c)");
	check_slice(text, part->script->span, "b c");
	check_slice(text, part->script->list->span, "b c");
	check_slice(text, ls->redirections->span, "2>&1");
}

/* Places inside back-quotes and behind backslash-newlines are the source's. */
static void test_places_of_copies(void)
{
	static const char text[] = "a\\\nb `c \\`d e\\` $'\\x41'f`";
	const struct bl_shell_command *command = first_command(text), *inner;
	const struct bl_shell_word *word;

	REQUIRE(command);
	check_slice(text, command->simple.words->span, "a\\\nb");
	word = command->simple.words->next;
	inner = word->parts->script->list->chains->pipelines->commands;
	check_slice(text, inner->simple.words->span, "c");
	word = inner->simple.words->next;
	/* The \\ before a back-quote is not a byte of the inner text. */
	check_slice(text, word->span, "`d e\\`");
	check_slice(text, word->next->span, "$'\\x41'f");
	inner = word->parts->script->list->chains->pipelines->commands;
	check_slice(text, inner->simple.words->next->span, "e");
}

static void test_here_documents(void)
{
	static const char text[] = "a <<-E 3<<'F' b\n\tx $y\n\tE\nz $y\nF\nc";
	const struct bl_shell_command *command = first_command(text);
	const struct bl_shell_redirection *first, *second;

	REQUIRE(command && command->redirections);
	first = command->redirections;
	second = first->next;
	CHECK_STR(first->here->delimiter, "E");
	CHECK(!first->here->is_quoted && first->here->is_closed);
	CHECK_STR(first->here->text, "x $y\n");
	check_slice(text, first->here->span, "\tx $y\n");
	CHECK_INT(first->here->body->parts->next->kind, BL_SHELL_PARAMETER);
	CHECK_INT(second->descriptor, 3);
	CHECK(second->here->is_quoted);
	CHECK_STR(second->here->text, "z $y\n");
	CHECK(!second->here->body->parts->next);
	command = first_command("a <<E\nx");
	REQUIRE(command);
	CHECK(!command->redirections->here->is_closed);
	CHECK_STR(command->redirections->here->text, "x\n");
}

/* bash has read the line when the body is due: it follows the line. */
static void test_late_here_document(void)
{
	static const char text[] = "a $(b <<E) c\nbody\nE\nd";
	const struct bl_shell_command *command = first_command(text);
	struct bl_shell_script *script = parse_with(bl_str(text), NULL, BL_OK);
	struct bl_buf out;

	REQUIRE(command && script);
	bl_buf_init(&out, 0);
	names_of_script(&out, script);
	CHECK_STR(bl_buf_str(&out), "a b d ");
	bl_buf_clear(&out);
	check_slice(text, script->list->chains->next->pipelines->commands->span,
		    "d");
}

static void test_redirections(void)
{
	static const struct {
		const char *text;
		enum bl_shell_redirection_kind kind;
		int32_t descriptor;
		enum bl_shell_copy copy;
		int32_t source;
	} rows[] = {
		{ "a > f", BL_SHELL_WRITE, 1, BL_SHELL_COPY_WORD, 0 },
		{ "a 2>> f", BL_SHELL_APPEND, 2, BL_SHELL_COPY_WORD, 0 },
		{ "a <> f", BL_SHELL_READ_WRITE, 0, BL_SHELL_COPY_WORD, 0 },
		{ "a &> f", BL_SHELL_WRITE_BOTH, 1, BL_SHELL_COPY_WORD, 0 },
		{ "a 2>&1", BL_SHELL_COPY_OUT, 2, BL_SHELL_COPY_FD, 1 },
		{ "a <&3-", BL_SHELL_COPY_IN, 0, BL_SHELL_COPY_MOVE, 3 },
		{ "a 4>&-", BL_SHELL_COPY_OUT, 4, BL_SHELL_COPY_CLOSE, 0 },
		{ "a >&f", BL_SHELL_COPY_OUT, 1, BL_SHELL_COPY_WORD, 0 },
		{ "a <<< w", BL_SHELL_HERE_STRING, 0, BL_SHELL_COPY_WORD, 0 },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		const struct bl_shell_command *command =
			first_command(rows[i].text);
		const struct bl_shell_redirection *r;

		REQUIRE(command && command->redirections);
		r = command->redirections;
		CHECK_INT(r->kind, rows[i].kind);
		CHECK_INT(r->descriptor, rows[i].descriptor);
		CHECK_INT(r->copy, rows[i].copy);
		if (r->copy == BL_SHELL_COPY_FD ||
		    r->copy == BL_SHELL_COPY_MOVE)
			CHECK_INT(r->source, rows[i].source);
		CHECK(r->target);
	}
}

static void test_parameters(void)
{
	static const struct {
		const char *text;
		const char *name;
		enum bl_shell_operator op;
		const char *operand; /* NULL: none */
		const char *second;
	} rows[] = {
		{ "a ${x:-w}", "x", BL_SHELL_OP_DEFAULT, "w", NULL },
		{ "a ${x##*/}", "x", BL_SHELL_OP_REMOVE_LONG_PREFIX, "*/",
		  NULL },
		{ "a ${x//a/b}", "x", BL_SHELL_OP_REPLACE_ALL, "a", "b" },
		{ "a ${x/%a}", "x", BL_SHELL_OP_REPLACE_SUFFIX, "a", NULL },
		{ "a ${x:(1?2:3):4}", "x", BL_SHELL_OP_SLICE, "(1?2:3)", "4" },
		{ "a ${10}", "10", BL_SHELL_OP_NONE, NULL, NULL },
		{ "a ${#}", "#", BL_SHELL_OP_NONE, NULL, NULL },
		{ "a ${#-w}", "#", BL_SHELL_OP_DEFAULT_UNSET, "w", NULL },
		{ "a ${x^^[a]}", "x", BL_SHELL_OP_UPPER, "[a]", NULL },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		const struct bl_shell_command *command =
			first_command(rows[i].text);
		const struct bl_shell_parameter *p;

		REQUIRE(command);
		REQUIRE(command->simple.words->next->parts->kind ==
			BL_SHELL_PARAMETER);
		p = command->simple.words->next->parts->parameter;
		CHECK_STR(p->name, rows[i].name);
		CHECK_INT(p->op, rows[i].op);
		CHECK((p->operand != NULL) == (rows[i].operand != NULL));
		if (p->operand && rows[i].operand)
			CHECK_STR(p->operand->text, rows[i].operand);
		CHECK((p->second != NULL) == (rows[i].second != NULL));
		if (p->second && rows[i].second)
			CHECK_STR(p->second->text, rows[i].second);
	}
}

static void test_extglob_lines(void)
{
	struct bl_shell_options options = { .ignores_shopt = true };
	struct bl_str text = BL_STR("shopt -s extglob\na !(b)");

	parse_with(text, NULL, BL_OK);
	parse_with(text, &options, BL_SYNTAX);
	options.extglob = true;
	parse_with(text, &options, BL_OK);
}

/* The facts about a word that need no look at its parts. */
static void test_flags(void)
{
	static const struct {
		const char *word;
		uint32_t flags;
	} rows[] = {
		{ "plain", 0 },
		{ "'a'", BL_SHELL_WORD_QUOTED },
		{ "$x", BL_SHELL_WORD_EXPANDS },
		{ "\"$(a)\"", BL_SHELL_WORD_QUOTED | BL_SHELL_WORD_EXPANDS |
				      BL_SHELL_WORD_RUNS },
		{ "${x:-`a`}", BL_SHELL_WORD_EXPANDS | BL_SHELL_WORD_RUNS },
		{ "*.c", BL_SHELL_WORD_GLOB },
		{ "'*'", BL_SHELL_WORD_QUOTED },
		{ "{a,b}", BL_SHELL_WORD_BRACE },
		{ "~/a", BL_SHELL_WORD_TILDE },
		{ "a~", 0 },
		{ "${x y}", BL_SHELL_WORD_EXPANDS | BL_SHELL_WORD_BAD },
		{ "=ls", BL_SHELL_WORD_FOREIGN },
		{ "$x[1]", BL_SHELL_WORD_EXPANDS | BL_SHELL_WORD_GLOB |
				   BL_SHELL_WORD_FOREIGN },
		{ "${(e)x}", BL_SHELL_WORD_EXPANDS | BL_SHELL_WORD_BAD |
				     BL_SHELL_WORD_FOREIGN },
	};
	char line[64];

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		const struct bl_shell_command *command;

		snprintf(line, sizeof(line), "c %s", rows[i].word);
		command = first_command(line);
		REQUIRE(command && command->simple.words->next);
		if (command->simple.words->next->flags != rows[i].flags)
			TAP_NOTE("word %s", rows[i].word);
		CHECK_INT(command->simple.words->next->flags, rows[i].flags);
	}
}

static void test_names(void)
{
	CHECK_STR(bl_str(bl_shell_part_name(BL_SHELL_PROCESS_IN)),
		  "process-in");
	CHECK_STR(bl_str(bl_shell_command_name(BL_SHELL_CASE_COMMAND)), "case");
	CHECK_STR(bl_str(bl_shell_redirection_text(BL_SHELL_HERE_TABS)), "<<-");
	CHECK_STR(bl_str(bl_shell_operator_text(BL_SHELL_OP_ERROR)), ":?");
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(test_accepted);
	RUN(test_refused);
	RUN(test_faults);
	RUN(test_lines_before_a_fault);
	RUN(test_nul_byte);
	RUN(test_any_bytes);
	RUN(test_depth);
	RUN(test_second_tries);
	RUN(test_bad_expansions);
	RUN(test_limits);
	RUN(test_no_memory);
	RUN(test_places);
	RUN(test_places_of_copies);
	RUN(test_here_documents);
	RUN(test_late_here_document);
	RUN(test_redirections);
	RUN(test_parameters);
	RUN(test_extglob_lines);
	RUN(test_flags);
	RUN(test_names);
	bl_arena_clear(&arena);
	return tap_end();
}

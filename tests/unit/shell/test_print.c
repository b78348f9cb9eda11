/* SPDX-License-Identifier: Apache-2.0 */
/* The printed form of each construct: what declare -f of bash 5.2 shows. */
#include "shell_test.h"

static struct bl_arena arena;

/* A text, and what stands between "{ " and "}" of its function. */
static const char *const forms[][2] = {
	{ "a; b", "    a;\n    b" },
	{ "a & b", "    a & b" },
	{ "a && b || c | d", "    a && b || c | d" },
	{ "a |& b", "    a 2>&1 | b" },
	{ "! ! a; ! b", "    a;\n    ! b" },
	{ "time -p a; time -- b", "    time -p a;\n    time -p b" },
	{ "if a; then b; elif c; then d; else e; fi",
	  "    if a; then\n        b;\n    else\n        if c; then\n          "
	  "  d;\n        else\n            e;\n        fi;\n    fi" },
	{ "while a; do b; done > f 2>&1",
	  "    while a; do\n        b;\n    done > f 2>&1" },
	{ "until a; do b & done", "    until a; do\n        b &\n    done" },
	{ "for x in a b; do c; done",
	  "    for x in a b;\n    do\n        c;\n    done" },
	{ "for x; do c; done",
	  "    for x in \"$@\";\n    do\n        c;\n    done" },
	{ "for x in; { c; }", "    for x in ;\n    do\n        c;\n    done" },
	{ "for (( i = 0 ;;  i++ )); do a; done",
	  "    for ((i = 0 ; 1; i++ ))\n    do\n        a;\n    done" },
	{ "select x in a; do b; done",
	  "    select x in a;\n    do\n        b;\n    done" },
	{ "case x in a|b) c;; (d) ;; e) f ;& *) g ;;& esac",
	  "    case x in \n        a | b)\n            c\n        ;;\n        "
	  "d)\n\n        ;;\n        e)\n            f\n        ;&\n        "
	  "*)\n            g\n        ;;&\n    esac" },
	{ "case x in esac", "    case x in \n    esac" },
	{ "{ a; b; }", "    { \n        a;\n        b\n    }" },
	{ "( a; b )", "    ( a;\n    b )" },
	{ "((1 + 2))", "    ((1 + 2))" },
	{ "[[ a == b && ! ( -f c || d ) ]]",
	  "    [[ a == b && ! ( -f c || -n d ) ]]" },
	{ "[[ x =~ ^(a|b)+$ ]]", "    [[ x =~ ^(a|b)+$ ]]" },
	{ "coproc a b; coproc N { c; }",
	  "    coproc COPROC a b;\n    coproc N { \n        c\n    }" },
	{ "g() { a; } > f",
	  "    function g () \n    { \n        a\n    } > f" },
	{ "function h ( a )",
	  "    function h () \n    { \n        ( a )\n    }" },
	{ "x=1 >f a <g b 2>&1 {v}>h", "    x=1 a b > f < g 2>&1 {v}> h" },
	{ "a <> f; a 1<>f; a >&2; a <&-; a 5>&6-; a >&$x; a &>> l",
	  "    a 0<> f;\n    a <> f;\n    a 1>&2;\n    a 0>&-;\n    a 5>&6-;\n "
	  "   a >&$x;\n    a &>> l" },
	{ "a >| f <<< w", "    a >| f <<< w" },
	{ "cat <<E; b\nx\nE", "    cat <<E\nx\nE\n\n    b" },
	{ "cat <<-'it'\"'\"'s' && b\n\tx\n\tit's",
	  "    cat <<-'it'\\''s' && \nx\nit's\n b" },
	{ "cat <<E | b\nx\nE", "    cat <<E |\nx\nE\n  b" },
	{ "if cat <<E; then b; fi\nx\nE",
	  "    if cat <<E\nx\nE\n then\n        b;\n    fi" },
	{ "( a <<E )\nx\nE", "    ( a <<E\nx\nE\n )" },
	{ "a $'b\\tc\\'d' $\"e $f\" \"$'g'\"",
	  "    a 'b\tc'\\''d' \"e $f\" \"$'g'\"" },
	{ "a $(b;c) \"$(d\ne # f\n)\" `g ;h` <(i  j)",
	  "    a $(b; c) \"$(d\ne)\" `g ;h` <(i j)" },
	{ "a $( (b) ) $((b); c) $(<f) $( ) $((1+$(d;e)))",
	  "    a $( ( b )) $((b); c) $(< f) $() $((1+$(d; e)))" },
	{ "a=( 1\n 2 # c\n) b", "    a=(1 2) b" },
	{ "m=([a]=b [c d]=\"e\") n+=(x)", "    m=([a]=b [c d]=\"e\") n+=(x)" },
	{ "a \\\n b\\\nc \"d\\\ne\"", "    a bc \"de\"" },
	{ "echo \"$(cat <<'E'\nx\nE\n)\"",
	  "    echo \"$(cat <<'E'\nx\nE\n)\"" },
	{ "a ${x:-$(b;c)} \"${y#$'z'}\" ${w[$(d;e)]}",
	  "    a ${x:-$(b; c)} \"${y#'z'}\" ${w[$(d; e)]}" },
};

/* The function's text; empty when it does not parse. */
static struct bl_str print(struct bl_str text)
{
	struct bl_shell_script *script;
	struct bl_str printed = { NULL, 0 };
	struct bl_buf out;

	bl_buf_init(&out, 0);
	if (!bl_shell_parse(&arena, text, NULL, &script, NULL)) {
		bl_shell_print_function(&out, BL_STR("f"), script->list);
		printed = bl_arena_copy_str(&arena, bl_buf_str(&out));
	}
	bl_buf_clear(&out);
	return printed;
}

static void test_forms(void)
{
	for (size_t i = 0; i < BL_COUNT(forms); i++) {
		struct bl_str expected = bl_arena_printf(
			&arena, "f () \n{ \n%s\n}\n", forms[i][1]);
		struct bl_str printed = print(bl_str(forms[i][0]));

		CHECK_STR(printed, expected.ptr);
		bl_arena_reset(&arena);
	}
}

/* bash drops the 1 of 1<>f, and takes its own COPROC for a command. */
static bool is_lossy(const char *text)
{
	return strstr(text, "1<>") || strstr(text, "coproc a");
}

/* The printed text defines an equal function. */
static void test_again(void)
{
	for (size_t i = 0; i < BL_COUNT(forms); i++) {
		struct bl_shell_script *script;
		const struct bl_shell_command *command;
		struct bl_str once = print(bl_str(forms[i][0]));
		struct bl_buf out;

		REQUIRE(!bl_shell_parse(&arena, once, NULL, &script, NULL));
		command = script->list->chains->pipelines->commands;
		REQUIRE(command->kind == BL_SHELL_FUNCTION_COMMAND);
		bl_buf_init(&out, 0);
		bl_shell_print_function(&out, BL_STR("f"),
					command->function.body->list);
		if (!is_lossy(forms[i][0]))
			CHECK_STR(bl_buf_str(&out), once.ptr);
		bl_buf_clear(&out);
		bl_arena_reset(&arena);
	}
}

/* A substitution's list, and a word. */
static void test_list_and_word(void)
{
	struct bl_shell_script *script;
	struct bl_buf out;

	REQUIRE(!bl_shell_parse(&arena, BL_STR("a;  b $(c;d)\ne"), NULL,
				&script, NULL));
	bl_buf_init(&out, 0);
	bl_shell_print_list(&out, script->list);
	CHECK_STR(bl_buf_str(&out), "a; b $(c; d); e");
	bl_buf_reset(&out);
	bl_shell_print_word(&out, script->list->chains->next->pipelines
					  ->commands->simple.words->next);
	CHECK_STR(bl_buf_str(&out), "$(c; d)");
	bl_buf_clear(&out);
	bl_arena_reset(&arena);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(test_forms);
	RUN(test_again);
	RUN(test_list_and_word);
	bl_arena_clear(&arena);
	return tap_end();
}

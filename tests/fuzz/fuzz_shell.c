/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a shell text: every place lies in the text, what is printed is
 * read again and prints the same, and expansion comes to an end.
 */
#include <string.h>

#include "fuzz.h"
#include "shell/shell.h"

enum { ARENA_BYTES_MAX = 64 << 20 };

static size_t text_len;

static void check_span(struct bl_shell_span span)
{
	MUST(span.start <= span.end && span.end <= text_len);
}

static void check_list(const struct bl_shell_list *list);

static void check_script(const struct bl_shell_script *script)
{
	check_span(script->span);
	if (script->fault.kind)
		check_span(script->fault.span);
	if (script->list)
		check_list(script->list);
}

static void check_words(const struct bl_shell_word *word);

static void check_part(const struct bl_shell_part *part)
{
	check_span(part->span);
	switch ((int)part->kind) {
	case BL_SHELL_DOUBLE:
	case BL_SHELL_LOCALE:
	case BL_SHELL_ARITHMETIC:
		for (const struct bl_shell_part *p = part->parts; p;
		     p = p->next)
			check_part(p);
		break;
	case BL_SHELL_COMMAND:
	case BL_SHELL_BACKQUOTE:
	case BL_SHELL_PROCESS_IN:
	case BL_SHELL_PROCESS_OUT:
		check_script(part->script);
		break;
	case BL_SHELL_ARRAY:
		check_words(part->elements);
		break;
	case BL_SHELL_PARAMETER:
		check_words(part->parameter->subscript);
		check_words(part->parameter->operand);
		check_words(part->parameter->second);
		break;
	default:
		MUST(part->text.ptr);
	}
}

static enum bl_shell_state find_nothing(void *context, struct bl_str name,
					struct bl_str subscript,
					struct bl_str *out)
{
	(void)context;
	(void)subscript;
	*out = BL_STR("a b*");
	return name.len % 2 ? BL_SHELL_STATE_SET : BL_SHELL_STATE_UNSET;
}

static void check_words(const struct bl_shell_word *word)
{
	struct bl_shell_variables variables = { .find = find_nothing };
	struct bl_shell_field *fields;
	struct bl_arena arena;

	for (; word; word = word->next) {
		check_span(word->span);
		for (const struct bl_shell_part *part = word->parts; part;
		     part = part->next)
			check_part(part);
		bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
		bl_shell_expand_word(&arena, word, &variables, false, &fields);
		bl_arena_clear(&arena);
	}
}

static void check_test(const struct bl_shell_test *test)
{
	if (!test)
		return;
	check_words(test->left);
	check_words(test->right);
	check_test(test->first);
	check_test(test->second);
}

static void check_command(const struct bl_shell_command *command);

static void check_parts_of(const struct bl_shell_command *command)
{
	switch ((int)command->kind) {
	case BL_SHELL_SIMPLE_COMMAND:
		check_words(command->simple.assignments);
		check_words(command->simple.words);
		break;
	case BL_SHELL_GROUP_COMMAND:
	case BL_SHELL_SUBSHELL_COMMAND:
		check_list(command->list);
		break;
	case BL_SHELL_CASE_COMMAND:
		check_words(command->cases.subject);
		for (const struct bl_shell_clause *clause =
			     command->cases.clauses;
		     clause; clause = clause->next) {
			check_span(clause->span);
			check_words(clause->patterns);
		}
		break;
	case BL_SHELL_ARITHMETIC_COMMAND:
		check_words(command->expression);
		break;
	case BL_SHELL_CONDITION_COMMAND:
		check_test(command->test);
		break;
	case BL_SHELL_FUNCTION_COMMAND:
		check_command(command->function.body);
		break;
	case BL_SHELL_COPROCESS_COMMAND:
		check_command(command->coprocess.body);
		break;
	default:
		break;
	}
}

static void check_command(const struct bl_shell_command *command)
{
	check_span(command->span);
	check_parts_of(command);
	for (const struct bl_shell_redirection *r = command->redirections; r;
	     r = r->next) {
		check_span(r->span);
		MUST(r->target);
		check_words(r->target);
		if (r->here) {
			check_span(r->here->span);
			check_words(r->here->body);
		}
	}
}

static void check_list(const struct bl_shell_list *list)
{
	check_span(list->span);
	for (const struct bl_shell_chain *chain = list->chains; chain;
	     chain = chain->next) {
		check_span(chain->span);
		for (const struct bl_shell_pipeline *p = chain->pipelines; p;
		     p = p->next)
			for (const struct bl_shell_command *c = p->commands; c;
			     c = c->next)
				check_command(c);
	}
}

/* Printing must lose nothing. */
static void check_print(const struct bl_shell_list *list)
{
	struct bl_buf out;

	bl_buf_init(&out, 16 * (text_len + 4096));
	bl_shell_print_function(&out, BL_STR("f"), list);
	MUST(bl_buf_status(&out) == BL_LIMIT || out.len > 0);
	bl_buf_clear(&out);
}

static void check_text(struct bl_str text, bool extglob)
{
	struct bl_shell_options options = { .extglob = extglob };
	struct bl_shell_script *script;
	struct bl_error err = { 0 };
	struct bl_arena arena;
	enum bl_status status;

	text_len = text.len;
	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	status = bl_shell_parse(&arena, text, &options, &script, &err);
	MUST(status == BL_OK || status == BL_SYNTAX || status == BL_LIMIT);
	MUST(status == BL_OK || err.message[0]);
	if (script) {
		check_script(script);
		if (script->list)
			check_print(script->list);
		MUST(status == BL_OK || script->fault.kind);
	} else {
		MUST(status == BL_LIMIT);
	}
	bl_arena_clear(&arena);
}

static void check_pattern(struct bl_str text)
{
	struct bl_str pattern = bl_str_slice(text, 0, text.len / 2);
	struct bl_arena arena;
	int64_t value;
	bool matches;

	if (text.len > 4096)
		return;
	text = bl_str_slice(text, text.len / 2, text.len);
	bl_shell_match(pattern, text, BL_SHELL_MATCH_EXTGLOB, &matches);
	bl_shell_match(pattern, text,
		       BL_SHELL_MATCH_PATH | BL_SHELL_MATCH_PERIOD, &matches);
	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	bl_shell_evaluate(&arena, text, NULL, &value);
	MUST(bl_shell_decode_ansi(&arena, text).ptr);
	bl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bl_str text = { (const char *)data, size };

	check_text(text, false);
	check_text(text, true);
	check_pattern(text);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/editors.c: commands given to editors, pagers and debuggers on their
 * command line or standard input: vim -c, ed, gdb -ex, less +TEXT.  Apart from
 * special.c, since these are small languages of their own.
 */
#include "effects/private.h"

/* The commands of ex that touch a file or run another language. */
static const struct {
	const char *name; /* whole, or an abbreviation that people write */
	enum bl_fact_kind kind;
	const char *lang;
} ex_commands[] = {
	{ "r", BL_FACT_READ, NULL },
	{ "read", BL_FACT_READ, NULL },
	{ "e", BL_FACT_READ, NULL },
	{ "edit", BL_FACT_READ, NULL },
	{ "sp", BL_FACT_READ, NULL },
	{ "split", BL_FACT_READ, NULL },
	{ "tabe", BL_FACT_READ, NULL },
	{ "view", BL_FACT_READ, NULL },
	{ "w", BL_FACT_WRITE, NULL },
	{ "write", BL_FACT_WRITE, NULL },
	{ "sav", BL_FACT_WRITE, NULL },
	{ "saveas", BL_FACT_WRITE, NULL },
	{ "lua", BL_FACT_EXECUTE, "lua" },
	{ "perl", BL_FACT_EXECUTE, "perl" },
	{ "py", BL_FACT_EXECUTE, "python" },
	{ "python", BL_FACT_EXECUTE, "python" },
	{ "ruby", BL_FACT_EXECUTE, "ruby" },
};

static size_t skip_any(struct effects_text text, size_t at, const char *of)
{
	while (at < text.len && text.ptr[at] && strchr(of, text.ptr[at]))
		at++;
	return at;
}

/* call system('TEXT'), echo system("TEXT") */
static void run_vim_system(struct effects_run *run, struct effects_text text,
			   struct bl_shell_span span)
{
	size_t at = bl_str_find(effects_str(text), BL_STR("system("), 0);
	size_t end;

	if (at == SIZE_MAX)
		return;
	at = skip_any(text, at + strlen("system("), " ");
	if (at >= text.len || (text.ptr[at] != '"' && text.ptr[at] != '\''))
		return;
	end = text.len;
	while (end > at + 1 && text.ptr[end - 1] != text.ptr[at])
		end--;
	if (end > at + 1)
		effects_run_text(run->walk, &run->inside,
				 effects_cut(text, at + 1, end - 1), true, NULL,
				 span);
}

/* `!TEXT`, `:r !TEXT`, `%!TEXT`: a shell runs it; `r FILE`, `w! FILE`. */
static void run_ex(struct effects_run *run, struct effects_text text,
		   struct bl_shell_span span)
{
	size_t from = skip_any(text, 0, ":+ 0123456789,$%.'<>");
	size_t end = from;
	struct bl_str word;

	while (end < text.len && text.ptr[end] >= 'a' && text.ptr[end] <= 'z')
		end++;
	word = bl_str_slice(effects_str(text), from, end);
	/* q! and w! only force. */
	if (word.len && end < text.len && text.ptr[end] == '!')
		end++;
	end = skip_any(text, end, "3 ");
	if (end < text.len && text.ptr[end] == '!') {
		effects_run_text(run->walk, &run->inside,
				 effects_cut(text, end + 1, text.len), true,
				 NULL, span);
		return;
	}
	run_vim_system(run, text, span);
	text = effects_cut(text, end, text.len);
	for (size_t i = 0; text.len && i < BL_COUNT(ex_commands); i++) {
		if (!bl_str_is(word, ex_commands[i].name))
			continue;
		if (ex_commands[i].lang)
			effects_code(run->walk, &run->inside,
				     bl_str(ex_commands[i].lang), text, NULL, 0,
				     span);
		else
			effects_add_path(run->walk, &run->inside,
					 ex_commands[i].kind, BL_STR("ex"),
					 text, 0, 0, span);
	}
}

bool effects_vim(struct effects_run *run)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word word = run->parsed.words[i];

		if (bl_str_is(word.role, "text") ||
		    (word.text.len && word.text.ptr[0] == '+'))
			run_ex(run, word.text, word.span);
	}
	return false;
}

/* gdb -ex 'shell TEXT', '!TEXT', 'python TEXT' */
bool effects_gdb(struct effects_run *run)
{
	static const struct {
		const char *front;
		const char *lang;
	} commands[] = {
		{ "shell ", "shell" },   { "!", "shell" },
		{ "python ", "python" }, { "py ", "python" },
		{ "pipe ", "shell" },
	};

	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word word = run->parsed.words[i];

		for (size_t k = 0; k < BL_COUNT(commands); k++)
			if (bl_str_is(word.role, "text") &&
			    bl_str_has_prefix(effects_str(word.text),
					      bl_str(commands[k].front)))
				effects_code(
					run->walk, &run->inside,
					bl_str(commands[k].lang),
					effects_cut(word.text,
						    strlen(commands[k].front),
						    word.text.len),
					NULL, 0, word.span);
	}
	return false;
}

/* less +TEXT: a command of less; +!TEXT runs. */
bool effects_less(struct effects_run *run)
{
	for (size_t i = 0; i < run->parsed.operands.count; i++) {
		struct effects_text word = run->parsed.operands.items[i].text;

		if (bl_str_has_prefix(effects_str(word), BL_STR("+!")))
			effects_run_text(run->walk, &run->inside,
					 effects_cut(word, 2, word.len), true,
					 NULL,
					 run->parsed.operands.items[i].span);
	}
	return false;
}

/* ed reads commands: lines with a ! run. */
bool effects_ed(struct effects_run *run)
{
	bool is_known;
	struct effects_text input =
		effects_input(run->walk, &run->inside, &is_known);
	size_t from = 0;

	for (size_t i = 0; is_known && i <= input.len; i++) {
		if (i < input.len && input.ptr[i] != '\n')
			continue;
		run_ex(run, effects_cut(input, from, i), run->span);
		from = i + 1;
	}
	return false;
}

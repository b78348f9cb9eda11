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
	{ "wq", BL_FACT_WRITE, NULL },
	{ "x", BL_FACT_WRITE, NULL },
	{ "xit", BL_FACT_WRITE, NULL },
	{ "up", BL_FACT_WRITE, NULL },
	{ "update", BL_FACT_WRITE, NULL },
	{ "lua", BL_FACT_EXECUTE, "lua" },
	{ "perl", BL_FACT_EXECUTE, "perl" },
	{ "py", BL_FACT_EXECUTE, "python" },
	{ "python", BL_FACT_EXECUTE, "python" },
	{ "ruby", BL_FACT_EXECUTE, "ruby" },
};

/* They stand in front of a command. */
static const char *const ex_modifiers[] = {
	"silent",  "sil",   "verbose",   "verb",  "noautocmd", "noa",
	"keepalt", "keepa", "keepjumps", "keepj", "lockmarks", "lockm",
	"confirm", "conf",  "browse",    "bro",   "vertical",  "vert",
	"tab",     "bufdo", "windo",     "argdo",
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

/* The name of a file as ex reads it: ~/ and $HOME/ are the home. */
static struct effects_text ex_file(struct effects_run *run,
				   struct effects_text text)
{
	static const char *const homes[] = { "~", "$HOME", "${HOME}" };
	const struct bl_effects_input *input = run->walk->input;

	while (text.len && text.ptr[text.len - 1] == ' ')
		text = effects_cut(text, 0, text.len - 1);
	for (size_t i = 0; i < BL_COUNT(homes); i++) {
		size_t len = strlen(homes[i]);

		if (bl_str_has_prefix(effects_str(text), bl_str(homes[i])) &&
		    text.len > len && text.ptr[len] == '/')
			return effects_join(run->walk->arena,
					    effects_text(input->home),
					    effects_cut(text, len, text.len));
	}
	return text;
}

/* One command with a word of the table; rest is what stands behind it. */
static void run_ex_command(struct effects_run *run, struct bl_str word,
			   struct effects_text rest, struct bl_shell_span span)
{
	size_t bar = bl_str_find(effects_str(rest), BL_STR("|"), 0);
	struct effects_text own =
		effects_cut(rest, 0, bar == SIZE_MAX ? rest.len : bar);

	for (size_t i = 0; rest.len && i < BL_COUNT(ex_commands); i++) {
		if (!bl_str_is(word, ex_commands[i].name))
			continue;
		if (ex_commands[i].lang)
			effects_code(run->walk, &run->inside,
				     bl_str(ex_commands[i].lang), rest, NULL, 0,
				     span);
		else if (own.len)
			effects_add_path(run->walk, &run->inside,
					 ex_commands[i].kind, BL_STR("ex"),
					 ex_file(run, own), 0, 0, span);
	}
}

static bool is_modifier(struct bl_str word)
{
	for (size_t i = 0; i < BL_COUNT(ex_modifiers); i++)
		if (bl_str_is(word, ex_modifiers[i]))
			return true;
	return false;
}

/*
 * `!TEXT`, `:r !TEXT`, `%!TEXT`: a shell runs it, to the end; `r FILE`, `w! FILE`.
 * Behind a | stands the next command.  Gives where that begins; text.len: nowhere.
 */
static size_t run_ex_one(struct effects_run *run, struct effects_text text,
			 size_t from, struct bl_shell_span span)
{
	size_t end;
	size_t bar;
	struct bl_str word;

	from = skip_any(text, from, ":+ 0123456789,$%.'<>|");
	end = from;
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
		return text.len;
	}
	if (is_modifier(word) && end > from)
		return end;
	run_ex_command(run, word, effects_cut(text, end, text.len), span);
	bar = bl_str_find(effects_str(text), BL_STR("|"), end);
	return bar == SIZE_MAX ? text.len : bar + 1;
}

static void run_ex(struct effects_run *run, struct effects_text text,
		   struct bl_shell_span span)
{
	size_t at = 0;

	run_vim_system(run, text, span);
	while (at < text.len)
		at = run_ex_one(run, text, at, span);
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

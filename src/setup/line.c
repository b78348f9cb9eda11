/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c: the command line of an agent's hook, read: is it ours, which program
 * does it start, and which options did somebody add?  The words are those of
 * the shell; nothing is expanded.
 *
 *   '/opt/b l/belay' eval --harness claude --policy-dir "$D"/.belay --log-payload
 *   program /opt/b l/belay, policy_dir "$D"/.belay as written, options " --log-payload"
 */
#include "os/os.h"
#include "setup/private.h"

enum { MAX_WORDS = 64 };

struct word {
	struct bl_str raw;  /* with its quotes */
	struct bl_str text; /* without */
};

struct words {
	struct word list[MAX_WORDS];
	size_t count;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* The next word from *at on, which moves behind it; false: none, or memory. */
static bool next_word(struct bl_arena *arena, struct bl_str line, size_t *at,
		      struct word *out)
{
	char *text = bl_arena_alloc_aligned(arena, line.len + 1, 1);
	size_t len = 0;
	char quote = 0;
	size_t start;

	while (*at < line.len && is_blank(line.ptr[*at]))
		(*at)++;
	start = *at;
	for (; *at < line.len; (*at)++) {
		char c = line.ptr[*at];

		if (!quote && is_blank(c))
			break;
		if (c == quote) {
			quote = 0;
		} else if (!quote && (c == '\'' || c == '"')) {
			quote = c;
		} else {
			if (c == '\\' && quote != '\'' && *at + 1 < line.len)
				c = line.ptr[++*at];
			if (text)
				text[len++] = c;
		}
	}
	out->raw = bl_str_slice(line, start, *at);
	out->text = (struct bl_str){ text, len };
	return text && *at > start;
}

static bool split(struct bl_arena *arena, struct bl_str line,
		  struct words *out_words)
{
	size_t at = 0;

	out_words->count = 0;
	while (out_words->count < MAX_WORDS &&
	       next_word(arena, line, &at, &out_words->list[out_words->count]))
		out_words->count++;
	return out_words->count < MAX_WORDS;
}

/* The value of option name at word i: "--name VALUE" or "--name=VALUE". */
static bool read_option(const struct words *words, size_t *i, const char *name,
			struct word *out_value)
{
	const struct word *word = &words->list[*i];
	size_t len = strlen(name);

	if (bl_str_is(word->text, name) && *i + 1 < words->count) {
		*out_value = words->list[++*i];
		return true;
	}
	if (!bl_str_has_prefix(word->text, bl_str(name)) ||
	    word->text.len <= len || word->text.ptr[len] != '=')
		return false;
	out_value->text = bl_str_slice(word->text, len + 1, SIZE_MAX);
	out_value->raw = bl_str_slice(word->raw, len + 1, SIZE_MAX);
	return true;
}

/* The index of "eval" behind a program of that name; 0: not there. */
static size_t find_eval(const struct words *words, struct bl_str name)
{
	for (size_t i = 1; i < words->count; i++)
		if (bl_str_is(words->list[i].text, "eval") &&
		    bl_str_equal(bl_path_base(words->list[i - 1].text), name))
			return i;
	return 0;
}

bool bl_setup_read_call(struct bl_str command, struct bl_str program_name,
			const char *agent, struct bl_arena *arena,
			struct setup_call *out_call)
{
	struct word harness = { .text = { NULL, 0 } };
	struct word dir = { .raw = { NULL, 0 } };
	struct words words;
	struct bl_buf options;
	bool is_closing = bl_str_has_suffix(command, BL_STR(SETUP_CLOSING));
	size_t eval;

	if (is_closing)
		command = bl_str_slice(command, 0,
				       command.len - strlen(SETUP_CLOSING));
	if (!split(arena, command, &words))
		return false;
	eval = find_eval(&words, program_name);
	if (!eval)
		return false;
	bl_buf_init(&options, 0);
	for (size_t i = eval + 1; i < words.count; i++) {
		if (read_option(&words, &i, "--harness", &harness) ||
		    read_option(&words, &i, "--policy-dir", &dir))
			continue;
		bl_buf_put_char(&options, ' ');
		bl_buf_put_str(&options, words.list[i].raw);
	}
	*out_call = (struct setup_call){
		.program = words.list[eval - 1].text,
		.policy_dir = dir.raw,
		.policy_dir_text = dir.text,
		.options = bl_arena_copy_str(arena, bl_buf_str(&options)),
		.is_closing = is_closing,
	};
	bl_buf_clear(&options);
	return out_call->options.ptr && bl_str_is(harness.text, agent);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/muffle.c: pipes whose second program lets nothing of note through.
 *
 * `env | wc -l` and `cat .env | grep -c PORT` read secrets and show a number;
 * `env | grep NODE` shows what nobody hides.  The read stays a fact, with detail
 * quiet.  Apart from streams.c, which follows texts that are known.
 */
#include "effects/private.h"

/* Parts of names and values that people keep secret; lower case. */
static const char *const secret_parts[] = {
	"secret", "token", "pass",   "pwd",  "key",   "cred",    "auth",
	"aws",    "azure", "gcp",    "goog", "git",   "npm",     "api",
	"stripe", "slack", "db",     "data", "url",   "dsn",     "conn",
	"redis",  "mongo", "pg",     "sql",  "cert",  "ssh",     "gpg",
	"sentry", "twil",  "heroku", "hf_",  "vault", "session",
};

static bool has_option(const struct bl_fact_command *command, const char *name)
{
	for (size_t i = 0; i < command->option_count; i++)
		if (bl_str_is(command->options[i].name, name))
			return true;
	return false;
}

/* Letters, _ and | alone, each word of three letters at least, none secret. */
static bool is_plain_pattern(const struct bl_fact_text *pattern)
{
	char lower[64];
	size_t word = 0;

	if (pattern->state != BL_FACT_KNOWN || !pattern->text.len ||
	    pattern->text.len >= sizeof(lower))
		return false;
	for (size_t i = 0; i < pattern->text.len; i++) {
		char c = pattern->text.ptr[i];
		bool is_upper = c >= 'A' && c <= 'Z';

		if (c == '|' && word < 3)
			return false;
		word = c == '|' ? 0 : word + 1;
		if (!is_upper && c != '|' && c != '_' &&
		    !(c >= 'a' && c <= 'z'))
			return false;
		lower[i] = (char)(is_upper ? c - 'A' + 'a' : c);
	}
	lower[pattern->text.len] = 0;
	for (size_t i = 0; i < BL_COUNT(secret_parts); i++)
		if (strstr(lower, secret_parts[i]))
			return false;
	return word >= 3;
}

enum lets_through { ALL, PLAIN_NAMES, NUMBERS };

/*
 * Programs that send what they read to their output and nowhere else.  awk, sed or
 * python could print it to the terminal as well.
 */
static const char *const writers[] = { "cat",      "head",   "tail",
				       "tac",      "env",    "set",
				       "printenv", "export", "declare" };

/* Options of grep and rg that leave a line in or out, and show no other. */
static const char *const line_options[] = {
	"ignore-case", "extended-regexp", "fixed-strings", "basic-regexp",
	"line-number", "word-regexp",     "line-regexp",   "only-matching",
	"no-messages", "max-count",       "color",         "colour",
	"smart-case",  "case-sensitive",
};

/* Options of wc that choose what is counted. */
static const char *const count_options[] = {
	"bytes", "chars", "lines", "words", "L",
};

static bool is_among(struct bl_str name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bl_str_is(name, names[i]))
			return true;
	return false;
}

static bool has_only(const struct bl_fact_command *command,
		     const char *const *names, size_t count)
{
	for (size_t i = 0; i < command->option_count; i++)
		if (!is_among(command->options[i].name, names, count))
			return false;
	return true;
}

/* ./wc is anybody's. */
static bool is_named(const struct bl_fact_command *command)
{
	return command->argc &&
	       bl_str_equal(command->argv[0].text, command->program);
}

/* The part of its input that the program shows. */
static enum lets_through shown_by(const struct bl_fact_command *command)
{
	static const char *const searchers[] = { "grep", "egrep", "fgrep",
						 "rg" };

	if (!is_named(command))
		return ALL;
	if (bl_str_is(command->program, "wc"))
		return !command->operand_count &&
				       has_only(command, count_options,
						BL_COUNT(count_options))
			       ? NUMBERS
			       : ALL;
	if (!is_among(command->program, searchers, BL_COUNT(searchers)))
		return ALL;
	if (!has_option(command, "passthru") &&
	    (has_option(command, "count") || has_option(command, "silent") ||
	     has_option(command, "quiet")))
		return NUMBERS;
	return command->operand_count == 1 &&
			       has_only(command, line_options,
					BL_COUNT(line_options)) &&
			       is_plain_pattern(&command->operands[0])
		       ? PLAIN_NAMES
		       : ALL;
}

static bool prints_elsewhere(const struct bl_fact_command *command)
{
	for (size_t i = 0; i < command->redirection_count; i++)
		if (command->redirections[i].descriptor != 2)
			return true;
	return false;
}

void effects_muffle(struct effects_walk *walk, size_t writer, size_t reader)
{
	const struct bl_fact_command *from = &walk->commands[writer];
	enum lets_through through;

	if (!is_named(from) || prints_elsewhere(from) ||
	    !is_among(from->program, writers, BL_COUNT(writers)) ||
	    walk->commands[reader].wrapper_count != from->wrapper_count)
		return;
	through = shown_by(&walk->commands[reader]);
	for (uint32_t i = 0; through != ALL && i < walk->effect_count; i++) {
		struct bl_fact_effect *effect = &walk->effects[i];
		bool is_environment = effect->kind == BL_FACT_SECRET &&
				      bl_str_is(effect->action, "environment");
		bool is_read =
			effect->kind == BL_FACT_READ && through == NUMBERS;

		if (effect->command == writer && (is_environment || is_read))
			effect->details |= BL_FACT_IS_QUIET;
	}
}

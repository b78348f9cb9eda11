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

/* The part of its input that the program shows. */
static enum lets_through shown_by(const struct bl_fact_command *command)
{
	bool is_grep = bl_str_is(command->row, "grep") ||
		       bl_str_is(command->row, "egrep") ||
		       bl_str_is(command->row, "fgrep") ||
		       bl_str_is(command->row, "rg");

	if (!bl_str_equal(command->argv[0].text, command->program))
		return ALL; /* ./wc is anybody's */
	if (bl_str_is(command->row, "wc"))
		return command->operand_count ? ALL : NUMBERS;
	if (!is_grep)
		return ALL;
	if (has_option(command, "count") || has_option(command, "quiet") ||
	    has_option(command, "silent"))
		return NUMBERS;
	if (command->operand_count != 1 ||
	    has_option(command, "invert-match") ||
	    has_option(command, "regexp") || has_option(command, "file") ||
	    has_option(command, "context") ||
	    has_option(command, "after-context") ||
	    has_option(command, "before-context"))
		return ALL;
	return is_plain_pattern(&command->operands[0]) ? PLAIN_NAMES : ALL;
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
	enum lets_through through;

	if (prints_elsewhere(&walk->commands[writer]) ||
	    walk->commands[reader].wrapper_count !=
		    walk->commands[writer].wrapper_count)
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

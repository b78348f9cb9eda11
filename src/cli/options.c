/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: the option parser, driven by the command's table. */
#include "cli/cli.h"

/* The arguments that are left, and whether "--" was among those before. */
struct reader {
	struct cli *cli;
	const struct cli_code *code;
	int next;
	bool only_operands;
	struct bl_error *err;
};

struct bl_str cli_value(const struct cli *cli, size_t option)
{
	const struct cli_given *given = &cli->given[option];

	if (!given->count)
		return (struct bl_str){ NULL, 0 };
	return given->values[given->count - 1];
}

struct bl_str cli_operand(const struct cli *cli, size_t i)
{
	if (i >= cli->operand_count)
		return (struct bl_str){ NULL, 0 };
	return cli->operands[i];
}

void cli_guess_offer(struct cli_guess *guess, struct bl_str candidate)
{
	size_t distance = bl_str_distance(guess->text, candidate);

	if (distance > 1 + guess->text.len / 4)
		return;
	if (!guess->best.len || distance < guess->distance) {
		guess->best = candidate;
		guess->distance = distance;
	}
}

/* Is word among words, which has a blank on both sides of each? */
static bool has_word(const char *words, struct bl_str word)
{
	struct bl_str all = bl_str(words);
	size_t at = 0;

	while ((at = bl_str_find(all, word, at)) != SIZE_MAX) {
		if (all.ptr[at - 1] == ' ' && all.ptr[at + word.len] == ' ')
			return true;
		at++;
	}
	return false;
}

/* The foreign option of that name, or with letter; NULL when absent. */
static const struct cli_foreign *find_foreign(const struct reader *reader,
					      struct bl_str name, char letter)
{
	struct bl_str command = bl_str(reader->cli->command->name);
	const struct cli_foreign *at = reader->code->foreign;
	size_t blank = bl_str_find(command, BL_STR(" "), 0);

	command = bl_str_slice(command, blank == SIZE_MAX ? 0 : blank + 1,
			       SIZE_MAX);
	for (; at && at->name; at++)
		if ((letter ? at->letter == letter
			    : bl_str_is(name, at->name)) &&
		    has_word(at->commands, command))
			return at;
	return NULL;
}

/* False: it is refused, or a value that it needs is missing. */
static bool take_foreign(struct reader *reader,
			 const struct cli_foreign *foreign, bool has_value)
{
	if (foreign->remedy) {
		bl_fail(reader->err, BL_USAGE, "there is no '--%s': %s",
			foreign->name, foreign->remedy);
		return false;
	}
	if (foreign->has_value && !has_value &&
	    reader->next++ >= reader->cli->argc) {
		bl_fail(reader->err, BL_USAGE, "option '--%s' needs a value",
			foreign->name);
		return false;
	}
	return true;
}

static bool fail_unknown(struct reader *reader, struct bl_str name)
{
	struct cli_guess guess = { .text = name };

	for (size_t i = 0; i < reader->code->option_count; i++)
		cli_guess_offer(&guess, bl_str(reader->code->options[i].name));
	if (guess.best.len)
		bl_fail(reader->err, BL_USAGE,
			"there is no option '--%.*s'; did you mean '--%.*s'?",
			BL_STR_ARG(name), BL_STR_ARG(guess.best));
	else
		bl_fail(reader->err, BL_USAGE, "there is no option '--%.*s'",
			BL_STR_ARG(name));
	return false;
}

static bool take_number(struct reader *reader, const struct cli_option *option,
			struct bl_str value)
{
	uint64_t number = 0;

	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] < '0' || value.ptr[i] > '9')
			number = CLI_MAX_NUMBER + 1;
		else if (number <= CLI_MAX_NUMBER)
			number = number * 10 + (uint64_t)(value.ptr[i] - '0');
	}
	if (number > CLI_MAX_NUMBER) {
		bl_fail(reader->err, BL_USAGE,
			"option '--%s' needs a number up to %d, not '%.*s'",
			option->name, CLI_MAX_NUMBER, BL_STR_ARG(value));
		return false;
	}
	reader->cli->given[option - reader->code->options].number = number;
	return true;
}

/* One part of a duration, "90s", at the front of *rest, added to *sum. */
static bool take_part(struct bl_str *rest, double *sum)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 },  { "us", 1e3 }, { "ms", 1e6 },
		      { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 } };
	double number = 0;
	double scale = 0;
	size_t i = 0;
	size_t len;

	for (; i < rest->len && ((rest->ptr[i] >= '0' && rest->ptr[i] <= '9') ||
				 (rest->ptr[i] == '.' && scale <= 0 && i));
	     i++) {
		if (rest->ptr[i] == '.') {
			scale = 1;
			continue;
		}
		number = number * 10 + (rest->ptr[i] - '0');
		scale *= 10;
	}
	for (len = i; len < rest->len && rest->ptr[len] >= 'a'; len++)
		continue;
	for (size_t u = 0; i && u < BL_COUNT(units); u++) {
		if (!bl_str_is(bl_str_slice(*rest, i, len), units[u].name) &&
		    !(len == i && len == rest->len && units[u].ns == 1e9))
			continue;
		*sum += number / (scale > 0 ? scale : 1) * units[u].ns;
		*rest = bl_str_slice(*rest, len, SIZE_MAX);
		return true;
	}
	return false;
}

static bool take_duration(struct reader *reader,
			  const struct cli_option *option, struct bl_str value)
{
	struct bl_str rest = value;
	double sum = 0;

	while (rest.len && take_part(&rest, &sum))
		continue;
	if (rest.len || sum > CLI_MAX_NUMBER * 1e9) {
		bl_fail(reader->err, BL_USAGE,
			"option '--%s' needs a duration ('500ms', '5s', "
			"'1m30s') up to %d seconds, not '%.*s'",
			option->name, CLI_MAX_NUMBER, BL_STR_ARG(value));
		return false;
	}
	reader->cli->given[option - reader->code->options].number =
		(uint64_t)sum;
	return true;
}

/* Notes an option with its value (ptr NULL for a flag). */
static bool take(struct reader *reader, const struct cli_option *option,
		 struct bl_str value)
{
	struct cli *cli = reader->cli;
	struct cli_given *given = &cli->given[option - reader->code->options];

	if (option->kind != CLI_FLAG && !value.len) {
		bl_fail(reader->err, BL_USAGE,
			"option '--%s' needs a value (%s)", option->name,
			option->value);
		return false;
	}
	if (option->kind == CLI_VALUE && given->count) {
		bl_fail(reader->err, BL_USAGE, "option '--%s' is given twice",
			option->name);
		return false;
	}
	if (option->kind == CLI_NUMBER && !take_number(reader, option, value))
		return false;
	if (option->kind == CLI_DURATION &&
	    !take_duration(reader, option, value))
		return false;
	if (!given->values)
		given->values = bl_arena_new_array(&cli->arena, struct bl_str,
						   (size_t)cli->argc);
	if (!given->values) {
		bl_arena_fail(&cli->arena, reader->err);
		return false;
	}
	given->values[given->count++] = value;
	return true;
}

/* The next argument as a value; ptr NULL past the last. */
static struct bl_str next_argument(struct reader *reader)
{
	if (reader->next >= reader->cli->argc)
		return (struct bl_str){ NULL, 0 };
	return bl_str(reader->cli->argv[reader->next++]);
}

/* --flag=true, --flag=false. */
static bool take_switch(struct reader *reader, const struct cli_option *option,
			struct bl_str value)
{
	struct cli_given *given =
		&reader->cli->given[option - reader->code->options];

	if (bl_str_is(value, "true"))
		return take(reader, option, (struct bl_str){ NULL, 0 });
	if (bl_str_is(value, "false")) {
		given->count = 0;
		given->is_off = true;
		return true;
	}
	bl_fail(reader->err, BL_USAGE,
		"option '--%s' takes no value but true or false", option->name);
	return false;
}

/* arg is what follows "--". */
static bool read_long(struct reader *reader, struct bl_str arg)
{
	size_t equals = bl_str_find(arg, BL_STR("="), 0);
	struct bl_str name = bl_str_slice(arg, 0, equals);
	const struct cli_option *option = NULL;
	const struct cli_foreign *foreign;

	for (size_t i = 0; i < reader->code->option_count; i++) {
		if (bl_str_is(name, reader->code->options[i].name))
			option = &reader->code->options[i];
	}
	foreign = option ? NULL : find_foreign(reader, name, 0);
	if (foreign)
		return take_foreign(reader, foreign, equals != SIZE_MAX);
	if (!option)
		return fail_unknown(reader, name);
	if (equals == SIZE_MAX)
		return take(reader, option,
			    option->kind == CLI_FLAG
				    ? (struct bl_str){ NULL, 0 }
				    : next_argument(reader));
	arg = bl_str_slice(arg, equals + 1, SIZE_MAX);
	return option->kind == CLI_FLAG ? take_switch(reader, option, arg)
					: take(reader, option, arg);
}

/* arg is what follows "-": a letter, and the value of the last one. */
static bool read_short(struct reader *reader, struct bl_str arg)
{
	const struct cli_option *option = NULL;
	const struct cli_foreign *foreign;
	struct bl_str value = bl_str_slice(arg, 1, SIZE_MAX);

	for (size_t i = 0; i < reader->code->option_count; i++) {
		if (reader->code->options[i].letter == arg.ptr[0])
			option = &reader->code->options[i];
	}
	foreign = option ? NULL
			 : find_foreign(reader, (struct bl_str){ 0 }, *arg.ptr);
	if (foreign)
		return take_foreign(reader, foreign, value.len > 0);
	if (!option || (option->kind == CLI_FLAG && value.len)) {
		bl_fail(reader->err, BL_USAGE, "there is no option '-%.*s'",
			BL_STR_ARG(arg));
		return false;
	}
	if (option->kind != CLI_FLAG && !value.len)
		value = next_argument(reader);
	return take(reader, option, value);
}

static bool read_operand(struct reader *reader, struct bl_str arg)
{
	struct cli *cli = reader->cli;

	if (cli->operand_count >= reader->code->most_operands) {
		bl_fail(reader->err, BL_USAGE, "'%.*s' is one operand too many",
			BL_STR_ARG(arg));
		return false;
	}
	cli->operands[cli->operand_count++] = arg;
	return true;
}

bool cli_is_help(struct bl_str arg)
{
	return bl_str_is(arg, "--help") || bl_str_is(arg, "-h");
}

static bool read_one(struct reader *reader, struct bl_str arg)
{
	if (reader->only_operands || arg.len < 2 || arg.ptr[0] != '-')
		return read_operand(reader, arg);
	if (arg.ptr[1] != '-')
		return read_short(reader, bl_str_slice(arg, 1, SIZE_MAX));
	if (arg.len > 2)
		return read_long(reader, bl_str_slice(arg, 2, SIZE_MAX));
	reader->only_operands = true;
	return true;
}

enum cli_parsed cli_parse(struct cli *cli, int first, struct bl_error *err)
{
	struct reader reader = { cli, cli->command->code, first, false, err };

	cli->operands = bl_arena_new_array(&cli->arena, struct bl_str,
					   (size_t)cli->argc);
	if (!cli->operands) {
		bl_arena_fail(&cli->arena, err);
		return CLI_PARSED_BAD;
	}
	while (reader.next < cli->argc) {
		struct bl_str arg = next_argument(&reader);

		if (!reader.only_operands && cli_is_help(arg))
			return CLI_PARSED_HELP;
		if (!read_one(&reader, arg))
			return CLI_PARSED_BAD;
	}
	if (cli->operand_count < reader.code->least_operands) {
		bl_fail(err, BL_USAGE, "'%s' needs an operand: %s",
			cli->command->name, cli->command->operands);
		return CLI_PARSED_BAD;
	}
	return CLI_PARSED;
}

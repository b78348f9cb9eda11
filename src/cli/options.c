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

/* The next argument as a value; ptr NULL when there is none. */
static struct bl_str next_argument(struct reader *reader)
{
	if (reader->next >= reader->cli->argc)
		return (struct bl_str){ NULL, 0 };
	return bl_str(reader->cli->argv[reader->next++]);
}

/* arg is what follows "--". */
static bool read_long(struct reader *reader, struct bl_str arg)
{
	size_t equals = bl_str_find(arg, BL_STR("="), 0);
	struct bl_str name = bl_str_slice(arg, 0, equals);
	const struct cli_option *option = NULL;

	for (size_t i = 0; i < reader->code->option_count; i++) {
		if (bl_str_is(name, reader->code->options[i].name))
			option = &reader->code->options[i];
	}
	if (!option)
		return fail_unknown(reader, name);
	if (equals == SIZE_MAX)
		return take(reader, option,
			    option->kind == CLI_FLAG
				    ? (struct bl_str){ NULL, 0 }
				    : next_argument(reader));
	if (option->kind == CLI_FLAG) {
		bl_fail(reader->err, BL_USAGE, "option '--%s' takes no value",
			option->name);
		return false;
	}
	return take(reader, option, bl_str_slice(arg, equals + 1, SIZE_MAX));
}

/* arg is what follows "-": a letter, and the value of the last one. */
static bool read_short(struct reader *reader, struct bl_str arg)
{
	const struct cli_option *option = NULL;
	struct bl_str value = bl_str_slice(arg, 1, SIZE_MAX);

	for (size_t i = 0; i < reader->code->option_count; i++) {
		if (reader->code->options[i].letter == arg.ptr[0])
			option = &reader->code->options[i];
	}
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

static bool is_help(struct bl_str arg)
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

		if (!reader.only_operands && is_help(arg))
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

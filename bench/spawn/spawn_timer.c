/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn-timer: how long commands take from start to exit, side by side.
 *
 * usage: spawn-timer [--rounds N] [--stdin FILE] [--counts]
 *                    [label=TEXT] COMMAND... [-- [label=TEXT] COMMAND...]...
 *
 * The commands run in turn, one after the other, N rounds (200) after a few
 * that do not count; each round starts with another one, so that a noisy
 * machine is noisy for all of them.  A row shows the time in microseconds (a
 * tenth, half and nine tenths of the runs were at most that long), its ratio
 * to the first row, minor page faults and the largest resident memory.
 * --counts adds instructions (callgrind) and system calls (strace) of one run.
 * A command that cannot start, or whose exit status changes, is an error.
 */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS_MAX = 16, ROUNDS_MAX = 100000, WARM_UP_ROUNDS = 5 };

struct series {
	struct command command;
	int64_t *ns;
	long *faults;
	long max_rss_kib;
	int exit;
	int64_t instructions, calls;
};

struct options {
	size_t rounds;
	const char *input;
	bool counts;
	struct series series[COMMANDS_MAX];
	size_t count;
};

static int usage(void)
{
	fputs("usage: spawn-timer [--rounds N] [--stdin FILE] [--counts]\n"
	      "                   [label=TEXT] COMMAND... [-- ...]\n",
	      stderr);
	return 64;
}

/* Options in front of the first command; the index after them, 0: wrong. */
static int parse_options(int argc, char **argv, struct options *options)
{
	int i = 1;

	*options = (struct options){ .rounds = 200, .input = "/dev/null" };
	for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--counts")) {
			options->counts = true;
		} else if (!strcmp(argv[i], "--stdin") && i + 1 < argc) {
			options->input = argv[++i];
		} else if (!strcmp(argv[i], "--rounds") && i + 1 < argc) {
			options->rounds = strtoul(argv[++i], NULL, 10);
		} else {
			return 0;
		}
	}
	return options->rounds > 0 && options->rounds <= ROUNDS_MAX ? i : 0;
}

/* The groups between "--"; argv is cut up in place. */
static bool parse_commands(char **words, struct options *options)
{
	while (*words) {
		struct command *command;

		if (options->count == COMMANDS_MAX)
			return false;
		command = &options->series[options->count++].command;
		if (!strncmp(*words, "label=", 6))
			command->label = *words++ + 6;
		command->argv = words;
		while (*words && strcmp(*words, "--") != 0)
			words++;
		if (words == command->argv)
			return false;
		if (*words)
			*words++ = NULL;
		if (!command->label)
			command->label = command->argv[0];
	}
	return options->count > 0;
}

static bool take_sample(struct series *series, const char *input, size_t round)
{
	struct sample sample = spawn_measure(&series->command, input, NULL);

	if (round == 0)
		series->exit = sample.exit;
	if (sample.exit < 0 || sample.exit == 127 ||
	    sample.exit != series->exit) {
		fprintf(stderr,
			"spawn-timer: %s: exit status %d, %d in round 0\n",
			series->command.label, sample.exit, series->exit);
		return false;
	}
	if (round < WARM_UP_ROUNDS)
		return true;
	series->ns[round - WARM_UP_ROUNDS] = sample.ns;
	series->faults[round - WARM_UP_ROUNDS] = sample.faults;
	if (sample.max_rss_kib > series->max_rss_kib)
		series->max_rss_kib = sample.max_rss_kib;
	return true;
}

static bool measure(struct options *options)
{
	for (size_t round = 0; round < options->rounds + WARM_UP_ROUNDS;
	     round++)
		for (size_t i = 0; i < options->count; i++) {
			size_t which = (round + i) % options->count;

			if (!take_sample(&options->series[which],
					 options->input, round))
				return false;
		}
	return true;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int by_count(const void *a, const void *b)
{
	long x = *(const long *)a;
	long y = *(const long *)b;

	return (x > y) - (x < y);
}

static double microseconds(const struct series *series, size_t at)
{
	return (double)series->ns[at] / 1000;
}

static void print_count(int64_t count)
{
	if (count < 0)
		printf(" %12s", "-");
	else
		printf(" %12" PRId64, count);
}

static void print_rows(struct options *options)
{
	size_t rounds = options->rounds;
	double first = 0;

	printf("%-28s %9s %9s %9s %7s %7s %8s%s\n", "command", "p10 us",
	       "median us", "p90 us", "ratio", "faults", "rss KiB",
	       options->counts ? " instructions system calls" : "");
	for (size_t i = 0; i < options->count; i++) {
		struct series *series = &options->series[i];
		double median;

		qsort(series->ns, rounds, sizeof(*series->ns), by_time);
		qsort(series->faults, rounds, sizeof(*series->faults),
		      by_count);
		median = microseconds(series, rounds / 2);
		if (i == 0)
			first = median;
		printf("%-28s %9.0f %9.0f %9.0f %7.2f %7ld %8ld",
		       series->command.label, microseconds(series, rounds / 10),
		       median, microseconds(series, rounds * 9 / 10),
		       median / first, series->faults[rounds / 2],
		       series->max_rss_kib);
		if (options->counts) {
			print_count(series->instructions);
			print_count(series->calls);
		}
		printf("\n");
	}
}

/* Room for every round; the program ends with the memory in hand. */
static bool make_room(struct options *options)
{
	for (size_t i = 0; i < options->count; i++) {
		struct series *series = &options->series[i];

		series->ns = calloc(options->rounds, sizeof(*series->ns));
		series->faults =
			calloc(options->rounds, sizeof(*series->faults));
		if (!series->ns || !series->faults)
			return false;
	}
	return true;
}

static void count_once(struct options *options)
{
	for (size_t i = 0; options->counts && i < options->count; i++) {
		struct series *series = &options->series[i];

		series->instructions = spawn_count_instructions(
			&series->command, options->input);
		series->calls =
			spawn_count_calls(&series->command, options->input);
	}
}

int main(int argc, char **argv)
{
	static struct options options;
	int words = parse_options(argc, argv, &options);

	if (!words || !parse_commands(argv + words, &options))
		return usage();
	if (!make_room(&options)) {
		fputs("spawn-timer: out of memory\n", stderr);
		return 70;
	}
	if (!measure(&options))
		return 1;
	count_once(&options);
	print_rows(&options);
	return 0;
}

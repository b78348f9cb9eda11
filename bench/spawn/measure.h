/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/spawn/measure.h: starting commands and measuring them, for spawn-timer.
 */
#ifndef BELAY_BENCH_SPAWN_MEASURE_H
#define BELAY_BENCH_SPAWN_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

struct command {
	const char *label;
	char **argv;
};

/* One start to exit. */
struct sample {
	int64_t ns;
	long faults;      /* minor page faults */
	long max_rss_kib; /* never below this program's own, which is small */
	int exit;         /* status, 128 + signal, or -1: cannot start */
};

/*
 * Starts the command with input as its standard input and its outputs thrown
 * away, and waits for it.  errors_path, when not NULL, gets standard error.
 */
struct sample spawn_measure(const struct command *command, const char *input,
			    const char *errors_path);

/*
 * The work of one run, children included: instructions by callgrind,
 * system calls by strace.  -1 where the tool is missing or did not work.
 */
int64_t spawn_count_instructions(const struct command *command,
				 const char *input);
int64_t spawn_count_calls(const struct command *command, const char *input);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_shell: parsing shell text, and finding the facts of it (parse and
 * effects): the lines that agents send, 10 kB and 1 MiB of them, and texts that
 * make careless parsers quadratic.  The yardsticks of the same run are a look at
 * each byte and bash -n: one start of it, and, as one process reads many lines,
 * each further line.  The best round counts, so that a busy machine changes little.
 *
 * Usage: bench-shell [--texts FOLDER]
 *   --texts  writes the texts there, for other parsers (bench/shell/run)
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "effects/effects.h"

enum { ROUNDS = 15, KIB = 1024, MIB = 1024 * KIB };

static struct bl_arena arena;
static char first_block[64 * KIB];

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static const char ordinary[] =
	"cd /testbed && grep -rn \"def test_\" tests/ --include='*.py' 2>&1 | "
	"head -50";

static const char here_document[] =
	"cat > /tmp/reproduce.py <<'EOF'\n"
	"import os\n"
	"print(\"a 'quoted' line\", os.getcwd())\n"
	"EOF\n"
	"python /tmp/reproduce.py 2>&1 | tail -20; echo \"exit: $?\"\n";

static const char commit[] =
	"git add -A && git commit -m \"$(cat <<'EOF'\nFix it\n\nIt's done.\n"
	"EOF\n)\" && for f in *.c; do echo \"${f%.c}\" >> \"$OUT/list\"; "
	"done\n";

static char *repeat(const char *text, size_t bytes)
{
	size_t len = strlen(text), at = 0;
	char *all = malloc(bytes + len + 1);

	while (all && at < bytes) {
		memcpy(all + at, text, len);
		at += len;
	}
	if (all)
		all[at] = 0;
	return all;
}

/* What is timed; less than 0: an outcome that is not expected. */
typedef enum bl_status job(struct bl_str text);

static enum bl_status parse(struct bl_str text)
{
	struct bl_shell_script *script;

	return bl_shell_parse(&arena, text, NULL, &script, NULL);
}

/* Nothing is known of the files: the time is that of the module alone. */
static enum bl_status find(struct bl_str text)
{
	static const struct bl_str workspace = { "/testbed", 8 };
	struct bl_effects_input input = {
		.line = text,
		.cwd = workspace,
		.home = BL_STR("/home/dev"),
		.workspaces = &workspace,
		.workspace_count = 1,
	};
	struct bl_facts facts;

	return bl_effects_find(&arena, &input, &facts, NULL);
}

/* Microseconds of the best round; less than 0: an outcome that is not expected. */
static double time_work(job *work, struct bl_str text, size_t repeats,
			enum bl_status expected)
{
	double best = -1;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now_us(), spent;

		for (size_t i = 0; i < repeats; i++) {
			bl_arena_reset(&arena);
			if (work(text) != expected)
				return -1;
		}
		spent = (now_us() - start) / (double)repeats;
		if (best < 0 || spent < best)
			best = spent;
	}
	return best;
}

/* Microseconds for looking at every byte of text once. */
static double time_bytes(struct bl_str text)
{
	double best = -1;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now_us(), spent;
		size_t lines = 0;

		for (size_t i = 0; i < text.len; i++)
			lines += text.ptr[i] == '\n';
		__asm__ volatile("" ::"r"(lines));
		spent = now_us() - start;
		if (best < 0 || spent < best)
			best = spent;
	}
	return best;
}

static double time_bash(const char *text)
{
	char *argv[] = { (char[]){ "bash" }, (char[]){ "--norc" },
			 (char[]){ "-n" },   (char[]){ "-c" },
			 strdup(text),       NULL };
	char *env[] = { NULL };
	posix_spawn_file_actions_t actions;
	double best = -1;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	for (int round = 0; round < ROUNDS; round++) {
		double start = now_us(), spent;
		pid_t pid;
		int status;

		if (posix_spawn(&pid, "/bin/bash", &actions, NULL, argv, env))
			break;
		waitpid(pid, &status, 0);
		spent = now_us() - start;
		if (best < 0 || spent < best)
			best = spent;
	}
	posix_spawn_file_actions_destroy(&actions);
	free(argv[4]);
	return best;
}

static int failures;

static void report_work(const char *name, job *work, struct bl_str text,
			size_t repeats)
{
	double us = time_work(work, text, repeats, BL_OK);

	if (us < 0) {
		printf("%-34s an unexpected outcome\n", name);
		failures++;
		return;
	}
	printf("%-42s %9zu bytes %11.1f us %7.1f ns/byte %7.1f x bytes\n", name,
	       text.len, us, us * 1000 / (double)text.len,
	       us / (time_bytes(text) + 0.001));
}

static void report(const char *name, struct bl_str text, size_t repeats)
{
	char label[64];

	snprintf(label, sizeof(label), "%s: parse", name);
	report_work(label, parse, text, repeats);
	snprintf(label, sizeof(label), "%s: facts", name);
	report_work(label, find, text, repeats);
}

static void report_growth(const char *name, const char *piece,
			  const char *start, const char *end)
{
	const size_t sizes[] = { 16 * KIB, MIB };
	double us[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		char *middle = repeat(piece, sizes[i]);
		size_t len = strlen(start) + strlen(end) + sizes[i] + 64;
		char *text = malloc(len);
		struct bl_shell_script *script;
		enum bl_status status;

		if (!middle || !text)
			exit(1);
		snprintf(text, len, "%s%s%s", start, middle, end);
		bl_arena_reset(&arena);
		status = bl_shell_parse(&arena, bl_str(text), NULL, &script,
					NULL);
		us[i] = time_work(parse, bl_str(text), 1, status);
		free(middle);
		free(text);
	}
	/* 64 times the text may take 64 times as long, caches aside. */
	printf("%-34s 16 KiB %9.1f us, 1 MiB %11.1f us: %6.1f x for 64 x\n",
	       name, us[0], us[1], us[1] / (us[0] + 0.001));
	if (us[1] > us[0] * 64 * 4)
		failures++;
}

int main(void)
{
	char *ten, *large;

	bl_arena_init(&arena, first_block, sizeof(first_block), 0);
	ten = repeat(here_document, 10 * KIB);
	large = repeat(commit, MIB);
	if (!ten || !large)
		return 1;
	report("an ordinary line", bl_str(ordinary), 2000);
	report("a here-document into a file", bl_str(here_document), 2000);
	report("a commit and a loop", bl_str(commit), 2000);
	report("10 kB of here-documents", bl_str(ten), 50);
	report("1 MiB of commits and loops", bl_str(large), 1);
	printf("%-34s %29.1f us\n", "bash -n of the ordinary line",
	       time_bash(ordinary));
	printf("%-34s %29.1f us\n", "bash -n of the 10 kB", time_bash(ten));
	report_growth("one long bare word", "abcdef", "echo ", "");
	report_growth("one long quoted word", "a b ", "echo \"", "\"");
	report_growth("one long here-document", "line of $x text\n",
		      "cat <<E\n", "E\n");
	report_growth("many here-documents", "cat <<E\na\nE\n", "", "");
	report_growth("unclosed quotes", "\"a 'b' ", "", "");
	report_growth("back-quotes", "`a \\`b\\`` ", "echo ", "");
	report_growth("escaped newlines", "a\\\nb ", "echo ", "");
	report_growth("expansions", "${x:-\"$y\"}$(($z+1)) ", "echo ", "");
	report_growth("substitutions in one word", "$(a)", "echo ", "");
	report_growth("opening parentheses", "(", "", "");
	report_growth("late here-documents", "$(a <<E) ", "echo ", "");
	bl_arena_clear(&arena);
	free(ten);
	free(large);
	return failures > 0;
}

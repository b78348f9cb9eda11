/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_shell: parsing shell text, and finding the facts of it (parse and
 * effects): the lines that agents send, 10 kB and 1 MiB of them, and texts that
 * make careless parsers quadratic.  The yardsticks of the same run are a look at
 * each byte and bash -n: one start of it, and each of many texts that one process
 * reads.  Times are those of the processor, of the best round.
 *
 * Usage: bench-shell [--texts FOLDER]
 *   --texts  writes the texts there, for other parsers (bench/shell/run)
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "effects/effects.h"

enum { ROUNDS = 15, KIB = 1024, MIB = 1024 * KIB };

static struct bl_arena arena;
static char first_block[64 * KIB];

static double clock_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Of this process alone: what others do meanwhile does not count. */
static double now_us(void)
{
	return clock_us(CLOCK_PROCESS_CPUTIME_ID);
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

/* The work that is timed. */
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

/*
 * Microseconds of bash -n, which parses and runs nothing: of the text once, with
 * its start, and, of the same text many times over in one process, of each time.
 */
static double time_bash(const char *text, size_t times)
{
	char path[] = "/tmp/bench-shell.XXXXXX";
	char *argv[] = { (char[]){ "bash" }, (char[]){ "--norc" },
			 (char[]){ "-n" }, path, NULL };
	char *env[] = { NULL };
	posix_spawn_file_actions_t actions;
	FILE *file = fdopen(mkstemp(path), "w");
	double best = -1;

	for (size_t i = 0; file && i < times; i++)
		fprintf(file, "%s\n", text);
	if (!file || fclose(file))
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	for (int round = 0; round < ROUNDS; round++) {
		struct rusage used;
		double spent;
		pid_t pid;
		int status;

		if (posix_spawn(&pid, "/bin/bash", &actions, NULL, argv, env) ||
		    wait4(pid, &status, 0, &used) < 0)
			break;
		spent = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) *
				1e6 +
			(double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
		if (best < 0 || spent < best)
			best = spent;
	}
	posix_spawn_file_actions_destroy(&actions);
	unlink(path);
	return best;
}

static void report_bash(const char *name, const char *text, size_t times)
{
	double start = time_bash(":", 1);
	double once = time_bash(text, 1);
	double each = (time_bash(text, times) - start) / (double)times;

	printf("%s: bash -n%*s %9zu bytes %11.1f us %7.1f ns/byte; with its "
	       "start %.1f us\n",
	       name, (int)(42 - strlen(name) - 9), "", strlen(text), each,
	       each * 1000 / (double)strlen(text), once);
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

/* Facts of 16 KiB and of 1 MiB of lines. */
static void report_facts_growth(const char *name, const char *line)
{
	const size_t sizes[] = { 16 * KIB, MIB };
	double us[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		char *text = repeat(line, sizes[i]);

		if (!text)
			exit(1);
		us[i] = time_work(find, bl_str(text), 1, BL_OK);
		free(text);
	}
	printf("%-34s 16 KiB %9.1f us, 1 MiB %11.1f us: %6.1f x for 64 x\n",
	       name, us[0], us[1], us[1] / (us[0] + 0.001));
	if (us[1] > us[0] * 64 * 4)
		failures++;
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

/* The texts as files, for parsers in other languages. */
static int write_texts(const char *folder, const char *ten)
{
	const struct {
		const char *name;
		const char *text;
	} texts[] = {
		{ "an ordinary line", ordinary },
		{ "a here-document into a file", here_document },
		{ "a commit and a loop", commit },
		{ "10 kB of here-documents", ten },
	};
	char path[4096];

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%zu %s", folder, i,
			 texts[i].name);
		file = fopen(path, "w");
		if (!file || fputs(texts[i].text, file) < 0 || fclose(file))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	char *ten, *large;

	bl_arena_init(&arena, first_block, sizeof(first_block), 0);
	ten = repeat(here_document, 10 * KIB);
	large = repeat(commit, MIB);
	if (!ten || !large)
		return 1;
	if (argc == 3 && !strcmp(argv[1], "--texts"))
		return write_texts(argv[2], ten);
	report("an ordinary line", bl_str(ordinary), 2000);
	report_bash("an ordinary line", ordinary, 2000);
	report("a here-document into a file", bl_str(here_document), 2000);
	report_bash("a here-document into a file", here_document, 2000);
	report("a commit and a loop", bl_str(commit), 2000);
	report_bash("a commit and a loop", commit, 2000);
	report("10 kB of here-documents", bl_str(ten), 50);
	report_bash("10 kB of here-documents", ten, 50);
	report("1 MiB of commits and loops", bl_str(large), 1);
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
	report_facts_growth("facts of commits and loops", commit);
	report_facts_growth("facts of here-documents", here_document);
	bl_arena_clear(&arena);
	free(ten);
	free(large);
	return failures > 0;
}

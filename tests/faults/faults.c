/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults [--all] [--sample N] [--seed N] [--story WORD] FOLDER: each system call
 * of the programs in FOLDER fails once (trace.h), in each story (stories.h).
 *
 * Whatever fails, an event that is denied is answered by no or by a refusal with
 * words; nothing crashes, hangs or leaves a process behind; and a log that
 * cannot be written changes no answer.  Prints TAP: one point a story, with the
 * faults that broke a rule as notes; with --all also how far it is, and a table.
 */
#include "stories.h"
#include "trace.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	DEADLINE_MS = 30000,
	WARM_RUNS = 2,
	USUAL_SAMPLE = 20,
	MOST_WORDS = 20,
	WORD_BYTES = 4096,
	REFUSED = 2,
	LEAST_FAILURE = 64,
	LEAST_SIGNALLED = 124,
	NO_PROGRAM = 127,
	MOST_NOTES = 20,
	SHOWN_BYTES = 300
};

struct options {
	bool all;
	unsigned sample;
	uint64_t seed;
	const char *story; /* a part of its name; NULL: all */
	char programs[WORD_BYTES];
};

struct counts {
	unsigned calls;
	unsigned faults;
	unsigned reached;
	unsigned same;
	unsigned refused;
	unsigned broken;
	double seconds;
};

struct world {
	const struct options *options;
	const struct story *story;
	char dir[64];
	char *work; /* the working folder */
	char *words[MOST_WORDS];
	char *env[4];
	struct trace_options trace;
	struct trace_result plain; /* without a fault */
	struct trace_calls calls;
	struct counts counts;
};

/* ---- worlds -------------------------------------------------------------------- */

/* @W and @B replaced, the latter in quote; the caller frees it. */
static char *expand_in(const struct world *world, const char *text,
		       const char *quote)
{
	size_t room = strlen(text) * 2 + WORD_BYTES * 4;
	char *out = calloc(1, room);
	size_t used = 0;

	for (const char *at = text; out && *at; at++) {
		const char *by = NULL;

		if (at[0] == '@' && at[1] == 'W')
			by = world->dir;
		else if (at[0] == '@' && at[1] == 'B')
			by = world->options->programs;
		if (used + strlen(by ? by : "") + 4 > room)
			break;
		if (by) {
			const char *in = at[1] == 'B' ? quote : "";

			used += (size_t)sprintf(out + used, "%s%s%s", in, by,
						in);
			at++;
		} else {
			out[used++] = *at;
		}
	}
	return out;
}

static char *expand(const struct world *world, const char *text)
{
	return expand_in(world, text, "");
}

/* Runs shell text in the world; its output is shown when it is to succeed. */
static int run_shell(const struct world *world, const char *before,
		     const char *text, bool is_loud)
{
	char *line = expand_in(world, text, "'");
	char *all = NULL;
	int status = -1;

	if (line &&
	    asprintf(&all, "cd %s && %s\n%s", world->dir, before, line) > 0) {
		static char sh[] = "/bin/sh", option[] = "-c";
		char *argv[] = { sh, option, all, NULL };
		pid_t pid = fork();

		if (pid == 0) {
			if (!is_loud && (!freopen("/dev/null", "w", stdout) ||
					 !freopen("/dev/null", "w", stderr)))
				_exit(1);
			if (is_loud)
				(void)dup2(STDERR_FILENO, STDOUT_FILENO);
			(void)execve(argv[0], argv, world->env);
			_exit(1);
		}
		if (waitpid(pid, &status, 0) != pid)
			status = -1;
	}
	free(all);
	free(line);
	return status;
}

/* The world as the story has it; made once, and copied back. */
static bool make_world(struct world *world)
{
	static const char again[] =
		"rm -rf ../now && cp -a ../first ../now && cd ../now";

	return run_shell(world, again, ":", true) == 0;
}

static bool begin(struct world *world)
{
	static const char folders[] = "mkdir -p home/.cursor root/etc/cursor "
				      "ws/.cursor logs";
	const char *make = world->story->make;

	return run_shell(world, folders, make ? make : ":", true) == 0 &&
	       run_shell(world, "cp -a . ../first", ":", true) == 0;
}

static bool set_up(struct world *world)
{
	const struct story *story = world->story;
	char text[WORD_BYTES];
	size_t count = 0;

	(void)snprintf(world->dir, sizeof(world->dir),
		       "/tmp/belay-faults-XXXXXX");
	if (!mkdtemp(world->dir) || chmod(world->dir, 0755))
		return false;
	(void)strcat(world->dir, "/now");
	if (mkdir(world->dir, 0755))
		return false;
	(void)snprintf(text, sizeof(text), "@B/%s", story->program);
	world->words[count++] = expand(world, text);
	for (size_t i = 0; story->words[i]; i++)
		world->words[count++] = expand(world, story->words[i]);
	world->env[0] = expand(world, "HOME=@W/home");
	world->env[1] = expand(world, "PATH=/usr/bin:/bin");
	world->env[2] = expand(world, "XDG_CACHE_HOME=@W/cache");
	world->work = expand(world, "@W/ws");
	world->trace = (struct trace_options){
		.argv = world->words,
		.env = world->env,
		.dir = world->work,
		.input = story->input ? story->input : "",
		.log_path = "/logs",
		.deadline_ms = DEADLINE_MS,
	};
	return begin(world);
}

static void clear(struct world *world)
{
	(void)run_shell(world, "cd ..", "chmod -R u+rwx . && rm -rf \"$PWD\"",
			false);
	for (size_t i = 0; world->words[i]; i++)
		free(world->words[i]);
	for (size_t i = 0; world->env[i]; i++)
		free(world->env[i]);
	free(world->work);
	free(world->calls.items);
	trace_clear(&world->plain);
}

/* ---- rules --------------------------------------------------------------------- */

static bool has_words(const struct trace_result *result)
{
	return result->err[0] || result->out[0];
}

static bool is_refusal(const struct trace_result *result)
{
	return (result->status == REFUSED ||
		(result->status >= LEAST_FAILURE &&
		 result->status < LEAST_SIGNALLED)) &&
	       has_words(result);
}

static bool is_in_number(char byte)
{
	return (byte >= '0' && byte <= '9') || byte == '.';
}

/* Times and the like differ from run to run: numbers are not compared. */
static bool is_same_text(const char *a, const char *b)
{
	while (*a == *b || (is_in_number(*a) && is_in_number(*b))) {
		if (!*a)
			return true;
		if (!is_in_number(*a)) {
			a++;
			b++;
			continue;
		}
		while (is_in_number(*a))
			a++;
		while (is_in_number(*b))
			b++;
	}
	return false;
}

static bool is_same(const struct world *world,
		    const struct trace_result *result)
{
	return result->status == world->plain.status &&
	       is_same_text(result->out, world->plain.out);
}

/* As is_same, but without notices, which follow the first line. */
static bool is_same_verdict(const struct world *world,
			    const struct trace_result *result)
{
	const char *line = world->plain.out;
	size_t len = strcspn(line, "\n");

	return result->status == world->plain.status &&
	       strncmp(result->out, line, len) == 0;
}

/* Why an answer breaks its rule; NULL: it does not. */
static const char *judge_answer(const struct world *world,
				const struct trace_result *result)
{
	const struct story *story = world->story;

	switch (story->rule) {
	case STORY_DENIED:
		if (is_refusal(result) ||
		    (story->denies && result->status == world->plain.status &&
		     strstr(result->out, story->denies)))
			return NULL;
		return "the denial is lost";
	case STORY_ALLOWED:
		if (is_same_verdict(world, result))
			return NULL;
		if (result->is_log)
			return "the log has changed the answer";
		/* with words, as of a hook that could not be started */
		if (is_refusal(result) || result->status == 0)
			return NULL;
		return "neither allowed nor refused";
	case STORY_HONEST:
		if (result->status != world->plain.status)
			return has_words(result) ? NULL : "it fails in silence";
		/* Lists go on without what they cannot read, and say so. */
		if (!is_same(world, result) && !strstr(result->out, "cannot") &&
		    !strstr(result->err, "cannot"))
			return "another answer with the same status";
		if (story->effect &&
		    run_shell(world, ":", story->effect, false) != 0)
			return "it says it succeeded, and did not";
		return NULL;
	}
	return "no such rule";
}

static const char *judge(const struct world *world,
			 const struct trace_result *result)
{
	const char *why;

	if (result->is_hung)
		return "it hangs";
	/* For a command that decides, belay waits and says what happened. */
	if (result->status < 0)
		return result->is_loader && world->story->rule == STORY_HONEST
			       ? NULL
			       : "it crashes";
	if (result->left)
		return "processes are left behind";
	why = judge_answer(world, result);
	if (!why && world->story->after &&
	    run_shell(world, ":", world->story->after, false) != 0)
		return "what was there is damaged";
	return why;
}

static void show(const char *name, const char *text)
{
	printf("#   %s: ", name);
	for (size_t i = 0; i < SHOWN_BYTES && text[i]; i++)
		putchar(text[i] == '\n' ? '|' : text[i]);
	putchar('\n');
}

/* The lines of a text from the first that differs from another's. */
static const char *from_difference(const char *text, const char *other)
{
	const char *line = text;

	for (size_t i = 0; text[i] && text[i] == other[i]; i++)
		if (text[i] == '\n')
			line = text + i + 1;
	return line;
}

/* ---- runs ---------------------------------------------------------------------- */

static bool run_fault(struct world *world, const struct trace_fault *fault)
{
	struct counts *counts = &world->counts;
	struct trace_result result;
	const char *why;

	if (world->story->is_changed && !make_world(world))
		return false;
	if (!trace_run(&world->trace, fault, &result))
		return false;
	counts->faults++;
	counts->reached += result.is_reached;
	why = judge(world, &result);
	if (is_same(world, &result))
		counts->same++;
	else
		counts->refused++;
	if (why && counts->broken++ < MOST_NOTES) {
		printf("# process %u, call %u, %s fails with %s: %s (status "
		       "%d)\n",
		       fault->process, fault->call,
		       trace_call_name(result.number),
		       trace_error_name(result.error), why, result.status);
		show("output", from_difference(result.out, world->plain.out));
		show("errors", result.err);
	}
	trace_clear(&result);
	return true;
}

static uint64_t next_random(uint64_t *state)
{
	/* xorshift64 */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool run_sample(struct world *world, uint64_t *random)
{
	const struct trace_calls *calls = &world->calls;
	unsigned done = 0;

	while (done < world->options->sample) {
		const struct trace_call *call =
			&calls->items[next_random(random) % calls->count];
		unsigned errors = trace_errors(call->number);
		struct trace_fault fault = { call->process, call->call, 0 };

		if (!errors)
			continue;
		fault.error = (unsigned)(next_random(random) % errors);
		if (!run_fault(world, &fault))
			return false;
		done++;
	}
	return true;
}

static bool run_all(struct world *world)
{
	const struct trace_calls *calls = &world->calls;

	for (size_t i = 0; i < calls->count; i++) {
		const struct trace_call *call = &calls->items[i];
		unsigned errors = trace_errors(call->number);

		if (isatty(STDERR_FILENO))
			(void)fprintf(stderr, "\r%s: %zu of %zu calls ",
				      world->story->name, i, calls->count);
		for (unsigned error = 0; error < errors; error++) {
			const struct trace_fault fault = { call->process,
							   call->call, error };

			if (!run_fault(world, &fault))
				return false;
		}
	}
	if (isatty(STDERR_FILENO))
		(void)fprintf(stderr, "\r%*s\r", 78, "");
	return true;
}

/* The first runs leave things (the log, an image) for all others to find. */
static bool run_plain(struct world *world)
{
	struct trace_options listed = world->trace;

	listed.out = &world->calls;
	if (!world->story->is_changed) {
		for (int i = 0; i < WARM_RUNS; i++) {
			if (!trace_run(&world->trace, NULL, &world->plain))
				return false;
			trace_clear(&world->plain);
		}
	}
	return trace_run(&listed, NULL, &world->plain);
}

static bool run_story(struct world *world, uint64_t *random)
{
	const char *why;
	struct timespec from, to;

	(void)clock_gettime(CLOCK_MONOTONIC, &from);
	if (!set_up(world) || !run_plain(world))
		return false;
	why = world->calls.count ? judge(world, &world->plain)
				 : "there are no calls";
	if (why) {
		printf("# without a fault: %s (status %d)\n", why,
		       world->plain.status);
		show("output", world->plain.out);
		show("errors", world->plain.err);
		return false;
	}
	world->counts.calls = (unsigned)world->calls.count;
	if (!(world->options->all ? run_all(world) : run_sample(world, random)))
		return false;
	(void)clock_gettime(CLOCK_MONOTONIC, &to);
	world->counts.seconds = (double)(to.tv_sec - from.tv_sec) +
				(double)(to.tv_nsec - from.tv_nsec) / 1e9;
	return !world->counts.broken;
}

/* ---- main ------------------------------------------------------------------------ */

static bool read_options(int argc, char **argv, struct options *out)
{
	*out = (struct options){ .sample = USUAL_SAMPLE, .seed = 1 };
	for (int i = 1; i < argc; i++) {
		bool has_value = i + 1 < argc - 1;

		if (strcmp(argv[i], "--all") == 0)
			out->all = true;
		else if (has_value && strcmp(argv[i], "--sample") == 0)
			out->sample = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (has_value && strcmp(argv[i], "--seed") == 0)
			out->seed = strtoull(argv[++i], NULL, 10);
		else if (has_value && strcmp(argv[i], "--story") == 0)
			out->story = argv[++i];
		else if (i != argc - 1 || !realpath(argv[i], out->programs))
			return false;
	}
	return out->programs[0] && out->seed;
}

static void put_row(const char *name, const struct counts *counts)
{
	printf("# %-46s %6u %7u %7u %7u %7u %6u %7.1f\n", name, counts->calls,
	       counts->faults, counts->reached, counts->same, counts->refused,
	       counts->broken, counts->seconds);
}

static void add(struct counts *sum, const struct counts *counts)
{
	sum->calls += counts->calls;
	sum->faults += counts->faults;
	sum->reached += counts->reached;
	sum->same += counts->same;
	sum->refused += counts->refused;
	sum->broken += counts->broken;
	sum->seconds += counts->seconds;
}

int main(int argc, char **argv)
{
	struct options options;
	struct counts sum = { 0 };
	unsigned count = 0, failed = 0;
	uint64_t random;

	if (!read_options(argc, argv, &options)) {
		(void)fprintf(stderr, "usage: faults [--all] [--sample N] "
				      "[--seed N] [--story WORD] FOLDER\n");
		return 2;
	}
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	random = options.seed;
	printf("# %s, seed %llu\n", options.all ? "all faults" : "a sample",
	       (unsigned long long)options.seed);
	printf("# %-46s %6s %7s %7s %7s %7s %6s %7s\n", "story", "calls",
	       "faults", "reached", "same", "other", "broken", "s");
	for (size_t i = 0; i < story_count; i++) {
		struct world world = { .options = &options,
				       .story = &stories[i] };
		bool is_good;

		if (options.story && !strstr(stories[i].name, options.story))
			continue;
		is_good = run_story(&world, &random);
		failed += !is_good;
		printf("%s %u - %s\n", is_good ? "ok" : "not ok", ++count,
		       stories[i].name);
		put_row(stories[i].name, &world.counts);
		add(&sum, &world.counts);
		clear(&world);
	}
	put_row("all", &sum);
	printf("1..%u\n", count);
	return failed ? 1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego-worker: belay's engine as bench/rego/run drives it.  Reads one order a
 * line from standard input, JSON {"do": ...}, and answers with one line:
 *
 *   load     {"units": [{"policy", "data", "entry", "inputs"}]}, paths;
 *            compiles and reads: {"ns", "rss_kb", "ready_ns"}
 *   answer   {"answers": [...]}, of each unit and input
 *   run      {"count", "batch", "json", "hand"}: evaluates each unit with each
 *            input, batch times in each of count samples: {"p50"}, ns of one
 *            evaluation; json: the input is text; hand: by a function of C
 *            (by_hand.c), whose answers are compared first
 *   threads  {"threads", "ms"}: {"per_second"} of as many threads
 *   compile  {"count"}: the policies again from text: {"p50"}, ns
 *   memory   {"rss_kb"}, the most there was
 *
 * The rivals (bench/rego/rivals) take the same orders.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "by_hand.h"
#include "json/json.h"
#include "os/os.h"
#include "rego/rego.h"

enum { MAX_UNITS = 16, MAX_INPUTS = 16, MAX_FILE_BYTES = 1 << 30 };

struct unit {
	struct bl_rego_source source;
	const struct bl_rego_policies *policies;
	uint32_t document;
	struct bl_value data;
	struct bl_str texts[MAX_INPUTS];
	struct bl_value inputs[MAX_INPUTS];
	size_t input_count;
	by_hand_fn *hand;
};

enum how { POLICY, POLICY_JSON, HAND };

struct worker {
	struct bl_arena arena;
	struct unit units[MAX_UNITS];
	size_t unit_count;
};

static const struct bl_json_options deep = { .max_depth = BL_JSON_MAX_DEPTH };
static const struct bl_json_options large = { .max_depth = BL_JSON_MAX_DEPTH,
					      .compact = true,
					      .give_back_text = true };

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long rss_kb(void)
{
	char line[256];
	long kb = 0;
	FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmHWM:", 6))
			kb = strtol(line + 6, NULL, 10);
	if (file)
		fclose(file);
	return kb;
}

_Noreturn static void die(const char *what, const char *why)
{
	fprintf(stderr, "rego-worker: %s: %s\n", what, why);
	exit(1);
}

static struct bl_str read_file(struct worker *worker, struct bl_str path)
{
	struct bl_error err = { 0 };
	struct bl_str text;

	if (bl_os_read_file(path, 0, MAX_FILE_BYTES, &worker->arena, &text,
			    NULL, &err))
		die("reading", err.message);
	return text;
}

static struct bl_value read_json(struct bl_arena *arena, struct bl_str text,
				 const struct bl_json_options *options)
{
	struct bl_error err = { 0 };
	struct bl_value value;

	if (bl_json_read(arena, text, options, &value, NULL, NULL, &err))
		die("JSON", err.message);
	return value;
}

/* ---- orders ----------------------------------------------------------------- */

static const struct bl_rego_policies *
compile(struct bl_arena *arena, const struct bl_rego_source *source)
{
	const struct bl_rego_policies *policies;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	bl_diags_init(&diags, arena);
	if (bl_rego_compile(arena, source, 1, NULL, &diags, &policies, &err))
		die("compiling", err.message);
	return policies;
}

static void load_unit(struct worker *worker, struct unit *unit,
		      struct bl_value order)
{
	struct bl_value inputs = bl_object_find(order, BL_STR("inputs"));
	struct bl_value data = bl_object_find(order, BL_STR("data"));

	unit->source.file =
		bl_value_text(bl_object_find(order, BL_STR("policy")));
	unit->source.text = read_file(worker, unit->source.file);
	unit->policies = compile(&worker->arena, &unit->source);
	unit->hand = by_hand(unit->source.file);
	unit->document = bl_rego_find(
		unit->policies,
		bl_value_text(bl_object_find(order, BL_STR("entry"))));
	unit->data = bl_value_undefined();
	if (bl_value_is(data, BL_KIND_STRING))
		unit->data = read_json(&worker->arena,
				       read_file(worker, bl_value_text(data)),
				       &large);
	unit->input_count = bl_value_count(inputs);
	if (unit->input_count > MAX_INPUTS)
		die("load", "too many inputs");
	for (size_t i = 0; i < unit->input_count; i++) {
		unit->texts[i] = read_file(
			worker, bl_value_text(bl_value_item(inputs, i)));
		unit->inputs[i] =
			read_json(&worker->arena, unit->texts[i], &deep);
	}
}

static struct bl_value evaluate(const struct unit *unit, struct bl_value input,
				struct bl_arena *arena)
{
	struct bl_rego_options options = {
		.input = input,
		.data = unit->data,
	};
	struct bl_rego_result result;
	struct bl_error err = { 0 };

	if (bl_rego_document(unit->policies, unit->document, &options, arena,
			     &result, &err))
		die("evaluating", err.message);
	if (result.fault_code)
		die("evaluating", result.fault_code);
	return result.document;
}

static void put_answers(struct worker *worker)
{
	struct bl_arena arena;
	struct bl_buf out;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&out, 0);
	for (size_t i = 0; i < worker->unit_count; i++) {
		const struct unit *unit = &worker->units[i];

		for (size_t j = 0; j < unit->input_count; j++) {
			bl_buf_put_char(&out, out.len ? ',' : ' ');
			bl_json_write(&out,
				      evaluate(unit, unit->inputs[j], &arena),
				      BL_JSON_CANONICAL);
		}
	}
	printf("{\"answers\": [%s]}\n", out.ptr);
	bl_buf_clear(&out);
	bl_arena_clear(&arena);
}

/* Is what was written by hand the same policy? */
static void check_hand(const struct worker *worker, struct bl_arena *arena)
{
	for (size_t i = 0; i < worker->unit_count; i++) {
		const struct unit *unit = &worker->units[i];

		if (!unit->hand)
			die("by hand", "nobody wrote this policy");
		for (size_t j = 0; j < unit->input_count; j++)
			if (unit->hand(unit->inputs[j]) !=
			    bl_value_is_true(
				    evaluate(unit, unit->inputs[j], arena)))
				die("by hand", unit->source.file.ptr);
	}
}

/* So that no compiler leaves the work out. */
static volatile bool kept_answer;

/* Each unit with each input once; how many evaluations that was. */
static size_t pass(const struct worker *worker, struct bl_arena *arena,
		   enum how how)
{
	size_t count = 0;

	for (size_t i = 0; i < worker->unit_count; i++) {
		const struct unit *unit = &worker->units[i];

		for (size_t j = 0; j < unit->input_count; j++, count++) {
			struct bl_value input = unit->inputs[j];

			if (how == HAND) {
				kept_answer = unit->hand(input);
				continue;
			}
			bl_arena_reset(arena);
			if (how == POLICY_JSON)
				input = read_json(arena, unit->texts[j], &deep);
			evaluate(unit, input, arena);
		}
	}
	return count;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void put_p50(double *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), by_size);
	printf("{\"p50\": %.1f}\n", samples[count / 2]);
	free(samples);
}

static void run(struct worker *worker, size_t count, size_t batch, enum how how)
{
	static char first[1 << 20];
	double *samples = calloc(count, sizeof(*samples));
	struct bl_arena arena;

	bl_arena_init(&arena, first, sizeof(first), 0);
	if (how == HAND)
		check_hand(worker, &arena);
	for (size_t i = 0; i < count; i++) {
		int64_t start = now_ns();
		size_t evaluations = 0;

		for (size_t j = 0; j < batch; j++)
			evaluations += pass(worker, &arena, how);
		samples[i] = (double)(now_ns() - start) / (double)evaluations;
	}
	bl_arena_clear(&arena);
	put_p50(samples, count);
}

static void run_compile(struct worker *worker, size_t count)
{
	double *samples = calloc(count, sizeof(*samples));
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; i < count; i++) {
		int64_t start = now_ns();

		for (size_t j = 0; j < worker->unit_count; j++)
			compile(&arena, &worker->units[j].source);
		bl_arena_reset(&arena);
		samples[i] = (double)(now_ns() - start);
	}
	bl_arena_clear(&arena);
	put_p50(samples, count);
}

struct share {
	pthread_t thread;
	const struct worker *worker;
	int64_t end_ns;
	size_t evaluations;
};

static void *run_share(void *context)
{
	struct share *share = context;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	while (now_ns() < share->end_ns)
		share->evaluations += pass(share->worker, &arena, POLICY);
	bl_arena_clear(&arena);
	return NULL;
}

static void run_threads(const struct worker *worker, size_t count, size_t ms)
{
	struct share shares[8] = { 0 };
	int64_t start = now_ns();
	size_t evaluations = 0;

	if (count > 8)
		die("threads", "too many");
	for (size_t i = 0; i < count; i++) {
		shares[i].worker = worker;
		shares[i].end_ns = start + (int64_t)ms * 1000000;
		if (pthread_create(&shares[i].thread, NULL, run_share,
				   &shares[i]))
			die("threads", "cannot start");
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(shares[i].thread, NULL);
		evaluations += shares[i].evaluations;
	}
	printf("{\"per_second\": %.0f}\n",
	       (double)evaluations * 1e9 / (double)(now_ns() - start));
}

static void load(struct worker *worker, struct bl_value order)
{
	struct bl_value units = bl_object_find(order, BL_STR("units"));
	int64_t start = now_ns();

	worker->unit_count = bl_value_count(units);
	if (worker->unit_count > MAX_UNITS)
		die("load", "too many units");
	for (size_t i = 0; i < worker->unit_count; i++)
		load_unit(worker, &worker->units[i], bl_value_item(units, i));
	printf("{\"ns\": %lld, \"rss_kb\": %ld}\n",
	       (long long)(now_ns() - start), rss_kb());
}

static size_t number(struct bl_value order, const char *name)
{
	struct bl_value value = bl_object_find(order, bl_str(name));

	return bl_value_is(value, BL_KIND_NUMBER) ? (size_t)value.as.integer
						  : 0;
}

static bool is_set(struct bl_value order, const char *name)
{
	return bl_value_is_true(bl_object_find(order, bl_str(name)));
}

static void obey(struct worker *worker, struct bl_value order)
{
	struct bl_str what = bl_value_text(bl_object_find(order, BL_STR("do")));

	if (bl_str_is(what, "load"))
		load(worker, order);
	else if (bl_str_is(what, "answer"))
		put_answers(worker);
	else if (bl_str_is(what, "run"))
		run(worker, number(order, "count"), number(order, "batch"),
		    is_set(order, "hand")   ? HAND
		    : is_set(order, "json") ? POLICY_JSON
					    : POLICY);
	else if (bl_str_is(what, "threads"))
		run_threads(worker, number(order, "threads"),
			    number(order, "ms"));
	else if (bl_str_is(what, "compile"))
		run_compile(worker, number(order, "count"));
	else
		printf("{\"rss_kb\": %ld}\n", rss_kb());
	fflush(stdout);
}

int main(void)
{
	static struct worker worker;
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	bl_arena_init(&worker.arena, NULL, 0, 0);
	while ((len = getline(&line, &cap, stdin)) > 0) {
		struct bl_str text = { line, (size_t)len };

		obey(&worker,
		     read_json(&worker.arena,
			       bl_arena_copy_str(&worker.arena, text), &deep));
	}
	free(line);
	bl_arena_clear(&worker.arena);
	return 0;
}

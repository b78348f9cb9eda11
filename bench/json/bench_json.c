/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_json: reading JSON, beside jansson and RapidJSON where they are found.
 * All readers take turns in each round, and the best round of each counts, so
 * that a busy machine changes the ratios little.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "json/json.h"

#ifdef HAVE_JANSSON
#	include <jansson.h>
#endif
#ifdef HAVE_RAPIDJSON
int rapidjson_parse(const char *text, size_t len);
int rapidjson_parse_strict(const char *text, size_t len);
#endif

enum { ROUNDS = 15, DOCUMENT_EVENTS = 4000, EVENT_REPEATS = 2000 };

static struct bl_arena arena;

static int read_belay(const char *text, size_t len)
{
	struct bl_value value;

	bl_arena_reset(&arena);
	return !bl_json_read(&arena, (struct bl_str){ text, len }, NULL, &value,
			     NULL, NULL, NULL);
}

#ifdef HAVE_JANSSON
static int read_jansson(const char *text, size_t len)
{
	json_error_t error;
	json_t *value = json_loadb(text, len, 0, &error);

	json_decref(value);
	return value != NULL;
}
#endif

static const struct {
	const char *name;
	int (*read)(const char *text, size_t len);
} readers[] = {
	{ "belay", read_belay },
#ifdef HAVE_JANSSON
	{ "jansson", read_jansson },
#endif
#ifdef HAVE_RAPIDJSON
	{ "RapidJSON", rapidjson_parse },
	{ "RapidJSON, UTF-8 checked", rapidjson_parse_strict },
#endif
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* One event of some 500 bytes, different with i. */
static void put_event(struct bl_buf *out, unsigned int i)
{
	bl_buf_printf(
		out,
		"{\"session_id\":\"4f1c%08x-9d3e\",\"hook_event_name\":"
		"\"PreToolUse\",\"cwd\":\"/home/user/projects/service-%u\","
		"\"transcript_path\":\"/home/user/.agent/sessions/%u.jsonl\","
		"\"permission_mode\":\"default\",\"tool_name\":\"Bash\","
		"\"tool_input\":{\"command\":\"grep -rn \\\"needle %u\\\" "
		"src | head -n 20\",\"description\":\"Search the sources for "
		"every use of the needle\",\"timeout\":%u,"
		"\"run_in_background\":false},\"turn\":%u,\"cost\":%u.%02u,"
		"\"files\":[\"src/main.c\",\"src/caf\xC3\xA9.c\"],"
		"\"parent\":null}",
		i * 2654435761u, i % 100, i, i, 1000 + i % 9000, i, i % 7,
		i % 100);
}

/* The best time of one reading, over rounds with all readers in turn. */
static void measure(const char *text, size_t len, int repeats, double *best)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < BL_COUNT(readers); i++) {
			double from = now_ns(), each;

			for (int k = 0; k < repeats; k++) {
				if (!readers[i].read(text, len))
					abort();
			}
			each = (now_ns() - from) / repeats;
			if (round == 0 || each < best[i])
				best[i] = each;
		}
	}
}

static void bench(const char *title, const char *text, size_t len, int repeats)
{
	double best[BL_COUNT(readers)];

	measure(text, len, repeats, best);
	printf("%s (%zu bytes)\n", title, len);
	for (size_t i = 0; i < BL_COUNT(readers); i++)
		printf("  %-26s %11.0f ns %8.1f MB/s %6.2fx\n", readers[i].name,
		       best[i], (double)len * 1e3 / best[i], best[i] / best[0]);
}

int main(void)
{
	struct bl_buf document, event;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&document, 0);
	bl_buf_init(&event, 0);
	bl_buf_put_char(&document, '[');
	for (unsigned int i = 0; i < DOCUMENT_EVENTS; i++) {
		bl_buf_puts(&document, i ? ",\n" : "");
		put_event(&document, i);
	}
	bl_buf_put_char(&document, ']');
	put_event(&event, 77);
	bench("document of events", document.ptr, document.len, 1);
	bench("one event", event.ptr, event.len, EVENT_REPEATS);
	bl_buf_clear(&document);
	bl_buf_clear(&event);
	bl_arena_clear(&arena);
	return 0;
}

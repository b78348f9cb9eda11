/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_suite FOLDER: reads every file of FOLDER and looks at its name:
 *   y_   must be accepted, and what is written is a fixed point of
 *        reading and writing;
 *   n_   must be rejected, with a place inside the text;
 *   i_   either, without crashing (and as y_ when accepted);
 *   c_   as y_ when comments are allowed, as n_ when not;
 *   cn_  must be rejected even when comments are allowed.
 */
#include <dirent.h>
#include <stdlib.h>

#include "json/json.h"
#include "tap.h"

enum { PATH_BYTES = 4096, FILES_MAX = 2000 };

struct outcome {
	enum bl_status status;
	struct bl_value value;
	struct bl_place place;
	struct bl_error err;
};

static struct outcome read_with(struct bl_arena *arena, struct bl_str text,
				bool allow_comments)
{
	struct bl_json_options options = { .allow_comments = allow_comments };
	struct outcome outcome = { .status = BL_OK };

	outcome.status = bl_json_read(arena, text, &options, &outcome.value,
				      NULL, &outcome.place, &outcome.err);
	return outcome;
}

/* Writing, reading again and writing again gives the same text. */
static void check_fixed_point(struct bl_arena *arena, struct bl_value value,
			      enum bl_json_style style)
{
	struct bl_buf once, twice;
	struct outcome again;

	bl_buf_init(&once, 0);
	bl_buf_init(&twice, 0);
	bl_json_write(&once, value, style);
	again = read_with(arena, bl_buf_str(&once), false);
	CHECK_STATUS(again.status, BL_OK);
	if (!again.status) {
		bl_json_write(&twice, again.value, style);
		CHECK(bl_value_compare(value, again.value) == 0);
		CHECK(bl_value_hash(value) == bl_value_hash(again.value));
		CHECK(bl_str_equal(bl_buf_str(&once), bl_buf_str(&twice)));
	}
	CHECK_STATUS(bl_buf_status(&once), BL_OK);
	bl_buf_clear(&once);
	bl_buf_clear(&twice);
}

static void check_accepted(struct bl_arena *arena, const struct outcome *got)
{
	CHECK_STATUS(got->status, BL_OK);
	if (got->status) {
		TAP_NOTE("%u:%u: %s", got->place.line, got->place.column,
			 got->err.message);
		return;
	}
	check_fixed_point(arena, got->value, BL_JSON_COMPACT);
	check_fixed_point(arena, got->value, BL_JSON_PRETTY);
	check_fixed_point(arena, got->value, BL_JSON_CANONICAL);
}

static void check_rejected(struct bl_str text, const struct outcome *got)
{
	CHECK(got->status == BL_SYNTAX || got->status == BL_LIMIT);
	CHECK(got->place.line >= 1);
	CHECK(got->place.column >= 1);
	CHECK(got->place.offset <= text.len);
	CHECK(got->status == BL_OK || got->err.message[0] != '\0');
}

static void check_text(const char *name, struct bl_str text)
{
	struct bl_arena arena;
	struct outcome strict, comments;

	bl_arena_init(&arena, NULL, 0, 0);
	strict = read_with(&arena, text, false);
	comments = read_with(&arena, text, true);
	if (!strncmp(name, "y_", 2)) {
		check_accepted(&arena, &strict);
		check_accepted(&arena, &comments);
	} else if (!strncmp(name, "n_", 2)) {
		check_rejected(text, &strict);
	} else if (!strncmp(name, "i_", 2)) {
		if (strict.status)
			check_rejected(text, &strict);
		else
			check_accepted(&arena, &strict);
	} else if (!strncmp(name, "c_", 2)) {
		check_rejected(text, &strict);
		check_accepted(&arena, &comments);
	} else if (!strncmp(name, "cn_", 3)) {
		check_rejected(text, &strict);
		check_rejected(text, &comments);
	} else {
		tap_failures++;
		TAP_NOTE("a name that means nothing");
	}
	bl_arena_clear(&arena);
}

/* The content in memory of exactly its size, so that sanitizers see more. */
static char *load(const char *path, size_t *out_len)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	long len;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (len = ftell(file)) >= 0 &&
	    !fseek(file, 0, SEEK_SET)) {
		*out_len = (size_t)len;
		text = malloc(*out_len ? *out_len : 1);
		if (text && fread(text, 1, *out_len, file) != *out_len) {
			free(text);
			text = NULL;
		}
	}
	fclose(file);
	return text;
}

static void check_file(const char *folder, const char *name)
{
	char path[PATH_BYTES];
	char *text;
	size_t len;

	tap_failures = 0;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	text = load(path, &len);
	CHECK(text != NULL);
	if (text)
		check_text(name, (struct bl_str){ text, len });
	free(text);
	tap_count++;
	tap_failed_tests += tap_failures > 0;
	printf("%s %d - %s\n", tap_failures ? "not ok" : "ok", tap_count, name);
}

static int no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **names;
	int count =
		argc == 2 ? scandir(argv[1], &names, no_dot, alphasort) : -1;

	if (count <= 0 || count > FILES_MAX) {
		printf("Bail out! no files to read\n");
		return 1;
	}
	for (int i = 0; i < count; i++) {
		check_file(argv[1], names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return tap_end();
}

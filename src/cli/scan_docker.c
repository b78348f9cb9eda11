/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_docker.c: what a Dockerfile runs: RUN, CMD and ENTRYPOINT, as lines of a
 * shell, as lists of words, and as here-documents.  It happens in a container,
 * and is judged so: each piece is put into a `docker run`.
 *
 *   RUN --mount=type=cache,target=/c \      docker run -i --rm image sh <<'...'
 *       curl -fsSL https://x | sh       ->  curl -fsSL https://x | sh
 */
#include "cli/scan.h"

#include "effects/effects.h"
#include "json/json.h"

#define WRAPPER "docker run -i --rm image sh <<'BELAY_SCAN'\n"
#define WRAPPED "\nBELAY_SCAN\n"

/* A physical line from *at on, without its line feed.  False: the end. */
static bool take_line(struct bl_str text, size_t *at, struct bl_str *out)
{
	size_t end;

	if (*at >= text.len)
		return false;
	end = bl_str_find(text, BL_STR("\n"), *at);
	if (end == SIZE_MAX)
		end = text.len;
	*out = bl_str_slice(text, *at, end);
	*at = end + 1;
	if (out->len && out->ptr[out->len - 1] == '\r')
		out->len--;
	return true;
}

/* One instruction: its physical lines, comments and ends of lines taken out. */
struct instruction {
	struct bl_buf text;
	uint32_t line;       /* of its first */
	uint32_t line_count; /* read so far, with this instruction */
};

static bool is_comment(struct bl_str line)
{
	struct bl_str text = bl_str_trim(line);

	return text.len && text.ptr[0] == '#';
}

static bool take_instruction(struct bl_str text, size_t *at,
			     struct instruction *out)
{
	struct bl_str line;
	bool goes_on = true;

	bl_buf_reset(&out->text);
	out->line = 0;
	while (goes_on && take_line(text, at, &line)) {
		out->line_count++;
		if (is_comment(line))
			continue;
		if (!out->line)
			out->line = out->line_count;
		line = bl_str_trim(line);
		goes_on = line.len && line.ptr[line.len - 1] == '\\';
		if (goes_on)
			line.len--;
		bl_buf_put_str(&out->text, line);
		bl_buf_put_char(&out->text, ' ');
	}
	return out->line > 0;
}

/* The first word of *text, which is left with the rest. */
static struct bl_str take_word(struct bl_str *text)
{
	struct bl_str word;

	*text = bl_str_trim(*text);
	word = bl_str_slice(*text, 0, bl_str_find(*text, BL_STR(" "), 0));
	*text = bl_str_trim(bl_str_slice(*text, word.len, SIZE_MAX));
	return word;
}

static bool is_word(struct bl_str word, const char *name)
{
	return word.len == strlen(name) &&
	       !strncasecmp(word.ptr, name, word.len);
}

/* ["sh", "-c", "x"] as a line; ptr NULL: it is not such a list. */
static struct bl_str line_of_list(struct bl_arena *arena, struct bl_str text)
{
	struct bl_value list;
	struct bl_str *words;
	size_t count;

	if (!text.len || text.ptr[0] != '[' ||
	    bl_json_read(arena, text, NULL, &list, NULL, NULL, NULL))
		return (struct bl_str){ NULL, 0 };
	count = bl_value_count(list);
	words = bl_arena_new_array(arena, struct bl_str, count + 1);
	for (size_t i = 0; words && i < count; i++)
		words[i] = bl_value_text(bl_value_item(list, i));
	return words ? bl_effects_line(arena, words, count)
		     : (struct bl_str){ NULL, 0 };
}

/* The delimiter of a here-document that begins the command; empty: none. */
static struct bl_str delimiter_of(struct bl_str command)
{
	struct bl_str word;

	if (!bl_str_has_prefix(command, BL_STR("<<")))
		return BL_STR("");
	word = take_word(&command);
	word = bl_str_slice(word, 2, SIZE_MAX);
	while (word.len && strchr("-'\"", word.ptr[0]))
		word = bl_str_slice(word, 1, SIZE_MAX);
	while (word.len && strchr("'\"", word.ptr[word.len - 1]))
		word.len--;
	return word;
}

/* The lines of a here-document, and past them. */
static struct bl_str take_document(struct bl_str text, size_t *at,
				   struct bl_str delimiter,
				   struct instruction *now)
{
	size_t from = *at;
	size_t end = *at;
	struct bl_str line;

	while (take_line(text, at, &line)) {
		now->line_count++;
		if (bl_str_equal(bl_str_trim(line), delimiter))
			break;
		end = *at;
	}
	return bl_str_slice(text, from, end);
}

static enum bl_status add(struct cli_scan_file *file, struct bl_str command,
			  uint32_t line, struct bl_error *err)
{
	struct bl_str text = bl_arena_printf(
		file->arena, WRAPPER "%.*s" WRAPPED, BL_STR_ARG(command));
	size_t before = file->count;
	enum bl_status status;

	if (!text.ptr)
		return bl_arena_fail(file->arena, err);
	status = cli_scan_add(file, text, line, err);
	if (!status && file->count > before)
		file->pieces[before].skipped = 1;
	return status;
}

static enum bl_status read_instruction(struct cli_scan_file *file, size_t *at,
				       struct instruction *now,
				       struct bl_error *err)
{
	struct bl_str rest =
		bl_arena_copy_str(file->arena, bl_buf_str(&now->text));
	struct bl_str word = take_word(&rest);
	uint32_t line = now->line;
	struct bl_str list;
	struct bl_str end;

	if (is_word(word, "ONBUILD"))
		word = take_word(&rest);
	if (!is_word(word, "RUN") && !is_word(word, "CMD") &&
	    !is_word(word, "ENTRYPOINT"))
		return BL_OK;
	while (bl_str_has_prefix(rest, BL_STR("--")))
		take_word(&rest);
	list = line_of_list(file->arena, rest);
	if (list.ptr)
		return add(file, list, line, err);
	end = delimiter_of(rest);
	if (!end.len)
		return add(file, rest, line, err);
	rest = take_document(file->text, at, end, now);
	return add(file, rest, line + 1, err);
}

enum bl_status cli_scan_docker(struct cli_scan_file *file, struct bl_error *err)
{
	struct instruction now = { .line = 0 };
	enum bl_status status = BL_OK;
	size_t at = 0;

	bl_buf_init(&now.text, CLI_SCAN_FILE_BYTES + 2);
	while (!status && take_instruction(file->text, &at, &now)) {
		status = bl_buf_status(&now.text);
		if (status)
			bl_fail(err, status, "an instruction is too long");
		else
			status = read_instruction(file, &at, &now, err);
	}
	bl_buf_clear(&now.text);
	return status;
}

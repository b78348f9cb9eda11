/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small line editor.  It stands apart from the commands because it alone knows of
 * terminals: raw mode only while a line is typed, keys as escape sequences, and
 * what is shown is one line that is drawn again after each key.
 */
#include "cli/line_editor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/utf8.h"
#include "os/os.h"

enum {
	MAX_LINE = 64 * 1024,
	MAX_HISTORY = 1000,
	MAX_WORDS = 200,
	MAX_HISTORY_BYTES = 4 << 20,
	HISTORY_MODE = 0600,
	USUAL_COLUMNS = 80,
};

enum key {
	KEY_NONE = 0x110000, /* behind all code points */
	KEY_EOF,
	KEY_UP,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_HOME,
	KEY_END,
	KEY_DELETE,
};

#define CONTROL(letter) ((letter)&0x1F)

struct cli_line_editor {
	int in_fd;
	int out_fd;
	bool interactive;
	bool at_end; /* of input that is not a terminal */
	struct cli_completer completer;
	struct termios usual;
	char *history[MAX_HISTORY];
	size_t history_count;

	/* the line that is typed */
	const char *prompt;
	char text[MAX_LINE];
	size_t len;
	size_t at;       /* of the cursor */
	size_t recalled; /* in the history; history_count: what is typed */
	char *draft;     /* what was typed when the history was looked at */
	bool listed;     /* the key before was Tab */
};

struct cli_line_editor *
cli_line_editor_new(int in_fd, int out_fd,
		    const struct cli_completer *completer)
{
	struct cli_line_editor *editor = calloc(1, sizeof(*editor));

	if (!editor)
		return NULL;
	editor->in_fd = in_fd;
	editor->out_fd = out_fd;
	editor->interactive = isatty(in_fd) && isatty(out_fd) &&
			      !tcgetattr(in_fd, &editor->usual);
	if (completer)
		editor->completer = *completer;
	return editor;
}

void cli_line_editor_free(struct cli_line_editor *editor)
{
	if (!editor)
		return;
	for (size_t i = 0; i < editor->history_count; i++)
		free(editor->history[i]);
	free(editor->draft);
	free(editor);
}

bool cli_line_editor_is_interactive(const struct cli_line_editor *editor)
{
	return editor->interactive;
}

/* ---- history ----------------------------------------------------------------- */

void cli_line_editor_remember(struct cli_line_editor *editor,
			      struct bl_str line)
{
	char *copy;

	if (!line.len || memchr(line.ptr, '\n', line.len) ||
	    (editor->history_count &&
	     bl_str_is(line, editor->history[editor->history_count - 1])))
		return;
	copy = strndup(line.ptr, line.len);
	if (!copy)
		return;
	if (editor->history_count == MAX_HISTORY) {
		free(editor->history[0]);
		memmove(editor->history, editor->history + 1,
			(MAX_HISTORY - 1) * sizeof(*editor->history));
		editor->history_count--;
	}
	editor->history[editor->history_count++] = copy;
}

enum bl_status cli_line_editor_load(struct cli_line_editor *editor,
				    struct bl_str path, struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_str text;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_os_read_file(path, 0, MAX_HISTORY_BYTES, &arena, &text,
				 NULL, err);
	for (size_t at = 0; !status && at < text.len;) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);

		cli_line_editor_remember(editor, bl_str_slice(text, at, end));
		at = end == SIZE_MAX ? text.len : end + 1;
	}
	bl_arena_clear(&arena);
	return status == BL_NOT_FOUND ? BL_OK : status;
}

enum bl_status cli_line_editor_store(const struct cli_line_editor *editor,
				     struct bl_str path, struct bl_error *err)
{
	struct bl_buf text;
	enum bl_status status;

	bl_buf_init(&text, 0);
	for (size_t i = 0; i < editor->history_count; i++)
		bl_buf_printf(&text, "%s\n", editor->history[i]);
	status = bl_os_replace_file(path, bl_buf_str(&text), HISTORY_MODE, err);
	bl_buf_clear(&text);
	return status;
}

/* ---- the terminal -------------------------------------------------------------- */

static void show(const struct cli_line_editor *editor, struct bl_str text)
{
	(void)!bl_os_write_all(editor->out_fd, text, NULL);
}

static bool set_raw(const struct cli_line_editor *editor)
{
	struct termios raw = editor->usual;

	raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
	raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return !tcsetattr(editor->in_fd, TCSADRAIN, &raw);
}

/* -1: nothing more comes. */
static int read_byte(const struct cli_line_editor *editor)
{
	unsigned char byte;
	ssize_t got;

	do
		got = read(editor->in_fd, &byte, 1);
	while (got < 0 && errno == EINTR);
	return got == 1 ? byte : -1;
}

/* Behind ESC: "[A", "[3~", "OH". */
static uint32_t read_escape(const struct cli_line_editor *editor)
{
	static const struct {
		char last;
		int number;
		uint32_t key;
	} keys[] = {
		{ 'A', 0, KEY_UP },    { 'B', 0, KEY_DOWN },
		{ 'C', 0, KEY_RIGHT }, { 'D', 0, KEY_LEFT },
		{ 'H', 0, KEY_HOME },  { 'F', 0, KEY_END },
		{ '~', 1, KEY_HOME },  { '~', 3, KEY_DELETE },
		{ '~', 4, KEY_END },   { '~', 7, KEY_HOME },
		{ '~', 8, KEY_END },
	};
	int byte = read_byte(editor);
	int number = 0;

	if (byte != '[' && byte != 'O')
		return byte < 0 ? KEY_EOF : KEY_NONE;
	byte = read_byte(editor);
	for (; byte >= '0' && byte <= '9'; byte = read_byte(editor))
		number = (number * 10 + byte - '0') % 1000;
	while (byte == ';' || (byte >= '0' && byte <= '9'))
		byte = read_byte(editor);
	for (size_t i = 0; i < BL_COUNT(keys); i++)
		if (byte == keys[i].last &&
		    (byte != '~' || number == keys[i].number))
			return keys[i].key;
	return KEY_NONE;
}

/* A code point, or one of enum key. */
static uint32_t read_key(const struct cli_line_editor *editor)
{
	char bytes[BL_UTF8_MAX_BYTES];
	int byte = read_byte(editor);
	size_t len = 1;
	size_t wanted;
	uint32_t rune = 0;

	if (byte < 0)
		return KEY_EOF;
	if (byte == '\x1b')
		return read_escape(editor);
	if (byte < 0x80)
		return (uint32_t)byte;
	wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
	bytes[0] = (char)byte;
	for (; len < wanted; len++) {
		byte = read_byte(editor);
		if (byte < 0)
			return KEY_EOF;
		bytes[len] = (char)byte;
	}
	return bl_utf8_decode((struct bl_str){ bytes, len }, 0, &rune)
		       ? rune
		       : KEY_NONE;
}

static size_t columns(const struct cli_line_editor *editor)
{
	struct winsize size;

	if (ioctl(editor->out_fd, TIOCGWINSZ, &size) || size.ws_col < 20)
		return USUAL_COLUMNS;
	return size.ws_col;
}

/* ---- the line -------------------------------------------------------------------- */

static size_t step_left(const struct cli_line_editor *editor, size_t at)
{
	while (at && ((unsigned char)editor->text[--at] & 0xC0) == 0x80)
		;
	return at;
}

static size_t step_right(const struct cli_line_editor *editor, size_t at)
{
	if (at < editor->len)
		at++;
	while (at < editor->len &&
	       ((unsigned char)editor->text[at] & 0xC0) == 0x80)
		at++;
	return at;
}

static size_t runes(const char *text, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)text[i] & 0xC0) != 0x80;
	return count;
}

/* Draws the line again; of a long one the part around the cursor. */
static void draw(const struct cli_line_editor *editor)
{
	size_t prompt = strlen(editor->prompt);
	size_t room = columns(editor) - 1;
	size_t from = 0;
	size_t to = editor->len;
	struct bl_buf out;

	room = room > prompt ? room - prompt : 1;
	while (runes(editor->text + from, editor->at - from) >= room)
		from = step_right(editor, from);
	while (runes(editor->text + from, to - from) > room)
		to = step_left(editor, to);
	bl_buf_init(&out, 0);
	bl_buf_printf(&out, "\r%s", editor->prompt);
	for (size_t i = from; i < to; i++)
		bl_buf_put_char(&out, (unsigned char)editor->text[i] < ' '
					      ? '?'
					      : editor->text[i]);
	bl_buf_printf(&out, "\x1b[K\r\x1b[%zuC",
		      prompt + runes(editor->text + from, editor->at - from));
	show(editor, bl_buf_str(&out));
	bl_buf_clear(&out);
}

static void insert(struct cli_line_editor *editor, struct bl_str text)
{
	if (text.len > sizeof(editor->text) - editor->len)
		return;
	memmove(editor->text + editor->at + text.len, editor->text + editor->at,
		editor->len - editor->at);
	memcpy(editor->text + editor->at, text.ptr, text.len);
	editor->len += text.len;
	editor->at += text.len;
}

static void remove_range(struct cli_line_editor *editor, size_t from, size_t to)
{
	memmove(editor->text + from, editor->text + to, editor->len - to);
	editor->len -= to - from;
	editor->at = from;
}

static void replace_line(struct cli_line_editor *editor, const char *text)
{
	size_t len = strlen(text);

	editor->len = len < sizeof(editor->text) ? len : sizeof(editor->text);
	memcpy(editor->text, text, editor->len);
	editor->at = editor->len;
}

static void recall(struct cli_line_editor *editor, bool older)
{
	if (older ? !editor->recalled
		  : editor->recalled == editor->history_count)
		return;
	if (editor->recalled == editor->history_count) {
		free(editor->draft);
		editor->draft = strndup(editor->text, editor->len);
	}
	editor->recalled += older ? (size_t)-1 : 1;
	if (editor->recalled < editor->history_count)
		replace_line(editor, editor->history[editor->recalled]);
	else
		replace_line(editor, editor->draft ? editor->draft : "");
}

static void cut_word(struct cli_line_editor *editor)
{
	size_t from = editor->at;

	while (from && editor->text[from - 1] == ' ')
		from--;
	while (from && editor->text[from - 1] != ' ')
		from--;
	remove_range(editor, from, editor->at);
}

/* ---- completion -------------------------------------------------------------------- */

struct words {
	char *items[MAX_WORDS];
	size_t count;
	size_t common; /* how much all begin with */
};

static void add_word(void *context, struct bl_str word)
{
	struct words *words = context;
	size_t same = 0;

	if (words->count == MAX_WORDS)
		return;
	for (size_t i = 0; i < words->count; i++)
		if (bl_str_is(word, words->items[i]))
			return;
	words->items[words->count] = strndup(word.ptr, word.len);
	if (!words->items[words->count])
		return;
	if (!words->count)
		words->common = word.len;
	while (same < words->common && same < word.len &&
	       words->items[0][same] == word.ptr[same])
		same++;
	words->common = same;
	words->count++;
}

static bool is_word_byte(char c)
{
	return c == '_' || c == '.' || (c >= '0' && c <= '9') ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void list_words(const struct cli_line_editor *editor,
		       const struct words *words)
{
	size_t width = 0;
	size_t in_row;
	struct bl_buf out;

	for (size_t i = 0; i < words->count; i++)
		if (strlen(words->items[i]) > width)
			width = strlen(words->items[i]);
	in_row = columns(editor) / (width + 2);
	in_row = in_row ? in_row : 1;
	bl_buf_init(&out, 0);
	bl_buf_puts(&out, "\r\n");
	for (size_t i = 0; i < words->count; i++)
		bl_buf_printf(
			&out, "%-*s%s", (int)width + 2, words->items[i],
			(i + 1) % in_row && i + 1 < words->count ? "" : "\r\n");
	show(editor, bl_buf_str(&out));
	bl_buf_clear(&out);
}

static void complete(struct cli_line_editor *editor)
{
	struct words *words = calloc(1, sizeof(*words));
	size_t from = editor->at;

	while (from && is_word_byte(editor->text[from - 1]))
		from--;
	if (words && editor->completer.complete)
		editor->completer.complete(editor->completer.context,
					   (struct bl_str){ editor->text + from,
							    editor->at - from },
					   add_word, words);
	if (words && words->count && words->common > editor->at - from)
		insert(editor,
		       (struct bl_str){ words->items[0] + editor->at - from,
					words->common - (editor->at - from) });
	else if (words && words->count > 1 && editor->listed)
		list_words(editor, words);
	for (size_t i = 0; words && i < words->count; i++)
		free(words->items[i]);
	free(words);
}

/* ---- keys ------------------------------------------------------------------------------ */

static void move(struct cli_line_editor *editor, uint32_t key)
{
	if (key == KEY_LEFT || key == CONTROL('b'))
		editor->at = step_left(editor, editor->at);
	else if (key == KEY_RIGHT || key == CONTROL('f'))
		editor->at = step_right(editor, editor->at);
	else if (key == KEY_HOME || key == CONTROL('a'))
		editor->at = 0;
	else if (key == KEY_END || key == CONTROL('e'))
		editor->at = editor->len;
	else if (key == KEY_UP || key == CONTROL('p'))
		recall(editor, true);
	else if (key == KEY_DOWN || key == CONTROL('n'))
		recall(editor, false);
}

static void change(struct cli_line_editor *editor, uint32_t key)
{
	char bytes[BL_UTF8_MAX_BYTES];

	switch (key) {
	case CONTROL('h'):
	case 0x7F:
		remove_range(editor, step_left(editor, editor->at), editor->at);
		break;
	case KEY_DELETE:
	case CONTROL('d'):
		remove_range(editor, editor->at,
			     step_right(editor, editor->at));
		break;
	case CONTROL('k'):
		editor->len = editor->at;
		break;
	case CONTROL('u'):
		remove_range(editor, 0, editor->at);
		break;
	case CONTROL('w'):
		cut_word(editor);
		break;
	case CONTROL('l'):
		show(editor, BL_STR("\x1b[H\x1b[2J"));
		break;
	case '\t':
		complete(editor);
		break;
	default:
		if (key >= ' ' && key < KEY_NONE)
			insert(editor,
			       (struct bl_str){ bytes,
						bl_utf8_encode(key, bytes) });
		else
			move(editor, key);
		break;
	}
	editor->listed = key == '\t';
}

static enum cli_line_end type_line(struct cli_line_editor *editor)
{
	for (;;) {
		uint32_t key;

		draw(editor);
		key = read_key(editor);
		if (key == '\r' || key == '\n')
			return CLI_LINE_DONE;
		if (key == CONTROL('c'))
			return CLI_LINE_DROPPED;
		if (key == KEY_EOF || (key == CONTROL('d') && !editor->len))
			return CLI_LINE_EOF;
		change(editor, key);
	}
}

/* A line of what is not a terminal. */
static enum cli_line_end take_line(struct cli_line_editor *editor,
				   struct bl_buf *out)
{
	int byte = editor->at_end ? -1 : read_byte(editor);

	if (byte < 0)
		return CLI_LINE_EOF;
	for (; byte >= 0 && byte != '\n'; byte = read_byte(editor))
		bl_buf_put_char(out, (char)byte);
	editor->at_end = byte < 0;
	return CLI_LINE_DONE;
}

enum cli_line_end cli_line_editor_read(struct cli_line_editor *editor,
				       const char *prompt, struct bl_buf *out)
{
	enum cli_line_end end;

	bl_buf_clear(out);
	if (!editor->interactive || !set_raw(editor))
		return take_line(editor, out);
	editor->prompt = prompt;
	editor->len = editor->at = 0;
	editor->recalled = editor->history_count;
	editor->listed = false;
	end = type_line(editor);
	tcsetattr(editor->in_fd, TCSADRAIN, &editor->usual);
	show(editor, end == CLI_LINE_DROPPED ? BL_STR("^C\n") : BL_STR("\n"));
	bl_buf_put(out, editor->text, editor->len);
	return end;
}

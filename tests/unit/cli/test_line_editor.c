/* SPDX-License-Identifier: Apache-2.0 */
/* Keys at a terminal, and the lines that they make. */
#include "tap.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/line_editor.h"

enum { DEADLINE_MS = 20000 };

static const struct {
	const char *keys;
	const char *line;
} rows[] = {
	{ "abc\r", "abc" },
	{ "ac\x1b[Db\r", "abc" },
	{ "bc\x01"
	  "a\x05"
	  "d\r",
	  "abcd" },
	{ "abd\x7f"
	  "c\r",
	  "abc" },
	{ "one two three\x17"
	  "3\r",
	  "one two 3" },
	{ "abcdef\x1b[D\x1b[D\x0b"
	  "!\r",
	  "abcd!" },
	{ "abc\x15xyz\r", "xyz" },
	{ "abc\x1b[H\x1b[3~\x1b[F-\r", "bc-" },
	{ "\xc3\xa9t\xc3\xa9\x1b[D\x7f"
	  "T\r",
	  "\xc3\xa9T\xc3\xa9" },
	{ "\x1b[A\r", "\xc3\xa9T\xc3\xa9" }, /* the line before */
	{ "\x1b[A\x1b[A\x1b[Bx\r", "\xc3\xa9T\xc3\xa9x" },
	{ "draft\x1b[A\x1b[B!\r", "draft!" },
	{ "dro\x03", "(dropped)" },
	{ "data.al\t\r", "data.allow" },
	{ "x == data.\t\tro\t\r", "x == data.roles" },
	{ "tab \tx\r", "tab x" },
	{ "\x0c"
	  "clear\r",
	  "clear" },
	{ "\x1b[1;5Cq\r", "q" },
	{ "\x04", "(end)" },
};

static void complete(void *context, struct bl_str prefix,
		     void (*add)(void *words, struct bl_str word), void *words)
{
	static const char *const all[] = { "data.allow", "data.roles",
					   "data.rules", "walk" };

	(void)context;
	for (size_t i = 0; prefix.len && i < BL_COUNT(all); i++)
		if (bl_str_has_prefix(bl_str(all[i]), prefix))
			add(words, bl_str(all[i]));
}

/* In the child: each line goes to fd. */
static void type_lines(int fd)
{
	const struct cli_completer completer = { NULL, complete };
	struct cli_line_editor *editor =
		cli_line_editor_new(STDIN_FILENO, STDOUT_FILENO, &completer);
	enum cli_line_end end;
	struct bl_buf line;
	struct bl_str shown;

	bl_buf_init(&line, 0);
	do {
		end = cli_line_editor_read(editor, "> ", &line);
		cli_line_editor_remember(editor, bl_buf_str(&line));
		shown = end == CLI_LINE_DROPPED ? BL_STR("(dropped)")
			: end == CLI_LINE_EOF   ? BL_STR("(end)")
						: bl_buf_str(&line);
		dprintf(fd, "%.*s\n", BL_STR_ARG(shown));
	} while (end != CLI_LINE_EOF);
	_exit(0);
}

/* Reads up to wanted; false: it did not come. */
static bool read_until(int fd, const char *wanted, char *out, size_t size)
{
	size_t len = 0;
	struct pollfd ready = { fd, POLLIN, 0 };

	out[0] = '\0';
	while (len + 1 < size && poll(&ready, 1, DEADLINE_MS) > 0) {
		ssize_t got = read(fd, out + len, 1);

		if (got != 1)
			return false;
		out[++len] = '\0';
		if (len >= strlen(wanted) &&
		    !strcmp(out + len - strlen(wanted), wanted))
			return true;
	}
	return false;
}

static void keys_make_lines(void)
{
	int results[2];
	int master;
	char text[65536];
	pid_t child;

	CHECK_INT(pipe(results), 0);
	child = forkpty(&master, NULL, NULL, NULL);
	if (!child)
		type_lines(results[1]);
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		CHECK(read_until(master, "\r> \x1b[K\r\x1b[2C", text,
				 sizeof(text)));
		CHECK_INT(write(master, rows[i].keys, strlen(rows[i].keys)),
			  (long long)strlen(rows[i].keys));
		CHECK(read_until(results[0], "\n", text, sizeof(text)));
		text[strcspn(text, "\n")] = '\0';
		CHECK_STR(bl_str(text), rows[i].line);
	}
	waitpid(child, NULL, 0);
	close(master);
}

static void lines_of_a_pipe(void)
{
	int ends[2];
	struct cli_line_editor *editor;
	struct bl_buf line;

	CHECK_INT(pipe(ends), 0);
	CHECK_INT(write(ends[1], "a\n\nlast", 7), 7);
	close(ends[1]);
	bl_buf_init(&line, 0);
	editor = cli_line_editor_new(ends[0], STDERR_FILENO, NULL);
	CHECK(!cli_line_editor_is_interactive(editor));
	CHECK_INT(cli_line_editor_read(editor, "> ", &line), CLI_LINE_DONE);
	CHECK_STR(bl_buf_str(&line), "a");
	CHECK_INT(cli_line_editor_read(editor, "> ", &line), CLI_LINE_DONE);
	CHECK_STR(bl_buf_str(&line), "");
	CHECK_INT(cli_line_editor_read(editor, "> ", &line), CLI_LINE_DONE);
	CHECK_STR(bl_buf_str(&line), "last");
	CHECK_INT(cli_line_editor_read(editor, "> ", &line), CLI_LINE_EOF);
	cli_line_editor_free(editor);
	bl_buf_clear(&line);
	close(ends[0]);
}

static void history_is_kept(void)
{
	char folder[] = "/tmp/belay-history-XXXXXX";
	char path[64];
	char text[64] = "";
	struct cli_line_editor *editor = cli_line_editor_new(0, 1, NULL);
	struct bl_error err = { 0 };
	int fd;

	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/history", folder);
	CHECK_STATUS(cli_line_editor_load(editor, bl_str(path), &err), BL_OK);
	cli_line_editor_remember(editor, BL_STR("one"));
	cli_line_editor_remember(editor, BL_STR("one"));
	cli_line_editor_remember(editor, BL_STR(""));
	cli_line_editor_remember(editor, BL_STR("two"));
	CHECK_STATUS(cli_line_editor_store(editor, bl_str(path), &err), BL_OK);
	cli_line_editor_free(editor);
	editor = cli_line_editor_new(0, 1, NULL);
	CHECK_STATUS(cli_line_editor_load(editor, bl_str(path), &err), BL_OK);
	cli_line_editor_remember(editor, BL_STR("three"));
	CHECK_STATUS(cli_line_editor_store(editor, bl_str(path), &err), BL_OK);
	cli_line_editor_free(editor);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	CHECK_STR(bl_str(text), "one\ntwo\nthree\n");
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	RUN(keys_make_lines);
	RUN(lines_of_a_pipe);
	RUN(history_is_kept);
	return tap_end();
}

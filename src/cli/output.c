/* SPDX-License-Identifier: Apache-2.0 */
/* output.c: what the commands say, and to whom. */
#include "cli/cli.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/text_safe.h"
#include "json/json.h"
#include "os/os.h"

static const char *const styles[] = {
	[CLI_PLAIN] = "",         [CLI_BOLD] = "\033[1m",
	[CLI_RED] = "\033[1;31m", [CLI_YELLOW] = "\033[1;33m",
	[CLI_GREEN] = "\033[32m",
};

/* ---- by which name it was called ------------------------------------------ */

static bool is_called_cupcake;

void cli_call_it_cupcake(void)
{
	is_called_cupcake = true;
}

/* Where a text names the program, and not a file or a package of it. */
static const char *const callings[] = { "`belay ", "'belay ", "usage: belay ",
					"\nbelay: " };

/* The calling at the start of text; its length, 0: it is something else. */
static size_t calling_at(struct bl_str text, bool is_start)
{
	if (is_start && bl_str_has_prefix(text, BL_STR("belay: ")))
		return strlen("belay: ");
	for (size_t i = 0; i < BL_COUNT(callings); i++)
		if (bl_str_has_prefix(text, bl_str(callings[i])))
			return strlen(callings[i]);
	return 0;
}

/* Writes text, by the name that people know: what it says to run is there. */
static enum bl_status write_as_called(int fd, struct bl_str text,
				      struct bl_error *err)
{
	struct bl_buf out;
	enum bl_status status;
	size_t from = 0;

	if (!is_called_cupcake)
		return bl_os_write_all(fd, text, err);
	bl_buf_init(&out, 0);
	for (size_t at = 0; at < text.len; at++) {
		struct bl_str rest = bl_str_slice(text, at, SIZE_MAX);
		size_t len = calling_at(rest, at == 0);
		size_t name = len ? bl_str_find(rest, BL_STR("belay"), 0) : 0;

		if (!len)
			continue;
		bl_buf_put_str(&out, bl_str_slice(text, from, at + name));
		bl_buf_puts(&out, "cupcake");
		from = at + name + strlen("belay");
		at += len - 1;
	}
	bl_buf_put_str(&out, bl_str_slice(text, from, SIZE_MAX));
	status = bl_buf_status(&out);
	status = status ? bl_fail(err, status, "the output is too long")
			: bl_os_write_all(fd, bl_buf_str(&out), err);
	bl_buf_clear(&out);
	return status;
}

/* There is nobody left to tell when this fails. */
static void write_error(struct bl_buf *text)
{
	(void)!write_as_called(STDERR_FILENO, bl_buf_str(text), NULL);
	bl_buf_clear(text);
}

int cli_fail(const struct cli *cli, const struct bl_error *err)
{
	struct bl_buf text;
	const char *about = cli->command ? cli->command->name : NULL;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "belay: ");
	cli_put_text(&text, 2, bl_str(err->message));
	bl_buf_put_char(&text, '\n');
	if (err->status == BL_USAGE)
		bl_buf_printf(&text, "Try 'belay help%s%s'.\n",
			      about ? " " : "", about ? about : "");
	write_error(&text);
	return cli->command && cli->command->is_hook
		       ? CLI_EXIT_REFUSED
		       : bl_status_exit_code(err->status);
}

int cli_fail_with(const struct cli *cli, const struct bl_error *err, int code)
{
	int usual = cli_fail(cli, err);

	return err->status == BL_USAGE ? usual : code;
}

void cli_note(const char *fmt, ...)
{
	struct bl_buf text;
	va_list args;

	bl_buf_init(&text, 0);
	va_start(args, fmt);
	bl_buf_vprintf(&text, fmt, args);
	va_end(args);
	write_error(&text);
}

enum { TICK = 100 }; /* things between two words on progress */

void cli_show_progress(struct cli *cli, size_t done, const char *what)
{
	if (done % TICK || !isatty(STDERR_FILENO))
		return;
	if (done)
		cli_note("\r%zu %s", done, what);
	else if (cli->shows_progress)
		cli_note("\r\033[K");
	cli->shows_progress = done > 0;
}

void cli_show_step(struct cli *cli, const char *what)
{
	if (!isatty(STDERR_FILENO))
		return;
	cli_note("\r%s...", what);
	cli->shows_progress = true;
}

void cli_put_text(struct bl_buf *out, size_t indent, struct bl_str text)
{
	size_t from = 0;

	for (;;) {
		size_t to = bl_str_find(text, BL_STR("\n"), from);

		bl_text_put_safe(out, bl_str_slice(text, from, to));
		if (to == SIZE_MAX)
			return;
		bl_buf_put_char(out, '\n');
		from = to + 1;
		if (from < text.len && text.ptr[from] != '\n')
			bl_buf_printf(out, "%*s", (int)indent, "");
	}
}

enum { LINE_MAX_BYTES = 80 };

void cli_put_wrapped(struct bl_buf *out, struct bl_str text, size_t at,
		     size_t indent, struct bl_str mark)
{
	size_t column = at;
	size_t from = 0;

	while (from < text.len) {
		size_t to = bl_str_find(text, mark, from + 1);
		struct bl_str piece = bl_str_slice(text, from, to);

		if (from && column + piece.len > LINE_MAX_BYTES) {
			bl_buf_printf(out, "\n%*s", (int)indent, "");
			column = indent;
			piece = bl_str_slice(piece, 1, SIZE_MAX);
		}
		bl_buf_put_str(out, piece);
		column += piece.len;
		from = to == SIZE_MAX ? text.len : to;
	}
	bl_buf_put_char(out, '\n');
}

void cli_put_styled(struct cli *cli, enum cli_style style, const char *text)
{
	bool coloured = cli->colour && style != CLI_PLAIN;

	if (coloured)
		bl_buf_puts(&cli->out, styles[style]);
	bl_buf_puts(&cli->out, text);
	if (coloured)
		bl_buf_puts(&cli->out, "\033[0m");
}

void cli_put_json(struct cli *cli, struct bl_value value)
{
	bl_json_write(&cli->out, value, BL_JSON_COMPACT);
	bl_buf_put_char(&cli->out, '\n');
}

enum bl_status cli_flush(struct cli *cli, struct bl_error *err)
{
	enum bl_status status = bl_buf_status(&cli->out);

	if (status)
		return bl_fail(err, status, "the output: %s",
			       bl_status_text(status));
	status = write_as_called(STDOUT_FILENO, bl_buf_str(&cli->out), err);
	if (status)
		bl_error_context(err, "standard output");
	bl_buf_reset(&cli->out);
	return status;
}

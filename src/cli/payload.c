/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.c: what comes on standard input: an event, or a text of any kind up to
 * its end.  Some agents keep the pipe open after
 * the event, and one that waits for its end then never answers.  So reading
 * ends with the JSON document: a scanner follows strings and brackets as bytes
 * arrive, and what it takes for the end is still judged by the JSON reader.
 * Bytes that have arrived behind the document by then are kept, so that the
 * reader refuses them.
 */
#include <unistd.h>

#include "cli/cli.h"
#include "os/os.h"

/* No agent takes longer to hand over an event. */
enum { MOST_WAIT_MS = 10000, FIRST_ROOM = 16 * 1024 };

/* How far a JSON document has been read. */
struct scan {
	size_t at; /* bytes looked at */
	size_t depth;
	bool in_string;
	bool is_escaped;
	bool is_complete; /* an object or array has ended */
};

static void scan_byte(struct scan *scan, char byte)
{
	if (scan->is_escaped) {
		scan->is_escaped = false;
	} else if (scan->in_string) {
		scan->is_escaped = byte == '\\';
		scan->in_string = byte != '"';
	} else if (byte == '"') {
		scan->in_string = true;
	} else if (byte == '{' || byte == '[') {
		scan->depth++;
	} else if ((byte == '}' || byte == ']') && scan->depth) {
		scan->is_complete = --scan->depth == 0;
	}
}

static void scan_more(struct scan *scan, struct bl_str text)
{
	while (scan->at < text.len && !scan->is_complete)
		scan_byte(scan, text.ptr[scan->at++]);
}

/* Makes room for at least one more byte and a NUL; NULL: memory or limit. */
static char *grow(struct bl_arena *arena, char *text, size_t len, size_t *room)
{
	char *larger;

	if (len < *room)
		return text;
	*room = *room ? *room * 2 : FIRST_ROOM;
	larger = bl_arena_alloc_aligned(arena, *room + 1, BL_OS_READ_ALIGN);
	if (larger && len)
		memcpy(larger, text, len);
	return larger;
}

/* A text in the making, of one more piece with each read. */
struct reading {
	struct bl_arena *arena;
	size_t max_bytes;
	char *text;
	size_t room;
	size_t len;
};

/* Reads what is there within wait_ms; *out_got is 0 at the end. */
static enum bl_status read_piece(struct reading *reading, int wait_ms,
				 size_t *out_got, struct bl_error *err)
{
	enum bl_status status;

	reading->text = grow(reading->arena, reading->text, reading->len,
			     &reading->room);
	if (!reading->text)
		return bl_arena_fail(reading->arena, err);
	status = bl_os_read_piece(STDIN_FILENO, wait_ms,
				  reading->text + reading->len,
				  reading->room - reading->len, out_got, err);
	if (status)
		return status;
	reading->len += *out_got;
	reading->text[reading->len] = '\0';
	if (reading->len > reading->max_bytes)
		return bl_fail(err, BL_LIMIT, "more than %zu bytes to read",
			       reading->max_bytes);
	return BL_OK;
}

/* All that has arrived behind the document. */
static enum bl_status read_rest(struct reading *reading, struct bl_error *err)
{
	enum bl_status status;
	size_t got = 0;

	do
		status = read_piece(reading, 0, &got, err);
	while (!status && got);
	return status == BL_TIMEOUT ? BL_OK : status;
}

static enum bl_status read_document(struct reading *reading,
				    struct bl_error *err)
{
	int64_t until_ms = bl_os_monotonic_ns() / 1000000 + MOST_WAIT_MS;
	struct scan scan = { 0 };
	size_t got = 1;

	while (got && !scan.is_complete) {
		int64_t left_ms = until_ms - bl_os_monotonic_ns() / 1000000;
		enum bl_status status =
			left_ms > 0
				? read_piece(reading, (int)left_ms, &got, err)
				: BL_TIMEOUT;

		if (status == BL_TIMEOUT)
			return bl_fail(err, status,
				       "%s did not come within %d seconds",
				       reading->len ? "the rest of the event"
						    : "the event",
				       MOST_WAIT_MS / 1000);
		if (status)
			return status;
		scan_more(&scan,
			  (struct bl_str){ reading->text, reading->len });
	}
	return got ? read_rest(reading, err) : BL_OK;
}

enum bl_status cli_read_input(struct cli *cli, struct bl_str *out_text,
			      struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	enum bl_status status;

	if (isatty(STDIN_FILENO))
		cli_note("belay: type the text, then Ctrl-D\n");
	status = bl_os_read_all(STDIN_FILENO, limits.payload_bytes, &cli->arena,
				out_text, err);
	if (status)
		bl_error_context(err, "standard input");
	return status;
}

enum bl_status cli_read_payload(struct cli *cli, struct bl_str *out_payload,
				struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	struct reading reading = { .arena = &cli->arena,
				   .max_bytes = limits.payload_bytes };
	enum bl_status status;

	if (isatty(STDIN_FILENO)) {
		cli_note("belay: type the event as JSON, then Ctrl-D\n");
		status = bl_os_read_all(STDIN_FILENO, limits.payload_bytes,
					&cli->arena, out_payload, err);
	} else {
		status = read_document(&reading, err);
		*out_payload = (struct bl_str){ reading.text, reading.len };
	}
	if (status)
		bl_error_context(err, "standard input");
	return status;
}

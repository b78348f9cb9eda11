/* SPDX-License-Identifier: Apache-2.0 */
/* One entry as one line of JSON (docs/formats/journal.md). */
#include "journal/private.h"

#include "base/utf8.h"
#include "json/json.h"

/*
 * Texts are cut so that, with six bytes for each in the worst case, all of
 * them fit in the least limit of a line.
 */
enum {
	MAX_NAME_BYTES = 512,
	MAX_TEXT_BYTES = 4096,
	MAX_ALLOWANCE_BYTES = 16384,
	MAX_CUT = 13, /* fields that can be cut */
};

struct line {
	struct bl_buf *out;
	const char *cut[MAX_CUT];
	size_t cut_count;
};

static void note_cut(struct line *line, const char *name)
{
	if (line->cut_count < MAX_CUT)
		line->cut[line->cut_count++] = name;
}

static void put_name(struct line *line, const char *name)
{
	bl_buf_puts(line->out, ",\"");
	bl_buf_puts(line->out, name);
	bl_buf_puts(line->out, "\":");
}

/* Does a character begin at this byte, or is it no character at all? */
static bool is_boundary(char c)
{
	return ((unsigned char)c & 0xC0) != 0x80;
}

static struct bl_str cut_text(struct bl_str text, size_t max)
{
	size_t len = max;

	if (text.len <= max)
		return text;
	while (len > max - BL_UTF8_MAX_BYTES && !is_boundary(text.ptr[len]))
		len--;
	return bl_str_slice(text, 0, len);
}

static void put_string(struct line *line, const char *name, struct bl_str text,
		       size_t max)
{
	struct bl_str shown = cut_text(text, max);

	put_name(line, name);
	bl_json_write_string(line->out, shown);
	if (shown.len < text.len)
		note_cut(line, name);
}

static void put_text(struct line *line, const char *name, struct bl_str text,
		     size_t max)
{
	if (text.len)
		put_string(line, name, text, max);
}

static void put_word(struct line *line, const char *name, const char *word)
{
	put_name(line, name);
	bl_buf_put_char(line->out, '"');
	bl_buf_puts(line->out, word ? word : "");
	bl_buf_put_char(line->out, '"');
}

/* The value, or nothing when that takes more than max bytes. */
static void put_value(struct line *line, const char *name,
		      struct bl_value value, size_t max, const char *cut_name)
{
	struct bl_buf text;

	if (!bl_value_is_defined(value))
		return;
	bl_buf_init(&text, max);
	bl_json_write(&text, value, BL_JSON_COMPACT);
	if (bl_buf_status(&text) == BL_OK) {
		put_name(line, name);
		bl_buf_put_str(line->out, bl_buf_str(&text));
	} else {
		note_cut(line, cut_name);
	}
	bl_buf_clear(&text);
}

/* The room left for a value: a full journal gives it a quarter of the line. */
static size_t value_room(bool full)
{
	struct bl_limits limits = bl_limits_default();

	return full ? limits.journal_line_bytes / 4 : MAX_TEXT_BYTES;
}

/* Entries of one event mostly share the payload, and so its digest. */
static void put_payload(struct line *line, const struct bl_journal_entry *e,
			struct bl_journal_event *event)
{
	if (!event->digested.ptr ||
	    event->digested.ptr != e->payload_text.ptr ||
	    event->digested.len != e->payload_text.len) {
		event->digested = e->payload_text;
		bl_sha256_hex(event->digested, event->sha256);
	}
	bl_buf_printf(line->out,
		      ",\"payload\":{\"sha256\":\"%s\",\"bytes\":%zu",
		      event->sha256, e->payload_text.len);
	if (event->full)
		put_value(line, "value", e->payload, value_room(true),
			  "payload");
	bl_buf_put_char(line->out, '}');
}

/* Appends a text that was made for the line; without memory there is no line. */
static void put_made(struct line *line, const char *name, struct bl_buf *made,
		     size_t max)
{
	if (bl_buf_status(made) != BL_OK)
		line->out->status = bl_buf_status(made);
	else
		put_text(line, name, bl_buf_str(made), max);
	bl_buf_clear(made);
}

static void put_about(struct line *line, const struct bl_journal_entry *e)
{
	struct bl_buf about;

	bl_buf_init(&about, 0);
	bl_journal_put_about(&about, e->payload);
	put_made(line, "about", &about, MAX_NAME_BYTES);
}

static void put_cut(struct line *line)
{
	if (line->cut_count == 0)
		return;
	put_name(line, "cut");
	for (size_t i = 0; i < line->cut_count; i++)
		bl_buf_printf(line->out, "%c\"%s\"", i ? ',' : '[',
			      line->cut[i]);
	bl_buf_put_char(line->out, ']');
}

/* Reasons quote commands. */
static void put_reason(struct line *line, struct bl_str reason)
{
	struct bl_buf text;

	if (!reason.len)
		return;
	bl_buf_init(&text, 0);
	bl_journal_put_redacted(&text, reason);
	put_made(line, "reason", &text, MAX_TEXT_BYTES);
}

static void put_outcome(struct line *line, const struct bl_journal_entry *e)
{
	if (e->has_outcome)
		put_word(line, "outcome", bl_outcome_name(e->outcome));
	put_reason(line, e->reason);
	if (e->duration_ms > 0)
		bl_buf_printf(line->out, ",\"duration_ms\":%.3f",
			      e->duration_ms);
	if (e->has_exit_code)
		bl_buf_printf(line->out, ",\"exit_code\":%d", e->exit_code);
	if (e->signal)
		bl_buf_printf(line->out, ",\"signal\":%d", e->signal);
	put_text(line, "sandbox", e->sandbox, MAX_NAME_BYTES);
	put_text(line, "stderr", e->errors, MAX_TEXT_BYTES);
}

void bl_journal_put_line(struct bl_buf *out, const struct bl_journal_entry *e,
			 struct bl_journal_event *event)
{
	struct line line = { .out = out };
	char time[BL_OS_TIME_TEXT_BYTES];

	bl_os_format_time(e->time_ms, time);
	bl_buf_printf(out, "{\"v\":%d", BL_JOURNAL_VERSION);
	put_word(&line, "id", e->id);
	put_word(&line, "time", time);
	put_word(&line, "action", event->action_id);
	/* Of an event that belay does not know, the agent's word for it. */
	put_string(&line, "step", bl_str(e->event_name ? e->event_name : ""),
		   MAX_NAME_BYTES);
	put_word(&line, "kind", bl_event_kind_name(event->kind));
	put_word(&line, "profile", e->profile);
	if (e->decision)
		put_word(&line, "decision", e->decision);
	put_payload(&line, e, event);
	put_word(&line, "asked", bl_verdict_name(e->asked));
	put_word(&line, "enforced", bl_verdict_name(e->enforced));
	put_text(&line, "source", e->source, MAX_NAME_BYTES);
	put_text(&line, "file", e->file, MAX_TEXT_BYTES);
	put_text(&line, "command", e->command, MAX_TEXT_BYTES);
	put_about(&line, e);
	put_text(&line, "conversation", e->conversation, MAX_NAME_BYTES);
	put_text(&line, "generation", e->generation, MAX_NAME_BYTES);
	put_value(&line, "response", e->response, value_room(event->full),
		  "response");
	put_value(&line, "allowance", e->allowance, MAX_ALLOWANCE_BYTES,
		  "allowance");
	put_outcome(&line, e);
	put_cut(&line);
	bl_chain_put_room(out);
	bl_buf_put_char(out, '\n');
}

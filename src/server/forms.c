/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forms.c: records in the words of other systems: JSON Lines, OPA's decision log,
 * OpenTelemetry's logs (OTLP, JSON encoding), syslog (RFC 5424, octet-counted as
 * in RFC 6587).  Pure: rows in, text out.
 */
#include "server/export.h"

#include "base/utf8.h"

enum {
	SYSLOG_FACILITY = 13, /* log audit */
	MAX_HOST = 255,       /* RFC 5424, 6 */
	MAX_MSGID = 32,
};

static struct bl_str cell(const struct bl_rows *rows, size_t row,
			  enum export_column column)
{
	return bl_rows_text(rows, row, column);
}

static int64_t number(const struct bl_rows *rows, size_t row,
		      enum export_column column)
{
	return bl_rows_integer(rows, row, column);
}

/* How grave it is, in both ways to say so. */
struct severity {
	const char *verdict;
	int otlp;
	const char *text;
	int syslog;
};

static const struct severity *severity_of(const struct bl_rows *rows,
					  size_t row)
{
	static const struct severity failed = { "", 17, "ERROR", 3 };
	static const struct severity severities[] = {
		{ "deny", 13, "WARN", 4 },
		{ "ask", 10, "INFO2", 5 },
		{ "", 9, "INFO", 6 }, /* all others */
	};
	struct bl_str verdict = cell(rows, row, EXPORT_VERDICT);
	size_t i = 0;

	if (number(rows, row, EXPORT_FAILED))
		return &failed;
	while (i + 1 < BL_COUNT(severities) &&
	       !bl_str_is(verdict, severities[i].verdict))
		i++;
	return &severities[i];
}

/* ---- JSON Lines, OPA --------------------------------------------------------- */

static void put_line(struct bl_buf *out, const struct bl_rows *rows, size_t row)
{
	struct bl_str body = cell(rows, row, EXPORT_BODY);

	bl_buf_puts(out, "{\"machine\":");
	bl_json_write_string(out, cell(rows, row, EXPORT_MACHINE));
	bl_buf_printf(out, ",\"seq\":%lld,\"at\":%lld,\"record\":%.*s}\n",
		      (long long)number(rows, row, EXPORT_SEQ),
		      (long long)number(rows, row, EXPORT_AT),
		      BL_STR_ARG(body));
}

/* A record as OPA's decision log has it. */
static void put_decision(struct bl_buf *out, const struct bl_rows *rows,
			 size_t row)
{
	char time[BL_OS_TIME_TEXT_BYTES];

	bl_os_format_time(number(rows, row, EXPORT_AT), time);
	bl_buf_puts(out, "{\"decision_id\":");
	bl_json_write_string(out, cell(rows, row, EXPORT_ID));
	bl_buf_puts(out, ",\"labels\":{\"app\":\"belay\",\"id\":");
	bl_json_write_string(out, cell(rows, row, EXPORT_MACHINE));
	bl_buf_printf(out, "},\"bundles\":{\"belay\":{\"revision\":\"%lld\"}}",
		      (long long)number(rows, row, EXPORT_SET_VERSION));
	bl_buf_printf(out,
		      ",\"path\":\"belay/decision\",\"timestamp\":\"%s\","
		      "\"result\":",
		      time);
	bl_json_write_string(out, cell(rows, row, EXPORT_VERDICT));
	bl_buf_puts(out, ",\"input\":");
	bl_buf_put_str(out, cell(rows, row, EXPORT_BODY));
	bl_buf_puts(out, "}");
}

static void begin_list(struct bl_buf *out, const struct app *app)
{
	(void)app;
	bl_buf_puts(out, "[");
}

/* ---- OpenTelemetry ----------------------------------------------------------- */

static void put_attribute(struct bl_buf *out, const char *key,
			  struct bl_str text)
{
	bl_buf_printf(out, "{\"key\":\"%s\",\"value\":{\"stringValue\":", key);
	bl_json_write_string(out, text);
	bl_buf_puts(out, "}}");
}

static void begin_otlp(struct bl_buf *out, const struct app *app)
{
	bl_buf_puts(out, "{\"resourceLogs\":[{\"resource\":{\"attributes\":[");
	put_attribute(out, "service.name", BL_STR("belay-server"));
	bl_buf_puts(out, ",");
	put_attribute(out, "belay.team", app->team_id);
	bl_buf_puts(out, "]},\"scopeLogs\":[{\"scope\":{\"name\":\"belay\","
			 "\"version\":\"" BELAY_VERSION "\"},\"logRecords\":[");
}

/* Attributes of a record that are not empty; ProtoJSON has int64 as a string. */
static void put_attributes(struct bl_buf *out, const struct bl_rows *rows,
			   size_t row)
{
	static const struct {
		const char *key;
		enum export_column column;
		char kind; /* text, integer, boolean */
	} attributes[] = {
		{ "host.name", EXPORT_MACHINE_NAME, 't' },
		{ "belay.machine", EXPORT_MACHINE, 't' },
		{ "belay.seq", EXPORT_SEQ, 'i' },
		{ "belay.agent", EXPORT_AGENT, 't' },
		{ "belay.step", EXPORT_STEP, 't' },
		{ "belay.verdict", EXPORT_VERDICT, 't' },
		{ "belay.outcome", EXPORT_OUTCOME, 't' },
		{ "belay.source", EXPORT_SOURCE, 't' },
		{ "belay.rule", EXPORT_RULE, 't' },
		{ "belay.about", EXPORT_ABOUT, 't' },
		{ "belay.monitored", EXPORT_MONITORED, 'b' },
		{ "belay.failed", EXPORT_FAILED, 'b' },
		{ "belay.duration_us", EXPORT_DURATION, 'i' },
		{ "belay.set_version", EXPORT_SET_VERSION, 'i' },
	};

	for (size_t i = 0; i < BL_COUNT(attributes); i++) {
		struct bl_str text = cell(rows, row, attributes[i].column);
		const char *key = attributes[i].key;

		if (!text.len)
			continue;
		bl_buf_puts(out, ",");
		if (attributes[i].kind == 't')
			put_attribute(out, key, text);
		else if (attributes[i].kind == 'i')
			bl_buf_printf(out,
				      "{\"key\":\"%s\",\"value\":{\"intValue\":"
				      "\"%.*s\"}}",
				      key, BL_STR_ARG(text));
		else
			bl_buf_printf(out,
				      "{\"key\":\"%s\",\"value\":{\"boolValue\""
				      ":%s}}",
				      key,
				      bl_str_is(text, "0") ? "false" : "true");
	}
}

static void put_log_record(struct bl_buf *out, const struct bl_rows *rows,
			   size_t row)
{
	const struct severity *severity = severity_of(rows, row);
	long long at = (long long)number(rows, row, EXPORT_AT);
	struct bl_str machine = cell(rows, row, EXPORT_MACHINE);

	bl_buf_printf(out,
		      "{\"timeUnixNano\":\"%lld000000\","
		      "\"observedTimeUnixNano\":\"%lld000000\","
		      "\"severityNumber\":%d,\"severityText\":\"%s\",\"body\":"
		      "{\"stringValue\":",
		      at, (long long)bl_os_wall_ms(), severity->otlp,
		      severity->text);
	bl_json_write_string(out, cell(rows, row, EXPORT_BODY));
	/* A record that comes twice has one id, so that a receiver can drop it. */
	bl_buf_printf(out,
		      "},\"attributes\":[{\"key\":\"log.record.uid\",\"value\":"
		      "{\"stringValue\":\"%.*s-%lld-%lld\"}}",
		      BL_STR_ARG(machine),
		      (long long)number(rows, row, EXPORT_SEQ), at);
	put_attributes(out, rows, row);
	bl_buf_puts(out, "]}");
}

/* ---- syslog ------------------------------------------------------------------- */

/* A field of the header: printable ASCII without blanks; "-" for nothing. */
static void put_header_field(struct bl_buf *out, struct bl_str text,
			     size_t most)
{
	bl_buf_puts(out, text.len ? " " : " -");
	for (size_t i = 0; i < text.len && i < most; i++)
		bl_buf_put_char(out, text.ptr[i] > ' ' && text.ptr[i] < 127
					     ? text.ptr[i]
					     : '_');
}

/* JSON in ASCII alone: UTF-8 would need a mark that JSON's readers refuse. */
static void put_ascii(struct bl_buf *out, struct bl_str json)
{
	size_t at = 0;

	while (at < json.len) {
		uint32_t rune = BL_REPLACEMENT_CHAR;
		size_t len = bl_utf8_decode(json, at, &rune);

		at += len ? len : 1;
		if (rune < 127)
			bl_buf_put_char(out, (char)rune);
		else if (rune < 0x10000)
			bl_buf_printf(out, "\\u%04x", (unsigned)rune);
		else
			bl_buf_printf(
				out, "\\u%04x\\u%04x",
				0xD800 + (unsigned)(rune - 0x10000) / 1024,
				0xDC00 + (unsigned)(rune - 0x10000) % 1024);
	}
}

/* <PRI>1 TIME HOST belay - STEP - {...} behind its length. */
static void put_syslog(struct bl_buf *out, const struct bl_rows *rows,
		       size_t row)
{
	struct bl_str host = cell(rows, row, EXPORT_MACHINE_NAME);
	char time[BL_OS_TIME_TEXT_BYTES];
	struct bl_buf json;
	struct bl_buf line;
	struct bl_str text;

	bl_os_format_time(number(rows, row, EXPORT_AT), time);
	bl_buf_init(&json, 0);
	bl_buf_init(&line, 0);
	app_put_row(&json, rows, row, EXPORT_LIST);
	bl_buf_printf(&line, "<%d>1 %s",
		      SYSLOG_FACILITY * 8 + severity_of(rows, row)->syslog,
		      time);
	put_header_field(&line,
			 host.len ? host : cell(rows, row, EXPORT_MACHINE),
			 MAX_HOST);
	bl_buf_puts(&line, " belay -");
	put_header_field(&line, cell(rows, row, EXPORT_STEP), MAX_MSGID);
	bl_buf_puts(&line, " - ");
	text = bl_buf_str(&json);
	put_ascii(&line, text);
	text = bl_buf_str(&line);
	bl_buf_printf(out, "%zu ", text.len);
	bl_buf_put_str(out, text);
	bl_buf_clear(&json);
	bl_buf_clear(&line);
}

/* ---- by name ------------------------------------------------------------------ */

static void begin_nothing(struct bl_buf *out, const struct app *app)
{
	(void)out;
	(void)app;
}

static const struct export_form forms[] = {
	{ "jsonl", "application/x-ndjson", begin_nothing, put_line, "", "" },
	{ "opa", "application/json", begin_list, put_decision, ",\n", "]\n" },
	{ "otlp", "application/json", begin_otlp, put_log_record, ",\n",
	  "]}]}]}\n" },
	{ "syslog", "application/octet-stream", begin_nothing, put_syslog, "",
	  "" },
};

const struct export_form *export_form_find(struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(forms); i++)
		if (bl_str_is(name, forms[i].name))
			return &forms[i];
	return NULL;
}

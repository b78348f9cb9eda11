/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/export.h: records as other systems want them (forms.c), and how they get
 * there (collectors.c, export.c).
 */
#ifndef BELAY_SERVER_EXPORT_H
#define BELAY_SERVER_EXPORT_H

#include "server/app.h"

/* ---- forms (forms.c) -------------------------------------------------------- */

/* Columns of "execution e LEFT JOIN machine m", in this order. */
#define EXPORT_LIST_COLUMNS                                                    \
	"e.machine, m.name, e.seq, e.at, e.id, e.agent, e.step, e.verdict, "   \
	"e.outcome, e.source, e.rule, e.about, e.monitored, e.failed, "        \
	"e.duration_us, e.set_version"
#define EXPORT_COLUMNS EXPORT_LIST_COLUMNS ", e.body"

/* Their names and kinds, for app_put_row. */
#define EXPORT_LIST                                                            \
	"machine,machine_name,seq#,at#,id,agent,step,verdict,outcome,source,"  \
	"rule,about,monitored?,failed?,duration_us#,set_version#"

enum export_column {
	EXPORT_MACHINE,
	EXPORT_MACHINE_NAME,
	EXPORT_SEQ,
	EXPORT_AT,
	EXPORT_ID,
	EXPORT_AGENT,
	EXPORT_STEP,
	EXPORT_VERDICT,
	EXPORT_OUTCOME,
	EXPORT_SOURCE,
	EXPORT_RULE,
	EXPORT_ABOUT,
	EXPORT_MONITORED,
	EXPORT_FAILED,
	EXPORT_DURATION,
	EXPORT_SET_VERSION,
	EXPORT_BODY,
};

struct export_form {
	const char *name;
	const char *type; /* Content-Type */
	void (*begin)(struct bl_buf *out, const struct app *app);
	void (*put)(struct bl_buf *out, const struct bl_rows *rows, size_t row);
	const char *between; /* records */
	const char *end;
};

/* "jsonl", "opa", "otlp", "syslog"; NULL: there is no such form. */
const struct export_form *export_form_find(struct bl_str name);

/* ---- collectors (collectors.c) ---------------------------------------------- */

enum send_end {
	SEND_TAKEN,
	SEND_REFUSED, /* for what it holds: it is not sent again */
	SEND_FAILED,  /* to be sent again */
};

struct send_result {
	enum send_end end;
	int64_t retry_after_ms; /* FAILED: as the collector asks; 0: it does not */
	int64_t refused;        /* TAKEN: records that it did not keep */
	char why[256];          /* a sentence, unless all were TAKEN */
};

struct send_to {
	const struct app_options *options;
	struct bl_http_client *http;
	const struct bl_flag *stop; /* raised: give up */
};

/* A message with a record or more, in the form of the collector's name. */
void send_otlp(const struct send_to *to, struct bl_str body,
	       struct send_result *out);
void send_syslog(const struct send_to *to, struct bl_str body,
		 struct send_result *out);

/* "[tls://]HOST:PORT", IPv6 in brackets.  False: it is not that. */
struct export_address {
	const char *host;
	const char *port;
	bool is_tls;
};

bool export_split_address(struct bl_str text, struct bl_arena *arena,
			  struct export_address *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/trace.h: an evaluation as lines for people: what began, held, failed. */
#ifndef BELAY_CLI_REGO_TRACE_H
#define BELAY_CLI_REGO_TRACE_H

#include "cli/rego/coverage.h"
#include "cli/rego/profile.h"

struct cli_trace {
	const char *kinds; /* a letter for each kind of event; NULL: none */
	bool wants_why;    /* the caller makes the explainer */
	struct bl_rego_explainer *explainer; /* NULL: none */
	struct bl_buf lines;
	struct bl_buf printed; /* of print() */
	struct bl_arena *arena;
	struct bl_array_builder errors; /* of builtins, as opa eval has them */
	struct cli_coverage coverage;
	struct cli_profile *profile; /* NULL: none */
	struct bl_rego_observer observer;
};

/*
 * mode is full (or debug), fails, notes or why; off and ptr NULL: no lines.
 * False: no such mode.
 */
bool cli_trace_init(struct cli_trace *trace, struct bl_arena *arena,
		    struct bl_str mode);

/* The kinds of events of a mode, "" for off; NULL: no such mode. */
const char *cli_trace_kinds(struct bl_str mode);

/* Appends the line of an event, when its kind is one of these. */
void cli_trace_put(struct bl_buf *out, const char *kinds,
		   const struct bl_rego_event *event);

/* Forgets what was said, but keeps what was counted. */
void cli_trace_reset(struct cli_trace *trace);
void cli_trace_clear(struct cli_trace *trace);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cli/everruns.h: the profiles whose hooks are those of Everruns. */
#ifndef BELAY_CLI_EVERRUNS_H
#define BELAY_CLI_EVERRUNS_H

#include "cli/cli.h"
#include "sources/hooks/everruns/everruns.h"

/* The rules that --profile names; NULL when it names none of these. */
const struct bl_everruns_rules *cli_everruns(const struct cli *cli);

/* The options of belay dispatch beside those that all commands share. */
struct cli_everruns_options {
	struct bl_str config; /* the one file to read hooks from; or empty */
	bool no_log;
	struct bl_journal_options journal; /* dir is set */
};

/* Decides the event on standard input, and records what was run. */
enum bl_status cli_everruns_dispatch(struct cli *cli,
				     const struct bl_everruns_rules *rules,
				     const struct cli_everruns_options *own,
				     struct bl_everruns_reply *out_reply,
				     struct bl_error *err);

/* Reads every file that dispatch would find, trusted or not. */
enum bl_status cli_validate_everruns(struct cli *cli,
				     const struct bl_everruns_rules *rules,
				     struct bl_diags *diags,
				     struct bl_error *err);

/* Appends the executions to the journal; what they rewrote, redacted. */
enum bl_status cli_log_everruns(const struct bl_journal_options *options,
				const struct bl_everruns_reply *reply,
				struct bl_str payload, struct bl_arena *arena,
				struct bl_error *err);

/* A decided event, told to people. */
void cli_put_everruns(struct cli *cli, const struct bl_everruns_reply *reply);

#endif

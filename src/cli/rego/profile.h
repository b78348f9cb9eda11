/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/rego/profile.h: where the time of an evaluation goes.  The time from one
 * event to the next belongs to the statement that runs in between; that of a
 * rule it calls is the rule's own.
 */
#ifndef BELAY_CLI_REGO_PROFILE_H
#define BELAY_CLI_REGO_PROFILE_H

#include "cli/cli.h"
#include "rego/rego.h"

/* A statement, or the head of a rule. */
struct cli_profile_row {
	struct bl_rego_mark mark; /* no text: never begun */
	int64_t time_ns;
	uint64_t evals; /* times it began */
	uint64_t held;  /* solutions it had; of a rule: values it gave */
};

enum { CLI_PROFILE_DEPTH = 1024, CLI_PROFILE_LIMIT = 10 };

struct cli_profile {
	struct bl_arena *arena;
	struct cli_profile_row *rows; /* by number of mark */
	size_t count;
	int64_t since_ns;
	uint32_t open[CLI_PROFILE_DEPTH]; /* what runs, by depth of calls */
	bool out_of_memory;
};

/* NULL when memory is out. */
struct cli_profile *cli_profile_new(struct bl_arena *arena);

/* event has a mark.  The clock stands still from here until _resume. */
void cli_profile_notice(struct cli_profile *profile,
			const struct bl_rego_event *event);
void cli_profile_resume(struct cli_profile *profile);

/* Is there such a key to sort by?  ptr NULL is total_time_ns. */
bool cli_profile_has_key(struct bl_str key);

/*
 * Puts rows of one place together, sorts them by key and leaves the first
 * limit, once, after the evaluation.  NO_MEMORY or LIMIT when some are missing.
 */
enum bl_status cli_profile_finish(struct cli_profile *profile,
				  struct bl_str key, uint64_t limit,
				  struct bl_error *err);

struct bl_value cli_profile_value(const struct cli_profile *profile);
void cli_profile_put(const struct cli_profile *profile, struct bl_buf *out);

#endif

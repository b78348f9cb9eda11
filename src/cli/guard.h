/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h: is an agent guarded here?  `belay status`, `belay init` and `belay
 * doctor` all read it here: the agent's configuration as the agent reads it,
 * the program that it starts, the policies that this one asks, and the events
 * that came.
 */
#ifndef BELAY_CLI_GUARD_H
#define BELAY_CLI_GUARD_H

#include "cli/cli.h"
#include "setup/setup.h"

/* Where to look; all absolute. */
struct cli_guard_places {
	struct bl_setup_places setup;
	bool is_project;         /* setup.project is one, or just a folder */
	struct bl_str state_dir; /* heartbeats */
	struct bl_str config_home;
	struct bl_str belay; /* this program; empty: not found */
};

/* The policies that a registered line asks. */
struct cli_guard_policies {
	struct bl_str dir;    /* that the line names; empty: none */
	struct bl_str global; /* the user's own; empty: none */
	struct bl_str team;   /* of the team's set; empty: none */
	enum bl_level level;
	size_t pack_rules; /* in force at that level */
	size_t overrides;  /* modes of rules and packs in rulebooks */
	size_t count;      /* policies of files */
	struct bl_str problem;
};

/* One agent. */
struct cli_guard {
	struct bl_inspection found;
	const struct bl_registered
		*by;           /* the registration that the rest is about */
	struct bl_str program; /* that runs; empty: none does */
	struct bl_str note;    /* guarded, but ...; empty */
	struct cli_guard_policies policies;
	int64_t since_ms; /* 0: no event came */
	int64_t last_ms;
	struct bl_str reason; /* why it is not guarded; empty: it is */
	struct bl_str remedy;
};

static inline bool cli_guard_is_good(const struct cli_guard *guard)
{
	return !guard->reason.len;
}

/* Is the agent used here at all? */
static inline bool cli_guard_is_present(const struct cli_guard *guard)
{
	return guard->found.program.len || guard->found.is_in_project ||
	       guard->found.is_in_home || guard->found.count;
}

/* The belay that agents call, which belongs to this program; NOT_FOUND. */
enum bl_status cli_guard_find_belay(struct cli *cli, struct bl_str *out_path,
				    struct bl_error *err);

/*
 * The usual places: the project around dir (the current folder when it is empty)
 * and the home of an option or of the environment.
 */
enum bl_status cli_guard_find_places(struct cli *cli, struct bl_str dir,
				     size_t home_option, size_t state_option,
				     struct cli_guard_places *out_places,
				     struct bl_error *err);

/* Why an agent would drop a file, by the rules of hook files (bl_setup_places). */
struct bl_str cli_guard_check_file(const struct bl_agent *agent,
				   enum bl_scope scope, struct bl_str path,
				   struct bl_str text, struct bl_arena *arena);

/* Looks at one agent. */
enum bl_status cli_guard_look(struct cli *cli, const struct bl_agent *agent,
			      const struct cli_guard_places *places,
			      struct cli_guard *out_guard,
			      struct bl_error *err);

/* "guarded", "NOT GUARDED"; its reason and remedy, with the end of the line. */
void cli_guard_put_verdict(struct cli *cli, const struct cli_guard *guard);
void cli_guard_put_why(struct cli *cli, const struct cli_guard *guard);

/* "level standard, 200 rules of packs, 2 policies" */
void cli_guard_put_level(struct bl_buf *out,
			 const struct cli_guard_policies *policies);

/* The agent in one line. */
void cli_guard_put_brief(struct cli *cli, const struct cli_guard *guard);

/* "3 minutes ago" */
void cli_put_age(struct bl_buf *out, int64_t then_ms);

/* The limits of the agent before a tool: "ask (deny instead), ..."; or nothing. */
void cli_guard_put_cannot(struct bl_buf *out, const struct bl_agent *agent);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources/hooks/private.h: what the files of this module share.
 *
 * The way of a file: locations.c lists where files may be, read.c opens and
 * reads one, parse.c and entry.c validate its text and make its hooks,
 * load.c merges all and asks trust.  All findings go through diagnose.c.
 */
#ifndef BELAY_SOURCES_HOOKS_PRIVATE_H
#define BELAY_SOURCES_HOOKS_PRIVATE_H

#include "sources/hooks/hooks.h"
#include "json/json.h"

/* Of all sources; each source has its own limit in struct bl_limits. */
enum { BL_HOOK_MAX_FILES = 4096 };

/*
 * The longest timeout a hook may have: an hour (docs/contracts/cursor.md
 * "Options").
 */
enum { BL_HOOK_MAX_TIMEOUT_MS = 3600 * 1000 };

/* ---- findings: diagnose.c ----------------------------------------- */

enum bl_hook_rule {
#define RULE(name, code, today, old, message, hint) BL_RULE_##name,
#include "sources/hooks/rules.def"
#undef RULE
	BL_RULE_COUNT
};

/* The texts that a finding may mention. */
struct bl_hook_finding {
	struct bl_place place;
	struct bl_str subject;
	struct bl_str at;   /* "stop[0]" */
	struct bl_str hint; /* instead of the rule's own, unless empty */
};

/* True when the rule is an error under this profile. */
bool bl_hook_report(struct bl_diags *diags, const struct bl_profile *profile,
		    const struct bl_diag_source *source, enum bl_hook_rule rule,
		    const struct bl_hook_finding *finding);

/* ---- one text: parse.c, entry.c, matcher.c -------------------------- */

/* A growing list in an arena. */
struct bl_hook_list {
	struct bl_hook *items;
	size_t count;
	size_t cap;
};

/* One text on its way to hooks. */
struct bl_hook_text {
	const struct bl_profile *profile;
	const struct bl_contract *contract;
	const struct bl_limits *limits;
	enum bl_source source;
	bool lenient;
	const struct bl_hook_file *file; /* of the hooks; NULL: validate only */
	const struct bl_diag_source *text;
	struct bl_diags *diags;
	struct bl_arena *arena; /* for values and hooks */
	const struct bl_json_places *places;
	struct bl_hook_list hooks;
	size_t entry_count; /* seen so far, good or bad */
	uint64_t guards;    /* events of entries that are to fail closed */
	uint64_t lost;      /* those of them that are bad */
	bool is_unread;     /* a part of the text was not looked at */
	bool refused;       /* the file contributes no hook */
};

/*
 * Validates and makes hooks.  OK also when the text is refused; NO_MEMORY or
 * LIMIT when the arena is out.  Whatever happens, hooks holds heap objects
 * (bl_hook_list_clear).
 */
enum bl_status bl_hook_parse(struct bl_hook_text *text, struct bl_error *err);

/*
 * guards.c: the events at which the file that this text was has lost a guard,
 * after bl_hook_parse.
 */
uint64_t bl_hook_lost_guards(const struct bl_hook_text *text);

/* guards.c: notes whether an entry is to fail closed, good or bad. */
void bl_hook_note_guard(struct bl_hook_text *text,
			const struct bl_hook_event *hook_event,
			struct bl_value entry, bool good);

/* The place of an entry in its file. */
struct bl_hook_at {
	const struct bl_hook_event *hook_event; /* NULL: unknown */
	struct bl_str event_name;
	size_t index;
	struct bl_place place;
};

/*
 * Validates one entry; true and *out_hook when it is a good one.  *out_skip
 * says that a good one is not for this system.
 */
bool bl_hook_parse_entry(struct bl_hook_text *text, const struct bl_hook_at *at,
			 struct bl_value entry, struct bl_hook *out_hook,
			 bool *out_skip);

/* An entry while it is looked at. */
struct bl_hook_entry {
	struct bl_hook_text *text;
	const struct bl_hook_at *at;
	struct bl_value value;
	struct bl_hook *hook;
	bool good;
	bool skip; /* not for this operating system */
};

void bl_hook_entry_report(struct bl_hook_entry *entry, enum bl_hook_rule rule,
			  struct bl_place place, struct bl_str subject);

/* The entry is a webhook; then its keys: webhook.c. */
void bl_hook_entry_begin_webhook(struct bl_hook_entry *entry);
void bl_hook_entry_check_url(struct bl_hook_entry *entry, struct bl_value value,
			     struct bl_place place);
void bl_hook_entry_check_secret(struct bl_hook_entry *entry,
				struct bl_value value, struct bl_place place);
void bl_hook_entry_check_ca_file(struct bl_hook_entry *entry,
				 struct bl_value value, struct bl_place place);
void bl_hook_entry_check_addresses(struct bl_hook_entry *entry,
				   struct bl_value value,
				   struct bl_place place);

/*
 * Compiles hook->matcher and warns of matchers without effect.  False when the
 * pattern is not acceptable.
 */
bool bl_hook_compile_matcher(struct bl_hook_text *text,
			     const struct bl_hook_at *at, struct bl_place place,
			     struct bl_hook *hook);

/* Adds hook; false when memory is out. */
bool bl_hook_list_add(struct bl_hook_list *list, struct bl_arena *arena,
		      const struct bl_hook *hook);

/* Frees the heap objects of the hooks and forgets them. */
void bl_hook_list_clear(struct bl_hook_list *list);

/*
 * A positive integer by value, as JavaScript would see it: 1 and 2.0, but not
 * 1e400, which it reads as infinite.
 */
bool bl_hook_is_count(struct bl_value value);

/* The name nearest to name in a NULL-ended list, or NULL: "did you mean". */
const char *bl_hook_nearest(struct bl_str name, const char *const *names);

/*
 * Where there are webhooks, reads the machine's settings, and notes with each
 * hook that they forbid why it may not be sent.
 */
enum bl_status bl_hook_apply_settings(const struct bl_hook_options *options,
				      struct bl_hook_list *hooks,
				      struct bl_diags *diags,
				      struct bl_arena *arena,
				      struct bl_error *err);

/* ---- the team: team.c ----------------------------------------------- */

/*
 * The team that belay is in, and its file for the profile (path stays empty
 * without one).  NOT_FOUND: in no team.
 */
enum bl_status bl_hook_find_team(const struct bl_hook_options *options,
				 struct bl_arena *arena,
				 struct bl_hook_file *file,
				 const struct bl_team_use **out_use,
				 struct bl_error *err);

/*
 * Is what was read of a team's file as it was signed?  False: state and why are
 * set.  True for all other files.
 */
bool bl_hook_check_signed(struct bl_hook_file *file, struct bl_str content,
			  struct bl_arena *arena);

/* ---- files: locations.c, read.c ------------------------------------- */

/* The files that options lead to; made by bl_hook_locate, in one arena. */
struct bl_hook_files {
	struct bl_hook_file *items; /* in execution order, state MISSING */
	size_t count;
	size_t cap;
	struct bl_str *watched; /* folders and manifests that were looked at */
	size_t watched_count;
	size_t watched_cap;
	const struct bl_team_use *team; /* that belay is in; or NULL */
};

/*
 * Every file that options (with limits) may lead to.  A managed folder that
 * cannot be listed, and a plugin whose manifest is invalid, is an item in state
 * BROKEN. LIMIT when there are too many folders or files.
 */
enum bl_status bl_hook_locate(const struct bl_hook_options *options,
			      struct bl_arena *arena, struct bl_diags *diags,
			      struct bl_hook_files *out_files,
			      struct bl_error *err);

/*
 * Reads a located file: state becomes LOADED (text is then set), stays MISSING,
 * or becomes BROKEN or UNSAFE with a finding.
 */
enum bl_status bl_hook_read(const struct bl_hook_options *options,
			    struct bl_hook_file *file, struct bl_diags *diags,
			    struct bl_arena *arena, struct bl_str *out_text,
			    struct bl_error *err);

#endif

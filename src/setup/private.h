/* SPDX-License-Identifier: Apache-2.0 */
/* setup/private.h: what the files of setup share. */
#ifndef BELAY_SETUP_PRIVATE_H
#define BELAY_SETUP_PRIVATE_H

#include "setup/jsonc.h"
#include "setup/setup.h"

/* Is the installed agent older than the event of entry? */
bool bl_setup_is_too_old(const struct bl_setup *setup,
			 const struct bl_registration_entry *entry);

/* A hook's command line of ours, read (line.c). */
struct setup_call {
	struct bl_str program;         /* as its first word says */
	struct bl_str policy_dir;      /* as written, with quotes; or empty */
	struct bl_str policy_dir_text; /* without */
	struct bl_str options;         /* all others, a blank before each */
	bool is_closing;               /* ends in SETUP_CLOSING */
};

/* Is command a call of a program of that name as the hook of agent? */
bool bl_setup_read_call(struct bl_str command, struct bl_str program_name,
			const char *agent, struct bl_arena *arena,
			struct setup_call *out_call);

/* Appends text as one word of a shell's command line. */
void bl_setup_put_word(struct bl_buf *out, struct bl_str text);

/* The text with each word of @ and small letters put in; ptr NULL: memory. */
struct setup_word {
	const char *name; /* "@cwd" */
	struct bl_str text;
	bool is_json; /* put in as a JSON string */
};
struct bl_str bl_setup_fill(struct bl_arena *arena, const char *text,
			    const struct setup_word *words, size_t count);

/* ---- texts of ours (plugin.c) -------------------------------------------- */

/*
 * Behind a command of an entry that fails closed, where status 2 refuses; without
 * a word on standard error it does not everywhere (Codex, Gemini, Qwen).
 */
#define SETUP_CLOSING " || { echo belay gave no answer >&2; exit 2; }"

/* Is the file at path a text of ours, or with one in it, and no JSON to edit? */
bool bl_setup_is_text(const struct bl_registration *agent, struct bl_str path);

/* The entry that a script of that path is for; NULL: it is not a script. */
const struct bl_registration_entry *
bl_setup_script_entry(const struct bl_registration *agent, struct bl_str path);

/* Was the plugin or script made by us? */
bool bl_setup_is_our_file(const struct bl_registration *agent,
			  struct bl_str path, struct bl_str text);

/* The command line that a script runs; ptr NULL: it is not ours. */
struct bl_str bl_setup_script_line(struct bl_str text);

/* Our block of a text; ptr NULL: it is without one. */
struct bl_str bl_setup_block(struct bl_str text);

/* As bl_setup_register and bl_setup_unregister, for texts. */
enum bl_status bl_setup_register_text(const struct bl_setup *setup,
				      struct bl_str path, struct bl_str text,
				      struct bl_arena *arena,
				      struct bl_str *out_text,
				      struct bl_error *err);
enum bl_status bl_setup_unregister_text(const struct bl_setup *setup,
					struct bl_str path, struct bl_str text,
					struct bl_arena *arena,
					struct bl_str *out_text,
					struct bl_error *err);

/* ---- reading an agent's configuration (inspect.c, consent.c) ------------- */

struct setup_view {
	const struct bl_agent *agent;
	const struct bl_setup_places *places;
	struct bl_arena *arena;
	struct bl_inspection *found;
};

/* The first problem counts. */
void bl_setup_set_problem(struct bl_registered *registered,
			  struct bl_str problem, struct bl_str remedy);
/* As above, for one that goes away when a person approves. */
void bl_setup_ask_consent(struct bl_registered *registered,
			  struct bl_str problem, struct bl_str remedy);
void bl_setup_consent(const struct setup_view *view,
		      struct bl_registered *registered);

/* Another registration in what was found; NULL: there are too many. */
struct bl_registered *bl_setup_add_registered(struct setup_view *view,
					      enum bl_scope scope,
					      struct bl_str file);
/* Takes in a text of ours (inspect_text.c). */
void bl_setup_inspect_text(struct setup_view *view, enum bl_scope scope,
			   struct bl_str path, struct bl_str text);

/* The member "a.b.c" of an object; undefined: absent. */
struct bl_value bl_setup_find_key(struct bl_value object, const char *key);

/* The file's name for a scope; NULL: nothing there. */
const char *bl_setup_file_of(const struct bl_registration_file *file,
			     enum bl_scope scope);

#endif

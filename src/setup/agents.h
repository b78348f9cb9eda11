/* SPDX-License-Identifier: Apache-2.0 */
/* setup/agents.h: the rows of setup/agents.c, for the files of setup. */
#ifndef BELAY_SETUP_AGENTS_H
#define BELAY_SETUP_AGENTS_H

#include "setup/setup.h"

enum { SETUP_MAX_FILES = 2, SETUP_MAX_ENTRIES = 12 };

/* How an agent's file holds entries. */
enum setup_form {
	SETUP_FLAT,   /* events of lists of handlers */
	SETUP_GROUPS, /* events of lists of groups of handlers, with matchers */
	SETUP_PLUGIN, /* a whole file of ours */
};

/* One event that is registered. */
struct setup_entry {
	const char *event;
	const char *matcher; /* GROUPS: of the group; FLAT: NULL is none */
	bool is_new;         /* unknown to Cursor 2.3.41 */
	bool fails_closed;
};

struct setup_file {
	const char *project; /* relative to the project */
	const char *global;  /* relative to the home directory */
	/* Events stand at the top, without "hooks", where that is missing. */
	bool is_top_level;
	/* Counts only when it exists already. */
	bool is_optional;
};

struct setup_agent {
	enum setup_form form;
	const char *folder; /* ".cursor": is there where the agent is used */
	const char *global_folder;
	struct setup_file files[SETUP_MAX_FILES];
	bool has_version;   /* "version": 1 at the top */
	uint32_t timeout_s; /* 0: not written */
	/*
	 * How a command names the project, for a shell, with the slash behind
	 * it; "" where commands run in it.
	 */
	const char *project;
	const char *variable; /* that the agent sets to it, or NULL */
	struct setup_entry entries[SETUP_MAX_ENTRIES];
	/* About to run a command; @command and @cwd stand for JSON strings. */
	const char *event;
};

extern const struct setup_agent bl_setup_agents[BL_AGENT_COUNT];

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

/* The file of OpenCode's plugin; ptr NULL: memory. */
struct bl_str bl_setup_plugin(const struct bl_setup *setup,
			      struct bl_arena *arena);

#endif

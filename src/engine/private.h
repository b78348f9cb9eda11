/* SPDX-License-Identifier: Apache-2.0 */
/* engine/private.h: what the files of this module share. */
#ifndef BELAY_ENGINE_PRIVATE_H
#define BELAY_ENGINE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "engine/engine.h"

struct bl_snapshot {
	atomic_size_t count;
	struct bl_arena arena;
	struct bl_hook_set set;
};

struct bl_engine {
	struct bl_arena arena; /* options live here; not used after new */
	char memory[1024];     /* its first block, mostly its only one */
	struct bl_limits limits;
	struct bl_hook_options hooks;
	const char *agent_version;
	struct bl_sandbox_request least_sandbox; /* as in the options */
	bool no_reload;
	bool no_journal;
	struct bl_journal_options journal;
	struct bl_http_client *http;
	struct bl_own_executor own;

	pthread_mutex_t reloading; /* one reload at a time; guards stamp */
	uint64_t stamp;

	pthread_mutex_t lock; /* guards current; held for a few instructions */
	struct bl_snapshot *current;
};

/* ---- one event ---------------------------------------------------------- */

struct bl_event {
	struct bl_engine *engine;
	const struct bl_hook_set *set;
	const struct bl_profile *profile;
	const struct bl_hook_event *step;
	struct bl_arena *arena;
	struct bl_value payload;    /* completed */
	struct bl_str payload_text; /* what hooks get */
	struct bl_buf serialised;   /* holds payload_text when it was made */
	struct bl_array_builder notices;
	const struct bl_stop *stop; /* of the request; may be NULL */
	struct bl_reply *reply;     /* executions are filled in place */
};

/*
 * Reads a request: the payload, its step, its completed form.  Ends with
 * bl_event_clear whatever the result.
 */
enum bl_status bl_event_begin(struct bl_event *event,
			      const struct bl_request *request,
			      struct bl_error *err);
void bl_event_clear(struct bl_event *event);

/*
 * Lists in reply->executions the hooks of this step that match, in execution
 * order, and what stands for whole files; those that are not to be run have
 * their outcome already.
 */
enum bl_status bl_event_select(struct bl_event *event, struct bl_error *err);

/* Is this execution to be run? */
bool bl_match_runs(enum bl_match match);

/* Does the file count as a whole, for events that can be refused? */
bool bl_file_fails_closed(const struct bl_hook_file *file);

/* Adds a notice. */
void bl_event_notice(struct bl_event *event, const char *fmt, ...)
	BL_PRINTF(2, 3);

/* Notices about files of the set, and about executions that have run. */
void bl_event_notice_files(struct bl_event *event);
void bl_event_notice_executions(struct bl_event *event);

/* Gives the executions ids and appends them to the journal. */
void bl_event_record(struct bl_event *event);

/* What the execution alone came to. */
enum bl_verdict
bl_execution_verdict(const struct bl_hook_event *step,
		     const struct bl_reply_execution *execution);

#endif

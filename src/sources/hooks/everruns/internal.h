/* SPDX-License-Identifier: Apache-2.0 */
/* sources/hooks/everruns/internal.h: what the files of this module share. */
#ifndef BELAY_SOURCES_HOOKS_EVERRUNS_INTERNAL_H
#define BELAY_SOURCES_HOOKS_EVERRUNS_INTERNAL_H

#include "sources/hooks/everruns/everruns.h"
#include "json/json.h"

/* Without Unicode's white space at the start, or at both ends. */
struct bl_str bl_everruns_trim_start(struct bl_str text);
struct bl_str bl_everruns_trim(struct bl_str text);

/* Alternative by alternative of a glob, trimmed; false past the end. */
bool bl_everruns_next_alternative(struct bl_str *rest, struct bl_str *out);

/* Adds a notice to the set's own. */
void bl_everruns_note(struct bl_array_builder *notices, const char *fmt, ...)
	BL_PRINTF(2, 3);

/* Gives every hook its id. */
enum bl_status bl_everruns_name_hooks(struct bl_everruns_set *set,
				      struct bl_error *err);

/* text with what is not UTF-8 replaced; ptr NULL: memory. */
struct bl_str bl_everruns_clean(struct bl_arena *arena, struct bl_str text);

/* ---- the payload (payload.c, env.c) -------------------------------------- */

/* The payload as one line of JSON; ptr NULL: memory. */
struct bl_str bl_everruns_payload(const struct bl_everruns_event_facts *facts,
				  struct bl_str hook_id,
				  struct bl_arena *arena);

/* "safe_id-UUIDv7.json", a new one each time. */
enum bl_status bl_everruns_file_name(struct bl_str hook_id, int64_t wall_ms,
				     struct bl_arena *arena,
				     struct bl_str *out_name,
				     struct bl_error *err);

/* The parts of a hook's environment. */
struct bl_everruns_env {
	const struct bl_everruns_hook *hook;
	struct bl_str id;
	const struct bl_everruns_event_facts *facts;
	struct bl_str workspace;
	struct bl_str payload;
	struct bl_str path;  /* of the payload file */
	bool is_too_long;    /* set: the payload is left out of it */
	struct bl_str wrong; /* set: what the system would not take */
};

/* NULL-ended strings in arena; NULL: memory. */
const char *const *bl_everruns_env(struct bl_everruns_env *env,
				   struct bl_arena *arena);

/* ---- webhooks (post.c) ---------------------------------------------------- */

/* Posts the payload instead of running anything; sets the whole run. */
enum bl_status bl_everruns_post(const struct bl_everruns_job *job,
				struct bl_str payload, struct bl_arena *arena,
				struct bl_everruns_run *out_run,
				struct bl_error *err);

/* ---- the chain (request.c, chain.c, apply.c) ----------------------------- */

/* Reads a request's payload into facts. */
enum bl_status bl_everruns_read_request(
	const struct bl_everruns_rules *rules,
	const struct bl_everruns_request *request, struct bl_arena *arena,
	struct bl_everruns_event_facts *out_facts, struct bl_error *err);

/* object with key set to value, at its place; undefined: memory. */
struct bl_value bl_everruns_with(struct bl_arena *arena, struct bl_value object,
				 const char *key, struct bl_value value);

/*
 * Lets one execution's outcome count: sets its effect, and changes reply.
 * Undefined data afterwards: memory.
 */
void bl_everruns_apply(struct bl_everruns_reply *reply,
		       struct bl_everruns_execution *execution,
		       struct bl_arena *arena,
		       struct bl_array_builder *notices);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* api/private.h: what the files of this module share. */
#ifndef BELAY_API_PRIVATE_H
#define BELAY_API_PRIVATE_H

#include <belay.h>

#include "engine/engine.h"

/* Does the caller's struct have this member?  Older ones are shorter. */
#define BL_API_HAS(options, member)                                            \
	((options)->struct_size >=                                             \
	 offsetof(__typeof__(*(options)), member) + sizeof((options)->member))

struct belay_engine {
	struct bl_arena arena; /* of the texts below; fixed once made */
	struct bl_engine *engine;
	struct bl_str journal_dir;
	struct bl_str home;        /* of the user */
	struct bl_str system_root; /* empty: "/" */
	bool is_hook;              /* of an agent */
	belay_run_fn *run;         /* NULL: hooks are children of ours */
	void *run_context;
	atomic_size_t operation_count; /* that are not freed yet */
};

struct belay_cancel {
	struct bl_flag flag;
};

struct belay_text {
	struct bl_buf buf;
};

/* Turns an error of ours into the caller's; returns the public status. */
belay_status bl_api_fail(const struct bl_error *from, belay_error *to);
belay_status bl_api_fail_null(belay_error *to, const char *what);
belay_status bl_api_fail_profile(belay_error *to, const char *name);

/* A text that has what writer wrote; taken over, also on failure. */
belay_status bl_api_take_text(struct bl_buf *buf, belay_text **out_text,
			      belay_error *error);

/* value as JSON; undefined: out of memory. */
belay_status bl_api_text(struct bl_value value, belay_text **out_text,
			 belay_error *error);

/* A copy in arena; ptr NULL: undefined, or memory. */
struct bl_str bl_api_json(struct bl_arena *arena, struct bl_value value);

/* Reads what is to be dispatched; payload and event are borrowed. */
enum bl_status bl_api_read_event(const belay_dispatch_options *options,
				 struct bl_request *out_request,
				 struct bl_stop *out_stop,
				 struct bl_error *err);

/* Decides one event; the payload is copied. */
enum bl_status bl_api_dispatch(belay_engine *engine,
			       const struct bl_request *request,
			       belay_reply **out_reply, struct bl_error *err);

/* executor.c: calls the embedder's function; context is the engine. */
void bl_api_run_hook(void *context, struct bl_own_call *own);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An embedder's own executor: what his function is told of a hook, and what it
 * says of its end.
 */
#include "api/private.h"

struct belay_call {
	struct bl_own_call *own;
	struct bl_arena arena; /* of the texts, which end with NUL */
	struct bl_str command;
	struct bl_str dir;
	struct bl_str definition;
};

/* False when memory is out. */
static bool make_texts(belay_call *call)
{
	const struct bl_own_call *own = call->own;

	call->command = bl_arena_copy_str(&call->arena, own->command);
	call->dir = bl_arena_copy_str(&call->arena, own->dir);
	call->definition = bl_api_json(&call->arena, own->definition);
	return call->command.ptr && call->dir.ptr && call->definition.ptr;
}

void bl_api_run_hook(void *context, struct bl_own_call *own)
{
	const belay_engine *engine = context;
	belay_call call = { .own = own };

	bl_arena_init(&call.arena, NULL, 0, 0);
	if (make_texts(&call))
		engine->run(engine->run_context, &call);
	else
		bl_own_fail(own, BL_STR("out of memory"));
	bl_arena_clear(&call.arena);
}

/* ---- for the function ------------------------------------------------------- */

const char *belay_call_event(const belay_call *call)
{
	return call ? call->own->event : NULL;
}

const char *belay_call_command(const belay_call *call)
{
	return call ? call->command.ptr : NULL;
}

const char *belay_call_definition_json(const belay_call *call)
{
	return call ? call->definition.ptr : NULL;
}

const char *belay_call_payload(const belay_call *call, size_t *out_size)
{
	if (!call)
		return NULL;
	if (out_size)
		*out_size = call->own->payload.len;
	return call->own->payload.ptr;
}

const char *belay_call_dir(const belay_call *call)
{
	return call ? call->dir.ptr : NULL;
}

uint32_t belay_call_timeout_ms(const belay_call *call)
{
	return call ? call->own->timeout_ms : 0;
}

int32_t belay_call_is_over(const belay_call *call)
{
	return !call || bl_own_is_over(call->own);
}

void belay_call_exit(belay_call *call, int32_t exit_code,
		     const belay_call_output *output)
{
	struct bl_str out = BL_STR("");
	struct bl_str errors = BL_STR("");

	if (!call)
		return;
	if (output && BL_API_HAS(output, errors_size)) {
		out = (struct bl_str){ output->output, output->output_size };
		errors = (struct bl_str){ output->errors, output->errors_size };
	}
	bl_own_exit(call->own, exit_code, out, errors);
}

void belay_call_fail(belay_call *call, const char *why)
{
	if (call)
		bl_own_fail(call->own, bl_str(why));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor "webhook", which Everruns plans (docs/contracts/everruns.md
 * "Specs"): the payload is posted, and the body of an answer of 2xx is read
 * like the output of exit 0.
 */
#include "sources/hooks/everruns/internal.h"

static enum bl_status failed(struct bl_everruns_run *run, struct bl_str why,
			     struct bl_arena *arena, struct bl_error *err)
{
	run->outcome = (struct bl_everruns_outcome){
		.kind = BL_EVERRUNS_FAILED,
		.reason = bl_arena_printf(arena, "hook execution error: %.*s",
					  BL_STR_ARG(why)),
	};
	return run->outcome.reason.ptr ? BL_OK : bl_arena_fail(arena, err);
}

static enum bl_status classify(const struct bl_http_request *request,
			       const struct bl_http_result *result,
			       struct bl_arena *arena,
			       struct bl_everruns_run *run,
			       struct bl_error *err)
{
	struct bl_child_result *child = &run->child;

	run->ran = result->end != BL_HTTP_NOT_ALLOWED &&
		   result->end != BL_HTTP_NO_CLIENT;
	*child = (struct bl_child_result){
		.end = BL_CHILD_CANNOT_START, /* without an exit code */
		.elapsed_ns = result->elapsed_ns,
	};
	if (bl_webhook_is_output(result)) {
		child->end = BL_CHILD_EXITED;
		child->output = result->body;
		return bl_everruns_parse_output(0, child->output, BL_STR(""),
						arena, &run->outcome, err);
	}
	child->errors = bl_everruns_clean(arena, result->body);
	return failed(run,
		      bl_webhook_say_end(request, result, child->errors, arena),
		      arena, err);
}

enum bl_status bl_everruns_post(const struct bl_everruns_job *job,
				struct bl_str payload, struct bl_arena *arena,
				struct bl_everruns_run *out_run,
				struct bl_error *err)
{
	const struct bl_everruns_hook *hook = job->hook;
	struct bl_everruns_run run = { .started_wall_ms = bl_os_wall_ms() };
	struct bl_http_request request;
	struct bl_http_result result;
	struct bl_error why = { 0 };
	enum bl_status status = BL_OK;

	if (hook->webhook.refused.len > 0)
		bl_fail(&why, BL_DENIED, "%.*s",
			BL_STR_ARG(hook->webhook.refused));
	else if (!job->http)
		bl_fail(&why, BL_UNSUPPORTED, "this program sends no requests");
	else
		bl_webhook_request(&hook->webhook,
				   bl_everruns_event_name(hook->event), payload,
				   arena, &request, &why);
	if (bl_arena_status(arena) != BL_OK)
		return bl_arena_fail(arena, err);
	if (why.status != BL_OK) {
		status = failed(&run, bl_str(why.message), arena, err);
	} else {
		request.timeout_ms = hook->timeout_ms;
		request.max_answer_bytes = BL_EVERRUNS_MAX_OUTPUT_BYTES;
		status = bl_http_run(job->http, &request, 1, arena, &result,
				     err);
		if (status == BL_OK)
			status = classify(&request, &result, arena, &run, err);
	}
	if (status == BL_OK)
		*out_run = run;
	return status;
}

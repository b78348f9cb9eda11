/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole events with real hooks: dispatcher, chains, muting
 * (docs/contracts/everruns.md "Running", "Chains", "Ids").
 */
#include <stdlib.h>
#include <unistd.h>

#include "engine/engine.h"
#include "json/json.h"
#include "tap.h"

static struct bl_arena arena;
static char workspace[] = "/tmp/belay-everruns-XXXXXX";
static struct bl_engine *engine;
static struct bl_reply whole;
static struct bl_everruns_chain reply;
static struct bl_value notices;
static const char *profile = "everruns";

static void close_engine(void)
{
	bl_reply_clear(&whole);
	engine = bl_engine_free(engine);
}

static bool confined; /* by the profile's own sandbox */

static enum bl_status try(const char *config, struct bl_str payload,
			  struct bl_error *err)
{
	struct bl_str path = bl_arena_printf(&arena, "%s.json", workspace);
	const struct bl_str root = bl_str(workspace);
	struct bl_engine_options options = {
		.profile = bl_profile_find(bl_str(profile)),
		.config = path,
		.home = root,
		.workspaces = &root,
		.workspace_count = 1,
		.no_journal = true,
	};
	const struct bl_request request = { .payload = payload };
	enum bl_status status;

	/* Places differ in what they have; one test is about that. */
	if (!confined)
		bl_sandbox_parse(BL_STR("none"), &options.least_sandbox);
	close_engine();
	reply = (struct bl_everruns_chain){ .is_blocked = false };
	CHECK(!bl_os_replace_file(path, bl_str(config), 0600, NULL));
	status = bl_engine_new(&options, &engine, err);
	if (!status)
		status = bl_engine_dispatch(engine, &request, &arena, &whole,
					    err);
	bl_os_remove_file(path, NULL);
	if (status)
		return status;
	reply = *whole.chain;
	notices = whole.notices;
	/* The decision is the chain's. */
	CHECK_INT(whole.decision.verdict,
		  reply.is_blocked ? BL_VERDICT_DENY : BL_VERDICT_NONE);
	CHECK_INT(whole.enforcement.verdict, whole.decision.verdict);
	return BL_OK;
}

static void dispatch(const char *config, const char *payload)
{
	CHECK_STATUS(try(config, bl_str(payload), NULL), BL_OK);
}

#define HOOK(id, event, more, command)                                         \
	"{\"id\":\"" id "\",\"event\":\"" event "\"," more                     \
	"\"executor\":{\"type\":\"bash\",\"command\":\"" command "\"}}"
#define PRE(id, command) HOOK(id, "pre_tool_use", "", command)
#define CALL                                                                   \
	"{\"event\":\"pre_tool_use\",\"session_id\":\"s\",\"turn_id\":"        \
	"\"t\",\"data\":{\"tool_name\":\"bash\",\"tool_call_id\":\"c\","       \
	"\"arguments\":{\"commands\":\"ls\"}}}"
#define PROMPT                                                                 \
	"{\"event\":\"user_prompt_submit\",\"session_id\":\"s\",\"data\":"     \
	"{\"message\":\"hi\"}}"

/* One hook at pre_tool_use, and the text it is blocked for ("": it is not). */
static void check_one(const char *command, const char *reason)
{
	char config[2000];

	snprintf(config, sizeof(config), "{\"hooks\":[" PRE("a", "%s") "]}",
		 command);
	dispatch(config, CALL);
	CHECK_INT(reply.execution_count, 1);
	CHECK_INT(reply.is_blocked, *reason != '\0');
	CHECK_STR(reply.reason, reason);
}

static void dispatcher(void)
{
	check_one("true", "");
	check_one("echo '{\\\"decision\\\":\\\"block\\\",\\\"reason\\\":"
		  "\\\"no\\\"}'",
		  "no");
	check_one("echo no >&2; exit 3", "no");
	check_one("echo hi",
		  "hook user:a errored: hook stdout is not JSON (first 80 "
		  "bytes: hi\n)");
	check_one("[ $EVERRUNS_HOOK_EVENT = pre_tool_use ]", "");
	check_one("[ $EVERRUNS_HOOK_TOOL_NAME = bash ]", "");
	check_one("[ $EVERRUNS_HOOK_TURN_ID = t ]", "");
	check_one("[ $PWD = $WORKSPACE ] && [ -z \\\"$USER\\\" ]", "");
	check_one("cmp - $EVERRUNS_HOOK_PAYLOAD_PATH && printf %s "
		  "\\\"$EVERRUNS_HOOK_PAYLOAD_JSON\\\" | cmp - "
		  "$EVERRUNS_HOOK_PAYLOAD_PATH",
		  "");
}

static void payload_file_is_gone(void)
{
	struct bl_str *names;
	size_t count = 9;
	char dir[100];

	dispatch("{\"hooks\":[" PRE("a", "echo $EVERRUNS_HOOK_PAYLOAD_PATH "
					 ">&2; exit 1") "]}",
		 CALL);
	snprintf(dir, sizeof(dir), "%s/.hooks/", workspace);
	CHECK(bl_str_has_prefix(reply.reason, bl_str(dir)));
	dir[strlen(dir) - 1] = '\0';
	CHECK_STATUS(
		bl_os_list_dir(bl_str(dir), 9, &arena, &names, &count, NULL),
		BL_OK);
	CHECK_INT(count, 0);
}

static void spec_environment_wins(void)
{
	dispatch("{\"hooks\":[{\"event\":\"pre_tool_use\",\"executor\":"
		 "{\"type\":\"bash\",\"command\":\"echo "
		 "$EVERRUNS_HOOK_EVENT-$X >&2; exit 1\",\"env\":{\"X\":\"1\","
		 "\"EVERRUNS_HOOK_EVENT\":\"mine\"}}}]}",
		 CALL);
	CHECK_STR(reply.reason, "mine-1");
}

static void limits(void)
{
	dispatch("{\"hooks\":[" HOOK("a", "pre_tool_use", "\"timeout_ms\":100,",
				     "while :; do :; done") "]}",
		 CALL);
	CHECK_STR(reply.reason,
		  "hook user:a errored: hook timed out after 100 ms");
	/* 65536 bytes of both are taken, one more is not. */
	check_one("printf '%30000s'; printf '%35536s' >&2", "");
	dispatch("{\"hooks\":[" PRE("a", "printf '%30001s'; printf '%35536s' "
					 ">&2; sleep 5") "]}",
		 CALL);
	CHECK(bl_str_has_prefix(reply.reason,
				BL_STR("hook user:a errored: hook output "
				       "exceeded 65536 bytes (stdout=")));
}

static void huge_payload(void)
{
	struct bl_buf payload;

	bl_buf_init(&payload, 0);
	bl_buf_puts(&payload, "{\"event\":\"user_prompt_submit\",\"session_id\""
			      ":\"s\",\"data\":{\"message\":\"");
	for (size_t i = 0; i < 200000; i++)
		bl_buf_put_char(&payload, 'x');
	bl_buf_puts(&payload, "\"}}");
	CHECK_STATUS(try("{\"hooks\":[" HOOK(
				 "a", "user_prompt_submit", "",
				 "[ -z \\\"${EVERRUNS_HOOK_PAYLOAD_JSON+x}\\\" "
				 "] && cmp - $EVERRUNS_HOOK_PAYLOAD_PATH") "]}",
			 bl_buf_str(&payload), NULL),
		     BL_OK);
	CHECK(!reply.is_blocked);
	REQUIRE(bl_value_count(notices) == 1);
	CHECK(bl_str_find(bl_value_text(bl_value_item(notices, 0)),
			  BL_STR("longer than a variable may be"),
			  0) != SIZE_MAX);
	bl_buf_clear(&payload);
}

#define REWRITE(to)                                                            \
	"echo '{\\\"decision\\\":\\\"mutate\\\",\\\"patch\\\":"                \
	"{\\\"message\\\":\\\"" to "\\\"}}'"
#define PROMPT_HOOK(id, command) HOOK(id, "user_prompt_submit", "", command)

static void later_hooks_see_rewrites(void)
{
	dispatch(
		"{\"hooks\":[" PROMPT_HOOK("a", REWRITE("bye")) "," PROMPT_HOOK(
			"b",
			"grep -q '\\\"message\\\":\\\"bye\\\"' && echo seen "
			">&2; exit 1") "," PROMPT_HOOK("c", "echo late >&2; "
							    "exit 1") "]}",
		PROMPT);
	CHECK(reply.is_blocked);
	CHECK_STR(reply.reason, "seen");
	CHECK_STR(reply.blocked_by, "user:b");
	CHECK_INT(reply.execution_count, 2);
	/* Changes made before the block stay. */
	CHECK_STR(bl_value_text(
			  bl_object_find(reply.facts.data, BL_STR("message"))),
		  "bye");
}

static void gates_come_last(void)
{
	dispatch(
		"{\"hooks\":[" HOOK(
			"gate", "user_prompt_submit", "\"policy_gate\":true,",
			"grep -q bye && exit 1") "," PROMPT_HOOK("a",
								 REWRITE("by"
									 "e")) "]}",
		PROMPT);
	CHECK_STR(reply.blocked_by, "user:gate");
	/* A gate rewrites nothing. */
	dispatch("{\"hooks\":[" HOOK("gate", "user_prompt_submit",
				     "\"policy_gate\":true,",
				     REWRITE("bye")) "]}",
		 PROMPT);
	CHECK(!reply.is_blocked);
	CHECK_STR(bl_value_text(
			  bl_object_find(reply.facts.data, BL_STR("message"))),
		  "hi");
	CHECK_INT(bl_value_count(notices), 1);
}

static void muting(void)
{
	dispatch("{\"hooks\":[" PRE(
			 "a",
			 "exit 1") "],"
				   "\"disabled_contributions\":[\"user:a\"]}",
		 CALL);
	CHECK(!reply.is_blocked);
	/* By the full id only. */
	dispatch("{\"hooks\":[" PRE("a", "exit 1") "],"
						   "\"disabled_contributions\":"
						   "[\"a\",\"user:*\"]}",
		 CALL);
	CHECK(reply.is_blocked);
}

#define NAMELESS(event)                                                        \
	"{\"event\":\"" event "\",\"executor\":{\"type\":\"bash\","            \
	"\"command\":\"exit 1\"}}"

static void default_ids(void)
{
	static const char config[] =
		"{\"hooks\":[" PRE("a", "true") "," NAMELESS(
			"pre_tool_use") "],\"disabled_contributions\":"
					"[\"user:a\"]}";

	dispatch(config, CALL);
	CHECK_STR(reply.blocked_by, "user:pre_tool_use_1");
	profile = "everruns-original";
	dispatch(config, CALL);
	CHECK_STR(reply.blocked_by, "user:pre_tool_use_0");
	profile = "everruns";
}

static void broken_hooks(void)
{
	static const char config[] = "{\"hooks\":[" HOOK(
		"a", "pre_tool_use", "\"timeout_ms\":1,", "true") "]}";

	dispatch(config, CALL);
	CHECK(reply.is_blocked);
	CHECK_STR(reply.reason, "hook user:a is not valid: hook timeout_ms 1 "
				"is out of range (100..=30000)");
	profile = "everruns-original";
	dispatch(config, CALL);
	CHECK(!reply.is_blocked);
	CHECK_INT(bl_value_count(notices), 1);
	profile = "everruns";
}

static void broken_configurations(void)
{
	dispatch("{", CALL);
	CHECK(reply.is_blocked);
	CHECK_STR(reply.blocked_by, "user_hooks");
	CHECK(bl_str_has_prefix(reply.reason,
				BL_STR("user_hooks config parse failed: ")));
	dispatch("{", "{\"event\":\"turn_end\",\"session_id\":\"s\",\"data\":"
		      "{}}");
	CHECK(!reply.is_blocked);
	profile = "everruns-original";
	dispatch("{", CALL);
	CHECK(!reply.is_blocked);
	profile = "everruns";
}

static void origin_of_tool_events(void)
{
	profile = "everruns-original";
	check_one("[ -z \\\"${EVERRUNS_HOOK_TURN_ID+x}\\\" ]", "");
	profile = "everruns";
	check_one("[ -n \\\"${EVERRUNS_HOOK_TURN_ID+x}\\\" ]", "");
}

static void paths_that_lead_nowhere(void)
{
	static const char config[] =
		"{\"hooks\":[" HOOK("a", "pre_tool_use",
				    "\"matcher\":{\"args_jsonpath\":"
				    "\"$.command\",\"match_regex\":\"rm\"},",
				    "exit 1") "]}";

	dispatch(config, CALL);
	REQUIRE(bl_value_count(notices) == 1);
	CHECK_STR(bl_value_text(bl_value_item(notices, 0)),
		  "hook user:a was not run: the arguments have no $.command");
	CHECK_INT(reply.execution_count, 0);
	profile = "everruns-original";
	dispatch(config, CALL);
	CHECK_INT(bl_value_count(notices), 0);
	profile = "everruns";
}

static void executed_arguments(void)
{
	dispatch("{\"hooks\":[" PRE("a",
				    "echo '{\\\"decision\\\":\\\"mutate"
				    "\\\",\\\"patch\\\":{\\\"arguments"
				    "\\\":{\\\"token\\\":\\\"x\\\"}}}'") "]}",
		 CALL);
	CHECK_STR(bl_value_text(bl_object_find(reply.executed_arguments,
					       BL_STR("token"))),
		  "[REDACTED]");
	CHECK_STR(bl_value_text(bl_object_find(reply.executed_arguments,
					       BL_STR("commands"))),
		  "ls");
	dispatch("{}", CALL);
	CHECK(!bl_value_is_defined(reply.executed_arguments));
}

/* Where the machine has no sandbox at all, the refusal is worded so. */
static void sandboxed_hooks(void)
{
	dispatch("{\"hooks\":[{\"event\":\"pre_tool_use\",\"executor\":"
		 "{\"type\":\"bash\",\"sandbox\":\"readonly\",\"command\":"
		 "\"cmp - $EVERRUNS_HOOK_PAYLOAD_PATH || exit 9; touch x && "
		 "exit 8; echo confined >&2; exit 7\"}}]}",
		 CALL);
	CHECK(reply.is_blocked);
	CHECK(bl_str_has_suffix(reply.reason, BL_STR("confined")) ||
	      bl_str_has_prefix(reply.reason,
				BL_STR("hook user:pre_tool_use_0 errored: "
				       "hook execution error: ")));
}

/* The profile's own: a sandbox, or a refusal, also of a hook that only warns. */
static void confined_hooks(void)
{
	confined = true;
	dispatch("{\"hooks\":[{\"event\":\"pre_tool_use\",\"on_error\":"
		 "\"warn\",\"executor\":{\"type\":\"bash\",\"command\":"
		 "\"echo $BELAY_SANDBOX >&2; exit 1\"}}]}",
		 CALL);
	confined = false;
	CHECK(reply.is_blocked);
	CHECK(bl_str_is(reply.reason, "workspace") ||
	      bl_str_has_prefix(reply.reason, BL_STR("hook was not run: ")));
	dispatch("{\"hooks\":[{\"event\":\"pre_tool_use\",\"executor\":"
		 "{\"type\":\"bash\",\"command\":\"echo "
		 "none$BELAY_SANDBOX >&2; exit 1\"}}]}",
		 CALL);
	CHECK_STR(reply.reason, "none");
}

static void other_events_do_not_run(void)
{
	dispatch("{\"hooks\":[" HOOK("a", "post_tool_use", "", "exit 1") "]}",
		 CALL);
	CHECK_INT(reply.execution_count, 0);
}

/* A folder that the agent made a link is not written to. */
static void linked_folder(void)
{
	char link[100];
	char target[100];

	snprintf(link, sizeof(link), "%s/.hooks", workspace);
	snprintf(target, sizeof(target), "%s/elsewhere", workspace);
	CHECK_INT(rmdir(link), 0);
	CHECK_STATUS(bl_os_make_dirs(bl_str(target), 0700, NULL), BL_OK);
	CHECK_INT(symlink(target, link), 0);
	check_one("[ ! -e $EVERRUNS_HOOK_PAYLOAD_PATH ]", "");
	CHECK_INT(bl_value_count(notices), 1);
	CHECK_INT(unlink(link), 0);
	CHECK_INT(rmdir(target), 0);
}

static const struct {
	const char *payload;
	enum bl_status status;
	const char *message;
} bad_payloads[] = {
	{ "[]", BL_INVALID, "the payload is not an object" },
	{ "{}", BL_INVALID,
	  "neither the request nor the payload (event) names an event" },
	{ "{\"event\":\"stop\"}", BL_NOT_FOUND, "Everruns has no event stop" },
	{ "{\"event\":\"turn_end\"}", BL_INVALID,
	  "field session_id is not a string" },
	{ "{\"event\":\"turn_end\",\"session_id\":\"s\"}", BL_INVALID,
	  "field data is not an object" },
	{ "{\"event\":\"turn_end\",\"session_id\":\"s\",\"turn_id\":1}",
	  BL_INVALID, "field turn_id is neither a string nor null" },
	{ "{\"event\":\"pre_tool_use\",\"session_id\":\"s\",\"data\":{}}",
	  BL_INVALID, "field data.tool_name is not a string" },
	{ "{\"event\":\"post_tool_use\",\"session_id\":\"s\",\"data\":"
	  "{\"tool_name\":\"t\",\"error\":1}}",
	  BL_INVALID, "field data.error is neither a string nor null" },
};

static void payloads_that_are_none(void)
{
	for (size_t i = 0; i < BL_COUNT(bad_payloads); i++) {
		struct bl_error err = { 0 };

		CHECK_STATUS(try("{}", bl_str(bad_payloads[i].payload), &err),
			     bad_payloads[i].status);
		CHECK_STR(bl_str(err.message), bad_payloads[i].message);
	}
}

int main(void)
{
	char hooks[100];

	bl_arena_init(&arena, NULL, 0, 0);
	if (!mkdtemp(workspace))
		return 1;
	RUN(dispatcher);
	RUN(payload_file_is_gone);
	RUN(spec_environment_wins);
	RUN(limits);
	RUN(huge_payload);
	RUN(later_hooks_see_rewrites);
	RUN(gates_come_last);
	RUN(muting);
	RUN(default_ids);
	RUN(broken_hooks);
	RUN(broken_configurations);
	RUN(origin_of_tool_events);
	RUN(paths_that_lead_nowhere);
	RUN(executed_arguments);
	RUN(sandboxed_hooks);
	RUN(confined_hooks);
	RUN(other_events_do_not_run);
	RUN(linked_folder);
	RUN(payloads_that_are_none);
	close_engine();
	snprintf(hooks, sizeof(hooks), "%s/.hooks", workspace);
	rmdir(hooks);
	rmdir(workspace);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies with and beside hooks, belay as the hook of an agent, explanations,
 * and workspaces that come and go.
 */
#include <belay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#include "home.h"

#define METADATA                                                               \
	"# METADATA\n# scope: package\n# custom:\n#   routing:\n"              \
	"#     required_events: [\"tool.before\"]\n"
#define DECISION                                                               \
	"decision := {\"rule_id\": \"NO-PUSH\", \"severity\": \"HIGH\", "      \
	"\"reason\": \"no pushing here\"}\n"

static const char no_push[] =
	METADATA "package cupcake.policies.push\nimport rego.v1\n"
		 "deny contains decision if {\n"
		 "\tcontains(input.belay.tool.shell.command, \"push\")\n"
		 "\t" DECISION "}\n";

static const char no_push_more[] =
	METADATA "package cupcake.policies.more\nimport rego.v1\n"
		 "deny contains decision if {\n"
		 "\tcontains(input.belay.tool.shell.command, \"push\")\n"
		 "\t" DECISION "}\n";

/* Runs for minutes. */
static const char endless[] =
	METADATA "package cupcake.policies.push\nimport rego.v1\n"
		 "deny contains decision if {\n"
		 "\tsome i in numbers.range(1, 1000000)\n"
		 "\tsome j in numbers.range(1, 1000000)\n"
		 "\ti + j < 0\n\t" DECISION "}\n";

static const char push[] = "{\"hook_event_name\":\"beforeShellExecution\","
			   "\"command\":\"git push\"}";
static const char claude_push[] =
	"{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\","
	"\"cwd\":\"/\",\"tool_name\":\"Bash\","
	"\"tool_input\":{\"command\":\"git push\"}}";
static const char claude_list[] =
	"{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\","
	"\"cwd\":\"/\",\"tool_name\":\"Bash\","
	"\"tool_input\":{\"command\":\"ls\"}}";

static char workspace[96];
static belay_reply *reply;
static belay_error error = BELAY_ERROR_INIT;

static void put(const char *name, const char *text)
{
	char path[256];
	char command[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", workspace, name);
	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"",
		 path);
	file = system(command) ? NULL : fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void remove_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", workspace, name);
	unlink(path);
}

static void make_workspace(const char *policy)
{
	snprintf(workspace, sizeof(workspace), "%s/work", home);
	put(".belay/rulebook.yml", "builtins: {}\n");
	put(".belay/policies/all/push.rego", policy);
	remove_file(".belay/policies/all/more.rego");
}

static belay_engine *open_engine(const char *agent, uint32_t flags)
{
	static const char *workspaces[1];
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_engine *engine = NULL;

	workspaces[0] = workspace;
	options.home = options.system_root = options.state_dir = home;
	options.workspaces = workspaces;
	options.workspace_count = 1;
	options.agent = agent;
	options.flags = flags;
	if (belay_engine_new(&options, &engine, &error))
		TAP_NOTE("%s", error.message);
	return engine;
}

static belay_verdict decide(belay_engine *engine, const char *payload)
{
	belay_reply_free(reply);
	reply = NULL;
	if (belay_engine_dispatch(engine, NULL, payload, strlen(payload),
				  &reply, &error))
		TAP_NOTE("%s", error.message);
	return belay_reply_verdict(reply);
}

/* ---- belay serves the agent -------------------------------------------------- */

static void test_hooks_and_policies(void)
{
	belay_engine *engine;
	belay_text *text = NULL;

	write_hooks("echo '{\\\"permission\\\":\\\"allow\\\"}'");
	make_workspace(no_push);
	engine = open_engine(NULL, BELAY_TRUST_ALL | BELAY_EXPLAIN);
	REQUIRE(engine);
	CHECK_INT(decide(engine, push), BELAY_DENY);
	CHECK(strstr(belay_reply_user_text(reply), "no pushing here"));
	CHECK(strstr(belay_reply_answer_json(reply), "\"deny\""));
	CHECK_INT(belay_reply_exit_code(reply), 2);
	CHECK_INT(belay_reply_explanation(reply, &text, NULL), BELAY_OK);
	CHECK(strstr(belay_text_data(text), "\"outcome\":\"answered\""));
	CHECK(strstr(belay_text_data(text), "NO-PUSH"));
	belay_text_free(text);
	CHECK_INT(decide(engine, shell), BELAY_ALLOW);
	belay_engine_free(engine);
	engine = open_engine(NULL, BELAY_TRUST_ALL | BELAY_NO_POLICIES);
	CHECK_INT(decide(engine, push), BELAY_ALLOW);
	belay_engine_free(engine);
}

/* The folder may name programs to run, so it counts when it is trusted. */
static void test_trust(void)
{
	belay_engine *engine = open_engine(NULL, 0);

	REQUIRE(engine);
	CHECK_INT(decide(engine, push), BELAY_ALLOW);
	CHECK_INT(belay_reply_notice_count(reply), 1);
	CHECK_INT(belay_engine_trust(engine, workspace, 0, &error),
		  BELAY_NOT_FOUND);
	CHECK_INT(belay_engine_trust(engine, workspace, 1, &error), BELAY_OK);
	CHECK_INT(decide(engine, push), BELAY_DENY);
	CHECK_INT(belay_engine_untrust(engine, workspace, &error), BELAY_OK);
	CHECK_INT(decide(engine, push), BELAY_ALLOW);
	CHECK_INT(belay_engine_untrust(engine, workspace, &error),
		  BELAY_NOT_FOUND);
	belay_engine_free(engine);
}

static void test_workspaces(void)
{
	belay_engine *engine = open_engine(NULL, BELAY_TRUST_ALL);

	REQUIRE(engine);
	CHECK_INT(belay_engine_remove_workspace(engine, workspace, &error),
		  BELAY_OK);
	CHECK_INT(decide(engine, push), BELAY_ALLOW);
	CHECK_INT(belay_engine_add_workspace(engine, workspace, &error),
		  BELAY_OK);
	CHECK_INT(decide(engine, push), BELAY_DENY);
	CHECK_INT(belay_engine_add_workspace(engine, "/nonexistent", &error),
		  BELAY_INVALID);
	CHECK_INT(belay_engine_remove_workspace(engine, "/", &error),
		  BELAY_NOT_FOUND);
	belay_engine_free(engine);
}

/* Time enough for the clock of files to tick. */
static void settle(void)
{
	usleep(50000);
}

static void test_changes_of_policies(void)
{
	belay_engine *engine;
	int32_t changed = 7;

	settle();
	engine = open_engine(NULL, BELAY_TRUST_ALL);
	REQUIRE(engine);
	CHECK_INT(belay_engine_reload_if_changed(engine, &changed, &error),
		  BELAY_OK);
	CHECK_INT(changed, 0);
	put(".belay/policies/all/push.rego",
	    METADATA "package cupcake.policies.push\nimport rego.v1\n");
	settle();
	CHECK_INT(decide(engine, push), BELAY_DENY);
	CHECK_INT(belay_engine_reload_if_changed(engine, &changed, &error),
		  BELAY_OK);
	CHECK_INT(changed, 1);
	CHECK_INT(decide(engine, push), BELAY_ALLOW);
	/* a file more */
	put(".belay/policies/all/more.rego", no_push_more);
	settle();
	CHECK_INT(belay_engine_reload_if_changed(engine, &changed, &error),
		  BELAY_OK);
	CHECK_INT(changed, 1);
	CHECK_INT(decide(engine, push), BELAY_DENY);
	CHECK_INT(belay_engine_reload_if_changed(engine, &changed, &error),
		  BELAY_OK);
	CHECK_INT(changed, 0);
	belay_engine_free(engine);
	make_workspace(no_push);
}

static void test_deadline_of_policies(void)
{
	belay_dispatch_options options = BELAY_DISPATCH_OPTIONS_INIT;
	belay_engine *engine;
	time_t from = time(NULL);

	make_workspace(endless);
	engine = open_engine(NULL, BELAY_TRUST_ALL);
	REQUIRE(engine);
	options.timeout_ms = 200;
	belay_reply_free(reply);
	reply = NULL;
	CHECK_INT(belay_engine_dispatch_with(engine, &options, push,
					     strlen(push), &reply, NULL),
		  BELAY_OK);
	CHECK_INT(belay_reply_verdict(reply), BELAY_DENY);
	CHECK(strstr(belay_reply_user_text(reply), "the time for the decision "
						   "was up"));
	CHECK(strstr(belay_reply_json(reply), "deadline"));
	CHECK(time(NULL) - from < 20);
	REQUIRE(!belay_cancel_new(&options.cancel, NULL));
	options.timeout_ms = 0;
	belay_cancel_set(options.cancel);
	belay_reply_free(reply);
	CHECK_INT(belay_engine_dispatch_with(engine, &options, push,
					     strlen(push), &reply, NULL),
		  BELAY_OK);
	CHECK_INT(belay_reply_verdict(reply), BELAY_DENY);
	CHECK(strstr(belay_reply_json(reply), "cancelled"));
	belay_cancel_free(options.cancel);
	belay_engine_free(engine);
	make_workspace(no_push);
}

/* ---- belay is the agent's hook ------------------------------------------------- */

static void test_hook_of_an_agent(void)
{
	belay_engine *engine = open_engine("claude", 0);
	belay_text *log = NULL;

	REQUIRE(engine);
	CHECK_INT(decide(engine, claude_push), BELAY_DENY);
	CHECK(strstr(belay_reply_answer_json(reply),
		     "\"permissionDecision\":\"deny\""));
	CHECK(strstr(belay_reply_answer_json(reply), "no pushing here"));
	CHECK_INT(belay_reply_exit_code(reply), 0);
	CHECK(!strcmp(belay_reply_exit_errors(reply), ""));
	CHECK(strstr(belay_reply_user_text(reply), "no pushing here"));
	CHECK(strstr(belay_reply_json(reply), "\"event\":\"PreToolUse\""));
	CHECK_INT(belay_reply_recorded(reply), 1);
	CHECK_INT(decide(engine, claude_list), BELAY_NONE);
	CHECK_INT(belay_engine_log_json(engine, 2, &log, NULL), BELAY_OK);
	CHECK(strstr(belay_text_data(log), "PreToolUse"));
	belay_text_free(log);
	/* what cannot be read is refused, as the agent understands it */
	CHECK_INT(decide(engine, "{"), BELAY_DENY);
	CHECK(strlen(belay_reply_user_text(reply)) > 0);
	CHECK(belay_reply_exit_code(reply) == 2 ||
	      strstr(belay_reply_answer_json(reply), "deny"));
	/* it has policies and no hooks */
	CHECK_INT(belay_engine_has_hook(engine, "PreToolUse"), 1);
	CHECK_INT(belay_engine_hooks_json(engine, &log, &error),
		  BELAY_UNSUPPORTED);
	CHECK_INT(belay_engine_trust(engine, workspace, 1, &error),
		  BELAY_UNSUPPORTED);
	CHECK_INT(belay_engine_untrust(engine, workspace, &error),
		  BELAY_UNSUPPORTED);
	belay_engine_free(engine);
}

static void test_hook_of_cursor_with_hooks(void)
{
	belay_engine *engine =
		open_engine("cursor", BELAY_WITH_HOOKS | BELAY_TRUST_ALL);

	REQUIRE(engine);
	CHECK_INT(decide(engine, push), BELAY_DENY);
	CHECK(strstr(belay_reply_answer_json(reply), "\"permission\":"
						     "\"deny\""));
	CHECK_INT(decide(engine, shell), BELAY_ALLOW);
	belay_engine_free(engine);
	CHECK(!open_engine("claude", BELAY_WITH_HOOKS));
	CHECK_INT(error.status, BELAY_USAGE);
	CHECK(!open_engine("claude", BELAY_NO_POLICIES));
	CHECK_INT(error.status, BELAY_USAGE);
	CHECK(!open_engine("nonesuch", 0));
	CHECK_INT(error.status, BELAY_NOT_FOUND);
}

/* ---- explaining ------------------------------------------------------------------ */

static void test_explain(void)
{
	belay_engine *engine = open_engine(NULL, BELAY_TRUST_ALL);
	belay_text *text = NULL;

	REQUIRE(engine);
	CHECK_INT(belay_engine_explain_json(engine, NULL, push, strlen(push),
					    &text, &error),
		  BELAY_OK);
	CHECK(strstr(belay_text_data(text),
		     "\"event\":\"beforeShellExecution\""));
	CHECK(strstr(belay_text_data(text),
		     "\"runs\":true,\"match\":\"runs\""));
	belay_text_free(text);
	text = NULL;
	CHECK_INT(
		belay_engine_explain_json(engine, NULL, "{", 1, &text, &error),
		BELAY_SYNTAX);
	belay_engine_free(engine);
	engine = open_engine("claude", 0);
	CHECK_INT(belay_engine_explain_json(engine, NULL, claude_push,
					    strlen(claude_push), &text, &error),
		  BELAY_USAGE);
	CHECK(!text);
	belay_engine_free(engine);
}

static void test_null(void)
{
	belay_engine *engine = open_engine(NULL, 0);
	belay_text *text = NULL;

	CHECK_INT(belay_engine_add_workspace(NULL, "/", NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_add_workspace(engine, NULL, NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_remove_workspace(NULL, "/", NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_trust(NULL, "/", 0, NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_untrust(engine, NULL, NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_explain_json(NULL, NULL, "{}", 2, &text, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_reply_explanation(NULL, &text, NULL), BELAY_USAGE);
	CHECK_INT(belay_reply_exit_code(NULL), 2);
	CHECK(!belay_reply_exit_errors(NULL));
	belay_engine_free(engine);
}

int main(void)
{
	make_home();
	RUN(test_hooks_and_policies);
	RUN(test_trust);
	RUN(test_workspaces);
	RUN(test_changes_of_policies);
	RUN(test_deadline_of_policies);
	RUN(test_hook_of_an_agent);
	RUN(test_hook_of_cursor_with_hooks);
	RUN(test_explain);
	RUN(test_null);
	belay_reply_free(reply);
	return remove_home() ? tap_end() : 1;
}

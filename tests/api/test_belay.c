/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of belay.h, with NULL too, and many threads at once. */
#include <belay.h>

#include <pthread.h>

#include "tap.h"

#include "home.h"

static void test_life(void)
{
	belay_engine *engine;
	belay_reply *reply = NULL;
	belay_text *text = NULL;
	int32_t changed = 7;

	write_hooks(DENY);
	engine = new_engine(0);
	REQUIRE(engine);
	CHECK_INT(belay_engine_has_hook(engine, "beforeShellExecution"), 1);
	CHECK_INT(belay_engine_has_hook(engine, "stop"), 0);
	REQUIRE(!belay_engine_dispatch(engine, NULL, shell, strlen(shell),
				       &reply, NULL));
	CHECK_INT(belay_reply_verdict(reply), BELAY_DENY);
	CHECK(strstr(belay_reply_user_text(reply), "no"));
	CHECK(strlen(belay_reply_model_text(reply)) > 0);
	CHECK(strstr(belay_reply_json(reply), "\"decision\":\"deny\""));
	CHECK(strstr(belay_reply_answer_json(reply), "\"deny\""));
	CHECK(!belay_reply_followup(reply));
	CHECK(!strcmp(belay_reply_code(reply), "REJECTED_BY_HOOK"));
	CHECK(strlen(belay_reply_error_text(reply)) > 0);
	CHECK_INT(belay_reply_notice_count(reply), 0);
	CHECK(!belay_reply_notice(reply, 0));
	CHECK_INT(belay_reply_recorded(reply), 1);
	belay_reply_free(reply);
	REQUIRE(!belay_engine_hooks_json(engine, &text, NULL));
	CHECK(strstr(belay_text_data(text), "\"source\":\"user\""));
	CHECK_INT(belay_text_size(text), strlen(belay_text_data(text)));
	belay_text_free(text);
	REQUIRE(!belay_engine_log_json(engine, 100, &text, NULL));
	CHECK(strstr(belay_text_data(text), "\"outcome\":\"answered\""));
	belay_text_free(text);
	REQUIRE(!belay_engine_reload_if_changed(engine, &changed, NULL));
	CHECK_INT(changed, 0);
	write_hooks("true; true");
	REQUIRE(!belay_engine_reload_if_changed(engine, &changed, NULL));
	CHECK_INT(changed, 1);
	CHECK_INT(belay_engine_reload(engine, NULL), BELAY_OK);
	REQUIRE(!belay_engine_dispatch(engine, "beforeShellExecution", shell,
				       strlen(shell), &reply, NULL));
	CHECK_INT(belay_reply_verdict(reply), BELAY_NONE);
	CHECK(!strcmp(belay_reply_user_text(reply), ""));
	CHECK(!strcmp(belay_reply_error_text(reply), ""));
	CHECK(!belay_reply_code(reply));
	belay_reply_free(reply);
	belay_engine_free(engine);
}

/* The refusal of a prompt is an error, and an untrusted workspace a notice. */
static void test_errors_and_notices(void)
{
	static const char prompt[] =
		"{\"hook_event_name\":\"beforeSubmitPrompt\",\"prompt\":\"x\"}";
	const char *const workspaces[] = { home };
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_engine *engine = NULL;
	belay_reply *reply = NULL;

	write_hooks_for("beforeSubmitPrompt",
			"echo '{\\\"continue\\\":false}'");
	options.home = "/nonexistent";
	options.system_root = home;
	options.workspaces = workspaces;
	options.workspace_count = 1;
	options.flags = BELAY_NO_LOG;
	REQUIRE(!belay_engine_new(&options, &engine, NULL));
	CHECK_INT(belay_engine_dispatch(engine, NULL, prompt, strlen(prompt),
					&reply, NULL),
		  BELAY_OK);
	CHECK_INT(belay_reply_verdict(reply), BELAY_NONE);
	CHECK_INT(belay_reply_notice_count(reply), 1);
	CHECK(strstr(belay_reply_notice(reply, 0), "is not trusted"));
	CHECK(!belay_reply_notice(reply, 1));
	belay_reply_free(reply);
	belay_engine_free(engine);

	engine = new_engine(BELAY_NO_LOG);
	CHECK_INT(belay_engine_dispatch(engine, NULL, prompt, strlen(prompt),
					&reply, NULL),
		  BELAY_OK);
	CHECK_INT(belay_reply_verdict(reply), BELAY_DENY);
	CHECK(!strcmp(belay_reply_code(reply), "ERROR_HOOKS_BLOCKED"));
	CHECK(strlen(belay_reply_error_text(reply)) > 0);
	belay_reply_free(reply);
	belay_engine_free(engine);
}

/* A command that asks for nothing runs in what is the least; an older caller's
 * options do not have it. */
static void test_least_sandbox(void)
{
	const char *const workspaces[] = { home };
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_error error = BELAY_ERROR_INIT;
	belay_engine *engine = NULL;
	belay_text *text = NULL;
	belay_reply *reply = NULL;

	write_hooks("echo '{\\\"user_message\\\":"
		    "\\\"<'$BELAY_SANDBOX'>\\\"}'");
	options.home = home;
	options.system_root = home;
	options.state_dir = home;
	options.flags = BELAY_NO_LOG;
	options.workspaces = workspaces;
	options.workspace_count = 1;
	options.least_sandbox = "cage";
	CHECK_INT(belay_engine_new(&options, &engine, &error), BELAY_NOT_FOUND);
	CHECK(strstr(error.message, "cage"));
	options.struct_size = offsetof(belay_engine_options, least_sandbox);
	CHECK_INT(belay_engine_new(&options, &engine, &error), BELAY_OK);
	belay_engine_free(engine);
	options.struct_size = sizeof(options);
	options.least_sandbox = "readonly";
	REQUIRE(!belay_engine_new(&options, &engine, &error));
	CHECK_INT(belay_engine_hooks_json(engine, &text, NULL), BELAY_OK);
	CHECK(strstr(belay_text_data(text), "\"sandbox\":\"readonly\""));
	belay_text_free(text);
	CHECK_INT(belay_engine_dispatch(engine, "beforeShellExecution", shell,
					strlen(shell), &reply, &error),
		  BELAY_OK);
	CHECK(strstr(belay_reply_json(reply), "\"outcome\":\"answered\""));
	CHECK(strstr(belay_reply_json(reply), " seccomp "));
	belay_reply_free(reply);
	belay_engine_free(engine);
}

static void test_failures(void)
{
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_error error = BELAY_ERROR_INIT;
	belay_engine *engine = NULL;
	belay_reply *reply = NULL;

	options.profile = "nonesuch";
	CHECK_INT(belay_engine_new(&options, &engine, &error), BELAY_NOT_FOUND);
	CHECK(strstr(error.message, "nonesuch"));
	CHECK_INT(error.status, BELAY_NOT_FOUND);
	options.struct_size = 4;
	CHECK_INT(belay_engine_new(&options, &engine, &error), BELAY_USAGE);
	CHECK(!engine);
	engine = new_engine(BELAY_NO_LOG);
	REQUIRE(engine);
	CHECK_INT(belay_engine_dispatch(engine, NULL, "{", 1, &reply, &error),
		  BELAY_SYNTAX);
	CHECK_INT(belay_engine_dispatch(engine, "nonesuch", "{}", 2, &reply,
					&error),
		  BELAY_NOT_FOUND);
	CHECK(!reply);
	error.struct_size = offsetof(belay_error, message) + 4;
	strcpy(error.message, "abcdefgh");
	belay_engine_dispatch(engine, NULL, "{", 1, &reply, &error);
	CHECK_INT(strlen(error.message), 3);
	CHECK(!strcmp(error.message + 4, "efgh"));
	belay_engine_free(engine);
}

static void test_null(void)
{
	belay_engine *engine = new_engine(BELAY_NO_LOG);
	belay_reply *reply = NULL;
	belay_text *text = NULL;

	CHECK_INT(belay_engine_new(NULL, NULL, NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_reload(NULL, NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_reload_if_changed(NULL, NULL, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_engine_has_hook(NULL, "stop"), 0);
	CHECK_INT(belay_engine_has_hook(engine, NULL), 0);
	CHECK_INT(belay_engine_hooks_json(NULL, &text, NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_hooks_json(engine, NULL, NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_log_json(engine, 1, NULL, NULL), BELAY_USAGE);
	CHECK_INT(belay_engine_dispatch(NULL, NULL, "{}", 2, &reply, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_engine_dispatch(engine, NULL, NULL, 0, &reply, NULL),
		  BELAY_USAGE);
	CHECK_INT(belay_reply_verdict(NULL), BELAY_DENY);
	CHECK(!belay_reply_json(NULL) && !belay_reply_answer_json(NULL));
	CHECK(!belay_reply_user_text(NULL) && !belay_reply_model_text(NULL));
	CHECK(!belay_reply_code(NULL) && !belay_reply_error_text(NULL));
	CHECK(!belay_reply_notice_count(NULL) && !belay_reply_notice(NULL, 0));
	CHECK(!belay_reply_followup(NULL) && !belay_reply_recorded(NULL));
	CHECK(!belay_text_data(NULL) && !belay_text_size(NULL));
	CHECK(!strcmp(belay_version(), BELAY_VERSION));
	CHECK(!strcmp(belay_status_text(BELAY_OK), "success"));
	CHECK(strlen(belay_status_text(12345)) > 0);
	belay_text_free(NULL);
	belay_reply_free(NULL);
	belay_engine_free(NULL);
	belay_engine_free(engine);
}

enum { THREADS = 4, ROUNDS = 5 };

static void *dispatch_many(void *context)
{
	size_t denied = 0;

	for (int i = 0; i < ROUNDS; i++) {
		belay_reply *reply = NULL;

		if (!belay_engine_dispatch(context, NULL, shell, strlen(shell),
					   &reply, NULL))
			denied += belay_reply_verdict(reply) == BELAY_DENY;
		belay_reply_free(reply);
	}
	return (void *)denied;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	belay_engine *engine;

	write_hooks(DENY);
	engine = new_engine(0);
	REQUIRE(engine);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, dispatch_many, engine);
	for (int i = 0; i < ROUNDS; i++)
		CHECK_INT(belay_engine_reload(engine, NULL), BELAY_OK);
	for (int i = 0; i < THREADS; i++) {
		void *denied;

		pthread_join(threads[i], &denied);
		CHECK_INT((size_t)denied, ROUNDS);
	}
	belay_engine_free(engine);
}

int main(void)
{
	make_home();
	RUN(test_life);
	RUN(test_errors_and_notices);
	RUN(test_least_sandbox);
	RUN(test_failures);
	RUN(test_null);
	RUN(test_threads);
	return remove_home() ? tap_end() : 1;
}

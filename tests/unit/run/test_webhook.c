/* SPDX-License-Identifier: Apache-2.0 */
/* src/run/webhook.c: what is sent, and what each answer comes to. */
#include "tap.h"

#include "run/private.h"

#include "running.h"

static struct bl_webhook webhook;
static struct bl_http_client *client;

/* A webhook for the event; nobody is there to get it. */
static struct bl_hook *add_webhook(bool fail_closed)
{
	struct bl_hook *hook = add_hook("", fail_closed);

	put("key", "a-secret-of-24-characters");
	chmod(at("key").ptr, 0600);
	webhook = (struct bl_webhook){ .secret_file = at("key") };
	bl_http_url_parse(BL_STR("https://a.example/hook"), &arena,
			  &webhook.url, NULL);
	hook->type = BL_HOOK_WEBHOOK;
	hook->command = webhook.url.text;
	hook->webhook = &webhook;
	context.http = client;
	return hook;
}

static bool plan(struct bl_http_request *out_request)
{
	bool can_start = false;

	CHECK_STATUS(bl_executor_webhook.plan_request(&context, &runs[0],
						      &arena, out_request,
						      &can_start, &error),
		     BL_OK);
	return can_start;
}

/* The value of a header, or empty. */
static struct bl_str header(const struct bl_http_request *request,
			    const char *name)
{
	for (size_t i = 0; request->headers[i]; i++) {
		struct bl_str line = bl_str(request->headers[i]);

		if (bl_str_has_prefix(line, bl_str(name)))
			return bl_str_slice(line, strlen(name) + 2, SIZE_MAX);
	}
	return BL_STR("");
}

static void what_is_sent(void)
{
	struct bl_http_request request;
	struct bl_http_request again;
	long long timestamp;

	new_event("cursor", "beforeShellExecution");
	add_webhook(false)->timeout_ms = 1234;
	REQUIRE(plan(&request));
	CHECK_STR(request.url->text, "https://a.example/hook");
	CHECK_STR(request.body, "{\"command\":\"ls\"}");
	CHECK_INT(request.timeout_ms, 1234);
	CHECK_INT(request.max_answer_bytes, 65536);
	CHECK(!request.ca_file && !request.resolve && !request.most);
	CHECK_STR(header(&request, "Content-Type"), "application/json");
	CHECK_STR(header(&request, "X-Belay-Event"), "beforeShellExecution");
	CHECK_INT(header(&request, "X-Belay-Delivery").len, 32);
	CHECK_INT(header(&request, "X-Belay-Signature").len, 3 + 64);
	CHECK(bl_str_has_prefix(header(&request, "X-Belay-Signature"),
				BL_STR("v1=")));
	timestamp = atoll(header(&request, "X-Belay-Timestamp").ptr);
	CHECK(timestamp * 1000 <= bl_os_wall_ms());
	CHECK(timestamp * 1000 > bl_os_wall_ms() - 10000);
	REQUIRE(plan(&again));
	CHECK(!bl_str_equal(header(&request, "X-Belay-Delivery"),
			    header(&again, "X-Belay-Delivery")));
}

static void limits_and_options(void)
{
	struct bl_http_request request;

	new_event("cursor", "beforeShellExecution");
	add_webhook(false)->timeout_ms = 0;
	webhook.ca_file = BL_STR("/etc/ca.pem");
	context.max_output_bytes = 5000;
	REQUIRE(plan(&request));
	CHECK_INT(request.timeout_ms, 60000);
	CHECK_INT(request.max_answer_bytes, 5000);
	CHECK_STR(bl_str(request.ca_file), "/etc/ca.pem");
	context.max_output_bytes = 1 << 24;
	REQUIRE(plan(&request));
	CHECK_INT(request.max_answer_bytes, 65536);
}

static void what_cannot_be_sent(void)
{
	new_event("cursor", "beforeShellExecution");
	add_webhook(true);
	webhook.refused = BL_STR("the owner does not want it");
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_CANNOT_START);
	CHECK(!runs[0].ran);
	CHECK_STR(runs[0].outcome.reason,
		  "Hook is configured to fail closed: "
		  "\"https://a.example/hook\" could not be started: the owner "
		  "does not want it");

	new_event("cursor", "beforeShellExecution");
	add_webhook(true);
	context.http = NULL;
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_CANNOT_START);

	new_event("cursor", "beforeShellExecution");
	add_webhook(true);
	chmod(at("key").ptr, 0644);
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_CANNOT_START);
	CHECK(has(runs[0].outcome.reason, "others can read or change"));
}

/* ---- answers ------------------------------------------------------------ */

static void answer(const struct bl_http_result *result)
{
	new_event("cursor", "beforeShellExecution");
	add_webhook(true);
	runs[0].http = *result;
	runs[0].request.timeout_ms = 20000;
	runs[0].request.max_answer_bytes = 65536;
	runs[0].outcome.fail_closed = true; /* as the executor begins */
	CHECK_STATUS(bl_executor_webhook.classify(&context, &runs[0], &arena,
						  &error),
		     BL_OK);
}

static const struct {
	struct bl_http_result result; /* less its body */
	const char *body;
	enum bl_outcome_kind kind;
	const char *says; /* NULL: nothing */
} ends[] = {
	{ { .end = BL_HTTP_ANSWERED, .status = 200 },
	  "{}",
	  BL_OUTCOME_ANSWERED,
	  NULL },
	{ { .end = BL_HTTP_ANSWERED, .status = 299 },
	  "{}",
	  BL_OUTCOME_ANSWERED,
	  NULL },
	{ { .end = BL_HTTP_ANSWERED, .status = 204 },
	  NULL,
	  BL_OUTCOME_NO_OUTPUT,
	  "returned no output" },
	{ { .end = BL_HTTP_ANSWERED, .status = 200 },
	  "no",
	  BL_OUTCOME_NOT_JSON,
	  "not JSON" },
	{ { .end = BL_HTTP_ANSWERED, .status = 200 },
	  "{\"permission\":1}",
	  BL_OUTCOME_INVALID,
	  "invalid answer" },
	{ { .end = BL_HTTP_ANSWERED, .status = 199 },
	  "{}",
	  BL_OUTCOME_HTTP_STATUS,
	  "HTTP status 199: {}" },
	{ { .end = BL_HTTP_ANSWERED, .status = 300 },
	  NULL,
	  BL_OUTCOME_HTTP_STATUS,
	  "HTTP status 300, a redirect, which is not followed" },
	{ { .end = BL_HTTP_ANSWERED, .status = 500 },
	  " \xff"
	  "broken\n",
	  BL_OUTCOME_HTTP_STATUS,
	  "HTTP status 500: \xef\xbf\xbd"
	  "broken" },
	{ { .end = BL_HTTP_TIMED_OUT, .error = "x" },
	  NULL,
	  BL_OUTCOME_TIMEOUT,
	  "timed out after 20000 ms" },
	{ { .end = BL_HTTP_TOO_MUCH, .error = "x" },
	  NULL,
	  BL_OUTCOME_TOO_MUCH_OUTPUT,
	  "cut off (after 65536 bytes)" },
	{ { .end = BL_HTTP_NOT_ALLOWED, .error = "the why" },
	  NULL,
	  BL_OUTCOME_CANNOT_START,
	  "was not sent: the why" },
	{ { .end = BL_HTTP_NOT_CONNECTED, .error = "the why", .attempts = 3 },
	  NULL,
	  BL_OUTCOME_NO_CONNECTION,
	  "no connection after 3 attempts (the why)" },
	{ { .end = BL_HTTP_NOT_CONNECTED, .error = "the why", .attempts = 1 },
	  NULL,
	  BL_OUTCOME_NO_CONNECTION,
	  "no connection after 1 attempt (the why)" },
	{ { .end = BL_HTTP_STOPPED, .status = BL_STOP_CANCELLED },
	  NULL,
	  BL_OUTCOME_CANCELLED,
	  "was stopped: the action was cancelled" },
	{ { .end = BL_HTTP_STOPPED, .status = BL_STOP_DEADLINE },
	  NULL,
	  BL_OUTCOME_DEADLINE,
	  "was stopped: the time for the decision was up" },
	{ { .end = BL_HTTP_BROKEN, .error = "the why" },
	  NULL,
	  BL_OUTCOME_NO_CONNECTION,
	  "broke before the answer was there (the why)" },
	{ { .end = BL_HTTP_NO_CLIENT, .error = "the why" },
	  NULL,
	  BL_OUTCOME_CANNOT_START,
	  "was not sent: the why" },
};

static void every_end(void)
{
	for (size_t i = 0; i < BL_COUNT(ends); i++) {
		const struct bl_outcome *outcome = &runs[0].outcome;
		struct bl_http_result result = ends[i].result;

		result.body = bl_str(ends[i].body);
		answer(&result);
		CHECK_INT(outcome->kind, ends[i].kind);
		if (ends[i].says && !has(outcome->reason, ends[i].says)) {
			TAP_NOTE("%.*s", BL_STR_ARG(outcome->reason));
			CHECK(false);
		}
	}
}

/* A body counts only with 2xx, whatever it says. */
static void a_refused_body_is_no_answer(void)
{
	struct bl_http_result result = {
		.end = BL_HTTP_ANSWERED,
		.status = 404,
		.body = BL_STR("{\"permission\":\"allow\"}"),
	};

	answer(&result);
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_DENY);
	CHECK_STR(runs[0].child.errors, "{\"permission\":\"allow\"}");
	CHECK_INT(runs[0].child.output.len, 0);
	result.status = 200;
	answer(&result);
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_ALLOW);
}

static void long_refusals_are_cut(void)
{
	char body[3000];
	struct bl_http_result result = { .end = BL_HTTP_ANSWERED,
					 .status = 500,
					 .body = { body, sizeof(body) } };

	memset(body, 'x', sizeof(body));
	new_event("cursor", "beforeShellExecution");
	add_webhook(true);
	context.max_error_bytes = 1000;
	runs[0].http = result;
	CHECK_STATUS(bl_executor_webhook.classify(&context, &runs[0], &arena,
						  &error),
		     BL_OK);
	CHECK_INT(runs[0].child.errors.len, 1000);
	CHECK(runs[0].child.errors_cut);
}

/* Where nobody listens: beside a command, neither waits for the other. */
static void beside_a_command(void)
{
	static struct bl_network own;

	bl_network_parse(BL_STR("loopback"), &own, NULL);
	new_event("cursor", "beforeShellExecution");
	add_webhook(true);
	bl_http_url_parse(BL_STR("https://127.0.0.1:1/"), &arena, &webhook.url,
			  NULL);
	webhook.allowed = (struct bl_networks){ &own, 1 };
	add_hook("echo '{\"permission\":\"allow\"}'", false);
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_NO_CONNECTION);
	CHECK(runs[0].ran);
	CHECK_INT(runs[1].outcome.kind, BL_OUTCOME_ANSWERED);
}

int main(void)
{
	if (!place_open() || bl_http_client_new(&client, NULL) != BL_OK)
		return 1;
	RUN(what_is_sent);
	RUN(limits_and_options);
	RUN(what_cannot_be_sent);
	RUN(every_end);
	RUN(a_refused_body_is_no_answer);
	RUN(long_refusals_are_cut);
	RUN(beside_a_command);
	client = bl_http_client_free(client);
	place_close();
	return tap_end();
}

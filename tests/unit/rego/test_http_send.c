/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.send and net.lookup_ip_addr with a network that notes what it was asked
 * for: errors and answers are those of OPA 1.22.3 for the same requests.
 */
#include "policies.h"

static struct bl_arena arena;

/* ---- a network -------------------------------------------------------------- */

struct fake {
	size_t sent;
	struct bl_rego_http_request requests[16];
	/* what comes back, one after the other; the last again and again */
	struct bl_rego_http_answer answers[4];
	size_t answer_count;
	struct bl_str looked_up;
};

static void send(void *context, const struct bl_rego_http_request *request,
		 struct bl_arena *where, struct bl_rego_http_answer *out_answer)
{
	struct fake *fake = context;
	size_t i = fake->sent < fake->answer_count ? fake->sent
						   : fake->answer_count - 1;

	(void)where;
	fake->requests[fake->sent++ % BL_COUNT(fake->requests)] = *request;
	*out_answer = fake->answers[i];
}

static bool lookup(void *context, struct bl_str name, struct bl_arena *where,
		   struct bl_value *out_set, struct bl_str *out_error)
{
	struct fake *fake = context;
	struct bl_value text = bl_value_string(BL_STR("10.1.2.3"));

	fake->looked_up = name;
	*out_error = BL_STR("no such host");
	*out_set = bl_set_make(where, &text, 1);
	return !bl_str_is(name, "nowhere.example");
}

static const struct bl_rego_header json_headers[] = {
	{ { "Content-Type", 12 }, { "application/vnd.x+json; charset=x", 33 } },
	{ { "X-A", 3 }, { "1", 1 } },
	{ { "x-a", 3 }, { "2", 1 } },
};

static struct bl_rego_http_answer text_answer(const char *body)
{
	return (struct bl_rego_http_answer){
		.end = BL_REGO_HTTP_ANSWERED,
		.status = 200,
		.reason = BL_STR("OK"),
		.body = bl_str(body),
	};
}

static struct bl_rego_http_answer redirect_answer(uint32_t status,
						  const char *to)
{
	struct bl_rego_header *header =
		bl_arena_new(&arena, struct bl_rego_header);
	struct bl_rego_http_answer answer = text_answer("");

	*header = (struct bl_rego_header){ BL_STR("Location"), bl_str(to) };
	answer.status = status;
	answer.headers = header;
	answer.header_count = 1;
	return answer;
}

static struct fake fake;
static const struct bl_str hosts[] = {
	{ "api.example", 11 },
	{ "10.0.0.1", 8 },
	{ "[::1]", 5 },
	{ "nowhere.example", 15 },
};

/* The first answer of the network from now on. */
static void begin(struct bl_rego_http_answer answer)
{
	fake = (struct fake){ .answer_count = 1 };
	fake.answers[0] = answer;
}

static void then(struct bl_rego_http_answer answer)
{
	fake.answers[fake.answer_count++] = answer;
}

/* ---- asking ----------------------------------------------------------------- */

static struct bl_str ask_as(const char *query, bool online, bool strict)
{
	const struct bl_rego_network network = {
		.hosts = hosts,
		.host_count = BL_COUNT(hosts),
		.context = &fake,
		.send = send,
		.lookup = lookup,
	};
	struct bl_rego_options options = {
		.strict_builtin_errors = strict,
		.host.network = online ? &network : NULL,
	};
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	bl_diags_init(&diags, &arena);
	if (bl_rego_compile(&arena, NULL, 0, NULL, &diags, &policies, &err) ||
	    bl_rego_query(policies, bl_str(query), &options, &arena, &diags,
			  &result, &err))
		return diags.first ? diags.first->message : bl_str(err.message);
	if (result.fault_code)
		return result.fault;
	if (!bl_value_count(result.solutions))
		return BL_STR("undefined");
	return as_json(
		&arena,
		bl_value_item(bl_object_find(bl_value_item(result.solutions, 0),
					     BL_STR("expressions")),
			      0));
}

static struct bl_str ask(const char *query)
{
	return ask_as(query, true, true);
}

/* http.send of an URL with further members. */
#define SEND(url, more)                                                        \
	"http.send({\"method\":\"get\",\"url\":\"" url "\"" more "})"
#define MESSAGE(url, more)                                                     \
	SEND(url, ",\"raise_error\":false" more) ".error.message"

/* ---- what is sent ------------------------------------------------------------- */

static void request(void)
{
	const struct bl_rego_http_request *sent = &fake.requests[0];

	begin(text_answer(""));
	ask(SEND("https://API.example:8443/a b?c=\xc3\xa9#f",
		 ",\"headers\":{\"X-K\":\"v\",\"Host\":\"h.example\"},"
		 "\"body\":{\"b\":[1,\"<\"],\"a\":null},\"timeout\":\"1500ms\","
		 "\"max_retry_attempts\":2,\"tls_insecure_skip_verify\":true,"
		 "\"tls_ca_cert_file\":\"f\",\"tls_client_key\":\"k\""));
	CHECK_INT(fake.sent, 1);
	CHECK_STR(sent->method, "GET");
	CHECK_STR(sent->url, "https://API.example:8443/a%20b?c=%C3%A9");
	CHECK_STR(sent->host, "api.example");
	CHECK_STR(sent->port, "8443");
	CHECK(sent->is_tls && sent->has_body && sent->skip_verify);
	CHECK_STR(sent->body, "{\"a\":null,\"b\":[1,\"\\u003c\"]}");
	CHECK_INT(sent->header_count, 2);
	CHECK_STR(sent->server_name, "h.example");
	CHECK_INT(sent->timeout_ns, 1500000000);
	CHECK_INT(sent->retries, 2);
	CHECK_STR(sent->ca.file, "f");
	CHECK_STR(sent->client_key.text, "k");
	begin(text_answer(""));
	ask(SEND("http://[::1]/", ",\"raw_body\":\"r\",\"body\":1"));
	CHECK_STR(sent->url, "http://[::1]/");
	CHECK_STR(sent->host, "::1");
	CHECK_STR(sent->body, "r");
	CHECK_INT(sent->timeout_ns, 5000000000);
	CHECK_INT(sent->max_answer_bytes, BL_REGO_HTTP_MAX_ANSWER_BYTES);
	begin(text_answer(""));
	ask(SEND("http://10.0.0.1?q", ",\"timeout\":0"));
	CHECK_STR(sent->url, "http://10.0.0.1/?q");
	CHECK_INT(sent->timeout_ns, 300000000000); /* never for ever */
	CHECK(!sent->has_body);
}

static void hosts_that_are_not_allowed(void)
{
	static const char *const queries[] = {
		SEND("http://example.org/", ""),
		SEND("http://api.example.org/", ""),
		SEND("http://sub.api.example/", ""),
		SEND("http://xapi.example/", ""),
		SEND("http://10.0.0.10/", ""),
		SEND("http://api.example@example.org/", ""),
		SEND("http://api.example:80@example.org/", ""),
		SEND("http://example.org\\\\@api.example/", ""),
		SEND("http://api.example\\\\.example.org/", ""),
		SEND("http://api.example%2eorg/", ""),
		SEND("http://api.example /", ""),
		SEND("http://api.example\\u0000.org/", ""),
		SEND("http://api.example\\r\\nx/", ""),
		SEND("http:///api.example", ""),
		SEND("http://", ""),
		SEND("http://[::1", ""),
		SEND("http://[::1]x/", ""),
		SEND("http://api.example:80:81/", ""),
		SEND("//api.example/", ""),
		SEND("file:///etc/passwd", ""),
		SEND("unix://api.example/?socket=x", ""),
	};

	begin(text_answer("let in"));
	for (size_t i = 0; i < BL_COUNT(queries); i++) {
		struct bl_str answer = ask(queries[i]);

		CHECK(bl_str_has_prefix(
			answer, BL_STR("eval_builtin_error: http.send: ")));
		CHECK_STR(ask_as(queries[i], true, false), "undefined");
	}
	CHECK_INT(fake.sent, 0);
	CHECK_STR(ask(SEND("http://example.org/", "")),
		  "eval_builtin_error: http.send: disallowed host: "
		  "example.org");
}

static void off(void)
{
	begin(text_answer("let in"));
	CHECK_STR(ask_as(SEND("http://api.example/", ""), false, false),
		  "eval_cancel_error: http.send: requests are not allowed "
		  "here");
	/* raise_error does not get around it */
	CHECK_STR(ask_as(SEND("http://api.example/", ",\"raise_error\":false"),
			 false, false),
		  "eval_cancel_error: http.send: requests are not allowed "
		  "here");
	CHECK_STR(ask_as("not " SEND("http://api.example/", ""), false, false),
		  "eval_cancel_error: http.send: requests are not allowed "
		  "here");
	CHECK_STR(ask_as("net.lookup_ip_addr(\"api.example\")", false, false),
		  "eval_cancel_error: net.lookup_ip_addr: look-ups are not "
		  "allowed here");
	CHECK_INT(fake.sent, 0);
}

/* ---- what comes back ---------------------------------------------------------- */

static void answers(void)
{
	struct bl_rego_http_answer answer = text_answer("{\"a\":[1,2.50]}");

	answer.headers = json_headers;
	answer.header_count = BL_COUNT(json_headers);
	begin(answer);
	CHECK_STR(ask(SEND("http://api.example/", "")),
		  "{\"body\":{\"a\":[1,2.5]},\"headers\":{\"content-type\":["
		  "\"application/vnd.x+json; charset=x\"],\"x-a\":[\"1\","
		  "\"2\"]},\"raw_body\":\"{\\\"a\\\":[1,2.50]}\",\"status\":"
		  "\"200 OK\",\"status_code\":200}");
	begin(text_answer("{\"a\":1}"));
	CHECK_STR(ask(SEND("http://api.example/", "") ".body"), "null");
	CHECK_STR(ask(SEND("http://api.example/",
			   ",\"force_json_decode\":true") ".body"),
		  "{\"a\":1}");
	begin(text_answer("a: [x]"));
	CHECK_STR(ask(SEND("http://api.example/",
			   ",\"force_yaml_decode\":true") ".body"),
		  "{\"a\":[\"x\"]}");
	CHECK_STR(ask(SEND("http://api.example/",
			   ",\"force_json_decode\":true") ".body"),
		  "null");
	begin(text_answer("a\xff\xfe"
			  "b\xc3"));
	CHECK_STR(ask(SEND("http://api.example/", "") ".raw_body"),
		  "\"a\xef\xbf\xbd\xef\xbf\xbd"
		  "b\xef\xbf\xbd\"");
}

/* One answer for each request of a query. */
static void once_a_query(void)
{
	struct bl_rego_http_answer failed = { .end = BL_REGO_HTTP_FAILED,
					      .error = BL_STR("gone") };

	begin(text_answer("1"));
	then(text_answer("2"));
	CHECK_STR(ask("[" SEND("http://api.example/", "") ".raw_body," SEND(
			  "http://api.example/",
			  "") ".raw_body," SEND("http://api.example/x",
						"") ".raw_body]"),
		  "[\"1\",\"1\",\"2\"]");
	CHECK_INT(fake.sent, 2);
	/* headers that are not to count */
	begin(text_answer("1"));
	ask("{x | some h in [\"a\", \"b\"]; x := http.send({\"method\":\"get\","
	    "\"url\":\"http://api.example/\",\"headers\":{\"k\":h},"
	    "\"cache_ignored_headers\":[\"k\"]}).raw_body}");
	CHECK_INT(fake.sent, 1);
	begin(text_answer("1"));
	ask("{x | some h in [\"a\", \"b\"]; x := http.send({\"method\":\"get\","
	    "\"url\":\"http://api.example/"
	    "\",\"headers\":{\"k\":h}}).raw_body}");
	CHECK_INT(fake.sent, 2);
	/* errors are remembered as well */
	begin(failed);
	ask_as("{x | some i in [1, 2]; x := [i, " SEND("http://api.example/",
						       "") "]}",
	       true, false);
	CHECK_INT(fake.sent, 1);
}

/* ---- redirects ------------------------------------------------------------------ */

static void redirects(void)
{
	const struct bl_rego_http_request *next = &fake.requests[1];

	begin(redirect_answer(302, "/b"));
	CHECK_STR(ask(SEND("http://api.example/a", "") ".status_code"), "302");
	CHECK_INT(fake.sent, 1);
	begin(redirect_answer(302, "b?x#y"));
	then(text_answer("there"));
	CHECK_STR(ask("http.send({\"method\":\"post\",\"url\":"
		      "\"http://api.example/a/c\",\"raw_body\":\"r\","
		      "\"enable_redirect\":true}).raw_body"),
		  "\"there\"");
	CHECK_STR(next->url, "http://api.example/a/b?x");
	CHECK_STR(next->method, "GET");
	CHECK(!next->has_body && !next->body.len);
	begin(redirect_answer(307, "//10.0.0.1:81/d"));
	then(text_answer("there"));
	ask("http.send({\"method\":\"post\",\"url\":\"http://api.example/a\","
	    "\"raw_body\":\"r\",\"enable_redirect\":true,\"headers\":{"
	    "\"authorization\":\"secret\",\"cookie\":\"c\",\"x\":\"y\","
	    "\"host\":\"h\"}})");
	CHECK_STR(next->url, "http://10.0.0.1:81/d");
	CHECK_STR(next->method, "POST");
	CHECK_STR(next->body, "r");
	CHECK_INT(next->header_count, 1); /* secrets are for the first host */
	CHECK_STR(next->headers[0].name, "x");
	CHECK_INT(next->server_name.len, 0);
}

static void redirects_to_nowhere(void)
{
	begin(redirect_answer(302, "http://example.org/x"));
	CHECK_STR(ask(MESSAGE("http://api.example/a",
			      ",\"enable_redirect\":true")),
		  "\"Get \\\"http://example.org/x\\\": disallowed host: "
		  "example.org\"");
	CHECK_INT(fake.sent, 1);
	begin(redirect_answer(302, "http://api.example@example.org/x"));
	ask(MESSAGE("http://api.example/a", ",\"enable_redirect\":true"));
	CHECK_INT(fake.sent, 1);
	begin(redirect_answer(302, "file:///etc/passwd"));
	ask(MESSAGE("http://api.example/a", ",\"enable_redirect\":true"));
	CHECK_INT(fake.sent, 1);
	begin(redirect_answer(302, "/again"));
	CHECK_STR(ask(MESSAGE("http://api.example/a",
			      ",\"enable_redirect\":true")),
		  "\"Get \\\"http://api.example/again\\\": stopped after 10 "
		  "redirects\"");
	CHECK_INT(fake.sent, BL_REGO_HTTP_MAX_REDIRECTS + 1);
}

/* ---- errors ---------------------------------------------------------------------- */

static void ends(void)
{
	begin((struct bl_rego_http_answer){ .end = BL_REGO_HTTP_TIMED_OUT });
	CHECK_STR(ask(SEND("http://api.example/", "")),
		  "eval_builtin_error: http.send: Get http://api.example/: "
		  "request timed out");
	CHECK_STR(ask(SEND("http://api.example/", ",\"raise_error\":false")),
		  "{\"error\":{\"code\":\"eval_http_send_network_error\","
		  "\"message\":\"Get \\\"http://api.example/\\\": context "
		  "deadline exceeded (Client.Timeout exceeded while awaiting "
		  "headers)\"},\"status_code\":0}");
	begin((struct bl_rego_http_answer){ .end = BL_REGO_HTTP_TOO_LARGE });
	CHECK_STR(ask_as(SEND("http://api.example/", ""), true, false),
		  "eval_cancel_error: http.send: Get \"http://api.example/\": "
		  "the answer is larger than allowed");
	CHECK_STR(ask(MESSAGE("http://api.example/", "")),
		  "\"Get \\\"http://api.example/\\\": the answer is larger "
		  "than allowed\"");
	begin((struct bl_rego_http_answer){ .end = BL_REGO_HTTP_FAILED,
					    .error = BL_STR("gone") });
	CHECK_STR(ask(SEND("http://api.example/", "")),
		  "eval_builtin_error: http.send: Get "
		  "\"http://api.example/\": gone");
	CHECK_STR(ask_as(SEND("http://api.example/", ""), true, false),
		  "undefined");
	begin((struct bl_rego_http_answer){ .end = BL_REGO_HTTP_INVALID,
					    .error = BL_STR("no key") });
	CHECK_STR(ask(SEND("http://api.example/", ",\"raise_error\":false")),
		  "{\"error\":{\"code\":\"eval_http_send_internal_error\","
		  "\"message\":\"eval_builtin_error: http.send: no key\"},"
		  "\"status_code\":0}");
	begin((struct bl_rego_http_answer){ .end = BL_REGO_HTTP_OVER });
	CHECK_STR(ask_as(MESSAGE("http://api.example/", ""), true, false),
		  "eval_cancel_error: http.send: the time for the evaluation "
		  "is over");
}

static void keys(void)
{
	static const struct {
		const char *more;
		const char *text;
	} rows[] = {
		{ ",\"zzz\":1", "eval_type_error: http.send: operand 1 invalid "
				"request parameters(s): {\"zzz\"}" },
		{ ",\"raw_body\":1", "eval_builtin_error: http.send: "
				     "\"raw_body\" must be a string" },
		{ ",\"timeout\":true",
		  "eval_type_error: http.send: operand 1 'timeout' must be one "
		  "of {string, number} but got boolean" },
		{ ",\"timeout\":\"x\"",
		  "eval_builtin_error: http.send: invalid timeout value "
		  "\"x\": time: invalid duration \"x\"" },
		{ ",\"headers\":1", "eval_builtin_error: http.send: invalid "
				    "type for headers key" },
		{ ",\"max_retry_attempts\":\"x\"",
		  "eval_builtin_error: http.send: invalid value \"x\" for "
		  "field \"max_retry_attempts\"" },
		{ ",\"cache_ignored_headers\":[1]",
		  "eval_builtin_error: http.send: cache_ignored_headers must "
		  "be an array of strings" },
		{ ",\"force_json_decode\":1",
		  "eval_builtin_error: http.send: invalid value for "
		  "\"force_json_decode\" field" },
		{ ",\"headers\":{\"a b\":\"x\"}",
		  "eval_builtin_error: http.send: net/http: invalid header "
		  "field name \"a b\"" },
		/* never the value */
		{ ",\"headers\":{\"a\":\"se\\ncret\"}",
		  "eval_builtin_error: http.send: net/http: invalid header "
		  "field value for \"a\"" },
		{ ",\"headers\":{\"a\":7}",
		  "eval_builtin_error: http.send: invalid type for headers "
		  "value of \"a\"" },
	};

	begin(text_answer(""));
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_str query =
			bl_arena_printf(&arena,
					"http.send({\"method\":\"get\",\"url\":"
					"\"http://api.example/\"%s})",
					rows[i].more);

		CHECK_STR(ask(query.ptr), rows[i].text);
	}
	CHECK_STR(ask("http.send({\"url\":\"http://api.example/\"})"),
		  "eval_type_error: http.send: operand 1 missing required "
		  "request parameters(s): {\"method\"}");
	CHECK_STR(ask("http.send({\"method\":\"g t\",\"url\":"
		      "\"http://api.example/\"})"),
		  "eval_builtin_error: http.send: net/http: invalid method "
		  "\"G T\"");
	CHECK_STR(ask(SEND("http://api.example/", ",\"raise_error\":1")),
		  "eval_builtin_error: http.send: invalid value for "
		  "raise_error field");
	CHECK_INT(fake.sent, 0);
}

/* ---- names ------------------------------------------------------------------------- */

static void lookups(void)
{
	begin(text_answer(""));
	CHECK_STR(ask("net.lookup_ip_addr(\"api.example\")"), "[\"10.1.2.3\"]");
	CHECK_STR(fake.looked_up, "api.example");
	CHECK_STR(ask("net.lookup_ip_addr(\"example.org\")"),
		  "eval_builtin_error: net.lookup_ip_addr: disallowed host: "
		  "example.org");
	CHECK_STR(ask("net.lookup_ip_addr(\"nowhere.example\")"),
		  "eval_builtin_error: net.lookup_ip_addr: lookup "
		  "nowhere.example: no such host");
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(request);
	RUN(hosts_that_are_not_allowed);
	RUN(off);
	RUN(answers);
	RUN(once_a_query);
	RUN(redirects);
	RUN(redirects_to_nowhere);
	RUN(ends);
	RUN(keys);
	RUN(lookups);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes.c: every route, who may use it, and what happens around its function.
 * The table is the authorisation: `belay-server routes` prints it, and a test asks
 * every row as every role and as nobody.
 */
#include "server/routes.h"

#include <stdlib.h>

enum {
	KIB = 1024,
	MIB = 1024 * KIB,
	FORM = 16 * KIB,
	SMALL = 64 * KIB,
	MACHINES = ROLE_MACHINE,
	READERS = ROLE_PEOPLE,
	EDITORS = ROLE_EDITOR | ROLE_ADMIN,
	ADMINS = ROLE_ADMIN,
	ANYBODY = ROLE_ALL,
	SIGNED_IN = ROLE_ALL & ~ROLE_NOBODY,
	MAX_ROUTES = 128,
};

/* Those that machines ask every half hour come first. */
const struct app_route app_routes[] = {
	{ BL_SERVER_GET, "/v1/set/fresh", SIGNED_IN, 0, 0, route_fresh },
	{ BL_SERVER_GET, "/v1/set/manifest", SIGNED_IN, 0, 0, route_manifest },
	{ BL_SERVER_GET, "/v1/machine", MACHINES, 0, 0, route_machine },
	{ BL_SERVER_GET, "/v1/root/{}", ANYBODY, 0, 0, route_root },
	{ BL_SERVER_GET, "/v1/o/{}", SIGNED_IN, APP_READ, 0, route_object },
	{ BL_SERVER_POST, "/v1/records", MACHINES, APP_WRITE, 8 * MIB,
	  route_records },
	{ BL_SERVER_POST, BL_TEAM_ROUTE, SIGNED_IN, 0, FORM, route_team_hooks },
	{ BL_SERVER_POST, "/v1/enrol", ANYBODY, APP_WRITE | APP_JSON | APP_OPEN,
	  FORM, route_enrol, "token,host,user,..." },
	{ BL_SERVER_POST, "/v1/machine/token", MACHINES, APP_WRITE, FORM,
	  route_machine_token },
	{ BL_SERVER_POST, "/v1/device", ANYBODY, APP_WRITE | APP_OPEN, FORM,
	  route_device },
	{ BL_SERVER_POST, "/v1/token", ANYBODY, APP_WRITE | APP_OPEN, FORM,
	  route_device_token },
	{ BL_SERVER_POST, "/v1/exceptions", MACHINES, APP_WRITE | APP_JSON,
	  FORM, route_exception_ask, "rule,about,reason,..." },

	/* OPA's plugins */
	{ BL_SERVER_POST, "/status", MACHINES, APP_WRITE | APP_JSON, MIB,
	  route_opa_status },
	{ BL_SERVER_POST, "/status/{}", MACHINES, APP_WRITE | APP_JSON, MIB,
	  route_opa_status },
	{ BL_SERVER_POST, "/logs", MACHINES, APP_WRITE, 16 * MIB,
	  route_opa_logs },
	{ BL_SERVER_POST, "/logs/{}", MACHINES, APP_WRITE, 16 * MIB,
	  route_opa_logs },

	/* for those who watch the server */
	{ BL_SERVER_GET, "/healthz", ANYBODY, 0, 0, route_healthz },
	{ BL_SERVER_GET, "/readyz", ANYBODY, APP_READ, 0, route_readyz },
	{ BL_SERVER_GET, "/metrics", READERS, 0, 0, route_metrics },

	/* people */
	{ BL_SERVER_POST, "/api/session", ANYBODY,
	  APP_WRITE | APP_JSON | APP_OPEN, FORM, route_session_begin, "token" },
	{ BL_SERVER_DELETE, "/api/session", READERS, APP_WRITE, 0,
	  route_session_end },
	{ BL_SERVER_GET, "/api/ways", ANYBODY, 0, 0, route_ways },
	{ BL_SERVER_GET, "/auth/login", ANYBODY, APP_SLOW | APP_OPEN, 0,
	  route_login },
	{ BL_SERVER_GET, "/auth/callback", ANYBODY, APP_SLOW | APP_OPEN, 0,
	  route_callback },
	{ BL_SERVER_GET, "/api/people", ROLE_AUDITOR | ADMINS, APP_READ, 0,
	  route_people },
	{ BL_SERVER_PUT, "/api/people/{}", ADMINS, APP_WRITE | APP_JSON, FORM,
	  route_person_role, "role" },
	{ BL_SERVER_GET, "/api/me", SIGNED_IN, 0, 0, route_me },
	{ BL_SERVER_GET, "/api/overview", READERS, APP_READ, 0, route_overview,
	  "hours#" },
	{ BL_SERVER_GET, "/api/machines", READERS, APP_READ, 0, route_machines,
	  "silent#,after" },
	{ BL_SERVER_PUT, "/api/machines/{}", EDITORS, APP_WRITE | APP_JSON,
	  FORM, route_machine_labels, "labels@" },
	{ BL_SERVER_DELETE, "/api/machines/{}", ADMINS, APP_WRITE, 0,
	  route_machine_remove },
	{ BL_SERVER_GET, "/api/draft", READERS, APP_READ, 0, route_draft },
	{ BL_SERVER_GET, "/api/draft/diff", READERS, APP_READ, 0,
	  route_draft_diff },
	{ BL_SERVER_POST, "/api/draft/check", EDITORS, APP_WRITE | APP_JSON,
	  2 * MIB, route_draft_check, "path,content" },
	{ BL_SERVER_POST, "/api/draft/try", EDITORS, APP_READ | APP_JSON, FORM,
	  route_draft_try, "command" },
	{ BL_SERVER_POST, "/api/draft/hooks", EDITORS, APP_WRITE | APP_JSON,
	  2 * MIB, route_hook_add, "step,name,systems@,active?,content" },
	{ BL_SERVER_PUT, "/api/draft/hooks/{}", EDITORS, APP_WRITE | APP_JSON,
	  2 * MIB, route_hook_set, "step,name,systems@,active?,content" },
	{ BL_SERVER_DELETE, "/api/draft/hooks/{}", EDITORS, APP_WRITE, 0,
	  route_hook_remove },
	{ BL_SERVER_PUT, "/api/draft/policies", EDITORS, APP_WRITE | APP_JSON,
	  2 * MIB, route_policy_set, "path,content" },
	{ BL_SERVER_DELETE, "/api/draft/policies", EDITORS, APP_WRITE, 0,
	  route_policy_remove, "path" },
	{ BL_SERVER_GET, "/api/sets", READERS, APP_READ, 0, route_sets },
	{ BL_SERVER_POST, "/api/sets", EDITORS, APP_WRITE | APP_JSON, SMALL,
	  route_set_prepare, "note" },
	{ BL_SERVER_GET, "/api/sets/{}/document", READERS, APP_READ, 0,
	  route_set_document },
	{ BL_SERVER_PUT, "/api/sets/{}/document", ADMINS, APP_WRITE, 2 * MIB,
	  route_set_sign },
	{ BL_SERVER_POST, "/api/roots", ADMINS, APP_WRITE, SMALL,
	  route_root_add },
	{ BL_SERVER_GET, "/api/rollout", READERS, APP_READ, 0, route_rollout },
	{ BL_SERVER_POST, "/api/rollout", ADMINS, APP_WRITE | APP_JSON, FORM,
	  route_rollout_set, "version#,percent#,label" },
	{ BL_SERVER_GET, "/api/executions", READERS, APP_READ, 0,
	  route_executions,
	  "q,verdict,machine,rule,monitored#,failed#,from#,before#" },
	{ BL_SERVER_GET, "/api/executions/{}/{}", READERS, APP_READ, 0,
	  route_execution },
	{ BL_SERVER_GET, "/api/export", READERS, APP_READ, 0, route_export,
	  "format,from#,before#" },
	{ BL_SERVER_GET, "/api/exceptions", READERS, APP_READ, 0,
	  route_exceptions },
	{ BL_SERVER_POST, "/api/exceptions/{}", EDITORS, APP_WRITE | APP_JSON,
	  FORM, route_exception_answer, "answer,days#" },
	{ BL_SERVER_GET, "/api/audit", READERS, APP_READ, 0, route_audit,
	  "before#" },
	{ BL_SERVER_GET, "/api/audit/check", READERS, APP_READ, 0,
	  route_audit_check },
	{ BL_SERVER_GET, "/api/tokens", ROLE_AUDITOR | ADMINS, APP_READ, 0,
	  route_tokens },
	{ BL_SERVER_POST, "/api/tokens", ADMINS, APP_WRITE | APP_JSON, FORM,
	  route_token_add, "kind,name,role,days#,uses#,labels@" },
	{ BL_SERVER_DELETE, "/api/tokens/{}", ADMINS, APP_WRITE, 0,
	  route_token_revoke },
	{ BL_SERVER_POST, "/api/device", EDITORS, APP_READ | APP_JSON, FORM,
	  route_device_look, "user_code" },
	{ BL_SERVER_POST, "/api/device/answer", EDITORS, APP_WRITE | APP_JSON,
	  FORM, route_device_answer, "user_code,answer" },
	{ BL_SERVER_GET, "/api/opa", READERS, APP_READ, 0, route_opa },

	/* pages: the same for everybody, data comes by the routes above */
	{ BL_SERVER_GET, "/assets/{}", ANYBODY, 0, 0, route_asset },
	{ BL_SERVER_GET, "/", ANYBODY, 0, 0, route_page },
	{ BL_SERVER_GET, "/{}", ANYBODY, 0, 0, route_page },
};

const size_t app_route_count = BL_COUNT(app_routes);

/* ---- roles ---------------------------------------------------------------- */

static const struct {
	enum app_role role;
	const char *name;
} roles[] = {
	{ ROLE_NOBODY, "nobody" },   { ROLE_MACHINE, "machine" },
	{ ROLE_AUDITOR, "auditor" }, { ROLE_EDITOR, "editor" },
	{ ROLE_ADMIN, "admin" },
};

const char *app_role_name(enum app_role role)
{
	for (size_t i = 0; i < BL_COUNT(roles); i++)
		if (roles[i].role == role)
			return roles[i].name;
	return "unknown";
}

enum app_role app_role_find(struct bl_str name)
{
	for (size_t i = 1; i < BL_COUNT(roles); i++)
		if (bl_str_is(name, roles[i].name))
			return roles[i].role;
	return (enum app_role)0;
}

void app_routes_print(struct bl_buf *out)
{
	static const char *const methods[] = { "GET", "POST", "PUT", "DELETE" };

	bl_buf_puts(out,
		    "| method | path | nobody | machine | auditor | editor "
		    "| admin |\n|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < app_route_count; i++) {
		const struct app_route *route = &app_routes[i];

		for (unsigned bit = 0; bit < BL_COUNT(methods); bit++)
			if (route->method == 1u << bit)
				bl_buf_printf(out, "| %s | `%s` |",
					      methods[bit], route->path);
		for (size_t j = 0; j < BL_COUNT(roles); j++)
			bl_buf_puts(out, route->roles & roles[j].role ? " yes |"
								      : " |");
		bl_buf_puts(out, "\n");
	}
}

/* ---- who may come in ------------------------------------------------------ */

static bool refuse(struct bl_server_request *request,
		   struct bl_server_reply *reply, int status, const char *text)
{
	bl_server_reply_error(request, reply, status, text);
	return false;
}

/*
 * May a page of ours have sent it?  A browser says where an unsafe request comes
 * from, and other sites cannot set our header.
 */
static bool is_from_our_page(const struct bl_server_request *request)
{
	struct bl_str site = bl_server_header(request, "Sec-Fetch-Site");
	struct bl_str origin = bl_server_header(request, "Origin");
	struct bl_str host = bl_server_header(request, "Host");
	size_t slashes = bl_str_find(origin, BL_STR("://"), 0);

	if (!bl_server_header(request, "X-Belay").ptr)
		return false;
	if (site.ptr)
		return bl_str_is(site, "same-origin");
	return slashes != SIZE_MAX &&
	       bl_str_equal(bl_str_slice(origin, slashes + 3, SIZE_MAX), host);
}

static bool check_caller(struct app *app, struct bl_server_request *request,
			 struct bl_server_reply *reply,
			 const struct app_route *route)
{
	const char *why = "unknown";
	struct caller *who = callers_find(app, request, &why);

	if (!who)
		return refuse(request, reply, 503, "out of memory");
	/* A session that is over is nobody's. */
	if (!who->role && who->by_cookie && (route->roles & ROLE_NOBODY))
		*who = (struct caller){ .role = ROLE_NOBODY,
					.name = BL_STR("nobody") };
	request->caller = who;
	if (!callers_may_go_on(app, request, who,
			       (route->flags & APP_OPEN) != 0)) {
		bl_server_reply_header(reply, "Retry-After", "5");
		return refuse(request, reply, 429, "too many requests");
	}
	if (!who->role && !strcmp(why, "unavailable"))
		return refuse(request, reply, 503,
			      "the database cannot be reached");
	if (!who->role ||
	    (who->role == ROLE_NOBODY && !(route->roles & ROLE_NOBODY))) {
		bl_server_reply_header(reply, "WWW-Authenticate", "Bearer");
		return refuse(request, reply, 401,
			      who->role ? "sign in first" : why);
	}
	if (!(route->roles & who->role))
		return refuse(request, reply, 403,
			      "your role does not allow this");
	if (who->by_cookie && route->method != BL_SERVER_GET &&
	    !is_from_our_page(request))
		return refuse(request, reply, 403,
			      "the request does not come from our pages");
	return true;
}

static const struct app_route *row_of(const struct bl_server_request *request)
{
	return &app_routes[request->route->data];
}

static bool admit(struct bl_server_request *request,
		  struct bl_server_reply *reply)
{
	struct app *app = request->context;
	const struct app_route *route;

	if (!request->route)
		return false;
	route = row_of(request);
	if ((route->flags & APP_JSON) && !bl_server_is_json(request))
		return refuse(request, reply, 415,
			      "the content type is not application/json");
	if (!strcmp(route->path, "/metrics") && app->options.open_metrics)
		return true;
	return check_caller(app, request, reply, route);
}

/* ---- around a function ---------------------------------------------------- */

/* Body or query, checked by the row's fields. */
static enum bl_status read_fields(struct call *call,
				  const struct app_route *route)
{
	enum bl_status status =
		route->flags & APP_JSON
			? bl_server_read_object(call->request, &call->body,
						&call->err)
			: BL_OK;

	if (status || !route->fields)
		return status;
	return route->flags & APP_JSON ? app_check_body(call, route->fields)
				       : app_check_query(call, route->fields);
}

/* With a transaction where the row wants one. */
static enum bl_status run(struct call *call, const struct app_route *route)
{
	enum bl_status status;

	status = read_fields(call, route);
	if (status)
		return status;
	if (!(route->flags & (APP_READ | APP_WRITE)))
		return route->run(call);
	status =
		bl_db_begin(call->app->store,
			    route->flags & APP_WRITE ? BL_DB_WRITE : BL_DB_READ,
			    &call->db, &call->err);
	if (status)
		return status;
	status = route->run(call);
	return bl_db_end(call->db, status, &call->err);
}

/* Changes by people are seen by their next request. */
static void catch_up(struct call *call, const struct app_route *route)
{
	struct bl_error err;

	if ((route->flags & APP_WRITE) && call->who &&
	    (call->who->role & ROLE_PEOPLE) &&
	    app_catch_up(call->app, false, &err))
		app_log(LOG_FAILURE, "%s", err.message);
}

static void handle(struct bl_server_request *request,
		   struct bl_server_reply *reply)
{
	const struct app_route *route = row_of(request);
	struct call call = { .app = request->context,
			     .request = request,
			     .reply = reply,
			     .arena = &request->arena,
			     .who = request->caller,
			     .now_ms = bl_os_wall_ms() };
	enum bl_status status;
	int http;

	if (call.who && call.who->role == ROLE_MACHINE)
		seen_note(call.app->seen, call.who->machine, call.now_ms);
	bl_buf_init(&call.out, 0);
	status = run(&call, route);
	bl_buf_clear(&call.out);
	if (!status) {
		catch_up(&call, route);
		return;
	}
	/* Refused with a reply of its own. */
	if (status == BL_DENIED && reply->body.ptr)
		return;
	http = bl_server_http_status(status);
	/* Failures of the inside are for the log alone. */
	if (http >= 500)
		app_log(LOG_FAILURE, "%.*s: %s", BL_STR_ARG(request->path),
			call.err.message);
	bl_server_reply_error(request, reply, http,
			      http >= 500 ? "the server cannot do this now"
					  : call.err.message);
}

/* ---- every reply ---------------------------------------------------------- */

static const char content_policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src "
	"'self' data:; font-src 'self'; connect-src 'self'; form-action "
	"'self'; frame-ancestors 'none'; base-uri 'none'; "
	"require-trusted-types-for 'script'";

static void finish(struct bl_server_request *request,
		   struct bl_server_reply *reply)
{
	struct app *app = request->context;
	bool has_caching = false;

	for (unsigned i = 0; i < reply->header_count; i++)
		has_caching |= !strcmp(reply->headers[i].name, "Cache-Control");
	if (!has_caching)
		bl_server_reply_header(reply, "Cache-Control", "no-store");
	bl_server_reply_header(reply, "Content-Security-Policy",
			       content_policy);
	bl_server_reply_page_headers(reply);
	if (app->options.tls_key.len)
		bl_server_reply_header(reply, "Strict-Transport-Security",
				       "max-age=31536000");
	metrics_note(app, reply->status,
		     bl_os_monotonic_ns() - request->started_ns);
	/* Polls that went well would be all of the log. */
	if (reply->status >= 400 || request->method != BL_SERVER_GET)
		app_log_request(request, reply);
}

static void tick(void *context)
{
	app_tick(context);
}

enum bl_status app_serve(struct app *app, struct bl_error *err)
{
	static struct bl_server_route rows[MAX_ROUTES];
	struct bl_server_options options = {
		.listen = app->options.listen,
		.routes = rows,
		.route_count = app_route_count,
		.context = app,
		.admit = admit,
		.finish = finish,
		.tick = tick,
		.tls_cert = app->options.tls_cert.ptr,
		.tls_key = app->options.tls_key.ptr,
		.max_of_address = app->options.behind_proxy ? 0 : 64,
	};

	_Static_assert(BL_COUNT(app_routes) <= MAX_ROUTES, "too many routes");
	for (size_t i = 0; i < app_route_count; i++) {
		const struct app_route *from = &app_routes[i];
		bool may_block =
			(from->flags & (APP_READ | APP_WRITE | APP_SLOW)) != 0;

		rows[i] = (struct bl_server_route){
			from->method, may_block ? BL_SERVER_WORK : 0,
			from->path,   from->max_body,
			handle,       (unsigned)i,
		};
	}
	return bl_server_new(&options, &app->server, err);
}

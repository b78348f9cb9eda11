/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes.c: every route of belay-ui, and what happens around its function.
 * Nothing but the pages themselves, which hold no data, is answered without a
 * session.
 */
#include "ui/app.h"
#include "ui/routes.h"

enum { KIB = 1024, FORM = 16 * KIB, EVENT = 1024 * KIB };

const struct ui_route ui_routes[] = {
	{ BL_SERVER_POST, UI_JSON | UI_OPEN, "/api/session", KIB, route_begin },
	{ BL_SERVER_DELETE, 0, "/api/session", 0, route_end },
	{ BL_SERVER_GET, 0, "/api/me", 0, route_me },
	{ BL_SERVER_GET, UI_SLOW, "/api/ask/{}", 0, route_ask },
	{ BL_SERVER_POST, UI_SLOW | UI_JSON, "/api/try", EVENT, route_try },
	{ BL_SERVER_POST, UI_SLOW | UI_JSON, "/api/trust", FORM, route_trust },
	{ BL_SERVER_GET, UI_SLOW, "/api/rules", 0, route_rules },
	{ BL_SERVER_GET, UI_SLOW, "/api/rulebook/{}", 0, route_rulebook },
	{ BL_SERVER_POST, UI_SLOW | UI_JSON, "/api/rulebook/{}", EVENT,
	  route_rulebook_check },
	{ BL_SERVER_PUT, UI_SLOW | UI_JSON, "/api/rulebook/{}", EVENT,
	  route_rulebook_set },
	{ BL_SERVER_GET, UI_OPEN, "/assets/{}", 0, route_asset },
	{ BL_SERVER_GET, UI_OPEN, "/", 0, route_page },
	{ BL_SERVER_GET, UI_OPEN, "/{}", 0, route_page },
};

const size_t ui_route_count = BL_COUNT(ui_routes);

/* ---- who may come in ------------------------------------------------------ */

static bool refuse(struct bl_server_request *request,
		   struct bl_server_reply *reply, int status, const char *text)
{
	bl_server_reply_error(request, reply, status, text);
	return false;
}

static bool admit(struct bl_server_request *request,
		  struct bl_server_reply *reply)
{
	const struct app *app = request->context;
	const struct session *session = &app->session;
	const struct ui_route *route;

	if (!session_is_host(session, request))
		return refuse(request, reply, 421,
			      "belay ui answers to the address that it "
			      "printed alone");
	if (!request->route)
		return false;
	route = &ui_routes[request->route->data];
	if (!(route->flags & UI_OPEN) || route->method != BL_SERVER_GET) {
		bool is_change = route->method != BL_SERVER_GET;

		if (!session_is_origin(session, request, is_change))
			return refuse(request, reply, 403,
				      "the request does not come from a page "
				      "of belay ui");
	}
	if (!(route->flags & UI_OPEN) && !session_is_ours(session, request))
		return refuse(request, reply, 401,
			      "open the link that belay ui printed");
	if ((route->flags & UI_JSON) && !bl_server_is_json(request))
		return refuse(request, reply, 415,
			      "the content type is not application/json");
	return true;
}

/* ---- around a function ---------------------------------------------------- */

static void handle(struct bl_server_request *request,
		   struct bl_server_reply *reply)
{
	const struct ui_route *route = &ui_routes[request->route->data];
	struct call call = { .app = request->context,
			     .request = request,
			     .reply = reply,
			     .arena = &request->arena };
	enum bl_status status = BL_OK;

	if (!(route->flags & UI_OPEN))
		atomic_store(&call.app->last_ns, bl_os_monotonic_ns());
	bl_buf_init(&call.out, 0);
	if (route->flags & UI_JSON)
		status = bl_server_read_object(request, &call.body, &call.err);
	if (!status)
		status = route->run(&call);
	bl_buf_clear(&call.out);
	if (status)
		bl_server_reply_error(request, reply,
				      bl_server_http_status(status),
				      call.err.message);
}

struct bl_str call_text(struct call *call, const char *name)
{
	return bl_value_text(bl_object_find(call->body, bl_str(name)));
}

bool call_flag(struct call *call, const char *name)
{
	return bl_value_equal(bl_object_find(call->body, bl_str(name)),
			      bl_value_boolean(true));
}

struct bl_str call_query(struct call *call, const char *name)
{
	return bl_server_field(call->request, call->request->query, name);
}

void call_put(struct call *call, struct bl_value value)
{
	bl_json_write(&call->out, value, BL_JSON_COMPACT);
}

enum bl_status call_send_json(struct call *call)
{
	return bl_server_reply_text(call->request, call->reply,
				    "application/json", &call->out, &call->err);
}

/* ---- every reply ---------------------------------------------------------- */

static const struct {
	const char *name;
	const char *value;
} headers[] = {
	{ "Content-Security-Policy",
	  "default-src 'none'; script-src 'self'; style-src 'self'; img-src "
	  "data:; connect-src 'self'; form-action 'none'; frame-ancestors "
	  "'none'; base-uri 'none'; require-trusted-types-for 'script'" },
	{ "X-Frame-Options", "DENY" },
	/* Another belay ui may have this port tomorrow. */
	{ "Cache-Control", "no-store" },
};

static void finish(struct bl_server_request *request,
		   struct bl_server_reply *reply)
{
	(void)request;
	bl_server_reply_page_headers(reply);
	for (size_t i = 0; i < BL_COUNT(headers); i++)
		bl_server_reply_header(reply, headers[i].name,
				       headers[i].value);
}

static void tick(void *context)
{
	struct app *app = context;
	int64_t silent_ns = bl_os_monotonic_ns() - atomic_load(&app->last_ns);

	if (silent_ns < app->idle_ns)
		return;
	atomic_store(&app->is_idle, true);
	bl_server_stop(app->server);
}

enum bl_status ui_serve(struct app *app, const char *listen,
			struct bl_error *err)
{
	static struct bl_server_route rows[BL_COUNT(ui_routes)];
	struct bl_server_options options = {
		.listen = listen,
		.routes = rows,
		.route_count = ui_route_count,
		.context = app,
		.admit = admit,
		.finish = finish,
		.tick = tick,
		.threads = 1,
		.workers = 3,
		.max_waiting = 64,
		.max_connections = 64,
		.stop_ms = 2000,
	};
	enum bl_status status;

	for (size_t i = 0; i < ui_route_count; i++) {
		const struct ui_route *from = &ui_routes[i];

		rows[i] = (struct bl_server_route){
			from->method,
			from->flags & UI_SLOW ? BL_SERVER_WORK : 0,
			from->path,
			from->max_body,
			handle,
			(unsigned)i,
		};
	}
	status = session_init(&app->session, err);
	if (!status)
		status = bl_server_new(&options, &app->server, err);
	if (!status)
		session_set_address(&app->session,
				    bl_server_address(app->server));
	return status;
}

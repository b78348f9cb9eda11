/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui/app.h: what the files of belay-ui share.
 *
 * One person, one browser, one program.  A request goes through routes.c: it
 * was sent to our own address, by our own page, with both halves of the session
 * (session.c); its body is read; then the row's function runs with a struct
 * call.  The pages show the JSON of belay's commands, which run as children
 * (ask.c), so nothing is told twice.
 */
#ifndef BELAY_UI_APP_H
#define BELAY_UI_APP_H

#include <stdatomic.h>

#include "base/buf.h"
#include "crypto/crypto.h"
#include "http/server/server.h"
#include "json/json.h"
#include "os/os.h"
#include "value/value.h"

enum {
	UI_SECRET_BYTES = 65, /* 64 digits and a NUL */
	UI_ORIGIN_BYTES = 64,
	UI_COOKIE_NAME_BYTES = 24,
};

/* ---- the session ---------------------------------------------------------- */

/*
 * The link's token is good once.  It is exchanged for two secrets, and a request
 * needs both: the cookie is out of reach of scripts, but browsers send it to every
 * port of this address; the key is kept by our page and sent to our port alone.
 */
struct session {
	char token[UI_SECRET_BYTES];
	char cookie[UI_SECRET_BYTES];
	char key[UI_SECRET_BYTES];
	char cookie_name[UI_COOKIE_NAME_BYTES]; /* "belay-ui-43121" */
	char origin[UI_ORIGIN_BYTES];           /* "http://127.0.0.1:43121" */
	atomic_bool is_begun;
};

/* Makes the secrets: before the first request can come. */
enum bl_status session_init(struct session *session, struct bl_error *err);

/* address: of the server, "127.0.0.1:43121".  Until then nobody is let in. */
void session_set_address(struct session *session, const char *address);

/* Was the request sent to our address, by that name? */
bool session_is_host(const struct session *session,
		     const struct bl_server_request *request);

/* Was it sent by a page of ours?  is_change: it has to say so. */
bool session_is_origin(const struct session *session,
		       const struct bl_server_request *request, bool is_change);

/* Does it have the cookie and the key? */
bool session_is_ours(const struct session *session,
		     const struct bl_server_request *request);

/* ---- the program ---------------------------------------------------------- */

struct app {
	struct bl_str project;
	struct bl_str home;
	struct bl_str config;
	struct bl_str state;
	struct bl_str tools; /* path of belay-tools */
	int64_t idle_ns;
	struct bl_server *server;
	struct session session;
	atomic_llong last_ns;  /* of a request of the session; monotonic */
	atomic_bool is_idle;   /* it ended because nobody asked */
	atomic_bool is_stolen; /* it ended because the link was used twice */
};

/* Opens url in the person's browser, where there is a display; waits for nothing. */
void browser_open(const char *url);

/* ---- one request ---------------------------------------------------------- */

struct call {
	struct app *app;
	struct bl_server_request *request;
	struct bl_server_reply *reply;
	struct bl_arena *arena;
	struct bl_value body; /* of rows with UI_JSON */
	struct bl_buf out;    /* becomes the body */
	struct bl_error err;
};

/* A text of the body's, and of the query's; ptr NULL: absent. */
struct bl_str call_text(struct call *call, const char *name);
struct bl_str call_query(struct call *call, const char *name);

/* Is a member of the body true? */
bool call_flag(struct call *call, const char *name);

enum bl_status call_send_json(struct call *call);

/* Appends a value as JSON. */
void call_put(struct call *call, struct bl_value value);

enum ui_route_flags {
	UI_JSON = 1, /* the body is a JSON object */
	UI_OPEN = 2, /* needs no session: holds no data, or begins one */
	UI_SLOW = 4, /* runs a program or reads files: by a worker */
};

/* ---- belay's commands (ask.c) --------------------------------------------- */

enum { ASK_MAX_WORDS = 24 };

/* The words of a command line behind "belay", as they grow. */
struct ask {
	const char *words[ASK_MAX_WORDS + 2];
	size_t count;
	struct bl_str input; /* for its standard input */
	bool is_lines;       /* answers a line of JSON for each thing */
	bool is_text;        /* answers for people */
};

void ask_add(struct ask *ask, const char *word);

/* "--NAME=VALUE", one word, so that a value is never taken for an option. */
enum bl_status ask_add_option(struct call *call, struct ask *ask,
			      const char *name, struct bl_str value);

/*
 * Runs it in the project and sends {"code": its exit status, "answer": what it
 * printed}.  A command that prints nothing and fails is INVALID with its words.
 */
enum bl_status ask_send(struct call *call, struct ask *ask);

/* ---- the pages ------------------------------------------------------------ */

extern const struct bl_server_file ui_files[]; /* by tools/embed-text */

/* ---- functions of routes -------------------------------------------------- */

enum bl_status route_page(struct call *call);
enum bl_status route_asset(struct call *call);
enum bl_status route_begin(struct call *call);
enum bl_status route_end(struct call *call);
enum bl_status route_me(struct call *call);
enum bl_status route_ask(struct call *call);
enum bl_status route_try(struct call *call);
enum bl_status route_trust(struct call *call);
enum bl_status route_rules(struct call *call);
enum bl_status route_rulebook(struct call *call);
enum bl_status route_rulebook_check(struct call *call);
enum bl_status route_rulebook_set(struct call *call);

#endif

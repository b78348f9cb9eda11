/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/app.h: what the files of belay-server share.
 *
 * A request goes through routes.c: its caller is known (callers.c), may use the
 * route (the row's roles), has not asked too often; its body is read, a
 * transaction begun where the row wants one; then the row's function runs with
 * a struct call, and routes.c turns its outcome into the reply.  A function that
 * fails returns the status with a message in call->err that a stranger may see.
 */
#ifndef BELAY_SERVER_APP_H
#define BELAY_SERVER_APP_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "crypto/crypto.h"
#include "http/server/server.h"
#include "json/json.h"
#include "os/os.h"
#include "server/store/store.h"
#include "team/team.h"
#include "value/value.h"

enum {
	APP_TOKEN_BYTES = 5 + 43 + 6 + 1, /* "blt_e", digits, checksum, NUL */
	APP_ID_BYTES = 17,                /* 16 digits and a NUL */
	SECOND_MS = 1000,
	MINUTE_MS = 60 * SECOND_MS,
	HOUR_MS = 60 * MINUTE_MS,
	DAY_MS = 24 * HOUR_MS,
};

/* ---- options -------------------------------------------------------------- */

struct app_options {
	struct bl_str data;        /* folder */
	struct bl_str database;    /* path, or connection string */
	struct bl_str keys;        /* folder of signing keys */
	struct bl_str listen_text; /* as it was given */
	const char *listen;
	struct bl_str
		public_url;     /* "https://belay.example"; empty: of listen */
	struct bl_str team;     /* id, for the first start; empty: random */
	struct bl_str tls_cert; /* paths */
	struct bl_str tls_key;
	struct bl_str oidc_issuer; /* empty: people have tokens alone */
	struct bl_str oidc_client;
	struct bl_str oidc_secret;
	struct bl_str oidc_admin;  /* verified address of the first one */
	struct bl_str oidc_role;   /* of people who are new */
	struct bl_str export_otlp; /* URL; empty: no collector */
	struct bl_str export_otlp_header; /* "Name: value" */
	struct bl_str export_ca;          /* PEM */
	struct bl_str export_cert;        /* our own, PEM; or empty */
	struct bl_str export_key;
	struct bl_str export_syslog; /* "[tls://]HOST:PORT" */
	int64_t retention_days;
	int64_t machine_token_days; /* of a machine's token; 0: for ever */
	int64_t rate;               /* requests a second of one token */
	bool behind_proxy;
	bool four_eyes;    /* who made a set does not roll it out */
	bool open_metrics; /* /metrics without a token */
};

/* ---- roles ---------------------------------------------------------------- */

/* Bits, so that a route names all who may use it. */
enum app_role {
	ROLE_NOBODY = 1, /* without a token */
	ROLE_MACHINE = 2,
	ROLE_AUDITOR = 4,
	ROLE_EDITOR = 8,
	ROLE_ADMIN = 16,
	ROLE_PEOPLE = ROLE_AUDITOR | ROLE_EDITOR | ROLE_ADMIN,
	ROLE_ALL = 31,
};

const char *app_role_name(enum app_role role);   /* "admin" */
enum app_role app_role_find(struct bl_str name); /* 0: unknown */

/* The one who asks; in the request's arena. */
struct caller {
	enum app_role role;
	struct bl_str id;      /* of the token */
	struct bl_str name;    /* for the audit trail */
	struct bl_str machine; /* of machines: their id */
	struct bl_str labels;  /* of machines: JSON array of texts */
	bool by_cookie;
	bool wants_renewal; /* of machines: half of the token's time is over */
};

/* ---- the server ----------------------------------------------------------- */

struct callers;  /* callers.c */
struct exports;  /* export.c */
struct snapshot; /* snapshot.c */
struct seen;     /* seen.c */

struct app {
	struct app_options options;
	struct bl_store *store;
	struct bl_server *server;
	struct callers *callers;
	struct snapshot *snapshot;
	struct seen *seen;
	struct exports *exports; /* NULL: no collector is wanted */
	struct bl_str team_id;
	bool is_secure; /* people come by https */
	bool has_set_key;
	struct bl_ed25519_secret set_key;
	bool has_fresh_key;
	struct bl_ed25519_secret fresh_key;
	pthread_mutex_t catching_up; /* one reads what changed at a time */
	atomic_llong epoch;          /* of the database, as last seen */
	atomic_bool is_stopping;
	int64_t started_ms;
	/* Of ticks: when each was last done, monotonic; 0: never. */
	int64_t look_ms;
	int64_t fresh_ms;
	int64_t upkeep_ms;
	int64_t halt_ms;
	int64_t seen_ms;
	int64_t sessions_ms;
	int64_t replaced_ms;
	atomic_ullong status_counts[6];    /* replies by hundreds */
	atomic_ullong duration_counts[12]; /* by bucket; metrics.c */
	atomic_ullong duration_us;
	atomic_ullong uploads;
	atomic_ullong uploaded_records;
};

/* ---- one request ---------------------------------------------------------- */

struct call {
	struct app *app;
	struct bl_server_request *request;
	struct bl_server_reply *reply;
	struct bl_arena *arena;
	struct caller *who;
	struct bl_db *db;     /* NULL: the row wants none */
	struct bl_value body; /* of rows with APP_JSON */
	struct bl_buf out;    /* becomes the body, when a function fills it */
	int64_t now_ms;
	struct bl_error err;
};

enum app_route_flags {
	APP_READ = 1,  /* in a transaction that reads */
	APP_WRITE = 2, /* in one that writes */
	APP_JSON = 4,  /* the body is a JSON object */
	APP_OPEN = 8,  /* slower than usual: for those without a token */
	APP_SLOW = 16, /* asks others: by a worker, without a transaction */
};

struct app_route {
	unsigned method;
	const char *path;
	unsigned roles;
	unsigned flags;
	size_t max_body;
	enum bl_status (*run)(struct call *call);
	/*
	 * "version#,percent#,label": the members of the body with APP_JSON,
	 * else the names of the query (fields.c).  NULL: not looked at.
	 */
	const char *fields;
};

extern const struct app_route app_routes[];
extern const size_t app_route_count;

/* Makes the server of the app, with its routes. */
enum bl_status app_serve(struct app *app, struct bl_error *err);

/* ---- what is asked (fields.c) ---------------------------------------------- */

/* INVALID for one that fields do not list, or that is of another type. */
enum bl_status app_check_body(struct call *call, const char *fields);
enum bl_status app_check_query(struct call *call, const char *fields);

/* ---- replies (reply.c) ---------------------------------------------------- */

/* An error as the reply, for a function to return: it is kept as it is. */
enum bl_status call_refuse(struct call *call, int http_status,
			   const char *message);

/* The reply's body is call->out, of that type. */
enum bl_status call_send(struct call *call, const char *type);
enum bl_status call_send_json(struct call *call);

/* {} with one member. */
enum bl_status call_send_member(struct call *call, const char *name,
				struct bl_str text);

/*
 * Rows as an array of objects.  columns names them: "id,created#,files!,on?":
 * # a number, ! JSON as it is, ? a boolean; others are texts.  NULL is null.
 */
void app_put_rows(struct bl_buf *out, const struct bl_rows *rows,
		  const char *columns);
/* One row of them, as an object. */
void app_put_row(struct bl_buf *out, const struct bl_rows *rows, size_t row,
		 const char *columns);

/* Asks, and sends {NAME: [rows]}. */
enum bl_status call_list(struct call *call, const char *name,
			 const struct bl_db_query *query, const char *columns);

/*
 * Members of the body, whose types the row's fields have made sure of; missing
 * ones give an empty text and missing.
 */
struct bl_str call_text(struct call *call, const char *name);
int64_t call_integer(struct call *call, const char *name, int64_t missing);
/* Of the query string. */
struct bl_str call_query(struct call *call, const char *name);
int64_t call_query_integer(struct call *call, const char *name,
			   int64_t missing);

/* Shorthands on call->db and call->err. */
enum bl_status call_run(struct call *call, const struct bl_db_query *query,
			uint64_t *out_changes);
enum bl_status call_ask(struct call *call, const struct bl_db_query *query,
			struct bl_rows *out_rows);

/*
 * At most so many bytes of a stranger's text, not cut within a character, with
 * "?" for NUL; "" for one that is missing or out of memory.
 */
struct bl_str app_clean_text(struct bl_arena *arena, struct bl_str text,
			     size_t most);

/* A value as canonical JSON, in the arena. */
struct bl_str app_json(struct bl_arena *arena, struct bl_value value);

/* ---- tokens (token.c) ----------------------------------------------------- */

/* A new one of a kind ('p', 'm', 'e', 's', 'd') and its hash. */
enum bl_status token_make(char kind, char out[APP_TOKEN_BYTES],
			  char out_hash[BL_SHA256_HEX_BYTES],
			  struct bl_error *err);

/* Is it one, as its last characters say?  Then its hash. */
bool token_is_whole(struct bl_str token, char out_hash[BL_SHA256_HEX_BYTES]);

/* 16 random digits. */
enum bl_status app_new_id(char out[APP_ID_BYTES], struct bl_error *err);

/* A token to be inserted. */
struct token_row {
	char kind;
	struct bl_str name;
	enum app_role role;
	struct bl_str machine; /* ptr NULL: none */
	struct bl_str labels;  /* JSON */
	int64_t uses;          /* 0: without end */
	int64_t expires;       /* 0: never */
	struct bl_str created_by;
	struct bl_str replaces; /* id; ptr NULL: nothing */
};

enum bl_status token_insert(struct bl_db *db, const struct token_row *row,
			    char out[APP_TOKEN_BYTES],
			    char out_id[APP_ID_BYTES], struct bl_error *err);

/* Labels of a request as canonical JSON: an array of short texts.  INVALID. */
enum bl_status app_check_labels(struct bl_arena *arena, struct bl_value labels,
				struct bl_str *out_json, struct bl_error *err);

/* ---- callers (callers.c) -------------------------------------------------- */

struct callers *callers_new(void);
struct callers *callers_free(struct callers *callers);

/* Forgets all: something was revoked. */
void callers_forget(struct callers *callers);

/*
 * Writes when sessions were last used, where that is more than after_ms later
 * than the database knows; and revokes the tokens that others, used by now, have
 * replaced.
 */
enum bl_status callers_write(struct app *app, int64_t after_ms,
			     struct bl_error *err);

/* Has a token been used that replaces another one? */
bool callers_have_replaced(struct callers *callers);

/*
 * The one who asks.  role 0: the token is not good, and *out_why says why ("revoked",
 * "expired", "unknown").  Without a token the role is NOBODY.
 */
struct caller *callers_find(struct app *app, struct bl_server_request *request,
			    const char **out_why);

/* False: too many requests in too little time. */
bool callers_may_go_on(struct app *app, struct bl_server_request *request,
		       const struct caller *who, bool is_open);

/* The name of the cookie of sessions. */
const char *app_cookie_name(const struct app *app);

/* ---- the audit trail (audit.c) -------------------------------------------- */

/* Adds an entry in the transaction; detail is a JSON object, or empty. */
enum bl_status audit_add(struct call *call, const char *action,
			 struct bl_str target, struct bl_str detail);
/* Without a caller: by the server itself, or from the command line. */
enum bl_status audit_add_by(struct bl_db *db, struct bl_str actor,
			    const char *action, struct bl_str target,
			    struct bl_str detail, struct bl_error *err);
/* The last hash; empty: no entry yet. */
enum bl_status audit_head(struct bl_db *db, struct bl_arena *arena,
			  struct bl_str *out_hash, struct bl_error *err);

/* ---- settings and epochs (setting.c) -------------------------------------- */

enum bl_status setting_get(struct bl_db *db, const char *name,
			   struct bl_arena *arena, struct bl_str *out_value,
			   struct bl_error *err);
enum bl_status setting_set(struct bl_db *db, const char *name,
			   struct bl_str value, struct bl_error *err);
/*
 * Tells every server of this database to read again: tokens, sets.  This one
 * does when the transaction is over (app_catch_up).
 */
enum bl_status epoch_raise(struct bl_db *db, struct bl_error *err);
/* Reads again when the epoch has changed, or when forced. */
enum bl_status app_catch_up(struct app *app, bool forced, struct bl_error *err);

/* ---- keys and the first start (start.c) ----------------------------------- */

/* Opens the store, reads keys; makes team, keys and a first token when new. */
enum bl_status app_open(struct app *app, const struct app_options *options,
			struct bl_error *err);
void app_close(struct app *app);

/* ---- the signed set in force (snapshot.c) --------------------------------- */

struct snapshot *snapshot_new(void);
struct snapshot *snapshot_free(struct snapshot *snapshot);
enum bl_status snapshot_load(struct app *app, struct bl_db *db,
			     struct bl_error *err);

/* ---- signing (publish.c) -------------------------------------------------- */

/* A new statement of freshness when it is due or forced. */
enum bl_status publish_fresh(struct app *app, struct bl_db *db, bool forced,
			     struct bl_error *err);
/* The current root, read; NOT_FOUND. */
enum bl_status publish_root(struct bl_db *db, struct bl_arena *arena,
			    struct bl_team_root *out, struct bl_error *err);
/* Stops a roll-out whose machines are refused or fail more than others. */
enum bl_status rollout_watch(struct app *app, struct bl_error *err);

/* ---- drafts (draft.c) ----------------------------------------------------- */

/* The hooks of the draft, in order. */
enum bl_status draft_hooks(struct call *call, struct bl_team_hooks *out);
/* Checks hooks and policies as a whole; *out_json: the findings, as JSON. */
enum bl_status draft_check(struct call *call, bool *out_is_good,
			   struct bl_str *out_json);
/* Writes the draft's policies below a new folder; the caller removes it. */
enum bl_status draft_write(struct call *call, struct bl_str *out_folder);
void draft_remove(struct call *call, struct bl_str folder);

/* ---- what machines do (seen.c) -------------------------------------------- */

struct seen *seen_new(void);
struct seen *seen_free(struct seen *seen);
void seen_note(struct seen *seen, struct bl_str machine, int64_t now_ms);
enum bl_status seen_write(struct app *app, struct bl_error *err);

/* ---- exports to collectors (export.c) --------------------------------------- */

/* Begins to send; without collectors it does nothing.  stop also after a failure. */
enum bl_status exports_start(struct app *app, struct bl_error *err);
void exports_stop(struct app *app);

/*
 * Notes in the transaction that the records of a batch (a column of theirs)
 * are to be sent.
 */
bool exports_wanted(const struct app *app);
enum bl_status exports_put(struct call *call, struct bl_str batch);

void exports_put_metrics(const struct app *app, struct bl_buf *out);

/* ---- the pages (pages.c) -------------------------------------------------- */

extern const struct bl_server_file server_files[]; /* by tools/embed-text */

/* ---- numbers (metrics.c) -------------------------------------------------- */

void metrics_note(struct app *app, int status, int64_t elapsed_ns);

/* ---- logs (log.c) --------------------------------------------------------- */

enum log_level { LOG_FAILURE, LOG_WARNING, LOG_NOTE };

/* One line of JSON on standard error. */
void app_log(enum log_level level, const char *message, ...) BL_PRINTF(2, 3);
void app_log_request(const struct bl_server_request *request,
		     const struct bl_server_reply *reply);

/* ---- functions of routes, by file ----------------------------------------- */

#define ROUTE_FUNCTION(name) enum bl_status name(struct call *call);
#include "server/functions.def"
#undef ROUTE_FUNCTION

#endif

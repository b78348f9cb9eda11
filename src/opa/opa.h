/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opa/opa.h: belay as a client of OPA's control planes: a bundle is fetched and put
 * in force as the policies of a team are, status and decisions are posted back.
 *
 * The owner's configuration is OPA's own file; docs/guide/opa-control-plane.md says
 * which of its keys are followed.  Whatever fails, the last good bundle stays in
 * force.
 *
 * A folder of state, beside the team's, holds:
 *     state.json      what is in force, the last result, ETag, id of this client
 *     bundle.tar.gz   the bundle in force as it was served
 *     sets/SHA256     that bundle as a policy directory
 *     log.json        the last record that the decision log has
 * The record that every event reads is the team's (team/team.h, bl_team_use).
 */
#ifndef BELAY_OPA_OPA_H
#define BELAY_OPA_OPA_H

#include "http/http.h"
#include "rego/bundle/bundle.h"
#include "team/client/client.h"
#include "team/team.h"

enum {
	BL_OPA_MAX_CONFIG_BYTES = 1024 * 1024,
	BL_OPA_MAX_BUNDLE_BYTES = 64 * 1024 * 1024,   /* packed */
	BL_OPA_MAX_UNPACKED_BYTES = 64 * 1024 * 1024, /* of all files */
	BL_OPA_MAX_HEADERS = 32,                      /* of a service */
	BL_OPA_MAX_WAIT_S = 86400, /* the longest delay and long poll */
};

/* ---- configuration ------------------------------------------------------------ */

/* How belay shows a service who it is; a client certificate may come beside it. */
enum bl_opa_credentials {
	BL_OPA_ANONYMOUS,
	BL_OPA_BEARER,     /* token or token_path, scheme */
	BL_OPA_OAUTH2,     /* token_url, client_id, client_secret, scopes */
	BL_OPA_S3_SIGNING, /* aws_service; the key is in the environment */
};

enum { BL_OPA_MAX_TOKEN_BYTES = 64 * 1024 };

/* A token that OAuth gave, until it expires. */
struct bl_opa_token {
	char text[BL_OPA_MAX_TOKEN_BYTES + 1];
	int64_t until; /* seconds since 1970; 0: none */
};

struct bl_opa_service {
	struct bl_str name;
	struct bl_str url; /* without a slash at its end */
	bool is_oci;       /* a registry, by OCI's distribution API */
	enum bl_opa_credentials credentials;
	struct bl_str token;
	struct bl_str token_path; /* read for each request */
	struct bl_str scheme;     /* "Bearer" */
	struct bl_str token_url;
	struct bl_str client_id;
	struct bl_str client_secret;
	struct bl_str scopes; /* with blanks between */
	struct bl_opa_token *cached;
	struct bl_str aws_service;  /* "s3" */
	struct bl_str cert_file;    /* of the client, PEM; or empty */
	struct bl_str key_file;     /* of cert_file */
	struct bl_str ca_file;      /* PEM; or empty: the system's */
	bool system_certs;          /* beside ca_file */
	const char *const *headers; /* "Name: value", NULL-ended */
};

/* Where something is posted. */
struct bl_opa_target {
	const struct bl_opa_service *service; /* NULL: nowhere */
	struct bl_str resource;
};

struct bl_opa_config {
	struct bl_str file;
	struct bl_str name; /* of the bundle */
	const struct bl_opa_service *service;
	struct bl_str resource;
	/* NULL: the bundle is not signed, and a signed one is refused. */
	const struct bl_bundle_verification *verification;
	int64_t min_delay_s;
	int64_t max_delay_s;
	int64_t long_poll_s;         /* 0: none */
	struct bl_value labels;      /* an object */
	struct bl_opa_target log;    /* "logs" */
	struct bl_opa_target status; /* "status" */
	struct bl_value warnings;    /* an array of texts */
};

/*
 * Reads the text of a configuration, YAML or JSON.  INVALID, SYNTAX with the place
 * and the remedy: what OPA would refuse, and what cannot be left out without
 * losing policies (several bundles, discovery).  Other keys that are not
 * followed are in warnings.
 */
enum bl_status bl_opa_parse_config(struct bl_str file, struct bl_str text,
				   struct bl_arena *arena,
				   struct bl_opa_config *out,
				   struct bl_error *err);

/* ---- bundle to policy directory ----------------------------------------------- */

/*
 * The files of a policy directory that decides as the bundle does: modules below
 * policies/all, data.belay.rulebook as rulebook.yml, other data as modules.
 * INVALID with the path of data that no rule can express.
 */
enum bl_status bl_opa_make_directory(const struct bl_bundle *bundle,
				     struct bl_arena *arena,
				     struct bl_team_content *out,
				     struct bl_error *err);

/* ---- places and state ----------------------------------------------------------- */

struct bl_opa_place {
	struct bl_str config;  /* the file */
	struct bl_str dir;     /* of state */
	struct bl_str use_dir; /* of the record that events read */
	struct bl_str system_root;
	struct bl_str home;
	bool is_managed; /* the configuration is root's /etc/belay/opa.yaml */
};

/*
 * config (may be empty: the default) names the file.  Without it the machine's
 * SYSTEM_ROOT/etc/belay/opa.yaml counts when it exists, else the user's
 * HOME/.config/belay/opa.yaml.
 */
enum bl_status bl_opa_find_place(struct bl_str system_root, struct bl_str home,
				 struct bl_str config, struct bl_arena *arena,
				 struct bl_opa_place *out,
				 struct bl_error *err);

/* state.json.  All texts may be empty, all times 0. */
struct bl_opa_state {
	struct bl_str id;       /* of this client: labels.id */
	struct bl_str name;     /* of the bundle */
	struct bl_str url;      /* where it comes from */
	struct bl_str etag;     /* of the bundle in force */
	struct bl_str sha256;   /* of bundle.tar.gz in force */
	struct bl_str revision; /* that it names */
	struct bl_str key;    /* SHA-256 of what verified it; empty: unsigned */
	struct bl_str detail; /* of the last result */
	int64_t version;      /* bundles put in force so far; 0: none */
	int64_t since;
	int64_t tried;
	int64_t checked; /* the server's last good answer */
	int64_t fresh_until;
	int64_t downloaded;
	int64_t activated;
	int64_t next_try; /* 0: as the configuration says */
	int64_t failures; /* in a row */
	enum bl_team_state state;
	/* Of one sync alone: */
	bool has_changed;  /* another state, or another bundle, than before */
	bool is_long_poll; /* the server holds requests until there is news */
	bool was_left;     /* bl_opa_leave took the state away meanwhile */
};

/* NOT_FOUND: no bundle was ever asked for here.  The state as of now. */
enum bl_status bl_opa_status(const struct bl_opa_place *place,
			     struct bl_arena *arena, struct bl_opa_state *out,
			     struct bl_error *err);

/* As an object of JSON (`belay opa status --json`); undefined: memory. */
struct bl_value bl_opa_state_value(const struct bl_opa_state *state,
				   struct bl_arena *arena);

/* Is a bundle in force?  Then the machine cannot be in a team. */
bool bl_opa_is_in_force(struct bl_str system_root, struct bl_str home,
			struct bl_arena *arena);

/* Takes bundle, record and state away. */
enum bl_status bl_opa_leave(const struct bl_opa_place *place,
			    struct bl_arena *arena, struct bl_error *err);

/* ---- syncing -------------------------------------------------------------------- */

struct bl_opa_client {
	struct bl_opa_place place;
	struct bl_http_client *http;
	bl_team_prepare_fn *prepare; /* checks policies; its arena is context */
	void *context;
	struct bl_str journal_dir;
	bool (*is_over)(void *of); /* asked now and then; may be NULL */
	void *of;
	bool is_following; /* long polls, where the configuration says so */
	/* Of the state that is followed; empty: not known yet.  bl_opa_follow's. */
	struct bl_str id;
};

/*
 * Asks once, puts a new bundle in force, then posts status and decisions.  OK
 * whatever the state is that it ends in; failures are of this machine: the
 * configuration, EXISTS when the machine is in a team, TIMEOUT when another sync
 * holds the lock, NOT_FOUND with out->was_left after a bl_opa_leave meanwhile,
 * memory.  *out_waiting says what could not be posted; LIMIT: what of the decision
 * log is left out for good.
 */
enum bl_status bl_opa_sync(const struct bl_opa_client *client,
			   const struct bl_opa_config *config,
			   struct bl_arena *arena, struct bl_opa_state *out,
			   struct bl_error *out_waiting, struct bl_error *err);

/* Reads client->place.config; DENIED when others can write it. */
enum bl_status bl_opa_read_config(const struct bl_opa_place *place,
				  struct bl_arena *arena,
				  struct bl_opa_config *out,
				  struct bl_error *err);

/* Told after each sync of bl_opa_follow. */
typedef void bl_opa_told_fn(void *of, const struct bl_opa_state *state,
			    const struct bl_error *waiting);

/*
 * Syncs again and again, with the configuration's delays, until is_over, or until
 * bl_opa_leave.  Failures are waited out, longer each time; those of the
 * configuration end it.
 */
enum bl_status bl_opa_follow(struct bl_opa_client *client, bl_opa_told_fn *told,
			     struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* opa/private.h: what the files of this module share. */
#ifndef BELAY_OPA_PRIVATE_H
#define BELAY_OPA_PRIVATE_H

#include "json/json.h"
#include "opa/opa.h"
#include "os/os.h"
#include "value/value.h"

enum {
	OPA_FILE_MODE = 0600,
	OPA_MANAGED_FILE_MODE = 0644,
};

#define OPA_BUNDLE_FILE "bundle.tar.gz"
#define OPA_NEW_FILE    "bundle.new.tar.gz"

/* One sync on its way. */
struct opa_sync {
	const struct bl_opa_client *client;
	const struct bl_opa_config *config;
	struct bl_opa_state *state;
	struct bl_arena *arena;
	struct bl_str key; /* SHA-256 of the key that verifies; or empty */
	int64_t now;
	/* Of the answer: */
	enum bl_team_state result;
	struct bl_str archive; /* empty: nothing new */
	struct bl_str etag;
	bool is_unmodified;
	int64_t retry_after_s;
	struct bl_error *err;
};

/* Fails the sync with a state. */
enum bl_status opa_refuse(struct opa_sync *sync, enum bl_team_state state,
			  const char *fmt, ...) BL_PRINTF(3, 4);

/* ---- config.c ----------------------------------------------------------------------- */

/* Can the text be a word of a header, or a path of a URL? */
bool opa_is_one_word(struct bl_str text);

/* ---- fetch.c ---------------------------------------------------------------------- */

struct opa_request {
	const struct bl_opa_service *service;
	struct bl_str resource;
	/* Instead, somewhere else: without the service's headers and certificate. */
	struct bl_str url;
	bool is_shown;             /* there, too: the service's credentials */
	const char *authorization; /* a header instead of the service's; NULL */
	const char *method;
	struct bl_str body;
	const char *const *headers; /* beside those of the service */
	size_t max_bytes;
	uint32_t timeout_ms;
};

/* OK when there is an answer, whatever its status. */
enum bl_status opa_call(const struct bl_opa_client *client,
			const struct opa_request *request,
			struct bl_arena *arena, struct bl_http_reply *out,
			struct bl_error *err);

/* GETs the bundle: archive and etag, or is_unmodified. */
enum bl_status opa_fetch(struct opa_sync *sync);

/* The state that an answer without a bundle means, with its text. */
enum bl_status opa_judge_failure(struct opa_sync *sync,
				 const struct bl_http_reply *reply);

/* ---- oci.c ------------------------------------------------------------------------ */

/* HOST[:PORT]/NAME:TAG or HOST[:PORT]/NAME@sha256:DIGEST */
struct opa_oci_name {
	struct bl_str repository;
	struct bl_str reference; /* the tag, or sha256:DIGEST */
};

bool opa_oci_parse(struct bl_str resource, struct opa_oci_name *out);

/* As opa_fetch, from a registry; the ETag is the manifest's digest. */
enum bl_status opa_oci_fetch(struct opa_sync *sync);

/* ---- credentials.c ---------------------------------------------------------------- */

enum { OPA_CREDENTIAL_HEADERS = 4 }; /* of a request, at most */

struct opa_asker {
	const struct bl_opa_client *client;
	const struct opa_request *request;
	struct bl_str url; /* all of the request's */
	struct bl_arena *arena;
	const char **headers; /* they are appended here */
	size_t *count;
	struct bl_error *err;
};

/*
 * Appends the headers that show who asks.  CONFIG: what the environment lacks;
 * NOT_FOUND and others of files; DENIED: the authorization server refused.
 */
enum bl_status opa_add_credentials(struct opa_asker *to);

/* After 401: what OAuth gave is good no more. */
void opa_forget_token(const struct bl_opa_service *service);

/* "Authorization: Basic ..." of a text; ptr NULL: memory. */
struct bl_str opa_basic_header(struct bl_str text, struct bl_arena *arena);

/* ---- install.c -------------------------------------------------------------------- */

/* Checks sync->archive, and writes it beside the one in force. */
enum bl_status opa_draft(struct opa_sync *sync);

/* From the archive that opa_draft wrote to a directory in force. */
enum bl_status opa_install(struct opa_sync *sync, struct bl_str sha256,
			   struct bl_bundle *out);

bool opa_is_in_place(struct opa_sync *sync);

/*
 * Puts the bundle in force again from the archive that was kept.  After a failure
 * the next sync asks for all of it.
 */
enum bl_status opa_repair(struct opa_sync *sync);

/* Writes the state into the record, when a bundle is in force. */
enum bl_status opa_note_use(struct opa_sync *sync);

/* Takes away all sets but those of state and record, drafts among them. */
void opa_clean(struct opa_sync *sync);

/* ---- state.c ---------------------------------------------------------------------- */

struct bl_str opa_path(const struct bl_opa_place *place, const char *name,
		       struct bl_arena *arena);

/* Without the file: an empty state, LOGGED_OUT, with a new id. */
enum bl_status opa_state_read(const struct bl_opa_place *place,
			      struct bl_arena *arena, struct bl_opa_state *out,
			      struct bl_error *err);
enum bl_status opa_state_write(const struct bl_opa_place *place,
			       const struct bl_opa_state *state,
			       struct bl_error *err);

/* Writes a file of the folder of state, which is made. */
enum bl_status opa_write_own(const struct bl_opa_place *place, const char *name,
			     struct bl_str text, struct bl_error *err);

enum bl_status opa_lock(const struct bl_opa_place *place,
			struct bl_arena *arena, int *out_fd,
			struct bl_error *err);

/* Does the directory in force have its files as written?  DENIED with the file. */
enum bl_status opa_check_in_place(const struct bl_opa_place *place,
				  struct bl_arena *arena, struct bl_error *err);

/* ---- post.c ----------------------------------------------------------------------- */

/* Status, then the records that the decision log does not have. */
enum bl_status opa_post(const struct bl_opa_client *client,
			const struct bl_opa_config *config,
			const struct bl_opa_state *state,
			struct bl_arena *arena, struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign_in.c: the two steps of a person's sign-in by a provider: away to it, and back
 * with a code.  Both are tied together by a row with the state's hash and a
 * cookie of this browser, so that nobody is signed in as somebody else by a link.
 * The provider is asked outside of any transaction.
 */
#include "server/oidc.h"
#include "server/session.h"

enum {
	LOGIN_MINUTES = 10,
	CHALLENGE_BYTES = 44,
};

static const char login_cookie[] = "belay-login";

/* Base64url without padding of a SHA-256: PKCE's S256. */
static void put_challenge(struct bl_str verifier, char out[CHALLENGE_BYTES])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				     "opqrstuvwxyz0123456789-_";
	uint8_t bytes[BL_SHA256_BYTES + 1] = { 0 };
	struct bl_sha256 sha;
	size_t len = 0;

	bl_sha256_init(&sha);
	bl_sha256_update(&sha, verifier.ptr, verifier.len);
	bl_sha256_end(&sha, bytes);
	for (size_t i = 0; i < BL_SHA256_BYTES; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16 |
				 (uint32_t)bytes[i + 1] << 8 |
				 (i + 2 < sizeof(bytes) ? bytes[i + 2] : 0U);

		for (int shift = 18; shift >= 0 && len < CHALLENGE_BYTES - 1;
		     shift -= 6)
			out[len++] = digits[group >> shift & 63];
	}
	out[len] = '\0';
}

static struct bl_str redirect_url(struct call *call)
{
	return bl_arena_printf(call->arena, "%.*s/auth/callback",
			       BL_STR_ARG(call->app->options.public_url));
}

static enum bl_status redirect_to(struct call *call, struct bl_str url)
{
	if (!url.ptr)
		return bl_fail_memory(&call->err);
	call->reply->status = 302;
	bl_server_reply_header(call->reply, "Location", url.ptr);
	bl_server_reply_header(call->reply, "Cache-Control", "no-store");
	return BL_OK;
}

/* GET /api/ways: how people can sign in. */
enum bl_status route_ways(struct call *call)
{
	bl_buf_printf(&call->out, "{\"provider\":%s}\n",
		      call->app->options.oidc_issuer.len ? "true" : "false");
	return call_send_json(call);
}

/* ---- away ----------------------------------------------------------------- */

struct secrets {
	char state[APP_TOKEN_BYTES];
	char state_hash[BL_SHA256_HEX_BYTES];
	char browser[APP_TOKEN_BYTES];
	char browser_hash[BL_SHA256_HEX_BYTES];
	char verifier[APP_TOKEN_BYTES];
	char nonce[APP_TOKEN_BYTES];
	char unused_hash[BL_SHA256_HEX_BYTES];
};

static enum bl_status make_secrets(struct secrets *out, struct bl_error *err)
{
	enum bl_status status =
		token_make('o', out->state, out->state_hash, err);

	if (!status)
		status = token_make('o', out->browser, out->browser_hash, err);
	if (!status)
		status = token_make('o', out->verifier, out->unused_hash, err);
	if (!status)
		status = token_make('o', out->nonce, out->unused_hash, err);
	return status;
}

static enum bl_status put_login(struct call *call,
				const struct secrets *secrets)
{
	struct bl_db *db;
	enum bl_status status =
		bl_db_begin(call->app->store, BL_DB_WRITE, &db, &call->err);

	if (status)
		return status;
	status = bl_db_run(
		db,
		BL_DB_QUERY("INSERT INTO login VALUES ($1, $2, $3, $4, $5)",
			    bl_db_text(bl_str(secrets->state_hash)),
			    bl_db_text(bl_str(secrets->browser_hash)),
			    bl_db_text(bl_str(secrets->verifier)),
			    bl_db_text(bl_str(secrets->nonce)),
			    bl_db_integer(call->now_ms)),
		NULL, &call->err);
	return bl_db_end(db, status, &call->err);
}

static struct bl_str authorization_url(struct call *call,
				       const struct oidc_endpoints *endpoints,
				       const struct secrets *secrets)
{
	char challenge[CHALLENGE_BYTES];
	struct bl_str url;
	struct bl_buf out;

	put_challenge(bl_str(secrets->verifier), challenge);
	bl_buf_init(&out, 0);
	bl_buf_put_str(&out, endpoints->authorization);
	bl_buf_puts(&out, bl_str_find(endpoints->authorization, BL_STR("?"),
				      0) == SIZE_MAX
				  ? "?"
				  : "&");
	bl_buf_puts(&out, "response_type=code&scope=openid%20email%20profile"
			  "&code_challenge_method=S256&client_id=");
	bl_http_put_escaped(&out, call->app->options.oidc_client);
	bl_buf_puts(&out, "&redirect_uri=");
	bl_http_put_escaped(&out, redirect_url(call));
	bl_buf_printf(&out, "&state=%s&nonce=%s&code_challenge=%s",
		      secrets->state, secrets->nonce, challenge);
	url = bl_arena_copy_str(call->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return url;
}

/* GET /auth/login */
enum bl_status route_login(struct call *call)
{
	struct oidc_endpoints endpoints;
	struct secrets secrets;
	struct bl_str cookie;
	enum bl_status status;

	if (!call->app->options.oidc_issuer.len)
		return bl_fail(&call->err, BL_NOT_FOUND,
			       "this server has no sign-in provider");
	status = oidc_discover(call, &endpoints);
	if (!status)
		status = make_secrets(&secrets, &call->err);
	if (!status)
		status = put_login(call, &secrets);
	if (status)
		return status;
	/* Lax: it comes back from another site, by a link. */
	cookie = bl_arena_printf(call->arena,
				 "%s=%s; Path=/auth; HttpOnly; SameSite=Lax%s; "
				 "Max-Age=%d",
				 login_cookie, secrets.browser,
				 call->app->is_secure ? "; Secure" : "",
				 LOGIN_MINUTES * 60);
	bl_server_reply_header(call->reply, "Set-Cookie", cookie.ptr);
	return redirect_to(call, authorization_url(call, &endpoints, &secrets));
}

/* ---- back ----------------------------------------------------------------- */

/* Takes the row of the state away, whatever comes of it. */
static enum bl_status take_login(struct call *call, struct bl_db *db,
				 struct oidc_login *out)
{
	struct bl_str state = call_query(call, "state");
	struct bl_str browser = bl_server_cookie(call->request, login_cookie);
	char state_hash[BL_SHA256_HEX_BYTES];
	char browser_hash[BL_SHA256_HEX_BYTES];
	struct bl_rows rows;
	enum bl_status status;

	if (!token_is_whole(state, state_hash) ||
	    !token_is_whole(browser, browser_hash))
		return call_refuse(call, 400,
				   "this sign-in was not begun in this "
				   "browser, or a while ago: start again");
	status = bl_db_ask(
		db,
		BL_DB_QUERY("DELETE FROM login WHERE state_hash = $1 RETURNING "
			    "browser_hash, verifier, nonce, created",
			    bl_db_text(bl_str(state_hash))),
		call->arena, &rows, &call->err);
	if (status)
		return status;
	out->verifier = bl_rows_text(&rows, 0, 1);
	out->nonce = bl_rows_text(&rows, 0, 2);
	/* Hashes of 256 random bits: comparing tells nothing by its time. */
	if (!rows.count ||
	    !bl_str_is(bl_rows_text(&rows, 0, 0), browser_hash) ||
	    call->now_ms - bl_rows_integer(&rows, 0, 3) >
		    (int64_t)LOGIN_MINUTES * MINUTE_MS)
		out->code = BL_STR("");
	return BL_OK;
}

static enum bl_status find_role(struct call *call, struct bl_db *db,
				const struct oidc_person *person,
				struct bl_str *out_id, enum app_role *out_role)
{
	const struct app_options *options = &call->app->options;
	char id[APP_ID_BYTES];
	struct bl_rows rows;
	enum bl_status status = bl_db_ask(
		db,
		/* A change: who takes the role away waits, and ends the session. */
		BL_DB_QUERY("UPDATE person SET name = $3 WHERE issuer = $1 AND "
			    "subject = $2 RETURNING id, role",
			    bl_db_text(options->oidc_issuer),
			    bl_db_text(person->subject),
			    bl_db_text(person->name)),
		call->arena, &rows, &call->err);

	if (status)
		return status;
	if (rows.count) {
		*out_id = bl_rows_text(&rows, 0, 0);
		*out_role = app_role_find(bl_rows_text(&rows, 0, 1));
		return BL_OK;
	}
	*out_role = person->email.len && bl_str_equal(person->email,
						      options->oidc_admin)
			    ? ROLE_ADMIN
			    : app_role_find(options->oidc_role);
	status = app_new_id(id, &call->err);
	*out_id = bl_arena_copy_str(call->arena, bl_str(id));
	if (!status)
		status = bl_db_run(
			db,
			BL_DB_QUERY(
				"INSERT INTO person VALUES ($1, $2, $3, $4, "
				"$5, $6, $7)",
				bl_db_text(*out_id),
				bl_db_text(options->oidc_issuer),
				bl_db_text(person->subject),
				bl_db_text(person->name),
				bl_db_text(person->email.ptr ? person->email
							     : BL_STR("")),
				bl_db_text(bl_str(
					*out_role & ROLE_PEOPLE
						? app_role_name(*out_role)
						: "none")),
				bl_db_integer(call->now_ms)),
			NULL, &call->err);
	return status;
}

/* A session for the person, when there is a role for them. */
static enum bl_status let_in(struct call *call,
			     const struct oidc_person *person)
{
	struct bl_str by;
	struct bl_str id = BL_STR("");
	enum app_role role = ROLE_NOBODY;
	struct bl_db *db;
	enum bl_status status =
		bl_db_begin(call->app->store, BL_DB_WRITE, &db, &call->err);

	if (status)
		return status;
	status = find_role(call, db, person, &id, &role);
	by = bl_arena_printf(call->arena, "person %.*s", BL_STR_ARG(id));
	if (!status && (role & ROLE_PEOPLE))
		status = session_begin(
			call, db,
			&(struct session_wish){
				.name = person->name, .role = role, .by = by });
	status = bl_db_end(db, status, &call->err);
	if (status)
		return status;
	return role & ROLE_PEOPLE
		       ? redirect_to(call, BL_STR("/"))
		       : call_refuse(call, 403,
				     "you are known now, but have no role yet: "
				     "an administrator gives you one");
}

/* GET /auth/callback?code=&state= */
enum bl_status route_callback(struct call *call)
{
	struct oidc_login login = { .code = call_query(call, "code"),
				    .redirect = redirect_url(call) };
	struct oidc_endpoints endpoints;
	struct oidc_person person = { 0 };
	struct bl_db *db;
	enum bl_status status =
		bl_db_begin(call->app->store, BL_DB_WRITE, &db, &call->err);

	if (status)
		return status;
	status = bl_db_end(db, take_login(call, db, &login), &call->err);
	if (status)
		return status;
	if (!login.code.len)
		return call_refuse(call, 400,
				   "this sign-in is not one that was begun "
				   "here: start again");
	status = oidc_discover(call, &endpoints);
	if (!status)
		status = oidc_exchange(call, &endpoints, &login, &person);
	return status ? status : let_in(call, &person);
}

/* ---- people --------------------------------------------------------------- */

/* GET /api/people */
enum bl_status route_people(struct call *call)
{
	return call_list(call, "people",
			 BL_DB_PLAIN("SELECT id, issuer, subject, name, email, "
				     "role, created FROM person ORDER BY name "
				     "LIMIT 1000"),
			 "id,issuer,subject,name,email,role,created#");
}

/* PUT /api/people/ID {"role"}: their sessions are over. */
enum bl_status route_person_role(struct call *call)
{
	struct bl_str id = call->request->parts[0];
	struct bl_str role = call_text(call, "role");
	struct bl_str by =
		bl_arena_printf(call->arena, "person %.*s", BL_STR_ARG(id));
	uint64_t changed = 0;
	enum bl_status status;

	if (!bl_str_is(role, "none") && !(app_role_find(role) & ROLE_PEOPLE))
		return bl_fail(&call->err, BL_INVALID,
			       "role is not one of admin, editor, auditor, "
			       "none");
	status = call_run(call,
			  BL_DB_QUERY("UPDATE person SET role = $1 WHERE id = "
				      "$2",
				      bl_db_text(role), bl_db_text(id)),
			  &changed);
	if (!status && !changed)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such person");
	if (!status)
		status = call_run(
			call,
			BL_DB_QUERY("UPDATE token SET revoked = $1 WHERE kind "
				    "= 's' AND created_by = $2",
				    bl_db_integer(call->now_ms),
				    bl_db_text(by)),
			NULL);
	if (!status)
		status = epoch_raise(call->db, &call->err);
	if (!status)
		status = audit_add(call, "person.role", id, BL_STR(""));
	return status ? status : call_send_member(call, "role", role);
}

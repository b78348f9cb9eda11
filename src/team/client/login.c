/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login.c: how a machine comes by its token: with an enrolment token, by a person
 * who confirms a code (RFC 8628), or with one that was made elsewhere.
 */
#include "base/hex.h"
#include "team/client/private.h"

enum {
	MAX_ANSWER_BYTES = 64 * 1024,
	KIND_AT = 4, /* of "blt_m..." */
	RANDOM_CHARS = 43,
	SUM_CHARS = 6,
	TOKEN_CHARS = KIND_AT + 1 + RANDOM_CHARS + SUM_CHARS,
	USUAL_INTERVAL_S = 5,
	HTTP_OK = 200,
	HTTP_BAD = 400,
	HTTP_CONFLICT = 409,
};

#define CLIENT_ID "belay"

/* ---- the form of a token ------------------------------------------------------------- */

static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz";

/* The CRC-32 of PNG and gzip. */
static uint32_t crc32_of(struct bl_str text)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < text.len; i++) {
		crc ^= (uint8_t)text.ptr[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
	}
	return ~crc;
}

bool bl_team_token_is_good(struct bl_str token)
{
	uint64_t sum = 0;

	if (token.len != TOKEN_CHARS ||
	    !bl_str_has_prefix(token, BL_STR("blt_")))
		return false;
	for (size_t i = KIND_AT; i < token.len; i++)
		if (!token.ptr[i] || !strchr(alphabet, token.ptr[i]))
			return false;
	for (size_t i = TOKEN_CHARS - SUM_CHARS; i < token.len; i++)
		sum = sum * (sizeof(alphabet) - 1) +
		      (uint64_t)(strchr(alphabet, token.ptr[i]) - alphabet);
	return sum == crc32_of(bl_str_slice(token, 0, TOKEN_CHARS - SUM_CHARS));
}

static enum bl_status check_token(struct bl_str token, char kind,
				  struct bl_error *err)
{
	if (!token.ptr || !bl_team_token_is_good(token))
		return bl_fail(err, BL_INVALID,
			       "this is not a token of belay, or it was not "
			       "copied whole");
	if (token.ptr[KIND_AT] != kind)
		return bl_fail(err, BL_INVALID,
			       "this token is of another kind: an enrolment "
			       "token begins with blt_e, a machine's with "
			       "blt_m");
	return BL_OK;
}

/* ---- signed in --------------------------------------------------------------------- */

/* In the keyring, or in a file where that may be. */
static enum bl_status keep_token(const struct bl_team_client *client,
				 enum bl_team_keeping keeping,
				 struct bl_team_account *account,
				 struct bl_str token, struct bl_error *err)
{
	enum bl_status status;

	account->has_keyring =
		!client->place.is_managed && keeping != BL_TEAM_IN_FILE;
	status = team_token_write(&client->place, account, token, err);
	if (!status || !account->has_keyring ||
	    keeping != BL_TEAM_IN_KEYRING_OR)
		return status;
	account->has_keyring = false;
	return team_token_write(&client->place, account, token, err);
}

enum bl_status bl_team_use_token(const struct bl_team_client *client,
				 const struct bl_team_login *login,
				 const struct bl_team_account *account,
				 struct bl_str token, struct bl_error *err)
{
	struct bl_team_account whole = *account;
	enum bl_status status = check_token(token, 'm', err);

	if (status)
		return status;
	if (!client->place.is_managed) {
		whole.ca_file = login->ca_file;
		whole.max_age_s = login->max_age_s;
		whole.aged = login->aged;
	}
	status = keep_token(client, login->keeping, &whole, token, err);
	return status ? status
		      : team_account_write(&client->place, &whole, err);
}

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

enum bl_status team_renew_token(struct team_session *session)
{
	const struct team_request request = { .method = "POST",
					      .path = BL_STR("/v1/machine/"
							     "token"),
					      .type = "application/json",
					      .body = BL_STR("{}"),
					      .max_bytes = MAX_ANSWER_BYTES };
	struct bl_http_reply reply = { .status = 0 };
	struct bl_value answer = bl_value_undefined();
	struct bl_str token;
	enum bl_status status = team_call(session, &request, &reply);

	if (!status)
		status = bl_json_read(session->arena, reply.body, NULL, &answer,
				      NULL, NULL, session->err);
	if (status)
		return status;
	token = text_of(answer, "machine_token");
	status = check_token(token, 'm', session->err);
	return status ? status
		      : team_token_write(&session->client->place,
					 session->account, token, session->err);
}

/* One exchange of a login, which has no account yet. */
struct login_call {
	const struct bl_team_client *client;
	const struct bl_team_login *login;
	struct bl_team_account account;
	struct bl_arena *arena;
	struct bl_value answer; /* an object; or undefined */
	int status;
	struct bl_error *err;
};

static enum bl_status post(struct login_call *call, const char *path,
			   const char *type, struct bl_str body)
{
	struct team_session session = { .client = call->client,
					.account = &call->account,
					.arena = call->arena,
					.err = call->err };
	struct team_request request = { .method = "POST",
					.path = bl_str(path),
					.type = type,
					.body = body,
					.max_bytes = MAX_ANSWER_BYTES };
	struct bl_json_options options = { .max_depth = 8 };
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status;

	call->account.server = call->login->server;
	call->account.ca_file = call->login->ca_file;
	status = team_session_begin(&session);
	if (!status)
		status = team_call(&session, &request, &reply);
	if (status)
		return status;
	call->status = reply.status;
	if (bl_json_read(call->arena, reply.body, &options, &call->answer, NULL,
			 NULL, NULL))
		call->answer = bl_value_undefined();
	return BL_OK;
}

static enum bl_status refuse_answer(struct login_call *call, const char *what)
{
	struct bl_str why = text_of(call->answer, "message");

	if (!why.len)
		why = text_of(call->answer, "error_description");
	if (!why.len)
		why = text_of(call->answer, "error");
	return bl_fail(call->err, BL_DENIED, "%s (status %d)%s%.*s", what,
		       call->status, why.len ? ": " : "", BL_STR_ARG(why));
}

/*
 * A machine that is in a team already stays in it, whatever the server says: it
 * gets a new token, and keeps its answer to the notice.  Managed, it keeps the
 * rest of root's file, too.
 */
static enum bl_status merge_account(struct login_call *call)
{
	struct bl_team_account before;
	enum bl_status status = bl_team_read_account(
		&call->client->place, call->arena, &before, call->err);

	if (status == BL_NOT_FOUND)
		return BL_OK;
	if (status)
		return status;
	if (!bl_str_equal(before.team_id, call->account.team_id) ||
	    !bl_str_equal(before.server, call->login->server))
		return bl_fail(call->err, BL_EXISTS,
			       "this machine is in the team '%.*s' at %.*s: "
			       "belay team logout, first",
			       BL_STR_ARG(before.team_id),
			       BL_STR_ARG(before.server));
	if (!call->client->place.is_managed) {
		call->account.accepted = before.accepted;
		return BL_OK;
	}
	before.machine_id = call->account.machine_id;
	before.labels = call->account.labels;
	before.label_count = call->account.label_count;
	call->account = before;
	return BL_OK;
}

/* The server's answer becomes this machine's account. */
static enum bl_status take_answer(struct login_call *call,
				  const char *token_name, struct bl_str pinned)
{
	struct bl_value answer = call->answer;
	struct bl_value labels = bl_object_find(answer, BL_STR("labels"));
	struct bl_team_account *account = &call->account;
	struct bl_str root = text_of(answer, "root_sha256");
	enum bl_status status;

	account->team_id = text_of(answer, "team_id");
	account->machine_id = text_of(answer, "machine_id");
	account->root_sha256 = pinned.len ? pinned : root;
	account->label_count = bl_value_count(labels);
	if (!account->team_id.len || !account->machine_id.len ||
	    account->label_count > BL_TEAM_MAX_LABELS)
		return refuse_answer(call, "the server's answer has no team "
					   "or no machine");
	if (pinned.len && root.len && !bl_str_equal(pinned, root))
		return bl_fail(call->err, BL_DENIED,
			       "the server's root is another one than the "
			       "token names");
	account->labels = bl_arena_new_array(call->arena, struct bl_str,
					     account->label_count + 1);
	if (!account->labels)
		return bl_arena_fail(call->arena, call->err);
	for (size_t i = 0; i < account->label_count; i++)
		account->labels[i] = bl_value_text(bl_value_item(labels, i));
	status = merge_account(call);
	if (status)
		return status;
	return bl_team_use_token(call->client, call->login, account,
				 text_of(answer, token_name), call->err);
}

/* ---- with an enrolment token ---------------------------------------------------------- */

/* "TOKEN#DIGEST" in its two parts. */
static enum bl_status split_token(struct bl_str *token, struct bl_str *pinned,
				  struct bl_error *err)
{
	uint8_t digest[BL_SHA256_BYTES];
	size_t at = bl_str_find(*token, BL_STR("#"), 0);

	*pinned = (struct bl_str){ NULL, 0 };
	if (at != SIZE_MAX) {
		*pinned = bl_str_slice(*token, at + 1, SIZE_MAX);
		*token = bl_str_slice(*token, 0, at);
		if (!bl_hex_decode(*pinned, digest, sizeof(digest)))
			return bl_fail(err, BL_INVALID,
				       "what follows the token's # is not a "
				       "digest of 64 digits");
	}
	return check_token(*token, 'e', err);
}

enum bl_status bl_team_enrol(const struct bl_team_client *client,
			     const struct bl_team_login *login,
			     struct bl_str token, struct bl_arena *arena,
			     struct bl_error *err)
{
	struct login_call call = {
		.client = client, .login = login, .arena = arena, .err = err
	};
	struct bl_object_builder object;
	struct bl_str pinned = { NULL, 0 };
	struct bl_buf body;
	enum bl_status status = split_token(&token, &pinned, err);

	if (status)
		return status;
	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("token"), bl_value_string(token));
	bl_object_builder_add(&object, BL_STR("host"),
			      bl_value_string(login->host));
	bl_object_builder_add(&object, BL_STR("user"),
			      bl_value_string(login->user));
	bl_buf_init(&body, 0);
	bl_json_write(&body, bl_object_builder_end(&object), BL_JSON_COMPACT);
	status = bl_buf_status(&body)
			 ? bl_fail_memory(err)
			 : post(&call, "/v1/enrol", "application/json",
				bl_buf_str(&body));
	bl_buf_clear(&body);
	if (status)
		return status;
	if (call.status == HTTP_CONFLICT)
		return bl_fail(err, BL_DENIED,
			       "this enrolment token was used before: ask for "
			       "a new one");
	if (call.status != HTTP_OK)
		return refuse_answer(&call, "the server did not enrol this "
					    "machine");
	return take_answer(&call, "machine_token", pinned);
}

/* ---- by a person ---------------------------------------------------------------------- */

/* NAME=VALUE, the value as a form has it. */
static void put_form(struct bl_buf *out, const char *name, struct bl_str value)
{
	static const char digits[] = "0123456789ABCDEF";

	bl_buf_printf(out, "%s%s=", out->len ? "&" : "", name);
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '-' || c == '_' ||
			     c == '.';

		if (!plain)
			bl_buf_put_char(out, '%');
		bl_buf_put_char(out, plain ? (char)c : digits[c >> 4]);
		if (!plain)
			bl_buf_put_char(out, digits[c & 15]);
	}
}

static enum bl_status post_form(struct login_call *call, const char *path,
				struct bl_buf *form)
{
	enum bl_status status =
		bl_buf_status(form)
			? bl_fail_memory(call->err)
			: post(call, path, "application/x-www-form-urlencoded",
			       bl_buf_str(form));

	bl_buf_clear(form);
	return status;
}

static int64_t seconds_of(struct bl_value answer, const char *name,
			  int64_t otherwise)
{
	int64_t seconds;

	return bl_number_is_plain(bl_object_find(answer, bl_str(name)),
				  &seconds) &&
			       seconds > 0
		       ? seconds
		       : otherwise;
}

enum bl_status bl_team_device_begin(const struct bl_team_client *client,
				    const struct bl_team_login *login,
				    struct bl_arena *arena,
				    struct bl_team_device *out,
				    struct bl_error *err)
{
	enum { USUAL_LIFE_S = 600 };
	struct login_call call = {
		.client = client, .login = login, .arena = arena, .err = err
	};
	struct bl_buf form;
	enum bl_status status;

	bl_buf_init(&form, 0);
	put_form(&form, "client_id", BL_STR(CLIENT_ID));
	put_form(&form, "host", login->host);
	put_form(&form, "user", login->user);
	status = post_form(&call, "/v1/device", &form);
	if (status)
		return status;
	*out = (struct bl_team_device){
		.device_code = text_of(call.answer, "device_code"),
		.user_code = text_of(call.answer, "user_code"),
		.uri = text_of(call.answer, "verification_uri"),
		.uri_complete =
			text_of(call.answer, "verification_uri_complete"),
		.expires_s =
			seconds_of(call.answer, "expires_in", USUAL_LIFE_S),
		.interval_s =
			seconds_of(call.answer, "interval", USUAL_INTERVAL_S),
	};
	if (call.status != HTTP_OK || !out->device_code.len ||
	    !out->user_code.len || !out->uri.len)
		return refuse_answer(&call, "the server gave no code");
	return BL_OK;
}

/* RFC 8628, 3.5: the errors and what they mean. */
static const struct {
	const char *error;
	int64_t slower_s;
	enum bl_status status; /* OK: go on asking */
	const char *text;
} answers[] = {
	{ "authorization_pending", 0, BL_OK, NULL },
	{ "slow_down", USUAL_INTERVAL_S, BL_OK, NULL },
	{ "access_denied", 0, BL_DENIED, "the code was refused" },
	{ "expired_token", 0, BL_TIMEOUT, "the code has expired: start again" },
	{ "invalid_grant", 0, BL_DENIED,
	  "the server does not know this code: start again" },
};

static enum bl_status judge_error(struct login_call *call,
				  struct bl_team_device *device)
{
	struct bl_str error = text_of(call->answer, "error");

	for (size_t i = 0; i < BL_COUNT(answers); i++) {
		if (!bl_str_is(error, answers[i].error))
			continue;
		device->interval_s += answers[i].slower_s;
		return answers[i].status ? bl_fail(call->err, answers[i].status,
						   "%s", answers[i].text)
					 : BL_OK;
	}
	return refuse_answer(call, "the server does not sign this machine in");
}

enum bl_status bl_team_device_poll(const struct bl_team_client *client,
				   const struct bl_team_login *login,
				   struct bl_team_device *device,
				   struct bl_arena *arena, bool *out_done,
				   struct bl_error *err)
{
	struct login_call call = {
		.client = client, .login = login, .arena = arena, .err = err
	};
	struct bl_buf form;
	enum bl_status status;

	*out_done = false;
	bl_buf_init(&form, 0);
	put_form(&form, "grant_type",
		 BL_STR("urn:ietf:params:oauth:grant-type:device_code"));
	put_form(&form, "device_code", device->device_code);
	put_form(&form, "client_id", BL_STR(CLIENT_ID));
	status = post_form(&call, "/v1/token", &form);
	/* No answer is not an answer: ask again, later. */
	if (status && status != BL_NO_MEMORY) {
		device->interval_s *= 2;
		return BL_OK;
	}
	if (status)
		return status;
	if (call.status == HTTP_BAD)
		return judge_error(&call, device);
	if (call.status != HTTP_OK)
		return refuse_answer(&call, "the server does not sign this "
					    "machine in");
	status = take_answer(&call, "access_token", (struct bl_str){ NULL, 0 });
	*out_done = !status;
	return status;
}

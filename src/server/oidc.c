/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oidc.c: what is asked of the provider: its endpoints, tokens for a code, its
 * keys, the person.  Nothing that it says is believed before the ID token's
 * signature and claims are (id_token.rego).
 */
#include "server/oidc.h"

#include "rego/rego.h"

enum {
	TIMEOUT_MS = 10000,
	MAX_ANSWER_BYTES = 256 * 1024,
	MAX_NAME = 128,
};

static const char *const no_headers[] = { NULL };

/* One exchange whose answer is a JSON object with status 200; without a body GET. */
static enum bl_status fetch(struct call *call, struct bl_str url,
			    const char *const *headers, struct bl_str body,
			    struct bl_value *out)
{
	struct bl_http_call ask = {
		.method = body.len ? "POST" : "GET",
		.url = url.ptr,
		.headers = headers,
		.body = body,
		.timeout_ms = TIMEOUT_MS,
		.max_answer_bytes = MAX_ANSWER_BYTES,
	};
	struct bl_http_client *client;
	struct bl_http_reply reply;
	enum bl_status status = bl_http_client_new(&client, &call->err);

	if (status)
		return status;
	status =
		bl_http_exchange(client, &ask, call->arena, &reply, &call->err);
	bl_http_client_free(client);
	if (status)
		return status;
	if (reply.end != BL_HTTP_ANSWERED || reply.status != 200)
		return bl_fail(&call->err, BL_SYSTEM,
			       "the sign-in provider: %s (status %d)",
			       reply.error[0] ? reply.error : "refused",
			       reply.status);
	status = bl_json_read(call->arena, reply.body, NULL, out, NULL, NULL,
			      &call->err);
	if (!status && !bl_value_is(*out, BL_KIND_OBJECT))
		status = bl_fail(&call->err, BL_SYSTEM,
				 "the sign-in provider did not answer with an "
				 "object");
	return status;
}

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

/* https, or this machine. */
static bool is_safe_url(struct bl_str url)
{
	static const char *const begins[] = {
		"https://",
		"http://127.0.0.1:", "http://localhost:", "http://[::1]:"
	};

	for (size_t i = 0; i < BL_COUNT(begins); i++)
		if (bl_str_has_prefix(url, bl_str(begins[i])))
			return true;
	return false;
}

/* Copies a URL of the discovery document; empty when it is missing. */
static enum bl_status take_url(struct call *call, struct bl_value document,
			       const char *name, struct bl_str *out)
{
	struct bl_str url = text_of(document, name);

	*out = bl_arena_copy_str(call->arena, url);
	if (!out->ptr)
		return bl_fail_memory(&call->err);
	return !url.len || is_safe_url(url)
		       ? BL_OK
		       : bl_fail(&call->err, BL_CONFIG,
				 "the sign-in provider's %s is not https",
				 name);
}

enum bl_status oidc_discover(struct call *call, struct oidc_endpoints *out)
{
	struct bl_str issuer = call->app->options.oidc_issuer;
	bool has_slash = issuer.len && issuer.ptr[issuer.len - 1] == '/';
	struct bl_str url = bl_arena_printf(
		call->arena, "%.*s%s.well-known/openid-configuration",
		BL_STR_ARG(issuer), has_slash ? "" : "/");
	struct bl_value document;
	enum bl_status status;

	if (!is_safe_url(issuer))
		return bl_fail(&call->err, BL_CONFIG,
			       "--oidc-issuer is not https");
	if (!url.ptr)
		return bl_fail_memory(&call->err);
	status = fetch(call, url, no_headers, BL_STR(""), &document);
	/* Byte for byte, a final slash included. */
	if (!status && !bl_str_equal(text_of(document, "issuer"), issuer))
		status = bl_fail(&call->err, BL_CONFIG,
				 "the sign-in provider calls itself by another "
				 "name than --oidc-issuer");
	if (!status)
		status = take_url(call, document, "authorization_endpoint",
				  &out->authorization);
	if (!status)
		status =
			take_url(call, document, "token_endpoint", &out->token);
	if (!status)
		status = take_url(call, document, "userinfo_endpoint",
				  &out->userinfo);
	if (!status)
		status = take_url(call, document, "jwks_uri", &out->keys);
	if (!status &&
	    (!out->authorization.len || !out->token.len || !out->keys.len))
		status = bl_fail(&call->err, BL_CONFIG,
				 "the sign-in provider lacks an endpoint");
	return status;
}

/* ---- the ID token --------------------------------------------------------- */

static struct bl_value make_input(struct call *call, struct bl_str token,
				  struct bl_str keys, struct bl_str nonce)
{
	struct bl_object_builder builder;

	bl_object_builder_init(&builder, call->arena);
	bl_object_builder_add(&builder, BL_STR("token"),
			      bl_value_string(token));
	bl_object_builder_add(&builder, BL_STR("keys"), bl_value_string(keys));
	bl_object_builder_add(&builder, BL_STR("nonce"),
			      bl_value_string(nonce));
	bl_object_builder_add(&builder, BL_STR("issuer"),
			      bl_value_string(call->app->options.oidc_issuer));
	bl_object_builder_add(&builder, BL_STR("client"),
			      bl_value_string(call->app->options.oidc_client));
	bl_object_builder_add(&builder, BL_STR("now"),
			      bl_value_integer(call->now_ms / SECOND_MS));
	return bl_object_builder_end(&builder);
}

/* The claims of a good token; DENIED. */
static enum bl_status check_token(struct call *call, struct bl_value input,
				  struct bl_value *out_claims)
{
	struct bl_rego_source source = { .file = BL_STR("id_token.rego"),
					 .text = bl_str(server_id_token) };
	struct bl_rego_options options = { .input = input };
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_diags diags;
	enum bl_status status;

	bl_diags_init(&diags, call->arena);
	status = bl_rego_compile(call->arena, &source, 1, NULL, &diags,
				 &policies, &call->err);
	if (!status)
		status = bl_rego_document(
			policies,
			bl_rego_find(policies,
				     BL_STR("belay.server.id_token.claims")),
			&options, call->arena, &result, &call->err);
	if (status)
		return status;
	if (!bl_value_is(result.document, BL_KIND_OBJECT))
		return bl_fail(&call->err, BL_DENIED,
			       "the provider's ID token is not good for us");
	*out_claims = result.document;
	return BL_OK;
}

/* ---- the person ----------------------------------------------------------- */

/* Many providers say the address only here; it must be of the same person. */
static enum bl_status ask_userinfo(struct call *call, struct bl_str url,
				   struct bl_str access,
				   struct bl_value *claims)
{
	struct bl_str header = bl_arena_printf(
		call->arena, "Authorization: Bearer %.*s", BL_STR_ARG(access));
	const char *const headers[] = { header.ptr, NULL };
	struct bl_value said;
	enum bl_status status;

	if (!header.ptr)
		return bl_fail_memory(&call->err);
	status = fetch(call, url, headers, BL_STR(""), &said);
	if (status)
		return status;
	if (!bl_str_equal(text_of(said, "sub"), text_of(*claims, "sub")))
		return bl_fail(&call->err, BL_DENIED,
			       "the provider speaks of another person");
	*claims = said;
	return BL_OK;
}

static void take_person(struct call *call, struct bl_value claims,
			struct oidc_person *out)
{
	out->subject = text_of(claims, "sub");
	if (bl_value_is_true(bl_object_find(claims, BL_STR("email_verified"))))
		out->email = text_of(claims, "email");
	out->name = text_of(claims, "name");
	if (!out->name.len)
		out->name = out->email.len ? out->email : out->subject;
	out->name = app_clean_text(call->arena, out->name, MAX_NAME);
}

static enum bl_status ask_tokens(struct call *call,
				 const struct oidc_endpoints *endpoints,
				 const struct oidc_login *login,
				 struct bl_value *out)
{
	static const char *const headers[] = {
		"Content-Type: application/x-www-form-urlencoded",
		"Accept: application/json", NULL
	};
	const struct {
		const char *name;
		struct bl_str value;
	} fields[] = {
		{ "grant_type", BL_STR("authorization_code") },
		{ "code", login->code },
		{ "redirect_uri", login->redirect },
		{ "code_verifier", login->verifier },
		{ "client_id", call->app->options.oidc_client },
		{ "client_secret", call->app->options.oidc_secret },
	};
	enum bl_status status;
	struct bl_buf form;

	bl_buf_init(&form, 0);
	for (size_t i = 0; i < BL_COUNT(fields); i++) {
		if (!fields[i].value.len)
			continue;
		bl_buf_printf(&form, "%s%s=", i ? "&" : "", fields[i].name);
		bl_http_put_escaped(&form, fields[i].value);
	}
	status = bl_buf_status(&form) ? bl_fail_memory(&call->err)
				      : fetch(call, endpoints->token, headers,
					      bl_buf_str(&form), out);
	bl_buf_clear(&form);
	return status;
}

enum bl_status oidc_exchange(struct call *call,
			     const struct oidc_endpoints *endpoints,
			     const struct oidc_login *login,
			     struct oidc_person *out)
{
	struct bl_value tokens;
	struct bl_value keys;
	struct bl_value claims;
	struct bl_str keys_text;
	enum bl_status status = ask_tokens(call, endpoints, login, &tokens);

	if (!status)
		status = fetch(call, endpoints->keys, no_headers, BL_STR(""),
			       &keys);
	if (status)
		return status;
	keys_text = app_json(call->arena, keys);
	if (!keys_text.ptr)
		return bl_fail_memory(&call->err);
	status = check_token(call,
			     make_input(call, text_of(tokens, "id_token"),
					keys_text, login->nonce),
			     &claims);
	if (!status && !text_of(claims, "email").len && endpoints->userinfo.len)
		status = ask_userinfo(call, endpoints->userinfo,
				      text_of(tokens, "access_token"), &claims);
	if (!status)
		take_person(call, claims, out);
	return status;
}

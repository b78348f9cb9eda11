/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/oidc.h: signing people in by a company's provider (OpenID Connect, code
 * flow with PKCE).
 */
#ifndef BELAY_SERVER_OIDC_H
#define BELAY_SERVER_OIDC_H

#include "server/app.h"

/* The policy that says whether an ID token is good (id_token.rego). */
extern const char server_id_token[];

struct oidc_endpoints {
	struct bl_str authorization;
	struct bl_str token;
	struct bl_str userinfo; /* empty: the provider lacks it */
	struct bl_str keys;     /* jwks_uri */
};

/* Asks the provider what it offers.  Texts are in arena. */
enum bl_status oidc_discover(struct call *call, struct oidc_endpoints *out);

struct oidc_login {
	struct bl_str code;
	struct bl_str verifier;
	struct bl_str nonce;
	struct bl_str redirect;
};

struct oidc_person {
	struct bl_str subject;
	struct bl_str name;
	struct bl_str email; /* empty unless the provider has verified it */
};

/* Changes the code for tokens, and checks them.  DENIED with the reason. */
enum bl_status oidc_exchange(struct call *call,
			     const struct oidc_endpoints *endpoints,
			     const struct oidc_login *login,
			     struct oidc_person *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/external/http_request.h: from the object of http.send to a request. */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_HTTP_REQUEST_H
#define BELAY_REGO_BUILTINS_EXTERNAL_HTTP_REQUEST_H

#include "rego/builtins/external/functions.h"
#include "rego/builtins/host.h"

/* The request of http.send. */
struct bl_http_wish {
	struct bl_rego_http_request request;
	bool redirects;
	bool as_json; /* whatever the answer says it is */
	bool as_yaml;
};

/* Checks all keys, in OPA's words.  False: a fault. */
bool bl_rego_http_read_wish(struct bl_builtin_call *call,
			    struct bl_http_wish *out);

/*
 * Takes text apart and puts url, host, port and is_tls of request together
 * again, so that whoever sends it sees the host that was looked at.  False: a
 * fault.
 */
bool bl_rego_http_read_url(struct bl_builtin_call *call, struct bl_str text,
			   struct bl_rego_http_request *request);

/* May policies reach it?  Else: the fault "disallowed host: NAME". */
bool bl_rego_http_is_allowed(struct bl_builtin_call *call, struct bl_str host);

#endif

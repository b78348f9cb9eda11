/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: checks of their parameters, and http.send, which has no network. */
#include <stdio.h>

#include "rego/builtins/parameters.h"

bool bl_parameters_none(struct bl_builtin_call *call, size_t n,
			const char *text, struct bl_array_builder *list)
{
	struct bl_value set =
		bl_set_make(call->arena, list->items, list->count);
	struct bl_buf out;

	if (!list->count && !list->failed)
		return true;
	bl_buf_init(&out, 0);
	bl_text_form_put(&out, set);
	bl_builtin_fault(call, BL_FAULT_TYPE, "operand %zu %s: %s", n, text,
			 out.ptr);
	bl_buf_clear(&out);
	return false;
}

bool bl_parameters_required(struct bl_builtin_call *call, size_t n,
			    const char *what, const char *const *keys,
			    size_t count)
{
	struct bl_array_builder missing;
	struct bl_array_builder invalid;
	char text[128];

	bl_array_builder_init(&missing, call->arena);
	bl_array_builder_init(&invalid, call->arena);
	for (size_t i = 0; i < count; i++) {
		struct bl_value key = bl_value_string(bl_str(keys[i]));
		struct bl_value value =
			bl_object_find_value(call->args[n - 1], key);

		if (!bl_value_is_defined(value))
			bl_array_builder_add(&missing, key);
		else if (!bl_value_is(value, BL_KIND_STRING))
			bl_array_builder_add(&invalid, key);
	}
	snprintf(text, sizeof(text), "missing required %s", what);
	if (!bl_parameters_none(call, n, text, &missing))
		return false;
	snprintf(text, sizeof(text), "invalid values for required %s", what);
	return bl_parameters_none(call, n, text, &invalid);
}

static const char *const known_keys[] = {
	"method",
	"url",
	"body",
	"enable_redirect",
	"force_json_decode",
	"force_yaml_decode",
	"headers",
	"raw_body",
	"tls_use_system_certs",
	"tls_ca_cert",
	"tls_ca_cert_file",
	"tls_ca_cert_env_variable",
	"tls_client_cert",
	"tls_client_cert_file",
	"tls_client_cert_env_variable",
	"tls_client_key",
	"tls_client_key_file",
	"tls_client_key_env_variable",
	"tls_insecure_skip_verify",
	"tls_server_name",
	"timeout",
	"cache",
	"force_cache",
	"force_cache_duration_seconds",
	"raise_error",
	"caching_mode",
	"max_retry_attempts",
	"cache_ignored_headers",
};

static bool is_known(struct bl_value key)
{
	for (size_t i = 0; i < BL_COUNT(known_keys); i++) {
		if (bl_str_is(bl_value_text(key), known_keys[i]))
			return true;
	}
	return false;
}

bool bl_fn_http_send(struct bl_builtin_call *call)
{
	static const char *const required[] = { "url" };
	struct bl_value request = call->args[0];
	struct bl_array_builder unknown;

	bl_array_builder_init(&unknown, call->arena);
	for (size_t i = 0; i < bl_value_count(request); i++) {
		struct bl_value key = bl_object_key(request, i);

		if (!is_known(key))
			bl_array_builder_add(&unknown, key);
	}
	return bl_parameters_none(call, 1, "invalid request parameters(s)",
				  &unknown) &&
	       bl_parameters_required(call, 1, "request parameters(s)",
				      required, BL_COUNT(required)) &&
	       bl_builtin_fault(call, BL_FAULT_CANCEL,
				"requests are not supported here");
}

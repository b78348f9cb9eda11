/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c: what configurations say about a webhook. */
#include "webhook/webhook.h"

static bool is_path(struct bl_str text)
{
	return text.len > 0 && text.ptr[0] == '/' &&
	       !memchr(text.ptr, 0, text.len);
}

static bool is_variable(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    c != '_' && !(i > 0 && c >= '0' && c <= '9'))
			return false;
	}
	return text.len > 0;
}

bool bl_webhook_read_secret(struct bl_str text, struct bl_webhook *webhook)
{
	size_t colon = bl_str_find(text, BL_STR(":"), 0);
	struct bl_str where = bl_str_slice(
		text, colon == SIZE_MAX ? colon : colon + 1, SIZE_MAX);

	if (bl_str_has_prefix(text, BL_STR("file:")) && is_path(where))
		webhook->secret_file = where;
	else if (bl_str_has_prefix(text, BL_STR("env:")) && is_variable(where))
		webhook->secret_env = where;
	else
		return false;
	return true;
}

struct bl_str bl_webhook_print_secret(const struct bl_webhook *webhook,
				      struct bl_arena *arena)
{
	bool is_file = webhook->secret_file.len > 0;
	struct bl_str where =
		is_file ? webhook->secret_file : webhook->secret_env;

	return bl_arena_printf(arena, "%s:%.*s", is_file ? "file" : "env",
			       BL_STR_ARG(where));
}

bool bl_webhook_is_ca_file(struct bl_str text)
{
	static const char special[] = " \t\r\n\"'\\$`;&|<>()*?[]#~{}";

	for (size_t i = 0; i < text.len; i++) {
		/* With its NUL. */
		if (memchr(special, text.ptr[i], sizeof(special)))
			return false;
	}
	return is_path(text);
}

enum bl_status bl_webhook_read_addresses(struct bl_value value,
					 struct bl_arena *arena,
					 struct bl_webhook *webhook,
					 struct bl_error *err)
{
	size_t count = bl_value_count(value);
	struct bl_network *networks;

	if (!bl_value_is(value, BL_KIND_ARRAY) ||
	    count > BL_WEBHOOK_MAX_ADDRESSES)
		return bl_fail(err, BL_INVALID,
			       "it must be an array of at most %d strings",
			       BL_WEBHOOK_MAX_ADDRESSES);
	networks = bl_arena_new_array(arena, struct bl_network, count);
	if (!networks)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++) {
		enum bl_status status =
			bl_network_parse(bl_value_text(bl_value_item(value, i)),
					 &networks[i], err);

		if (status != BL_OK)
			return status;
	}
	webhook->allowed = (struct bl_networks){ networks, count };
	webhook->addresses = value;
	return BL_OK;
}

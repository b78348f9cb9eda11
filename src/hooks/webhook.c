/* SPDX-License-Identifier: Apache-2.0 */
/* webhook.c: the keys of a hook that is posted instead of run. */
#include "hooks/internal.h"

enum { MAX_ADDRESSES = 64 };

void bl_hook_entry_begin_webhook(struct bl_hook_entry *entry)
{
	entry->hook->type = BL_HOOK_WEBHOOK;
	entry->hook->webhook =
		bl_arena_new(entry->text->arena, struct bl_webhook);
	if (!entry->hook->webhook) {
		entry->text->diags->out_of_memory = true;
		entry->good = false;
	}
}

/* False for other hooks, on which the key has no effect. */
static bool is_webhook(struct bl_hook_entry *entry, struct bl_value value,
		       struct bl_place place, const char *key)
{
	if (entry->hook->type == BL_HOOK_WEBHOOK)
		return entry->hook->webhook;
	if (bl_value_is_defined(value))
		bl_hook_entry_report(entry, BL_RULE_WEBHOOK_KEY, place,
				     bl_str(key));
	return false;
}

void bl_hook_entry_check_url(struct bl_hook_entry *entry, struct bl_value value,
			     struct bl_place place)
{
	struct bl_webhook *webhook = entry->hook->webhook;
	struct bl_error err = { 0 };
	enum bl_status status;

	if (!is_webhook(entry, value, place, "url"))
		return;
	if (!bl_value_is(value, BL_KIND_STRING)) {
		bl_hook_entry_report(entry, BL_RULE_URL_STRING, place,
				     BL_STR("url"));
		return;
	}
	status = bl_http_url_parse(bl_value_text(value), entry->text->arena,
				   &webhook->url, &err);
	if (status == BL_INVALID)
		bl_hook_entry_report(entry, BL_RULE_URL, place,
				     bl_str(err.message));
	else if (status != BL_OK)
		entry->text->diags->out_of_memory = true;
	entry->good = entry->good && status == BL_OK;
	entry->hook->command = webhook->url.text;
}

/* ---- secrets ------------------------------------------------------ */

static bool is_path(struct bl_str text)
{
	return bl_path_is_absolute(text) && !memchr(text.ptr, 0, text.len);
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

static bool read_reference(struct bl_str text, struct bl_webhook *webhook)
{
	struct bl_str where =
		bl_str_slice(text, bl_str_find(text, BL_STR(":"), 0), SIZE_MAX);

	where = bl_str_slice(where, 1, SIZE_MAX);
	if (bl_str_has_prefix(text, BL_STR("file:")) && is_path(where))
		webhook->secret_file = where;
	else if (bl_str_has_prefix(text, BL_STR("env:")) && is_variable(where))
		webhook->secret_env = where;
	else
		return false;
	return true;
}

/*
 * What is no reference may be the secret itself: the finding has neither the
 * text nor its place, since the line would be shown.
 */
void bl_hook_entry_check_secret(struct bl_hook_entry *entry,
				struct bl_value value, struct bl_place place)
{
	struct bl_place nowhere = { 0 };

	if (!is_webhook(entry, value, nowhere, "secret"))
		return;
	if (!bl_value_is_defined(value))
		bl_hook_entry_report(entry, BL_RULE_SECRET_MISSING, place,
				     BL_STR("secret"));
	else if (!bl_value_is(value, BL_KIND_STRING) ||
		 !read_reference(bl_value_text(value), entry->hook->webhook))
		bl_hook_entry_report(entry, BL_RULE_SECRET_LITERAL, nowhere,
				     BL_STR("secret"));
}

/* ---- the server ----------------------------------------------------- */

/* It is pinned as a word of a command, where these would mean something. */
static bool is_plain_word(struct bl_str text)
{
	static const char special[] = " \t\r\n\"'\\$`;&|<>()*?[]#~{}";

	for (size_t i = 0; i < text.len; i++) {
		if (memchr(special, text.ptr[i], sizeof(special)))
			return false;
	}
	return true;
}

void bl_hook_entry_check_ca_file(struct bl_hook_entry *entry,
				 struct bl_value value, struct bl_place place)
{
	struct bl_str text = bl_value_text(value);

	if (!is_webhook(entry, value, place, "ca_file") ||
	    !bl_value_is_defined(value))
		return;
	if (bl_path_is_absolute(text) && is_plain_word(text))
		entry->hook->webhook->ca_file = text;
	else
		bl_hook_entry_report(entry, BL_RULE_CA_FILE, place, text);
}

static void report_addresses(struct bl_hook_entry *entry, struct bl_place place)
{
	bl_hook_entry_report(
		entry, BL_RULE_ADDRESSES, place,
		bl_arena_printf(entry->text->arena, "%d", MAX_ADDRESSES));
}

void bl_hook_entry_check_addresses(struct bl_hook_entry *entry,
				   struct bl_value value, struct bl_place place)
{
	size_t count = bl_value_count(value);
	struct bl_network *networks;

	if (!is_webhook(entry, value, place, "allow_addresses") ||
	    !bl_value_is_defined(value))
		return;
	if (!bl_field_type_accepts(BL_FIELD_STRINGS, value) ||
	    count > MAX_ADDRESSES) {
		report_addresses(entry, place);
		return;
	}
	networks = bl_arena_new_array(entry->text->arena, struct bl_network,
				      count);
	if (!networks) {
		entry->text->diags->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct bl_error err = { 0 };

		if (bl_network_parse(bl_value_text(bl_value_item(value, i)),
				     &networks[i], &err) != BL_OK)
			bl_hook_entry_report(entry, BL_RULE_ADDRESS, place,
					     bl_str(err.message));
	}
	entry->hook->webhook->allowed = (struct bl_networks){ networks, count };
	entry->hook->webhook->addresses = value;
}

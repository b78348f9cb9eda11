/* SPDX-License-Identifier: Apache-2.0 */
/* webhook.c: the keys of a hook that is posted instead of run. */
#include "sources/hooks/private.h"

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

/* Where a URL may hold a password, its line is not shown. */
static struct bl_place url_place(struct bl_str url, struct bl_place place)
{
	place.is_secret = bl_str_find(url, BL_STR("@"), 0) != SIZE_MAX;
	return place;
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
		bl_hook_entry_report(entry, BL_RULE_URL,
				     url_place(bl_value_text(value), place),
				     bl_str(err.message));
	else if (status != BL_OK)
		entry->text->diags->out_of_memory = true;
	entry->good = entry->good && status == BL_OK;
	entry->hook->command = webhook->url.text;
}

/* ---- secrets ------------------------------------------------------ */

/* Text that is not a reference may be the secret itself: its line is not shown. */
void bl_hook_entry_check_secret(struct bl_hook_entry *entry,
				struct bl_value value, struct bl_place place)
{
	struct bl_place hidden = place;

	hidden.is_secret = true;
	if (!is_webhook(entry, value, hidden, "secret"))
		return;
	if (!bl_value_is_defined(value))
		bl_hook_entry_report(entry, BL_RULE_SECRET_MISSING, place,
				     BL_STR("secret"));
	else if (!bl_value_is(value, BL_KIND_STRING) ||
		 !bl_webhook_read_secret(bl_value_text(value),
					 entry->hook->webhook))
		bl_hook_entry_report(entry, BL_RULE_SECRET_LITERAL, hidden,
				     BL_STR("secret"));
}

/* ---- the server ----------------------------------------------------- */

void bl_hook_entry_check_ca_file(struct bl_hook_entry *entry,
				 struct bl_value value, struct bl_place place)
{
	struct bl_str text = bl_value_text(value);

	if (!is_webhook(entry, value, place, "ca_file") ||
	    !bl_value_is_defined(value))
		return;
	if (bl_webhook_is_ca_file(text))
		entry->hook->webhook->ca_file = text;
	else
		bl_hook_entry_report(entry, BL_RULE_CA_FILE, place, text);
}

void bl_hook_entry_check_addresses(struct bl_hook_entry *entry,
				   struct bl_value value, struct bl_place place)
{
	struct bl_error err = { 0 };
	enum bl_status status;

	if (!is_webhook(entry, value, place, "allow_addresses") ||
	    !bl_value_is_defined(value))
		return;
	status = bl_webhook_read_addresses(value, entry->text->arena,
					   entry->hook->webhook, &err);
	if (status == BL_INVALID)
		bl_hook_entry_report(entry, BL_RULE_ADDRESSES, place,
				     bl_str(err.message));
	else if (status != BL_OK)
		entry->text->diags->out_of_memory = true;
}

/* ---- the machine's settings ----------------------------------------- */

static void report(const struct bl_hook_options *options,
		   struct bl_diags *diags, struct bl_str file,
		   enum bl_hook_rule rule, struct bl_str subject)
{
	struct bl_diag_source source = { .file = file };
	struct bl_hook_finding finding = { .subject = subject };

	bl_hook_report(diags, options->profile, &source, rule, &finding);
}

enum bl_status bl_hook_apply_settings(const struct bl_hook_options *options,
				      struct bl_hook_list *hooks,
				      struct bl_diags *diags,
				      struct bl_arena *arena,
				      struct bl_error *err)
{
	struct bl_webhook_settings settings = { .path = { NULL, 0 } };
	enum bl_status status = BL_OK;

	for (size_t i = 0; status == BL_OK && i < hooks->count; i++) {
		const struct bl_hook *hook = &hooks->items[i];

		if (!hook->webhook)
			continue;
		if (!settings.path.ptr) {
			status = bl_webhook_settings_read(
				options->system_root, arena, &settings, err);
			if (status != BL_OK)
				return status;
			if (settings.broken.len > 0)
				report(options, diags, settings.path,
				       BL_RULE_SETTINGS, settings.broken);
		}
		status = bl_webhook_settings_apply(&settings, hook->webhook,
						   arena, err);
		if (hook->webhook->refused.len > 0 && settings.broken.len == 0)
			report(options, diags, hook->file->path, BL_RULE_HOST,
			       hook->webhook->refused);
	}
	return status;
}

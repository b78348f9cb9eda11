/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c: what the machine's owner says about webhooks
 * (docs/formats/webhook.md): {"version": 1, "hosts": [...], "addresses": [...]}.
 * Every key it has narrows what hook files may ask for; without the file they
 * may ask for all.  A file that cannot be used forbids everything.
 */
#include "hooks/internal.h"

static const char *const paths[BL_PLATFORM_COUNT] = {
	[BL_PLATFORM_LINUX] = "/etc/belay/webhooks.json",
	[BL_PLATFORM_MACOS] =
		"/Library/Application Support/belay/webhooks.json",
	[BL_PLATFORM_WINDOWS] = "C:/ProgramData/belay/webhooks.json",
};

enum { MAX_ITEMS = 1000 };

struct settings {
	const struct bl_hook_options *options;
	struct bl_arena *arena;
	struct bl_diags *diags;
	struct bl_hook_file file;
	struct bl_value hosts; /* array of strings, or undefined: any */
	const struct bl_networks *most;
	struct bl_str broken; /* why it cannot be used; empty: it can */
};

struct bl_str bl_hook_settings_path(const struct bl_hook_options *options,
				    struct bl_arena *arena)
{
	return bl_arena_printf(arena, "%.*s%s",
			       BL_STR_ARG(options->system_root),
			       paths[bl_os_platform()]);
}

/* ---- reading ------------------------------------------------------ */

static bool break_off(struct settings *settings, const char *why)
{
	settings->broken = bl_arena_copy_str(settings->arena, bl_str(why));
	return false;
}

static bool check_version(struct settings *settings, struct bl_value value)
{
	return bl_number_to_double(value) == 1 ||
	       break_off(settings, "version must be 1");
}

static bool is_list(struct bl_value value)
{
	return bl_field_type_accepts(BL_FIELD_STRINGS, value) &&
	       bl_value_count(value) <= MAX_ITEMS;
}

static bool read_hosts(struct settings *settings, struct bl_value value)
{
	settings->hosts = value;
	return is_list(value) ||
	       break_off(settings, "hosts must be an array of strings");
}

static bool read_addresses(struct settings *settings, struct bl_value value)
{
	size_t count = bl_value_count(value);
	struct bl_networks *most =
		bl_arena_new(settings->arena, struct bl_networks);
	struct bl_network *items =
		bl_arena_new_array(settings->arena, struct bl_network, count);

	if (!is_list(value))
		return break_off(settings,
				 "addresses must be an array of strings");
	if (!most || !items)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct bl_error err = { 0 };

		if (bl_network_parse(bl_value_text(bl_value_item(value, i)),
				     &items[i], &err) != BL_OK)
			return break_off(settings, err.message);
	}
	*most = (struct bl_networks){ items, count };
	settings->most = most;
	return true;
}

static const struct {
	const char *name;
	bool (*read)(struct settings *settings, struct bl_value value);
} keys[] = {
	{ "version", check_version },
	{ "hosts", read_hosts },
	{ "addresses", read_addresses },
};

/* An unknown key may be a misspelt one that was meant to forbid something. */
static bool read_key(struct settings *settings, struct bl_value root, size_t i)
{
	struct bl_str key = bl_value_text(bl_object_key(root, i));

	for (size_t k = 0; k < BL_COUNT(keys); k++) {
		if (bl_str_is(key, keys[k].name))
			return keys[k].read(settings, bl_object_value(root, i));
	}
	return break_off(settings,
			 "it has a key that is none of version, hosts and "
			 "addresses");
}

static void read_document(struct settings *settings, struct bl_str text)
{
	struct bl_json_options options = {
		.max_depth = (uint32_t)settings->options->limits->json_depth,
	};
	struct bl_error err = { 0 };
	struct bl_value root;

	if (bl_json_read(settings->arena, text, &options, &root, NULL, NULL,
			 &err) != BL_OK) {
		break_off(settings, err.message);
		return;
	}
	if (!bl_value_is(root, BL_KIND_OBJECT) ||
	    !bl_value_is_defined(bl_object_find(root, BL_STR("version")))) {
		break_off(settings, "it is no object with a version");
		return;
	}
	for (size_t i = 0; i < bl_value_count(root); i++) {
		if (!read_key(settings, root, i))
			return;
	}
}

static void report(struct settings *settings, const struct bl_hook_file *file,
		   enum bl_hook_rule rule, struct bl_str subject)
{
	struct bl_diag_source source = { .file = file->path };
	struct bl_finding finding = { .subject = subject };

	bl_hook_report(settings->diags, settings->options->profile, &source,
		       rule, &finding);
}

static enum bl_status read_settings(struct settings *settings,
				    struct bl_error *err)
{
	struct bl_hook_file *file = &settings->file;
	struct bl_str text = { NULL, 0 };
	enum bl_status status;

	*file = (struct bl_hook_file){
		.source = BL_SOURCE_ENTERPRISE,
		.state = BL_HOOK_FILE_MISSING,
		.path = bl_hook_settings_path(settings->options,
					      settings->arena),
	};
	if (!file->path.ptr)
		return bl_arena_fail(settings->arena, err);
	status = bl_hook_read(settings->options, file, settings->diags,
			      settings->arena, &text, err);
	if (status != BL_OK || file->state == BL_HOOK_FILE_MISSING)
		return status;
	if (file->state == BL_HOOK_FILE_LOADED)
		read_document(settings, text);
	else
		settings->broken = file->why;
	if (bl_arena_status(settings->arena) != BL_OK)
		return bl_arena_fail(settings->arena, err);
	if (settings->broken.len > 0)
		report(settings, file, BL_RULE_SETTINGS, settings->broken);
	return BL_OK;
}

/* ---- applying ----------------------------------------------------- */

static bool names_host(const struct settings *settings,
		       const struct bl_http_url *url)
{
	if (!bl_value_is_defined(settings->hosts))
		return true;
	for (size_t i = 0; i < bl_value_count(settings->hosts); i++) {
		if (bl_http_host_matches(
			    bl_value_text(bl_value_item(settings->hosts, i)),
			    url))
			return true;
	}
	return false;
}

static bool apply(struct settings *settings, const struct bl_hook *hook)
{
	struct bl_webhook *webhook = hook->webhook;

	webhook->most = settings->most;
	if (settings->broken.len > 0) {
		webhook->refused = bl_arena_printf(
			settings->arena, "%.*s cannot be used: %.*s",
			BL_STR_ARG(settings->file.path),
			BL_STR_ARG(settings->broken));
		return webhook->refused.ptr;
	}
	if (names_host(settings, &webhook->url))
		return true;
	webhook->refused = bl_arena_printf(
		settings->arena, "%.*s does not name its host %.*s",
		BL_STR_ARG(settings->file.path), BL_STR_ARG(webhook->url.host));
	if (!webhook->refused.ptr)
		return false;
	report(settings, hook->file, BL_RULE_HOST, webhook->refused);
	return true;
}

enum bl_status bl_hook_settings_apply(const struct bl_hook_options *options,
				      struct bl_hook_list *hooks,
				      struct bl_diags *diags,
				      struct bl_arena *arena,
				      struct bl_error *err)
{
	struct settings settings = { .options = options,
				     .arena = arena,
				     .diags = diags,
				     .hosts = bl_value_undefined() };
	bool has_read = false;

	for (size_t i = 0; i < hooks->count; i++) {
		enum bl_status status = BL_OK;

		if (!hooks->items[i].webhook)
			continue;
		if (!has_read)
			status = read_settings(&settings, err);
		has_read = true;
		if (status != BL_OK)
			return status;
		if (!apply(&settings, &hooks->items[i]))
			return bl_arena_fail(arena, err);
	}
	return BL_OK;
}

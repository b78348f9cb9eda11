/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c: what the machine's owner says about webhooks
 * (docs/formats/webhook.md): {"version": 1, "hosts": [...], "addresses": [...]}.
 * Every key it has narrows what hook files may ask for; without the file they
 * may ask for all.  A file that cannot be used forbids everything.
 */
#include "base/limits.h"
#include "json/json.h"
#include "os/os.h"
#include "trust/trust.h"
#include "webhook/webhook.h"

static const char *const paths[BL_PLATFORM_COUNT] = {
	[BL_PLATFORM_LINUX] = "/etc/belay/webhooks.json",
	[BL_PLATFORM_MACOS] =
		"/Library/Application Support/belay/webhooks.json",
	[BL_PLATFORM_WINDOWS] = "C:/ProgramData/belay/webhooks.json",
};

enum { MAX_ITEMS = 1000, MAX_DEPTH = 8 };

/* Being read. */
struct reading {
	struct bl_arena *arena;
	struct bl_webhook_settings *settings;
};

struct bl_str bl_webhook_settings_path(struct bl_str system_root,
				       struct bl_arena *arena)
{
	return bl_arena_printf(arena, "%.*s%s", BL_STR_ARG(system_root),
			       paths[bl_os_platform()]);
}

/* ---- reading ------------------------------------------------------ */

static bool break_off(struct reading *reading, const char *why)
{
	reading->settings->broken =
		bl_arena_copy_str(reading->arena, bl_str(why));
	return false;
}

static bool check_version(struct reading *reading, struct bl_value value)
{
	return bl_number_to_double(value) == 1 ||
	       break_off(reading, "version must be 1");
}

static bool is_strings(struct bl_value value)
{
	for (size_t i = 0; i < bl_value_count(value); i++) {
		if (!bl_value_is(bl_value_item(value, i), BL_KIND_STRING))
			return false;
	}
	return bl_value_is(value, BL_KIND_ARRAY);
}

static bool is_list(struct bl_value value)
{
	return is_strings(value) && bl_value_count(value) <= MAX_ITEMS;
}

static bool read_hosts(struct reading *reading, struct bl_value value)
{
	reading->settings->hosts = value;
	return is_list(value) ||
	       break_off(reading, "hosts must be an array of strings");
}

static bool read_addresses(struct reading *reading, struct bl_value value)
{
	size_t count = bl_value_count(value);
	struct bl_networks *most =
		bl_arena_new(reading->arena, struct bl_networks);
	struct bl_network *items =
		bl_arena_new_array(reading->arena, struct bl_network, count);

	if (!is_list(value))
		return break_off(reading,
				 "addresses must be an array of strings");
	if (!most || !items)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct bl_error err = { 0 };

		if (bl_network_parse(bl_value_text(bl_value_item(value, i)),
				     &items[i], &err) != BL_OK)
			return break_off(reading, err.message);
	}
	*most = (struct bl_networks){ items, count };
	reading->settings->most = most;
	return true;
}

static const struct {
	const char *name;
	bool (*read)(struct reading *reading, struct bl_value value);
} keys[] = {
	{ "version", check_version },
	{ "hosts", read_hosts },
	{ "addresses", read_addresses },
};

/* An unknown key may be a misspelt one that was meant to forbid something. */
static bool read_key(struct reading *reading, struct bl_value root, size_t i)
{
	struct bl_str key = bl_value_text(bl_object_key(root, i));

	for (size_t k = 0; k < BL_COUNT(keys); k++) {
		if (bl_str_is(key, keys[k].name))
			return keys[k].read(reading, bl_object_value(root, i));
	}
	return break_off(reading,
			 "it has a key that is not one of version, hosts and "
			 "addresses");
}

static void read_document(struct reading *reading, struct bl_str text)
{
	struct bl_json_options options = { .max_depth = MAX_DEPTH };
	struct bl_json_report report = { 0 };
	struct bl_error err = { 0 };
	struct bl_value root;

	if (bl_json_read(reading->arena, text, &options, &root, &report, NULL,
			 &err) != BL_OK) {
		break_off(reading, err.message);
		return;
	}
	if (report.repeated_key_count > 0) {
		break_off(reading, "a key occurs twice");
		return;
	}
	if (!bl_value_is(root, BL_KIND_OBJECT) ||
	    !bl_value_is_defined(bl_object_find(root, BL_STR("version")))) {
		break_off(reading, "it is not an object with a version");
		return;
	}
	for (size_t i = 0; i < bl_value_count(root); i++) {
		if (!read_key(reading, root, i))
			return;
	}
}

/* Root's only; the user's as well where system folders were redirected. */
static void check_owner(struct reading *reading, struct bl_str system_root,
			const struct bl_file_info *info)
{
	struct bl_webhook_settings *settings = reading->settings;

	bl_trust_check_owner(settings->path, info, reading->arena,
			     &settings->broken);
	if (settings->broken.len == 0 && info->uid != 0 && system_root.len == 0)
		break_off(reading, "it does not belong to root");
}

enum bl_status
bl_webhook_settings_read(struct bl_str system_root, struct bl_arena *arena,
			 struct bl_webhook_settings *out_settings,
			 struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_webhook_settings settings = {
		.path = bl_webhook_settings_path(system_root, arena),
		.hosts = bl_value_undefined(),
	};
	struct reading reading = { arena, &settings };
	struct bl_file_info info;
	struct bl_error why = { 0 };
	struct bl_str text;
	enum bl_status status;

	if (!settings.path.ptr)
		return bl_arena_fail(arena, err);
	status =
		bl_os_read_file(settings.path, BL_OPEN_NO_LINK,
				limits.config_bytes, arena, &text, &info, &why);
	settings.is_there = status != BL_NOT_FOUND;
	if (status == BL_OK)
		check_owner(&reading, system_root, &info);
	else if (settings.is_there)
		break_off(&reading, why.message);
	if (status == BL_OK && settings.broken.len == 0)
		read_document(&reading, text);
	if (bl_arena_status(arena) != BL_OK)
		return bl_arena_fail(arena, err);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(err);
	*out_settings = settings;
	return BL_OK;
}

/* ---- applying ----------------------------------------------------- */

static bool names_host(const struct bl_webhook_settings *settings,
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

enum bl_status
bl_webhook_settings_apply(const struct bl_webhook_settings *settings,
			  struct bl_webhook *webhook, struct bl_arena *arena,
			  struct bl_error *err)
{
	webhook->most = settings->most;
	if (settings->broken.len > 0)
		webhook->refused =
			bl_arena_printf(arena, "%.*s cannot be used: %.*s",
					BL_STR_ARG(settings->path),
					BL_STR_ARG(settings->broken));
	else if (!names_host(settings, &webhook->url))
		webhook->refused = bl_arena_printf(
			arena, "%.*s does not name its host %.*s",
			BL_STR_ARG(settings->path),
			BL_STR_ARG(webhook->url.host));
	return bl_arena_status(arena) == BL_OK ? BL_OK
					       : bl_arena_fail(arena, err);
}

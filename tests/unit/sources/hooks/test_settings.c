/* SPDX-License-Identifier: Apache-2.0 */
/* src/sources/hooks/settings.c: what the machine's owner forbids to webhooks. */
#include "tap.h"

#include "world.h"

#define SETTINGS "sys/etc/belay/webhooks.json"

#define WEBHOOK                                                                \
	"{\"type\":\"webhook\",\"url\":\"https://a.example/\","                \
	"\"secret\":\"file:/etc/belay/key\"}"

/* Loads a world with one webhook and these settings; NULL: none. */
static const struct bl_hook *load_with(const char *settings)
{
	new_world("cursor");
	put(USER, FILE_WITH("stop", WEBHOOK));
	if (settings)
		put(SETTINGS, settings);
	if (load() != BL_OK || set.hook_count != 1 || !set.hooks[0].webhook) {
		tap_failures++;
		TAP_NOTE("not loaded: %s", error.message);
		return NULL;
	}
	return &set.hooks[0];
}

static void without_settings_all_is_allowed(void)
{
	const struct bl_hook *hook = load_with(NULL);

	REQUIRE(hook);
	CHECK_INT(hook->type, BL_HOOK_WEBHOOK);
	CHECK_STR(hook->command, "https://a.example/");
	CHECK_STR(hook->webhook->secret_file, "/etc/belay/key");
	CHECK_INT(hook->webhook->secret_env.len, 0);
	CHECK_INT(hook->webhook->refused.len, 0);
	CHECK(!hook->webhook->most);
	CHECK(!bl_hook_why_not(hook));
}

static void hosts_are_those_that_are_named(void)
{
	const struct bl_hook *hook =
		load_with("{\"version\":1,\"hosts\":[\"b.example\","
			  "\"a.example:443\"]}");

	REQUIRE(hook);
	CHECK_INT(hook->webhook->refused.len, 0);
	hook = load_with("{\"version\":1,\"hosts\":[\"*.a.example\"]}");
	REQUIRE(hook);
	CHECK(bl_str_has_suffix(
		hook->webhook->refused,
		BL_STR("webhooks.json does not name its host a.example")));
	CHECK_STR(bl_str(bl_hook_why_not(hook)), hook->webhook->refused.ptr);
	CHECK(set.diags.first &&
	      bl_str_is(bl_str(set.diags.first->code), "hooks/webhook-host"));
	hook = load_with("{\"version\":1,\"hosts\":[]}");
	REQUIRE(hook);
	CHECK(hook->webhook->refused.len > 0);
}

static void addresses_are_the_most_that_may_be_allowed(void)
{
	const struct bl_hook *hook = load_with(
		"{\"version\":1,\"addresses\":[\"10.0.0.0/8\",\"shared\"]}");

	REQUIRE(hook && hook->webhook->most);
	CHECK_INT(hook->webhook->refused.len, 0);
	CHECK_INT(hook->webhook->most->count, 2);
	CHECK_INT(hook->webhook->most->items[0].bits, 8);
	hook = load_with("{\"version\":1,\"addresses\":[]}");
	REQUIRE(hook && hook->webhook->most);
	CHECK_INT(hook->webhook->most->count, 0);
}

static void broken_settings_forbid_all(void)
{
	static const char *const broken[] = {
		"",
		"null",
		"[]",
		"{}",
		"{\"version\":2}",
		"{\"version\":\"1\"}",
		"{\"version\":1,\"hosts\":\"a.example\"}",
		"{\"version\":1,\"hosts\":[1]}",
		"{\"version\":1,\"addresses\":\"private\"}",
		"{\"version\":1,\"addresses\":[\"everything\"]}",
		"{\"version\":1,\"addresses\":[\"10.0.0.1/8\"]}",
		"{\"version\":1,\"Hosts\":[\"a.example\"]}",
	};

	for (size_t i = 0; i < BL_COUNT(broken); i++) {
		const struct bl_hook *hook = load_with(broken[i]);

		REQUIRE(hook);
		if (hook->webhook->refused.len == 0) {
			TAP_NOTE("settings that forbid nothing: %s", broken[i]);
			CHECK(false);
		}
		CHECK(set.diags.first &&
		      bl_str_is(bl_str(set.diags.first->code),
				"hooks/webhook-settings"));
	}
}

static void settings_that_others_can_change_forbid_all(void)
{
	const struct bl_hook *hook;

	load_with("{\"version\":1}");
	REQUIRE(!chmod(at(SETTINGS).ptr, 0666));
	REQUIRE(load() == BL_OK && set.hook_count == 1);
	hook = &set.hooks[0];
	CHECK(hook->webhook->refused.len > 0);
	CHECK(bl_str_find(hook->webhook->refused, BL_STR("cannot be used"),
			  0) != SIZE_MAX);
}

/* The maker of an engine hears of a change. */
static void a_change_changes_the_stamp(void)
{
	uint64_t before = 0;
	uint64_t after = 0;

	load_with(NULL);
	REQUIRE(bl_hook_stamp(&options, &before, NULL) == BL_OK);
	put(SETTINGS, "{\"version\":1}");
	REQUIRE(bl_hook_stamp(&options, &after, NULL) == BL_OK);
	CHECK(before != after);
}

/* A file without webhooks is not slowed down by, or told of, the settings. */
static void only_webhooks_care(void)
{
	new_world("cursor");
	put(USER, ONE_STOP("x"));
	put(SETTINGS, "no JSON");
	REQUIRE(load() == BL_OK && set.hook_count == 1);
	CHECK(!set.diags.first);
	CHECK(!bl_hook_why_not(&set.hooks[0]));
}

int main(void)
{
	if (!place_open())
		return 1;
	RUN(without_settings_all_is_allowed);
	RUN(hosts_are_those_that_are_named);
	RUN(addresses_are_the_most_that_may_be_allowed);
	RUN(broken_settings_forbid_all);
	RUN(settings_that_others_can_change_forbid_all);
	RUN(a_change_changes_the_stamp);
	RUN(only_webhooks_care);
	place_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that the machine's owner may write into webhooks.json. */
#include "tap.h"

#include "../trust/place.h"
#include "webhook/webhook.h"

static struct bl_webhook_settings settings;

/* Reads text as the settings; why they cannot be used, else empty. */
static const char *broken_by(const char *text)
{
	FILE *file = fopen("etc/belay/webhooks.json", "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		return "not written";
	settings = (struct bl_webhook_settings){ 0 };
	CHECK_STATUS(bl_webhook_settings_read(bl_str(place), &arena, &settings,
					      &error),
		     BL_OK);
	CHECK(settings.is_there);
	return bl_arena_printf(&arena, "%.*s", BL_STR_ARG(settings.broken)).ptr;
}

static void usable(void)
{
	CHECK(!strcmp(broken_by("{\"version\":1,\"hosts\":[\"a.example\"]}"),
		      ""));
	CHECK_INT(bl_value_count(settings.hosts), 1);
	CHECK(!strcmp(broken_by("{\"version\":1}"), ""));
	CHECK(!bl_value_is_defined(settings.hosts));
}

/* One of the two may be the one that was meant to forbid. */
static void a_key_twice(void)
{
	CHECK(!strcmp(broken_by("{\"version\":1,\"hosts\":[],\"hosts\":"
				"[\"evil.example\"]}"),
		      "a key occurs twice"));
	CHECK(!strcmp(broken_by("{\"version\":1,\"addresses\":[],"
				"\"addresses\":[\"private\"]}"),
		      "a key occurs twice"));
}

static void not_usable(void)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{}",
		"{\"version\":2}",
		"{\"version\":1,\"host\":[]}",
		"{\"version\":1,\"hosts\":\"a\"}",
		"{\"version\":1,\"hosts\":[1]}",
		"{\"version\":1,\"addresses\":[\"10.0.0.0/33\"]}",
	};

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		if (!*broken_by(texts[i])) {
			tap_failures++;
			TAP_NOTE("%s is usable", texts[i]);
		}
	}
}

int main(void)
{
	if (!place_open() || mkdir("etc", 0755) || mkdir("etc/belay", 0755))
		return 1;
	RUN(usable);
	RUN(a_key_twice);
	RUN(not_usable);
	place_close();
	return tap_end();
}

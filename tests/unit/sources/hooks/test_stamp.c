/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "world.h"

static uint64_t last;

/* Has the stamp changed since the last call? */
static bool is_new(void)
{
	uint64_t stamp = last;
	bool changed;

	CHECK_STATUS(bl_hook_stamp(&options, &stamp, &error), BL_OK);
	changed = stamp != last;
	last = stamp;
	return changed;
}

static void every_change_is_seen(void)
{
	new_world("cursor");
	is_new();
	CHECK(!is_new());
	put(USER, ONE_STOP("a"));
	CHECK(is_new());
	CHECK(!is_new());
	put(USER, ONE_STOP("abc"));
	CHECK(is_new());
	REQUIRE(!chmod(USER, 0666));
	CHECK(is_new());
	REQUIRE(!unlink(USER));
	CHECK(is_new());
	put(PROJECT_2, ONE_STOP("a"));
	CHECK(is_new());
	put(ENTERPRISE, ONE_STOP("a"));
	CHECK(is_new());
	REQUIRE(!chmod("sys/etc", 0777));
	CHECK(is_new());
	put(TEAM, ONE_STOP("a"));
	CHECK(is_new());
	put("elsewhere", "");
	CHECK(!is_new());
}

static void target_of_a_link(void)
{
	new_world("cursor");
	put("kept/hooks.json", ONE_STOP("a"));
	put("home/.cursor/x", "");
	REQUIRE(!symlink(at("kept/hooks.json").ptr, USER));
	is_new();
	CHECK(!is_new());
	put("kept/hooks.json", ONE_STOP("ab"));
	CHECK(is_new());
}

static void teams_and_plugins(void)
{
	new_world("cursor-2.3");
	is_new();
	put("home/.cursor/managed/team_1/hooks/hooks.json", ONE_STOP("a"));
	CHECK(is_new());
	put("home/.cursor/managed/team_2/hooks/hooks.json", ONE_STOP("a"));
	CHECK(is_new());
	options.profile = profile("cursor");
	is_new();
	put("home/.cursor/plugins/local/a/hooks/hooks.json", ONE_STOP("a"));
	CHECK(is_new());
	put("home/.cursor/plugins/local/a/.cursor-plugin/plugin.json", "{}");
	CHECK(is_new());
}

static void trust_and_scripts(void)
{
	struct bl_trust_record record = { .added_ms = 1 };

	new_world("cursor");
	options.trust_all = false;
	put(PROJECT_1, ONE_STOP("./s/a.sh"));
	put("w1/s/a.sh", "x");
	REQUIRE(load() == BL_OK);
	is_new();
	record.workspace = at("w1");
	record.pins = file_at(PROJECT_1)->pins;
	record.pin_count = file_at(PROJECT_1)->pin_count;
	REQUIRE(bl_trust_add(options.home, &record, &error) == BL_OK);
	CHECK(is_new());
	CHECK(!is_new());
	put("w1/s/a.sh", "xy");
	CHECK(is_new());
	put("w1/bare", "");
	CHECK(is_new());
	put("home/.config/belay/trust.json", "{}");
	CHECK(is_new());
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(every_change_is_seen);
	RUN(target_of_a_link);
	RUN(teams_and_plugins);
	RUN(trust_and_scripts);
	place_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Odd files of docs/contracts/cursor.md "Edge inputs", links (C18), owners. */
#include "tap.h"

#include <fcntl.h>
#include <pthread.h>

#include "world.h"

/* Loads, and checks one file's state and all findings. */
static void check_state(const char *name, enum bl_file_state state,
			const char *expected)
{
	REQUIRE(load() == BL_OK);
	if (state_of(name) != state) {
		tap_failures++;
		TAP_NOTE("%s is %s, not %s", name,
			 bl_file_state_name(state_of(name)),
			 bl_file_state_name(state));
	}
	CHECK_STR(findings(), expected);
	if (state != BL_HOOK_FILE_LOADED && state != BL_HOOK_FILE_MISSING)
		CHECK(file_at(name)->why.len > 0);
	bl_hook_set_clear(&set);
}

static void missing(void)
{
	new_world("cursor");
	check_state(USER, BL_HOOK_FILE_MISSING, "ok");
	put("home/.cursor", "a file where the folder should be");
	check_state(USER, BL_HOOK_FILE_MISSING, "ok");
}

static void odd_kinds(void)
{
	new_world("cursor");
	REQUIRE(bl_os_make_dirs(at(USER), 0755, &error) == BL_OK);
	check_state(USER, BL_HOOK_FILE_BROKEN, "E not-regular");
	REQUIRE(!rmdir(USER) && !mkfifo(USER, 0644));
	check_state(USER, BL_HOOK_FILE_BROKEN, "E not-regular");
	options.profile = profile("cursor-2.3");
	check_state(USER, BL_HOOK_FILE_BROKEN, "E not-regular");
}

static void too_large(void)
{
	new_world("cursor");
	put(USER, ONE_STOP("x"));
	REQUIRE(!truncate(USER, 100 << 20)); /* sparse */
	check_state(USER, BL_HOOK_FILE_BROKEN, "E too-large");
	REQUIRE(!truncate(USER, (4 << 20) + 1));
	check_state(USER, BL_HOOK_FILE_BROKEN, "E too-large");
	/* The limit itself is read, and is not JSON. */
	REQUIRE(!truncate(USER, 4 << 20));
	check_state(USER, BL_HOOK_FILE_BROKEN, "E syntax");
}

static void unreadable(void)
{
	new_world("cursor");
	put(USER, ONE_STOP("x"));
	REQUIRE(!chmod(USER, 0));
	if (bl_os_user_id() == 0)
		check_state(USER, BL_HOOK_FILE_LOADED, "ok");
	else
		check_state(USER, BL_HOOK_FILE_BROKEN, "E unreadable");
}

/* ---- links -------------------------------------------------------- */

static void linked_file(void)
{
	new_world("cursor");
	put("kept/hooks.json", ONE_STOP("x"));
	put("home/.cursor/x", "");
	put("w1/.cursor/x", "");
	put("sys/etc/cursor/x", "");
	REQUIRE(!symlink(at("kept/hooks.json").ptr, USER));
	check_state(USER, BL_HOOK_FILE_LOADED, "N linked-user");
	REQUIRE(!unlink(USER) && !symlink("gone", USER));
	check_state(USER, BL_HOOK_FILE_MISSING, "W linked-nowhere");
	REQUIRE(!unlink(USER) &&
		!symlink(at("kept/hooks.json").ptr, PROJECT_1));
	check_state(PROJECT_1, BL_HOOK_FILE_BROKEN, "E linked");
	REQUIRE(!unlink(PROJECT_1) &&
		!symlink(at("kept/hooks.json").ptr, ENTERPRISE));
	check_state(ENTERPRISE, BL_HOOK_FILE_UNSAFE, "E linked");
	/* 2.3.41 says nothing of links. */
	REQUIRE(!symlink(at("kept/hooks.json").ptr, USER) &&
		!symlink(at("kept/hooks.json").ptr, PROJECT_1));
	options.profile = profile("cursor-2.3");
	check_state(USER, BL_HOOK_FILE_LOADED, "ok");
	check_state(PROJECT_1, BL_HOOK_FILE_LOADED, "ok");
	check_state(ENTERPRISE, BL_HOOK_FILE_LOADED, "ok");
}

static void linked_folder(void)
{
	new_world("cursor");
	put("kept/hooks.json", ONE_STOP("x"));
	REQUIRE(!symlink(at("kept").ptr, "home/.cursor"));
	REQUIRE(!symlink(at("kept").ptr, "w1/.cursor"));
	check_state(USER, BL_HOOK_FILE_LOADED, "E linked N linked-user");
	check_state(PROJECT_1, BL_HOOK_FILE_BROKEN, "E linked N linked-user");
	/* A link above is nobody's business: /home may be one. */
	REQUIRE(!symlink("w1", "linked"));
	REQUIRE(!unlink("w1/.cursor") && !unlink("home/.cursor"));
	put(PROJECT_1, ONE_STOP("x"));
	workspaces[0] = at("linked");
	check_state("linked/.cursor/hooks.json", BL_HOOK_FILE_LOADED, "ok");
}

static void link_of_a_stranger(void)
{
	if (bl_os_user_id() != 0) {
		printf("# needs root to make a stranger's file\n");
		return;
	}
	new_world("cursor");
	put("kept/hooks.json", ONE_STOP("x"));
	put("home/.cursor/x", "");
	REQUIRE(!symlink(at("kept/hooks.json").ptr, USER));
	REQUIRE(!chown("kept/hooks.json", 4242, 0));
	check_state(USER, BL_HOOK_FILE_BROKEN, "E linked");
	REQUIRE(!chown("kept/hooks.json", 0, 0));
	REQUIRE(!lchown(USER, 4242, 0));
	check_state(USER, BL_HOOK_FILE_BROKEN, "E linked");
}

/* ---- owners --------------------------------------------------------- */

static void files_that_others_write(void)
{
	new_world("cursor");
	put(ENTERPRISE, ONE_STOP("x"));
	put(TEAM, ONE_STOP("x"));
	put(PROJECT_1, ONE_STOP("x"));
	put(USER, ONE_STOP("x"));
	check_state(ENTERPRISE, BL_HOOK_FILE_LOADED, "ok");
	REQUIRE(!chmod(ENTERPRISE, 0666));
	check_state(ENTERPRISE, BL_HOOK_FILE_UNSAFE, "E unsafe");
	REQUIRE(!chmod(ENTERPRISE, 0644) && !chmod("sys/etc/cursor", 0777));
	check_state(ENTERPRISE, BL_HOOK_FILE_UNSAFE, "E unsafe");
	REQUIRE(!chmod("sys/etc/cursor", 0755) && !chmod(TEAM, 0620));
	check_state(TEAM, BL_HOOK_FILE_UNSAFE, "E unsafe");
	REQUIRE(!chmod(TEAM, 0600) && !chmod(PROJECT_1, 0666) &&
		!chmod(USER, 0664));
	check_state(PROJECT_1, BL_HOOK_FILE_LOADED,
		    "W others-write W others-write");
	check_state(USER, BL_HOOK_FILE_LOADED, "W others-write W others-write");
}

static void scripts_that_others_write(void)
{
	new_world("cursor");
	put(ENTERPRISE, ONE_STOP("./guard.sh x"));
	put("sys/etc/cursor/guard.sh", "");
	put(USER, ONE_STOP("sh mine.sh"));
	put("home/.cursor/mine.sh", "");
	check_state(ENTERPRISE, BL_HOOK_FILE_LOADED, "ok");
	REQUIRE(!chmod("sys/etc/cursor/guard.sh", 0777));
	check_state(ENTERPRISE, BL_HOOK_FILE_UNSAFE, "E unsafe");
	REQUIRE(!chmod("sys/etc/cursor/guard.sh", 0755));
	REQUIRE(!chmod("home/.cursor/mine.sh", 0666));
	check_state(USER, BL_HOOK_FILE_LOADED, "W others-write");
}

static void enterprise_of_the_user(void)
{
	if (bl_os_user_id() != 0) {
		printf("# needs root to make a stranger's file\n");
		return;
	}
	new_world("cursor");
	put(ENTERPRISE, ONE_STOP("x"));
	REQUIRE(!chown(ENTERPRISE, 4242, 0));
	check_state(ENTERPRISE, BL_HOOK_FILE_UNSAFE, "E unsafe");
}

/* ---- files that change ---------------------------------------------- */

static volatile int stop_writing;

/* Replaces the file, again and again, by one of two good ones. */
static void *replace_often(void *unused)
{
	(void)unused;
	for (int i = 0; !stop_writing; i++) {
		const char *text = i % 2 ? ONE_STOP("aaaaaaaaaaaaaaaaaaaa")
					 : ONE_STOP("b");

		bl_os_replace_file(at(USER), bl_str(text), 0644, NULL);
	}
	return NULL;
}

/* Whatever is read is one of the two as a whole. */
static void replaced_during_read(void)
{
	pthread_t writer;
	int good = 0;

	new_world("cursor");
	put(USER, ONE_STOP("b"));
	stop_writing = 0;
	/* The writer uses the arena, the loads below another. */
	REQUIRE(!pthread_create(&writer, NULL, replace_often, NULL));
	for (int i = 0; i < 300; i++) {
		struct bl_arena own;
		struct bl_hook_set mine;

		bl_arena_init(&own, NULL, 0, 0);
		if (bl_hook_set_load(&options, &own, &mine, NULL) == BL_OK) {
			good += mine.hook_count == 1 &&
				mine.diags.error_count == 0;
			bl_hook_set_clear(&mine);
		}
		bl_arena_clear(&own);
	}
	stop_writing = 1;
	pthread_join(writer, NULL);
	CHECK_INT(good, 300);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(missing);
	RUN(odd_kinds);
	RUN(too_large);
	RUN(unreadable);
	RUN(linked_file);
	RUN(linked_folder);
	RUN(link_of_a_stranger);
	RUN(files_that_others_write);
	RUN(scripts_that_others_write);
	RUN(enterprise_of_the_user);
	RUN(replaced_during_read);
	place_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "scratch.h"

static void platform_is_named(void)
{
	CHECK_STR(bl_str(bl_platform_name(bl_os_platform())), "linux");
	CHECK_STR(bl_str(bl_platform_name(BL_PLATFORM_MACOS)), "macos");
	CHECK_STR(bl_str(bl_platform_name(BL_PLATFORM_WINDOWS)), "windows");
	CHECK_STR(bl_str(bl_platform_name(BL_PLATFORM_COUNT)), "unknown");
}

static void environment(void)
{
	setenv("BELAY_TEST", "value", 1);
	CHECK_STR(bl_os_getenv("BELAY_TEST"), "value");
	setenv("BELAY_TEST", "", 1);
	CHECK(bl_os_getenv("BELAY_TEST").ptr);
	unsetenv("BELAY_TEST");
	CHECK(!bl_os_getenv("BELAY_TEST").ptr);
}

static void home_is_not_taken_from_the_environment(void)
{
	const struct passwd *entry = getpwuid(geteuid());
	struct bl_str home = { NULL, 0 };

	REQUIRE(entry);
	setenv("HOME", scratch, 1);
	CHECK_STATUS(bl_os_home(&arena, &home, &error), BL_OK);
	CHECK_STR(home, entry->pw_dir);
}

/* In a process of its own: a user without an entry. */
static int home_of_stranger(const char *home_text, bool own)
{
	const uid_t stranger = 54321;
	struct bl_str home = { NULL, 0 };
	enum bl_status status;

	if (mkdir("home", 0700) || (own && chown("home", stranger, stranger)))
		return 100;
	setenv("HOME", home_text, 1);
	if (seteuid(stranger))
		return 101;
	status = bl_os_home(&arena, &home, &error);
	if (!status && !bl_str_is(home, home_text))
		return 102;
	return (int)status;
}

static int in_child(int (*check)(const char *, bool), const char *text,
		    bool flag)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(check(text, flag));
	waitpid(pid, &status, 0);
	rmdir("home");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void home_without_entry(void)
{
	char path[96];

	if (geteuid() || getpwuid(54321)) {
		printf("# SKIP part: needs root\n");
		return;
	}
	snprintf(path, sizeof(path), "%s/home", scratch);
	CHECK_INT(in_child(home_of_stranger, path, true), BL_OK);
	CHECK_INT(in_child(home_of_stranger, path, false), BL_NOT_FOUND);
	CHECK_INT(in_child(home_of_stranger, "home", true), BL_NOT_FOUND);
	CHECK_INT(in_child(home_of_stranger, "", true), BL_NOT_FOUND);
}

static void own_path(void)
{
	struct bl_str path = { NULL, 0 };
	char expected[4096];
	ssize_t len = readlink("/proc/self/exe", expected, 4095);

	REQUIRE(len > 0);
	expected[len] = '\0';
	CHECK_STATUS(bl_os_self_path(&arena, &path, &error), BL_OK);
	CHECK_STR(path, expected);
}

static void user_id(void)
{
	CHECK_INT(bl_os_user_id(), geteuid());
}

int main(void)
{
	if (!scratch_open())
		return 1;
	RUN(platform_is_named);
	RUN(environment);
	RUN(home_is_not_taken_from_the_environment);
	RUN(home_without_entry);
	RUN(own_path);
	RUN(user_id);
	scratch_close();
	return tap_end();
}

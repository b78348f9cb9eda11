/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of the process: the user, the home, the platform, the environment. */
#include "os/os.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(BELAY_STATIC_TOOLS) && defined(__GLIBC__)
#	include <nss.h>
#endif

#include "os/private.h"

static const char *const platform_names[BL_PLATFORM_COUNT] = {
	[BL_PLATFORM_LINUX] = "linux",
	[BL_PLATFORM_MACOS] = "macos",
	[BL_PLATFORM_WINDOWS] = "windows",
};

enum bl_platform bl_os_platform(void)
{
#if defined(__APPLE__)
	return BL_PLATFORM_MACOS;
#elif defined(_WIN32)
	return BL_PLATFORM_WINDOWS;
#else
	return BL_PLATFORM_LINUX;
#endif
}

const char *bl_platform_name(enum bl_platform platform)
{
	return (size_t)platform < BL_COUNT(platform_names)
		       ? platform_names[platform]
		       : "unknown";
}

void bl_os_host_name(char *out, size_t room)
{
	if (gethostname(out, room))
		out[0] = '\0';
	out[room - 1] = '\0';
}

uid_t bl_os_user_id(void)
{
	return geteuid();
}

struct bl_str bl_os_getenv(const char *name)
{
	return bl_str(getenv(name));
}

void bl_os_limit_lookups(void)
{
#if defined(BELAY_STATIC_TOOLS) && defined(__GLIBC__)
	__nss_configure_lookup("passwd", "files");
	__nss_configure_lookup("hosts", "files dns");
#endif
}

enum { USER_ENTRY_BYTES = 1024, USER_ENTRY_MAX_BYTES = 1024 * 1024 };

/* The user database's entry; *out_entry is zero when absent. */
static enum bl_status find_user(struct bl_arena *arena,
				struct passwd *out_entry, struct bl_error *err)
{
	struct passwd entry, *found = NULL;
	size_t bytes = USER_ENTRY_BYTES;
	int failed;

	do {
		char *space = bl_arena_alloc(arena, bytes);

		if (!space)
			return bl_arena_fail(arena, err);
		failed = getpwuid_r(geteuid(), &entry, space, bytes, &found);
		bytes *= 4;
	} while (failed == ERANGE && bytes <= USER_ENTRY_MAX_BYTES);
	/* Any other failure (no database, no service) is "no entry". */
	*out_entry = !failed && found ? entry : (struct passwd){ 0 };
	return BL_OK;
}

enum bl_status bl_os_user_name(struct bl_arena *arena, struct bl_str *out_name,
			       struct bl_error *err)
{
	struct passwd entry = { 0 };
	enum bl_status status = find_user(arena, &entry, err);

	if (status)
		return status;
	*out_name = entry.pw_name
			    ? bl_arena_copy_str(arena, bl_str(entry.pw_name))
			    : bl_arena_printf(arena, "user %lu",
					      (unsigned long)geteuid());
	return out_name->ptr ? BL_OK : bl_arena_fail(arena, err);
}

static bool is_own_dir(struct bl_str path)
{
	struct stat st;

	return bl_path_is_absolute(path) && !stat(path.ptr, &st) &&
	       S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

enum bl_status bl_os_home(struct bl_arena *arena, struct bl_str *out_path,
			  struct bl_error *err)
{
	struct passwd entry = { 0 };
	enum bl_status status = find_user(arena, &entry, err);
	struct bl_str home;

	if (status)
		return status;
	home = bl_str(entry.pw_dir);
	if (!bl_path_is_absolute(home)) {
		home = bl_os_getenv("HOME");
		if (!is_own_dir(home))
			return bl_fail(err, BL_NOT_FOUND,
				       "user %lu has no home directory",
				       (unsigned long)geteuid());
	}
	home = bl_arena_copy_str(arena, home);
	if (!home.ptr)
		return bl_arena_fail(arena, err);
	*out_path = home;
	return BL_OK;
}

enum bl_status bl_os_self_path(struct bl_arena *arena, struct bl_str *out_path,
			       struct bl_error *err)
{
	char text[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", text, sizeof(text));
	struct bl_str path;

	if (len < 0)
		return bl_fail_errno(err, errno, "cannot read /proc/self/exe");
	if ((size_t)len == sizeof(text))
		return bl_fail(err, BL_LIMIT,
			       "the path of this program is too long");
	path = bl_arena_copy_str(arena, (struct bl_str){ text, (size_t)len });
	if (!path.ptr)
		return bl_arena_fail(arena, err);
	*out_path = path;
	return BL_OK;
}

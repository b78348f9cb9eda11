/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "scratch.h"

static enum bl_status open_status(const char *path, unsigned flags)
{
	int fd = -1;
	enum bl_status status = bl_os_open(bl_str(path), flags, &fd, &error);

	CHECK((fd >= 0) == (status == BL_OK));
	if (fd >= 0)
		CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	bl_os_close(fd);
	return status;
}

static void open_kinds(void)
{
	write_text("file", "text");
	REQUIRE(!mkdir("dir", 0755) && !mkfifo("fifo", 0644));
	REQUIRE(!symlink("file", "link") && !symlink("dir", "dirlink"));
	CHECK_STATUS(open_status("file", 0), BL_OK);
	CHECK_STATUS(open_status("dir", BL_OPEN_DIRECTORY), BL_OK);
	CHECK_STATUS(open_status("fifo", 0), BL_OK); /* and does not block */
	CHECK_STATUS(open_status("link", 0), BL_OK);
	CHECK_STATUS(open_status("link", BL_OPEN_NO_LINK), BL_DENIED);
	CHECK_STATUS(open_status("dirlink", BL_OPEN_DIRECTORY), BL_OK);
	CHECK_STATUS(
		open_status("dirlink", BL_OPEN_NO_LINK | BL_OPEN_DIRECTORY),
		BL_DENIED);
	CHECK_STATUS(open_status("file", BL_OPEN_DIRECTORY), BL_NOT_FOUND);
	CHECK_STATUS(open_status("file", BL_OPEN_DIRECTORY | BL_OPEN_NO_LINK),
		     BL_NOT_FOUND);
	CHECK_STATUS(open_status("missing", 0), BL_NOT_FOUND);
	CHECK_STATUS(open_status("", 0), BL_NOT_FOUND);
	CHECK_STATUS(open_status("file/x", 0), BL_NOT_FOUND);
}

static void open_with_nul(void)
{
	int fd = -1;

	CHECK_STATUS(bl_os_open(BL_STR("file\0x"), 0, &fd, &error), BL_INVALID);
	CHECK_INT(fd, -1);
}

static void open_relative_to_directory(void)
{
	int dir = -1, fd = -1;

	write_text("dir/inner", "inner");
	REQUIRE(!bl_os_open(BL_STR("dir"), BL_OPEN_DIRECTORY, &dir, &error));
	CHECK_STATUS(bl_os_open_at(dir, BL_STR("inner"), 0, &fd, &error),
		     BL_OK);
	bl_os_close(fd);
	CHECK_STATUS(bl_os_open_at(dir, BL_STR("file"), 0, &fd, &error),
		     BL_NOT_FOUND);
	CHECK_INT(bl_os_close(dir), -1);
	CHECK_INT(bl_os_close(-1), -1);
}

static void denied_to_strangers(void)
{
	int status = 0;
	pid_t pid;

	REQUIRE(!chmod("file", 0600));
	if (geteuid()) {
		REQUIRE(!chmod("file", 0));
		CHECK_STATUS(open_status("file", 0), BL_DENIED);
		return;
	}
	pid = fork();
	if (!pid)
		_exit(seteuid(65534) ? 100 : (int)open_status("file", 0));
	waitpid(pid, &status, 0);
	CHECK_INT(WEXITSTATUS(status), BL_DENIED);
}

static void info(void)
{
	struct bl_file_info by_path, by_fd;
	struct stat st;
	int fd = -1;

	REQUIRE(!chmod("file", 0640) && !stat("file", &st));
	CHECK_STATUS(bl_os_info_path(BL_STR("file"), &by_path, &error), BL_OK);
	CHECK_INT(by_path.type, BL_FILE_REGULAR);
	CHECK_INT(by_path.mode, 0640);
	CHECK_INT(by_path.size_bytes, 4);
	CHECK_INT(by_path.inode, st.st_ino);
	CHECK_INT(by_path.device, st.st_dev);
	CHECK_INT(by_path.uid, st.st_uid);
	CHECK_INT(by_path.gid, st.st_gid);
	CHECK_INT(by_path.mtime_ns / 1000000000, st.st_mtime);
	CHECK_INT(by_path.mtime_ns % 1000000000, st.st_mtim.tv_nsec);
	CHECK_INT(by_path.ctime_ns / 1000000000, st.st_ctime);
	REQUIRE(!bl_os_open(BL_STR("link"), 0, &fd, &error));
	CHECK_STATUS(bl_os_info(fd, &by_fd, &error), BL_OK);
	CHECK_INT(by_fd.inode, by_path.inode);
	bl_os_close(fd);
	CHECK_STATUS(bl_os_info(fd, &by_fd, &error), BL_SYSTEM);
	CHECK_STATUS(bl_os_info_path(BL_STR("link"), &by_path, &error), BL_OK);
	CHECK_INT(by_path.type, BL_FILE_LINK);
	CHECK_STATUS(bl_os_info_path(BL_STR("dir"), &by_path, &error), BL_OK);
	CHECK_INT(by_path.type, BL_FILE_DIRECTORY);
	CHECK_STATUS(bl_os_info_path(BL_STR("fifo"), &by_path, &error), BL_OK);
	CHECK_INT(by_path.type, BL_FILE_OTHER);
	CHECK_STATUS(bl_os_info_path(BL_STR("no"), &by_path, &error),
		     BL_NOT_FOUND);
}

/* A name in a folder that may be searched, links followed. */
static void info_in(void)
{
	struct bl_file_info found, wanted;
	char path[128];
	int dir = -1;

	REQUIRE(!mkdir("search", 0755) && !symlink("../file", "search/up") &&
		!symlink("nowhere", "search/dangling"));
	write_text("search/own", "12345");
	REQUIRE(!chmod("search", 0311));
	CHECK_STATUS(bl_os_open(BL_STR("search"),
				BL_OPEN_DIRECTORY | BL_OPEN_SEARCH, &dir,
				&error),
		     BL_OK);
	CHECK(bl_os_info_in(dir, "own", &found));
	CHECK_INT(found.size_bytes, 5);
	CHECK(bl_os_info_in(dir, "up", &found));
	CHECK_STATUS(bl_os_info_target(BL_STR("file"), &wanted, &error), BL_OK);
	CHECK_INT(found.inode, wanted.inode);
	CHECK_INT(found.ctime_ns, wanted.ctime_ns);
	CHECK(!bl_os_info_in(dir, "dangling", &found));
	CHECK(!bl_os_info_in(dir, "file", &found));
	CHECK(!bl_os_info_in(dir, "", &found));
	snprintf(path, sizeof(path), "%s/file", scratch);
	CHECK(bl_os_info_in(-1, path, &found));
	CHECK_INT(found.inode, wanted.inode);
	bl_os_close(dir);
	CHECK(!bl_os_info_in(dir, "own", &found));
	CHECK_STATUS(bl_os_open(BL_STR("file"),
				BL_OPEN_DIRECTORY | BL_OPEN_SEARCH, &dir,
				&error),
		     BL_NOT_FOUND);
}

static void can_write(void)
{
	CHECK(bl_os_can_write(BL_STR("dir")));
	CHECK(!bl_os_can_write(BL_STR("no")));
	CHECK(!bl_os_can_write(BL_STR("/proc/self")));
}

static enum bl_status read_status(const char *path, unsigned flags, size_t max)
{
	struct bl_str text;
	int before = open_descriptors();
	enum bl_status status = bl_os_read_file(bl_str(path), flags, max,
						&arena, &text, NULL, &error);

	CHECK_INT(open_descriptors(), before);
	return status;
}

static void read_files(void)
{
	struct bl_file_info info;
	struct bl_str text = { NULL, 0 };

	CHECK_STATUS(bl_os_read_file(BL_STR("file"), 0, 4, &arena, &text, &info,
				     &error),
		     BL_OK);
	CHECK_STR(text, "text");
	CHECK_INT(text.ptr[4], 0);
	CHECK_INT(info.size_bytes, 4);
	CHECK_STATUS(read_status("file", 0, 3), BL_LIMIT);
	CHECK_STATUS(read_status("file", 0, SIZE_MAX), BL_OK);
	CHECK_STATUS(read_status("dir", 0, 100), BL_INVALID);
	CHECK_STATUS(read_status("fifo", 0, 100), BL_INVALID);
	CHECK_STATUS(read_status("/dev/zero", 0, 100), BL_INVALID);
	CHECK_STATUS(read_status("link", BL_OPEN_NO_LINK, 100), BL_DENIED);
	CHECK_STATUS(read_status("missing", 0, 100), BL_NOT_FOUND);
	write_text("empty", "");
	CHECK_STATUS(bl_os_read_file(BL_STR("empty"), 0, 0, &arena, &text, NULL,
				     &error),
		     BL_OK);
	CHECK(text.len == 0 && text.ptr);
}

/* Files of /proc say they are empty; this one is larger than a page. */
static void read_file_of_unknown_size(void)
{
	struct bl_str text = { NULL, 0 };

	CHECK_STATUS(bl_os_read_file(BL_STR("/proc/self/smaps"), 0, 1 << 20,
				     &arena, &text, NULL, &error),
		     BL_OK);
	CHECK(text.len > 4096);
	CHECK_INT(strlen(text.ptr), text.len);
	CHECK_STATUS(read_status("/proc/self/smaps", 0, 4096), BL_LIMIT);
}

static void read_without_memory(void)
{
	struct bl_arena tiny;
	struct bl_str text = { NULL, 0 };

	bl_arena_init(&tiny, NULL, 0, 8);
	CHECK_STATUS(bl_os_read_file(BL_STR("file"), 0, 1000, &tiny, &text,
				     NULL, &error),
		     BL_LIMIT);
	bl_arena_clear(&tiny);
}

/* A pipe in pieces, with a pause, by a non-blocking descriptor. */
static void read_pipe_to_its_end(void)
{
	int ends[2], status = 0;
	struct bl_str text = { NULL, 0 };
	pid_t pid;

	REQUIRE(!pipe2(ends, O_CLOEXEC));
	pid = fork();
	if (!pid) {
		static char block[10000];

		memset(block, 'x', sizeof(block));
		for (int i = 0; i < 5; i++) {
			usleep(5000);
			if (write(ends[1], block, sizeof(block)) !=
			    (ssize_t)sizeof(block))
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	REQUIRE(!fcntl(ends[0], F_SETFL, O_NONBLOCK));
	CHECK_STATUS(bl_os_read_all(ends[0], 50000, &arena, &text, &error),
		     BL_OK);
	CHECK_INT(text.len, 50000);
	CHECK(text.ptr && text.ptr[49999] == 'x' && !text.ptr[50000]);
	close(ends[0]);
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	CHECK_STATUS(bl_os_read_all(ends[0], 10, &arena, &text, &error),
		     BL_SYSTEM);
}

static void read_pieces(void)
{
	char bytes[8];
	size_t got = 99;
	int ends[2];

	REQUIRE(!pipe(ends));
	CHECK_STATUS(bl_os_read_piece(ends[0], 0, bytes, 8, &got, &error),
		     BL_TIMEOUT);
	CHECK_STATUS(bl_os_read_piece(ends[0], 20, bytes, 8, &got, &error),
		     BL_TIMEOUT);
	CHECK_INT(got, 99);
	REQUIRE(write(ends[1], "abcdefghij", 10) == 10);
	CHECK_STATUS(bl_os_read_piece(ends[0], 0, bytes, 8, &got, &error),
		     BL_OK);
	CHECK_INT(got, 8);
	CHECK_STATUS(bl_os_read_piece(ends[0], 1000, bytes, 8, &got, &error),
		     BL_OK);
	CHECK_INT(got, 2);
	CHECK(!memcmp(bytes, "ij", 2));
	close(ends[1]);
	CHECK_STATUS(bl_os_read_piece(ends[0], 1000, bytes, 8, &got, &error),
		     BL_OK);
	CHECK_INT(got, 0);
	close(ends[0]);
	CHECK_STATUS(bl_os_read_piece(ends[0], 0, bytes, 8, &got, &error),
		     BL_SYSTEM);
}

int main(void)
{
	if (!scratch_open())
		return 1;
	RUN(open_kinds);
	RUN(open_with_nul);
	RUN(open_relative_to_directory);
	RUN(denied_to_strangers);
	RUN(info);
	RUN(info_in);
	RUN(can_write);
	RUN(read_files);
	RUN(read_file_of_unknown_size);
	RUN(read_without_memory);
	RUN(read_pipe_to_its_end);
	RUN(read_pieces);
	scratch_close();
	return tap_end();
}

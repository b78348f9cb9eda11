/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "scratch.h"

static void replace(void)
{
	struct bl_file_info info;
	int before = open_descriptors();

	REQUIRE(!mkdir("r", 0755));
	CHECK_STATUS(bl_os_replace_file(BL_STR("r/file"), BL_STR("one"), 0640,
					&error),
		     BL_OK);
	CHECK_STR(read_text("r/file"), "one");
	CHECK_STATUS(bl_os_replace_file(BL_STR("r/file"), BL_STR("two"), 0604,
					&error),
		     BL_OK);
	CHECK_STR(read_text("r/file"), "two");
	CHECK_STATUS(bl_os_info_path(BL_STR("r/file"), &info, &error), BL_OK);
	CHECK_INT(info.mode, 0604); /* whatever the umask */
	CHECK_INT(count_entries("r"), 1);
	CHECK_INT(open_descriptors(), before);
}

static void create(void)
{
	REQUIRE(!mkdir("c", 0755));
	CHECK_STATUS(bl_os_create_file(BL_STR("c/file"), BL_STR("one"), 0666,
				       &error),
		     BL_OK);
	CHECK_STATUS(bl_os_create_file(BL_STR("c/file"), BL_STR("two"), 0666,
				       &error),
		     BL_EXISTS);
	CHECK_STR(read_text("c/file"), "one");
	REQUIRE(!symlink("nowhere", "c/link"));
	CHECK_STATUS(
		bl_os_create_file(BL_STR("c/link"), BL_STR("x"), 0666, &error),
		BL_EXISTS);
	CHECK_INT(count_entries("c"), 2);
}

static void failures_leave_nothing(void)
{
	REQUIRE(!mkdir("f", 0755) && !mkdir("f/dir", 0755));
	/* renaming a file over a directory is refused */
	CHECK(bl_os_replace_file(BL_STR("f/dir"), BL_STR("x"), 0600, &error));
	CHECK_INT(count_entries("f"), 1);
	CHECK_STATUS(
		bl_os_replace_file(BL_STR("f/no/x"), BL_STR("x"), 0600, &error),
		BL_NOT_FOUND);
	CHECK(bl_os_replace_file(BL_STR("f/"), BL_STR("x"), 0600, &error));
	CHECK_STATUS(
		bl_os_replace_file(BL_STR("f/a\0b"), BL_STR("x"), 0600, &error),
		BL_INVALID);
	CHECK_INT(count_entries("f"), 1);
}

/* A full disk, as the file size limit shows it: EFBIG after 4096 bytes. */
static void full_disk(void)
{
	static char text[100000];
	struct rlimit before, small;

	REQUIRE(!mkdir("full", 0755));
	write_text("full/file", "old");
	signal(SIGXFSZ, SIG_IGN);
	REQUIRE(!getrlimit(RLIMIT_FSIZE, &before));
	small = before;
	small.rlim_cur = 4096;
	REQUIRE(!setrlimit(RLIMIT_FSIZE, &small));
	CHECK_STATUS(bl_os_replace_file(BL_STR("full/file"),
					(struct bl_str){ text, sizeof(text) },
					0600, &error),
		     BL_SYSTEM);
	CHECK_STATUS(bl_os_create_file(BL_STR("full/new"),
				       (struct bl_str){ text, sizeof(text) },
				       0600, &error),
		     BL_SYSTEM);
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK_STR(read_text("full/file"), "old");
	CHECK_INT(count_entries("full"), 1);
}

/* A reader sees one of the two contents whole, never less. */
static volatile bool stop_reading;
static int torn;

static void *read_on(void *unused)
{
	static char buf[200000];

	while (!stop_reading) {
		int fd = open("whole", O_RDONLY | O_CLOEXEC);
		ssize_t got = read(fd, buf, sizeof(buf));

		if (got != 150000 || buf[0] != buf[149999])
			torn++;
		close(fd);
	}
	return unused;
}

static void replace_is_atomic(void)
{
	static char text[150000];
	pthread_t reader;

	memset(text, 'a', sizeof(text));
	REQUIRE(!bl_os_replace_file(BL_STR("whole"),
				    (struct bl_str){ text, sizeof(text) }, 0600,
				    &error));
	REQUIRE(!pthread_create(&reader, NULL, read_on, NULL));
	for (int i = 0; i < 50; i++) {
		memset(text, 'a' + i % 26, sizeof(text));
		CHECK_STATUS(bl_os_replace_file(
				     BL_STR("whole"),
				     (struct bl_str){ text, sizeof(text) },
				     0600, &error),
			     BL_OK);
	}
	stop_reading = true;
	pthread_join(reader, NULL);
	CHECK_INT(torn, 0);
}

static void write_all_waits_for_a_pipe(void)
{
	static char text[300000];
	int ends[2], status = 0;
	pid_t pid;

	REQUIRE(!pipe2(ends, O_CLOEXEC));
	REQUIRE(!fcntl(ends[1], F_SETFL, O_NONBLOCK));
	pid = fork();
	if (!pid) {
		size_t total = 0;
		ssize_t got;

		close(ends[1]);
		usleep(20000);
		while ((got = read(ends[0], text, sizeof(text))) > 0)
			total += (size_t)got;
		_exit(total == sizeof(text) ? 0 : 1);
	}
	CHECK_STATUS(bl_os_write_all(ends[1],
				     (struct bl_str){ text, sizeof(text) },
				     &error),
		     BL_OK);
	close(ends[1]);
	close(ends[0]);
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	CHECK_STATUS(bl_os_write_all(ends[1], BL_STR("x"), &error), BL_SYSTEM);
}

/* ---- locks -------------------------------------------------------------- */

/* A process that holds the lock and says so with one byte. */
static pid_t start_holder(int *out_fd)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		int fd;

		if (bl_os_open_locked(BL_STR("lock"), 0600, 1000, &fd, &error))
			_exit(1);
		if (write(ends[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		pid = -1;
	*out_fd = ends[0];
	return pid;
}

static void lock_times_out_and_dies_with_its_holder(void)
{
	int ready, fd = -1, before = open_descriptors();
	int64_t start;
	pid_t holder = start_holder(&ready);

	REQUIRE(holder > 0);
	start = bl_os_monotonic_ns();
	CHECK_STATUS(bl_os_open_locked(BL_STR("lock"), 0600, 60, &fd, &error),
		     BL_TIMEOUT);
	CHECK_INT(fd, -1);
	CHECK(bl_os_monotonic_ns() - start >= 60 * 1000000);
	CHECK(bl_os_monotonic_ns() - start < (int64_t)2000000000);
	CHECK_STATUS(bl_os_open_locked(BL_STR("lock"), 0600, 0, &fd, &error),
		     BL_TIMEOUT);
	kill(holder, SIGKILL);
	CHECK_STATUS(bl_os_open_locked(BL_STR("lock"), 0600, 2000, &fd, &error),
		     BL_OK);
	waitpid(holder, NULL, 0);
	CHECK_INT(write(fd, "line\n", 5), 5);
	bl_os_close(fd);
	close(ready);
	CHECK_INT(open_descriptors(), before);
}

/* Several processes append under the lock: no line is lost or torn. */
static void lock_excludes(void)
{
	enum { WRITERS = 4, LINES = 50 };
	struct bl_str text;
	size_t lines = 0;

	for (int w = 0; w < WRITERS; w++) {
		if (fork())
			continue;
		for (int i = 0; i < LINES; i++) {
			int fd;

			if (bl_os_open_locked(BL_STR("log"), 0600, 10000, &fd,
					      &error) ||
			    write(fd, "first", 5) != 5 ||
			    write(fd, " second\n", 8) != 8)
				_exit(1);
			bl_os_close(fd);
		}
		_exit(0);
	}
	for (int w = 0; w < WRITERS; w++) {
		int status = 1;

		wait(&status);
		CHECK_INT(status, 0);
	}
	text = read_text("log");
	CHECK_INT(text.len, WRITERS * LINES * 13);
	for (size_t at = 0; at + 13 <= text.len; at += 13)
		lines += !memcmp(text.ptr + at, "first second\n", 13);
	CHECK_INT(lines, WRITERS * LINES);
}

/* The file is renamed away while we wait: the lock is on the new one. */
static void lock_follows_rotation(void)
{
	struct bl_file_info info, locked;
	int first, second = -1;
	pid_t pid;

	REQUIRE(!bl_os_open_locked(BL_STR("rotated"), 0600, 0, &first, &error));
	pid = fork();
	if (!pid) {
		usleep(50000);
		_exit(rename("rotated", "rotated.1") != 0);
	}
	/* the child's copy holds the lock too, until it ends */
	bl_os_close(first);
	CHECK_STATUS(bl_os_open_locked(BL_STR("rotated"), 0600, 5000, &second,
				       &error),
		     BL_OK);
	waitpid(pid, NULL, 0);
	CHECK_STATUS(bl_os_info(second, &locked, &error), BL_OK);
	CHECK_STATUS(bl_os_info_path(BL_STR("rotated"), &info, &error), BL_OK);
	CHECK_INT(locked.inode, info.inode);
	bl_os_close(second);
}

static void lock_refuses_what_is_not_a_file(void)
{
	int fd = -1;

	REQUIRE(!symlink("log", "loglink") && !mkfifo("fifo", 0600));
	CHECK_STATUS(bl_os_open_locked(BL_STR("loglink"), 0600, 0, &fd, &error),
		     BL_DENIED);
	CHECK_STATUS(bl_os_open_locked(BL_STR("fifo"), 0600, 0, &fd, &error),
		     BL_INVALID);
	CHECK(bl_os_open_locked(BL_STR("."), 0600, 0, &fd, &error));
	CHECK_STATUS(bl_os_open_locked(BL_STR("no/x"), 0600, 0, &fd, &error),
		     BL_NOT_FOUND);
	CHECK_INT(fd, -1);
}

int main(void)
{
	if (!scratch_open())
		return 1;
	RUN(replace);
	RUN(create);
	RUN(failures_leave_nothing);
	RUN(full_disk);
	RUN(replace_is_atomic);
	RUN(write_all_waits_for_a_pipe);
	RUN(lock_times_out_and_dies_with_its_holder);
	RUN(lock_excludes);
	RUN(lock_follows_rotation);
	RUN(lock_refuses_what_is_not_a_file);
	scratch_close();
	return tap_end();
}

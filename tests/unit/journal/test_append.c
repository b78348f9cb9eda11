/* SPDX-License-Identifier: Apache-2.0 */
/* Many writers, kill -9, rotation, modes, a full disk. */
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <fcntl.h>

#include "logs.h"

static unsigned mode_of(const char *name)
{
	struct bl_file_info info = { 0 };

	bl_os_info_path(at(name), &info, NULL);
	return info.mode;
}

static void test_modes(void)
{
	new_journal();
	CHECK_STATUS(append_one(), BL_OK);
	CHECK_INT(mode_of("state/belay"), 0700);
	CHECK_INT(mode_of(CURRENT), 0600);
}

static void test_nothing_to_append(void)
{
	new_journal();
	CHECK_STATUS(
		bl_journal_append(&options, BL_EVENT_STOP, NULL, 0, &error),
		BL_OK);
	CHECK(access(options.dir.ptr, F_OK) != 0);
}

static void test_several_are_one_write(void)
{
	struct bl_journal_entry entries[3];

	new_journal();
	for (size_t i = 0; i < 3; i++)
		entries[i] = entry;
	CHECK_STATUS(
		bl_journal_append(&options, BL_EVENT_STOP, entries, 3, &error),
		BL_OK);
	CHECK_STATUS(read_last(10), BL_OK);
	CHECK_INT(found_count, 3);
	CHECK_INT(found_bad, 0);
}

/* ---- writers ------------------------------------------------------------ */

enum { WRITERS = 8, APPENDS = 200 };

static int seen[WRITERS][APPENDS];

static void write_numbers(int writer)
{
	for (int i = 0; i < APPENDS; i++) {
		struct bl_str command = bl_arena_printf(
			&arena, "%d %d %0*d", writer, i, i % 40 + 1, 0);

		entry.command = command;
		if (append_new() != BL_OK)
			_exit(1);
	}
	_exit(0);
}

static int count_missing(size_t *out_repeated)
{
	int missing = 0;

	memset(seen, 0, sizeof(seen));
	for (size_t i = 0; i < found_count; i++) {
		int writer, number;
		struct bl_str command = text_of(found[i], "command");

		if (sscanf(bl_arena_copy_str(&arena, command).ptr, "%d %d",
			   &writer, &number) == 2)
			seen[writer][number]++;
	}
	*out_repeated = 0;
	for (int w = 0; w < WRITERS; w++)
		for (int i = 0; i < APPENDS; i++) {
			missing += seen[w][i] == 0;
			*out_repeated += seen[w][i] > 1;
		}
	return missing;
}

static void run_writers(void)
{
	pid_t pids[WRITERS];
	size_t repeated;

	for (int w = 0; w < WRITERS; w++) {
		pids[w] = fork();
		if (pids[w] == 0)
			write_numbers(w);
	}
	for (int w = 0; w < WRITERS; w++) {
		int status = -1;

		waitpid(pids[w], &status, 0);
		CHECK_INT(status, 0);
	}
	CHECK_STATUS(read_last(WRITERS * APPENDS + 10), BL_OK);
	CHECK_INT(found_count, WRITERS * APPENDS);
	CHECK_INT(found_bad, 0);
	CHECK_INT(count_missing(&repeated), 0);
	CHECK_INT(repeated, 0);
}

static void test_many_writers(void)
{
	new_journal();
	run_writers();
	CHECK(access(at(CURRENT ".1").ptr, F_OK) != 0);
}

/* As above with the file renamed all the time. */
static void test_many_writers_and_rotation(void)
{
	new_journal();
	options.max_file_bytes = 40000;
	options.max_files = 100;
	run_writers();
	CHECK(access(at(CURRENT ".5").ptr, F_OK) == 0);
}

static void append_until_killed(void)
{
	char *text = malloc(4000);

	if (!text)
		_exit(1);
	memset(text, 'x', 4000);
	entry.reason = (struct bl_str){ text, 4000 };
	for (;;)
		append_new();
}

static void test_kill(void)
{
	enum { KILLS = 20 };
	size_t appended = 0;

	new_journal();
	for (int round = 0; round < KILLS; round++) {
		struct timespec nap = { 0, 3000000L + round * 130000L };
		pid_t pid = fork();

		if (pid == 0)
			append_until_killed();
		nanosleep(&nap, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		CHECK_STATUS(append_new(), BL_OK);
		appended++;
	}
	CHECK_STATUS(read_last(1000000), BL_OK);
	CHECK(found_count > appended);
	/* Only the line that a writer was at when it was killed may be torn. */
	CHECK(found_bad <= KILLS);
	CHECK_STR(text_of(found[found_count - 1], "id"), entry_id);
}

/* The rest of a write that crashed in the middle is closed off. */
static void test_torn_line(void)
{
	FILE *file;

	new_journal();
	CHECK_STATUS(append_new(), BL_OK);
	file = fopen(at(CURRENT).ptr, "a");
	REQUIRE(file);
	fputs("{\"v\":1,\"id\":\"to", file);
	fclose(file);
	CHECK_STATUS(append_new(), BL_OK);
	CHECK_STATUS(append_new(), BL_OK);
	CHECK_STATUS(read_last(10), BL_OK);
	CHECK_INT(found_count, 3);
	CHECK_INT(found_bad, 1);
}

/* ---- files -------------------------------------------------------------- */

static void test_rotation(void)
{
	static const char *const kept[] = { CURRENT, CURRENT ".1",
					    CURRENT ".2" };

	new_journal();
	options.max_files = 2;
	options.max_file_bytes = 1100; /* two lines */
	for (int i = 0; i < 11; i++) {
		entry.command = bl_arena_printf(&arena, "%d", i);
		CHECK_STATUS(append_new(), BL_OK);
	}
	for (size_t i = 0; i < BL_COUNT(kept); i++) {
		CHECK_INT(mode_of(kept[i]), 0600);
		CHECK(content(kept[i]).len <= 1100);
	}
	CHECK(access(at(CURRENT ".3").ptr, F_OK) != 0);
	CHECK_STATUS(read_last(100), BL_OK);
	CHECK_INT(found_count, 5);
	for (size_t i = 0; i < found_count; i++)
		CHECK_INT(atoi(bl_arena_copy_str(&arena,
						 text_of(found[i], "command"))
				       .ptr),
			  (int)i + 6);
}

/* A line that alone is longer than a file may be is kept all the same. */
static void test_rotation_of_long_lines(void)
{
	new_journal();
	options.max_files = 3;
	options.max_file_bytes = 10;
	for (int i = 0; i < 6; i++)
		CHECK_STATUS(append_new(), BL_OK);
	CHECK_STATUS(read_last(100), BL_OK);
	CHECK_INT(found_count, 4);
}

static void test_link(void)
{
	new_journal();
	bl_os_make_dirs(options.dir, 0700, NULL);
	put("other", "mine\n");
	CHECK_INT(symlink(at("other").ptr, at(CURRENT).ptr), 0);
	CHECK_STATUS(append_one(), BL_DENIED);
	CHECK_STR(content("other"), "mine\n");
}

static void test_locked(void)
{
	int64_t start = bl_os_monotonic_ns();
	int fd;

	new_journal();
	CHECK_STATUS(append_one(), BL_OK);
	fd = open(at(CURRENT).ptr, O_RDWR);
	CHECK_INT(flock(fd, LOCK_EX), 0);
	CHECK_STATUS(append_one(), BL_TIMEOUT);
	CHECK(bl_str_has_prefix(bl_str(error.message), BL_STR("journal: ")));
	CHECK((bl_os_monotonic_ns() - start) / 1000000 >= BL_JOURNAL_LOCK_MS);
	close(fd);
	CHECK_STATUS(append_one(), BL_OK);
}

static void test_folder_that_cannot_be_made(void)
{
	new_journal();
	put("state", "a file\n");
	CHECK(append_one() != BL_OK);
}

/* A limit on the size of files is a disk that is full. */
static void test_full_disk(void)
{
	struct rlimit before, small;
	struct bl_str good;

	new_journal();
	CHECK_STATUS(append_new(), BL_OK);
	good = content(CURRENT);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = good.len + 100; /* some of the next line fits */
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	CHECK_STATUS(append_new(), BL_SYSTEM);
	CHECK_INT(error.sys_errno, EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	CHECK_INT(content(CURRENT).len, good.len);
	CHECK_STATUS(append_new(), BL_OK);
	CHECK_STATUS(read_last(10), BL_OK);
	CHECK_INT(found_count, 2);
	CHECK_INT(found_bad, 0);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_modes);
	RUN(test_nothing_to_append);
	RUN(test_several_are_one_write);
	RUN(test_many_writers);
	RUN(test_many_writers_and_rotation);
	RUN(test_kill);
	RUN(test_torn_line);
	RUN(test_rotation);
	RUN(test_rotation_of_long_lines);
	RUN(test_link);
	RUN(test_locked);
	RUN(test_folder_that_cannot_be_made);
	RUN(test_full_disk);
	place_close();
	return tap_end();
}

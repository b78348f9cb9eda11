/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "scratch.h"

#define MS 1000000LL

static struct bl_child_result result;

/* Runs one child; result holds what came of it. */
static enum bl_status run(const struct bl_child_spec *spec)
{
	int before = open_descriptors();
	enum bl_status status = bl_child_run(spec, 1, &arena, &result, &error);

	CHECK_INT(open_descriptors(), before);
	CHECK(waitpid(-1, NULL, WNOHANG) <= 0); /* no zombie */
	return status;
}

/* A shell script and what differs from the usual. */
struct sh {
	const char *script;
	const char *dir;
	struct bl_str input;
	uint32_t timeout_ms;
	size_t max_stdout_bytes;
	size_t max_stderr_bytes;
	bool kill_leftovers;
};

static enum bl_status run_sh(struct sh sh)
{
	const char *const argv[] = { "/bin/sh", "-c", sh.script, NULL };
	const struct bl_child_spec spec = {
		.argv = argv,
		.dir = sh.dir,
		.input = sh.input,
		.timeout_ms = sh.timeout_ms ? sh.timeout_ms : 20000,
		.max_stdout_bytes = sh.max_stdout_bytes,
		.max_stderr_bytes = sh.max_stderr_bytes,
		.kill_leftovers = sh.kill_leftovers,
	};

	return run(&spec);
}

#define SH(...) run_sh((struct sh){ __VA_ARGS__ })

static void all_three_streams(void)
{
	CHECK_STATUS(
		SH("cat; echo oops >&2; exit 7", .input = BL_STR("some input")),
		BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK_INT(result.code, 7);
	CHECK_STR(result.output, "some input");
	CHECK_STR(result.errors, "oops\n");
	CHECK_INT(result.input_taken_bytes, 10);
	CHECK(!result.errors_cut);
	CHECK(result.started_ns > 0 && result.elapsed_ns > 0);
}

static void exit_codes(void)
{
	static const int codes[] = { 0, 1, 2, 126, 127, 128, 137, 255 };

	for (size_t i = 0; i < BL_COUNT(codes); i++) {
		char script[32];

		snprintf(script, sizeof(script), "exit %d", codes[i]);
		CHECK_STATUS(SH(script), BL_OK);
		CHECK_INT(result.end, BL_CHILD_EXITED);
		CHECK_INT(result.code, codes[i]);
	}
}

static void signals(void)
{
	static const struct {
		const char *script;
		int sig;
	} rows[] = { { "kill -KILL $$", SIGKILL },
		     { "kill -SEGV $$", SIGSEGV },
		     { "kill -PIPE $$", SIGPIPE },
		     { "kill -TERM $$", SIGTERM } };

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		CHECK_STATUS(SH(rows[i].script), BL_OK);
		CHECK_INT(result.end, BL_CHILD_SIGNALLED);
		CHECK_INT(result.code, rows[i].sig);
	}
}

/* ---- starting ----------------------------------------------------------- */

static void check_cannot_start(struct bl_child_spec spec, const char *stage,
			       int why)
{
	result = (struct bl_child_result){ 0 };
	CHECK_STATUS(run(&spec), BL_OK);
	CHECK_INT(result.end, BL_CHILD_CANNOT_START);
	CHECK_STR(bl_str(result.stage), stage);
	CHECK_INT(result.code, why);
	CHECK_INT(result.output.len, 0);
}

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void cannot_start(void)
{
	static char large[200 * 1024];
	const char *none[] = { NULL };

	memset(large, 'x', sizeof(large) - 1);
	large[0] = 'X';
	large[1] = '=';
	write_text("plain", "");
	write_text("script", "echo no interpreter line\n");
	REQUIRE(!chmod("script", 0755));
	write_text("bad", "#!/no/such/interpreter\n");
	REQUIRE(!chmod("bad", 0755));
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("./missing") },
			   "exec", ENOENT);
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("./plain") },
			   "exec", EACCES);
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("/tmp") },
			   "exec", EACCES);
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("./script") },
			   "exec", ENOEXEC);
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("./bad") },
			   "exec", ENOENT);
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("") }, "exec",
			   ENOENT);
	check_cannot_start((struct bl_child_spec){ .argv = none }, "exec",
			   ENOENT);
	check_cannot_start(
		(struct bl_child_spec){ .argv = ARGV("/bin/true", large) },
		"exec", E2BIG);
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("/bin/true"),
						   .env = ARGV(large) },
			   "exec", E2BIG);
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("/bin/true"),
						   .dir = "no/such" },
			   "chdir", ENOENT);
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("/bin/true"),
						   .dir = "plain" },
			   "chdir", ENOTDIR);
}

static void path_search(void)
{
	REQUIRE(!mkdir("bin1", 0755) && !mkdir("bin2", 0755));
	write_text("bin1/tool", "");
	write_text("bin2/tool", "#!/bin/sh\necho two\n");
	write_text("here", "#!/bin/sh\necho here\n");
	REQUIRE(!chmod("bin2/tool", 0755) && !chmod("here", 0755));
	/* bin1/tool may not be run, the search goes on */
	CHECK_STATUS(run(&(struct bl_child_spec){
			     .argv = ARGV("tool"),
			     .env = ARGV("A=b", "PATH=/no:bin1:bin2") }),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK_STR(result.output, "two\n");
	check_cannot_start(
		(struct bl_child_spec){ .argv = ARGV("tool"),
					.env = ARGV("PATH=bin1:no") },
		"exec", EACCES);
	/* nothing, and nothing between colons, is not the working directory */
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("here"),
						   .env = ARGV("PATH=") },
			   "exec", ENOENT);
	check_cannot_start((struct bl_child_spec){ .argv = ARGV("here"),
						   .env = ARGV("PATH=::/no:") },
			   "exec", ENOENT);
	CHECK_STATUS(run(&(struct bl_child_spec){ .argv = ARGV("here"),
						  .env = ARGV("PATH=.") }),
		     BL_OK);
	CHECK_STR(result.output, "here\n");
	/* without PATH: the usual places */
	CHECK_STATUS(run(&(struct bl_child_spec){ .argv = ARGV("true"),
						  .env = ARGV("A=b") }),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
}

static void environment_and_directory(void)
{
	char expected[128];

	CHECK_STATUS(run(&(struct bl_child_spec){
			     .argv = ARGV("/usr/bin/env"),
			     .env = ARGV("A=1", "B=two words") }),
		     BL_OK);
	CHECK_STR(result.output, "A=1\nB=two words\n");
	setenv("BELAY_MARK", "inherited", 1);
	CHECK_STATUS(SH("printf %s \"$BELAY_MARK\""), BL_OK);
	CHECK_STR(result.output, "inherited");
	CHECK_STATUS(SH("pwd", .dir = "bin1"), BL_OK);
	snprintf(expected, sizeof(expected), "%s/bin1\n", scratch);
	CHECK_STR(result.output, expected);
}

/* Ignored and blocked signals are not passed on, nor are descriptors. */
static void child_starts_clean(void)
{
	sigset_t set, before;
	int leaky = open("/dev/null", O_RDONLY); /* not close-on-exec */
	int high = fcntl(leaky, F_DUPFD, 300);

	/* 32 is one of those that the C library keeps for itself */
	static const unsigned long ignored[8] = { (unsigned long)SIG_IGN };
	static const unsigned long plain[8];

	signal(SIGUSR1, SIG_IGN);
	syscall(SYS_rt_sigaction, 32, ignored, NULL, (size_t)8);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	CHECK_STATUS(
		run(&(struct bl_child_spec){
			.argv = ARGV("grep", "-E", "^Sig(Blk|Ign):.*[1-9a-f]",
				     "/proc/self/status") }),
		BL_OK);
	CHECK_INT(result.code, 1);
	CHECK_STR(result.output, "");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	syscall(SYS_rt_sigaction, 32, plain, NULL, (size_t)8);
	CHECK(signal(SIGUSR1, SIG_DFL) == SIG_IGN); /* ours is as it was */
	/* ls itself opens 3 */
	CHECK_STATUS(run(&(struct bl_child_spec){
			     .argv = ARGV("ls", "/proc/self/fd") }),
		     BL_OK);
	CHECK_STR(result.output, "0\n1\n2\n3\n");
	close(leaky);
	close(high);
}

static void own_process_group(void)
{
	CHECK_STATUS(SH("read -r _ _ _ _ group _ </proc/$$/stat; "
			"[ $group = $$ ]"),
		     BL_OK);
	CHECK_INT(result.code, 0);
}

/* A caller without 0 to 2: the pipes must not fall on them. */
static void closed_standard_descriptors(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		close(0);
		close(1);
		close(2);
		if (SH("cat; echo err >&2", .input = BL_STR("in")))
			_exit(1);
		if (!bl_str_is(result.output, "in") ||
		    !bl_str_is(result.errors, "err\n"))
			_exit(2);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK_INT(WEXITSTATUS(status), 0);
}

/* ---- input -------------------------------------------------------------- */

static struct bl_str large_input(size_t bytes)
{
	char *text = bl_arena_alloc(&arena, bytes);

	if (text)
		memset(text, 'i', bytes);
	return (struct bl_str){ text, text ? bytes : 0 };
}

static void input_that_nobody_reads(void)
{
	struct bl_str input = large_input(10 << 20);

	CHECK_STATUS(SH("exit 3", .input = input), BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK_INT(result.code, 3);
	CHECK(result.input_taken_bytes < input.len);
	CHECK_STATUS(SH("exec 0<&-; sleep 0.1; echo done", .input = input),
		     BL_OK);
	CHECK_STR(result.output, "done\n");
	CHECK_STATUS(SH("head -c 5000000 | wc -c", .input = input), BL_OK);
	CHECK_STR(result.output, "5000000\n");
	CHECK(result.input_taken_bytes >= 5000000);
	CHECK(result.input_taken_bytes < input.len);
}

static void hundred_mebibytes(void)
{
	struct bl_str input = large_input(100 << 20);

	REQUIRE(input.len);
	CHECK_STATUS(SH("cat | wc -c", .input = input), BL_OK);
	CHECK_STR(result.output, "104857600\n");
	CHECK_INT(result.input_taken_bytes, input.len);
	/* all of it back, through both pipes at once */
	CHECK_STATUS(SH("cat", .input = input, .max_stdout_bytes = input.len),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK(bl_str_equal(result.output, input));
	bl_arena_clear(&arena);
}

static void no_input_is_end_of_file(void)
{
	CHECK_STATUS(SH("wc -c"), BL_OK);
	CHECK_STR(result.output, "0\n");
	CHECK_STATUS(SH("cat /dev/stdin", .input = BL_STR("again")), BL_OK);
	CHECK_STR(result.output, "again");
}

static void sigpipe_is_untouched(void)
{
	struct sigaction action;
	sigset_t pending, mask;
	struct bl_str input = large_input(1 << 20);

	signal(SIGPIPE, SIG_DFL); /* would kill us */
	CHECK_STATUS(SH("exit 0", .input = input), BL_OK);
	CHECK_STATUS(SH("exec 0<&-; sleep 0.1", .input = input), BL_OK);
	sigaction(SIGPIPE, NULL, &action);
	CHECK(action.sa_handler == SIG_DFL);
	sigpending(&pending);
	CHECK(!sigismember(&pending, SIGPIPE));
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	CHECK(!sigismember(&mask, SIGPIPE));
	/* one that was pending before is still there afterwards */
	sigemptyset(&mask);
	sigaddset(&mask, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	raise(SIGPIPE);
	CHECK_STATUS(SH("exec 0<&-; sleep 0.1", .input = input), BL_OK);
	sigpending(&pending);
	CHECK(sigismember(&pending, SIGPIPE));
	signal(SIGPIPE, SIG_IGN);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
	signal(SIGPIPE, SIG_DFL);
}

/* ---- output ------------------------------------------------------------- */

static void too_much_output(void)
{
	CHECK_STATUS(SH("head -c 1073741824 /dev/zero"), BL_OK);
	CHECK_INT(result.end, BL_CHILD_TOO_MUCH);
	CHECK_INT(result.output.len, BL_CHILD_MAX_OUTPUT_BYTES);
	CHECK_STATUS(SH("printf 12345", .max_stdout_bytes = 5), BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK_STR(result.output, "12345");
	CHECK_STATUS(SH("printf 123456; sleep 60.1", .max_stdout_bytes = 5),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_TOO_MUCH);
	CHECK_STR(result.output, "12345");
	CHECK(result.elapsed_ns < 5000 * MS);
	CHECK(!find_own("sleep 60.1"));
}

static void errors_are_cut(void)
{
	CHECK_STATUS(SH("head -c 3000000 /dev/zero | tr '\\0' e >&2; echo out",
			.max_stderr_bytes = 1000),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK_STR(result.output, "out\n");
	CHECK_INT(result.errors.len, 1000);
	CHECK(result.errors_cut);
	CHECK_STATUS(SH("printf 1234 >&2", .max_stderr_bytes = 4), BL_OK);
	CHECK_STR(result.errors, "1234");
	CHECK(!result.errors_cut);
	CHECK_STATUS(SH("printf 12345 >&2", .max_stderr_bytes = 4), BL_OK);
	CHECK_STR(result.errors, "1234");
	CHECK(result.errors_cut);
}

/* ---- deadlines ---------------------------------------------------------- */

static void timeout_keeps_early_output(void)
{
	CHECK_STATUS(
		SH("echo early; echo err >&2; sleep 60.2", .timeout_ms = 200),
		BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK_STR(result.output, "early\n");
	CHECK_STR(result.errors, "err\n");
	CHECK(result.elapsed_ns >= 200 * MS);
	CHECK(result.elapsed_ns < 450 * MS); /* TERM was enough */
	CHECK(!find_own("sleep 60.2"));
}

static void timeout_asks_first(void)
{
	CHECK_STATUS(SH("trap 'echo bye; exit 0' TERM; "
			"while :; do sleep 0.02; done",
			.timeout_ms = 150),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK_STR(result.output, "bye\n");
}

static void timeout_then_kills(void)
{
	CHECK_STATUS(SH("trap '' TERM; while :; do sleep 0.02; done",
			.timeout_ms = 100),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK(result.elapsed_ns >= (100 + BL_CHILD_GRACE_MS) * MS);
	CHECK(result.elapsed_ns < (100 + BL_CHILD_GRACE_MS + 1000) * MS);
}

static void stopped_child_is_killed(void)
{
	CHECK_STATUS(SH("trap '' TERM; kill -STOP $$; "
			"while :; do kill -STOP $$; done",
			.timeout_ms = 100),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK(result.elapsed_ns < (100 + BL_CHILD_GRACE_MS + 1000) * MS);
	CHECK_STATUS(SH("kill -STOP $$", .timeout_ms = 100), BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK(result.elapsed_ns < 400 * MS);
}

static void timeout_while_being_fed(void)
{
	CHECK_STATUS(SH("sleep 60.3", .input = large_input(4 << 20),
			.timeout_ms = 150),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK(result.input_taken_bytes < 4 << 20);
	CHECK(result.elapsed_ns < 450 * MS);
	CHECK(!find_own("sleep 60.3"));
}

/*
 * From now on, and in children, every read of as many bytes as the first of a
 * child's output fails with EIO.
 */
static bool break_reads(void)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4096, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { BL_COUNT(insns), insns };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* The lost part of its output may have been its answer. */
static void unreadable_output(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		bool right = break_reads() && !SH("echo no") &&
			     result.end == BL_CHILD_UNREADABLE &&
			     result.code == EIO && !SH("echo no; exit 2") &&
			     result.end == BL_CHILD_EXITED && result.code == 2;

		_exit(right ? 0 : 1);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

/* ---- descendants -------------------------------------------------------- */

static void session_of_its_own_is_killed(void)
{
	CHECK_STATUS(SH("setsid sleep 60.4 & sleep 60.5", .timeout_ms = 150),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK(!find_own("sleep 60.4") && !find_own("sleep 60.5"));
}

/* A daemon: its parent is gone before the deadline, and no pipe is held. */
static void daemon_is_killed(void)
{
	CHECK_STATUS(SH("setsid sh -c 'sleep 60.6 >/dev/null 2>&1 & exit'; "
			"sleep 60.7",
			.timeout_ms = 200),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK(!find_own("sleep 60.6") && !find_own("sleep 60.7"));
}

/* TERM ends the leader at once, the descendants ignore it. */
static void stubborn_descendants_are_killed(void)
{
	CHECK_STATUS(SH("for i in 1 2 3 4 5 6 7 8; do "
			"sh -c 'trap \"\" TERM; setsid sleep 60.8; :' & "
			"done; sleep 60.9",
			.timeout_ms = 300),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK(!find_own("sleep 60.8") && !find_own("sleep 60.9"));
}

/*
 * "chain FILE": each process lives for a fork, in a session of its own, so that
 * whoever looks finds one that is gone.  The first bytes of FILE count them.
 */
static int be_chain(const char *path)
{
	enum { MOST = 200 * 1000 };
	int fd = open(path, O_RDWR);
	atomic_int *count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE,
				 MAP_SHARED, fd, 0);

	if (count == MAP_FAILED)
		return 1;
	for (int i = 0; i < MOST; i++) {
		if (fork())
			_exit(0);
		setsid();
		atomic_fetch_add(count, 1);
	}
	return 0;
}

static const char *own_path(void)
{
	static char path[4096];

	return readlink("/proc/self/exe", path, sizeof(path) - 1) < 0 ? NULL
								      : path;
}

/* How many links the chain has so far. */
static int chain_length(void)
{
	int count = 0;
	int fd = open("chain", O_RDONLY);

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		count = -1;
	close(fd);
	return count;
}

static void chain_is_killed(void)
{
	for (int i = 0; i < 8; i++) {
		int fd = open("chain", O_RDWR | O_CREAT | O_TRUNC, 0600);
		int length;

		CHECK_INT(ftruncate(fd, sizeof(int)), 0);
		close(fd);
		CHECK_STATUS(SH("./test chain chain & sleep 60.14",
				.timeout_ms = 150),
			     BL_OK);
		CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
		CHECK(!result.has_leftovers);
		length = chain_length();
		CHECK(length > 10);
		usleep(20000);
		CHECK_INT(chain_length(), length);
	}
}

static void background_child_does_not_hang_us(void)
{
	CHECK_STATUS(SH("sleep 5.1 & echo x; exit 4"), BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK_INT(result.code, 4);
	CHECK_STR(result.output, "x\n");
	CHECK(result.elapsed_ns >= BL_CHILD_DRAIN_MS * MS);
	CHECK(result.elapsed_ns < 1000 * MS);
	CHECK(find_own("sleep 5.1")); /* and is left alone */
	CHECK_INT(kill(find_own("sleep 5.1"), SIGKILL), 0);
	while (waitpid(-1, NULL, 0) > 0)
		; /* it had come to us */
}

static void leftovers_are_killed_on_request(void)
{
	CHECK_STATUS(SH("sleep 5.2 & setsid sleep 5.3 & exit 0",
			.kill_leftovers = true),
		     BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK_INT(result.code, 0);
	CHECK(!find_own("sleep 5.2") && !find_own("sleep 5.3"));
	CHECK(result.elapsed_ns < 1000 * MS);
}

/* Children of the caller that are not ours are neither killed nor reaped. */
static void strangers_are_left_alone(void)
{
	int status = 0;
	pid_t stranger = fork();

	if (!stranger) {
		usleep(400000);
		_exit(42);
	}
	CHECK_STATUS(SH("sleep 61.1", .timeout_ms = 100), BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK_INT(waitpid(stranger, &status, 0), stranger);
	CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 42);
}

/* ---- several ------------------------------------------------------------ */

/* A child that ends with its leftovers takes none of the others with it. */
static void leftovers_of_one_among_several(void)
{
	static const char *const scripts[] = { "setsid sleep 5.4 & echo a",
					       "sleep 0.3; echo b", "exit 3" };
	const char *argv[3][4];
	struct bl_child_spec specs[3];
	struct bl_child_result results[3];

	for (size_t i = 0; i < 3; i++) {
		const char *words[] = { "/bin/sh", "-c", scripts[i], NULL };

		memcpy(argv[i], words, sizeof(words));
		specs[i] = (struct bl_child_spec){ .argv = argv[i],
						   .timeout_ms = 20000,
						   .kill_leftovers = true };
	}
	CHECK_STATUS(bl_child_run(specs, 3, &arena, results, &error), BL_OK);
	CHECK_STR(results[0].output, "a\n");
	CHECK_STR(results[1].output, "b\n");
	CHECK_INT(results[1].end, BL_CHILD_EXITED);
	CHECK_INT(results[2].code, 3);
	CHECK(!find_own("sleep 5.4"));
}

/* Their deadlines are the same, and none heeds TERM: each has its own end. */
static void deadlines_of_several(void)
{
	const char *const argv[] = { "/bin/sh", "-c",
				     "trap '' TERM; setsid sleep 60.12 & "
				     "while :; do sleep 60.11; done",
				     NULL };
	struct bl_child_spec specs[3];
	struct bl_child_result results[3];

	for (int at_once = 0; at_once < 2; at_once++) {
		for (size_t i = 0; i < 3; i++)
			specs[i] = (struct bl_child_spec){
				.argv = argv,
				.timeout_ms = 100,
				.kill_at_once = at_once,
			};
		CHECK_STATUS(bl_child_run(specs, 3, &arena, results, &error),
			     BL_OK);
		for (size_t i = 0; i < 3; i++)
			CHECK_INT(results[i].end, BL_CHILD_TIMED_OUT);
		CHECK(!find_own("sleep 60.11") && !find_own("sleep 60.12"));
	}
}

/* Each waits for the other's file: one after the other would time out. */
static void side_by_side(void)
{
	static const char *const scripts[2] = {
		"touch a; until [ -e b ]; do sleep 0.01; done; echo a",
		"touch b; until [ -e a ]; do sleep 0.01; done; echo b",
	};
	const char *const argv0[] = { "sh", "-c", scripts[0], NULL };
	const char *const argv1[] = { "sh", "-c", scripts[1], NULL };
	struct bl_child_spec specs[2] = {
		{ .argv = argv0, .timeout_ms = 10000 },
		{ .argv = argv1, .timeout_ms = 10000 },
	};
	struct bl_child_result results[2];

	CHECK_STATUS(bl_child_run(specs, 2, &arena, results, &error), BL_OK);
	CHECK_INT(results[0].end, BL_CHILD_EXITED);
	CHECK_INT(results[1].end, BL_CHILD_EXITED);
	CHECK_STR(results[0].output, "a\n");
	CHECK_STR(results[1].output, "b\n");
}

/* All kinds of ends in one run; each has its own deadline. */
static void mixed_ends(void)
{
	struct bl_child_spec specs[5] = {
		{ .argv = ARGV("sh", "-c", "echo 0") },
		{ .argv = ARGV("sleep", "61.2"), .timeout_ms = 100 },
		{ .argv = ARGV("/missing") },
		{ .argv = ARGV("sh", "-c", "sleep 0.4; echo late") },
		{ .argv = ARGV("yes"), .max_stdout_bytes = 100 },
	};
	static const enum bl_child_end ends[5] = {
		BL_CHILD_EXITED, BL_CHILD_TIMED_OUT, BL_CHILD_CANNOT_START,
		BL_CHILD_EXITED, BL_CHILD_TOO_MUCH,
	};
	struct bl_child_result results[5];

	CHECK_STATUS(bl_child_run(specs, 5, &arena, results, &error), BL_OK);
	for (int i = 0; i < 5; i++)
		CHECK_INT(results[i].end, ends[i]);
	CHECK_STR(results[3].output, "late\n");
	CHECK(results[1].elapsed_ns < 400 * MS);
}

static void counts(void)
{
	CHECK_STATUS(bl_child_run(NULL, 0, &arena, NULL, &error), BL_OK);
	CHECK_STATUS(bl_child_run(NULL, BL_CHILD_MAX + 1, &arena, NULL, &error),
		     BL_LIMIT);
}

static void out_of_descriptors(void)
{
	enum { COUNT = 40 };
	const char *const argv[] = { "cat", NULL };
	static struct bl_child_spec specs[COUNT];
	static struct bl_child_result results[COUNT];
	int status = 0, before = open_descriptors();
	struct rlimit small = { 64, 64 };
	pid_t pid;

	for (int i = 0; i < COUNT; i++)
		specs[i] = (struct bl_child_spec){ .argv = argv };
	pid = fork();
	if (!pid) {
		int failed = 0, good = 0;

		setrlimit(RLIMIT_NOFILE, &small);
		if (bl_child_run(specs, COUNT, &arena, results, &error))
			_exit(1);
		for (int i = 0; i < COUNT; i++) {
			good += results[i].end == BL_CHILD_EXITED &&
				!results[i].code;
			failed += results[i].end == BL_CHILD_CANNOT_START &&
				  results[i].code == EMFILE &&
				  !strcmp(results[i].stage, "pipe");
		}
		_exit(good > 0 && failed > 0 && good + failed == COUNT &&
				      open_descriptors() == before
			      ? 0
			      : 2);
	}
	waitpid(pid, &status, 0);
	CHECK_INT(WEXITSTATUS(status), 0);
}

static void *run_many(void *data)
{
	struct bl_arena own;
	int *failures = data;

	bl_arena_init(&own, NULL, 0, 0);
	for (int i = 0; i < 20; i++) {
		const char *const argv[] = { "sh", "-c", "cat; exit 9", NULL };
		struct bl_child_spec spec = { .argv = argv,
					      .input = BL_STR("thread"),
					      .timeout_ms = 20000 };
		struct bl_child_result one;

		if (bl_child_run(&spec, 1, &own, &one, NULL) ||
		    one.end != BL_CHILD_EXITED || one.code != 9 ||
		    !bl_str_is(one.output, "thread"))
			++*failures;
		bl_arena_reset(&own);
	}
	bl_arena_clear(&own);
	return NULL;
}

static void many_threads(void)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	int failures[THREADS] = { 0 };
	int before = open_descriptors();
	int subreaper = 7;

	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, run_many,
					&failures[i]));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_INT(failures[i], 0);
	}
	CHECK_INT(open_descriptors(), before);
	CHECK(waitpid(-1, NULL, WNOHANG) <= 0);
	prctl(PR_GET_CHILD_SUBREAPER, &subreaper, 0, 0, 0);
	CHECK_INT(subreaper, 0); /* as it was */
}

/* A caller that ignores SIGCHLD learns no exit status, and must be told. */
static void lost_exit_status_is_an_error(void)
{
	signal(SIGCHLD, SIG_IGN);
	CHECK_STATUS(SH("exit 0"), BL_SYSTEM);
	signal(SIGCHLD, SIG_DFL);
}

/* ---- steps, ends, sums -------------------------------------------------- */

static int say(const void *data)
{
	const struct bl_str *text = data;

	return write(1, text->ptr, text->len) == (ssize_t)text->len ? 0 : EIO;
}

static int refuse(const void *data)
{
	(void)data;
	return EXDEV;
}

static void steps_before_the_program(void)
{
	const char *const argv[] = { "/bin/sh", "-c", "echo program", NULL };
	const struct bl_str one = BL_STR("one "), two = BL_STR("two ");
	const struct bl_child_step steps[] = { { "one", say, &one },
					       { "two", say, &two },
					       { "no", refuse, NULL } };
	struct bl_child_spec spec = {
		.argv = argv,
		.steps = steps,
		.step_count = 2,
	};

	CHECK_STATUS(run(&spec), BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	CHECK_STR(result.output, "one two program\n");
	spec.step_count = 3;
	CHECK_STATUS(run(&spec), BL_OK);
	CHECK_INT(result.end, BL_CHILD_CANNOT_START);
	CHECK_INT(result.code, EXDEV);
	CHECK_STR(bl_str(result.stage), "no");
}

/* Processes that the kernel ends by itself are not looked for. */
static void ends_whole(void)
{
	const char *const argv[] = { "/bin/sh", "-c", "sleep 30", NULL };
	struct bl_child_spec spec = {
		.argv = argv,
		.timeout_ms = 100,
		.kill_at_once = true,
		.kill_leftovers = true,
		.ends_whole = true,
	};

	CHECK_STATUS(run(&spec), BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK(result.elapsed_ns < (100 + BL_CHILD_GRACE_MS) * MS);
}

static void killed_at_once(void)
{
	const char *const argv[] = { "/bin/sh", "-c",
				     "trap '' TERM; sleep 30; echo no", NULL };
	struct bl_child_spec spec = {
		.argv = argv,
		.timeout_ms = 100,
		.kill_at_once = true,
	};

	CHECK_STATUS(run(&spec), BL_OK);
	CHECK_INT(result.end, BL_CHILD_TIMED_OUT);
	CHECK(result.elapsed_ns < (100 + BL_CHILD_GRACE_MS) * MS);
}

static void both_outputs_together(void)
{
	const char *argv[] = { "/bin/sh", "-c", "printf 12345; printf 1234 >&2",
			       NULL };
	struct bl_child_spec spec = { .argv = argv, .max_together_bytes = 9 };

	CHECK_STATUS(run(&spec), BL_OK);
	CHECK_INT(result.end, BL_CHILD_EXITED);
	spec.max_together_bytes = 8;
	CHECK_STATUS(run(&spec), BL_OK);
	CHECK_INT(result.end, BL_CHILD_TOO_MUCH);
	CHECK_INT(result.output.len + result.errors.len, 8);
	argv[2] = "yes >&2 | cat & yes; wait";
	spec.max_together_bytes = 65536;
	CHECK_STATUS(run(&spec), BL_OK);
	CHECK_INT(result.end, BL_CHILD_TOO_MUCH);
	CHECK_INT(result.output.len + result.errors.len, 65536);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "chain"))
		return be_chain(argv[2]);
	if (!scratch_open() || symlink(own_path(), "test"))
		return 1;
	RUN(all_three_streams);
	RUN(exit_codes);
	RUN(signals);
	RUN(cannot_start);
	RUN(path_search);
	RUN(environment_and_directory);
	RUN(child_starts_clean);
	RUN(own_process_group);
	RUN(closed_standard_descriptors);
	RUN(input_that_nobody_reads);
	RUN(hundred_mebibytes);
	RUN(no_input_is_end_of_file);
	RUN(sigpipe_is_untouched);
	RUN(too_much_output);
	RUN(errors_are_cut);
	RUN(timeout_keeps_early_output);
	RUN(timeout_asks_first);
	RUN(timeout_then_kills);
	RUN(stopped_child_is_killed);
	RUN(timeout_while_being_fed);
	RUN(unreadable_output);
	RUN(session_of_its_own_is_killed);
	RUN(daemon_is_killed);
	RUN(stubborn_descendants_are_killed);
	RUN(chain_is_killed);
	RUN(background_child_does_not_hang_us);
	RUN(leftovers_are_killed_on_request);
	RUN(strangers_are_left_alone);
	RUN(leftovers_of_one_among_several);
	RUN(deadlines_of_several);
	RUN(side_by_side);
	RUN(mixed_ends);
	RUN(counts);
	RUN(out_of_descriptors);
	RUN(many_threads);
	RUN(lost_exit_status_is_an_error);
	RUN(steps_before_the_program);
	RUN(ends_whole);
	RUN(killed_at_once);
	RUN(both_outputs_together);
	scratch_close();
	return tap_end();
}

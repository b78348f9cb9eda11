/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape STORY [ARGUMENT]: tries one way out of a sandbox.  Exits 0 when it got
 * out, 1 when it was refused (and says how), 2 when it could not even try.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GOT_OUT = 0, REFUSED = 1, CANNOT_TRY = 2 };

#ifndef TIOCSTI
#	define TIOCSTI 0x5412
#endif

static int refused(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	return REFUSED;
}

static int got_out(const char *what)
{
	printf("%s: got out\n", what);
	return GOT_OUT;
}

static int judge(const char *what, long result)
{
	return result < 0 ? refused(what) : got_out(what);
}

/* ---- files ---------------------------------------------------------- */

static int read_path(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return refused(path);
	return judge(path, read(fd, &byte, 1) == 1 ? 0 : -1);
}

static int write_path(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0)
		return refused(path);
	return judge(path, write(fd, "x", 1) == 1 ? 0 : -1);
}

static int change_mode(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return refused(path);
	return judge(path, chmod(path, st.st_mode & 07777));
}

/* Does the file have a bit that gives its caller another's identity? */
static bool has_set_id(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && st.st_mode & (S_ISUID | S_ISGID);
}

enum { CHANGES = 4, WAYS = 9, FCHMODAT2 = 452, OPENAT2 = 437 };

/* An ordinary new file, whose mode is then changed. */
static int make_and_change(const char *path, int way)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0755);

	switch (way) {
	case 0:
		(void)!chmod(path, 04755);
		break;
	case 1:
		(void)!fchmod(fd, 02755);
		break;
	case 2:
		(void)!fchmodat(AT_FDCWD, path, 04755, 0);
		break;
	default:
		syscall(FCHMODAT2, AT_FDCWD, path, 04755, 0);
		break;
	}
	return fd;
}

/* A file that is born so. */
static int make_with_mode(const char *path, int way)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = { O_CREAT | O_WRONLY, 04755, 0 };
	int fd;

	switch (way) {
	case 4:
		return open(path, O_CREAT | O_WRONLY, 04755);
	case 5:
		return creat(path, 02755);
	case 6:
		return mknod(path, S_IFREG | 04755, 0);
	case 7:
		return (int)syscall(OPENAT2, AT_FDCWD, path, &how, sizeof(how));
	default:
		fd = open(".", O_TMPFILE | O_WRONLY, 04755);
		(void)!linkat(fd, "", AT_FDCWD, path, AT_EMPTY_PATH);
		return fd;
	}
}

/* Every call that makes a file or changes its mode; removes what it made. */
static int set_id(const char *path)
{
	for (int way = 0; way < WAYS; way++) {
		int fd = way < CHANGES ? make_and_change(path, way)
				       : make_with_mode(path, way);
		bool has = has_set_id(path);

		if (fd > 0)
			close(fd);
		unlink(path);
		if (has) {
			printf("way %d: ", way);
			return got_out("a file with another's identity");
		}
	}
	errno = EPERM;
	return refused("all of them");
}

/* A link in the workspace that leads to path. */
static int follow_link(const char *path)
{
	unlink("link");
	if (symlink(path, "link"))
		return CANNOT_TRY;
	return read_path("link");
}

/* Takes back what it could not write all of. */
static int fill_file(const char *path)
{
	static char block[1024 * 1024];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int result = GOT_OUT;

	if (fd < 0)
		return refused(path);
	for (int i = 0; i < 80 && result == GOT_OUT; i++) {
		if (write(fd, block, sizeof(block)) != sizeof(block))
			result = refused("80 MiB");
	}
	unlink(path);
	return result;
}

static int large_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int result;

	if (fd < 0)
		return CANNOT_TRY;
	signal(SIGXFSZ, SIG_IGN);
	result = judge("2 GiB", ftruncate(fd, (off_t)2 << 30));
	unlink(path);
	return result;
}

/* ---- network -------------------------------------------------------- */

static int tcp(const char *port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		return refused("socket");
	return judge("connect",
		     connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

static int udp(const char *port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0)
		return refused("socket");
	return judge("sendto",
		     sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)));
}

/* A name that begins with @ is an abstract one. */
static int local_socket(const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = strlen(name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0)
		return refused("socket");
	memcpy(to.sun_path, name, len);
	if (name[0] == '@')
		to.sun_path[0] = '\0';
	return judge("connect", connect(fd, (struct sockaddr *)&to,
					(socklen_t)(offsetof(struct sockaddr_un,
							     sun_path) +
						    len)));
}

/* A name that begins with @ is an abstract one. */
static int listen_local(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	size_t len = strlen(name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(at.sun_path, name, len);
	if (name[0] == '@')
		at.sun_path[0] = '\0';
	if (bind(fd, (struct sockaddr *)&at,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) ||
	    listen(fd, 64))
		return -1;
	if (name[0] != '@')
		chmod(name, 0777);
	return fd;
}

/* Outside: what is to be reached.  Prints the port. */
static int serve(const char *path, const char *abstract)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(fd, 64) || getsockname(fd, (struct sockaddr *)&at, &len) ||
	    listen_local(path) < 0 || listen_local(abstract) < 0)
		return CANNOT_TRY;
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	for (;;)
		pause();
}

static int listen_tcp(const char *unused)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_ANY),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)unused;
	if (fd < 0)
		return refused("socket");
	return judge("bind", bind(fd, (struct sockaddr *)&at, sizeof(at)));
}

/* ---- other processes ------------------------------------------------ */

static int trace(const char *pid)
{
	return judge("ptrace", ptrace(PTRACE_ATTACH, atoi(pid), NULL, NULL));
}

static int read_memory(const char *pid)
{
	/* Where the program is: its first bytes are there in both. */
	static char here[1];
	struct {
		void *at;
		size_t len;
	} to = { here, 1 }, from = { here, 1 };

	return judge("process_vm_readv",
		     syscall(SYS_process_vm_readv, atoi(pid), &to, 1L, &from,
			     1L, 0L));
}

static int send_signal(const char *pid)
{
	return judge("kill", kill(atoi(pid), 0));
}

/*
 * The parent: in a pid namespace it is 0, and there is nobody to signal.
 * Without one the number is real.
 */
static int signal_parent(const char *unused)
{
	pid_t parent = getppid();

	(void)unused;
	if (!parent) {
		errno = ESRCH;
		return refused("getppid");
	}
	return judge("kill", kill(parent, 0));
}

/* Ways to change how another process runs; each alone would be a way out. */
static int slow_down(const char *pid)
{
	enum { OF_PROCESS = 1 };
	struct {
		uint32_t size, policy;
		uint64_t rest[5];
	} attributes = {
		.size = 48,
	};
	struct sched_param plain = { 0 };
	struct rlimit limit = { 64, 64 };
	cpu_set_t one;
	pid_t of = atoi(pid);

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (!prlimit(of, RLIMIT_NOFILE, &limit, NULL))
		return got_out("prlimit");
	if (!sched_setaffinity(of, sizeof(one), &one))
		return got_out("sched_setaffinity");
	if (!sched_setscheduler(of, SCHED_OTHER, &plain))
		return got_out("sched_setscheduler");
	if (!sched_setparam(of, &plain))
		return got_out("sched_setparam");
	if (!syscall(SYS_sched_setattr, of, &attributes, 0L))
		return got_out("sched_setattr");
	if (!setpriority(PRIO_PROCESS, (id_t)of, 19) ||
	    !setpriority(PRIO_PGRP, (id_t)getpgid(of), 19))
		return got_out("setpriority");
	if (!syscall(SYS_ioprio_set, (long)OF_PROCESS, (long)of, 0x6007L))
		return got_out("ioprio_set");
	return refused("all of them");
}

static int parents_file(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)getppid(), name);
	return read_path(path);
}

/* ---- descriptors, terminals, keys ----------------------------------- */

static int descriptor(const char *unused)
{
	(void)unused;
	for (int fd = 3; fd < 1024; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			return got_out("descriptor");
	}
	return refused("descriptors 3 to 1023");
}

/* Refused by the filter, not because standard input is not a terminal. */
static int terminal(const char *unused)
{
	(void)unused;
	if (ioctl(0, TIOCSTI, "x") && errno != EPERM)
		return got_out("TIOCSTI was tried by the kernel");
	return refused("TIOCSTI");
}

static int keys(const char *unused)
{
	enum { GET_KEYRING_ID = 0, USER_KEYRING = -4 };

	(void)unused;
	return judge("keyctl", syscall(SYS_keyctl, GET_KEYRING_ID, USER_KEYRING,
				       1L, 0L, 0L));
}

static int environment(const char *name)
{
	errno = ENOENT;
	return judge(name, getenv(name) ? 0 : -1);
}

/* ---- the kernel ----------------------------------------------------- */

static int mount_tmp(const char *unused)
{
	(void)unused;
	return judge("mount", mount("x", "/tmp", "tmpfs", 0, NULL));
}

static int new_namespace(const char *unused)
{
	(void)unused;
	return judge("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNS));
}

/* Calls that have to be refused whatever their arguments. */
static const struct {
	const char *name;
	long number;
} calls[] = {
	{ "bpf", SYS_bpf },
	{ "perf_event_open", SYS_perf_event_open },
	{ "io_uring_setup", SYS_io_uring_setup },
	{ "userfaultfd", SYS_userfaultfd },
	{ "setns", SYS_setns },
	{ "pivot_root", SYS_pivot_root },
	{ "chroot", SYS_chroot },
	{ "open_tree", SYS_open_tree },
	{ "fsopen", SYS_fsopen },
	{ "add_key", SYS_add_key },
	{ "request_key", SYS_request_key },
	{ "init_module", SYS_init_module },
	{ "kexec_load", SYS_kexec_load },
	{ "reboot", SYS_reboot },
	{ "syslog", SYS_syslog },
	{ "pidfd_getfd", SYS_pidfd_getfd },
	{ "open_by_handle_at", SYS_open_by_handle_at },
};

static int system_calls(const char *unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (syscall(calls[i].number, -1L, -1L, -1L, -1L, -1L) >= 0 ||
		    errno != EPERM)
			return got_out(calls[i].name);
	}
	return refused("all of them");
}

/* ---- bombs ---------------------------------------------------------- */

enum { MOST_FORKS = 1000 };

static pid_t forked[MOST_FORKS];

/* As many processes as there may be, each in a session of its own. */
static int fork_many(void)
{
	int count = 0;

	while (count < MOST_FORKS) {
		forked[count] = fork();
		if (forked[count] < 0)
			break;
		if (!forked[count]) {
			setsid();
			pause();
			_exit(0);
		}
		count++;
	}
	printf("%d processes: %s\n", count, strerror(errno));
	return count;
}

/* More than there may be in a sandbox?  Cleans up. */
static int forks(const char *most)
{
	int count = fork_many();

	for (int i = 0; i < count; i++)
		kill(forked[i], SIGKILL);
	return count < atoi(most) ? REFUSED : GOT_OUT;
}

static int forks_and_wait(const char *unused)
{
	(void)unused;
	fork_many();
	return pause();
}

/* Outside: somebody to be attacked. */
static int be_victim(const char *unused)
{
	(void)unused;
	return pause();
}

static int memory(const char *mebibytes)
{
	void *at = mmap(NULL, (size_t)atoi(mebibytes) << 20,
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	return judge("memory", at == MAP_FAILED ? -1 : 0);
}

/* Four processes, each of which touches that much: more than all may have. */
static int memory_together(const char *mebibytes)
{
	enum { PROCESSES = 4 };
	size_t bytes = (size_t)atoi(mebibytes) << 20;
	int status, intact = 0;

	for (int i = 0; i < PROCESSES; i++) {
		if (fork())
			continue;
		char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			_exit(1);
		for (size_t byte = 0; byte < bytes; byte += 4096)
			at[byte] = 1;
		sleep(1); /* so that all have it at once */
		_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++)
		intact += wait(&status) > 0 && WIFEXITED(status) &&
			  !WEXITSTATUS(status);
	errno = ENOMEM;
	return judge("memory of all", intact == PROCESSES ? 0 : -1);
}

/* Leaves a daemon behind that writes path a little later. */
static int leave_daemon(const char *path)
{
	const struct timespec nap = { 1, 500 * 1000 * 1000 };

	if (fork())
		return REFUSED;
	setsid();
	if (fork())
		_exit(0);
	for (int fd = 0; fd < 64; fd++)
		close(fd);
	nanosleep(&nap, NULL);
	_exit(write_path(path));
}

/* As above, and stays until its deadline. */
static int daemon_and_wait(const char *path)
{
	leave_daemon(path);
	return pause();
}

/* ---- */

static const struct {
	const char *name;
	int (*try)(const char *argument);
} stories[] = {
	{ "read", read_path },
	{ "write", write_path },
	{ "set-id", set_id },
	{ "link", follow_link },
	{ "chmod", change_mode },
	{ "fill", fill_file },
	{ "large-file", large_file },
	{ "tcp", tcp },
	{ "udp", udp },
	{ "listen", listen_tcp },
	{ "local-socket", local_socket },
	{ "ptrace", trace },
	{ "memory-of", read_memory },
	{ "signal", send_signal },
	{ "slow-down", slow_down },
	{ "signal-parent", signal_parent },
	{ "parents-file", parents_file },
	{ "descriptor", descriptor },
	{ "terminal", terminal },
	{ "keys", keys },
	{ "environment", environment },
	{ "mount", mount_tmp },
	{ "namespace", new_namespace },
	{ "calls", system_calls },
	{ "victim", be_victim },
	{ "forks", forks },
	{ "forks-and-wait", forks_and_wait },
	{ "memory", memory },
	{ "memory-together", memory_together },
	{ "daemon", leave_daemon },
	{ "daemon-and-wait", daemon_and_wait },
};

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "serve"))
		return serve(argv[2], argv[3]);
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], stories[i].name))
			return stories[i].try(argc > 2 ? argv[2] : "");
	}
	return CANNOT_TRY;
}

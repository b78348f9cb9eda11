/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c: one program, one failing system call; see trace.h.
 *
 * A call that is to fail is replaced by one that does not exist, and its result
 * by the error.  Only close is done all the same: a descriptor is gone also
 * after close failed.
 */
#include "trace.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	MOST_PROCESSES = 256,
	MOST_DESCRIPTORS = 1024,
	PATH_BYTES = 512,
	PAGE_BYTES = 4096,
	MOST_ERRORS = 8,
	LEFT_POLLS = 200,
	LEFT_PAUSE_US = 5000
};

/* ---- the table of calls ---------------------------------------------------- */

#define SHORT TRACE_SHORT
#define STAY  TRACE_STAY

static const struct row {
	const char *name;
	long number;
	int path;
	int descriptor;
	bool makes_descriptor;
	int errors[MOST_ERRORS]; /* ends in 0 */
} rows[] = {
#define CALL(call, path, descriptor, makes, ...)                               \
	{ #call, call, path, descriptor, makes, { __VA_ARGS__ } },
#include "errors.def"
#undef CALL
};

static const struct row *find_row(long number)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

unsigned trace_errors(long number)
{
	const struct row *row = find_row(number);
	unsigned count = 0;

	while (row && count < MOST_ERRORS && row->errors[count])
		count++;
	return count;
}

const char *trace_call_name(long number)
{
	const struct row *row = find_row(number);

	return row ? row->name + strlen("SYS_") : "another call";
}

const char *trace_error_name(int error)
{
	if (error == TRACE_SHORT)
		return "one byte";
	return error == TRACE_STAY ? "no growth" : strerrorname_np(error);
}

/* ---- registers --------------------------------------------------------------- */

/* The parts of a running call that can be changed. */
enum place { FIRST_ARGUMENT, THIRD_ARGUMENT, RESULT, NUMBER };

#if defined(__x86_64__)
static void set_register(pid_t pid, enum place place, uint64_t value)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return;
	if (place == FIRST_ARGUMENT)
		regs.rdi = value;
	else if (place == THIRD_ARGUMENT)
		regs.rdx = value;
	else if (place == RESULT)
		regs.rax = value;
	else
		regs.orig_rax = value;
	(void)ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}
#elif defined(__aarch64__)
static void set_register(pid_t pid, enum place place, uint64_t value)
{
	struct user_regs_struct regs;
	struct iovec all = { &regs, sizeof(regs) };
	int number = (int)value;
	struct iovec call = { &number, sizeof(number) };

	if (place == NUMBER) {
		(void)ptrace(PTRACE_SETREGSET, pid, (void *)NT_ARM_SYSTEM_CALL,
			     &call);
		return;
	}
	if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &all))
		return;
	regs.regs[place == THIRD_ARGUMENT ? 2 : 0] = value;
	(void)ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &all);
}
#else
#	error "system calls are replaced on x86_64 and aarch64 only"
#endif

/* ---- processes --------------------------------------------------------------- */

struct process {
	pid_t pid;
	unsigned index;
	unsigned calls;
	int error;         /* of the running call, when it is to fail */
	uint64_t argument; /* that was changed in it */
	bool opens_log;    /* the running call opens a file of the log */
	unsigned char log[MOST_DESCRIPTORS]; /* descriptors of the log */
};

struct tracer {
	const struct trace_options *options;
	const struct trace_fault *fault;
	struct trace_result *result;
	pid_t root;
	bool has_begun; /* the program has replaced our own child */
	unsigned count;
	struct process *processes[MOST_PROCESSES];
};

static volatile sig_atomic_t is_late;

static void note_late(int signal)
{
	(void)signal;
	is_late = 1;
}

static struct process *find_process(struct tracer *t, pid_t pid)
{
	struct process *process;

	for (unsigned i = 0; i < t->count; i++)
		if (t->processes[i]->pid == pid)
			return t->processes[i];
	if (t->count == MOST_PROCESSES)
		return NULL;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process->index = t->count;
	t->processes[t->count++] = process;
	return process;
}

static void read_path(pid_t pid, uint64_t at, char *out)
{
	size_t first = PAGE_BYTES - at % PAGE_BYTES;
	struct iovec to = { out, PATH_BYTES - 1 };
	struct iovec from[] = {
		{ (void *)(uintptr_t)at, first },
		{ (void *)(uintptr_t)(at + first), PATH_BYTES },
	};
	ssize_t size = process_vm_readv(pid, &to, 1, from, COUNT(from), 0);

	out[size > 0 ? size : 0] = '\0';
}

static bool is_marked(const struct process *process, uint64_t descriptor)
{
	return descriptor < MOST_DESCRIPTORS && process->log[descriptor];
}

/* Whether a call is on the log; descriptors that come of it are marked. */
static bool touches_log(struct tracer *t, struct process *process,
			const struct row *row,
			const struct ptrace_syscall_info *info)
{
	char path[PATH_BYTES];
	bool is_log = false;

	if (!row || !t->options->log_path)
		return false;
	if (row->descriptor >= 0)
		is_log = is_marked(process, info->entry.args[row->descriptor]);
	if (!is_log && row->path >= 0) {
		read_path(process->pid, info->entry.args[row->path], path);
		is_log = strstr(path, t->options->log_path) != NULL;
	}
	process->opens_log = is_log && row->makes_descriptor;
	if (row->number == SYS_close && is_log)
		process->log[info->entry.args[0]] = 0;
	return is_log;
}

static void list(struct trace_calls *calls, const struct process *process,
		 long number, bool is_log)
{
	enum { STEP = 1024 };
	struct trace_call *items = calls->items;

	if (calls->count % STEP == 0) {
		items = realloc(items, (calls->count + STEP) * sizeof(*items));
		if (!items)
			return;
		calls->items = items;
	}
	items[calls->count++] = (struct trace_call){
		.process = process->index,
		.call = process->calls,
		.number = number,
		.is_log = is_log,
	};
}

/* Whether the system's loader of programs makes a call. */
static bool is_in_loader(pid_t pid, uint64_t at)
{
	char path[64], line[PATH_BYTES];
	uint64_t from, to;
	bool is_loader = false;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		char *end;

		from = strtoull(line, &end, 16);
		to = strtoull(end + 1, NULL, 16);
		if (at >= from && at < to)
			is_loader = strstr(line, "/ld-") != NULL;
	}
	if (maps)
		(void)fclose(maps);
	return is_loader;
}

/* Lets the running call fail. */
static void fail_call(struct tracer *t, struct process *process,
		      const struct row *row,
		      const struct ptrace_syscall_info *info)
{
	unsigned count = trace_errors(row->number);
	int error = row->errors[t->fault->error % count];

	t->result->is_reached = true;
	t->result->is_loader =
		is_in_loader(process->pid, info->instruction_pointer);
	t->result->number = row->number;
	t->result->error = error;
	if (error == TRACE_SHORT && info->entry.args[2] <= 1)
		return;
	process->error = error;
	process->argument = info->entry.args[error == TRACE_SHORT ? 2 : 0];
	if (error == TRACE_SHORT)
		set_register(process->pid, THIRD_ARGUMENT, 1);
	else if (error == TRACE_STAY)
		set_register(process->pid, FIRST_ARGUMENT, 0);
	else if (row->number != SYS_close)
		set_register(process->pid, NUMBER, (uint64_t)-1);
}

/* Programs expect their arguments back as they were. */
static void finish_failing(struct process *process)
{
	pid_t pid = process->pid;

	if (process->error == TRACE_SHORT)
		set_register(pid, THIRD_ARGUMENT, process->argument);
#if defined(__x86_64__) /* elsewhere the result is in its place */
	else if (process->error == TRACE_STAY)
		set_register(pid, FIRST_ARGUMENT, process->argument);
#endif
	else if (process->error > 0)
		set_register(pid, RESULT, (uint64_t)-process->error);
	process->error = 0;
}

static void enter(struct tracer *t, struct process *process,
		  const struct ptrace_syscall_info *info)
{
	const struct row *row = find_row((long)info->entry.nr);
	bool is_log = touches_log(t, process, row, info);

	if (t->options->out)
		list(t->options->out, process, (long)info->entry.nr, is_log);
	if (t->fault && row && process->index == t->fault->process &&
	    process->calls == t->fault->call) {
		t->result->is_log = is_log;
		fail_call(t, process, row, info);
	}
	process->calls++;
}

static void leave(struct process *process,
		  const struct ptrace_syscall_info *info)
{
	if (process->error)
		finish_failing(process);
	else if (process->opens_log && !info->exit.is_error &&
		 info->exit.rval < MOST_DESCRIPTORS)
		process->log[info->exit.rval] = 1;
	process->opens_log = false;
}

static void stop_at_call(struct tracer *t, struct process *process)
{
	struct ptrace_syscall_info info;

	if (!t->has_begun || ptrace(PTRACE_GET_SYSCALL_INFO, process->pid,
				    (void *)sizeof(info), &info) < 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		enter(t, process, &info);
	else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
		leave(process, &info);
}

/* Whether a process that has become another program is still ours to fail. */
static bool is_belay(pid_t pid)
{
	char link[64], path[PATH_BYTES];
	const char *name;
	ssize_t size;

	(void)snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	size = readlink(link, path, sizeof(path) - 1);
	if (size < 0)
		return false;
	path[size] = '\0';
	name = strrchr(path, '/');
	return name && strncmp(name, "/belay", strlen("/belay")) == 0;
}

/* ---- the loop ------------------------------------------------------------------ */

static void stop(struct tracer *t, pid_t pid, int status)
{
	struct process *process = find_process(t, pid);
	int signal = WSTOPSIG(status);
	unsigned event = (unsigned)status >> 16;
	long request = PTRACE_SYSCALL;

	if (!process ||
	    (event == PTRACE_EVENT_EXEC && pid != t->root && !is_belay(pid))) {
		(void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
		return;
	}
	if (event == PTRACE_EVENT_EXEC) {
		t->has_begun = true;
		signal = 0;
	} else if (event == PTRACE_EVENT_STOP) {
		if (signal == SIGSTOP || signal == SIGTSTP ||
		    signal == SIGTTIN || signal == SIGTTOU)
			request = PTRACE_LISTEN;
		signal = 0;
	} else if (event) {
		signal = 0;
	} else if (signal == (SIGTRAP | 0x80)) {
		stop_at_call(t, process);
		signal = 0;
	}
	(void)ptrace((enum __ptrace_request)request, pid, NULL,
		     (void *)(long)signal);
}

static void kill_all(struct tracer *t)
{
	for (unsigned i = 0; i < t->count; i++)
		if (kill(t->processes[i]->pid, 0) == 0)
			(void)kill(t->processes[i]->pid, SIGKILL);
}

/* Until the program has ended; its descendants may still run. */
static void follow(struct tracer *t)
{
	int status;
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, &status, __WALL);
		if (is_late && !t->result->is_hung) {
			t->result->is_hung = true;
			kill_all(t);
		}
		if (pid < 0) {
			if (errno == EINTR)
				continue;
			return;
		}
		if (WIFSTOPPED(status)) {
			stop(t, pid, status);
			continue;
		}
		if (pid != t->root)
			continue;
		t->result->status = WIFEXITED(status) ? WEXITSTATUS(status)
						      : -WTERMSIG(status);
		return;
	}
}

/* Ends those of our children that are still there, once: 0 when none is. */
static int kill_children(void)
{
	char path[64], text[PATH_BYTES];
	int count = 0;
	FILE *file;
	int pid;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		       (int)getpid());
	file = fopen(path, "re");
	while (file && fscanf(file, "%511s", text) == 1) {
		pid = (int)strtol(text, NULL, 10);
		if (pid > 0 && kill(pid, SIGKILL) == 0)
			count++;
	}
	if (file)
		(void)fclose(file);
	return count;
}

/* Processes that the program has left behind come to us, as their reaper. */
static void collect(struct tracer *t)
{
	int status;
	pid_t pid;

	for (int i = 0; i < LEFT_POLLS; i++) {
		while ((pid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
			if (WIFSTOPPED(status))
				stop(t, pid, status);
		if (pid < 0 && errno == ECHILD)
			return;
		(void)usleep(LEFT_PAUSE_US);
	}
	t->result->left = kill_children();
	while (waitpid(-1, &status, __WALL) > 0)
		if (WIFSTOPPED(status))
			(void)kill_children();
}

/* ---- starting ---------------------------------------------------------------- */

struct streams {
	int input[2];
	int gate[2];
	int out;
	int err;
};

static void become(const struct trace_options *options,
		   const struct streams *streams)
{
	char go;

	(void)setsid();
	if (read(streams->gate[0], &go, 1) != 1 || chdir(options->dir) ||
	    dup2(streams->input[0], STDIN_FILENO) < 0 ||
	    dup2(streams->out, STDOUT_FILENO) < 0 ||
	    dup2(streams->err, STDERR_FILENO) < 0)
		_exit(125);
	(void)execve(options->argv[0], options->argv, options->env);
	_exit(125);
}

static bool open_streams(const char *input, struct streams *out)
{
	size_t size = strlen(input);

	out->out = memfd_create("out", MFD_CLOEXEC);
	out->err = memfd_create("err", MFD_CLOEXEC);
	if (out->out < 0 || out->err < 0 || pipe2(out->input, O_CLOEXEC) ||
	    pipe2(out->gate, O_CLOEXEC))
		return false;
	return write(out->input[1], input, size) == (ssize_t)size &&
	       close(out->input[1]) == 0;
}

static bool start(struct tracer *t, struct streams *streams)
{
	const long wanted = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC |
			    PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			    PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
	int status;

	t->root = fork();
	if (t->root == 0)
		become(t->options, streams);
	if (t->root < 0 || ptrace(PTRACE_SEIZE, t->root, NULL, (void *)wanted))
		return false;
	if (ptrace(PTRACE_INTERRUPT, t->root, NULL, NULL) ||
	    waitpid(t->root, &status, __WALL) != t->root)
		return false;
	stop(t, t->root, status);
	return write(streams->gate[1], "g", 1) == 1;
}

static char *read_all(int descriptor)
{
	off_t size = lseek(descriptor, 0, SEEK_END);
	char *text = calloc(1, size < 0 ? 1 : (size_t)size + 1);

	if (text && size > 0 && pread(descriptor, text, (size_t)size, 0) < 0)
		text[0] = '\0';
	return text;
}

static void set_deadline(unsigned ms)
{
	const struct itimerval timer = {
		.it_value = { .tv_sec = ms / 1000,
			      .tv_usec = (suseconds_t)(ms % 1000) * 1000 },
		.it_interval = { .tv_sec = ms ? 1 : 0 },
	};
	const struct sigaction action = { .sa_handler = note_late };

	is_late = 0;
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

bool trace_run(const struct trace_options *options,
	       const struct trace_fault *fault, struct trace_result *out)
{
	struct tracer t = { .options = options, .fault = fault, .result = out };
	struct streams streams = { { -1, -1 }, { -1, -1 }, -1, -1 };
	bool is_good;

	*out = (struct trace_result){ .status = 0 };
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	is_good = open_streams(options->input, &streams) && start(&t, &streams);
	if (is_good) {
		(void)close(streams.input[0]);
		streams.input[0] = -1;
		set_deadline(options->deadline_ms);
		follow(&t);
		set_deadline(0);
		collect(&t);
		out->out = read_all(streams.out);
		out->err = read_all(streams.err);
		is_good = out->out && out->err;
	} else {
		perror("cannot trace a program");
	}
	(void)close(streams.input[0]);
	(void)close(streams.gate[0]);
	(void)close(streams.gate[1]);
	(void)close(streams.out);
	(void)close(streams.err);
	for (unsigned i = 0; i < t.count; i++)
		free(t.processes[i]);
	if (!is_good)
		trace_clear(out);
	return is_good;
}

void trace_clear(struct trace_result *result)
{
	free(result->out);
	free(result->err);
	*result = (struct trace_result){ .status = 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * os/os.h: everything that asks the operating system: files and paths by
 * descriptor, clocks, random bytes, locks, identity, child processes.
 *
 * Nothing outside this module (and the programs) calls the system directly,
 * so a port to another system is a port of this directory.  Paths are bytes
 * and must not contain NUL.  Descriptors are close-on-exec from birth.
 */
#ifndef BELAY_OS_OS_H
#define BELAY_OS_OS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

/* ---- clocks and chance -------------------------------------------------- */

int64_t bl_os_monotonic_ns(void);
int64_t bl_os_wall_ms(void); /* since 1970, UTC */

enum { BL_OS_TIME_TEXT_BYTES = 32 };

/* "2026-11-28T02:42:41.123Z" into out (BL_OS_TIME_TEXT_BYTES). */
void bl_os_format_time(int64_t wall_ms, char *out);

/* len bytes of the system's randomness. */
enum bl_status bl_os_random(void *out, size_t len, struct bl_error *err);

/* ---- identity and environment ------------------------------------------- */

/* linux, macos, windows: the system's row in tables of locations. */
enum bl_platform {
	BL_PLATFORM_LINUX,
	BL_PLATFORM_MACOS,
	BL_PLATFORM_WINDOWS,
	BL_PLATFORM_COUNT
};
enum bl_platform bl_os_platform(void);
const char *bl_platform_name(enum bl_platform platform); /* "linux", ... */

uid_t bl_os_user_id(void); /* effective */

/*
 * First of all, in a program: where glibc is linked statically, users and hosts
 * are looked up in files and by DNS alone, since it would load libraries of the
 * machine's own glibc for the other services of nsswitch.conf.  Elsewhere it
 * does nothing.
 */
void bl_os_limit_lookups(void);

/*
 * The home directory from the user database, not from the environment, copied
 * into arena.  NOT_FOUND when the user has no home.  (Static musl reads
 * /etc/passwd only; when there is no entry, HOME is used if it is an absolute
 * path to a directory that this user owns.)
 */
enum bl_status bl_os_home(struct bl_arena *arena, struct bl_str *out_path,
			  struct bl_error *err);

/* The user's name in the user database, else "user 1000"; in arena. */
enum bl_status bl_os_user_name(struct bl_arena *arena, struct bl_str *out_name,
			       struct bl_error *err);

/* The machine's name, cut to room bytes with its NUL; "" without one. */
void bl_os_host_name(char *out, size_t room);

/* The value of an environment variable; empty ptr NULL when unset. */
struct bl_str bl_os_getenv(const char *name);

/*
 * Are standard input and standard error the controlling terminal, and does this
 * program run in its foreground?  DENIED when not, with the reason.  This tells
 * a command that a person typed from one that a program started in the usual
 * ways; a program of the same user that opens a terminal of its own is not told
 * from a person.
 */
enum bl_status bl_os_check_terminal(struct bl_error *err);

/* The path of the running program (/proc/self/exe), into arena. */
enum bl_status bl_os_self_path(struct bl_arena *arena, struct bl_str *out_path,
			       struct bl_error *err);

/* ---- files by descriptor ------------------------------------------------ */

/* The result of fstat, in our words. */
struct bl_file_info {
	enum {
		BL_FILE_REGULAR,
		BL_FILE_DIRECTORY,
		BL_FILE_LINK,
		BL_FILE_OTHER
	} type;
	uint32_t mode; /* permission bits, 07777 */
	uid_t uid;
	gid_t gid;
	uint64_t size_bytes;
	uint64_t device;
	uint64_t inode;
	int64_t mtime_ns;
	int64_t ctime_ns;
};

enum bl_open_flags {
	BL_OPEN_NO_LINK = 1,   /* refuse when the last component is a link */
	BL_OPEN_DIRECTORY = 2, /* must be a directory */
	/* Not to be read, only for bl_os_info_in: to search it is enough. */
	BL_OPEN_SEARCH = 4,
};

/*
 * Opens for reading without ever blocking on a FIFO or device.  *out_fd is
 * the caller's, to be closed with bl_os_close.  NOT_FOUND, DENIED (EACCES, or
 * a link with NO_LINK), SYSTEM.
 */
enum bl_status bl_os_open(struct bl_str path, unsigned flags, int *out_fd,
			  struct bl_error *err);

/* Opens path relative to an open directory. */
enum bl_status bl_os_open_at(int dir_fd, struct bl_str path, unsigned flags,
			     int *out_fd, struct bl_error *err);

enum bl_status bl_os_info(int fd, struct bl_file_info *out_info,
			  struct bl_error *err);

/* lstat of a path: for listing and advice only, never for decisions. */
enum bl_status bl_os_info_path(struct bl_str path,
			       struct bl_file_info *out_info,
			       struct bl_error *err);

/*
 * stat of a path, links followed: whether what was read from there is still
 * there.  The target of a path may change at any moment: never look first and
 * open then.
 */
enum bl_status bl_os_info_target(struct bl_str path,
				 struct bl_file_info *out_info,
				 struct bl_error *err);

enum { BL_OS_READ_ALIGN = 16 }; /* so that it may be an image */

/*
 * As above for a name (or path) in an open folder; a negative folder_fd: name
 * is a whole path.  A caller that looks at many files of one folder spares the system
 * the way to it.  Says whether it is there, and not why not.
 */
bool bl_os_info_in(int folder_fd, const char *name,
		   struct bl_file_info *out_info);

/* May this user make files in the folder?  For advice only. */
bool bl_os_can_write(struct bl_str folder);

/* Closes fd unless it is negative; returns -1. */
int bl_os_close(int fd);

/*
 * Reads all that fd has, up to max_bytes (more is LIMIT), into arena, with a
 * NUL after the last byte, aligned to BL_OS_READ_ALIGN.  A regular file that changes size while it is read
 * is read to its new end.
 */
enum bl_status bl_os_read_all(int fd, size_t max_bytes, struct bl_arena *arena,
			      struct bl_str *out_text, struct bl_error *err);

/*
 * One read of what arrives at fd within wait_ms (0: what is there already).
 * *out_got is 0 at the end of the input.  TIMEOUT when nothing arrives.
 */
enum bl_status bl_os_read_piece(int fd, int wait_ms, char *to, size_t room,
				size_t *out_got, struct bl_error *err);

/*
 * The content of a regular file: open, check the type on the descriptor,
 * read.  info (may be NULL) is about the very file that was read.  INVALID
 * when it is not a regular file.
 */
enum bl_status bl_os_read_file(struct bl_str path, unsigned flags,
			       size_t max_bytes, struct bl_arena *arena,
			       struct bl_str *out_text,
			       struct bl_file_info *info, struct bl_error *err);

/*
 * Maps the first len bytes of a regular file for reading, all of it at once
 * (no page is waited for later).  A file that somebody cuts short afterwards
 * raises SIGBUS where it is read: what a program does then is its business.
 */
enum bl_status bl_os_map(int fd, size_t len, struct bl_str *out_bytes,
			 struct bl_error *err);
void bl_os_unmap(struct bl_str bytes);

/* Writes all of text, retrying short writes and EINTR. */
enum bl_status bl_os_write_all(int fd, struct bl_str text,
			       struct bl_error *err);

/*
 * Replaces path as a whole: a temporary file beside it, mode as given, fsync,
 * rename.  Either the old or the new content is there afterwards, also after
 * a crash; on failure nothing is left behind.
 */
enum bl_status bl_os_replace_file(struct bl_str path, struct bl_str text,
				  uint32_t mode, struct bl_error *err);

/*
 * As above for a file that can be made again: it does not wait for the disk, so that
 * after a loss of power anything may be there.
 */
enum bl_status bl_os_replace_cached(struct bl_str path, struct bl_str text,
				    uint32_t mode, struct bl_error *err);

/* As above for a path that must not be there yet: EXISTS. */
enum bl_status bl_os_create_file(struct bl_str path, struct bl_str text,
				 uint32_t mode, struct bl_error *err);

/*
 * mkdir -p with mode (less the umask) for the directories it makes.  INVALID
 * when something else bears the name, NOT_FOUND when it is in the way.
 */
enum bl_status bl_os_make_dirs(struct bl_str path, uint32_t mode,
			       struct bl_error *err);

/*
 * Opens path (made with mode when missing, never through a link) for
 * appending, and takes an exclusive lock on it, waiting at most timeout_ms.
 * TIMEOUT when somebody else held it all the while; DENIED for a link,
 * INVALID for what is not a regular file.  The lock is flock's: it goes with the
 * descriptor, also when the process is killed, and it holds between machines
 * over NFS where the server does locking.  When the file is renamed or removed
 * while we wait, the new one is locked.
 */
enum bl_status bl_os_open_locked(struct bl_str path, uint32_t mode,
				 uint32_t timeout_ms, int *out_fd,
				 struct bl_error *err);

/*
 * Up to len bytes from offset on, without moving the position of fd.
 * *out_got is less than len only at the end of the file.
 */
enum bl_status bl_os_read_at(int fd, uint64_t offset, void *out, size_t len,
			     size_t *out_got, struct bl_error *err);

/* Cuts an open file to size_bytes. */
enum bl_status bl_os_truncate(int fd, uint64_t size_bytes,
			      struct bl_error *err);

/* Renames over whatever bears the name to. */
enum bl_status bl_os_rename(struct bl_str from, struct bl_str to,
			    struct bl_error *err);

/*
 * Sets the times of the file to now, or those of the link that bears the name
 * (what it leads to stays as it is).  NOT_FOUND.
 */
enum bl_status bl_os_touch(struct bl_str path, struct bl_error *err);

/* Takes the name away from the file (or link) that bears it. */
enum bl_status bl_os_remove_file(struct bl_str path, struct bl_error *err);

/* Each takes the other's name, in one step, over the same file system. */
enum bl_status bl_os_exchange(struct bl_str a, struct bl_str b,
			      struct bl_error *err);

/* Waits until the disk has the folder's names. */
enum bl_status bl_os_sync_dir(struct bl_str path, struct bl_error *err);

enum { BL_OS_MAX_TREE_DEPTH = 64 };

/* Takes a folder away with all that is in it; links are not followed. */
enum bl_status bl_os_remove_tree(struct bl_str path, struct bl_error *err);

/*
 * The text as a descriptor (close-on-exec, mode 0500) that nobody can write any
 * more, this process included.
 */
enum bl_status bl_os_seal_text(struct bl_str text, int *out_fd,
			       struct bl_error *err);

/* Takes an empty folder away; EXISTS when it is not empty. */
enum bl_status bl_os_remove_dir(struct bl_str path, struct bl_error *err);

/*
 * Waits at most timeout_ms for fd to become readable (or closed by the other
 * side); a negative fd is a plain wait.  True when it did.
 */
bool bl_os_wait_readable(int fd, uint32_t timeout_ms);

/* The text of a link, in arena.  INVALID when it is not a link. */
enum bl_status bl_os_read_link(struct bl_str path, struct bl_arena *arena,
			       struct bl_str *out_text, struct bl_error *err);

/* Names in a directory (without . and ..), sorted, at most max (LIMIT). */
enum bl_status bl_os_list_dir(struct bl_str path, size_t max,
			      struct bl_arena *arena, struct bl_str **out_names,
			      size_t *out_count, struct bl_error *err);

/* ---- paths -------------------------------------------------------------- */

/* dir/name into arena; name itself when it is absolute.  ptr NULL: memory. */
struct bl_str bl_path_join(struct bl_arena *arena, struct bl_str dir,
			   struct bl_str name);

/* All before the last slash ("/" for "/x", "." without a slash). */
struct bl_str bl_path_dir(struct bl_str path);

/* All after the last slash. */
struct bl_str bl_path_base(struct bl_str path);

/*
 * Is path in folder (without a slash at its end), or the folder itself?  By
 * their names alone.
 */
bool bl_path_is_in(struct bl_str path, struct bl_str folder);

static inline bool bl_path_is_absolute(struct bl_str path)
{
	return path.len > 0 && path.ptr[0] == '/';
}

/*
 * The path without links, "." and ".." (realpath), into arena.  It must
 * exist.
 */
enum bl_status bl_path_resolve(struct bl_arena *arena, struct bl_str path,
			       struct bl_str *out_path, struct bl_error *err);

/*
 * As above for an absolute path that need not exist: links are followed as far
 * as there are any, dangling ones included; a missing part is taken as
 * written.  *out_is_link (may be NULL): path itself is a link.  LIMIT for a
 * loop of links.  For policies to look at, never to open by.
 */
enum bl_status bl_path_follow(struct bl_arena *arena, struct bl_str path,
			      struct bl_str *out_path, bool *out_is_link,
			      struct bl_error *err);

/* The working directory, into arena. */
enum bl_status bl_path_current(struct bl_arena *arena, struct bl_str *out_path,
			       struct bl_error *err);

/* ---- threads and watching --------------------------------------------------- */

uint32_t bl_os_cpu_count(void); /* that this program may use; at least 1 */

/*
 * Calls work(context, i) for each worker i below count at the same time, one
 * thread each, and waits for all of them.  Where the system gives no more
 * threads, those that are left run one after the other.
 */
void bl_os_parallel(uint32_t count, void (*work)(void *context, uint32_t i),
		    void *context);

/*
 * A descriptor that becomes readable when a watched file or folder changes
 * (bl_os_wait_readable); to be closed with bl_os_close.  UNSUPPORTED where the
 * system cannot tell.
 */
enum bl_status bl_os_watch_open(int *out_fd, struct bl_error *err);
enum bl_status bl_os_watch_add(int fd, struct bl_str path,
			       struct bl_error *err);

/* ---- giving up ---------------------------------------------------------- */

/*
 * A flag that any thread may raise, once and for all.  Its descriptor is
 * readable from then on, so that a poll loop wakes up.
 */
struct bl_flag {
	int fd;
	atomic_bool is_raised;
};

/* SYSTEM when there are no more descriptors. */
enum bl_status bl_flag_init(struct bl_flag *flag, struct bl_error *err);
void bl_flag_raise(struct bl_flag *flag);
bool bl_flag_is_raised(const struct bl_flag *flag);
void bl_flag_clear(struct bl_flag *flag); /* nobody may use it any more */

/* When to give up a piece of work: the one or the other, or both. */
struct bl_stop {
	const struct bl_flag *flag; /* NULL: nobody can cancel it */
	int64_t deadline_ns;        /* monotonic; 0: none */
};

enum bl_stop_reason { BL_STOP_NONE, BL_STOP_CANCELLED, BL_STOP_DEADLINE };

/* Is it time?  stop NULL never stops, here and below. */
enum bl_stop_reason bl_stop_ask(const struct bl_stop *stop);
int bl_stop_fd(const struct bl_stop *stop);              /* -1: none */
int64_t bl_stop_deadline_ns(const struct bl_stop *stop); /* INT64_MAX: none */

/* ---- child processes ---------------------------------------------------- */

/*
 * Runs children side by side until each has ended: fed on standard input,
 * read on standard output and error with caps, killed with all their
 * descendants at their deadline.
 *
 * How: argv and environment are built before the fork;
 * the child becomes leader of a process group of its own, resets signals,
 * keeps no descriptor but 0 to 2, and reports a failed exec through a
 * close-on-exec pipe; at the deadline the group gets TERM, after grace_ms
 * KILL, and so do descendants that left the group (the runner is a
 * subreaper while children run where the system has that).  A child that has
 * exited while a descendant still holds its pipes is not waited for beyond
 * BL_CHILD_DRAIN_MS: what was written until then counts, the rest of the tree
 * is left alone or killed as kill_leftovers says.
 * Nothing here blocks on a pipe, and SIGPIPE never reaches the caller.
 *
 * Limits of this: without a control group (group_fd) or a pid namespace of the
 * child's own, descendants are found by their parents, their group, and by
 * coming to us as orphans.  Orphans are killed as they come, in a loop, in a
 * program with one thread and when all children of the run are to be killed;
 * otherwise a daemon that left its group and lost its parents could be somebody
 * else's.  A process left alone may become a child of this process, to be
 * reaped by it like any other.  A program that ignores SIGCHLD, or reaps
 * children it does not know, takes our exit statuses away: SYSTEM.
 */
/*
 * One thing that a child does to itself between its birth and its program.
 * run is called in the child while it shares our memory and we wait: it makes
 * system calls, allocates nothing, and writes only to its own stack and to
 * what nobody else uses.  It returns 0 or an errno; the latter ends the child
 * as CANNOT_START with stage = name.
 */
struct bl_child_step {
	const char *name;
	int (*run)(const void *data);
	const void *data;
};

struct bl_child_spec {
	/*
	 * argv[0] is a path, or a name to be looked for in the PATH of env
	 * (empty elements are skipped).  Relative ones start in dir.
	 */
	const char *const *argv;
	const char *const *env;  /* NULL-terminated; NULL: the caller's own */
	const char *dir;         /* working directory; NULL: the caller's */
	struct bl_str input;     /* fed to standard input, then closed */
	uint32_t timeout_ms;     /* 0: no deadline */
	size_t max_stdout_bytes; /* 0: BL_CHILD_MAX_OUTPUT_BYTES */
	size_t max_stderr_bytes; /* 0: the same; beyond it is cut, not fatal */
	bool kill_leftovers;     /* descendants that outlive the child */
	/* Stopped, it is killed with its descendants at once, or not started. */
	const struct bl_stop *stop; /* NULL: it never is */

	/* For sandboxes; all 0 means an ordinary child. */
	const struct bl_child_step *steps; /* before the change to dir */
	size_t step_count;
	uint32_t clone_flags; /* CLONE_NEW*: namespaces of its own */
	/*
	 * The folder of a control group (v2) to be born in, empty, and to be
	 * killed with as a whole where something is to be killed; 0: none.
	 * Where the system cannot do that, CANNOT_START with stage "fork".
	 */
	int group_fd;
	bool kill_at_once; /* at the deadline: no TERM, no grace */
	bool ends_whole; /* with it the kernel ends its descendants (pid ns) */
	/* A descriptor that the child keeps beside 0 to 2; 0: none. */
	int keep_fd;
	/* Of both outputs; beyond it is TOO_MUCH.  0: each has its own cap. */
	size_t max_together_bytes;
};

enum {
	BL_CHILD_MAX_OUTPUT_BYTES = 16 * 1024 * 1024,
	BL_CHILD_GRACE_MS = 500, /* between TERM and KILL */
	BL_CHILD_DRAIN_MS = 100, /* for pipes after the child has exited */
	BL_CHILD_MAX = 1024,     /* children of one run */
};

enum bl_child_end {
	BL_CHILD_EXITED,       /* code is its exit status */
	BL_CHILD_SIGNALLED,    /* code is the signal */
	BL_CHILD_TIMED_OUT,    /* output is what came until its end */
	BL_CHILD_TOO_MUCH,     /* the output passed its cap; killed */
	BL_CHILD_CANNOT_START, /* code is the errno, stage says of what */
	BL_CHILD_STOPPED,      /* code is the enum bl_stop_reason */
	BL_CHILD_UNREADABLE, /* exited with 0, its output not read; an errno */
};

struct bl_child_result {
	enum bl_child_end end;
	int code;
	const char *stage;    /* CANNOT_START: "fork", "exec", a step's name */
	struct bl_str output; /* standard output, in the arena */
	struct bl_str errors; /* standard error, in the arena, cut at its cap */
	bool errors_cut;
	/*
	 * It was to be killed with its descendants, and some may still run: two
	 * seconds were not enough, or they are orphans that could be somebody
	 * else's.
	 */
	bool has_leftovers;
	size_t input_taken_bytes; /* of the input, accepted by the pipe */
	int64_t started_ns;       /* monotonic */
	int64_t elapsed_ns;
};

/*
 * Runs count children at once; results[i] belongs to specs[i].  OK also when
 * children failed (that is in the results); anything else means that none of
 * the results counts and every child was killed.  Called by one thread at a
 * time per process group of children; safe in a multi-threaded program.
 */
enum bl_status bl_child_run(const struct bl_child_spec *specs, size_t count,
			    struct bl_arena *arena,
			    struct bl_child_result *results,
			    struct bl_error *err);

/*
 * Replaces this process by program path with argv (environment unchanged,
 * signals reset).  Standard input becomes a rewound in-memory file with the
 * bytes of input when input.ptr is not NULL.  Returns only on failure, with
 * signals and standard input changed already.
 */
enum bl_status bl_os_exec(struct bl_str path, const char *const *argv,
			  struct bl_str input, struct bl_error *err);

/*
 * Runs program path like bl_os_exec, but as a child that ends when we do, and
 * waits for it.  *out_status is its exit status, or minus the signal that
 * ended it.  Fails when it cannot be started.
 */
enum bl_status bl_os_run_program(struct bl_str path, const char *const *argv,
				 struct bl_str input, int *out_status,
				 struct bl_error *err);

/* ---- programs to talk with ------------------------------------------------ */

/* A program that runs for as long as somebody talks with it. */
struct bl_peer {
	int32_t pid;
	int in;  /* to its standard input; -1: closed */
	int out; /* from its standard output */
};

/*
 * Starts argv (a name is looked for in PATH) with our environment, folder and
 * standard error, in a process group of its own; it gets TERM when we end.
 * Fails when it cannot be started.  To be ended by bl_peer_end.
 */
enum bl_status bl_peer_start(const char *const *argv, struct bl_arena *arena,
			     struct bl_peer *out_peer, struct bl_error *err);

/*
 * Closes its standard input and waits grace_ms for its end, then sends its group
 * TERM, and KILL half a second later.  Its exit status, or minus the signal that
 * ended it.
 */
int bl_peer_end(struct bl_peer *peer, uint32_t grace_ms);

enum bl_side { BL_SIDE_CLIENT, BL_SIDE_SERVER, BL_SIDE_COUNT };

struct bl_relay_options {
	/*
	 * One line of a side, without its newline: appends to outs[side] what
	 * that side is to get.  A failure ends the relay.
	 */
	enum bl_status (*on_line)(void *context, enum bl_side from,
				  struct bl_str line,
				  struct bl_buf *const outs[BL_SIDE_COUNT],
				  struct bl_error *err);
	/*
	 * Before each wait: appends what is due by itself.  *out_wait_ms: to be
	 * called again then at the latest, -1: when something else has happened.
	 * NULL: nothing is due.
	 */
	enum bl_status (*on_wait)(void *context,
				  struct bl_buf *const outs[BL_SIDE_COUNT],
				  int *out_wait_ms, struct bl_error *err);
	void *context;
	size_t max_line_bytes; /* a longer line is LIMIT */
	/* For what the server still says when the client has said all. */
	uint32_t grace_ms;
};

/*
 * Relays lines between the client, at the descriptors in and out, and the
 * server.  OK when the server has closed its output, when the client is gone, or
 * when the grace is over.  A last line without a newline is dropped.  Neither
 * side is read while a megabyte waits to be written to it.
 */
enum bl_status bl_peer_relay(struct bl_peer *peer, int in, int out,
			     const struct bl_relay_options *options,
			     struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	DEADLINE_MS = 30000,
	DRAIN_MS = 200, /* for pipes that outlive the program */
	TICK_MS = 20,
	OUTPUT_MAX_BYTES = 16 * 1024 * 1024,
	NOBODY = 65534,
	ENVIRONMENT_MAX = 64,
};

/* ---- files of the case -------------------------------------------------- */

struct bl_str place_fill(const struct place *place, struct bl_str text)
{
	static const struct bl_str mark = { "<<DIR>>", 7 };
	struct bl_buf out;
	struct bl_str copy;
	size_t at = 0;
	size_t hit;

	bl_buf_init(&out, 0);
	while ((hit = bl_str_find(text, mark, at)) != SIZE_MAX) {
		bl_buf_put(&out, text.ptr + at, hit - at);
		bl_buf_puts(&out, place->dir);
		at = hit + mark.len;
	}
	bl_buf_put_str(&out, bl_str_slice(text, at, SIZE_MAX));
	copy = bl_arena_copy_str(place->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return copy;
}

/* The text as a string that may be written to. */
static char *fill_string(const struct place *place, const char *text)
{
	struct bl_str filled = place_fill(place, bl_str(text));
	char *copy = bl_arena_alloc(place->arena, filled.len + 1);

	return memcpy(copy, filled.ptr, filled.len + 1);
}

/* name, which is a path in the case, as an absolute one. */
static char *full_path(const struct place *place, const char *name)
{
	char *filled = fill_string(place, name);

	if (filled[0] == '/')
		return filled;
	return fill_string(
		place, bl_arena_printf(place->arena, "<<DIR>>/%s", filled).ptr);
}

static void make_parents(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static mode_t mode_of(const struct section *section, mode_t usual)
{
	const char *mode = case_option(section, "mode");

	return mode ? (mode_t)strtoul(mode, NULL, 8) : usual;
}

static bool write_file(const char *path, struct bl_str text, mode_t mode)
{
	FILE *file = fopen(path, "we");
	bool done = file && fwrite(text.ptr, 1, text.len, file) == text.len;

	if (file && fclose(file))
		done = false;
	return done && !chmod(path, mode);
}

enum bl_status run_setup(const struct place *place,
			 const struct section *section, struct bl_error *err)
{
	char *path = full_path(place, section->words.list[0]);
	bool done = false;

	make_parents(path);
	if (section->kind == SECTION_FILE) {
		done = write_file(path, place_fill(place, section->body),
				  mode_of(section, 0644));
	} else if (section->kind == SECTION_DIR) {
		mkdir(path, 0755);
		done = !chmod(path, mode_of(section, 0755));
	} else {
		struct bl_str target =
			place_fill(place, bl_str(section->words.list[1]));

		done = !symlink(target.ptr, path);
	}
	return done ? BL_OK : bl_fail_errno(err, errno, "%s", path);
}

enum bl_status run_read_file(const struct place *place, const char *name,
			     struct bl_str *out_text, struct bl_error *err)
{
	const char *path = full_path(place, name);
	FILE *file = fopen(path, "re");
	struct bl_buf text;
	char piece[4096];
	size_t got;

	if (!file)
		return bl_fail_errno(err, errno, "%s", path);
	bl_buf_init(&text, OUTPUT_MAX_BYTES);
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
		bl_buf_put(&text, piece, got);
	fclose(file);
	*out_text = bl_arena_copy_str(place->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return BL_OK;
}

static int remove_one(const char *path, const struct stat *info, int type,
		      struct FTW *walk)
{
	(void)info;
	(void)type;
	(void)walk;
	return remove(path);
}

void run_remove_tree(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int give_away(const char *path, const struct stat *info, int type,
		     struct FTW *walk)
{
	(void)info;
	(void)type;
	(void)walk;
	return lchown(path, NOBODY, NOBODY);
}

/* ---- the command -------------------------------------------------------- */

struct command {
	struct words argv;
	char *env[ENVIRONMENT_MAX + 1];
	size_t env_count;
	const char *dir;
	struct bl_str input;
	bool as_user;
};

bool run_is_part(enum section_kind kind)
{
	return kind == SECTION_STDIN || kind == SECTION_AS ||
	       kind == SECTION_STDOUT || kind == SECTION_STDERR ||
	       kind == SECTION_EXIT || kind == SECTION_CONTENT;
}

static void put_env(const struct place *place, struct command *command,
		    const char *name, const char *value)
{
	if (value)
		command->env[command->env_count++] =
			fill_string(place, bl_arena_printf(place->arena,
							   "%s=%s", name, value)
						   .ptr);
}

/* The program's environment is nothing but this and the case's env lines. */
static void usual_environment(const struct place *place,
			      struct command *command)
{
	struct bl_str path =
		bl_arena_printf(place->arena, "%s:/usr/local/bin:/usr/bin:/bin",
				place->bin_dir);
	struct bl_str state =
		bl_arena_printf(place->arena, "%s/.state", place->dir);

	put_env(place, command, "HOME", place->dir);
	put_env(place, command, "XDG_STATE_HOME", state.ptr);
	put_env(place, command, "PATH", path.ptr);
	put_env(place, command, "LANG", "C.UTF-8");
	put_env(place, command, "ASAN_OPTIONS", getenv("ASAN_OPTIONS"));
	put_env(place, command, "UBSAN_OPTIONS", getenv("UBSAN_OPTIONS"));
}

static enum bl_status add_env(const struct place *place,
			      const struct section *section,
			      struct command *command, struct bl_error *err)
{
	char *text = fill_string(place, section->words.list[0]);
	size_t name = strcspn(text, "=") + 1;

	for (size_t i = 0; i < command->env_count; i++)
		if (!strncmp(command->env[i], text, name)) {
			command->env[i] = text;
			return BL_OK;
		}
	if (command->env_count == ENVIRONMENT_MAX)
		return bl_fail(err, BL_LIMIT, "more than %d variables",
			       ENVIRONMENT_MAX);
	command->env[command->env_count++] = text;
	return BL_OK;
}

/* Another user's run needs a program that this user can reach. */
static enum bl_status check_reach(const struct place *place,
				  const struct section *section,
				  struct bl_error *err)
{
	struct bl_str program =
		bl_arena_printf(place->arena, "%s/belay", place->bin_dir);
	bool reached;

	if (strcmp(section->words.list[0], "user") != 0)
		return bl_fail(err, BL_SYNTAX, "'as' takes the word user");
	if (geteuid() != 0)
		return BL_OK;
	if (seteuid(NOBODY))
		return bl_fail_errno(err, errno, "seteuid");
	reached = !eaccess(program.ptr, X_OK);
	if (seteuid(0))
		return bl_fail_errno(err, errno, "seteuid");
	return reached ? BL_OK
		       : bl_fail(err, BL_UNSUPPORTED,
				 "the program is out of reach for users");
}

static enum bl_status prepare(const struct place *place,
			      const struct test_case *test, size_t at,
			      struct command *command, struct bl_error *err)
{
	const char *in = case_option(&test->sections[at], "in");
	enum bl_status status;

	*command = (struct command){ 0 };
	status = case_words(place->arena, test->sections[at].body,
			    &command->argv, err);
	if (status)
		return status;
	if (!command->argv.count)
		return bl_fail(err, BL_SYNTAX, "a run has no command");
	for (size_t i = 0; i < command->argv.count; i++)
		command->argv.list[i] =
			fill_string(place, command->argv.list[i]);
	command->dir = in ? full_path(place, in) : place->dir;
	usual_environment(place, command);
	for (size_t i = 0; i < at; i++)
		if (test->sections[i].kind == SECTION_ENV) {
			status = add_env(place, &test->sections[i], command,
					 err);
			if (status)
				return status;
		}
	for (size_t i = at + 1;
	     i < test->count && run_is_part(test->sections[i].kind); i++) {
		const struct section *part = &test->sections[i];

		if (part->kind == SECTION_STDIN) {
			command->input = place_fill(place, part->body);
		} else if (part->kind == SECTION_AS) {
			status = check_reach(place, part, err);
			command->as_user = true;
		}
	}
	return status;
}

static void child(struct command *command, int pipes[3][2])
{
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	for (int i = 0; i < 3; i++)
		dup2(pipes[i][i == 0 ? 0 : 1], i);
	if (command->as_user && geteuid() == 0 &&
	    (setgid(NOBODY) || setuid(NOBODY))) {
		perror("setuid");
		_exit(127);
	}
	if (chdir(command->dir)) {
		perror(command->dir);
		_exit(127);
	}
	environ = command->env; /* its PATH is the one to search */
	execvp(command->argv.list[0], command->argv.list);
	perror(command->argv.list[0]);
	_exit(127);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct talk {
	struct pollfd fds[3]; /* its standard input, output, error */
	struct bl_str input;
	struct bl_buf output[2];
};

static void hang_up(struct pollfd *fd)
{
	close(fd->fd);
	fd->fd = -1;
}

static void feed(struct talk *talk)
{
	ssize_t done = write(talk->fds[0].fd, talk->input.ptr, talk->input.len);

	if (done > 0)
		talk->input = bl_str_slice(talk->input, (size_t)done, SIZE_MAX);
	if (!talk->input.len || (done < 0 && errno != EAGAIN))
		hang_up(&talk->fds[0]);
}

static void take(struct talk *talk, int which)
{
	char piece[65536];
	ssize_t got = read(talk->fds[which].fd, piece, sizeof(piece));

	if (got > 0)
		bl_buf_put(&talk->output[which - 1], piece, (size_t)got);
	else if (got == 0 || errno != EAGAIN)
		hang_up(&talk->fds[which]);
}

/* One round; false when both outputs are closed. */
static bool talk_once(struct talk *talk)
{
	if (talk->fds[1].fd < 0 && talk->fds[2].fd < 0) {
		poll(NULL, 0, 1);
		return false;
	}
	if (poll(talk->fds, 3, TICK_MS) <= 0)
		return true;
	if (talk->fds[0].fd >= 0 && talk->fds[0].revents)
		feed(talk);
	for (int i = 1; i < 3; i++)
		if (talk->fds[i].fd >= 0 && talk->fds[i].revents)
			take(talk, i);
	return true;
}

/* Talks with the child until it has ended and its outputs are closed. */
static bool converse(struct talk *talk, pid_t pid, int *wait_status)
{
	int64_t deadline = now_ms() + DEADLINE_MS;
	bool ended = false;

	while (now_ms() < deadline) {
		bool open = talk_once(talk);

		if (!ended && waitpid(pid, wait_status, WNOHANG) == pid) {
			ended = true;
			deadline = now_ms() + DRAIN_MS;
		}
		if (ended && !open)
			break;
	}
	kill(-pid, SIGKILL);
	if (!ended)
		waitpid(pid, wait_status, 0);
	return ended;
}

static const char *describe_end(struct bl_arena *arena, bool ended, int status)
{
	if (!ended)
		return bl_arena_printf(arena, "no end within %d s",
				       DEADLINE_MS / 1000)
			.ptr;
	if (WIFSIGNALED(status))
		return bl_arena_printf(arena, "signal %d", WTERMSIG(status))
			.ptr;
	return bl_arena_printf(arena, "%d", WEXITSTATUS(status)).ptr;
}

static enum bl_status start(struct command *command, struct talk *talk,
			    pid_t *out_pid, struct bl_error *err)
{
	int pipes[3][2];

	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC))
			return bl_fail_errno(err, errno, "pipe");
	*out_pid = fork();
	if (*out_pid < 0)
		return bl_fail_errno(err, errno, "fork");
	if (*out_pid == 0)
		child(command, pipes);
	setpgid(*out_pid, *out_pid);
	*talk = (struct talk){ .input = command->input };
	for (int i = 0; i < 3; i++) {
		int ours = pipes[i][i == 0 ? 1 : 0];

		close(pipes[i][i == 0 ? 0 : 1]);
		fcntl(ours, F_SETFL, O_NONBLOCK);
		talk->fds[i].fd = ours;
		talk->fds[i].events = i == 0 ? POLLOUT : POLLIN;
	}
	if (!talk->input.len)
		hang_up(&talk->fds[0]);
	bl_buf_init(&talk->output[0], OUTPUT_MAX_BYTES);
	bl_buf_init(&talk->output[1], OUTPUT_MAX_BYTES);
	return BL_OK;
}

enum bl_status run_command(const struct place *place,
			   const struct test_case *test, size_t at,
			   struct run_result *out_result, struct bl_error *err)
{
	struct command command;
	struct talk talk;
	pid_t pid = -1;
	int wait_status = 0;
	bool ended;
	enum bl_status status = prepare(place, test, at, &command, err);

	if (status)
		return status;
	if (command.as_user && geteuid() == 0)
		nftw(place->dir, give_away, 16, FTW_PHYS);
	status = start(&command, &talk, &pid, err);
	if (status)
		return status;
	ended = converse(&talk, pid, &wait_status);
	out_result->end = describe_end(place->arena, ended, wait_status);
	out_result->out =
		bl_arena_copy_str(place->arena, bl_buf_str(&talk.output[0]));
	out_result->errors =
		bl_arena_copy_str(place->arena, bl_buf_str(&talk.output[1]));
	for (int i = 0; i < 3; i++)
		if (talk.fds[i].fd >= 0)
			hang_up(&talk.fds[i]);
	bl_buf_clear(&talk.output[0]);
	bl_buf_clear(&talk.output[1]);
	return BL_OK;
}

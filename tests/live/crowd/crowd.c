/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd COUNT PAYLOAD COMMAND...: starts the command COUNT times, each with its
 * number in CROWD, lets all of them go at the same moment by giving them the
 * payload, and waits.  Prints how many exited with 0, and the largest memory
 * that one of them (or of its children) has had, in KiB.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1000 };

static int inputs[MOST];

static pid_t start(char **argv, int number)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	char text[16];
	pid_t pid = -1;

	snprintf(text, sizeof(text), "%d", number);
	if (setenv("CROWD", text, 1) || pipe2(ends, O_CLOEXEC))
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]);
	inputs[number] = ends[1];
	return pid;
}

int main(int argc, char **argv)
{
	int count = argc > 3 ? atoi(argv[1]) : 0;
	struct rusage usage;
	long most_kib = 0;
	int status, fine = 0;

	if (count < 1 || count > MOST)
		return 2;
	for (int i = 0; i < count; i++) {
		if (start(argv + 3, i) < 0)
			return 2;
	}
	for (int i = 0; i < count; i++) {
		if (write(inputs[i], argv[2], strlen(argv[2])) < 0)
			return 2;
		close(inputs[i]);
	}
	while (wait4(-1, &status, 0, &usage) > 0) {
		fine += WIFEXITED(status) && !WEXITSTATUS(status);
		if (usage.ru_maxrss > most_kib)
			most_kib = usage.ru_maxrss;
	}
	printf("%d %ld\n", fine, most_kib);
	return 0;
}

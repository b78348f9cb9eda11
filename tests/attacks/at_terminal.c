/* SPDX-License-Identifier: Apache-2.0 */
/*
 * at_terminal.c: runs a command as a person would, at a terminal of its own, and
 * answers its question: at-terminal ANSWER COMMAND [ARGUMENT]...  Its output
 * goes to standard output, without carriage returns; its exit status is ours.
 */
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OUTPUT = 1 << 16 };

/* All that the command says; the answer goes in once the question is there. */
static void talk(int terminal, const char *answer)
{
	static char said[MOST_OUTPUT];
	size_t len = 0;
	int has_answered = 0;

	while (len < sizeof(said) - 1) {
		ssize_t got =
			read(terminal, said + len, sizeof(said) - 1 - len);

		if (got <= 0)
			break;
		len += (size_t)got;
		said[len] = '\0';
		if (has_answered || !strstr(said, "[y/N]"))
			continue;
		has_answered = 1;
		if (write(terminal, answer, strlen(answer)) < 0 ||
		    write(terminal, "\n", 1) < 0)
			break;
	}
	for (size_t i = 0; i < len; i++)
		if (said[i] != '\r')
			putchar(said[i]);
}

int main(int argc, char **argv)
{
	int terminal;
	int status;
	pid_t child;

	if (argc < 3) {
		fprintf(stderr, "usage: at-terminal ANSWER COMMAND...\n");
		return 64;
	}
	child = forkpty(&terminal, NULL, NULL, NULL);
	if (child < 0) {
		perror("at-terminal");
		return 71;
	}
	if (!child) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	talk(terminal, argv[1]);
	close(terminal);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 70;
}

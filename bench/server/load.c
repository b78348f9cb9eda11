/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load PORT CONNECTIONS SECONDS keep|new REQUESTS: sends the requests of a file,
 * one after the other and round again, over so many connections at once, and
 * prints how many were answered a second, and how long that took.
 *
 * REQUESTS holds whole requests, each behind a line with its length.  An answer
 * ends with its head and as many bytes as its Content-Length says (none of 304).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_REQUESTS = 20000, MAX_CONNECTIONS = 1024, MAX_TIMES = 4000000 };

struct request {
	const char *text;
	size_t len;
};

struct peer {
	int fd;
	double since;
	size_t got;
	char answer[4096];
};

static struct request requests[MAX_REQUESTS];
static size_t request_count, next_request;
static struct peer peers[MAX_CONNECTIONS];
static float *times;
static size_t time_count, bad_count;
static int epoll_fd;
static struct sockaddr_in address;
static int keeps;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void read_requests(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t len;

	if (!file)
		fail(path);
	while (request_count < MAX_REQUESTS && fscanf(file, "%zu", &len) == 1) {
		char *text = malloc(len);

		if (!text || fgetc(file) != '\n' ||
		    fread(text, 1, len, file) != len)
			fail("requests");
		requests[request_count++] = (struct request){ text, len };
	}
	fclose(file);
}

static void dial(struct peer *peer)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = peer };
	int yes = 1;

	peer->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (peer->fd < 0 ||
	    connect(peer->fd, (struct sockaddr *)&address, sizeof(address)))
		fail("connect");
	setsockopt(peer->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, peer->fd, &event);
}

static void ask(struct peer *peer)
{
	const struct request *request = &requests[next_request];
	size_t sent = 0;

	next_request = (next_request + 1) % request_count;
	peer->since = now();
	peer->got = 0;
	if (peer->fd < 0)
		dial(peer);
	while (sent < request->len) {
		ssize_t put = send(peer->fd, request->text + sent,
				   request->len - sent, MSG_NOSIGNAL);

		if (put <= 0)
			fail("send");
		sent += (size_t)put;
	}
}

/* Is the answer whole? */
static int is_whole(struct peer *peer)
{
	char *end;
	const char *length;

	peer->answer[peer->got] = '\0';
	end = strstr(peer->answer, "\r\n\r\n");
	if (!end)
		return 0;
	length = strcasestr(peer->answer, "\r\nContent-Length: ");
	if (!length || length > end)
		return 1;
	return peer->got >= (size_t)(end + 4 - peer->answer) +
				    strtoul(length + 18, NULL, 10);
}

static void finish(struct peer *peer)
{
	if (time_count < MAX_TIMES)
		times[time_count++] = (float)((now() - peer->since) * 1e3);
	bad_count += strncmp(peer->answer, "HTTP/1.1 2", 10) != 0 &&
		     strncmp(peer->answer, "HTTP/1.1 304", 12) != 0;
	if (!keeps) {
		close(peer->fd);
		peer->fd = -1;
	}
	ask(peer);
}

static void take(struct peer *peer)
{
	ssize_t got = recv(peer->fd, peer->answer + peer->got,
			   sizeof(peer->answer) - 1 - peer->got, 0);

	if (got <= 0) { /* it was closed: again, as a client would */
		close(peer->fd);
		peer->fd = -1;
		bad_count++;
		ask(peer);
		return;
	}
	peer->got += (size_t)got;
	if (is_whole(peer))
		finish(peer);
}

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a;
	float y = *(const float *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int connections = argc == 6 ? atoi(argv[2]) : 0;
	double end;
	double began;

	if (connections < 1 || connections > MAX_CONNECTIONS) {
		fprintf(stderr, "usage: load PORT CONNECTIONS SECONDS keep|new "
				"REQUESTS\n");
		return 64;
	}
	read_requests(argv[5]);
	times = malloc(sizeof(*times) * MAX_TIMES);
	epoll_fd = epoll_create1(0);
	keeps = !strcmp(argv[4], "keep");
	address = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((unsigned short)atoi(argv[1])),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (!times || !request_count)
		fail("memory or requests");
	began = now();
	end = began + atof(argv[3]);
	for (int i = 0; i < connections; i++) {
		peers[i].fd = -1;
		ask(&peers[i]);
	}
	while (now() < end) {
		struct epoll_event events[64];
		int count = epoll_wait(epoll_fd, events, 64, 100);

		for (int i = 0; i < count; i++)
			take(events[i].data.ptr);
	}
	qsort(times, time_count, sizeof(*times), compare);
	printf("%.0f %.2f %.2f %zu\n", (double)time_count / (now() - began),
	       (double)times[time_count / 2],
	       (double)times[time_count * 99 / 100], bad_count);
	return 0;
}

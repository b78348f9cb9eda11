/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.c: requests that may block.  Their connection is suspended, so that
 * libmicrohttpd's few threads go on; a worker makes the reply and resumes it.
 */
#include "http/server/private.h"

bool server_queue(struct server_request *request)
{
	struct bl_server *server = request->server;
	bool has_room;

	pthread_mutex_lock(&server->lock);
	/* Once the workers go home nobody would resume it. */
	has_room = !server->is_ending &&
		   server->waiting < server->options.max_waiting;
	if (has_room) {
		/* Before a worker can see it: resume must follow suspend. */
		MHD_suspend_connection(request->connection);
		request->next = NULL;
		*server->last = request;
		server->last = &request->next;
		server->waiting++;
		pthread_cond_signal(&server->wake);
	}
	pthread_mutex_unlock(&server->lock);
	return has_room;
}

/* The next request; NULL: there is nothing more to do. */
static struct server_request *take(struct bl_server *server)
{
	struct server_request *request;

	pthread_mutex_lock(&server->lock);
	while (!server->first && !server->is_ending)
		pthread_cond_wait(&server->wake, &server->lock);
	request = server->first;
	if (request) {
		server->first = request->next;
		if (!server->first)
			server->last = &server->first;
		server->waiting--;
	}
	pthread_mutex_unlock(&server->lock);
	return request;
}

void server_work(struct bl_server *server)
{
	struct server_request *request;

	while ((request = take(server))) {
		request->open.route->handle(&request->open, &request->reply);
		request->is_worked = true;
		MHD_resume_connection(request->connection);
	}
}

void server_end_work(struct bl_server *server)
{
	pthread_mutex_lock(&server->lock);
	server->is_ending = true;
	pthread_cond_broadcast(&server->wake);
	pthread_mutex_unlock(&server->lock);
}

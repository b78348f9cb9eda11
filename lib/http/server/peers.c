/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers.c: how long a connection may take.  libmicrohttpd's time-out begins anew with
 * each byte, so a client that sends one byte at a time would hold a connection
 * for ever: this list knows since when each one is in the state it is in.
 */
#include "http/server/private.h"

#include <stdlib.h>
#include <sys/socket.h>

enum { MS_NS = 1000000 };

static void open_peer(struct bl_server *server,
		      struct MHD_Connection *connection, void **state)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct server_peer *peer = calloc(1, sizeof(*peer));

	atomic_fetch_add(&server->connections, 1);
	*state = peer;
	if (!peer || !info)
		return;
	peer->fd = info->connect_fd;
	peer->since_ns = bl_os_monotonic_ns();
	peer->is_between = true;
	pthread_mutex_lock(&server->peers_lock);
	peer->next = server->peers;
	if (peer->next)
		peer->next->before = peer;
	server->peers = peer;
	pthread_mutex_unlock(&server->peers_lock);
}

static void close_peer(struct bl_server *server, struct server_peer *peer)
{
	atomic_fetch_sub(&server->connections, 1);
	if (!peer)
		return;
	pthread_mutex_lock(&server->peers_lock);
	if (peer->before)
		peer->before->next = peer->next;
	else if (server->peers == peer)
		server->peers = peer->next;
	if (peer->next)
		peer->next->before = peer->before;
	pthread_mutex_unlock(&server->peers_lock);
	free(peer);
}

void server_on_connection(void *context, struct MHD_Connection *connection,
			  void **state,
			  enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		open_peer(context, connection, state);
	else
		close_peer(context, *state);
}

static void set_state(struct server_request *request, bool is_between,
		      bool is_held)
{
	struct bl_server *server = request->server;

	if (!request->peer)
		return;
	pthread_mutex_lock(&server->peers_lock);
	request->peer->is_between = is_between;
	request->peer->is_held = is_held;
	request->peer->since_ns = bl_os_monotonic_ns();
	pthread_mutex_unlock(&server->peers_lock);
}

void server_peer_began(struct server_request *request)
{
	set_state(request, false, false);
}

void server_peer_is_held(struct server_request *request)
{
	set_state(request, false, true);
}

void server_peer_ended(struct server_request *request)
{
	set_state(request, true, false);
}

void server_peers_close_late(struct bl_server *server)
{
	int64_t now = bl_os_monotonic_ns();
	int64_t request_ns = (int64_t)server->options.request_ms * MS_NS;
	int64_t between_ns =
		request_ns + (int64_t)server->options.idle_ms * MS_NS;

	pthread_mutex_lock(&server->peers_lock);
	for (struct server_peer *peer = server->peers; peer;
	     peer = peer->next) {
		int64_t most = peer->is_between ? between_ns : request_ns;

		if (peer->is_held || now - peer->since_ns < most)
			continue;
		/* Its thread sees the end of the stream, and closes it. */
		shutdown(peer->fd, SHUT_RDWR);
		peer->is_held = true;
		atomic_fetch_add(&server->late, 1);
	}
	pthread_mutex_unlock(&server->peers_lock);
}

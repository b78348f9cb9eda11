/* SPDX-License-Identifier: Apache-2.0 */
/* http/server/private.h: what the files of the server share. */
#ifndef BELAY_HTTP_SERVER_PRIVATE_H
#define BELAY_HTTP_SERVER_PRIVATE_H

#include "http/server/server.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "os/os.h"

enum { SERVER_FIRST_BYTES = 2048 };

/* One connection, watched so that nobody holds it by sending slowly. */
struct server_peer {
	struct server_peer *before;
	struct server_peer *next;
	int fd;
	int64_t since_ns; /* of the state below */
	bool is_between;  /* no request has begun */
	bool is_held;     /* ours to answer: not watched */
};

struct server_request {
	struct bl_server_request open; /* first: handlers see this */
	struct bl_server_reply reply;
	struct bl_server *server;
	struct MHD_Connection *connection;
	struct server_peer *peer;
	struct server_request *next; /* in the queue */
	struct bl_buf taken;         /* the body, as it was sent */
	char *uri;
	bool is_known;   /* the first call is over */
	bool is_refused; /* reply says why; the body is dropped */
	bool is_worked;  /* a worker has made the reply */
	size_t dropped_bytes;
	_Alignas(max_align_t) char first[SERVER_FIRST_BYTES];
};

struct bl_server {
	struct bl_server_options options;
	struct MHD_Daemon *daemon;
	struct bl_flag stop;
	char address[BL_IP_TEXT_BYTES + 16];

	pthread_mutex_t lock; /* guards the queue */
	pthread_cond_t wake;
	struct server_request *first;
	struct server_request **last;
	unsigned waiting;
	bool is_ending; /* workers go home when the queue is empty */

	pthread_mutex_t peers_lock; /* guards the list of connections */
	struct server_peer *peers;

	atomic_uint running; /* requests that were taken and not answered */
	atomic_uint connections;
	atomic_uint_fast64_t requests;
	atomic_uint_fast64_t refused;
	atomic_uint_fast64_t shed;
	atomic_uint_fast64_t late;
};

/* request.c: what libmicrohttpd calls. */
void *server_on_uri(void *context, const char *uri,
		    struct MHD_Connection *connection);
enum MHD_Result server_on_request(void *context,
				  struct MHD_Connection *connection,
				  const char *url, const char *method,
				  const char *version, const char *piece,
				  size_t *piece_len, void **state);
void server_on_completed(void *context, struct MHD_Connection *connection,
			 void **state, enum MHD_RequestTerminationCode code);

/* A plain reply: a status and a line of text. */
void server_refuse(struct server_request *request, int status,
		   const char *text);

/* peers.c */
void server_on_connection(void *context, struct MHD_Connection *connection,
			  void **state,
			  enum MHD_ConnectionNotificationCode code);
void server_peer_began(struct server_request *request);
void server_peer_is_held(struct server_request *request);
void server_peer_ended(struct server_request *request);
void server_peers_close_late(struct bl_server *server);

/* work.c */
bool server_queue(struct server_request *request); /* false: it is full */
void server_work(struct bl_server *server);        /* a worker's life */
void server_end_work(struct bl_server *server);

/* body.c: replaces open.body by what gzip holds; else the status to refuse
 * with. */
int server_unzip(struct server_request *request);

#endif

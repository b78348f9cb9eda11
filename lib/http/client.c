/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c: requests side by side, by libcurl's multi interface.
 *
 * A client has a few sessions (each a multi handle with its connections); a
 * run takes one for itself, so that threads do not share what libcurl does not
 * let them share.
 */
#include "http/curl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "http/transfer.h"

enum {
	MAX_IDLE_SESSIONS = 8,
	MAX_CONNECTIONS = 16, /* kept by a session */
	MAX_WAIT_MS = 1000,   /* libcurl wakes by itself before that */
	MS_NS = 1000000,
};

/* How long to wait before each further attempt to connect. */
static const int64_t delays_ms[] = { 100, 200, 400 };

struct session {
	struct session *next;
	CURLM *multi;
};

struct bl_http_client {
	pthread_mutex_t lock; /* guards all below */
	struct bl_curl curl;  /* fixed once loaded */
	struct session *idle;
	size_t idle_count;
};

bool bl_http_is_linked(void)
{
	return true;
}

/* ---- clients and sessions ----------------------------------------------- */

enum bl_status bl_http_client_new(struct bl_http_client **out_client,
				  struct bl_error *err)
{
	struct bl_http_client *client = calloc(1, sizeof(*client));

	if (!client)
		return bl_fail_memory(err);
	pthread_mutex_init(&client->lock, NULL);
	*out_client = client;
	return BL_OK;
}

static void free_session(const struct bl_curl *curl, struct session *session)
{
	if (!session)
		return;
	if (session->multi)
		curl->multi_cleanup(session->multi);
	free(session);
}

struct bl_http_client *bl_http_client_free(struct bl_http_client *client)
{
	if (!client)
		return NULL;
	while (client->idle) {
		struct session *next = client->idle->next;

		free_session(&client->curl, client->idle);
		client->idle = next;
	}
	bl_curl_unload(&client->curl);
	pthread_mutex_destroy(&client->lock);
	free(client);
	return NULL;
}

enum bl_status bl_http_client_curl(struct bl_http_client *client,
				   const struct bl_curl **out_curl,
				   struct bl_error *err)
{
	enum bl_status status = BL_OK;

	pthread_mutex_lock(&client->lock);
	if (!client->curl.library)
		status = bl_curl_load(&client->curl, err);
	pthread_mutex_unlock(&client->lock);
	*out_curl = &client->curl;
	return status;
}

/* Loads the library if need be, and takes an idle session if there is one. */
static enum bl_status begin(struct bl_http_client *client,
			    struct session **out_session, struct bl_error *err)
{
	enum bl_status status = BL_OK;

	pthread_mutex_lock(&client->lock);
	if (!client->curl.library)
		status = bl_curl_load(&client->curl, err);
	*out_session = client->idle;
	if (client->idle) {
		client->idle = client->idle->next;
		client->idle_count--;
	}
	pthread_mutex_unlock(&client->lock);
	return status;
}

static enum bl_status make_session(const struct bl_curl *curl,
				   struct session **out_session,
				   struct bl_error *err)
{
	struct session *session = calloc(1, sizeof(*session));

	if (session)
		session->multi = curl->multi_init();
	if (!session || !session->multi) {
		free(session);
		return bl_fail_memory(err);
	}
	curl->multi_setopt(session->multi, CURLMOPT_MAXCONNECTS,
			   (long)MAX_CONNECTIONS);
	*out_session = session;
	return BL_OK;
}

static void end(struct bl_http_client *client, struct session *session,
		bool keep)
{
	pthread_mutex_lock(&client->lock);
	if (keep && client->idle_count < MAX_IDLE_SESSIONS) {
		session->next = client->idle;
		client->idle = session;
		client->idle_count++;
		session = NULL;
	}
	pthread_mutex_unlock(&client->lock);
	free_session(&client->curl, session);
}

/* ---- a run -------------------------------------------------------------- */

struct run {
	const struct bl_curl *curl;
	CURLM *multi;
	struct bl_transfer *transfers;
	size_t count;
	size_t open;               /* that have no result yet */
	struct curl_waitfd *stops; /* room for one of each transfer */
};

/* An attempt is over: that was it, or there will be another one. */
static void conclude(struct run *run, struct bl_transfer *transfer,
		     CURLcode code)
{
	uint32_t tried = transfer->result->attempts;
	int64_t now = bl_os_monotonic_ns();

	run->curl->multi_remove_handle(run->multi, transfer->easy);
	if (bl_transfer_may_retry(transfer, code) &&
	    tried <= BL_COUNT(delays_ms)) {
		transfer->next_ns = now + delays_ms[tried - 1] * MS_NS;
		if (transfer->next_ns < transfer->deadline_ns) {
			bl_transfer_note(transfer, code);
			bl_transfer_close(transfer);
			return;
		}
	}
	bl_transfer_note(transfer, code);
	bl_transfer_close(transfer);
	transfer->is_over = true;
	run->open--;
}

/* Ends what its stop says: nobody will read an answer. */
static void give_up(struct run *run, struct bl_transfer *transfer,
		    enum bl_stop_reason reason)
{
	struct bl_http_result *result = transfer->result;

	if (transfer->easy) {
		run->curl->multi_remove_handle(run->multi, transfer->easy);
		bl_transfer_close(transfer);
	}
	result->end = BL_HTTP_STOPPED;
	result->status = (int)reason;
	result->elapsed_ns = bl_os_monotonic_ns() - transfer->started_ns;
	transfer->is_over = true;
	run->open--;
}

static void give_up_stopped(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		struct bl_transfer *transfer = &run->transfers[i];
		enum bl_stop_reason reason =
			bl_stop_ask(transfer->request->stop);

		if (!transfer->is_over && reason)
			give_up(run, transfer, reason);
	}
}

static enum bl_status start(struct run *run, struct bl_transfer *transfer,
			    struct bl_error *err)
{
	enum bl_status status = bl_transfer_open(transfer, err);

	if (status == BL_OK &&
	    run->curl->multi_add_handle(run->multi, transfer->easy)) {
		bl_transfer_close(transfer);
		status = bl_fail_memory(err);
	}
	return status;
}

static enum bl_status start_due(struct run *run, struct bl_error *err)
{
	int64_t now = bl_os_monotonic_ns();
	enum bl_status status = BL_OK;

	for (size_t i = 0; status == BL_OK && i < run->count; i++) {
		struct bl_transfer *transfer = &run->transfers[i];

		if (!transfer->is_over && !transfer->easy &&
		    transfer->next_ns <= now)
			status = start(run, transfer, err);
	}
	return status;
}

/* Until the next attempt, or the deadline of one, is due. */
static int wait_ms(const struct run *run)
{
	int64_t now = bl_os_monotonic_ns();
	int64_t wait = MAX_WAIT_MS;

	for (size_t i = 0; i < run->count; i++) {
		const struct bl_transfer *transfer = &run->transfers[i];
		int64_t due = bl_stop_deadline_ns(transfer->request->stop);
		int64_t left;

		if (transfer->is_over)
			continue;
		if (!transfer->easy && transfer->next_ns < due)
			due = transfer->next_ns;
		if (due == INT64_MAX)
			continue;
		left = (due - now) / MS_NS + 1;
		if (left < wait)
			wait = left > 0 ? left : 0;
	}
	return (int)wait;
}

/* Lists what wakes us to give up. */
static unsigned watch_stops(const struct run *run)
{
	unsigned count = 0;

	for (size_t i = 0; i < run->count; i++) {
		const struct bl_transfer *transfer = &run->transfers[i];
		int fd = bl_stop_fd(transfer->request->stop);

		if (!transfer->is_over && fd >= 0)
			run->stops[count++] = (struct curl_waitfd){
				.fd = fd, .events = CURL_WAIT_POLLIN
			};
	}
	return count;
}

static struct bl_transfer *find_transfer(struct run *run, const CURL *easy)
{
	size_t i = 0;

	while (run->transfers[i].easy != easy)
		i++;
	return &run->transfers[i];
}

static enum bl_status step(struct run *run, struct bl_error *err)
{
	CURLMsg *message;
	CURLMcode code;
	int count;
	enum bl_status status;

	give_up_stopped(run);
	status = start_due(run, err);
	if (status != BL_OK)
		return status;
	code = run->curl->multi_perform(run->multi, &count);
	while (code == CURLM_OK &&
	       (message = run->curl->multi_info_read(run->multi, &count))) {
		if (message->msg == CURLMSG_DONE)
			conclude(run, find_transfer(run, message->easy_handle),
				 message->data.result);
	}
	if (code == CURLM_OK && run->open > 0)
		code = run->curl->multi_poll(run->multi, run->stops,
					     watch_stops(run), wait_ms(run),
					     NULL);
	if (code == CURLM_OUT_OF_MEMORY)
		return bl_fail_memory(err);
	if (code != CURLM_OK)
		return bl_fail(err, BL_SYSTEM, "libcurl: %s",
			       run->curl->multi_strerror(code));
	return BL_OK;
}

static enum bl_status run_all(struct run *run, struct bl_arena *arena,
			      struct bl_error *err)
{
	enum bl_status status = BL_OK;

	while (status == BL_OK && run->open > 0)
		status = step(run, err);
	for (size_t i = 0; i < run->count; i++) {
		struct bl_transfer *transfer = &run->transfers[i];

		if (transfer->easy) {
			run->curl->multi_remove_handle(run->multi,
						       transfer->easy);
			bl_transfer_close(transfer);
		}
		if (status == BL_OK)
			status = bl_transfer_take(transfer, arena, err);
		bl_buf_clear(&transfer->body);
	}
	return status;
}

/* Without the library no request has been sent, which is not an error of ours. */
static enum bl_status say_no_client(enum bl_status status,
				    const struct bl_error *why,
				    struct bl_http_result *results,
				    size_t count, struct bl_error *err)
{
	if (status != BL_UNSUPPORTED)
		return bl_fail(err, status, "%s", why->message);
	for (size_t i = 0; i < count; i++) {
		results[i] = (struct bl_http_result){
			.end = BL_HTTP_NO_CLIENT,
		};
		snprintf(results[i].error, sizeof(results[i].error), "%s",
			 why->message);
	}
	return BL_OK;
}

enum bl_status bl_http_run(struct bl_http_client *client,
			   const struct bl_http_request *requests, size_t count,
			   struct bl_arena *arena,
			   struct bl_http_result *results, struct bl_error *err)
{
	struct session *session = NULL;
	struct bl_error why = { 0 };
	struct run run = { .count = count, .open = count };
	enum bl_status status;

	if (count > BL_HTTP_MAX_REQUESTS)
		return bl_fail(err, BL_LIMIT, "more than %d requests at once",
			       BL_HTTP_MAX_REQUESTS);
	run.transfers = bl_arena_new_array(arena, struct bl_transfer, count);
	run.stops = bl_arena_new_array(arena, struct curl_waitfd, count);
	if (!run.transfers || !run.stops)
		return bl_arena_fail(arena, err);
	status = begin(client, &session, &why);
	if (status != BL_OK)
		return say_no_client(status, &why, results, count, err);
	run.curl = &client->curl;
	if (!session)
		status = make_session(run.curl, &session, err);
	if (status != BL_OK || !session)
		return status;
	run.multi = session->multi;
	for (size_t i = 0; i < count; i++)
		bl_transfer_init(&run.transfers[i], run.curl, &requests[i],
				 &results[i]);
	status = run_all(&run, arena, err);
	end(client, session, status == BL_OK);
	return status;
}

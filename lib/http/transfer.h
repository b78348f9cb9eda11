/* SPDX-License-Identifier: Apache-2.0 */
/* http/transfer.h: one request on its way. */
#ifndef BELAY_HTTP_TRANSFER_H
#define BELAY_HTTP_TRANSFER_H

#include "base/buf.h"
#include "http/curl.h"
#include "os/os.h"

struct bl_transfer {
	const struct bl_curl *curl;
	const struct bl_http_request *request;
	struct bl_http_result *result;
	int64_t started_ns;
	int64_t deadline_ns;
	int64_t next_ns; /* when the next attempt is due, without one */
	bool is_over;    /* the result is there */

	/* of the attempt that is being made; easy is NULL without one */
	CURL *easy;
	struct curl_slist *headers;
	struct curl_slist *resolve;
	struct bl_buf body;
	size_t header_bytes;
	bool is_sent;       /* the request was, or part of it */
	bool has_too_much;  /* of an answer */
	struct bl_ip where; /* the address that was refused; len 0: none */
	char error[CURL_ERROR_SIZE];
};

void bl_transfer_init(struct bl_transfer *transfer, const struct bl_curl *curl,
		      const struct bl_http_request *request,
		      struct bl_http_result *result);

/* Makes the handle of an attempt; on failure nothing is left. */
enum bl_status bl_transfer_open(struct bl_transfer *transfer,
				struct bl_error *err);

/* Ends the attempt; the handle must be in no multi handle any more. */
void bl_transfer_close(struct bl_transfer *transfer);

/* Nothing was sent, and another attempt may come to something else. */
bool bl_transfer_may_retry(const struct bl_transfer *transfer, CURLcode code);

/* Writes the outcome of the attempt into the result (the body stays where it is). */
void bl_transfer_note(struct bl_transfer *transfer, CURLcode code);

/* The answer's body, into arena. */
enum bl_status bl_transfer_take(struct bl_transfer *transfer,
				struct bl_arena *arena, struct bl_error *err);

#endif

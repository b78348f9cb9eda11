/* SPDX-License-Identifier: Apache-2.0 */
/* http/curl.h: libcurl's functions, found when they are first needed. */
#ifndef BELAY_HTTP_CURL_H
#define BELAY_HTTP_CURL_H

#include <curl/curl.h>

#include "http/http.h"

/* 7.87: the first that does not wait for a slow resolver at the end. */
enum { BL_CURL_LEAST_VERSION = 0x075700 };

#define BL_CURL_FUNCTIONS(F)                                                   \
	F(global_init)                                                         \
	F(global_cleanup)                                                      \
	F(version_info)                                                        \
	F(slist_append)                                                        \
	F(slist_free_all)                                                      \
	F(easy_init)                                                           \
	F(easy_setopt)                                                         \
	F(easy_getinfo)                                                        \
	F(easy_strerror)                                                       \
	F(easy_cleanup)                                                        \
	F(multi_init)                                                          \
	F(multi_setopt)                                                        \
	F(multi_add_handle)                                                    \
	F(multi_remove_handle)                                                 \
	F(multi_perform)                                                       \
	F(multi_poll)                                                          \
	F(multi_info_read)                                                     \
	F(multi_strerror)                                                      \
	F(multi_cleanup)

/* All zero: not loaded. */
struct bl_curl {
	void *library;
#define F(name) __typeof__(&curl_##name) name;
	BL_CURL_FUNCTIONS(F)
#undef F
};

/* UNSUPPORTED when absent, or an older one. */
enum bl_status bl_curl_load(struct bl_curl *out_curl, struct bl_error *err);
void bl_curl_unload(struct bl_curl *curl);

/* The options common to all requests: address, deadline, and forbidden features. */
CURLcode bl_curl_set_up(const struct bl_curl *curl, CURL *easy, const char *url,
			long timeout_ms);

/* Appends a copy of line to *list; false: memory, the list is as it was. */
bool bl_curl_add_line(const struct bl_curl *curl, struct curl_slist **list,
		      const char *line);

/* The functions of a client, loaded when need be; they live as long as it. */
enum bl_status bl_http_client_curl(struct bl_http_client *client,
				   const struct bl_curl **out_curl,
				   struct bl_error *err);

#endif

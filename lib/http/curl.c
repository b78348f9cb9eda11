/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl, opened when something is first sent: a program that sends nothing
 * neither links nor loads it (15 ms of start).
 */
#include "http/curl.h"

#include <dlfcn.h>

static const struct {
	const char *name;
	size_t at;
} functions[] = {
#define F(name) { "curl_" #name, offsetof(struct bl_curl, name) },
	BL_CURL_FUNCTIONS(F)
#undef F
};

/* Debian's two flavours, the one with OpenSSL first. */
static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

static void *open_library(void)
{
	void *library = NULL;

	/* TLS libraries do not like to be unloaded. */
	for (size_t i = 0; i < BL_COUNT(names) && !library; i++)
		library =
			dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return library;
}

static enum bl_status find_functions(struct bl_curl *curl, struct bl_error *err)
{
	for (size_t i = 0; i < BL_COUNT(functions); i++) {
		void *function = dlsym(curl->library, functions[i].name);

		if (!function)
			return bl_fail(err, BL_UNSUPPORTED, "libcurl has no %s",
				       functions[i].name);
		memcpy((char *)curl + functions[i].at, &function,
		       sizeof(function));
	}
	return BL_OK;
}

enum bl_status bl_curl_load(struct bl_curl *out_curl, struct bl_error *err)
{
	struct bl_curl curl = { .library = open_library() };
	const curl_version_info_data *info;
	enum bl_status status;

	if (!curl.library)
		return bl_fail(err, BL_UNSUPPORTED,
			       "requests need libcurl, which is not installed "
			       "(%s)",
			       names[0]);
	status = find_functions(&curl, err);
	if (status == BL_OK) {
		info = curl.version_info(CURLVERSION_NOW);
		if (info->version_num < BL_CURL_LEAST_VERSION)
			status = bl_fail(err, BL_UNSUPPORTED,
					 "libcurl %s is too old: requests need "
					 "7.87",
					 info->version);
	}
	/* Counted inside, and safe in several threads in these versions. */
	if (status == BL_OK && curl.global_init(CURL_GLOBAL_DEFAULT))
		status = bl_fail(err, BL_SYSTEM,
				 "libcurl could not be initialised");
	if (status == BL_OK)
		*out_curl = curl;
	else
		dlclose(curl.library);
	return status;
}

void bl_curl_unload(struct bl_curl *curl)
{
	if (!curl->library)
		return;
	curl->global_cleanup();
	dlclose(curl->library);
	*curl = (struct bl_curl){ .library = NULL };
}

static const struct {
	CURLoption option;
	long value;
} settings[] = {
	{ CURLOPT_NOSIGNAL, 1 },
	{ CURLOPT_FOLLOWLOCATION, 0 },
	{ CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 },
	{ CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1 },
	{ CURLOPT_HTTP09_ALLOWED, 0 },
	{ CURLOPT_HTTP_CONTENT_DECODING, 0 },
	{ CURLOPT_NETRC, CURL_NETRC_IGNORED },
	{ CURLOPT_DISALLOW_USERNAME_IN_URL, 1 },
	{ CURLOPT_QUICK_EXIT, 1 }, /* a resolver that hangs is left behind */
};

static const struct {
	CURLoption option;
	const char *value;
} texts[] = {
	{ CURLOPT_PROTOCOLS_STR, "https,http" },
	{ CURLOPT_PROXY, "" }, /* not even that of the environment */
	{ CURLOPT_NOPROXY, "*" },
};

CURLcode bl_curl_set_up(const struct bl_curl *curl, CURL *easy, const char *url,
			long timeout_ms)
{
	CURLcode bad = curl->easy_setopt(easy, CURLOPT_URL, url);

	for (size_t i = 0; i < BL_COUNT(settings) && !bad; i++)
		bad = curl->easy_setopt(easy, settings[i].option,
					settings[i].value);
	for (size_t i = 0; i < BL_COUNT(texts) && !bad; i++)
		bad = curl->easy_setopt(easy, texts[i].option, texts[i].value);
	if (!bad)
		bad = curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
	return bad ? bad
		   : curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
				       timeout_ms);
}

bool bl_curl_add_line(const struct bl_curl *curl, struct curl_slist **list,
		      const char *line)
{
	struct curl_slist *longer = curl->slist_append(*list, line);

	if (longer)
		*list = longer;
	return longer != NULL;
}

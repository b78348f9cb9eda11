/* SPDX-License-Identifier: Apache-2.0 */
/* tls.c: a TLS connection by libssl.  A file of its own: nothing else links libssl. */
#include "crypto/tls/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

struct bl_tls {
	SSL_CTX *settings;
	SSL *ssl;
	struct bl_tls_options options;
};

/* libssl's first words about what went wrong. */
static enum bl_status fail(enum bl_status status, const char *what,
			   struct bl_error *err)
{
	unsigned long code = ERR_get_error();
	const char *why = code ? ERR_reason_error_string(code) : NULL;

	ERR_clear_error();
	return bl_fail(err, status, "%s: %s", what,
		       why ? why : "the connection ended");
}

/* ---- certificates --------------------------------------------------------------- */

static BIO *open_text(struct bl_str text)
{
	return text.len <= INT32_MAX ? BIO_new_mem_buf(text.ptr, (int)text.len)
				     : NULL;
}

static enum bl_status trust(SSL_CTX *settings, struct bl_str ca,
			    struct bl_error *err)
{
	X509_STORE *store = SSL_CTX_get_cert_store(settings);
	BIO *in = ca.ptr ? open_text(ca) : NULL;
	X509 *one;
	int count = 0;

	if (!ca.ptr)
		return SSL_CTX_set_default_verify_paths(settings)
			       ? BL_OK
			       : fail(BL_SYSTEM, "the system's authorities",
				      err);
	while (in && (one = PEM_read_bio_X509(in, NULL, NULL, NULL))) {
		count += X509_STORE_add_cert(store, one);
		X509_free(one);
	}
	BIO_free(in);
	/* The end of the text is an error, too. */
	ERR_clear_error();
	return count ? BL_OK
		     : bl_fail(err, BL_INVALID,
			       "the certificate authority is not PEM");
}

static enum bl_status show(SSL_CTX *settings,
			   const struct bl_tls_options *options,
			   struct bl_error *err)
{
	BIO *cert_in = open_text(options->client_cert);
	BIO *key_in = open_text(options->client_key);
	X509 *cert =
		cert_in ? PEM_read_bio_X509(cert_in, NULL, NULL, NULL) : NULL;
	/* The password "": a key that has one must not ask on the terminal. */
	EVP_PKEY *key = key_in ? PEM_read_bio_PrivateKey(key_in, NULL, NULL,
							 (void *)(uintptr_t) "")
			       : NULL;
	bool good = cert && key &&
		    SSL_CTX_use_certificate(settings, cert) == 1 &&
		    SSL_CTX_use_PrivateKey(settings, key) == 1;
	X509 *more;

	while (good && (more = PEM_read_bio_X509(cert_in, NULL, NULL, NULL)))
		good = SSL_CTX_add0_chain_cert(settings, more) == 1;
	X509_free(cert);
	EVP_PKEY_free(key);
	BIO_free(cert_in);
	BIO_free(key_in);
	ERR_clear_error();
	return good ? BL_OK
		    : bl_fail(err, BL_INVALID,
			      "certificate and key are not a pair in PEM");
}

/* ---- opening -------------------------------------------------------------------- */

static bool set_name(SSL *ssl, const char *host)
{
	X509_VERIFY_PARAM *wanted = SSL_get0_param(ssl);

	X509_VERIFY_PARAM_set_hostflags(wanted,
					X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	/*
	 * An address is not a name that could be asked for.  SSL_ctrl, since
	 * SSL_set_tlsext_host_name casts const away.
	 */
	return X509_VERIFY_PARAM_set1_ip_asc(wanted, host) == 1 ||
	       (X509_VERIFY_PARAM_set1_host(wanted, host, 0) == 1 &&
		SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME,
			 TLSEXT_NAMETYPE_host_name,
			 (void *)(uintptr_t)host) == 1);
}

/* After a call that could not go on: wait, and try again? */
static bool can_go_on(const struct bl_tls *tls, int result)
{
	switch (SSL_get_error(tls->ssl, result)) {
	case SSL_ERROR_WANT_READ:
		return tls->options.wait(tls->options.context, false);
	case SSL_ERROR_WANT_WRITE:
		return tls->options.wait(tls->options.context, true);
	default:
		return false;
	}
}

static enum bl_status shake_hands(struct bl_tls *tls, struct bl_error *err)
{
	int result;
	long verified;

	do {
		ERR_clear_error();
		result = SSL_connect(tls->ssl);
	} while (result != 1 && can_go_on(tls, result));
	if (result == 1)
		return BL_OK;
	verified = SSL_get_verify_result(tls->ssl);
	if (verified != X509_V_OK)
		return bl_fail(err, BL_DENIED, "its certificate: %s",
			       X509_verify_cert_error_string(verified));
	return fail(BL_DENIED, "TLS", err);
}

static enum bl_status set_up(struct bl_tls *tls, struct bl_error *err)
{
	enum bl_status status;

	tls->settings = SSL_CTX_new(TLS_client_method());
	if (!tls->settings ||
	    !SSL_CTX_set_min_proto_version(tls->settings, TLS1_2_VERSION))
		return fail(BL_SYSTEM, "TLS", err);
	SSL_CTX_set_verify(tls->settings, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_mode(tls->settings,
			 SSL_MODE_AUTO_RETRY | SSL_MODE_ENABLE_PARTIAL_WRITE);
	status = trust(tls->settings, tls->options.ca, err);
	if (!status && tls->options.client_cert.ptr)
		status = show(tls->settings, &tls->options, err);
	if (status)
		return status;
	tls->ssl = SSL_new(tls->settings);
	if (!tls->ssl || !SSL_set_fd(tls->ssl, tls->options.fd) ||
	    !set_name(tls->ssl, tls->options.host))
		return fail(BL_SYSTEM, "TLS", err);
	return shake_hands(tls, err);
}

enum bl_status bl_tls_open(const struct bl_tls_options *options,
			   struct bl_tls **out_tls, struct bl_error *err)
{
	struct bl_tls *tls = calloc(1, sizeof(*tls));
	enum bl_status status;

	if (!tls)
		return bl_fail_memory(err);
	tls->options = *options;
	status = set_up(tls, err);
	if (status)
		bl_tls_free(tls);
	else
		*out_tls = tls;
	return status;
}

/* ---- using ---------------------------------------------------------------------- */

enum bl_status bl_tls_write(struct bl_tls *tls, struct bl_str text,
			    struct bl_error *err)
{
	while (text.len) {
		size_t sent = 0;
		int result;

		ERR_clear_error();
		result = SSL_write_ex(tls->ssl, text.ptr, text.len, &sent);
		if (result == 1)
			text = bl_str_slice(text, sent, SIZE_MAX);
		else if (!can_go_on(tls, result))
			return fail(BL_SYSTEM, "TLS", err);
	}
	return BL_OK;
}

bool bl_tls_end(struct bl_tls *tls)
{
	char dropped[512];
	size_t count;
	int result;

	do {
		ERR_clear_error();
		result = SSL_shutdown(tls->ssl);
	} while (result < 0 && can_go_on(tls, result));
	if (result == 1)
		return true;
	do {
		ERR_clear_error();
		result =
			SSL_read_ex(tls->ssl, dropped, sizeof(dropped), &count);
	} while (result == 1 || can_go_on(tls, result));
	return SSL_get_error(tls->ssl, result) == SSL_ERROR_ZERO_RETURN;
}

struct bl_tls *bl_tls_free(struct bl_tls *tls)
{
	if (!tls)
		return NULL;
	SSL_free(tls->ssl);
	SSL_CTX_free(tls->settings);
	free(tls);
	return NULL;
}

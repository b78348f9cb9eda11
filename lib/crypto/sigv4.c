/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigv4.c: AWS Signature Version 4, which S3 and stores like it ask for.
 *
 *     hash      = SHA-256 of method, path, query, headers, their names, content hash
 *     scope     = DAY/REGION/SERVICE/aws4_request
 *     key       = HMAC(HMAC(HMAC(HMAC("AWS4" SECRET, DAY), REGION), SERVICE),
 *                      "aws4_request")
 *     signature = HMAC(key, "AWS4-HMAC-SHA256" DATE scope hash)
 */
#include "base/hex.h"
#include "crypto/crypto.h"

#include <string.h>

enum { DAY_CHARS = 8 };

static void put_header_names(struct bl_buf *out, const struct bl_sigv4 *request)
{
	for (size_t i = 0; i < request->header_count; i++)
		bl_buf_printf(out, "%s%.*s", i ? ";" : "",
			      BL_STR_ARG(request->headers[i].name));
}

static bool hash_request(const struct bl_sigv4 *request,
			 char out[BL_SHA256_HEX_BYTES])
{
	struct bl_buf text;
	bool is_whole;

	bl_buf_init(&text, 0);
	bl_buf_printf(&text, "%.*s\n%.*s\n%.*s\n", BL_STR_ARG(request->method),
		      BL_STR_ARG(request->path), BL_STR_ARG(request->query));
	for (size_t i = 0; i < request->header_count; i++)
		bl_buf_printf(&text, "%.*s:%.*s\n",
			      BL_STR_ARG(request->headers[i].name),
			      BL_STR_ARG(request->headers[i].value));
	bl_buf_puts(&text, "\n");
	put_header_names(&text, request);
	bl_buf_printf(&text, "\n%.*s", BL_STR_ARG(request->content_hash));
	bl_sha256_hex(bl_buf_str(&text), out);
	is_whole = !bl_buf_status(&text);
	bl_buf_clear(&text);
	return is_whole;
}

static void hmac_of(struct bl_str key, struct bl_str text,
		    uint8_t out[BL_SHA256_BYTES])
{
	struct bl_hmac_sha256 hmac;

	bl_hmac_sha256_init(&hmac, key);
	bl_hmac_sha256_update(&hmac, text);
	bl_hmac_sha256_end(&hmac, out);
}

/* The key of the day, region and service signs text. */
static bool sign(const struct bl_sigv4 *request, struct bl_str text,
		 char out[BL_SHA256_HEX_BYTES])
{
	const struct bl_str steps[] = {
		bl_str_slice(request->date, 0, DAY_CHARS),
		request->region,
		request->service,
		BL_STR("aws4_request"),
		text,
	};
	uint8_t mac[BL_SHA256_BYTES];
	struct bl_buf first;
	struct bl_str key;
	bool is_whole;

	bl_buf_init(&first, 0);
	bl_buf_printf(&first, "AWS4%.*s", BL_STR_ARG(request->secret));
	is_whole = !bl_buf_status(&first);
	key = bl_buf_str(&first);
	for (size_t i = 0; i < BL_COUNT(steps); i++) {
		uint8_t next[BL_SHA256_BYTES];

		hmac_of(key, steps[i], next);
		memcpy(mac, next, sizeof(mac));
		key = (struct bl_str){ (const char *)mac, sizeof(mac) };
	}
	bl_hex_encode(mac, sizeof(mac), out);
	explicit_bzero(mac, sizeof(mac));
	bl_buf_clear(&first);
	return is_whole;
}

static void put_scope(struct bl_buf *out, const struct bl_sigv4 *request)
{
	struct bl_str day = bl_str_slice(request->date, 0, DAY_CHARS);

	bl_buf_printf(out, "%.*s/%.*s/%.*s/aws4_request", BL_STR_ARG(day),
		      BL_STR_ARG(request->region),
		      BL_STR_ARG(request->service));
}

bool bl_sigv4_put(struct bl_buf *out, const struct bl_sigv4 *request)
{
	char hash[BL_SHA256_HEX_BYTES];
	char signature[BL_SHA256_HEX_BYTES];
	struct bl_buf text;
	bool is_whole = hash_request(request, hash);

	bl_buf_init(&text, 0);
	bl_buf_printf(&text, "AWS4-HMAC-SHA256\n%.*s\n",
		      BL_STR_ARG(request->date));
	put_scope(&text, request);
	bl_buf_printf(&text, "\n%s", hash);
	is_whole &= sign(request, bl_buf_str(&text), signature);
	is_whole &= !bl_buf_status(&text);
	bl_buf_clear(&text);
	bl_buf_printf(out, "AWS4-HMAC-SHA256 Credential=%.*s/",
		      BL_STR_ARG(request->key));
	put_scope(out, request);
	bl_buf_puts(out, ",SignedHeaders=");
	put_header_names(out, request);
	bl_buf_printf(out, ",Signature=%s", signature);
	return is_whole && !bl_buf_status(out);
}

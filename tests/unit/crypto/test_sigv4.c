/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib/crypto/sigv4.c with the example "GET object" of Amazon's description of
 * signatures in the header Authorization for S3.
 */
#include "crypto/crypto.h"
#include "tap.h"

#define EMPTY_SHA256                                                           \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void get_object(void)
{
	const struct bl_sigv4_header headers[] = {
		{ BL_STR("host"), BL_STR("examplebucket.s3.amazonaws.com") },
		{ BL_STR("range"), BL_STR("bytes=0-9") },
		{ BL_STR("x-amz-content-sha256"), BL_STR(EMPTY_SHA256) },
		{ BL_STR("x-amz-date"), BL_STR("20130524T000000Z") },
	};
	const struct bl_sigv4 request = {
		.method = BL_STR("GET"),
		.path = BL_STR("/test.txt"),
		.query = BL_STR(""),
		.headers = headers,
		.header_count = BL_COUNT(headers),
		.content_hash = BL_STR(EMPTY_SHA256),
		.date = BL_STR("20130524T000000Z"),
		.key = BL_STR("AKIAIOSFODNN7EXAMPLE"),
		.secret = BL_STR("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
		.region = BL_STR("us-east-1"),
		.service = BL_STR("s3"),
	};
	struct bl_buf out;

	bl_buf_init(&out, 0);
	CHECK(bl_sigv4_put(&out, &request));
	CHECK_STR(bl_buf_str(&out),
		  "AWS4-HMAC-SHA256 "
		  "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
		  "aws4_request,"
		  "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
		  "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd9"
		  "1039c6036bdb41");
	bl_buf_clear(&out);
}

int main(void)
{
	RUN(get_object);
	return tap_end();
}

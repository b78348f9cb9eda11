/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin_test.h"

/* RFC 1321 A.5; FIPS 180-2, "abc". */
static void digests(void)
{
	static const struct builtin_row rows[] = {
		{ "crypto.md5", "[\"abc\"]",
		  "900150983cd24fb0d6963f7d28e17f72" },
		{ "crypto.md5", "[\"\"]", "d41d8cd98f00b204e9800998ecf8427e" },
		{ "crypto.sha1", "[\"abc\"]",
		  "a9993e364706816aba3e25717850c26c9cd0d89d" },
		{ "crypto.sha256", "[\"abc\"]",
		  "ba7816bf8f01cfea414140de5dae2223"
		  "b00361a396177a9cb410ff61f20015ad" },
		{ "crypto.sha256", "[1]",
		  "eval_type_error: crypto.sha256: operand 1 must be string "
		  "but got number" },
	};

	CHECK_ROWS(rows);
}

/* RFC 2202 and RFC 4231, test case 2. */
static void macs(void)
{
#define JEFE "[\"what do ya want for nothing?\", \"Jefe\"]"
	static const struct builtin_row rows[] = {
		{ "crypto.hmac.md5", JEFE, "750c783e6ab0b503eaa86e310a5db738" },
		{ "crypto.hmac.sha1", JEFE,
		  "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79" },
		{ "crypto.hmac.sha256", JEFE,
		  "5bdcc146bf60754e6a042426089575c7"
		  "5a003f089d2739839dec58b964ec3843" },
		{ "crypto.hmac.sha512", JEFE,
		  "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea"
		  "2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e"
		  "070a38bce737" },
		{ "crypto.hmac.equal", "[\"ab\", \"ab\"]", "true" },
		{ "crypto.hmac.equal", "[\"ab\", \"ac\"]", "false" },
		{ "crypto.hmac.equal", "[\"ab\", \"abc\"]", "false" },
	};

	CHECK_ROWS(rows);
}

/* RFC 7515 A.1. */
#define A1_HEADER "{\\\"typ\\\":\\\"JWT\\\",\\r\\n \\\"alg\\\":\\\"HS256\\\"}"
#define A1_PAYLOAD                                                             \
	"{\\\"iss\\\":\\\"joe\\\",\\r\\n \\\"exp\\\":1300819380,\\r\\n "       \
	"\\\"http://example.com/is_root\\\":true}"
#define A1_JWK                                                                 \
	"{\\\"kty\\\":\\\"oct\\\",\\\"k\\\":\\\"AyM1SysPpbyDfgZld3umj1qzKObw"  \
	"VMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow\\\"}"
#define A1_TOKEN                                                               \
	"eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."                            \
	"eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"     \
	"cGxlLmNvbS9pc19yb290Ijp0cnVlfQ."                                      \
	"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

/* RFC 8037 A.4. */
#define ED_KEY                                                                 \
	"\\\"kty\\\":\\\"OKP\\\",\\\"crv\\\":\\\"Ed25519\\\",\\\"x\\\":"       \
	"\\\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\\\""
#define ED_TOKEN                                                               \
	"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."            \
	"hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5B"     \
	"hVsPt9g7sVvpAr_MuM0KAg"

static void tokens(void)
{
	static const struct builtin_row rows[] = {
		{ "io.jwt.encode_sign_raw",
		  "[\"" A1_HEADER "\", \"" A1_PAYLOAD "\", \"" A1_JWK "\"]",
		  A1_TOKEN },
		{ "io.jwt.encode_sign_raw",
		  "[\"{\\\"alg\\\":\\\"EdDSA\\\"}\", \"Example of Ed25519 "
		  "signing\", \"{" ED_KEY
		  ",\\\"d\\\":\\\"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
		  "\\\"}\"]",
		  ED_TOKEN },
		{ "io.jwt.verify_eddsa", "[\"" ED_TOKEN "\", \"{" ED_KEY "}\"]",
		  "true" },
		{ "io.jwt.verify_rs256", "[\"" ED_TOKEN "\", \"{" ED_KEY "}\"]",
		  "false" },
		{ "io.jwt.verify_hs256", "[\"" A1_TOKEN "\", \"other\"]",
		  "false" },
		{ "io.jwt.decode", "[\"a.b\"]",
		  "eval_builtin_error: io.jwt.decode: encoded JWT must have 3 "
		  "sections, found 2" },
		{ "io.jwt.verify_eddsa", "[\"" ED_TOKEN "\", \"{}\"]",
		  "eval_builtin_error: io.jwt.verify_eddsa: failed to parse a "
		  "JWK key (set): invalid key type" },
		{ "io.jwt.decode_verify", "[\"" A1_TOKEN "\", {\"x\": 1}]",
		  "eval_builtin_error: io.jwt.decode_verify: unknown token "
		  "validation constraint: x" },
		{ "io.jwt.decode_verify", "[\"" A1_TOKEN "\", {}]",
		  "eval_builtin_error: io.jwt.decode_verify: no key "
		  "constraint" },
		{ "io.jwt.decode_verify",
		  "[\"" A1_TOKEN "\", {\"secret\": \"wrong\"}]",
		  "[false, {}, {}]" },
	};

	CHECK_ROWS(rows);
}

static void keys(void)
{
	static const struct builtin_row rows[] = {
		{ "crypto.parse_private_keys", "[\"\"]", "null" },
		{ "crypto.parse_private_keys", "[\"nope\"]", "[]" },
		{ "crypto.x509.parse_certificates", "[\"YmFkc3RyaW5n\"]",
		  "eval_builtin_error: crypto.x509.parse_certificates: x509: "
		  "malformed certificate" },
		{ "crypto.x509.parse_and_verify_certificates",
		  "[\"YmFkc3RyaW5n\"]", "[false, []]" },
		{ "crypto.x509.parse_rsa_private_key", "[\"\"]",
		  "eval_builtin_error: crypto.x509.parse_rsa_private_key: "
		  "input PEM data was empty" },
	};

	CHECK_ROWS(rows);
}

/* A certificate of its own for a.example until 2126, twice: root and leaf. */
#define A_EXAMPLE                                                              \
	"MIIBqTCCAVCgAwIBAgIUB8DULJMjlnjej1No/OrBdMHje3AwCgYIKoZIzj0EAwIw"     \
	"FDESMBAGA1UEAwwJYS5leGFtcGxlMCAXDTI2MTEyOTEwMDYxOFoYDzIxMjYxMTA1"     \
	"MTAwNjE4WjAUMRIwEAYDVQQDDAlhLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO"     \
	"PQMBBwNCAARKafRwK43A587fd+pyQBN409GpT8z2hTjfDxIJWonv0trTbTCvmC0Y"     \
	"YDgc4Uhq4x/HCkDjU+fL3Kc94jieS0Nco34wfDAdBgNVHQ4EFgQUg//VoAutvWWm"     \
	"sgSV2vbkH0V9TPYwHwYDVR0jBBgwFoAUg//VoAutvWWmsgSV2vbkH0V9TPYwDwYD"     \
	"VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglhLmV4YW1wbGUwEwYDVR0lBAwwCgYI"     \
	"KwYBBQUHAwEwCgYIKoZIzj0EAwIDRwAwRAIgJm2CtCnhgiZiLhI9CodAeJBTV3wZ"     \
	"kpNFh3QsibgARKYCIBPvpf6U6sVpXQXqUFzDll1o4czPYlmCYL8tiSKQu1ulMIIB"     \
	"qTCCAVCgAwIBAgIUB8DULJMjlnjej1No/OrBdMHje3AwCgYIKoZIzj0EAwIwFDES"     \
	"MBAGA1UEAwwJYS5leGFtcGxlMCAXDTI2MTEyOTEwMDYxOFoYDzIxMjYxMTA1MTAw"     \
	"NjE4WjAUMRIwEAYDVQQDDAlhLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMB"     \
	"BwNCAARKafRwK43A587fd+pyQBN409GpT8z2hTjfDxIJWonv0trTbTCvmC0YYDgc"     \
	"4Uhq4x/HCkDjU+fL3Kc94jieS0Nco34wfDAdBgNVHQ4EFgQUg//VoAutvWWmsgSV"     \
	"2vbkH0V9TPYwHwYDVR0jBBgwFoAUg//VoAutvWWmsgSV2vbkH0V9TPYwDwYDVR0T"     \
	"AQH/BAUwAwEB/zAUBgNVHREEDTALgglhLmV4YW1wbGUwEwYDVR0lBAwwCgYIKwYB"     \
	"BQUHAwEwCgYIKoZIzj0EAwIDRwAwRAIgJm2CtCnhgiZiLhI9CodAeJBTV3wZkpNF"     \
	"h3QsibgARKYCIBPvpf6U6sVpXQXqUFzDll1o4czPYlmCYL8tiSKQu1ul"

/* A name that libcrypto does not take is not checked, and no name must pass so. */
static void hosts(void)
{
	static const struct {
		const char *host;
		const char *valid;
	} rows[] = {
		{ "a.example", "[true" },
		{ "evil.example", "[false" },
		{ "evil.example\\u0000x", "[false" },
		{ "a.example\\u0000", "[false" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		char operands[2048];
		struct bl_buf out;

		snprintf(operands, sizeof(operands),
			 "[\"%s\", {\"DNSName\": \"%s\", \"CurrentTime\": "
			 "1800000000000000000}]",
			 A_EXAMPLE, rows[i].host);
		bl_buf_init(&out, 0);
		call_builtin("crypto.x509.parse_and_verify_certificates_with_"
			     "options",
			     operands, &out);
		CHECK(bl_str_has_prefix(bl_buf_str(&out),
					bl_str(rows[i].valid)));
		bl_buf_clear(&out);
	}
}

int main(void)
{
	RUN(hosts);
	RUN(digests);
	RUN(macs);
	RUN(tokens);
	RUN(keys);
	return tap_end();
}

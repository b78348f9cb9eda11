/* SPDX-License-Identifier: Apache-2.0 */
/* src/webhook/sign.c: which secrets are used, and what is signed. */
#include "tap.h"

#include <stdlib.h>

#include "../trust/place.h"
#include "crypto/crypto.h"
#include "webhook/webhook.h"

#define KEY "a-secret-of-24-characters"

/* printf '1700000000.{"command":"ls"}' | openssl dgst -sha256 -hmac KEY */
#define SIGNATURE                                                              \
	"d62253159f6c2b03611a94f0db341f60"                                     \
	"91f6a3d035d4d10f653a25f3a65bb516"

static char signature[BL_SHA256_HEX_BYTES];

static enum bl_status sign(const struct bl_webhook *webhook)
{
	memset(signature, 0, sizeof(signature));
	memset(&error, 0, sizeof(error));
	return bl_webhook_sign(webhook, BL_STR("1700000000"),
			       BL_STR("{\"command\":\"ls\"}"), signature,
			       &error);
}

static enum bl_status sign_with_file(const char *name)
{
	struct bl_webhook webhook = { .secret_file = at(name) };

	return sign(&webhook);
}

static enum bl_status sign_with_variable(const char *name)
{
	struct bl_webhook webhook = { .secret_env = bl_str(name) };

	return sign(&webhook);
}

static bool says(const char *text)
{
	return strstr(error.message, text);
}

static void put_key(const char *text, unsigned mode)
{
	place_empty();
	put("key", text);
	chmod(at("key").ptr, mode);
}

static void signatures_are_those_of_openssl(void)
{
	put_key(KEY, 0600);
	CHECK_STATUS(sign_with_file("key"), BL_OK);
	CHECK_STR(bl_str(signature), SIGNATURE);
	setenv("BELAY_TEST_KEY", KEY, 1);
	CHECK_STATUS(sign_with_variable("BELAY_TEST_KEY"), BL_OK);
	CHECK_STR(bl_str(signature), SIGNATURE);
}

static void a_newline_at_the_end_is_none_of_it(void)
{
	static const char *const texts[] = { KEY "\n", KEY "\r\n", KEY "\n\n" };

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		put_key(texts[i], 0600);
		CHECK_STATUS(sign_with_file("key"), BL_OK);
		CHECK_STR(bl_str(signature), SIGNATURE);
	}
	put_key(KEY " ", 0600);
	CHECK_STATUS(sign_with_file("key"), BL_OK);
	CHECK(strcmp(signature, SIGNATURE) != 0);
}

/* A user who reads it can forge an event; one who writes it, too. */
static void modes(void)
{
	static const struct {
		unsigned mode;
		bool is_good;
	} cases[] = {
		{ 0400, true },  { 0600, true },  { 0440, true },
		{ 0640, true },  { 0644, false }, { 0604, false },
		{ 0601, false }, { 0602, false }, { 0620, false },
		{ 0660, false }, { 0777, false },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		enum bl_status status;

		put_key(KEY, cases[i].mode);
		status = sign_with_file("key");
		if ((status == BL_OK) != cases[i].is_good) {
			TAP_NOTE("mode %o: %s", cases[i].mode, error.message);
			CHECK(false);
		}
		if (!cases[i].is_good) {
			CHECK_STATUS(status, BL_DENIED);
			CHECK(says("others can read or change"));
			CHECK_STR(bl_str(signature), "");
		}
	}
}

static void files_that_are_none(void)
{
	put_key(KEY, 0600);
	CHECK_STATUS(sign_with_file("none"), BL_NOT_FOUND);
	REQUIRE(!symlink("key", "link"));
	CHECK_STATUS(sign_with_file("link"), BL_DENIED);
	REQUIRE(!mkfifo("pipe", 0600));
	CHECK_STATUS(sign_with_file("pipe"), BL_INVALID);
	CHECK(says("not a regular file"));
	REQUIRE(!mkdir("folder", 0700));
	CHECK_STATUS(sign_with_file("folder"), BL_INVALID);
}

static void somebody_elses(void)
{
	if (getuid() != 0) {
		CHECK(getuid() != 0); /* nobody but root gives files away */
		return;
	}
	put_key(KEY, 0600);
	REQUIRE(!chown("key", 12345, 0));
	CHECK_STATUS(sign_with_file("key"), BL_DENIED);
	CHECK(says("belongs to somebody else"));
}

static void lengths(void)
{
	char text[BL_WEBHOOK_MAX_SECRET_BYTES + 3];

	put_key("123456789012345\n", 0600);
	CHECK_STATUS(sign_with_file("key"), BL_INVALID);
	CHECK(says("shorter than 16 bytes") && !says("12345678"));
	put_key("1234567890123456\n", 0600);
	CHECK_STATUS(sign_with_file("key"), BL_OK);
	put_key("", 0600);
	CHECK_STATUS(sign_with_file("key"), BL_INVALID);
	memset(text, 'k', sizeof(text));
	text[BL_WEBHOOK_MAX_SECRET_BYTES] = '\0';
	put_key(text, 0600);
	CHECK_STATUS(sign_with_file("key"), BL_OK);
	text[BL_WEBHOOK_MAX_SECRET_BYTES] = 'k';
	text[BL_WEBHOOK_MAX_SECRET_BYTES + 1] = '\0';
	put_key(text, 0600);
	CHECK_STATUS(sign_with_file("key"), BL_INVALID);
	CHECK(says("longer than 4096 bytes"));
}

static void variables(void)
{
	unsetenv("BELAY_TEST_KEY");
	CHECK_STATUS(sign_with_variable("BELAY_TEST_KEY"), BL_NOT_FOUND);
	CHECK(says("BELAY_TEST_KEY is not set"));
	setenv("BELAY_TEST_KEY", "short", 1);
	CHECK_STATUS(sign_with_variable("BELAY_TEST_KEY"), BL_INVALID);
	CHECK(!says("\"short\""));
}

int main(void)
{
	if (!place_open())
		return 1;
	RUN(signatures_are_those_of_openssl);
	RUN(a_newline_at_the_end_is_none_of_it);
	RUN(modes);
	RUN(files_that_are_none);
	RUN(somebody_elses);
	RUN(lengths);
	RUN(variables);
	place_close();
	return tap_end();
}

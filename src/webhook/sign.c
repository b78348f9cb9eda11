/* SPDX-License-Identifier: Apache-2.0 */
/* sign.c: secrets, and what is signed with them. */
#include "base/hex.h"
#include "crypto/crypto.h"
#include "os/os.h"
#include "webhook/webhook.h"

enum { OTHERS = 07, GROUP_WRITE = 020 };

/* One more, to see that there is more than allowed. */
struct secret {
	char bytes[BL_WEBHOOK_MAX_SECRET_BYTES + 1];
	size_t len;
};

static enum bl_status check_file(struct bl_str path,
				 const struct bl_file_info *info,
				 struct bl_error *err)
{
	if (info->type != BL_FILE_REGULAR)
		return bl_fail(err, BL_INVALID,
			       "the secret %.*s is not a regular file",
			       BL_STR_ARG(path));
	if (info->uid != 0 && info->uid != bl_os_user_id())
		return bl_fail(err, BL_DENIED,
			       "the secret file %.*s belongs to somebody else",
			       BL_STR_ARG(path));
	if (info->mode & (OTHERS | GROUP_WRITE))
		return bl_fail(err, BL_DENIED,
			       "others can read or change the secret file "
			       "%.*s (mode %03o; 600 would be right)",
			       BL_STR_ARG(path), (unsigned)info->mode);
	return BL_OK;
}

static enum bl_status read_file(struct bl_str path, struct secret *secret,
				struct bl_error *err)
{
	struct bl_file_info info;
	int fd = -1;
	enum bl_status status = bl_os_open(path, BL_OPEN_NO_LINK, &fd, err);

	if (status == BL_OK)
		status = bl_os_info(fd, &info, err);
	if (status == BL_OK)
		status = check_file(path, &info, err);
	if (status == BL_OK)
		status =
			bl_os_read_at(fd, 0, secret->bytes,
				      sizeof(secret->bytes), &secret->len, err);
	bl_os_close(fd);
	return status;
}

static enum bl_status read_variable(struct bl_str name, struct secret *secret,
				    struct bl_error *err)
{
	char text[256];
	struct bl_str value;

	if (name.len >= sizeof(text))
		return bl_fail(err, BL_INVALID,
			       "the name of the secret's variable is too long");
	memcpy(text, name.ptr, name.len);
	text[name.len] = '\0';
	value = bl_os_getenv(text);
	if (!value.ptr)
		return bl_fail(err, BL_NOT_FOUND,
			       "the secret's environment variable %s is not "
			       "set",
			       text);
	secret->len = value.len < sizeof(secret->bytes) ? value.len
							: sizeof(secret->bytes);
	memcpy(secret->bytes, value.ptr, secret->len);
	return BL_OK;
}

/* Files end with a newline that nobody means. */
static struct bl_str trim(const struct secret *secret)
{
	struct bl_str text = { secret->bytes, secret->len };

	while (text.len > 0 && (text.ptr[text.len - 1] == '\n' ||
				text.ptr[text.len - 1] == '\r'))
		text.len--;
	return text;
}

static enum bl_status check_length(struct bl_str key, struct bl_error *err)
{
	if (key.len < BL_WEBHOOK_MIN_SECRET_BYTES)
		return bl_fail(err, BL_INVALID,
			       "the secret is shorter than %d bytes",
			       BL_WEBHOOK_MIN_SECRET_BYTES);
	if (key.len > BL_WEBHOOK_MAX_SECRET_BYTES)
		return bl_fail(err, BL_INVALID,
			       "the secret is longer than %d bytes",
			       BL_WEBHOOK_MAX_SECRET_BYTES);
	return BL_OK;
}

static void sign(struct bl_str key, struct bl_str timestamp, struct bl_str body,
		 char out[BL_SHA256_HEX_BYTES])
{
	struct bl_hmac_sha256 hmac;
	uint8_t mac[BL_SHA256_BYTES];

	bl_hmac_sha256_init(&hmac, key);
	bl_hmac_sha256_update(&hmac, timestamp);
	bl_hmac_sha256_update(&hmac, BL_STR("."));
	bl_hmac_sha256_update(&hmac, body);
	bl_hmac_sha256_end(&hmac, mac);
	bl_hex_encode(mac, sizeof(mac), out);
}

enum bl_status bl_webhook_sign(const struct bl_webhook *webhook,
			       struct bl_str timestamp, struct bl_str body,
			       char *out, struct bl_error *err)
{
	struct secret secret;
	struct bl_str key;
	enum bl_status status;

	secret.len = 0;
	status = webhook->secret_file.len > 0
			 ? read_file(webhook->secret_file, &secret, err)
			 : read_variable(webhook->secret_env, &secret, err);
	key = trim(&secret);
	if (status == BL_OK)
		status = check_length(key, err);
	if (status == BL_OK)
		sign(key, timestamp, body, out);
	explicit_bzero(&secret, sizeof(secret));
	return status;
}

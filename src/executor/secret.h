/* SPDX-License-Identifier: Apache-2.0 */
/* executor/secret.h: the secrets that webhooks are signed with. */
#ifndef BELAY_EXECUTOR_SECRET_H
#define BELAY_EXECUTOR_SECRET_H

#include "crypto/crypto.h"
#include "hooks/hooks.h"

enum { BL_SECRET_MIN_BYTES = 16, BL_SECRET_MAX_BYTES = 4096 };

/*
 * The hexadecimal HMAC-SHA256 over "TIMESTAMP.BODY" with the webhook's secret,
 * which is read now, so that it can be changed at any time, and wiped.  A
 * secret file is regular, no link, belongs to root or the user, and others can
 * neither read nor write it (nor may its group write it).  INVALID, NOT_FOUND,
 * DENIED or SYSTEM with a message that never holds any of the secret.
 */
enum bl_status bl_webhook_sign(const struct bl_webhook *webhook,
			       struct bl_str timestamp, struct bl_str body,
			       char out[BL_SHA256_HEX_BYTES],
			       struct bl_error *err);

#endif

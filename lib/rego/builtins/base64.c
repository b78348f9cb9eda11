/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64.*, base64url.* and hex.*: Go's errors around the coders of lib/base,
 * which know nothing of calls.
 */
#include "base/hex.h"
#include "rego/builtins/functions.h"

/* ---- base64 ------------------------------------------------------------- */

static bool encode(struct bl_builtin_call *call, unsigned flags)
{
	struct bl_buf out;

	bl_buf_init(&out, UINT32_MAX);
	bl_base64_put(&out, bl_builtin_text(call, 0), flags);
	return bl_builtin_return_buf(call, &out);
}

bool bl_fn_base64_encode(struct bl_builtin_call *call)
{
	return encode(call, 0);
}

bool bl_fn_base64url_encode(struct bl_builtin_call *call)
{
	return encode(call, BL_BASE64_URL);
}

bool bl_fn_base64url_encode_no_pad(struct bl_builtin_call *call)
{
	return encode(call, BL_BASE64_URL | BL_BASE64_NO_PAD);
}

static bool decode(struct bl_builtin_call *call, unsigned flags)
{
	struct bl_buf out;
	size_t offset;

	bl_buf_init(&out, UINT32_MAX);
	if (bl_base64_decode(&out, bl_builtin_text(call, 0), flags, &offset))
		return bl_builtin_return_buf(call, &out);
	bl_buf_clear(&out);
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"illegal base64 data at input byte %zu",
				offset);
}

bool bl_fn_base64_decode(struct bl_builtin_call *call)
{
	return decode(call, 0);
}

bool bl_fn_base64url_decode(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);

	if (bl_str_has_suffix(text, BL_STR("=")))
		return decode(call, BL_BASE64_URL);
	if (text.len % 4 == 1)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"illegal base64url string: %.*s",
					BL_STR_ARG(text));
	return decode(call, BL_BASE64_URL | BL_BASE64_NO_PAD);
}

bool bl_fn_base64_is_valid(struct bl_builtin_call *call)
{
	struct bl_buf out;
	size_t offset;
	bool ok;

	bl_buf_init(&out, UINT32_MAX);
	ok = bl_value_is(call->args[0], BL_KIND_STRING) &&
	     bl_base64_decode(&out, bl_builtin_text(call, 0), 0, &offset);
	bl_buf_clear(&out);
	return bl_builtin_return_boolean(call, ok);
}

/* ---- hexadecimal -------------------------------------------------------- */

bool bl_fn_hex_encode(struct bl_builtin_call *call)
{
	struct bl_buf out;

	bl_buf_init(&out, UINT32_MAX);
	bl_hex_put(&out, bl_builtin_text(call, 0));
	return bl_builtin_return_buf(call, &out);
}

/* As Go's %#U of a byte: with the character where it can be printed. */
static bool hex_fault(struct bl_builtin_call *call, uint8_t byte)
{
	bool printable =
		(byte >= ' ' && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
	char text[8] = { (char)byte };

	if (byte >= 0x80) {
		text[0] = (char)(0xC0 | byte >> 6);
		text[1] = (char)(0x80 | (byte & 0x3F));
	}
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				printable ? "encoding/hex: invalid byte: "
					    "U+%04X '%s'"
					  : "encoding/hex: invalid byte: "
					    "U+%04X",
				byte, text);
}

bool bl_fn_hex_decode(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);
	struct bl_buf out;

	for (size_t i = 0; i < text.len; i++) {
		if (bl_hex_value(text.ptr[i]) < 0)
			return hex_fault(call, (uint8_t)text.ptr[i]);
	}
	if (text.len % 2)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"encoding/hex: odd length hex string");
	bl_buf_init(&out, UINT32_MAX);
	for (size_t i = 0; i < text.len; i += 2)
		bl_buf_put_char(&out, (char)bl_hex_read(text, i, 2));
	return bl_builtin_return_buf(call, &out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* gzip, read: zlib's inflate, with a limit on what comes out. */
#include <zlib.h>

#include "rego/bundle/private.h"

enum {
	WINDOW_GZIP = 15 + 16, /* the largest window, gzip's header */
	PIECE_BYTES = 64 << 10,
};

/* One gzip member from the stream's input. */
static enum bl_status inflate_member(z_stream *stream, struct bl_buf *out,
				     struct bl_error *err)
{
	int result = Z_OK;

	while (result != Z_STREAM_END) {
		if (!bl_buf_reserve(out, PIECE_BYTES))
			return bl_fail(err, bl_buf_status(out),
				       "it unpacks to more than %zu bytes",
				       out->max - PIECE_BYTES);
		stream->next_out = (Bytef *)out->ptr + out->len;
		stream->avail_out = PIECE_BYTES;
		result = inflate(stream, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			return bl_fail_memory(err);
		if (result != Z_OK && result != Z_STREAM_END)
			return bl_fail(err, BL_INVALID,
				       "archive read failed: %s",
				       result == Z_BUF_ERROR ? "unexpected EOF"
				       : stream->msg         ? stream->msg
							     : "no gzip");
		out->len += PIECE_BYTES - stream->avail_out;
	}
	return BL_OK;
}

/* gzip members one behind the other are one text. */
static enum bl_status inflate_all(struct bl_str archive, struct bl_buf *out,
				  struct bl_error *err)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)archive.ptr,
			    .avail_in = (uInt)archive.len };
	enum bl_status status = BL_OK;

	if (inflateInit2(&stream, WINDOW_GZIP) != Z_OK)
		return bl_fail_memory(err);
	do {
		status = inflate_member(&stream, out, err);
		if (!status && inflateReset(&stream) != Z_OK)
			status = bl_fail_memory(err);
	} while (!status && stream.avail_in > 0);
	inflateEnd(&stream);
	return status;
}

enum bl_status bl_bundle_unpack(struct bl_arena *arena, struct bl_str archive,
				size_t max_bytes,
				struct bl_bundle_files *out_files,
				struct bl_error *err)
{
	struct bl_buf tar;
	struct bl_str copy = { 0 };
	enum bl_status status;

	if (archive.len > UINT32_MAX)
		return bl_fail(err, BL_LIMIT, "an archive of more than 4 GiB");
	/* room for the piece that zlib writes to before the limit is seen */
	bl_buf_init(&tar, (max_bytes ? max_bytes : BL_BUNDLE_MAX_BYTES) +
				  PIECE_BYTES);
	status = inflate_all(archive, &tar, err);
	if (!status) {
		copy = bl_arena_copy_str(arena, bl_buf_str(&tar));
		if (!copy.ptr)
			status = bl_arena_fail(arena, err);
	}
	bl_buf_clear(&tar);
	return status ? status : bundle_read_tar(arena, copy, out_files, err);
}

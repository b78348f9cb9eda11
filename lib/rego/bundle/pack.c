/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes archives: tar, then zlib's deflate. unpack.c reads them; that one meets
 * strangers' bytes, this only ours.
 */
#include <stdio.h>
#include <zlib.h>

#include "rego/bundle/private.h"

enum {
	WINDOW_GZIP = 15 + 16,
	MEMORY_LEVEL = 8,
	PIECE_BYTES = 64 << 10,
};

static void put_padding(struct bl_buf *tar, size_t len)
{
	static const char zeros[TAR_BLOCK];

	if (len % TAR_BLOCK)
		bl_buf_put(tar, zeros, TAR_BLOCK - len % TAR_BLOCK);
}

static void put_octal(char *field, size_t len, uint64_t number)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%0*llo", (int)len - 1,
		       (unsigned long long)number);
	memcpy(field, text, len - 1);
}

static void put_member(struct bl_buf *tar, char type, struct bl_str name,
		       struct bl_str content)
{
	struct tar_header header = { .type = type };
	size_t len =
		name.len < sizeof(header.name) ? name.len : sizeof(header.name);

	if (len)
		memcpy(header.name, name.ptr, len);
	memcpy(header.magic, "ustar", 6);
	memcpy(header.version, "00", 2);
	put_octal(header.mode, sizeof(header.mode), 0600);
	put_octal(header.uid, sizeof(header.uid), 0);
	put_octal(header.gid, sizeof(header.gid), 0);
	put_octal(header.size, sizeof(header.size), content.len);
	put_octal(header.mtime, sizeof(header.mtime), 0);
	put_octal(header.checksum, sizeof(header.checksum) - 1,
		  bundle_tar_checksum(&header));
	header.checksum[7] = ' ';
	bl_buf_put(tar, &header, sizeof(header));
	bl_buf_put_str(tar, content);
	put_padding(tar, content.len);
}

/* A pax header with the name of the next file: its length counts itself. */
static void put_long_name(struct bl_buf *tar, struct bl_str name)
{
	struct bl_buf record;
	size_t digits = 1;
	size_t len;

	for (;;) {
		char text[32];

		len = name.len + strlen(" path=\n") + digits;
		if ((size_t)snprintf(text, sizeof(text), "%zu", len) == digits)
			break;
		digits++;
	}
	bl_buf_init(&record, 0);
	bl_buf_printf(&record, "%zu path=", len);
	bl_buf_put_str(&record, name);
	bl_buf_put_char(&record, '\n');
	if (bl_buf_status(&record))
		tar->status = bl_buf_status(&record);
	put_member(tar, 'x', BL_STR("PaxHeaders.0"), bl_buf_str(&record));
	bl_buf_clear(&record);
}

static void put_file(struct bl_buf *tar, const struct bl_bundle_file *file)
{
	struct bl_buf name;

	bl_buf_init(&name, 0);
	bl_buf_put_char(&name, '/');
	bl_buf_put_str(&name, file->path);
	if (bl_buf_status(&name))
		tar->status = bl_buf_status(&name);
	if (name.len > sizeof(((struct tar_header *)0)->name))
		put_long_name(tar, bl_buf_str(&name));
	put_member(tar, '0', bl_buf_str(&name), file->text);
	bl_buf_clear(&name);
}

enum bl_status bl_bundle_gzip(struct bl_str text, struct bl_buf *out,
			      struct bl_error *err)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)text.ptr,
			    .avail_in = (uInt)text.len };
	int result = Z_OK;

	if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, WINDOW_GZIP,
			 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return bl_fail_memory(err);
	while (result == Z_OK && bl_buf_reserve(out, PIECE_BYTES)) {
		stream.next_out = (Bytef *)out->ptr + out->len;
		stream.avail_out = PIECE_BYTES;
		result = deflate(&stream, Z_FINISH);
		out->len += PIECE_BYTES - stream.avail_out;
	}
	deflateEnd(&stream);
	if (bl_buf_status(out))
		return bl_fail(err, bl_buf_status(out),
			       "what is packed does not fit into memory");
	return result == Z_STREAM_END ? BL_OK : bl_fail_memory(err);
}

enum bl_status bl_bundle_pack(const struct bl_bundle_file *files, size_t count,
			      struct bl_buf *out, struct bl_error *err)
{
	static const char end[2 * TAR_BLOCK];
	struct bl_buf tar;
	enum bl_status status;

	bl_buf_init(&tar, BL_BUNDLE_MAX_BYTES);
	for (size_t i = 0; i < count; i++)
		put_file(&tar, &files[i]);
	bl_buf_put(&tar, end, sizeof(end));
	status = bl_buf_status(&tar);
	if (status)
		bl_fail(err, status, "the bundle has more than %d bytes",
			BL_BUNDLE_MAX_BYTES);
	else
		status = bl_bundle_gzip(bl_buf_str(&tar), out, err);
	bl_buf_clear(&tar);
	return status;
}

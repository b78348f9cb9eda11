/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives of bundles.  Input: 'g' and a gzip text, 't' and a tar whose headers
 * get sums that are right, or anything else and a tar as it is.
 * The data read stays within the input: names are clean, texts inside.
 */
#include "rego/bundle/private.h"
#include "fuzz.h"

enum {
	ARENA_BYTES_MAX = 32 << 20,
	UNPACKED_BYTES_MAX = 1 << 20,
};

static void check_path(struct bl_str path)
{
	MUST(path.len && path.len <= BL_BUNDLE_MAX_NAME_BYTES);
	MUST(path.ptr[0] != '/' && path.ptr[path.len - 1] != '/');
	MUST(!bl_str_is(path, ".."));
	MUST(!bl_str_has_prefix(path, BL_STR("../")));
	MUST(!bl_str_has_suffix(path, BL_STR("/..")));
	MUST(bl_str_find(path, BL_STR("/../"), 0) == SIZE_MAX);
	MUST(bl_str_find(path, BL_STR("//"), 0) == SIZE_MAX);
}

/* An archive packed from the read files reads back equal. */
static void check_again(struct bl_arena *arena,
			const struct bl_bundle_files *files)
{
	struct bl_bundle_files again;
	struct bl_error err = { 0 };
	struct bl_buf packed;
	enum bl_status status;

	bl_buf_init(&packed, 0);
	MUST(!bl_bundle_pack(files->items, files->count, &packed, &err));
	status = bl_bundle_unpack(arena, bl_buf_str(&packed), 0, &again, &err);
	MUST(!status || status == BL_LIMIT || status == BL_NO_MEMORY);
	bl_buf_clear(&packed);
	if (status)
		return;
	MUST(again.count == files->count);
	for (size_t i = 0; i < files->count; i++) {
		MUST(bl_str_equal(again.items[i].path, files->items[i].path));
		MUST(bl_str_equal(again.items[i].text, files->items[i].text));
	}
}

/* The tar, in arena, with right sums in what looks like headers. */
static struct bl_str seal(struct bl_arena *arena, struct bl_str tar)
{
	char *copy = bl_arena_alloc(arena, tar.len + 1);

	MUST(copy);
	memcpy(copy, tar.ptr, tar.len);
	for (size_t at = 0; at + TAR_BLOCK <= tar.len; at += TAR_BLOCK) {
		struct tar_header *header = (void *)(copy + at);

		if (!memcmp(header->magic, "ustar", 5))
			(void)snprintf(header->checksum,
				       sizeof(header->checksum), "%06o",
				       bundle_tar_checksum(header));
	}
	return (struct bl_str){ copy, tar.len };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bl_bundle_files files;
	struct bl_error err = { 0 };
	struct bl_arena arena;
	struct bl_str rest;
	enum bl_status status;

	if (!size)
		return 0;
	rest = (struct bl_str){ (const char *)data + 1, size - 1 };
	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	if (data[0] == 't')
		rest = seal(&arena, rest);
	status = data[0] == 'g'
			 ? bl_bundle_unpack(&arena, rest, UNPACKED_BYTES_MAX,
					    &files, &err)
			 : bundle_read_tar(&arena, rest, &files, &err);
	if (status) {
		MUST(err.message[0]);
	} else {
		for (size_t i = 0; i < files.count; i++)
			check_path(files.items[i].path);
		check_again(&arena, &files);
	}
	bl_arena_clear(&arena);
	return 0;
}

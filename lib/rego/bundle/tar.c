/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tar archives: ustar, with pax's and GNU's long names. */
#include "rego/bundle/private.h"

_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a block of tar");

enum {
	MAX_EXTRA_BYTES = 1 << 20, /* of a pax header or a long name */
};

struct reader {
	struct bl_arena *arena;
	struct bl_str tar;
	size_t at;
	struct bl_bundle_files *files;
	/* of the next file, when headers before it said so */
	struct bl_str long_name;
	bool has_size;
	uint64_t size;
	struct bl_error *err;
};

static enum bl_status damaged(struct reader *r, const char *what)
{
	return bl_fail(r->err, BL_INVALID, "damaged archive at byte %zu: %s",
		       r->at, what);
}

uint32_t bundle_tar_checksum(const struct tar_header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	uint32_t sum = 0;

	for (size_t i = 0; i < sizeof(*header); i++) {
		bool in_sum = i >= offsetof(struct tar_header, checksum) &&
			      i < offsetof(struct tar_header, type);

		sum += in_sum ? ' ' : bytes[i];
	}
	return sum;
}

/* Octal digits with blanks around, or GNU's big-endian bytes. */
static bool read_number(const char *field, size_t len, uint64_t *out_number)
{
	const unsigned char *bytes = (const unsigned char *)field;
	size_t i = 0;

	*out_number = 0;
	if (bytes[0] & 0x80) {
		*out_number = bytes[0] & 0x7f;
		for (i = 1; i < len; i++) {
			if (*out_number >> 55)
				return false;
			*out_number = *out_number << 8 | bytes[i];
		}
		return true;
	}
	while (i < len && field[i] == ' ')
		i++;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		*out_number = *out_number * 8 + (uint64_t)(field[i] - '0');
	while (i < len && (field[i] == ' ' || field[i] == '\0'))
		i++;
	return i == len;
}

static struct bl_str text_of(const char *field, size_t len)
{
	return (struct bl_str){ field, strnlen(field, len) };
}

/* The name in the header itself. */
static struct bl_str header_name(struct reader *r,
				 const struct tar_header *header)
{
	struct bl_str name = text_of(header->name, sizeof(header->name));
	struct bl_str prefix = text_of(header->prefix, sizeof(header->prefix));

	if (memcmp(header->magic, "ustar", 6) != 0 || !prefix.len)
		return bl_arena_copy_str(r->arena, name);
	return bl_arena_printf(r->arena, "%.*s/%.*s", BL_STR_ARG(prefix),
			       BL_STR_ARG(name));
}

/* ---- pax ----------------------------------------------------------------- */

static bool read_decimal(struct bl_str text, uint64_t *out_number)
{
	*out_number = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' ||
		    *out_number > UINT64_MAX / 10 - 1)
			return false;
		*out_number = *out_number * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	return text.len > 0;
}

static enum bl_status take_record(struct reader *r, struct bl_str key,
				  struct bl_str value)
{
	if (bl_str_has_prefix(key, BL_STR("GNU.sparse.")))
		return bl_fail(r->err, BL_INVALID, "a sparse file");
	if (bl_str_is(key, "path"))
		r->long_name = value;
	if (bl_str_is(key, "size")) {
		r->has_size = read_decimal(value, &r->size);
		if (!r->has_size)
			return damaged(r, "the size in a pax header");
	}
	return BL_OK;
}

/* "LENGTH KEY=VALUE\n", again and again. */
static enum bl_status read_pax(struct reader *r, struct bl_str text)
{
	while (text.len) {
		size_t blank = bl_str_find(text, BL_STR(" "), 0);
		uint64_t len;
		struct bl_str record;
		size_t equals;
		enum bl_status status;

		if (blank == SIZE_MAX ||
		    !read_decimal(bl_str_slice(text, 0, blank), &len) ||
		    len > text.len || len < blank + 2 ||
		    text.ptr[len - 1] != '\n')
			return damaged(r, "a record of a pax header");
		record = bl_str_slice(text, blank + 1, (size_t)len - 1);
		equals = bl_str_find(record, BL_STR("="), 0);
		if (equals == SIZE_MAX)
			return damaged(r, "a record of a pax header");
		status =
			take_record(r, bl_str_slice(record, 0, equals),
				    bl_str_slice(record, equals + 1, SIZE_MAX));
		if (status)
			return status;
		text = bl_str_slice(text, (size_t)len, SIZE_MAX);
	}
	return BL_OK;
}

/* ---- members -------------------------------------------------------------- */

static enum bl_status take_file(struct reader *r,
				const struct tar_header *header,
				struct bl_str content)
{
	struct bl_str name =
		r->long_name.ptr ? r->long_name : header_name(r, header);
	enum bl_status status;

	if (!name.ptr)
		return bl_arena_fail(r->arena, r->err);
	/* Before ustar a folder was a file with a slash behind its name. */
	if (!(header->type == '\0' && bl_str_has_suffix(name, BL_STR("/")))) {
		status = bundle_add_file(r->arena, r->files, name, content,
					 r->err);
		if (status)
			return status;
	}
	r->long_name = (struct bl_str){ 0 };
	return BL_OK;
}

static enum bl_status take_folder(struct reader *r,
				  const struct tar_header *header,
				  struct bl_str content)
{
	(void)header;
	(void)content;
	r->long_name = (struct bl_str){ 0 };
	return BL_OK;
}

static enum bl_status take_pax(struct reader *r,
			       const struct tar_header *header,
			       struct bl_str content)
{
	(void)header;
	if (content.len > MAX_EXTRA_BYTES)
		return bl_fail(r->err, BL_LIMIT,
			       "a pax header of more than %d bytes",
			       MAX_EXTRA_BYTES);
	return read_pax(r, content);
}

static enum bl_status take_long_name(struct reader *r,
				     const struct tar_header *header,
				     struct bl_str content)
{
	(void)header;
	r->long_name = text_of(content.ptr, content.len);
	return BL_OK;
}

/* Of the whole archive: times, comments. */
static enum bl_status skip(struct reader *r, const struct tar_header *header,
			   struct bl_str content)
{
	(void)r;
	(void)header;
	(void)content;
	return BL_OK;
}

static enum bl_status refuse_link(struct reader *r,
				  const struct tar_header *header,
				  struct bl_str content)
{
	struct bl_str name =
		r->long_name.ptr ? r->long_name : header_name(r, header);

	(void)content;
	return bl_fail(r->err, BL_INVALID, "'%.*s': a link", BL_STR_ARG(name));
}

static const struct {
	char type;
	enum bl_status (*take)(struct reader *r,
			       const struct tar_header *header,
			       struct bl_str content);
} members[] = {
	{ '0', take_file },   { '\0', take_file },  { '7', take_file },
	{ '5', take_folder }, { 'x', take_pax },    { 'L', take_long_name },
	{ 'g', skip },        { '1', refuse_link }, { '2', refuse_link },
	{ 'K', refuse_link },
};

static enum bl_status take(struct reader *r, const struct tar_header *header,
			   struct bl_str content)
{
	for (size_t i = 0; i < BL_COUNT(members); i++)
		if (members[i].type == header->type)
			return members[i].take(r, header, content);
	return bl_fail(r->err, BL_INVALID,
		       "neither a file nor a folder (type 0x%02x)",
		       (unsigned char)header->type);
}

static bool is_zero(const struct tar_header *header)
{
	const char *bytes = (const char *)header;

	for (size_t i = 0; i < sizeof(*header); i++)
		if (bytes[i])
			return false;
	return true;
}

static enum bl_status read_member(struct reader *r,
				  const struct tar_header *header)
{
	uint64_t checksum;
	uint64_t size;
	struct bl_str content;
	size_t left = r->tar.len - r->at - sizeof(*header);
	bool is_extra = header->type == 'x' || header->type == 'L' ||
			header->type == 'g' || header->type == 'K';

	if (!read_number(header->checksum, sizeof(header->checksum),
			 &checksum) ||
	    checksum != bundle_tar_checksum(header))
		return damaged(r, "the checksum of a header");
	if (!read_number(header->size, sizeof(header->size), &size))
		return damaged(r, "the size of a file");
	if (r->has_size && !is_extra) {
		size = r->size;
		r->has_size = false;
	}
	if (size > left)
		return damaged(r, "it ends within a file");
	content = bl_str_slice(r->tar, r->at + sizeof(*header),
			       r->at + sizeof(*header) + (size_t)size);
	r->at += sizeof(*header);
	r->at += (size_t)size;
	if (size % TAR_BLOCK)
		r->at += TAR_BLOCK - (size_t)(size % TAR_BLOCK);
	return take(r, header, content);
}

enum bl_status bundle_read_tar(struct bl_arena *arena, struct bl_str tar,
			       struct bl_bundle_files *out_files,
			       struct bl_error *err)
{
	struct reader r = {
		.arena = arena, .tar = tar, .files = out_files, .err = err
	};

	*out_files = (struct bl_bundle_files){ 0 };
	while (r.at < tar.len) {
		struct tar_header header;
		enum bl_status status;

		if (tar.len - r.at < sizeof(header))
			return damaged(&r, "it ends within a header");
		memcpy(&header, tar.ptr + r.at, sizeof(header));
		if (is_zero(&header))
			break;
		status = read_member(&r, &header);
		if (status)
			return status;
	}
	if (r.long_name.ptr)
		return damaged(&r, "a name without a file");
	return bundle_check_unique(arena, out_files, err);
}

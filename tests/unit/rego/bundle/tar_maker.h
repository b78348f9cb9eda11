/* SPDX-License-Identifier: Apache-2.0 */
/* tar_maker.h: archives for tests, headers as POSIX has them. */
#ifndef BELAY_TESTS_TAR_MAKER_H
#define BELAY_TESTS_TAR_MAKER_H

#include <stdio.h>

#include "rego/bundle/private.h"

/* Sums the header's bytes anew, in the way of the standard. */
static inline void tar_seal(struct tar_header *header)
{
	unsigned sum = 0;

	memset(header->checksum, ' ', sizeof(header->checksum));
	for (size_t i = 0; i < sizeof(*header); i++)
		sum += ((unsigned char *)header)[i];
	snprintf(header->checksum, sizeof(header->checksum), "%06o", sum);
}

static inline struct tar_header tar_head(char type, const char *name,
					 size_t size)
{
	struct tar_header header = { .type = type };
	char number[16];

	memcpy(header.name, name, strnlen(name, sizeof(header.name)));
	memcpy(header.magic, "ustar\0", 6);
	memcpy(header.version, "00", 2);
	snprintf(number, sizeof(number), "%011o", (unsigned)size);
	memcpy(header.size, number, 12);
	tar_seal(&header);
	return header;
}

static inline void tar_put_header(struct bl_buf *tar,
				  const struct tar_header *header,
				  struct bl_str content)
{
	static const char zeros[TAR_BLOCK];

	bl_buf_put(tar, header, sizeof(*header));
	bl_buf_put_str(tar, content);
	if (content.len % TAR_BLOCK)
		bl_buf_put(tar, zeros, TAR_BLOCK - content.len % TAR_BLOCK);
}

static inline void tar_put(struct bl_buf *tar, char type, const char *name,
			   const char *content)
{
	struct tar_header header = tar_head(type, name, strlen(content));

	tar_put_header(tar, &header, bl_str(content));
}

static inline void tar_end(struct bl_buf *tar)
{
	static const char zeros[2 * TAR_BLOCK];

	bl_buf_put(tar, zeros, sizeof(zeros));
}

#endif

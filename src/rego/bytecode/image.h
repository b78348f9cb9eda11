/* SPDX-License-Identifier: Apache-2.0 */
/* rego/bytecode/image.h: the layout of images (docs/formats/image.md). */
#ifndef BELAY_REGO_BYTECODE_IMAGE_H
#define BELAY_REGO_BYTECODE_IMAGE_H

#include "base/checksum.h"
#include "rego/bytecode/program.h"
#include "text/text.h"

#define BL_IMAGE_MAGIC        "belayimg"
#define BL_REGO_IMAGE_VERSION 2u
#define BL_IMAGE_ORDER        UINT32_C(0x01020304)

enum { BL_IMAGE_ALIGN = 16, BL_IMAGE_MAX_NESTING = 64 };

enum bl_image_section_kind {
	BL_IMAGE_CONSTANTS,
	BL_IMAGE_BOXED,
	BL_IMAGE_FUNCTIONS,
	BL_IMAGE_NODES,
	BL_IMAGE_FILTERS,
	BL_IMAGE_FILES,
	BL_IMAGE_BUILTINS,
	BL_IMAGE_PATTERNS,
	BL_IMAGE_SECTION_COUNT
};

struct bl_image_section {
	uint64_t at;
	uint32_t count;
	uint32_t zero;
};

struct bl_image_text {
	uint64_t at;
	uint64_t len;
};

struct bl_image_header {
	char magic[8];
	uint64_t checksum; /* of all that follows */
	uint32_t version;
	uint32_t order;
	uint32_t opcodes;
	uint32_t record;
	uint64_t bytes;
	struct bl_image_section sections[BL_IMAGE_SECTION_COUNT];
	uint32_t extra;
	uint32_t zero;
};

/* Changes whenever a record changes its size. */
static inline uint32_t bl_image_record(void)
{
	return (uint32_t)(sizeof(struct bl_value) + 3 * sizeof(struct bl_insn) +
			  5 * sizeof(struct bl_function) +
			  7 * sizeof(struct bl_program_node) +
			  11 * sizeof(struct bl_filter) +
			  13 * sizeof(struct bl_filter_entry) +
			  17 * sizeof(struct bl_program_file) +
			  19 * sizeof(struct bl_insn_place) +
			  23 * sizeof(struct bl_pattern) +
			  29 * BL_REGEX_LAYOUT);
}

/* What the checksum of an image of len bytes should be. */
static inline uint64_t bl_image_checksum(const char *image, size_t len)
{
	size_t from = offsetof(struct bl_image_header, version);

	return bl_checksum(image + from, len - from);
}

#endif

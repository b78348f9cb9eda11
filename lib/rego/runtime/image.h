/* SPDX-License-Identifier: Apache-2.0 */
/* rego/runtime/image.h: the layout of images (docs/formats/image.md). */
#ifndef BELAY_REGO_RUNTIME_IMAGE_H
#define BELAY_REGO_RUNTIME_IMAGE_H

#include "base/checksum.h"
#include "rego/runtime/program.h"
#include "text/text.h"

#define BL_IMAGE_MAGIC        "belayimg"
#define BL_REGO_IMAGE_VERSION 4u
#define BL_IMAGE_ORDER        UINT32_C(0x01020304)

enum { BL_IMAGE_ALIGN = 16, BL_IMAGE_MAX_NESTING = 64 };

enum bl_image_section_kind {
	BL_IMAGE_CONSTANTS,
	BL_IMAGE_BOXED,
	BL_IMAGE_FUNCTIONS,
	BL_IMAGE_NODES,
	BL_IMAGE_RULE_INDEXES,
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
	uint64_t checksum; /* of the rest of the header */
	uint32_t version;
	uint32_t order;
	uint32_t opcodes;
	uint32_t record;
	uint64_t bytes;
	uint64_t sums_at; /* of the seal of what is between header and it */
	uint64_t sums_checksum;
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
			  11 * sizeof(struct bl_rule_index) +
			  13 * sizeof(struct bl_rule_index_entry) +
			  17 * sizeof(struct bl_program_file) +
			  19 * sizeof(struct bl_insn_place) +
			  23 * sizeof(struct bl_pattern) +
			  31 * BL_SEAL_BLOCK_BYTES + 29 * BL_REGEX_LAYOUT);
}

/*
 * Sums and checksums of the image of len bytes, as they should be; where the
 * header says what is not so, no more than that of the header.
 */
void bl_image_seal(char *image, size_t len);

/* The seal, when the header's sums lie inside; its sums are not checked. */
bool bl_image_seal_of(const struct bl_image_header *header, size_t len,
		      struct bl_seal *out_seal);

/* The checksums that should stand in the header. */
uint64_t bl_image_header_checksum(const struct bl_image_header *header);
uint64_t bl_image_sums_checksum(const struct bl_seal *seal);

/* An image that is being opened. */
struct bl_image {
	struct bl_str bytes;
	const struct bl_image_header *header;
	struct bl_seal seal;
	uint8_t *known; /* blocks of the seal */
	struct bl_program *program;
	struct bl_value *boxed;   /* those that known_boxed has are there */
	uint8_t *known_boxed;     /* a bit for each */
	uint8_t *known_constants; /* a bit for each */
	struct bl_arena *arena;
	struct bl_error *err;
	bool is_trusted; /* nothing is checked */
};

static inline bool bl_image_holds(const struct bl_image *image, uint64_t at,
				  uint64_t bytes)
{
	return image->is_trusted ||
	       bl_seal_holds(&image->seal, image->known, at, bytes);
}

/* The records of a section; NULL when they are not inside of the image. */
const void *bl_image_section_at(const struct bl_image *image,
				enum bl_image_section_kind kind, size_t size);

/*
 * image_constants.c: begins with none, then takes those that are used: checks
 * a constant, and makes what needs addresses.
 */
enum bl_status bl_image_begin_constants(struct bl_image *o);
bool bl_image_take_constant(struct bl_image *o, uint32_t n);

#endif

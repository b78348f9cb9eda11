/* SPDX-License-Identifier: Apache-2.0 */
/* sources/policies/image.h: the layout of policy images (docs/formats/image.md). */
#ifndef BELAY_SOURCES_POLICIES_IMAGE_H
#define BELAY_SOURCES_POLICIES_IMAGE_H

#include "base/seal.h"
#include "sources/policies/private.h"

#define POLICY_IMAGE_MAGIC   "belaypol"
#define POLICY_IMAGE_VERSION 5u
/* The folder of seals in a policy directory. */
#define POLICY_SEALS       ".sealed"
#define POLICY_IMAGE_ORDER UINT32_C(0x01020304)

enum { POLICY_IMAGE_ALIGN = 16, POLICY_IMAGE_MAX_BYTES = 1 << 30 };

/* All positions are bytes from the beginning of the image. */
struct policy_image_text {
	uint32_t at;
	uint32_t len;
};

struct policy_image_list {
	uint32_t at; /* of the first record */
	uint32_t count;
};

/*
 * Stamps that are neighbours and of one folder: it is opened once, and what is
 * in it is looked at from there, which spares the way to it each time.
 */
struct policy_image_folder {
	uint32_t path; /* text with a NUL; 0: the names are whole paths */
	uint32_t count;
};

/* The file as it was when it was read. */
struct policy_image_stamp {
	uint32_t name; /* text with a NUL */
	uint32_t is_there;
	uint64_t device;
	uint64_t inode;
	uint64_t size_bytes;
	int64_t mtime_ns;
	int64_t ctime_ns;
};

/* The inputs that policies ask for; many policies share them. */
struct policy_image_route {
	struct policy_image_list events; /* of texts */
	struct policy_image_list tools;
};

struct policy_image_document {
	struct policy_image_text path;
	struct policy_image_text file;
	uint32_t verb;
	uint32_t document; /* for bl_rego_document */
	uint32_t line;
};

struct policy_image_policy {
	struct policy_image_text package;
	struct policy_image_text file;
	struct policy_image_text id;
	struct policy_image_text severity;
	struct policy_image_text title;
	struct policy_image_list signals; /* of texts */
	struct policy_image_list demanded;
	struct policy_image_list documents;
	uint32_t builtin; /* row + 1; 0: a file */
	uint32_t zero;    /* records are aligned to 8 */
};

struct policy_image_header {
	char magic[8];
	uint64_t checksum; /* of the rest of the header */
	uint32_t version;
	uint32_t order;
	uint32_t record; /* sizes of the records, mixed */
	uint32_t origin;
	uint32_t wants_facts;
	uint32_t zero;
	uint64_t bytes; /* of the whole image */
	/*
	 * From the header to here: what is only read of policies that an event
	 * concerns, under a seal.  From here to the code: the rest, under
	 * tables_checksum.
	 */
	uint64_t tables_at;
	uint64_t tables_checksum;
	uint64_t sums_at;                 /* of the seal */
	struct policy_image_text program; /* version of belay that made it */
	struct policy_image_text agent;
	struct policy_image_text dir;
	struct policy_image_list folders;
	struct policy_image_list stamps;
	struct policy_image_list routes;
	struct policy_image_list routed;   /* uint32_t: each policy's route */
	struct policy_image_list policies; /* sealed */
	uint64_t code_at; /* the image of rego/rego.h, to the end */
};

/* Changes whenever a record changes its size. */
static inline uint32_t policy_image_record(void)
{
	return (uint32_t)(sizeof(struct policy_image_header) +
			  3 * sizeof(struct policy_image_stamp) +
			  11 * sizeof(struct policy_image_route) +
			  13 * BL_SEAL_BLOCK_BYTES +
			  5 * sizeof(struct policy_image_document) +
			  7 * sizeof(struct policy_image_policy));
}

/*
 * Where its parts are; false when they are not inside of len bytes, one behind
 * the other.  The sums of out_seal are not checked yet.
 */
bool policy_image_parts(const struct policy_image_header *header, size_t len,
			struct bl_seal *out_seal);

/* The two checksums as they should be; the parts must be sound. */
uint64_t policy_image_checksum(const struct policy_image_header *header);
uint64_t policy_image_tables_checksum(const struct policy_image_header *header);

/* The file of a directory's image in the cache; ptr NULL: memory. */
struct bl_str policy_image_name(struct bl_arena *arena,
				enum bl_policy_origin origin,
				struct bl_str agent, struct bl_str dir);

/* The parts that an image is made of. */
struct policy_image_source {
	const struct bl_policy_dir *dir; /* sound, and loaded */
	const struct policy_stamps *stamps;
	struct bl_str agent;
};

/* An image as text; the caller clears *out. */
enum bl_status policy_make_image(const struct policy_image_source *source,
				 struct bl_arena *arena, struct bl_buf *out,
				 struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team/document.h: what root.c, manifest.c, fresh.c and the signatures of
 * envelope.c share: the form of a document, and its members.
 */
#ifndef BELAY_TEAM_DOCUMENT_H
#define BELAY_TEAM_DOCUMENT_H

#include "team/team.h"
#include "value/value.h"

enum { TEAM_SPEC = 1 };

/* "belay-fresh" */
const char *team_document_type(enum bl_team_document kind);

/* "belay-fresh-v1" and the first line, as they are signed. */
void team_signed_text(enum bl_team_document kind, struct bl_str line,
		      struct bl_buf *out);

/* The first line of a document, without its end.  SYNTAX when it has no end. */
enum bl_status team_document_line(enum bl_team_document kind,
				  struct bl_str text, struct bl_str *out_line,
				  struct bl_error *err);

/*
 * The object of a document's first line: canonical, of this type, spec and a
 * good team_id.  Members that a reader does not know are passed over.
 */
enum bl_status team_document_value(enum bl_team_document kind,
				   struct bl_str text, struct bl_arena *arena,
				   struct bl_value *out, struct bl_error *err);

/*
 * Members: an integer from least on (at most 2^53), and a text.  INVALID when
 * the member is missing or another.
 */
enum bl_status team_get_integer(struct bl_value object, const char *name,
				int64_t least, int64_t *out,
				struct bl_error *err);
enum bl_status team_get_text(struct bl_value object, const char *name,
			     struct bl_str *out, struct bl_error *err);
/* 64 lower-case hexadecimal digits. */
enum bl_status team_get_digest(struct bl_value object, const char *name,
			       char out[BL_SHA256_HEX_BYTES],
			       struct bl_error *err);
enum bl_status team_get_list(struct bl_value object, const char *name,
			     size_t most, struct bl_value *out,
			     struct bl_error *err);

/* Begins a document's object with type, spec and team_id. */
void team_begin(struct bl_object_builder *object, struct bl_arena *arena,
		enum bl_team_document kind, struct bl_str team_id);

/* Reads a document for its rules alone. */
typedef enum bl_status (*team_check)(struct bl_str text, struct bl_arena *arena,
				     struct bl_error *err);

/*
 * Ends it: appends the canonical line, which check has read back, so that what
 * is written keeps the rules of reading.  LIMIT when it is too long.
 */
enum bl_status team_end(struct bl_object_builder *object,
			enum bl_team_document kind, team_check check,
			struct bl_buf *out, struct bl_error *err);

#endif

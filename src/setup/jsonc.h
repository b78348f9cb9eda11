/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup/jsonc.h: changing a JSON text with comments by inserting and deleting
 * bytes, so that all that is not changed stays as it is.  Pure.
 */
#ifndef BELAY_SETUP_JSONC_H
#define BELAY_SETUP_JSONC_H

#include "base/arena.h"
#include "base/error.h"
#include "json/json.h"
#include "value/value.h"

enum { JSONC_MAX_BYTES = 4 * 1024 * 1024, JSONC_MAX_DEPTH = 64 };

/* A value's place in the text. */
struct jsonc_node {
	enum bl_kind kind; /* ARRAY, OBJECT; else NULL: a scalar */
	size_t start;      /* of the value; text[start..end) */
	size_t end;
	size_t key_start;  /* of a member's key with its quotes */
	struct bl_str key; /* of a member, decoded */
	struct bl_value value;
	struct jsonc_node *parent;
	struct jsonc_node *previous;
	struct jsonc_node *next;
	struct jsonc_node *first;
	struct jsonc_node *last;
};

/*
 * The tree of text, which may have comments and a BOM.  SYNTAX, LIMIT as
 * bl_json_read; INVALID for a repeated key, since then it is not clear which
 * member counts.
 */
enum bl_status bl_jsonc_parse(struct bl_arena *arena, struct bl_str text,
			      struct jsonc_node **out_root,
			      struct bl_place *out_place, struct bl_error *err);

/* The member of an object; NULL: absent, or no object. */
struct jsonc_node *bl_jsonc_find(const struct jsonc_node *object,
				 const char *key);

/*
 * text with value as the new last child of container, under key when it is an
 * object; laid out like its siblings.  ptr NULL: memory.
 */
struct bl_str bl_jsonc_append(struct bl_arena *arena, struct bl_str text,
			      const struct jsonc_node *container,
			      const char *key, struct bl_value value);

/* text with another value in the place of node's.  ptr NULL: memory. */
struct bl_str bl_jsonc_replace(struct bl_arena *arena, struct bl_str text,
			       const struct jsonc_node *node,
			       struct bl_value value);

/*
 * text without node, and without the containers that node's removal leaves
 * empty, the root excepted.  It takes away what bl_jsonc_append made.
 */
struct bl_str bl_jsonc_remove(struct bl_arena *arena, struct bl_str text,
			      const struct jsonc_node *node);

#endif

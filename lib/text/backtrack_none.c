/* SPDX-License-Identifier: Apache-2.0 */
/* The static program has no backtracking engine. */
#include "text/text.h"

static enum bl_status refuse(struct bl_error *err)
{
	return bl_fail(err, BL_UNSUPPORTED,
		       "regular expression: this program runs only patterns "
		       "that are regular");
}

enum bl_status bl_backtrack_compile(struct bl_str pattern,
				    struct bl_backtrack **out_backtrack,
				    size_t *out_offset, struct bl_error *err)
{
	(void)pattern;
	(void)out_backtrack;
	if (out_offset)
		*out_offset = 0;
	return refuse(err);
}

enum bl_status bl_backtrack_search(const struct bl_backtrack *backtrack,
				   struct bl_str text, bool *out_found,
				   struct bl_error *err)
{
	(void)backtrack;
	(void)text;
	(void)out_found;
	return refuse(err);
}

struct bl_backtrack *bl_backtrack_free(struct bl_backtrack *backtrack)
{
	(void)backtrack;
	return NULL;
}

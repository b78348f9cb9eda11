/* SPDX-License-Identifier: Apache-2.0 */
/* Validates a text and shows its findings in one line. */
#ifndef BELAY_TESTS_HOOKS_FINDINGS_H
#define BELAY_TESTS_HOOKS_FINDINGS_H

#include "base/buf.h"
#include "sources/hooks/hooks.h"

static const char *const profile_names[] = { "cursor", "cursor-2.3" };

static inline const struct bl_profile *profile(const char *name)
{
	return bl_profile_find(bl_str(name));
}

/*
 * "E hooks/version@1:2 W hooks/misspelt-key@3:4", or "ok".  The list of
 * diagnostics stays in diags.
 */
static inline void put_findings(struct bl_buf *out,
				const struct bl_diags *diags, bool with_places)
{
	for (const struct bl_diag *diag = diags->first; diag;
	     diag = diag->next) {
		bl_buf_printf(out, "%s%c %s", out->len ? " " : "",
			      "NWE"[diag->severity], diag -> code + 6);
		if (with_places)
			bl_buf_printf(out, "@%u:%u", (unsigned)diag->place.line,
				      (unsigned)diag->place.column);
	}
	if (out->len == 0)
		bl_buf_puts(out, "ok");
}

static inline enum bl_status
validate_as(const char *profile_name, enum bl_source source, struct bl_str text,
	    struct bl_arena *memory, struct bl_diags *diags)
{
	struct bl_diag_source input = { BL_STR("hooks.json"), text };

	bl_diags_init(diags, memory);
	return bl_hook_file_validate(profile(profile_name), source, &input,
				     diags, NULL);
}

#endif

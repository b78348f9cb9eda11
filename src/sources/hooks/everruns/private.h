/* SPDX-License-Identifier: Apache-2.0 */
/* sources/hooks/everruns/private.h: what the files of this module share. */
#ifndef BELAY_SOURCES_HOOKS_EVERRUNS_PRIVATE_H
#define BELAY_SOURCES_HOOKS_EVERRUNS_PRIVATE_H

#include "json/json.h"
#include "sources/hooks/everruns/everruns.h"

/* Without Unicode's white space at the start, or at both ends. */
struct bl_str bl_everruns_trim_start(struct bl_str text);
struct bl_str bl_everruns_trim(struct bl_str text);

/* Alternative by alternative of a glob, trimmed; false past the end. */
bool bl_everruns_next_alternative(struct bl_str *rest, struct bl_str *out);

/* Gives every hook its id. */
enum bl_status bl_everruns_name_hooks(struct bl_everruns_set *set,
				      struct bl_error *err);

#endif

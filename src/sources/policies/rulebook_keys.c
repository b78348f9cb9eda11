/* SPDX-License-Identifier: Apache-2.0 */
/* rulebook_keys.c: the table of the rulebook's keys (rulebook_keys.h). */
#include "sources/policies/rulebook_keys.h"

#include "base/base.h"

static const struct rulebook_key keys[] = {
#define KEY(owner, name, shape, needed, meaning)                               \
	{ name, RULEBOOK_##shape, needed, meaning },
#include "sources/policies/rulebook_keys.def"
#undef KEY
};

static const enum rulebook_owner owners[] = {
#define KEY(owner, name, shape, needed, meaning) RULEBOOK_OF_##owner,
#include "sources/policies/rulebook_keys.def"
#undef KEY
};

const struct rulebook_key *rulebook_keys_of(enum rulebook_owner owner,
					    size_t *out_count)
{
	size_t first = 0;
	size_t end;

	while (first < BL_COUNT(owners) && owners[first] != owner)
		first++;
	end = first;
	while (end < BL_COUNT(owners) && owners[end] == owner)
		end++;
	*out_count = end - first;
	return &keys[first];
}

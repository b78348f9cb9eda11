/* SPDX-License-Identifier: Apache-2.0 */
/* Allowances in the place, and one to begin with. */
#ifndef BELAY_TESTS_ALLOWANCE_ALLOWANCES_H
#define BELAY_TESTS_ALLOWANCE_ALLOWANCES_H

#include "../trust/place.h"
#include "allowance/allowance.h"

#define DIGEST                                                                 \
	"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define GRANTED 1795836000000

static const struct bl_str rules[] = { { "git/force-push", 14 },
				       { "git/clean", 9 } };

static inline struct bl_allowance usual(void)
{
	return (struct bl_allowance){
		.action = { .digest = BL_STR(DIGEST),
			    .agent = BL_STR("claude"),
			    .workspace = BL_STR("/w"),
			    .rules = rules,
			    .rule_count = 1 },
		.code = BL_STR("K7M2QX"),
		.what = BL_STR("A push: `x \"y\"`."),
		.by = BL_STR("dev"),
		.granted_ms = GRANTED,
		.until_ms = GRANTED + BL_ALLOWANCE_ONCE_MS,
		.is_once = true,
	};
}

static inline struct bl_str state(void)
{
	return bl_str(place);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of limits.def: their names, defaults and setting. */
#include "base/limits.h"

#include <inttypes.h>

#define KIB ((uint64_t)1024)
#define MIB (1024 * KIB)

#define LIMIT(name, usual, least, most, unit, text)                            \
	_Static_assert((least) <= (usual) && (usual) <= (most),                \
		       #name " is out of its own bounds");
#include "base/limits.def"
#undef LIMIT

static const struct {
	const char *name;
	uint64_t usual, least, most;
	const char *unit;
	const char *text;
} rows[] = {
#define LIMIT(name, usual, least, most, unit, text)                            \
	{ #name, usual, least, most, unit, text },
#include "base/limits.def"
#undef LIMIT
};

struct bl_limits bl_limits_default(void)
{
	return (struct bl_limits)
	{
#define LIMIT(name, usual, least, most, unit, text) .name = (usual),
#include "base/limits.def"
#undef LIMIT
	};
}

static void print_number(struct bl_buf *out, uint64_t number, const char *unit)
{
	bool in_bytes = !strcmp(unit, "bytes");

	if (in_bytes && number >= MIB && number % MIB == 0)
		bl_buf_printf(out, "%" PRIu64 " MiB", number / MIB);
	else if (in_bytes && number >= KIB && number % KIB == 0)
		bl_buf_printf(out, "%" PRIu64 " KiB", number / KIB);
	else
		bl_buf_printf(out, "%" PRIu64 " %s", number, unit);
}

void bl_limits_print(struct bl_buf *out)
{
	bl_buf_puts(out, "| limit | default | from | to | what |\n"
			 "|---|---|---|---|---|\n");
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		bl_buf_printf(out, "| `%s` | ", rows[i].name);
		print_number(out, rows[i].usual, rows[i].unit);
		bl_buf_puts(out, " | ");
		print_number(out, rows[i].least, rows[i].unit);
		bl_buf_puts(out, " | ");
		print_number(out, rows[i].most, rows[i].unit);
		bl_buf_printf(out, " | %s |\n", rows[i].text);
	}
}

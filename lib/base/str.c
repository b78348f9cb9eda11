/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that are borrowed: slices, search, order, distance. */
#include "base/ascii.h"
#include "base/str.h"

struct bl_str bl_str_slice(struct bl_str s, size_t from, size_t to)
{
	if (to > s.len)
		to = s.len;
	if (from >= to)
		return (struct bl_str){ s.ptr, 0 };
	return (struct bl_str){ s.ptr + from, to - from };
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct bl_str bl_str_trim(struct bl_str s)
{
	while (s.len && is_space(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	while (s.len && is_space(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

size_t bl_str_find(struct bl_str s, struct bl_str needle, size_t from)
{
	if (needle.len == 0)
		return from <= s.len ? from : SIZE_MAX;
	while (from < s.len && s.len - from >= needle.len) {
		const char *hit = memchr(s.ptr + from, needle.ptr[0],
					 s.len - from - needle.len + 1);

		if (!hit)
			return SIZE_MAX;
		if (!memcmp(hit, needle.ptr, needle.len))
			return (size_t)(hit - s.ptr);
		from = (size_t)(hit - s.ptr) + 1;
	}
	return SIZE_MAX;
}

int bl_str_compare(struct bl_str a, struct bl_str b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common ? memcmp(a.ptr, b.ptr, common) : 0;

	if (order)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

enum { DISTANCE_MAX_BYTES = 64 };

/* The cost, in halves, of putting b in the place of a. */
static size_t replace_cost(char a, char b)
{
	if (a == b)
		return 0;
	return bl_ascii_lower(a) == bl_ascii_lower(b) ? 1 : 2;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t bl_str_distance(struct bl_str a, struct bl_str b)
{
	size_t rows[3][DISTANCE_MAX_BYTES + 1];

	if (a.len > DISTANCE_MAX_BYTES || b.len > DISTANCE_MAX_BYTES)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.len; j++)
		rows[0][j] = 2 * j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i - 1) % 3];
		const size_t *above2 = rows[(i + 1) % 3];

		row[0] = 2 * i;
		for (size_t j = 1; j <= b.len; j++) {
			row[j] = least(above[j] + 2, row[j - 1] + 2);
			row[j] = least(row[j],
				       above[j - 1] +
					       replace_cost(a.ptr[i - 1],
							    b.ptr[j - 1]));
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
			    a.ptr[i - 2] == b.ptr[j - 1])
				row[j] = least(row[j], above2[j - 2] + 2);
		}
	}
	return (rows[a.len % 3][b.len] + 1) / 2;
}

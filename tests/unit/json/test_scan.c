/* SPDX-License-Identifier: Apache-2.0 */
#include "json/scan.h"
#include "tap.h"

enum { LENGTH = 40 };

/* Both ways find byte c at position at, and nothing elsewhere. */
static void check_at(unsigned char c, size_t at, size_t len)
{
	char text[LENGTH];
	bool special = c < 0x20 || c == '"' || c == '\\' || c >= 0x80;
	size_t expected = special && at < len ? at : len;

	memset(text, 'a', sizeof(text));
	text[at] = (char)c;
	CHECK_INT(scan_plain(text, text + len) - text, expected);
	CHECK_INT(scan_words(text, text + len) - text, expected);
}

static void every_byte_everywhere(void)
{
	for (int c = 0; c < 256; c++) {
		for (size_t at = 0; at < LENGTH; at++)
			check_at((unsigned char)c, at, LENGTH);
	}
}

static void every_length(void)
{
	for (size_t len = 0; len <= LENGTH; len++) {
		for (size_t at = 0; at < LENGTH; at++)
			check_at('"', at, len);
	}
}

/* Neighbours of a special byte must not hide it: no borrow goes wrong. */
static void pairs(void)
{
	for (int a = 0; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			char text[17] = "0123456789abcdef";
			size_t expected;

			text[6] = (char)a;
			text[7] = (char)b;
			for (expected = 0; expected < 16; expected++) {
				if (is_special(text[expected]))
					break;
			}
			CHECK_INT(scan_words(text, text + 16) - text, expected);
			CHECK_INT(scan_plain(text, text + 16) - text, expected);
		}
	}
}

int main(void)
{
	RUN(every_byte_everywhere);
	RUN(every_length);
	RUN(pairs);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of files as signatures of bundles have them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rego/bundle/private.h"
#include "json/json.h"
#include "os/os.h"
#include "yaml/yaml.h"

/* U+2028 and U+2029, which Go's encoder never writes as they are. */
static void put_string(struct bl_buf *out, struct bl_str text)
{
	struct bl_buf plain;
	struct bl_str quoted;
	size_t from = 0;
	size_t at;

	bl_buf_init(&plain, 0);
	bl_json_write_string(&plain, text);
	quoted = bl_buf_str(&plain);
	while ((at = bl_str_find(quoted, BL_STR("\xE2\x80"), from)) !=
	       SIZE_MAX) {
		unsigned char last = (unsigned char)quoted.ptr[at + 2];

		bl_buf_put_str(out, bl_str_slice(quoted, from, at));
		from = at + 2;
		if (last == 0xA8 || last == 0xA9)
			bl_buf_printf(out, "\\u20%x", last - 0x80u);
		if (last == 0xA8 || last == 0xA9)
			from++;
		else
			bl_buf_puts(out, "\xE2\x80");
	}
	bl_buf_put_str(out, bl_str_slice(quoted, from, SIZE_MAX));
	if (bl_buf_status(&plain))
		out->status = bl_buf_status(&plain);
	bl_buf_clear(&plain);
}

/* "-1.25e+05" with two digits behind the point: those, and zeros. */
static void put_whole(struct bl_buf *out, const char *text, int zeros)
{
	for (; *text != 'e'; text++)
		if (*text != '.')
			bl_buf_put_char(out, *text);
	while (zeros-- > 0)
		bl_buf_put_char(out, '0');
}

/* The shortest digits that read back as number, as Go lays them out. */
static void put_double(struct bl_buf *out, double number)
{
	char text[32];
	int digits = 0;
	int exponent;
	char *e;

	do
		snprintf(text, sizeof(text), "%.*e", digits, number);
	while (strtod(text, NULL) != number && ++digits < 17);
	e = strchr(text, 'e');
	exponent = (int)strtol(e + 1, NULL, 10);
	if (exponent >= -6 && exponent <= digits) {
		bl_buf_printf(out, "%.*f", digits - exponent, number);
		return;
	}
	if (exponent >= -6 && exponent < 21) {
		put_whole(out, text, exponent - digits);
		return;
	}
	bl_buf_printf(out, "%.*se%c%d", (int)(e - text), text,
		      exponent < 0 ? '-' : '+', abs(exponent));
}

/* Is it spelled as an integer of 64 bits, with or without a sign? */
static bool fits_64_bits(struct bl_str text)
{
	char copy[24] = { 0 };

	if (text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.ptr, text.len);
	if (copy[strspn(copy, "-0123456789")])
		return false;
	errno = 0;
	if (copy[0] == '-')
		strtoll(copy, NULL, 10);
	else
		strtoull(copy, NULL, 10);
	return !errno;
}

/* In JSON numbers count as they are spelled, in YAML by their value. */
static void put_number(struct bl_buf *out, struct bl_value number,
		       bool by_value)
{
	struct bl_buf text;
	bool fits;

	bl_buf_init(&text, 0);
	bl_number_put(&text, number);
	fits = fits_64_bits(bl_buf_str(&text));
	bl_buf_clear(&text);
	if (!by_value || fits)
		bl_number_put(out, number);
	else
		put_double(out, bl_number_to_double(number));
}

/* JSON with sorted keys. */
static void put(struct bl_buf *out, struct bl_value value, bool is_yaml)
{
	size_t count = bl_value_count(value);

	if (bl_value_is(value, BL_KIND_STRING)) {
		put_string(out, bl_value_text(value));
	} else if (bl_value_is(value, BL_KIND_ARRAY)) {
		bl_buf_put_char(out, '[');
		for (size_t i = 0; i < count; i++) {
			if (i)
				bl_buf_put_char(out, ',');
			put(out, bl_value_item(value, i), is_yaml);
		}
		bl_buf_put_char(out, ']');
	} else if (bl_value_is(value, BL_KIND_OBJECT)) {
		bl_buf_put_char(out, '{');
		for (size_t rank = 0; rank < count; rank++) {
			size_t i = bl_object_sorted_index(value, rank);

			if (rank)
				bl_buf_put_char(out, ',');
			put_string(out, bl_value_text(bl_object_key(value, i)));
			bl_buf_put_char(out, ':');
			put(out, bl_object_value(value, i), is_yaml);
		}
		bl_buf_put_char(out, '}');
	} else if (bl_value_is(value, BL_KIND_NUMBER)) {
		put_number(out, value, is_yaml);
	} else {
		bl_json_write(out, value, BL_JSON_COMPACT);
	}
}

/* Is what the file means hashed, not its bytes?  *out_is_yaml: how it is
 * written. */
static bool is_structured(struct bl_str path, bool *out_is_yaml)
{
	struct bl_str base = bl_path_base(path);

	*out_is_yaml =
		bl_str_is(base, "data.yaml") || bl_str_is(base, "data.yml");
	return *out_is_yaml || bl_str_is(base, "data.json") ||
	       bl_str_is(base, ".manifest");
}

enum bl_status bundle_digest(struct bl_arena *arena, struct bl_str algorithm,
			     struct bl_str path, struct bl_str text,
			     struct bl_buf *out_hex, struct bl_error *err)
{
	bool is_yaml;
	struct bl_value value;
	struct bl_buf form;
	enum bl_status status;

	if (!is_structured(path, &is_yaml))
		return bl_rego_digest(algorithm, text, out_hex, err);
	status = is_yaml ? bl_yaml_read(arena, text, &value, NULL, NULL, err)
			 : bl_json_read(arena, text, NULL, &value, NULL, NULL,
					err);
	if (status) {
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	bl_buf_init(&form, 0);
	put(&form, value, is_yaml);
	status = bl_buf_status(&form)
			 ? bl_fail_memory(err)
			 : bl_rego_digest(algorithm, bl_buf_str(&form), out_hex,
					  err);
	bl_buf_clear(&form);
	return status;
}

struct bl_str bundle_signed_name(struct bl_arena *arena, struct bl_str name,
				 struct bl_str path)
{
	while (bl_str_has_prefix(name, BL_STR("/")))
		name = bl_str_slice(name, 1, SIZE_MAX);
	if (!name.len || bl_str_is(name, "."))
		return path;
	return bl_path_join(arena, name, path);
}

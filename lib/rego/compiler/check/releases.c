/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capabilities of releases of OPA, so that policies for an older one can be checked.
 * Made of our own by what each release brought and dropped (releases.def): signatures and
 * texts are those of today.
 */
#include "rego/compiler/compiler.h"
#include "rego/compiler/check/private.h"

enum kind { BUILTIN, KEYWORD, FEATURE };

enum { STEP = 1000 }; /* above any part of a version */

#define PACK(major, minor, patch) (((major)*STEP + (minor)) * STEP + (patch))

static const uint32_t first_release = PACK(0, 17, 0);
static const uint32_t last_release = PACK(1, 22, 3);

static const struct row {
	uint32_t release;
	enum kind kind;
	bool is_end; /* the first release without it */
	const char *name;
} rows[] = {
#define SINCE(major, minor, patch, kind, name)                                 \
	{ PACK(major, minor, patch), kind, false, name },
#define UNTIL(major, minor, patch, kind, name)                                 \
	{ PACK(major, minor, patch), kind, true, name },
#include "rego/compiler/check/releases.def"
#undef SINCE
#undef UNTIL
};

static bool read_release(struct bl_str text, uint32_t *out_release)
{
	uint32_t parts[3] = { 0 };
	size_t part = 0;

	if (!bl_str_has_prefix(text, BL_STR("v")))
		return false;
	for (size_t i = 1; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '.' && i > 1 && text.ptr[i - 1] != '.' && part < 2)
			part++;
		else if (c >= '0' && c <= '9' && parts[part] < STEP / 10)
			parts[part] = parts[part] * 10 + (uint32_t)(c - '0');
		else
			return false;
	}
	*out_release = PACK(parts[0], parts[1], parts[2]);
	return part == 2 && text.ptr[text.len - 1] != '.';
}

bool bl_rego_is_release(struct bl_str text)
{
	uint32_t unused;

	return read_release(text, &unused);
}

/* A name that no row has was there from the first release on. */
static bool has(uint32_t release, enum kind kind, struct bl_str name)
{
	bool is_there = true;

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (rows[i].kind == kind && bl_str_is(name, rows[i].name))
			is_there =
				rows[i].is_end
					? is_there && release < rows[i].release
					: release >= rows[i].release;
	return is_there;
}

static struct bl_value list_of(struct bl_arena *arena, uint32_t release,
			       enum kind kind)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (rows[i].kind == kind && !rows[i].is_end &&
		    has(release, kind, bl_str(rows[i].name)))
			bl_array_builder_add(
				&list, bl_value_string(bl_str(rows[i].name)));
	return bl_array_builder_end(&list);
}

static struct bl_value builtins_of(struct bl_arena *arena, uint32_t release)
{
	struct bl_value all = bl_object_find(bl_rego_own_capabilities(arena),
					     BL_STR("builtins"));
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < bl_value_count(all); i++) {
		struct bl_value one = bl_value_item(all, i);

		if (has(release, BUILTIN,
			bl_value_text(bl_object_find(one, BL_STR("name")))))
			bl_array_builder_add(&list, one);
	}
	return bl_array_builder_end(&list);
}

enum bl_status bl_rego_release_capabilities(struct bl_arena *arena,
					    struct bl_str version,
					    struct bl_value *out_capabilities,
					    struct bl_error *err)
{
	struct bl_object_builder out;
	uint32_t release;

	if (!read_release(version, &release) || release < first_release ||
	    release > last_release)
		return bl_fail(err, BL_NOT_FOUND,
			       "'%.*s' is not a release of OPA from v0.17.0 to "
			       "v1.22.3",
			       BL_STR_ARG(version));
	bl_object_builder_init(&out, arena);
	bl_object_builder_add(&out, BL_STR("builtins"),
			      builtins_of(arena, release));
	bl_object_builder_add(&out, BL_STR("future_keywords"),
			      list_of(arena, release, KEYWORD));
	bl_object_builder_add(&out, BL_STR("features"),
			      list_of(arena, release, FEATURE));
	*out_capabilities = bl_object_builder_end(&out);
	return bl_value_is_defined(*out_capabilities)
		       ? BL_OK
		       : bl_arena_fail(arena, err);
}

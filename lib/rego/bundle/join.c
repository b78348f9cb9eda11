/* SPDX-License-Identifier: Apache-2.0 */
/* Several bundles as one, and the data of several files. */
#include "rego/bundle/private.h"
#include "json/json.h"

enum bl_status bl_bundle_merge(struct bl_arena *arena, struct bl_value a,
			       struct bl_value b, struct bl_value *out_value,
			       struct bl_error *err)
{
	/* The depth is what the reader of JSON lets through. */
	static const struct bl_merge way = { BL_MERGE_AGREE, UINT32_MAX };
	enum bl_status status = bl_value_merge(arena, a, b, way, out_value);

	if (status == BL_EXISTS)
		return bl_fail(err, BL_INVALID, "merge error");
	return status ? bl_arena_fail(arena, err) : BL_OK;
}

static enum bl_status check_wasm(const struct bl_bundle *bundle,
				 struct bl_error *err)
{
	if (!bundle->wasm_file_count || bundle->module_count ||
	    bl_value_is_defined(bundle->plan))
		return BL_OK;
	return bl_fail(err, BL_UNSUPPORTED,
		       "bundle %.*s: its policies are WebAssembly only (%.*s); "
		       "build it with its sources or as a plan",
		       BL_STR_ARG(bundle->name),
		       BL_STR_ARG(bundle->wasm_files[0].shown));
}

/* A plan counts where there are no sources; then it must be the only one. */
static enum bl_status take_plan(const struct bl_bundle *bundle,
				struct bl_bundle_joined *joined,
				struct bl_error *err)
{
	if (!bl_value_is_defined(bundle->plan) || bundle->module_count)
		return BL_OK;
	if (joined->source_count || bl_value_is_defined(joined->plan))
		return bl_fail(
			err, BL_INVALID,
			"bundle %.*s: a plan cannot be joined with other "
			"policies",
			BL_STR_ARG(bundle->name));
	joined->plan = bundle->plan;
	return BL_OK;
}

enum bl_status bl_bundle_join(struct bl_arena *arena,
			      const struct bl_bundle *bundles, size_t count,
			      struct bl_bundle_joined *out_joined,
			      struct bl_error *err)
{
	struct bl_bundle_joined joined = { .data = bl_object_make(arena, NULL,
								  0, NULL) };
	enum bl_status status = bundle_check_roots(arena, bundles, count, err);
	size_t total = 1;

	for (size_t i = 0; i < count; i++)
		total += bundles[i].module_count;
	joined.sources =
		bl_arena_new_array(arena, struct bl_rego_source, total);
	if (!status && !joined.sources)
		status = bl_arena_fail(arena, err);
	for (size_t i = 0; !status && i < count; i++) {
		const struct bl_bundle *bundle = &bundles[i];

		for (size_t j = 0; j < bundle->module_count; j++)
			joined.sources[joined.source_count++] =
				(struct bl_rego_source){
					.file = bundle->modules[j].url,
					.text = bundle->modules[j].text,
					.v0 = bundle->modules[j].v0,
				};
		status = check_wasm(bundle, err);
		if (!status)
			status = bl_bundle_merge(arena, joined.data,
						 bundle->data, &joined.data,
						 err);
	}
	for (size_t i = 0; !status && i < count; i++)
		status = take_plan(&bundles[i], &joined, err);
	*out_joined = joined;
	return status;
}

/* May it stand behind a dot? */
static bool is_plain(struct bl_str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool letter = (c >= 'a' && c <= 'z') ||
			      (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && !(i && c >= '0' && c <= '9'))
			return false;
	}
	return name.len > 0;
}

struct bl_str bl_bundle_path_text(struct bl_arena *arena, const char *first,
				  struct bl_value names)
{
	struct bl_buf text;
	struct bl_str copy = { 0 };

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, first ? first : "");
	for (size_t i = 0; i < bl_value_count(names); i++) {
		struct bl_str name = bl_value_text(bl_value_item(names, i));

		if (!text.len || is_plain(name)) {
			if (text.len)
				bl_buf_put_char(&text, '.');
			bl_buf_put_str(&text, name);
			continue;
		}
		bl_buf_put_char(&text, '[');
		bl_json_write_string(&text, name);
		bl_buf_put_char(&text, ']');
	}
	if (!bl_buf_status(&text))
		copy = bl_arena_copy_str(arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks documents against the roots of a manifest, and that bundles share no roots. */
#include "rego/bundle/private.h"

bool bundle_root_contains(struct bl_str root, struct bl_str path)
{
	return !root.len ||
	       (bl_str_has_prefix(path, root) &&
		(path.len == root.len || path.ptr[root.len] == '/'));
}

static bool overlap(struct bl_str a, struct bl_str b)
{
	return bundle_root_contains(a, b) || bundle_root_contains(b, a);
}

enum bl_status bundle_check_own_roots(const struct bl_bundle_manifest *manifest,
				      struct bl_error *err)
{
	for (size_t i = 0; i < manifest->root_count; i++)
		for (size_t j = i + 1; j < manifest->root_count; j++)
			if (overlap(manifest->roots[i], manifest->roots[j]))
				return bl_fail(err, BL_INVALID,
					       "manifest has overlapped roots: "
					       "'%.*s' and '%.*s'",
					       BL_STR_ARG(manifest->roots[i]),
					       BL_STR_ARG(manifest->roots[j]));
	return BL_OK;
}

/* ---- what a bundle has ---------------------------------------------------- */

struct check {
	struct bl_arena *arena;
	const struct bl_bundle_manifest *manifest;
	struct bl_error *err;
};

/* "[a b/c]" */
static struct bl_str list_roots(const struct check *check)
{
	struct bl_str list = BL_STR("[");

	for (size_t i = 0; i < check->manifest->root_count; i++)
		list = bl_arena_printf(check->arena, "%.*s%s%.*s",
				       BL_STR_ARG(list), i ? " " : "",
				       BL_STR_ARG(check->manifest->roots[i]));
	return bl_arena_printf(check->arena, "%.*s]", BL_STR_ARG(list));
}

/* 2: below a root; 1: above one; 0: elsewhere. */
static int where(const struct check *check, struct bl_str path)
{
	int best = 0;

	for (size_t i = 0; i < check->manifest->root_count; i++) {
		struct bl_str root = check->manifest->roots[i];

		if (bundle_root_contains(root, path))
			return 2;
		if (bundle_root_contains(path, root))
			best = 1;
	}
	return best;
}

static enum bl_status check_data(const struct check *check, struct bl_str path,
				 struct bl_value value)
{
	int place = where(check, path);

	if (place == 2)
		return BL_OK;
	if (place == 0 || !bl_value_is(value, BL_KIND_OBJECT)) {
		struct bl_str roots = list_roots(check);

		return bl_fail(check->err, BL_INVALID,
			       "manifest roots %.*s do not permit data at path "
			       "'/%.*s' (hint: check bundle directory "
			       "structure)",
			       BL_STR_ARG(roots), BL_STR_ARG(path));
	}
	/* As deep as the roots are, at most. */
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_str key = bl_value_text(bl_object_key(value, i));
		struct bl_str inner = bl_arena_printf(
			check->arena, "%.*s%s%.*s", BL_STR_ARG(path),
			path.len ? "/" : "", BL_STR_ARG(key));
		enum bl_status status;

		if (!inner.ptr)
			return bl_arena_fail(check->arena, check->err);
		status = check_data(check, inner, bl_object_value(value, i));
		if (status)
			return status;
	}
	return BL_OK;
}

static enum bl_status check_module(const struct check *check,
				   const struct bl_bundle_module *module)
{
	struct bl_str path = BL_STR("");
	struct bl_str package;
	struct bl_str roots;

	for (size_t i = 0; i < bl_value_count(module->package); i++) {
		struct bl_str name =
			bl_value_text(bl_value_item(module->package, i));

		path = bl_arena_printf(check->arena, "%.*s%s%.*s",
				       BL_STR_ARG(path), i ? "/" : "",
				       BL_STR_ARG(name));
		if (!path.ptr)
			return bl_arena_fail(check->arena, check->err);
	}
	if (where(check, path) == 2)
		return BL_OK;
	roots = list_roots(check);
	package = bl_bundle_path_text(check->arena, NULL, module->package);
	return bl_fail(check->err, BL_INVALID,
		       "manifest roots %.*s do not permit 'package %.*s' in "
		       "module '%.*s'",
		       BL_STR_ARG(roots), BL_STR_ARG(package),
		       BL_STR_ARG(module->shown));
}

enum bl_status bundle_check_content(struct bl_arena *arena,
				    const struct bl_bundle *bundle,
				    struct bl_error *err)
{
	struct check check = { .arena = arena,
			       .manifest = &bundle->manifest,
			       .err = err };
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < bundle->module_count; i++)
		status = check_module(&check, &bundle->modules[i]);
	return status ? status : check_data(&check, BL_STR(""), bundle->data);
}

/* ---- two bundles ---------------------------------------------------------- */

/* A growing list of different texts, sorted at the end. */
struct texts {
	struct bl_arena *arena;
	struct bl_array_builder items;
};

static bool add_text(struct texts *texts, struct bl_str text)
{
	if (text.ptr)
		bl_array_builder_add(&texts->items, bl_value_string(text));
	return text.ptr != NULL;
}

/* "a, b": each text once, in order. */
static struct bl_str join_texts(struct texts *texts)
{
	struct bl_value list = bl_array_builder_end(&texts->items);
	struct bl_value set = bl_value_undefined();
	struct bl_str all = BL_STR("");

	if (bl_value_count(list))
		set = bl_set_make(texts->arena, list.as.items,
				  bl_value_count(list));
	for (size_t i = 0; i < bl_value_count(set); i++) {
		struct bl_str text = bl_value_text(bl_value_item(set, i));

		all = bl_arena_printf(texts->arena, "%.*s%s%.*s",
				      BL_STR_ARG(all), i ? ", " : "",
				      BL_STR_ARG(text));
	}

	return all;
}

struct clash {
	struct bl_arena *arena;
	struct texts bundles;
	struct texts conflicts;
	struct texts empty; /* bundles with the root "" */
	size_t count;
};

static void compare_roots(struct clash *clash, const struct bl_bundle *a,
			  const struct bl_bundle *b, struct bl_str of_a,
			  struct bl_str of_b)
{
	bool swap = bl_str_compare(of_a, of_b) > 0;
	struct bl_str first = swap ? of_b : of_a;
	struct bl_str second = swap ? of_a : of_b;

	if (!overlap(of_a, of_b))
		return;
	clash->count++;
	(void)add_text(&clash->bundles, a->name);
	(void)add_text(&clash->bundles, b->name);
	(void)add_text(
		&clash->conflicts,
		bl_str_equal(of_a, of_b)
			? bl_arena_printf(clash->arena,
					  "root %.*s is in multiple bundles",
					  BL_STR_ARG(of_a))
			: bl_arena_printf(clash->arena, "%.*s overlaps %.*s",
					  BL_STR_ARG(first),
					  BL_STR_ARG(second)));
}

static void compare_bundles(struct clash *clash, const struct bl_bundle *a,
			    const struct bl_bundle *b)
{
	for (size_t i = 0; i < a->manifest.root_count; i++)
		for (size_t j = 0; j < b->manifest.root_count; j++)
			compare_roots(clash, a, b, a->manifest.roots[i],
				      b->manifest.roots[j]);
}

static enum bl_status report(struct clash *clash, struct bl_error *err)
{
	struct bl_str names = join_texts(&clash->bundles);
	struct bl_str empty = join_texts(&clash->empty);
	struct bl_str conflicts;

	if (bl_arena_status(clash->arena))
		return bl_arena_fail(clash->arena, err);
	if (empty.len)
		return bl_fail(err, BL_INVALID,
			       "bundles [%.*s] have overlapping roots and "
			       "cannot be activated simultaneously because "
			       "bundle(s) [%.*s] specify empty root paths ('') "
			       "which overlap with any other bundle root",
			       BL_STR_ARG(names), BL_STR_ARG(empty));
	conflicts = join_texts(&clash->conflicts);
	return bl_fail(err, BL_INVALID,
		       "detected overlapping roots in manifests for these "
		       "bundles: [%.*s] (%.*s)",
		       BL_STR_ARG(names), BL_STR_ARG(conflicts));
}

enum bl_status bundle_check_roots(struct bl_arena *arena,
				  const struct bl_bundle *bundles, size_t count,
				  struct bl_error *err)
{
	struct clash clash = { .arena = arena,
			       .bundles.arena = arena,
			       .conflicts.arena = arena,
			       .empty.arena = arena };

	bl_array_builder_init(&clash.bundles.items, arena);
	bl_array_builder_init(&clash.conflicts.items, arena);
	bl_array_builder_init(&clash.empty.items, arena);
	for (size_t i = 0; i < count; i++) {
		const struct bl_bundle_manifest *own = &bundles[i].manifest;

		if (own->root_count == 1 && !own->roots[0].len)
			(void)add_text(&clash.empty, bundles[i].name);
		for (size_t j = i + 1; j < count; j++)
			compare_bundles(&clash, &bundles[i], &bundles[j]);
	}
	return clash.count ? report(&clash, err) : BL_OK;
}

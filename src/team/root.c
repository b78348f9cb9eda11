/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root.c: the document that says whose keys may sign what.
 *
 *     {"expires":1795910400,
 *      "keys":{"ID":"KEY",...},
 *      "roles":{"fresh":{"keys":["ID"],"threshold":1},"root":...,"set":...},
 *      "root_version":1,"spec":1,"team_id":"acme","type":"belay-root"}
 */
#include "base/hex.h"
#include "team/document.h"

static const char *const role_names[BL_TEAM_ROLE_COUNT] = {
	[BL_TEAM_ROLE_ROOT] = "root",
	[BL_TEAM_ROLE_SET] = "set",
	[BL_TEAM_ROLE_FRESH] = "fresh",
};

void bl_team_key_id(const struct bl_ed25519_public *key,
		    char out[BL_SHA256_HEX_BYTES])
{
	bl_sha256_hex(
		(struct bl_str){ (const char *)key->bytes, sizeof(key->bytes) },
		out);
}

/* The key of an id: its bytes are what the id says, and good for a key. */
static enum bl_status read_key(struct bl_value keys, struct bl_str id,
			       struct bl_ed25519_public *out,
			       struct bl_error *err)
{
	char real[BL_SHA256_HEX_BYTES];
	struct bl_value value = bl_object_find(keys, id);
	enum bl_status status;

	if (!bl_hex_decode(bl_value_text(value), out->bytes,
			   sizeof(out->bytes)))
		return bl_fail(err, BL_INVALID,
			       "key %.*s has no 64 hexadecimal digits",
			       BL_STR_ARG(id));
	bl_team_key_id(out, real);
	if (!bl_str_is(id, real))
		return bl_fail(err, BL_INVALID,
			       "key %.*s is under an id that is not its own",
			       BL_STR_ARG(id));
	status = bl_ed25519_check_key(out, err);
	if (status)
		bl_error_context(err, "key %.*s", BL_STR_ARG(id));
	return status;
}

static enum bl_status read_role_keys(struct bl_value keys, struct bl_value ids,
				     struct bl_team_role *out,
				     struct bl_error *err)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < bl_value_count(ids); i++) {
		struct bl_str id = bl_value_text(bl_value_item(ids, i));

		for (size_t j = 0; j < i; j++)
			if (bl_value_equal(bl_value_item(ids, j),
					   bl_value_item(ids, i)))
				return bl_fail(err, BL_INVALID,
					       "key %.*s is named twice",
					       BL_STR_ARG(id));
		status = read_key(keys, id, &out->keys[i], err);
	}
	out->key_count = bl_value_count(ids);
	return status;
}

static enum bl_status read_role(struct bl_value root, const char *name,
				struct bl_team_role *out, struct bl_error *err)
{
	struct bl_value keys = bl_object_find(root, BL_STR("keys"));
	struct bl_value role = bl_object_find(
		bl_object_find(root, BL_STR("roles")), bl_str(name));
	struct bl_value ids;
	int64_t threshold;
	enum bl_status status =
		team_get_list(role, "keys", BL_TEAM_MAX_KEYS, &ids, err);

	*out = (struct bl_team_role){ .key_count = 0 };
	if (!status)
		status =
			team_get_integer(role, "threshold", 1, &threshold, err);
	if (!status)
		status = read_role_keys(keys, ids, out, err);
	if (!status && (size_t)threshold > out->key_count)
		status = bl_fail(err, BL_INVALID,
				 "its threshold is more than its keys");
	if (status)
		bl_error_context(err, "role %s", name);
	else
		out->threshold = (size_t)threshold;
	return status;
}

enum bl_status bl_team_read_root(struct bl_str text, struct bl_arena *arena,
				 struct bl_team_root *out, struct bl_error *err)
{
	struct bl_value value;
	enum bl_status status =
		team_document_value(BL_TEAM_ROOT, text, arena, &value, err);

	*out = (struct bl_team_root){ .root_version = 0 };
	if (status)
		return status;
	status = team_get_text(value, "team_id", &out->team_id, err);
	if (!status)
		status = team_get_integer(value, "root_version", 1,
					  &out->root_version, err);
	if (!status)
		status = team_get_integer(value, "expires", 0, &out->expires,
					  err);
	for (size_t i = 0; !status && i < BL_TEAM_ROLE_COUNT; i++)
		status = read_role(value, role_names[i], &out->roles[i], err);
	if (!status && out->roles[BL_TEAM_ROLE_ROOT].threshold <
			       out->roles[BL_TEAM_ROLE_SET].threshold)
		status = bl_fail(err, BL_INVALID,
				 "the threshold of root is less than that of "
				 "set");
	if (status)
		bl_error_context(err, "root");
	return status;
}

static enum bl_status check_root(struct bl_str text, struct bl_arena *arena,
				 struct bl_error *err)
{
	struct bl_team_root again;

	return bl_team_read_root(text, arena, &again, err);
}

/* ---- writing ------------------------------------------------------------------ */

static struct bl_value text_value(struct bl_arena *arena, const char *text)
{
	return bl_value_printf(arena, "%s", text);
}

static struct bl_value key_id_value(struct bl_arena *arena,
				    const struct bl_ed25519_public *key)
{
	char id[BL_SHA256_HEX_BYTES];

	bl_team_key_id(key, id);
	return text_value(arena, id);
}

/* The keys of all roles, each once: of a repeated one the last counts. */
static struct bl_value keys_value(struct bl_arena *arena,
				  const struct bl_team_root *root)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	for (size_t i = 0; i < BL_TEAM_ROLE_COUNT; i++) {
		const struct bl_team_role *role = &root->roles[i];

		for (size_t j = 0; j < role->key_count; j++) {
			char digits[2 * BL_ED25519_KEY_BYTES + 1];
			struct bl_value id =
				key_id_value(arena, &role->keys[j]);

			bl_hex_encode(role->keys[j].bytes,
				      sizeof(role->keys[j].bytes), digits);
			bl_object_builder_add(&object, bl_value_text(id),
					      text_value(arena, digits));
		}
	}
	return bl_object_builder_end(&object);
}

static struct bl_value role_value(struct bl_arena *arena,
				  const struct bl_team_role *role)
{
	struct bl_object_builder object;
	struct bl_array_builder ids;

	bl_array_builder_init(&ids, arena);
	for (size_t i = 0; i < role->key_count; i++)
		bl_array_builder_add(&ids, key_id_value(arena, &role->keys[i]));
	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("keys"),
			      bl_array_builder_end(&ids));
	bl_object_builder_add(&object, BL_STR("threshold"),
			      bl_value_integer((int64_t)role->threshold));
	return bl_object_builder_end(&object);
}

enum bl_status bl_team_write_root(const struct bl_team_root *root,
				  struct bl_buf *out, struct bl_error *err)
{
	struct bl_object_builder object, roles;
	struct bl_arena arena;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_object_builder_init(&roles, &arena);
	for (size_t i = 0; i < BL_TEAM_ROLE_COUNT; i++)
		bl_object_builder_add(&roles, bl_str(role_names[i]),
				      role_value(&arena, &root->roles[i]));
	team_begin(&object, &arena, BL_TEAM_ROOT, root->team_id);
	bl_object_builder_add(&object, BL_STR("root_version"),
			      bl_value_integer(root->root_version));
	bl_object_builder_add(&object, BL_STR("expires"),
			      bl_value_integer(root->expires));
	bl_object_builder_add(&object, BL_STR("keys"),
			      keys_value(&arena, root));
	bl_object_builder_add(&object, BL_STR("roles"),
			      bl_object_builder_end(&roles));
	status = team_end(&object, BL_TEAM_ROOT, check_root, out, err);
	bl_arena_clear(&arena);
	return status;
}

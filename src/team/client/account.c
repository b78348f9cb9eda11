/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.c: which team this machine is in: its place, team.json and the token.
 * The token is in a file of its own, or in the keyring, so that the account can be
 * shown.
 */
#include "team/client/private.h"

enum { MAX_ACCOUNT_BYTES = 64 * 1024, MAX_DEPTH = 8, WRITABLE_BY_OTHERS = 022 };

#define MANAGED_ACCOUNT "/etc/belay/team.json"

enum bl_status bl_team_find_place(struct bl_str system_root, struct bl_str home,
				  struct bl_arena *arena,
				  struct bl_team_place *out,
				  struct bl_error *err)
{
	struct bl_file_info info;
	struct bl_team_place place = {
		.account = bl_arena_printf(arena, "%.*s" MANAGED_ACCOUNT,
					   BL_STR_ARG(system_root)),
		.home = home,
	};

	if (!place.account.ptr)
		return bl_arena_fail(arena, err);
	place.is_managed = !bl_os_info_path(place.account, &info, NULL);
	if (place.is_managed && info.uid != 0 && !system_root.len)
		return bl_fail(err, BL_DENIED, "%.*s does not belong to root",
			       BL_STR_ARG(place.account));
	if (place.is_managed) {
		place.dir = bl_team_managed_dir(arena, system_root);
	} else {
		place.dir = bl_team_user_dir(arena, home);
		if (place.dir.ptr)
			place.account = bl_path_join(arena, place.dir,
						     BL_STR("team.json"));
	}
	if (!place.dir.ptr || !place.account.ptr)
		return bl_arena_fail(arena, err);
	*out = place;
	return BL_OK;
}

/* ---- files of the folder of state ------------------------------------------------ */

struct bl_str team_path(const struct bl_team_place *place, const char *name,
			struct bl_arena *arena)
{
	return bl_path_join(arena, place->dir, bl_str(name));
}

static enum bl_status check_mode(struct bl_str path,
				 const struct bl_file_info *info,
				 struct bl_error *err)
{
	if (info->uid != 0 && info->uid != bl_os_user_id())
		return bl_fail(err, BL_DENIED,
			       "%.*s belongs to neither root nor this user",
			       BL_STR_ARG(path));
	if (info->mode & WRITABLE_BY_OTHERS)
		return bl_fail(err, BL_DENIED, "others can write %.*s",
			       BL_STR_ARG(path));
	return BL_OK;
}

enum bl_status bl_team_read_guarded(struct bl_str path, size_t max_bytes,
				    struct bl_arena *arena, struct bl_str *out,
				    struct bl_error *err)
{
	struct bl_file_info info;
	enum bl_status status = bl_os_read_file(
		path, BL_OPEN_NO_LINK, max_bytes, arena, out, &info, err);

	return status ? status : check_mode(path, &info, err);
}

enum bl_status team_read_own(const struct bl_team_place *place,
			     const char *name, size_t max_bytes,
			     struct bl_arena *arena, struct bl_str *out,
			     struct bl_error *err)
{
	struct bl_str path = team_path(place, name, arena);

	return path.ptr ? bl_team_read_guarded(path, max_bytes, arena, out, err)
			: bl_arena_fail(arena, err);
}

struct bl_team_store team_store(const struct bl_team_place *place)
{
	return (struct bl_team_store){ place->dir, place->is_managed };
}

enum bl_status team_write_own(const struct bl_team_place *place,
			      const char *name, struct bl_str text,
			      uint32_t mode, struct bl_error *err)
{
	const struct bl_team_store store = team_store(place);

	return bl_team_store_write(&store, name, text, mode, err);
}

/* ---- the account ----------------------------------------------------------------- */

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

enum bl_status team_read_labels(struct bl_value object, struct bl_arena *arena,
				struct bl_team_account *out,
				struct bl_error *err)
{
	struct bl_value list = bl_object_find(object, BL_STR("labels"));

	out->label_count = bl_value_count(list);
	if (out->label_count > BL_TEAM_MAX_LABELS)
		return bl_fail(err, BL_LIMIT, "more than %d labels",
			       (int)BL_TEAM_MAX_LABELS);
	out->labels =
		bl_arena_new_array(arena, struct bl_str, out->label_count + 1);
	if (!out->labels)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < out->label_count; i++)
		out->labels[i] = bl_value_text(bl_value_item(list, i));
	return BL_OK;
}

static enum bl_status read_age(struct bl_value account,
			       struct bl_team_account *out,
			       struct bl_error *err)
{
	struct bl_value age = bl_object_find(account, BL_STR("max_age_s"));
	struct bl_value aged = bl_object_find(account, BL_STR("aged"));

	out->max_age_s = BL_TEAM_MAX_AGE_S;
	out->aged = BL_TEAM_AGED_ASK;
	if (bl_value_is_defined(age) &&
	    (!bl_number_is_plain(age, &out->max_age_s) || out->max_age_s < 0))
		return bl_fail(err, BL_INVALID,
			       "max_age_s is not a number of seconds");
	if (bl_value_is_defined(aged) &&
	    !bl_team_aged_find(bl_value_text(aged), &out->aged))
		return bl_fail(err, BL_INVALID,
			       "aged is not keep, ask or deny");
	return BL_OK;
}

static enum bl_status read_value(struct bl_value account,
				 struct bl_arena *arena,
				 struct bl_team_account *out,
				 struct bl_error *err)
{
	enum bl_status status;

	*out = (struct bl_team_account){
		.team_id = text_of(account, "team_id"),
		.machine_id = text_of(account, "machine_id"),
		.root_sha256 = text_of(account, "root_sha256"),
		.accepted = text_of(account, "accepted"),
		.ca_file = text_of(account, "ca_file"),
		.has_keyring =
			bl_str_is(text_of(account, "token_in"), "keyring"),
	};
	if (!out->team_id.len)
		return bl_fail(err, BL_INVALID, "it has no team_id");
	status = bl_team_check_server(text_of(account, "server"), arena,
				      &out->server, err);
	if (!status)
		status = team_read_labels(account, arena, out, err);
	return status ? status : read_age(account, out, err);
}

enum bl_status bl_team_read_account(const struct bl_team_place *place,
				    struct bl_arena *arena,
				    struct bl_team_account *out,
				    struct bl_error *err)
{
	struct bl_json_options options = { .max_depth = MAX_DEPTH };
	struct bl_value account;
	struct bl_str text;
	enum bl_status status = bl_team_read_guarded(
		place->account, MAX_ACCOUNT_BYTES, arena, &text, err);

	if (status == BL_NOT_FOUND)
		return bl_fail(err, BL_NOT_FOUND,
			       "this machine is in no team: belay team login");
	if (status)
		return status;
	status = bl_json_read(arena, text, &options, &account, NULL, NULL, err);
	if (!status)
		status = read_value(account, arena, out, err);
	if (status)
		bl_error_context(err, "%.*s", BL_STR_ARG(place->account));
	return status;
}

static struct bl_value labels_value(const struct bl_team_account *account,
				    struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < account->label_count; i++)
		bl_array_builder_add(&list,
				     bl_value_string(account->labels[i]));
	return bl_array_builder_end(&list);
}

static struct bl_value account_value(const struct bl_team_account *account,
				     struct bl_arena *arena)
{
	const struct {
		const char *name;
		struct bl_str text;
	} texts[] = {
		{ "server", account->server },
		{ "team_id", account->team_id },
		{ "machine_id", account->machine_id },
		{ "root_sha256", account->root_sha256 },
		{ "accepted", account->accepted },
		{ "ca_file", account->ca_file },
		{ "token_in", bl_str(account->has_keyring ? "keyring" : "") },
		{ "aged", bl_str(bl_team_aged_name(account->aged)) },
	};
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	for (size_t i = 0; i < BL_COUNT(texts); i++)
		if (texts[i].text.len)
			bl_object_builder_add(&object, bl_str(texts[i].name),
					      bl_value_string(texts[i].text));
	bl_object_builder_add(&object, BL_STR("max_age_s"),
			      bl_value_integer(account->max_age_s));
	bl_object_builder_add(&object, BL_STR("labels"),
			      labels_value(account, arena));
	return bl_object_builder_end(&object);
}

enum bl_status team_account_write(const struct bl_team_place *place,
				  const struct bl_team_account *account,
				  struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_buf text;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&text, MAX_ACCOUNT_BYTES);
	bl_json_write(&text, account_value(account, &arena), BL_JSON_PRETTY);
	bl_buf_put_char(&text, '\n');
	status = bl_buf_status(&text);
	if (status)
		status = bl_fail(err, status, "%.*s",
				 BL_STR_ARG(place->account));
	if (!status)
		status = bl_os_make_dirs(bl_path_dir(place->account),
					 TEAM_DIR_MODE, err);
	if (!status)
		status = bl_os_replace_file(place->account, bl_buf_str(&text),
					    TEAM_FILE_MODE, err);
	bl_buf_clear(&text);
	bl_arena_clear(&arena);
	return status;
}

/* ---- the token -------------------------------------------------------------------- */

static enum bl_status read_token_file(const struct bl_team_place *place,
				      struct bl_arena *arena,
				      struct bl_str *out, struct bl_error *err)
{
	enum { READABLE_BY_OTHERS = 077 };
	struct bl_file_info info;
	struct bl_str path = team_path(place, "token", arena);
	struct bl_str text;
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(arena, err);
	status = bl_os_read_file(path, BL_OPEN_NO_LINK, BL_TEAM_TOKEN_BYTES,
				 arena, &text, &info, err);
	if (!status)
		status = check_mode(path, &info, err);
	if (!status && (info.mode & READABLE_BY_OTHERS))
		status = bl_fail(err, BL_DENIED, "others can read %.*s",
				 BL_STR_ARG(path));
	if (!status)
		*out = bl_str_trim(text);
	return status;
}

enum bl_status team_token_read(const struct bl_team_place *place,
			       const struct bl_team_account *account,
			       struct bl_arena *arena, struct bl_str *out,
			       struct bl_error *err)
{
	return account->has_keyring ? team_keyring_read(place, arena, out, err)
				    : read_token_file(place, arena, out, err);
}

static enum bl_status remove_token_file(const struct bl_team_place *place,
					struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_str path;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	path = team_path(place, "token", &arena);
	status = path.ptr ? bl_os_remove_file(path, err)
			  : bl_arena_fail(&arena, err);
	bl_arena_clear(&arena);
	return status == BL_NOT_FOUND ? BL_OK : status;
}

enum bl_status team_token_write(const struct bl_team_place *place,
				const struct bl_team_account *account,
				struct bl_str token, struct bl_error *err)
{
	char text[BL_TEAM_TOKEN_BYTES];
	enum bl_status status;

	if (token.len >= sizeof(text) - 1)
		return bl_fail(err, BL_LIMIT, "the token is too long");
	memcpy(text, token.ptr, token.len);
	text[token.len] = '\0';
	if (account->has_keyring) {
		status = team_keyring_store(place, text, err);
		if (!status)
			status = remove_token_file(place, err);
	} else {
		text[token.len] = '\n';
		status = team_write_own(place, "token",
					(struct bl_str){ text, token.len + 1 },
					TEAM_FILE_MODE, err);
	}
	explicit_bzero(text, sizeof(text));
	return status;
}

enum bl_status team_token_remove(const struct bl_team_place *place,
				 const struct bl_team_account *account,
				 struct bl_error *err)
{
	enum bl_status status =
		account->has_keyring ? team_keyring_clear(place, err) : BL_OK;

	if (status && status != BL_NOT_FOUND)
		return status;
	return remove_token_file(place, err);
}

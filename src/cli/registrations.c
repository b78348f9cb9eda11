/* SPDX-License-Identifier: Apache-2.0 */
/* registrations.c: reading the list, and changing it under a lock. */
#include "cli/registrations.h"

#include "json/json.h"
#include "os/os.h"

enum {
	MAX_LIST_BYTES = 1024 * 1024,
	MAX_LIST = 4096,
	LOCK_MS = 5000,
	FILE_MODE = 0600,
	DIR_MODE = 0700,
};

static struct bl_str text_of(struct bl_value object, const char *key)
{
	return bl_value_text(bl_object_find(object, bl_str(key)));
}

static bool read_scope(struct bl_str name, enum bl_scope *out_scope)
{
	for (enum bl_scope i = 0; i < BL_SCOPE_COUNT; i++)
		if (bl_str_is(name, bl_scope_name(i))) {
			*out_scope = i;
			return true;
		}
	return false;
}

static bool read_one(struct bl_value value, struct cli_registration *out)
{
	*out = (struct cli_registration){
		.agent = bl_agent_find(text_of(value, "agent")),
		.file = text_of(value, "file"),
		.root = text_of(value, "root"),
		.policy_dir = text_of(value, "policy_dir"),
	};
	return out->agent && bl_path_is_absolute(out->file) &&
	       read_scope(text_of(value, "scope"), &out->scope);
}

enum bl_status cli_registrations_read(struct cli *cli, struct bl_str state_dir,
				      struct cli_registration **out_list,
				      size_t *out_count, struct bl_error *err)
{
	struct bl_str path = bl_path_join(&cli->arena, state_dir,
					  BL_STR("registrations.json"));
	struct bl_value value = bl_value_undefined();
	struct bl_str text;
	enum bl_status status;
	size_t count;

	if (!path.ptr)
		return bl_arena_fail(&cli->arena, err);
	status = bl_os_read_file(path, BL_OPEN_NO_LINK, MAX_LIST_BYTES,
				 &cli->arena, &text, NULL, err);
	if (!status)
		status = bl_json_read(&cli->arena, text, NULL, &value, NULL,
				      NULL, err);
	if (status && status != BL_NOT_FOUND) {
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	count = bl_value_is(value, BL_KIND_ARRAY) ? bl_value_count(value) : 0;
	*out_list = bl_arena_new_array(&cli->arena, struct cli_registration,
				       count + 1);
	*out_count = 0;
	if (!*out_list)
		return bl_arena_fail(&cli->arena, err);
	for (size_t i = 0; i < count; i++)
		if (read_one(bl_value_item(value, i), &(*out_list)[*out_count]))
			(*out_count)++;
	return BL_OK;
}

static void put_member(struct bl_buf *out, const char *key, struct bl_str text)
{
	bl_buf_printf(out, "%s\"%s\": ", key[0] == 'a' ? "" : ", ", key);
	bl_json_write_string(out, text);
}

static void put_one(struct bl_buf *out, const struct cli_registration *one)
{
	bl_buf_puts(out, out->len > 1 ? ",\n  { " : "\n  { ");
	put_member(out, "agent", bl_str(one->agent->name));
	put_member(out, "scope", bl_str(bl_scope_name(one->scope)));
	put_member(out, "file", one->file);
	put_member(out, "root", one->root);
	put_member(out, "policy_dir", one->policy_dir);
	bl_buf_puts(out, " }");
}

struct bl_str cli_registered_file(struct cli *cli, struct bl_str path)
{
	struct bl_str folder;

	if (bl_path_resolve(&cli->arena, bl_path_dir(path), &folder, NULL))
		return path;
	return bl_path_join(&cli->arena, folder, bl_path_base(path));
}

static bool is_same(const struct cli_registration *a,
		    const struct cli_registration *b)
{
	return a->agent == b->agent && bl_str_equal(a->file, b->file);
}

/* The list without what is at one's place, and with one when it is to be there. */
static enum bl_status write_list(struct cli *cli, struct bl_str state_dir,
				 const struct cli_registration *one, bool adds,
				 struct bl_error *err)
{
	struct bl_str path = bl_path_join(&cli->arena, state_dir,
					  BL_STR("registrations.json"));
	struct cli_registration *list = NULL;
	size_t count = 0;
	struct bl_buf text;
	enum bl_status status =
		cli_registrations_read(cli, state_dir, &list, &count, err);

	if (status)
		return status;
	if (count >= MAX_LIST && adds)
		return bl_fail(err, BL_LIMIT, "%.*s has %zu entries",
			       BL_STR_ARG(path), count);
	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "[");
	for (size_t i = 0; i < count; i++)
		if (!is_same(&list[i], one))
			put_one(&text, &list[i]);
	if (adds)
		put_one(&text, one);
	bl_buf_puts(&text, "\n]\n");
	status = bl_buf_status(&text);
	if (!status)
		status = bl_os_replace_file(path, bl_buf_str(&text), FILE_MODE,
					    err);
	else
		bl_fail_memory(err);
	bl_buf_clear(&text);
	return status;
}

static enum bl_status change(struct cli *cli, struct bl_str state_dir,
			     const struct cli_registration *one, bool adds,
			     struct bl_error *err)
{
	struct bl_str lock = bl_path_join(&cli->arena, state_dir,
					  BL_STR("registrations.lock"));
	int fd = -1;
	enum bl_status status = bl_os_make_dirs(state_dir, DIR_MODE, err);

	if (!status)
		status = bl_os_open_locked(lock, FILE_MODE, LOCK_MS, &fd, err);
	if (!status)
		status = write_list(cli, state_dir, one, adds, err);
	bl_os_close(fd);
	return status;
}

enum bl_status cli_registrations_add(struct cli *cli, struct bl_str state_dir,
				     const struct cli_registration *one,
				     struct bl_error *err)
{
	return change(cli, state_dir, one, true, err);
}

enum bl_status cli_registrations_remove(struct cli *cli,
					struct bl_str state_dir,
					const struct cli_registration *one,
					struct bl_error *err)
{
	return change(cli, state_dir, one, false, err);
}

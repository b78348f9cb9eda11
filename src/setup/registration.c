/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of an agent's registration that needs no file to be read: the
 * command line to register, which file to register in, is the agent used.
 */
#include "os/os.h"
#include "setup/private.h"

/* ---- command lines ------------------------------------------------------ */

static bool is_plain(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && !strchr("/._-+@%:,=", c))
			return false;
	}
	return text.len > 0;
}

void bl_setup_put_word(struct bl_buf *out, struct bl_str text)
{
	if (is_plain(text)) {
		bl_buf_put_str(out, text);
		return;
	}
	bl_buf_put_char(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			bl_buf_puts(out, "'\\''");
		else
			bl_buf_put_char(out, text.ptr[i]);
	}
	bl_buf_put_char(out, '\'');
}

struct bl_str bl_setup_command(const struct bl_setup *setup,
			       struct bl_arena *arena)
{
	const struct bl_registration *agent = setup->agent->registration;
	struct bl_str command = { NULL, 0 };
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_setup_put_word(&buf, setup->program);
	bl_buf_printf(&buf, " eval --harness %s --policy-dir ",
		      setup->agent->name);
	if (setup->scope != BL_SCOPE_PROJECT) {
		bl_setup_put_word(&buf, setup->policy_dir);
	} else {
		if (agent->project)
			bl_buf_puts(&buf, agent->project);
		bl_setup_put_word(&buf, bl_path_base(setup->policy_dir));
	}
	if (!bl_buf_status(&buf))
		command = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return command;
}

/* ---- files -------------------------------------------------------------- */

const char *bl_setup_file_of(const struct bl_registration_file *file,
			     enum bl_scope scope)
{
	const char *const names[BL_SCOPE_COUNT] = {
		[BL_SCOPE_PROJECT] = file->project,
		[BL_SCOPE_USER] = file->global,
		[BL_SCOPE_MANAGED] = file->managed,
	};

	return names[scope];
}

size_t bl_setup_file_count(const struct bl_setup *setup)
{
	const struct bl_registration *agent = setup->agent->registration;
	size_t count = 0;

	for (size_t i = 0; i < BL_REGISTRATION_MAX_FILES && !count; i++)
		if (bl_setup_file_of(&agent->files[i], setup->scope))
			count = agent->script ? 2 : 1;
	if (!count || agent->form != BL_REGISTRATION_SCRIPTS)
		return count;
	while (count < BL_REGISTRATION_MAX_ENTRIES &&
	       agent->entries[count].event)
		count++;
	return count;
}

uint32_t bl_setup_file_mode(const struct bl_setup *setup, struct bl_str path)
{
	return bl_setup_script_entry(setup->agent->registration, path) ? 0755
								       : 0644;
}

/* The file of the table; those of scripts are beside it, or in it. */
static enum bl_status find_file(const struct bl_setup *setup,
				struct bl_arena *arena, struct bl_str *out_path,
				struct bl_error *err)
{
	const struct bl_registration *agent = setup->agent->registration;

	for (size_t i = 0; i < BL_REGISTRATION_MAX_FILES; i++) {
		const struct bl_registration_file *file = &agent->files[i];
		const char *name = bl_setup_file_of(file, setup->scope);
		struct bl_file_info info;

		if (!name)
			continue;
		*out_path = bl_path_join(arena, setup->root, bl_str(name));
		if (!out_path->ptr)
			return bl_arena_fail(arena, err);
		if (!file->is_optional ||
		    !bl_os_info_path(*out_path, &info, NULL))
			return BL_OK;
	}
	return bl_fail(err, BL_NOT_FOUND, "%s has no %s configuration file%s%s",
		       setup->agent->name, bl_scope_name(setup->scope),
		       agent->form == BL_REGISTRATION_NONE ? ": " : "",
		       agent->form == BL_REGISTRATION_NONE ? agent->afterwards
							   : "");
}

struct bl_str bl_setup_script(const struct bl_setup *setup,
			      struct bl_arena *arena)
{
	const char *name = setup->agent->registration->script;
	struct bl_str path = { NULL, 0 };

	if (!name || find_file(setup, arena, &path, NULL))
		return (struct bl_str){ NULL, 0 };
	return bl_path_join(arena, bl_path_dir(path), bl_str(name));
}

enum bl_status bl_setup_file(const struct bl_setup *setup,
			     struct bl_arena *arena, struct bl_str *out_path,
			     struct bl_error *err)
{
	const struct bl_registration *agent = setup->agent->registration;
	enum bl_status status = find_file(setup, arena, out_path, err);

	if (status)
		return status;
	if (agent->form == BL_REGISTRATION_SCRIPTS)
		*out_path =
			bl_path_join(arena, *out_path,
				     bl_str(agent->entries[setup->file].event));
	else if (setup->file)
		*out_path = bl_setup_script(setup, arena);
	return out_path->ptr ? BL_OK : bl_arena_fail(arena, err);
}

bool bl_setup_is_used(const struct bl_setup *setup, struct bl_arena *arena)
{
	const struct bl_registration *agent = setup->agent->registration;
	struct bl_file_info info;
	const char *name = setup->scope == BL_SCOPE_PROJECT
				   ? agent->folder
				   : agent->global_folder;
	struct bl_str folder;

	if (!name || !bl_setup_file_count(setup))
		return false;
	folder = bl_path_join(arena, setup->root, bl_str(name));
	return folder.ptr && !bl_os_info_path(folder, &info, NULL);
}

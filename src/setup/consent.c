/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consent.c: has the person approved of the hooks, for agents that run none
 * without that and say nothing?  It reads what the agent keeps in the home;
 * which agent asks for what is in its row (enum bl_consent).
 */
#include "json/json.h"
#include "os/os.h"
#include "setup/private.h"

static struct bl_str read_in_home(const struct setup_view *view,
				  const char *name)
{
	struct bl_str path =
		bl_path_join(view->arena, view->places->home, bl_str(name));
	struct bl_str text = { NULL, 0 };

	if (!path.ptr || bl_os_read_file(path, 0, JSONC_MAX_BYTES, view->arena,
					 &text, NULL, NULL))
		return BL_STR("");
	return text;
}

static struct bl_value read_json(const struct setup_view *view,
				 const char *name)
{
	const struct bl_json_options json = { .allow_comments = true,
					      .allow_bom = true };
	struct bl_value value = bl_value_undefined();

	if (bl_json_read(view->arena, read_in_home(view, name), &json, &value,
			 NULL, NULL, NULL))
		return bl_value_undefined();
	return value;
}

/* ---- Codex: a table of config.toml -------------------------------------- */

/*
 * The lines of the table whose header has text in it, up to the next header;
 * ptr NULL: there is no such table.  Codex writes one table a line, so that is
 * all of TOML that it takes.
 */
static struct bl_str toml_table(struct bl_str toml, struct bl_str text)
{
	size_t at = 0;

	while ((at = bl_str_find(toml, text, at)) != SIZE_MAX) {
		const char *start = memrchr(toml.ptr, '\n', at);
		size_t line = start ? (size_t)(start - toml.ptr) + 1 : 0;
		size_t body = bl_str_find(toml, BL_STR("\n"), at);
		size_t end;

		if (toml.ptr[line] != '[' || body == SIZE_MAX) {
			at += text.len;
			continue;
		}
		end = bl_str_find(toml, BL_STR("\n["), body);
		return bl_str_slice(toml, body, end);
	}
	return (struct bl_str){ NULL, 0 };
}

/* Does the table say key = value? */
static bool says(struct bl_str table, const char *key, const char *value)
{
	for (size_t at = 0; at < table.len;) {
		size_t end = bl_str_find(table, BL_STR("\n"), at);
		struct bl_str line = bl_str_trim(bl_str_slice(table, at, end));
		size_t equals = bl_str_find(line, BL_STR("="), 0);

		if (equals != SIZE_MAX &&
		    bl_str_is(bl_str_trim(bl_str_slice(line, 0, equals)),
			      key) &&
		    bl_str_has_prefix(bl_str_trim(bl_str_slice(line, equals + 1,
							       SIZE_MAX)),
				      bl_str(value)))
			return true;
		at = end == SIZE_MAX ? table.len : end + 1;
	}
	return false;
}

/* "PreToolUse" as "pre_tool_use". */
static void put_snake(struct bl_buf *out, const char *name)
{
	for (size_t i = 0; name[i]; i++) {
		bool is_upper = name[i] >= 'A' && name[i] <= 'Z';

		if (is_upper && i)
			bl_buf_put_char(out, '_');
		bl_buf_put_char(out, is_upper ? (char)(name[i] - 'A' + 'a')
					      : name[i]);
	}
}

/* Its table is [projects."FOLDER"], with trust_level = "trusted". */
static bool is_trusted_project(const struct setup_view *view,
			       struct bl_str toml)
{
	struct bl_str root = view->places->project;
	struct bl_str header = bl_arena_printf(
		view->arena, "[projects.\"%.*s\"]", BL_STR_ARG(root));

	return header.ptr &&
	       says(toml_table(toml, header), "trust_level", "\"trusted\"");
}

/* Its table is [hooks.state."FILE:pre_tool_use:0:0"], with trusted_hash. */
static void ask_hooks(const struct setup_view *view,
		      struct bl_registered *registered)
{
	struct bl_str toml = read_in_home(view, ".codex/config.toml");
	const char *event = view->agent->registration->entries[0].event;
	struct bl_str table = { NULL, 0 };
	struct bl_buf key;

	bl_buf_init(&key, 0);
	bl_buf_put_str(&key, registered->file);
	bl_buf_put_char(&key, ':');
	put_snake(&key, event);
	bl_buf_put_char(&key, ':');
	if (!bl_buf_status(&key))
		table = toml_table(toml, bl_buf_str(&key));
	bl_buf_clear(&key);
	if (says(toml_table(toml, BL_STR("[features]")), "hooks", "false"))
		bl_setup_set_problem(registered,
				     BL_STR("hooks are off: features.hooks is "
					    "false in ~/.codex/config.toml"),
				     BL_STR("set it to true"));
	else if (says(table, "enabled", "false"))
		bl_setup_set_problem(registered,
				     BL_STR("the hook is turned off in "
					    "~/.codex/config.toml"),
				     BL_STR("turn it on with /hooks in codex"));
	else if (!says(table, "trusted_hash", ""))
		bl_setup_ask_consent(
			registered,
			BL_STR("Codex skips the hook: nobody has approved it"),
			BL_STR("start codex and approve belay's hooks with "
			       "/hooks"));
	else if (registered->scope == BL_SCOPE_PROJECT &&
		 !is_trusted_project(view, toml))
		bl_setup_ask_consent(
			registered,
			BL_STR("Codex skips the hooks of a project that is not "
			       "trusted"),
			BL_STR("start codex here and trust the folder"));
}

/* ---- folders ------------------------------------------------------------ */

static bool is_in_any(struct bl_str root, struct bl_value folders)
{
	for (size_t i = 0; i < bl_value_count(folders); i++) {
		struct bl_str folder = bl_value_text(bl_value_item(folders, i));

		if (folder.len && bl_path_is_in(root, folder))
			return true;
	}
	return false;
}

static void ask_folder(const struct setup_view *view,
		       struct bl_registered *registered)
{
	struct bl_value config = read_json(view, ".copilot/config.json");
	struct bl_str root = view->places->project;

	if (registered->scope != BL_SCOPE_PROJECT ||
	    is_in_any(root,
		      bl_object_find(config, BL_STR("trusted_folders"))) ||
	    is_in_any(root, bl_object_find(config, BL_STR("trustedFolders"))))
		return;
	bl_setup_ask_consent(
		registered,
		BL_STR("Copilot skips the hooks of a folder that is not "
		       "trusted"),
		BL_STR("start copilot here and trust the folder for future "
		       "sessions, or pass --trust-folder"));
}

/*
 * Gemini and its kin: {"security": {"folderTrust": {"enabled": true}}}.  Gemini
 * takes it for true when it is missing, Qwen for false.
 */
static void ask_optional_folder(const struct setup_view *view,
				struct bl_registered *registered)
{
	const char *folder = view->agent->registration->global_folder;
	struct bl_str settings =
		bl_arena_printf(view->arena, "%s/settings.json", folder);
	struct bl_str trusted =
		bl_arena_printf(view->arena, "%s/trustedFolders.json", folder);
	struct bl_value list;
	struct bl_value on;

	if (registered->scope != BL_SCOPE_PROJECT || !settings.ptr ||
	    !trusted.ptr)
		return;
	on = bl_setup_find_key(read_json(view, settings.ptr),
			       "security.folderTrust.enabled");
	if (!bl_value_is_defined(on))
		on = bl_value_boolean(view->agent->registration->consent ==
				      BL_CONSENT_USUAL_FOLDER);
	if (!bl_value_equal(on, bl_value_boolean(true)))
		return;
	list = read_json(view, trusted.ptr);
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_str path = bl_value_text(bl_object_key(list, i));
		struct bl_str how = bl_value_text(bl_object_value(list, i));

		if (bl_str_is(how, "TRUST_FOLDER") && path.len &&
		    bl_path_is_in(view->places->project, path))
			return;
	}
	bl_setup_ask_consent(registered,
			     BL_STR("the hooks of a folder that is not trusted "
				    "are skipped"),
			     BL_STR("start the agent here and trust the "
				    "folder"));
}

/* Only an event that came proves the approval. */
static void ask_unseen(const struct setup_view *view,
		       struct bl_registered *registered)
{
	registered->is_unseen = true;
	bl_setup_ask_consent(
		registered,
		bl_arena_printf(view->arena,
				"no event has come, and belay cannot see "
				"whether %s runs its hooks",
				view->agent->title),
		bl_str(view->agent->registration->afterwards));
}

static void (*const asks[])(const struct setup_view *view,
			    struct bl_registered *registered) = {
	[BL_CONSENT_HOOKS] = ask_hooks,
	[BL_CONSENT_FOLDER] = ask_folder,
	[BL_CONSENT_OPTIONAL_FOLDER] = ask_optional_folder,
	[BL_CONSENT_USUAL_FOLDER] = ask_optional_folder,
	[BL_CONSENT_UNSEEN] = ask_unseen,
};

void bl_setup_consent(const struct setup_view *view,
		      struct bl_registered *registered)
{
	enum bl_consent consent = view->agent->registration->consent;

	if (consent != BL_CONSENT_NONE &&
	    registered->scope != BL_SCOPE_MANAGED && !registered->problem.len)
		asks[consent](view, registered);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* content.c: the rules for the hooks of a team. */
#include <inttypes.h>

#include "base/ascii.h"
#include "os/os.h"
#include "team/team.h"

static const char *const systems[BL_PLATFORM_COUNT] = {
	[BL_PLATFORM_LINUX] = "Linux",
	[BL_PLATFORM_MACOS] = "Macintosh",
	[BL_PLATFORM_WINDOWS] = "Windows",
};

const char *bl_team_system_name(void)
{
	return systems[bl_os_platform()];
}

static bool is_system(struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(systems); i++)
		if (bl_str_is(name, systems[i]))
			return true;
	return false;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/* The fault of a script's name; NULL: it is good. */
static const char *name_fault(struct bl_str name)
{
	if (!name.len)
		return "is empty";
	if (name.len > BL_TEAM_MAX_NAME_BYTES)
		return "has more than 128 characters";
	if (name.ptr[0] == '.' || name.ptr[0] == '-')
		return "begins with '.' or '-'";
	for (size_t i = 0; i < name.len; i++)
		if (!is_name_char(name.ptr[i]))
			return "has a character other than letters, digits, "
			       "'.', '_' and '-'";
	if (bl_ascii_equal(name, BL_STR("hooks.json")))
		return "is the name of the file that lists the hooks";
	return NULL;
}

static enum bl_status check_one(const struct bl_team_hook *hook,
				const struct bl_contract *contract,
				struct bl_error *err)
{
	const char *fault = name_fault(hook->script_name);

	if (hook->id <= 0)
		return bl_fail(err, BL_INVALID, "its id is not above 0");
	if (!bl_contract_find(contract, hook->event_name))
		return bl_fail(err, BL_INVALID, "there is no event '%.*s'",
			       BL_STR_ARG(hook->event_name));
	if (fault)
		return bl_fail(err, BL_INVALID, "its script name '%.*s' %s",
			       BL_STR_ARG(hook->script_name), fault);
	for (size_t i = 0; i < hook->system_count; i++)
		if (!is_system(hook->systems[i]))
			return bl_fail(err, BL_INVALID,
				       "there is no operating system '%.*s'; "
				       "there are Linux, Macintosh and Windows",
				       BL_STR_ARG(hook->systems[i]));
	if (hook->content.len > BL_TEAM_MAX_SCRIPT_BYTES)
		return bl_fail(err, BL_INVALID,
			       "its script has more than %d bytes",
			       (int)BL_TEAM_MAX_SCRIPT_BYTES);
	return BL_OK;
}

/* Against the hooks before it. */
static enum bl_status check_unique(const struct bl_team_hooks *hooks, size_t at,
				   struct bl_error *err)
{
	const struct bl_team_hook *hook = &hooks->items[at];

	for (size_t i = 0; i < at; i++) {
		const struct bl_team_hook *other = &hooks->items[i];

		if (other->id == hook->id)
			return bl_fail(err, BL_INVALID,
				       "its id %" PRId64
				       " is that of hook %zu, too",
				       hook->id, i + 1);
		if (bl_ascii_equal(other->script_name, hook->script_name))
			return bl_fail(err, BL_INVALID,
				       "its script name '%.*s' is that of hook "
				       "%zu, too",
				       BL_STR_ARG(hook->script_name), i + 1);
	}
	return BL_OK;
}

enum bl_status bl_team_check_hooks(const struct bl_team_hooks *hooks,
				   const struct bl_contract *contract,
				   struct bl_error *err)
{
	size_t all = 0;

	if (hooks->count > BL_TEAM_MAX_HOOKS)
		return bl_fail(err, BL_INVALID, "there are more than %d hooks",
			       (int)BL_TEAM_MAX_HOOKS);
	for (size_t i = 0; i < hooks->count; i++) {
		enum bl_status status =
			check_one(&hooks->items[i], contract, err);

		if (!status)
			status = check_unique(hooks, i, err);
		if (status) {
			bl_error_context(err, "hook %zu", i + 1);
			return status;
		}
		all += hooks->items[i].content.len;
	}
	if (all > BL_TEAM_MAX_CONTENT_BYTES)
		return bl_fail(err, BL_INVALID,
			       "the scripts have more than %d bytes together",
			       (int)BL_TEAM_MAX_CONTENT_BYTES);
	return BL_OK;
}

bool bl_team_hook_applies(const struct bl_team_hook *hook, const char *system)
{
	if (!hook->is_active)
		return false;
	for (size_t i = 0; i < hook->system_count; i++)
		if (bl_str_is(hook->systems[i], system))
			return true;
	return !hook->system_count;
}

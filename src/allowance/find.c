/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c: is there an allowance for this action, and take it.  It is the part
 * that decides events, in the static program too, and stands apart from what
 * people do to allowances (grant.c).
 */
#include "base/hex.h"
#include "allowance/private.h"
#include "json/json.h"
#include "os/os.h"
#include "trust/trust.h"

struct bl_str bl_allowance_state_dir(struct bl_arena *arena, struct bl_str home)
{
	return bl_path_join(arena, home, BL_STR(".local/state/belay"));
}

struct bl_str allowance_dir(struct bl_arena *arena, struct bl_str state_dir)
{
	return bl_path_join(arena, state_dir, BL_STR("allowances"));
}

/* ---- codes ------------------------------------------------------------------ */

/* Without I, L, O and U; 32 of them. */
static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

enum { CODE_LEN = BL_ALLOWANCE_CODE_BYTES - 1 };

enum bl_status bl_allowance_new_code(char out[BL_ALLOWANCE_CODE_BYTES],
				     struct bl_error *err)
{
	uint8_t chance[CODE_LEN];
	enum bl_status status = bl_os_random(chance, sizeof(chance), err);

	if (status)
		return status;
	for (size_t i = 0; i < CODE_LEN; i++)
		out[i] = alphabet[chance[i] % 32];
	out[CODE_LEN] = '\0';
	return BL_OK;
}

bool bl_allowance_read_code(struct bl_str text,
			    char out[BL_ALLOWANCE_CODE_BYTES])
{
	if (text.len != CODE_LEN)
		return false;
	for (size_t i = 0; i < CODE_LEN; i++) {
		char c = text.ptr[i];

		if (c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		if (!c || !strchr(alphabet, c))
			return false;
		out[i] = c;
	}
	out[CODE_LEN] = '\0';
	return true;
}

/* ---- reading ----------------------------------------------------------------- */

static bool read_rules(struct bl_arena *arena, struct bl_value list,
		       struct bl_allowance_action *action)
{
	size_t count = bl_value_count(list);
	struct bl_str *rules;

	if (!bl_value_is(list, BL_KIND_ARRAY) || !count ||
	    count > BL_ALLOWANCE_MAX_RULES)
		return false;
	rules = bl_arena_new_array(arena, struct bl_str, count);
	if (!rules)
		return false;
	for (size_t i = 0; i < count; i++) {
		rules[i] = bl_value_text(bl_value_item(list, i));
		if (!rules[i].len)
			return false;
	}
	action->rules = rules;
	action->rule_count = count;
	return true;
}

/* Times that no grant of ours has are not believed. */
static bool has_sound_times(const struct bl_allowance *allowance)
{
	int64_t longest =
		allowance->is_once ? BL_ALLOWANCE_ONCE_MS : BL_ALLOWANCE_MAX_MS;

	return allowance->granted_ms > 0 &&
	       allowance->until_ms > allowance->granted_ms &&
	       allowance->until_ms - allowance->granted_ms <= longest;
}

static bool read_members(struct bl_arena *arena, struct bl_value from,
			 struct bl_allowance *out)
{
	static const struct {
		const char *name;
		size_t offset; /* of the struct bl_str */
	} texts[] = {
		{ "code", offsetof(struct bl_allowance, code) },
		{ "what", offsetof(struct bl_allowance, what) },
		{ "by", offsetof(struct bl_allowance, by) },
		{ "action", offsetof(struct bl_allowance, action.digest) },
		{ "agent", offsetof(struct bl_allowance, action.agent) },
		{ "workspace",
		  offsetof(struct bl_allowance, action.workspace) },
	};
	struct bl_value once = bl_object_find(from, BL_STR("once"));
	char code[BL_ALLOWANCE_CODE_BYTES];
	int64_t version = 0;

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		struct bl_str text = bl_value_text(
			bl_object_find(from, bl_str(texts[i].name)));

		if (!text.len)
			return false;
		memcpy((char *)out + texts[i].offset, &text, sizeof(text));
	}
	out->is_once = bl_value_is_true(once);
	return bl_value_is(once, BL_KIND_BOOLEAN) &&
	       bl_number_to_integer(bl_object_find(from, BL_STR("version")),
				    &version) &&
	       version == ALLOWANCE_VERSION &&
	       bl_number_to_integer(bl_object_find(from, BL_STR("granted")),
				    &out->granted_ms) &&
	       bl_number_to_integer(bl_object_find(from, BL_STR("until")),
				    &out->until_ms) &&
	       has_sound_times(out) &&
	       bl_hex_is(out->action.digest, BL_SHA256_BYTES) &&
	       bl_allowance_read_code(out->code, code) &&
	       bl_path_is_absolute(out->action.workspace) &&
	       read_rules(arena, bl_object_find(from, BL_STR("rules")),
			  &out->action);
}

/* The name of the file is the action that it is about. */
static bool has_own_name(struct bl_str path, const struct bl_allowance *one)
{
	struct bl_str name = bl_path_base(path);

	return bl_str_has_prefix(name, one->action.digest) &&
	       bl_str_has_suffix(name, BL_STR(".json"));
}

enum bl_status allowance_read(struct bl_arena *arena, struct bl_str path,
			      struct bl_allowance *out, struct bl_error *err)
{
	struct bl_allowance one = { 0 };
	struct bl_json_report report = { 0 };
	struct bl_file_info info;
	struct bl_value value;
	struct bl_str text;
	struct bl_str why;
	enum bl_status status =
		bl_os_read_file(path, BL_OPEN_NO_LINK, BL_ALLOWANCE_FILE_BYTES,
				arena, &text, &info, err);

	if (status == BL_NOT_FOUND)
		return status;
	if (!status &&
	    bl_trust_check_owner(path, &info, arena, &why) != BL_OWNER_OK)
		status = bl_fail(err, BL_DENIED, "%.*s", BL_STR_ARG(why));
	else if (!status && (info.mode & 077))
		status = bl_fail(err, BL_DENIED, "others can read it");
	if (!status)
		status = bl_json_read(arena, text, NULL, &value, &report, NULL,
				      err);
	if (!status &&
	    (report.repeated_key_count || !read_members(arena, value, &one) ||
	     !has_own_name(path, &one)))
		status = bl_fail(err, BL_INVALID, "it is damaged");
	if (status)
		bl_error_context(err,
				 "the allowance %.*s allows nothing; to take "
				 "it away: belay allow --revoke all",
				 BL_STR_ARG(path));
	else
		*out = one;
	return status;
}

/* ---- deciding ------------------------------------------------------------------ */

static bool covers(const struct bl_allowance_action *allowed,
		   struct bl_str rule)
{
	for (size_t i = 0; i < allowed->rule_count; i++)
		if (bl_str_equal(allowed->rules[i], rule))
			return true;
	return false;
}

static bool covers_all(const struct bl_allowance_action *allowed,
		       const struct bl_allowance_action *wanted)
{
	for (size_t i = 0; i < wanted->rule_count; i++)
		if (!covers(allowed, wanted->rules[i]))
			return false;
	return bl_str_equal(allowed->agent, wanted->agent) &&
	       bl_str_equal(allowed->workspace, wanted->workspace);
}

enum bl_status bl_allowance_find(struct bl_str state_dir,
				 const struct bl_allowance_action *action,
				 int64_t now_ms, struct bl_arena *arena,
				 struct bl_allowance *out_allowance,
				 struct bl_error *err)
{
	struct bl_allowance one;
	struct bl_str path = bl_arena_printf(arena, "%.*s/allowances/%.*s.json",
					     BL_STR_ARG(state_dir),
					     BL_STR_ARG(action->digest));
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(arena, err);
	status = allowance_read(arena, path, &one, err);
	if (status)
		return status;
	if (now_ms < one.granted_ms || now_ms >= one.until_ms)
		return bl_fail(err, BL_NOT_FOUND, "the allowance has expired");
	if (!covers_all(&one.action, action))
		return bl_fail(err, BL_NOT_FOUND,
			       "the allowance is for other rules");
	*out_allowance = one;
	return BL_OK;
}

/* Was it this same call, told to another hook? */
static bool is_same_call(struct bl_arena *arena, struct bl_str path,
			 struct bl_str call_id)
{
	struct bl_str text;

	return call_id.len &&
	       !bl_os_read_file(path, BL_OPEN_NO_LINK, BL_ALLOWANCE_FILE_BYTES,
				arena, &text, NULL, NULL) &&
	       bl_str_equal(text, call_id);
}

enum bl_status bl_allowance_use(struct bl_str state_dir,
				const struct bl_allowance *allowance,
				struct bl_str kind, struct bl_str call_id,
				struct bl_error *err)
{
	char memory[1024];
	struct bl_arena arena;
	struct bl_str path;
	enum bl_status status;

	if (!allowance->is_once)
		return BL_OK;
	bl_arena_init(&arena, memory, sizeof(memory), 0);
	path = bl_arena_printf(
		&arena, "%.*s/allowances/%.*s.%.*s", BL_STR_ARG(state_dir),
		BL_STR_ARG(allowance->action.digest), BL_STR_ARG(kind));
	if (!path.ptr)
		status = bl_arena_fail(&arena, err);
	else
		status = bl_os_create_file(path, call_id, ALLOWANCE_FILE_MODE,
					   err);
	if (status == BL_EXISTS)
		status = is_same_call(&arena, path, call_id)
				 ? BL_OK
				 : bl_fail(err, BL_DENIED,
					   "the allowance %.*s is used up",
					   BL_STR_ARG(allowance->code));
	bl_arena_clear(&arena);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allowance.c: does an action pass that rules refuse, since a person has allowed
 * it?  It stands apart from packs.c because it is about all findings together:
 * only where every one that refuses or asks can be allowed is there anything
 * to look for.
 *
 *   event Bash "git push -f" in /w, refused by git/force-push
 *   action ["claude", "/w", "/w", {"kind": "shell", "shell": {"command": ...}}]
 *   its SHA-256 names the file that allows it; without one it can be offered
 */
#include "json/json.h"
#include "sources/policies/private.h"

enum bl_status policy_spare(struct policy_run *run,
			    const struct bl_policy_finding *finding,
			    enum bl_spared why)
{
	struct bl_policy_report *report = run->report;

	report->spared =
		bl_arena_room(run->arena, report->spared, report->spared_count,
			      &run->spared_cap, sizeof(*report->spared));
	if (!report->spared)
		return bl_arena_fail(run->arena, run->err);
	report->spared[report->spared_count] = *finding;
	report->spared[report->spared_count++].spared = why;
	return BL_OK;
}

/* ---- which action it is ------------------------------------------------------ */

/* Words about a call that change nothing about what it does. */
static const char *const remarks[] = {
	"call_id",     "name_native", "description",       "justification",
	"explanation", "timeout",     "timeout_ms",        "command",
	"cwd",         "workdir",     "working_directory",
};

/* A shell's command and folder are in its own member; others keep all. */
static bool is_remark(struct bl_str name, bool is_shell)
{
	size_t count = is_shell ? BL_COUNT(remarks) : 2;

	for (size_t i = 0; i < count; i++)
		if (bl_str_is(name, remarks[i]))
			return true;
	return false;
}

static struct bl_value without_remarks(struct bl_arena *arena,
				       struct bl_value object, bool is_shell)
{
	struct bl_object_builder rest;

	bl_object_builder_init(&rest, arena);
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str name = bl_value_text(bl_object_key(object, i));

		if (!is_remark(name, is_shell))
			bl_object_builder_add(&rest, name,
					      bl_object_value(object, i));
	}
	return rest.count ? bl_object_builder_end(&rest) : bl_value_null();
}

/* The tool and its input, without what differs from call to call. */
static struct bl_value tool_of(struct policy_run *run)
{
	struct bl_arena *arena = run->arena;
	struct bl_value tool = policy_at(run->event->belay, "tool");
	struct bl_value shell = bl_object_find(tool, BL_STR("shell"));
	struct bl_value input = bl_object_find(tool, BL_STR("input"));
	struct bl_object_builder key;

	if (!bl_value_is(shell, BL_KIND_OBJECT))
		return without_remarks(arena, tool, false);
	bl_object_builder_init(&key, arena);
	bl_object_builder_add(&key, BL_STR("shell"), shell);
	bl_object_builder_add(&key, BL_STR("input"),
			      without_remarks(arena, input, true));
	return bl_object_builder_end(&key);
}

/* The folder of the action, real where it exists. */
static struct bl_str folder_of(struct policy_run *run)
{
	struct bl_str cwd =
		bl_value_text(policy_at(run->event->belay, "tool.shell.cwd"));
	struct bl_str real;

	if (!bl_path_is_absolute(cwd))
		cwd = run->event->cwd;
	if (!bl_path_is_absolute(cwd) &&
	    bl_path_current(run->arena, &cwd, NULL))
		return BL_STR("");
	return bl_path_resolve(run->arena, cwd, &real, NULL) ? cwd : real;
}

/* Fills all but the rules.  False: memory. */
static bool describe(struct policy_run *run, struct bl_allowance_action *out)
{
	struct bl_array_builder parts;
	struct bl_buf text;
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_str folder = folder_of(run);
	bool is_made;

	out->agent = bl_value_text(policy_at(run->event->belay, "harness.id"));
	out->workspace = policy_workspace(run, folder);
	bl_array_builder_init(&parts, run->arena);
	bl_array_builder_add(&parts, bl_value_string(out->agent));
	bl_array_builder_add(&parts, bl_value_string(out->workspace));
	bl_array_builder_add(&parts, bl_value_string(folder));
	bl_array_builder_add(&parts, tool_of(run));
	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_array_builder_end(&parts), BL_JSON_CANONICAL);
	is_made = !bl_buf_status(&text) && !bl_arena_status(run->arena);
	bl_sha256_hex(bl_buf_str(&text), digest);
	bl_buf_clear(&text);
	out->digest = bl_arena_copy_str(run->arena, bl_str(digest));
	return is_made && out->digest.ptr && out->workspace.ptr;
}

/* ---- whether it passes --------------------------------------------------------- */

static bool decides(const struct bl_policy_finding *finding)
{
	return finding->verb == BL_VERB_ASK || bl_verb_refuses(finding->verb);
}

static bool is_listed(const struct bl_str *rules, size_t count,
		      struct bl_str rule)
{
	for (size_t i = 0; i < count; i++)
		if (bl_str_equal(rules[i], rule))
			return true;
	return false;
}

/*
 * The rules that decide, each once.  False: none do, one of them cannot be
 * allowed, or there are too many.
 */
static bool list_rules(struct policy_run *run, struct bl_allowance_action *out)
{
	const struct bl_policy_report *report = run->report;
	struct bl_str *rules = NULL;

	for (size_t i = 0; i < report->trouble_count; i++)
		if (report->troubles[i].verdict >= BL_VERDICT_ASK)
			return false;
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct bl_policy_finding *finding = &report->findings[i];

		if (!decides(finding))
			continue;
		if (!finding->can_be_allowed)
			return false;
		if (!rules)
			rules = bl_arena_new_array(run->arena, struct bl_str,
						   BL_ALLOWANCE_MAX_RULES);
		if (!rules)
			return false;
		if (is_listed(rules, out->rule_count, finding->rule_id))
			continue;
		if (out->rule_count == BL_ALLOWANCE_MAX_RULES)
			return false;
		rules[out->rule_count++] = finding->rule_id;
	}
	out->rules = rules;
	return out->rule_count > 0;
}

/* Findings that refused or asked decide nothing any more. */
static enum bl_status let_pass(struct policy_run *run)
{
	struct bl_policy_report *report = run->report;
	size_t kept = 0;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < report->finding_count; i++) {
		if (decides(&report->findings[i]))
			status = policy_spare(run, &report->findings[i],
					      BL_SPARED_ALLOWED);
		else
			report->findings[kept++] = report->findings[i];
	}
	report->finding_count = kept;
	return status;
}

/*
 * The call, which several events tell of.  Its id alone would not do: clients of
 * MCP count from 1 in each session.  Empty: not known.
 */
static struct bl_str call_of(struct policy_run *run)
{
	struct bl_value belay = run->event->belay;
	struct bl_str session = bl_value_text(policy_at(belay, "session.id"));
	struct bl_str call = bl_value_text(policy_at(belay, "tool.call_id"));

	if (!call.len)
		return call;
	return bl_arena_printf(run->arena, "%.*s\n%.*s", BL_STR_ARG(session),
			       BL_STR_ARG(call));
}

/* An action that a person let pass is not held against the agent afterwards. */
static bool comes_after(const struct policy_run *run)
{
	return bl_str_is(run->event->canonical, "tool.after") ||
	       bl_str_is(run->event->canonical, "tool.failed");
}

enum bl_status policy_ask_allowances(struct policy_run *run)
{
	struct bl_str state = run->options->state_dir;
	struct bl_allowance *allowance = &run->report->allowance;
	struct bl_allowance_action action = { 0 };
	struct bl_allowance found;
	struct bl_error why = { 0 };
	bool is_after = comes_after(run);
	enum bl_status status;

	if (!state.len ||
	    (run->event->class != BL_CLASS_PERMISSION && !is_after) ||
	    !list_rules(run, &action))
		return BL_OK;
	if (!describe(run, &action))
		return bl_arena_fail(run->arena, run->err);
	status = bl_allowance_find(state, &action, bl_os_wall_ms(), run->arena,
				   &found, &why);
	if (!status)
		status = bl_allowance_use(state, &found, run->event->canonical,
					  call_of(run), &why);
	if (!status && !is_after)
		*allowance = found;
	if (!status)
		return let_pass(run);
	if (is_after)
		return BL_OK;
	allowance->action = action;
	if (status != BL_NOT_FOUND)
		run->report->allowance_problem =
			bl_arena_copy_str(run->arena, bl_str(why.message));
	return BL_OK;
}

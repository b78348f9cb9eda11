/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_path.c: globs over paths and hosts, and where a command goes to.  It
 * stands apart from pattern.c, which knows the words of commands and nothing of
 * what they lead to.
 */
#include "base/ascii.h"
#include "base/url.h"
#include "sources/policies/patterns.h"
#include "text/text.h"

/* ---- globs over paths ----------------------------------------------------------- */

/* The folder in front of the first name that has a glob in it. */
static struct bl_str fixed_part(struct bl_str glob)
{
	size_t end = 0;

	while (end < glob.len && glob.ptr[end] != '*' && glob.ptr[end] != '?')
		end++;
	if (end == glob.len)
		return glob;
	while (end && glob.ptr[end - 1] != '/')
		end--;
	return bl_str_slice(glob, 0, end > 1 ? end - 1 : end);
}

/* Without "." and "..", by the names alone; ptr NULL: memory. */
static struct bl_str tidy(struct bl_arena *arena, struct bl_str path)
{
	char *out = bl_arena_alloc_aligned(arena, path.len + 1, 1);
	size_t len = 0;

	for (size_t at = 0, end; out && at < path.len; at = end + 1) {
		struct bl_str name;

		end = bl_str_find(path, BL_STR("/"), at);
		end = end == SIZE_MAX ? path.len : end;
		name = bl_str_slice(path, at, end);
		if (bl_str_is(name, "..")) {
			while (len && out[--len] != '/')
				;
		} else if (name.len && !bl_str_is(name, ".")) {
			out[len++] = '/';
			memcpy(out + len, name.ptr, name.len);
			len += name.len;
		}
	}
	return (struct bl_str){ out, out ? len : 0 };
}

/* The path where it really lies; as written where that is what counts. */
static struct bl_str real_path(const struct policy_view *view,
			       struct bl_str path)
{
	struct bl_str real;

	if (view->is_literal)
		return tidy(view->arena, path);
	return bl_path_follow(view->arena, path, &real, NULL, NULL) ? path
								    : real;
}

/* The glob from the root on, the fixed part without links; ptr NULL: none. */
static struct bl_str absolute_glob(const struct policy_view *view,
				   struct bl_str root, struct bl_str glob)
{
	struct bl_str home = BL_STR(POLICY_PATTERN_HOME);
	struct bl_str fixed;
	struct bl_str rest;

	if (bl_str_has_prefix(glob, home))
		glob = bl_str_slice(glob, 1, SIZE_MAX);
	if (bl_str_has_prefix(glob, BL_STR("~/")) || bl_str_is(glob, "~")) {
		root = view->home;
		glob = bl_str_slice(glob, 2, SIZE_MAX);
	}
	if (root.len)
		(void)bl_path_follow(view->arena, root, &root, NULL, NULL);
	if (!bl_path_is_absolute(glob))
		glob = root.len ? bl_path_join(view->arena, root, glob)
				: (struct bl_str){ NULL, 0 };
	if (!glob.ptr)
		return glob;
	fixed = fixed_part(glob);
	rest = bl_str_slice(glob, fixed.len, SIZE_MAX);
	fixed = real_path(view, fixed);
	if (bl_str_is(fixed, "/"))
		fixed.len = 0;
	return bl_arena_printf(view->arena, "%.*s%.*s", BL_STR_ARG(fixed),
			       BL_STR_ARG(rest));
}

bool policy_path_match(const struct policy_view *view, size_t count,
		       struct bl_str glob, struct bl_str path)
{
	bool is_free = bl_path_is_absolute(glob) || glob.ptr[0] == '~';

	if (is_free)
		count = 1;
	for (size_t i = 0; i < count; i++) {
		struct bl_str whole = absolute_glob(
			view, is_free ? BL_STR("") : view->roots[i], glob);

		if (whole.ptr &&
		    bl_wildcard_match(whole, path,
				      BL_WILDCARD_PATH | BL_WILDCARD_BELOW))
			return true;
	}
	return false;
}

/* ---- effects --------------------------------------------------------------------- */

/* A folder above what the glob names, with all that is in it. */
static bool takes_along(const struct policy_view *view, struct bl_str glob,
			const struct bl_fact_effect *effect)
{
	bool is_wide =
		effect->details & (BL_FACT_IS_RECURSIVE | BL_FACT_IS_MOVE);

	for (size_t i = 0; is_wide && i < view->root_count; i++) {
		struct bl_str whole = absolute_glob(view, view->roots[i], glob);

		if (whole.ptr &&
		    bl_path_is_in(fixed_part(whole), effect->target.text))
			return true;
	}
	return false;
}

/* Of an unknown path all that is known: does it lead towards the glob? */
static bool may_lead_to(const struct policy_view *view, struct bl_str glob,
			struct bl_str prefix)
{
	for (size_t i = 0; i < view->root_count; i++) {
		struct bl_str whole = absolute_glob(view, view->roots[i], glob);
		struct bl_str fixed = fixed_part(whole);
		size_t len = prefix.len < fixed.len ? prefix.len : fixed.len;

		if (whole.ptr && (!len || !memcmp(prefix.ptr, fixed.ptr, len)))
			return true;
	}
	return false;
}

enum policy_match policy_effect_match(const struct policy_view *view,
				      struct bl_str glob,
				      const struct bl_fact_effect *effect)
{
	struct bl_str prefix = effect->target.prefix;

	if (!effect->is_path || effect->place == BL_FACT_PLACE_REMOTE)
		return POLICY_MATCH_NO;
	if (effect->target.state == BL_FACT_KNOWN)
		return policy_path_match(view, view->root_count, glob,
					 effect->target.text) ||
				       takes_along(view, glob, effect)
			       ? POLICY_MATCH_YES
			       : POLICY_MATCH_NO;
	if (effect->target.state == BL_FACT_PATTERN)
		prefix = fixed_part(effect->target.text);
	/* Reads from a folder that is not known are left to the packs. */
	if (!prefix.len && effect->kind == BL_FACT_READ)
		return POLICY_MATCH_NO;
	return may_lead_to(view, glob, prefix) ? POLICY_MATCH_MAYBE
					       : POLICY_MATCH_NO;
}

/* ---- hosts and refs ---------------------------------------------------------------- */

/* The host of "https://me@x.example:80/p", "git@x.example:p", "x.example". */
static struct bl_str host_of(struct bl_str address)
{
	size_t at = bl_str_find(address, BL_STR("://"), 0);
	struct bl_url url = { .path = { NULL, 0 } };
	size_t end = 0;

	if (at != SIZE_MAX)
		address = bl_str_slice(address, at + 3, SIZE_MAX);
	while (end < address.len && !strchr("/?#", address.ptr[end]))
		end++;
	url.authority = bl_str_slice(address, 0, end);
	bl_url_split_authority(&url);
	if (url.host.len && url.host.ptr[0] == '[')
		return bl_url_host(&url);
	/* The path of "git@x.example:a:b" may have colons. */
	return bl_str_slice(url.host, 0, bl_str_find(url.host, BL_STR(":"), 0));
}

bool policy_host_match(struct bl_str glob, struct bl_str address)
{
	struct bl_str host = host_of(address);
	char text[256];

	if (!host.len || host.len > sizeof(text))
		return false;
	if (host.ptr[host.len - 1] == '.')
		host.len--;
	for (size_t i = 0; i < host.len; i++)
		text[i] = bl_ascii_lower(host.ptr[i]);
	host.ptr = text;
	for (size_t from = 0; from < host.len; from++)
		if ((!from || host.ptr[from - 1] == '.') &&
		    bl_wildcard_match(glob, bl_str_slice(host, from, SIZE_MAX),
				      0))
			return true;
	return false;
}

struct bl_str policy_branch_of(struct bl_str ref)
{
	static const char *const prefixes[] = { "+", "refs/heads/",
						"refs/tags/", "heads/" };
	const char *colon = ref.len ? memchr(ref.ptr, ':', ref.len) : NULL;

	if (colon && (size_t)(colon - ref.ptr) + 1 < ref.len)
		ref = bl_str_slice(ref, (size_t)(colon - ref.ptr) + 1,
				   SIZE_MAX);
	for (size_t i = 0; i < BL_COUNT(prefixes); i++)
		if (bl_str_has_prefix(ref, bl_str(prefixes[i])))
			ref = bl_str_slice(ref, strlen(prefixes[i]), SIZE_MAX);
	return ref;
}

enum { MAX_UP = 64, HEAD_BYTES = 4096 };

/* The branch that HEAD of the folder's repository names; ptr NULL: not known. */
static struct bl_str current_branch(const struct policy_view *view,
				    struct bl_str folder)
{
	struct bl_str ref = BL_STR("ref: refs/heads/");
	struct bl_str text;

	for (int i = 0; i < MAX_UP; i++, folder = bl_path_dir(folder)) {
		struct bl_str git =
			bl_path_join(view->arena, folder, BL_STR(".git"));
		struct bl_str head =
			git.ptr ? bl_path_join(view->arena, git, BL_STR("HEAD"))
				: git;

		if (head.ptr &&
		    !bl_os_read_file(head, 0, HEAD_BYTES, view->arena, &text,
				     NULL, NULL)) {
			text = bl_str_trim(text);
			if (bl_str_has_prefix(text, ref))
				return bl_str_slice(text, ref.len, SIZE_MAX);
			break;
		}
		if (folder.len <= 1)
			break;
	}
	return (struct bl_str){ NULL, 0 };
}

/* Does the line itself change the branch before it pushes? */
static bool changes_branch(const struct bl_facts *facts, size_t before)
{
	static const char *const rows[] = { "git checkout", "git switch",
					    "git branch", "git symbolic-ref" };

	for (size_t i = 0; i < before; i++)
		for (size_t j = 0; j < BL_COUNT(rows); j++)
			if (bl_str_is(facts->commands[i].row, rows[j]))
				return true;
	return false;
}

static enum policy_match pushes_current(const struct policy_view *view,
					size_t index, struct bl_str glob)
{
	const struct bl_fact_command *command = &view->facts->commands[index];
	struct bl_str branch = { NULL, 0 };

	if (command->cwd.state == BL_FACT_KNOWN &&
	    !changes_branch(view->facts, index))
		branch = current_branch(view, command->cwd.text);
	if (!branch.ptr)
		return POLICY_MATCH_MAYBE;
	return bl_wildcard_match(glob, branch, 0) ? POLICY_MATCH_YES
						  : POLICY_MATCH_NO;
}

static bool has_option(const struct bl_fact_command *command, const char *name)
{
	for (size_t i = 0; i < command->option_count; i++)
		if (bl_str_is(command->options[i].name, name))
			return true;
	return false;
}

static enum policy_match match_push(const struct policy_view *view,
				    size_t index, struct bl_str glob)
{
	const struct bl_fact_command *command = &view->facts->commands[index];
	enum policy_match best = POLICY_MATCH_NO;

	if (has_option(command, "all") || has_option(command, "mirror"))
		return POLICY_MATCH_YES;
	if (command->operand_count < 2)
		return pushes_current(view, index, glob);
	for (size_t i = 1; i < command->operand_count; i++) {
		const struct bl_fact_text *word = &command->operands[i];
		struct bl_str branch = policy_branch_of(word->text);
		enum policy_match one = POLICY_MATCH_NO;

		if (word->state == BL_FACT_UNKNOWN)
			one = POLICY_MATCH_MAYBE;
		else if (bl_str_is(branch, "HEAD") || bl_str_is(branch, "@"))
			one = pushes_current(view, index, glob);
		else if (bl_wildcard_match(glob, branch, 0))
			one = POLICY_MATCH_YES;
		best = one > best ? one : best;
	}
	return best;
}

enum policy_match policy_goes_to(const struct policy_view *view, size_t index,
				 struct bl_str glob)
{
	const struct bl_fact_command *command = &view->facts->commands[index];
	enum policy_match best = POLICY_MATCH_NO;

	if (bl_str_is(command->row, "git push")) {
		best = match_push(view, index, glob);
		if (best == POLICY_MATCH_YES)
			return best;
	}
	for (size_t i = 0; i < view->facts->effect_count; i++) {
		const struct bl_fact_effect *effect = &view->facts->effects[i];

		if (effect->command != index || !effect->has_target ||
		    effect->is_path)
			continue;
		if (effect->target.state == BL_FACT_UNKNOWN)
			best = POLICY_MATCH_MAYBE;
		else if (policy_host_match(glob, effect->target.text) ||
			 bl_wildcard_match(
				 glob, policy_branch_of(effect->target.text),
				 0))
			return POLICY_MATCH_YES;
	}
	return best;
}

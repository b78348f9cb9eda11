/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/place.c: where a path lies, whether it holds secrets or guards belay
 * and the agents, and which places it contains; by tables.
 */
#include "effects/private.h"
#include "text/text.h"

enum where { BASE, STARTS, ENDS, HOME, ROOT };

static const struct {
	enum where where;
	struct bl_str text;
	const char *confidence; /* "": it is not a secret */
} secrets[] = {
#define SECRET(where, text, confidence)                                        \
	{ where, { text, sizeof(text) - 1 }, confidence },
#include "effects/secrets.def"
#undef SECRET
};

static const struct {
	struct bl_str path;
	const char *what;
} guards[] = {
#define GUARD(path, what) { { path, sizeof(path) - 1 }, what },
#include "effects/guards.def"
#undef GUARD
};

static const char *const system_folders[] = {
	"/bin",    "/boot",    "/etc",          "/lib",     "/lib32", "/lib64",
	"/opt",    "/sbin",    "/srv",          "/usr",     "/var",   "/root",
	"/System", "/Library", "/Applications", "/private", "/snap",  "/nix",
};

static const char *const sinks[] = {
	"/dev/null",   "/dev/zero",    "/dev/full",     "/dev/tty",
	"/dev/stdin",  "/dev/stdout",  "/dev/stderr",   "/dev/fd",
	"/dev/random", "/dev/urandom", "/proc/self/fd", "/dev/pts",
};

/* Is path folder or below it? */
static bool is_below(struct bl_str path, struct bl_str folder)
{
	while (folder.len > 1 && folder.ptr[folder.len - 1] == '/')
		folder.len--;
	if (!folder.len || !bl_str_has_prefix(path, folder))
		return false;
	return path.len == folder.len || folder.len == 1 ||
	       path.ptr[folder.len] == '/';
}

static bool is_in(struct bl_str path, const char *const *folders, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_below(path, bl_str(folders[i])))
			return true;
	}
	return false;
}

bool effects_is_in_workspace(const struct bl_effects_input *input,
			     struct bl_str path)
{
	for (size_t i = 0; i < input->workspace_count; i++) {
		if (is_below(path, input->workspaces[i]))
			return true;
	}
	return false;
}

static struct bl_str temp_variable(const struct bl_effects_input *input)
{
	for (size_t i = 0; i < input->environment_count; i++) {
		if (bl_str_is(input->environment[i].name, "TMPDIR"))
			return input->environment[i].value;
	}
	return (struct bl_str){ NULL, 0 };
}

/* Below a folder of temporary files, and not in a home folder that is below it too. */
static bool is_temp(const struct bl_effects_input *input, struct bl_str path,
		    bool itself)
{
	struct bl_str folders[] = { BL_STR("/tmp"), BL_STR("/var/tmp"),
				    BL_STR("/private/tmp"), BL_STR("/dev/shm"),
				    temp_variable(input) };

	for (size_t i = 0; i < BL_COUNT(folders); i++) {
		if (is_below(path, input->home) &&
		    is_below(input->home, folders[i]))
			continue;
		if (folders[i].len > 1 && is_below(path, folders[i]) &&
		    (path.len == folders[i].len) == itself)
			return true;
	}
	return false;
}

static enum bl_fact_place place_of(const struct bl_effects_input *input,
				   struct bl_str path)
{
	if (is_in(path, sinks, BL_COUNT(sinks)))
		return BL_FACT_PLACE_SINK;
	if (effects_is_in_workspace(input, path))
		return BL_FACT_PLACE_WORKSPACE;
	if (is_temp(input, path, false))
		return BL_FACT_PLACE_TEMP;
	if (is_below(path, BL_STR("/dev")) || is_below(path, BL_STR("/sys")) ||
	    is_below(path, BL_STR("/proc")))
		return BL_FACT_PLACE_DEVICE;
	if (is_below(path, input->home))
		return BL_FACT_PLACE_HOME;
	if (path.len == 1 || is_temp(input, path, true) ||
	    bl_str_is(path, "/home") || bl_str_is(path, "/Users") ||
	    is_in(path, system_folders, BL_COUNT(system_folders)))
		return BL_FACT_PLACE_SYSTEM;
	return BL_FACT_PLACE_OTHER;
}

/* ---- secrets ----------------------------------------------------------------- */

static struct bl_str base_of(struct bl_str path)
{
	size_t at = path.len;

	while (at && path.ptr[at - 1] != '/')
		at--;
	return bl_str_slice(path, at, SIZE_MAX);
}

/* text below folder, without the slash between; ptr NULL: it is not below. */
static struct bl_str below(struct bl_str path, struct bl_str folder)
{
	if (!folder.len || !is_below(path, folder) || path.len <= folder.len)
		return (struct bl_str){ NULL, 0 };
	return bl_str_slice(path, folder.len + 1, SIZE_MAX);
}

/* Can text be where the row says?  Its first byte, or its last, tells most. */
static bool may_fit(size_t i, struct bl_str path, struct bl_str base,
		    struct bl_str in_home)
{
	struct bl_str text = secrets[i].text;

	switch (secrets[i].where) {
	case BASE:
	case STARTS:
		return base.len >= text.len && base.ptr[0] == text.ptr[0];
	case ENDS:
		return base.len > text.len &&
		       base.ptr[base.len - 1] == text.ptr[text.len - 1];
	case HOME:
		return in_home.len && in_home.ptr[0] == text.ptr[0];
	case ROOT:
		return path.len > 1 && text.len > 1 &&
		       path.ptr[1] == text.ptr[1];
	}
	return false;
}

static bool fits(const struct bl_effects_input *input, size_t i,
		 struct bl_str path, struct bl_str base, struct bl_str in_home)
{
	struct bl_str text = secrets[i].text;

	if (!may_fit(i, path, base, in_home))
		return false;
	switch (secrets[i].where) {
	case BASE:
		if (bl_str_is(text, "environ"))
			return bl_str_equal(base, text) &&
			       is_below(path, BL_STR("/proc"));
		return bl_str_equal(base, text);
	case STARTS:
		return base.len > text.len && bl_str_has_prefix(base, text);
	case ENDS:
		return base.len > text.len && bl_str_has_suffix(base, text);
	case HOME:
		/* id_ stands for all that begins with it. */
		return in_home.ptr && (is_below(in_home, text) ||
				       (text.ptr[text.len - 1] == '_' &&
					bl_str_has_prefix(in_home, text)));
	case ROOT:
		/* The home of root is not foreign to root. */
		return is_below(path, text) && !bl_str_equal(text, input->home);
	}
	return false;
}

/* Endings of copies: a copy is as secret as what it was made of. */
static const char *const copy_endings[] = {
	".bak",   ".backup", ".old",  ".orig", ".save",
	".saved", ".tmp",    ".copy", ".swp",  ".disabled",
	"~",      ".1",      ".prev", ".gz",   ".zip",
};

static struct bl_str original_of(struct bl_str path)
{
	size_t length = base_of(path).len;

	for (size_t i = 0; i < BL_COUNT(copy_endings); i++) {
		struct bl_str ending = bl_str(copy_endings[i]);

		if (length > ending.len && bl_str_has_suffix(path, ending))
			return bl_str_slice(path, 0, path.len - ending.len);
	}
	return path;
}

static struct bl_str secret_of(const struct bl_effects_input *input,
			       struct bl_str copy)
{
	struct bl_str path = original_of(copy);
	struct bl_str base = base_of(path);
	struct bl_str in_home = below(path, input->home);

	for (size_t i = 0; i < BL_COUNT(secrets); i++) {
		if (fits(input, i, path, base, in_home))
			return bl_str(secrets[i].confidence);
	}
	return (struct bl_str){ NULL, 0 };
}

/*
 * A folder of the home folder that is read with all below: what it holds of
 * secrets.  Folders that hold everybody's settings are not one program's.
 */
static struct bl_str secret_below(const struct bl_effects_input *input,
				  struct bl_str folder)
{
	static const char *const shared[] = { ".config", ".local",
					      ".local/share", ".cache",
					      "Library" };
	struct bl_str in_home = below(folder, input->home);

	for (size_t i = 0; i < BL_COUNT(shared); i++)
		if (bl_str_is(in_home, shared[i]))
			return (struct bl_str){ NULL, 0 };
	for (size_t i = 0; in_home.len && i < BL_COUNT(secrets); i++) {
		if (secrets[i].where == HOME && secrets[i].confidence[0] &&
		    is_below(secrets[i].text, in_home))
			return bl_str(secrets[i].confidence);
	}
	return (struct bl_str){ NULL, 0 };
}

/* As above for a glob: what it would match among names of secrets. */
static struct bl_str secret_like(const struct bl_effects_input *input,
				 struct bl_str path)
{
	struct bl_str base = base_of(path);
	struct bl_str found = secret_of(input, path);

	/* *.json is of any name. */
	if (base.len && base.ptr[0] == '*' &&
	    (base.len == 1 || base.ptr[1] == '.'))
		return found;

	for (size_t i = 0; i < BL_COUNT(secrets) && !found.len; i++) {
		bool matches = false;

		if (secrets[i].where == BASE && secrets[i].confidence[0])
			bl_shell_match(base, secrets[i].text,
				       BL_SHELL_MATCH_PERIOD, &matches);
		if (matches)
			found = bl_str(secrets[i].confidence);
	}
	return found;
}

bool effects_is_secret(struct effects_walk *walk,
		       const struct effects_path *path)
{
	return path->state == BL_FACT_KNOWN && walk->where == BL_FACT_HERE &&
	       secret_of(walk->input, effects_str(path->text)).len;
}

static struct bl_str folder_of(struct bl_str path)
{
	size_t len = path.len - base_of(path).len;

	return bl_str_slice(path, 0, len > 1 ? len - 1 : len);
}

/* ---- guards -------------------------------------------------------------------- */

/* The pattern without its * part is below path: path holds it. */
static bool holds(struct bl_str path, struct bl_str pattern)
{
	return is_below(pattern, path) && pattern.len > path.len;
}

enum guarding { GUARDS_NOT, GUARDS, GUARD_HOLDS };

static enum guarding compare(struct bl_str relative, struct bl_str pattern)
{
	if (!relative.len || (pattern.len && pattern.ptr[0] != '*' &&
			      pattern.ptr[0] != relative.ptr[0]))
		return GUARDS_NOT;
	if (bl_wildcard_match(pattern, relative,
			      BL_WILDCARD_PATH | BL_WILDCARD_BELOW))
		return GUARDS;
	return holds(relative, pattern) ? GUARD_HOLDS : GUARDS_NOT;
}

/* A path as seen from the folders that guards may begin with. */
struct seen {
	struct bl_str path;
	struct bl_str in_home; /* ptr NULL: it is not below it */
	bool holds_home;
	const struct bl_str *in_workspaces; /* the same, of each */
	size_t workspace_count;
	bool is_in_workspace; /* below one */
	bool holds_workspace;
};

static struct seen see(struct bl_arena *arena,
		       const struct bl_effects_input *input, struct bl_str path)
{
	struct bl_str *each = bl_arena_new_array(arena, struct bl_str,
						 input->workspace_count + 1);
	struct seen seen = { .path = path,
			     .in_home = below(path, input->home),
			     .holds_home = is_below(input->home, path),
			     .in_workspaces = each };

	for (size_t i = 0; each && i < input->workspace_count; i++) {
		each[seen.workspace_count++] =
			below(path, input->workspaces[i]);
		seen.is_in_workspace |= each[i].ptr != NULL;
		seen.holds_workspace |= is_below(input->workspaces[i], path);
	}
	return seen;
}

static enum guarding check_guard(const struct seen *seen, struct bl_str pattern)
{
	enum guarding best = seen->holds_workspace ? GUARD_HOLDS : GUARDS_NOT;

	if (pattern.len && pattern.ptr[0] == '/')
		return compare(seen->path, pattern);
	if (bl_str_has_prefix(pattern, BL_STR("~/")))
		return seen->holds_home
			       ? GUARD_HOLDS
			       : compare(seen->in_home,
					 bl_str_slice(pattern, 2, SIZE_MAX));
	for (size_t i = 0; i < seen->workspace_count && best != GUARDS; i++) {
		enum guarding one = compare(seen->in_workspaces[i], pattern);

		if (one != GUARDS_NOT)
			best = one;
	}
	return best;
}

bool effects_guard(size_t n, struct bl_str *out_pattern)
{
	if (n >= BL_COUNT(guards))
		return false;
	*out_pattern = guards[n].path;
	return true;
}

static void note_guard(struct bl_fact_effect *effect, enum guarding guarding,
		       struct bl_str what)
{
	if (guarding == GUARDS && !effect->guard.len)
		effect->guard = what;
	if (guarding == GUARD_HOLDS)
		effect->holds |= BL_FACT_HOLDS_GUARD;
}

static void find_guards(struct effects_walk *walk, struct bl_str path,
			struct bl_fact_effect *effect)
{
	const struct bl_effects_input *input = walk->input;
	struct seen seen = see(walk->arena, input, path);
	bool is_far = !seen.in_home.ptr && !seen.holds_home &&
		      !seen.is_in_workspace && !seen.holds_workspace;

	for (size_t i = 0; i < input->guard_count; i++)
		note_guard(effect, check_guard(&seen, input->guards[i].path),
			   input->guards[i].what);
	for (size_t i = 0; i < BL_COUNT(guards); i++)
		if (!is_far || guards[i].path.ptr[0] == '/')
			note_guard(effect, check_guard(&seen, guards[i].path),
				   bl_str(guards[i].what));
}

/* Some names of what lies below belay's own folders. */
static bool is_own_name(struct bl_str glob, const char *what)
{
	static const char *const names[] = { "rulebook.yml", "guard.rego",
					     "policies",     "trust.json",
					     "trusted",      "allowances",
					     "log.jsonl" };
	bool matches = false;

	if (strcmp(what, "config") != 0 && strcmp(what, "log") != 0)
		return false;
	for (size_t i = 0; i < BL_COUNT(names) && !matches; i++)
		bl_shell_match(glob, bl_str(names[i]), 0, &matches);
	return matches;
}

/* A guarded path, "*" in its last part, below what find goes through. */
static bool is_found(struct effects_walk *walk, struct bl_str guarded,
		     const char *what, struct bl_str folder, struct bl_str name)
{
	struct bl_str base = base_of(guarded);
	size_t star = bl_str_find(base, BL_STR("*"), 0);
	bool matches = false;

	if (!is_below(guarded, folder))
		return false;
	if (star != SIZE_MAX)
		base = bl_arena_printf(walk->arena, "%.*s%.*s", (int)star,
				       base.ptr, (int)(base.len - star - 1),
				       base.ptr + star + 1);
	bl_shell_match(name, base, 0, &matches);
	return (matches || is_own_name(name, what)) &&
	       effects_look(walk,
			    star == SIZE_MAX ? guarded : folder_of(guarded)) !=
		       BL_EFFECTS_FILE_MISSING;
}

/* The path of guard i as seen from root: the home, a workspace, or nothing. */
static struct bl_str guarded_path(struct effects_walk *walk, size_t i,
				  struct bl_str root)
{
	struct bl_str rest = guards[i].path;

	if (rest.ptr[0] == '/')
		return rest;
	if (bl_str_has_prefix(rest, BL_STR("~/")))
		rest = bl_str_slice(rest, 2, SIZE_MAX);
	return bl_arena_printf(walk->arena, "%.*s/%.*s", BL_STR_ARG(root),
			       BL_STR_ARG(rest));
}

/* find FOLDER -name NAME, which deletes or changes what it finds. */
static void find_deep_guards(struct effects_walk *walk, struct bl_str path,
			     struct bl_fact_effect *effect)
{
	const struct bl_effects_input *input = walk->input;
	struct bl_str folder = folder_of(path);
	struct bl_str name = base_of(path);

	for (size_t i = 0; i < BL_COUNT(guards) && !effect->guard.len; i++) {
		char first = guards[i].path.ptr[0];
		bool is_relative = first != '/' && first != '~';
		size_t count = is_relative ? input->workspace_count : 1;

		for (size_t j = 0; j < count; j++) {
			struct bl_str guarded =
				guarded_path(walk, i,
					     is_relative ? input->workspaces[j]
							 : input->home);

			if (is_found(walk, guarded, guards[i].what, folder,
				     name))
				note_guard(effect, GUARDS,
					   bl_str(guards[i].what));
		}
	}
}

/* ---- what a folder holds ------------------------------------------------------- */

static bool is_git_part(struct bl_str path)
{
	size_t at = bl_str_find(path, BL_STR("/.git"), 0);

	return at != SIZE_MAX &&
	       (at + 5 == path.len || path.ptr[at + 5] == '/');
}

static uint32_t holds_of(const struct bl_effects_input *input,
			 struct bl_str path)
{
	uint32_t result = 0;

	if (path.len == 1)
		result |= BL_FACT_HOLDS_ROOT;
	if (input->home.len && is_below(input->home, path))
		result |= BL_FACT_HOLDS_HOME;
	for (size_t i = 0; i < input->workspace_count; i++) {
		if (is_below(input->workspaces[i], path))
			result |= BL_FACT_HOLDS_WORKSPACE;
	}
	if (is_git_part(path))
		result |= BL_FACT_HOLDS_GIT;
	if (is_below(BL_STR("/tmp"), path))
		result |= BL_FACT_HOLDS_TEMP;
	return result;
}

/* `*` and `.*` and the like take what stands at the folder's top. */
bool effects_takes_all(struct bl_str pattern)
{
	return bl_str_is(pattern, "*") || bl_str_is(pattern, ".*") ||
	       bl_str_is(pattern, "?*") || bl_str_is(pattern, ".??*") ||
	       bl_str_is(pattern, ".[!.]*");
}

void effects_place(struct effects_walk *walk, const struct effects_path *path,
		   struct bl_fact_effect *effect)
{
	struct bl_str text = effect->target.text;
	struct bl_str folder;
	size_t known;

	if (walk->where != BL_FACT_HERE) {
		effect->place = BL_FACT_PLACE_REMOTE;
		return;
	}
	if (path->text.origins & EFFECTS_FROM_FIND)
		find_deep_guards(walk, text, effect);
	if (path->state == BL_FACT_KNOWN) {
		effect->place = place_of(walk->input, text);
		effect->secret = secret_of(walk->input, text);
		if (!effect->secret.len && effect->kind == BL_FACT_READ &&
		    (effect->details & BL_FACT_IS_RECURSIVE))
			effect->secret = secret_below(walk->input, text);
		effect->holds = holds_of(walk->input, text);
		if (path->text.origins & EFFECTS_FROM_ALL) {
			effect->details |= BL_FACT_IS_ALL;
			effect->holds |= holds_of(walk->input, folder_of(text));
		}
		find_guards(walk, text, effect);
		return;
	}
	if (path->is_unknown_base)
		return;
	/* The known part is the folder in front of the first mark. */
	known = effects_known_prefix(path->text);
	while (known > 1 && path->text.ptr[known - 1] != '/')
		known--;
	folder = bl_str_slice(effects_str(path->text), 0,
			      known > 1 ? known - 1 : known);
	if (path->state == BL_FACT_PATTERN) {
		struct bl_str rest = bl_str_slice(text, known, SIZE_MAX);

		effect->place =
			folder.len > 1
				? place_of(walk->input,
					   bl_arena_printf(walk->arena,
							   "%.*s/x",
							   BL_STR_ARG(folder)))
				: BL_FACT_PLACE_SYSTEM;
		if (effects_takes_all(rest))
			effect->holds = holds_of(walk->input, folder);
		if (is_git_part(text))
			effect->holds |= BL_FACT_HOLDS_GIT;
		effect->secret = secret_like(walk->input, text);
		find_guards(walk, text, effect);
	} else if (folder.len > 1) {
		effect->secret = secret_of(walk->input, text);
		effect->place = place_of(walk->input,
					 bl_arena_printf(walk->arena, "%.*s/x",
							 BL_STR_ARG(folder)));
	}
}

/* ---- effects on paths ----------------------------------------------------------- */

/* The path if every unknown part is empty; empty: none may be. */
static struct bl_str at_worst(struct effects_walk *walk,
			      const struct effects_state *state,
			      struct effects_text text)
{
	struct effects_builder known;
	struct effects_path path;

	effects_builder_init(&known, walk->arena, UINT32_MAX);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i]) {
			effects_put(&known, text.ptr + i, 1);
			continue;
		}
		if (++i >= text.len)
			break;
		if ((unsigned char)text.ptr[i] < EFFECTS_HOLE)
			effects_put(&known, text.ptr + i, 1);
		else if (!walk->holes[(unsigned char)text.ptr[i] - EFFECTS_HOLE]
				  .may_be_empty)
			return (struct bl_str){ NULL, 0 };
	}
	if (!known.len)
		return (struct bl_str){ NULL, 0 };
	effects_path(walk, state, effects_built(&known), 0, &path);
	return effects_fact_text(walk, path.text).text;
}

/* A path of a container or of a mount as the path of this machine. */
static bool map_mount(struct effects_walk *walk, struct effects_path *path)
{
	const struct effects_mount *mount = walk->mounts;

	for (; mount && path->state == BL_FACT_KNOWN; mount = mount->next) {
		struct bl_str rest = effects_str(path->text);

		if (!is_below(rest, mount->there))
			continue;
		rest = bl_str_slice(rest, mount->there.len, SIZE_MAX);
		path->text = effects_text(bl_arena_printf(
			walk->arena, "%.*s%.*s", BL_STR_ARG(mount->here),
			BL_STR_ARG(rest)));
		return true;
	}
	return false;
}

/*
 * /Users/dev/x where there is no /Users: a line that was meant for another
 * machine.  A missing file in a folder that exists may be there by the time
 * that the line runs.
 */
static bool is_elsewhere(struct effects_walk *walk,
			 const struct effects_path *path)
{
	struct bl_str text = effects_str(path->text);
	struct bl_str top =
		bl_str_slice(text, 0, bl_str_find(text, BL_STR("/"), 1));

	return path->state == BL_FACT_KNOWN && top.len < text.len &&
	       effects_look(walk, top) == BL_EFFECTS_FILE_MISSING;
}

void effects_add_path(struct effects_walk *walk,
		      const struct effects_state *state, enum bl_fact_kind kind,
		      struct bl_str action, struct effects_text text,
		      uint32_t details, uint32_t origins,
		      struct bl_shell_span span)
{
	bool keeps_link = kind == BL_FACT_DELETE || (details & BL_FACT_IS_LINK);
	enum bl_fact_where where = walk->where;
	struct effects_path path;
	struct bl_fact_effect effect = { .kind = kind,
					 .action = action,
					 .has_target = true,
					 .is_path = true,
					 .details = details,
					 .origins = origins,
					 .span = span };

	if (walk->is_silent)
		return;
	effects_path(walk, state, text, keeps_link ? EFFECTS_PATH_KEEP_LINK : 0,
		     &path);
	if (where == BL_FACT_CONTAINED && map_mount(walk, &path))
		walk->where = BL_FACT_HERE;
	effect.target = effects_fact_text(walk, path.text);
	effect.origins |=
		effect.target.origins &
		(uint32_t) ~(BL_FACT_FROM_VARIABLE | BL_FACT_FROM_GENERATED);
	if (path.is_unknown_base)
		effect.target.state = BL_FACT_UNKNOWN;
	if (is_elsewhere(walk, &path))
		effect.details |= BL_FACT_IS_ELSEWHERE;
	if (path.is_linked)
		effect.details |= BL_FACT_IS_LINKED;
	if (effect.target.state == BL_FACT_UNKNOWN)
		effect.at_worst = at_worst(walk, state, text);
	effects_place(walk, &path, &effect);
	walk->where = where;
	effects_add(walk, &effect);
}

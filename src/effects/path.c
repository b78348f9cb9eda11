/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/path.c: words as paths: made absolute, `.` and `..` taken out, links
 * followed as the kernel follows them, by questions to the caller.
 *
 * A component with a mark is kept as it is; behind it links cannot be followed.
 * `out/x` in /work with the link /work/out to ../other:
 *
 *   /work        a folder
 *   /work/out    a link to ../other: the rest is ../other/x from /work
 *   /other       a folder
 *   /other/x     the result
 */
#include "effects/private.h"

enum {
	LINKS_MAX = 40,
	PATH_BYTES = 8192,
	FILE_BYTES = 256 << 10,
	/* Effects that are looked at before a glob is taken for a pattern. */
	TOUCHES = 256,
};

struct effects_look {
	enum bl_effects_file file;
	bool is_read;
	struct bl_str link; /* of a link; ptr NULL: not known */
	struct bl_str text; /* that was read; ptr NULL: it cannot be */
};

/* A path under way. */
struct way {
	struct effects_walk *walk;
	char bytes[PATH_BYTES]; /* "" is the root */
	size_t len;
	uint32_t links;
	bool is_marked; /* some component has a mark */
	bool is_too_long;
	bool keeps_last;
	bool leads_out; /* a link of a workspace was followed */
	enum bl_effects_file file;
	struct effects_text cwd;
};

static struct effects_look look(struct effects_walk *walk, struct bl_str path)
{
	const struct bl_effects_world *world = walk->input->world;
	struct effects_look *found;
	struct bl_str kept;
	uint32_t id;

	/* The targets of links below /dev and /proc belong to another process. */
	if (bl_str_has_prefix(path, BL_STR("/dev/")) ||
	    bl_str_has_prefix(path, BL_STR("/proc/")))
		return (struct effects_look){ .file = BL_EFFECTS_FILE_OTHER };
	kept = bl_arena_copy_str(walk->arena, path);
	found = bl_arena_new(walk->arena, struct effects_look);
	if (!kept.ptr || !found)
		return (struct effects_look){ 0 };
	id = effects_name_id(walk->arena, &walk->paths, kept);
	if (effects_map_get(walk->looks, id))
		return *(const struct effects_look *)effects_map_get(
			walk->looks, id);
	if (!world || !world->look)
		return (struct effects_look){ 0 };
	found->file = world->look(world->context, kept);
	if (found->file == BL_EFFECTS_FILE_LINK && world->follow)
		found->link = world->follow(world->context, walk->arena, kept);
	walk->looks = effects_map_set(walk->arena, walk->looks, id, found);
	return *found;
}

void effects_link(struct effects_walk *walk, struct bl_str path,
		  struct bl_str target)
{
	struct effects_look *made =
		bl_arena_new(walk->arena, struct effects_look);

	if (!made)
		return;
	*made = (struct effects_look){ .file = BL_EFFECTS_FILE_LINK,
				       .link = target };
	walk->looks = effects_map_set(
		walk->arena, walk->looks,
		effects_name_id(walk->arena, &walk->paths, path), made);
}

enum bl_effects_file effects_look(struct effects_walk *walk, struct bl_str path)
{
	return look(walk, path).file;
}

static void go(struct way *way, const char *ptr, size_t len);

/* The component that was added is a link: go where it points. */
static void go_link(struct way *way, size_t before, struct bl_str link)
{
	bool keeps_last = way->keeps_last;

	if (++way->links > LINKS_MAX)
		return;
	way->len = link.len && link.ptr[0] == '/' ? 0 : before;
	way->keeps_last = false; /* this link is followed to its end */
	go(way, link.ptr, link.len);
	way->keeps_last = keeps_last;
}

/*
 * /proc/self/root is the root, /proc/self/cwd the folder of the command; ptr
 * NULL: the path is neither.  The root of another process is taken for the same.
 */
static struct bl_str process_link(const struct way *way)
{
	struct bl_str path = { way->bytes, way->len };

	if (!bl_str_has_prefix(path, BL_STR("/proc/")))
		return (struct bl_str){ NULL, 0 };
	if (bl_str_has_suffix(path, BL_STR("/root")))
		return BL_STR("/");
	if (bl_str_has_suffix(path, BL_STR("/cwd")) &&
	    bl_str_find(path, BL_STR("self/"), 0) != SIZE_MAX &&
	    effects_is_known(way->cwd))
		return effects_str(way->cwd);
	return (struct bl_str){ NULL, 0 };
}

static void add(struct way *way, const char *ptr, size_t len, bool is_last)
{
	size_t before = way->len;
	struct effects_look found;

	if (way->len + len + 2 > sizeof(way->bytes)) {
		way->is_too_long = true;
		return;
	}
	way->bytes[way->len++] = '/';
	memcpy(way->bytes + way->len, ptr, len);
	way->len += len;
	if (memchr(ptr, 0, len))
		way->is_marked = true;
	if (way->is_marked)
		return;
	found = look(way->walk, (struct bl_str){ way->bytes, way->len });
	if (found.file == BL_EFFECTS_FILE_OTHER) {
		found.link = process_link(way);
		if (found.link.ptr)
			found.file = BL_EFFECTS_FILE_LINK;
	}
	way->file = found.file;
	if (found.file != BL_EFFECTS_FILE_LINK || !found.link.ptr ||
	    (is_last && way->keeps_last))
		return;
	way->leads_out |= effects_is_in_workspace(
		way->walk->input, (struct bl_str){ way->bytes, way->len });
	go_link(way, before, found.link);
}

static void leave(struct way *way)
{
	while (way->len && way->bytes[--way->len] != '/')
		;
	way->file = BL_EFFECTS_FILE_FOLDER;
}

static void go(struct way *way, const char *ptr, size_t len)
{
	size_t i = 0;

	while (i < len && !way->is_too_long) {
		size_t from;

		while (i < len && ptr[i] == '/')
			i++;
		from = i;
		while (i < len && ptr[i] != '/')
			i++;
		if (i == from || (i - from == 1 && ptr[from] == '.'))
			continue;
		if (i - from == 2 && ptr[from] == '.' && ptr[from + 1] == '.')
			leave(way);
		else
			add(way, ptr + from, i - from, i == len);
	}
}

static struct effects_text finish(struct way *way, uint32_t origins)
{
	struct effects_text text = { "/", 1, origins };
	char *bytes;

	if (!way->len)
		return text;
	bytes = bl_arena_alloc_aligned(way->walk->arena, way->len + 1, 1);
	if (!bytes)
		return text;
	memcpy(bytes, way->bytes, way->len);
	bytes[way->len] = 0;
	return (struct effects_text){ bytes, (uint32_t)way->len, origins };
}

/* Does an unknown part stand where it may be or hide the root? */
static bool begins_unknown(struct effects_text text)
{
	return text.len > 1 && !text.ptr[0] &&
	       (unsigned char)text.ptr[1] >= EFFECTS_HOLE;
}

void effects_path(struct effects_walk *walk, const struct effects_state *state,
		  struct effects_text text, uint32_t flags,
		  struct effects_path *out)
{
	struct effects_text cwd = effects_cwd(walk, state);
	bool is_absolute = text.len && text.ptr[0] == '/';
	struct way way;

	*out = (struct effects_path){ .text = text };
	if (begins_unknown(text) ||
	    (!is_absolute && (!cwd.ptr || begins_unknown(cwd)))) {
		out->is_unknown_base = true;
		out->state = BL_FACT_UNKNOWN;
		return;
	}
	way.walk = walk;
	way.cwd = cwd;
	way.len = 0;
	way.links = 0;
	way.is_marked = false;
	way.is_too_long = false;
	way.keeps_last = false;
	way.leads_out = false;
	way.file = BL_EFFECTS_FILE_FOLDER;
	if (!is_absolute)
		go(&way, cwd.ptr, cwd.len);
	way.keeps_last = (flags & EFFECTS_PATH_KEEP_LINK) &&
			 !(text.len && text.ptr[text.len - 1] == '/');
	go(&way, text.ptr, text.len);
	out->text = finish(&way, text.origins);
	out->state =
		way.is_too_long ? BL_FACT_UNKNOWN : effects_state_of(out->text);
	out->file = way.is_marked ? BL_EFFECTS_FILE_UNKNOWN : way.file;
	out->is_linked =
		way.leads_out &&
		!effects_is_in_workspace(walk->input, effects_str(out->text));
}

/* ---- what the line wrote ----------------------------------------------------- */

const struct effects_file *effects_file_find(struct effects_walk *walk,
					     struct bl_str path)
{
	return effects_map_get(
		walk->files, effects_name_id(walk->arena, &walk->paths, path));
}

void effects_file_put(struct effects_walk *walk, struct bl_str path,
		      struct effects_text content, bool is_append)
{
	const struct effects_file *old = effects_file_find(walk, path);
	struct effects_file *file =
		bl_arena_new(walk->arena, struct effects_file);

	if (!file)
		return;
	if (old && is_append && old->count) {
		*file = *old;
		for (uint32_t i = 0; i < file->count; i++)
			file->contents[i] = effects_join(
				walk->arena, old->contents[i], content);
	} else if (old && walk->is_maybe &&
		   old->count < BL_COUNT(file->contents)) {
		*file = *old;
		file->contents[file->count++] = content;
	} else {
		if (is_append)
			content = effects_join(walk->arena,
					       effects_hole(walk, BL_STR("..."),
							    BL_FACT_FROM_FILE,
							    true),
					       content);
		file->contents[file->count++] = content;
	}
	file->is_mine = true;
	walk->files = effects_map_set(
		walk->arena, walk->files,
		effects_name_id(walk->arena, &walk->paths, path), file);
}

/* The text of a file.  The disk is read once, however often it is asked for. */
static struct bl_str read_once(struct effects_walk *walk, struct bl_str path)
{
	const struct bl_effects_world *world = walk->input->world;
	uint32_t id = effects_name_id(walk->arena, &walk->paths, path);
	const struct effects_look *known = effects_map_get(walk->looks, id);
	struct effects_look *found;

	if (known && known->is_read)
		return known->text;
	found = bl_arena_new(walk->arena, struct effects_look);
	if (!found)
		return (struct bl_str){ NULL, 0 };
	if (known)
		*found = *known;
	found->file = BL_EFFECTS_FILE_REGULAR;
	found->is_read = true;
	found->text =
		world->read(world->context, walk->arena, path, FILE_BYTES);
	walk->looks = effects_map_set(walk->arena, walk->looks, id, found);
	return found->text;
}

bool effects_content(struct effects_walk *walk, const struct effects_path *path,
		     struct effects_text *out)
{
	const struct bl_effects_world *world = walk->input->world;
	const struct effects_file *file;
	struct bl_str text;

	if (path->state != BL_FACT_KNOWN)
		return false;
	file = effects_file_find(walk, effects_str(path->text));
	if (file && file->count) {
		*out = file->contents[file->count - 1];
		return true;
	}
	if (!world || !world->read || path->file != BL_EFFECTS_FILE_REGULAR)
		return false;
	text = read_once(walk, effects_str(path->text));
	if (!text.ptr || (text.len && memchr(text.ptr, 0, text.len)))
		return false;
	*out = effects_text(text);
	out->origins |= BL_FACT_FROM_FILE;
	return true;
}

/* ---- globs --------------------------------------------------------------------- */

/* The last component of text as a pattern of lib/shell; ptr NULL: none. */
static struct bl_str component_pattern(struct effects_walk *walk,
				       struct effects_text text)
{
	struct effects_builder pattern;

	effects_builder_init(&pattern, walk->arena, PATH_BYTES);
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!c && i + 1 < text.len) {
			c = text.ptr[++i];
			if ((unsigned char)c >= EFFECTS_HOLE)
				return (struct bl_str){ NULL, 0 };
			effects_put(&pattern, &c, 1);
		} else if (c == '*' || c == '?' || c == '[' || c == '\\') {
			effects_put(&pattern, "\\", 1);
			effects_put(&pattern, &c, 1);
		} else {
			effects_put(&pattern, &c, 1);
		}
	}
	return effects_str(effects_built(&pattern));
}

/* A word that ends in FOLDER/[*] stands for all that is in the folder. */
static uint32_t all_of(struct effects_walk *walk, struct effects_text word,
		       size_t from)
{
	struct bl_str pattern =
		component_pattern(walk, effects_cut(word, from, word.len));

	return pattern.ptr && effects_takes_all(pattern) ? EFFECTS_FROM_ALL : 0;
}

static void add_match(struct effects_walk *walk, const struct effects_arg *arg,
		      struct effects_text head, struct bl_str name,
		      struct effects_text tail, struct effects_args *out)
{
	struct effects_text text =
		effects_join(walk->arena, head, effects_text(name));

	text = effects_join(walk->arena, text, tail);
	if (!out->count && !tail.len)
		text.origins |= all_of(walk, arg->text, head.len);
	effects_args_add(walk, out, text, arg->span);
}

/* Matches of the component from..to of the word; the rest may have marks. */
static bool glob_component(struct effects_walk *walk,
			   const struct effects_state *state,
			   const struct effects_arg *arg, size_t from,
			   size_t to, struct effects_args *out)
{
	const struct bl_effects_world *world = walk->input->world;
	struct bl_str pattern =
		component_pattern(walk, effects_cut(arg->text, from, to));
	struct effects_text head = effects_cut(arg->text, 0, from);
	struct effects_path folder;
	const struct bl_str *names;
	size_t count;
	uint32_t flags = BL_SHELL_MATCH_PERIOD |
			 (state->has_extglob ? BL_SHELL_MATCH_EXTGLOB : 0);

	effects_path(walk, state, from ? head : effects_text(BL_STR(".")), 0,
		     &folder);
	if (!pattern.ptr || folder.state != BL_FACT_KNOWN)
		return false;
	if (folder.file == BL_EFFECTS_FILE_REGULAR)
		return true; /* nothing is below it */
	if (!world->list(world->context, walk->arena, effects_str(folder.text),
			 walk->limits.matches * 16, &names, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		bool matches = false;

		bl_shell_match(pattern, names[i], flags, &matches);
		if (matches && out->count >= walk->limits.matches)
			return false;
		if (matches)
			add_match(walk, arg, head, names[i],
				  effects_cut(arg->text, to, arg->text.len),
				  out);
	}
	return true;
}

/* Does a match stand for a file?  The line may have made it. */
static bool is_there(struct effects_walk *walk,
		     const struct effects_state *state,
		     struct effects_text text)
{
	struct effects_path path;

	effects_path(walk, state, text, EFFECTS_PATH_KEEP_LINK, &path);
	if (text.len && text.ptr[text.len - 1] == '/' &&
	    path.file == BL_EFFECTS_FILE_REGULAR)
		return false;
	return path.state != BL_FACT_KNOWN ||
	       path.file != BL_EFFECTS_FILE_MISSING ||
	       effects_file_find(walk, effects_str(path.text));
}

static bool is_below(struct bl_str path, struct bl_str top)
{
	return bl_str_has_prefix(path, top) &&
	       (path.len == top.len || bl_str_is(top, "/") ||
		path.ptr[top.len] == '/');
}

/* May the effect change which names are in the folder, or deeper? */
static bool changes_names(struct effects_walk *walk,
			  const struct bl_fact_effect *effect,
			  struct bl_str folder, bool is_deep)
{
	struct bl_str target = effect->target.text;
	bool is_delete = effect->kind == BL_FACT_DELETE;
	size_t parent = target.len;

	if ((effect->kind != BL_FACT_WRITE && !is_delete) || !effect->is_path)
		return false;
	if (effect->target.state != BL_FACT_KNOWN) {
		size_t known = 0;

		if (effect->target.state == BL_FACT_UNKNOWN)
			target = effect->target.prefix;
		while (known < target.len && !strchr("*?[", target.ptr[known]))
			known++;
		target = bl_str_slice(target, 0, known);
		return bl_str_has_prefix(target, folder) ||
		       bl_str_has_prefix(folder, target);
	}
	if (!is_delete && !(effect->details & BL_FACT_IS_RECURSIVE) &&
	    effects_look(walk, target) != BL_EFFECTS_FILE_MISSING)
		return false;
	while (parent && target.ptr[parent - 1] != '/')
		parent--;
	parent -= parent > 1;
	return is_below(folder, target) ||
	       (is_deep ? is_below(target, folder)
			: bl_str_equal(bl_str_slice(target, 0, parent),
				       folder));
}

/* Does an earlier command of the line change what the pattern matches? */
static bool is_touched(struct effects_walk *walk,
		       const struct effects_state *state,
		       const struct effects_arg *arg)
{
	size_t mark = effects_known_prefix(arg->text);
	size_t end = mark;
	bool is_deep;
	struct effects_path folder;

	while (end && arg->text.ptr[end - 1] != '/')
		end--;
	is_deep = memchr(arg->text.ptr + mark, '/', arg->text.len - mark);
	effects_path(walk, state,
		     end ? effects_cut(arg->text, 0, end)
			 : effects_text(BL_STR(".")),
		     0, &folder);
	if (folder.state != BL_FACT_KNOWN)
		return false;
	for (size_t i = 0; i < walk->effect_count && i < TOUCHES; i++) {
		if (changes_names(walk, &walk->effects[i],
				  effects_str(folder.text), is_deep))
			return true;
	}
	return walk->effect_count > TOUCHES;
}

/* Adds what the pattern matches; false: that cannot be known. */
static bool glob_from(struct effects_walk *walk,
		      const struct effects_state *state,
		      const struct effects_arg *arg, struct effects_args *out)
{
	size_t mark = effects_known_prefix(arg->text);
	struct effects_args matches = { 0 };
	size_t from = mark;
	size_t to = mark;

	while (from && arg->text.ptr[from - 1] != '/')
		from--;
	while (to < arg->text.len && arg->text.ptr[to] != '/')
		to++;
	if (!glob_component(walk, state, arg, from, to, &matches))
		return false;
	for (size_t i = 0; i < matches.count; i++) {
		struct effects_arg *match = &matches.items[i];

		if (!effects_is_known(match->text)) {
			if (!glob_from(walk, state, match, out))
				return false;
		} else if (to == arg->text.len ||
			   is_there(walk, state, match->text)) {
			effects_args_add(walk, out, match->text, match->span);
		}
	}
	return true;
}

bool effects_glob(struct effects_walk *walk, const struct effects_state *state,
		  const struct effects_arg *arg, struct effects_args *out)
{
	const struct bl_effects_world *world = walk->input->world;
	size_t count = out->count;

	if (!world || !world->list || state->no_globs ||
	    effects_state_of(arg->text) != BL_FACT_PATTERN ||
	    is_touched(walk, state, arg))
		return false;
	if (glob_from(walk, state, arg, out) && out->count > count)
		return true;
	out->count = count;
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/roles.c: what follows from the words of a command: from their roles
 * (roles.def), and from the clauses of its row.
 */
#include "effects/private.h"

static const struct effects_role roles[] = {
#define ROLE(id, name, way, kind, details, meaning)                            \
	{ name, EFFECTS_WAY_##way, BL_FACT_##kind, details },
#include "effects/roles.def"
#undef ROLE
};

const struct effects_role *effects_role_find(struct bl_str name)
{
	for (size_t i = 0; name.len && i < BL_COUNT(roles); i++) {
		if (name.ptr[0] == roles[i].name[0] &&
		    bl_str_is(name, roles[i].name))
			return &roles[i];
	}
	return NULL;
}

const struct effects_word *effects_word_of(const struct effects_run *run,
					   const char *role, size_t nth)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		if (bl_str_is(run->parsed.words[i].role, role) && !nth--)
			return &run->parsed.words[i];
	}
	return NULL;
}

/* ---- files ------------------------------------------------------------------ */

static void note_read(struct effects_run *run, uint32_t origins)
{
	run->prints |= origins;
	if ((origins & BL_FACT_FROM_SECRET) && run->walk->effect_count)
		run->effect = (uint32_t)run->walk->effect_count - 1;
}

static bool is_stdin(struct effects_text text)
{
	return effects_is(text, "-") || effects_is(text, "/dev/stdin") ||
	       effects_is(text, "/dev/fd/0");
}

struct effects_text effects_read(struct effects_run *run,
				 struct effects_text text)
{
	struct effects_walk *walk = run->walk;
	struct effects_path path;
	struct effects_text content;
	bool is_known;
	int descriptor;

	if (is_stdin(text))
		return effects_input(walk, &run->inside, &is_known);
	descriptor = effects_descriptor(text);
	if (descriptor >= 0 && run->inside.fds->items[descriptor].is_known)
		return run->inside.fds->items[descriptor].content;
	effects_path(walk, &run->inside, text, 0, &path);
	if (!effects_is_secret(walk, &path) &&
	    effects_content(walk, &path, &content))
		return content;
	content = effects_hole(walk, effects_fact_text(walk, text).text,
			       effects_is_secret(walk, &path)
				       ? BL_FACT_FROM_SECRET
				       : BL_FACT_FROM_FILE,
			       true);
	if (!walk->is_silent && walk->effect_count)
		walk->holes[(unsigned char)content.ptr[1] - EFFECTS_HOLE]
			.effect = (uint32_t)walk->effect_count - 1;
	return content;
}

static void add_read(struct effects_run *run, const struct effects_role *role,
		     const struct effects_word *word)
{
	struct effects_walk *walk = run->walk;
	uint32_t details = role->details | run->parsed.details;
	struct effects_path path;
	const struct effects_file *file;

	if (effects_mode(run->parsed.row, "@quiet"))
		details |= BL_FACT_IS_QUIET;
	effects_path(walk, &run->inside, word->text, 0, &path);
	file = path.state == BL_FACT_KNOWN
		       ? effects_file_find(walk, effects_str(path.text))
		       : NULL;
	if (!(file &&
	      bl_str_has_prefix(effects_str(path.text), BL_STR("/dev/fd/"))))
		effects_add_path(walk, &run->inside, BL_FACT_READ,
				 (struct bl_str){ NULL, 0 }, word->text,
				 details, 0, word->span);
	if (details & BL_FACT_IS_NAMES)
		return;
	if (file && file->count)
		note_read(run, file->contents[file->count - 1].origins |
				       BL_FACT_FROM_WRITTEN);
	if (effects_is_secret(walk, &path)) {
		if (role->details & BL_FACT_IS_QUIET)
			run->sends |= BL_FACT_FROM_SECRET;
		else if (!(details & BL_FACT_IS_QUIET))
			note_read(run, BL_FACT_FROM_SECRET);
	}
}

/* The state of a file that a program of the line changes. */
static void forget_content(struct effects_run *run, struct effects_text text,
			   struct effects_text content, bool is_append)
{
	struct effects_path path;

	effects_path(run->walk, &run->inside, text, 0, &path);
	if (path.state == BL_FACT_KNOWN)
		effects_file_put(run->walk, effects_str(path.text), content,
				 is_append);
}

static void add_write(struct effects_run *run, const struct effects_role *role,
		      const struct effects_word *word)
{
	uint32_t details = role->details | run->parsed.details;
	uint32_t kept =
		BL_FACT_IS_FOLDER | BL_FACT_IS_LINK | BL_FACT_IS_RECURSIVE;

	effects_add_path(run->walk, &run->inside, role->kind,
			 (struct bl_str){ NULL, 0 }, word->text, details,
			 run->sends, word->span);
	if (role->kind != BL_FACT_WRITE || (role->details & kept))
		return;
	forget_content(
		run, word->text,
		effects_hole(run->walk, run->parsed.row->name,
			     BL_FACT_FROM_GENERATED | run->sends | run->prints,
			     true),
		role->details & BL_FACT_IS_APPEND);
}

static struct effects_text base_of(struct effects_text text)
{
	size_t end = text.len;
	size_t at;

	while (end > 1 && text.ptr[end - 1] == '/')
		end--;
	at = end;
	while (at && text.ptr[at - 1] != '/')
		at--;
	return effects_cut(text, at, end);
}

/* ln A B, and B is a folder already: the link is B/A. */
static void add_link(struct effects_run *run, const struct effects_role *role,
		     const struct effects_word *word)
{
	struct bl_arena *arena = run->walk->arena;
	struct effects_text folder;
	struct effects_path path;

	effects_path(run->walk, &run->inside, word->text, 0, &path);
	if (path.state != BL_FACT_KNOWN ||
	    effects_look(run->walk, effects_str(path.text)) !=
		    BL_EFFECTS_FILE_FOLDER ||
	    effects_has(&run->parsed, "no-target-directory") ||
	    effects_has(&run->parsed, "no-dereference")) {
		add_write(run, role, word);
		return;
	}
	folder = effects_join(arena, word->text, effects_text(BL_STR("/")));
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		struct effects_word link = run->parsed.words[i];

		if (!bl_str_is(link.role, "names"))
			continue;
		link.text = effects_join(arena, folder, base_of(link.text));
		add_write(run, role, &link);
	}
}

/* sqlite3 FILE 'select ...': the file is read. */
static bool only_queries(const struct effects_run *run,
			 const struct effects_role *role)
{
	size_t queries = 0;

	if (!(role->details & BL_FACT_IS_EDIT) ||
	    !bl_str_is(run->parsed.lang, "sql"))
		return false;
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word *word = &run->parsed.words[i];

		if (bl_str_is(word->role, "sqlfile") ||
		    (bl_str_is(word->role, "sql") &&
		     !effects_sql_reads(word->text)))
			return false;
		queries += bl_str_is(word->role, "sql");
	}
	return queries > 0;
}

static void apply_path(struct effects_run *run, const struct effects_role *role,
		       const struct effects_word *word)
{
	if (is_stdin(word->text))
		return;
	if (only_queries(run, role))
		add_read(run, effects_role_find(BL_STR("read")), word);
	else if (role->kind == BL_FACT_READ)
		add_read(run, role, word);
	else if (role->details & BL_FACT_IS_LINK)
		add_link(run, role, word);
	else
		add_write(run, role, word);
}

static bool is_source(struct bl_str role)
{
	return bl_str_is(role, "source") || bl_str_is(role, "move") ||
	       bl_str_is(role, "copy");
}

static size_t count_sources(const struct effects_run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->parsed.word_count; i++)
		count += is_source(run->parsed.words[i].role);
	return count;
}

/* One source goes into a folder, or under a new name. */
static void put_into(struct effects_run *run, const struct effects_word *word,
		     struct effects_text target, bool is_folder)
{
	struct effects_walk *walk = run->walk;
	struct effects_word into = *word;
	struct effects_path path;
	struct effects_text content;
	uint32_t origins = 0;

	effects_path(walk, &run->inside, word->text, 0, &path);
	if (effects_is_secret(walk, &path))
		origins = BL_FACT_FROM_SECRET;
	if (is_folder) {
		into.text = effects_join(walk->arena, target,
					 effects_text(BL_STR("/")));
		into.text = effects_join(walk->arena, into.text,
					 base_of(word->text));
	} else {
		into.text = target;
	}
	if (effects_file_find(walk, effects_str(path.text)) ||
	    (path.state == BL_FACT_KNOWN && origins))
		content = effects_read(run, word->text);
	else
		content = effects_hole(
			walk,
			path.text.len ? effects_fact_text(walk, path.text).text
				      : BL_STR("..."),
			BL_FACT_FROM_FILE, true);
	if (path.state == BL_FACT_KNOWN &&
	    path.file == BL_EFFECTS_FILE_REGULAR && !origins)
		effects_content(walk, &path, &content);
	origins |= content.origins & ~(uint32_t)BL_FACT_FROM_FILE;
	effects_add_path(walk, &run->inside, BL_FACT_WRITE,
			 (struct bl_str){ NULL, 0 }, into.text,
			 run->parsed.details, origins, word->span);
	forget_content(run, into.text, content, false);
}

static void apply_into(struct effects_run *run, const struct effects_word *into)
{
	size_t sources = count_sources(run);
	struct effects_path path;
	bool is_folder;

	effects_path(run->walk, &run->inside, into->text, 0, &path);
	is_folder =
		(path.file == BL_EFFECTS_FILE_FOLDER && path.text.len &&
		 path.state == BL_FACT_KNOWN &&
		 effects_look(run->walk, effects_str(path.text)) ==
			 BL_EFFECTS_FILE_FOLDER) ||
		sources > 1 ||
		(into->text.len && into->text.ptr[into->text.len - 1] == '/');
	if (effects_has(&run->parsed, "no-target-directory"))
		is_folder = false;
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word *word = &run->parsed.words[i];

		if (is_source(word->role))
			put_into(run, word, into->text, is_folder);
	}
	if (!sources)
		effects_add_path(run->walk, &run->inside, BL_FACT_WRITE,
				 (struct bl_str){ NULL, 0 }, into->text,
				 run->parsed.details, 0, into->span);
}

/* ---- what goes over the network ---------------------------------------------- */

static void send_input(struct effects_run *run)
{
	bool is_known;
	struct effects_text text =
		effects_input(run->walk, &run->inside, &is_known);

	run->has_body = true;
	run->sends |= effects_fact_text(run->walk, text).origins;
}

static void send_file(struct effects_run *run, struct effects_text text,
		      struct bl_shell_span span)
{
	struct effects_text content;

	if (is_stdin(text)) {
		send_input(run);
		return;
	}
	effects_add_path(run->walk, &run->inside, BL_FACT_READ,
			 BL_STR("upload"), text, BL_FACT_IS_QUIET, 0, span);
	content = effects_read(run, text);
	run->has_body = true;
	run->sends |= effects_fact_text(run->walk, content).origins |
		      BL_FACT_FROM_FILE;
}

static void apply_data(struct effects_run *run, const struct effects_word *word)
{
	run->has_body = true;
	if (word->text.len && word->text.ptr[0] == '@')
		send_file(run, effects_cut(word->text, 1, word->text.len),
			  word->span);
	else
		run->sends |= effects_fact_text(run->walk, word->text).origins;
}

/* NAME=@FILE, NAME=<FILE, of an item NAME@FILE; what follows a ; is its type. */
static void apply_form(struct effects_run *run, const struct effects_word *word)
{
	const char *equals =
		word->text.len ? memchr(word->text.ptr, '=', word->text.len)
			       : NULL;
	const char *name_end =
		!equals && word->text.len && bl_str_is(word->role, "item")
			? memchr(word->text.ptr, '@', word->text.len)
			: NULL;
	size_t at = equals     ? (size_t)(equals - word->text.ptr) + 1
		    : name_end ? (size_t)(name_end - word->text.ptr)
			       : 0;
	struct effects_text value = effects_cut(word->text, at, word->text.len);
	const char *semicolon;

	run->has_body = true;
	if (value.len && (value.ptr[0] == '@' || value.ptr[0] == '<')) {
		semicolon = memchr(value.ptr, ';', value.len);
		send_file(run,
			  effects_cut(value, 1,
				      semicolon
					      ? (size_t)(semicolon - value.ptr)
					      : value.len),
			  word->span);
		return;
	}
	run->sends |= effects_fact_text(run->walk, word->text).origins;
}

/* file:///PATH: a file of this machine is shown. */
static bool apply_file_address(struct effects_run *run,
			       const struct effects_word *word)
{
	static const char scheme[] = "file://";
	struct effects_word file = *word;

	if (!bl_str_has_prefix(effects_str(word->text), bl_str(scheme)))
		return false;
	file.text = effects_cut(word->text, strlen(scheme), word->text.len);
	add_read(run, effects_role_find(BL_STR("read")), &file);
	return true;
}

static void apply_address(struct effects_run *run,
			  const struct effects_word *word)
{
	struct bl_fact_effect effect = { .kind = BL_FACT_NETWORK,
					 .has_target = true,
					 .span = word->span };

	if (apply_file_address(run, word))
		return;
	effect.target = effects_fact_text(run->walk, word->text);
	effect.details = run->parsed.details |
			 (run->has_body ? BL_FACT_IS_SEND | BL_FACT_IS_RECEIVE
					: BL_FACT_IS_RECEIVE);
	effect.origins = run->sends | effect.target.origins;
	if (effect.target.origins & BL_FACT_FROM_SECRET)
		effect.details |= BL_FACT_IS_SEND;
	effects_add(run->walk, &effect);
	run->prints |= BL_FACT_FROM_NETWORK;
}

/* HOST:PATH, but not ./a:b; URLs of rsync and rclone's REMOTE:PATH too. */
static bool is_remote_path(struct effects_text text)
{
	const char *colon = text.len ? memchr(text.ptr, ':', text.len) : NULL;
	const char *slash = text.len ? memchr(text.ptr, '/', text.len) : NULL;

	return colon && colon != text.ptr && (!slash || colon < slash);
}

static void apply_copies(struct effects_run *run)
{
	const struct effects_word *last = NULL;
	struct effects_run *r = run;

	for (size_t i = 0; i < r->parsed.word_count; i++) {
		if (bl_str_is(r->parsed.words[i].role, "copy"))
			last = &r->parsed.words[i];
	}
	for (size_t i = 0; last && i < r->parsed.word_count; i++) {
		const struct effects_word *word = &r->parsed.words[i];

		if (!bl_str_is(word->role, "copy") || word == last)
			continue;
		if (is_remote_path(word->text)) {
			apply_address(r, word);
		} else {
			effects_add_path(r->walk, &r->inside, BL_FACT_READ,
					 (struct bl_str){ NULL, 0 }, word->text,
					 BL_FACT_IS_QUIET | r->parsed.details,
					 0, word->span);
			r->sends |=
				effects_fact_text(r->walk,
						  effects_read(r, word->text))
					.origins |
				BL_FACT_FROM_FILE;
			r->has_body = true;
		}
	}
	if (!last)
		return;
	if (is_remote_path(last->text)) {
		apply_address(r, last);
	} else {
		struct effects_word into = *last;

		into.role = BL_STR("into");
		r->parsed.words[last - r->parsed.words].role =
			BL_STR("destination");
		apply_into(r, &into);
	}
}

/* ---- mounts ----------------------------------------------------------------- */

/* The value of key in a=b,c=d; empty: it is not there. */
static struct effects_text field_of(struct effects_text text, const char *key)
{
	size_t len = strlen(key);

	for (size_t at = 0; at < text.len;) {
		size_t end = at;

		while (end < text.len && text.ptr[end] != ',')
			end++;
		if (end - at > len && !memcmp(text.ptr + at, key, len) &&
		    text.ptr[at + len] == '=')
			return effects_cut(text, at + len + 1, end);
		at = end + 1;
	}
	return (struct effects_text){ "", 0, 0 };
}

static void apply_mount(struct effects_run *run,
			const struct effects_word *word)
{
	struct effects_text here = field_of(word->text, "source");
	struct effects_text there = field_of(word->text, "target");
	struct effects_mount *mount =
		bl_arena_new(run->walk->arena, struct effects_mount);
	const char *colon;
	struct effects_path path;

	if (!here.len)
		here = field_of(word->text, "src");
	if (!there.len)
		there = field_of(word->text, "dst");
	colon = word->text.len ? memchr(word->text.ptr, ':', word->text.len)
			       : NULL;
	if (!here.len && colon) {
		size_t at = (size_t)(colon - word->text.ptr);
		size_t end = at + 1;

		here = effects_cut(word->text, 0, at);
		while (end < word->text.len && word->text.ptr[end] != ':')
			end++;
		there = effects_cut(word->text, at + 1, end);
	}
	/* A name without a slash is a volume. */
	if (!here.len || !mount ||
	    (!memchr(here.ptr, '/', here.len) && here.ptr[0] != '.' &&
	     here.ptr[0]))
		return;
	effects_add_path(run->walk, &run->inside, BL_FACT_CONTAINER,
			 BL_STR("mount"), here, 0, 0, word->span);
	effects_path(run->walk, &run->inside, here, 0, &path);
	if (path.state != BL_FACT_KNOWN)
		return;
	*mount = (struct effects_mount){ run->walk->mounts,
					 effects_str(path.text),
					 effects_str(there) };
	run->walk->mounts = mount;
}

/* ---- roles ------------------------------------------------------------------ */

/* tar -f FILE -C FOLDER: FILE is looked for where tar was started. */
static void keep_archive(struct effects_run *run)
{
	struct effects_text cwd = effects_cwd(run->walk, &run->inside);
	struct bl_arena *arena = run->walk->arena;

	for (size_t i = 0; cwd.ptr && i < run->parsed.word_count; i++) {
		struct effects_word *word = &run->parsed.words[i];

		if (!bl_str_is(word->option, "file") || !word->text.len ||
		    word->text.ptr[0] == '/' || effects_is(word->text, "-"))
			continue;
		word->text = effects_join(
			arena,
			effects_join(arena, cwd, effects_text(BL_STR("/"))),
			word->text);
	}
}

static void apply_directory(struct effects_run *run,
			    const struct effects_word *word)
{
	struct effects_path path;

	if (effects_mode(run->parsed.row, "@tar"))
		keep_archive(run);

	effects_path(run->walk, &run->inside, word->text, 0, &path);
	effects_set_cwd(run->walk, &run->inside, path.text);
}

static void apply_assignment(struct effects_run *run,
			     const struct effects_word *word)
{
	const char *equals = memchr(word->text.ptr, '=', word->text.len);
	size_t at = equals ? (size_t)(equals - word->text.ptr) : word->text.len;

	effects_set(run->walk, &run->inside,
		    bl_str_slice(effects_str(word->text), 0, at),
		    effects_cut(word->text, at + 1, word->text.len));
}

/* Words of one way, in the order of the command. */
static void apply_way(struct effects_run *run, enum effects_way way)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word word = run->parsed.words[i];
		const struct effects_role *role = effects_role_find(word.role);

		if (!role || role->way != way || run->walk->is_over)
			continue;
		if (way == EFFECTS_WAY_PATH)
			apply_path(run, role, &word);
		else if (way == EFFECTS_WAY_INTO)
			apply_into(run, &word);
		else if (way == EFFECTS_WAY_UPLOAD)
			send_file(run, word.text, word.span);
		else if (way == EFFECTS_WAY_DATA)
			apply_data(run, &word);
		else if (way == EFFECTS_WAY_FORM)
			apply_form(run, &word);
		else if (way == EFFECTS_WAY_DIRECTORY)
			apply_directory(run, &word);
		else if (way == EFFECTS_WAY_ADDRESS)
			apply_address(run, &word);
		else if (way == EFFECTS_WAY_MOUNT)
			apply_mount(run, &word);
		else if (way == EFFECTS_WAY_ASSIGN)
			apply_assignment(run, &word);
	}
}

/* @method: POST URL, where the method may be missing: the address is the second word. */
static void skip_method(struct effects_run *run)
{
	static const char *const methods[] = { "GET",  "POST",  "PUT",
					       "HEAD", "PATCH", "DELETE",
					       "get",  "post",  "put",
					       "head", "patch", "delete" };
	struct effects_word *method = NULL;

	for (size_t i = 0; i < run->parsed.word_count; i++) {
		struct effects_word *word = &run->parsed.words[i];

		if (method && bl_str_is(word->role, "item")) {
			method->role = BL_STR("verb");
			word->role = BL_STR("url");
			return;
		}
		for (size_t k = 0; k < BL_COUNT(methods); k++)
			if (bl_str_is(word->role, "url") &&
			    effects_is(word->text, methods[k]))
				method = word;
	}
}

void effects_roles(struct effects_run *run)
{
	bool is_known;

	if (effects_mode(run->parsed.row, "@method"))
		skip_method(run);
	effects_input(run->walk, &run->inside, &is_known);
	apply_way(run, EFFECTS_WAY_DIRECTORY);
	apply_way(run, EFFECTS_WAY_ASSIGN);
	apply_way(run, EFFECTS_WAY_UPLOAD);
	apply_way(run, EFFECTS_WAY_DATA);
	apply_way(run, EFFECTS_WAY_FORM);
	if (effects_mode(run->parsed.row, "@sends") && is_known)
		send_input(run);
	apply_way(run, EFFECTS_WAY_ADDRESS);
	apply_way(run, EFFECTS_WAY_INTO);
	apply_way(run, EFFECTS_WAY_PATH);
	apply_way(run, EFFECTS_WAY_MOUNT);
	apply_copies(run);
}

/* ---- clauses ---------------------------------------------------------------- */

static bool has_option(const struct effects_run *run, struct bl_str name)
{
	for (size_t i = 0; i < run->parsed.option_count; i++) {
		if (bl_str_equal(run->parsed.options[i].name, name))
			return true;
	}
	return false;
}

static bool has_value(const struct effects_run *run, struct bl_str name,
		      struct bl_str value)
{
	for (size_t i = 0; i < run->parsed.option_count; i++) {
		const struct bl_fact_option *option = &run->parsed.options[i];

		if (bl_str_equal(option->name, name) && option->value &&
		    bl_str_equal(option->value->text, value))
			return true;
	}
	return false;
}

/* force, !soft, replicas=0, 1=up, operands, many */
static bool holds_term(const struct effects_run *run, struct bl_str term)
{
	bool is_negated = term.len && term.ptr[0] == '!';
	size_t equals;
	bool holds;

	if (is_negated)
		term = bl_str_slice(term, 1, SIZE_MAX);
	equals = bl_str_find(term, BL_STR("="), 0);
	if (equals != SIZE_MAX && term.ptr[0] >= '1' && term.ptr[0] <= '9') {
		size_t index = (size_t)(term.ptr[0] - '1');

		holds = index < run->parsed.operands.count &&
			bl_str_equal(
				effects_str(
					run->parsed.operands.items[index].text),
				bl_str_slice(term, equals + 1, SIZE_MAX));
	} else if (equals != SIZE_MAX) {
		holds = has_value(run, bl_str_slice(term, 0, equals),
				  bl_str_slice(term, equals + 1, SIZE_MAX));
	} else if (bl_str_is(term, "operands")) {
		holds = run->parsed.operands.count > 0;
	} else if (bl_str_is(term, "many")) {
		holds = run->parsed.operands.count > 1;
	} else {
		holds = has_option(run, term);
	}
	return holds != is_negated;
}

/* Terms joined by &, groups of them joined by |. */
static bool holds_condition(const struct effects_run *run,
			    struct bl_str condition)
{
	bool group = true;
	size_t from = 0;

	for (size_t i = 0; i <= condition.len; i++) {
		char c = i < condition.len ? condition.ptr[i] : '|';

		if (c != '&' && c != '|')
			continue;
		group = group && holds_term(run, bl_str_trim(bl_str_slice(
							 condition, from, i)));
		from = i + 1;
		if (c == '|' && group)
			return true;
		if (c == '|')
			group = true;
	}
	return false;
}

static bool next_token(struct bl_str text, size_t *at, struct bl_str *out)
{
	size_t from;

	while (*at < text.len && text.ptr[*at] == ' ')
		(*at)++;
	from = *at;
	while (*at < text.len && text.ptr[*at] != ' ')
		(*at)++;
	*out = bl_str_slice(text, from, *at);
	return *at > from;
}

static enum bl_fact_kind kind_of(struct bl_str name)
{
	enum bl_fact_kind kind = 0;

	while (kind < BL_FACT_KIND_COUNT &&
	       !bl_str_is(name, bl_fact_kind_name(kind)))
		kind++;
	return kind;
}

static uint32_t detail_bit(struct bl_str name)
{
	for (uint32_t i = 0; i < BL_FACT_DETAIL_COUNT; i++) {
		if (bl_str_is(name, bl_fact_detail_name(
					    (enum bl_fact_detail_index)i)))
			return 1u << i;
	}
	return 0;
}

/* A secret that a clause reads is in what the command prints. */
static void note_secret(struct effects_run *run, struct effects_text text)
{
	struct effects_path path;

	effects_path(run->walk, &run->inside, text, 0, &path);
	if (effects_is_secret(run->walk, &path))
		note_read(run, BL_FACT_FROM_SECRET);
}

struct clause {
	enum bl_fact_kind kind;
	struct bl_str action;
	struct bl_str role;
	uint32_t details;
};

static void add_clause_effect(struct effects_run *run,
			      const struct clause *clause,
			      const struct effects_word *word)
{
	const struct effects_role *role = effects_role_find(clause->role);
	uint32_t details = clause->details | run->parsed.details;

	/* tar -f -: standard input or output */
	if (word && is_stdin(word->text) &&
	    (clause->kind == BL_FACT_READ || clause->kind == BL_FACT_WRITE))
		return;
	if (word &&
	    ((role && role->way == EFFECTS_WAY_PATH) ||
	     clause->kind == BL_FACT_READ || clause->kind == BL_FACT_WRITE ||
	     clause->kind == BL_FACT_DELETE || clause->kind == BL_FACT_CHMOD ||
	     bl_str_is(clause->role, "here") ||
	     bl_str_is(clause->role, "mount"))) {
		effects_add_path(run->walk, &run->inside, clause->kind,
				 clause->action, word->text, details,
				 run->sends, word->span);
		if (clause->kind == BL_FACT_READ)
			note_secret(run, word->text);
		return;
	}
	effects_add_plain(run->walk, clause->kind, clause->action,
			  word ? &word->text : NULL, details,
			  word ? word->span : run->span);
}

static void apply_clause(struct effects_run *run, const struct clause *clause)
{
	bool needs_target = clause->role.len &&
			    clause->role.ptr[clause->role.len - 1] == '!';
	struct clause own = *clause;
	bool has_any = false;

	if (needs_target)
		own.role = bl_str_slice(own.role, 0, own.role.len - 1);
	if (bl_str_is(own.role, "here")) {
		struct effects_word here = { .text = effects_text(BL_STR(".")),
					     .span = run->span };

		add_clause_effect(run, &own, &here);
		return;
	}
	for (size_t i = 0; own.role.len && i < run->parsed.word_count; i++) {
		const struct effects_word *word = &run->parsed.words[i];

		if (!bl_str_equal(word->role, own.role) &&
		    !bl_str_equal(word->option, own.role))
			continue;
		add_clause_effect(run, &own, word);
		has_any = true;
	}
	if (!has_any && !needs_target)
		add_clause_effect(run, &own, NULL);
}

/* [CONDITION ?] KIND[:ACTION] [ROLE] [+DETAIL...] */
static void read_clause(struct effects_run *run, struct bl_str text)
{
	size_t question = bl_str_find(text, BL_STR("? "), 0);
	struct clause clause = { .details = 0 };
	struct bl_str token;
	size_t colon;
	size_t at = 0;

	if (question != SIZE_MAX) {
		if (!holds_condition(run, bl_str_slice(text, 0, question)))
			return;
		at = question + 1;
	}
	if (!next_token(text, &at, &token))
		return;
	colon = bl_str_find(token, BL_STR(":"), 0);
	clause.kind = kind_of(bl_str_slice(token, 0, colon));
	if (clause.kind == BL_FACT_KIND_COUNT)
		return;
	if (colon != SIZE_MAX)
		clause.action = bl_str_slice(token, colon + 1, SIZE_MAX);
	while (next_token(text, &at, &token)) {
		if (token.ptr[0] == '+')
			clause.details |=
				detail_bit(bl_str_slice(token, 1, SIZE_MAX));
		else
			clause.role = token;
	}
	apply_clause(run, &clause);
}

void effects_clauses(struct effects_run *run)
{
	struct bl_str text = run->parsed.row->effects;
	size_t from = 0;

	for (size_t i = 0; i <= text.len; i++) {
		if (i < text.len && text.ptr[i] != ';')
			continue;
		read_clause(run, bl_str_trim(bl_str_slice(text, from, i)));
		from = i + 1;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a policy directory to what decides: files, rulebook, packs, compilation,
 * in belay-tools alone. Images spare it at most events (image_open.c).
 */
#include "sources/policies/private.h"

/* One directory on its way. */
struct loader {
	struct bl_arena *arena;
	struct bl_diags *diags;
	struct bl_error *err;
	struct bl_str agent;
	bool observe;
	struct bl_policy_dir *dir;
	struct policy_files files;
	struct policy_metadata *metadata; /* by file */
	size_t policy_cap;
	size_t problem_cap;
};

static enum bl_status out_of_memory(struct loader *l)
{
	return bl_arena_fail(l->arena, l->err);
}

/* ---- problems ------------------------------------------------------------- */

static enum bl_status add_problem(struct loader *l,
				  enum bl_policy_failure failure,
				  struct bl_str text)
{
	struct bl_policy_dir *dir = l->dir;
	struct bl_policy_problem *items = bl_arena_room(
		l->arena, (void *)(uintptr_t)dir->problems, dir->problem_count,
		&l->problem_cap, sizeof(*items));

	if (!items || !text.ptr)
		return out_of_memory(l);
	items[dir->problem_count++] =
		(struct bl_policy_problem){ failure, text };
	dir->problems = items;
	return BL_OK;
}

/* "file:line: message" of the first error behind the first `stored`. */
static struct bl_str first_error(struct loader *l, size_t stored)
{
	const struct bl_diag *diag = l->diags->first;

	for (; diag; diag = diag->next) {
		if (stored) {
			stored--;
			continue;
		}
		if (diag->severity != BL_SEVERITY_ERROR)
			continue;
		if (!diag->place.line)
			return bl_arena_printf(l->arena, "%.*s: %.*s",
					       BL_STR_ARG(diag->file),
					       BL_STR_ARG(diag->message));
		return bl_arena_printf(l->arena, "%.*s:%u: %.*s",
				       BL_STR_ARG(diag->file), diag->place.line,
				       BL_STR_ARG(diag->message));
	}
	return BL_STR("see `belay validate`");
}

/* A problem when there are more errors than there were. */
static enum bl_status problem_since(struct loader *l,
				    enum bl_policy_failure failure,
				    size_t errors, size_t stored)
{
	if (l->diags->error_count == errors)
		return BL_OK;
	return add_problem(l, failure, first_error(l, stored));
}

/* ---- files ---------------------------------------------------------------- */

static struct bl_str in_dir(struct loader *l, const char *path)
{
	return bl_path_join(l->arena, l->dir->path, bl_str(path));
}

static enum bl_status add_source(struct loader *l, struct bl_str path,
				 const char *text, enum policy_file_kind kind)
{
	struct policy_files *files = &l->files;

	files->items = bl_arena_room(l->arena, files->items, files->count,
				     &files->cap, sizeof(*files->items));
	if (!files->items || !path.ptr)
		return out_of_memory(l);
	files->items[files->count++] =
		(struct policy_file){ path, bl_str(text), kind };
	return BL_OK;
}

static void warn_file(struct loader *l, struct bl_str path, const char *code,
		      const char *message)
{
	const struct bl_diag_source source = { path, BL_STR("") };

	bl_diags_add(l->diags, BL_SEVERITY_WARNING, code, &source,
		     (struct bl_place){ 0 }, NULL, "%s", message);
}

static enum bl_status add_builtins(struct loader *l)
{
	for (size_t i = 0; i < bl_policy_builtin_count; i++) {
		const struct bl_policy_builtin *row = &bl_policy_builtins[i];
		enum bl_status status;

		if (!(l->dir->rulebook.builtins & (UINT32_C(1) << i)))
			continue;
		status = add_source(l,
				    bl_arena_printf(l->arena,
						    "belay:builtins/%s.rego",
						    row->name),
				    row->source, POLICY_FILE_BUILTIN);
		if (status)
			return status;
	}
	return BL_OK;
}

/* ---- metadata ------------------------------------------------------------- */

/*
 * A file of nothing but tests is one wherever it lies.  Another file, where
 * nothing is loaded from, was meant to be a policy.
 */
static void drop_tests(struct loader *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->files.count; i++) {
		const struct policy_file *file = &l->files.items[i];

		if (l->metadata[i].is_test)
			continue;
		if (file->kind == POLICY_FILE_STRAY) {
			policy_note_path(l->diags, file->path, "policy/stray",
					 "policies lie in policies/, and tests "
					 "in tests/: this file is not loaded");
			continue;
		}
		l->metadata[kept] = l->metadata[i];
		l->files.items[kept++] = *file;
	}
	l->files.count = kept;
}

static enum bl_status read_metadata(struct loader *l)
{
	size_t count = l->files.count;

	l->metadata =
		bl_arena_new_array(l->arena, struct policy_metadata, count + 1);
	if (!l->metadata)
		return out_of_memory(l);
	for (size_t i = 0; i < count; i++) {
		enum bl_status status =
			policy_read_metadata(&l->files.items[i], l->arena,
					     l->diags, &l->metadata[i], l->err);

		if (status)
			return status;
	}
	drop_tests(l);
	return BL_OK;
}

/* Does a file hold these words? */
static bool is_mentioned(struct loader *l, const char *before,
			 const char *package)
{
	struct bl_str words =
		bl_arena_printf(l->arena, "%s%s", before, package);

	for (size_t i = 0; i < l->files.count; i++)
		if (bl_str_find(l->files.items[i].text, words, 0) != SIZE_MAX)
			return true;
	return false;
}

/* The libraries that are mentioned and that no file is. */
static enum bl_status add_libraries(struct loader *l)
{
	for (size_t i = 0; i < policy_library_count; i++) {
		const struct policy_library *row = &policy_libraries[i];
		enum bl_status status;

		if (is_mentioned(l, "package ", row->package) ||
		    !is_mentioned(l, "", row->package))
			continue;
		status = add_source(l,
				    bl_arena_printf(l->arena,
						    "belay:libraries/%s.rego",
						    row->package),
				    row->source, POLICY_FILE_SYSTEM);
		if (status)
			return status;
	}
	return BL_OK;
}

static struct bl_str text_at(struct bl_value value, const char *path)
{
	return bl_value_text(policy_at(value, path));
}

static const struct bl_policy_builtin *builtin_named(struct bl_str package)
{
	static const struct bl_str prefix = { "cupcake.policies.builtins.",
					      26 };
	size_t row;

	if (!bl_str_has_prefix(package, prefix))
		return NULL;
	row = bl_policy_builtin_find(
		bl_str_slice(package, prefix.len, SIZE_MAX));
	return row == SIZE_MAX ? NULL : &bl_policy_builtins[row];
}

static enum bl_status add_policy(struct loader *l,
				 const struct policy_file *file,
				 const struct policy_metadata *metadata)
{
	struct bl_policy_dir *dir = l->dir;

	dir->policies =
		bl_arena_room(l->arena, dir->policies, dir->policy_count,
			      &l->policy_cap, sizeof(*dir->policies));
	if (!dir->policies)
		return out_of_memory(l);
	dir->policies[dir->policy_count++] = (struct bl_policy){
		.package = metadata->package,
		.file = file->path,
		.events = metadata->events,
		.tools = metadata->tools,
		.signals = metadata->signals,
		.demanded = metadata->demanded,
		.id = text_at(metadata->value, "custom.id"),
		.severity = text_at(metadata->value, "custom.severity"),
		.title = text_at(metadata->value, "title"),
		.metadata = metadata->value,
		.builtin = file->kind == POLICY_FILE_BUILTIN
				   ? builtin_named(metadata->package)
				   : NULL,
	};
	return BL_OK;
}

static bool has_routing(const struct loader *l, struct bl_str package)
{
	for (size_t i = 0; i < l->files.count; i++)
		if (l->metadata[i].has_routing &&
		    bl_str_equal(l->metadata[i].package, package))
			return true;
	return false;
}

/* A file that would decide, of a package that no event and no policy asks. */
static void check_routing(struct loader *l, size_t i)
{
	const struct policy_metadata *metadata = &l->metadata[i];

	if (!metadata->has_verbs || metadata->is_broken ||
	    has_routing(l, metadata->package) ||
	    is_mentioned(l, "data.", metadata->package.ptr))
		return;
	policy_note_path(l->diags, l->files.items[i].path,
			 "policy/routing-metadata",
			 "without custom.routing in its metadata this policy "
			 "never runs");
}

static enum bl_status add_policies(struct loader *l)
{
	for (size_t i = 0; i < l->files.count; i++) {
		const struct policy_metadata *metadata = &l->metadata[i];
		enum bl_status status;

		if (!metadata->has_routing || !metadata->package.len ||
		    policy_is_system(metadata->package))
			continue;
		status = add_policy(l, &l->files.items[i], metadata);
		if (status)
			return status;
	}
	return BL_OK;
}

/* ---- compiling ------------------------------------------------------------ */

/* Puts the findings of more behind those of diags. */
static void append(struct bl_diags *diags, const struct bl_diags *more)
{
	if (more->first) {
		*diags->tail = more->first;
		diags->tail = more->tail;
	}
	diags->error_count += more->error_count;
	diags->warning_count += more->warning_count;
	diags->stored_count += more->stored_count;
	diags->dropped_count += more->dropped_count;
	diags->out_of_memory |= more->out_of_memory;
}

/* Once more, to be explained.  Without memory there are no explanations. */
static void observe(struct loader *l, const struct bl_rego_source *sources)
{
	const struct bl_rego_compile_options observed = { .observe = true };
	struct policy_observed *own =
		bl_arena_new(l->arena, struct policy_observed);
	struct bl_diags unused;

	bl_diags_init(&unused, l->arena);
	if (!own || bl_rego_compile(l->arena, sources, l->files.count,
				    &observed, &unused, &own->rego, NULL))
		return;
	own->explain = policy_explain;
	l->dir->observed = own;
}

static bool wants_facts(const struct bl_rego_policies *rego)
{
	return bl_rego_names(rego, BL_STR("commands")) ||
	       bl_rego_names(rego, BL_STR("effects")) ||
	       bl_rego_names(rego, BL_STR("opaque"));
}

/* The compiler takes any error for one of its own: it gets a list of its own. */
static enum bl_status compile_sources(struct loader *l,
				      const struct bl_rego_source *sources)
{
	size_t errors = l->diags->error_count;
	size_t stored = l->diags->stored_count;
	struct bl_diags own;
	struct bl_error problem = { 0 };
	enum bl_status status;

	bl_diags_init(&own, l->arena);
	status = bl_rego_compile(l->arena, sources, l->files.count, NULL, &own,
				 &l->dir->rego, &problem);
	append(l->diags, &own);
	l->dir->wants_facts = !status && wants_facts(l->dir->rego);
	if (!status && l->observe)
		observe(l, sources);
	if (!status)
		return BL_OK;
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(l->err);
	l->dir->rego = NULL;
	if (own.error_count)
		return problem_since(l, BL_FAILURE_COMPILE, errors, stored);
	return add_problem(
		l, BL_FAILURE_COMPILE,
		bl_arena_copy_str(l->arena, bl_str(problem.message)));
}

static enum bl_status compile(struct loader *l)
{
	size_t count = l->files.count;
	struct bl_rego_source *sources =
		bl_arena_new_array(l->arena, struct bl_rego_source, count + 1);

	if (!sources)
		return out_of_memory(l);
	for (size_t i = 0; i < count; i++)
		sources[i] = (struct bl_rego_source){
			.file = l->files.items[i].path,
			.text = l->files.items[i].text,
		};
	return compile_sources(l, sources);
}

/* ---- documents of verbs --------------------------------------------------- */

struct collector {
	struct loader *l;
	enum bl_verb verb;
	struct bl_policy_document *items;
	size_t count;
	size_t cap;
	bool failed;
};

static void take_rule(void *context, struct bl_str path, struct bl_str file,
		      uint32_t line)
{
	struct collector *c = context;
	struct bl_str name = bl_str(bl_verb_name(c->verb));
	struct bl_str own = bl_str_slice(path, strlen("data."), SIZE_MAX);
	struct bl_policy_document *items;

	if (c->failed || !bl_str_has_suffix(own, name) || own.len <= name.len ||
	    own.ptr[own.len - name.len - 1] != '.')
		return;
	items = bl_arena_room(c->l->arena, c->items, c->count, &c->cap,
			      sizeof(*items));
	c->failed = !items;
	if (!items)
		return;
	c->items = items;
	c->items[c->count++] = (struct bl_policy_document){
		.verb = c->verb,
		.document = bl_rego_find(c->l->dir->rego, own),
		.path = own,
		.file = file,
		.line = line,
	};
}

static bool is_below(struct bl_str path, struct bl_str package)
{
	return path.len > package.len && path.ptr[package.len] == '.' &&
	       bl_str_has_prefix(path, package);
}

/* The longest package that a path is in. */
static struct bl_str package_of(const struct loader *l, struct bl_str path)
{
	struct bl_str best = BL_STR("");

	for (size_t i = 0; i < l->files.count; i++) {
		struct bl_str package = l->metadata[i].package;

		if (package.len > best.len && is_below(path, package))
			best = package;
	}
	return best;
}

/* Sorts documents so that those of a package stand together. */
static enum bl_status hand_out(struct loader *l, const struct collector *c)
{
	struct bl_str *packages =
		bl_arena_new_array(l->arena, struct bl_str, c->count + 1);

	if (!packages)
		return out_of_memory(l);
	for (size_t i = 0; i < c->count; i++)
		packages[i] = package_of(l, c->items[i].path);
	for (size_t i = 0; i < l->dir->policy_count; i++) {
		struct bl_policy *policy = &l->dir->policies[i];
		struct bl_policy_document *own;
		size_t count = 0;

		for (size_t j = 0; j < c->count; j++)
			count += bl_str_equal(packages[j], policy->package);
		own = bl_arena_new_array(l->arena, struct bl_policy_document,
					 count + 1);
		if (!own)
			return out_of_memory(l);
		policy->documents = own;
		policy->document_count = count;
		for (size_t j = 0; j < c->count; j++)
			if (bl_str_equal(packages[j], policy->package))
				*own++ = c->items[j];
	}
	return BL_OK;
}

static enum bl_status find_documents(struct loader *l)
{
	struct collector c = { .l = l };

	for (int verb = BL_VERB_HALT; verb > BL_VERB_ALLOW; verb--) {
		c.verb = (enum bl_verb)verb;
		bl_rego_each_rule(l->dir->rego, bl_str(bl_verb_name(c.verb)),
				  l->arena, take_rule, &c);
	}
	return c.failed ? out_of_memory(l) : hand_out(l, &c);
}

/* Has a package rules, and none of them the name of a verb? */
static bool is_idle(const struct loader *l, struct bl_str package)
{
	bool has_rules = false;

	for (size_t i = 0; i < l->files.count; i++) {
		if (!bl_str_equal(l->metadata[i].package, package))
			continue;
		if (l->metadata[i].names_verbs)
			return false;
		has_rules |= l->metadata[i].has_rules;
	}
	return has_rules;
}

/*
 * Finds what compiles and can never decide: rules that nothing asks for; rules
 * and an event, and no rule that decides, since its name is misspelt.
 */
static enum bl_status check_rules(struct loader *l)
{
	size_t errors = l->diags->error_count;
	size_t stored = l->diags->stored_count;

	for (size_t i = 0; i < l->files.count; i++)
		if (!policy_is_system(l->metadata[i].package))
			check_routing(l, i);
	for (size_t i = 0; i < l->dir->policy_count; i++) {
		const struct bl_policy *policy = &l->dir->policies[i];

		if (policy->document_count || !is_idle(l, policy->package))
			continue;
		policy_note_path(l->diags, policy->file, "policy/no-verb",
				 "none of its rules decides anything (halt, "
				 "deny, block, ask, modify, add_context): it "
				 "can never do anything");
	}
	return problem_since(l, BL_FAILURE_METADATA, errors, stored);
}

/* ---- all of it ------------------------------------------------------------ */

static enum bl_status load_policies(struct loader *l)
{
	size_t errors = l->diags->error_count;
	size_t stored = l->diags->stored_count;
	bool has_policies = false;
	enum bl_status status =
		policy_collect(&l->files, l->dir->path, &has_policies, l->err);

	if (status)
		return status;
	if (!has_policies && !l->dir->rulebook.builtins &&
	    l->dir->rulebook.level <= BL_LEVEL_OFF &&
	    !bl_value_count(l->dir->rulebook.own) &&
	    l->dir->origin == BL_POLICY_PROJECT)
		return add_problem(
			l, BL_FAILURE_NO_DIRECTORY,
			bl_arena_printf(l->arena,
					"%.*s has neither policies/%.*s nor "
					"policies/all: run `belay init "
					"--harness %.*s`",
					BL_STR_ARG(l->dir->path),
					BL_STR_ARG(l->agent),
					BL_STR_ARG(l->agent)));
	policy_drop_builtins(&l->files);
	status = add_builtins(l);
	if (!status)
		status = add_libraries(l);
	if (!status)
		status = read_metadata(l);
	if (!status)
		status = problem_since(l, BL_FAILURE_METADATA, errors, stored);
	return status;
}

/* A file that the rulebook's reader looks at, by its path in the directory. */
static enum bl_status stamp_rulebook(struct loader *l)
{
	struct policy_stamps *stamps = l->files.stamps;
	struct bl_str folder = in_dir(l, "signals");
	struct bl_str book = in_dir(l, "rulebook.yml");
	struct bl_str *names;
	size_t count;
	bool ok;

	if (!stamps)
		return BL_OK;
	ok = folder.ptr && book.ptr && policy_add_stamp(stamps, l->dir->path) &&
	     policy_add_stamp(stamps, book) && policy_add_stamp(stamps, folder);
	if (ok && !bl_os_list_dir(folder, POLICY_MAX_SIGNALS, l->arena, &names,
				  &count, NULL))
		for (size_t i = 0; ok && i < count; i++) {
			struct bl_str path =
				bl_path_join(l->arena, folder, names[i]);

			ok = path.ptr && policy_add_stamp(stamps, path);
		}
	return ok ? BL_OK : out_of_memory(l);
}

static enum bl_status load_dir(struct loader *l)
{
	size_t errors = l->diags->error_count;
	size_t stored = l->diags->stored_count;
	enum bl_status status = stamp_rulebook(l);

	if (!status)
		status = bl_rulebook_read(l->dir->path, l->arena, l->diags,
					  &l->dir->rulebook, l->err);
	if (!status)
		status = problem_since(l, BL_FAILURE_RULEBOOK, errors, stored);
	if (!status)
		status = load_policies(l);
	/* Without any policy there is still an image to be made. */
	if (status || (!l->files.count && !l->files.stamps))
		return status;
	status = add_policies(l);
	if (!status)
		status = compile(l);
	if (!status && l->dir->rego)
		status = find_documents(l);
	if (!status && l->dir->rego)
		status = check_rules(l);
	return status;
}

/* Loads the set, and keeps its stamps and an image of it. */
static enum bl_status
load_and_store(struct loader *l, const struct bl_policy_load_options *options)
{
	const struct bl_policy_cache *cache = options->cache;
	struct policy_stamps *stamps =
		bl_arena_new(l->arena, struct policy_stamps);
	struct bl_error problem = { 0 };
	enum bl_status status;

	if (!cache && !options->keep_stamps && !options->seal)
		return load_dir(l);
	if (!stamps)
		return out_of_memory(l);
	stamps->arena = l->arena;
	stamps->now_ns = bl_os_wall_ms() * 1000000;
	l->files.stamps = stamps;
	status = !cache || policy_add_stamp(stamps, cache->compiler)
			 ? load_dir(l)
			 : out_of_memory(l);
	l->files.stamps = NULL;
	if (options->keep_stamps)
		l->dir->stamps = stamps;
	if (!status && options->seal)
		status = policy_seal(options, l->dir, stamps, l->arena, l->err);
	if (status || !cache)
		return status;
	if (policy_store_image(options, l->dir, stamps, l->arena, &problem))
		warn_file(l, cache->dir, "policy/cache", problem.message);
	return BL_OK;
}

enum bl_status bl_policy_load(const struct bl_policy_load_options *options,
			      struct bl_arena *arena, struct bl_diags *diags,
			      const struct bl_policy_set **out_set,
			      struct bl_error *err)
{
	struct bl_policy_set *set = bl_arena_new(arena, struct bl_policy_set);

	if (!set)
		return bl_arena_fail(arena, err);
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		struct loader l = { .arena = arena,
				    .diags = diags,
				    .err = err,
				    .agent = options->agent,
				    .observe = options->observe,
				    .dir = &set->dirs[i],
				    .files = { .arena = arena,
					       .diags = diags,
					       .agent = options->agent,
					       .agent_at =
						       options->agent_at } };
		struct bl_policy_place place = options->places[i];
		enum bl_status status = BL_OK;

		l.dir->origin = (enum bl_policy_origin)i;
		l.dir->path = place.path;
		if (place.path.len)
			status = load_and_store(&l, options);
		else if (place.missing.len)
			status = add_problem(&l, BL_FAILURE_NO_DIRECTORY,
					     place.missing);
		if (status)
			return status;
	}
	*out_set = set;
	return BL_OK;
}

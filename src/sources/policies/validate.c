/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking a policy directory.  Loading finds what is broken; here is what is
 * well formed and yet not what was meant (docs/contracts/cupcake.md
 * "Validation").
 */
#include "sources/policies/private.h"
#include "text/text.h"

struct validator {
	const struct bl_policy_validate_options *options;
	struct bl_arena *arena;
	struct bl_diags *diags;
	struct bl_error *err;
	const struct bl_regex *key_membership;
};

/* One file at hand. */
struct checking {
	struct validator *v;
	const struct policy_file *file;
	struct policy_metadata metadata;
	struct bl_str harness; /* the folder below policies */
	/* For the grouping of rules: the verb before, those that are done. */
	struct bl_str last_set;
	struct bl_str done[64];
	size_t done_count;
};

enum rule {
	RULE_EVENT,
	RULE_UNKNOWN_EVENT,
	RULE_STRUCTURE,
	RULE_MEMBERSHIP,
	RULE_GROUPING,
	RULE_PLACEMENT,
	RULE_ROUTING,
};

static const struct {
	const char *code;
	enum bl_severity severity;
	const char *hint;
} rules[] = {
	[RULE_EVENT] = { "policy/decision-event-compatibility",
			 BL_SEVERITY_ERROR,
			 "see `belay explain` for what the agent can do "
			 "there" },
	[RULE_UNKNOWN_EVENT] = { "policy/unknown-event", BL_SEVERITY_WARNING,
				 NULL },
	[RULE_STRUCTURE] = { "policy/decision-structure", BL_SEVERITY_WARNING,
			     NULL },
	[RULE_MEMBERSHIP] = { "policy/object-key-membership",
			      BL_SEVERITY_WARNING,
			      "for keys: \"x\" in object.keys(o)" },
	[RULE_GROUPING] = { "policy/incremental-rule-grouping",
			    BL_SEVERITY_WARNING, NULL },
	[RULE_PLACEMENT] = { "policy/metadata-placement", BL_SEVERITY_ERROR,
			     NULL },
	[RULE_ROUTING] = { "policy/routing-metadata", BL_SEVERITY_WARNING,
			   NULL },
};

static void note(struct checking *c, enum rule rule, uint32_t line,
		 struct bl_str text)
{
	const struct bl_diag_source source = { c->file->path, c->file->text };

	bl_diags_add(c->v->diags, rules[rule].severity, rules[rule].code,
		     &source, policy_place(c->file->text, line, 1),
		     rules[rule].hint, "%.*s", BL_STR_ARG(text));
}

/* ---- events and verbs ----------------------------------------------------- */

static void check_verb(struct checking *c, struct bl_str event, unsigned verbs,
		       const struct bl_rego_head *head)
{
	struct bl_arena *arena = c->v->arena;

	for (int verb = BL_VERB_HALT; verb > BL_VERB_ALLOW; verb--) {
		const char *name = bl_verb_name((enum bl_verb)verb);

		if (!bl_str_is(head->name, name) ||
		    verbs & (1U << (unsigned)verb))
			continue;
		note(c, RULE_EVENT, head->line,
		     bl_arena_printf(arena,
				     "%s has no effect at the event %.*s", name,
				     BL_STR_ARG(event)));
	}
}

static void check_head_events(void *context, const struct bl_rego_head *head)
{
	struct checking *c = context;
	const struct bl_names *events = &c->metadata.events;

	for (size_t i = 0; i < events->count; i++) {
		unsigned verbs;

		if (c->v->options->verbs_at(c->harness, events->items[i],
					    &verbs))
			check_verb(c, events->items[i], verbs, head);
	}
}

static void check_event_names(struct checking *c)
{
	const struct bl_names *events = &c->metadata.events;
	unsigned verbs;

	for (size_t i = 0; i < events->count; i++) {
		struct bl_str event = events->items[i];

		if (memchr(event.ptr, '*', event.len) ||
		    memchr(event.ptr, '?', event.len) ||
		    c->v->options->verbs_at(c->harness, event, &verbs))
			continue;
		note(c, RULE_UNKNOWN_EVENT, c->metadata.line,
		     bl_arena_printf(c->v->arena,
				     "belay knows no event %.*s of %.*s: this "
				     "policy runs only if there is one",
				     BL_STR_ARG(event),
				     BL_STR_ARG(c->harness)));
	}
}

/* ---- text ----------------------------------------------------------------- */

/* The lines from `line` on, count of them. */
static struct bl_str lines_from(struct bl_str text, size_t from, size_t count)
{
	size_t to = from;

	for (; to < text.len && count; to++)
		count -= text.ptr[to] == '\n';
	return bl_str_slice(text, from, to);
}

static void check_decisions(struct checking *c)
{
	static const char *const fields[] = { "\"reason\"", "\"rule_id\"" };
	struct bl_str text = c->file->text;
	struct bl_str start = BL_STR("decision := {");

	for (size_t at = bl_str_find(text, start, 0); at != SIZE_MAX;
	     at = bl_str_find(text, start, at + 1)) {
		struct bl_str near = lines_from(text, at, 11);

		for (size_t i = 0; i < BL_COUNT(fields); i++)
			if (bl_str_find(near, bl_str(fields[i]), 0) == SIZE_MAX)
				note(c, RULE_STRUCTURE,
				     bl_place_at(text, at).line,
				     bl_arena_printf(c->v->arena,
						     "the decision has no %s",
						     fields[i]));
	}
}

static enum bl_status check_membership(struct checking *c)
{
	struct bl_str text = c->file->text;
	size_t at = 0;

	while (at < text.len) {
		struct bl_str line = lines_from(text, at, 1);
		struct bl_str bare = bl_str_trim(line);
		bool found = false;
		enum bl_status status;

		status = bare.len && bare.ptr[0] != '#'
				 ? bl_regex_search(c->v->key_membership,
						   c->v->arena, line, 0, NULL,
						   0, &found)
				 : BL_OK;
		if (status)
			return bl_fail(c->v->err, status,
				       "cannot search a line of a policy");
		if (found)
			note(c, RULE_MEMBERSHIP, bl_place_at(text, at).line,
			     BL_STR("\"in\" looks among the values of an "
				    "object, not its keys"));
		at += line.len;
	}
	return BL_OK;
}

/* ---- order of rules ------------------------------------------------------- */

static void check_grouping(void *context, const struct bl_rego_head *head)
{
	struct checking *c = context;

	if (!head->is_set || bl_str_equal(head->name, c->last_set))
		return;
	for (size_t i = 0; i < c->done_count; i++)
		if (bl_str_equal(c->done[i], head->name))
			note(c, RULE_GROUPING, head->line,
			     bl_arena_printf(c->v->arena,
					     "the rules of %.*s stand apart, "
					     "with others between",
					     BL_STR_ARG(head->name)));
	if (c->last_set.len && c->done_count < BL_COUNT(c->done))
		c->done[c->done_count++] = c->last_set;
	c->last_set = head->name;
}

/* ---- one file ------------------------------------------------------------- */

static void check_metadata(struct checking *c)
{
	const struct policy_metadata *metadata = &c->metadata;

	if (bl_value_is_defined(metadata->value) && !metadata->before_package &&
	    metadata->has_routing)
		note(c, RULE_PLACEMENT, metadata->line,
		     BL_STR("the metadata of a package stands before its "
			    "\"package\" line"));
	if (metadata->has_routing && !metadata->events.count &&
	    !metadata->tools.count)
		note(c, RULE_ROUTING, metadata->line,
		     BL_STR("without required_events this policy runs only "
			    "when another one does"));
	if (metadata->tools.count && !metadata->events.count)
		note(c, RULE_ROUTING, metadata->line,
		     BL_STR("required_tools without required_events: Cupcake "
			    "would skip this policy"));
}

static enum bl_status check_file(struct validator *v,
				 const struct policy_file *file,
				 struct bl_str harness)
{
	struct checking c = { .v = v, .file = file, .harness = harness };
	struct bl_diags ignored; /* loading has reported them */
	const struct bl_rego_module *module;
	size_t offset;
	enum bl_status status;

	bl_diags_init(&ignored, v->arena);
	status = policy_read_metadata(file, v->arena, &ignored, &c.metadata,
				      v->err);
	if (status || !c.metadata.package.len ||
	    policy_is_system(c.metadata.package))
		return status;
	status = bl_rego_parse(v->arena, file->path, file->text, false, &module,
			       &offset, v->err);
	if (status)
		return status;
	check_metadata(&c);
	bl_rego_each_head(module, check_grouping, &c);
	if (v->options->verbs_at) {
		check_event_names(&c);
		bl_rego_each_head(module, check_head_events, &c);
	}
	check_decisions(&c);
	return check_membership(&c);
}

/* ---- all of it ------------------------------------------------------------ */

static bool is_known(const struct bl_diags *diags, const struct bl_diag *one)
{
	for (const struct bl_diag *old = diags->first; old; old = old->next)
		if (!strcmp(old->code, one->code) &&
		    old->place.line == one->place.line &&
		    bl_str_equal(old->file, one->file) &&
		    bl_str_equal(old->message, one->message))
			return true;
	return false;
}

/* A finding that several agents share is reported once. */
static enum bl_status take_new(struct validator *v, const struct bl_diags *more)
{
	for (const struct bl_diag *one = more->first; one; one = one->next) {
		struct bl_diag *copy;

		if (is_known(v->diags, one))
			continue;
		copy = bl_diags_add(
			v->diags, one->severity, one->code,
			&(struct bl_diag_source){ one->file, BL_STR("") },
			one->place, NULL, "%.*s", BL_STR_ARG(one->message));
		if (!copy)
			continue; /* counted */
		copy->hint = one->hint;
		copy->source_line = one->source_line;
	}
	return bl_arena_status(v->arena) ? bl_arena_fail(v->arena, v->err)
					 : BL_OK;
}

static enum bl_status check_harness(struct validator *v, struct bl_str harness)
{
	const struct bl_policy_load_options load = {
		.project_dir = v->options->dir,
		.harness = harness,
	};
	const struct bl_policy_set *set;
	struct bl_diags found;
	enum bl_status status;

	bl_diags_init(&found, v->arena);
	status = bl_policy_load(&load, v->arena, &found, &set, v->err);
	return status ? status : take_new(v, &found);
}

static enum bl_status check_folder(struct validator *v, struct bl_str policies,
				   struct bl_str harness, size_t *count)
{
	struct bl_str path = bl_path_join(v->arena, policies, harness);
	struct bl_diags ignored; /* loading reports them */
	struct policy_files files = { .arena = v->arena, .diags = &ignored };
	bool found = false;
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(v->arena, v->err);
	bl_diags_init(&ignored, v->arena);
	status = policy_read_tree(&files, path, POLICY_FILE_POLICY, &found,
				  v->err);
	if (status || !found)
		return status;
	*count += files.count;
	status = check_harness(v, harness);
	for (size_t i = 0; !status && i < files.count; i++)
		if (files.items[i].kind == POLICY_FILE_POLICY)
			status = check_file(v, &files.items[i], harness);
	return status;
}

enum bl_status
bl_policy_validate(const struct bl_policy_validate_options *options,
		   struct bl_arena *arena, struct bl_diags *diags,
		   size_t *out_file_count, struct bl_error *err)
{
	struct validator v = {
		.options = options, .arena = arena, .diags = diags, .err = err
	};
	struct bl_str policies =
		bl_path_join(arena, options->dir, BL_STR("policies"));
	struct bl_str *names = NULL;
	size_t count = 0;
	enum bl_status status = bl_regex_compile(
		arena, BL_STR("\"[^\"]*\"\\s+in\\s+[a-zA-Z_][\\w.]*\\s*$"),
		BL_REGEX_RE2, &v.key_membership, NULL, err);

	*out_file_count = 0;
	if (status)
		return status;
	if (!policies.ptr)
		return bl_arena_fail(arena, err);
	status = bl_os_list_dir(policies, POLICY_MAX_FILES, arena, &names,
				&count, err);
	if (status == BL_NOT_FOUND)
		return check_harness(&v, BL_STR("all"));
	for (size_t i = 0; !status && i < count; i++)
		if (!bl_str_is(names[i], "helpers"))
			status = check_folder(&v, policies, names[i],
					      out_file_count);
	return status;
}

enum bl_status bl_policy_list(struct bl_str dir, struct bl_arena *arena,
			      struct bl_diags *diags,
			      struct bl_policy_info **out_policies,
			      size_t *out_count, struct bl_error *err)
{
	struct bl_str policies = bl_path_join(arena, dir, BL_STR("policies"));
	struct policy_files files = { .arena = arena, .diags = diags };
	struct bl_policy_info *list;
	enum bl_status status;

	if (!policies.ptr)
		return bl_arena_fail(arena, err);
	status = policy_read_tree(&files, policies, POLICY_FILE_POLICY, NULL,
				  err);
	list = bl_arena_new_array(arena, struct bl_policy_info,
				  files.count + 1);
	if (!status && !list)
		status = bl_arena_fail(arena, err);
	for (size_t i = 0; !status && i < files.count; i++) {
		struct policy_metadata metadata;

		status = policy_read_metadata(&files.items[i], arena, diags,
					      &metadata, err);
		list[i] = (struct bl_policy_info){
			.path = files.items[i].path,
			.package = metadata.package,
			.metadata = metadata.value,
			.is_builtin =
				files.items[i].kind == POLICY_FILE_BUILTIN,
		};
	}
	*out_policies = list;
	*out_count = files.count;
	return status;
}

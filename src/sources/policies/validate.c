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
	struct bl_str agent; /* whose it is; "all" */
	unsigned told;       /* verbs that were complained of */
	/* For the grouping of rules: the verb before, those that are done. */
	struct bl_str last_set;
	struct bl_str done[64];
	size_t done_count;
};

enum rule {
	RULE_EVENT,
	RULE_SOME_EVENTS,
	RULE_UNKNOWN_EVENT,
	RULE_ODD_EVENT,
	RULE_UNKNOWN_TOOL,
	RULE_ODD_TOOL,
	RULE_STRUCTURE,
	RULE_MEMBERSHIP,
	RULE_GROUPING,
	RULE_PLACEMENT,
	RULE_ROUTING,
	RULE_ROUTING_KEY,
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
	[RULE_SOME_EVENTS] = { "policy/decision-event-compatibility",
			       BL_SEVERITY_WARNING, NULL },
	[RULE_UNKNOWN_EVENT] = { "policy/unknown-event", BL_SEVERITY_ERROR,
				 NULL },
	[RULE_ODD_EVENT] = { "policy/unknown-event", BL_SEVERITY_WARNING,
			     NULL },
	[RULE_UNKNOWN_TOOL] = { "policy/unknown-tool", BL_SEVERITY_ERROR,
				"a tool of your own that is named so is "
				"matched by a wildcard, such as 'lint*'" },
	[RULE_ODD_TOOL] = { "policy/unknown-tool", BL_SEVERITY_WARNING,
			    "names are compared letter for letter" },
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
	[RULE_ROUTING_KEY] = { "policy/routing-metadata", BL_SEVERITY_ERROR,
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

static bool is_pattern(struct bl_str name)
{
	return memchr(name.ptr, '*', name.len) ||
	       memchr(name.ptr, '?', name.len);
}

/*
 * A verb of a rule: at which events can it do nothing?  One finding for all of
 * them; an error only when it can do nothing at all.
 */
static void check_verb(struct checking *c, enum bl_verb verb, uint32_t line)
{
	const struct bl_names *events = &c->metadata.events;
	struct bl_arena *arena = c->v->arena;
	struct bl_str idle = BL_STR("");
	size_t works = 0;

	for (size_t i = 0; i < events->count; i++) {
		struct bl_str event = events->items[i];
		const char *near;
		unsigned verbs;

		if (is_pattern(event)) {
			works++;
			continue;
		}
		if (!c->v->options->verbs_at(c->agent, event, &verbs, &near))
			continue;
		if (verbs & (1U << (unsigned)verb))
			works++;
		else
			idle = bl_arena_printf(
				arena, "%.*s%s%.*s", BL_STR_ARG(idle),
				idle.len ? ", " : "", BL_STR_ARG(event));
	}
	if (!idle.len)
		return;
	c->told |= 1U << (unsigned)verb;
	note(c, works ? RULE_SOME_EVENTS : RULE_EVENT, line,
	     bl_arena_printf(arena, "%s has no effect at the event%s %.*s",
			     bl_verb_name(verb),
			     memchr(idle.ptr, ',', idle.len) ? "s" : "",
			     BL_STR_ARG(idle)));
}

static void check_head_events(void *context, const struct bl_rego_head *head)
{
	struct checking *c = context;

	for (int verb = BL_VERB_HALT; verb > BL_VERB_ALLOW; verb--)
		if (bl_str_is(head->name, bl_verb_name((enum bl_verb)verb)) &&
		    !(c->told & (1U << (unsigned)verb)))
			check_verb(c, (enum bl_verb)verb, head->line);
}

static void check_event_name(struct checking *c, struct bl_str event,
			     bool is_alone, const char *near)
{
	struct bl_arena *arena = c->v->arena;
	bool is_of_all = bl_str_is(c->agent, "all");
	struct bl_str text = bl_arena_printf(
		arena, "no event of %s%.*s has the name %.*s%s%s%s",
		is_of_all ? "any agent" : "", is_of_all ? 0 : (int)c->agent.len,
		c->agent.ptr, BL_STR_ARG(event), near ? "; did you mean '" : "",
		near       ? near
		: is_alone ? ": this policy can never run"
			   : ": there, this policy runs only if there is one",
		near ? "'?" : "");

	note(c, near || is_alone ? RULE_UNKNOWN_EVENT : RULE_ODD_EVENT,
	     c->metadata.line, text);
}

static void check_event_names(struct checking *c)
{
	const struct bl_names *events = &c->metadata.events;
	size_t known = 0;
	const char *near;
	unsigned verbs;

	for (size_t i = 0; i < events->count; i++)
		known += is_pattern(events->items[i]) ||
			 c->v->options->verbs_at(c->agent, events->items[i],
						 &verbs, &near);
	for (size_t i = 0; i < events->count; i++)
		if (!is_pattern(events->items[i]) &&
		    !c->v->options->verbs_at(c->agent, events->items[i], &verbs,
					     &near))
			check_event_name(c, events->items[i], !known, near);
}

static bool is_listed(const struct bl_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (bl_str_is(names->items[i], name))
			return true;
	return false;
}

/* A name that is right but for the case of its letters matches nothing. */
static void check_tool_case(struct checking *c, struct bl_str tool)
{
	const struct bl_names *tools = &c->metadata.tools;
	const char *kind;
	const char *meant = c->v->options->recased_tool(c->agent, tool, &kind);
	struct bl_str text;

	if (!meant || is_listed(tools, meant) || is_listed(tools, kind))
		return;
	if (bl_str_is(c->agent, "all"))
		text = bl_arena_printf(
			c->v->arena,
			"some agents call their tool '%s', and not %.*s: this "
			"policy does not run there; the kind '%s' is that of "
			"all",
			meant, BL_STR_ARG(tool), kind);
	else
		text = bl_arena_printf(
			c->v->arena,
			"%.*s has no tool %.*s; did you mean '%s'?",
			BL_STR_ARG(c->agent), BL_STR_ARG(tool), meant);
	note(c, RULE_ODD_TOOL, c->metadata.line, text);
}

static void check_tool_names(struct checking *c)
{
	const struct bl_names *tools = &c->metadata.tools;

	for (size_t i = 0; i < tools->count; i++) {
		struct bl_str tool = tools->items[i];
		const char *near = is_pattern(tool)
					   ? NULL
					   : c->v->options->near_tool(tool);

		if (near)
			note(c, RULE_UNKNOWN_TOOL, c->metadata.line,
			     bl_arena_printf(c->v->arena,
					     "no agent has a tool %.*s; did "
					     "you mean '%s'?",
					     BL_STR_ARG(tool), near));
		else if (!is_pattern(tool) && c->v->options->recased_tool)
			check_tool_case(c, tool);
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

/* The key of custom.routing that another name there was to be; NULL: none. */
static const char *meant_key(struct bl_str name)
{
	static const char *const keys[] = { "required_events", "required_tools",
					    "required_signals",
					    "demanded_signals" };
	enum { MOST_EDITS = 3, LEAST_TAIL = 5 };
	size_t least = MOST_EDITS + 1;
	const char *meant = NULL;

	for (size_t i = 0; i < BL_COUNT(keys); i++) {
		size_t edits = bl_str_distance(name, bl_str(keys[i]));

		if (!edits)
			return NULL;
		if (edits < least || (!meant && name.len >= LEAST_TAIL &&
				      bl_str_has_suffix(bl_str(keys[i]), name)))
			meant = keys[i];
		if (edits < least)
			least = edits;
	}
	return meant;
}

/* A name that is misspelt says nothing: Cupcake, too, reads only those it knows. */
static void check_routing_keys(struct checking *c)
{
	struct bl_value routing =
		policy_at(c->metadata.value, "custom.routing");

	for (size_t i = 0; i < bl_value_count(routing); i++) {
		struct bl_str name = bl_value_text(bl_object_key(routing, i));
		const char *meant = meant_key(name);

		if (meant)
			note(c, RULE_ROUTING_KEY, c->metadata.line,
			     bl_arena_printf(c->v->arena,
					     "custom.routing has no key "
					     "'%.*s'; did you mean '%s'?",
					     BL_STR_ARG(name), meant));
	}
}

/* Was the file said to never run? */
static bool is_idle(const struct checking *c)
{
	for (const struct bl_diag *one = c->v->diags->first; one;
	     one = one->next)
		if (one->severity == rules[RULE_ROUTING_KEY].severity &&
		    !strcmp(one->code, rules[RULE_ROUTING_KEY].code) &&
		    bl_str_equal(one->file, c->file->path))
			return true;
	return false;
}

static void check_metadata(struct checking *c)
{
	const struct policy_metadata *metadata = &c->metadata;

	if (bl_value_is_defined(metadata->value) && !metadata->before_package &&
	    metadata->has_routing)
		note(c, RULE_PLACEMENT, metadata->line,
		     BL_STR("the metadata of a package stands before its "
			    "\"package\" line"));
	if (metadata->has_routing && !metadata->events.count &&
	    !metadata->tools.count && !is_idle(c))
		note(c, RULE_ROUTING, metadata->line,
		     BL_STR("without required_events this policy runs only "
			    "when another one does"));
	if (metadata->tools.count && !metadata->events.count)
		note(c, RULE_ROUTING, metadata->line,
		     BL_STR("required_tools without required_events: Cupcake "
			    "would skip this policy"));
	check_routing_keys(c);
}

static enum bl_status check_file(struct validator *v,
				 const struct policy_file *file,
				 struct bl_str agent)
{
	struct checking c = { .v = v, .file = file, .agent = agent };
	struct bl_diags ignored; /* loading has reported them */
	const struct bl_rego_module *module;
	size_t offset;
	enum bl_status status;

	bl_diags_init(&ignored, v->arena);
	status = policy_read_metadata(file, v->arena, &ignored, &c.metadata,
				      v->err);
	if (status || !c.metadata.package.len || c.metadata.is_test ||
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
	if (v->options->near_tool)
		check_tool_names(&c);
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

/* Policies that wait for another one to run, where none ever does. */
static void check_routed(const struct bl_policy_dir *dir,
			 struct bl_diags *diags)
{
	for (size_t i = 0; i < dir->policy_count; i++)
		if (dir->policies[i].events.count ||
		    dir->policies[i].tools.count)
			return;
	for (size_t i = 0; i < dir->policy_count; i++)
		if (dir->policies[i].document_count)
			bl_diags_add(
				diags, rules[RULE_ROUTING_KEY].severity,
				rules[RULE_ROUTING_KEY].code,
				&(struct bl_diag_source){ dir->policies[i].file,
							  BL_STR("") },
				(struct bl_place){ .line = 0 }, NULL,
				"no policy here has required_events, so %.*s "
				"never "
				"runs",
				BL_STR_ARG(dir->policies[i].package));
}

static enum bl_status check_agent(struct validator *v, struct bl_str agent)
{
	const struct bl_policy_load_options load = {
		.places[BL_POLICY_PROJECT].path = v->options->dir,
		.agent = agent,
		.agent_at = v->options->agent_at,
	};
	const struct bl_policy_set *set;
	struct bl_diags found;
	enum bl_status status;

	bl_diags_init(&found, v->arena);
	status = bl_policy_load(&load, v->arena, &found, &set, v->err);
	if (status)
		return status;
	if (!set->dirs[BL_POLICY_PROJECT].problem_count)
		check_routed(&set->dirs[BL_POLICY_PROJECT], &found);
	return take_new(v, &found);
}

/* The agent whose folder below policies a file is in; "all": none. */
static struct bl_str agent_of(const struct policy_files *files,
			      struct bl_str policies, struct bl_str path)
{
	struct bl_str name = BL_STR("all");
	size_t end;

	if (!bl_str_has_prefix(path, policies))
		return name;
	end = bl_str_find(path, BL_STR("/"), policies.len + 1);
	if (end == SIZE_MAX)
		return name;
	path = bl_str_slice(path, policies.len + 1, end);
	for (size_t i = 0; files->agent_at && files->agent_at(i); i++)
		if (bl_str_is(path, files->agent_at(i)))
			return path;
	return name;
}

/* Loads as each agent does that has files of its own, or as any. */
static enum bl_status check_loading(struct validator *v,
				    const struct policy_files *files,
				    struct bl_str policies)
{
	struct bl_str last = BL_STR("all");
	enum bl_status status = BL_OK;
	bool any = false;

	if (v->options->agent.len)
		return check_agent(v, v->options->agent);
	/* Sorted by folder: the files of an agent stand together. */
	for (size_t i = 0; !status && i < files->count; i++) {
		struct bl_str agent =
			agent_of(files, policies, files->items[i].path);

		if (bl_str_is(agent, "all") || bl_str_equal(agent, last))
			continue;
		last = agent;
		any = true;
		status = check_agent(v, agent);
	}
	return status || any ? status : check_agent(v, last);
}

static enum bl_status check_files(struct validator *v,
				  const struct policy_files *files,
				  struct bl_str policies, size_t *out_count)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < files->count; i++) {
		const struct policy_file *file = &files->items[i];

		*out_count += bl_str_has_prefix(file->path, policies);
		if (file->kind == POLICY_FILE_POLICY ||
		    file->kind == POLICY_FILE_SYSTEM)
			status = check_file(
				v, file, agent_of(files, policies, file->path));
	}
	return status;
}

/* ---- the whole directory ----------------------------------------------------- */

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
	struct bl_diags ignored; /* loading reports them */
	struct policy_files files = { .arena = arena,
				      .diags = &ignored,
				      .agent = options->agent,
				      .agent_at = options->agent_at };
	bool has_policies;
	enum bl_status status = bl_regex_compile(
		arena, BL_STR("\"[^\"]*\"\\s+in\\s+[a-zA-Z_][\\w.]*\\s*$"),
		BL_REGEX_RE2, &v.key_membership, NULL, err);

	*out_file_count = 0;
	bl_diags_init(&ignored, arena);
	if (!policies.ptr)
		return bl_arena_fail(arena, err);
	if (!status)
		status = policy_collect(&files, options->dir, &has_policies,
					err);
	if (!status)
		status = check_loading(&v, &files, policies);
	if (!status)
		status = policy_check_weakening(options, arena, diags, err);
	return status ? status
		      : check_files(&v, &files, policies, out_file_count);
}

enum bl_status bl_policy_list(const struct bl_policy_validate_options *options,
			      struct bl_arena *arena, struct bl_diags *diags,
			      struct bl_policy_infos *out_list,
			      struct bl_error *err)
{
	struct policy_files files = { .arena = arena,
				      .diags = diags,
				      .agent = options->agent,
				      .agent_at = options->agent_at };
	struct bl_policy_infos list = { 0 };
	bool has_policies;
	enum bl_status status =
		policy_collect(&files, options->dir, &has_policies, err);

	list.items = bl_arena_new_array(arena, struct bl_policy_info,
					files.count + 1);
	if (!status && !list.items)
		status = bl_arena_fail(arena, err);
	for (size_t i = 0; !status && i < files.count; i++) {
		const struct policy_file *file = &files.items[i];
		struct policy_metadata metadata;

		status = policy_read_metadata(file, arena, diags, &metadata,
					      err);
		if (metadata.is_test || file->kind == POLICY_FILE_STRAY ||
		    (file->kind == POLICY_FILE_SYSTEM &&
		     (!metadata.has_routing ||
		      policy_is_system(metadata.package))))
			continue;
		list.items[list.count++] = (struct bl_policy_info){
			.path = file->path,
			.package = metadata.package,
			.metadata = metadata.value,
			.is_builtin = file->kind == POLICY_FILE_BUILTIN,
		};
	}
	*out_list = list;
	return status;
}

enum bl_status bl_policy_paths(const struct bl_policy_validate_options *options,
			       struct bl_arena *arena,
			       struct bl_names *out_paths, struct bl_error *err)
{
	struct bl_diags ignored;
	struct policy_files files = { .arena = arena,
				      .diags = &ignored,
				      .agent = options->agent,
				      .agent_at = options->agent_at,
				      .with_tests = true };
	struct bl_str *paths;
	size_t count = 0;
	bool has_policies;
	enum bl_status status;

	bl_diags_init(&ignored, arena);
	status = policy_collect(&files, options->dir, &has_policies, err);
	paths = bl_arena_new_array(arena, struct bl_str, files.count + 1);
	if (!status && !paths)
		status = bl_arena_fail(arena, err);
	for (size_t i = 0; !status && i < files.count; i++)
		if (files.items[i].kind != POLICY_FILE_BUILTIN &&
		    files.items[i].kind != POLICY_FILE_STRAY)
			paths[count++] = files.items[i].path;
	*out_paths = (struct bl_names){ paths, count };
	return status;
}

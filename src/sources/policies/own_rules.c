/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_rules.c: what the rules and exceptions that a rulebook holds
 * (docs/formats/rulebook.md) say of an event.  They are data, compared with the
 * facts here, so that an event needs no compiler for them.  It stands apart from
 * packs.c, whose rules are code that belay ships.
 *
 *   rule {"id", "verb": "deny", "subject": "command", "pattern": {...}, "to",
 *         "glob": "migrations/ **", "reason", "instead", "line", "text"}
 *   exception {"rule", "pattern", "path", "ref", "host", "reason", "expires",
 *              "line"}
 *
 * "pattern" is of the subject command (patterns.h), "glob" of the others.
 */
#include "sources/policies/patterns.h"
#include "text/text.h"

/* The rules of one rulebook at work on one event. */
struct own {
	struct policy_run *run;
	const struct bl_policy_dir *dir;
	struct policy_view view;
};

static struct bl_value member(struct bl_value object, const char *name)
{
	return bl_object_find(object, bl_str(name));
}

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(member(object, name));
}

bool policy_has_own_rules(const struct bl_policy_set *set)
{
	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		if (bl_value_count(member(set->dirs[i].rulebook.own, "rules")))
			return true;
	return false;
}

/*
 * Relative paths of the project start where its policy directory lies, and in
 * the workspaces; those of other rulebooks in the workspaces.
 */
static enum bl_status look_from(struct policy_run *run,
				const struct bl_policy_dir *dir,
				struct own *out)
{
	const struct bl_effects_input *world = &run->world;
	bool is_project = dir->origin == BL_POLICY_PROJECT;
	struct bl_str *roots = bl_arena_new_array(run->arena, struct bl_str,
						  world->workspace_count + 2);
	size_t count = 0;

	if (!roots)
		return bl_arena_fail(run->arena, run->err);
	if (is_project)
		roots[count++] = bl_path_dir(dir->path);
	for (size_t i = 0; i < world->workspace_count; i++)
		roots[count++] = world->workspaces[i];
	if (!count)
		roots[count++] = BL_STR("/");
	*out = (struct own){
		.run = run,
		.dir = dir,
		.view = { .arena = run->arena,
			  .facts = &run->found,
			  .cwd = world->cwd,
			  .home = world->home,
			  .roots = roots,
			  .root_count = count,
			  .own_roots = is_project ? 1 : count },
	};
	return BL_OK;
}

/* ---- what a rule is about --------------------------------------------------- */

/* The part of the event that fits a rule, and how well. */
struct fit {
	enum policy_match match;
	size_t command;                      /* SIZE_MAX: none */
	const struct bl_fact_effect *effect; /* NULL: none */
};

static void take(struct fit *best, enum policy_match match, size_t command,
		 const struct bl_fact_effect *effect)
{
	if (match > best->match)
		*best = (struct fit){ match, command, effect };
}

static void fit_command(const struct own *own, struct bl_value rule,
			struct fit *best)
{
	struct bl_str to = text_of(rule, "to");

	for (size_t i = 0; i < own->view.facts->command_count; i++) {
		enum policy_match match = policy_pattern_match(
			&own->view, member(rule, "pattern"), i);
		enum policy_match there = POLICY_MATCH_YES;

		if (own->view.facts->commands[i].is_dry)
			continue;
		if (match != POLICY_MATCH_NO && to.len)
			there = policy_goes_to(&own->view, i, to);
		take(best, match < there ? match : there, i, NULL);
	}
}

static size_t command_of(const struct bl_fact_effect *effect)
{
	return effect->command == UINT32_MAX ? SIZE_MAX : effect->command;
}

static void fit_path(const struct own *own, struct bl_value rule,
		     enum bl_fact_kind kind, struct fit *best)
{
	struct bl_str glob = text_of(rule, "glob");
	const struct bl_facts *facts = own->view.facts;

	for (size_t i = 0; i < facts->effect_count; i++)
		if (facts->effects[i].kind == kind)
			take(best,
			     policy_effect_match(&own->view, glob,
						 &facts->effects[i]),
			     command_of(&facts->effects[i]),
			     &facts->effects[i]);
}

static void fit_read(const struct own *own, struct bl_value rule,
		     struct fit *best)
{
	fit_path(own, rule, BL_FACT_READ, best);
}

/* A file that is gone or has another mode is as much changed. */
static void fit_write(const struct own *own, struct bl_value rule,
		      struct fit *best)
{
	fit_path(own, rule, BL_FACT_WRITE, best);
	fit_path(own, rule, BL_FACT_DELETE, best);
	fit_path(own, rule, BL_FACT_CHMOD, best);
}

static void fit_delete(const struct own *own, struct bl_value rule,
		       struct fit *best)
{
	fit_path(own, rule, BL_FACT_DELETE, best);
}

static void fit_host(const struct own *own, struct bl_value rule,
		     struct fit *best)
{
	struct bl_str glob = text_of(rule, "glob");
	struct bl_str url =
		bl_value_text(policy_at(own->run->event->belay, "tool.url"));
	const struct bl_facts *facts = own->view.facts;

	if (policy_host_match(glob, url))
		take(best, POLICY_MATCH_YES, SIZE_MAX, NULL);
	for (size_t i = 0; i < facts->effect_count; i++) {
		const struct bl_fact_effect *effect = &facts->effects[i];
		enum policy_match match = POLICY_MATCH_NO;

		if (effect->kind != BL_FACT_NETWORK || !effect->has_target ||
		    effect->is_path)
			continue;
		if (policy_host_match(glob, effect->target.text))
			match = POLICY_MATCH_YES;
		else if (effect->target.state == BL_FACT_UNKNOWN)
			match = POLICY_MATCH_MAYBE;
		take(best, match, command_of(effect), effect);
	}
}

/* "db.drop_table" as agents write it that have one name for both. */
static bool is_joined_name(struct bl_arena *arena, struct bl_str glob,
			   struct bl_str tool)
{
	size_t dot = bl_str_find(glob, BL_STR("."), 0);

	return bl_wildcard_match(
		bl_arena_printf(arena, "%.*s_%.*s", (int)dot, glob.ptr,
				(int)(glob.len - dot - 1), glob.ptr + dot + 1),
		tool, 0);
}

static void fit_mcp(const struct own *own, struct bl_value rule,
		    struct fit *best)
{
	const struct bl_policy_event *event = own->run->event;
	struct bl_value mcp = policy_at(event->belay, "tool.mcp");
	struct bl_str server = text_of(mcp, "server");
	struct bl_str tool = text_of(mcp, "tool");
	struct bl_str glob = text_of(rule, "glob");
	size_t dot = bl_str_find(glob, BL_STR("."), 0);
	bool fits;

	/* The server is not always known: then the tool's name counts. */
	if (tool.len)
		fits = bl_wildcard_match(bl_str_slice(glob, dot + 1, SIZE_MAX),
					 tool, 0) &&
		       (!server.len ||
			bl_wildcard_match(bl_str_slice(glob, 0, dot), server,
					  0));
	else
		fits = event->tool.len &&
		       is_joined_name(own->view.arena, glob, event->tool);
	if (fits)
		take(best, POLICY_MATCH_YES, SIZE_MAX, NULL);
}

static const struct {
	const char *name;
	void (*fit)(const struct own *own, struct bl_value rule,
		    struct fit *best);
} subjects[] = {
	{ "command", fit_command }, { "read", fit_read },
	{ "write", fit_write },     { "delete", fit_delete },
	{ "host", fit_host },       { "mcp", fit_mcp },
};

/* ---- what is said --------------------------------------------------------------- */

enum { MAX_SHOWN = 160 };

/* The words of a command, cut where they are many. */
static struct bl_str line_of(const struct own *own, size_t index)
{
	const struct bl_fact_command *command =
		&own->view.facts->commands[index];
	struct bl_str text;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	for (size_t i = 0; i < command->argc && buf.len <= MAX_SHOWN; i++)
		bl_buf_printf(&buf, "%s%.*s", i ? " " : "",
			      BL_STR_ARG(command->argv[i].text));
	text = bl_buf_str(&buf);
	text = bl_arena_printf(
		own->view.arena, "`%.*s%s`",
		(int)(text.len < MAX_SHOWN ? text.len : MAX_SHOWN), text.ptr,
		text.len > MAX_SHOWN ? "..." : "");
	bl_buf_clear(&buf);
	return text;
}

static struct bl_str what_of(const struct own *own, const struct fit *fit)
{
	static const struct {
		enum bl_fact_kind kind;
		const char *words;
	} verbs[] = {
		{ BL_FACT_READ, "reads" },
		{ BL_FACT_WRITE, "writes" },
		{ BL_FACT_DELETE, "deletes" },
		{ BL_FACT_CHMOD, "changes the mode or owner of" },
		{ BL_FACT_NETWORK, "connects to" },
	};
	struct bl_str who = fit->command != SIZE_MAX
				    ? line_of(own, fit->command)
			    : own->run->world.line.len ? BL_STR("the line")
						       : BL_STR("the tool");

	for (size_t i = 0; fit->effect && i < BL_COUNT(verbs); i++)
		if (fit->effect->kind == verbs[i].kind)
			return bl_arena_printf(
				own->view.arena, "%.*s %s %.*s",
				BL_STR_ARG(who), verbs[i].words,
				BL_STR_ARG(fit->effect->target.text));
	if (fit->command == SIZE_MAX)
		return bl_arena_printf(own->view.arena, "the tool %.*s",
				       BL_STR_ARG(own->run->event->tool));
	return who;
}

/* ".belay/rulebook.yml:3": enough to find it, and the same on every machine. */
static struct bl_str place_of(const struct own *own, struct bl_value rule)
{
	struct bl_str path = own->dir->rulebook.path;
	struct bl_str folder = bl_path_base(own->dir->path);
	struct bl_str name = bl_path_base(path);
	int64_t line = 0;

	(void)bl_number_to_integer(member(rule, "line"), &line);
	if (own->dir->origin == BL_POLICY_PROJECT)
		path = bl_arena_printf(own->view.arena, "%.*s/%.*s",
				       BL_STR_ARG(folder), BL_STR_ARG(name));
	return bl_arena_printf(own->view.arena, "%.*s:%lld", BL_STR_ARG(path),
			       (long long)line);
}

static struct bl_value raw_of(const struct own *own, struct bl_value rule,
			      const struct fit *fit, struct bl_str what)
{
	struct bl_object_builder made;
	struct bl_shell_span span = { 0 };
	struct bl_value ends[2];

	if (fit->effect)
		span = fit->effect->span;
	else if (fit->command != SIZE_MAX)
		span = own->view.facts->commands[fit->command].span;
	ends[0] = bl_value_integer(span.start);
	ends[1] = bl_value_integer(span.end);
	bl_object_builder_init(&made, own->view.arena);
	bl_object_builder_add(&made, BL_STR("rule"), member(rule, "id"));
	bl_object_builder_add(&made, BL_STR("what"), bl_value_string(what));
	bl_object_builder_add(&made, BL_STR("span"),
			      bl_array_make(own->view.arena, ends, 2));
	return bl_object_builder_end(&made);
}

/* "REASON: WHAT (PLACE)." */
static struct bl_str reason_of(const struct own *own, struct bl_value rule,
			       const struct fit *fit, enum bl_verb verb)
{
	struct bl_arena *arena = own->view.arena;
	struct bl_str reason = text_of(rule, "reason");
	struct bl_str what = what_of(own, fit);
	struct bl_str text = text_of(rule, "text");
	struct bl_str to = text_of(rule, "to");
	struct bl_str place = place_of(own, rule);

	if (!reason.len)
		reason = verb == BL_VERB_DENY
				 ? BL_STR("A rule of the rulebook refuses it")
				 : BL_STR("A rule of the rulebook asks first");
	if (fit->match == POLICY_MATCH_MAYBE)
		what = bl_arena_printf(
			arena,
			"%.*s may be `%.*s`%s%.*s, but a part of "
			"it is not known before it runs",
			BL_STR_ARG(what), BL_STR_ARG(text),
			to.len ? " to " : "", BL_STR_ARG(to));
	return bl_arena_printf(arena, "%.*s: %.*s (%.*s).", BL_STR_ARG(reason),
			       BL_STR_ARG(what), BL_STR_ARG(place));
}

static enum bl_status add_finding(const struct own *own, struct bl_value rule,
				  const struct fit *fit, enum bl_verb verb)
{
	struct policy_run *run = own->run;
	struct bl_policy_report *report = run->report;
	struct bl_str instead = text_of(rule, "instead");
	struct bl_str reason = reason_of(own, rule, fit, verb);
	struct bl_policy_finding *finding;

	report->findings = bl_arena_room(
		run->arena, report->findings, report->finding_count,
		&run->finding_cap, sizeof(*report->findings));
	if (!report->findings || !reason.ptr)
		return bl_arena_fail(run->arena, run->err);
	finding = &report->findings[report->finding_count++];
	*finding = (struct bl_policy_finding){
		.verb = verb,
		.reason = reason,
		.user = reason,
		.rule_id = text_of(rule, "id"),
		.severity = BL_STR("high"),
		.raw = raw_of(own, rule, fit, reason),
		.can_be_allowed = true,
	};
	if (!instead.len)
		return BL_OK;
	finding->safe_alternative = instead;
	finding->user =
		bl_arena_printf(run->arena, "%.*s Instead: %.*s.",
				BL_STR_ARG(reason), BL_STR_ARG(instead));
	return finding->user.ptr ? BL_OK : bl_arena_fail(run->arena, run->err);
}

/* ---- deny and ask ------------------------------------------------------------------ */

static struct fit fit_of(const struct own *own, struct bl_value rule)
{
	struct bl_str subject = text_of(rule, "subject");
	struct fit best = { POLICY_MATCH_NO, SIZE_MAX, NULL };

	for (size_t i = 0; i < BL_COUNT(subjects); i++)
		if (bl_str_is(subject, subjects[i].name))
			subjects[i].fit(own, rule, &best);
	return best;
}

static enum bl_status judge_rule(const struct own *own, struct bl_value rule)
{
	struct bl_str word = text_of(rule, "verb");
	enum bl_verb verb =
		bl_str_is(word, "deny") ? BL_VERB_DENY : BL_VERB_ASK;
	struct fit fit;

	if (bl_str_is(word, "allow"))
		return BL_OK;
	fit = fit_of(own, rule);
	if (fit.match == POLICY_MATCH_NO)
		return BL_OK;
	/* A person sees what the rule cannot. */
	if (fit.match == POLICY_MATCH_MAYBE)
		verb = BL_VERB_ASK;
	return add_finding(own, rule, &fit, verb);
}

enum bl_status policy_judge_by_own_rules(struct policy_run *run)
{
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		const struct bl_policy_dir *dir = &run->set->dirs[i];
		struct bl_value rules = member(dir->rulebook.own, "rules");
		enum bl_status status = BL_OK;
		struct own own;

		if (!bl_value_count(rules))
			continue;
		status = look_from(run, dir, &own);
		for (size_t j = 0; !status && j < bl_value_count(rules); j++)
			status = judge_rule(&own, bl_value_item(rules, j));
		if (status)
			return status;
	}
	return BL_OK;
}

/* ---- allow and exceptions ------------------------------------------------------------ */

/* A hit of a pack, by the fact that it is about. */
struct subject {
	struct bl_str rule;
	struct bl_value fact; /* an effect, a command, something opaque */
	size_t command;       /* SIZE_MAX: none */
	bool is_opaque;
};

static struct subject subject_of(struct bl_value hit)
{
	struct bl_value fact = member(hit, "with");
	struct bl_value index = member(fact, "command");
	struct subject subject = {
		.rule = text_of(hit, "rule"),
		.fact = fact,
		.command = SIZE_MAX,
		.is_opaque = bl_value_is_defined(member(fact, "reason")),
	};
	int64_t number;

	if (!bl_value_is_defined(index))
		index = member(fact, "index");
	if (bl_number_to_integer(index, &number))
		subject.command = (size_t)number;
	return subject;
}

static bool has_known_path(const struct subject *subject)
{
	return bl_value_is_true(member(subject->fact, "path")) &&
	       bl_str_is(text_of(subject->fact, "state"), "known");
}

static bool is_in_own_roots(const struct policy_view *view, struct bl_str path)
{
	struct bl_str real;

	if (bl_path_follow(view->arena, path, &real, NULL, NULL))
		return false;
	for (size_t i = 0; i < view->own_roots; i++)
		if (bl_path_is_in(real, view->roots[i]))
			return true;
	return false;
}

/* Nothing that the command changes lies elsewhere than the pattern says. */
static bool stays_within(const struct policy_view *view,
			 struct bl_value pattern, size_t command)
{
	for (size_t i = 0; i < view->facts->effect_count; i++) {
		const struct bl_fact_effect *effect = &view->facts->effects[i];

		if (effect->command != command || !effect->is_path ||
		    effect->kind == BL_FACT_READ)
			continue;
		if (effect->target.state != BL_FACT_KNOWN ||
		    !policy_pattern_reaches(view, pattern, effect->target.text))
			return false;
	}
	return true;
}

static bool is_that_command(const struct own *own, struct bl_value pattern,
			    const struct subject *subject)
{
	const struct policy_view *view = &own->view;

	if (subject->command >= view->facts->command_count ||
	    subject->is_opaque ||
	    !policy_pattern_is(view, pattern, subject->command) ||
	    !is_in_own_roots(view,
			     view->facts->commands[subject->command].cwd.text))
		return false;
	if (has_known_path(subject) &&
	    !policy_pattern_reaches(view, pattern,
				    text_of(subject->fact, "target")))
		return false;
	return stays_within(view, pattern, subject->command);
}

static bool is_that_path(const struct own *own, struct bl_str glob,
			 const struct subject *subject)
{
	return has_known_path(subject) &&
	       policy_path_match(&own->view, own->view.own_roots, glob,
				 text_of(subject->fact, "target"));
}

static bool is_that_host(struct bl_str glob, const struct subject *subject)
{
	return bl_str_is(text_of(subject->fact, "kind"), "network") &&
	       policy_host_match(glob, text_of(subject->fact, "target"));
}

/* An allow rule: the command, the path by the same kind of access, the host. */
static bool allows(const struct own *own, struct bl_value rule,
		   const struct subject *subject)
{
	struct bl_str word = text_of(rule, "subject");
	struct bl_str glob = text_of(rule, "glob");
	struct fit fit = { POLICY_MATCH_NO, SIZE_MAX, NULL };

	if (!bl_str_is(text_of(rule, "verb"), "allow"))
		return false;
	if (bl_str_is(word, "command"))
		return is_that_command(own, member(rule, "pattern"), subject);
	if (bl_str_is(word, "host"))
		return is_that_host(glob, subject);
	if (bl_str_is(word, "mcp")) {
		fit_mcp(own, rule, &fit);
		return fit.match == POLICY_MATCH_YES;
	}
	return bl_str_equal(word, text_of(subject->fact, "kind")) &&
	       is_that_path(own, glob, subject);
}

static bool is_that_rule(struct bl_str named, struct bl_str rule)
{
	return bl_str_equal(named, rule) ||
	       bl_str_equal(named,
			    bl_str_slice(rule, 0,
					 bl_str_find(rule, BL_STR("/"), 0)));
}

/* An exception: all that it names must fit. */
static bool excepts(const struct own *own, struct bl_value exception,
		    const struct subject *subject)
{
	struct bl_value pattern = member(exception, "pattern");
	struct bl_str path = text_of(exception, "path");
	struct bl_str ref = text_of(exception, "ref");
	struct bl_str host = text_of(exception, "host");

	if (!is_that_rule(text_of(exception, "rule"), subject->rule))
		return false;
	if (bl_value_is_defined(pattern) &&
	    !is_that_command(own, pattern, subject))
		return false;
	if (path.len && !is_that_path(own, path, subject))
		return false;
	if (ref.len &&
	    !bl_wildcard_match(
		    ref, policy_branch_of(text_of(subject->fact, "target")), 0))
		return false;
	return !host.len || is_that_host(host, subject);
}

const struct bl_policy_dir *policy_forbidder(const struct bl_policy_set *set,
					     enum bl_policy_origin origin)
{
	for (int i = 0; i < (int)origin; i++) {
		const struct bl_rulebook *book = &set->dirs[i].rulebook;

		if (book->weaken == BL_WEAKEN_FORBID ||
		    (book->weaken == BL_WEAKEN_UNSET &&
		     book->level != BL_LEVEL_UNSET))
			return &set->dirs[i];
	}
	return NULL;
}

/* Today, as rulebooks write dates. */
static struct bl_str today(struct bl_arena *arena)
{
	char text[BL_OS_TIME_TEXT_BYTES];

	bl_os_format_time(bl_os_wall_ms(), text);
	return bl_arena_printf(arena, "%.10s", text);
}

/* Why a rule or an exception that fits does not count; empty: it counts. */
static enum bl_status check_loosening(const struct own *own,
				      struct bl_value rule, const char *what,
				      struct bl_str *out_note)
{
	struct policy_run *run = own->run;
	const struct bl_policy_dir *above =
		policy_forbidder(run->set, own->dir->origin);
	struct bl_str expires = text_of(rule, "expires");
	struct bl_str place = place_of(own, rule);

	*out_note = BL_STR("");
	if (expires.len && bl_str_compare(expires, today(run->arena)) < 0) {
		*out_note = bl_arena_printf(
			run->arena, "The exception %.*s ended on %.*s.",
			BL_STR_ARG(place), BL_STR_ARG(expires));
		return BL_OK;
	}
	if (!above)
		return BL_OK;
	*out_note = bl_arena_printf(run->arena,
				    "The %s %.*s does not count: %.*s does not "
				    "let other rulebooks weaken it.",
				    what, BL_STR_ARG(place),
				    BL_STR_ARG(above->rulebook.path));
	return policy_trouble(run, BL_FAILURE_WEAKENING, NULL, *out_note);
}

static struct bl_str let_pass_by(const struct own *own, struct bl_value rule)
{
	struct bl_str place = place_of(own, rule);

	return bl_arena_printf(own->view.arena, "Let pass by %.*s.",
			       BL_STR_ARG(place));
}

/* Goes through the rules, or the exceptions, of one rulebook. */
static enum bl_status spare_by(const struct own *own,
			       const struct subject *subject, bool by_exception,
			       bool *out_spared, struct bl_str *out_note)
{
	struct bl_value list = member(own->dir->rulebook.own,
				      by_exception ? "exceptions" : "rules");
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < bl_value_count(list); i++) {
		struct bl_value one = bl_value_item(list, i);
		struct bl_str note = { NULL, 0 };

		if (by_exception ? !excepts(own, one, subject)
				 : !allows(own, one, subject))
			continue;
		status = check_loosening(
			own, one, by_exception ? "exception" : "allow rule",
			&note);
		if (status || *out_spared)
			continue;
		*out_spared = !note.len;
		*out_note = note.len ? note : let_pass_by(own, one);
	}
	return status;
}

enum bl_status policy_spares(struct policy_run *run, struct bl_value hit,
			     bool *out_spared, struct bl_str *out_note)
{
	struct subject subject = subject_of(hit);
	bool is_guard = bl_str_has_prefix(subject.rule, BL_STR("guard/"));
	enum bl_status status = BL_OK;

	*out_spared = false;
	*out_note = BL_STR("");
	for (int i = 0; !status && i < BL_POLICY_ORIGINS; i++) {
		const struct bl_policy_dir *dir = &run->set->dirs[i];
		struct own own = { .run = run, .dir = dir };

		/* A project cannot loosen the rules that guard belay. */
		if (!bl_value_is(dir->rulebook.own, BL_KIND_OBJECT) ||
		    (is_guard && i == BL_POLICY_PROJECT))
			continue;
		status = look_from(run, dir, &own);
		if (status)
			return status;
		own.view.is_literal = true;
		status = spare_by(&own, &subject, true, out_spared, out_note);
		if (!status && !is_guard)
			status = spare_by(&own, &subject, false, out_spared,
					  out_note);
	}
	return status;
}

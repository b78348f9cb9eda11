/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packs.c: what the rule packs that belay ships say of an event.  The packs
 * (the folder packs, compiled into the program) say which rules hold: "hits".  The level
 * and the rulebooks decide here what follows from a hit: off,
 * monitored, asked about or refused.  It stands apart from evaluate.c because
 * packs are not policies of a directory: they need no routing, no signals, and
 * their verdict is configuration, not code.
 *
 *   hit {"rule": "git/force-push", "what": "...", "at": [4, 12]}
 *   row {"title", "custom": {"id", "severity", "modes": [R, S, X], "instead"}}
 *   level standard, no other word in the rulebooks: modes[1]
 */
#include "packs/packs.h"
#include "sources/policies/private.h"

static const char *const level_names[] = {
	[BL_LEVEL_UNSET] = "",          [BL_LEVEL_OFF] = "off",
	[BL_LEVEL_RELAXED] = "relaxed", [BL_LEVEL_STANDARD] = "standard",
	[BL_LEVEL_STRICT] = "strict",
};

bool bl_level_parse(struct bl_str text, enum bl_level *out_level)
{
	for (int i = BL_LEVEL_OFF; i < BL_LEVEL_COUNT; i++)
		if (bl_str_is(text, level_names[i])) {
			*out_level = (enum bl_level)i;
			return true;
		}
	return false;
}

const char *bl_level_name(enum bl_level level)
{
	return level_names[level];
}

/* ---- what is configured ---------------------------------------------------- */

enum mode { MODE_OFF, MODE_MONITOR, MODE_ASK, MODE_DENY, MODE_COUNT };

static const char *const mode_names[] = {
	[MODE_OFF] = "off",
	[MODE_MONITOR] = "monitor",
	[MODE_ASK] = "ask",
	[MODE_DENY] = "deny",
};

static bool parse_mode(struct bl_str text, enum mode *out_mode)
{
	for (int i = 0; i < MODE_COUNT; i++)
		if (bl_str_is(text, mode_names[i])) {
			*out_mode = (enum mode)i;
			return true;
		}
	return false;
}

bool policy_is_mode(struct bl_str text)
{
	enum mode mode;

	return parse_mode(text, &mode);
}

enum bl_level bl_policy_level(const struct bl_policy_set *set)
{
	enum bl_level level = BL_LEVEL_UNSET;

	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		if (set->dirs[i].rulebook.level > level)
			level = set->dirs[i].rulebook.level;
	return level;
}

/* Where no rulebook asks for one, the usual level. */
static enum bl_level level_of(const struct policy_run *run)
{
	enum bl_level level = run->options->level;

	if (level == BL_LEVEL_UNSET)
		level = bl_policy_level(run->set);
	return level == BL_LEVEL_UNSET ? run->options->usual_level : level;
}

/*
 * The mode that the rulebooks give a rule, or its pack.  Where one above does
 * not let it loosen, a rulebook can only make a rule stricter.
 */
static enum mode configured_mode(const struct bl_policy_set *set,
				 struct bl_str rule, enum mode usual)
{
	size_t slash = bl_str_find(rule, BL_STR("/"), 0);
	struct bl_str names[] = { rule, bl_str_slice(rule, 0, slash) };
	enum mode mode = usual;

	for (int origin = 0; origin < BL_POLICY_ORIGINS; origin++) {
		struct bl_value modes = set->dirs[origin].rulebook.modes;

		for (size_t i = 0; i < BL_COUNT(names); i++) {
			enum mode said;

			if (!parse_mode(bl_value_text(bl_object_find(modes,
								     names[i])),
					&said))
				continue;
			if (said > mode ||
			    !policy_forbidder(set,
					      (enum bl_policy_origin)origin))
				mode = said;
			break;
		}
	}
	return mode;
}

/* ---- hits ------------------------------------------------------------------- */

/* The packs at work on one event. */
struct judging {
	struct policy_run *run;
	enum bl_level level;
	struct bl_value rules; /* by id */
};

static struct bl_value member(struct bl_value object, const char *name)
{
	return bl_object_find(object, bl_str(name));
}

static struct bl_str text_member(struct bl_value object, const char *name)
{
	return bl_value_text(member(object, name));
}

/* The alternative to suggest: the hit's own word, else the rule's; ptr NULL: none. */
static struct bl_str instead_of(struct bl_value row, struct bl_value hit)
{
	struct bl_str instead = text_member(hit, "instead");

	if (!instead.len)
		instead = text_member(member(row, "custom"), "instead");
	return instead.len ? instead : (struct bl_str){ NULL, 0 };
}

/* "TITLE: WHAT." */
static struct bl_str reason_of(struct judging *j, struct bl_value row,
			       struct bl_value hit)
{
	struct bl_str title = text_member(row, "title");
	struct bl_str what = text_member(hit, "what");

	return bl_arena_printf(j->run->arena, "%.*s%s%.*s.", BL_STR_ARG(title),
			       what.len ? ": " : "", BL_STR_ARG(what));
}

static struct bl_str with_instead(struct judging *j, struct bl_str reason,
				  struct bl_str instead)
{
	if (!instead.len)
		return reason;
	return bl_arena_printf(j->run->arena, "%.*s Instead: %.*s.",
			       BL_STR_ARG(reason), BL_STR_ARG(instead));
}

/* Not the rules that guard belay itself, nor one that no table has. */
static bool can_be_allowed(struct bl_value row, struct bl_str rule)
{
	return bl_value_is_defined(row) &&
	       !bl_str_has_prefix(rule, BL_STR("guard/"));
}

/* note (may be empty) is a word of the rulebook's about this hit. */
static struct bl_policy_finding
make_finding(struct judging *j, struct bl_value row, struct bl_value hit,
	     enum bl_verb verb, struct bl_str note)
{
	struct bl_str rule = text_member(hit, "rule");
	struct bl_str reason = reason_of(j, row, hit);
	struct bl_str instead = instead_of(row, hit);

	if (note.len)
		reason = bl_arena_printf(j->run->arena, "%.*s %.*s",
					 BL_STR_ARG(reason), BL_STR_ARG(note));
	return (struct bl_policy_finding){
		.verb = verb,
		.reason = reason,
		.user = with_instead(j, reason, instead),
		.safe_alternative = instead,
		.rule_id = rule,
		.severity = text_member(member(row, "custom"), "severity"),
		.raw = hit,
		.can_be_allowed = can_be_allowed(row, rule),
	};
}

static enum bl_status add_finding(struct policy_run *run,
				  const struct bl_policy_finding *finding)
{
	struct bl_policy_report *report = run->report;

	report->findings = bl_arena_room(
		run->arena, report->findings, report->finding_count,
		&run->finding_cap, sizeof(*report->findings));
	if (!report->findings || !finding->user.ptr)
		return bl_arena_fail(run->arena, run->err);
	report->findings[report->finding_count++] = *finding;
	return BL_OK;
}

/* A rule's own mode at a level; deny where it does not say. */
static enum mode usual_mode(struct bl_value row, int level)
{
	struct bl_value modes = member(member(row, "custom"), "modes");
	enum mode mode = MODE_DENY;

	parse_mode(bl_value_text(bl_value_item(
			   modes, (size_t)(level - BL_LEVEL_RELAXED))),
		   &mode);
	return mode;
}

const char *bl_policy_rule_mode(const struct bl_policy_set *set,
				struct bl_str rule, struct bl_value row)
{
	enum bl_level level = bl_policy_level(set);

	if (level == BL_LEVEL_UNSET &&
	    bl_str_has_prefix(rule, BL_STR("guard/")))
		level = BL_LEVEL_STANDARD;
	return level <= BL_LEVEL_OFF
		       ? mode_names[MODE_OFF]
		       : mode_names[configured_mode(
				 set, rule, usual_mode(row, (int)level))];
}

/* The verb of a monitored rule at the next level where it has one. */
static enum bl_verb would_be(struct bl_value row, int level)
{
	enum mode mode = MODE_MONITOR;

	for (; level < BL_LEVEL_COUNT && mode < MODE_ASK; level++)
		mode = usual_mode(row, level);
	return mode == MODE_DENY ? BL_VERB_DENY : BL_VERB_ASK;
}

/*
 * remote-code/staged holds because of another rule that would hold later, and only where
 * that one refuses at level standard.
 */
static bool is_refused_later(const struct judging *j, struct bl_value hit)
{
	struct bl_str because = text_member(hit, "because");

	return !because.len || usual_mode(bl_object_find(j->rules, because),
					  BL_LEVEL_STANDARD) == MODE_DENY;
}

/* A rule that the table does not have is refused: it was meant to hold. */
static enum bl_status judge(struct judging *j, struct bl_value hit)
{
	static const enum bl_verb verbs[] = {
		[MODE_ASK] = BL_VERB_ASK, [MODE_DENY] = BL_VERB_DENY
	};
	struct bl_str rule = text_member(hit, "rule");
	struct bl_value row = bl_object_find(j->rules, rule);
	enum mode mode = configured_mode(j->run->set, rule,
					 usual_mode(row, (int)j->level));
	struct bl_policy_finding finding;
	enum bl_status status;
	struct bl_str note;
	bool is_spared;

	if (mode == MODE_OFF || !is_refused_later(j, hit))
		return BL_OK;
	status = policy_spares(j->run, hit, &is_spared, &note);
	if (status)
		return status;
	finding =
		make_finding(j, row, hit,
			     mode == MODE_MONITOR ? would_be(row, (int)j->level)
						  : verbs[mode],
			     note);
	if (is_spared)
		return policy_spare(j->run, &finding, BL_SPARED_EXCEPTED);
	if (mode == MODE_MONITOR)
		return policy_spare(j->run, &finding, BL_SPARED_MONITORED);
	return add_finding(j->run, &finding);
}

static enum bl_status open_packs(struct judging *j, uint32_t document,
				 const struct bl_rego_policies **out_policies)
{
	const struct bl_rego_image_part part = { .image = bl_packs_image(),
						 .documents = &document,
						 .document_count = 1,
						 .is_trusted = true };
	struct bl_value unused;

	return bl_rego_image_open_part(&part, j->run->arena, out_policies,
				       &unused, j->run->err);
}

/* The table of rules is large, and read only when one of them holds. */
static enum bl_status open_rules(struct judging *j)
{
	const struct bl_rego_image_part part = { .image = bl_packs_image(),
						 .is_trusted = true };
	const struct bl_rego_policies *unused;
	struct bl_value extra;
	enum bl_status status = bl_rego_image_open_part(
		&part, j->run->arena, &unused, &extra, j->run->err);

	if (!status)
		j->rules = member(extra, "rules");
	return status;
}

/*
 * Where no rulebook says a level, belay still guards itself: the pack guard, as
 * at level standard, decides about actions that can be stopped and that no
 * policy has refused: the words of a policy are its own.
 */
static bool choose(struct judging *j, uint32_t *out_document)
{
	const struct policy_run *run = j->run;

	j->level = level_of(run);
	*out_document = bl_packs_hits();
	if (j->level != BL_LEVEL_UNSET)
		return j->level > BL_LEVEL_OFF;
	j->level = BL_LEVEL_STANDARD;
	*out_document = bl_packs_guard_hits();
	return run->event->class == BL_CLASS_PERMISSION &&
	       !run->options->no_guard && !policy_has_refused(run->report);
}

static enum bl_status find_hits(struct judging *j, uint32_t document,
				struct bl_value input)
{
	struct policy_run *run = j->run;
	const struct bl_rego_options options = policy_rego_options(run, input);
	const struct bl_rego_policies *policies;
	struct bl_rego_result result = { 0 };
	enum bl_status status = open_packs(j, document, &policies);

	if (!status)
		status = bl_rego_document(policies, document, &options,
					  run->arena, &result, run->err);
	if (!status && result.fault_code)
		return policy_note_fault(run, NULL, &result);
	/* A constant that could not be made may have been a rule's. */
	if (!status && bl_arena_status(run->arena))
		status = bl_arena_fail(run->arena, run->err);
	if (!status && bl_value_count(result.document))
		status = open_rules(j);
	for (size_t i = 0; !status && i < bl_value_count(result.document); i++)
		status = judge(j, bl_value_item(result.document, i));
	return status;
}

enum bl_status policy_judge_by_packs(struct policy_run *run,
				     struct bl_value input)
{
	struct judging j = { .run = run };
	uint32_t document;
	bool asks_packs = choose(&j, &document);
	enum bl_status status;

	if (!asks_packs && !policy_has_own_rules(run->set))
		return BL_OK;
	status = policy_add_facts(run, &input);
	/* Rules that people wrote themselves say it best, and speak first. */
	if (!status)
		status = policy_judge_by_own_rules(run);
	if (!status && asks_packs)
		status = find_hits(&j, document, input);
	return status;
}

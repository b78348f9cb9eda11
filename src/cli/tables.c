/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c: the reference tables, as Markdown. */
#include <stddef.h>

#include "cli/capabilities.h"
#include "cli/tables.h"
#include "packs/packs.h"
#include "rego/rego.h"

static void put_statuses(struct bl_buf *out)
{
	bl_buf_puts(out, "| exit status | meaning |\n|---|---|\n"
			 "| 0 | go on (`dispatch`), or success |\n"
			 "| 2 | refused (`dispatch`) |\n"
			 "| 3 | ask the user (`dispatch`) |\n");
	for (enum bl_status i = BL_OK + 1; i < BL_STATUS_COUNT; i++)
		bl_buf_printf(out, "| %d | %s |\n", bl_status_exit_code(i),
			      bl_status_text(i));
}

static void put_outcomes(struct bl_buf *out)
{
	bl_buf_puts(out, "| outcome | the hook |\n|---|---|\n");
	for (enum bl_outcome_kind i = 0; i < BL_OUTCOME_COUNT; i++)
		bl_buf_printf(out, "| `%s` | %s |\n", bl_outcome_name(i),
			      bl_outcome_text(i));
}

static void put_kinds(struct bl_buf *out)
{
	bl_buf_puts(out, "| kind | phase | when |\n|---|---|---|\n");
	for (enum bl_event_kind i = 0; i < BL_EVENT_KIND_COUNT; i++)
		bl_buf_printf(out, "| `%s` | %s | %s |\n",
			      bl_event_kind_name(i),
			      bl_phase_name(bl_event_kind_phase(i)),
			      bl_event_kind_purpose(i));
}

static const char *const class_names[BL_CLASS_COUNT] = {
	[BL_CLASS_OBSERVE] = "observe",
	[BL_CLASS_PERMISSION] = "permission",
	[BL_CLASS_PROMPT] = "prompt",
};

static void put_subject(struct bl_buf *out,
			const struct bl_hook_event *hook_event)
{
	switch (hook_event->subject) {
	case BL_SUBJECT_NONE:
		bl_buf_puts(out, "none");
		break;
	case BL_SUBJECT_FIELD:
		bl_buf_printf(out, "`%s`", hook_event->subject_text);
		break;
	case BL_SUBJECT_PREFIXED:
		bl_buf_printf(out, "`MCP:` and `%s`", hook_event->subject_text);
		break;
	case BL_SUBJECT_CONSTANT:
		bl_buf_printf(out, "\"%s\"", hook_event->subject_text);
		break;
	}
}

static void put_hook_event(struct bl_buf *out,
			   const struct bl_hook_event *hook_event)
{
	bl_buf_printf(out, "| `%s` | %s | %s | %s | ", hook_event->name,
		      bl_event_kind_name(hook_event->kind),
		      class_names[hook_event->class],
		      hook_event->can_ask ? "yes" : "no");
	put_subject(out, hook_event);
	bl_buf_puts(out, " |");
	for (size_t i = 0; i < hook_event->field_count; i++)
		bl_buf_printf(out, "%s `%s`", i ? "," : "",
			      hook_event->fields[i].name);
	bl_buf_puts(out, " |");
	for (size_t i = 0; i < hook_event->output->field_count; i++)
		bl_buf_printf(out, "%s `%s`", i ? "," : "",
			      hook_event->output->fields[i].name);
	bl_buf_puts(out, " |\n");
}

static const char *const presences[] = {
	[BL_FIELD_REQUIRED] = "required",
	[BL_FIELD_FILLED] = "filled in when absent",
	[BL_FIELD_OPTIONAL] = "optional",
};

static void put_fields(struct bl_buf *out, const char *hook_event,
		       const struct bl_field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bl_buf_printf(out, "| %s | `%s` | %s | %s | %s |\n", hook_event,
			      fields[i].name,
			      bl_field_type_name(fields[i].type),
			      presences[fields[i].presence],
			      fields[i].doc ? fields[i].doc : "");
}

static void put_profile_events(struct bl_buf *out,
			       const struct bl_profile *profile)
{
	const struct bl_contract *contract = bl_contract_get(profile->dialect);

	bl_buf_printf(out,
		      "Profile `%s`:\n\n"
		      "| event | kind | class | can ask | matcher "
		      "subject | payload | answer |\n"
		      "|---|---|---|---|---|---|---|\n",
		      profile->name);
	for (size_t i = 0; i < contract->event_count; i++)
		put_hook_event(out, &contract->events[i]);
	bl_buf_printf(out,
		      "\nFields of payloads in profile `%s`:\n\n"
		      "| event | field | type | presence | meaning |\n"
		      "|---|---|---|---|---|\n",
		      profile->name);
	put_fields(out, "all", contract->common_fields,
		   contract->common_field_count);
	for (size_t i = 0; i < contract->event_count; i++)
		put_fields(out, contract->events[i].name,
			   contract->events[i].fields,
			   contract->events[i].field_count);
}

static void put_events(struct bl_buf *out)
{
	for (size_t i = 0; bl_profile_at(i); i++) {
		if (i)
			bl_buf_put_char(out, '\n');
		put_profile_events(out, bl_profile_at(i));
	}
}

/* Yes or no of a profile: the rows of its table. */
static const struct {
	const char *what;
	size_t offset; /* of a bool in struct bl_profile */
} profile_rows[] = {
	{ "hook files may hold comments",
	  offsetof(struct bl_profile, allow_comments) },
	{ "hooks have options (`matcher`, `timeout`, ...)",
	  offsetof(struct bl_profile, has_options) },
	{ "plugins bring hooks", offsetof(struct bl_profile, has_plugins) },
	{ "project hooks have a feature gate",
	  offsetof(struct bl_profile, has_project_gate) },
	{ "a hook file that is a symbolic link is refused",
	  offsetof(struct bl_profile, refuse_linked_file) },
	{ "hooks run one after the other, the first answer counts",
	  offsetof(struct bl_profile, sequential) },
	{ "output counts whatever the exit code",
	  offsetof(struct bl_profile, failure_output_counts) },
	{ "exit code 2 refuses", offsetof(struct bl_profile, exit_2_blocks) },
	{ "of noisy output, the last object counts",
	  offsetof(struct bl_profile, last_object_of_output) },
	{ "environment variables are set for hooks",
	  offsetof(struct bl_profile, sets_environment) },
	{ "the loop limit is one for all hooks",
	  offsetof(struct bl_profile, loop_limit_is_global) },
};

static const char *yes(const struct bl_profile *profile, size_t offset)
{
	return *(const bool *)((const char *)profile + offset) ? "yes" : "no";
}

static void put_profiles(struct bl_buf *out)
{
	bl_buf_puts(out, "| |");
	for (size_t i = 0; bl_profile_at(i); i++)
		bl_buf_printf(out, " `%s` |", bl_profile_at(i)->name);
	bl_buf_puts(out, "\n|---|");
	for (size_t i = 0; bl_profile_at(i); i++)
		bl_buf_puts(out, "---|");
	for (size_t row = 0; row < BL_COUNT(profile_rows); row++) {
		bl_buf_printf(out, "\n| %s |", profile_rows[row].what);
		for (size_t i = 0; bl_profile_at(i); i++)
			bl_buf_printf(out, " %s |",
				      yes(bl_profile_at(i),
					  profile_rows[row].offset));
	}
	bl_buf_puts(out, "\n| default timeout in seconds (0: none) |");
	for (size_t i = 0; bl_profile_at(i); i++)
		bl_buf_printf(out, " %u |",
			      bl_profile_at(i)->default_timeout_ms / 1000);
	bl_buf_puts(out, "\n| default loop limit |");
	for (size_t i = 0; bl_profile_at(i); i++)
		bl_buf_printf(out, " %u |",
			      bl_profile_at(i)->default_loop_limit);
	bl_buf_put_char(out, '\n');
}

static const char *const effect_names[] = {
	[BL_EFFECT_NOTHING] = "ignored",
	[BL_EFFECT_USE] = "counts",
	[BL_EFFECT_DENY] = "refuses",
	[BL_EFFECT_ASK] = "asks",
	[BL_EFFECT_ASK_OR_DENY] = "asks or refuses",
};

static void put_effects(struct bl_buf *out)
{
	for (size_t p = 0; bl_profile_at(p); p++) {
		const struct bl_profile *row = bl_profile_at(p);

		bl_buf_printf(out,
			      "%sProfile `%s`, with `failClosed` after the "
			      "slash:\n\n"
			      "| outcome: the hook | observe | permission | "
			      "prompt |\n|---|---|---|---|\n",
			      p ? "\n" : "", row->name);
		for (enum bl_outcome_kind i = 0; i < BL_OUTCOME_COUNT; i++) {
			const struct bl_outcome_rule *rule =
				&row->combine.outcome[i];

			bl_buf_printf(out, "| `%s`: %s |", bl_outcome_name(i),
				      bl_outcome_text(i));
			for (size_t c = 0; c < BL_CLASS_COUNT; c++)
				bl_buf_printf(
					out, " %s / %s |",
					effect_names[rule->effect[c]],
					effect_names[rule->fail_closed[c]]);
			bl_buf_put_char(out, '\n');
		}
	}
}

static void put_commands(struct bl_buf *out)
{
	bl_buf_puts(out, "| command | what it does |\n|---|---|\n");
	for (size_t i = 0; i < cli_command_count; i++)
		bl_buf_printf(out, "| `belay %s` | %s |\n",
			      cli_commands[i].name, cli_commands[i].summary);
}

static void put_rule(struct bl_buf *out, const struct bl_pack_rule *rule)
{
	bl_buf_printf(out, "| `%.*s` | %.*s", BL_STR_ARG(rule->id),
		      BL_STR_ARG(rule->title));
	if (rule->description.len)
		bl_buf_printf(out, ". %.*s", BL_STR_ARG(rule->description));
	for (size_t i = 0; i < BL_COUNT(rule->modes); i++)
		bl_buf_printf(out, " | %.*s", BL_STR_ARG(rule->modes[i]));
	bl_buf_printf(out, " | %.*s |\n", BL_STR_ARG(rule->instead));
}

static void put_rules(struct bl_buf *out)
{
	struct bl_arena arena;
	struct bl_value rules = bl_value_undefined();

	bl_arena_init(&arena, NULL, 0, 0);
	(void)bl_packs_rules(&arena, &rules, NULL);
	bl_buf_puts(out,
		    "| rule | what | relaxed | standard | strict | instead |\n"
		    "|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < bl_value_count(rules); i++) {
		struct bl_pack_rule rule = bl_pack_rule_of(
			rules, bl_value_text(bl_object_key(rules, i)));

		put_rule(out, &rule);
	}
	bl_arena_clear(&arena);
}

static const struct {
	const char *name;
	const char *heading;
	void (*put)(struct bl_buf *out);
} tables[] = {
	{ "statuses", "Exit statuses", put_statuses },
	{ "outcomes", "Outcomes of a hook", put_outcomes },
	{ "kinds", "Kinds of event", put_kinds },
	{ "events", "Events", put_events },
	{ "profiles", "Profiles", put_profiles },
	{ "effects", "What an outcome counts as", put_effects },
	{ "agents", "Agents", cli_put_agents },
	{ "capabilities", "What agents can do", cli_put_capability_tables },
	{ "limits", "Limits", bl_limits_print },
	{ "rules", "Rules of the packs", put_rules },
	{ "commands", "Commands", put_commands },
	{ "builtins", "Builtins of Rego", bl_rego_put_builtins },
	{ "opcodes", "Opcodes of compiled policies", bl_rego_put_opcodes },
};

enum bl_status cli_put_table(struct bl_buf *out, struct bl_str name,
			     struct bl_error *err)
{
	for (size_t i = 0; i < BL_COUNT(tables); i++) {
		if (bl_str_is(name, tables[i].name)) {
			tables[i].put(out);
			return BL_OK;
		}
	}
	return bl_fail(
		err, BL_USAGE,
		"there is no table '%.*s'; there are statuses, "
		"outcomes, kinds, events, profiles, effects, agents, "
		"capabilities, limits, rules, commands, builtins and opcodes",
		BL_STR_ARG(name));
}

void cli_put_tables(struct bl_buf *out)
{
	for (size_t i = 0; i < BL_COUNT(tables); i++) {
		bl_buf_printf(out, "%s## %s\n\n", i ? "\n" : "",
			      tables[i].heading);
		tables[i].put(out);
	}
}

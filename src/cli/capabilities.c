/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capabilities.c: which decisions an agent keeps, found out by encoding decisions that
 * are made up for it.  So the tables of the reference (tables.c) say what the rows do,
 * not what somebody once wrote about them.
 */
#include "cli/capabilities.h"

/* The verbs of policies, and how an agent is asked for their effects. */
static const struct question {
	const char *name;
	const char *heading; /* in tables */
	enum bl_verb verb;
	bool has_context;
} decisions[] = {
	{ "halt", "halt", BL_VERB_HALT, false },
	{ "deny", "deny, block", BL_VERB_DENY, false },
	{ "ask", "ask", BL_VERB_ASK, false },
	{ "modify", "modify", BL_VERB_MODIFY, false },
	{ "add_context", "add_context", BL_VERB_ALLOW, true },
	{ "add_context, refused", "add_context beside a refusal", BL_VERB_DENY,
	  true },
};

/* Of context it counts only what becomes of the context. */
static const unsigned context_degradations =
	1U << BL_DEGRADED_CONTEXT_USER | 1U << BL_DEGRADED_CONTEXT_DROPPED;

static struct bl_response_preview preview_of(const struct bl_hook_event *event,
					     const struct question *decision,
					     bool passes_unmodified)
{
	const struct bl_response_options options = {
		.passes_unmodified = passes_unmodified,
	};
	struct bl_response_preview preview = bl_agent_preview(
		event, decision->verb, decision->has_context, &options);

	if (decision->has_context)
		preview.degradations &= context_degradations;
	return preview;
}

static const char *effect_word(const struct question *decision,
			       const struct bl_response_preview *preview)
{
	if (!decision->has_context)
		return bl_verb_name(preview->effect);
	return preview->degradations ? "no" : "yes";
}

static const char *policy_kind(const struct bl_hook_event *event)
{
	return bl_event_kind_name(bl_hook_event_policy_kind(event, NULL));
}

static const char *failure_word(const struct bl_hook_event *event)
{
	return bl_hook_event_fails_closed(event) ? "refuses" : "goes on";
}

/* The event of an agent by number; behind the last, the unknown one. */
static const struct bl_hook_event *event_at(const struct bl_agent *agent,
					    size_t i)
{
	if (i < agent->event_count)
		return &agent->events[i];
	return i == agent->event_count ? &agent->unknown : NULL;
}

static const char *event_name(const struct bl_hook_event *event)
{
	return event->name[0] ? event->name : "(any other)";
}

/* ---- Markdown ----------------------------------------------------------------- */

static void put_cell(struct bl_buf *out, const struct question *decision,
		     const struct bl_response_preview *preview)
{
	bl_buf_printf(out, " %s", effect_word(decision, preview));
	for (unsigned loss = 0; loss < BL_DEGRADATION_COUNT; loss++)
		if (preview->degradations & (1U << loss))
			bl_buf_printf(
				out, " `%s`",
				bl_degradation_id((enum bl_degradation)loss));
	if (preview->only_with)
		bl_buf_printf(out, " (with `%s`)", preview->only_with);
	bl_buf_puts(out, " |");
}

/* In which modes what is another thing; nothing without any. */
static void put_modes(struct bl_buf *out, const char *const *modes,
		      const char *what)
{
	if (!modes)
		return;
	bl_buf_printf(out, "%s, in the modes:", what);
	for (size_t i = 0; modes[i]; i++)
		bl_buf_printf(out, "%s `%s`", i ? "," : "", modes[i]);
	bl_buf_puts(out, ".\n\n");
}

static void put_agent_table(struct bl_buf *out, const struct bl_agent *agent)
{
	const struct bl_hook_event *event;

	bl_buf_printf(out, "Agent `%s`:\n\n| event | kind | belay fails |",
		      agent->name);
	for (size_t i = 0; i < BL_COUNT(decisions); i++)
		bl_buf_printf(out, " %s |", decisions[i].heading);
	bl_buf_puts(out, "\n|---|---|---|");
	for (size_t i = 0; i < BL_COUNT(decisions); i++)
		bl_buf_puts(out, "---|");
	for (size_t i = 0; (event = event_at(agent, i)); i++) {
		bl_buf_printf(out, "\n| %s | `%s` | %s |", event_name(event),
			      policy_kind(event), failure_word(event));
		for (size_t j = 0; j < BL_COUNT(decisions); j++) {
			struct bl_response_preview preview =
				preview_of(event, &decisions[j], false);

			put_cell(out, &decisions[j], &preview);
		}
	}
	bl_buf_puts(out, "\n\n");
	put_modes(
		out, agent->unattended_modes,
		"Nobody is there to be asked, and `ask` refuses before a tool");
	put_modes(out, agent->attended_modes,
		  "`ask` puts the question to a person before a tool");
}

void cli_put_capability_tables(struct bl_buf *out)
{
	for (size_t i = 0; bl_agents[i]; i++)
		put_agent_table(out, bl_agents[i]);
	bl_buf_puts(out,
		    "| what is lost | what happens instead |\n|---|---|\n");
	for (unsigned i = 0; i < BL_DEGRADATION_COUNT; i++)
		bl_buf_printf(out, "| `%s` | %s |\n",
			      bl_degradation_id((enum bl_degradation)i),
			      bl_degradation_text((enum bl_degradation)i));
}

/* ---- the table of agents ---------------------------------------------------- */

/* The event before a tool that belay registers for, else the first of the kind. */
static const struct bl_hook_event *before_tool(const struct bl_agent *agent)
{
	for (size_t i = 0; i < agent->event_count; i++)
		if (bl_hook_event_policy_kind(&agent->events[i], NULL) ==
		    BL_EVENT_TOOL_BEFORE)
			return &agent->events[i];
	return &agent->unknown;
}

static void put_file(struct bl_buf *out, const struct bl_agent *agent,
		     enum bl_scope scope)
{
	const struct bl_registration_file *file =
		&agent->registration->files[0];
	const char *name =
		scope == BL_SCOPE_PROJECT ? file->project : file->global;

	if (file->is_optional && agent->registration->files[1].project)
		name = scope == BL_SCOPE_PROJECT
			       ? agent->registration->files[1].project
			       : agent->registration->files[1].global;
	if (!name)
		bl_buf_puts(out, " - |");
	else
		bl_buf_printf(out, " `%s%s` |",
			      scope == BL_SCOPE_PROJECT ? "" : "~/", name);
}

/* The way in which a belay that is missing refuses, by the registration. */
static const char *missing_word(const struct bl_registration *agent)
{
	if (agent->form == BL_REGISTRATION_NONE)
		return "as the lines say";
	if (agent->fails_closed_key)
		return "refused, by its word for that";
	if (agent->closes_by_status)
		return "refused, by its line";
	if (agent->script_text)
		return "refused, by the script";
	if (agent->form == BL_REGISTRATION_PLUGIN)
		return "refused, by the plugin";
	return "as the agent does";
}

static void put_agent(struct bl_buf *out, const struct bl_agent *agent)
{
	static const enum bl_verb verbs[] = { BL_VERB_DENY, BL_VERB_ASK,
					      BL_VERB_MODIFY };
	const struct bl_response_options options = { .is_strict = false };
	const struct bl_hook_event *event = before_tool(agent);

	bl_buf_printf(out, "| %s | `%s` | %s |", agent->title, agent->name,
		      agent->measured ? agent->measured : "not run");
	for (size_t i = 0; i < BL_COUNT(verbs); i++)
		bl_buf_printf(out, " %s |",
			      bl_verb_name(bl_agent_preview(event, verbs[i],
							    false, &options)
						   .effect));
	bl_buf_printf(out, " %s |",
		      event->capabilities & BL_CAN_CONTEXT ? "yes" : "no");
	put_file(out, agent, BL_SCOPE_PROJECT);
	put_file(out, agent, BL_SCOPE_USER);
	bl_buf_printf(out, " %s |\n", missing_word(agent->registration));
}

void cli_put_agents(struct bl_buf *out)
{
	bl_buf_puts(out,
		    "| agent | `--harness` | version that was run | deny | "
		    "ask | modify | context | file in the project | file "
		    "of the user | belay is missing |\n"
		    "|---|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; bl_agents[i]; i++)
		if (bl_agents[i]->registration)
			put_agent(out, bl_agents[i]);
}

/* ---- for people ---------------------------------------------------------------- */

void cli_put_event_capabilities(struct cli *cli,
				const struct bl_hook_event *event)
{
	for (size_t i = 0; i < BL_COUNT(decisions); i++) {
		struct bl_response_preview preview =
			preview_of(event, &decisions[i], cli->is_cupcake);

		bl_buf_printf(&cli->out, "  %-21s", decisions[i].name);
		cli_put_styled(cli,
			       preview.degradations ? CLI_YELLOW : CLI_GREEN,
			       effect_word(&decisions[i], &preview));
		if (preview.only_with)
			bl_buf_printf(&cli->out, " (with %s)",
				      preview.only_with);
		for (unsigned loss = 0; loss < BL_DEGRADATION_COUNT; loss++)
			if (preview.degradations & (1U << loss))
				bl_buf_printf(
					&cli->out, "; %s [%s]",
					bl_degradation_text(
						(enum bl_degradation)loss),
					bl_degradation_id(
						(enum bl_degradation)loss));
		bl_buf_puts(&cli->out, "\n");
	}
}

void cli_put_capabilities(struct cli *cli, const struct bl_agent *agent)
{
	const struct bl_hook_event *event;

	for (size_t i = 0; (event = event_at(agent, i)); i++) {
		bl_buf_printf(&cli->out, "%s ", agent->name);
		cli_put_styled(cli, CLI_BOLD, event_name(event));
		bl_buf_printf(&cli->out, " (%s; when belay fails it %s)\n",
			      policy_kind(event), failure_word(event));
		cli_put_event_capabilities(cli, event);
	}
}

/* ---- JSON ----------------------------------------------------------------------- */

static struct bl_value string(const char *text)
{
	return bl_value_string(bl_str(text));
}

struct bl_value cli_degradations(struct cli *cli, unsigned degradations)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (unsigned loss = 0; loss < BL_DEGRADATION_COUNT; loss++) {
		struct bl_object_builder one;

		if (!(degradations & (1U << loss)))
			continue;
		bl_object_builder_init(&one, &cli->arena);
		bl_object_builder_add(
			&one, BL_STR("id"),
			string(bl_degradation_id((enum bl_degradation)loss)));
		bl_object_builder_add(
			&one, BL_STR("text"),
			string(bl_degradation_text((enum bl_degradation)loss)));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

struct bl_value cli_event_capabilities(struct cli *cli,
				       const struct bl_hook_event *event)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < BL_COUNT(decisions); i++) {
		struct bl_response_preview preview =
			preview_of(event, &decisions[i], cli->is_cupcake);
		struct bl_object_builder one;

		bl_object_builder_init(&one, &cli->arena);
		bl_object_builder_add(
			&one, BL_STR("effect"),
			string(effect_word(&decisions[i], &preview)));
		bl_object_builder_add(
			&one, BL_STR("losses"),
			cli_degradations(cli, preview.degradations));
		if (preview.only_with)
			bl_object_builder_add(&one, BL_STR("only_with"),
					      string(preview.only_with));
		bl_object_builder_add(&all, bl_str(decisions[i].name),
				      bl_object_builder_end(&one));
	}
	return bl_object_builder_end(&all);
}

struct bl_value cli_capabilities(struct cli *cli, const struct bl_agent *agent)
{
	const struct bl_hook_event *event;
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; (event = event_at(agent, i)); i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, &cli->arena);
		bl_object_builder_add(&one, BL_STR("agent"),
				      string(agent->name));
		bl_object_builder_add(&one, BL_STR("event"),
				      string(event->name));
		bl_object_builder_add(&one, BL_STR("kind"),
				      string(policy_kind(event)));
		bl_object_builder_add(&one, BL_STR("belay_fails"),
				      string(failure_word(event)));
		bl_object_builder_add(&one, BL_STR("decisions"),
				      cli_event_capabilities(cli, event));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capabilities.h"

/* What a policy can say, and how to ask what becomes of it. */
static const struct decision {
	const char *name;
	const char *heading; /* in tables */
	enum bl_ruling_verb verb;
	bool has_context;
} decisions[] = {
	{ "halt", "halt", BL_RULING_HALT, false },
	{ "deny", "deny, block", BL_RULING_DENY, false },
	{ "ask", "ask", BL_RULING_ASK, false },
	{ "modify", "modify", BL_RULING_MODIFY, false },
	{ "add_context", "add_context", BL_RULING_ALLOW, true },
	{ "add_context, refused", "add_context beside a refusal",
	  BL_RULING_DENY, true },
};

/* Of context it counts only what becomes of the context. */
static const unsigned context_losses =
	1U << BL_GUEST_LOSS_CONTEXT_USER | 1U << BL_GUEST_LOSS_CONTEXT_DROPPED;

static struct bl_guest_effect foretell(const struct bl_guest_event *event,
				       const struct decision *decision,
				       bool passes_unmodified)
{
	const struct bl_guest_options options = {
		.passes_unmodified = passes_unmodified,
	};
	struct bl_guest_effect foretold = bl_guest_foretell(
		event, decision->verb, decision->has_context, &options);

	if (decision->has_context)
		foretold.losses &= context_losses;
	return foretold;
}

static const char *effect_word(const struct decision *decision,
			       const struct bl_guest_effect *foretold)
{
	if (!decision->has_context)
		return bl_ruling_verb_name(foretold->effect);
	return foretold->losses ? "no" : "yes";
}

static const char *failure_word(const struct bl_guest_event *event)
{
	return bl_guest_fails_closed(event) ? "refuses" : "goes on";
}

/* The event of an agent by number; behind the last, the unknown one. */
static const struct bl_guest_event *event_at(enum bl_agent agent, size_t i)
{
	size_t count;
	const struct bl_guest_event *events = bl_guest_events(agent, &count);

	if (i < count)
		return &events[i];
	return i == count ? bl_guest_unknown_event(agent) : NULL;
}

static const char *event_name(const struct bl_guest_event *event)
{
	return event->name[0] ? event->name : "(any other)";
}

/* ---- Markdown ----------------------------------------------------------------- */

static void put_cell(struct bl_buf *out, const struct decision *decision,
		     const struct bl_guest_effect *foretold)
{
	bl_buf_printf(out, " %s", effect_word(decision, foretold));
	for (unsigned loss = 0; loss < BL_GUEST_LOSS_COUNT; loss++)
		if (foretold->losses & (1U << loss))
			bl_buf_printf(
				out, " `%s`",
				bl_guest_loss_id((enum bl_guest_loss)loss));
	if (foretold->only_with)
		bl_buf_printf(out, " (with `%s`)", foretold->only_with);
	bl_buf_puts(out, " |");
}

static void put_agent_table(struct bl_buf *out, enum bl_agent agent)
{
	const char *const *modes = bl_guest_unattended_modes(agent);
	const struct bl_guest_event *event;

	bl_buf_printf(out, "Agent `%s`:\n\n| event | kind | belay fails |",
		      bl_agent_name(agent));
	for (size_t i = 0; i < BL_COUNT(decisions); i++)
		bl_buf_printf(out, " %s |", decisions[i].heading);
	bl_buf_puts(out, "\n|---|---|---|");
	for (size_t i = 0; i < BL_COUNT(decisions); i++)
		bl_buf_puts(out, "---|");
	for (size_t i = 0; (event = event_at(agent, i)); i++) {
		bl_buf_printf(out, "\n| %s | `%s` | %s |", event_name(event),
			      bl_event_kind_name(event->kind),
			      failure_word(event));
		for (size_t j = 0; j < BL_COUNT(decisions); j++) {
			struct bl_guest_effect foretold =
				foretell(event, &decisions[j], false);

			put_cell(out, &decisions[j], &foretold);
		}
	}
	bl_buf_puts(out, "\n\n");
	if (!modes)
		return;
	bl_buf_puts(out, "Nobody is there to be asked, and `ask` refuses "
			 "before a tool, in the modes:");
	for (size_t i = 0; modes[i]; i++)
		bl_buf_printf(out, "%s `%s`", i ? "," : "", modes[i]);
	bl_buf_puts(out, ".\n\n");
}

void cli_put_capability_tables(struct bl_buf *out)
{
	for (enum bl_agent agent = 0; agent < BL_AGENT_COUNT; agent++)
		put_agent_table(out, agent);
	bl_buf_puts(out,
		    "| what is lost | what happens instead |\n|---|---|\n");
	for (unsigned i = 0; i < BL_GUEST_LOSS_COUNT; i++)
		bl_buf_printf(out, "| `%s` | %s |\n",
			      bl_guest_loss_id((enum bl_guest_loss)i),
			      bl_guest_loss_text((enum bl_guest_loss)i));
}

/* ---- for people ---------------------------------------------------------------- */

void cli_put_event_capabilities(struct cli *cli,
				const struct bl_guest_event *event)
{
	for (size_t i = 0; i < BL_COUNT(decisions); i++) {
		struct bl_guest_effect foretold =
			foretell(event, &decisions[i], cli->is_cupcake);

		bl_buf_printf(&cli->out, "  %-21s", decisions[i].name);
		cli_put_styled(cli, foretold.losses ? CLI_YELLOW : CLI_GREEN,
			       effect_word(&decisions[i], &foretold));
		if (foretold.only_with)
			bl_buf_printf(&cli->out, " (with %s)",
				      foretold.only_with);
		for (unsigned loss = 0; loss < BL_GUEST_LOSS_COUNT; loss++)
			if (foretold.losses & (1U << loss))
				bl_buf_printf(&cli->out, "; %s [%s]",
					      bl_guest_loss_text(
						      (enum bl_guest_loss)loss),
					      bl_guest_loss_id((
						      enum bl_guest_loss)loss));
		bl_buf_puts(&cli->out, "\n");
	}
}

void cli_put_capabilities(struct cli *cli, enum bl_agent agent)
{
	const struct bl_guest_event *event;

	for (size_t i = 0; (event = event_at(agent, i)); i++) {
		bl_buf_printf(&cli->out, "%s ", bl_agent_name(agent));
		cli_put_styled(cli, CLI_BOLD, event_name(event));
		bl_buf_printf(&cli->out, " (%s; when belay fails it %s)\n",
			      bl_event_kind_name(event->kind),
			      failure_word(event));
		cli_put_event_capabilities(cli, event);
	}
}

/* ---- JSON ----------------------------------------------------------------------- */

static struct bl_value string(const char *text)
{
	return bl_value_string(bl_str(text));
}

struct bl_value cli_losses(struct cli *cli, unsigned losses)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (unsigned loss = 0; loss < BL_GUEST_LOSS_COUNT; loss++) {
		struct bl_object_builder one;

		if (!(losses & (1U << loss)))
			continue;
		bl_object_builder_init(&one, &cli->arena);
		bl_object_builder_add(
			&one, BL_STR("id"),
			string(bl_guest_loss_id((enum bl_guest_loss)loss)));
		bl_object_builder_add(
			&one, BL_STR("text"),
			string(bl_guest_loss_text((enum bl_guest_loss)loss)));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

struct bl_value cli_event_capabilities(struct cli *cli,
				       const struct bl_guest_event *event)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < BL_COUNT(decisions); i++) {
		struct bl_guest_effect foretold =
			foretell(event, &decisions[i], cli->is_cupcake);
		struct bl_object_builder one;

		bl_object_builder_init(&one, &cli->arena);
		bl_object_builder_add(
			&one, BL_STR("effect"),
			string(effect_word(&decisions[i], &foretold)));
		bl_object_builder_add(&one, BL_STR("losses"),
				      cli_losses(cli, foretold.losses));
		if (foretold.only_with)
			bl_object_builder_add(&one, BL_STR("only_with"),
					      string(foretold.only_with));
		bl_object_builder_add(&all, bl_str(decisions[i].name),
				      bl_object_builder_end(&one));
	}
	return bl_object_builder_end(&all);
}

struct bl_value cli_capabilities(struct cli *cli, enum bl_agent agent)
{
	const struct bl_guest_event *event;
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; (event = event_at(agent, i)); i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, &cli->arena);
		bl_object_builder_add(&one, BL_STR("agent"),
				      string(bl_agent_name(agent)));
		bl_object_builder_add(&one, BL_STR("event"),
				      string(event->name));
		bl_object_builder_add(&one, BL_STR("kind"),
				      string(bl_event_kind_name(event->kind)));
		bl_object_builder_add(&one, BL_STR("belay_fails"),
				      string(failure_word(event)));
		bl_object_builder_add(&one, BL_STR("decisions"),
				      cli_event_capabilities(cli, event));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

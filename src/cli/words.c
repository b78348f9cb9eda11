/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c: what the values of options and the operands may be, by the name that
 * they have in the tables, and the usage line that is made of those names.
 */
#include "cli/cli.h"

#include "sandbox/sandbox.h"

typedef void (*visitor)(void *context, const char *word);

static void each_profile(visitor visit, void *context)
{
	for (size_t i = 0; bl_profile_at(i); i++)
		visit(context, bl_profile_at(i)->name);
	for (size_t i = 0; bl_everruns_rules_at(i); i++)
		visit(context, bl_everruns_rules_at(i)->name);
}

static void each_event(visitor visit, void *context)
{
	const struct bl_contract *contract = bl_contract_get(BL_DIALECT_CURSOR);

	for (size_t i = 0; i < contract->event_count; i++)
		visit(context, contract->events[i].name);
}

static void each_source(visitor visit, void *context)
{
	for (enum bl_source i = 0; i < BL_SOURCE_COUNT; i++)
		visit(context, bl_source_name(i));
}

/* Those that are nowhere but here. */
static const struct {
	const char *name;
	const char *texts[9];
} lists[] = {
	{ "FORMAT", { "human", "json", "sarif" } },
	{ "CHECK_FORMAT", { "human", "pretty", "json", "sarif" } },
	{ "EVAL_FORMAT",
	  { "json", "values", "lines", "bindings", "pretty", "raw",
	    "discard" } },
	{ "TEST_FORMAT", { "pretty", "json", "gobench" } },
	{ "BENCH_FORMAT", { "pretty", "json", "gobench" } },
	{ "TREE_FORMAT", { "pretty", "json" } },
	{ "TARGET", { "rego", "image" } },
	{ "ENGINE", { "rego" } },
	{ "MODE", { "off", "full", "fails", "notes", "debug", "why" } },
	{ "ORDER", { "none", "duration" } },
	{ "SHELL", { "bash", "zsh", "fish" } },
	{ "AGED", { "keep", "ask", "deny" } },
	{ "DOCUMENT", { "root", "set", "fresh" } },
};

static void each_command(visitor visit, void *context)
{
	for (size_t i = 0; i < cli_command_count; i++)
		visit(context, cli_commands[i].name);
}

static void each_agent(visitor visit, void *context)
{
	for (size_t i = 0; bl_agents[i]; i++)
		visit(context, bl_agents[i]->name);
}

static void each_sandbox(visitor visit, void *context)
{
	for (size_t i = 0; bl_sandbox_profile_at(i); i++)
		visit(context, bl_sandbox_profile_at(i)->name);
}

static const struct {
	const char *name;
	void (*each)(visitor visit, void *context);
} words[] = {
	{ "PROFILE", each_profile }, { "EVENT", each_event },
	{ "SOURCE", each_source },   { "COMMAND", each_command },
	{ "AGENT", each_agent },     { "SANDBOX", each_sandbox },
};

void cli_each_word(const char *name, visitor visit, void *context)
{
	for (size_t i = 0; i < BL_COUNT(words); i++) {
		if (!strcmp(words[i].name, name))
			words[i].each(visit, context);
	}
	for (size_t i = 0; i < BL_COUNT(lists); i++) {
		if (strcmp(lists[i].name, name) != 0)
			continue;
		for (size_t j = 0; lists[i].texts[j]; j++)
			visit(context, lists[i].texts[j]);
	}
}

void cli_put_usage(struct bl_buf *out, const struct cli_command *command)
{
	bl_buf_printf(out, "belay %s", command->name);
	for (size_t i = 0; i < command->code->option_count; i++) {
		const struct cli_option *option = &command->code->options[i];

		bl_buf_printf(out, " [--%s", option->name);
		if (option->value)
			bl_buf_printf(out, " %s", option->value);
		bl_buf_puts(out, option->kind == CLI_LIST ? "]..." : "]");
	}
	if (command->operands[0])
		bl_buf_printf(out, " %s", command->operands);
}

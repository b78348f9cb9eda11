/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_read.c: the text of a pattern ("git push --force") to what pattern.c
 * compares.  It stands apart because only loading needs it: the program that
 * decides has compiled patterns in its image.
 */
#include "sources/policies/patterns.h"

/* One pattern on its way. */
struct compiling {
	struct bl_arena *arena;
	struct bl_str text;
	bool is_known;
	struct bl_facts facts;
	const struct bl_fact_command *command;
	bool is_listed;
	bool is_open;
	struct bl_error *err;
};

static enum bl_status complain(struct compiling *c, const char *what,
			       struct bl_str detail)
{
	return bl_fail(c->err, BL_INVALID, "\"%.*s\" %s%.*s",
		       BL_STR_ARG(c->text), what, BL_STR_ARG(detail));
}

static enum bl_status find_facts(struct bl_arena *arena, struct bl_str text,
				 struct bl_facts *out, struct bl_error *err)
{
	const struct bl_effects_input input = {
		.line = text,
		.home = BL_STR(POLICY_PATTERN_HOME),
	};

	return bl_effects_find(arena, &input, out, err);
}

/* ---- what cannot be a pattern ------------------------------------------------ */

static enum bl_status check_syntax(struct compiling *c)
{
	if (!bl_str_trim(c->text).len)
		return bl_fail(c->err, BL_INVALID,
			       "the pattern is empty: write a command, as in "
			       "\"terraform destroy\"");
	for (size_t i = 0; i < c->facts.opaque_count; i++)
		if (c->facts.opaque[i].reason == BL_FACT_OPAQUE_SYNTAX)
			return complain(c, "is not a command line: ",
					c->facts.opaque[i].what);
	return BL_OK;
}

/* The last command, inside all of the others: "sudo rm" has two. */
static enum bl_status take_command(struct compiling *c)
{
	size_t count = c->facts.command_count;

	if (!count)
		return complain(c, "names no command", BL_STR(""));
	c->command = &c->facts.commands[count - 1];
	if (c->command->wrapper_count + 1 != count)
		return complain(c,
				"is more than one command: write a rule for "
				"each",
				BL_STR(""));
	if (c->command->environment_count)
		return complain(c, "sets variables: leave them out",
				BL_STR(""));
	if (c->command->redirection_count)
		return complain(c,
				"has a redirection: rules about files are "
				"{write: PATH} or {read: PATH}",
				BL_STR(""));
	return BL_OK;
}

static enum bl_status check_words(struct compiling *c)
{
	const struct bl_fact_command *command = c->command;

	for (size_t i = 0; i < command->argc; i++)
		if (command->argv[i].state == BL_FACT_UNKNOWN)
			return complain(c,
					"depends on a value: write the word, "
					"or * for any, in place of ",
					command->argv[i].text);
	if (!command->program.len || command->argv[0].state != BL_FACT_KNOWN)
		return complain(c, "does not name its program", BL_STR(""));
	return BL_OK;
}

static enum bl_status suggest(struct compiling *c, const char *what,
			      struct bl_str name, struct bl_str near)
{
	return bl_fail(
		c->err, BL_INVALID,
		"\"%.*s\" can never match: belay knows no %s '%.*s'; did "
		"you mean '%.*s'? (known: true in the rule says that it "
		"is spelled right)",
		BL_STR_ARG(c->text), what, BL_STR_ARG(name), BL_STR_ARG(near));
}

/* A program or subcommand that the tables do not have, but nearly. */
static enum bl_status check_spelling(struct compiling *c)
{
	const struct bl_fact_command *command = c->command;
	struct bl_str near = { NULL, 0 };
	struct bl_str both;

	if (c->is_known)
		return BL_OK;
	if (!c->is_listed) {
		near = bl_effects_near(command->program);
		return near.len ? suggest(c, "program", command->program, near)
				: BL_OK;
	}
	if (!command->operand_count ||
	    memchr(command->row.ptr, ' ', command->row.len))
		return BL_OK;
	both = bl_arena_printf(c->arena, "%.*s %.*s", BL_STR_ARG(command->row),
			       BL_STR_ARG(command->operands[0].text));
	if (bl_effects_verbs(command->row))
		near = bl_effects_near(both);
	return near.len && bl_str_has_prefix(near, command->row)
		       ? suggest(c, "subcommand", both, near)
		       : BL_OK;
}

/* ---- the value ----------------------------------------------------------------- */

static bool is_rest(struct bl_str word)
{
	return bl_str_is(word, "...");
}

static bool is_dashed(struct bl_str word)
{
	return word.len > 1 && word.ptr[0] == '-';
}

/* Options by their row's names, with all values that the pattern gives them. */
static struct bl_value listed_options(struct compiling *c)
{
	const struct bl_fact_command *command = c->command;
	struct bl_object_builder made;

	bl_object_builder_init(&made, c->arena);
	for (size_t i = 0; i < command->option_count; i++) {
		struct bl_array_builder values;

		bl_array_builder_init(&values, c->arena);
		for (size_t j = 0; j < command->option_count; j++)
			if (command->options[j].value &&
			    bl_str_equal(command->options[i].name,
					 command->options[j].name))
				bl_array_builder_add(
					&values,
					bl_value_string(command->options[j]
								.value->text));
		bl_object_builder_add(&made, command->options[i].name,
				      bl_array_builder_end(&values));
	}
	return bl_object_builder_end(&made);
}

static struct bl_value written_options(struct compiling *c)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, c->arena);
	for (size_t i = 1; i < c->command->argc; i++)
		if (is_dashed(c->command->argv[i].text))
			bl_object_builder_add(&made, c->command->argv[i].text,
					      bl_array_make(c->arena, NULL, 0));
	return bl_object_builder_end(&made);
}

static void add_operand(struct compiling *c, struct bl_array_builder *made,
			struct bl_str word)
{
	if (is_rest(word))
		c->is_open = true;
	else
		bl_array_builder_add(made, bl_value_string(word));
}

static struct bl_value operands_of(struct compiling *c)
{
	const struct bl_fact_command *command = c->command;
	struct bl_array_builder made;

	bl_array_builder_init(&made, c->arena);
	for (size_t i = 0; c->is_listed && i < command->operand_count; i++)
		add_operand(c, &made, command->operands[i].text);
	for (size_t i = 1; !c->is_listed && i < command->argc; i++)
		if (!is_dashed(command->argv[i].text))
			add_operand(c, &made, command->argv[i].text);
	return bl_array_builder_end(&made);
}

static bool has_action(const struct bl_facts *facts, struct bl_str action)
{
	for (size_t i = 0; i < facts->effect_count; i++)
		if (bl_str_equal(facts->effects[i].action, action))
			return true;
	return false;
}

/* The line without its options: its effects are not the options' own. */
static struct bl_str bare_line(struct compiling *c)
{
	const struct bl_fact_command *command = c->command;
	struct bl_str *words =
		bl_arena_new_array(c->arena, struct bl_str, command->argc + 1);
	size_t count = 0;

	for (size_t i = 0; words && i < command->argc; i++)
		if (!is_dashed(command->argv[i].text))
			words[count++] = command->argv[i].text;
	return words ? bl_effects_line(c->arena, words, count)
		     : (struct bl_str){ NULL, 0 };
}

static enum bl_status find_actions(struct compiling *c,
				   struct bl_value *out_actions)
{
	const uint32_t own = (uint32_t)c->facts.command_count - 1;
	struct bl_array_builder made;
	struct bl_facts bare = { 0 };
	struct bl_str line = bare_line(c);
	enum bl_status status;

	if (!line.ptr)
		return bl_arena_fail(c->arena, c->err);
	status = find_facts(c->arena, line, &bare, c->err);
	bl_array_builder_init(&made, c->arena);
	for (size_t i = 0; !status && i < c->facts.effect_count; i++) {
		const struct bl_fact_effect *effect = &c->facts.effects[i];

		if (effect->command == own && effect->action.len &&
		    !has_action(&bare, effect->action))
			bl_array_builder_add(&made,
					     bl_value_string(effect->action));
	}
	*out_actions = bl_array_builder_end(&made);
	return status;
}

static struct bl_value wrappers_of(struct compiling *c)
{
	struct bl_array_builder made;

	bl_array_builder_init(&made, c->arena);
	for (size_t i = 0; i < c->command->wrapper_count; i++)
		bl_array_builder_add(&made,
				     bl_value_string(c->command->wrappers[i]));
	return bl_array_builder_end(&made);
}

static void add_program(struct compiling *c, struct bl_object_builder *made)
{
	const struct bl_fact_command *command = c->command;
	struct bl_str row = command->row;
	const char *blank = row.len ? memchr(row.ptr, ' ', row.len) : NULL;
	struct bl_str sub = { NULL, 0 };

	if (c->is_listed && blank)
		sub = bl_str_slice(row, (size_t)(blank - row.ptr) + 1,
				   SIZE_MAX);
	bl_object_builder_add(made, BL_STR("program"),
			      bl_value_string(command->program));
	/* A program of the tables is the same one wherever it lies. */
	if (!c->is_listed &&
	    memchr(command->argv[0].text.ptr, '/', command->argv[0].text.len))
		bl_object_builder_add(made, BL_STR("path"),
				      bl_value_string(command->argv[0].text));
	if (sub.len)
		bl_object_builder_add(made, BL_STR("sub"),
				      bl_value_string(sub));
	bl_object_builder_add(
		made, BL_STR("verbs"),
		bl_value_integer(c->is_listed ? (int64_t)bl_effects_verbs(row)
					      : 0));
	bl_object_builder_add(made, BL_STR("listed"),
			      bl_value_boolean(c->is_listed));
}

static enum bl_status make_value(struct compiling *c,
				 struct bl_value *out_pattern)
{
	struct bl_object_builder made;
	struct bl_value actions = { 0 };
	enum bl_status status = find_actions(c, &actions);

	if (status)
		return status;
	bl_object_builder_init(&made, c->arena);
	add_program(c, &made);
	bl_object_builder_add(&made, BL_STR("options"),
			      c->is_listed ? listed_options(c)
					   : written_options(c));
	bl_object_builder_add(&made, BL_STR("operands"), operands_of(c));
	bl_object_builder_add(&made, BL_STR("open"),
			      bl_value_boolean(c->is_open));
	bl_object_builder_add(&made, BL_STR("actions"), actions);
	bl_object_builder_add(&made, BL_STR("inside"), wrappers_of(c));
	*out_pattern = bl_object_builder_end(&made);
	return bl_value_is_defined(*out_pattern)
		       ? BL_OK
		       : bl_arena_fail(c->arena, c->err);
}

enum bl_status policy_pattern_read(struct bl_arena *arena, struct bl_str text,
				   bool is_known, struct bl_value *out_pattern,
				   struct bl_error *err)
{
	struct compiling c = {
		.arena = arena, .text = text, .is_known = is_known, .err = err
	};
	enum bl_status status = find_facts(arena, text, &c.facts, err);

	if (!status)
		status = check_syntax(&c);
	if (!status)
		status = take_command(&c);
	if (!status)
		status = check_words(&c);
	if (status)
		return status;
	c.is_listed = c.command->row.len > 0;
	status = check_spelling(&c);
	return status ? status : make_value(&c, out_pattern);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/encode.c: facts as values, in the shape of docs/reference/facts.md.
 * It stands apart so that the walk knows nothing of how policies see its facts.
 */
#include "base/utf8.h"
#include "effects/effects.h"

/* text with each byte that is not UTF-8 written as \xNN. */
static struct bl_str make_valid(struct bl_arena *arena, struct bl_str text)
{
	static const char digits[] = "0123456789ABCDEF";
	char *out = text.len < SIZE_MAX / 4
			    ? bl_arena_alloc_aligned(arena, text.len * 4, 1)
			    : NULL;
	size_t len = 0;
	size_t i = 0;

	if (!out)
		return (struct bl_str){ NULL, 0 };
	while (i < text.len) {
		uint32_t rune;
		size_t width = bl_utf8_decode(text, i, &rune);
		unsigned char byte = (unsigned char)text.ptr[i];

		if (width) {
			memcpy(out + len, text.ptr + i, width);
			len += width;
			i += width;
			continue;
		}
		out[len++] = '\\';
		out[len++] = 'x';
		out[len++] = digits[byte >> 4];
		out[len++] = digits[byte & 15];
		i++;
	}
	return (struct bl_str){ out, len };
}

static struct bl_value encode_str(struct bl_arena *arena, struct bl_str text)
{
	if (!bl_utf8_is_valid(text))
		text = make_valid(arena, text);
	return bl_value_string(text);
}

static struct bl_value encode_c(const char *text)
{
	return bl_value_string(bl_str(text));
}

/* Adds a member whose text may be empty: then nothing. */
static void add_str(struct bl_object_builder *object, struct bl_str key,
		    struct bl_str text)
{
	if (text.len)
		bl_object_builder_add(object, key,
				      encode_str(object->arena, text));
}

static void add_true(struct bl_object_builder *object, struct bl_str key,
		     bool is_true)
{
	if (is_true)
		bl_object_builder_add(object, key, bl_value_boolean(true));
}

static void add_span(struct bl_object_builder *object,
		     struct bl_shell_span span)
{
	struct bl_value ends[2] = { bl_value_integer(span.start),
				    bl_value_integer(span.end) };

	bl_object_builder_add(object, BL_STR("span"),
			      bl_array_make(object->arena, ends, 2));
}

static void add_command(struct bl_object_builder *object, uint32_t command)
{
	if (command != UINT32_MAX)
		bl_object_builder_add(object, BL_STR("command"),
				      bl_value_integer(command));
}

/* The names whose bits are set. */
static struct bl_value encode_bits(struct bl_arena *arena, uint32_t bits,
				   uint32_t count,
				   const char *(*name_of)(uint32_t index))
{
	struct bl_array_builder names;

	bl_array_builder_init(&names, arena);
	for (uint32_t i = 0; i < count; i++) {
		if (bits >> i & 1)
			bl_array_builder_add(&names, encode_c(name_of(i)));
	}
	return bl_array_builder_end(&names);
}

static const char *name_of_origin(uint32_t index)
{
	return bl_fact_origin_name((enum bl_fact_origin_index)index);
}

static const char *name_of_detail(uint32_t index)
{
	return bl_fact_detail_name((enum bl_fact_detail_index)index);
}

static const char *name_of_holds(uint32_t index)
{
	static const char *const names[] = { "root",  "home", "workspace",
					     "guard", "git",  "temp" };

	return names[index];
}

enum { HOLDS_COUNT = 6 };

static struct bl_value encode_texts(struct bl_arena *arena,
				    const struct bl_fact_text *texts,
				    size_t count, bool as_states)
{
	struct bl_array_builder array;

	bl_array_builder_init(&array, arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(
			&array,
			as_states ? encode_c(bl_fact_state_name(texts[i].state))
				  : encode_str(arena, texts[i].text));
	return bl_array_builder_end(&array);
}

static struct bl_value encode_strs(struct bl_arena *arena,
				   const struct bl_str *texts, size_t count)
{
	struct bl_array_builder array;

	bl_array_builder_init(&array, arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&array, encode_str(arena, texts[i]));
	return bl_array_builder_end(&array);
}

/* All values of the option at first, which is the first of its name. */
static struct bl_value encode_values(struct bl_arena *arena,
				     const struct bl_fact_command *command,
				     size_t first)
{
	struct bl_array_builder values;

	bl_array_builder_init(&values, arena);
	for (size_t i = first; i < command->option_count; i++) {
		const struct bl_fact_option *option = &command->options[i];

		if (option->value &&
		    bl_str_equal(option->name, command->options[first].name))
			bl_array_builder_add(
				&values,
				encode_str(arena, option->value->text));
	}
	return bl_array_builder_end(&values);
}

static bool is_first_of_name(const struct bl_fact_command *command, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (bl_str_equal(command->options[i].name,
				 command->options[at].name))
			return false;
	}
	return true;
}

/* Options past this many are left out: the look for repeats is quadratic. */
enum { OPTIONS_ENCODED = 256 };

static struct bl_value encode_options(struct bl_arena *arena,
				      const struct bl_fact_command *command)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	for (size_t i = 0; i < command->option_count && i < OPTIONS_ENCODED;
	     i++) {
		if (is_first_of_name(command, i))
			bl_object_builder_add(&object, command->options[i].name,
					      encode_values(arena, command, i));
	}
	return bl_object_builder_end(&object);
}

static struct bl_value encode_environment(struct bl_arena *arena,
					  const struct bl_fact_command *command)
{
	struct bl_object_builder object;

	if (!command->environment_count)
		return bl_value_undefined();
	bl_object_builder_init(&object, arena);
	for (size_t i = 0; i < command->environment_count; i++)
		bl_object_builder_add(
			&object, command->environment[i].name,
			encode_str(arena, command->environment[i].value));
	return bl_object_builder_end(&object);
}

static struct bl_value
encode_redirection(struct bl_arena *arena,
		   const struct bl_fact_redirection *redirection)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("descriptor"),
			      bl_value_integer(redirection->descriptor));
	bl_object_builder_add(
		&object, BL_STR("operator"),
		encode_c(bl_shell_redirection_text(redirection->kind)));
	bl_object_builder_add(&object, BL_STR("target"),
			      encode_str(arena, redirection->target.text));
	bl_object_builder_add(
		&object, BL_STR("state"),
		encode_c(bl_fact_state_name(redirection->target.state)));
	return bl_object_builder_end(&object);
}

static struct bl_value
encode_redirections(struct bl_arena *arena,
		    const struct bl_fact_command *command)
{
	struct bl_array_builder array;

	if (!command->redirection_count)
		return bl_value_undefined();
	bl_array_builder_init(&array, arena);
	for (size_t i = 0; i < command->redirection_count; i++)
		bl_array_builder_add(
			&array,
			encode_redirection(arena, &command->redirections[i]));
	return bl_array_builder_end(&array);
}

/* The identity of the command: program, words, options. */
static void add_words(struct bl_object_builder *object,
		      const struct bl_fact_command *command)
{
	struct bl_arena *arena = object->arena;

	add_str(object, BL_STR("program"), command->program);
	add_str(object, BL_STR("path"), command->path);
	add_str(object, BL_STR("row"), command->row);
	bl_object_builder_add(
		object, BL_STR("argv"),
		encode_texts(arena, command->argv, command->argc, false));
	bl_object_builder_add(
		object, BL_STR("states"),
		encode_texts(arena, command->argv, command->argc, true));
	bl_object_builder_add(object, BL_STR("options"),
			      encode_options(arena, command));
	bl_object_builder_add(object, BL_STR("operands"),
			      encode_texts(arena, command->operands,
					   command->operand_count, false));
}

static struct bl_value encode_command(struct bl_arena *arena,
				      const struct bl_fact_command *command,
				      size_t index)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("index"),
			      bl_value_integer((int64_t)index));
	add_words(&object, command);
	if (command->cwd.state == BL_FACT_KNOWN)
		add_str(&object, BL_STR("cwd"), command->cwd.text);
	bl_object_builder_add(
		&object, BL_STR("wrappers"),
		encode_strs(arena, command->wrappers, command->wrapper_count));
	bl_object_builder_add(&object, BL_STR("runs"),
			      encode_c(bl_fact_runs_name(command->runs)));
	bl_object_builder_add(&object, BL_STR("where"),
			      encode_c(bl_fact_where_name(command->where)));
	add_str(&object, BL_STR("host"), command->host);
	bl_object_builder_add(&object, BL_STR("environment"),
			      encode_environment(arena, command));
	bl_object_builder_add(&object, BL_STR("redirections"),
			      encode_redirections(arena, command));
	if (command->has_input && command->input.state == BL_FACT_KNOWN)
		add_str(&object, BL_STR("input"), command->input.text);
	add_true(&object, BL_STR("dry"), command->is_dry);
	add_span(&object, command->span);
	return bl_object_builder_end(&object);
}

static void add_target(struct bl_object_builder *object,
		       const struct bl_fact_effect *effect)
{
	if (!effect->has_target)
		return;
	bl_object_builder_add(object, BL_STR("target"),
			      encode_str(object->arena, effect->target.text));
	bl_object_builder_add(
		object, BL_STR("state"),
		encode_c(bl_fact_state_name(effect->target.state)));
	if (effect->target.state == BL_FACT_UNKNOWN)
		bl_object_builder_add(
			object, BL_STR("prefix"),
			encode_str(object->arena, effect->target.prefix));
	add_str(object, BL_STR("at_worst"), effect->at_worst);
	add_true(object, BL_STR("path"), effect->is_path);
	if (effect->is_path)
		bl_object_builder_add(
			object, BL_STR("place"),
			encode_c(bl_fact_place_name(effect->place)));
}

static struct bl_value encode_effect(struct bl_arena *arena,
				     const struct bl_fact_effect *effect)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("kind"),
			      encode_c(bl_fact_kind_name(effect->kind)));
	add_str(&object, BL_STR("action"), effect->action);
	add_target(&object, effect);
	add_str(&object, BL_STR("secret"), effect->secret);
	add_str(&object, BL_STR("guard"), effect->guard);
	bl_object_builder_add(
		&object, BL_STR("holds"),
		encode_bits(arena, effect->holds, HOLDS_COUNT, name_of_holds));
	bl_object_builder_add(&object, BL_STR("details"),
			      encode_bits(arena, effect->details,
					  BL_FACT_DETAIL_COUNT,
					  name_of_detail));
	bl_object_builder_add(&object, BL_STR("origins"),
			      encode_bits(arena, effect->origins,
					  BL_FACT_ORIGIN_COUNT,
					  name_of_origin));
	bl_object_builder_add(&object, BL_STR("certain"),
			      bl_value_boolean(effect->is_certain));
	add_command(&object, effect->command);
	add_span(&object, effect->span);
	return bl_object_builder_end(&object);
}

static struct bl_value encode_opaque(struct bl_arena *arena,
				     const struct bl_fact_opaque *opaque)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("reason"),
			      encode_c(bl_fact_reason_name(opaque->reason)));
	add_str(&object, BL_STR("what"), opaque->what);
	bl_object_builder_add(&object, BL_STR("origins"),
			      encode_bits(arena, opaque->origins,
					  BL_FACT_ORIGIN_COUNT,
					  name_of_origin));
	add_command(&object, opaque->command);
	bl_object_builder_add(&object, BL_STR("certain"),
			      bl_value_boolean(opaque->is_certain));
	add_span(&object, opaque->span);
	return bl_object_builder_end(&object);
}

static void add_lists(struct bl_object_builder *object,
		      const struct bl_facts *facts)
{
	struct bl_arena *arena = object->arena;
	struct bl_array_builder commands, effects, opaque;

	bl_array_builder_init(&commands, arena);
	for (size_t i = 0; i < facts->command_count; i++)
		bl_array_builder_add(
			&commands,
			encode_command(arena, &facts->commands[i], i));
	bl_array_builder_init(&effects, arena);
	for (size_t i = 0; i < facts->effect_count; i++)
		bl_array_builder_add(&effects,
				     encode_effect(arena, &facts->effects[i]));
	bl_array_builder_init(&opaque, arena);
	for (size_t i = 0; i < facts->opaque_count; i++)
		bl_array_builder_add(&opaque,
				     encode_opaque(arena, &facts->opaque[i]));
	bl_object_builder_add(object, BL_STR("commands"),
			      bl_array_builder_end(&commands));
	bl_object_builder_add(object, BL_STR("effects"),
			      bl_array_builder_end(&effects));
	bl_object_builder_add(object, BL_STR("opaque"),
			      bl_array_builder_end(&opaque));
}

static struct bl_value encode_staged(struct bl_arena *arena,
				     const struct bl_fact_staged *staged)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("path"),
			      encode_str(arena, staged->path));
	add_span(&object, staged->span);
	add_lists(&object, &staged->facts);
	return bl_object_builder_end(&object);
}

struct bl_value bl_effects_encode(struct bl_arena *arena,
				  const struct bl_facts *facts)
{
	struct bl_object_builder object;
	struct bl_array_builder staged;

	bl_object_builder_init(&object, arena);
	add_lists(&object, facts);
	if (!facts->staged_count)
		return bl_object_builder_end(&object);
	bl_array_builder_init(&staged, arena);
	for (size_t i = 0; i < facts->staged_count; i++)
		bl_array_builder_add(&staged,
				     encode_staged(arena, &facts->staged[i]));
	bl_object_builder_add(&object, BL_STR("staged"),
			      bl_array_builder_end(&staged));
	return bl_object_builder_end(&object);
}

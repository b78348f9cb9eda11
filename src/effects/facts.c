/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/facts.c: facts are added here and nowhere else: their limits, their
 * texts, and whether they are certain.
 */
#include <strings.h>

#include "effects/private.h"

static struct bl_str label_of(const struct effects_walk *walk, char mark)
{
	return walk->holes[(unsigned char)mark - EFFECTS_HOLE].label;
}

/* The text with the labels of its holes in their places. */
static struct bl_str show(struct effects_walk *walk, struct effects_text text)
{
	struct effects_builder shown;

	effects_builder_init(&shown, walk->arena, UINT32_MAX);
	for (size_t i = 0; i < text.len; i++) {
		size_t from = i;

		while (i < text.len && text.ptr[i])
			i++;
		effects_put(&shown, text.ptr + from, i - from);
		if (++i >= text.len)
			break;
		if ((unsigned char)text.ptr[i] >= EFFECTS_HOLE) {
			struct bl_str label = label_of(walk, text.ptr[i]);

			effects_put(&shown, label.ptr, label.len);
		} else {
			effects_put(&shown, text.ptr + i, 1);
		}
	}
	return effects_str(effects_built(&shown));
}

struct bl_fact_text effects_fact_text(struct effects_walk *walk,
				      struct effects_text text)
{
	struct bl_fact_text fact = { .state = BL_FACT_KNOWN,
				     .text = effects_str(text),
				     .origins = text.origins &
						~(EFFECTS_FROM_ALL |
						  EFFECTS_FROM_FIND) };

	if (effects_is_known(text))
		return fact;
	fact.state = effects_state_of(text);
	fact.text = show(walk, text);
	fact.prefix =
		bl_str_slice(effects_str(text), 0, effects_known_prefix(text));
	for (size_t i = 0; i + 1 < text.len; i++) {
		if (!text.ptr[i] &&
		    (unsigned char)text.ptr[i + 1] >= EFFECTS_HOLE)
			fact.origins |=
				walk->holes[(unsigned char)text.ptr[i + 1] -
					    EFFECTS_HOLE]
					.origins;
	}
	return fact;
}

/* One more opaque mark, without asking whether there is room. */
static void add_opaque(struct effects_walk *walk, enum bl_fact_reason reason,
		       struct effects_text what, struct bl_shell_span span)
{
	struct bl_fact_opaque *opaque =
		bl_arena_room(walk->arena, walk->opaque, walk->opaque_count,
			      &walk->opaque_cap, sizeof(*opaque));
	struct bl_fact_text text = effects_fact_text(walk, what);

	if (!opaque)
		return;
	walk->opaque = opaque;
	opaque[walk->opaque_count++] = (struct bl_fact_opaque){
		.reason = reason,
		.what = text.text,
		.origins = text.origins,
		.command = walk->command,
		.is_certain = !walk->is_maybe && !walk->is_later,
		.span = effects_span(walk, span),
	};
}

/* Past a limit one mark says so, and nothing more is walked. */
static bool has_room(struct effects_walk *walk, size_t count, uint32_t limit,
		     struct bl_shell_span span)
{
	if (walk->is_silent)
		return false;
	if (count < limit)
		return true;
	if (!walk->is_over)
		add_opaque(walk, BL_FACT_OPAQUE_LIMIT,
			   effects_text(BL_STR("too many facts")), span);
	walk->is_over = true;
	return false;
}

void effects_opaque(struct effects_walk *walk, enum bl_fact_reason reason,
		    struct effects_text what, struct bl_shell_span span)
{
	if (reason == BL_FACT_OPAQUE_LIMIT) {
		if (!walk->is_over)
			add_opaque(walk, reason, what, span);
		walk->is_over = true;
		return;
	}
	if (has_room(walk, walk->opaque_count, walk->limits.opaque, span))
		add_opaque(walk, reason, what, span);
}

void effects_too_deep(struct effects_walk *walk, struct bl_shell_span span)
{
	effects_opaque(
		walk, BL_FACT_OPAQUE_LIMIT,
		effects_text(BL_STR("commands too deep inside commands")),
		span);
}

void effects_mark_cut(struct effects_walk *walk, struct effects_text text,
		      struct bl_shell_span span)
{
	const char cut[] = { 0, (char)(EFFECTS_HOLE + EFFECTS_HOLES) };

	if (bl_str_find(effects_str(text), (struct bl_str){ cut, sizeof(cut) },
			0) != SIZE_MAX &&
	    has_room(walk, walk->opaque_count, walk->limits.opaque, span))
		add_opaque(
			walk, BL_FACT_OPAQUE_LIMIT,
			effects_text(BL_STR("a text that is run is too long")),
			span);
}

void effects_add(struct effects_walk *walk, const struct bl_fact_effect *effect)
{
	struct bl_fact_effect *effects;

	if (!has_room(walk, walk->effect_count, walk->limits.effects,
		      effect->span))
		return;
	effects = bl_arena_room(walk->arena, walk->effects, walk->effect_count,
				&walk->effect_cap, sizeof(*effects));
	if (!effects)
		return;
	walk->effects = effects;
	effects += walk->effect_count++;
	*effects = *effect;
	effects->is_certain = !walk->is_maybe && !walk->is_later;
	effects->command = walk->command;
	effects->span = effects_span(walk, effect->span);
	if (walk->is_later)
		effects->details |= BL_FACT_IS_LATER;
}

void effects_add_plain(struct effects_walk *walk, enum bl_fact_kind kind,
		       struct bl_str action, const struct effects_text *target,
		       uint32_t details, struct bl_shell_span span)
{
	struct bl_fact_effect effect = {
		.kind = kind, .action = action, .details = details, .span = span
	};

	if (target) {
		effect.has_target = true;
		effect.target = effects_fact_text(walk, *target);
		effect.origins = effect.target.origins;
	}
	effects_add(walk, &effect);
}

static void put_argv(struct effects_walk *walk, struct bl_fact_command *command,
		     const struct effects_args *args)
{
	struct bl_fact_text *argv = bl_arena_new_array(
		walk->arena, struct bl_fact_text, args->count);

	if (!argv)
		return;
	for (size_t i = 0; i < args->count; i++)
		argv[i] = effects_fact_text(walk, args->items[i].text);
	command->argv = argv;
	command->argc = args->count;
}

static void put_wrappers(struct effects_walk *walk,
			 struct bl_fact_command *command)
{
	const struct effects_wrapper *wrapper = walk->wrapper;
	size_t at = walk->wrapper_count;
	struct bl_str *names =
		bl_arena_new_array(walk->arena, struct bl_str, at);

	if (!names)
		return;
	for (; wrapper && at; wrapper = wrapper->outer)
		names[--at] = wrapper->name;
	command->wrappers = names;
	command->wrapper_count = walk->wrapper_count;
}

static struct bl_str base_name(struct bl_str path)
{
	size_t at = path.len;

	while (at && path.ptr[at - 1] != '/')
		at--;
	return bl_str_slice(path, at, SIZE_MAX);
}

struct bl_fact_command *effects_command(struct effects_walk *walk,
					const struct effects_state *state,
					const struct effects_args *args,
					struct bl_shell_span span)
{
	struct bl_fact_command *commands;
	struct effects_text cwd = effects_cwd(walk, state);

	walk->command = UINT32_MAX;
	if (!has_room(walk, walk->command_count, walk->limits.commands, span))
		return NULL;
	commands =
		bl_arena_room(walk->arena, walk->commands, walk->command_count,
			      &walk->command_cap, sizeof(*commands));
	if (!commands)
		return NULL;
	walk->commands = commands;
	walk->command = (uint32_t)walk->command_count;
	commands += walk->command_count++;
	*commands = (struct bl_fact_command){
		.span = effects_span(walk, span),
		.runs = walk->is_later   ? BL_FACT_LATER
			: walk->is_maybe ? BL_FACT_MAYBE
					 : BL_FACT_ALWAYS,
		.where = walk->where,
		.host = walk->host,
	};
	put_argv(walk, commands, args);
	put_wrappers(walk, commands);
	if (args->count && effects_is_known(args->items[0].text))
		commands->program = base_name(effects_str(args->items[0].text));
	commands->cwd =
		effects_fact_text(walk, cwd.ptr ? cwd : walk->no_folder);
	return commands;
}

/* ---- variables that are shown -------------------------------------------------- */

/* Does the name end with a word for secrets, as a whole or behind _? */
static bool is_secret_name(struct bl_str name)
{
	static const char *const words[] = {
		"SECRET",
		"TOKEN",
		"PASSWORD",
		"PASSWD",
		"PASSPHRASE",
		"APIKEY",
		"API_KEY",
		"ACCESS_KEY",
		"PRIVATE_KEY",
		"SECRET_KEY",
		"ENCRYPTION_KEY",
		"SIGNING_KEY",
		"CREDENTIALS",
		"CONNECTION_STRING",
		"DSN",
		"PGPASSWORD",
		"MYSQL_PWD",
		"DATABASE_URL",
		"REDIS_URL",
		"MONGODB_URI",
		"MONGO_URL",
		"AUTH_KEY",
	};

	for (size_t i = 0; i < BL_COUNT(words); i++) {
		size_t len = strlen(words[i]);

		if (name.len >= len &&
		    !strncasecmp(name.ptr + name.len - len, words[i], len) &&
		    (name.len == len || name.ptr[name.len - len - 1] == '_'))
			return true;
	}
	return false;
}

/* $NAME and ${NAME...} show a value; ${NAME:+...} and ${#NAME} do not. */
void effects_add_shown(struct effects_walk *walk, struct bl_str label)
{
	struct effects_text name;
	size_t from = 1 + bl_str_has_prefix(label, BL_STR("${"));
	size_t to = from;

	if (!label.len || label.ptr[0] != '$' || !walk->command_count)
		return;
	while (to < label.len && effects_is_name(label.ptr[to]))
		to++;
	if (to == from || (to < label.len && strchr(":+", label.ptr[to]) &&
			   memchr(label.ptr + to, '+', 2)))
		return;
	if (!is_secret_name(bl_str_slice(label, from, to)))
		return;
	name = effects_text(bl_str_slice(label, from, to));
	effects_add_plain(walk, BL_FACT_SECRET, BL_STR("variable"), &name, 0,
			  walk->commands[walk->command_count - 1].span);
}

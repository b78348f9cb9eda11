/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/expand.c: words to texts, in bash's order: braces, tilde, parameters
 * and commands and arithmetic from left to right, splitting, globs.
 *
 * lib/shell expands what is known in full; here what is not known becomes a hole
 * and the rest stays.  The result of an unquoted expansion is split by IFS, and
 * its * ? [ become marks.  An unquoted hole may be several words or none: it is
 * taken for one, which the fact's state says.
 */
#include "effects/private.h"

enum { BRACE_WORDS = 256, EXPANSION_BYTES = 64 << 10 };

/* One word under way. */
struct expansion {
	struct effects_walk *walk;
	struct effects_state *state;
	struct effects_args *out;    /* NULL: one text, no splitting */
	struct effects_builder text; /* of the word that is built */
	struct bl_shell_span span;
	bool has_text;   /* something, perhaps empty quotes, is in it */
	bool is_pattern; /* quoted specials get a backslash, globs no mark */
};

void effects_args_add(struct effects_walk *walk, struct effects_args *args,
		      struct effects_text text, struct bl_shell_span span)
{
	struct effects_arg *items =
		bl_arena_room(walk->arena, args->items, args->count, &args->cap,
			      sizeof(*items));

	if (!items)
		return;
	args->items = items;
	items[args->count++] =
		(struct effects_arg){ .text = text, .span = span };
}

static void start(struct expansion *e)
{
	effects_builder_init(&e->text, e->walk->arena, EXPANSION_BYTES);
	e->has_text = false;
}

/* A [ alone begins no bracket: it is the command. */
static struct effects_text without_lone_bracket(struct effects_text text)
{
	bool is_lone = text.len == 2 && !text.ptr[0] && text.ptr[1] == '[';

	return is_lone ? effects_text(BL_STR("[")) : text;
}

static void end_word(struct expansion *e)
{
	if (e->has_text && e->out)
		effects_args_add(e->walk, e->out,
				 without_lone_bracket(effects_built(&e->text)),
				 e->span);
	if (e->out)
		start(e);
}

static bool is_special(char c)
{
	return c == '*' || c == '?' || c == '[';
}

/* The text of a tree, with the marks that effects_run_text put in it. */
static struct effects_text own_text(struct effects_walk *walk,
				    struct bl_str text)
{
	struct effects_text out = effects_text(text);
	char *bytes;

	if (!walk->has_marks || !text.len || !memchr(text.ptr, 1, text.len))
		return out;
	bytes = bl_arena_alloc_aligned(walk->arena, text.len, 1);
	if (!bytes)
		return out;
	for (size_t i = 0; i < text.len; i++)
		bytes[i] = text.ptr[i] == 1 ? 0 : text.ptr[i];
	out.ptr = bytes;
	return out;
}

/* Text that stays as it is. */
static void put_quoted(struct expansion *e, struct effects_text text)
{
	e->has_text = true;
	e->text.origins |= text.origins;
	if (!e->is_pattern) {
		effects_put(&e->text, text.ptr, text.len);
		return;
	}
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (is_special(c) || c == '\\' || c == '(' || c == ')' ||
		    c == '|')
			effects_put(&e->text, "\\", 1);
		effects_put(&e->text, &c, 1);
	}
}

/* Text whose * ? [ are active. */
static void put_active(struct expansion *e, struct effects_text text)
{
	size_t from = 0;

	e->has_text = e->has_text || text.len;
	e->text.origins |= text.origins;
	for (size_t i = 0; e->out && !e->is_pattern && i < text.len; i++) {
		if (!text.ptr[i]) {
			i++;
		} else if (is_special(text.ptr[i])) {
			effects_put(&e->text, text.ptr + from, i - from);
			effects_put_mark(&e->text, text.ptr[i]);
			from = i + 1;
		}
	}
	effects_put(&e->text, text.ptr + from, text.len - from);
}

static bool is_in(char c, struct bl_str set)
{
	return set.len && memchr(set.ptr, c, set.len);
}

/*
 * The result of an unquoted expansion: split by IFS.  Blank separators in a row
 * are one; another one ends a word even if that is empty.
 */
static void put_split(struct expansion *e, struct effects_text text)
{
	struct effects_text ifs = { " \t\n", 3, 0 };
	struct bl_str separators;
	size_t from = 0;

	if (!e->out) {
		put_active(e, text);
		return;
	}
	effects_value(e->walk, e->state, BL_STR("IFS"), &ifs);
	separators = effects_str(ifs);
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!c) {
			i++;
			continue;
		}
		if (!is_in(c, separators))
			continue;
		put_active(e, effects_cut(text, from, i));
		if (!is_in(c, BL_STR(" \t\n")))
			e->has_text = true;
		end_word(e);
		from = i + 1;
	}
	put_active(e, effects_cut(text, from, text.len));
}

static void put_value(struct expansion *e, struct effects_text text,
		      bool is_quoted)
{
	if (is_quoted)
		put_quoted(e, text);
	else
		put_split(e, text);
}

/* The source text of a span, as the label of a hole. */
static struct bl_str label_of(struct expansion *e, struct bl_shell_span span)
{
	struct bl_str source = e->walk->source;

	if (span.end <= source.len && span.end - span.start <= 80)
		return bl_str_slice(source, span.start, span.end);
	return BL_STR("$(...)");
}

static void put_parts(struct expansion *e, const struct bl_shell_part *part,
		      bool is_quoted);

/* ---- parameters ------------------------------------------------------------- */

/* $0 $1 $# $? $$ $! $- and the like; false: name is an ordinary variable. */
static bool special_value(struct expansion *e, struct bl_str name,
			  struct effects_text *out, bool *out_known)
{
	const struct effects_params *params = &e->state->params;
	uint32_t number = 0;

	*out = (struct effects_text){ "", 0, 0 };
	*out_known = true;
	if (bl_str_is(name, "#")) {
		struct bl_str text =
			bl_arena_printf(e->walk->arena, "%u", params->count);

		*out_known = params->is_known;
		*out = effects_text(text);
		return true;
	}
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] < '0' || name.ptr[i] > '9' || number > 100000) {
			*out_known = false;
			return name.len == 1 && strchr("?!$-", name.ptr[0]);
		}
		number = number * 10 + (uint32_t)(name.ptr[i] - '0');
	}
	if (!number) {
		*out = effects_text(BL_STR("bash"));
		return true;
	}
	*out_known = number <= params->count || params->is_known;
	if (number <= params->count)
		*out = params->items[number - 1];
	return true;
}

/* The value of the variable: *out_set false: it is not set. */
static bool look_up(struct expansion *e, const struct bl_shell_parameter *p,
		    struct effects_text *out, bool *out_set)
{
	const struct effects_variable *variable;
	bool is_known;

	*out_set = true;
	if (special_value(e, p->name, out, &is_known)) {
		*out_set = out->len || !is_known;
		return is_known;
	}
	variable = effects_variable(e->walk, e->state, p->name);
	if (!variable)
		return false;
	if (variable->is_unset || (variable->is_array && !variable->count)) {
		*out = (struct effects_text){ "", 0, 0 };
		*out_set = false;
		return true;
	}
	if (!variable->is_array)
		return effects_value(e->walk, e->state, p->name, out);
	*out = variable->values[0];
	return true;
}

/* ${a[i]} with a known i. */
static bool look_up_element(struct expansion *e,
			    const struct bl_shell_parameter *p,
			    struct effects_text *out, bool *out_set)
{
	const struct effects_variable *variable =
		effects_variable(e->walk, e->state, p->name);
	struct effects_text subscript =
		effects_expand_one(e->walk, e->state, p->subscript);
	int64_t index;

	*out_set = true;
	if (!effects_arithmetic(e->walk, e->state, subscript, &index) ||
	    !variable || !variable->is_array)
		return false;
	if (index < 0)
		index += variable->count;
	*out_set = index >= 0 && index < variable->count;
	*out = *out_set ? variable->values[index]
			: (struct effects_text){ "", 0, 0 };
	return true;
}

static struct effects_text unknown_value(struct expansion *e,
					 const struct bl_shell_part *part)
{
	return effects_hole(e->walk, label_of(e, part->span),
			    BL_FACT_FROM_VARIABLE, true);
}

/* ${x:-w} and its kind, by whether x is set and whether that is known. */
static void put_conditional(struct expansion *e,
			    const struct bl_shell_part *part, bool is_known,
			    bool is_set, struct effects_text value,
			    bool is_quoted)
{
	const struct bl_shell_parameter *p = part->parameter;
	bool counts_empty =
		p->op == BL_SHELL_OP_DEFAULT || p->op == BL_SHELL_OP_ASSIGN ||
		p->op == BL_SHELL_OP_ALTERNATE || p->op == BL_SHELL_OP_ERROR;
	bool has = is_set && (!counts_empty || value.len);
	bool is_alternate = p->op == BL_SHELL_OP_ALTERNATE ||
			    p->op == BL_SHELL_OP_ALTERNATE_SET;
	bool is_error =
		p->op == BL_SHELL_OP_ERROR || p->op == BL_SHELL_OP_ERROR_UNSET;

	if (!is_known && is_error) {
		/* A variable read further on has a value. */
		put_value(e,
			  effects_hole(e->walk, label_of(e, part->span),
				       BL_FACT_FROM_VARIABLE, false),
			  is_quoted);
		return;
	}
	if (!is_known) {
		struct effects_text other = { "", 0, 0 };

		if (p->operand)
			other = effects_expand_one(e->walk, e->state,
						   p->operand);
		put_value(e,
			  effects_hole(e->walk, label_of(e, part->span),
				       BL_FACT_FROM_VARIABLE | other.origins,
				       is_alternate || !other.len),
			  is_quoted);
		return;
	}
	if (has != is_alternate) {
		if (has)
			put_value(e, value, is_quoted);
		else
			e->has_text = e->has_text || is_quoted;
		return;
	}
	if (is_error) {
		e->state->ended |= EFFECTS_END_SHELL;
		return;
	}
	if (!is_alternate && (p->op == BL_SHELL_OP_ASSIGN ||
			      p->op == BL_SHELL_OP_ASSIGN_UNSET)) {
		value = p->operand ? effects_expand_one(e->walk, e->state,
							p->operand)
				   : (struct effects_text){ "", 0, 0 };
		effects_set(e->walk, e->state, p->name, value);
		put_value(e, value, is_quoted);
		return;
	}
	if (p->operand)
		put_parts(e, p->operand->parts, is_quoted);
	e->has_text = e->has_text || is_quoted;
}

/* ${x#p}, ${x/p/r}, ${x^^}, ${x:1:2} of a known value. */
static bool apply(struct expansion *e, const struct bl_shell_parameter *p,
		  struct effects_text *value)
{
	struct effects_text pattern = { "", 0, 0 };
	struct effects_text second = { "", 0, 0 };
	struct bl_str result;
	int64_t offset, length = INT64_MAX;

	if (p->op == BL_SHELL_OP_SLICE) {
		if (!p->operand ||
		    !effects_arithmetic(
			    e->walk, e->state,
			    effects_expand_one(e->walk, e->state, p->operand),
			    &offset))
			return false;
		if (p->second &&
		    !effects_arithmetic(
			    e->walk, e->state,
			    effects_expand_one(e->walk, e->state, p->second),
			    &length))
			return false;
		if (offset < 0)
			offset += value->len;
		if (offset < 0 || offset > value->len)
			offset = value->len;
		if (length < 0)
			length += value->len - offset;
		if (length < 0)
			length = 0;
		if (length > value->len - offset)
			length = value->len - offset;
		*value = effects_cut(*value, (size_t)offset,
				     (size_t)(offset + length));
		return true;
	}
	if (p->operand)
		pattern = effects_expand_pattern(e->walk, e->state, p->operand);
	if (p->second)
		second = effects_expand_one(e->walk, e->state, p->second);
	if (!effects_is_known(pattern) || !effects_is_known(second) ||
	    bl_shell_apply(e->walk->arena, p, effects_str(*value),
			   effects_str(pattern), effects_str(second),
			   &result) != BL_SHELL_KNOWN)
		return false;
	value->ptr = result.ptr;
	value->len = (uint32_t)result.len;
	return true;
}

static bool is_conditional(enum bl_shell_operator op)
{
	return op >= BL_SHELL_OP_DEFAULT_UNSET && op <= BL_SHELL_OP_ERROR;
}

/* ${x@P} expands what x holds as a prompt: it runs its commands. */
static void run_prompt(struct expansion *e, struct effects_text value,
		       struct bl_shell_span span)
{
	struct effects_text quoted =
		effects_join(e->walk->arena, effects_text(BL_STR(": \"")),
			     effects_join(e->walk->arena, value,
					  effects_text(BL_STR("\""))));

	effects_run_text(e->walk, e->state, quoted, true, NULL, span);
}

/* "$@", "${a[@]}", and "$*": the elements, each a word (or joined). */
static bool put_all(struct expansion *e, const struct bl_shell_part *part,
		    bool is_quoted)
{
	const struct bl_shell_parameter *p = part->parameter;
	const struct effects_variable *array = NULL;
	const struct effects_text *items = e->state->params.items;
	uint32_t count = e->state->params.count;
	struct effects_text which = { p->name.ptr, (uint32_t)p->name.len, 0 };
	bool is_known = e->state->params.is_known;

	if (p->subscript)
		which = effects_expand_one(e->walk, e->state, p->subscript);
	if (!effects_is(which, "@") && !effects_is(which, "*"))
		return false;
	if (p->is_length || p->is_indirect || is_conditional(p->op))
		return false;
	if (p->subscript) {
		array = effects_variable(e->walk, e->state, p->name);
		is_known = array != NULL;
		items = array ? array->values : NULL;
		count = array ? array->count : 0;
	}
	if (!is_known) {
		put_value(e, unknown_value(e, part), is_quoted);
		return true;
	}
	if (p->op == BL_SHELL_OP_SLICE && !p->second && p->operand) {
		int64_t from;

		if (!effects_arithmetic(
			    e->walk, e->state,
			    effects_expand_one(e->walk, e->state, p->operand),
			    &from)) {
			put_value(e, unknown_value(e, part), is_quoted);
			return true;
		}
		from -= p->subscript ? 0 : 1;
		from = from < 0 ? 0 : from > count ? count : from;
		items += from;
		count -= (uint32_t)from;
	} else if (p->op != BL_SHELL_OP_NONE) {
		put_value(e, unknown_value(e, part), is_quoted);
		return true;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (i && (!e->out || (effects_is(which, "*") && is_quoted)))
			put_quoted(e, effects_text(BL_STR(" ")));
		else if (i)
			end_word(e);
		put_value(e, items[i], is_quoted);
	}
	return true;
}

/* ${!x}: the variable that x names. */
static bool look_up_indirect(struct expansion *e,
			     const struct bl_shell_parameter *p,
			     struct effects_text *out)
{
	struct effects_text name;
	bool is_set;

	if (!look_up(e, p, &name, &is_set) || !effects_is_known(name))
		return false;
	return effects_value(e->walk, e->state, effects_str(name), out);
}

static struct effects_text length_of(struct expansion *e,
				     struct effects_text value)
{
	return effects_text(bl_arena_printf(e->walk->arena, "%u", value.len));
}

static void put_parameter(struct expansion *e, const struct bl_shell_part *part,
			  bool is_quoted)
{
	const struct bl_shell_parameter *p = part->parameter;
	struct effects_text value = { "", 0, 0 };
	bool is_set = true;
	bool is_known;

	if (put_all(e, part, is_quoted))
		return;
	if (p->is_indirect)
		is_known = !p->has_prefix && look_up_indirect(e, p, &value);
	else if (p->subscript)
		is_known = look_up_element(e, p, &value, &is_set);
	else
		is_known = look_up(e, p, &value, &is_set);
	if (is_conditional(p->op)) {
		put_conditional(e, part, is_known, is_set, value, is_quoted);
		return;
	}
	if (is_known && p->op == BL_SHELL_OP_TRANSFORM && p->letter == 'P')
		run_prompt(e, value, part->span);
	if (is_known && p->is_length && effects_is_known(value))
		value = length_of(e, value);
	else if (is_known && p->op != BL_SHELL_OP_NONE)
		is_known = effects_is_known(value) && apply(e, p, &value);
	else if (p->is_length)
		is_known = false;
	if (!is_known) {
		struct effects_text hole = unknown_value(e, part);

		hole.origins |= value.origins;
		value = hole;
	}
	put_value(e, value, is_quoted);
}

/* ---- substitutions ---------------------------------------------------------- */

static void put_command(struct expansion *e, const struct bl_shell_part *part,
			bool is_quoted)
{
	struct effects_text text =
		effects_capture(e->walk, e->state, part->script);

	while (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	put_value(e, text, is_quoted);
}

static void put_arithmetic(struct expansion *e,
			   const struct bl_shell_part *part, bool is_quoted)
{
	struct bl_shell_word word = { .parts = part->parts };
	int64_t value;
	struct effects_text text = effects_expand_one(e->walk, e->state, &word);

	if (effects_arithmetic(e->walk, e->state, text, &value)) {
		struct bl_str digits = bl_arena_printf(e->walk->arena, "%lld",
						       (long long)value);

		put_value(e, effects_text(digits), is_quoted);
		return;
	}
	put_value(e, effects_hole(e->walk, label_of(e, part->span), 0, false),
		  is_quoted);
}

/* <(...): a file whose content is what the script prints. */
static void put_process(struct expansion *e, const struct bl_shell_part *part)
{
	struct effects_walk *walk = e->walk;
	struct bl_str path =
		bl_arena_printf(walk->arena, "/dev/fd/%u", walk->next_fd--);

	if (part->kind == BL_SHELL_PROCESS_IN) {
		effects_file_put(walk, path,
				 effects_capture(walk, e->state, part->script),
				 false);
	} else {
		struct effects_pending *pending =
			bl_arena_new(walk->arena, struct effects_pending);

		if (!pending)
			return;
		pending->script = part->script;
		pending->next = walk->pending;
		pending->sink = bl_arena_new(walk->arena, struct effects_sink);
		if (!pending->sink)
			return;
		effects_builder_init(&pending->sink->text, walk->arena,
				     walk->limits.content_bytes);
		pending->sink->is_kept = true;
		pending->sink->effect = UINT32_MAX;
		pending->sink->path = effects_text(path);
		walk->pending = pending;
	}
	put_quoted(e, effects_text(path));
}

static void put_part(struct expansion *e, const struct bl_shell_part *part,
		     bool is_quoted)
{
	switch (part->kind) {
	case BL_SHELL_TEXT:
		if (is_quoted)
			put_quoted(e, own_text(e->walk, part->text));
		else
			put_active(e, own_text(e->walk, part->text));
		break;
	case BL_SHELL_ESCAPED:
	case BL_SHELL_SINGLE:
	case BL_SHELL_ANSI:
	case BL_SHELL_BAD:
		put_quoted(e, own_text(e->walk, part->text));
		break;
	case BL_SHELL_DOUBLE:
	case BL_SHELL_LOCALE:
		/* "$@" without parameters is not a word at all. */
		if (!(part->parts && !part->parts->next &&
		      part->parts->kind == BL_SHELL_PARAMETER &&
		      bl_str_is(part->parts->parameter->name, "@")))
			e->has_text = true;
		put_parts(e, part->parts, true);
		break;
	case BL_SHELL_PARAMETER:
		put_parameter(e, part, is_quoted);
		break;
	case BL_SHELL_COMMAND:
	case BL_SHELL_BACKQUOTE:
		put_command(e, part, is_quoted);
		break;
	case BL_SHELL_ARITHMETIC:
		put_arithmetic(e, part, is_quoted);
		break;
	case BL_SHELL_PROCESS_IN:
	case BL_SHELL_PROCESS_OUT:
		put_process(e, part);
		break;
	case BL_SHELL_ARRAY:
	case BL_SHELL_PART_COUNT:
		break;
	}
}

static void put_parts(struct expansion *e, const struct bl_shell_part *part,
		      bool is_quoted)
{
	for (; part && !e->walk->is_over; part = part->next)
		put_part(e, part, is_quoted);
}

/* ---- words ------------------------------------------------------------------ */

/* The folder that ~, ~+, ~- or ~user stands for. */
static struct effects_text tilde_folder(struct expansion *e, struct bl_str user)
{
	struct effects_text value;
	const char *name = bl_str_is(user, "+")   ? "PWD"
			   : bl_str_is(user, "-") ? "OLDPWD"
						  : "HOME";

	if (bl_str_is(user, "root"))
		return effects_text(BL_STR("/root"));
	if (user.len && bl_str_equal(user, e->walk->input->user))
		return effects_text(e->walk->input->home);
	if ((!user.len || bl_str_is(user, "+") || bl_str_is(user, "-")) &&
	    effects_value(e->walk, e->state, bl_str(name), &value))
		return value;
	return effects_hole(
		e->walk,
		bl_arena_printf(e->walk->arena, "~%.*s", BL_STR_ARG(user)), 0,
		false);
}

static void put_word(struct expansion *e, const struct bl_shell_word *word)
{
	const struct bl_shell_part *part = word->parts;
	struct bl_str user;
	size_t rest_at;

	if ((word->flags & BL_SHELL_WORD_TILDE) && part &&
	    part->kind == BL_SHELL_TEXT &&
	    bl_shell_word_tilde(word, &user, &rest_at)) {
		put_quoted(e, tilde_folder(e, user));
		put_active(e,
			   own_text(e->walk, bl_str_slice(part->text, rest_at,
							  SIZE_MAX)));
		part = part->next;
	}
	put_parts(e, part, false);
}

/* a=~/x:~/y as a word: a tilde behind the = and behind each : expands. */
static struct effects_text expand_assignment_tildes(struct expansion *e,
						    struct effects_text text)
{
	struct effects_builder builder;
	struct effects_text home = tilde_folder(e, BL_STR(""));

	effects_builder_init(&builder, e->walk->arena, EXPANSION_BYTES);
	for (size_t i = 0; i < text.len; i++) {
		bool is_start =
			i && (text.ptr[i - 1] == '=' || text.ptr[i - 1] == ':');
		bool is_end = i + 1 == text.len || text.ptr[i + 1] == '/' ||
			      text.ptr[i + 1] == ':';

		if (text.ptr[i] == '~' && is_start && is_end)
			effects_put_text(&builder, home);
		else
			effects_put(&builder, text.ptr + i, 1);
	}
	return effects_built(&builder);
}

static bool is_plain(const struct bl_shell_word *word)
{
	return !(word->flags & (BL_SHELL_WORD_EXPANDS | BL_SHELL_WORD_GLOB |
				BL_SHELL_WORD_BRACE | BL_SHELL_WORD_TILDE |
				BL_SHELL_WORD_RUNS | BL_SHELL_WORD_BAD));
}

static void expand_word(struct effects_walk *walk, struct effects_state *state,
			const struct bl_shell_word *word,
			struct effects_args *out)
{
	struct effects_args raw = { 0 };
	struct expansion e = {
		.walk = walk, .state = state, .out = &raw, .span = word->span
	};
	struct bl_str text;

	if (is_plain(word) && bl_shell_word_text(walk->arena, word, &text)) {
		effects_args_add(walk, out, own_text(walk, text), word->span);
		return;
	}
	start(&e);
	put_word(&e, word);
	end_word(&e);
	for (size_t i = 0; i < raw.count; i++) {
		struct effects_arg *arg = &raw.items[i];

		if ((word->flags & BL_SHELL_WORD_TILDE) && word->assignment)
			arg->text = expand_assignment_tildes(&e, arg->text);
		if (effects_is_known(arg->text) ||
		    !effects_glob(walk, state, arg, out))
			effects_args_add(walk, out, arg->text, arg->span);
	}
}

void effects_expand(struct effects_walk *walk, struct effects_state *state,
		    const struct bl_shell_word *words, struct effects_args *out)
{
	for (; words && !walk->is_over; words = words->next) {
		const struct bl_shell_word *expanded = words;
		const struct bl_shell_word *one;

		if (words->flags & BL_SHELL_WORD_BRACE) {
			enum bl_shell_answer answer = bl_shell_expand_braces(
				walk->arena, words, BRACE_WORDS, &expanded);

			if (answer != BL_SHELL_KNOWN) {
				effects_args_add(walk, out,
						 effects_hole(walk,
							      BL_STR("{...}"),
							      0, false),
						 words->span);
				continue;
			}
		}
		if (expanded == words) {
			expand_word(walk, state, words, out);
			continue;
		}
		for (one = expanded; one; one = one->next)
			expand_word(walk, state, one, out);
	}
}

static struct effects_text expand_single(struct effects_walk *walk,
					 struct effects_state *state,
					 const struct bl_shell_word *word,
					 bool is_pattern)
{
	struct expansion e = { .walk = walk,
			       .state = state,
			       .span = word->span,
			       .is_pattern = is_pattern };

	start(&e);
	put_word(&e, word);
	return effects_built(&e.text);
}

struct effects_text effects_expand_one(struct effects_walk *walk,
				       struct effects_state *state,
				       const struct bl_shell_word *word)
{
	struct bl_str text;

	if (is_plain(word) && bl_shell_word_text(walk->arena, word, &text))
		return own_text(walk, text);
	return expand_single(walk, state, word, false);
}

struct effects_text effects_expand_pattern(struct effects_walk *walk,
					   struct effects_state *state,
					   const struct bl_shell_word *word)
{
	return expand_single(walk, state, word, true);
}

/* ---- arithmetic ------------------------------------------------------------- */

struct arithmetic {
	struct effects_walk *walk;
	struct effects_state *state;
	struct effects_text code; /* a value that is not a number */
};

static enum bl_shell_state find_number(void *context, struct bl_str name,
				       struct bl_str subscript,
				       struct bl_str *out_value)
{
	struct arithmetic *arithmetic = context;
	struct effects_text value;
	const struct effects_variable *variable =
		effects_variable(arithmetic->walk, arithmetic->state, name);

	if (subscript.ptr || !variable)
		return BL_SHELL_STATE_UNKNOWN;
	if (variable->is_unset)
		return BL_SHELL_STATE_UNSET;
	if (!effects_value(arithmetic->walk, arithmetic->state, name, &value) ||
	    !effects_is_known(value))
		return BL_SHELL_STATE_UNKNOWN;
	/* x='a[$(rm y)]': using x as a number runs rm (docs: arithmetic). */
	if (memchr(value.ptr, '[', value.len))
		arithmetic->code = value;
	*out_value = effects_str(value);
	return BL_SHELL_STATE_SET;
}

static bool set_number(void *context, struct bl_str name,
		       struct bl_str subscript, struct bl_str value)
{
	struct arithmetic *arithmetic = context;

	if (subscript.ptr)
		return false;
	effects_set(arithmetic->walk, arithmetic->state, name,
		    effects_text(value));
	return true;
}

/* Commands in subscripts of a value that is used as a number. */
static void run_subscript(struct effects_walk *walk,
			  struct effects_state *state, struct effects_text code)
{
	struct effects_text quoted = effects_join(
		walk->arena, effects_text(BL_STR(": \"")),
		effects_join(walk->arena, code, effects_text(BL_STR("\""))));

	effects_run_text(walk, state, quoted, true, NULL, walk->span);
}

bool effects_arithmetic(struct effects_walk *walk, struct effects_state *state,
			struct effects_text expression, int64_t *out)
{
	struct arithmetic arithmetic = { .walk = walk, .state = state };
	struct bl_shell_variables variables = { .find = find_number,
						.set = set_number,
						.context = &arithmetic };
	enum bl_shell_answer answer;

	if (!effects_is_known(expression))
		return false;
	if (memchr(expression.ptr ? expression.ptr : "", '$', expression.len))
		run_subscript(walk, state, expression);
	answer = bl_shell_evaluate(walk->arena, effects_str(expression),
				   &variables, out);
	if (arithmetic.code.len)
		run_subscript(walk, state, arithmetic.code);
	return answer == BL_SHELL_KNOWN;
}

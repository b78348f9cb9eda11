/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/expand.c: a word to fields: tilde, parameters, arithmetic, splitting by
 * IFS, quote removal, in bash's order.  It stands alone because it only walks
 * parts and keeps the fields; what an operator or an expression gives is asked
 * of apply.c and evaluate.c.
 *
 * Worked example: with x="b  c", a$x"d" is: text a; the value of x is split, so
 * b joins a to the field ab, the blanks end it, c begins the next; "d" joins c.
 * The fields are ab and cd.
 */
#include <stdio.h>

#include "shell/private.h"

enum { BRACES_MAX = 10000, EXPAND_DEPTH_MAX = 64 };

/* A growing text in the arena. */
struct text {
	char *ptr;
	size_t len, cap;
};

struct expander {
	struct bl_arena *arena;
	const struct bl_shell_variables *variables;
	enum bl_shell_answer answer;
	struct bl_shell_field *first, **end;
	struct text text, pattern; /* the field so far, in both forms */
	bool started;              /* there is a field, perhaps an empty one */
	bool active;               /* with an unquoted * ? or [ */
	bool as_one;
	bool has_ifs;
	struct bl_str ifs;
	uint32_t depth;
};

/* How bytes come in. */
enum quoting { QUOTED, UNQUOTED, SPLIT };

static bool stop(struct expander *x, enum bl_shell_answer answer)
{
	if (x->answer == BL_SHELL_KNOWN)
		x->answer = answer;
	return false;
}

static bool add_byte(struct expander *x, struct text *text, char c)
{
	char *ptr =
		bl_arena_room(x->arena, text->ptr, text->len, &text->cap, 1);

	if (!ptr)
		return stop(x, BL_SHELL_EXCEEDS);
	text->ptr = ptr;
	ptr[text->len++] = c;
	return true;
}

static bool put_byte(struct expander *x, char c, enum quoting quoting)
{
	bool special = c && strchr("*?[]\\()|@+!^-&", c);

	x->started = true;
	if (special && (quoting == QUOTED || c == '\\') &&
	    !add_byte(x, &x->pattern, '\\'))
		return false;
	if (quoting != QUOTED && c && strchr("*?[", c))
		x->active = true;
	return add_byte(x, &x->pattern, c) && add_byte(x, &x->text, c);
}

static bool put_text(struct expander *x, struct bl_str text,
		     enum quoting quoting)
{
	for (size_t i = 0; i < text.len; i++)
		if (!put_byte(x, text.ptr[i], quoting))
			return false;
	return true;
}

static bool end_field(struct expander *x)
{
	struct bl_shell_field *field =
		bl_arena_new(x->arena, struct bl_shell_field);

	if (!field)
		return stop(x, BL_SHELL_EXCEEDS);
	field->text = (struct bl_str){ x->text.ptr, x->text.len };
	if (x->active)
		field->pattern =
			(struct bl_str){ x->pattern.ptr, x->pattern.len };
	*x->end = field;
	x->end = &field->next;
	x->text = x->pattern = (struct text){ 0 };
	x->started = x->active = false;
	return true;
}

static enum bl_shell_state find(struct expander *x, struct bl_str name,
				struct bl_str subscript, struct bl_str *value)
{
	if (!x->variables || !x->variables->find)
		return BL_SHELL_STATE_UNKNOWN;
	return x->variables->find(x->variables->context, name, subscript,
				  value);
}

/* IFS, looked up once. */
static bool need_ifs(struct expander *x)
{
	struct bl_str none = { NULL, 0 };

	if (x->has_ifs)
		return true;
	switch (find(x, BL_STR("IFS"), none, &x->ifs)) {
	case BL_SHELL_STATE_UNKNOWN:
		return stop(x, BL_SHELL_UNKNOWN);
	case BL_SHELL_STATE_UNSET:
		x->ifs = BL_STR(" \t\n");
		break;
	case BL_SHELL_STATE_SET:
		break;
	}
	x->has_ifs = true;
	return true;
}

static bool in_ifs(const struct expander *x, char c)
{
	return x->ifs.len && memchr(x->ifs.ptr, c, x->ifs.len);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static size_t skip_ifs_blanks(const struct expander *x, struct bl_str value,
			      size_t i)
{
	while (i < value.len && in_ifs(x, value.ptr[i]) &&
	       is_blank(value.ptr[i]))
		i++;
	return i;
}

/*
 * The result of an unquoted expansion: blanks of IFS end a field, other bytes of
 * IFS end one even when it is empty.
 */
static bool put_split(struct expander *x, struct bl_str value)
{
	if (!value.len)
		return true;
	if (!need_ifs(x))
		return false;
	for (size_t i = 0; i < value.len;) {
		size_t next = skip_ifs_blanks(x, value, i);

		if (next < value.len && in_ifs(x, value.ptr[next])) {
			if (!end_field(x))
				return false;
			i = skip_ifs_blanks(x, value, next + 1);
			continue;
		}
		if (next > i && x->started && !end_field(x))
			return false;
		i = next;
		if (i < value.len && !put_byte(x, value.ptr[i++], UNQUOTED))
			return false;
	}
	return true;
}

static bool put_value(struct expander *x, struct bl_str value,
		      enum quoting quoting)
{
	if (quoting == SPLIT && !x->as_one)
		return put_split(x, value);
	return put_text(x, value, quoting);
}

static bool put_parts(struct expander *x, const struct bl_shell_part *part,
		      enum quoting quoting);

/* A word inside a word, as one text, or as a pattern. */
static bool expand_inner(struct expander *x, const struct bl_shell_word *word,
			 bool as_pattern, enum quoting quoting,
			 struct bl_str *out)
{
	struct expander inner = { .arena = x->arena,
				  .variables = x->variables,
				  .as_one = true,
				  .depth = x->depth + 1 };

	*out = (struct bl_str){ "", 0 };
	if (!word)
		return true;
	if (inner.depth > EXPAND_DEPTH_MAX)
		return stop(x, BL_SHELL_EXCEEDS);
	inner.end = &inner.first;
	if (!put_parts(&inner, word->parts, quoting))
		return stop(x, inner.answer);
	if (as_pattern)
		*out = (struct bl_str){ inner.pattern.ptr, inner.pattern.len };
	else
		*out = (struct bl_str){ inner.text.ptr, inner.text.len };
	return true;
}

static bool evaluate_word(struct expander *x, const struct bl_shell_word *word,
			  int64_t *out)
{
	struct bl_str text;
	enum bl_shell_answer answer;

	if (!expand_inner(x, word, false, QUOTED, &text))
		return false;
	answer = bl_shell_evaluate(x->arena, text, x->variables, out);
	return answer == BL_SHELL_KNOWN || stop(x, answer);
}

static bool is_ascii(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] >= 0x80)
			return false;
	return true;
}

/* ${x:o:l} */
static bool slice_value(struct expander *x, const struct bl_shell_parameter *p,
			struct bl_str *value)
{
	int64_t offset, length, size = (int64_t)value->len;

	if (!is_ascii(*value))
		return stop(x, BL_SHELL_UNKNOWN);
	if (!evaluate_word(x, p->operand, &offset))
		return false;
	if (offset < 0)
		offset += size;
	if (offset < 0 || offset > size) {
		value->len = 0;
		return true;
	}
	length = size - offset;
	if (p->second) {
		if (!evaluate_word(x, p->second, &length))
			return false;
		if (length < 0)
			length += size - offset;
		if (length < 0)
			return stop(x, BL_SHELL_FAILS);
		if (length > size - offset)
			length = size - offset;
	}
	*value =
		bl_str_slice(*value, (size_t)offset, (size_t)(offset + length));
	return true;
}

/* Operators that change the value: # % / ^ , ~ @ and slices. */
static bool change_value(struct expander *x, const struct bl_shell_parameter *p,
			 struct bl_str *value)
{
	struct bl_str pattern, second;
	enum bl_shell_answer answer;

	if (p->op == BL_SHELL_OP_SLICE)
		return slice_value(x, p, value);
	if (!expand_inner(x, p->operand, true, UNQUOTED, &pattern) ||
	    !expand_inner(x, p->second, true, UNQUOTED, &second))
		return false;
	answer = bl_shell_apply(x->arena, p, *value, pattern, second, value);
	return answer == BL_SHELL_KNOWN || stop(x, answer);
}

/* What the operators - = ? + do, which ask whether x is set. */
struct choice {
	enum bl_shell_operator op;
	bool counts_empty; /* with a colon: empty is as good as unset */
};

static bool find_choice(enum bl_shell_operator op, struct choice *out)
{
	if (op < BL_SHELL_OP_DEFAULT_UNSET || op > BL_SHELL_OP_ERROR)
		return false;
	out->counts_empty =
		op == BL_SHELL_OP_DEFAULT || op == BL_SHELL_OP_ASSIGN ||
		op == BL_SHELL_OP_ALTERNATE || op == BL_SHELL_OP_ERROR;
	out->op = op + !out->counts_empty; /* the form with the colon */
	return true;
}

static bool assign_value(struct expander *x, const struct bl_shell_parameter *p,
			 struct bl_str subscript, enum quoting quoting)
{
	struct bl_str value;

	if (!expand_inner(x, p->operand, false,
			  quoting == QUOTED ? QUOTED : UNQUOTED, &value))
		return false;
	if (!x->variables->set || !x->variables->set(x->variables->context,
						     p->name, subscript, value))
		return stop(x, BL_SHELL_UNKNOWN);
	return put_value(x, value, quoting);
}

/* Another name for a variable: ${!x}. */
static bool follow_name(struct expander *x, struct bl_str *name,
			struct bl_str subscript)
{
	struct bl_str value = { NULL, 0 };

	switch (find(x, *name, subscript, &value)) {
	case BL_SHELL_STATE_UNKNOWN:
		return stop(x, BL_SHELL_UNKNOWN);
	case BL_SHELL_STATE_UNSET:
		return stop(x, BL_SHELL_FAILS);
	case BL_SHELL_STATE_SET:
		break;
	}
	if (!bl_sh_is_name(value)) /* a subscript may run code */
		return stop(x, BL_SHELL_UNKNOWN);
	*name = value;
	return true;
}

static bool put_length(struct expander *x, struct bl_str value,
		       enum quoting quoting)
{
	char text[24];

	if (!is_ascii(value))
		return stop(x, BL_SHELL_UNKNOWN);
	snprintf(text, sizeof(text), "%zu", value.len);
	return put_value(x, bl_str(text), quoting);
}

/* The length of the tilde prefix at from in text; 0: none that expands. */
static size_t tilde_length(const struct bl_shell_part *part, size_t from)
{
	struct bl_str text = part->text;
	size_t i = from;

	if (from >= text.len || text.ptr[from] != '~')
		return 0;
	while (i < text.len && text.ptr[i] != '/' && text.ptr[i] != ':')
		i++;
	return i == text.len && part->next ? 0 : i - from;
}

/* The expansion of a tilde prefix. */
static bool put_tilde(struct expander *x, struct bl_str user)
{
	struct bl_str name = user.len == 0          ? BL_STR("HOME")
			     : bl_str_is(user, "+") ? BL_STR("PWD")
			     : bl_str_is(user, "-") ? BL_STR("OLDPWD")
						    : BL_STR("");
	struct bl_str none = { NULL, 0 }, value = none;

	if (!name.len || find(x, name, none, &value) != BL_SHELL_STATE_SET)
		return stop(x, BL_SHELL_UNKNOWN);
	x->started = true;
	return put_text(x, value, QUOTED);
}

/* The word of ${x:-word}; a tilde at its start expands outside quotes. */
static bool put_operand(struct expander *x, const struct bl_shell_word *word,
			enum quoting quoting)
{
	const struct bl_shell_part *part = word ? word->parts : NULL;
	size_t length = 0;

	if (part && part->kind == BL_SHELL_TEXT && quoting != QUOTED)
		length = tilde_length(part, 0);
	if (length) {
		if (!put_tilde(x, bl_str_slice(part->text, 1, length)) ||
		    !put_value(x,
			       bl_str_slice(part->text, length, part->text.len),
			       quoting))
			return false;
		part = part->next;
	}
	return put_parts(x, part, quoting);
}

/* A parameter with one value, which is in state. */
static bool put_single(struct expander *x, const struct bl_shell_parameter *p,
		       enum bl_shell_state state, struct bl_str value,
		       enum quoting quoting)
{
	struct choice choice;
	bool has;

	if (state == BL_SHELL_STATE_UNSET)
		value = (struct bl_str){ NULL, 0 };
	if (p->is_length)
		return put_length(x, value, quoting);
	if (find_choice(p->op, &choice)) {
		has = state == BL_SHELL_STATE_SET &&
		      (value.len || !choice.counts_empty);
		if (choice.op == BL_SHELL_OP_ALTERNATE)
			return !has || put_operand(x, p->operand, quoting);
		if (has)
			return put_value(x, value, quoting);
		if (choice.op == BL_SHELL_OP_ERROR)
			return stop(x, BL_SHELL_FAILS);
		return put_operand(x, p->operand, quoting);
	}
	if (p->op != BL_SHELL_OP_NONE && state == BL_SHELL_STATE_SET &&
	    !change_value(x, p, &value))
		return false;
	return put_value(x, value, quoting);
}

/* The values of "$@" or "${a[*]}", each a field or joined. */
static bool put_list(struct expander *x, const struct bl_shell_parameter *p,
		     struct bl_str name, bool joins, enum quoting quoting)
{
	const struct bl_str *values = NULL;
	size_t count = 0;
	char text[24];

	if (p->op != BL_SHELL_OP_NONE || !x->variables || !x->variables->list ||
	    x->variables->list(x->variables->context, name, &values, &count) !=
		    BL_SHELL_STATE_SET)
		return stop(x, BL_SHELL_UNKNOWN);
	if (p->is_length) {
		snprintf(text, sizeof(text), "%zu", count);
		return put_value(x, bl_str(text), quoting);
	}
	if (joins || x->as_one) {
		if (!need_ifs(x))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		struct bl_str space = joins && quoting == QUOTED
					      ? bl_str_slice(x->ifs, 0, 1)
					      : BL_STR(" ");
		bool one = x->as_one || (joins && quoting == QUOTED);

		if (i && one && !put_text(x, space, QUOTED))
			return false;
		if (i && !one && x->started && !end_field(x))
			return false;
		x->started |= quoting == QUOTED;
		if (!put_value(x, values[i], quoting))
			return false;
	}
	return true;
}

/* Which list the parameter names: its name, and whether it is *. */
static bool names_list(const struct bl_shell_parameter *p, struct bl_str *name,
		       bool *joins)
{
	struct bl_str text = p->name;

	*name = BL_STR("@");
	if (p->subscript) {
		*name = p->name;
		text = p->subscript->text;
	}
	*joins = bl_str_is(text, "*");
	return *joins || bl_str_is(text, "@");
}

static bool put_parameter(struct expander *x,
			  const struct bl_shell_parameter *p,
			  enum quoting quoting)
{
	struct bl_str name, subscript = { NULL, 0 }, value = { NULL, 0 };
	enum bl_shell_state state;
	struct choice choice;
	bool joins;

	if (p->has_prefix)
		return stop(x, BL_SHELL_UNKNOWN);
	if (names_list(p, &name, &joins))
		return p->is_indirect ? stop(x, BL_SHELL_UNKNOWN)
				      : put_list(x, p, name, joins, quoting);
	name = p->name;
	if (p->subscript &&
	    !expand_inner(x, p->subscript, false, QUOTED, &subscript))
		return false;
	if (p->is_indirect && !follow_name(x, &name, subscript))
		return false;
	if (p->is_indirect)
		subscript = (struct bl_str){ NULL, 0 };
	state = find(x, name, subscript, &value);
	if (state == BL_SHELL_STATE_UNKNOWN)
		return stop(x, BL_SHELL_UNKNOWN);
	if (find_choice(p->op, &choice) && choice.op == BL_SHELL_OP_ASSIGN &&
	    (state == BL_SHELL_STATE_UNSET ||
	     (choice.counts_empty && !value.len)))
		return p->is_indirect ? stop(x, BL_SHELL_UNKNOWN)
				      : assign_value(x, p, subscript, quoting);
	return put_single(x, p, state, value, quoting);
}

static bool put_arithmetic(struct expander *x, const struct bl_shell_part *part,
			   enum quoting quoting)
{
	struct bl_shell_word word = { .parts = part->parts };
	int64_t value;
	char text[32];

	if (!evaluate_word(x, &word, &value))
		return false;
	snprintf(text, sizeof(text), "%lld", (long long)value);
	return put_value(x, bl_str(text), quoting);
}

/* "...": a field even when it is empty, but for "$@" with nothing in it. */
static bool put_double(struct expander *x, const struct bl_shell_part *part)
{
	const struct bl_shell_part *inner = part->parts;
	bool list = inner && !inner->next && inner->kind == BL_SHELL_PARAMETER;
	struct bl_str name;
	bool joins;

	list = list && names_list(inner->parameter, &name, &joins) && !joins;
	if (!list)
		x->started = true;
	return put_parts(x, inner, QUOTED);
}

static bool put_part(struct expander *x, const struct bl_shell_part *part,
		     enum quoting quoting)
{
	switch (part->kind) {
	case BL_SHELL_TEXT:
		return put_value(x, part->text, quoting);
	case BL_SHELL_ESCAPED:
	case BL_SHELL_SINGLE:
	case BL_SHELL_ANSI:
		x->started = true;
		return put_text(x, part->text, QUOTED);
	case BL_SHELL_DOUBLE:
	case BL_SHELL_LOCALE:
		return put_double(x, part);
	case BL_SHELL_PARAMETER:
		return put_parameter(x, part->parameter, quoting);
	case BL_SHELL_ARITHMETIC:
		return put_arithmetic(x, part, quoting);
	case BL_SHELL_BAD:
		return stop(x, BL_SHELL_FAILS);
	case BL_SHELL_COMMAND:
	case BL_SHELL_BACKQUOTE:
	case BL_SHELL_PROCESS_IN:
	case BL_SHELL_PROCESS_OUT:
	case BL_SHELL_ARRAY:
	case BL_SHELL_PART_COUNT:
		break;
	}
	return stop(x, BL_SHELL_UNKNOWN);
}

static bool put_parts(struct expander *x, const struct bl_shell_part *part,
		      enum quoting quoting)
{
	if (++x->depth > EXPAND_DEPTH_MAX)
		return stop(x, BL_SHELL_EXCEEDS);
	for (; part; part = part->next)
		if (!put_part(x, part, quoting))
			return false;
	x->depth--;
	return true;
}

bool bl_shell_word_tilde(const struct bl_shell_word *word,
			 struct bl_str *out_user, size_t *out_rest_at)
{
	const struct bl_shell_part *part = word->parts;
	size_t length;

	if (!part || part->kind != BL_SHELL_TEXT)
		return false;
	length = tilde_length(part, 0);
	if (!length)
		return false;
	*out_user = bl_str_slice(part->text, 1, length);
	*out_rest_at = length;
	return true;
}

/* Where tildes of an unquoted text expand. */
struct tildes {
	bool at_start;
	bool in_value; /* also behind the first = and each : */
};

static bool put_tilde_text(struct expander *x, const struct bl_shell_part *part,
			   struct tildes *where)
{
	struct bl_str text = part->text;
	bool here = where->at_start;

	for (size_t i = 0; i < text.len;) {
		size_t length = here ? tilde_length(part, i) : 0;

		if (length) {
			if (!put_tilde(x,
				       bl_str_slice(text, i + 1, i + length)))
				return false;
			i += length;
			here = false;
			continue;
		}
		here = where->in_value &&
		       (text.ptr[i] == ':' || text.ptr[i] == '=');
		if (!put_byte(x, text.ptr[i++], UNQUOTED))
			return false;
	}
	return true;
}

/* One word behind brace expansion. */
static bool put_word(struct expander *x, const struct bl_shell_word *word)
{
	struct tildes where = { true, word->assignment || x->as_one };
	const struct bl_shell_part *part;

	for (part = word->parts; part; part = part->next) {
		bool done = part->kind == BL_SHELL_TEXT
				    ? put_tilde_text(x, part, &where)
				    : put_part(x, part, SPLIT);

		if (!done)
			return false;
		where.at_start = false;
	}
	return true;
}

enum bl_shell_answer
bl_shell_expand_word(struct bl_arena *arena, const struct bl_shell_word *word,
		     const struct bl_shell_variables *variables, bool as_one,
		     struct bl_shell_field **out_fields)
{
	struct expander x = { .arena = arena,
			      .variables = variables,
			      .as_one = as_one };
	const struct bl_shell_word *one = word;
	enum bl_shell_answer answer;

	x.end = &x.first;
	if (!as_one) {
		answer = bl_shell_expand_braces(arena, word, BRACES_MAX, &one);
		if (answer != BL_SHELL_KNOWN)
			return answer;
	}
	for (; one; one = as_one || one == word ? NULL : one->next) {
		if (!put_word(&x, one))
			return x.answer;
		if ((x.started || as_one) && !end_field(&x))
			return x.answer;
	}
	*out_fields = x.first;
	return BL_SHELL_KNOWN;
}

/* Whether quote removal is all that bash does with the word. */
static bool is_plain(const struct bl_shell_word *word)
{
	return !(word->flags & (BL_SHELL_WORD_EXPANDS | BL_SHELL_WORD_GLOB |
				BL_SHELL_WORD_BRACE | BL_SHELL_WORD_TILDE)) &&
	       !(word->assignment && word->assignment->is_array);
}

bool bl_shell_word_text(struct bl_arena *arena,
			const struct bl_shell_word *word,
			struct bl_str *out_text)
{
	const struct bl_shell_part *part = word->parts;
	struct bl_shell_field *field = NULL;

	if (!is_plain(word))
		return false;
	if (!part) {
		*out_text = (struct bl_str){ "", 0 };
		return true;
	}
	if (!part->next && part->kind != BL_SHELL_DOUBLE &&
	    part->kind != BL_SHELL_LOCALE) {
		*out_text = part->text;
		return true;
	}
	if (!arena ||
	    bl_shell_expand_word(arena, word, NULL, true, &field) !=
		    BL_SHELL_KNOWN ||
	    !field)
		return false;
	*out_text = field->text;
	return true;
}

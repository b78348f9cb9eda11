/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: pipelines: operands, fields, variables, calls. */
#include <ctype.h>

#include "rego/builtins/external/template.h"

/* A pipeline while it is read. */
struct scan {
	struct bl_template *t;
	struct bl_str text;
	size_t at;
	struct bl_value dot;
};

static bool pipeline(struct scan *s, struct bl_value *out, bool *out_declares);

bool bl_template_declare(struct bl_template *t, struct bl_str name,
			 struct bl_value value)
{
	if (t->variable_count == BL_TEMPLATE_MAX_VARIABLES)
		return bl_template_fail(t, "too many variables");
	t->variables[t->variable_count++] =
		(struct bl_member){ bl_value_string(name), value };
	return true;
}

static struct bl_member *find_variable(struct bl_template *t,
				       struct bl_str name)
{
	for (size_t i = t->variable_count; i-- > 0;) {
		if (bl_str_equal(bl_value_text(t->variables[i].key), name))
			return &t->variables[i];
	}
	return NULL;
}

/* ---- characters --------------------------------------------------------- */

static void skip_space(struct scan *s)
{
	while (s->at < s->text.len && strchr(" \t\r\n", s->text.ptr[s->at]))
		s->at++;
}

static char ahead(const struct scan *s)
{
	return s->at < s->text.len ? s->text.ptr[s->at] : '\0';
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 128;
}

static struct bl_str word(struct scan *s)
{
	size_t from = s->at;

	while (is_word_char(ahead(s)))
		s->at++;
	return bl_str_slice(s->text, from, s->at);
}

static bool takes(struct scan *s, const char *mark)
{
	skip_space(s);
	if (!bl_str_has_prefix(bl_str_slice(s->text, s->at, SIZE_MAX),
			       bl_str(mark)))
		return false;
	s->at += strlen(mark);
	return true;
}

/* ---- operands ----------------------------------------------------------- */

static bool quoted(struct scan *s, struct bl_value *out)
{
	static const char letters[] = "nrt\"\\'";
	static const char values[] = "\n\r\t\"\\'";
	char quote = s->text.ptr[s->at++];
	struct bl_buf text;

	bl_buf_init(&text, 0);
	while (s->at < s->text.len && ahead(s) != quote) {
		char c = s->text.ptr[s->at++];
		const char *letter;

		if (c == '\\' && quote != '`' && ahead(s)) {
			c = s->text.ptr[s->at++];
			letter = strchr(letters, c);
			if (!letter) {
				bl_buf_clear(&text);
				return bl_template_fail(s->t, "bad escape");
			}
			c = values[letter - letters];
		}
		bl_buf_put_char(&text, c);
	}
	s->at++;
	*out = bl_builtin_string(s->t->call, bl_buf_str(&text));
	bl_buf_clear(&text);
	return bl_value_is_defined(*out) || bl_builtin_memory_fault(s->t->call);
}

static bool number(struct scan *s, struct bl_value *out)
{
	size_t from = s->at++;

	while (is_word_char(ahead(s)) || ahead(s) == '.')
		s->at++;
	if (!bl_number_from_text(bl_str_slice(s->text, from, s->at), out))
		return true;
	return bl_template_fail(s->t, "bad number syntax");
}

/* ".a.b" after a value. */
static bool fields(struct scan *s, struct bl_value *value)
{
	while (ahead(s) == '.') {
		struct bl_str name;

		s->at++;
		name = word(s);
		if (!name.len)
			return bl_template_fail(s->t, "unexpected <.>");
		if (bl_value_is_defined(*value) &&
		    !bl_value_is(*value, BL_KIND_OBJECT) &&
		    !bl_value_is(*value, BL_KIND_NULL))
			return bl_template_fail(
				s->t, "can't evaluate field %.*s in a %s",
				BL_STR_ARG(name),
				bl_kind_name(bl_value_kind(*value)));
		*value = bl_object_find(*value, name);
	}
	return true;
}

static bool variable(struct scan *s, struct bl_value *out)
{
	size_t from = s->at++;
	struct bl_member *found;
	struct bl_str name;

	word(s);
	name = bl_str_slice(s->text, from, s->at);
	found = find_variable(s->t, name);
	if (!found)
		return bl_template_fail(s->t, "undefined variable \"%.*s\"",
					BL_STR_ARG(name));
	*out = found->value;
	return fields(s, out);
}

static bool parenthesis(struct scan *s, struct bl_value *out)
{
	bool declares;

	s->at++;
	if (!bl_template_enter(s->t) || !pipeline(s, out, &declares))
		return false;
	s->t->depth--;
	if (!takes(s, ")"))
		return bl_template_fail(s->t, "unclosed left paren");
	return fields(s, out);
}

static bool dot_operand(struct scan *s, struct bl_value *out)
{
	bool has_name =
		s->at + 1 < s->text.len && is_word_char(s->text.ptr[s->at + 1]);

	*out = s->dot;
	if (has_name)
		return fields(s, out);
	s->at++;
	return true;
}

/* true, false, nil; else *out_function. */
static bool named(struct scan *s, struct bl_value *out,
		  struct bl_str *out_function)
{
	struct bl_str name = word(s);

	if (!name.len)
		return bl_template_fail(s->t, "unexpected \"%c\" in operand",
					ahead(s) ? ahead(s) : ' ');
	if (bl_str_is(name, "nil"))
		*out = bl_value_null();
	else if (bl_str_is(name, "true") || bl_str_is(name, "false"))
		*out = bl_value_boolean(name.len == 4);
	else
		*out_function = name;
	return true;
}

static bool operand(struct scan *s, struct bl_value *out,
		    struct bl_str *out_function)
{
	char c;

	skip_space(s);
	c = ahead(s);
	*out_function = BL_STR("");
	*out = bl_value_undefined();
	if (c == '"' || c == '`')
		return quoted(s, out);
	if (c == '$')
		return variable(s, out);
	if (c == '(')
		return parenthesis(s, out);
	if (c == '.')
		return dot_operand(s, out);
	if (isdigit((unsigned char)c) || c == '-')
		return number(s, out);
	return named(s, out, out_function);
}

/* ---- commands ----------------------------------------------------------- */

static bool at_command_end(struct scan *s)
{
	skip_space(s);
	return s->at >= s->text.len || ahead(s) == '|' || ahead(s) == ')';
}

/* One command; piped (may be undefined) is its last argument. */
static bool command(struct scan *s, const struct bl_value *piped,
		    struct bl_value *out)
{
	struct bl_value args[BL_TEMPLATE_MAX_ARGUMENTS];
	struct bl_str function;
	struct bl_str inner;
	size_t count = 0;

	if (!operand(s, out, &function))
		return false;
	while (!at_command_end(s)) {
		if (count + 1 >= BL_TEMPLATE_MAX_ARGUMENTS)
			return bl_template_fail(s->t, "too many arguments");
		if (!operand(s, &args[count], &inner))
			return false;
		if (inner.len &&
		    !bl_template_apply(s->t, inner, NULL, 0, &args[count]))
			return false;
		count++;
	}
	if (piped)
		args[count++] = *piped;
	if (function.len)
		return bl_template_apply(s->t, function, args, count, out);
	if (count)
		return bl_template_fail(s->t,
					"can't give argument to non-function");
	return true;
}

/* "$x :=" or "$x =" at the start of a pipeline; name "" when absent. */
static struct bl_str declaration(struct scan *s, bool *out_is_new)
{
	size_t from;
	struct bl_str name;

	skip_space(s);
	from = s->at;
	if (ahead(s) != '$')
		return BL_STR("");
	s->at++;
	word(s);
	name = bl_str_slice(s->text, from, s->at);
	*out_is_new = takes(s, ":=");
	if (*out_is_new || takes(s, "="))
		return name;
	s->at = from;
	return BL_STR("");
}

static bool pipeline(struct scan *s, struct bl_value *out, bool *out_declares)
{
	bool is_new = false;
	struct bl_str name = declaration(s, &is_new);
	struct bl_member *old;

	*out_declares = name.len > 0;
	if (!command(s, NULL, out))
		return false;
	while (takes(s, "|")) {
		struct bl_value piped = *out;

		if (!command(s, &piped, out))
			return false;
	}
	if (!name.len)
		return true;
	if (is_new)
		return bl_template_declare(s->t, name, *out);
	old = find_variable(s->t, name);
	if (!old)
		return bl_template_fail(s->t, "undefined variable \"%.*s\"",
					BL_STR_ARG(name));
	old->value = *out;
	return true;
}

bool bl_template_pipeline(struct bl_template *t, struct bl_str text,
			  struct bl_value dot, struct bl_value *out,
			  bool *out_declares)
{
	struct scan s = { .t = t, .text = text, .dot = dot };

	if (!bl_str_trim(text).len)
		return bl_template_fail(t, "missing value for command");
	if (!pipeline(&s, out, out_declares))
		return false;
	skip_space(&s);
	return s.at >= text.len ||
	       bl_template_fail(t, "unexpected \"%c\" in command", ahead(&s));
}

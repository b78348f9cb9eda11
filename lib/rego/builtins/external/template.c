/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.render_template: Go's text/template without definitions of further
 * templates.  Text is run as it is read; what is not to be run is skipped.
 */
#include <stdio.h>

#include "rego/builtins/external/template.h"

/* An action: what is between "{{" and "}}", without trim marks. */
struct action {
	struct bl_str before; /* text in front of it, trimmed */
	struct bl_str body;
	size_t next;
	bool found;
};

/* Where a run stopped: at "end", or at an "else" with what comes after. */
struct stop {
	size_t next;
	bool at_else;
	bool at_end;
	struct bl_str rest; /* "if X" of "else if X" */
};

static bool run(struct bl_template *t, size_t from, struct bl_value dot,
		bool live, struct stop *stop);

bool bl_template_fail(struct bl_template *t, const char *fmt, ...)
{
	char message[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	return bl_builtin_fault(t->call, BL_FAULT_BUILTIN, "template: %s",
				message);
}

bool bl_template_enter(struct bl_template *t)
{
	if (t->depth < BL_TEMPLATE_MAX_DEPTH &&
	    t->steps++ < BL_TEMPLATE_MAX_STEPS) {
		t->depth++;
		return true;
	}
	return bl_template_fail(t, "too deep, or too many steps");
}

/* ---- actions ------------------------------------------------------------ */

/* The "}}" that ends an action; SIZE_MAX: none. */
static size_t find_end(struct bl_str text, size_t at)
{
	if (bl_str_has_prefix(bl_str_slice(text, at, SIZE_MAX), BL_STR("/*")))
		return bl_str_find(text, BL_STR("}}"),
				   bl_str_find(text, BL_STR("*/"), at));
	for (; at < text.len; at++) {
		char quote = text.ptr[at];

		if (quote == '}' && at + 1 < text.len &&
		    text.ptr[at + 1] == '}')
			return at;
		if (quote != '"' && quote != '`' && quote != '\'')
			continue;
		for (at++; at < text.len && text.ptr[at] != quote; at++)
			at += text.ptr[at] == '\\' && quote != '`';
	}
	return SIZE_MAX;
}

static struct bl_str trim_end(struct bl_str text)
{
	while (text.len && strchr(" \t\r\n", text.ptr[text.len - 1]))
		text.len--;
	return text;
}

static size_t skip_space(struct bl_str text, size_t at)
{
	while (at < text.len && strchr(" \t\r\n", text.ptr[at]))
		at++;
	return at;
}

/* Is there a trim mark ("- " or " -") at at? */
static bool is_trim(struct bl_str text, size_t dash, size_t space)
{
	return dash < text.len && space < text.len && text.ptr[dash] == '-' &&
	       strchr(" \t\r\n", text.ptr[space]);
}

static bool next_action(struct bl_template *t, size_t from, struct action *out)
{
	size_t open = bl_str_find(t->text, BL_STR("{{"), from);
	size_t start = open + 2;
	size_t end;

	out->before = bl_str_slice(t->text, from, open);
	out->found = open != SIZE_MAX;
	out->next = t->text.len;
	if (!out->found)
		return true;
	if (is_trim(t->text, start, start + 1)) {
		out->before = trim_end(out->before);
		start++;
	}
	start = skip_space(t->text, start);
	end = find_end(t->text, start);
	if (end == SIZE_MAX)
		return bl_template_fail(t, "unclosed action");
	out->next = end + 2;
	if (end > start + 1 && is_trim(t->text, end - 1, end - 2)) {
		out->next = skip_space(t->text, out->next);
		end--;
	}
	out->body = bl_str_trim(bl_str_slice(t->text, start, end));
	return true;
}

/* Does body begin with the word?  Then *rest is what follows. */
static bool takes_word(struct bl_str body, const char *word,
		       struct bl_str *rest)
{
	size_t len = strlen(word);

	if (!bl_str_has_prefix(body, bl_str(word)) ||
	    (body.len > len && !strchr(" \t\r\n(", body.ptr[len])))
		return false;
	*rest = bl_str_trim(bl_str_slice(body, len, SIZE_MAX));
	return true;
}

/* ---- if, with, range ---------------------------------------------------- */

static bool expect_end(struct bl_template *t, const struct stop *stop)
{
	return stop->at_end || bl_template_fail(t, "unexpected EOF");
}

/* After the first branch; live: the branches that follow may run. */
static bool run_else(struct bl_template *t, struct bl_value dot, bool live,
		     struct stop *stop);

/* "if X" and "with X", from after the action. */
static bool run_if(struct bl_template *t, struct bl_str test, size_t from,
		   struct bl_value dot, bool live, bool is_with,
		   struct stop *stop)
{
	size_t mark = t->variable_count;
	struct bl_value value = bl_value_undefined();
	bool ignored;
	bool truth;

	if (live && !bl_template_pipeline(t, test, dot, &value, &ignored))
		return false;
	truth = bl_template_truth(value);
	if (!run(t, from, is_with && truth ? value : dot, live && truth, stop))
		return false;
	t->variable_count = mark;
	return run_else(t, dot, live && !truth, stop);
}

static bool run_else(struct bl_template *t, struct bl_value dot, bool live,
		     struct stop *stop)
{
	struct bl_str test;

	if (!stop->at_else)
		return expect_end(t, stop);
	if (takes_word(stop->rest, "if", &test))
		return run_if(t, test, stop->next, dot, live, false, stop);
	if (takes_word(stop->rest, "with", &test))
		return run_if(t, test, stop->next, dot, live, true, stop);
	if (!run(t, stop->next, dot, live, stop))
		return false;
	return expect_end(t, stop);
}

/* "$i, $v := X": the names, and X. */
struct range {
	struct bl_str names[2];
	size_t name_count;
	struct bl_str of;
};

static struct range read_range(struct bl_str text)
{
	size_t sign = bl_str_find(text, BL_STR(":="), 0);
	struct range range = { .of = text };
	struct bl_str names = bl_str_slice(text, 0, sign);
	size_t comma = bl_str_find(names, BL_STR(","), 0);

	if (sign == SIZE_MAX || !bl_str_has_prefix(text, BL_STR("$")))
		return range;
	range.of = bl_str_slice(text, sign + 2, SIZE_MAX);
	range.names[range.name_count++] =
		bl_str_trim(bl_str_slice(names, 0, comma));
	if (comma != SIZE_MAX)
		range.names[range.name_count++] =
			bl_str_trim(bl_str_slice(names, comma + 1, SIZE_MAX));
	return range;
}

static bool run_item(struct bl_template *t, const struct range *range,
		     struct bl_value key, struct bl_value item, size_t from,
		     struct stop *stop)
{
	size_t mark = t->variable_count;
	bool ok = true;

	/* One name is the item's, two are those of key and item. */
	if (range->name_count == 2)
		ok = bl_template_declare(t, range->names[0], key);
	if (ok && range->name_count)
		ok = bl_template_declare(t, range->names[range->name_count - 1],
					 item);
	ok = ok && run(t, from, item, true, stop);
	t->variable_count = mark;
	return ok;
}

static bool run_range(struct bl_template *t, struct bl_str text, size_t from,
		      struct bl_value dot, bool live, struct stop *stop)
{
	struct range range = read_range(text);
	struct bl_value list = bl_value_undefined();
	size_t count;
	bool ignored;

	if (live && !bl_template_pipeline(t, range.of, dot, &list, &ignored))
		return false;
	count = bl_value_count(list);
	if (live && bl_value_is_defined(list) && list.kind < BL_KIND_ARRAY &&
	    !bl_value_is(list, BL_KIND_NULL))
		return bl_template_fail(t, "range can't iterate over a %s",
					bl_kind_name(bl_value_kind(list)));
	for (size_t i = 0; i < count; i++) {
		bool is_map = bl_value_is(list, BL_KIND_OBJECT);
		size_t at = is_map ? bl_object_sorted_index(list, i) : i;

		if (!run_item(t, &range,
			      is_map ? bl_object_key(list, at)
				     : bl_value_integer((int64_t)i),
			      is_map ? bl_object_value(list, at)
				     : bl_value_item(list, at),
			      from, stop))
			return false;
	}
	if (!count && !run(t, from, dot, false, stop))
		return false;
	return run_else(t, dot, live && !count, stop);
}

/* ---- text --------------------------------------------------------------- */

static bool run_pipeline(struct bl_template *t, struct bl_str body,
			 struct bl_value dot)
{
	struct bl_value value;
	bool declares;

	if (!bl_template_pipeline(t, body, dot, &value, &declares))
		return false;
	if (!declares)
		bl_template_print(&t->out, value);
	if (!bl_buf_status(&t->out))
		return true;
	return bl_template_fail(t, "the result is too long");
}

/* One action in a run; *done: it ends the run. */
static bool run_action(struct bl_template *t, const struct action *action,
		       struct bl_value dot, bool live, struct stop *stop,
		       bool *done)
{
	struct bl_str rest;

	stop->next = action->next;
	stop->at_end = takes_word(action->body, "end", &rest);
	stop->at_else = takes_word(action->body, "else", &stop->rest);
	*done = stop->at_end || stop->at_else;
	if (*done || bl_str_has_prefix(action->body, BL_STR("/*")))
		return true;
	if (takes_word(action->body, "if", &rest))
		return run_if(t, rest, action->next, dot, live, false, stop);
	if (takes_word(action->body, "with", &rest))
		return run_if(t, rest, action->next, dot, live, true, stop);
	if (takes_word(action->body, "range", &rest))
		return run_range(t, rest, action->next, dot, live, stop);
	return !live || run_pipeline(t, action->body, dot);
}

/* Runs from from to the "end" or "else" of this level, or to the end. */
static bool run(struct bl_template *t, size_t from, struct bl_value dot,
		bool live, struct stop *stop)
{
	size_t mark = t->variable_count;
	bool done = false;
	bool ok = bl_template_enter(t);

	*stop = (struct stop){ .next = from };
	while (ok && !done && stop->next < t->text.len) {
		struct action action;

		ok = next_action(t, stop->next, &action);
		if (!ok)
			break;
		if (live)
			bl_buf_put_str(&t->out, action.before);
		stop->next = action.next;
		stop->at_end = stop->at_else = false;
		if (!action.found)
			break;
		ok = run_action(t, &action, dot, live, stop, &done);
		if (ok && ++t->steps > BL_TEMPLATE_MAX_STEPS)
			ok = bl_template_fail(t, "too many steps");
	}
	if (!done)
		stop->at_end = stop->at_else = false;
	t->depth--;
	t->variable_count = mark;
	return ok;
}

bool bl_fn_strings_render_template(struct bl_builtin_call *call)
{
	struct bl_template *t = bl_arena_new(call->arena, struct bl_template);
	struct bl_value root = call->args[1];
	struct stop stop;
	bool ok;

	if (!t)
		return bl_builtin_memory_fault(call);
	t->call = call;
	t->text = bl_builtin_text(call, 0);
	bl_buf_init(&t->out, BL_TEMPLATE_MAX_BYTES);
	ok = bl_template_declare(t, BL_STR("$"), root) &&
	     run(t, 0, root, true, &stop);
	if (ok && (stop.at_end || stop.at_else))
		ok = bl_template_fail(t, "unexpected {{end}} or {{else}}");
	if (ok)
		return bl_builtin_return_buf(call, &t->out);
	bl_buf_clear(&t->out);
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/code_strings.c: strings of other languages, with the variables that they
 * take in.  Apart from code_read.c, which puts them together.
 */
#include "effects/code.h"

/* The value of a name in a string: $x, ${x}, #{x}, {x}. */
static size_t interpolation(const struct effects_reader *r, char quote,
			    size_t at)
{
	char c = r->text.ptr[at];
	char next = at + 1 < r->text.len ? r->text.ptr[at + 1] : 0;
	bool is_dollar =
		c == '$' &&
		((r->letter == 'N' && quote == '`' && next == '{') ||
		 ((r->letter == 'L' || r->letter == 'H') && quote == '"' &&
		  (effects_is_name(next) || next == '{')));
	bool is_hash =
		c == '#' && next == '{' && r->letter == 'R' && quote != '\'';
	size_t end = at + 1;

	if (!is_dollar && !is_hash)
		return 0;
	if (next == '{') {
		while (end < r->text.len && r->text.ptr[end] != '}')
			end++;
		return end + 1;
	}
	while (end < r->text.len && effects_is_name(r->text.ptr[end]))
		end++;
	/* $ENV{NAME} */
	if (r->letter == 'L' && end < r->text.len && r->text.ptr[end] == '{')
		while (end < r->text.len && r->text.ptr[end - 1] != '}')
			end++;
	return end;
}

/* The name of a variable of the environment that an expression is; ptr NULL. */
static struct bl_str environment_name(struct bl_str inner)
{
	static const char *const fronts[] = {
		"ENV{",         "ENV['",         "ENV[\"",   "process.env.",
		"os.environ['", "os.environ[\"", "getenv('", "getenv(\"",
	};

	for (size_t i = 0; i < BL_COUNT(fronts); i++) {
		size_t from = strlen(fronts[i]);
		size_t to = from;

		if (!bl_str_has_prefix(inner, bl_str(fronts[i])))
			continue;
		while (to < inner.len && effects_is_name(inner.ptr[to]))
			to++;
		return bl_str_slice(inner, from, to);
	}
	return (struct bl_str){ NULL, 0 };
}

/* The value that a string takes in: $x, ${x}, #{x}, {x}, $ENV{x}. */
static struct effects_text value_inside(struct effects_reader *r,
					struct bl_str inner)
{
	const struct effects_text *known;
	struct effects_text value;
	struct bl_str variable;

	while (inner.len && strchr("$#{", inner.ptr[0]))
		inner = bl_str_slice(inner, 1, SIZE_MAX);
	variable = environment_name(inner);
	if (variable.ptr && effects_value(r->walk, r->state, variable, &value))
		return value;
	if (inner.len && inner.ptr[inner.len - 1] == '}')
		inner.len--;
	known = effects_map_get(
		r->names,
		effects_name_id(r->walk->arena, &r->walk->names, inner));
	return known ? *known : effects_code_unknown(r, "${...}");
}

/* The string at r->at; its value with holes for what is put in. */
struct effects_text effects_code_string(struct effects_reader *r,
					bool is_format)
{
	char quote = r->text.ptr[r->at];
	bool is_triple = r->letter == 'P' && effects_code_peek(r, 1) == quote &&
			 effects_code_peek(r, 2) == quote;
	size_t width = is_triple ? 3 : 1;
	struct effects_builder value;

	effects_builder_init(&value, r->walk->arena,
			     r->walk->limits.content_bytes);
	r->at += width;
	while (r->at < r->text.len) {
		char c = r->text.ptr[r->at];
		size_t end = interpolation(r, quote, r->at);

		if (c == quote &&
		    (!is_triple || (effects_code_peek(r, 1) == quote &&
				    effects_code_peek(r, 2) == quote))) {
			r->at += width;
			break;
		}
		if (!end && is_format && c == '{' &&
		    effects_code_peek(r, 1) != '{')
			end = bl_str_find(r->text, BL_STR("}"), r->at);
		if (end) {
			size_t from = r->at;

			r->at = end < r->text.len ? end : r->text.len;
			r->at += is_format && r->at < r->text.len;
			effects_put_text(
				&value,
				value_inside(
					r, bl_str_slice(r->text, from, r->at)));
		} else if (c == '\\' && r->at + 1 < r->text.len) {
			char escaped = r->text.ptr[r->at + 1];

			escaped = escaped == 'n'   ? '\n'
				  : escaped == 't' ? '\t'
						   : escaped;
			effects_put(&value, &escaped, 1);
			r->at += 2;
		} else {
			effects_put(&value, &c, 1);
			r->at++;
		}
	}
	return effects_built(&value);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/parameter.c: ${...}: name, subscript, operator, operands.  It stands
 * alone because this is a small language of its own, in which the same bytes
 * are names or operators: ${#} ${##} ${#-} ${#x} ${#x[@]} ${!x} ${!x*} ${!}.
 */
#include "shell/private.h"

static int byte_at(const struct bl_sh_split *s, uint32_t pos)
{
	return pos < s->to ? (unsigned char)s->source->text.ptr[pos] : -1;
}

static bool is_one_of(int c, const char *set)
{
	return c > 0 && strchr(set, c);
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The length of the name at pos; 0: none stands there. */
static uint32_t name_length(const struct bl_sh_split *s, uint32_t pos)
{
	uint32_t length = 0;

	if (is_digit(byte_at(s, pos))) {
		while (is_digit(byte_at(s, pos + length)))
			length++;
		return length;
	}
	if (is_one_of(byte_at(s, pos), "@*#?-$!"))
		return 1;
	if (!is_letter(byte_at(s, pos)))
		return 0;
	while (is_letter(byte_at(s, pos + length)) ||
	       is_digit(byte_at(s, pos + length)))
		length++;
	return length;
}

/* # before a name asks for the length; else it is the name. */
static bool asks_length(const struct bl_sh_split *s, uint32_t pos)
{
	int next = byte_at(s, pos + 1);

	if (is_letter(next) || is_digit(next))
		return true;
	return is_one_of(next, "@*#?-$!") && byte_at(s, pos + 2) == '}';
}

/* ! before a name means the variable that it names; else it is the name. */
static bool asks_indirect(const struct bl_sh_split *s, uint32_t pos)
{
	int next = byte_at(s, pos + 1);

	if (is_letter(next) || is_digit(next))
		return true;
	return is_one_of(next, "@*#?$!") && byte_at(s, pos + 2) != '\'' &&
	       (byte_at(s, pos + 2) == '}' || next != '?');
}

/*
 * The operator at *pos, which goes behind it; NONE when absent.  Of the
 * rows that fit, the longest one.
 */
static enum bl_shell_operator read_operator(const struct bl_sh_split *s,
					    uint32_t *pos)
{
	enum bl_shell_operator found = BL_SHELL_OP_NONE;
	size_t longest = 0;

	for (int i = BL_SHELL_OP_NONE + 1; i < BL_SHELL_OPERATOR_COUNT; i++) {
		const char *text =
			bl_shell_operator_text((enum bl_shell_operator)i);
		size_t length = strlen(text);

		if (length > longest && length <= s->to - *pos &&
		    !memcmp(s->source->text.ptr + *pos, text, length)) {
			found = (enum bl_shell_operator)i;
			longest = length;
		}
	}
	*pos += (uint32_t)longest;
	return found;
}

static bool is_pattern_operator(enum bl_shell_operator op)
{
	return op >= BL_SHELL_OP_REMOVE_PREFIX && op <= BL_SHELL_OP_TOGGLE &&
	       op != BL_SHELL_OP_SLICE;
}

static bool is_replacement(enum bl_shell_operator op)
{
	return op >= BL_SHELL_OP_REPLACE && op <= BL_SHELL_OP_REPLACE_SUFFIX;
}

/* How the operand's text is read. */
static enum bl_sh_part_mode operand_mode(const struct bl_sh_split *s,
					 enum bl_shell_operator op)
{
	if (op == BL_SHELL_OP_SLICE)
		return PARTS_ARITHMETIC;
	if (is_pattern_operator(op))
		return PARTS_WORD;
	return s->mode == PARTS_WORD   ? PARTS_WORD
	       : s->mode == PARTS_HERE ? PARTS_HERE
				       : PARTS_BRACE;
}

/* The operands behind the operator, up to the }. */
static bool read_operands(struct bl_sh_split *s, uint32_t *pos,
			  struct bl_shell_parameter *out)
{
	enum bl_sh_part_mode mode = operand_mode(s, out->op);
	bool two = is_replacement(out->op) || out->op == BL_SHELL_OP_SLICE;
	char separator = is_replacement(out->op) ? '/' : ':';

	if (out->op == BL_SHELL_OP_TRANSFORM) {
		out->letter = (char)byte_at(s, (*pos)++);
		return is_one_of(out->letter, "QEPAKakUuL");
	}
	out->operand = bl_sh_split_word(s, mode,
					!two               ? "}"
					: separator == '/' ? "/}"
							   : ":}",
					pos);
	if (!out->operand)
		return false;
	if (two && byte_at(s, *pos) == separator) {
		(*pos)++;
		out->second = bl_sh_split_word(s, mode, "}", pos);
		return out->second != NULL;
	}
	return true;
}

/* [...] at *pos. */
static bool read_subscript(struct bl_sh_split *s, uint32_t *pos,
			   struct bl_shell_parameter *out)
{
	(*pos)++;
	out->subscript = bl_sh_split_word(s, PARTS_WORD, "]", pos);
	if (!out->subscript || byte_at(s, *pos) != ']')
		return false;
	(*pos)++;
	return true;
}

/* ${!x*} and ${!x@} */
static bool read_prefix(struct bl_sh_split *s, uint32_t *pos,
			struct bl_shell_parameter *out)
{
	int c = byte_at(s, *pos);

	if (!out->is_indirect || !is_one_of(c, "*@") ||
	    byte_at(s, *pos + 1) != '}' || !is_letter(out->name.ptr[0]))
		return false;
	out->is_indirect = false;
	out->has_prefix = true;
	out->is_split = c == '@';
	(*pos)++;
	return true;
}

/* The text between ${ and }; false: bash does not take it. */
static bool read_parameter(struct bl_sh_split *s, uint32_t *pos,
			   struct bl_shell_parameter *out)
{
	uint32_t length;

	if (byte_at(s, *pos) == '#' && asks_length(s, *pos)) {
		out->is_length = true;
		(*pos)++;
	} else if (byte_at(s, *pos) == '!' && asks_indirect(s, *pos)) {
		out->is_indirect = true;
		(*pos)++;
	}
	length = name_length(s, *pos);
	if (!length)
		return false;
	out->name = (struct bl_str){ s->source->text.ptr + *pos, length };
	*pos += length;
	if (byte_at(s, *pos) == '[' && is_letter(out->name.ptr[0]) &&
	    !read_subscript(s, pos, out))
		return false;
	if (byte_at(s, *pos) == '}' || read_prefix(s, pos, out))
		return true;
	if (out->is_length)
		return false;
	out->op = read_operator(s, pos);
	if (bl_str_is(out->name, "#") && out->op >= BL_SHELL_OP_UPPER_FIRST &&
	    out->op <= BL_SHELL_OP_TOGGLE)
		return false;
	return out->op != BL_SHELL_OP_NONE && read_operands(s, pos, out);
}

/* Behind the quote at pos. */
static uint32_t skip_quote(const struct bl_sh_split *s, uint32_t pos)
{
	const char *text = s->source->text.ptr;
	char quote = text[pos++];

	while (pos < s->to && text[pos] != quote)
		pos += quote != '\'' && text[pos] == '\\' ? 2 : 1;
	return pos < s->to ? pos + 1 : s->to;
}

/*
 * Behind the } that bash looks for when what stands there is bad; nothing in it
 * is parsed, since nothing in it runs.
 */
static uint32_t skip_bad(const struct bl_sh_split *s, uint32_t pos)
{
	const char *text = s->source->text.ptr;
	uint32_t depth = 1;

	while (pos < s->to && depth) {
		char c = text[pos];

		if (c == '\\') {
			pos += 2;
		} else if (c == '"' || c == '`' ||
			   (c == '\'' && s->mode == PARTS_WORD)) {
			pos = skip_quote(s, pos);
		} else if (c == '$' && byte_at(s, pos + 1) == '{') {
			depth++;
			pos += 2;
		} else {
			depth -= c == '}';
			pos++;
		}
	}
	return pos < s->to ? pos : s->to;
}

struct bl_shell_parameter *bl_sh_split_parameter(struct bl_sh_split *s,
						 uint32_t *end)
{
	struct bl_shell_parameter *out =
		bl_sh_new(s->p, struct bl_shell_parameter);
	uint32_t pos = s->pos + 2;

	if (!out)
		return NULL;
	if (read_parameter(s, &pos, out) && byte_at(s, pos) == '}') {
		*end = pos + 1;
		return out;
	}
	*end = skip_bad(s, s->pos + 2);
	bl_sh_again(s->p, *end - s->pos);
	return NULL;
}

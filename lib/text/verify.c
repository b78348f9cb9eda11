/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the properties that searches rely on, of programs read from a file. */
#include "text/regex.h"

enum {
	ASSERTS_ALL = 2 * AT_NO_WORD_EDGE - 1,
	ASSERTS_LITERAL = AT_TEXT_BEGIN | AT_TEXT_END,
	/* A group takes two bytes of the pattern at least. */
	GROUPS_MAX = BL_REGEX_MAX_PATTERN_BYTES / 2,
};

/* Are count records of size bytes at `at` inside of the program? */
static bool is_inside(const struct bl_regex *regex, uint32_t at, size_t count,
		      size_t size)
{
	return at % 8 == 0 && at <= regex->bytes &&
	       count <= (regex->bytes - at) / size;
}

/* As above for a text, which counts from bytes_at. */
static bool is_text(const struct bl_regex *regex, uint32_t at, uint32_t len)
{
	uint32_t room = regex->bytes - regex->bytes_at;

	return at <= room && len <= room - at;
}

static bool is_header(const struct bl_regex *regex, size_t len)
{
	return regex->bytes >= sizeof(*regex) && regex->bytes <= len &&
	       regex->inst_count > 0 &&
	       regex->inst_count <= BL_REGEX_MAX_PROGRAM &&
	       regex->start < regex->inst_count &&
	       regex->group_count <= GROUPS_MAX &&
	       regex->asserts <= ASSERTS_ALL && regex->literals_whole <= 1 &&
	       regex->skip_to < regex->inst_count &&
	       regex->skip_bytes <= regex->prefix_len &&
	       is_inside(regex, regex->insts_at, regex->inst_count,
			 sizeof(struct regex_inst)) &&
	       is_inside(regex, regex->sets_at, 0, 1) &&
	       is_inside(regex, regex->ranges_at, 0, 1) &&
	       is_inside(regex, regex->names_at,
			 regex->names_at ? regex->group_count : 0,
			 sizeof(struct regex_name)) &&
	       is_inside(regex, regex->literals_at, regex->literal_count,
			 sizeof(struct regex_literal)) &&
	       is_inside(regex, regex->bytes_at, 0, 1) &&
	       is_text(regex, regex->prefix_at, regex->prefix_len);
}

/* Nothing says how many sets and ranges there are: those in use must exist. */
static bool is_set(const struct bl_regex *regex, uint32_t number)
{
	uint32_t sets = (uint32_t)((regex->bytes - regex->sets_at) /
				   sizeof(struct regex_set));
	uint32_t ranges = (uint32_t)((regex->bytes - regex->ranges_at) /
				     sizeof(struct regex_range));
	const struct regex_set *set;

	if (number >= sets)
		return false;
	set = regex_sets(regex) + number;
	return set->range_first <= ranges &&
	       set->range_count <= ranges - set->range_first;
}

static bool is_inst(const struct bl_regex *regex, const struct regex_inst *inst)
{
	if (inst->next >= regex->inst_count)
		return false;
	switch (inst->op) {
	case OP_MATCH:
	case OP_CHAR:
		return true;
	case OP_SET:
		return is_set(regex, inst->arg);
	case OP_SPLIT:
		return inst->arg < regex->inst_count;
	case OP_SAVE: /* the whole match is noted by the search */
		return inst->arg >= 2 && inst->arg / 2 <= regex->group_count;
	case OP_ASSERT:
		return inst->arg && inst->arg <= AT_NO_WORD_EDGE &&
		       !(inst->arg & (inst->arg - 1));
	default:
		return false;
	}
}

/* The engine for small programs takes the rest for characters and sets. */
static bool are_bits(const struct bl_regex *regex,
		     const struct regex_inst *insts)
{
	uint64_t asserts = 0, matches = 0;

	if (regex->inst_count > REGEX_BITS_MAX)
		return true;
	for (uint32_t i = 0; i < regex->inst_count; i++) {
		asserts |= (uint64_t)(insts[i].op == OP_ASSERT) << i;
		matches |= (uint64_t)(insts[i].op == OP_MATCH) << i;
	}
	return regex->asserts_at == asserts && regex->matches_at == matches &&
	       (!regex->tail || is_set(regex, regex->tail_set));
}

static bool are_names(const struct bl_regex *regex)
{
	const struct regex_name *names = regex_at(regex, regex->names_at);

	for (uint32_t i = 0; regex->names_at && i < regex->group_count; i++)
		if (!is_text(regex, names[i].at, names[i].len))
			return false;
	return true;
}

static bool are_literals(const struct bl_regex *regex)
{
	const struct regex_literal *literals = regex_literals(regex);

	for (uint32_t i = 0; i < regex->literal_count; i++)
		if (!literals[i].len || literals[i].asserts > ASSERTS_LITERAL ||
		    !is_text(regex, literals[i].at, literals[i].len))
			return false;
	return true;
}

bool bl_regex_is_sound(const void *bytes, size_t len)
{
	const struct bl_regex *regex = bytes;
	const struct regex_inst *insts;

	if (len < sizeof(*regex) || !is_header(regex, len))
		return false;
	insts = regex_insts(regex);
	for (uint32_t i = 0; i < regex->inst_count; i++)
		if (!is_inst(regex, &insts[i]))
			return false;
	return are_bits(regex, insts) && are_names(regex) &&
	       are_literals(regex);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JavaScript patterns that are not regular, run by PCRE2.
 *
 * The two languages give many escapes a different meaning, so the pattern is
 * read by our own parser and the tree is written again in a form that means
 * the same to PCRE2 and leaves nothing to its dialect: characters and ranges
 * as \x{..}, groups, counts, look-around and references by number.
 */
#include "text/ast.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/buf.h"

enum {
	SCRATCH_MAX_BYTES = 64 * 1024 * 1024,
	PATTERN_MAX_BYTES = 4 * 1024 * 1024,
};

struct bl_backtrack {
	pcre2_code *code;
	pcre2_match_context *limits;
};

static const char *const look_starts[] = {
	[LOOK_AHEAD] = "(?=",
	[LOOK_NOT_AHEAD] = "(?!",
	[LOOK_BEHIND] = "(?<=",
	[LOOK_NOT_BEHIND] = "(?<!",
};

static const struct {
	enum regex_assert bit;
	const char *text;
} asserts[] = {
	{ AT_TEXT_BEGIN, "\\A" },
	{ AT_TEXT_END, "\\z" },
	{ AT_WORD_EDGE, "\\b" },
	{ AT_NO_WORD_EDGE, "\\B" },
};

/* ---- where groups forget ----------------------------------------------------
 */

/*
 * JavaScript forgets the groups of a loop at the start of each turn, PCRE2
 * keeps them.  That shows when a reference can meet a group that the last
 * turn left out, or one that comes later in the loop.
 */
enum { IN_LOOP = 1, LEFT_OUT = 2, SEEN = 4, REFERENCED = 8 };

struct memory {
	uint8_t *groups; /* the bits above, by number */
	bool shows;
};

/* Walks backwards; where is IN_LOOP and LEFT_OUT as far as they hold. */
static void walk(struct memory *memory, const struct node *node, uint8_t where)
{
	uint8_t *group;

	switch ((enum node_kind)node->kind) {
	case NODE_GROUP:
		group = &memory->groups[node->value];
		*group |= SEEN | where;
		if (*group & REFERENCED && where & LEFT_OUT)
			memory->shows = true;
		break;
	case NODE_BACKREF:
		group = &memory->groups[node->value];
		*group |= REFERENCED;
		if (*group & SEEN && *group & IN_LOOP)
			memory->shows = true;
		return;
	case NODE_ALT:
	case NODE_LOOK:
		where |= where & IN_LOOP ? LEFT_OUT : 0;
		break;
	case NODE_REPEAT:
		if (node->min == 0 && where & IN_LOOP)
			where |= LEFT_OUT;
		if (node->max > 1)
			where |= IN_LOOP;
		break;
	case NODE_CAT:
		break;
	case NODE_EMPTY:
	case NODE_CHAR:
	case NODE_SET:
	case NODE_ASSERT:
		return;
	}
	for (node = node->last; node; node = node->prev)
		walk(memory, node, where);
}

static bool forgets(struct parser *parser, const struct node *tree)
{
	struct memory memory = { .groups = bl_arena_new_array(
					 parser->arena, uint8_t,
					 (size_t)parser->group_count + 1) };

	if (!memory.groups)
		return !parse_no_memory(parser);
	walk(&memory, tree, 0);
	if (memory.shows)
		parse_fail(parser, BL_UNSUPPORTED, parser->irregular_at,
			   "a reference to a group that a loop forgets");
	return memory.shows;
}

/* ---- from the tree to PCRE2's text
 * -------------------------------------------- */

static void print_set(struct bl_buf *out, const struct charset *set)
{
	if (!set->count) {
		bl_buf_puts(out, "(*FAIL)");
		return;
	}
	bl_buf_put_char(out, '[');
	for (uint32_t i = 0; i < set->count; i++)
		bl_buf_printf(out, "\\x{%x}-\\x{%x}", set->ranges[i].lo,
			      set->ranges[i].hi);
	bl_buf_put_char(out, ']');
}

static void print_assert(struct bl_buf *out, uint32_t bit)
{
	for (size_t i = 0; i < BL_COUNT(asserts); i++) {
		if (asserts[i].bit == bit)
			bl_buf_puts(out, asserts[i].text);
	}
}

static void print_count(struct bl_buf *out, const struct node *repeat)
{
	if (repeat->max == REPEAT_FOREVER)
		bl_buf_printf(out, "{%u,}", repeat->min);
	else
		bl_buf_printf(out, "{%u,%u}", repeat->min, repeat->max);
	if (repeat->lazy)
		bl_buf_put_char(out, '?');
}

static void print(struct bl_buf *out, const struct node *node);

/* Siblings are linked from the last to the first. */
static void print_list(struct bl_buf *out, struct node *last,
		       const char *between)
{
	struct node *first = NULL, *node = last;

	while (node) {
		struct node *prev = node->prev;

		node->prev = first;
		first = node;
		node = prev;
	}
	for (node = first; node; node = node->prev) {
		print(out, node);
		if (node->prev)
			bl_buf_puts(out, between);
	}
}

static void print_inside(struct bl_buf *out, const char *start,
			 const struct node *node)
{
	bl_buf_puts(out, start);
	print(out, node);
	bl_buf_put_char(out, ')');
}

static void print(struct bl_buf *out, const struct node *node)
{
	switch ((enum node_kind)node->kind) {
	case NODE_EMPTY:
		break;
	case NODE_CHAR:
		bl_buf_printf(out, "\\x{%x}", node->value);
		break;
	case NODE_SET:
		print_set(out, node->set);
		break;
	case NODE_ASSERT:
		print_assert(out, node->value);
		break;
	case NODE_GROUP:
		print_inside(out, "(", node->last);
		break;
	case NODE_LOOK:
		print_inside(out, look_starts[node->value], node->last);
		break;
	case NODE_CAT:
		print_list(out, node->last, "");
		break;
	case NODE_ALT:
		bl_buf_puts(out, "(?:");
		print_list(out, node->last, "|");
		bl_buf_put_char(out, ')');
		break;
	case NODE_REPEAT:
		print_inside(out, "(?:", node->last);
		print_count(out, node);
		break;
	case NODE_BACKREF:
		bl_buf_printf(out, "\\g{%u}", node->value);
		break;
	}
}

/* The pattern in PCRE2's language; SYNTAX and LIMIT as bl_regex_compile. */
static enum bl_status translate(struct bl_str pattern, struct bl_buf *out,
				size_t *out_offset, struct bl_error *err)
{
	struct bl_arena arena;
	struct parser parser;
	struct node *tree;

	bl_arena_init(&arena, NULL, 0, SCRATCH_MAX_BYTES);
	tree = regex_parse(&parser, &arena, pattern, BL_REGEX_JAVASCRIPT, err);
	if (tree && !forgets(&parser, tree))
		print(out, tree);
	bl_arena_clear(&arena);
	if (parser.status && out_offset)
		*out_offset = parser.error_at;
	if (parser.status)
		return parser.status;
	if (bl_buf_status(out) == BL_LIMIT)
		return bl_fail(err, BL_LIMIT,
			       "regular expression: the pattern is too large");
	return bl_buf_status(out) ? bl_fail_memory(err) : BL_OK;
}

/* ---- entry points
 * ------------------------------------------------------------------ */

/*
 * NO_UTF_CHECK: patterns are ASCII here, texts are checked and mended before.
 * MATCH_UNSET_BACKREF: a group without a part is the empty string, as in
 * JavaScript.
 */
static enum bl_status compile(struct bl_backtrack *backtrack,
			      struct bl_str pattern, struct bl_error *err)
{
	uint32_t options =
		PCRE2_UTF | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
	PCRE2_UCHAR message[128];
	PCRE2_SIZE offset;
	int code;

	backtrack->code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
					options, &code, &offset, NULL);
	if (!backtrack->code) {
		pcre2_get_error_message(code, message, sizeof(message));
		return bl_fail(err, BL_UNSUPPORTED,
			       "regular expression: PCRE2 refuses it: %s",
			       (const char *)message);
	}
	backtrack->limits = pcre2_match_context_create(NULL);
	if (!backtrack->limits)
		return bl_fail_memory(err);
	pcre2_set_match_limit(backtrack->limits, BL_BACKTRACK_MATCH_LIMIT);
	pcre2_set_depth_limit(backtrack->limits, BL_BACKTRACK_DEPTH_LIMIT);
	pcre2_set_heap_limit(backtrack->limits, BL_BACKTRACK_HEAP_LIMIT_KIB);
	return BL_OK;
}

enum bl_status bl_backtrack_compile(struct bl_str pattern,
				    struct bl_backtrack **out_backtrack,
				    size_t *out_offset, struct bl_error *err)
{
	struct bl_backtrack *backtrack = calloc(1, sizeof(*backtrack));
	struct bl_buf printed;
	enum bl_status status;

	if (out_offset)
		*out_offset = 0;
	if (!backtrack)
		return bl_fail_memory(err);
	bl_buf_init(&printed, PATTERN_MAX_BYTES);
	status = translate(pattern, &printed, out_offset, err);
	if (!status)
		status = compile(backtrack, bl_buf_str(&printed), err);
	bl_buf_clear(&printed);
	if (status) {
		bl_backtrack_free(backtrack);
		return status;
	}
	*out_backtrack = backtrack;
	return BL_OK;
}

/* A copy of text with U+FFFD for each byte that is not UTF-8. */
static void mend(struct bl_str text, struct bl_buf *out)
{
	char encoded[BL_UTF8_MAX_BYTES];
	uint32_t rune;

	for (size_t at = 0; at < text.len;) {
		at += regex_decode(text, at, &rune);
		bl_buf_put(out, encoded, bl_utf8_encode(rune, encoded));
	}
}

static enum bl_status match(const struct bl_backtrack *backtrack,
			    struct bl_str text, bool *out_found,
			    struct bl_error *err)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int code;

	if (!data)
		return bl_fail_memory(err);
	code = pcre2_match(backtrack->code, (PCRE2_SPTR)text.ptr, text.len, 0,
			   PCRE2_NO_UTF_CHECK, data, backtrack->limits);
	pcre2_match_data_free(data);
	switch (code) {
	case PCRE2_ERROR_NOMATCH:
		*out_found = false;
		return BL_OK;
	case PCRE2_ERROR_MATCHLIMIT:
	case PCRE2_ERROR_DEPTHLIMIT:
	case PCRE2_ERROR_HEAPLIMIT:
		return bl_fail(err, BL_LIMIT,
			       "regular expression: the search takes too long");
	case PCRE2_ERROR_NOMEMORY:
		return bl_fail_memory(err);
	default:
		break;
	}
	if (code < 0)
		return bl_fail(err, BL_SYSTEM,
			       "regular expression: PCRE2 says %d", code);
	*out_found = true;
	return BL_OK;
}

enum bl_status bl_backtrack_search(const struct bl_backtrack *backtrack,
				   struct bl_str text, bool *out_found,
				   struct bl_error *err)
{
	struct bl_buf mended;
	enum bl_status status;

	if (!text.len)
		return match(backtrack, BL_STR(""), out_found, err);
	if (bl_utf8_is_valid(text))
		return match(backtrack, text, out_found, err);
	bl_buf_init(&mended, 0);
	mend(text, &mended);
	status = bl_buf_status(&mended) ? bl_fail_memory(err)
					: match(backtrack, bl_buf_str(&mended),
						out_found, err);
	bl_buf_clear(&mended);
	return status;
}

struct bl_backtrack *bl_backtrack_free(struct bl_backtrack *backtrack)
{
	if (backtrack) {
		pcre2_match_context_free(backtrack->limits);
		pcre2_code_free(backtrack->code);
		free(backtrack);
	}
	return NULL;
}

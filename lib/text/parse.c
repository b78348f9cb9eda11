/* SPDX-License-Identifier: Apache-2.0 */
/* The parser's loop.  Open groups are frames in the arena, so that nesting
 * costs no stack. */
#include "text/ast.h"

#include <stdarg.h>
#include <stdio.h>

static const struct dialect dialects[] = {
	[BL_REGEX_RE2] = {
		.dot = &charset_dot_re2,
		.space = &charset_space_re2,
		.max_product = BL_REGEX_MAX_REPEAT,
		.over_count = BL_SYNTAX,
		.bare_asserts = true,
		.plain_names = true,
		.bracket_first = true,
		.posix_classes = true,
		.escape = parse_escape_re2,
		.item = parse_item_re2,
		.group = parse_group_re2,
	},
	[BL_REGEX_JAVASCRIPT] = {
		.dot = &charset_dot_js,
		.space = &charset_space_js,
		.max_product = UINT32_MAX,
		.over_count = BL_LIMIT,
		.zero_led_counts = true,
		.sets_end_ranges = true,
		.escape = parse_escape_js,
		.item = parse_item_js,
		.group = parse_group_js,
	},
};

bool parse_fail(struct parser *parser, enum bl_status status, size_t at,
		const char *fmt, ...)
{
	char message[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	parser->error_at = at;
	parser->status =
		bl_fail(parser->err, status, "regular expression, byte %zu: %s",
			at, message);
	return false;
}

bool parse_no_memory(struct parser *parser)
{
	parser->error_at = parser->at;
	parser->status = bl_arena_fail(parser->arena, parser->err);
	return false;
}

void parse_irregular(struct parser *parser, size_t at, const char *what)
{
	if (parser->irregular)
		return;
	parser->irregular = what;
	parser->irregular_at = at;
}

bool parse_see(const struct parser *parser, const char *text)
{
	size_t len = strlen(text);

	return parser->pattern.len - parser->at >= len &&
	       !memcmp(parser->pattern.ptr + parser->at, text, len);
}

uint32_t parse_rune(struct parser *parser)
{
	uint32_t rune = BL_REPLACEMENT_CHAR;

	/* The pattern was checked to be UTF-8. */
	parser->at += bl_utf8_decode(parser->pattern, parser->at, &rune);
	return rune;
}

struct node *parse_node(struct parser *parser, enum node_kind kind)
{
	struct node *node = bl_arena_new(parser->arena, struct node);

	if (!node) {
		parse_no_memory(parser);
		return NULL;
	}
	node->kind = (uint8_t)kind;
	node->repeats = 1;
	node->nullable = kind != NODE_CHAR && kind != NODE_SET;
	return node;
}

bool parse_push(struct parser *parser, struct node *node)
{
	if (!node)
		return false;
	node->prev = parser->cat;
	parser->cat = node;
	return true;
}

bool parse_push_set(struct parser *parser, const struct charset *set)
{
	struct node *node = parse_node(parser, NODE_SET);

	if (!set)
		return parse_no_memory(parser);
	if (node)
		node->set = set;
	return parse_push(parser, node);
}

bool parse_push_char(struct parser *parser, uint32_t rune)
{
	struct node *node;

	if (parser->flags & FLAG_FOLD && charset_folds(rune))
		return parse_push_set(parser,
				      charset_folded(parser->arena, rune));
	node = parse_node(parser, NODE_CHAR);
	if (node)
		node->value = rune;
	return parse_push(parser, node);
}

bool parse_push_assert(struct parser *parser, enum regex_assert bit)
{
	struct node *node = parse_node(parser, NODE_ASSERT);

	if (node)
		node->value = bit;
	return parse_push(parser, node);
}

/* Joins a list of siblings (last first) under one node of that kind. */
static struct node *join(struct parser *parser, enum node_kind kind,
			 struct node *last)
{
	struct node *node;

	if (!last)
		return parse_node(parser, NODE_EMPTY);
	if (!last->prev)
		return last;
	node = parse_node(parser, kind);
	if (!node)
		return NULL;
	node->last = last;
	node->nullable = kind == NODE_CAT;
	for (; last; last = last->prev) {
		if (last->repeats > node->repeats)
			node->repeats = last->repeats;
		if (kind == NODE_CAT)
			node->nullable = node->nullable && last->nullable;
		else
			node->nullable = node->nullable || last->nullable;
	}
	return node;
}

static bool end_alternative(struct parser *parser)
{
	struct node *cat = join(parser, NODE_CAT, parser->cat);

	if (!cat)
		return false;
	cat->prev = parser->alts;
	parser->alts = cat;
	parser->cat = NULL;
	return true;
}

/* The content of the running group, or of the whole pattern. */
static struct node *end_content(struct parser *parser)
{
	struct node *content;

	if (!end_alternative(parser))
		return NULL;
	content = join(parser, NODE_ALT, parser->alts);
	parser->alts = NULL;
	return content;
}

bool parse_open(struct parser *parser, struct node *group, size_t at)
{
	struct group_frame *frame;

	if (++parser->depth > BL_REGEX_MAX_DEPTH)
		return parse_fail(parser, BL_LIMIT, at,
				  "groups are nested deeper than %d",
				  BL_REGEX_MAX_DEPTH);
	frame = bl_arena_new(parser->arena, struct group_frame);
	if (!frame)
		return parse_no_memory(parser);
	*frame = (struct group_frame){
		.outer = parser->frame,
		.group = group,
		.alts = parser->alts,
		.cat = parser->cat,
		.flags = parser->flags,
		.at = at,
	};
	parser->frame = frame;
	parser->alts = NULL;
	parser->cat = NULL;
	return true;
}

static bool open_group(struct parser *parser)
{
	size_t at = parser->at++;
	struct node *group;

	if (parse_see(parser, "?")) {
		parser->at++;
		return parser->dialect->group(parser);
	}
	group = parse_node(parser, NODE_GROUP);
	if (!group)
		return false;
	group->value = ++parser->group_count;
	return parse_open(parser, group, at);
}

static bool close_group(struct parser *parser)
{
	struct group_frame *frame = parser->frame;
	struct node *content, *group;

	if (!frame)
		return parse_fail(parser, BL_SYNTAX, parser->at,
				  ") without its (");
	content = end_content(parser);
	if (!content)
		return false;
	parser->at++;
	parser->depth--;
	parser->frame = frame->outer;
	parser->flags = frame->flags;
	parser->alts = frame->alts;
	parser->cat = frame->cat;
	group = frame->group;
	if (!group)
		return parse_push(parser, content);
	group->last = content;
	group->repeats = content->repeats;
	group->nullable = content->nullable || group->kind == NODE_LOOK;
	return parse_push(parser, group);
}

/* ---- counts ----------------------------------------------------------------
 */

struct count {
	size_t end;
	uint32_t min;
	uint32_t max;
};

/* Digits at *at; false: none, or a leading zero that is not allowed. */
static bool read_count(const struct parser *parser, size_t *at,
		       uint32_t *out_count)
{
	struct bl_str p = parser->pattern;
	size_t first = *at;
	uint32_t count = 0;

	while (*at < p.len && p.ptr[*at] >= '0' && p.ptr[*at] <= '9') {
		if (count <= BL_REGEX_MAX_REPEAT)
			count = count * 10 + (uint32_t)(p.ptr[*at] - '0');
		(*at)++;
	}
	*out_count = count;
	if (*at == first)
		return false;
	return parser->dialect->zero_led_counts || *at == first + 1 ||
	       p.ptr[first] != '0';
}

/* {n}, {n,} or {n,m}; anything else with a brace is text. */
static bool read_braces(const struct parser *parser, struct count *out)
{
	struct bl_str p = parser->pattern;
	size_t at = parser->at + 1;

	if (!read_count(parser, &at, &out->min))
		return false;
	out->max = out->min;
	if (at < p.len && p.ptr[at] == ',') {
		at++;
		if (at < p.len && p.ptr[at] == '}')
			out->max = REPEAT_FOREVER;
		else if (!read_count(parser, &at, &out->max))
			return false;
	}
	out->end = at + 1;
	return at < p.len && p.ptr[at] == '}';
}

static bool read_repeat(const struct parser *parser, struct count *out)
{
	*out = (struct count){ parser->at + 1, 0, REPEAT_FOREVER };
	switch (parser->pattern.ptr[parser->at]) {
	case '*':
		return true;
	case '+':
		out->min = 1;
		return true;
	case '?':
		out->max = 1;
		return true;
	default:
		return read_braces(parser, out);
	}
}

static bool check_count(struct parser *parser, const struct count *count)
{
	uint32_t most = count->max == REPEAT_FOREVER ? count->min : count->max;

	if (count->min > BL_REGEX_MAX_REPEAT || most > BL_REGEX_MAX_REPEAT)
		return parse_fail(parser, parser->dialect->over_count,
				  parser->at, "a count above %d",
				  BL_REGEX_MAX_REPEAT);
	if (most < count->min)
		return parse_fail(parser, BL_SYNTAX, parser->at,
				  "the counts are out of order");
	return true;
}

static bool check_operand(struct parser *parser)
{
	const struct node *item = parser->cat;

	if (parser->repeat_end == parser->at)
		return parse_fail(parser, BL_SYNTAX, parser->at,
				  "a repetition cannot follow a repetition");
	if (!item ||
	    (!parser->dialect->bare_asserts &&
	     (item->kind == NODE_ASSERT ||
	      (item->kind == NODE_LOOK && item->value >= LOOK_BEHIND))))
		return parse_fail(parser, BL_SYNTAX, parser->at,
				  "nothing to repeat");
	return true;
}

static bool apply_count(struct parser *parser, const struct count *count)
{
	struct node *item = parser->cat;
	struct node *repeat = parse_node(parser, NODE_REPEAT);
	uint32_t most = count->max == REPEAT_FOREVER ? count->min : count->max;
	uint64_t product;

	if (!repeat)
		return false;
	product = (uint64_t)item->repeats * (most ? most : 1);
	if (product > parser->dialect->max_product)
		return parse_fail(parser, BL_SYNTAX, parser->at,
				  "nested counts multiply to more than %d",
				  BL_REGEX_MAX_REPEAT);
	repeat->repeats = product < UINT32_MAX ? (uint32_t)product : UINT32_MAX;
	repeat->min = count->min;
	repeat->max = count->max;
	repeat->nullable = count->min == 0 || item->nullable;
	repeat->last = item;
	repeat->prev = item->prev;
	item->prev = NULL;
	parser->cat = repeat;
	parser->at = count->end;
	repeat->lazy = parse_see(parser, "?");
	if (repeat->lazy)
		parser->at++;
	if (parser->flags & FLAG_SWAP_LAZY)
		repeat->lazy = !repeat->lazy;
	parser->repeat_end = parser->at;
	return true;
}

static bool repeat(struct parser *parser)
{
	struct count count;

	if (!read_repeat(parser, &count))
		return parse_push_char(parser, parse_rune(parser));
	return check_operand(parser) && check_count(parser, &count) &&
	       apply_count(parser, &count);
}

/* ---- the loop --------------------------------------------------------------
 */

static bool assertion(struct parser *parser)
{
	bool lines = parser->flags & FLAG_MULTI_LINE;

	if (parser->pattern.ptr[parser->at++] == '^')
		return parse_push_assert(parser,
					 lines ? AT_LINE_BEGIN : AT_TEXT_BEGIN);
	return parse_push_assert(parser, lines ? AT_LINE_END : AT_TEXT_END);
}

static bool item(struct parser *parser)
{
	switch (parser->pattern.ptr[parser->at]) {
	case '(':
		return open_group(parser);
	case ')':
		return close_group(parser);
	case '|':
		parser->at++;
		return end_alternative(parser);
	case '[':
		parser->at++;
		return parse_class(parser);
	case '.':
		parser->at++;
		return parse_push_set(parser, parser->flags & FLAG_DOT_ALL
						      ? &charset_all
						      : parser->dialect->dot);
	case '^':
	case '$':
		return assertion(parser);
	case '*':
	case '+':
	case '?':
	case '{':
		return repeat(parser);
	case '\\':
		return parser->dialect->escape(parser);
	default:
		return parse_push_char(parser, parse_rune(parser));
	}
}

static const struct group_name *find_name(const struct parser *parser,
					  struct bl_str name)
{
	const struct group_name *entry = parser->names;

	while (entry && !bl_str_equal(entry->name, name))
		entry = entry->next;
	return entry;
}

bool parse_named_group(struct parser *parser, size_t at)
{
	size_t name_at = parser->at;
	struct bl_str name = parse_name(parser);
	struct node *group = parse_node(parser, NODE_GROUP);
	struct group_name *entry =
		bl_arena_new(parser->arena, struct group_name);

	if (!name.len)
		return false;
	if (!group || !entry)
		return parse_no_memory(parser);
	if (find_name(parser, name))
		return parse_fail(parser, BL_SYNTAX, name_at,
				  "two groups have the same name");
	group->value = ++parser->group_count;
	*entry = (struct group_name){ name, group->value, parser->names };
	parser->names = entry;
	return parse_open(parser, group, at);
}

static bool resolve_references(struct parser *parser)
{
	struct name_reference *reference = parser->references;

	for (; reference; reference = reference->next) {
		const struct group_name *to =
			find_name(parser, reference->name);

		if (!to)
			return parse_fail(parser, BL_SYNTAX, reference->at,
					  "no group has this name");
		reference->node->value = to->group;
	}
	return true;
}

struct node *regex_parse(struct parser *parser, struct bl_arena *arena,
			 struct bl_str pattern, enum bl_regex_dialect dialect,
			 struct bl_error *err)
{
	struct node *content;
	size_t valid;

	*parser = (struct parser){
		.dialect = &dialects[dialect],
		.arena = arena,
		.pattern = pattern,
		.repeat_end = SIZE_MAX,
		.irregular_at = SIZE_MAX,
		.err = err,
	};
	if (pattern.len > BL_REGEX_MAX_PATTERN_BYTES) {
		parse_fail(parser, BL_LIMIT, BL_REGEX_MAX_PATTERN_BYTES,
			   "more than %d bytes", BL_REGEX_MAX_PATTERN_BYTES);
		return NULL;
	}
	valid = bl_utf8_valid_prefix(pattern);
	if (valid < pattern.len) {
		parse_fail(parser, BL_SYNTAX, valid, "not UTF-8");
		return NULL;
	}
	while (parser->at < pattern.len) {
		if (!item(parser))
			return NULL;
	}
	if (parser->frame) {
		parse_fail(parser, BL_SYNTAX, parser->frame->at,
			   "( without its )");
		return NULL;
	}
	content = end_content(parser);
	return content && resolve_references(parser) ? content : NULL;
}

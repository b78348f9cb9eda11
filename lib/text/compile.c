/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pattern to a program: parse, write, and pack into one piece. The stages
 * stand in files of their own; only this one owns the memory that lasts.
 */
#include "text/program.h"

enum {
	SCRATCH_FIRST_BYTES = 8 * 1024, /* on the stack; most need no more */
	SCRATCH_MAX_BYTES = 64 * 1024 * 1024,
	PIECE_ALIGN = 8,
};

static bool note_names(struct program *program, const struct parser *parser)
{
	static const struct regex_name none;
	const struct group_name *name = parser->names;
	struct regex_name *names;

	program->head.group_count = parser->group_count;
	if (!name || parser->group_count == 0)
		return true;
	for (uint32_t i = 0; i < parser->group_count; i++) {
		if (!program_put(program, &program->names, &none, sizeof(none)))
			return false;
	}
	names = (struct regex_name *)program->names.ptr;
	for (; name; name = name->next) {
		names[name->group - 1] =
			(struct regex_name){ (uint32_t)program->bytes.len,
					     (uint32_t)name->name.len };
		if (!program_put(program, &program->bytes, name->name.ptr,
				 name->name.len))
			return false;
	}
	return true;
}

/* Reserves room for the pile; *bytes is the size so far. */
static uint32_t reserve(const struct pile *pile, size_t *bytes)
{
	size_t at = *bytes;

	*bytes =
		(at + pile->len + PIECE_ALIGN - 1) & ~(size_t)(PIECE_ALIGN - 1);
	return (uint32_t)at;
}

static void copy_pile(struct bl_regex *regex, uint32_t at,
		      const struct pile *pile)
{
	if (pile->len)
		memcpy((char *)regex + at, pile->ptr, pile->len);
}

/* Sizes are far below 4 GiB: every pile has its limit. */
static struct bl_regex *pack(struct program *program, struct bl_arena *arena)
{
	struct bl_regex *head = &program->head, *regex;
	size_t bytes =
		(sizeof(*head) + PIECE_ALIGN - 1) & ~(size_t)(PIECE_ALIGN - 1);

	head->insts_at = reserve(&program->insts, &bytes);
	head->sets_at = reserve(&program->sets, &bytes);
	head->ranges_at = reserve(&program->ranges, &bytes);
	head->names_at =
		program->names.len ? reserve(&program->names, &bytes) : 0;
	head->literals_at = reserve(&program->literals, &bytes);
	head->bytes_at = reserve(&program->bytes, &bytes);
	head->bytes = (uint32_t)bytes;
	/* Zeroed, as the gaps between the pieces are written out, too. */
	regex = bl_arena_zalloc(arena, 1, bytes);
	if (!regex)
		return NULL;
	*regex = *head;
	copy_pile(regex, head->insts_at, &program->insts);
	copy_pile(regex, head->sets_at, &program->sets);
	copy_pile(regex, head->ranges_at, &program->ranges);
	copy_pile(regex, head->names_at, &program->names);
	copy_pile(regex, head->literals_at, &program->literals);
	copy_pile(regex, head->bytes_at, &program->bytes);
	return regex;
}

static enum bl_status program_fail(const struct program *program,
				   struct bl_error *err)
{
	if (program->status == BL_LIMIT)
		return bl_fail(err, BL_LIMIT,
			       "regular expression: the program would be "
			       "larger than %d instructions",
			       BL_REGEX_MAX_PROGRAM);
	return bl_arena_fail(program->arena, err);
}

static enum bl_status compile(struct bl_arena *arena, struct parser *parser,
			      struct node *tree,
			      const struct bl_regex **out_regex)
{
	struct program program = { .arena = parser->arena };
	const struct bl_regex *regex;

	if (parser->irregular) {
		parse_fail(parser, BL_UNSUPPORTED, parser->irregular_at,
			   "%s is not regular", parser->irregular);
		return parser->status;
	}
	if (!note_names(&program, parser) || !program_write(&program, tree) ||
	    !program_note_starts(&program) ||
	    !program_note_literals(&program, tree))
		return program_fail(&program, parser->err);
	program_note_bits(&program);
	regex = pack(&program, arena);
	if (!regex)
		return bl_arena_fail(arena, parser->err);
	*out_regex = regex;
	return BL_OK;
}

enum bl_status bl_regex_compile(struct bl_arena *arena, struct bl_str pattern,
				enum bl_regex_dialect dialect,
				const struct bl_regex **out_regex,
				size_t *out_offset, struct bl_error *err)
{
	_Alignas(max_align_t) char first[SCRATCH_FIRST_BYTES];
	struct bl_arena scratch;
	struct parser parser;
	struct node *tree;
	enum bl_status status;

	bl_arena_init(&scratch, first, sizeof(first), SCRATCH_MAX_BYTES);
	tree = regex_parse(&parser, &scratch, pattern, dialect, err);
	status =
		tree ? compile(arena, &parser, tree, out_regex) : parser.status;
	if (status && out_offset)
		*out_offset = parser.error_at;
	bl_arena_clear(&scratch);
	return status;
}

size_t bl_regex_bytes(const struct bl_regex *regex)
{
	return regex->bytes;
}

size_t bl_regex_group_count(const struct bl_regex *regex)
{
	return regex->group_count;
}

struct bl_str bl_regex_group_name(const struct bl_regex *regex, size_t i)
{
	const struct regex_name *name = regex_at(regex, regex->names_at);

	if (!regex->names_at || i < 1 || i > regex->group_count)
		return (struct bl_str){ NULL, 0 };
	name += i - 1;
	return (struct bl_str){ regex_text(regex, name->at), name->len };
}

bool bl_regex_each_literal(const struct bl_regex *regex,
			   void (*visit)(void *context, struct bl_str literal),
			   void *context)
{
	const struct regex_literal *literals = regex_literals(regex);

	/* They are stored from the last to the first. */
	for (size_t i = regex->literal_count; regex->literals_whole && i-- > 0;)
		visit(context,
		      (struct bl_str){ regex_text(regex, literals[i].at),
				       literals[i].len });
	return regex->literals_whole && regex->literal_count > 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an image: the header, the sections, what needs addresses. */
#include "rego/runtime/image.h"

static enum bl_status damaged(struct bl_image *o, const char *what)
{
	return bl_fail(o->err, BL_INVALID, "the image is damaged: %s", what);
}

/* ---- header ----------------------------------------------------------------- */

uint64_t bl_image_header_checksum(const struct bl_image_header *header)
{
	size_t from = offsetof(struct bl_image_header, version);

	return bl_checksum((const char *)header + from, sizeof(*header) - from);
}

uint64_t bl_image_sums_checksum(const struct bl_seal *seal)
{
	return bl_checksum(seal->sums, bl_seal_count(seal->from, seal->to) *
					       sizeof(*seal->sums));
}

bool bl_image_seal_of(const struct bl_image_header *header, size_t len,
		      struct bl_seal *out_seal)
{
	uint64_t at = header->sums_at;

	if (at % 8 || at < sizeof(*header) || at > len ||
	    bl_seal_count(sizeof(*header), (size_t)at) >
		    (len - at) / sizeof(uint64_t))
		return false;
	*out_seal = (struct bl_seal){
		.base = (const char *)header,
		.from = sizeof(*header),
		.to = (size_t)at,
		.sums = (const void *)((const char *)header + at),
	};
	return true;
}

static enum bl_status check_header(struct bl_image *o)
{
	const struct bl_image_header *h = o->header;

	if (o->bytes.len < sizeof(*h) ||
	    memcmp(h->magic, BL_IMAGE_MAGIC, sizeof(h->magic)) != 0)
		return bl_fail(o->err, BL_INVALID, "not an image of policies");
	if (h->version != BL_REGO_IMAGE_VERSION || h->order != BL_IMAGE_ORDER ||
	    h->opcodes != BL_OP_COUNT || h->record != bl_image_record())
		return bl_fail(o->err, BL_UNSUPPORTED,
			       "the image was made by another version");
	if (o->is_trusted)
		return bl_image_seal_of(h, o->bytes.len, &o->seal)
			       ? BL_OK
			       : damaged(o, "its seal is not inside of it");
	if (h->checksum != bl_image_header_checksum(h))
		return damaged(o, "the checksum of its header is wrong");
	if (h->bytes != o->bytes.len)
		return damaged(o, "its size is not what it says");
	if (!bl_image_seal_of(h, o->bytes.len, &o->seal) ||
	    h->sums_checksum != bl_image_sums_checksum(&o->seal))
		return damaged(o, "the checksum of its sums is wrong");
	o->known = bl_arena_new_array(
		o->arena, uint8_t,
		bl_seal_count(o->seal.from, o->seal.to) / 8 + 1);
	return o->known ? BL_OK : bl_arena_fail(o->arena, o->err);
}

const void *bl_image_section_at(const struct bl_image *image,
				enum bl_image_section_kind kind, size_t size)
{
	const struct bl_image_section *s = &image->header->sections[kind];

	if (s->at % 8 || s->at < image->seal.from || s->at > image->seal.to ||
	    (uint64_t)s->count * size > image->seal.to - s->at)
		return NULL;
	return image->bytes.ptr + s->at;
}

static size_t section_count(const struct bl_image *o,
			    enum bl_image_section_kind kind)
{
	return o->header->sections[kind].count;
}

/* ---- the other tables --------------------------------------------------------- */

static enum bl_status open_builtins(struct bl_image *o)
{
	size_t count = section_count(o, BL_IMAGE_BUILTINS);
	const struct bl_image_text *names =
		bl_image_section_at(o, BL_IMAGE_BUILTINS, sizeof(*names));
	struct bl_builtin_use *uses =
		bl_arena_new_array(o->arena, struct bl_builtin_use, count + 1);

	if (!names ||
	    !bl_image_holds(o, (uint64_t)((const char *)names - o->bytes.ptr),
			    count * sizeof(*names)))
		return damaged(o, "builtins");
	if (!uses)
		return bl_arena_fail(o->arena, o->err);
	for (size_t i = 0; i < count; i++) {
		struct bl_str name;

		if (!bl_image_holds(o, names[i].at, names[i].len))
			return damaged(o, "a builtin's name");
		name = (struct bl_str){ o->bytes.ptr + names[i].at,
					(size_t)names[i].len };
		uses[i].row = bl_builtin_find(name);
		if (!uses[i].row)
			return bl_fail(o->err, BL_UNSUPPORTED,
				       "the builtin %.*s is not in this "
				       "program",
				       BL_STR_ARG(name));
		uses[i].masks = bl_builtin_masks_of(uses[i].row);
	}
	o->program->builtins = uses;
	o->program->builtin_count = count;
	return BL_OK;
}

/* Tables that are used where they lie. */
static enum bl_status open_tables(struct bl_image *o)
{
	struct bl_program *program = o->program;

	program->functions =
		(struct bl_function *)(uintptr_t)bl_image_section_at(
			o, BL_IMAGE_FUNCTIONS, sizeof(*program->functions));
	program->nodes =
		(struct bl_program_node *)(uintptr_t)bl_image_section_at(
			o, BL_IMAGE_NODES, sizeof(*program->nodes));
	program->rule_indexes =
		(struct bl_rule_index *)(uintptr_t)bl_image_section_at(
			o, BL_IMAGE_RULE_INDEXES,
			sizeof(*program->rule_indexes));
	program->files =
		(struct bl_program_file *)(uintptr_t)bl_image_section_at(
			o, BL_IMAGE_FILES, sizeof(*program->files));
	program->patterns = (struct bl_pattern *)(uintptr_t)bl_image_section_at(
		o, BL_IMAGE_PATTERNS, sizeof(*program->patterns));
	if (!program->functions || !program->nodes || !program->rule_indexes ||
	    !program->files || !program->patterns)
		return damaged(o, "a table is not inside of it");
	program->function_count = section_count(o, BL_IMAGE_FUNCTIONS);
	program->node_count = section_count(o, BL_IMAGE_NODES);
	program->rule_index_count = section_count(o, BL_IMAGE_RULE_INDEXES);
	program->file_count = section_count(o, BL_IMAGE_FILES);
	program->pattern_count = section_count(o, BL_IMAGE_PATTERNS);
	return BL_OK;
}

/* The requested name, and the value that the writer gave. */
static enum bl_status check(struct bl_image *o,
			    const struct bl_rego_image_part *part)
{
	const char *wrong;

	if (o->is_trusted) {
		o->program->lazy = o;
		return BL_OK;
	}
	wrong = bl_program_verify(o->program, o, part, o->arena);

	if (!wrong && !bl_image_take_constant(o, o->header->extra))
		wrong = "its extra value";
	if (wrong && bl_arena_status(o->arena))
		return bl_arena_fail(o->arena, o->err);
	return wrong ? damaged(o, wrong) : BL_OK;
}

enum bl_status bl_program_open_image(const struct bl_rego_image_part *part,
				     struct bl_arena *arena,
				     struct bl_program *out_program,
				     struct bl_value *out_extra,
				     struct bl_error *err)
{
	const struct bl_str image = part->image;
	struct bl_image *o = bl_arena_new(arena, struct bl_image);
	enum bl_status status;

	if (!o)
		return bl_arena_fail(arena, err);
	*o = (struct bl_image){ .bytes = image,
				.header = (const void *)image.ptr,
				.program = out_program,
				.arena = arena,
				.err = err,
				.is_trusted = part->is_trusted };
	*out_program =
		(struct bl_program){ .base = image.ptr, .seal = &o->seal };
	if ((uintptr_t)image.ptr % BL_IMAGE_ALIGN)
		return damaged(o, "it is not aligned");
	status = check_header(o);
	if (!status)
		status = bl_image_begin_constants(o);
	if (!status)
		status = open_builtins(o);
	if (!status)
		status = open_tables(o);
	if (!status)
		status = check(o, part);
	if (!status && (!part->is_trusted || !part->document_count))
		*out_extra = bl_program_constant(out_program, o->header->extra);
	return status;
}

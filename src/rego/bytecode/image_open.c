/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an image: the header, the sections, what needs addresses. */
#include "base/utf8.h"
#include "rego/bytecode/image.h"

struct opener {
	struct bl_str image;
	const struct bl_image_header *header;
	struct bl_arena *arena;
	struct bl_program *program;
	struct bl_error *err;
};

static enum bl_status damaged(struct opener *o, const char *what)
{
	return bl_fail(o->err, BL_INVALID, "the image is damaged: %s", what);
}

static bool is_inside(const struct opener *o, uint64_t at, uint64_t bytes)
{
	return at <= o->image.len && bytes <= o->image.len - at;
}

/* ---- header ----------------------------------------------------------------- */

static enum bl_status check_header(struct opener *o)
{
	const struct bl_image_header *h = o->header;

	if (o->image.len < sizeof(*h) ||
	    memcmp(h->magic, BL_IMAGE_MAGIC, sizeof(h->magic)) != 0)
		return bl_fail(o->err, BL_INVALID, "not an image of policies");
	if (h->version != BL_REGO_IMAGE_VERSION || h->order != BL_IMAGE_ORDER ||
	    h->opcodes != BL_OP_COUNT || h->record != bl_image_record())
		return bl_fail(o->err, BL_UNSUPPORTED,
			       "the image was made by another version");
	if (h->bytes != o->image.len)
		return damaged(o, "its size is not what it says");
	if (h->checksum != bl_image_checksum(o->image.ptr, o->image.len))
		return damaged(o, "its checksum is wrong");
	return BL_OK;
}

/* The records of a section; NULL when they are not inside of the image. */
static const void *section(const struct opener *o,
			   enum bl_image_section_kind kind, size_t size)
{
	const struct bl_image_section *s = &o->header->sections[kind];

	if (s->at % 8 || !is_inside(o, s->at, (uint64_t)s->count * size))
		return NULL;
	return o->image.ptr + s->at;
}

static size_t section_count(const struct opener *o,
			    enum bl_image_section_kind kind)
{
	return o->header->sections[kind].count;
}

/* ---- constants -------------------------------------------------------------- */

/* Is it what record_of (image_write.c) can have written? */
static bool is_record(const struct opener *o, struct bl_value record)
{
	static const struct bl_value plain_number = { .kind = BL_KIND_NUMBER };
	struct bl_str text = { NULL, record.len };

	switch (record.reserved) {
	case BL_CONSTANT_PLAIN:
		if (record.kind == BL_KIND_BOOLEAN)
			return record.len == 0 &&
			       (record.as.integer | 1) == 1 && !record.form;
		return record.kind <= BL_KIND_NUMBER && record.len == 0 &&
		       record.form == plain_number.form;
	case BL_CONSTANT_TEXT:
		if (record.kind != BL_KIND_STRING || record.form ||
		    !is_inside(o, (uint64_t)record.as.integer, record.len))
			return false;
		text.ptr = o->image.ptr + record.as.integer;
		return bl_utf8_is_valid(text);
	case BL_CONSTANT_BOXED:
		return (uint64_t)record.as.integer <
		       section_count(o, BL_IMAGE_BOXED);
	default:
		return false;
	}
}

/*
 * The value of a record.  Boxed ones stand in the order in which they were
 * finished, so what a record refers to is among the first `known`.
 */
static bool value_of(struct opener *o, struct bl_value record, size_t known,
		     struct bl_value *out_value)
{
	if (!is_record(o, record) || (record.reserved == BL_CONSTANT_BOXED &&
				      (uint64_t)record.as.integer >= known))
		return false;
	if (record.reserved == BL_CONSTANT_TEXT)
		*out_value = bl_value_string((struct bl_str){
			o->image.ptr + record.as.integer, record.len });
	else if (record.reserved == BL_CONSTANT_BOXED)
		*out_value = o->program->boxed[record.as.integer];
	else
		*out_value = record;
	return true;
}

static struct bl_value *members_of(struct opener *o, struct bl_value record,
				   size_t count, size_t known)
{
	const struct bl_value *records;
	struct bl_value *members;

	if (record.as.integer % 8 || !is_inside(o, (uint64_t)record.as.integer,
						count * sizeof(*records)))
		return NULL;
	records = (const void *)(o->image.ptr + record.as.integer);
	members = bl_arena_new_array(o->arena, struct bl_value, count + 1);
	for (size_t i = 0; members && i < count; i++)
		if (!value_of(o, records[i], known, &members[i]))
			return NULL;
	return members;
}

static bool open_boxed(struct opener *o, struct bl_value record, size_t known,
		       struct bl_value *out_value)
{
	bool object = record.kind == BL_KIND_OBJECT;
	struct bl_value *members;

	*out_value = bl_value_undefined();
	if (record.kind == BL_KIND_NUMBER)
		return is_inside(o, (uint64_t)record.as.integer, record.len) &&
		       !bl_number_from_text(
			       (struct bl_str){ o->image.ptr +
							record.as.integer,
						record.len },
			       out_value);
	if (record.kind < BL_KIND_ARRAY || record.kind > BL_KIND_SET)
		return false;
	members = members_of(o, record, (size_t)record.len * (object ? 2 : 1),
			     known);
	if (!members)
		return false;
	if (object)
		*out_value = bl_object_make(
			o->arena,
			(const struct bl_member *)(const void *)members,
			record.len, NULL);
	else
		*out_value =
			record.kind == BL_KIND_SET
				? bl_set_make(o->arena, members, record.len)
				: bl_array_make(o->arena, members, record.len);
	return bl_value_is_defined(*out_value);
}

static enum bl_status open_constants(struct opener *o)
{
	size_t boxed_count = section_count(o, BL_IMAGE_BOXED);
	const struct bl_value *records =
		section(o, BL_IMAGE_BOXED, sizeof(*records));
	const struct bl_value *constants =
		section(o, BL_IMAGE_CONSTANTS, sizeof(*constants));
	struct bl_value *boxed =
		bl_arena_new_array(o->arena, struct bl_value, boxed_count + 1);

	if (!records || !constants)
		return damaged(o, "constants");
	if (!boxed)
		return bl_arena_fail(o->arena, o->err);
	o->program->boxed = boxed;
	for (size_t i = 0; i < boxed_count; i++) {
		if (open_boxed(o, records[i], i, &boxed[i]))
			continue;
		if (bl_arena_status(o->arena))
			return bl_arena_fail(o->arena, o->err);
		return damaged(o, "a collection");
	}
	for (size_t i = 0; i < section_count(o, BL_IMAGE_CONSTANTS); i++)
		if (!is_record(o, constants[i]))
			return damaged(o, "a constant");
	o->program->constants = (struct bl_value *)(uintptr_t)constants;
	o->program->constant_count = section_count(o, BL_IMAGE_CONSTANTS);
	return BL_OK;
}

/* ---- the other tables --------------------------------------------------------- */

static enum bl_status open_builtins(struct opener *o)
{
	size_t count = section_count(o, BL_IMAGE_BUILTINS);
	const struct bl_image_text *names =
		section(o, BL_IMAGE_BUILTINS, sizeof(*names));
	struct bl_builtin_use *uses =
		bl_arena_new_array(o->arena, struct bl_builtin_use, count + 1);

	if (!names)
		return damaged(o, "builtins");
	if (!uses)
		return bl_arena_fail(o->arena, o->err);
	for (size_t i = 0; i < count; i++) {
		struct bl_str name;

		if (!is_inside(o, names[i].at, names[i].len))
			return damaged(o, "a builtin's name");
		name = (struct bl_str){ o->image.ptr + names[i].at,
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
static enum bl_status open_tables(struct opener *o)
{
	struct bl_program *program = o->program;

	program->functions = (struct bl_function *)(uintptr_t)section(
		o, BL_IMAGE_FUNCTIONS, sizeof(*program->functions));
	program->nodes = (struct bl_program_node *)(uintptr_t)section(
		o, BL_IMAGE_NODES, sizeof(*program->nodes));
	program->filters = (struct bl_filter *)(uintptr_t)section(
		o, BL_IMAGE_FILTERS, sizeof(*program->filters));
	program->files = (struct bl_program_file *)(uintptr_t)section(
		o, BL_IMAGE_FILES, sizeof(*program->files));
	program->patterns = (struct bl_pattern *)(uintptr_t)section(
		o, BL_IMAGE_PATTERNS, sizeof(*program->patterns));
	if (!program->functions || !program->nodes || !program->filters ||
	    !program->files || !program->patterns)
		return damaged(o, "a table is not inside of it");
	program->function_count = section_count(o, BL_IMAGE_FUNCTIONS);
	program->node_count = section_count(o, BL_IMAGE_NODES);
	program->filter_count = section_count(o, BL_IMAGE_FILTERS);
	program->file_count = section_count(o, BL_IMAGE_FILES);
	program->pattern_count = section_count(o, BL_IMAGE_PATTERNS);
	return BL_OK;
}

enum bl_status bl_program_open_image(struct bl_str image,
				     struct bl_arena *arena,
				     struct bl_program *out_program,
				     struct bl_value *out_extra,
				     struct bl_error *err)
{
	struct opener o = {
		.image = image,
		.header = (const void *)image.ptr,
		.arena = arena,
		.program = out_program,
		.err = err,
	};
	enum bl_status status;
	const char *wrong;

	*out_program = (struct bl_program){ .base = image.ptr };
	if ((uintptr_t)image.ptr % BL_IMAGE_ALIGN)
		return damaged(&o, "it is not aligned");
	status = check_header(&o);
	if (!status)
		status = open_constants(&o);
	if (!status)
		status = open_builtins(&o);
	if (!status)
		status = open_tables(&o);
	if (status)
		return status;
	wrong = bl_program_verify(out_program, image.len);
	if (wrong || o.header->extra >= out_program->constant_count)
		return damaged(&o, wrong ? wrong : "its extra value");
	*out_extra = bl_program_constant(out_program, o.header->extra);
	return BL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of an image: each is looked at when something needs it. */
#include "base/utf8.h"
#include "rego/runtime/image.h"

static const struct bl_value *boxed_records(const struct bl_image *o)
{
	return bl_image_section_at(o, BL_IMAGE_BOXED, sizeof(struct bl_value));
}

enum bl_status bl_image_begin_constants(struct bl_image *o)
{
	const struct bl_value *constants =
		bl_image_section_at(o, BL_IMAGE_CONSTANTS, sizeof(*constants));
	size_t count = o->header->sections[BL_IMAGE_CONSTANTS].count;
	size_t boxed = o->header->sections[BL_IMAGE_BOXED].count;

	if (!constants || !boxed_records(o))
		return bl_fail(o->err, BL_INVALID,
			       "the image is damaged: constants");
	/* Most are not opened: clearing all of them would touch their pages. */
	o->boxed = bl_arena_alloc(o->arena, (boxed + 1) * sizeof(*o->boxed));
	o->known_boxed = bl_arena_new_array(o->arena, uint8_t, boxed / 8 + 1);
	o->known_constants =
		bl_arena_new_array(o->arena, uint8_t, count / 8 + 1);
	if (!o->boxed || !o->known_boxed || !o->known_constants)
		return bl_arena_fail(o->arena, o->err);
	o->program->boxed = o->boxed;
	o->program->constants = (struct bl_value *)(uintptr_t)constants;
	o->program->constant_count = count;
	return BL_OK;
}

static bool open_boxed(struct bl_image *o, uint64_t n, unsigned depth);

/* Is it what record_of (image_write.c) can have written?  Boxes are opened. */
static bool take_record(struct bl_image *o, struct bl_value record,
			unsigned depth)
{
	static const struct bl_value plain_number = { .kind = BL_KIND_NUMBER };

	switch (record.reserved) {
	case BL_CONSTANT_PLAIN:
		if (record.kind == BL_KIND_BOOLEAN)
			return record.len == 0 &&
			       (record.as.integer | 1) == 1 && !record.form;
		return record.kind <= BL_KIND_NUMBER && record.len == 0 &&
		       record.form == plain_number.form;
	case BL_CONSTANT_TEXT:
		return o->is_trusted ||
		       (record.kind == BL_KIND_STRING && !record.form &&
			bl_image_holds(o, (uint64_t)record.as.integer,
				       record.len) &&
			bl_utf8_is_valid((struct bl_str){
				o->bytes.ptr + record.as.integer,
				record.len }));
	case BL_CONSTANT_BOXED:
		return open_boxed(o, (uint64_t)record.as.integer, depth + 1);
	default:
		return false;
	}
}

static struct bl_value value_of(const struct bl_image *o,
				struct bl_value record)
{
	if (record.reserved == BL_CONSTANT_TEXT)
		return bl_value_string((struct bl_str){
			o->bytes.ptr + record.as.integer, record.len });
	if (record.reserved == BL_CONSTANT_BOXED)
		return o->boxed[record.as.integer];
	return record;
}

static struct bl_value *members_of(struct bl_image *o, struct bl_value record,
				   size_t count, unsigned depth)
{
	const struct bl_value *records;
	struct bl_value *members;

	if (record.as.integer % 8 ||
	    !bl_image_holds(o, (uint64_t)record.as.integer,
			    count * sizeof(*records)))
		return NULL;
	records = (const void *)(o->bytes.ptr + record.as.integer);
	members = bl_arena_new_array(o->arena, struct bl_value, count + 1);
	for (size_t i = 0; members && i < count; i++) {
		if (!take_record(o, records[i], depth))
			return NULL;
		members[i] = value_of(o, records[i]);
	}
	return members;
}

static bool open_collection(struct bl_image *o, struct bl_value record,
			    unsigned depth, struct bl_value *out_value)
{
	bool object = record.kind == BL_KIND_OBJECT;
	struct bl_value *members = members_of(
		o, record, (size_t)record.len * (object ? 2 : 1), depth);

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

static bool is_open(const struct bl_image *o, uint64_t n)
{
	return o->known_boxed[n / 8] >> n % 8 & 1;
}

static bool open_number(const struct bl_image *o, struct bl_value record,
			struct bl_value *out_value)
{
	return record.kind == BL_KIND_NUMBER &&
	       bl_image_holds(o, (uint64_t)record.as.integer, record.len) &&
	       !bl_number_from_text(
		       (struct bl_str){ o->bytes.ptr + record.as.integer,
					record.len },
		       out_value);
}

/* A constant that contains itself is nested too deep. */
static bool open_boxed(struct bl_image *o, uint64_t n, unsigned depth)
{
	const struct bl_value *records = boxed_records(o);
	struct bl_value record;
	bool opens;

	if (depth > BL_IMAGE_MAX_NESTING + 1 ||
	    n >= o->header->sections[BL_IMAGE_BOXED].count ||
	    !bl_image_holds(
		    o, (uint64_t)((const char *)&records[n] - o->bytes.ptr),
		    sizeof(record)))
		return false;
	if (is_open(o, n))
		return true;
	record = records[n];
	opens = record.kind >= BL_KIND_ARRAY && record.kind <= BL_KIND_SET
			? open_collection(o, record, depth, &o->boxed[n])
			: open_number(o, record, &o->boxed[n]);
	if (opens)
		o->known_boxed[n / 8] |= (uint8_t)(1u << n % 8);
	return opens;
}

bool bl_image_take_constant(struct bl_image *o, uint32_t n)
{
	const struct bl_program *program = o->program;
	uint8_t bit = (uint8_t)(1u << n % 8);

	if (n >= program->constant_count)
		return false;
	if (o->known_constants[n / 8] & bit)
		return true;
	if (!bl_image_holds(o, bl_program_rel(program, &program->constants[n]),
			    sizeof(*program->constants)) ||
	    !take_record(o, program->constants[n], 0))
		return false;
	o->known_constants[n / 8] |= bit;
	return true;
}

struct bl_value bl_image_boxed(struct bl_image *image, uint64_t number)
{
	return is_open(image, number) || open_boxed(image, number, 0)
		       ? image->boxed[number]
		       : bl_value_undefined();
}

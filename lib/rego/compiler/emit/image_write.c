/* SPDX-License-Identifier: Apache-2.0 */
/* A program as an image (docs/formats/image.md). */
#include "rego/compiler/emit/compile.h"
#include "rego/runtime/image.h"

struct writer {
	const struct bl_program *program;
	struct bl_buf *out;
	struct bl_image_header header;
	struct bl_value *boxed; /* records, as they are written */
	size_t boxed_count;
	size_t boxed_cap;
	struct bl_arena arena;
	bool failed;
};

/* ---- bytes ------------------------------------------------------------------ */

static void align(struct writer *w, size_t to)
{
	while (w->out->len % to)
		bl_buf_put_char(w->out, '\0');
}

/* Appends bytes at an aligned place, and says where. */
static uint64_t put(struct writer *w, const void *bytes, size_t count,
		    size_t size)
{
	uint64_t at;

	align(w, 8);
	at = w->out->len;
	if (count)
		bl_buf_put_str(w->out, (struct bl_str){ bytes, count * size });
	return at;
}

static uint64_t put_text(struct writer *w, struct bl_str text)
{
	uint64_t at = w->out->len;

	bl_buf_put_str(w->out, text);
	return at;
}

static void put_section(struct writer *w, enum bl_image_section_kind kind,
			const void *records, size_t count, size_t size)
{
	align(w, BL_IMAGE_ALIGN);
	w->header.sections[kind].at = put(w, records, count, size);
	w->header.sections[kind].count = (uint32_t)count;
}

static void *new_records(struct writer *w, size_t count, size_t size)
{
	void *records = bl_arena_zalloc(&w->arena, count + 1, size);

	w->failed |= !records;
	return records;
}

/* ---- constants -------------------------------------------------------------- */

static struct bl_value record_of(struct writer *w, struct bl_value value,
				 unsigned depth);

static uint64_t put_members(struct writer *w, struct bl_value value,
			    unsigned depth)
{
	bool object = bl_value_is(value, BL_KIND_OBJECT);
	size_t count = bl_value_count(value) * (object ? 2 : 1);
	struct bl_value *records =
		new_records(w, count, sizeof(struct bl_value));

	for (size_t i = 0; records && i < count; i++) {
		struct bl_value member = !object ? bl_value_item(value, i)
					 : i % 2 ? bl_object_value(value, i / 2)
						 : bl_object_key(value, i / 2);

		records[i] = record_of(w, member, depth + 1);
	}
	return records ? put(w, records, count, sizeof(*records)) : 0;
}

static struct bl_value number_record(struct writer *w, struct bl_value number)
{
	struct bl_value record = { .kind = BL_KIND_NUMBER };
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_number_put(&text, number);
	record.len = (uint32_t)text.len;
	record.as.integer = (int64_t)put_text(w, bl_buf_str(&text));
	bl_buf_clear(&text);
	return record;
}

/* Puts a record among the boxed ones; the constant that stands for it. */
static struct bl_value box(struct writer *w, struct bl_value record)
{
	void *room;

	room = bl_arena_room(&w->arena, w->boxed, w->boxed_count, &w->boxed_cap,
			     sizeof(*w->boxed));
	if (!room) {
		w->failed = true;
		return record;
	}
	w->boxed = room;
	w->boxed[w->boxed_count] = record;
	record = (struct bl_value){ .kind = record.kind,
				    .reserved = BL_CONSTANT_BOXED };
	record.as.integer = (int64_t)w->boxed_count++;
	return record;
}

/* A value as it stands in an image: nothing in it is an address. */
static struct bl_value record_of(struct writer *w, struct bl_value value,
				 unsigned depth)
{
	struct bl_value record = { .kind = value.kind, .len = value.len };
	int64_t integer;

	if (depth > BL_IMAGE_MAX_NESTING) {
		w->failed = true;
		return record;
	}
	switch (bl_value_kind(value)) {
	case BL_KIND_UNDEFINED:
	case BL_KIND_NULL:
	case BL_KIND_COUNT:
		return record;
	case BL_KIND_BOOLEAN:
		return bl_value_boolean(bl_value_is_true(value));
	case BL_KIND_NUMBER:
		if (bl_number_is_plain(value, &integer))
			return bl_value_integer(integer);
		return box(w, number_record(w, value));
	case BL_KIND_STRING:
		record.reserved = BL_CONSTANT_TEXT;
		record.as.integer = (int64_t)put_text(w, bl_value_text(value));
		return record;
	case BL_KIND_ARRAY:
	case BL_KIND_OBJECT:
	case BL_KIND_SET:
		record.as.integer = (int64_t)put_members(w, value, depth);
		return box(w, record);
	}
	return record;
}

static void put_constants(struct writer *w, struct bl_value extra)
{
	size_t count = w->program->constant_count;
	struct bl_value *records =
		new_records(w, count + 1, sizeof(struct bl_value));

	for (size_t i = 0; records && i < count; i++)
		records[i] = record_of(
			w, bl_program_constant(w->program, (uint32_t)i), 0);
	if (!records)
		return;
	records[count] = record_of(w, extra, 0);
	w->header.extra = (uint32_t)count;
	put_section(w, BL_IMAGE_CONSTANTS, records, count + 1,
		    sizeof(*records));
	put_section(w, BL_IMAGE_BOXED, w->boxed, w->boxed_count,
		    sizeof(*w->boxed));
}

/* ---- the other tables --------------------------------------------------------- */

static void put_functions(struct writer *w)
{
	const struct bl_program *program = w->program;
	size_t count = program->function_count;
	struct bl_function *records =
		new_records(w, count, sizeof(struct bl_function));

	for (size_t i = 0; records && i < count; i++) {
		const struct bl_function *from = &program->functions[i];

		records[i] = *from;
		records[i].code = put(w, bl_function_code(program, from),
				      from->code_count, sizeof(struct bl_insn));
	}
	/* Apart from the code: they are only read for messages. */
	for (size_t i = 0; records && i < count; i++)
		records[i].places = put(
			w, bl_program_at(program, program->functions[i].places),
			records[i].code_count, sizeof(struct bl_insn_place));
	put_section(w, BL_IMAGE_FUNCTIONS, records, count, sizeof(*records));
}

static uint64_t put_words(struct writer *w, bl_rel words, size_t count)
{
	return put(w, bl_program_at(w->program, words), count,
		   sizeof(uint32_t));
}

static uint64_t put_slots(struct writer *w, bl_rel slots, uint32_t mask)
{
	return mask ? put_words(w, slots, (size_t)mask + 1) : 0;
}

static void put_rule_indexes(struct writer *w)
{
	const struct bl_program *program = w->program;
	size_t count = program->rule_index_count;
	struct bl_rule_index *records =
		new_records(w, count, sizeof(struct bl_rule_index));

	for (size_t i = 0; records && i < count; i++) {
		const struct bl_rule_index *from = &program->rule_indexes[i];

		records[i] = *from;
		records[i].entries = put(
			w, bl_program_at(program, from->entries),
			from->entry_count, sizeof(struct bl_rule_index_entry));
		records[i].rules = put_words(w, from->rules, from->rules_count);
		records[i].targets =
			put_words(w, from->targets, from->target_count);
		records[i].equal_slots =
			put_slots(w, from->equal_slots, from->equal_mask);
		records[i].gram_slots =
			put_slots(w, from->gram_slots, from->gram_mask);
	}
	put_section(w, BL_IMAGE_RULE_INDEXES, records, count, sizeof(*records));
}

static void put_files(struct writer *w)
{
	const struct bl_program *program = w->program;
	size_t count = program->file_count;
	struct bl_program_file *records =
		new_records(w, count, sizeof(struct bl_program_file));

	for (size_t i = 0; records && i < count; i++) {
		const struct bl_program_file *from = &program->files[i];

		records[i] = *from;
		records[i].name =
			put_text(w, bl_program_file_name(program, (uint32_t)i));
		records[i].lines = put_words(w, from->lines, from->line_count);
	}
	put_section(w, BL_IMAGE_FILES, records, count, sizeof(*records));
}

static void put_builtins(struct writer *w)
{
	size_t count = w->program->builtin_count;
	struct bl_image_text *records =
		new_records(w, count, sizeof(struct bl_image_text));

	for (size_t i = 0; records && i < count; i++) {
		struct bl_str name = bl_str(w->program->builtins[i].row->name);

		records[i].len = name.len;
		records[i].at = put_text(w, name);
	}
	put_section(w, BL_IMAGE_BUILTINS, records, count, sizeof(*records));
}

static void put_patterns(struct writer *w)
{
	const struct bl_program *program = w->program;
	size_t count = program->pattern_count;
	struct bl_pattern *records =
		new_records(w, count, sizeof(struct bl_pattern));

	for (size_t i = 0; records && i < count; i++) {
		const struct bl_pattern *from = &program->patterns[i];
		const struct bl_regex *regex =
			bl_program_at(program, from->regex);

		records[i] = *from;
		records[i].regex = put(w, regex, 1, bl_regex_bytes(regex));
	}
	put_section(w, BL_IMAGE_PATTERNS, records, count, sizeof(*records));
}

/* Builtins that an image cannot name: not ours, or other than the tables say. */
static const struct bl_builtin *find_foreign(const struct bl_program *program)
{
	for (size_t i = 0; i < program->builtin_count; i++) {
		const struct bl_builtin *row = program->builtins[i].row;

		if (row->flags & BL_BUILTIN_FOREIGN ||
		    (program->features &&
		     !strncmp(row->name, "graphql.", strlen("graphql."))))
			return row;
	}
	return NULL;
}

void bl_image_seal(char *image, size_t len)
{
	struct bl_image_header *header = (void *)image;
	struct bl_seal seal;

	if (bl_image_seal_of(header, len, &seal)) {
		bl_seal_make(&seal, (void *)(image + header->sums_at));
		header->sums_checksum = bl_image_sums_checksum(&seal);
	}
	header->checksum = bl_image_header_checksum(header);
}

enum bl_status bl_program_write_image(const struct bl_program *program,
				      struct bl_value extra, struct bl_buf *out,
				      struct bl_error *err)
{
	const struct bl_builtin *foreign;
	struct writer w = { .program = program, .out = out };

	if (program->is_observed || program->has_print)
		return bl_fail(err, BL_UNSUPPORTED,
			       "policies that are observed have no image");
	foreign = find_foreign(program);
	if (foreign)
		return bl_fail(err, BL_UNSUPPORTED,
			       "policies that call %s have no image",
			       foreign->name);
	bl_arena_init(&w.arena, NULL, 0, 0);
	memcpy(w.header.magic, BL_IMAGE_MAGIC, sizeof(w.header.magic));
	w.header.version = BL_REGO_IMAGE_VERSION;
	w.header.order = BL_IMAGE_ORDER;
	w.header.opcodes = BL_OP_COUNT;
	w.header.record = bl_image_record();
	put(&w, &w.header, 1, sizeof(w.header));
	put_constants(&w, extra);
	put_functions(&w);
	put_section(&w, BL_IMAGE_NODES, program->nodes, program->node_count,
		    sizeof(*program->nodes));
	put_rule_indexes(&w);
	put_files(&w);
	put_builtins(&w);
	put_patterns(&w);
	align(&w, BL_IMAGE_ALIGN);
	bl_arena_clear(&w.arena);
	w.header.sums_at = out->len;
	for (size_t i = bl_seal_count(sizeof(w.header), out->len); i; i--)
		bl_buf_put(out, &(uint64_t){ 0 }, sizeof(uint64_t));
	if (w.failed || bl_buf_status(out))
		return bl_fail(err, BL_LIMIT,
			       "the image of the policies would be too large");
	w.header.bytes = out->len;
	memcpy(out->ptr, &w.header, sizeof(w.header));
	bl_image_seal(out->ptr, out->len);
	return BL_OK;
}

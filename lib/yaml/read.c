/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libyaml's events to values: nesting, anchors, repeated keys, limits. The
 * meaning of a plain scalar is resolve.c's matter, which knows nothing of libyaml.
 */
#include <yaml.h>

#include "yaml/yaml.h"

enum {
	MAX_DEPTH = 500,
	MAX_ANCHORS = 10000,
	MAX_NODES = 1000000, /* with those of aliases */
};

struct anchor {
	struct bl_str name;
	struct bl_value value;
	size_t nodes;
};

/* Keys and values that are texts, by where their bytes are in the arena. */
struct place {
	const char *text;
	struct bl_place place;
};

struct bl_yaml_places {
	struct place *items;
	size_t count;
	size_t cap;
};

struct reader {
	struct bl_arena *arena;
	struct bl_error *err;
	enum bl_status status;
	uint32_t line; /* of the failure */
	struct bl_yaml_places *places;
	yaml_parser_t parser;
	yaml_event_t event;
	bool has_event;
	bool has_times; /* dates and times are written by RFC 3339 */
	struct anchor *anchors;
	size_t anchor_count;
	size_t nodes;
	uint32_t depth;
};

static bool read_node(struct reader *r, struct bl_value *out);

/* ---- failures ----------------------------------------------------------- */

/* At a line, 0 for none.  Always false, as all of these. */
static bool fail_at(struct reader *r, size_t line, const char *problem)
{
	r->line = (uint32_t)line;
	r->status = line ? bl_fail(r->err, BL_SYNTAX, "yaml: line %zu: %s",
				   line, problem)
			 : bl_fail(r->err, BL_SYNTAX, "yaml: %s", problem);
	return false;
}

/* At the event at hand. */
static bool fail(struct reader *r, const char *problem)
{
	return fail_at(r, r->event.start_mark.line + 1, problem);
}

static bool fail_limit(struct reader *r, const char *problem)
{
	fail(r, problem);
	r->status = BL_LIMIT;
	if (r->err)
		r->err->status = BL_LIMIT;
	return false;
}

static bool fail_memory(struct reader *r)
{
	r->status = bl_arena_status(r->arena) ? bl_arena_fail(r->arena, r->err)
					      : bl_fail_memory(r->err);
	return false;
}

/* ---- events ------------------------------------------------------------- */

/* The error of libyaml, at the line that go-yaml would name. */
static bool parser_fault(struct reader *r)
{
	const yaml_parser_t *parser = &r->parser;
	const char *problem = parser->problem ? parser->problem
					      : "unknown problem parsing YAML "
						"content";
	size_t line = parser->problem_mark.line +
		      (parser->error == YAML_SCANNER_ERROR);

	if (!line)
		line = parser->context_mark.line;
	return fail_at(r, line, problem);
}

/* Reads the next event. */
static bool next(struct reader *r)
{
	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = yaml_parser_parse(&r->parser, &r->event) != 0;
	if (r->has_event)
		return true;
	if (r->parser.error == YAML_MEMORY_ERROR)
		return fail_memory(r);
	return parser_fault(r);
}

static bool count(struct reader *r, size_t nodes)
{
	r->nodes += nodes;
	if (r->nodes <= MAX_NODES)
		return true;
	fail_at(r, 0, "document contains excessive aliasing");
	r->status = BL_LIMIT;
	return false;
}

/* ---- anchors ------------------------------------------------------------ */

static bool add_anchor(struct reader *r, struct bl_str name,
		       struct bl_value value, size_t nodes)
{
	if (!name.len)
		return true;
	if (!r->anchors)
		r->anchors = bl_arena_new_array(r->arena, struct anchor,
						MAX_ANCHORS);
	if (!r->anchors)
		return fail_memory(r);
	if (r->anchor_count == MAX_ANCHORS)
		return fail_limit(r, "too many anchors");
	r->anchors[r->anchor_count++] = (struct anchor){ name, value, nodes };
	return true;
}

static bool read_alias(struct reader *r, struct bl_value *out)
{
	struct bl_str name = bl_str((const char *)r->event.data.alias.anchor);

	for (size_t i = r->anchor_count; i-- > 0;) {
		if (!bl_str_equal(r->anchors[i].name, name))
			continue;
		*out = r->anchors[i].value;
		return count(r, r->anchors[i].nodes);
	}
	r->line = (uint32_t)r->event.start_mark.line + 1;
	r->status = bl_fail(r->err, BL_SYNTAX,
			    "yaml: unknown anchor '%.*s' referenced",
			    BL_STR_ARG(name));
	return false;
}

/* The anchor of the event at hand, in the arena; "": none. */
static struct bl_str anchor_name(struct reader *r, const yaml_char_t *name)
{
	if (!name)
		return BL_STR("");
	return bl_arena_copy_str(r->arena, bl_str((const char *)name));
}

/* ---- nodes -------------------------------------------------------------- */

/* Remembers where the text of the event at hand stands. */
static bool note_place(struct reader *r, const char *text)
{
	struct bl_yaml_places *places = r->places;

	if (!places)
		return true;
	places->items = bl_arena_room(r->arena, places->items, places->count,
				      &places->cap, sizeof(*places->items));
	if (!places->items)
		return fail_memory(r);
	places->items[places->count++] = (struct place){
		.text = text,
		.place = { .line = (uint32_t)r->event.start_mark.line + 1,
			   .column = (uint32_t)r->event.start_mark.column + 1,
			   .offset = r->event.start_mark.index },
	};
	return true;
}

static bool read_scalar(struct reader *r, struct bl_value *out)
{
	const yaml_char_t *tag = r->event.data.scalar.tag;
	struct bl_str text = bl_arena_copy_str(
		r->arena,
		(struct bl_str){ (const char *)r->event.data.scalar.value,
				 r->event.data.scalar.length });
	struct bl_str time;

	if (!text.ptr)
		return fail_memory(r);
	if (!note_place(r, text.ptr))
		return false;
	*out = bl_value_string(text);
	if (!tag && r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
		if (!r->has_times || !bl_yaml_timestamp(r->arena, text, &time))
			*out = bl_yaml_resolve(r->arena, text);
		else if (time.ptr)
			*out = bl_value_string(time);
		else
			return fail_memory(r);
	}
	if (bl_value_is_defined(*out))
		return true;
	r->line = (uint32_t)r->event.start_mark.line + 1;
	r->status = bl_fail(r->err, BL_SYNTAX, "json: unsupported value: %.*s",
			    BL_STR_ARG(text));
	return false;
}

static bool read_sequence(struct reader *r, struct bl_value *out)
{
	struct bl_array_builder items;

	bl_array_builder_init(&items, r->arena);
	while (next(r)) {
		struct bl_value item = bl_value_undefined();

		if (r->event.type == YAML_SEQUENCE_END_EVENT) {
			*out = bl_array_builder_end(&items);
			return bl_value_is_defined(*out) || fail_memory(r);
		}
		if (!read_node(r, &item))
			return false;
		bl_array_builder_add(&items, item);
	}
	return false;
}

/* A key as JSON has it: text. */
static bool key_text(struct reader *r, struct bl_value key, struct bl_str *out)
{
	struct bl_buf text;

	*out = bl_value_text(key);
	if (bl_value_is(key, BL_KIND_STRING))
		return true;
	if (!bl_value_is(key, BL_KIND_BOOLEAN) &&
	    !bl_value_is(key, BL_KIND_NUMBER))
		return fail(r, "a key must be a string, number or boolean");
	bl_buf_init(&text, 0);
	if (bl_value_is(key, BL_KIND_NUMBER))
		bl_number_put(&text, key);
	else
		bl_buf_puts(&text, bl_value_is_true(key) ? "true" : "false");
	*out = bl_arena_copy_str(r->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return out->ptr || fail_memory(r);
}

/* "<<": members that are not there yet. */
static bool merge(struct reader *r, struct bl_value from,
		  struct bl_object_builder *out)
{
	if (bl_value_is(from, BL_KIND_ARRAY)) {
		for (size_t i = bl_value_count(from); i-- > 0;) {
			struct bl_value one = bl_value_item(from, i);

			if (!bl_value_is(one, BL_KIND_OBJECT))
				return fail(r, "map merge requires map or "
					       "sequence of maps as the value");
			if (!merge(r, one, out))
				return false;
		}
		return true;
	}
	if (!bl_value_is(from, BL_KIND_OBJECT))
		return fail(r, "map merge requires map or sequence of maps as "
			       "the value");
	for (size_t i = 0; i < bl_value_count(from); i++)
		bl_object_builder_add(out,
				      bl_value_text(bl_object_key(from, i)),
				      bl_object_value(from, i));
	return true;
}

/* Merged members go first, so that the mapping's own members count. */
static struct bl_value joined(struct bl_object_builder *first,
			      const struct bl_object_builder *then)
{
	for (size_t i = 0; i < then->count; i++)
		bl_object_builder_add(first,
				      bl_value_text(then->members[i].key),
				      then->members[i].value);
	first->failed |= then->failed;
	return bl_object_builder_end(first);
}

static bool read_mapping(struct reader *r, struct bl_value *out)
{
	struct bl_object_builder merged;
	struct bl_object_builder own;

	bl_object_builder_init(&merged, r->arena);
	bl_object_builder_init(&own, r->arena);
	while (next(r)) {
		struct bl_value key = bl_value_undefined();
		struct bl_value value = bl_value_undefined();
		struct bl_str name;
		bool is_plain =
			r->event.type == YAML_SCALAR_EVENT &&
			r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

		if (r->event.type == YAML_MAPPING_END_EVENT) {
			*out = joined(&merged, &own);
			return bl_value_is_defined(*out) || fail_memory(r);
		}
		if (!read_node(r, &key) || !key_text(r, key, &name) ||
		    !next(r) || !read_node(r, &value))
			return false;
		if (!is_plain || !bl_str_is(name, "<<"))
			bl_object_builder_add(&own, name, value);
		else if (!merge(r, value, &merged))
			return false;
	}
	return false;
}

static bool read_by_event(struct reader *r, struct bl_value *out,
			  struct bl_str *out_anchor)
{
	if (r->event.type == YAML_SCALAR_EVENT) {
		*out_anchor = anchor_name(r, r->event.data.scalar.anchor);
		return read_scalar(r, out);
	}
	if (r->event.type == YAML_SEQUENCE_START_EVENT) {
		*out_anchor =
			anchor_name(r, r->event.data.sequence_start.anchor);
		return read_sequence(r, out);
	}
	if (r->event.type == YAML_MAPPING_START_EVENT) {
		*out_anchor =
			anchor_name(r, r->event.data.mapping_start.anchor);
		return read_mapping(r, out);
	}
	return fail(r, "unexpected event");
}

/* The node whose first event is at hand. */
static bool read_node(struct reader *r, struct bl_value *out)
{
	size_t before = r->nodes;
	struct bl_str anchor = BL_STR("");
	bool ok;

	if (r->event.type == YAML_ALIAS_EVENT)
		return read_alias(r, out);
	if (r->depth >= MAX_DEPTH)
		return fail_limit(r, "exceeded max depth");
	r->depth++;
	ok = count(r, 1) && read_by_event(r, out, &anchor) &&
	     add_anchor(r, anchor, *out, r->nodes - before);
	r->depth--;
	return ok;
}

/* The first document, null when absent; all must be right. */
static bool read_documents(struct reader *r, struct bl_value *out)
{
	struct bl_value *into = out;
	struct bl_value other;

	*out = bl_value_null();
	while (next(r)) {
		if (r->event.type == YAML_STREAM_END_EVENT)
			return true;
		if (r->event.type != YAML_DOCUMENT_START_EVENT)
			continue;
		if (!next(r) || !read_node(r, into) || !next(r))
			return false;
		into = &other;
	}
	return false;
}

static enum bl_status read_text(struct reader *r, struct bl_str text,
				struct bl_value *out_value)
{
	struct bl_value value;

	if (!yaml_parser_initialize(&r->parser))
		return r->status = bl_fail_memory(r->err);
	yaml_parser_set_input_string(
		&r->parser, (const unsigned char *)(text.len ? text.ptr : ""),
		text.len);
	if (read_documents(r, &value))
		*out_value = value;
	if (r->has_event)
		yaml_event_delete(&r->event);
	yaml_parser_delete(&r->parser);
	return r->status;
}

enum bl_status bl_yaml_read_with_times(struct bl_arena *arena,
				       struct bl_str text,
				       struct bl_value *out_value,
				       struct bl_error *err)
{
	struct reader r = { .arena = arena, .err = err, .has_times = true };

	return read_text(&r, text, out_value);
}

enum bl_status bl_yaml_read(struct bl_arena *arena, struct bl_str text,
			    struct bl_value *out_value, uint32_t *out_line,
			    const struct bl_yaml_places **out_places,
			    struct bl_error *err)
{
	struct reader r = { .arena = arena, .err = err };
	enum bl_status status;

	if (out_places) {
		r.places = bl_arena_new(arena, struct bl_yaml_places);
		if (!r.places)
			return bl_arena_fail(arena, err);
		*out_places = r.places;
	}
	status = read_text(&r, text, out_value);
	if (out_line)
		*out_line = r.line;
	return status;
}

struct bl_place bl_yaml_place(const struct bl_yaml_places *places,
			      struct bl_value text)
{
	for (size_t i = 0; i < places->count; i++) {
		if (places->items[i].text == bl_value_text(text).ptr)
			return places->items[i].place;
	}
	return (struct bl_place){ 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.unmarshal and yaml.is_valid: libyaml's events to values. */
#include <yaml.h>

#include "rego/builtins/yaml.h"

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

struct reader {
	struct bl_builtin_call *call;
	yaml_parser_t parser;
	yaml_event_t event;
	bool has_event;
	struct anchor *anchors;
	size_t anchor_count;
	size_t nodes;
	uint32_t depth;
};

static bool read_node(struct reader *r, struct bl_value *out);

/* ---- events ------------------------------------------------------------- */

/* At the event at hand. */
static bool fail(struct reader *r, const char *problem)
{
	return bl_builtin_fault(r->call, BL_FAULT_BUILTIN, "yaml: line %zu: %s",
				r->event.start_mark.line + 1, problem);
}

/* What libyaml found, at the line that go-yaml would name. */
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
	if (!line)
		return bl_builtin_fault(r->call, BL_FAULT_BUILTIN, "yaml: %s",
					problem);
	return bl_builtin_fault(r->call, BL_FAULT_BUILTIN, "yaml: line %zu: %s",
				line, problem);
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
		return bl_builtin_memory_fault(r->call);
	return parser_fault(r);
}

static bool count(struct reader *r, size_t nodes)
{
	r->nodes += nodes;
	if (r->nodes <= MAX_NODES)
		return true;
	return bl_builtin_fault(r->call, BL_FAULT_BUILTIN,
				"yaml: document contains excessive aliasing");
}

/* ---- anchors ------------------------------------------------------------ */

static bool add_anchor(struct reader *r, struct bl_str name,
		       struct bl_value value, size_t nodes)
{
	if (!name.len)
		return true;
	if (!r->anchors)
		r->anchors = bl_arena_new_array(r->call->arena, struct anchor,
						MAX_ANCHORS);
	if (!r->anchors)
		return bl_builtin_memory_fault(r->call);
	if (r->anchor_count == MAX_ANCHORS)
		return fail(r, "too many anchors");
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
	return bl_builtin_fault(r->call, BL_FAULT_BUILTIN,
				"yaml: unknown anchor '%.*s' referenced",
				BL_STR_ARG(name));
}

/* The anchor of the event at hand, in the arena; "": none. */
static struct bl_str anchor_name(struct reader *r, const yaml_char_t *name)
{
	if (!name)
		return BL_STR("");
	return bl_arena_copy_str(r->call->arena, bl_str((const char *)name));
}

/* ---- nodes -------------------------------------------------------------- */

static bool read_scalar(struct reader *r, struct bl_value *out)
{
	const yaml_char_t *tag = r->event.data.scalar.tag;
	struct bl_str text = bl_arena_copy_str(
		r->call->arena,
		(struct bl_str){ (const char *)r->event.data.scalar.value,
				 r->event.data.scalar.length });

	if (!text.ptr)
		return bl_builtin_memory_fault(r->call);
	*out = bl_value_string(text);
	if (!tag && r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		*out = bl_yaml_resolve(r->call->arena, text);
	if (bl_value_is_defined(*out))
		return true;
	return bl_builtin_fault(r->call, BL_FAULT_BUILTIN,
				"json: unsupported value: %.*s",
				BL_STR_ARG(text));
}

static bool read_sequence(struct reader *r, struct bl_value *out)
{
	struct bl_array_builder items;

	bl_array_builder_init(&items, r->call->arena);
	while (next(r)) {
		struct bl_value item;

		if (r->event.type == YAML_SEQUENCE_END_EVENT) {
			*out = bl_array_builder_end(&items);
			return bl_value_is_defined(*out) ||
			       bl_builtin_memory_fault(r->call);
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
	bl_text_form_put(&text, key);
	*out = bl_arena_copy_str(r->call->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return out->ptr || bl_builtin_memory_fault(r->call);
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

/* What was merged goes first, so that the mapping's own members count. */
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

	bl_object_builder_init(&merged, r->call->arena);
	bl_object_builder_init(&own, r->call->arena);
	while (next(r)) {
		struct bl_value key;
		struct bl_value value;
		struct bl_str name;
		bool is_plain =
			r->event.type == YAML_SCALAR_EVENT &&
			r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

		if (r->event.type == YAML_MAPPING_END_EVENT) {
			*out = joined(&merged, &own);
			return bl_value_is_defined(*out) ||
			       bl_builtin_memory_fault(r->call);
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
		return fail(r, "exceeded max depth");
	r->depth++;
	ok = count(r, 1) && read_by_event(r, out, &anchor) &&
	     add_anchor(r, anchor, *out, r->nodes - before);
	r->depth--;
	return ok;
}

/* The first document, null when there is none; all must be right. */
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

static bool read_yaml(struct bl_builtin_call *call, struct bl_value *out)
{
	struct bl_str text = bl_builtin_text(call, 0);
	struct reader r = { .call = call };
	bool ok;

	call->fault = BL_FAULT_NONE;
	if (!yaml_parser_initialize(&r.parser))
		return bl_builtin_memory_fault(call);
	yaml_parser_set_input_string(
		&r.parser, (const unsigned char *)(text.len ? text.ptr : ""),
		text.len);
	ok = read_documents(&r, out);
	if (r.has_event)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	return ok;
}

bool bl_fn_yaml_unmarshal(struct bl_builtin_call *call)
{
	struct bl_value value;

	return read_yaml(call, &value) && bl_builtin_return(call, value);
}

bool bl_fn_yaml_is_valid(struct bl_builtin_call *call)
{
	struct bl_value value;
	bool ok = bl_value_is(call->args[0], BL_KIND_STRING) &&
		  read_yaml(call, &value);

	call->fault = BL_FAULT_NONE;
	return bl_builtin_return_boolean(call, ok);
}

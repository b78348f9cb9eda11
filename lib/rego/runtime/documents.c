/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates documents of rules of an opened image, without a query.  This
 * and all that it needs is in the static program too (static_sources of
 * rego/meson.build), so nothing here may ask the compiler.
 */
#include "rego/runtime/private.h"

/* ---- evaluating ----------------------------------------------------------- */

enum bl_status bl_rego_begin(struct bl_vm *vm, const struct bl_program *program,
			     const struct bl_rego_options *options,
			     struct bl_arena *arena, struct bl_error *err)
{
	struct bl_value empty = bl_object_make(arena, NULL, 0, NULL);
	enum bl_status status = bl_vm_init(
		vm, program, arena, options->input,
		bl_value_is_defined(options->data) ? options->data : empty,
		err);

	if (status)
		return status;
	vm->strict_builtin_errors = options->strict_builtin_errors;
	vm->observer = options->observer;
	vm->state.quiet =
		!options->strict_builtin_errors && !bl_vm_hears_errors(vm);
	vm->state.host = options->host;
	vm->state.features = program->features;
	vm->state.is_over = options->is_over;
	vm->state.is_over_context = options->is_over_context;
	vm->state.runtime = empty;
	if (options->garbage_bytes)
		vm->garbage_bytes = options->garbage_bytes;
	vm->limits.steps =
		options->max_steps ? options->max_steps : BL_REGO_MAX_STEPS;
	return BL_OK;
}

void bl_rego_note_fault(const struct bl_vm *vm, struct bl_rego_result *result)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_vm_put_fault(vm, &text);
	result->fault_code = bl_rego_fault_code(vm->fault);
	result->fault = bl_arena_copy_str(vm->arena, bl_buf_str(&text));
	if (!result->fault.ptr)
		result->fault = vm->fault_message;
	result->fault_text = vm->fault_message;
	result->fault_file =
		bl_program_file_name(vm->program, vm->fault_place.module);
	result->fault_line = bl_program_line(vm->program, vm->fault_place);
	result->fault_column = bl_program_column(vm->program, vm->fault_place);
	bl_buf_clear(&text);
}

bool bl_rego_is_path(struct bl_str text)
{
	bool begins = true;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool letter = (c >= 'a' && c <= 'z') ||
			      (c >= 'A' && c <= 'Z') || c == '_';

		if (c == '.' ? begins
			     : !letter && (begins || c < '0' || c > '9'))
			return false;
		begins = c == '.';
	}
	return !begins;
}

uint32_t bl_rego_find(const struct bl_rego_policies *policies,
		      struct bl_str path)
{
	const struct bl_program *program = &policies->program;
	uint32_t node = 0;

	while (path.len && node != BL_NO_NODE) {
		size_t len = 0;
		struct bl_str part = path;

		while (len < path.len && path.ptr[len] != '.')
			len++;
		part.len = len;
		path.ptr += len + (len < path.len);
		path.len -= len + (len < path.len);
		node = bl_program_child(program, node, bl_value_string(part));
	}
	return node;
}

bool bl_rego_is_function(const struct bl_rego_policies *policies,
			 uint32_t document)
{
	return policies->program.nodes[document].kind == BL_RULE_FUNCTION;
}

enum bl_status
bl_rego_document(const struct bl_rego_policies *policies, uint32_t document,
		 const struct bl_rego_options *options, struct bl_arena *arena,
		 struct bl_rego_result *out_result, struct bl_error *err)
{
	const uint8_t *known = policies->program.known_trees;
	struct bl_vm vm;
	enum bl_status status =
		bl_rego_begin(&vm, &policies->program, options, arena, err);

	*out_result = (struct bl_rego_result){ 0 };
	if (status)
		return status;
	if (known && (document >= policies->program.node_count ||
		      !(known[document / 8] >> document % 8 & 1)))
		return bl_fail(err, BL_INVALID,
			       "the image was not opened for this document");
	if (!bl_vm_data(&vm, document, NULL, 0, &out_result->document))
		bl_rego_note_fault(&vm, out_result);
	return BL_OK;
}

/* ---- looking --------------------------------------------------------------- */

/* "data.a.b" of a node as bl_rego_find reads it: names, whatever is in them. */
static struct bl_str plain_path(const struct bl_program *program,
				struct bl_arena *arena, uint32_t node)
{
	struct bl_str above;
	struct bl_str name;

	if (program->nodes[node].parent == BL_NO_NODE)
		return BL_STR("data");
	above = plain_path(program, arena, program->nodes[node].parent);
	name = bl_value_text(
		bl_program_constant(program, program->nodes[node].key));
	if (!above.ptr)
		return above;
	return bl_arena_printf(arena, "%.*s.%.*s", BL_STR_ARG(above),
			       BL_STR_ARG(name));
}

void bl_rego_each_rule(const struct bl_rego_policies *policies,
		       struct bl_str prefix, struct bl_arena *arena,
		       void (*visit)(void *context, struct bl_str path,
				     struct bl_str file, uint32_t line),
		       void *context)
{
	const struct bl_program *program = &policies->program;

	for (uint32_t i = 1; i < program->node_count; i++) {
		const struct bl_program_node *node = &program->nodes[i];
		struct bl_value key = bl_program_constant(program, node->key);

		if (node->place.module >= program->file_count ||
		    !bl_str_has_prefix(bl_value_text(key), prefix))
			continue;
		visit(context, plain_path(program, arena, i),
		      bl_program_file_name(program, node->place.module),
		      bl_program_line(program, node->place));
	}
}

void bl_rego_each_mark(const struct bl_rego_policies *policies,
		       void (*visit)(void *context, uint32_t number,
				     const struct bl_rego_mark *mark),
		       void *context)
{
	for (uint32_t i = 0; i < policies->program.mark_count; i++)
		visit(context, i, &policies->program.marks[i].shown);
}

void bl_rego_each_file(const struct bl_rego_policies *policies,
		       void (*visit)(void *context, struct bl_str file),
		       void *context)
{
	for (uint32_t i = 0; i < policies->program.file_count; i++)
		visit(context, bl_program_file_name(&policies->program, i));
}

/* ---- images ---------------------------------------------------------------- */

enum bl_status
bl_rego_image_open_part(const struct bl_rego_image_part *part,
			struct bl_arena *arena,
			const struct bl_rego_policies **out_policies,
			struct bl_value *out_extra, struct bl_error *err)
{
	struct bl_rego_policies *policies =
		bl_arena_new(arena, struct bl_rego_policies);
	enum bl_status status;

	if (!policies)
		return bl_arena_fail(arena, err);
	status = bl_program_open_image(part, arena, &policies->program,
				       out_extra, err);
	if (!status)
		*out_policies = policies;
	return status;
}

enum bl_status bl_rego_image_open(struct bl_str image, struct bl_arena *arena,
				  const struct bl_rego_policies **out_policies,
				  struct bl_value *out_extra,
				  struct bl_error *err)
{
	const struct bl_rego_image_part whole = { .image = image };

	return bl_rego_image_open_part(&whole, arena, out_policies, out_extra,
				       err);
}

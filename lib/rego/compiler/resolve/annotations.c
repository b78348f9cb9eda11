/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of rules and packages (docs/contracts/rego.md "Metadata"). */
#include "rego/compiler/resolve/analysis.h"
#include "rego/compiler/parse/print.h"
#include "yaml/yaml.h"

/* A block of comments that begins with "# METADATA". */
struct block {
	size_t first; /* of its comments, behind the first line */
	size_t last;  /* one behind */
	uint32_t to;  /* where it ends in the text */
};

static struct bl_str comment_text(const struct bl_rego_module *module, size_t i)
{
	const struct bl_rego_comment *comment = &module->comments[i];

	return bl_str_slice(module->text, comment->from + 1, comment->to);
}

static uint32_t line_of(const struct bl_rego_module *module, size_t i)
{
	return bl_place_at(module->text, module->comments[i].from).line;
}

static bool begins_line(const struct bl_rego_module *module, size_t i)
{
	uint32_t from = module->comments[i].from;

	return !from || module->text.ptr[from - 1] == '\n';
}

/* At the beginning of a line; anything may follow the word, as in OPA. */
static bool begins_block(const struct bl_rego_module *module, size_t i)
{
	return begins_line(module, i) &&
	       bl_str_has_prefix(bl_str_trim(comment_text(module, i)),
				 BL_STR("METADATA"));
}

/* Is comment i on the line behind that of the one before? */
static bool is_on_next_line(const struct bl_rego_module *module, size_t i)
{
	struct bl_str between =
		bl_str_slice(module->text, module->comments[i - 1].from,
			     module->comments[i].from);
	size_t end = bl_str_find(between, BL_STR("\n"), 0);

	return end != SIZE_MAX &&
	       bl_str_find(between, BL_STR("\n"), end + 1) == SIZE_MAX;
}

/* The block that begins at comment i; false when none does. */
static bool find_block(const struct bl_rego_module *module, size_t i,
		       struct block *out_block)
{
	size_t end = i + 1;

	if (!begins_block(module, i))
		return false;
	/* Not one behind the rule: x := 1 # why */
	while (end < module->comment_count && is_on_next_line(module, end) &&
	       begins_line(module, end) && !begins_block(module, end))
		end++;
	*out_block = (struct block){ i + 1, end, module->comments[end - 1].to };
	return true;
}

/* The text of a block, without the marks of the comments; ptr NULL: memory. */
static struct bl_str block_text(struct bl_arena *arena,
				const struct bl_rego_module *module,
				const struct block *block)
{
	struct bl_buf text;
	struct bl_str copy = { NULL, 0 };

	bl_buf_init(&text, 0);
	for (size_t i = block->first; i < block->last; i++) {
		struct bl_str line = comment_text(module, i);

		if (bl_str_has_prefix(line, BL_STR(" ")))
			line = bl_str_slice(line, 1, line.len);
		bl_buf_put_str(&text, line);
		bl_buf_put_char(&text, '\n');
	}
	if (!bl_buf_status(&text))
		copy = bl_arena_copy_str(arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

/*
 * Reads the YAML of a block.  Anything may stand below "custom", so dates and
 * times are values there; the other members have texts.
 */
static enum bl_status read_yaml(struct bl_arena *arena, struct bl_str text,
				struct bl_value *out_value,
				struct bl_error *err)
{
	struct bl_object_builder all;
	struct bl_value with_times;
	enum bl_status status =
		bl_yaml_read(arena, text, out_value, NULL, NULL, err);

	if (status ||
	    !bl_value_is_defined(bl_object_find(*out_value, BL_STR("custom"))))
		return status;
	status = bl_yaml_read_with_times(arena, text, &with_times, err);
	if (status)
		return status;
	bl_object_builder_init(&all, arena);
	for (size_t i = 0; i < bl_value_count(*out_value); i++) {
		struct bl_str key = bl_value_text(bl_object_key(*out_value, i));

		bl_object_builder_add(&all, key,
				      bl_str_is(key, "custom")
					      ? bl_object_find(with_times, key)
					      : bl_object_value(*out_value, i));
	}
	*out_value = bl_object_builder_end(&all);
	return bl_value_is_defined(*out_value) ? BL_OK
					       : bl_arena_fail(arena, err);
}

/* The annotation of a block, with its scope; undefined when it is not YAML. */
static struct bl_value read_block(struct bl_compiler *compiler,
				  const struct bl_rego_module *module,
				  const struct block *block,
				  const char *default_scope)
{
	struct bl_str text = block_text(compiler->arena, module, block);
	struct bl_value read;

	if (!text.ptr || read_yaml(compiler->arena, text, &read, NULL) ||
	    !bl_value_is(read, BL_KIND_OBJECT))
		return bl_value_undefined();
	return bl_annotation_write_out(compiler->arena, read, default_scope,
				       NULL);
}

static bool is_blank(const struct bl_rego_module *module, uint32_t from,
		     uint32_t to)
{
	return !bl_str_trim(bl_str_slice(module->text, from, to)).len;
}

/*
 * The comments right above a statement that begins at `from`, with nothing but
 * blanks between: from the result on, up to *out_end.
 */
static size_t comments_above(const struct bl_rego_module *module, uint32_t from,
			     size_t *out_end)
{
	const struct bl_rego_comment *comments = module->comments;
	size_t low = 0;
	size_t high = module->comment_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (comments[middle].to <= from)
			low = middle + 1;
		else
			high = middle;
	}
	*out_end = low;
	for (; low && is_blank(module, comments[low - 1].to, from); low--)
		from = comments[low - 1].from;
	return low;
}

/*
 * The annotation right before a statement that begins at `from`, of this
 * scope; undefined when absent.
 */
static struct bl_value annotation_before(struct bl_compiler *compiler,
					 const struct bl_rego_module *module,
					 uint32_t from,
					 const char *default_scope,
					 const char *scope)
{
	struct bl_value found = bl_value_undefined();
	size_t end;

	for (size_t i = comments_above(module, from, &end); i < end; i++) {
		struct block block;
		struct bl_value one;

		if (!find_block(module, i, &block))
			continue;
		i = block.last - 1;
		one = read_block(compiler, module, &block, default_scope);
		if (bl_str_is(
			    bl_value_text(bl_object_find(one, BL_STR("scope"))),
			    scope))
			found = one;
	}
	return found;
}

/* ---- chains --------------------------------------------------------------- */

struct chain {
	struct bl_compiler *compiler;
	struct bl_array_builder entries;
};

static void add_entry(struct chain *chain, struct bl_value path,
		      struct bl_value annotation)
{
	struct bl_object_builder entry;

	bl_object_builder_init(&entry, chain->compiler->arena);
	bl_object_builder_add(&entry, BL_STR("annotations"), annotation);
	bl_object_builder_add(&entry, BL_STR("path"), path);
	bl_array_builder_add(&chain->entries, bl_object_builder_end(&entry));
}

/* The names of a path term behind those already in the list. */
static void add_names(struct bl_array_builder *path,
		      const struct bl_rego_term *term, size_t limit)
{
	uint32_t count = term->kind == BL_TERM_VAR ? 1 : term->count;

	for (uint32_t i = 0; i < count && i < limit; i++) {
		const struct bl_rego_term *part =
			term->kind == BL_TERM_VAR ? term : term->as.items[i];

		if (part->kind == BL_TERM_VAR)
			bl_array_builder_add(path,
					     bl_value_string(part->as.name));
		else if (part->kind == BL_TERM_SCALAR)
			bl_array_builder_add(path, part->as.value);
	}
}

static struct bl_value path_of(struct bl_compiler *compiler,
			       const struct bl_rego_module *module,
			       const struct bl_rego_term *name)
{
	struct bl_array_builder path;

	bl_array_builder_init(&path, compiler->arena);
	add_names(&path, module->package, SIZE_MAX);
	if (name)
		add_names(&path, name, SIZE_MAX);
	return bl_array_builder_end(&path);
}

/* Is item at of path this part of a name, and so on to its end? */
static bool is_at(struct bl_value path, size_t *at,
		  const struct bl_rego_term *term)
{
	uint32_t count = term->kind == BL_TERM_VAR ? 1 : term->count;

	for (uint32_t i = 0; i < count; i++) {
		const struct bl_rego_term *part =
			term->kind == BL_TERM_VAR ? term : term->as.items[i];
		struct bl_value item = bl_value_item(path, *at);

		if (part->kind != BL_TERM_VAR && part->kind != BL_TERM_SCALAR)
			continue;
		if (!bl_value_equal(item,
				    part->kind == BL_TERM_VAR
					    ? bl_value_string(part->as.name)
					    : part->as.value))
			return false;
		++*at;
	}
	return true;
}

/* Annotations of scope "document" on any rule with this path. */
static void add_documents(struct chain *chain, struct bl_value path)
{
	struct bl_compiler *compiler = chain->compiler;

	for (size_t i = 0; i < compiler->module_count; i++) {
		const struct bl_rego_module *module = compiler->modules[i];

		size_t behind = 0;

		if (!is_at(path, &behind, module->package))
			continue;
		for (size_t j = 0; j < module->rule_count; j++) {
			const struct bl_rego_rule *rule = module->rules[j];
			struct bl_value found;
			size_t at = behind;

			if (!is_at(path, &at, rule->name) ||
			    at != bl_value_count(path))
				continue;
			found = annotation_before(compiler, module,
						  rule->range.from, "rule",
						  "document");
			if (bl_value_is_defined(found))
				add_entry(chain, path, found);
		}
	}
}

/* Those of this scope on packages with this path. */
static void add_packages(struct chain *chain, struct bl_value path,
			 const char *scope)
{
	struct bl_compiler *compiler = chain->compiler;

	for (size_t i = 0; i < compiler->module_count; i++) {
		const struct bl_rego_module *module = compiler->modules[i];
		struct bl_value found;

		if (!bl_value_equal(path_of(compiler, module, NULL), path))
			continue;
		found = annotation_before(compiler, module,
					  module->package_from, "package",
					  scope);
		if (bl_value_is_defined(found))
			add_entry(chain, path, found);
	}
}

static struct bl_value chain_of(struct bl_compiler *compiler,
				const struct bl_rego_module *module,
				const struct bl_rule *rule)
{
	struct chain chain = { .compiler = compiler };
	struct bl_value path = path_of(compiler, module, rule->syntax->name);
	struct bl_value package = path_of(compiler, module, NULL);

	bl_array_builder_init(&chain.entries, compiler->arena);
	add_entry(&chain, path,
		  annotation_before(compiler, module, rule->syntax->range.from,
				    "rule", "rule"));
	add_documents(&chain, path);
	add_packages(&chain, package, "package");
	for (size_t count = bl_value_count(package); count > 0; count--)
		add_packages(
			&chain,
			bl_array_make(compiler->arena, package.as.items, count),
			"subpackages");
	return bl_array_builder_end(&chain.entries);
}

struct bl_value bl_annotations_of(struct bl_compiler *compiler,
				  const struct bl_rego_module *module,
				  const struct bl_rule *rule, bool chain)
{
	struct bl_value found;

	if (!module || !rule)
		return chain ? bl_array_make(compiler->arena, NULL, 0)
			     : bl_object_make(compiler->arena, NULL, 0, NULL);
	if (chain)
		return chain_of(compiler, module, rule);
	found = annotation_before(compiler, module, rule->syntax->range.from,
				  "rule", "rule");
	return bl_value_is_defined(found)
		       ? found
		       : bl_object_make(compiler->arena, NULL, 0, NULL);
}

/* ---- what a module says of itself ----------------------------------------- */

enum bl_status bl_rego_each_annotation(
	const struct bl_rego_module *module, struct bl_arena *arena,
	void (*visit)(void *context, const struct bl_rego_annotation *one),
	void *context, struct bl_error *err)
{
	for (size_t i = 0; i < module->comment_count; i++) {
		struct bl_rego_annotation one = { 0 };
		struct bl_error problem = { 0 };
		struct block block;
		struct bl_str text;
		enum bl_status status;

		if (!find_block(module, i, &block))
			continue;
		one.line = line_of(module, i);
		one.from = module->comments[i].from;
		one.to = block.to;
		one.before_package =
			module->comments[i].from < module->package_from;
		i = block.last - 1;
		text = block_text(arena, module, &block);
		if (!text.ptr)
			return bl_arena_fail(arena, err);
		status = read_yaml(arena, text, &one.value, &problem);
		if (status == BL_NO_MEMORY)
			return bl_fail_memory(err);
		if (status)
			one.problem = bl_arena_copy_str(
				arena, bl_str(problem.message));
		visit(context, &one);
	}
	return BL_OK;
}

struct bl_str bl_rego_package(const struct bl_rego_module *module,
			      struct bl_arena *arena)
{
	const struct bl_rego_term *package = module->package;
	uint32_t count = package->kind == BL_TERM_VAR ? 1 : package->count;
	struct bl_str path = BL_STR("");

	for (uint32_t i = 0; i < count && path.ptr; i++) {
		const struct bl_rego_term *part =
			package->kind == BL_TERM_VAR ? package
						     : package->as.items[i];
		struct bl_str name = part->kind == BL_TERM_VAR
					     ? part->as.name
					     : bl_value_text(part->as.value);

		path = bl_arena_printf(arena, "%.*s%s%.*s", BL_STR_ARG(path),
				       i ? "." : "", BL_STR_ARG(name));
	}
	return path;
}

/* The last name of a rule's head. */
static struct bl_str head_name(const struct bl_rego_rule *rule, bool is_old_set)
{
	const struct bl_rego_term *name = rule->name;
	const struct bl_rego_term *last;

	if (name->kind == BL_TERM_VAR)
		return name->as.name;
	last = name->as.items[is_old_set ? 0 : name->count - 1];
	return last->kind == BL_TERM_VAR ? last->as.name
					 : bl_value_text(last->as.value);
}

void bl_rego_each_head(const struct bl_rego_module *module,
		       void (*visit)(void *context,
				     const struct bl_rego_head *head),
		       void *context)
{
	for (size_t i = 0; i < module->rule_count; i++) {
		const struct bl_rego_rule *rule = module->rules[i];
		bool is_old_set = bl_rego_rule_is_old_set(module, rule);
		struct bl_rego_head head = {
			.name = head_name(rule, is_old_set),
			.is_set = rule->contains || is_old_set,
			.is_default = rule->is_default,
			.is_function = rule->has_args,
			.line = bl_place_at(module->text, rule->range.from)
					.line,
			.text = bl_str_slice(module->text, rule->range.from,
					     rule->range.to),
		};

		visit(context, &head);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory.c: a bundle of OPA's as a policy directory of belay's.
 *
 *     policies/all/NNN-NAME.rego   each module, as it is
 *     rulebook.yml                 data.belay.rulebook
 *     policies/all/data-NNN.rego   other data: package and rules
 *
 * Data becomes rules, so that policies find it where they expect it.  Data that no
 * rule can express (a name that is not an identifier, a value at the root) is refused:
 * policies without their data would let pass what they are there to stop.
 */
#include "opa/private.h"

enum { MAX_STEPS = 16, MAX_NAME = 64 };

#define FOLDER "policies/all/"

struct maker {
	const struct bl_bundle *bundle;
	struct bl_arena *arena;
	struct bl_team_file *files;
	struct bl_str *texts;
	size_t count;
	size_t data_count;
	size_t bytes;
	/* The path of the data that is being written. */
	struct bl_str steps[MAX_STEPS];
	size_t depth;
	struct bl_error *err;
};

static enum bl_status add(struct maker *m, struct bl_str path,
			  struct bl_str text)
{
	struct bl_team_file *file = &m->files[m->count];

	if (!path.ptr || (!text.ptr && text.len))
		return bl_arena_fail(m->arena, m->err);
	if (text.len > BL_TEAM_MAX_FILE_BYTES)
		return bl_fail(m->err, BL_LIMIT, "%.*s has more than %d bytes",
			       BL_STR_ARG(path), (int)BL_TEAM_MAX_FILE_BYTES);
	m->bytes += text.len;
	if (m->bytes > BL_TEAM_MAX_SET_BYTES || m->count == BL_TEAM_MAX_FILES)
		return bl_fail(m->err, BL_LIMIT,
			       "the policies have more than %d bytes or %d "
			       "files",
			       (int)BL_TEAM_MAX_SET_BYTES,
			       (int)BL_TEAM_MAX_FILES);
	*file = (struct bl_team_file){ .path = path,
				       .bytes = (int64_t)text.len };
	bl_sha256_hex(text, file->sha256);
	m->texts[m->count++] = text;
	return BL_OK;
}

/* ---- modules -------------------------------------------------------------------- */

/* The last part of a module's path, with '-' for what no file of a set may have. */
static struct bl_str plain_name(struct bl_str path, char room[MAX_NAME])
{
	size_t start = path.len;
	size_t len = 0;

	while (start && path.ptr[start - 1] != '/')
		start--;
	for (size_t i = start; i < path.len && len < MAX_NAME; i++) {
		char c = path.ptr[i];
		bool is_plain = (c >= 'a' && c <= 'z') ||
				(c >= 'A' && c <= 'Z') ||
				(c >= '0' && c <= '9') || c == '_';

		if (c == '.')
			break;
		room[len++] = is_plain ? c : '-';
	}
	return (struct bl_str){ room, len };
}

static enum bl_status add_module(struct maker *m,
				 const struct bl_bundle_module *module,
				 size_t number)
{
	char room[MAX_NAME];
	struct bl_str name = plain_name(module->shown, room);

	if (module->v0)
		return bl_fail(m->err, BL_UNSUPPORTED,
			       "%.*s is Rego of version 0: build the bundle "
			       "with OPA 1 and rego_version 1",
			       BL_STR_ARG(module->shown));
	return add(m,
		   bl_arena_printf(m->arena, FOLDER "%03zu-%.*s.rego", number,
				   BL_STR_ARG(name)),
		   module->text);
}

/* ---- data ----------------------------------------------------------------------- */

static bool is_identifier(struct bl_str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      c == '_' || (i && c >= '0' && c <= '9')))
			return false;
	}
	return name.len && !bl_str_is(name, "_");
}

static enum bl_status cannot_say(struct maker *m, struct bl_str name,
				 const char *why)
{
	struct bl_buf path;
	enum bl_status status;

	bl_buf_init(&path, 0);
	bl_buf_puts(&path, "data");
	for (size_t i = 0; i < m->depth; i++)
		bl_buf_printf(&path, ".%.*s", BL_STR_ARG(m->steps[i]));
	status = bl_fail(m->err, BL_INVALID, "%.*s.%.*s: %s", (int)path.len,
			 path.ptr, BL_STR_ARG(name), why);
	bl_buf_clear(&path);
	return status;
}

/* Does the package of a module start with this path? */
static bool is_package(const struct maker *m)
{
	for (size_t i = 0; i < m->bundle->module_count; i++) {
		struct bl_value package = m->bundle->modules[i].package;
		size_t same = 0;

		while (same < m->depth &&
		       bl_str_equal(bl_value_text(bl_value_item(package, same)),
				    m->steps[same]))
			same++;
		if (same == m->depth && bl_value_count(package) >= same)
			return true;
	}
	return false;
}

/* Does the member go into a package of its own, beside the policies there? */
static enum bl_status enter(struct maker *m, struct bl_str name,
			    struct bl_value value, bool *out_is_inner)
{
	*out_is_inner = false;
	if (!is_identifier(name))
		return cannot_say(m, name, "a rule cannot have this name");
	if (m->depth == MAX_STEPS)
		return cannot_say(m, name, "this is nested too deep");
	m->steps[m->depth++] = name;
	*out_is_inner = m->depth == 1 || is_package(m);
	m->depth--;
	if (*out_is_inner && !bl_value_is(value, BL_KIND_OBJECT))
		return cannot_say(m, name,
				  "this is not an object, so that no rule can "
				  "express it: put it into one");
	return BL_OK;
}

static bool is_rulebook(const struct maker *m, struct bl_str name)
{
	return m->depth == 1 && bl_str_is(m->steps[0], "belay") &&
	       bl_str_is(name, "rulebook");
}

static enum bl_status add_rulebook(struct maker *m, struct bl_value value)
{
	struct bl_str text = { NULL, 0 };
	struct bl_buf out;
	enum bl_status status;

	if (!bl_value_is(value, BL_KIND_OBJECT))
		return cannot_say(m, BL_STR("rulebook"),
				  "this is not an object, as a rulebook is");
	bl_buf_init(&out, 0);
	bl_json_write(&out, value, BL_JSON_PRETTY);
	bl_buf_put_char(&out, '\n');
	status = bl_buf_status(&out) ? bl_fail_memory(m->err) : BL_OK;
	if (!status)
		text = bl_arena_copy_str(m->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return status ? status : add(m, BL_STR("rulebook.yml"), text);
}

static void put_package(struct maker *m, struct bl_buf *out)
{
	bl_buf_puts(out, "# data of the bundle\npackage ");
	for (size_t i = 0; i < m->depth; i++)
		bl_buf_printf(out, "%s%.*s", i ? "." : "",
			      BL_STR_ARG(m->steps[i]));
	bl_buf_puts(out, "\n\n");
}

static enum bl_status add_data(struct maker *m, struct bl_buf *rules)
{
	struct bl_str text = { NULL, 0 };
	enum bl_status status =
		bl_buf_status(rules) ? bl_fail_memory(m->err) : BL_OK;

	if (!status)
		text = bl_arena_copy_str(m->arena, bl_buf_str(rules));
	return status ? status
		      : add(m,
			    bl_arena_printf(m->arena, FOLDER "data-%03zu.rego",
					    m->data_count++),
			    text);
}

/* Recursion: MAX_STEPS objects inside each other. */
static enum bl_status say_object(struct maker *m, struct bl_value object)
{
	struct bl_buf rules;
	size_t written = 0;
	enum bl_status status = BL_OK;

	bl_buf_init(&rules, BL_TEAM_MAX_SET_BYTES);
	put_package(m, &rules);
	for (size_t i = 0; !status && i < bl_value_count(object); i++) {
		struct bl_str name = bl_value_text(bl_object_key(object, i));
		struct bl_value value = bl_object_value(object, i);
		bool is_inner;

		if (is_rulebook(m, name)) {
			status = add_rulebook(m, value);
			continue;
		}
		status = enter(m, name, value, &is_inner);
		if (!status && is_inner) {
			m->steps[m->depth++] = name;
			status = say_object(m, value);
			m->depth--;
		} else if (!status) {
			bl_buf_printf(&rules, "%.*s := ", BL_STR_ARG(name));
			bl_json_write(&rules, value, BL_JSON_COMPACT);
			bl_buf_put_char(&rules, '\n');
			written++;
		}
	}
	if (!status && written)
		status = add_data(m, &rules);
	bl_buf_clear(&rules);
	return status;
}

static enum bl_status say_data(struct maker *m)
{
	struct bl_value data = m->bundle->data;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < bl_value_count(data); i++) {
		struct bl_str name = bl_value_text(bl_object_key(data, i));
		struct bl_value value = bl_object_value(data, i);
		bool is_inner;

		status = enter(m, name, value, &is_inner);
		if (status)
			break;
		m->steps[m->depth++] = name;
		status = say_object(m, value);
		m->depth--;
	}
	return status;
}

/* ---- all of it ------------------------------------------------------------------- */

enum bl_status bl_opa_make_directory(const struct bl_bundle *bundle,
				     struct bl_arena *arena,
				     struct bl_team_content *out,
				     struct bl_error *err)
{
	struct maker m = { .bundle = bundle, .arena = arena, .err = err };
	enum bl_status status = BL_OK;

	m.files = bl_arena_new_array(arena, struct bl_team_file,
				     BL_TEAM_MAX_FILES);
	m.texts = bl_arena_new_array(arena, struct bl_str, BL_TEAM_MAX_FILES);
	if (!m.files || !m.texts)
		return bl_arena_fail(arena, err);
	if (bundle->wasm_file_count || bl_value_is_defined(bundle->plan) ||
	    bl_value_is_defined(bundle->manifest.wasm))
		return bl_fail(err, BL_UNSUPPORTED,
			       "the bundle has policies as WebAssembly or as "
			       "plans: build it for the target rego");
	for (size_t i = 0; !status && i < bundle->module_count; i++)
		status = add_module(&m, &bundle->modules[i], i);
	if (!status)
		status = say_data(&m);
	if (!status && m.count == m.data_count)
		status = bl_fail(err, BL_INVALID,
				 "the bundle has neither policies nor "
				 "data.belay.rulebook: nothing of it would "
				 "decide");
	*out = (struct bl_team_content){ .files = m.files,
					 .texts = m.texts,
					 .count = m.count };
	return status;
}

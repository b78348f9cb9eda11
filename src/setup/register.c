/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register.c: our entries into an agent's configuration, and out of it.  Each
 * step makes one edit and reads the text anew; it ends when there is nothing
 * left to do.
 */
#include "os/os.h"
#include "setup/private.h"
#include "setup/jsonc.h"

/* One registration, or its end. */
struct job {
	const struct bl_setup *setup;
	const struct bl_registration *agent;
	struct bl_str path; /* of the file, for messages */
	struct bl_str text; /* as it is now */
	struct bl_str command;
	struct bl_arena *arena;
	struct jsonc_node *root;
	struct jsonc_node *hooks; /* the object of events; NULL: none yet */
	bool is_top_level;        /* hooks is the root */
	struct bl_error *err;
};

/* ---- reading ------------------------------------------------------------ */

static enum bl_status fail_shape(const struct job *job, const char *what)
{
	return bl_fail(job->err, BL_INVALID,
		       "%.*s is left alone: %s is not what it should be",
		       BL_STR_ARG(job->path), what);
}

/* Is this file's row one whose events stand at the top? */
static bool is_top_level_file(const struct job *job)
{
	for (size_t i = 0; i < BL_REGISTRATION_MAX_FILES; i++) {
		const struct bl_registration_file *file = &job->agent->files[i];

		if (file->project && file->is_top_level &&
		    bl_str_has_suffix(job->path, bl_str(file->project)))
			return true;
	}
	return false;
}

static const char *hooks_key(const struct bl_registration *agent)
{
	return agent->hooks_key ? agent->hooks_key : "hooks";
}

static enum bl_status read_text(struct job *job)
{
	struct bl_error cause;
	struct bl_place place = { .line = 0 };
	enum bl_status status = bl_jsonc_parse(job->arena, job->text,
					       &job->root, &place, &cause);

	if (status)
		return bl_fail(job->err, status,
			       "%.*s is left alone: line %u, column %u: %s",
			       BL_STR_ARG(job->path), (unsigned)place.line,
			       (unsigned)place.column, cause.message);
	if (job->root->kind != BL_KIND_OBJECT)
		return fail_shape(job, "it");
	job->hooks = bl_jsonc_find(job->root, hooks_key(job->agent));
	job->is_top_level = !job->hooks && is_top_level_file(job);
	if (job->is_top_level)
		job->hooks = job->root;
	if (job->hooks && job->hooks->kind != BL_KIND_OBJECT)
		return fail_shape(job, hooks_key(job->agent));
	return BL_OK;
}

/* ---- our own ------------------------------------------------------------ */

/*
 * Is this the command of an entry of ours: a program of our name, whatever its
 * folder, called to answer this agent?
 */
static bool read_call(const struct job *job, struct bl_str command,
		      struct setup_call *out_call)
{
	const char *script = job->agent->script;

	if (script) {
		*out_call = (struct setup_call){ .program = command };
		return bl_str_is(bl_path_base(command), script);
	}
	return bl_setup_read_call(command, bl_path_base(job->setup->program),
				  job->setup->agent->name, job->arena,
				  out_call);
}

static struct bl_str command_key(const struct bl_registration *agent)
{
	return bl_str(agent->command_key ? agent->command_key : "command");
}

static struct bl_str command_of(const struct job *job,
				const struct jsonc_node *handler)
{
	return bl_value_text(
		bl_object_find(handler->value, command_key(job->agent)));
}

static bool is_ours(const struct job *job, const struct jsonc_node *handler)
{
	struct setup_call call;

	return read_call(job, command_of(job, handler), &call);
}

/* The handlers of a group; NULL: item is a handler itself. */
static struct jsonc_node *handlers_of(const struct job *job,
				      const struct jsonc_node *item)
{
	struct jsonc_node *hooks = NULL;

	if (job->agent->form == BL_REGISTRATION_GROUPS)
		hooks = bl_jsonc_find(item, "hooks");
	return hooks && hooks->kind == BL_KIND_ARRAY ? hooks : NULL;
}

/* The handlers of an event, one after the other; NULL: no more. */
static struct jsonc_node *next_handler(const struct job *job,
				       struct jsonc_node *list,
				       struct jsonc_node *handler)
{
	struct jsonc_node *item = list->first;

	if (handler && handler->next && handler->parent != list)
		return handler->next;
	if (handler)
		item = handler->parent == list ? handler->next
					       : handler->parent->parent->next;
	for (; item; item = item->next) {
		struct jsonc_node *handlers = handlers_of(job, item);

		if (!handlers)
			return item;
		if (handlers->first)
			return handlers->first;
	}
	return NULL;
}

/* Our next handler among those of the event, after one; NULL: none. */
static struct jsonc_node *find_ours(const struct job *job,
				    struct jsonc_node *list,
				    struct jsonc_node *after)
{
	struct jsonc_node *handler = next_handler(job, list, after);

	while (handler && !is_ours(job, handler))
		handler = next_handler(job, list, handler);
	return handler;
}

static struct jsonc_node *find_any_of_ours(const struct job *job)
{
	struct jsonc_node *list = job->hooks ? job->hooks->first : NULL;

	for (; list; list = list->next) {
		struct jsonc_node *ours = NULL;

		if (list->kind == BL_KIND_ARRAY)
			ours = find_ours(job, list, NULL);
		if (ours)
			return ours;
	}
	return NULL;
}

/* ---- making ------------------------------------------------------------- */

static struct bl_value text_value(const char *text)
{
	return bl_value_string(bl_str(text));
}

/*
 * The command to register where before (may be NULL) is: the options that
 * somebody added to it stay, and all of it where it says the same.
 */
static struct bl_str command_after(const struct job *job,
				   const struct bl_registration_entry *entry,
				   const struct jsonc_node *before)
{
	bool closes = entry->fails_closed && job->agent->closes_by_status;
	struct bl_str options = BL_STR("");
	struct setup_call old;
	struct setup_call new;

	if (before && read_call(job, command_of(job, before), &old) &&
	    read_call(job, job->command, &new)) {
		if (bl_str_equal(old.program, new.program) &&
		    bl_str_equal(old.policy_dir, new.policy_dir) &&
		    old.is_closing == closes)
			return command_of(job, before);
		options = old.options;
	}
	return bl_arena_printf(job->arena, "%.*s%.*s%s",
			       BL_STR_ARG(job->command), BL_STR_ARG(options),
			       closes ? SETUP_CLOSING : "");
}

static struct bl_value make_handler(const struct job *job,
				    const struct bl_registration_entry *entry,
				    const struct jsonc_node *before)
{
	struct bl_object_builder builder;
	const struct bl_registration *agent = job->agent;
	bool is_flat = agent->form == BL_REGISTRATION_FLAT;

	bl_object_builder_init(&builder, job->arena);
	if (!is_flat || agent->has_type)
		bl_object_builder_add(&builder, BL_STR("type"),
				      text_value("command"));
	bl_object_builder_add(
		&builder, command_key(agent),
		bl_value_string(command_after(job, entry, before)));
	if (agent->timeout)
		bl_object_builder_add(&builder,
				      bl_str(agent->timeout_key
						     ? agent->timeout_key
						     : "timeout"),
				      bl_value_integer(agent->timeout));
	if (is_flat && entry->matcher)
		bl_object_builder_add(&builder, BL_STR("matcher"),
				      text_value(entry->matcher));
	if (entry->fails_closed && agent->fails_closed_key &&
	    !job->setup->is_old_cursor)
		bl_object_builder_add(
			&builder, bl_str(job->agent->fails_closed_key),
			job->agent->fails_closed_word
				? text_value(job->agent->fails_closed_word)
				: bl_value_boolean(true));
	return bl_object_builder_end(&builder);
}

/* The addition to the list of an event: a handler, or a group with it. */
static struct bl_value make_item(const struct job *job,
				 const struct bl_registration_entry *entry)
{
	struct bl_value handler =
		make_handler(job, entry, find_any_of_ours(job));
	struct bl_object_builder builder;

	if (job->agent->form == BL_REGISTRATION_FLAT || entry->is_plain)
		return handler;
	bl_object_builder_init(&builder, job->arena);
	if (entry->matcher)
		bl_object_builder_add(&builder, BL_STR("matcher"),
				      text_value(entry->matcher));
	bl_object_builder_add(&builder, BL_STR("hooks"),
			      bl_array_make(job->arena, &handler, 1));
	return bl_object_builder_end(&builder);
}

/* ---- registering -------------------------------------------------------- */

/* Appends the entry, with whatever containers are missing. */
static struct bl_str append_entry(struct job *job,
				  const struct bl_registration_entry *entry,
				  struct jsonc_node *list)
{
	struct bl_value item = make_item(job, entry);
	struct bl_object_builder builder;

	if (list)
		return bl_jsonc_append(job->arena, job->text, list, NULL, item);
	item = bl_array_make(job->arena, &item, 1);
	if (job->hooks)
		return bl_jsonc_append(job->arena, job->text, job->hooks,
				       entry->event, item);
	bl_object_builder_init(&builder, job->arena);
	bl_object_builder_add(&builder, bl_str(entry->event), item);
	return bl_jsonc_append(job->arena, job->text, job->root,
			       hooks_key(job->agent),
			       bl_object_builder_end(&builder));
}

/* The text without a handler, and without its group if that has no other. */
static struct bl_str remove_handler(const struct job *job,
				    const struct jsonc_node *handler)
{
	struct jsonc_node *group = handler->parent->parent;

	if (job->agent->form == BL_REGISTRATION_GROUPS && !handler->next &&
	    !handler->previous && handlers_of(job, group) == handler->parent)
		handler = group;
	return bl_jsonc_remove(job->arena, job->text, handler);
}

/* The text after the next edit, or as it is when nothing is missing. */
static enum bl_status next_edit(struct job *job, struct bl_str *out_text)
{
	*out_text = job->text;
	if (job->agent->has_version && !bl_jsonc_find(job->root, "version")) {
		*out_text = bl_jsonc_append(job->arena, job->text, job->root,
					    "version", bl_value_integer(1));
		return BL_OK;
	}
	for (size_t i = 0; i < BL_REGISTRATION_MAX_ENTRIES; i++) {
		const struct bl_registration_entry *entry =
			&job->agent->entries[i];
		struct jsonc_node *list;
		struct jsonc_node *ours;

		if (!entry->event ||
		    (entry->is_new && job->setup->is_old_cursor) ||
		    bl_setup_is_too_old(job->setup, entry))
			continue;
		list = bl_jsonc_find(job->hooks, entry->event);
		if (list && list->kind != BL_KIND_ARRAY)
			return fail_shape(job, entry->event);
		ours = list ? find_ours(job, list, NULL) : NULL;
		if (!ours) {
			*out_text = append_entry(job, entry, list);
			return BL_OK;
		}
		if (!bl_value_equal(ours->value,
				    make_handler(job, entry, ours))) {
			*out_text = bl_jsonc_replace(
				job->arena, job->text, ours,
				make_handler(job, entry, ours));
			return BL_OK;
		}
		ours = find_ours(job, list, ours);
		if (ours) {
			*out_text = remove_handler(job, ours);
			return BL_OK;
		}
	}
	return BL_OK;
}

/* ---- taking back -------------------------------------------------------- */

static enum bl_status next_removal(struct job *job, struct bl_str *out_text)
{
	struct jsonc_node *ours = find_any_of_ours(job);

	*out_text = job->text;
	if (!ours)
		return BL_OK;
	*out_text = remove_handler(job, ours);
	return BL_OK;
}

/* Is nothing left but what registering makes of nothing? */
static bool is_bare(const struct job *job)
{
	const struct jsonc_node *first = job->root->first;

	return !first || (job->agent->has_version && !first->next &&
			  bl_str_is(first->key, "version") &&
			  bl_value_equal(first->value, bl_value_integer(1)));
}

/* ---- both --------------------------------------------------------------- */

typedef enum bl_status edit_fn(struct job *job, struct bl_str *out_text);

/* An edit for each entry, and some for the containers, at the most. */
enum { MAX_EDITS = 1000 };

static enum bl_status edit_all(struct job *job, edit_fn *edit)
{
	for (size_t i = 0; i < MAX_EDITS; i++) {
		struct bl_str text;
		enum bl_status status = read_text(job);

		if (!status)
			status = edit(job, &text);
		if (status)
			return status;
		if (!text.ptr)
			return bl_arena_fail(job->arena, job->err);
		if (bl_str_equal(text, job->text))
			return BL_OK;
		job->text = text;
	}
	return bl_fail(
		job->err, BL_LIMIT,
		"%.*s is left alone: it has more than %d entries of ours",
		BL_STR_ARG(job->path), MAX_EDITS);
}

static enum bl_status begin(struct job *job, const struct bl_setup *setup,
			    struct bl_str path, struct bl_str text,
			    struct bl_arena *arena)
{
	job->setup = setup;
	job->agent = setup->agent->registration;
	job->path = path;
	job->text = text;
	job->arena = arena;
	job->command = job->agent->script ? bl_setup_script(setup, arena)
					  : bl_setup_command(setup, arena);
	if (!job->command.ptr)
		return bl_arena_fail(arena, job->err);
	return BL_OK;
}

enum bl_status bl_setup_register(const struct bl_setup *setup,
				 struct bl_str path, struct bl_str text,
				 struct bl_arena *arena,
				 struct bl_str *out_text, struct bl_error *err)
{
	struct job job = { .err = err };
	enum bl_status status = begin(&job, setup, path, text, arena);

	if (!status && bl_setup_is_text(job.agent, path))
		return bl_setup_register_text(setup, path, text, arena,
					      out_text, err);
	if (!bl_str_trim(job.text).len)
		job.text = BL_STR("{}\n");
	if (!status)
		status = edit_all(&job, next_edit);
	if (!status)
		*out_text = job.text;
	return status;
}

enum bl_status bl_setup_unregister(const struct bl_setup *setup,
				   struct bl_str path, struct bl_str text,
				   struct bl_arena *arena,
				   struct bl_str *out_text,
				   struct bl_error *err)
{
	struct job job = { .err = err };
	enum bl_status status = begin(&job, setup, path, text, arena);

	if (!status && bl_setup_is_text(job.agent, path))
		return bl_setup_unregister_text(setup, path, text, arena,
						out_text, err);
	if (!status)
		status = edit_all(&job, next_removal);
	if (status)
		return status;
	*out_text = job.text;
	if (is_bare(&job) && !bl_str_equal(job.text, text))
		*out_text = (struct bl_str){ NULL, 0 };
	return BL_OK;
}

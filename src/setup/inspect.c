/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.c: an agent's configuration as the agent itself reads it: where belay
 * is registered, and what keeps the agent from running it there: a file that
 * it would drop, hooks that are turned off, an event that is missing.
 */
#include "json/json.h"
#include "os/os.h"
#include "setup/private.h"

/* ---- what is found ------------------------------------------------------ */

void bl_setup_set_problem(struct bl_registered *registered,
			  struct bl_str problem, struct bl_str remedy)
{
	if (registered->problem.len)
		return;
	registered->problem = problem;
	registered->remedy = remedy;
}

void bl_setup_ask_consent(struct bl_registered *registered,
			  struct bl_str problem, struct bl_str remedy)
{
	registered->needs_consent = !registered->problem.len;
	bl_setup_set_problem(registered, problem, remedy);
}

struct bl_registered *bl_setup_add_registered(struct setup_view *view,
					      enum bl_scope scope,
					      struct bl_str file)
{
	struct bl_inspection *found = view->found;
	struct bl_registered *one;

	if (found->count >= BL_COUNT(found->registered))
		return NULL;
	one = &found->registered[found->count++];
	*one = (struct bl_registered){ .scope = scope, .file = file };
	return one;
}

/* A file that counts for nothing, or turns hooks off. */
static void add_obstacle(struct setup_view *view, unsigned scopes,
			 struct bl_str file, struct bl_str what,
			 const char *remedy)
{
	struct bl_inspection *found = view->found;

	if (found->obstacle_count >= BL_COUNT(found->obstacles))
		return;
	found->obstacles[found->obstacle_count++] = (struct bl_obstacle){
		.scopes = scopes,
		.file = file,
		.what = what,
		.remedy = bl_str(remedy),
	};
}

struct bl_value bl_setup_find_key(struct bl_value object, const char *key)
{
	struct bl_str path = bl_str(key);

	for (size_t at = 0; at <= path.len;) {
		size_t dot = bl_str_find(path, BL_STR("."), at);

		object = bl_object_find(object, bl_str_slice(path, at, dot));
		if (dot == SIZE_MAX)
			break;
		at = dot + 1;
	}
	return object;
}

/* ---- one file ----------------------------------------------------------- */

/* A file of the agent's configuration, read. */
struct settings {
	enum bl_scope scope;
	struct bl_str path;
	bool is_top_level; /* hooks may stand without "hooks" */
	struct bl_value value;
	struct bl_str problem; /* why the agent drops it; empty */
	const char *remedy;
};

/* Why the agent does not take the text; empty: it does. */
static struct bl_str why_dropped(struct setup_view *view, struct bl_str text,
				 struct settings *settings)
{
	enum bl_dialect_of_json kind = view->agent->registration->json;
	const struct bl_json_options lenient = { .allow_comments = true,
						 .allow_bom = true };
	const struct bl_json_options strict = {
		.allow_bom = kind != BL_JSON_STRICT_NO_BOM
	};
	struct bl_place place = { .line = 0 };
	struct bl_value value;
	struct bl_error err;

	settings->remedy = "mend it: the agent drops the whole file";
	settings->value = bl_value_undefined();
	if (bl_json_read(view->arena, text, &lenient, &settings->value, NULL,
			 &place, &err) ||
	    (kind != BL_JSON_WITH_COMMENTS &&
	     bl_json_read(view->arena, text, &strict, &value, NULL, &place,
			  &err)))
		return bl_arena_printf(
			view->arena,
			"%s drops this file: line %u, column %u: %s",
			view->agent->title, (unsigned)place.line,
			(unsigned)place.column, err.message);
	if (!bl_value_is(settings->value, BL_KIND_OBJECT))
		return BL_STR("it does not hold a JSON object");
	if (view->places->check_file)
		return view->places->check_file(view->agent, settings->scope,
						settings->path, text,
						view->arena);
	return BL_STR("");
}

static void look_for_switch(struct setup_view *view,
			    const struct settings *settings)
{
	const struct bl_registration *agent = view->agent->registration;
	unsigned own = settings->scope == BL_SCOPE_MANAGED
			       ? 7U
			       : 1U << BL_SCOPE_PROJECT | 1U << BL_SCOPE_USER;

	if (agent->off_key &&
	    bl_value_equal(bl_setup_find_key(settings->value, agent->off_key),
			   bl_value_boolean(agent->off_value)))
		add_obstacle(
			view, own, settings->path,
			bl_arena_printf(view->arena,
					"all hooks are off: \"%s\" is %s",
					agent->off_key,
					agent->off_value ? "true" : "false"),
			"take that line out");
	if (agent->managed_only_key && settings->scope == BL_SCOPE_MANAGED &&
	    bl_value_equal(
		    bl_setup_find_key(settings->value, agent->managed_only_key),
		    bl_value_boolean(true)))
		add_obstacle(view, 1U << BL_SCOPE_PROJECT | 1U << BL_SCOPE_USER,
			     settings->path,
			     bl_arena_printf(view->arena,
					     "only managed hooks run: \"%s\" "
					     "is true",
					     agent->managed_only_key),
			     "register belay for the machine: belay init "
			     "--managed, as root");
}

/* ---- our entries -------------------------------------------------------- */

static bool read_line(const struct setup_view *view, struct bl_str line,
		      struct setup_call *out_call)
{
	static const char *const names[] = { "belay", "cupcake" };

	for (size_t i = 0; i < BL_COUNT(names); i++)
		if (bl_setup_read_call(line, bl_str(names[i]),
				       view->agent->name, view->arena,
				       out_call))
			return true;
	return false;
}

/* The call that a script of ours makes. */
static bool read_script(const struct setup_view *view, struct bl_str path,
			struct setup_call *out_call)
{
	struct bl_str text;

	return !bl_os_read_file(path, 0, JSONC_MAX_BYTES, view->arena, &text,
				NULL, NULL) &&
	       read_line(view, bl_setup_script_line(text), out_call);
}

static bool read_call(const struct setup_view *view, struct bl_value handler,
		      struct setup_call *out_call, struct bl_str *out_command)
{
	const char *key = view->agent->registration->command_key;
	const char *script = view->agent->registration->script;

	*out_command = bl_value_text(
		bl_object_find(handler, bl_str(key ? key : "command")));
	if (script && bl_str_is(bl_path_base(*out_command), script))
		return read_script(view, *out_command, out_call);
	return read_line(view, *out_command, out_call);
}

struct handler {
	struct setup_call call;
	struct bl_str command;
	struct bl_str matcher; /* ptr NULL: it is missing */
};

/* The handlers below item (a group, or a handler itself): is one ours? */
static bool find_in_item(const struct setup_view *view, struct bl_value item,
			 struct handler *out)
{
	struct bl_value hooks = bl_object_find(item, BL_STR("hooks"));

	out->matcher = bl_value_text(bl_object_find(item, BL_STR("matcher")));
	if (view->agent->registration->form == BL_REGISTRATION_FLAT ||
	    !bl_value_is_defined(hooks))
		return read_call(view, item, &out->call, &out->command);
	for (size_t i = 0; i < bl_value_count(hooks); i++)
		if (read_call(view, bl_value_item(hooks, i), &out->call,
			      &out->command))
			return true;
	return false;
}

static bool find_handler(const struct setup_view *view, struct bl_value hooks,
			 const char *event, struct handler *out)
{
	struct bl_value list = bl_object_find(hooks, bl_str(event));

	for (size_t i = 0; i < bl_value_count(list); i++)
		if (find_in_item(view, bl_value_item(list, i), out))
			return true;
	return false;
}

/* An event without which actions are not stopped, in every version. */
static bool is_needed(const struct bl_agent *agent,
		      const struct bl_registration_entry *entry)
{
	const struct bl_hook_event *event =
		bl_agent_find_event(agent, bl_str(entry->event));

	return event && bl_hook_event_fails_closed(event) && !entry->since &&
	       !entry->is_new && event->kind != BL_EVENT_PERMISSION;
}

static bool is_narrower(const struct bl_registration_entry *entry,
			struct bl_str matcher)
{
	return matcher.len && !bl_str_is(matcher, "*") &&
	       !bl_str_is(matcher, ".*") &&
	       !(entry->matcher && bl_str_is(matcher, entry->matcher));
}

/* Takes what one event of ours has to say. */
static void take_event(struct setup_view *view,
		       const struct bl_registration_entry *entry,
		       const struct handler *handler, struct bl_registered *out)
{
	if (!out->events++) {
		out->command = handler->command;
		out->program = handler->call.program;
		out->policy_dir = handler->call.policy_dir_text;
	}
	if (is_needed(view->agent, entry) &&
	    is_narrower(entry, handler->matcher))
		out->note = bl_arena_printf(
			view->arena,
			"matcher '%.*s' of %s leaves other tools unasked",
			BL_STR_ARG(handler->matcher), entry->event);
}

/* The script that command names, so that it is taken away with the rest. */
static void add_script(struct setup_view *view, enum bl_scope scope,
		       struct bl_str command)
{
	struct bl_registered *one =
		bl_setup_add_registered(view, scope, command);

	if (one)
		one->command = command;
}

static void find_ours(struct setup_view *view, const struct settings *settings)
{
	const struct bl_registration *agent = view->agent->registration;
	struct bl_value hooks = bl_object_find(
		settings->value,
		bl_str(agent->hooks_key ? agent->hooks_key : "hooks"));
	struct bl_registered found = { .scope = settings->scope,
				       .file = settings->path };
	const char *missing = NULL;
	struct bl_registered *one;

	if (!bl_value_is_defined(hooks) && settings->is_top_level)
		hooks = settings->value;
	for (size_t i = 0; i < BL_REGISTRATION_MAX_ENTRIES; i++) {
		const struct bl_registration_entry *entry = &agent->entries[i];
		struct handler handler;

		if (!entry->event)
			break;
		if (find_handler(view, hooks, entry->event, &handler))
			take_event(view, entry, &handler, &found);
		else if (!missing && is_needed(view->agent, entry))
			missing = entry->event;
	}
	one = found.events ? bl_setup_add_registered(view, settings->scope,
						     settings->path)
			   : NULL;
	if (!one)
		return;
	*one = found;
	if (settings->problem.len)
		bl_setup_set_problem(one, settings->problem,
				     bl_str(settings->remedy));
	if (missing)
		bl_setup_set_problem(one,
				     bl_arena_printf(view->arena,
						     "no hook of belay's for "
						     "%s",
						     missing),
				     BL_STR("belay init"));
	if (agent->script)
		add_script(view, settings->scope, found.command);
}

/* ---- all files ---------------------------------------------------------- */

static struct bl_str base_of(const struct setup_view *view, enum bl_scope scope)
{
	const struct bl_setup_places *places = view->places;
	const struct bl_str bases[BL_SCOPE_COUNT] = {
		[BL_SCOPE_PROJECT] = places->project,
		[BL_SCOPE_USER] = places->home,
		[BL_SCOPE_MANAGED] = places->system_root,
	};

	return bases[scope];
}

static void inspect_file(struct setup_view *view, enum bl_scope scope,
			 const char *name, bool is_top_level)
{
	struct settings settings = { .scope = scope,
				     .is_top_level = is_top_level };
	struct bl_str base = base_of(view, scope);
	struct bl_error err;
	struct bl_str text;
	enum bl_status status;

	if (!name || !base.len)
		return;
	settings.path = bl_path_join(view->arena, base, bl_str(name));
	if (!settings.path.ptr)
		return;
	status = bl_os_read_file(settings.path, 0, JSONC_MAX_BYTES, view->arena,
				 &text, NULL, &err);
	if (status == BL_NOT_FOUND)
		return;
	if (status) {
		add_obstacle(
			view, 0, settings.path,
			bl_arena_copy_str(view->arena, bl_str(err.message)),
			"make it readable");
		return;
	}
	if (bl_setup_is_text(view->agent->registration, settings.path)) {
		bl_setup_inspect_text(view, scope, settings.path, text);
		return;
	}
	if (!bl_str_trim(text).len)
		return;
	settings.problem = why_dropped(view, text, &settings);
	if (settings.problem.len)
		add_obstacle(view, 0, settings.path, settings.problem,
			     settings.remedy);
	else
		look_for_switch(view, &settings);
	find_ours(view, &settings);
}

/* The file of a row, or those of the scripts in it. */
static void inspect_named(struct setup_view *view, enum bl_scope scope,
			  const struct bl_registration_file *file)
{
	const struct bl_registration *agent = view->agent->registration;
	const char *name = bl_setup_file_of(file, scope);

	if (!name || agent->form != BL_REGISTRATION_SCRIPTS) {
		inspect_file(view, scope, name, file->is_top_level);
		return;
	}
	for (size_t i = 0; i < BL_REGISTRATION_MAX_ENTRIES; i++) {
		struct bl_str path;

		if (!agent->entries[i].event)
			break;
		path = bl_path_join(view->arena, bl_str(name),
				    bl_str(agent->entries[i].event));
		inspect_file(view, scope, path.ptr, false);
	}
}

/*
 * A file that is there, without belay, may hide the agent's other one: what is
 * registered there from number first on does not count everywhere.
 */
static void hide_others(struct setup_view *view, enum bl_scope scope,
			const struct bl_registration_file *file, size_t first)
{
	struct bl_inspection *found = view->found;
	const char *name = bl_setup_file_of(file, scope);
	struct bl_file_info info;
	struct bl_str path, base;

	if (!file->is_optional || !name || found->count == first)
		return;
	path = bl_path_join(view->arena, base_of(view, scope), bl_str(name));
	if (!path.ptr || bl_os_info_target(path, &info, NULL))
		return;
	for (size_t i = first; i < found->count; i++)
		if (bl_str_equal(found->registered[i].file, path))
			return;
	base = bl_path_base(path);
	for (size_t i = first; i < found->count; i++)
		bl_setup_set_problem(
			&found->registered[i],
			bl_arena_printf(view->arena,
					"releases of %s that read %.*s alone "
					"where it exists skip this file",
					view->agent->title, BL_STR_ARG(base)),
			BL_STR("belay init, which registers in both"));
}

static void inspect_scope(struct setup_view *view, enum bl_scope scope)
{
	const struct bl_registration *agent = view->agent->registration;
	size_t first = view->found->count;

	for (size_t i = 0; i < BL_REGISTRATION_MAX_FILES; i++)
		inspect_named(view, scope, &agent->files[i]);
	for (size_t i = 0; i < BL_REGISTRATION_MAX_FILES; i++)
		hide_others(view, scope, &agent->files[i], first);
	for (size_t i = 0; i < BL_REGISTRATION_MAX_SETTINGS; i++)
		inspect_file(view, scope, agent->settings[scope][i], false);
}

/* Switches that turn hooks off wherever they stand, and approvals. */
static void apply(struct setup_view *view, struct bl_registered *one)
{
	const struct bl_inspection *found = view->found;

	for (size_t i = 0; i < found->obstacle_count; i++)
		if (found->obstacles[i].scopes & 1U << one->scope)
			bl_setup_set_problem(
				one,
				bl_arena_printf(
					view->arena, "%.*s in %.*s",
					BL_STR_ARG(found->obstacles[i].what),
					BL_STR_ARG(found->obstacles[i].file)),
				found->obstacles[i].remedy);
	bl_setup_consent(view, one);
}

static bool has_folder(const struct setup_view *view, struct bl_str base,
		       const char *name)
{
	struct bl_str path =
		name ? bl_path_join(view->arena, base, bl_str(name))
		     : BL_STR("");
	struct bl_file_info info;

	return name && base.len && path.ptr &&
	       !bl_os_info_path(path, &info, NULL);
}

enum bl_status bl_setup_inspect(const struct bl_agent *agent,
				const struct bl_setup_places *places,
				struct bl_arena *arena,
				struct bl_inspection *out_found,
				struct bl_error *err)
{
	const struct bl_registration *registration = agent->registration;
	struct setup_view view = { .agent = agent,
				   .places = places,
				   .arena = arena,
				   .found = out_found };

	*out_found = (struct bl_inspection){ .agent = agent };
	if (registration->program)
		out_found->program = bl_setup_find_program(
			arena, registration->program, NULL);
	out_found->is_in_project =
		has_folder(&view, places->project, registration->folder);
	out_found->is_in_home =
		has_folder(&view, places->home, registration->global_folder);
	for (enum bl_scope scope = 0; scope < BL_SCOPE_COUNT; scope++)
		inspect_scope(&view, scope);
	for (size_t i = 0; i < out_found->count; i++)
		apply(&view, &out_found->registered[i]);
	return bl_arena_status(arena) ? bl_arena_fail(arena, err) : BL_OK;
}

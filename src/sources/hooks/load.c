/* SPDX-License-Identifier: Apache-2.0 */
/* load.c: all sources, read, validated, trusted or not, as one set. */
#include "sources/hooks/private.h"

struct loader {
	const struct bl_hook_options *options;
	const struct bl_contract *contract;
	struct bl_arena *arena;
	struct bl_diags *diags;
	struct bl_trust_store store;
	struct bl_hook_list hooks;
	struct bl_error *err;
};

static void report(struct loader *loader, const struct bl_hook_file *file,
		   enum bl_hook_rule rule, struct bl_str subject)
{
	struct bl_diag_source source = { .file = file->path };
	struct bl_hook_finding finding = { .subject = subject,
					   .at = file->workspace };

	bl_hook_report(loader->diags, loader->options->profile, &source, rule,
		       &finding);
}

/* ---- trust ---------------------------------------------------------- */

/* The record of a project file's workspace, if it pins contents. */
static const struct bl_trust_record *
pinned_record(const struct loader *loader, const struct bl_hook_file *file)
{
	const struct bl_trust_record *record;

	if (file->source != BL_SOURCE_PROJECT || loader->options->trust_all)
		return NULL;
	record = bl_trust_find(&loader->store, file->workspace);
	return record && record->mode == BL_TRUST_PINNED ? record : NULL;
}

static bool names_file(const struct bl_trust_record *record, struct bl_str path)
{
	for (size_t i = 0; i < record->pin_count; i++) {
		if (bl_str_equal(record->pins[i].path, path) &&
		    record->pins[i].sha256[0] != '\0')
			return true;
	}
	return false;
}

/*
 * A file that was trusted and cannot be read any more: its hooks must not just
 * go.  A file that is gone has changed; while it is there, nobody knows what it
 * holds.
 */
static void notice_loss(struct loader *loader, struct bl_hook_file *file)
{
	const struct bl_trust_record *record = pinned_record(loader, file);

	if (!record || !names_file(record, file->path))
		return;
	if (file->state == BL_HOOK_FILE_BROKEN) {
		file->lost_guards = UINT64_MAX;
		return;
	}
	file->why = bl_arena_printf(loader->arena,
				    "%.*s is gone since it was trusted",
				    BL_STR_ARG(file->path));
	file->state = BL_HOOK_FILE_CHANGED;
	report(loader, file, BL_RULE_NOT_TRUSTED, file->why);
}

static void hold(struct loader *loader, struct bl_hook_file *file,
		 enum bl_file_state state, struct bl_str why)
{
	file->state = state;
	file->why = why;
	report(loader, file, BL_RULE_NOT_TRUSTED, why);
}

/* Was it trusted once, and is not now? */
static bool has_lost_trust(const struct loader *loader,
			   const struct bl_hook_file *file)
{
	return file->source == BL_SOURCE_PROJECT && loader->options->home.len &&
	       !bl_trust_find(&loader->store, file->workspace) &&
	       bl_trust_was_known(loader->options->home, file->workspace);
}

static bool has_guard(const struct bl_hook_list *hooks)
{
	for (size_t i = 0; i < hooks->count; i++)
		if (hooks->items[i].fail_closed)
			return true;
	return false;
}

/*
 * A file without a record.  Its hooks do not run; but guards that somebody
 * relied on do not just go with their record.
 */
static void hold_untrusted(struct loader *loader, struct bl_hook_file *file,
			   const struct bl_hook_list *hooks)
{
	if (has_guard(hooks) && has_lost_trust(loader, file))
		hold(loader, file, BL_HOOK_FILE_CHANGED,
		     bl_arena_printf(loader->arena,
				     "the workspace was trusted once, and is "
				     "not now (to have its guards ignored: "
				     "belay trust remove --forget %.*s)",
				     BL_STR_ARG(file->workspace)));
	else
		hold(loader, file, BL_HOOK_FILE_UNTRUSTED,
		     BL_STR("the workspace is not trusted"));
}

/*
 * Asks trust about a project file whose pins could be made (pin_err.status
 * OK) or not: what cannot be compared does not count as unchanged.
 */
static void check_trust(struct loader *loader, struct bl_hook_file *file,
			const struct bl_hook_list *hooks,
			const struct bl_error *pin_err)
{
	const struct bl_trust_record *record =
		bl_trust_find(&loader->store, file->workspace);
	struct bl_str why;
	enum bl_trust_state state;

	if (record && record->mode == BL_TRUST_PINNED &&
	    pin_err->status != BL_OK) {
		hold(loader, file, BL_HOOK_FILE_CHANGED,
		     bl_arena_printf(loader->arena, "%s", pin_err->message));
		return;
	}
	state = bl_trust_compare(record, file->pins, file->pin_count,
				 loader->arena, &why);
	if (state == BL_TRUST_CHANGED)
		hold(loader, file, BL_HOOK_FILE_CHANGED, why);
	else if (state == BL_TRUST_UNKNOWN &&
		 file->state == BL_HOOK_FILE_LOADED)
		hold_untrusted(loader, file, hooks);
}

/* The commands of a file, for the walks over its scripts. */
static enum bl_status list_commands(struct loader *loader,
				    const struct bl_hook_list *hooks,
				    struct bl_trust_commands *out_commands)
{
	struct bl_str *commands =
		bl_arena_new_array(loader->arena, struct bl_str, hooks->count);
	size_t count = 0;

	if (!commands)
		return bl_arena_fail(loader->arena, loader->err);
	for (size_t i = 0; i < hooks->count; i++) {
		const struct bl_hook *hook = &hooks->items[i];
		/* Of a webhook it is the CA file that others must not change. */
		struct bl_str command =
			hook->webhook ? hook->webhook->ca_file : hook->command;

		if (command.len > 0)
			commands[count++] = command;
	}
	out_commands->items = commands;
	out_commands->count = count;
	return BL_OK;
}

static void check_scripts(struct loader *loader, struct bl_hook_file *file,
			  const struct bl_trust_commands *commands)
{
	struct bl_error err = { 0 };
	enum bl_owner_verdict verdict = BL_OWNER_OK;
	struct bl_str why = { NULL, 0 };
	bool is_managed = bl_source_is_managed(file->source);

	if (bl_trust_check_scripts(commands, loader->arena, &verdict, &why,
				   &err) != BL_OK)
		why = bl_arena_printf(loader->arena, "%s", err.message);
	else if (verdict == BL_OWNER_OK)
		return;
	report(loader, file,
	       is_managed ? BL_RULE_UNSAFE_SCRIPT : BL_RULE_OTHERS_WRITE_SCRIPT,
	       why);
	if (is_managed) {
		file->state = BL_HOOK_FILE_UNSAFE;
		file->why = why;
	}
}

/* Trust and owners: what may keep a readable file's hooks from running. */
static enum bl_status judge(struct loader *loader, struct bl_hook_file *file,
			    struct bl_str content,
			    const struct bl_hook_list *hooks)
{
	struct bl_error pin_err = { 0 };
	struct bl_trust_commands commands = { .dir = file->dir };
	struct bl_trust_pins pins = { NULL, 0 };
	enum bl_status status = list_commands(loader, hooks, &commands);

	if (status != BL_OK)
		return status;
	if (file->source == BL_SOURCE_PROJECT && !loader->options->trust_all) {
		bl_trust_make_pins(file->path, content, &commands,
				   loader->arena, &pins, &pin_err);
		file->pins = pins.items;
		file->pin_count = pins.count;
		if (pin_err.status != BL_OK)
			file->unpinnable = bl_arena_printf(loader->arena, "%s",
							   pin_err.message);
		check_trust(loader, file, hooks, &pin_err);
	}
	if (file->state == BL_HOOK_FILE_LOADED)
		check_scripts(loader, file, &commands);
	if (file->team && file->held != BL_HOOK_FILE_LOADED &&
	    file->state == BL_HOOK_FILE_LOADED) {
		file->state = file->held;
		file->why = file->held_why;
		report(loader, file, BL_RULE_TEAM_HELD, file->why);
	}
	return BL_OK;
}

/* ---- one file ------------------------------------------------------- */

static bool keeps_hooks(const struct bl_hook_file *file)
{
	return file->state == BL_HOOK_FILE_LOADED ||
	       file->state == BL_HOOK_FILE_UNTRUSTED ||
	       file->state == BL_HOOK_FILE_CHANGED;
}

/* Moves the hooks of one file to the end of the set. */
static enum bl_status take_hooks(struct loader *loader,
				 struct bl_hook_list *hooks)
{
	for (size_t i = 0; i < hooks->count; i++) {
		if (!bl_hook_list_add(&loader->hooks, loader->arena,
				      &hooks->items[i]))
			return bl_arena_fail(loader->arena, loader->err);
		hooks->items[i].backtrack = NULL; /* moved */
	}
	return BL_OK;
}

/* The first error that was found since the list had its end at last. */
static struct bl_str first_error(struct bl_diag *const *last)
{
	for (const struct bl_diag *diag = *last; diag; diag = diag->next) {
		if (diag->severity == BL_SEVERITY_ERROR)
			return diag->message;
	}
	return BL_STR("it has errors");
}

/* Not those of a project that nobody has vouched for. */
static bool has_guards(const struct loader *loader,
		       const struct bl_hook_file *file)
{
	const struct bl_trust_record *record;

	if (file->source != BL_SOURCE_PROJECT || loader->options->trust_all)
		return true;
	record = bl_trust_find(&loader->store, file->workspace);
	return (record && record->mode == BL_TRUST_FOLDER) ||
	       has_lost_trust(loader, file);
}

static enum bl_status parse_file(struct loader *loader,
				 struct bl_hook_file *file,
				 struct bl_str content)
{
	struct bl_diag_source source = { .file = file->path, .text = content };
	struct bl_diag **last = loader->diags->tail;
	struct bl_hook_text text = {
		.profile = loader->options->profile,
		.contract = loader->contract,
		.limits = loader->options->limits,
		.source = file->source,
		.lenient = loader->options->lenient &&
			   !bl_source_is_managed(file->source),
		.file = file,
		.text = &source,
		.diags = loader->diags,
		.arena = loader->arena,
	};
	enum bl_status status = bl_hook_parse(&text, loader->err);

	if (status == BL_OK && text.refused) {
		bl_hook_list_clear(&text.hooks);
		if (file->state == BL_HOOK_FILE_LOADED) {
			file->state = BL_HOOK_FILE_BROKEN;
			file->why = first_error(last);
		}
	}
	if (status == BL_OK && has_guards(loader, file))
		file->lost_guards = bl_hook_lost_guards(&text);
	if (file->lost_guards && !file->why.len)
		file->why = first_error(last);
	if (status == BL_OK)
		status = judge(loader, file, content, &text.hooks);
	if (status == BL_OK && keeps_hooks(file))
		status = take_hooks(loader, &text.hooks);
	bl_hook_list_clear(&text.hooks);
	return status;
}

/* The profile's feature gate is off. */
static bool is_gated(const struct bl_hook_options *options,
		     const struct bl_hook_file *file)
{
	return file->source == BL_SOURCE_PROJECT &&
	       options->profile->has_project_gate && !options->project_gate;
}

static enum bl_status load_file(struct loader *loader,
				struct bl_hook_file *file)
{
	struct bl_str content = { NULL, 0 };
	enum bl_status status;

	if (file->state != BL_HOOK_FILE_MISSING)
		return BL_OK;
	status = bl_hook_read(loader->options, file, loader->diags,
			      loader->arena, &content, loader->err);
	if (status != BL_OK)
		return status;
	if (!bl_hook_check_signed(file, content, loader->arena)) {
		report(loader, file, BL_RULE_TAMPERED, file->why);
		return BL_OK;
	}
	if (is_gated(loader->options, file)) {
		if (file->state == BL_HOOK_FILE_MISSING)
			return BL_OK;
		file->state = BL_HOOK_FILE_GATED;
		file->why = BL_STR("project hooks are switched off");
		report(loader, file, BL_RULE_GATED, file->why);
		return BL_OK;
	}
	if (file->state == BL_HOOK_FILE_LOADED ||
	    file->state == BL_HOOK_FILE_UNSAFE) {
		if (content.ptr)
			return parse_file(loader, file, content);
		return BL_OK;
	}
	/* Nobody knows what it holds. */
	if (file->state == BL_HOOK_FILE_BROKEN && has_guards(loader, file) &&
	    loader->options->profile->has_options)
		file->lost_guards = UINT64_MAX;
	notice_loss(loader, file);
	return BL_OK;
}

/* ---- the set -------------------------------------------------------- */

/* Of one event no more hooks may run than can be run at once. */
static enum bl_status check_event_counts(struct loader *loader)
{
	uint64_t limit = loader->options->limits->hooks_per_event;
	size_t *counts = bl_arena_new_array(loader->arena, size_t,
					    loader->contract->event_count);

	if (!counts)
		return bl_arena_fail(loader->arena, loader->err);
	for (size_t i = 0; i < loader->hooks.count; i++) {
		const struct bl_hook *hook = &loader->hooks.items[i];
		size_t at =
			(size_t)(hook->hook_event - loader->contract->events);

		if (hook->file->state != BL_HOOK_FILE_LOADED)
			continue;
		if (++counts[at] > limit)
			return bl_fail(loader->err, BL_LIMIT,
				       "more than %llu hooks for %s",
				       (unsigned long long)limit,
				       hook->hook_event->name);
	}
	return BL_OK;
}

/* Trust matters only where there are project files. */
static enum bl_status read_store(struct loader *loader)
{
	const struct bl_hook_options *options = loader->options;
	enum bl_status status;

	if (options->trust_all || options->workspace_count == 0 ||
	    options->home.len == 0)
		return BL_OK;
	status = bl_trust_read(loader->arena, options->home, &loader->store,
			       loader->err);
	if (bl_arena_status(loader->arena) != BL_OK || status == BL_NO_MEMORY ||
	    status == BL_OK)
		return status;
	if (loader->err)
		loader->err->status = BL_INVALID;
	return BL_INVALID;
}

static void check_start(struct loader *loader)
{
	for (size_t i = 0; i < loader->hooks.count; i++) {
		const struct bl_hook *hook = &loader->hooks.items[i];
		struct bl_script_fault fault =
			bl_hook_check_start(hook, loader->arena);

		if (fault.text.len)
			report(loader, hook->file, BL_RULE_CANNOT_START,
			       bl_arena_printf(loader->arena, "%s: %.*s",
					       hook->hook_event->name,
					       BL_STR_ARG(fault.text)));
	}
}

static enum bl_status load_all(struct loader *loader,
			       struct bl_hook_files *out_files)
{
	enum bl_status status = read_store(loader);

	if (status == BL_OK)
		status = bl_hook_locate(loader->options, loader->arena,
					loader->diags, out_files, loader->err);
	for (size_t i = 0; status == BL_OK && i < out_files->count; i++)
		status = load_file(loader, &out_files->items[i]);
	if (status == BL_OK)
		status = check_event_counts(loader);
	if (status == BL_OK && loader->options->check_start)
		check_start(loader);
	if (status == BL_OK)
		status = bl_hook_apply_settings(loader->options, &loader->hooks,
						loader->diags, loader->arena,
						loader->err);
	return status;
}

enum bl_status bl_hook_set_load(const struct bl_hook_options *options,
				struct bl_arena *arena,
				struct bl_hook_set *out_set,
				struct bl_error *err)
{
	struct bl_hook_set set = {
		.profile = options->profile,
		.contract = bl_contract_get(options->profile->dialect),
	};
	struct bl_limits usual = bl_limits_default();
	struct bl_hook_options filled = *options;
	struct loader loader = { .options = &filled,
				 .contract = set.contract,
				 .arena = arena,
				 .err = err };
	struct bl_hook_files files = { 0 };
	enum bl_status status;

	if (!filled.limits)
		filled.limits = &usual;
	/* On the heap of the arena: the list's tail points into the struct. */
	loader.diags = bl_arena_new(arena, struct bl_diags);
	if (!loader.diags)
		return bl_arena_fail(arena, err);
	bl_diags_init(loader.diags, arena);
	status = load_all(&loader, &files);
	if (status == BL_OK && loader.diags->out_of_memory)
		status = bl_arena_fail(arena, err);
	if (status != BL_OK) {
		bl_hook_list_clear(&loader.hooks);
		return status;
	}
	set.files = files.items;
	set.file_count = files.count;
	set.team = files.team;
	set.hooks = loader.hooks.items;
	set.hook_count = loader.hooks.count;
	*out_set = set;
	out_set->diags = *loader.diags;
	if (!out_set->diags.first)
		out_set->diags.tail = &out_set->diags.first;
	return BL_OK;
}

void bl_hook_set_clear(struct bl_hook_set *set)
{
	/* The hooks are ours: const is for the readers of a set. */
	struct bl_hook_list list = {
		.items = (struct bl_hook *)(uintptr_t)set->hooks,
		.count = set->hook_count,
	};

	bl_hook_list_clear(&list);
	*set = (struct bl_hook_set){ .profile = set->profile };
}

enum bl_status bl_hook_file_validate(const struct bl_profile *profile,
				     enum bl_source source,
				     const struct bl_diag_source *source_text,
				     struct bl_diags *diags,
				     struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_arena scratch;
	struct bl_hook_text text = {
		.profile = profile,
		.contract = bl_contract_get(profile->dialect),
		.limits = &limits,
		.source = source,
		.text = source_text,
		.diags = diags,
		.arena = &scratch,
	};
	enum bl_status status;

	bl_arena_init(&scratch, NULL, 0, 0);
	status = bl_hook_parse(&text, err);
	bl_hook_list_clear(&text.hooks);
	bl_arena_clear(&scratch);
	if (status == BL_OK && diags->out_of_memory)
		return bl_fail_memory(err);
	return status;
}

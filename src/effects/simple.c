/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/simple.c: one simple command: its words, assignments and redirections,
 * and what its first word is: function, builtin or program.
 *
 * A word whose variable may have several values makes the command run once for
 * each (choices of state.c), like the digits of a number that is counted up.
 */
#include "effects/private.h"

/* ---- redirections ----------------------------------------------------------- */

static struct effects_sink *file_sink(struct effects_walk *walk,
				      struct effects_text path)
{
	struct effects_sink *sink =
		bl_arena_new(walk->arena, struct effects_sink);

	if (!sink)
		return NULL;
	effects_builder_init(&sink->text, walk->arena,
			     walk->limits.content_bytes);
	sink->is_kept = true;
	sink->path = path;
	sink->effect = walk->is_silent || !walk->effect_count
			       ? UINT32_MAX
			       : (uint32_t)walk->effect_count - 1;
	return sink;
}

static bool has_prefix(struct effects_text text, const char *prefix)
{
	return bl_str_has_prefix(effects_str(text), bl_str(prefix));
}

/* The number of a descriptor that a path names, or -1. */
int effects_descriptor(struct effects_text path)
{
	if (effects_is(path, "/dev/stdin"))
		return 0;
	if (effects_is(path, "/dev/stdout"))
		return 1;
	if (effects_is(path, "/dev/stderr"))
		return 2;
	if ((has_prefix(path, "/dev/fd/") && path.len == 9) ||
	    (has_prefix(path, "/proc/self/fd/") && path.len == 15)) {
		char digit = path.ptr[path.len - 1];

		return digit >= '0' && digit <= '9' ? digit - '0' : -1;
	}
	return -1;
}

/* /dev/tcp/HOST/PORT: bash opens a connection itself. */
static bool open_connection(struct effects_walk *walk,
			    struct effects_text target, struct effects_fd *fd,
			    bool is_write, struct bl_shell_span span)
{
	struct effects_text host;

	if (!has_prefix(target, "/dev/tcp/") &&
	    !has_prefix(target, "/dev/udp/"))
		return false;
	host = effects_cut(target, 9, target.len);
	effects_add_plain(walk, BL_FACT_NETWORK, BL_STR("socket"), &host,
			  is_write ? BL_FACT_IS_SEND | BL_FACT_IS_RECEIVE
				   : BL_FACT_IS_RECEIVE,
			  span);
	fd->is_known = true;
	fd->content = effects_hole(walk, BL_STR("network"),
				   BL_FACT_FROM_NETWORK, true);
	fd->sink = file_sink(walk, target);
	return true;
}

static void open_read(struct effects_walk *walk, struct effects_state *state,
		      struct effects_text target, struct effects_fd *fd,
		      struct bl_shell_span span)
{
	struct effects_path path;
	int source = effects_descriptor(target);

	if (source >= 0) {
		*fd = state->fds->items[source];
		return;
	}
	effects_path(walk, state, target, 0, &path);
	effects_add_path(walk, state, BL_FACT_READ, BL_STR("redirect"), target,
			 BL_FACT_IS_QUIET, 0, span);
	fd->is_known = true;
	if (!effects_content(walk, &path, &fd->content))
		fd->content =
			effects_hole(walk, effects_fact_text(walk, target).text,
				     BL_FACT_FROM_FILE, true);
	if (effects_is_secret(walk, &path))
		fd->content.origins |= BL_FACT_FROM_SECRET;
}

static void open_write(struct effects_walk *walk, struct effects_state *state,
		       struct effects_text target, struct effects_fd *fd,
		       bool is_append, struct bl_shell_span span)
{
	struct effects_path path;
	struct effects_pending *pending;
	int source = effects_descriptor(target);

	if (source >= 0) {
		*fd = state->fds->items[source];
		return;
	}
	for (pending = walk->pending; pending; pending = pending->next) {
		if (effects_is(target, pending->sink->path.ptr)) {
			fd->sink = pending->sink;
			return;
		}
	}
	effects_path(walk, state, target, 0, &path);
	effects_add_path(walk, state, BL_FACT_WRITE, BL_STR("redirect"), target,
			 is_append ? BL_FACT_IS_APPEND : 0, 0, span);
	fd->sink = file_sink(walk, path.text);
	if (path.state == BL_FACT_KNOWN)
		effects_file_put(walk, effects_str(path.text),
				 effects_text(BL_STR("")), is_append);
}

/* The text of a here-document or here-string. */
static void open_text(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_redirection *r,
		      struct effects_fd *fd)
{
	fd->is_known = true;
	if (r->kind == BL_SHELL_HERE_STRING) {
		fd->content = effects_join(
			walk->arena, effects_expand_one(walk, state, r->target),
			effects_text(BL_STR("\n")));
	} else if (r->here && r->here->body && !r->here->is_quoted) {
		fd->content = effects_expand_one(walk, state, r->here->body);
	} else if (r->here) {
		fd->content = effects_text(r->here->text);
	}
}

static void copy_descriptor(struct effects_walk *walk,
			    struct effects_state *state,
			    const struct bl_shell_redirection *r,
			    struct effects_text target, struct effects_fd *fd)
{
	int32_t source = r->source;

	if (r->copy == BL_SHELL_COPY_CLOSE) {
		fd->is_closed = true;
		return;
	}
	if (r->copy == BL_SHELL_COPY_WORD &&
	    open_connection(walk, target, fd, true, r->span))
		return;
	if (r->copy == BL_SHELL_COPY_WORD) {
		if (r->kind == BL_SHELL_COPY_OUT && !r->has_descriptor &&
		    effects_is_known(target) && target.len &&
		    (target.ptr[0] < '0' || target.ptr[0] > '9')) {
			/* >& FILE writes both streams. */
			open_write(walk, state, target, fd, false, r->span);
			effects_set_fd(walk, state, 2, fd);
			return;
		}
		source = target.len == 1 ? target.ptr[0] - '0' : -1;
	}
	if (source >= 0 && source < EFFECTS_FDS)
		*fd = state->fds->items[source];
}

static void note_redirection(struct effects_walk *walk,
			     const struct bl_shell_redirection *r,
			     struct effects_text target,
			     struct effects_redirected *out)
{
	struct bl_fact_redirection *items = bl_arena_room(
		walk->arena, out->items, out->count, &out->cap, sizeof(*items));

	if (!items)
		return;
	out->items = items;
	items[out->count++] = (struct bl_fact_redirection){
		.descriptor = r->descriptor,
		.kind = r->kind,
		.target = effects_fact_text(walk, target),
	};
}

/*
 * A word that becomes several is an error in bash; zsh opens each of them, and
 * the agent's shell may be zsh.
 */
static void open_others(struct effects_walk *walk, struct effects_state *state,
			const struct bl_shell_redirection *r,
			const struct effects_args *matches)
{
	bool is_read = r->kind == BL_SHELL_READ;

	for (size_t i = 1; i < matches->count; i++)
		effects_add_path(walk, state,
				 is_read ? BL_FACT_READ : BL_FACT_WRITE,
				 BL_STR("redirect"), matches->items[i].text,
				 is_read ? BL_FACT_IS_QUIET : 0, 0, r->span);
}

static void redirect_one(struct effects_walk *walk, struct effects_state *state,
			 const struct bl_shell_redirection *r,
			 struct effects_redirected *out)
{
	struct effects_fd fd = { 0 };
	struct effects_text target = { "", 0, 0 };
	bool is_here =
		r->kind == BL_SHELL_HERE || r->kind == BL_SHELL_HERE_TABS;
	bool is_both = r->kind == BL_SHELL_WRITE_BOTH ||
		       r->kind == BL_SHELL_APPEND_BOTH;
	struct effects_args matches = { 0 };

	if (!is_here && r->kind != BL_SHELL_HERE_STRING) {
		/* A target is expanded as a word, globs too. */
		struct bl_shell_word word = *r->target;

		word.next = NULL;
		effects_expand(walk, state, &word, &matches);
		if (matches.count)
			target = matches.items[0].text;
		note_redirection(walk, r, target, out);
		open_others(walk, state, r, &matches);
	}
	if (is_here || r->kind == BL_SHELL_HERE_STRING)
		open_text(walk, state, r, &fd);
	else if (r->kind == BL_SHELL_COPY_IN || r->kind == BL_SHELL_COPY_OUT)
		copy_descriptor(walk, state, r, target, &fd);
	else if (open_connection(walk, target, &fd, r->kind != BL_SHELL_READ,
				 r->span))
		;
	else if (r->kind == BL_SHELL_READ)
		open_read(walk, state, target, &fd, r->span);
	else
		open_write(walk, state, target, &fd,
			   r->kind == BL_SHELL_APPEND ||
				   r->kind == BL_SHELL_APPEND_BOTH ||
				   r->kind == BL_SHELL_READ_WRITE,
			   r->span);
	if (r->descriptor >= 0)
		effects_set_fd(walk, state, (uint32_t)r->descriptor, &fd);
	if (is_both)
		effects_set_fd(walk, state, 2, &fd);
}

void effects_redirect(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_redirection *redirection,
		      struct effects_redirected *out)
{
	for (; redirection; redirection = redirection->next)
		redirect_one(walk, state, redirection, out);
}

/* ---- assignments ------------------------------------------------------------ */

static void assign_array(struct effects_walk *walk, struct effects_state *state,
			 const struct bl_shell_assignment *assignment)
{
	const struct effects_variable *old =
		effects_variable(walk, state, assignment->name);
	struct effects_variable variable = { .is_array = true };
	struct effects_args args = { 0 };
	struct effects_text *values;

	if (assignment->is_append && old) {
		for (uint32_t i = 0; i < old->count; i++)
			effects_args_add(walk, &args, old->values[i],
					 (struct bl_shell_span){ 0 });
	}
	effects_expand(walk, state, assignment->elements, &args);
	values = bl_arena_new_array(walk->arena, struct effects_text,
				    args.count + 1);
	if (!values)
		return;
	for (size_t i = 0; i < args.count; i++)
		values[i] = args.items[i].text;
	variable.values = values;
	variable.count = (uint32_t)args.count;
	effects_set_variable(walk, state, assignment->name, &variable);
}

/* a[1]=x: the element, when the array and the subscript are known. */
static void assign_element(struct effects_walk *walk,
			   struct effects_state *state,
			   const struct bl_shell_assignment *assignment,
			   struct effects_text value)
{
	const struct effects_variable *old =
		effects_variable(walk, state, assignment->name);
	struct effects_variable variable = { .is_array = true };
	struct effects_text subscript =
		effects_expand_one(walk, state, assignment->subscript);
	uint32_t count = old && old->is_array ? old->count : 0;
	struct effects_text *values;
	int64_t index;

	if (!effects_arithmetic(walk, state, subscript, &index) || index < 0 ||
	    index > count)
		index = count;
	values = bl_arena_new_array(walk->arena, struct effects_text,
				    (size_t)count + 1);
	if (!values)
		return;
	if (count)
		memcpy(values, old->values, count * sizeof(*values));
	values[index] = value;
	variable.values = values;
	variable.count = index < count ? count : count + 1;
	effects_set_variable(walk, state, assignment->name, &variable);
}

static void assign(struct effects_walk *walk, struct effects_state *state,
		   const struct bl_shell_assignment *assignment)
{
	struct effects_text value, old;

	if (assignment->is_array) {
		assign_array(walk, state, assignment);
		return;
	}
	value = assignment->value
			? effects_expand_one(walk, state, assignment->value)
			: (struct effects_text){ "", 0, 0 };
	if (assignment->subscript) {
		assign_element(walk, state, assignment, value);
		return;
	}
	if (assignment->is_append) {
		if (!effects_value(walk, state, assignment->name, &old))
			old = effects_hole(walk, assignment->name,
					   BL_FACT_FROM_VARIABLE, true);
		value = effects_join(walk->arena, old, value);
	}
	effects_set(walk, state, assignment->name, value);
}

/* ---- what the first word is -------------------------------------------------- */

static struct effects_function *find_function(struct effects_walk *walk,
					      struct effects_state *state,
					      struct bl_str name)
{
	const void *function = effects_map_get(
		state->functions,
		effects_name_id(walk->arena, &walk->names, name));

	return (struct effects_function *)(uintptr_t)function;
}

void effects_call(struct effects_walk *walk, struct effects_state *state,
		  struct effects_function *function,
		  const struct effects_args *args)
{
	struct effects_params before = state->params;
	struct effects_text *items = bl_arena_new_array(
		walk->arena, struct effects_text, args->count);
	bool is_nested = walk->is_nested;
	struct bl_shell_span span = walk->span;
	uint32_t maybe = state->maybe;
	uint32_t ends = EFFECTS_END_FUNCTION;

	if (function->is_running || !items ||
	    walk->depth >= walk->limits.depth) {
		/* :(){ :|:& };: and other calls of itself without an end. */
		effects_add_plain(walk, BL_FACT_PROCESS, BL_STR("recursion"),
				  NULL, 0, args->items[0].span);
		return;
	}
	for (size_t i = 1; i < args->count; i++)
		items[i - 1] = args->items[i].text;
	state->params =
		(struct effects_params){ items, (uint32_t)args->count - 1,
					 true };
	walk->depth++;
	function->is_running = true;
	if (function->is_nested) {
		walk->is_nested = true;
		walk->span = function->span;
	}
	effects_run(walk, state, function->body);
	effects_settle(walk, state);
	walk->is_nested = is_nested;
	walk->span = span;
	function->is_running = false;
	walk->depth--;
	state->params = before;
	state->ended &= ~ends;
	state->maybe = (state->maybe & ~ends) | (maybe & ends);
}

void effects_dispatch(struct effects_walk *walk, struct effects_state *state,
		      const struct effects_args *args,
		      struct bl_shell_span span, enum effects_lookup lookup)
{
	struct effects_text name = args->items[0].text;
	struct effects_function *function = NULL;

	if (!effects_is_known(name)) {
		if (effects_command(walk, state, args, span))
			effects_opaque(walk, BL_FACT_OPAQUE_PROGRAM, name,
				       args->items[0].span);
		state->status = EFFECTS_EITHER;
		return;
	}
	if (lookup == EFFECTS_LOOKUP_ALL)
		function = find_function(walk, state, effects_str(name));
	if (function) {
		effects_call(walk, state, function, args);
		return;
	}
	if (lookup != EFFECTS_LOOKUP_PROGRAMS &&
	    effects_builtin(walk, state, args, span))
		return;
	state->status = EFFECTS_EITHER;
	effects_program(walk, state, args, span);
}

/* ---- the command ------------------------------------------------------------ */

/* The input of >(...) of the command is run. */
static void run_pending(struct effects_walk *walk, struct effects_state *state,
			struct effects_pending *until)
{
	while (walk->pending != until && walk->pending) {
		struct effects_pending *pending = walk->pending;
		struct effects_state child = *state;
		struct effects_fd fd = { .is_known = true };

		walk->pending = pending->next;
		fd.content = effects_built(&pending->sink->text);
		fd.content.origins |= pending->sink->sends;
		effects_set_fd(walk, &child, 0, &fd);
		effects_script(walk, &child, pending->script);
	}
}

static void add_environment(struct effects_walk *walk,
			    struct bl_fact_command *command,
			    struct effects_state *state,
			    const struct bl_shell_word *assignments)
{
	struct bl_effects_variable *items = NULL;
	size_t cap = 0;

	for (; assignments; assignments = assignments->next) {
		struct effects_text value = { "", 0, 0 };

		if (!assignments->assignment)
			continue;
		items = bl_arena_room(walk->arena, items,
				      command->environment_count, &cap,
				      sizeof(*items));
		if (!items)
			return;
		effects_value(walk, state, assignments->assignment->name,
			      &value);
		items[command->environment_count++] =
			(struct bl_effects_variable){
				assignments->assignment->name,
				effects_fact_text(walk, value).text
			};
		command->environment = items;
	}
}

static void set_assignments(struct effects_walk *walk,
			    struct effects_state *state,
			    const struct bl_shell_word *word)
{
	for (; word; word = word->next) {
		if (word->assignment)
			assign(walk, state, word->assignment);
	}
}

/* The variables that were set for one command are as before. */
static void restore(struct effects_walk *walk, struct effects_state *state,
		    const struct bl_shell_word *word, struct effects_map before)
{
	for (; word; word = word->next) {
		uint32_t id;

		if (!word->assignment)
			continue;
		id = effects_name_id(walk->arena, &walk->names,
				     word->assignment->name);
		state->variables =
			effects_map_set(walk->arena, state->variables, id,
					effects_map_get(before, id));
	}
}

/* An alias takes the place of the first word, when aliases are on. */
static bool run_alias(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_command *command,
		      const struct effects_args *args)
{
	const struct effects_text *alias;
	struct effects_text text;
	struct bl_shell_span rest;

	if (!state->has_aliases || !args->count ||
	    (command->simple.words->flags & BL_SHELL_WORD_QUOTED))
		return false;
	alias = effects_map_get(
		state->aliases,
		effects_name_id(walk->arena, &walk->names,
				effects_str(args->items[0].text)));
	if (!alias)
		return false;
	rest = command->simple.words->span;
	text = effects_join(walk->arena, *alias,
			    effects_text(bl_str_slice(walk->source, rest.end,
						      command->span.end)));
	state->has_aliases = false;
	effects_run_text(walk, state, text, false, NULL, command->span);
	state->has_aliases = true;
	return true;
}

/* Can the file be opened, for all that is known?  Then its command runs. */
static bool can_open(struct effects_walk *walk,
		     const struct effects_state *state, bool is_read,
		     struct bl_str target)
{
	struct bl_fact_effect effect = { .kind = BL_FACT_WRITE };
	struct effects_path path;
	size_t end;

	effects_path(walk, state, effects_text(target), 0, &path);
	if (path.state != BL_FACT_KNOWN)
		return false;
	if (path.file == BL_EFFECTS_FILE_OTHER ||
	    (is_read && effects_file_find(walk, effects_str(path.text))))
		return true;
	if (is_read || path.file != BL_EFFECTS_FILE_MISSING)
		return path.file == BL_EFFECTS_FILE_REGULAR;
	effects_place(walk, &path, &effect);
	end = path.text.len;
	while (end > 1 && path.text.ptr[end - 1] != '/')
		end--;
	return effect.place != BL_FACT_PLACE_SYSTEM &&
	       effects_look(walk, bl_str_slice(effects_str(path.text), 0,
					       end > 1 ? end - 1 : end)) ==
		       BL_EFFECTS_FILE_FOLDER;
}

/* A redirection that fails keeps its command from running: status 1. */
static void note_failing(struct effects_walk *walk, struct effects_state *state,
			 const struct effects_redirected *redirected)
{
	for (size_t i = 0; i < redirected->count; i++) {
		const struct bl_fact_redirection *one = &redirected->items[i];
		bool is_read = one->kind == BL_SHELL_READ;

		if (!is_read && one->kind != BL_SHELL_WRITE &&
		    one->kind != BL_SHELL_APPEND &&
		    one->kind != BL_SHELL_WRITE_BOTH)
			continue;
		if (state->status == EFFECTS_SUCCESS &&
		    (one->target.state != BL_FACT_KNOWN ||
		     !can_open(walk, state, is_read, one->target.text)))
			state->status = EFFECTS_EITHER;
	}
}

static void run_words(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_command *command,
		      const struct effects_args *args)
{
	const struct effects_fds *fds = state->fds;
	struct effects_redirected redirected = { 0 };
	struct effects_map variables = state->variables;
	size_t first = walk->command_count;
	bool is_exec =
		effects_is(args->items[0].text, "exec") && args->count == 1;

	walk->command = UINT32_MAX;
	set_assignments(walk, state, command->simple.assignments);
	effects_redirect(walk, state, command->redirections, &redirected);
	if (!run_alias(walk, state, command, args))
		effects_dispatch(walk, state, args, command->span,
				 EFFECTS_LOOKUP_ALL);
	if (walk->command_count > first) {
		struct bl_fact_command *fact = &walk->commands[first];

		fact->redirections = redirected.items;
		fact->redirection_count = redirected.count;
		add_environment(walk, fact, state, command->simple.assignments);
	}
	note_failing(walk, state, &redirected);
	if (command->redirections && !is_exec)
		state->fds = fds;
	restore(walk, state, command->simple.assignments, variables);
}

/*
 * $(< FILE): what the file holds, as cat prints it.  first is the effect that the
 * redirection added, where it did: the silent pass of a loop adds none.
 */
static void print_redirected(struct effects_walk *walk,
			     struct effects_state *state,
			     const struct bl_shell_redirection *redirection,
			     uint32_t first)
{
	struct effects_text content = state->fds->items[0].content;

	if (!redirection || redirection->next ||
	    redirection->kind != BL_SHELL_READ || redirection->descriptor ||
	    !state->fds->items[1].sink)
		return;
	if (walk->effect_count > first)
		walk->effects[first].action = BL_STR("capture");
	if (content.origins & BL_FACT_FROM_SECRET) {
		content = effects_hole(walk, BL_STR("$(<)"),
				       BL_FACT_FROM_SECRET, true);
		if (walk->effect_count > first)
			walk->holes[(unsigned char)content.ptr[1] -
				    EFFECTS_HOLE]
				.effect = first;
	}
	effects_output(walk, state, content);
}

static void run_once(struct effects_walk *walk, struct effects_state *state,
		     const struct bl_shell_command *command, uint32_t base)
{
	struct effects_pending *pending = walk->pending;
	struct effects_args args = { 0 };
	struct effects_redirected redirected = { 0 };
	bool is_maybe = walk->is_maybe;

	effects_cwd(walk, state);
	state->status = EFFECTS_SUCCESS;
	effects_expand(walk, state, command->simple.words, &args);
	walk->is_maybe = is_maybe || walk->choice_count > base;
	if (state->ended) {
		; /* ${x:?} */
	} else if (args.count) {
		run_words(walk, state, command, &args);
	} else {
		const struct effects_fds *fds = state->fds;
		uint32_t first = (uint32_t)walk->effect_count;

		walk->command = UINT32_MAX;
		effects_redirect(walk, state, command->redirections,
				 &redirected);
		print_redirected(walk, state, command->redirections, first);
		set_assignments(walk, state, command->simple.assignments);
		state->fds = fds;
	}
	run_pending(walk, state, pending);
	walk->is_maybe = is_maybe;
}

/* The next way through the choices behind base; false: all were walked. */
static bool next_choice(struct effects_walk *walk, uint32_t base)
{
	while (walk->choice_count > base) {
		struct effects_choice *last =
			&walk->choices[walk->choice_count - 1];

		if (++last->at < last->count)
			return true;
		walk->choice_count--;
	}
	return false;
}

/* How many facts there are, and what the command has printed. */
struct extent {
	size_t commands, effects, opaque;
	struct effects_sink *sink;
	size_t printed;
};

static struct extent measure(const struct effects_walk *walk,
			     const struct effects_state *state)
{
	struct effects_sink *sink = state->fds->items[1].sink;

	return (struct extent){ walk->command_count, walk->effect_count,
				walk->opaque_count, sink,
				sink ? sink->text.len : 0 };
}

static bool is_same_command(const struct bl_fact_command *a,
			    const struct bl_fact_command *b)
{
	if (a->argc != b->argc)
		return false;
	for (size_t i = 0; i < a->argc; i++) {
		if (!bl_str_equal(a->argv[i].text, b->argv[i].text))
			return false;
	}
	return true;
}

/* Do the facts from..to say the same as those before..from? */
static bool is_same(const struct effects_walk *walk,
		    const struct extent *before, const struct extent *from,
		    const struct extent *to)
{
	size_t commands = from->commands - before->commands;
	size_t effects = from->effects - before->effects;

	if (to->commands - from->commands != commands ||
	    to->effects - from->effects != effects ||
	    to->opaque - from->opaque != from->opaque - before->opaque)
		return false;
	for (size_t i = 0; i < commands; i++) {
		if (!is_same_command(&walk->commands[before->commands + i],
				     &walk->commands[from->commands + i]))
			return false;
	}
	for (size_t i = 0; i < effects; i++) {
		const struct bl_fact_effect *a =
			&walk->effects[before->effects + i];
		const struct bl_fact_effect *b =
			&walk->effects[from->effects + i];

		if (a->kind != b->kind || a->details != b->details ||
		    !bl_str_equal(a->target.text, b->target.text))
			return false;
	}
	return true;
}

/* Every way says the same: it is one command, and as certain as the line. */
static void mark_certain(struct effects_walk *walk, const struct extent *before)
{
	if (walk->is_maybe || walk->is_later)
		return;
	for (size_t i = before->commands; i < walk->command_count; i++)
		walk->commands[i].runs = BL_FACT_ALWAYS;
	for (size_t i = before->effects; i < walk->effect_count; i++)
		walk->effects[i].is_certain = true;
	for (size_t i = before->opaque; i < walk->opaque_count; i++)
		walk->opaque[i].is_certain = true;
}

/* The output of one of the ways: a common text, or one that is not known. */
static void join_output(struct effects_walk *walk, const struct extent *before,
			struct effects_text first)
{
	struct effects_builder *text;
	struct effects_text own;

	if (!before->sink || !before->sink->is_kept)
		return;
	text = &before->sink->text;
	own = effects_cut(effects_built(text), before->printed, text->len);
	text->len = before->printed;
	if (own.len != first.len ||
	    (own.len && memcmp(own.ptr, first.ptr, own.len) != 0))
		first = effects_hole(walk, BL_STR("$(...)"),
				     own.origins | first.origins, true);
	effects_put_text(text, first);
}

/* The text that was printed since before, which is then taken back. */
static struct effects_text take_output(struct effects_walk *walk,
				       const struct extent *before)
{
	struct effects_text text = { "", 0, 0 };

	if (!before->sink || !before->sink->is_kept)
		return text;
	text = effects_built(&before->sink->text);
	text = effects_cut(text, before->printed, text.len);
	text.ptr = bl_arena_copy_str(walk->arena, effects_str(text)).ptr;
	if (!text.ptr)
		text.len = 0;
	before->sink->text.len = before->printed;
	return text;
}

void effects_simple(struct effects_walk *walk, struct effects_state *state,
		    const struct bl_shell_command *command)
{
	uint32_t base = walk->choice_count;
	struct effects_state start = *state;
	struct extent before = measure(walk, state);
	struct extent first;
	uint32_t turns = 1;
	bool is_one = true;

	run_once(walk, state, command, base);
	first = measure(walk, &start);
	while (walk->choice_count > base && turns++ < EFFECTS_COMBINED &&
	       next_choice(walk, base)) {
		struct effects_state other = start;
		struct effects_text printed = take_output(walk, &before);
		struct extent from = measure(walk, &start);
		struct extent to;

		effects_settle(walk, state);
		run_once(walk, &other, command, base);
		effects_settle(walk, &other);
		effects_state_merge(walk, state, &other);
		join_output(walk, &before, printed);
		to = measure(walk, &start);
		if (is_same(walk, &before, &first, &to) &&
		    from.commands == first.commands) {
			walk->command_count = from.commands;
			walk->effect_count = from.effects;
			walk->opaque_count = from.opaque;
		} else {
			is_one = false;
		}
	}
	if (turns > 1 && is_one)
		mark_certain(walk, &before);
	walk->choice_count = base;
}

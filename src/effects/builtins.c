/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/builtins.c: the builtins of the shell that change what follows: the
 * folder, variables, functions, options, text that is run, the end of things.
 */
#include "effects/private.h"

struct call {
	struct effects_walk *walk;
	struct effects_state *state;
	const struct effects_args *args;
	struct bl_shell_span span;
};

static struct effects_text arg(const struct call *call, size_t i)
{
	if (i < call->args->count)
		return call->args->items[i].text;
	return (struct effects_text){ "", 0, 0 };
}

static bool is_option(struct effects_text text)
{
	return text.len > 1 && text.ptr[0] == '-';
}

static bool has_letter(struct effects_text text, char letter)
{
	return text.len > 1 && text.ptr[0] == '-' &&
	       memchr(text.ptr, letter, text.len);
}

/* The first word that is not an option; -- ends them. */
static size_t skip_options(const struct call *call)
{
	size_t i = 1;

	while (i < call->args->count && is_option(arg(call, i))) {
		if (effects_is(arg(call, i), "--"))
			return i + 1;
		i++;
	}
	return i;
}

static bool has_option(const struct call *call, char letter)
{
	size_t end = skip_options(call);

	for (size_t i = 1; i < end && i < call->args->count; i++) {
		if (has_letter(arg(call, i), letter))
			return true;
	}
	return false;
}

/* ---- the folder --------------------------------------------------------------- */

/* The state as it is when the command fails is kept beside. */
static void keep_failure(struct call *call, const struct effects_state *before)
{
	struct effects_state *failed =
		bl_arena_new(call->walk->arena, struct effects_state);

	call->state->status = EFFECTS_EITHER;
	if (!failed)
		return;
	*failed = *before;
	failed->failed = NULL;
	call->state->failed = failed;
}

static void change_folder(struct call *call, struct effects_text target)
{
	struct effects_state before = *call->state;
	struct effects_path path;

	if (effects_is(target, "-") &&
	    !effects_value(call->walk, call->state, BL_STR("OLDPWD"), &target))
		target = effects_hole(call->walk, BL_STR("$OLDPWD"), 0, false);
	effects_path(call->walk, call->state, target, 0, &path);
	if (path.is_unknown_base) {
		effects_set_cwd(call->walk, call->state,
				effects_state_of(target) == BL_FACT_KNOWN
					? call->walk->no_folder
					: target);
		keep_failure(call, &before);
		return;
	}
	if (path.state == BL_FACT_KNOWN &&
	    path.file == BL_EFFECTS_FILE_MISSING) {
		const struct effects_file *file =
			effects_file_find(call->walk, effects_str(path.text));

		if (!file || !file->is_folder) {
			/* mkdir may come from a program that is not modelled. */
			effects_set_cwd(call->walk, call->state, path.text);
			keep_failure(call, &before);
			return;
		}
	}
	effects_set_cwd(call->walk, call->state, path.text);
	if (path.file != BL_EFFECTS_FILE_FOLDER)
		keep_failure(call, &before);
	else
		call->state->status = EFFECTS_SUCCESS;
}

static void run_cd(struct call *call)
{
	size_t i = skip_options(call);
	struct effects_text target = arg(call, i);

	if (i < call->args->count && !target.len)
		return;
	if (i >= call->args->count &&
	    !effects_value(call->walk, call->state, BL_STR("HOME"), &target))
		target = effects_hole(call->walk, BL_STR("$HOME"), 0, false);
	change_folder(call, target);
}

/* The stack of pushd is a variable that nobody can name. */
static struct bl_str stack_name(void)
{
	return BL_STR("pushd stack");
}

static void run_pushd(struct call *call)
{
	struct effects_text target = arg(call, skip_options(call));
	struct effects_text cwd = effects_cwd(call->walk, call->state);

	if (!target.len || target.ptr[0] == '+') {
		effects_set_cwd(call->walk, call->state,
				(struct effects_text){ NULL, 0, 0 });
		return;
	}
	if (cwd.ptr)
		effects_set(call->walk, call->state, stack_name(), cwd);
	change_folder(call, target);
}

static void run_popd(struct call *call)
{
	struct effects_text top = { NULL, 0, 0 };

	effects_value(call->walk, call->state, stack_name(), &top);
	effects_set_cwd(call->walk, call->state, top);
	call->state->status = EFFECTS_SUCCESS;
}

static void run_pwd(struct call *call)
{
	struct effects_text cwd = effects_cwd(call->walk, call->state);

	if (!cwd.ptr)
		cwd = call->walk->no_folder;
	effects_output(call->walk, call->state,
		       effects_join(call->walk->arena, cwd,
				    effects_text(BL_STR("\n"))));
}

/* ---- variables --------------------------------------------------------------- */

/* set, export -p, declare -p: all variables and what they hold. */
static void print_environment(struct call *call)
{
	effects_add_plain(call->walk, BL_FACT_SECRET, BL_STR("environment"),
			  NULL, 0, call->span);
	effects_output(call->walk, call->state,
		       effects_hole(call->walk, BL_STR("environment"),
				    BL_FACT_FROM_ENVIRONMENT, true));
}

static void set_flags(struct call *call, struct bl_str name, bool is_exported,
		      bool is_readonly)
{
	const struct effects_variable *old =
		effects_variable(call->walk, call->state, name);
	struct effects_variable variable = { .is_unset = true };

	if (old)
		variable = *old;
	else if (is_exported)
		return; /* what it holds is the environment's */
	variable.is_exported |= is_exported;
	variable.is_readonly |= is_readonly;
	effects_set_variable(call->walk, call->state, name, &variable);
}

/* declare -n NAME=OTHER; a subscript in OTHER is evaluated when NAME is used. */
static void set_reference(struct call *call, struct bl_str name,
			  struct effects_text value)
{
	struct effects_variable variable = { .count = 1, .is_reference = true };
	struct effects_text *values =
		bl_arena_new_array(call->walk->arena, struct effects_text, 1);
	int64_t number;

	if (!values)
		return;
	values[0] = value;
	variable.values = values;
	effects_set_variable(call->walk, call->state, name, &variable);
	if (value.len && memchr(value.ptr, '[', value.len))
		effects_arithmetic(call->walk, call->state, value, &number);
}

/*
 * export, declare, local, readonly.  A word of the form name=(...) reaches here
 * as its text: its elements are not known.
 */
/* declare -n r='a[$(...)]': each use of r evaluates the subscript. */
static void run_reference(struct call *call, struct effects_text value)
{
	struct bl_arena *arena = call->walk->arena;
	struct effects_text use =
		effects_join(arena, effects_text(BL_STR(": \"")), value);

	if (bl_str_find(effects_str(value), BL_STR("["), 0) == SIZE_MAX)
		return;
	effects_run_text(call->walk, call->state,
			 effects_join(arena, use, effects_text(BL_STR("\""))),
			 false, NULL, call->span);
}

static void run_declare(struct call *call)
{
	struct effects_text name = arg(call, 0);
	bool is_export = effects_is(name, "export") || has_option(call, 'x');
	bool is_readonly =
		effects_is(name, "readonly") || has_option(call, 'r');
	size_t i = skip_options(call);

	if (i >= call->args->count)
		print_environment(call);
	for (; i < call->args->count; i++) {
		struct effects_text word = arg(call, i);
		const char *equals =
			word.len ? memchr(word.ptr, '=', word.len) : NULL;
		size_t end = equals ? (size_t)(equals - word.ptr) : word.len;
		bool appends = equals && end && word.ptr[end - 1] == '+';
		struct bl_str own =
			bl_str_slice(effects_str(word), 0, end - appends);
		struct effects_text value =
			effects_cut(word, end + 1, word.len);
		struct effects_text old = { "", 0, 0 };

		if (memchr(own.ptr ? own.ptr : "", 0, own.len))
			continue;
		if (equals && has_option(call, 'n')) {
			set_reference(call, own, value);
			continue;
		}
		if (appends &&
		    effects_value(call->walk, call->state, own, &old))
			value = effects_join(call->walk->arena, old, value);
		if (equals)
			effects_set(call->walk, call->state, own, value);
		if (equals && has_option(call, 'n'))
			run_reference(call, value);
		set_flags(call, own, is_export, is_readonly);
	}
	call->state->status = EFFECTS_SUCCESS;
}

static void run_unset(struct call *call)
{
	struct effects_variable unset = { .is_unset = true };
	bool is_function = has_option(call, 'f');

	for (size_t i = skip_options(call); i < call->args->count; i++) {
		struct bl_str name = effects_str(arg(call, i));

		if (!effects_is_known(arg(call, i)))
			continue;
		if (!is_function)
			effects_set_variable(call->walk, call->state, name,
					     &unset);
		else
			call->state->functions = effects_map_set(
				call->walk->arena, call->state->functions,
				effects_name_id(call->walk->arena,
						&call->walk->names, name),
				NULL);
	}
	call->state->status = EFFECTS_SUCCESS;
}

static void set_params(struct call *call, size_t first)
{
	size_t count =
		first < call->args->count ? call->args->count - first : 0;
	struct effects_text *items = bl_arena_new_array(
		call->walk->arena, struct effects_text, count + 1);

	if (!items)
		return;
	for (size_t i = 0; i < count; i++)
		items[i] = arg(call, first + i);
	call->state->params =
		(struct effects_params){ items, (uint32_t)count, true };
}

static void run_set(struct call *call)
{
	size_t i = 1;

	call->state->status = EFFECTS_SUCCESS;
	if (call->args->count == 1) {
		print_environment(call);
		return;
	}
	for (; i < call->args->count; i++) {
		struct effects_text text = arg(call, i);
		bool is_on = text.len && text.ptr[0] == '-';

		if (effects_is(text, "--")) {
			set_params(call, i + 1);
			return;
		}
		if (!is_on && !(text.len && text.ptr[0] == '+')) {
			set_params(call, i);
			return;
		}
		if (text.len > 1 && memchr(text.ptr, 'f', text.len))
			call->state->no_globs = is_on;
		if (text.len > 1 && memchr(text.ptr, 'e', text.len))
			call->state->stops_on_error = is_on;
		if (memchr(text.ptr, 'o', text.len))
			i++;
	}
}

static void run_shift(struct call *call)
{
	struct effects_params *params = &call->state->params;
	uint32_t count = call->args->count > 1 && arg(call, 1).len == 1
				 ? (uint32_t)(arg(call, 1).ptr[0] - '0')
				 : 1;

	if (count > params->count)
		count = params->count;
	params->items += count;
	params->count -= count;
	call->state->status = EFFECTS_EITHER;
}

/* The first line of what is read, which is then gone. */
static bool take_line(struct call *call, struct effects_text *out)
{
	struct effects_fd fd = call->state->fds->items[0];
	const char *newline;
	size_t end;

	if (!fd.is_known || !effects_is_known(fd.content))
		return false;
	newline = fd.content.len ? memchr(fd.content.ptr, '\n', fd.content.len)
				 : NULL;
	end = newline ? (size_t)(newline - fd.content.ptr) : fd.content.len;
	*out = effects_cut(fd.content, 0, end);
	call->state->status = newline ? EFFECTS_SUCCESS : EFFECTS_FAILURE;
	fd.content = effects_cut(fd.content, newline ? end + 1 : end,
				 fd.content.len);
	effects_set_fd(call->walk, call->state, 0, &fd);
	return true;
}

/* Splits the line over the names: each a field, the last one the rest. */
static void set_fields(struct call *call, struct effects_text line,
		       size_t first)
{
	struct effects_text ifs = { " \t\n", 3, 0 };
	size_t at = 0;

	effects_value(call->walk, call->state, BL_STR("IFS"), &ifs);
	for (size_t i = first; i < call->args->count; i++) {
		size_t end;

		while (at < line.len && ifs.len &&
		       strchr(" \t", line.ptr[at]) &&
		       memchr(ifs.ptr, line.ptr[at], ifs.len))
			at++;
		end = at;
		while (end < line.len &&
		       (i + 1 == call->args->count ||
			!(ifs.len && memchr(ifs.ptr, line.ptr[end], ifs.len))))
			end++;
		effects_set(call->walk, call->state, effects_str(arg(call, i)),
			    effects_cut(line, at, end));
		at = end + 1 < line.len ? end + 1 : line.len;
	}
}

/* The first name of read: options -a -d -i -n -N -p -t -u take a word. */
static size_t read_names(const struct call *call)
{
	size_t i = 1;

	while (i < call->args->count && is_option(arg(call, i))) {
		struct effects_text text = arg(call, i);

		i++;
		if (strchr("adinNptu", text.ptr[text.len - 1]))
			i++;
	}
	return i;
}

static void run_read(struct call *call)
{
	size_t first = read_names(call);
	struct effects_text line;
	bool is_known;
	struct effects_text input;

	if (take_line(call, &line)) {
		if (first >= call->args->count)
			effects_set(call->walk, call->state, BL_STR("REPLY"),
				    line);
		set_fields(call, line, first);
		return;
	}
	input = effects_input(call->walk, call->state, &is_known);
	call->state->status = EFFECTS_EITHER;
	for (size_t i = first; i < call->args->count; i++) {
		struct bl_str name = effects_str(arg(call, i));
		struct bl_str label = bl_arena_printf(
			call->walk->arena, "$%.*s", BL_STR_ARG(name));

		effects_set(
			call->walk, call->state, name,
			effects_hole(
				call->walk, label,
				effects_fact_text(call->walk, input).origins |
					BL_FACT_FROM_INPUT,
				true));
	}
}

static void run_mapfile(struct call *call)
{
	size_t i = 1;
	struct effects_text name = { "MAPFILE", 7, 0 };
	struct effects_variable array = { .is_array = true, .count = 1 };
	struct effects_text *values =
		bl_arena_new_array(call->walk->arena, struct effects_text, 1);
	bool is_known;
	struct effects_text input =
		effects_input(call->walk, call->state, &is_known);

	for (; i < call->args->count; i++) {
		struct effects_text text = arg(call, i);

		if (has_letter(text, 'C') && i + 1 < call->args->count)
			effects_run_text(call->walk, call->state,
					 arg(call, i + 1), true, NULL,
					 call->span);
		if (!is_option(text))
			name = text;
		else if (strchr("dnOsuCc", text.ptr[text.len - 1]))
			i++;
	}
	if (!values)
		return;
	values[0] = effects_hole(call->walk, BL_STR("${MAPFILE[@]}"),
				 effects_fact_text(call->walk, input).origins,
				 true);
	array.values = values;
	effects_set_variable(call->walk, call->state, effects_str(name),
			     &array);
}

/* ---- text that is run --------------------------------------------------------- */

static struct effects_text join_args(const struct call *call, size_t first)
{
	struct effects_builder text;

	effects_builder_init(&text, call->walk->arena,
			     call->walk->limits.content_bytes);
	for (size_t i = first; i < call->args->count; i++) {
		if (i > first)
			effects_put(&text, " ", 1);
		effects_put_text(&text, arg(call, i));
	}
	return effects_built(&text);
}

/* history -s TEXT puts a line into the history; fc -s runs the last one. */
static void run_history(struct call *call)
{
	if (has_option(call, 's'))
		call->walk->last_line = join_args(call, skip_options(call));
	call->state->status = EFFECTS_EITHER;
}

static void run_fc(struct call *call)
{
	if ((has_option(call, 's') || has_option(call, 'e')) &&
	    call->walk->last_line.len)
		effects_run_text(call->walk, call->state, call->walk->last_line,
				 false, NULL, call->span);
	call->state->status = EFFECTS_EITHER;
}

static void run_eval(struct call *call)
{
	effects_wrap(call->walk, BL_STR("eval"));
	effects_run_text(call->walk, call->state,
			 join_args(call, skip_options(call)), false, NULL,
			 call->span);
	effects_unwrap(call->walk);
}

static void run_source(struct call *call)
{
	size_t i = skip_options(call);
	struct effects_text file = arg(call, i);
	struct effects_run run = { .walk = call->walk,
				   .state = call->state,
				   .inside = *call->state };
	struct effects_path path;
	struct effects_params params = { NULL, 0, true };
	struct effects_text content;

	if (i >= call->args->count)
		return;
	effects_path(call->walk, call->state, file, 0, &path);
	if (!effects_is(file, "/dev/stdin") &&
	    !bl_str_has_prefix(effects_str(file), BL_STR("/dev/fd/")))
		effects_add_path(call->walk, call->state, BL_FACT_READ,
				 BL_STR("source"), file, BL_FACT_IS_QUIET, 0,
				 call->span);
	content = effects_read(&run, file);
	if (!effects_is_known(content) && effects_known_prefix(content) == 0 &&
	    !(effects_fact_text(call->walk, content).origins &
	      ~(uint32_t)BL_FACT_FROM_FILE)) {
		effects_opaque(call->walk, BL_FACT_OPAQUE_SCRIPT, file,
			       call->span);
		call->state->status = EFFECTS_EITHER;
		return;
	}
	content.origins &= ~(uint32_t)(BL_FACT_FROM_FILE);
	effects_wrap(call->walk, BL_STR("source"));
	effects_run_text(call->walk, call->state, content, false,
			 call->args->count > i + 1 ? NULL : &params,
			 call->span);
	effects_unwrap(call->walk);
}

/* command, builtin, exec: the rest is a command. */
static void run_rest(struct call *call, size_t first,
		     enum effects_lookup lookup)
{
	struct effects_args rest;
	struct bl_str name = effects_str(arg(call, 0));

	if (first >= call->args->count)
		return;
	rest = (struct effects_args){ .items = call->args->items + first,
				      .count = call->args->count - first };
	effects_wrap(call->walk, name);
	effects_dispatch(call->walk, call->state, &rest, call->span, lookup);
	effects_unwrap(call->walk);
}

static void run_command(struct call *call)
{
	if (has_option(call, 'v') || has_option(call, 'V')) {
		effects_output(call->walk, call->state,
			       effects_hole(call->walk, BL_STR("command -v"), 0,
					    true));
		call->state->status = EFFECTS_EITHER;
		return;
	}
	run_rest(call, skip_options(call), EFFECTS_LOOKUP_NO_FUNCTIONS);
}

static void run_builtin(struct call *call)
{
	run_rest(call, 1, EFFECTS_LOOKUP_NO_FUNCTIONS);
}

static void run_exec(struct call *call)
{
	size_t i = 1;

	while (i < call->args->count && is_option(arg(call, i)))
		i += has_letter(arg(call, i), 'a') ? 2 : 1;
	if (i >= call->args->count)
		return; /* its redirections stay */
	run_rest(call, i, EFFECTS_LOOKUP_PROGRAMS);
	call->state->ended |= EFFECTS_END_SHELL;
}

static void run_trap(struct call *call)
{
	size_t i = skip_options(call);
	struct effects_text text = arg(call, i);
	struct effects_traps *traps;
	struct effects_trap *trap;

	call->state->status = EFFECTS_SUCCESS;
	if (call->args->count - i < 2 || !text.len || effects_is(text, "-"))
		return;
	traps = bl_arena_new(call->walk->arena, struct effects_traps);
	trap = bl_arena_new(call->walk->arena, struct effects_trap);
	if (!traps || !trap)
		return;
	trap->text = text;
	trap->span = effects_span(call->walk, call->span);
	trap->next = call->state->traps ? call->state->traps->first : NULL;
	traps->first = trap;
	call->state->traps = traps;
}

void effects_run_traps(struct effects_walk *walk, struct effects_state *state)
{
	const struct effects_trap *trap =
		state->traps ? state->traps->first : NULL;
	bool is_later = walk->is_later;

	state->traps = NULL;
	state->ended = 0;
	for (; trap; trap = trap->next) {
		walk->is_later = true;
		effects_wrap(walk, BL_STR("trap"));
		effects_run_text(walk, state, trap->text, false, NULL,
				 trap->span);
		effects_unwrap(walk);
		walk->is_later = is_later;
	}
}

static void run_alias(struct call *call)
{
	for (size_t i = skip_options(call); i < call->args->count; i++) {
		struct effects_text word = arg(call, i);
		const char *equals =
			word.len ? memchr(word.ptr, '=', word.len) : NULL;
		size_t end = equals ? (size_t)(equals - word.ptr) : 0;
		struct effects_text *value =
			bl_arena_new(call->walk->arena, struct effects_text);

		if (!equals || !value)
			continue;
		*value = effects_cut(word, end + 1, word.len);
		call->state->aliases = effects_map_set(
			call->walk->arena, call->state->aliases,
			effects_name_id(
				call->walk->arena, &call->walk->names,
				bl_str_slice(effects_str(word), 0, end)),
			value);
	}
	call->state->status = EFFECTS_SUCCESS;
}

static void run_shopt(struct call *call)
{
	bool is_on = has_option(call, 's');

	for (size_t i = skip_options(call); i < call->args->count; i++) {
		if (effects_is(arg(call, i), "extglob"))
			call->state->has_extglob = is_on;
		else if (effects_is(arg(call, i), "expand_aliases"))
			call->state->has_aliases = is_on;
	}
	call->state->status = EFFECTS_SUCCESS;
}

static void run_let(struct call *call)
{
	int64_t value = 0;
	bool is_known = true;

	for (size_t i = 1; i < call->args->count; i++)
		is_known = effects_arithmetic(call->walk, call->state,
					      arg(call, i), &value);
	call->state->status = !is_known ? EFFECTS_EITHER
			      : value   ? EFFECTS_SUCCESS
					: EFFECTS_FAILURE;
}

/* hash -p FILE NAME: NAME is another program from now on. */
static void run_hash(struct call *call)
{
	struct effects_text *value =
		bl_arena_new(call->walk->arena, struct effects_text);

	if (!has_option(call, 'p') || call->args->count < 4 || !value)
		return;
	*value = arg(call, 2);
	effects_opaque(call->walk, BL_FACT_OPAQUE_SETTING, *value, call->span);
}

/* ---- the end, and what is only true or false ---------------------------------- */

static void run_exit(struct call *call)
{
	call->state->ended |= EFFECTS_END_SHELL;
}

static void run_return(struct call *call)
{
	call->state->ended |= EFFECTS_END_FUNCTION;
}

static void run_break(struct call *call)
{
	call->state->ended |= EFFECTS_END_LOOP | EFFECTS_END_BREAK;
}

static void run_continue(struct call *call)
{
	call->state->ended |= EFFECTS_END_LOOP;
}

static void run_true(struct call *call)
{
	call->state->status = EFFECTS_SUCCESS;
}

static void run_false(struct call *call)
{
	call->state->status = EFFECTS_FAILURE;
}

static void run_either(struct call *call)
{
	call->state->status = EFFECTS_EITHER;
}

static enum effects_status from_bool(bool is_true)
{
	return is_true ? EFFECTS_SUCCESS : EFFECTS_FAILURE;
}

/* test and [: the forms that words alone decide. */
static void run_test(struct call *call)
{
	size_t count = call->args->count;
	struct effects_text a, op, b;

	call->state->status = EFFECTS_EITHER;
	if (count && effects_is(arg(call, 0), "[") &&
	    effects_is(arg(call, count - 1), "]"))
		count--;
	if (count == 3 && effects_is_known(arg(call, 2))) {
		if (effects_is(arg(call, 1), "-n"))
			call->state->status = from_bool(arg(call, 2).len);
		else if (effects_is(arg(call, 1), "-z"))
			call->state->status = from_bool(!arg(call, 2).len);
	}
	if (count != 4)
		return;
	a = arg(call, 1);
	op = arg(call, 2);
	b = arg(call, 3);
	if (!effects_is_known(a) || !effects_is_known(b))
		return;
	if (effects_is(op, "=") || effects_is(op, "=="))
		call->state->status =
			from_bool(bl_str_equal(effects_str(a), effects_str(b)));
	else if (effects_is(op, "!="))
		call->state->status = from_bool(
			!bl_str_equal(effects_str(a), effects_str(b)));
}

static void run_echo(struct call *call)
{
	effects_echo(call->walk, call->state, call->args);
	call->state->status = EFFECTS_SUCCESS;
}

static void run_printf(struct call *call)
{
	struct effects_text text;
	bool is_assigned = effects_is(arg(call, 1), "-v");
	size_t first = is_assigned ? 3 : effects_is(arg(call, 1), "--") ? 2 : 1;

	effects_printf(call->walk, call->state, call->args, first, &text);
	if (is_assigned && effects_is_known(arg(call, 2)))
		effects_set(call->walk, call->state, effects_str(arg(call, 2)),
			    text);
	else
		effects_output(call->walk, call->state, text);
	call->state->status = EFFECTS_SUCCESS;
}

/*
 * compgen -C TEXT WORD runs TEXT with three words more: compgen, WORD and an empty
 * one.  -e and -v list names only.
 */
static void run_compgen(struct call *call)
{
	struct bl_arena *arena = call->walk->arena;
	size_t count = call->args->count;

	for (size_t i = 1; i + 1 < count; i++) {
		struct effects_text text = arg(call, i + 1);

		if (!effects_is(arg(call, i), "-C"))
			continue;
		text = effects_join(arena, text,
				    effects_text(BL_STR(" compgen ")));
		text = effects_join(arena, text,
				    i + 2 < count ? arg(call, count - 1)
						  : effects_text(BL_STR("''")));
		text = effects_join(arena, text, effects_text(BL_STR(" ''")));
		effects_run_text(call->walk, call->state, text, true, NULL,
				 call->span);
	}
	effects_output(call->walk, call->state,
		       effects_hole(call->walk, BL_STR("compgen"), 0, true));
}

/* enable -f FILE: the file is a library that is loaded. */
static void run_enable(struct call *call)
{
	size_t i = 1;

	while (i < call->args->count && !has_letter(arg(call, i), 'f'))
		i++;
	if (i + 1 < call->args->count)
		effects_add_path(call->walk, call->state, BL_FACT_EXECUTE,
				 BL_STR("library"), arg(call, i + 1), 0, 0,
				 call->span);
}

static const struct {
	const char *name;
	void (*run)(struct call *call);
} builtins[] = {
	{ ".", run_source },
	{ ":", run_true },
	{ "[", run_test },
	{ "alias", run_alias },
	{ "bg", run_true },
	{ "bind", run_true },
	{ "break", run_break },
	{ "builtin", run_builtin },
	{ "cd", run_cd },
	{ "chdir", run_cd },
	{ "command", run_command },
	{ "compgen", run_compgen },
	{ "complete", run_true },
	{ "continue", run_continue },
	{ "declare", run_declare },
	{ "dirs", run_true },
	{ "disown", run_true },
	{ "echo", run_echo },
	{ "enable", run_enable },
	{ "eval", run_eval },
	{ "exec", run_exec },
	{ "exit", run_exit },
	{ "export", run_declare },
	{ "false", run_false },
	{ "fc", run_fc },
	{ "fg", run_either },
	{ "getopts", run_either },
	{ "hash", run_hash },
	{ "help", run_true },
	{ "history", run_history },
	{ "jobs", run_true },
	{ "let", run_let },
	{ "local", run_declare },
	{ "logout", run_exit },
	{ "mapfile", run_mapfile },
	{ "popd", run_popd },
	{ "printf", run_printf },
	{ "pushd", run_pushd },
	{ "pwd", run_pwd },
	{ "read", run_read },
	{ "readarray", run_mapfile },
	{ "readonly", run_declare },
	{ "return", run_return },
	{ "set", run_set },
	{ "shift", run_shift },
	{ "shopt", run_shopt },
	{ "source", run_source },
	{ "test", run_test },
	{ "times", run_true },
	{ "trap", run_trap },
	{ "true", run_true },
	{ "type", run_either },
	{ "typeset", run_declare },
	{ "ulimit", run_either },
	{ "umask", run_true },
	{ "unalias", run_true },
	{ "unset", run_unset },
	{ "wait", run_either },
};

bool effects_builtin(struct effects_walk *walk, struct effects_state *state,
		     const struct effects_args *args, struct bl_shell_span span)
{
	struct call call = { walk, state, args, span };

	for (size_t i = 0; i < BL_COUNT(builtins); i++) {
		if (!effects_is(args->items[0].text, builtins[i].name))
			continue;
		effects_command(walk, state, args, span);
		builtins[i].run(&call);
		return true;
	}
	return false;
}

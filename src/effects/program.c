/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/program.c: one program that runs: its row, its words, what follows
 * from them, the command inside it, and what it prints.
 */
#include "effects/private.h"

/* ---- the command inside ------------------------------------------------------ */

void effects_inner(struct effects_walk *walk, struct effects_state *state,
		   struct bl_str wrapper, const struct effects_args *args,
		   size_t first, struct bl_shell_span span)
{
	struct effects_args inner;

	if (first >= args->count)
		return;
	if (walk->depth >= walk->limits.depth) {
		effects_too_deep(walk, span);
		return;
	}
	inner = (struct effects_args){ .items = args->items + first,
				       .count = args->count - first };
	walk->depth++;
	effects_wrap(walk, wrapper);
	effects_dispatch(walk, state, &inner, span, EFFECTS_LOOKUP_PROGRAMS);
	effects_unwrap(walk);
	walk->depth--;
}

/* Where the command inside a wrapper runs; kept to be put back. */
struct place {
	enum bl_fact_where where;
	struct bl_str host;
	bool is_later;
	bool is_maybe;
};

static struct place enter_place(struct effects_run *run)
{
	struct effects_walk *walk = run->walk;
	const struct bl_effects_row *row = run->parsed.row;
	struct place saved = { walk->where, walk->host, walk->is_later,
			       walk->is_maybe };
	const struct effects_word *host = effects_word_of(run, "host", 0);

	if (!host)
		host = effects_word_of(run, "image", 0);
	if (!host)
		host = effects_word_of(run, "object", 0);
	if (effects_mode(row, "@remote"))
		walk->where = BL_FACT_REMOTE_HOST;
	else if (effects_mode(row, "@contained"))
		walk->where = BL_FACT_CONTAINED;
	if (walk->where != saved.where) {
		walk->host = host ? effects_fact_text(walk, host->text).text
				  : (struct bl_str){ NULL, 0 };
		run->inside.cwd_count = 0;
	}
	if (effects_mode(row, "@later"))
		walk->is_later = true;
	return saved;
}

static void leave_place(struct effects_walk *walk, const struct place *saved)
{
	walk->where = saved->where;
	walk->host = saved->host;
	walk->is_later = saved->is_later;
	walk->is_maybe = saved->is_maybe;
}

/* Words from..to as one text with blanks between. */
static struct effects_text join_words(struct effects_walk *walk,
				      const struct effects_args *args,
				      size_t from)
{
	struct effects_builder text;

	effects_builder_init(&text, walk->arena, walk->limits.content_bytes);
	for (size_t i = from; i < args->count; i++) {
		if (i > from)
			effects_put(&text, " ", 1);
		effects_put_text(&text, args->items[i].text);
	}
	return effects_built(&text);
}

static void run_shell_text(struct effects_run *run, struct effects_text text,
			   struct bl_shell_span span)
{
	effects_wrap(run->walk, run->parsed.row->name);
	effects_run_text(run->walk, &run->inside, text, true, NULL, span);
	effects_unwrap(run->walk);
}

/* The wrapper has an option that is not in its row: the guess is marked. */
static void mark_option(struct effects_run *run)
{
	if (run->parsed.has_unknown_option)
		effects_opaque(run->walk, BL_FACT_OPAQUE_OPTION,
			       run->parsed.unknown_option, run->span);
}

static bool is_role_at_rest(const struct effects_run *run, const char *role)
{
	struct bl_str operands = run->parsed.row->operands;

	return bl_str_find(operands, bl_str(role), 0) != SIZE_MAX;
}

static void run_rest(struct effects_run *run)
{
	struct effects_walk *walk = run->walk;
	const struct effects_args *args = &run->parsed.args;
	size_t rest = run->parsed.rest;

	if (rest == SIZE_MAX || run->parsed.stays)
		return;
	if (is_role_at_rest(run, "script")) {
		effects_script_file(walk, &run->inside, run->parsed.lang,
				    args->items[rest].text, args, rest + 1,
				    run->span);
		return;
	}
	mark_option(run);
	run->has_printed = true;
	if (is_role_at_rest(run, "sh..."))
		run_shell_text(run, join_words(walk, args, rest),
			       args->items[rest].span);
	else
		effects_inner(walk, &run->inside, run->parsed.row->name, args,
			      rest, run->span);
}

/* Words that are code: -c TEXT, -e CODE, SQL. */
static void run_code_words(struct effects_run *run)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word word = run->parsed.words[i];
		const struct effects_role *role = effects_role_find(word.role);

		if (!role || run->walk->is_over)
			continue;
		if (role->way == EFFECTS_WAY_SHELL)
			run_shell_text(run, word.text, word.span);
		else if (role->way == EFFECTS_WAY_CODE)
			effects_code(run->walk, &run->inside, run->parsed.lang,
				     word.text, &run->parsed.args,
				     word.index + 1, word.span);
		else if (role->way == EFFECTS_WAY_SCRIPT &&
			 run->parsed.rest == SIZE_MAX)
			effects_script_file(run->walk, &run->inside,
					    run->parsed.lang, word.text,
					    &run->parsed.args, word.index + 1,
					    word.span);
		else if (role->way == EFFECTS_WAY_MODULE)
			effects_inner(run->walk, &run->inside,
				      run->parsed.row->name, &run->parsed.args,
				      word.index, word.span);
		else if (role->way == EFFECTS_WAY_SQL &&
			 bl_str_is(run->parsed.lang, "redis")) {
			/* the words of one command */
			effects_sql(run->walk, run->parsed.lang,
				    join_words(run->walk, &run->parsed.args,
					       word.index),
				    word.span);
			return;
		} else if (role->way == EFFECTS_WAY_SQL)
			effects_sql(run->walk, run->parsed.lang, word.text,
				    word.span);
		else if (role->way == EFFECTS_WAY_SQLFILE)
			effects_sql(run->walk, run->parsed.lang,
				    effects_read(run, word.text), word.span);
	}
}

static bool has_code(const struct effects_run *run)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_role *role =
			effects_role_find(run->parsed.words[i].role);

		if (role && (role->way == EFFECTS_WAY_CODE ||
			     role->way == EFFECTS_WAY_SCRIPT ||
			     role->way == EFFECTS_WAY_MODULE ||
			     role->way == EFFECTS_WAY_SHELL ||
			     role->way == EFFECTS_WAY_SQL ||
			     role->way == EFFECTS_WAY_SQLFILE))
			return true;
	}
	return run->parsed.rest != SIZE_MAX &&
	       (is_role_at_rest(run, "script") ||
		is_role_at_rest(run, "command"));
}

/* An interpreter without a script runs what it reads. */
static void run_input(struct effects_run *run)
{
	bool is_known;
	struct effects_text text;

	if (!effects_mode(run->parsed.row, "@stdin") || has_code(run))
		return;
	text = effects_input(run->walk, &run->inside, &is_known);
	if (!is_known)
		return;
	if (bl_str_is(run->parsed.lang, "sql") ||
	    bl_str_is(run->parsed.lang, "redis"))
		effects_sql(run->walk, run->parsed.lang, text, run->span);
	else
		effects_code(run->walk, &run->inside, run->parsed.lang, text,
			     &run->parsed.args, run->parsed.args.count,
			     run->span);
}

/* ---- what it prints ----------------------------------------------------------- */

static void print_output(struct effects_run *run)
{
	struct effects_walk *walk = run->walk;
	const struct bl_effects_row *row = run->parsed.row;
	struct effects_text hole;
	bool is_known;
	struct effects_text input =
		effects_input(walk, &run->inside, &is_known);
	uint32_t origins = BL_FACT_FROM_GENERATED | run->prints;

	if (is_known && !effects_mode(row, "@quiet") &&
	    !effects_mode(row, "@sends"))
		origins |= effects_fact_text(walk, input).origins;
	if (effects_mode(row, "@network"))
		origins |= BL_FACT_FROM_NETWORK;
	if (effects_mode(row, "@secret"))
		origins |= BL_FACT_FROM_SECRET;
	if (effects_mode(row, "@environment"))
		origins |= BL_FACT_FROM_ENVIRONMENT;
	if (effects_mode(row, "@decodes"))
		origins |= BL_FACT_FROM_DECODED;
	hole = effects_hole(walk, row->name, origins, true);
	if ((unsigned char)hole.ptr[1] < EFFECTS_HOLE + EFFECTS_HOLES)
		walk->holes[(unsigned char)hole.ptr[1] - EFFECTS_HOLE].effect =
			run->effect;
	effects_output(walk, &run->inside, hole);
}

/* ---- the whole --------------------------------------------------------------- */

static void fill_fact(struct effects_run *run, struct bl_fact_command *fact)
{
	struct bl_fact_text *operands;
	const struct effects_args *args = &run->parsed.operands;

	if (!fact)
		return;
	fact->row = run->parsed.row->name;
	fact->options = run->parsed.options;
	fact->option_count = run->parsed.option_count;
	fact->is_dry = run->parsed.is_dry;
	operands = bl_arena_new_array(run->walk->arena, struct bl_fact_text,
				      args->count);
	if (!operands)
		return;
	for (size_t i = 0; i < args->count; i++)
		operands[i] = effects_fact_text(run->walk, args->items[i].text);
	fact->operands = operands;
	fact->operand_count = args->count;
}

/* A program that no row describes: a file of the line or project, or unknown. */
static void run_unlisted(struct effects_walk *walk, struct effects_state *state,
			 const struct effects_args *args,
			 struct bl_shell_span span)
{
	struct effects_text name = args->items[0].text;
	struct effects_text hole;

	if (name.len && memchr(name.ptr, '/', name.len))
		effects_script_file(walk, state, BL_STR(""), name, args, 1,
				    span);
	else
		effects_opaque(walk, BL_FACT_OPAQUE_UNKNOWN, name,
			       args->items[0].span);
	hole = effects_hole(walk, effects_str(name), BL_FACT_FROM_GENERATED,
			    true);
	effects_output(walk, state, hole);
}

static void note_input(struct effects_run *run)
{
	bool is_known;
	struct effects_text input =
		effects_input(run->walk, &run->inside, &is_known);
	struct bl_fact_command *fact;

	if (!is_known || run->walk->is_silent ||
	    run->command >= run->walk->command_count)
		return;
	fact = &run->walk->commands[run->command];
	fact->input = effects_fact_text(run->walk, input);
	fact->has_input = true;
}

/* -C: the command works elsewhere. */
static void note_folder(struct effects_run *run)
{
	struct effects_text cwd;

	if (run->inside.cwds == run->state->cwds || run->walk->is_silent ||
	    run->command >= run->walk->command_count)
		return;
	cwd = effects_cwd(run->walk, &run->inside);
	run->walk->commands[run->command].cwd = effects_fact_text(
		run->walk, cwd.ptr ? cwd : run->walk->no_folder);
}

static void run_listed(struct effects_run *run)
{
	struct effects_walk *walk = run->walk;
	struct effects_state *state = run->state;
	const struct effects_mount *mounts = walk->mounts;
	size_t first = walk->effect_count;
	struct place place;

	effects_roles(run);
	note_folder(run);
	effects_clauses(run);
	effects_lockfile(run, first);
	effects_variables(run);
	place = enter_place(run);
	if (!effects_special(run)) {
		run_code_words(run);
		run_rest(run);
		run_input(run);
	}
	leave_place(walk, &place);
	walk->mounts = mounts;
	walk->command = run->command;
	if (!run->has_printed &&
	    !effects_filter(walk, state, &run->parsed.args))
		print_output(run);
}

/*
 * ./find: a file of the project with the name of a known program, outside the
 * folders where installed programs lie.  It may be that program or any other.
 */
static bool is_own_file(struct effects_walk *walk, struct effects_state *state,
			struct effects_text name)
{
	static const char *const installed[] = { "/bin", "/.bin", "/sbin",
						 "/shims", "/Scripts" };
	static const char *const wrappers[] = { "/gradlew", "/mvnw" };
	struct effects_path path;
	struct bl_str folder;

	if (!name.len || !memchr(name.ptr, '/', name.len))
		return false;
	effects_path(walk, state, name, EFFECTS_PATH_KEEP_LINK, &path);
	if (path.state != BL_FACT_KNOWN ||
	    bl_str_has_prefix(effects_str(path.text), BL_STR("/usr/")) ||
	    bl_str_has_prefix(effects_str(path.text), BL_STR("/opt/")))
		return false;
	for (size_t i = 0; i < BL_COUNT(wrappers); i++)
		if (bl_str_has_suffix(effects_str(path.text),
				      bl_str(wrappers[i])))
			return false;
	folder = effects_str(path.text);
	while (folder.len && folder.ptr[folder.len - 1] != '/')
		folder.len--;
	folder.len -= folder.len > 0;
	for (size_t i = 0; i < BL_COUNT(installed); i++)
		if (bl_str_has_suffix(folder, bl_str(installed[i])))
			return false;
	return true;
}

void effects_program(struct effects_walk *walk, struct effects_state *state,
		     const struct effects_args *args, struct bl_shell_span span)
{
	struct effects_run run = { .walk = walk,
				   .state = state,
				   .inside = *state,
				   .span = span,
				   .effect = UINT32_MAX };
	struct bl_fact_command *fact;

	fact = effects_command(walk, state, args, span);
	run.command = walk->command;
	effects_parse(walk, args, &run.parsed);
	if (!run.parsed.row) {
		run_unlisted(walk, state, args, span);
		return;
	}
	if (is_own_file(walk, state, args->items[0].text))
		effects_script_file(walk, state, BL_STR(""),
				    args->items[0].text, args, 1, span);
	run.inside.failed = NULL;
	fill_fact(&run, fact);
	note_input(&run);
	if (run.parsed.is_dry)
		print_output(&run);
	else
		run_listed(&run);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/rego/cmd_run.c: belay rego run, queries one after the other.  Policies are compiled
 * when they change; a query is compiled with the rules that were typed in scope, and what
 * it took is given back before the next one.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/line_editor.h"
#include "cli/rego/answer.h"
#include "cli/rego/bundle_options.h"
#include "cli/rego/compile.h"
#include "cli/rego/eval_options.h"
#include "cli/rego/files.h"
#include "cli/rego/formats.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/partial.h"
#include "cli/rego/repl_module.h"
#include "cli/rego/repl_words.h"
#include "cli/rego/trace.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_BUNDLE,
	OPT_INPUT,
	OPT_FORMAT,
	OPT_HISTORY,
	OPT_COMPILE, /* CLI_COMPILE_ROWS from here */
	OPT_BUNDLES = OPT_COMPILE + CLI_COMPILE_COUNT,
};

enum { EXIT_ERROR = 1 /* as opa has it */, MAX_UNKNOWNS = 32 };

static const struct cli_option options[] = {
	[OPT_BUNDLE] = CLI_BUNDLE_ROW,
	[OPT_INPUT] = { "input", 'i', CLI_VALUE, "FILE",
			"JSON or YAML file to be input" },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "RUN_FORMAT",
			 "pretty (the default) or json" },
	[OPT_HISTORY] = { "history", 'H', CLI_VALUE, "FILE",
			  "keep the history in FILE (default: rego-history in "
			  "belay's state folder)" },
	CLI_COMPILE_ROWS(OPT_COMPILE),
	CLI_BUNDLE_READ_ROWS(OPT_BUNDLES),
};

struct session {
	struct cli *cli;
	struct cli_rego_files files;
	struct bl_rego_compile_options how;
	struct bl_rego_options run;
	struct cli_network network;
	struct repl_module module;
	struct cli_line_editor *editor;
	bool is_json;
	bool is_done;
	struct bl_str explain; /* a mode of --explain */
	struct bl_str unknowns[MAX_UNKNOWNS];
	size_t unknown_count; /* above 0: queries are evaluated in part */

	/* since the module changed */
	size_t loaded;   /* where the arena was before policies */
	size_t compiled; /* ... and behind them */
	const struct bl_rego_policies *policies; /* NULL: to be compiled */
	const struct bl_rego_module *scope;
	struct bl_rego_source *sources;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

static bool is_over(void *context)
{
	(void)context;
	return interrupted != 0;
}

/* Shows the text in cli->out. */
static void flush(struct session *s)
{
	(void)!bl_os_write_all(STDOUT_FILENO, bl_buf_str(&s->cli->out), NULL);
	bl_buf_clear(&s->cli->out);
}

static void put_error(struct session *s, const struct bl_error *err)
{
	bl_buf_puts(&s->cli->out, "error: ");
	cli_put_text(&s->cli->out, 2, bl_str(err->message));
	bl_buf_put_char(&s->cli->out, '\n');
}

/* A query that is compiled as "x = _" says of "_" what it says of x. */
static bool is_shown(const struct bl_diag *finding)
{
	return !bl_str_is(finding->message, "var _ is unsafe");
}

/* As opa prints them: "1 error occurred: 1:1: code: text". */
static void put_findings(struct session *s, const struct bl_diags *diags,
			 const struct bl_error *err)
{
	struct bl_buf *out = &s->cli->out;
	size_t count = 0;

	for (const struct bl_diag *one = diags->first; one; one = one->next)
		count += is_shown(one);
	if (!count) {
		put_error(s, err);
		return;
	}
	bl_buf_printf(out, "%zu error%s occurred:%s", count,
		      count > 1 ? "s" : "", count > 1 ? "\n" : " ");
	for (const struct bl_diag *one = diags->first; one; one = one->next) {
		if (!is_shown(one))
			continue;
		if (!bl_str_is(one->file, "query"))
			bl_buf_printf(out, "%.*s:", BL_STR_ARG(one->file));
		bl_buf_printf(out, "%u:%u: %s: ", one->place.line,
			      one->place.column, one->code);
		cli_put_text(out, 0, one->message);
		bl_buf_put_char(out, '\n');
	}
}

/* ---- policies ----------------------------------------------------------------- */

static enum bl_status compile_all(struct session *s, struct bl_diags *diags,
				  struct bl_error *err)
{
	struct bl_arena *arena = &s->cli->arena;
	size_t count = s->files.source_count;
	size_t offset;
	enum bl_status status;

	s->sources =
		bl_arena_new_array(arena, struct bl_rego_source, count + 1);
	if (!s->sources)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++)
		s->sources[i] = s->files.sources[i];
	s->sources[count] = (struct bl_rego_source){
		.file = BL_STR("repl"),
		.text = repl_module_text(&s->module, arena),
	};
	if (!s->sources[count].text.ptr)
		return bl_arena_fail(arena, err);
	s->how.observe = s->explain.len > 0;
	status = bl_rego_compile(arena, s->sources, count + 1, &s->how, diags,
				 &s->policies, err);
	if (!status)
		status = bl_rego_check_data(s->policies, s->files.data, diags,
					    err);
	if (!status)
		status = bl_rego_parse(arena, BL_STR("repl"),
				       s->sources[count].text, false, &s->scope,
				       &offset, err);
	if (status)
		s->policies = NULL;
	s->compiled = bl_arena_position(arena);
	return status;
}

/* Policies are there; memory since they were compiled is given back. */
static bool prepare(struct session *s)
{
	struct bl_diags diags;
	struct bl_error err = { 0 };

	if (s->policies) {
		bl_arena_rewind(&s->cli->arena, s->compiled);
		return true;
	}
	bl_arena_rewind(&s->cli->arena, s->loaded);
	bl_diags_init(&diags, &s->cli->arena);
	if (!compile_all(s, &diags, &err))
		return true;
	put_findings(s, &diags, &err);
	return false;
}

/* ---- queries -------------------------------------------------------------------- */

static void put_answer(struct session *s, struct bl_str query,
		       const struct bl_rego_result *result)
{
	const struct cli_rego_form *form = cli_rego_form_find(
		s->is_json ? BL_STR("json") : BL_STR("pretty"));
	struct cli_rego_shown shown = {
		.answer = cli_rego_answer(s->cli, query, result->solutions),
		.profile = bl_value_undefined(),
		.metrics = bl_value_undefined(),
		.errors = bl_value_undefined(),
	};

	if (result->fault_code)
		bl_buf_printf(&s->cli->out, "%.*s\n",
			      BL_STR_ARG(result->fault));
	else if (!s->is_json && !bl_value_count(result->solutions))
		bl_buf_puts(&s->cli->out, "undefined\n");
	else if (bl_value_is_defined(shown.answer))
		form->put(s->cli, &shown);
}

static void ask(struct session *s, struct bl_str query)
{
	const struct bl_rego_prepared *prepared;
	struct bl_rego_result result = { 0 };
	struct cli_trace trace;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	bl_diags_init(&diags, &s->cli->arena);
	if (bl_rego_prepare_in(s->policies, s->scope, query, &s->cli->arena,
			       &diags, &prepared, &err)) {
		put_findings(s, &diags, &err);
		return;
	}
	(void)cli_trace_init(&trace, &s->cli->arena,
			     s->explain.len ? s->explain : BL_STR("off"));
	s->run.observer = &trace.observer;
	interrupted = 0;
	if (bl_rego_run(prepared, &s->run, &s->cli->arena, &result, &err)) {
		put_error(s, &err);
	} else {
		cli_put_text(&s->cli->out, 0, bl_buf_str(&trace.lines));
		cli_put_text(&s->cli->out, 0, bl_buf_str(&trace.printed));
		put_answer(s, query, &result);
	}
	cli_trace_clear(&trace);
	s->run.observer = NULL;
}

/* With unknowns: what is left of it. */
static void ask_in_part(struct session *s, struct bl_str query)
{
	const struct bl_rego_partial_options how = {
		.sources = s->sources,
		.source_count = s->files.source_count + 1,
		.compile = &s->how,
		.run = s->run,
		.unknowns = s->unknowns,
		.unknown_count = s->unknown_count,
	};
	struct bl_rego_partial partial;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	bl_diags_init(&diags, &s->cli->arena);
	interrupted = 0;
	if (bl_rego_partial_run(s->policies, &how, query, &s->cli->arena,
				&diags, &partial, &err))
		put_findings(s, &diags, &err);
	else if (partial.fault_code)
		bl_buf_printf(&s->cli->out, "%.*s\n",
			      BL_STR_ARG(partial.fault));
	else if (cli_partial_put(s->cli,
				 s->is_json ? BL_STR("json") : BL_STR("pretty"),
				 &partial, &err))
		put_error(s, &err);
}

/* ---- commands --------------------------------------------------------------------- */

static void do_help(struct session *s, struct bl_str words);

static void do_show(struct session *s, struct bl_str words)
{
	struct bl_str text = repl_module_text(&s->module, &s->cli->arena);
	const struct bl_rego_module *module;
	size_t offset;

	(void)words;
	if (!text.ptr ||
	    bl_rego_parse(&s->cli->arena, BL_STR("repl"), text, false, &module,
			  &offset, NULL) ||
	    bl_rego_format(&s->cli->arena, module, &s->cli->out, NULL))
		cli_put_text(&s->cli->out, 0, text);
}

static void do_unset(struct session *s, struct bl_str words)
{
	if (bl_str_is(words, "input")) {
		s->run.input = bl_value_undefined();
		return;
	}
	if (repl_module_unset(&s->module, words))
		s->policies = NULL;
	else
		bl_buf_puts(&s->cli->out, "warning: no matching rules in "
					  "current module\n");
}

static void do_json(struct session *s, struct bl_str words)
{
	s->is_json = !words.len;
}

static void do_pretty(struct session *s, struct bl_str words)
{
	do_json(s, words.len ? words : BL_STR("off"));
}

static void do_trace(struct session *s, struct bl_str words)
{
	static const char *const modes[] = { "full", "fails", "notes" };
	struct bl_str mode = BL_STR("");

	if (!words.len && !s->explain.len)
		words = BL_STR("full");
	for (size_t i = 0; i < BL_COUNT(modes); i++)
		if (bl_str_is(words, modes[i]))
			mode = bl_str(modes[i]);
	if (words.len && !mode.len && !bl_str_is(words, "off")) {
		bl_buf_puts(&s->cli->out,
			    "error: trace is full, fails, notes or off\n");
		return;
	}
	s->explain = mode;
	s->policies = NULL; /* observed code is another one */
}

/* Its text must stay where the arena is given back. */
static void do_unknown(struct session *s, struct bl_str words)
{
	for (size_t i = 0; i < s->unknown_count; i++)
		free((char *)(uintptr_t)s->unknowns[i].ptr);
	s->unknown_count = 0;
	while (words.len && s->unknown_count < MAX_UNKNOWNS) {
		size_t end = bl_str_find(words, BL_STR(" "), 0);
		struct bl_str one = bl_str_slice(words, 0, end);
		char *copy = strndup(one.ptr, one.len);

		if (!copy)
			return;
		s->unknowns[s->unknown_count++] =
			(struct bl_str){ copy, one.len };
		words = bl_str_trim(bl_str_slice(words, one.len, SIZE_MAX));
	}
}

static void do_dump(struct session *s, struct bl_str words)
{
	(void)words;
	bl_json_write(&s->cli->out,
		      cli_rego_sorted(&s->cli->arena, s->files.data),
		      BL_JSON_PRETTY);
	bl_buf_put_char(&s->cli->out, '\n');
}

static void do_exit(struct session *s, struct bl_str words)
{
	(void)words;
	s->is_done = true;
}

static const struct command {
	const char *name;
	const char *operands;
	const char *help;
	bool has_operands; /* alone it is a query */
	void (*run)(struct session *s, struct bl_str words);
} commands[] = {
	{ "help", "", "print this", false, do_help },
	{ "show", "", "print the rules and imports typed so far", false,
	  do_show },
	{ "unset", "NAME", "take a rule away; 'unset input'", true, do_unset },
	{ "json", "", "print answers as JSON", false, do_json },
	{ "pretty", "", "print answers as tables", false, do_pretty },
	{ "trace", "[MODE]",
	  "say what each query does: full, fails, notes or off", false,
	  do_trace },
	{ "unknown", "[REF]...",
	  "evaluate in part without these; none: as usual", false, do_unknown },
	{ "dump", "", "print all data", false, do_dump },
	{ "exit", "", "leave; ^D does too", false, do_exit },
};

static void do_help(struct session *s, struct bl_str words)
{
	struct bl_buf *out = &s->cli->out;

	(void)words;
	bl_buf_puts(out,
		    "Type a query to evaluate it; a rule, an import or a "
		    "package to define it:\n\n"
		    "  data.roles[_].name == \"admin\"\n"
		    "  allow if input.user == \"root\"\n"
		    "  input {\"user\": \"root\"}\n\n"
		    "A line that is not complete goes on in the next, up to an "
		    "empty one.\n\n");
	for (size_t i = 0; i < BL_COUNT(commands); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s %s", commands[i].name,
			 commands[i].operands);
		bl_buf_printf(out, "  %-18s %s\n", text, commands[i].help);
	}
}

/* "input {...}": the value of a term without variables. */
static bool set_input(struct session *s, struct bl_str line)
{
	struct bl_rego_result result = { 0 };
	struct bl_diags diags;
	struct bl_error err = { 0 };
	struct bl_str query = bl_str_trim(bl_str_slice(line, 5, SIZE_MAX));
	struct bl_rego_options how = s->run;
	struct bl_buf text;
	struct bl_value value;

	if (!query.len || !strchr("{[\"0123456789tfn-", query.ptr[0]) ||
	    !prepare(s))
		return false;
	bl_diags_init(&diags, &s->cli->arena);
	how.scope = NULL;
	if (bl_rego_query(s->policies, query, &how, &s->cli->arena, &diags,
			  &result, &err)) {
		put_findings(s, &diags, &err);
		return true;
	}
	if (result.fault_code || bl_value_count(result.solutions) != 1)
		return false;
	value = bl_value_item(bl_object_find(bl_value_item(result.solutions, 0),
					     BL_STR("expressions")),
			      0);
	/* It has to outlive the query: what is loaded ends behind it. */
	bl_buf_init(&text, 0);
	bl_json_write(&text, value, BL_JSON_COMPACT);
	bl_arena_rewind(&s->cli->arena, s->loaded);
	s->policies = NULL;
	query = bl_arena_copy_str(&s->cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	if (!query.ptr || cli_parse_data(s->cli, BL_STR("input.json"), query,
					 &s->run.input, &err))
		put_error(s, &err);
	s->loaded = bl_arena_position(&s->cli->arena);
	return true;
}

/* Is it a command, or input?  Then it is done. */
static bool try_command(struct session *s, struct bl_str line)
{
	for (size_t i = 0; i < BL_COUNT(commands); i++) {
		size_t len = strlen(commands[i].name);
		struct bl_str words;

		if (!bl_str_has_prefix(line, bl_str(commands[i].name)) ||
		    (line.len > len && line.ptr[len] != ' '))
			continue;
		words = bl_str_trim(bl_str_slice(line, len, SIZE_MAX));
		if (commands[i].has_operands
			    ? !words.len
			    : words.len && !commands[i].operands[0])
			continue;
		commands[i].run(s, words);
		return true;
	}
	return bl_str_has_prefix(line, BL_STR("input ")) && set_input(s, line);
}

/* ---- lines ------------------------------------------------------------------------- */

/* A line that is not a command; true: it wants more. */
static bool evaluate(struct session *s, struct bl_str line)
{
	struct bl_error err = { 0 };
	enum repl_line kind = repl_module_add(&s->module, &s->cli->arena, line,
					      &s->cli->out, &err);

	if (kind == REPL_INCOMPLETE)
		return true;
	if (kind == REPL_WRONG) {
		put_error(s, &err);
		return false;
	}
	if (kind == REPL_CHANGED) {
		s->policies = NULL;
		/* A rule that does not compile is not kept; it is the last. */
		if (!prepare(s) && s->module.count &&
		    bl_str_is(line, s->module.parts[s->module.count - 1].text))
			repl_module_shorten(&s->module, s->module.count - 1);
		return false;
	}
	if (!prepare(s))
		return false;
	line = bl_arena_copy_str(&s->cli->arena, line);
	if (!line.ptr)
		return false;
	if (s->unknown_count)
		ask_in_part(s, line);
	else
		ask(s, line);
	return false;
}

/* A query of several lines; what is wrong with it is said at the empty one. */
static void give_up(struct session *s, struct bl_str line)
{
	struct bl_rego_body *body;
	struct bl_error err = { 0 };
	size_t offset;

	if (bl_rego_parse_query(&s->cli->arena, line, &body, &offset, &err))
		put_error(s, &err);
}

static void read_all(struct session *s)
{
	struct bl_buf line;
	struct bl_buf whole;
	bool more = false;

	bl_buf_init(&line, 0);
	bl_buf_init(&whole, 0);
	while (!s->is_done) {
		enum cli_line_end end = cli_line_editor_read(
			s->editor, more ? "| " : "> ", &line);
		struct bl_str typed = bl_str_trim(bl_buf_str(&line));

		if (end == CLI_LINE_EOF)
			break;
		if (end == CLI_LINE_DROPPED || (!more && !typed.len)) {
			bl_buf_clear(&whole);
			more = false;
			continue;
		}
		cli_line_editor_remember(s->editor, typed);
		if (more && !typed.len) {
			give_up(s, bl_buf_str(&whole));
			bl_buf_clear(&whole);
			more = false;
		} else if (more || !try_command(s, typed)) {
			if (more)
				bl_buf_put_char(&whole, '\n');
			bl_buf_put_str(&whole,
				       more ? bl_buf_str(&line) : typed);
			more = evaluate(s, bl_buf_str(&whole));
			if (!more)
				bl_buf_clear(&whole);
		}
		flush(s);
	}
	if (more)
		give_up(s, bl_buf_str(&whole));
	flush(s);
	bl_buf_clear(&line);
	bl_buf_clear(&whole);
}

static void complete(void *context, struct bl_str prefix,
		     void (*add)(void *words, struct bl_str word), void *words)
{
	struct session *s = context;
	const struct repl_words known = {
		.arena = &s->cli->arena,
		.module = &s->module,
		.policies = s->policies,
		.data = s->files.data,
		.input = s->run.input,
	};

	for (size_t i = 0; i < BL_COUNT(commands); i++)
		if (bl_str_has_prefix(bl_str(commands[i].name), prefix))
			add(words, bl_str(commands[i].name));
	repl_words_each(&known, prefix, add, words);
}

/* ---- the command ------------------------------------------------------------------------ */

static enum bl_status load(struct session *s, struct bl_error *err)
{
	struct cli *cli = s->cli;
	struct bl_bundle_options bundle_options;
	struct cli_rego_paths paths =
		cli_rego_operands(cli, cli_has(cli, OPT_BUNDLE));
	enum bl_status status =
		cli_bundle_options(cli, OPT_BUNDLES, cli_has(cli, OPT_BUNDLE),
				   &bundle_options, err);

	paths.bundle_options = &bundle_options;
	if (!status)
		status = cli_compile_options(cli, OPT_COMPILE, &s->how,
					     &s->network, err);
	if (!status)
		status = cli_read_rego(cli, &paths, &s->files, err);
	if (!status && bl_value_is_defined(s->files.plan))
		status = bl_fail(err, BL_UNSUPPORTED,
				 "rego run needs the sources of policies, "
				 "which plans do not have");
	if (status)
		return status;
	s->run = cli_rego_eval_options(s->files.data);
	s->run.host.network = s->network.use;
	s->run.is_over = is_over;
	status = cli_read_rego_input(cli, false, cli_value(cli, OPT_INPUT),
				     &s->run.input, err);
	s->loaded = bl_arena_position(&cli->arena);
	return status;
}

/* Where the history is; ptr NULL: nowhere. */
static struct bl_str history_path(struct cli *cli)
{
	struct bl_str folder = bl_os_getenv("XDG_STATE_HOME");
	struct bl_str home;

	if (cli_has(cli, OPT_HISTORY))
		return cli_value(cli, OPT_HISTORY);
	if (!folder.len) {
		if (cli_user_home(cli, &home, NULL))
			return (struct bl_str){ NULL, 0 };
		folder =
			bl_path_join(&cli->arena, home, BL_STR(".local/state"));
	}
	folder = bl_path_join(&cli->arena, folder, BL_STR("belay"));
	if (!folder.ptr || bl_os_make_dirs(folder, 0700, NULL))
		return (struct bl_str){ NULL, 0 };
	return bl_path_join(&cli->arena, folder, BL_STR("rego-history"));
}

static void talk(struct session *s)
{
	struct sigaction handler = { .sa_handler = on_interrupt };
	struct bl_str history = { NULL, 0 };
	struct bl_error err = { 0 };

	if (cli_line_editor_is_interactive(s->editor)) {
		sigaction(SIGINT, &handler, NULL);
		history = history_path(s->cli);
		if (history.ptr)
			cli_line_editor_load(s->editor, history, &err);
		s->loaded = bl_arena_position(&s->cli->arena);
		bl_buf_puts(&s->cli->out,
			    "Type 'help' for a list of commands.\n");
	}
	prepare(s);
	flush(s);
	read_all(s);
	if (history.ptr && cli_line_editor_store(s->editor, history, &err))
		cli_fail(s->cli, &err);
}

static int run_run(struct cli *cli)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);
	struct session s = { .cli = cli,
			     .how = { .print = true },
			     .is_json = bl_str_is(format, "json") };
	const struct cli_completer completer = { &s, complete };
	struct bl_error err = { 0 };
	int code = 0;

	if (format.ptr && !s.is_json && !bl_str_is(format, "pretty")) {
		bl_fail(&err, BL_USAGE, "there is no format '%.*s'",
			BL_STR_ARG(format));
		return cli_fail(cli, &err);
	}
	repl_module_init(&s.module);
	s.editor = cli_line_editor_new(STDIN_FILENO, STDOUT_FILENO, &completer);
	if (!s.editor || !s.module.package)
		bl_fail_memory(&err);
	else if (!load(&s, &err))
		talk(&s);
	if (err.status)
		code = cli_fail_with(cli, &err, EXIT_ERROR);
	do_unknown(&s, BL_STR(""));
	cli_line_editor_free(s.editor);
	repl_module_clear(&s.module);
	cli_network_clear(&s.network);
	return code;
}

const struct cli_code cli_code_rego_run = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = CLI_MAX_OPERANDS,
	.details =
		"Reads policies and data from PATH, then answers queries from "
		"standard input.  Rules,\n"
		"imports and 'package' are kept.  At a terminal lines can be "
		"edited, Tab completes,\n"
		"and the history is kept; elsewhere there are no prompts.  "
		"'help' lists the commands.\n"
		"\n"
		"Exit status:\n"
		"  0  at the end of input, or by 'exit'\n"
		"  1  PATH cannot be read\n",
	.run = run_run,
	.foreign = cli_opa_options,
};

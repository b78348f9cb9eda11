/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cli.h: what the commands of belay share.
 *
 * A command is a row of cli/commands.def and a struct cli_code in a file of
 * its own.  It reads its options from struct cli, appends what it has to say
 * to cli->out, and returns the exit status; main writes.  Only programs print,
 * and all text from elsewhere goes through cli_put_text.
 */
#ifndef BELAY_CLI_CLI_H
#define BELAY_CLI_CLI_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "engine/engine.h"

enum {
	CLI_MAX_OPTIONS = 64, /* of one command */
	CLI_MAX_OPERANDS = 1024,
	CLI_MAX_NUMBER = 1000000,
	CLI_EXIT_USAGE = 64,  /* the exit status of USAGE in status.def */
	CLI_EXIT_REFUSED = 2, /* what agents take for a "no" */
};

enum cli_option_kind {
	CLI_FLAG,     /* --json, --json=true, --json=false */
	CLI_VALUE,    /* --home DIR, once */
	CLI_LIST,     /* --workspace DIR, several times */
	CLI_NUMBER,   /* -n N */
	CLI_DURATION, /* --timeout 1m30s, 100ms, or 5: seconds */
};

struct cli_option {
	const char *name; /* without the dashes */
	char letter;      /* short form, 0: none */
	enum cli_option_kind kind;
	const char *value; /* what its value is (cli/words.c), NULL: none */
	const char *help;
};

/*
 * An option of the program whose command line ours is like, that ours has not:
 * refused, with what to do instead; or taken, where it could not change what
 * is answered.
 */
struct cli_foreign {
	const char *commands; /* " eval bench ": with blanks around each */
	const char *name;
	char letter; /* 0: none */
	bool has_value;
	const char *remedy; /* NULL: taken */
};

struct cli;

/* The code of one command. */
struct cli_code {
	const struct cli_option *options;
	size_t option_count;
	size_t least_operands;
	size_t most_operands;
	bool takes_everruns; /* its profiles too */
	const char *details; /* help: paragraphs below the options */
	int (*run)(struct cli *cli);
	const struct cli_foreign *foreign; /* ends with no name; NULL: none */
};

struct cli_command {
	const char *name; /* "hooks list" */
	const char *operands;
	const char *summary;
	const struct cli_code *code; /* NULL: belay-tools has it */
	bool is_hook;                /* a failure refuses: CLI_EXIT_REFUSED */
	bool decides;                /* ends in a verdict: cli/last_word.c */
	/*
	 * Answers the plainest form of a command of belay-tools in belay; NULL: it
	 * does not have one.  argv[used + 1] is the first word behind the command.
	 * False: left to belay-tools, and nothing was read from standard input.
	 */
	bool (*quick)(struct cli *cli, int used);
};

/* By WHERE of cli/commands.def. */
#define CLI_IS_HOOK_STATIC false
#define CLI_IS_HOOK_TOOLS  false
#define CLI_IS_HOOK_QUICK  false
#define CLI_IS_HOOK_HOOK   true

#define CLI_DECIDES_STATIC true
#define CLI_DECIDES_TOOLS  false
#define CLI_DECIDES_QUICK  false
#define CLI_DECIDES_HOOK   true

/* The table of this program: cli/commands_static.c, cli/commands_tools.c. */
extern const struct cli_command cli_commands[];
extern const size_t cli_command_count;
extern const bool cli_is_tools;
extern bl_engine_compile_fn *const cli_compile; /* NULL: it cannot */

#define COMMAND(id, name, where, operands, summary)                            \
	extern const struct cli_code cli_code_##id;
#include "cli/commands.def"
#undef COMMAND

/* How this program was built; beside the table of commands. */
struct cli_build {
	const char *linkage;     /* "static", "shared" */
	const char *libraries;   /* with their versions, or "none" */
	const char *http_client; /* what sends requests, or "none" */
	const char *builtins;    /* the families that policies may call */
};
extern const struct cli_build cli_build;
extern const char cli_commit[]; /* written by the build */

bool cli_quick_rego_eval(struct cli *cli, int used);

/* The value given for one option. */
struct cli_given {
	size_t count; /* 0: not given */
	struct bl_str *values;
	uint64_t number; /* CLI_DURATION: nanoseconds */
	bool is_off;     /* --flag=false, which does not count as given */
};

/* One run of belay. */
struct cli {
	int argc;
	char **argv;
	const struct cli_command *command;
	struct cli_given given[CLI_MAX_OPTIONS]; /* by index of its option */
	struct bl_str *operands;
	size_t operand_count;
	struct bl_arena arena; /* lives to the end of the program */
	struct bl_buf out;     /* for standard output */
	bool colour;           /* standard output is a terminal that likes it */
	bool is_cupcake;       /* called by that name: cli/cupcake.c */
	bool one_refuses;      /* a hook that refuses by status 1: --strict */
	atomic_bool shows_progress; /* something of it is on the terminal */
	struct bl_str home;         /* of the user, once it was asked for */
};

/* ---- options (cli/options.c) ------------------------------------------- */

enum cli_parsed { CLI_PARSED, CLI_PARSED_HELP, CLI_PARSED_BAD };

/*
 * Reads argv from index first on as the options and operands of cli->command:
 * --name VALUE, --name=VALUE, -n VALUE, -nVALUE; options may stand anywhere
 * before "--".  A flag may say true or false: --name=false.  HELP when --help or -h is among them; BAD when it is not right,
 * with *err saying what (status USAGE).
 */
enum cli_parsed cli_parse(struct cli *cli, int first, struct bl_error *err);

static inline bool cli_has(const struct cli *cli, size_t option)
{
	return cli->given[option].count > 0;
}

/* The value of an option, the last one given; ptr NULL when not given. */
struct bl_str cli_value(const struct cli *cli, size_t option);

/* Operand i; ptr NULL when there are not so many. */
struct bl_str cli_operand(const struct cli *cli, size_t i);

/* Of the candidates offered, the one most like text. */
struct cli_guess {
	struct bl_str text;
	struct bl_str best; /* empty: none */
	size_t distance;
};
void cli_guess_offer(struct cli_guess *guess, struct bl_str candidate);

/* ---- Cupcake's command line (cli/cupcake.c) ----------------------------- */

/*
 * When belay is called cupcake: sets is_cupcake, and cli->argv to belay's
 * words for what was said.  Options that every command of Cupcake's takes are
 * left out where ours has them not.
 */
enum bl_status cli_take_cupcake(struct cli *cli, struct bl_error *err);

/* The exit status as Cupcake has them: 2 for usage, 1 for all other errors. */
int cli_cupcake_exit_code(int code);

/* ---- commands (cli/commands.c) ------------------------------------------ */

/*
 * The command that argv[1..] begins with, longest name first, and in *out_used
 * how many words that were; NULL without a match, with *err saying so.
 */
const struct cli_command *cli_find_command(int argc, char **argv, int *out_used,
					   struct bl_error *err);

/* Is name the first word of a subcommand, and no command itself? */
bool cli_is_group(struct bl_str name);

/* --help or -h? */
bool cli_is_help(struct bl_str word);

/* Is command one of this group ("hooks")? */
bool cli_in_group(const struct cli_command *command, struct bl_str group);

/* The list of commands, for people. */
void cli_put_overview(struct bl_buf *out);

/* ---- the version (cli/version.c) ---------------------------------------- */

void cli_put_version(struct bl_buf *out);

/* The commit, compiler, libraries and features of this program. */
void cli_put_build(struct bl_buf *out);

/* ---- messages (cli/output.c) -------------------------------------------- */

/*
 * Prints "belay: message" on standard error (and "Try 'belay help COMMAND'."
 * when it is about usage).  Returns the exit status that belongs to err.
 */
int cli_fail(const struct cli *cli, const struct bl_error *err);

/* As above, but the exit status is code unless it is about usage. */
int cli_fail_with(const struct cli *cli, const struct bl_error *err, int code);

/* From now on messages name the program as it was called: cupcake. */
void cli_call_it_cupcake(void);

/* Prints on standard error at once. */
void cli_note(const char *fmt, ...) BL_PRINTF(1, 2);

/*
 * Appends text from elsewhere for people: made safe, every line after the first
 * indented by indent blanks.  No newline at the end.
 */
void cli_put_text(struct bl_buf *out, size_t indent, struct bl_str text);

/*
 * Appends text of our own from column at on, broken at mark where a line would be
 * longer than 80 bytes, and a newline; the lines after the first start with indent
 * blanks.
 */
void cli_put_wrapped(struct bl_buf *out, struct bl_str text, size_t at,
		     size_t indent, struct bl_str mark);

/*
 * Says on standard error, where that is a terminal, that so many are done: every
 * hundredth time, in the place of what was said before.  0: done, wipes it.
 */
void cli_show_progress(struct cli *cli, size_t done, const char *what);

/*
 * Says, likewise, which step of unknown length runs; cli_show_progress(cli, 0, NULL)
 * wipes it.
 */
void cli_show_step(struct cli *cli, const char *what);

enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_RED, CLI_YELLOW, CLI_GREEN };

/* Appends text in a style, when cli has colour. */
void cli_put_styled(struct cli *cli, enum cli_style style, const char *text);

/* Appends a value as one line of JSON. */
void cli_put_json(struct cli *cli, struct bl_value value);

/* Writes cli->out to standard output and empties it. */
enum bl_status cli_flush(struct cli *cli, struct bl_error *err);

/*
 * Hands over to belay-tools, with the same arguments; input (ptr NULL: as it
 * is) is its standard input.  Returns only on failure; a command that decides
 * fails also when belay-tools crashes or cannot be loaded.
 */
enum bl_status cli_become_tools(struct cli *cli, struct bl_str input,
				struct bl_error *err);

/* Called first in both programs: handed over, belay-tools says so no more. */
void cli_note_arrival(void);

/* ---- the last word (cli/last_word.c) ------------------------------------- */

/*
 * From here on a signal that would end the program ends it with status
 * CLI_EXIT_REFUSED and words on standard error; a limit on file sizes and a
 * reader that is gone are errors of write.
 */
void cli_last_word_arm(void);

/* The program ends so, too, when the program is still running after so many milliseconds. */
void cli_last_word_after(uint32_t ms);

/* How many milliseconds are left until then; 0: that was never set. */
uint32_t cli_last_word_left(void);

/* ---- what several commands need (cli/setup.c) --------------------------- */

/* The options about where hooks come from; they come first in a table. */
enum {
	CLI_OPT_PROFILE,
	CLI_OPT_WORKSPACE,
	CLI_OPT_PLUGIN,
	CLI_OPT_LENIENT,
	CLI_OPT_NO_PROJECT_GATE,
	CLI_OPT_TRUST_ALL,
	CLI_OPT_ROOT,
	CLI_OPT_HOME,
	CLI_OPT_SETUP_COUNT
};

#define CLI_PROFILE_ROW                                                        \
	{                                                                      \
		"profile", 0, CLI_VALUE, "PROFILE",                            \
			"rules to follow: cursor (the default) or cursor-2.3"  \
	}
#define CLI_HOME_ROW                                                           \
	{                                                                      \
		"home", 0, CLI_VALUE, "DIR", "home directory of the user"      \
	}
#define CLI_STATE_DIR_ROW                                                      \
	{                                                                      \
		"state-dir", 0, CLI_VALUE, "DIR",                              \
			"folder of the log (default: $XDG_STATE_HOME/belay)"   \
	}
#define CLI_JSON_ROW                                                           \
	{                                                                      \
		"json", 0, CLI_FLAG, NULL, "print JSON"                        \
	}

#define CLI_SETUP_ROWS                                                         \
	[CLI_OPT_PROFILE] = CLI_PROFILE_ROW,                                   \
	[CLI_OPT_WORKSPACE] = { "workspace", 0, CLI_LIST, "DIR",               \
				"workspace folder (default: as the payload "   \
				"says, else the current folder)" },            \
	[CLI_OPT_PLUGIN] = { "plugin", 0, CLI_LIST, "DIR", "plugin folder" },  \
	[CLI_OPT_LENIENT] = { "lenient", 0, CLI_FLAG, NULL,                    \
			      "drop a bad entry, not its whole file" },        \
	[CLI_OPT_NO_PROJECT_GATE] = { "no-project-gate", 0, CLI_FLAG, NULL,    \
				      "treat the agent's feature gate for "    \
				      "project hooks as off" },                \
	[CLI_OPT_TRUST_ALL] = { "trust-all", 0, CLI_FLAG, NULL,                \
				"treat every workspace as trusted" },          \
	[CLI_OPT_ROOT] = { "root", 0, CLI_VALUE, "DIR",                        \
			   "folder to put before system paths" },              \
	[CLI_OPT_HOME] = CLI_HOME_ROW

/*
 * Fills *out_options from the setup options.  payload (may be empty) supplies
 * the workspaces when none are given.  All borrowed from cli's arena.
 */
enum bl_status cli_setup(struct cli *cli, struct bl_str payload,
			 struct bl_engine_options *out_options,
			 struct bl_error *err);

/* The workspaces that the payload names, else the current folder. */
enum bl_status cli_event_workspaces(struct cli *cli, struct bl_str payload,
				    struct bl_engine_options *options,
				    struct bl_error *err);

/* The profile of an option, the default one when it is not given. */
enum bl_status cli_profile(struct cli *cli, size_t option,
			   const struct bl_profile **out_profile,
			   struct bl_error *err);

/* The agent of that name; USAGE without one, naming one that is like it. */
enum bl_status cli_get_agent(struct bl_str name,
			     const struct bl_agent **out_agent,
			     struct bl_error *err);

/* The home directory of the user; it is looked up once. */
enum bl_status cli_user_home(struct cli *cli, struct bl_str *out_home,
			     struct bl_error *err);

/* The home directory: of an option, else the user's; absolute. */
enum bl_status cli_home(struct cli *cli, size_t option, struct bl_str *out_home,
			struct bl_error *err);

/* The folder of the log, from the options --state-dir and --home. */
enum bl_status cli_journal_dir(struct cli *cli, size_t state_option,
			       size_t home_option, struct bl_str *out_dir,
			       struct bl_error *err);

/*
 * The folder of belay's state for what must not be led astray by the
 * environment: as above, but never in $XDG_STATE_HOME.
 */
enum bl_status cli_state_dir(struct cli *cli, size_t state_option,
			     size_t home_option, struct bl_str *out_dir,
			     struct bl_error *err);

/* path, absolute. */
enum bl_status cli_absolute(struct cli *cli, struct bl_str path,
			    struct bl_str *out_path, struct bl_error *err);

/*
 * The event on standard input (cli/payload.c): one JSON document, or whatever
 * there is up to the end; up to the limit of a payload.  TIMEOUT when it is not
 * there within ten seconds.
 */
enum bl_status cli_read_payload(struct cli *cli, struct bl_str *out_payload,
				struct bl_error *err);

/* All of standard input, however long that takes; up to the same limit. */
enum bl_status cli_read_input(struct cli *cli, struct bl_str *out_text,
			      struct bl_error *err);

/* Of an agent without a registration; %s is its title. */
#define CLI_NOT_REGISTERED                                                     \
	"%s have no file that belay could register in: put `belay mcp-proxy "  \
	"--` in front of the server's command (belay help mcp-proxy)"

/* ---- words (cli/words.c) ------------------------------------------------ */

/*
 * Calls visit with every text that a value or operand called name ("PROFILE",
 * "EVENT", ...) may be; calls nothing for open-ended ones.
 */
void cli_each_word(const char *name,
		   void (*visit)(void *context, const char *word),
		   void *context);

/* One usage line, "belay hooks list [--json]", not wrapped. */
void cli_put_usage(struct bl_buf *out, const struct cli_command *command);

#endif

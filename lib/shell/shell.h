/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/shell.h: the shell's grammar: text to a tree with places, and back.
 *
 *   bl_shell_parse      bash 5.2's grammar, complete; nothing is executed
 *   bl_shell_print_*    the tree as bash prints it (declare -f)
 *   bl_shell_expand_*   what is known of a word without running anything
 *
 * The tree is what bash 5.2.15 reads from the same text given to bash -c: the
 * same text is refused, and every word, quote and body ends where it ends
 * there.  Aliases and history expansion are off; POSIX mode is off.  Where bash
 * parses some text only when it runs (back-quotes, bodies of here-documents,
 * ${...}, arithmetic), the tree holds it already, and what would fail then is a
 * part BAD or a script with a fault, not a refusal of the whole.
 *
 * Forms of zsh and ksh that bash refuses (glob qualifiers, =(...)) are refused;
 * those that bash reads as something else are read as bash reads them, and the
 * word is marked BL_SHELL_WORD_FOREIGN: in zsh it may mean something else.
 *
 * Any bytes come in.  Bytes above 127 are part of words, as in the C locale.
 * A NUL byte cannot be in an argument: it is refused.
 *
 * Everything lies in the caller's arena and is immutable after the call.  Texts
 * in the tree borrow from the source text where they can, so the source must
 * live as long as the tree.
 *
 * Places are offsets in bytes in the source text that was given to
 * bl_shell_parse, also inside back-quotes and here-documents, whose text is
 * not contiguous in the source: span.start and span.end are where the first
 * byte stands and where the last one ends.
 *
 * Time is linear in the text.  Depth, commands and words are limited; the
 * arena's own limit bounds memory.  A limit that is hit is BL_LIMIT.
 *
 * Walking the tree: lists are linked by next, in source order.
 *
 *   script -> list -> chains (a && b || c, each ended by ; & or a newline)
 *          -> pipelines (a | b, with ! and time) -> commands -> words -> parts
 *
 * Example: `cd "$d" && ls *.c 2>&1 | head`: one chain; its pipelines are `cd "$d"`
 * (BL_SHELL_FIRST) and `ls *.c 2>&1 | head` (BL_SHELL_AND); the latter has two
 * commands; the words of the first are "ls" (one part TEXT) and "*.c" (TEXT,
 * word flag GLOB); its redirection is COPY_OUT, descriptor 2, target 1.
 */
#ifndef BELAY_SHELL_SHELL_H
#define BELAY_SHELL_SHELL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct bl_shell_span {
	uint32_t start;
	uint32_t end; /* behind the last byte */
};

/* ---- scripts: the text of a line, a substitution -------------------------- */

/* Why a text is not the shell's; kind for programs, message for people. */
enum bl_shell_fault_kind {
	BL_SHELL_NO_FAULT,
	BL_SHELL_UNEXPECTED, /* a token that cannot stand there */
	BL_SHELL_INCOMPLETE, /* the text ends too soon: a quote, a fi is missing */
	BL_SHELL_CONDITION, /* a malformed [[ ]] or for ((: bash drops the rest */
	BL_SHELL_NUL_BYTE,
	BL_SHELL_TOO_DEEP, /* a limit: BL_LIMIT */
	BL_SHELL_TOO_MUCH, /* a limit: BL_LIMIT */
};

struct bl_shell_fault {
	enum bl_shell_fault_kind kind;
	struct bl_shell_span span; /* the token, or an empty span at the end */
	struct bl_str message;     /* one line, static or in the arena */
};

struct bl_shell_list;

/*
 * The text of a line, a command substitution, a process substitution.
 *
 * fault.kind is NO_FAULT, or list holds only the commands of the lines before
 * the faulty one: bash runs those before it comes to the fault.
 */
struct bl_shell_script {
	struct bl_shell_span span;  /* of the text between the delimiters */
	struct bl_shell_list *list; /* NULL: no command */
	struct bl_shell_fault fault;
	/* $(<f) alone: the content of f, no command. */
	bool reads_file;
};

/* ---- lists, chains, pipelines ---------------------------------------------- */

struct bl_shell_chain;
struct bl_shell_pipeline;
struct bl_shell_command;
struct bl_shell_word;

struct bl_shell_list {
	struct bl_shell_span span;
	struct bl_shell_chain *chains; /* never NULL */
};

/* a && b || c: groups from the left. */
struct bl_shell_chain {
	struct bl_shell_chain *next;
	struct bl_shell_span span;           /* without the ; or & */
	struct bl_shell_pipeline *pipelines; /* never NULL */
	bool is_background;                  /* ended by & */
	bool is_line;                        /* ended by a newline alone */
};

enum bl_shell_join { BL_SHELL_FIRST, BL_SHELL_AND, BL_SHELL_OR };

enum bl_shell_timing { BL_SHELL_UNTIMED, BL_SHELL_TIMED, BL_SHELL_TIMED_POSIX };

struct bl_shell_pipeline {
	struct bl_shell_pipeline *next;
	struct bl_shell_span span;
	enum bl_shell_join join; /* to the pipeline before it */
	/*
	 * time, time -p.  As the first word of a $( ) `time` is the name of a
	 * simple command: bash's parser reads it so, though it means the same.
	 */
	enum bl_shell_timing timing;
	bool is_negated;                   /* an odd number of ! */
	struct bl_shell_command *commands; /* NULL: `!` or `time` alone */
};

/* ---- words ----------------------------------------------------------------- */

enum bl_shell_part_kind {
#define PART(name, text, meaning) BL_SHELL_##name,
#include "shell/parts.def"
#undef PART
	BL_SHELL_PART_COUNT
};

struct bl_shell_parameter;

struct bl_shell_part {
	struct bl_shell_part *next;
	struct bl_shell_span span; /* with quotes and delimiters */
	enum bl_shell_part_kind kind;
	union {
		/*
		 * TEXT, ESCAPED, SINGLE, ANSI: what stays after quote removal
		 * (backslash-newline is gone).  BAD: as written.
		 */
		struct bl_str text;
		/*
		 * DOUBLE, LOCALE: TEXT here is quoted text.  ARITHMETIC: the
		 * expression; TEXT is as written, quotes included.
		 */
		struct bl_shell_part *parts;
		struct bl_shell_parameter *parameter; /* PARAMETER */
		/* COMMAND, BACKQUOTE, PROCESS_IN, PROCESS_OUT */
		struct bl_shell_script *script;
		struct bl_shell_word *elements; /* ARRAY; NULL: none */
	};
	/*
	 * ARITHMETIC: written $[...].  COMMAND etc.: no meaning.
	 * PARAMETER: written without braces.
	 */
	bool is_short;
};

enum bl_shell_word_flags {
	BL_SHELL_WORD_QUOTED = 1,   /* some part is quoted */
	BL_SHELL_WORD_EXPANDS = 2,  /* has parameters, commands, arithmetic */
	BL_SHELL_WORD_GLOB = 4,     /* an unquoted * ? or [ */
	BL_SHELL_WORD_BRACE = 8,    /* an unquoted { : may expand to many */
	BL_SHELL_WORD_TILDE = 16,   /* ~ where it may expand */
	BL_SHELL_WORD_RUNS = 32,    /* runs commands, at any depth */
	BL_SHELL_WORD_BAD = 64,     /* has a part BAD, at any depth */
	BL_SHELL_WORD_FOREIGN = 128 /* zsh may read it otherwise */
};

struct bl_shell_assignment;

/* A $( ), <( ), >( ) or an array in the text of a word, where the printer needs it. */
struct bl_shell_substitution {
	uint32_t at; /* offsets in word.text, delimiters included */
	uint32_t end;
	struct bl_shell_script *script;
	bool is_verbatim;               /* $((a); b): printed as written */
	struct bl_shell_word *elements; /* of an array: no script */
};

struct bl_shell_word {
	struct bl_shell_word *next;
	struct bl_shell_span span;
	/*
	 * The word with its quotes as bash keeps it: backslash-newlines are
	 * gone, $'...' is decoded and quoted; of a substitution only the
	 * delimiters need be there.  For the printer; readers use parts.
	 */
	struct bl_str text;
	const struct bl_shell_substitution *substitutions;
	uint32_t substitution_count;
	uint32_t flags;              /* enum bl_shell_word_flags */
	struct bl_shell_part *parts; /* NULL: no text, as in ${x:-} */
	/*
	 * NULL unless the word has the form name=value, name+=value,
	 * name[subscript]=value or name=(...), in any place of a command; for
	 * an element of an array [subscript]=value with an empty name.
	 */
	struct bl_shell_assignment *assignment;
};

struct bl_shell_assignment {
	struct bl_str name;
	struct bl_shell_word *subscript; /* NULL: none */
	bool is_append;                  /* += */
	bool is_array;                   /* = ( ... ) */
	struct bl_shell_word *value;     /* never NULL unless is_array */
	struct bl_shell_word *elements;  /* is_array: NULL means () */
};

enum bl_shell_operator {
#define OPERATOR(name, text) BL_SHELL_OP_##name,
#include "shell/operators.def"
#undef OPERATOR
	BL_SHELL_OPERATOR_COUNT
};

/*
 * $name, ${name}, ${#name}, ${!name}, ${name[subscript]}, ${name operator word}.
 *
 *   ${!p*} ${!p@}    has_prefix: the names that begin with p; is_split for @
 *   ${!a[@]}         is_indirect with subscript @ or *: the keys
 *   ${#}  $#         the name "#", no is_length; ${#@} ${#*} is_length of "@"
 *   ${x@Q}           TRANSFORM, letter 'Q'
 *   ${x/p/r}         operand p, second r; second NULL: ${x/p}
 *   ${x:o:l}         operand o, second l (arithmetic text); second NULL: no l
 */
struct bl_shell_parameter {
	struct bl_str name; /* a name, digits, or one of @*#?-$!0_ */
	struct bl_shell_word *subscript; /* NULL: none; @ and * are its text */
	enum bl_shell_operator op;
	char letter;                   /* TRANSFORM */
	bool is_length;                /* ${#name} */
	bool is_indirect;              /* ${!name} */
	bool has_prefix;               /* ${!name*}, ${!name@} */
	bool is_split;                 /* has_prefix: written with @ */
	struct bl_shell_word *operand; /* NULL: no operator, or none written */
	struct bl_shell_word *second;
};

/* ---- commands -------------------------------------------------------------- */

enum bl_shell_command_kind {
#define COMMAND(name, text) BL_SHELL_##name##_COMMAND,
#include "shell/commands.def"
#undef COMMAND
	BL_SHELL_COMMAND_COUNT
};

enum bl_shell_redirection_kind {
#define REDIRECTION(name, text, descriptor) BL_SHELL_##name,
#include "shell/redirections.def"
#undef REDIRECTION
	BL_SHELL_REDIRECTION_COUNT
};

/* A here-document. */
struct bl_shell_here {
	struct bl_str delimiter; /* after quote removal */
	bool is_quoted;          /* the body is not expanded */
	bool is_closed; /* false: the text ended before the delimiter */
	struct bl_shell_span span; /* of the body, without the end line */
	struct bl_str text;        /* the body, with <<- without leading tabs */
	/*
	 * The text as parts.  Quoted: one TEXT, or none.  Else as in double
	 * quotes, only that " is text.
	 */
	struct bl_shell_word *body;
};

/* The operand of a copying redirection (<& >&). */
enum bl_shell_copy {
	BL_SHELL_COPY_WORD,  /* another word: known when it is expanded */
	BL_SHELL_COPY_FD,    /* >&2: source */
	BL_SHELL_COPY_MOVE,  /* >&2-: source, which is closed then */
	BL_SHELL_COPY_CLOSE, /* >&- */
};

struct bl_shell_redirection {
	struct bl_shell_redirection *next;
	struct bl_shell_span span; /* descriptor, operator and target */
	enum bl_shell_redirection_kind kind;
	int32_t descriptor;      /* as written, else the usual one */
	bool has_descriptor;     /* it is written */
	struct bl_str variable;  /* {name}>f: name; else empty */
	enum bl_shell_copy copy; /* COPY_IN, COPY_OUT */
	int32_t source;          /* copy FD and MOVE */
	struct bl_shell_word
		*target; /* never NULL; the delimiter's word of HERE */
	struct bl_shell_here *here; /* HERE, HERE_TABS; else NULL */
};

/* One `if T; then B`, or the elif of it. */
struct bl_shell_branch {
	struct bl_shell_branch *next;
	struct bl_shell_list *condition;
	struct bl_shell_list *body;
};

enum bl_shell_clause_end {
	BL_SHELL_CLAUSE_BREAK,   /* ;; or the end */
	BL_SHELL_CLAUSE_FALL,    /* ;& */
	BL_SHELL_CLAUSE_TEST_ON, /* ;;& */
};

struct bl_shell_clause {
	struct bl_shell_clause *next;
	struct bl_shell_span span;
	struct bl_shell_word *patterns; /* never NULL */
	struct bl_shell_list *body;     /* NULL: empty */
	enum bl_shell_clause_end end;
};

/* An expression of [[ ]]. */
enum bl_shell_test_kind {
	BL_SHELL_TEST_WORD,   /* left: not empty? */
	BL_SHELL_TEST_UNARY,  /* operator -f etc., left */
	BL_SHELL_TEST_BINARY, /* left, operator, right */
	BL_SHELL_TEST_NOT,    /* first */
	BL_SHELL_TEST_GROUP,  /* first */
	BL_SHELL_TEST_AND,    /* first, second */
	BL_SHELL_TEST_OR,     /* first, second */
};

struct bl_shell_test {
	enum bl_shell_test_kind kind;
	struct bl_shell_span span;
	struct bl_str op; /* "-f", "==", "=~", "<", "-eq" as written */
	struct bl_shell_word *left;
	/* == = !=: a pattern, extglob on; =~: a regular expression. */
	struct bl_shell_word *right;
	struct bl_shell_test *first;
	struct bl_shell_test *second;
};

/*
 * One command.  Which member of the union holds:
 *
 *   SIMPLE          simple
 *   GROUP SUBSHELL  list
 *   IF              choice
 *   WHILE UNTIL     loop
 *   FOR SELECT      each
 *   ARITHMETIC_FOR  count
 *   CASE            cases
 *   ARITHMETIC      expression: parts as in ARITHMETIC parts
 *   CONDITION       test
 *   FUNCTION        function
 *   COPROCESS       coprocess
 */
struct bl_shell_command {
	struct bl_shell_command *next; /* in the pipeline */
	struct bl_shell_span span;     /* with its redirections */
	enum bl_shell_command_kind kind;
	/* Joined to next by |&: its standard error too, behind all redirections. */
	bool pipes_errors;
	struct bl_shell_redirection *redirections; /* in order */
	union {
		struct {
			struct bl_shell_word *assignments; /* before the name */
			struct bl_shell_word *words; /* NULL: none, no name */
		} simple;
		struct bl_shell_list *list;
		struct {
			struct bl_shell_branch *branches; /* if, elif... */
			struct bl_shell_list *otherwise;  /* NULL: none */
		} choice;
		struct {
			struct bl_shell_list *condition;
			struct bl_shell_list *body;
		} loop;
		struct {
			struct bl_shell_word *name; /* bash checks it late */
			bool has_words;             /* false: in "$@" */
			struct bl_shell_word *words;
			struct bl_shell_list *body;
		} each;
		struct {
			struct bl_shell_word *start; /* NULL: left out */
			struct bl_shell_word *test;
			struct bl_shell_word *step;
			struct bl_shell_list *body;
		} count;
		struct {
			struct bl_shell_word *subject;
			struct bl_shell_clause *clauses; /* NULL: none */
		} cases;
		struct bl_shell_word *expression;
		struct bl_shell_test *test;
		struct {
			struct bl_shell_word *name; /* text as written */
			/* Any compound command, with its redirections. */
			struct bl_shell_command *body;
		} function;
		struct {
			struct bl_str name; /* empty: COPROC */
			struct bl_shell_command *body;
		} coprocess;
	};
};

/* ---- parsing --------------------------------------------------------------- */

struct bl_shell_options {
	/* shopt -s extglob; it is always on inside [[ ]] behind == and !=. */
	bool extglob;
	/*
	 * As bash -n: a line `shopt -s extglob` does not turn it on for the
	 * lines behind it.
	 */
	bool ignores_shopt;
	/* Each 0: the default. */
	uint32_t depth_max; /* constructs inside each other; default 1000 */
	uint32_t nodes_max; /* commands, words and parts; default 4 million */
	uint32_t bytes_max; /* of the text; default 64 MiB */
};

enum {
	BL_SHELL_DEPTH = 1000,
	BL_SHELL_NODES = 4 << 20,
	BL_SHELL_BYTES = 64 << 20,
	BL_SHELL_HERE_MAX = 16, /* here-documents of one line, as bash */
};

/*
 * Reads text.  options may be NULL.  OK: *out_script is the tree.  SYNTAX:
 * *out_script is set too, with its fault and with the commands of the complete
 * lines before it; err has the message.  LIMIT: the same, the fault is TOO_DEEP
 * or TOO_MUCH.  NO_MEMORY, or LIMIT of the arena: *out_script is NULL.
 */
enum bl_status bl_shell_parse(struct bl_arena *arena, struct bl_str text,
			      const struct bl_shell_options *options,
			      struct bl_shell_script **out_script,
			      struct bl_error *err);

/* The names of the kinds, as in the .def files: "parameter", "subshell". */
const char *bl_shell_part_name(enum bl_shell_part_kind kind);
const char *bl_shell_command_name(enum bl_shell_command_kind kind);
/* The operator as it is written: "<<-", ":-". */
const char *bl_shell_redirection_text(enum bl_shell_redirection_kind kind);
const char *bl_shell_operator_text(enum bl_shell_operator op);

/* ---- printing -------------------------------------------------------------- */

/*
 * Appends what bash prints; failures stick in out.  The result parses to the
 * same tree but for the places, except where bash itself prints something else:
 * 1<>f loses its 1, coproc a b gets a name that is read as a command, and a
 * here-document in the condition of an if that is part of a list is lost.
 *
 *   function   declare -f NAME of a function NAME whose body is { list }
 *   list       the list alone, at the left margin, as in $( )
 *   word       one word
 */
void bl_shell_print_function(struct bl_buf *out, struct bl_str name,
			     const struct bl_shell_list *list);
void bl_shell_print_list(struct bl_buf *out, const struct bl_shell_list *list);
void bl_shell_print_word(struct bl_buf *out, const struct bl_shell_word *word);

/* ---- expansion: what is known without running ------------------------------ */

/*
 * The answer of a question about text that depends on the world.
 *
 * KNOWN: bash gives exactly this.  UNKNOWN: it depends on a variable that the
 * caller does not know, on a command, or on the file system.  FAILS: bash
 * reports an error (${x:?}, a division by zero) and the command does not run.
 * EXCEEDS: a limit was hit, or memory is out (see bl_arena_status).
 */
enum bl_shell_answer {
	BL_SHELL_KNOWN,
	BL_SHELL_UNKNOWN,
	BL_SHELL_FAILS,
	BL_SHELL_EXCEEDS,
};

enum bl_shell_state {
	BL_SHELL_STATE_UNKNOWN, /* set or not, and to what, is not known */
	BL_SHELL_STATE_UNSET,
	BL_SHELL_STATE_SET,
};

/*
 * How the caller tells what variables hold.  find is asked for a name ("HOME",
 * "1", "?") and a subscript (expanded text; empty ptr NULL: none; never @ or
 * *).  The value must live as long as the arena.  set is told of assignments
 * (${x:=w}, $((x=1))); NULL: an expansion that assigns is UNKNOWN.
 */
struct bl_shell_variables {
	enum bl_shell_state (*find)(void *context, struct bl_str name,
				    struct bl_str subscript,
				    struct bl_str *out_value);
	bool (*set)(void *context, struct bl_str name, struct bl_str subscript,
		    struct bl_str value);
	/*
	 * The positional parameters or the elements of an array, for "$@" and
	 * "${a[@]}" (name "@" or the array's).  NULL: not known.
	 */
	enum bl_shell_state (*list)(void *context, struct bl_str name,
				    const struct bl_str **out_values,
				    size_t *out_count);
	void *context;
};

/* One word after expansion. */
struct bl_shell_field {
	struct bl_shell_field *next;
	struct bl_str text; /* quotes removed */
	/*
	 * The word as a pattern: quoted characters that are special have a
	 * backslash.  ptr NULL: text has no active * ? [.
	 */
	struct bl_str pattern;
};

/*
 * The text of a word that has only quotes and text: no expansion, brace, tilde
 * or glob that is active.  False: *out_text is untouched.  (TEXT alone: no
 * copy.)  NULL as arena: false where a copy would be needed.
 */
bool bl_shell_word_text(struct bl_arena *arena,
			const struct bl_shell_word *word,
			struct bl_str *out_text);

/*
 * {a,b} and {1..9..2}: the words that word becomes (NULL: it vanishes); the word
 * itself when no brace is active.  EXCEEDS: more than max words.
 */
enum bl_shell_answer bl_shell_expand_braces(struct bl_arena *arena,
					    const struct bl_shell_word *word,
					    size_t max,
					    const struct bl_shell_word **out);

/*
 * Whether the word begins with a tilde that expands: *out_user is what follows
 * it up to the / ("" for ~, "+" for ~+, "bob"), *out_rest_at how many bytes of
 * the first part that was with the ~.
 */
bool bl_shell_word_tilde(const struct bl_shell_word *word,
			 struct bl_str *out_user, size_t *out_rest_at);

/* The text between $' and ', decoded; ptr NULL when memory is out. */
struct bl_str bl_shell_decode_ansi(struct bl_arena *arena, struct bl_str text);

/* 'text', with every ' in it as '\''.  ptr NULL: out of memory. */
struct bl_str bl_shell_single_quote(struct bl_arena *arena, struct bl_str text);

/*
 * All of it as bash does: braces, tilde, parameters, arithmetic, splitting by
 * IFS, quote removal; not globbing (fields have their pattern) and no commands.
 * as_one: as on the right side of an assignment: no braces, no splitting.
 * *out_fields may become NULL: the word vanishes.
 */
enum bl_shell_answer
bl_shell_expand_word(struct bl_arena *arena, const struct bl_shell_word *word,
		     const struct bl_shell_variables *variables, bool as_one,
		     struct bl_shell_field **out_fields);

/*
 * One operator on a known value: ${x#p} and so on, all but - = ? + (which ask
 * whether x is set) and SLICE.  pattern is in the form of field.pattern; second
 * is the replacement, in which \& and \\ are literal and & is the match.
 * UNKNOWN: TRANSFORM P, A, K, a.
 */
enum bl_shell_answer bl_shell_apply(struct bl_arena *arena,
				    const struct bl_shell_parameter *parameter,
				    struct bl_str value, struct bl_str pattern,
				    struct bl_str second, struct bl_str *out);

/*
 * The value of an arithmetic expression whose parameters are already expanded
 * (names are looked up in variables, recursively, as bash does).  FAILS: a
 * syntax error, a division by zero.
 */
enum bl_shell_answer
bl_shell_evaluate(struct bl_arena *arena, struct bl_str expression,
		  const struct bl_shell_variables *variables,
		  int64_t *out_value);

enum bl_shell_match_flags {
	BL_SHELL_MATCH_EXTGLOB = 1,
	BL_SHELL_MATCH_PATH = 2, /* * ? [ do not match / (globbing) */
	BL_SHELL_MATCH_PERIOD =
		4, /* nor a leading . (with PATH: after / too) */
	BL_SHELL_MATCH_NOCASE = 8,
};

/*
 * Whether the whole text matches a glob pattern (a backslash quotes), by bytes
 * as in the C locale.  Linear for each * ; EXCEEDS when nested extglob would
 * take too long.
 */
enum bl_shell_answer bl_shell_match(struct bl_str pattern, struct bl_str text,
				    uint32_t flags, bool *out_matches);

#endif

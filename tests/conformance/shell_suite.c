/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell_suite COUNT [FOLDER]: the shell module beside bash itself.
 *
 *   acceptance   bash -n and bl_shell_parse take and refuse the same texts:
 *                real command lines, and COUNT seeded mutations of them
 *   printing     the printed tree is what declare -f prints, byte for byte, and
 *                parses to a tree that prints the same again
 *   expansion    words of known variables expand as bash expands them
 *
 * FOLDER holds the real lines (*.jsonl, "command" in each); without it the
 * inputs of traps.def are mutated.  COUNT 0: every real line, and 100,000
 * mutations.  Real lines are never run: bash -n only parses, and a function is
 * only defined, and only when this parser sees nothing outside of it, in a
 * sandbox without files.  Where bash is not 5.2 or bwrap does not work, what
 * needs them leaves itself out with one line.
 */
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json/json.h"
#include "shell/shell.h"
#include "tap.h"

enum {
	TEXTS_MAX = 60000,
	FILE_BYTES_MAX = 64 << 20,
	MESSAGE_BYTES = 4096,
	ALL_MUTATIONS = 100000,
	SHOWN_MAX = 5,
	MUTANT_BYTES_MAX = 1500,
};

struct texts {
	struct bl_str list[TEXTS_MAX];
	size_t count;
};

static struct texts lines;    /* real lines, or the traps */
static struct texts accepted; /* of them and their mutations, by both */
static struct bl_arena texts_arena;
static size_t mutation_count = 2000;
static size_t line_count; /* 0: all */

static uint64_t state = 0x9E3779B97F4A7C15u;

/* xorshift: the same texts on every machine. */
static size_t next_below(size_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return limit ? (size_t)(state >> 11) % limit : 0;
}

static void add_text(struct texts *texts, struct bl_str text)
{
	if (texts->count < TEXTS_MAX && text.len &&
	    !memchr(text.ptr, 0, text.len))
		texts->list[texts->count++] =
			bl_arena_copy_str(&texts_arena, text);
}

/* ---- the texts -------------------------------------------------------------- */

static void add_json_line(struct bl_str line)
{
	struct bl_arena arena;
	struct bl_value value, command;

	bl_arena_init(&arena, NULL, 0, 0);
	if (!bl_json_read(&arena, line, NULL, &value, NULL, NULL, NULL)) {
		command = bl_object_find(value, BL_STR("command"));
		if (bl_value_is(command, BL_KIND_STRING))
			add_text(&lines, bl_value_text(command));
	}
	bl_arena_clear(&arena);
}

static void add_file(const char *path)
{
	char *data = malloc(FILE_BYTES_MAX), *line, *end;
	FILE *file = fopen(path, "rb");
	size_t len = 0;

	if (file && data)
		len = fread(data, 1, FILE_BYTES_MAX, file);
	for (line = data; len && line < data + len; line = end + 1) {
		end = memchr(line, '\n', (size_t)(data + len - line));
		if (!end)
			break;
		add_json_line((struct bl_str){ line, (size_t)(end - line) });
	}
	if (file)
		fclose(file);
	free(data);
}

static int is_jsonl(const struct dirent *entry)
{
	return bl_str_has_suffix(bl_str(entry->d_name), BL_STR(".jsonl"));
}

static void add_folder(const char *folder)
{
	struct dirent **names = NULL;
	char path[4096];
	int count = scandir(folder, &names, is_jsonl, alphasort);

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		add_file(path);
		free(names[i]);
	}
	free(names);
}

static void add_traps(void)
{
	static const char *const inputs[] = {
#define TRAP(number, input, commands) input,
#include "../unit/shell/traps.def"
#undef TRAP
	};

	for (size_t i = 0; i < BL_COUNT(inputs); i++)
		add_text(&lines, bl_str(inputs[i]));
}

/* One change, as a slip of the hand or a cut would make it. */
static struct bl_str mutate(struct bl_arena *arena, struct bl_str s)
{
	static const char *const tokens[] = {
		"'",      "\"",      "`",    "$(",     ")",         "(",
		"((",     "))",      "{",    "}",      "${",        "$((",
		"[[",     "]]",      "|",    "&",      "&&",        "||",
		";",      ";;",      ";&",   "\n",     "<<E\n",     "E\n",
		"<",      ">",       ">&",   "<&",     "2>",        "<<<",
		"<(",     "\\",      "\\\n", "#",      "$'",        "$\"",
		"if ",    "then ",   "fi",   "for ",   "do ",       "done",
		"case ",  "in ",     "esac", "while ", "!",         "time ",
		"x=(",    "a[",      "=",    "*(",     "~",         "$[",
		"]",      "\t",      "&>",   "x() ",   "{ ",        "elif ",
		"<<-E\n", "<<'E'\n", "=~ ",  "{v}>",   "function ", "coproc ",
	};
	struct bl_str token = bl_str(tokens[next_below(BL_COUNT(tokens))]);
	size_t at = next_below(s.len + 1), to = at + next_below(6);
	struct bl_str head = bl_str_slice(s, 0, at);
	struct bl_str tail = bl_str_slice(s, at, s.len);
	struct bl_str other = lines.list[next_below(lines.count)];

	if (to > s.len)
		to = s.len;
	switch (next_below(6)) {
	case 0: /* dropped */
		token.len = 0;
		tail = bl_str_slice(s, to, s.len);
		break;
	case 1: /* put in */
		break;
	case 2: /* doubled */
		token = bl_str_slice(s, at, to);
		break;
	case 3: /* cut off */
		token.len = tail.len = 0;
		break;
	case 4: /* replaced */
		tail = bl_str_slice(s, at < s.len ? at + 1 : at, s.len);
		break;
	default: /* a piece of another line */
		at = next_below(other.len);
		token = bl_str_slice(other, at, at + next_below(20));
	}
	return bl_arena_printf(arena, "%.*s%.*s%.*s", BL_STR_ARG(head),
			       BL_STR_ARG(token), BL_STR_ARG(tail));
}

static struct bl_str mutant(struct bl_arena *arena)
{
	struct bl_str s;

	do
		s = lines.list[next_below(lines.count)];
	while (s.len > MUTANT_BYTES_MAX);
	for (size_t rounds = 1 + next_below(3); rounds; rounds--)
		s = mutate(arena, s);
	return s;
}

/* ---- bash ------------------------------------------------------------------- */

static char *const quiet_env[] = { (char[]){ "PATH=/nonexistent" },
				   (char[]){ "LC_ALL=C.UTF-8" }, NULL };

/* Runs argv with in and out as its input and output; its status. */
static int run(char *const argv[], int in, int out, int error)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status = -1;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, error, 2);
	if (!posix_spawnp(&pid, argv[0], &actions, NULL, argv, quiet_env))
		waitpid(pid, &status, 0);
	posix_spawn_file_actions_destroy(&actions);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int null_fd, message_fd;

/* Puts the words of bash -n about in, or the text behind -c, into message (MESSAGE_BYTES). */
static int ask_bash(char *text, int in, char *message)
{
	char behind_c[] = "-c";
	char *argv[] = { (char[]){ "/bin/bash" },
			 (char[]){ "--norc" },
			 (char[]){ "-n" },
			 text ? behind_c : NULL,
			 (char[]){ "--" },
			 text,
			 NULL };
	ssize_t len;
	int status;

	if (ftruncate(message_fd, 0) || lseek(message_fd, 0, SEEK_SET))
		status = -1;
	else
		status = run(argv, in, null_fd, message_fd);
	len = pread(message_fd, message, MESSAGE_BYTES - 1, 0);
	message[len > 0 ? len : 0] = 0;
	return status;
}

/* Whether bash -n takes text; message (MESSAGE_BYTES) is what it says. */
static int bash_status(struct bl_str text, char *message)
{
	char *copy = strndup(text.ptr, text.len);
	int status = ask_bash(copy, null_fd, message);

	free(copy);
	return status;
}

/* A malformed [[ ]] is refused with a message and status 0. */
static bool says_refused(const char *message)
{
	static const char *const phrases[] = { "syntax error",
					       "unexpected token",
					       "unexpected argument",
					       "expected" };

	for (size_t i = 0; i < BL_COUNT(phrases); i++)
		if (strstr(message, phrases[i]))
			return true;
	return false;
}

/*
 * Whether bash takes text as a script: -c refuses a few texts that it takes from a
 * file, "((x # 2)\nE\n))" for one.
 */
static bool is_script(struct bl_str text)
{
	char message[MESSAGE_BYTES];
	FILE *file = tmpfile();
	bool taken = file && fwrite(text.ptr, 1, text.len, file) == text.len &&
		     !fflush(file) && !fseek(file, 0, SEEK_SET) &&
		     !ask_bash(NULL, fileno(file), message) &&
		     !says_refused(message);

	if (file)
		fclose(file);
	return taken;
}

/* bash drops [[ ]] and a for (( without )) in silence. */
static bool is_dropped(const struct bl_shell_script *script)
{
	return script && script->fault.kind == BL_SHELL_CONDITION &&
	       (bl_str_is(script->fault.message,
			  "[[ ]]: an expression is expected") ||
		bl_str_is(script->fault.message, "for (( has no ))"));
}

static bool have_bash(void)
{
	static const char probe[] = "[[ $BASH_VERSION == 5.2.* ]]";
	char *argv[] = { (char[]){ "/bin/bash" }, (char[]){ "--norc" },
			 (char[]){ "-c" }, strdup(probe), NULL };
	int status = run(argv, null_fd, null_fd, null_fd);

	free(argv[3]);
	return status == 0;
}

/* ---- acceptance ------------------------------------------------------------- */

static void show(const char *what, struct bl_str text)
{
	printf("# %s: ", what);
	for (size_t i = 0; i < text.len && i < 400; i++)
		printf(text.ptr[i] == '\n' ? "\\n" : "%c", text.ptr[i]);
	printf("\n");
}

/* Whether both say the same of text. */
static bool check_text(struct bl_str text, bool keep)
{
	struct bl_shell_options options = { .ignores_shopt = true };
	struct bl_shell_script *script;
	char message[MESSAGE_BYTES];
	struct bl_arena arena;
	bool ours, theirs;

	bl_arena_init(&arena, NULL, 0, 0);
	ours = !bl_shell_parse(&arena, text, &options, &script, NULL);
	theirs = !bash_status(text, message) && !says_refused(message);
	if (ours && !theirs)
		theirs = is_script(text);
	if (theirs && !ours && is_dropped(script))
		theirs = false;
	if (ours && theirs && keep && !message[0])
		add_text(&accepted, text);
	bl_arena_clear(&arena);
	return ours == theirs;
}

static void test_real_lines(void)
{
	size_t step = line_count && line_count < lines.count
			      ? lines.count / line_count
			      : 1;
	size_t wrong = 0, count = 0;

	for (size_t i = 0; i < lines.count; i += step, count++) {
		if (check_text(lines.list[i], true))
			continue;
		if (wrong++ < SHOWN_MAX)
			show("bash disagrees", lines.list[i]);
	}
	printf("# %zu lines, %zu read otherwise than bash -n\n", count, wrong);
	CHECK_INT(wrong, 0);
}

static void test_mutations(void)
{
	struct bl_arena arena;
	size_t wrong = 0;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; i < mutation_count; i++) {
		struct bl_str text = mutant(&arena);

		if (!check_text(text, i % 4 == 0) && wrong++ < SHOWN_MAX)
			show("bash disagrees", text);
		bl_arena_reset(&arena);
	}
	printf("# %zu mutations, %zu read otherwise than bash -n\n",
	       mutation_count, wrong);
	CHECK_INT(wrong, 0);
	bl_arena_clear(&arena);
}

/* ---- printing --------------------------------------------------------------- */

static bool print_function(struct bl_str text, struct bl_buf *out)
{
	struct bl_shell_script *script;
	struct bl_arena arena;
	bool done;

	bl_arena_init(&arena, NULL, 0, 0);
	done = !bl_shell_parse(&arena, text, NULL, &script, NULL) &&
	       script->list;
	if (done)
		bl_shell_print_function(out, BL_STR("f"), script->list);
	bl_arena_clear(&arena);
	return done;
}

/* Whether `f() {`, text, `}` is one function and nothing else. */
static bool stays_inside(struct bl_str text)
{
	struct bl_shell_script *script;
	const struct bl_shell_chain *chain;
	struct bl_arena arena;
	struct bl_str whole;
	bool inside = false;

	bl_arena_init(&arena, NULL, 0, 0);
	whole = bl_arena_printf(&arena, "f() {\n%.*s\n}", BL_STR_ARG(text));
	if (!bl_shell_parse(&arena, whole, NULL, &script, NULL)) {
		chain = script->list->chains;
		inside = !chain->next && !chain->is_background &&
			 !chain->pipelines->next &&
			 chain->pipelines->commands &&
			 !chain->pipelines->commands->next &&
			 chain->pipelines->commands->kind ==
				 BL_SHELL_FUNCTION_COMMAND;
	}
	bl_arena_clear(&arena);
	/* A last backslash would join the } to the text. */
	return inside && text.ptr[text.len - 1] != '\\';
}

/* bash -c script in a sandbox that holds bash and nothing else. */
static int run_sandboxed(const char *script, int in, int out)
{
	static const char *const words[] = {
		"bwrap",
		"--ro-bind",
		"/bin",
		"/bin",
		"--ro-bind",
		"/lib",
		"/lib",
		"--ro-bind",
		"/usr/lib",
		"/usr/lib",
		"--ro-bind-try",
		"/lib64",
		"/lib64",
		"--dev",
		"/dev",
		"--unshare-all",
		"--die-with-parent",
		"--clearenv",
		"--setenv",
		"PATH",
		"/nonexistent",
		"--setenv",
		"LC_ALL",
		"C.UTF-8",
		"/bin/bash",
		"--norc",
		"-c",
	};
	char *argv[BL_COUNT(words) + 2] = { NULL };
	int status;

	argv[0] = strdup("/usr/bin/bwrap");
	for (size_t i = 1; i < BL_COUNT(words); i++)
		argv[i] = strdup(words[i]);
	argv[BL_COUNT(words)] = strdup(script);
	status = run(argv, in, out, null_fd);
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	return status;
}

/* The output of the script for each of texts, both ended by NUL; NULL: nothing. */
static char *ask_sandbox(const char *script, const struct bl_str *texts,
			 size_t count)
{
	FILE *in = tmpfile(), *out = tmpfile();
	char *answers = NULL;
	long size;

	for (size_t i = 0; in && i < count; i++) {
		fwrite(texts[i].ptr, 1, texts[i].len, in);
		fputc(0, in);
	}
	if (in && out && !fflush(in) && !lseek(fileno(in), 0, SEEK_SET) &&
	    !run_sandboxed(script, fileno(in), fileno(out))) {
		fseek(out, 0, SEEK_END);
		size = ftell(out);
		rewind(out);
		answers = calloc(1, (size_t)size + 2);
		if (answers &&
		    fread(answers, 1, (size_t)size, out) != (size_t)size)
			answers[0] = 0;
	}
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return answers;
}

static bool check_print(struct bl_str text, const char *theirs)
{
	struct bl_buf once;
	bool same;

	bl_buf_init(&once, 0);
	same = print_function(text, &once) &&
	       bl_str_is(bl_buf_str(&once), theirs);
	if (!same) {
		show("printed otherwise", text);
		show("bash", bl_str(theirs));
		show("here", bl_buf_str(&once));
	}
	bl_buf_clear(&once);
	return same;
}

static void test_printing(void)
{
	static const char script[] =
		/* By bytes: half a character would swallow the NUL. */
		"LC_ALL=C; while IFS= read -r -d '' t; do ( unset -f f\n"
		"eval \"f() {\n$t\n}\"; declare -f f ); printf '\\0'; done";
	char *answers, *answer;
	size_t kept = 0, wrong = 0;

	for (size_t i = 0; i < accepted.count; i++)
		if (stays_inside(accepted.list[i]))
			accepted.list[kept++] = accepted.list[i];
	accepted.count = kept;
	answers = ask_sandbox(script, accepted.list, kept);
	if (!answers) {
		printf("# printing left out: bwrap does not work here\n");
		return;
	}
	answer = answers;
	for (size_t i = 0; i < kept; i++, answer += strlen(answer) + 1)
		if (!check_print(accepted.list[i], answer) &&
		    ++wrong >= SHOWN_MAX)
			break;
	printf("# %zu texts printed, %zu otherwise than declare -f\n", kept,
	       wrong);
	CHECK_INT(wrong, 0);
	free(answers);
}

/* ---- expansion -------------------------------------------------------------- */

static const char *const variables[][2] = {
	{ "x", "abc" },        { "y", "a b  c" },
	{ "z", "" },           { "n", "5" },
	{ "m", "n+2" },        { "p", "/usr/local/lib.tar.gz" },
	{ "c", "1:2::3:" },    { "r", "n" },
	{ "t", "a\tb\nc" },    { "u", "ABCdef" },
	{ "HOME", "/h" },      { "PWD", "/w" },
	{ "q", "it's \"q\"" }, { "g", "*" },
	{ "1", "one" },        { "2", "t w o" },
	{ "3", "" },           { "#", "3" },
};

static enum bl_shell_state find_variable(void *context, struct bl_str name,
					 struct bl_str subscript,
					 struct bl_str *out)
{
	(void)context;
	if (subscript.ptr)
		return BL_SHELL_STATE_UNKNOWN;
	for (size_t i = 0; i < BL_COUNT(variables); i++) {
		if (bl_str_is(name, variables[i][0])) {
			*out = bl_str(variables[i][1]);
			return BL_SHELL_STATE_SET;
		}
	}
	return bl_str_is(name, "w") || bl_str_is(name, "IFS")
		       ? BL_SHELL_STATE_UNSET
		       : BL_SHELL_STATE_UNKNOWN;
}

static enum bl_shell_state list_variables(void *context, struct bl_str name,
					  const struct bl_str **out_values,
					  size_t *out_count)
{
	static const struct bl_str values[] = { { "one", 3 },
						{ "t w o", 5 },
						{ "", 0 } };

	(void)context;
	if (!bl_str_is(name, "@"))
		return BL_SHELL_STATE_UNKNOWN;
	*out_values = values;
	*out_count = BL_COUNT(values);
	return BL_SHELL_STATE_SET;
}

static const char *pick(const char *const *list, size_t count)
{
	return list[next_below(count)];
}
#define PICK(...)                                                              \
	pick((const char *const[]){ __VA_ARGS__ },                             \
	     BL_COUNT(((const char *const[]){ __VA_ARGS__ })))

static void put_number(struct bl_buf *out, int depth)
{
	bl_buf_puts(out, PICK("1", "2", "7", "0x1f", "010", "16#ff", "n", "m",
			      "w", "36#z"));
	if (depth > 2 || next_below(3) == 0)
		return;
	bl_buf_puts(out,
		    PICK("+", " - ", "*", "/", "%", "<<", ">>", "&", "|", "^",
			 "&&", "||", "<", "<=", "==", "!=", ",", "?2:"));
	bl_buf_puts(out, PICK("", "-", "!", "~"));
	put_number(out, depth + 1);
}

static void put_parameter(struct bl_buf *out)
{
	const char *name = PICK("x", "y", "z", "n", "p", "q", "c", "t", "u",
				"w", "1", "2", "3");

	bl_buf_printf(out, "${%s%s}", name,
		      PICK("", ":-d", "-d e", ":+\"f g\"", "+h", "#a", "##*/",
			   "%.*", "%%.*", "#*[b-l]", "/b/r", "//[a-l]/<&>",
			   "/#/r", "/%/\\&", ":1", ":1:2", ": -2", ":0:-1", "^",
			   "^^", ",", ",,[A-C]", "~~", "@Q", "@E", "@U"));
}

static void put_quoted(struct bl_buf *out)
{
	bl_buf_puts(out, "\"");
	bl_buf_puts(out, PICK("", "a", "b c", "\\$", "\\x", "'", "*", "~"));
	if (next_below(2))
		put_parameter(out);
	bl_buf_puts(out, PICK("", "$@", "$*", "$n", "{a,b}"));
	bl_buf_puts(out, "\"");
}

static void put_word(struct bl_buf *out)
{
	for (size_t pieces = 1 + next_below(4); pieces; pieces--) {
		switch (next_below(8)) {
		case 0:
			put_parameter(out);
			break;
		case 1:
			put_quoted(out);
			break;
		case 2:
			bl_buf_puts(out, "$((");
			put_number(out, 0);
			bl_buf_puts(out, "))");
			break;
		case 3:
			bl_buf_puts(out,
				    PICK("{a,b}", "{1..3}", "{a..e..2}",
					 "{03..1}", "{x}", "{a,{b,c}d}", "{,a}",
					 "{a},b}", "{", "}", "{-2..2..3}"));
			break;
		case 4:
			bl_buf_puts(out, PICK("'a b'", "'*'", "$'a\\tb'",
					      "$'\\x41\\101\\u20ac'",
					      "$'it\\'s\\0x'", "\\*", "\\ "));
			break;
		case 5:
			bl_buf_puts(out, PICK("$x", "$y", "$z", "$c", "$*",
					      "$@", "$#", "$w", "~", "~/a"));
			break;
		default:
			bl_buf_puts(out, PICK("a", "b", "-", ".", "/",
					      "x=", ":", "*", "?", "[a-c]"));
		}
	}
}

/* `c WORD` expanded, fields in <>; UNKNOWN and FAILS as such. */
static void expand_here(struct bl_str word, struct bl_buf *out)
{
	struct bl_shell_variables all = { .find = find_variable,
					  .list = list_variables };
	const struct bl_shell_command *command;
	struct bl_shell_field *field = NULL;
	enum bl_shell_answer answer;
	struct bl_shell_script *script;
	struct bl_arena arena;
	struct bl_str line;

	bl_arena_init(&arena, NULL, 0, 0);
	line = bl_arena_printf(&arena, "c %.*s", BL_STR_ARG(word));
	if (bl_shell_parse(&arena, line, NULL, &script, NULL)) {
		bl_buf_puts(out, "REFUSED");
	} else {
		command = script->list->chains->pipelines->commands;
		answer = bl_shell_expand_word(&arena,
					      command->simple.words->next, &all,
					      false, &field);
		if (answer == BL_SHELL_UNKNOWN || answer == BL_SHELL_EXCEEDS)
			bl_buf_puts(out, "UNKNOWN");
		for (; answer == BL_SHELL_KNOWN && field; field = field->next)
			bl_buf_printf(out, "<%.*s>", BL_STR_ARG(field->text));
	}
	bl_arena_clear(&arena);
}

static bool check_expansion(struct bl_str word, const char *theirs,
			    size_t *unknown)
{
	struct bl_buf ours;
	bool same;

	bl_buf_init(&ours, 0);
	expand_here(word, &ours);
	same = bl_str_is(bl_buf_str(&ours), theirs);
	if (bl_str_is(bl_buf_str(&ours), "UNKNOWN")) {
		(*unknown)++;
		same = true;
	}
	if (!same) {
		show("expanded otherwise", word);
		show("bash", bl_str(theirs));
		show("here", bl_buf_str(&ours));
	}
	bl_buf_clear(&ours);
	return same;
}

static void test_expansion(void)
{
	static const char script[] =
		"set -f; x=abc y='a b  c' z= n=5 m=n+2 c=1:2::3: r=n g='*'\n"
		"p=/usr/local/lib.tar.gz t=$'a\\tb\\nc' u=ABCdef HOME=/h\n"
		"PWD=/w q=\"it's \\\"q\\\"\"; unset w; set -- one 't w o' ''\n"
		"put() { local o= a; for a; do o+=\"<$a>\"; done\n"
		"printf %s \"$o\"; }\n"
		"while IFS= read -r -d '' v; do ( eval \"put $v\" )\n"
		"printf '\\0'; done";
	static struct bl_str words[4000];
	size_t count = BL_COUNT(words), wrong = 0, unknown = 0;
	char *answers, *answer;
	struct bl_buf buf;

	for (size_t i = 0; i < count; i++) {
		bl_buf_init(&buf, 0);
		put_word(&buf);
		words[i] = bl_arena_copy_str(&texts_arena, bl_buf_str(&buf));
		bl_buf_clear(&buf);
	}
	answers = ask_sandbox(script, words, count);
	if (!answers) {
		printf("# expansion left out: bwrap does not work here\n");
		return;
	}
	answer = answers;
	for (size_t i = 0; i < count; i++, answer += strlen(answer) + 1)
		if (!check_expansion(words[i], answer, &unknown) &&
		    ++wrong >= SHOWN_MAX)
			break;
	printf("# %zu words expanded, %zu otherwise than bash, %zu unknown\n",
	       count, wrong, unknown);
	CHECK_INT(wrong, 0);
	CHECK(unknown < count / 10);
	free(answers);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	line_count = strtoul(argv[1], NULL, 10);
	mutation_count = line_count ? line_count : ALL_MUTATIONS;
	bl_arena_init(&texts_arena, NULL, 0, 0);
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	message_fd = fileno(tmpfile());
	if (!have_bash()) {
		printf("ok 1 # SKIP bash 5.2 not found\n1..1\n");
		return 0;
	}
	if (argc > 2)
		add_folder(argv[2]);
	if (!lines.count)
		printf("# real lines left out: no ../shared\n");
	add_traps();
	RUN(test_real_lines);
	RUN(test_mutations);
	RUN(test_printing);
	RUN(test_expansion);
	bl_arena_clear(&texts_arena);
	return tap_end();
}

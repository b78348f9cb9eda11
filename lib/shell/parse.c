/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/parse.c: scripts, lists, pipelines, simple commands, redirections: the
 * grammar's upper half, by recursive descent with one token of look-ahead.
 * compound.c has the commands with reserved words, condition.c [[ ]].
 *
 * The next token is read only when it is asked for, because what it is depends
 * on the mode that the parser sets before (lex.c).
 */
#include "shell/private.h"

/* The redirection of a token; COUNT: it is not one. */
static enum bl_shell_redirection_kind
redirection_kind(enum bl_sh_token_kind kind)
{
	static const struct {
		enum bl_sh_token_kind token;
		enum bl_shell_redirection_kind kind;
	} rows[] = {
		{ SH_LESS, BL_SHELL_READ },
		{ SH_GREATER, BL_SHELL_WRITE },
		{ SH_APPEND, BL_SHELL_APPEND },
		{ SH_CLOBBER, BL_SHELL_CLOBBER },
		{ SH_LESS_GREATER, BL_SHELL_READ_WRITE },
		{ SH_BOTH, BL_SHELL_WRITE_BOTH },
		{ SH_APPEND_BOTH, BL_SHELL_APPEND_BOTH },
		{ SH_COPY_IN, BL_SHELL_COPY_IN },
		{ SH_COPY_OUT, BL_SHELL_COPY_OUT },
		{ SH_HERE, BL_SHELL_HERE },
		{ SH_HERE_TABS, BL_SHELL_HERE_TABS },
		{ SH_HERE_STRING, BL_SHELL_HERE_STRING },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (rows[i].token == kind)
			return rows[i].kind;
	return BL_SHELL_REDIRECTION_COUNT;
}

static int32_t usual_descriptor(enum bl_shell_redirection_kind kind)
{
	static const int32_t descriptors[] = {
#define REDIRECTION(name, text, descriptor) descriptor,
#include "shell/redirections.def"
#undef REDIRECTION
	};

	return descriptors[kind];
}

static bool is_redirection(enum bl_sh_token_kind kind)
{
	return kind == SH_NUMBER || kind == SH_VARIABLE ||
	       redirection_kind(kind) != BL_SHELL_REDIRECTION_COUNT;
}

/* >&2- : the digits before the dash. */
static bool is_move(struct bl_str text, int32_t *out_source)
{
	int64_t number = 0;

	if (text.len < 2 || text.ptr[text.len - 1] != '-')
		return false;
	for (size_t i = 0; i + 1 < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		number = number * 10 + (text.ptr[i] - '0');
		if (number > INT32_MAX)
			return false;
	}
	*out_source = (int32_t)number;
	return true;
}

static bool is_copy(enum bl_shell_redirection_kind kind)
{
	return kind == BL_SHELL_COPY_IN || kind == BL_SHELL_COPY_OUT;
}

/* The - of >&- as a word. */
static struct bl_shell_word *dash_word(struct bl_sh_parser *p,
				       const struct bl_sh_token *token)
{
	struct bl_sh_source source = {
		.text = bl_sh_slice(&p->in.text, token->start, token->end)
	};

	return bl_sh_subword(p, &source, 0, source.text.len, PARTS_WORD);
}

/* The word behind the operator. */
static bool parse_target(struct bl_sh_parser *p,
			 struct bl_shell_redirection *out)
{
	struct bl_sh_token token = *bl_sh_token(p);
	bool digits = token.kind == SH_NUMBER || token.kind == SH_DASH;

	if (token.kind != SH_WORD && !(digits && is_copy(out->kind))) {
		bl_sh_unexpected(p);
		return false;
	}
	bl_sh_take(p);
	out->target = token.kind == SH_DASH ? dash_word(p, &token) : token.word;
	if (!out->target)
		return false;
	out->source = token.number;
	if (!is_copy(out->kind))
		out->copy = BL_SHELL_COPY_WORD;
	else if (token.kind == SH_NUMBER)
		out->copy = BL_SHELL_COPY_FD;
	else if (token.kind == SH_DASH)
		out->copy = BL_SHELL_COPY_CLOSE;
	else if (is_move(token.word->text, &out->source))
		out->copy = BL_SHELL_COPY_MOVE;
	if (out->kind == BL_SHELL_HERE || out->kind == BL_SHELL_HERE_TABS)
		return bl_sh_here_expect(p, out, token.is_quoted);
	return true;
}

static struct bl_shell_redirection *parse_redirection(struct bl_sh_parser *p)
{
	struct bl_shell_redirection *out =
		bl_sh_new(p, struct bl_shell_redirection);
	struct bl_sh_token token = bl_sh_take(p);
	uint32_t start = token.start;
	bool prefix = p->in.mode.prefix;

	if (!out)
		return NULL;
	if (token.kind == SH_NUMBER) {
		out->has_descriptor = true;
		out->descriptor = token.number;
	} else if (token.kind == SH_VARIABLE) {
		out->variable = bl_str_slice(token.word->text, 1,
					     token.word->text.len - 1);
	}
	if (token.kind == SH_NUMBER || token.kind == SH_VARIABLE)
		token = bl_sh_take(p);
	out->kind = redirection_kind(token.kind);
	if (out->kind == BL_SHELL_REDIRECTION_COUNT) {
		p->in.token = token;
		p->in.has_token = true;
		bl_sh_unexpected(p);
		return NULL;
	}
	if (!out->has_descriptor)
		out->descriptor = usual_descriptor(out->kind);
	p->in.mode.prefix = false;
	if (!parse_target(p, out))
		return NULL;
	p->in.mode.prefix = prefix;
	out->span = bl_sh_span(&p->in.text, start, p->in.taken_end);
	return out;
}

bool bl_sh_parse_redirections(struct bl_sh_parser *p,
			      struct bl_shell_command *command)
{
	struct bl_shell_redirection **end = &command->redirections;

	while (is_redirection(bl_sh_token(p)->kind)) {
		*end = parse_redirection(p);
		if (!*end)
			return false;
		end = &(*end)->next;
	}
	return !bl_sh_failed(p);
}

/* Builtins behind whose name words may be name=( ... ). */
static bool takes_arrays(const struct bl_shell_word *word)
{
	static const char *const names[] = { "declare", "typeset",  "local",
					     "export",  "readonly", "alias",
					     "eval",    "let" };

	for (size_t i = 0; i < BL_COUNT(names); i++)
		if (bl_str_is(word->text, names[i]))
			return true;
	return false;
}

/* Where the elements of a simple command go. */
struct simple {
	struct bl_shell_command *command;
	struct bl_shell_word **assignments;
	struct bl_shell_word **words;
	struct bl_shell_redirection **redirections;
};

/* The next element; false: absent, or it is wrong. */
static bool parse_element(struct bl_sh_parser *p, struct simple *s)
{
	struct bl_sh_token token = *bl_sh_token(p);
	struct bl_shell_word *word = token.word;

	if (is_redirection(token.kind)) {
		*s->redirections = parse_redirection(p);
		if (!*s->redirections)
			return false;
		s->redirections = &(*s->redirections)->next;
		return true;
	}
	if ((token.kind != SH_WORD && token.kind != SH_ASSIGNMENT) || !word)
		return false;
	bl_sh_take(p);
	if (token.kind == SH_ASSIGNMENT) {
		if (s->command->simple.words) {
			*s->words = word;
			s->words = &word->next;
		} else {
			*s->assignments = word;
			s->assignments = &word->next;
		}
		return true;
	}
	if (!s->command->simple.words) {
		p->in.mode.prefix = false;
		p->in.mode.assigns = takes_arrays(word);
	}
	*s->words = word;
	s->words = &word->next;
	return true;
}

static struct bl_shell_command *parse_function(struct bl_sh_parser *p,
					       struct bl_shell_command *command)
{
	struct bl_shell_word *name = command->simple.words;

	bl_sh_take(p);
	command->kind = BL_SHELL_FUNCTION_COMMAND;
	memset(&command->simple, 0, sizeof(command->simple));
	command->function.name = name;
	if (!bl_sh_expect(p, SH_CLOSE))
		return NULL;
	bl_sh_skip_newlines(p);
	command->function.body = bl_sh_parse_compound(p);
	return command->function.body ? command : NULL;
}

struct bl_shell_command *bl_sh_parse_simple(struct bl_sh_parser *p,
					    struct bl_sh_token *first)
{
	struct bl_shell_command *command =
		bl_sh_new(p, struct bl_shell_command);
	struct simple s = { .command = command };
	uint32_t start = first ? first->start : bl_sh_token(p)->start;
	bool single;

	if (!command || (first && !first->word))
		return NULL;
	s.assignments = &command->simple.assignments;
	s.words = &command->simple.words;
	s.redirections = &command->redirections;
	single = !first && bl_sh_token(p)->kind == SH_WORD;
	p->in.mode.prefix = !first;
	if (first) {
		*s.words = first->word;
		s.words = &first->word->next;
	} else if (!parse_element(p, &s)) {
		bl_sh_unexpected(p);
		return NULL;
	}
	if (single && bl_sh_token(p)->kind == SH_OPEN)
		return parse_function(p, command);
	while (parse_element(p, &s))
		;
	p->in.mode.prefix = false;
	p->in.mode.assigns = false;
	command->span = bl_sh_span(&p->in.text, start, p->in.taken_end);
	return bl_sh_failed(p) ? NULL : command;
}

/* function NAME [()] body: a ( that no ) follows begins the body. */
static struct bl_shell_command *parse_function_word(struct bl_sh_parser *p)
{
	struct bl_shell_command *command =
		bl_sh_new(p, struct bl_shell_command);
	struct bl_sh_token name;
	uint32_t open;

	bl_sh_take(p);
	if (!command)
		return NULL;
	if (bl_sh_token(p)->kind != SH_WORD) {
		bl_sh_unexpected(p);
		return NULL;
	}
	name = bl_sh_take(p);
	command->kind = BL_SHELL_FUNCTION_COMMAND;
	command->function.name = name.word;
	p->in.mode.function_name = true;
	open = bl_sh_token(p)->start;
	if (bl_sh_accept(p, SH_OPEN) && bl_sh_token(p)->kind != SH_CLOSE) {
		command->function.body = bl_sh_parse_subshell(p, open);
	} else {
		bl_sh_accept(p, SH_CLOSE);
		bl_sh_skip_newlines(p);
		command->function.body = bl_sh_parse_compound(p);
	}
	p->in.mode.function_name = false;
	return command->function.body ? command : NULL;
}

static bool begins_simple(enum bl_sh_token_kind kind)
{
	return kind == SH_WORD || kind == SH_ASSIGNMENT || is_redirection(kind);
}

/* coproc [NAME] command */
static struct bl_shell_command *parse_coprocess(struct bl_sh_parser *p)
{
	struct bl_shell_command *command =
		bl_sh_new(p, struct bl_shell_command);
	struct bl_sh_token name;

	bl_sh_take(p);
	if (!command)
		return NULL;
	command->kind = BL_SHELL_COPROCESS_COMMAND;
	if (bl_sh_is_compound(bl_sh_token(p)->kind)) {
		command->coprocess.body = bl_sh_parse_compound(p);
	} else if (bl_sh_token(p)->kind == SH_WORD) {
		name = bl_sh_take(p);
		if (takes_arrays(name.word))
			p->in.mode.assigns = true;
		if (bl_sh_is_compound(bl_sh_token(p)->kind)) {
			command->coprocess.name = name.word->text;
			command->coprocess.body = bl_sh_parse_compound(p);
		} else {
			command->coprocess.body = bl_sh_parse_simple(p, &name);
		}
	} else {
		command->coprocess.body = bl_sh_parse_simple(p, NULL);
	}
	return command->coprocess.body ? command : NULL;
}

static struct bl_shell_command *parse_command(struct bl_sh_parser *p)
{
	enum bl_sh_token_kind kind = bl_sh_token(p)->kind;
	uint32_t start = bl_sh_token(p)->start;
	struct bl_shell_command *command;

	if (!bl_sh_enter(p))
		return NULL;
	if (bl_sh_is_compound(kind))
		command = bl_sh_parse_compound(p);
	else if (kind == SH_FUNCTION)
		command = parse_function_word(p);
	else if (kind == SH_COPROC)
		command = parse_coprocess(p);
	else
		command = bl_sh_parse_simple(p, NULL);
	bl_sh_leave(p);
	if (!command || bl_sh_failed(p))
		return NULL;
	command->span = bl_sh_span(&p->in.text, start, p->in.taken_end);
	return command;
}

/* ! and time in front; false: the pipeline ends behind them. */
static bool parse_prefixes(struct bl_sh_parser *p,
			   struct bl_shell_pipeline *out)
{
	bool any = false;

	for (;; any = true) {
		if (bl_sh_accept(p, SH_BANG)) {
			out->is_negated = !out->is_negated;
		} else if (bl_sh_accept(p, SH_TIME)) {
			if (!out->timing)
				out->timing = BL_SHELL_TIMED;
			if (bl_sh_accept(p, SH_TIME_POSIX))
				out->timing = BL_SHELL_TIMED_POSIX;
			if (bl_sh_accept(p, SH_TIME_DASHES))
				out->timing = BL_SHELL_TIMED_POSIX;
		} else {
			break;
		}
	}
	switch ((int)bl_sh_token(p)->kind) {
	case SH_NEWLINE:
	case SH_SEMICOLON:
	case SH_END:
		return !any;
	default:
		return true;
	}
}

static struct bl_shell_pipeline *parse_pipeline(struct bl_sh_parser *p)
{
	struct bl_shell_pipeline *out = bl_sh_new(p, struct bl_shell_pipeline);
	uint32_t start = bl_sh_token(p)->start;
	struct bl_shell_command **end;

	if (!out)
		return NULL;
	end = &out->commands;
	if (parse_prefixes(p, out)) {
		for (;;) {
			*end = parse_command(p);
			if (!*end)
				return NULL;
			if (bl_sh_token(p)->kind == SH_PIPE_BOTH)
				(*end)->pipes_errors = true;
			else if (bl_sh_token(p)->kind != SH_PIPE)
				break;
			bl_sh_take(p);
			end = &(*end)->next;
			bl_sh_skip_newlines(p);
		}
	}
	out->span = bl_sh_span(&p->in.text, start, p->in.taken_end);
	return bl_sh_failed(p) ? NULL : out;
}

static struct bl_shell_chain *parse_chain(struct bl_sh_parser *p)
{
	struct bl_shell_chain *out = bl_sh_new(p, struct bl_shell_chain);
	uint32_t start = bl_sh_token(p)->start;
	enum bl_shell_join join = BL_SHELL_FIRST;
	struct bl_shell_pipeline **end;

	if (!out)
		return NULL;
	for (end = &out->pipelines;; end = &(*end)->next) {
		*end = parse_pipeline(p);
		if (!*end)
			return NULL;
		(*end)->join = join;
		if (bl_sh_accept(p, SH_AND))
			join = BL_SHELL_AND;
		else if (bl_sh_accept(p, SH_OR))
			join = BL_SHELL_OR;
		else
			break;
		bl_sh_skip_newlines(p);
	}
	out->span = bl_sh_span(&p->in.text, start, p->in.taken_end);
	return out;
}

static bool begins_command(enum bl_sh_token_kind kind)
{
	return begins_simple(kind) || bl_sh_is_compound(kind) ||
	       kind == SH_BANG || kind == SH_TIME || kind == SH_FUNCTION ||
	       kind == SH_COPROC;
}

/* The ; & or newlines behind a chain; false: absent. */
static bool parse_separator(struct bl_sh_parser *p,
			    struct bl_shell_chain *chain)
{
	if (bl_sh_accept(p, SH_BACKGROUND))
		chain->is_background = true;
	else if (bl_sh_token(p)->kind == SH_NEWLINE)
		chain->is_line = true;
	else if (!bl_sh_accept(p, SH_SEMICOLON))
		return false;
	bl_sh_skip_newlines(p);
	return true;
}

struct bl_shell_list *bl_sh_parse_list(struct bl_sh_parser *p)
{
	struct bl_shell_list *list = bl_sh_new(p, struct bl_shell_list);
	struct bl_shell_chain **end;

	if (!list)
		return NULL;
	bl_sh_skip_newlines(p);
	end = &list->chains;
	do {
		*end = parse_chain(p);
		if (!*end)
			return NULL;
		list->span.end = (*end)->span.end;
		if (!parse_separator(p, *end))
			break;
		end = &(*end)->next;
	} while (begins_command(bl_sh_token(p)->kind));
	list->span.start = list->chains->span.start;
	return bl_sh_failed(p) ? NULL : list;
}

/* Whether a line of the text says shopt -s extglob. */
static bool turns_extglob(const struct bl_shell_chain *chain)
{
	const struct bl_shell_command *command = chain->pipelines->commands;
	const struct bl_shell_word *word;
	bool sets = false, names = false;

	if (chain->pipelines->next || !command || command->next ||
	    command->kind != BL_SHELL_SIMPLE_COMMAND)
		return false;
	word = command->simple.words;
	if (!word || !bl_str_is(word->text, "shopt"))
		return false;
	for (word = word->next; word; word = word->next) {
		sets |= bl_str_is(word->text, "-s");
		names |= bl_str_is(word->text, "extglob");
	}
	return sets && names;
}

/*
 * The lines of a whole text: a line runs before the next one is parsed.
 * complete: behind the last chain of the lines that are complete.
 */
static void parse_lines(struct bl_sh_parser *p, struct bl_shell_list *list,
			struct bl_shell_chain ***complete)
{
	struct bl_shell_chain **end = &list->chains;
	bool separated;

	while (!bl_sh_failed(p)) {
		*complete = end;
		bl_sh_skip_newlines(p);
		if (bl_sh_token(p)->kind == SH_END)
			return;
		do {
			*end = parse_chain(p);
			if (!*end)
				return;
			(*end)->is_background = bl_sh_accept(p, SH_BACKGROUND);
			separated = (*end)->is_background ||
				    bl_sh_accept(p, SH_SEMICOLON);
			if (p->follows_shopt && turns_extglob(*end) &&
			    bl_sh_token(p)->kind == SH_NEWLINE)
				p->in.mode.extglob = p->extglob = true;
			end = &(*end)->next;
		} while (separated && begins_command(bl_sh_token(p)->kind));
		if (bl_sh_token(p)->kind != SH_END &&
		    bl_sh_token(p)->kind != SH_NEWLINE)
			bl_sh_unexpected(p);
	}
}

/* The text to its end: what bash -c does with it. */
static void parse_whole(struct bl_sh_parser *p, struct bl_shell_script *script)
{
	struct bl_shell_list *list = bl_sh_new(p, struct bl_shell_list);
	struct bl_shell_chain **complete, *chain;

	if (!list)
		return;
	complete = &list->chains;
	parse_lines(p, list, &complete);
	if (bl_sh_failed(p))
		*complete = NULL;
	else if (p->in.pending)
		bl_sh_here_read(p);
	if (!list->chains)
		return;
	list->span.start = list->chains->span.start;
	for (chain = list->chains; chain; chain = chain->next)
		list->span.end = chain->span.end;
	script->list = list;
}

/* $(< f) */
static bool reads_file(const struct bl_shell_list *list)
{
	const struct bl_shell_chain *chain = list->chains;
	const struct bl_shell_command *command = chain->pipelines->commands;

	return !chain->next && !chain->is_background &&
	       !chain->pipelines->next && command && !command->next &&
	       !chain->pipelines->is_negated && !chain->pipelines->timing &&
	       command->kind == BL_SHELL_SIMPLE_COMMAND &&
	       !command->simple.words && !command->simple.assignments &&
	       command->redirections && !command->redirections->next &&
	       command->redirections->kind == BL_SHELL_READ &&
	       command->redirections->descriptor == 0;
}

struct bl_shell_script *bl_sh_parse_script(struct bl_sh_parser *p, char closes)
{
	struct bl_shell_script *script = bl_sh_new(p, struct bl_shell_script);
	uint32_t start = p->in.pos;

	if (!script || !bl_sh_enter(p))
		return NULL;
	p->in.has_token = false;
	p->in.previous = p->in.before_previous = SH_START;
	p->in.mode = (struct bl_sh_mode){ .extglob = p->extglob };
	p->in.pending = NULL;
	p->in.pending_count = 0;
	p->in.closes = closes;
	if (!closes) {
		parse_whole(p, script);
	} else {
		bl_sh_skip_newlines(p);
		if (bl_sh_token(p)->kind != SH_CLOSE)
			script->list = bl_sh_parse_list(p);
		if (!bl_sh_failed(p) && bl_sh_expect(p, SH_CLOSE) &&
		    p->in.pending)
			bl_sh_here_read(p);
		if (script->list && !bl_sh_failed(p))
			script->reads_file = reads_file(script->list);
	}
	bl_sh_leave(p);
	script->span =
		bl_sh_span(&p->in.text, start,
			   closes && p->in.pos ? p->in.pos - 1 : p->in.pos);
	return closes && bl_sh_failed(p) ? NULL : script;
}

struct bl_shell_script *bl_sh_parse_text(struct bl_sh_parser *p,
					 const struct bl_sh_text *text)
{
	struct bl_sh_state saved = bl_sh_save(p);
	struct bl_shell_script *script;

	p->in = (struct bl_sh_input){ .text = *text };
	script = bl_sh_parse_script(p, 0);
	bl_sh_restore(p, &saved);
	if (!script || p->is_fatal)
		return NULL;
	script->fault = p->fault;
	p->fault = (struct bl_shell_fault){ BL_SHELL_NO_FAULT };
	return script;
}

/* The status of the fault for the caller. */
static enum bl_status end_parse(struct bl_sh_parser *p,
				struct bl_shell_script *script,
				struct bl_error *err)
{
	enum bl_status status = p->is_fatal ? BL_LIMIT : BL_SYNTAX;

	if (bl_arena_status(p->arena))
		return bl_arena_fail(p->arena, err);
	if (!bl_sh_failed(p))
		return BL_OK;
	script->fault = p->fault;
	return bl_fail(err, status, "byte %u: %.*s", p->fault.span.start,
		       BL_STR_ARG(p->fault.message));
}

/* Bytes that no shell text can have, and its length. */
static void check_text(struct bl_sh_parser *p, uint32_t bytes_max)
{
	struct bl_str text = p->source;
	const char *nul = text.len ? memchr(text.ptr, 0, text.len) : NULL;
	uint32_t at;

	if (text.len > bytes_max) {
		bl_sh_fault(p, BL_SHELL_TOO_MUCH, 0, 0,
			    "the text is longer than %u bytes", bytes_max);
	} else if (nul) {
		at = (uint32_t)(nul - text.ptr);
		bl_sh_fault(p, BL_SHELL_NUL_BYTE, at, at + 1, "a NUL byte");
	}
}

static uint32_t limit_or(uint32_t limit, uint32_t usual)
{
	return limit ? limit : usual;
}

enum bl_status bl_shell_parse(struct bl_arena *arena, struct bl_str text,
			      const struct bl_shell_options *options,
			      struct bl_shell_script **out_script,
			      struct bl_error *err)
{
	static const struct bl_shell_options usual;
	const struct bl_shell_options *o = options ? options : &usual;
	struct bl_sh_parser p = {
		.arena = arena,
		.source = text,
		.extglob = o->extglob,
		.follows_shopt = !o->ignores_shopt,
		.depth_max = limit_or(o->depth_max, BL_SHELL_DEPTH),
		.nodes_max = limit_or(o->nodes_max, BL_SHELL_NODES),
	};
	uint32_t bytes_max = limit_or(o->bytes_max, BL_SHELL_BYTES);
	struct bl_shell_script *script;

	*out_script = NULL;
	p.work_max = 32 * (uint64_t)text.len + (1 << 20);
	p.in.text.ptr = text.ptr;
	check_text(&p, bytes_max < INT32_MAX ? bytes_max : INT32_MAX);
	p.in.text.len = bl_sh_failed(&p) ? 0 : (uint32_t)text.len;
	script = bl_sh_parse_script(&p, 0);
	if (!script) {
		script = bl_arena_new(arena, struct bl_shell_script);
		if (!script)
			return bl_arena_fail(arena, err);
	}
	if (!bl_arena_status(arena))
		*out_script = script;
	return end_parse(&p, script, err);
}

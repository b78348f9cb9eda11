/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/code_calls.c: what calls of other languages do (calls.def), and the walk
 * over code that finds them.  Apart from code_read.c, which gives the values.
 */
#include "effects/code.h"

enum way {
	SHELL,
	WORDS,
	PROGRAM,
	EXEC,
	SPAWN,
	READ,
	WRITE,
	APPEND,
	DELETE,
	TREE,
	CHMOD,
	MOVE,
	COPY,
	FOLDER,
	OPEN,
	FETCH,
	SEND,
	RUN,
	HUNT,
	PATH
};

static const struct {
	const char *languages;
	const char *name;
	enum way way;
} calls[] = {
#define CALL(languages, name, way) { languages, name, way },
#include "effects/calls.def"
#undef CALL
};

/* Most calls are of one language. */
static bool is_of(const char *languages, char letter)
{
	return languages[0] == letter ||
	       (languages[1] && strchr(languages + 1, letter));
}

void effects_code_path(struct effects_reader *r, enum bl_fact_kind kind,
		       struct bl_str name, struct effects_text path,
		       uint32_t details)
{
	if (r->letter == 'E')
		path = effects_code_home(r, path);
	effects_add_path(r->walk, r->state, kind, name, path, details, 0,
			 r->span);
}

static void run_shell(struct effects_reader *r,
		      const struct effects_arguments *arguments)
{
	const struct effects_args *args = &arguments->items;

	if (!args->count)
		return;
	effects_wrap(r->walk, r->lang);
	if (arguments->is_list)
		effects_dispatch(r->walk, r->state, args, r->span,
				 EFFECTS_LOOKUP_PROGRAMS);
	else
		effects_run_text(r->walk, r->state, args->items[0].text, true,
				 NULL, r->span);
	effects_unwrap(r->walk);
}

/*
 * The program that the argument at names, with the words from first on; where
 * one of these is a list, with its words alone: options may follow it.
 */
static void run_program(struct effects_reader *r,
			const struct effects_arguments *arguments, size_t at,
			size_t first)
{
	const struct effects_args *args = &arguments->items;
	struct effects_args words = { 0 };
	size_t end = args->count;

	if (at >= args->count)
		return;
	if (arguments->list_start > at) {
		first += arguments->list_start - (at + 1);
		end = arguments->list_end;
	}
	effects_args_add(r->walk, &words, args->items[at].text, r->span);
	for (size_t i = first; i < end; i++)
		effects_args_add(r->walk, &words, args->items[i].text, r->span);
	effects_wrap(r->walk, r->lang);
	effects_dispatch(r->walk, r->state, &words, r->span,
			 EFFECTS_LOOKUP_PROGRAMS);
	effects_unwrap(r->walk);
}

static void start_program(struct effects_reader *r, enum way way,
			  const struct effects_arguments *arguments)
{
	static const struct {
		size_t program; /* which argument names it */
		size_t words;   /* which is the first of its words */
	} places[] = {
		[WORDS] = { 0, 1 },
		[PROGRAM] = { 0, 1 },
		[EXEC] = { 0, 2 },
		[SPAWN] = { 1, 3 },
	};

	if (way == SHELL || (way == WORDS && arguments->items.count < 2))
		run_shell(r, arguments);
	else
		run_program(r, arguments, places[way].program,
			    places[way].words);
}

/* open(path, mode): w, a, +, x write; perl has ">" and "<" there. */
static void run_open(struct effects_reader *r, struct bl_str name,
		     const struct effects_arguments *arguments)
{
	size_t at = r->letter == 'L' ? 2 : 0;
	struct effects_text path, mode = { "r", 1, 0 };

	if (arguments->items.count <= at)
		return;
	path = arguments->items.items[at].text;
	if (arguments->items.count > 1)
		mode = arguments->items.items[1].text;
	if (!effects_is_known(mode) || mode.len > 4)
		mode = (struct effects_text){ "r", 1, 0 };
	if (mode.len && (memchr(mode.ptr, 'w', mode.len) ||
			 memchr(mode.ptr, 'x', mode.len) ||
			 memchr(mode.ptr, '>', mode.len)))
		effects_code_path(r, BL_FACT_WRITE, name, path, 0);
	else if (mode.len && (memchr(mode.ptr, 'a', mode.len) ||
			      memchr(mode.ptr, '+', mode.len)))
		effects_code_path(r, BL_FACT_WRITE, name, path,
				  BL_FACT_IS_APPEND);
	else
		effects_code_path(r, BL_FACT_READ, name, path, 0);
}

static void run_same_language(struct effects_reader *r,
			      struct effects_text text)
{
	struct bl_fact_effect effect = { .kind = BL_FACT_EXECUTE,
					 .action = r->lang,
					 .span = r->span };

	if (effects_is_known(text)) {
		if (r->walk->depth < r->walk->limits.depth) {
			r->walk->depth++;
			effects_code(r->walk, r->state, r->lang, text, NULL, 0,
				     r->span);
			r->walk->depth--;
		}
		return;
	}
	effect.origins = effects_fact_text(r->walk, text).origins;
	effects_add(r->walk, &effect);
	effects_opaque(r->walk, BL_FACT_OPAQUE_CODE, text, r->span);
}

/* The call touches its first argument; MOVE and COPY make the second. */
static void touch_path(struct effects_reader *r, enum way way,
		       struct bl_str name, struct effects_text first,
		       struct effects_text second)
{
	static const struct {
		enum bl_fact_kind kind;
		uint32_t details;
	} touches[] = {
		[READ] = { BL_FACT_READ, 0 },
		[WRITE] = { BL_FACT_WRITE, 0 },
		[APPEND] = { BL_FACT_WRITE, BL_FACT_IS_APPEND },
		[DELETE] = { BL_FACT_DELETE, 0 },
		[TREE] = { BL_FACT_DELETE, BL_FACT_IS_RECURSIVE },
		[CHMOD] = { BL_FACT_CHMOD, 0 },
		[MOVE] = { BL_FACT_DELETE, BL_FACT_IS_MOVE },
		[COPY] = { BL_FACT_READ, BL_FACT_IS_QUIET },
		[FOLDER] = { BL_FACT_WRITE, BL_FACT_IS_FOLDER },
	};

	effects_code_path(r, touches[way].kind, name, first,
			  touches[way].details);
	if (way == MOVE || way == COPY)
		effects_code_path(r, BL_FACT_WRITE, name, second, 0);
}

/* File::Find: what the code deletes lies below the folders. */
static void hunt(struct effects_reader *r, struct bl_str name,
		 const struct effects_arguments *arguments)
{
	static const char *const deleters[] = { "unlink", "rmdir", "rmtree" };
	bool deletes = false;

	for (size_t i = 0; i < BL_COUNT(deleters); i++)
		deletes |= bl_str_find(r->text, bl_str(deleters[i]), 0) !=
			   SIZE_MAX;
	for (size_t i = 0; deletes && i < arguments->items.count; i++)
		if (effects_is_known(arguments->items.items[i].text))
			effects_code_path(r, BL_FACT_DELETE, name,
					  arguments->items.items[i].text,
					  BL_FACT_IS_RECURSIVE);
}

/* The first argument is an address; the others may be sent to it. */
static void connect_to(struct effects_reader *r, enum way way,
		       struct bl_str name,
		       const struct effects_arguments *arguments)
{
	struct bl_fact_effect effect = { .kind = BL_FACT_NETWORK,
					 .action = name,
					 .details = BL_FACT_IS_RECEIVE,
					 .span = r->span };

	if (arguments->items.count) {
		effect.has_target = true;
		effect.target = effects_fact_text(
			r->walk, arguments->items.items[0].text);
	}
	for (size_t i = 1; i < arguments->items.count; i++)
		effect.origins |=
			effects_fact_text(r->walk,
					  arguments->items.items[i].text)
				.origins;
	effect.origins |= effects_code_origins(r, arguments->first_effect);
	effect.origins &= BL_FACT_FROM_SECRET | BL_FACT_FROM_FILE |
			  BL_FACT_FROM_ENVIRONMENT;
	if (way == SEND || effect.origins)
		effect.details |= BL_FACT_IS_SEND;
	if (effect.has_target)
		effect.origins |= effect.target.origins;
	effects_add(r->walk, &effect);
}

static void do_way(struct effects_reader *r, enum way way, struct bl_str name,
		   const struct effects_arguments *arguments)
{
	struct effects_text first = { "", 0, 0 };
	struct effects_text second = { "", 0, 0 };

	if (arguments->items.count)
		first = arguments->items.items[0].text;
	if (arguments->items.count > 1)
		second = arguments->items.items[1].text;
	switch (way) {
	case SHELL:
	case WORDS:
	case PROGRAM:
	case EXEC:
	case SPAWN:
		start_program(r, way, arguments);
		break;
	case READ:
	case WRITE:
	case APPEND:
	case DELETE:
	case TREE:
	case CHMOD:
	case MOVE:
	case COPY:
	case FOLDER:
		touch_path(r, way, name, first, second);
		break;
	case OPEN:
		run_open(r, name, arguments);
		break;
	case FETCH:
	case SEND:
		connect_to(r, way, name, arguments);
		break;
	case RUN:
		run_same_language(r, first);
		break;
	case HUNT:
		hunt(r, name, arguments);
		break;
	case PATH:
		break;
	}
}

/* subprocess under another name: s.run(["rm", ...]). */
static bool runs_list(struct bl_str name)
{
	return effects_code_ends(name, "run") ||
	       effects_code_ends(name, "call");
}

void effects_code_call(struct effects_reader *r, struct bl_str name,
		       const struct effects_arguments *arguments)
{
	name = effects_code_imported(r, name);
	for (size_t i = 0; i < BL_COUNT(calls); i++) {
		if (!is_of(calls[i].languages, r->letter) ||
		    !effects_code_ends(name, calls[i].name))
			continue;
		do_way(r, calls[i].way, name, arguments);
		return;
	}
	if (r->letter == 'P' && arguments->is_list && runs_list(name))
		run_shell(r, arguments);
}

/* Methods of a path in python: Path("x").unlink(). */
static const struct {
	const char *name;
	enum bl_fact_kind kind;
	uint32_t details;
} path_methods[] = {
	{ "unlink", BL_FACT_DELETE, 0 },
	{ "rmdir", BL_FACT_DELETE, 0 },
	{ "write_text", BL_FACT_WRITE, 0 },
	{ "write_bytes", BL_FACT_WRITE, 0 },
	{ "touch", BL_FACT_WRITE, BL_FACT_IS_APPEND },
	{ "read_text", BL_FACT_READ, 0 },
	{ "read_bytes", BL_FACT_READ, 0 },
	{ "chmod", BL_FACT_CHMOD, 0 },
	{ "rename", BL_FACT_DELETE, BL_FACT_IS_MOVE },
};

static void run_path_method(struct effects_reader *r, struct bl_str method,
			    struct effects_text path)
{
	for (size_t i = 0; i < BL_COUNT(path_methods); i++)
		if (bl_str_is(method, path_methods[i].name))
			effects_code_path(r, path_methods[i].kind, method, path,
					  path_methods[i].details);
}

static void run_path_methods(struct effects_reader *r, struct effects_text path)
{
	while (effects_code_peek(r, 0) == '.' &&
	       effects_is_name(effects_code_peek(r, 1))) {
		struct effects_arguments arguments;
		struct bl_str name;

		r->at++;
		name = effects_code_name(r);
		if (effects_code_ends(name, "expanduser"))
			path = effects_code_home(r, path);
		run_path_method(r, name, path);
		if (effects_code_peek(r, 0) == '(')
			effects_code_arguments(r, &arguments);
	}
}

/* p.unlink() where p was given a path. */
static void run_named_method(struct effects_reader *r, struct bl_str name)
{
	const struct effects_text *path;
	size_t dot = name.len;

	while (dot && name.ptr[dot - 1] != '.')
		dot--;
	if (!dot || r->letter != 'P')
		return;
	path = effects_map_get(r->names,
			       effects_name_id(r->walk->arena, &r->walk->names,
					       bl_str_slice(name, 0, dot - 1)));
	if (path)
		run_path_method(r, bl_str_slice(name, dot, SIZE_MAX), *path);
}

static void learn_name(struct effects_reader *r, struct bl_str name)
{
	struct effects_text *value =
		bl_arena_new(r->walk->arena, struct effects_text);

	if (!value)
		return;
	*value = effects_code_value(r);
	r->names = effects_map_set(
		r->walk->arena, r->names,
		effects_name_id(r->walk->arena, &r->walk->names, name), value);
}

/*
 * for NAME in VALUE, for (NAME of VALUE): the first name is what is found; where
 * it is a folder of os.walk, path.join(NAME, file) begins with it.
 */
static void learn_loop(struct effects_reader *r)
{
	struct bl_str name = { NULL, 0 };

	while (effects_code_peek(r, 0) == '(' || effects_code_peek(r, 0) == ' ')
		r->at++;
	while (r->at < r->text.len) {
		struct bl_str next;

		effects_code_skip(r);
		if (effects_code_peek(r, 0) == ',') {
			r->at++;
			continue;
		}
		if (!effects_is_name(effects_code_peek(r, 0)))
			return;
		next = effects_code_name(r);
		if (bl_str_is(next, "in") || bl_str_is(next, "of"))
			break;
		if (!name.len && !bl_str_is(next, "const") &&
		    !bl_str_is(next, "let") && !bl_str_is(next, "var"))
			name = next;
	}
	if (name.len)
		learn_name(r, name);
}

/* Names that stand behind the loop, too: [os.remove(p) for p in VALUE]. */
void effects_code_loops(struct effects_reader *r)
{
	size_t from = r->at;

	for (size_t at = 0;
	     (at = bl_str_find(r->text, BL_STR("for"), at)) != SIZE_MAX &&
	     !r->walk->is_over;
	     at += 3) {
		if (at && effects_is_name(r->text.ptr[at - 1]))
			continue;
		r->at = at + 3;
		if (effects_code_peek(r, 0) == ' ' ||
		    effects_code_peek(r, 0) == '(')
			learn_loop(r);
	}
	r->at = from;
}

/* perl and ruby call without parentheses: system "x", unlink $f. */
static bool calls_bare(const struct effects_reader *r, struct bl_str name)
{
	if ((r->letter != 'L' && r->letter != 'R' && r->letter != 'A') ||
	    (!effects_code_is_quote(r, effects_code_peek(r, 0)) &&
	     effects_code_peek(r, 0) != '$' &&
	     !(r->letter == 'L' &&
	       (effects_code_has(r, "glob") || effects_code_has(r, "qw")))))
		return false;
	for (size_t i = 0; i < BL_COUNT(calls); i++) {
		if (is_of(calls[i].languages, r->letter) &&
		    effects_code_ends(name, calls[i].name))
			return true;
	}
	return false;
}

static void read_bare(struct effects_reader *r, struct bl_str name)
{
	struct effects_arguments arguments = { .is_list = false };

	while (r->at < r->text.len) {
		effects_code_skip(r);
		if (r->letter == 'L' && effects_code_has(r, "qw"))
			effects_code_words(r, &arguments.items);
		else
			effects_args_add(r->walk, &arguments.items,
					 effects_code_value(r), r->span);
		effects_code_skip(r);
		if (effects_code_peek(r, 0) != ',')
			break;
		r->at++;
	}
	effects_code_call(r, name, &arguments);
}

/* All variables of the environment at once, not one by its name. */
static bool is_environment(const struct effects_reader *r, struct bl_str name)
{
	char next = effects_code_peek(r, 0);

	switch (r->letter) {
	case 'P':
		return effects_code_ends(name, "os.environ") && next != '[' &&
		       next != '.';
	case 'N':
		/* { ...process.env } is handed on, not shown */
		return !next && (effects_code_ends(name, "process.env") ||
				 effects_code_ends(name, "Bun.env"));
	case 'L':
		return bl_str_is(name, "ENV") && next != '{';
	case 'R':
		return (bl_str_is(name, "ENV") && next != '[') ||
		       bl_str_is(name, "ENV.to_h") ||
		       bl_str_is(name, "ENV.to_a") ||
		       bl_str_is(name, "ENV.each") ||
		       bl_str_is(name, "ENV.inspect");
	default:
		return false;
	}
}

void effects_code_read(struct effects_reader *r)
{
	while (r->at < r->text.len && !r->walk->is_over) {
		struct bl_str name;
		struct effects_arguments arguments;
		char c;

		effects_code_skip(r);
		c = effects_code_peek(r, 0);
		if (c == '`' && (r->letter == 'L' || r->letter == 'R' ||
				 r->letter == 'H')) {
			struct effects_text text =
				effects_code_string(r, false);

			effects_run_text(r->walk, r->state, text, true, NULL,
					 r->span);
			continue;
		}
		if (c == '$' && effects_code_peek(r, 1) == '`' &&
		    r->letter == 'N') {
			r->at++; /* $`...` of zx and Bun */
			effects_run_text(r->walk, r->state,
					 effects_code_string(r, false), true,
					 NULL, r->span);
			continue;
		}
		if (effects_code_is_quote(r, c)) {
			effects_code_string(r, false);
			continue;
		}
		if (!effects_is_name(c)) {
			r->at++;
			continue;
		}
		name = effects_code_name(r);
		while (effects_code_peek(r, 0) == ' ')
			r->at++;
		if (effects_code_peek(r, 0) == '(') {
			effects_code_arguments(r, &arguments);
			if (effects_code_ends(name, "Path") &&
			    arguments.items.count)
				run_path_methods(r,
						 arguments.items.items[0].text);
			else
				effects_code_call(r, name, &arguments);
			run_named_method(r, name);
		} else if (effects_code_peek(r, 0) == '=' &&
			   effects_code_peek(r, 1) != '=' &&
			   effects_code_peek(r, 1) != '>') {
			r->at++;
			learn_name(r, name);
		} else if (calls_bare(r, name)) {
			read_bare(r, name);
		} else if (is_environment(r, name)) {
			effects_add_plain(r->walk, BL_FACT_SECRET,
					  BL_STR("environment"), NULL, 0,
					  r->span);
		}
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/code.c: code of other languages, as far as literals and well-known
 * calls go (calls.def).
 *
 * The text is read token by token, without a grammar: strings and comments are
 * skipped as the language has them, and where a name from the table is called,
 * its arguments are evaluated: literals, names that were given a literal before,
 * joins of these, and the few functions that make paths.  Anything else in an
 * argument is a hole.  The code as a whole is opaque PARTLY.
 */
#include <limits.h>

#include "effects/private.h"

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

static const struct {
	const char *name;
	char letter;
} languages[] = {
	{ "python", 'P' }, { "node", 'N' }, { "mongo", 'N' },
	{ "perl", 'L' },   { "ruby", 'R' }, { "php", 'H' },
	{ "lua", 'U' },    { "awk", 'A' },  { "lisp", 'E' },
};

enum { DEPTH_MAX = 16 };

struct reader {
	struct effects_walk *walk;
	struct effects_state *state;
	struct bl_str text;
	size_t at;
	char letter; /* of the language */
	struct bl_str lang;
	struct effects_map names;   /* that were given a known text */
	struct effects_map imports; /* names to what they stand for */
	struct bl_shell_span span;
	uint32_t depth;
};

/* ---- tokens ------------------------------------------------------------------ */

static char peek(const struct reader *r, size_t ahead)
{
	return r->at + ahead < r->text.len ? r->text.ptr[r->at + ahead] : 0;
}

static bool has_text(const struct reader *r, const char *text)
{
	return bl_str_has_prefix(bl_str_slice(r->text, r->at, SIZE_MAX),
				 bl_str(text));
}

static void skip_line(struct reader *r)
{
	while (r->at < r->text.len && r->text.ptr[r->at] != '\n')
		r->at++;
}

static bool has_slash_comments(const struct reader *r)
{
	return r->letter == 'N' || r->letter == 'H';
}

/* Blanks and comments. */
static void skip(struct reader *r)
{
	for (; r->at < r->text.len;) {
		char c = r->text.ptr[r->at];

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			r->at++;
		} else if (has_text(r, has_slash_comments(r) ? "//"
				       : r->letter == 'U'    ? "--"
							     : "#")) {
			skip_line(r);
		} else if (has_slash_comments(r) && has_text(r, "/*")) {
			size_t end =
				bl_str_find(r->text, BL_STR("*/"), r->at + 2);

			r->at = end == SIZE_MAX ? r->text.len : end + 2;
		} else {
			return;
		}
	}
}

static struct effects_text unknown(struct reader *r, const char *label)
{
	return effects_hole(r->walk, bl_str(label), BL_FACT_FROM_GENERATED,
			    true);
}

/* The value of a name in a string: $x, ${x}, #{x}, {x}. */
static size_t interpolation(const struct reader *r, char quote, size_t at)
{
	char c = r->text.ptr[at];
	char next = at + 1 < r->text.len ? r->text.ptr[at + 1] : 0;
	bool is_dollar =
		c == '$' &&
		((r->letter == 'N' && quote == '`' && next == '{') ||
		 ((r->letter == 'L' || r->letter == 'H') && quote == '"' &&
		  (effects_is_name(next) || next == '{')));
	bool is_hash =
		c == '#' && next == '{' && r->letter == 'R' && quote != '\'';
	size_t end = at + 1;

	if (!is_dollar && !is_hash)
		return 0;
	if (next == '{') {
		while (end < r->text.len && r->text.ptr[end] != '}')
			end++;
		return end + 1;
	}
	while (end < r->text.len && effects_is_name(r->text.ptr[end]))
		end++;
	/* $ENV{NAME} */
	if (r->letter == 'L' && end < r->text.len && r->text.ptr[end] == '{')
		while (end < r->text.len && r->text.ptr[end - 1] != '}')
			end++;
	return end;
}

/* The name of a variable of the environment that an expression is; ptr NULL. */
static struct bl_str environment_name(struct bl_str inner)
{
	static const char *const fronts[] = {
		"ENV{",         "ENV['",         "ENV[\"",   "process.env.",
		"os.environ['", "os.environ[\"", "getenv('", "getenv(\"",
	};

	for (size_t i = 0; i < BL_COUNT(fronts); i++) {
		size_t from = strlen(fronts[i]);
		size_t to = from;

		if (!bl_str_has_prefix(inner, bl_str(fronts[i])))
			continue;
		while (to < inner.len && effects_is_name(inner.ptr[to]))
			to++;
		return bl_str_slice(inner, from, to);
	}
	return (struct bl_str){ NULL, 0 };
}

/* The value that a string takes in: $x, ${x}, #{x}, {x}, $ENV{x}. */
static struct effects_text value_inside(struct reader *r, struct bl_str inner)
{
	const struct effects_text *known;
	struct effects_text value;
	struct bl_str variable;

	while (inner.len && strchr("$#{", inner.ptr[0]))
		inner = bl_str_slice(inner, 1, SIZE_MAX);
	variable = environment_name(inner);
	if (variable.ptr && effects_value(r->walk, r->state, variable, &value))
		return value;
	if (inner.len && inner.ptr[inner.len - 1] == '}')
		inner.len--;
	known = effects_map_get(
		r->names,
		effects_name_id(r->walk->arena, &r->walk->names, inner));
	return known ? *known : unknown(r, "${...}");
}

/* The string at r->at; its value with holes for what is put in. */
static struct effects_text read_string(struct reader *r, bool is_format)
{
	char quote = r->text.ptr[r->at];
	bool is_triple =
		r->letter == 'P' && peek(r, 1) == quote && peek(r, 2) == quote;
	size_t width = is_triple ? 3 : 1;
	struct effects_builder value;

	effects_builder_init(&value, r->walk->arena,
			     r->walk->limits.content_bytes);
	r->at += width;
	while (r->at < r->text.len) {
		char c = r->text.ptr[r->at];
		size_t end = interpolation(r, quote, r->at);

		if (c == quote && (!is_triple || (peek(r, 1) == quote &&
						  peek(r, 2) == quote))) {
			r->at += width;
			break;
		}
		if (!end && is_format && c == '{' && peek(r, 1) != '{')
			end = bl_str_find(r->text, BL_STR("}"), r->at);
		if (end) {
			size_t from = r->at;

			r->at = end < r->text.len ? end : r->text.len;
			r->at += is_format && r->at < r->text.len;
			effects_put_text(
				&value,
				value_inside(
					r, bl_str_slice(r->text, from, r->at)));
		} else if (c == '\\' && r->at + 1 < r->text.len) {
			char escaped = r->text.ptr[r->at + 1];

			escaped = escaped == 'n'   ? '\n'
				  : escaped == 't' ? '\t'
						   : escaped;
			effects_put(&value, &escaped, 1);
			r->at += 2;
		} else {
			effects_put(&value, &c, 1);
			r->at++;
		}
	}
	return effects_built(&value);
}

static bool is_quote(const struct reader *r, char c)
{
	return c == '"' || c == '\'' || (c == '`' && r->letter == 'N');
}

static struct bl_str read_name(struct reader *r)
{
	size_t from = r->at;

	while (r->at < r->text.len &&
	       (effects_is_name(r->text.ptr[r->at]) ||
		(r->text.ptr[r->at] == '.' && effects_is_name(peek(r, 1))) ||
		(r->text.ptr[r->at] == ':' && peek(r, 1) == ':') ||
		(r->at > from && r->text.ptr[r->at] == ':' &&
		 r->text.ptr[r->at - 1] == ':')))
		r->at++;
	return bl_str_slice(r->text, from, r->at);
}

/* ---- imports ------------------------------------------------------------------- */

/* from os import system as s: s stands for os.system. */
static void add_import(struct reader *r, struct bl_str name,
		       struct bl_str module, struct bl_str member)
{
	struct bl_arena *arena = r->walk->arena;
	struct bl_str *full = bl_arena_new(arena, struct bl_str);

	if (!full)
		return;
	*full = module.len && member.len ? bl_arena_printf(arena, "%.*s.%.*s",
							   BL_STR_ARG(module),
							   BL_STR_ARG(member))
					 : (module.len ? module : member);
	r->imports = effects_map_set(
		arena, r->imports,
		effects_name_id(arena, &r->walk->names, name), full);
}

/* Behind from or import: NAME [as NAME], ... */
static void learn_import(struct reader *r, struct bl_str module)
{
	while (r->at < r->text.len) {
		struct bl_str member, name;

		skip(r);
		while (peek(r, 0) == '(' || peek(r, 0) == '{')
			r->at++;
		skip(r);
		member = name = read_name(r);
		skip(r);
		if (has_text(r, "as ")) {
			r->at += 3;
			skip(r);
			name = read_name(r);
			skip(r);
		}
		if (!member.len || !name.len)
			return;
		if (module.len || !bl_str_equal(member, name))
			add_import(r, name, module, member);
		if (peek(r, 0) != ',')
			return;
		r->at++;
	}
}

/* The imports of Python and of JavaScript's modules. */
static void learn_imports(struct reader *r)
{
	size_t from = r->at;

	for (size_t at = 0;
	     (at = bl_str_find(r->text, BL_STR("import "), at)) != SIZE_MAX;
	     at += 7) {
		struct bl_str front = bl_str_trim(bl_str_slice(r->text, 0, at));
		struct bl_str module = { "", 0 };
		size_t start = front.len;

		while (start && (effects_is_name(front.ptr[start - 1]) ||
				 front.ptr[start - 1] == '.'))
			start--;
		if (r->letter == 'P' && start >= 5 &&
		    !memcmp(front.ptr + start - 5, "from ", 5))
			module = bl_str_slice(front, start, front.len);
		r->at = at + 7;
		learn_import(r, module);
	}
	r->at = from;
}

/* What a name stands for, by the imports. */
static struct bl_str imported(struct reader *r, struct bl_str name)
{
	size_t dot = bl_str_find(name, BL_STR("."), 0);
	const struct bl_str *full = effects_map_get(
		r->imports, effects_name_id(r->walk->arena, &r->walk->names,
					    bl_str_slice(name, 0, dot)));

	if (!full)
		return name;
	if (dot == SIZE_MAX)
		return *full;
	name = bl_str_slice(name, dot, SIZE_MAX);
	return bl_arena_printf(r->walk->arena, "%.*s%.*s", BL_STR_ARG(*full),
			       BL_STR_ARG(name));
}

/* ---- expressions ---------------------------------------------------------------- */

static struct effects_text read_value(struct reader *r);

/* Skips to the , or ) that ends an argument. */
static void skip_argument(struct reader *r)
{
	int open = 0;

	while (r->at < r->text.len) {
		char c = r->text.ptr[r->at];

		if (is_quote(r, c)) {
			read_string(r, false);
			continue;
		}
		if (c == '(' || c == '[' || c == '{')
			open++;
		if ((c == ')' || c == ']' || c == '}') && open-- == 0)
			return;
		if (c == ',' && !open)
			return;
		if (c == ';' && !open)
			return;
		r->at++;
	}
}

struct arguments {
	struct effects_args items;
	bool is_list;      /* the first one is a list of words */
	size_t list_start; /* the words of the first list; 0, 0: none */
	size_t list_end;
	uint32_t first_effect; /* of what the arguments themselves do */
};

/* qw(rm -rf): words without quotes, between any two marks. */
static void read_quoted_words(struct reader *r, struct effects_args *out)
{
	static const char open[] = "([{<";
	static const char shut[] = ")]}>";
	const char *pair;
	char end;

	r->at += 2;
	skip(r);
	pair = peek(r, 0) ? strchr(open, peek(r, 0)) : NULL;
	end = pair ? shut[pair - open] : peek(r, 0);
	r->at++;
	while (r->at < r->text.len && peek(r, 0) != end) {
		size_t from = r->at;

		while (r->at < r->text.len && peek(r, 0) != end &&
		       !strchr(" \t\n", peek(r, 0)))
			r->at++;
		if (r->at > from)
			effects_args_add(r->walk, out,
					 effects_text(bl_str_slice(
						 r->text, from, r->at)),
					 r->span);
		else
			r->at++;
	}
	r->at += r->at < r->text.len;
}

static void read_code(struct reader *r);

/* What else stands in an argument: a function's body, an operator. */
static void read_rest(struct reader *r)
{
	struct bl_str text = r->text;
	size_t from = r->at;

	skip_argument(r);
	if (r->depth >= DEPTH_MAX)
		return;
	r->text.len = r->at;
	r->at = from;
	r->depth++;
	read_code(r);
	r->depth--;
	r->at = r->text.len;
	r->text = text;
}

/* The name in front of an argument: data= of Python, body: of Ruby. */
static bool skip_keyword(struct reader *r)
{
	size_t at = r->at;

	if (r->letter != 'P' && r->letter != 'R')
		return false;
	while (at < r->text.len && effects_is_name(r->text.ptr[at]))
		at++;
	if (at == r->at || at + 1 >= r->text.len)
		return false;
	while (r->letter == 'P' && at + 1 < r->text.len &&
	       r->text.ptr[at] == ' ')
		at++;
	if (r->text.ptr[at] != (r->letter == 'P' ? '=' : ':') ||
	    r->text.ptr[at + 1] == r->text.ptr[at])
		return false;
	r->at = at + 1;
	return true;
}

/* { a: B, "c": D }: one value with all that the parts come from. */
static struct effects_text read_braces(struct reader *r)
{
	uint32_t origins = 0;

	r->at++;
	if (r->depth >= DEPTH_MAX)
		return unknown(r, "{...}");
	r->depth++;
	while (r->at < r->text.len && peek(r, 0) != '}') {
		size_t before = r->at;

		skip(r);
		if (peek(r, 0) == '}')
			break;
		origins |= effects_fact_text(r->walk, read_value(r)).origins;
		if (r->at == before)
			r->at++;
	}
	r->depth--;
	r->at += r->at < r->text.len;
	return effects_hole(r->walk, BL_STR("{...}"), origins, true);
}

/* (a, b, [c, d]): the values of the arguments; behind the ). */
static void read_arguments(struct reader *r, struct arguments *out)
{
	char close = ')';

	*out = (struct arguments){
		.first_effect = (uint32_t)r->walk->effect_count,
	};
	r->at++;
	if (r->depth >= DEPTH_MAX)
		return;
	r->depth++;
	while (r->at < r->text.len) {
		size_t start = r->at;

		skip(r);
		if (peek(r, 0) == '[' && close == ')' && !out->list_end) {
			out->is_list = !out->items.count;
			out->list_start = out->items.count;
			r->at++;
			close = ']';
			continue;
		}
		if (peek(r, 0) == ',') {
			r->at++;
			continue;
		}
		if (peek(r, 0) == close || peek(r, 0) == ')') {
			r->at++;
			if (close == ')')
				break;
			close = ')';
			out->list_end = out->items.count;
			continue;
		}
		if (r->letter == 'L' && has_text(r, "qw")) {
			read_quoted_words(r, &out->items);
			continue;
		}
		if (skip_keyword(r))
			continue;
		effects_args_add(r->walk, &out->items, read_value(r), r->span);
		if (r->at < r->text.len && peek(r, 0) != ',' &&
		    peek(r, 0) != ')' && peek(r, 0) != ']') {
			size_t before = r->at;

			read_rest(r);
			if (r->at == before)
				r->at++;
		}
		if (r->at == start)
			r->at++; /* what cannot stand there */
	}
	r->depth--;
}

static bool ends_with(struct bl_str name, const char *tail)
{
	struct bl_str suffix = bl_str(tail);

	return bl_str_has_suffix(name, suffix) &&
	       (name.len == suffix.len ||
		name.ptr[name.len - suffix.len - 1] == '.');
}

static struct effects_text home_of(struct reader *r, struct effects_text path)
{
	struct effects_text home;

	if (!path.len || path.ptr[0] != '~')
		return path;
	if (!effects_value(r->walk, r->state, BL_STR("HOME"), &home))
		home = unknown(r, "~");
	return effects_join(r->walk->arena, home,
			    effects_cut(path, 1, path.len));
}

static void run_call(struct reader *r, struct bl_str name,
		     const struct arguments *arguments);

static bool is_one_of(struct bl_str name, const char *const *tails,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ends_with(name, tails[i]))
			return true;
	return false;
}

/* Calls that make a file or folder for temporary use. */
static const char *const temp_makers[] = {
	"mkdtemp",
	"mkstemp",
	"gettempdir",
	"TemporaryDirectory",
	"NamedTemporaryFile",
	"mktmpdir",
	"tmpdir",
	"mkdtempSync",
	"Tempfile.create",
	"tempdir",
};

/* Calls that list what is in a folder, or fits a pattern. */
static const char *const listers[] = {
	"os.walk",    "os.listdir",  "os.scandir",     "glob.glob",
	"glob.iglob", "iglob",       "readdirSync",    "readdir",
	"Dir.glob",   "Dir.entries", "Dir.each_child", "globSync",
	"glob",
};

/* Methods of a path that do the same. */
static const char *const path_listers[] = { "rglob", "iterdir", "glob" };

/* FOLDER/[*] for what a list of the folder has, FOLDER/(something) for a pattern. */
static struct effects_text found_in(struct reader *r, struct effects_text where)
{
	static const char star[] = { 0, '*' };
	struct effects_text found = { star, sizeof(star), 0 };
	size_t known = effects_known_prefix(where);
	size_t mark = 0;

	while (mark < known && !strchr("*?[", where.ptr[mark]))
		mark++;
	if (mark < known) {
		if (!bl_str_is(effects_str(effects_cut(where, mark, where.len)),
			       "*"))
			found = unknown(r, "...");
		while (mark && where.ptr[mark - 1] != '/')
			mark--;
		where = effects_cut(where, 0, mark);
	}
	if (where.len && where.ptr[where.len - 1] != '/')
		where = effects_join(r->walk->arena, where,
				     effects_text(BL_STR("/")));
	return effects_join(r->walk->arena, where, found);
}

/* The number that a value is: it is a hole with its digits as the label. */
static unsigned number_of(const struct reader *r, struct effects_text value)
{
	struct bl_str digits;
	unsigned number = 0;

	if (value.len != 2 || value.ptr[0] ||
	    (unsigned char)value.ptr[1] < EFFECTS_HOLE)
		return UINT_MAX;
	digits = r->walk->holes[(unsigned char)value.ptr[1] - EFFECTS_HOLE]
			 .label;
	for (size_t i = 0; i < digits.len && number < 1000; i++) {
		if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
			return UINT_MAX;
		number = number * 10 + (unsigned)(digits.ptr[i] - '0');
	}
	return digits.len ? number : UINT_MAX;
}

/* chr(46), String.fromCharCode(46, 101): bytes by their numbers. */
static struct effects_text text_of_codes(struct reader *r,
					 const struct arguments *arguments)
{
	struct effects_builder text;

	effects_builder_init(&text, r->walk->arena, UINT32_MAX);
	for (size_t i = 0; i < arguments->items.count; i++) {
		unsigned code = number_of(r, arguments->items.items[i].text);

		if (!code || code > 127)
			return unknown(r, "...");
		effects_put(&text, &(char){ (char)code }, 1);
	}
	return effects_built(&text);
}

/* Where the effects from first on say that what a call gives comes from. */
static uint32_t origins_since(const struct reader *r, uint32_t first)
{
	uint32_t origins = 0;

	for (size_t i = first; i < r->walk->effect_count; i++) {
		const struct bl_fact_effect *effect = &r->walk->effects[i];

		if (effect->kind == BL_FACT_READ)
			origins |= effect->secret.len ? BL_FACT_FROM_SECRET
						      : BL_FACT_FROM_FILE;
		if (effect->kind == BL_FACT_NETWORK)
			origins |= BL_FACT_FROM_NETWORK;
		if (effect->kind == BL_FACT_SECRET)
			origins |= BL_FACT_FROM_ENVIRONMENT;
	}
	return origins;
}

/* open("x").read(), fetch(u): what was read. */
static struct effects_text value_of_read(struct reader *r, struct bl_str name,
					 uint32_t first)
{
	return effects_hole(r->walk, name, origins_since(r, first), true);
}

/* The result of a call: the few functions that make paths and texts. */
static struct effects_text value_of_call(struct reader *r, struct bl_str name,
					 const struct arguments *arguments)
{
	struct effects_text first = { "", 0, 0 };
	struct effects_text known;

	if (arguments->items.count)
		first = arguments->items.items[0].text;
	if (ends_with(name, "expanduser") || ends_with(name, "expand_path") ||
	    ends_with(name, "expand_file_name"))
		return home_of(r, first);
	if (ends_with(name, "homedir") || ends_with(name, "Path.home") ||
	    ends_with(name, "Dir.home"))
		return home_of(r, effects_text(BL_STR("~")));
	if (ends_with(name, "getenv") && effects_is_known(first) &&
	    effects_value(r->walk, r->state, effects_str(first), &known))
		return known;
	if (ends_with(name, "chr") || ends_with(name, "fromCharCode"))
		return text_of_codes(r, arguments);
	if (ends_with(name, "Path") || ends_with(name, "resolve") ||
	    ends_with(name, "abspath") || ends_with(name, "realpath") ||
	    ends_with(name, "str") || ends_with(name, "String"))
		return first;
	if (is_one_of(name, temp_makers, BL_COUNT(temp_makers)))
		return effects_join(r->walk->arena,
				    effects_text(BL_STR("/tmp/tmp.")),
				    unknown(r, "XXXXXX"));
	if (arguments->items.count &&
	    is_one_of(name, listers, BL_COUNT(listers)))
		return found_in(r, first);
	if (ends_with(name, "path.join") || ends_with(name, "File.join")) {
		for (size_t i = 1; i < arguments->items.count; i++) {
			first = effects_join(r->walk->arena, first,
					     effects_text(BL_STR("/")));
			first = effects_join(r->walk->arena, first,
					     arguments->items.items[i].text);
		}
		return first;
	}
	run_call(r, name, arguments);
	if (r->walk->effect_count > arguments->first_effect)
		return value_of_read(r, name, arguments->first_effect);
	if (ends_with(name, "urlopen") || ends_with(name, "get"))
		return effects_hole(r->walk, name, BL_FACT_FROM_NETWORK, true);
	if (ends_with(name, "b64decode") || ends_with(name, "decompress") ||
	    ends_with(name, "fromhex") || ends_with(name, "atob"))
		return effects_hole(r->walk, name, BL_FACT_FROM_DECODED, true);
	return unknown(r, "...");
}

static struct effects_text value_of_name(struct reader *r, struct bl_str name)
{
	const struct effects_text *known;
	struct effects_text value;

	known = effects_map_get(
		r->names,
		effects_name_id(r->walk->arena, &r->walk->names, name));
	if (known)
		return *known;
	if (ends_with(name, "os.environ") || ends_with(name, "process.env")) {
		effects_add_plain(r->walk, BL_FACT_SECRET,
				  BL_STR("environment"), NULL, 0, r->span);
		return effects_hole(r->walk, name, BL_FACT_FROM_ENVIRONMENT,
				    true);
	}
	if (ends_with(name, "Dir.home")) /* Ruby calls without brackets */
		return home_of(r, effects_text(BL_STR("~")));
	if (ends_with(name, "env.HOME") &&
	    effects_value(r->walk, r->state, BL_STR("HOME"), &value))
		return value;
	return effects_hole(r->walk, name, BL_FACT_FROM_GENERATED, true);
}

static bool is_prefix(struct bl_str name)
{
	return name.len && name.len <= 2 && strchr("fFrRbBuU", name.ptr[0]) &&
	       strchr("fFrRbBuU", name.ptr[name.len - 1]);
}

/* os.environ["X"], ENV['X'], process.env["X"], Perl's $ENV{X}: behind the name. */
static struct effects_text read_environment(struct reader *r,
					    struct bl_str name)
{
	bool is_bare = r->letter == 'L' && effects_is_name(peek(r, 1));
	struct effects_text key, value;

	r->at++;
	key = is_bare ? effects_text(read_name(r)) : read_value(r);
	skip_argument(r);
	r->at += r->at < r->text.len;
	if (effects_is_known(key) &&
	    effects_value(r->walk, r->state, effects_str(key), &value))
		return value;
	return effects_hole(r->walk, name, BL_FACT_FROM_VARIABLE, true);
}

/* One term: a literal, a name, a call. */
static struct effects_text read_term(struct reader *r)
{
	struct bl_str name;
	struct arguments arguments;

	skip(r);
	if (is_quote(r, peek(r, 0)))
		return read_string(r, false);
	if (peek(r, 0) == '{' && r->letter != 'L')
		return read_braces(r);
	while (peek(r, 0) == '$' || peek(r, 0) == '(')
		r->at++;
	if (!effects_is_name(peek(r, 0)))
		return unknown(r, "...");
	name = read_name(r);
	if (is_prefix(name) && is_quote(r, peek(r, 0)))
		return read_string(r, memchr(name.ptr, 'f', name.len) ||
					      memchr(name.ptr, 'F', name.len));
	if ((peek(r, 0) == '[' || (peek(r, 0) == '{' && r->letter == 'L')) &&
	    (ends_with(name, "environ") || ends_with(name, "ENV") ||
	     ends_with(name, "process.env")))
		return read_environment(r, name);
	if (peek(r, 0) != '(')
		return value_of_name(r, name);
	read_arguments(r, &arguments);
	return value_of_call(r, name, &arguments);
}

/* Terms joined by + . or / (of Path), and methods behind them. */
static struct effects_text read_value(struct reader *r)
{
	struct effects_text value = read_term(r);

	for (;;) {
		char c;

		skip(r);
		c = peek(r, 0);
		if (c == '.' && effects_is_name(peek(r, 1)) &&
		    r->letter != 'L' && r->letter != 'H') {
			struct arguments arguments;
			struct bl_str name;

			r->at++;
			name = read_name(r);
			if (peek(r, 0) == '(') {
				read_arguments(r, &arguments);
				run_call(r, name, &arguments);
			}
			if (ends_with(name, "expanduser"))
				value = home_of(r, value);
			else if (ends_with(name, "homedir"))
				value = home_of(r, effects_text(BL_STR("~")));
			else if (is_one_of(name, path_listers,
					   BL_COUNT(path_listers)))
				value = found_in(r, value);
			else if (!ends_with(name, "resolve") &&
				 !ends_with(name, "strip"))
				value = effects_hole(
					r->walk, name,
					effects_fact_text(r->walk, value)
						.origins,
					true);
		} else if (c == '+' || (c == '.' && r->letter != 'P') ||
			   (c == '/' && r->letter == 'P')) {
			r->at++;
			if (c == '/')
				value = effects_join(r->walk->arena, value,
						     effects_text(BL_STR("/")));
			value = effects_join(r->walk->arena, value,
					     read_term(r));
		} else {
			return value;
		}
	}
}

/* ---- what calls do ---------------------------------------------------------------- */

static void add_path(struct reader *r, enum bl_fact_kind kind,
		     struct bl_str name, struct effects_text path,
		     uint32_t details)
{
	if (r->letter == 'E')
		path = home_of(r, path);
	effects_add_path(r->walk, r->state, kind, name, path, details, 0,
			 r->span);
}

static void run_shell(struct reader *r, const struct arguments *arguments)
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
static void run_program(struct reader *r, const struct arguments *arguments,
			size_t at, size_t first)
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

static void start_program(struct reader *r, enum way way,
			  const struct arguments *arguments)
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
static void run_open(struct reader *r, struct bl_str name,
		     const struct arguments *arguments)
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
		add_path(r, BL_FACT_WRITE, name, path, 0);
	else if (mode.len && (memchr(mode.ptr, 'a', mode.len) ||
			      memchr(mode.ptr, '+', mode.len)))
		add_path(r, BL_FACT_WRITE, name, path, BL_FACT_IS_APPEND);
	else
		add_path(r, BL_FACT_READ, name, path, 0);
}

static void run_same_language(struct reader *r, struct effects_text text)
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
static void touch_path(struct reader *r, enum way way, struct bl_str name,
		       struct effects_text first, struct effects_text second)
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

	add_path(r, touches[way].kind, name, first, touches[way].details);
	if (way == MOVE || way == COPY)
		add_path(r, BL_FACT_WRITE, name, second, 0);
}

/* File::Find: what the code deletes lies below the folders. */
static void hunt(struct reader *r, struct bl_str name,
		 const struct arguments *arguments)
{
	static const char *const deleters[] = { "unlink", "rmdir", "rmtree" };
	bool deletes = false;

	for (size_t i = 0; i < BL_COUNT(deleters); i++)
		deletes |= bl_str_find(r->text, bl_str(deleters[i]), 0) !=
			   SIZE_MAX;
	for (size_t i = 0; deletes && i < arguments->items.count; i++)
		if (effects_is_known(arguments->items.items[i].text))
			add_path(r, BL_FACT_DELETE, name,
				 arguments->items.items[i].text,
				 BL_FACT_IS_RECURSIVE);
}

/* The first argument is an address; the others may be sent to it. */
static void connect_to(struct reader *r, enum way way, struct bl_str name,
		       const struct arguments *arguments)
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
	effect.origins |= origins_since(r, arguments->first_effect);
	effect.origins &= BL_FACT_FROM_SECRET | BL_FACT_FROM_FILE |
			  BL_FACT_FROM_ENVIRONMENT;
	if (way == SEND || effect.origins)
		effect.details |= BL_FACT_IS_SEND;
	if (effect.has_target)
		effect.origins |= effect.target.origins;
	effects_add(r->walk, &effect);
}

static void do_way(struct reader *r, enum way way, struct bl_str name,
		   const struct arguments *arguments)
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
	return ends_with(name, "run") || ends_with(name, "call");
}

static void run_call(struct reader *r, struct bl_str name,
		     const struct arguments *arguments)
{
	name = imported(r, name);
	for (size_t i = 0; i < BL_COUNT(calls); i++) {
		if (!strchr(calls[i].languages, r->letter) ||
		    !ends_with(name, calls[i].name))
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

static void run_path_method(struct reader *r, struct bl_str method,
			    struct effects_text path)
{
	for (size_t i = 0; i < BL_COUNT(path_methods); i++)
		if (bl_str_is(method, path_methods[i].name))
			add_path(r, path_methods[i].kind, method, path,
				 path_methods[i].details);
}

static void run_path_methods(struct reader *r, struct effects_text path)
{
	while (peek(r, 0) == '.' && effects_is_name(peek(r, 1))) {
		struct arguments arguments;
		struct bl_str name;

		r->at++;
		name = read_name(r);
		if (ends_with(name, "expanduser"))
			path = home_of(r, path);
		run_path_method(r, name, path);
		if (peek(r, 0) == '(')
			read_arguments(r, &arguments);
	}
}

/* p.unlink() where p was given a path. */
static void run_named_method(struct reader *r, struct bl_str name)
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

static void learn_name(struct reader *r, struct bl_str name)
{
	struct effects_text *value =
		bl_arena_new(r->walk->arena, struct effects_text);

	if (!value)
		return;
	*value = read_value(r);
	r->names = effects_map_set(
		r->walk->arena, r->names,
		effects_name_id(r->walk->arena, &r->walk->names, name), value);
}

/*
 * for NAME in VALUE, for (NAME of VALUE): the first name is what is found; where
 * it is a folder of os.walk, path.join(NAME, file) begins with it.
 */
static void learn_loop(struct reader *r)
{
	struct bl_str name = { NULL, 0 };

	while (peek(r, 0) == '(' || peek(r, 0) == ' ')
		r->at++;
	while (r->at < r->text.len) {
		struct bl_str next;

		skip(r);
		if (peek(r, 0) == ',') {
			r->at++;
			continue;
		}
		if (!effects_is_name(peek(r, 0)))
			return;
		next = read_name(r);
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
static void learn_loops(struct reader *r)
{
	size_t from = r->at;

	for (size_t at = 0;
	     (at = bl_str_find(r->text, BL_STR("for"), at)) != SIZE_MAX &&
	     !r->walk->is_over;
	     at += 3) {
		if (at && effects_is_name(r->text.ptr[at - 1]))
			continue;
		r->at = at + 3;
		if (peek(r, 0) == ' ' || peek(r, 0) == '(')
			learn_loop(r);
	}
	r->at = from;
}

/* perl and ruby call without parentheses: system "x", unlink $f. */
static bool calls_bare(const struct reader *r, struct bl_str name)
{
	if ((r->letter != 'L' && r->letter != 'R' && r->letter != 'A') ||
	    (!is_quote(r, peek(r, 0)) && peek(r, 0) != '$' &&
	     !(r->letter == 'L' && (has_text(r, "glob") || has_text(r, "qw")))))
		return false;
	for (size_t i = 0; i < BL_COUNT(calls); i++) {
		if (strchr(calls[i].languages, r->letter) &&
		    ends_with(name, calls[i].name))
			return true;
	}
	return false;
}

static void read_bare(struct reader *r, struct bl_str name)
{
	struct arguments arguments = { .is_list = false };

	while (r->at < r->text.len) {
		skip(r);
		if (r->letter == 'L' && has_text(r, "qw"))
			read_quoted_words(r, &arguments.items);
		else
			effects_args_add(r->walk, &arguments.items,
					 read_value(r), r->span);
		skip(r);
		if (peek(r, 0) != ',')
			break;
		r->at++;
	}
	run_call(r, name, &arguments);
}

static void read_code(struct reader *r)
{
	while (r->at < r->text.len && !r->walk->is_over) {
		struct bl_str name;
		struct arguments arguments;
		char c;

		skip(r);
		c = peek(r, 0);
		if (c == '`' && (r->letter == 'L' || r->letter == 'R' ||
				 r->letter == 'H')) {
			struct effects_text text = read_string(r, false);

			effects_run_text(r->walk, r->state, text, true, NULL,
					 r->span);
			continue;
		}
		if (c == '$' && peek(r, 1) == '`' && r->letter == 'N') {
			r->at++; /* $`...` of zx and Bun */
			effects_run_text(r->walk, r->state,
					 read_string(r, false), true, NULL,
					 r->span);
			continue;
		}
		if (is_quote(r, c)) {
			read_string(r, false);
			continue;
		}
		if (!effects_is_name(c)) {
			r->at++;
			continue;
		}
		name = read_name(r);
		while (peek(r, 0) == ' ')
			r->at++;
		if (peek(r, 0) == '(') {
			read_arguments(r, &arguments);
			if (ends_with(name, "Path") && arguments.items.count)
				run_path_methods(r,
						 arguments.items.items[0].text);
			else
				run_call(r, name, &arguments);
			run_named_method(r, name);
		} else if (peek(r, 0) == '=' && peek(r, 1) != '=' &&
			   peek(r, 1) != '>') {
			r->at++;
			learn_name(r, name);
		} else if (calls_bare(r, name)) {
			read_bare(r, name);
		} else if (ends_with(name, "os.environ") && peek(r, 0) != '[' &&
			   peek(r, 0) != '.') {
			effects_add_plain(r->walk, BL_FACT_SECRET,
					  BL_STR("environment"), NULL, 0,
					  r->span);
		}
	}
}

/* ---- Tcl ------------------------------------------------------------------------- */

/* exec and spawn run the words behind them; a command ends with the line or ;. */
static void read_tcl(struct reader *r)
{
	static const char *const runners[] = { "exec ", "spawn ", "system " };

	while (r->at < r->text.len && !r->walk->is_over) {
		size_t end = r->at;

		while (end < r->text.len && !strchr(";\n]", r->text.ptr[end]))
			end++;
		while (r->at < end && strchr(" \t[{", r->text.ptr[r->at]))
			r->at++;
		for (size_t i = 0; i < BL_COUNT(runners); i++)
			if (has_text(r, runners[i]))
				effects_run_text(
					r->walk, r->state,
					effects_text(bl_str_slice(
						r->text,
						r->at + strlen(runners[i]),
						end)),
					true, NULL, r->span);
		r->at = end + 1;
	}
}

/* ---- sed and awk ------------------------------------------------------------------- */

/* The replacement of s///e is run; a backslash goes from the mark. */
static void run_replacement(struct reader *r, struct bl_str text, char mark)
{
	struct effects_builder command;

	effects_builder_init(&command, r->walk->arena, UINT32_MAX);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\\' && i + 1 < text.len &&
		    text.ptr[i + 1] == mark)
			i++;
		effects_put(&command, text.ptr + i, 1);
	}
	effects_run_text(r->walk, r->state, effects_built(&command), true, NULL,
			 r->span);
}

/* sed: `e` and s///e run, `w FILE` writes. */
static void read_sed(struct reader *r)
{
	struct bl_str text = r->text;

	for (size_t i = 0; i < text.len; i++) {
		bool starts =
			!i || strchr(";{}\n0123456789$/ ", text.ptr[i - 1]);

		if (text.ptr[i] == 's' && starts && i + 1 < text.len) {
			char mark = text.ptr[i + 1];
			size_t parts = 0;
			size_t from[3] = { 0 };

			for (i += 1; i < text.len && parts < 3; i++) {
				if (text.ptr[i] == '\\')
					i++;
				else if (text.ptr[i] == mark)
					from[parts++] = i + 1;
			}
			while (i < text.len && text.ptr[i] != ';' &&
			       text.ptr[i] != '\n' && text.ptr[i] != '}') {
				if (text.ptr[i] == 'e')
					run_replacement(
						r,
						bl_str_slice(text, from[1],
							     from[2] - 1),
						mark);
				if (text.ptr[i] == 'w') {
					add_path(r, BL_FACT_WRITE,
						 BL_STR("sed"),
						 effects_text(bl_str_trim(
							 bl_str_slice(
								 text, i + 1,
								 SIZE_MAX))),
						 0);
					return;
				}
				i++;
			}
			continue;
		}
		if (!starts || (text.ptr[i] != 'e' && text.ptr[i] != 'w'))
			continue;
		if (i + 1 < text.len && text.ptr[i + 1] != ' ' &&
		    text.ptr[i + 1] != ';')
			continue;
		if (text.ptr[i] == 'w')
			add_path(r, BL_FACT_WRITE, BL_STR("sed"),
				 effects_text(bl_str_trim(
					 bl_str_slice(text, i + 1, SIZE_MAX))),
				 0);
		else
			effects_run_text(r->walk, r->state,
					 effects_text(bl_str_slice(text, i + 1,
								   SIZE_MAX)),
					 true, NULL, r->span);
	}
}

/* awk: "cmd" | getline, print | "cmd", print > "file". */
static void read_awk_pipes(struct reader *r)
{
	for (r->at = 0; r->at < r->text.len;) {
		char c = peek(r, 0);
		struct effects_text text;
		size_t before = r->at;

		if (c == '/' && (!before || strchr(" ({!~&|;\n",
						   r->text.ptr[before - 1]))) {
			/* A regular expression. */
			for (r->at++; r->at < r->text.len &&
				      peek(r, 0) != '/' && peek(r, 0) != '\n';
			     r->at++)
				r->at += peek(r, 0) == '\\';
			r->at++;
			continue;
		}
		if (c != '"') {
			r->at++;
			continue;
		}
		text = read_string(r, false);
		while (before && r->text.ptr[before - 1] == ' ')
			before--;
		skip(r);
		if (before && r->text.ptr[before - 1] == '>')
			add_path(r, BL_FACT_WRITE, BL_STR("awk"), text, 0);
		else if ((before && r->text.ptr[before - 1] == '|' &&
			  !(before > 1 && r->text.ptr[before - 2] == '|')) ||
			 (peek(r, 0) == '|' && peek(r, 1) != '|'))
			effects_run_text(r->walk, r->state, text, true, NULL,
					 r->span);
	}
}

/* ---- by language ------------------------------------------------------------------- */

static char letter_of(struct bl_str lang)
{
	for (size_t i = 0; i < BL_COUNT(languages); i++) {
		if (bl_str_is(lang, languages[i].name))
			return languages[i].letter;
	}
	return 0;
}

static void run_shell_code(struct effects_walk *walk,
			   struct effects_state *state,
			   struct effects_text text,
			   const struct effects_args *args, size_t first_arg,
			   struct bl_shell_span span)
{
	size_t count =
		args && first_arg < args->count ? args->count - first_arg : 0;
	struct effects_text *items =
		bl_arena_new_array(walk->arena, struct effects_text, count + 1);
	struct effects_params params = { items, 0, true };

	if (!items)
		return;
	/* sh -c TEXT NAME A: NAME is $0 */
	for (size_t i = 0; i < count; i++)
		items[i] = args->items[first_arg + i].text;
	params.count = (uint32_t)count;
	effects_wrap(walk, BL_STR("sh"));
	effects_run_text(walk, state, text, true, &params, span);
	effects_unwrap(walk);
}

/* (delete-file "a" "b") as delete_file("a", "b"), which the reader knows. */
static struct bl_str calls_of_lisp(struct effects_walk *walk,
				   struct bl_str text)
{
	struct effects_builder out;
	bool is_string = false;
	bool is_head = false; /* in the name behind a bracket */

	effects_builder_init(&out, walk->arena, UINT32_MAX);
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '\\' && is_string && i + 1 < text.len) {
			effects_put(&out, text.ptr + i++, 2);
			continue;
		}
		is_string ^= c == '"';
		if (is_string || c == '"') {
			effects_put(&out, &c, 1);
			continue;
		}
		if (is_head && !effects_is_name(c) && c != '-') {
			effects_put(&out, "(", 1);
			is_head = false;
		}
		if (c == '(')
			is_head = true;
		else if (c == ' ' || c == '\n' || c == '\t')
			effects_put(&out, ",", 1);
		else
			effects_put(&out, c == '-' ? "_" : &c, 1);
	}
	return effects_str(effects_built(&out));
}

/*
 * A shell that is joined to a connection takes many calls; the words that all of
 * them need stand for it.
 */
static void add_reverse_shell(struct reader *r)
{
	static const struct {
		char letter;
		const char *words[3];
	} signs[] = {
		{ 'P', { "socket", "connect(", "dup2(" } },
		{ 'P', { "socket", "connect(", "pty.spawn(" } },
		{ 'P', { "socket", "connect(", "/bin/sh" } },
		{ 'P', { "socket", "connect(", "/bin/bash" } },
		{ 'L', { "ocket", "STDIN", "/bin/" } },
		{ 'L', { "ocket", "connect", "/bin/" } },
		{ 'R', { "TCPSocket", "", "/bin/" } },
		{ 'R', { "TCPSocket", "popen", "" } },
		{ 'N', { "net", "connect(", "/bin/" } },
		{ 'N', { "net", "Socket(", "/bin/" } },
		{ 'H', { "fsockopen", "", "/bin/" } },
		{ 'U', { "socket", "connect(", "popen" } },
		{ 'U', { "socket", "connect(", "/bin/" } },
	};
	bool is_one = false;

	for (size_t i = 0; i < BL_COUNT(signs) && !is_one; i++) {
		is_one = signs[i].letter == r->letter;
		for (size_t k = 0; k < BL_COUNT(signs[i].words) && is_one; k++)
			is_one = bl_str_find(r->text, bl_str(signs[i].words[k]),
					     0) != SIZE_MAX;
	}
	if (is_one)
		effects_add_plain(r->walk, BL_FACT_NETWORK, BL_STR("shell"),
				  NULL, BL_FACT_IS_SEND | BL_FACT_IS_RECEIVE,
				  r->span);
}

void effects_code(struct effects_walk *walk, struct effects_state *state,
		  struct bl_str lang, struct effects_text text,
		  const struct effects_args *args, size_t first_arg,
		  struct bl_shell_span span)
{
	struct reader reader = { .walk = walk,
				 .state = state,
				 .text = effects_str(text),
				 .lang = lang,
				 .letter = letter_of(lang),
				 .span = span };
	struct bl_fact_effect effect = { .kind = BL_FACT_EXECUTE,
					 .action = lang,
					 .span = span };

	if (bl_str_is(lang, "shell")) {
		run_shell_code(walk, state, text, args, first_arg, span);
		return;
	}
	effects_mark_cut(walk, text, span);
	effect.origins = effects_fact_text(walk, text).origins;
	if (effect.origins)
		effects_add(walk, &effect);
	if (!text.len)
		return;
	if (effects_known_prefix(text) == 0) {
		effects_opaque(walk, BL_FACT_OPAQUE_CODE, text, span);
		return;
	}
	if (bl_str_is(lang, "sed")) {
		read_sed(&reader);
		return;
	}
	effects_opaque(walk, BL_FACT_OPAQUE_PARTLY, effects_text(lang), span);
	if (bl_str_is(lang, "tcl"))
		read_tcl(&reader);
	if (bl_str_is(lang, "mongo"))
		effects_sql(walk, lang, text, span);
	if (reader.letter == 'E')
		reader.text = calls_of_lisp(walk, reader.text);
	if (reader.letter == 'P' || reader.letter == 'N') {
		learn_imports(&reader);
		learn_loops(&reader);
	}
	if (reader.letter)
		read_code(&reader);
	add_reverse_shell(&reader);
	if (reader.letter == 'A')
		read_awk_pipes(&reader);
}

/* The language that a script's first line or its name says. */
static struct bl_str script_language(struct bl_str lang,
				     struct effects_text content,
				     struct bl_str path)
{
	static const struct {
		const char *mark;
		const char *lang;
	} marks[] = {
		{ "python", "python" }, { "node", "node" }, { "perl", "perl" },
		{ "ruby", "ruby" },     { "php", "php" },   { "lua", "lua" },
		{ "awk", "awk" },       { "sh", "shell" },
	};
	struct bl_str line = effects_str(content);
	size_t end = bl_str_find(line, BL_STR("\n"), 0);

	if (lang.len)
		return lang;
	line = bl_str_slice(line, 0, end);
	if (!bl_str_has_prefix(line, BL_STR("#!")))
		return bl_str_has_suffix(path, BL_STR(".py")) ? BL_STR("python")
							      : BL_STR("shell");
	for (size_t i = 0; i < BL_COUNT(marks); i++) {
		if (bl_str_find(line, bl_str(marks[i].mark), 0) != SIZE_MAX)
			return bl_str(marks[i].lang);
	}
	return BL_STR("");
}

static bool is_address(struct effects_text text)
{
	return bl_str_has_prefix(effects_str(text), BL_STR("http://")) ||
	       bl_str_has_prefix(effects_str(text), BL_STR("https://"));
}

static bool looks_binary(struct effects_text content)
{
	return content.len > 3 && !memcmp(content.ptr, "\177ELF", 4);
}

/* Origins that say where the script itself comes from. */
static uint32_t script_origins(struct effects_walk *walk,
			       struct effects_text content)
{
	return effects_fact_text(walk, content).origins &
	       ~(uint32_t)BL_FACT_FROM_FILE;
}

/* The file that content is a copy of as a whole; ptr NULL: it is not one. */
static struct bl_str copied_from(struct effects_walk *walk,
				 struct effects_text content)
{
	if (content.len != 2 || content.ptr[0] ||
	    (unsigned char)content.ptr[1] < EFFECTS_HOLE)
		return (struct bl_str){ NULL, 0 };
	return walk->holes[(unsigned char)content.ptr[1] - EFFECTS_HOLE].label;
}

/*
 * A program of the system under another name, as a copy or a link of the line:
 * cp /bin/rm r; ./r.  Runs it with the words from first_arg on; false: it is not one.
 */
static bool run_renamed(struct effects_walk *walk, struct effects_state *state,
			struct bl_str source, const struct effects_args *args,
			size_t first_arg)
{
	static const char *const folders[] = { "/usr/", "/bin/", "/sbin/" };
	struct effects_args words = { 0 };
	struct bl_shell_span span;
	size_t i = 0;

	while (i < BL_COUNT(folders) &&
	       !bl_str_has_prefix(source, bl_str(folders[i])))
		i++;
	if (i == BL_COUNT(folders) || !args->count)
		return false;
	span = args->items[0].span;
	effects_args_add(walk, &words, effects_text(source), span);
	for (i = first_arg; i < args->count; i++)
		effects_args_add(walk, &words, args->items[i].text,
				 args->items[i].span);
	effects_dispatch(walk, state, &words, span, EFFECTS_LOOKUP_PROGRAMS);
	return true;
}

void effects_script_file(struct effects_walk *walk, struct effects_state *state,
			 struct bl_str lang, struct effects_text file,
			 const struct effects_args *args, size_t first_arg,
			 struct bl_shell_span span)
{
	struct effects_path path;
	struct effects_text content;
	const struct effects_file *written;
	uint32_t origins = 0;
	bool is_known;
	int descriptor;

	if (effects_is(file, "-") || effects_is(file, "/dev/stdin")) {
		content = effects_input(walk, state, &is_known);
		effects_code(walk, state, lang.len ? lang : BL_STR("shell"),
			     content, args, first_arg, span);
		return;
	}
	descriptor = effects_descriptor(file);
	if (descriptor >= 0 && state->fds->items[descriptor].is_known) {
		effects_code(walk, state, lang.len ? lang : BL_STR("shell"),
			     state->fds->items[descriptor].content, args,
			     first_arg, span);
		return;
	}
	if (is_address(file)) {
		file.origins |= BL_FACT_FROM_NETWORK;
		effects_add_plain(walk, BL_FACT_EXECUTE, BL_STR("script"),
				  &file, 0, span);
		return;
	}
	effects_path(walk, state, file, 0, &path);
	written = path.state == BL_FACT_KNOWN
			  ? effects_file_find(walk, effects_str(path.text))
			  : NULL;
	if (written)
		origins = BL_FACT_FROM_WRITTEN;
	is_known = effects_content(walk, &path, &content);
	if (is_known)
		origins |= script_origins(walk, content);
	if (!written ||
	    !bl_str_has_prefix(effects_str(path.text), BL_STR("/dev/fd/")))
		effects_add_path(walk, state, BL_FACT_EXECUTE, BL_STR("script"),
				 file, 0, origins, span);
	if (path.state == BL_FACT_KNOWN && !lang.len &&
	    !bl_str_equal(effects_str(path.text), effects_str(file)) &&
	    run_renamed(walk, state, effects_str(path.text), args, first_arg))
		return;
	if (is_known &&
	    (looks_binary(content) ||
	     (written && run_renamed(walk, state, copied_from(walk, content),
				     args, first_arg))))
		return;
	if (is_known && script_origins(walk, content) &&
	    effects_known_prefix(content) == 0 && content.len) {
		effects_code(walk, state, lang.len ? lang : BL_STR("shell"),
			     content, args, first_arg, span);
		return;
	}
	if (!is_known || (content.len && effects_known_prefix(content) == 0)) {
		if (is_known)
			effects_mark_cut(walk, content, span);
		effects_opaque(walk, BL_FACT_OPAQUE_SCRIPT, file, span);
		return;
	}
	lang = script_language(lang, content, effects_str(path.text));
	if (!written)
		content.origins = 0;
	effects_wrap(walk, bl_arena_printf(walk->arena, "script:%.*s",
					   (int)path.text.len, path.text.ptr));
	if (walk->depth < walk->limits.depth) {
		walk->depth++;
		effects_code(walk, state, lang, content, args, first_arg, span);
		walk->depth--;
	} else {
		effects_too_deep(walk, span);
	}
	effects_unwrap(walk);
}

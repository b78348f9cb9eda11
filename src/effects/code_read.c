/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/code_read.c: expressions of other languages: strings, names, imports,
 * arguments, and the values that they have as far as these are literal.
 *
 * The text is read token by token, without a grammar: strings and comments are
 * skipped as the language has them, and where a name from calls.def is called,
 * its arguments are evaluated: literals, names that were given a literal before,
 * joins of these, and the few functions that make paths.  Anything else in an
 * argument is a hole.
 */
#include <limits.h>

#include "effects/code.h"

/* ---- tokens ------------------------------------------------------------------ */

static void skip_line(struct effects_reader *r)
{
	while (r->at < r->text.len && r->text.ptr[r->at] != '\n')
		r->at++;
}

static bool has_slash_comments(const struct effects_reader *r)
{
	return r->letter == 'N' || r->letter == 'H';
}

/* Blanks and comments. */
void effects_code_skip(struct effects_reader *r)
{
	for (; r->at < r->text.len;) {
		char c = r->text.ptr[r->at];

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			r->at++;
		} else if (effects_code_has(r, has_slash_comments(r) ? "//"
					       : r->letter == 'U'    ? "--"
								     : "#")) {
			skip_line(r);
		} else if (has_slash_comments(r) && effects_code_has(r, "/*")) {
			size_t end =
				bl_str_find(r->text, BL_STR("*/"), r->at + 2);

			r->at = end == SIZE_MAX ? r->text.len : end + 2;
		} else {
			return;
		}
	}
}

bool effects_code_is_quote(const struct effects_reader *r, char c)
{
	return c == '"' || c == '\'' || (c == '`' && r->letter == 'N');
}

struct bl_str effects_code_name(struct effects_reader *r)
{
	size_t from = r->at;

	while (r->at < r->text.len &&
	       (effects_is_name(r->text.ptr[r->at]) ||
		(r->text.ptr[r->at] == '.' &&
		 effects_is_name(effects_code_peek(r, 1))) ||
		(r->text.ptr[r->at] == ':' && effects_code_peek(r, 1) == ':') ||
		(r->at > from && r->text.ptr[r->at] == ':' &&
		 r->text.ptr[r->at - 1] == ':')))
		r->at++;
	return bl_str_slice(r->text, from, r->at);
}

/* ---- expressions ---------------------------------------------------------------- */

/* Skips to the , or ) that ends an argument. */
static void skip_argument(struct effects_reader *r)
{
	int open = 0;

	while (r->at < r->text.len) {
		char c = r->text.ptr[r->at];

		if (effects_code_is_quote(r, c)) {
			effects_code_string(r, false);
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

/* qw(rm -rf): words without quotes, between any two marks. */
void effects_code_words(struct effects_reader *r, struct effects_args *out)
{
	static const char open[] = "([{<";
	static const char shut[] = ")]}>";
	const char *pair;
	char end;

	r->at += 2;
	effects_code_skip(r);
	pair = effects_code_peek(r, 0) ? strchr(open, effects_code_peek(r, 0))
				       : NULL;
	end = pair ? shut[pair - open] : effects_code_peek(r, 0);
	r->at++;
	while (r->at < r->text.len && effects_code_peek(r, 0) != end) {
		size_t from = r->at;

		while (r->at < r->text.len && effects_code_peek(r, 0) != end &&
		       !strchr(" \t\n", effects_code_peek(r, 0)))
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

/* The rest of an argument: a function's body, an operator. */
static void read_rest(struct effects_reader *r)
{
	struct bl_str text = r->text;
	size_t from = r->at;

	skip_argument(r);
	if (r->depth >= EFFECTS_CODE_DEPTH)
		return;
	r->text.len = r->at;
	r->at = from;
	r->depth++;
	effects_code_read(r);
	r->depth--;
	r->at = r->text.len;
	r->text = text;
}

/* The name in front of an argument: data= of Python, body: of Ruby. */
static bool skip_keyword(struct effects_reader *r)
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
static struct effects_text read_braces(struct effects_reader *r)
{
	uint32_t origins = 0;

	r->at++;
	if (r->depth >= EFFECTS_CODE_DEPTH)
		return effects_code_unknown(r, "{...}");
	r->depth++;
	while (r->at < r->text.len && effects_code_peek(r, 0) != '}') {
		size_t before = r->at;

		effects_code_skip(r);
		if (effects_code_peek(r, 0) == '}')
			break;
		origins |= effects_fact_text(r->walk, effects_code_value(r))
				   .origins;
		if (r->at == before)
			r->at++;
	}
	r->depth--;
	r->at += r->at < r->text.len;
	return effects_hole(r->walk, BL_STR("{...}"), origins, true);
}

/* (a, b, [c, d]): the values of the arguments; behind the ). */
void effects_code_arguments(struct effects_reader *r,
			    struct effects_arguments *out)
{
	char close = ')';

	*out = (struct effects_arguments){
		.first_effect = (uint32_t)r->walk->effect_count,
	};
	r->at++;
	if (r->depth >= EFFECTS_CODE_DEPTH)
		return;
	r->depth++;
	while (r->at < r->text.len) {
		size_t start = r->at;

		effects_code_skip(r);
		if (effects_code_peek(r, 0) == '[' && close == ')' &&
		    !out->list_end) {
			out->is_list = !out->items.count;
			out->list_start = out->items.count;
			r->at++;
			close = ']';
			continue;
		}
		if (effects_code_peek(r, 0) == ',') {
			r->at++;
			continue;
		}
		if (effects_code_peek(r, 0) == close ||
		    effects_code_peek(r, 0) == ')') {
			r->at++;
			if (close == ')')
				break;
			close = ')';
			out->list_end = out->items.count;
			continue;
		}
		if (r->letter == 'L' && effects_code_has(r, "qw")) {
			effects_code_words(r, &out->items);
			continue;
		}
		if (skip_keyword(r))
			continue;
		effects_args_add(r->walk, &out->items, effects_code_value(r),
				 r->span);
		if (r->at < r->text.len && effects_code_peek(r, 0) != ',' &&
		    effects_code_peek(r, 0) != ')' &&
		    effects_code_peek(r, 0) != ']') {
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

bool effects_code_ends(struct bl_str name, const char *tail)
{
	struct bl_str suffix = bl_str(tail);

	return bl_str_has_suffix(name, suffix) &&
	       (name.len == suffix.len ||
		name.ptr[name.len - suffix.len - 1] == '.');
}

struct effects_text effects_code_home(struct effects_reader *r,
				      struct effects_text path)
{
	struct effects_text home;

	if (!path.len || path.ptr[0] != '~')
		return path;
	if (!effects_value(r->walk, r->state, BL_STR("HOME"), &home))
		home = effects_code_unknown(r, "~");
	return effects_join(r->walk->arena, home,
			    effects_cut(path, 1, path.len));
}

static bool is_one_of(struct bl_str name, const char *const *tails,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (effects_code_ends(name, tails[i]))
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

static const char *const decoders[] = { "b64decode", "decompress", "fromhex",
					"atob" };

/* FOLDER/[*] for what a list of the folder has, FOLDER/(something) for a pattern. */
static struct effects_text found_in(struct effects_reader *r,
				    struct effects_text where)
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
			found = effects_code_unknown(r, "...");
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
static unsigned number_of(const struct effects_reader *r,
			  struct effects_text value)
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
static struct effects_text
text_of_codes(struct effects_reader *r,
	      const struct effects_arguments *arguments)
{
	struct effects_builder text;

	effects_builder_init(&text, r->walk->arena, UINT32_MAX);
	for (size_t i = 0; i < arguments->items.count; i++) {
		unsigned code = number_of(r, arguments->items.items[i].text);

		if (!code || code > 127)
			return effects_code_unknown(r, "...");
		effects_put(&text, &(char){ (char)code }, 1);
	}
	return effects_built(&text);
}

/* Where the effects from first on say that what a call gives comes from. */
uint32_t effects_code_origins(const struct effects_reader *r, uint32_t first)
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

/* The result of a call: the few functions that make paths and texts. */
static struct effects_text
value_of_call(struct effects_reader *r, struct bl_str name,
	      const struct effects_arguments *arguments)
{
	struct effects_text first = { "", 0, 0 };
	struct effects_text known;
	uint32_t origins;

	if (arguments->items.count)
		first = arguments->items.items[0].text;
	if (effects_code_ends(name, "expanduser") ||
	    effects_code_ends(name, "expand_path") ||
	    effects_code_ends(name, "expand_file_name"))
		return effects_code_home(r, first);
	if (effects_code_ends(name, "homedir") ||
	    effects_code_ends(name, "Path.home") ||
	    effects_code_ends(name, "Dir.home"))
		return effects_code_home(r, effects_text(BL_STR("~")));
	if (effects_code_ends(name, "getenv") && effects_is_known(first) &&
	    effects_value(r->walk, r->state, effects_str(first), &known))
		return known;
	if (effects_code_ends(name, "chr") ||
	    effects_code_ends(name, "fromCharCode"))
		return text_of_codes(r, arguments);
	if (effects_code_ends(name, "Path") ||
	    effects_code_ends(name, "resolve") ||
	    effects_code_ends(name, "abspath") ||
	    effects_code_ends(name, "realpath") ||
	    effects_code_ends(name, "str") || effects_code_ends(name, "String"))
		return first;
	if (is_one_of(name, temp_makers, BL_COUNT(temp_makers)))
		return effects_join(r->walk->arena,
				    effects_text(BL_STR("/tmp/tmp.")),
				    effects_code_unknown(r, "XXXXXX"));
	if (arguments->items.count &&
	    is_one_of(name, listers, BL_COUNT(listers)))
		return found_in(r, first);
	if (effects_code_ends(name, "path.join") ||
	    effects_code_ends(name, "File.join")) {
		for (size_t i = 1; i < arguments->items.count; i++) {
			first = effects_join(r->walk->arena, first,
					     effects_text(BL_STR("/")));
			first = effects_join(r->walk->arena, first,
					     arguments->items.items[i].text);
		}
		return first;
	}
	effects_code_call(r, name, arguments);
	origins = effects_code_origins(r, arguments->first_effect);
	if (is_one_of(name, decoders, BL_COUNT(decoders)))
		return effects_hole(r->walk, name,
				    origins | BL_FACT_FROM_DECODED, true);
	if (r->walk->effect_count > arguments->first_effect)
		return effects_hole(r->walk, name, origins, true);
	if (effects_code_ends(name, "urlopen") ||
	    effects_code_ends(name, "get"))
		return effects_hole(r->walk, name, BL_FACT_FROM_NETWORK, true);
	return effects_code_unknown(r, "...");
}

static struct effects_text value_of_name(struct effects_reader *r,
					 struct bl_str name)
{
	const struct effects_text *known;
	struct effects_text value;

	known = effects_map_get(
		r->names,
		effects_name_id(r->walk->arena, &r->walk->names, name));
	if (known)
		return *known;
	if (effects_code_ends(name, "os.environ") ||
	    effects_code_ends(name, "process.env")) {
		effects_add_plain(r->walk, BL_FACT_SECRET,
				  BL_STR("environment"), NULL, 0, r->span);
		return effects_hole(r->walk, name, BL_FACT_FROM_ENVIRONMENT,
				    true);
	}
	if (effects_code_ends(name,
			      "Dir.home")) /* Ruby calls without brackets */
		return effects_code_home(r, effects_text(BL_STR("~")));
	if (effects_code_ends(name, "env.HOME") &&
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
static struct effects_text read_environment(struct effects_reader *r,
					    struct bl_str name)
{
	bool is_bare =
		r->letter == 'L' && effects_is_name(effects_code_peek(r, 1));
	struct effects_text key, value;

	r->at++;
	key = is_bare ? effects_text(effects_code_name(r))
		      : effects_code_value(r);
	skip_argument(r);
	r->at += r->at < r->text.len;
	if (effects_is_known(key) &&
	    effects_value(r->walk, r->state, effects_str(key), &value))
		return value;
	return effects_hole(r->walk, name, BL_FACT_FROM_VARIABLE, true);
}

/* One term: a literal, a name, a call. */
static struct effects_text read_term(struct effects_reader *r)
{
	struct bl_str name;
	struct effects_arguments arguments;

	effects_code_skip(r);
	if (effects_code_is_quote(r, effects_code_peek(r, 0)))
		return effects_code_string(r, false);
	if (effects_code_peek(r, 0) == '{' && r->letter != 'L')
		return read_braces(r);
	while (effects_code_peek(r, 0) == '$' || effects_code_peek(r, 0) == '(')
		r->at++;
	if (!effects_is_name(effects_code_peek(r, 0)))
		return effects_code_unknown(r, "...");
	name = effects_code_name(r);
	if (is_prefix(name) &&
	    effects_code_is_quote(r, effects_code_peek(r, 0)))
		return effects_code_string(
			r, memchr(name.ptr, 'f', name.len) ||
				   memchr(name.ptr, 'F', name.len));
	if ((effects_code_peek(r, 0) == '[' ||
	     (effects_code_peek(r, 0) == '{' && r->letter == 'L')) &&
	    (effects_code_ends(name, "environ") ||
	     effects_code_ends(name, "ENV") ||
	     effects_code_ends(name, "process.env")))
		return read_environment(r, name);
	if (effects_code_peek(r, 0) != '(')
		return value_of_name(r, name);
	effects_code_arguments(r, &arguments);
	return value_of_call(r, name, &arguments);
}

/* Terms joined by + . or / (of Path), and methods behind them. */
struct effects_text effects_code_value(struct effects_reader *r)
{
	struct effects_text value = read_term(r);

	for (;;) {
		char c;

		effects_code_skip(r);
		c = effects_code_peek(r, 0);
		if (c == '.' && effects_is_name(effects_code_peek(r, 1)) &&
		    r->letter != 'L' && r->letter != 'H') {
			struct effects_arguments arguments;
			struct bl_str name;

			r->at++;
			name = effects_code_name(r);
			if (effects_code_peek(r, 0) == '(') {
				effects_code_arguments(r, &arguments);
				effects_code_call(r, name, &arguments);
			}
			if (effects_code_ends(name, "expanduser"))
				value = effects_code_home(r, value);
			else if (effects_code_ends(name, "homedir"))
				value = effects_code_home(
					r, effects_text(BL_STR("~")));
			else if (is_one_of(name, path_listers,
					   BL_COUNT(path_listers)))
				value = found_in(r, value);
			else if (!effects_code_ends(name, "resolve") &&
				 !effects_code_ends(name, "strip"))
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

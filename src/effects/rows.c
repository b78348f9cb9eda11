/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/rows.c: the tables of programs, and the words of a command by its row.
 *
 * A row is text in a small language (docs/internals/effects.md), so that users
 * can add rows; nothing of it is compiled ahead: only the row of a program that
 * runs is read, and of it the options that are given.
 */
#include "effects/private.h"

struct row {
	const char *name;
	const char *options;
	const char *operands; /* NULL: options names the row that this is */
	const char *effects;
};

struct family {
	const struct row *rows;
	size_t count;
};

#define PROGRAM(name, options, operands, effects)                              \
	{ name, options, operands, effects },
#define SAME(name, other) { name, other, NULL, NULL },
#define FAMILY(name)      static const struct row name##_rows[] =
#include "effects/tables/families.def"
#undef FAMILY
#undef PROGRAM
#undef SAME

static const struct family families[] = {
#define FAMILY(name) { name##_rows, BL_COUNT(name##_rows) },
#define FAMILY_NAMES
#include "effects/tables/families.def"
#undef FAMILY_NAMES
#undef FAMILY
};

static const struct row *find_in(const struct family *family,
				 struct bl_str name)
{
	size_t low = 0;
	size_t high = family->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order =
			bl_str_compare(name, bl_str(family->rows[middle].name));

		if (!order)
			return &family->rows[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static const struct row *find(struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(families); i++) {
		const struct row *row = find_in(&families[i], name);

		if (row && !row->operands)
			return find(bl_str(row->options));
		if (row)
			return row;
	}
	return NULL;
}

const struct bl_effects_row *effects_row_find(const struct effects_walk *walk,
					      struct bl_str name,
					      struct bl_effects_row *storage)
{
	const struct row *row;

	for (size_t i = 0; i < walk->input->row_count; i++) {
		if (bl_str_equal(walk->input->rows[i].name, name))
			return &walk->input->rows[i];
	}
	row = find(name);
	if (!row)
		return NULL;
	*storage = (struct bl_effects_row){ bl_str(row->name),
					    bl_str(row->options),
					    bl_str(row->operands),
					    bl_str(row->effects) };
	return storage;
}

/* python3.12, gcc-13: the name without its version. */
static struct bl_str without_version(struct bl_str name)
{
	size_t len = name.len;

	while (len && (name.ptr[len - 1] == '.' ||
		       (name.ptr[len - 1] >= '0' && name.ptr[len - 1] <= '9')))
		len--;
	if (len && len < name.len && name.ptr[len - 1] == '-')
		len--;
	return bl_str_slice(name, 0, len);
}

/* install.sh is somebody's script, and not install; mkfs.ext4 is mkfs. */
static bool is_script_name(struct bl_str name)
{
	static const char *const endings[] = { ".sh", ".bash", ".zsh", ".py",
					       ".rb", ".pl",   ".js",  ".mjs",
					       ".ts", ".php",  ".lua" };

	for (size_t i = 0; i < BL_COUNT(endings); i++)
		if (bl_str_has_suffix(name, bl_str(endings[i])))
			return true;
	return false;
}

static const struct bl_effects_row *
find_program(const struct effects_walk *walk, struct bl_str name,
	     struct bl_effects_row *storage)
{
	const struct bl_effects_row *row =
		effects_row_find(walk, name, storage);
	size_t dot = bl_str_find(name, BL_STR("."), 0);

	if (!row && dot != SIZE_MAX && !is_script_name(name))
		row = effects_row_find(walk, bl_str_slice(name, 0, dot),
				       storage);
	if (!row)
		row = effects_row_find(walk, without_version(name), storage);
	return row;
}

/* ---- the language of rows ---------------------------------------------------- */

/* The next word of text at *at; false: none is left. */
static bool next_word(struct bl_str text, size_t *at, struct bl_str *out)
{
	size_t from = *at;
	size_t to;

	while (from < text.len && text.ptr[from] == ' ')
		from++;
	to = from;
	while (to < text.len && text.ptr[to] != ' ')
		to++;
	*at = to;
	*out = (struct bl_str){ text.ptr + from, to - from };
	return to > from;
}

bool effects_mode(const struct bl_effects_row *row, const char *mode)
{
	struct bl_str word;
	size_t at = 0;

	/* Each row is asked for many modes, and most are plain. */
	if (!row->operands.len ||
	    !memchr(row->operands.ptr, mode[0], row->operands.len))
		return false;
	while (next_word(row->operands, &at, &word)) {
		if (word.ptr[0] == mode[0] && bl_str_is(word, mode))
			return true;
	}
	return false;
}

static const char *const detail_names[] = {
#define DETAIL(name, text, meaning) text,
#include "effects/details.def"
#undef DETAIL
};

static uint32_t detail_of(struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(detail_names); i++) {
		if (bl_str_is(name, detail_names[i]))
			return 1u << i;
	}
	return 0;
}

/* Reads `NAMES=role*2+detail!attribute` behind its names. */
static void read_option(struct bl_str token, size_t names_end,
			struct effects_option *out)
{
	size_t at = names_end;
	size_t last = names_end;

	while (last && token.ptr[last - 1] != ',')
		last--;
	out->name = bl_str_slice(token, last, names_end);
	if (out->name.len > 1 && out->name.ptr[0] == '-')
		out->name = bl_str_slice(out->name, 1, SIZE_MAX);
	while (at < token.len) {
		char sign = token.ptr[at++];
		size_t from = at;
		struct bl_str part;

		while (at < token.len && !strchr("=?+!*", token.ptr[at]))
			at++;
		part = bl_str_slice(token, from, at);
		if (sign == '=' || sign == '?') {
			out->role = part.len ? part : BL_STR("text");
			out->is_attached = sign == '?';
			out->values = sign == '=';
		} else if (sign == '*') {
			out->values = (uint32_t)(part.ptr[0] - '0');
		} else if (sign == '+') {
			out->details |= detail_of(part);
		} else if (bl_str_is(part, "none")) {
			out->is_dry = true;
		} else if (bl_str_is(part, "end")) {
			out->ends = true;
		} else if (bl_str_is(part, "stay")) {
			out->stays = true;
		}
	}
}

/* How well name fits the names of a token: 0 not, 1 abbreviated, 2 equal. */
static int fits(struct bl_str token, size_t names_end, struct bl_str name,
		bool is_short, bool is_single)
{
	size_t from = 0;
	int best = 0;

	while (from < names_end) {
		size_t to = from;
		struct bl_str own;
		bool has_dash;

		while (to < names_end && token.ptr[to] != ',')
			to++;
		has_dash = to > from + 1 && token.ptr[from] == '-';
		own.ptr = token.ptr + from + has_dash;
		own.len = to - from - has_dash;
		from = to + 1;
		if (is_short ? own.len != 1
			     : own.len == 1 || has_dash != is_single)
			continue;
		if (bl_str_equal(own, name))
			return 2;
		if (bl_str_has_prefix(own, name))
			best = 1;
	}
	return best;
}

/* The names of an option end where its value, details or attributes begin. */
static bool ends_names(char c)
{
	return c == '=' || c == '?' || c == '+' || c == '!';
}

bool effects_option_find(struct bl_str options, struct bl_str name,
			 bool is_short, bool is_single, bool may_abbreviate,
			 struct effects_option *out)
{
	struct bl_str token;
	struct bl_str abbreviated = { NULL, 0 };
	size_t at = 0;
	size_t end = 0;
	int count = 0;

	*out = (struct effects_option){ .role = { NULL, 0 } };
	while (next_word(options, &at, &token)) {
		size_t names_end = 0;
		int fit;

		while (names_end < token.len &&
		       !ends_names(token.ptr[names_end]))
			names_end++;
		fit = fits(token, names_end, name, is_short, is_single);
		if (fit == 2) {
			read_option(token, names_end, out);
			return true;
		}
		if (fit == 1) {
			abbreviated = token;
			end = names_end;
			count++;
		}
	}
	if (count != 1 || !may_abbreviate)
		return false;
	read_option(abbreviated, end, out);
	return true;
}

/* ---- rows by name, for those who write rules ----------------------------------- */

size_t bl_effects_verbs(struct bl_str name)
{
	const struct row *row = find(name);
	struct bl_str operands = row ? bl_str(row->operands) : BL_STR("");
	struct bl_str word;
	size_t at = 0;
	size_t count = 0;

	while (next_word(operands, &at, &word)) {
		if (word.ptr[0] == '@')
			continue;
		if (!bl_str_has_prefix(word, BL_STR("verb")))
			break;
		count++;
	}
	return count;
}

/* A slip of the fingers: one in a short name, two in a longer one. */
static size_t most_edits(struct bl_str name)
{
	return name.len < 4 ? 0 : name.len < 8 ? 1 : 2;
}

/* All up to the last blank: only the word behind it may be misspelled. */
static size_t last_word(struct bl_str name)
{
	size_t at = name.len;

	while (at && name.ptr[at - 1] != ' ')
		at--;
	return at;
}

struct bl_str bl_effects_near(struct bl_str name)
{
	size_t from = last_word(name);
	struct bl_str word = bl_str_slice(name, from, SIZE_MAX);
	struct bl_str best = { NULL, 0 };
	size_t distance = most_edits(word) + 1;

	if (find(name))
		return best;
	for (size_t i = 0; i < BL_COUNT(families); i++) {
		for (size_t j = 0; j < families[i].count; j++) {
			struct bl_str own = bl_str(families[i].rows[j].name);
			size_t edits;

			if (last_word(own) != from ||
			    memcmp(own.ptr, name.ptr, from) != 0)
				continue;
			edits = bl_str_distance(
				word, bl_str_slice(own, from, SIZE_MAX));
			if (edits < distance) {
				distance = edits;
				best = own;
			}
		}
	}
	return best;
}

/* ---- the words of a command --------------------------------------------------- */

struct parser {
	struct effects_walk *walk;
	struct effects_parsed *parsed;
	const struct effects_args *args;
	size_t at;     /* the next word */
	size_t parent; /* rows: [0] the one in use, [1] of its parent */
	bool has_parent;
	bool stops; /* options end at the first operand */
	bool is_exact;
	bool is_single; /* long options have one dash */
	bool ended;     /* -- or an option that ends them */
};

static void add_word(struct parser *p, struct bl_str role, struct bl_str option,
		     struct effects_text text, size_t index)
{
	struct effects_parsed *parsed = p->parsed;
	struct effects_word *words =
		bl_arena_room(p->walk->arena, parsed->words, parsed->word_count,
			      &parsed->word_cap, sizeof(*words));

	if (!words)
		return;
	parsed->words = words;
	words[parsed->word_count++] = (struct effects_word){
		.role = role,
		.option = option,
		.text = text,
		.span = p->args->items[index].span,
		.index = index,
	};
}

static void add_option(struct parser *p, const struct effects_option *option,
		       const struct effects_text *value, size_t index)
{
	struct effects_parsed *parsed = p->parsed;
	struct bl_fact_option *options = bl_arena_room(
		p->walk->arena, parsed->options, parsed->option_count,
		&parsed->option_cap, sizeof(*options));
	struct bl_fact_text *fact = NULL;

	if (!options)
		return;
	parsed->options = options;
	if (value) {
		fact = bl_arena_new(p->walk->arena, struct bl_fact_text);
		if (fact)
			*fact = effects_fact_text(p->walk, *value);
		add_word(p, option->role, option->name, *value, index);
	}
	options[parsed->option_count++] =
		(struct bl_fact_option){ option->name, fact };
	parsed->details |= option->details;
	if (option->is_dry &&
	    !(value &&
	      (effects_is(*value, "none") || effects_is(*value, "false") ||
	       effects_is(*value, "no") || effects_is(*value, "0"))))
		parsed->is_dry = true;
	if (option->stays)
		parsed->stays = true;
	if (option->ends)
		p->ended = true;
}

static bool find_option(const struct parser *p, struct bl_str name,
			bool is_short, struct effects_option *out)
{
	bool may_abbreviate = !is_short && !p->is_exact && !p->is_single;

	if (effects_option_find(p->parsed->row->options, name, is_short,
				p->is_single && !is_short, may_abbreviate, out))
		return true;
	if (p->is_single && !is_short &&
	    effects_option_find(p->parsed->row->options, name, false, false,
				false, out))
		return true;
	return p->has_parent &&
	       effects_option_find(p->parsed->storage[1].options, name,
				   is_short, p->is_single && !is_short,
				   may_abbreviate, out);
}

static void note_unknown(struct parser *p, struct effects_text text,
			 struct bl_str name)
{
	struct effects_option option = { .name = name };

	p->parsed->has_unknown_option = true;
	p->parsed->unknown_option = text;
	add_option(p, &option, NULL, p->at - 1);
}

/* The next word as the value of an option that was met. */
static void take_values(struct parser *p, const struct effects_option *option)
{
	for (uint32_t i = 0; i < option->values; i++) {
		if (p->at >= p->args->count)
			break;
		add_option(p, option, &p->args->items[p->at].text, p->at);
		p->at++;
	}
}

/* --name, --name=value, -name of a row with one dash. */
static void long_option(struct parser *p, struct effects_text text, size_t skip)
{
	struct effects_option option;
	const char *equals = memchr(text.ptr, '=', text.len);
	size_t end = equals ? (size_t)(equals - text.ptr) : text.len;
	struct bl_str name = bl_str_slice(effects_str(text), skip, end);
	struct effects_text value = effects_cut(text, end + 1, text.len);

	if (!find_option(p, name, false, &option)) {
		note_unknown(p, text, name);
		return;
	}
	if (equals) {
		if (!option.role.len)
			option.role = BL_STR("text");
		add_option(p, &option, &value, p->at - 1);
	} else if (!option.values) {
		add_option(p, &option, NULL, p->at - 1);
	} else {
		take_values(p, &option);
	}
}

/* -abc, -ofile: flags up to one that takes a value. */
static void short_options(struct parser *p, struct effects_text text)
{
	for (size_t i = 1; i < text.len; i++) {
		struct effects_option option;
		struct bl_str name = { text.ptr + i, 1 };
		struct effects_text value = effects_cut(text, i + 1, text.len);

		if (!text.ptr[i]) {
			note_unknown(p, text, BL_STR("?"));
			return;
		}
		if (!find_option(p, name, true, &option)) {
			note_unknown(p, text, name);
			continue;
		}
		if (option.is_attached && value.len) {
			add_option(p, &option, &value, p->at - 1);
			return;
		}
		if (option.values && value.len) {
			if (value.ptr[0] == '=')
				value = effects_cut(value, 1, value.len);
			add_option(p, &option, &value, p->at - 1);
			if (option.values > 1) {
				option.values--;
				take_values(p, &option);
			}
			return;
		}
		if (option.values) {
			take_values(p, &option);
			return;
		}
		add_option(p, &option, NULL, p->at - 1);
	}
}

/* if=FILE of dd, and KEY=VALUE of its kind. */
static bool pair_operand(struct parser *p, struct effects_text text)
{
	struct effects_option option;
	const char *equals = text.len ? memchr(text.ptr, '=', text.len) : NULL;
	struct effects_text value;
	struct bl_str name;

	if (!equals)
		return false;
	name = bl_str_slice(effects_str(text), 0, (size_t)(equals - text.ptr));
	value = effects_cut(text, name.len + 1, text.len);
	if (!find_option(p, name, name.len == 1, &option))
		return false;
	add_option(p, &option, &value, p->at - 1);
	return true;
}

static bool is_option(const struct parser *p, struct effects_text text)
{
	return !p->ended && text.len > 1 && text.ptr[0] == '-';
}

/* -name of a row whose long options have one dash, or a cluster? */
static bool is_single_option(const struct parser *p, struct effects_text text)
{
	struct effects_option option;
	const char *equals = memchr(text.ptr, '=', text.len);
	size_t end = equals ? (size_t)(equals - text.ptr) : text.len;

	return p->is_single && text.len > 2 &&
	       find_option(p, bl_str_slice(effects_str(text), 1, end), false,
			   &option);
}

static bool is_assignment(struct effects_text text)
{
	size_t i = 0;

	while (i < text.len && (text.ptr[i] == '_' ||
				(text.ptr[i] >= '0' && text.ptr[i] <= '9') ||
				(text.ptr[i] >= 'A' && text.ptr[i] <= 'Z') ||
				(text.ptr[i] >= 'a' && text.ptr[i] <= 'z')))
		i++;
	return i && i < text.len && text.ptr[i] == '=';
}

/*
 * The row of the subcommand that an operand is, with its own words behind the
 * program's: "docker" then "docker compose" then "docker compose down".
 */
static bool enter_subcommand(struct parser *p, struct effects_text text)
{
	struct effects_parsed *parsed = p->parsed;
	struct bl_effects_row storage;
	const struct bl_effects_row *row;
	struct bl_str name;

	if (!effects_is_known(text))
		return false;
	name = bl_arena_printf(p->walk->arena, "%.*s %.*s",
			       BL_STR_ARG(parsed->row->name), (int)text.len,
			       text.ptr);
	row = effects_row_find(p->walk, name, &storage);
	if (!row)
		return false;
	parsed->storage[1] = *parsed->row;
	parsed->storage[0] = *row;
	parsed->row = &parsed->storage[0];
	p->has_parent = true;
	return true;
}

static void read_modes(struct parser *p)
{
	const struct bl_effects_row *row = p->parsed->row;
	struct bl_str word;
	size_t at = 0;

	p->stops = false;
	while (next_word(row->operands, &at, &word)) {
		if (bl_str_is(word, "@stop") || bl_str_is(word, "command") ||
		    bl_str_is(word, "sh..."))
			p->stops = true;
		else if (bl_str_is(word, "@single"))
			p->is_single = true;
		else if (bl_str_is(word, "@exact"))
			p->is_exact = true;
		else if (bl_str_has_prefix(word, BL_STR("@lang:")))
			p->parsed->lang = bl_str_slice(word, 6, SIZE_MAX);
	}
}

bool effects_has(const struct effects_parsed *parsed, const char *option)
{
	for (size_t i = 0; i < parsed->option_count; i++) {
		if (bl_str_is(parsed->options[i].name, option))
			return true;
	}
	return false;
}

/* One element of a row's operands. */
struct slot {
	struct bl_str role;
	struct bl_str unless; /* "/e/f" */
	struct bl_str usual;  /* behind ':' */
	bool is_many;
	bool is_optional;
};

static bool read_slot(struct bl_str token, struct slot *out)
{
	size_t end = 0;

	*out = (struct slot){ .is_many = false };
	if (token.ptr[0] == '@')
		return false;
	while (end < token.len && !strchr("./?:", token.ptr[end]))
		end++;
	out->role = bl_str_slice(token, 0, end);
	while (end < token.len) {
		if (token.ptr[end] == '.') {
			out->is_many = true;
			end++;
		} else if (token.ptr[end] == '?') {
			out->is_optional = true;
			end++;
		} else if (token.ptr[end] == ':') {
			out->usual = bl_str_slice(token, end + 1, SIZE_MAX);
			break;
		} else {
			size_t from = end++;

			while (end < token.len &&
			       !strchr("?:/", token.ptr[end]))
				end++;
			out->unless = bl_str_slice(token, from, end);
			while (end < token.len && token.ptr[end] == '/') {
				end++;
				while (end < token.len &&
				       !strchr("?:/", token.ptr[end]))
					end++;
				out->unless = bl_str_slice(token, from, end);
			}
		}
	}
	return true;
}

static bool is_left_out(const struct parser *p, const struct slot *slot)
{
	size_t at = 0;

	while (at < slot->unless.len) {
		size_t from = ++at;

		while (at < slot->unless.len && slot->unless.ptr[at] != '/')
			at++;
		for (size_t i = 0; i < p->parsed->option_count; i++) {
			if (bl_str_equal(p->parsed->options[i].name,
					 bl_str_slice(slot->unless, from, at)))
				return true;
		}
	}
	return false;
}

enum { SLOTS_MAX = 12 };

static size_t read_slots(const struct parser *p, struct slot *slots)
{
	struct bl_str word;
	size_t at = 0;
	size_t count = 0;

	while (count < SLOTS_MAX &&
	       next_word(p->parsed->row->operands, &at, &word)) {
		if (read_slot(word, &slots[count]) &&
		    !is_left_out(p, &slots[count]))
			count++;
	}
	return count;
}

/* Gives each operand its role. */
static void assign_roles(struct parser *p, const size_t *indexes, size_t count)
{
	struct slot slots[SLOTS_MAX];
	size_t slot_count = read_slots(p, slots);
	size_t needed = 0;
	size_t at = 0;

	for (size_t i = 0; i < slot_count; i++)
		needed += !slots[i].is_many && !slots[i].is_optional;
	for (size_t i = 0; i < slot_count; i++) {
		const struct slot *slot = &slots[i];
		size_t left = count - at;
		size_t take = slot->is_many ? left > needed ? left - needed : 0
			      : slot->is_optional ? left > needed
						  : left > 0;

		if (!slot->is_many && !slot->is_optional && needed)
			needed--;
		if (!take && slot->usual.len && !count)
			add_word(p, slot->role, (struct bl_str){ NULL, 0 },
				 effects_text(slot->usual), 0);
		for (size_t n = 0; n < take && at < count; n++, at++)
			add_word(p, slot->role, (struct bl_str){ NULL, 0 },
				 p->args->items[indexes[at]].text, indexes[at]);
	}
	for (; at < count; at++)
		add_word(p, BL_STR("arg"), (struct bl_str){ NULL, 0 },
			 p->args->items[indexes[at]].text, indexes[at]);
}

/*
 * How many operands stand in front of the command inside; SIZE_MAX: none is.
 * Behind -- those that may be missing are.
 */
static size_t words_before_command(const struct parser *p)
{
	struct slot slots[SLOTS_MAX];
	size_t count = read_slots(p, slots);
	size_t before = 0;

	for (size_t i = 0; i < count; i++) {
		if (bl_str_is(slots[i].role, "command") ||
		    (bl_str_is(slots[i].role, "sh") && slots[i].is_many) ||
		    bl_str_is(slots[i].role, "script"))
			return before;
		if (!bl_str_is(slots[i].role, "assign") &&
		    !(p->ended && slots[i].is_optional))
			before++;
	}
	return SIZE_MAX;
}

static void parse_words(struct parser *p)
{
	struct effects_parsed *parsed = p->parsed;
	size_t *indexes =
		bl_arena_new_array(p->walk->arena, size_t, p->args->count);
	bool has_pairs = effects_mode(parsed->row, "@dd");
	bool has_assignments = effects_mode(parsed->row, "assign...");
	size_t count = 0;

	if (!indexes)
		return;
	while (p->at < p->args->count) {
		struct effects_text text = p->args->items[p->at++].text;

		if (!p->ended && effects_is(text, "--")) {
			p->ended = true;
			continue;
		}
		if (is_option(p, text)) {
			if (is_single_option(p, text))
				long_option(p, text, 1);
			else if (text.ptr[1] == '-')
				long_option(p, text, 2);
			else
				short_options(p, text);
			continue;
		}
		if (has_pairs && pair_operand(p, text))
			continue;
		if (!count && effects_mode(parsed->row, "@sub") &&
		    enter_subcommand(p, text)) {
			read_modes(p);
			has_pairs = effects_mode(parsed->row, "@dd");
			has_assignments =
				effects_mode(parsed->row, "assign...");
			continue;
		}
		if (!count && has_assignments && is_assignment(text)) {
			add_word(p, BL_STR("assign"),
				 (struct bl_str){ NULL, 0 }, text, p->at - 1);
			continue;
		}
		effects_args_add(p->walk, &parsed->operands, text,
				 p->args->items[p->at - 1].span);
		if (count == words_before_command(p)) {
			parsed->rest = p->at - 1;
			for (; p->at < p->args->count; p->at++)
				effects_args_add(p->walk, &parsed->operands,
						 p->args->items[p->at].text,
						 p->args->items[p->at].span);
			break;
		}
		indexes[count++] = p->at - 1;
		if (p->stops && words_before_command(p) == SIZE_MAX)
			p->ended = true;
	}
	assign_roles(p, indexes, count);
}

static struct bl_str program_name(struct effects_text text)
{
	size_t at = text.len;

	while (at && text.ptr[at - 1] != '/')
		at--;
	return bl_str_slice(effects_str(text), at, SIZE_MAX);
}

/* tar xzf FILE: the first word is options though it has no dash. */
static void unbundle(struct effects_walk *walk, struct effects_parsed *parsed)
{
	struct effects_args copy = { 0 };
	struct effects_text word;
	struct effects_builder first;

	if (parsed->args.count < 2)
		return;
	word = parsed->args.items[1].text;
	if (!word.len || word.ptr[0] == '-' || !effects_is_known(word))
		return;
	/* Letters that take a word go last: their words follow. */
	effects_builder_init(&first, walk->arena, UINT32_MAX);
	effects_put(&first, "-", 1);
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] != 'f' && word.ptr[i] != 'C')
			effects_put(&first, word.ptr + i, 1);
	}
	if (memchr(word.ptr, 'f', word.len))
		effects_put(&first, "f", 1);
	for (size_t i = 0; i < parsed->args.count; i++)
		effects_args_add(walk, &copy,
				 i == 1 ? effects_built(&first)
					: parsed->args.items[i].text,
				 parsed->args.items[i].span);
	parsed->args = copy;
}

void effects_parse(struct effects_walk *walk, const struct effects_args *args,
		   struct effects_parsed *parsed)
{
	struct parser p = {
		.walk = walk, .parsed = parsed, .args = args, .at = 1
	};

	*parsed = (struct effects_parsed){ .args = *args, .rest = SIZE_MAX };
	parsed->row = find_program(walk, program_name(args->items[0].text),
				   &parsed->storage[0]);
	if (!parsed->row)
		return;
	if (parsed->row != &parsed->storage[0]) {
		parsed->storage[0] = *parsed->row;
		parsed->row = &parsed->storage[0];
	}
	if (effects_mode(parsed->row, "@bundle"))
		unbundle(walk, parsed);
	p.args = &parsed->args;
	read_modes(&p);
	parse_words(&p);
}

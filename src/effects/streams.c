/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/streams.c: what goes through pipes: input, output, and the programs
 * whose output follows from their words and input, so that text that is built,
 * encoded or turned round and then run is seen as what it is.
 *
 * `echo bHMK | base64 -d | sh`: echo prints a known text, base64 -d makes "ls\n"
 * of it with origin decoded, and sh walks that.
 */
#include "base/hex.h"
#include "effects/private.h"

struct effects_text effects_input(struct effects_walk *walk,
				  const struct effects_state *state,
				  bool *out_known)
{
	const struct effects_fd *fd = &state->fds->items[0];

	*out_known = fd->is_known;
	if (fd->is_known)
		return fd->content;
	return effects_hole(walk, BL_STR("stdin"), BL_FACT_FROM_INPUT, true);
}

/* The reads and variables whose content reaches the output of the line. */
static void mark_shown(struct effects_walk *walk, struct effects_text text)
{
	for (size_t i = 0; i + 1 < text.len; i++) {
		const struct effects_hole *hole;

		if (text.ptr[i])
			continue;
		if ((unsigned char)text.ptr[++i] < EFFECTS_HOLE)
			continue;
		hole = &walk->holes[(unsigned char)text.ptr[i] - EFFECTS_HOLE];
		if (hole->effect < walk->effect_count)
			walk->effects[hole->effect].details |= BL_FACT_IS_SHOWN;
		else if (hole->origins & BL_FACT_FROM_VARIABLE)
			effects_add_shown(walk, hole->label);
	}
}

void effects_output(struct effects_walk *walk, struct effects_state *state,
		    struct effects_text text)
{
	struct effects_sink *sink = state->fds->items[1].sink;
	uint32_t origins;

	if (!sink || !text.len)
		return;
	if (sink->is_shown) {
		mark_shown(walk, text);
		return;
	}
	origins = effects_fact_text(walk, text).origins;
	sink->sends |= origins;
	if (sink->effect < walk->effect_count)
		walk->effects[sink->effect].origins |= origins;
	if (sink->is_kept)
		effects_put_text(&sink->text, text);
	if (sink->path.ptr && effects_is_known(sink->path))
		effects_file_put(walk, effects_str(sink->path), text, true);
}

/* ---- echo and printf ---------------------------------------------------------- */

static size_t put_number(struct effects_builder *out, struct effects_text text,
			 size_t at, int base, size_t digits)
{
	int value = 0;
	size_t count = 0;
	char byte;

	while (at < text.len && count < digits) {
		int digit = bl_hex_value(text.ptr[at]);

		if (digit < 0 || digit >= base)
			break;
		value = value * base + digit;
		at++;
		count++;
	}
	/* A zero byte parts words as a newline does, for xargs -0 and read -d ''. */
	byte = value ? (char)value : '\n';
	effects_put(out, &byte, 1);
	return at;
}

/*
 * One escape behind a backslash at text.ptr[at]; the place behind it.  is_echo:
 * octal needs a leading 0 (echo -e, %b).
 */
static size_t put_escape(struct effects_builder *out, struct effects_text text,
			 size_t at, bool is_echo)
{
	static const char from[] = "abefnrtvE\\";
	static const char to[] = "\a\b\033\f\n\r\t\v\033\\";
	char c = text.ptr[at];
	const char *found = c ? strchr(from, c) : NULL;

	if (found) {
		effects_put(out, &to[found - from], 1);
		return at + 1;
	}
	if (c == 'x' || c == 'u' || c == 'U' || (c >= '0' && c <= '7'))
		out->origins |= BL_FACT_FROM_DECODED;
	if (c == 'x')
		return put_number(out, text, at + 1, 16, 2);
	if (c == 'u' || c == 'U')
		return put_number(out, text, at + 1, 16, c == 'u' ? 4 : 8);
	if (c >= '0' && c <= '7')
		return put_number(out, text, at + (is_echo && c == '0'), 8, 3);
	effects_put(out, "\\", 1);
	return at;
}

static void put_decoded(struct effects_builder *out, struct effects_text text,
			bool is_echo)
{
	size_t at = 0;

	out->origins |= text.origins;
	while (at < text.len) {
		if (text.ptr[at] == '\\' && at + 1 < text.len) {
			if (is_echo && text.ptr[at + 1] == 'c')
				return;
			at = put_escape(out, text, at + 1, is_echo);
		} else if (!text.ptr[at] && at + 1 < text.len) {
			effects_put(out, text.ptr + at, 2);
			at += 2;
		} else {
			effects_put(out, text.ptr + at++, 1);
		}
	}
}

/* -n, -e, -E and clusters of them. */
static bool is_echo_option(struct effects_text text)
{
	if (text.len < 2 || text.ptr[0] != '-')
		return false;
	for (size_t i = 1; i < text.len; i++) {
		if (!text.ptr[i] || !strchr("neE", text.ptr[i]))
			return false;
	}
	return true;
}

void effects_echo(struct effects_walk *walk, struct effects_state *state,
		  const struct effects_args *args)
{
	struct effects_builder out;
	bool has_newline = true;
	bool decodes = false;
	size_t i = 1;

	effects_builder_init(&out, walk->arena, walk->limits.content_bytes);
	for (; i < args->count && is_echo_option(args->items[i].text); i++) {
		struct effects_text text = args->items[i].text;

		for (size_t n = 1; n < text.len; n++) {
			if (text.ptr[n] == 'n')
				has_newline = false;
			else
				decodes = text.ptr[n] == 'e';
		}
	}
	for (size_t n = i; n < args->count; n++) {
		if (n > i)
			effects_put(&out, " ", 1);
		if (decodes)
			put_decoded(&out, args->items[n].text, true);
		else
			effects_put_text(&out, args->items[n].text);
	}
	if (has_newline)
		effects_put(&out, "\n", 1);
	effects_output(walk, state, effects_built(&out));
}

/* One round of a format; the next argument that is not used. */
static size_t put_format(struct effects_walk *walk, struct effects_builder *out,
			 struct effects_text format,
			 const struct effects_args *args, size_t next)
{
	size_t at = 0;

	while (at < format.len) {
		struct effects_text value = { "", 0, 0 };
		char c = format.ptr[at];

		if (c == '\\' && at + 1 < format.len) {
			at = put_escape(out, format, at + 1, false);
			continue;
		}
		if (c != '%') {
			size_t width = c || at + 1 == format.len ? 1 : 2;

			effects_put(out, format.ptr + at, width);
			at += width;
			continue;
		}
		while (++at < format.len && format.ptr[at] &&
		       strchr("-+ #0123456789.*", format.ptr[at]))
			;
		if (at >= format.len)
			break;
		c = format.ptr[at++];
		if (c == '%') {
			effects_put(out, "%", 1);
			continue;
		}
		if (next < args->count)
			value = args->items[next++].text;
		if (c == 'b')
			put_decoded(out, value, true);
		else if (c == 's' || c == 'd' || c == 'i' || c == 'u')
			effects_put_text(out, value);
		else if (c == 'c')
			effects_put_text(out, effects_cut(value, 0, 1));
		else
			effects_put_text(out, effects_hole(walk, BL_STR("%..."),
							   0, false));
	}
	return next;
}

void effects_printf(struct effects_walk *walk, struct effects_state *state,
		    const struct effects_args *args, size_t first,
		    struct effects_text *out)
{
	struct effects_builder text;
	size_t next = first + 1;
	size_t before;

	(void)state;
	effects_builder_init(&text, walk->arena, walk->limits.content_bytes);
	if (first >= args->count) {
		*out = (struct effects_text){ "", 0, 0 };
		return;
	}
	text.origins |= args->items[first].text.origins;
	do {
		before = next;
		next = put_format(walk, &text, args->items[first].text, args,
				  next);
	} while (next > before && next < args->count);
	*out = effects_built(&text);
}

/* ---- filters ------------------------------------------------------------------ */

/* A filter makes its output of a known input; false: it cannot. */
typedef bool filter(struct effects_walk *walk, const struct effects_args *args,
		    struct effects_text input, struct effects_builder *out);

static bool has_arg(const struct effects_args *args, const char *word)
{
	for (size_t i = 1; i < args->count; i++) {
		if (effects_is(args->items[i].text, word))
			return true;
	}
	return false;
}

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool decode_base64(struct effects_text input,
			  struct effects_builder *out)
{
	uint32_t bits = 0;
	int count = 0;

	for (size_t i = 0; i < input.len; i++) {
		int value = base64_value(input.ptr[i]);
		char byte;

		if (value < 0)
			continue;
		bits = bits << 6 | (uint32_t)value;
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		byte = (char)(bits >> count & 0xFF);
		if (byte)
			effects_put(out, &byte, 1);
	}
	return true;
}

static bool filter_base64(struct effects_walk *walk,
			  const struct effects_args *args,
			  struct effects_text input,
			  struct effects_builder *out)
{
	(void)walk;
	if (!has_arg(args, "-d") && !has_arg(args, "--decode") &&
	    !has_arg(args, "-D") && !has_arg(args, "-di"))
		return false;
	return decode_base64(input, out);
}

static bool filter_openssl(struct effects_walk *walk,
			   const struct effects_args *args,
			   struct effects_text input,
			   struct effects_builder *out)
{
	(void)walk;
	return has_arg(args, "-d") &&
	       (has_arg(args, "base64") || has_arg(args, "-base64") ||
		has_arg(args, "-a")) &&
	       decode_base64(input, out);
}

static bool filter_xxd(struct effects_walk *walk,
		       const struct effects_args *args,
		       struct effects_text input, struct effects_builder *out)
{
	int high = -1;

	(void)walk;
	if (!has_arg(args, "-r") && !has_arg(args, "-rp") &&
	    !has_arg(args, "-pr"))
		return false;
	for (size_t i = 0; i < input.len; i++) {
		int value = bl_hex_value(input.ptr[i]);
		char byte;

		if (value < 0)
			continue;
		if (high < 0) {
			high = value;
			continue;
		}
		byte = (char)(high * 16 + value);
		if (byte)
			effects_put(out, &byte, 1);
		high = -1;
	}
	return true;
}

static bool filter_rev(struct effects_walk *walk,
		       const struct effects_args *args,
		       struct effects_text input, struct effects_builder *out)
{
	size_t from = 0;

	(void)walk;
	(void)args;
	while (from < input.len) {
		size_t end = from;

		while (end < input.len && input.ptr[end] != '\n')
			end++;
		for (size_t i = end; i > from; i--)
			effects_put(out, input.ptr + i - 1, 1);
		if (end < input.len)
			effects_put(out, "\n", 1);
		from = end + 1;
	}
	return true;
}

static bool filter_tac(struct effects_walk *walk,
		       const struct effects_args *args,
		       struct effects_text input, struct effects_builder *out)
{
	size_t end = input.len;

	(void)walk;
	(void)args;
	while (end) {
		size_t from = end - 1;

		while (from && input.ptr[from - 1] != '\n')
			from--;
		effects_put(out, input.ptr + from, end - from);
		if (input.ptr[end - 1] != '\n')
			effects_put(out, "\n", 1);
		end = from;
	}
	return true;
}

/* The characters of a set of tr: ranges, escapes, classes of letters. */
static bool tr_set(struct effects_text text, unsigned char *set, size_t *count)
{
	static const struct {
		const char *name;
		char first, last;
	} classes[] = {
		{ "[:upper:]", 'A', 'Z' },
		{ "[:lower:]", 'a', 'z' },
		{ "[:digit:]", '0', '9' },
	};
	size_t at = 0;

	*count = 0;
	while (at < text.len && *count < 256) {
		unsigned char c = (unsigned char)text.ptr[at];
		unsigned char last = c;
		bool is_class = false;

		for (size_t i = 0; i < BL_COUNT(classes); i++) {
			if (!bl_str_has_prefix(bl_str_slice(effects_str(text),
							    at, SIZE_MAX),
					       bl_str(classes[i].name)))
				continue;
			c = (unsigned char)classes[i].first;
			last = (unsigned char)classes[i].last;
			at += strlen(classes[i].name);
			is_class = true;
		}
		if (!is_class && c == '[')
			return false;
		if (!is_class && c == '\\' && at + 1 < text.len) {
			char escape = text.ptr[at + 1];

			c = last = escape == 'n'   ? '\n'
				   : escape == 't' ? '\t'
						   : (unsigned char)escape;
			at += 2;
		} else if (!is_class && at + 2 < text.len &&
			   text.ptr[at + 1] == '-') {
			last = (unsigned char)text.ptr[at + 2];
			at += 3;
		} else if (!is_class) {
			at++;
		}
		for (; c <= last && *count < 256; c++) {
			set[(*count)++] = c;
			if (c == 255)
				break;
		}
	}
	return true;
}

static bool filter_tr(struct effects_walk *walk,
		      const struct effects_args *args,
		      struct effects_text input, struct effects_builder *out)
{
	unsigned char from[256], to[256];
	int map[256];
	size_t from_count, to_count = 0;
	bool deletes =
		args->count == 3 && effects_is(args->items[1].text, "-d");

	(void)walk;
	if (args->count != 3 || (!deletes && args->items[1].text.len &&
				 args->items[1].text.ptr[0] == '-'))
		return false;
	if (!tr_set(args->items[deletes ? 2 : 1].text, from, &from_count) ||
	    (!deletes && !tr_set(args->items[2].text, to, &to_count)) ||
	    (!deletes && !to_count))
		return false;
	for (int i = 0; i < 256; i++)
		map[i] = i;
	for (size_t i = 0; i < from_count; i++)
		map[from[i]] =
			deletes ? -1 : to[i < to_count ? i : to_count - 1];
	for (size_t i = 0; i < input.len; i++) {
		int mapped = map[(unsigned char)input.ptr[i]];
		char byte = (char)mapped;

		if (mapped > 0)
			effects_put(out, &byte, 1);
	}
	return true;
}

static bool filter_cat(struct effects_walk *walk,
		       const struct effects_args *args,
		       struct effects_text input, struct effects_builder *out)
{
	(void)walk;
	if (args->count > 1)
		return false;
	effects_put_text(out, input);
	return true;
}

/* Lines of a known text: head -n N, head -N, tail -n N, tail -N. */
static bool filter_lines(struct effects_walk *walk,
			 const struct effects_args *args,
			 struct effects_text input, struct effects_builder *out)
{
	bool is_tail = effects_is(args->items[0].text, "tail");
	size_t lines = 10;
	size_t total = 0;
	size_t line = 0;

	(void)walk;
	for (size_t i = 1; i < args->count; i++) {
		struct effects_text text = args->items[i].text;
		size_t at = text.len && text.ptr[0] == '-';

		if (effects_is(text, "-n"))
			continue;
		if (at < text.len && text.ptr[at] == 'n')
			at++;
		lines = 0;
		for (; at < text.len; at++) {
			if (text.ptr[at] < '0' || text.ptr[at] > '9')
				return false;
			lines = lines * 10 + (size_t)(text.ptr[at] - '0');
		}
	}
	for (size_t i = 0; i < input.len; i++)
		total += input.ptr[i] == '\n';
	for (size_t i = 0; i < input.len; i++) {
		bool wanted = is_tail ? line + lines >= total : line < lines;

		if (wanted)
			effects_put(out, input.ptr + i, 1);
		line += input.ptr[i] == '\n';
	}
	return true;
}

static bool filter_base32(struct effects_walk *walk,
			  const struct effects_args *args,
			  struct effects_text input,
			  struct effects_builder *out)
{
	uint32_t bits = 0;
	int count = 0;

	(void)walk;
	if (!has_arg(args, "-d") && !has_arg(args, "--decode"))
		return false;
	for (size_t i = 0; i < input.len; i++) {
		char c = input.ptr[i];
		int value = c >= 'A' && c <= 'Z'   ? c - 'A'
			    : c >= '2' && c <= '7' ? c - '2' + 26
						   : -1;
		char byte;

		if (value < 0)
			continue;
		bits = bits << 5 | (uint32_t)value;
		count += 5;
		if (count < 8)
			continue;
		count -= 8;
		byte = (char)(bits >> count & 0xFF);
		if (byte)
			effects_put(out, &byte, 1);
	}
	return true;
}

static const struct {
	const char *program;
	filter *filter;
	bool decodes; /* the output is another text than what was written */
} filters[] = {
	{ "base32", filter_base32, true },   { "base64", filter_base64, true },
	{ "cat", filter_cat, false },        { "head", filter_lines, false },
	{ "openssl", filter_openssl, true }, { "rev", filter_rev, true },
	{ "tac", filter_tac, true },         { "tail", filter_lines, false },
	{ "tr", filter_tr, true },           { "xxd", filter_xxd, true },
};

/* Only one file operand or none: the input that a filter works on. */
static bool filter_input(struct effects_walk *walk, struct effects_state *state,
			 const struct effects_args *args,
			 struct effects_args *options, struct effects_text *out)
{
	bool is_known;
	bool is_tr = effects_is(args->items[0].text, "tr");

	*out = effects_input(walk, state, &is_known);
	for (size_t i = 0; i < args->count; i++) {
		struct effects_text text = args->items[i].text;
		bool is_number =
			text.len && text.ptr[0] >= '0' && text.ptr[0] <= '9';
		struct effects_run run = { .walk = walk,
					   .state = state,
					   .inside = *state };

		if (i == 0 || is_tr || is_number || text.len == 0 ||
		    (text.ptr[0] == '-' && text.len > 1) ||
		    effects_is(args->items[0].text, "openssl")) {
			effects_args_add(walk, options, text,
					 args->items[i].span);
			continue;
		}
		*out = effects_read(&run, text);
		is_known = true;
	}
	return is_known;
}

/* cat A B: what the files hold, one behind the other. */
static bool cat_files(struct effects_walk *walk, struct effects_state *state,
		      const struct effects_args *args)
{
	struct effects_builder out;
	struct effects_run run = { .walk = walk,
				   .state = state,
				   .inside = *state };

	effects_builder_init(&out, walk->arena, walk->limits.content_bytes);
	for (size_t i = 1; i < args->count; i++) {
		struct effects_text text = args->items[i].text;

		if (text.len > 1 && text.ptr[0] == '-')
			continue;
		effects_put_text(&out, effects_read(&run, text));
	}
	effects_output(walk, state, effects_built(&out));
	return true;
}

bool effects_filter(struct effects_walk *walk, struct effects_state *state,
		    const struct effects_args *args)
{
	struct effects_args options = { 0 };
	struct effects_text input;
	struct effects_builder out;

	if (state->fds->items[1].sink && state->fds->items[1].sink->is_shown)
		return false;
	if (effects_is(args->items[0].text, "cat") && args->count > 1)
		return cat_files(walk, state, args);
	for (size_t i = 0; i < BL_COUNT(filters); i++) {
		if (!effects_is(args->items[0].text, filters[i].program))
			continue;
		if (!filter_input(walk, state, args, &options, &input) ||
		    (filters[i].decodes && !effects_is_known(input)))
			return false;
		effects_builder_init(&out, walk->arena,
				     walk->limits.content_bytes);
		if (!filters[i].filter(walk, &options, input, &out))
			return false;
		out.origins |= input.origins |
			       (filters[i].decodes ? BL_FACT_FROM_DECODED : 0);
		effects_output(walk, state, effects_built(&out));
		return true;
	}
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our engine against libre2: which patterns are valid, whether and where they
 * match, and the groups.  The fuzzer's bytes choose the pattern and the text.
 */
#include <re2/re2.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#define _Alignof alignof
extern "C" {
#include "fuzz.h"
#include "text/text.h"
}

namespace
{

struct Input {
	const uint8_t *data;
	size_t size;

	uint8_t next()
	{
		if (!size)
			return 0;
		size--;
		return *data++;
	}

	size_t below(size_t n)
	{
		return next() % n;
	}
};

const char *const atoms[] = {
	"a",
	"b",
	"c",
	"ab",
	"A",
	"k",
	"s",
	" ",
	"\n",
	"-",
	"_",
	"0",
	".",
	"\u00e9",
	"\u00df",
	"\u212a",
	"\u017f",
	"\u20ac",
	"\U0001f600",
	"\\d",
	"\\D",
	"\\w",
	"\\W",
	"\\s",
	"\\S",
	"\\b",
	"\\B",
	"^",
	"$",
	"\\A",
	"\\z",
	"\\n",
	"\\x41",
	"\\x{e9}",
	"\\101",
	"\\.",
	"\\_",
	"\\pL",
	"\\PN",
	"\\p{Lu}",
	"\\p{^Greek}",
	"\\P{^Ll}",
	"\\pZ",
	"\\p{Latin}",
	"\\Qa.b\\E",
	"\\Q",
	"\\E",
	"[ab]",
	"[^a]",
	"[a-c0]",
	"[[:alpha:]]",
	"[^[:space:]b]",
	"[[:^word:]]",
	"[\\d\\-x]",
	"[\\pL-]",
	"[]a]",
	"[^]a]",
	"[a",
	"[b-a]",
	"[[:foo:]]",
	"[\\W]",
	"[^\\S\\d]",
	"[^\\n]",
	"[\\x{100}-\\x{200}]",
	"]",
	"{",
	"}",
	"{,2}",
	"{2",
	"a{",
	"\\1",
	"\\8",
	"\\q",
	"\\Z",
	"\\pX",
	"\\p{Foo}",
	"\\x",
	"\\x{110000}",
	"\\",
	"\\07",
	"\\a",
	"\\v",
	"[\\b]",
	"[a-\\d]",
	"[\\d-z]",
	"[[:alpha:]-z]",
	"[^\\x00-\\x{10ffff}]",
	"[k-\u212a]",
	"\\P{Any}",
	"[\\PL]",
	"[^\\pL\\PN]",
};

const char *const openers[] = {
	"(",	    "(?:",     "(?i)",	 "(?i:",    "(?s)",   "(?m)",  "(?U)",
	"(?-i)",    "(?im-s:", "(?P<n>", "(?P<m1>", "(?-s:",  "(?)",   "(?-)",
	"(?i",	    "(?=",     "(?<=",	 "(?>",	    "(?P=n)", "(?#x)", "(?P<>",
	"(?P<a-b>", "(?U:",    "(?ii)",	 "(?i-i)",  "(?--i)",
};

const char *const counts[] = {
	"*",	 "+",	 "?",	   "*?",   "+?",     "??",     "{2}",
	"{0,2}", "{1,}", "{1,3}?", "{0}",  "{2,1}",  "{1001}", "{30}",
	"{40}",	 "**",	 "*+",	   "{02}", "{1000}", "{0,0}",  "{,3}",
};

const char *const texts[] = {
	"a",	  "b",	    "c",	  "A",	    "B",      "k",
	"K",	  "s",	    "S",	  "x",	    "0",      "9",
	" ",	  "\n",	    "-",	  "_",	    "ab",     "aab",
	"\u00e9", "\u00c9", "\u00df",	  "\u1e9e", "\u212a", "\u017f",
	"\u20ac", "\u03b1", "\U0001f600", ".",	    "]",      "{",
	"a.b",	  "\t",	    "\v",
};

template <typename T, size_t N> const char *pick(Input &in, T (&list)[N])
{
	return list[in.below(N)];
}

void put_pattern(Input &in, std::string &out, int depth)
{
	size_t items = 1 + in.below(4);

	while (items--) {
		size_t kind = in.below(16);

		if (kind < 9 || depth > 4) {
			out += pick(in, atoms);
		} else if (kind < 13) {
			out += in.below(3) ? openers[in.below(2)]
					   : pick(in, openers);
			put_pattern(in, out, depth + 1);
			if (in.below(24))
				out += ")";
		} else if (kind < 15) {
			out += "|";
		} else {
			out += (char)(in.next() & 0x7F);
		}
		if (in.below(3) == 0)
			out += pick(in, counts);
	}
}

std::string quoted(const std::string &s)
{
	std::string out = "\"";
	char hex[8];

	for (unsigned char c : s) {
		if (c == '"' || c == '\\' || c < 32 || c > 126) {
			snprintf(hex, sizeof hex, "\\x%02x", c);
			out += hex;
		} else {
			out += (char)c;
		}
	}
	return out + "\"";
}

struct Case {
	std::string pattern, text;
	bool trouble = false;

	void complain(const char *what)
	{
		fprintf(stderr, "%s: pattern %s text (%zu bytes) %s\n", what,
		       quoted(pattern).c_str(), text.size(),
		       quoted(text.substr(0, 60)).c_str());
		trouble = true;
	}
};

/* libre2 lets \B match between the bytes of one character. */
bool splits_character(const Case &c, const re2::StringPiece &match)
{
	size_t from = (size_t)(match.data() - c.text.data());
	size_t to = from + match.size();

	return (from < c.text.size() && (c.text[from] & 0xC0) == 0x80) ||
	       (to < c.text.size() && (c.text[to] & 0xC0) == 0x80);
}

void compare_match(Case &c, const RE2 &re2, const bl_regex *regex,
		   bl_arena *arena)
{
	size_t groups = (size_t)re2.NumberOfCapturingGroups() + 1;
	std::vector<re2::StringPiece> theirs(groups);
	std::vector<bl_span> ours(groups), first(1);
	struct bl_str text = { c.text.data(), c.text.size() };
	bool found, found_span, found_all;
	bool expected = re2.Match(c.text, 0, c.text.size(), RE2::UNANCHORED,
				  theirs.data(), (int)groups);

	if (bl_regex_group_count(regex) + 1 != groups)
		return c.complain("number of groups");
	if (bl_regex_search(regex, arena, text, 0, NULL, 0, &found) ||
	    bl_regex_search(regex, arena, text, 0, first.data(), 1,
			    &found_span) ||
	    bl_regex_search(regex, arena, text, 0, ours.data(), groups,
			    &found_all))
		return c.complain("search failed");
	if (expected && splits_character(c, theirs[0]))
		return;
	if (found != expected || found_span != expected ||
	    found_all != expected)
		return c.complain(expected ? "RE2 matches" : "RE2 does not");
	if (!expected)
		return;
	if (first[0].from != ours[0].from || first[0].to != ours[0].to)
		c.complain("span alone differs from span with groups");
	for (size_t i = 0; i < groups; i++) {
		size_t from = SIZE_MAX, to = SIZE_MAX;

		if (theirs[i].data()) {
			from = (size_t)(theirs[i].data() - c.text.data());
			to = from + theirs[i].size();
		}
		if (from != ours[i].from || to != ours[i].to) {
			fprintf(stderr, "group %zu: RE2 %zd-%zd, we %zd-%zd\n", i,
			       (ssize_t)from, (ssize_t)to,
			       (ssize_t)ours[i].from, (ssize_t)ours[i].to);
			c.complain("groups differ");
			return;
		}
	}
}

bool run_case(const uint8_t *data, size_t size)
{
	Input in = { data, size };
	Case c;
	bl_arena arena;
	bl_error err;
	const bl_regex *regex;
	RE2::Options options;
	size_t parts;

	put_pattern(in, c.pattern, 0);
	parts = in.below(12);
	while (parts--)
		c.text += pick(in, texts);
	/* Long enough for the automaton. */
	if (in.below(2) && !c.text.empty()) {
		std::string once = c.text;

		while (c.text.size() < 600)
			c.text += once;
		c.text += pick(in, texts);
	}
	options.set_log_errors(false);
	RE2 re2(c.pattern, options);
	bl_arena_init(&arena, NULL, 0, 0);
	bl_status status = bl_regex_compile(
		&arena, (struct bl_str){ c.pattern.data(), c.pattern.size() },
		BL_REGEX_RE2, &regex, NULL, &err);
	/* This libre2 takes one name for two groups; Go does not. */
	bool twice = status && strstr(err.message, "the same name");
	if (status != BL_LIMIT && !twice &&
	    re2.error_code() != RE2::ErrorPatternTooLarge) {
		if ((status == BL_OK) != re2.ok()) {
			fprintf(stderr, "RE2: %s; we: %s\n", re2.error().c_str(),
			       status ? err.message : "ok");
			c.complain("validity");
		} else if (re2.ok()) {
			compare_match(c, re2, regex, &arena);
		}
	}
	bl_arena_clear(&arena);
	return !c.trouble;
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MUST(run_case(data, size));
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions beside RE2 and PCRE2, measured in turns in one run:
 * compile, one match of a fresh program, a warm match.  Prints ns and our
 * time divided by theirs (below 1: we are faster).
 */
#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <time.h>
#include <vector>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define _Alignof alignof
extern "C" {
#include "text/text.h"
}

namespace
{

enum { ROUNDS = 15, GROUPS_MAX = 8 };

double now_ns()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct Row {
	const char *name;
	std::string pattern, text;
	size_t groups; /* spans asked for */
	bool expected;
};

struct Engine {
	virtual ~Engine() = default;
	virtual const char *name() = 0;
	virtual void compile(const Row &row) = 0;
	virtual bool match(const Row &row) = 0;
};

struct Ours : Engine {
	bl_arena arena;
	const bl_regex *regex = nullptr;
	char first[16384];

	Ours()
	{
		bl_arena_init(&arena, first, sizeof first, 0);
	}
	~Ours() override
	{
		bl_arena_clear(&arena);
	}
	const char *name() override
	{
		return "belay";
	}
	void compile(const Row &row) override
	{
		bl_arena_reset(&arena);
		if (bl_regex_compile(&arena,
				     (struct bl_str){ row.pattern.data(),
						      row.pattern.size() },
				     BL_REGEX_RE2, &regex, NULL, NULL))
			abort();
	}
	bool match(const Row &row) override
	{
		bl_span spans[GROUPS_MAX];
		bool found;

		if (bl_regex_search(
			    regex, &arena,
			    (struct bl_str){ row.text.data(), row.text.size() },
			    0, spans, row.groups, &found))
			abort();
		return found;
	}
};

struct Re2 : Engine {
	RE2 *regex = nullptr;

	~Re2() override
	{
		delete regex;
	}
	const char *name() override
	{
		return "re2";
	}
	void compile(const Row &row) override
	{
		delete regex;
		regex = new RE2(row.pattern, RE2::Quiet);
	}
	bool match(const Row &row) override
	{
		re2::StringPiece spans[GROUPS_MAX];

		return regex->Match(row.text, 0, row.text.size(),
				    RE2::UNANCHORED, spans, (int)row.groups);
	}
};

struct Pcre2 : Engine {
	bool jit;
	pcre2_code *code = nullptr;
	pcre2_match_data *data = nullptr;

	explicit Pcre2(bool use_jit) : jit(use_jit)
	{
	}
	~Pcre2() override
	{
		pcre2_match_data_free(data);
		pcre2_code_free(code);
	}
	const char *name() override
	{
		return jit ? "pcre2 jit" : "pcre2";
	}
	void compile(const Row &row) override
	{
		int error;
		PCRE2_SIZE offset;

		pcre2_match_data_free(data);
		pcre2_code_free(code);
		code = pcre2_compile((PCRE2_SPTR)row.pattern.data(),
				     row.pattern.size(), PCRE2_UTF, &error,
				     &offset, NULL);
		if (jit)
			pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
		data = pcre2_match_data_create(GROUPS_MAX, NULL);
	}
	bool match(const Row &row) override
	{
		return pcre2_match(code, (PCRE2_SPTR)row.text.data(),
				   row.text.size(), 0, 0, data, NULL) > 0;
	}
};

/* Best of the rounds; the engines take turns within each round. */
enum Phase { COMPILE, FIRST, WARM };

double once(Engine &engine, const Row &row, Phase phase, unsigned repeat)
{
	double start = now_ns();

	for (unsigned i = 0; i < repeat; i++) {
		if (phase != WARM)
			engine.compile(row);
		if (phase != COMPILE && engine.match(row) != row.expected) {
			printf("%s is wrong on %s\n", engine.name(), row.name);
			exit(1);
		}
	}
	return (now_ns() - start) / repeat;
}

void run_phase(std::vector<Engine *> &engines, const Row &row, Phase phase,
	       const char *phase_name)
{
	std::vector<double> best(engines.size(), 1e18);
	unsigned repeat = row.text.size() > 10000 && phase != COMPILE ? 1 : 200;

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < engines.size(); i++)
			best[i] = std::min(
				best[i], once(*engines[i], row, phase, repeat));
	}
	printf("%-26s %-8s", row.name, phase_name);
	for (size_t i = 0; i < engines.size(); i++)
		printf(" %10.0f", best[i]);
	for (size_t i = 1; i < engines.size(); i++)
		printf("   %6.2f", best[0] / best[i]);
	printf("\n");
	fflush(stdout);
}

std::string megabyte(const char *line)
{
	std::string text;

	while (text.size() < 1000 * 1000)
		text += line;
	return text;
}

} // namespace

int main()
{
	const char *line = "2024-05-06 12:00:01 worker[17] INFO request "
			   "/api/v1/users took 12 ms, user joe at host\n";
	const Row rows[] = {
		{ "^(Shell|Write)$", "^(Shell|Write)$", "Write", 0, true },
		{ "git push", "git push",
		  "cd /srv && git push --force origin main", 0, true },
		{ ".*", ".*", "ls -la /tmp", 0, true },
		{ "rm\\s+-rf", "rm\\s+-rf", "sudo rm  -rf /var/tmp/x", 0,
		  true },
		{ "\\bgit\\s+(push|commit)\\b", "\\bgit\\s+(push|commit)\\b",
		  "cd /srv/app && make && git status", 0, false },
		{ "^mcp__[a-z]+__.*$", "^mcp__[a-z]+__.*$",
		  "mcp__github__create_issue", 0, true },
		{ "(?i)drop\\s+table", "(?i)drop\\s+table",
		  "psql -c 'DROP TABLE users'", 0, true },
		{ "captures short", "(\\w+)@(\\w+)\\.com",
		  "mail joe@example.com now", 3, true },
		{ "1 MB, literal start", "ERROR: (\\w+)", megabyte(line), 0,
		  false },
		{ "1 MB, classes", "[a-z]+\\[\\d+\\] (WARN|ERROR)",
		  megabyte(line), 0, false },
		{ "1 MB, no start", "\\w+\\s+took\\s+\\d{4} ms", megabyte(line),
		  0, false },
		{ "1 MB, Unicode", "\\pL+\u00e9\\d", megabyte(line), 0, false },
		{ "1 MB, captures at end", "(\\w+)@(\\w+)\\.com",
		  megabyte(line) + "joe@example.com", 3, true },
	};
	Ours ours;
	Re2 re2;
	Pcre2 interpreter(false), jit(true);
	std::vector<Engine *> engines = { &ours, &re2, &interpreter, &jit };

	printf("%-26s %-8s %10s %10s %10s %10s   /re2    /pcre2   /jit\n", "ns",
	       "", "belay", "re2", "pcre2", "pcre2 jit");
	for (const Row &row : rows) {
		run_phase(engines, row, COMPILE, "compile");
		run_phase(engines, row, FIRST, "+ first");
		run_phase(engines, row, WARM, "warm");
	}
	return 0;
}

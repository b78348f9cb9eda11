/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files as people and other programs leave them, generated for
 * every agent whose file is JSON: bodies in all layouts, and what nobody should
 * touch.  Of each: registering adds ours and keeps every other byte (taking
 * back gives the text of before), twice is once, and `status` sees what the
 * agent would see.
 */
#include "tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/json.h"
#include "os/os.h"
#include "setup/setup.h"

static struct bl_arena arena;
static char folder[] = "/tmp/belay-hostile-XXXXXX";
static size_t case_count;

/* How the agents that were run read odd JSON (docs/contracts/agents.md). */
static const struct {
	const char *agent;
	enum bl_dialect_of_json json;
} measured[] = {
	{ "cursor", BL_JSON_WITH_COMMENTS },
	{ "claude", BL_JSON_STRICT },
	{ "factory", BL_JSON_WITH_COMMENTS },
	{ "codex", BL_JSON_STRICT_NO_BOM },
	{ "copilot", BL_JSON_STRICT },
	{ "gemini", BL_JSON_WITH_COMMENTS },
	{ "qwen", BL_JSON_WITH_COMMENTS },
};

/* ---- bodies --------------------------------------------------------------- */

/*
 * Members beside ours.  @E is the agent's first event, @L a list with a handler
 * of another program as the agent has it, @M a list with two of them, @O one of
 * an older belay of this agent's and another program's; @H the member that holds
 * the agent's hooks.
 */
static const struct {
	const char *what;
	const char *members; /* of the object; a line each */
	bool keeps_all;      /* taking back gives these bytes again */
} bodies[] = {
	{ "nothing", "", false },
	{ "settings",
	  "\"model\": \"m\",\n\"permissions\": {\n\"deny\": [\n"
	  "\"Read(./.env)\"\n]\n},\n\"n\": [1.50, -0, 1e+5, "
	  "12345678901234567890]",
	  true },
	{ "another program's hook", "\"@H\": {\n\"@E\": @L\n}", true },
	{ "two of them, and settings behind",
	  "\"@H\": {\n\"@E\": @M\n},\n\"z\": null", true },
	{ "an event from the future", "\"hooks\": {\n\"futureEvent\": @L\n}",
	  true },
	{ "hooks in the middle",
	  "\"a\": {},\n\"hooks\": {\n\"futureEvent\": @L,\n\"@E\": @L\n},\n"
	  "\"b\": []",
	  true },
	{ "an older belay beside another program", "\"@H\": {\n\"@E\": @O\n}",
	  false },
	{ "the key in escapes", "\"h\\u006foks\": {\n\"@E\": @L\n}", true },
	{ "letters of all kinds",
	  "\"\\u00e9\\ud83d\\ude00\": \"\xc3\xa9\xe2\x82\xac\\\\\",\n\"\": "
	  "\"\\\"}]\"",
	  true },
	{ "comments inside texts",
	  "\"url\": \"http://x/*y*/\",\n\"@H\": {\n\"@E\": @L\n},\n"
	  "\"c\": \"// no\"",
	  true },
	{ "an empty object of hooks", "\"m\": 1,\n\"@H\": {}", false },
	{ "an empty list of the event", "\"m\": 1,\n\"@H\": {\"@E\": []}",
	  false },
	{ "a value in a value in a value",
	  "\"d\": [[[[[[[[[[[[[[[[[[[[{\"hooks\": {\"@E\": "
	  "[1]}}]]]]]]]]]]]]]]]]]]"
	  "]]",
	  true },
	{ "members named as in other agents",
	  "\"PreToolUseX\": [],\n\"Hooks\": {\"@E\": 1},\n\"version \": 2",
	  true },
};

/* Texts that are left alone, for every agent. */
static const struct {
	const char *what;
	const char *text;
	size_t len; /* 0: up to the NUL */
} refused[] = {
	{ "cut off", "{\"@H\": {", 0 },
	{ "a comma too many", "{\"a\": 1,}", 0 },
	{ "a comma too many in a list", "{\"a\": [1,]}", 0 },
	{ "text behind it", "{} x", 0 },
	{ "two objects", "{}{}", 0 },
	{ "a list", "[]", 0 },
	{ "a text", "\"@H\"", 0 },
	{ "null", "null", 0 },
	{ "a number", "7", 0 },
	{ "letters that are not UTF-8", "{\"a\": \"\xff\"}", 0 },
	{ "a NUL", "{\"a\": \"\0\"}", 11 },
	{ "a NUL behind it", "{}\0", 3 },
	{ "UTF-16", "\xff\xfe{\0}\0", 6 },
	{ "two marks of the byte order", "\xef\xbb\xbf\xef\xbb\xbf{}", 0 },
	{ "a comment without end", "{} /* ", 0 },
	{ "a key without quotes", "{a: 1}", 0 },
	{ "single quotes", "{'a': 1}", 0 },
	{ "a shell's comment", "# mine\n{}", 0 },
	{ "NaN", "{\"a\": NaN}", 0 },
	{ "a line break in a text", "{\"a\": \"x\ny\"}", 0 },
	{ "hooks that are a list", "{\"@H\": []}", 0 },
	{ "hooks that are a text", "{\"@H\": \"x\"}", 0 },
	{ "hooks that are null", "{\"@H\": null}", 0 },
	{ "hooks twice", "{\"@H\": {}, \"@H\": {}}", 0 },
	{ "the event twice", "{\"@H\": {\"@E\": [], \"@E\": []}}", 0 },
	{ "another key twice, deep", "{\"a\": [{\"b\": 1, \"b\": 2}]}", 0 },
	{ "the event is an object", "{\"@H\": {\"@E\": {}}}", 0 },
	{ "the event is a text", "{\"@H\": {\"@E\": \"x\"}}", 0 },
	{ "the event is null", "{\"@H\": {\"@E\": null}}", 0 },
};

/* A handler of another program: FLAT and GROUPS. */
static const char *const handlers[][3] = {
	[BL_REGISTRATION_FLAT] = {
		"[\n{\n\"@C\": \"./other.sh\"\n}\n]",
		"[\n{ \"@C\": \"./a\", \"x\": {} },\n{\n\"@C\": \"b\"\n}\n]",
		"[\n{ \"@C\": \"'/old/belay' eval --harness @A --policy-dir "
		"x\" },\n{ \"@C\": \"b\" }\n]",
	},
	[BL_REGISTRATION_GROUPS] = {
		"[\n{\n\"matcher\": \"Bash\",\n\"hooks\": [\n{\n\"type\": "
		"\"command\",\n\"@C\": \"./other.sh\"\n}\n]\n}\n]",
		"[\n{ \"hooks\": [ { \"@C\": \"./a\" }, { \"@C\": \"b\" } ] },"
		"\n{\n\"matcher\": \"\",\n\"hooks\": []\n}\n]",
		"[\n{ \"hooks\": [ { \"@C\": \"'/old/belay' eval --harness @A "
		"--policy-dir x\" }, { \"@C\": \"b\" } ] }\n]",
	},
};

/* text with the marks of an agent filled in, in arena. */
static struct bl_str fill(const struct bl_agent *agent, struct bl_str text)
{
	const struct bl_registration *row = agent->registration;
	const char *const words[] = {
		['E' - 'A'] = row->entries[0].event,
		['H' - 'A'] = row->hooks_key ? row->hooks_key : "hooks",
		['C' - 'A'] = row->command_key ? row->command_key : "command",
		['A' - 'A'] = agent->name,
		['L' - 'A'] = handlers[row->form][0],
		['M' - 'A'] = handlers[row->form][1],
		['O' - 'A'] = handlers[row->form][2],
	};
	struct bl_buf buf;
	struct bl_str made;
	bool has_more = false;

	bl_buf_init(&buf, 0);
	for (size_t i = 0; i < text.len; i++) {
		size_t at =
			(size_t)(i + 1 < text.len ? text.ptr[i + 1] - 'A' : -1);

		if (text.ptr[i] != '@' || at >= BL_COUNT(words) || !words[at]) {
			bl_buf_put_char(&buf, text.ptr[i]);
			continue;
		}
		bl_buf_puts(&buf, words[at]);
		has_more |= strchr(words[at], '@') != NULL;
		i++;
	}
	made = bl_arena_copy_str(&arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return has_more ? fill(agent, made) : made;
}

/* ---- layouts -------------------------------------------------------------- */

/* How the lines of a body become a file. */
static const struct layout {
	const char *what;
	const char *before; /* the file */
	const char *indent; /* for each level; NULL: all on one line */
	const char *end;    /* of each line */
	const char *after;  /* the file */
	bool has_comments;
	bool has_bom;
	bool joins_ends; /* closing brackets stand behind what they close */
} layouts[] = {
	{ "two blanks", "", "  ", "\n", "\n", false, false },
	{ "four blanks, no last newline", "", "    ", "\n", "", false, false },
	{ "tabs", "", "\t", "\n", "\n", false, false },
	{ "CRLF", "", "  ", "\r\n", "\r\n", false, false },
	{ "no indentation", "", "", "\n", "\n", false, false },
	{ "one line", "", NULL, "", "\n", false, false },
	{ "one line, no newline", "", NULL, "", "", false, false },
	{ "blank lines", "\n\n", "  ", "\n\n", "\n\n\n", false, false },
	{ "blanks at the ends of lines", " ", " ", "  \n", " \t\n", false,
	  false },
	{ "a byte order mark", "\xef\xbb\xbf", "  ", "\n", "\n", false, true },
	{ "comments behind lines", "", "  ", " // it's }\n", "\n", true,
	  false },
	{ "comments between", "/* { \"a\" */\n", "  ", " /* , */\n", "// end",
	  true, false },
	{ "brackets that close on the last line", "", "\t", "\n", "\n", false,
	  false, true },
	{ "such, and comments", "// a\n", "  ", "\n", "\n", true, false, true },
	{ "a comment, CRLF", "// a\r\n", "\t", "\r\n", "\r\n", true, false },
};

static void put_line(struct bl_buf *out, const struct layout *layout,
		     struct bl_str line, int *depth)
{
	bool closes = line.ptr[0] == '}' || line.ptr[0] == ']';
	char last = line.ptr[line.len - 1];
	bool is_joined = layout->joins_ends && closes;

	*depth -= closes;
	if (is_joined)
		bl_buf_put_char(out, *depth % 2 ? ' ' : '\t');
	else if (out->len > strlen(layout->before))
		bl_buf_puts(out, layout->end);
	for (int i = 0; !is_joined && layout->indent && i < *depth; i++)
		bl_buf_puts(out, layout->indent);
	bl_buf_put_str(out, line);
	*depth += last == '{' || last == '[';
}

static struct bl_str lay_out(const struct layout *layout, struct bl_str members)
{
	struct bl_buf buf;
	struct bl_str made;
	int depth = 0;

	bl_buf_init(&buf, 0);
	bl_buf_puts(&buf, layout->before);
	if (!members.len) {
		bl_buf_puts(&buf, "{}");
	} else {
		put_line(&buf, layout, BL_STR("{"), &depth);
		for (size_t at = 0; at < members.len;) {
			size_t end = bl_str_find(members, BL_STR("\n"), at);

			put_line(&buf, layout, bl_str_slice(members, at, end),
				 &depth);
			at = end == SIZE_MAX ? members.len : end + 1;
		}
		put_line(&buf, layout, BL_STR("}"), &depth);
	}
	bl_buf_puts(&buf, layout->after);
	made = bl_arena_copy_str(&arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return made;
}

/* ---- one file ------------------------------------------------------------- */

struct subject {
	struct bl_setup setup;
	struct bl_str path;
	enum bl_dialect_of_json json;
};

static void complain(const struct subject *subject, const char *body,
		     const char *layout, const char *what, struct bl_str text)
{
	tap_failures++;
	TAP_NOTE("%s, %s, %s: %s", subject->setup.agent->name, body, layout,
		 what);
	printf("# %.*s\n", (int)(text.len < 2000 ? text.len : 2000), text.ptr);
}

static struct bl_value read_json(struct bl_str text)
{
	const struct bl_json_options options = { .allow_comments = true,
						 .allow_bom = true };
	struct bl_value value = bl_value_undefined();

	bl_json_read(&arena, text, &options, &value, NULL, NULL, NULL);
	return value;
}

/* The registration as status sees it, once the file holds text. */
static bool see(const struct subject *subject, struct bl_str text,
		struct bl_inspection *found)
{
	const struct bl_setup_places places = {
		.project = subject->setup.root,
		.home = bl_path_join(&arena, bl_str(folder), BL_STR("home")),
		.system_root =
			bl_path_join(&arena, bl_str(folder), BL_STR("root")),
	};

	return !bl_os_make_dirs(bl_path_dir(subject->path), 0755, NULL) &&
	       !bl_os_replace_cached(subject->path, text, 0644, NULL) &&
	       !bl_setup_inspect(subject->setup.agent, &places, &arena, found,
				 NULL);
}

static bool is_taken(const struct subject *subject, const char *body,
		     const struct layout *layout)
{
	/* A body without lines has no comments behind them. */
	bool has_comments = layout->has_comments &&
			    (strcmp(body, bodies[0].what) != 0 ||
			     layout->before[0] || strchr(layout->after, '/'));

	return !(has_comments && subject->json != BL_JSON_WITH_COMMENTS) &&
	       !(layout->has_bom && subject->json == BL_JSON_STRICT_NO_BOM);
}

static void check_status(const struct subject *subject, const char *body,
			 const struct layout *layout, struct bl_str text)
{
	struct bl_inspection found;
	const struct bl_registered *one;
	bool drops;

	/* A program of ours stands between, which only init makes. */
	if (subject->setup.agent->registration->script)
		return;
	if (!see(subject, text, &found) || found.count != 1) {
		complain(subject, body, layout->what, "not seen by status",
			 text);
		return;
	}
	one = &found.registered[0];
	drops = bl_str_find(one->problem, BL_STR("drops this file"), 0) !=
		SIZE_MAX;
	if (drops == is_taken(subject, body, layout))
		complain(subject, body, layout->what,
			 drops ? "status: dropped" : "status: not dropped",
			 text);
	if (!drops && one->problem.len && !one->needs_consent)
		complain(subject, body, layout->what, one->problem.ptr, text);
}

/* A file of an agent that wants a version has one. */
static struct bl_str members_of(const struct bl_agent *agent, size_t body)
{
	bool has_version =
		agent->registration->has_version && bodies[body].members[0];

	return fill(agent,
		    bl_arena_printf(&arena, "%s%s",
				    has_version ? "\"version\": 1,\n" : "",
				    bodies[body].members));
}

static void check_text(const struct subject *subject, size_t body,
		       const struct layout *layout)
{
	const char *what = bodies[body].what;
	struct bl_str members = members_of(subject->setup.agent, body);
	struct bl_str before = lay_out(layout, members);
	struct bl_str text = { NULL, 0 };
	struct bl_str again = { NULL, 0 };
	struct bl_str back = { NULL, 0 };
	struct bl_error err = { 0 };

	/* Of agents that start a program of ours, no line says whose it is. */
	if (subject->setup.agent->registration->script &&
	    strstr(bodies[body].members, "@O"))
		return;
	case_count++;
	if (!bl_value_is(read_json(before), BL_KIND_OBJECT)) {
		complain(subject, what, layout->what, "the test is wrong",
			 before);
		return;
	}
	if (bl_setup_register(&subject->setup, subject->path, before, &arena,
			      &text, &err)) {
		complain(subject, what, layout->what, err.message, before);
		return;
	}
	if (!bl_value_is(read_json(text), BL_KIND_OBJECT))
		complain(subject, what, layout->what, "broken", text);
	if (bl_setup_register(&subject->setup, subject->path, text, &arena,
			      &again, &err) ||
	    !bl_str_equal(text, again))
		complain(subject, what, layout->what, "twice is not once",
			 again);
	check_status(subject, what, layout, text);
	if (bl_setup_unregister(&subject->setup, subject->path, text, &arena,
				&back, &err))
		complain(subject, what, layout->what, err.message, text);
	else if (bodies[body].keeps_all && !bl_str_equal(back, before))
		complain(subject, what, layout->what, "not as before", back);
	else if (back.ptr &&
		 bl_str_find(back, BL_STR("eval --harness"), 0) != SIZE_MAX)
		complain(subject, what, layout->what, "not out of it", back);
}

static void check_refused(const struct subject *subject, size_t i)
{
	struct bl_str text = { refused[i].text, refused[i].len };
	struct bl_inspection found;
	struct bl_str out;
	struct bl_error err = { 0 };

	if (!text.len)
		text = fill(subject->setup.agent, bl_str(refused[i].text));
	case_count++;
	if (!bl_setup_register(&subject->setup, subject->path, text, &arena,
			       &out, &err))
		complain(subject, refused[i].what, "", "was edited", out);
	else if (!strstr(err.message, "is left alone"))
		complain(subject, refused[i].what, "", err.message, text);
	if (!see(subject, text, &found) || found.count)
		complain(subject, refused[i].what, "", "status is wrong", text);
}

/* ---- all of them ---------------------------------------------------------- */

static bool is_json(const struct bl_agent *agent)
{
	return agent->registration &&
	       (agent->registration->form == BL_REGISTRATION_FLAT ||
		agent->registration->form == BL_REGISTRATION_GROUPS) &&
	       bl_str_has_suffix(bl_str(agent->registration->files[0].project),
				 BL_STR(".json"));
}

static struct subject make_subject(const struct bl_agent *agent)
{
	struct bl_str root =
		bl_arena_printf(&arena, "%s/%s", folder, agent->name);
	struct subject subject = {
		.setup = { .agent = agent,
			   .program = BL_STR("/opt/belay"),
			   .root = root,
			   .policy_dir = bl_path_join(&arena, root,
						      BL_STR(".belay")) },
		.json = agent->registration->json,
	};

	for (size_t i = 0; i < BL_COUNT(measured); i++)
		if (!strcmp(measured[i].agent, agent->name))
			subject.json = measured[i].json;
	CHECK_STATUS(bl_setup_file(&subject.setup, &arena, &subject.path, NULL),
		     BL_OK);
	return subject;
}

static void all_layouts(void)
{
	for (size_t i = 0; bl_agents[i]; i++) {
		struct subject subject;

		if (!is_json(bl_agents[i]))
			continue;
		bl_arena_reset(&arena);
		subject = make_subject(bl_agents[i]);
		for (size_t j = 0; j < BL_COUNT(bodies); j++)
			for (size_t k = 0; k < BL_COUNT(layouts); k++)
				check_text(&subject, j, &layouts[k]);
		for (size_t j = 0; j < BL_COUNT(refused); j++)
			check_refused(&subject, j);
	}
	TAP_NOTE("%zu files", case_count);
}

/* ---- switches ------------------------------------------------------------- */

/* Members that turn hooks off, or only look so (docs/contracts/agents.md). */
static const struct {
	const char *agent;
	const char *members;
	bool is_off;
} switches[] = {
	{ "claude", "\"disableAllHooks\": true", true },
	{ "claude", "\"disableAllHooks\": false", false },
	{ "claude", "\"disableAllHooks\": \"true\"", false },
	{ "claude", "\"disableallhooks\": true", false },
	{ "claude", "\"a\": {\"disableAllHooks\": true}", false },
	{ "claude", "\"disable\\u0041llHooks\": true", true },
	{ "gemini", "\"hooksConfig\": {\"enabled\": false}", true },
	{ "gemini", "\"hooksConfig\": {\"enabled\": true}", false },
	{ "gemini", "\"hooksConfig\": false", false },
	{ "gemini", "\"hooksConfig.enabled\": false", false },
	{ "qwen", "\"disableAllHooks\": true", true },
};

static void hooks_are_switched_off(void)
{
	for (size_t i = 0; i < BL_COUNT(switches); i++) {
		const struct bl_agent *agent =
			bl_agent_find(bl_str(switches[i].agent));
		struct subject subject = make_subject(agent);
		struct bl_str before =
			lay_out(&layouts[0], bl_str(switches[i].members));
		struct bl_inspection found;
		struct bl_str text;
		struct bl_error err;
		bool is_off;

		REQUIRE(!bl_setup_register(&subject.setup, subject.path, before,
					   &arena, &text, &err));
		REQUIRE(see(&subject, text, &found) && found.count == 1);
		is_off =
			bl_str_find(found.registered[0].problem,
				    BL_STR("all hooks are off"), 0) != SIZE_MAX;
		if (is_off != switches[i].is_off)
			complain(&subject, switches[i].members, "",
				 "switch misread", text);
	}
}

int main(void)
{
	char command[sizeof(folder) + 16];

	bl_arena_init(&arena, NULL, 0, 0);
	if (!mkdtemp(folder))
		return 1;
	RUN(all_layouts);
	RUN(hooks_are_switched_off);
	bl_arena_clear(&arena);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	CHECK(!system(command));
	return tap_end();
}

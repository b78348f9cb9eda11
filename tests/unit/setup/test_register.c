/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registering: the rows of each agent; what is foreign stays, and taking
 * back gives the bytes of before.
 */
#include "tap.h"

#include "json/json.h"
#include "setup/setup.h"

static struct bl_arena arena;

static struct bl_setup make_setup(const char *agent)
{
	return (struct bl_setup){
		.agent = bl_agent_find(bl_str(agent)),
		.program = BL_STR("/opt/belay"),
		.root = BL_STR("/p"),
		.policy_dir = BL_STR("/p/.belay"),
	};
}

static struct bl_str text_of(const char *text)
{
	return bl_str(text);
}

/* The file after registering; ptr NULL: refused. */
static struct bl_str add(const struct bl_setup *setup, const char *path,
			 struct bl_str text)
{
	struct bl_str out = { NULL, 0 };
	struct bl_error err;

	if (bl_setup_register(setup, bl_str(path), text, &arena, &out, &err))
		TAP_NOTE("%s", err.message);
	return out;
}

static bool take_back(const struct bl_setup *setup, const char *path,
		      struct bl_str text, struct bl_str *out_text)
{
	struct bl_error err;

	return !bl_setup_unregister(setup, bl_str(path), text, &arena, out_text,
				    &err);
}

static struct bl_value at(struct bl_value value, const char *key)
{
	return bl_object_find(value, bl_str(key));
}

static struct bl_value read_json(struct bl_str text)
{
	const struct bl_json_options options = { .allow_comments = true };
	struct bl_value value = bl_value_undefined();

	bl_json_read(&arena, text, &options, &value, NULL, NULL, NULL);
	return value;
}

/* ---- command lines ------------------------------------------------------ */

static void commands_name_the_project(void)
{
	static const char *const commands[] = {
		"/opt/belay eval --harness cursor --policy-dir .belay",
		"/opt/belay eval --harness claude --policy-dir "
		"\"$CLAUDE_PROJECT_DIR\"/.belay",
		"/opt/belay eval --harness factory --policy-dir "
		"\"$FACTORY_PROJECT_DIR\"/.belay",
		"/opt/belay eval --harness opencode --policy-dir .belay",
	};
	struct bl_setup setup;

	for (size_t i = 0; i < BL_COUNT(commands); i++) {
		setup = make_setup(bl_agents[i]->name);
		CHECK_STR(bl_setup_command(&setup, &arena), commands[i]);
	}
	setup = make_setup("claude");
	setup.scope = BL_SCOPE_USER;
	setup.program = BL_STR("/o'p t/belay");
	setup.policy_dir = BL_STR("/home/u v/.config/belay");
	CHECK_STR(bl_setup_command(&setup, &arena),
		  "'/o'\\''p t/belay' eval --harness claude --policy-dir "
		  "'/home/u v/.config/belay'");
}

/* ---- new files ---------------------------------------------------------- */

#define CLOSING " || { echo belay gave no answer >&2; exit 2; }"

/* Before a tool Droid heeds exit status 2 alone. */
static struct bl_str registered(const struct bl_setup *setup, size_t event)
{
	bool closes =
		event == 0 && bl_str_is(bl_str(setup->agent->name), "factory");
	struct bl_str command = bl_setup_command(setup, &arena);

	return bl_arena_printf(&arena, "%.*s%s", BL_STR_ARG(command),
			       closes ? CLOSING : "");
}

static void new_files_have_all_events(void)
{
	static const struct {
		const char *agent;
		const char *path;
		const char *events[9];
	} rows[] = {
		{ "cursor",
		  "/p/.cursor/hooks.json",
		  { "beforeShellExecution", "beforeMCPExecution",
		    "beforeReadFile", "preToolUse", "afterFileEdit",
		    "beforeSubmitPrompt", "stop" } },
		{ "claude",
		  "/p/.claude/settings.json",
		  { "PreToolUse", "PreSkillShellCommand", "PostToolUse",
		    "PostToolUseFailure", "UserPromptSubmit", "SessionStart",
		    "Stop", "SubagentStop" } },
		{ "factory",
		  "/p/.factory/settings.json",
		  { "PreToolUse", "PostToolUse", "UserPromptSubmit",
		    "SessionStart", "Stop", "SubagentStop" } },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_setup setup = make_setup(rows[i].agent);
		struct bl_str text =
			add(&setup, rows[i].path, (struct bl_str){ NULL, 0 });
		struct bl_value hooks = at(read_json(text), "hooks");
		struct bl_str gone;
		size_t count = 0;

		for (; rows[i].events[count]; count++) {
			struct bl_value list = at(hooks, rows[i].events[count]);
			struct bl_value item = bl_value_item(list, 0);

			CHECK_INT(bl_value_count(list), 1);
			if (strcmp(rows[i].agent, "cursor") != 0)
				item = bl_value_item(at(item, "hooks"), 0);
			CHECK(bl_str_equal(bl_value_text(at(item, "command")),
					   registered(&setup, count)));
		}
		CHECK_INT(bl_value_count(hooks), count);
		/* once more changes nothing, and back is nothing */
		CHECK(bl_str_equal(add(&setup, rows[i].path, text), text));
		REQUIRE(take_back(&setup, rows[i].path, text, &gone));
		CHECK(!gone.ptr);
	}
}

/*
 * Claude Code goes on when its hook is missing, fails or is too slow, unless
 * the entry says onFailure (docs/contracts/agents.md "Measured").
 */
static void claude_refuses_when_belay_fails(void)
{
	static const struct {
		const char *event;
		const char *word; /* "": not said */
	} rows[] = {
		{ "PreToolUse", "block" },
		{ "PreSkillShellCommand", "block" },
		{ "PostToolUse", "" },
		{ "UserPromptSubmit", "" },
		{ "Stop", "" },
	};
	struct bl_setup setup = make_setup("claude");
	struct bl_str text = add(&setup, "/p/.claude/settings.json",
				 (struct bl_str){ NULL, 0 });
	struct bl_value hooks = at(read_json(text), "hooks");

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_value group =
			bl_value_item(at(hooks, rows[i].event), 0);
		struct bl_value handler = bl_value_item(at(group, "hooks"), 0);

		CHECK_STR(bl_value_text(at(handler, "onFailure")),
			  rows[i].word);
	}
}

static void old_cursor_gets_what_it_knows(void)
{
	struct bl_setup setup = make_setup("cursor");
	struct bl_value root;

	setup.is_old_cursor = true;
	root = read_json(add(&setup, "/p/.cursor/hooks.json",
			     (struct bl_str){ NULL, 0 }));
	CHECK_INT(bl_value_count(at(root, "hooks")), 6);
	CHECK(!bl_value_is_defined(at(at(root, "hooks"), "preToolUse")));
	CHECK(bl_value_equal(at(root, "version"), bl_value_integer(1)));
	CHECK_INT(bl_value_count(bl_value_item(
			  at(at(root, "hooks"), "beforeReadFile"), 0)),
		  1);
}

/* ---- existing files ----------------------------------------------------- */

static const struct {
	const char *agent;
	const char *path;
	const char *text;
} existing[] = {
	{ "claude", "/p/.claude/settings.json",
	  "{\n    // mine\n    \"env\": {\"A\": \"b\"},\n    \"hooks\": {\n"
	  "        \"PreToolUse\": [\n            {\"matcher\": \"Bash\", "
	  "\"hooks\": [{\"type\": \"command\", \"command\": \"x.sh\"}]}\n"
	  "        ], /* two */\n        \"Notification\": [{\"hooks\": []}]\n"
	  "    },\n    \"model\": \"m\"\n}" },
	{ "claude", "/p/.claude/settings.json",
	  "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\","
	  "\"command\":\"cupcake eval --harness claude --policy-dir "
	  "x\"}]}]}}\n" },
	{ "claude", "/p/.claude/settings.json",
	  "{\r\n\t\"model\": \"m\"\r\n}\r\n" },
	{ "cursor", "/p/.cursor/hooks.json",
	  "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { "
	  "\"command\": \"./a.sh\" } // a\n    ],\n    \"futureEvent\": [ { "
	  "\"command\": \"b\" } ]\n  }\n}\n" },
	{ "factory", "/p/.factory/hooks.json",
	  "{\n  \"PreToolUse\": [\n    {\n      \"hooks\": [\n        {\n"
	  "          \"type\": \"command\",\n          \"command\": \"y\"\n"
	  "        }\n      ]\n    }\n  ]\n}\n" },
	{ "factory", "/p/.factory/settings.json", "{ \"theme\": \"dark\" }\n" },
};

static void existing_files_come_back_byte_for_byte(void)
{
	for (size_t i = 0; i < BL_COUNT(existing); i++) {
		struct bl_setup setup = make_setup(existing[i].agent);
		struct bl_str before = text_of(existing[i].text);
		struct bl_str text = add(&setup, existing[i].path, before);
		struct bl_str back = { NULL, 0 };

		REQUIRE(text.ptr);
		CHECK(!bl_str_equal(text, before));
		CHECK(bl_value_is(read_json(text), BL_KIND_OBJECT));
		CHECK(bl_str_equal(add(&setup, existing[i].path, text), text));
		REQUIRE(take_back(&setup, existing[i].path, text, &back));
		REQUIRE(back.ptr);
		CHECK_STR(back, existing[i].text);
	}
}

static void factory_events_stand_where_the_file_has_them(void)
{
	struct bl_setup setup = make_setup("factory");
	struct bl_value top =
		read_json(add(&setup, "/p/.factory/hooks.json", BL_STR("{}")));
	struct bl_value wrapped = read_json(add(
		&setup, "/p/.factory/hooks.json", BL_STR("{\"hooks\":{}}")));

	CHECK_INT(bl_value_count(at(top, "PreToolUse")), 1);
	CHECK(!bl_value_is_defined(at(top, "hooks")));
	CHECK_INT(bl_value_count(at(at(wrapped, "hooks"), "Stop")), 1);
}

/* A program that moved, and one entry too many. */
static void stale_entries_are_mended(void)
{
	struct bl_setup setup = make_setup("claude");
	struct bl_str old = add(&setup, "/p/.claude/settings.json",
				(struct bl_str){ NULL, 0 });
	struct bl_str text;
	struct bl_value group;

	setup.program = BL_STR("/usr/bin/belay");
	text = add(&setup, "/p/.claude/settings.json", old);
	CHECK(bl_str_find(text, BL_STR("/opt/belay"), 0) == SIZE_MAX);

	text = add(&setup, "/p/.claude/settings.json",
		   BL_STR("{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":"
			  "\"/a/belay eval --harness claude --policy-dir x\"},"
			  "{\"command\":\"other\"},{\"command\":\"'/b/belay' "
			  "eval --harness claude --policy-dir y\"}]}]}}"));
	group = bl_value_item(at(at(read_json(text), "hooks"), "Stop"), 0);
	CHECK_INT(bl_value_count(at(group, "hooks")), 2);
	CHECK_STR(bl_value_text(
			  at(bl_value_item(at(group, "hooks"), 1), "command")),
		  "other");
}

static void files_of_another_shape_are_left_alone(void)
{
	static const struct {
		const char *text;
		enum bl_status status;
		const char *message;
	} rows[] = {
		{ "{\"hooks\": ", BL_SYNTAX, "line 1, column" },
		{ "[]", BL_INVALID, "it is not what it should be" },
		{ "{\"hooks\":[]}", BL_INVALID, "hooks is not" },
		{ "{\"hooks\":{\"PreToolUse\":{}}}", BL_INVALID,
		  "PreToolUse is not" },
		{ "{\"hooks\":{},\"hooks\":{}}", BL_INVALID, "twice" },
	};
	struct bl_setup setup = make_setup("claude");

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_str out;
		struct bl_error err;

		CHECK_STATUS(bl_setup_register(
				     &setup, BL_STR("/p/.claude/settings.json"),
				     bl_str(rows[i].text), &arena, &out, &err),
			     rows[i].status);
		CHECK(strstr(err.message, rows[i].message) != NULL);
		CHECK(strstr(err.message, "left alone") != NULL);
	}
}

/* ---- OpenCode ----------------------------------------------------------- */

static void a_plugin_is_a_file_of_ours(void)
{
	struct bl_setup setup = make_setup("opencode");
	const char *path = "/p/.opencode/plugins/belay.js";
	struct bl_str text = add(&setup, path, (struct bl_str){ NULL, 0 });
	struct bl_str gone = text;
	struct bl_error err;

	CHECK(bl_str_find(text, BL_STR("const PROGRAM = \"/opt/belay\"\n"),
			  0) != SIZE_MAX);
	CHECK(bl_str_find(text, BL_STR("\"--policy-dir\", \".belay\"]"), 0) !=
	      SIZE_MAX);
	REQUIRE(take_back(&setup, path, text, &gone));
	CHECK(!gone.ptr);
	CHECK_STATUS(bl_setup_register(&setup, bl_str(path),
				       BL_STR("// mine\n"), &arena, &gone,
				       &err),
		     BL_INVALID);
	CHECK(!take_back(&setup, path, BL_STR("// mine\n"), &gone));
}

/* ---- templates ---------------------------------------------------------- */

static void templates_are_filled(void)
{
	struct bl_setup setup = make_setup("cursor");
	struct bl_setup_template template;
	size_t count = 0;

	for (; bl_setup_template(&setup, count, &arena, &template); count++) {
		CHECK(template.name.len > 0);
		CHECK(bl_str_find(template.name, BL_STR("AGENT"), 0) ==
		      SIZE_MAX);
		CHECK(bl_str_find(template.text, BL_STR("AGENT"), 0) ==
		      SIZE_MAX);
		CHECK(bl_str_find(template.text, BL_STR("EVENT"), 0) ==
		      SIZE_MAX);
		if (bl_str_is(template.name, "rulebook.yml"))
			CHECK(bl_str_find(template.text,
					  BL_STR("\nlevel: standard\n"),
					  0) != SIZE_MAX);
	}
	CHECK_INT(count, 3);
}

static bool has(struct bl_str text, const char *part)
{
	return bl_str_find(text, bl_str(part), 0) != SIZE_MAX;
}

/* TOML and YAML get a block at their end, and are as before without it. */
static void blocks_come_and_go(void)
{
	static const struct {
		const char *agent;
		const char *path;
		const char *text;
		const char *part; /* NULL: it is left alone */
	} rows[] = {
		{ "kimi", "/h/.kimi-code/config.toml", "model = \"k\"\n",
		  "[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"/opt/belay "
		  "eval --harness kimi --policy-dir /p/.belay" CLOSING "\"\n" },
		{ "kimi", "/h/.kimi-code/config.toml", "model = \"k\"",
		  "model = \"k\"\n# belay init: begin\n" },
		{ "kimi", "/h/.kimi-code/config.toml",
		  "[[hooks]]\nevent = \"Stop\"\n", "event = \"Stop\"\n" },
		{ "kimi", "/h/.kimi-code/config.toml", "hooks = []\n", NULL },
		{ "hermes", "/h/.hermes/config.yaml", "model: h\n",
		  "hooks:\n  pre_tool_call:\n    - command: \"/opt/belay" },
		{ "hermes", "/h/.hermes/config.yaml", "hooks: {}\n", NULL },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_setup setup = make_setup(rows[i].agent);
		struct bl_str old = bl_str(rows[i].text);
		struct bl_str text = { NULL, 0 };
		struct bl_str gone;
		struct bl_error err;

		setup.scope = BL_SCOPE_USER;
		CHECK_STATUS(bl_setup_register(&setup, bl_str(rows[i].path),
					       old, &arena, &text, &err),
			     rows[i].part ? BL_OK : BL_INVALID);
		if (!rows[i].part)
			continue;
		CHECK(has(text, rows[i].part));
		CHECK(bl_str_equal(add(&setup, rows[i].path, text), text));
		REQUIRE(take_back(&setup, rows[i].path, text, &gone));
		CHECK(bl_str_equal(gone, old));
	}
}

/* Cline's hooks are programs; Augment's and Antigravity's name one. */
static void scripts_answer_for_themselves(void)
{
	struct bl_setup setup = make_setup("cline");
	const char *path = "/p/.clinerules/hooks/PreToolUse";
	struct bl_str text = add(&setup, path, (struct bl_str){ NULL, 0 });
	struct bl_str gone = text;
	struct bl_error err;

	CHECK_INT(bl_setup_file_count(&setup), 2);
	CHECK_INT(bl_setup_file_mode(&setup, bl_str(path)), 0755);
	CHECK(bl_str_has_prefix(text, BL_STR("#!/bin/sh\n")));
	CHECK(has(text, "\"cancel\":true"));
	CHECK(has(text, "--policy-dir \"$(dirname \"$0\")/../..\"/.belay"));
	REQUIRE(take_back(&setup, path, text, &gone));
	CHECK(!gone.ptr);
	CHECK_STATUS(bl_setup_register(&setup, bl_str(path),
				       BL_STR("#!/bin/sh\necho mine\n"), &arena,
				       &gone, &err),
		     BL_INVALID);
	/* after a tool nothing is refused: nothing answers in its place */
	CHECK(!has(add(&setup, "/p/.clinerules/hooks/PostToolUse",
		       (struct bl_str){ NULL, 0 }),
		   "cancel"));

	setup = make_setup("antigravity");
	text = add(&setup, "/p/.agents/hooks.json", BL_STR("{\"mine\": {}}\n"));
	CHECK_STR(bl_value_text(at(
			  bl_value_item(
				  at(at(read_json(text), "belay"), "Stop"), 0),
			  "command")),
		  "/p/.agents/belay-hook");
	REQUIRE(take_back(&setup, "/p/.agents/hooks.json", text, &gone));
	CHECK_STR(gone, "{\"mine\": {}}\n");
	text = add(&setup, "/p/.agents/belay-hook", (struct bl_str){ NULL, 0 });
	CHECK(has(text, "\"decision\":\"deny\""));
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(commands_name_the_project);
	RUN(new_files_have_all_events);
	RUN(claude_refuses_when_belay_fails);
	RUN(old_cursor_gets_what_it_knows);
	RUN(existing_files_come_back_byte_for_byte);
	RUN(factory_events_stand_where_the_file_has_them);
	RUN(stale_entries_are_mended);
	RUN(files_of_another_shape_are_left_alone);
	RUN(a_plugin_is_a_file_of_ours);
	RUN(blocks_come_and_go);
	RUN(scripts_answer_for_themselves);
	RUN(templates_are_filled);
	bl_arena_clear(&arena);
	return tap_end();
}

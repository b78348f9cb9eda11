/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "world.h"

/* ---- merging ------------------------------------------------------ */

static void all_sources_in_order(void)
{
	struct bl_str plugins[1];

	new_world("cursor");
	put(USER, FILE_WITH("stop", COMMAND("u1") "," COMMAND("u2")));
	put(PROJECT_2, ONE_STOP("p2"));
	put(PROJECT_1, FILE_WITH("afterFileEdit", COMMAND("p1")));
	put(TEAM, ONE_STOP("t"));
	put(ENTERPRISE, ONE_STOP("e"));
	put("plug/hooks/hooks.json", ONE_STOP("g"));
	plugins[0] = at("plug");
	options.plugins = plugins;
	options.plugin_count = 1;
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "e t p1 p2 u1 u2 g");
	CHECK_STR(findings(), "ok");
	CHECK(!strcmp(hook_of("p1")->hook_event->name, "afterFileEdit"));
	CHECK_INT(hook_of("u2")->index, 1);
	CHECK_INT(hook_of("u2")->file->source, BL_SOURCE_USER);
	CHECK(hook_of("p2")->file == file_at(PROJECT_2));
	CHECK(set.profile == options.profile);
	bl_hook_set_clear(&set);
	CHECK_INT(set.hook_count, 0);
}

/*
 * One command in two files runs twice (recorded, docs/contracts/cursor.md
 * "Sources").
 */
static void no_deduplication(void)
{
	new_world("cursor");
	put(USER, ONE_STOP("same"));
	put(PROJECT_1, ONE_STOP("same"));
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "same same");
}

static void broken_files_stop_no_other(void)
{
	new_world("cursor");
	put(ENTERPRISE, "{");
	put(PROJECT_1, "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":"
		       "\"lost\"},null]}}");
	put(PROJECT_2, "[]");
	put(USER, ONE_STOP("u"));
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "u");
	CHECK_STR(findings(), "E syntax E entry-object E config-object");
	CHECK_INT(state_of(ENTERPRISE), BL_HOOK_FILE_BROKEN);
	CHECK_INT(state_of(TEAM), BL_HOOK_FILE_MISSING);
	CHECK_INT(state_of(PROJECT_1), BL_HOOK_FILE_BROKEN);
	CHECK_INT(state_of(PROJECT_2), BL_HOOK_FILE_BROKEN);
	CHECK_INT(state_of(USER), BL_HOOK_FILE_LOADED);
	CHECK_STR(file_at(PROJECT_2)->why, "Config must be an object");
	CHECK_STR(file_at(PROJECT_1)->why,
		  "Hook script must be an object with a command property");
}

#define MIXED                                                                  \
	"{\"version\":1,\"hooks\":{\"nope\":[" COMMAND(                        \
		"n") "],"                                                      \
		     "\"stop\":[" COMMAND(                                     \
			     "a") ",null,{\"command\":5},"                     \
				  "{\"command\":\"t\",\"timeout\":0}"          \
				  "," COMMAND(                                 \
					  "b") "],"                            \
					       "\"afterFileEdit\":{},"         \
					       "\"beforeReadFile\":[" COMMAND( \
						       "c") "]}}"

static void lenient_drops_the_bad_entry_only(void)
{
	new_world("cursor");
	options.lenient = true;
	put(USER, MIXED);
	put(ENTERPRISE, MIXED);
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "a b c");
	CHECK_INT(state_of(USER), BL_HOOK_FILE_LOADED);
	/* Managed files stay strict, and the errors are as loud. */
	CHECK_INT(state_of(ENTERPRISE), BL_HOOK_FILE_BROKEN);
	CHECK_STR(findings(), "E unknown-step E entry-object E command E "
			      "timeout E step-array "
			      "E unknown-step E entry-object E command E "
			      "timeout E step-array");
	CHECK_INT(hook_of("b")->index, 4);
	put(USER, "{\"version\":0,\"hooks\":{\"stop\":[" COMMAND("x") "]}}");
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "");
	CHECK_INT(state_of(USER), BL_HOOK_FILE_BROKEN);
}

static void comments_by_profile(void)
{
	new_world("cursor");
	put(USER, "// mine\n" ONE_STOP("u"));
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "u");
	options.profile = profile("cursor-2.3");
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "");
	CHECK_INT(state_of(USER), BL_HOOK_FILE_BROKEN);
}

static void team_hooks_for_other_systems(void)
{
	new_world("cursor");
	put(TEAM, FILE_WITH("stop",
			    "{\"command\":\"w\",\"operating_systems\":["
			    "\"Windows\"]},{\"command\":\"l\","
			    "\"operating_systems\":[\"Linux\",\"Macintosh\"]},"
			    "{\"command\":\"all\",\"operating_systems\":[]},"
			    "{\"command\":\"misspelt\","
			    "\"operating_systems\":[\"linux\"]},"
			    "{\"command\":\"both\","
			    "\"operating_systems\":[\"Windows\",\"Lnux\"]}"));
	put(USER, FILE_WITH("stop", "{\"command\":\"u\",\"operating_systems\":["
				    "\"Windows\"]}"));
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "l all misspelt both u");
}

/* Why the team's record cannot be used; "" when nothing is wrong with it. */
static struct bl_str fault_of_record(void)
{
	for (size_t i = 0; i < set.file_count; i++)
		if (bl_str_is(set.files[i].path, "the team"))
			return set.files[i].why;
	return BL_STR("");
}

/* A record that the caller hands on counts, and the disk is not asked again. */
static void team_record_that_was_found(void)
{
	struct bl_team_found found = { .status = BL_INVALID,
				       .why = BL_STR("cannot be used") };

	new_world("cursor");
	options.team = &found;
	REQUIRE(load() == BL_OK);
	CHECK_STR(fault_of_record(), "cannot be used");

	put("home/.local/state/belay/team/in-force.json", "{");
	found.status = BL_NOT_FOUND;
	REQUIRE(load() == BL_OK);
	CHECK_STR(fault_of_record(), "");
	options.team = NULL;
	REQUIRE(load() == BL_OK);
	CHECK(fault_of_record().len > 0);
}

/* ---- values ------------------------------------------------------- */

static const struct bl_hook *load_entry(const char *rest)
{
	put(USER, bl_arena_printf(&arena,
				  "{\"version\":1,\"hooks\":{\"stop\":[{"
				  "\"command\":\"x\"%s}]}}",
				  rest)
			  .ptr);
	CHECK_STATUS(load(), BL_OK);
	return hook_of("x");
}

static void options_of_hooks(void)
{
	const struct bl_hook *hook;

	new_world("cursor");
	hook = load_entry("");
	REQUIRE(hook);
	CHECK_INT(hook->type, BL_HOOK_COMMAND);
	CHECK_INT(hook->timeout_ms, 60000);
	CHECK(hook->has_loop_limit && hook->loop_limit == 5);
	CHECK(!hook->fail_closed && hook->matcher.len == 0 && !hook->regex);

	hook = load_entry(",\"timeout\":2.5,\"loop_limit\":2.0,"
			  "\"failClosed\":true,\"matcher\":\"Stop\"");
	REQUIRE(hook);
	CHECK_INT(hook->timeout_ms, 2500);
	CHECK(hook->has_loop_limit && hook->loop_limit == 2);
	CHECK(hook->fail_closed && hook->regex && !hook->backtrack);
	CHECK_STR(hook->matcher, "Stop");

	hook = load_entry(",\"timeout\":1e-9,\"loop_limit\":null,"
			  "\"matcher\":\"*\"");
	REQUIRE(hook);
	CHECK_INT(hook->timeout_ms, 1);
	CHECK(!hook->has_loop_limit);
	CHECK(hook->matcher.len == 0 && !hook->regex);

	hook = load_entry(",\"timeout\":1e300,\"loop_limit\":1e300");
	REQUIRE(hook);
	CHECK_INT(hook->timeout_ms, 3600000);
	CHECK_INT(hook->loop_limit, UINT32_MAX);

	hook = load_entry(",\"matcher\":\"(?=S)Stop\"");
	REQUIRE(hook);
	CHECK(!hook->regex && hook->backtrack && !hook->needs_tools);
	bl_hook_set_clear(&set);
}

static void options_without_effect(void)
{
	const struct bl_hook *hook;

	new_world("cursor-2.3");
	hook = load_entry(",\"timeout\":2,\"loop_limit\":null,\"failClosed\":"
			  "true,\"matcher\":\"(\",\"type\":\"prompt\"");
	REQUIRE(hook);
	CHECK_INT(hook->type, BL_HOOK_COMMAND);
	CHECK_INT(hook->timeout_ms, 0);
	CHECK_INT(hook->loop_limit, 5);
	CHECK(!hook->fail_closed && hook->matcher.len == 0);
	CHECK_STR(findings(), "W no-effect W no-effect W no-effect W no-effect "
			      "W no-effect");
}

static void prompt_hooks(void)
{
	new_world("cursor");
	put(USER, FILE_WITH("stop", "{\"type\":\"prompt\",\"prompt\":\"done?\","
				    "\"model\":\"fast\"}"));
	REQUIRE(load() == BL_OK);
	REQUIRE(set.hook_count == 1);
	CHECK_INT(set.hooks[0].type, BL_HOOK_PROMPT);
	CHECK_STR(set.hooks[0].prompt, "done?");
	CHECK_STR(set.hooks[0].model, "fast");
	CHECK_STR(findings(), "W prompt-not-run");
}

/* ---- the gate ------------------------------------------------------- */

static void project_gate(void)
{
	new_world("cursor-2.3");
	put(PROJECT_1, ONE_STOP("p"));
	options.project_gate = false;
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "");
	CHECK_INT(state_of(PROJECT_1), BL_HOOK_FILE_GATED);
	CHECK_INT(state_of(PROJECT_2), BL_HOOK_FILE_MISSING);
	CHECK_STR(findings(), "N gated");
	options.profile = profile("cursor"); /* without one */
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "p");
}

/* ---- trust ---------------------------------------------------------- */

/* Trusts w1 as it is now. */
static void trust_now(enum bl_trust_mode mode)
{
	struct bl_trust_record record = { .workspace = at("w1"),
					  .mode = mode,
					  .added_ms = 1 };
	const struct bl_hook_file *file;

	REQUIRE(load() == BL_OK);
	file = file_at(PROJECT_1);
	REQUIRE(file);
	record.pins = file->pins;
	record.pin_count = file->pin_count;
	CHECK_STATUS(bl_trust_add(options.home, &record, &error), BL_OK);
}

static void check_trust(enum bl_file_state state, const char *why)
{
	const struct bl_hook_file *file;

	REQUIRE(load() == BL_OK);
	file = file_at(PROJECT_1);
	REQUIRE(file);
	if (file->state != state) {
		tap_failures++;
		TAP_NOTE("%s, not %s", bl_file_state_name(file->state),
			 bl_file_state_name(state));
	}
	CHECK_STR(file->why, why);
	CHECK(state != BL_HOOK_FILE_BROKEN || file->lost_guards == UINT64_MAX);
	bl_hook_set_clear(&set);
}

static const char *about(const char *name, const char *what)
{
	return bl_arena_printf(&arena, "%s/%s %s", place, name, what).ptr;
}

static void new_project(const char *profile_name)
{
	new_world(profile_name);
	options.trust_all = false;
	put(PROJECT_1, ONE_STOP("./guard.sh"));
	put("w1/guard.sh", "exit 0");
	put(USER, ONE_STOP("u"));
}

static void untrusted_workspace(void)
{
	new_project("cursor");
	check_trust(BL_HOOK_FILE_UNTRUSTED, "the workspace is not trusted");
	REQUIRE(load() == BL_OK);
	/* Its hooks are known, so that they can be reported. */
	CHECK_STR(commands(), "./guard.sh u");
	CHECK_STR(findings(), "W untrusted");
	REQUIRE(file_at(PROJECT_1)->pin_count == 2);
	CHECK_STR(file_at(PROJECT_1)->pins[1].path, at("w1/guard.sh").ptr);
	put(PROJECT_1, "{");
	REQUIRE(load() == BL_OK);
	CHECK_INT(state_of(PROJECT_1), BL_HOOK_FILE_BROKEN);
}

static void trusted_workspace(void)
{
	for (size_t i = 0; i < BL_COUNT(profile_names); i++) {
		new_project(profile_names[i]);
		trust_now(BL_TRUST_PINNED);
		check_trust(BL_HOOK_FILE_LOADED, "");
		bl_trust_remove(options.home, at("w1"), &error);
		check_trust(BL_HOOK_FILE_UNTRUSTED,
			    "the workspace is not trusted");
	}
}

static void changes_make_it_wait(void)
{
	new_project("cursor");
	trust_now(BL_TRUST_PINNED);
	put("w1/guard.sh", "exit 1");
	check_trust(BL_HOOK_FILE_CHANGED,
		    about("w1/guard.sh", "changed since it was trusted"));
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "./guard.sh u");
	REQUIRE(!unlink("w1/guard.sh"));
	check_trust(BL_HOOK_FILE_CHANGED,
		    about("w1/guard.sh", "is gone since it was trusted"));
	put("w1/guard.sh", "exit 0");
	check_trust(BL_HOOK_FILE_LOADED, "");
	put(PROJECT_1, ONE_STOP("./guard.sh ./more.sh"));
	check_trust(BL_HOOK_FILE_CHANGED,
		    about(PROJECT_1, "changed since it was trusted"));
	trust_now(BL_TRUST_PINNED);
	check_trust(BL_HOOK_FILE_LOADED, "");
	put("w1/more.sh", "");
	check_trust(BL_HOOK_FILE_CHANGED,
		    about("w1/more.sh", "appeared since it was trusted"));
}

/* Breaking or removing a trusted file does not get rid of its hooks. */
static void loss_is_a_change(void)
{
	new_project("cursor");
	trust_now(BL_TRUST_PINNED);
	put(PROJECT_1, "{");
	check_trust(BL_HOOK_FILE_CHANGED,
		    about(PROJECT_1, "changed since it was trusted"));
	REQUIRE(!unlink(PROJECT_1));
	check_trust(BL_HOOK_FILE_CHANGED,
		    about(PROJECT_1, "is gone since it was trusted"));
	/* Nobody knows what it holds: it may have guarded every event. */
	REQUIRE(!mkdir(PROJECT_1, 0755));
	check_trust(BL_HOOK_FILE_BROKEN, "It is not a regular file");
	REQUIRE(!rmdir(PROJECT_1) && !symlink("../guard.sh", PROJECT_1));
	check_trust(BL_HOOK_FILE_BROKEN,
		    "The file or its folder is a symbolic link");
}

static void folder_trust(void)
{
	new_project("cursor");
	trust_now(BL_TRUST_FOLDER);
	put("w1/guard.sh", "exit 1");
	put(PROJECT_1, ONE_STOP("other"));
	check_trust(BL_HOOK_FILE_LOADED, "");
	REQUIRE(!unlink(PROJECT_1));
	check_trust(BL_HOOK_FILE_MISSING, "");
}

/* A file that cannot be compared does not count as unchanged. */
static void scripts_that_cannot_be_pinned(void)
{
	new_project("cursor");
	REQUIRE(!truncate("w1/guard.sh", BL_TRUST_MAX_PIN_BYTES));
	trust_now(BL_TRUST_PINNED);
	REQUIRE(!truncate("w1/guard.sh", BL_TRUST_MAX_PIN_BYTES + 1));
	REQUIRE(load() == BL_OK);
	CHECK_INT(state_of(PROJECT_1), BL_HOOK_FILE_CHANGED);
	CHECK(bl_str_find(file_at(PROJECT_1)->why, BL_STR("guard.sh"), 0) !=
	      SIZE_MAX);
}

static void broken_store(void)
{
	new_project("cursor");
	put("home/.config/belay/trust.json", "{}");
	CHECK_STATUS(load(), BL_INVALID);
	CHECK_STATUS(error.status, BL_INVALID);
	CHECK(strstr(error.message, "trust.json"));
	/* It concerns projects only. */
	options.workspace_count = 0;
	CHECK_STATUS(load(), BL_OK);
	CHECK_STR(commands(), "u");
	options.workspace_count = 2;
	options.trust_all = true;
	CHECK_STATUS(load(), BL_OK);
}

/* ---- limits --------------------------------------------------------- */

static void put_many(const char *name, int count)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "{\"version\":1,\"hooks\":{\"stop\":[");
	for (int i = 0; i < count; i++)
		bl_buf_printf(&text, "%s{\"command\":\"c%d\"}", i ? "," : "",
			      i);
	bl_buf_puts(&text, "]}}");
	put_bytes(name, bl_buf_str(&text));
	bl_buf_clear(&text);
}

static void hooks_of_one_step(void)
{
	new_world("cursor");
	put_many(PROJECT_1, 200);
	put_many(PROJECT_2, 56);
	CHECK_STATUS(load(), BL_OK);
	CHECK_INT(set.hook_count, 256);
	put(USER, ONE_STOP("u"));
	CHECK_STATUS(load(), BL_LIMIT);
	CHECK(strstr(error.message, "stop"));
	/* Workspaces that are not trusted do not lock anybody out. */
	options.trust_all = false;
	CHECK_STATUS(load(), BL_OK);
	CHECK_INT(set.hook_count, 257);
}

static void small_arena(void)
{
	struct bl_arena small;
	struct bl_hook_set mine;
	enum bl_status status = BL_LIMIT;

	new_world("cursor");
	put(USER, FILE_WITH("stop", COMMAND("a") ",{\"command\":\"b\","
						 "\"matcher\":\"(?=S)S\"}"));
	for (size_t bytes = 1024; bytes < (1 << 22) && status != BL_OK;
	     bytes += bytes / 4) {
		bl_arena_init(&small, NULL, 0, bytes);
		status = bl_hook_set_load(&options, &small, &mine, &error);
		if (status == BL_OK)
			bl_hook_set_clear(&mine);
		else
			CHECK_STATUS(status, BL_LIMIT);
		bl_arena_clear(&small);
	}
	CHECK_STATUS(status, BL_OK);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(all_sources_in_order);
	RUN(no_deduplication);
	RUN(broken_files_stop_no_other);
	RUN(lenient_drops_the_bad_entry_only);
	RUN(comments_by_profile);
	RUN(team_hooks_for_other_systems);
	RUN(team_record_that_was_found);
	RUN(options_of_hooks);
	RUN(options_without_effect);
	RUN(prompt_hooks);
	RUN(project_gate);
	RUN(untrusted_workspace);
	RUN(trusted_workspace);
	RUN(changes_make_it_wait);
	RUN(loss_is_a_change);
	RUN(folder_trust);
	RUN(scripts_that_cannot_be_pinned);
	RUN(broken_store);
	RUN(hooks_of_one_step);
	RUN(small_arena);
	place_close();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts that commands run (docs/contracts/cupcake.md "Scripts",
 * "Behaviours").
 */
#include "world.h"

/* The path of the script that is shown for a command; "" for none. */
static struct bl_str seen(const char *command)
{
	char input[512];

	snprintf(input, sizeof(input),
		 "{\"belay\":{\"tool\":{\"shell\":{\"command\":\"%s\"}}}}",
		 command);
	world_decide("E", "tool.before", "Bash", "shell", input);
	return bl_value_text(
		bl_object_find(report.input, BL_STR("executed_script_path")));
}

static void begin(const char *rulebook)
{
	static const char *const files[] = {
		"deploy.sh", "scripts/build.sh", "s.py",    "server.js",
		"s.rb",      "configure",        "gradlew",
	};

	world_begin();
	for (size_t i = 0; i < BL_COUNT(files); i++)
		world_file(files[i], "rm -rf .cupcake\n");
	world_file(".belay/rulebook.yml", rulebook);
	world_policy("p", "#     required_events: [E]\n",
		     "deny contains \"hidden\" if "
		     "contains(input.executed_script_content, \"rm -rf\")\n");
	world_load();
}

static void detected(void)
{
	static const char *const rows[][2] = {
		{ "./deploy.sh", "deploy.sh" },
		{ "./scripts/build.sh --prod", "scripts/build.sh" },
		{ "bash deploy.sh", "deploy.sh" },
		{ "sh -x deploy.sh", "deploy.sh" },
		{ "bash -e 'deploy.sh'", "deploy.sh" },
		{ "python3 s.py", "s.py" },
		{ "python -u s.py", "s.py" },
		{ "node server.js", "server.js" },
		{ "/usr/bin/ruby s.rb", "s.rb" },
		{ "./configure", "configure" },
		{ "./gradlew build", "gradlew" },
	};

	begin("preprocess: {scripts: true}\n");
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_str path = seen(rows[i][0]);

		if (!bl_str_has_suffix(path, bl_str(rows[i][1]))) {
			tap_failures++;
			TAP_NOTE("%s: %.*s", rows[i][0], BL_STR_ARG(path));
		}
		CHECK_STR(verb(), "deny");
	}
}

static void not_detected(void)
{
	static const char *const rows[] = {
		"rm -rf test",
		"ls -la",
		"git commit",
		"bash -c 'deploy.sh'",
		"",
		"bash",
		"python",
		"./missing.sh",
	};

	begin("preprocess: {scripts: true}\n");
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		CHECK_STR(seen(rows[i]), "");
		CHECK_STR(verb(), "none");
	}
}

static void off_unless_asked(void)
{
	begin("");
	CHECK_STR(seen("./deploy.sh"), "");
	CHECK_STR(verb(), "none");
}

/* A script that cannot be read is not a harmless one. */
static void unreadable(void)
{
	begin("preprocess: {scripts: true}\n");
	world_file("bad.sh", "\xff\xfe");
	seen("./bad.sh");
	CHECK_STR(verb(), "deny");
	CHECK(has_text(report.decision.user_message,
		       "cannot be inspected: it is not UTF-8"));
}

int main(void)
{
	RUN(detected);
	RUN(not_detected);
	RUN(off_unless_asked);
	RUN(unreadable);
	world_end();
	return tap_end();
}

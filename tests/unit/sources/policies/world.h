/* SPDX-License-Identifier: Apache-2.0 */
/* A policy directory for a test: files, loading, one event. */
#ifndef BELAY_TESTS_POLICY_WORLD_H
#define BELAY_TESTS_POLICY_WORLD_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/json.h"
#include "os/os.h"
#include "sources/policies/policies.h"
#include "tap.h"

static char world[64]; /* the folder of this program */
static struct bl_arena arena;
static struct bl_error error;
static struct bl_diags diags;
static const struct bl_policy_set *set;
static struct bl_policy_report report;
static struct bl_policy_load_options world_options;
static struct bl_str world_home; /* of who decides; empty: of this user */
static struct bl_policy_cache world_images;

static void world_path(char *out, size_t size, const char *name)
{
	snprintf(out, size, "%s/%s", world, name);
}

static void world_remove(void)
{
	char command[128];

	if (chdir("/"))
		abort();
	snprintf(command, sizeof(command), "rm -rf '%s'", world);
	if (world[0] && system(command))
		printf("# cannot remove %s\n", world);
}

/* An empty folder and an empty arena, for the next test. */
static void world_begin(void)
{
	world_remove();
	snprintf(world, sizeof(world), "/tmp/belay-policy-XXXXXX");
	if (!mkdtemp(world))
		abort();
	bl_arena_clear(&arena);
	bl_arena_init(&arena, NULL, 0, 0);
	bl_diags_init(&diags, &arena);
	set = NULL;
	memset(&error, 0, sizeof(error));
}

static void world_end(void)
{
	world_remove();
	bl_arena_clear(&arena);
}

static __attribute__((unused)) void world_file(const char *name,
					       const char *text)
{
	char path[512];
	struct bl_str dir;

	world_path(path, sizeof(path), name);
	dir = bl_path_dir(bl_str(path));
	if (bl_os_make_dirs(dir, 0755, NULL) ||
	    bl_os_replace_file(bl_str(path), bl_str(text), 0644, &error)) {
		printf("# cannot write %s: %s\n", path, error.message);
		abort();
	}
}

static __attribute__((unused)) void world_program(const char *name,
						  const char *text)
{
	char path[512];

	world_file(name, text);
	world_path(path, sizeof(path), name);
	if (chmod(path, 0755))
		abort();
}

/* A policy of policies/test/NAME.rego: its routing and its rules. */
static __attribute__((unused)) void
world_policy(const char *name, const char *routing, const char *rules)
{
	char path[256];
	char text[8192];

	snprintf(path, sizeof(path), ".belay/policies/test/%s.rego", name);
	snprintf(text, sizeof(text),
		 "# METADATA\n# scope: package\n# custom:\n#   routing:\n%s"
		 "package cupcake.policies.%s\n\nimport rego.v1\n\n%s\n",
		 routing, name, rules);
	world_file(path, text);
}

/* With images from now on.  Files just written must settle first. */
static __attribute__((unused)) void world_cache(void)
{
	char path[512];

	world_path(path, sizeof(path), "cache");
	world_images = (struct bl_policy_cache){
		.dir = bl_arena_copy_str(&arena, bl_str(path)),
		.compiler = BL_STR("/proc/self/exe"),
	};
	world_options.cache = &world_images;
	usleep(30000);
}

static const char *world_agent_at(size_t index)
{
	static const char *const names[] = { "test", "one", "two", NULL };

	return names[index];
}

static __attribute__((unused)) void world_load(void)
{
	static const char *const folders[] = {
		[BL_POLICY_TEAM] = "team",
		[BL_POLICY_GLOBAL] = "global",
		[BL_POLICY_PROJECT] = ".belay",
	};
	struct stat info;

	world_options = (struct bl_policy_load_options){
		.agent = BL_STR("test"),
		.agent_at = world_agent_at,
	};
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		char path[512];

		world_path(path, sizeof(path), folders[i]);
		if (i == BL_POLICY_PROJECT || !stat(path, &info))
			world_options.places[i].path =
				bl_arena_copy_str(&arena, bl_str(path));
	}
#ifdef WORLD_IMAGE
	world_cache();
#endif
	CHECK_STATUS(
		bl_policy_load(&world_options, &arena, &diags, &set, &error),
		BL_OK);
}

static __attribute__((unused)) struct bl_value world_json(const char *text)
{
	struct bl_value value;
	struct bl_str copy = bl_arena_copy_str(&arena, bl_str(text));

	if (bl_json_read(&arena, copy, NULL, &value, NULL, NULL, &error)) {
		printf("# not JSON: %s: %s\n", error.message, text);
		abort();
	}
	return value;
}

/* The decision on an event: NAME, its neutral name, tool, kind, input. */
static __attribute__((unused)) void
world_decide(const char *name, const char *canonical, const char *tool,
	     const char *kind, const char *input)
{
	/* These tests are about directories, not about the packs. */
	struct bl_policy_options deciding = { .host.now_ns = 1,
					      .no_guard = true,
					      .home = world_home };
	struct bl_value value = world_json(input);
	struct bl_policy_event event = {
		.name = bl_str(name),
		.canonical = bl_str(canonical),
		.tool = bl_str(tool),
		.tool_kind = bl_str(kind),
		.class = BL_CLASS_PERMISSION,
		.input = value,
		.belay = bl_object_find(value, BL_STR("belay")),
		.cwd = bl_str(world),
	};

	if (!strcmp(canonical, "prompt"))
		event.class = BL_CLASS_PROMPT;
	else if (strcmp(canonical, "tool.before") != 0)
		event.class = BL_CLASS_OBSERVE;
#ifdef WORLD_IMAGE
	/* Only sound directories have images. */
	CHECK_STATUS(
		bl_policy_open(&world_options, &event, &arena, &set, &error),
		diags.error_count ? BL_NOT_FOUND : BL_OK);
#endif
	CHECK_STATUS(bl_policy_decide(set, &event, &deciding, &arena, &report,
				      &error),
		     BL_OK);
}

/* The verb of the report, "none" when nothing was said. */
static __attribute__((unused)) struct bl_str verb(void)
{
	return bl_str(
		report.decision.verdict == BL_VERDICT_NONE
			? "none"
			: bl_verb_name(bl_decision_verb(&report.decision)));
}

static __attribute__((unused)) bool has_text(struct bl_str text,
					     const char *part)
{
	return bl_str_find(text, bl_str(part), 0) != SIZE_MAX;
}

/* Is there a finding with this code? */
static __attribute__((unused)) bool has_code(const char *code)
{
	for (const struct bl_diag *diag = diags.first; diag; diag = diag->next)
		if (!strcmp(diag->code, code))
			return true;
	return false;
}

static __attribute__((unused)) void print_diags(void)
{
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_diags_print(&diags, false, &out);
	printf("# %s\n", out.ptr);
	bl_buf_clear(&out);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a command line: the walk ends, every fact is whole, its places lie
 * in the line, and the facts can be written as JSON.
 */
#include "effects/effects.h"
#include "fuzz.h"
#include "json/json.h"

enum { ARENA_BYTES_MAX = 256 << 20 };

static enum bl_effects_file look(void *context, struct bl_str path)
{
	(void)context;
	MUST(path.len && path.ptr[0] == '/' && !path.ptr[path.len]);
	return path.len % 3 ? BL_EFFECTS_FILE_FOLDER : BL_EFFECTS_FILE_LINK;
}

static struct bl_str follow(void *context, struct bl_arena *arena,
			    struct bl_str path)
{
	(void)context;
	(void)arena;
	(void)path;
	return BL_STR("../a");
}

static bool list(void *context, struct bl_arena *arena, struct bl_str path,
		 size_t max, const struct bl_str **out_names, size_t *out_count)
{
	static const struct bl_str names[] = { { "a", 1 }, { ".env", 4 } };

	(void)context;
	(void)arena;
	(void)path;
	MUST(max >= 2);
	*out_names = names;
	*out_count = 2;
	return true;
}

/* Scripts, recipes and settings that lead on. */
static struct bl_str read_file(void *context, struct bl_arena *arena,
			       struct bl_str path, size_t max)
{
	(void)context;
	(void)arena;
	(void)max;
	if (bl_str_has_suffix(path, BL_STR("config")))
		return BL_STR("[alias]\nx = !sh -c 'git y'\ny = x\n");
	if (bl_str_has_suffix(path, BL_STR("akefile")))
		return BL_STR("a: b\n\trm $(X)\nb: a\n\tmake a\n");
	return BL_STR("#!/bin/sh\n. ./a \"$@\"; npm run a; $0\n");
}

static const struct bl_effects_world world = { NULL, look, follow, list,
					       read_file };

static void check_span(struct bl_shell_span span, size_t size)
{
	MUST(span.start <= span.end && span.end <= size);
}

static void check_facts(const struct bl_facts *facts, size_t size)
{
	for (size_t i = 0; i < facts->command_count; i++) {
		check_span(facts->commands[i].span, size);
		MUST(facts->commands[i].argc);
	}
	for (size_t i = 0; i < facts->effect_count; i++) {
		const struct bl_fact_effect *effect = &facts->effects[i];

		check_span(effect->span, size);
		MUST(effect->kind < BL_FACT_KIND_COUNT);
		MUST(effect->command == UINT32_MAX ||
		     effect->command < facts->command_count);
	}
	for (size_t i = 0; i < facts->opaque_count; i++)
		check_span(facts->opaque[i].span, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct bl_str workspace = { "/w", 2 };
	struct bl_effects_input input = {
		.line = { (const char *)data, size },
		.cwd = BL_STR("/w"),
		.home = BL_STR("/home/me"),
		.workspaces = &workspace,
		.workspace_count = 1,
		.world = &world,
		.limits = { .steps = 4096, .commands = 1024 },
	};
	struct bl_facts facts;
	struct bl_arena arena;
	struct bl_buf out;

	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	bl_buf_init(&out, 0);
	if (!bl_effects_find(&arena, &input, &facts, NULL)) {
		check_facts(&facts, size);
		bl_json_write(&out, bl_effects_encode(&arena, &facts),
			      BL_JSON_COMPACT);
		MUST(!bl_buf_status(&out));
	}
	bl_buf_clear(&out);
	bl_arena_clear(&arena);
	return 0;
}

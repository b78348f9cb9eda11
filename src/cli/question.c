/* SPDX-License-Identifier: Apache-2.0 */
/* question.c: what belay check and belay scan ask policies. */
#include "cli/question.h"

#include "json/json.h"
#include "os/os.h"

/* "server/tool" as Claude Code calls it: mcp__server__tool. */
static struct bl_str mcp_name(struct bl_arena *arena, struct bl_str text)
{
	size_t slash = bl_str_find(text, BL_STR("/"), 0);
	struct bl_str server = bl_str_slice(text, 0, slash);
	struct bl_str tool = slash == SIZE_MAX
				     ? BL_STR("tool")
				     : bl_str_slice(text, slash + 1, SIZE_MAX);

	return bl_arena_printf(arena, "mcp__%.*s__%.*s", BL_STR_ARG(server),
			       BL_STR_ARG(tool));
}

static void add_text(struct bl_object_builder *to, const char *name,
		     struct bl_str text)
{
	bl_object_builder_add(to, bl_str(name), bl_value_string(text));
}

enum bl_status cli_question_payload(struct bl_arena *arena,
				    const struct cli_question *question,
				    struct bl_str cwd, struct bl_str *out_text,
				    struct bl_error *err)
{
	struct bl_object_builder event;
	struct bl_object_builder input;
	struct bl_buf text;

	bl_object_builder_init(&event, arena);
	bl_object_builder_init(&input, arena);
	add_text(&input, question->field, question->text);
	/* The fields by which the agent is known. */
	add_text(&event, "session_id", BL_STR("check"));
	add_text(&event, "transcript_path", BL_STR("/dev/null"));
	add_text(&event, "hook_event_name", BL_STR("PreToolUse"));
	add_text(&event, "tool_name",
		 question->tool ? bl_str(question->tool)
				: mcp_name(arena, question->text));
	bl_object_builder_add(&event, BL_STR("tool_input"),
			      bl_object_builder_end(&input));
	add_text(&event, "cwd", cwd);
	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_object_builder_end(&event), BL_JSON_COMPACT);
	*out_text = bl_arena_copy_str(arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return out_text->ptr ? BL_OK : bl_arena_fail(arena, err);
}

/* The policies of the folder, or of the nearest one above it that has some. */
static struct bl_str find_policies(struct cli *cli, struct bl_str folder)
{
	for (;;) {
		struct bl_str found = bl_policy_dir_of(folder, &cli->arena);

		if (found.ptr || folder.len <= 1)
			return found;
		folder = bl_path_dir(folder);
	}
}

enum bl_status cli_question_engine(struct cli *cli, size_t level_option,
				   struct bl_str cwd,
				   struct bl_engine **out_engine,
				   struct bl_error *err)
{
	const struct cli_question any = { "Bash", "command", BL_STR("") };
	struct bl_str level = cli_value(cli, level_option);
	struct bl_engine_options setup;
	struct bl_engine_policies *policies = &setup.policies;
	struct bl_str payload;
	enum bl_status status =
		cli_question_payload(&cli->arena, &any, cwd, &payload, err);

	if (!status)
		status = cli_policy_setup(cli, payload, &setup, err);
	if (status)
		return status;
	setup.no_journal = true;
	if (!policies->dir.len)
		policies->dir = find_policies(cli, cwd);
	if (!policies->dir.len)
		policies->options.level = BL_LEVEL_STANDARD;
	if (level.ptr && !bl_level_parse(level, &policies->options.level))
		return bl_fail(err, BL_USAGE,
			       "--level is off, relaxed, standard or strict");
	return bl_engine_new(&setup, out_engine, err);
}

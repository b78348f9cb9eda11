/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect_text.c: registrations that are texts of ours (plugin.c), as they
 * stand in the agent's folders: which program they start, with which policies.
 */
#include "json/json.h"
#include "os/os.h"
#include "setup/private.h"

/* The JSON string behind a mark in the text; empty: not there. */
static struct bl_str string_after(const struct setup_view *view,
				  struct bl_str text, const char *mark)
{
	size_t at = bl_str_find(text, bl_str(mark), 0);
	struct bl_value value;
	size_t end;

	if (at == SIZE_MAX)
		return BL_STR("");
	at += strlen(mark);
	for (end = at + 1; end < text.len && text.ptr[end] != '"'; end++)
		end += text.ptr[end] == '\\';
	if (end >= text.len ||
	    bl_json_read(view->arena, bl_str_slice(text, at, end + 1), NULL,
			 &value, NULL, NULL, NULL))
		return BL_STR("");
	return bl_value_text(value);
}

/* The line that a text of that program and those policies amounts to. */
static struct bl_str make_command(const struct setup_view *view,
				  struct bl_str program, struct bl_str dir)
{
	struct bl_buf command;
	struct bl_str text;

	bl_buf_init(&command, 0);
	bl_setup_put_word(&command, program);
	bl_buf_printf(&command, " eval --harness %s --policy-dir ",
		      view->agent->name);
	bl_setup_put_word(&command, dir);
	text = bl_arena_copy_str(view->arena, bl_buf_str(&command));
	bl_buf_clear(&command);
	return text;
}

/* Takes the program and the policies that a command line of ours names. */
static void take_line(const struct setup_view *view, struct bl_str line,
		      struct bl_registered *one)
{
	static const char *const names[] = { "belay", "cupcake" };
	struct setup_call call;

	for (size_t i = 0; i < BL_COUNT(names); i++) {
		if (!bl_setup_read_call(line, bl_str(names[i]),
					view->agent->name, view->arena, &call))
			continue;
		one->program = call.program;
		one->policy_dir = call.policy_dir_text;
		return;
	}
}

/* Where a block or a plugin has its command line. */
static const char *const command_marks[] = { "\"command\": ", "command = ",
					     "command: " };

static void take_text(const struct setup_view *view, struct bl_str text,
		      struct bl_registered *one)
{
	one->program = string_after(view, text, "const PROGRAM = ");
	one->policy_dir = string_after(view, text, "\"--policy-dir\", ");
	one->command = make_command(view, one->program, one->policy_dir);
	for (size_t i = 0; i < BL_COUNT(command_marks) && !one->program.len;
	     i++) {
		one->command = string_after(view, text, command_marks[i]);
		take_line(view, one->command, one);
	}
}

/* A script is run by its path, if its bits let it. */
static void take_script(const struct setup_view *view, struct bl_str text,
			struct bl_registered *one)
{
	struct bl_buf command;

	bl_buf_init(&command, 0);
	bl_setup_put_word(&command, one->file);
	one->command = bl_arena_copy_str(view->arena, bl_buf_str(&command));
	bl_buf_clear(&command);
	take_line(view, bl_setup_script_line(text), one);
	if (!bl_setup_can_run(one->file))
		bl_setup_set_problem(one,
				     BL_STR("the script is not executable"),
				     BL_STR("chmod +x it"));
}

void bl_setup_inspect_text(struct setup_view *view, enum bl_scope scope,
			   struct bl_str path, struct bl_str text)
{
	const struct bl_registration *agent = view->agent->registration;
	struct bl_registered *one;

	if (agent->form == BL_REGISTRATION_BLOCK)
		text = bl_setup_block(text);
	else if (!bl_setup_is_our_file(agent, path, text))
		return;
	one = text.ptr ? bl_setup_add_registered(view, scope, path) : NULL;
	if (!one)
		return;
	one->events = 1;
	if (bl_setup_script_entry(agent, path))
		take_script(view, text, one);
	else
		take_text(view, text, one);
	if (!one->program.len)
		bl_setup_set_problem(one,
				     BL_STR("the plugin was changed: it does "
					    "not name its program"),
				     BL_STR("belay init"));
}

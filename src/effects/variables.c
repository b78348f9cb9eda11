/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/variables.c: environment variables that the line sets and that make a
 * program run something (variables.def).  Values that the environment had before the
 * line are not the line's doing.
 */
#include "effects/private.h"

enum way { TEXT, FILE, LIBRARY, SETTING };

static const struct {
	const char *name;
	const char *program;
	enum way way;
} variables[] = {
#define VARIABLE(name, program, way) { name, program, way },
#include "effects/variables.def"
#undef VARIABLE
};

/* Values that run nothing of note. */
static bool is_harmless(struct effects_text value)
{
	static const char *const words[] = { "",     "cat",   "true", ":",
					     "less", "false", "more", "ssh" };

	for (size_t i = 0; i < BL_COUNT(words); i++) {
		if (effects_is(value, words[i]))
			return true;
	}
	return false;
}

static void apply(struct effects_run *run, enum way way, struct bl_str name,
		  struct effects_text value)
{
	struct effects_walk *walk = run->walk;
	bool is_maybe = walk->is_maybe;

	walk->is_maybe = true;
	effects_wrap(walk, name);
	switch (way) {
	case TEXT:
		effects_run_text(walk, &run->inside, value, true, NULL,
				 run->span);
		break;
	case FILE:
		effects_script_file(walk, &run->inside, BL_STR("shell"), value,
				    &run->parsed.args, 1, run->span);
		break;
	case LIBRARY:
		effects_add_path(walk, &run->inside, BL_FACT_EXECUTE,
				 BL_STR("preload"), value, 0, 0, run->span);
		break;
	case SETTING:
		effects_opaque(walk, BL_FACT_OPAQUE_SETTING, effects_text(name),
			       run->span);
		break;
	}
	effects_unwrap(walk);
	walk->is_maybe = is_maybe;
}

void effects_variables(struct effects_run *run)
{
	for (size_t i = 0; i < BL_COUNT(variables); i++) {
		const char *program = variables[i].program;
		const struct effects_variable *variable;
		struct effects_text value;
		struct bl_str name;

		if (program[0] && program[0] != run->parsed.row->name.ptr[0])
			continue;
		name = bl_str(variables[i].name);
		if (!bl_str_has_prefix(run->parsed.row->name, bl_str(program)))
			continue;
		variable = effects_variable(run->walk, &run->inside, name);
		if (!variable || variable->is_inherited || variable->is_unset ||
		    !effects_value(run->walk, &run->inside, name, &value) ||
		    is_harmless(value))
			continue;
		apply(run, variables[i].way, name, value);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/names.c: the tables of the .def files as texts.  They stand alone
 * because the parser, the printer and every reader of the tree use them.
 */
#include "shell/shell.h"

const char *bl_shell_part_name(enum bl_shell_part_kind kind)
{
	static const char *const names[] = {
#define PART(name, text, meaning) text,
#include "shell/parts.def"
#undef PART
	};

	return names[kind];
}

const char *bl_shell_command_name(enum bl_shell_command_kind kind)
{
	static const char *const names[] = {
#define COMMAND(name, text) text,
#include "shell/commands.def"
#undef COMMAND
	};

	return names[kind];
}

const char *bl_shell_redirection_text(enum bl_shell_redirection_kind kind)
{
	static const char *const texts[] = {
#define REDIRECTION(name, text, descriptor) text,
#include "shell/redirections.def"
#undef REDIRECTION
	};

	return texts[kind];
}

const char *bl_shell_operator_text(enum bl_shell_operator op)
{
	static const char *const texts[] = {
#define OPERATOR(name, text) text,
#include "shell/operators.def"
#undef OPERATOR
	};

	return texts[op];
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Rego, a line of it a line: one library under two names. */
#include "sources/policies/builtins/sources.h"

/* clang-format off */
#define RULES \
	"# Is verb a word of the command?\n" \
	"has_verb(command, verb) if {\n" \
	"\tregex.match(concat(\"\", [`(^|\\s)`, verb, `(\\s|$)`]), command)\n" \
	"}\n" \
	"\n" \
	"has_dangerous_verb(command, verbs) if {\n" \
	"\tsome verb in verbs\n" \
	"\thas_verb(command, verb)\n" \
	"}\n" \
	"\n" \
	"creates_symlink(command) if {\n" \
	"\thas_verb(command, \"ln\")\n" \
	"\tcontains(command, \"-s\")\n" \
	"}\n" \
	"\n" \
	"symlink_involves_path(command, path) if {\n" \
	"\tcreates_symlink(command)\n" \
	"\tcontains(command, path)\n" \
	"}\n" \
	"\n" \
	"has_output_redirect(command) if {\n" \
	"\tsome pattern in [`\\s>\\s`, `\\s>>\\s`, `\\s\\|\\s`, `(^|\\s)tee(\\s|$)`]\n" \
	"\tregex.match(pattern, command)\n" \
	"}\n"

const char policy_source_commands[] =
	"# What Cupcake's helper library offers policies.\n"
	"package cupcake.system.commands\n"
	"\n"
	"import rego.v1\n"
	"\n"
	RULES;

const char policy_source_global_commands[] =
	"# The same for global policies.\n"
	"package cupcake.global.system.commands\n"
	"\n"
	"import rego.v1\n"
	"\n"
	RULES;
/* clang-format on */

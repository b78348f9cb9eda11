/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sample set-up of hooks (docs/contracts/cursor-2.3.41.md "Service"): a guard
 * of a few lines to begin with.  Separate from the templates of policies: `hooks
 * init` writes it, and libbelay gives it away as data.
 */
#include "setup/setup.h"

static const char script[] =
	"#!/bin/sh\n"
	"# A sample hook: refuses to publish packages, and has no opinion on "
	"all else.\n"
	"# The event is a line of JSON on standard input, the answer one on "
	"standard output.\n"
	"case $(cat) in\n"
	"*'npm publish'* | *'cargo publish'* | *'twine upload'*)\n"
	"\techo '{\"permission\":\"deny\",\"user_message\":\"A person "
	"publishes\"}'\n"
	"\t;;\n"
	"*)\n"
	"\techo '{}'\n"
	"\t;;\n"
	"esac\n";

#define SCRIPT "hooks/no-publish.sh"

#define CONFIG(folder)                                                         \
	"{\n"                                                                  \
	"  \"version\": 1,\n"                                                  \
	"  \"hooks\": {\n"                                                     \
	"    \"beforeShellExecution\": [\n"                                    \
	"      { \"command\": \"" folder "/" SCRIPT "\" }\n"                   \
	"    ]\n"                                                              \
	"  }\n"                                                                \
	"}\n"

/* Commands of a project run in its root, the user's beside the file. */
static const struct bl_setup_sample samples[][2] = {
	{ { SCRIPT, 0755, script }, { "hooks.json", 0644, CONFIG(".") } },
	{ { SCRIPT, 0755, script },
	  { "hooks.json", 0644, CONFIG("./.cursor") } },
};

const struct bl_setup_sample *bl_setup_sample(bool is_project, size_t i)
{
	return i < BL_COUNT(samples[0]) ? &samples[is_project][i] : NULL;
}

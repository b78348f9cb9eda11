/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sample set-up of hooks (docs/contracts/cursor-2.3.41.md "Service"), with
 * the log beside the script.  Separate from the templates of policies: `hooks
 * init` writes it, and libbelay gives it away as data.
 */
#include "setup/setup.h"

static const char script[] =
	"#!/bin/sh\n"
	"# A sample hook: notes every prompt beside this file, and lets it "
	"pass.\n"
	"umask 077\n"
	"{ cat; echo; } >>\"$(dirname \"$0\")/prompts.log\"\n"
	"echo '{}'\n";

#define SCRIPT "hooks/log-prompt.sh"

#define CONFIG(folder)                                                         \
	"{\n"                                                                  \
	"  \"version\": 1,\n"                                                  \
	"  \"hooks\": {\n"                                                     \
	"    \"beforeSubmitPrompt\": [\n"                                      \
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

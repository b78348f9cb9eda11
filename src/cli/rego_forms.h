/* SPDX-License-Identifier: Apache-2.0 */
/* rego_forms.h: the answer to a query, in one of several formats. */
#ifndef BELAY_CLI_REGO_FORMS_H
#define BELAY_CLI_REGO_FORMS_H

#include "cli/cli.h"
#include "rego/rego.h"

struct cli_rego_shown {
	struct bl_value solutions;
	struct bl_value profile; /* undefined: not asked for */
	struct bl_value metrics; /* the same */
};

struct cli_rego_form {
	const char *name;
	bool has_all; /* profile, metrics and errors are in what is printed */
	void (*put)(struct cli *cli, const struct cli_rego_shown *shown);
};

/* NULL: there is none of that name. */
const struct cli_rego_form *cli_find_rego_form(struct bl_str name);

/* {"errors": [...]}, as opa has it; result may be NULL. */
void cli_put_rego_errors(struct cli *cli, const struct bl_diags *diags,
			 const struct bl_rego_result *result);

#endif

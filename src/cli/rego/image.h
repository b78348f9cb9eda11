/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/image.h: images of `belay rego build -t image`. */
#ifndef BELAY_CLI_REGO_IMAGE_H
#define BELAY_CLI_REGO_IMAGE_H

#include "cli/cli.h"
#include "rego/rego.h"

/* Does its name say that it is one? */
bool cli_is_rego_image(struct bl_str path);

/*
 * Reads and opens one; *out_data, its base data, and *out_policies live in
 * cli's arena.  Fails as bl_rego_image_open does, or LIMIT above 1 GiB; the
 * message begins with path.
 */
enum bl_status cli_open_rego_image(struct cli *cli, struct bl_str path,
				   const struct bl_rego_policies **out_policies,
				   struct bl_value *out_data,
				   struct bl_error *err);

#endif

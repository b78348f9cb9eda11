/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the images that `belay rego build -t image` wrote. */
#include "cli/rego/image.h"

#include "os/os.h"

enum { MAX_IMAGE_BYTES = 1 << 30 };

bool cli_is_rego_image(struct bl_str path)
{
	return bl_str_has_suffix(path, BL_STR(".image"));
}

enum bl_status cli_open_rego_image(struct cli *cli, struct bl_str path,
				   const struct bl_rego_policies **out_policies,
				   struct bl_value *out_data,
				   struct bl_error *err)
{
	struct bl_value extra;
	struct bl_str image;
	enum bl_status status = bl_os_read_file(path, 0, MAX_IMAGE_BYTES,
						&cli->arena, &image, NULL, err);

	if (!status)
		status = bl_rego_image_open(image, &cli->arena, out_policies,
					    &extra, err);
	if (status) {
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	*out_data = bl_object_find(extra, BL_STR("data"));
	return BL_OK;
}

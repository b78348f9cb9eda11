/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_doctor.c: belay doctor: what this machine can do. */
#include "cli/cli.h"

#include "sandbox/sandbox.h"

enum { OPT_JSON };

static const struct cli_option options[] = {
	[OPT_JSON] = CLI_JSON_ROW,
};

struct findings {
	struct bl_sandbox_machine machine;
	bl_layers works;
};

static bool has(const struct findings *findings, size_t layer)
{
	return findings->works & (bl_layers)1 << layer;
}

/* Why a profile would be refused, in *err; OK when it would not. */
static enum bl_status try_profile(struct cli *cli,
				  const struct findings *findings,
				  const struct bl_sandbox_profile *profile,
				  struct bl_error *err)
{
	struct bl_sandbox_request request = {
		.profile = profile,
		.workspace = BL_STR("/tmp"),
	};
	struct bl_sandbox_plan plan;

	return bl_sandbox_plan_make(&request, &findings->machine, &cli->arena,
				    &plan, err);
}

static void put_layers(struct cli *cli, const struct findings *findings)
{
	for (size_t i = 0; i < BL_LAYER_COUNT; i++) {
		enum bl_sandbox_layer layer = (enum bl_sandbox_layer)i;

		bl_buf_printf(&cli->out, "  %-11s", bl_layer_name(layer));
		cli_put_styled(cli, has(findings, i) ? CLI_GREEN : CLI_YELLOW,
			       has(findings, i) ? "yes" : "no ");
		bl_buf_printf(&cli->out, "  %s\n", bl_layer_text(layer));
		if (has(findings, i))
			continue;
		bl_buf_printf(&cli->out, "  %-11s     (", "");
		bl_sandbox_print_lost(&cli->out, &findings->machine, layer);
		bl_buf_puts(&cli->out, ")\n");
	}
}

static void put_profiles(struct cli *cli, const struct findings *findings)
{
	const struct bl_sandbox_profile *profile;
	struct bl_error err;

	for (size_t i = 0; (profile = bl_sandbox_profile_at(i)); i++) {
		bool works = !profile->is_confined ||
			     !try_profile(cli, findings, profile, &err);

		bl_buf_printf(&cli->out, "  %-11s", profile->name);
		cli_put_styled(cli, works ? CLI_GREEN : CLI_RED,
			       works ? "yes" : "no ");
		bl_buf_printf(&cli->out, "  %s\n",
			      works ? profile->summary : err.message);
	}
}

static struct bl_value to_value(struct cli *cli,
				const struct findings *findings)
{
	const struct bl_sandbox_profile *profile;
	struct bl_object_builder layers, profiles, object;
	struct bl_error err;

	bl_object_builder_init(&layers, &cli->arena);
	for (size_t i = 0; i < BL_LAYER_COUNT; i++)
		bl_object_builder_add(
			&layers,
			bl_str(bl_layer_name((enum bl_sandbox_layer)i)),
			bl_value_boolean(has(findings, i)));
	bl_object_builder_init(&profiles, &cli->arena);
	for (size_t i = 0; (profile = bl_sandbox_profile_at(i)); i++)
		bl_object_builder_add(
			&profiles, bl_str(profile->name),
			bl_value_boolean(
				!profile->is_confined ||
				!try_profile(cli, findings, profile, &err)));
	bl_object_builder_init(&object, &cli->arena);
	bl_object_builder_add(&object, BL_STR("landlock_abi"),
			      bl_value_integer(findings->machine.landlock_abi));
	bl_object_builder_add(&object, BL_STR("layers"),
			      bl_object_builder_end(&layers));
	bl_object_builder_add(&object, BL_STR("profiles"),
			      bl_object_builder_end(&profiles));
	return bl_object_builder_end(&object);
}

static int run(struct cli *cli)
{
	struct findings findings;
	struct bl_error err;

	if (bl_sandbox_probe(&findings.machine, &findings.works, &cli->arena,
			     &err))
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_JSON)) {
		cli_put_json(cli, to_value(cli, &findings));
		return 0;
	}
	bl_buf_printf(&cli->out, "sandbox layers (Landlock %d):\n",
		      findings.machine.landlock_abi);
	put_layers(cli, &findings);
	bl_buf_puts(&cli->out, "sandbox profiles:\n");
	put_profiles(cli, &findings);
	return 0;
}

const struct cli_code cli_code_doctor = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Each layer is tried, by a child that does nothing else, as "
		   "the user who asks. A layer that is missing does not stop a "
		   "profile that does not need it; what runs without it says "
		   "so.\n",
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_doctor.c: belay doctor: what this machine can do. */
#include "cli/policy_setup.h"
#include "sandbox/sandbox.h"

enum { OPT_JSON };

static const struct cli_option options[] = {
	[OPT_JSON] = CLI_JSON_ROW,
};

struct findings {
	struct bl_sandbox_machine machine;
	bl_layers works;
	struct bl_policy_cache images;
	enum bl_status images_status;
	struct bl_error no_images; /* why not, or not yet */
};

static bool has(const struct findings *findings, size_t layer)
{
	return findings->works & (bl_layers)1 << layer;
}

static void find_images(struct cli *cli, struct findings *findings)
{
	struct bl_error *err = &findings->no_images;

	findings->images_status =
		cli_policy_cache(cli, &findings->images)
			? bl_policy_check_cache(&findings->images, err)
			: bl_fail(err, BL_INVALID,
				  "neither XDG_CACHE_HOME nor a home says "
				  "where they could be");
}

/* An absence of them is not a fault. */
static bool has_images(const struct findings *findings)
{
	return !findings->images_status ||
	       findings->images_status == BL_NOT_FOUND;
}

static void put_images(struct cli *cli, const struct findings *findings)
{
	bool has = has_images(findings);

	bl_buf_printf(&cli->out, "  %-11s", "images");
	cli_put_styled(cli, has ? CLI_GREEN : CLI_YELLOW, has ? "yes" : "no ");
	if (findings->images_status)
		bl_buf_printf(&cli->out, "  %s\n", findings->no_images.message);
	else
		bl_buf_printf(&cli->out, "  %.*s\n",
			      BL_STR_ARG(findings->images.dir));
	if (!has)
		bl_buf_printf(&cli->out,
			      "  %-11s     (every event compiles its policies "
			      "anew)\n",
			      "");
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

static struct bl_value images_value(struct cli *cli,
				    const struct findings *findings)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, &cli->arena);
	bl_object_builder_add(&object, BL_STR("folder"),
			      bl_value_string(findings->images.dir));
	bl_object_builder_add(&object, BL_STR("usable"),
			      bl_value_boolean(has_images(findings)));
	bl_object_builder_add(
		&object, BL_STR("why"),
		has_images(findings)
			? bl_value_undefined()
			: bl_value_string(bl_str(findings->no_images.message)));
	return bl_object_builder_end(&object);
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
	bl_object_builder_add(&object, BL_STR("images"),
			      images_value(cli, findings));
	return bl_object_builder_end(&object);
}

static int run(struct cli *cli)
{
	struct findings findings;
	struct bl_error err;

	if (bl_sandbox_probe(&findings.machine, &findings.works, &cli->arena,
			     &err))
		return cli_fail(cli, &err);
	find_images(cli, &findings);
	if (cli_has(cli, OPT_JSON)) {
		cli_put_json(cli, to_value(cli, &findings));
		return 0;
	}
	bl_buf_printf(&cli->out, "sandbox layers (Landlock %d):\n",
		      findings.machine.landlock_abi);
	put_layers(cli, &findings);
	bl_buf_puts(&cli->out, "sandbox profiles:\n");
	put_profiles(cli, &findings);
	bl_buf_puts(&cli->out, "compiled policies:\n");
	put_images(cli, &findings);
	return 0;
}

const struct cli_code cli_code_doctor = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"Each layer is tried, by a child that does nothing else, as "
		"the user who asks. A layer that is missing does not stop a "
		"profile that does not need it; what runs without it says "
		"so.\n"
		"\n"
		"Images of compiled policies spare 'belay eval' the compiler; "
		"they are only used where nobody else can have written "
		"them.\n",
	.run = run,
};

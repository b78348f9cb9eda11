/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_doctor.c: belay doctor: is one guarded, and what can this machine do?
 * Each finding has a remedy; the safe ones are applied with --fix.
 */
#include <sys/stat.h>

#include "cli/guard.h"
#include "cli/policy_setup.h"
#include "cli/registrations.h"
#include "os/os.h"
#include "sandbox/sandbox.h"

enum { OPT_JSON, OPT_HOME, OPT_STATE_DIR, OPT_FIX };

static const struct cli_option options[] = {
	[OPT_JSON] = CLI_JSON_ROW,
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_FIX] = { "fix", 0, CLI_FLAG, NULL,
		      "mend what can be mended without a decision" },
};

enum { MAX_ILLS = 64, TEXT_COLUMN = 18, EXIT_ILL = 1 };

/* A finding. */
struct ill {
	struct bl_str what;
	struct bl_str remedy;
	bool is_fixed;
};

struct findings {
	struct bl_sandbox_machine machine;
	bl_layers works;
	struct bl_policy_cache images;
	enum bl_status images_status;
	struct bl_error no_images; /* why not, or not yet */
	struct cli_guard_places places;
	struct cli_guard guards[BL_AGENT_MAX]; /* of agents that are here */
	size_t guard_count;
	struct ill ills[MAX_ILLS];
	size_t ill_count;
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

/* Behind a name and a word. */
static void put_behind(struct cli *cli, struct bl_str text)
{
	bl_buf_puts(&cli->out, "  ");
	cli_put_wrapped(&cli->out, text, TEXT_COLUMN, TEXT_COLUMN, BL_STR(" "));
}

static void put_layers(struct cli *cli, const struct findings *findings)
{
	for (size_t i = 0; i < BL_LAYER_COUNT; i++) {
		enum bl_sandbox_layer layer = (enum bl_sandbox_layer)i;

		bl_buf_printf(&cli->out, "  %-11s", bl_layer_name(layer));
		cli_put_styled(cli, has(findings, i) ? CLI_GREEN : CLI_YELLOW,
			       has(findings, i) ? "yes" : "no ");
		put_behind(cli, bl_str(bl_layer_text(layer)));
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
		put_behind(cli, bl_str(works ? profile->summary : err.message));
	}
}

/* ---- is one guarded -------------------------------------------------------- */

static void add_ill(struct findings *findings, struct bl_str what,
		    struct bl_str remedy, bool is_fixed)
{
	if (findings->ill_count < MAX_ILLS)
		findings->ills[findings->ill_count++] =
			(struct ill){ what, remedy, is_fixed };
}

static enum bl_status find_guards(struct cli *cli, struct findings *findings,
				  struct bl_error *err)
{
	enum bl_status status =
		cli_guard_find_places(cli, BL_STR(""), OPT_HOME, OPT_STATE_DIR,
				      &findings->places, err);

	for (size_t i = 0; !status && bl_agents[i]; i++) {
		struct cli_guard *guard =
			&findings->guards[findings->guard_count];

		if (!bl_agents[i]->registration)
			continue;
		status = cli_guard_look(cli, bl_agents[i], &findings->places,
					guard, err);
		if (status || !cli_guard_is_present(guard))
			continue;
		findings->guard_count++;
		if (!cli_guard_is_good(guard))
			add_ill(findings,
				bl_arena_printf(&cli->arena, "%s: %.*s",
						bl_agents[i]->name,
						BL_STR_ARG(guard->reason)),
				guard->remedy, false);
	}
	return status;
}

/* A folder of belay's that others may write; mended by taking that away. */
static void check_mode(struct cli *cli, struct findings *findings,
		       struct bl_str dir)
{
	struct bl_file_info info;
	bool is_fixed = false;

	if (!dir.len || bl_os_info_path(dir, &info, NULL) ||
	    info.type != BL_FILE_DIRECTORY || !(info.mode & 022) ||
	    info.uid != bl_os_user_id())
		return;
	if (cli_has(cli, OPT_FIX))
		is_fixed = !chmod(dir.ptr, info.mode & 07755U);
	add_ill(findings,
		bl_arena_printf(&cli->arena, "others may write to %.*s",
				BL_STR_ARG(dir)),
		bl_arena_printf(&cli->arena, "chmod go-w %.*s",
				BL_STR_ARG(dir)),
		is_fixed);
}

/* Files on the list of registrations that are gone. */
static enum bl_status check_list(struct cli *cli, struct findings *findings,
				 struct bl_error *err)
{
	struct cli_registration *list;
	size_t count = 0;
	enum bl_status status = cli_registrations_read(
		cli, findings->places.state_dir, &list, &count, err);

	for (size_t i = 0; !status && i < count; i++) {
		struct bl_file_info info;
		bool is_fixed = false;

		if (bl_os_info_path(list[i].file, &info, NULL) != BL_NOT_FOUND)
			continue;
		if (cli_has(cli, OPT_FIX))
			is_fixed = !cli_registrations_remove(
				cli, findings->places.state_dir, &list[i],
				NULL);
		add_ill(findings,
			bl_arena_printf(&cli->arena,
					"%.*s, where belay was registered, is "
					"gone",
					BL_STR_ARG(list[i].file)),
			BL_STR("belay doctor --fix takes it off the list"),
			is_fixed);
	}
	return status;
}

static enum bl_status find_ills(struct cli *cli, struct findings *findings,
				struct bl_error *err)
{
	enum bl_status status = find_guards(cli, findings, err);

	if (status)
		return status;
	check_mode(cli, findings, findings->places.state_dir);
	check_mode(cli, findings, findings->images.dir);
	if (cli_has(cli, OPT_FIX))
		find_images(cli, findings);
	return check_list(cli, findings, err);
}

static void put_guards(struct cli *cli, const struct findings *findings)
{
	bl_buf_puts(&cli->out, "agents:\n");
	for (size_t i = 0; i < findings->guard_count; i++)
		cli_guard_put_brief(cli, &findings->guards[i]);
	if (!findings->guard_count)
		bl_buf_puts(&cli->out, "  none is found here\n");
	bl_buf_puts(&cli->out, "findings:\n");
	for (size_t i = 0; i < findings->ill_count; i++) {
		const struct ill *ill = &findings->ills[i];

		bl_buf_puts(&cli->out, "  ");
		cli_put_text(&cli->out, 2, ill->what);
		bl_buf_puts(&cli->out, ill->is_fixed ? "; mended\n" : "; ");
		if (ill->is_fixed)
			continue;
		cli_put_text(&cli->out, 2, ill->remedy);
		bl_buf_put_char(&cli->out, '\n');
	}
	if (!findings->ill_count)
		bl_buf_puts(&cli->out, "  none\n");
}

static struct bl_value guards_value(struct cli *cli,
				    const struct findings *findings)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, &cli->arena);
	for (size_t i = 0; i < findings->guard_count; i++)
		bl_object_builder_add(
			&out, bl_str(findings->guards[i].found.agent->name),
			bl_value_boolean(
				cli_guard_is_good(&findings->guards[i])));
	return bl_object_builder_end(&out);
}

static struct bl_value ills_value(struct cli *cli,
				  const struct findings *findings)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; i < findings->ill_count; i++) {
		const struct ill *ill = &findings->ills[i];
		struct bl_object_builder one;

		bl_object_builder_init(&one, &cli->arena);
		bl_object_builder_add(&one, BL_STR("what"),
				      bl_value_string(ill->what));
		bl_object_builder_add(&one, BL_STR("remedy"),
				      bl_value_string(ill->remedy));
		bl_object_builder_add(&one, BL_STR("fixed"),
				      bl_value_boolean(ill->is_fixed));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
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
	bl_object_builder_add(&object, BL_STR("guarded"),
			      guards_value(cli, findings));
	bl_object_builder_add(&object, BL_STR("findings"),
			      ills_value(cli, findings));
	return bl_object_builder_end(&object);
}

/* EXIT_ILL where something is left to mend. */
static int exit_code(const struct findings *findings)
{
	for (size_t i = 0; i < findings->ill_count; i++)
		if (!findings->ills[i].is_fixed)
			return EXIT_ILL;
	return 0;
}

static int run_doctor(struct cli *cli)
{
	struct findings findings = { .guard_count = 0 };
	struct bl_error err;

	if (bl_sandbox_probe(&findings.machine, &findings.works, &cli->arena,
			     &err))
		return cli_fail(cli, &err);
	find_images(cli, &findings);
	if (find_ills(cli, &findings, &err))
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_JSON)) {
		cli_put_json(cli, to_value(cli, &findings));
		return exit_code(&findings);
	}
	put_guards(cli, &findings);
	bl_buf_printf(&cli->out, "sandbox layers (Landlock %d):\n",
		      findings.machine.landlock_abi);
	put_layers(cli, &findings);
	bl_buf_puts(&cli->out, "sandbox profiles:\n");
	put_profiles(cli, &findings);
	bl_buf_puts(&cli->out, "compiled policies:\n");
	put_images(cli, &findings);
	return exit_code(&findings);
}

const struct cli_code cli_code_doctor = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"First, is each agent guarded here ('belay status' says more), "
		"and what is to be done. --fix takes the right to write "
		"belay's "
		"folders from others, and files that are gone off the list of "
		"registrations.\n"
		"\n"
		"Each layer is tried, by a child that does nothing else, as "
		"the user who asks. A layer that is missing does not stop a "
		"profile that does not need it; what runs without it says "
		"so.\n"
		"\n"
		"Images of compiled policies spare 'belay eval' the compiler; "
		"they are only used where nobody else can have written "
		"them.\n"
		"\n"
		"Exit status:\n"
		"  0      there is nothing to mend\n"
		"  1      there is, among the findings\n"
		"  other  it could not be told\n",
	.run = run_doctor,
};

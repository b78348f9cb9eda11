/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds in the rulebook of a project all that those before it (the team's, the
 * user's) do not let it say: a weaker level, allow rules and exceptions.
 */
#include "sources/policies/private.h"

struct comparing {
	const struct bl_policy_validate_options *options;
	struct bl_arena *arena;
	struct bl_diags *diags;
	struct bl_error *err;
};

static void warn_of(struct comparing *c, const struct bl_rulebook *book,
		    uint32_t line, struct bl_str message)
{
	const struct bl_diag_source source = { book->path, BL_STR("") };

	bl_diags_add(c->diags, BL_SEVERITY_WARNING, "rulebook/weakening",
		     &source, (struct bl_place){ .line = line, .column = 1 },
		     NULL, "%.*s", BL_STR_ARG(message));
}

/* Allow rules, or exceptions: each that does not count. */
static void warn_of_list(struct comparing *c, const struct bl_rulebook *book,
			 const char *list, const char *what,
			 struct bl_str above)
{
	struct bl_value all = bl_object_find(book->own, bl_str(list));

	for (size_t i = 0; i < bl_value_count(all); i++) {
		struct bl_value one = bl_value_item(all, i);
		struct bl_str verb =
			bl_value_text(bl_object_find(one, BL_STR("verb")));
		int64_t line = 0;

		(void)bl_number_to_integer(bl_object_find(one, BL_STR("line")),
					   &line);
		if (!verb.len || bl_str_is(verb, "allow"))
			warn_of(c, book, (uint32_t)line,
				bl_arena_printf(c->arena,
						"the %s does not count: %.*s "
						"does not let other rulebooks "
						"weaken it",
						what, BL_STR_ARG(above)));
	}
}

static void warn_of_level(struct comparing *c, const struct bl_rulebook *book,
			  const struct bl_rulebook *above)
{
	if (book->level == BL_LEVEL_UNSET || book->level >= above->level)
		return;
	warn_of(c, book, 0,
		bl_arena_printf(c->arena,
				"level %s has no effect: %.*s says %s, and "
				"the stricter one counts",
				bl_level_name(book->level),
				BL_STR_ARG(above->path),
				bl_level_name(above->level)));
}

/* The rulebooks of the directory and of those before it. */
static enum bl_status read_rulebooks(struct comparing *c,
				     struct bl_policy_set *set)
{
	struct bl_diags ignored; /* loading reports them */
	enum bl_status status;

	bl_diags_init(&ignored, c->arena);
	status = bl_rulebook_read(c->options->dir, c->arena, &ignored,
				  &set->dirs[BL_POLICY_PROJECT].rulebook,
				  c->err);
	for (int i = 0; !status && i < BL_POLICY_PROJECT; i++) {
		struct bl_str above = c->options->above[i];

		if (above.len && !bl_str_equal(above, c->options->dir))
			status = bl_rulebook_read(above, c->arena, &ignored,
						  &set->dirs[i].rulebook,
						  c->err);
	}
	return status;
}

enum bl_status
policy_check_weakening(const struct bl_policy_validate_options *options,
		       struct bl_arena *arena, struct bl_diags *diags,
		       struct bl_error *err)
{
	struct comparing c = {
		.options = options, .arena = arena, .diags = diags, .err = err
	};
	struct bl_policy_set *set = bl_arena_new(arena, struct bl_policy_set);
	const struct bl_rulebook *book;
	const struct bl_rulebook *strictest;
	const struct bl_policy_dir *above;
	enum bl_status status;

	if (!set)
		return bl_arena_fail(arena, err);
	status = read_rulebooks(&c, set);
	if (status)
		return status;
	book = &set->dirs[BL_POLICY_PROJECT].rulebook;
	strictest = &set->dirs[0].rulebook;
	for (int i = 1; i < BL_POLICY_PROJECT; i++)
		if (set->dirs[i].rulebook.level > strictest->level)
			strictest = &set->dirs[i].rulebook;
	warn_of_level(&c, book, strictest);
	above = policy_forbidder(set, BL_POLICY_PROJECT);
	if (!above)
		return BL_OK;
	warn_of_list(&c, book, "rules", "allow rule", above->rulebook.path);
	warn_of_list(&c, book, "exceptions", "exception", above->rulebook.path);
	return BL_OK;
}

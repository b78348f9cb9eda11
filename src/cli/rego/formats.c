/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers in the formats of `opa eval` (--format).  In the static program too, which
 * answers plain questions itself.
 */
#include "cli/rego/formats.h"

#include "json/json.h"

/* ---- values --------------------------------------------------------------- */

static bool has_other_keys(struct bl_value object)
{
	for (size_t i = 0; i < bl_value_count(object); i++)
		if (!bl_value_is(bl_object_key(object, i), BL_KIND_STRING))
			return true;
	return false;
}

static bool is_sorted(struct bl_value value)
{
	bool is_object = bl_value_is(value, BL_KIND_OBJECT);

	if (!is_object && !bl_value_is(value, BL_KIND_ARRAY) &&
	    !bl_value_is(value, BL_KIND_SET))
		return true;
	if (is_object && has_other_keys(value))
		return false;
	for (size_t i = 0; i < bl_value_count(value); i++)
		if ((is_object && bl_object_sorted_index(value, i) != i) ||
		    !is_sorted(is_object ? bl_object_value(value, i)
					 : bl_value_item(value, i)))
			return false;
	return true;
}

static struct bl_value sort_items(struct bl_arena *arena, struct bl_value value)
{
	struct bl_array_builder items;
	struct bl_value list;

	bl_array_builder_init(&items, arena);
	for (size_t i = 0; i < bl_value_count(value); i++)
		bl_array_builder_add(
			&items,
			cli_rego_sorted(arena, bl_value_item(value, i)));
	list = bl_array_builder_end(&items);
	return bl_value_is(value, BL_KIND_SET) && bl_value_is_defined(list)
		       ? bl_set_make(arena, list.as.items, bl_value_count(list))
		       : list;
}

/*
 * Keys that are not strings become their text, and of two with one text the
 * last one counts.
 */
static struct bl_value name_members(struct bl_arena *arena,
				    struct bl_value object)
{
	size_t count = bl_value_count(object);
	struct bl_member *members =
		bl_arena_new_array(arena, struct bl_member, count);
	struct bl_buf text;

	if (!members)
		return bl_value_undefined();
	for (size_t rank = 0; rank < count; rank++) {
		size_t i = bl_object_sorted_index(object, rank);
		struct bl_str copy;

		members[rank] =
			(struct bl_member){ bl_object_key(object, i),
					    bl_object_value(object, i) };
		if (bl_value_is(members[rank].key, BL_KIND_STRING))
			continue;
		bl_buf_init(&text, 0);
		bl_json_write(&text, members[rank].key, BL_JSON_COMPACT);
		copy = bl_arena_copy_str(arena, bl_buf_str(&text));
		bl_buf_clear(&text);
		if (!copy.ptr)
			return bl_value_undefined();
		members[rank].key = bl_value_string(copy);
	}
	return bl_object_make(arena, members, count, NULL);
}

static struct bl_value sort_members(struct bl_arena *arena,
				    struct bl_value object)
{
	size_t count = bl_value_count(object);
	struct bl_member *members =
		bl_arena_new_array(arena, struct bl_member, count);

	if (!members)
		return bl_value_undefined();
	for (size_t rank = 0; rank < count; rank++) {
		size_t i = bl_object_sorted_index(object, rank);

		members[rank].key = bl_object_key(object, i);
		members[rank].value =
			cli_rego_sorted(arena, bl_object_value(object, i));
		if (!bl_value_is_defined(members[rank].value))
			return bl_value_undefined();
	}
	return bl_object_make(arena, members, count, NULL);
}

struct bl_value cli_rego_sorted(struct bl_arena *arena, struct bl_value value)
{
	if (is_sorted(value))
		return value;
	if (bl_value_is(value, BL_KIND_OBJECT) && has_other_keys(value))
		value = name_members(arena, value);
	return bl_value_is(value, BL_KIND_OBJECT) ? sort_members(arena, value)
						  : sort_items(arena, value);
}

struct bl_value cli_rego_expression(struct bl_arena *arena, struct bl_str text,
				    struct bl_place place,
				    struct bl_value value)
{
	struct bl_object_builder location;
	struct bl_object_builder one;

	bl_object_builder_init(&location, arena);
	bl_object_builder_add(&location, BL_STR("row"),
			      bl_value_integer(place.line));
	bl_object_builder_add(&location, BL_STR("col"),
			      bl_value_integer(place.column));
	bl_object_builder_init(&one, arena);
	bl_object_builder_add(&one, BL_STR("value"),
			      cli_rego_sorted(arena, value));
	bl_object_builder_add(&one, BL_STR("text"), bl_value_string(text));
	bl_object_builder_add(&one, BL_STR("location"),
			      bl_object_builder_end(&location));
	return bl_object_builder_end(&one);
}

/* ---- forms ---------------------------------------------------------------- */

static void put_pretty_json(struct cli *cli, struct bl_value value)
{
	bl_json_write(&cli->out, value, BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

/* {"result": answer}, without it when the query is undefined; as opa has it. */
static void put_result(struct cli *cli, const struct cli_rego_shown *shown)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	if (bl_value_is_defined(shown->errors))
		bl_object_builder_add(&all, BL_STR("errors"), shown->errors);
	if (bl_value_count(shown->answer))
		bl_object_builder_add(&all, BL_STR("result"), shown->answer);
	if (bl_value_is_defined(shown->metrics))
		bl_object_builder_add(&all,
				      shown->several
					      ? BL_STR("aggregated_metrics")
					      : BL_STR("metrics"),
				      shown->metrics);
	if (bl_value_is_defined(shown->profile))
		bl_object_builder_add(&all, BL_STR("profile"), shown->profile);
	put_pretty_json(cli, bl_object_builder_end(&all));
}

static struct bl_value expressions_of(struct bl_value answer, size_t i)
{
	return bl_object_find(bl_value_item(answer, i), BL_STR("expressions"));
}

static struct bl_value value_of(struct bl_value expressions, size_t i)
{
	return bl_object_find(bl_value_item(expressions, i), BL_STR("value"));
}

/* Each value of each solution on a line. */
static void put_lines(struct cli *cli, const struct cli_rego_shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->answer); i++) {
		struct bl_value expressions = expressions_of(shown->answer, i);

		for (size_t j = 0; j < bl_value_count(expressions); j++)
			cli_put_json(cli, value_of(expressions, j));
	}
}

/* The values of each solution as one array. */
static void put_arrays(struct cli *cli, const struct cli_rego_shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->answer); i++) {
		struct bl_value expressions = expressions_of(shown->answer, i);
		struct bl_array_builder values;

		bl_array_builder_init(&values, &cli->arena);
		for (size_t j = 0; j < bl_value_count(expressions); j++)
			bl_array_builder_add(&values, value_of(expressions, j));
		put_pretty_json(cli, bl_array_builder_end(&values));
	}
}

/* The bindings of each solution. */
static void put_bindings(struct cli *cli, const struct cli_rego_shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->answer); i++) {
		struct bl_value bindings = bl_object_find(
			bl_value_item(shown->answer, i), BL_STR("bindings"));

		put_pretty_json(cli, bl_value_is_defined(bindings)
					     ? bindings
					     : bl_object_make(&cli->arena, NULL,
							      0, NULL));
	}
}

/* Values on a line for each solution; strings without their quotes. */
static void put_raw(struct cli *cli, const struct cli_rego_shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->answer); i++) {
		struct bl_value expressions = expressions_of(shown->answer, i);

		for (size_t j = 0; j < bl_value_count(expressions); j++) {
			struct bl_value value = value_of(expressions, j);

			if (j > 0)
				bl_buf_put_char(&cli->out, ' ');
			if (bl_value_is(value, BL_KIND_STRING))
				bl_buf_put_str(&cli->out, bl_value_text(value));
			else
				bl_json_write(&cli->out, value,
					      BL_JSON_COMPACT);
		}
		bl_buf_put_char(&cli->out, '\n');
	}
}

/* That something was evaluated, whatever came out. */
static void put_nothing(struct cli *cli, const struct cli_rego_shown *shown)
{
	(void)shown;
	bl_buf_puts(&cli->out, "{\n  \"result\": \"discarded\"\n}\n");
}

static void put_table(struct cli *cli, const struct cli_rego_shown *shown)
{
	cli_put_rego_table(cli, shown->answer);
}

const struct cli_rego_form *cli_rego_form_find(struct bl_str name)
{
	static const struct cli_rego_form forms[] = {
		{ "json", put_result, true },
		{ "values", put_arrays, false },
		{ "bindings", put_bindings, false },
		{ "pretty", put_table, false },
		{ "raw", put_raw, false },
		{ "discard", put_nothing, false },
		{ "lines", put_lines, false },
	};

	for (size_t i = 0; i < BL_COUNT(forms); i++)
		if (bl_str_is(name, forms[i].name))
			return &forms[i];
	return NULL;
}

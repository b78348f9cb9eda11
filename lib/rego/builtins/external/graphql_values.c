/* SPDX-License-Identifier: Apache-2.0 */
/* GraphQL: values of the right type, values as text, suggestions. */
#include <stdlib.h>

#include "rego/builtins/external/graphql.h"

enum value_kind {
	KIND_VARIABLE,
	KIND_INT,
	KIND_FLOAT,
	KIND_STRING,
	KIND_BLOCK,
	KIND_BOOLEAN,
	KIND_NULL,
	KIND_ENUM,
	KIND_LIST,
	KIND_OBJECT,
};

/* ---- suggestions -------------------------------------------------------- */

enum { MAX_SUGGESTIONS = 5, MAX_OPTIONS = 1000 };

struct option {
	struct bl_str text;
	size_t distance;
};

static int compare_options(const void *a, const void *b)
{
	const struct option *one = a;
	const struct option *two = b;

	if (one->distance != two->distance)
		return one->distance < two->distance ? -1 : 1;
	return bl_str_compare(one->text, two->text);
}

struct bl_str bl_gql_suggest(struct bl_arena *arena, struct bl_str input,
			     const struct bl_str *options, size_t count)
{
	struct option close[MAX_OPTIONS];
	size_t found = 0;
	struct bl_str text;
	struct bl_buf out;

	for (size_t i = 0; i < count && found < MAX_OPTIONS; i++) {
		size_t limit = (input.len > options[i].len ? input.len
							   : options[i].len) /
			       2;
		size_t distance = bl_str_distance(input, options[i]);

		if (distance <= (limit ? limit : 1))
			close[found++] =
				(struct option){ options[i], distance };
	}
	if (!found)
		return BL_STR("");
	qsort(close, found, sizeof(*close), compare_options);
	if (found > MAX_SUGGESTIONS)
		found = MAX_SUGGESTIONS;
	bl_buf_init(&out, 0);
	bl_buf_puts(&out, ". Did you mean ");
	for (size_t i = 0; i < found; i++) {
		const char *between = i + 1 < found ? ", "
				      : found > 2   ? ", or "
						    : " or ";

		bl_buf_printf(&out, "%s\"%.*s\"", i ? between : "",
			      BL_STR_ARG(close[i].text));
	}
	bl_buf_puts(&out, "?");
	text = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

/* ---- text --------------------------------------------------------------- */

static void put_value(struct bl_buf *out, struct bl_value value, uint32_t depth)
{
	struct bl_str raw = bl_gql_get_text(value, "Raw");
	struct bl_value children = bl_gql_get(value, "Children");
	int64_t kind = -1;

	bl_number_to_integer(bl_gql_get(value, "Kind"), &kind);
	if (kind == KIND_VARIABLE) {
		bl_buf_printf(out, "$%.*s", BL_STR_ARG(raw));
	} else if (kind == KIND_STRING) {
		bl_builtin_form_quote(out, raw);
	} else if (kind == KIND_BLOCK) {
		bl_buf_printf(out, "\"\"\"%.*s\"\"\"", BL_STR_ARG(raw));
	} else if (kind == KIND_LIST || kind == KIND_OBJECT) {
		bl_buf_puts(out, kind == KIND_LIST ? "[" : "{");
		for (size_t i = 0;
		     i < bl_value_count(children) && depth < BL_GQL_MAX_DEPTH;
		     i++) {
			struct bl_value child = bl_value_item(children, i);
			struct bl_str name = bl_gql_get_text(child, "Name");

			if (i)
				bl_buf_puts(out, ",");
			if (kind == KIND_OBJECT)
				bl_buf_printf(out, "%.*s:", BL_STR_ARG(name));
			put_value(out, bl_gql_get(child, "Value"), depth + 1);
		}
		bl_buf_puts(out, kind == KIND_LIST ? "]" : "}");
	} else {
		bl_buf_put_str(out, raw);
	}
}

static struct bl_str value_text(struct bl_arena *arena, struct bl_value value)
{
	struct bl_buf out;
	struct bl_str text;

	bl_buf_init(&out, 0);
	put_value(&out, value, 0);
	text = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

/* ---- types -------------------------------------------------------------- */

struct check {
	struct bl_arena *arena;
	struct bl_gql_error *error;
	struct bl_value value;
	struct bl_value type;
	struct bl_value def;
};

#define FAIL(c, node, ...)                                                     \
	bl_gql_fail_at((c)->arena, (c)->error, node, __VA_ARGS__)

/* The message about a value that is not of a scalar type. */
static const struct {
	const char *type;
	const char *text;
} scalar_texts[] = {
	{ "Int", "Int cannot represent non-integer value" },
	{ "String", "String cannot represent a non string value" },
	{ "Boolean", "Boolean cannot represent a non boolean value" },
	{ "Float", "Float cannot represent non numeric value" },
	{ "ID", "ID cannot represent a non-string and non-integer value" },
};

static bool unexpected(struct check *c)
{
	struct bl_str text = value_text(c->arena, c->value);
	struct bl_str type = bl_gql_type_text(c->arena, c->type);
	struct bl_str bare = type;

	if (bl_str_has_suffix(bare, BL_STR("!")))
		bare.len--;
	for (size_t i = 0; i < BL_COUNT(scalar_texts); i++) {
		if (bl_str_is(bare, scalar_texts[i].type))
			return FAIL(c, c->value, "%s: %.*s",
				    scalar_texts[i].text, BL_STR_ARG(text));
	}
	if (bl_gql_is_kind(c->def, "ENUM"))
		return FAIL(c, c->value,
			    "Enum \"%.*s\" cannot represent non-enum value: "
			    "%.*s",
			    BL_STR_ARG(type), BL_STR_ARG(text));
	return FAIL(c, c->value, "Expected value of type \"%.*s\", found %.*s",
		    BL_STR_ARG(type), BL_STR_ARG(text));
}

static bool check_enum(struct check *c)
{
	struct bl_value values = bl_gql_get(c->def, "EnumValues");
	struct bl_str raw = bl_gql_get_text(c->value, "Raw");
	struct bl_str type;

	if (!bl_gql_is_kind(c->def, "ENUM"))
		return unexpected(c);
	if (bl_value_is_defined(bl_gql_find(values, raw)))
		return true;
	type = bl_gql_type_text(c->arena, c->type);
	return FAIL(c, c->value,
		    "Value \"%.*s\" does not exist in \"%.*s\" enum",
		    BL_STR_ARG(raw), BL_STR_ARG(type));
}

static bool check_object(struct check *c)
{
	struct bl_value fields = bl_gql_get(c->def, "Fields");
	struct bl_value given = bl_gql_get(c->value, "Children");
	struct bl_str owner = bl_gql_get_text(c->def, "Name");

	for (size_t i = 0; i < bl_value_count(fields); i++) {
		struct bl_value field = bl_value_item(fields, i);
		struct bl_value type = bl_gql_get(field, "Type");
		struct bl_str name = bl_gql_get_text(field, "Name");

		if (bl_value_is_true(bl_gql_get(type, "NonNull")) &&
		    !bl_value_is_defined(bl_gql_get(field, "DefaultValue")) &&
		    !bl_value_is_defined(bl_gql_find(given, name))) {
			struct bl_str text = bl_gql_type_text(c->arena, type);

			return FAIL(c, c->value,
				    "Field \"%.*s.%.*s\" of required type "
				    "\"%.*s\" was not provided",
				    BL_STR_ARG(owner), BL_STR_ARG(name),
				    BL_STR_ARG(text));
		}
	}
	for (size_t i = 0; i < bl_value_count(given); i++) {
		struct bl_value child = bl_value_item(given, i);
		struct bl_str name = bl_gql_get_text(child, "Name");

		if (!bl_value_is_defined(bl_gql_find(fields, name)))
			return FAIL(c, child,
				    "Field \"%.*s\" is not defined by type "
				    "\"%.*s\"",
				    BL_STR_ARG(name), BL_STR_ARG(owner));
	}
	return true;
}

/* Is the type one of the names (in a string, with spaces around each)? */
static bool is_one_of(const struct check *c, const char *names)
{
	struct bl_str type = bl_gql_get_text(c->def, "Name");
	struct bl_str name =
		bl_arena_printf(c->arena, " %.*s ", BL_STR_ARG(type));

	return name.ptr && strstr(names, name.ptr);
}

static bool check_names(struct check *c, const char *names)
{
	return is_one_of(c, names) || unexpected(c);
}

static bool fail_null(struct check *c)
{
	struct bl_str type = bl_gql_type_text(c->arena, c->type);

	return FAIL(c, c->value, "Expected value of type \"%.*s\", found null",
		    BL_STR_ARG(type));
}

bool bl_gql_check_value(const struct bl_gql_schema *schema,
			struct bl_value value, struct bl_value type,
			struct bl_value def, struct bl_gql_error *error)
{
	struct check c = { schema->arena, error, value, type, def };
	int64_t kind = -1;

	bl_number_to_integer(bl_gql_get(value, "Kind"), &kind);
	if (!bl_value_is_defined(def) || !bl_value_is_defined(type))
		return true;
	if (kind == KIND_NULL) {
		if (!bl_value_is_true(bl_gql_get(type, "NonNull")))
			return true;
		return fail_null(&c);
	}
	if (bl_gql_is_kind(def, "SCALAR") &&
	    !is_one_of(&c, " Int Float String Boolean ID "))
		return true; /* a scalar of one's own */
	switch (kind) {
	case KIND_LIST:
		return bl_value_is_defined(bl_gql_get(type, "Elem")) ||
		       unexpected(&c);
	case KIND_INT:
		return check_names(&c, " Int Float ID ");
	case KIND_FLOAT:
		return check_names(&c, " Float ");
	case KIND_STRING:
	case KIND_BLOCK:
		return check_names(&c, " String ID ");
	case KIND_BOOLEAN:
		return check_names(&c, " Boolean ");
	case KIND_ENUM:
		return check_enum(&c);
	case KIND_OBJECT:
		return check_object(&c);
	default:
		return true;
	}
}

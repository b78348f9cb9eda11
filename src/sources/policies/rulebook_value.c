/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rulebook as a value and back, for images.  The members of a rulebook are listed
 * here once, for both ways; the assertions are there so that nobody adds a
 * member that images then lose.
 */
#include "sources/policies/image.h"

enum field_kind { FLAG, NUMBER, TEXT, VALUE };

struct field {
	const char *key;
	enum field_kind kind;
	uint32_t offset;
	uint32_t most; /* NUMBER */
};

#define BOOK(member) (uint32_t) offsetof(struct bl_rulebook, member)

static const struct field book_fields[] = {
	{ "path", TEXT, BOOK(path), 0 },
	{ "builtins", NUMBER, BOOK(builtins), UINT32_MAX },
	{ "builtin_config", VALUE, BOOK(builtin_config), 0 },
	{ "telemetry_enabled", FLAG, BOOK(telemetry_enabled), 0 },
	{ "telemetry_is_text", FLAG, BOOK(telemetry_is_text), 0 },
	{ "telemetry_destination", TEXT, BOOK(telemetry_destination), 0 },
	{ "inspect_scripts", FLAG, BOOK(inspect_scripts), 0 },
	{ "level", NUMBER, BOOK(level), BL_LEVEL_STRICT },
	{ "modes", VALUE, BOOK(modes), 0 },
	{ "own", VALUE, BOOK(own), 0 },
	{ "weaken", NUMBER, BOOK(weaken), BL_WEAKEN_ALLOW },
	{ "on_unmodifiable", NUMBER, BOOK(on_unmodifiable), BL_VERDICT_DENY },
};

#define SIGNAL(member) (uint32_t) offsetof(struct bl_signal, member)

static const struct field signal_fields[] = {
	{ "name", TEXT, SIGNAL(name), 0 },
	{ "kind", NUMBER, SIGNAL(kind), BL_SIGNAL_FILE },
	{ "command", TEXT, SIGNAL(command), 0 },
	{ "timeout_ms", NUMBER, SIGNAL(timeout_ms),
	  POLICY_SIGNAL_MAX_TIMEOUT_MS },
	{ "origin", TEXT, SIGNAL(origin), 0 },
	{ "sandbox", TEXT, SIGNAL(sandbox), 0 },
};

#define ON_ERROR(member) (uint32_t) offsetof(struct bl_on_error, member)

static const struct field on_error_fields[] = {
	{ "event", TEXT, ON_ERROR(event), 0 },
	{ "verdict", NUMBER, ON_ERROR(verdict), BL_VERDICT_DENY },
};

_Static_assert(sizeof(struct bl_rulebook) == 152, "see book_fields");
_Static_assert(sizeof(struct bl_signal) == 88, "see signal_fields");
_Static_assert(sizeof(struct bl_on_error) == 24, "see on_error_fields");
_Static_assert(sizeof(enum bl_verdict) == sizeof(uint32_t), "NUMBER");
_Static_assert(sizeof(enum bl_weaken) == sizeof(uint32_t), "NUMBER");
_Static_assert(sizeof(enum bl_level) == sizeof(uint32_t), "NUMBER");

/* ---- to a value ----------------------------------------------------------- */

static struct bl_value field_value(const struct field *field, const char *at)
{
	at += field->offset;
	switch (field->kind) {
	case FLAG:
		return bl_value_boolean(*(const bool *)at);
	case NUMBER:
		return bl_value_integer(*(const uint32_t *)(const void *)at);
	case TEXT:
		return bl_value_string(
			*(const struct bl_str *)(const void *)at);
	case VALUE:
		break;
	}
	return *(const struct bl_value *)(const void *)at;
}

static void put_fields(struct bl_object_builder *made,
		       const struct field *fields, size_t count,
		       const void *from)
{
	for (size_t i = 0; i < count; i++)
		bl_object_builder_add(made, bl_str(fields[i].key),
				      field_value(&fields[i], from));
}

static struct bl_value signal_value(const struct bl_signal *signal,
				    struct bl_arena *arena)
{
	struct bl_object_builder made;
	struct bl_array_builder argv;

	bl_object_builder_init(&made, arena);
	bl_array_builder_init(&argv, arena);
	put_fields(&made, signal_fields, BL_COUNT(signal_fields), signal);
	for (size_t i = 0; signal->argv && signal->argv[i]; i++)
		bl_array_builder_add(&argv,
				     bl_value_string(bl_str(signal->argv[i])));
	bl_object_builder_add(&made, BL_STR("argv"),
			      bl_array_builder_end(&argv));
	return bl_object_builder_end(&made);
}

struct bl_value policy_rulebook_value(const struct bl_rulebook *book,
				      struct bl_arena *arena)
{
	struct bl_object_builder made;
	struct bl_object_builder row;
	struct bl_array_builder list;

	bl_object_builder_init(&made, arena);
	put_fields(&made, book_fields, BL_COUNT(book_fields), book);
	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < book->signal_count; i++)
		bl_array_builder_add(&list,
				     signal_value(&book->signals[i], arena));
	bl_object_builder_add(&made, BL_STR("signals"),
			      bl_array_builder_end(&list));
	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < book->on_error_count; i++) {
		bl_object_builder_init(&row, arena);
		put_fields(&row, on_error_fields, BL_COUNT(on_error_fields),
			   &book->on_error[i]);
		bl_array_builder_add(&list, bl_object_builder_end(&row));
	}
	bl_object_builder_add(&made, BL_STR("on_error"),
			      bl_array_builder_end(&list));
	return bl_object_builder_end(&made);
}

/* ---- and back --------------------------------------------------------------- */

static bool read_field(const struct field *field, struct bl_value value,
		       char *at)
{
	int64_t number;

	at += field->offset;
	switch (field->kind) {
	case FLAG:
		*(bool *)at = bl_value_is_true(value);
		return bl_value_is(value, BL_KIND_BOOLEAN);
	case NUMBER:
		if (!bl_number_to_integer(value, &number) || number < 0 ||
		    number > field->most)
			return false;
		*(uint32_t *)(void *)at = (uint32_t)number;
		return true;
	case TEXT:
		*(struct bl_str *)(void *)at = bl_value_text(value);
		return bl_value_is(value, BL_KIND_STRING);
	case VALUE:
		break;
	}
	*(struct bl_value *)(void *)at = value;
	return bl_value_is(value, BL_KIND_OBJECT);
}

static bool read_fields(const struct field *fields, size_t count,
			struct bl_value from, void *out)
{
	for (size_t i = 0; i < count; i++)
		if (!read_field(&fields[i],
				bl_object_find(from, bl_str(fields[i].key)),
				out))
			return false;
	return true;
}

static bool read_signal(struct bl_value from, struct bl_arena *arena,
			struct bl_signal *out)
{
	struct bl_value list = bl_object_find(from, BL_STR("argv"));
	size_t count = bl_value_count(list);
	const char **argv;

	if (!read_fields(signal_fields, BL_COUNT(signal_fields), from, out))
		return false;
	if (out->kind != BL_SIGNAL_ARGV)
		return true;
	argv = bl_arena_new_array(arena, const char *, count + 1);
	for (size_t i = 0; argv && i < count; i++) {
		argv[i] = bl_arena_copy_str(
				  arena, bl_value_text(bl_value_item(list, i)))
				  .ptr;
		if (!argv[i])
			return false;
	}
	out->argv = argv;
	return argv && count;
}

bool policy_rulebook_from(struct bl_value from, struct bl_arena *arena,
			  struct bl_rulebook *out_book)
{
	struct bl_value signals = bl_object_find(from, BL_STR("signals"));
	struct bl_value rows = bl_object_find(from, BL_STR("on_error"));
	struct bl_on_error *on_error;

	*out_book = (struct bl_rulebook){ 0 };
	if (!read_fields(book_fields, BL_COUNT(book_fields), from, out_book))
		return false;
	out_book->signal_count = bl_value_count(signals);
	out_book->signals = bl_arena_new_array(arena, struct bl_signal,
					       out_book->signal_count + 1);
	out_book->on_error_count = bl_value_count(rows);
	on_error = bl_arena_new_array(arena, struct bl_on_error,
				      out_book->on_error_count + 1);
	out_book->on_error = on_error;
	if (!out_book->signals || !on_error)
		return false;
	for (size_t i = 0; i < out_book->signal_count; i++)
		if (!read_signal(bl_value_item(signals, i), arena,
				 &out_book->signals[i]))
			return false;
	for (size_t i = 0; i < out_book->on_error_count; i++)
		if (!read_fields(on_error_fields, BL_COUNT(on_error_fields),
				 bl_value_item(rows, i), &on_error[i]))
			return false;
	return true;
}

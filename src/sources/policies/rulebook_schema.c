/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rulebook_schema.c: the JSON Schema of rulebook.yml for editors, from the same
 * tables by which the reader checks (rulebook_sections.def, rulebook_keys.def).
 */
#include "sources/policies/private.h"
#include "sources/policies/rulebook_keys.h"

/* The schema of one value. */
typedef struct bl_value describe(struct bl_arena *arena);

static void put(struct bl_object_builder *made, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(made, bl_str(key), value);
}

static void put_text(struct bl_object_builder *made, const char *key,
		     const char *text)
{
	put(made, key, bl_value_string(bl_str(text)));
}

/* {"type": NAME}, with the pattern or format that it has besides. */
static struct bl_value typed(struct bl_arena *arena, const char *type,
			     const char *key, struct bl_value value)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, arena);
	put_text(&made, "type", type);
	if (key)
		put(&made, key, value);
	return bl_object_builder_end(&made);
}

static struct bl_value choice(struct bl_arena *arena, const char *const *words)
{
	struct bl_object_builder made;
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (; *words; words++)
		bl_array_builder_add(&list, bl_value_string(bl_str(*words)));
	bl_object_builder_init(&made, arena);
	put(&made, "enum", bl_array_builder_end(&list));
	return bl_object_builder_end(&made);
}

static struct bl_value either(struct bl_arena *arena, struct bl_value a,
			      struct bl_value b)
{
	struct bl_value both[2] = { a, b };
	struct bl_object_builder made;

	bl_object_builder_init(&made, arena);
	put(&made, "anyOf", bl_array_make(arena, both, 2));
	return bl_object_builder_end(&made);
}

static struct bl_value any_text(struct bl_arena *arena)
{
	return typed(arena, "string", "minLength", bl_value_integer(1));
}

static struct bl_value texts(struct bl_arena *arena)
{
	return typed(arena, "array", "items", any_text(arena));
}

static struct bl_value one_of_keys(struct bl_arena *arena,
				   enum rulebook_owner owner, size_t most);

/* The schemas of the shapes of rulebook_keys.h. */
static struct bl_value shape(struct bl_arena *arena, enum rulebook_shape shape)
{
	static const char *const formats[] = { "json", "text", NULL };

	switch (shape) {
	case RULEBOOK_TEXT:
		break;
	case RULEBOOK_TEXTS:
		return texts(arena);
	case RULEBOOK_FLAG:
		return typed(arena, "boolean", NULL, bl_value_undefined());
	case RULEBOOK_NUMBER:
		return typed(arena, "number", NULL, bl_value_undefined());
	case RULEBOOK_DATE:
		return typed(arena, "string", "pattern",
			     bl_value_string(
				     BL_STR("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")));
	case RULEBOOK_ACTION:
		return either(arena, any_text(arena),
			      one_of_keys(arena, RULEBOOK_OF_ACTION, 1));
	case RULEBOOK_COMMAND:
		return either(arena, any_text(arena), texts(arena));
	case RULEBOOK_FORMAT:
		return choice(arena, formats);
	}
	return any_text(arena);
}

static struct bl_value with_meaning(struct bl_arena *arena,
				    struct bl_value schema, const char *meaning)
{
	return policy_put(arena, schema, BL_STR("description"),
			  bl_value_string(bl_str(meaning)));
}

/* An object with the keys of an owner; most 0: as many as there are. */
static struct bl_value one_of_keys(struct bl_arena *arena,
				   enum rulebook_owner owner, size_t most)
{
	size_t count;
	const struct rulebook_key *keys = rulebook_keys_of(owner, &count);
	struct bl_object_builder properties;
	struct bl_object_builder made;
	struct bl_array_builder needed;

	bl_object_builder_init(&properties, arena);
	bl_array_builder_init(&needed, arena);
	for (size_t i = 0; i < count; i++) {
		put(&properties, keys[i].name,
		    with_meaning(arena, shape(arena, keys[i].shape),
				 keys[i].meaning));
		if (keys[i].is_needed)
			bl_array_builder_add(
				&needed, bl_value_string(bl_str(keys[i].name)));
	}
	bl_object_builder_init(&made, arena);
	put_text(&made, "type", "object");
	put(&made, "properties", bl_object_builder_end(&properties));
	if (needed.count)
		put(&made, "required", bl_array_builder_end(&needed));
	put(&made, "additionalProperties", bl_value_boolean(false));
	if (most) {
		put(&made, "minProperties", bl_value_integer(1));
		put(&made, "maxProperties", bl_value_integer((int64_t)most));
	}
	return bl_object_builder_end(&made);
}

static struct bl_value list_of(struct bl_arena *arena,
			       enum rulebook_owner owner)
{
	return typed(arena, "array", "items", one_of_keys(arena, owner, 0));
}

/* An object whose keys are names of the user's own. */
static struct bl_value map_of(struct bl_arena *arena, struct bl_value values)
{
	return typed(arena, "object", "additionalProperties", values);
}

/* ---- sections -------------------------------------------------------------------- */

static struct bl_value describe_LEVEL(struct bl_arena *arena)
{
	struct bl_array_builder list;
	struct bl_object_builder made;

	bl_array_builder_init(&list, arena);
	for (int i = BL_LEVEL_OFF; i < BL_LEVEL_COUNT; i++)
		bl_array_builder_add(&list,
				     bl_value_string(bl_str(
					     bl_level_name((enum bl_level)i))));
	/* YAML 1.1 reads off as a boolean. */
	bl_array_builder_add(&list, bl_value_boolean(false));
	bl_object_builder_init(&made, arena);
	put(&made, "enum", bl_array_builder_end(&list));
	return bl_object_builder_end(&made);
}

static struct bl_value describe_MODES(struct bl_arena *arena)
{
	static const char *const words[] = { "off", "monitor", "ask", "deny",
					     NULL };

	return map_of(arena, choice(arena, words));
}

static struct bl_value describe_RULES(struct bl_arena *arena)
{
	return list_of(arena, RULEBOOK_OF_RULE);
}

static struct bl_value describe_EXCEPTIONS(struct bl_arena *arena)
{
	return list_of(arena, RULEBOOK_OF_EXCEPTION);
}

static struct bl_value describe_PROTECT(struct bl_arena *arena)
{
	return one_of_keys(arena, RULEBOOK_OF_PROTECT, 0);
}

static struct bl_value describe_WEAKEN(struct bl_arena *arena)
{
	static const char *const words[] = { "forbid", "allow", NULL };

	return choice(arena, words);
}

static struct bl_value describe_SIGNALS(struct bl_arena *arena)
{
	return map_of(arena, one_of_keys(arena, RULEBOOK_OF_SIGNAL, 0));
}

static struct bl_value describe_ON_ERROR(struct bl_arena *arena)
{
	static const char *const words[] = { "deny", "ask", "allow", NULL };

	return either(arena, choice(arena, words),
		      map_of(arena, choice(arena, words)));
}

static struct bl_value describe_ON_UNMODIFIABLE(struct bl_arena *arena)
{
	static const char *const words[] = { "deny", "allow", NULL };

	return choice(arena, words);
}

static struct bl_value describe_SANDBOX(struct bl_arena *arena)
{
	return any_text(arena);
}

static struct bl_value describe_TELEMETRY(struct bl_arena *arena)
{
	return one_of_keys(arena, RULEBOOK_OF_TELEMETRY, 0);
}

static struct bl_value describe_PREPROCESS(struct bl_arena *arena)
{
	return one_of_keys(arena, RULEBOOK_OF_PREPROCESS, 0);
}

static struct bl_value describe_ANYTHING(struct bl_arena *arena)
{
	return bl_object_make(arena, NULL, 0, NULL);
}

static const struct {
	const char *name;
	describe *describe;
	const char *meaning;
} sections[] = {
#define SECTION(name, is_mapping, reader, schema, meaning)                     \
	{ name, describe_##schema, meaning },
#include "sources/policies/rulebook_sections.def"
#undef SECTION
};

struct bl_value bl_rulebook_schema(struct bl_arena *arena)
{
	struct bl_object_builder properties;
	struct bl_object_builder made;

	bl_object_builder_init(&properties, arena);
	for (size_t i = 0; i < BL_COUNT(sections); i++)
		put(&properties, sections[i].name,
		    with_meaning(arena, sections[i].describe(arena),
				 sections[i].meaning));
	bl_object_builder_init(&made, arena);
	put_text(&made, "$schema",
		 "https://json-schema.org/draft/2020-12/schema");
	put_text(&made, "title", "belay: rulebook.yml");
	put_text(&made, "type", "object");
	put(&made, "properties", bl_object_builder_end(&properties));
	return bl_object_builder_end(&made);
}

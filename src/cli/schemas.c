/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schemas.c: the tables of schemas.def as JSON Schemas.  Words that other tables
 * have (verdicts, outcomes, events, agents) come from there.  Faults that a
 * schema cannot see (a regular expression that does not compile) are left to the
 * validators.
 */
#include "cli/schemas.h"

#include "agents/agents.h"
#include "decision/decision.h"
#include "event/event.h"
#include "json/json.h"
#include "sandbox/sandbox.h"
#include "sources/hooks/everruns/everruns.h"
#include "sources/policies/policies.h"

#define OWNERS(X)                                                              \
	X(HOOKS)                                                               \
	X(HOOK)                                                                \
	X(HOOKS_2_3)                                                           \
	X(HOOK_2_3)                                                            \
	X(EVERRUNS)                                                            \
	X(EVERRUNS_HOOK)                                                       \
	X(EVERRUNS_MATCHER)                                                    \
	X(EVERRUNS_BASH)                                                       \
	X(EVERRUNS_WEBHOOK)                                                    \
	X(CASE)                                                                \
	X(EXPECT)                                                              \
	X(JOURNAL)                                                             \
	X(PAYLOAD)                                                             \
	X(RESULT)                                                              \
	X(ENFORCEMENT)                                                         \
	X(EXECUTION)                                                           \
	X(POLICIES)                                                            \
	X(ERROR)

enum owner {
#define OWNER(name) OWNER_##name,
	OWNERS(OWNER)
#undef OWNER
};

/* A schema in the making; the shapes below are functions of it. */
typedef struct bl_value shape(struct bl_arena *arena);

static struct bl_value object_of(struct bl_arena *arena, enum owner owner);

/* ---- simple shapes ------------------------------------------------------ */

/* A schema without words of other tables, as it is printed. */
static struct bl_value constant(struct bl_arena *arena, const char *json)
{
	struct bl_value value = bl_value_undefined();

	bl_json_read(arena, bl_str(json), NULL, &value, NULL, NULL, NULL);
	return value;
}

#define CONSTANT(name, json)                                                   \
	static struct bl_value shape_##name(struct bl_arena *arena)            \
	{                                                                      \
		return constant(arena, json);                                  \
	}

CONSTANT(ANYTHING, "{}")
CONSTANT(TEXT, "{\"type\":\"string\"}")
CONSTANT(TEXT_OR_NULL, "{\"type\":[\"string\",\"null\"]}")
CONSTANT(LINE, "{\"type\":\"string\",\"pattern\":\"\\\\S\"}")
CONSTANT(TEXTS, "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}")
CONSTANT(TEXT_MAP, "{\"type\":\"object\",\"maxProperties\":16,"
		   "\"additionalProperties\":{\"type\":\"string\"}}")
CONSTANT(FLAG, "{\"type\":\"boolean\"}")
CONSTANT(NUMBER, "{\"type\":\"number\"}")
CONSTANT(POSITIVE, "{\"type\":\"number\",\"exclusiveMinimum\":0}")
CONSTANT(INTEGER, "{\"type\":\"integer\"}")
CONSTANT(COUNT, "{\"type\":\"integer\",\"minimum\":1}")
CONSTANT(COUNT_OR_NULL, "{\"type\":[\"integer\",\"null\"],\"minimum\":1}")
CONSTANT(OBJECT, "{\"type\":\"object\"}")
CONSTANT(VERSION_1, "{\"const\":1}")
CONSTANT(WORD_BASH, "{\"const\":\"bash\"}")
CONSTANT(WORD_WEBHOOK, "{\"const\":\"webhook\"}")
CONSTANT(HOOK_TYPE, "{\"enum\":[\"command\",\"prompt\",\"webhook\"]}")
CONSTANT(ON_ERROR, "{\"enum\":[\"block\",\"allow\",\"warn\"]}")
CONSTANT(EFFECT, "{\"enum\":[\"nothing\",\"use\",\"deny\",\"ask\"]}")
CONSTANT(SECRET,
	 "{\"type\":\"string\",\"pattern\":\"^(file:/.|env:[A-Za-z_])\"}")
CONSTANT(DIGEST, "{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{64}$\"}")
CONSTANT(TIME, "{\"type\":\"string\",\"pattern\":\"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
	       "T[0-9:]{8}\\\\.[0-9]{3}Z$\"}")

/* ---- words of other tables ---------------------------------------------- */

/* Rows of a table may share a name, as kinds of outcomes do. */
static bool has_word(const struct bl_array_builder *list, const char *word)
{
	for (size_t i = 0; i < list->count; i++)
		if (bl_str_is(bl_value_text(list->items[i]), word))
			return true;
	return false;
}

static struct bl_value words(struct bl_arena *arena,
			     const char *(*word_at)(size_t i))
{
	struct bl_array_builder list;
	struct bl_object_builder made;
	const char *word;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; (word = word_at(i)); i++)
		if (*word && !has_word(&list, word))
			bl_array_builder_add(&list,
					     bl_value_string(bl_str(word)));
	bl_object_builder_init(&made, arena);
	bl_object_builder_add(&made, BL_STR("enum"),
			      bl_array_builder_end(&list));
	return bl_object_builder_end(&made);
}

static const char *verdict_at(size_t i)
{
	return i < BL_VERDICT_COUNT ? bl_verdict_name((enum bl_verdict)i)
				    : NULL;
}

/* Context alone decides nothing: it is "allow". */
static const char *decision_at(size_t i)
{
	if (i >= BL_VERB_COUNT)
		return NULL;
	return i == BL_VERB_ADD_CONTEXT ? "" : bl_verb_name((enum bl_verb)i);
}

static const char *outcome_at(size_t i)
{
	return i < BL_OUTCOME_COUNT ? bl_outcome_name((enum bl_outcome_kind)i)
				    : NULL;
}

static const char *kind_at(size_t i)
{
	return i < BL_EVENT_KIND_COUNT
		       ? bl_event_kind_name((enum bl_event_kind)i)
		       : NULL;
}

static const char *everruns_event_at(size_t i)
{
	return i < BL_EVERRUNS_EVENT_COUNT
		       ? bl_everruns_event_name((enum bl_everruns_event)i)
		       : NULL;
}

static struct bl_value shape_VERDICT(struct bl_arena *arena)
{
	return words(arena, verdict_at);
}

static struct bl_value shape_DECISION(struct bl_arena *arena)
{
	return words(arena, decision_at);
}

static struct bl_value shape_OUTCOME(struct bl_arena *arena)
{
	return words(arena, outcome_at);
}

static struct bl_value shape_KIND(struct bl_arena *arena)
{
	return words(arena, kind_at);
}

static struct bl_value shape_AGENT(struct bl_arena *arena)
{
	return words(arena, bl_agent_name_at);
}

static struct bl_value shape_EVERRUNS_EVENT(struct bl_arena *arena)
{
	return words(arena, everruns_event_at);
}

static struct bl_value shape_EVERRUNS_TIMEOUT(struct bl_arena *arena)
{
	return constant(arena,
			bl_arena_printf(arena,
					"{\"type\":\"integer\",\"minimum\":%d,"
					"\"maximum\":%d}",
					BL_EVERRUNS_MIN_TIMEOUT_MS,
					BL_EVERRUNS_MAX_TIMEOUT_MS)
				.ptr);
}

static struct bl_value shape_SANDBOX(struct bl_arena *arena)
{
	struct bl_array_builder list;
	struct bl_object_builder made;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; bl_sandbox_profile_at(i); i++) {
		const char *name = bl_sandbox_profile_at(i)->name;

		bl_array_builder_add(&list, bl_value_string(bl_str(name)));
		bl_array_builder_add(&list,
				     bl_value_string(bl_arena_printf(
					     arena, "%s+network", name)));
	}
	bl_object_builder_init(&made, arena);
	bl_object_builder_add(&made, BL_STR("enum"),
			      bl_array_builder_end(&list));
	return bl_object_builder_end(&made);
}

/* ---- objects of objects ------------------------------------------------- */

static struct bl_value list_of(struct bl_arena *arena, struct bl_value items)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, arena);
	bl_object_builder_add(&made, BL_STR("type"),
			      bl_value_string(BL_STR("array")));
	bl_object_builder_add(&made, BL_STR("items"), items);
	return bl_object_builder_end(&made);
}

static struct bl_value with(struct bl_arena *arena, struct bl_value object,
			    const char *key, struct bl_value value)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, arena);
	for (size_t i = 0; i < bl_value_count(object); i++)
		bl_object_builder_add(&made,
				      bl_value_text(bl_object_key(object, i)),
				      bl_object_value(object, i));
	bl_object_builder_add(&made, bl_str(key), value);
	return bl_object_builder_end(&made);
}

/* The members that a hook must have depend on its type. */
static struct bl_value one_hook(struct bl_arena *arena)
{
	return with(
		arena, object_of(arena, OWNER_HOOK), "anyOf",
		constant(arena,
			 "[{\"properties\":{\"type\":{\"const\":\"command\"},"
			 "\"command\":{\"pattern\":\"\\\\S\"}},"
			 "\"required\":[\"command\"]},"
			 "{\"properties\":{\"type\":{\"const\":\"prompt\"}},"
			 "\"required\":[\"type\",\"prompt\"]},"
			 "{\"properties\":{\"type\":{\"const\":\"webhook\"}},"
			 "\"required\":[\"type\",\"url\",\"secret\"],"
			 "\"not\":{\"required\":[\"command\"]}}]"));
}

static struct bl_value steps_of(struct bl_arena *arena, enum bl_dialect dialect,
				struct bl_value hook)
{
	const struct bl_contract *contract = bl_contract_get(dialect);
	struct bl_object_builder events;
	struct bl_object_builder made;

	bl_object_builder_init(&events, arena);
	for (size_t i = 0; i < contract->event_count; i++)
		bl_object_builder_add(&events, bl_str(contract->events[i].name),
				      list_of(arena, hook));
	bl_object_builder_init(&made, arena);
	bl_object_builder_add(&made, BL_STR("type"),
			      bl_value_string(BL_STR("object")));
	bl_object_builder_add(&made, BL_STR("properties"),
			      bl_object_builder_end(&events));
	bl_object_builder_add(&made, BL_STR("additionalProperties"),
			      bl_value_boolean(false));
	return bl_object_builder_end(&made);
}

static struct bl_value shape_STEPS(struct bl_arena *arena)
{
	return steps_of(arena, BL_DIALECT_CURSOR, one_hook(arena));
}

static struct bl_value shape_STEPS_2_3(struct bl_arena *arena)
{
	return steps_of(arena, BL_DIALECT_CURSOR_2_3,
			object_of(arena, OWNER_HOOK_2_3));
}

static struct bl_value shape_EXECUTOR(struct bl_arena *arena)
{
	struct bl_value both[] = { object_of(arena, OWNER_EVERRUNS_BASH),
				   object_of(arena, OWNER_EVERRUNS_WEBHOOK) };
	struct bl_object_builder made;

	bl_object_builder_init(&made, arena);
	bl_object_builder_add(&made, BL_STR("anyOf"),
			      bl_array_make(arena, both, BL_COUNT(both)));
	return bl_object_builder_end(&made);
}

#define OF(name)                                                               \
	static struct bl_value shape_OF_##name(struct bl_arena *arena)         \
	{                                                                      \
		return object_of(arena, OWNER_##name);                         \
	}
OF(EVERRUNS_MATCHER)
OF(EXPECT)
OF(PAYLOAD)
OF(ENFORCEMENT)
OF(POLICIES)
OF(ERROR)

#define LIST(name)                                                             \
	static struct bl_value shape_LIST_##name(struct bl_arena *arena)       \
	{                                                                      \
		return list_of(arena, object_of(arena, OWNER_##name));         \
	}
LIST(EVERRUNS_HOOK)
LIST(EXECUTION)

enum need { FREE, NEEDED };

static const struct field {
	enum owner owner;
	enum need need;
	const char *name;
	shape *shape;
	const char *meaning;
} fields[] = {
#define FIELD(owner, name, shape, need, meaning)                               \
	{ OWNER_##owner, need, name, shape_##shape, meaning },
#include "cli/schemas.def"
#undef FIELD
};

/* These say what an unknown member is; elsewhere one may be there. */
static bool is_closed(enum owner owner)
{
	return owner == OWNER_CASE || owner == OWNER_EXPECT;
}

static struct bl_value object_of(struct bl_arena *arena, enum owner owner)
{
	struct bl_object_builder properties;
	struct bl_object_builder made;
	struct bl_array_builder needed;

	bl_object_builder_init(&properties, arena);
	bl_array_builder_init(&needed, arena);
	for (size_t i = 0; i < BL_COUNT(fields); i++) {
		const struct field *field = &fields[i];

		if (field->owner != owner)
			continue;
		bl_object_builder_add(
			&properties, bl_str(field->name),
			with(arena, field->shape(arena), "description",
			     bl_value_string(bl_str(field->meaning))));
		if (field->need == NEEDED)
			bl_array_builder_add(
				&needed, bl_value_string(bl_str(field->name)));
	}
	bl_object_builder_init(&made, arena);
	bl_object_builder_add(&made, BL_STR("type"),
			      bl_value_string(BL_STR("object")));
	bl_object_builder_add(&made, BL_STR("properties"),
			      bl_object_builder_end(&properties));
	if (needed.count)
		bl_object_builder_add(&made, BL_STR("required"),
				      bl_array_builder_end(&needed));
	if (is_closed(owner))
		bl_object_builder_add(&made, BL_STR("additionalProperties"),
				      bl_value_boolean(false));
	return bl_object_builder_end(&made);
}

/* ---- whole schemas ------------------------------------------------------ */

static const struct {
	const char *name;
	const char *title;
	enum owner owner;
} schemas[] = {
	{ "hooks", "hooks.json of Cursor", OWNER_HOOKS },
	{ "hooks-2.3", "hooks.json of Cursor 2.3.41", OWNER_HOOKS_2_3 },
	{ "everruns", "user hooks of Everruns", OWNER_EVERRUNS },
	{ "case", "a case of belay test and belay replay", OWNER_CASE },
	{ "journal", "a line of the journal", OWNER_JOURNAL },
	{ "result", "the result of one event", OWNER_RESULT },
};

static const char rulebook[] = "rulebook";

const char *cli_schema_name(size_t i)
{
	if (i == 0)
		return rulebook;
	return i <= BL_COUNT(schemas) ? schemas[i - 1].name : NULL;
}

struct bl_value cli_schema(struct bl_arena *arena, struct bl_str name)
{
	struct bl_object_builder made;
	struct bl_value body;

	if (bl_str_is(name, rulebook))
		return bl_rulebook_schema(arena);
	for (size_t i = 0; i < BL_COUNT(schemas); i++) {
		if (!bl_str_is(name, schemas[i].name))
			continue;
		body = object_of(arena, schemas[i].owner);
		bl_object_builder_init(&made, arena);
		bl_object_builder_add(
			&made, BL_STR("$schema"),
			bl_value_string(BL_STR("http://json-schema.org/"
					       "draft-07/schema#")));
		bl_object_builder_add(
			&made, BL_STR("title"),
			bl_value_string(bl_arena_printf(arena, "belay: %s",
							schemas[i].title)));
		for (size_t j = 0; j < bl_value_count(body); j++)
			bl_object_builder_add(
				&made, bl_value_text(bl_object_key(body, j)),
				bl_object_value(body, j));
		return bl_object_builder_end(&made);
	}
	return bl_value_undefined();
}

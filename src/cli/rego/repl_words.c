/* SPDX-License-Identifier: Apache-2.0 */
/* The words that Tab completes; apart from cmd_run.c, which is about lines. */
#include "cli/rego/repl_words.h"

struct completion {
	struct bl_str prefix;
	void (*add)(void *words, struct bl_str word);
	void *words;
};

static void offer(const struct completion *c, struct bl_str word)
{
	if (bl_str_has_prefix(word, c->prefix))
		c->add(c->words, word);
}

static void offer_rule(void *context, struct bl_str path, struct bl_str file,
		       uint32_t line)
{
	(void)file;
	(void)line;
	offer(context, path);
}

/* Keys of data or input, as far as the prefix has gone, and one more. */
static void offer_keys(const struct repl_words *known,
		       const struct completion *c, struct bl_str path,
		       struct bl_value value)
{
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return;
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_str key = bl_value_text(bl_object_key(value, i));
		struct bl_str word =
			bl_arena_printf(known->arena, "%.*s.%.*s",
					BL_STR_ARG(path), BL_STR_ARG(key));

		if (!word.ptr || !bl_rego_is_path(key))
			continue;
		offer(c, word);
		if (c->prefix.len > word.len &&
		    bl_str_has_prefix(c->prefix, word) &&
		    c->prefix.ptr[word.len] == '.')
			offer_keys(known, c, word, bl_object_value(value, i));
	}
}

void repl_words_each(const struct repl_words *known, struct bl_str prefix,
		     void (*add)(void *words, struct bl_str word), void *words)
{
	struct completion c = { prefix, add, words };
	const struct bl_builtin *builtin;

	for (size_t i = 0; i < known->module->count; i++)
		if (known->module->parts[i].name)
			offer(&c, bl_str(known->module->parts[i].name));
	offer_keys(known, &c, BL_STR("data"), known->data);
	offer_keys(known, &c, BL_STR("input"), known->input);
	if (known->policies)
		bl_rego_each_rule(known->policies, BL_STR(""), known->arena,
				  offer_rule, &c);
	for (size_t i = 0; (builtin = bl_builtin_at(i)); i++)
		offer(&c, bl_str(builtin->name));
}

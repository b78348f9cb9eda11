/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/text.c: texts that are known in part (private.h says how they are
 * written), and the builder that makes them.
 */
#include "effects/private.h"

void effects_builder_init(struct effects_builder *builder,
			  struct bl_arena *arena, size_t max)
{
	*builder = (struct effects_builder){ .arena = arena, .max = max };
}

/* Room for more bytes; false: the rest is not kept, or memory is out. */
static bool reserve(struct effects_builder *builder, size_t more)
{
	size_t cap = builder->cap ? builder->cap * 2 : 64;
	char *ptr;

	if (builder->len + more <= builder->cap)
		return true;
	while (cap < builder->len + more)
		cap *= 2;
	ptr = bl_arena_alloc_aligned(builder->arena, cap, 1);
	if (!ptr)
		return false;
	if (builder->len)
		memcpy(ptr, builder->ptr, builder->len);
	builder->ptr = ptr;
	builder->cap = cap;
	return true;
}

void effects_put(struct effects_builder *builder, const char *ptr, size_t len)
{
	if (builder->is_full || !len)
		return;
	if (builder->len + len > builder->max) {
		builder->is_full = true;
		if (reserve(builder, 2)) {
			builder->ptr[builder->len++] = 0;
			builder->ptr[builder->len++] =
				(char)(EFFECTS_HOLE + EFFECTS_HOLES);
		}
		return;
	}
	if (!reserve(builder, len))
		return;
	memcpy(builder->ptr + builder->len, ptr, len);
	builder->len += len;
}

void effects_put_text(struct effects_builder *builder, struct effects_text text)
{
	builder->origins |= text.origins;
	effects_put(builder, text.ptr, text.len);
}

void effects_put_mark(struct effects_builder *builder, char mark)
{
	char bytes[2] = { 0, mark };

	effects_put(builder, bytes, 2);
}

struct effects_text effects_built(const struct effects_builder *builder)
{
	return (struct effects_text){ builder->ptr, (uint32_t)builder->len,
				      builder->origins };
}

struct effects_text effects_join(struct bl_arena *arena, struct effects_text a,
				 struct effects_text b)
{
	struct effects_builder builder;

	effects_builder_init(&builder, arena, UINT32_MAX);
	if (!a.len)
		return (struct effects_text){ b.ptr, b.len,
					      a.origins | b.origins };
	if (!b.len)
		return (struct effects_text){ a.ptr, a.len,
					      a.origins | b.origins };
	reserve(&builder, (size_t)a.len + b.len);
	effects_put_text(&builder, a);
	effects_put_text(&builder, b);
	return effects_built(&builder);
}

struct effects_text effects_cut(struct effects_text text, size_t from,
				size_t to)
{
	if (to > text.len)
		to = text.len;
	if (from > to)
		from = to;
	return (struct effects_text){ text.ptr + from, (uint32_t)(to - from),
				      text.origins };
}

enum bl_fact_state effects_state_of(struct effects_text text)
{
	enum bl_fact_state state = BL_FACT_KNOWN;

	for (size_t i = 0; i + 1 < text.len; i++) {
		if (text.ptr[i])
			continue;
		if ((unsigned char)text.ptr[++i] >= EFFECTS_HOLE)
			return BL_FACT_UNKNOWN;
		state = BL_FACT_PATTERN;
	}
	return state;
}

size_t effects_known_prefix(struct effects_text text)
{
	const char *mark = text.len ? memchr(text.ptr, 0, text.len) : NULL;

	return mark ? (size_t)(mark - text.ptr) : text.len;
}

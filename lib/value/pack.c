/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values in 8 bytes, for large documents that stay (bl_pack): the same value as the
 * 16-byte form, a quarter of the memory.
 *
 * [{"id": 7, "city": "Rome"}, {"id": 8, "city": "Rome"}] takes
 *
 *     array   2 words, each a tag OBJECT and an address
 *     object  a pointer to its shape and one word for each member's value
 *     shape   the keys {"id", "city"} in order, with their sorted order: one for both
 *             objects, found again by the hash of the keys
 *     7, 8    a tag INTEGER and the number in the upper 56 bits
 *     "Rome"  four bytes, a length and a tag, all in the word; a longer text is an
 *             address, and one text for both where it was met lately
 *
 * Short arrays are shared like texts: {"roles": ["read", "write"]} in every row of a table
 * is one array.  Equal words are equal values, so words are what is compared.
 *
 * A value met lately is found by hash in tables of a fixed size with two places for
 * each hash; what is pushed out is merely stored again.  A number that does not fit, or
 * has a spelling of its own, is boxed: an address of its 16 bytes.
 */
#include "value/private.h"

#include <stdlib.h>

/*
 * A text seen lately is found again by hash, in the two places that a hash
 * has.  A forgotten text is merely not shared: hostile texts cost no time.
 */
enum {
	TEXT_BITS = 11,
	SHAPE_BITS = 9,
	ARRAY_BITS = 9,
	SHARED_TEXT_MAX = 64,
	SHARED_ARRAY_MAX = 8,
	TEXT_BLOCK_BYTES = 4096,
};

struct seen_text {
	struct bl_packed text;
	uint64_t hash; /* or the text itself, far away, would be looked at */
};

struct bl_packer {
	struct bl_arena *arena;
	char *text_next; /* texts lie close together */
	char *text_end;
	struct seen_text texts[1 << TEXT_BITS][2];
	const struct bl_shape *shapes[1 << SHAPE_BITS][2];
	struct bl_packed arrays[1 << ARRAY_BITS][2];
};

/* The end of a text moves only the upper bits of its hash. */
static size_t top_bits(uint64_t hash, unsigned int bits)
{
	return hash_mix(hash, 0) >> (64 - bits);
}

struct bl_packer *bl_packer_new(struct bl_arena *arena)
{
	struct bl_packer *packer = calloc(1, sizeof(*packer));

	if (packer)
		packer->arena = arena;
	else
		arena->status = BL_NO_MEMORY;
	return packer;
}

void bl_packer_free(struct bl_packer *packer)
{
	free(packer);
}

/* ---- one value ---------------------------------------------------------- */

static struct bl_value unpack_object(const struct packed_object *object)
{
	struct bl_value value = { .kind = BL_KIND_OBJECT };

	if (object) {
		value.form = FORM_PACKED;
		value.len = object->shape->count;
		value.as.packed = (const void *)object;
	}
	return value;
}

struct bl_value bl_unpack_word(uint64_t word)
{
	uint32_t len = word >> 8 & PACKED_LENGTH_MAX;

	switch (word & 0xFF) {
	case TAG_NULL:
		return bl_value_null();
	case TAG_FALSE:
	case TAG_TRUE:
		return bl_value_boolean((word & 0xFF) == TAG_TRUE);
	case TAG_INTEGER:
		return bl_value_integer((int64_t)word >> 8);
	case TAG_NUMBER:
		return (struct bl_value){ .kind = BL_KIND_NUMBER,
					  .form = FORM_TEXT,
					  .len = len,
					  .as.text = packed_address(word) };
	case TAG_ARRAY:
		return (struct bl_value){ .kind = BL_KIND_ARRAY,
					  .form = len ? FORM_PACKED : 0,
					  .len = len,
					  .as.packed = packed_address(word) };
	case TAG_OBJECT:
		return unpack_object(packed_address(word));
	case TAG_BOX:
		return *(const struct bl_value *)packed_address(word);
	default:
		return bl_value_undefined();
	}
}

struct bl_value bl_unpack(const struct bl_packed *packed)
{
	return unpack(packed);
}

/*
 * The system gives no address of more bits unless it is asked to; then there
 * is no memory of the kind that is needed here.
 */
static bool point(struct bl_packer *packer, unsigned int tag, size_t len,
		  const void *to, struct bl_packed *out)
{
	uint64_t address = (uintptr_t)to;

	if (address >> ADDRESS_BITS) {
		packer->arena->status = BL_NO_MEMORY;
		return false;
	}
	out->word = address << (64 - ADDRESS_BITS) | (uint64_t)len << 8 | tag;
	return true;
}

static bool box(struct bl_packer *packer, struct bl_value value,
		struct bl_packed *out)
{
	struct bl_value *room = bl_arena_alloc_aligned(
		packer->arena, sizeof(*room), _Alignof(struct bl_value));

	if (!room)
		return false;
	*room = value;
	return point(packer, TAG_BOX, 0, room, out);
}

/* ---- texts -------------------------------------------------------------- */

static const char *keep_text(struct bl_packer *packer, const char *text,
			     size_t len)
{
	char *kept = packer->text_next;

	if (len > PACKED_LENGTH_MAX) {
		kept = bl_arena_alloc_aligned(packer->arena, len, 1);
	} else if ((size_t)(packer->text_end - kept) < len) {
		kept = bl_arena_alloc_aligned(packer->arena, TEXT_BLOCK_BYTES,
					      1);
		packer->text_end = kept ? kept + TEXT_BLOCK_BYTES : NULL;
		packer->text_next = kept;
	}
	if (!kept)
		return NULL;
	memmove(kept, text, len); /* text may be there already (json) */
	if (len <= PACKED_LENGTH_MAX)
		packer->text_next += len;
	return kept;
}

static bool pack_new_text(struct bl_packer *packer, unsigned int tag,
			  struct bl_value value, struct bl_packed *out)
{
	value.as.text = keep_text(packer, value.as.text, value.len);
	if (!value.as.text)
		return false;
	if (value.len > PACKED_LENGTH_MAX)
		return box(packer, value, out);
	return point(packer, tag, value.len, value.as.text, out);
}

static bool is_seen(const struct seen_text *seen, struct bl_value value,
		    uint64_t hash)
{
	return seen->hash == hash && seen->text.word &&
	       same_value(unpack(&seen->text), value);
}

/* A text that may be there already. */
static bool pack_shared_text(struct bl_packer *packer, struct bl_value value,
			     struct bl_packed *out)
{
	uint64_t hash = bl_value_hash(value);
	struct seen_text *pair = packer->texts[top_bits(hash, TEXT_BITS)];

	if (is_seen(&pair[0], value, hash)) {
		*out = pair[0].text;
		return true;
	}
	if (is_seen(&pair[1], value, hash))
		*out = pair[1].text;
	else if (!pack_new_text(packer, TAG_TEXT, value, out))
		return false;
	pair[1] = pair[0];
	pair[0] = (struct seen_text){ *out, hash };
	return true;
}

static bool pack_text(struct bl_packer *packer, struct bl_value value,
		      struct bl_packed *out)
{
	bool is_text = value.kind == BL_KIND_STRING;
	struct bl_str text = { value.as.text, value.len };

	if (value.len <= SHORT_TEXT_MAX) {
		*out = pack_short(is_text ? TAG_SHORT_TEXT : TAG_SHORT_NUMBER,
				  text);
		return true;
	}
	if (is_text && value.len <= SHARED_TEXT_MAX)
		return pack_shared_text(packer, value, out);
	return pack_new_text(packer, is_text ? TAG_TEXT : TAG_NUMBER, value,
			     out);
}

/* ---- scalars ------------------------------------------------------------ */

static bool pack_integer(struct bl_packer *packer, struct bl_value value,
			 struct bl_packed *out)
{
	int64_t integer = value.as.integer;

	if (integer < INT64_MIN >> 8 || integer > INT64_MAX >> 8)
		return box(packer, value, out);
	out->word = (uint64_t)integer << 8 | TAG_INTEGER;
	return true;
}

bool bl_pack(struct bl_packer *packer, struct bl_value value,
	     struct bl_packed *out_packed)
{
	switch (bl_value_kind(value)) {
	case BL_KIND_NULL:
		out_packed->word = TAG_NULL;
		return true;
	case BL_KIND_BOOLEAN:
		out_packed->word = value.as.boolean ? TAG_TRUE : TAG_FALSE;
		return true;
	case BL_KIND_NUMBER:
		return value.form == FORM_TEXT
			       ? pack_text(packer, value, out_packed)
			       : pack_integer(packer, value, out_packed);
	case BL_KIND_STRING:
		return pack_text(packer, value, out_packed);
	case BL_KIND_UNDEFINED:
	case BL_KIND_ARRAY:
	case BL_KIND_OBJECT:
	case BL_KIND_SET:
	case BL_KIND_COUNT:
		break;
	}
	return box(packer, value, out_packed);
}

/* ---- arrays ------------------------------------------------------------- */

static bool pack_new_array(struct bl_packer *packer,
			   const struct bl_packed *items, size_t count,
			   struct bl_packed *out_packed)
{
	struct bl_value array = { .kind = BL_KIND_ARRAY, .form = FORM_PACKED };
	struct bl_packed *copy;
	size_t bytes;

	if (count > UINT32_MAX || !bl_mul_size(count, sizeof(*copy), &bytes))
		bytes = SIZE_MAX;
	copy = bl_arena_alloc_aligned(packer->arena, bytes,
				      _Alignof(struct bl_packed));
	if (!copy)
		return false;
	memcpy(copy, items, bytes);
	if (count <= PACKED_LENGTH_MAX)
		return point(packer, TAG_ARRAY, count, copy, out_packed);
	array.len = (uint32_t)count;
	array.as.packed = copy;
	return box(packer, array, out_packed);
}

static bool has_items(struct bl_packed array, const struct bl_packed *items,
		      size_t count)
{
	size_t len = array.word >> 8 & PACKED_LENGTH_MAX;

	return array.word && len == count &&
	       !memcmp(packed_address(array.word), items,
		       count * sizeof(*items));
}

bool bl_pack_array(struct bl_packer *packer, const struct bl_packed *items,
		   size_t count, struct bl_packed *out_packed)
{
	struct bl_packed *pair;
	uint64_t hash = hash_start(BL_KIND_ARRAY);

	if (!count)
		return point(packer, TAG_ARRAY, 0, NULL, out_packed);
	if (count > SHARED_ARRAY_MAX)
		return pack_new_array(packer, items, count, out_packed);
	for (size_t i = 0; i < count; i++)
		hash = hash_mix(hash, items[i].word);
	pair = packer->arrays[top_bits(hash, ARRAY_BITS)];
	if (has_items(pair[0], items, count)) {
		*out_packed = pair[0];
		return true;
	}
	if (has_items(pair[1], items, count))
		*out_packed = pair[1];
	else if (!pack_new_array(packer, items, count, out_packed))
		return false;
	pair[1] = pair[0];
	pair[0] = *out_packed;
	return true;
}

/* ---- objects ------------------------------------------------------------ */

static const struct bl_shape *new_shape(struct bl_packer *packer,
					const struct bl_packed_member *members,
					size_t count,
					const struct key_order *order)
{
	struct bl_shape *shape;
	size_t bytes;

	if (count > UINT32_MAX ||
	    !bl_mul_size(count, sizeof(shape->keys[0]), &bytes) ||
	    !bl_add_size(bytes, sizeof(*shape), &bytes))
		bytes = SIZE_MAX;
	shape = bl_arena_alloc_aligned(packer->arena, bytes,
				       _Alignof(struct bl_shape));
	if (!shape)
		return NULL;
	shape->by_key = *order;
	shape->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		shape->keys[i] = members[i].key;
	return shape;
}

/* Takes repeated keys out, like drop_repeats of other objects. */
static size_t drop_repeats(struct bl_packed_member *members, size_t count,
			   const uint32_t *sources)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (sources[i] == UINT32_MAX)
			continue;
		members[kept].key = members[i].key;
		members[kept++].value = members[sources[i]].value;
	}
	return kept;
}

static const struct bl_shape *make_shape(struct bl_packer *packer,
					 struct bl_packed_member *members,
					 size_t *count,
					 struct bl_packed_repeat *out_repeat)
{
	struct keys keys = { .packed = &members->key, .stride = 2 };
	struct key_order order = { 0 };
	const uint32_t *sources;

	for (;;) {
		keys.count = *count;
		switch (bl_value_order_keys(packer->arena, &keys, &order,
					    &sources, &out_repeat->index)) {
		case ORDER_MADE:
			return new_shape(packer, members, *count, &order);
		case ORDER_NO_MEMORY:
			return NULL;
		case ORDER_REPEATS:
			out_repeat->key = members[out_repeat->index].key;
			*count = drop_repeats(members, *count, sources);
			break;
		}
	}
}

static bool has_keys(const struct bl_shape *shape,
		     const struct bl_packed_member *members, size_t count)
{
	if (!shape || shape->count != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (shape->keys[i].word != members[i].key.word)
			return false;
	}
	return true;
}

/* The shape of members: one that was there, or a new one. */
static const struct bl_shape *shape_of(struct bl_packer *packer,
				       struct bl_packed_member *members,
				       size_t *count,
				       struct bl_packed_repeat *out_repeat)
{
	const struct bl_shape **pair, *shape;
	uint64_t h = hash_start(BL_KIND_OBJECT);

	for (size_t i = 0; i < *count; i++)
		h = hash_mix(h, members[i].key.word);
	pair = packer->shapes[top_bits(h, SHAPE_BITS)];
	if (has_keys(pair[0], members, *count))
		return pair[0];
	shape = has_keys(pair[1], members, *count)
			? pair[1]
			: make_shape(packer, members, count, out_repeat);
	if (shape) {
		pair[1] = pair[0];
		pair[0] = shape;
	}
	return shape;
}

bool bl_pack_object(struct bl_packer *packer, struct bl_packed_member *members,
		    size_t *count, struct bl_packed_repeat *out_repeat,
		    struct bl_packed *out_packed)
{
	const struct bl_shape *shape;
	struct packed_object *object;

	out_repeat->index = SIZE_MAX;
	if (!*count)
		return point(packer, TAG_OBJECT, 0, NULL, out_packed);
	shape = shape_of(packer, members, count, out_repeat);
	if (!shape)
		return false;
	object = bl_arena_alloc_aligned(
		packer->arena,
		sizeof(*object) + *count * sizeof(object->values[0]),
		_Alignof(struct packed_object));
	if (!object)
		return false;
	object->shape = shape;
	for (size_t i = 0; i < *count; i++)
		object->values[i] = members[i].value;
	return point(packer, TAG_OBJECT, 0, object, out_packed);
}

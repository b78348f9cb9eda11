/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and networks, as Go's package net reads them. */
#include "rego/builtins/functions.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	V4_BYTES = 4,
	V6_BYTES = 16,
	MAX_EXPANDED_BITS = 20, /* host bits of net.cidr_expand's network */
};

struct address {
	size_t len; /* 4 or 16 */
	uint8_t bytes[V6_BYTES];
};

struct network {
	struct address first; /* without host bits */
	unsigned bits;
};

/* ---- reading ------------------------------------------------------------ */

static bool read_v4(struct bl_str text, uint8_t out[V4_BYTES])
{
	size_t at = 0;

	for (size_t i = 0; i < V4_BYTES; i++) {
		unsigned value = 0;
		size_t digits = 0;

		if (i && (at >= text.len || text.ptr[at++] != '.'))
			return false;
		while (at < text.len && text.ptr[at] >= '0' &&
		       text.ptr[at] <= '9' && digits < 4) {
			value = value * 10 + (unsigned)(text.ptr[at] - '0');
			digits++;
			at++;
		}
		if (!digits || value > 255 ||
		    (digits > 1 && text.ptr[at - digits] == '0'))
			return false;
		out[i] = (uint8_t)value;
	}
	return at == text.len;
}

/* One group of up to four digits; its length, 0 when absent. */
static size_t read_group(struct bl_str text, size_t at, unsigned *out)
{
	size_t len = 0;

	*out = 0;
	while (at + len < text.len && bl_hex_value(text.ptr[at + len]) >= 0 &&
	       len < 5) {
		*out = *out << 4 | (unsigned)bl_hex_value(text.ptr[at + len]);
		len++;
	}
	return len <= 4 ? len : 0;
}

static bool read_v6(struct bl_str text, uint8_t out[V6_BYTES])
{
	size_t at = 0, count = 0, gap = SIZE_MAX;

	memset(out, 0, V6_BYTES);
	if (bl_str_has_prefix(text, BL_STR("::"))) {
		gap = 0;
		at = 2;
	}
	while (at < text.len) {
		unsigned group;
		size_t len = read_group(text, at, &group);

		if (at + len < text.len && text.ptr[at + len] == '.' &&
		    count <= V6_BYTES - V4_BYTES &&
		    (count == V6_BYTES - V4_BYTES || gap != SIZE_MAX)) {
			if (!read_v4(bl_str_slice(text, at, text.len),
				     out + count))
				return false;
			count += V4_BYTES;
			break;
		}
		if (!len || count + 2 > V6_BYTES)
			return false;
		out[count++] = (uint8_t)(group >> 8);
		out[count++] = (uint8_t)group;
		at += len;
		if (at == text.len)
			break;
		if (text.ptr[at++] != ':' || at == text.len)
			return false;
		if (text.ptr[at] != ':')
			continue;
		if (gap != SIZE_MAX)
			return false;
		gap = count;
		at++;
	}
	if (gap == SIZE_MAX)
		return count == V6_BYTES;
	if (count == V6_BYTES)
		return false;
	memmove(out + V6_BYTES - (count - gap), out + gap, count - gap);
	memset(out + gap, 0, V6_BYTES - count);
	return true;
}

static bool read_address(struct bl_str text, struct address *out)
{
	static const uint8_t mapped[12] = { [10] = 0xFF, [11] = 0xFF };

	memset(out, 0, sizeof(*out));
	out->len = V4_BYTES;
	if (read_v4(text, out->bytes))
		return true;
	out->len = V6_BYTES;
	if (!read_v6(text, out->bytes))
		return false;
	if (!memcmp(out->bytes, mapped, sizeof(mapped))) {
		memmove(out->bytes, out->bytes + 12, V4_BYTES);
		memset(out->bytes + V4_BYTES, 0, V6_BYTES - V4_BYTES);
		out->len = V4_BYTES;
	}
	return true;
}

/* The mask of byte i of a prefix of bits. */
static uint8_t mask_byte(unsigned bits, size_t i)
{
	unsigned before = (unsigned)i * 8;

	if (bits <= before)
		return 0;
	if (bits >= before + 8)
		return 0xFF;
	return (uint8_t)(0xFFU << (before + 8 - bits) & 0xFFU);
}

static void clear_host_bits(struct network *network)
{
	for (size_t i = 0; i < network->first.len; i++)
		network->first.bytes[i] &= mask_byte(network->bits, i);
}

static struct address last_of(const struct network *network)
{
	struct address last = network->first;

	for (size_t i = 0; i < last.len; i++)
		last.bytes[i] |= (uint8_t)~mask_byte(network->bits, i);
	return last;
}

static bool read_network(struct bl_str text, struct network *out)
{
	size_t slash = bl_str_find(text, BL_STR("/"), 0);
	struct bl_str bits = bl_str_slice(text, slash + 1, text.len);
	bool has_colon = bl_str_find(text, BL_STR(":"), 0) != SIZE_MAX;
	unsigned most, value = 0;

	if (slash == SIZE_MAX ||
	    !read_address(bl_str_slice(text, 0, slash), &out->first) ||
	    !bits.len || bits.len > 3)
		return false;
	for (size_t i = 0; i < bits.len; i++) {
		if (bits.ptr[i] < '0' || bits.ptr[i] > '9')
			return false;
		value = value * 10 + (unsigned)(bits.ptr[i] - '0');
	}
	most = has_colon ? V6_BYTES * 8 : V4_BYTES * 8;
	if (value > most)
		return false;
	/* ::ffff:a.b.c.d/n with n below 96 is not a network of version 4. */
	if (has_colon && out->first.len == V4_BYTES)
		value = value > 96 ? value - 96 : 0;
	out->bits = value;
	clear_host_bits(out);
	return true;
}

static bool network_fault(struct bl_builtin_call *call, struct bl_str text)
{
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"invalid CIDR address: %.*s", BL_STR_ARG(text));
}

/* ---- writing ------------------------------------------------------------ */

/* The longest run of zero groups, from two on. */
static void find_zeros(const uint8_t bytes[V6_BYTES], size_t *out_from,
		       size_t *out_to)
{
	*out_from = *out_to = V6_BYTES;
	for (size_t i = 0; i < V6_BYTES; i += 2) {
		size_t j = i;

		while (j + 1 < V6_BYTES && !bytes[j] && !bytes[j + 1])
			j += 2;
		if (j > i + 2 && j - i > *out_to - *out_from) {
			*out_from = i;
			*out_to = j;
		}
	}
}

static void put_address(struct bl_buf *out, const struct address *address)
{
	const uint8_t *bytes = address->bytes;
	size_t from, to;

	if (address->len == V4_BYTES) {
		bl_buf_printf(out, "%u.%u.%u.%u", (unsigned)bytes[0],
			      (unsigned)bytes[1], (unsigned)bytes[2],
			      (unsigned)bytes[3]);
		return;
	}
	find_zeros(bytes, &from, &to);
	for (size_t i = 0; i < V6_BYTES; i += 2) {
		if (i == from) {
			bl_buf_puts(out, "::");
			i = to;
			if (i >= V6_BYTES)
				break;
		} else if (i) {
			bl_buf_put_char(out, ':');
		}
		bl_buf_printf(out, "%x",
			      (unsigned)bytes[i] << 8 | (unsigned)bytes[i + 1]);
	}
}

/* ---- relations ---------------------------------------------------------- */

static int compare_addresses(const struct address *a, const struct address *b)
{
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->bytes, b->bytes, a->len);
}

static bool has_address(const struct network *network,
			const struct address *address)
{
	struct address last = last_of(network);

	return network->first.len == address->len &&
	       compare_addresses(&network->first, address) <= 0 &&
	       compare_addresses(address, &last) <= 0;
}

/* Is text, an address or a network, inside network?  False: fault. */
static bool contains(struct bl_builtin_call *call,
		     const struct network *network, struct bl_str text,
		     bool *out)
{
	struct address address, last;
	struct network inner;

	if (read_address(text, &address)) {
		*out = has_address(network, &address);
		return true;
	}
	if (!read_network(text, &inner))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"not a valid textual representation "
					"of an IP address or CIDR: %.*s",
					BL_STR_ARG(text));
	last = last_of(&inner);
	*out = has_address(network, &inner.first) &&
	       has_address(network, &last);
	return true;
}

bool bl_fn_net_cidr_contains(struct bl_builtin_call *call)
{
	struct network network;
	bool inside;

	if (!read_network(bl_builtin_text(call, 0), &network))
		return network_fault(call, bl_builtin_text(call, 0));
	return contains(call, &network, bl_builtin_text(call, 1), &inside) &&
	       bl_builtin_return_boolean(call, inside);
}

bool bl_fn_net_cidr_intersects(struct bl_builtin_call *call)
{
	struct network networks[2];

	for (size_t i = 0; i < 2; i++) {
		if (!read_network(bl_builtin_text(call, i), &networks[i]))
			return network_fault(call, bl_builtin_text(call, i));
	}
	return bl_builtin_return_boolean(
		call, has_address(&networks[0], &networks[1].first) ||
			      has_address(&networks[1], &networks[0].first));
}

bool bl_fn_net_cidr_is_valid(struct bl_builtin_call *call)
{
	struct network network;

	return bl_builtin_return_boolean(
		call, read_network(bl_builtin_text(call, 0), &network));
}

/* ---- matches ------------------------------------------------------------ */

/* A collection, or a text that stands for itself. */
static size_t count_of(struct bl_value operand)
{
	return bl_value_is(operand, BL_KIND_STRING) ? 1
						    : bl_value_count(operand);
}

/* Element i, and what it is called in the result. */
static struct bl_value element_at(struct bl_value operand, size_t i,
				  struct bl_value *out_name)
{
	if (bl_value_is(operand, BL_KIND_OBJECT)) {
		*out_name = bl_object_key(operand, i);
		return bl_object_value(operand, i);
	}
	if (bl_value_is(operand, BL_KIND_ARRAY)) {
		*out_name = bl_value_integer((int64_t)i);
		return bl_value_item(operand, i);
	}
	*out_name = bl_value_is(operand, BL_KIND_STRING)
			    ? operand
			    : bl_value_item(operand, i);
	return *out_name;
}

/* The text of an element: itself, or the first item of an array. */
static bool read_element(struct bl_builtin_call *call, size_t n, size_t i,
			 struct bl_value *out_name, struct bl_str *out_text)
{
	struct bl_value element = element_at(call->args[n - 1], i, out_name);

	if (bl_value_is(element, BL_KIND_ARRAY))
		element = bl_value_item(element, 0);
	if (!bl_value_is(element, BL_KIND_STRING))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"operand %zu: element must be string "
					"or non-empty array",
					n);
	*out_text = bl_value_text(element);
	return true;
}

/* Pairs of the network of element i of operand 1 and all of operand 2. */
static bool match_one(struct bl_builtin_call *call, size_t i,
		      struct bl_array_builder *out)
{
	struct bl_value pair[2];
	struct network network;
	struct bl_str text;

	if (!read_element(call, 1, i, &pair[0], &text))
		return false;
	if (!read_network(text, &network))
		return network_fault(call, text);
	for (size_t j = 0; j < count_of(call->args[1]); j++) {
		bool inside;

		if (!read_element(call, 2, j, &pair[1], &text) ||
		    !contains(call, &network, text, &inside))
			return false;
		if (inside)
			bl_array_builder_add(
				out, bl_array_make(call->arena, pair, 2));
	}
	return true;
}

bool bl_fn_net_cidr_contains_matches(struct bl_builtin_call *call)
{
	struct bl_array_builder out;

	for (size_t n = 1; n <= 2; n++) {
		struct bl_value operand = call->args[n - 1];

		if (operand.kind < BL_KIND_STRING)
			return bl_builtin_operand_fault(
				call, n, "one of {string, array, object, set}",
				bl_kind_name(bl_value_kind(operand)));
	}
	bl_array_builder_init(&out, call->arena);
	for (size_t i = 0; i < count_of(call->args[0]); i++) {
		if (!match_one(call, i, &out))
			return false;
	}
	if (out.failed)
		return bl_builtin_memory_fault(call);
	return bl_builtin_return(
		call, bl_set_make(call->arena, out.items, out.count));
}

/* ---- expanding ---------------------------------------------------------- */

/* The next address; false after the last one of its version. */
static bool step(struct address *address)
{
	for (size_t i = address->len; i-- > 0;) {
		if (++address->bytes[i])
			return true;
	}
	return false;
}

static void add_network(struct bl_builtin_call *call,
			struct bl_array_builder *out,
			const struct address *address, int bits)
{
	struct bl_value value;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	put_address(&text, address);
	if (bits >= 0)
		bl_buf_printf(&text, "/%d", bits);
	value = bl_builtin_string(call, bl_buf_str(&text));
	bl_buf_clear(&text);
	bl_array_builder_add(out, value);
	out->failed |= !bl_value_is_defined(value);
}

bool bl_fn_net_cidr_expand(struct bl_builtin_call *call)
{
	struct bl_array_builder out;
	struct network network;
	struct address at;

	if (!read_network(bl_builtin_text(call, 0), &network))
		return network_fault(call, bl_builtin_text(call, 0));
	if (network.first.len * 8 - network.bits > MAX_EXPANDED_BITS)
		return bl_builtin_fault(call, BL_FAULT_CANCEL,
					"network is too large");
	bl_array_builder_init(&out, call->arena);
	at = network.first;
	do {
		add_network(call, &out, &at, -1);
	} while (!out.failed && step(&at) && has_address(&network, &at));
	if (out.failed)
		return bl_builtin_memory_fault(call);
	return bl_builtin_return(
		call, bl_set_make(call->arena, out.items, out.count));
}

/* ---- merging ------------------------------------------------------------ */

struct address_range {
	struct address from;
	struct address to;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct address_range *x = a, *y = b;
	int order = compare_addresses(&x->from, &y->from);

	return order ? order : compare_addresses(&x->to, &y->to);
}

/* A network, or an address of version 4, which stands for its class. */
static bool read_range(struct bl_builtin_call *call, struct bl_str text,
		       struct address_range *out)
{
	struct network network;

	if (!read_network(text, &network)) {
		if (!read_address(text, &network.first))
			return bl_builtin_fault(call, BL_FAULT_BUILTIN,
						"%.*s is not a valid CIDR or "
						"IP address",
						BL_STR_ARG(text));
		if (network.first.len == V6_BYTES)
			return bl_builtin_fault(call, BL_FAULT_BUILTIN,
						"IPv6 invalid: needs prefix "
						"length");
		network.bits = network.first.bytes[0] < 128   ? 8
			       : network.first.bytes[0] < 192 ? 16
							      : 24;
		clear_host_bits(&network);
	}
	out->from = network.first;
	out->to = last_of(&network);
	return true;
}

/* Joins ranges, sorted, that overlap or touch; gives how many are left. */
static size_t join_ranges(struct address_range *ranges, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct address_range *last = kept ? &ranges[kept - 1] : NULL;
		struct address after = last ? last->to : ranges[i].from;
		bool touches =
			last && last->to.len == ranges[i].from.len &&
			(!step(&after) ||
			 compare_addresses(&ranges[i].from, &after) <= 0);

		if (!touches)
			ranges[kept++] = ranges[i];
		else if (compare_addresses(&last->to, &ranges[i].to) < 0)
			last->to = ranges[i].to;
	}
	return kept;
}

/* The largest network at the start of a range that is inside it. */
static struct network largest_start(const struct address_range *range)
{
	struct network network = { range->from, (unsigned)range->from.len * 8 };

	while (network.bits) {
		struct network wider = { range->from, network.bits - 1 };
		struct address last;

		clear_host_bits(&wider);
		last = last_of(&wider);
		if (compare_addresses(&wider.first, &range->from) ||
		    compare_addresses(&last, &range->to) > 0)
			break;
		network = wider;
	}
	return network;
}

static void split_range(struct bl_builtin_call *call,
			struct bl_array_builder *out,
			struct address_range range)
{
	do {
		struct network network = largest_start(&range);

		add_network(call, out, &network.first, (int)network.bits);
		range.from = last_of(&network);
	} while (!out->failed && step(&range.from) &&
		 compare_addresses(&range.from, &range.to) <= 0);
}

bool bl_fn_net_cidr_merge(struct bl_builtin_call *call)
{
	size_t count = bl_value_count(call->args[0]);
	struct address_range *ranges = bl_arena_new_array(
		call->arena, struct address_range, count + 1);
	struct bl_array_builder out;

	if (!bl_builtin_wants_items(call, 1, BL_KIND_STRING))
		return false;
	if (!ranges)
		return bl_builtin_memory_fault(call);
	for (size_t i = 0; i < count; i++) {
		if (!read_range(call,
				bl_value_text(bl_value_item(call->args[0], i)),
				&ranges[i]))
			return false;
	}
	qsort(ranges, count, sizeof(*ranges), compare_ranges);
	count = join_ranges(ranges, count);
	bl_array_builder_init(&out, call->arena);
	for (size_t i = 0; i < count; i++)
		split_range(call, &out, ranges[i]);
	if (out.failed)
		return bl_builtin_memory_fault(call);
	return bl_builtin_return(
		call, bl_set_make(call->arena, out.items, out.count));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and networks, as Go's package net reads them. */
#include "base/ip.h"
#include "rego/builtins/functions.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_EXPANDED_BITS = 20 }; /* host bits of net.cidr_expand's network */

struct network {
	struct bl_ip first; /* without host bits */
	unsigned bits;
};

/* ---- reading ------------------------------------------------------------ */

/* To Go an address that stands for one of version 4 is that. */
static bool read_address(struct bl_str text, struct bl_ip *out)
{
	struct bl_ip ip;

	if (!bl_ip_parse(text, &ip))
		return false;
	*out = ip;
	if (!bl_ip_is_mapped(&ip))
		return true;
	*out = (struct bl_ip){ .len = BL_IP_V4_BYTES };
	memcpy(out->bytes, ip.bytes + BL_IP_V6_BYTES - BL_IP_V4_BYTES,
	       BL_IP_V4_BYTES);
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

static struct bl_ip last_of(const struct network *network)
{
	struct bl_ip last = network->first;

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
	most = has_colon ? BL_IP_V6_BYTES * 8 : BL_IP_V4_BYTES * 8;
	if (value > most)
		return false;
	/* ::ffff:a.b.c.d/n with n below 96 is not a network of version 4. */
	if (has_colon && out->first.len == BL_IP_V4_BYTES)
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

/* ---- relations ---------------------------------------------------------- */

static int compare_addresses(const struct bl_ip *a, const struct bl_ip *b)
{
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->bytes, b->bytes, a->len);
}

static bool has_address(const struct network *network,
			const struct bl_ip *address)
{
	struct bl_ip last = last_of(network);

	return network->first.len == address->len &&
	       compare_addresses(&network->first, address) <= 0 &&
	       compare_addresses(address, &last) <= 0;
}

/* Is text, an address or a network, inside network?  False: fault. */
static bool contains(struct bl_builtin_call *call,
		     const struct network *network, struct bl_str text,
		     bool *out)
{
	struct bl_ip address, last;
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
static bool step(struct bl_ip *address)
{
	for (size_t i = address->len; i-- > 0;) {
		if (++address->bytes[i])
			return true;
	}
	return false;
}

static void add_network(struct bl_builtin_call *call,
			struct bl_array_builder *out,
			const struct bl_ip *address, int bits)
{
	char text[BL_IP_TEXT_BYTES + sizeof("/128")];
	struct bl_value value;

	bl_ip_print(address, text);
	if (bits >= 0)
		sprintf(text + strlen(text), "/%d", bits);
	value = bl_builtin_string(call, bl_str(text));
	bl_array_builder_add(out, value);
	out->failed |= !bl_value_is_defined(value);
}

bool bl_fn_net_cidr_expand(struct bl_builtin_call *call)
{
	struct bl_array_builder out;
	struct network network;
	struct bl_ip at;

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
	struct bl_ip from;
	struct bl_ip to;
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
		if (network.first.len == BL_IP_V6_BYTES)
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
		struct bl_ip after = last ? last->to : ranges[i].from;
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
		struct bl_ip last;

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

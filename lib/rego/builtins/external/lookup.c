/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net.lookup_ip_addr: the hosts that may be asked for, and the answer of the
 * embedder.
 */
#include <netdb.h>
#include <sys/socket.h>

#include "base/ip.h"
#include "rego/builtins/external/http_request.h"

enum { MAX_ADDRESSES = 1024 };

static struct bl_value address_text(struct bl_builtin_call *call,
				    const struct sockaddr *address)
{
	const struct sockaddr_in6 *v6 = (const void *)address;
	const struct sockaddr_in *v4 = (const void *)address;
	struct bl_ip ip = { .len = BL_IP_V4_BYTES };
	char text[BL_IP_TEXT_BYTES];

	if (address->sa_family == AF_INET6)
		ip.len = BL_IP_V6_BYTES;
	memcpy(ip.bytes,
	       ip.len == BL_IP_V6_BYTES ? (const void *)&v6->sin6_addr
					: (const void *)&v4->sin_addr,
	       ip.len);
	bl_ip_print(&ip, text);
	return bl_builtin_string(call, bl_str(text));
}

/* Addresses written as such, and the host itself, need no network. */
static bool needs_network(const char *name)
{
	struct bl_ip ip;

	return !bl_ip_parse(bl_str(name), &ip) &&
	       strcmp(name, "localhost") != 0;
}

static struct bl_value collect(struct bl_builtin_call *call,
			       const struct addrinfo *found)
{
	struct bl_value items[MAX_ADDRESSES];
	size_t count = 0;

	for (; found && count < MAX_ADDRESSES; found = found->ai_next) {
		struct bl_value text = bl_value_undefined();

		if (found->ai_family == AF_INET || found->ai_family == AF_INET6)
			text = address_text(call, found->ai_addr);
		if (bl_value_is_defined(text))
			items[count++] = text;
	}
	return bl_set_make(call->arena, items, count);
}

/* Without a network. */
static bool look_up_here(struct bl_builtin_call *call, const char *name,
			 struct bl_value *out_set)
{
	static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;

	if (needs_network(name))
		return bl_builtin_fault(call, BL_FAULT_CANCEL,
					"look-ups are not allowed here");
	if (getaddrinfo(name, NULL, &hints, &found) != 0)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"lookup %s: no such host", name);
	*out_set = collect(call, found);
	freeaddrinfo(found);
	return bl_value_is_defined(*out_set) || bl_builtin_memory_fault(call);
}

/* By the embedder, as far as it lets policies reach the host. */
static bool look_up(struct bl_builtin_call *call, struct bl_str name,
		    struct bl_value *out_set)
{
	const struct bl_rego_network *network = call->state->host.network;
	struct bl_str error = BL_STR("");

	if (!bl_rego_http_is_allowed(call, name))
		return false;
	return network->lookup(network->context, name, call->arena, out_set,
			       &error) ||
	       bl_builtin_fault(call, BL_FAULT_BUILTIN, "lookup %.*s: %.*s",
				BL_STR_ARG(name), BL_STR_ARG(error));
}

bool bl_fn_net_lookup_ip_addr(struct bl_builtin_call *call)
{
	struct bl_str name =
		bl_arena_copy_str(call->arena, bl_builtin_text(call, 0));
	struct bl_value key = bl_value_printf(
		call->arena, "net.lookup_ip_addr %.*s", BL_STR_ARG(name));
	struct bl_value set = bl_builtin_memo_find(call, key);

	if (bl_value_is_defined(set))
		return bl_builtin_return(call, set);
	if (!name.ptr || !bl_value_is_defined(key))
		return bl_builtin_memory_fault(call);
	if (!(call->state->host.network ? look_up(call, name, &set)
					: look_up_here(call, name.ptr, &set)))
		return false;
	return bl_builtin_memo_add(call, key, set) &&
	       bl_builtin_return(call, set);
}

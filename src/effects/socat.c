/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/socat.c: socat joins two addresses, each TYPE:PARAMETERS[,OPTION...].  Programs
 * run, files are read and written, hosts are contacted; a program joined to a connection is
 * a shell for the other side.  Apart from special.c because an address is a language of its
 * own.
 */
#include <strings.h>

#include "effects/private.h"

static const struct {
	const char *type;
	enum bl_fact_kind kind;
	uint32_t details;
} types[] = {
	{ "exec:", BL_FACT_EXECUTE, 0 },
	{ "system:", BL_FACT_EXECUTE, 0 },
	{ "shell:", BL_FACT_EXECUTE, 0 },
	{ "file:", BL_FACT_WRITE, BL_FACT_IS_EDIT },
	{ "open:", BL_FACT_WRITE, BL_FACT_IS_EDIT },
	{ "gopen:", BL_FACT_WRITE, BL_FACT_IS_EDIT },
	{ "create:", BL_FACT_WRITE, 0 },
	{ "tcp", BL_FACT_NETWORK, 0 },
	{ "udp", BL_FACT_NETWORK, 0 },
	{ "sctp", BL_FACT_NETWORK, 0 },
	{ "openssl", BL_FACT_NETWORK, 0 },
	{ "ssl", BL_FACT_NETWORK, 0 },
	{ "socks", BL_FACT_NETWORK, 0 },
	{ "proxy", BL_FACT_NETWORK, 0 },
};

/* The row of an address; BL_COUNT(types): no row. */
static size_t type_of(struct effects_text address)
{
	size_t k = 0;

	while (k < BL_COUNT(types) && (address.len < strlen(types[k].type) ||
				       strncasecmp(address.ptr, types[k].type,
						   strlen(types[k].type)) != 0))
		k++;
	return k;
}

/* The text between the type and the options; false: it is missing. */
static bool parameters_of(struct effects_text address, struct effects_text *out)
{
	struct bl_str all = effects_str(address);
	size_t colon = bl_str_find(all, BL_STR(":"), 0);
	size_t comma = bl_str_find(all, BL_STR(","), 0);

	if (colon == SIZE_MAX)
		return false;
	*out = effects_cut(address, colon + 1,
			   comma == SIZE_MAX ? address.len : comma);
	return true;
}

static void apply(struct effects_run *run, size_t type,
		  struct effects_text parameters, struct bl_shell_span span)
{
	struct effects_walk *walk = run->walk;

	if (types[type].kind == BL_FACT_EXECUTE) {
		effects_run_text(walk, &run->inside, parameters, true, NULL,
				 span);
		return;
	}
	if (types[type].kind == BL_FACT_NETWORK) {
		effects_add_plain(walk, BL_FACT_NETWORK, BL_STR("socket"),
				  &parameters,
				  BL_FACT_IS_SEND | BL_FACT_IS_RECEIVE, span);
		return;
	}
	if (types[type].details & BL_FACT_IS_EDIT) /* both ways */
		effects_add_path(walk, &run->inside, BL_FACT_READ,
				 BL_STR("socat"), parameters, BL_FACT_IS_QUIET,
				 0, span);
	effects_add_path(walk, &run->inside, BL_FACT_WRITE, BL_STR("socat"),
			 parameters, types[type].details, 0, span);
}

bool effects_socat(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	bool connects = false, executes = false;

	for (size_t i = 0; i < args->count; i++) {
		size_t type = type_of(args->items[i].text);
		struct effects_text parameters;

		if (type == BL_COUNT(types) ||
		    !parameters_of(args->items[i].text, &parameters))
			continue;
		connects |= types[type].kind == BL_FACT_NETWORK;
		executes |= types[type].kind == BL_FACT_EXECUTE;
		apply(run, type, parameters, args->items[i].span);
	}
	if (connects && executes)
		effects_add_plain(run->walk, BL_FACT_NETWORK, BL_STR("shell"),
				  NULL, BL_FACT_IS_SEND | BL_FACT_IS_RECEIVE,
				  run->span);
	return false;
}

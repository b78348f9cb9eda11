/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of names: layers and profiles, and which profile is the stricter.
 * Plans are made elsewhere; these rows are what people write.
 */
#include "sandbox/sandbox.h"

static const struct {
	const char *name;
	const char *text;
} layers[] = {
#define LAYER(id, name, text) { name, text },
#include "sandbox/layers.def"
#undef LAYER
};

const char *bl_layer_name(enum bl_sandbox_layer layer)
{
	return layers[layer].name;
}

const char *bl_layer_text(enum bl_sandbox_layer layer)
{
	return layers[layer].text;
}

void bl_layers_print(struct bl_buf *out, bl_layers set, const char *separator)
{
	bool first = true;

	for (size_t i = 0; i < BL_LAYER_COUNT; i++) {
		if (!(set & (bl_layers)1 << i))
			continue;
		bl_buf_puts(out, first ? "" : separator);
		bl_buf_puts(out, layers[i].name);
		first = false;
	}
}

/* ---- profiles ------------------------------------------------------- */

/* Files, network and privileges are fenced in by one means or another. */
#define FENCED                                                                 \
	BL_LAYER(PRIVILEGES), BL_LAYER(SECCOMP),                               \
		BL_LAYER(MOUNT) | BL_LAYER(LANDLOCK), BL_LAYER(LIMITS)

static const struct bl_sandbox_profile profiles[] = {
	{
		.name = "none",
		.summary = "no sandbox: an ordinary child",
	},
	{
		.name = "workspace",
		.summary = "may write its workspace; no network",
		.is_confined = true,
		.workspace = BL_ACCESS_WRITE,
		.has_readable = true,
		.needs = { FENCED },
	},
	{
		.name = "readonly",
		.summary = "may read its workspace and write nothing; no "
			   "network",
		.is_confined = true,
		.workspace = BL_ACCESS_READ,
		.has_readable = true,
		.needs = { FENCED },
	},
	{
		.name = "strict",
		.summary = "sees its payload and the system's programs, "
			   "nothing else; every layer of isolation must be "
			   "there",
		.is_confined = true,
		.workspace = BL_ACCESS_NONE,
		.needs = { FENCED, BL_LAYER(MOUNT), BL_LAYER(PID),
			   BL_LAYER(IPC), BL_LAYER(NET), BL_LAYER(LANDLOCK) },
	},
};

const struct bl_sandbox_profile *bl_sandbox_profile_at(size_t i)
{
	return i < BL_COUNT(profiles) ? &profiles[i] : NULL;
}

bool bl_sandbox_parse(struct bl_str text, struct bl_sandbox_request *request)
{
	struct bl_str suffix = BL_STR("+network");
	bool network = bl_str_has_suffix(text, suffix);
	struct bl_str name =
		network ? bl_str_slice(text, 0, text.len - suffix.len) : text;

	for (size_t i = 0; i < BL_COUNT(profiles); i++) {
		if (!bl_str_is(name, profiles[i].name))
			continue;
		request->profile = &profiles[i];
		request->network = network;
		return true;
	}
	return false;
}

void bl_sandbox_raise(const struct bl_sandbox_request *least,
		      const struct bl_sandbox_profile **profile, bool *network)
{
	if (!least->profile || !least->profile->is_confined)
		return;
	if (!*profile || !(*profile)->is_confined)
		*network = least->network;
	*network = *network && least->network;
	if (!*profile || *profile < least->profile)
		*profile = least->profile;
}

void bl_sandbox_print_names(struct bl_buf *out)
{
	for (size_t i = 0; i < BL_COUNT(profiles); i++)
		bl_buf_printf(out, "%s%s", i ? ", " : "", profiles[i].name);
}

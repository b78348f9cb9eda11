/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guards.c: what a hook file that cannot be used has lost.  A file with an
 * error gives no hooks, which is right for hooks that watch and wrong for a
 * hook that says "failClosed": one stray byte would switch it off.  So the
 * events of such hooks are kept, also where only the entry of another event is
 * bad, and what cannot be read counts as holding one.
 */
#include <strings.h>

#include "base/utf8.h"
#include "sources/hooks/private.h"

/* Any event: nobody knows which. */
#define ALL_STEPS UINT64_MAX

static uint64_t bit_of(const struct bl_contract *contract,
		       const struct bl_hook_event *hook_event)
{
	size_t i =
		hook_event ? (size_t)(hook_event - contract->events) : SIZE_MAX;

	return i < 64 ? UINT64_C(1) << i : ALL_STEPS;
}

bool bl_hook_lost_guard(const struct bl_hook_file *file,
			const struct bl_contract *contract,
			const struct bl_hook_event *event)
{
	return (file->lost_guards & bit_of(contract, event)) != 0;
}

/* Anything but false is meant to be true. */
static bool is_guard(struct bl_value entry)
{
	struct bl_value value = bl_object_find(entry, BL_STR("failClosed"));

	return bl_value_is_defined(value) &&
	       !bl_value_is(value, BL_KIND_NULL) &&
	       (!bl_value_is(value, BL_KIND_BOOLEAN) ||
		bl_value_is_true(value));
}

void bl_hook_note_guard(struct bl_hook_text *text,
			const struct bl_hook_event *hook_event,
			struct bl_value entry, bool good)
{
	uint64_t bit = bit_of(text->contract, hook_event);

	if (!text->profile->has_options || !is_guard(entry))
		return;
	text->guards |= bit;
	if (!good || !hook_event)
		text->lost |= bit;
}

static bool holds(struct bl_str text, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= text.len; i++)
		if (!strncasecmp(text.ptr + i, word, len))
			return true;
	return false;
}

/* Another encoding, or what a crash of the machine has left of a file. */
static bool is_binary(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char byte = (unsigned char)text.ptr[i];

		if (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r')
			return true;
	}
	return !bl_utf8_is_valid(text);
}

/* Does it end within brackets, or a string?  Nobody knows what followed. */
static bool is_cut(struct bl_str text)
{
	bool in_string = false;
	int64_t depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		char byte = text.ptr[i];

		if (byte == '"')
			in_string = !in_string;
		else if (in_string)
			i += byte == '\\';
		else
			depth += (byte == '{' || byte == '[') -
				 (byte == '}' || byte == ']');
	}
	return in_string || depth > 0;
}

/* Text that is not JSON: even half of the key's name, or an escape in it. */
static bool may_guard(struct bl_str text)
{
	return holds(text, "fail") || holds(text, "closed") ||
	       holds(text, "\\u") || is_binary(text) || is_cut(text);
}

uint64_t bl_hook_lost_guards(const struct bl_hook_text *text)
{
	if (!text->profile->has_options)
		return 0;
	if (!text->refused)
		return text->lost;
	if (text->is_unread && may_guard(text->text->text))
		return ALL_STEPS;
	return text->guards;
}

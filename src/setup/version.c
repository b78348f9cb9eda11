/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which version of an agent is installed, and what it is too old for.  It
 * stands alone since it is the one place that starts an agent.
 */
#include "os/os.h"
#include "setup/private.h"

enum { VERSION_TIMEOUT_MS = 5000, NUMBERS = 3, MAX_DIGITS = 9 };

/* The number at *at, which moves behind it; false: absent. */
static bool next_number(struct bl_str text, size_t *at, uint32_t *out_number)
{
	size_t start = *at;
	uint32_t number = 0;

	while (*at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9' &&
	       *at - start < MAX_DIGITS)
		number = number * 10 + (uint32_t)(text.ptr[(*at)++] - '0');
	*out_number = number;
	return *at > start;
}

/* The length of "N.N.N" at start, with its numbers; 0: it is not there. */
static size_t read_version(struct bl_str text, size_t start,
			   uint32_t numbers[NUMBERS])
{
	size_t at = start;

	for (size_t i = 0; i < NUMBERS; i++) {
		if (i > 0 && (at >= text.len || text.ptr[at++] != '.'))
			return 0;
		if (!next_number(text, &at, &numbers[i]))
			return 0;
	}
	return at - start;
}

bool bl_setup_is_too_old(const struct bl_setup *setup,
			 const struct bl_registration_entry *entry)
{
	uint32_t has[NUMBERS];
	uint32_t needs[NUMBERS];

	if (!entry->since || !read_version(setup->agent_version, 0, has) ||
	    !read_version(bl_str(entry->since), 0, needs))
		return false;
	for (size_t i = 0; i < NUMBERS; i++)
		if (has[i] != needs[i])
			return has[i] < needs[i];
	return false;
}

const char *bl_setup_left_out(const struct bl_setup *setup, size_t i)
{
	const struct bl_registration *agent = setup->agent->registration;

	for (size_t j = 0; j < BL_REGISTRATION_MAX_ENTRIES; j++) {
		const struct bl_registration_entry *entry = &agent->entries[j];

		if (entry->event && bl_setup_is_too_old(setup, entry) &&
		    i-- == 0)
			return entry->event;
	}
	return NULL;
}

/* Does anything depend on the version?  Then it is worth starting the agent. */
static bool has_newer_events(const struct bl_registration *agent)
{
	for (size_t i = 0; i < BL_REGISTRATION_MAX_ENTRIES; i++)
		if (agent->entries[i].since)
			return true;
	return false;
}

struct bl_str bl_setup_agent_version(const struct bl_agent *agent,
				     struct bl_arena *arena)
{
	const char *argv[] = { agent->registration->program, "--version",
			       NULL };
	const struct bl_child_spec spec = { .argv = argv,
					    .timeout_ms = VERSION_TIMEOUT_MS };
	struct bl_child_result result;
	uint32_t numbers[NUMBERS];

	if (!agent->registration->program ||
	    !has_newer_events(agent->registration) ||
	    bl_child_run(&spec, 1, arena, &result, NULL) ||
	    result.end != BL_CHILD_EXITED || result.code != 0)
		return BL_STR("");
	for (size_t at = 0; at < result.output.len; at++) {
		size_t len = read_version(result.output, at, numbers);

		if (len)
			return bl_str_slice(result.output, at, at + len);
	}
	return BL_STR("");
}

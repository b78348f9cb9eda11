/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_peer encode|decode request|hook|response: ProtoJSON on standard input becomes
 * protobuf's binary form on standard output, or the reverse.  For tests/unit/team/protoc.
 */
#include "team/team.h"

#include <stdio.h>
#include <string.h>

enum { MAX_INPUT_BYTES = 1 << 20 };

union message {
	struct bl_team_request request;
	struct bl_team_hook hook;
	struct bl_team_hooks response;
};

static const char *const names[BL_TEAM_MESSAGE_COUNT] = {
	[BL_TEAM_REQUEST] = "request",
	[BL_TEAM_HOOK] = "hook",
	[BL_TEAM_RESPONSE] = "response",
};

static bool find_message(const char *name, enum bl_team_message *out)
{
	for (size_t i = 0; i < BL_COUNT(names); i++)
		if (!strcmp(names[i], name)) {
			*out = (enum bl_team_message)i;
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	static char input[MAX_INPUT_BYTES];
	enum bl_team_message kind;
	union message message = { .request = { false } };
	struct bl_error err = { 0 };
	struct bl_arena arena;
	struct bl_buf out;
	struct bl_str text;
	enum bl_status status;
	bool is_encode = argc == 3 && !strcmp(argv[1], "encode");

	if (argc != 3 || !find_message(argv[2], &kind))
		return 64;
	text = (struct bl_str){ input, fread(input, 1, sizeof(input), stdin) };
	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&out, 0);
	status = is_encode ? bl_team_decode_json(kind, text, false, &arena,
						 &message, &err)
			   : bl_team_decode(kind, text, &arena, &message, &err);
	if (status)
		fprintf(stderr, "%s\n", err.message);
	else if (is_encode)
		bl_team_encode(kind, &message, &out);
	else
		bl_team_encode_json(kind, &message, &out);
	fwrite(out.ptr, 1, out.len, stdout);
	bl_buf_clear(&out);
	bl_arena_clear(&arena);
	return status != BL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* server/options.h: the command line of belay-server. */
#ifndef BELAY_SERVER_OPTIONS_H
#define BELAY_SERVER_OPTIONS_H

#include "server/app.h"

struct command {
	const char *name; /* "serve", ... */
	size_t wanted;
	size_t count;
	const char *arguments[2];
};

void options_put_help(struct bl_buf *out);

/* USAGE with what is wrong.  Texts are argv's, or in arena. */
enum bl_status options_parse(int argc, char **argv, struct bl_arena *arena,
			     struct app_options *out, struct command *command,
			     struct bl_error *err);

#endif

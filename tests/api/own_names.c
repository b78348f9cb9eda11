/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose functions are named like some inside the library.  It links
 * only when those are local to the library, and each side must call its own.
 */
#include <belay.h>

#include <stdio.h>

static int calls;

/* Names that many programs have, and those that the library uses most. */
#define NAMES(F)                                                               \
	F(parse_name)                                                          \
	F(bl_arena_init)                                                       \
	F(bl_arena_grow)                                                       \
	F(bl_arena_clear)                                                      \
	F(bl_fail)                                                             \
	F(bl_buf_put)                                                          \
	F(bl_json_read)                                                        \
	F(bl_os_home)                                                          \
	F(bl_engine_new)                                                       \
	F(bl_value_compare)

#define DEFINE(name)                                                           \
	int name(void);                                                        \
	int name(void)                                                         \
	{                                                                      \
		return ++calls;                                                \
	}
NAMES(DEFINE)

#define CALL(name) name();

int main(void)
{
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_engine *engine = NULL;
	belay_text *text = NULL;
	int calls_of_library;
	int is_good;

	options.flags = BELAY_NO_LOG;
	options.home = options.system_root = "/nonexistent";
	is_good = !belay_engine_new(&options, &engine, NULL) &&
		  !belay_engine_hooks_json(engine, &text, NULL);
	belay_text_free(text);
	belay_engine_free(engine);
	calls_of_library = calls;
	NAMES(CALL)
	is_good = is_good && calls_of_library == 0 && calls == 10;
	puts("1..1");
	puts(is_good ? "ok 1 - each side calls its own"
		     : "not ok 1 - each side calls its own");
	return !is_good;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.c: showing the person a page.  The browser outlives us, so it gets a
 * session of its own (setsid), and none of our terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "ui/app.h"

enum { PATIENCE_MS = 5000 };

/* In the child: what it says goes nowhere. */
static int be_silent(const void *data)
{
	int fd = open("/dev/null", O_RDWR);

	(void)data;
	for (int to = 0; fd >= 0 && to < 3; to++)
		if (dup2(fd, to) < 0)
			return errno;
	return fd < 0 ? errno : 0;
}

static bool has_display(void)
{
	return bl_os_getenv("DISPLAY").len ||
	       bl_os_getenv("WAYLAND_DISPLAY").len;
}

void browser_open(const char *url)
{
	const struct bl_child_step step = { "silence", be_silent, NULL };
	const char *const argv[] = { "setsid", "--fork", "xdg-open", url,
				     NULL };
	const struct bl_child_spec spec = { .argv = argv,
					    .timeout_ms = PATIENCE_MS,
					    .steps = &step,
					    .step_count = 1 };
	struct bl_child_result result;
	struct bl_arena arena;

	if (!has_display())
		return;
	bl_arena_init(&arena, NULL, 0, 0);
	/* The address is printed: without a browser the person opens it. */
	(void)bl_child_run(&spec, 1, &arena, &result, NULL);
	bl_arena_clear(&arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.c: belay --version, and with --verbose what the program is made of,
 * for bug reports and for whoever packages it.  Each of the two programs tells
 * of itself, so that two that were not built together show.
 */
#include "cli/cli.h"

#include <stdio.h>

#if defined(__GLIBC__)
#	include <gnu/libc-version.h>
#else
/* Of musl: inside libc.a, in no header. */
extern const char __libc_version[];
#endif

#if defined(__clang__)
#	define COMPILER "clang " __clang_version__
#else
#	define COMPILER "gcc " __VERSION__
#endif

static const char *libc_name(void)
{
#if defined(__GLIBC__)
	return "glibc";
#else
	return "musl";
#endif
}

static const char *libc_version(void)
{
#if defined(__GLIBC__)
	return gnu_get_libc_version();
#else
	return __libc_version;
#endif
}

static const char *machine(void)
{
#if defined(__x86_64__)
	return "x86_64";
#elif defined(__aarch64__)
	return "aarch64";
#else
	return "other";
#endif
}

void cli_put_version(struct bl_buf *out)
{
	bl_buf_puts(out, "belay " BELAY_VERSION "\n");
}

static void put_row(struct bl_buf *out, const char *name, const char *text)
{
	bl_buf_printf(out, "  %-12s%s\n", name, text);
}

void cli_put_build(struct bl_buf *out)
{
	char libc[64];

	snprintf(libc, sizeof(libc), "%s %s, %s", libc_name(), libc_version(),
		 cli_build.linkage);
	bl_buf_printf(out, "%s:\n", cli_is_tools ? "belay-tools" : "belay");
	put_row(out, "commit", cli_commit);
	put_row(out, "compiler", COMPILER);
	put_row(out, "machine", machine());
	put_row(out, "C library", libc);
	put_row(out, "libraries", cli_build.libraries);
	put_row(out, "HTTP client", cli_build.http_client);
	put_row(out, "builtins", cli_build.builtins);
}

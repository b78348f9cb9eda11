/* SPDX-License-Identifier: Apache-2.0 */
/* shell/print.h: what the files of the printer share. */
#ifndef BELAY_SHELL_PRINT_H
#define BELAY_SHELL_PRINT_H

#include "shell/shell.h"

struct bl_sh_printer {
	struct bl_buf *out;
	uint32_t indent;
	uint32_t skips;       /* indents that are left out */
	uint32_t functions;   /* around this: a list is one command a line */
	uint32_t connections; /* around this: bodies wait for the operator */
	bool in_substitution; /* newlines stay newlines */
	bool had_body;        /* a body was printed: no ; behind it */
	const struct bl_shell_redirection *owed;
};

void bl_sh_print_list(struct bl_sh_printer *p,
		      const struct bl_shell_list *list);
void bl_sh_print_word(struct bl_buf *out, const struct bl_shell_word *word);
void bl_sh_print_words(struct bl_buf *out, const struct bl_shell_word *words,
		       const char *separator);
void bl_sh_print_redirections(struct bl_sh_printer *p,
			      const struct bl_shell_redirection *list,
			      bool errors);
/* The bodies that are owed, behind operator ("" or " && "). */
void bl_sh_print_owed(struct bl_sh_printer *p, const char *op);
void bl_sh_print_enter(struct bl_sh_printer *p);
/* A compound command without its redirections. */
void bl_sh_print_compound(struct bl_sh_printer *p,
			  const struct bl_shell_command *command);
void bl_sh_print_body(struct bl_sh_printer *p,
		      const struct bl_shell_command *body);
void bl_sh_print_command(struct bl_sh_printer *p,
			 const struct bl_shell_command *command);

#endif

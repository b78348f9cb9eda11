/* SPDX-License-Identifier: Apache-2.0 */
/* setup/templates.h: the texts of templates/, written by tools/embed-text. */
#ifndef BELAY_SETUP_TEMPLATES_H
#define BELAY_SETUP_TEMPLATES_H

extern const char setup_text_rulebook[];
extern const char setup_text_all_example[];
extern const char setup_text_agent_example[];

#endif

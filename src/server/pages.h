/* SPDX-License-Identifier: Apache-2.0 */
/* server/pages.h: the texts of the pages, written by tools/embed-text. */
#ifndef BELAY_SERVER_PAGES_H
#define BELAY_SERVER_PAGES_H

#define ASSET(file, constant, media) extern const char constant[];
#include "server/pages/pages.def"
#undef ASSET

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* ui/pages.h: the texts of the pages, written by tools/embed-text. */
#ifndef BELAY_UI_PAGES_H
#define BELAY_UI_PAGES_H

#define ASSET(file, constant, media) extern const char constant[];
#include "ui/pages/pages.def"
#undef ASSET

#endif

// SPDX-License-Identifier: Apache-2.0
// The frame of a page that the program writes: one HTML file that needs nothing else, readable in
// light and dark.
#ifndef PAL_APP_PAGE_H
#define PAL_APP_PAGE_H

#include <palpate/base.h>
#include <stdio.h>

/// Everything up to the heading `title`; `what` follows it in the browser's own title.
void palPage_Begin(FILE* file, const char* title, const char* what);
void palPage_End(FILE* file);

/// Text, with what HTML reserves written out.
void palPage_Text(FILE* file, const char* text);

#endif

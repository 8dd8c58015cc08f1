// SPDX-License-Identifier: Apache-2.0
// Header and footer of the HTML pages written by the program: self-contained files with a light and
// a dark colour scheme.
#ifndef PAL_APP_PAGE_H
#define PAL_APP_PAGE_H

#include <palpate/base.h>
#include <stdio.h>

/// Writes everything up to the heading `title`; `what` follows it in the title of the window.
void palPage_Begin(FILE* file, const char* title, const char* what);
void palPage_End(FILE* file);

/// Writes text with HTML special characters escaped.
void palPage_Text(FILE* file, const char* text);

#endif

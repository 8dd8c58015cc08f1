// SPDX-License-Identifier: Apache-2.0
// The figures of a comparison, one panel per run with the same axes: path and surface, force and
// its change over time.
#ifndef PAL_APP_FIGURES_H
#define PAL_APP_FIGURES_H

#include "report.h"

#include <stdio.h>

/// Writes them as HTML sections with inline SVG. Returns false if out of memory.
bool palReport_DrawFigures(const palReport* report, FILE* file);

#endif
